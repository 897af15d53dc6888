//! Saying by hand that a decision, a failure or a memory is wrong, and taking that back.

pub use super::by_id::ByHand;
use super::by_id::{self, Sides, Thing};
use super::history::{self, Told};
use super::review::{self, Review};
use crate::agent::project;
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::journal::{self, Mark};
use crate::store::{self, Memory, memories};
use std::path::Path;

/// Marks the items of these ids as wrong, or tells them again, without ids what was forgotten last. Says what was
/// done, an item a line; without ids and undo it lists what is told, "" where nothing is.
pub fn forget(wanted: &ByHand, config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let session = project::here(config)?;
    let memory = Memory::of(&session, config)?;
    let lists = !wanted.undo && wanted.words.is_empty();
    let lock = if lists || wanted.dry_run || !memory.is_dir() { None } else { Some(store::lock(&memory)?) };
    if lock.is_some() {
        journal::drain(&memory, &redactor.shown(&session.project), &redactor)?;
    }
    let of_mark = |told: &Told| told.marks.last().and_then(|(time, _)| *time);
    let (mut wrong, told): (Vec<Told>, Vec<Told>) =
        history::read(&memory, &redactor)?.into_iter().partition(|told| told.entry.forgotten);
    wrong.sort_by_key(of_mark);
    let mut lines = Vec::new();
    // What is no item of this project can be a learning, which is of none.
    let known: Vec<Thing> = told.iter().chain(&wrong).map(|told| told.thing.clone()).collect();
    let is_item =
        |word: &String| by_id::by_ids(&[&known], std::slice::from_ref(word)).map_or(true, |found| found.is_some());
    if !wanted.words.is_empty() && !wanted.words.iter().any(is_item) {
        let forget = || Review::read(config, &redactor)?.forget(&wanted.words, wanted.undo, wanted.dry_run);
        lines = review::locked(wanted.dry_run, forget)?;
    }
    if lines.is_empty() {
        lines = if lists {
            told.iter().map(|told| thing(told).line()).collect()
        } else if wanted.undo {
            put(&memory, wanted, &wrong, &told, &redactor)?
        } else {
            put(&memory, wanted, &told, &wrong, &redactor)?
        };
    }
    if lock.is_some() {
        memories::sync(&memory, &redactor.shown(&session.project), &redactor)?;
    }
    drop(lock);
    Ok(redactor.masked_parts(&by_id::text(&lines)))
}

/// An item, with what took its place.
fn thing(told: &Told) -> Thing {
    let by = told.entry.replaced.as_ref().map(|later| format!(" (replaced by {})", item::short_id(&later.by)));
    Thing { text: format!("{}{}", told.thing.text, by.unwrap_or_default()), ..told.thing.clone() }
}

/// Marks what is meant of `from`.
fn put(
    memory: &Path,
    wanted: &ByHand,
    from: &[Told],
    to: &[Told],
    redactor: &Redactor,
) -> Result<Vec<String>, Failure> {
    let sides = Sides { from: from.iter().map(thing).collect(), to: to.iter().map(thing).collect() };
    let last: Vec<String> = sides.from.last().map(|thing| thing.id.clone()).into_iter().collect();
    if wanted.words.is_empty() && last.is_empty() {
        return Err(Failure::data("nothing was forgotten by hand here"));
    }
    let ids = if wanted.words.is_empty() { &last } else { &wanted.words };
    let meant = sides.meant(ids, false)?.ok_or_else(|| {
        let word = sides.unknown(ids);
        Failure::data(format!("no decision, failure or memory here has the id '{word}'; lh-forget alone lists them"))
    })?;
    let (mark, says) = if wanted.undo {
        (Mark::Restored, ["told again", "would tell again", "told already"])
    } else {
        (Mark::Forgotten, ["forgotten", "would forget", "forgotten already"])
    };
    for kind in ItemKind::ALL.into_iter().filter(|kind| kind.is_corrected() && !wanted.dry_run) {
        let of_kind = |thing: &&&Thing| from.iter().any(|told| told.kind == kind && told.thing.id == thing.id);
        let ids: Vec<String> = meant.iter().filter(of_kind).map(|thing| thing.id.clone()).collect();
        journal::mark(memory, kind, &ids, mark, &clock::local(clock::now()), redactor, None)?;
    }
    Ok(sides.said(&meant, says, wanted.dry_run))
}
