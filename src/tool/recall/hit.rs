//! A hit: where it is, whose it is, and the passage that answers.

use super::places::Source;
use super::search::{Best, Text};
use super::{HitKind, Wish};
use crate::base::clock;
use crate::base::record::Record;
use crate::base::stale_names::{Judged, NameState, Seen};
use crate::rank::{Query, Scanner};
use crate::record::item::{self, ItemKind};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::memories::Note;
use crate::store::page;
use jiff::Timestamp;
use serde::Serialize;
use std::ops::Range;
use std::path::PathBuf;

/// The longest passage, in bytes, and how much of a long line is shown before its first word.
const PASSAGE: usize = 900;
const BEFORE: usize = 120;

/// A hit, or an item of a list.
#[derive(Clone, Debug)]
pub struct Hit {
    /// What it is.
    pub kind: HitKind,
    /// The file that it is in.
    pub path: PathBuf,
    /// The line of the passage, from 1; none for an item, whose line is not for people, and in a list.
    pub line: Option<usize>,
    /// How well it answers; none where nothing was asked.
    pub score: Option<f64>,
    /// When it was said or written.
    pub time: Option<Timestamp>,
    /// Whose it is; "" where it is not known.
    pub project: String,
    /// The session that it is of; "" where it is of none.
    pub session_id: String,
    /// The session that started it, where it is a subagent; else "".
    pub parent: String,
    /// The item's id; "" for what is no item.
    pub id: String,
    /// What it is called; may be "".
    pub title: String,
    /// `deprecated`, `replaced` or `forgotten`.
    pub state: Option<&'static str>,
    /// The id and the sentence of what is in its place now, masked.
    pub later: Option<(String, String)>,
    /// What it names, as it was when it was kept.
    pub seen: Option<Seen>,
    /// What became of the files, symbols, lines and commands that it names, in the current folder's checkout.
    pub judged: Judged,
    /// The passage, masked.
    pub text: String,
    /// Where in the passage the words are that were looked for.
    pub marked: Vec<Range<usize>>,
    /// What it rests on, each quote where it was said, if it is shown by itself.
    pub quotes: Vec<ShownQuote>,
}

/// A quote where it was said.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ShownQuote {
    /// Its words.
    #[serde(rename = "quote")]
    pub words: String,
    /// `user`, `assistant`, `tool` or `handoff`; "" where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said_by: String,
    /// The transcript, or the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What was said around it; "" where that is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
}

impl Hit {
    /// Reads the passage again. None where the file went since.
    pub fn read(best: &Best<'_>, query: &Query, wish: &Wish, redactor: &Redactor) -> Option<Self> {
        let mut whole = Text::read(best.source, true).ok()??;
        whole.keep_span(wish);
        let bytes = whole.bytes();
        let range = match best.source.item {
            // An item is short, and its first line is what it says.
            Some(_) => passage(bytes, (0, bytes.len()), 0, 0),
            None => passage(bytes, whole.in_body(best.part), wish.context, whole.body()),
        };
        let line = memchr::memchr_iter(b'\n', &bytes[..range.start]).count() + 1;
        let time = whole.time_at(range.start.max(best.part.0));
        let said = String::from_utf8_lossy(&bytes[range]);
        // A line of what was said at another time is blank.
        let lines =
            said.split_inclusive('\n').filter(|line| !wish.has_span() || *line == "\n" || !line.trim().is_empty());
        let hit = Self::new(best.source, &whole, lines.collect::<String>().trim_end(), redactor);
        let marked = words_in(&hit.text, query);
        let line = best.source.item.is_none().then_some(line);
        Some(Self { line, time, score: Some(best.score), marked, ..hit })
    }

    /// What a list says of it: its title or its sentence.
    pub fn in_list(source: &Source, head: &Text<'_>, redactor: &Redactor) -> Self {
        let hit = Self::new(source, head, "", redactor);
        let said = String::from_utf8_lossy(head.bytes());
        // A file can begin with a line for programs.
        let says = |line: &&str| !line.trim().is_empty() && !line.starts_with("<!--");
        let first = said.get(head.body()..).unwrap_or_default().lines().find(says);
        let first = first.unwrap_or_default().trim_start_matches(['#', '-', ' ']);
        let text = if hit.title.is_empty() { redactor.shown(first).into_owned() } else { hit.title.clone() };
        Self { text, ..hit }
    }

    /// A text as a hit with these words of it.
    pub fn new(source: &Source, whole: &Text<'_>, said: &str, redactor: &Redactor) -> Self {
        let (front, item) = (whole.front(), source.item.as_ref());
        let shown = |text: &str| redactor.shown(text).into_owned();
        let field = |name: &str| front.get(name).map_or_else(String::new, str::to_owned);
        let mut hit = Self {
            kind: source.kind,
            path: source.path.clone(),
            line: None,
            score: None,
            time: whole.exact_time(),
            project: source.project.clone().or_else(|| whole.project()).map_or(String::new(), |name| name),
            session_id: item.map_or_else(|| field("session_id"), |item| item.session_id.clone()),
            parent: field("parent"),
            id: item.map_or_else(String::new, |item| item.id.clone()),
            title: field(if source.kind == HitKind::Session { "topic" } else { "title" }),
            state: whole.state(),
            later: item.and_then(|item| item.later.as_ref()).map(|(id, said)| (id.clone(), shown(said))),
            seen: item.and_then(|item| item.seen.clone()),
            judged: Judged::default(),
            text: shown(&page::without_places(said)),
            marked: Vec::new(),
            quotes: Vec::new(),
        };
        if source.kind == HitKind::Learning {
            hit.id = item::id(ItemKind::Learning, &field("origin"), &hit.title);
        } else if source.kind == HitKind::Memory {
            let note = Note::parse(&source.name(), &String::from_utf8_lossy(whole.bytes()));
            hit.id = note.item(&hit.project).id;
            hit.title = note.description;
        }
        hit.title = shown(&hit.title);
        hit
    }

    /// Its id as lists show it; that of its session where it is a session or an episode; "" where it has none.
    pub fn short_id(&self) -> String {
        match self.kind {
            HitKind::Session | HitKind::Lost | HitKind::Episode => session::short_id(&self.session_id),
            _ => item::short_id(&self.id).to_owned(),
        }
    }

    /// What is needed to name it: its kind, and its id, its session or its path.
    pub fn name(&self) -> Record {
        let mut record = Record::new("hit");
        record.set("what", self.kind.word());
        record.set_path("path", &self.path);
        record.set_text("session_id", &self.session_id);
        record.set_text("id", &self.id);
        record
    }

    /// As a record.
    pub fn record(&self) -> Record {
        let mut record = Record::new("hit");
        record.set("what", self.kind.word());
        record.set_path("path", &self.path);
        record.set_some("line", self.line.as_ref());
        record.set_some("score", self.score.map(|score| (score * 1000.0).round() / 1000.0).as_ref());
        record.set_some("ts", self.time.map(clock::local).as_ref());
        record.set_text("project", &self.project);
        record.set_text("session_id", &self.session_id);
        record.set_text("parent", &self.parent);
        record.set_text("id", &self.id);
        record.set_text("title", &self.title);
        record.set_some("state", self.state.as_ref());
        record.set_some("replaced_by", self.later.as_ref().map(|(id, _)| id));
        record.set_some("correction", self.later.as_ref().map(|(_, said)| said));
        record.set_text("gone_since", &self.judged.names(NameState::Gone));
        record.set_some("cites", self.judged.records().as_ref());
        record.set("text", &self.text);
        record.set_some("evidence", Some(&self.quotes).filter(|quotes| !quotes.is_empty()));
        record
    }
}

/// Where the words are that were looked for.
fn words_in(text: &str, query: &Query) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    Scanner::new(query).scan(text.as_bytes(), |at, _| {
        let length = text[at..].find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len() - at);
        found.push(at..at + length);
    });
    found
}

/// The lines of the best part, and so many around them, but none before `first`; of a long line what is around the part.
fn passage(bytes: &[u8], (from, to): (usize, usize), context: usize, first: usize) -> Range<usize> {
    let begins = |at: usize| memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let ends = |at: usize| memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    // The next place at which a character begins.
    let cut = |at: usize| (at..bytes.len()).find(|at| bytes[*at] & 0xc0 != 0x80).unwrap_or(bytes.len());
    let (mut start, mut end) = (begins(from), ends(to));
    if from - start > BEFORE {
        start = cut(from - BEFORE);
    }
    if end - start > PASSAGE {
        return start..cut(start + PASSAGE).min(end);
    }
    for _ in 0..context {
        start = begins(start.max(1) - 1).max(first.min(start));
        end = ends((end + 1).min(bytes.len()));
    }
    start..end
}
