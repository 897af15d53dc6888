//! Closing an open item by hand, and opening it again: of the current folder's project by its words, of any by its id.

pub use super::by_id::ByHand;
use super::by_id::{self, Switch, Thing};
use super::here::{Here, in_each};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::text;
use crate::record::item::{self, ItemKind};
use crate::record::written;
use crate::store::{handoff, listed, receipts};
use std::fmt::Write as _;
use std::path::Path;

/// Closes the items of these ids, or the one of these words, or opens what was closed again, without words the last one.
/// Says what was done, a record an item; without words and undo it lists what is open, "" where nothing is.
pub fn done(wanted: &ByHand, config: &Config) -> Result<Masked, Failure> {
    let known = |here: &Here<'_>| Ok(items(here)?.into_iter().map(|one| one.thing).collect());
    in_each(wanted, known, done_in, config)
}

/// The same in one project.
pub fn done_in(here: &Here<'_>, wanted: &ByHand) -> Result<Vec<Record>, Failure> {
    if !wanted.undo && wanted.words.is_empty() {
        return Ok(open(here)?.iter().map(|thing| hit(here, thing)).collect());
    }
    let _locks = if wanted.dry_run { Vec::new() } else { here.lock()? };
    let all = items(here)?;
    let meant = wanted.meant(&all)?.ok_or_else(|| Failure::data(not_meant(wanted, &all)))?;
    for folder in here.memory.folders().filter(|_| !wanted.dry_run) {
        // Where it was closed; what another folder closed is not put there.
        let there = if wanted.undo { closed_in(folder)? } else { handoff::read(folder)?.items };
        let is_meant = |item: &String| {
            let id = item::open_id(item);
            meant.iter().any(|one| wanted.changes(one) && one.thing.id == id)
        };
        let own: Vec<String> = there.into_iter().filter(is_meant).collect();
        if wanted.undo && !own.is_empty() {
            handoff::reopen(folder, &own, here.heading(&own.join(" ")), &here.redactor)?;
        } else if !own.is_empty() {
            handoff::close(folder, &own, &here.redactor)?;
        }
    }
    let says = if wanted.undo {
        ["open_again", "would_open_again", "open_already"]
    } else {
        ["closed", "would_close", "closed_already"]
    };
    let path = handoff::path(&here.memory);
    let said = |one: &&Switch| {
        let (kind, Thing { id, text }) = (ItemKind::Handoff.word(), &one.thing);
        written::by_hand(Some(&path), kind, id, text, wanted.says(one, says), "")
    };
    Ok(meant.iter().map(said).collect())
}

fn not_meant(wanted: &ByHand, all: &[Switch]) -> String {
    let words = &wanted.words;
    // Of several ids those that are none; else the words are an item's.
    let unknown = wanted.unknown(all);
    let has_ids = unknown.len() < words.join(" ").len() || words.iter().all(|word| by_id::is_id(word));
    let word = if has_ids { unknown } else { words.join(" ") };
    match (wanted.undo, word.is_empty()) {
        (false, _) => format!("nothing open here is '{word}'; lh-done alone lists what is open"),
        (true, true) => "nothing was closed by hand here".to_owned(),
        (true, false) => format!("nothing that is '{word}' was closed by hand here"),
    }
}

fn hit(here: &Here<'_>, thing: &Thing) -> Record {
    let mut record = Record::new("hit");
    record.set("what", "open");
    record.set_path("path", &handoff::path(&here.memory));
    record.set("project", &here.project);
    record.set("id", &thing.id);
    record.set("text", &thing.text);
    record
}

/// How many items are open here, and a line for each of the first so many, cut at so many characters; "" where nothing
/// is open.
pub fn screen(most: usize, chars: usize, me: &str, config: &Config) -> Result<Masked, Failure> {
    let here = Here::find(config)?;
    let lines: Vec<String> = open(&here)?.iter().map(Thing::line).collect();
    if lines.is_empty() {
        return Ok(Masked::default());
    }
    listed::leave();
    let mut out = format!("Open here: {}\n", lines.len());
    for line in lines.iter().take(most) {
        let _ = writeln!(out, "  {}", text::cut(line, chars));
    }
    if lines.len() > most {
        let _ = writeln!(out, "  and {} more: {me} done", lines.len() - most);
    }
    Ok(here.redactor.masked_parts(&out))
}

/// What a person closed in a folder.
fn closed_in(folder: &Path) -> Result<Vec<String>, Failure> {
    Ok(handoff::closed(folder)?.into_iter().map(|(_, item)| item).collect())
}

/// What is open here.
pub fn open(here: &Here<'_>) -> Result<Vec<Thing>, Failure> {
    let mut open: Vec<Thing> = Vec::new();
    for folder in here.memory.folders() {
        for item in handoff::read(folder)?.items {
            let thing = thing(here, &item);
            if !open.contains(&thing) {
                open.push(thing);
            }
        }
    }
    Ok(open)
}

/// The items of every folder, each once: what is open, and then what a person closed.
fn items(here: &Here<'_>) -> Result<Vec<Switch>, Failure> {
    let open = open(here)?.into_iter();
    let mut all: Vec<Switch> = open.map(|thing| Switch { thing, is_away: false, time: None }).collect();
    // What an edit took the place of comes back with the edit.
    let edited = receipts::edited(&here.memory)?;
    for folder in here.memory.folders() {
        for (time, item) in handoff::closed(folder)?.into_iter().filter(|(_, item)| !edited.contains(item)) {
            let thing = thing(here, &item);
            if all.iter().all(|known| known.thing != thing) {
                all.push(Switch { thing, is_away: true, time });
            }
        }
    }
    Ok(all)
}

fn thing(here: &Here<'_>, item: &str) -> Thing {
    Thing { id: item::open_id(item), text: text::one_line(&here.redactor.shown(item)).into_owned() }
}
