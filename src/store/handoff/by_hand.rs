//! Closing and reopening items by hand. What a tool does here to the page is what a person would do: it ticks
//! a line, or takes the tick away. So a kill leaves the page as a person could have left it, and [`state`] reads
//! from the page what was done.
//!
//! [`state`]: super::state

use super::page::{self, Line};
use super::state::{PAGE, STATE, Stored, write};
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
    let page = Stored::read(memory)?.page.unwrap_or_default();
    let mut there: Vec<String> = Vec::new();
    let mut open = |line: &str| {
        let item = page::without_marker(line);
        let is_meant = page::is_ticked(line) && items.iter().any(|known| known == item);
        let (marks, tick) = line.strip_suffix(item).filter(|_| is_meant)?.split_once('[')?;
        there.push(item.to_owned());
        Some(format!("{marks}{}{item}", if tick.starts_with('X') { "[ ] " } else { "" }))
    };
    let mut page = page::with_lines(&page, |line| open(line).map_or(Line::Stays, Line::Becomes));
    let missing: Vec<&String> = items.iter().filter(|item| !there.contains(item)).collect();
    if page.is_empty() && !missing.is_empty() {
        page = format!("{heading}\n");
    }
    put(memory, &page::with_more(page, missing), redactor)
}

/// Writes a page, and what is to be remembered of it.
fn put(memory: &Path, page: &str, redactor: &Redactor) -> Result<(), Failure> {
    write(memory, vec![(PAGE, Some(redactor.masked_parts(page)))])?;
    let known = Stored::read(memory)?.known;
    write(memory, vec![(STATE, Some(known.text(redactor)))])
}
