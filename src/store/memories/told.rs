//! Which typed memories a session was told, and when: `told/SESSION_ID.jsonl`, with the locks and caches of the folder.
//! Only the session's own hook writes it, so it takes no lock. It is only a hint: it is not synced, and what cannot be
//! read of it counts as not told. Names are masked in it: compare them with masked ones.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::{clock, log, record};
use crate::record::session;
use crate::redact::Redactor;
use crate::store;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FOLDER: &str = "told";

/// One memory that was told once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telling {
    /// When, RFC 3339.
    pub ts: String,
    /// The name of its file, masked.
    pub file: String,
    /// How many bytes of it.
    pub bytes: usize,
}

/// What a session was told, the oldest first; what cannot be read is said in the name of `tool`.
pub fn of_session(folder: &Path, session_id: &str, tool: &str) -> Vec<Telling> {
    quiet(store::cache(folder, name(session_id)).and_then(|target| read(&target)), tool)
}

/// Notes what a session was told.
pub fn note(folder: &Path, session_id: &str, told: &[Telling], redactor: &Redactor) -> Result<(), Failure> {
    store::cache_folder(folder, FOLDER)?;
    let lines: String = told.iter().map(record::json_line).collect::<Result<_, _>>()?;
    file::append_lines(&store::cache(folder, name(session_id))?, &redactor.masked_json(&lines), Durable::No)
}

/// All that was told, each with the session, the oldest first; what cannot be read is said in the name of `tool`.
pub fn all(folder: &Path, tool: &str) -> Vec<(Telling, String)> {
    let top = store::cache(folder, Path::new(FOLDER).join("any"));
    let top = top.map(|any| any.parent().map(Path::to_path_buf).unwrap_or_default());
    let (top, names) = quiet(top.and_then(|top| file::names(&top).map(|names| (top, names))), tool);
    let mut found = Vec::new();
    for name in names {
        let name = name.to_string_lossy();
        let Some(session_id) = name.strip_suffix(".jsonl") else { continue };
        let told = quiet(read(&top.join(&*name)), tool);
        found.extend(told.into_iter().map(|telling| (telling, session_id.to_owned())));
    }
    found.sort_by_cached_key(|(telling, _)| clock::parse(&telling.ts));
    found
}

fn name(session_id: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{}.jsonl", session::safe_id(session_id)))
}

/// What cannot be read costs itself alone.
fn quiet<T: Default>(read: Result<T, Failure>, tool: &str) -> T {
    let said = |failure: &Failure| log::say(tool, &format!("{}: taken as if nothing was told", failure.message));
    read.inspect_err(said).unwrap_or_default()
}

fn read(path: &Path) -> Result<Vec<Telling>, Failure> {
    let text = file::read_text(path)?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
