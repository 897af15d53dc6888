//! Writing what was distilled into a project's memory and the learnings. Everything is added under
//! the memory folder's lock, and only what is new, so that the same record again changes nothing.
//! What is not grounded goes to quarantine.jsonl, whatever it is.

mod by_hand;
mod edit;
mod undo;

use crate::agent::checkout;
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, env, log, text};
use crate::queue::Queue;
use crate::record::fix;
use crate::record::gists::Gists;
use crate::record::item::{self, Item, ItemKind};
use crate::record::outcome::Outcome;
use crate::record::refusal;
use crate::record::said;
use crate::record::session::Session;
use crate::record::speaker::Voice;
use crate::record::written::{self, Became};
use crate::redact::Redactor;
use crate::store::handoff::{self, GivenHandoff};
use crate::store::journal;
use crate::store::kept::{FixLine, SaidLine};
use crate::store::learnings::Shelf;
use crate::store::receipts::Receipts;
use crate::store::{self, Added, Memory, kept, memories, plan};
use crate::tool::distill::with_id;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub use super::by_id::{ByHand, wanted};
pub use crate::tool::distill::failed;
pub use by_hand::{list, release, remember};
pub use edit::{EDIT, edit};
pub use undo::{undo, undo_in};

/// What was done by hand.
#[derive(Default)]
pub struct HandReceipt {
    /// A record an item.
    pub said: Masked,
    /// Something was done, or is done already.
    pub any: bool,
    /// What ended it.
    pub failure: Option<Failure>,
}

/// A record that is being persisted.
struct Work<'a> {
    session: &'a Session,
    memory: &'a Memory,
    config: &'a Config,
    /// What is on disk.
    notes: Receipts<'a>,
    /// What is printed.
    receipts: Vec<Record>,
}

/// Of a session that is older than this the checkout as it is now says nothing.
const RECENT_SECONDS: i64 = 86_400;
/// The kinds in the order in which they are written: learnings last, for the knowledge folder can be on a drive that is
/// not there.
const ORDER: [ItemKind; 5] =
    [ItemKind::Decision, ItemKind::Failure, ItemKind::Memory, ItemKind::Handoff, ItemKind::Learning];

/// Persists one `distilled` record. Returns a `written` record an item, and an `outcome` record, a line each. Of a
/// `refusal` record nothing is persisted, and its outcome says why.
pub fn persist(record: &Record, config: &Config) -> Result<Masked, Failure> {
    let lines = write(record, &Redactor::new(&config.privacy)?, config)?;
    // What is persisted by hand is distilled; in a task the worker keeps the outcome, with what it knows of it.
    if !env::in_task() && record.kind() != refusal::TYPE {
        let session = Session::from_record(record)?;
        Queue::in_home(session.home()?).distilled(&session, record)?;
    }
    Ok(lines)
}

/// The same for who keeps the outcome.
pub fn write(record: &Record, redactor: &Redactor, config: &Config) -> Result<Masked, Failure> {
    // The name is part of the ids and of what is shown, so it is masked before both.
    let mut session = Session::from_record(record)?;
    redactor.show(&mut session.project);
    if record.kind() == refusal::TYPE {
        return Ok(redactor.masked_record(&Outcome::of_persisted(record).record()));
    }
    let engine = record.text("engine");
    let is_import = engine.as_deref() == Some(Voice::Import.word());
    if engine.as_deref() == Some("slim") {
        let what = "'slim' was an earlier version's, and nothing is taken from it: distil the session again";
        return Err(Failure::data(format!("field 'engine': {what}")));
    }
    let memory = Memory::of(&session, config)?;
    let ts = record.text("ts").filter(|ts| clock::parse(ts).is_some()).unwrap_or_else(|| clock::local(clock::now()));
    let notes = Receipts::new(&memory, &session.session_id, &session.project, redactor).at(ts);
    let mut work = Work { session: &session, memory: &memory, config, notes, receipts: Vec::new() };
    // What the items name is looked at where the session ran, as it is now: of an old session it may have changed since.
    let at = session.source_modified_at;
    let is_recent = at.is_none_or(|at| clock::now() < clock::after(at, RECENT_SECONDS));
    let tree = checkout::around(&session.cwd).patient();
    let lock = store::lock(&memory)?;
    for kind in ORDER {
        let mut items = items(record, kind, &session.project, redactor)?;
        let is_cited = is_recent && kind != ItemKind::Learning && !is_import && !session.cwd.as_os_str().is_empty();
        for item in items.iter_mut().flatten() {
            item.seen = if is_cited { tree.seen(&item.whole(), session.branch.as_deref()) } else { None };
        }
        let says_nothing = items.is_none();
        let (trusted, doubtful): (Vec<Item>, Vec<Item>) = items.into_iter().flatten().partition(|item| item.grounded);
        match kind {
            // Doubtful items do not say that nothing is open; nor does an import.
            ItemKind::Handoff if trusted.is_empty() && (is_import || !doubtful.is_empty()) => {}
            ItemKind::Handoff => work.handoff(&trusted, says_nothing, record)?,
            ItemKind::Memory => work.memories(trusted)?,
            _ => work.add(trusted)?,
        }
        work.add(doubtful)?;
    }
    work.kept(record)?;
    drop(lock);
    let mut lines = Masked::default();
    for receipt in work.receipts.iter().chain([&Outcome::of_persisted(record).record()]) {
        lines.push(&redactor.masked_record(receipt));
    }
    Ok(lines)
}

/// Puts items where those of their kind are, or in the quarantine; they are as [`journal::add`] takes them. Gives where
/// each is, and what became of it.
fn put(
    memory: &Memory,
    items: &mut [Item],
    notes: &Receipts<'_>,
    config: &Config,
) -> Result<Vec<(PathBuf, Added)>, Failure> {
    let Some(&Item { kind, grounded: trusted, .. }) = items.first() else { return Ok(Vec::new()) };
    if trusted && kind == ItemKind::Learning {
        let (top, folder) = (config.learnings_top()?, config.learnings_folder()?);
        let mut shelf = Shelf::read(&top, &folder, notes)?;
        return items.iter_mut().map(|item| shelf.keep(item)).collect();
    }
    let added = journal::add(memory, items, notes)?;
    Ok(added.into_iter().map(|added| (memory.join(journal::name(kind, trusted)), added)).collect())
}

impl Work<'_> {
    /// Adds items as [`put`] does.
    fn add(&mut self, mut items: Vec<Item>) -> Result<(), Failure> {
        let put = put(self.memory, &mut items, &self.notes, self.config)?;
        // Behind it, for it can change an id; a run that is killed here finds the items, and goes on with this.
        journal::keep_dropped(self.memory, &items, &self.notes)?;
        items.iter().zip(&put).for_each(|(item, (path, added))| self.receipt(item, path, added));
        Ok(())
    }

    /// Adds memories to their journal, and makes each a file. One that another author wrote already is in its file.
    fn memories(&mut self, trusted: Vec<Item>) -> Result<(), Failure> {
        let (first, folder) = (self.receipts.len(), self.memory.notes());
        // What was retired is known, too, and is not written again.
        let mut others = Vec::new();
        if !trusted.is_empty() {
            others = memories::of_others(self.memory)?;
            others.extend(plan::retired(folder, "lh-persist")?);
        }
        let said: Gists = others.iter().flat_map(|other| [&other.description, &other.body]).collect();
        let (mut known, mut new) = (Vec::new(), Vec::new());
        for item in trusted {
            match said.find(item.sentence()) {
                Some(at) => known.push((item, &others[at / 2])),
                None => new.push(item),
            }
        }
        self.add(new)?;
        for (item, other) in known {
            let id = other.item(&self.session.project).id;
            let added = if id == item.id { Added::Unchanged } else { Added::DuplicateOf(id) };
            self.receipt(&item, &folder.join(&other.file), &added);
        }
        let files = memories::sync(self.memory, &self.session.project, self.notes.redactor)?;
        let mut written = 0_usize;
        for receipt in &mut self.receipts[first..] {
            if let Some((_, path)) = files.iter().find(|(of, _)| receipt.text("id").as_ref() == Some(of)) {
                receipt.set_path("path", path);
            }
            written += usize::from(receipt.text("result").as_deref() == Some(Became::Written.word()));
        }
        if written > 0 && env::in_task() {
            let memories = if written == 1 { "memory" } else { "memories" };
            log::say("lh-persist", &format!("{}: {written} new {memories}", self.session.session_id));
        }
        Ok(())
    }

    /// Writes down what is open; of a session that says nothing about that, only that it was there.
    fn handoff(&mut self, items: &[Item], says_nothing: bool, record: &Record) -> Result<(), Failure> {
        // What was distilled by hand need not say its language.
        let words = || items.iter().map(|item| item.summary.as_str()).collect::<Vec<_>>().join(" ");
        let is_spanish = record.text("language").map_or_else(|| text::is_spanish(&words()), |known| known == "es");
        let base = record.text("handoff_base");
        let ended_at = clock::parse(&self.notes.ts);
        let given = GivenHandoff {
            items,
            source_mtime: self.session.source_modified_at.or(ended_at).unwrap_or_else(clock::now),
            ended_at,
            // What was distilled by hand, or by an earlier version, does not say it.
            worked: record.get::<u64>("tool_uses") != Some(0),
            base: if says_nothing { handoff::IN_PART } else { base.as_deref().unwrap_or("") },
            heading: handoff::heading(self.config.compound_loop.handoff_heading.as_deref(), is_spanish),
            notes: &self.notes,
        };
        let (is_new, listed) = if says_nothing {
            let Some(is_new) = handoff::pass(self.memory, &given)? else { return Ok(()) };
            (is_new, Vec::new())
        } else {
            handoff::put(self.memory, &given)?
        };
        // A receipt for the file, with what of the items is in it, and one for each item that is not.
        let path = handoff::path(self.memory);
        let listed = items.iter().zip(&listed);
        let (open, others): (Vec<_>, Vec<_>) = listed.partition(|(_, listed)| **listed == Ok(Added::Written));
        let became = if is_new { Became::Written } else { Became::Unchanged };
        let summary = open.iter().map(|(item, _)| item.summary.as_str()).collect::<Vec<_>>().join("; ");
        self.receipts.push(written::written(Some(&path), ItemKind::Handoff.word(), None, &summary, became));
        for (item, listed) in others {
            self.receipt(item, &path, listed.as_ref().unwrap_or(&Added::Unchanged));
            if let (Some(receipt), Err(reason)) = (self.receipts.last_mut(), listed) {
                receipt.set("reason", reason.word());
            }
        }
        Ok(())
    }

    /// Keeps the user's own words, and what passed behind commands that failed.
    fn kept(&self, record: &Record) -> Result<(), Failure> {
        let (ts, session_id) = (&self.notes.ts, &self.session.session_id);
        let said = objects(record, said::LIST, "a text")?.into_iter();
        let said = said.map(|line: SaidLine| SaidLine { ts: ts.clone(), session_id: session_id.clone(), ..line });
        let fixed = objects(record, fix::LIST, "what failed and what passed")?.into_iter();
        let fixed = fixed.map(|line: FixLine| FixLine { ts: ts.clone(), session_id: session_id.clone(), ..line });
        let (said, fixed): (Vec<_>, Vec<_>) = (said.collect(), fixed.collect());
        let redactor = self.notes.redactor;
        for added in [kept::add(self.memory, &said, redactor), kept::add(self.memory, &fixed, redactor)] {
            match added {
                // A file that cannot be added to costs these lines, and not the session: trying again would not help.
                Err(failure) if failure.exit == Exit::Data => log::say("lh-persist", &failure.message),
                added => added?,
            }
        }
        Ok(())
    }

    fn receipt(&mut self, item: &Item, path: &Path, added: &Added) {
        let (became, other) = match added {
            Added::Written if item.grounded => (Became::Written, None),
            Added::Written => (Became::Quarantined, None),
            Added::Unchanged => (Became::Unchanged, None),
            Added::DuplicateOf(id) | Added::Forgotten(id) => (Became::DuplicateOf, Some(id)),
        };
        let mut receipt = written::written(Some(path), item.kind.word(), Some(&item.id), &item.summary, became);
        receipt.set_some(Became::DuplicateOf.word(), other);
        receipt.set_some("reason", matches!(added, Added::Forgotten(_)).then_some("forgotten").as_ref());
        self.receipts.push(receipt);
    }
}

/// What became of an item that a person put in, in words; `new` if it was not there.
fn in_words(added: &Added, new: &'static str) -> (&'static str, String) {
    match added {
        Added::Written => (new, String::new()),
        Added::Unchanged => ("known_already", String::new()),
        Added::DuplicateOf(id) | Added::Forgotten(id) => ("known_already", format!("as {}", item::short_id(id))),
    }
}

/// A list of a record that is not of items; a wrong list is status 65.
fn objects<T: DeserializeOwned>(record: &Record, name: &str, of: &str) -> Result<Vec<T>, Failure> {
    let Some(raw) = record.raw(name) else { return Ok(Vec::new()) };
    serde_json::from_str(raw.get())
        .map_err(|_| Failure::data(format!("field '{name}': expected a list of objects with {of}")))
}

/// A longer list of items is none of a session.
const LIST_BYTES: usize = 4 << 20;

/// The items of a list, their secrets masked, or none where the record has no such list; a wrong one is status 65.
fn items(record: &Record, kind: ItemKind, project: &str, redactor: &Redactor) -> Result<Option<Vec<Item>>, Failure> {
    let name = kind.list();
    let Some(raw) = record.raw(name) else { return Ok(None) };
    if raw.get().len() > LIST_BYTES {
        let what = format!("larger than the {LIST_BYTES} bytes that are read of it: give its items in several records");
        return Err(Failure::data(format!("field '{name}': {what}")));
    }
    let values: Vec<Value> = serde_json::from_str(raw.get())
        .map_err(|_| Failure::data(format!("field '{name}': expected a list of items")))?;
    let read = |value: &Value| {
        let mut item = Item::from_value(value, kind)
            .ok_or_else(|| Failure::data(format!("field '{name}': an item has no summary, title or name")))?;
        with_id(&mut item, project, redactor);
        Ok(item)
    };
    values.iter().map(read).collect::<Result<Vec<Item>, Failure>>().map(Some)
}
