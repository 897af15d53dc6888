//! What settings were, kept beside them: `settings.json.lh-backup` first, then `.1`, `.2` and so on. The
//! first is what was there before us and is never removed; of the others the last five stay.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Target};
use crate::base::masked::Masked;
use std::path::{Path, PathBuf};

/// How many stay beside the first.
const KEPT: usize = 5;

/// All that are there, in the order in which they were written, with their numbers.
fn numbered(path: &Path) -> Vec<(u64, PathBuf)> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut all = Vec::new();
    for backup in file::names(folder).into_iter().flatten().map(|name| folder.join(name)) {
        let ending = backup.extension().unwrap_or_default().to_string_lossy();
        // `.03` is not one of them.
        let number = ending.parse().unwrap_or(0);
        if named(path, number) == backup {
            all.push((number, backup));
        }
    }
    all.sort();
    all
}

fn named(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lh-backup");
    if number > 0 {
        name.push(format!(".{number}"));
    }
    PathBuf::from(name)
}

/// All that are there.
pub fn all(path: &Path) -> Vec<PathBuf> {
    numbered(path).into_iter().map(|(_, backup)| backup).collect()
}

/// Keeps what a file was beside it, under a name that was not used; none when that is kept already.
pub fn keep(path: &Path, bytes: &[u8]) -> Result<Option<PathBuf>, Failure> {
    let known = numbered(path);
    for (_, backup) in &known {
        if file::read(backup)?.as_deref() == Some(bytes) {
            return Ok(None);
        }
    }
    let behind = known.last().map_or(1, |(last, _)| last + 1);
    let mut number = if named(path, 0).symlink_metadata().is_err() { 0 } else { behind };
    while !file::create(&Target::named(&named(path, number))?, &Masked::exact(bytes), Durable::Yes)? {
        number += 1;
    }
    // What is too many goes; what cannot be removed stays.
    let others: Vec<_> = numbered(path).into_iter().filter(|(number, _)| *number > 0).collect();
    for (_, backup) in others.iter().rev().skip(KEPT) {
        let _ = file::remove_path(backup);
    }
    Ok(Some(named(path, number)))
}
