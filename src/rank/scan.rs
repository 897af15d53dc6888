//! Where the words of a query are in a text, in one pass. The bytes of a step become bits of a `u64`, one mask for
//! letters, digits and capitals; where words begin is arithmetic on the masks. Of a word that begins like no term
//! nothing more is read. What is left is looked up once a word, and then known.

use super::query::{self, Query};
use crate::base::text;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use wide::u8x64;

/// The bytes of a step.
const STEP: usize = 64;
/// The bytes of a word's beginning that are looked at, and how many beginnings are told apart.
const HEAD: usize = 3;
const HEADS: usize = 1 << 15;
/// More first letters than so many are not looked for one by one.
const FIRSTS: usize = 12;
/// Longer words are of no language.
const WORD: usize = 40;
/// The most words that are kept with what they were found to be.
const KNOWN: usize = 1 << 16;
/// No term.
const NONE: u8 = u8::MAX;

/// Finds the terms of one query in many texts.
pub struct Scanner<'q> {
    query: &'q Query,
    /// The first letters of all terms, if they are few enough to look for each.
    firsts: Vec<u8x64>,
    heads: Vec<u64>,
    known: HashMap<Vec<u8>, u8, BuildHasherDefault<Fnv>>,
}

impl<'q> Scanner<'q> {
    /// For one query.
    pub fn new(query: &'q Query) -> Self {
        let firsts: BTreeSet<u8> = query.beginnings().filter_map(|word| word.bytes().next()).collect();
        let firsts = if firsts.len() <= FIRSTS { firsts.into_iter().map(u8x64::splat).collect() } else { Vec::new() };
        let mut new = Self { query, firsts, heads: vec![0; HEADS / 64], known: HashMap::default() };
        for word in query.beginnings() {
            new.add_head(word.as_bytes());
        }
        new
    }

    /// Marks all beginnings of three bytes that a word with these first bytes can have.
    fn add_head(&mut self, word: &[u8]) {
        let of = |at: usize| word.get(at).filter(|_| at < HEAD).map(|byte| usize::from(byte & 31));
        let all = |at: usize| of(at).map_or(0..32, |bits| bits..bits + 1);
        for first in all(0) {
            for second in all(1) {
                for third in all(2) {
                    let at = first << 10 | second << 5 | third;
                    if let Some(word) = self.heads.get_mut(at / 64) {
                        *word |= 1 << (at % 64);
                    }
                }
            }
        }
    }

    /// Gives each hit of a text, in order.
    pub fn scan(&mut self, text: &[u8], mut act: impl FnMut(usize, usize)) {
        let mut carry = Carry::default();
        // What is behind a word that is not plain ASCII was looked at with it.
        let mut done = 0;
        let mut start = 0;
        while start < text.len() {
            let block = block(text, start);
            let masks = carry.masks(block);
            let mut starts = carry.starts(&masks) & self.may_be_first(block, masks.other);
            while starts != 0 {
                let at = start + usize::try_from(starts.trailing_zeros()).unwrap_or_default();
                starts &= starts - 1;
                if at >= done && self.may_begin(text, at) {
                    done = self.word(text, at, done, &mut act);
                }
            }
            start += STEP;
        }
    }

    /// The bytes at which a word of a term can begin; where the words are not plain ASCII, and at the end of the step,
    /// any can.
    fn may_be_first(&self, block: u8x64, other: u64) -> u64 {
        let lower = block | u8x64::splat(0x20);
        let mut any = u8x64::ZERO;
        for first in &self.firsts {
            any |= lower.simd_eq(*first);
        }
        if self.firsts.is_empty() { u64::MAX } else { any.to_bitmask() | other | other >> 1 | other >> 2 | 3 << 62 }
    }

    #[inline]
    fn may_begin(&self, text: &[u8], at: usize) -> bool {
        let head = text.get(at..).and_then(<[u8]>::first_chunk::<HEAD>);
        let [first, second, third] = head.copied().unwrap_or_else(|| {
            let byte = |by: usize| text.get(at + by).copied().unwrap_or(b' ');
            [byte(0), byte(1), byte(2)]
        });
        if (first | second | third) >= 0x80 && (is_other(first) || is_other(second) || is_other(third)) {
            return true;
        }
        let head = usize::from(first & 31) << 10 | usize::from(second & 31) << 5 | usize::from(third & 31);
        self.heads.get(head / 64).is_some_and(|word| word >> (head % 64) & 1 == 1)
    }

    /// Looks a word up; says how far was looked, and is told how far that was before.
    fn word(&mut self, text: &[u8], at: usize, done: usize, act: &mut impl FnMut(usize, usize)) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        // The first byte of the character before says what it is.
        let before = text.get(..at).unwrap_or_default().iter().rev().take(4).find(|byte| **byte & 0xc0 != 0x80);
        let begins = before.is_none_or(|byte| !is_inner(*byte));
        if rest.first().is_some_and(|byte| is_other(*byte)) && before.is_some_and(u8::is_ascii_alphabetic) {
            return self.inside(text, at, done, act);
        }
        let run = rest.iter().take(WORD * 4).take_while(|byte| is_inner(**byte)).count();
        let run = rest.get(..run).unwrap_or_default();
        if !run.is_ascii() {
            // From the word's first letter on, unless a step before was there already.
            return self.other(run, at, act);
        }
        if begins && self.query.has_whole() && run.iter().any(u8::is_ascii_digit) && run.len() <= WORD {
            let token = String::from_utf8_lossy(run).to_ascii_lowercase();
            if let Some(term) = self.query.whole_term(&token) {
                act(at, term);
                return at + run.len();
            }
        }
        let letters = run.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let mut was_small = false;
        let ends = run.iter().take(letters).position(|byte| {
            let ends = was_small && byte.is_ascii_uppercase();
            was_small = byte.is_ascii_lowercase();
            ends
        });
        let end = ends.unwrap_or(letters);
        if (2..=WORD).contains(&end) {
            let mut lower = [0_u8; WORD];
            let lower = lower.get_mut(..end).unwrap_or_default();
            lower.copy_from_slice(run.get(..end).unwrap_or_default());
            lower.make_ascii_lowercase();
            if let Some(term) = self.look_up(lower) {
                act(at, term);
            }
        }
        at + end.max(1)
    }

    /// A letter that is not ASCII behind one that is. Most are inside a word; but a capital begins one, and so does each
    /// letter of Chinese and Japanese: then the whole run is looked up.
    fn inside(&mut self, text: &[u8], at: usize, done: usize, act: &mut impl FnMut(usize, usize)) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let others = rest.iter().take(WORD * 4).take_while(|byte| is_other(**byte)).count();
        let letters = String::from_utf8_lossy(rest.get(..others).unwrap_or_default());
        if !letters.contains(|letter: char| letter.is_uppercase() || query::is_word(letter)) {
            return at + others;
        }
        let before = text.get(done..at).unwrap_or_default();
        let before = before.iter().rev().take(WORD).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let behind = rest.iter().take(WORD * 4).take_while(|byte| is_inner(**byte)).count();
        self.other(text.get(at - before..at + behind).unwrap_or_default(), at - before, act)
    }

    /// Looks up the words of a run that is not plain ASCII.
    fn other(&mut self, run: &[u8], at: usize, act: &mut impl FnMut(usize, usize)) -> usize {
        let said = String::from_utf8_lossy(run);
        for (offset, token) in query::tokens(&said) {
            query::parts_of(token, |inner, part| {
                let lower = text::without_marks(part).to_lowercase();
                let is_long = lower.len() > WORD;
                if let Some(term) = Some(lower).filter(|_| !is_long).and_then(|lower| self.look_up(lower.as_bytes())) {
                    act(at + (offset + inner).min(run.len()), term);
                }
            });
        }
        at + run.len()
    }

    fn look_up(&mut self, lower: &[u8]) -> Option<usize> {
        let known = self.known.get(lower).copied();
        let found = known.unwrap_or_else(|| {
            let term = std::str::from_utf8(lower).ok().and_then(|word| self.query.term(word));
            let term = term.and_then(|term| u8::try_from(term).ok()).unwrap_or(NONE);
            if self.known.len() < KNOWN {
                self.known.insert(lower.to_vec(), term);
            }
            term
        });
        (found != NONE).then(|| usize::from(found))
    }
}

/// The first bytes of characters that are no letters: punctuation of Latin-1, arrows and lines and other signs, emoji.
const SIGNS: [u8; 3] = [0xc2, 0xe2, 0xf0];

/// Whether a byte is of a letter that is not ASCII, behind no sign's first byte.
#[inline]
fn is_other(byte: u8) -> bool {
    byte >= 0x80 && !SIGNS.contains(&byte)
}

/// Whether a byte is of a letter or a digit.
#[inline]
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_other(byte)
}

/// Which bytes of a step are letters, capitals and digits. What is neither ASCII nor a sign is a letter.
struct Masks {
    letters: u64,
    capitals: u64,
    digits: u64,
    other: u64,
}

/// The bytes of a step, with blanks behind the text.
#[inline]
fn block(text: &[u8], start: usize) -> u8x64 {
    let rest = text.get(start..).unwrap_or_default();
    u8x64::new(rest.first_chunk::<STEP>().copied().unwrap_or_else(|| {
        let mut padded = [b' '; STEP];
        padded.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        padded
    }))
}

/// What the last bytes of the step before were.
#[derive(Default)]
struct Carry {
    letter: u64,
    small: u64,
    digit: u64,
    other: u64,
    /// The first bytes of this step that belong to a sign.
    signs: u64,
}

impl Carry {
    #[inline]
    fn masks(&mut self, block: u8x64) -> Masks {
        // A byte less the first of a range is at most the range's length, and all others are more.
        let within = |bytes: u8x64, first: u8, last: u8| {
            let above = bytes - u8x64::splat(first);
            above.min(u8x64::splat(last - first)).simd_eq(above).to_bitmask()
        };
        let high = block.to_bitmask();
        let signs = if high == 0 { std::mem::take(&mut self.signs) } else { self.signs(block) };
        let other = high & !signs;
        let capitals = within(block, b'A', b'Z');
        let letters = within(block | u8x64::splat(0x20), b'a', b'z') | other;
        Masks { letters, capitals, digits: within(block, b'0', b'9'), other }
    }
}

impl Carry {
    /// The bytes of signs: a first byte and so many behind it.
    fn signs(&mut self, block: u8x64) -> u64 {
        let mut signs = self.signs;
        self.signs = 0;
        for (first, behind) in SIGNS.into_iter().zip(1..) {
            let at = block.simd_eq(u8x64::splat(first)).to_bitmask();
            for by in 0..=behind {
                signs |= at << by;
                // What is pushed out of this step is in the next one.
                self.signs |= if by == 0 { 0 } else { at >> (64 - by) };
            }
        }
        signs
    }

    /// Where a word may begin: at a letter behind none, at a capital behind a small letter, at a token's first digit, at
    /// the first of some letters that are not ASCII.
    fn starts(&mut self, masks: &Masks) -> u64 {
        let Masks { letters, capitals, digits, other } = masks;
        let small = letters & !capitals;
        let behind_letter = letters << 1 | self.letter;
        let behind_small = small << 1 | self.small;
        let behind_digit = digits << 1 | self.digit;
        let behind_other = other << 1 | self.other;
        (self.letter, self.small, self.digit, self.other) = (letters >> 63, small >> 63, digits >> 63, other >> 63);
        let first_digits = digits & !(behind_digit | behind_letter);
        letters & !behind_letter | capitals & behind_small | first_digits | other & !behind_other
    }
}

/// A fast hash for short words that nobody chooses to harm: there are at most so many as are kept.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a slow reader finds: each token, each part of it.
    fn slowly(query: &Query, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (offset, token) in query::tokens(text) {
            let lower = text::without_marks(token).to_lowercase();
            let is_whole = token.is_ascii() && token.bytes().any(|byte| byte.is_ascii_digit());
            if let Some(term) = query.whole_term(&lower).filter(|_| is_whole) {
                found.push((offset, term));
                continue;
            }
            query::parts_of(token, |at, part| {
                let lower = text::without_marks(part).to_lowercase();
                if lower.len() > 1 && part.chars().any(char::is_alphabetic) {
                    found.extend(query.term(&lower).map(|term| (offset + at, term)));
                }
            });
        }
        found
    }

    fn fast(query: &Query, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        Scanner::new(query).scan(text.as_bytes(), |at, term| found.push((at, term)));
        found
    }

    #[test]
    fn a_step_finds_what_a_slow_reader_finds() {
        let queries = [
            "circular imports failed E0502 a1b2c3d",
            "aws eks ops tie dying went children",
            "migración de la configuración añadir índice",
            "one two three four five six seven eight nine ten eleven queue lock worker zebra",
            "漢字 中文 test",
        ];
        let words = [
            "circularImport", "circular_import", "E0502", "a1b2c3d4e5f6", "aws", "AWS", "ties", "dies", "go", "child",
            "migraciones", "configuracion", "añadió", "índices", "ÍNDICE", "queue", "Queues", "lock-free", "漢字",
            "中", "x", "tests", "utf8queue", "ñandú", "42", "importing", "three", "workers", "zebras", "HTTPServer",
            "ops",
        ];
        let between = [" ", "\n", "—", "…", "·", "🎉", "_", "/", "::", "", ".", "«", "│"];
        let mut dice = 7_u64;
        let mut roll = |sides: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(dice >> 33).unwrap() % sides
        };
        let mut hits = 0;
        for round in 0..4000 {
            let query = Query::new(queries[round % queries.len()], "");
            let text: String =
                (0..roll(40)).flat_map(|_| [words[roll(words.len())], between[roll(between.len())]]).collect();
            let slow = slowly(&query, &text);
            hits += slow.len();
            assert_eq!(fast(&query, &text), slow, "{text:?}");
        }
        assert!(hits > 10_000, "{hits}");
    }

    #[test]
    fn each_word_finds_itself() {
        for word in ["aws", "ops", "lying", "skies", "was", "índice", "ejecución", "E0502", "went", "oxen", "y2k", "ci"]
        {
            let query = Query::new(word, "");
            assert_eq!(fast(&query, &format!("a ({word}) b")).len(), 1, "{word}");
        }
    }

    #[test]
    fn what_is_no_text_is_scanned() {
        let query = Query::new("queue", "");
        let mut bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
        bytes.extend(b" queue \xe2\x80");
        let mut found = Vec::new();
        Scanner::new(&query).scan(&bytes, |at, _| found.push(at));
        assert_eq!(found, [5001]);
        assert!(fast(&query, &"queue".repeat(50_000)).is_empty());
    }
}
