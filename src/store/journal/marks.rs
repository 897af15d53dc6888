//! What a person said of items, a line each behind them in the journal. The last mark of an item counts, by its
//! `ts`: of two machines that wrote at once, the later line need not be the later word.

use crate::base::clock;
use crate::base::word_enum::words;
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashSet;

words! {
    /// What a person says of an item.
    Mark {
        /// It is wrong: it is not told, and not distilled again.
        Forgotten = "forgotten",
        /// That was a mistake.
        Restored = "restored",
        /// It was let out of the quarantine.
        Released = "released",
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
}

/// All marks of some texts, in the order of their times; ties: the later line. One without a time comes first.
pub fn all(texts: &[String]) -> Vec<(Option<Timestamp>, Mark, String)> {
    let words = Mark::ALL.map(|mark| format!("\"type\":\"{}\"", mark.word()));
    let lines = texts.iter().flat_map(|text| text.lines());
    let marked = lines.filter(|line| words.iter().any(|word| line.contains(word))).filter_map(|line| {
        let MarkLine { mark, id, ts } = serde_json::from_str(line).ok()?;
        Some((clock::parse(&ts), Mark::from_word(&mark)?, id))
    });
    let mut all: Vec<_> = marked.collect();
    all.sort_by_key(|(time, ..)| *time);
    all
}

/// The ids of items of which the last mark says that they are wrong.
pub fn forgotten(texts: &[String]) -> HashSet<String> {
    let mut ids = HashSet::new();
    for (_, mark, id) in all(texts) {
        _ = if mark == Mark::Forgotten { ids.insert(id) } else { ids.remove(&id) };
    }
    ids
}
