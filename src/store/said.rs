//! What users said, letter by letter: `said.jsonl`, a line each, the newest of a project. A session's lines are there
//! once, however often it is persisted.

use super::Memory;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::{clock, record};
use crate::record::item::Evidence;
use crate::record::said::OwnWords;
use crate::record::session;
use crate::redact::Redactor;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Its name.
pub const NAME: &str = "said.jsonl";
/// So much of it is read: far more than the lines that are kept. A larger one is not written to.
const BYTES: u64 = 4 << 20;
/// The most lines that are kept.
const KEPT: usize = 200;

/// A line of the file.
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

/// The newest lines, the oldest of them first. A line that cannot be read is left out.
pub fn newest(memory: &Memory, count: usize) -> Result<Vec<SaidLine>, Failure> {
    let mut all = Vec::new();
    for folder in memory.folders() {
        all.extend(read(folder)?);
    }
    Ok(last(all, count))
}

/// Adds a session's lines; the caller holds the folder's lock.
pub fn add(
    memory: &Memory,
    said: &[OwnWords],
    (ts, session_id): (&str, &str),
    redactor: &Redactor,
) -> Result<(), Failure> {
    if said.is_empty() {
        return Ok(());
    }
    let old = whole(memory)?;
    let mut all = old.clone();
    for OwnWords { text, evidence } in said {
        if !all.iter().any(|known| known.session_id == session_id && known.text == *text) {
            let (ts, session_id) = (ts.to_owned(), session_id.to_owned());
            all.push(SaidLine { ts, text: text.clone(), session_id, evidence: evidence.clone() });
        }
    }
    let all = last(all, KEPT);
    if all == old { Ok(()) } else { write(memory, &all, redactor) }
}

/// The sessions that have lines.
pub fn sessions(memory: &Memory) -> Result<Vec<String>, Failure> {
    Ok(read(memory)?.iter().map(|line| session::safe_id(&line.session_id)).collect())
}

/// Takes the lines of a session out, and gives them; a `dry` run changes nothing. The caller holds the folder's lock.
pub fn take_out(memory: &Memory, safe_id: &str, dry: bool, redactor: &Redactor) -> Result<Vec<String>, Failure> {
    let (gone, rest): (Vec<_>, Vec<_>) =
        whole(memory)?.into_iter().partition(|line| session::safe_id(&line.session_id) == safe_id);
    if !gone.is_empty() && !dry {
        write(memory, &rest, redactor)?;
    }
    Ok(gone.into_iter().map(|line| line.text).collect())
}

/// The last lines by their times; of one time as they were added.
fn last(mut all: Vec<SaidLine>, count: usize) -> Vec<SaidLine> {
    all.sort_by_cached_key(|line| clock::parse(&line.ts));
    all.split_off(all.len().saturating_sub(count))
}

/// All lines, to be written again; status 65 where there are more than we write, which would be lost.
fn whole(folder: &Path) -> Result<Vec<SaidLine>, Failure> {
    let bytes = file::read_at_most(&folder.join(NAME), BYTES)?;
    Ok(bytes.map_or_else(Vec::new, |bytes| parsed(&String::from_utf8_lossy(&bytes))))
}

fn read(folder: &Path) -> Result<Vec<SaidLine>, Failure> {
    Ok(parsed(&file::read_tail(&folder.join(NAME), BYTES)?))
}

fn parsed(text: &str) -> Vec<SaidLine> {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<SaidLine>(line).ok());
    lines.filter(|line| !line.text.is_empty()).collect()
}

fn write(memory: &Path, all: &[SaidLine], redactor: &Redactor) -> Result<(), Failure> {
    let path = super::own_file(memory, NAME)?;
    if all.is_empty() {
        return file::remove(&path);
    }
    let lines: String = all.iter().map(record::json_line).collect::<Result<_, _>>()?;
    file::replace(&path, &redactor.masked_json(&lines), Durable::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::Privacy;

    #[test]
    fn a_line_is_there_once_and_the_newest_stay() {
        let home = tempfile::tempdir().unwrap();
        let memory = Memory::alone(home.path());
        let redactor = Redactor::new(&Privacy::default()).unwrap();
        let words = |text: &str| OwnWords { text: text.to_owned(), evidence: Vec::new() };
        for day in 1..=28 {
            let said: Vec<OwnWords> = (0..8).map(|number| words(&format!("{day} {number}"))).collect();
            let ts = format!("2026-04-{day:02}T12:00:00Z");
            add(&memory, &said, (&ts, &format!("s{day}")), &redactor).unwrap();
            add(&memory, &said, (&ts, &format!("s{day}")), &redactor).unwrap();
        }
        let all = newest(&memory, 999).unwrap();
        assert_eq!((all.len(), all[0].text.as_str(), all[199].text.as_str()), (200, "4 0", "28 7"));
        // An old session that is distilled again is not newer for that.
        add(&memory, &[words("old")], ("2026-03-01T12:00:00Z", "s0"), &redactor).unwrap();
        let two: Vec<String> = newest(&memory, 2).unwrap().into_iter().map(|line| line.text).collect();
        assert_eq!(two, ["28 6", "28 7"]);
        assert_eq!(take_out(&memory, "s28", true, &redactor).unwrap().len(), 8);
        take_out(&memory, "s28", false, &redactor).unwrap();
        // What is larger than all that we write stays as it is.
        let large = std::fs::OpenOptions::new().append(true).open(home.path().join(NAME)).unwrap();
        large.set_len(BYTES + 1).unwrap();
        assert!(add(&memory, &[words("new")], ("2026-05-01T12:00:00Z", "s29"), &redactor).is_err());
        assert_eq!(large.metadata().unwrap().len(), BYTES + 1);
        assert_eq!(newest(&memory, 1).unwrap()[0].text, "27 7");
    }
}
