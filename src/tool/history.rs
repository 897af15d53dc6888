//! The history of one item, of the current folder's project by its words, of any by its id: what it took the place of, what took its place, when and
//! by which session, and what a person said of it.

pub use super::by_id::wanted;
use super::by_id::{self, Thing};
use super::here::Here;
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::text;
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::journal::{self, Entry};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Characters of a session's id.
const SESSION_CHARS: usize = 8;

/// An item, as it is told.
pub struct Told {
    /// As it is in its journal.
    pub entry: Entry,
    /// Its kind.
    pub kind: ItemKind,
    /// What it is called by.
    pub thing: Thing,
    /// What a person said of it, with the time; the last one last.
    pub marks: Vec<(Option<Timestamp>, &'static str)>,
}

/// The items that the words mean, each with all that it replaced or was replaced by, the oldest first.
pub fn history(wanted: &[String], config: &Config) -> Result<Masked, Failure> {
    if wanted.is_empty() {
        return Err(Failure::usage("no item: give the head of its id, or words of it; lh-forget alone lists them"));
    }
    by_id::no_empty(wanted)?;
    let known = |here: &Here<'_>| Ok(read(here)?.into_iter().map(|told| told.thing).collect());
    let mut all = Masked::default();
    for (at, (here, words)) in Here::of_words(wanted, known, config)?.iter().enumerate() {
        let between = if at > 0 { "\n" } else { "" };
        all.push(&here.redactor.masked_parts(&format!("{between}{}", history_in(here, words)?)));
    }
    Ok(all)
}

fn history_in(here: &Here<'_>, wanted: &[String]) -> Result<String, Failure> {
    let all = read(here)?;
    let things: Vec<Thing> = all.iter().map(|told| told.thing.clone()).collect();
    let words = wanted.join(" ");
    let meant = match by_id::by_ids(&[&things], wanted)? {
        Some(meant) => meant,
        None => by_id::by_words(&things, &words)?.into_iter().collect(),
    };
    if meant.is_empty() {
        if let Some(failure) = by_id::too_short(&words) {
            return Err(failure);
        }
        let what = format!("no decision, failure or memory here is '{words}'; lh-forget alone lists them");
        return Err(Failure::data(what));
    }
    let mut lines: Vec<String> = Vec::new();
    let mut shown = BTreeSet::new();
    for start in meant.iter().filter_map(|meant| things.iter().position(|thing| thing == *meant)) {
        let new: Vec<usize> = chain(&all, start).into_iter().filter(|at| shown.insert(*at)).collect();
        if !lines.is_empty() && !new.is_empty() {
            lines.push(String::new());
        }
        lines.extend(new.into_iter().flat_map(|at| all[at].lines(&all)));
    }
    Ok(text::harmless(&by_id::text(&lines)).into_owned())
}

/// All items that have a history, by their journals.
pub fn read(here: &Here<'_>) -> Result<Vec<Told>, Failure> {
    let mut all = Vec::new();
    for kind in ItemKind::ALL.into_iter().filter(|kind| kind.is_corrected()) {
        let files = here.memory.journal(kind, true);
        let marks = journal::marks(&files)?;
        for entry in journal::read(&files, kind)? {
            let thing = thing(&entry, kind, &here.redactor);
            let of_it = marks.iter().filter(|(.., of)| *of == thing.id);
            let marks = of_it.map(|(time, mark, _)| (*time, mark.word())).collect();
            all.push(Told { entry, kind, thing, marks });
        }
    }
    Ok(all)
}

/// What an item of a journal is called by.
pub fn thing(entry: &Entry, kind: ItemKind, redactor: &Redactor) -> Thing {
    let day = entry.time.map(|time| format!("{} ", clock::local_day(time))).unwrap_or_default();
    let said = redactor.shown(entry.item.sentence(kind));
    let text = format!("{day}{}: {}", kind.word(), text::one_line(&said));
    Thing { id: entry.id(kind).into_owned(), text }
}

/// The places of an item and of all that it is linked with, in the order of their times.
fn chain(all: &[Told], start: usize) -> Vec<usize> {
    let (mut found, mut next) = (BTreeSet::new(), vec![start]);
    while let Some(at) = next.pop() {
        let one = &all[at];
        if found.insert(at) {
            let linked = |other: &Told| other.kind == one.kind && (other.names(one) || one.names(other));
            next.extend((0..all.len()).filter(|other| linked(&all[*other])));
        }
    }
    let mut found: Vec<usize> = found.into_iter().collect();
    found.sort_by_key(|at| (all[*at].entry.time, *at));
    found
}

impl Told {
    /// Whether a person said that it is wrong.
    pub fn is_wrong(&self) -> bool {
        self.entry.forgotten
    }

    /// When a person said something of it last.
    pub fn last_marked(&self) -> Option<Timestamp> {
        self.marks.last().and_then(|(time, _)| *time)
    }

    fn names(&self, other: &Self) -> bool {
        self.thing.id != other.thing.id && self.entry.item.replaces.contains(&other.thing.id)
    }

    fn lines(&self, all: &[Self]) -> Vec<String> {
        let Entry { session_id, said_by, replaced, .. } = &self.entry;
        let session = |id: &str| match text::one_line(id).chars().take(SESSION_CHARS).collect::<String>() {
            head if head.is_empty() => "an unknown session".to_owned(),
            head => format!("session {head}"),
        };
        let by = said_by.as_ref().map(|who| format!(", said by {}", text::one_line(who))).unwrap_or_default();
        let mut lines = vec![self.thing.line(), format!("  {}{by}", session(session_id))];
        let named = all.iter().filter(|other| self.names(other) && other.kind == self.kind);
        lines.extend(named.map(|other| format!("  in place of {}", item::short_id(&other.thing.id))));
        if let Some(later) = replaced {
            let day = later.at.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
            let from = all.iter().find(|other| other.kind == self.kind && other.thing.id == later.by);
            let from = from.map(|other| format!(", {}", session(&other.entry.session_id))).unwrap_or_default();
            lines.push(format!("  replaced{day} by {}{from}", item::short_id(&later.by)));
        }
        lines.extend(self.marks.iter().map(|(time, word)| {
            let time = time.map(|time| format!(" {}", clock::local_minute(time))).unwrap_or_default();
            format!("  {word}{time}")
        }));
        lines
    }
}
