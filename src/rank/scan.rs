//! Where the words of a query are in a text, in one pass. A packed searcher finds how the words of all terms begin, in
//! text that was put into lower case a piece at a time, and what is not plain ASCII is found beside it. The run of letters
//! and digits around such a place is looked up as a whole, and then known.

use super::recall::{self, Query};
use super::words::ByWord;
use crate::base::text;
use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Input, Span};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The bytes of a piece, and of the steps in which it is looked at for letters that are not ASCII.
const PIECE: usize = 32 << 10;
const STEP: usize = 64;
/// Longer words are of no language, and longer runs are looked up in parts.
const WORD: usize = 40;
const RUN: usize = 4 * WORD;
/// The most runs that are kept with what they were found to be.
const KNOWN: usize = 1 << 15;
/// A beginning inside a word must not hide that of the word.
const LEFTMOST: aho_corasick::MatchKind = aho_corasick::MatchKind::LeftmostFirst;

/// What finds beginnings.
enum Finder {
    Packed(Searcher),
    /// Where there are too many of them, or the processor cannot.
    Any(AhoCorasick),
}

impl Finder {
    /// None where there is nothing to find.
    fn new(heads: &BTreeSet<&str>) -> Option<Self> {
        let any = || AhoCorasick::builder().match_kind(LEFTMOST).build(heads).ok().filter(|_| !heads.is_empty());
        let mut packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder();
        packed.extend(heads);
        packed.build().map(Self::Packed).or_else(|| any().map(Self::Any))
    }

    /// Where the next one begins at or behind a place.
    fn next(&self, lower: &[u8], start: usize) -> Option<usize> {
        let span = Span { start, end: lower.len() };
        match self {
            Self::Packed(searcher) => searcher.find_in(lower, span).map(|found| found.start()),
            Self::Any(searcher) => searcher.find(Input::new(lower).span(span)).map(|found| found.start()),
        }
    }
}

/// The terms of a run, each with its place in it.
type RunTerms = Rc<[(usize, usize)]>;

/// Finds the terms of one query in many texts.
pub struct Scanner<'q> {
    query: &'q Query,
    finder: Option<Finder>,
    /// The bytes of the longest beginning.
    longest: usize,
    /// What runs were found to have.
    known: ByWord<Vec<u8>, RunTerms>,
    /// Room for what is made of a piece.
    lower: Vec<u8>,
}

impl<'q> Scanner<'q> {
    /// For one query.
    pub fn new(query: &'q Query) -> Self {
        let heads = query.beginnings();
        Self {
            query,
            finder: Finder::new(&heads),
            longest: heads.iter().map(|head| head.len()).max().unwrap_or_default(),
            known: ByWord::default(),
            lower: Vec::new(),
        }
    }

    /// Gives each hit of a text, in order.
    pub fn scan(&mut self, text: &[u8], mut act: impl FnMut(usize, usize)) {
        let mut lower = std::mem::take(&mut self.lower);
        // What is before it was looked up.
        let mut done = 0;
        for start in (0..text.len()).step_by(PIECE) {
            let end = text.len().min(start + PIECE);
            let piece = text.get(start..text.len().min(end + self.longest)).unwrap_or_default();
            lower.clear();
            // Of letters the lower case, of digits the same; what else becomes one of these does not begin a run.
            lower.extend(piece.iter().map(|byte| byte | 0x20));
            done = done.max(start);
            let mut head = self.next_head(text, &lower, start, done);
            let mut letter = next_letter(text, done, end);
            while head.min(letter) < end {
                done = self.run(text, head.min(letter), done, &mut act);
                if head < done {
                    head = self.next_head(text, &lower, start, done);
                }
                if letter < done {
                    letter = next_letter(text, done, end);
                }
            }
        }
        self.lower = lower;
    }

    /// Where the next beginning is that can begin a word; the end of the text if there is none. `lower` is the piece that
    /// begins at `start`.
    fn next_head(&self, text: &[u8], lower: &[u8], start: usize, mut from: usize) -> usize {
        while let Some(finder) = self.finder.as_ref().filter(|_| from <= start + lower.len()) {
            let Some(at) = finder.next(lower, from - start).map(|at| start + at) else { break };
            if begins(text, at) {
                return at;
            }
            from = at + 1;
        }
        text.len()
    }

    /// Gives the terms of the run of letters and digits around a place; says how far was looked.
    fn run(&mut self, text: &[u8], at: usize, done: usize, act: &mut impl FnMut(usize, usize)) -> usize {
        let before = text.get(done..at).unwrap_or_default();
        let before = before.iter().rev().take(WORD).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let rest = text.get(at..).unwrap_or_default();
        let behind = rest.iter().take(RUN).take_while(|byte| is_inner(**byte)).count().max(1);
        let start = at - before;
        let run = text.get(start..at + behind).unwrap_or_default();
        let known = self.known.get(run).cloned().unwrap_or_else(|| {
            let found: RunTerms = self.parts(run).into();
            if self.known.len() < KNOWN {
                self.known.insert(run.to_vec(), Rc::clone(&found));
            }
            found
        });
        // The last whole letter of a run that was cut is the next one's first, with its neighbour; none of ASCII is.
        let is_first = |place: &usize| text.get(*place).is_some_and(|byte| *byte >= 0xc0);
        let cut = (at + 1..at + behind).rev().filter(is_first).take(2).last().filter(|_| behind == RUN);
        let next = cut.unwrap_or(at + behind);
        known
            .iter()
            .map(|(inner, term)| (start + inner, *term))
            .filter(|(place, _)| *place < next)
            .for_each(|(place, term)| act(place, term));
        next
    }

    /// The terms of a run: tokens with digits as a whole, and the parts of others.
    fn parts(&self, run: &[u8]) -> Vec<(usize, usize)> {
        let said = String::from_utf8_lossy(run);
        let mut found = Vec::new();
        for (offset, token) in recall::tokens(&said) {
            let is_whole = token.is_ascii() && token.bytes().any(|byte| byte.is_ascii_digit()) && token.len() <= WORD;
            if let Some(term) = self.query.whole_term(&token.to_ascii_lowercase()).filter(|_| is_whole) {
                found.push((offset, term));
                continue;
            }
            recall::parts_of(token, |inner, part| {
                if (2..=WORD).contains(&part.len()) {
                    let term = self.query.term(&text::without_marks(part).to_lowercase());
                    found.extend(term.map(|term| ((offset + inner).min(run.len()), term)));
                }
            });
        }
        found
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

/// Whether a word can begin at a byte: behind no letter, at a letter behind a digit, at a capital behind a small letter.
#[inline]
fn begins(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    match (before, text.get(at)) {
        (Some(b'A'..=b'Z'), _) => false,
        (Some(b'a'..=b'z'), Some(byte)) => byte.is_ascii_uppercase(),
        (Some(b'0'..=b'9'), Some(byte)) => byte.is_ascii_alphabetic(),
        _ => true,
    }
}

/// Where the first byte of a letter is that is not ASCII; `end` if there is none.
fn next_letter(text: &[u8], from: usize, end: usize) -> usize {
    let is_first = |byte: &u8| *byte >= 0xc0 && is_other(*byte);
    let steps = text.get(from..end).unwrap_or_default().chunks(STEP).enumerate();
    let mut others = steps.filter(|(_, step)| !step.is_ascii());
    others.find_map(|(number, step)| Some(from + number * STEP + step.iter().position(is_first)?)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::{dice, rows};

    /// What a slow reader finds: each token, each part of it.
    fn slowly(query: &Query, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (offset, token) in recall::tokens(text) {
            let lower = text::without_marks(token).to_lowercase();
            let is_whole = token.is_ascii() && token.bytes().any(|byte| byte.is_ascii_digit());
            if let Some(term) = query.whole_term(&lower).filter(|_| is_whole) {
                found.push((offset, term));
                continue;
            }
            recall::parts_of(token, |at, part| {
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
        // The packed searcher does not take so many words.
        let many: String =
            (b'a'..=b'z').flat_map(|a| (b'a'..=b'h').map(move |b| format!("zq{}{} ", a as char, b as char))).collect();
        let many = many + "or workers importing ci circular";
        let labelled = |label: &str| -> Vec<String> {
            rows(include_str!("scan.tsv")).filter(|[of, _]| of == label).map(|[_, text]| text).collect()
        };
        let queries = [vec![many], labelled("query")].concat();
        let words: Vec<String> = labelled("words")[0].split(' ').map(str::to_owned).collect();
        let between = [" ", "\n", "—", "…", "·", "🎉", "_", "/", "::", "", ".", "«", "│"];
        let mut roll = dice(7);
        let mut hits = 0;
        for round in 0..4000 {
            let query = Query::new(&queries[round % queries.len()], "");
            // Some are of several pieces.
            let length = if round % 100 == 0 { roll(20_000) } else { roll(40) };
            let text: String =
                (0..length).flat_map(|_| [words[roll(words.len())].as_str(), between[roll(between.len())]]).collect();
            let slow = slowly(&query, &text);
            hits += slow.len();
            let found = fast(&query, &text);
            let same = found.iter().zip(&slow).take_while(|(one, other)| one == other).count();
            let (one, other) = (found.get(same), slow.get(same));
            let at = one.into_iter().chain(other).map(|(at, _)| *at).min().unwrap_or_default();
            let around = String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(40)..text.len().min(at + 60)]);
            assert_eq!(one, other, "{at}: {around}");
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
    fn what_is_among_ideographs_is_found() {
        let text = "编译报E0502错误，utf8解码".repeat(50);
        for (word, count) in
            [("E0502", 50), ("错误", 50), ("误，utf8", 100), ("译", 50), ("编错", 0), ("报E0502错误", 150)]
        {
            assert_eq!(fast(&Query::new(word, ""), &text).len(), count, "{word}");
        }
        let long = format!("aé{} 错误", "x".repeat(500));
        assert_eq!(fast(&Query::new("错误", ""), &long).len(), 1);
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
