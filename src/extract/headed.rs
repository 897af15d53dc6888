//! What the agent's closing messages tell under headings: what was wrong, its cause and its mend; what is worth to know;
//! what is left. A heading is a line of its own, or the bold words that begin one; for what is left also the last words
//! before a list.

use super::patterns::says;
use super::sentences::{self, Turn, Utterance};
use super::{capital, numbered, quote};
use crate::base::text;
use crate::record::item::{Evidence, Item, ItemKind};

/// The longest heading, in characters.
const HEADING_CHARS: usize = 60;
/// The longest text of an item, in characters.
const CHARS: usize = 420;
/// The longest title of what is worth to know, in characters.
const TITLE_CHARS: usize = 160;
/// The heading of a block that says Insight.
const INSIGHT: &str = "insight";
/// The least words that say something.
const WORDS: usize = 5;

/// A part of a message below a heading.
struct HeadedSection<'a> {
    /// In lower case, without signs.
    heading: String,
    /// Whether it is a heading by its form, and not only the words before a list.
    formal: bool,
    /// As they are in the message, headings below this one left out.
    lines: Vec<&'a str>,
}

/// What a point of a list says, and the line that it is on.
pub type ListPoint<'a> = (String, &'a str);

impl<'a> HeadedSection<'a> {
    /// Its lines as sentences, up to so many characters.
    fn text(&self, most: usize) -> String {
        let plain: Vec<String> = self.lines.iter().map(|line| sentences::plain(line.trim())).collect();
        sentences::joined(plain.iter().filter(|plain| !plain.is_empty()), most)
    }

    /// Its first lines as quotes.
    fn quotes(&self, answer: &Utterance<'_>) -> Vec<Evidence> {
        self.lines.iter().take(4).map(|line| quote(line.trim(), answer)).collect()
    }

    /// The points of its list, each with its line. What is indented below a point belongs to one that only announces it.
    fn points(&self) -> Vec<ListPoint<'a>> {
        let indent = |line: &str| line.len().saturating_sub(line.trim_start().len());
        let mut found: Vec<ListPoint<'_>> = Vec::new();
        let mut first = None;
        for line in self.lines.iter().skip_while(|line| self.formal && !sentences::is_point(line)) {
            let is_first = sentences::is_point(line) && indent(line) <= *first.get_or_insert(indent(line));
            match found.last_mut() {
                _ if is_first => found.push((line.trim().to_owned(), line.trim())),
                Some((text, _)) if indent(line) > first.unwrap_or_default() => {
                    if text.len() <= CHARS && (text.ends_with(':') || !sentences::is_point(line)) {
                        *text = format!("{} {}", text.trim_end_matches('.'), sentences::plain(line.trim()));
                    }
                }
                _ => break,
            }
        }
        found
    }
}

/// The sections of a message, in order. The first has no heading.
fn sections(message: &str) -> Vec<HeadedSection<'_>> {
    let mut found = vec![HeadedSection { heading: String::new(), formal: false, lines: Vec::new() }];
    for line in sentences::own_lines(message).filter(|line| !line.trim().is_empty()) {
        let bare = line.trim();
        let (heading, rest) = match bare.trim_matches('`') {
            block if block.starts_with("★ Insight") => (Some((INSIGHT.to_owned(), true)), ""),
            block if block.starts_with("───") => (Some((String::new(), true)), ""),
            _ => heading(bare),
        };
        if let Some((heading, formal)) = heading {
            found.push(HeadedSection { heading, formal, lines: Vec::new() });
        } else if bare.starts_with(['|', '─']) || bare.chars().all(|c| "-=*_".contains(c)) {
            continue;
        }
        if let (Some(last), false) = (found.last_mut(), rest.is_empty()) {
            last.lines.push(if rest == bare { line } else { rest });
        }
    }
    found
}

/// The heading that a line is or begins with and whether it is one by its form, and the rest.
fn heading(line: &str) -> (Option<(String, bool)>, &str) {
    let plain = |text: &str| sentences::plain(text).to_lowercase().replace('’', "'");
    let short =
        |text: &str| Some((plain(text), true)).filter(|(text, _)| (1..=HEADING_CHARS).contains(&text.chars().count()));
    if line.starts_with('#') {
        return (short(line), "");
    }
    if let Some((bold, rest)) = line.strip_prefix("**").and_then(|line| line.split_once("**")) {
        let rest = rest.trim();
        if rest.is_empty() || bold.ends_with(':') || rest.starts_with(':') {
            return (short(bold), rest.trim_start_matches([':', ' ']));
        }
    }
    if sentences::is_point(line) {
        return (None, line);
    }
    // "It works. Still open: the docs", "Two things are left."
    let (before, rest) = line.split_once(": ").unwrap_or((line, ""));
    let before = before.trim_end_matches(['.', '!', ':', ' ', '*']);
    let start = [". ", "! ", "… "].iter().filter_map(|stop| Some(before.rfind(stop)? + stop.len())).max();
    let head = plain(&before[start.unwrap_or(0)..]);
    if is_open(&head) { (Some((head, false)), rest) } else { (None, line) }
}

/// Whether words say that what comes behind them is left, or comes next.
fn is_open(words: &str) -> bool {
    (says("left", words) || says("left-next", words)) && (!says("left-none", words) || says("left-not-done", words))
}

/// What a message lists as left, each with its line: the points below such a heading, or the sentence behind it. What only
/// comes next is told if it `counts_next` and nothing is listed as left.
pub fn open(message: &str, counts_next: bool) -> Vec<ListPoint<'_>> {
    let mut open = sections(message);
    open.retain(|section| is_open(&section.heading));
    let is_left = |section: &HeadedSection<'_>| says("left", &section.heading);
    if !counts_next || open.iter().any(is_left) {
        open.retain(is_left);
    }
    let mut found = Vec::new();
    for section in open {
        let mut points = section.points();
        if let Some(line) = section.lines.first().filter(|line| points.len() < 2 && !line.ends_with(':')) {
            let numbered = numbered::points(line);
            if numbered.len() > 1 {
                points = numbered.iter().map(|(_, text)| ((*text).to_owned(), *line)).collect();
            } else if points.is_empty() {
                points.extend(entries(line).into_iter().map(|part| (part, *line)));
            }
        }
        // A question is open only where questions are what is left.
        let asks = says("left-asks", &section.heading);
        found.extend(points.into_iter().filter(|(text, _)| asks || !text.trim_end().ends_with('?')));
    }
    found
}

/// The parts of "a; b", and of "a, b, and c" where each is more than a word, in the first sentence of a line.
fn entries(line: &str) -> Vec<String> {
    // What comes behind it says something else.
    let first = line.split(". ").next().unwrap_or(line);
    let bare = |part: &str| {
        let part = part.trim_matches([',', ';', '.', ' ']);
        ["and ", "y "].iter().find_map(|and| part.strip_prefix(and)).unwrap_or(part).to_owned()
    };
    let is_whole = |part: &String| part.contains(' ') && !says("left-goes-on", &part.to_lowercase());
    // Two between which one is to be chosen are one thing.
    let marks: &[&str] = if says("left-choice", &first.to_lowercase()) { &[] } else { &["; ", ", ", " and ", " y "] };
    let mut lists = marks.iter().map(|mark| first.split(mark).map(bare).collect::<Vec<_>>());
    lists.find(|parts| parts.len() > 1 && parts.iter().all(is_whole)).unwrap_or_else(|| vec![bare(first)])
}

/// What was wrong, as a closing message has it under headings.
pub fn failure(answer: &Utterance<'_>) -> Option<Item> {
    let sections = sections(&answer.message.text);
    let below = |kind: &str| {
        let mut behind = sections.iter().skip_while(|section| !says(kind, &section.heading));
        // "Root causes", with a heading for each.
        behind.find(|section| !section.lines.is_empty())
    };
    let (mend, fault, cause) = (below("heading-mend")?, below("heading-fault"), below("heading-cause"));
    let first = fault.or(cause)?;
    let summary = first.text(CHARS);
    let root_cause = cause.filter(|_| fault.is_some()).map_or_else(String::new, |cause| cause.text(CHARS));
    (summary.split_whitespace().count() >= WORDS).then(|| Item {
        evidence: first.quotes(answer),
        root_cause,
        resolution: mend.text(CHARS),
        ..Item::new(ItemKind::Failure, capital(&summary))
    })
}

/// What is worth to know: each point of a block that says Insight, as the client's explanatory style writes them, and what
/// is below a heading that says so.
pub fn learnings(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found = Vec::new();
    for answer in turns.iter().flat_map(Turn::said) {
        for section in sections(&answer.message.text) {
            let lines = || section.lines.iter().map(|line| line.trim());
            if section.heading == INSIGHT {
                let points = lines().filter(|line| line.split_whitespace().count() > 3);
                found.extend(points.map(|line| learning(line, sentences::plain(line), vec![quote(line, answer)])));
            } else if says("heading-learning", &section.heading) {
                let whole = section.text(CHARS);
                let is_enough = whole.split_whitespace().count() >= WORDS * 2;
                let first = lines().find(|line| is_enough && !line.ends_with(':'));
                found.extend(first.map(|first| learning(first, whole, section.quotes(answer))));
            }
        }
    }
    found
}

/// Its title is what is bold in its first line, else that line's first sentence.
fn learning(first: &str, learning: String, evidence: Vec<Evidence>) -> Item {
    let bold = first.split("**").nth(1).filter(|bold| bold.split_whitespace().count() > 1);
    let title = bold.or_else(|| Some(sentences::split(first).first()?.raw)).unwrap_or(first);
    let summary = text::cut(&capital(&sentences::plain(title)), TITLE_CHARS).into_owned();
    Item { learning, scope: "universal".to_owned(), evidence, ..Item::new(ItemKind::Learning, summary) }
}
