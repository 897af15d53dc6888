//! Brings a folder of typed memories to what the journal of memories says. Each memory that holds is a file and a line of
//! the index; what was forgotten or replaced is neither, and is in the archive. What to do is found out anew from what
//! is there, so that a run that was killed is finished by the next one. The order is: archive, what will be ours, files,
//! index; so no file and no line is there that is not known to be ours.

use super::index;
use super::state::{Filed, MemoriesState, ReplacedText};
use super::{Note, names};
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Target};
use crate::base::masked::Masked;
use crate::base::{clock, front_matter, log, text};
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::journal::{self, Entry};
use crate::store::{self, Memory, archive};
use jiff::Timestamp;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

const KIND: ItemKind = ItemKind::Memory;

/// A folder at work.
struct Sync<'a> {
    memory: &'a Memory,
    project: &'a str,
    redactor: &'a Redactor,
    log: &'a [Entry],
    /// Ids of items that were taken out of the journal.
    taken_out: &'a BTreeSet<String>,
    /// The files that the folder is to have.
    notes: Vec<Filed>,
    /// Files that are as we wrote them, and that no item has any more.
    free: Vec<Filed>,
    /// The same that a person changed: they stay, and are the person's.
    changed: Vec<Filed>,
    /// The files that are to be written.
    puts: Vec<(String, Masked)>,
    /// Names that are taken.
    taken: HashSet<String>,
}

/// The files of the memories that have one, each with the id of its item. The caller holds the memory's own lock, and no
/// other. A file stays if the journal has lost its item: only what is forgotten or replaced goes.
pub fn sync(memory: &Memory, project: &str, redactor: &Redactor) -> Result<Vec<(String, PathBuf)>, Failure> {
    sync_without(memory, project, &BTreeSet::new(), redactor)
}

/// The same after the items of some ids were taken out of the journal: their files go, too.
pub fn sync_without(
    memory: &Memory,
    project: &str,
    taken_out: &BTreeSet<String>,
    redactor: &Redactor,
) -> Result<Vec<(String, PathBuf)>, Failure> {
    let folder = memory.notes();
    let log = journal::read(&memory.journal(KIND, true), KIND)?;
    if log.is_empty() && MemoriesState::read(folder)?.notes.is_empty() {
        return Ok(Vec::new());
    }
    let _lock = if folder == &**memory { None } else { Some(store::lock(folder)?) };
    let mut before = MemoriesState::read(folder)?;
    let mut work = Sync {
        memory,
        project,
        redactor,
        log: &log,
        taken_out,
        notes: Vec::new(),
        free: Vec::new(),
        changed: Vec::new(),
        puts: Vec::new(),
        taken: names(folder)?.into_iter().collect(),
    };
    work.plan(&before.notes)?;
    before.notes.retain(|filed| !work.changed.contains(filed));
    // What is about to be written is known to be ours before, and what goes until it is gone.
    let mut until_done = MemoriesState { notes: [work.notes.as_slice(), &work.free].concat(), ..before.clone() };
    until_done.notes.sort_by(|a, b| a.file.cmp(&b.file));
    until_done = until_done.while_leaving(&before);
    if until_done != before {
        until_done.keep(folder, redactor)?;
    }
    for (name, page) in &work.puts {
        let is_ours = before.notes.iter().any(|filed| filed.file == *name);
        put(&store::own_file(folder, name)?, page, is_ours)?;
    }
    for filed in &work.free {
        file::remove(&store::own_file(folder, &filed.file)?)?;
    }
    let mut state = MemoriesState { notes: work.notes, ..before.clone() };
    state.notes.iter_mut().for_each(|filed| filed.pending = false);
    // Lines that are new come in the order of their items.
    let place = |name: &String| state.notes.iter().position(|filed| filed.file == *name).unwrap_or(usize::MAX);
    let mut files = names(folder)?;
    files.retain(|name| state.has(name));
    files.sort_by_cached_key(place);
    state.notes.sort_by(|a, b| a.file.cmp(&b.file));
    super::rebuild::list(folder, &before, &state, files, false, redactor)?;
    let there = state.notes.into_iter().filter(|filed| !filed.gone);
    Ok(there.map(|filed| (filed.id, folder.join(filed.file))).collect())
}

impl Sync<'_> {
    /// Finds out which files there are to be.
    fn plan(&mut self, before: &[Filed]) -> Result<(), Failure> {
        let log = self.log;
        // What only a tool said is not in a file.
        let held: Vec<&Entry> = log.iter().filter(|entry| entry.holds() && entry.item.grounded).collect();
        let held_ids: HashSet<Cow<'_, str>> = held.iter().map(|entry| entry.id()).collect();
        let forgotten: HashMap<Cow<'_, str>, bool> =
            log.iter().rev().map(|entry| (entry.id(), entry.is_forgotten())).collect();
        for filed in before.iter().cloned() {
            let hash = match file::read(&self.memory.notes().join(&filed.file)) {
                Ok(bytes) => bytes.map(|bytes| item::hash(&bytes)),
                Err(failure) => {
                    log::say("lh", &format!("{}: it is left as it is", failure.message));
                    self.notes.push(filed);
                    continue;
                }
            };
            let is_held = held_ids.contains(filed.id.as_str());
            let is_forgotten = forgotten.get(filed.id.as_str()).copied();
            let is_lost = is_forgotten.is_none() && !self.taken_out.contains(&filed.id);
            // A run was killed before it wrote the file.
            let earlier = filed.replaced.as_ref().filter(|old| hash.as_ref() == Some(&old.hash)).cloned();
            match &hash {
                hash if filed.pending && is_held && hash.as_ref() != Some(&filed.hash) => {
                    let old = earlier.map(|ReplacedText { id, hash, .. }| Filed { id, hash, replaced: None, ..filed });
                    self.free.extend(old);
                }
                hash if is_held => self.notes.push(Filed { gone: hash.is_none(), ..filed }),
                None if filed.gone && is_forgotten.is_some() => self.notes.push(filed),
                None => {}
                Some(_) if is_lost => self.notes.push(filed),
                Some(hash) if *hash == filed.hash || earlier.is_some() || is_forgotten == Some(true) => {
                    self.free.push(filed);
                }
                Some(_) => self.changed.push(filed),
            }
        }
        for entry in held {
            let id = entry.id();
            if !self.notes.iter().any(|filed| filed.id == *id) {
                self.file(entry)?;
            }
        }
        self.free.iter().try_for_each(|filed| self.withdraw(filed))
    }

    /// Keeps what is in a file that goes; nothing where what wrote it was taken back.
    fn withdraw(&self, filed: &Filed) -> Result<(), Failure> {
        if self.log.iter().any(|entry| entry.id() == filed.id) {
            return self.archive(filed).map(drop);
        }
        self.forget_archived(filed)
    }

    /// Makes an item a file. It takes the place of the memory that it corrects, if that file is still as we wrote it.
    fn file(&mut self, entry: &Entry) -> Result<(), Failure> {
        let mut new = Filed { id: entry.id().into_owned(), pending: true, ..Filed::default() };
        let is_earlier = |filed: &Filed| entry.item.replaces.contains(&filed.id) || is_back(filed, entry);
        let earlier = self.free.iter().position(is_earlier).map(|at| self.free.remove(at));
        let page = if let Some(filed) = &earlier {
            if is_back(filed, entry) {
                self.forget_archived(filed)?;
            } else {
                let place = self.archive(filed)?;
                new.replaced = Some(ReplacedText { id: filed.id.clone(), hash: filed.hash.clone(), place });
            }
            new.file.clone_from(&filed.file);
            self.page(entry, &[])
        } else {
            let page = self.page(entry, &self.corrected(entry)?);
            new.file = self.name(entry, &page)?;
            page
        };
        new.hash = item::hash(page.bytes());
        let line = index::line(&new.file, &entry.item.summary, &self.redactor.shown(&description(entry)));
        new.line = self.redactor.shown(&line).into_owned();
        self.puts.push((new.file.clone(), page));
        self.notes.push(new);
        Ok(())
    }

    /// Keeps a copy of an item's file in the archive, and says where.
    fn archive(&self, filed: &Filed) -> Result<String, Failure> {
        // The same time whenever it is done again.
        let entry = self.log.iter().find(|entry| entry.id() == filed.id);
        let time = entry.and_then(|entry| entry.replaced.as_ref().and_then(|by| by.at).or(entry.time));
        let time = time.unwrap_or(Timestamp::UNIX_EPOCH);
        let folder = self.memory.notes();
        let Some(bytes) = file::read(&folder.join(&filed.file))? else { return Ok(String::new()) };
        archive::keep(folder, &filed.file, time, &bytes)
    }

    /// Removes the copy that was made when an item took the place of another.
    fn forget_archived(&self, filed: &Filed) -> Result<(), Failure> {
        let Some(replaced) = &filed.replaced else { return Ok(()) };
        let path = store::own_file(self.memory.notes(), &replaced.place)?;
        file::remove(&path)?;
        file::remove_folder(path.parent().unwrap_or(&path));
        Ok(())
    }

    /// The files, another author's or changed by hand, of what an item corrects.
    fn corrected(&self, entry: &Entry) -> Result<Vec<(String, String)>, Failure> {
        if entry.item.replaces.is_empty() {
            return Ok(Vec::new());
        }
        let is_corrected = |note: &Note| entry.item.replaces.contains(&note.item(self.project).id);
        let others = super::of_others(self.memory)?.into_iter().filter(is_corrected);
        Ok(others.map(|note| (note.file, note.name)).collect())
    }

    /// A name for a new file: that of the item, or one behind it if that is taken.
    fn name(&mut self, entry: &Entry, page: &Masked) -> Result<String, Failure> {
        let slug = item::slug(&self.redactor.shown(&entry.item.summary));
        let mut number = 1_u32;
        loop {
            let ending = if number == 1 { String::new() } else { format!("-{number}") };
            let name = format!("{slug}{ending}.md");
            let is_used = self.notes.iter().any(|filed| filed.file == name);
            let is_same = || {
                let there = file::read(&self.memory.notes().join(&name))?;
                Ok::<_, Failure>(there.is_some_and(|there| there == page.bytes()))
            };
            if super::is_note(&name) && (!self.taken.contains(&name) || !is_used && is_same()?) {
                self.taken.insert(name.clone());
                return Ok(name);
            }
            number += 1;
        }
    }

    fn page(&self, entry: &Entry, corrects: &[(String, String)]) -> Masked {
        let item = &entry.item;
        let mut page = format!(
            "---\nname: {}\ndescription: {}\ntype: {}\nid: {}\nsession_id: {}\n",
            front_matter::plain(&text::one_line(&item.summary)),
            front_matter::quoted(&text::one_line(&description(entry))),
            item.memory_type,
            entry.id(),
            front_matter::plain(&entry.session_id),
        );
        let written = entry.time.map(|time| format!("written_at: {}\n", clock::local(time)));
        let who = Some(&item.said_by).filter(|who| !who.is_empty());
        let said_by = who.map(|who| format!("said_by: {}\n", front_matter::plain(who)));
        page.extend([written, said_by].into_iter().flatten());
        for (file, _) in corrects {
            let _ = writeln!(page, "corrects: {}", front_matter::plain(file));
        }
        let body = if item.body.is_empty() { description(entry) } else { told(entry, item.body.trim()) };
        let _ = write!(page, "---\n\n{}\n", body.trim());
        for (file, name) in corrects {
            let _ = write!(page, "\nThis corrects [{}]({file}).\n", text::one_line(name));
        }
        self.redactor.masked(&page)
    }
}

/// Writes a file, in the place of ours or where there is none.
fn put(target: &Target, page: &Masked, is_ours: bool) -> Result<(), Failure> {
    if is_ours {
        return file::replace(target, page, Durable::Yes);
    }
    if file::create(target, page, Durable::Yes)? || file::read(target)?.as_deref() == Some(page.bytes()) {
        return Ok(());
    }
    // Theirs stays, and the next run finds another name.
    Err(Failure::later(format!("'{}' was made by another program a moment ago: try again", target.display())))
}

/// Whether a file took the place of that of an item, and was taken back.
fn is_back(filed: &Filed, entry: &Entry) -> bool {
    filed.replaced.as_ref().is_some_and(|replaced| replaced.id == entry.id())
}

/// What an item says in one sentence, and of an imported one that it is: the client reads it in the file and in the index.
fn description(entry: &Entry) -> Cow<'_, str> {
    told(entry, entry.item.sentence())
}

fn told<'e>(entry: &Entry, text: &'e str) -> Cow<'e, str> {
    // A heading or a list begins a line.
    let gap = if text.starts_with(char::is_alphanumeric) { " " } else { "\n\n" };
    entry.imported_from().map_or(text.into(), |program| format!("Imported from {program}:{gap}{text}").into())
}
