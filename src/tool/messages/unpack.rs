//! Transcripts compressed by zstd, unpacked while they are read. Memory is bounded, however much comes out of a few
//! bytes: it is the window that a frame asks for, at most [`WINDOW_BYTES`].
//!
//! Damage ends the reading as the end of the file does, and is told afterwards: what came before it is good.

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

/// Compressed data that is read as what it holds.
pub struct Unpacked<R: Read> {
    frames: Frames<BufReader<Watched<R>>>,
    damage: Option<String>,
}

impl<R: Read> Unpacked<R> {
    /// Unpacks an input that begins with `head`; gives it back if it is not compressed by zstd.
    pub fn new(head: &[u8], input: R) -> Result<Self, R> {
        let skipped = head.get(1..).is_some_and(|rest| rest.starts_with(ZSTD_SKIPPED));
        if head.starts_with(ZSTD) || skipped && head.first().is_some_and(|byte| byte >> 4 == 5) {
            let watched = Watched { input, bytes: 0, ended: false, failed: None };
            let frames = Frames::new(BufReader::with_capacity(64 << 10, watched));
            return Ok(Self { frames, damage: None });
        }
        Err(input)
    }

    /// Status 65 with what is wrong with the compressed data, if something was.
    pub fn damage(&self, name: &str) -> Result<(), Failure> {
        self.damage.as_ref().map_or(Ok(()), |damage| Err(Failure::data(format!("{name}: {damage}"))))
    }

    /// What the decoder said: an error of the input itself, or what is wrong with the data.
    fn judge(&mut self, error: &Error) -> io::Result<usize> {
        let source = &mut self.frames.source;
        let waiting = u64::try_from(source.buffer().len()).unwrap_or(u64::MAX);
        let watched = source.get_mut();
        if let Some(failed) = watched.failed.take() {
            return Err(failed);
        }
        let at = watched.bytes.saturating_sub(waiting);
        let remedy = "only what comes before is read: get it again";
        self.damage = Some(match (watched.ended, error.kind()) {
            (_, ErrorKind::Unsupported) => format!("its zstd data cannot be read: {error}"),
            (true, _) if waiting == 0 => format!("its zstd data ends too early, after {at} bytes: {remedy}"),
            _ => format!("its zstd data is damaged before byte {at}: {remedy}"),
        });
        Ok(0)
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.damage.is_some() {
            return Ok(0);
        }
        self.frames
            .read(to)
            .or_else(|error| if error.kind() == ErrorKind::Interrupted { Err(error) } else { self.judge(&error) })
    }
}

/// The frames of zstd data, one after the other.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    /// In the middle of a frame.
    open: bool,
    /// Why the frame has no more blocks, told when what came before is read.
    failed: Option<Error>,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW_BYTES);
        Self { source, decoder, open: false, failed: None }
    }

    /// Begins the next frame; false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.open = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
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
    fn block(&mut self) -> io::Result<()> {
        let one = || BlockDecodingStrategy::UptoBlocks(1);
        let Err(error) = self.decoder.decode_blocks(&mut self.source, one()) else { return Ok(()) };
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

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.open && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.block()?;
            }
            match self.decoder.read(to)? {
                0 => self.end()?,
                count => return Ok(count),
            }
        }
    }
}

fn wrong(error: &FrameDecoderError) -> Error {
    let unpack = "unpack it first, as with zstdcat";
    match error {
        FrameDecoderError::WindowSizeTooBig { .. } => {
            let what = format!(
                "its window is larger than {} MiB: unpack it first, as with zstdcat --long=31",
                WINDOW_BYTES >> 20
            );
            Error::new(ErrorKind::Unsupported, what)
        }
        FrameDecoderError::DictNotProvided { .. } => {
            Error::new(ErrorKind::Unsupported, format!("it needs a dictionary: {unpack}"))
        }
        _ => ErrorKind::InvalidData.into(),
    }
}

/// An input of which it is known how it ended.
struct Watched<R> {
    input: R,
    bytes: u64,
    ended: bool,
    failed: Option<Error>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self.input.read(to) {
            Ok(count) => {
                self.ended |= count == 0 && !to.is_empty();
                self.bytes = self.bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
                Ok(count)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let same = error.raw_os_error().map_or_else(|| error.kind().into(), Error::from_raw_os_error);
                self.failed = Some(same);
                Err(error)
            }
        }
    }
}
