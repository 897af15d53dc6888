//! What version 0.1 kept of memories, put into their journal of today.

use super::{EARLIER, Origin, known, name};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file;
use crate::base::masked::Masked;
use crate::record::item::{Item, ItemKind};
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use crate::store::{self, Memory};
use std::collections::HashSet;

const KIND: ItemKind = ItemKind::Memory;
/// Why an item is not trusted that was, before it was asked who said its words.
const REASON: &str = "only a tool or a pasted text says it";

/// Moves the lines of the earlier journal behind those of today's, and removes it. What only a tool said goes to the
/// quarantine. The caller holds the memory's lock; a run that was killed is done again.
pub fn drain(memory: &Memory, project: &str, redactor: &Redactor) -> Result<(), Failure> {
    let earlier = store::own_file(memory, EARLIER)?;
    let Some(text) = file::read_text(&earlier)? else { return Ok(()) };
    let there = file::read_text(&memory.join(name(KIND, true)))?.unwrap_or_default();
    let there: HashSet<&str> = there.lines().collect();
    let waiting = file::read_text(&memory.join(name(KIND, false)))?.unwrap_or_default();
    let (mut lines, mut doubtful) = (Masked::default(), Masked::default());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let entry = known(line, KIND);
        let voice = entry.as_ref().and_then(|entry| entry.item.said_by()).and_then(Voice::from_word);
        if let Some(entry) = entry.filter(|_| voice.is_some_and(|voice| !voice.carries())) {
            let ts = entry.time.map(clock::local).unwrap_or_default();
            let session_id = entry.session_id.as_str();
            let from = Origin { ts: &ts, project, session_id, redactor, receipts: None };
            let item = Item { grounded: false, reason: REASON.to_owned(), ..entry.item };
            let line = redactor.masked_record(&super::entry(KIND, &item, from));
            if !waiting.contains(line.text().trim_end()) {
                doubtful.push(&line);
            }
            continue;
        }
        let moved = redactor.masked_json(&format!("{line}\n"));
        if !there.contains(moved.text().trim_end()) {
            lines.push(&moved);
        }
    }
    super::append(memory, name(KIND, false), &doubtful, None)?;
    super::append(memory, name(KIND, true), &lines, None)?;
    file::remove(&earlier)
}
