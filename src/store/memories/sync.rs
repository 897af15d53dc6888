//! Brings a folder of typed memories to what the journal of memories says. Each memory that holds is a file and a line of
//! the index; what was forgotten or replaced is neither, and is in the archive. What to do is found out anew from what
//! is there, so that a run that was killed is finished by the next one. The order is: archive, what will be ours, index,
//! files; so no file is there without its line, and no line is there that is not known to be ours.

use super::index::{self, Edit};
use super::state::{Filed, MemoriesState, ReplacedText};
use super::{Note, names};
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::masked::Masked;
use crate::base::{clock, front_matter, log, text};
use crate::record::item::{self, ItemKind};
use crate::redact::Redactor;
use crate::store::journal::{self, Entry};
use crate::store::{self, Memory, archive};
use jiff::Timestamp;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

const KIND: ItemKind = ItemKind::Memory;

/// A file that is to be written.
struct NewFile {
    page: Masked,
    file: String,
    /// Its line in the index.
    line: String,
    /// It is there, and ours.
    replaces: bool,
}

/// A folder at work.
struct Sync<'a> {
    memory: &'a Memory,
    project: &'a str,
    taken_out: &'a BTreeSet<String>,
    redactor: &'a Redactor,
    log: &'a [Entry],
    state: MemoriesState,
    edits: Vec<Edit>,
    puts: Vec<NewFile>,
    /// What is ours until its file is gone.
    withdrawn: Vec<Filed>,
    /// The index ends without a newline.
    unended: bool,
    /// Names that are taken.
    taken: HashSet<String>,
    /// What the files are now, of those that we wrote.
    now: HashMap<String, Vec<u8>>,
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
    if !MemoriesState::read(folder)?.leaving.is_empty() {
        super::rebuild(folder, &BTreeMap::new(), false, redactor)?;
    }
    let before = MemoriesState::read(folder)?;
    let mut work = Sync {
        memory,
        project,
        taken_out,
        redactor,
        log: &log,
        state: before.clone(),
        edits: Vec::new(),
        puts: Vec::new(),
        withdrawn: Vec::new(),
        unended: file::read(&folder.join(index::NAME))?
            .is_some_and(|bytes| bytes.last().is_some_and(|last| *last != b'\n')),
        taken: names(folder)?.into_iter().collect(),
        now: HashMap::new(),
    };
    work.plan()?;
    let mut until_done = work.state.until(&work.edits);
    until_done.notes.extend(work.withdrawn.iter().cloned());
    until_done.notes.sort_by(|a, b| a.file.cmp(&b.file));
    if until_done != before {
        until_done.keep(folder, redactor)?;
    }
    index::change(folder, &work.edits, redactor)?;
    for put in &work.puts {
        work.put(put)?;
    }
    for filed in &work.withdrawn {
        file::remove(&store::own_file(folder, &filed.file)?)?;
    }
    work.state.notes.iter_mut().for_each(|filed| filed.pending = false);
    work.state.notes.sort_by(|a, b| a.file.cmp(&b.file));
    if work.state != until_done {
        work.state.keep(folder, redactor)?;
    }
    if !work.edits.is_empty() && index::is_too_long(folder)? {
        super::rebuild(folder, &BTreeMap::new(), false, redactor)?;
    }
    let there = work.state.notes.iter().filter(|filed| !filed.gone);
    Ok(there.map(|filed| (filed.id.clone(), folder.join(&filed.file))).collect())
}

impl Sync<'_> {
    fn plan(&mut self) -> Result<(), Failure> {
        let folder = self.memory.notes();
        let lines = index::read(folder)?;
        self.edits.extend(index::without_ours(&lines, folder));
        let linked: HashSet<String> = lines.iter().flat_map(|line| index::links(line, folder)).collect();
        let mut unread = HashSet::new();
        for filed in &self.state.notes {
            match file::read(&folder.join(&filed.file)) {
                Ok(bytes) => self.now.extend(bytes.map(|bytes| (filed.file.clone(), bytes))),
                Err(failure) => {
                    log::say("lh", &format!("{}: it is left as it is", failure.message));
                    unread.insert(filed.file.clone());
                }
            }
        }
        let log = self.log;
        // What only a tool said is not in it.
        let held: Vec<&Entry> = log.iter().filter(|entry| entry.holds() && entry.item.grounded).collect();
        let held_ids: HashSet<Cow<'_, str>> = held.iter().map(|entry| entry.id()).collect();
        let forgotten: HashMap<Cow<'_, str>, bool> =
            log.iter().rev().map(|entry| (entry.id(), entry.is_forgotten())).collect();
        let mut free: Vec<Filed> = Vec::new();
        let mut changed: Vec<Filed> = Vec::new();
        let mut kept = Vec::new();
        for mut filed in std::mem::take(&mut self.state.notes) {
            if unread.contains(&filed.file) {
                kept.push(filed);
                continue;
            }
            let is_forgotten = forgotten.get(filed.id.as_str()).copied();
            let is_held = held_ids.contains(filed.id.as_str());
            let hash = self.now.get(&filed.file).map(|bytes| item::hash(bytes));
            if filed.pending && is_held && hash.as_ref() != Some(&filed.hash) {
                // A run was killed before it wrote the file: it is made anew of what is there.
                let old = filed.replaced.take().filter(|old| hash.as_ref() == Some(&old.hash));
                if let Some(ReplacedText { id, hash, .. }) = old {
                    free.push(Filed { id, hash, ..filed });
                } else {
                    self.unended |= filed.ended;
                    self.edit(Some(filed.line), None);
                }
                continue;
            }
            match (is_held, self.now.get(&filed.file)) {
                (true, None) => {
                    filed.gone = true;
                    self.edit(Some(filed.line.clone()).filter(|_| lines.contains(&filed.line)), None);
                    kept.push(filed);
                }
                (true, Some(_)) => {
                    filed.gone = false;
                    let is_listed = linked.contains(&filed.file) || filed.line.is_empty();
                    self.edit(None, Some(filed.line.clone()).filter(|_| !is_listed));
                    kept.push(filed);
                }
                (false, None) if filed.gone && is_forgotten.is_some() => kept.push(filed),
                // A line of it can be left where a run was killed.
                (false, None) => self.edit(Some(filed.line), None),
                (false, Some(_)) if is_forgotten.is_none() && !self.taken_out.contains(&filed.id) => kept.push(filed),
                (false, Some(bytes)) => {
                    let is_ours = hash.as_ref() == Some(&filed.hash) || self.is_next(&filed, bytes, &held);
                    if is_ours || is_forgotten == Some(true) { &mut free } else { &mut changed }.push(filed);
                }
            }
        }
        let filed: HashSet<String> = kept.iter().map(|filed| filed.id.clone()).collect();
        self.state.notes = kept;
        for entry in held.into_iter().filter(|entry| !filed.contains(&*entry.id())) {
            // One id can be there twice.
            if self.state.of(&entry.id()).is_none() {
                self.file(entry, &mut free, &changed)?;
            }
        }
        free.iter().try_for_each(|filed| self.withdraw(filed))?;
        self.withdrawn = free;
        Ok(())
    }

    /// Whether a file is already what the item says that takes the place of its own: a run was killed then.
    fn is_next(&self, filed: &Filed, bytes: &[u8], held: &[&Entry]) -> bool {
        let is_next = |entry: &&&Entry| entry.item.replaces.contains(&filed.id) || is_back(filed, entry);
        held.iter().filter(is_next).any(|entry| self.page(entry, &[]).bytes() == bytes)
    }

    fn edit(&mut self, old: Option<String>, new: Option<String>) {
        if old.is_some() || new.is_some() {
            self.edits.push(Edit { old, new, unend: false });
        }
    }

    /// Makes an item a file. It takes the place of the memory that it corrects, if that file is still as we wrote it.
    fn file(&mut self, entry: &Entry, free: &mut Vec<Filed>, changed: &[Filed]) -> Result<(), Failure> {
        let id = entry.id().into_owned();
        let earlier = free.iter().position(|filed| entry.item.replaces.contains(&filed.id) || is_back(filed, entry));
        let (mut old, mut replaced, mut ended) = (None, None, false);
        let (file, page) = if let Some(filed) = earlier.map(|at| free.remove(at)) {
            if is_back(&filed, entry) {
                self.forget_archived(&filed)?;
            } else {
                let place = self.archive(&filed.file, &filed.id)?;
                replaced = Some(ReplacedText { id: filed.id.clone(), hash: filed.hash.clone(), place });
            }
            old = Some(filed.line);
            ended = filed.ended;
            (filed.file, self.page(entry, &[]))
        } else {
            let corrects = self.corrected(entry, changed)?;
            let page = self.page(entry, &corrects);
            (self.name(entry, &page)?, page)
        };
        let line = index::line(&file, &entry.item.summary, self.redactor.shown(&description(entry)).as_ref());
        let line = self.redactor.shown(&line).into_owned();
        self.edit(old.clone(), Some(line.clone()));
        ended |= old.is_none() && std::mem::take(&mut self.unended);
        let (hash, gone) = (item::hash(page.bytes()), false);
        self.state.notes.push(Filed {
            id,
            file: file.clone(),
            hash,
            line: line.clone(),
            replaced,
            ended,
            pending: true,
            gone,
        });
        self.puts.push(NewFile { page, file, line, replaces: old.is_some() });
        Ok(())
    }

    /// Lets an item's file go: to the archive, or altogether if what wrote it was taken back.
    fn withdraw(&mut self, filed: &Filed) -> Result<(), Failure> {
        if self.log.iter().any(|entry| entry.id() == filed.id) {
            self.archive(&filed.file, &filed.id)?;
        } else {
            self.forget_archived(filed)?;
        }
        self.edits.push(Edit { old: Some(filed.line.clone()), new: None, unend: filed.ended });
        Ok(())
    }

    /// Keeps a copy of an item's file in the archive, and says where.
    fn archive(&self, file: &str, id: &String) -> Result<String, Failure> {
        let by = |entry: &&Entry| entry.item.replaces.contains(id);
        // The same time whenever it is done again.
        let time = self.log.iter().filter(by).filter_map(|entry| entry.time).max();
        let own = || self.log.iter().find(|entry| entry.id() == *id).and_then(|entry| entry.time);
        let time = time.or_else(own).unwrap_or(Timestamp::UNIX_EPOCH);
        let bytes = self.now.get(file).cloned().unwrap_or_default();
        archive::keep(self.memory.notes(), file, time, bytes)
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
    fn corrected(&self, entry: &Entry, changed: &[Filed]) -> Result<Vec<(String, String)>, Failure> {
        if entry.item.replaces.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for name in &self.taken {
            let ours = changed.iter().find(|filed| filed.file == *name).map(|filed| filed.id.clone());
            let Some(note) = Note::read(self.memory.notes(), name)? else { continue };
            let id = ours.unwrap_or_else(|| item::id(KIND, self.project, &note.name));
            if entry.item.replaces.contains(&id) && !self.state.notes.iter().any(|filed| filed.file == *name) {
                found.push((name.clone(), note.name));
            }
        }
        found.sort();
        Ok(found)
    }

    /// A name for a new file: that of the item, or one behind it if that is taken.
    fn name(&mut self, entry: &Entry, page: &Masked) -> Result<String, Failure> {
        let slug = item::slug(&self.redactor.shown(&entry.item.summary));
        let mut number = 1_u32;
        loop {
            let ending = if number == 1 { String::new() } else { format!("-{number}") };
            let name = format!("{slug}{ending}.md");
            let is_used = self.state.notes.iter().any(|filed| filed.file == name);
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

    fn put(&self, put: &NewFile) -> Result<(), Failure> {
        let folder = self.memory.notes();
        let target = store::own_file(folder, &put.file)?;
        if put.replaces {
            return file::replace(&target, &put.page, Durable::Yes);
        }
        if file::create(&target, &put.page, Durable::Yes)? || file::read(&target)?.as_deref() == Some(put.page.bytes())
        {
            return Ok(());
        }
        // A file of that name was made meanwhile: theirs stays, and the next run finds another name.
        let wrong = Edit { old: Some(put.line.clone()), ..Edit::default() };
        index::change(folder, &[wrong], self.redactor)?;
        Err(Failure::later(format!("'{}' was made by another program a moment ago: try again", target.display())))
    }
}

/// Whether an item is the one whose place another took that was taken back.
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
