//! pre-compact-summary.md: what a session was about when its client last compacted it. One file a
//! project, overwritten, and a copy a session in `.state/summaries/`, on which the session's next summary
//! builds; the front matter says whose it is and how far the transcript was read.

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::front_matter::{self, FrontMatter};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::Memory;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The headings of its lists: the goal, the files and commands of late, the last answer.
pub const DOING: &str = "Being done";
/// What was edited and not checked, and what failed last.
pub const UNFINISHED: &str = "In mid-edit";
/// The build, test and lint commands that passed when they ran last.
pub const WORKING: &str = "Commands that work here";
/// Every request, in order.
pub const ASKED: &str = "Asked for";
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

/// A summary as it is in its file.
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

/// The summary of the session that was compacted last.
pub fn newest(memory: &Memory) -> Result<Option<Summary>, Failure> {
    let mut newest: Option<Summary> = None;
    for folder in memory.folders() {
        let found = read(&path(folder))?;
        let later = |found: &Summary| newest.as_ref().is_none_or(|known| found.written_at > known.written_at);
        newest = found.filter(later).or(newest);
    }
    Ok(newest)
}

/// The last summary of a session: its own copy, or the project's newest when it is its.
pub fn of_session(memory: &Memory, session_id: &str) -> Result<Option<Summary>, Failure> {
    let own = |summary: &Summary| summary.session_id == session_id;
    for folder in memory.folders() {
        if let Some(summary) = read(&copy(folder, session_id))?.filter(own) {
            return Ok(Some(summary));
        }
    }
    Ok(newest(memory)?.filter(own))
}

/// A session's own copy: the project's newest is replaced by another session's summary.
fn copy(memory: &Path, session_id: &str) -> PathBuf {
    memory.join(".state/summaries").join(format!("{}.md", session::safe_id(session_id)))
}

fn read(path: &Path) -> Result<Option<Summary>, Failure> {
    let Some(text) = file::read_text(path)? else { return Ok(None) };
    let front = FrontMatter::parse(&text);
    Ok(Some(Summary {
        session_id: front.get("session_id").unwrap_or_default().to_owned(),
        written_at: front.get("written_at").and_then(clock::parse),
        source_lines: front.get("source_lines").and_then(|lines| lines.parse().ok()).unwrap_or_default(),
        body: front.body,
    }))
}

/// Puts a session's summary in place: its own copy first, then the project's newest.
pub fn put(memory: &Path, summary: &Summary, redactor: &Redactor) -> Result<(), Failure> {
    let path = super::own_file(memory, "pre-compact-summary.md")?;
    let _lock = super::lock(memory)?;
    let written_at = clock::local(summary.written_at.unwrap_or_else(clock::now));
    let text = format!(
        "---\nsession_id: {}\nwritten_at: {written_at}\nsource_lines: {}\n---\n{}",
        front_matter::plain(&summary.session_id),
        summary.source_lines,
        summary.body
    );
    let text = redactor.masked(&text);
    let root = Root::new(memory);
    file::remove_leftovers(&root.folder(".state/summaries")?, None);
    file::replace(&root.file(copy(memory, &summary.session_id))?, &text, Durable::Yes)?;
    file::replace(&path, &text, Durable::Yes)
}

impl Summary {
    /// The points of the list under a heading.
    pub fn points(&self, heading: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut under = false;
        for line in self.body.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                under = title.trim() == heading;
            } else if under {
                found.extend(line.strip_prefix("- ").map(|point| point.trim().to_owned()));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_gets_its_own_summary_back() {
        let home = tempfile::tempdir().unwrap();
        let memory = home.path();
        let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
        let summary = |session_id: &str, body: &str| Summary {
            session_id: session_id.to_owned(),
            written_at: clock::parse("2026-04-13T18:32:45Z"),
            source_lines: 42,
            body: body.to_owned(),
        };
        let (a, b) = (summary("true", "## Open\n- x\n- y\n\n## Files\n- z\n"), summary("b", "---\n## Open\n"));
        for each in [&a, &b] {
            put(memory, each, &redactor).unwrap();
        }
        assert_eq!(of_session(&Memory::alone(memory), "true").unwrap().as_ref(), Some(&a));
        assert_eq!(newest(&Memory::alone(memory)).unwrap().as_ref(), Some(&b));
        assert_eq!(of_session(&Memory::alone(memory), "c").unwrap(), None);
        assert_eq!(
            (a.points(OPEN), a.points(FILES), a.points(DECIDED)),
            (vec!["x".to_owned(), "y".to_owned()], vec!["z".to_owned()], vec![])
        );
        let text = std::fs::read_to_string(path(memory)).unwrap();
        let written_at = clock::local(b.written_at.unwrap());
        assert_eq!(
            text,
            format!("---\nsession_id: b\nwritten_at: {written_at}\nsource_lines: 42\n---\n---\n## Open\n")
        );
    }
}
