//! Taking lines out of a journal that a run of ours wrote, as its receipt says.

use super::{files, known, name};
use crate::base::exit::Failure;
use crate::base::file;
use crate::record::item::{self, ItemKind};
use crate::record::session;
use crate::store::receipts::{ReceiptLine, TakenOut};
use crate::store::{self, Memory};
use std::path::Path;

/// Takes a line of a session out of a journal, wherever that is, if it is still as it was written; the caller holds the
/// locks. A journal that is empty then is removed, unless it is a link; a `dry` run changes nothing.
pub fn take_out(
    memory: &Memory,
    (kind, trusted): (ItemKind, bool),
    line: &ReceiptLine,
    session_id: &str,
    dry: bool,
) -> Result<TakenOut, Failure> {
    let mut taken = TakenOut::default();
    let folders: Vec<&Path> = memory.folders().collect();
    for path in files(&folders, kind, trusted) {
        let bytes = file::read(&path)?.unwrap_or_default();
        let is_it = |bytes: &[u8]| item::hash(bytes) == line.hash;
        let folder = folders.iter().find(|folder| folder.join(name(kind, trusted)) == path);
        match (bytes.split(|byte| *byte == b'\n').any(is_it), folder) {
            (true, Some(_)) => taken.removed = true,
            // A synchroniser's copy is never written to.
            (true, None) => taken.kept = format!("it is in '{}', too", path.display()),
            (false, Some(_)) if is_changed(&bytes, line, session_id) => taken.kept = "changed since".into(),
            (false, _) => {}
        }
        // Of a run that was killed an empty journal can be there, or one with a torn line.
        if let Some(folder) = folder.filter(|_| !dry) {
            let goes = !path.is_symlink();
            let path = store::own_file(folder, name(kind, trusted))?;
            file::put_torn_aside(&path, &store::own_file(folder, ".state/torn")?)?;
            file::take_lines_out(&path, |bytes| is_it(bytes).then_some(line.ended_last), goes)?;
        }
    }
    Ok(taken)
}

/// Whether a journal has the item of a line in other words or fields.
fn is_changed(bytes: &[u8], line: &ReceiptLine, session_id: &str) -> bool {
    let Some(kind) = ItemKind::from_word(&line.kind).filter(|_| !line.is_mark) else { return false };
    let text = String::from_utf8_lossy(bytes);
    let mut same = text.lines().filter(|text| text.contains(&line.said.id)).filter_map(|text| known(text, kind));
    same.any(|entry| entry.item.id == line.said.id && session::safe_id(&entry.session_id) == session_id)
}
