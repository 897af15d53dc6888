//! Which typed memories a session was told, and when: `told/SESSION_ID.jsonl`, with the locks and caches of the folder.
//! Only the session's own hook writes it, so it takes no lock. It is only a hint: it is not synced, and what cannot be
//! read of it counts as not told. Names are masked in it: compare them with masked ones.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::{clock, log, record};
use crate::redact::Redactor;
use crate::store;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const FOLDER: &str = "told";

/// One memory that was told once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldOnce {
    /// When, RFC 3339.
    pub ts: String,
    /// The name of its file, masked.
    pub file: String,
    /// How many bytes of it.
    pub bytes: usize,
}

/// What a session was told, the oldest first; what cannot be read is said in the name of `tool`.
pub fn of_session(folder: &Path, session_id: &str, tool: &str) -> Vec<ToldOnce> {
    quiet(store::cache(folder, store::session_file(FOLDER, session_id)).and_then(|target| read(&target)), tool)
}

/// Notes what a session was told.
pub fn note(folder: &Path, session_id: &str, told: &[ToldOnce], redactor: &Redactor) -> Result<(), Failure> {
    let lines: String = told.iter().map(record::json_line).collect::<Result<_, _>>()?;
    store::append_session(folder, FOLDER, session_id, &redactor.masked_json(&lines), Durable::No)
}

/// All that was told, each with the session, the oldest first; what cannot be read is said in the name of `tool`.
pub fn all(folder: &Path, tool: &str) -> Vec<(ToldOnce, String)> {
    let mut found = Vec::new();
    for (session_id, path) in quiet(store::session_files(folder, FOLDER), tool) {
        let told = quiet(read(&path), tool);
        found.extend(told.into_iter().map(|telling| (telling, session_id.clone())));
    }
    found.sort_by_cached_key(|(telling, _)| clock::parse(&telling.ts));
    found
}

/// By the masked name of each file that was told the second in which it was told last, and how often it was told.
pub fn by_file(told: &[(ToldOnce, String)]) -> BTreeMap<String, (Option<i64>, u64)> {
    let mut found: BTreeMap<String, (Option<i64>, u64)> = BTreeMap::new();
    for (telling, _) in told {
        let (last, times) = found.entry(telling.file.clone()).or_default();
        *last = clock::parse(&telling.ts).map(Timestamp::as_second).max(*last);
        *times += 1;
    }
    found
}

/// What cannot be read costs itself alone.
fn quiet<T: Default>(read: Result<T, Failure>, tool: &str) -> T {
    let said = |failure: &Failure| log::say(tool, &format!("{}: taken as if nothing was told", failure.message));
    read.inspect_err(said).unwrap_or_default()
}

fn read(path: &Path) -> Result<Vec<ToldOnce>, Failure> {
    let text = file::read_text(path)?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
