//! Episodes: what a session did and how it ended, read from its transcript without a model. What a completion checkpoint
//! says of the same session counts before it.

mod checkpoint;
mod missing;
mod read;

pub use missing::missing;

use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::record::episode::Episode;
use crate::record::session::Session;
use crate::record::written::{Became, written};
use crate::redact::Redactor;
use crate::store::{Memory, episodes};
use std::path::Path;

/// The types of the records that are read: those of sessions, and a checkpoint, which has none.
pub const KINDS: [&str; 3] = ["session", "task", ""];

/// The largest input that is read as a checkpoint, in bytes.
const CHECKPOINT_BYTES: usize = 4 << 20;

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
