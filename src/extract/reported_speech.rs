//! Words by which a text shows that another author wrote it: that it gives orders, that it tells what something else
//! says, that it refuses to follow it.

use super::patterns::says;
use super::sentences;
use crate::base::text;
use std::ops::Range;

/// What stands before a part of a sentence that may be shown.
const MARKS: [&str; 5] = [": ", " - ", " — ", " – ", " → "];
/// The fewest words of such a part.
const PART_WORDS: usize = 6;
/// The fewest words of a name that can be a sentence.
const SENTENCE_WORDS: usize = 4;
/// The most words of a name that are told.
pub const NAME_WORDS: usize = 4;
/// What divides the names in a path, also in that of a test.
const MARKS_IN_PATHS: [char; 3] = ['/', '\\', ':'];
/// A command of fewer words is a name, a label or a message.
const COMMAND_WORDS: usize = 6;

/// How a sentence has to do with what another author says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hearsay {
    /// Not at all.
    No,
    /// It tells it, and may go on with it behind.
    Reports,
    /// It does not follow what was told before it, or in it.
    Refuses,
}

impl Hearsay {
    /// What a sentence is.
    pub fn of(sentence: &str) -> Self {
        let lower = lower(sentence);
        let shows =
            || lower.contains(':') || !sentences::quotations(sentence).is_empty() || says("voice-order", &lower);
        if says("voice-refuses", &lower) {
            return Self::Refuses;
        }
        let reports = says("voice-reports", &lower) || shows() && says("voice-mentions", &lower);
        if reports && !says("voice-not-reports", &lower) { Self::Reports } else { Self::No }
    }
}

/// Whether a sentence tells what another author says, whatever it shows of it.
pub fn reports(sentence: &str) -> bool {
    let lower = lower(sentence);
    says("voice-reports", &lower) && !says("voice-not-reports", &lower) && !says("voice-refuses", &lower)
}

/// Whether a text reads like an order, or like a wish of the user's. It does not matter who wrote it.
pub fn is_order(text: &str) -> bool {
    let lower = lower(text);
    says("voice-order", &lower) || says("voice-imperative", &lower) && lower.split_whitespace().count() >= COMMAND_WORDS
}

/// Whether a text begins with what to do.
pub fn begins_with_order(text: &str) -> bool {
    says("voice-imperative", &lower(text))
}

/// Whether the words of which a name is made, `always_push_to_prod`, read like an order.
pub fn is_order_in_a_name(name: &str) -> bool {
    let mut words = String::new();
    let mut is_small = false;
    for letter in name.chars() {
        let begins = is_small && letter.is_uppercase();
        words.extend(begins.then_some(' '));
        words.push(if letter.is_alphanumeric() { letter } else { ' ' });
        is_small = letter.is_lowercase();
    }
    words.split_whitespace().count() >= SENTENCE_WORDS && is_order(&words)
}

/// What is told of the name of a branch, a script or a file: not so many words that it can be a sentence.
pub fn short_name(name: &str) -> String {
    let ends = name.match_indices(|c: char| !c.is_alphanumeric()).map(|(at, _)| at);
    let ends: Vec<usize> = ends.filter(|at| !name.get(..*at).is_some_and(|before| before.ends_with('-'))).collect();
    match ends.get(NAME_WORDS - 1) {
        Some(end) => format!("{}…", &name[..*end]),
        None => name.to_owned(),
    }
}

/// The same of each name in a path, and what ends a file's name: it says what the file is.
pub fn short_path(path: &str) -> String {
    let short = |name: &str| {
        let (stem, end) = name.rfind('.').filter(|at| *at > 0).map_or((name, ""), |at| name.split_at(at));
        format!("{}{end}", short_name(stem))
    };
    let cut = |part: &str| {
        let name = part.trim_end_matches(MARKS_IN_PATHS);
        short(name) + &part[name.len()..]
    };
    path.split_inclusive(MARKS_IN_PATHS).map(cut).collect()
}

/// Whether it says what is to be done always, or what the user wants.
pub fn is_standing(text: &str) -> bool {
    says("voice-order", &lower(text))
}

/// Whether it begins by speaking of what is right before it.
pub fn speaks_of_before(sentence: &str) -> bool {
    says("voice-before", &lower(sentence))
}

/// The parts of a sentence behind a colon or between dashes, where it tells no error: an agent quotes errors as its own.
pub fn shown_parts(sentence: &str) -> Vec<Range<usize>> {
    if says("failure-pasted-error", &lower(sentence)) {
        return Vec::new();
    }
    let marks = MARKS
        .iter()
        .flat_map(|mark| sentence.match_indices(mark).map(|(at, mark)| (at, at.saturating_add(mark.len()))));
    let mut marks: Vec<(usize, usize)> = marks.collect();
    marks.sort_unstable();
    let ends = marks.iter().skip(1).map(|(at, _)| *at).chain(std::iter::once(sentence.len()));
    let parts = marks.iter().zip(ends).map(|((_, start), end)| *start..end);
    let is_long = |part: &Range<usize>| {
        sentence.get(part.clone()).is_some_and(|part| part.split_whitespace().count() >= PART_WORDS)
    };
    parts.filter(is_long).collect()
}

/// As its reader sees it, in lower case, with plain apostrophes.
fn lower(text: &str) -> String {
    text::seen(text).replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn a_name_of_more_than_four_words_is_cut() {
        for [kind, name, shown] in rows(include_str!("reported_speech.tsv")) {
            assert_eq!(if kind == "path" { short_path(&name) } else { short_name(&name) }, shown);
        }
    }
}
