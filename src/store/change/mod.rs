//! What a tool of ours changed, and the way back.
//!
//! A change is a list of files, each with its bytes before and after: before is a copy in the [`archive`], after is in
//! the receipt. A file can also be made, or go. The caller holds the folder's lock.
//! 1. It is begun: `.archive/receipts/ID.json` below the folder says all that is meant to happen, and is synced.
//! 2. It is carried out file by file, the copy first. A file that is not as it was when the plan was made is left alone.
//! 3. It is settled: the receipt says what became of each file. What a kill left half done the next tool ends, by
//!    [`settle`], when it has the lock.
//! 4. It is taken back by [`undo`], which is settled in the same way: a file that is as it was made becomes what it was,
//!    and one that was changed since is left alone and named.
//! 5. [`expire`] removes copies and receipts when their time is over: 30 days, or longer if the plan says so.
//!
//! This is for whole files. Lists to which many write are never as a run left them for long, so that what lh-persist
//! adds is noted by the hash of each line, in [`super::receipts`], and taken back line by line. What a person says of an
//! item, that it is done or wrong, is part of the list and is taken back there, since other machines must see both.
//! `lh undo` shows all three as changes.

mod receipt;

use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Root};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, log};
use crate::record::item;
use crate::record::pruned::{Pruned, pruned};
use crate::store::archive;
use jiff::Timestamp;
use receipt::RECEIPTS;
pub use receipt::{Change, ChangeState, ChangedFile, all as receipts};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What was taken out is kept for so long at least.
pub const KEPT_SECONDS: i64 = 30 * 86_400;
/// The same of what a person may want to take back.
pub const UNDO_SECONDS: i64 = 90 * 86_400;

/// What is to become of one file.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// Its name below the folder.
    pub name: String,
    /// Why, for a person.
    pub why: String,
    /// The hash of the file as it was when the plan was made; "" for one that is to be made.
    pub before: String,
    /// What it is to be; none for a file that goes. It must be text.
    pub after: Option<Masked>,
    /// Its copy is kept at least until then, RFC 3339; "" for no longer than any other.
    pub keep_until: String,
    /// For a file that goes because another one says the same: its name, and the hash that it must have then.
    pub successor: Option<(String, String)>,
    /// Lines are added to the file at its end: what was added since stays when it is taken back.
    pub grows: bool,
}

impl Planned {
    /// What a person may want to take back long after.
    pub fn of_person(name: String, why: &str, before: Option<&[u8]>, after: Option<Masked>) -> Self {
        let keep_until = clock::after(clock::now(), UNDO_SECONDS).to_string();
        Self { name, why: why.to_owned(), before: hash(before), after, keep_until, ..Self::default() }
    }
}

/// The hash of a file, as plans and receipts have it; "" for one that is not there.
pub fn hash(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(String::new, item::hash)
}

/// Carries a plan out in the name of `by`, and gives its receipt; none where there is nothing to do.
pub fn apply(folder: &Path, by: &str, changes: Vec<Planned>, now: Timestamp) -> Result<Option<Change>, Failure> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut receipt = Change::begin(folder, by, changes, now)?;
    go_on(folder, &mut receipt)?;
    Ok(Some(receipt))
}

/// Brings to its end what was killed.
pub fn settle(folder: &Path) -> Result<(), Failure> {
    // What was written aside by one that was killed.
    if let Ok(receipts) = Root::new(folder).inside(RECEIPTS) {
        file::remove_leftovers(&receipts, None);
    }
    let unfinished = receipt::all(folder)?.into_iter().filter(Change::is_unfinished);
    // One that cannot be ended keeps no other from it.
    let ended: Vec<Result<(), Failure>> = unfinished.map(|mut receipt| go_on(folder, &mut receipt)).collect();
    ended.into_iter().collect()
}

/// Takes back what a receipt says, for these names or for all; what was changed since stays as it is. The entries
/// of the receipt say what came of each.
pub fn undo(folder: &Path, id: &str, names: Option<&BTreeSet<String>>) -> Result<Option<Change>, Failure> {
    let Some(mut receipt) = receipt::all(folder)?.into_iter().find(|receipt| receipt.id == id) else {
        return Ok(None);
    };
    let wanted = |entry: &&mut ChangedFile| {
        entry.state == ChangeState::Done && names.is_none_or(|all| all.contains(&entry.name))
    };
    for entry in receipt.entries.iter_mut().filter(wanted) {
        entry.state = ChangeState::Returning;
        entry.returned_at = clock::now().to_string();
    }
    receipt.write(folder)?;
    go_on(folder, &mut receipt)?;
    Ok(Some(receipt))
}

/// Whether anything of it can be taken back: a file that is as it was made, a list to which only was added, one that went.
pub fn can_return(folder: &Path, change: &Change) -> Result<bool, Failure> {
    for entry in change.entries.iter().filter(|entry| entry.state == ChangeState::Done) {
        let there = file::read(&folder.join(&entry.name))?;
        let copy = if entry.place.is_empty() { None } else { file::read(&folder.join(&entry.place))? };
        if !matches!(way_back(entry, there.as_deref(), copy), None | Some(Way::IsBack)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What became of a file of this folder that was to be taken back.
pub fn told(folder: &Path, file: &ChangedFile) -> Record {
    let path = folder.join(&file.name);
    match file.state {
        ChangeState::Returned => pruned(&path, "taken back", Pruned::Restored),
        _ => pruned(&path, "it was changed since", Pruned::Left),
    }
}

/// The names that were taken back less than [`KEPT_SECONDS`] ago: they are not taken out again so soon.
pub fn returned(folder: &Path, now: Timestamp) -> Result<BTreeSet<String>, Failure> {
    let entries = receipt::all(folder)?.into_iter().flat_map(|receipt| receipt.entries);
    let fresh = entries.filter(|entry| {
        let since = clock::parse(&entry.returned_at);
        entry.state == ChangeState::Returned
            && since.is_none_or(|since| clock::seconds_between(since, now) < KEPT_SECONDS)
    });
    Ok(fresh.map(|entry| entry.name).collect())
}

/// Removes copies, and receipts, after their time, and says how many copies: of no more receipts when it is as many as
/// `limit`, so that the lock is not held for long.
pub fn expire(folder: &Path, now: Timestamp, limit: usize) -> Result<usize, Failure> {
    let mut removed = 0;
    for mut receipt in receipt::all(folder)?.into_iter().filter(|receipt| !receipt.is_unfinished()) {
        if removed >= limit {
            break;
        }
        let (kept, over): (Vec<ChangedFile>, Vec<ChangedFile>) =
            receipt.entries.drain(..).partition(|entry| entry.is_kept(&receipt.ts, now));
        if over.is_empty() {
            continue;
        }
        for entry in over.iter().filter(|entry| !entry.place.is_empty()) {
            let place = Root::new(folder).file(&entry.place)?;
            removed += usize::from(place.exists());
            file::remove(&place)?;
            // The folders that are empty then; the archive itself still has the receipt.
            let _ = place.ancestors().skip(1).all(|folder| file::remove_folder(folder) || !folder.exists());
        }
        receipt.entries = kept;
        receipt.write(folder)?;
    }
    for name in [RECEIPTS, archive::FOLDER] {
        file::remove_folder(&Root::new(folder).inside(name)?);
    }
    Ok(removed)
}

/// Whether a plan was ever carried out here, and not all of it is over.
pub fn is_used(folder: &Path) -> bool {
    folder.join(RECEIPTS).is_dir()
}

/// Does what is still to be done, and writes down that it is.
fn go_on(folder: &Path, receipt: &mut Change) -> Result<(), Failure> {
    let root = Root::new(folder);
    let mut touched = BTreeSet::new();
    for entry in &mut receipt.entries {
        let (done, otherwise) = match entry.state {
            ChangeState::Begun => (make(folder, &root, entry), ChangeState::Left),
            ChangeState::Returning => (take_back(&root, entry), ChangeState::Done),
            ChangeState::Done | ChangeState::Left | ChangeState::Returned => continue,
        };
        entry.state = match done {
            // A link that leads out, or a folder in its place: it would be no better the next time.
            Err(failure) if failure.exit == Exit::Data => {
                log::say("lh", &failure.message);
                otherwise
            }
            done => done?,
        };
        let names = [&entry.name, &entry.place].into_iter().filter(|name| !name.is_empty());
        touched.extend(names.filter_map(|name| folder.join(name).parent().map(Path::to_path_buf)));
    }
    let mut there = touched.iter().filter(|folder: &&PathBuf| folder.is_dir());
    there.try_for_each(|folder| file::sync_folder(folder))?;
    receipt.write(folder)
}

fn make(folder: &Path, root: &Root, entry: &ChangedFile) -> Result<ChangeState, Failure> {
    let target = root.file(&entry.name)?;
    let there = file::read(&target)?;
    let now = hash(there.as_deref());
    let Some(after) = &entry.after else {
        let place = root.file(&entry.place)?;
        // It went before a kill: what has its name now is another's.
        if place.exists() {
            return Ok(ChangeState::Done);
        }
        if now != entry.before || !has_successor(root, entry)? {
            return Ok(ChangeState::Left);
        }
        folder_of(root, &entry.place)?;
        let moved = file::rename_new(&target, &place)?;
        return Ok(if moved { ChangeState::Done } else { ChangeState::Left });
    };
    if now == hash(Some(after.as_bytes())) {
        return Ok(ChangeState::Done);
    }
    if now != entry.before {
        return Ok(ChangeState::Left);
    }
    match there {
        None => folder_of(root, &entry.name)?,
        Some(_) if folder.join(&entry.place).exists() => {}
        Some(bytes) => archive::keep_at(folder, Path::new(&entry.place), bytes)?,
    }
    become_(&target, &entry.before, after.as_bytes())?;
    let is_made = file::read(&target)?.as_deref() == Some(after.as_bytes());
    Ok(if is_made { ChangeState::Done } else { ChangeState::Left })
}

/// Makes the folder that a file is to be in.
fn folder_of(root: &Root, name: &str) -> Result<(), Failure> {
    root.folder(Path::new(name).parent().unwrap_or(Path::new(""))).map(drop)
}

/// Whether the file that says what this one said is as it should be.
fn has_successor(root: &Root, entry: &ChangedFile) -> Result<bool, Failure> {
    let Some((name, wanted)) = &entry.successor else { return Ok(true) };
    Ok(hash(file::read(&root.file(name)?)?.as_deref()) == *wanted)
}

/// The way in which a file comes back.
enum Way {
    /// It is back already.
    IsBack,
    /// Its copy is moved to its place.
    Move,
    /// It becomes these bytes, or goes.
    Become(Option<Vec<u8>>),
}

/// How a file comes back that is `there` now, with the bytes of its copy; none where it was changed since.
fn way_back(entry: &ChangedFile, there: Option<&[u8]>, copy: Option<Vec<u8>>) -> Option<Way> {
    if hash(there) == entry.before && (entry.after.is_some() || copy.is_none()) {
        return Some(Way::IsBack);
    }
    // A list that was made anew meanwhile, or that got more lines, has these behind what comes back.
    let after = entry.after.as_deref().map(str::as_bytes);
    let more = there.filter(|_| entry.grows).and_then(|there| there.strip_prefix(after.unwrap_or(b"")));
    if let (Some(more), Some(copy)) = (more.filter(|more| !more.is_empty()), &copy) {
        // It was taken back before a kill.
        if there.is_some_and(|there| there.starts_with(copy)) {
            return Some(Way::IsBack);
        }
        // The last line can have had no end.
        let end: &[u8] = if copy.is_empty() || copy.ends_with(b"\n") { b"" } else { b"\n" };
        return Some(Way::Become(Some([copy.as_slice(), end, more].concat())));
    }
    match after {
        // What has its name now is another's.
        None => (there.is_none() && copy.is_some()).then_some(Way::Move),
        Some(_) if there != after || copy.is_none() && !entry.before.is_empty() => None,
        Some(_) => Some(Way::Become(copy)),
    }
}

fn take_back(root: &Root, entry: &ChangedFile) -> Result<ChangeState, Failure> {
    let target = root.file(&entry.name)?;
    let there = file::read(&target)?;
    let copy = if entry.place.is_empty() { None } else { file::read(&root.file(&entry.place)?)? };
    let is_back = match way_back(entry, there.as_deref(), copy) {
        None => false,
        Some(Way::IsBack) => true,
        Some(Way::Move) => {
            folder_of(root, &entry.name)?;
            file::rename_new(&root.file(&entry.place)?, &target)?
        }
        Some(Way::Become(bytes)) => {
            become_(&target, &hash(there.as_deref()), bytes.as_deref().unwrap_or(b""))?;
            file::read(&target)? == bytes
        }
    };
    Ok(if is_back { ChangeState::Returned } else { ChangeState::Done })
}

/// Replaces a file if its hash is `before`; an empty one is removed.
fn become_(target: &file::Target, before: &str, new: &[u8]) -> Result<(), Failure> {
    file::rewrite(target, |there| (hash(there) == before).then(|| Masked::exact(new)))
}

#[cfg(test)]
mod tests;
