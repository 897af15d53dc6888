//! Failures: a cause that the agent states without hedging, in a turn that ends mended, and that
//! neither a later word of its own nor the user's next turn takes back. Of several causes in a turn
//! the last stands. A tool's error by itself is not a failure.

use super::decisions::Choice;
use super::sentences::{Sentence, Signal, Turn, Utterance};
use super::{capital, headed, is_sentence, quote};
use crate::record::gists::Gists;
use crate::record::item::Item;

/// What broke and why.
static CAUSE: Signal = Signal::named("failure-cause");
/// What is not said with certainty, or of something else.
static HEDGE: Signal = Signal::named("failure-hedge");
/// A cause is taken back.
static TAKEN_BACK: Signal = Signal::named("failure-taken-back");
/// The agent says that it is mended.
static MENDED: Signal = Signal::named("failure-mended");
/// The mend itself.
static MEND: Signal = Signal::named("failure-mend");
/// How not to meet it again.
static PREVENTION: Signal = Signal::named("failure-prevention");
/// The user says that it is not mended.
static COMPLAINT: Signal = Signal::named("failure-complaint");

/// The words before the part that says why.
static WHY: Signal = Signal::named("failure-why");

/// A longer prompt than this, in characters, is most often about something else.
const COMPLAINT_CHARS: usize = 300;

/// The failures, at most one a turn, and those that were `written` down, which say it better.
pub fn find(turns: &[Turn<'_>], written: Vec<Choice>) -> Vec<Item> {
    let is_mended = |at: usize| !turns.get(at + 1).is_some_and(complains);
    let written = written.into_iter().filter(|written| is_mended(written.turn)).map(|written| written.item);
    let written: Vec<Item> = written.collect();
    let mut known: Gists = written.iter().map(|item| &item.summary).collect();
    let found = turns.iter().enumerate().filter(|(at, _)| is_mended(*at)).filter_map(|(_, turn)| failure(turn));
    let mut found: Vec<Item> = found.filter(|item| known.is_new(&item.summary)).collect();
    found.extend(written);
    found
}

/// Whether the user's next turn says that it is not mended.
fn complains(next: &Turn<'_>) -> bool {
    let said = next.prompt.as_ref().map_or("", |prompt| &prompt.message.text);
    said.chars().nth(COMPLAINT_CHARS).is_none() && COMPLAINT.is_in(&said.to_lowercase().replace('’', "'"))
}

fn failure(turn: &Turn<'_>) -> Option<Item> {
    let answer = turn.closing()?;
    if let Some(item) = headed::failure(answer) {
        return Some(item);
    }
    let all = &answer.sentences;
    let at = all.iter().rposition(is_cause);
    let after = &all[at.map_or(0, |at| at + 1)..];
    let mended = all.iter().find(|sentence| MENDED.is_in(&sentence.lower))?;
    if after.iter().any(|sentence| TAKEN_BACK.is_in(&sentence.lower)) {
        return None;
    }
    let mend = after.iter().find(|sentence| MEND.is_in(&sentence.lower) && is_whole(sentence));
    let (said_in, cause) = match at {
        Some(at) => (answer, &all[at]),
        // What was found on the way counts if the closing message tells the mend.
        None => mend.and_then(|_| on_the_way(turn))?,
    };
    let prevention = all.iter().rev().find(|sentence| PREVENTION.is_in(&sentence.lower));
    let told = mend.into_iter().chain(prevention).map(|sentence| quote(sentence.raw, answer));
    Some(Item {
        summary: capital(&cause.plain),
        root_cause: reason(cause),
        // "Fixed!" says nothing.
        resolution: mend
            .or(Some(mended).filter(|said| is_sentence(&said.plain)))
            .map_or_else(String::new, |said| said.plain.clone()),
        prevention: prevention.map_or_else(String::new, |sentence| sentence.plain.clone()),
        evidence: std::iter::once(quote(cause.raw, said_in)).chain(told).collect(),
        ..Item::default()
    })
}

/// The last cause that the agent named in a turn, if it took none back.
fn on_the_way<'t, 'a>(turn: &'t Turn<'a>) -> Option<(&'t Utterance<'a>, &'t Sentence<'a>)> {
    let all = || turn.said().flat_map(|answer| answer.sentences.iter().map(move |sentence| (answer, sentence)));
    let taken_back = all().any(|(_, sentence)| TAKEN_BACK.is_in(&sentence.lower));
    all().rfind(|(_, sentence)| is_cause(sentence)).filter(|_| !taken_back)
}

fn is_cause(sentence: &Sentence<'_>) -> bool {
    // A doubt in code is none.
    let words: String = sentence.lower.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    CAUSE.is_in(&sentence.lower) && !HEDGE.is_in(&words) && is_whole(sentence)
}

/// Whether a sentence says all: "it fails because:" says nothing without the list behind it.
fn is_whole(sentence: &Sentence<'_>) -> bool {
    let ends = sentence.raw.trim_end_matches(['*', '`', ' ']);
    is_sentence(&sentence.plain) && !ends.ends_with(':') && WHY.behind(&format!("{} ", sentence.lower)) != Some("")
}

/// The part of the sentence that says why; "" where the whole sentence does, which is told already.
fn reason(cause: &Sentence<'_>) -> String {
    let Some(behind) = WHY.behind(&cause.lower) else { return String::new() };
    let skip = cause.plain.chars().count().saturating_sub(behind.chars().count());
    capital(&cause.plain.chars().skip(skip).collect::<String>())
}
