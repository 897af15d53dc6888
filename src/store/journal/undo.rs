//! Taking lines out of a journal that a run of ours wrote, as its receipt says.

use super::{files, known, name};
use crate::base::exit::Failure;
use crate::base::file;
use crate::record::item::{self, ItemKind};
use crate::record::session;
use crate::store::receipts::{ReceiptLine, TakenOut};
use crate::store::{self, Memory};
use std::path::Path;

/// Takes lines of a session out of a journal, wherever it is, those that are still as they were written; the caller
/// holds the locks. A journal that is empty then is removed, unless it is a link; a `dry` run changes nothing.
pub fn take_out(
    memory: &Memory,
    (kind, trusted): (ItemKind, bool),
    lines: &[&ReceiptLine],
    session_id: &str,
    dry: bool,
) -> Result<Vec<TakenOut>, Failure> {
    let mut taken = vec![TakenOut::default(); lines.len()];
    let folders: Vec<&Path> = memory.folders().collect();
    for path in files(&folders, kind, trusted) {
        let bytes = file::read(&path)?.unwrap_or_default();
        let hashes: Vec<String> = bytes.split(|byte| *byte == b'\n').map(item::hash).collect();
        let (torn, folder) = (torn(&bytes), folders.iter().find(|folder| folder.join(name(kind, trusted)) == path));
        for (line, taken) in lines.iter().zip(&mut taken) {
            match (hashes.contains(&line.hash), folder) {
                (true, Some(_)) => taken.removed = true,
                // A synchroniser's copy is never written to.
                (true, None) => taken.kept = format!("it is in '{}', too", path.display()),
                (false, Some(_)) if is_changed(&bytes, line, session_id) => taken.kept = "changed since".into(),
                (false, Some(_)) if is_cut(torn, line) => taken.kept = "cut; in .state/torn".into(),
                (false, _) => {}
            }
        }
        // Of a run that was killed an empty journal can be there.
        let has_work = bytes.is_empty() || !torn.is_empty() || lines.iter().any(|line| hashes.contains(&line.hash));
        if let Some(folder) = folder.filter(|_| !dry && has_work) {
            let goes = !path.is_symlink();
            let path = store::own_file(folder, name(kind, trusted))?;
            file::put_torn_aside(&path, &store::own_file(folder, ".state/torn")?)?;
            let of = |bytes: &[u8]| {
                let hash = item::hash(bytes);
                lines.iter().find(|line| line.hash == hash).map(|line| line.ended_last)
            };
            file::take_lines_out(&path, of, goes)?;
        }
    }
    Ok(taken)
}

/// The last line of a journal that was cut; "" where it is whole.
fn torn(bytes: &[u8]) -> &str {
    let last = bytes.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(last).is_ok();
    if is_whole { "" } else { str::from_utf8(last).unwrap_or_default() }
}

/// Whether a line that was cut is this one, as far as its sentence was written.
fn is_cut(torn: &str, line: &ReceiptLine) -> bool {
    let text = serde_json::to_string(&line.said.text).unwrap_or_default();
    torn.match_indices(":\"")
        .filter_map(|(at, _)| torn.get(at + 1..))
        .any(|rest| rest.len() > 1 && !line.is_mark && (rest.starts_with(&text) || text.starts_with(rest)))
}

/// Whether a journal has the item of a line in other words or fields.
fn is_changed(bytes: &[u8], line: &ReceiptLine, session_id: &str) -> bool {
    let Some(kind) = ItemKind::from_word(&line.kind).filter(|_| !line.is_mark) else { return false };
    let text = String::from_utf8_lossy(bytes);
    let mut same = text.lines().filter(|text| text.contains(&line.said.id)).filter_map(|text| known(text, kind));
    same.any(|entry| entry.item.id == line.said.id && session::safe_id(&entry.session_id) == session_id)
}
