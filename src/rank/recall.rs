//! What is looked for: the words of a question, their stems, their neighbours, exact phrases. A name in code counts by
//! its parts; a token with digits in it (an error code, a commit) counts as a whole.

use super::stems::{Stems, forms};
use super::words::is_small;
use crate::base::text::{self, is_ideograph};
use std::collections::{BTreeMap, BTreeSet};

/// More of them in questions about people.
const PEOPLE: &str = "her hers herself him himself his mine myself ours themselves theirs whose yours";
/// Small words of Spanish that say something in English.
const ENGLISH_TOO: &[&str] = &["era", "hay", "may", "sea", "sin", "son"];
/// Small words that say something beside others: which way, which one, how many.
const WAYS: &[&str] = &[
    "about", "above", "after", "again", "before", "below", "between", "down", "during", "each", "few", "more", "off",
    "other", "out", "over", "own", "same", "through", "under", "up",
];
/// The most terms of a query; what comes behind is left out.
pub const TERMS: usize = 250;
/// The fewest hex digits of a commit's short id.
const COMMIT: usize = 7;
/// Ideographs of words that say nothing: a pair that has one is left out.
const SIGNS: &str = "的了么什怎哪吗呢几谁我你他这那和就也都把被";
/// What every form has of a stem of so many bytes or more.
const STEM: usize = 4;

/// A word of the question, in all its forms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Term {
    /// The word, as it was given, in lower case.
    pub word: String,
    /// It is of the question; else it is only of what the answer may say.
    pub is_asked: bool,
    /// It is of what the answer may say.
    pub is_also: bool,
}

/// A question; by default one of no words in either language, to which terms are added.
#[derive(Default)]
pub struct Query {
    /// Its words, each once.
    pub terms: Vec<Term>,
    /// Neighbouring words of the question, in order.
    pub pairs: Vec<(usize, usize)>,
    /// What must be there letter by letter, in lower case, with single blanks.
    pub phrases: Vec<String>,
    /// The question is more than its phrases: where no text has them, its words answer.
    pub has_more: bool,
    stemmed: BTreeMap<String, usize>,
    whole: BTreeMap<String, usize>,
    /// The words as they were given, with their irregular forms.
    heads: Vec<String>,
    stems: Stems,
}

impl Query {
    /// Reads a question, and words that its answer may have.
    pub fn new(question: &str, also: &str) -> Self {
        let stems = Stems::of_language(question);
        let mut new = Self { phrases: phrases(question), stems, ..Self::default() };
        new.read(question, true);
        new.has_more = new.terms.iter().any(|term| !new.phrases.iter().any(|phrase| phrase.contains(&term.word)));
        new.read(also, false);
        new
    }

    fn read(&mut self, said: &str, is_asked: bool) {
        let mut all = Vec::new();
        for (_, token) in tokens(said) {
            let token = text::without_marks(token);
            let mut parts = Vec::new();
            parts_of(&token, |_, part| parts.push(part.to_lowercase()));
            // An ideograph that has a neighbour is a part of a word: the two are looked for.
            let pairs: Vec<String> = parts.iter().filter(|part| is_pair(part)).cloned().collect();
            parts.retain(|part| is_pair(part) || !pairs.iter().any(|pair| pair.contains(part.as_str())));
            if token.len() > 1 && token.bytes().any(|byte| byte.is_ascii_digit()) {
                all.push((token.to_lowercase(), true));
            }
            all.extend(parts.into_iter().filter(|part| !is_number(part) && part.len() > 1).map(|part| (part, false)));
        }
        let (language, is_spanish) = (self.stems.language(), self.stems.is_spanish());
        let says = |word: &str| {
            if is_pair(word) {
                return !word.contains(|letter| SIGNS.contains(letter));
            }
            if let Some(language) = language {
                return !language.is_small(word);
            }
            !is_spanish && (ENGLISH_TOO.contains(&word) || WAYS.contains(&word))
                || !is_small(word) && !PEOPLE.split(' ').any(|small| small == word)
        };
        let any = all.iter().any(|(word, _)| says(word));
        let mut before = None;
        for (word, is_whole) in all.into_iter().filter(|(word, _)| !any || says(word)) {
            let Some(at) = self.add(&word, is_whole, is_asked) else { break };
            if let Some(before) = before.filter(|before| is_asked && *before != at)
                && !self.pairs.contains(&(before, at))
            {
                self.pairs.push((before, at));
            }
            before = Some(at);
        }
    }

    /// Adds a word, or a token as a whole, and says which term it is; none where there are enough.
    pub fn add(&mut self, word: &str, is_whole: bool, is_asked: bool) -> Option<usize> {
        let forms = if is_whole || self.stems.language().is_some() { vec![word] } else { forms(word) };
        let stem = if is_whole { word.to_owned() } else { self.stems.of(forms.first().unwrap_or(&word)) };
        let next = self.terms.len();
        let known = if is_whole { &mut self.whole } else { &mut self.stemmed };
        let at = known.get(&stem).copied().unwrap_or(next);
        if at >= TERMS {
            return None;
        }
        if at == next {
            self.terms.push(Term { word: word.to_owned(), ..Term::default() });
            known.insert(stem, at);
            if !is_whole {
                self.stemmed.extend(forms.iter().map(|form| (self.stems.of(form), at)));
                self.heads.extend(forms.iter().map(|form| (*form).to_owned()));
            }
        }
        let term = self.terms.get_mut(at)?;
        term.is_asked |= is_asked;
        term.is_also |= !is_asked;
        Some(at)
    }

    /// How all words in plain ASCII begin that are a form of a term, in lower case: a stem without what changes at its
    /// end ("usabl" and "usability"), a form that has another stem, the shortest id of a commit. None begins another.
    pub fn beginnings(&self) -> BTreeSet<&str> {
        let last = self.stems.language().map_or(&['e', 'i', 'y'][..], |language| language.last);
        let stems = self.stemmed.keys().map(|stem| {
            // All words of a stem of two letters begin with both.
            let head = stem.strip_suffix(last).filter(|head| head.len() > 1).unwrap_or(stem);
            head.get(..head.len().saturating_sub(1).max(STEM)).unwrap_or(head)
        });
        let whole = self.whole.keys().map(|whole| whole.get(..COMMIT).filter(|_| is_commit(whole)).unwrap_or(whole));
        let all: BTreeSet<&str> = stems.chain(whole).chain(self.heads.iter().map(String::as_str)).collect();
        let mut new: BTreeSet<&str> = BTreeSet::new();
        for head in all.into_iter().filter(|head| head.is_ascii()) {
            if !new.last().is_some_and(|last| head.starts_with(last)) {
                new.insert(head);
            }
        }
        new
    }

    /// The term that a word, in lower case and without marks, is a form of.
    pub fn term(&self, word: &str) -> Option<usize> {
        self.stemmed.get(&self.stems.of(word)).copied()
    }

    /// The term that a token with digits, in lower case, is: the same, or a longer or shorter id of the same commit.
    pub fn whole_term(&self, token: &str) -> Option<usize> {
        let is_same = |known: &str| {
            known == token
                || is_commit(known) && token.starts_with(known)
                || is_commit(token) && known.starts_with(token)
        };
        self.whole.iter().find(|(known, _)| is_same(known)).map(|(_, at)| *at)
    }
}

fn is_commit(token: &str) -> bool {
    token.len() >= COMMIT && token.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What is between quotation marks, in lower case, with single blanks.
fn phrases(question: &str) -> Vec<String> {
    let inner = question.split('"').skip(1).step_by(2);
    // The last mark of an odd number opens nothing.
    let count = question.matches('"').count() / 2;
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    inner.take(count).map(plain).filter(|phrase| !phrase.is_empty()).collect()
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

/// The runs of letters and digits of a text, each with its offset; those of ideographs by themselves.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr().addr();
    text.split(|c: char| !c.is_alphanumeric()).flat_map(scripts).map(move |token| (token.as_ptr().addr() - base, token))
}

/// The words of a text, also those of `camelCase` and `snake_case`, in lower case and without accents, but no numbers.
pub fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (_, token) in tokens(text) {
        parts_of(token, |_, part| {
            if part.len() > 1 && part.starts_with(char::is_alphabetic) {
                words.push(text::without_marks(part).to_lowercase());
            }
        });
    }
    words
}

/// The parts of a token that are ideographs, and those that are not.
fn scripts(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let first = is_ideograph(rest.chars().next()?);
        let (part, behind) = rest.split_at(rest.find(|letter| is_ideograph(letter) != first).unwrap_or(rest.len()));
        rest = behind;
        Some(part)
    })
}

/// Whether a part is two ideographs.
fn is_pair(part: &str) -> bool {
    part.chars().count() == 2 && part.chars().all(is_ideograph)
}

/// The parts of a token, each with its offset: of `camelCase` and `utf8` each word, of ideographs each one and each pair
/// of neighbours.
pub fn parts_of(token: &str, mut act: impl FnMut(usize, &str)) {
    let kind = |letter: char| match letter {
        letter if letter.is_numeric() => 0,
        letter if is_ideograph(letter) => 1,
        letter if letter.is_uppercase() => 2,
        _ => 3,
    };
    let mut start = 0;
    let mut last = None;
    for (at, letter) in token.char_indices() {
        let new = kind(letter);
        let ends = match (last, new) {
            (None, _) | (Some(2), 3) => false,
            (Some(1), 1) => true,
            (Some(old), new) => old != new,
        };
        if ends {
            act(start, token.get(start..at).unwrap_or_default());
            if (last, new) == (Some(1), 1) {
                act(start, token.get(start..at + letter.len_utf8()).unwrap_or_default());
            }
            start = at;
        }
        last = Some(new);
    }
    if start < token.len() {
        act(start, token.get(start..).unwrap_or_default());
    }
}
