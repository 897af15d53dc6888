//! One project's memory folder: what was decided, what broke, what is still open.

pub mod handoff;
pub mod journal;
mod newest;
pub mod summary;

pub use newest::Newest;

use crate::exit::Failure;
use crate::file::{self, Lock};
use std::path::{Component, Path, PathBuf};

/// Takes the lock under which a memory folder is changed; creates the folder.
pub fn lock(folder: &Path) -> Result<Lock, Failure> {
    let state = folder.join(".state");
    own_file(folder, ".state/lock")?;
    file::create_folder(&state)?;
    let lock = file::lock(&state.join("lock"), file::PATIENCE)?;
    file::sweep(folder);
    file::sweep(&state);
    Ok(lock)
}

/// The real path of a memory folder, which must lie inside the agent's home; else status 65.
pub fn inside(folder: &Path, home: &Path) -> Result<PathBuf, Failure> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    let real = file::real_path(folder);
    if climbs || home.as_os_str().is_empty() || !real.starts_with(file::real_path(home)) {
        let what = format!("memory_dir '{}' is not inside the agent's home '{}'", folder.display(), home.display());
        return Err(Failure::data(what));
    }
    Ok(real)
}

/// A file of a memory folder; status 65 when it is a link that leads out of the folder.
fn own_file(memory: &Path, name: &str) -> Result<PathBuf, Failure> {
    let path = memory.join(name);
    // What a link without a target would lead to cannot be told.
    let dangles = path.is_symlink() && !path.exists();
    if !dangles && file::real_path(&path).starts_with(file::real_path(memory)) {
        return Ok(path);
    }
    Err(Failure::data(format!("{} is a link that leads out of the memory folder", path.display())))
}
