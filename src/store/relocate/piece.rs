//! How what one folder has comes into another one: what is to be written there, file by file. When it has all of it,
//! nothing is: so the same question, asked again, says whether the work is done.

use super::disk::{self, Held};
use super::lines;
use super::table::{self, HANDOFF, Kind};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store::{archive, handoff, progress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file to be written; removed when it has no content.
pub struct Write {
    /// Its name, below the memory folder.
    pub name: PathBuf,
    /// What it will hold.
    pub content: Option<Masked>,
    modified: Option<SystemTime>,
    /// The sum of what it holds now; none when it is not there.
    before: Option<String>,
}

impl Write {
    /// A file that gets this content.
    pub fn new(name: &Path, before: Option<&Held>, content: Option<Masked>, modified: Option<SystemTime>) -> Self {
        let before = before.map(|held| disk::sum(&held.bytes));
        Self { name: name.to_path_buf(), content, modified, before }
    }

    /// A file that becomes exactly this one.
    pub fn exact(name: &Path, before: Option<&Held>, held: Held) -> Self {
        Self::new(name, before, Some(Masked::exact(held.bytes)), held.modified)
    }
}

/// Writes all of it, in this order; false when somebody wrote there meanwhile, and it is to be thought over.
pub fn apply(writes: &[Write], memory: &Path) -> Result<bool, Failure> {
    let mut written: BTreeMap<&Path, Option<String>> = BTreeMap::new();
    for write in writes {
        let before = written.get(write.name.as_path()).unwrap_or(&write.before);
        let as_before = match (&write.content, before) {
            (Some(content), before) => disk::replace(memory, &write.name, content, write.modified, before.as_deref())?,
            (None, Some(before)) => disk::remove(memory, &write.name, before)?,
            (None, None) => true,
        };
        if !as_before {
            return Ok(false);
        }
        written.insert(&write.name, write.content.as_ref().map(|content| disk::sum(content.bytes())));
    }
    Ok(true)
}

/// What is to be written into `to`, in this order, so that it has what `from` has of that name.
pub fn merged(name: &Path, kind: Kind, to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Write>, Failure> {
    if kind == Kind::Handoff {
        return handoffs(to, from, redactor);
    }
    let Some(new) = disk::read(from, name)? else { return Ok(Vec::new()) };
    let Some(old) = disk::read(to, name)? else { return Ok(vec![Write::exact(name, None, new)]) };
    if old.bytes == new.bytes {
        return Ok(Vec::new());
    }
    let modified = old.modified.max(new.modified);
    let write = |content| vec![Write::new(name, Some(&old), Some(content), modified)];
    match kind {
        Kind::Journal => {
            Ok(lines::merge(&old.bytes, &new.bytes).map(|bytes| write(Masked::exact(bytes))).unwrap_or_default())
        }
        Kind::Progress => {
            let text = |held: &Held| String::from_utf8_lossy(&held.bytes).into_owned();
            match progress::merge(&text(&old), &text(&new), redactor) {
                Some(page) if page.bytes() == old.bytes => Ok(Vec::new()),
                Some(page) => Ok(write(page)),
                None => newer(name, &old, new, to),
            }
        }
        Kind::Whole | Kind::Handoff => newer(name, &old, new, to),
    }
}

/// The newer file stays, or takes the place; the older one goes into the archive.
fn newer(name: &Path, old: &Held, new: Held, to: &Path) -> Result<Vec<Write>, Failure> {
    let takes_place = new.modified > old.modified;
    let loser = if takes_place { old } else { &new };
    let mut writes = Vec::new();
    if let Some(place) = archived(name, loser, to)? {
        writes.push(Write::exact(&place, None, loser.clone()));
    }
    if takes_place {
        writes.push(Write::exact(name, Some(old), new));
    }
    Ok(writes)
}

/// The name in the archive for a file that is not there; none when the archive has it.
fn archived(name: &Path, held: &Held, memory: &Path) -> Result<Option<PathBuf>, Failure> {
    let time = held.modified.and_then(clock::from_system).unwrap_or_default();
    let read = |place: &Path| Ok(disk::read(memory, place)?.map(|known| known.bytes));
    let (place, there) = archive::place(name, time, &held.bytes, read)?;
    Ok(Some(place).filter(|_| !there))
}

/// The page of a handoff and what is remembered of it.
fn handoffs(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Write>, Failure> {
    let read = |memory| -> Result<[Option<Held>; 2], Failure> {
        let [page, state] = HANDOFF.map(|name| disk::read(memory, Path::new(name)));
        Ok([page?, state?])
    };
    let (old, new) = (read(to)?, read(from)?);
    let same = |at: usize| {
        let bytes = |held: &[Option<Held>; 2]| held.get(at).cloned().flatten().map(|held| held.bytes);
        bytes(&old) == bytes(&new)
    };
    // A page alone, whose state was removed before it, says nothing more.
    if new.iter().all(Option::is_none) || same(0) && (same(1) || new.get(1).is_none_or(Option::is_none)) {
        return Ok(Vec::new());
    }
    let [old_page, old_state] = &old;
    if old_state.is_none() && (old_page.is_none() || same(0)) {
        let copy = |(name, held): (&str, Option<Held>)| Some(Write::exact(Path::new(name), None, held?));
        // The page is not written again.
        let copies = HANDOFF.into_iter().zip(new).filter_map(copy);
        return Ok(copies.filter(|write| old_page.is_none() || write.name != Path::new(HANDOFF[0])).collect());
    }
    let modified = old.iter().chain(&new).flatten().filter_map(|held| held.modified).max();
    let before = |name: &str| if name == HANDOFF[0] { old_page.as_ref() } else { old_state.as_ref() };
    let write = |step: handoff::Step| Write::new(Path::new(step.name), before(step.name), step.content, modified);
    Ok(handoff::merge(to, from, redactor)?.into_iter().map(write).collect())
}

/// The same of all that `from` has.
pub fn all_merged(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Write>, Failure> {
    let mut writes = Vec::new();
    for (name, kind) in table::names(from)? {
        writes.extend(merged(&name, kind, to, from, redactor)?);
    }
    Ok(writes)
}
