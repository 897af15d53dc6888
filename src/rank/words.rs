//! The words of a text as they are ranked: stems of both languages, without the words that say nothing.

use crate::base::text;
use std::collections::HashSet;

/// Words that say nothing about what a sentence is about; both languages, without accents.
pub const SMALL: &str = include_str!("words/small.txt");
/// Everyday words, in the same form.
pub const COMMON: &str = include_str!("words/common.txt");
/// Bytes of a word that are looked at before it is stemmed, and how many such beginnings are told apart.
const HEAD: usize = 3;
const HEADS: usize = 4096;

/// What blanks, quotation marks and brackets divide.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let divides = |c: char| {
        let sign = matches!(
            c,
            '`' | '"' | '\'' | '(' | ')' | ',' | ';' | ':' | '!' | '?' | '¿' | '¡' | '[' | ']' | '{' | '}' | '<' | '>'
        );
        sign || matches!(c, '*' | '|' | '=' | '“' | '”' | '«' | '»') || c.is_whitespace()
    };
    text.split(divides).map(|token| token.trim_matches(['.', '-', '/'])).filter(|token| !token.is_empty())
}

/// Gives the words of a token, also those of `camelCase` and `snake_case`, in lower case and without accents, but no
/// numbers; says how many there were.
pub fn each_part(token: &str, word: &mut String, mut act: impl FnMut(&str)) -> usize {
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
        let letter = |(at, byte): (usize, &u8)| usize::from(if at > 0 && *byte == b'y' { b'i' } else { *byte });
        word.iter().take(HEAD).enumerate().map(letter).fold(0, |head, byte| head * 37 + byte) % HEADS
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

/// The words that say nothing.
pub struct Small {
    words: HashSet<&'static str>,
    /// How they begin.
    pub heads: Heads,
}

impl Small {
    /// All of them.
    pub fn new() -> Self {
        let mut heads = Heads::default();
        SMALL.split_whitespace().for_each(|word| heads.add(word.as_bytes()));
        Self { words: SMALL.split_whitespace().collect(), heads }
    }

    /// Whether a word is one.
    pub fn has(&self, word: &str) -> bool {
        self.heads.has(word) && self.words.contains(word)
    }
}
