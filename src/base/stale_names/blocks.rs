//! The lines that define a name in a file, or that are around a line of it, as a sum: whether they are what they were.
//! No language is known. A definition is seen by the words and signs beside the name, and its end by how it is indented.
//! Blank lines and blanks at line ends do not count, nor where in the file it is.

use crate::base::hash;
use crate::base::text::Words;
use memchr::memmem;

/// Definitions of one name in a file: of more it is not known which one is meant.
const MOST: usize = 6;
/// Places of a name that are looked at.
const PLACES: usize = 400;
/// Lines of a range that are looked at, and lines before and behind it that belong to it.
const RANGE: usize = 60;
const AROUND: usize = 2;
/// Columns of a tab.
const TAB: usize = 4;

/// Words right before a name that is defined there.
static DEFINE: Words = Words::of(
    "class def define defmacro defmodule defp enum extension fn fun func function interface macro_rules! mod module \
     namespace object proc protocol record struct sub trait type union",
);
/// Words of a line that uses the names in it, and defines none.
static USES: Words = Words::of(
    "and assert await case catch defer delete do elif else elsif for from go goto if import in include match new not or \
     print puts raise require return switch throw typeof unless until use using when while yield",
);
/// Lines of a block that are indented as its first one.
const GOES_ON: [&str; 7] = ["else", "elsif", "ensure", "except", "finally", "rescue", "where"];
/// What begins and ends a text over several lines.
const RAW: [&str; 3] = ["\"\"\"", "'''", "`"];

/// The sums of the blocks that define a name: of the clearest definitions, of which there are not more than [`MOST`].
pub fn defined(text: &str, name: &str) -> Vec<String> {
    let mut best: Vec<(usize, &str)> = definitions(text, name).collect();
    let clearest = best.iter().map(|(rank, _)| *rank).min();
    best.retain(|(rank, _)| Some(*rank) == clearest);
    // Two in one line are one.
    best.dedup_by_key(|(_, from)| from.len());
    let is_known = best.len() <= MOST;
    best.iter().filter(|_| is_known).map(|(_, from)| sum_of_block(from)).collect()
}

/// Whether all of these blocks are still in a text, wherever.
pub fn has_blocks(text: &str, name: &str, known: &str) -> bool {
    known.split(' ').all(|sum| definitions(text, name).any(|(_, from)| sum_of_block(from) == sum))
}

/// Whether a text has a name that is not a part of a longer one.
pub fn has_word(text: &str, name: &str) -> bool {
    places(text, name).next().is_some()
}

/// Where a name is in a text.
fn places(text: &str, name: &str) -> impl Iterator<Item = usize> {
    memmem::find_iter(text.as_bytes(), name).filter(move |at| is_whole(text, *at, name))
}

/// The text from each line on that can define a name, and how clearly it does.
fn definitions<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    places(text, name).take(PLACES).filter_map(move |at| {
        let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
        Some((rank(&text[from..], at - from, name)?, &text[from..]))
    })
}

fn sum_of_block(text: &str) -> String {
    format!("{:016x}", hash::of(block(text).as_bytes()))
}

/// The sum of the lines from `first` to `last`, from 1, with those around them; none where there are no such lines.
pub fn around(text: &str, first: usize, last: usize) -> Option<String> {
    let lines = sums(text);
    let from = lines.partition_point(|(number, _)| *number < first);
    let to = lines.partition_point(|(number, _)| *number <= last);
    (from < to && to - from <= RANGE).then_some(())?;
    let lines = &lines[from.max(AROUND) - AROUND..(to + AROUND).min(lines.len())];
    Some(format!("{}.{:016x}", lines.len(), sum_of(lines)))
}

/// Whether such lines are anywhere in a text.
pub fn has(text: &str, known: &str) -> bool {
    let Some((count, sum)) = known.split_once('.') else { return false };
    let Some((count, sum)) = count.parse().ok().zip(u64::from_str_radix(sum, 16).ok()) else { return false };
    (1..=RANGE + 2 * AROUND).contains(&count) && sums(text).windows(count).any(|lines| sum_of(lines) == sum)
}

/// The numbers and the sums of the lines that are not blank.
fn sums(text: &str) -> Vec<(usize, u64)> {
    let lines = text.split('\n').map(str::trim_ascii_end).zip(1..);
    lines.filter(|(line, _)| !line.is_empty()).map(|(line, number)| (number, hash::of(line.as_bytes()))).collect()
}

fn sum_of(lines: &[(usize, u64)]) -> u64 {
    let mut sum = hash::Sum::default();
    for (_, line) in lines {
        sum.add(&line.to_le_bytes());
    }
    sum.number()
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(u8::is_ascii_whitespace).map(|byte| if byte == b'\t' { TAB } else { 1 }).sum()
}

/// Whether a name that is at a place of a text is not a part of a longer one.
fn is_whole(text: &str, at: usize, name: &str) -> bool {
    let in_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    !in_word(text[..at].chars().next_back()) && !in_word(text[at + name.len()..].chars().next())
}

/// How clearly the first line of a text defines the name that is at a place of it: 0 where a word says so, else the less
/// the further in it is; none where it only uses the name.
fn rank(text: &str, at: usize, name: &str) -> Option<usize> {
    let (line, below) = text.split_once('\n').unwrap_or((text, ""));
    if is_comment(line) {
        return None;
    }
    let before = line[..at].trim_end_matches(['"', '\'']);
    let rest = line[at + name.len()..].trim_start_matches(['"', '\'']).trim();
    if is_declared(before, rest) {
        return Some(0);
    }
    let is_defined = if rest.starts_with(['(', '<']) {
        let is_closed = rest.matches('(').count() <= rest.matches(')').count();
        let has_body = opens(line) || line.trim_end().ends_with('}') || below.trim_start().starts_with('{');
        // Where its arguments are on lines of their own its type is before it.
        if is_closed { has_body } else { !matches!(before.trim().chars().next_back(), None | Some('.')) }
    } else {
        rest.starts_with([':', '=', '?']) && !["==", "=>", "::"].iter().any(|sign| rest.starts_with(sign))
    };
    (is_defined && is_type(before.trim())).then(|| 1 + indent(line))
}

/// Whether what is right before a name defines it: `pub fn `, `def self.`, `func (s *Store) `.
fn is_declared(before: &str, rest: &str) -> bool {
    let head = before.strip_suffix("self.").unwrap_or(before);
    let word = head.trim_end().rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or("");
    let word = word.trim_start_matches('#').trim_end_matches('*');
    let is_word = DEFINE.has(word) || head.trim_start().starts_with("func (") && head.trim_end().ends_with(')');
    // C has these wherever it uses such a type.
    let goes_on = rest.starts_with(char::is_alphabetic) && !matches!(word, "enum" | "struct" | "union");
    is_word
        && head.ends_with(char::is_whitespace)
        && (rest.is_empty() || goes_on || rest.starts_with(['(', '<', '[', '{', '=', ':', '!']))
}

/// Whether what is before a name can be its type and what it is: `public static int`, `Status DB::`, `exports.`
fn is_type(head: &str) -> bool {
    let is_sign = |letter: char| letter.is_alphanumeric() || letter.is_whitespace() || "_*&<>,:[]~@$.".contains(letter);
    let head = head.replace("pub(crate)", "pub");
    let mut words = head.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    head.chars().all(is_sign) && !words.any(|word| USES.has(word))
}

/// The lines of the block with which a text begins, without blank ones, and without how the first one is indented: where
/// it is moved into another block it is the same.
fn block(text: &str) -> String {
    let head = text.lines().next().unwrap_or("");
    let (depth, margin) = (indent(head), head.len() - head.trim_start().len());
    // Whether there is a brace that is closed at that depth, and a text over several lines.
    let (mut is_open, mut is_raw) = (false, false);
    let mut found = String::new();
    for (at, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let (here, said) = (indent(line), line.trim());
        let closes = at > 0 && !is_raw && (said.starts_with(['}', ')', ']']) || is_word(said, "end"));
        let goes_on = closes || said.starts_with('{') || GOES_ON.iter().any(|word| is_word(said, word));
        let is_inside = here > depth || if here < depth { is_open && !closes } else { is_open || goes_on };
        if at > 0 && !is_inside && !is_raw {
            // What is behind a comment says whether the block goes on.
            if said.starts_with("# ") {
                continue;
            }
            break;
        }
        let is_inner = line.get(..margin).is_some_and(|blank| blank.trim().is_empty());
        found.push_str(if is_inner { line[margin..].trim_end() } else { line.trim_end() });
        found.push('\n');
        let quotes = RAW.iter().map(|sign| line.matches(sign).count()).sum::<usize>();
        is_raw ^= quotes % 2 == 1 && !is_comment(line);
        if here <= depth && (closes || !is_open) {
            is_open = opens(line);
            // A closed parenthesis can be the end of the arguments alone.
            if closes && !is_open && !said.starts_with(')') {
                break;
            }
        }
    }
    found
}

fn is_comment(line: &str) -> bool {
    ["//", "/*", "* ", "# ", "--", "<!--"].iter().any(|sign| line.trim_start().starts_with(sign))
}

/// Whether a line ends in a brace, but for a comment.
fn opens(line: &str) -> bool {
    line.split(" //").next().is_some_and(|line| line.trim_end().ends_with('{'))
}

fn is_word(text: &str, word: &str) -> bool {
    text.starts_with(word) && is_whole(text, 0, word)
}
