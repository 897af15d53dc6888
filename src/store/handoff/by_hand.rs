//! Closing and reopening items by hand. What a tool does here to the page is what a person would do: it ticks
//! a line, or takes the tick away. So a kill leaves the page as a person could have left it, and [`state`] reads
//! from the page what was done.
//!
//! [`state`]: super::state

use super::page::{self, Head, Line};
use super::state::STATE;
use super::stored::{PAGE, Stored, write};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::redact::Redactor;
use jiff::Timestamp;
use std::path::Path;

/// Ticks the lines of open items; the caller holds the folder's lock.
pub fn close(memory: &Path, items: &[String], redactor: &Redactor) -> Result<(), Failure> {
    let ticked = |line: &str| {
        let item = page::without_marker(line);
        let is_meant = !page::is_heading(line) && !page::is_ticked(line) && items.iter().any(|known| known == item);
        let marks = line.strip_suffix(item).filter(|_| is_meant)?;
        Some(match marks.split_once('[') {
            // A capital, so that it gets an empty box again when the item is opened again.
            Some((marks, _)) => format!("{marks}[X] {item}"),
            None => format!("{marks}[x] {item}"),
        })
    };
    let page = Stored::read(memory)?.page.unwrap_or_default();
    put(memory, &page::with_lines(&page, |line| ticked(line).map_or(Line::Stays, Line::Becomes)), redactor)
}

/// What a person said is done, the oldest first, each with the time.
pub fn closed(memory: &Path) -> Result<Vec<(Option<Timestamp>, String)>, Failure> {
    let ticked = Stored::read(memory)?.known.closed.into_iter().filter(|closed| closed.ticked);
    Ok(ticked.map(|closed| (closed.time(), closed.line.text)).collect())
}

/// Takes the ticks of items away, or puts the items that are no longer on the page at its end; the caller holds
/// the folder's lock. `heading` is for a page that is made anew.
pub fn reopen(memory: &Path, items: &[String], heading: &str, redactor: &Redactor) -> Result<(), Failure> {
    let now = Stored::read(memory)?;
    let mut there: Vec<String> = Vec::new();
    let mut open = |line: &str| {
        let item = page::without_marker(line);
        let is_meant = page::is_ticked(line) && items.iter().any(|known| known == item);
        let (marks, tick) = line.strip_suffix(item).filter(|_| is_meant)?.split_once('[')?;
        there.push(item.to_owned());
        Some(format!("{marks}{}{item}", if tick.starts_with('X') { "[ ] " } else { "" }))
    };
    let page = now.page.as_deref().unwrap_or("");
    let mut page = page::with_lines(page, |line| open(line).map_or(Line::Stays, Line::Becomes));
    let missing: Vec<&String> = items.iter().filter(|item| !there.contains(item)).collect();
    if page.is_empty() {
        page = missing.first().map_or(String::new(), |item| head(&now, item, heading));
    }
    put(memory, &page::with_more(page, missing), redactor)
}

/// A page without items, of the session that said an item.
fn head(now: &Stored, item: &str, heading: &str) -> String {
    let line = now.known.closed.iter().rfind(|closed| closed.ticked && closed.line.text == item);
    let line = line.map(|closed| &closed.line).filter(|line| !line.session_id.is_empty());
    let time = |line| clock::parse(line).or_else(|| clock::parse(&now.known.newest));
    match line.and_then(|line| Some((line, time(&line.source_mtime)?))) {
        Some((line, source_mtime)) => {
            page::text(&Head { session_id: &line.session_id, source_mtime, ended_at: None, heading }, &[])
        }
        None => format!("{heading}\n"),
    }
}

/// Writes a page, and what is to be remembered of it.
fn put(memory: &Path, page: &str, redactor: &Redactor) -> Result<(), Failure> {
    write(memory, vec![(PAGE, Some(redactor.masked_parts(page)))])?;
    let known = Stored::read(memory)?.known;
    write(memory, vec![(STATE, Some(known.text(redactor)))])
}
