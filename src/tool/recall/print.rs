//! What people and programs read: hits, lists, and an item with its quotes.

use super::HitKind;
use super::hit::{Hit, ShownQuote};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::stale_names::NameState;
use crate::base::stream::Output;
use crate::base::{clock, log, text};
use crate::record::item;
use crate::record::speaker::imported_from;
use crate::redact::Redactor;
use crate::store::listed;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What begins and ends a word that was looked for, and what is less important.
const MARK: (&str, &str) = ("\u{1b}[1m", "\u{1b}[22m");
const DIM: (&str, &str) = ("\u{1b}[2m", "\u{1b}[m");
/// Characters of a sentence in a table, and of a project's name, in a pipe and on a terminal.
const CHARS: usize = 100;
const PROJECT: usize = 24;
const NARROW: usize = 16;
/// The first of the columns of a table that are left out where they say the same everywhere: what it is, and the project.
const SAME: usize = 3;
/// So many lines of a list, the newest, have a number: one with more digits could be the head of an id.
const NUMBERED: usize = 999;
/// A day that is not known.
const NO_DAY: &str = "----------";

/// How hits are printed.
#[derive(Clone, Copy)]
pub struct Screen<'a> {
    /// Paths in it are told from `~`.
    pub home: &'a Path,
    /// It has colours.
    pub colours: bool,
    /// Their paths alone are printed, each once and with this byte behind it.
    pub files: Option<u8>,
    /// Lines for people, else records, masked.
    pub text: bool,
    /// What masks the records.
    pub redactor: &'a Redactor,
}

impl Screen<'_> {
    /// Prints hits, of a list in a table.
    pub fn print(&self, hits: &[Hit], is_list: bool, out: &mut Output) -> Result<(), Failure> {
        if let Some(end) = self.files {
            let mut known = HashSet::new();
            let mut paths = hits.iter().map(|hit| &hit.path).filter(|path| known.insert(*path));
            return paths.try_for_each(|path| out.bytes(&[path.as_os_str().as_bytes(), &[end]].concat()));
        }
        if self.text {
            let each = || {
                listed::leave();
                hits.iter().map(|hit| self.hit(hit)).collect::<Vec<_>>().join("\n")
            };
            out.later(&if is_list { self.list(hits, out.columns()) } else { each() });
            return Ok(());
        }
        hits.iter().try_for_each(|hit| out.masked(&self.redactor.masked_record(&hit.record())))
    }

    /// Prints an item with its quotes; a blank line divides it from the one `before`.
    pub fn show(&self, item: &Hit, before: bool, out: &mut Output) -> Result<(), Failure> {
        if !self.text {
            return out.masked(&self.redactor.masked_record(&item.record()));
        }
        out.later(&format!("{}{}", if before { "\n" } else { "" }, self.hit(item)));
        Ok(())
    }

    /// Keeps what the list names for the next command; how many lines there are in front of the first that has a number.
    fn numbered(&self, hits: &[Hit]) -> usize {
        let before = hits.len() - hits.len().min(NUMBERED);
        let mut records = Masked::default();
        for hit in hits.iter().skip(before) {
            records.push(&self.redactor.masked_record(&hit.name()));
        }
        if let Err(failure) = listed::keep(&records) {
            log::say("lh-recall", &format!("the lines have no numbers: {}", failure.message));
            return hits.len();
        }
        before
    }

    /// A table: number, day, id, what it is, project, what it says. On a terminal each has one line: a column that says the
    /// same everywhere is left out, and the rest of the sentence is what `lh show` is for.
    fn list(&self, hits: &[Hit], columns: usize) -> String {
        let before = self.numbered(hits);
        let row = |(at, hit): (usize, &Hit)| {
            let number = if at < before { String::new() } else { (at - before + 1).to_string() };
            let project = text::cut(&hit.project, if columns == 0 { PROJECT } else { NARROW }).into_owned();
            [number, day(hit), hit.short_id(), hit.kind.word().to_owned(), project]
        };
        let rows: Vec<[String; 5]> = hits.iter().enumerate().map(row).collect();
        let mut lines = vec![String::new(); rows.len()];
        for column in 0..5 {
            let is_same = rows.len() > 1 && rows.iter().all(|row| row[column] == rows[0][column]);
            if columns > 0 && column >= SAME && is_same {
                continue;
            }
            let wide = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            for (line, row) in lines.iter_mut().zip(&rows) {
                let cell = &row[column];
                // Numbers end in one column.
                let _ = if column == 0 { write!(line, "{cell:>wide$}  ") } else { write!(line, "{cell:wide$}  ") };
            }
        }
        for (line, hit) in lines.iter_mut().zip(hits) {
            let taken = line.chars().count() + 1;
            let room = if columns == 0 { CHARS } else { columns.max(taken) - taken };
            let state = hit.state.map_or_else(String::new, |state| format!("({state}) "));
            let origin = origin(hit).map_or_else(String::new, |program| format!("(imported from {program}) "));
            let path = hit.path.to_string_lossy();
            let said = format!("{state}{origin}{}", if hit.text.is_empty() { &path } else { hit.text.as_str() });
            *line += &text::cut(&text::one_line(&said), room.clamp(NARROW, CHARS));
            *line = text::harmless(&text::one_line(line)).into_owned() + "\n";
        }
        lines.concat()
    }

    /// Where and when on a line, then the passage, or the whole item with its quotes in their context.
    fn hit(&self, hit: &Hit) -> String {
        let id = Some(hit.short_id()).filter(|id| !id.is_empty()).map_or_else(String::new, |id| format!(" ({id})"));
        let mut head = format!("{}  {}{id}  {}", day(hit), hit.kind.word(), hit.project);
        head += &hit.score.map_or_else(String::new, |score| format!("  {score:.2}"));
        head += &hit.state.map_or_else(String::new, |state| format!(", {state}"));
        head += &origin(hit).map_or_else(String::new, |program| format!(", imported from {program}"));
        let mut out = format!("{}\n", text::harmless(&text::one_line(&head)));
        let place = self.place(&hit.path, hit.line.and_then(|line| line.try_into().ok()));
        let _ = writeln!(out, "    {}", self.dim(&place));
        // A correction is told before what it corrects.
        if let Some((id, said)) = &hit.later {
            let said = format!("replaced by {}: {said}", item::short_id(id));
            let _ = writeln!(out, "    {}", text::harmless(&text::one_line(&said)));
        }
        let judged = |state: NameState, said: &str| {
            let names = self.redactor.shown(&hit.judged.names(state)).into_owned();
            (!names.is_empty()).then(|| format!("    {said}: {}\n", text::harmless(&names)))
        };
        out.extend(judged(NameState::Gone, "gone since"));
        out.extend(judged(NameState::Changed, "changed since"));
        self.lines(&mut out, &hit.text, &hit.marked, "    ");
        // It is shown by itself.
        if hit.score.is_none() {
            out.extend(judged(NameState::Same, "still so"));
        }
        for ShownQuote { words: quote, said_by, path, line, context } in &hit.quotes {
            let by = Some(format!("said by {said_by}")).filter(|_| !said_by.is_empty());
            let place = path.as_deref().map(|path| self.place(path, *line));
            let head: Vec<String> = by.into_iter().chain(place).collect();
            let _ = writeln!(out, "\n    {}", self.dim(&head.join(", ")));
            let (said, at) = context.find(quote.as_str()).map_or((quote, 0), |at| (context, at));
            self.lines(&mut out, said, std::slice::from_ref(&(at..at + quote.len())), "    > ");
        }
        out
    }

    /// Lines of a text with its words marked, and with nothing else that a terminal obeys.
    fn lines(&self, out: &mut String, said: &str, marked: &[Range<usize>], before: &str) {
        let (begin, end) = if self.colours { MARK } else { ("", "") };
        let (mut shown, mut at) = (String::new(), 0);
        for word in marked.iter().filter(|word| !word.is_empty()) {
            let (Some(plain), Some(inner)) = (said.get(at..word.start), said.get(word.clone())) else { continue };
            let _ = write!(shown, "{}{begin}{}{end}", text::harmless(plain), text::harmless(inner));
            at = word.end;
        }
        shown += &text::harmless(&said[at..]);
        for line in shown.lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(out, "{before}{line}");
        }
    }

    fn place(&self, path: &Path, line: Option<u64>) -> String {
        let short = path.strip_prefix(self.home).map_or_else(|_| path.to_path_buf(), |path| Path::new("~").join(path));
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        text::harmless(&text::one_line(&format!("{}{line}", short.display()))).into_owned()
    }

    fn dim(&self, said: &str) -> String {
        let (dim, plain) = if self.colours { DIM } else { ("", "") };
        format!("{dim}{said}{plain}")
    }
}

/// The program that it was imported from; the file of a memory says it itself.
fn origin(hit: &Hit) -> Option<&str> {
    imported_from(&hit.session_id).filter(|_| hit.kind != HitKind::Memory)
}

fn day(hit: &Hit) -> String {
    hit.time.map_or_else(|| NO_DAY.to_owned(), clock::local_day)
}
