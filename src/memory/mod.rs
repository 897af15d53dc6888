//! One project's memory folder: what was decided, what broke, what is still open.

pub mod handoff;
pub mod journal;

use crate::exit::Failure;
use crate::file::{self, Lock};
use std::path::Path;

/// Takes the lock under which a memory folder is changed; creates the folder.
pub fn lock(folder: &Path) -> Result<Lock, Failure> {
    let state = folder.join(".state");
    file::create_folder(&state)?;
    file::lock(&state.join("lock"))
}
