//! Where a session's page stands, and what is there already. The name is taken from the day of the
//! first timestamp and the short id, and never changes once the session has a page; a
//! page of another session under that name moves us to the whole id.

use super::page;
use crate::agent::claude::transcript;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::front_matter::FrontMatter;
use crate::record::session::{self, Session};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The place of a page.
pub struct Place {
    /// Below the sessions folder: `2026-04/2026-04-13-9a8b7c6d.md`.
    pub name: String,
    /// `2026-04-13 18:32`
    pub date: String,
    present: Option<Present>,
}

/// A page that was written before.
struct Present {
    messages: u64,
    /// How far the transcript was read; none for the predecessor's pages.
    source_size: Option<u64>,
    modified: Option<Timestamp>,
}

impl Place {
    /// The place of a session's page; `known` is its name when there was one.
    pub fn of(session: &Session, folder: &Path, known: Option<&str>) -> Result<Self, Failure> {
        if let Some(name) = known
            && let Some((date, present)) = present(&folder.join(name), &session.session_id)?
        {
            return Ok(Self { name: name.to_owned(), date, present: Some(present) });
        }
        let modified = transcript::stat(&session.transcript)?.and_then(|(_, time)| time).unwrap_or_else(clock::now);
        let first = transcript::first_time(&session.transcript).and_then(|time| page::minute(&time));
        let date = first.unwrap_or_else(|| page::minute(&modified.to_string()).unwrap_or_default());
        let (day, month) = (date.get(..10).unwrap_or_default(), date.get(..7).unwrap_or_default());
        let short = format!("{month}/{day}-{}.md", session::short_id(&session.session_id));
        let whole = format!("{month}/{day}-{}.md", session::safe_id(&session.session_id));
        for name in [&short, &whole] {
            let path = folder.join(name);
            match present(&path, &session.session_id)? {
                Some((date, present)) => return Ok(Self { name: name.clone(), date, present: Some(present) }),
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

    /// Whether the present page was made of the transcript as it is now.
    pub fn is_current(&self, size: u64, modified: Option<Timestamp>) -> bool {
        self.present.as_ref().is_some_and(|present| match present.source_size {
            Some(known) => known == size,
            // The predecessor counted other messages, so only the times can be compared.
            None => modified.is_some() && present.modified >= modified,
        })
    }

    /// Whether the present page is ours, and not the predecessor's.
    pub fn is_ours(&self) -> bool {
        self.present.as_ref().is_some_and(|present| present.source_size.is_some())
    }

    /// Whether a page of ours holds so many messages.
    pub fn holds(&self, messages: u64) -> bool {
        self.is_ours() && self.present.as_ref().is_some_and(|present| present.messages >= messages)
    }
}

/// The date and the rest of a page of this session; none when it is another's, or there is none.
fn present(path: &Path, session_id: &str) -> Result<Option<(String, Present)>, Failure> {
    let Ok(data) = path.metadata() else { return Ok(None) };
    let front = FrontMatter::read(path)?;
    if front.get("session_id") != Some(session_id) {
        return Ok(None);
    }
    let number = |key: &str| front.get(key).and_then(|value| value.parse::<u64>().ok());
    let present = Present {
        messages: number("messages").unwrap_or_default(),
        source_size: number("source_size"),
        modified: data.modified().ok().and_then(clock::from_system),
    };
    Ok(Some((front.get("date").unwrap_or_default().to_owned(), present)))
}
