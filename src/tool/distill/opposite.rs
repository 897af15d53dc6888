//! Whether a sentence says the opposite of its quote: nearly the same words, but one of the two is
//! negated. A quote carries words, not their meaning, so this is looked at by itself.

use super::said::Words;

/// Words that turn a sentence to its opposite, English and Spanish.
const NEGATIVE: &[&str] = &[
    "against",
    "avoid",
    "avoided",
    "ban",
    "banned",
    "cannot",
    "can't",
    "delete",
    "deny",
    "denied",
    "disable",
    "disabled",
    "disables",
    "disabling",
    "disallow",
    "doesn't",
    "don't",
    "drop",
    "dropped",
    "dropping",
    "exclude",
    "excluded",
    "forbid",
    "forbidden",
    "isn't",
    "mustn't",
    "never",
    "no",
    "nor",
    "not",
    "off",
    "omit",
    "prohibit",
    "refuse",
    "reject",
    "rejected",
    "remove",
    "removed",
    "removing",
    "shouldn't",
    "skip",
    "skipped",
    "skipping",
    "stop",
    "stopped",
    "without",
    "won't",
    "wouldn't",
    "aren't",
    "wasn't",
    "dont",
    "jamás",
    "nunca",
    "ningún",
    "ninguna",
    "tampoco",
    "sin",
    "evitar",
    "evita",
    "quitar",
    "quita",
    "quitamos",
    "borrar",
    "eliminar",
    "elimina",
    "desactivar",
    "desactiva",
    "deshabilitar",
    "deshabilita",
    "prohibir",
    "prohibido",
    "descartar",
    "descartamos",
    "rechazar",
    "omitir",
];
/// What comes after these was not chosen, and says nothing about the first part.
const OTHER_SIDE: &[&str] = &[
    ", not ",
    " instead of ",
    " rather than ",
    " and not ",
    ", y no ",
    " y no ",
    " en vez de ",
    " en lugar de ",
    " over ",
];
/// The share of a sentence's words that a part of the quote must have to be about the same.
const SAME_FROM: (usize, usize) = (3, 4);

/// The sentences of a text that hold a quote: a quote can begin behind a "never".
pub fn around<'a>(text: &'a str, quote: &str) -> Option<&'a str> {
    let ends = ['.', '!', '?', ';'];
    let (before, behind) = text.split_once(quote)?;
    let start = before.rfind(ends).map_or(0, |at| at.saturating_add(1));
    let end = behind.find(ends).unwrap_or(behind.len());
    text.get(start..before.len().saturating_add(quote.len()).saturating_add(end))
}

/// The part of a quote of which a sentence says the opposite. Clause is held against clause; a question
/// says nothing.
pub fn of_quote<'a>(sentence: &str, quote: &'a str) -> Option<&'a str> {
    let said: Vec<&str> =
        quote.split_inclusive(['.', '!', '?', ';', '\n']).filter(|said| !said.ends_with('?')).collect();
    clauses(sentence).find_map(|told| {
        let told = first_side(told);
        let words = content(&told);
        let about = said.iter().flat_map(|said| clauses(said)).filter(|clause| {
            let (shared, all) = words.shared(&[&content(&first_side(clause))]);
            all > 0 && shared.saturating_mul(SAME_FROM.1) >= all.saturating_mul(SAME_FROM.0)
        });
        let mut about = about.peekable();
        let first = *about.peek()?;
        let turned = |clause: &str| is_negative(&first_side(clause)) != is_negative(&told);
        about.all(turned).then_some(first.trim())
    })
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ';', ':', ',', '—', '\n']).filter(|clause| !clause.trim().is_empty())
}

/// A sentence without what it was chosen over, in lower case.
fn first_side(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let end = OTHER_SIDE.iter().filter_map(|mark| lower.find(mark)).min().unwrap_or(lower.len());
    lower.get(..end).unwrap_or(&lower).to_owned()
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// The content words without those that only turn the sentence.
fn content(text: &str) -> Words {
    let kept: Vec<&str> = tokens(text).filter(|word| !NEGATIVE.contains(word)).collect();
    Words::of(&kept.join(" "))
}

/// Whether an odd number of words turns it. "It has no index" only says what is missing.
fn is_negative(text: &str) -> bool {
    let words: Vec<&str> = tokens(text).collect();
    let missing = |pair: &[&str]| matches!(pair, ["has" | "have" | "had" | "is" | "are" | "hay" | "tiene", "no"]);
    let missing = words.windows(2).filter(|pair| missing(pair)).count();
    let turns = words.iter().filter(|word| NEGATIVE.contains(word)).count();
    turns.saturating_sub(missing) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_turned_round_are_the_opposite() {
        for (told, quote) in [
            ("Push to main without tests", "never push to main without tests"),
            ("Use the cache in production", "don't use the cache in production"),
            ("Do not use the cache in production", "Let's use the cache in production."),
            ("Remove the old parser", "ok, so the old parser stays. do not remove the old parser"),
            ("Borrar la base antes de cada prueba", "no hay que borrar la base antes de cada prueba"),
        ] {
            assert!(of_quote(told, quote).is_some(), "{told} | {quote}");
        }
        for (told, quote) in [
            ("Use symlinks, not copies", "let's use symlinks"),
            ("Never push to main", "please don't push to main"),
            ("Stop using the cache", "we no longer use the cache"),
            ("Use sqlite rather than files", "use sqlite rather than files, not the other way round"),
            ("Keep the queue as files", "OK go with the second option please"),
            ("Don't disable the tests", "the tests stay"),
            ("Empty cells stay null, never zero", "Empty cells must stay null, never zero"),
            ("Drop the old format", "Should I drop the old format, or not drop the old format?"),
            ("Add an index on the orders table", "the orders table has no index"),
        ] {
            assert_eq!(of_quote(told, quote), None, "{told} | {quote}");
        }
    }
}
