//! The items that are not trusted, until a person lets them in.

use super::{Entry, Mark, marks, read, texts};
use crate::base::exit::Failure;
use crate::record::item::ItemKind;
use crate::store::Memory;

/// The items in the quarantine, the oldest first, each with whether it was let out.
pub fn quarantined(memory: &Memory) -> Result<Vec<(ItemKind, Entry, bool)>, Failure> {
    // All kinds are in the same files.
    let known = marks::all(&texts(&memory.journal(ItemKind::Handoff, false))?);
    let released = |id: &str| known.iter().any(|(_, mark, of)| *mark == Mark::Released && of == id);
    let mut all = Vec::new();
    for kind in ItemKind::ALL {
        for entry in read(&memory.journal(kind, false), kind)? {
            let out = released(&entry.id(kind));
            all.push((kind, entry, out));
        }
    }
    all.sort_by_key(|(_, entry, _)| entry.time);
    Ok(all)
}
