//! The quarantine by hand: what is in it and why, and letting an item in.

use super::{ByHand, Done, in_words};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, text};
use crate::record::item::{self, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::record::written::NotOpen;
use crate::store::handoff::{self, Given, Listed, Put};
use crate::store::journal::{self, Entry, Kept, Mark};
use crate::store::receipts::Receipts;
use crate::store::{self, Added, memories};
use crate::tool::by_id::{self, Thing};
use crate::tool::here::Here;
use crate::tool::history;
use jiff::Timestamp;

/// One item of the quarantine.
struct Waiting {
    kind: ItemKind,
    entry: Entry,
    released: bool,
    thing: Thing,
}

/// What is in the quarantine, a line each, the newest last: the items, then the fields that were taken out of trusted
/// ones; "" when there is nothing.
pub fn list(config: &Config) -> Result<Done, Failure> {
    let here = Here::find(config)?;
    let line = |waiting: &Waiting| {
        let reason = text::one_line(&waiting.entry.item.reason);
        let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        text::harmless(&format!("{}{reason}", waiting.thing.line())).into_owned()
    };
    let mut lines: Vec<String> = items(&here)?.iter().filter(|waiting| !waiting.released).map(line).collect();
    let field = |Kept { kind, id, dropped }: Kept| {
        let [field, text, reason] = [dropped.field, dropped.text, dropped.reason]
            .map(|text| text::one_line(&here.redactor.shown(&text)).into_owned());
        text::harmless(&format!("{} {field} of a {}: {text} ({reason})", item::short_id(&id), kind.word())).into_owned()
    };
    lines.extend(journal::dropped(&here.memory)?.into_iter().map(field));
    Ok(Done { said: here.redactor.masked_parts(&by_id::text(&lines)), any: !lines.is_empty(), failure: None })
}

/// Lets items in, and says what was done, an item a line.
pub fn release(wanted: &ByHand, config: &Config) -> Result<Done, Failure> {
    by_id::no_empty(&wanted.words)?;
    let here = Here::find(config)?;
    let mut found = meant(&here, &wanted.words)?;
    let mut lock = None;
    if !wanted.dry_run && found.iter().any(|item| !item.released) {
        // The lock makes the folder, so it is only taken where there is something to write. Another may have been first.
        lock = Some(store::lock(&here.memory)?);
        found = meant(&here, &wanted.words)?;
    }
    let (mut done, mut lines) = (Done::default(), Vec::new());
    for item in found {
        let says = match (item.released, wanted.dry_run) {
            (true, _) => Ok("released already".to_owned()),
            (false, true) => Ok("would release".to_owned()),
            (false, false) => let_in(&here, &item),
        };
        match says {
            Ok(says) => {
                done.any |= !says.starts_with("not released");
                lines.push(format!("{says}: {}", item.thing.line()));
            }
            Err(failure) => {
                done.failure = Some(failure);
                break;
            }
        }
    }
    if lock.is_some() && done.failure.is_none() {
        memories::sync(&here.memory, &here.project, &here.redactor)?;
    }
    drop(lock);
    Ok(Done { said: here.redactor.masked_parts(&by_id::text(&lines)), ..done })
}

fn items(here: &Here<'_>) -> Result<Vec<Waiting>, Failure> {
    let waiting = |(kind, mut entry, released): (ItemKind, Entry, bool)| {
        entry.item.for_each_text(|text| here.redactor.show(text));
        let thing = history::thing(&entry, kind, &here.redactor);
        Waiting { kind, entry, released, thing }
    };
    Ok(journal::quarantined(&here.memory)?.into_iter().map(waiting).collect())
}

/// The items that have these ids.
fn meant(here: &Here<'_>, words: &[String]) -> Result<Vec<Waiting>, Failure> {
    let mut waiting = items(here)?;
    let things: Vec<Thing> = waiting.iter().map(|waiting| waiting.thing.clone()).collect();
    let Some(meant) = by_id::by_ids(&[&things], words)? else {
        let word = words.join(" ");
        let what = format!("nothing in the quarantine here has the id '{word}'; --list-quarantine lists what is in it");
        return Err(words.iter().find_map(|word| by_id::too_short(word)).unwrap_or_else(|| Failure::data(what)));
    };
    waiting.retain(|waiting| meant.contains(&&waiting.thing));
    Ok(waiting)
}

/// Lets one item in, and says what became of it. What a person said is wrong or done stays where it is.
fn let_in(here: &Here<'_>, waiting: &Waiting) -> Result<String, Failure> {
    let Waiting { kind, entry, thing, .. } = waiting;
    let mut item = Item { grounded: true, id: thing.id.clone(), ..entry.item.clone() };
    item.reason.clear();
    if *kind == ItemKind::Memory {
        // A memory file does not say who said it: a person vouches for it now.
        Voice::User.word().clone_into(&mut item.said_by);
    }
    let time = entry.time.unwrap_or_else(clock::now);
    let notes = Receipts::new(&here.memory, &entry.session_id, &here.project, &here.redactor).at(clock::local(time));
    let put = if *kind == ItemKind::Handoff {
        put_open(here, &item, time, &notes)?
    } else {
        let put = super::put(&here.memory, *kind, std::slice::from_mut(&mut item), true, &notes, here.config)?;
        Ok(put.into_iter().next().map_or(Added::Unchanged, |(_, added)| added))
    };
    let says = match put {
        Ok(Added::Forgotten(id)) => {
            return Ok(format!("not released, for {} says the same and is forgotten", item::short_id(&id)));
        }
        Ok(added) => in_words(&added, "released"),
        Err(reason) => return Ok(format!("not released, for {reason}")),
    };
    let (ids, now) = ([thing.id.clone()], clock::local(clock::now()));
    journal::mark(&here.memory, *kind, &ids, Mark::Released, &now, &here.redactor, Some(&notes))?;
    Ok(says)
}

/// Puts an open item behind what is there, or says why it cannot be there.
fn put_open(
    here: &Here<'_>,
    item: &Item,
    time: Timestamp,
    notes: &Receipts<'_>,
) -> Result<Result<Added, &'static str>, Failure> {
    let heading = here.config.compound_loop.handoff_heading.as_deref();
    let given = Given {
        items: std::slice::from_ref(item),
        session_id: notes.session_id,
        // It makes the handoff no newer than it is.
        source_mtime: handoff::newest(&here.memory)?.map_or(time, |newest| newest.min(time)),
        ended_at: Some(time),
        worked: false,
        base: "",
        heading: handoff::heading(heading, text::is_spanish(&item.summary)),
        redactor: &here.redactor,
        receipts: Some(notes),
    };
    let (put, listed) = handoff::put(&here.memory, &given)?;
    Ok(match listed.into_iter().next() {
        Some(Listed::Not(reason)) => Err(match reason {
            NotOpen::ClosedByPerson => "a person closed it",
            NotOpen::ClosedLater => "a later session closed it",
            NotOpen::NoWords => "it has no words",
        }),
        Some(Listed::DuplicateOf(text)) => Ok(Added::DuplicateOf(item::id(ItemKind::Handoff, &here.project, &text))),
        _ if put == Put::Unchanged => Ok(Added::Unchanged),
        _ => Ok(Added::Written),
    })
}
