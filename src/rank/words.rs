//! The words of a text as they are ranked: stems of both languages, without the words that say nothing.

use crate::base::text;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// Words that say nothing about what a sentence is about; both languages, without accents.
pub const SMALL: &str = include_str!("words/small.txt");
/// Everyday words, in the same form.
pub const COMMON: &str = include_str!("words/common.txt");
/// Bytes of a word that are looked at before it is stemmed, and how many such beginnings are told apart.
const HEAD: usize = 3;
const HEADS: usize = 4096;

/// What blanks, quotation marks and brackets divide.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let next = move || {
        let (start, end) = divider(rest)?;
        let (token, behind) = (rest.get(..start)?, rest.get(end..)?);
        rest = behind;
        Some(token)
    };
    std::iter::from_fn(next).map(trimmed).filter(|token| !token.is_empty())
}

/// Where the next divider begins and ends; none behind the last token. ASCII is looked up, for this reads all memories.
fn divider(text: &str) -> Option<(usize, usize)> {
    let length = text.len();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match DIVIDERS.get(usize::from(*byte)) {
            Some(true) => return Some((at, at + 1)),
            Some(false) => at += 1,
            None => {
                let letter = text.get(at..)?.chars().next()?;
                let end = at + letter.len_utf8();
                if matches!(letter, '¿' | '¡' | '“' | '”' | '«' | '»') || letter.is_whitespace() {
                    return Some((at, end));
                }
                at = end;
            }
        }
    }
    (length > 0).then_some((length, length))
}

/// The ASCII bytes that divide.
const DIVIDERS: [bool; 128] = {
    let signs = b"`\"'(),;:!?[]{}<>*|= \t\n\x0b\x0c\r";
    let mut table = [false; 128];
    let mut at = 0;
    while at < signs.len() {
        table[signs[at] as usize] = true;
        at += 1;
    }
    table
};

/// Without the signs that end a sentence or a path.
fn trimmed(token: &str) -> &str {
    let sign = |byte: Option<&u8>| matches!(byte, Some(b'.' | b'-' | b'/'));
    let bytes = token.as_bytes();
    if sign(bytes.first()) || sign(bytes.last()) { token.trim_matches(['.', '-', '/']) } else { token }
}

/// Gives the words of a token, also those of `camelCase` and `snake_case`, in lower case and without accents, but no
/// numbers; says how many there were.
pub fn each_part(token: &str, word: &mut String, mut act: impl FnMut(&str)) -> usize {
    if token.len() > 1 && token.bytes().all(|byte| byte.is_ascii_lowercase()) {
        act(token);
        return 1;
    }
    let mut count = 0;
    let mut give = |word: &mut String| {
        if word.len() > 1 {
            count += 1;
            if word.is_ascii() {
                act(word);
            } else {
                act(&text::without_marks(word));
            }
        }
        word.clear();
    };
    let mut was_small = false;
    for letter in token.chars() {
        let is_large = letter.is_uppercase();
        if !letter.is_alphabetic() || was_small && is_large {
            give(word);
        }
        was_small = letter.is_lowercase();
        if letter.is_ascii_alphabetic() {
            word.push(letter.to_ascii_lowercase());
        } else if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
    }
    give(word);
    count
}

/// In lower case and without accents.
pub fn folded(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { text::without_marks(&word.to_lowercase()) }
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

/// The beginnings of some words: most others are told apart by them, in no time.
pub struct Heads(Vec<bool>);

impl Default for Heads {
    fn default() -> Self {
        Self(vec![false; HEADS])
    }
}

impl Heads {
    /// An `i` for each `y` but the first letter, which stems change.
    fn at(word: &[u8]) -> usize {
        let letter = |byte: u8| usize::from(if byte == b'y' { b'i' } else { byte });
        let head = match *word {
            [] => 0,
            [a] => usize::from(a),
            [a, b] => usize::from(a) * 37 + letter(b),
            [a, b, c, ..] => (usize::from(a) * 37 + letter(b)) * 37 + letter(c),
        };
        head % HEADS
    }

    pub fn add(&mut self, word: &[u8]) {
        if let Some(known) = self.0.get_mut(Self::at(word)) {
            *known = true;
        }
    }

    /// The beginnings of a word and of all that have its stem: behind a short stem there can be any letter.
    pub fn add_forms(&mut self, word: &str, stem: &str) {
        self.add(word.as_bytes());
        self.add(stem.as_bytes());
        if let ([first, second] | [first, second, _], true) = (stem.as_bytes(), stem.len() <= HEAD) {
            self.add(&[*first, *second]);
            (0..=u8::MAX).for_each(|third| self.add(&[*first, *second, third]));
        }
    }

    pub fn has(&self, word: &str) -> bool {
        self.0.get(Self::at(word.as_bytes())) == Some(&true)
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
