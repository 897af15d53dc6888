//! Systems that have only what POSIX names, as macOS.

use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// How a folder is opened that files are named relative to.
pub const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// No path is opened without links by one call: the caller walks it, folder by folder.
pub fn open_folder(_: &Path) -> Option<io::Result<OwnedFd>> {
    None
}

/// No file is without a name: the caller writes it under another one.
pub fn create_nameless(_: &OwnedFd, _: &OsStr, _: &[u8], _: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Orphans go to the first process of the system; what is in the process group is killed with it.
pub fn adopt_orphans() {}

/// None became ours.
pub fn kill_orphans() {}

/// The session of the terminal that this runs in, by the number of the process that leads it. When that began is not told.
pub fn terminal_session() -> String {
    rustix::process::getsid(None).map_or(0, |leader| leader.as_raw_nonzero().get()).to_string()
}

/// The system does not tell who holds a lock.
pub fn stopped_holder(_: &File) -> Option<u32> {
    None
}
