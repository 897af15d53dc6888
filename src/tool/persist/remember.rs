//! A memory that a person writes by hand.

use super::{Done, in_words};
use crate::agent::checkout;
use crate::base::config::Config;
use crate::base::env;
use crate::base::exit::Failure;
use crate::extract;
use crate::record::item::{self, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::record::written;
use crate::store::journal;
use crate::store::memories::{self, TYPES};
use crate::store::receipts::BY_HAND;
use crate::store::{self, Added};
use crate::tool::here::Here;

/// Writes a text as a memory of the project in which we are, of this type; without one its words decide.
pub fn remember(text: &str, memory_type: Option<&str>, dry_run: bool, config: &Config) -> Result<Done, Failure> {
    if let Some(unknown) = memory_type.filter(|known| !TYPES.contains(known)) {
        return Err(Failure::usage(format!("unknown type '{unknown}': expected one of {}", TYPES.join(", "))));
    }
    let here = Here::find(config)?;
    let Here { memory, project, redactor, .. } = &here;
    let kind = ItemKind::Memory;
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::usage("there is nothing to remember: give a sentence; see --help"));
    }
    if !text.contains(char::is_alphanumeric) {
        return Err(Failure::data(format!("'{text}' has no letter and no digit: expected a sentence to remember")));
    }
    let mut item = extract::memory(&redactor.shown(text));
    memory_type.unwrap_or(&item.memory_type.clone()).clone_into(&mut item.memory_type);
    item.id = item::id(kind, project, &item.summary);
    (item.grounded, item.said_by) = (true, Voice::User.word().to_owned());
    item.seen = checkout::around(&env::current_folder()?).seen(&item.whole(), None);
    let done = |says: &str, why: &str, item: &Item| {
        let path = memory.join(journal::name(kind, true));
        let mut record = written::by_hand(Some(&path), kind.word(), &item.id, item.sentence(kind), says, why);
        record.set("memory_type", &item.memory_type);
        Done { said: redactor.masked_record(&record), any: true, failure: None }
    };
    if dry_run {
        return Ok(done("would_remember", "", &item));
    }
    let _lock = store::lock(memory)?;
    let added = journal::add(memory, kind, std::slice::from_mut(&mut item), &here.receipts(BY_HAND), true)?;
    memories::sync(memory, project, redactor)?;
    if let Some(Added::Forgotten(id)) = added.first() {
        let what = format!("{} says the same and is forgotten", item::short_id(id));
        return Err(Failure::data(format!("{what}: 'lh-forget --undo {}' tells it again", item::short_id(id))));
    }
    let (what, why) = in_words(added.first().unwrap_or(&Added::Unchanged), "remembered");
    Ok(done(what, &why, &item))
}
