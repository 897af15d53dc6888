//! A hit: where it is, and the passage that answers.

use super::Kind;
use super::search::Best;
use super::text::Text;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, text};
use crate::rank::{Query, Scanner};
use crate::record::item;
use crate::redact::Redactor;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The longest passage, in bytes, and how much of a long line is shown before its first word.
const PASSAGE: usize = 900;
const BEFORE: usize = 120;
/// What begins and ends a word that was looked for.
const MARK: (&str, &str) = ("\u{1b}[1m", "\u{1b}[22m");
const DIM: (&str, &str) = ("\u{1b}[2m", "\u{1b}[m");

/// A hit.
#[derive(Clone, Debug)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
    /// The file that it is in.
    pub path: PathBuf,
    /// The line of the passage, from 1; none for an item, whose line is not for people.
    pub line: Option<usize>,
    /// How well it answers.
    pub score: f64,
    /// When it was said or written.
    pub time: Option<Timestamp>,
    /// Whose it is; "" where nobody knows.
    pub project: String,
    /// The session that it is of; "" where it is of none.
    pub session_id: String,
    /// The item's id.
    pub id: String,
    /// What it is called; may be "".
    pub title: String,
    /// `deprecated`, `replaced` or `forgotten`.
    pub state: Option<&'static str>,
    /// The passage, masked, and where the words are that were looked for.
    pub text: String,
    marked: Vec<Range<usize>>,
}

impl Hit {
    /// Reads the passage again. None where the file went since.
    pub fn read(best: &Best<'_>, query: &Query, context: usize, redactor: &Redactor) -> Option<Self> {
        let source = best.source;
        let whole = Text::read(source).ok()??;
        let front = whole.front();
        let bytes = whole.bytes();
        let range = passage(bytes, best.part, context);
        let said = String::from_utf8_lossy(bytes.get(range.clone()).unwrap_or_default());
        let text = redactor.shown(said.trim_end()).into_owned();
        let before = bytes.get(..range.start).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let field = |name: &str| front.get(name).unwrap_or_default().to_owned();
        let title = match source.kind {
            Kind::Session => field("topic"),
            Kind::Memory => field("description"),
            _ => field("title"),
        };
        let project = source.project.clone().unwrap_or_else(|| field("project"));
        let (id, session_id) = source.item.as_ref().map_or_else(
            || (String::new(), front.get("session_id").or(front.get("origin_session")).unwrap_or_default().to_owned()),
            |item| (item.id.clone(), item.session_id.clone()),
        );
        Some(Self {
            kind: source.kind,
            path: source.path.clone(),
            line: source.item.is_none().then_some(line),
            score: best.score,
            time: whole.exact_time(source),
            project,
            session_id,
            id,
            title: redactor.shown(&title).into_owned(),
            state: whole.state(source),
            marked: marked(&text, query),
            text,
        })
    }

    /// As a record.
    pub fn record(&self) -> Record {
        let mut record = Record::new("hit");
        record.set("what", self.kind.word());
        record.set_path("path", &self.path);
        record.set_some("line", self.line.as_ref());
        record.set("score", &((self.score * 1000.0).round() / 1000.0));
        record.set_some("ts", self.time.map(clock::local).as_ref());
        for (name, value) in
            [("project", &self.project), ("session_id", &self.session_id), ("id", &self.id), ("title", &self.title)]
        {
            record.set_some(name, Some(value).filter(|value| !value.is_empty()));
        }
        record.set_some("state", self.state.as_ref());
        record.set("text", &self.text);
        record
    }

    /// For people: where and when on a line, then the passage.
    fn lines(&self, home: &Path, colours: bool) -> String {
        let (dim, plain) = if colours { DIM } else { ("", "") };
        let day = self.time.map(clock::local_day).unwrap_or_else(|| "----------".to_owned());
        let path = self.path.strip_prefix(home).map_or_else(|_| self.path.clone(), |path| Path::new("~").join(path));
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let id = if self.id.is_empty() { String::new() } else { format!(" ({})", item::short_id(&self.id)) };
        let state = self.state.map(|state| format!(", {state}")).unwrap_or_default();
        let head = format!("{day}  {}{id}  {}  {:.2}{state}", self.kind.word(), self.project, self.score);
        let head = text::one_line(&head).into_owned();
        let place = text::one_line(&format!("{}{line}", path.display())).into_owned();
        let mut out = format!("{}\n    {dim}{}{plain}\n", text::harmless(&head), text::harmless(&place));
        let marks = if colours { MARK } else { ("", "") };
        for line in mark(&self.text, &self.marked, marks).lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(out, "    {line}");
        }
        out
    }
}

/// All hits as people read them.
pub fn listed(hits: &[Hit], home: &Path, colours: bool) -> String {
    hits.iter().map(|hit| hit.lines(home, colours)).collect::<Vec<_>>().join("\n")
}

/// All hits as records, masked.
pub fn records(hits: &[Hit], redactor: &Redactor) -> Vec<Masked> {
    hits.iter().map(|hit| redactor.masked_record(&hit.record())).collect()
}

/// The lines of the best part, and so many around them; of a long line what is around the part.
fn passage(bytes: &[u8], (from, to): (usize, usize), context: usize) -> Range<usize> {
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
        start = begins(start.saturating_sub(1));
        end = ends((end + 1).min(bytes.len()));
    }
    start..end
}

/// Where the words are that were looked for.
fn marked(text: &str, query: &Query) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut add = |at: usize, _: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        found.push(at..at + length);
    };
    Scanner::new(query).scan(text.as_bytes(), &mut add);
    found
}

/// The text with its words marked, and with nothing else that a terminal obeys.
fn mark(text: &str, marked: &[Range<usize>], (begin, end): (&str, &str)) -> String {
    let mut out = String::new();
    let mut at = 0;
    for word in marked.iter().filter(|word| !word.is_empty()) {
        let (Some(before), Some(inner)) = (text.get(at..word.start), text.get(word.clone())) else { continue };
        let _ = write!(out, "{}{begin}{}{end}", text::harmless(before), text::harmless(inner));
        at = word.end;
    }
    out.push_str(&text::harmless(text.get(at..).unwrap_or_default()));
    out
}
