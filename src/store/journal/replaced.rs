//! Which items of a journal are replaced: a later one names them. Only one that can be told itself takes the place of
//! another: it is trusted, it was not forgotten, and no tool said it. Of two that name each other the later counts.

use super::Entry;
use crate::record::item::ItemKind;
use jiff::Timestamp;
use std::collections::HashMap;

/// What took an item's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The id of the later item.
    pub by: String,
    /// Its time.
    pub at: Option<Timestamp>,
}

/// Says of each item of a journal, in the journal's order, what took its place first.
pub fn find(all: &mut [Entry], kind: ItemKind) {
    let mut named: HashMap<String, Vec<(usize, Replaced)>> = HashMap::new();
    for (place, entry) in all.iter().enumerate() {
        let counts = entry.item.grounded && !entry.forgotten && entry.said_by.as_deref() != Some("tool");
        for id in entry.item.replaces.iter().filter(|_| counts) {
            let by = Replaced { by: entry.id(kind).into_owned(), at: entry.time };
            named.entry(id.clone()).or_default().push((place, by));
        }
    }
    if named.is_empty() {
        return;
    }
    for (place, entry) in all.iter_mut().enumerate() {
        let id = entry.id(kind).into_owned();
        let is_later = |(other, by): &&(usize, Replaced)| match (by.at, entry.time) {
            (Some(later), Some(time)) if later != time => later > time,
            _ => *other > place,
        };
        let later = named.get(&id).into_iter().flatten().filter(is_later).filter(|(_, by)| by.by != id);
        entry.replaced = later.min_by_key(|(place, by)| (by.at, *place)).map(|(_, by)| by.clone());
    }
}
