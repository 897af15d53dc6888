//! Failures: a cause that the agent states without hedging, in a turn that ends mended, and that
//! neither a later word of its own nor the user's next turn takes back. Of several causes in a turn
//! the last stands. A tool's error by itself is not a failure.

use super::decisions::{Choice, NEAR_TURNS};
use super::patterns::{says, signal};
use super::sentences::{Sentence, Turn};
use super::{capital, headed, is_sentence, quote};
use crate::base::text;
use crate::record::item::Item;
use std::collections::BTreeSet;

/// The words that a complaint has in common with what it is about.
const REFUTING_WORDS: usize = 2;
/// A longer prompt than this, in characters, says what it is about.
const COMPLAINT_CHARS: usize = 300;
/// The share of a failure's words that another one has which tells the same.
const SAME_SHARE: f64 = 0.5;

/// The failures, at most one a turn, and those that were `written` down, which say it better.
pub fn find(turns: &[Turn<'_>], written: Vec<Choice>) -> Vec<Item> {
    let stems = |text: &str| text::meaning(text).stems;
    let has_most = |words: &BTreeSet<String>, of: &BTreeSet<String>| {
        text::share(of.intersection(words).count(), of.len()) >= SAME_SHARE
    };
    let mut found: Vec<(usize, Item)> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        if turn.said().flat_map(|answer| &answer.sentences).any(is_taken_back) {
            // What an earlier turn found is doubtful from here on, when it speaks of the same.
            let words = stems(&turn.said().map(|answer| answer.message.text.as_str()).collect::<String>());
            found.retain(|(_, item)| !has_most(&words, &stems(why(item))));
        }
        // The mend is undone, and its failure is another one's then.
        if turn.asked().iter().any(|sentence| says("decision-revert", &sentence.lower)) {
            found.pop_if(|(made, _)| at - *made <= NEAR_TURNS);
        }
        let refuted = |item: &Item| turns.get(at + 1).is_some_and(|next| refutes(next, item));
        found.extend(failure(turn).filter(|item| !refuted(item)).map(|item| (at, item)));
    }
    let about = |item: &Item| stems(&format!("{} {}", item.summary, item.root_cause));
    let written = written.into_iter().filter(|written| !is_refuted(written, turns)).map(|written| written.item);
    let written: Vec<Item> = written.collect();
    found.retain(|(_, item)| !written.iter().any(|written| has_most(&about(written), &about(item))));
    found.into_iter().map(|(_, item)| item).chain(written).collect()
}

/// Whether the prompt behind a commit says that what it mends is not mended, or shows another run of it.
pub fn is_refuted(written: &Choice, turns: &[Turn<'_>]) -> bool {
    let Some(next) = turns.get(written.turn + 1) else { return false };
    let runs = next.prompt.as_ref().is_some_and(|prompt| says("failure-run-again", &prompt.message.text));
    runs || complains(next) && shares(next, &written.item)
}

/// Whether the next prompt says that something is not mended: a long one can be about something else.
fn refutes(next: &Turn<'_>, item: &Item) -> bool {
    let long = next.prompt.as_ref().is_some_and(|prompt| prompt.message.text.chars().nth(COMPLAINT_CHARS).is_some());
    complains(next) && (!long || shares(next, item))
}

/// Whether a prompt speaks of a failure.
fn shares(next: &Turn<'_>, item: &Item) -> bool {
    let said = next.prompt.as_ref().map_or_else(BTreeSet::new, |prompt| text::meaning(&prompt.message.text).stems);
    text::meaning(&item.summary).stems.intersection(&said).count() >= REFUTING_WORDS
}

/// Whether the user's next turn says that it is not mended.
fn complains(next: &Turn<'_>) -> bool {
    let Some(prompt) = &next.prompt else { return false };
    let lower = prompt.message.text.to_lowercase().replace('’', "'");
    let pasted = lower.contains('❯') || lower.contains("```") || lower.lines().count() > 8;
    let head: String = lower.chars().take(300).collect();
    says("failure-complaint", &head) || pasted && says("failure-pasted-error", &lower)
}

fn is_taken_back(sentence: &Sentence<'_>) -> bool {
    says("failure-taken-back", &sentence.lower)
}

fn failure(turn: &Turn<'_>) -> Option<Item> {
    let answer = turn.closing()?;
    if let Some(item) = headed::failure(answer) {
        return Some(item);
    }
    let all = &answer.sentences;
    let own = all.iter().rposition(is_cause);
    let after = &all[own.map_or(0, |at| at + 1)..];
    let mend = after.iter().find(|sentence| says("failure-mend", &sentence.lower) && is_whole(sentence));
    let mended = all.iter().find(|sentence| says("failure-mended", &sentence.lower))?;
    let said = || turn.said().flat_map(|answer| answer.sentences.iter().map(move |sentence| (answer, sentence)));
    let (said_in, cause) = match own {
        Some(at) => (answer, &all[at]),
        // What was found on the way counts if the closing message tells the mend, and none was taken back.
        None => said()
            .rfind(|(_, one)| is_cause(one))
            .filter(|_| mend.is_some() && !said().any(|(_, one)| is_taken_back(one)))?,
    };
    if after.iter().any(is_taken_back) {
        return None;
    }
    let prevention = all.iter().rev().find(|sentence| says("failure-prevention", &sentence.lower));
    let plain_of = |said: Option<&Sentence<'_>>| said.map_or_else(String::new, |sentence| sentence.plain.clone());
    let quotes = mend.into_iter().chain(prevention).map(|sentence| quote(sentence.raw, answer));
    Some(Item {
        summary: capital(&cause.plain),
        root_cause: reason(cause),
        // "Fixed!" says nothing.
        resolution: plain_of(mend.or(Some(mended).filter(|said| is_sentence(&said.plain)))),
        prevention: plain_of(prevention),
        evidence: std::iter::once(quote(cause.raw, said_in)).chain(quotes).collect(),
        ..Item::default()
    })
}

fn is_cause(sentence: &Sentence<'_>) -> bool {
    // A doubt in code is none.
    let words: String = sentence.lower.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    says("failure-cause", &sentence.lower) && !says("failure-hedge", &words) && is_whole(sentence)
}

/// Whether a sentence says all: "it fails because:" says nothing without the list behind it.
fn is_whole(sentence: &Sentence<'_>) -> bool {
    let ends = sentence.raw.trim_end_matches(['*', '`', ' ']);
    is_sentence(&sentence.plain)
        && !ends.ends_with(':')
        && signal("failure-why").behind(&format!("{} ", sentence.lower)) != Some("")
}

/// Why something broke: its cause, or its one sentence.
fn why(item: &Item) -> &str {
    if item.root_cause.is_empty() { &item.summary } else { &item.root_cause }
}

/// The part of the sentence that says why; "" where the whole sentence does, which is told already.
fn reason(cause: &Sentence<'_>) -> String {
    let Some(behind) = signal("failure-why").behind(&cause.lower) else { return String::new() };
    let skip = cause.plain.chars().count().saturating_sub(behind.chars().count());
    capital(&cause.plain.chars().skip(skip).collect::<String>())
}
