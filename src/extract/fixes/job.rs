//! Whether two commands do the same work in two ways, as far as their words say it.

use super::error::{self, masked_digits};
use crate::base::shell::{Command, Word};
use crate::extract::checks;

/// Two longer words that differ in a number alone are one.
const NUMBER_CHARS: usize = 4;
/// Words that another way can have besides.
const MORE: usize = 8;
/// What gives a command other rights, or other settings.
const RIGHTS: &[&str] = &["sudo", "doas", "env"];
/// The shortest part of a word that an error can name, and that two words can have in common.
const NAMED_CHARS: usize = 3;

/// The words of a command that are not a text.
pub fn words(command: &Command) -> Vec<&str> {
    let is_word = |word: &&Word| !word.text.is_empty() && !word.text.contains(['\n', ' ']);
    command.meant().iter().filter(is_word).map(|word| word.text.as_str()).collect()
}

/// The name of a program by which two are one: without its version.
pub fn program(command: &Command) -> Option<String> {
    Some(stem(&command.meant().first()?.text).to_owned())
}

/// Whether a command does in another way what one did that failed, by what that one printed.
pub fn is_another_way(failed: &Command, passed: &Command, printed: &str) -> bool {
    let (of, by) = (words(failed), words(passed));
    let Some((first, rest)) = of.split_first() else { return false };
    let Some(begin) = runs(first, &by) else { return false };
    let (mut new, mut lost_option) = (by[begin..].to_vec(), false);
    for word in rest {
        let same = new.iter().position(|other| is_as(word, other));
        // What an option is given goes with it.
        let is_value = lost_option && !word.starts_with('-');
        lost_option = same.is_none() && word.starts_with('-');
        // Another word can stand in the place of one that the error names.
        let is_needed = same.is_none() && !lost_option && !is_value;
        let other = || new.iter().position(|other| is_near(word, other)).filter(|_| is_named(word, printed));
        match same.or_else(|| if is_needed { other() } else { None }) {
            Some(at) => drop(new.remove(at)),
            None if is_needed => return false,
            None => {}
        }
    }
    let is_wrapped = passed.words.first().is_some_and(|word| RIGHTS.contains(&word.name()));
    if of == by && passed.assignments.is_empty() && !is_wrapped {
        return false;
    }
    let mut more = new.iter().copied().chain(passed.assignments.iter().map(|word| word.text.as_str()));
    // What is at fault in the work is not mended by another call, unless the error says so.
    new.len() <= MORE && (!error::is_of_work(printed) || more.any(|word| is_named(word, printed)))
}

/// How many words of a command stand before what its program is given, if that is the program of this name or one that
/// takes its place.
fn runs(program: &str, by: &[&str]) -> Option<usize> {
    let own = stem(program);
    let first = stem(by.first()?);
    if own == first || first.strip_suffix('w') == Some(own) || checks::is_listed("instead", &format!("{own}:{first}")) {
        return Some(1);
    }
    match by {
        // `docker compose` is docker-compose.
        [one, two, ..] if own.split_once('-') == Some((one, two)) => Some(2),
        // Behind a program that only runs it.
        _ if checks::is_listed("runners", first) => Some(by.iter().position(|word| stem(word) == own)? + 1),
        _ => None,
    }
}

/// The name of a program without its folder and its version.
fn stem(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if plain.is_empty() { name } else { plain }
}

/// Whether two words are one, wherever the file is, and whatever its number.
fn is_as(word: &str, other: &str) -> bool {
    let last = |word: &str| word.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let is_path = |word: &str| word.contains('/') && !word.contains("://");
    let has_number = word.contains(':') || word.len() > NUMBER_CHARS;
    word == other
        || (is_path(word) || is_path(other)) && last(word) == last(other)
        || has_number && masked_digits(word) == masked_digits(other)
}

/// Whether one word can stand for another that was wrong: a part of one begins with a part of the other.
fn is_near(word: &str, other: &str) -> bool {
    let parts = |word: &'_ str| -> Vec<String> {
        let parts = word.split(|c: char| !c.is_alphanumeric());
        parts.filter(|part| part.len() >= NAMED_CHARS).map(str::to_lowercase).collect()
    };
    let (of, by) = (parts(word), parts(other));
    let begins = |one: &String| by.iter().any(|two| one.starts_with(two.as_str()) || two.starts_with(one.as_str()));
    !other.starts_with('-') && of.iter().any(begins)
}

/// Whether an error names a word, or one of its parts.
pub fn is_named(word: &str, printed: &str) -> bool {
    let parts = word.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|part| part.len() >= NAMED_CHARS).any(|part| printed.contains(part))
}

/// Whether a command can be what made another one pass: it does something, and does not check anything itself.
pub fn prepares(command: &Command, is_of_work: bool) -> bool {
    let checks_work = match checks::kind(command) {
        Some((checks::CheckKind::Build, _)) => is_of_work,
        other => other.is_some(),
    };
    let is_git = words(command).first() == Some(&"git");
    checks::works(command)
        && !checks::only_asks(command, "asking")
        && !checks_work
        && (!is_git || checks::does(command, "preparing"))
}
