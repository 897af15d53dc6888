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
mod step;

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Root};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::record::item;
use crate::record::pruned::{Pruned, pruned};
use crate::store::archive;
use jiff::Timestamp;
pub use receipt::{Change, Changed, State};
use std::collections::BTreeSet;
use std::path::Path;

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

/// The hash of a file, as plans and receipts have it; "" for one that is not there.
pub fn hash(bytes: Option<&[u8]>) -> String {
    bytes.map(item::hash).unwrap_or_default()
}

/// Carries a plan out in the name of `by`, and gives its receipt; none where there is nothing to do.
pub fn apply(folder: &Path, by: &str, changes: Vec<Planned>, now: Timestamp) -> Result<Option<Change>, Failure> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut receipt = Change::begin(folder, by, changes, now)?;
    step::go_on(folder, &mut receipt)?;
    Ok(Some(receipt))
}

/// Brings to its end what was killed.
pub fn settle(folder: &Path) -> Result<(), Failure> {
    receipt::remove_leftovers(folder);
    let unfinished = receipt::all(folder)?.into_iter().filter(Change::is_unfinished);
    // One that cannot be ended keeps no other from it.
    let ended: Vec<Result<(), Failure>> = unfinished.map(|mut receipt| step::go_on(folder, &mut receipt)).collect();
    ended.into_iter().collect()
}

/// The receipts, the oldest first.
pub fn receipts(folder: &Path) -> Result<Vec<Change>, Failure> {
    receipt::all(folder)
}

/// Takes back what a receipt says, for these names or for all; what was changed since stays as it is. The entries
/// of the receipt say what came of each.
pub fn undo(folder: &Path, id: &str, names: Option<&BTreeSet<String>>) -> Result<Option<Change>, Failure> {
    let Some(mut receipt) = receipt::all(folder)?.into_iter().find(|receipt| receipt.id == id) else {
        return Ok(None);
    };
    let wanted = |entry: &&mut Changed| entry.state == State::Done && names.is_none_or(|all| all.contains(&entry.name));
    for entry in receipt.entries.iter_mut().filter(wanted) {
        entry.state = State::Returning;
        entry.returned_at = clock::now().to_string();
    }
    receipt.write(folder)?;
    step::go_on(folder, &mut receipt)?;
    Ok(Some(receipt))
}

/// Whether anything of it can be taken back: a file that is as it was made, a list to which only was added, one that went.
pub fn can_return(folder: &Path, change: &Change) -> Result<bool, Failure> {
    for entry in change.entries.iter().filter(|entry| entry.state == State::Done) {
        if step::can_return(folder, entry)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What became of a file of this folder that was to be taken back.
pub fn told(folder: &Path, file: &Changed) -> Record {
    let path = folder.join(&file.name);
    match file.state {
        State::Returned => pruned(&path, "taken back", Pruned::Restored),
        _ => pruned(&path, "it was changed since", Pruned::Left),
    }
}

/// The names that were taken back less than [`KEPT_SECONDS`] ago: they are not taken out again so soon.
pub fn returned(folder: &Path, now: Timestamp) -> Result<BTreeSet<String>, Failure> {
    let entries = receipt::all(folder)?.into_iter().flat_map(|receipt| receipt.entries);
    let fresh = entries.filter(|entry| {
        let since = clock::parse(&entry.returned_at);
        entry.state == State::Returned && since.is_none_or(|since| clock::seconds_between(since, now) < KEPT_SECONDS)
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
        let (kept, over): (Vec<Changed>, Vec<Changed>) =
            receipt.entries.drain(..).partition(|entry| entry.is_kept(&receipt.ts, now));
        if over.is_empty() {
            continue;
        }
        for entry in over.iter().filter(|entry| !entry.place.is_empty()) {
            let place = Root::new(folder).file(&entry.place)?;
            removed += usize::from(place.exists());
            file::remove(&place)?;
        }
        receipt.entries = kept;
        receipt.write(folder)?;
    }
    remove_empty(&Root::new(folder).inside(archive::FOLDER)?);
    Ok(removed)
}

/// Removes the folders below this one, and itself, that have nothing in them.
fn remove_empty(folder: &Path) {
    for name in file::names(folder).unwrap_or_default() {
        let below = folder.join(name);
        if below.symlink_metadata().is_ok_and(|data| data.is_dir()) {
            remove_empty(&below);
        }
    }
    file::remove_folder(folder);
}

/// Whether a plan was ever carried out here, and not all of it is over.
pub fn is_used(folder: &Path) -> bool {
    folder.join(receipt::RECEIPTS).is_dir()
}

#[cfg(test)]
mod tests;
