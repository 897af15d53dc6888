//! What a person said of items, or a later session by saying it again, a line each behind them in the journal. The last
//! mark of a person counts, by its
//! `ts`: of two machines that wrote at once, the later line need not be the later word.

use crate::base::clock;
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashSet;

/// What is said of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is wrong: it is not told, and not distilled again.
    Forgotten,
    /// That was a mistake.
    Restored,
    /// It was let out of the quarantine.
    Released,
    /// A later session said it in the same words: a failure came back.
    Again,
}

impl Mark {
    /// The word in its line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Restored => "restored",
            Self::Released => "released",
            Self::Again => "again",
        }
    }
}

/// A mark, of which a journal has few.
#[derive(Default, Deserialize)]
#[serde(default)]
struct MarkLine<'a> {
    #[serde(borrow, rename = "type")]
    mark: Cow<'a, str>,
    id: String,
    #[serde(borrow)]
    ts: Cow<'a, str>,
    session_id: String,
}

/// The lines that have these marks.
fn lines_with<'t>(texts: &'t [String], known: &'static [Mark]) -> impl Iterator<Item = (Mark, MarkLine<'t>)> {
    let words: Vec<String> = known.iter().map(|mark| format!("\"type\":\"{}\"", mark.word())).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.filter(move |line| words.iter().any(|word| line.contains(word))).filter_map(|line| {
        let found: MarkLine<'t> = serde_json::from_str(line).ok()?;
        Some((known.iter().copied().find(|known| known.word() == found.mark)?, found))
    })
}

/// The later sessions that said an item in the same words: its id, the session and the time.
pub fn again(texts: &[String]) -> Vec<(String, String, Option<Timestamp>)> {
    lines_with(texts, &[Mark::Again]).map(|(_, line)| (line.id, line.session_id, clock::parse(&line.ts))).collect()
}

/// All marks of some texts, in the order of their times; ties: the later line. One without a time comes first.
pub fn all(texts: &[String]) -> Vec<(Option<Timestamp>, Mark, String)> {
    let marked = lines_with(texts, &[Mark::Forgotten, Mark::Restored, Mark::Released, Mark::Again]);
    let mut all: Vec<_> = marked.map(|(mark, line)| (clock::parse(&line.ts), mark, line.id)).collect();
    all.sort_by_key(|(time, ..)| *time);
    all
}

/// The ids of items of which the last mark says that they are wrong.
pub fn forgotten(texts: &[String]) -> HashSet<String> {
    let mut ids = HashSet::new();
    for (_, mark, id) in all(texts).into_iter().filter(|(_, mark, _)| *mark != Mark::Again) {
        _ = if mark == Mark::Forgotten { ids.insert(id) } else { ids.remove(&id) };
    }
    ids
}
