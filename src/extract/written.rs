//! What commits, pull requests and approved plans say: a title, and below it why. A title with a body that
//! tells what was wrong is a failure; one that tells a choice and its reason is a decision. What says no
//! reason is in git, and is nothing to be remembered.

use super::commits::{Titled, TitledKind};
use super::own_words;
use super::patterns::{says, signal};
use super::sentences::{self, Sentence};
use super::uses;
use crate::base::text;
use crate::record::item::{Item, ItemKind};
use crate::record::message::Message;

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

/// A paragraph or a point of a list, on one line.
struct WrittenPart {
    text: String,
    listed: bool,
}

/// Whether a title is that of a mend.
pub fn mends(title: &str) -> bool {
    says("written-mends", &title.to_lowercase())
}

/// What a commit or a pull request gives.
pub fn find(told: &Titled<'_>) -> Vec<Item> {
    let title = told.title.to_lowercase();
    if told.kind == TitledKind::Issue || says("written-dull", &title) {
        return Vec::new();
    }
    let parts = parts(&told.body);
    let prose: Vec<Sentence<'_>> =
        parts.iter().filter(|part| !part.listed).take(HEAD).flat_map(|part| said(&part.text)).collect();
    let listed: Vec<Sentence<'_>> = parts.iter().filter(|part| part.listed).flat_map(|part| said(&part.text)).collect();
    let kind = if says("written-no-mend", &title) {
        Title::Makes
    } else if says("written-mends", &title) {
        Title::Mends
    } else {
        Title::Other
    };
    let head = Sentence { raw: &told.title, plain: told.title.clone(), lower: title };
    let whole = judged(told, &head, [&prose, &listed], kind).filter(|_| !says("written-vague", &head.lower));
    if whole.is_some() {
        return whole.into_iter().collect();
    }
    let point = |all: Vec<Sentence<'_>>| -> Option<Item> {
        let (first, rest) = all.split_first().filter(|(first, _)| !says("written-dull", &first.lower))?;
        judged(told, first, [rest, &[]], Title::Point)
    };
    parts.iter().filter(|part| part.listed).filter_map(|part| point(said(&part.text))).take(POINTS).collect()
}

/// Whether a sentence tells what was wrong, whatever it stands below.
fn is_fault(sentence: &Sentence<'_>) -> bool {
    says("written-strong", signal("decision-over").before(&sentence.lower).unwrap_or(&sentence.lower))
        || says("written-blocked", &sentence.lower)
}

/// The sentences of a text that say something.
fn said(text: &str) -> Vec<Sentence<'_>> {
    let all = sentences::split(text).into_iter();
    let is_whole = |said: &Sentence<'_>| !said.raw.ends_with(':') && !said.raw.contains(own_words::CUT);
    all.filter(|sentence| sentence.plain.split_whitespace().count() >= WORDS && is_whole(sentence)).collect()
}

fn joined<'s>(all: impl Iterator<Item = &'s Sentence<'s>>, most: usize) -> String {
    sentences::joined(all.map(|sentence| &sentence.plain), most)
}

/// What a title gives with the prose and the points below it: a failure where something was broken and a sentence tells
/// it, else a decision where one says why.
fn judged(told: &Titled<'_>, title: &Sentence<'_>, below: [&[Sentence<'_>]; 2], kind: Title) -> Option<Item> {
    let [prose, listed] = below;
    let all = || prose.iter().chain(listed);
    let is_point = kind == Title::Point;
    let summary = if is_point { super::capital(&title.plain) } else { title.plain.clone() };
    let quotes = [title.raw, prose.first().map_or(title.raw, |first| first.raw)];
    let evidence = quotes.iter().map(|raw| told.quote(raw)).collect();
    let item = Item { evidence, ..Item::new(ItemKind::Decision, text::cut(&summary, TITLE_CHARS)) };
    let tells = |sentence: &&Sentence<'_>| says("written-fault", &sentence.lower) || is_fault(sentence);
    let is_mend = |sentence: &&Sentence<'_>| says("written-mend", &sentence.lower);
    let broke = match kind {
        Title::Mends => prose.iter().any(|sentence| tells(&sentence)),
        Title::Other => prose.first().is_some_and(is_fault),
        Title::Point => is_fault(title),
        Title::Makes => false,
    };
    let root_cause = joined(prose.iter().take_while(|sentence| !is_mend(sentence)), WHY_CHARS);
    if broke && is_point && !root_cause.is_empty() {
        let resolution = joined(prose.iter().filter(is_mend), MEND_CHARS);
        return Some(Item { kind: ItemKind::Failure, root_cause, resolution, ..item });
    }
    // One sentence tells the fault, and why; what stands around it is often about another one. The title says what
    // mended it. What is done "rather than" something else is the mend.
    let is_new = |sentence: &&Sentence<'_>| {
        says("written-instead", &sentence.lower) && !says("written-blocked", &sentence.lower)
    };
    let fault = prose.iter().find(|sentence| tells(sentence) && !is_mend(sentence) && !is_new(sentence));
    if let Some(fault) = fault.filter(|_| broke && !is_point) {
        let evidence = [fault.raw, title.raw].iter().map(|raw| told.quote(raw)).collect();
        let summary = text::cut(&fault.plain, TITLE_CHARS).into_owned();
        // The rest of a long sentence is not in the summary.
        let root_cause = if summary == fault.plain { "".into() } else { text::cut(&fault.plain, WHY_CHARS) };
        let (root_cause, resolution) = (root_cause.into_owned(), title.plain.clone());
        return Some(Item { root_cause, resolution, evidence, ..Item::new(ItemKind::Failure, summary) });
    }
    let says_why =
        |sentence: &&Sentence<'_>| says("written-why", &sentence.lower) || says("written-contrast", &sentence.lower);
    let in_title = is_point && says_why(&title);
    if !in_title && !all().any(|sentence| says_why(&sentence)) || !is_point && prose.is_empty() {
        return None;
    }
    // What only says what was done is not a reason. Of a title a reason is what begins its body or speaks of all of it;
    // another sentence is most often about a part, and is kept as what the commit says besides.
    let why = |of_all: bool| {
        let begins = |one: &Sentence<'_>| parts(&told.body).first().is_some_and(|part| part.text.starts_with(one.raw));
        let speaks_of_all = |one: &Sentence<'_>| is_point || begins(one) || says("written-of-all", &one.lower);
        let is_of_all = |one: &Sentence<'_>| speaks_of_all(one) && says("written-why", &one.lower);
        joined(prose.iter().filter(|one| says_why(one) && is_of_all(one) == of_all), WHY_CHARS)
    };
    let rationale = match why(true) {
        reasons if in_title && reasons.is_empty() => joined(prose.iter(), WHY_CHARS),
        reasons => reasons,
    };
    let context = match why(false) {
        _ if is_point => told.title.clone(),
        parts if parts.is_empty() && rationale.is_empty() => joined(listed.iter().filter(says_why), WHY_CHARS),
        parts => parts,
    };
    Some(Item { context, rationale, ..item })
}

/// What a title is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Title {
    /// That of a mend.
    Mends,
    /// That of work that mends nothing, by its own word.
    Makes,
    /// Another one.
    Other,
    /// The first sentence of a point, below a title that does not say it.
    Point,
}

/// The paragraphs and points of a body, each on one line, without headings, tables, ticks and trailers.
fn parts(body: &str) -> Vec<WrittenPart> {
    let mut found: Vec<WrittenPart> = Vec::new();
    let mut open = false;
    for line in sentences::own_lines(body) {
        let bare = line.trim();
        let skipped = bare.starts_with(['#', '|', '<']) || says("written-trailer", &bare.to_lowercase());
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
            (Some(rest), _) => found.push(WrittenPart { text: rest.to_owned(), listed: true }),
            // A paragraph below a point goes on with it.
            (None, Some(last)) if open || indented && last.listed => {
                last.text.push(' ');
                last.text.push_str(bare);
            }
            (None, _) => found.push(WrittenPart { text: bare.to_owned(), listed: false }),
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
pub fn plans(messages: &[Message]) -> Vec<(&Message, &str)> {
    let mut live = messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain);
    let prompts = live.clone().filter(|message| message.plan).map(|message| (message, message.text.as_str()));
    // At the end it is not approved.
    let last = live.next_back().map(|message| message.line);
    let asked = uses::of(messages).into_iter().filter(|used| used.is_done() && Some(used.message.line) != last);
    let mut found: Vec<_> = prompts.chain(asked.filter_map(|used| Some((used.message, used.tool.plan()?)))).collect();
    found.sort_by_key(|(message, _)| message.line);
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
    let first = prose.first().filter(|_| !says("written-dull", &name.to_lowercase()))?;
    let title = if name.split_whitespace().count() >= 2 { name } else { &first.plain };
    Some(Item {
        // What a plan says first is what is so, and rarely why.
        context: joined(prose.iter(), WHY_CHARS),
        evidence: vec![message.quote(heading.trim()), message.quote(first.raw)],
        ..Item::new(ItemKind::Decision, text::cut(title, TITLE_CHARS))
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
