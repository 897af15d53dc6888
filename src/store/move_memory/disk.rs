//! Each file that a move reads, writes or removes. What is written is synced with the names of the folders that were
//! made for it.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// Its content.
    pub content: Masked,
    /// When it was written to.
    pub modified: Option<SystemTime>,
}

/// A file of a memory folder; none when it is not there. Status 65 when it leads out, or is not a regular file.
pub fn read(memory: &Path, name: &Path) -> Result<Option<ReadFile>, Failure> {
    let target = Root::new(memory).file(name)?;
    let modified = target.metadata().and_then(|data| data.modified()).ok();
    Ok(file::read(&target)?.map(|bytes| ReadFile { content: Masked::exact(bytes), modified }))
}

/// Whether two files have the same content, or none of them is there.
pub fn is_same(one: Option<&ReadFile>, other: Option<&ReadFile>) -> bool {
    one.map(|held| &held.content) == other.map(|held| &held.content)
}

/// Puts a file in place whatever is there, with the time at which its content was written.
pub fn put(memory: &Path, name: &Path, new: &ReadFile) -> Result<(), Failure> {
    #[cfg(test)]
    super::tests::may_be_killed()?;
    let root = Root::new(memory);
    name.parent().map_or(Ok(()), |folder| make(&root.inside(folder)?))?;
    file::replace_with(&root.file(name)?, Durable::Yes, |out| {
        out.write_all(new.content.bytes())?;
        // Which of two files is the newer is asked of it again. A file system may not be able to keep it.
        let _ = new.modified.map(|time| out.set_modified(time));
        Ok(())
    })
}

/// Makes a folder and those above it, and syncs their names.
pub fn make(folder: &Path) -> Result<(), Failure> {
    let missing: Vec<PathBuf> = folder.ancestors().take_while(|path| !path.exists()).map(Path::to_path_buf).collect();
    Root::new(folder).folder("")?;
    missing.iter().rev().filter_map(|made| made.parent()).try_for_each(file::sync_folder)
}

/// Removes a file of a memory folder if it is still as it was read, and the folders below it that are empty then. Of a
/// link to a file only the link goes.
pub fn remove(memory: &Path, name: &Path, before: Option<&ReadFile>) -> Result<(), Failure> {
    if !is_same(read(memory, name)?.as_ref(), before) {
        return Ok(());
    }
    #[cfg(test)]
    super::tests::may_be_killed()?;
    let folder = Root::new(memory).inside(name.parent().unwrap_or(Path::new("")))?;
    file::remove_path(&folder.join(name.file_name().unwrap_or_default()))?;
    let above = name.ancestors().skip(1).filter(|folder| *folder != Path::new("") && *folder != Path::new(".state"));
    let _ = above.map(|folder| memory.join(folder)).all(|folder| file::remove_folder(&folder));
    Ok(())
}
