//! What is looked for, as the options say it.

use super::Kind;
use crate::base::cli::Given;
use crate::base::exit::Failure;
use crate::tool::find_session;
use jiff::Timestamp;
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
}

impl Wish {
    /// From the options and operands; status 64 for what cannot be.
    pub fn given(given: &Given) -> Result<Self, Failure> {
        let texts = |name| given.values(name).map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let time = |name| given.text(name).map(|text| find_session::since(&text)).transpose();
        let words: Vec<_> = given.operands.iter().map(|word| word.to_string_lossy()).collect();
        let is_list = given.has("list");
        if let (true, [operand, ..]) = (is_list, given.operands.as_slice()) {
            return Err(Given::unexpected(operand));
        }
        if !is_list && words.iter().all(|word| word.trim().is_empty()) {
            return Err(Failure::usage("no query: give words of what you look for"));
        }
        let (other, most) = if is_list { (usize::MAX, ANY) } else { (HITS, MOST) };
        Ok(Self {
            question: words.join(" "),
            also: texts("also").join(" "),
            kinds: texts("type").iter().map(|word| Kind::chosen("type", word)).collect::<Result<_, _>>()?,
            projects: texts("project"),
            here: given.has("here"),
            scopes: texts("scope"),
            since: time("since")?,
            until: time("until")?,
            most: number(given, "hits", other, 1..=most)?,
            context: number(given, "context", 0, 0..=MOST)?,
        })
    }
}

fn number(given: &Given, name: &str, other: usize, range: RangeInclusive<usize>) -> Result<usize, Failure> {
    let Some(text) = given.text(name) else { return Ok(other) };
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = range.into_inner();
    number.ok_or_else(|| Failure::usage(format!("--{name} '{text}': expected a number from {least} to {most}")))
}
