//! What lh-messages prints, of a transcript that is a file, a pipe that an operand names, or standard input.
//! A pipe is read once, and of it nothing is kept but its head.

use super::window::Window;
use super::{Agent, Conversation, Keep, Reader, Totals, read_into, source};
use crate::agent::reader::head::session_id;
use crate::base::exit::Failure;
use crate::base::log;
use crate::base::stream::{self, Output, Spool};
use crate::json::lines::{self, LIMITS};
use crate::record::message::Message;
use crate::record::session;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// How far a pipe is read to know what it is, and whose.
const HEAD_BYTES: usize = 64 << 10;
/// How long a FIFO may take to have a writer.
const PATIENCE: Duration = Duration::from_secs(2);
/// What lh-messages prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// A record a message.
    Conversation,
    /// Also what is not conversation.
    Everything,
    /// One `count` record.
    Count,
}

/// Prints the messages of a transcript that is a regular file, or their totals, as records.
pub fn print(path: &Path, print: Print, out: &mut Output) -> Result<(), Failure> {
    let (file, (size, _)) = source::open(path)?;
    let name = path.display().to_string();
    print_from(&name, &session::id_of(path), file.take(size), print, out)
}

/// The same of a path that may also name a pipe.
pub fn print_named(path: &Path, wanted: Print, out: &mut Output) -> Result<(), Failure> {
    if !path.metadata().is_ok_and(|data| data.file_type().is_fifo()) {
        return print(path, wanted, out);
    }
    print_piped(Head::begin(&path.display().to_string(), open_pipe(path)?)?, wanted, out)
}

/// The same of a pipe. Its name is not a session's: the first record that has an id tells it.
pub fn print_piped(mut head: Head<impl Read>, print: Print, out: &mut Output) -> Result<(), Failure> {
    head.fill(|bytes| session_id(bytes).is_some())?;
    let id = session_id(&head.bytes).unwrap_or_else(|| session::id_of(Path::new(&head.name)));
    let name = head.name.clone();
    print_from(&name, &id, head.all(), print, out)
}

fn print_from(name: &str, id: &str, input: impl Read, print: Print, out: &mut Output) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::io(name, &error);
    let mut input = BufReader::new(input);
    if let Some(what) = stream::packed(input.fill_buf().map_err(fail)?) {
        return Err(Failure::data(format!("{name}: {what}")));
    }
    let keep = match print {
        Print::Conversation => Keep::Pages,
        Print::Everything => Keep::Everything,
        Print::Count => {
            let mut input = Counted { input, bytes: 0 };
            let found = read_into(&mut input, Keep::Counts, Window::whole()).map_err(fail)?;
            unread(name, &found.totals)?;
            return out.record(&Conversation { size_bytes: input.bytes, ..found }.count(id));
        }
    };
    // What was abandoned is known only at the end.
    let mut pieces = Spool::default();
    let (totals, abandoned) = whole(input, keep, &mut |message| pieces.add(message.record(id).line().as_bytes()))
        .map_err(|failed| match failed {
            Ended::Input(error) => fail(error),
            Ended::Reader(failure) => failure,
        })?;
    unread(name, &totals)?;
    out.spool(&mut pieces, &abandoned, Message::abandon)
}

/// Says how much of a transcript was not read; status 65 when that is all of it.
fn unread(name: &str, totals: &Totals) -> Result<(), Failure> {
    match (totals.records, totals.bad_lines) {
        (_, 0) => {}
        (0, lines) => {
            let what = "expected a transcript, with a JSON object in each line";
            return Err(Failure::data(format!("{name}: none of its {lines} lines is a record: {what}")));
        }
        (_, lines) => log::say("lh-messages", &format!("{name}: {lines} lines could not be read")),
    }
    Ok(())
}

/// Why a reading ended before its end.
enum Ended {
    Input(io::Error),
    Reader(Failure),
}

/// Hands out the messages of a whole transcript in its order; gives the totals and the numbers of what was
/// abandoned.
fn whole(
    input: impl Read,
    keep: Keep,
    act: &mut dyn FnMut(&Message) -> Result<(), Failure>,
) -> Result<(Totals, Vec<usize>), Ended> {
    let mut reader = Reader::new(keep);
    let mut failed = None;
    lines::each_while(input, LIMITS, |number, line, last| {
        reader.line(number, line, last);
        failed = reader.take().iter().try_for_each(&mut *act).err();
        failed.is_none()
    })
    .map_err(Ended::Input)?;
    let (rest, abandoned, found) = reader.finish();
    failed.map_or_else(|| rest.iter().try_for_each(&mut *act), Err).map_err(Ended::Reader)?;
    Ok((found.totals, abandoned))
}

/// Opens a FIFO, for which the system waits until there is a writer. We do not wait for ever.
fn open_pipe(path: &Path) -> Result<File, Failure> {
    let fail = |error: &io::Error| Failure::io(path.display(), error);
    let (tell, told) = mpsc::channel();
    let own = path.to_path_buf();
    let open = move || tell.send(File::open(own));
    std::thread::Builder::new().spawn(open).map_err(|error| fail(&error))?;
    let Ok(opened) = told.recv_timeout(PATIENCE) else {
        let what = "a FIFO that nobody opened for writing within 2 s: start its writer first";
        return Err(Failure::data(format!("{}: {what}", path.display())));
    };
    opened.map_err(|error| fail(&error))
}

/// An input of which the head was read.
pub struct Head<R> {
    name: String,
    bytes: Vec<u8>,
    rest: R,
}

impl<R: Read> Head<R> {
    /// Reads the first record, or as much of it as tells what it is.
    pub fn begin(name: &str, input: R) -> Result<Self, Failure> {
        let mut head = Self { name: name.to_owned(), bytes: Vec::new(), rest: input };
        head.fill(|bytes| bytes.trim_ascii_start().contains(&b'\n'))?;
        Ok(head)
    }

    /// Whether the first record is one of a transcript.
    pub fn is_transcript(&self) -> bool {
        Agent::of_record(&self.bytes).is_some()
    }

    /// All of the input.
    pub fn all(self) -> impl Read {
        Cursor::new(self.bytes).chain(self.rest)
    }

    /// Reads on until it is `enough`, the head is full, or the input ends.
    fn fill(&mut self, enough: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
        let mut chunk = [0_u8; 8 << 10];
        while self.bytes.len() < HEAD_BYTES && !enough(&self.bytes) {
            match self.rest.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => self.bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(&self.name, &error)),
            }
        }
        Ok(())
    }
}

/// Counts what is read.
struct Counted<R> {
    input: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(to)?;
        self.bytes = self.bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }
}
