//! Words that say little by themselves, and what the ending of a plural is.

use crate::base::text::Words;

/// Words that begin a phrase which can stand at the head of a sentence or at its end.
pub static PREPOSITIONS: Words = Words::of(
    "about above across after against among antes as at bajo because before behind below beside besides between by \
    con contra cuando desde después durante during en entre except for from hacia hasta if in inside instead into \
    junto mientras near of on onto outside over para por porque según si sin since sobre through throughout to tras \
    under unless until via when while with within without",
);
/// Words that deny.
pub const DENIALS: &[&str] = &["jamás", "never", "no", "not", "nunca"];
/// Plurals that are words of their own.
const NO_PLURALS: &[&str] = &["customs", "means", "news"];

/// A word without the ending of a plural.
pub fn singular(word: &str) -> String {
    let plain = word.strip_suffix("'s").unwrap_or(word);
    let is_other =
        plain.len() <= 3 || NO_PLURALS.contains(&plain) || ["ss", "us", "is"].iter().any(|end| plain.ends_with(end));
    match plain.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        Some(stem) => format!("{stem}y"),
        None => plain.strip_suffix('s').filter(|_| !is_other).unwrap_or(plain).to_owned(),
    }
}
