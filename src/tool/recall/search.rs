//! Reads every text once, on all processors, and says which answer best. The texts go by in rounds: where so many words
//! were found that they would fill the memory, only what is worth most so far is kept behind a round.

use super::Wish;
use super::places::Source;
use super::text::{self, Text};
use crate::base::clock;
use crate::base::text::share;
use crate::rank::{Counts, Hits, Judge, Query, Scanner};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The texts of a round, and the places of words behind which only the best texts are kept, and how many.
const ROUND: usize = 8192;
const KEPT_WORDS: usize = 2 << 20;
const KEPT: usize = 1000;
/// The most threads.
const THREADS: usize = 8;
/// What the newest text has over the oldest one: it decides only where both answer equally well.
const RECENT: f64 = 0.01;

/// How many files were not searched, by why.
pub type Skipped = BTreeMap<&'static str, usize>;

/// A text that answers, and how well.
pub struct Best<'s> {
    pub source: &'s Source,
    pub score: f64,
    /// The first and the last byte of its best part's words.
    pub part: (usize, usize),
}

/// A text with words of the query, as it was judged last.
struct TextHits<'s> {
    best: Best<'s>,
    /// Its place among the sources.
    at: usize,
    bytes: usize,
    hits: Hits,
    time: Option<Timestamp>,
    is_over: bool,
    has_phrases: bool,
}

/// What was found, by one thread or by all.
struct Found<'s> {
    counts: Counts,
    seen: Vec<TextHits<'s>>,
    skipped: Skipped,
}

impl<'s> Found<'s> {
    fn new(query: &Query) -> Self {
        Self { counts: Counts::new(query), seen: Vec::new(), skipped: Skipped::new() }
    }

    fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
        self.seen.extend(other.seen);
        other.skipped.into_iter().for_each(|(why, count)| *self.skipped.entry(why).or_default() += count);
    }

    /// Searches a text; if it cannot be searched, why.
    fn look(
        &mut self,
        (at, source): (usize, &'s Source),
        scanner: &mut Scanner<'_>,
        query: &Query,
        wish: &Wish,
    ) -> Result<(), &'static str> {
        if text::is_too_old(source, wish) {
            return Ok(());
        }
        let Some(mut text) = Text::read(source)? else { return Ok(()) };
        if !text.is_wanted(wish) {
            return Ok(());
        }
        let mut hits = Hits::new();
        text.each_word(scanner, |at, term| hits.push((at, term)));
        let bytes = text.bytes().len();
        self.counts.add(bytes, &hits);
        let has_phrases = !hits.is_empty() && query.phrases.iter().all(|phrase| text.has(phrase));
        if has_phrases || !hits.is_empty() && query.has_more {
            let (time, is_over) = (text::time(source), text.state().is_some());
            let best = Best { source, score: 0.0, part: (0, 0) };
            self.seen.push(TextHits { best, at, bytes, hits, time, is_over, has_phrases });
        }
        Ok(())
    }

    /// Sorts those that answer: what holds comes before what does not, then what answers better.
    fn judge(&mut self, query: &Query) {
        let judge = Judge::new(query, &self.counts);
        let times = || self.seen.iter().filter_map(|seen| seen.time);
        let span = times().min().zip(times().max());
        let age = |time: Option<Timestamp>| {
            let Some(((oldest, newest), time)) = span.zip(time) else { return 0.0 };
            let seconds = |time| usize::try_from(clock::seconds_between(oldest, time)).unwrap_or(0);
            share(seconds(time), seconds(newest))
        };
        for seen in &mut self.seen {
            let worth = judge.worth(seen.bytes, &seen.hits);
            let recent = if worth.score > 0.0 { RECENT * age(seen.time) } else { 0.0 };
            (seen.best.score, seen.best.part) = (worth.score + recent, (worth.from, worth.to));
        }
        self.seen.retain(|seen| seen.best.score > 0.0);
        self.seen.sort_by(|one, other| {
            let order = one.is_over.cmp(&other.is_over);
            order.then(other.best.score.total_cmp(&one.best.score)).then_with(|| one.at.cmp(&other.at))
        });
    }
}

/// What was found in the end.
pub struct SearchResult<'s> {
    /// The very best first.
    pub best: Vec<Best<'s>>,
    pub skipped: Skipped,
    /// No text has the phrases, so the words alone answer.
    pub without_phrases: bool,
}

/// The best texts.
pub fn best<'s>(sources: &'s [Source], query: &Query, wish: &Wish) -> SearchResult<'s> {
    let mut all = Found::new(query);
    let sources: Vec<(usize, &Source)> = sources.iter().enumerate().collect();
    for round in sources.chunks(ROUND) {
        for found in read(round, query, wish) {
            all.merge(found);
        }
        if all.seen.iter().any(|seen| seen.has_phrases) {
            all.seen.retain(|seen| seen.has_phrases);
        }
        if all.seen.iter().map(|seen| seen.hits.len()).sum::<usize>() > KEPT_WORDS {
            all.judge(query);
            all.seen.truncate(KEPT);
        }
    }
    let without_phrases = all.seen.iter().any(|seen| !seen.has_phrases);
    all.judge(query);
    let best = all.seen.into_iter().take(wish.most).map(|seen| seen.best).collect();
    SearchResult { best, skipped: all.skipped, without_phrases }
}

/// Searches some texts on all processors.
fn read<'s>(sources: &[(usize, &'s Source)], query: &Query, wish: &Wish) -> Vec<Found<'s>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut scanner, mut found) = (Scanner::new(query), Found::new(query));
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(why) = found.look(*source, &mut scanner, query, wish) {
                *found.skipped.entry(why).or_default() += 1;
            }
        }
        found
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads.min(sources.len().div_ceil(64))).map(|_| scope.spawn(work)).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}
