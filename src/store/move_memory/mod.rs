//! Moving a project's memory from one folder to another one, and taking that back.
//!
//! The invariant: at each instant each line and each item is in one of the two folders or in the copy. First all that a
//! move touches is copied beside its receipt, and the receipt says so. Then `to` gets what the copy of `from` has, and
//! `from` loses the files that are still as they were copied. Each step can be done again: what was killed is finished,
//! from the copy, by the same move again or by its undo.
//!
//! An undo is the copy: `from` gets back what it had, and `to` what it had where it is still as the move left it. What
//! was written there since stays there.
//!
//! [`files`] says what moves. Nothing else in the folders is touched.

mod files;
mod receipt;

use crate::base::clock;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Lock};
use crate::base::masked::Masked;
use crate::redact::Redactor;
use files::{HANDOFF, JoinKind, ReadFile};
use jiff::Timestamp;
use receipt::MoveState;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use receipt::{MoveReceipt, all};

/// The files of a folder that a move takes along. Status 65 where a move would fail.
pub fn files(memory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let memory = file::real_path(memory);
    Ok(files::names(&memory)?.keys().map(|name| memory.join(name)).collect())
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
    let is_begun = |one: &MoveReceipt| one.state == MoveState::Copied && one.from == from && one.to == to;
    let begun = all(receipts)?.into_iter().find(is_begun);
    if begun.is_none() && files::names(&from)?.is_empty() {
        let nothing = format!("'{}' has no memory that could be moved", from.display());
        return Err(Failure::new(Exit::No, nothing));
    }
    // What is not what it should be in `to` is found before anything is made.
    files::names(&to)?;
    let _locks = locks(&from, &to)?;
    let mut receipt = begun.map_or_else(|| MoveReceipt::begin(receipts, &from, &to), Ok)?;
    go_on(&mut receipt, redactor)?;
    if files::names(&from)?.is_empty() {
        return Ok(receipt.file);
    }
    let what = "was written to while it was moved: run it again, and the rest is moved";
    Err(Failure::later(format!("'{}' {what}", from.display())))
}

/// Takes the locks of both folders, in the order of their real paths: two moves cannot wait for each other.
fn locks(from: &Path, to: &Path) -> Result<[Lock; 2], Failure> {
    let (first, second) = if from < to { (from, to) } else { (to, from) };
    files::make(first)?;
    files::make(second)?;
    Ok([super::lock(first)?, super::lock(second)?])
}

/// Brings a move with whole copies to its end. The caller holds the locks of both folders.
fn go_on(receipt: &mut MoveReceipt, redactor: &Redactor) -> Result<(), Failure> {
    let (from, to, copy) = (receipt.from.clone(), receipt.to.clone(), receipt.copy("from"));
    let moved = files::names(&copy)?;
    for (name, kind) in moved.iter().rev() {
        bring(&to, &copy, name, *kind, redactor)?;
    }
    // Those of what was moved; they stay at `from`, too, where they are found when the move is taken back.
    super::receipts::copy(&from, &to, redactor)?;
    for name in moved.keys() {
        if files::is_same(files::read(&from, name)?.as_ref(), files::read(&copy, name)?.as_ref()) {
            files::remove(&from, name)?;
        }
    }
    // A cache of what was there.
    file::remove_path(&from.join(".state/export.json"))?;
    receipt.reach(MoveState::Done)
}

/// Takes a move back, and gives the files of `to` that stay because they were written to since. Status 65 when it is
/// undone already, or when the copy is not whole.
pub fn undo(path: &Path, redactor: &Redactor) -> Result<Vec<PathBuf>, Failure> {
    let _one_at_a_time = receipt::lock(path.parent().unwrap_or(Path::new(".")))?;
    let earlier = || Failure::data(format!("{}: an earlier version made this move", path.display()));
    let mut receipt = MoveReceipt::read(path)?.ok_or_else(earlier)?;
    let (from, to) = (receipt.from.clone(), receipt.to.clone());
    receipt.can_return()?;
    let _locks = locks(&from, &to)?;
    if receipt.state == MoveState::Copied {
        go_on(&mut receipt, redactor)?;
    }
    let mut stayed = Vec::new();
    for (name, kind) in files::names(&receipt.copy("from"))?.iter().rev() {
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
    let MoveReceipt { from, to, .. } = receipt;
    let [copy, own_copy] = ["from", "to"].map(|of| receipt.copy(of));
    let is_as_left = is_as_left(receipt, name, kind, redactor)?;
    if !is_as_left && kind != JoinKind::Journal {
        return bring(from, to, name, kind, redactor).map(|()| false);
    }
    bring(from, &copy, name, kind, redactor)?;
    let Some(now) = files::read(to, name)? else { return Ok(true) };
    let own = files::read(&own_copy, name)?;
    let left = if is_as_left { own } else { later(&now, files::read(&copy, name)?.as_ref(), own.as_ref()) };
    files::put(to, name, left.as_ref())?;
    Ok(is_as_left)
}

/// Whether what `to` has of a name, of a handoff both files, is as the move left it or as it was before.
fn is_as_left(receipt: &MoveReceipt, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<bool, Failure> {
    let own_copy = receipt.copy("to");
    let steps = steps(&own_copy, &receipt.copy("from"), name, kind, redactor)?;
    let names = if kind == JoinKind::Handoff { HANDOFF.map(Path::new).to_vec() } else { vec![name] };
    for name in names {
        let (own, now) = (files::read(&own_copy, name)?, files::read(&receipt.to, name)?);
        let left = steps.iter().rfind(|(of, _)| of == name).map_or(&own, |(_, left)| left);
        if ![left, &own].iter().any(|held| files::is_same(held.as_ref(), now.as_ref())) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is to be written, in this order: a file that goes has no content.
type Steps = Vec<(PathBuf, Option<ReadFile>)>;

/// Brings what `from` has of a name into `to`. The caller holds the locks of both, if others can see them.
fn bring(to: &Path, from: &Path, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<(), Failure> {
    let steps = steps(to, from, name, kind, redactor)?;
    steps.into_iter().try_for_each(|(name, new)| files::put(to, &name, new.as_ref()))
}

/// The steps by which `to` gets what `from` has of a name; none where it has all of it.
fn steps(to: &Path, from: &Path, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<Steps, Failure> {
    if kind == JoinKind::Handoff {
        return handoff(to, from, redactor);
    }
    let Some(new) = files::read(from, name)? else { return Ok(Vec::new()) };
    let joined = match files::read(to, name)? {
        None => Some(new),
        Some(old) if kind == JoinKind::Journal => union(&old, &new),
        // The newer one counts; the older one is in the copy.
        Some(old) => Some(new).filter(|new| new.content != old.content && new.modified > old.modified),
    };
    Ok(joined.map(|joined| (name.to_path_buf(), Some(joined))).into_iter().collect())
}

/// The same of a handoff. A page comes first: what is remembered of it alone would count as closed.
fn handoff(to: &Path, from: &Path, redactor: &Redactor) -> Result<Steps, Failure> {
    let [page, state] = HANDOFF.map(Path::new);
    let (own, new) = (files::read(to, page)?, files::read(from, page)?);
    if files::read(to, state)?.is_none() && (own.is_none() || files::is_same(own.as_ref(), new.as_ref())) {
        let both = [(page, new), (state, files::read(from, state)?)];
        return Ok(both.into_iter().filter_map(|(name, held)| Some((name.into(), Some(held?)))).collect());
    }
    let modified = new.and_then(|new| new.modified);
    let steps = super::handoff::merge(to, from, redactor)?.into_iter();
    Ok(steps.map(|(name, content)| (name.into(), content.map(|content| ReadFile { content, modified }))).collect())
}

/// The lines of a file, without their newlines and without blank ones.
fn lines(held: &ReadFile) -> impl Iterator<Item = &[u8]> {
    held.content.bytes().split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// Lines of journals, which stay as they are.
fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Masked {
    Masked::exact(lines.flat_map(|line| [line, b"\n"].concat()).collect::<Vec<u8>>())
}

/// The lines of both in the order of their times; none where `to` has all of them. A line without a time has that of the
/// line before it.
fn union(to: &ReadFile, from: &ReadFile) -> Option<ReadFile> {
    #[derive(serde::Deserialize)]
    struct Timed {
        ts: String,
    }
    let known: HashSet<&[u8]> = lines(to).collect();
    let fresh: Vec<&[u8]> = lines(from).filter(|line| !known.contains(line)).collect();
    if fresh.is_empty() {
        return None;
    }
    let mut all: Vec<(Timestamp, &[u8])> = Vec::new();
    for part in [lines(to).collect(), fresh] {
        let mut last = Timestamp::MIN;
        for line in part {
            let time = serde_json::from_slice(line).ok().and_then(|timed: Timed| clock::parse(&timed.ts));
            last = time.unwrap_or(last);
            all.push((last, line));
        }
    }
    all.sort_by_key(|(time, _)| *time);
    let content = joined(all.into_iter().map(|(_, line)| line));
    Some(ReadFile { content, modified: to.modified.max(from.modified) })
}

/// A journal as it is `now` without the lines that were `brought` and are not its `own`; none where that leaves nothing.
fn later(now: &ReadFile, brought: Option<&ReadFile>, own: Option<&ReadFile>) -> Option<ReadFile> {
    let [brought, own] = [brought, own].map(|held| held.into_iter().flat_map(lines).collect::<HashSet<_>>());
    let content = joined(lines(now).filter(|line| own.contains(line) || !brought.contains(line)));
    (!content.is_empty()).then_some(ReadFile { content, modified: None })
}

#[cfg(test)]
mod tests;
