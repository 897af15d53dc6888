//! Finding sessions: the session that a hook's payload means, the newest of a folder's project, or all
//! of every project and profile; or those whose transcript is gone.

mod lost;
mod missing;

pub use lost::lost;
pub use missing::{due, missing};

use crate::agent::payload::Payload;
use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, hooks, layout, transcript};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::{clock, env, file};
use crate::record::session;
use crate::record::session::Session;
use jiff::Timestamp;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Characters of a short id.
const SHORT_ID: usize = 8;
/// Transcripts that are named when an id is that of several.
const NAMED: usize = 5;

/// A session and a word on how its project was decided.
pub type Found = (Session, &'static str);

/// The session of an operand: of a transcript that was named outright, which need not exist, or of an id or
/// the beginning of one. Status 65 for what is not a regular file, 1 when no session has that id, 64 when
/// several have it.
pub fn named(operand: &OsStr, config: &Config) -> Result<Found, Failure> {
    let path = Path::new(operand);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut transcript = file::real_path(&absolute);
    if transcript::stat(&transcript)?.is_none() && is_id(path) {
        transcript = of_id(&operand.to_string_lossy(), config)?;
    }
    project::describe(&transcript, SessionHint { found_by: "operand", ..SessionHint::default() }, config)
}

/// Whether an operand can only be the id of a session: one word that does not end as a transcript, and no file.
pub fn is_id(operand: &Path) -> bool {
    let is_path = operand.components().count() > 1 || operand.extension() == Some(OsStr::new("jsonl"));
    !is_path && !operand.exists()
}

/// The transcript whose id begins so, in any project of any agent home.
fn of_id(id: &str, config: &Config) -> Result<PathBuf, Failure> {
    let paths = all(None, config)?;
    let (whole, begun): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .filter(|path| session::id_of(path).starts_with(id))
        .partition(|path| session::id_of(path) == id);
    // A beginning that a person types is as long as the short ids that the tools show.
    let found = if whole.is_empty() && id.len() >= SHORT_ID { begun } else { whole };
    match found.as_slice() {
        [path] => Ok(path.clone()),
        [] => {
            let what = "not a transcript, and not a session's id or its first 8 characters";
            Err(Failure::new(Exit::No, format!("'{id}': {what}: lh-find-session --all lists all")))
        }
        several => {
            let paths: Vec<_> = several.iter().take(NAMED).map(|path| path.display().to_string()).collect();
            let count = several.len();
            let what = format!("'{id}': the id, or its beginning, of {count} sessions: name one");
            Err(Failure::usage(format!("{what}: {}", paths.join(", "))))
        }
    }
}

/// The session that a hook's payload means; an empty one means the current folder. None when there
/// is none; status 65 when the payload is not a JSON object.
pub fn from_payload(payload: &[u8], config: &Config) -> Result<Option<Found>, Failure> {
    let Payload { session_id, transcript, cwd, event, .. } = hooks::payload(payload)?;
    let known = |found_by| SessionHint {
        // What the transcript says of the cwd comes after what the payload says, before where we run.
        cwd: cwd.clone(),
        event: event.clone(),
        found_by,
    };
    let describe = |path: &Path, found_by| project::describe(path, known(found_by), config).map(Some);
    if let Some(path) = transcript {
        return describe(&env::named(&path)?, "transcript_path");
    }
    let cwd = cwd.clone().map_or_else(env::current_folder, Ok)?;
    let homes = config.agent_homes()?;
    if let Some(id) = session_id.filter(|id| session::safe_id(id) == *id) {
        let file = homes.iter().find_map(|home| layout::locate(home, &id, &cwd));
        return file.map_or(Ok(None), |path| describe(&path, "session_id"));
    }
    let newest = homes.iter().flat_map(|home| of_project(home, &cwd)).max_by_key(|(time, _)| *time);
    newest.map_or(Ok(None), |(_, path)| describe(&path, "newest"))
}

/// The transcripts of the project that a folder belongs to, with their times.
fn of_project(home: &Path, cwd: &Path) -> Vec<(SystemTime, PathBuf)> {
    let root = checkout::identify(cwd).root;
    let real = file::real_path(cwd);
    layout::sessions_of(home, &[cwd, &real, &root])
}

/// Every session of every project and profile, oldest first; only those that changed at or after
/// `since` when there is one.
pub fn all(since: Option<Timestamp>, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for home in config.agent_homes()? {
        found.extend(layout::sessions(&home)?);
    }
    let recent = |time: SystemTime| since.is_none_or(|since| clock::from_system(time).is_none_or(|time| time >= since));
    found.retain(|(time, _)| recent(*time));
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Describes one of [`all`]; none when it is gone by now.
pub fn listed(transcript: &Path, config: &Config) -> Result<Option<Found>, Failure> {
    let known = SessionHint { found_by: "all", ..SessionHint::default() };
    let found = project::describe(transcript, known, config)?;
    Ok(Some(found).filter(|(session, _)| session.source_size_bytes.is_some()))
}

/// A point in time, see [`clock::point`]; status 64 for what is not one.
pub fn since(text: &str) -> Result<Timestamp, Failure> {
    let forms = "2026-04-13, 2026-04-13T18:32, 2026-04-13T18:32:45-03:00, today, yesterday, 7d or 12h";
    clock::point(text).ok_or_else(|| Failure::usage(format!("invalid time '{text}': expected {forms}")))
}
