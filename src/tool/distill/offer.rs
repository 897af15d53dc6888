//! What words cannot show, but the form of what was said can: a question of the agent's is no decision before the user's
//! answer, and what was done is not open.

use super::spot::Spot;
use super::words::{self, Words};
use super::written;
use crate::base::text;
use crate::record::speaker::Voice;

/// Whether a quote at this position is of a message in which the agent asks the user something. What was committed, sent
/// or approved is more than an offer; and a bare yes to a message without alternatives says which one is meant.
pub fn is_only_offered(spots: &[Spot], at: usize) -> bool {
    let spot = &spots[at];
    if spot.voice() != Voice::Assistant {
        return false;
    }
    if !spot.piece.label.is_empty() {
        return [written::PLAN, written::REVISED].contains(&spot.piece.label);
    }
    // A question of a tool's, with its answer beside it.
    if !spot.piece.answers.is_empty() {
        return true;
    }
    let next = spots[at + 1..].iter().find(|spot| spot.is_spoken() && spot.piece.label.is_empty());
    let is_taken = next.is_some_and(|next| next.voice() == Voice::User && words::is_yes(&next.own));
    question(&spot.own).is_some_and(|question| !is_taken || has_alternatives(&spot.own, question))
}

/// Whether a line or sentence asks, whatever marks are behind it.
pub fn asks(line: &str) -> bool {
    line.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？')).ends_with(['?', '？'])
}

/// The last line of a message that asks something: it ends with a question mark, or it is the last of all and has one.
fn question(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.last().filter(|line| line.contains("? ") || line.contains('？'));
    lines.iter().rev().find(|line| asks(line)).or(last).copied()
}

/// Whether a message lays out several ways: numbered points, options, or an "or" in its question.
fn has_alternatives(text: &str, question: &str) -> bool {
    let is_number = |line: &&str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && rest.starts_with(['.', ')'])
            || ["option ", "opción "].iter().any(|word| line.starts_with(word))
    };
    let lower = question.to_lowercase();
    text.lines().filter(is_number).count() > 1 || [" or ", " o "].iter().any(|or| lower.contains(or))
}

/// Whether a line that speaks of an open item does not say that it is open: it says that it is done ("fix the parser",
/// "Fixed the parser"), or the agent only asks. A commit, a plan or a point of the list says so by what it is.
pub fn is_not_open(item: &str, line: &str, spot: &Spot) -> bool {
    match spot.piece.label {
        "" | written::RECAP => {}
        written::TODOS => return !line.starts_with(written::TO_DO),
        _ => return true,
    }
    spot.voice() == Voice::Assistant && asks(line) || is_done(item, line)
}

/// Whether a line says that an item is done: a part of it that has half of the item's words begins with what was done, or has
/// the item's verb in the past.
fn is_done(item: &str, line: &str) -> bool {
    let wanted = Words::new(item);
    let verb = text::words(item).next().map(|word| text::stem(&word.to_lowercase()));
    let is_past = |word: &str| word.ends_with("ed") && word.len() > 4;
    line.split(['.', ';', '!']).any(|part| {
        let lower = part.to_lowercase();
        let begins = text::words(&lower).next().unwrap_or("");
        let is_own_verb = |word: &str| is_past(word) && verb.as_ref() == Some(&text::stem(word));
        wanted.shared(&Words::new(part)) * 2 >= wanted.count()
            && (is_past(begins) || begins == "done" || text::words(&lower).any(is_own_verb))
    })
}
