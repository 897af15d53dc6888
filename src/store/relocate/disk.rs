//! Each file that a move reads, writes or removes. What is written is synced with the names of the folders that were
//! made for it, and read back.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its content.
    pub bytes: Vec<u8>,
    /// When it was written to.
    pub modified: Option<SystemTime>,
}

/// A file of a memory folder; none when it is not there. Status 65 when it leads out, or is not a regular file.
pub fn read(memory: &Path, name: &Path) -> Result<Option<Held>, Failure> {
    let target = Root::new(memory).file(name)?;
    let modified = target.metadata().and_then(|data| data.modified()).ok();
    Ok(file::read(&target)?.map(|bytes| Held { bytes, modified }))
}

/// The SHA-256 of a file's content, in hex digits.
pub fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn sum_of(memory: &Path, name: &Path) -> Result<Option<String>, Failure> {
    Ok(read(memory, name)?.map(|held| sum(&held.bytes)))
}

/// Puts a file in place whatever is there, with the time at which its content was written.
pub fn put(memory: &Path, name: &Path, content: &Masked, modified: Option<SystemTime>) -> Result<(), Failure> {
    prepare(memory, name)?;
    write(memory, name, content, modified)
}

/// The same, if the file there still has that sum, or is not there without one; says whether it was so. There are
/// tools that write here and know nothing of our lock.
pub fn replace(
    memory: &Path,
    name: &Path,
    content: &Masked,
    modified: Option<SystemTime>,
    before: Option<&str>,
) -> Result<bool, Failure> {
    prepare(memory, name)?;
    if sum_of(memory, name)?.as_deref() != before {
        return Ok(false);
    }
    write(memory, name, content, modified).map(|()| true)
}

fn prepare(memory: &Path, name: &Path) -> Result<(), Failure> {
    #[cfg(test)]
    super::tests::may_be_killed()?;
    name.parent().map_or(Ok(()), |folder| make(&Root::new(memory).inside(folder)?))
}

fn write(memory: &Path, name: &Path, content: &Masked, modified: Option<SystemTime>) -> Result<(), Failure> {
    let target = Root::new(memory).file(name)?;
    file::replace_with(&target, Durable::Yes, |out| {
        out.write_all(content.bytes())?;
        // Which of two files is the newer is asked of it again. A file system may not be able to keep it.
        let _ = modified.map(|time| out.set_modified(time));
        Ok(())
    })?;
    if file::read(&target)?.is_some_and(|bytes| bytes == content.bytes()) {
        return Ok(());
    }
    let what = "changed while it was written; run it again";
    Err(Failure::later(format!("{}: {what}", target.display())))
}

/// Makes a folder and those above it, and syncs their names.
pub fn make(folder: &Path) -> Result<(), Failure> {
    let missing: Vec<PathBuf> = folder.ancestors().take_while(|path| !path.exists()).map(Path::to_path_buf).collect();
    Root::new(folder).folder("")?;
    for made in missing.iter().rev() {
        made.parent().map_or(Ok(()), file::sync_folder)?;
    }
    #[cfg(test)]
    super::tests::may_be_killed()?;
    Ok(())
}

/// Removes a file of a memory folder that still has that sum, and the folders below it that are empty then; says
/// whether it had it. Of a link to a file only the link goes.
pub fn remove(memory: &Path, name: &Path, before: &str) -> Result<bool, Failure> {
    #[cfg(test)]
    super::tests::may_be_killed()?;
    if sum_of(memory, name)?.as_deref() != Some(before) {
        return Ok(false);
    }
    let folder = Root::new(memory).inside(name.parent().unwrap_or(Path::new("")))?;
    file::remove_path(&folder.join(name.file_name().unwrap_or_default()))?;
    for folder in name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if folder == Path::new(".state") || !file::remove_folder(&memory.join(folder)) {
            break;
        }
    }
    Ok(true)
}
