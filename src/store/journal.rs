//! The append-only files of a memory folder: decisions.jsonl, failures.jsonl, quarantine.jsonl and
//! `.state/memories.jsonl`. A line an item, fields in the predecessor's order, ours behind them.
//! Lines that we cannot read, of other tools or torn, stay and are skipped. An item that a person said is wrong
//! has a mark behind it, a line of its own; the last mark of an item counts.

use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, file};
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::redact::Redactor;
use crate::store::{Added, Memory};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// An item as it is in a journal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The item.
    pub item: Item,
    /// The session that it came from; "" for old entries.
    pub session_id: String,
    /// Its `ts`; none where that is not a time.
    pub time: Option<Timestamp>,
    /// Who said its first quote.
    pub said_by: Option<String>,
    /// A person said that it is wrong.
    pub forgotten: bool,
}

impl Entry {
    /// Its id, in hex digits; of an old entry, and of an entry of other tools, the id that it would have without a
    /// project.
    pub fn id(&self, kind: ItemKind) -> Cow<'_, str> {
        let id = &self.item.id;
        let is_ours = id.len() == 16 && id.chars().all(|digit| digit.is_ascii_hexdigit());
        if is_ours { id.into() } else { item::id(kind, "", &self.item.summary).into() }
    }
}

/// What a person says of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is wrong: it is not told, and not distilled again.
    Forgotten,
    /// That was a mistake.
    Restored,
}

impl Mark {
    fn word(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Restored => "restored",
        }
    }
}

/// A mark, of which a journal has few.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MarkLine<'a> {
    #[serde(borrow, rename = "type")]
    mark: Cow<'a, str>,
    id: String,
    #[serde(borrow)]
    ts: Cow<'a, str>,
}

/// A line without its evidence, of which a start of a session reads hundreds.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Brief<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    ts: Cow<'a, str>,
    summary: String,
    context: String,
    rationale: String,
    root_cause: String,
    resolution: String,
    prevention: String,
    tags: Vec<String>,
    id: String,
    session_id: String,
    grounded: bool,
    said_by: Option<String>,
}

/// Where a new item comes from.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// The time that goes into `ts`.
    pub ts: &'a str,
    /// The project's name.
    pub project: &'a str,
    /// The session.
    pub session_id: &'a str,
    /// What masks what is written.
    pub redactor: &'a Redactor,
}

/// The journal that items of a kind go to, below the memory folder. Learnings and what is open have
/// files of their own and come here only when they are not trusted.
pub fn name(kind: ItemKind, trusted: bool) -> &'static str {
    match kind {
        _ if !trusted => "quarantine.jsonl",
        ItemKind::Decision => "decisions.jsonl",
        ItemKind::Failure => "failures.jsonl",
        ItemKind::Memory => ".state/memories.jsonl",
        ItemKind::Learning | ItemKind::Handoff => "quarantine.jsonl",
    }
}

/// What the journals of a memory's folders say, that of the folder that is written last. A line that is in
/// several of them is there once.
fn text(
    memory: &Memory,
    kind: ItemKind,
    trusted: bool,
    of: impl Fn(&Path) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let path = |folder: &Path| folder.join(name(kind, trusted));
    let mut text = of(&path(memory))?;
    for other in memory.others() {
        let older = of(&path(other))?;
        let known: HashSet<&str> = text.lines().collect();
        let mut all: String =
            older.lines().filter(|line| !known.contains(line)).flat_map(|line| [line, "\n"]).collect();
        all.push_str(&text);
        text = all;
    }
    Ok(text)
}

/// All items of a kind that are remembered, or that are in quarantine, oldest first, also those that are forgotten.
pub fn read(memory: &Memory, kind: ItemKind, trusted: bool) -> Result<Vec<Entry>, Failure> {
    let text = text(memory, kind, trusted, |path| Ok(file::read_text(path)?.unwrap_or_default()))?;
    let mut all: Vec<Entry> = text.lines().filter_map(|line| known(line, kind)).collect();
    let forgotten = forgotten(&text);
    for entry in &mut all {
        entry.forgotten = forgotten.iter().any(|id| *id == entry.id(kind));
    }
    Ok(all)
}

/// The last items of a kind that may be told, oldest first, without evidence: those of a journal's last `bytes`
/// bytes. What says the same as one that is forgotten is not told either.
pub fn tail(memory: &Memory, kind: ItemKind, bytes: u64) -> Result<Vec<Entry>, Failure> {
    let text = text(memory, kind, true, |path| file::read_tail(path, bytes))?;
    // A memory is told by other fields than the rest.
    let of_line = |line| {
        if kind == ItemKind::Memory {
            known(line, kind)
        } else {
            brief(line, kind).unwrap_or_else(|_| known(line, kind))
        }
    };
    let all = text.lines().filter_map(of_line);
    let forgotten = forgotten(&text);
    if forgotten.is_empty() {
        return Ok(all.collect());
    }
    let is_marked = |entry: &Entry| forgotten.iter().any(|id| *id == entry.id(kind));
    let (wrong, mut rest): (Vec<Entry>, Vec<Entry>) = all.partition(is_marked);
    let wrong: Vec<Gist> = wrong.iter().map(|entry| Gist::of_item(&entry.item, kind)).collect();
    rest.retain(|entry| {
        let gist = Gist::of_item(&entry.item, kind);
        !wrong.iter().any(|wrong| gist.is_near(wrong, false))
    });
    Ok(rest)
}

/// The ids whose last mark in a journal says that they are wrong, in the order in which that was said.
fn forgotten(text: &str) -> Vec<String> {
    marked(text).into_iter().map(|(_, id)| id).collect()
}

/// The same, each with the time of its mark.
fn marked(text: &str) -> Vec<(Option<Timestamp>, String)> {
    let words = [Mark::Forgotten, Mark::Restored].map(|mark| format!("\"type\":\"{}\"", mark.word()));
    let mut ids = Vec::new();
    for line in text.lines().filter(|line| words.iter().any(|word| line.contains(word))) {
        let Ok(MarkLine { mark, id, ts }) = serde_json::from_str(line) else { continue };
        let is_mark = [Mark::Forgotten, Mark::Restored].iter().any(|known| known.word() == mark);
        if is_mark {
            ids.retain(|(_, known)| *known != id);
        }
        if mark == Mark::Forgotten.word() {
            ids.push((clock::parse(&ts), id));
        }
    }
    ids
}

/// The ids of a kind that are forgotten, the last one last, each with the time when that was said.
pub fn forgotten_ids(memory: &Memory, kind: ItemKind) -> Result<Vec<(Option<Timestamp>, String)>, Failure> {
    Ok(marked(&text(memory, kind, true, |path| Ok(file::read_text(path)?.unwrap_or_default()))?))
}

/// Marks items of the journal of a kind, in one write; the caller holds the folder's lock.
pub fn mark(
    memory: &Path,
    kind: ItemKind,
    ids: &[String],
    mark: Mark,
    ts: &str,
    redactor: &Redactor,
) -> Result<(), Failure> {
    let mut lines = Masked::default();
    for id in ids {
        let mut line = Record::default();
        line.set("ts", ts);
        line.set("type", mark.word());
        line.set("id", id);
        lines.push(&redactor.masked_record(&line));
    }
    append(memory, name(kind, true), &lines)
}

/// Adds lines at the end of a journal, and puts a torn one before them aside.
fn append(memory: &Path, name: &str, lines: &Masked) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    let path = super::own_file(memory, name)?;
    file::put_torn_aside(&path, &super::own_file(memory, ".state/torn")?)?;
    file::append_lines(&path, lines)
}

/// A line in short; an error when it is not as we write them, and must be read with care.
fn brief(line: &str, kind: ItemKind) -> Result<Option<Entry>, serde_json::Error> {
    let brief: Brief = serde_json::from_str(line)?;
    if brief.kind != kind.word() || brief.summary.trim().is_empty() {
        return Ok(None);
    }
    let item = Item {
        summary: brief.summary,
        context: brief.context,
        rationale: brief.rationale,
        root_cause: brief.root_cause,
        resolution: brief.resolution,
        prevention: brief.prevention,
        tags: brief.tags,
        id: brief.id,
        grounded: brief.grounded,
        ..Item::default()
    };
    let time = clock::parse(&brief.ts);
    Ok(Some(Entry { item, session_id: brief.session_id, time, said_by: brief.said_by, forgotten: false }))
}

fn known(line: &str, kind: ItemKind) -> Option<Entry> {
    let value: Value = serde_json::from_str(line).ok().filter(|value: &Value| value["type"] == kind.word())?;
    let session_id = value["session_id"].as_str().unwrap_or_default().to_owned();
    let time = value["ts"].as_str().and_then(clock::parse);
    let said_by = value["said_by"].as_str().map(str::to_owned);
    Some(Entry { item: Item::from_value(&value, kind)?, session_id, time, said_by, forgotten: false })
}

/// Appends those of `items` that are new, in one write; the caller holds the folder's lock.
/// `trusted` says whether they go to their journal or to quarantine.jsonl. One whose id is that of another
/// claim gets an id of its own.
pub fn add(
    memory: &Memory,
    kind: ItemKind,
    items: &mut [Item],
    from: Origin<'_>,
    trusted: bool,
) -> Result<Vec<Added>, Failure> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    super::own_file(memory, name(kind, trusted))?;
    let with_gist = |known: Entry| (Gist::of_item(&known.item, kind), known);
    let mut known: Vec<(Gist, Entry)> = read(memory, kind, trusted)?.into_iter().map(with_gist).collect();
    let old = known.len();
    let mut lines = Masked::default();
    let mut results = Vec::new();
    for item in items {
        let gist = Gist::of_item(item, kind);
        if known.iter().any(|(of, known)| known.item.id == item.id && !gist.is_near(of, false)) {
            item.id = item.own_id(kind, from.project);
        }
        // By its words first, then by its quote; but within one answer a quote in common ("yes, do
        // both") makes no two items the same.
        let same = |by_quote: bool| {
            let mut with_place = known.iter().enumerate();
            let found = with_place.find(|(at, (of, known))| {
                gist.is_near(of, by_quote && *at < old && known.session_id == from.session_id)
            });
            found.map(|(_, (_, known))| known)
        };
        let result = match same(false).or_else(|| same(true)) {
            Some(same) if same.forgotten => Added::Forgotten(same.id(kind).into_owned()),
            Some(same) if same.item.id == item.id && same.session_id == from.session_id => Added::Unchanged,
            Some(same) if same.item.id.is_empty() => Added::DuplicateOf(same.item.summary.clone()),
            Some(same) => Added::DuplicateOf(same.item.id.clone()),
            None => {
                lines.push(&from.redactor.masked_record(&entry(kind, item, from)));
                let (item, session_id) = (item.clone(), from.session_id.to_owned());
                let said_by = item.said_by().map(str::to_owned);
                let time = clock::parse(from.ts);
                known.push((gist, Entry { item, session_id, time, said_by, forgotten: false }));
                Added::Written
            }
        };
        results.push(result);
    }
    append(memory, name(kind, trusted), &lines)?;
    Ok(results)
}

/// The line of an item.
fn entry(kind: ItemKind, item: &Item, from: Origin<'_>) -> Record {
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
    line.set_some("reason", Some(&item.reason).filter(|reason| !reason.is_empty()));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::item::Evidence;

    const TS: &str = "2026-04-13T18:32:45-03:00";

    fn decision(summary: &str) -> Item {
        let evidence = Evidence { quote: "go with links".to_owned(), line: Some(3), ..Evidence::default() };
        let evidence = vec![Evidence { said_by: Some("user".to_owned()), ..evidence }];
        let id = crate::record::item::id(ItemKind::Decision, "lh", summary);
        Item { summary: summary.to_owned(), rationale: "R".to_owned(), id, evidence, grounded: true, ..Item::default() }
    }

    fn add_to(memory: &Path, session_id: &str, items: &mut [Item], trusted: bool) -> Vec<Added> {
        let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
        let from = Origin { ts: TS, project: "lh", session_id, redactor: &redactor };
        file::create_folder(&memory.join(".state")).unwrap();
        add(&Memory::alone(memory), ItemKind::Decision, items, from, trusted).unwrap()
    }

    #[test]
    fn a_line_has_the_predecessors_fields_and_then_ours() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(add_to(home.path(), "s", &mut [decision("Use symlinks")], true), [Added::Written]);
        let line = std::fs::read_to_string(home.path().join("decisions.jsonl")).unwrap();
        let known = concat!(
            r#"{"ts":"2026-04-13T18:32:45-03:00","type":"decision","summary":"Use symlinks","context":"","#,
            r#""alternatives":[],"rationale":"R","project":"lh","tags":[],"id":"89d3b893ad0a66ed","session_id":"s","#,
            r#""evidence":[{"quote":"go with links","line":3,"said_by":"user"}],"grounded":true,"said_by":"user"}"#,
        );
        assert_eq!(line, format!("{known}\n"));
    }

    #[test]
    fn what_is_written_is_read_back_whole_and_in_short() {
        let home = tempfile::tempdir().unwrap();
        add_to(home.path(), "s", &mut [decision("Use symlinks"), decision("Drop the weekly report")], true);
        let memory = Memory::alone(home.path());
        let whole = read(&memory, ItemKind::Decision, true).unwrap();
        assert_eq!(whole.iter().map(|entry| &entry.item.evidence[0].quote).collect::<Vec<_>>(), ["go with links"; 2]);
        for (whole, short) in whole.iter().zip(tail(&memory, ItemKind::Decision, 1 << 16).unwrap()) {
            assert_eq!(short.item.summary, whole.item.summary);
            assert_eq!((short.item.rationale.as_str(), short.item.grounded), ("R", true));
            assert_eq!((short.session_id.as_str(), short.said_by.as_deref()), ("s", Some("user")));
            assert_eq!((short.time, whole.time), (clock::parse(TS), clock::parse(TS)));
        }
        assert_eq!(whole.len(), 2);
        assert!(read(&memory, ItemKind::Failure, true).unwrap().is_empty());
    }

    #[test]
    fn what_says_the_same_is_there_once_and_an_untrusted_one_elsewhere() {
        let home = tempfile::tempdir().unwrap();
        let first = &mut [decision("Use symlinks")];
        add_to(home.path(), "s", first, true);
        assert_eq!(add_to(home.path(), "s", first, true), [Added::Unchanged]);
        assert_eq!(add_to(home.path(), "t", first, true), [Added::DuplicateOf(first[0].id.clone())]);
        assert_eq!(add_to(home.path(), "s", first, false), [Added::Written]);
        let count = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap().lines().count();
        assert_eq!((count("decisions.jsonl"), count("quarantine.jsonl")), (1, 1));
    }

    #[test]
    fn lines_of_others_and_torn_ones_stay_and_are_skipped() {
        let home = tempfile::tempdir().unwrap();
        let (path, memory) = (home.path().join("decisions.jsonl"), Memory::alone(home.path()));
        let old = r#"{"ts":"2026-04-13T18:32:45-03:00","type":"decision","summary":"Old","tags":"odd"}"#;
        std::fs::write(&path, format!("# mine\n{old}\n{{\"type\":\"dec")).unwrap();
        for entries in
            [read(&memory, ItemKind::Decision, true).unwrap(), tail(&memory, ItemKind::Decision, 1 << 16).unwrap()]
        {
            assert_eq!(entries.iter().map(|entry| entry.item.summary.as_str()).collect::<Vec<_>>(), ["Old"]);
        }
        add_to(home.path(), "s", &mut [decision("Use symlinks")], true);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("# mine\n{old}\n{{\"ts\"")) && text.lines().count() == 3, "{text}");
        let torn = std::fs::read_to_string(home.path().join(".state/torn")).unwrap();
        assert!(torn.contains("{\"type\":\"dec"), "{torn}");
    }
}
