//! Saying by hand that a decision, a failure or a memory is wrong, and taking that back.

use super::pick::{self, Thing};
use crate::agent::project;
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::text;
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::journal::{self, Mark};
use crate::store::{self, Memory, notes};
use std::path::Path;

/// The kinds that have a journal of what is told.
const KINDS: [ItemKind; 3] = [ItemKind::Decision, ItemKind::Failure, ItemKind::Memory];

/// What is to be done.
pub struct Wanted {
    /// Ids; none for the list, or for what was forgotten last.
    pub ids: Vec<String>,
    /// Tell it again.
    pub undo: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What the journals of a project have.
#[derive(Default)]
struct Known {
    told: Vec<(ItemKind, Thing)>,
    forgotten: Vec<(ItemKind, Thing)>,
}

/// Does it, and says what was done, an item a line; "" when there is nothing to list.
pub fn forget(wanted: &Wanted, config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let session = project::here(config)?;
    let memory = Memory::of(&session, config)?;
    let lists = !wanted.undo && wanted.ids.is_empty();
    let lock = if lists || wanted.dry_run || !memory.is_dir() { None } else { Some(store::lock(&memory)?) };
    if lock.is_some() {
        journal::drain(&memory, &redactor.shown(&session.project), &redactor)?;
    }
    let known = Known::read(&memory, &redactor)?;
    let lines = if lists {
        known.told.iter().map(|(_, thing)| thing.line()).collect()
    } else {
        known.put(&memory, wanted, &redactor)?
    };
    if lock.is_some() {
        notes::sync(&memory, &redactor.shown(&session.project), &redactor)?;
    }
    drop(lock);
    Ok(redactor.masked_parts(&pick::text(&lines)))
}

impl Known {
    fn read(memory: &Memory, redactor: &Redactor) -> Result<Self, Failure> {
        let mut known = Self::default();
        let mut order = Vec::new();
        for kind in KINDS {
            let mut wrong = Vec::new();
            for entry in journal::read(&memory.journal(kind, true), kind)? {
                let day = entry.time.map(|time| format!("{} ", clock::local_day(time))).unwrap_or_default();
                let said = redactor.shown(entry.item.sentence(kind)).into_owned();
                let by = entry.replaced.as_ref().map(|later| format!(" (replaced by {})", item::short_id(&later.by)));
                let text = format!("{day}{}: {}{}", kind.word(), text::one_line(&said), by.unwrap_or_default());
                let thing = Thing { id: entry.id(kind).into_owned(), text };
                if entry.forgotten { &mut wrong } else { &mut known.told }.push((kind, thing));
            }
            for (time, id) in journal::forgotten_ids(&memory.journal(kind, true))? {
                order.extend(wrong.iter().find(|(_, thing)| thing.id == id).map(|found| (time, found.clone())));
            }
        }
        order.sort_by_key(|(time, _)| *time);
        known.forgotten = order.into_iter().map(|(_, found)| found).collect();
        Ok(known)
    }

    /// Marks what is meant.
    fn put(&self, memory: &Path, wanted: &Wanted, redactor: &Redactor) -> Result<Vec<String>, Failure> {
        let (from, to, mark) = if wanted.undo {
            (&self.forgotten, &self.told, Mark::Restored)
        } else {
            (&self.told, &self.forgotten, Mark::Forgotten)
        };
        let last: Vec<String> = from.last().map(|(_, thing)| thing.id.clone()).into_iter().collect();
        if wanted.ids.is_empty() && last.is_empty() {
            return Err(Failure::data("nothing was forgotten by hand here"));
        }
        let ids = if wanted.ids.is_empty() { &last } else { &wanted.ids };
        let things = |list: &[(ItemKind, Thing)]| list.iter().map(|(_, thing)| thing.clone()).collect::<Vec<_>>();
        let (all, others) = (things(from), things(to));
        // What is marked already is found, too: after a kill the same is asked for again.
        let Some(meant) = pick::by_ids(&[&all, &others], ids)? else {
            let word = ids.join(" ");
            let what = format!("no decision, failure or memory here has the id '{word}'; lh-forget alone lists them");
            return Err(Failure::data(what));
        };
        let (says, already) = match (wanted.undo, wanted.dry_run) {
            (false, false) => ("forgotten", "forgotten already"),
            (false, true) => ("would forget", "forgotten already"),
            (true, false) => ("told again", "told already"),
            (true, true) => ("would tell again", "told already"),
        };
        for kind in KINDS.into_iter().filter(|_| !wanted.dry_run) {
            let of_kind = |thing: &&&Thing| from.iter().any(|(of, known)| *of == kind && known.id == thing.id);
            let ids: Vec<String> = meant.iter().filter(of_kind).map(|thing| thing.id.clone()).collect();
            journal::mark(memory, kind, &ids, mark, &clock::local(clock::now()), redactor, None)?;
        }
        let says = |thing: &&Thing| if all.contains(thing) { says } else { already };
        Ok(meant.iter().map(|thing| format!("{}: {}", says(thing), thing.line())).collect())
    }
}
