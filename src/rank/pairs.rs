//! Which learnings may say the same. Two whose texts are equal but for case and signs do; else the words that they have
//! in common decide, of the shorter one and of both, unless they differ in a number or their titles speak of two things
//! (see [`Telling::differs`]). What two are counted depends on them alone, so the same two are a pair in any folder.

use crate::base::word_enum::words;
use crate::base::{diff, text};
use crate::rank::recall::words_of;
use crate::rank::stems::Stems;
use crate::rank::words::{COMMON, is_small, tokens};
use crate::record::restated::Telling;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The share of the words of the shorter one, and that of the words of both.
const OF_SHORTER: f64 = 0.8;
const OF_BOTH: f64 = 0.2;
/// What an everyday word weighs; others weigh 1.
const OF_COMMON: f64 = 0.3;
/// What each name and number adds that both have, and how many of them count.
const OF_NAME: f64 = 0.1;
const NAMES: usize = 3;
/// The least that a pair must reach, and what the words that both have must weigh.
const LEAST: f64 = 0.62;
const LEAST_WEIGHT: f64 = 2.0;
/// Runs of three words in common, as a share of all, from which on the texts are alike.
const ALIKE: f64 = 0.5;
/// A text of fewer words is not compared whole.
const LEAST_WORDS: usize = 4;
/// Titles that begin with so many of the same words, and then differ, are of two lessons.
const SAME_HEAD: usize = 2;
/// In how many pairs one can be with those before it.
const NEIGHBOURS: usize = 12;

/// A learning.
#[derive(Clone, Copy, Debug)]
pub struct PairText<'t> {
    /// Its title.
    pub title: &'t str,
    /// Its text.
    pub text: &'t str,
}

words! {
    /// Why two are a pair.
    PairReason {
        /// The texts are equal but for case and signs.
        SameText = "same_text",
        /// They have most runs of three words in common.
        Shingles = "shingles",
        /// They have most words in common.
        Words = "words",
    }
}

/// Two that may say the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Their places, the smaller one first.
    pub places: (usize, usize),
    /// 0 to 1.
    pub similarity: f64,
    /// Why.
    pub reason: PairReason,
}

/// The pairs among learnings, the most similar first.
pub fn pairs(all: &[PairText<'_>]) -> Vec<Pair> {
    let reader = LearningReader::new();
    let read: Vec<Compared> = all.iter().map(|said| reader.read(said)).collect();
    // For each word the learnings so far that have it.
    let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (at, one) in read.iter().enumerate() {
        // What the words weigh that this one and each one before it have.
        let mut common = vec![0.0; at];
        for (word, weight) in &one.words {
            let before = having.entry(word).or_default();
            for other in before.iter() {
                common[*other] += weight;
            }
            before.push(at);
        }
        let mut near: Vec<Pair> = Vec::new();
        for (other, common) in common.into_iter().enumerate() {
            let judged = judge(one, &read[other], common);
            near.extend(judged.map(|(similarity, reason)| Pair { places: (other, at), similarity, reason }));
        }
        near.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        found.extend(near.into_iter().take(NEIGHBOURS));
    }
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.places.cmp(&b.places)));
    found
}

/// How similar two are, and why; None if they are no pair. `common` is what the words weigh that both have.
fn judge(one: &Compared, other: &Compared, common: f64) -> Option<(f64, PairReason)> {
    if one.canonical == other.canonical && one.canonical.split(' ').count() >= LEAST_WORDS {
        return Some((1.0, PairReason::SameText));
    }
    if common < LEAST_WEIGHT {
        return None;
    }
    let both = one.weight + other.weight - common;
    let names: f64 = one.names.intersection(&other.names).take(NAMES).map(|_| OF_NAME).sum();
    let similarity = OF_SHORTER * common / one.weight.min(other.weight) + OF_BOTH * common / both + names;
    if similarity < LEAST || one.differs(other) {
        return None;
    }
    let is_alike = text::jaccard(&runs(&one.canonical), &runs(&other.canonical)) >= ALIKE;
    Some((similarity.min(1.0), if is_alike { PairReason::Shingles } else { PairReason::Words }))
}

/// The runs of three words of a text.
fn runs(canonical: &str) -> BTreeSet<Vec<&str>> {
    canonical.split(' ').collect::<Vec<_>>().windows(3).map(<[&str]>::to_vec).collect()
}

/// A learning as it is compared.
struct Compared {
    /// Its text in lower case without signs.
    canonical: String,
    title: Telling,
    /// The words of its title in their order.
    head: Vec<String>,
    /// All its words, each with its weight, and the weight of all.
    words: BTreeMap<String, f64>,
    weight: f64,
    /// Names and numbers.
    names: BTreeSet<String>,
}

/// Reads learnings.
struct LearningReader {
    stems: Stems,
    common: HashSet<String>,
}

impl LearningReader {
    fn new() -> Self {
        let stems = Stems::default();
        let common = COMMON.split_whitespace().map(|word| stems.of(word)).collect();
        Self { stems, common }
    }

    fn read(&self, said: &PairText<'_>) -> Compared {
        let mut names = BTreeSet::new();
        let head = self.words(said.title, &mut names);
        let all = head.iter().cloned().chain(self.words(said.text, &mut names));
        let weighed = |word: String| {
            let weight = if self.common.contains(&word) { OF_COMMON } else { 1.0 };
            (word, weight)
        };
        let words: BTreeMap<String, f64> = all.map(weighed).collect();
        let weight = words.values().sum();
        Compared { canonical: text::canonical(said.text), title: Telling::read(said.title), head, words, weight, names }
    }

    /// The stems of the words of a text; its names and numbers go into `names`.
    fn words(&self, text: &str, names: &mut BTreeSet<String>) -> Vec<String> {
        let mut words = Vec::new();
        for (at, token) in tokens(text).enumerate() {
            let before = words.len();
            let parts = words_of(token).into_iter().filter(|part| !is_small(part));
            words.extend(parts.map(|part| self.stems.of(&part)));
            let numbers = token.split(|c: char| !c.is_ascii_digit() && c != '.').map(|number| number.trim_matches('.'));
            names.extend(numbers.filter(|number| !number.is_empty()).map(str::to_owned));
            // A name has signs, digits or capitals, and is no everyday word.
            let is_plain = |letter: char| letter.is_lowercase() || letter == '-';
            let is_rare = words[before..].iter().any(|word| !self.common.contains(word));
            if is_rare && !token.chars().skip(usize::from(at == 0)).all(is_plain) {
                names.insert(token.to_lowercase());
            }
        }
        words
    }
}

impl Compared {
    /// Whether each has a number that the other one lacks, or their titles speak of two things.
    fn differs(&self, other: &Self) -> bool {
        let is_number = |name: &String| !name.contains(char::is_alphabetic);
        let has_own = |one: &Self, two: &Self| one.names.difference(&two.names).any(is_number);
        has_own(self, other) && has_own(other, self) || self.title.differs(&other.title) || self.has_other_title(other)
    }

    /// Whether the titles put two things in one place ("fails because of a", "fails because of b"): they begin alike and
    /// then differ, or are alike in more than half and each has a word that the other learning lacks.
    fn has_other_title(&self, other: &Self) -> bool {
        let (mine, theirs) = (&self.head, &other.head);
        let lacks = |one: &[String], has: &dyn Fn(&String) -> bool| one.iter().any(|word| !has(word));
        let begins = mine.iter().zip(theirs).take_while(|(one, other)| one == other).count();
        let alike = diff::common(mine, theirs).len();
        begins >= SAME_HEAD && lacks(mine, &|word| theirs.contains(word)) && lacks(theirs, &|word| mine.contains(word))
            || alike > 1
                && alike * 2 > mine.len().min(theirs.len())
                && lacks(mine, &|word| other.words.contains_key(word))
                && lacks(theirs, &|word| self.words.contains_key(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn is_pair(a: (&str, &str), b: (&str, &str)) -> Option<PairReason> {
        let all = [PairText { title: a.0, text: a.1 }, PairText { title: b.0, text: b.1 }];
        pairs(&all).first().map(|pair| pair.reason)
    }

    #[test]
    fn the_same_lesson_is_a_pair() {
        let one = ("Quote variables", "Unquoted variables are split at blanks: write \"$file\".");
        let two = ("quote variables!", "Unquoted variables are split at blanks - write $file");
        assert_eq!(is_pair(one, two), Some(PairReason::SameText));
        let long = ("Iterate with SCAN", "Redis was blocked, as a script called KEYS, which walks over the keyspace.");
        let short = ("Redis KEYS walks over the keyspace", "It blocked Redis; scripts iterate with SCAN.");
        assert_eq!(is_pair(long, short), Some(PairReason::Words));
    }

    #[test]
    fn what_differs_in_one_thing_is_no_pair() {
        let text = "Set PGPORT in the test job because the port of the runner's own server is taken";
        for [one, other] in rows(include_str!("pairs.tsv")) {
            let (one, other) = (one.as_str(), other.as_str());
            assert_eq!(
                is_pair((one, &format!("{text} 1.")), (other, &format!("{text}, 1"))),
                Some(PairReason::SameText)
            );
            let (a, b) = (format!("{text} always"), format!("{text} everywhere"));
            assert_eq!(is_pair((one, &a), (other, &b)), None, "{one}");
            assert_eq!(is_pair((one, &a), (one, &b)), Some(PairReason::Shingles), "{one}");
        }
        let shared = "The lockfile of the repository fixes its dependencies, another tool installs other versions";
        assert_eq!(is_pair(("Use Poetry", shared), ("Use Pipenv", &format!("{shared} now"))), None);
    }

    #[test]
    fn a_title_with_two_times_is_like_itself() {
        let text = "The smoke tests of the ledger found what the migration had broken before any customer saw it";
        let smoke = "Run smoke tests after the deploy, before opening traffic";
        let worker = "Stop the worker before the backup, then restart it";
        let turned = ("Stop the worker during the backup", "The worker is stopped during the backup");
        for (one, other) in [(smoke, smoke), (worker, worker), turned] {
            let [first, second] = ["always", "everywhere"].map(|more| format!("{text} {more}"));
            assert!(is_pair((one, &first), (other, &second)).is_some(), "{one}");
        }
    }

    #[test]
    fn the_order_of_the_learnings_does_not_matter() {
        let said =
            |n: usize| (format!("Topic{n} needs matter{n}"), format!("Because of cause{n} and effect{n} in house{n}."));
        let texts: Vec<(String, String)> = (0..50).map(|n| said(n % 25)).collect();
        let mut all: Vec<PairText<'_>> = texts.iter().map(|(title, text)| PairText { title, text }).collect();
        let found = pairs(&all).len();
        all.reverse();
        assert_eq!((found, pairs(&all).len()), (25, 25));
        assert_eq!((pairs(&[]), pairs(&all[..1])), (vec![], vec![]));
    }
}
