//! What was taken out of a folder of ours, or changed in it, and the way back. `.archive/` below the folder has each
//! file under its name, with a time behind it; `.archive/receipts/` has a receipt for each plan that was carried out.
//!
//! A plan is carried out in this order: the receipt, which says all that is meant to happen and is synced; then file by
//! file the copy in the archive, and the change; then the receipt again. Each file is changed only if it is as it was
//! when the plan was made. So after a kill [`settle`] brings the rest to its end, and nothing that somebody else wrote
//! meanwhile is lost. The caller holds the folder's lock.

mod receipt;
mod step;

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::record::item;
use jiff::Timestamp;
pub use receipt::{Entry, Receipt, State};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder.
pub const FOLDER: &str = ".archive";
/// What was taken out is kept for so long.
pub const KEPT_SECONDS: i64 = 30 * 86_400;

/// What is to become of one file.
#[derive(Clone, Debug, Default)]
pub struct Change {
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
}

/// The hash of a file, as plans and receipts have it; "" for one that is not there.
pub fn hash(bytes: Option<&[u8]>) -> String {
    bytes.map(item::hash).unwrap_or_default()
}

/// Carries a plan out in the name of `by`, and gives its receipt; none where there is nothing to do.
pub fn apply(folder: &Path, by: &str, changes: Vec<Change>, now: Timestamp) -> Result<Option<Receipt>, Failure> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut receipt = Receipt::begin(folder, by, changes, now)?;
    step::go_on(folder, &mut receipt)?;
    Ok(Some(receipt))
}

/// Brings to its end what was killed.
pub fn settle(folder: &Path) -> Result<(), Failure> {
    receipt::remove_leftovers(folder);
    let unfinished = receipt::all(folder)?.into_iter().filter(Receipt::is_unfinished);
    // One that cannot be ended keeps no other from it.
    let ended: Vec<Result<(), Failure>> = unfinished.map(|mut receipt| step::go_on(folder, &mut receipt)).collect();
    ended.into_iter().collect()
}

/// The receipts, the oldest first.
pub fn receipts(folder: &Path) -> Result<Vec<Receipt>, Failure> {
    receipt::all(folder)
}

/// Takes back what a receipt says, for these names or for all; what somebody changed since stays as it is. The entries
/// of the receipt say what came of each.
pub fn undo(folder: &Path, id: &str, names: Option<&BTreeSet<String>>) -> Result<Option<Receipt>, Failure> {
    let Some(mut receipt) = receipt::all(folder)?.into_iter().find(|receipt| receipt.id == id) else {
        return Ok(None);
    };
    let wanted = |entry: &&mut Entry| entry.state == State::Done && names.is_none_or(|all| all.contains(&entry.name));
    for entry in receipt.entries.iter_mut().filter(wanted) {
        entry.state = State::Returning;
        entry.returned_at = clock::now().to_string();
    }
    receipt.write(folder)?;
    step::go_on(folder, &mut receipt)?;
    Ok(Some(receipt))
}

/// The names that somebody took back less than [`KEPT_SECONDS`] ago: they are not taken out again so soon.
pub fn returned(folder: &Path, now: Timestamp) -> Result<BTreeSet<String>, Failure> {
    let entries = receipt::all(folder)?.into_iter().flat_map(|receipt| receipt.entries);
    let fresh = entries.filter(|entry| {
        let since = clock::parse(&entry.returned_at);
        entry.state == State::Returned && since.is_none_or(|since| clock::seconds_between(since, now) < KEPT_SECONDS)
    });
    Ok(fresh.map(|entry| entry.name).collect())
}

/// Removes copies, and receipts, whose time is over; says how many copies.
pub fn expire(folder: &Path, now: Timestamp) -> Result<usize, Failure> {
    expire_some(folder, now, usize::MAX)
}

/// The same, of no more receipts when so many copies are removed: the lock need not be held for long.
pub fn expire_some(folder: &Path, now: Timestamp, limit: usize) -> Result<usize, Failure> {
    let mut removed = 0;
    for mut receipt in receipt::all(folder)?.into_iter().filter(|receipt| !receipt.is_unfinished()) {
        if removed >= limit {
            break;
        }
        let (kept, over): (Vec<Entry>, Vec<Entry>) =
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
    remove_empty(&Root::new(folder).inside(FOLDER)?);
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

/// Whether the archive has a file of this name, with whatever time behind it.
pub fn has(folder: &Path, name: &str) -> bool {
    let place = folder.join(FOLDER).join(name);
    let Some((above, name)) = place.parent().zip(place.file_name()) else { return false };
    let name = format!("{}-", name.to_string_lossy());
    file::names(above).is_ok_and(|names| names.iter().any(|other| other.to_string_lossy().starts_with(&name)))
}

/// The name below the memory folder under which something can be put there, and whether it is there already. `read`
/// gives what has a name.
pub fn place(
    name: &Path,
    time: Timestamp,
    bytes: &[u8],
    read: impl Fn(&Path) -> Result<Option<Vec<u8>>, Failure>,
) -> Result<(PathBuf, bool), Failure> {
    let mut number = 1;
    loop {
        let place = numbered(name, time, number);
        match read(&place)? {
            None => return Ok((place, false)),
            Some(known) if known == bytes => return Ok((place, true)),
            Some(_) => number += 1,
        }
    }
}

/// The name in the archive of what is taken out at a time; the number tells those of one name and time apart.
fn numbered(name: &Path, time: Timestamp, number: usize) -> PathBuf {
    let time = time.strftime("%Y%m%dT%H%M%SZ");
    let own = name.strip_prefix(FOLDER).unwrap_or(name);
    let mut place = Path::new(FOLDER).join(own).into_os_string();
    place.push(if number == 1 { format!("-{time}") } else { format!("-{time}-{number}") });
    PathBuf::from(place)
}

/// Keeps a copy of a file of a memory folder under the name that [`place`] gave.
pub fn keep(memory: &Path, place: &str, bytes: Vec<u8>) -> Result<(), Failure> {
    let root = Root::new(memory);
    root.folder(Path::new(place).parent().unwrap_or(Path::new(FOLDER)))?;
    file::create(&root.file(place)?, &Masked::exact(bytes), Durable::Yes).map(drop)
}

#[cfg(test)]
mod tests;
