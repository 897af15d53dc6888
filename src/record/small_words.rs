//! Words that say little by themselves, or turn a sentence round, and what the ending of a plural is.

use crate::base::text::Words;

/// Words before a thing.
pub static ARTICLES: Words = Words::of("a an el la las lo los the un una unas unos");
/// Words that are left out.
pub static LEFT_OUT: Words = Words::of("and que that which will y");
/// Words that begin a phrase which can stand at the head of a sentence or at its end.
pub static PREPOSITIONS: Words = Words::of(include_str!("words/prepositions.txt"));
/// Words that deny what comes behind them.
pub static DENIALS: Words = Words::of("jamás neither never no nor not nunca sin without");
/// Numbers from 1 on, as they are spelled.
const NUMBERS: &str = "one|two/dos|three/tres|four/cuatro|five/cinco|six|seven|eight|nine|ten";
/// Words that end as a plural does and are none.
static NO_PLURALS: Words = Words::of("always antes customs después means menos más news");

/// The number that a word says.
pub fn number(word: &str) -> Option<usize> {
    NUMBERS.split('|').position(|names| names.split('/').any(|name| name == word)).map(|at| at + 1)
}

/// A word without the ending of a plural.
pub fn singular(word: &str) -> String {
    let plain = word.strip_suffix("'s").unwrap_or(word);
    let is_other =
        plain.len() <= 3 || NO_PLURALS.has(plain) || ["ss", "us", "is"].iter().any(|end| plain.ends_with(end));
    match plain.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        Some(stem) => format!("{stem}y"),
        None => plain.strip_suffix('s').filter(|_| !is_other).unwrap_or(plain).to_owned(),
    }
}
