//! Reads every text once, on all processors, and says which answer best. The texts go by in rounds: where so many words
//! were found that they would fill the memory, only what is worth most so far is kept behind a round.

use super::source::{Skipped, Source};
use super::text::{self, Text};
use super::{Here, Kind, Wish};
use crate::base::text::share;
use crate::rank::{Counts, Hits, Judge, Query, Scanner};
use jiff::Timestamp;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The texts of a round, and the bytes of places of words behind which only the best texts are kept, and how many.
const ROUND: usize = 8192;
const KEPT_BYTES: usize = 24 << 20;
const KEPT: usize = 1000;
/// The most threads.
const THREADS: usize = 8;
/// What the newest text has over the oldest one: it decides only where both answer equally well.
const RECENT: f64 = 0.01;

/// A text that answers, and how well.
pub struct Best<'s> {
    pub source: &'s Source,
    pub score: f64,
    /// The first and the last byte of its best part's words.
    pub part: (usize, usize),
}

struct Seen {
    at: usize,
    bytes: usize,
    hits: Hits,
    time: Option<Timestamp>,
    is_over: bool,
    has_phrases: bool,
}

/// What is asked.
struct Asked<'a> {
    query: &'a Query,
    wish: &'a Wish,
    here: Option<&'a Here>,
}

/// What one thread found.
struct Share {
    counts: Counts,
    seen: Vec<Seen>,
    skipped: Skipped,
}

impl Share {
    /// Searches a text.
    fn look(&mut self, source: &Source, at: usize, scanner: &mut Scanner<'_>, asked: &Asked<'_>) {
        if text::is_too_old(source, asked.wish) {
            return;
        }
        let mut text = match Text::read(source) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(why) => return self.skipped.add(why),
        };
        if !text.is_wanted(source, asked.wish, asked.here) {
            return;
        }
        let mut hits = Hits::default();
        text.each_word(scanner, source.kind == Kind::Session, |at, term| hits.push(at, term));
        let bytes = text.bytes().len();
        self.counts.add(bytes, &hits);
        if hits.is_empty() {
            return;
        }
        let has_phrases = asked.query.phrases.iter().all(|phrase| text.has(phrase));
        if !has_phrases && !asked.query.has_more {
            return;
        }
        hits.shrink();
        let (time, is_over) = (text::time(source), text.state(source).is_some());
        self.seen.push(Seen { at, bytes, hits, time, is_over, has_phrases });
    }
}

/// What was found.
pub struct Answer<'s> {
    /// The very best first.
    pub best: Vec<Best<'s>>,
    pub skipped: Skipped,
    /// No text has the phrases, so the words alone answer.
    pub without_phrases: bool,
}

/// The best texts.
pub fn best<'s>(sources: &'s [Source], query: &Query, wish: &Wish, here: Option<&Here>) -> Answer<'s> {
    let mut all = Share { counts: Counts::new(query), seen: Vec::new(), skipped: Skipped::default() };
    for (round, part) in sources.chunks(ROUND).enumerate() {
        let first = round * ROUND;
        for share in read(part, first, query, wish, here) {
            all.counts.merge(&share.counts);
            all.skipped.add(share.skipped);
            all.seen.extend(share.seen);
        }
        if all.seen.iter().any(|seen| seen.has_phrases) {
            all.seen.retain(|seen| seen.has_phrases);
        }
        if all.seen.iter().map(|seen| seen.hits.size()).sum::<usize>() > KEPT_BYTES {
            all.seen = judged(std::mem::take(&mut all.seen), query, &all.counts)
                .into_iter()
                .take(KEPT)
                .map(|judged| judged.seen)
                .collect();
        }
    }
    let skipped = all.skipped;
    let without_phrases = all.seen.iter().any(|seen| !seen.has_phrases);
    let found = judged(all.seen, query, &all.counts).into_iter().take(wish.most);
    let best = |Judged { seen, score, part }: Judged| {
        let source = sources.get(seen.at)?;
        Some(Best { source, score, part })
    };
    Answer { best: found.filter_map(best).collect(), skipped, without_phrases }
}

struct Judged {
    seen: Seen,
    score: f64,
    part: (usize, usize),
}

/// What holds comes before what does not, then what answers better.
fn judged(seen: Vec<Seen>, query: &Query, counts: &Counts) -> Vec<Judged> {
    let judge = Judge::new(query, counts);
    let times = seen.iter().filter_map(|seen| seen.time).map(Timestamp::as_second);
    let (oldest, newest) = times.fold((i64::MAX, i64::MIN), |(least, most), time| (least.min(time), most.max(time)));
    let age = |time: Option<Timestamp>| {
        let time = time.map_or(oldest, Timestamp::as_second);
        let part = |seconds: i64| usize::try_from(seconds).unwrap_or_default();
        share(part(time.saturating_sub(oldest)), part(newest.saturating_sub(oldest)))
    };
    let judge = |seen: Seen| {
        let worth = judge.worth(seen.bytes, &seen.hits);
        let score = if worth.score > 0.0 { worth.score + RECENT * age(seen.time) } else { 0.0 };
        Judged { score, part: (worth.from, worth.to), seen }
    };
    let mut all: Vec<Judged> = seen.into_iter().map(judge).filter(|judged| judged.score > 0.0).collect();
    all.sort_by(|one, other| {
        let order = one.seen.is_over.cmp(&other.seen.is_over);
        order.then(other.score.total_cmp(&one.score)).then_with(|| one.seen.at.cmp(&other.seen.at))
    });
    all
}

/// Searches some texts on all processors.
fn read(sources: &[Source], first: usize, query: &Query, wish: &Wish, here: Option<&Here>) -> Vec<Share> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let threads = threads.min(sources.len().div_ceil(64)).max(1);
    let next = AtomicUsize::new(0);
    let asked = Asked { query, wish, here };
    let work = || {
        let mut scanner = Scanner::new(query);
        let mut share = Share { counts: Counts::new(query), seen: Vec::new(), skipped: Skipped::default() };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(at) else { break };
            share.look(source, first + at, &mut scanner, &asked);
        }
        share
    };
    if threads == 1 {
        return vec![work()];
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}
