//! Which learnings may say the same. Two whose texts are equal but for case and signs do; else the words that they have
//! in common decide, of the shorter one and of both, unless they differ in a number, in names, in the order of two sides
//! or in a word and its opposite. Only neighbours are compared: those that an inverted index finds by rare words (BM25).
//! What two are counted depends on them alone, so the same two are a pair in any folder.

mod read;

use crate::base::text;
use crate::base::word_enum::words;
use read::{Read, Reader};
use std::collections::{HashMap, HashSet};

/// The share of the words of the shorter one, and that of the words of both.
const OF_SHORTER: f64 = 0.8;
const OF_BOTH: f64 = 0.2;
/// What each name and number adds that both have; three of them count.
const OF_NAME: f64 = 0.1;
/// The least that a pair must reach, and what the words that both have must weigh.
const LEAST: f64 = 0.58;
const LEAST_WEIGHT: f64 = 2.0;
/// Shingles in common, as a share of all, from which on the texts are alike.
const ALIKE: f64 = 0.5;
/// A text of fewer words is not compared whole.
const LEAST_WORDS: usize = 4;
/// How many neighbours of each are compared.
const NEIGHBOURS: usize = 12;
/// BM25's constants.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// A word that more than one in so many have finds no neighbours; in a small folder each word does.
const RARE: usize = 12;
const SMALL_FOLDER: usize = 40;

/// A learning.
#[derive(Clone, Copy, Debug)]
pub struct Said<'t> {
    /// Its title.
    pub title: &'t str,
    /// Its text.
    pub text: &'t str,
}

words! {
    /// Why two are a pair.
    Reason {
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
    pub reason: Reason,
}

/// The pairs among learnings, the most similar first.
pub fn pairs(all: &[Said<'_>]) -> Vec<Pair> {
    let mut reader = Reader::new();
    let read: Vec<Read> = all.iter().map(|said| reader.read(said)).collect();
    let mut found: Vec<Pair> = equal(&read).into_iter().map(|places| pair(places, 1.0, Reason::SameText)).collect();
    let mut seen: HashSet<(usize, usize)> = found.iter().map(|pair| pair.places).collect();
    let index = Index::new(&read);
    let mut scores = vec![0.0; read.len()];
    for (at, one) in read.iter().enumerate() {
        for other in index.neighbours(at, one, &mut scores) {
            let places = (at.min(other), at.max(other));
            if let Some(two) = read.get(other).filter(|_| seen.insert(places)) {
                found.extend(judge(one, two).map(|(similarity, reason)| pair(places, similarity, reason)));
            }
        }
    }
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.places.cmp(&b.places)));
    found
}

fn pair(places: (usize, usize), similarity: f64, reason: Reason) -> Pair {
    Pair { places, similarity, reason }
}

/// The places of those whose texts are equal: each with the first of its kind.
fn equal(all: &[Read]) -> Vec<(usize, usize)> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let long = all.iter().enumerate().filter(|(_, one)| one.canonical.split(' ').count() >= LEAST_WORDS);
    let mut found = Vec::new();
    for (at, one) in long {
        let known = *first.entry(&one.canonical).or_insert(at);
        if known != at {
            found.push((known, at));
        }
    }
    found
}

/// How similar two are, and why; none where they are no pair.
fn judge(one: &Read, other: &Read) -> Option<(f64, Reason)> {
    let common = common(&one.words, &other.words);
    let (mine, theirs) = (weight(&one.words), weight(&other.words));
    let both = mine + theirs - common;
    let similarity = OF_SHORTER * common / mine.min(theirs).max(1.0) + OF_BOTH * common / both.max(1.0);
    let named = [0.0, OF_NAME, 2.0 * OF_NAME].get(one.shared(other)).copied().unwrap_or(OF_NAME * 3.0);
    let similarity = similarity + named;
    if similarity < LEAST || common < LEAST_WEIGHT || one.differs(other) {
        return None;
    }
    let alike = text::jaccard(&one.shingles, &other.shingles) >= ALIKE;
    Some((similarity.min(1.0), if alike { Reason::Shingles } else { Reason::Words }))
}

fn weight(words: &[(u32, f64)]) -> f64 {
    words.iter().map(|(_, weight)| weight).sum()
}

/// What the words weigh that are in both lists, which are sorted.
fn common(one: &[(u32, f64)], other: &[(u32, f64)]) -> f64 {
    let mut others = other.iter().peekable();
    let mut sum = 0.0;
    for (word, weight) in one {
        while others.next_if(|(next, _)| next < word).is_some() {}
        if others.peek().is_some_and(|(next, _)| next == word) {
            sum += weight;
        }
    }
    sum
}

/// Which learnings have a word.
struct Index {
    /// For each word the places, with what it counts there.
    postings: HashMap<u32, Vec<(usize, f64)>>,
}

impl Index {
    #[allow(clippy::cast_precision_loss)] // counts of words: far below 2^52
    fn new(all: &[Read]) -> Self {
        let mut postings: HashMap<u32, Vec<(usize, f64)>> = HashMap::new();
        for (at, one) in all.iter().enumerate() {
            for (word, _) in &one.words {
                postings.entry(*word).or_default().push((at, 0.0));
            }
        }
        let most = (all.len() / RARE).max(SMALL_FOLDER);
        postings.retain(|_, places| places.len() > 1 && places.len() <= most);
        let average = all.iter().map(|one| one.words.len()).sum::<usize>() as f64 / all.len().max(1) as f64;
        for places in postings.values_mut() {
            let having = places.len() as f64;
            let rare = ((all.len() as f64 - having + 0.5) / (having + 0.5)).ln_1p();
            for (at, counts) in places {
                let length = all.get(*at).map_or(0, |one| one.words.len()) as f64 / average.max(1.0);
                // Each word is counted once, however often it is there.
                *counts = rare * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * length));
            }
        }
        Self { postings }
    }

    /// The best neighbours of one. `scores` are zeros, before and after.
    fn neighbours(&self, at: usize, one: &Read, scores: &mut [f64]) -> Vec<usize> {
        let mut touched: Vec<usize> = Vec::new();
        for (other, counts) in one.words.iter().filter_map(|(word, _)| self.postings.get(word)).flatten() {
            if let Some(score) = scores.get_mut(*other).filter(|_| *other != at) {
                if *score <= 0.0 {
                    touched.push(*other);
                }
                *score += counts;
            }
        }
        let mut best: Vec<(f64, usize)> =
            touched.into_iter().filter_map(|other| Some((std::mem::take(scores.get_mut(other)?), other))).collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if best.len() > NEIGHBOURS {
            best.select_nth_unstable_by(NEIGHBOURS, order);
            best.truncate(NEIGHBOURS);
        }
        best.into_iter().map(|(_, other)| other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_pair(a: (&str, &str), b: (&str, &str)) -> Option<Reason> {
        let all = [Said { title: a.0, text: a.1 }, Said { title: b.0, text: b.1 }];
        pairs(&all).first().map(|pair| pair.reason)
    }

    #[test]
    fn the_same_lesson_is_a_pair() {
        let one = ("Quote variables", "Unquoted variables are split at blanks: write \"$file\".");
        let two = ("quote variables!", "Unquoted variables are split at blanks - write $file");
        assert_eq!(is_pair(one, two), Some(Reason::SameText));
        let long = ("Iterate with SCAN", "Redis was blocked, as a script called KEYS, which walks over the keyspace.");
        let short = ("Redis KEYS walks over the keyspace", "It blocked Redis; scripts iterate with SCAN.");
        assert_eq!(is_pair(long, short), Some(Reason::Words));
    }

    #[test]
    fn what_differs_in_one_thing_is_no_pair() {
        let text = "Set PGPORT in the test job because the port of the runner's own server is taken";
        for (one, other) in [
            ("Postgres listens on port 5433", "Postgres listens on port 5434"),
            ("Enable autovacuum for the runner", "Disable autovacuum for the runner"),
            ("Commit the lockfile of the runner", "Do not commit the lockfile of the runner"),
            ("Run the migration before the deployment", "Run the deployment before the migration"),
            ("Run the migration before the deployment", "Run the migration after the deployment"),
            ("Run the migration before the deployment", "Run the deployment before the announcement"),
            ("Migrate the schema, then deploy", "Deploy, then migrate the schema"),
            ("Prefer Poetry over Pipenv", "Prefer Pipenv over Poetry"),
            ("The runner hangs without a tag", "The runner hangs without memory"),
            ("Give the runner 4 GB", "Let the runner have 8 GB"),
            ("Stop purging the cache of the runner at night", "Purge the cache of the runner at night"),
            ("Use tabs instead of spaces", "Use spaces instead of tabs"),
        ] {
            assert_eq!(is_pair((one, &format!("{text} 1.")), (other, &format!("{text}, 1"))), Some(Reason::SameText));
            let (a, b) = (format!("{text} always"), format!("{text} everywhere"));
            assert_eq!(is_pair((one, &a), (other, &b)), None, "{one}");
            assert_eq!(is_pair((one, &a), (one, &b)), Some(Reason::Shingles), "{one}");
        }
        let shared = "The lockfile of the repository fixes its dependencies, another tool installs other versions";
        assert_eq!(is_pair(("Use Poetry", shared), ("Use Pipenv", &format!("{shared} now"))), None);
    }

    #[test]
    fn a_title_with_two_times_is_like_itself() {
        let text = "The smoke tests of the ledger found what the migration had broken before any customer saw it";
        for (one, other) in [
            (
                "Run smoke tests after the deploy, before opening traffic",
                "Run smoke tests after the deploy, before opening traffic",
            ),
            (
                "Stop the worker before the backup, then restart it",
                "Stop the worker before the backup, then restart it",
            ),
            ("Stop the worker during the backup", "The worker is stopped during the backup"),
        ] {
            assert!(
                is_pair((one, &format!("{text} always")), (other, &format!("{text} everywhere"))).is_some(),
                "{one}"
            );
        }
    }

    #[test]
    fn the_order_of_the_learnings_does_not_matter() {
        let said =
            |n: usize| (format!("Topic{n} needs matter{n}"), format!("Because of cause{n} and effect{n} in house{n}."));
        let texts: Vec<(String, String)> = (0..50).map(|n| said(n % 25)).collect();
        let mut all: Vec<Said<'_>> = texts.iter().map(|(title, text)| Said { title, text }).collect();
        let found = pairs(&all).len();
        all.reverse();
        assert_eq!((found, pairs(&all).len()), (25, 25));
        assert_eq!((pairs(&[]), pairs(&all[..1])), (vec![], vec![]));
    }
}
