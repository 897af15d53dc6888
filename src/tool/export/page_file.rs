//! Where a session's page is, and what is there already. The name is taken from the day of the
//! first timestamp and the short id, and never changes once the session has a page; a
//! page of another session under that name moves us to the whole id.

use crate::agent::transcript;
use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::record::session::{self, Session};
use crate::store::page::{self, Page};
use jiff::Timestamp;
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
        let modified = transcript::stat(&session.transcript)?.and_then(|(_, time)| time).unwrap_or_else(clock::now);
        let first = transcript::first_time(&session.transcript).and_then(|time| page::minute(&time));
        let date = first.unwrap_or_else(|| page::minute(&modified.to_string()).unwrap_or_default());
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
