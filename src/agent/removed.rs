//! Sessions that a person took out of what is remembered: a file of the session's id in `queue/removed` of the agent's
//! home. The transcript is the client's and stays, but here it is as if it were not there.

use crate::base::file;
use crate::record::session;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The file that says that a session was taken out, below the queue's folder.
pub fn name(session_id: &str) -> PathBuf {
    Path::new("removed").join(session::safe_id(session_id))
}

/// Whether a session of a home was taken out.
pub fn has(home: &Path, session_id: &str) -> bool {
    home.join("queue").join(name(session_id)).exists()
}

/// The ids of all that were taken out, as names of files.
pub fn all(home: &Path) -> HashSet<String> {
    let names = file::names(&home.join("queue/removed")).unwrap_or_else(|_| Vec::new());
    names.into_iter().filter_map(|name| name.into_string().ok()).collect()
}
