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

/// The longest text that is told of why, in characters.
const WHY_CHARS: usize = 480;
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

/// What a commit or a pull request gives: by the head of its body, else by the points below that, each of which is a body
/// with a title of its own.
pub fn find(told: &Titled<'_>) -> Vec<Item> {
    let title = told.title.to_lowercase();
    if told.kind == TitledKind::Issue || says("written-dull", &title) {
        return Vec::new();
    }
    let (listed, prose): (Vec<WrittenPart>, Vec<WrittenPart>) =
        parts(&told.body).into_iter().partition(|part| part.listed);
    let head: Vec<Sentence<'_>> = prose.iter().take(HEAD).flat_map(|part| said(&part.text)).collect();
    let whole = judged(told, None, &head, mends(&told.title)).filter(|_| !says("written-vague", &title));
    if whole.is_some() {
        return whole.into_iter().collect();
    }
    let point = |part: &WrittenPart| -> Option<Item> {
        let all = said(&part.text);
        let (first, rest) = all.split_first().filter(|(first, _)| !says("written-dull", &first.lower))?;
        judged(told, Some(first), rest, false)
    };
    listed.iter().filter_map(point).take(POINTS).collect()
}

/// Whether a sentence tells what was wrong, whatever it is below.
fn is_fault(sentence: &Sentence<'_>) -> bool {
    says("written-strong", signal("decision-over").before(&sentence.lower).unwrap_or(&sentence.lower))
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

/// What is written in some sentences below a title, or below the first sentence of a point: a failure where one tells what
/// was wrong, else a decision where one says why.
fn judged(told: &Titled<'_>, point: Option<&Sentence<'_>>, below: &[Sentence<'_>], mends: bool) -> Option<Item> {
    let is_mend = |one: &Sentence<'_>| says("written-mend", &one.lower) || says("written-instead", &one.lower);
    let is_told = |one: &&Sentence<'_>| !is_mend(one) && (is_fault(one) || mends && says("written-fault", &one.lower));
    // Of a title that is not that of a mend only what is said first tells what was wrong.
    let makes = point.is_none() && says("written-no-mend", &told.title.to_lowercase());
    let said = point.into_iter().chain(below);
    let fault = said.take(if mends { usize::MAX } else { 1 }).find(is_told).filter(|_| !makes);
    let why = || below.iter().take_while(|one| !is_mend(one));
    if let Some(fault) = fault.filter(|_| point.is_none() || why().next().is_some()) {
        let summary = text::cut(&fault.plain, TITLE_CHARS).into_owned();
        // A point is about one thing; what is around the fault of a title is often about another one.
        let root_cause = match point {
            Some(_) => joined(why(), WHY_CHARS),
            None if summary == fault.plain => String::new(),
            None => text::cut(&fault.plain, WHY_CHARS).into_owned(),
        };
        let evidence = [fault.raw, &told.title].iter().map(|raw| told.quote(raw)).collect();
        let resolution =
            point.map_or_else(|| told.title.clone(), |_| joined(below.iter().filter(|one| is_mend(one)), WHY_CHARS));
        return Some(Item { root_cause, resolution, evidence, ..Item::new(ItemKind::Failure, summary) });
    }
    let reasons = |one: &Sentence<'_>| says("written-why", &one.lower);
    let tells = |one: &&Sentence<'_>| reasons(one) || says("written-contrast", &one.lower);
    point.filter(|point| reasons(point)).or_else(|| below.iter().find(tells))?;
    let why = joined(below.iter(), WHY_CHARS);
    // A first sentence that gives no reason says what is so.
    let (rationale, context) =
        if below.first().is_some_and(reasons) { (why, String::new()) } else { (String::new(), why) };
    let summary = point.map_or_else(|| told.title.clone(), |point| super::capital(&point.plain));
    let quotes = [point.map_or(&*told.title, |point| point.raw), below.first().map_or(&*told.title, |one| one.raw)];
    let evidence = quotes.iter().map(|raw| told.quote(raw)).collect();
    let summary = text::cut(&summary, TITLE_CHARS).into_owned();
    Some(Item { context, rationale, evidence, ..Item::new(ItemKind::Decision, summary) })
}

/// The paragraphs and points of a body, each on one line, without headings, tables, ticks and trailers.
fn parts(body: &str) -> Vec<WrittenPart> {
    let mut found: Vec<WrittenPart> = Vec::new();
    let mut open = false;
    for line in sentences::own_lines(body) {
        let (bare, was_open) = (line.trim(), std::mem::take(&mut open));
        let is_skipped = bare.starts_with(['#', '|', '<']) || says("written-trailer", &bare.to_lowercase());
        if bare.is_empty() || is_skipped || text::ticked(bare).is_some() {
            continue;
        }
        open = true;
        let mark = bare.split(' ').next().unwrap_or(bare);
        let number = mark.strip_suffix(['.', ')']).filter(|number| !number.is_empty());
        let is_number = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        let listed = is_number || matches!(mark, "-" | "*" | "•" | "+");
        match found.last_mut().filter(|last| !listed && (was_open || last.listed && line.starts_with("  "))) {
            // A paragraph below a point goes on with it.
            Some(last) => last.text.extend([" ", bare]),
            None => found.push(WrittenPart { text: bare.to_owned(), listed }),
        }
    }
    found
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
        let wanted = [("Why it wraps.", false), ("- one goes on and on", true), ("1. two", true), ("Last.", false)];
        assert_eq!(found, wanted.map(|(text, listed)| (text.to_owned(), listed)));
    }
}
