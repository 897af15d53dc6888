//! What each run of lh-persist wrote, so that it can be taken back: `receipts/SESSION_ID.jsonl`, with the locks and
//! caches of the memory. A line is added before the thing that it tells of is written. So a kill at any instant leaves
//! a receipt of everything that is on disk; a receipt of what was never written does no harm, since only what is still
//! on disk as it was written is taken back. A receipt has no path of a memory's file in it, only kinds and hashes.

use super::Memory;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use crate::record::item;
use crate::redact::Redactor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The session of what a person writes by hand.
pub const BY_HAND: &str = "by-hand";
/// The folder, below that of the locks and caches.
const FOLDER: &str = "receipts";
/// The hash of a file that is not there.
const NOTHING: &str = "none";
/// A larger file is not copied: its changes are taken back item by item.
const COPIED: usize = 256 << 10;

/// An item that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WrittenItem {
    /// Its id.
    pub id: String,
    /// Its sentence, or its line in the handoff.
    pub text: String,
    /// It was taken back since.
    #[serde(skip)]
    pub undone: bool,
}

/// A line of a journal, or the page of a learning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReceiptLine {
    /// The item, or the item that a mark is of.
    #[serde(flatten)]
    pub said: WrittenItem,
    /// The kind's word.
    pub kind: String,
    /// It is in the kind's own journal, not in the quarantine.
    pub trusted: bool,
    /// The hash of the line, or of the page.
    pub hash: String,
    /// The line is the mark that lets an item out of the quarantine.
    pub is_mark: bool,
    /// The line before it had no newline, and got one.
    pub ended_last: bool,
    /// The page's file, below the folder of the learnings.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
}

/// How a file of the handoff changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rewritten {
    before: String,
    after: Vec<String>,
    /// What it was before; absent where it was not there, is large, or has a secret in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Wrote {
    /// A line.
    Line(ReceiptLine),
    /// A learning.
    Page(ReceiptLine),
    /// A handoff, or only what is remembered of it.
    Handoff {
        /// The items that are new in it.
        items: Vec<WrittenItem>,
        /// handoff.md.
        page: Rewritten,
        /// `.state/handoff`.
        state: Rewritten,
        /// The item that a person changed into the new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// What is before it was taken back: these items of that run, or all.
    Undone {
        /// None for all.
        ids: Vec<String>,
        /// "" for every run.
        of: String,
    },
}

/// A line of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptEntry {
    /// When its run began, in UTC.
    pub run: String,
    /// What it wrote.
    #[serde(flatten)]
    pub wrote: Wrote,
    /// It was taken back as a whole since.
    #[serde(skip)]
    pub undone: bool,
}

/// What became of a line, a page or an open item that was to be taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenOut {
    /// It was there, and is gone.
    pub removed: bool,
    /// Why it, or something of it, is left; "" where there is nothing to say.
    pub kept: String,
}

/// What one session wrote.
pub struct Receipt {
    /// The memory folder with whose caches it is.
    pub memory: PathBuf,
    /// The session.
    pub session_id: String,
    /// The oldest first.
    pub entries: Vec<ReceiptEntry>,
}

/// The session and the project for which something is written, and the session's receipt, which has it before.
pub struct Receipts<'a> {
    memory: &'a Path,
    /// The session.
    pub session_id: &'a str,
    /// The project's name, masked.
    pub project: &'a str,
    /// The time that goes into what is written, RFC 3339.
    pub ts: String,
    /// What masks it.
    pub redactor: &'a Redactor,
    run: String,
}

impl<'a> Receipts<'a> {
    /// Of one run, which begins now.
    pub fn new(memory: &'a Path, session_id: &'a str, project: &'a str, redactor: &'a Redactor) -> Self {
        let now = clock::now();
        Self { memory, session_id, project, ts: clock::local(now), redactor, run: now.to_string() }
    }

    /// The same with another time in what is written.
    #[must_use]
    pub fn at(self, ts: String) -> Self {
        Self { ts, ..self }
    }

    /// How a file of the handoff will change; the last of `after` is what it will be.
    pub fn change<'t>(&self, before: Option<&[u8]>, after: impl Iterator<Item = Option<&'t [u8]>>) -> Rewritten {
        let text = before.filter(|bytes| bytes.len() <= COPIED).and_then(|bytes| str::from_utf8(bytes).ok());
        // What cannot be kept as it is cannot be put back as it was.
        let text = text.filter(|text| self.redactor.shown(text) == *text).map(str::to_owned);
        Rewritten { before: hash(before), after: after.map(hash).collect(), text }
    }

    /// Adds what is about to be written; the caller holds the memory's lock.
    pub fn add(&self, wrote: impl IntoIterator<Item = Wrote>) -> Result<(), Failure> {
        let mut lines = Masked::default();
        for wrote in wrote {
            let entry = ReceiptEntry { run: self.run.clone(), wrote, undone: false };
            lines.push(&self.redactor.masked_json(&record::json_line(&entry)?));
        }
        super::append_session(self.memory, FOLDER, self.session_id, &lines, Durable::Yes)
    }
}

impl WrittenItem {
    /// An item of the handoff, by its line.
    pub fn open(text: &str) -> Self {
        Self { id: item::open_id(text), text: text.to_owned(), undone: false }
    }
}

impl Rewritten {
    /// Whether the file changes at all.
    pub fn is_one(&self) -> bool {
        self.after.iter().any(|after| *after != self.before)
    }

    /// Whether a file is as it was before, or at any time while it was written.
    pub fn is_of(&self, now: Option<&str>) -> bool {
        let now = hash(now.map(str::as_bytes));
        now == self.before || self.after.contains(&now)
    }

    /// What it was before: a text, or no file; none where that cannot be told.
    pub fn copy(&self) -> Option<Option<String>> {
        let is_it = hash(self.text.as_deref().map(str::as_bytes)) == self.before;
        is_it.then(|| self.text.clone())
    }
}

impl Receipt {
    /// The items that it tells of, those that were taken back, too.
    pub fn said(&self) -> impl Iterator<Item = &WrittenItem> {
        self.entries.iter().flat_map(ReceiptEntry::said)
    }
}

impl TakenOut {
    /// It is left, for this reason.
    pub fn kept(why: impl Into<String>) -> Self {
        Self { removed: false, kept: why.into() }
    }
}

impl ReceiptEntry {
    /// The items that it tells of, those that were taken back, too.
    pub fn said(&self) -> &[WrittenItem] {
        match &self.wrote {
            Wrote::Line(line) | Wrote::Page(line) => std::slice::from_ref(&line.said),
            Wrote::Handoff { items, .. } => items,
            Wrote::Undone { .. } => &[],
        }
    }

    /// The open item that a person changed into another one, if that was not taken back.
    fn edited(&self) -> Option<&str> {
        match &self.wrote {
            Wrote::Handoff { items, before, .. } if items.iter().any(|new| !new.undone) => before.as_deref(),
            _ => None,
        }
    }

    fn undo(&mut self, ids: &[String]) {
        self.undone |= ids.is_empty();
        let said = match &mut self.wrote {
            Wrote::Line(line) | Wrote::Page(line) => std::slice::from_mut(&mut line.said),
            Wrote::Handoff { items, .. } => items,
            Wrote::Undone { .. } => &mut [],
        };
        for said in said {
            said.undone |= ids.is_empty() || ids.contains(&said.id);
        }
    }
}

/// All receipts of a memory, in whichever of its folders.
pub fn all(memory: &Memory) -> Result<Vec<Receipt>, Failure> {
    let mut all = Vec::new();
    for folder in memory.folders() {
        for (session_id, path) in files(folder)? {
            let text = file::read_text(&path)?.unwrap_or_default();
            all.push(Receipt { memory: folder.to_path_buf(), session_id, entries: entries(&text) });
        }
    }
    Ok(all)
}

/// The open items of a memory that a person changed into others: these are closed, and were not done.
pub fn edited(memory: &Memory) -> Result<BTreeSet<String>, Failure> {
    let all = all(memory)?;
    Ok(all.iter().flat_map(|receipt| &receipt.entries).filter_map(ReceiptEntry::edited).map(str::to_owned).collect())
}

/// Adds the receipts of a folder whose memory moves to those of the folder that it moves to, and leaves them where they
/// are, for a move can be taken back. The caller holds the locks of both.
pub fn copy(from: &Path, to: &Path, redactor: &Redactor) -> Result<(), Failure> {
    for (session_id, path) in files(from)? {
        let target = super::cache(to, super::session_file(FOLDER, &session_id))?;
        let there = file::read_text(&target)?.unwrap_or_default();
        let text = file::read_text(&path)?.unwrap_or_default();
        if !there.contains(&text) {
            super::append_session(to, FOLDER, &session_id, &redactor.masked_json(&text), Durable::Yes)?;
        }
    }
    Ok(())
}

/// The lines of a receipt, those that cannot be read left out.
fn entries(text: &str) -> Vec<ReceiptEntry> {
    let mut entries: Vec<ReceiptEntry> = Vec::new();
    for entry in text.lines().filter_map(|line| serde_json::from_str::<ReceiptEntry>(line).ok()) {
        let Wrote::Undone { ids, of } = &entry.wrote else {
            entries.push(entry);
            continue;
        };
        entries.iter_mut().filter(|of_run| of.is_empty() || of_run.run == *of).for_each(|entry| entry.undo(ids));
    }
    entries
}

/// The sessions that have a receipt, and its file. What else has such a name is none of ours, and is not opened.
fn files(memory: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut files = super::session_files(memory, FOLDER)?;
    files.retain(|(_, path)| path.symlink_metadata().is_ok_and(|data| data.is_file()));
    Ok(files)
}

fn hash(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(|| NOTHING.to_owned(), item::hash)
}
