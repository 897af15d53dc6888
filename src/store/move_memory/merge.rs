//! How what one folder has comes into another one. Where it has all of it, nothing is written: so it can be done again
//! after a kill.

use super::disk::{self, ReadFile};
use super::table::{HANDOFF, JoinKind};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store::{archive, handoff, progress};
use jiff::Timestamp;
use std::collections::HashSet;
use std::path::Path;

/// Brings what `from` has of a name into `to`. The caller holds the locks of both, if others can see them.
pub fn into(to: &Path, from: &Path, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<(), Failure> {
    let Some(new) = disk::read(from, name)? else { return Ok(()) };
    let old = disk::read(to, name)?;
    if old.as_ref().is_some_and(|old| old.bytes == new.bytes) {
        return Ok(());
    }
    if kind == JoinKind::Handoff && HANDOFF.iter().any(|name| to.join(name).exists()) {
        return handoffs(to, from, new, name, redactor);
    }
    let Some(old) = old else { return disk::put_exact(to, name, new) };
    let text = |held: &ReadFile| String::from_utf8_lossy(&held.bytes).into_owned();
    let merged = match kind {
        JoinKind::Journal => Some(union(&old.bytes, &new.bytes)),
        JoinKind::Progress => progress::merge(&text(&old), &text(&new), redactor),
        JoinKind::Whole | JoinKind::Handoff => None,
    };
    match merged {
        Some(merged) if merged.bytes() == old.bytes => Ok(()),
        Some(merged) => disk::put(to, name, &merged, old.modified.max(new.modified)),
        None => newer(to, name, old, new),
    }
}

/// The newer file stays, or takes the place; the older one goes into the archive.
fn newer(to: &Path, name: &Path, old: ReadFile, new: ReadFile) -> Result<(), Failure> {
    let takes_place = new.modified > old.modified;
    let (loser, winner) = if takes_place { (old, Some(new)) } else { (new, None) };
    let time = loser.modified.and_then(clock::from_system).unwrap_or_default();
    let read = |place: &Path| Ok(disk::read(to, place)?.map(|known| known.bytes));
    let (place, is_there) = archive::place(name, time, &loser.bytes, read)?;
    if !is_there {
        disk::put_exact(to, &place, loser)?;
    }
    winner.map_or(Ok(()), |winner| disk::put_exact(to, name, winner))
}

/// The page of a handoff and what is remembered of it, where `to` has one of the two. A page comes first: what is
/// remembered of it alone would count as closed.
fn handoffs(to: &Path, from: &Path, new: ReadFile, name: &Path, redactor: &Redactor) -> Result<(), Failure> {
    let bytes = |memory: &Path, name: &str| Ok::<_, Failure>(disk::read(memory, Path::new(name))?.map(|one| one.bytes));
    let [page, state] = HANDOFF;
    if bytes(to, state)?.is_none() && bytes(to, page)? == bytes(from, page)? {
        return disk::put_exact(to, name, new);
    }
    for (name, content) in handoff::merge(to, from, redactor)? {
        let name = Path::new(name);
        match content {
            Some(content) => disk::put(to, name, &content, new.modified)?,
            None => disk::remove(to, name, disk::read(to, name)?)?,
        }
    }
    Ok(())
}

/// The lines of a file, without their newlines and without blank ones.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// Lines of journals, which stay as they are.
fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Masked {
    Masked::exact(lines.flat_map(|line| [line, b"\n"].concat()).collect::<Vec<u8>>())
}

/// The lines of both in the order of their times, `to` as it is when it has all of them. A line without a time has that
/// of the line before it.
fn union(to: &[u8], from: &[u8]) -> Masked {
    #[derive(serde::Deserialize)]
    struct Timed {
        ts: String,
    }
    let known: HashSet<&[u8]> = lines(to).collect();
    let fresh: Vec<&[u8]> = lines(from).filter(|line| !known.contains(line)).collect();
    if fresh.is_empty() {
        return Masked::exact(to);
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
    joined(all.into_iter().map(|(_, line)| line))
}

/// The lines of a journal without those that were `brought` and are not its `own`.
pub fn without(journal: &ReadFile, brought: Option<&ReadFile>, own: Option<&ReadFile>) -> Masked {
    let [own, brought] =
        [own, brought].map(|held| held.map_or_else(HashSet::new, |held| lines(&held.bytes).collect::<HashSet<_>>()));
    joined(lines(&journal.bytes).filter(|line| own.contains(line) || !brought.contains(line)))
}
