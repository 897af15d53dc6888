//! Two handoffs become one, when a project's memory moves to a folder that has one. The page of the newer transcript
//! stays as it is; what is open on the other one comes behind it, unless it says the same or was closed since.

use super::page::{self, Handoff};
use super::slim;
use super::state::{Closed, OpenItem, Version, written};
use super::stored::{Step, Stored};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::record::gists::Gists;
use crate::redact::Redactor;
use std::fmt::Write as _;
use std::path::Path;

/// What is to be written into `to`, in this order, so that its handoff has what is open in both folders; nothing when
/// it has. The caller holds the locks of both.
pub fn merge(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Step>, Failure> {
    let (to, from) = (Stored::read(to)?, Stored::read(from)?);
    let (front, back) = if from.newest() > to.newest() { (&from, &to) } else { (&to, &from) };
    // Where the newer has no page, what is open comes behind the other one.
    let (base, other) = if text_of(front).trim().is_empty() { (back, front) } else { (front, back) };
    let said: Gists = base.known.lines.iter().map(|line| &line.text).collect();
    let mut lines = open(base, other);
    let more: Vec<OpenItem> = open(other, base).into_iter().filter(|line| said.find(&line.text).is_none()).collect();
    let slim = slim_of(front).or(slim_of(back));
    let page =
        if lines.is_empty() && more.is_empty() { front.page.clone() } else { Some(page_of(base, &lines, &more, slim)) };
    let page = page.map(|page| redactor.masked_parts(&page));
    lines.extend(more);
    if let Some(page) = &page {
        // What masking made of a line is what must be remembered of it.
        let masked = Handoff::of(Some(page.bytes())).items;
        if masked.len() == lines.len() {
            lines.iter_mut().zip(masked).for_each(|(line, text)| line.text = text);
        }
    }
    let newest = written(front.newest().max(back.newest()));
    let state = Version { newest, closed: closed_of(&to, &from, &lines), lines }.text(redactor);
    let steps = to.steps(page, Some(state), redactor);
    // Only what is remembered would be written, and it is there.
    let is_there = |(_, content): &Step| content.as_ref().map(Masked::text).as_deref() == to.state.as_deref();
    Ok(if steps.iter().all(is_there) { Vec::new() } else { steps })
}

/// What a page says. The predecessor's slim handoff says nothing of what is open.
fn text_of(side: &Stored) -> &str {
    side.page.as_deref().map_or("", |page| slim::split(page).0)
}

fn slim_of(side: &Stored) -> Option<&str> {
    side.page.as_deref().and_then(|page| slim::split(page).1)
}

/// The open lines of a side that the other one did not close after they were said.
fn open(side: &Stored, other: &Stored) -> Vec<OpenItem> {
    let over: Gists = other.known.closed.iter().map(|closed| &closed.line.text).collect();
    let is_closed = |line: &&OpenItem| {
        over.all(&line.text).any(|at| other.known.closed.get(at).is_some_and(|closed| closed.closes(line)))
    };
    side.known.lines.iter().filter(|line| !is_closed(line)).cloned().collect()
}

/// The page of a side with those of its lines that stay, and with more behind them, a slim handoff last.
fn page_of(base: &Stored, stay: &[OpenItem], more: &[OpenItem], slim: Option<&str>) -> String {
    let is_gone = |text: &str| {
        base.known.lines.iter().any(|line| line.text == text) && !stay.iter().any(|line| line.text == text)
    };
    let lines = text_of(base).split_inclusive('\n');
    let mut page: String = lines.filter(|line| !is_gone(page::without_marker(line.trim()))).collect();
    if !page.is_empty() && !page.ends_with('\n') {
        page.push('\n');
    }
    for line in more {
        let _ = writeln!(page, "- {}", line.text);
    }
    if let Some(slim) = slim {
        // The same page comes of the same two, however often they are merged.
        page.truncate(page.trim_end().len());
        let _ = write!(page, "\n\n{slim}");
    }
    page
}

/// What was closed on both sides and is not open now, the oldest first.
fn closed_of(to: &Stored, from: &Stored, lines: &[OpenItem]) -> Vec<Closed> {
    let mut all = to.known.closed.clone();
    all.extend(from.known.closed.iter().filter(|closed| !to.known.closed.contains(closed)).cloned());
    all.retain(|closed| !lines.iter().any(|line| line.text == closed.line.text));
    all.sort_by_key(Closed::time);
    all
}
