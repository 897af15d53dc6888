//! Completion checkpoints: what the agent itself says at the end of its work, in the fields of an episode. They are only
//! read.

use crate::agent::project::{self, SessionHint};
use crate::agent::{injected, layout};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, env, file, log};
use crate::record::episode::{Ended, Episode, Place};
use crate::record::session::{Session, safe_id};
use crate::redact::Redactor;
use crate::store::Memory;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// A longer file is no checkpoint.
const BYTES: u64 = 64 << 10;

/// The newest checkpoint of a session: one that has its id; or one of its folder, of no other session that is there,
/// that was written between its beginning and its end.
pub fn of_session(session: &Session, episode: &Episode) -> Result<Option<Episode>, Failure> {
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
        let (time, found) = (file::modified(&path), read(&path)?);
        // A file in a checkout can be a stranger's: only one who knows the session's id wrote it in it.
        let is_home = path.starts_with(home);
        let own = found.session_id == session.session_id || is_home && is_here(&found) && within(time);
        own.then_some((time, found))
    });
    Ok(found.max_by_key(|(time, _)| *time).map(|(_, found)| found))
}

/// A file that is none, or cannot be read, is said.
fn read(path: &Path) -> Option<Episode> {
    let read = file::read_at_most(path, BYTES).and_then(|bytes| {
        let read = bytes.and_then(|bytes| Episode::parse(str::from_utf8(&bytes).ok()?));
        read.ok_or_else(|| Failure::data(format!("{}: {WHAT}", path.display())))
    });
    read.map_err(|failure| log::say("lh-episode", &failure.message)).ok()
}

const WHAT: &str = "not a completion checkpoint: expected a JSON object with the fields of an episode";

/// What a session's transcript says, with what its checkpoint says in its place.
pub fn united(own: Episode, said: &Episode, session: &Session, redactor: &Redactor) -> Episode {
    let shown = |text: &str| injected::line(&redactor.shown(text));
    let below = |name: &String| shown(super::below(name, session).unwrap_or(name));
    let done = shown(&said.what_was_done);
    let files: Vec<String> = said.files_changed.iter().map(below).collect();
    let remote = said.project.git_remote.as_deref().map(shown);
    let episode = Episode {
        project: Place { git_remote: own.project.git_remote.or(remote), ..own.project },
        skill_used: said.skill_used.as_deref().map(shown).or(own.skill_used),
        what_was_done: if done.is_empty() { own.what_was_done } else { done },
        files_changed: if files.is_empty() { own.files_changed } else { files },
        outcome: if said.outcome == Ended::Unknown { own.outcome } else { said.outcome },
        duration_minutes: if said.duration_minutes == 0 { own.duration_minutes } else { said.duration_minutes },
        ..own
    };
    episode.bounded()
}

/// Keeps the episode of a checkpoint that was given; what it does not say is taken from its session, if that is there.
pub fn given(record: &Record, dry: bool, config: &Config, redactor: &Redactor) -> Result<Option<Record>, Failure> {
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
    let (session, _) = project::describe(&path, known, config)?;
    let memory = Memory::of(&session, config)?;
    let own = match super::read::read(&session, redactor)? {
        Some(own) => own,
        // A program's session stays one.
        None if session.source_size_bytes.is_some() => return Ok(None),
        None if said.what_was_done.trim().is_empty() => {
            let what = format!("the session '{}' is not there, so the checkpoint must say it", said.session_id);
            return Err(Failure::data(format!("missing field 'what_was_done': {what}")));
        }
        None => alone(&said, &session, redactor),
    };
    super::put(&memory, &united(own, &said, &session, redactor), dry, redactor)
}

/// What is known of a session without a transcript: it has just ended.
fn alone(said: &Episode, session: &Session, redactor: &Redactor) -> Episode {
    let now = clock::now();
    // The checkpoint is the agent's, and can say anything.
    let seconds = i64::try_from(said.duration_minutes).unwrap_or(0).saturating_mul(60);
    let time = |own: &str, else_: Timestamp| clock::parse(own).unwrap_or(else_).to_string();
    Episode {
        session_id: said.session_id.clone(),
        project: Place { cwd: injected::line(&redactor.shown(&session.cwd.to_string_lossy())), git_remote: None },
        started_at: time(&said.started_at, clock::after(now, -seconds)),
        ended_at: time(&said.ended_at, now),
        ..Episode::default()
    }
}
