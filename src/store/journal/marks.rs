//! What later lines of a journal say of its items. A mark is what a person said of one: the last one counts, by its `ts`:
//! of two machines that wrote at once, the later line need not be the later word. And a later item can name those
//! that it takes the place of.

use super::Entry;
use crate::base::clock;
use crate::base::word_enum::words;
use crate::record::speaker::Voice;
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

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

/// The marks of some texts by the ids of their items, each item's in the order of their times; ties: the later line. One
/// without a time comes first.
pub fn all(texts: &[String]) -> HashMap<String, Vec<(Option<Timestamp>, Mark)>> {
    let words = Mark::ALL.map(|mark| format!("\"type\":\"{}\"", mark.word()));
    let mut all: HashMap<String, Vec<(Option<Timestamp>, Mark)>> = HashMap::new();
    let lines = texts.iter().flat_map(|text| text.lines());
    for line in lines.filter(|line| words.iter().any(|word| line.contains(word))) {
        let Ok(MarkLine { mark, id, ts }) = serde_json::from_str(line) else { continue };
        if let Some(mark) = Mark::from_word(&mark) {
            all.entry(id).or_default().push((clock::parse(&ts), mark));
        }
    }
    for marks in all.values_mut() {
        marks.sort_by_key(|(time, _)| *time);
    }
    all
}

/// What took an item's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The id of the later item.
    pub by: String,
    /// Its time.
    pub at: Option<Timestamp>,
}

/// Says of each item of a journal, in the journal's order, what took its place first. Only one that can be told itself
/// takes the place of another: it is trusted, it was not forgotten, and no tool said it. Of two that name each other the
/// later counts.
pub fn replace(all: &mut [Entry]) {
    let mut named: HashMap<String, Vec<(usize, Successor)>> = HashMap::new();
    for (place, entry) in all.iter().enumerate() {
        let counts = entry.item.grounded && !entry.is_forgotten() && entry.item.said_by != Voice::Tool.word();
        for id in entry.item.replaces.iter().filter(|_| counts) {
            let by = Successor { by: entry.id().into_owned(), at: entry.time };
            named.entry(id.clone()).or_default().push((place, by));
        }
    }
    if named.is_empty() {
        return;
    }
    for (place, entry) in all.iter_mut().enumerate() {
        let id = entry.id().into_owned();
        let is_later = |(other, by): &&(usize, Successor)| match (by.at, entry.time) {
            (Some(later), Some(time)) if later != time => later > time,
            _ => *other > place,
        };
        let later = named.get(&id).into_iter().flatten().filter(is_later).filter(|(_, by)| by.by != id);
        entry.replaced = later.min_by_key(|(place, by)| (by.at, *place)).map(|(_, by)| by.clone());
    }
}
