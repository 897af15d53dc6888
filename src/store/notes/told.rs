//! Which typed memories a session was told, and when: `told/SESSION_ID.jsonl`, with the locks and caches of the folder.
//! Only the session's own hook writes it, so it takes no lock.

use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::record::session;
use crate::redact::Redactor;
use crate::store;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FOLDER: &str = "told";

/// One memory that was told once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telling {
    /// When, RFC 3339.
    pub ts: String,
    /// The name of its file.
    pub file: String,
    /// How many bytes of it.
    pub bytes: usize,
}

/// What a session was told, the oldest first.
pub fn of_session(folder: &Path, session_id: &str) -> Result<Vec<Telling>, Failure> {
    let name = Path::new(FOLDER).join(format!("{}.jsonl", session::safe_id(session_id)));
    read(&store::cache(folder, name)?)
}

/// Notes what a session was told.
pub fn note(folder: &Path, session_id: &str, told: &[Telling], redactor: &Redactor) -> Result<(), Failure> {
    let name = Path::new(FOLDER).join(format!("{}.jsonl", session::safe_id(session_id)));
    store::cache_folder(folder, FOLDER)?;
    let lines = told.iter().filter_map(|line| serde_json::to_string(line).ok());
    file::append_lines(
        &store::cache(folder, name)?,
        &redactor.masked_json(&lines.map(|line| line + "\n").collect::<String>()),
    )
}

/// All that was told, each with the session, the oldest first.
pub fn all(folder: &Path) -> Result<Vec<(Telling, String)>, Failure> {
    let any = store::cache(folder, Path::new(FOLDER).join("any"))?;
    let mut found = Vec::new();
    let Some(top) = any.parent() else { return Ok(found) };
    for name in file::names(top)? {
        let name = name.to_string_lossy();
        let Some(session_id) = name.strip_suffix(".jsonl") else { continue };
        found.extend(read(&top.join(&*name))?.into_iter().map(|telling| (telling, session_id.to_owned())));
    }
    found.sort_by_cached_key(|(telling, _)| clock::parse(&telling.ts));
    Ok(found)
}

fn read(path: &Path) -> Result<Vec<Telling>, Failure> {
    let text = file::read_text(path)?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
