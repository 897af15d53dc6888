//! Writing what was distilled into a project's memory and the learnings. Everything is added under
//! the memory folder's lock, and only what is new, so that the same record again changes nothing.
//! What is not grounded goes to quarantine.jsonl, whatever it is.

use crate::clock;
use crate::config::Config;
use crate::exit::Failure;
use crate::file;
use crate::knowledge::{self, Kept};
use crate::lesson::{self, Item, Kind};
use crate::memory::handoff::{self, Given, Put};
use crate::memory::journal::{self, Added, Origin};
use crate::memory::{self};
use crate::record::Record;
use crate::session::Session;
use std::path::{Component, Path, PathBuf};

/// The lists of a `distilled` record that go to a journal.
const JOURNALS: [(&str, Kind); 3] =
    [("decisions", Kind::Decision), ("failures", Kind::Failure), ("memories", Kind::Memory)];

/// A record that is being persisted.
struct Work<'a> {
    session: &'a Session,
    memory: PathBuf,
    ts: String,
    receipts: Vec<Record>,
}

/// Persists one `distilled` record. Returns a `written` record an item, and an `outcome` record.
pub fn persist(record: &Record, config: &Config) -> Result<Vec<Record>, Failure> {
    let session = Session::from_record(record)?;
    let memory = inside(session.memory()?, &session.agent_home)?;
    let ts = record.text("ts").filter(|ts| clock::parse(ts).is_some()).unwrap_or_else(|| clock::local(clock::now()));
    let mut work = Work { session: &session, memory, ts, receipts: Vec::new() };
    let lock = memory::lock(&work.memory)?;
    for (name, kind) in JOURNALS {
        work.journal(kind, items(record, name, kind, &session.project)?)?;
    }
    let learnings = items(record, "learnings", Kind::Learning, &session.project)?;
    work.learnings(learnings, &config.learnings_folder()?)?;
    if record.raw("handoff").is_some() {
        let open = items(record, "handoff", Kind::Handoff, &session.project)?;
        work.handoff(open, record, &config.compound_loop.handoff_heading)?;
    }
    drop(lock);
    let Work { mut receipts, .. } = work;
    receipts.push(outcome(record));
    Ok(receipts)
}

impl Work<'_> {
    fn origin<'b>(session: &'b Session, ts: &'b str) -> Origin<'b> {
        Origin { ts, project: &session.project, session_id: &session.session_id }
    }

    /// Adds the grounded ones to their journal, the others to the quarantine.
    fn journal(&mut self, kind: Kind, items: Vec<Item>) -> Result<(), Failure> {
        let (trusted, doubtful): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| item.grounded);
        let added = journal::add(&self.memory, kind, &trusted, Self::origin(self.session, &self.ts), true)?;
        let path = journal::path(&self.memory, kind, true).unwrap_or_default();
        for (item, added) in trusted.iter().zip(&added) {
            self.receipt(kind, item, &path, added, "written");
        }
        self.quarantine(kind, &doubtful)
    }

    fn quarantine(&mut self, kind: Kind, items: &[Item]) -> Result<(), Failure> {
        let added = journal::add(&self.memory, kind, items, Self::origin(self.session, &self.ts), false)?;
        let path = journal::path(&self.memory, kind, false).unwrap_or_default();
        for (item, added) in items.iter().zip(&added) {
            self.receipt(kind, item, &path, added, "quarantined");
        }
        Ok(())
    }

    fn learnings(&mut self, items: Vec<Item>, folder: &Path) -> Result<(), Failure> {
        let (trusted, doubtful): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| item.grounded);
        let day = self.ts.get(..10).unwrap_or_default().to_owned();
        for item in &trusted {
            let (path, added) = match knowledge::keep(folder, item, &self.session.project, &day)? {
                Kept::Written(path) => (path, Added::Written),
                Kept::Unchanged(path) => (path, Added::Unchanged),
                Kept::DuplicateOf(path, id) => (path, Added::DuplicateOf(id)),
            };
            self.receipt(Kind::Learning, item, &path, &added, "written");
        }
        self.quarantine(Kind::Learning, &doubtful)
    }

    fn handoff(&mut self, items: Vec<Item>, record: &Record, heading: &str) -> Result<(), Failure> {
        let (trusted, doubtful): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| item.grounded);
        let base = record.text("handoff_base").unwrap_or_default();
        let given = Given {
            items: &trusted,
            session_id: &self.session.session_id,
            source_mtime: self.session.source_modified_at.or_else(|| clock::parse(&self.ts)).unwrap_or_else(clock::now),
            base: &base,
            heading,
            slim: record.text("engine").as_deref() == Some("slim"),
        };
        let put = handoff::put(&self.memory, &given)?;
        let mut receipt = Record::new("written");
        receipt.set_path("path", &handoff::path(&self.memory));
        receipt.set("what", Kind::Handoff.word());
        receipt.set("summary", &trusted.iter().map(|item| item.summary.as_str()).collect::<Vec<_>>().join("; "));
        receipt.set("result", if put == Put::Unchanged { "unchanged" } else { "written" });
        self.receipts.push(receipt);
        self.quarantine(Kind::Handoff, &doubtful)
    }

    fn receipt(&mut self, kind: Kind, item: &Item, path: &Path, added: &Added, written: &str) {
        let mut receipt = Record::new("written");
        receipt.set_path("path", path);
        receipt.set("what", kind.word());
        receipt.set("id", &item.id);
        receipt.set("summary", &item.summary);
        match added {
            Added::Written => receipt.set("result", written),
            Added::Unchanged => receipt.set("result", "unchanged"),
            Added::DuplicateOf(id) => {
                receipt.set("result", "duplicate_of");
                receipt.set("duplicate_of", id);
            }
        }
        self.receipts.push(receipt);
    }
}

/// The items of a list; an absent list has none, a wrong one is status 65.
fn items(record: &Record, name: &str, kind: Kind, project: &str) -> Result<Vec<Item>, Failure> {
    let Some(raw) = record.raw(name) else { return Ok(Vec::new()) };
    let mut items: Vec<Item> = serde_json::from_str(raw.get())
        .map_err(|error| Failure::data(format!("field '{name}' is no list of items: {error}")))?;
    items.retain(|item| !item.summary.trim().is_empty());
    for item in &mut items {
        item.id = lesson::id(kind, project, &item.summary);
    }
    Ok(items)
}

/// The real path of a folder that must lie inside `home`.
fn inside(folder: &Path, home: &Path) -> Result<PathBuf, Failure> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    let real = file::real_path(folder);
    if climbs || home.as_os_str().is_empty() || !real.starts_with(file::real_path(home)) {
        let what = format!("memory_dir '{}' is not inside the agent's home '{}'", folder.display(), home.display());
        return Err(Failure::data(what));
    }
    Ok(real)
}

/// The `outcome` of a record whose work is on disk.
fn outcome(record: &Record) -> Record {
    let mut outcome = Record::new("outcome");
    outcome.set("result", "done");
    for name in ["source_size_bytes", "source_modified_at", "messages", "conversation_hash"] {
        outcome.set_some(name, record.raw(name).as_ref());
    }
    outcome
}
