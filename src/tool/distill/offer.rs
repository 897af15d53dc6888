//! What words cannot show, but the form of what was said can: a question of the agent's is no decision before the user's
//! answer, and what was done is not open.

use super::spot::Spot;
use super::words::Words;
use super::written;
use crate::base::text;
use crate::record::speaker::Voice;

/// Whether a quote at this position is of a message in which the agent asks the user something. What was committed, sent
/// or approved is more than an offer; and a bare yes to a message without alternatives says which one is meant.
pub fn is_only_offered(spots: &[Spot], at: usize) -> bool {
    let Some(spot) = spots.get(at).filter(|spot| spot.voice() == Voice::Assistant) else { return false };
    if !spot.piece.label.is_empty() {
        return [written::PLAN, written::REVISED].contains(&spot.piece.label);
    }
    // A question of a tool's, with its answer beside it.
    if !spot.piece.answers.is_empty() {
        return true;
    }
    let next = spots.iter().skip(at + 1).find(|spot| spot.is_spoken() && spot.piece.label.is_empty());
    let is_taken = next.is_some_and(|next| next.voice() == Voice::User && is_yes(&next.own));
    question(&spot.own).is_some_and(|question| !is_taken || has_alternatives(&spot.own, question))
}

/// Words of a bare yes.
const YES: &[&str] = &[
    "yes", "yeah", "yep", "yup", "y", "ok", "okay", "sure", "please", "do", "it", "that", "this", "go", "ahead", "for",
    "sounds", "looks", "good", "great", "fine", "perfect", "agreed", "exactly", "correct", "right", "thanks", "let's",
    "now", "proceed", "continue", "sí", "si", "dale", "vale", "claro", "adelante", "perfecto", "hazlo", "bueno", "de",
    "acuerdo", "por", "favor", "gracias", "evet", "tamam", "olur", "ja", "oui",
];

/// Whether a message says yes and nothing else: a number, or a choice, is more.
fn is_yes(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let mut words = text::words(&lower).peekable();
    words.peek().is_some() && words.all(|word| YES.contains(&word))
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
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && rest.starts_with(['.', ')'])
            || line.to_lowercase().starts_with("option ")
            || line.to_lowercase().starts_with("opción ")
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
    let verb = text::words(item).next().map(|word| text::stem(&word.to_lowercase())).unwrap_or_default();
    let is_past = |word: &str| word.ends_with("ed") && word.len() > 4;
    line.split(['.', ';', '!']).any(|part| {
        let lower = part.to_lowercase();
        let begins = text::words(&lower).next().unwrap_or_default();
        let is_own_verb = |word: &str| is_past(word) && text::stem(word) == verb;
        wanted.shared(&Words::new(part)) * 2 >= wanted.count()
            && (is_past(begins) || begins == "done" || text::words(&lower).any(is_own_verb))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_yes_is_told_from_an_answer_that_says_more() {
        for yes in ["yes", "Looks good, thanks", "sí, por favor", "go ahead", "y"] {
            assert!(is_yes(yes), "{yes}");
        }
        for other in ["ok, but 5", "do you recommend this?", "the second one", ""] {
            assert!(!is_yes(other), "{other}");
        }
    }
}
