//! Where the words of a query are in a text, in one pass. A packed searcher finds how the words of all terms begin, in
//! text that was put into lower case a piece at a time; what does not begin a word there is passed over. A word is looked
//! up once, and then known. Words that are not plain ASCII are looked up one by one.

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
/// Longer words are of no language.
const WORD: usize = 40;
/// The most words that are kept with what they were found to be.
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

/// Finds the terms of one query in many texts.
pub struct Scanner<'q> {
    query: &'q Query,
    finder: Option<Finder>,
    /// The bytes of the longest beginning.
    longest: usize,
    /// What words were found to be.
    known: ByWord<Vec<u8>, Option<u8>>,
    /// The same for words that are not plain ASCII: where in them a term is.
    runs: ByWord<Vec<u8>, Rc<[(usize, usize)]>>,
    /// Room for what is made of a piece.
    lower: Vec<u8>,
    found: Vec<(usize, usize)>,
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
            runs: ByWord::default(),
            lower: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Gives each hit of a text, in order.
    pub fn scan(&mut self, text: &[u8], mut act: impl FnMut(usize, usize)) {
        // What is behind a word was looked at with it.
        let (mut past, mut done) = (0, 0);
        let mut start = 0;
        while start < text.len() {
            let end = text.len().min(start + PIECE);
            past = self.plain(text, start, end, past.max(done));
            done = self.others(text, start, end, done);
            let mut found = std::mem::take(&mut self.found);
            found.sort_unstable();
            // Behind a letter that is not ASCII both found it.
            found.dedup();
            found.drain(..).for_each(|(at, term)| act(at, term));
            self.found = found;
            start = end;
        }
    }

    /// Looks up the words in plain ASCII that begin in a piece, but none before `past`; says how far was looked.
    fn plain(&mut self, text: &[u8], start: usize, end: usize, mut past: usize) -> usize {
        let piece = text.get(start..text.len().min(end + self.longest)).unwrap_or_default();
        let mut lower = std::mem::take(&mut self.lower);
        lower.clear();
        // Of letters the lower case, of digits the same; what else becomes one of these is looked at again.
        lower.extend(piece.iter().map(|byte| byte | 0x20));
        loop {
            let from = past.max(start).min(start + lower.len()) - start;
            let next = self.finder.as_ref().and_then(|finder| finder.next(&lower, from));
            let Some(at) = next.map(|at| start + at).filter(|at| *at < end) else { break };
            past = if begins(text, at) { self.word(text, at).max(at + 1) } else { at + 1 };
        }
        self.lower = lower;
        past
    }

    /// Looks a word up, or the token that begins there; says how far was looked.
    fn word(&mut self, text: &[u8], at: usize) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let run = rest.iter().take(WORD * 4).take_while(|byte| is_inner(**byte)).count();
        let run = rest.get(..run).unwrap_or_default();
        if !run.is_ascii() {
            return at;
        }
        let behind_none = at == 0 || text.get(at - 1).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        if behind_none && self.query.has_whole() && run.iter().any(u8::is_ascii_digit) && run.len() <= WORD {
            let token = String::from_utf8_lossy(run).to_ascii_lowercase();
            if let Some(term) = self.query.whole_term(&token) {
                self.found.push((at, term));
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
                self.found.push((at, term));
            }
        }
        at + end
    }

    /// Looks up the words of a piece that are not plain ASCII, but none before `done`; says how far was looked.
    fn others(&mut self, text: &[u8], start: usize, end: usize, mut done: usize) -> usize {
        let mut at = start.max(done);
        while let Some(by) = text.get(at..end).and_then(first_letter) {
            done = self.run(text, at + by, done);
            at = done;
        }
        done
    }

    /// Looks up the words of the run of letters and digits around a place.
    fn run(&mut self, text: &[u8], at: usize, done: usize) -> usize {
        let before = text.get(done..at).unwrap_or_default();
        let before = before.iter().rev().take(WORD).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let rest = text.get(at..).unwrap_or_default();
        let behind = rest.iter().take(WORD * 4).take_while(|byte| is_inner(**byte)).count().max(1);
        let start = at - before;
        let run = text.get(start..at + behind).unwrap_or_default();
        let known = self.runs.get(run).cloned();
        let known = known.unwrap_or_else(|| {
            let found: Rc<[(usize, usize)]> = self.parts(run).into();
            if self.runs.len() < KNOWN {
                self.runs.insert(run.to_vec(), Rc::clone(&found));
            }
            found
        });
        // The last whole letter of a run that was cut is the next one's first, with its neighbour; none of ASCII is.
        let is_first = |place: &usize| text.get(*place).is_some_and(|byte| *byte >= 0xc0);
        let cut = (at + 1..at + behind).rev().filter(is_first).take(2).last().filter(|_| behind == WORD * 4);
        let next = cut.unwrap_or(at + behind);
        let found = known.iter().map(|(inner, term)| (start + inner, *term));
        self.found.extend(found.filter(|(place, _)| *place < next));
        next
    }

    /// The terms of a run that is not plain ASCII.
    fn parts(&mut self, run: &[u8]) -> Vec<(usize, usize)> {
        let said = String::from_utf8_lossy(run);
        let mut found = Vec::new();
        for (offset, token) in recall::tokens(&said) {
            let is_whole = token.is_ascii() && token.bytes().any(|byte| byte.is_ascii_digit());
            if let Some(term) = self.query.whole_term(&token.to_ascii_lowercase()).filter(|_| is_whole) {
                found.push((offset, term));
                continue;
            }
            recall::parts_of(token, |inner, part| {
                let lower = text::without_marks(part).to_lowercase();
                let is_long = lower.len() > WORD;
                if let Some(term) = Some(lower).filter(|_| !is_long).and_then(|lower| self.look_up(lower.as_bytes())) {
                    found.push(((offset + inner).min(run.len()), term));
                }
            });
        }
        found
    }

    fn look_up(&mut self, lower: &[u8]) -> Option<usize> {
        let known = self.known.get(lower).copied();
        let found = known.unwrap_or_else(|| {
            let term = std::str::from_utf8(lower).ok().and_then(|word| self.query.term(word));
            let term = term.and_then(|term| u8::try_from(term).ok());
            if self.known.len() < KNOWN {
                self.known.insert(lower.to_vec(), term);
            }
            term
        });
        found.map(usize::from)
    }
}

/// The first bytes of characters that are no letters: punctuation of Latin-1, arrows and lines and other signs, emoji.
const SIGNS: [u8; 3] = [0xc2, 0xe2, 0xf0];

/// Whether a byte is of a letter that is not ASCII, behind no sign's first byte.
#[inline]
fn is_other(byte: u8) -> bool {
    byte >= 0x80 && !SIGNS.contains(&byte)
}

/// Where the first byte of a letter is that is not ASCII.
fn first_letter(bytes: &[u8]) -> Option<usize> {
    let is_first = |byte: &u8| *byte >= 0xc0 && is_other(*byte);
    let mut steps = bytes.chunks(STEP).enumerate().filter(|(_, step)| !step.is_ascii());
    steps.find_map(|(number, step)| Some(number * STEP + step.iter().position(is_first)?))
}

/// Whether a byte is of a letter or a digit.
#[inline]
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_other(byte)
}

/// Whether a word begins at a byte: a letter behind none, a capital behind a small letter, a token's first digit.
#[inline]
fn begins(text: &[u8], at: usize) -> bool {
    let Some(byte) = text.get(at) else { return false };
    let Some(before) = at.checked_sub(1).and_then(|before| text.get(before)) else { return true };
    match before {
        b'0'..=b'9' => byte.is_ascii_alphabetic(),
        b'A'..=b'Z' => false,
        b'a'..=b'z' => byte.is_ascii_uppercase(),
        0x80.. => {
            // A word that is not plain ASCII is looked up as a whole; the first byte of a character says what it is.
            let character = text.get(..at).unwrap_or_default().iter().rev().take(4);
            !character.copied().find(|byte| byte & 0xc0 != 0x80).is_some_and(is_other)
        }
        _ => true,
    }
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
