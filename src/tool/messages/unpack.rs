//! What is compressed by zstd, unpacked while it is read; what is not is read as it is. Memory is bounded, however much
//! comes out of a few bytes: it is the window that a frame asks for, at most [`WINDOW_BYTES`].
//!
//! Damage ends the reading as the end of the file does, and is told afterwards: what came before it is good.

use super::ByteCounter;
use crate::base::exit::Failure;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read};

/// The largest window of a zstd frame, which is also that of zstd(1).
const WINDOW_BYTES: u64 = 128 << 20;
/// How a zstd frame begins.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// One without content begins so, but for the low half of its first byte.
const ZSTD_SKIPPED: &[u8] = b"\x2a\x4d\x18";

/// A zstd block that is empty and the last one, with room for a checksum.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// An input that is read as what it holds.
pub struct Unpacked<R> {
    source: BufReader<ByteCounter<R>>,
    /// What unpacks it, if it is compressed.
    frames: Option<Frames>,
    damage: Option<String>,
}

impl<R: Read> Unpacked<R> {
    /// Of an input that begins with `head`.
    pub fn new(head: &[u8], input: R) -> Self {
        let is_skipped = |(first, rest): (&u8, &[u8])| first >> 4 == 5 && rest.starts_with(ZSTD_SKIPPED);
        let is_packed = head.starts_with(ZSTD) || head.split_first().is_some_and(is_skipped);
        let source = BufReader::with_capacity(64 << 10, ByteCounter { input, bytes: 0 });
        Self { source, frames: is_packed.then(Frames::new), damage: None }
    }

    /// Status 65 with what is wrong with the compressed data, if something was.
    pub fn damage(&self, name: &str) -> Result<(), Failure> {
        self.damage.as_ref().map_or(Ok(()), |damage| Err(Failure::data(format!("{name}: {damage}"))))
    }

    /// What the decoder said: an error of the input itself, which comes again, or what is wrong with the data.
    fn judge(&mut self, error: &Error) -> io::Result<usize> {
        let waiting = self.source.fill_buf()?.len();
        let at = self.source.get_ref().bytes - waiting as u64;
        let remedy = "only what comes before is read: get it again";
        self.damage = Some(match (waiting, error.kind()) {
            (_, ErrorKind::Unsupported) => format!("its zstd data cannot be read: {error}"),
            (0, _) => format!("its zstd data ends too early, after {at} bytes: {remedy}"),
            _ => format!("its zstd data is damaged before byte {at}: {remedy}"),
        });
        Ok(0)
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let Some(frames) = &mut self.frames else { return self.source.read(to) };
        if self.damage.is_some() || to.is_empty() {
            return Ok(0);
        }
        match frames.read(&mut self.source, to) {
            Err(error) if error.kind() != ErrorKind::Interrupted => self.judge(&error),
            read => read,
        }
    }
}

/// The frames of zstd data, one after the other.
struct Frames {
    decoder: FrameDecoder,
    /// In the middle of a frame.
    open: bool,
    /// Why the frame has no more blocks, told when what came before is read.
    failed: Option<Error>,
}

impl Frames {
    fn new() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW_BYTES);
        Self { decoder, open: false, failed: None }
    }

    fn read(&mut self, source: &mut impl BufRead, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.open && !self.begin(source)? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.block(source)?;
            }
            match self.decoder.read(to)? {
                0 => self.end()?,
                count => return Ok(count),
            }
        }
    }

    /// Begins the next frame; false at the end.
    fn begin(&mut self, source: &mut impl BufRead) -> io::Result<bool> {
        while !source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut *source) {
                Ok(()) => {
                    self.open = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut source.take(length.into()), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(wrong(&error)),
            }
        }
        Ok(false)
    }

    /// Decodes the next block. The decoder keeps a window back for the blocks to come: where these cannot be read, an empty
    /// last one lets it go.
    fn block(&mut self, source: &mut impl BufRead) -> io::Result<()> {
        let one = || BlockDecodingStrategy::UptoBlocks(1);
        let Err(error) = self.decoder.decode_blocks(source, one()) else { return Ok(()) };
        let error = wrong(&error);
        match self.decoder.decode_blocks(LAST_BLOCK, one()) {
            Ok(_) => self.failed = Some(error),
            Err(_) => return Err(error),
        }
        Ok(())
    }

    /// Ends a frame, whose checksum must hold if it has one.
    fn end(&mut self) -> io::Result<()> {
        self.open = false;
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let (wanted, found) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if wanted.is_some() && wanted != found { Err(ErrorKind::InvalidData.into()) } else { Ok(()) }
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
