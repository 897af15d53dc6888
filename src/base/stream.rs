//! Records in, records out: one JSON object a line. A type that a tool does not know goes through
//! byte for byte; a bad line in our own stream ends the tool with 65 and its number. Output is
//! flushed when the tool is about to wait for input, and at the end. On a terminal nothing is written that
//! it would obey; a pipe and a file get the bytes as they are.

use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, log, pager, text, wrap};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::FileType;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Seek, StdoutLock, Write};
use std::time::Duration;
use tempfile::SpooledTempFile;

/// Standard output.
pub struct Output {
    inner: BufWriter<Harmless<StdoutLock<'static>>>,
    /// The tool changes the world: a reader that has gone stops the receipts, not the work.
    receipts: bool,
    gone: bool,
    /// See [`Output::later`].
    later: String,
    /// See [`Output::wrapped`]; 0 for lines as they are.
    columns: usize,
    /// See [`Output::lines`].
    line: Option<fn(&Record) -> Option<String>>,
}

impl Output {
    /// For a filter: ends quietly when its reader has gone.
    pub fn filter() -> Self {
        let out = io::stdout().lock();
        let inner = BufWriter::new(Harmless { terminal: out.is_terminal(), out, torn: Vec::new() });
        Self { inner, receipts: false, gone: false, later: String::new(), columns: 0, line: None }
    }

    /// For a tool whose output is only receipts of what it did.
    pub fn receipts() -> Self {
        Self { receipts: true, ..Self::filter() }
    }

    /// With lines for people, which are broken where a terminal ends; what is written has whole lines then.
    #[must_use]
    pub fn wrapped(self) -> Self {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok().filter(|_| self.inner.get_ref().terminal);
        Self { columns: size.map_or(0, |size| usize::from(size.ws_col)), ..self }
    }

    /// With what `line` makes of each record, if they are for people; what is written has whole lines then.
    #[must_use]
    pub fn lines(self, line: fn(&Record) -> Option<String>, for_people: bool) -> Self {
        if for_people { Self { line: Some(line), ..self.wrapped() } } else { self }
    }

    /// How wide the terminal is for which it is wrapped; 0 for a pipe.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let lines = self.line.map(|line| for_people(&String::from_utf8_lossy(bytes), line).into_bytes());
        let bytes = lines.as_deref().unwrap_or(bytes);
        let wrapped = (self.columns > 0).then(|| wrap::wrapped(&String::from_utf8_lossy(bytes), self.columns));
        self.put(|out| out.write_all(wrapped.as_deref().map_or(bytes, str::as_bytes)))
    }

    /// Writes what is meant to be stored. tests/house.rs lists the tools that print nothing else.
    pub fn masked(&mut self, text: &Masked) -> Result<(), Failure> {
        self.bytes(text.bytes())
    }

    /// Writes a text with colours of ours, in which nothing of others is left that a terminal obeys.
    pub fn screen(&mut self, text: &str) -> Result<(), Failure> {
        self.flush()?;
        let terminal = std::mem::replace(&mut self.inner.get_mut().terminal, false);
        let written = self.bytes(text.as_bytes()).and_then(|()| self.flush());
        self.inner.get_mut().terminal = terminal;
        written
    }

    /// The same, written by [`Output::end`].
    pub fn later(&mut self, text: &str) {
        self.later.push_str(text);
    }

    /// Writes what was to be written later, and ends as it `ended`. On a terminal that is too small for it the user's pager
    /// shows it, and then this does not come back.
    pub fn end(mut self, ended: Result<Exit, Failure>) -> Result<Exit, Failure> {
        let text = std::mem::take(&mut self.later);
        self.flush()?;
        if self.inner.get_ref().terminal && ended.is_ok() {
            pager::show(&wrap::wrapped(&text, self.columns))?;
        }
        self.screen(&text).and(ended)
    }

    /// Writes the pieces of a spool; see [`Spool::copy`].
    pub fn spool(
        &mut self,
        pieces: &mut Spool,
        marked: &[usize],
        mark: impl Fn(&str) -> String,
    ) -> Result<(), Failure> {
        if self.line.is_some() {
            let mut whole = Vec::new();
            pieces.copy(marked, mark, &mut whole).map_err(|error| Failure::io("temporary file", &error))?;
            return self.bytes(&whole);
        }
        self.put(|out| pieces.copy(marked, mark, out))
    }

    /// Writes a record.
    pub fn record(&mut self, record: &Record) -> Result<(), Failure> {
        self.bytes(record.line().as_bytes())
    }

    /// Lets everything written so far go.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.put(Write::flush)
    }

    /// Waits for so long, and ends quietly if the reader goes meanwhile.
    pub fn pause(&mut self, duration: Duration) -> Result<(), Failure> {
        match polled(PollFd::new(&io::stdout(), PollFlags::empty()), duration) {
            Ok(false) | Err(rustix::io::Errno::INTR) => Ok(()),
            Ok(true) => Err(Failure::reader_gone()),
            Err(error) => Err(Failure::io("standard output", &error.into())),
        }
    }

    /// Writes something, unless the reader has gone.
    fn put(
        &mut self,
        act: impl FnOnce(&mut BufWriter<Harmless<StdoutLock<'static>>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        match act(&mut self.inner) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                if self.receipts { Ok(()) } else { Err(Failure::reader_gone()) }
            }
            done => done.map_err(|error| Failure::io("standard output", &error)),
        }
    }
}

/// The text with its records as lines for people.
fn for_people(text: &str, line: fn(&Record) -> Option<String>) -> String {
    let shown = |said| Record::parse(said).ok().and_then(|record| line(&record)).map_or(Cow::from(said), Cow::from);
    text.split_inclusive('\n').map(shown).collect()
}

/// For what is written piece by piece; a reader that has gone is an error of its kind.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// What is written to a terminal without what it would obey or hide.
struct Harmless<W> {
    out: W,
    terminal: bool,
    /// The beginning of a character whose end was not written yet.
    torn: Vec<u8>,
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.terminal {
            return self.out.write(bytes);
        }
        self.torn.extend_from_slice(bytes);
        // A character can go on in the next part.
        let rest = self.torn.split_off(self.torn.len() - torn_end(&self.torn));
        let whole = std::mem::replace(&mut self.torn, rest);
        self.out.write_all(text::harmless(&String::from_utf8_lossy(&whole)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let torn = std::mem::take(&mut self.torn);
        self.out.write_all(String::from_utf8_lossy(&torn).as_bytes())?;
        self.out.flush()
    }
}

/// How many bytes at the end begin a character that is not whole.
fn torn_end(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    last.map_or(0, |chunk| match std::str::from_utf8(chunk.invalid()) {
        Err(error) if error.error_len().is_none() => chunk.invalid().len(),
        _ => 0,
    })
}

/// Pieces of a spool up to this many bytes in all are kept in memory.
const SPOOL_BYTES: usize = 4 << 20;

/// Pieces of text that are written when all are known, since which of them are to be marked is known only
/// then. They are in memory while they are few, else in a file without a name.
pub struct Spool {
    text: SpooledTempFile,
    ends: Vec<u64>,
}

impl Default for Spool {
    fn default() -> Self {
        Self { text: SpooledTempFile::new(SPOOL_BYTES), ends: Vec::new() }
    }
}

impl Spool {
    /// Adds a piece.
    pub fn add(&mut self, piece: &[u8]) -> Result<(), Failure> {
        self.text.write_all(piece).map_err(|error| Failure::io("temporary file", &error))?;
        self.ends.push(self.bytes() + piece.len() as u64);
        Ok(())
    }

    /// The bytes of all pieces.
    pub fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Writes all pieces; those of `marked` (their numbers, ascending) as `mark` changes them.
    pub fn copy(&mut self, marked: &[usize], mark: impl Fn(&str) -> String, out: &mut impl Write) -> io::Result<()> {
        self.text.rewind()?;
        let mut input = BufReader::new(&mut self.text);
        let mut at = 0;
        for number in marked {
            let before = self.ends[..*number].last().copied().unwrap_or(0);
            let end = self.ends[*number];
            io::copy(&mut (&mut input).take(before - at), out)?;
            let mut piece = String::new();
            (&mut input).take(end - before).read_to_string(&mut piece)?;
            out.write_all(mark(&piece).as_bytes())?;
            at = end;
        }
        io::copy(&mut input, out).map(drop)
    }
}

/// The largest payload, and the longest line of a stream of records, in bytes.
const INPUT_BYTES: u64 = 64 << 20;
/// How long a payload may take to come: a hook must end, also when its client never closes the pipe.
const PATIENCE: Duration = Duration::from_secs(2);

/// A hook's payload, all of standard input up to its end or the end of its object; a terminal has none.
/// Status 65 when it is too large, or when it does not come and the input stays open.
pub fn payload() -> Result<Vec<u8>, Failure> {
    let mut payload = Vec::new();
    let mut input = io::stdin();
    if input.is_terminal() {
        return Ok(payload);
    }
    let begun = clock::monotonic();
    let mut chunk = vec![0_u8; 1 << 16];
    loop {
        // Only where nothing more is there at once, for it costs a reading of all that came.
        if !comes(Duration::ZERO)? && is_object(&payload) {
            return Ok(payload);
        }
        let left = PATIENCE.saturating_sub(clock::monotonic().duration_since(begun));
        if !comes(left)? {
            single(payload)?;
            let what = "it stays open and no whole JSON object came within 2 s: write one, or close it";
            return Err(Failure::data(format!("stdin: {what}")));
        }
        match input.read(&mut chunk) {
            Ok(0) => return single(payload),
            Ok(count) => payload.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::io("standard input", &error)),
        }
        if payload.len() as u64 > INPUT_BYTES {
            return Err(Failure::data(format!("stdin: a payload of more than {INPUT_BYTES} bytes")));
        }
    }
}

/// Status 65 when there is more than one object: a second one would not be heard of.
fn single(payload: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let mut values = serde_json::Deserializer::from_slice(&payload).into_iter::<IgnoredAny>();
    if let (Some(Ok(_)), Some(Ok(_))) = (values.next(), values.next()) {
        let what = "more than one JSON object: expected one payload or record: give each to a call of its own";
        return Err(Failure::data(format!("stdin: {what}")));
    }
    Ok(payload)
}

/// Whether standard input has bytes or its end to read, or gets them in time.
fn comes(patience: Duration) -> Result<bool, Failure> {
    let ready = rustix::io::retry_on_intr(|| polled(PollFd::new(&io::stdin(), PollFlags::IN), patience));
    ready.map_err(|error| Failure::io("standard input", &error.into()))
}

fn polled(watched: PollFd<'_>, patience: Duration) -> rustix::io::Result<bool> {
    let patience = Timespec::try_from(patience).ok();
    rustix::event::poll(&mut [watched], patience.as_ref()).map(|ready| ready > 0)
}

fn is_object(payload: &[u8]) -> bool {
    payload.trim_ascii_end().ends_with(b"}") && serde_json::from_slice::<IgnoredAny>(payload).is_ok()
}

/// How compressed data begins, what it is called, and what unpacks it.
const PACKED: [(&[u8], &str, &str); 4] = [
    (b"\x1f\x8b", "gzip", "zcat"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat"),
    (b"\xfd7zXZ\0", "xz", "xzcat"),
    (b"BZh", "bzip2", "bzcat"),
];

/// Two or four bytes a character: a mark says so at the beginning, or each second byte is zero.
fn is_wide(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"];
    let (fours, _) = bytes.get(..bytes.len().min(64)).unwrap_or_default().as_chunks::<4>();
    marks.iter().any(|mark| bytes.starts_with(mark))
        || !fours.is_empty()
            && (fours.iter().all(|[first, second, _, last]| *first > 0 && *second == 0 && *last == 0)
                || fours.iter().all(|[first, _, third, last]| *first == 0 && *third == 0 && *last > 0))
}

/// What to say of data that is compressed, or of two or four bytes a character; none of other data.
pub fn packed(bytes: &[u8]) -> Option<String> {
    if is_wide(bytes) {
        return Some("text in UTF-16 or UTF-32: convert it first, as with iconv -f UTF-16 -t UTF-8".to_owned());
    }
    let (_, name, program) = PACKED.iter().find(|(magic, ..)| bytes.starts_with(magic))?;
    Some(format!("compressed by {name}: unpack it first, as with {program}"))
}

/// What is handed in by a pipe or a file, for a tool that also works without: "" where standard input is anything else.
/// Status 65 where a pipe stays open and says nothing for a while: it may be one that no writer knows of.
pub fn handed() -> Result<Vec<u8>, Failure> {
    let kind = rustix::fs::fstat(io::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    if !kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file()) {
        return Ok(Vec::new());
    }
    if !comes(PATIENCE)? {
        let what = "a pipe stays open and nothing came within 2 s: close it, or say - to wait for it";
        return Err(Failure::data(format!("stdin: {what}")));
    }
    whole()
}

/// All of standard input, which is not a hook's and may take its time; status 65 when it is too large.
pub fn whole() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(INPUT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::io("standard input", &error))?;
    if bytes.len() as u64 > INPUT_BYTES {
        return Err(Failure::data(format!("stdin: more than {INPUT_BYTES} bytes")));
    }
    Ok(bytes)
}

/// Gives each record of an input with a type in `kinds` to `act`, in order, and passes all
/// others through. What fails for one record is said in the name of `tool`, and the next has its
/// turn; the status is the first failure's.
pub fn each_of(
    tool: &str,
    input: impl Read,
    kinds: &[&str],
    out: &mut Output,
    mut act: impl FnMut(&Record, &[u8], &mut Output) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = Vec::new();
    let mut number = 0_usize;
    let mut exit = Exit::Done;
    loop {
        if input.buffer().is_empty() {
            out.flush()?;
        }
        line.clear();
        let read = (&mut input).take(INPUT_BYTES).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Failure::io("standard input", &error))?;
        if read == 0 {
            out.flush()?;
            return Ok(exit);
        }
        number += 1;
        if line.len() as u64 >= INPUT_BYTES {
            return Err(Failure::data(format!("stdin:{number}: a record of more than {INPUT_BYTES} bytes")));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if !line.ends_with(b"\n") {
            // Whatever is printed behind it has a line of its own.
            line.push(b'\n');
        }
        let bad = |what: &str| Failure::data(format!("stdin:{number}: {what}"));
        let not_text = || bad(&packed(&line).unwrap_or_else(|| "not UTF-8".to_owned()));
        let text = std::str::from_utf8(&line).map_err(|_| not_text())?;
        let record = Record::parse(text).map_err(|what| bad(&what))?;
        if kinds.contains(&record.kind().as_str()) {
            match act(&record, &line, out) {
                Err(failure) if !failure.message.is_empty() => {
                    log::say(tool, &format!("stdin:{number}: {}", failure.message));
                    exit = if exit == Exit::Done { failure.exit } else { exit };
                }
                acted => acted?,
            }
        } else {
            out.bytes(&line)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_may_come_in_parts() {
        let text = "a\u{1b}[31mñ\u{9b}2J\u{202e}é\u{feff}\n\tz🎉\r\u{7}".as_bytes();
        let wanted = "a\u{fffd}[31mñ\u{fffd}2J\u{fffd}é\u{fffd}\n\tz🎉\u{fffd}\u{fffd}";
        for size in 1..8 {
            let mut out = Harmless { out: Vec::new(), terminal: true, torn: Vec::new() };
            text.chunks(size).for_each(|part| out.write_all(part).unwrap());
            out.flush().unwrap();
            assert_eq!(String::from_utf8(out.out).unwrap(), wanted, "{size}");
        }
        let mut out = Harmless { out: Vec::new(), terminal: true, torn: Vec::new() };
        out.write_all(b"a\xffb\x9bc\xe2\x82").unwrap();
        out.flush().unwrap();
        assert_eq!(String::from_utf8(out.out).unwrap(), "a\u{fffd}b\u{fffd}c\u{fffd}");
        let mut out = Harmless { out: Vec::new(), terminal: false, torn: Vec::new() };
        out.write_all(b"\x1b\xff").unwrap();
        assert_eq!(out.out, b"\x1b\xff");
    }

    /// The records of an input that are a `session`, and how it ended.
    fn read(input: &[u8]) -> (Vec<String>, Result<Exit, String>) {
        let mut found = Vec::new();
        let mut out = Output::filter();
        let exit = each_of("test", input, &["session"], &mut out, |record, line, _| {
            found.push(record.text("id").unwrap_or_default());
            assert!(line.ends_with(b"\n"));
            if record.raw("bad").is_some() { Err(Failure::later("bad")) } else { Ok(()) }
        });
        (found, exit.map_err(|failure| failure.message))
    }

    #[test]
    fn each_record_has_its_turn() {
        let lines = br#"{"type":"session","id":"a"}

{"type":"session","id":"b","bad":1}
{"type":"session","id":"c"}"#;
        assert_eq!(read(lines), (["a", "b", "c"].map(str::to_owned).to_vec(), Ok(Exit::Later)));
        assert_eq!(read(b""), (Vec::new(), Ok(Exit::Done)));
    }
}
