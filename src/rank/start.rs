//! How much an item of the past matters where work goes on now: 0.6 of what it names (the files that
//! changed in this checkout, the words of its branch) and 0.4 of how new it is beside the newest one.
//! The same items and the same checkout give the same order.

use super::words::{ByWord, tokens};
use crate::base::{clock, text};
use crate::record::item::Item;
use jiff::Timestamp;

const ENTITY: f64 = 0.6;
const RECENCY: f64 = 0.4;
/// What naming each of them counts.
const FILE: f64 = 1.0;
const STEM: f64 = 0.6;
const CONCEPT: f64 = 0.5;
const FOLDER: f64 = 0.3;
const WORD: f64 = 0.2;
/// The shortest of the words at hand, in characters.
const SHORTEST_WORD: usize = 4;
/// Hours from 1.0 to 0.5, and from then on to each half.
const FRESH_HOURS: f64 = 48.0;
const HALF_HOURS: f64 = 168.0;
/// Names that every project has, and that say nothing.
const COMMON: &[&str] = &[
    "app", "bin", "build", "chore", "config", "dev", "develop", "doc", "docs", "feat", "feature", "fix", "hotfix",
    "index", "init", "lib", "main", "master", "mod", "package", "readme", "release", "scripts", "src", "test", "tests",
    "trunk", "update", "utils", "wip",
];
/// The shortest name that says something, in characters.
const SHORTEST: usize = 3;

/// What work goes on with now.
#[derive(Clone, Debug, Default)]
pub struct Focus {
    /// Paths, files' stems, words of the branch, folders and words at hand, in lower case, each with what naming it counts.
    names: ByWord<String, f64>,
}

impl Focus {
    /// The focus of a checkout: paths from its top, and its branch.
    pub fn new(paths: &[String], branch: Option<&str>) -> Self {
        let mut focus = Self::default();
        for path in paths {
            let path = path.to_lowercase();
            let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
            folders.split('/').for_each(|folder| focus.add_telling(folder, FOLDER));
            if !name.is_empty() {
                focus.add_telling(stem(name), STEM);
                focus.add(&path, FILE);
            }
        }
        let words = branch.unwrap_or_default().to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.chars().all(|c| c.is_ascii_digit()))
            .for_each(|word| focus.add_telling(word, CONCEPT));
        focus
    }

    /// With the words of what is at hand: what the last session was about, and its files.
    #[must_use]
    pub fn with_words(mut self, text: &str) -> Self {
        let lower = text.to_lowercase();
        for token in tokens(&lower).filter(|token| token.chars().count() >= SHORTEST_WORD && tells(token)) {
            if token.contains('.') && token.contains(char::is_alphabetic) {
                self.add(token, FILE);
            } else if !text::is_stop_word(token) {
                self.add(token, WORD);
            }
        }
        self
    }

    fn add_telling(&mut self, name: &str, counts: f64) {
        if tells(name) {
            self.add(name, counts);
        }
    }

    fn add(&mut self, name: &str, counts: f64) {
        let known = self.names.entry(name.to_owned()).or_insert(counts);
        *known = known.max(counts);
    }

    /// Whether an item names a file, a folder or a word of the branch.
    pub fn fits(&self, item: &Item) -> bool {
        self.entity(item) > WORD
    }

    /// What an item names of it, 0 to 1: the best of a file, a file's stem, a word of the branch (as a
    /// tag, too), a folder, a word at hand.
    fn entity(&self, item: &Item) -> f64 {
        let texts =
            [&item.summary, &item.context, &item.rationale, &item.root_cause, &item.resolution, &item.prevention];
        let texts = texts.into_iter().chain([&item.learning, &item.body]);
        let mut best = 0.0;
        for text in texts.chain(&item.tags).filter(|text| !text.is_empty()) {
            let lower = if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() };
            best = tokens(&lower).map(|token| self.token(token)).fold(best, f64::max);
        }
        best
    }

    fn token(&self, token: &str) -> f64 {
        let counts = |name: &str| self.names.get(name).copied().unwrap_or(0.0);
        // Nearly all tokens are plain words.
        if token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return counts(token);
        }
        if self.names_file(token) {
            return FILE;
        }
        // A part of a longer name is at most a word of the branch.
        let parts = token.split(|c: char| !c.is_alphanumeric()).map(|part| counts(part).min(CONCEPT));
        parts.chain(token.split('/').map(|folder| counts(folder).min(FOLDER))).fold(counts(token), f64::max)
    }

    /// Whether a path is one of ours, from any folder above or below the top. Of `mod.rs` every project
    /// has many: alone it names none below a folder.
    fn names_file(&self, token: &str) -> bool {
        let name = token.rsplit('/').next().unwrap_or(token);
        let says_which = token.contains('/') || tells(stem(name));
        let inside = |whole: &str, end: &str| whole.strip_suffix(end).is_some_and(|up| up.ends_with('/'));
        let names = |file: &str| file.contains('/') && inside(token, file) || says_which && inside(file, token);
        name.contains('.') && self.names.iter().any(|(file, counts)| *counts >= FILE && names(file))
    }

    /// The places of `items` in the order of what they count, the best first, and whether each [`Focus::fits`]; ties: the
    /// newer first.
    pub fn order(&self, items: &[(&Item, Option<Timestamp>)]) -> Vec<(usize, bool)> {
        let newest = items.iter().filter_map(|(_, time)| *time).max();
        let mut scored: Vec<(f64, Option<Timestamp>, usize, bool)> = items
            .iter()
            .enumerate()
            .map(|(at, (item, time))| {
                let age = newest.zip(*time).map(|(newest, time)| clock::seconds_between(time, newest));
                let entity = self.entity(item);
                (ENTITY.mul_add(entity, RECENCY * recency(age)), *time, at, entity > WORD)
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.cmp(&a.2)));
        scored.into_iter().map(|(_, _, at, fits)| (at, fits)).collect()
    }
}

/// A file's name up to its first dot.
fn stem(name: &str) -> &str {
    name.trim_start_matches('.').split('.').next().unwrap_or_default()
}

/// Whether a name says something.
fn tells(name: &str) -> bool {
    name.chars().count() >= SHORTEST && !COMMON.contains(&name)
}

/// How new something is that is so many seconds older than the newest, 1 to 0: 1.0 to 0.5 over 48 hours,
/// then half of that every 7 days. What has no time is as old as can be.
fn recency(age_seconds: Option<i64>) -> f64 {
    let Some(seconds) = age_seconds else { return 0.0 };
    let hours = f64::from(i32::try_from(seconds.max(0) / 60).unwrap_or(i32::MAX)) / 60.0;
    if hours <= FRESH_HOURS {
        1.0 - 0.5 * hours / FRESH_HOURS
    } else {
        0.5 * (-(hours - FRESH_HOURS) / HALF_HOURS).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use crate::record::item::ItemKind;

    fn item(summary: &str) -> Item {
        Item::new(ItemKind::Decision, summary)
    }

    #[test]
    fn the_best_name_counts() {
        let paths = ["src/transcript/scan.rs", "src/gate/mod.rs", "README.md", "notes/"].map(str::to_owned);
        let focus = Focus::new(&paths, Some("feat/index-rebuild-scan"));
        for [text, wanted] in rows(include_str!("start.tsv")) {
            let (found, wanted): (f64, f64) = (focus.entity(&item(&text)), wanted.parse().unwrap());
            assert!((found - wanted).abs() < 1e-9, "{text}: {found}");
        }
    }

    #[test]
    fn time_halves() {
        let hour = 3600;
        for (hours, wanted) in [(0, 1.0), (24, 0.75), (48, 0.5), (48 + 168, 0.25), (48 + 336, 0.125)] {
            assert!((recency(Some(hours * hour)) - wanted).abs() < 1e-9, "{hours}");
        }
        assert!(recency(None) < 1e-9 && recency(Some(i64::MAX)) < 1e-9);
    }

    #[test]
    fn a_named_file_beats_a_newer_item() {
        let focus = Focus::new(&["src/gate.rs".to_owned()], None);
        let items = [item("Bump the version"), item("gate.rs says why"), item("Write a page")];
        let times = ["2026-04-13T10:00:00Z", "2026-03-13T10:00:00Z", "2026-04-12T10:00:00Z"].map(clock::parse);
        let items: Vec<_> = items.iter().zip(times).collect();
        assert_eq!(focus.order(&items), [(1, true), (0, false), (2, false)]);
    }
}
