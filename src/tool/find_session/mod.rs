//! Finding sessions: the session that a hook's payload means, the newest of a folder's project, or all
//! of every project and profile; or those whose transcript is gone.

mod lost;
mod missing;

pub use crate::agent::named::{all, is_id, named};
pub use lost::lost;
pub use missing::{due, missing};

use crate::agent::payload::Payload;
use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, hooks, layout, removed};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, env, file};
use crate::record::session;
use crate::record::session::Session;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// A session and a word on how its project was decided.
pub type FoundSession = (Session, &'static str);

/// The session that a hook's payload means; an empty one means the current folder. None when there
/// is none; status 65 when the payload is not a JSON object.
pub fn from_payload(payload: &[u8], config: &Config) -> Result<Option<FoundSession>, Failure> {
    let Payload { session_id, transcript, cwd, event, .. } = hooks::payload(payload)?;
    let known = |found_by| SessionHint {
        // What the transcript says of the cwd comes after what the payload says, before where we run.
        cwd: cwd.clone(),
        event: event.clone(),
        found_by,
    };
    let describe = |path: &Path, found_by| {
        let found = project::describe(path, known(found_by), config)?;
        Ok(Some(found).filter(|(session, _)| !removed::has(&session.agent_home, &session.session_id)))
    };
    if let Some(path) = transcript {
        return describe(&env::named(&path)?, "transcript_path");
    }
    let cwd = cwd.clone().map_or_else(env::current_folder, Ok)?;
    let homes = config.agent_homes()?;
    if let Some(id) = session_id.filter(|id| session::safe_id(id) == *id) {
        let file = homes.iter().find_map(|home| layout::locate(home, &id, &cwd));
        return file.map_or(Ok(None), |path| describe(&path, "session_id"));
    }
    let (real, root) = (file::real_path(&cwd), checkout::identify(&cwd).root);
    let of_project = |home: &PathBuf| layout::sessions_of(home, &[&cwd, &real, &root]);
    let newest = homes.iter().flat_map(of_project).max_by_key(|(time, _)| *time);
    newest.map_or(Ok(None), |(_, path)| describe(&path, "newest"))
}

/// Describes one of [`all`]; none when it is gone by now.
pub fn listed(transcript: &Path, config: &Config) -> Result<Option<FoundSession>, Failure> {
    let known = SessionHint { found_by: "all", ..SessionHint::default() };
    let found = project::describe(transcript, known, config)?;
    Ok(Some(found).filter(|(session, _)| session.source_size_bytes.is_some()))
}

/// A point in time, see [`clock::point`]; status 64 for what is not one.
pub fn since(text: &str) -> Result<Timestamp, Failure> {
    let forms = "2026-04-13, 2026-04-13T18:32, 2026-04-13T18:32:45-03:00, today, yesterday, 7d or 12h";
    clock::point(text).ok_or_else(|| Failure::usage(format!("invalid time '{text}': expected {forms}")))
}
