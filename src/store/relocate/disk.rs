//! Each file that a move reads, writes or removes. What is written is synced with the names of the folders that were
//! made for it, and read back.

use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
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

/// Puts a file in place, with the time at which its content was written.
pub fn put(memory: &Path, name: &Path, content: &Masked, modified: Option<SystemTime>) -> Result<(), Failure> {
    #[cfg(test)]
    super::tests::may_be_killed()?;
    let root = Root::new(memory);
    if let Some(folder) = name.parent() {
        make(&root.inside(folder)?)?;
    }
    let target = root.file(name)?;
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
    Err(Failure::new(Exit::Later, format!("{}: {what}", target.display())))
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

/// Removes a file of a memory folder, and the folders below it that are empty then. Of a link to a file only the link.
pub fn remove(memory: &Path, name: &Path) -> Result<(), Failure> {
    #[cfg(test)]
    super::tests::may_be_killed()?;
    file::remove(
        &Root::new(memory).inside(name.parent().unwrap_or(Path::new("")))?.join(name.file_name().unwrap_or_default()),
    )?;
    for folder in name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if folder == Path::new(".state") || !file::remove_folder(&memory.join(folder)) {
            break;
        }
    }
    Ok(())
}
