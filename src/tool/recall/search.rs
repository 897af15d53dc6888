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

/// The texts of a round, and the bytes of places of words behind which only the best texts are kept, and how many.
const ROUND: usize = 8192;
const KEPT_BYTES: usize = 24 << 20;
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

struct TextHits {
    at: usize,
    bytes: usize,
    hits: Hits,
    time: Option<Timestamp>,
    is_over: bool,
    has_phrases: bool,
    /// As it was judged last, with the first and the last byte of its best part's words.
    score: f64,
    part: (usize, usize),
}

/// What one thread found.
struct ThreadResult {
    counts: Counts,
    seen: Vec<TextHits>,
    skipped: Skipped,
}

impl ThreadResult {
    fn new(query: &Query) -> Self {
        Self { counts: Counts::new(query), seen: Vec::new(), skipped: Skipped::new() }
    }

    /// Searches a text.
    fn look(&mut self, source: &Source, at: usize, scanner: &mut Scanner<'_>, query: &Query, wish: &Wish) {
        if text::is_too_old(source, wish) {
            return;
        }
        let mut text = match Text::read(source) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(why) => return *self.skipped.entry(why).or_default() += 1,
        };
        if !text.is_wanted(wish) {
            return;
        }
        let mut hits = Hits::default();
        text.each_word(scanner, |at, term| hits.push(at, term));
        let bytes = text.bytes().len();
        self.counts.add(bytes, &hits);
        if hits.is_empty() {
            return;
        }
        let has_phrases = query.phrases.iter().all(|phrase| text.has(phrase));
        if has_phrases || query.has_more {
            hits.shrink();
            let (time, is_over) = (text::time(source), text.state().is_some());
            self.seen.push(TextHits { at, bytes, hits, time, is_over, has_phrases, score: 0.0, part: (0, 0) });
        }
    }
}

/// What was found.
pub struct SearchResult<'s> {
    /// The very best first.
    pub best: Vec<Best<'s>>,
    pub skipped: Skipped,
    /// No text has the phrases, so the words alone answer.
    pub without_phrases: bool,
}

/// The best texts.
pub fn best<'s>(sources: &'s [Source], query: &Query, wish: &Wish) -> SearchResult<'s> {
    let mut all = ThreadResult::new(query);
    for (round, part) in sources.chunks(ROUND).enumerate() {
        for found in read(part, round * ROUND, query, wish) {
            all.counts.merge(&found.counts);
            all.seen.extend(found.seen);
            for (why, count) in found.skipped {
                *all.skipped.entry(why).or_default() += count;
            }
        }
        if all.seen.iter().any(|seen| seen.has_phrases) {
            all.seen.retain(|seen| seen.has_phrases);
        }
        if all.seen.iter().map(|seen| seen.hits.size()).sum::<usize>() > KEPT_BYTES {
            judge(&mut all.seen, query, &all.counts);
            all.seen.truncate(KEPT);
        }
    }
    let without_phrases = all.seen.iter().any(|seen| !seen.has_phrases);
    judge(&mut all.seen, query, &all.counts);
    let best = |seen: &TextHits| Some(Best { source: sources.get(seen.at)?, score: seen.score, part: seen.part });
    let best = all.seen.iter().take(wish.most).filter_map(best).collect();
    SearchResult { best, skipped: all.skipped, without_phrases }
}

/// Sorts those that answer: what holds comes before what does not, then what answers better.
fn judge(seen: &mut Vec<TextHits>, query: &Query, counts: &Counts) {
    let judge = Judge::new(query, counts);
    let times = || seen.iter().filter_map(|seen| seen.time);
    let span = times().min().zip(times().max());
    let age = |time: Option<Timestamp>| {
        let Some(((oldest, newest), time)) = span.zip(time) else { return 0.0 };
        let seconds = |time| usize::try_from(clock::seconds_between(oldest, time)).unwrap_or(0);
        share(seconds(time), seconds(newest))
    };
    for seen in &mut *seen {
        let worth = judge.worth(seen.bytes, &seen.hits);
        seen.score = if worth.score > 0.0 { worth.score + RECENT * age(seen.time) } else { 0.0 };
        seen.part = (worth.from, worth.to);
    }
    seen.retain(|seen| seen.score > 0.0);
    seen.sort_by(|one, other| {
        let order = one.is_over.cmp(&other.is_over);
        order.then(other.score.total_cmp(&one.score)).then_with(|| one.at.cmp(&other.at))
    });
}

/// Searches some texts on all processors.
fn read(sources: &[Source], first: usize, query: &Query, wish: &Wish) -> Vec<ThreadResult> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let threads = threads.min(sources.len().div_ceil(64)).max(1);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut scanner = Scanner::new(query);
        let mut found = ThreadResult::new(query);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(at) else { break };
            found.look(source, first + at, &mut scanner, query, wish);
        }
        found
    };
    if threads == 1 {
        return vec![work()];
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}
