//! Where a quote is in what was said. A quote is a row of words: it is found in a text in which at least
//! [`FOUND`] percent of its words stand in their order, close together. Marks, white space and the case of
//! letters do not count. What was found is the text's own words, never the quote's.

use super::words;
use crate::base::{hash, text};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The percentage of a quote's words that must be found.
const FOUND: usize = 85;
/// A quote of fewer words must be found whole.
const WHOLE_BELOW: usize = 5;
/// A quote of fewer words proves nothing, unless it is all that the user said.
const QUOTE_WORDS: usize = 3;
/// The same of a part of a quote that is looked up by itself.
const PART_WORDS: usize = 2;
/// The longest quote that is looked up, in words.
const MOST_WORDS: usize = 80;
/// Places in a message at which a quote is compared word by word.
const PLACES: usize = 64;
/// Parts with no more words than this between them are shown as one text.
const GAP: usize = 12;

/// A text as the row of its words.
#[derive(Debug)]
pub struct WordRow(Vec<PlacedWord>);

/// A word, or an ideograph, and where it is in its text, in bytes.
#[derive(Debug)]
struct PlacedWord {
    /// The hash of its letters in lower case.
    hash: u64,
    place: Range<usize>,
    is_ideograph: bool,
}

/// A quote that is looked for.
pub struct Quote {
    whole: QuotePart,
    /// What is between its dots, and else its sentences; empty if there is only one.
    parts: Vec<QuotePart>,
}

/// A piece of a quote: its words, and the marks before the first and behind the last one.
struct QuotePart {
    row: WordRow,
    all: HashSet<u64>,
    marks: [String; 2],
}

/// Where a quote was found.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundQuote {
    /// Parts of the text, in their order, as places in bytes.
    pub places: Vec<Range<usize>>,
    /// Every word was found.
    pub is_exact: bool,
}

impl WordRow {
    /// The words of a text.
    pub fn new(text: &str) -> Self {
        let mut words: Vec<PlacedWord> = Vec::new();
        for (at, letter) in text.char_indices() {
            let (end, is_ideograph) = (at + letter.len_utf8(), text::is_ideograph(letter));
            let is_letter = letter.is_alphanumeric() || is_combining_mark(letter);
            let joins = matches!(letter, '\'' | '’') && text[end..].starts_with(char::is_alphanumeric);
            match words.last_mut() {
                Some(word) if word.place.end == at && !word.is_ideograph && !is_ideograph && (is_letter || joins) => {
                    word.place.end = end;
                }
                _ if is_letter => words.push(PlacedWord { hash: 0, place: at..end, is_ideograph }),
                _ => {}
            }
        }
        for word in &mut words {
            word.hash = hash(&text[word.place.clone()]);
        }
        Self(words)
    }

    /// How many words it has; two ideographs are about a word.
    pub fn count(&self) -> usize {
        let ideographs = self.0.iter().filter(|word| word.is_ideograph).count();
        self.0.len() - ideographs.div_ceil(2)
    }
}

/// What two spellings of a word have in common.
fn hash(letters: &str) -> u64 {
    if letters.is_ascii() {
        hash::of(letters.to_ascii_lowercase().as_bytes())
    } else {
        hash::of(letters.replace('’', "'").nfc().flat_map(char::to_lowercase).collect::<String>().as_bytes())
    }
}

impl QuotePart {
    fn new(text: &str) -> Self {
        let row = WordRow::new(text);
        let first = row.0.first().map_or(0, |word| word.place.start);
        let last = row.0.last().map_or(0, |word| word.place.end);
        let all = row.0.iter().map(|word| word.hash).collect();
        Self { row, all, marks: [text[..first].trim_start(), text[last..].trim_end()].map(str::to_owned) }
    }

    /// Which of some words it is, and whether all of its words are among them.
    fn within(&self, said: &[PlacedWord]) -> Option<(Range<usize>, bool)> {
        let words = &self.row.0;
        let least = if self.row.count() < WHOLE_BELOW { words.len() } else { (words.len() * FOUND).div_ceil(100) };
        if words.is_empty() || words.len() > MOST_WORDS {
            return None;
        }
        // A match begins with one of the first words: no more than may be missing are before it.
        let first = &words[..=words.len() - least];
        let window = |at: usize| &said[at..said.len().min(at + words.len() * 2)];
        let known = |at: usize| window(at).iter().filter(|word| self.all.contains(&word.hash)).count();
        let can_begin = |at: &usize| first.iter().any(|word| word.hash == said[*at].hash) && known(*at) >= least;
        // As many words as there are, as close together as they are, and of these the first.
        let places = (0..said.len()).filter(can_begin).take(PLACES).map(|at| (common(words, window(at)), at));
        let best = places.max_by_key(|((found, length), at)| (*found, Reverse(*length), Reverse(*at)));
        let ((found, length), at) = best.filter(|((found, _), _)| *found >= least)?;
        Some((at..at + length, found == words.len()))
    }

    /// A place with the marks around it that the quote has, too.
    fn with_marks(&self, text: &str, place: Range<usize>) -> Range<usize> {
        let (head, tail) = (&text[..place.start], &text[place.end..]);
        let [before, behind] = &self.marks;
        let start = head.strip_suffix(&**before).unwrap_or(head).len();
        start..text.len() - tail.strip_prefix(&**behind).unwrap_or(tail).len()
    }
}

/// How many words of a row are in order in a window, and up to which word of the window.
fn common(words: &[PlacedWord], window: &[PlacedWord]) -> (usize, usize) {
    let mut row = vec![0; words.len() + 1];
    let mut best = (0, 0);
    for (at, said) in window.iter().enumerate() {
        let mut diagonal = 0;
        for (place, word) in words.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if word.hash == said.hash { diagonal + 1 } else { above.max(row[place]) };
            diagonal = above;
        }
        if row[words.len()] > best.0 {
            best = (row[words.len()], at + 1);
        }
    }
    best
}

impl Quote {
    /// A quote; None if it has no word.
    pub fn parse(quote: &str) -> Option<Self> {
        let quote = quote.trim();
        let parts = |parts: Vec<&str>| -> Vec<QuotePart> {
            let parts = parts.into_iter().map(|part| QuotePart::new(part.trim_matches(['[', ']', '(', ')', ' '])));
            parts.filter(|part| !part.row.0.is_empty()).collect()
        };
        let mut found = parts(quote.replace('…', "...").split("...").collect());
        if found.len() < 2 {
            found = parts(sentences(quote));
        }
        if found.len() < 2 || found.iter().any(|part| part.row.count() < PART_WORDS) {
            found.clear();
        }
        let whole = QuotePart::new(quote);
        (!whole.row.0.is_empty()).then_some(Self { whole, parts: found })
    }

    /// Whether it has words enough to be evidence wherever it is found.
    pub fn is_long(&self) -> bool {
        self.whole.row.count() >= QUOTE_WORDS
    }

    /// Whether it is all that a text says.
    pub fn is_all(&self, text: &str) -> bool {
        let hashes = |row: &WordRow| row.0.iter().map(|word| word.hash).collect::<Vec<_>>();
        hashes(&self.whole.row) == hashes(&WordRow::new(text))
    }

    /// Where it is in a text with these words: in one piece, or else each of its parts behind the one before.
    pub fn within(&self, text: &str, row: &WordRow) -> Option<FoundQuote> {
        let whole = std::slice::from_ref(&self.whole);
        [whole, &self.parts].into_iter().find_map(|parts| found(parts, text, row))
    }
}

/// Where the parts of a quote are, one behind the other.
fn found(parts: &[QuotePart], text: &str, WordRow(said): &WordRow) -> Option<FoundQuote> {
    let mut found = FoundQuote { places: Vec::new(), is_exact: true };
    let mut from = 0;
    for part in parts {
        let (words, is_exact) = part.within(&said[from..])?;
        let place = said[from + words.start].place.start..said[from + words.end - 1].place.end;
        let place = part.with_marks(text, place);
        match found.places.last_mut() {
            Some(before) if words.start <= GAP => before.end = place.end,
            _ => found.places.push(place),
        }
        from += words.end;
        found.is_exact &= is_exact;
    }
    (!parts.is_empty()).then_some(found)
}

/// The sentences and lines of a text.
pub fn sentences(text: &str) -> Vec<&str> {
    words::parts(text, |letter, behind| {
        matches!(letter, '.' | '!' | '?' | ';' | ':') && behind.starts_with(char::is_whitespace)
            || matches!(letter, '\n' | '。' | '！' | '？')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use crate::base::clock;

    const SAID: &str = "Let’s keep **the queue** in `plain` files — one per _host_.\n\n- The lock isn’t \"held\" by anybody…\n\
        - It was moved to the *target* folder.\n> 3–5 hosts, set max_hosts=4\n\nla caf\u{e9} cola queda en archivos, \
        y “el índice” – por ahora – en memoria. # no heading -- as it is. We push. We never, ever push to main with force.";

    fn found(quote: &str, said: &str) -> Option<String> {
        let found = Quote::parse(quote)?.within(said, &WordRow::new(said))?;
        Some(found.places.into_iter().filter_map(|place| said.get(place)).collect::<Vec<_>>().join(" | "))
    }

    const COMMIT: &str =
        "The recorded commit must itself have modified the path, it need not be the newest one to do so.";

    #[test]
    fn most_of_a_quote_must_be_there_in_its_order_whatever_its_marks() {
        for [said, quote, wanted] in rows(include_str!("quote.tsv")) {
            let text = match said.as_str() {
                "SAID" => SAID,
                "COMMIT" => COMMIT,
                said => said,
            };
            let (found, wanted) = (found(&quote, text), Some(&*wanted).filter(|wanted| !wanted.is_empty()));
            let is_good = found.as_deref() == wanted || wanted == Some("*") && found.is_some();
            assert!(is_good, "{quote}: {found:?}");
        }
        for (quote, is_long) in [("队列保存在", false), ("队列保存在普", true)] {
            assert_eq!(Quote::parse(quote).map(|quote| quote.is_long()), Some(is_long));
        }
    }

    #[test]
    fn a_long_text_of_a_quotes_own_words_is_compared_at_few_places() {
        let said = "the queue of the host is the queue of the worker and ".repeat(20_000);
        let begun = clock::monotonic();
        assert_eq!(found("worker the of queue the is host the of queue the and worker the of queue", &said), None);
        assert!(clock::monotonic().duration_since(begun).as_secs() < 20);
        assert!(found("the queue of the worker and the queue of the host", &said).is_some());
    }
}
