//! Where a session's page is, and what is there already. The name is taken from the day of the
//! first timestamp and the short id, and never changes once the session has a page; a
//! page of another session under that name moves us to the whole id. How a page is written, and the sums by which it is
//! known again.

use crate::agent::transcript;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::hash::{Sum, Summed};
use crate::base::masked::Masked;
use crate::base::stream::Spool;
use crate::record::session::{self, Session};
use crate::store::page::{self, EDITED, Page};
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file of a session's page.
pub struct PageFile {
    /// Below the sessions folder: `2026-04/2026-04-13-9a8b7c6d.md`.
    pub name: String,
    /// `2026-04-13 18:32`
    pub date: String,
    /// The page that was written before, and when.
    present: Option<(Page, Option<Timestamp>)>,
}

impl PageFile {
    /// The file of a session's page; `known` is its name when there was one.
    pub fn find(session: &Session, folder: &Path, known: Option<&str>) -> Result<Self, Failure> {
        if let Some(name) = known
            && let Some(found) = Self::present(name, &folder.join(name), session)?
        {
            return Ok(found);
        }
        let modified = transcript::stat(&session.transcript)?.and_then(|(_, time)| time);
        let date = transcript::first_time(&session.transcript).or(modified).unwrap_or_else(clock::now);
        let date = page::minute(date);
        let (day, month) = (date.get(..10).unwrap_or_default(), date.get(..7).unwrap_or_default());
        let short = format!("{month}/{day}-{}.md", session::short_id(&session.session_id));
        let whole = format!("{month}/{day}-{}.md", session::safe_id(&session.session_id));
        for name in [&short, &whole] {
            let path = folder.join(name);
            match Self::present(name, &path, session)? {
                Some(found) => return Ok(found),
                None if !path.exists() => return Ok(Self { name: name.clone(), date, present: None }),
                None => {}
            }
        }
        Ok(Self { name: whole, date, present: None })
    }

    /// The page.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.name)
    }

    /// The page that is there; None when it is another session's, or there is none.
    fn present(name: &str, path: &Path, session: &Session) -> Result<Option<Self>, Failure> {
        let page = Page::read(path)?.filter(|page| page.session_id == session.session_id);
        let found = page.map(|page| (page.date.clone(), Some((page, file::modified(path)))));
        Ok(found.map(|(date, present)| Self { name: name.to_owned(), date, present }))
    }

    /// Whether the present page was made of the transcript as it is now.
    pub fn is_current(&self, size: u64, modified: Option<Timestamp>) -> bool {
        self.present.as_ref().is_some_and(|(page, written)| match page.source_size {
            Some(known) => known == size,
            // The predecessor counted other messages, so only the times can be compared.
            None => modified.is_some() && *written >= modified,
        })
    }

    /// Whether the present page is ours, and not the predecessor's.
    pub fn is_ours(&self) -> bool {
        self.holds(0)
    }

    /// Whether a page of ours holds so many messages.
    pub fn holds(&self, messages: u64) -> bool {
        self.present.as_ref().is_some_and(|(page, _)| page.source_size.is_some() && page.messages >= messages)
    }
}

/// A page as it will be: the head, the last bytes of an old page, what is new.
pub struct NewPage<'a> {
    pub head: Masked,
    /// The old page, and how many of its last bytes stay.
    pub old: Option<(&'a PathBuf, u64)>,
    pub body: &'a mut Spool,
    /// The numbers of the new messages that are marked.
    pub abandoned: &'a [usize],
}

impl NewPage<'_> {
    /// Writes it.
    pub fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.head.bytes())?;
        if let Some((path, bytes)) = self.old {
            let mut old = File::open(path)?;
            let start = old.metadata()?.len().saturating_sub(bytes);
            old.seek(SeekFrom::Start(start))?;
            io::copy(&mut old, out)?;
        }
        self.body.copy(self.abandoned, page::abandoned_block, out)
    }

    /// Its sum.
    pub fn sum(&mut self) -> Result<String, Failure> {
        let mut sum = Sum::default();
        let added = self.write(&mut Summed { out: io::sink(), sum: &mut sum });
        added.map(|()| sum.hex()).map_err(|error| Failure::io("page", &error))
    }
}

/// The sum of the page that is there; none where no file is.
pub fn sum(path: &Path) -> Result<Option<String>, Failure> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut sum = Sum::default();
    let read = |mut page| io::copy(&mut page, &mut Summed { out: io::sink(), sum: &mut sum });
    File::open(path).and_then(read).map_err(Failure::at(path))?;
    Ok(Some(sum.hex()))
}

/// Keeps a page that is not as we wrote it in its folder: `NAME.edited-1.md`. The number
/// is the first that is free; a copy that is there already is as good.
pub fn keep_copy(root: &Root, path: &Path, wanted: &str) -> Result<PathBuf, Failure> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1_u32;
    loop {
        let copy = path.with_file_name(format!("{stem}{EDITED}{number}.md"));
        if !copy.is_symlink() && !copy.exists() {
            let mut page = File::open(path).map_err(Failure::at(path))?;
            file::replace_with(&root.file(&copy)?, Durable::Yes, |out| io::copy(&mut page, out).map(drop))?;
            return Ok(copy);
        }
        if copy.is_file() && sum(&copy)?.as_deref() == Some(wanted) {
            return Ok(copy);
        }
        number += 1;
    }
}
