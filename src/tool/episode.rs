//! Episodes: what a session did and how it ended, read from its transcript without a model. A completion checkpoint counts
//! before that: what the agent itself says at the end of its work, in the fields of an episode. Checkpoints are only read.

use crate::agent::project::{self, SessionHint};
use crate::agent::transcript::{self, Conversation};
use crate::agent::{checkout, injected, layout};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, env, file, log, remote, text};
use crate::extract::first_source::Listener;
use crate::extract::{own_words, progress};
use crate::record::episode::{Ended, Episode, Place};
use crate::record::message::{Message, Role};
use crate::record::session::{self, Session, safe_id};
use crate::record::written::{Became, written};
use crate::redact::Redactor;
use crate::store::progress::{COMMITS, ENDED, GOAL};
use crate::store::{self, Memory, episodes};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The types of the records that are read: those of sessions, and a checkpoint, which has none.
pub const KINDS: [&str; 3] = ["session", "task", ""];

const TOOL: &str = "lh-episode";
/// The largest input, and the largest file, that is read as a checkpoint, in bytes.
const INPUT_BYTES: usize = 4 << 20;
const CHECKPOINT_BYTES: u64 = 64 << 10;
const WHAT: &str = "not a completion checkpoint: expected a JSON object with the fields of an episode";
/// How many get one at once, and how long that may take.
const MOST: usize = 20;
const PATIENCE: Duration = Duration::from_secs(5);
/// How much of the transcript's end is looked through for what a tool said before the agent did.
const HEARD: u64 = 4 << 20;
/// The last files that are looked at.
const FILES: usize = 16;
/// Which transcripts, at which size, gave none: they are not read again while they stay like that.
const NONE: &str = "no-episode";

/// Records as lines: a checkpoint can be of several.
pub fn lines(input: Vec<u8>) -> Vec<u8> {
    if input.len() > INPUT_BYTES {
        return input;
    }
    match serde_json::from_slice::<serde_json::Value>(&input) {
        Ok(value) if value.is_object() && value.get("type").is_none() => format!("{value}\n").into_bytes(),
        _ => input,
    }
}

/// What makes episodes and keeps them; a `dry` one only says what it would keep.
pub struct EpisodeMaker<'a> {
    /// Nothing is changed.
    pub dry: bool,
    /// The configuration.
    pub config: &'a Config,
    /// What masks all that is kept.
    pub redactor: &'a Redactor,
}

impl EpisodeMaker<'_> {
    /// What comes of a session or a checkpoint.
    pub fn of_record(&self, record: &Record) -> Result<Option<Record>, Failure> {
        if record.kind().is_empty() { self.of_checkpoint(record) } else { self.keep(&Session::from_record(record)?) }
    }

    /// Keeps the episode of a session. None for one that gets none: of a program or a subagent, without anything typed, with
    /// an episode that was taken out, or too old.
    fn keep(&self, session: &Session) -> Result<Option<Record>, Failure> {
        let memory = Memory::of(session, self.config)?;
        let Some(own) = self.read(session)? else { return Ok(None) };
        let said = checkpoint_of(session, &own)?;
        let episode = if let Some(said) = said { self.united(own, &said, session) } else { own };
        self.put(&memory, &episode)
    }

    /// Keeps the episode of a checkpoint; what it does not say is taken from its session, if that is there.
    fn of_checkpoint(&self, record: &Record) -> Result<Option<Record>, Failure> {
        if let Some(word) = record.text("outcome").filter(|word| Ended::from_word(word).is_none()) {
            let known = Ended::ALL.map(Ended::word).join(", ");
            return Err(Failure::data(format!("field 'outcome' is '{word}': expected one of {known}")));
        }
        let said = Episode::parse(&record.line()).ok_or_else(|| Failure::data(WHAT))?;
        if said.session_id.trim().is_empty() {
            return Err(Failure::data("missing field 'session_id'"));
        }
        let cwd = Some(PathBuf::from(&said.project.cwd)).filter(|cwd| cwd.is_absolute());
        let cwd = cwd.map_or_else(env::current_folder, Ok)?;
        let (home, id) = (env::agent_home()?, safe_id(&said.session_id));
        let path = layout::locate(&home, &id, &cwd).unwrap_or_else(|| layout::transcript(&home, &cwd, &id));
        let known = SessionHint { cwd: Some(cwd), found_by: "checkpoint", ..SessionHint::default() };
        let (session, _) = project::describe(&path, known, self.config)?;
        let own = match self.read(&session)? {
            Some(own) => own,
            // A program's session stays one.
            None if session.source_size_bytes.is_some() => return Ok(None),
            None if said.what_was_done.trim().is_empty() => {
                let what = format!("the session '{}' is not there, so the checkpoint must say it", said.session_id);
                return Err(Failure::data(format!("missing field 'what_was_done': {what}")));
            }
            None => self.alone(&said, &session),
        };
        self.put(&Memory::of(&session, self.config)?, &self.united(own, &said, &session))
    }

    /// What a session's transcript says, of a huge one its beginning and its end; none where no person held the session, or
    /// it is not there.
    fn read(&self, session: &Session) -> Result<Option<Episode>, Failure> {
        if transcript::stat(&session.transcript)?.is_none() {
            return Ok(None);
        }
        self.redactor.begin();
        let masked = |said: &str| self.redactor.shown(&injected::without(said)).into_owned();
        let found = transcript::read_window(&session.transcript, None, &masked)?;
        let typed = found.totals.user_messages > 0 || found.skill.is_some();
        if found.subagent || !found.interactive || !typed {
            return Ok(None);
        }
        let (what_was_done, outcome) = self.said(&found, session)?;
        let first = transcript::first_time(&session.transcript);
        let first = first.or_else(|| found.messages.iter().find_map(|message| clock::parse(message.time.as_ref()?)));
        let last = found.last_time.as_ref().and_then(|time| clock::parse(time)).or(found.modified_at);
        // Times go backwards in many files.
        let last = first.max(last).max(transcript::last_said(&session.transcript));
        let seconds = first.zip(last).map_or(0, |(first, last)| clock::seconds_between(first, last));
        let git_dir = checkout::identify(&session.cwd).git_dir;
        let time = |time: Option<Timestamp>| time.map_or_else(String::new, |time| time.to_string());
        let episode = Episode {
            session_id: session.session_id.clone(),
            project: Place {
                cwd: self.shown(&session.cwd.to_string_lossy()),
                git_remote: git_dir.as_deref().and_then(remote::of).map(|name| self.shown(&name)),
            },
            skill_used: found.skill.as_deref().map(|skill| self.shown(skill)),
            what_was_done,
            files_changed: changed_files(&found.messages, session).iter().map(|name| self.shown(name)).collect(),
            outcome,
            duration_minutes: u64::try_from(seconds / 60).unwrap_or(0),
            started_at: time(first),
            ended_at: time(last),
        };
        Ok(Some(episode.bounded()))
    }

    /// What was done, masked, and how it ended.
    fn said(&self, found: &Conversation, session: &Session) -> Result<(String, Ended), Failure> {
        let (messages, redactor) = (&found.messages, self.redactor);
        Message::tell_all(messages, redactor);
        let mut listener = Listener::new(messages);
        found.end.recap.iter().for_each(|recap| listener.expect(recap));
        let heard = listener.read(&session.transcript, None, Some(HEARD))?;
        let (own, points) = redactor.settled(|| {
            let own = own_words::own_messages(messages, &heard, redactor);
            let points = progress::standing(&own, &found.end, &heard, &session.cwd, redactor).points;
            (own, points)
        });
        let point = |begin: &str| points.iter().find_map(|point| point.strip_prefix(begin)).map(str::to_owned);
        let live = || own.iter().filter(|message| !message.marks.abandoned);
        let folded = |message: &Message| {
            let mut message = message.clone();
            message.show(redactor);
            text::folded(&message.text)
        };
        // Of a session without commits the first request of the user that asks for something says most.
        let request = || {
            let typed = live().filter(|message| message.role == Role::User);
            let asks = typed.filter(|message| progress::has_request(std::slice::from_ref(message)));
            asks.map(folded).find(|said| own_words::says_something(said))
        };
        let mut last = live().rev().filter(|message| message.is_conversation()).peekable();
        let is_answered = last.peek().is_some_and(|last| last.role == Role::Assistant);
        let answer = || {
            let mut text = folded(last.find(|message| message.role == Role::Assistant)?);
            let end =
                text.find(['.', '!', '?']).filter(|end| text.get(end + 1..).is_none_or(|rest| rest.starts_with(' ')));
            text.truncate(end.map_or(text.len(), |end| end + 1));
            Some(text)
        };
        let done = point(COMMITS).or_else(request).or_else(|| point(GOAL)).or_else(answer);
        let outcome = match () {
            () if found.end.interrupted || point(ENDED).is_some() => Ended::Interrupted,
            () if found.end.failed || progress::is_broken(&own, &found.end, redactor) => Ended::Failed,
            () if is_answered => Ended::Completed,
            () => Ended::Unknown,
        };
        Ok((done.map_or_else(String::new, |done| injected::line(&done)), outcome))
    }

    /// What is known of a session without a transcript: it has just ended.
    fn alone(&self, said: &Episode, session: &Session) -> Episode {
        let now = clock::now();
        // The checkpoint is the agent's, and can say anything.
        let seconds = i64::try_from(said.duration_minutes).unwrap_or(0).saturating_mul(60);
        let time = |own: &str, else_: Timestamp| clock::parse(own).unwrap_or(else_).to_string();
        Episode {
            session_id: said.session_id.clone(),
            project: Place { cwd: self.shown(&session.cwd.to_string_lossy()), git_remote: None },
            started_at: time(&said.started_at, clock::after(now, -seconds)),
            ended_at: time(&said.ended_at, now),
            ..Episode::default()
        }
    }

    /// What a session's transcript says, with what its checkpoint says in its place.
    fn united(&self, own: Episode, said: &Episode, session: &Session) -> Episode {
        let name = |name: &String| self.shown(below(name, session).unwrap_or(name));
        let done = self.shown(&said.what_was_done);
        let files: Vec<String> = said.files_changed.iter().map(name).collect();
        let remote = said.project.git_remote.as_deref().map(|remote| self.shown(remote));
        let episode = Episode {
            project: Place { git_remote: own.project.git_remote.or(remote), ..own.project },
            skill_used: said.skill_used.as_deref().map(|skill| self.shown(skill)).or(own.skill_used),
            what_was_done: if done.is_empty() { own.what_was_done } else { done },
            files_changed: if files.is_empty() { own.files_changed } else { files },
            outcome: if said.outcome == Ended::Unknown { own.outcome } else { said.outcome },
            duration_minutes: if said.duration_minutes == 0 { own.duration_minutes } else { said.duration_minutes },
            ..own
        };
        episode.bounded()
    }

    fn shown(&self, text: &str) -> String {
        injected::line(&self.redactor.shown(text))
    }

    fn put(&self, memory: &Memory, episode: &Episode) -> Result<Option<Record>, Failure> {
        if !episodes::wanted(memory, &episode.session_id, episode.time(), clock::now()) {
            return Ok(None);
        }
        // It stays where it is, if that is another folder of the memory.
        let name = episodes::name(&episode.session_id);
        let folder = memory.folders().find(|folder| folder.join(&name).exists()).unwrap_or(memory);
        let (is_new, became) = if self.dry {
            (episodes::of_session(memory, &episode.session_id)?.as_ref() != Some(episode), Became::WouldWrite)
        } else {
            (episodes::put(folder, episode, self.redactor)?, Became::Written)
        };
        let became = if is_new { became } else { Became::Unchanged };
        Ok(Some(written(Some(&folder.join(name)), "episode", None, &episode.summary(), became)))
    }

    /// Makes the episodes that are missing in the current folder's project, the newest first, and gives the receipts.
    pub fn missing(&self) -> Result<Vec<Record>, Failure> {
        let here = project::here(self.config)?;
        let memory = Memory::of(&here, self.config)?;
        let (begun, now) = (clock::monotonic(), clock::now());
        let mut sessions = layout::sessions_of(&here.agent_home, &[&here.cwd, &here.project_root]);
        sessions.sort_by(|one, other| other.cmp(one));
        let recent =
            |time| clock::from_system(time).is_none_or(|time| clock::after(time, episodes::KEPT_SECONDS) >= now);
        let before = gave_none(&memory);
        let key = |path: &Path| safe_id(&session::id_of(path));
        let mut none = before.clone();
        none.retain(|id, _| sessions.iter().any(|(_, path)| key(path) == *id));
        let mut made = Vec::new();
        for (_, path) in sessions.into_iter().take_while(|(time, _)| recent(*time)) {
            if made.len() >= MOST || clock::monotonic().duration_since(begun) >= PATIENCE {
                break;
            }
            let Ok(Some((size, time))) = transcript::stat(&path) else { continue };
            if before.get(&key(&path)) == Some(&size) {
                continue;
            }
            let ended = episodes::of_session(&memory, &session::id_of(&path)).ok().flatten().map(|one| one.time());
            // The client writes bookkeeping behind the last words.
            if ended.is_some_and(|ended| time <= ended || transcript::last_said(&path) <= ended) {
                continue;
            }
            let hint = SessionHint { found_by: "missing", ..SessionHint::default() };
            match project::describe(&path, hint, self.config).and_then(|(session, _)| self.keep(&session)) {
                Ok(Some(receipt)) => made.push(receipt),
                Ok(None) => _ = none.insert(key(&path), size),
                // What cannot be read costs itself alone.
                Err(failure) => log::say(TOOL, &failure.message),
            }
        }
        // It is a cache: losing it costs time.
        if !self.dry && none != before && store::may_cache(&memory) {
            let lines: String = none.iter().flat_map(|(id, size)| [id.clone(), format!(" {size}\n")]).collect();
            let _lock = store::lock(&memory)?;
            file::replace(&store::cache(&memory, NONE)?, &self.redactor.masked_parts(&lines), file::Durable::No)?;
        }
        Ok(made)
    }
}

fn gave_none(memory: &Path) -> BTreeMap<String, u64> {
    let text = store::cache(memory, NONE).and_then(|target| file::read_text(&target)).ok().flatten();
    let of = |line: &str| line.split_once(' ').and_then(|(id, size)| Some((id.to_owned(), size.parse().ok()?)));
    text.iter().flat_map(|text| text.lines()).filter_map(of).collect()
}

/// A file as it is called below the session's folders; none for one that is elsewhere.
fn below<'f>(file: &'f str, session: &Session) -> Option<&'f str> {
    let mut tops = [&session.cwd, &session.project_root].into_iter().filter(|top| top.is_absolute());
    tops.find_map(|top| Path::new(file).strip_prefix(top).ok()?.to_str())
}

/// The files that were changed, the last first, as they are called below the folder.
fn changed_files(messages: &[Message], session: &Session) -> Vec<String> {
    // What failed, or was refused, changed nothing.
    let failed = messages.iter().filter(|message| message.is_error || message.refused().is_some());
    let failed: HashSet<&String> = failed.filter_map(|message| message.tool_use_id.as_ref()).collect();
    let tools = messages.iter().rev().flat_map(|message| message.tools.iter().rev());
    let edits = tools.filter(|tool| tool.edits() && !failed.contains(&tool.id));
    let mut known = HashSet::new();
    let names = edits.filter_map(|tool| below(tool.file.as_deref()?, session));
    let names =
        names.filter(|name| !name.is_empty() && progress::files::is_name(name) && known.insert(*name)).take(FILES);
    names.map(str::to_owned).collect()
}

/// The newest checkpoint of a session: one that has its id; or one of its folder, of no other session that is there,
/// that was written between its beginning and its end.
fn checkpoint_of(session: &Session, episode: &Episode) -> Result<Option<Episode>, Failure> {
    let within = |time: Option<Timestamp>| {
        let bounds = clock::parse(&episode.started_at).zip(clock::parse(&episode.ended_at));
        time.zip(bounds).is_some_and(|(time, (from, to))| from <= time && time <= to)
    };
    let is_here = |of: &Episode| {
        let cwd = Path::new(&of.project.cwd);
        let is_others = safe_id(&of.session_id) == of.session_id
            && layout::locate(&session.agent_home, &of.session_id, &session.cwd).is_some();
        let tops = [&session.cwd, &session.project_root].map(|top| file::real_path(top));
        !is_others && cwd.is_absolute() && tops.contains(&file::real_path(cwd))
    };
    let home = session.home()?;
    let found = layout::checkpoints(home, &session.project_root, &session.cwd).into_iter().filter_map(|path| {
        let (time, found) = (file::modified(&path), read_checkpoint(&path)?);
        // A file in a checkout can be a stranger's: only one who knows the session's id wrote it in it.
        let is_home = path.starts_with(home);
        let own = found.session_id == session.session_id || is_home && is_here(&found) && within(time);
        own.then_some((time, found))
    });
    Ok(found.max_by_key(|(time, _)| *time).map(|(_, found)| found))
}

/// A file that is none, or cannot be read, is said.
fn read_checkpoint(path: &Path) -> Option<Episode> {
    let read = file::read_at_most(path, CHECKPOINT_BYTES).and_then(|bytes| {
        let read = bytes.and_then(|bytes| Episode::parse(str::from_utf8(&bytes).ok()?));
        read.ok_or_else(|| Failure::data(format!("{}: {WHAT}", path.display())))
    });
    read.map_err(|failure| log::say(TOOL, &failure.message)).ok()
}
