//! Closing an open item by hand, and opening it again: of the current folder's project by its words, of any by its id.

pub use super::by_id::ByHand;
use super::by_id::{self, Sides, Thing};
use super::here::{Here, in_each};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::text;
use crate::record::item::{self, ItemKind};
use crate::record::written::{Became, written};
use crate::store::{handoff, listed};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::Path;

/// Closes the items of these ids, or the one of these words, or opens what was closed again, without words the last one.
/// Says what was done, a record an item; without words and undo it lists what is open, "" where nothing is.
pub fn done(wanted: &ByHand, config: &Config) -> Result<Masked, Failure> {
    let known = |here: &Here<'_>| {
        let items = [items(here, open_in)?, items(here, handoff::closed)?].concat();
        Ok(things(here, &items))
    };
    in_each(wanted, known, done_in, config)
}

/// The same in one project.
pub fn done_in(here: &Here<'_>, wanted: &ByHand) -> Result<Vec<Record>, Failure> {
    let lists = !wanted.undo && wanted.words.is_empty();
    let locks = if lists || wanted.dry_run { Vec::new() } else { here.lock()? };
    let open = items(here, open_in)?;
    let said = if lists {
        things(here, &open).iter().map(|thing| hit(here, thing)).collect()
    } else {
        put(here, wanted, open)?
    };
    drop(locks);
    Ok(said)
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
    let open = items(&here, open_in)?;
    let lines: Vec<String> = things(&here, &open).iter().map(Thing::line).collect();
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

/// Items of the page as they are there, each with the time when it was closed.
type Items = Vec<(Option<Timestamp>, String)>;

fn open_in(folder: &Path) -> Result<Items, Failure> {
    Ok(handoff::read(folder)?.items.into_iter().map(|item| (None, item)).collect())
}

fn things(here: &Here<'_>, items: &Items) -> Vec<Thing> {
    let thing = |(_, item): &(_, String)| Thing {
        id: item::open_id(item),
        text: text::one_line(&here.redactor.shown(item)).into_owned(),
    };
    items.iter().map(thing).collect()
}

fn has(items: &Items, item: &str) -> bool {
    items.iter().any(|(_, known)| known == item)
}

/// The items of every folder, each once.
fn items(here: &Here<'_>, of: fn(&Path) -> Result<Items, Failure>) -> Result<Items, Failure> {
    let mut all = Items::new();
    for folder in here.memory.folders() {
        let more = of(folder)?;
        all.extend(more.into_iter().filter(|(_, item)| !has(&all, item)).collect::<Items>());
    }
    Ok(all)
}

/// Closes what is meant, or opens it again.
fn put(here: &Here<'_>, wanted: &ByHand, open: Items) -> Result<Vec<Record>, Failure> {
    let mut closed = items(here, handoff::closed)?;
    closed.retain(|(_, item)| !has(&open, item));
    let (from, to) = if wanted.undo { (closed, open) } else { (open, closed) };
    let times = from.iter().map(|(time, _)| *time).collect();
    let sides = Sides { from: things(here, &from), to: things(here, &to), times };
    let words = &wanted.words;
    let all_ids = words.iter().all(|word| by_id::is_id(word));
    let word = if all_ids { sides.unknown(words) } else { words.join(" ") };
    let meant = sides.meant(words, wanted.by_words)?.ok_or_else(|| {
        Failure::data(match (wanted.undo, word.is_empty()) {
            (false, _) => format!("nothing open here is '{word}'; lh-done alone lists what is open"),
            (true, true) => "nothing was closed by hand here".to_owned(),
            (true, false) => format!("nothing that is '{word}' was closed by hand here"),
        })
    })?;
    // As they are on the page.
    let with_things = from.iter().zip(&sides.from).filter(|(_, thing)| meant.contains(thing));
    let items: Vec<String> = with_things.map(|((_, item), _)| item.clone()).collect();
    let heading = here.heading(&items.join(" "));
    for folder in here.memory.folders().filter(|_| !wanted.dry_run) {
        // Where it was closed; what another folder closed is not put there.
        let there = if wanted.undo { handoff::closed(folder)? } else { open_in(folder)? };
        let own: Vec<String> = items.iter().filter(|item| has(&there, item)).cloned().collect();
        if wanted.undo && !own.is_empty() {
            handoff::reopen(folder, &own, heading, &here.redactor)?;
        } else if !own.is_empty() {
            handoff::close(folder, &own, &here.redactor)?;
        }
    }
    let says = if wanted.undo {
        ["open_again", "would_open_again", "open_already"]
    } else {
        ["closed", "would_close", "closed_already"]
    };
    let (path, kind) = (handoff::path(&here.memory), ItemKind::Handoff);
    let record = |thing: &Thing| written(Some(&path), kind.word(), Some(&thing.id), &thing.text, Became::Written);
    Ok(sides.said(&meant, says, wanted.dry_run, record))
}
