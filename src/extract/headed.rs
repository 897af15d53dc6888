//! What the agent's closing messages tell under headings: what was wrong, its cause and its mend; what was
//! skipped, with the reason; what is worth to know. A heading is a line of its own, or the bold words that
//! begin one.

use super::sentences::{self, Signal, Turn, Utterance};
use super::{capital, quote};
use crate::base::text;
use crate::record::item::Item;

/// The longest heading, in characters.
const HEADING_CHARS: usize = 60;
/// The longest text of an item, in characters, and of what is skipped.
const CHARS: usize = 420;
const SKIPPED_CHARS: usize = 260;
/// The least words that say something.
const WORDS: usize = 5;

static FAULT: Signal = Signal::named("heading-fault");
static CAUSE: Signal = Signal::named("heading-cause");
static MEND: Signal = Signal::named("heading-mend");
static LEARNING: Signal = Signal::named("heading-learning");
static SKIPPED: Signal = Signal::named("list-skipped");

/// A part of a message below a heading.
struct Section<'a> {
    /// In lower case, without signs.
    heading: String,
    /// Whether a colon parts it from what is below.
    colon: bool,
    /// As they are in the message, headings below this one left out.
    lines: Vec<&'a str>,
}

impl Section<'_> {
    /// Its lines as sentences, up to so many characters.
    fn text(&self, most: usize) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let plain = sentences::plain(line);
            if plain.is_empty() {
                continue;
            }
            if !out.is_empty() && out.chars().count() + plain.chars().count() > most {
                break;
            }
            if !out.is_empty() {
                out.push_str(". ");
            }
            out.push_str(&plain);
        }
        text::cut(&out, most).into_owned()
    }
}

/// The sections of a message, in order. The first has no heading.
fn sections(message: &str) -> Vec<Section<'_>> {
    let mut found = vec![Section { heading: String::new(), colon: false, lines: Vec::new() }];
    for line in sentences::own_lines(message).map(str::trim).filter(|line| !line.is_empty()) {
        let (heading, rest) = heading(line);
        match heading {
            Some(heading) => {
                let colon = !line.starts_with('#') && line.contains(':');
                found.push(Section { heading, colon, lines: Vec::new() });
            }
            None if line.starts_with(['|', '─']) || line.chars().all(|c| "-=*_".contains(c)) => continue,
            None => {}
        }
        if let (Some(last), false) = (found.last_mut(), rest.is_empty()) {
            last.lines.push(rest);
        }
    }
    found
}

/// The heading that a line is or begins with, and the rest.
fn heading(line: &str) -> (Option<String>, &str) {
    let plain = |text: &str| {
        let text = sentences::plain(text).to_lowercase().replace('’', "'");
        (!text.is_empty() && text.chars().count() <= HEADING_CHARS).then_some(text)
    };
    if line.starts_with('#') {
        return (plain(line), "");
    }
    if let Some((bold, rest)) = line.strip_prefix("**").and_then(|line| line.split_once("**")) {
        let rest = rest.trim();
        if rest.is_empty() || rest == ":" || bold.ends_with(':') || rest.starts_with(':') {
            return (plain(bold), rest.trim_start_matches([':', ' ']));
        }
    }
    // "Skipped: this one (too large)."
    if let Some((word, rest)) = line.split_once(": ")
        && SKIPPED.is_in(&word.to_lowercase())
    {
        return (plain(word), rest);
    }
    match line.strip_suffix(':') {
        Some(word) if SKIPPED.is_in(&word.to_lowercase()) => (plain(word), ""),
        _ => (None, line),
    }
}

/// What was wrong, as a closing message has it under headings.
pub fn failure(answer: &Utterance<'_>) -> Option<Item> {
    let sections = sections(&answer.message.text);
    let below = |signal: &Signal| {
        let at = sections.iter().position(|section| signal.is_in(&section.heading))?;
        // "Root causes", with a heading for each.
        let whole = sections.get(at..)?.iter().find(|section| !section.lines.is_empty())?;
        Some(whole)
    };
    let mend = below(&MEND)?;
    let (fault, cause) = (below(&FAULT), below(&CAUSE));
    let first = fault.or(cause)?;
    let summary = first.text(CHARS);
    if summary.split_whitespace().count() < WORDS {
        return None;
    }
    let root_cause = cause.filter(|_| fault.is_some()).map(|cause| cause.text(CHARS)).unwrap_or_default();
    let quotes = first.lines.iter().take(4).map(|line| quote(line, answer));
    Some(Item {
        evidence: quotes.collect(),
        summary: capital(&summary),
        root_cause,
        resolution: mend.text(CHARS),
        ..Item::default()
    })
}

/// What was not done, and why: one decision a message.
pub fn skipped(answer: &Utterance<'_>) -> Option<Item> {
    let sections = sections(&answer.message.text);
    let mut sections = sections.into_iter();
    let mut section = sections.rfind(|section| SKIPPED.is_in(&section.heading) && !section.lines.is_empty())?;
    // What comes behind the list is not in it.
    let listed = |line: &&str| line.starts_with(['-', '*', '•']) || line.starts_with(|c: char| c.is_ascii_digit());
    let count = section.lines.iter().take_while(|line| listed(line)).count();
    section.lines.truncate(count.max(1));
    let all = section.text(CHARS * 2);
    // Without reasons it is a list of what there is.
    let reasons = [" — ", " – ", " - ", "(", "; ", ": "].iter().any(|mark| all.contains(mark));
    if !reasons || all.split_whitespace().count() < WORDS {
        return None;
    }
    let heads: Vec<String> = section.lines.iter().map(|line| head(&sentences::plain(line))).collect();
    // As it was written: the reader of quotes takes what has a colon before it for another clause.
    let mark = if section.colon { ":" } else { "" };
    let summary = format!("{}{mark} {}", capital(section.heading.split('(').next()?.trim()), heads.join("; "));
    Some(Item {
        summary: text::cut(&summary, SKIPPED_CHARS).into_owned(),
        rationale: text::cut(&all, CHARS).into_owned(),
        evidence: section.lines.iter().take(4).map(|line| quote(line, answer)).collect(),
        ..Item::default()
    })
}

/// A point without its reason.
fn head(point: &str) -> String {
    let end = [" — ", " – ", " - "].iter().filter_map(|mark| point.find(mark)).min();
    point.get(..end.unwrap_or(point.len())).unwrap_or(point).trim().to_owned()
}

/// What is worth to know.
pub fn learnings(turns: &[Turn<'_>]) -> Vec<Item> {
    let answers = turns.iter().flat_map(Turn::said);
    let sections = answers.flat_map(|answer| {
        let all = sections(&answer.message.text).into_iter();
        all.filter(|section| LEARNING.is_in(&section.heading)).map(move |section| (answer, section))
    });
    let learning = |(answer, section): (&Utterance<'_>, Section<'_>)| {
        let learning = section.text(CHARS);
        let first = sentences::plain(section.lines.iter().find(|line| !line.ends_with(':'))?);
        (learning.split_whitespace().count() >= WORDS * 2).then(|| Item {
            summary: text::cut(&capital(&first), 160).into_owned(),
            learning: learning.clone(),
            scope: "universal".to_owned(),
            evidence: section.lines.iter().take(4).map(|line| quote(line, answer)).collect(),
            ..Item::default()
        })
    };
    sections.filter_map(learning).collect()
}
