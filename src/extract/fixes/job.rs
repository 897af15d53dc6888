//! Whether two commands do the same work in two ways, as far as their words say it.

use super::error::{self, masked_digits};
use crate::base::shell::{Command, Word};
use crate::extract::checks;

/// A word of so many characters can be written wrongly, and by so many letters.
const TYPO_CHARS: usize = 4;
/// Words that another way can have besides.
const MORE: usize = 8;
/// What gives a command other rights, or other settings.
const RIGHTS: &[&str] = &["sudo", "doas", "env"];
/// The shortest part of a word that an error can name.
const NAMED_CHARS: usize = 3;

/// The words of a command that are not a text.
pub fn words(command: &Command) -> Vec<&str> {
    let is_word = |word: &&Word| !word.text.is_empty() && !word.text.contains(['\n', ' ']);
    command.meant().iter().filter(is_word).map(|word| word.text.as_str()).collect()
}

/// The name of a program by which two are one: without its version.
pub fn program(command: &Command) -> Option<String> {
    let name = command.meant().first()?.name();
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(if plain.is_empty() { name } else { plain }.to_owned())
}

/// Whether a command does in another way what one did that failed, by what that one printed.
pub fn is_another_way(failed: &Command, passed: &Command, printed: &str) -> bool {
    let (of, by) = (words(failed), words(passed));
    let Some((first, rest)) = of.split_first() else { return false };
    let Some(behind) = runs(first, &by) else { return false };
    let (mut kept, mut lost_option) = (vec![false; by.len()], false);
    for word in rest {
        let at = behind.clone().find(|at| !kept[*at] && is_as(word, by[*at]));
        if let Some(at) = at {
            kept[at] = true;
        }
        let is_value = lost_option && !word.starts_with('-');
        lost_option = at.is_none() && word.starts_with('-');
        // What an option is given goes with it; the error must name another word.
        if at.is_none() && !lost_option && !is_value {
            let Some(at) = behind.clone().find(|at| !kept[*at] && is_near(word, by[*at])) else { return false };
            if !is_named(word, printed) {
                return false;
            }
            kept[at] = true;
        }
    }
    let is_wrapped = passed.words.first().is_some_and(|word| RIGHTS.contains(&word.name()));
    if of == by && passed.assignments.is_empty() && !is_wrapped {
        return false;
    }
    let new: Vec<&str> = behind.filter(|at| !kept[*at]).map(|at| by[at]).collect();
    let settings = passed.assignments.iter().map(|word| word.text.as_str());
    let mut more = new.iter().copied().chain(settings);
    // What is at fault in the work is not mended by another call, unless the error says so.
    new.len() <= MORE && (!error::is_of_work(printed) || more.any(|word| is_named(word, printed)))
}

/// Where in the words of a command what a program is given begins, if the command runs it, by that name or the name of
/// one that takes its place.
fn runs(program: &str, by: &[&str]) -> Option<std::ops::Range<usize>> {
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let stem = |word: &str| name(word).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    let [first, ..] = by else { return None };
    let (own, other) = (stem(program), stem(first));
    let is_wrapper = other.strip_suffix('w').is_some_and(|rest| rest == own);
    if own == other || is_wrapper || checks::is_listed("instead", &format!("{own}:{other}")) {
        return Some(1..by.len());
    }
    // `docker compose` is docker-compose.
    if let [first, second, ..] = by
        && format!("{first}-{second}") == own
    {
        return Some(2..by.len());
    }
    // Behind a program that only runs it.
    let at = by.iter().position(|word| stem(word) == own).filter(|_| checks::is_listed("runners", &other))?;
    Some(at + 1..by.len())
}

/// Whether two words are one, wherever the file is, and whatever its number.
fn is_as(word: &str, other: &str) -> bool {
    let last = |word: &str| word.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let is_path = |word: &str| word.contains('/') && !word.contains("://");
    word == other
        || (is_path(word) || is_path(other)) && last(word) == last(other)
        || word.contains(':') && masked_digits(word) == masked_digits(other)
        || masked_digits(word) == masked_digits(other) && word.len() > TYPO_CHARS
}

/// Whether one word can stand for another that was wrong.
fn is_near(word: &str, other: &str) -> bool {
    let parts = |word: &'_ str| -> Vec<String> {
        word.split(|c: char| !c.is_alphanumeric())
            .filter(|part| part.len() >= NAMED_CHARS)
            .map(str::to_lowercase)
            .collect()
    };
    let of = parts(word);
    let is_number = word.contains(|c: char| c.is_ascii_digit()) && masked_digits(word) == masked_digits(other);
    !other.starts_with('-') && (is_number || parts(other).iter().any(|part| of.contains(part)) || is_typo(word, other))
}

/// Whether one word has one letter more, less or another one, or two in another order.
fn is_typo(word: &str, other: &str) -> bool {
    let (one, two): (Vec<char>, Vec<char>) = (word.chars().collect(), other.chars().collect());
    let same = one.iter().zip(&two).take_while(|(a, b)| a == b).count();
    let (least, most) = (one.len().min(two.len()), one.len().max(two.len()));
    let ends = one.iter().rev().zip(two.iter().rev()).take(least - same);
    let left = most - same - ends.take_while(|(a, b)| a == b).count();
    let swapped = left == 2 && one.len() == two.len() && one[same] == two[same + 1] && one[same + 1] == two[same];
    most >= TYPO_CHARS && (left <= 1 || swapped)
}

/// Whether an error names a word, or one of its parts.
pub fn is_named(word: &str, printed: &str) -> bool {
    let parts = word.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|part| part.len() >= NAMED_CHARS).any(|part| printed.contains(part))
}

/// Whether a command only asks its program something.
pub fn only_asks(command: &Command) -> bool {
    words(command).iter().skip(1).take(2).any(|word| checks::is_listed("asking", word))
}

/// Whether a command can be what made another one pass: it does something, and does not check anything itself.
pub fn prepares(command: &Command, is_of_work: bool) -> bool {
    let checks_work = match checks::kind(command) {
        Some((checks::CheckKind::Build, _)) => is_of_work,
        other => other.is_some(),
    };
    let is_git = words(command).first() == Some(&"git");
    checks::works(command) && !only_asks(command) && !checks_work && (!is_git || checks::does(command, "preparing"))
}
