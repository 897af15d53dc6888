//! Words that say little by themselves, or turn a sentence round, and what the ending of a plural is.

use crate::base::text::Words;

/// Words before a thing.
pub const ARTICLES: &[&str] = &["a", "an", "el", "la", "las", "lo", "los", "the", "un", "una", "unas", "unos"];
/// Words that are left out.
pub const LEFT_OUT: &[&str] = &["and", "que", "that", "which", "will", "y"];
/// Words that begin a phrase which can stand at the head of a sentence or at its end.
pub static PREPOSITIONS: Words = Words::of(include_str!("words/prepositions.txt"));
/// Words that deny what comes behind them.
pub const DENIALS: &[&str] = &["jamás", "neither", "never", "no", "nor", "not", "nunca", "sin", "without"];
/// Numbers from 1 on, ten English ones and then Spanish ones; "uno" is no number only.
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "-", "dos", "tres", "cuatro",
    "cinco",
];
/// Words that end as a plural does and are none.
const NO_PLURALS: &[&str] = &["always", "antes", "customs", "después", "means", "menos", "más", "news"];

/// The number that a word says.
pub fn number(word: &str) -> Option<usize> {
    NUMBERS.iter().position(|name| *name == word).map(|at| at % 10 + 1)
}

/// A word without the ending of a plural.
pub fn singular(word: &str) -> String {
    let plain = word.strip_suffix("'s").unwrap_or(word);
    let Some(stem) = plain.strip_suffix('s') else { return plain.to_owned() };
    match stem.strip_suffix("ie").filter(|head| head.len() > 1) {
        Some(head) => format!("{head}y"),
        None if plain.len() <= 3 || stem.ends_with(['s', 'u', 'i']) || NO_PLURALS.contains(&plain) => plain.to_owned(),
        None => stem.to_owned(),
    }
}
