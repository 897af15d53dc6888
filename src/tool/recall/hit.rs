//! A hit: where it is, whose it is, and the passage that answers.

use super::search::Best;
use super::source::Source;
use super::text::Text;
use super::{Kind, Wish};
use crate::base::clock;
use crate::base::record::Record;
use crate::base::stale_names::{Judged, Seen, State};
use crate::rank::{Query, Scanner};
use crate::record::item::{self, ItemKind};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::memories::Note;
use crate::store::page;
use jiff::Timestamp;
use std::ops::Range;
use std::path::PathBuf;

/// The longest passage, in bytes, and how much of a long line is shown before its first word.
const PASSAGE: usize = 900;
const BEFORE: usize = 120;

/// A hit, or an item of a list.
#[derive(Clone, Debug)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
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
}

impl Hit {
    /// Reads the passage again. None where the file went since.
    pub fn read(best: &Best<'_>, query: &Query, wish: &Wish, redactor: &Redactor) -> Option<Self> {
        let mut whole = Text::read(best.source).ok()??;
        whole.keep_span(wish);
        let bytes = whole.bytes();
        let range = match best.source.item {
            // An item is short, and its first line is what it says.
            Some(_) => passage(bytes, (0, bytes.len()), 0, 0),
            None => passage(bytes, whole.in_body(best.part), wish.context, whole.body()),
        };
        let before = bytes.get(..range.start).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let time = whole.time_at(range.start.max(best.part.0));
        let said = String::from_utf8_lossy(bytes.get(range).unwrap_or_default());
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
        let first = said.get(head.body()..).unwrap_or_default().lines().find(|line| !line.trim().is_empty());
        let first = first.unwrap_or_default().trim_start_matches(['#', '-', ' ']);
        let text = if hit.title.is_empty() { redactor.shown(first).into_owned() } else { hit.title.clone() };
        Self { text, ..hit }
    }

    /// A text as a hit with these words of it.
    pub fn new(source: &Source, whole: &Text<'_>, said: &str, redactor: &Redactor) -> Self {
        let front = whole.front();
        let field = |name: &str| front.get(name).unwrap_or_default().to_owned();
        let project = source.project.clone().or_else(|| whole.project()).unwrap_or_default();
        let note = || Note::parse(&source.name(), &String::from_utf8_lossy(whole.bytes()));
        let (id, title) = match (&source.item, source.kind) {
            (Some(item), _) => (item.id.clone(), String::new()),
            (None, Kind::Session) => (String::new(), field("topic")),
            (None, Kind::Learning) => {
                let title = field("title");
                (item::id(ItemKind::Learning, &field("origin"), &title), title)
            }
            (None, Kind::Memory) => {
                let note = note();
                (note.item(&project).id, note.description)
            }
            (None, _) => (String::new(), field("title")),
        };
        let of_front = || front.get("session_id").unwrap_or_default().to_owned();
        let session_id = source.item.as_ref().map_or_else(of_front, |item| item.session_id.clone());
        Self {
            kind: source.kind,
            path: source.path.clone(),
            line: None,
            score: None,
            time: whole.exact_time(),
            project,
            session_id,
            parent: field("parent"),
            id,
            title: redactor.shown(&title).into_owned(),
            state: whole.state(),
            later: source.item.as_ref().and_then(|item| item.later.clone()).map(|(id, said)| {
                let said = redactor.shown(&said).into_owned();
                (id, said)
            }),
            seen: source.item.as_ref().and_then(|item| item.seen.clone()),
            judged: Judged::default(),
            text: redactor.shown(&page::without_places(said)).into_owned(),
            marked: Vec::new(),
        }
    }

    /// Its id as lists show it; that of its session where it is a session or an episode; "" where it has none.
    pub fn short_id(&self) -> String {
        match self.kind {
            Kind::Session | Kind::Lost | Kind::Episode => session::short_id(&self.session_id),
            _ => item::short_id(&self.id).to_owned(),
        }
    }

    /// What is needed to name it: its kind, and its id, its session or its path.
    pub fn name(&self) -> Record {
        let mut record = Record::new("hit");
        record.set("what", self.kind.word());
        record.set_path("path", &self.path);
        for (name, value) in [("session_id", &self.session_id), ("id", &self.id)] {
            record.set_some(name, Some(value).filter(|value| !value.is_empty()));
        }
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
        for (name, value) in [
            ("project", &self.project),
            ("session_id", &self.session_id),
            ("parent", &self.parent),
            ("id", &self.id),
            ("title", &self.title),
        ] {
            record.set_some(name, Some(value).filter(|value| !value.is_empty()));
        }
        record.set_some("state", self.state.as_ref());
        record.set_some("replaced_by", self.later.as_ref().map(|(id, _)| id));
        record.set_some("correction", self.later.as_ref().map(|(_, said)| said));
        record.set_some("gone_since", Some(self.judged.names(State::Gone)).filter(|gone| !gone.is_empty()).as_ref());
        record.set_some("cites", self.judged.records().as_ref());
        record.set("text", &self.text);
        record
    }
}

/// Where the words are that were looked for.
fn words_in(text: &str, query: &Query) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut add = |at: usize, _: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        found.push(at..at + length);
    };
    Scanner::new(query).scan(text.as_bytes(), &mut add);
    found
}

/// The lines of the best part, and so many around them, but none before `first`; of a long line what is around the part.
fn passage(bytes: &[u8], (from, to): (usize, usize), context: usize, first: usize) -> Range<usize> {
    let begins = |at: usize| {
        let before = bytes.get(..at).unwrap_or_default();
        before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
    };
    let ends = |at: usize| {
        let behind = bytes.get(at..).unwrap_or_default();
        behind.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end)
    };
    let (mut start, mut end) = (begins(from), ends(to));
    let cut = |at: usize| {
        (at..bytes.len()).find(|at| bytes.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(bytes.len())
    };
    if from - start > BEFORE {
        start = cut(from - BEFORE);
    }
    if end - start > PASSAGE {
        end = cut(start + PASSAGE).min(end);
        return start..end;
    }
    for _ in 0..context {
        start = begins(start.saturating_sub(1)).max(first.min(start));
        end = ends((end + 1).min(bytes.len()));
    }
    start..end
}
