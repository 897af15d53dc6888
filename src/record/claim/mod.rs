//! When two sentences claim the same. Different is worse than double: a claim that is dropped is lost,
//! one that is kept twice costs a line. So the words must be the same words, in the same order;
//! only the form of a word, little words, a phrase that moves as a whole and the turn from active to
//! passive are no difference. lh-record(5) has the rule, tests/pairs.tsv the pairs that decide it.

mod order;
mod read;
mod verb;
mod word;

use crate::base::{hash, text};
use order::Order;
use std::collections::BTreeSet;

/// Letters that two forms of a word have in common.
const PREFIX: usize = 2;
/// The shortest beginning of a word that tells it from others, and how many of these are looked for.
const HEAD: usize = 4;
const HEADS: usize = 4;

/// A word of a claim, or a sign between words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Token {
    /// The stem of a content word.
    Word(String),
    /// A number, a path, a name.
    Name(String),
    /// What leads a phrase and can be left out.
    Soft(&'static str),
    /// What turns the sentence.
    Hard(&'static str),
    /// A comma, a colon, "and".
    Break,
}

/// How a word is used, beside what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// It ends in "-ing".
    gerund: bool,
    /// It is a participle.
    participle: bool,
    /// It is a participle behind a form of "to be".
    passive: bool,
    /// A word that leads a phrase is before it.
    led: bool,
    /// "of" is before it.
    of: bool,
    /// Who acts is before it.
    subject: bool,
    /// Nothing that is dropped is between it and the word before.
    joined: bool,
    /// A form of "to be" is before it.
    is: bool,
    /// It ends in "-ed" and is not a passive.
    past: bool,
    /// It ends in "-s": it can be what somebody does.
    third: bool,
    /// It has no ending of a verb: before another word it can be a noun.
    bare: bool,
}

/// A sentence as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// Lower case, letters and digits: what is left to compare in a text without words.
    canonical: String,
    /// A hash of its words and names: two sentences of one claim have the same, and most others are told apart by it.
    key: u64,
    /// Its words in their order.
    tokens: Vec<(Token, Form)>,
    /// Its words in lower case as they are written, accents included.
    written: BTreeSet<String>,
    /// Past, possible, a question: the same in both.
    moods: BTreeSet<&'static str>,
    /// Must, should, will: none or the same.
    mild: BTreeSet<&'static str>,
    /// Where what must be so begins, of what has a subject of its own.
    duties: Vec<usize>,
    /// Times that only the end of a verb tells: the same in both.
    tenses: BTreeSet<&'static str>,
    /// Who acts, and whose something is: none or the same.
    persons: BTreeSet<(&'static str, &'static str)>,
    /// When it is told does not matter.
    timeless: bool,
    /// A passive that says who acts.
    agent: bool,
    /// Signs outside ASCII, and all signs in a text without words: of two emoji nothing else is left to compare.
    signs: String,
}

impl Claim {
    /// "The results of the test" are "the test results".
    fn with_joined(&self) -> Self {
        let mut claim = self.clone();
        claim.join_of();
        claim
    }

    fn has_of(&self) -> bool {
        self.tokens.iter().any(|(token, _)| *token == Token::Soft("of"))
    }

    fn join_of(&mut self) {
        let mut at = 1_usize;
        while let Some(last) = self.tokens.get(at.saturating_add(1)).map(|(token, _)| token) {
            let (first, of) = (at.saturating_sub(1), self.tokens.get(at).map(|(token, _)| token));
            let words = [self.tokens.get(first).map(|(token, _)| token), Some(last)];
            let words = words.iter().all(|token| matches!(token, Some(Token::Word(_))));
            if words && of == Some(&Token::Soft("of")) {
                self.tokens.swap(first, at.saturating_add(1));
                self.tokens.remove(at);
                // What led the phrase leads it still.
                if let Some([(_, one), (_, two)]) = self.tokens.get_mut(first..at.saturating_add(1)) {
                    (one.led, one.subject, one.joined, one.of) = (two.led, two.subject, two.joined, false);
                    (two.led, two.subject, two.joined) = (false, false, true);
                }
            }
            at = at.saturating_add(1);
        }
    }

    /// Whether two sentences have the same words and the same signs that tell two names apart.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.canonical == other.canonical
            && self.signs == other.signs
            && self.moods == other.moods
            && self.names() == other.names()
    }

    /// Whether two sentences say the same.
    pub fn is_same(&self, other: &Self) -> bool {
        if !self.tokens.iter().any(|(token, _)| matches!(token, Token::Word(_) | Token::Name(_))) {
            return self.is_equal(other);
        }
        if self.key != other.key || !self.is_alike(other) || self.words() != other.words() {
            return false;
        }
        let same = |a: &Self, b: &Self| Order::new(a).is_same(&Order::new(b));
        // What is of the server is not what is on it.
        let joins = (self.has_of() || other.has_of()) && !Order::new(self).swaps_roles(&Order::new(other));
        same(self, other) || joins && same(&self.with_joined(), &other.with_joined())
    }

    /// Whether another sentence says nothing that this one does not say: a part of it.
    pub fn covers(&self, other: &Self) -> bool {
        let (parts, mut words) = (other.words(), self.words());
        let mut take = |word: &&str| match words.iter().position(|known| known == word) {
            Some(at) => words.remove(at) == *word,
            None => false,
        };
        let all = !parts.is_empty() && parts.iter().all(&mut take);
        all && self.names() == other.names() && self.turns() == other.turns()
    }

    /// What two sentences have in common, words and names, as a share of all: 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        let all = |claim: &Self| -> BTreeSet<String> {
            claim.words().into_iter().chain(claim.names()).map(str::to_owned).collect()
        };
        text::jaccard(&all(self), &all(other))
    }

    /// Whether a sentence can have so much in common with this one that they are similar from `share` on;
    /// much cheaper than to read it as a claim.
    pub fn can_be_similar(&self, sentence: &str, share: f64) -> bool {
        let lower = sentence.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let begins = |stem: &str| {
            // Accents are not in a stem; a form of the word differs at its end.
            let end = stem.char_indices().nth(PREFIX).map_or(stem.len(), |(at, _)| at);
            let head = stem.get(..end).unwrap_or(stem).trim_end_matches('+');
            words.iter().any(|word| word.starts_with(head) || !word.is_ascii())
        };
        let all: BTreeSet<&str> = self.words().into_iter().collect();
        let names: BTreeSet<&str> = self.names().into_iter().collect();
        let common = all.iter().filter(|stem| begins(stem)).count();
        let common = common.saturating_add(names.iter().filter(|name| lower.contains(**name)).count());
        text::share(common, all.len().saturating_add(names.len())) >= share
    }

    /// Whether it begins with what must not be: "never", "do not", "nunca".
    pub fn forbids(&self) -> bool {
        matches!(self.tokens.first(), Some((Token::Hard("not"), _)))
    }

    /// How words of it begin, in lower case and without marks, that each sentence has that says the same: the longest
    /// ones, none where all are short. A form of a word differs from its stem in the last letter of that at most.
    pub fn heads(&self) -> Vec<String> {
        let head = |stem: &str| {
            let mut head = stem.split('+').next().unwrap_or_default().to_owned();
            head.pop();
            Some(head).filter(|head| head.len() >= HEAD && head.is_ascii())
        };
        let mut heads: Vec<String> = self.words().into_iter().filter_map(head).collect();
        heads.sort_by_key(|head| std::cmp::Reverse(head.len()));
        heads.truncate(HEADS);
        heads
    }

    /// Whether nothing differs but words and their order.
    fn is_alike(&self, other: &Self) -> bool {
        let mild = self.mild.is_empty() || other.mild.is_empty() || self.mild == other.mild;
        let same = mild && self.moods == other.moods && self.names() == other.names() && self.turns() == other.turns();
        same && !self.differs_in_a_mark(other) && !self.differs_in_verbs(other)
    }

    /// Whether a word of one is a word of the other but for the marks on its letters: they make another
    /// word of it ("té", "schön", "バグ"), or somebody left them out, which nobody can tell.
    fn differs_in_a_mark(&self, other: &Self) -> bool {
        let mine: BTreeSet<String> =
            self.written.difference(&other.written).map(|word| text::without_marks(word)).collect();
        other.written.difference(&self.written).any(|word| mine.contains(&text::without_marks(word)))
    }

    fn with_key(mut self) -> Self {
        self.key = hash::of([self.words().join(" "), self.names().join(" ")].join("\n").as_bytes());
        self
    }

    fn words(&self) -> Vec<&str> {
        self.sorted(|token| if let Token::Word(word) = token { Some(word) } else { None })
    }

    fn names(&self) -> Vec<&str> {
        self.sorted(|token| if let Token::Name(name) = token { Some(name) } else { None })
    }

    fn turns(&self) -> Vec<&str> {
        self.sorted(|token| if let Token::Hard(role) = token { Some(role) } else { None })
    }

    fn sorted<'a>(&'a self, of: impl Fn(&'a Token) -> Option<&'a str>) -> Vec<&'a str> {
        let mut found: Vec<&str> = self.tokens.iter().filter_map(|(token, _)| of(token)).collect();
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests;
