//! The append-only files of a memory folder: decisions.jsonl, failures.jsonl, quarantine.jsonl and
//! `.state/memories.jsonl`. A line an item, fields in the predecessor's order, ours behind them.
//! Lines that we cannot read, of other tools or torn, stay and are skipped.

use crate::exit::Failure;
use crate::file;
use crate::lesson::{Gist, Item, Kind};
use crate::record::Record;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// An item as it stands in a journal.
#[derive(Clone, Debug)]
pub struct Known {
    /// The item.
    pub item: Item,
    /// The session that it came from; "" for old entries.
    pub session_id: String,
}

/// Where a new item comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The time that goes into `ts`.
    pub ts: &'a str,
    /// The project's name.
    pub project: &'a str,
    /// The session.
    pub session_id: &'a str,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is new and stands there now.
    Written,
    /// It stood there already, from this session.
    Unchanged,
    /// One that says the same stands there: its id, or its summary where it has none.
    DuplicateOf(String),
}

/// The journal that items of a kind go to.
pub fn path(memory: &Path, kind: Kind, trusted: bool) -> Option<PathBuf> {
    match kind {
        _ if !trusted => Some(memory.join("quarantine.jsonl")),
        Kind::Decision => Some(memory.join("decisions.jsonl")),
        Kind::Failure => Some(memory.join("failures.jsonl")),
        Kind::Memory => Some(memory.join(".state/memories.jsonl")),
        Kind::Learning | Kind::Handoff => None,
    }
}

/// All items of a kind in a journal, oldest first.
pub fn read(path: &Path, kind: Kind) -> Result<Vec<Known>, Failure> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(default)]
        r#type: String,
        #[serde(default)]
        session_id: String,
        #[serde(flatten)]
        item: Item,
    }
    let text = file::read_text(path)?.unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let of_kind = lines.filter(|line| line.r#type == kind.word() && !line.item.summary.is_empty());
    Ok(of_kind.map(|line| Known { item: line.item, session_id: line.session_id }).collect())
}

/// Appends those of `items` that are new, in one write; the caller holds the folder's lock.
/// `trusted` says whether they go to their journal or to quarantine.jsonl.
pub fn add(memory: &Path, kind: Kind, items: &[Item], from: Origin<'_>, trusted: bool) -> Result<Vec<Added>, Failure> {
    let Some(path) = path(memory, kind, trusted) else { return Ok(Vec::new()) };
    let mut known: Vec<(Known, Gist)> =
        read(&path, kind)?.into_iter().map(|known| (known.clone(), Gist::of(&known.item))).collect();
    let mut lines = String::new();
    let mut results = Vec::new();
    for item in items {
        let gist = Gist::of(item);
        let is_same = |(known, of): &&(Known, Gist)| gist.is_near(of, known.session_id == from.session_id);
        let result = match known.iter().find(is_same).map(|(known, _)| known) {
            Some(same) if same.item.id == item.id && same.session_id == from.session_id => Added::Unchanged,
            Some(same) if same.item.id.is_empty() => Added::DuplicateOf(same.item.summary.clone()),
            Some(same) => Added::DuplicateOf(same.item.id.clone()),
            None => {
                lines.push_str(&entry(kind, item, from).line());
                known.push((Known { item: item.clone(), session_id: from.session_id.to_owned() }, gist));
                Added::Written
            }
        };
        results.push(result);
    }
    if !lines.is_empty() {
        file::append_lines(&path, &lines)?;
    }
    Ok(results)
}

/// The line of an item.
fn entry(kind: Kind, item: &Item, from: Origin<'_>) -> Record {
    let mut line = Record::default();
    line.set("ts", from.ts);
    line.set("type", kind.word());
    item.content(kind, &mut line);
    line.set("project", from.project);
    line.set("tags", &item.tags);
    line.set("id", &item.id);
    line.set("session_id", from.session_id);
    line.set("evidence", &item.evidence);
    line.set("grounded", &item.grounded);
    line.set_some("said_by", item.said_by().as_ref());
    line
}
