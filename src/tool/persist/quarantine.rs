//! The quarantine by hand: what is in it and why, and letting an item in.

use super::{ByHand, Done};
use crate::agent::project;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, text};
use crate::record::item::{self, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::record::written::NotOpen;
use crate::redact::Redactor;
use crate::store::handoff::{self, Given, Listed, Put};
use crate::store::journal::{self, Entry, Kept, Mark, Origin};
use crate::store::learnings::Shelf;
use crate::store::receipts::Receipts;
use crate::store::{self, Added, Memory, memories};
use crate::tool::by_id::{self, Thing};
use jiff::Timestamp;

/// One item of the quarantine.
struct Waiting {
    kind: ItemKind,
    entry: Entry,
    released: bool,
    thing: Thing,
}

/// A project's quarantine.
struct Quarantine<'a> {
    memory: Memory,
    project: String,
    redactor: &'a Redactor,
    config: &'a Config,
}

/// What is in the quarantine, a line each, the newest last: the items, then the fields that were taken out of trusted
/// ones; "" when there is nothing.
pub fn list(config: &Config) -> Result<Done, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let quarantine = Quarantine::open(config, &redactor)?;
    let waiting = quarantine.items()?;
    let line = |waiting: &Waiting| {
        let reason = text::one_line(&waiting.entry.item.reason);
        let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        text::harmless(&format!("{}{reason}", waiting.thing.line())).into_owned()
    };
    let mut lines: Vec<String> = waiting.iter().filter(|waiting| !waiting.released).map(line).collect();
    let field = |Kept { kind, id, dropped }: Kept| {
        let [field, text, reason] = [dropped.field, dropped.text, dropped.reason]
            .map(|text| text::one_line(&redactor.shown(&text)).into_owned());
        text::harmless(&format!("{} {field} of a {}: {text} ({reason})", item::short_id(&id), kind.word())).into_owned()
    };
    lines.extend(journal::dropped(&quarantine.memory)?.into_iter().map(field));
    Ok(Done { said: redactor.masked_parts(&by_id::text(&lines)), any: !lines.is_empty(), failure: None })
}

/// Lets items in, and says what was done, an item a line.
pub fn release(wanted: &ByHand, config: &Config) -> Result<Done, Failure> {
    by_id::no_empty(&wanted.words)?;
    let redactor = Redactor::new(&config.privacy)?;
    let quarantine = Quarantine::open(config, &redactor)?;
    let mut meant = quarantine.meant(&wanted.words)?;
    let mut lock = None;
    if !wanted.dry_run && meant.iter().any(|item| !item.released) {
        // The lock makes the folder, so it is only taken where there is something to write. Another may have been first.
        lock = Some(store::lock(&quarantine.memory)?);
        meant = quarantine.meant(&wanted.words)?;
    }
    let (mut done, mut lines) = (Done::default(), Vec::new());
    for item in meant {
        let says = match (item.released, wanted.dry_run) {
            (true, _) => Ok("released already".to_owned()),
            (false, true) => Ok("would release".to_owned()),
            (false, false) => quarantine.release(&item),
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
        memories::sync(&quarantine.memory, &quarantine.project, &redactor)?;
    }
    drop(lock);
    Ok(Done { said: redactor.masked_parts(&by_id::text(&lines)), ..done })
}

impl<'a> Quarantine<'a> {
    fn open(config: &'a Config, redactor: &'a Redactor) -> Result<Self, Failure> {
        let session = project::here(config)?;
        let memory = Memory::of(&session, config)?;
        Ok(Self { memory, project: redactor.shown(&session.project).into_owned(), redactor, config })
    }

    fn items(&self) -> Result<Vec<Waiting>, Failure> {
        let waiting = |(kind, mut entry, released): (ItemKind, Entry, bool)| {
            entry.item.for_each_text(|text| self.redactor.show(text));
            let day = entry.time.map(|time| format!("{} ", clock::local_day(time))).unwrap_or_default();
            let text = format!("{day}{}: {}", kind.word(), text::one_line(entry.item.sentence(kind)));
            let thing = Thing { id: entry.id(kind).into_owned(), text };
            Waiting { kind, entry, released, thing }
        };
        Ok(journal::quarantined(&self.memory)?.into_iter().map(waiting).collect())
    }

    /// The items that have these ids.
    fn meant(&self, words: &[String]) -> Result<Vec<Waiting>, Failure> {
        let mut waiting = self.items()?;
        let things: Vec<Thing> = waiting.iter().map(|waiting| waiting.thing.clone()).collect();
        let Some(meant) = by_id::by_ids(&[&things], words)? else {
            let word = words.join(" ");
            let what =
                format!("nothing in the quarantine here has the id '{word}'; --list-quarantine lists what is in it");
            return Err(words.iter().find_map(|word| by_id::too_short(word)).unwrap_or_else(|| Failure::data(what)));
        };
        waiting.retain(|waiting| meant.contains(&&waiting.thing));
        Ok(waiting)
    }

    /// Lets one item in, and says what became of it. What a person said is wrong or done stays where it is.
    fn release(&self, waiting: &Waiting) -> Result<String, Failure> {
        let (kind, session_id) = (waiting.kind, waiting.entry.session_id.as_str());
        let mut item = Item { grounded: true, id: waiting.thing.id.clone(), ..waiting.entry.item.clone() };
        item.reason.clear();
        if kind == ItemKind::Memory {
            // What is told of it has no place for whose words it was: a person vouches for it now.
            Voice::User.word().clone_into(&mut item.said_by);
        }
        let notes = Receipts::new(&self.memory, session_id, &self.project, self.redactor);
        let says = match self.put(kind, &mut item, waiting, &notes)? {
            Ok(Added::Written) => "released".to_owned(),
            Ok(Added::Unchanged) => "known already".to_owned(),
            Ok(Added::DuplicateOf(id)) => format!("known already, as {}", item::short_id(&id)),
            Ok(Added::Forgotten(id)) => {
                return Ok(format!("not released, for {} says the same and is forgotten", item::short_id(&id)));
            }
            Err(reason) => return Ok(format!("not released, for {reason}")),
        };
        let (ids, now) = ([waiting.thing.id.clone()], clock::local(clock::now()));
        journal::mark(&self.memory, kind, &ids, Mark::Released, &now, self.redactor, Some(&notes))?;
        Ok(says)
    }

    /// Puts an item where the trusted ones of its kind are, or says why it cannot be there.
    fn put(
        &self,
        kind: ItemKind,
        item: &mut Item,
        waiting: &Waiting,
        notes: &Receipts<'_>,
    ) -> Result<Result<Added, &'static str>, Failure> {
        let (project, session_id) = (self.project.as_str(), waiting.entry.session_id.as_str());
        let time = waiting.entry.time.unwrap_or_else(clock::now);
        match kind {
            ItemKind::Handoff => self.put_open(item, session_id, time, notes),
            ItemKind::Learning => {
                let (top, folder) = (self.config.learnings_top()?, self.config.learnings_folder()?);
                let mut learnings = Shelf::read(&top, &folder, self.redactor)?.with_receipts(notes);
                Ok(Ok(learnings.keep(item, project, &clock::local_day(time))?.1))
            }
            ItemKind::Decision | ItemKind::Failure | ItemKind::Memory => {
                let ts = clock::local(time);
                let from = Origin { ts: &ts, project, session_id, redactor: self.redactor, receipts: Some(notes) };
                let added = journal::add(&self.memory, kind, std::slice::from_mut(item), from, true)?;
                Ok(Ok(added.into_iter().next().unwrap_or(Added::Unchanged)))
            }
        }
    }

    /// Puts an open item behind what is there.
    fn put_open(
        &self,
        item: &Item,
        session_id: &str,
        time: Timestamp,
        notes: &Receipts<'_>,
    ) -> Result<Result<Added, &'static str>, Failure> {
        let heading = self.config.compound_loop.handoff_heading.as_deref();
        let given = Given {
            items: std::slice::from_ref(item),
            session_id,
            // It makes the handoff no newer than it is.
            source_mtime: handoff::newest(&self.memory)?.map_or(time, |newest| newest.min(time)),
            ended_at: Some(time),
            worked: false,
            base: "",
            heading: handoff::heading(heading, text::is_spanish(&item.summary)),
            redactor: self.redactor,
            receipts: Some(notes),
        };
        let (put, listed) = handoff::put(&self.memory, &given)?;
        Ok(match listed.into_iter().next() {
            Some(Listed::Not(reason)) => Err(match reason {
                NotOpen::ClosedByPerson => "a person closed it",
                NotOpen::ClosedLater => "a later session closed it",
                NotOpen::NoWords => "it has no words",
            }),
            Some(Listed::DuplicateOf(text)) => {
                Ok(Added::DuplicateOf(item::id(ItemKind::Handoff, &self.project, &text)))
            }
            _ if put == Put::Unchanged => Ok(Added::Unchanged),
            _ => Ok(Added::Written),
        })
    }
}
