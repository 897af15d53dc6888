//! Journals as lines: what is added to one, what is taken out. A line that is there is never changed, and nothing is
//! written anew that has what it should have.

use crate::base::{clock, text};
use jiff::Timestamp;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// The lines of a file, without their newlines and without blank ones.
pub fn of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// Which item of which session a line is; none for marks and for what is not an item of ours.
type Claim = (String, String, String, String);

fn claim(line: &[u8]) -> Option<Claim> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let field = |name: &str| value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let said = field("summary").or_else(|| field("title")).or_else(|| field("name"))?;
    Some((field("type")?, field("id")?, field("session_id")?, text::canonical(&said)))
}

/// What lines there are, and which items.
#[derive(Default)]
pub struct Known {
    lines: HashSet<Vec<u8>>,
    claims: HashSet<Claim>,
}

impl Known {
    /// With the lines of these bytes.
    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> Self {
        for line in of(bytes) {
            self.add(line);
        }
        self
    }

    fn add(&mut self, line: &[u8]) -> bool {
        let is_new = claim(line).is_none_or(|claim| self.claims.insert(claim));
        self.lines.insert(line.to_vec()) && is_new
    }

    /// Whether the line is there, or the same item of the same session.
    pub fn has(&self, line: &[u8]) -> bool {
        self.lines.contains(line) || claim(line).is_some_and(|claim| self.claims.contains(&claim))
    }

    /// Whether the line is there as it is.
    pub fn has_line(&self, line: &[u8]) -> bool {
        self.lines.contains(line)
    }

    /// Takes lines out, not what says the same.
    pub fn remove(&mut self, line: &[u8]) {
        self.lines.remove(line);
    }
}

/// A line of a journal on its way into another one.
struct Line<'a> {
    bytes: &'a [u8],
    time: Option<Timestamp>,
    /// The item that it is a mark of.
    marks: Option<String>,
}

impl<'a> Line<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        #[derive(Default, serde::Deserialize)]
        #[serde(default)]
        struct Head<'a> {
            #[serde(borrow, rename = "type")]
            kind: Cow<'a, str>,
            #[serde(borrow)]
            ts: Cow<'a, str>,
            #[serde(borrow)]
            id: Cow<'a, str>,
        }
        let head: Head<'_> = serde_json::from_slice(bytes).unwrap_or_default();
        let is_mark = matches!(&*head.kind, "forgotten" | "restored");
        Self { bytes, time: clock::parse(&head.ts), marks: is_mark.then(|| head.id.into_owned()) }
    }
}

/// The lines of `to` in their order, with those of `from` that are not there, each behind what is not later than it;
/// those without a time come last. None when all of them are there.
pub fn merge(to: &[u8], from: &[u8]) -> Option<Vec<u8>> {
    let mut known = Known::default().with(to);
    let fresh: Vec<Line<'_>> = of(from).filter(|line| known.add(line)).map(Line::new).collect();
    if fresh.is_empty() {
        return None;
    }
    let there: Vec<Line<'_>> = to.split_inclusive(|byte| *byte == b'\n').map(Line::new).collect();
    let earliest = earliest(&there);
    let mut placed: Vec<(usize, Line<'_>)> =
        fresh.into_iter().map(|line| (place(&line, &there, &earliest), line)).collect();
    placed.sort_by_key(|(place, line)| (*place, line.time.unwrap_or(Timestamp::MAX)));
    let mut merged = Vec::with_capacity(to.len().saturating_add(from.len()));
    let mut waiting = placed.into_iter().peekable();
    for at in 0..=there.len() {
        while let Some((_, line)) = waiting.next_if(|(place, _)| *place == at) {
            push(&mut merged, line.bytes);
        }
        if let Some(line) = there.get(at) {
            merged.extend_from_slice(line.bytes);
            end(&mut merged);
        }
    }
    Some(merged)
}

/// The earliest time from each line on: it never goes down, so a place can be looked up in it. A line without a time
/// has that of the one before it.
fn earliest(lines: &[Line<'_>]) -> Vec<Timestamp> {
    let mut last = Timestamp::MIN;
    let mut times: Vec<Timestamp> = Vec::with_capacity(lines.len());
    for line in lines {
        last = line.time.unwrap_or(last);
        times.push(last);
    }
    let mut earliest = Timestamp::MAX;
    for time in times.iter_mut().rev() {
        earliest = earliest.min(*time);
        *time = earliest;
    }
    times
}

/// Before which line a new one comes.
fn place(line: &Line<'_>, there: &[Line<'_>], earliest: &[Timestamp]) -> usize {
    let Some(time) = line.time else { return there.len() };
    if line.marks.is_some() {
        // The last mark of an item counts: they must keep the order of their times.
        let of_item = |other: &&Line<'_>| other.marks == line.marks;
        let later = |other: &Line<'_>| of_item(&other) && other.time > Some(time);
        let last_before = there.iter().rposition(|other| of_item(&other) && !later(other));
        if let Some(at) = last_before.map(|at| at.saturating_add(1)).or_else(|| there.iter().position(later)) {
            return at;
        }
    }
    earliest.partition_point(|other| *other <= time)
}

/// The lines that are left of a journal; all its bytes when none goes.
pub fn without(bytes: &[u8], goes: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut left = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        if bare.trim_ascii().is_empty() || !goes(bare) {
            left.extend_from_slice(line);
        }
    }
    left
}

fn push(merged: &mut Vec<u8>, line: &[u8]) {
    end(merged);
    merged.extend_from_slice(line);
    merged.push(b'\n');
}

fn end(merged: &mut Vec<u8>) {
    if merged.last().is_some_and(|byte| *byte != b'\n') {
        merged.push(b'\n');
    }
}
