//! What is not trusted: items, until a person lets them in, and the fields that were taken out of trusted items.

use super::{Entry, QUARANTINE, append, read, told_of, wanted};
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::record::item::{Dropped, Item, ItemKind};
use crate::store::Memory;
use crate::store::receipts::Receipts;
use memchr::memmem::Finder;

/// The type of a line that keeps a field, as a word and as we write it.
const FIELD: &str = "field";
const FIELD_TYPE: &str = "\"type\":\"field\"";

/// A field that was taken out of an item.
pub struct QuarantinedField {
    /// The item's kind.
    pub kind: ItemKind,
    /// The item's id.
    pub id: String,
    /// What was taken out.
    pub dropped: Dropped,
}

/// Keeps the fields that were taken out of items, each once; the caller holds the folder's lock.
pub fn keep_dropped(memory: &Memory, items: &[Item], from: &Receipts<'_>) -> Result<(), Failure> {
    if items.iter().all(|item| item.dropped.is_empty()) {
        return Ok(());
    }
    let mut known = dropped(memory)?;
    let mut lines = Vec::new();
    for (item, dropped) in items.iter().flat_map(|item| item.dropped.iter().map(move |dropped| (item, dropped))) {
        let is_same = |kept: &QuarantinedField| {
            kept.id == item.id && (&kept.dropped.field, &kept.dropped.text) == (&dropped.field, &dropped.text)
        };
        if known.iter().any(is_same) {
            continue;
        }
        known.push(QuarantinedField { kind: item.kind, id: item.id.clone(), dropped: dropped.clone() });
        let mut line = Record::default();
        line.set("ts", &from.ts);
        line.set("type", FIELD);
        line.set("of", item.kind.word());
        line.set("id", &item.id);
        line.set("field", &dropped.field);
        line.set("text", &dropped.text);
        line.set("session_id", from.session_id);
        line.set("reason", &dropped.reason);
        lines.push((from.redactor.masked_record(&line), told_of(item.kind, false, &item.id, &dropped.text)));
    }
    append(memory, QUARANTINE, lines, Some(from))
}

/// The fields that were taken out of items, the oldest first.
pub fn dropped(memory: &Memory) -> Result<Vec<QuarantinedField>, Failure> {
    let read = |line: &str| {
        let line = Record::parse(line).ok().filter(|line| line.kind() == FIELD)?;
        let text = |field: &str| line.text(field).unwrap_or_default();
        let dropped = Dropped { field: text("field"), text: text("text"), reason: text("reason") };
        Some(QuarantinedField { kind: ItemKind::from_word(&text("of"))?, id: text("id"), dropped })
    };
    // Nearly all of its lines are items.
    let field = Finder::new(FIELD_TYPE);
    let texts = wanted(&memory.journal(ItemKind::Handoff, false), |line| field.find(line).is_some())?;
    Ok(texts.iter().flat_map(|text| text.lines()).filter_map(read).collect())
}

/// The items in the quarantine, the oldest first, also those that were let out.
pub fn quarantined(memory: &Memory) -> Result<Vec<Entry>, Failure> {
    let mut all = Vec::new();
    for kind in ItemKind::ALL {
        all.extend(read(&memory.journal(kind, false), kind)?);
    }
    all.sort_by_key(|entry| entry.time);
    Ok(all)
}
