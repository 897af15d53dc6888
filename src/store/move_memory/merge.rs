//! How what one folder has comes into another one. Where it has all of it, nothing is written: so it can be done again
//! after a kill.

use super::disk::{self, ReadFile};
use super::table::{HANDOFF, JoinKind};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store::{archive, handoff};
use jiff::Timestamp;
use std::collections::HashSet;
use std::path::Path;

/// Brings what `from` has of a name into `to`. The caller holds the locks of both, if others can see them.
pub fn into(to: &Path, from: &Path, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<(), Failure> {
    let Some(new) = disk::read(from, name)? else { return Ok(()) };
    let old = disk::read(to, name)?;
    match old {
        Some(old) if old.content == new.content => Ok(()),
        _ if kind == JoinKind::Handoff && HANDOFF.iter().any(|name| to.join(name).exists()) => {
            handoffs(to, from, &new, name, redactor)
        }
        None => disk::put(to, name, &new),
        Some(old) if kind == JoinKind::Journal => match union(old.content.bytes(), new.content.bytes()) {
            Some(content) => disk::put(to, name, &ReadFile { content, modified: old.modified.max(new.modified) }),
            None => Ok(()),
        },
        Some(old) => newer(to, name, &old, &new),
    }
}

/// The newer file stays, or takes the place; the older one goes into the archive.
fn newer(to: &Path, name: &Path, old: &ReadFile, new: &ReadFile) -> Result<(), Failure> {
    let takes_place = new.modified > old.modified;
    let loser = if takes_place { old } else { new };
    let time = loser.modified.and_then(clock::from_system).unwrap_or_default();
    let (place, is_there) = archive::place(to, name, time, loser.content.bytes())?;
    if !is_there {
        disk::put(to, &place, loser)?;
    }
    if takes_place { disk::put(to, name, new) } else { Ok(()) }
}

/// The page of a handoff and what is remembered of it, where `to` has one of the two. A page comes first: what is
/// remembered of it alone would count as closed.
fn handoffs(to: &Path, from: &Path, new: &ReadFile, name: &Path, redactor: &Redactor) -> Result<(), Failure> {
    let content = |memory, name| Ok::<_, Failure>(disk::read(memory, Path::new(name))?.map(|one| one.content));
    let [page, state] = HANDOFF;
    if content(to, state)?.is_none() && content(to, page)? == content(from, page)? {
        return disk::put(to, name, new);
    }
    for (name, content) in handoff::merge(to, from, redactor)? {
        let name = Path::new(name);
        match content {
            Some(content) => disk::put(to, name, &ReadFile { content, modified: new.modified })?,
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

/// The lines of both in the order of their times; none where `to` has all of them. A line without a time has that of the
/// line before it.
fn union(to: &[u8], from: &[u8]) -> Option<Masked> {
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
    Some(joined(all.into_iter().map(|(_, line)| line)))
}

/// The lines of a journal without those that were `brought` and are not its `own`.
pub fn without(journal: &ReadFile, brought: Option<&ReadFile>, own: Option<&ReadFile>) -> Masked {
    let all = |held: Option<&'_ ReadFile>| -> HashSet<Vec<u8>> {
        held.iter().flat_map(|held| lines(held.content.bytes())).map(<[u8]>::to_vec).collect()
    };
    let (own, brought) = (all(own), all(brought));
    joined(lines(journal.content.bytes()).filter(|line| own.contains(*line) || !brought.contains(*line)))
}
