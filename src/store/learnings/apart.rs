//! Pairs of learnings of which a person said that they are different: `review/apart.jsonl` in the state folder, a line
//! each, for the knowledge folder holds no state. It is only appended to. A line that cannot be read says nothing.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Lock, Root};
use crate::base::{clock, env, record};
use crate::redact::Redactor;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

const FOLDER: &str = "review";
const FILE: &str = "review/apart.jsonl";
const LOCK: &str = "review/lock";

/// Two ids, the smaller one first.
pub type Ids = (String, String);

#[derive(Serialize, Deserialize)]
struct ApartLine {
    ts: String,
    ids: Ids,
}

/// The two ids in their order.
pub fn ids(one: &str, other: &str) -> Ids {
    (one.min(other).to_owned(), one.max(other).to_owned())
}

/// Takes the lock under which learnings are deprecated and pairs are refused on this machine.
pub fn lock() -> Result<Lock, Failure> {
    let root = Root::new(&env::state_folder()?);
    root.folder(FOLDER)?;
    file::lock(&root.file(LOCK)?, file::PATIENCE)
}

/// All such pairs.
pub fn all() -> Result<HashSet<Ids>, Failure> {
    let text = file::read_text(&env::state_folder()?.join(FILE))?.unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<ApartLine>(line).ok());
    Ok(lines.map(|line| ids(&line.ids.0, &line.ids.1)).collect())
}

/// Notes one. The caller holds the lock.
pub fn add(pair: Ids, redactor: &Redactor) -> Result<(), Failure> {
    let line = ApartLine { ts: clock::local(clock::now()), ids: pair };
    let file = Root::new(&env::state_folder()?).file(FILE)?;
    file::append_lines(&file, &redactor.masked_json(&record::json_line(&line)?), Durable::Yes)
}
