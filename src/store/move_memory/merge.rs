//! How what one folder has comes into another one. Where it has all of it, nothing is written: so it can be done again
//! after a kill.

use super::disk::{self, ReadFile};
use super::table::{HANDOFF, JoinKind};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store;
use jiff::Timestamp;
use std::collections::HashSet;
use std::path::Path;

/// Brings what `from` has of a name into `to`. The caller holds the locks of both, if others can see them.
pub fn into(to: &Path, from: &Path, name: &Path, kind: JoinKind, redactor: &Redactor) -> Result<(), Failure> {
    if kind == JoinKind::Handoff {
        return handoff(to, from, redactor)?.into_iter().try_for_each(|(name, new)| match new {
            Some(new) => disk::put(to, Path::new(name), &new),
            None => disk::remove(to, Path::new(name), disk::read(to, Path::new(name))?.as_ref()),
        });
    }
    let Some(new) = disk::read(from, name)? else { return Ok(()) };
    let Some(old) = disk::read(to, name)? else { return disk::put(to, name, &new) };
    let joined = match kind {
        JoinKind::Journal => union(old.content.bytes(), new.content.bytes())
            .map(|content| ReadFile { content, modified: old.modified.max(new.modified) }),
        // The newer one counts; the older one is in the copy.
        _ => Some(new).filter(|new| new.content != old.content && new.modified > old.modified),
    };
    joined.map_or(Ok(()), |joined| disk::put(to, name, &joined))
}

/// What is to be written into `to`, in this order, so that its handoff has what is open in both folders. A page comes
/// first: what is remembered of it alone would count as closed.
pub fn handoff(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<(&'static str, Option<ReadFile>)>, Failure> {
    let [page, state] = HANDOFF;
    let [own, new] = [to, from].map(|memory| disk::read(memory, Path::new(page)));
    let (own, new) = (own?, new?);
    if disk::read(to, Path::new(state))?.is_none() && (own.is_none() || disk::is_same(own.as_ref(), new.as_ref())) {
        let state = disk::read(from, Path::new(state))?.map(|held| (HANDOFF[1], Some(held)));
        return Ok(new.filter(|_| own.is_none()).map(|held| (page, Some(held))).into_iter().chain(state).collect());
    }
    let modified = new.and_then(|new| new.modified);
    let steps = store::handoff::merge(to, from, redactor)?.into_iter();
    Ok(steps.map(|(name, content)| (name, content.map(|content| ReadFile { content, modified }))).collect())
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

/// A journal without the lines that were `brought` and are not its `own`; none where it has exactly the lines of both, so
/// that nothing was written to it since.
pub fn later(now: &ReadFile, brought: Option<&ReadFile>, own: Option<&ReadFile>) -> Option<Masked> {
    let [now, brought, own] = [Some(now), brought, own].map(|held| held.map_or(&b""[..], |held| held.content.bytes()));
    let [all, brought, own] = [now, brought, own].map(|bytes| lines(bytes).collect::<HashSet<_>>());
    if all == own || all == &own | &brought {
        return None;
    }
    Some(joined(lines(now).filter(|line| own.contains(line) || !brought.contains(line))))
}
