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
    let first = named(path, 0);
    let first = first.file_name().unwrap_or_default().to_string_lossy();
    let number = |name: &str| match name.strip_prefix(&*first)? {
        "" => Some(0),
        behind => behind.strip_prefix('.')?.parse().ok().filter(|number| behind == format!(".{number}") && *number > 0),
    };
    let names = file::names(folder).unwrap_or_default().into_iter();
    let mut all: Vec<_> =
        names.filter_map(|name| Some((number(&name.to_string_lossy())?, folder.join(name)))).collect();
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
    loop {
        let name = named(path, number);
        if file::create(&Target::named(&name)?, &Masked::exact(bytes), Durable::Yes)? {
            forget(path);
            return Ok(Some(name));
        }
        number += 1;
    }
}

/// Removes what is too many; what cannot be removed stays.
fn forget(path: &Path) {
    let others: Vec<_> = numbered(path).into_iter().filter(|(number, _)| *number > 0).collect();
    for (_, backup) in others.iter().take(others.len().saturating_sub(KEPT)) {
        let _ = file::remove_path(backup);
    }
}
