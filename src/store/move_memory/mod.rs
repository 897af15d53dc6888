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
        let same = finished.iter().find(|receipt| receipt.from() == from && receipt.to() == to);
        return same.map(MoveReceipt::path).ok_or_else(|| Failure::new(Exit::No, nothing));
    }
    // What cannot be moved is found before anything is made.
    for memory in [&from, &to] {
        table::names(memory)?.keys().try_for_each(|name| disk::read(memory, name).map(drop))?;
    }
    let made_folders = to.ancestors().take_while(|path| !path.exists()).count();
    let _locks = locks(&from, &to)?;
    let mut receipt = MoveReceipt::begin(receipts, &from, &to, made_folders, redactor)?;
    go_on(&mut receipt, redactor)?;
    if table::names(&from)?.is_empty() {
        return Ok(receipt.path());
    }
    let what = "was written to while it was moved: run it again, and the rest is moved";
    Err(Failure::later(format!("'{}' {what}", from.display())))
}

/// Finishes the moves that were killed and have to do with one of the folders, and gives them.
fn settle(from: &Path, to: &Path, receipts: &Path, redactor: &Redactor) -> Result<Vec<MoveReceipt>, Failure> {
    let mut killed = all(receipts)?;
    killed
        .retain(|one| one.state == MoveState::Copied && [one.from(), one.to()].iter().any(|it| it == from || it == to));
    for receipt in &mut killed {
        let _locks = locks(&receipt.from(), &receipt.to())?;
        go_on(receipt, redactor)?;
    }
    Ok(killed)
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
    let (from, to, copy) = (receipt.from(), receipt.to(), receipt.copy("from"));
    settle(&from, &to, receipts, redactor)?;
    if receipt.is_undone() {
        let what = "this move was undone; there is nothing to take back";
        return Err(Failure::data(format!("{}: {what}", path.display())));
    }
    receipt.check()?;
    let _locks = locks(&from, &to)?;
    let names = receipt.names()?;
    let mut stayed = Vec::new();
    for (name, kind) in names.iter().rev() {
        // A page that was written to since says what is so now.
        let stays = *kind != JoinKind::Journal && is_later(&receipt, name, *kind)?;
        merge::into(&from, if stays { &to } else { &copy }, name, *kind, redactor)?;
        stayed.extend(stays.then_some(name));
    }
    let rest: Vec<_> = names.iter().rev().filter(|(name, _)| !stayed.contains(name)).collect();
    for (name, kind) in rest {
        stayed.extend((!give_back(&receipt, name, *kind)?).then_some(name));
    }
    super::receipts::copy(&to, &from, redactor)?;
    remove_made(&to, receipt.made_folders);
    receipt.reach(MoveState::Undone)?;
    Ok(stayed.into_iter().map(|name| to.join(name)).collect())
}

/// Whether a file at `to` is neither as the move left it nor as it was before. Both files of a handoff are one.
fn is_later(receipt: &MoveReceipt, name: &Path, kind: JoinKind) -> Result<bool, Failure> {
    let both = table::HANDOFF.map(Path::new);
    let names = if kind == JoinKind::Handoff { both } else { [name; 2] };
    for name in names {
        let sum_in = |memory: &Path| Ok::<_, Failure>(disk::read(memory, name)?.map(|held| hash(&held.bytes)));
        let now = sum_in(&receipt.to())?;
        if now != receipt.left(name)? && now != sum_in(&receipt.copy("to"))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes what `to` has of a name what it was, and says whether it could. Of a journal that was written to since, only
/// the lines that came with the move go.
fn give_back(receipt: &MoveReceipt, name: &Path, kind: JoinKind) -> Result<bool, Failure> {
    let to = receipt.to();
    let (own, Some(now)) = (disk::read(&receipt.copy("to"), name)?, disk::read(&to, name)?) else { return Ok(true) };
    if kind == JoinKind::Journal && is_later(receipt, name, JoinKind::Whole)? {
        let brought = disk::read(&receipt.copy("from"), name)?;
        let left = merge::without(&now, brought.as_ref(), own.as_ref());
        if left.is_empty() {
            return disk::remove(&to, name, Some(now)).map(|()| true);
        }
        return disk::put(&to, name, &left, None).map(|()| false);
    }
    match own {
        Some(own) => disk::put_exact(&to, name, own)?,
        None => disk::remove(&to, name, Some(now))?,
    }
    Ok(true)
}

/// Removes the folders at `to` that a move made, if nothing is left in them but a lock and a cache; the caller holds the
/// lock in it.
fn remove_made(to: &Path, made: usize) {
    let only = |folder: &Path, ours: &[&str]| {
        file::names(folder).is_ok_and(|names| names.iter().all(|name| ours.iter().any(|own| name == own)))
    };
    if made > 0 && only(to, &[".state"]) && only(&to.join(".state"), &["lock", "export.json"]) {
        for name in [".state/export.json", ".state/lock"] {
            let _ = file::remove_path(&to.join(name));
        }
        file::remove_folder(&to.join(".state"));
        let _ = to.ancestors().take(made).all(file::remove_folder);
    }
}

#[cfg(test)]
mod tests;
