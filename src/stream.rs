//! Records in, records out: one JSON object a line. A type that a tool does not know goes through
//! byte for byte; a bad line in our own stream ends the tool with 65 and its number. Output is
//! flushed when the tool is about to wait for input, and at the end.

use crate::exit::{Exit, Failure};
use crate::log;
use crate::record::Record;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, StdoutLock, Write};

/// Standard output.
pub struct Output {
    inner: BufWriter<StdoutLock<'static>>,
    /// The tool changes the world: a reader that has gone stops the receipts, not the work.
    receipts: bool,
    gone: bool,
}

impl Output {
    /// For a filter: ends quietly when its reader has gone.
    pub fn filter() -> Self {
        Self { inner: BufWriter::new(io::stdout().lock()), receipts: false, gone: false }
    }

    /// For a tool whose output is only receipts of what it did.
    pub fn receipts() -> Self {
        Self { receipts: true, ..Self::filter() }
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        let written = self.inner.write_all(bytes);
        self.judge(written)
    }

    /// Writes a record.
    pub fn record(&mut self, record: &Record) -> Result<(), Failure> {
        self.bytes(record.line().as_bytes())
    }

    /// Lets everything written so far go.
    pub fn flush(&mut self) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        let flushed = self.inner.flush();
        self.judge(flushed)
    }

    fn judge(&mut self, result: io::Result<()>) -> Result<(), Failure> {
        match result {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                if self.receipts { Ok(()) } else { Err(Failure::reader_gone()) }
            }
            Err(error) => Err(Failure::io("standard output", &error)),
        }
    }
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

/// All of standard input, a hook's payload; a terminal has none.
pub fn payload() -> Result<Vec<u8>, Failure> {
    let mut payload = Vec::new();
    let mut input = io::stdin();
    if !input.is_terminal() {
        input.read_to_end(&mut payload).map_err(|error| Failure::io("standard input", &error))?;
    }
    Ok(payload)
}

/// Gives each record of standard input whose type is in `kinds` to `act`, in order, and passes all
/// others through. What fails for one record is said in the name of `tool`, and the next has its
/// turn; the status is the first failure's.
pub fn each(
    tool: &str,
    kinds: &[&str],
    out: &mut Output,
    mut act: impl FnMut(&Record, &[u8], &mut Output) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut line = Vec::new();
    let mut number = 0_usize;
    let mut exit = Exit::Done;
    loop {
        if input.buffer().is_empty() {
            out.flush()?;
        }
        line.clear();
        let read = input.read_until(b'\n', &mut line).map_err(|error| Failure::io("standard input", &error))?;
        if read == 0 {
            out.flush()?;
            return Ok(exit);
        }
        number = number.saturating_add(1);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let bad = |what: &str| Failure::data(format!("stdin:{number}: {what}"));
        let text = std::str::from_utf8(&line).map_err(|_| bad("not UTF-8"))?;
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
            if !line.ends_with(b"\n") {
                out.bytes(b"\n")?;
            }
        }
    }
}
