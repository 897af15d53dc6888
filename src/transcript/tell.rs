//! Reading a transcript message by message, and on from where an earlier reading ended: of a file that
//! only grew nothing is read twice. What cannot be told from the new part alone (a prompt that takes
//! the place of an old one, a message that goes on) is found out, and then the file is to be read whole.

use super::claude::Reader;
use super::facts::Facts;
use super::lines::{self, LIMITS};
use super::signs::Signs;
use super::tree::{Kept, Key};
use super::{Keep, Totals, stat};
use crate::exit::Failure;
use crate::lesson;
use crate::message::Message;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The head of a file, and the bytes before the place where a reading ended, that must be the same.
const HEAD_BYTES: u64 = 4 << 10;
const TAIL_BYTES: u64 = 64 << 10;

/// What is told of a session besides its messages.
#[derive(Clone, Debug)]
pub struct Told {
    /// The totals, of what was read before too.
    pub totals: Totals,
    /// Whether a person held this conversation.
    pub interactive: bool,
    /// Whether everything in it was said by or to a subagent.
    pub subagent: bool,
    /// The rest that the transcript tells.
    pub facts: Facts,
    /// The cwd of the first record that has one.
    pub cwd: Option<String>,
    /// The branch of the last record that has one.
    pub branch: Option<String>,
    /// The last timestamp in file order.
    pub last_time: Option<String>,
    /// The numbers (from 0) of the messages handed out that were abandoned, ascending.
    pub abandoned: Vec<usize>,
    /// The size up to which the file was read.
    pub size_bytes: u64,
    /// What it takes to read on; none when that cannot be.
    pub mark: Option<Mark>,
}

/// Where a reading ended, and what the reader knew.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// Of the reader: another one may see other things.
    version: String,
    offset: u64,
    inode: u64,
    head: String,
    tail: String,
    state: State,
}

/// What a reader knows at the end of a reading.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    pub totals: Totals,
    pub signs: Signs,
    pub facts: Facts,
    pub tree: Kept,
    /// The assistant messages that may still grow.
    pub last_ids: Vec<Key>,
    /// The uses of the tool that asks the user.
    #[serde(default)]
    pub asks: Vec<Key>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub last_time: Option<String>,
}

/// Hands out the messages of the conversation in file order, those behind `mark` when there is one;
/// none when what was read before does not hold any more.
pub fn tell(
    path: &Path,
    mark: Option<Mark>,
    act: &mut dyn FnMut(&Message) -> Result<(), Failure>,
) -> Result<Option<Told>, Failure> {
    let (size, _) = stat(path)?.ok_or_else(|| Failure::data(format!("{}: no such transcript", path.display())))?;
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let mut file = File::open(path).map_err(fail)?;
    let start = match &mark {
        None => 0,
        Some(mark) if mark.holds(&mut file, size).map_err(fail)? => mark.offset,
        Some(_) => return Ok(None),
    };
    let mut reader = mark.map_or_else(|| Reader::new(Keep::Pages), |mark| Reader::resumed(mark.state));
    file.seek(SeekFrom::Start(start)).map_err(fail)?;
    let mut torn = false;
    let mut failed = None;
    let mut hand_out = |messages: Vec<Message>| {
        if failed.is_none() {
            failed = messages.iter().try_for_each(&mut *act).err();
        }
    };
    let new = (&file).take(size.saturating_sub(start));
    lines::for_each(new, LIMITS, |number, line, last| {
        torn |= last;
        reader.line(number, line, last);
        hand_out(reader.take());
    })
    .map_err(fail)?;
    let Some((rest, mut told, state)) = reader.finish_told() else { return Ok(None) };
    hand_out(rest);
    if let Some(failure) = failed {
        return Err(failure);
    }
    told.size_bytes = size;
    // A last line without its newline can still grow.
    if let Some(state) = state.filter(|_| !torn) {
        told.mark = Some(Mark::at(&mut file, size, state).map_err(fail)?);
    }
    Ok(Some(told))
}

impl Mark {
    fn at(file: &mut File, offset: u64, state: State) -> io::Result<Self> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let inode = file.metadata()?.ino();
        let (head, tail) = fingerprints(file, offset)?;
        Ok(Self { version, offset, inode, head, tail, state })
    }

    /// Whether a file of this size begins with what was read.
    fn holds(&self, file: &mut File, size: u64) -> io::Result<bool> {
        if self.version != env!("CARGO_PKG_VERSION") || size < self.offset || file.metadata()?.ino() != self.inode {
            return Ok(false);
        }
        let (head, tail) = fingerprints(file, self.offset)?;
        Ok(head == self.head && tail == self.tail)
    }
}

/// Hashes of the head of a file and of what comes before `offset`.
fn fingerprints(file: &mut File, offset: u64) -> io::Result<(String, String)> {
    let mut hash = |from: u64, bytes: u64| {
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(bytes).read_to_end(&mut part)?;
        io::Result::Ok(lesson::hash(&part))
    };
    let head = hash(0, HEAD_BYTES.min(offset))?;
    let start = offset.saturating_sub(TAIL_BYTES);
    Ok((head, hash(start, offset.saturating_sub(start))?))
}
