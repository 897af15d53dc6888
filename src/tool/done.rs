//! Closing an open item of the current folder's project by hand, and opening it again.

use super::pick::{self, Thing};
use crate::agent::project;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::text;
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::{self, Memory, handoff};
use std::path::Path;

/// What is to be done.
pub struct Wanted {
    /// Ids, or the words of one item; none for the list, or for what was closed last.
    pub words: Vec<String>,
    /// Open it again.
    pub undo: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// A project's list of what is open.
struct Work<'a> {
    memory: Memory,
    project: String,
    config: &'a Config,
    redactor: Redactor,
}

/// Does it, and says what was done, an item a line; "" when there is nothing to list.
pub fn done(wanted: &Wanted, config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let session = project::here(config)?;
    let memory = Memory::of(&session, config)?;
    let project = redactor.shown(&session.project).into_owned();
    let work = Work { memory, project, config, redactor };
    let lists = !wanted.undo && wanted.words.is_empty();
    let mut locks = Vec::new();
    // Where there is no memory nothing is open, and none is made.
    for folder in work.memory.folders().filter(|folder| !lists && !wanted.dry_run && folder.is_dir()) {
        locks.push(store::lock(folder)?);
    }
    let lines = match (lists, wanted.undo) {
        (true, _) => work.open()?.iter().map(Thing::line).collect(),
        (false, true) => work.reopen(wanted)?,
        (false, false) => work.close(wanted)?,
    };
    drop(locks);
    Ok(work.redactor.masked_parts(&pick::text(&lines)))
}

impl Work<'_> {
    fn things(&self, items: &[String]) -> Vec<Thing> {
        let thing = |item: &String| Thing {
            id: item::id(ItemKind::Handoff, &self.project, item),
            text: text::one_line(&self.redactor.shown(item)).into_owned(),
        };
        items.iter().map(thing).collect()
    }

    fn open(&self) -> Result<Vec<Thing>, Failure> {
        Ok(self.things(&self.items(|folder| Ok(handoff::read(folder)?.items))?))
    }

    /// The items of every folder, each once.
    fn items(&self, of: fn(&Path) -> Result<Vec<String>, Failure>) -> Result<Vec<String>, Failure> {
        let mut all: Vec<String> = Vec::new();
        for folder in self.memory.folders() {
            let more: Vec<String> = of(folder)?.into_iter().filter(|item| !all.contains(item)).collect();
            all.extend(more);
        }
        Ok(all)
    }

    /// What is open, and what was closed by hand.
    fn both(&self) -> Result<(Vec<String>, Vec<String>), Failure> {
        let open = self.items(|folder| Ok(handoff::read(folder)?.items))?;
        let closed = self.items(handoff::closed)?;
        Ok((open.clone(), closed.into_iter().filter(|item| !open.contains(item)).collect()))
    }

    fn close(&self, wanted: &Wanted) -> Result<Vec<String>, Failure> {
        let (open, closed) = self.both()?;
        let (all, done) = (self.things(&open), self.things(&closed));
        let Some(meant) = meant(&all, &done, wanted)? else {
            let word = wanted.words.join(" ");
            return Err(Failure::data(format!("nothing open here is '{word}'; lh-done alone lists what is open")));
        };
        let items = texts(&open, &all, &meant);
        for folder in self.memory.folders().filter(|_| !wanted.dry_run) {
            let there = handoff::read(folder)?.items;
            if items.iter().any(|item| there.contains(item)) {
                handoff::close(folder, &items, &self.redactor)?;
            }
        }
        Ok(said(&meant, &all, if wanted.dry_run { "would close" } else { "closed" }, "closed already"))
    }

    fn reopen(&self, wanted: &Wanted) -> Result<Vec<String>, Failure> {
        let (open, closed) = self.both()?;
        let (all, done) = (self.things(&open), self.things(&closed));
        let last = || done.last().map(|last| vec![last]);
        let Some(meant) = (if wanted.words.is_empty() { last() } else { meant(&done, &all, wanted)? }) else {
            let word = wanted.words.join(" ");
            let what = if word.is_empty() { "nothing".to_owned() } else { format!("nothing that is '{word}'") };
            return Err(Failure::data(format!("{what} was closed by hand here")));
        };
        let items = texts(&closed, &done, &meant);
        if !wanted.dry_run && !items.is_empty() {
            let is_spanish = text::is_spanish(&items.join(" "));
            let heading = handoff::heading(self.config.compound_loop.handoff_heading.as_deref(), is_spanish);
            // Where it was closed; what another folder closed is not put there.
            for folder in self.memory.folders() {
                let there = handoff::closed(folder)?;
                let own: Vec<String> = items.iter().filter(|item| there.contains(item)).cloned().collect();
                if !own.is_empty() {
                    handoff::reopen(folder, &own, heading, &self.redactor)?;
                }
            }
        }
        Ok(said(&meant, &done, if wanted.dry_run { "would open again" } else { "open again" }, "open already"))
    }
}

/// The things that the words mean: heads of ids, or words of one. What is done already is found, too, for after a
/// kill, or by two people at once, the same is asked for again.
fn meant<'t>(all: &'t [Thing], done: &'t [Thing], wanted: &Wanted) -> Result<Option<Vec<&'t Thing>>, Failure> {
    if let Some(found) = pick::by_ids(&[all, done], &wanted.words)? {
        return Ok(Some(found));
    }
    let words = wanted.words.join(" ");
    let one = pick::by_words(all, &words)?;
    let one = if one.is_some() { one } else { pick::by_words(done, &words)? };
    Ok(one.map(|one| vec![one]))
}

/// The items as they are on the page.
fn texts(items: &[String], things: &[Thing], meant: &[&Thing]) -> Vec<String> {
    let with_things = items.iter().zip(things);
    with_things.filter(|(_, thing)| meant.contains(thing)).map(|(item, _)| item.clone()).collect()
}

fn said(meant: &[&Thing], all: &[Thing], what: &str, already: &str) -> Vec<String> {
    let says = |thing: &&Thing| if all.contains(thing) { what } else { already };
    meant.iter().map(|thing| format!("{}: {}", says(thing), thing.line())).collect()
}
