//! A transcript as a file.

use crate::base::exit::Failure;
use crate::base::{clock, file};
use jiff::Timestamp;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// How much of a transcript's head is searched for its first cwd.
pub const HEAD_BYTES: u64 = 256 * 1024;

/// A file's size in bytes and its time.
pub type Stat = (u64, Option<Timestamp>);

/// A transcript's size and time; none when it does not exist, status 65 when it is not a file.
pub fn stat(path: &Path) -> Result<Option<Stat>, Failure> {
    match path.metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Failure::io(path.display(), &error)),
        Ok(data) => {
            file::regular(path, data.file_type())?;
            Ok(Some((data.len(), data.modified().ok().and_then(clock::from_system))))
        }
    }
}

/// The same of a transcript that must exist: status 65 when it does not.
pub fn existing(path: &Path) -> Result<Stat, Failure> {
    stat(path)?.ok_or_else(|| Failure::data(format!("{}: no such transcript", path.display())))
}

/// Opens a transcript that must exist.
pub fn open(path: &Path) -> Result<(File, Stat), Failure> {
    let stat = existing(path)?;
    let file = File::open(path).map_err(Failure::at(path))?;
    Ok((file, stat))
}
