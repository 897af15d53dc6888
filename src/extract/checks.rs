//! What a command is for: the one table of what tests, builds and lints the work, and of what tells nothing of it.

use super::{patterns, reported_speech};
use crate::base::shell::{Behind, Command, Word};
use crate::base::text;
use std::collections::HashSet;
use std::sync::OnceLock;

/// Lists of words: a heading in brackets, and below it its words.
const WORDS: &str = include_str!("words/commands.txt");

/// So many quoted words can be a sentence.
const SENTENCE_WORDS: usize = 4;

/// Whether a list has a word.
pub fn is_listed(list: &str, word: &str) -> bool {
    static LISTS: OnceLock<HashSet<(&str, &str)>> = OnceLock::new();
    let all = || patterns::lines(WORDS).flat_map(|(list, line)| line.split_whitespace().map(move |word| (list, word)));
    LISTS.get_or_init(|| all().collect()).contains(&(list, word))
}

/// Whether a text has a phrase of a list that has `|` between them.
pub fn has_phrase(list: &str, text: &str) -> bool {
    static PHRASES: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    let all = || patterns::lines(WORDS).flat_map(|(list, line)| line.split('|').map(move |phrase| (list, phrase)));
    PHRASES.get_or_init(|| all().collect()).iter().any(|(of, phrase)| *of == list && text.contains(phrase))
}

/// Whether a list has the program of a command, or with git before it what it does: `git:merge`.
pub fn does(command: &Command, list: &str) -> bool {
    match command.meant() {
        [git, verb, ..] if git.text == "git" => is_listed(list, &format!("git:{}", verb.text)),
        [program, ..] => is_listed(list, &program.text),
        [] => false,
    }
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// It runs tests, among them what checks everything.
    Test,
    /// It compiles.
    Build,
    /// It finds fault with the text, or formats it.
    Lint,
}

/// Whether a command runs a program that is named, and that does more than look.
pub fn works(command: &Command) -> bool {
    command.meant().first().is_some_and(|word| is_plain(&word.text) && !is_listed("shell", word.name()))
        && !looks(command)
}

/// Whether a command only looks.
pub fn looks(command: &Command) -> bool {
    command.meant().first().is_some_and(|word| is_listed("looking", word.name()))
}

/// Whether a command only asks its program something, by the words of a list.
pub fn only_asks(command: &Command, list: &str) -> bool {
    command.meant().iter().skip(1).take(2).any(|word| is_listed(list, &word.text))
}

/// Whether it says something that a command ran. What a script says that is given to an interpreter on its command line
/// is not told, and then its name says nothing.
pub fn tells(command: &Command) -> bool {
    let [program, arguments @ ..] = command.meant() else { return false };
    // "python3.12" is python.
    let interprets =
        is_listed("interpreters", program.name().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    let inline = arguments.first().is_some_and(|word| matches!(word.text.as_str(), "-" | "-c" | "-e"));
    works(command) && !(interprets && inline)
}

/// A word of a command as it is written in `line`, without what `hides` names; none of one that reads like an order, as
/// the name of a test can, and no more of a name than four words.
pub fn shown(word: &Word, line: &str, hides: impl Fn(&str) -> bool) -> String {
    let shown = word.shown(line, hides);
    if reported_speech::is_order_in_a_name(&shown) {
        return "…".to_owned();
    }
    let is_text = shown.starts_with('-') || shown.contains("=-") || shown.contains(char::is_whitespace);
    if is_text { shown } else { reported_speech::short_path(&shown) }
}

/// A command as it is written in a line, without redirections, and without what is long enough to be a sentence:
/// it may be the words of another person.
pub fn written(command: &Command, line: &str) -> String {
    let is_sentence = |quoted: &str| quoted.split_whitespace().count() >= SENTENCE_WORDS;
    let words = command.assignments.iter().chain(&command.words);
    words.map(|word| shown(word, line, is_sentence)).collect::<Vec<_>>().join(" ")
}

/// What is told of a command line that has these commands, with the signs that stood between them.
pub fn joined(commands: &[Command], line: &str, is_told: impl Fn(usize) -> bool) -> String {
    let (mut out, mut sign) = (String::new(), "");
    for (at, command) in commands.iter().enumerate() {
        let words = written(command, line);
        if is_told(at) && !words.is_empty() {
            out.extend([if out.is_empty() { "" } else { sign }, &words]);
        }
        sign = match command.behind {
            Behind::And => " && ",
            Behind::Or => " || ",
            Behind::Pipe => " | ",
            Behind::Other => "; ",
        };
    }
    text::folded(&out).replace('`', "'")
}

/// The words that say what kind of command it is: two, or three where the first only runs the third.
pub fn name<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).take(3).collect();
    let long = if words.get(1).is_some_and(|word| matches!(*word, "run" | "exec")) { 3 } else { 2 };
    words.into_iter().take(long).collect::<Vec<_>>().join(" ")
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_./~-+:@".contains(c))
}

/// The commands of a line that share the status of the one at `last`: `&&` ties them to it.
pub fn tied(commands: &[Command], last: usize) -> Vec<bool> {
    let pipes_fail = commands.iter().any(|one| {
        one.words.first().is_some_and(|word| word.text == "set") && one.words.iter().any(|word| word.text == "pipefail")
    });
    let mut tied = vec![false; commands.len()];
    let mut seen = true;
    for (at, command) in commands.iter().enumerate().take(last + 1).rev() {
        seen &= at == last || command.behind == Behind::And || pipes_fail && command.behind == Behind::Pipe;
        // What is behind `||` runs only when something failed.
        let before = at.checked_sub(1).and_then(|before| commands.get(before));
        tied[at] = seen && !command.perhaps && before.is_none_or(|before| before.behind != Behind::Or);
    }
    tied
}

/// What a command does, and the words that say so; None where it neither builds, tests nor lints.
pub fn kind(command: &Command) -> Option<(CheckKind, String)> {
    let meant = command.meant().iter().map(|word| word.text.as_str());
    let mut words = meant.filter(|word| !word.starts_with(['-', '+']) && !word.contains('='));
    if command.meant().iter().any(|word| is_listed("idle", &word.text)) {
        return None;
    }
    // The shell's own test is none of the work.
    let mut ran_by = command.words.first().map(|word| &word.at) != command.meant().first().map(|word| &word.at);
    let mut first = words.next()?;
    while is_listed("runners", first) {
        ran_by = true;
        let runner = first;
        first = words.next()?;
        if is_listed("others", &format!("{runner}:{first}")) {
            return None;
        }
    }
    let first = Some(first).filter(|first| is_plain(first))?;
    let program = first.rsplit('/').next().unwrap_or(first);
    let by_name = first.contains('/') || program.contains('.') || ran_by;
    let stem = program.split('.').next().unwrap_or(program);
    let by_itself = of_word(stem, by_name).filter(|_| by_name || !matches!(stem, "test" | "check"));
    let told = words.next().filter(|_| is_listed("programs", stem));
    if told.is_some_and(|told| is_listed("others", told)) {
        return None;
    }
    let kind = told.and_then(|word| of_word(word, true)).or(by_itself)?;
    Some((kind, told.map_or_else(|| stem.to_owned(), |told| format!("{stem} {told}"))))
}

/// The kind of one word; `parts` says whether a part of it is enough, as in "test:unit" or "run-tests".
fn of_word(word: &str, parts: bool) -> Option<CheckKind> {
    let word = word.to_lowercase();
    let is_in = |list| is_listed(list, &word) || parts && word.split([':', '-', '_']).any(|part| is_listed(list, part));
    // What lints in one of its parts is that: "lint:test".
    let kinds = [("lints", CheckKind::Lint), ("tests", CheckKind::Test), ("builds", CheckKind::Build)];
    kinds.into_iter().find(|(list, _)| is_in(list)).map(|(_, kind)| kind)
}
