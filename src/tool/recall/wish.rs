//! What is looked for, as the options say it.

use super::{Engine, Kind};
use crate::base::cli::Given;
use crate::base::exit::Failure;
use crate::tool::find_session;
use jiff::Timestamp;
use std::ffi::OsString;
use std::ops::RangeInclusive;

/// Hits that are given unless another number is asked for, the most of a search, and of anything else.
const HITS: usize = 5;
const MOST: usize = 1000;
const ANY: usize = 1_000_000;

/// What is looked for, and among what.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The question; "" for a list.
    pub question: String,
    /// Words that its answer may have.
    pub also: String,
    /// Only these kinds; all where none is named.
    pub kinds: Vec<Kind>,
    /// Only these projects.
    pub projects: Vec<String>,
    /// Only the current folder's project.
    pub here: bool,
    /// Only learnings with one of these scopes.
    pub scopes: Vec<String>,
    /// Only what is not older.
    pub since: Option<Timestamp>,
    /// Only what is older.
    pub until: Option<Timestamp>,
    /// The most hits.
    pub most: usize,
    /// Lines around a passage.
    pub context: usize,
    /// What searches; `Words` where none is named.
    pub engine: Option<Engine>,
}

impl Wish {
    /// Whether only a span of time is wanted.
    pub fn has_span(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Whether a time is in the span that is wanted; of what has none only where every time is.
    pub fn is_in_span(&self, time: Option<Timestamp>) -> bool {
        let is_in = |time| self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until);
        time.map_or(!self.has_span(), is_in)
    }
}

/// The question of some operands; "" for a list, which has none. Status 64 for one without words.
pub fn question(operands: &[OsString], is_list: bool) -> Result<String, Failure> {
    if let (true, [operand, ..]) = (is_list, operands) {
        return Err(Given::unexpected(operand));
    }
    let words: Vec<_> = operands.iter().map(|word| word.to_string_lossy()).collect();
    if !is_list && words.iter().all(|word| word.trim().is_empty()) {
        return Err(Failure::usage("no query: give words of what you look for"));
    }
    Ok(words.join(" "))
}

/// The kinds of some words; status 64 for an unknown one.
pub fn kinds(words: &[String]) -> Result<Vec<Kind>, Failure> {
    words.iter().map(|word| Kind::chosen("type", word)).collect()
}

/// A point in time, if one is given; status 64 for what is not one.
pub fn time(text: Option<&str>) -> Result<Option<Timestamp>, Failure> {
    text.map(find_session::since).transpose()
}

/// The most hits; status 64 for what is not a number of them.
pub fn most(text: Option<&str>, is_list: bool) -> Result<usize, Failure> {
    let (other, most) = if is_list { (usize::MAX, ANY) } else { (HITS, MOST) };
    number("hits", text, other, 1..=most)
}

/// The lines around a passage; status 64 for what is not a number of them.
pub fn context(text: Option<&str>) -> Result<usize, Failure> {
    number("context", text, 0, 0..=MOST)
}

fn number(name: &str, text: Option<&str>, other: usize, range: RangeInclusive<usize>) -> Result<usize, Failure> {
    let Some(text) = text else { return Ok(other) };
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = range.into_inner();
    number.ok_or_else(|| Failure::usage(format!("--{name} '{text}': expected a number from {least} to {most}")))
}
