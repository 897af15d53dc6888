//! Moving a project's memory from one folder to another one, and taking that back.
//!
//! The invariant: at each instant each line and each item is in one of the two folders or in the copy. First all that a
//! move touches is copied beside its receipt, and the receipt says so. Then `to` gets what the copy of `from` has (see
//! [`merge`]), and `from` loses the files that are still as they were copied. Each step can be done again: what was
//! killed is finished, from the copy, by the same move again or by its undo.
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
use crate::redact::Redactor;
use disk::ReadFile;
use receipt::MoveState;
use std::path::{Path, PathBuf};
use table::JoinKind;

pub use receipt::{MoveReceipt, all};

/// The files of a folder that a move takes along. Status 65 where a move would fail.
pub fn files(memory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let memory = file::real_path(memory);
    Ok(table::names(&memory)?.keys().map(|name| memory.join(name)).collect())
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
    let is_begun = |one: &MoveReceipt| one.state == MoveState::Copied && one.from() == from && one.to() == to;
    let begun = all(receipts)?.into_iter().find(is_begun);
    if begun.is_none() && table::names(&from)?.is_empty() {
        let nothing = format!("'{}' has no memory that could be moved", from.display());
        return Err(Failure::new(Exit::No, nothing));
    }
    // What is not what it should be in `to` is found before anything is made.
    table::names(&to)?;
    let _locks = locks(&from, &to)?;
    let mut receipt = begun.map_or_else(|| MoveReceipt::begin(receipts, &from, &to), Ok)?;
    go_on(&mut receipt, redactor)?;
    if table::names(&from)?.is_empty() {
        return Ok(receipt.path());
    }
    let what = "was written to while it was moved: run it again, and the rest is moved";
    Err(Failure::later(format!("'{}' {what}", from.display())))
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
        disk::remove(&from, name, disk::read(&copy, name)?.as_ref())?;
    }
    // A cache of what was there.
    file::remove_path(&from.join(".state/export.json"))?;
    receipt.reach(MoveState::Done)
}

/// Takes a move back, and gives the files of `to` that stay because they were written to since. Status 65 when it is
/// undone already, when the copy is not whole, or when an earlier version made the move.
pub fn undo(path: &Path, redactor: &Redactor) -> Result<Vec<PathBuf>, Failure> {
    let receipts = path.parent().unwrap_or(Path::new("."));
    let _one_at_a_time = receipt::lock(receipts)?;
    let mut receipt = MoveReceipt::read(path)?;
    let (from, to) = (receipt.from(), receipt.to());
    receipt.can_return()?;
    let _locks = locks(&from, &to)?;
    if receipt.state == MoveState::Copied {
        go_on(&mut receipt, redactor)?;
    }
    let mut stayed = Vec::new();
    for (name, kind) in table::names(&receipt.copy("from"))?.iter().rev() {
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
    let [brought, own, now] = [&copy, &receipt.copy("to"), &to].map(|memory| disk::read(memory, name));
    let (brought, own, now) = (brought?, own?, now?);
    let stays = match kind {
        JoinKind::Journal => false,
        JoinKind::Whole => ![&own, &brought].iter().any(|held| disk::is_same(held.as_ref(), now.as_ref())),
        JoinKind::Handoff => !is_handoff_as_left(receipt, redactor)?,
    };
    merge::into(&from, if stays { &to } else { &copy }, name, kind, redactor)?;
    let Some(now) = now.filter(|_| !stays) else { return Ok(!stays) };
    if let Some(content) = merge::later(&now, brought.as_ref(), own.as_ref()).filter(|_| kind == JoinKind::Journal) {
        if content.is_empty() {
            return disk::remove(&to, name, Some(&now)).map(|()| true);
        }
        return disk::put(&to, name, &ReadFile { content, modified: None }).map(|()| false);
    }
    let back = own.map_or_else(|| disk::remove(&to, name, Some(&now)), |own| disk::put(&to, name, &own));
    back.map(|()| true)
}

/// Whether each file of the handoff at `to` is as the move left it or as it was before.
fn is_handoff_as_left(receipt: &MoveReceipt, redactor: &Redactor) -> Result<bool, Failure> {
    let own_copy = receipt.copy("to");
    let steps = merge::handoff(&own_copy, &receipt.copy("from"), redactor)?;
    for name in table::HANDOFF {
        let (own, now) = (disk::read(&own_copy, Path::new(name))?, disk::read(&receipt.to(), Path::new(name))?);
        let left = steps.iter().rfind(|(of, _)| *of == name).map_or(&own, |(_, left)| left);
        if ![left, &own].iter().any(|held| disk::is_same(held.as_ref(), now.as_ref())) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
