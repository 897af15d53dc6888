//! When two sentences claim the same. Different is worse than double: a claim that is dropped is lost, one that is kept
//! twice costs a line. So the words must be the same words in the same order. Only these make no difference: case and the
//! ending of a plural, unless one word alone differs in it, and a plural with an article; punctuation, articles, "and" and
//! "will", "-ing" of the first word, "the X of the Y" for "the Y X", a lead that says that it was decided or must be so,
//! two spellings of a negation or of "instead of", and a phrase with a
//! preposition that stands at the head or at the end.
//! lh-record(5) has the rule in short, tests/pairs.tsv the pairs that decide it.

use crate::base::text::{self, Words};
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

/// An id of hex digits is longer.
const HEAD: usize = 4;

/// Words that begin a phrase which can stand at the head of a sentence or at its end.
static PREPOSITIONS: Words = Words::of(
    "about above across after against among antes as at bajo because before behind below beside besides between by \
    con contra cuando desde después durante during en entre except for from hacia hasta if in inside instead into \
    junto mientras near of on onto outside over para por porque según si sin since sobre through throughout to tras \
    under unless until via when while with within without",
);
/// Words that deny.
const DENIALS: &[&str] = &["jamás", "never", "no", "not", "nunca"];
/// Words that are left out.
const LEFT_OUT: &[&str] = &["and", "que", "that", "which", "will", "y"];
const ARTICLES: &[&str] = &["a", "an", "el", "la", "las", "lo", "los", "the", "un", "una", "unas", "unos"];
/// Two spellings of one thing; the second is compared.
const SPELLINGS: &[(&str, &str)] = &[
    ("cannot", "can not"),
    ("can't", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    (" has to ", " must "),
    (" have to ", " must "),
    ("rather than ", "instead of "),
    ("en lugar de ", "en vez de "),
    (" del ", " de el "),
    (" al ", " a el "),
];
/// How a sentence begins that says what we do or from when on, and the duty that it makes of it.
const LEADS: [(&str, &str); 3] = [
    ("must", "we need to |we must |need to |must |debemos |hay que |tenemos que "),
    ("should", "we should |should "),
    (
        "",
        "from now on, |from now on |a partir de ahora |desde ahora |please, |please |por favor, |por favor |\
        we are going to |we're |we will |we'll |let's |we |decidimos |vamos a ",
    ),
];
/// A sentence as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// Lower case, letters and digits.
    canonical: String,
    /// Its words in their order, and names as they are written.
    words: Vec<String>,
    /// How those that do not begin a sentence are written, by their singular.
    written: BTreeMap<String, String>,
    articles: Vec<String>,
    /// Numbers, paths, names.
    names: BTreeSet<String>,
    /// What its lead makes of it: "must", "should", or "".
    duty: &'static str,
    asks: bool,
}

impl Claim {
    /// What a sentence claims.
    pub fn read(sentence: &str) -> Self {
        let sentence =
            without_lead(sentence).replace(['’', '‘'], "'").replace(['`', '"', '“', '”', '«', '»', '*'], " ");
        let sentence = if sentence.is_ascii() { sentence } else { sentence.nfc().collect() };
        let canonical = text::canonical(&sentence);
        let asks = sentence.trim_end().ends_with('?');
        let (led, duty) = without_duty(&sentence);
        let mut rest = led.to_owned();
        for (other, spelled) in SPELLINGS {
            if rest.contains(other) {
                rest = rest.replace(other, spelled);
            }
        }
        let mut claim = Self { canonical, duty, asks, ..Self::default() };
        let mut before = "";
        let mut tokens = rest.split_whitespace().peekable();
        while let Some(token) = tokens.next() {
            let next = tokens.peek().map(|next| bare(next));
            claim.token(token, before, next);
            before = if token.ends_with(['.', '!', '?']) { "" } else { bare(token) };
        }
        claim
    }

    /// Adds what is between two blanks.
    fn token(&mut self, token: &str, before: &str, next: Option<&str>) {
        let is_inside = !before.is_empty();
        let plain = bare(token);
        let lower = plain.to_lowercase();
        let is_article = ARTICLES.contains(&lower.as_str());
        let is_left_out = is_article || LEFT_OUT.contains(&lower.as_str());
        self.articles.extend(is_article.then(|| lower.clone()));
        // Plan A is no article, IT is no pronoun, and "no, do it" does not deny what it says.
        let is_little = is_left_out || plain.len() == 1 || text::is_stop_word(&lower);
        let is_capital = is_inside && is_little && plain.chars().all(char::is_uppercase);
        let is_answer = token.ends_with(',') && (DENIALS.contains(&lower.as_str()) || matches!(&*lower, "yes" | "sí"));
        if lower.is_empty() || plain == "-" {
        } else if is_capital || is_answer || plain.starts_with('-') || is_name(plain) {
            let name = if is_answer { token } else { plain };
            self.names.insert(name.to_owned());
            self.words.push(name.to_owned());
        } else if lower == "a" && matches!(next, Some("few" | "little")) {
            self.words.push(lower);
        } else {
            for word in text::words(plain).filter(|_| is_inside) {
                let word = word.strip_suffix("'s").unwrap_or(word);
                self.written.insert(singular(&word.to_lowercase()), word.to_owned());
            }
            let words = text::words(&lower).map(|word| word.trim_matches('\''));
            words.filter(|_| !is_left_out).for_each(|word| self.word(singular(word)));
        }
    }

    /// Adds a word: "the results of the test" are "the test results".
    fn word(&mut self, word: String) {
        let is_plain = |word: &String| !self.names.contains(word) && !PREPOSITIONS.has(word);
        match self.words.as_slice() {
            [.., thing, of] if of == "of" && is_plain(thing) => {
                self.words.pop();
                self.words.insert(self.words.len() - 1, word);
            }
            _ => self.words.push(word),
        }
    }

    /// Whether two sentences have the same words and the same signs that tell two names apart.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.canonical == other.canonical
            && self.asks == other.asks
            && self.names == other.names
            && !self.is_otherwise_written(other)
    }

    /// Whether the way in which one word is written is the point: its case ("go" is not "Go"), or its plural
    /// without an article ("var" is not "vars", but "a test" is "tests"). If two words differ, it is a form of the same
    /// sentence: "the test runs", "the tests run".
    fn is_otherwise_written(&self, other: &Self) -> bool {
        let pairs = self.written.iter().filter_map(|(word, mine)| Some((mine, other.written.get(word)?)));
        let (case, number): (Vec<_>, Vec<_>) = pairs
            .filter(|(mine, theirs)| mine != theirs)
            .partition(|(mine, theirs)| mine.to_lowercase() == theirs.to_lowercase());
        case.len() == 1 || number.len() == 1 && self.articles == other.articles
    }

    /// What it has in common with each sentence that says the same: its words in any order, without "-ing".
    pub fn alike(&self) -> Vec<String> {
        let mut words: Vec<String> = self.words.iter().map(|word| stem_of_verb(word).to_owned()).collect();
        words.sort();
        if words.is_empty() { vec![self.canonical.clone()] } else { words }
    }

    /// Whether two sentences say the same.
    pub fn is_same(&self, other: &Self) -> bool {
        if self.words.is_empty() {
            return self.is_equal(other);
        }
        let duty = self.duty.is_empty() || other.duty.is_empty() || self.duty == other.duty;
        let moved = || self.moves_to_the_head(other) || other.moves_to_the_head(self);
        duty && self.asks == other.asks && (self.has_words_of(other) || moved()) && !self.is_otherwise_written(other)
    }

    /// Whether the words are the same, but for "-ing" of the first: what is to be done can be told as what is being done.
    fn has_words_of(&self, other: &Self) -> bool {
        let (Some((first, rest)), Some((other_first, other_rest))) =
            (self.words.split_first(), other.words.split_first())
        else {
            return false;
        };
        rest == other_rest
            && (first == other_first || !rest.is_empty() && stem_of_verb(first) == stem_of_verb(other_first))
    }

    /// Whether the other sentence begins with the phrase with which this one ends.
    fn moves_to_the_head(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
            && other.words.first().is_some_and(|first| PREPOSITIONS.has(first))
            && (1..self.words.len()).any(|at| {
                let (head, phrase) = self.words.split_at(at);
                other.words.starts_with(phrase) && other.words.ends_with(head)
            })
    }

    /// Whether it begins with what must not be: "never", "do not", "nunca".
    pub fn forbids(&self) -> bool {
        self.words.iter().find(|word| *word != "do").is_some_and(|word| DENIALS.contains(&word.as_str()))
    }
}

/// A verb without "-ing", as far as that can be told: of "planning" and "plan", and of "caching" and "cache", it is the same.
fn stem_of_verb(word: &str) -> &str {
    let stem = word.strip_suffix("ing").filter(|stem| stem.len() > 2).unwrap_or(word).trim_end_matches('e');
    match stem.as_bytes() {
        [.., one, other] if one == other && one.is_ascii() => &stem[..stem.len() - 1],
        _ => stem,
    }
}

/// A sentence without a lead that says what we do, and the duty that the lead makes of it.
fn without_duty(sentence: &str) -> (&str, &'static str) {
    let sentence = sentence.trim_start();
    let mut all = LEADS.iter().flat_map(|(duty, leads)| leads.split('|').map(move |lead| (lead, *duty)));
    all.find_map(|(lead, duty)| Some((behind(sentence, lead)?, duty))).unwrap_or((sentence, ""))
}

/// What is behind the head of a sentence.
fn behind<'s>(sentence: &'s str, head: &str) -> Option<&'s str> {
    let (begins, rest) = sentence.split_at_checked(head.len())?;
    begins.eq_ignore_ascii_case(head).then_some(rest)
}

/// What a lead has that only says that something was said before, and what is beside it there.
static SAID: Words = Words::of(
    "acordamos agreed decided decidido decidimos decidió decision decisión dijimos mentioned noted recorded \
    remembered said",
);
static BESIDE_SAID: Words = Words::of(
    "already antes anterior as before como earlier en from have i i've in it la last memory on per previous \
    previously se session sesión the then was we we've were ya",
);

/// What a session's start writes before an item's day and id.
const TOLD_AS: &[&str] = &["decided", "fact", "failed", "learned", "wish"];

/// A sentence without a lead that only says that it was said before: "As decided earlier, …", or the head of a line that
/// a session was told at its start, "decided 2026-04-13 (89d3b8): …". Who repeats a claim makes no second one.
fn without_lead(sentence: &str) -> &str {
    let is_id = |id: &str| id.len() > HEAD && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((head, rest)) = sentence.split_once("): ")
        && let [told, _, id] = head.trim_start_matches(['-', ' ']).split(' ').collect::<Vec<_>>()[..]
        && TOLD_AS.contains(&told)
        && id.strip_prefix('(').is_some_and(is_id)
    {
        return rest;
    }
    let (mut says, mut rest) = (false, sentence);
    while let Some((token, behind)) = rest.trim_start().split_once(char::is_whitespace) {
        let word = bare(token).to_lowercase();
        let ends = matches!(word.as_str(), "that" | "to" | "que");
        says |= SAID.has(&word);
        if !ends && !SAID.has(&word) && !BESIDE_SAID.has(&word) {
            break;
        }
        if ends || token.ends_with([',', ':']) {
            return if says && !behind.trim().is_empty() { behind } else { sentence };
        }
        rest = behind;
    }
    sentence
}

/// A word without the ending of a plural.
fn singular(word: &str) -> String {
    let plain = word.strip_suffix("'s").unwrap_or(word);
    let is_other = plain.len() <= 3 || ["ss", "us", "is"].iter().any(|end| plain.ends_with(end));
    match plain.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        Some(stem) => format!("{stem}y"),
        None => plain.strip_suffix('s').filter(|_| !is_other).unwrap_or(plain).to_owned(),
    }
}

/// A token without the punctuation around it.
fn bare(token: &str) -> &str {
    let token =
        token.trim_start_matches(|c: char| !c.is_alphanumeric() && !is_sign(c) && !matches!(c, '-' | '.' | '!'));
    let token = token.trim_end_matches(|c: char| !c.is_alphanumeric() && (!is_sign(c) || c == ':'));
    if token.starts_with("..") { token.trim_start_matches('.') } else { token }
}

/// A number, a path, an identifier, a sign: what two sentences that say the same have in common.
fn is_name(token: &str) -> bool {
    let inner = token.trim_start_matches('-');
    let dotted = inner.split_once('.').is_some_and(|(_, end)| !end.is_empty());
    // An identifier; people write MacBook and macbook for the same.
    let humped = token.starts_with(char::is_lowercase) && token.chars().any(char::is_uppercase);
    token.chars().any(|c| c.is_ascii_digit())
        || humped
        || token.contains(is_sign)
        || token.starts_with('-') && token.len() > 1
        || token.contains(['(', '!'])
        || dotted
}

/// Signs that belong to a name: all but what is punctuation in some language.
fn is_sign(sign: char) -> bool {
    let is_mark = "!\"'(),-.;?[]`{}–—…·•“”„‘’«»¿¡".contains(sign)
        || matches!(sign, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}');
    !is_mark && !sign.is_alphanumeric() && !sign.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::restated::Telling;

    /// The lines of tests/claims.tsv with a label, without it.
    fn labelled(label: &str) -> impl Iterator<Item = Vec<&'static str>> {
        let lines = include_str!("../../tests/claims.tsv").lines().map(|line| line.split('\t').collect::<Vec<_>>());
        lines.filter(move |fields| fields[0] == label).map(|fields| fields[1..].to_vec())
    }

    fn is_same(a: &str, b: &str) -> bool {
        Claim::read(a).is_same(&Claim::read(b))
    }

    #[test]
    fn the_same_in_other_words_and_another_claim() {
        let claim = "Keep the queue as plain files, not in sqlite";
        let led = |label| labelled(label).map(move |lead| (format!("{} {claim}", lead[0]), claim.to_owned()));
        let pairs = |label| labelled(label).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
        // Who repeats a claim makes no second one; what a lead says besides counts.
        let missed: Vec<_> = pairs("same").chain(led("lead")).filter(|(a, b)| !is_same(a, b)).collect();
        let wrong: Vec<_> = pairs("different").chain(led("no-lead")).filter(|(a, b)| is_same(a, b)).collect();
        assert!(missed.is_empty() && wrong.is_empty(), "not found: {missed:#?}, called the same: {wrong:#?}");
        assert!(labelled("different").count() > 80 && labelled("no-lead").count() > 8);
        for whole in ["Decided:", "As decided, ", "that", "decided to ", "", "use", "is used for", "for,", "…,", "the,"]
        {
            assert!(is_same(whole, whole), "{whole}");
        }
    }

    /// No pair of tests/pairs.tsv that differs may be called the same, not even of one message; of those that are the same
    /// nearly half must be found.
    #[test]
    fn labelled_pairs() {
        let (mut wrong, mut missed) = (Vec::new(), Vec::new());
        let mut counts = [0_usize, 0];
        for line in include_str!("../../tests/pairs.tsv").lines() {
            let [label @ ("same" | "different"), group, _, _, a, b] = line.split('\t').collect::<Vec<_>>()[..] else {
                continue;
            };
            let (one, two) = (Claim::read(a), Claim::read(b));
            let near = one.is_same(&two);
            assert_eq!(near, two.is_same(&one), "{a} / {b}");
            assert!(!near && !one.is_equal(&two) || one.alike() == two.alike(), "{a} / {b}");
            counts[usize::from(label == "same")] += 1;
            match (label, near || Telling::read(a).is_same(&Telling::read(b), true)) {
                ("different", true) => wrong.push(format!("{group}: {a} / {b}")),
                ("same", _) if !near => missed.push(format!("{group}: {a} / {b}")),
                _ => {}
            }
        }
        let [different, same] = counts;
        assert!(different >= 413 && same >= 101, "{different} different, {same} same");
        assert!(wrong.is_empty(), "called the same: {wrong:#?}");
        // The pages say both.
        assert!((same - missed.len()) * 100 >= same * 45, "{} of {same} not found: {missed:#?}", missed.len());
    }

    #[test]
    fn one_other_word_and_sides_that_change_places_make_another_claim() {
        let mut wrong = Vec::new();
        for (frame, side) in labelled("frame").flat_map(|frame| labelled("side").map(move |side| (frame[0], side))) {
            let put = |first: &str, second: &str| frame.replacen("{}", first, 1).replacen("{}", second, 1);
            let (one, two) = (put(side[0], side[1]), put(side[1], side[0]));
            assert!(is_same(&one, &one) && Claim::read(&one).is_equal(&Claim::read(&one)));
            wrong.extend(is_same(&one, &two).then_some(one));
        }
        for (place, pair) in labelled("place").flat_map(|place| labelled("words").map(move |pair| (place[0], pair))) {
            let [one, two] = [0, 1].map(|at| place.replace("{}", pair[at]));
            wrong.extend(is_same(&one, &two).then_some(one));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
