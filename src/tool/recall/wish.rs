//! What is looked for, as the options say it.

use super::{Engine, Here, Kind};
use crate::base::cli::Given;
use crate::base::exit::Failure;
use jiff::Timestamp;
use std::ffi::OsString;
use std::ops::RangeInclusive;

/// Hits that are given unless another number is asked for.
pub const HITS: usize = 5;
/// The most of a search.
pub const MOST: usize = 1000;
/// The most of anything else.
pub const ANY: usize = 1_000_000;

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
    /// Only this project, the current folder's.
    pub here: Option<Here>,
    /// Only learnings with one of these scopes.
    pub scopes: Vec<String>,
    /// Only what is not older.
    pub since: Option<Timestamp>,
    /// Only what is older.
    pub until: Option<Timestamp>,
    /// As things stood then: what took the place of an item later does not count, nor what the checkout has now.
    pub as_of: Option<Timestamp>,
    /// The most hits.
    pub most: usize,
    /// Lines around a passage.
    pub context: usize,
    /// What searches; `Words` where none is named.
    pub engine: Option<Engine>,
}

impl Wish {
    /// Whether a kind is wanted.
    pub fn wants(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether a project is wanted.
    pub fn is_of(&self, project: &str) -> bool {
        self.here.as_ref().is_none_or(|here| here.project == project)
            && (self.projects.is_empty() || self.projects.iter().any(|wanted| wanted == project))
    }

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

/// A number that an option says; status 64 for what is none of the range.
pub fn number(given: &Given, name: &str, range: RangeInclusive<usize>) -> Result<Option<usize>, Failure> {
    let Some(text) = given.text(name) else { return Ok(None) };
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = range.into_inner();
    let wrong = || Failure::usage(format!("--{name} '{text}': expected a number from {least} to {most}"));
    number.map(Some).ok_or_else(wrong)
}
