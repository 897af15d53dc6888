//! Reading a transcript: one streaming pass over a file of any size that gives the conversation and
//! its totals. Lines that cannot be read are counted, never fatal; a last line that is still being
//! written is left for the next time.

mod asked;
mod claude;
mod facts;
mod key;
mod members;
mod print;
mod said;
mod signs;
mod tell;
#[cfg(test)]
mod tests;
mod told;
mod tree;
mod turns;
mod window;

pub use facts::Facts;
pub use print::{Head, Print, print, print_named, print_piped};
pub use tell::tell;
pub use told::{Mark, Told};

use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, file};
use crate::json::lines::{self, LIMITS};
use crate::record::message::Message;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use window::Window;

/// How much of a transcript's head is searched for its first cwd.
const HEAD_BYTES: u64 = 256 * 1024;

/// How much of it is read at once.
const HEAD_BUFFER: usize = 8 << 10;

/// How much of a transcript's end is searched for what was said last, more and more.
const TAILS: [u64; 3] = [64 << 10, 512 << 10, 4 << 20];

/// What a reader is asked to keep in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Totals alone; of the messages nothing but their order.
    Counts,
    /// The conversation alone, handed out while it is read, and the session's facts.
    Pages,
    /// The conversation, and what tools reported as errors.
    Conversation,
    /// Also what is not conversation: subagents, what the client wrote, summaries, every tool's result.
    Everything,
}

/// Totals of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// JSON objects read.
    pub records: u64,
    /// Lines, or rests of lines, that hold no whole object.
    pub bad_lines: u64,
    /// Messages of the conversation, abandoned ones included.
    pub messages: u64,
    /// Of these, the typed prompts.
    pub user_messages: u64,
    /// Characters of the typed prompts.
    pub user_chars: u64,
    /// Of the messages, the abandoned ones.
    pub abandoned: u64,
    /// Uses of tools outside subagents.
    pub tool_uses: u64,
    /// Results of tools outside subagents that are errors and no refusals.
    pub tool_errors: u64,
}

impl Totals {
    /// Whether there are lines and none is a record: a packed file, or one that is not a transcript at all.
    pub fn is_unreadable(&self) -> bool {
        self.records == 0 && self.bad_lines > 0
    }
}

/// What is in a transcript.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// In file order.
    pub messages: Vec<Message>,
    /// Messages in the middle that did not fit.
    pub left_out: usize,
    /// The totals.
    pub totals: Totals,
    /// Whether a person held this conversation (see lh-format(7)).
    pub interactive: bool,
    /// Whether everything in it was said by or to a subagent.
    pub subagent: bool,
    /// The cwd of the first record that has one.
    pub cwd: Option<String>,
    /// The branch of the last record that has one.
    pub branch: Option<String>,
    /// The last timestamp in file order.
    pub last_time: Option<String>,
    /// A hash of the conversation that is not abandoned; bookkeeping does not change it.
    pub hash: String,
    /// The size up to which the file was read.
    pub size_bytes: u64,
    /// The file's time before it was read.
    pub modified_at: Option<Timestamp>,
}

/// A transcript's size and time; none when it does not exist, status 65 when it is not a file.
pub fn stat(path: &Path) -> Result<Option<(u64, Option<Timestamp>)>, Failure> {
    match path.metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Failure::io(path.display(), &error)),
        Ok(data) if !data.is_file() => Err(Failure::data(format!("{}: not a regular file", path.display()))),
        Ok(data) => Ok(Some((data.len(), data.modified().ok().and_then(clock::from_system)))),
    }
}

/// What a short look at a transcript tells.
pub struct Glance {
    /// Its size and time.
    pub stat: (u64, Option<Timestamp>),
    /// The cwd of the first record that has one.
    pub cwd: Option<String>,
}

/// A transcript's size and time, and the cwd of the first record near its head that has one, all of the
/// same file, even when its name changes meanwhile; none when it does not exist.
pub fn glance(path: &Path) -> Result<Option<Glance>, Failure> {
    let Some((size, time)) = stat(path)? else { return Ok(None) };
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // The reader says what is wrong with it.
        Err(_) => return Ok(Some(Glance { stat: (size, time), cwd: None })),
        Ok(file) => file,
    };
    let data = file.metadata().map_err(|error| Failure::io(path.display(), &error))?;
    let cwd = head_of(file.take(HEAD_BYTES), claude::Reader::cwd);
    let time = data.modified().ok().and_then(clock::from_system);
    Ok(Some(Glance { stat: (data.len(), time), cwd }))
}

/// Reads a transcript as it stands now, or its first `limit` bytes. With [`Keep::Everything`] and
/// [`Keep::Conversation`] all of it is in memory.
pub fn read(path: &Path, limit: Option<u64>, keep: Keep) -> Result<Conversation, Failure> {
    open(path, limit, keep, Window::whole())
}

/// Reads the conversation as far as it fits into a window, the first and the last part of it. `shown` is
/// what a message may be cut to: half a secret looks like none, so that is masked before.
pub fn read_window(path: &Path, limit: Option<u64>, shown: &dyn Fn(&str) -> String) -> Result<Conversation, Failure> {
    open(path, limit, Keep::Conversation, Window::new(shown))
}

fn open(path: &Path, limit: Option<u64>, keep: Keep, window: Window<'_>) -> Result<Conversation, Failure> {
    let (size, modified_at) =
        stat(path)?.ok_or_else(|| Failure::data(format!("{}: no such transcript", path.display())))?;
    let size_bytes = limit.map_or(size, |limit| limit.min(size));
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let file = File::open(path).map_err(fail)?;
    Ok(Conversation { size_bytes, modified_at, ..read_into(file.take(size_bytes), keep, window).map_err(fail)? })
}

/// Reads a transcript from whatever gives its bytes; the file's size and time stay empty.
pub fn read_from(input: impl Read, keep: Keep) -> io::Result<Conversation> {
    read_into(input, keep, Window::whole())
}

fn read_into(input: impl Read, keep: Keep, mut window: Window<'_>) -> io::Result<Conversation> {
    let mut reader = claude::Reader::new(keep);
    lines::for_each(input, LIMITS, |number, line, last| {
        reader.line(number, line, last);
        window.add_all(reader.take());
    })?;
    let (rest, abandoned, found) = reader.finish();
    window.add_all(rest);
    let (messages, left_out) = window.messages(&abandoned);
    Ok(Conversation { messages, left_out, ..found })
}

/// The cwd of the first record near the head of a transcript that has one.
pub fn first_cwd(path: &Path) -> Option<String> {
    head(path, HEAD_BYTES, claude::Reader::cwd)
}

/// The first timestamp in a transcript.
pub fn first_time(path: &Path) -> Option<String> {
    head(path, u64::MAX, claude::Reader::last_time)
}

/// When somebody last said something in a transcript, as far as its last 4 MiB tell.
pub fn last_said(path: &Path) -> Option<Timestamp> {
    stat(path).ok()??;
    let said = |line: &str| {
        let record: Value = serde_json::from_str(line).ok()?;
        let said = matches!(record["type"].as_str(), Some("user" | "assistant")) && record["isMeta"] != true;
        clock::parse(record["timestamp"].as_str().filter(|_| said)?)
    };
    TAILS.iter().find_map(|bytes| file::read_tail(path, *bytes).ok()?.lines().rev().find_map(said))
}

/// Reads the head of a transcript until something is found.
fn head(path: &Path, bytes: u64, found: impl Fn(&claude::Reader) -> Option<&str>) -> Option<String> {
    stat(path).ok()??;
    head_of(File::open(path).ok()?.take(bytes), found)
}

fn head_of(input: impl Read, found: impl Fn(&claude::Reader) -> Option<&str>) -> Option<String> {
    let mut reader = claude::Reader::new(Keep::Counts);
    let limits = lines::Limits { buffer: HEAD_BUFFER, ..LIMITS };
    lines::each_while(input, limits, |_, line, last| {
        reader.line(1, line, last);
        found(&reader).is_none()
    })
    .ok()?;
    found(&reader).map(str::to_owned)
}

impl Conversation {
    /// The `count` record.
    fn count(&self, session_id: &str) -> Record {
        let mut record = Record::new("count");
        record.set("session_id", session_id);
        let Totals { records, bad_lines, messages, user_messages, user_chars, abandoned, tool_uses, tool_errors } =
            self.totals;
        record.set("messages", &messages);
        record.set("user_messages", &user_messages);
        record.set("user_chars", &user_chars);
        record.set("abandoned", &abandoned);
        record.set("tool_uses", &tool_uses);
        record.set("tool_errors", &tool_errors);
        record.set("records", &records);
        record.set("bad_lines", &bad_lines);
        record.set("interactive", &self.interactive);
        record.set("source_size_bytes", &self.size_bytes);
        record.set("conversation_hash", &self.hash);
        record
    }
}
