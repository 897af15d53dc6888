//! The week of all projects, from their journals and handoffs: what was decided, what failed and what of that came back,
//! what was learned in more than one project, and what is open longest.

use super::LearningPair;
use crate::base::{clock, text};
use crate::record::item::Gist;
use crate::tool::report::{JournalPoint, Material};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How long a week is.
const SECONDS: i64 = 7 * 24 * 3600;
/// The most lines of a section.
const DECIDED: usize = 16;
const FAILED: usize = 10;
const LEARNED: usize = 6;
const OPEN: usize = 8;
/// The share of their words that two failures of one kind have in common: one word more or less in seven.
const SAME_WORDS: f64 = 0.85;

/// A part of the page.
pub struct WeekSection {
    /// Its heading.
    pub title: &'static str,
    /// What it tells, each on a line.
    pub lines: Vec<String>,
    /// How many did not fit.
    pub left: usize,
}

impl WeekSection {
    fn new(title: &'static str, most: usize, lines: impl Iterator<Item = String>) -> Self {
        let mut lines: Vec<String> = lines.collect();
        let left = lines.split_off(most.min(lines.len())).len();
        Self { title, lines, left }
    }

    /// Its lines on the page.
    pub fn text(&self) -> String {
        let mut text = format!("\n## {}\n\n- {}\n", self.title, self.lines.join("\n- "));
        if self.left > 0 {
            let _ = writeln!(text, "- and {} more", self.left);
        }
        text
    }
}

/// The sections that have something to say; `shown` is a text as a page may show it.
pub fn sections(
    all: &Material,
    pairs: &[LearningPair<'_>],
    now: Timestamp,
    shown: impl Fn(&str) -> String,
) -> Vec<WeekSection> {
    let since = clock::after(now, -SECONDS);
    let is_new = |time: Option<Timestamp>| time.is_some_and(|time| since <= time && time <= now);
    let is_told = |point: &&JournalPoint| {
        let entry = &point.entry;
        is_new(entry.time) && entry.item.grounded && entry.holds() && entry.imported_from().is_none()
    };
    let sentence = |point: &JournalPoint| format!("{}: {}", shown(&point.project), shown(point.entry.item.sentence()));
    let day = |time: Option<Timestamp>| time.map_or_else(|| "an unknown day".to_owned(), clock::local_day);

    let decided = all.decisions.iter().filter(is_told);
    let decided = decided.map(|point| format!("{} ({})", sentence(point), day(point.entry.time)));

    let mut failed: Vec<(Option<Timestamp>, &JournalPoint)> =
        all.failures.iter().filter(is_told).map(|point| (first_time(point, &all.failures), point)).collect();
    failed.sort_by_key(|(before, _)| before.is_none());
    let failed = failed.into_iter().map(|(before, point)| {
        let (mut said, prevention) = (sentence(point), shown(&point.entry.item.prevention));
        if !prevention.is_empty() {
            let _ = write!(said, "; to prevent it: {prevention}");
        }
        if before.is_some() {
            let _ = write!(said, "; it came back, and is known since {}", day(before));
        }
        said
    });

    let learned = pairs.iter().filter(|pair| pair.older.origin != pair.newer.origin);
    let learned = learned.map(|pair| {
        let (one, other) = (shown(&pair.older.origin), shown(&pair.newer.origin));
        format!("{} ({one}, {other})", shown(&pair.newer.item.summary))
    });

    // The newest first, as it is read.
    let open = all.open.iter().rev().filter(|open| open.time.is_some_and(|time| time < since));
    let open = open
        .map(|open| format!("{}: {} (spoken of last on {})", shown(&open.project), shown(&open.text), day(open.time)));

    let mut sections = vec![
        WeekSection::new("Decided", DECIDED, decided),
        WeekSection::new("Failed", FAILED, failed),
        WeekSection::new("Learned in more than one project", LEARNED, learned),
        WeekSection::new("Open longest", OPEN, open),
    ];
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// When a failure was first there in another session of its project, where it was: of the same words in any order, too.
fn first_time(point: &JournalPoint, all: &[JournalPoint]) -> Option<Timestamp> {
    let words =
        |point: &JournalPoint| Gist::of_item(&point.entry.item).words().into_iter().collect::<BTreeSet<String>>();
    let (entry, here) = (&point.entry, words(point));
    let is_same = |other: &&JournalPoint| text::jaccard(&here, &words(other)) >= SAME_WORDS;
    let is_earlier = |other: &&JournalPoint| {
        other.project == point.project && other.entry.session_id != entry.session_id && other.entry.time < entry.time
    };
    all.iter().filter(is_earlier).filter(is_same).filter_map(|other| other.entry.time).min()
}
