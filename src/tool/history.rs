//! The history of one item of the current folder's project: what it took the place of, what took its place, when and
//! by which session, and what a person said of it.

pub use super::by_id::wanted;
use super::by_id::{self, Thing};
use crate::agent::project;
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::text;
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::Memory;
use crate::store::journal::{self, Entry};
use jiff::Timestamp;

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
    let redactor = Redactor::new(&config.privacy)?;
    let memory = Memory::of(&project::here(config)?, config)?;
    let all = read(&memory, &redactor)?;
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
    let mut shown = vec![false; all.len()];
    for start in meant.iter().filter_map(|meant| things.iter().position(|thing| thing == *meant)) {
        let new: Vec<usize> = chain(&all, start).into_iter().filter(|at| shown.get(*at) == Some(&false)).collect();
        if !lines.is_empty() && !new.is_empty() {
            lines.push(String::new());
        }
        for at in new {
            lines.extend(all.get(at).map(|told| told.lines(&all)).unwrap_or_default());
            shown.iter_mut().skip(at).take(1).for_each(|shown| *shown = true);
        }
    }
    Ok(redactor.masked_parts(&text::harmless(&by_id::text(&lines))))
}

/// All items that have a history, by their journals.
pub fn read(memory: &Memory, redactor: &Redactor) -> Result<Vec<Told>, Failure> {
    let mut all = Vec::new();
    for kind in ItemKind::ALL.into_iter().filter(|kind| kind.is_corrected()) {
        let files = memory.journal(kind, true);
        let marks = journal::marks(&files)?;
        for entry in journal::read(&files, kind)? {
            let id = entry.id(kind).into_owned();
            let day = entry.time.map(|time| format!("{} ", clock::local_day(time))).unwrap_or_default();
            let said = redactor.shown(entry.item.sentence(kind)).into_owned();
            let text = format!("{day}{}: {}", kind.word(), text::one_line(&said));
            let of_it = marks.iter().filter(|(.., of)| *of == id);
            let marks = of_it.map(|(time, mark, _)| (*time, mark.word())).collect();
            all.push(Told { entry, kind, thing: Thing { id, text }, marks });
        }
    }
    Ok(all)
}

/// The places of an item and of all that it is linked with, in the order of their times.
fn chain(all: &[Told], start: usize) -> Vec<usize> {
    let mut found = vec![start];
    let mut next = 0;
    while let Some(one) = found.get(next).and_then(|at| all.get(*at)) {
        let linked = |other: &Told| other.kind == one.kind && (other.names(one) || one.names(other));
        let more: Vec<usize> = all.iter().enumerate().filter(|(_, other)| linked(other)).map(|(at, _)| at).collect();
        found.extend(more.into_iter().filter(|at| !found.contains(at)).collect::<Vec<_>>());
        next = next.saturating_add(1);
    }
    found.sort_by_key(|at| (all.get(*at).and_then(|told| told.entry.time), *at));
    found
}

impl Told {
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
