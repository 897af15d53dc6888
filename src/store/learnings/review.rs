//! `_review-YYYY-MM-DD.md` among the learnings: the pairs that wait for a person. Its last line has the hash of all
//! above: a page that was changed by hand is left alone, and another one is written beside it.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::record::item;
use crate::redact::Redactor;
use std::path::{Path, PathBuf};

/// Writes the page of a local day, and says where it is. A `dry` run only says it.
pub fn write(
    top: &Path,
    folder: &Path,
    day: &str,
    page: &str,
    redactor: &Redactor,
    dry: bool,
) -> Result<PathBuf, Failure> {
    let mut page = redactor.masked_parts(page);
    let mark = mark(page.bytes());
    page.push(&redactor.masked_parts(&mark));
    let root = Root::new(top);
    let mut number = 1_u32;
    loop {
        let ending = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("_review-{day}{ending}.md"));
        let target = root.file(&path)?;
        let there = file::read(&target)?;
        match there {
            Some(there) if there == page.bytes() => return Ok(path),
            Some(there) if !is_ours(&there) => {}
            _ if dry => return Ok(path),
            Some(_) => return file::replace(&target, &page, Durable::Yes).map(|()| path),
            None if create(&root, folder, &path, &page)? => return Ok(path),
            // Another one was first.
            None => continue,
        }
        number += 1;
    }
}

fn create(root: &Root, folder: &Path, path: &Path, page: &Masked) -> Result<bool, Failure> {
    root.folder(folder)?;
    file::create(&root.file(path)?, page, Durable::Yes)
}

fn mark(page: &[u8]) -> String {
    format!("\n<!-- lh-review {} -->\n", item::hash(page))
}

/// Whether a page is as it was written.
fn is_ours(page: &[u8]) -> bool {
    let length = mark(b"").len();
    let (above, end) = page.split_at(page.len().saturating_sub(length));
    end == mark(above).as_bytes()
}
