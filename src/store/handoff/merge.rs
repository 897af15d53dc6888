//! Two handoffs become one, when a project's memory moves to a folder that has one. The page of the newer transcript
//! stays as it is; what is open on the other one comes behind it, unless it says the same or was closed since.

use super::page::{self, Line};
use super::state::{Closed, OpenItem, Step, Stored, Version, written};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::record::gists::Gists;
use crate::redact::Redactor;
use std::path::Path;

/// What is to be written into `to`, in this order, so that its handoff has what is open in both folders; nothing when
/// it has. The caller holds the locks of both.
pub fn merge(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Step>, Failure> {
    let (to, from) = (Stored::read(to)?, Stored::read(from)?);
    let (front, back) = if from.newest() > to.newest() { (&from, &to) } else { (&to, &from) };
    // Where the newer has no page, what is open comes behind the other one.
    let (base, other) = if front.page.is_none() { (back, front) } else { (front, back) };
    let mut lines = open(base, other);
    let said: Gists = lines.iter().map(|line| &line.text).collect();
    lines.extend(open(other, base).into_iter().filter(|line| said.find(&line.text).is_none()));
    let is_in = |lines: &[OpenItem], text: &str| lines.iter().any(|line| line.text == text);
    let goes = |text: &str| is_in(&base.known.lines, text) && !is_in(&lines, text);
    let stays = |line: &str| if goes(page::without_marker(line)) { Line::Goes } else { Line::Stays };
    let more = lines.iter().map(|line| &line.text).filter(|text| !is_in(&base.known.lines, text));
    let page = if lines.is_empty() { &front.page } else { &base.page };
    let page = page.as_ref().map(|page| page::with_more(page::with_lines(page, stays), more));
    let page = page.map(|page| redactor.masked_parts(&page));
    for line in &mut lines {
        redactor.show(&mut line.text);
    }
    let newest = written(front.newest().max(back.newest()));
    let state = Version { newest, closed: closed_of(&to, &from, &lines), lines }.text(redactor);
    let is_there = |new: Option<&Masked>, old: &Option<String>| new.map(Masked::text).as_deref() == old.as_deref();
    if is_there(page.as_ref(), &to.page) && is_there(Some(&state), &to.state) {
        return Ok(Vec::new());
    }
    Ok(to.steps(page, Some(state), redactor))
}

/// The open lines of a side that the other one did not close after they were said.
fn open(side: &Stored, other: &Stored) -> Vec<OpenItem> {
    let over: Gists = other.known.closed.iter().map(|closed| &closed.line.text).collect();
    let is_closed = |line: &&OpenItem| {
        over.all(&line.text).any(|at| other.known.closed.get(at).is_some_and(|closed| closed.closes(line)))
    };
    side.known.lines.iter().filter(|line| !is_closed(line)).cloned().collect()
}

/// What was closed on both sides and is not open now, the oldest first.
fn closed_of(to: &Stored, from: &Stored, lines: &[OpenItem]) -> Vec<Closed> {
    let mut all = to.known.closed.clone();
    all.extend(from.known.closed.iter().filter(|closed| !to.known.closed.contains(closed)).cloned());
    all.retain(|closed| !lines.iter().any(|line| line.text == closed.line.text));
    all.sort_by_key(Closed::time);
    all
}
