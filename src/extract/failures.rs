//! Failures: a cause that the agent states without hedging, in a turn that ends mended, and that
//! neither a later word of its own nor the user's next turn takes back. Of several causes in a turn
//! the last stands. A tool's error by itself is not a failure.

use super::decisions::{Choice, NEAR_TURNS};
use super::patterns::{says, signal};
use super::sentences::{Sentence, Turn, Utterance};
use super::{capital, headed, is_sentence, quote};
use crate::base::text;
use crate::record::item::{Item, ItemKind};

/// The words that a complaint has in common with what it is about.
const REFUTING_WORDS: usize = 2;
/// A longer prompt than this, in characters, says what it is about.
const COMPLAINT_CHARS: usize = 300;
/// The most words of a heading that says what was done.
const HEADING_WORDS: usize = 6;
/// The share of a failure's words that another one has which tells the same.
const SAME_SHARE: f64 = 0.5;

/// The failures, at most one a turn, and those that were `written` down, which say it better.
pub fn find(turns: &[Turn<'_>], written: Vec<Choice>) -> Vec<Item> {
    let mut found: Vec<(usize, Item)> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let takes_back = turn.said().flat_map(|answer| &answer.sentences).any(is_taken_back)
            || turn.asked().iter().any(|sentence| says("decision-revert", &sentence.lower));
        if takes_back {
            found.pop_if(|(made, _)| at - *made <= NEAR_TURNS);
        }
        found.extend(failure(turn).filter(|item| !is_refuted(item, at, turns, false)).map(|item| (at, item)));
    }
    let mut found: Vec<Item> = found.into_iter().map(|(_, item)| item).collect();
    let about = |item: &Item| text::meaning(&format!("{} {}", item.summary, item.root_cause)).stems;
    let holds = |made: &Choice| !is_refuted(&made.item, made.turn, turns, true);
    let written: Vec<Item> = written.into_iter().filter(holds).map(|made| made.item).collect();
    let known: Vec<_> = written.iter().map(about).collect();
    found.retain(|item| {
        let own = about(item);
        !known.iter().any(|known| text::share(own.intersection(known).count(), own.len()) >= SAME_SHARE)
    });
    found.extend(written);
    found
}

fn is_taken_back(sentence: &Sentence<'_>) -> bool {
    says("failure-taken-back", &sentence.lower)
}

/// Whether the prompt behind a turn says that what was mended in it is not mended, or shows another run of it. A long one
/// can be about something else, and so can one behind what is written in a commit.
pub fn is_refuted(item: &Item, turn: usize, turns: &[Turn<'_>], is_written: bool) -> bool {
    let Some(prompt) = turns.get(turn + 1).and_then(|next| next.prompt.as_ref()) else { return false };
    let said = prompt.message.text.as_str();
    let stems = |text: &str| text::meaning(text).stems;
    let is_short = !is_written && said.chars().nth(COMPLAINT_CHARS).is_none();
    let shares = || stems(&item.summary).intersection(&stems(said)).count() >= REFUTING_WORDS;
    is_written && says("failure-run-again", said) || complains(said) && (is_short || shares())
}

/// Whether a prompt says that something is not mended.
fn complains(said: &str) -> bool {
    let lower = said.to_lowercase().replace('’', "'");
    let is_pasted = lower.contains('❯') || lower.contains("```") || lower.lines().count() > 8;
    says("failure-complaint", text::cut_at_blank(&lower, COMPLAINT_CHARS))
        || is_pasted && says("failure-pasted-error", &lower)
}

fn failure(turn: &Turn<'_>) -> Option<Item> {
    let answer = turn.closing()?;
    if let Some(item) = headed::failure(answer) {
        return Some(item);
    }
    let all = &answer.sentences;
    let own = all.iter().rposition(is_cause).and_then(|at| all.get(at..)?.split_first());
    let after = own.map_or(&all[..], |(_, after)| after);
    let mend = after.iter().find(|sentence| says("failure-mend", &sentence.lower) && is_whole(sentence));
    // What was found on the way counts if the closing message tells the mend.
    let on_the_way = || mend.and_then(|_| on_the_way(turn));
    let (said_in, cause) = own.map(|(cause, _)| (answer, cause)).or_else(on_the_way)?;
    let mended = all.iter().position(|sentence| says("failure-mended", &sentence.lower))?;
    if after.iter().any(is_taken_back) {
        return None;
    }
    // "Fixed!" says nothing, but what is said behind it may.
    let mended = all[mended..].iter().take(2).find(|said| is_sentence(&said.plain) && said.plain != cause.plain);
    let prevention = all.iter().rev().find(|sentence| says("failure-prevention", &sentence.lower));
    let plain_of = |said: Option<&Sentence<'_>>| said.map(|sentence| sentence.plain.clone()).unwrap_or_default();
    let mut item = Item {
        root_cause: reason(cause),
        resolution: plain_of(mend.or(mended)),
        prevention: plain_of(prevention),
        evidence: vec![quote(cause.raw, said_in)],
        ..Item::new(ItemKind::Failure, capital(without_deed(&cause.plain)))
    };
    item.evidence.extend(mend.into_iter().chain(prevention).map(|sentence| quote(sentence.raw, answer)));
    Some(item)
}

/// A cause without what was done about it, where that is its heading: "Added tracking: the tests failed because …".
fn without_deed(cause: &str) -> &str {
    let Some((heading, rest)) = cause.split_once(": ") else { return cause };
    let words: Vec<&str> = heading.split(' ').collect();
    let is_deed = words.len() <= HEADING_WORDS && words[0].ends_with("ed");
    if is_deed && is_sentence(rest) { rest } else { cause }
}

/// The last cause that the agent named in a turn, if it took none back.
fn on_the_way<'t, 'a>(turn: &'t Turn<'a>) -> Option<(&'t Utterance<'a>, &'t Sentence<'a>)> {
    let all = || turn.said().flat_map(|answer| answer.sentences.iter().map(move |sentence| (answer, sentence)));
    let taken_back = all().any(|(_, sentence)| is_taken_back(sentence));
    all().rfind(|(_, sentence)| is_cause(sentence)).filter(|_| !taken_back)
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

/// The part of the sentence that says why; "" where the whole sentence does, which is told already.
fn reason(cause: &Sentence<'_>) -> String {
    let Some(behind) = signal("failure-why").behind(&cause.lower) else { return String::new() };
    let skip = cause.plain.chars().count().saturating_sub(behind.chars().count());
    capital(&cause.plain.chars().skip(skip).collect::<String>())
}
