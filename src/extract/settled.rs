//! What settles an open item: a sentence that says it is done, a point that is ticked, a commit with a title that names its
//! work. A title says it in few words and with other verbs, so only the words of the work must agree.

use super::commits::{Titled, TitledKind};
use super::patterns::{says, signal};
use super::sentences::{self, Sentence, Turn};
use crate::base::text::{self, terms};
use std::collections::BTreeSet;

/// The share of an item's words that a text about it has: all of a few words, most of more.
const FEW_WORDS: usize = 4;
const SHARE: f64 = 0.8;
const TITLE_SHARE: f64 = 0.75;

/// Verbs of work by what they do: two kinds are not the same work.
const DEEDS: [&str; 3] = ["deed-makes", "deed-mends", "deed-removes"];

/// What was said of the work, to be asked of items.
pub struct SaidWork(Vec<BTreeSet<String>>);

/// The commits of a session that stand at its end, by their lines.
pub struct Commits(Vec<(u64, NamedWork)>);

/// What a title or an item names: the kind of its verb, and its other words.
struct NamedWork {
    deed: Option<usize>,
    words: BTreeSet<String>,
    /// It says that something is not there.
    lacks: bool,
}

impl NamedWork {
    fn of(text: &str) -> Self {
        let text = text.to_lowercase().replace(['(', ')', ':'], " ");
        let parts = signal("deed-lacks").parts(&text);
        let (lacks, text) = (parts.len() > 1, parts.join(" "));
        let deed = DEEDS.iter().position(|deed| says(deed, &text));
        let is_verb = |word: &&str| DEEDS.iter().any(|deed| says(deed, word));
        let rest: Vec<&str> = text.split_whitespace().filter(|word| !is_verb(word)).collect();
        Self { deed, words: terms(&rest.join(" ")), lacks }
    }

    fn is_done_by(&self, title: &Self) -> bool {
        let other = self.deed.zip(title.deed).is_some_and(|(asked, done)| asked != done);
        // A word alone names too much, and "do not" is not "do".
        let same = self.words.contains("¬") == title.words.contains("¬");
        !other && same && !title.lacks && self.words.len() > 1 && agrees(&self.words, &title.words, TITLE_SHARE)
    }
}

impl SaidWork {
    /// By a session.
    pub fn of(turns: &[Turn<'_>]) -> Self {
        let all: Vec<_> = turns.iter().flat_map(|turn| turn.prompt.iter().chain(turn.said())).collect();
        let sentences = all.iter().flat_map(|said| &said.sentences).filter(|one| says_done(one));
        let lines = all.iter().flat_map(|said| sentences::own_lines(&said.message.text));
        let ticked = lines.filter(|line| says("open-ticked", &line.to_lowercase()));
        let texts = sentences.map(|one| one.plain.as_str()).chain(ticked);
        Self(texts.map(terms).collect())
    }

    /// Whether one of the texts is about an item.
    pub fn settles(&self, item: &str) -> bool {
        let wanted = terms(item);
        self.0.iter().any(|text| agrees(&wanted, text, SHARE))
    }
}

impl Commits {
    /// Those with titles that say that something is done; pull requests, too.
    pub fn of(told: &[Titled<'_>]) -> Self {
        let says_it =
            |told: &&Titled<'_>| told.kind != TitledKind::Issue && !says("deed-in-part", &told.title.to_lowercase());
        Self(told.iter().filter(says_it).map(|told| (told.line, NamedWork::of(&told.title))).collect())
    }

    /// Whether one of them behind a line says that an item is done.
    pub fn close(&self, item: &str, line: u64) -> bool {
        let mut later = self.0.iter().filter(|(at, _)| *at > line).map(|(_, title)| title).peekable();
        if says("deed-commit", &item.to_lowercase()) {
            return later.peek().is_some();
        }
        let work = NamedWork::of(item);
        later.any(|title| work.is_done_by(title))
    }
}

/// Whether a text has enough words of an item to be about it. One that is as short, and has another word in the place of one
/// of its words, is about another thing: a table `orders` beside a table `users`.
fn agrees(words: &BTreeSet<String>, text: &BTreeSet<String>, most: f64) -> bool {
    let (missing, more): (Vec<_>, Vec<_>) = (words.difference(text).collect(), text.difference(words).collect());
    // "Added" is "add": the forms of a verb can have different stems.
    let is_form = |word: &str| {
        let plain = |word: &str| word.chars().all(char::is_alphabetic);
        plain(word) && more.iter().any(|other| plain(other) && other.get(..2) == word.get(..2))
    };
    let is_other = (1..=missing.len() + 1).contains(&more.len()) && missing.iter().any(|word| !is_form(word));
    !is_other
        && text::share(words.len() - missing.len(), words.len()) >= if words.len() <= FEW_WORDS { 1.0 } else { most }
}

/// Whether a sentence says that something is done.
fn says_done(sentence: &Sentence<'_>) -> bool {
    // What is gone can be gone because it was done.
    let lower = sentence.lower.replace("no longer ", "");
    says("open-done", &lower) && !says("open-not-done", &lower)
}
