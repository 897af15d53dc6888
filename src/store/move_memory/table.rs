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
    /// The newer file.
    Whole,
}

/// The two files of a handoff, in the order in which they are put in place: without what is remembered of it a page
/// counts as it is, but what is remembered of a page that is not there counts as closed. They are removed in the
/// opposite order, which is that of their names.
pub const HANDOFF: [&str; 2] = ["handoff.md", ".state/handoff"];
const WHOLE: [&str; 6] =
    ["progress.md", "pre-compact-summary.md", "briefing.md", "briefing.md.1", "briefing.md.2", "INDEX.md"];
/// With the copies that a synchroniser makes of them in a conflict.
const JOURNALS: [&str; 9] = [
    "decisions.jsonl", "failures.jsonl", "quarantine.jsonl", "said.jsonl", "fixes.jsonl", ".state/notes.jsonl",
    ".state/memories.jsonl", ".state/torn", ".state/points",
];
/// With all that is in them.
const FOLDERS: [&str; 4] = ["episodes", "profiles", archive::FOLDER, ".state/summaries"];

/// The files of a memory folder that move, by name; of a handoff both names. Status 65 for a folder that is a link.
pub fn names(memory: &Path) -> Result<BTreeMap<PathBuf, JoinKind>, Failure> {
    let mut found = BTreeMap::new();
    for folder in ["", ".state"] {
        let here = below(memory, Path::new(folder))?.into_iter().filter(|name| !memory.join(name).is_dir());
        found.extend(here.filter_map(|name| kind(&name).map(|kind| (name, kind))));
    }
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    while let Some(folder) = folders.pop() {
        for name in below(memory, &folder)? {
            if memory.join(&name).is_dir() {
                folders.push(name);
            } else if !name.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".lh-")) {
                // What was written aside is another writer's.
                found.insert(name, JoinKind::Whole);
            }
        }
    }
    if HANDOFF.iter().any(|name| found.contains_key(Path::new(name))) {
        found.extend(HANDOFF.map(|name| (PathBuf::from(name), JoinKind::Handoff)));
    }
    Ok(found)
}

fn kind(name: &Path) -> Option<JoinKind> {
    let name = name.to_string_lossy();
    let is_journal = JOURNALS.iter().any(|journal| name == *journal || journal::is_copy(&name, journal));
    let kinds = [
        (JoinKind::Journal, is_journal),
        (JoinKind::Handoff, HANDOFF.contains(&&*name)),
        (JoinKind::Whole, WHOLE.contains(&&*name)),
    ];
    kinds.into_iter().find_map(|(kind, is_it)| is_it.then_some(kind))
}

/// The names in a folder of a memory folder, with the folder before them; none when it is not there.
fn below(memory: &Path, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let path = Root::new(memory).inside(folder)?;
    if path.symlink_metadata().is_ok() && (!path.is_dir() || folder != Path::new("") && path.is_symlink()) {
        let what = "is a link or a file, expected a folder: put the folder in its place";
        return Err(Failure::data(format!("'{}' {what}", path.display())));
    }
    Ok(file::names(&path)?.into_iter().map(|name| folder.join(name)).collect())
}
