//! The file itself, as it is read and as it is written.

use crate::base::exit::Failure;
use crate::base::front_matter::{self, FrontMatter};
use crate::base::{clock, file, text};
use crate::record::item;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A handoff as it is in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handoff {
    /// The open items.
    pub items: Vec<String>,
    /// What a person ticked.
    pub ticked: Vec<String>,
    /// Whose it is; none for the predecessor's.
    pub session_id: Option<String>,
    /// When it was written; none for the predecessor's.
    pub written_at: Option<Timestamp>,
    /// The time of its transcript; where the predecessor rounded it, the earliest that it can be; none where the file says
    /// none.
    pub source_mtime: Option<Timestamp>,
    /// When its session ended; none in older files.
    pub ended_at: Option<Timestamp>,
    /// The line over the items; none where there is none.
    pub heading: Option<String>,
    /// The hash of the file, or [`super::NO_BASE`].
    pub base: String,
    /// Whether we or the predecessor wrote it, as far as its head tells.
    pub ours: bool,
    /// The file is the predecessor's slim handoff, which says where a session stood and nothing of what is open.
    pub is_slim: bool,
}

impl Handoff {
    /// The handoff that a file with these bytes is; without bytes there is none.
    pub fn of(bytes: Option<&[u8]>) -> Self {
        bytes.map_or_else(|| Self { base: super::NO_BASE.to_owned(), ..Self::default() }, parse)
    }
}

/// How far a time in whole seconds can be from the transcript's.
const HALF: SignedDuration = SignedDuration::from_millis(500);

/// The headings of a file without one of its own: of a session in Spanish, as in the predecessor's file, which has
/// no front matter, and of any other.
pub const HEADINGS: [&str; 2] = ["Pendiente para próxima sesión:", "Open for the next session:"];

/// Lines of our own head: a person can write above it.
const HEAD: [&str; 5] = ["session_id: ", "written_at: ", "source_mtime: ", "source_modified_at: ", "ended_at: "];

/// The first line of the predecessor's slim handoff. Behind it is a prompt as it was typed, so no line of it is an item.
const SLIM: &str = "# Handoff (slim)";

/// Boxes of a task list that are ticked.
const TICKED: [&str; 2] = ["[x]", "[X]"];

/// The handoff's file.
pub fn path(memory: &Path) -> PathBuf {
    memory.join("handoff.md")
}

/// The handoff that is in a memory folder.
pub fn read(memory: &Path) -> Result<Handoff, Failure> {
    Ok(Handoff::of(file::read_at_most(&path(memory), file::PAGE_BYTES)?.as_deref()))
}

/// The handoff that a file with these bytes is.
fn parse(bytes: &[u8]) -> Handoff {
    let text = file::text_of(bytes);
    let text = without_conflict(&text);
    let lines = || text.split_inclusive('\n');
    let said: String = lines().take_while(|line| line.trim_end() != SLIM).collect();
    let front = FrontMatter::parse(&said);
    let lines: Vec<&str> = front.body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // Whatever a person wrote there is open too, in a list or not; only headings are not items.
    let is_heading = |line: &&str| {
        let named = front.fields.iter().any(|(key, text)| key == "heading" && text.trim() == *line);
        named || is_heading(line)
    };
    let first = lines.first().copied().filter(is_heading);
    // Of two versions of a whole file that were merged, heads are there twice.
    let is_head = |line: &&&str| {
        is_heading(line)
            || HEAD.iter().any(|key| line.starts_with(key))
            || front.fields.iter().any(|(key, _)| line.starts_with(&format!("{key}: ")))
    };
    let (ticked, open): (Vec<&str>, Vec<&str>) =
        lines.iter().filter(|line| !is_head(line)).partition(|line| is_ticked(line));
    Handoff {
        ended_at: front.get("ended_at").and_then(clock::parse),
        heading: first.map(str::to_owned),
        items: texts(&open),
        ticked: texts(&ticked),
        session_id: front.get("session_id").map(str::to_owned),
        written_at: front.get("written_at").and_then(clock::parse),
        source_mtime: source_mtime(&front),
        is_slim: said.len() < text.len() && said.trim().is_empty(),
        base: item::hash(bytes),
        ours: front.get("session_id").is_some() || first.is_some_and(|first| HEADINGS.contains(&first)),
    }
}

/// A page in two: its front matter, and what is behind it.
pub fn parts(page: &str) -> (&str, &str) {
    let body = FrontMatter::parse(page).body.len();
    page.len().checked_sub(body).and_then(|at| page.split_at_checked(at)).unwrap_or(("", page))
}

/// The time of a page's transcript. Our own key comes first; what is under the predecessor's key is in whole seconds, and
/// in earlier files of ours a time like any other.
fn source_mtime(front: &FrontMatter) -> Option<Timestamp> {
    let exact = |key| front.get(key).and_then(clock::parse);
    let rounded = || {
        let seconds: i64 = front.get("source_mtime")?.split('.').next()?.parse().ok()?;
        // 0 is what the predecessor writes where it could not tell.
        Timestamp::from_second(seconds).ok()?.checked_sub(HALF).ok().filter(|_| seconds > 0)
    };
    exact("source_modified_at").or_else(|| exact("source_mtime")).or_else(rounded)
}

/// A heading that is known by its look: one of markdown, words in bold alone, words before a colon, a rule.
pub fn is_heading(line: &str) -> bool {
    let signs = line.trim_start_matches('#');
    let bold = |mark: &str| {
        let inside = line.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inside.is_some_and(|inside| !inside.is_empty() && !inside.contains(mark) && !inside.starts_with(' '))
    };
    signs.len() < line.len() && line.len() - signs.len() <= 6 && (signs.is_empty() || signs.starts_with(' '))
        || bold("**")
        || bold("__")
        || !line.starts_with(['-', '*', '+']) && line.ends_with(':')
        || !line.chars().any(char::is_alphanumeric) && line.chars().all(|sign| line.starts_with(sign))
}

/// The texts of lines, each once.
fn texts(lines: &[&str]) -> Vec<String> {
    let mut seen = HashSet::new();
    let texts = lines.iter().map(|line| without_marker(line)).filter(|text| !text.is_empty());
    texts.filter(|text| seen.insert(*text)).map(str::to_owned).collect()
}

/// A box of a task list at the head of a text, and what follows it.
fn after_box<'a>(text: &'a str, boxes: &[&str]) -> Option<&'a str> {
    let rest = boxes.iter().find_map(|sign| text.strip_prefix(sign))?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// Whether a person ticked a line.
pub fn is_ticked(line: &str) -> bool {
    after_box(without_list_marker(line), &TICKED).is_some()
}

/// A line without the marks of a list before it, a box included; a sign right before a word is the word's own.
pub fn without_marker(line: &str) -> &str {
    let text = without_list_marker(line);
    after_box(text, &TICKED).or_else(|| after_box(text, &["[ ]", "[]"])).unwrap_or(text)
}

fn without_list_marker(line: &str) -> &str {
    let mut rest = line.trim();
    if rest.chars().all(|c| matches!(c, '-' | '*' | '+')) {
        return "";
    }
    while let Some(behind) = ["-", "*", "+"].iter().find_map(|mark| rest.strip_prefix(mark)) {
        if !behind.starts_with(char::is_whitespace) && !behind.is_empty() {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

/// A text without the lines by which a merge marks a conflict, and without what both sides had before.
/// Both sides count.
fn without_conflict(text: &str) -> String {
    const BEFORE: &str = "|||||||";
    let mut in_before = false;
    let is_said = |line: &&str| {
        let is_mark = |sign: &&str| {
            line.trim_end().strip_prefix(sign).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let mark = ["<<<<<<<", BEFORE, "=======", ">>>>>>>"].into_iter().find(is_mark);
        in_before = mark.map_or(in_before, |mark| mark == BEFORE);
        mark.is_none() && !in_before
    };
    text.split_inclusive('\n').filter(is_said).collect()
}

/// What becomes of a line of a page.
pub enum Line {
    Stays,
    Goes,
    Becomes(String),
}

/// A page in which the lines behind its head are changed, all else as it is. `change` gets a line without the white
/// space around it.
pub fn with_lines(page: &str, mut change: impl FnMut(&str) -> Line) -> String {
    let (head, body) = parts(page);
    let changed = body.split_inclusive('\n').map(|line| match change(line.trim()) {
        Line::Stays => line.to_owned(),
        Line::Goes => String::new(),
        Line::Becomes(new) => line.replacen(line.trim(), &new, 1),
    });
    format!("{head}{}", changed.collect::<String>())
}

/// A page with more items at its end.
pub fn with_more<'i>(mut page: String, items: impl IntoIterator<Item = &'i String>) -> String {
    for item in items {
        let end = if page.is_empty() || page.ends_with('\n') { "" } else { "\n" };
        let _ = writeln!(page, "{end}- {}", text::one_line(item));
    }
    page
}

/// Whose a handoff is, and what is over its items.
pub struct Head<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The time of its transcript.
    pub source_mtime: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The line over the items.
    pub heading: &'a str,
}

/// The text of a handoff.
pub fn text(head: &Head<'_>, items: &[String]) -> String {
    let written_at = clock::local(clock::now());
    let heading = text::one_line(head.heading);
    let heading = heading.trim();
    // One that looks like an item is named, so that it is not read as one.
    let named = if heading.is_empty() || is_heading(heading) {
        String::new()
    } else {
        format!("heading: {}\n", front_matter::quoted(heading))
    };
    let ended = head.ended_at.map(|time| format!("ended_at: {}\n", clock::local(time))).unwrap_or_default();
    // The predecessor reads a number of seconds.
    let seconds = head.source_mtime.checked_add(HALF).unwrap_or(head.source_mtime).as_second();
    let page = format!(
        "---\nsession_id: {}\nwritten_at: {written_at}\nsource_mtime: {seconds}\nsource_modified_at: {}\n{ended}{named}---\n{heading}\n",
        front_matter::plain(head.session_id),
        head.source_mtime,
    );
    with_more(page, items)
}
