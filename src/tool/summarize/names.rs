//! The names that were spoken of last: what is between backticks in prose, and words that are written as names
//! of code are. A summary that says "the hook" is understood when the hook's name is beside it.

use crate::record::message::Message;
use std::collections::HashSet;

/// Messages from the end that are looked at, names that are told, and the characters of one.
const MESSAGES: usize = 14;
const TOLD: usize = 20;
const CHARS: std::ops::RangeInclusive<usize> = 4..=50;

/// The names, the last ones first, without those that are in what is told already. The messages are masked.
pub fn spoken_of(messages: &[Message], told: &[String]) -> Vec<String> {
    let told = told.join("\n").to_lowercase();
    let said = messages.iter().rev().filter(|message| message.is_conversation()).take(MESSAGES);
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for name in said.flat_map(|message| of_text(&message.text)) {
        let lower = name.to_lowercase();
        if names.len() < TOLD && !told.contains(&lower) && seen.insert(lower) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The names in a text, in its order, without what stands between fences.
fn of_text(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            for (number, part) in line.split('`').enumerate() {
                let bare = part.trim_end_matches("()");
                if number % 2 == 1 && !part.contains(char::is_whitespace) {
                    found.extend(Some(bare).filter(|bare| is_name(bare, true)));
                } else {
                    let words = part.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/' | ':'));
                    found.extend(
                        words.map(|word| word.trim_matches(['.', '-', '/', ':'])).filter(|word| is_name(word, false)),
                    );
                }
            }
        }
    }
    found
}

/// Whether a word is a name; `marked` where its writer said so.
fn is_name(word: &str, marked: bool) -> bool {
    let humped = || word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let tied = || word.trim_matches('_').contains('_');
    // A mask is none, nor is a sentence's own punctuation.
    let plain = !word.contains(['[', ']', '<', '>', '"', '\'', '…']) && word.contains(char::is_alphabetic);
    let host = word.starts_with("http") || word.starts_with("www.");
    plain && !host && CHARS.contains(&word.chars().count()) && (marked || humped() || tied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        assert_eq!(
            of_text(
                "Now `app.js` calls highlightCode and MAX_ROWS (see `cargo test`, `x`, `run_it()`), well-known.\n```\nletItBe\n```\n[redacted:github-pat] `[redacted:a]` https://x.y/aB"
            ),
            ["app.js", "highlightCode", "MAX_ROWS", "run_it"]
        );
        assert_eq!(of_text("`open"), ["open"]);
        assert_eq!(of_text("naïve größe 日本語 e.g. and so on"), [] as [&str; 0]);
    }
}
