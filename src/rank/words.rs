//! The words of a text as they are ranked: stems of both languages, without the words that say nothing.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// Words that say nothing about what a sentence is about; both languages, without accents.
pub const SMALL: &str = include_str!("words/small.txt");
/// Everyday words, in the same form.
pub const COMMON: &str = include_str!("words/common.txt");

/// What blanks, quotation marks and brackets divide, without the signs that end a sentence or a path.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_divider).map(|token| token.trim_matches(['.', '-', '/'])).filter(|token| !token.is_empty())
}

fn is_divider(letter: char) -> bool {
    // Most are letters, which is seen at once.
    !letter.is_ascii_alphanumeric() && (letter.is_whitespace() || "`\"'(),;:!?[]{}<>*|=¿¡“”«»".contains(letter))
}

/// A map by words. The writer of a prompt or a memory gains nothing by words that collide.
pub type ByWord<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// The hash of Fowler, Noll and Vo: for short words it is a fraction of the usual one.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Whether a word says nothing.
pub fn is_small(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str, BuildHasherDefault<Fnv>>> =
        LazyLock::new(|| SMALL.split_whitespace().collect());
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_brackets_divide_in_any_script() {
        let text = "¿Qué «es» esto?\u{a0}(app/errors.py) `-n` .../x. a=b\u{2003}\u{65e5}\u{672c};…";
        let found: Vec<&str> = tokens(text).collect();
        assert_eq!(found, ["Qué", "es", "esto", "app/errors.py", "n", "x", "a", "b", "\u{65e5}\u{672c}", "…"]);
        assert_eq!((tokens("").count(), tokens(" .-/ ").count(), tokens("x").count()), (0, 0, 1));
    }
}
