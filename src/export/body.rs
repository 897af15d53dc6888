//! The blocks of a page while they are made: in memory while they are few, else in a file without a
//! name. Which messages were abandoned is known only when all have been read, so where each block
//! begins is remembered.

use super::page;
use crate::exit::Failure;
use crate::file::{self, Durable};
use crate::message::Role;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tempfile::SpooledTempFile;

/// Blocks up to this many bytes are kept in memory.
const IN_MEMORY: usize = 4 << 20;

/// A page that was written aside for so long will never be put in place: its writer was killed.
const DEAD_SECONDS: i64 = 3600;

/// Blocks, in order.
pub struct Body {
    text: SpooledTempFile,
    /// Where each block begins, and who speaks.
    starts: Vec<(u64, Role)>,
    bytes: u64,
}

impl Body {
    /// No block yet.
    pub fn new() -> Self {
        Self { text: SpooledTempFile::new(IN_MEMORY), starts: Vec::new(), bytes: 0 }
    }

    /// Adds a block.
    pub fn add(&mut self, role: Role, text: &str) -> Result<(), Failure> {
        let block = page::block(role, text);
        self.text.write_all(block.as_bytes()).map_err(|error| Failure::io("temporary file", &error))?;
        self.starts.push((self.bytes, role));
        self.bytes = self.bytes.saturating_add(u64::try_from(block.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Bytes of all blocks, those of `abandoned` marked.
    pub fn length(&self, abandoned: &[usize]) -> u64 {
        let mark = u64::try_from(page::ABANDONED.len()).unwrap_or_default();
        self.bytes.saturating_add(mark.saturating_mul(u64::try_from(abandoned.len()).unwrap_or_default()))
    }

    /// Writes all blocks, those of `abandoned` (their numbers, ascending) marked.
    pub fn copy(&mut self, abandoned: &[usize], out: &mut impl Write) -> io::Result<()> {
        self.text.rewind()?;
        let mut at = 0;
        let mut input = BufReader::new(&mut self.text);
        for (start, role) in abandoned.iter().filter_map(|number| self.starts.get(*number)) {
            let plain = page::heading(*role, false);
            io::copy(&mut (&mut input).take(start.saturating_sub(at)), out)?;
            let length = u64::try_from(plain.len()).unwrap_or_default();
            io::copy(&mut (&mut input).take(length), &mut io::sink())?;
            out.write_all(page::heading(*role, true).as_bytes())?;
            at = start.saturating_add(length);
        }
        io::copy(&mut input, out).map(drop)
    }
}

/// Writes a page: the head, the last `base` bytes of the page that stands there, the blocks.
pub fn write(path: &Path, head: &str, base: Option<u64>, body: &mut Body, abandoned: &[usize]) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let old = base.map(|bytes| File::open(path).map(|file| (file, bytes))).transpose().map_err(fail)?;
    let folder = path.parent().unwrap_or(path);
    file::create_folder(folder)?;
    file::sweep_old(folder, DEAD_SECONDS);
    file::replace_with(path, Durable::No, |out| {
        out.write_all(head.as_bytes())?;
        if let Some((mut old, bytes)) = old {
            let start = old.metadata()?.len().saturating_sub(bytes);
            old.seek(SeekFrom::Start(start))?;
            io::copy(&mut old, out)?;
        }
        body.copy(abandoned, out)
    })
}
