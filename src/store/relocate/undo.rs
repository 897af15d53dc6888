//! Taking a move back. First `from` gets what it had, with what came to `to` since; only then `to` loses what came
//! with the move. Several projects can have moved into one folder, and are taken back in any order: what another
//! move brought stays at `to`, and what was there only because of a move that is undone by now does not come back.

use super::lines::{self, Known};
use super::piece::{self, Write};
use super::receipt::{self, Receipt, Side, State};
use super::table::{self, Kind};
use super::{Moved, TRIES, busy, carry, disk, locks, moved, settle};
use crate::base::exit::Failure;
use crate::base::file;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store;
use std::path::{Path, PathBuf};

/// Takes a move back; one that was killed on its way is brought to its end first. What came to `to` since goes to
/// `from`, and stays at `to` if that had a memory before, or has another one's now; else `to` is empty again, and
/// the folders that the move made are gone. Status 65 when it is undone already.
pub fn undo(receipt: &Path, redactor: &Redactor) -> Result<Moved, Failure> {
    let mut receipt = Receipt::read(receipt)?;
    let _one_at_a_time = receipt::lock(receipt.path().parent().unwrap_or(Path::new(".")))?;
    // It can have changed until the lock was ours.
    receipt = Receipt::read(&receipt.path())?;
    if receipt.state() == State::Undone {
        let when = receipt.undone_at().map(|time| format!(" at {time}")).unwrap_or_default();
        let what = format!("{}: this move was undone{when}; there is nothing to take back", receipt.path().display());
        return Err(Failure::data(what));
    }
    for mut other in receipt.others()? {
        if other.is_unfinished() && (other.touches(&receipt.from()) || other.touches(&receipt.to())) {
            settle(&mut other, false, redactor)?;
        }
    }
    settle(&mut receipt, false, redactor)?;
    if receipt.state() == State::Done {
        let _locks = locks(&receipt)?;
        let undoing = Undoing::new(&receipt, redactor)?;
        undoing.give_back()?;
        let put_back = undoing.to_put_back()?;
        receipt.restored(&put_back)?;
    }
    if receipt.state() == State::Restored {
        go_on(&mut receipt, redactor)?;
    }
    Ok(moved(&receipt))
}

/// The second half: `from` has all, and `to` loses what came with the move.
pub fn go_on(receipt: &mut Receipt, redactor: &Redactor) -> Result<(), Failure> {
    let _locks = locks(receipt)?;
    let undoing = Undoing::new(receipt, redactor)?;
    if undoing.is_shared() {
        undoing.take()?;
    } else {
        carry(&receipt.to(), &receipt.from(), &mut |_| Ok(()), redactor)?;
    }
    store::receipts::copy(&receipt.to(), &receipt.from(), redactor)?;
    let earlier = undoing.others.iter().filter(|other| receipt.is_over(other) && !other.stands());
    let made = earlier.map(Receipt::made_folders).chain([receipt.made_folders()]).max().unwrap_or_default();
    remove_made(receipt, made);
    receipt.reach(State::Undone)
}

/// Removes the folders at `to` that a move made and that hold nothing; the caller holds the lock in it.
pub fn remove_made(receipt: &Receipt, made: usize) {
    let to = receipt.to();
    if made == 0 || super::has_memory(&to) {
        return;
    }
    // The lock and the cache are the last: what else is there keeps its folder.
    let only_ours = |folder: &Path, ours: &[&str]| {
        file::names(folder).is_ok_and(|names| names.iter().all(|name| ours.iter().any(|own| name == own)))
    };
    if only_ours(&to, &[".state"]) && only_ours(&to.join(".state"), &["lock", "export.json"]) {
        for name in [".state/export.json", ".state/lock"] {
            let _ = file::remove_path(&to.join(name));
        }
        file::remove_folder(&to.join(".state"));
        let _ = to.ancestors().take(made).all(file::remove_folder);
    }
}

/// Does it until nobody wrote meanwhile.
fn again(memory: &Path, run: impl Fn() -> Result<bool, Failure>) -> Result<(), Failure> {
    for _ in 0..TRIES {
        if run()? {
            return Ok(());
        }
    }
    Err(busy(memory))
}

/// An undo, with what the other receipts say.
struct Undoing<'a> {
    receipt: &'a Receipt,
    others: Vec<Receipt>,
    redactor: &'a Redactor,
    from: PathBuf,
    to: PathBuf,
}

impl<'a> Undoing<'a> {
    fn new(receipt: &'a Receipt, redactor: &'a Redactor) -> Result<Self, Failure> {
        let (from, to) = (receipt.from(), receipt.to());
        let mut others = receipt.others()?;
        others.retain(|other| other.to() == to);
        Ok(Self { receipt, others, redactor, from, to })
    }

    fn standing(&self) -> impl Iterator<Item = &Receipt> {
        self.others.iter().filter(|other| other.stands())
    }

    /// Whether `to` is used by others. Of a knowledge folder only they know: what came there since stays for them, too.
    fn is_shared(&self) -> bool {
        store::in_knowledge_folder(&self.to) || self.receipt.to_had_memory() || self.standing().next().is_some()
    }

    /// Gives `from` what it had, and what came since.
    fn give_back(&self) -> Result<(), Failure> {
        let mut names = self.receipt.names(Side::From);
        names.extend(table::names(&self.to)?);
        for (name, kind) in names {
            let give = || if kind == Kind::Journal { self.give_journal(&name) } else { self.give(&name, kind) };
            again(&self.from, give)?;
        }
        Ok(())
    }

    fn give_journal(&self, name: &Path) -> Result<bool, Failure> {
        let had = self.receipt.had(Side::From, name)?;
        let bytes = |held: &Option<disk::Held>| held.as_ref().map(|held| held.bytes.clone()).unwrap_or_default();
        let mut known = Known::default().with(&bytes(&had)).with(&bytes(&self.receipt.had(Side::To, name)?));
        for other in self.standing() {
            known = known.with(&bytes(&other.had(Side::From, name)?));
        }
        let since = lines::without(&bytes(&disk::read(&self.to, name)?), |line| known.has_line(line));
        let mut back = bytes(&had);
        back = lines::merge(&back, &since).unwrap_or(back);
        if back.is_empty() {
            return Ok(true);
        }
        let there = disk::read(&self.from, name)?;
        // What was written there after the move stays, too.
        back = lines::merge(&back, &bytes(&there)).unwrap_or(back);
        if bytes(&there) == back {
            return Ok(true);
        }
        let modified = had.filter(|had| had.bytes == back).and_then(|had| had.modified);
        piece::apply(&[Write::new(name, there.as_ref(), Some(Masked::exact(back)), modified)], &self.from)
    }

    fn give(&self, name: &Path, kind: Kind) -> Result<bool, Failure> {
        let changed = self.changed(name, kind)?;
        // What is open now, and where the project stands, is not what it was; of other files both are kept.
        let sources = [(!changed || kind == Kind::Whole, self.receipt.copies(Side::From)), (changed, self.to.clone())];
        for (_, source) in sources.iter().filter(|(is_given, _)| *is_given) {
            let writes = piece::merged(name, kind, &self.from, source, self.redactor)?;
            if !piece::apply(&writes, &self.from)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether somebody changed at `to` what the move left there. What a later move made of it does not count.
    fn changed(&self, name: &Path, kind: Kind) -> Result<bool, Failure> {
        for file in table::files(name, kind) {
            let now = disk::read(&self.to, &file)?.map(|held| disk::sum(&held.bytes));
            if now.as_deref() != self.left(name, &file, kind) && !self.brought(now.as_deref(), &file) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The sum of a file as the move left it.
    fn left(&self, name: &Path, file: &Path, kind: Kind) -> Option<&str> {
        let moved = table::files(name, kind).iter().any(|file| self.receipt.sum_of(Side::From, file).is_some());
        let untouched = if moved { None } else { self.receipt.sum_of(Side::To, file) };
        self.receipt.placed(file).or(untouched)
    }

    /// Whether a file is what later moves made of what this one left.
    fn brought(&self, now: Option<&str>, file: &Path) -> bool {
        let mut sum = now;
        for other in self.others.iter().rev().filter(|other| other.is_over(self.receipt)) {
            if sum.is_some() && other.placed(file) == sum {
                sum = other.sum_of(Side::To, file);
                let ours = self.receipt.placed(file).or(self.receipt.sum_of(Side::To, file));
                if sum == ours {
                    return true;
                }
            }
        }
        false
    }

    /// The names, but for journals, that are at `to` as the move left them, and that no later move needs.
    fn to_put_back(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut names = self.receipt.names(Side::From);
        names.extend(self.receipt.placed_names());
        let mut found = Vec::new();
        for (name, kind) in names.into_iter().filter(|(_, kind)| *kind != Kind::Journal) {
            let files = table::files(&name, kind);
            let needed = self
                .standing()
                .filter(|other| other.is_over(self.receipt))
                .any(|later| files.iter().any(|file| later.sum_of(Side::From, file).is_some()));
            let mut as_left = !needed;
            for file in &files {
                let now = disk::read(&self.to, file)?.map(|held| disk::sum(&held.bytes));
                as_left = as_left && now.as_deref() == self.left(&name, file, kind);
            }
            if as_left {
                found.push(name);
            }
        }
        Ok(found)
    }

    /// Takes from `to` what came with the move.
    fn take(&self) -> Result<(), Failure> {
        for (name, _) in self.receipt.names(Side::From).iter().filter(|(_, kind)| **kind == Kind::Journal) {
            again(&self.to, || self.take_lines(name))?;
        }
        for name in self.receipt.put_back() {
            again(&self.to, || self.put_back(&name))?;
        }
        Ok(())
    }

    /// Makes a file what it was; what somebody wrote since the undo began stays.
    fn put_back(&self, name: &Path) -> Result<bool, Failure> {
        let Some(kind) = table::kind(name) else { return Ok(true) };
        let (mut put, mut gone) = (Vec::new(), Vec::new());
        for file in table::files(name, kind) {
            let (own, now) = (self.own(self.receipt, &file)?, disk::read(&self.to, &file)?);
            let bytes = |held: &Option<disk::Held>| held.as_ref().map(|held| disk::sum(&held.bytes));
            if bytes(&own) == bytes(&now) {
                continue;
            }
            if bytes(&now).as_deref() != self.left(name, &file, kind) {
                return Ok(true);
            }
            match own {
                Some(own) => put.push(Write::exact(&file, now.as_ref(), own)),
                // What is removed goes in the opposite order.
                None => gone.insert(0, Write::new(&file, now.as_ref(), None, None)),
            }
        }
        Ok(piece::apply(&put, &self.to)? && piece::apply(&gone, &self.to)?)
    }

    fn take_lines(&self, name: &Path) -> Result<bool, Failure> {
        let Some(now) = disk::read(&self.to, name)? else { return Ok(true) };
        let Some(moved) = self.receipt.had(Side::From, name)? else { return Ok(true) };
        let (moved, own) = (Known::default().with(&moved.bytes), self.own_lines(self.receipt, name)?);
        let mut needed = Known::default();
        for other in self.standing() {
            needed = needed.with(&other.had(Side::From, name)?.map(|held| held.bytes).unwrap_or_default());
        }
        let goes = |line: &[u8]| moved.has_line(line) && !own.has_line(line) && !needed.has(line);
        let left = lines::without(&now.bytes, goes);
        let before = self.receipt.had(Side::To, name)?.filter(|before| lines::of(&before.bytes).eq(lines::of(&left)));
        let write = match before {
            Some(before) if before.bytes == now.bytes => return Ok(true),
            Some(before) => Write::exact(name, Some(&now), before),
            None if left == now.bytes => return Ok(true),
            None if lines::of(&left).next().is_none() => Write::new(name, Some(&now), None, None),
            None => Write::new(name, Some(&now), Some(Masked::exact(left)), None),
        };
        piece::apply(&[write], &self.to)
    }

    /// The earlier moves of which a receipt's `to` had something and that are undone now.
    fn undone_below(&self, receipt: &Receipt) -> Vec<&Receipt> {
        self.others.iter().filter(|other| receipt.is_over(other) && !other.stands()).collect()
    }

    /// What `to` had before a move, but for the lines that came with a move that is undone.
    fn own_lines(&self, receipt: &Receipt, name: &Path) -> Result<Known, Failure> {
        let had = |receipt: &Receipt, side| -> Result<Vec<u8>, Failure> {
            Ok(receipt.had(side, name)?.map(|held| held.bytes).unwrap_or_default())
        };
        let mut own = Known::default().with(&had(receipt, Side::To)?);
        for undone in self.undone_below(receipt) {
            let before = self.own_lines(undone, name)?;
            lines::of(&had(undone, Side::From)?)
                .filter(|line| !before.has_line(line))
                .for_each(|line| own.remove(line));
        }
        Ok(own)
    }

    /// A file as `to` had it before a move, and before the moves that are undone by now.
    fn own(&self, receipt: &Receipt, file: &Path) -> Result<Option<disk::Held>, Failure> {
        let sum = receipt.sum_of(Side::To, file);
        for undone in self.undone_below(receipt).into_iter().rev() {
            if sum.is_some() && undone.placed(file) == sum {
                return self.own(undone, file);
            }
        }
        receipt.had(Side::To, file)
    }
}
