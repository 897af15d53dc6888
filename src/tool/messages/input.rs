//! An input of which the head is known before the rest is read: a file, a pipe, or standard input. A pipe is read once,
//! and of it nothing is kept but its head. What is compressed by zstd is unpacked while it is read, in bounded memory: at
//! most the window that a frame may ask for, however much comes out of a few bytes. Damage ends the reading as the end of
//! the file does, and is told afterwards: what came before it is good.

use super::ByteCounter;
use crate::agent::Agent;
use crate::base::exit::Failure;
use crate::base::stream;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Error, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// How far it is read to know what it is, whose, and where the session ran.
const HEAD_BYTES: usize = 256 << 10;
/// How much tells that it is compressed.
const MAGIC_BYTES: usize = 6;
/// How long a FIFO may take to have a writer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The largest window of a zstd frame, which is also that of zstd(1).
const WINDOW_BYTES: u64 = 128 << 20;
/// How a zstd frame begins.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// One without content begins so, but for the low half of its first byte.
const ZSTD_SKIPPED: &[u8] = b"\x2a\x4d\x18";
/// A zstd block that is empty and the last one, with room for a checksum.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

type Bytes<'a> = Box<dyn Read + 'a>;

/// An input whose head was read.
pub struct Input<'a> {
    name: String,
    head: Cursor<Vec<u8>>,
    source: BufReader<ByteCounter<Bytes<'a>>>,
    /// What unpacks it, if it is compressed.
    decoder: Option<FrameDecoder>,
    /// What is wrong with the compressed data.
    damage: Option<String>,
    /// All of it is in the head.
    whole: bool,
}

impl<'a> Input<'a> {
    /// Reads as much as tells whether it is compressed.
    pub fn begin(name: &str, mut bytes: Bytes<'a>) -> Result<Self, Failure> {
        let mut head = Vec::new();
        let read = bytes.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut head);
        read.map_err(|error| Failure::io(name, &error))?;
        let is_skipped = |(first, rest): (&u8, &[u8])| first >> 4 == 5 && rest.starts_with(ZSTD_SKIPPED);
        let is_packed = head.starts_with(ZSTD) || head.split_first().is_some_and(is_skipped);
        let source = ByteCounter { input: Box::new(Cursor::new(head).chain(bytes)) as Bytes<'a>, bytes: 0 };
        let mut input = Self {
            name: name.to_owned(),
            head: Cursor::default(),
            source: BufReader::with_capacity(64 << 10, source),
            decoder: is_packed.then(FrameDecoder::new),
            damage: None,
            whole: false,
        };
        if let Some(decoder) = &mut input.decoder {
            decoder.set_max_window_size(WINDOW_BYTES);
        }
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
        self.damage.as_ref().map_or(Ok(()), |damage| Err(Failure::data(format!("{}: {damage}", self.name))))
    }

    /// Reads on until it is `enough`, the head is full, or the input ends.
    fn fill(&mut self, enough: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
        let mut chunk = [0_u8; 8 << 10];
        while !self.whole && self.head.get_ref().len() < HEAD_BYTES && !enough(self.head.get_ref()) {
            match self.rest(&mut chunk) {
                Ok(count) => {
                    self.head.get_mut().extend_from_slice(&chunk[..count]);
                    self.whole = count == 0;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(&self.name, &error)),
            }
        }
        Ok(())
    }

    /// Reads what is behind the head.
    fn rest(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.decoder else { return self.source.read(to) };
            let count = decoder.read(to)?;
            if count > 0 || to.is_empty() || self.damage.is_some() {
                return Ok(count);
            }
            match decode(decoder, &mut self.source) {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => self.damage = Some(self.judge(&error)?),
            }
        }
    }

    /// What is wrong with the data of which the decoder said this; or an error of the input itself, which comes again.
    fn judge(&mut self, error: &Error) -> io::Result<String> {
        let waiting = self.source.fill_buf()?.len();
        let at = self.source.get_ref().bytes - waiting as u64;
        let remedy = "only what comes before is read: get it again";
        Ok(match (waiting, error.kind()) {
            (_, ErrorKind::Unsupported) => format!("its zstd data cannot be read: {error}"),
            (0, _) => format!("its zstd data ends too early, after {at} bytes: {remedy}"),
            _ => format!("its zstd data is damaged before byte {at}: {remedy}"),
        })
    }
}

impl Read for Input<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self.head.read(to)? {
            0 => self.rest(to),
            count => Ok(count),
        }
    }
}

/// Decodes the next block, or begins the next frame when all of one was read; false at the end.
fn decode(decoder: &mut FrameDecoder, source: &mut impl BufRead) -> io::Result<bool> {
    let one = || BlockDecodingStrategy::UptoBlocks(1);
    if !decoder.is_finished() {
        let Err(error) = decoder.decode_blocks(&mut *source, one()) else { return Ok(true) };
        // The decoder keeps a window back for the blocks to come: an empty last one lets it go.
        let _ = decoder.decode_blocks(LAST_BLOCK, one());
        return Err(wrong(&error));
    }
    let (wanted, found) = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
    if wanted.is_some() && wanted != found {
        return Err(ErrorKind::InvalidData.into());
    }
    if source.fill_buf()?.is_empty() {
        return Ok(false);
    }
    match decoder.reset(&mut *source) {
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            let skipped = io::copy(&mut source.take(length.into()), &mut io::sink())?;
            if skipped < u64::from(length) { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(true) }
        }
        begun => begun.map(|()| true).map_err(|error| wrong(&error)),
    }
}

fn wrong(error: &FrameDecoderError) -> Error {
    let what = match error {
        FrameDecoderError::WindowSizeTooBig { .. } => {
            let most = WINDOW_BYTES >> 20;
            format!("its window is larger than {most} MiB: unpack it first, as with zstdcat --long=31")
        }
        FrameDecoderError::DictNotProvided { .. } => {
            "it needs a dictionary: unpack it first, as with zstdcat".to_owned()
        }
        _ => return ErrorKind::InvalidData.into(),
    };
    Error::new(ErrorKind::Unsupported, what)
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
