//! Taking all of a session, or a learning, out of what is remembered, and bringing it back. What goes is moved to the
//! `.archive/` of its folder by [`change`]; of a list that holds other sessions, too, the lines go. One removal has a
//! receipt in each folder, and all of these have names that begin alike.

use super::area::{self, Area, Kind as Place};
use super::{REMOVE, Told, Wanted, record, would};
use crate::agent::{layout, removed};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, file};
use crate::queue::Queue;
use crate::record::item::{self, ItemKind};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::change::{self, Planned, State};
use crate::store::kept::{FixLine, Kept, SaidLine};
use crate::store::newest::POINTER;
use crate::store::page::Page;
use crate::store::receipts::{self, Wrote};
use crate::store::{self, Memory, Newest, briefing, episodes, handoff, journal, memories, progress, summary};
use crate::tool::by_id;
use crate::tool::recall::{self, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why a file goes.
const WHY: &str = "taken out by hand";
/// The journals that have lines of sessions.
const JOURNALS: [(ItemKind, bool); 4] =
    [(ItemKind::Handoff, false), (ItemKind::Decision, true), (ItemKind::Failure, true), (ItemKind::Memory, true)];

/// What is to go.
#[derive(Default)]
pub struct Gone {
    /// The session's id as the name of a file; "" for a learning.
    id: String,
    /// What its run is called by.
    short: String,
    /// Its page, or the learning; of a session also those of its subagents and those that it gave.
    pages: Vec<PathBuf>,
    /// The ids of its subagents, as names of files.
    subagents: BTreeSet<String>,
    /// The homes in which its transcript is: there it is noted that it was taken out.
    homes: Vec<PathBuf>,
    /// The ids of the typed memories that it gave.
    notes: BTreeSet<String>,
}

/// Takes sessions and learnings out, and tells of each file.
pub fn remove(tool: &str, words: &[String], dry: bool, config: &Config, told: Told<'_>) -> Result<Exit, Failure> {
    by_id::no_empty(words)?;
    if words.is_empty() {
        return Err(Failure::usage("nothing was named: give the id of a session or of a learning; see --help"));
    }
    let all = words.iter().map(|word| Gone::find(word, config)).collect::<Result<Vec<_>, _>>()?;
    let mut any = false;
    for gone in &all {
        // A session that is distilled in this moment would be written again.
        let at_rest = gone.homes.iter().filter(|_| !dry).map(|home| Queue::in_home(home).rest());
        let at_rest = at_rest.collect::<Result<Vec<_>, _>>()?;
        // The queue first: what is noted there keeps a hook from writing it again.
        let mut areas = area::all(true, tool, config)?;
        areas.sort_by_key(|area| !matches!(area.kind, Place::Queue(_)));
        let mut changed = Vec::new();
        for area in areas {
            changed.extend(gone.leave(&area, dry, config, told)?.then_some(area));
        }
        any |= !changed.is_empty();
        if !dry {
            changed.iter().try_for_each(|area| area.follow_journal(config))?;
        }
        drop(at_rest);
    }
    Ok(if any { Exit::Done } else { Exit::No })
}

/// Brings back what was taken out: by the head of its id or the run, without words the last one. What was taken out several
/// times comes back from each.
pub fn undo(tool: &str, words: &[String], dry_run: bool, config: &Config, told: Told<'_>) -> Result<Exit, Failure> {
    // The runs, each with the names of what it took out.
    let mut runs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for area in area::all(true, tool, config)? {
        let receipts = change::receipts(&area.folder)?.into_iter().filter(|receipt| receipt.by.starts_with(REMOVE));
        let is_out = |receipt: &change::Change| {
            let is_there =
                |entry: &change::Changed| entry.state == State::Done && !entry.name.ends_with(memories::KEPT);
            receipt.entries.iter().any(is_there)
        };
        for receipt in receipts.filter(is_out) {
            let names = receipt.entries.iter().map(|entry| entry.name.clone());
            runs.entry(run_of(&receipt.id).to_owned()).or_default().extend(names);
        }
    }
    let mut meant = Vec::new();
    for word in words {
        // The note of a session has its whole id.
        let noted = removed::name(&session::safe_id(word));
        let is_of = |(run, names): &(&String, &Vec<String>)| {
            let short = run.rsplit('-').next().unwrap_or_default();
            *run == word
                || names.iter().any(|name| Path::new(name) == noted)
                || !short.is_empty()
                    && by_id::is_id(word)
                    && (short == word || has_no_note(names) && word.starts_with(short))
        };
        let of_it: Vec<String> = runs.iter().filter(is_of).map(|(run, _)| run.clone()).collect();
        if of_it.is_empty() {
            return Err(Failure::data(format!("'{word}' was not taken out, or is back")));
        }
        meant.extend(of_it);
    }
    if let Some((last, _)) = runs.last_key_value().filter(|_| words.is_empty()) {
        // All that went in the same second, and what of these went before.
        let second = |run: &str| run.split('-').next().map(str::to_owned);
        let shorts: BTreeSet<_> =
            runs.keys().filter(|run| second(run) == second(last)).map(|run| run.rsplit('-').next()).collect();
        meant.extend(runs.keys().filter(|run| shorts.contains(&run.rsplit('-').next())).cloned());
    }
    if meant.is_empty() {
        return Err(Failure::new(Exit::No, "nothing is taken out"));
    }
    super::restore(tool, &meant, Wanted { all: true, dry_run, ..Wanted::default() }, config, told)
}

/// Whether a run took out a learning: a session has a note.
fn has_no_note(names: &[String]) -> bool {
    !names.iter().any(|name| Path::new(name).starts_with("removed"))
}

/// What the receipts of one removal have in common: without the digits of the folder.
pub fn run_of(receipt: &str) -> &str {
    let end = receipt.match_indices('-').nth(2).map_or(receipt.len(), |(at, _)| at);
    receipt.get(..end).unwrap_or(receipt)
}

impl Gone {
    fn find(word: &str, config: &Config) -> Result<Self, Failure> {
        let hit = match recall::show(word, config) {
            // A removal that was killed goes on, and what was written of the session since goes, too.
            Err(failure) if failure.exit == Exit::No => {
                let removed: Vec<String> = config.agent_homes()?.iter().flat_map(|home| removed::all(home)).collect();
                let known = removed.iter().find(|id| by_id::is_long(word) && id.starts_with(word));
                return known.map_or(Err(failure), |id| Self::session(id, config));
            }
            shown => shown?.hit,
        };
        match hit.kind {
            Kind::Session | Kind::Lost | Kind::Episode => Self::session(&hit.session_id, config),
            Kind::Learning => {
                let short = item::short_id(&hit.id).to_owned();
                Ok(Self { short, pages: vec![hit.path], ..Self::default() })
            }
            kind => {
                let what =
                    "expected a session or a learning: lh forget ID says that an item is wrong, lh done ID closes it";
                Err(Failure::data(format!("'{word}' is of the kind '{}', {what}", kind.word())))
            }
        }
    }

    fn session(session_id: &str, config: &Config) -> Result<Self, Failure> {
        let id = session::safe_id(session_id);
        let (mut pages, mut subagents) = (Vec::new(), BTreeSet::new());
        for month in file::names(&config.sessions_folder()?)? {
            let month = config.sessions_folder()?.join(month);
            let names = file::names(&month).unwrap_or_else(|_| Vec::new()).into_iter();
            // A subagent's page has another name.
            let short = session::short_id(session_id);
            let can_be = |name: &str| name.contains(&short) || name.contains(layout::SUBAGENT);
            for path in names.filter(|name| can_be(&name.to_string_lossy())) {
                let path = month.join(path);
                let Some(page) = Page::read(&path)? else { continue };
                if page.parent.as_deref() == Some(session_id) {
                    subagents.insert(session::safe_id(&page.session_id));
                } else if page.session_id != session_id {
                    continue;
                }
                pages.push(path);
            }
        }
        let homes = config.agent_homes()?;
        let mut notes = BTreeSet::new();
        for folder in homes.iter().flat_map(|home| store::all(home, config)).collect::<BTreeSet<_>>() {
            let files = journal::files(&[&folder], ItemKind::Memory, true);
            let own = journal::read(&files, ItemKind::Memory)?.into_iter().filter(|one| one.session_id == session_id);
            notes.extend(own.map(|entry| entry.id(ItemKind::Memory).into_owned()));
            let of_it = receipts::all(&Memory::alone(&folder))?.into_iter().filter(|receipt| receipt.session_id == id);
            for entry in of_it.flat_map(|receipt| receipt.entries) {
                if let Wrote::Page(page) = entry.wrote {
                    let path = config.learnings_folder()?.join(&page.path);
                    let is_same = file::read(&path)?.is_some_and(|bytes| item::hash(&bytes) == page.hash);
                    pages.extend((is_same && !pages.contains(&path)).then_some(path));
                }
            }
        }
        let transcript = |home: &PathBuf| layout::locate(home, session_id, Path::new("/"));
        for path in homes.iter().filter_map(transcript) {
            subagents.extend(layout::subagents(&path)?.iter().map(|path| session::safe_id(&session::id_of(path))));
        }
        let has = |home: &PathBuf| transcript(home).is_some();
        let (with, without): (Vec<_>, Vec<_>) = homes.into_iter().partition(has);
        // If the transcript is gone, the client's history still has the prompts.
        let homes = if with.is_empty() { without.into_iter().filter(|home| home.is_dir()).collect() } else { with };
        Ok(Self { short: session::short_id(session_id), id, pages, subagents, homes, notes })
    }

    /// Takes it out of a folder; whether there was anything of it.
    fn leave(&self, area: &Area, dry: bool, config: &Config, told: Told<'_>) -> Result<bool, Failure> {
        area.is_ours()?;
        let locks = if dry { None } else { area.lock()? };
        if !dry && change::is_used(&area.folder) {
            change::settle(&area.folder)?;
        }
        let redactor = Redactor::new(&config.privacy)?;
        let mut changes = self.in_area(area, &redactor)?;
        if changes.is_empty() {
            return Ok(false);
        }
        if dry {
            // What is noted of it is not told.
            changes.retain(|change| !change.before.is_empty());
            return would(area, &changes, &[], told).map(|()| true);
        }
        let by = format!("{REMOVE}-{}-{}", self.short, area.digits());
        let Some(receipt) = change::apply(&area.folder, &by, changes, clock::now())? else { return Ok(false) };
        area.follow(&redactor)?;
        drop(locks);
        for entry in receipt.entries.iter().filter(|entry| !entry.before.is_empty()) {
            let became = super::became(entry);
            told(&record(area, &receipt.id, &receipt.ts, entry, became))?;
        }
        if let Some(left) = receipt.entries.iter().find(|entry| entry.state == State::Left) {
            let path = area.folder.join(&left.name);
            return Err(Failure::later(format!(
                "{}: it was left as it is: see lh-doctor, and try again",
                path.display()
            )));
        }
        Ok(true)
    }

    /// What of it is to go from a folder.
    fn in_area(&self, area: &Area, redactor: &Redactor) -> Result<Vec<Planned>, Failure> {
        match &area.kind {
            Place::Memory => {
                let mut changes = self.in_memory(&area.folder, redactor)?;
                if store::caches(&area.folder)?.0 == area.folder {
                    changes.extend(self.in_caches(&area.folder, redactor)?);
                }
                Ok(changes)
            }
            Place::Caches(memory) => self.in_caches(memory, redactor),
            Place::Queue(home) => self.in_queue(home),
            Place::Knowledge => self.in_knowledge(&area.folder),
            Place::Logs(_) => Ok(Vec::new()),
        }
    }

    /// Its pages below a folder.
    fn in_knowledge(&self, folder: &Path) -> Result<Vec<Planned>, Failure> {
        let mut changes = Vec::new();
        for page in &self.pages {
            let page = file::real_path(page);
            if let Ok(name) = page.strip_prefix(file::real_path(folder)) {
                changes.extend(whole(folder, name)?);
            }
        }
        Ok(changes)
    }

    /// Its tasks and its state, and the note that it was taken out.
    fn in_queue(&self, home: &Path) -> Result<Vec<Planned>, Failure> {
        let mut changes = Vec::new();
        if self.id.is_empty() {
            return Ok(changes);
        }
        let queue = Queue::in_home(home);
        for name in queue.files_of(&self.id)? {
            changes.extend(whole(queue.path(), &name)?);
        }
        if self.homes.iter().any(|own| own == home) && !removed::has(home, &self.id) {
            let after = Some(Masked::exact(format!("removed_at={}\n", clock::now())));
            changes.push(planned(&removed::name(&self.id), None, after));
        }
        Ok(changes)
    }

    /// What a memory folder has of it, without its caches.
    fn in_memory(&self, folder: &Path, redactor: &Redactor) -> Result<Vec<Planned>, Failure> {
        let mut changes = Vec::new();
        if self.id.is_empty() {
            return Ok(changes);
        }
        let journals = JOURNALS.iter().flat_map(|(kind, trusted)| journal::files(&[folder], *kind, *trusted));
        for path in journals.chain([SaidLine::NAME, FixLine::NAME].map(|name| folder.join(name))) {
            let (Ok(name), Some(bytes)) = (path.strip_prefix(folder), file::read(&path)?) else { continue };
            let rest = self.without_lines(&bytes);
            if rest.len() < bytes.len() {
                let after = (!rest.is_empty()).then(|| Masked::exact(rest));
                let change = planned(name, Some(&bytes), after);
                changes.push(Planned { grows: true, ..change });
            }
        }
        let texts = handoff::without(folder, &self.id, redactor)?.into_iter();
        let texts = texts.chain(progress::without(folder, &self.id, redactor)?);
        for (name, after) in texts {
            let before = file::read(&folder.join(name))?;
            changes.push(planned(Path::new(name), before.as_deref(), after));
        }
        for (name, after) in memories::without(folder, &self.notes, redactor)?.0 {
            let before = file::read(&folder.join(&name))?;
            // A line is added to the index at its end.
            let change = planned(Path::new(&name), before.as_deref(), after);
            changes.push(Planned { grows: name == memories::index::NAME, ..change });
        }
        changes.extend(whole(folder, Path::new(&episodes::name(&self.id)))?);
        for path in summary::files_of(folder, &self.id)? {
            changes.extend(path.strip_prefix(folder).ok().map(|name| whole(folder, name)).transpose()?.flatten());
        }
        // A briefing tells of all sessions together, and is made anew of those that are left.
        if !changes.is_empty() {
            for name in briefing::names() {
                changes.extend(whole(folder, Path::new(&name))?);
            }
        }
        Ok(changes)
    }

    /// What the caches of a memory folder have of it.
    fn in_caches(&self, memory: &Path, redactor: &Redactor) -> Result<Vec<Planned>, Failure> {
        let (folder, below) = store::caches(memory)?;
        if self.id.is_empty() {
            return Ok(Vec::new());
        }
        let is_its =
            |newest: &Newest| self.pages.iter().any(|page| file::real_path(page) == file::real_path(&newest.path));
        let pointer = Newest::read(memory).filter(is_its).map(|_| format!("{below}{POINTER}"));
        let names = [("told", "jsonl"), ("exports", "json"), ("receipts", "jsonl")];
        let names = names.map(|(name, ending)| format!("{below}{name}/{}.{ending}", self.id));
        let exports = self.subagents.iter().map(|id| format!("{below}exports/{id}.json"));
        let mut changes = Vec::new();
        for name in names.into_iter().chain(pointer).chain(exports) {
            changes.extend(whole(&folder, Path::new(&name))?);
        }
        if let Some((name, after)) = memories::without(memory, &self.notes, redactor)?.1 {
            let name = format!("{below}{name}");
            let before = file::read(&folder.join(&name))?;
            changes.push(planned(Path::new(&name), before.as_deref(), after));
        }
        Ok(changes)
    }

    /// A list without its lines.
    fn without_lines(&self, list: &[u8]) -> Vec<u8> {
        let is_its = |line: &&[u8]| {
            let record = std::str::from_utf8(line).ok().and_then(|line| Record::parse(line).ok());
            record.and_then(|record| record.text("session_id")).is_some_and(|id| session::safe_id(&id) == self.id)
        };
        list.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_its(line)).collect::<Vec<_>>().concat()
    }
}

/// A file that goes, if it is there.
fn whole(folder: &Path, name: &Path) -> Result<Option<Planned>, Failure> {
    let bytes = file::read(&folder.join(name))?;
    Ok(bytes.map(|bytes| planned(name, Some(&bytes), None)))
}

fn planned(name: &Path, before: Option<&[u8]>, after: Option<Masked>) -> Planned {
    let keep_until = clock::after(clock::now(), change::UNDO_SECONDS).to_string();
    let (name, before) = (name.to_string_lossy().into_owned(), change::hash(before));
    Planned { name, why: WHY.to_owned(), before, after, keep_until, ..Planned::default() }
}
