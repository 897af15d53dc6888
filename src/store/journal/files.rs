//! Where a journal is: its file, and the copies that a synchroniser put beside it because two machines wrote at
//! once. No lock of ours keeps another machine out of a synced folder, so each copy has lines of its own. And taking lines
//! out of them that a run of ours wrote, as its receipt says.

use super::{known, name};
use crate::base::exit::Failure;
use crate::base::file;
use crate::record::item::{self, ItemKind};
use crate::record::session;
use crate::store::receipts::{ReceiptLine, TakenOut};
use crate::store::{self, Memory};
use std::path::{Path, PathBuf};

/// The files of a journal in some folders, those that are there. The first folder's own file comes last: of two
/// marks of one moment the last counts.
pub fn files(folders: &[&Path], kind: ItemKind, trusted: bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let earlier = Some(super::EARLIER).filter(|_| kind == ItemKind::Memory && trusted);
    let names = || earlier.into_iter().chain([super::name(kind, trusted)]);
    for journal in folders.iter().rev().flat_map(|folder| names().map(|name| folder.join(name))) {
        let name = journal.file_name().unwrap_or_default().to_string_lossy();
        // Of a folder that cannot be listed, reading the file tells why.
        let Some(names) = journal.parent().and_then(|parent| file::names(parent).ok()) else {
            found.push(journal);
            continue;
        };
        let copies = names.iter().filter(|other| is_copy(&other.to_string_lossy(), &name));
        let copies = copies.map(|other| journal.with_file_name(other));
        found.extend(copies.filter(|path| path.symlink_metadata().is_ok_and(|data| data.is_file())));
        if names.iter().any(|other| *other == *name) {
            found.push(journal);
        }
    }
    found
}

/// Whether a file's name is that of a conflict copy of a journal, as Syncthing, Dropbox, Nextcloud, Seafile, Google
/// Drive, ownCloud or iCloud name it. What a person copied (`decisions copy.jsonl`, `decisions.bak.jsonl`) is none.
pub fn is_copy(name: &str, journal: &str) -> bool {
    let between = || name.strip_prefix(journal.strip_suffix(".jsonl")?)?.strip_suffix(".jsonl");
    let Some(between) = between() else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let inside = between.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    between.starts_with(".sync-conflict-")
        || between.starts_with("_conflict-")
        || between.strip_prefix(' ').is_some_and(is_number)
        || inside.is_some_and(|inside| is_number(inside) || inside.to_lowercase().contains("conflict"))
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn copies_of_synchronisers_are_found_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let older = tempfile::tempdir().unwrap();
        let (memory, older) = (home.path(), older.path());
        std::fs::create_dir(memory.join(".state")).unwrap();
        let mut copies = Vec::new();
        for [name, is_copy] in rows(include_str!("copies.tsv")) {
            std::fs::write(memory.join(&name), "").unwrap();
            copies.extend((is_copy == "copy").then_some(name));
        }
        let copies: Vec<&str> = copies.iter().map(String::as_str).collect();
        std::fs::create_dir(memory.join("decisions 3.jsonl")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", memory.join("decisions 4.jsonl")).unwrap();
        let found = |kind, trusted| files(&[memory, older], kind, trusted);
        let paths = |names: &[&str]| names.iter().map(|name| memory.join(name)).collect::<Vec<_>>();
        assert_eq!(found(ItemKind::Decision, true), paths(&copies), "the journal itself is not there");
        for name in [
            memory.join("decisions.jsonl"),
            older.join("decisions.jsonl"),
            memory.join(".state/notes 2.jsonl"),
            memory.join(".state/memories.jsonl"),
        ] {
            std::fs::write(name, "").unwrap();
        }
        let mut all = vec![older.join("decisions.jsonl")];
        all.extend(paths(&copies));
        all.push(memory.join("decisions.jsonl"));
        assert_eq!(found(ItemKind::Decision, true), all);
        assert_eq!(found(ItemKind::Memory, true), paths(&[".state/memories.jsonl", ".state/notes 2.jsonl"]));
        assert_eq!(found(ItemKind::Decision, false), paths(&[]));
    }
}
