//! Reading a transcript of any agent: one streaming pass over a file of any size that gives the conversation
//! and its totals. Lines that cannot be read are counted, never fatal; a last line that is still being
//! written is left for the next time.

mod resume;
mod window;

pub use super::conversation::{Conversation, End, Keep, ResumePoint, Totals};
pub use super::reader::head::{first_cwd, session_id};
pub use super::session_stats::Facts;
pub use super::transcript_file::{existing, open, stat};
pub use resume::read_on;

use super::Reader;
use super::reader::head;
use super::transcript_file::{self, HEAD_BYTES, Stat};
use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::json::lines::{self, LIMITS};
use crate::record::message::Message;
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use window::Window;

/// How much of a transcript's end is searched for what was said last, more and more.
const TAILS: [u64; 3] = [64 << 10, 512 << 10, 4 << 20];

/// A transcript's size and time, and the cwd of the first record near its head that has one, all of the
/// same file, even when its name changes meanwhile; none when it does not exist.
pub fn glance(path: &Path) -> Result<Option<(Stat, Option<String>)>, Failure> {
    let Some((size, time)) = stat(path)? else { return Ok(None) };
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // The reader says what is wrong with it.
        Err(_) => return Ok(Some(((size, time), None))),
        Ok(file) => file,
    };
    let data = file.metadata().map_err(|error| Failure::io(path.display(), &error))?;
    let time = data.modified().ok().and_then(clock::from_system);
    Ok(Some(((data.len(), time), head::read(file.take(HEAD_BYTES), Reader::cwd))))
}

/// Reads a transcript as it stands now, or its first `limit` bytes. With [`Keep::Everything`] and
/// [`Keep::Conversation`] all of it is in memory.
pub fn read(path: &Path, limit: Option<u64>, keep: Keep) -> Result<Conversation, Failure> {
    read_file(path, limit, keep, Window::whole())
}

/// Reads the conversation as far as it fits into a window, the first and the last part of it. `shown` is
/// what a message may be cut to: half a secret looks like none, so that is masked before.
pub fn read_window(path: &Path, limit: Option<u64>, shown: &dyn Fn(&str) -> String) -> Result<Conversation, Failure> {
    read_file(path, limit, Keep::Conversation, Window::new(shown))
}

/// Reads the last `bytes` of a transcript; lines are counted from where that begins.
pub fn read_end(path: &Path, bytes: u64) -> Result<Conversation, Failure> {
    let (mut file, (size_bytes, modified_at)) = transcript_file::open(path)?;
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    file.seek(SeekFrom::Start(size_bytes.saturating_sub(bytes))).map_err(fail)?;
    let found = read_from(file.take(bytes), Keep::Conversation).map_err(fail)?;
    Ok(Conversation { size_bytes, modified_at, ..found })
}

/// Hands out all messages of a transcript in its order, with what each edit of a file took out and put in.
pub fn each_edit(path: &Path, mut act: impl FnMut(&Message)) -> Result<(), Failure> {
    let (file, _) = transcript_file::open(path)?;
    let mut all = |message: &Message| {
        act(message);
        Ok(())
    };
    each(&path.display().to_string(), file, Keep::Edits, &mut all).map(drop)
}

/// Hands out all that was said, written and read in a transcript, or in its last `bytes`, message by message in file
/// order, as far as the first `limit` bytes go.
pub fn each_word(
    path: &Path,
    limit: Option<u64>,
    last: Option<u64>,
    mut act: impl FnMut(&Message),
) -> Result<(), Failure> {
    let (mut file, (size, _)) = transcript_file::open(path)?;
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let end = limit.map_or(size, |limit| limit.min(size));
    let start = last.map_or(0, |last| end.saturating_sub(last));
    file.seek(SeekFrom::Start(start)).map_err(fail)?;
    let mut reader = Reader::new(Keep::Words);
    lines::for_each(file.take(end.saturating_sub(start)), LIMITS, |number, line, last| {
        reader.line(number, line, last);
        reader.take().iter().for_each(&mut act);
    })
    .map_err(fail)?;
    reader.finish().0.iter().for_each(act);
    Ok(())
}

fn read_file(path: &Path, limit: Option<u64>, keep: Keep, window: Window<'_>) -> Result<Conversation, Failure> {
    let (file, (size, modified_at)) = transcript_file::open(path)?;
    let size_bytes = limit.map_or(size, |limit| limit.min(size));
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    Ok(Conversation { size_bytes, modified_at, ..read_into(file.take(size_bytes), keep, window).map_err(fail)? })
}

/// Hands out the messages of a transcript in its order, whatever gives its bytes, which errors call `name`; gives the
/// rest.
pub fn each(
    name: &str,
    input: impl Read,
    keep: Keep,
    act: &mut dyn FnMut(&Message) -> Result<(), Failure>,
) -> Result<Conversation, Failure> {
    let mut reader = Reader::new(keep);
    let mut failed = None;
    lines::each_while(input, LIMITS, |number, line, last| {
        reader.line(number, line, last);
        failed = reader.take().iter().try_for_each(&mut *act).err();
        failed.is_none()
    })
    .map_err(|error| Failure::io(name, &error))?;
    let (rest, found) = reader.finish();
    failed.map_or_else(|| rest.iter().try_for_each(&mut *act), Err)?;
    Ok(found)
}

/// The cwd of the first record that has one in the head of a transcript.
pub fn cwd_in(head: &[u8]) -> Option<String> {
    head::read(head, Reader::cwd)
}

/// Reads a transcript from whatever gives its bytes; the file's size and time stay empty.
pub fn read_from(input: impl Read, keep: Keep) -> io::Result<Conversation> {
    read_into(input, keep, Window::whole())
}

fn read_into(input: impl Read, keep: Keep, mut window: Window<'_>) -> io::Result<Conversation> {
    let mut reader = Reader::new(keep);
    lines::for_each(input, LIMITS, |number, line, last| {
        reader.line(number, line, last);
        window.add_all(reader.take());
    })?;
    let (rest, found) = reader.finish();
    window.add_all(rest);
    let (messages, left_out) = window.messages(&found.abandoned);
    Ok(Conversation { messages, left_out, ..found })
}

/// The first timestamp in a transcript.
pub fn first_time(path: &Path) -> Option<Timestamp> {
    stat(path).ok()??;
    clock::parse(&head::read(File::open(path).ok()?, Reader::last_time)?)
}

/// Whether a person held the conversation in a transcript; not one that cannot be read.
pub fn is_interactive(path: &Path) -> bool {
    read(path, None, Keep::Counts).is_ok_and(|found| found.interactive)
}

/// When something was last said in a transcript, as far as its last 4 MiB tell.
pub fn last_said(path: &Path) -> Option<Timestamp> {
    stat(path).ok()??;
    TAILS.iter().find_map(|bytes| file::read_tail(path, *bytes).ok()?.lines().rev().find_map(head::said_at))
}
