//! Locks: `flock` on a file that holds nothing, or that only its holder appends to.

use super::Target;
use super::write::open_to_append;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::system;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// How long to wait for a lock whose holders keep it for milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// How often a lock is taken anew whose file was removed just then.
const TRIES: usize = 100;

/// Holds a lock until dropped. The descriptor is closed on exec, so no child inherits it.
#[must_use]
pub struct Lock {
    file: File,
}

impl Lock {
    /// The locked file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Whether the locked file still has that name: else another process can hold a lock
    /// of that name, too.
    pub fn is_of(&self, target: &Target) -> bool {
        let (Ok(own), Ok(named)) = (self.file.metadata(), target.metadata()) else { return false };
        (own.dev(), own.ino()) == (named.dev(), named.ino())
    }
}

/// Takes the lock on a file, which is created; status 75 when it is held for longer than `patience`.
pub fn lock(target: &Target, patience: Duration) -> Result<Lock, Failure> {
    let start = clock::monotonic();
    loop {
        if let Some(lock) = try_lock(target)? {
            return Ok(lock);
        }
        if clock::monotonic().duration_since(start) > patience {
            return Err(Failure::later(format!("{}: held by another process", target.display())));
        }
        clock::sleep(Duration::from_millis(2));
    }
}

/// Takes the lock on a file if it is free.
pub fn try_lock(target: &Target) -> Result<Option<Lock>, Failure> {
    take(target, || open_to_append(target))
}

/// Whether a lock that is there can be taken, now or soon: the file system has locks, and the process that holds it was
/// not stopped. Nothing is taken, for another process that takes it just then would go away.
pub fn can_lock(path: &Path) -> Result<(), Failure> {
    let Some(file) = super::open(path)? else { return Ok(()) };
    file.unlock().map_err(|error| failed(path, &error))?;
    match system::stopped_holder(&file) {
        None => Ok(()),
        Some(pid) => {
            let todo = format!("let it go on (kill -CONT {pid}), or end it");
            Err(Failure::later(format!("{}: held by process {pid}, which was stopped: {todo}", path.display())))
        }
    }
}

/// Why a lock cannot be taken.
fn failed(path: &Path, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::Unsupported {
        let what = "this file system has no locks (flock); keep the agent's home on one that has";
        return Failure::io(format!("{}: {what}", path.display()), error);
    }
    Failure::io(path.display(), error)
}

fn take(target: &Target, open: impl Fn() -> Result<File, Failure>) -> Result<Option<Lock>, Failure> {
    for _ in 0..TRIES {
        let lock = Lock { file: open()? };
        match lock.file.try_lock() {
            // The lock of a file that was removed or replaced meanwhile keeps no process out.
            Ok(()) if !lock.is_of(target) => {}
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(failed(target, &error)),
        }
    }
    Err(Failure::later(format!("{}: removed or replaced all the time", target.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::file::Root;

    #[test]
    fn a_lock_whose_file_was_removed_is_known_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let target = Root::new(folder.path()).file("lock").unwrap();
        let first = lock(&target, Duration::ZERO).unwrap();
        assert!(first.is_of(&target) && try_lock(&target).unwrap().is_none());
        std::fs::remove_file(&*target).unwrap();
        assert!(!first.is_of(&target));
        let second = try_lock(&target).unwrap().unwrap();
        assert!(second.is_of(&target) && !first.is_of(&target));
        assert!(try_lock(&target).unwrap().is_none());
    }

    #[test]
    fn a_lock_whose_file_is_removed_before_it_is_taken_is_taken_anew() {
        let folder = tempfile::tempdir().unwrap();
        let target = Root::new(folder.path()).file("lock").unwrap();
        let is_first = std::cell::Cell::new(true);
        let open = || {
            let file = open_to_append(&target);
            if is_first.replace(false) {
                std::fs::remove_file(&*target).unwrap();
            }
            file
        };
        assert!(take(&target, open).unwrap().unwrap().is_of(&target));
    }
}
