//! Moving a project's memory from one folder to another one, with a receipt, and taking that back.
//!
//! The invariant: at each instant each line and each item is in one of the two folders, and the receipt has exact
//! copies of both. So a move goes in this order, each step synced before the next: copies into the receipt; what is
//! to be merged into `to`; the question, asked of the disk, whether `to` has all that `from` has; the removal at
//! `from` of the files that are still as they were when that was asked. A move that was killed is gone on with by the
//! next one that has to do with one of the folders: asking again what is missing is all that it takes.
//!
//! [`table`] says what moves. Nothing else in the folders is touched.

mod disk;
mod lines;
mod piece;
mod receipt;
mod table;
mod undo;

use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Lock};
use crate::redact::Redactor;
use jiff::Timestamp;
use piece::Write;
use receipt::{Receipt, Side, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use table::Kind;

pub use undo::undo;

/// How often a move begins anew because somebody writes to what it moves.
const TRIES: usize = 20;

/// A move, done or taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its receipt.
    pub receipt: PathBuf,
    /// Where the memory was before the move.
    pub from: PathBuf,
    /// Where it went.
    pub to: PathBuf,
    /// How many files moved; a handoff with what is remembered of it is one.
    pub files: usize,
}

/// A receipt as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its file, as [`undo`] takes it.
    pub receipt: PathBuf,
    /// Where the memory was.
    pub from: PathBuf,
    /// Where it went.
    pub to: PathBuf,
    /// When the move began.
    pub time: Option<Timestamp>,
    /// When it was undone; none when it was not.
    pub undone_at: Option<Timestamp>,
    /// It was killed on its way: moving the same again, or undoing it, brings it to its end.
    pub unfinished: bool,
}

/// Whether a folder has anything that [`relocate`] moves.
pub fn has_memory(memory: &Path) -> bool {
    table::names(&file::real_path(memory)).map_or(true, |names| !names.is_empty())
}

/// The files of a folder that a move takes along; none where the move would fail.
pub fn files(memory: &Path) -> Vec<PathBuf> {
    let memory = file::real_path(memory);
    let names = table::names(&memory).unwrap_or_default();
    names.iter().flat_map(|(name, kind)| table::files(name, *kind)).map(|name| memory.join(name)).collect()
}

/// The receipts of a folder, newest last.
pub fn list(receipts: &Path) -> Result<Vec<Listed>, Failure> {
    let listed = |receipt: Receipt| Listed {
        receipt: receipt.path(),
        from: receipt.from(),
        to: receipt.to(),
        time: receipt.time(),
        undone_at: receipt.undone_at(),
        unfinished: !matches!(receipt.state(), State::Done | State::Undone),
    };
    Ok(receipt::all(receipts)?.into_iter().map(listed).collect())
}

/// Moves the memory of `from` into `to`, which is made if it is not there, and merges it with what `to` has. Status 1
/// when there is nothing to move, 65 when a file or a folder is a link that leads out or is not what it should be
/// (nothing was changed then), 75 when somebody holds a lock or writes all the time: then it can be run again.
pub fn relocate(from: &Path, to: &Path, receipts: &Path, redactor: &Redactor) -> Result<Moved, Failure> {
    let (from, to) = (file::real_path(from), file::real_path(to));
    if from.starts_with(&to) || to.starts_with(&from) {
        let what = "one of them is in the other; name two folders";
        return Err(Failure::usage(format!("cannot move '{}' to '{}': {what}", from.display(), to.display())));
    }
    let _one_at_a_time = receipt::lock(receipts)?;
    let mut finished = None;
    for mut old in receipt::all(receipts)? {
        if old.is_unfinished() && (old.touches(&from) || old.touches(&to)) {
            let is_same = old.from() == from && old.to() == to && old.state() != State::Restored;
            settle(&mut old, is_same, redactor)?;
            finished = is_same.then(|| moved(&old)).or(finished);
        }
    }
    if table::names(&from)?.is_empty() {
        let nothing = || Failure::new(Exit::No, format!("'{}' has no memory that could be moved", from.display()));
        return finished.ok_or_else(nothing);
    }
    // What cannot be moved is found before anything is made.
    sums(&to)?;
    piece::all_merged(&to, &from, redactor)?;
    let mut receipt = Receipt::begin(receipts, &from, &to)?;
    go_on(&mut receipt, redactor)?;
    Ok(moved(&receipt))
}

fn moved(receipt: &Receipt) -> Moved {
    let files = receipt.names(Side::From).len();
    Moved { receipt: receipt.path(), from: receipt.from(), to: receipt.to(), files }
}

/// Brings to its end what was killed; a move that had changed nothing yet only if it is `wanted`.
fn settle(receipt: &mut Receipt, wanted: bool, redactor: &Redactor) -> Result<(), Failure> {
    match receipt.state() {
        State::Begun if wanted => go_on(receipt, redactor),
        State::Begun => {
            let _locks = locks(receipt)?;
            undo::remove_made(receipt, receipt.made_folders());
            receipt.reach(State::Undone)
        }
        State::Copied => go_on(receipt, redactor),
        State::Restored => undo::go_on(receipt, redactor),
        State::Done | State::Undone => Ok(()),
    }
}

/// Takes the locks of both folders, in the order of their real paths: two moves cannot wait for each other.
fn locks(receipt: &Receipt) -> Result<[Lock; 2], Failure> {
    let mut folders = [receipt.from(), receipt.to()];
    folders.sort();
    for folder in &folders {
        disk::make(folder)?;
    }
    let [first, second] = folders.map(|folder| super::lock(&folder));
    Ok([first?, second?])
}

/// A move, from where it is to its end.
fn go_on(receipt: &mut Receipt, redactor: &Redactor) -> Result<(), Failure> {
    let _locks = locks(receipt)?;
    let (from, to) = (receipt.from(), receipt.to());
    if receipt.state() == State::Begun {
        write_down(receipt, redactor)?;
    }
    let mut check = |writes: &[Write]| {
        let mut now = BTreeMap::new();
        will_be(&mut now, writes);
        receipt.not_as_said(&now)
    };
    carry(&from, &to, &mut check, redactor)?;
    // Those of what was moved; they stay at `from`, too, where they are found when the move is taken back.
    super::receipts::copy(&from, &to, redactor)?;
    // A cache of what was there.
    file::remove_path(&from.join(".state/export.json"))?;
    receipt.reach(State::Done)
}

/// Copies what both folders have, and notes what `to` will have.
fn write_down(receipt: &mut Receipt, redactor: &Redactor) -> Result<(), Failure> {
    let (from, to) = (receipt.from(), receipt.to());
    let all = receipt.others()?;
    let over: Vec<&Receipt> = all.iter().filter(|other| other.stands() && other.to() == to).collect();
    for _ in 0..TRIES {
        receipt.copy()?;
        let mut placed = BTreeMap::new();
        for (name, kind) in receipt.names(Side::From) {
            for file in table::files(&name, kind) {
                placed.extend(receipt.sum_of(Side::To, &file).map(|sum| (file.clone(), sum.to_owned())));
            }
        }
        will_be(&mut placed, &piece::all_merged(&to, &from, redactor)?);
        // What is noted is of what was copied.
        if receipt.is_as_copied()? {
            return receipt.copied(&placed, &over);
        }
    }
    Err(busy(&from))
}

fn busy(memory: &Path) -> Failure {
    Failure::later(format!("'{}': somebody writes to it all the time; run it again", memory.display()))
}

/// The sums of the files when all is written.
fn will_be(sums: &mut BTreeMap<PathBuf, String>, writes: &[Write]) {
    for write in writes {
        match &write.content {
            Some(content) => sums.insert(write.name.clone(), disk::sum(content.bytes())),
            None => sums.remove(&write.name),
        };
    }
}

/// Brings all that `from` has into `to`, and removes it at `from`. `check` sees what is to be written before it is.
fn carry(
    from: &Path,
    to: &Path,
    check: &mut dyn FnMut(&[Write]) -> Result<(), Failure>,
    redactor: &Redactor,
) -> Result<(), Failure> {
    for _ in 0..TRIES {
        let seen = sums(from)?;
        let writes = piece::all_merged(to, from, redactor)?;
        if writes.is_empty() {
            // `to` has all that was seen.
            if remove(from, to, &seen)? {
                return Ok(());
            }
            continue;
        }
        check(&writes)?;
        piece::apply(&writes, to)?;
    }
    Err(busy(from))
}

/// The sums of the files of a folder that move, in the order in which they are removed.
fn sums(memory: &Path) -> Result<Vec<(PathBuf, Kind, String)>, Failure> {
    let mut sums = Vec::new();
    for (name, kind) in table::names(memory)? {
        for file in table::files(&name, kind).into_iter().rev() {
            if let Some(held) = disk::read(memory, &file)? {
                sums.push((file, kind, disk::sum(&held.bytes)));
            }
        }
    }
    Ok(sums)
}

/// Removes the files that are still as they were seen; says whether all were.
fn remove(from: &Path, to: &Path, seen: &[(PathBuf, Kind, String)]) -> Result<bool, Failure> {
    for (name, kind, sum) in seen {
        let Some(held) = disk::read(from, name)? else { continue };
        if *kind == Kind::Journal {
            all_there(name, &held.bytes, to)?;
        }
        if !disk::remove(from, name, sum)? {
            return Ok(false);
        }
    }
    Ok(table::names(from)?.is_empty())
}

/// The last look at a journal before it is removed, apart from what merged it.
fn all_there(name: &Path, bytes: &[u8], to: &Path) -> Result<(), Failure> {
    let there = disk::read(to, name)?.map(|held| held.bytes).unwrap_or_default();
    let known = lines::Known::default().with(&there);
    if lines::of(bytes).all(|line| known.has(line)) {
        return Ok(());
    }
    let what = "a line is missing there after the move, so nothing more was removed; run it again";
    Err(Failure::later(format!("{}: {what}", to.join(name).display())))
}

impl Receipt {
    /// Whether it was killed on its way.
    fn is_unfinished(&self) -> bool {
        !matches!(self.state(), State::Done | State::Undone)
    }

    /// Whether what it moved is at `to`.
    fn stands(&self) -> bool {
        !matches!(self.state(), State::Begun | State::Undone)
    }
}

#[cfg(test)]
mod tests;
