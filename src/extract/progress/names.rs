//! The names that were spoken of last: words that are written as names of code are, options, and numbers of issues. What
//! was said is understood when the name is beside it.

use super::files;
use std::collections::HashSet;

/// Lines in which they are looked for: what was spoken of before may be settled.
const LINES: usize = 10;
/// Names that are told, and the characters of one.
const TOLD: usize = 5;
const CHARS: std::ops::RangeInclusive<usize> = 3..=40;

/// The names in what was said, of the last lines first, without those that are in what is told already.
pub fn spoken_of(said: &[String], told: &str) -> Vec<String> {
    let told = told.to_lowercase();
    let mut seen = HashSet::new();
    let names = said.iter().rev().take(LINES).flat_map(|line| of_text(line));
    let new = names.filter(|name| !told.contains(&name.to_lowercase()) && seen.insert(name.to_lowercase()));
    new.take(TOLD).map(str::to_owned).collect()
}

/// The names in a text, in its order. Files are told elsewhere.
fn of_text(text: &str) -> impl Iterator<Item = &str> {
    let signs = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/' | '#' | ':' | '[');
    let words = text.split(signs).map(|word| word.trim_matches(['.', '/', ':']));
    let words = words.filter(|word| !word.contains(['/', '[']) && files::in_text(word).is_empty());
    words.flat_map(|word| word.split(['.', ':'])).filter(|word| is_name(word))
}

/// Whether a word is a name.
fn is_name(word: &str) -> bool {
    let letter = |c: char| c.is_alphabetic();
    let humped = || word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let tied = || word.trim_matches('_').contains('_');
    let option = || word.strip_prefix("--").is_some_and(|name| name.starts_with(letter));
    let number = || word.strip_prefix('#').is_some_and(|digits| digits.chars().all(|c| c.is_ascii_digit()));
    word.is_ascii()
        && CHARS.contains(&word.len())
        && (option() || number() || word.contains(letter) && (humped() || tied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        let text = "Now `app_x.js` calls highlightCode(x) and MAX_ROWS, state.lastSeen (see `cargo test`, --dry-run, #31), \
            well-known. [redacted:github_pat] https://x.y/aB src/a_b";
        assert_eq!(of_text(text).collect::<Vec<_>>(), ["highlightCode", "MAX_ROWS", "lastSeen", "--dry-run", "#31"]);
        assert_eq!(of_text("naïve größe thatÄs 日本語 e.g. and so on").count(), 0);
        let said = ["> agent: oldName, newName".to_owned(), "> agent: lastName".to_owned()];
        assert_eq!(spoken_of(&said, "- Goal: rename oldname"), ["lastName", "newName"]);
    }
}
