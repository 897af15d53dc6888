//! What commits, pull requests and approved plans say: a title, and below it why. A title with a body that
//! tells what was wrong is a failure; one that tells a choice and its reason is a decision. What says no
//! reason is in git, and is nothing to be remembered.

use super::commits::{Kind, Told};
use super::sentences::{self, Sentence, Signal};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::{Action, Message};
use std::collections::HashSet;

/// The longest text that is told of why, in characters, and of what mended it.
const WHY_CHARS: usize = 480;
const MEND_CHARS: usize = 300;
/// The longest title, and the longest first sentence of a point, in characters.
const TITLE_CHARS: usize = 200;
/// The least words of a sentence that says why.
const WORDS: usize = 4;
/// The paragraphs at the head of a body that say why.
const HEAD: usize = 3;
/// The most items of one list.
const POINTS: usize = 6;

/// The title of a change that mends something.
static MENDS: Signal = Signal::named("written-mends");
/// One that says little about what it changes: the points of its list have to.
static VAGUE: Signal = Signal::named("written-vague");
/// One of work of which nothing is worth to be known.
static DULL: Signal = Signal::named("written-dull");
/// What was wrong, in a change that mends something, and what can be nothing else.
static FAULT: Signal = Signal::named("written-fault");
static STRONG: Signal = Signal::named("written-strong");
/// What would have been, or is not done any more.
static OVER: Signal = Signal::named("decision-over");
/// What was wrong, told by what is so instead.
static BLOCKED: Signal = Signal::named("written-blocked");
/// What was done about it.
static MEND: Signal = Signal::named("written-mend");
/// Why it was done so.
static WHY: Signal = Signal::named("written-why");
/// A line that only names people or numbers: `Signed-off-by:`, `Closes #3`.
static TRAILER: Signal = Signal::any(&[
    r"^[a-z]+(?:-[a-z]+)+: \S",
    r"^(?:refs?|closes?|fix(?:es|ed)?|resolves?|part of|issue|see|related)(?: to)?:? (?:[\w/-]*#|https?:|gh-)\d*",
    r"^(?:🤖|generated with)",
]);

/// What one text gives.
pub enum Found {
    /// A choice and its reason.
    Decision(Item),
    /// What was wrong, and the mend.
    Failure(Item),
}

/// A paragraph or a point of a list, on one line.
struct Part {
    text: String,
    listed: bool,
}

/// What a commit or a pull request gives.
pub fn find(told: &Told<'_>) -> Vec<Found> {
    let title = told.title.to_lowercase();
    if told.kind == Kind::Issue || DULL.is_in(&title) {
        return Vec::new();
    }
    let parts = parts(&told.body);
    if !VAGUE.is_in(&title) {
        let whole = whole(told, &title, &parts);
        if whole.is_some() {
            return whole.into_iter().collect();
        }
    }
    let points = parts.iter().filter(|part| part.listed);
    points.filter_map(|part| point(told, part)).take(POINTS).collect()
}

/// Whether a sentence tells what was wrong, whatever it stands below.
fn is_fault(sentence: &Sentence<'_>) -> bool {
    STRONG.is_in(OVER.before(&sentence.lower).unwrap_or(&sentence.lower)) || BLOCKED.is_in(&sentence.lower)
}

/// The sentences of a text that say something.
fn said(text: &str) -> Vec<Sentence<'_>> {
    let all = sentences::split(text).into_iter();
    all.filter(|sentence| sentence.plain.split_whitespace().count() >= WORDS && !sentence.raw.ends_with(':')).collect()
}

fn joined<'s>(all: impl Iterator<Item = &'s Sentence<'s>>, most: usize) -> String {
    let mut out = String::new();
    for sentence in all {
        let more = sentence.plain.chars().count() + 2;
        if !out.is_empty() && out.chars().count() + more > most {
            break;
        }
        if !out.is_empty() {
            out.push_str(". ");
        }
        out.push_str(&sentence.plain);
    }
    text::cut(&out, most).into_owned()
}

/// The one item of a title and what is below it.
fn whole(told: &Told<'_>, title: &str, parts: &[Part]) -> Option<Found> {
    let prose: Vec<Sentence<'_>> =
        parts.iter().filter(|part| !part.listed).take(HEAD).flat_map(|part| said(&part.text)).collect();
    let first = prose.first()?;
    let summary = text::cut(&told.title, TITLE_CHARS).into_owned();
    let mends = MENDS.is_in(title);
    if mends && prose.iter().any(|sentence| FAULT.is_in(&sentence.lower)) || is_fault(first) {
        let wrong = prose.iter().take_while(|sentence| !MEND.is_in(&sentence.lower));
        // Where the body begins with the mend, the cause is told by none of it.
        let wrong = joined(wrong, WHY_CHARS);
        let mended = usize::from(!wrong.is_empty());
        let listed: Vec<Sentence<'_>> =
            parts.iter().filter(|part| part.listed).flat_map(|part| said(&part.text)).collect();
        let mend = prose.iter().skip(mended).chain(&listed).filter(|sentence| MEND.is_in(&sentence.lower));
        let item = Item { summary, root_cause: wrong, resolution: joined(mend, MEND_CHARS), ..Item::default() };
        return Some(Found::Failure(quoted(item, told, first)));
    }
    let listed: Vec<Sentence<'_>> = parts.iter().filter(|part| part.listed).flat_map(|part| said(&part.text)).collect();
    let why = |sentence: &&Sentence<'_>| WHY.is_in(&sentence.lower);
    if !prose.iter().chain(&listed).any(|sentence| why(&sentence)) {
        return None;
    }
    // Of the list only the points that say why.
    let rationale = joined(prose.iter().chain(listed.iter().filter(why)), WHY_CHARS);
    let item = Item { summary, rationale, ..Item::default() };
    Some(Found::Decision(quoted(item, told, first)))
}

fn quoted(item: Item, told: &Told<'_>, sentence: &Sentence<'_>) -> Item {
    Item { evidence: vec![told.message.quote(&told.title), told.message.quote(sentence.raw)], ..item }
}

/// A point of a list, below a title that does not say it.
fn point(told: &Told<'_>, part: &Part) -> Option<Found> {
    let all = said(&part.text);
    let first = all.first()?;
    let summary = text::cut(&super::capital(&first.plain), TITLE_CHARS).into_owned();
    let evidence = vec![told.message.quote(first.raw)];
    let item = Item { summary, evidence, ..Item::default() };
    if DULL.is_in(&first.lower) {
        return None;
    }
    if is_fault(first) {
        let wrong = all.iter().skip(1).take_while(|sentence| !MEND.is_in(&sentence.lower));
        let mend = all.iter().skip(1).filter(|sentence| MEND.is_in(&sentence.lower));
        let (root_cause, resolution) = (joined(wrong, WHY_CHARS), joined(mend, MEND_CHARS));
        return Some(Found::Failure(Item { root_cause, resolution, ..item }));
    }
    let why = all.iter().any(|sentence| WHY.is_in(&sentence.lower));
    let rationale = joined(all.iter().skip(1), WHY_CHARS);
    why.then(|| Found::Decision(Item { rationale, context: told.title.clone(), ..item }))
}

/// The paragraphs and points of a body, each on one line, without headings, tables, ticks and trailers.
fn parts(body: &str) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut open = false;
    for line in sentences::own_lines(body) {
        let bare = line.trim();
        let skipped = bare.starts_with(['#', '|', '<']) || TRAILER.is_in(&bare.to_lowercase());
        if bare.is_empty() || skipped {
            open = false;
            continue;
        }
        let marker = marker(bare);
        if marker.is_some_and(|rest| rest.starts_with('[')) {
            open = false;
            continue;
        }
        let indented = line.starts_with("  ");
        match (marker, found.last_mut()) {
            (Some(rest), _) => found.push(Part { text: rest.to_owned(), listed: true }),
            // A paragraph below a point goes on with it.
            (None, Some(last)) if open || indented && last.listed => {
                last.text.push(' ');
                last.text.push_str(bare);
            }
            (None, _) => found.push(Part { text: bare.to_owned(), listed: false }),
        }
        open = true;
    }
    found
}

/// What is behind the mark of a point.
fn marker(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')'])).flatten();
    let marked = ["- ", "* ", "• ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    numbered.filter(|rest| rest.starts_with(' ')).or(marked).map(str::trim)
}

/// The plans that the user approved, each with the message that shows it.
pub fn plans<'m>(messages: &'m [Message], failed: &HashSet<&str>) -> Vec<(&'m Message, &'m str)> {
    let live = || messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain);
    let last = live().next_back().map(|message| message.line);
    let mut found = Vec::new();
    for message in live() {
        if message.plan {
            found.push((message, message.text.as_str()));
        }
        for tool in &message.tools {
            // At the end nobody has approved it.
            if let Action::Plan(plan) = &tool.action
                && !failed.contains(tool.id.as_str())
                && last != Some(message.line)
            {
                found.push((message, plan.as_str()));
            }
        }
    }
    found
}

/// The decision to do as a plan says.
pub fn plan(message: &Message, plan: &str) -> Option<Item> {
    let heading = plan.lines().find_map(|line| line.trim().strip_prefix("# "))?;
    let name = heading.trim().trim_start_matches("Plan").trim_start_matches([':', ' ', '—', '-']).trim();
    let behind = plan.split_once(heading).map_or("", |(_, rest)| rest);
    let parts = parts(behind);
    let prose: Vec<Sentence<'_>> =
        parts.iter().filter(|part| !part.listed).take(HEAD).flat_map(|part| said(&part.text)).collect();
    let first = prose.first().filter(|_| !DULL.is_in(&name.to_lowercase()))?;
    let title = if name.split_whitespace().count() >= 2 { name } else { &first.plain };
    Some(Item {
        summary: text::cut(title, TITLE_CHARS).into_owned(),
        // What a plan says first is what is so, and rarely why.
        context: joined(prose.iter(), WHY_CHARS),
        evidence: vec![message.quote(heading.trim()), message.quote(first.raw)],
        ..Item::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_read_in_parts() {
        let body = "Why it\nwraps.\n\n- one\n  goes on\n\n  and on\n- [x] ticked\n\n## Head\n1. two\n\nCo-Authored-By: A B <a@b>\nCloses #3\n```\ncode\n```\nLast.";
        let found: Vec<(String, bool)> = parts(body).into_iter().map(|part| (part.text, part.listed)).collect();
        let wanted = [("Why it wraps.", false), ("one goes on and on", true), ("two", true), ("Last.", false)];
        assert_eq!(found, wanted.map(|(text, listed)| (text.to_owned(), listed)));
    }
}
