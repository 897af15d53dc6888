//! Writing what was distilled into a project's memory and the learnings. Everything is added under
//! the memory folder's lock, and only what is new, so that the same record again changes nothing.
//! What is not grounded goes to quarantine.jsonl, whatever it is.

use crate::clock;
use crate::config::Config;
use crate::exit::Failure;
use crate::knowledge::{self, Kept};
use crate::lesson::{self, Item, Kind};
use crate::memory;
use crate::memory::handoff::{self, Given, Put};
use crate::memory::journal::{self, Added, Origin};
use crate::record::Record;
use crate::redact::Redactor;
use crate::session::Session;
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    let memory = memory::inside(session.memory()?, session.home()?)?;
    let ts = record.text("ts").filter(|ts| clock::parse(ts).is_some()).unwrap_or_else(|| clock::local(clock::now()));
    let redactor = Redactor::new(&config.privacy)?;
    let mut work = Work { session: &session, memory, ts, receipts: Vec::new() };
    let lock = memory::lock(&work.memory)?;
    for kind in [Kind::Decision, Kind::Failure, Kind::Memory] {
        let items = items(record, kind, &session.project, &redactor)?;
        work.journal(kind, items.unwrap_or_default())?;
    }
    if let Some(open) = items(record, Kind::Handoff, &session.project, &redactor)? {
        work.handoff(open, record, &config.compound_loop.handoff_heading)?;
    }
    // Last, for the knowledge folder can be on a drive that is not there.
    let learnings = items(record, Kind::Learning, &session.project, &redactor)?.unwrap_or_default();
    work.learnings(learnings, &config.learnings_folder()?)?;
    drop(lock);
    let Work { mut receipts, .. } = work;
    receipts.push(outcome(record));
    Ok(receipts)
}

impl Work<'_> {
    fn origin(&self) -> Origin<'_> {
        Origin { ts: &self.ts, project: &self.session.project, session_id: &self.session.session_id }
    }

    /// Adds the grounded ones to their journal, the others to the quarantine.
    fn journal(&mut self, kind: Kind, items: Vec<Item>) -> Result<(), Failure> {
        let (trusted, doubtful): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| item.grounded);
        let added = journal::add(&self.memory, kind, &trusted, self.origin(), true)?;
        let path = self.memory.join(journal::name(kind, true));
        for (item, added) in trusted.iter().zip(&added) {
            self.receipt(kind, item, &path, added, "written");
        }
        self.quarantine(kind, &doubtful)
    }

    fn quarantine(&mut self, kind: Kind, items: &[Item]) -> Result<(), Failure> {
        let added = journal::add(&self.memory, kind, items, self.origin(), false)?;
        let path = self.memory.join(journal::name(kind, false));
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
        if trusted.is_empty() && !doubtful.is_empty() {
            // Doubtful items are no word that nothing is open.
            return self.quarantine(Kind::Handoff, &doubtful);
        }
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

/// The items of a list, their secrets masked, or none where the record has no such list; a wrong one is status 65.
fn items(record: &Record, kind: Kind, project: &str, redactor: &Redactor) -> Result<Option<Vec<Item>>, Failure> {
    let name = kind.list();
    let Some(raw) = record.raw(name) else { return Ok(None) };
    let values: Vec<Value> = serde_json::from_str(raw.get())
        .map_err(|error| Failure::data(format!("field '{name}' is no list of items: {error}")))?;
    let read = |value: &Value| {
        let mut item = Item::from_value(value, kind)
            .ok_or_else(|| Failure::data(format!("field '{name}': an item has no summary, title or name")))?;
        item.for_each_text(|text| redactor.mask(text));
        item.id = lesson::id(kind, project, &item.summary);
        Ok(item)
    };
    values.iter().map(read).collect::<Result<Vec<Item>, Failure>>().map(Some)
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
