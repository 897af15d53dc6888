//! Files that are never half there: replaced by write-aside and rename, created exclusively,
//! appended under a lock. What we create is 0600 in folders of 0700; a replaced file keeps its mode.
//! A file is written only as a [`Target`]: it does not lead out of the folder that it belongs to, and is
//! no device, FIFO or socket. Its content is [`crate::base::masked::Masked`].

mod folder;
mod held;
mod lock;
mod read;
mod swap;
mod target;
mod write;

pub use folder::Folder;
pub use lock::{Lock, PATIENCE, can_lock, lock, try_lock};
pub use read::{
    PAGE_BYTES, has, open, read, read_at_most, read_head, read_newest, read_own, read_tail, read_text, read_wanted,
    text_of,
};
pub use swap::rewrite;
pub use target::{Root, Target};
pub use write::{
    Durable, append, append_lines, close_to_others, create, put_torn_aside, remove, remove_folder, remove_path, rename,
    rename_new, replace, replace_with, sync_folder, take_lines_out,
};

use crate::base::clock;
use crate::base::exit::Failure;
use jiff::Timestamp;
use std::fs::{DirBuilder, FileType, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Creates a folder and its parents, 0700. Folders of ours are made by [`Root::folder`], which looks where
/// they lead.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(Failure::at(path))
}

/// A folder for what is thrown away, 0700, in `folder` or else where temporary files are; removed with all in
/// it when it is dropped, which a process that is killed does not do.
pub fn scratch(folder: Option<&Path>, prefix: &str) -> Result<TempDir, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).permissions(Permissions::from_mode(0o700));
    let made = folder.map_or_else(|| builder.tempdir(), |folder| builder.tempdir_in(folder));
    let subject = || folder.map_or_else(|| "folder for temporary files".to_owned(), |path| path.display().to_string());
    made.map_err(|error| Failure::io(subject(), &error))
}

/// Status 65 for what is not a regular file.
pub fn regular(path: &Path, kind: FileType) -> Result<(), Failure> {
    let what = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_symlink() => "a link",
        _ => "a device",
    };
    Err(Failure::data(format!("'{}' is {what}, expected a regular file", path.display())))
}

/// Removes from a folder what writers wrote aside and, being killed, never put in place. The caller holds the lock of the
/// folder's writers; without a lock, only what was written aside more than so many seconds ago is removed, since its
/// writer must be dead. Nothing is removed in a folder if its path has a link by now.
pub fn remove_leftovers(folder: &Path, older_than: Option<i64>) {
    let Ok(held) = held::folder(folder, false) else { return };
    let (begins, ends) = write::ASIDE;
    let is_aside = |name: &str| name.starts_with(begins) && name.ends_with(ends);
    for (name, time) in folder::files_in(&held, is_aside).unwrap_or_default() {
        let age = || Some(clock::seconds_between(time?, clock::now()));
        if older_than.is_none_or(|seconds| age().is_some_and(|age| age > seconds)) {
            let _ = rustix::fs::unlinkat(&held, name, rustix::fs::AtFlags::empty());
        }
    }
}

/// The file or folder that keeps a file from being replaced: the mode of its target, or of the folder of that,
/// does not let its owner write, or this user cannot. None where nothing does.
pub fn write_protected(target: &Target) -> Option<PathBuf> {
    let path: &Path = target;
    let is_protected = |path: &Path| {
        let mode = path.metadata().map(|data| data.permissions().mode());
        let can_write = rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
        mode.is_ok_and(|mode| mode & 0o200 == 0 || !can_write)
    };
    [path, parent(path)].into_iter().find(|path| is_protected(path)).map(Path::to_path_buf)
}

/// When a file was last written to; none when it is not there.
pub fn modified(path: &Path) -> Option<Timestamp> {
    path.metadata().and_then(|data| data.modified()).ok().and_then(clock::from_system)
}

/// The names in a folder, sorted; none when the folder is not there.
pub fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(Failure::at(folder))?,
    };
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name())).collect();
    names.sort();
    Ok(names)
}

/// The real path of what may not exist yet: its nearest existing ancestor resolved, the rest behind it.
pub fn real_path(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut base = path;
    loop {
        if let Ok(real) = base.canonicalize() {
            return rest.iter().rev().fold(real, |whole, part| whole.join(part));
        }
        match (base.parent(), base.file_name()) {
            (Some(up), Some(name)) => {
                rest.push(name.to_owned());
                base = up;
            }
            _ => return path.to_path_buf(),
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
