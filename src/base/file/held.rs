//! Folders that are held open while something is written in them, so that a link that another user puts in the place of
//! one in the meantime leads nowhere. Where the system cannot open a path without links at once, the path is walked, folder
//! by folder, which comes to the same.

use crate::base::exit::Failure;
use crate::base::system::{self, FOLDER};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, mkdirat, openat, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

/// A file's folder, open, and the file's name there.
pub(super) struct Held {
    pub folder: OwnedFd,
    pub name: OsString,
}

impl Held {
    /// Opens the file; a link in its place is not followed.
    pub fn open(&self, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.folder, &self.name, flags, Mode::from(0o600))?))
    }

    /// The mode of what has that name, if anything has.
    #[allow(clippy::useless_conversion, reason = "it has 16 bits on macOS")]
    pub fn mode(&self) -> Option<Permissions> {
        let data = statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Permissions::from_mode(u32::from(data.st_mode) & 0o7777))
    }

    /// Syncs the names in the folder.
    pub fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        File::from(openat(&self.folder, ".", flags, Mode::empty())?).sync_all()
    }

    /// Removes the file; one that is not there is fine.
    pub fn remove(&self) -> io::Result<()> {
        match unlinkat(&self.folder, &self.name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            done => Ok(done?),
        }
    }

    /// Gives the file another name, which may be in another folder that is held.
    pub fn rename(&self, to: &Held) -> io::Result<()> {
        Ok(renameat(&self.folder, &self.name, &to.folder, &to.name)?)
    }

    /// The same with flags, which not every file system knows.
    pub fn rename_with(&self, to: &Held, flags: RenameFlags) -> io::Result<()> {
        Ok(renameat_with(&self.folder, &self.name, &to.folder, &to.name, flags)?)
    }

    /// A file of another name in the same folder.
    pub fn beside(&self, name: &OsStr) -> io::Result<Held> {
        Ok(Held { folder: self.folder.try_clone()?, name: name.to_owned() })
    }
}

/// A folder wherever it is, links followed.
pub(super) fn any(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, FOLDER, Mode::empty())?)
}

/// A folder by its real path, on which no link is followed; it is made, 0700, with those above it where that is wanted.
pub(super) fn folder(path: &Path, make: bool) -> io::Result<OwnedFd> {
    match system::open_folder(path) {
        Some(Err(error)) if make && error.kind() == io::ErrorKind::NotFound => walked(path, make),
        Some(opened) => opened,
        None => walked(path, make),
    }
}

fn walked(path: &Path, make: bool) -> io::Result<OwnedFd> {
    let mut at = any(Path::new(if path.is_absolute() { "/" } else { "." }))?;
    let names = path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir));
    for name in names {
        let open = |at: &OwnedFd| openat(at, name.as_os_str(), FOLDER | OFlags::NOFOLLOW, Mode::empty());
        let mut opened = open(&at);
        if make && matches!(opened, Err(Errno::NOENT)) {
            // Another process may just have made it.
            match mkdirat(&at, name.as_os_str(), Mode::from(0o700)) {
                Ok(()) | Err(Errno::EXIST) => opened = open(&at),
                Err(error) => return Err(error.into()),
            }
        }
        at = opened?;
    }
    Ok(at)
}

/// The error for a file or a folder that could not be opened so.
pub(super) fn refused(path: &Path, error: &io::Error) -> Failure {
    let is_link = [Errno::LOOP, Errno::NOTDIR].iter().any(|link| error.raw_os_error() == Some(link.raw_os_error()));
    if is_link {
        let what = "is behind a link or a file where a folder was just now: see who can write there, and remove it";
        return Failure::data(format!("{} {what}", path.display()));
    }
    Failure::io(path.display(), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_link_is_followed_whether_the_path_is_walked_or_opened_at_once() {
        let top = tempfile::tempdir().unwrap();
        let real = top.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("outside/b")).unwrap();
        symlink("outside", real.join("a")).unwrap();
        for open in [folder, walked] {
            for make in [false, true] {
                assert!(open(&real.join("a"), make).is_err() && open(&real.join("a/b"), make).is_err());
                assert!(open(&real.join("outside/b"), make).is_ok());
            }
            assert_eq!(open(&real.join("new/er"), false).unwrap_err().kind(), io::ErrorKind::NotFound);
            assert!(open(&real.join("new/er"), true).is_ok() && real.join("new/er").is_dir());
            std::fs::remove_dir_all(real.join("new")).unwrap();
        }
        assert!(open_error(&real.join("a/b")).contains("is behind a link"));
    }

    fn open_error(path: &Path) -> String {
        refused(path, &folder(path, false).unwrap_err()).message
    }
}
