//! Saying by hand that a decision, a failure or a memory is wrong, and taking that back.

pub use super::by_id::ByHand;
use super::by_id::{self, Sides, Thing};
use super::here::{Here, in_each};
use super::history::{self, ToldItem};
use super::review::{self, Review};
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::record::item::ItemKind;
use crate::store::journal::{self, Mark};
use crate::store::{self, memories};

/// Marks the items of these ids as wrong, or tells them again, without ids what was forgotten last. Says what was
/// done, a record an item; without ids and undo it lists what is told, "" where nothing is.
pub fn forget(wanted: &ByHand, config: &Config) -> Result<Masked, Failure> {
    let known = |here: &Here<'_>| Ok(history::read(here)?.into_iter().map(|told| told.thing).collect());
    in_each(wanted, known, forget_in, config)
}

/// The same in one project.
pub fn forget_in(here: &Here<'_>, wanted: &ByHand) -> Result<Vec<Record>, Failure> {
    let lists = !wanted.undo && wanted.words.is_empty();
    let writes = !lists && !wanted.dry_run && here.memory.is_dir();
    let lock = writes.then(|| store::lock(&here.memory)).transpose()?;
    let (mut wrong, told): (Vec<ToldItem>, Vec<ToldItem>) =
        history::read(here)?.into_iter().partition(|told| told.entry.is_forgotten());
    wrong.sort_by_key(ToldItem::last_marked);
    // A word that names nothing in this project can name a learning, which belongs to all projects.
    let known: Vec<Thing> = told.iter().chain(&wrong).map(|told| told.thing.clone()).collect();
    let is_item =
        |word: &String| by_id::by_ids(&[&known], std::slice::from_ref(word)).map_or(true, |found| found.is_some());
    let mut lines = Vec::new();
    let (items, learnings): (Vec<String>, Vec<String>) = wanted.words.iter().cloned().partition(is_item);
    let (from, to) = if wanted.undo { (&wrong, &told) } else { (&told, &wrong) };
    let of_items = |dry_run: bool| put(here, &ByHand { words: items.clone(), dry_run, ..*wanted }, from, to);
    if !learnings.is_empty() {
        // Before anything is written it is known that each word names something.
        if !items.is_empty() {
            of_items(true)?;
        }
        let forget = || Review::read(here.config, &here.redactor)?.forget(&learnings, wanted.undo, wanted.dry_run);
        lines = review::locked(wanted.dry_run, forget)?;
    }
    if lists {
        lines = told.iter().map(|told| told.hit(here)).collect();
    } else if !learnings.is_empty() && lines.is_empty() {
        lines = put(here, wanted, from, to)?;
    } else if learnings.is_empty() || !items.is_empty() {
        lines.extend(of_items(wanted.dry_run)?);
    }
    if writes {
        memories::sync(&here.memory, &here.project, &here.redactor)?;
    }
    drop(lock);
    Ok(lines)
}

/// Marks what is meant of `from`.
fn put(here: &Here<'_>, wanted: &ByHand, from: &[ToldItem], to: &[ToldItem]) -> Result<Vec<Record>, Failure> {
    let things = |side: &[ToldItem]| side.iter().map(|told| told.thing.clone()).collect();
    let times = from.iter().map(ToldItem::last_marked).collect();
    let sides = Sides { from: things(from), to: things(to), times };
    let meant = sides.meant(&wanted.words, false)?.ok_or_else(|| {
        let word = sides.unknown(&wanted.words);
        let unknown = format!("no decision, failure or memory here has the id '{word}'; lh-forget alone lists them");
        Failure::data(if wanted.words.is_empty() { "nothing was forgotten by hand here".to_owned() } else { unknown })
    })?;
    let (mark, says) = if wanted.undo {
        (Mark::Restored, ["told_again", "would_tell_again", "told_already"])
    } else {
        (Mark::Forgotten, ["forgotten", "would_forget", "forgotten_already"])
    };
    // A later time than that of each mark before: what one command did is told by it.
    let latest = from.iter().chain(to).filter_map(ToldItem::last_marked).max();
    let now = latest.map_or_else(clock::now, |latest| clock::now().max(clock::after(latest, 1)));
    let now = clock::local(now);
    for kind in ItemKind::ALL.into_iter().filter(|kind| kind.is_corrected() && !wanted.dry_run) {
        let of_kind =
            |thing: &&&Thing| from.iter().any(|told| told.entry.item.kind == kind && told.thing.id == thing.id);
        let ids: Vec<String> = meant.iter().filter(of_kind).map(|thing| thing.id.clone()).collect();
        journal::mark(&here.memory, kind, &ids, mark, &now, &here.redactor, None)?;
    }
    let record = |thing: &Thing| {
        let told = from.iter().chain(to).find(|told| told.thing == *thing);
        told.map_or_else(Record::default, |told| told.written(here))
    };
    Ok(sides.said(&meant, says, wanted.dry_run, record))
}
