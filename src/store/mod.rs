//! One project's memory folder: what was decided, what broke, what is still open.

pub mod handoff;
pub mod journal;
pub mod learnings;
pub mod ledger;
mod newest;
pub mod page;
pub mod progress;
pub mod relocate;
pub mod summary;

pub use newest::Newest;

use crate::agent::layout;
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root, Target};
use std::path::{Component, Path, PathBuf};

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is new and was written.
    Written,
    /// It was there already: in a journal, from this session.
    Unchanged,
    /// There is one that says the same: its id, or its summary where it has none.
    DuplicateOf(String),
    /// There is one that says the same, and a person said that it is wrong: its id.
    Forgotten(String),
}

/// Takes the lock under which a memory folder is changed; creates the folder.
pub fn lock(folder: &Path) -> Result<Lock, Failure> {
    let state = Root::new(folder).folder(".state")?;
    let lock = file::lock(&own_file(folder, ".state/lock")?, file::PATIENCE)?;
    file::remove_leftovers(folder, None);
    file::remove_leftovers(&state, None);
    Ok(lock)
}

/// The real path of a memory folder, which must lie inside the agent's home, or behind the home's own
/// `projects/`, which can be a link; else status 65.
pub fn inside(folder: &Path, home: &Path) -> Result<PathBuf, Failure> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    let real = file::real_path(folder);
    let tops = [home.to_path_buf(), layout::projects(home)];
    if climbs || home.as_os_str().is_empty() || !tops.iter().any(|top| real.starts_with(file::real_path(top))) {
        let what = format!("memory_dir '{}' is not inside the agent's home '{}'", folder.display(), home.display());
        return Err(Failure::data(what));
    }
    Ok(real)
}

/// A file of a memory folder, to be written; status 65 when it is a link that leads out of the folder.
pub fn own_file(memory: &Path, name: &str) -> Result<Target, Failure> {
    Root::new(memory).file(name)
}
