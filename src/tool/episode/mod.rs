//! Episodes: what a session did and how it ended, read from its transcript without a model. What a completion checkpoint
//! says of the same session counts before it.

mod checkpoint;
mod read;

use crate::agent::project::{self, SessionHint};
use crate::agent::{layout, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, file, log};
use crate::record::episode::Episode;
use crate::record::session::{self, Session};
use crate::record::written::{Became, written};
use crate::redact::Redactor;
use crate::store::{self, Memory, episodes};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The types of the records that are read: those of sessions, and a checkpoint, which has none.
pub const KINDS: [&str; 3] = ["session", "task", ""];

/// The largest input that is read as a checkpoint, in bytes.
const CHECKPOINT_BYTES: usize = 4 << 20;
/// How many get one at once, and how long that may take.
const MOST: usize = 20;
const PATIENCE: Duration = Duration::from_secs(5);
/// Which transcripts, at which size, gave none: they are not read again while they stay like that.
const NONE: &str = "no-episode";

/// Records as lines: a checkpoint can be of several.
pub fn lines(input: Vec<u8>) -> Vec<u8> {
    if input.len() > CHECKPOINT_BYTES {
        return input;
    }
    match serde_json::from_slice::<serde_json::Value>(&input) {
        Ok(value) if value.is_object() && value.get("type").is_none() => format!("{value}\n").into_bytes(),
        _ => input,
    }
}

/// What comes of one of these.
pub fn of_record(record: &Record, dry: bool, config: &Config, redactor: &Redactor) -> Result<Option<Record>, Failure> {
    if record.kind().is_empty() {
        return checkpoint::given(record, dry, config, redactor);
    }
    keep(&Session::from_record(record)?, dry, config, redactor)
}

/// Makes the episode of a session and keeps it, unless the run is `dry`; none for a session that gets none: a program's
/// or a subagent's, one in which nothing was typed, one whose episode was taken out, or an old one.
pub fn keep(session: &Session, dry: bool, config: &Config, redactor: &Redactor) -> Result<Option<Record>, Failure> {
    let memory = Memory::of(session, config)?;
    let Some(episode) = read::read(session, redactor)? else { return Ok(None) };
    let episode = match checkpoint::of_session(session, &episode)? {
        Some(found) => checkpoint::united(episode, &found, session, redactor),
        None => episode,
    };
    put(&memory, &episode, dry, redactor)
}

/// A file as it is called below the session's folders; none for one that is elsewhere.
fn below<'f>(file: &'f str, session: &Session) -> Option<&'f str> {
    let mut tops = [&session.cwd, &session.project_root].into_iter().filter(|top| top.is_absolute());
    tops.find_map(|top| Path::new(file).strip_prefix(top).ok()?.to_str())
}

fn put(memory: &Memory, episode: &Episode, dry: bool, redactor: &Redactor) -> Result<Option<Record>, Failure> {
    if !episodes::wanted(memory, &episode.session_id, episode.time(), clock::now()) {
        return Ok(None);
    }
    // It stays where it is, if that is another folder of the memory.
    let name = episodes::name(&episode.session_id);
    let folder = memory.folders().find(|folder| folder.join(&name).exists()).unwrap_or(memory);
    let (is_new, became) = if dry {
        (episodes::of_session(memory, &episode.session_id)?.as_ref() != Some(episode), Became::WouldWrite)
    } else {
        (episodes::put(folder, episode, redactor)?, Became::Written)
    };
    let became = if is_new { became } else { Became::Unchanged };
    Ok(Some(written(Some(&folder.join(name)), "episode", None, &episode.summary(), became)))
}

/// Makes the episodes that are missing in the current folder's project, the newest first, and hands each receipt out.
pub fn missing(
    dry: bool,
    config: &Config,
    redactor: &Redactor,
    act: &mut dyn FnMut(&Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let start = project::here(config)?;
    let memory = Memory::of(&start, config)?;
    let (begun, now) = (clock::monotonic(), clock::now());
    let mut sessions = layout::sessions_of(&start.agent_home, &[&start.cwd, &start.project_root]);
    sessions.sort_by(|one, other| other.cmp(one));
    let recent = |time| clock::from_system(time).is_none_or(|time| clock::after(time, episodes::KEPT_SECONDS) >= now);
    let before = gave_none(&memory);
    let key = |path: &Path| session::safe_id(&session::id_of(path));
    let mut none = before.clone();
    none.retain(|id, _| sessions.iter().any(|(_, path)| key(path) == *id));
    let mut made = 0;
    for (_, path) in sessions.into_iter().take_while(|(time, _)| recent(*time)) {
        if made >= MOST || clock::monotonic().duration_since(begun) >= PATIENCE {
            break;
        }
        let (id, Ok(Some((size, time)))) = (session::id_of(&path), transcript::stat(&path)) else { continue };
        if before.get(&key(&path)) == Some(&size) {
            continue;
        }
        let ended = episodes::of_session(&memory, &id).ok().flatten().map(|one| one.time());
        // The client writes bookkeeping behind the last words.
        if ended.is_some_and(|ended| time <= ended || transcript::last_said(&path) <= ended) {
            continue;
        }
        let hint = SessionHint { found_by: "missing", ..SessionHint::default() };
        let kept =
            project::describe(&path, hint, config).and_then(|(session, _)| keep(&session, dry, config, redactor));
        match kept {
            Ok(Some(receipt)) => {
                made += 1;
                act(&receipt)?;
            }
            Ok(None) => _ = none.insert(key(&path), size),
            // What cannot be read costs itself alone.
            Err(failure) => log::say("lh-episode", &failure.message),
        }
    }
    if dry || none == before { Ok(()) } else { note(&memory, &none, redactor) }
}

fn gave_none(memory: &Path) -> BTreeMap<String, u64> {
    let text = store::cache(memory, NONE).and_then(|target| file::read_text(&target)).ok().flatten();
    let of = |line: &str| line.split_once(' ').and_then(|(id, size)| Some((id.to_owned(), size.parse().ok()?)));
    text.iter().flat_map(|text| text.lines()).filter_map(of).collect()
}

/// It is a cache: losing it costs time.
fn note(memory: &Path, none: &BTreeMap<String, u64>, redactor: &Redactor) -> Result<(), Failure> {
    if !store::may_cache(memory) {
        return Ok(());
    }
    let lines: String = none.iter().flat_map(|(id, size)| [id.clone(), format!(" {size}\n")]).collect();
    let _lock = store::lock(memory)?;
    file::replace(&store::cache(memory, NONE)?, &redactor.masked_parts(&lines), file::Durable::No)
}
