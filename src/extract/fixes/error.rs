//! What a command printed when it failed: the lines that say why, as they are at another time and on another machine.

use crate::agent::test_output;
use crate::base::text;
use crate::extract::checks;

/// How the client says that a command failed.
const STATUS: &str = "Exit code ";
/// So much of the head and of the end is looked at, in bytes.
const HEAD_BYTES: usize = 16 << 10;
const END_BYTES: usize = 2 << 10;
/// Lines that are kept, and characters of one.
const LINES: usize = 3;
const LINE_CHARS: usize = 200;
/// Without a line that says why, one of so few is taken.
const SHORT: usize = 2;
/// Digits with letters of so many characters are a hash, an address, an id.
const HEX_CHARS: usize = 7;

/// How Python's list of calls begins, at the end of which the reason is.
const CALLS: &str = "Traceback (most recent call last)";

/// What a command printed behind its status; None where the client did not run it, or ended it.
pub fn printed(error: &str) -> Option<&str> {
    let (status, rest) = error.trim_start().strip_prefix(STATUS)?.split_once('\n')?;
    let is_status = status.trim().parse::<u8>().is_ok();
    let rest = rest.trim_start_matches(char::is_whitespace);
    // What the shell could not read says nothing of the programs in it.
    let is_unread = checks::has_phrase("error-unread", text::first_bytes(rest, HEAD_BYTES));
    (is_status && !rest.is_empty() && !is_unread).then_some(rest)
}

/// The lines that say why, as they stand; none where none does.
pub fn telling(printed: &str) -> Vec<&str> {
    let head = text::first_bytes(printed, HEAD_BYTES);
    let end = text::last_bytes(&printed[head.len()..], END_BYTES);
    let lines = || head.lines().chain(end.lines()).map(bare).filter(|line| line.contains(char::is_alphabetic));
    if head.contains(CALLS) {
        return lines().next_back().into_iter().collect();
    }
    let says_why = |line: &&str| {
        let lower = line.to_lowercase();
        checks::has_phrase("error-why", &lower) && !only_says_that(&lower)
    };
    let mut found: Vec<&str> = lines().filter(says_why).take(LINES).collect();
    if found.is_empty() && lines().nth(SHORT).is_none() {
        found.extend(lines().find(|line| !only_says_that(&line.to_lowercase())));
    }
    found
}

fn only_says_that(lower: &str) -> bool {
    let ends_with_status = lower.rsplit_once(' ').is_some_and(|(before, status)| {
        status.parse::<u8>().is_ok() && (before.ends_with("error") || before.ends_with("code"))
    });
    ends_with_status || checks::has_phrase("error-that", lower)
}

/// A line without what a terminal draws around it.
fn bare(line: &str) -> &str {
    line.trim().trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{2500}'..='\u{257f}' | '×' | '\u{1b}'))
}

/// A line without what differs from one time to the next: numbers, hashes, the folders of a path, colours.
pub fn plain(line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(plain_word).collect();
    text::cut(&words.join(" "), LINE_CHARS).into_owned()
}

fn plain_word(word: &str) -> String {
    // Of a path its last name says what it is about.
    let is_end = |c: char| matches!(c, '\'' | '"' | '`' | '(' | '[' | ')' | ']' | ',' | ':' | '=' | '<' | '>');
    let mut out = String::new();
    for part in word.split_inclusive(is_end) {
        let name = part.trim_end_matches(is_end);
        let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
        out.push_str(&without_numbers(last));
        out.push_str(&part[name.len()..]);
    }
    out
}

fn without_numbers(name: &str) -> String {
    let mut out = String::new();
    for run in name.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let word = run.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_hex = word.len() >= HEX_CHARS
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && word.bytes().any(|byte| byte.is_ascii_digit());
        let digits = if is_hex { "#".to_owned() } else { masked_digits(word) };
        out.push_str(&digits);
        out.push_str(&run[word.len()..]);
    }
    out
}

/// A word with one mark for each number in it.
pub fn masked_digits(word: &str) -> String {
    let mut out = String::new();
    for letter in word.chars() {
        match letter {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            letter => out.push(letter),
        }
    }
    out
}

/// Whether two errors are the same: the first lines are, and half of the others.
pub fn is_same(one: &[String], other: &[String]) -> bool {
    let (Some((first, rest)), Some((of, others))) = (one.split_first(), other.split_first()) else { return false };
    let most = rest.len().min(others.len());
    let shared = rest.iter().filter(|line| others.contains(line)).count();
    first == of && shared * 2 >= most
}

/// Whether it says that the work is at fault: a check found something, or a place in a source is named.
pub fn is_of_work(printed: &str) -> bool {
    let end = text::last_bytes(printed, test_output::TAIL_BYTES);
    let counts = |line: &str| !line.contains("failed to") && test_output::counts(line).0 > Some(0);
    let is_check = end.lines().any(|line| counts(&line.to_lowercase()));
    let head = text::first_bytes(printed, HEAD_BYTES);
    is_check || checks::has_phrase("error-of-work", head) || head.lines().any(names_place)
}

/// Whether a line names a place in a source: `a.ts:3:1`, `a.go:3:`, `a.ts(3,1)`; a shell's `(eval):1:` is none.
fn names_place(line: &str) -> bool {
    let masked = masked_digits(line);
    let names_file =
        |(at, _): (usize, &str)| masked[..at].rsplit(char::is_whitespace).next().is_some_and(|word| word.contains('.'));
    masked.contains("(#,#)") || masked.match_indices(":#:").any(names_file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn the_lines_that_say_why_are_found_without_what_differs_from_time_to_time() {
        for [what, text, wanted] in rows(include_str!("error.tsv")) {
            let told = || printed(&text).map(telling).unwrap_or_default().join(" | ");
            assert_eq!(if what == "plain" { plain(&text) } else { told() }, wanted, "{text}");
        }
    }
}
