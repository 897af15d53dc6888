//! The history of one item, of the current folder's project by its words, of any by its id: what it took the place of, what took its place, when and
//! by which session, and what a person said of it.

pub use super::by_id::wanted;
use super::by_id::{self, ByHand, Switch, Thing};
use super::here::{Here, in_each};
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::text;
use crate::record::item::ItemKind;
use crate::record::written;
use crate::redact::Redactor;
use crate::store::journal::{self, Entry};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// An item, as it is told.
pub struct ToldItem {
    /// As it is in its journal.
    pub entry: Entry,
    /// What it is called by.
    pub thing: Thing,
    /// The journal that it is in.
    path: PathBuf,
}

/// The items that the words mean, each with all that it replaced or was replaced by, the oldest first.
pub fn history(words: Vec<String>, config: &Config) -> Result<Masked, Failure> {
    if words.is_empty() {
        return Err(Failure::usage("no item: give the head of its id, or words of it; lh-forget alone lists them"));
    }
    by_id::no_empty(&words)?;
    let known = |here: &Here<'_>| Ok(read(here)?.into_iter().map(|told| told.thing).collect());
    let wanted = ByHand { words, folders: Vec::new(), undo: false, dry_run: false, by_words: true };
    in_each(&wanted, known, history_in, config)
}

fn history_in(here: &Here<'_>, wanted: &ByHand) -> Result<Vec<Record>, Failure> {
    let all = read(here)?;
    let switches: Vec<Switch> = all.iter().map(ToldItem::switch).collect();
    let meant = wanted.meant(&switches)?.ok_or_else(|| {
        let words = wanted.words.join(" ");
        let what = format!("no decision, failure or memory here is '{words}'; lh-forget alone lists them");
        by_id::too_short(&words).unwrap_or_else(|| Failure::data(what))
    })?;
    let mut shown = BTreeSet::new();
    let starts = meant.iter().filter_map(|meant| all.iter().position(|told| told.thing == meant.thing));
    let chains = starts.flat_map(|start| chain(&all, start)).filter(|at| shown.insert(*at));
    Ok(chains.map(|at| all[at].with_history(here, &all)).collect())
}

/// All items that have a history, by their journals.
pub fn read(here: &Here<'_>) -> Result<Vec<ToldItem>, Failure> {
    let mut all = Vec::new();
    for kind in ItemKind::ALL.into_iter().filter(|kind| kind.is_corrected()) {
        let files = here.memory.journal(kind, true);
        let told =
            |entry: Entry| ToldItem { thing: thing(&entry, &here.redactor), path: files[entry.file].clone(), entry };
        all.extend(journal::read(&files, kind)?.into_iter().map(told));
    }
    Ok(all)
}

/// What an item of a journal is called by.
pub fn thing(entry: &Entry, redactor: &Redactor) -> Thing {
    let day = entry.time.map_or_else(String::new, |time| format!("{} ", clock::local_day(time)));
    let said = redactor.shown(entry.item.sentence());
    let text = format!("{day}{}: {}", entry.item.kind.word(), text::one_line(&said));
    Thing { id: entry.id().into_owned(), text }
}

/// The places of an item and of all that it is linked with, in the order of their times.
fn chain(all: &[ToldItem], start: usize) -> Vec<usize> {
    let (mut found, mut next) = (BTreeSet::new(), vec![start]);
    while let Some(at) = next.pop() {
        let one = &all[at];
        if found.insert(at) {
            let linked = |other: &ToldItem| {
                other.entry.item.kind == one.entry.item.kind && (other.names(one) || one.names(other))
            };
            next.extend((0..all.len()).filter(|other| linked(&all[*other])));
        }
    }
    let mut found: Vec<usize> = found.into_iter().collect();
    found.sort_by_key(|at| (all[*at].entry.time, *at));
    found
}

impl ToldItem {
    /// When a person said something of it last.
    pub fn last_marked(&self) -> Option<Timestamp> {
        self.entry.marks.last().and_then(|(time, _)| *time)
    }

    fn names(&self, other: &Self) -> bool {
        self.thing.id != other.thing.id && self.entry.item.replaces.contains(&other.thing.id)
    }

    /// What it says, masked, on one line.
    fn said(&self, here: &Here<'_>) -> String {
        text::one_line(&here.redactor.shown(self.entry.item.sentence())).into_owned()
    }

    /// As what a person can say of it.
    pub fn switch(&self) -> Switch {
        Switch { thing: self.thing.clone(), is_away: self.entry.is_forgotten(), time: self.last_marked() }
    }

    /// As a receipt.
    pub fn written(&self, here: &Here<'_>, says: &str) -> Record {
        let (kind, said) = (self.entry.item.kind.word(), self.said(here));
        let mut record = written::by_hand(Some(&self.path), kind, &self.thing.id, &said, says, "");
        record.set_some("ts", self.entry.time.map(clock::local).as_ref());
        record
    }

    /// As a hit.
    pub fn hit(&self, here: &Here<'_>) -> Record {
        let mut record = Record::new("hit");
        record.set("what", self.entry.item.kind.word());
        record.set_path("path", &self.path);
        record.set_some("ts", self.entry.time.map(clock::local).as_ref());
        record.set("project", &here.project);
        record.set_text("session_id", &self.entry.session_id);
        record.set("id", &self.thing.id);
        let replaced = self.entry.replaced.as_ref();
        let state = if self.entry.is_forgotten() { Some("forgotten") } else { replaced.map(|_| "replaced") };
        record.set_some("state", state.as_ref());
        record.set_some("replaced_by", replaced.map(|later| &later.by));
        record.set("text", &self.said(here));
        record
    }

    /// As a hit with what it replaced, what replaced it, and what a person said of it.
    fn with_history(&self, here: &Here<'_>, all: &[Self]) -> Record {
        let of_kind = || all.iter().filter(|other| other.entry.item.kind == self.entry.item.kind);
        let mut record = self.hit(here);
        record.set_text("said_by", &self.entry.item.said_by);
        let replaces = of_kind().filter(|other| self.names(other)).map(|other| &other.thing.id);
        record.set("replaces", &replaces.collect::<Vec<_>>());
        if let Some(later) = &self.entry.replaced {
            record.set_some("replaced_at", later.at.map(clock::local).as_ref());
            let by = of_kind().find(|other| other.thing.id == later.by);
            record.set_some("replaced_in", by.map(|other| &other.entry.session_id));
        }
        let marks = self.entry.marks.iter().map(|(time, mark)| {
            let mut said = Record::default();
            said.set("result", mark.word());
            said.set_some("ts", time.map(clock::local).as_ref());
            said
        });
        record.set("marks", &marks.collect::<Vec<_>>());
        record
    }
}
