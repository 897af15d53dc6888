//! An input of which the head is known before the rest is read: a file, a pipe, or standard input, unpacked if it
//! is compressed. A pipe is read once, and of it nothing is kept but its head.

use super::unpack::Unpacked;
use crate::agent::{Agent, transcript};
use crate::base::exit::Failure;
use crate::base::stream;
use std::fs::File;
use std::io::{self, Chain, Cursor, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// How far it is read to know what it is, whose, and where the session ran.
const HEAD_BYTES: usize = 256 << 10;
/// How much tells that it is compressed.
const MAGIC_BYTES: usize = 6;
/// How long a FIFO may take to have a writer.
const PATIENCE: Duration = Duration::from_secs(2);

type Bytes<'a> = Box<dyn Read + 'a>;

enum Source<'a> {
    Plain(Bytes<'a>),
    Packed(Box<Unpacked<Chain<Cursor<Vec<u8>>, Bytes<'a>>>>),
}

/// An input whose head was read.
pub struct Input<'a> {
    name: String,
    head: Cursor<Vec<u8>>,
    rest: Source<'a>,
    /// All of it is in the head.
    whole: bool,
}

impl<'a> Input<'a> {
    /// Reads as much as tells whether it is compressed.
    pub fn begin(name: &str, mut bytes: Bytes<'a>) -> Result<Self, Failure> {
        let mut head = Vec::new();
        read_more(name, &mut bytes, &mut head, |head| head.len() >= MAGIC_BYTES)?;
        let packed = Unpacked::new(&head.clone(), Cursor::new(head).chain(bytes));
        let (head, rest) = match packed {
            Ok(packed) => (Vec::new(), Source::Packed(Box::new(packed))),
            Err(plain) => {
                let (head, bytes) = plain.into_inner();
                (head.into_inner(), Source::Plain(bytes))
            }
        };
        let mut input = Self { name: name.to_owned(), head: Cursor::new(head), rest, whole: false };
        input.fill(|head| head.len() >= MAGIC_BYTES)?;
        if let Some(what) = stream::packed(input.head.get_ref()) {
            return Err(Failure::data(format!("{name}: {what}")));
        }
        Ok(input)
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is compressed.
    pub fn is_packed(&self) -> bool {
        matches!(self.rest, Source::Packed(_))
    }

    /// Reads as far as the first line that can be a record, or as much as the head may have, and gives the first
    /// line.
    pub fn first_line(&mut self) -> Result<&[u8], Failure> {
        self.fill(|head| {
            head.split_inclusive(|byte| *byte == b'\n').any(|line| line.ends_with(b"\n") && is_open(line))
        })?;
        let text = self.head.get_ref().trim_ascii_start();
        Ok(text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default())
    }

    /// Reads the whole head, and gives it.
    pub fn head(&mut self) -> Result<&[u8], Failure> {
        self.fill(|_| false)?;
        Ok(self.head.get_ref())
    }

    /// Whether it is a transcript as far as the head was read: the first line in it that can be a record is one of a
    /// transcript. Lines before it can be the rest of one that was cut.
    pub fn is_transcript(&self) -> bool {
        let head = self.head.get_ref();
        let mut lines = head.split(|byte| *byte == b'\n');
        lines.find(|line| is_open(line)).is_some_and(|line| Agent::of_record(line).is_some())
    }

    /// Whether any record in the head is one of a transcript, or all of it is a record that is still being written.
    pub fn has_records(&mut self) -> Result<bool, Failure> {
        self.fill(|_| false)?;
        let head = self.head.get_ref();
        let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let only = || self.whole && !head.ends_with(b"\n") && is_torn(head.trim_ascii());
        Ok(head.trim_ascii().is_empty() && self.whole || lines.any(|line| Agent::of_record(line).is_some()) || only())
    }

    /// Status 65 with what is wrong with the compressed data, if something was.
    pub fn damage(&self) -> Result<(), Failure> {
        match &self.rest {
            Source::Plain(_) => Ok(()),
            Source::Packed(unpacked) => unpacked.damage(&self.name),
        }
    }

    /// Reads on until it is `enough`, the head is full, or the input ends.
    fn fill(&mut self, enough: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
        if !self.whole {
            self.whole = match &mut self.rest {
                Source::Plain(bytes) => read_more(&self.name, bytes, self.head.get_mut(), enough)?,
                Source::Packed(unpacked) => read_more(&self.name, unpacked, self.head.get_mut(), enough)?,
            };
        }
        Ok(())
    }
}

impl Read for Input<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match (self.head.read(to)?, &mut self.rest) {
            (0, Source::Plain(bytes)) => bytes.read(to),
            (0, Source::Packed(unpacked)) => unpacked.read(to),
            (count, _) => Ok(count),
        }
    }
}

/// Whether a line can hold a record.
fn is_open(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Whether a text can be the beginning of a record whose end is missing.
fn is_torn(text: &[u8]) -> bool {
    let error = serde_json::from_slice::<serde::de::IgnoredAny>(text).err();
    text.starts_with(b"{") && error.is_some_and(|error| error.is_eof())
}

/// Reads on until it is `enough` or the head is full; true at the end.
fn read_more(
    name: &str,
    from: &mut impl Read,
    head: &mut Vec<u8>,
    enough: impl Fn(&[u8]) -> bool,
) -> Result<bool, Failure> {
    let mut chunk = [0_u8; 8 << 10];
    while head.len() < HEAD_BYTES && !enough(head) {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(true),
            Ok(count) => head.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::io(name, &error)),
        }
    }
    Ok(false)
}

/// The session and the first cwd that the head of a transcript names.
pub fn named_in(head: &[u8]) -> (Option<String>, Option<String>) {
    (transcript::session_id(head), transcript::cwd_in(head))
}

/// Opens a FIFO, for which the system waits until there is a writer. We do not wait for ever.
pub fn open_pipe(path: &Path) -> Result<File, Failure> {
    let fail = |error: &io::Error| Failure::io(path.display(), error);
    let (tell, told) = mpsc::channel();
    let own = path.to_path_buf();
    let open = move || tell.send(File::open(own));
    std::thread::Builder::new().spawn(open).map_err(|error| fail(&error))?;
    let Ok(opened) = told.recv_timeout(PATIENCE) else {
        let what = "a FIFO that was not opened for writing within 2 s: start its writer first";
        return Err(Failure::data(format!("{}: {what}", path.display())));
    };
    opened.map_err(|error| fail(&error))
}
