//! Taking all of a session, or a learning, out of what is remembered, and bringing it back. What goes is moved to the
//! `.archive/` of its folder by [`change`]; of a list that holds other sessions, too, the lines go. One removal has a
//! receipt in each folder, and all of these have names that begin alike.

use super::area::{self, Area, AreaKind};
use super::{PruneOptions, REMOVE, Sink, record, would};
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
use crate::store::change::{self, ChangeState, Planned};
use crate::store::kept::{FixLine, Kept, SaidLine};
use crate::store::newest::POINTER;
use crate::store::page::Page;
use crate::store::receipts::{self, Wrote};
use crate::store::{self, Memory, Newest, briefing, episodes, handoff, journal, memories, progress, summary};
use crate::tool::by_id;
use crate::tool::recall::{self, HitKind};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why a file goes.
const WHY: &str = "taken out by hand";

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
pub fn remove(tool: &str, words: &[String], dry: bool, config: &Config, told: Sink<'_>) -> Result<Exit, Failure> {
    by_id::no_empty(words)?;
    if words.is_empty() {
        return Err(Failure::usage("nothing was named: give the id of a session or of a learning; see --help"));
    }
    let all = words.iter().map(|word| Gone::find(word, config)).collect::<Result<Vec<_>, _>>()?;
    // The receipts of all folders have one time: by it they are one run.
    let (mut any, now) = (false, clock::now());
    for gone in &all {
        // A session that is distilled in this moment would be written again.
        let at_rest = gone.homes.iter().filter(|_| !dry).map(|home| Queue::in_home(home).rest());
        let _at_rest = at_rest.collect::<Result<Vec<_>, _>>()?;
        // The queue first: what is noted there keeps a hook from writing it again.
        let mut areas = area::all(true, tool, config)?;
        areas.sort_by_key(|area| !matches!(area.kind, AreaKind::Queue(_)));
        let mut changed = Vec::new();
        for area in areas {
            changed.extend(gone.leave(&area, dry, now, config, told)?.then_some(area));
        }
        any |= !changed.is_empty();
        changed.iter().filter(|_| !dry).try_for_each(|area| area.follow_journal(config))?;
    }
    Ok(if any { Exit::Done } else { Exit::No })
}

/// Brings back what was taken out: by the head of its id or the run, without words the last one. What was taken out several
/// times comes back from each.
pub fn undo(tool: &str, words: &[String], dry_run: bool, config: &Config, told: Sink<'_>) -> Result<Exit, Failure> {
    // The runs, each with the names of what it took out.
    let mut runs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for area in area::all(true, tool, config)? {
        for receipt in change::receipts(&area.folder)?.into_iter().filter(|receipt| receipt.by.starts_with(REMOVE)) {
            let is_out =
                |entry: &change::ChangedFile| entry.state == ChangeState::Done && !entry.name.ends_with(memories::KEPT);
            if receipt.entries.iter().any(is_out) {
                let names = receipt.entries.iter().map(|entry| entry.name.clone());
                runs.entry(run_of(&receipt.id).to_owned()).or_default().extend(names);
            }
        }
    }
    let mut meant = Vec::new();
    for word in words {
        // The note of a session has its whole id; a learning has none.
        let noted = removed::name(&session::safe_id(word));
        let before = meant.len();
        for (run, names) in &runs {
            let [is_noted, has_note] = [noted.as_path(), Path::new("removed")]
                .map(|note| names.iter().any(|name| Path::new(name).starts_with(note)));
            let short = Some(short_of(run)).filter(|short| !short.is_empty() && by_id::is_id(word));
            let is_short = short.is_some_and(|short| short == word || !has_note && word.starts_with(short));
            if run == word || is_noted || is_short {
                meant.push(run.clone());
            }
        }
        if meant.len() == before {
            return Err(Failure::data(format!("'{word}' was not taken out, or is back")));
        }
    }
    if let Some((last, _)) = runs.last_key_value().filter(|_| words.is_empty()) {
        // All that went in the same second, and what of these went before.
        let second = last.split('-').next();
        let same = runs.keys().filter(|run| run.split('-').next() == second);
        let shorts: BTreeSet<&str> = same.map(|run| short_of(run)).collect();
        meant.extend(runs.keys().filter(|run| shorts.contains(short_of(run))).cloned());
    }
    if meant.is_empty() {
        return Err(Failure::new(Exit::No, "nothing is taken out"));
    }
    super::restore(tool, &meant, PruneOptions { all: true, dry_run, ..PruneOptions::default() }, config, told)
}

/// What a run took out, in a few digits.
fn short_of(run: &str) -> &str {
    run.rsplit('-').next().unwrap_or(run)
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
                let homes = config.agent_homes()?;
                let mut removed = homes.iter().flat_map(|home| removed::all(home)).filter(|_| by_id::is_long(word));
                let Some(id) = removed.find(|id| id.starts_with(word)) else { return Err(failure) };
                return Self::session(&id, config);
            }
            hit => hit?,
        };
        match hit.kind {
            HitKind::Session | HitKind::Lost | HitKind::Episode => Self::session(&hit.session_id, config),
            HitKind::Learning => {
                let short = item::short_id(&hit.id).to_owned();
                Ok(Self { short, pages: vec![hit.path], ..Self::default() })
            }
            kind => Err(Failure::data(format!(
                "'{word}' is of the kind '{}', expected a session or a learning: lh forget ID says that an item is \
                 wrong, lh done ID closes it",
                kind.word()
            ))),
        }
    }

    fn session(session_id: &str, config: &Config) -> Result<Self, Failure> {
        let id = session::safe_id(session_id);
        let (mut pages, mut subagents) = (Vec::new(), BTreeSet::new());
        let (short, sessions) = (session::short_id(session_id), config.sessions_folder()?);
        for month in file::names(&sessions)?.into_iter().map(|month| sessions.join(month)) {
            for name in file::names(&month).unwrap_or_else(|_| Vec::new()) {
                // A subagent's page has another name.
                let said = name.to_string_lossy();
                if !said.contains(&short) && !said.contains(layout::SUBAGENT) {
                    continue;
                }
                let path = month.join(&name);
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
            notes.extend(own.map(|entry| entry.id().into_owned()));
            let of_it = receipts::all(&Memory::alone(&folder))?.into_iter().filter(|receipt| receipt.session_id == id);
            for entry in of_it.flat_map(|receipt| receipt.entries) {
                if let Wrote::Page(page) = entry.wrote {
                    let path = config.learnings_folder()?.join(&page.path);
                    let is_same = file::read(&path)?.is_some_and(|bytes| item::hash(&bytes) == page.hash);
                    pages.extend((is_same && !pages.contains(&path)).then_some(path));
                }
            }
        }
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for home in homes {
            if let Some(path) = layout::locate(&home, session_id, Path::new("/")) {
                subagents.extend(layout::subagents(&path)?.iter().map(|path| session::safe_id(&session::id_of(path))));
                with.push(home);
            } else if home.is_dir() {
                without.push(home);
            }
        }
        // If the transcript is gone, the client's history still has the prompts.
        let homes = if with.is_empty() { without } else { with };
        Ok(Self { id, short, pages, subagents, homes, notes })
    }

    /// Takes it out of a folder; whether there was anything of it.
    fn leave(&self, area: &Area, dry: bool, now: Timestamp, config: &Config, told: Sink<'_>) -> Result<bool, Failure> {
        area.is_ours()?;
        let locks = if dry { None } else { area.lock()? };
        if !dry && change::is_used(&area.folder) {
            change::settle(&area.folder)?;
        }
        let redactor = Redactor::new(&config.privacy)?;
        let mut out = Out { folder: &area.folder, changes: Vec::new() };
        self.in_area(area, &mut out, &redactor)?;
        let mut changes = out.changes;
        if changes.is_empty() {
            return Ok(false);
        }
        if dry {
            // What is noted of it is not told.
            changes.retain(|change| !change.before.is_empty());
            return would(area, &changes, &[], told).map(|()| true);
        }
        let by = format!("{REMOVE}-{}-{}", self.short, area.digits());
        let Some(receipt) = change::apply(&area.folder, &by, changes, now)? else { return Ok(false) };
        area.follow(&redactor)?;
        drop(locks);
        for entry in receipt.entries.iter().filter(|entry| !entry.before.is_empty()) {
            told(&record(area, &receipt, entry, super::became(entry)))?;
        }
        if let Some(left) = receipt.entries.iter().find(|entry| entry.state == ChangeState::Left) {
            let path = area.folder.join(&left.name);
            let what = "it was left as it is: see lh-doctor, and try again";
            return Err(Failure::later(format!("{}: {what}", path.display())));
        }
        Ok(true)
    }

    /// What of it is to go from a folder.
    fn in_area(&self, area: &Area, out: &mut Out, redactor: &Redactor) -> Result<(), Failure> {
        match &area.kind {
            AreaKind::Knowledge => {
                for page in &self.pages {
                    if let Ok(name) = file::real_path(page).strip_prefix(file::real_path(out.folder)) {
                        out.goes(name)?;
                    }
                }
                Ok(())
            }
            // Of a learning there is nothing else.
            _ if self.id.is_empty() => Ok(()),
            AreaKind::Memory => {
                self.in_memory(out, redactor)?;
                let has_caches = store::caches(&area.folder)?.0 == area.folder;
                if has_caches { self.in_caches(&area.folder, out, redactor) } else { Ok(()) }
            }
            AreaKind::Caches(memory) => self.in_caches(memory, out, redactor),
            AreaKind::Queue(home) => self.in_queue(home, out),
            AreaKind::Logs(_) => Ok(()),
        }
    }

    /// Its tasks and its state, and the note that it was taken out.
    fn in_queue(&self, home: &Path, out: &mut Out) -> Result<(), Failure> {
        for name in Queue::in_home(home).files_of(&self.id)? {
            out.goes(&name)?;
        }
        if self.homes.iter().any(|own| own == home) && !removed::has(home, &self.id) {
            let note = Masked::exact(format!("removed_at={}\n", clock::now()));
            out.becomes(removed::name(&self.id), Some(note))?;
        }
        Ok(())
    }

    /// What a memory folder has of it, without its caches.
    fn in_memory(&self, out: &mut Out, redactor: &Redactor) -> Result<(), Failure> {
        let folder = out.folder;
        let journals = journal::JOURNALS.iter().flat_map(|(kind, trusted)| journal::files(&[folder], *kind, *trusted));
        for path in journals.chain([SaidLine::NAME, FixLine::NAME].map(|name| folder.join(name))) {
            let (Ok(name), Some(bytes)) = (path.strip_prefix(folder), file::read(&path)?) else { continue };
            let rest = self.without_lines(&bytes);
            if rest.len() < bytes.len() {
                out.plan(name, Some(&bytes), (!rest.is_empty()).then(|| Masked::exact(rest)), true);
            }
        }
        let texts = handoff::without(folder, &self.id, redactor)?.into_iter();
        for (name, after) in texts.chain(progress::without(folder, &self.id, redactor)?) {
            out.becomes(name, after)?;
        }
        for (name, after) in memories::without(folder, &self.notes, redactor)?.0 {
            let before = file::read(&folder.join(&name))?;
            // A line is added to the index at its end.
            out.plan(Path::new(&name), before.as_deref(), after, name == memories::index::NAME);
        }
        out.goes(episodes::name(&self.id))?;
        for path in summary::files_of(folder, &self.id)? {
            path.strip_prefix(folder).map_or(Ok(()), |name| out.goes(name))?;
        }
        // A briefing tells of all sessions together, and is made anew of those that are left.
        if !out.changes.is_empty() {
            for name in briefing::names() {
                out.goes(name)?;
            }
        }
        Ok(())
    }

    /// What the caches of a memory folder have of it.
    fn in_caches(&self, memory: &Path, out: &mut Out, redactor: &Redactor) -> Result<(), Failure> {
        let (_, below) = store::caches(memory)?;
        for (name, ending) in [("told", "jsonl"), ("exports", "json"), ("receipts", "jsonl")] {
            out.goes(format!("{below}{name}/{}.{ending}", self.id))?;
        }
        let is_its =
            |newest: &Newest| self.pages.iter().any(|page| file::real_path(page) == file::real_path(&newest.path));
        if Newest::read(memory).is_some_and(|newest| is_its(&newest)) {
            out.goes(format!("{below}{POINTER}"))?;
        }
        for id in &self.subagents {
            out.goes(format!("{below}exports/{id}.json"))?;
        }
        if let Some((name, after)) = memories::without(memory, &self.notes, redactor)?.1 {
            out.becomes(format!("{below}{name}"), after)?;
        }
        Ok(())
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

/// What is to go from one folder.
struct Out<'a> {
    folder: &'a Path,
    changes: Vec<Planned>,
}

impl Out<'_> {
    /// A file that goes, if it is there.
    fn goes(&mut self, name: impl AsRef<Path>) -> Result<(), Failure> {
        self.becomes(name, None)
    }

    /// A file that becomes what is given, or goes.
    fn becomes(&mut self, name: impl AsRef<Path>, after: Option<Masked>) -> Result<(), Failure> {
        let before = file::read(&self.folder.join(&name))?;
        if before.is_some() || after.is_some() {
            self.plan(name.as_ref(), before.as_deref(), after, false);
        }
        Ok(())
    }

    /// The same of a file that was read. With `grows` it is a list, to which lines are added at its end.
    fn plan(&mut self, name: &Path, before: Option<&[u8]>, after: Option<Masked>, grows: bool) {
        let name = name.to_string_lossy().into_owned();
        self.changes.push(Planned { grows, ..Planned::of_person(name, WHY, before, after) });
    }
}
