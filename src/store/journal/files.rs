//! Where a journal is: its file, and the copies that a synchroniser put beside it because two machines wrote at
//! once. No lock of ours keeps another machine out of a synced folder, so each copy has lines of its own.

use crate::base::file;
use crate::record::item::ItemKind;
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
