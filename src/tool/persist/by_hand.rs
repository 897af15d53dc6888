//! What a person does to the memory by hand: looks at the quarantine, lets an item in, and writes a memory.

use super::{ByHand, HandReceipt, in_words};
use crate::agent::checkout;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, env, text};
use crate::extract;
use crate::record::item::{self, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::record::written::{self, Became, NotOpen};
use crate::store::handoff::{self, GivenHandoff};
use crate::store::journal::{self, Entry, Mark, QuarantinedField};
use crate::store::memories::{self, TYPES};
use crate::store::receipts::{BY_HAND, Receipts};
use crate::store::{self, Added};
use crate::tool::by_id::{self, Thing};
use crate::tool::here::Here;
use crate::tool::history;
use jiff::Timestamp;

/// What became of an item that stays there.
const NOT: &str = "not_released";

/// What is in the quarantine, a record each, the newest last: the items, then the fields that were taken out of trusted
/// ones; "" when there is nothing.
pub fn list(config: &Config) -> Result<HandReceipt, Failure> {
    let here = Here::find(config)?;
    let hit = |kind: ItemKind, id: &str, said: &str, reason: &str| {
        let mut record = Record::new("hit");
        record.set("what", if kind == ItemKind::Handoff { "open" } else { kind.word() });
        record.set_path("path", &here.memory.join(journal::name(kind, false)));
        record.set("project", &here.project);
        record.set("id", id);
        record.set("state", Became::Quarantined.word());
        record.set_text("reason", &text::one_line(reason));
        record.set("text", &text::one_line(said));
        record
    };
    let item = |entry: &Entry| {
        let mut record = hit(entry.item.kind, &entry.id(), entry.item.sentence(), &entry.item.reason);
        record.set_some("ts", entry.time.map(clock::local).as_ref());
        record.set_text("session_id", &entry.session_id);
        record
    };
    let field = |QuarantinedField { kind, id, dropped }: QuarantinedField| {
        let mut record = hit(kind, &id, &dropped.text, &dropped.reason);
        record.set("field", &dropped.field);
        record
    };
    let mut records: Vec<Record> = items(&here)?.iter().filter(|entry| entry.waits()).map(item).collect();
    records.extend(journal::dropped(&here.memory)?.into_iter().map(field));
    Ok(HandReceipt { said: here.masked(&records), any: !records.is_empty(), failure: None })
}

/// Lets items in, and says what was done, a record an item.
pub fn release(wanted: &ByHand, config: &Config) -> Result<HandReceipt, Failure> {
    by_id::no_empty(&wanted.words)?;
    let here = Here::find(config)?;
    // The lock makes the folder, so it is only taken where there is something to write. Another may have been first.
    let writes = !wanted.dry_run && meant(&here, &wanted.words)?.iter().any(Entry::waits);
    let _lock = writes.then(|| store::lock(&here.memory)).transpose()?;
    let found = meant(&here, &wanted.words)?;
    let mut done = HandReceipt::default();
    for entry in &found {
        let says = match (entry.waits(), wanted.dry_run) {
            (false, _) => Ok(("released_already", String::new())),
            (true, true) => Ok(("would_release", String::new())),
            (true, false) => let_in(&here, entry),
        };
        match says {
            Ok((says, why)) => {
                let (kind, said) = (entry.item.kind, entry.item.sentence());
                let path = here.memory.join(journal::name(kind, false));
                let mut receipt = written::by_hand(Some(&path), kind.word(), &entry.id(), said, says, &why);
                receipt.set_some("ts", entry.time.map(clock::local).as_ref());
                done.any |= says != NOT;
                done.said.push(&here.redactor.masked_record(&receipt));
            }
            Err(failure) => {
                done.failure = Some(failure);
                break;
            }
        }
    }
    if writes && done.failure.is_none() {
        memories::sync(&here.memory, &here.project, &here.redactor)?;
    }
    Ok(done)
}

/// The items of the quarantine, as they may be shown.
fn items(here: &Here<'_>) -> Result<Vec<Entry>, Failure> {
    let mut all = journal::quarantined(&here.memory)?;
    for entry in &mut all {
        entry.item.for_each_text(|text| here.redactor.show(text));
    }
    Ok(all)
}

/// The items that have these ids.
fn meant(here: &Here<'_>, words: &[String]) -> Result<Vec<Entry>, Failure> {
    let mut all = items(here)?;
    let things: Vec<Thing> = all.iter().map(|entry| history::thing(entry, &here.redactor)).collect();
    let Some(meant) = by_id::by_ids(&[&things], words)? else {
        let word = words.join(" ");
        let what = format!("nothing in the quarantine here has the id '{word}'; --list-quarantine lists what is in it");
        return Err(words.iter().find_map(|word| by_id::too_short(word)).unwrap_or_else(|| Failure::data(what)));
    };
    all.retain(|entry| meant.iter().any(|thing| thing.id == entry.id()));
    Ok(all)
}

/// Lets one item in, and says what became of it. What a person said is wrong or done stays where it is.
fn let_in(here: &Here<'_>, entry: &Entry) -> Result<(&'static str, String), Failure> {
    let mut item = Item { grounded: true, id: entry.id().into_owned(), ..(*entry.item).clone() };
    item.reason.clear();
    if item.kind == ItemKind::Memory {
        // A memory file does not say who said it: a person vouches for it now.
        Voice::User.word().clone_into(&mut item.said_by);
    }
    let time = entry.time.unwrap_or_else(clock::now);
    let notes = here.receipts(&entry.session_id).at(clock::local(time));
    let says = if item.kind == ItemKind::Handoff {
        put_open(here, &item, time, &notes)?
    } else {
        let put = super::put(&here.memory, std::slice::from_mut(&mut item), &notes, here.config)?;
        match put.first().map_or(&Added::Unchanged, |(_, added)| added) {
            Added::Forgotten(id) => (NOT, format!("{} says the same and is forgotten", item::short_id(id))),
            added => in_words(added, "released"),
        }
    };
    if says.0 != NOT {
        let (ids, now) = ([entry.id().into_owned()], clock::local(clock::now()));
        journal::mark(&here.memory, item.kind, &ids, Mark::Released, &now, &here.redactor, Some(&notes))?;
    }
    Ok(says)
}

/// Puts an open item behind what is there, and says what became of it, or why it cannot be there.
fn put_open(
    here: &Here<'_>,
    item: &Item,
    time: Timestamp,
    notes: &Receipts<'_>,
) -> Result<(&'static str, String), Failure> {
    let given = GivenHandoff {
        items: std::slice::from_ref(item),
        // It makes the handoff no newer than it is.
        source_mtime: handoff::newest(&here.memory)?.map_or(time, |newest| newest.min(time)),
        ended_at: Some(time),
        worked: false,
        base: "",
        heading: here.heading(&item.summary),
        notes,
    };
    let (is_new, listed) = handoff::put(&here.memory, &given)?;
    let added = match listed.into_iter().next() {
        Some(Err(reason)) => {
            let why = match reason {
                NotOpen::ClosedByPerson => "a person closed it",
                NotOpen::ClosedLater => "a later session closed it",
                NotOpen::NoWords => "it has no words",
            };
            return Ok((NOT, why.to_owned()));
        }
        Some(Ok(same @ Added::DuplicateOf(_))) => same,
        _ if is_new => Added::Written,
        _ => Added::Unchanged,
    };
    Ok(in_words(&added, "released"))
}

/// Writes a text as a memory of the project in which we are, of this type; without one its words decide.
pub fn remember(text: &str, memory_type: Option<&str>, dry_run: bool, config: &Config) -> Result<HandReceipt, Failure> {
    if let Some(unknown) = memory_type.filter(|known| !TYPES.contains(known)) {
        return Err(Failure::usage(format!("unknown type '{unknown}': expected one of {}", TYPES.join(", "))));
    }
    let here = Here::find(config)?;
    let Here { memory, project, redactor, .. } = &here;
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::usage("there is nothing to remember: give a sentence; see --help"));
    }
    if !text.contains(char::is_alphanumeric) {
        return Err(Failure::data(format!("'{text}' has no letter and no digit: expected a sentence to remember")));
    }
    let mut item = extract::memory(&redactor.shown(text));
    memory_type.unwrap_or(&item.memory_type.clone()).clone_into(&mut item.memory_type);
    item.id = item::id(item.kind, project, &item.summary);
    (item.grounded, item.said_by) = (true, Voice::User.word().to_owned());
    item.seen = checkout::around(&env::current_folder()?).seen(&item.whole(), None);
    let done = |says: &str, why: &str, item: &Item| {
        let path = memory.join(journal::name(item.kind, true));
        let mut record = written::by_hand(Some(&path), item.kind.word(), &item.id, item.sentence(), says, why);
        record.set("memory_type", &item.memory_type);
        HandReceipt { said: redactor.masked_record(&record), any: true, failure: None }
    };
    if dry_run {
        return Ok(done("would_remember", "", &item));
    }
    let _lock = store::lock(memory)?;
    let added = journal::add(memory, std::slice::from_mut(&mut item), &here.receipts(BY_HAND))?;
    memories::sync(memory, project, redactor)?;
    if let Some(Added::Forgotten(id)) = added.first() {
        let what = format!("{} says the same and is forgotten", item::short_id(id));
        return Err(Failure::data(format!("{what}: 'lh-forget --undo {}' tells it again", item::short_id(id))));
    }
    let (what, why) = in_words(added.first().unwrap_or(&Added::Unchanged), "remembered");
    Ok(done(what, &why, &item))
}
