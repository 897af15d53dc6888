//! An input of which the head is known before the rest is read: a file, a pipe, or standard input, unpacked if it
//! is compressed. A pipe is read once, and of it nothing is kept but its head.

use super::unpack::Unpacked;
use crate::agent::Agent;
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

/// An input whose head was read.
pub struct Input<'a> {
    name: String,
    head: Cursor<Vec<u8>>,
    rest: Unpacked<Chain<Cursor<Vec<u8>>, Bytes<'a>>>,
    /// All of it is in the head.
    whole: bool,
}

impl<'a> Input<'a> {
    /// Reads as much as tells whether it is compressed.
    pub fn begin(name: &str, mut bytes: Bytes<'a>) -> Result<Self, Failure> {
        let mut head = Vec::new();
        let read = bytes.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut head);
        read.map_err(|error| Failure::io(name, &error))?;
        let rest = Unpacked::new(&head.clone(), Cursor::new(head).chain(bytes));
        let mut input = Self { name: name.to_owned(), head: Cursor::default(), rest, whole: false };
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

    /// Reads as far as the first line that can be a record, or as much as the head may have, and gives the first
    /// line.
    pub fn first_line(&mut self) -> Result<&[u8], Failure> {
        self.fill(|head| {
            head.split_inclusive(|byte| *byte == b'\n').any(|line| line.ends_with(b"\n") && is_open(line))
        })?;
        let text = self.head.get_ref().trim_ascii_start();
        Ok(text.split_inclusive(|byte| *byte == b'\n').next().unwrap_or(b""))
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
        let text = head.trim_ascii();
        let is_all = || self.whole && (text.is_empty() || !head.ends_with(b"\n") && is_torn(text));
        Ok(head.split(|byte| *byte == b'\n').any(|line| Agent::of_record(line).is_some()) || is_all())
    }

    /// Status 65 with what is wrong with the compressed data, if something was.
    pub fn damage(&self) -> Result<(), Failure> {
        self.rest.damage(&self.name)
    }

    /// Reads on until it is `enough`, the head is full, or the input ends.
    fn fill(&mut self, enough: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
        let mut chunk = [0_u8; 8 << 10];
        let head = self.head.get_mut();
        while !self.whole && head.len() < HEAD_BYTES && !enough(head) {
            match self.rest.read(&mut chunk) {
                Ok(count) => {
                    head.extend_from_slice(&chunk[..count]);
                    self.whole = count == 0;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(&self.name, &error)),
            }
        }
        Ok(())
    }
}

impl Read for Input<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self.head.read(to)? {
            0 => self.rest.read(to),
            count => Ok(count),
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
