//! Reads every text once, on all processors, and says which answer best: items, and files with what their front matter says
//! of them. The texts go by in rounds: where so many words were found that they would fill the memory, only what is worth
//! most so far is kept behind a round.

use super::places::Source;
use super::{HitKind, Wish};
use crate::base::exit::Failure;
use crate::base::front_matter::FrontMatter;
use crate::base::text::share;
use crate::base::{clock, file};
use crate::rank::{Counts, Hits, Judge, Query, Scanner};
use crate::store::page;
use jiff::Timestamp;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The texts of a round, and the places of words behind which only the best texts are kept, and how many.
const ROUND: usize = 8192;
const KEPT_WORDS: usize = 2 << 20;
const KEPT: usize = 1000;
/// The most threads.
const THREADS: usize = 8;
/// What the newest text has over the oldest one: it decides only where both answer equally well.
const RECENT: f64 = 0.01;
/// The largest file that is searched, in bytes.
const FILE_BYTES: u64 = 32 << 20;
/// A file with a zero byte in so many of its first bytes is binary.
const HEAD_BYTES: usize = 1024;
/// What is read of a file to list it.
const LISTED_BYTES: u64 = 16 << 10;
/// The most bytes of a line that says where in the transcript a message is.
const PLACE_BYTES: usize = 80;
/// Why a file was not searched.
const UNREADABLE: &str = "not readable";
/// The keys of front matter that say what a text is about.
const ABOUT: &[&str] = &["title:", "name:", "description:", "tags:"];

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
        if is_too_old(source, wish) {
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
            let (time, is_over) = (time(source), text.state().is_some());
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

/// A text.
pub struct Text<'s> {
    source: &'s Source,
    bytes: Cow<'s, [u8]>,
    /// Where the front matter ends.
    head: usize,
}

impl<'s> Text<'s> {
    /// None where the file is gone by now; if it cannot be searched, why.
    pub fn read(source: &'s Source) -> Result<Option<Self>, &'static str> {
        let is_large = || source.path.metadata().is_ok_and(|data| data.len() > FILE_BYTES);
        Self::begin(source, |path| file::read_at_most(path, FILE_BYTES))
            .map_err(|why| if is_large() { "larger than 32 MB" } else { why })
    }

    /// Its beginning.
    pub fn head(source: &'s Source) -> Result<Option<Self>, &'static str> {
        Self::begin(source, |path| file::read_head(path, LISTED_BYTES).map(|text| Some(text.into_bytes())))
    }

    fn begin(
        source: &'s Source,
        read: impl Fn(&Path) -> Result<Option<Vec<u8>>, Failure>,
    ) -> Result<Option<Self>, &'static str> {
        if let Some(item) = &source.item {
            return Ok(Some(Self { source, bytes: Cow::Borrowed(item.text.as_bytes()), head: 0 }));
        }
        let Some(bytes) = read(&source.path).map_err(|_| UNREADABLE)? else {
            // A link that leads nowhere is there, and what it leads to is not.
            return if source.path.is_symlink() { Err(UNREADABLE) } else { Ok(None) };
        };
        if bytes.iter().take(HEAD_BYTES).any(|byte| *byte == 0) {
            return Err("binary");
        }
        let head = head(&bytes);
        Ok(Some(Self { source, bytes: Cow::Owned(bytes), head }))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the front matter ends.
    pub fn body(&self) -> usize {
        self.head
    }

    /// Gives each word of it that is looked for: of the front matter only what says what the text is about, and of a
    /// page not where its messages are in the transcript.
    pub fn each_word(&self, scanner: &mut Scanner<'_>, mut act: impl FnMut(usize, usize)) {
        let is_page = self.source.kind == HitKind::Session;
        let (front, body) = self.bytes.split_at(self.head);
        let mut start = 0;
        for line in front.split_inclusive(|byte| *byte == b'\n') {
            if let Some(key) = ABOUT.iter().find(|key| line.starts_with(key.as_bytes())) {
                let from = start + key.len();
                scanner.scan(&line[key.len()..], |at, term| act(from + at, term));
            }
            start += line.len();
        }
        scanner.scan(body, |at, term| {
            if !is_page || !is_in_place(body, at) {
                act(self.head + at, term);
            }
        });
    }

    /// The front matter.
    pub fn front(&self) -> FrontMatter {
        FrontMatter::parse(&String::from_utf8_lossy(&self.bytes[..self.head]))
    }

    /// The project that its front matter names.
    pub fn project(&self) -> Option<String> {
        let front = self.front();
        front.get("project").or(front.get("origin")).map(str::to_owned)
    }

    /// A part of it without the front matter; the beginning of the body where all of the part is in that.
    pub fn in_body(&self, (from, to): (usize, usize)) -> (usize, usize) {
        let blanks = self.bytes[self.head..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // The file can be shorter than when it was searched.
        let within = |at: usize| at.max(self.head + blanks).min(self.bytes.len());
        (within(from), within(to))
    }

    /// Whether a phrase, in lower case and with single blanks, is in it.
    pub fn has(&self, phrase: &str) -> bool {
        let mut text = String::with_capacity(self.bytes.len());
        for word in String::from_utf8_lossy(&self.bytes).to_lowercase().split_whitespace() {
            text.push_str(word);
            text.push(' ');
        }
        text.contains(phrase)
    }

    /// Whether it is one of those that are wanted; of one that is, only what was said in the span that is wanted stays.
    pub fn is_wanted(&mut self, wish: &Wish) -> bool {
        let source = self.source;
        let by_project = wish.here.is_some() || !wish.projects.is_empty();
        if by_project && source.project.is_none() && !self.project().is_some_and(|project| wish.is_of(&project)) {
            return false;
        }
        let is_in = |scope: &str| wish.scopes.iter().any(|wanted| wanted == scope);
        let has_scope = || source.kind == HitKind::Learning && self.front().get("scope").is_some_and(is_in);
        (wish.scopes.is_empty() || has_scope()) && self.keep_span(wish)
    }

    /// Blanks what was not said in the span that is wanted, so that each other byte and line is where it was; whether
    /// anything is left. Where a page does not tell when a message was said, it is as old as what is before it.
    pub fn keep_span(&mut self, wish: &Wish) -> bool {
        if !wish.has_span() {
            return true;
        }
        let mut is_in = wish.is_in_span(self.exact_time());
        if self.source.kind != HitKind::Session {
            return is_in;
        }
        let messages = page::messages(&self.bytes);
        let (mut from, mut any) = (self.head, is_in);
        for (start, time) in messages.into_iter().chain([(self.bytes.len(), None)]) {
            if !is_in {
                let said = self.bytes.to_mut()[from..start.max(from)].iter_mut();
                said.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            }
            is_in = time.map_or(is_in, |time| wish.is_in_span(Some(time)));
            any |= is_in;
            from = start;
        }
        any
    }

    /// When the message of a page was said that a place is in; that of the page, or of the text, where it does not tell.
    pub fn time_at(&self, at: usize) -> Option<Timestamp> {
        let said = if self.source.kind == HitKind::Session { page::messages(&self.bytes) } else { Vec::new() };
        let before = said.into_iter().take_while(|(start, _)| *start <= at);
        before.filter_map(|(_, time)| time).last().or_else(|| self.exact_time())
    }

    /// When it was said or written.
    pub fn exact_time(&self) -> Option<Timestamp> {
        let source = self.source;
        if source.item.is_some() {
            return time(source);
        }
        let front = self.front();
        let minute = |date: &str| clock::parse(&format!("{}:00Z", date.trim().replacen(' ', "T", 1)));
        let date = |date: &str| minute(date).or_else(|| clock::parse(date)).or_else(|| clock::start_of_day(date));
        let said = front.get("date").and_then(date);
        let said = said.or_else(|| front.get("written_at").and_then(clock::parse));
        said.or_else(|| day_of_name(source)).or_else(|| file::modified(&source.path))
    }

    /// Why it no longer holds.
    pub fn state(&self) -> Option<&'static str> {
        match &self.source.item {
            Some(item) => item.state,
            None if self.source.kind != HitKind::Learning => None,
            None => self.front().get("status").filter(|status| *status != "active").map(|_| "deprecated"),
        }
    }
}

/// The day of its file's name, which is enough to tell newer from older; an item's own time.
pub fn time(source: &Source) -> Option<Timestamp> {
    source.item.as_ref().map_or_else(|| day_of_name(source), |item| item.time)
}

/// Whether nothing in a page can be of the span that is wanted: it began earlier, as its name says, and was not written
/// to since.
pub fn is_too_old(source: &Source, wish: &Wish) -> bool {
    let is_before = |time: Option<Timestamp>| time.zip(wish.since).is_some_and(|(time, since)| time < since);
    source.kind == HitKind::Session && is_before(day_of_name(source)) && is_before(file::modified(&source.path))
}

fn day_of_name(source: &Source) -> Option<Timestamp> {
    clock::start_of_day(source.name().get(..10)?)
}

/// Whether a word is in the line that says where a message is.
fn is_in_place(body: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(PLACE_BYTES);
    let end = memchr::memrchr(b'\n', body.get(from..at).unwrap_or_default());
    end.and_then(|end| body.get(from + end + 1..)).is_some_and(|line| line.starts_with(page::PLACE.as_bytes()))
}

/// Where the front matter of a file ends, if it has any.
fn head(bytes: &[u8]) -> usize {
    if !bytes.starts_with(b"---\n") && !bytes.starts_with(b"---\r\n") {
        return 0;
    }
    let mut at = 0;
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        at += line.len();
        if number > 0 && line.trim_ascii_end() == b"---" {
            return at;
        }
    }
    0
}
