//! One project's memory folder: what was decided, what broke, what is still open.

pub mod handoff;
pub mod journal;
pub mod learnings;
pub mod ledger;
pub mod progress;
mod newest;
pub mod summary;

pub use newest::{EDITED, Newest};

use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root, Target};
use std::path::{Component, Path, PathBuf};

/// Takes the lock under which a memory folder is changed; creates the folder.
pub fn lock(folder: &Path) -> Result<Lock, Failure> {
    let state = Root::of(folder).folder(".state")?;
    let lock = file::lock(&own_file(folder, ".state/lock")?, file::PATIENCE)?;
    file::sweep(folder);
    file::sweep(&state);
    Ok(lock)
}

/// The real path of a memory folder, which must lie inside the agent's home, or behind the home's own
/// `projects/`, which can be a link; else status 65.
pub fn inside(folder: &Path, home: &Path) -> Result<PathBuf, Failure> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    let real = file::real_path(folder);
    let tops = [home.to_path_buf(), home.join("projects")];
    if climbs || home.as_os_str().is_empty() || !tops.iter().any(|top| real.starts_with(file::real_path(top))) {
        let what = format!("memory_dir '{}' is not inside the agent's home '{}'", folder.display(), home.display());
        return Err(Failure::data(what));
    }
    Ok(real)
}

/// A file of a memory folder, to be written; status 65 when it is a link that leads out of the folder.
pub fn own_file(memory: &Path, name: &str) -> Result<Target, Failure> {
    Root::of(memory).file(name)
}
