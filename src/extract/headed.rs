//! What the agent's closing messages tell under headings: what was wrong, its cause and its mend; what was
//! skipped, with the reason; what is worth to know; what is left. A heading is a line of its own, or the bold words that
//! begin one; for what was skipped or is left also the last words before a list.

use super::patterns::{says, signal};
use super::sentences::{self, Turn, Utterance};
use super::{capital, quote};
use crate::base::text;
use crate::record::item::{Evidence, Item, ItemKind};

/// The longest heading, in characters.
const HEADING_CHARS: usize = 60;
/// The longest text of an item, in characters, and of what is skipped.
const CHARS: usize = 420;
const SKIPPED_CHARS: usize = 260;
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
    /// Whether a colon parts it from what is below.
    colon: bool,
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
    let mut found = vec![HeadedSection { heading: String::new(), formal: false, colon: false, lines: Vec::new() }];
    for line in sentences::own_lines(message).filter(|line| !line.trim().is_empty()) {
        let bare = line.trim();
        let (heading, rest) = match bare.trim_matches('`') {
            block if block.starts_with("★ Insight") => (Some((INSIGHT.to_owned(), true)), ""),
            block if block.starts_with("───") => (Some((String::new(), true)), ""),
            _ => heading(bare),
        };
        if let Some((heading, formal)) = heading {
            let colon = !bare.starts_with('#') && line.contains(':');
            found.push(HeadedSection { heading, formal, colon, lines: Vec::new() });
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
    // "Skipped: this one (too large)", "It works. Still open: the docs", "Two things are left."
    let is_head = |head: &str| says("list-skipped", head) || is_open(head);
    let marks = [": ", " — ", " – "].iter().flat_map(|mark| line.match_indices(mark).take(2));
    for (end, rest) in marks.map(|(at, mark)| (at, at + mark.len())).chain([(line.len(), line.len())]) {
        let before = line[..end].trim_end_matches(['.', '!', ':', ' ', '*']);
        let start = [". ", "! ", "… "].iter().filter_map(|stop| Some(before.rfind(stop)? + stop.len())).max();
        let head = plain(&before[start.unwrap_or(0)..]);
        if is_head(&head) {
            return (Some((head, false)), &line[rest..]);
        }
    }
    (None, line)
}

/// Whether words say that what comes behind them is left, or comes next.
pub fn is_open(words: &str) -> bool {
    (says("left-next", words) || says("left", words)) && (!says("left-none", words) || says("left-not-done", words))
}

/// What a message lists as left, and what it only lists as coming next, each with its line.
pub fn open(message: &str) -> [Vec<ListPoint<'_>>; 2] {
    let (mut left, mut next) = (Vec::new(), Vec::new());
    for section in sections(message).iter().filter(|section| is_open(&section.heading)) {
        let asks = says("left-asks", &section.heading);
        let mut points = section.points();
        if let Some(line) = section.lines.first().filter(|line| !line.ends_with(':'))
            && (points.is_empty() || points.len() == 1 && signal("left-number").parts(line).len() > 2)
        {
            points.clear();
            points.extend(entries(line).into_iter().map(|part| (part, *line)));
        }
        // A question is open only where questions are what is left.
        points.retain(|(text, _)| asks || !text.trim_end().ends_with('?'));
        if says("left", &section.heading) { left.append(&mut points) } else { next.append(&mut points) }
    }
    [left, next]
}

/// The parts of "(1) a, (2) b", of "a; b", and of "a, b, and c" when each of them is more than a word.
fn entries(line: &str) -> Vec<String> {
    let bare = |part: &str| {
        let is_sign = [',', ';', '.', ' '];
        let part = part.trim_matches(is_sign);
        let part = ["and ", "y "].iter().find_map(|and| part.strip_prefix(and)).unwrap_or(part);
        let part = [" and", " y"].iter().find_map(|and| part.strip_suffix(and)).unwrap_or(part);
        part.trim_matches(is_sign).to_owned()
    };
    let said = |parts: Vec<&str>| parts.into_iter().map(bare).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let numbered = said(signal("left-number").parts(line));
    if numbered.len() > 1 {
        return numbered;
    }
    // The first sentence: what comes behind it says something else.
    let first = line.split(". ").next().unwrap_or(line);
    let is_whole = |part: &String| part.contains(' ') && !says("left-goes-on", &part.to_lowercase());
    let is_list = |parts: &Vec<String>| parts.len() > 1 && parts.iter().all(is_whole);
    // Two between which one is to be chosen are one thing.
    let marks: &[&str] = if says("left-choice", &first.to_lowercase()) { &[] } else { &["; ", ", ", " and ", " y "] };
    let mut splits = marks.iter().map(|mark| said(first.split(mark).collect()));
    splits.find(is_list).unwrap_or_else(|| vec![bare(first)])
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

/// What was not done, and why: one decision a message.
pub fn skipped(answer: &Utterance<'_>) -> Option<Item> {
    let is_told = |section: &HeadedSection<'_>| says("list-skipped", &section.heading) && !section.lines.is_empty();
    let mut section = sections(&answer.message.text).into_iter().rfind(is_told)?;
    // What comes behind the list is not in it.
    let count = section.lines.iter().take_while(|line| sentences::is_point(line)).count();
    section.lines.truncate(count.max(1));
    let all = section.text(CHARS * 2);
    // Without reasons it is a list of what there is.
    let reasons = [" — ", " – ", " - ", "(", "; ", ": "].iter().any(|mark| all.contains(mark));
    if !reasons || all.split_whitespace().count() < WORDS {
        return None;
    }
    let heads: Vec<String> = section.lines.iter().map(|line| head(&sentences::plain(line.trim()))).collect();
    // As it was written: the reader of quotes takes what has a colon before it for another clause.
    let mark = if section.colon { ":" } else { "" };
    let summary = format!("{}{mark} {}", capital(section.heading.split('(').next()?.trim()), heads.join("; "));
    let summary = text::cut(&summary, SKIPPED_CHARS).into_owned();
    // Where the heads are all of it, the reasons are in the summary.
    let rationale = if summary.contains(&all) { String::new() } else { text::cut(&all, CHARS).into_owned() };
    Some(Item { rationale, evidence: section.quotes(answer), ..Item::new(ItemKind::Decision, summary) })
}

/// A point without its reason.
fn head(point: &str) -> String {
    let end = [" — ", " – ", " - "].iter().filter_map(|mark| point.find(mark)).min();
    point.get(..end.unwrap_or(point.len())).unwrap_or(point).trim().to_owned()
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
