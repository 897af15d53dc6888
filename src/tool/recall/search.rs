//! Reads every text once, on all processors, and says which answer best: items, and files with what their front matter says
//! of them. The texts go by in rounds: where so many words were found that they would fill the memory, only what is worth
//! most so far is kept behind a round.

use super::places::Source;
use super::{HitKind, Wish};
use crate::base::front_matter::FrontMatter;
use crate::base::text::share;
use crate::base::{clock, file};
use crate::rank::{Counts, Hits, Judge, Query, Scanner};
use crate::store::page;
use jiff::Timestamp;
use std::borrow::Cow;
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
    /// It has what is between quotation marks in the question.
    pub has_phrases: bool,
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
}

/// The best texts, the very best first, and what could not be searched. Where no text has the phrases, the words alone
/// answer.
pub fn best<'s>(sources: &'s [Source], query: &Query, wish: &Wish) -> (Vec<Best<'s>>, Skipped) {
    let (mut counts, mut seen, mut skipped) = (Counts::new(query), Vec::new(), Skipped::new());
    let sources: Vec<(usize, &Source)> = sources.iter().enumerate().collect();
    for round in sources.chunks(ROUND) {
        for text in read(round, query, wish) {
            match text {
                Ok(text) => {
                    counts.add(text.bytes, &text.hits);
                    let counts = text.best.has_phrases || query.has_more && !text.hits.is_empty();
                    seen.extend(counts.then_some(text));
                }
                Err(why) => *skipped.entry(why).or_default() += 1,
            }
        }
        if seen.iter().any(|text| text.best.has_phrases) {
            seen.retain(|text| text.best.has_phrases);
        }
        if seen.iter().map(|text| text.hits.len()).sum::<usize>() > KEPT_WORDS {
            judge(&mut seen, &Judge::new(query, &counts));
            seen.truncate(KEPT);
        }
    }
    judge(&mut seen, &Judge::new(query, &counts));
    (seen.into_iter().take(wish.most).map(|text| text.best).collect(), skipped)
}

/// Sorts texts: what holds comes before what does not, then what answers better. Those that do not answer go.
fn judge(seen: &mut Vec<TextHits<'_>>, judge: &Judge<'_>) {
    let times = || seen.iter().filter_map(|text| text.time);
    let span = times().min().zip(times().max());
    let age = |time: Option<Timestamp>| {
        let Some(((oldest, newest), time)) = span.zip(time) else { return 0.0 };
        let seconds = |time| usize::try_from(clock::seconds_between(oldest, time)).unwrap_or(0);
        share(seconds(time), seconds(newest))
    };
    for text in &mut *seen {
        let worth = judge.worth(text.bytes, &text.hits);
        let recent = if worth.score > 0.0 { RECENT * age(text.time) } else { 0.0 };
        (text.best.score, text.best.part) = (worth.score + recent, (worth.from, worth.to));
    }
    seen.retain(|text| text.best.score > 0.0);
    seen.sort_by(|one, other| {
        let order = one.is_over.cmp(&other.is_over);
        order.then(other.best.score.total_cmp(&one.best.score)).then_with(|| one.at.cmp(&other.at))
    });
}

/// Searches some texts on all processors: of each that is wanted the words, or why it cannot be searched.
fn read<'s>(sources: &[(usize, &'s Source)], query: &Query, wish: &Wish) -> Vec<Result<TextHits<'s>, &'static str>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut scanner = Scanner::new(query);
        let sources = std::iter::from_fn(|| sources.get(next.fetch_add(1, Ordering::Relaxed)));
        sources.filter_map(|source| look(*source, &mut scanner, query, wish).transpose()).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads.min(sources.len().div_ceil(64))).map(|_| scope.spawn(work)).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    })
}

/// Searches a text; None where it is not wanted.
fn look<'s>(
    (at, source): (usize, &'s Source),
    scanner: &mut Scanner<'_>,
    query: &Query,
    wish: &Wish,
) -> Result<Option<TextHits<'s>>, &'static str> {
    if is_too_old(source, wish) {
        return Ok(None);
    }
    let Some(mut text) = Text::read(source, true)? else { return Ok(None) };
    if !text.is_wanted(wish) {
        return Ok(None);
    }
    let hits = text.words(scanner);
    let has_phrases = !hits.is_empty() && text.has_all(&query.phrases);
    let best = Best { source, score: 0.0, part: (0, 0), has_phrases };
    let (bytes, time, is_over) = (text.bytes().len(), time(source), text.state().is_some());
    Ok(Some(TextHits { best, at, bytes, hits, time, is_over }))
}

/// A text.
pub struct Text<'s> {
    source: &'s Source,
    bytes: Cow<'s, [u8]>,
    /// Where the front matter ends.
    head: usize,
}

impl<'s> Text<'s> {
    /// The whole of it, or of a file only the beginning. None where the file is gone by now; if it cannot be searched, why.
    pub fn read(source: &'s Source, is_whole: bool) -> Result<Option<Self>, &'static str> {
        if let Some(item) = &source.item {
            return Ok(Some(Self { source, bytes: Cow::Borrowed(item.text.as_bytes()), head: 0 }));
        }
        let path = &source.path;
        let is_large = || is_whole && path.metadata().is_ok_and(|data| data.len() > FILE_BYTES);
        let bytes = if is_whole {
            file::read_at_most(path, FILE_BYTES)
        } else {
            file::read_head(path, LISTED_BYTES).map(|text| Some(text.into_bytes()))
        };
        let bytes = bytes.map_err(|_| if is_large() { "larger than 32 MB" } else { UNREADABLE })?;
        let Some(bytes) = bytes else {
            // A link that leads nowhere is there, and what it leads to is not.
            return if path.is_symlink() { Err(UNREADABLE) } else { Ok(None) };
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

    /// Each word of it that is looked for: of the front matter only what says what the text is about, and of a page not
    /// where its messages are in the transcript.
    pub fn words(&self, scanner: &mut Scanner<'_>) -> Hits {
        let is_page = self.source.kind == HitKind::Session;
        let (front, body) = self.bytes.split_at(self.head);
        let (mut hits, mut start) = (Hits::new(), 0);
        for line in front.split_inclusive(|byte| *byte == b'\n') {
            if let Some(key) = ABOUT.iter().find(|key| line.starts_with(key.as_bytes())) {
                let from = start + key.len();
                scanner.scan(&line[key.len()..], |at, term| hits.push((from + at, term)));
            }
            start += line.len();
        }
        scanner.scan(body, |at, term| {
            if !is_page || !is_in_place(body, at) {
                hits.push((self.head + at, term));
            }
        });
        hits
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

    /// Whether these phrases, in lower case and with single blanks, are in it.
    pub fn has_all(&self, phrases: &[String]) -> bool {
        if phrases.is_empty() {
            return true;
        }
        let text = String::from_utf8_lossy(&self.bytes).to_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        phrases.iter().all(|phrase| text.contains(phrase))
    }

    /// Whether it is one of those that are wanted; of one that is, only what was said in the span that is wanted stays.
    pub fn is_wanted(&mut self, wish: &Wish) -> bool {
        let source = self.source;
        if !wish.projects.is_empty()
            && source.project.is_none()
            && !self.project().is_some_and(|project| wish.is_of(&project))
        {
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
