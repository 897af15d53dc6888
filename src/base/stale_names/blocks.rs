//! The lines that define a name in a file, or that are around a line of it, as a sum: whether they are what they were.
//! No language is known. A definition is seen by the words and signs beside the name, and its end by how it is indented.
//! Blank lines and blanks at line ends do not count, nor where in the file it is.

use crate::base::hash;
use memchr::memmem;

/// Definitions of one name in a file: of more it is not known which one is meant.
pub const MOST: usize = 6;
/// Lines of a block that are looked at.
const BLOCK: usize = 2000;
/// Places of a name that are looked at.
const PLACES: usize = 400;
/// Lines of a range that are looked at, and lines before and behind it that belong to it.
const RANGE: usize = 60;
const AROUND: usize = 2;
/// Columns of a tab.
const TAB: usize = 4;

/// Words right before a name that is defined there.
const DEFINE: &[&str] = &[
    "def", "defmodule", "define", "fn", "func", "fun", "function", "function*", "macro_rules!", "proc", "sub", "defp",
    "defmacro",
];
const TYPES: &[&str] = &[
    "class", "enum", "extension", "impl", "interface", "module", "namespace", "object", "protocol", "record", "struct",
    "trait", "type", "union",
];
const VALUES: &[&str] = &["const", "let", "mod", "mut", "static", "val", "var"];
/// Words behind the name of a type.
const OF_TYPES: &[&str] = &["extends", "final", "implements", "is", "permits", "where", "with"];
/// Words that do not come before the name in a definition.
const USES: &[&str] = &[
    "and", "assert", "await", "case", "catch", "co_return", "defer", "delete", "do", "elif", "else", "elsif", "for",
    "from", "go", "goto", "if", "import", "in", "include", "new", "not", "or", "print", "puts", "raise", "require",
    "return", "switch", "throw", "typeof", "unless", "until", "use", "using", "when", "while", "yield",
];
/// Lines of a block that are indented as its first one.
const GOES_ON: &[&str] = &["else", "elsif", "ensure", "except", "finally", "rescue", "where"];

/// What begins and ends a text over several lines.
const RAW: &[&str] = &["\"\"\"", "'''", "`"];

/// The sums of the definitions of a name, with blanks between them; none where there are none or too many to keep.
pub fn known(text: &str, name: &str) -> Option<String> {
    let sums = defined(text, name);
    (1..=MOST).contains(&sums.len()).then(|| sums.join(" "))
}

/// The sum of the lines of each definition of a name.
pub fn defined(text: &str, name: &str) -> Vec<String> {
    let mut best: Vec<&str> = Vec::new();
    let mut of_best = (u8::MAX, usize::MAX);
    let mut seen = 0;
    for at in memmem::find_iter(text.as_bytes(), name).take(PLACES) {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let Some(rank) = rank(text[start..end].trim_end(), at - start, name, &text[end..]) else { continue };
        // Of what is not clearly a definition only the outermost is one.
        let order = (rank, if rank < 2 { 0 } else { indent(&text[start..end]) });
        if order < of_best {
            (of_best, seen) = (order, 0);
            best.clear();
        }
        // Two in one line are one.
        if order == of_best && seen < end && best.len() <= MOST {
            best.push(&text[start..]);
            seen = end;
        }
    }
    best.iter().map(|from| sum(&block(from))).collect()
}

/// The sum of the lines from `first` to `last`, from 1, with those around them; none where there are no such lines.
pub fn around(text: &str, first: usize, last: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let said = |lines: &[&str]| lines.iter().filter(|line| !line.trim_ascii_end().is_empty()).count();
    let first = first.checked_sub(1)?;
    let (before, count) = (said(lines.get(..first)?), said(lines.get(first..last)?));
    if !(1..=RANGE).contains(&count) {
        return None;
    }
    let sums = sums(text);
    let lines = &sums[before.max(AROUND) - AROUND..(before + count + AROUND).min(sums.len())];
    Some(format!("{}.{:016x}", lines.len(), sum_of(lines)))
}

/// Whether such lines are anywhere in a text.
pub fn has(text: &str, known: &str) -> bool {
    let Some((count, sum)) = known.split_once('.') else { return false };
    let Some((count, sum)) = count.parse().ok().zip(u64::from_str_radix(sum, 16).ok()) else { return false };
    (1..=RANGE + 2 * AROUND).contains(&count) && sums(text).windows(count).any(|lines| sum_of(lines) == sum)
}

/// The sums of the lines that are not blank.
fn sums(text: &str) -> Vec<u64> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let lines = ends.filter_map(|end| text.as_bytes().get(std::mem::replace(&mut start, end + 1)..end));
    lines.map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()).map(hash::of).collect()
}

fn sum_of(lines: &[u64]) -> u64 {
    let mut sum = hash::Sum::default();
    for line in lines {
        sum.add(&line.to_le_bytes());
    }
    sum.number()
}

fn sum(lines: &[&str]) -> String {
    let mut sum = hash::Sum::default();
    for line in lines {
        sum.add(line.as_bytes());
        sum.add(b"\n");
    }
    sum.hex()
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(u8::is_ascii_whitespace).map(|byte| if byte == b'\t' { TAB } else { 1 }).sum()
}

/// Whether a name that is at a place of a text is not a part of a longer one.
pub fn is_whole(text: &str, at: usize, name: &str) -> bool {
    let in_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    !in_word(text[..at].chars().next_back()) && !in_word(text[at + name.len()..].chars().next())
}

/// How clearly a line defines the name that is at a place of it, 0 is the clearest; none where it only uses it.
fn rank(line: &str, at: usize, name: &str, next: &str) -> Option<u8> {
    if !is_whole(line, at, name) || is_comment(line) {
        return None;
    }
    let (before, after) = (&line[..at], &line[at + name.len()..]);
    let (head, rest) = (before.trim(), after.trim_start());
    let word = head.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or("");
    let word = word.trim_start_matches(['#', '@']);
    let (spaced, is_member_of) = (before.ends_with(char::is_whitespace), before.ends_with("::"));
    if spaced && DEFINE.contains(&word) {
        let is_one = matches!(word, "def" | "defp" | "define" | "defmacro")
            || rest.is_empty()
            || rest.starts_with(['(', '<', '[', '{', '=', '?', '!', ';', ':']);
        return is_one.then_some(0);
    }
    // A method: of Ruby's own object, of a type of Go's, of a namespace.
    let is_of_self = head.starts_with("def ") && before.ends_with("self.");
    if is_of_self || head.starts_with("func (") && head.ends_with(')') && spaced {
        return Some(0);
    }
    if (spaced || is_member_of) && TYPES.contains(&word) || is_member_of && TYPES.contains(&first_word(head)) {
        return match rest.chars().next() {
            None | Some('{' | ':' | '<' | '(' | '=' | '[') => Some(u8::from(word == "impl")),
            Some(';') => Some(4),
            _ => (OF_TYPES.contains(&first_word(rest)) || word == "type").then_some(0),
        };
    }
    let is_plain = || head.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ' '));
    if spaced && rest.starts_with('{') && head.split(' ').any(|word| TYPES.contains(&word)) && is_plain() {
        return Some(0);
    }
    if spaced && VALUES.contains(&word) {
        return Some(2);
    }
    let is_type = is_type(before);
    if rest.starts_with(['(', '<']) && is_type {
        return called(before, rest, next);
    }
    let is_set = rest.starts_with([':', '=', '?']) && !["==", "=>", "::"].iter().any(|sign| rest.starts_with(sign));
    let is_key = before.ends_with(['"', '\'']) && head.len() == 1 && after.get(1..)?.trim_start().starts_with(':');
    if is_key || is_set && (is_type || is_member(head)) {
        return Some(2);
    }
    let is_field = head.is_empty()
        && after.starts_with([' ', '\t'])
        && rest.starts_with(|letter: char| letter.is_alphabetic() || matches!(letter, '*' | '['));
    (is_field || is_type && spaced && !head.is_empty() && rest.starts_with([';', ',', '['])).then_some(5)
}

fn first_word(text: &str) -> &str {
    text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("")
}

/// The same of a name with brackets behind it, which can be a call.
fn called(before: &str, rest: &str, next: &str) -> Option<u8> {
    let head = before.trim();
    let typed = head.contains(char::is_whitespace)
        || !head.is_empty() && before.ends_with(|sign: char| sign.is_whitespace() || matches!(sign, '*' | '&' | '~'));
    // Of a member of a type that is defined elsewhere.
    let is_outer = before.ends_with("::") && !before.starts_with(char::is_whitespace);
    let is_one = (typed || is_outer).then_some(1);
    let Some(end) = closing(rest) else { return is_one };
    let behind = rest[end + 1..].split("//").next().unwrap_or("").trim();
    let opens = behind.ends_with(['{', '}']) || behind.is_empty() && next.trim_start().starts_with('{');
    if behind.starts_with(';') || behind.ends_with(';') {
        typed.then_some(4)
    } else if opens && !behind.starts_with(['.', ',', '?', '&', '|', ')']) {
        Some(1)
    } else {
        is_one.filter(|_| behind.is_empty() || behind.starts_with("throws") || behind.starts_with([':', '-']))
    }
}

/// Where the bracket ends with which a text begins, behind what is between angle ones.
fn closing(text: &str) -> Option<usize> {
    let (from, mut open) = (text.find('(')?, 0);
    let end = text[from..].find(|letter| {
        open += i32::from(letter == '(') - i32::from(letter == ')');
        open == 0
    });
    Some(from + end?)
}

/// Whether what is before a name can be its type and what it is: `public static int `, `Status DB::`.
fn is_type(before: &str) -> bool {
    let is_sign =
        |letter: char| letter.is_alphanumeric() || letter.is_whitespace() || "_*&<>,:[]~@?$#().".contains(letter);
    let has_call = before.replace("pub(", "").contains('(') && !before.trim_start().starts_with("pub(");
    let mut words =
        before.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).filter(|word| !word.is_empty());
    before.chars().all(is_sign) && !before.ends_with('.') && !has_call && !words.any(|word| USES.contains(&word))
}

/// Whether what is before a name is what it is a member of: "exports.", "App.prototype.".
fn is_member(head: &str) -> bool {
    let is_sign = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$' | '@');
    head.rsplit_once(" = ").map_or(head, |(_, last)| last).chars().all(is_sign) && head.ends_with(['.', '@', '$'])
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_hash = line.starts_with("# ") && !line.starts_with("# define");
    is_hash || ["//", "/*", "* ", "*/", "--", "<!--"].iter().any(|sign| line.starts_with(sign))
}

/// The lines of the block with which a text begins, without blank ones, and without how the first one is indented.
fn block(text: &str) -> Vec<&str> {
    let mut lines = text.lines();
    let Some(head) = lines.next() else { return Vec::new() };
    let depth = indent(head);
    let mut found = vec![head.trim()];
    // What may be behind the end.
    let mut waiting: Vec<&str> = Vec::new();
    let mut is_braced = ends_in(head, &['{']);
    let (mut last, mut raw) = (head, raw_after("", head));
    for line in lines.filter(|line| !line.trim().is_empty()).take(BLOCK) {
        let (here, said) = (indent(line), line.trim());
        let (goes_on, is_raw) = (last.ends_with('\\'), !raw.is_empty());
        let closes = !is_raw && (said.starts_with(['}', ')', ']']) || is_word(said, "end"));
        if closes && here < depth && !goes_on {
            break;
        }
        let begins = here == depth && said.starts_with('{');
        if begins || closes && here == depth {
            is_braced = begins || ends_in(line, &['{']);
        }
        let is_inner = here == depth && GOES_ON.iter().any(|word| is_word(said, word));
        (last, raw) = (line, raw_after(raw, line));
        if goes_on || here > depth || is_raw || closes || is_inner || is_braced {
            found.append(&mut waiting);
            found.push(line.trim_end());
            if closes && here <= depth && !is_open_end(line) {
                break;
            }
        } else if said.starts_with('#') && !said.starts_with("#define") {
            waiting.push(line.trim_end());
        } else {
            break;
        }
    }
    // Where it is moved into another block it is the same.
    let margin = head.len() - head.trim_start().len();
    let inner = |line: &str| line.split_at_checked(margin).is_some_and(|(blank, _)| blank.trim().is_empty());
    found.iter().map(|line| if inner(line) { &line[margin..] } else { line }).collect()
}

/// The sign of the text over several lines that is open behind a line; "" for none.
fn raw_after(open: &'static str, line: &str) -> &'static str {
    let is_odd = |sign: &str| line.matches(sign).count() % 2 == 1;
    match open {
        _ if memchr::memchr3(b'`', b'"', b'\'', line.as_bytes()).is_none() => open,
        "" => RAW.iter().copied().find(|sign| is_odd(sign)).filter(|_| !is_comment(line)).unwrap_or(""),
        _ if is_odd(open) => "",
        _ => open,
    }
}

/// Whether a line ends in one of these signs, but for a comment.
fn ends_in(line: &str, signs: &[char]) -> bool {
    let has_comment = memchr::memchr(b'/', line.as_bytes()).is_some();
    let comment = if has_comment { line.find(" //").or_else(|| line.find(" /*")) } else { None };
    line[..comment.unwrap_or(line.len())].trim_end().ends_with(signs)
}

/// Whether what a line closes is only the head of a block.
fn is_open_end(line: &str) -> bool {
    let said = line.trim();
    ["\\", "=>", "->", " do"].iter().any(|end| said.ends_with(end))
        || ends_in(line, &['{', '(', '['])
        || said.ends_with([',', ':']) && !said.starts_with('}')
        || said.starts_with(')') && !said.ends_with([';', ')', ',']) && said.len() > 1
}

fn is_word(text: &str, word: &str) -> bool {
    text.starts_with(word) && is_whole(text, 0, word)
}
