//! Reading a transcript of any agent: one streaming pass over a file of any size that gives the conversation
//! and its totals. Lines that cannot be read are counted, never fatal; a last line that is still being
//! written is left for the next time.

mod resume;
mod window;

pub use super::conversation::{Conversation, End, Keep, ResumePoint, Totals};
pub use super::reader::head::{first_cwd, session_id};
pub use super::session_stats::SessionFacts;
pub use super::transcript_file::{existing, open, stat};
pub use resume::read_on;

use super::Reader;
use super::reader::head;
use super::transcript_file::{HEAD_BYTES, Stat};
use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::json::lines::{self, LIMITS};
use crate::record::message::Message;
use jiff::Timestamp;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Take};
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
    let data = file.metadata().map_err(Failure::at(path))?;
    let time = data.modified().ok().and_then(clock::from_system);
    Ok(Some(((data.len(), time), head::read(file.take(HEAD_BYTES), Reader::cwd))))
}

/// Reads a transcript as it stands now, or its first `limit` bytes. With [`Keep::Everything`] and
/// [`Keep::Conversation`] all of it is in memory.
pub fn read(path: &Path, limit: Option<u64>, keep: Keep) -> Result<Conversation, Failure> {
    read_part(path, keep, Window::whole(), (limit, None))
}

/// Reads the conversation as far as it fits into a window, the first and the last part of it. `shown` is
/// what a message may be cut to: half a secret looks like none, so that is masked before.
pub fn read_window(path: &Path, limit: Option<u64>, shown: &dyn Fn(&str) -> String) -> Result<Conversation, Failure> {
    read_part(path, Keep::Conversation, Window::new(shown), (limit, None))
}

/// Reads the last `bytes` of a transcript; lines are counted from where that begins.
pub fn read_end(path: &Path, bytes: u64) -> Result<Conversation, Failure> {
    read_part(path, Keep::Conversation, Window::whole(), (None, Some(bytes)))
}

/// The first `limit` bytes of a file, and the last bytes of that.
type Part = (Option<u64>, Option<u64>);

fn read_part(path: &Path, keep: Keep, window: Window<'_>, part: Part) -> Result<Conversation, Failure> {
    let (input, (size_bytes, modified_at)) = open_part(path, part)?;
    Ok(Conversation { size_bytes, modified_at, ..read_into(&path.display().to_string(), input, keep, window)? })
}

/// Reads a transcript from whatever gives its bytes; the file's size and time stay empty.
pub fn read_from(input: impl Read, keep: Keep) -> Result<Conversation, Failure> {
    read_into("transcript", input, keep, Window::whole())
}

fn read_into(name: &str, input: impl Read, keep: Keep, mut window: Window<'_>) -> Result<Conversation, Failure> {
    let found = each_owned(name, input, keep, &mut |message| {
        window.add(message);
        Ok(())
    })?;
    let (messages, left_out) = window.messages(&found.abandoned);
    Ok(Conversation { messages, left_out, ..found })
}

/// Hands out all messages of a transcript in its order, with what each edit of a file took out and put in.
pub fn each_edit(path: &Path, act: impl FnMut(&Message)) -> Result<(), Failure> {
    each_in(path, Keep::Edits, (None, None), act)
}

/// Hands out all that was said, written and read in a transcript, or in its last `bytes`, message by message in file
/// order, as far as the first `limit` bytes go.
pub fn each_word(path: &Path, limit: Option<u64>, last: Option<u64>, act: impl FnMut(&Message)) -> Result<(), Failure> {
    each_in(path, Keep::Words, (limit, last), act)
}

fn each_in(path: &Path, keep: Keep, part: Part, mut act: impl FnMut(&Message)) -> Result<(), Failure> {
    let (input, _) = open_part(path, part)?;
    let mut all = |message: &Message| {
        act(message);
        Ok(())
    };
    each(&path.display().to_string(), input, keep, &mut all).map(drop)
}

/// A part of a transcript, with where it ends, and the file's time.
fn open_part(path: &Path, (limit, last): Part) -> Result<(Take<File>, Stat), Failure> {
    let (mut file, (size, time)) = open(path)?;
    let end = limit.map_or(size, |limit| limit.min(size));
    let start = last.map_or(0, |last| end.saturating_sub(last));
    if start > 0 {
        file.seek(SeekFrom::Start(start)).map_err(Failure::at(path))?;
    }
    Ok((file.take(end - start), (end, time)))
}

/// Hands out the messages of a transcript in its order, whatever gives its bytes, which errors call `name`; gives the
/// rest.
pub fn each(
    name: &str,
    input: impl Read,
    keep: Keep,
    act: &mut dyn FnMut(&Message) -> Result<(), Failure>,
) -> Result<Conversation, Failure> {
    each_owned(name, input, keep, &mut |message| act(&message))
}

fn each_owned(
    name: &str,
    input: impl Read,
    keep: Keep,
    act: &mut dyn FnMut(Message) -> Result<(), Failure>,
) -> Result<Conversation, Failure> {
    let mut reader = Reader::new(keep);
    hand_out(name, &mut reader, input, 0, act)?;
    let (rest, found) = reader.finish();
    rest.into_iter().try_for_each(act).map(|()| found)
}

/// Gives the lines of an input to a reader, that had so many before, and hands out what it can: the number of the last
/// line, and whether that has no newline.
fn hand_out(
    name: &str,
    reader: &mut Reader,
    input: impl Read,
    before: u64,
    act: &mut dyn FnMut(Message) -> Result<(), Failure>,
) -> Result<(u64, bool), Failure> {
    let (mut lines, mut is_torn, mut failed) = (before, false, None);
    let read = lines::each_while(input, LIMITS, |number, line, last| {
        (lines, is_torn) = (before + number, last);
        reader.line(lines, line, last);
        failed = reader.take().into_iter().try_for_each(&mut *act).err();
        failed.is_none()
    });
    read.map_err(|error| Failure::io(name, &error))?;
    failed.map_or(Ok((lines, is_torn)), Err)
}

/// The cwd of the first record that has one in the head of a transcript.
pub fn cwd_in(head: &[u8]) -> Option<String> {
    head::read(head, Reader::cwd)
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
