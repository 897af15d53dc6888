//! The files of a memory that move, and how each is read, written and removed. Everything else in a memory folder belongs
//! to a person, to the client or to another tool, or is a lock or a cache, and stays. What is written is synced with the
//! names of the folders that were made for it.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::store::{archive, journal};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
    let mut folders: Vec<PathBuf> = ["", ".state"].into_iter().chain(FOLDERS).map(PathBuf::from).collect();
    while let Some(folder) = folders.pop() {
        let path = Root::new(memory).inside(&folder)?;
        if path.symlink_metadata().is_ok() && (!path.is_dir() || folder != Path::new("") && path.is_symlink()) {
            let what = "is a link or a file, expected a folder: put the folder in its place";
            return Err(Failure::data(format!("'{}' {what}", path.display())));
        }
        for name in file::names(&path)?.into_iter().map(|name| folder.join(name)) {
            if !memory.join(&name).is_dir() {
                found.extend(kind(&name).map(|kind| (name, kind)));
            } else if is_in_folders(&folder) {
                folders.push(name);
            }
        }
    }
    if HANDOFF.iter().any(|name| found.contains_key(Path::new(name))) {
        found.extend(HANDOFF.map(|name| (PathBuf::from(name), JoinKind::Handoff)));
    }
    Ok(found)
}

fn is_in_folders(name: &Path) -> bool {
    FOLDERS.iter().any(|folder| name.starts_with(folder))
}

fn kind(name: &Path) -> Option<JoinKind> {
    // What was written aside is another writer's.
    let is_aside = || name.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".lh-"));
    let text = name.to_string_lossy();
    if JOURNALS.iter().any(|journal| text == *journal || journal::is_copy(&text, journal)) {
        Some(JoinKind::Journal)
    } else if HANDOFF.contains(&&*text) {
        Some(JoinKind::Handoff)
    } else if WHOLE.contains(&&*text) || is_in_folders(name) && !is_aside() {
        Some(JoinKind::Whole)
    } else {
        None
    }
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// Its content.
    pub content: Masked,
    /// When it was written to.
    pub modified: Option<SystemTime>,
}

/// Whether two files have the same content, or neither of them is there.
pub fn is_same(one: Option<&ReadFile>, other: Option<&ReadFile>) -> bool {
    one.map(|held| &held.content) == other.map(|held| &held.content)
}

/// A file of a memory folder; none when it is not there. Status 65 when it leads out, or is not a regular file.
pub fn read(memory: &Path, name: &Path) -> Result<Option<ReadFile>, Failure> {
    let target = Root::new(memory).file(name)?;
    let modified = target.metadata().and_then(|data| data.modified()).ok();
    Ok(file::read(&target)?.map(|bytes| ReadFile { content: Masked::exact(bytes), modified }))
}

/// Puts a file in place whatever is there, with the time at which its content was written; none is removed.
pub fn put(memory: &Path, name: &Path, new: Option<&ReadFile>) -> Result<(), Failure> {
    let Some(new) = new else { return remove(memory, name) };
    #[cfg(test)]
    super::tests::may_be_killed()?;
    let root = Root::new(memory);
    name.parent().map_or(Ok(()), |folder| make(&root.inside(folder)?))?;
    file::replace_with(&root.file(name)?, Durable::Yes, |out| {
        out.write_all(new.content.bytes())?;
        // Which of two files is the newer is asked of it again. A file system may not be able to keep it.
        let _ = new.modified.map(|time| out.set_modified(time));
        Ok(())
    })
}

/// Makes a folder and those above it, and syncs their names.
pub fn make(folder: &Path) -> Result<(), Failure> {
    let missing: Vec<PathBuf> = folder.ancestors().take_while(|path| !path.exists()).map(Path::to_path_buf).collect();
    Root::new(folder).folder("")?;
    missing.iter().rev().filter_map(|made| made.parent()).try_for_each(file::sync_folder)
}

/// Removes a file of a memory folder, and the folders below it that are empty then. Of a link to a file only the link
/// goes.
pub fn remove(memory: &Path, name: &Path) -> Result<(), Failure> {
    #[cfg(test)]
    super::tests::may_be_killed()?;
    let folder = Root::new(memory).inside(name.parent().unwrap_or(Path::new("")))?;
    file::remove_path(&folder.join(name.file_name().unwrap_or_default()))?;
    let above = name.ancestors().skip(1).filter(|folder| *folder != Path::new("") && *folder != Path::new(".state"));
    let _ = above.map(|folder| memory.join(folder)).all(|folder| file::remove_folder(&folder));
    Ok(())
}
