//! Moving a project's memory from one folder to another one, and taking that back.
//!
//! The invariant: at each instant each line and each item is in one of the two folders or in the copy. First all that a
//! move touches is copied beside its receipt, and the receipt says so. Then `to` gets what the copy of `from` has (see
//! [`merge`]), and `from` loses the files that are still as they were copied. Each step can be done again: what was
//! killed is finished, from the copy, by the next run that has to do with one of the folders.
//!
//! An undo is the copy: `from` gets back what it had, and `to` what it had where it is still as the move left it. What
//! was written there since stays there.
//!
//! [`table`] says what moves. Nothing else in the folders is touched.

mod disk;
mod merge;
mod receipt;
mod table;

use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Lock};
use crate::record::item::hash;
use crate::redact::Redactor;
use disk::ReadFile;
use receipt::MoveState;
use std::path::{Path, PathBuf};
use table::JoinKind;

pub use receipt::{MoveReceipt, all};

/// Whether a folder has anything that [`move_memory`] moves.
pub fn has_memory(memory: &Path) -> bool {
    table::names(&file::real_path(memory)).map_or(true, |names| !names.is_empty())
}

/// The files of a folder that a move takes along; none where the move would fail.
pub fn files(memory: &Path) -> Vec<PathBuf> {
    let memory = file::real_path(memory);
    let names = table::names(&memory).unwrap_or_default();
    names.keys().map(|name| memory.join(name)).collect()
}

/// Moves the memory of `from` into `to`, which is made if it is not there, and merges it with what `to` has; gives the
/// receipt. Status 1 when there is nothing to move, 65 when a file or a folder is a link that leads out or is not what
/// it should be (nothing was changed then), 75 when a lock is held or a file was written to: then it can be run again.
pub fn relocate(from: &Path, to: &Path, receipts: &Path, redactor: &Redactor) -> Result<PathBuf, Failure> {
    let (from, to) = (file::real_path(from), file::real_path(to));
    if from.starts_with(&to) || to.starts_with(&from) {
        let what = "one of them is in the other; name two folders";
        return Err(Failure::usage(format!("cannot move '{}' to '{}': {what}", from.display(), to.display())));
    }
    let _one_at_a_time = receipt::lock(receipts)?;
    let finished = settle(&from, &to, receipts, redactor)?;
    if table::names(&from)?.is_empty() {
        let nothing = format!("'{}' has no memory that could be moved", from.display());
        return finished.ok_or_else(|| Failure::new(Exit::No, nothing));
    }
    // What cannot be moved is found before anything is made.
    for memory in [&from, &to] {
        table::names(memory)?.keys().try_for_each(|name| disk::read(memory, name).map(drop))?;
    }
    let _locks = locks(&from, &to)?;
    let mut receipt = MoveReceipt::begin(receipts, &from, &to, redactor)?;
    go_on(&mut receipt, redactor)?;
    if table::names(&from)?.is_empty() {
        return Ok(receipt.path());
    }
    let what = "was written to while it was moved: run it again, and the rest is moved";
    Err(Failure::later(format!("'{}' {what}", from.display())))
}

/// Finishes the moves that were killed and have to do with one of the folders; gives the receipt of one between both.
fn settle(from: &Path, to: &Path, receipts: &Path, redactor: &Redactor) -> Result<Option<PathBuf>, Failure> {
    let mut finished = None;
    for mut receipt in all(receipts)?.into_iter().filter(|receipt| receipt.state == MoveState::Copied) {
        let (its_from, its_to) = (receipt.from(), receipt.to());
        if [&its_from, &its_to].iter().any(|it| *it == from || *it == to) {
            let _locks = locks(&its_from, &its_to)?;
            go_on(&mut receipt, redactor)?;
            finished = finished.or(Some(receipt.path()).filter(|_| its_from == from && its_to == to));
        }
    }
    Ok(finished)
}

/// Takes the locks of both folders, in the order of their real paths: two moves cannot wait for each other.
fn locks(from: &Path, to: &Path) -> Result<[Lock; 2], Failure> {
    let (first, second) = if from < to { (from, to) } else { (to, from) };
    disk::make(first)?;
    disk::make(second)?;
    Ok([super::lock(first)?, super::lock(second)?])
}

/// Brings a move with whole copies to its end. The caller holds the locks of both folders.
fn go_on(receipt: &mut MoveReceipt, redactor: &Redactor) -> Result<(), Failure> {
    let (from, to, copy) = (receipt.from(), receipt.to(), receipt.copy("from"));
    let moved = table::names(&copy)?;
    for (name, kind) in moved.iter().rev() {
        merge::into(&to, &copy, name, *kind, redactor)?;
    }
    // Those of what was moved; they stay at `from`, too, where they are found when the move is taken back.
    super::receipts::copy(&from, &to, redactor)?;
    for name in moved.keys() {
        disk::remove(&from, name, disk::read(&copy, name)?)?;
    }
    // A cache of what was there.
    file::remove_path(&from.join(".state/export.json"))?;
    receipt.reach(MoveState::Done)
}

/// Takes a move back, and gives the files of `to` that stay because they were written to since. Status 65 when it is
/// undone already, or when the copy is not whole.
pub fn undo(path: &Path, redactor: &Redactor) -> Result<Vec<PathBuf>, Failure> {
    let receipts = path.parent().unwrap_or(Path::new("."));
    let _one_at_a_time = receipt::lock(receipts)?;
    let mut receipt = MoveReceipt::read(path)?;
    let (from, to) = (receipt.from(), receipt.to());
    settle(&from, &to, receipts, redactor)?;
    if receipt.is_undone() {
        let what = "this move was undone; there is nothing to take back";
        return Err(Failure::data(format!("{}: {what}", path.display())));
    }
    receipt.check()?;
    let _locks = locks(&from, &to)?;
    let mut stayed = Vec::new();
    for (name, kind) in receipt.names()?.iter().rev() {
        if !give_back(&receipt, name, *kind, redactor)? {
            stayed.push(to.join(name));
        }
    }
    super::receipts::copy(&to, &from, redactor)?;
    receipt.reach(MoveState::Undone)?;
    stayed.sort();
    Ok(stayed)
}

/// Gives both folders what they had of a name, and says whether that could be done. What was written to `to` since
/// stays there: of a journal the later lines, of a page all of it, for it says what is so now, and `from` gets it, too.
fn give_back(receipt: &MoveReceipt, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<bool, Failure> {
    let (from, to, copy) = (receipt.from(), receipt.to(), receipt.copy("from"));
    let (is_later, is_journal) = (is_later(receipt, name, kind)?, kind == JoinKind::Journal);
    let stays = is_later && !is_journal;
    merge::into(&from, if stays { &to } else { &copy }, name, kind, redactor)?;
    let (own, now) = (disk::read(&receipt.copy("to"), name)?, disk::read(&to, name)?);
    match (own, now) {
        _ if stays => Ok(false),
        (_, None) => Ok(true),
        (own, Some(now)) if is_later => {
            let content = merge::without(&now, disk::read(&copy, name)?.as_ref(), own.as_ref());
            if content.is_empty() {
                return disk::remove(&to, name, Some(now)).map(|()| true);
            }
            disk::put(&to, name, &ReadFile { content, modified: None }).map(|()| false)
        }
        (Some(own), _) => disk::put(&to, name, &own).map(|()| true),
        (None, now) => disk::remove(&to, name, now).map(|()| true),
    }
}

/// Whether a file at `to` is neither as the move left it nor as it was before. Both files of a handoff are one.
fn is_later(receipt: &MoveReceipt, name: &Path, kind: JoinKind) -> Result<bool, Failure> {
    let names = if kind == JoinKind::Handoff { table::HANDOFF.map(Path::new) } else { [name; 2] };
    for name in names {
        let sum_in = |memory: &Path| Ok::<_, Failure>(disk::read(memory, name)?.map(|held| hash(held.content.bytes())));
        let now = sum_in(&receipt.to())?;
        if now != receipt.left(name)? && now != sum_in(&receipt.copy("to"))? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
