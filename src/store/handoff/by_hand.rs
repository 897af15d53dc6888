//! Closing and reopening items by hand. What a tool does here to the page is what a person would do: it ticks
//! a line, or takes the tick away. So a kill leaves the page as a person could have left it, and [`state`] reads
//! from the page what was done.
//!
//! [`state`]: super::state

use super::page::{self, Head};
use super::state::STATE;
use super::state::{OpenItem, Version};
use super::stored::{PAGE, Stored, write};
use crate::base::exit::Failure;
use crate::base::{clock, text};
use crate::redact::Redactor;
use jiff::Timestamp;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Ticks the lines of open items; the caller holds the folder's lock.
pub fn close(memory: &Path, items: &[String], redactor: &Redactor) -> Result<(), Failure> {
    let mut before: HashMap<String, String> = HashMap::new();
    let raw = raw(&Stored::read(memory)?, page::HEADINGS[1]);
    let page = with_lines(&raw, |line| {
        let item = page::without_marker(line);
        if page::is_heading(line) || page::is_ticked(line) || !items.iter().any(|known| known == item) {
            return None;
        }
        let was = before.entry(item.to_owned()).or_default();
        was.push_str(if was.is_empty() { "" } else { "\n" });
        was.push_str(line);
        let marks = line.strip_suffix(item)?;
        Some(format!("{}[x] {item}", marks.split('[').next().unwrap_or(marks)))
    });
    let mut known = put(memory, &page, redactor)?;
    for closed in known.closed.iter_mut().filter(|closed| closed.ticked) {
        if let Some(was) = before.get(&closed.line.text) {
            closed.was.clone_from(was);
        }
    }
    write(memory, vec![(STATE, Some(known.text(redactor)))])
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
    let closed = |item: &str| now.known.closed.iter().rfind(|closed| closed.ticked && closed.line.text == item);
    let raw = raw(&now, heading);
    let mut there: Vec<String> = Vec::new();
    let mut page = with_lines(&raw, |line| {
        let item = page::without_marker(line);
        if !page::is_ticked(line) || !items.iter().any(|known| known == item) {
            return None;
        }
        let nth = there.iter().filter(|known| *known == item).count();
        there.push(item.to_owned());
        let was = closed(item).and_then(|closed| closed.was.lines().nth(nth));
        let was = was.filter(|was| page::without_marker(was) == item).map(str::to_owned);
        let bare = || Some(format!("{}{item}", line.strip_suffix(item)?.split('[').next()?));
        was.or_else(bare)
    });
    for item in items.iter().filter(|item| !there.contains(item)) {
        let line = closed(item).map(|closed| closed.line.clone()).unwrap_or_default();
        if page.is_empty() {
            page = head(&line, &now.known, heading);
        }
        let end = if page.ends_with('\n') { "" } else { "\n" };
        let _ = writeln!(page, "{end}- {}", text::one_line(item));
    }
    let known = put(memory, &page, redactor)?;
    write(memory, vec![(STATE, Some(known.text(redactor)))])
}

/// The page as it is; in place of a slim handoff the page that it took the place of.
fn raw(now: &Stored, heading: &str) -> String {
    if !now.present.is_slim {
        return now.page.as_deref().unwrap_or("").to_owned();
    }
    let mut page = head(&now.known.lines.first().cloned().unwrap_or_default(), &now.known, heading);
    page.extend(now.present.items.iter().map(|item| format!("- {item}\n")));
    page
}

/// A page without items, of the session that said a line.
fn head(line: &OpenItem, known: &Version, heading: &str) -> String {
    let time = clock::parse(&line.source_mtime).or_else(|| clock::parse(&known.newest));
    match time.filter(|_| !line.session_id.is_empty()) {
        Some(source_mtime) => page::text(
            &Head { session_id: &line.session_id, source_mtime, is_rounded: false, ended_at: None, heading },
            &[],
        ),
        None => format!("{heading}\n"),
    }
}

/// Writes a page, and gives what is to be remembered of it.
fn put(memory: &Path, page: &str, redactor: &Redactor) -> Result<Version, Failure> {
    write(memory, vec![(PAGE, Some(redactor.masked_parts(page)))])?;
    Ok(Stored::read(memory)?.known)
}

/// A page in which the lines behind its head are changed, all else as it is. `change` gets a line without the white
/// space around it, and gives the line that takes its place.
fn with_lines(raw: &str, mut change: impl FnMut(&str) -> Option<String>) -> String {
    let (head, body) = page::parts(raw);
    let mut page = head.to_owned();
    for line in body.split_inclusive('\n') {
        let bare = line.trim();
        match change(bare).and_then(|new| Some((line.split_once(bare)?, new))) {
            Some(((before, behind), new)) if !bare.is_empty() => page.extend([before, &new, behind]),
            _ => page.push_str(line),
        }
    }
    page
}
