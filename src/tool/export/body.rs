//! A page as it is written, and the sums by which one is known again.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root, Target};
use crate::base::hash::{Sum, Summed};
use crate::base::masked::Masked;
use crate::base::stream::Spool;
use crate::store::page::{self, EDITED};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes a page: the head, the last `base` bytes of the present page, the blocks. Returns
/// its sum, which `announce` is told before the page is put in place.
pub fn write(
    path: &Target,
    head: &Masked,
    base: Option<u64>,
    body: &mut Spool,
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
        body.copy(abandoned, page::abandoned_block, &mut out)?;
        written = sum.hex();
        announced = announce(&written);
        if announced.is_ok() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    });
    announced?;
    put.map(|()| written)
}

/// The sum of the page that would be written.
pub fn sum_of(head: &Masked, body: &mut Spool, abandoned: &[usize]) -> Result<String, Failure> {
    let mut sum = Sum::default();
    sum.add(head.bytes());
    let copied = body.copy(abandoned, page::abandoned_block, &mut Summed { out: io::sink(), sum: &mut sum });
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
