//! A folder that is held open: the way to it is walked once, not once for each of its files.

use super::read;
use crate::base::exit::Failure;
use jiff::Timestamp;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// A regular file's name, and when it was last written to.
type DatedName = (String, Option<Timestamp>);

/// See [`Folder::files`].
pub(super) fn files_in(held: &OwnedFd, is_wanted: impl Fn(&str) -> bool) -> rustix::io::Result<Vec<DatedName>> {
    let file = |name: &str| {
        let data = rustix::fs::statat(held, name, AtFlags::empty()).ok()?;
        let nanoseconds = i32::try_from(data.st_mtime_nsec).ok();
        let modified = nanoseconds.and_then(|part| Timestamp::new(data.st_mtime, part).ok());
        (FileType::from_raw_mode(data.st_mode) == FileType::RegularFile).then_some(modified)
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let names = Dir::new(openat(held, ".", flags, Mode::empty())?)?;
    let files = names.filter_map(Result::ok).filter_map(|entry| {
        let name = entry.file_name().to_str().ok().filter(|name| is_wanted(name))?;
        Some((name.to_owned(), file(name)?))
    });
    Ok(files.collect())
}

/// A folder, open.
pub struct Folder {
    path: PathBuf,
    held: OwnedFd,
}

impl Folder {
    /// None when there is none.
    pub fn open(path: &Path) -> Result<Option<Self>, Failure> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match openat(CWD, path, flags, Mode::empty()) {
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(Failure::io(path.display(), &error.into())),
            Ok(held) => Ok(Some(Self { path: path.to_path_buf(), held })),
        }
    }

    /// The regular files, and the links that lead to one, whose name is wanted: the name, and when the file was last
    /// written to.
    pub fn files(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<DatedName>, Failure> {
        files_in(&self.held, is_wanted).map_err(Failure::at(&self.path))
    }

    /// As [`super::read_head`].
    pub fn read_head(&self, name: &str, limit: u64) -> Result<String, Failure> {
        let path = self.path.join(name);
        read::head(&path, read::opened_in(&self.held, Path::new(name), &path)?, limit)
    }
}
