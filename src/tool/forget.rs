//! Saying by hand that a decision, a failure or a memory is wrong, and taking that back.

pub use super::by_id::ByHand;
use super::by_id::{self, Switch, Thing};
use super::done;
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
    let _lock = writes.then(|| store::lock(&here.memory)).transpose()?;
    let told = history::read(here)?;
    if lists {
        return Ok(told.iter().filter(|told| !told.entry.is_forgotten()).map(|told| told.hit(here)).collect());
    }
    let mut all: Vec<Switch> = told.iter().map(ToldItem::switch).collect();
    // A word that names nothing in this project can name a learning, which belongs to all projects.
    let learnings = if wanted.words.is_empty() || wanted.meant(&all)?.is_some() {
        None
    } else {
        Some((review::lock(wanted.dry_run)?, Review::read(here.config, &here.redactor)?))
    };
    all.extend(learnings.iter().flat_map(|(_, review)| review.switches()));
    let meant = wanted.meant(&all)?.ok_or_else(|| {
        let word = wanted.unknown(&all);
        let is_open = |thing: &Thing| by_id::is_id(&word) && thing.id.starts_with(&word);
        let unknown = if done::open(here).is_ok_and(|open| open.iter().any(is_open)) {
            format!("'{word}' is open, and neither right nor wrong: 'lh done {word}' closes it")
        } else {
            format!("no decision, failure or memory here has the id '{word}'; lh-forget alone lists them")
        };
        Failure::data(if wanted.words.is_empty() {
            "nothing was forgotten by hand here; a learning comes back by its id".to_owned()
        } else {
            unknown
        })
    })?;
    let of = |one: &Switch| told.iter().find(|told| told.thing == one.thing);
    let (items, others): (Vec<&Switch>, Vec<&Switch>) = meant.into_iter().partition(|one| of(one).is_some());
    let mut lines = Vec::new();
    if let Some((_, review)) = &learnings {
        lines = review.forget(&others, wanted)?;
    }
    let (mark, says) = if wanted.undo {
        (Mark::Restored, ["told_again", "would_tell_again", "told_already"])
    } else {
        (Mark::Forgotten, ["forgotten", "would_forget", "forgotten_already"])
    };
    // A later time than that of each mark before: what one command did is told by it.
    let latest = all.iter().filter_map(|one| one.time).max();
    let now = latest.map_or_else(clock::now, |latest| clock::now().max(clock::after(latest, 1)));
    for kind in ItemKind::ALL.into_iter().filter(|kind| kind.is_corrected() && !wanted.dry_run) {
        let of_kind = |one: &&&Switch| wanted.changes(one) && of(one).is_some_and(|told| told.entry.item.kind == kind);
        let ids: Vec<String> = items.iter().filter(of_kind).map(|one| one.thing.id.clone()).collect();
        journal::mark(&here.memory, kind, &ids, mark, &clock::local(now), &here.redactor, None)?;
    }
    lines.extend(items.iter().filter_map(|one| Some(of(one)?.written(here, wanted.says(one, says)))));
    if writes {
        memories::sync(&here.memory, &here.project, &here.redactor)?;
    }
    Ok(lines)
}
