//! Reading: regular files alone, and no more of them than fits.

use super::Target;
use super::held::Held;
use crate::base::exit::Failure;
use crate::base::log;
use rustix::buffer::spare_capacity;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The room that is made for what a file grew by.
const SMALL_BYTES: usize = 8 << 10;
/// The largest file that is read whole: what is made of it is larger, and 256 MiB are enough for both.
const WHOLE_BYTES: u64 = 16 << 20;
/// So much is read of lines of which the newest matter most; their items take many times that.
const NEWEST_BYTES: u64 = 8 << 20;

/// The largest page of ours: all its items are compared with each other.
pub const PAGE_BYTES: u64 = 1 << 20;

/// Opens a file for reading; none when there is none. Status 65 for what is not a regular file: reading a
/// FIFO or a device can take for ever.
pub fn open(path: &Path) -> Result<Option<File>, Failure> {
    Ok(opened(path)?.map(|(file, _)| file))
}

fn opened(path: &Path) -> Result<Option<(File, Metadata)>, Failure> {
    opened_in(CWD, path, path)
}

/// The file of a name in a folder that is open; `path` is what it is called in an error.
pub(super) fn opened_in(folder: impl AsFd, name: &Path, path: &Path) -> Result<Option<(File, Metadata)>, Failure> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::io::retry_on_intr(|| rustix::fs::openat(&folder, name, flags, Mode::empty())) {
        Err(Errno::NOENT) => Ok(None),
        Err(error) => {
            // A socket cannot be opened.
            path.metadata().map_or(Ok(()), |data| super::regular(path, data.file_type()))?;
            Err(Failure::at(path)(error))
        }
        Ok(file) => {
            let file = File::from(file);
            let data = file.metadata().map_err(Failure::at(path))?;
            super::regular(path, data.file_type()).map(|()| Some((file, data)))
        }
    }
}

/// Whether a file of any size has these bytes; one that is not there has not.
pub fn has(path: &Path, wanted: &[u8]) -> Result<bool, Failure> {
    const BLOCK: usize = 1 << 20;
    let Some(mut file) = open(path)? else { return Ok(false) };
    let finder = memchr::memmem::Finder::new(wanted);
    let (mut bytes, mut kept) = (vec![0; BLOCK + wanted.len()], 0);
    loop {
        let read = match file.read(&mut bytes[kept..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(Failure::at(path))?,
        };
        let end = kept + read;
        if read == 0 || finder.find(&bytes[..end]).is_some() {
            return Ok(read > 0);
        }
        // What was found can begin in one block and end in the next.
        kept = end.min(wanted.len().max(1) - 1);
        bytes.copy_within(end - kept..end, 0);
    }
}

/// A whole file; none when there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    read_at_most(path, WHOLE_BYTES)
}

/// The same of a file that is about to be written: no link that was put on its way is followed.
pub(super) fn read_target(target: &Target) -> Result<Option<Vec<u8>>, Failure> {
    target.held_if_there()?.map_or(Ok(None), |held| read_held(&held, target))
}

/// A whole file of a folder that is open; `path` is what it is called in an error.
pub(super) fn read_held(held: &Held, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let opened = opened_in(&held.folder, Path::new(&held.name), path)?;
    opened.map(|(file, data)| whole(path, &file, &data, WHOLE_BYTES)).transpose()
}

/// A whole file of at most `limit` bytes, status 65 for a larger one; none when there is none.
pub fn read_at_most(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Failure> {
    opened(path)?.map(|(file, data)| whole(path, &file, &data, limit)).transpose()
}

/// The same of a file that only its owner can have written; status 65 when another user owns it.
pub fn read_own(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Failure> {
    let Some((file, data)) = opened(path)? else { return Ok(None) };
    let me = rustix::process::geteuid().as_raw();
    if data.uid() != me {
        let what = format!("{}: owned by user {}: expected a file of user {me}", path.display(), data.uid());
        return Err(Failure::data(what));
    }
    whole(path, &file, &data, limit).map(Some)
}

fn whole(path: &Path, file: &File, data: &Metadata, limit: u64) -> Result<Vec<u8>, Failure> {
    let large = || {
        Failure::data(format!(
            "{}: larger than the {limit} bytes that are read of it: make it smaller, or move it away",
            path.display()
        ))
    };
    if data.len() > limit {
        return Err(large());
    }
    let bytes = until(path, file, data.len(), limit)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) { Err(large()) } else { Ok(bytes) }
}

/// A file's bytes, of which there were `length`, until there are more than `limit`.
fn until(path: &Path, file: &File, length: u64, limit: u64) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(length.min(limit)).unwrap_or_default();
    // A byte more than there was: it can grow while it is read.
    let mut bytes = Vec::with_capacity(length.saturating_add(1));
    loop {
        match rustix::io::read(file, spare_capacity(&mut bytes)) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(Failure::at(path)(error)),
            Ok(0) => return Ok(bytes),
            // This was all; its end need not be asked for.
            Ok(_) if bytes.len() == length => return Ok(bytes),
            Ok(_) if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) => return Ok(bytes),
            Ok(_) => bytes.reserve(SMALL_BYTES),
        }
    }
}

/// A whole text file; bytes that are not UTF-8 are read as Latin-1; none when there is none.
pub fn read_text(path: &Path) -> Result<Option<String>, Failure> {
    Ok(read(path)?.map(text))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| latin(error.as_bytes()))
}

/// A text of which some bytes are not UTF-8: these are read as Latin-1, as most older editors wrote them, so that none
/// is lost where the file is written again.
fn latin(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    text
}

/// The text of a file's bytes, see [`read_text`].
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| latin(bytes).into(), Cow::Borrowed)
}

/// The first `limit` bytes of a text file; "" when there is none.
pub fn read_head(path: &Path, limit: u64) -> Result<String, Failure> {
    head(path, opened(path)?, limit)
}

/// The same of one that was opened.
pub(super) fn head(path: &Path, opened: Option<(File, Metadata)>, limit: u64) -> Result<String, Failure> {
    let Some((file, data)) = opened else { return Ok(String::new()) };
    let mut bytes = until(path, &file, data.len(), limit)?;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(text(bytes))
}

/// The last `limit` bytes of a file from the first whole line on; "" when there is none.
pub fn read_tail(path: &Path, limit: u64) -> Result<String, Failure> {
    let Some((mut file, data)) = opened(path)? else { return Ok(String::new()) };
    let start = data.len().saturating_sub(limit);
    file.seek(SeekFrom::Start(start)).map_err(Failure::at(path))?;
    let mut bytes = until(path, &file, data.len(), limit)?;
    if start > 0 {
        bytes.drain(..memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at.saturating_add(1)));
    }
    Ok(text(bytes))
}

/// The newest lines of a file that grows at its end: all of them, unless it is too large to be read whole; then that is
/// said in the log.
pub fn read_newest(path: &Path) -> Result<String, Failure> {
    let lines = read_tail(path, NEWEST_BYTES)?;
    if path.metadata().is_ok_and(|data| data.len() > NEWEST_BYTES) {
        log::say("lh", &format!("{}: only its newest {NEWEST_BYTES} bytes are read; all of it stays", path.display()));
    }
    Ok(lines)
}

/// The newest of the lines of a file that are wanted, without those of more than `line` bytes.
pub fn read_wanted(path: &Path, line: usize, wants: impl Fn(&[u8]) -> bool) -> Result<String, Failure> {
    let Some(file) = open(path)? else { return Ok(String::new()) };
    let limit = usize::try_from(NEWEST_BYTES).unwrap_or(usize::MAX);
    let (mut found, mut one, mut file) = (Vec::new(), Vec::new(), BufReader::with_capacity(1 << 18, file));
    let longest = u64::try_from(line).unwrap_or(u64::MAX).saturating_add(1);
    while (&mut file).take(longest).read_until(b'\n', &mut one).map_err(Failure::at(path))? > 0 {
        if one.len() > line && !one.ends_with(b"\n") {
            file.skip_until(b'\n').map_err(Failure::at(path))?;
            log::say("lh", &format!("{}: a line longer than {line} bytes is not read, and stays", path.display()));
        } else if wants(&one) {
            found.append(&mut one);
        }
        one.clear();
        if found.len() > limit.saturating_mul(2) {
            drop_oldest(&mut found, limit);
        }
    }
    if found.len() > limit {
        drop_oldest(&mut found, limit);
        log::say("lh", &format!("{}: only the newest {limit} bytes that matter are read", path.display()));
    }
    Ok(text(found))
}

/// Leaves of lines the whole ones in the last `limit` bytes.
fn drop_oldest(lines: &mut Vec<u8>, limit: usize) {
    let start = lines.len().saturating_sub(limit);
    let rest = &lines[start..];
    let end = memchr::memchr(b'\n', rest).map_or(lines.len(), |at| start.saturating_add(at).saturating_add(1));
    lines.drain(..end);
}
