//! pre-compact-summary.md: what a session was about when its client last compacted it. One file a
//! project, overwritten; its front matter says whose it is and how far the transcript was read.

use crate::clock;
use crate::exit::Failure;
use crate::file::{self, Durable};
use crate::front::{self, Front};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The headings of its lists.
pub const DOING: &str = "Being done";
/// What was decided in this session.
pub const DECIDED: &str = "Decided";
/// Files, and how often each was written, edited and read.
pub const FILES: &str = "Files";
/// What failed, and what mended it.
pub const FAILED: &str = "Failed";
/// What is still to do.
pub const OPEN: &str = "Open";
/// What was asked and not answered.
pub const QUESTIONS: &str = "Open questions";

/// A summary as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whose it is.
    pub session_id: String,
    /// When it was written.
    pub written_at: Option<Timestamp>,
    /// The transcript's last line that it knows, from 1.
    pub source_lines: u64,
    /// Headings and lists, without the front matter.
    pub body: String,
}

/// The summary's file.
pub fn path(memory: &Path) -> PathBuf {
    memory.join("pre-compact-summary.md")
}

/// The summary that stands in a memory folder.
pub fn read(memory: &Path) -> Result<Option<Summary>, Failure> {
    let Some(text) = file::read_text(&path(memory))? else { return Ok(None) };
    let front = Front::parse(&text);
    let written_at = front.get("written_at").and_then(clock::parse);
    Ok(Some(Summary {
        session_id: front.get("session_id").unwrap_or_default().to_owned(),
        written_at,
        source_lines: front.get("source_lines").and_then(|lines| lines.parse().ok()).unwrap_or_default(),
        body: front.body,
    }))
}

/// Puts a summary in place of the one that stands there.
pub fn put(memory: &Path, summary: &Summary) -> Result<(), Failure> {
    let path = super::own_file(memory, "pre-compact-summary.md")?;
    let _lock = super::lock(memory)?;
    let written_at = clock::local(summary.written_at.unwrap_or_else(clock::now));
    let text = format!(
        "---\nsession_id: {}\nwritten_at: {written_at}\nsource_lines: {}\n---\n{}",
        front::plain(&summary.session_id),
        summary.source_lines,
        summary.body
    );
    file::replace(&path, text.as_bytes(), Durable::Yes)
}

impl Summary {
    /// The points of the list under a heading.
    pub fn points(&self, heading: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut under = false;
        for line in self.body.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                under = title.trim() == heading;
            } else if let Some(point) = line.strip_prefix("- ").filter(|_| under) {
                found.push(point.trim().to_owned());
            }
        }
        found
    }
}
