//! The blocks of a page while they are made: in memory while they are few, else in a file without a
//! name. Which messages were abandoned is known only when all have been read, so where each block
//! begins is remembered.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root, Target};
use crate::base::hash::{Sum, Summed};
use crate::base::masked::Masked;
use crate::record::message::{Message, Role};
use crate::store::page::{self, EDITED};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// Blocks up to this many bytes are kept in memory.
const IN_MEMORY: usize = 4 << 20;

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
    pub fn add(&mut self, message: &Message, text: &Masked) -> Result<(), Failure> {
        let role = message.role;
        let block = page::block(role, (message.line, message.time.as_deref()), &text.text());
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

/// Writes a page: the head, the last `base` bytes of the present page, the blocks. Returns
/// its sum, which `announce` is told before the page is put in place.
pub fn write(
    path: &Target,
    head: &Masked,
    base: Option<u64>,
    body: &mut Body,
    abandoned: &[usize],
    announce: &dyn Fn(&str) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let old = base.map(|bytes| File::open(&**path).map(|file| (file, bytes))).transpose().map_err(fail)?;
    let mut announced = Ok(());
    let mut written = String::new();
    let put = file::replace_with(path, Durable::No, |out| {
        let mut sum = Sum::default();
        let mut out = Summed { out, sum: &mut sum };
        out.write_all(head.bytes())?;
        if let Some((mut old, bytes)) = old {
            let start = old.metadata()?.len().saturating_sub(bytes);
            old.seek(SeekFrom::Start(start))?;
            io::copy(&mut old, &mut out)?;
        }
        body.copy(abandoned, &mut out)?;
        written = sum.hex();
        announced = announce(&written);
        if announced.is_ok() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    });
    announced?;
    put.map(|()| written)
}

/// The sum of the page that would be written.
pub fn sum_of(head: &Masked, body: &mut Body, abandoned: &[usize]) -> Result<String, Failure> {
    let mut sum = Sum::default();
    sum.add(head.bytes());
    let copied = body.copy(abandoned, &mut Summed { out: io::sink(), sum: &mut sum });
    copied.map_err(|error| Failure::io("temporary file", &error)).map(|()| sum.hex())
}

/// The sum of a page.
pub fn sum(path: &Path) -> Result<String, Failure> {
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let mut sum = Sum::default();
    let mut page = File::open(path).map_err(fail)?;
    io::copy(&mut page, &mut Summed { out: io::sink(), sum: &mut sum }).map_err(fail)?;
    Ok(sum.hex())
}

/// Keeps a page that is not as we wrote it in its folder: `NAME.edited-1.md`. The number
/// is the first that is free; a copy that is there already is as good.
pub fn keep_copy(root: &Root, path: &Path) -> Result<PathBuf, Failure> {
    let wanted = sum(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1_u32;
    loop {
        let copy = path.with_file_name(format!("{stem}{EDITED}{number}.md"));
        if !copy.is_symlink() && !copy.exists() {
            let mut page = File::open(path).map_err(|error| Failure::io(path.display(), &error))?;
            file::replace_with(&root.file(&copy)?, Durable::Yes, |out| io::copy(&mut page, out).map(drop))?;
            return Ok(copy);
        }
        if copy.is_file() && sum(&copy)? == wanted {
            return Ok(copy);
        }
        number += 1;
    }
}
