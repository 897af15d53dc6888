//! The append-only files of a memory folder: decisions.jsonl, failures.jsonl, quarantine.jsonl and
//! `.state/notes.jsonl`. A line an item, fields in the predecessor's order, ours behind them.
//! Lines that we cannot read, of other tools, of a merge or torn, stay and are skipped. An item that a person said is
//! wrong has a mark behind it, a line of its own. Two machines can write into a synced folder: [`files`] finds the
//! copies that come of it, and they are read as one journal.

mod files;
mod marks;
mod quarantine;

use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::stale_names::Seen;
use crate::base::{clock, file, text};
use crate::record::item::{self, Evidence, Gist, Item, ItemKind};
use crate::record::speaker::{self, Voice};
use crate::redact::Redactor;
use crate::store::receipts::{ReceiptLine, Receipts, WrittenItem, Wrote};
use crate::store::{Added, Memory};
use jiff::Timestamp;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

pub use files::{files, is_copy, take_out};
pub use marks::{Mark, Successor};
pub use quarantine::{QuarantinedField, dropped, keep_dropped, quarantined};

/// An item as it is in a journal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The item; apart, for entries are moved and sorted.
    pub item: Box<Item>,
    /// The session that it came from; "" for old entries.
    pub session_id: String,
    /// Its `ts`; none where that is not a time.
    pub time: Option<Timestamp>,
    /// What a person said of it, and when; the last one counts.
    pub marks: Vec<(Option<Timestamp>, Mark)>,
    /// The place of its file among those that were read.
    pub file: usize,
    /// The later item that took its place.
    pub replaced: Option<Successor>,
}

impl Entry {
    /// One that holds.
    pub fn new(item: Item, session_id: String, time: Option<Timestamp>) -> Self {
        Self { item: Box::new(item), session_id, time, marks: Vec::new(), file: 0, replaced: None }
    }

    /// The program that it was imported from; None where it was said here.
    pub fn imported_from(&self) -> Option<&str> {
        let is_imported = self.item.said_by == Voice::Import.word();
        is_imported.then(|| speaker::imported_from(&self.session_id).unwrap_or("another program"))
    }

    fn is_marked(&self, mark: Mark) -> bool {
        self.marks.last().is_some_and(|(_, last)| *last == mark)
    }

    /// Whether a person said that it is wrong.
    pub fn is_forgotten(&self) -> bool {
        self.is_marked(Mark::Forgotten)
    }

    /// Whether it is still in the quarantine, if it was there.
    pub fn waits(&self) -> bool {
        !self.is_marked(Mark::Released)
    }

    /// Whether it still holds, as far as is known.
    pub fn holds(&self) -> bool {
        !self.is_forgotten() && self.replaced.is_none()
    }

    /// Whether a later item of another session took its place before this moment, or one that `new` takes the place of:
    /// then the same claim is made anew, and is no repetition.
    fn is_over(&self, new: &Item, from: &Receipts<'_>) -> bool {
        let Some(Successor { by, at }) = self.replaced.as_ref().filter(|_| !self.is_forgotten()) else { return false };
        let before = at.is_some() && *at < clock::parse(&from.ts) && self.session_id != from.session_id;
        before || new.replaces.contains(by)
    }

    /// Its id, in hex digits; of an old entry, and of an entry of other tools, the id that it would have without a
    /// project.
    pub fn id(&self) -> Cow<'_, str> {
        let id = &self.item.id;
        let is_ours = id.len() == 16 && id.chars().all(|digit| digit.is_ascii_hexdigit());
        if is_ours { id.into() } else { item::id(self.item.kind, "", &self.item.summary).into() }
    }
}

/// A line with one quote of the user's alone: a start of a session reads hundreds of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct BriefLine<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    ts: Cow<'a, str>,
    summary: String,
    context: String,
    rationale: String,
    alternatives: Vec<String>,
    root_cause: String,
    resolution: String,
    prevention: String,
    tags: Vec<String>,
    id: String,
    replaces: Vec<String>,
    session_id: String,
    grounded: bool,
    said_by: Option<String>,
    evidence: Vec<Evidence>,
    seen: Option<Seen>,
}

/// Where version 0.1 kept memories. It is read with their journal, and never written to.
const EARLIER: &str = ".state/memories.jsonl";
/// What is not trusted, of all kinds.
const QUARANTINE: &str = "quarantine.jsonl";

/// The journal that items of a kind go to, below the memory folder. Learnings and what is open have
/// files of their own and come here only when they are not trusted.
pub fn name(kind: ItemKind, trusted: bool) -> &'static str {
    match kind {
        _ if !trusted => QUARANTINE,
        ItemKind::Decision => "decisions.jsonl",
        ItemKind::Failure => "failures.jsonl",
        ItemKind::Memory => ".state/notes.jsonl",
        ItemKind::Learning | ItemKind::Handoff => QUARANTINE,
    }
}

/// The journals that have lines of sessions. The quarantine is first: when an undo is killed then, an item that was let in is in both.
pub const JOURNALS: [(ItemKind, bool); 4] =
    [(ItemKind::Handoff, false), (ItemKind::Decision, true), (ItemKind::Failure, true), (ItemKind::Memory, true)];

/// Lines that say something of others: marks, and items that take the place of others.
const OF_OTHERS: [&str; 4] =
    ["\"type\":\"forgotten\"", "\"type\":\"restored\"", "\"type\":\"released\"", "\"replaces\""];
/// So much of a journal is read for its project.
const PROJECT_BYTES: u64 = 64 << 10;
/// A longer line is none of ours.
const LINE_BYTES: usize = 1 << 20;
/// Of several files so many times as much is looked through for marks as for items.
const MARKS: usize = 16;

/// All items of a kind in a journal's files, oldest first, also those that are forgotten; each is there once.
pub fn read(files: &[PathBuf], kind: ItemKind) -> Result<Vec<Entry>, Failure> {
    Ok(of_texts(&texts(files)?, kind))
}

fn of_texts(texts: &[String], kind: ItemKind) -> Vec<Entry> {
    judged(united(texts.iter().map(String::as_str), |line| known(line, kind)), texts)
}

/// Says of each item what a person, and what later items say of it.
fn judged(mut all: Vec<Entry>, texts: &[String]) -> Vec<Entry> {
    // Memories of 0.1 have lines that only a tool said.
    let carries = |entry: &Entry| entry.item.voice().is_none_or(Voice::carries);
    all.retain(|entry| entry.item.kind != ItemKind::Memory || carries(entry));
    let marks = marks::all(texts);
    for entry in all.iter_mut().filter(|_| !marks.is_empty()) {
        entry.marks = marks.get(&*entry.id()).cloned().unwrap_or_else(Vec::new);
    }
    marks::replace(&mut all);
    all
}

/// The last items of a kind in a journal's files that may be told, oldest first, with one quote of the user's: those of the last
/// `bytes` bytes of each. What says the same as one that is forgotten is not told either, and not what was replaced.
pub fn tail(files: &[PathBuf], kind: ItemKind, bytes: usize) -> Result<Vec<Entry>, Failure> {
    // A mark can be further from the end of another file than its item is from the end of its own.
    let looked_at = if files.len() > 1 { bytes * MARKS } else { bytes };
    let tail = |path: &PathBuf| file::read_tail(path, looked_at as u64);
    let texts = files.iter().map(tail).collect::<Result<Vec<String>, Failure>>()?;
    let of_line = |line: &str| brief(line, kind).or_else(|| known(line, kind));
    let all = united(texts.iter().map(|text| last_lines(text, bytes)), of_line);
    let (wrong, mut rest): (Vec<Entry>, Vec<Entry>) = judged(all, &texts).into_iter().partition(Entry::is_forgotten);
    let wrong: Vec<Gist> = wrong.iter().map(|entry| Gist::of_item(&entry.item)).collect();
    let is_wrong = |entry: &Entry| {
        let gist = Gist::of_item(&entry.item);
        wrong.iter().any(|wrong| gist.is_near(wrong, false))
    };
    rest.retain(|entry| entry.replaced.is_none() && (wrong.is_empty() || !is_wrong(entry)));
    Ok(rest)
}

/// The lines of a journal's files that name one of these ids; "" without ids.
pub fn naming(files: &[PathBuf], ids: &[&str]) -> Result<String, Failure> {
    let finders: Vec<Finder<'_>> = ids.iter().map(Finder::new).collect();
    let names = |line: &[u8]| finders.iter().any(|finder| finder.find(line).is_some());
    if finders.is_empty() { Ok(String::new()) } else { Ok(wanted(files, names)?.concat()) }
}

/// The items of a kind in a journal's files of which the line has a text, the oldest first, with what other lines say of
/// them. Where no line has it, nothing is parsed.
pub fn having(files: &[PathBuf], kind: ItemKind, text: &str) -> Result<Vec<Entry>, Failure> {
    let text_in = Finder::new(text);
    let others = OF_OTHERS.map(Finder::new);
    let has = |line: &[u8]| text_in.find(line).is_some();
    let texts = wanted(files, |line| has(line) || others.iter().any(|of| of.find(line).is_some()))?;
    let any = !text.is_empty() && texts.iter().any(|lines| has(lines.as_bytes()));
    Ok(if any { of_texts(&texts, kind) } else { Vec::new() })
}

/// What the items with these ids name, as it was when they were kept.
pub fn seen(files: &[PathBuf], kind: ItemKind, ids: &[&str]) -> Result<HashMap<String, Seen>, Failure> {
    let found = of_texts(&[naming(files, ids)?], kind).into_iter();
    Ok(found.filter_map(|entry| Some((entry.id().into_owned(), entry.item.seen?))).collect())
}

/// The project to which the memory in a folder belongs, as its newest item says.
pub fn project(folder: &Path) -> Option<String> {
    [ItemKind::Decision, ItemKind::Failure].into_iter().find_map(|kind| {
        let text = file::read_tail(&folder.join(name(kind, true)), PROJECT_BYTES).ok()?;
        let of = |line: &str| Record::parse(line).ok()?.text("project").filter(|project| !project.is_empty());
        text.lines().rev().find_map(of)
    })
}

fn texts(files: &[PathBuf]) -> Result<Vec<String>, Failure> {
    files.iter().map(|path| file::read_newest(path)).collect()
}

/// The wanted lines of a journal's files, of those that can be ours.
fn wanted(files: &[PathBuf], wants: impl Fn(&[u8]) -> bool) -> Result<Vec<String>, Failure> {
    files.iter().map(|path| file::read_wanted(path, LINE_BYTES, &wants)).collect()
}

/// The whole lines in the last `bytes` bytes of a text.
fn last_lines(text: &str, bytes: usize) -> &str {
    let last = text::last_bytes(text, bytes);
    if last.len() == text.len() { text } else { last.split_once('\n').map_or("", |(_, rest)| rest) }
}

/// The items of some texts: by their times where there are several texts, and each once. Two that have one id are one;
/// without an id one line is one item.
fn united<'a>(texts: impl ExactSizeIterator<Item = &'a str>, of_line: impl Fn(&'a str) -> Option<Entry>) -> Vec<Entry> {
    let several = texts.len() > 1;
    let mut lines: HashSet<&str> = HashSet::new();
    let mut all: Vec<(Option<Timestamp>, Entry)> = Vec::new();
    for (file, text) in texts.enumerate() {
        // What has no time stays behind the line before it.
        let mut time = None;
        for line in text.lines().filter(|line| line.len() <= LINE_BYTES) {
            let Some(entry) = of_line(line) else { continue };
            if !entry.item.id.is_empty() || lines.insert(line.trim()) {
                time = entry.time.or(time);
                all.push((time, Entry { file, ..entry }));
            }
        }
    }
    if several {
        all.sort_by_key(|(time, _)| *time);
    }
    let mut ids: HashSet<String> = HashSet::with_capacity(all.len());
    let entries = all.into_iter().map(|(_, entry)| entry);
    entries.filter(|entry| entry.item.id.is_empty() || ids.insert(entry.item.id.clone())).collect()
}

/// Marks items of the journal of a kind, of the quarantine where they are let out of it, in one write. The latest mark of
/// an item counts, so that `ts` must be later than those it has. The caller holds the folder's lock.
pub fn mark(
    memory: &Path,
    kind: ItemKind,
    ids: &[String],
    mark: Mark,
    ts: &str,
    redactor: &Redactor,
    receipts: Option<&Receipts<'_>>,
) -> Result<(), Failure> {
    let trusted = mark != Mark::Released;
    let line = |id: &String| {
        let mut line = Record::default();
        line.set("ts", ts);
        line.set("type", mark.word());
        line.set("id", id);
        (redactor.masked_record(&line), ReceiptLine { is_mark: true, ..told_of(kind, trusted, id, "") })
    };
    append(memory, name(kind, trusted), ids.iter().map(line).collect(), receipts)
}

/// What a receipt says of a line, but for its hash.
fn told_of(kind: ItemKind, trusted: bool, id: &str, text: &str) -> ReceiptLine {
    let said = WrittenItem { id: id.to_owned(), text: text.to_owned(), undone: false };
    ReceiptLine { said, kind: kind.word().to_owned(), trusted, ..ReceiptLine::default() }
}

/// Adds lines at the end of a journal, and puts a torn one before them aside. The receipt is written first.
fn append(
    memory: &Path,
    name: &str,
    new: Vec<(Masked, ReceiptLine)>,
    receipts: Option<&Receipts<'_>>,
) -> Result<(), Failure> {
    if new.is_empty() {
        return Ok(());
    }
    let path = super::own_file(memory, name)?;
    let mut ended_last = file::put_torn_aside(&path, &super::own_file(memory, ".state/torn")?)?;
    let (mut lines, mut told) = (Masked::default(), Vec::new());
    for (line, of_line) in new {
        let hash = item::hash(line.bytes().trim_ascii_end());
        told.push(Wrote::Line(ReceiptLine { hash, ended_last, ..of_line }));
        ended_last = false;
        lines.push(&line);
    }
    if let Some(receipts) = receipts {
        receipts.add(told)?;
    }
    file::append_lines(&path, &lines, file::Durable::Yes)
}

/// A line in short; none where it is not as we write them, and must be read with care, and of a memory, which is told by
/// other fields.
fn brief(line: &str, kind: ItemKind) -> Option<Entry> {
    if kind == ItemKind::Memory {
        return None;
    }
    let is_one = |brief: &BriefLine<'_>| brief.kind == kind.word() && !brief.summary.trim().is_empty();
    let brief: BriefLine = serde_json::from_str(line).ok().filter(is_one)?;
    let is_users = |evidence: &Evidence| evidence.voice() == Some(Voice::User);
    let item = Item {
        context: brief.context,
        rationale: brief.rationale,
        alternatives: brief.alternatives,
        root_cause: brief.root_cause,
        resolution: brief.resolution,
        prevention: brief.prevention,
        tags: brief.tags,
        id: brief.id,
        replaces: brief.replaces,
        grounded: brief.grounded,
        evidence: brief.evidence.into_iter().find(is_users).into_iter().collect(),
        said_by: brief.said_by.unwrap_or_default(),
        seen: brief.seen,
        ..Item::new(kind, brief.summary)
    };
    Some(Entry::new(item, brief.session_id, clock::parse(&brief.ts)))
}

fn known(line: &str, kind: ItemKind) -> Option<Entry> {
    let value: Value = serde_json::from_str(line).ok().filter(|value: &Value| value["type"] == kind.word())?;
    let session_id = value["session_id"].as_str().unwrap_or_default().to_owned();
    let time = value["ts"].as_str().and_then(clock::parse);
    Some(Entry::new(Item::from_value(&value, kind)?, session_id, time))
}

/// Appends those of `items` that are new, in one write; the caller holds the folder's lock. They are of one kind. All of
/// them are grounded and go to their journal, or none is and they go to quarantine.jsonl. One with the id of another claim
/// gets an id of its own.
pub fn add(memory: &Memory, items: &mut [Item], from: &Receipts<'_>) -> Result<Vec<Added>, Failure> {
    let Some(&Item { kind, grounded: trusted, .. }) = items.first() else { return Ok(Vec::new()) };
    let read = |trusted| -> Result<Vec<(Gist, Entry)>, Failure> {
        let all = read(&memory.journal(kind, trusted), kind)?;
        Ok(all.into_iter().map(|known| (Gist::of_item(&known.item), known)).collect())
    };
    let mut known = read(trusted)?;
    let old = known.len();
    // What is trusted already need not wait in the quarantine.
    let sure = if trusted || !kind.is_corrected() { Vec::new() } else { read(true)? };
    let (mut lines, mut results) = (Vec::new(), Vec::new());
    for item in items {
        let gist = Gist::of_item(item);
        if known.iter().any(|(of, known)| known.item.id == item.id && !gist.is_near(of, false)) {
            item.id = item.own_id(from.project);
        }
        // What is said here takes the place of what only another program said.
        let is_import = item.voice() == Some(Voice::Import);
        if !is_import {
            let same = known.iter().filter(|(of, known)| known.imported_from().is_some() && gist.is_near(of, false));
            let same = same.filter(|(_, known)| !known.is_forgotten());
            item.replaces.extend(same.map(|(_, known)| known.item.id.clone()));
        }
        let again = || item.own_id(&format!("{}\n{}", from.project, from.session_id));
        // By its words first, then by its quote; but within one answer a quote in common ("yes, do
        // both") makes no two items the same.
        let same = |by_quote: bool| {
            let is_same = |(at, (of, known)): &(usize, &(Gist, Entry))| {
                let is_own = *at < old && known.session_id == from.session_id;
                gist.is_near(of, by_quote && is_own)
                    && !known.is_over(item, from)
                    && !item.replaces.contains(&known.item.id)
            };
            known.iter().enumerate().find(is_same).map(|(_, (_, known))| known)
        };
        let counts = |known: &Entry| is_import || known.imported_from().is_none();
        let is_trusted = |(of, known): &&(Gist, Entry)| counts(known) && gist.is_near(of, false);
        let trusted_one = sure.iter().find(is_trusted).map(|(_, known)| known);
        let result = match trusted_one.or_else(|| same(false)).or_else(|| same(true)) {
            Some(same) if same.is_forgotten() => Added::Forgotten(same.id().into_owned()),
            Some(same) if same.session_id == from.session_id && [&item.id, &again()].contains(&&same.item.id) => {
                item.id.clone_from(&same.item.id);
                Added::Unchanged
            }
            Some(same) if same.item.id.is_empty() => Added::DuplicateOf(same.item.summary.clone()),
            Some(same) => Added::DuplicateOf(same.item.id.clone()),
            None => {
                if known.iter().any(|(_, known)| known.item.id == item.id) {
                    item.id = again();
                }
                let line = line(item, from.project, &from.ts, from.session_id);
                let told = told_of(kind, trusted, &item.id, item.sentence());
                lines.push((from.redactor.masked_record(&line), told));
                let said_by = item.voice().map_or_else(String::new, |voice| voice.word().to_owned());
                let item = Item { said_by, ..item.clone() };
                known.push((gist, Entry::new(item, from.session_id.to_owned(), clock::parse(&from.ts))));
                Added::Written
            }
        };
        results.push(result);
    }
    append(memory, name(kind, trusted), lines, Some(from))?;
    Ok(results)
}

/// The line of an item.
pub fn line(item: &Item, project: &str, ts: &str, session_id: &str) -> Record {
    let mut line = Record::default();
    line.set_text("ts", ts);
    line.set("type", item.kind.word());
    item.content(&mut line);
    line.set("project", project);
    line.set("tags", &item.tags);
    line.set("id", &item.id);
    let replaces: Vec<&String> = item.replaces.iter().filter(|id| id.len() == 16 && **id != item.id).collect();
    line.set_some("replaces", Some(&replaces).filter(|ids| !ids.is_empty()));
    line.set_text("session_id", session_id);
    line.set("evidence", &item.evidence);
    line.set("grounded", &item.grounded);
    line.set_some("said_by", item.voice().map(Voice::word).as_ref());
    line.set_text("reason", &item.reason);
    line.set_some("seen", item.seen.as_ref());
    line
}

#[cfg(test)]
mod tests;
