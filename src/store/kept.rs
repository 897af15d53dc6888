//! Small journals that are not of items: a line each, the newest of a project. A session's lines are there once, however
//! often it is persisted.

use super::Memory;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use crate::record::fix::Fix;
use crate::record::item::Evidence;
use crate::record::session;
use crate::redact::Redactor;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::slice;

/// So much of one is read: far more than the lines that are kept. A larger one is not written to.
const BYTES: u64 = 4 << 20;
/// The most lines that are kept.
const KEPT: usize = 200;

/// A line of such a journal.
pub trait Kept: Clone + PartialEq + Serialize + DeserializeOwned {
    /// The journal's name.
    const NAME: &'static str;
    /// When the session ended, as far as it was read, and the session.
    fn of(&self) -> [&str; 2];
    /// What it says, in parts: each must say something, and of a session two lines with the same first two are one.
    fn says(&self) -> Vec<&[String]>;
}

/// What a user said, letter by letter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SaidLine {
    /// When the session ended, as far as it was read.
    pub ts: String,
    /// What the user said.
    pub text: String,
    /// The session.
    pub session_id: String,
    /// Where in it.
    pub evidence: Vec<Evidence>,
}

impl Kept for SaidLine {
    const NAME: &'static str = "said.jsonl";

    fn of(&self) -> [&str; 2] {
        [&self.ts, &self.session_id]
    }

    fn says(&self) -> Vec<&[String]> {
        vec![slice::from_ref(&self.text)]
    }
}

/// A command that failed, and what passed then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FixLine {
    /// When the session ended, as far as it was read.
    pub ts: String,
    /// What failed, and what passed.
    #[serde(flatten)]
    pub fix: Fix,
    /// The session.
    pub session_id: String,
}

impl Kept for FixLine {
    const NAME: &'static str = "fixes.jsonl";

    fn of(&self) -> [&str; 2] {
        [&self.ts, &self.session_id]
    }

    fn says(&self) -> Vec<&[String]> {
        vec![slice::from_ref(&self.fix.failed), &self.fix.error, &self.fix.passed]
    }
}

/// The newest lines, the oldest of them first. A line that cannot be read is left out.
pub fn newest<T: Kept>(memory: &Memory, count: usize) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    for folder in memory.folders() {
        all.extend(read(folder)?);
    }
    Ok(last(all, count))
}

/// Adds a session's lines, their secrets masked; the caller holds the folder's lock.
pub fn add<T: Kept>(memory: &Memory, lines: &[T], redactor: &Redactor) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    let old: Vec<T> = whole(memory)?;
    let mut all = old.clone();
    for line in parsed::<T>(&text_of(lines, redactor)?.text()) {
        let says = line.says();
        let is_same = |known: &T| known.of()[1] == line.of()[1] && known.says().iter().take(2).eq(says.iter().take(2));
        if !all.iter().any(is_same) {
            all.push(line);
        }
    }
    let all = last(all, KEPT);
    if all == old { Ok(()) } else { write(memory, &all, redactor) }
}

/// The sessions that have lines.
pub fn sessions<T: Kept>(memory: &Memory) -> Result<Vec<String>, Failure> {
    Ok(read::<T>(memory)?.iter().map(|line| session::safe_id(line.of()[1])).collect())
}

/// Takes the lines of a session out, and gives what they say; a `dry` run changes nothing. The caller holds the folder's
/// lock.
pub fn take_out<T: Kept>(
    memory: &Memory,
    safe_id: &str,
    dry: bool,
    redactor: &Redactor,
) -> Result<Vec<String>, Failure> {
    let (gone, rest): (Vec<T>, Vec<T>) =
        whole(memory)?.into_iter().partition(|line: &T| session::safe_id(line.of()[1]) == safe_id);
    if !gone.is_empty() && !dry {
        write(memory, &rest, redactor)?;
    }
    Ok(gone.iter().filter_map(|line| line.says()[0].first().cloned()).collect())
}

/// The last lines by their times; of one time as they were added.
fn last<T: Kept>(mut all: Vec<T>, count: usize) -> Vec<T> {
    all.sort_by_cached_key(|line| clock::parse(line.of()[0]));
    all.split_off(all.len().max(count) - count)
}

/// All lines, to be written again; status 65 where there are more than we write, which would be lost.
fn whole<T: Kept>(folder: &Path) -> Result<Vec<T>, Failure> {
    let bytes = file::read_at_most(&folder.join(T::NAME), BYTES)?;
    Ok(bytes.map_or_else(Vec::new, |bytes| parsed(&String::from_utf8_lossy(&bytes))))
}

fn read<T: Kept>(folder: &Path) -> Result<Vec<T>, Failure> {
    Ok(parsed(&file::read_tail(&folder.join(T::NAME), BYTES)?))
}

fn parsed<T: Kept>(text: &str) -> Vec<T> {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<T>(line).ok());
    let says_something = |part: &&[String]| part.iter().any(|said| !said.trim().is_empty());
    lines.filter(|line| line.says().iter().all(says_something)).collect()
}

fn write<T: Kept>(memory: &Memory, all: &[T], redactor: &Redactor) -> Result<(), Failure> {
    let path = super::own_file(memory, T::NAME)?;
    if all.is_empty() {
        return file::remove(&path);
    }
    file::replace(&path, &text_of(all, redactor)?, Durable::Yes)
}

fn text_of<T: Kept>(lines: &[T], redactor: &Redactor) -> Result<Masked, Failure> {
    let lines: String = lines.iter().map(record::json_line).collect::<Result<_, _>>()?;
    Ok(redactor.masked_json(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redactor;

    #[test]
    fn a_line_is_there_once_and_the_newest_stay() {
        let home = tempfile::tempdir().unwrap();
        let memory = Memory::alone(home.path());
        let redactor = redactor();
        let line = |text: &str, ts: &str, id: &str| SaidLine {
            text: text.to_owned(),
            ts: ts.to_owned(),
            session_id: id.to_owned(),
            ..SaidLine::default()
        };
        for day in 1..=28 {
            let ts = format!("2026-04-{day:02}T12:00:00Z");
            let said = (0..8).map(|number| line(&format!("{day} {number}"), &ts, &format!("s{day}")));
            let said: Vec<SaidLine> = said.collect();
            add(&memory, &said, &redactor).unwrap();
            add(&memory, &said, &redactor).unwrap();
        }
        let all: Vec<SaidLine> = newest(&memory, 999).unwrap();
        assert_eq!((all.len(), all[0].text.as_str(), all[199].text.as_str()), (200, "4 0", "28 7"));
        // An old session that is distilled again is not newer for that.
        add(&memory, &[line("old", "2026-03-01T12:00:00Z", "s0")], &redactor).unwrap();
        let two: Vec<String> = newest(&memory, 2).unwrap().into_iter().map(|line: SaidLine| line.text).collect();
        assert_eq!(two, ["28 6", "28 7"]);
        assert_eq!(take_out::<SaidLine>(&memory, "s28", true, &redactor).unwrap().len(), 8);
        take_out::<SaidLine>(&memory, "s28", false, &redactor).unwrap();
        // What is larger than all that we write stays as it is.
        let large = std::fs::OpenOptions::new().append(true).open(home.path().join(SaidLine::NAME)).unwrap();
        large.set_len(BYTES + 1).unwrap();
        assert!(add(&memory, &[line("new", "2026-05-01T12:00:00Z", "s29")], &redactor).is_err());
        assert_eq!(large.metadata().unwrap().len(), BYTES + 1);
        assert_eq!(newest::<SaidLine>(&memory, 1).unwrap()[0].text, "27 7");
    }
}
