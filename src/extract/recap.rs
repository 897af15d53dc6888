//! The recap that a client writes when nobody speaks: what it says comes next is open.

use super::capital;
use super::sentences::{self, Signal};
use crate::base::text;
use crate::record::item::{Evidence, Item};
use crate::record::message::Role;

/// A recap, and the line of its record, from 1.
#[derive(Clone, Copy, Debug)]
pub struct Recap<'a> {
    /// What it says.
    pub text: &'a str,
    /// The line.
    pub line: u64,
}

/// The fewest words that name what is to be done.
const WORDS: usize = 6;
/// The longest open item, in characters.
const CHARS: usize = 300;

/// What comes next.
static NEXT: Signal = Signal::named("recap-next");
/// Nothing does.
static NOTHING: Signal = Signal::named("recap-nothing");
/// It is named before.
static NAMELESS: Signal = Signal::named("recap-nameless");

/// What is open; none when the recap does not say it.
pub fn find(recap: &Recap<'_>) -> Option<Item> {
    let all = sentences::split(recap.text);
    let at = all.iter().rposition(|sentence| NEXT.is_in(&sentence.lower))?;
    let sentence = all.get(at)?;
    if NOTHING.is_in(&sentence.lower) {
        return None;
    }
    let behind = NEXT.behind(&sentence.lower)?;
    let count = behind.chars().count();
    let skip = sentence.plain.chars().count().saturating_sub(count);
    let next: String = sentence.plain.chars().skip(skip).collect();
    let short = next.split_whitespace().count() < WORDS || NAMELESS.is_in(behind);
    let before = at.checked_sub(1).and_then(|at| all.get(at)).filter(|_| short);
    let summary = match before {
        Some(before) => format!("{}. {}", before.plain, sentence.plain),
        None => capital(&next),
    };
    let quote = |raw: &str| Evidence {
        quote: raw.to_owned(),
        line: Some(recap.line),
        said_by: Some(Role::Assistant.word().to_owned()),
        ..Evidence::default()
    };
    let evidence = before.into_iter().chain([sentence]).map(|said| quote(said.raw)).collect();
    Some(Item { summary: text::cut(&summary, CHARS).into_owned(), evidence, ..Item::default() })
}
