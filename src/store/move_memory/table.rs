//! What moves: a table of names. Everything else in a memory folder belongs to a person, to the client or to another
//! tool, or is a lock or a cache, and stays.

use crate::base::exit::Failure;
use crate::base::file::{self, Root};
use crate::store::{archive, journal};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How two files of one name become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Lines: those of both, each once, in the order of their times.
    Journal,
    /// handoff.md with `.state/handoff`: what is open in both.
    Handoff,
    /// The newer file; the older one goes to `.archive/`.
    Whole,
}

/// The two files of a handoff, in the order in which they are put in place: without what is remembered of it a page
/// counts as it is, but what is remembered of a page that is not there counts as closed. They are removed in the
/// opposite order, which is that of their names.
pub const HANDOFF: [&str; 2] = ["handoff.md", ".state/handoff"];

const FILES: [(&str, JoinKind); 10] = [
    ("progress.md", JoinKind::Whole),
    ("pre-compact-summary.md", JoinKind::Whole),
    ("briefing.md", JoinKind::Whole),
    ("briefing.md.1", JoinKind::Whole),
    ("briefing.md.2", JoinKind::Whole),
    ("INDEX.md", JoinKind::Whole),
    (".state/torn", JoinKind::Journal),
    (".state/points", JoinKind::Journal),
    (HANDOFF[0], JoinKind::Handoff),
    (HANDOFF[1], JoinKind::Handoff),
];
/// With the copies that a synchroniser makes of them in a conflict.
const JOURNALS: [&str; 7] = [
    "decisions.jsonl", "failures.jsonl", "quarantine.jsonl", "said.jsonl", "fixes.jsonl", ".state/notes.jsonl",
    ".state/memories.jsonl",
];
/// With all that is in them.
const FOLDERS: [&str; 4] = ["episodes", "profiles", archive::FOLDER, ".state/summaries"];

/// The files of a memory folder that move, by name. Status 65 for a folder that is a link.
pub fn names(memory: &Path) -> Result<BTreeMap<PathBuf, JoinKind>, Failure> {
    let mut found = BTreeMap::new();
    for folder in ["", ".state"] {
        let here = below(memory, Path::new(folder))?;
        for name in here.iter().filter(|name| !memory.join(name).is_dir()) {
            found.extend(kind(name).map(|kind| (name.clone(), kind)));
        }
    }
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    while let Some(folder) = folders.pop() {
        for name in below(memory, &folder)? {
            if memory.join(&name).is_dir() {
                folders.push(name);
            } else if !is_written_aside(&name) {
                found.insert(name, JoinKind::Whole);
            }
        }
    }
    Ok(found)
}

/// How a file becomes one with another one of its name; none when it does not move.
pub fn kind(name: &Path) -> Option<JoinKind> {
    if let Some((_, kind)) = FILES.iter().find(|(known, _)| name == Path::new(known)) {
        return Some(*kind);
    }
    if FOLDERS.iter().any(|folder| name.starts_with(folder)) {
        return Some(JoinKind::Whole);
    }
    let text = name.to_string_lossy();
    JOURNALS.iter().any(|journal| text == *journal || journal::is_copy(&text, journal)).then_some(JoinKind::Journal)
}

/// The names in a folder of a memory folder, with the folder before them; none when it is not there.
fn below(memory: &Path, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let path = Root::new(memory).inside(folder)?;
    if !folder.as_os_str().is_empty() && path.is_symlink() {
        let what = "is a link, expected a folder: put the folder in its place";
        return Err(Failure::data(format!("'{}' {what}", path.display())));
    }
    if !path.is_dir() && path.symlink_metadata().is_ok() {
        return Err(Failure::data(format!("'{}' is not a folder: move it away", path.display())));
    }
    Ok(file::names(&path)?.into_iter().map(|name| folder.join(name)).collect())
}

fn is_written_aside(name: &Path) -> bool {
    let name = name.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(".lh-") && (name.ends_with(".tmp") || name.ends_with(".old"))
}
