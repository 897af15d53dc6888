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
        let Some((before, behind)) = text.split_at_checked(at) else { continue };
        let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', behind.as_bytes()).map_or(text.len(), |end| at + end);
        let Some((whole, rest)) = text.get(start..).and_then(|rest| rest.split_at_checked(end - start)) else {
            continue;
        };
        let Some(rank) = rank(whole.trim_end(), at - start, name, rest) else { continue };
        // Of what is not clearly a definition only the outermost is one.
        let order = (rank, if rank < 2 { 0 } else { indent(whole) });
        if order < of_best {
            (of_best, seen) = (order, 0);
            best.clear();
        }
        // Two in one line are one.
        if order == of_best && seen < end && best.len() <= MOST {
            best.extend(text.get(start..));
            seen = end;
        }
    }
    best.iter().map(|from| sum(&block(from))).collect()
}

/// The sum of the lines from `first` to `last`, from 1, with those around them; none where there are no such lines.
pub fn around(text: &str, first: usize, last: usize) -> Option<String> {
    let is_said = |line: &&str| !line.trim_ascii_end().is_empty();
    let before = text.lines().take(first.checked_sub(1)?).filter(is_said).count();
    let count = text.lines().take(last).skip(first - 1).filter(is_said).count();
    if count == 0 || count > RANGE || text.lines().nth(last.checked_sub(1)?).is_none() {
        return None;
    }
    let sums = sums(text);
    let lines = sums.get(before.max(AROUND) - AROUND..(before + count + AROUND).min(sums.len()))?;
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

/// How clearly a line defines the name that is at a place of it, 0 is the clearest; none where it only uses it.
fn rank(line: &str, at: usize, name: &str, next: &str) -> Option<u8> {
    let (before, after) = (line.get(..at)?, line.get(at + name.len()..)?);
    let in_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    if in_word(before.chars().next_back()) || in_word(after.chars().next()) || is_comment(line) {
        return None;
    }
    let (head, rest) = (before.trim(), after.trim_start());
    let last = head.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or("");
    let word = last.trim_start_matches(['#', '@']);
    let spaced = before.ends_with(char::is_whitespace);
    if spaced && DEFINE.contains(&word) {
        let is_one = matches!(word, "def" | "defp" | "define" | "defmacro")
            || rest.is_empty()
            || rest.starts_with(['(', '<', '[', '{', '=', '?', '!', ';', ':']);
        return is_one.then_some(0);
    }
    // A method: of Ruby's own object, of a type of Go's, of a namespace.
    if head.starts_with("def ") && before.ends_with("self.")
        || head.starts_with("func (") && head.ends_with(')') && spaced
    {
        return Some(0);
    }
    let first = head.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
    if (spaced || before.ends_with("::"))
        && TYPES.contains(&word.split_once(char::is_whitespace).map_or(word, |(word, _)| word))
        || TYPES.contains(&first) && before.ends_with("::")
    {
        let behind = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
        return match rest.chars().next() {
            None | Some('{' | ':' | '<' | '(' | '=' | '[') => Some(u8::from(word == "impl")),
            Some(';') => Some(4),
            _ if OF_TYPES.contains(&behind) || word == "type" => Some(0),
            _ => None,
        };
    }
    let mut words = head.split(char::is_whitespace);
    if spaced && words.any(|word| TYPES.contains(&word)) && head.chars().all(is_plain) && rest.starts_with('{') {
        return Some(0);
    }
    if spaced && VALUES.contains(&word) {
        return Some(2);
    }
    let is_type = is_type(before);
    if rest.starts_with(['(', '<']) && is_type {
        return called(before, rest, next);
    }
    let is_set = rest.starts_with([':', '=', '?'])
        && !rest.starts_with("==")
        && !rest.starts_with("=>")
        && !rest.starts_with("::");
    let is_key = before.ends_with(['"', '\'']) && head.len() == 1 && after.get(1..)?.trim_start().starts_with(':');
    if is_key || is_set && (is_type || is_member(head)) {
        return Some(2);
    }
    let is_field = head.is_empty()
        && after.starts_with([' ', '\t'])
        && rest.starts_with(|letter: char| letter.is_alphabetic() || letter == '*' || letter == '[');
    (is_field || is_type && spaced && !head.is_empty() && rest.starts_with([';', ',', '['])).then_some(5)
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == ' '
}

/// The same of a name with brackets behind it, which can be a call.
fn called(before: &str, rest: &str, next: &str) -> Option<u8> {
    let head = before.trim();
    let typed = head.contains(char::is_whitespace)
        || !head.is_empty() && (before.ends_with(char::is_whitespace) || before.ends_with(['*', '&', '~']));
    // Of a member of a type that is defined elsewhere.
    let is_outer = before.ends_with("::") && !before.starts_with(char::is_whitespace);
    let Some(end) = closing(rest) else { return (typed || is_outer).then_some(1) };
    let behind = rest.get(end + 1..)?.trim();
    let behind = behind.split("//").next().unwrap_or("").trim();
    let opens =
        behind.ends_with('{') || behind.ends_with('}') || behind.is_empty() && next.trim_start().starts_with('{');
    match () {
        () if behind.starts_with(';') || behind.ends_with(';') => typed.then_some(4),
        () if opens && !behind.starts_with(['.', ',', '?', '&', '|', ')']) => Some(1),
        () if behind.is_empty() || behind.starts_with("throws") || behind.starts_with([':', '-']) => {
            (typed || is_outer).then_some(1)
        }
        () => None,
    }
}

/// Where the bracket ends with which a text begins, behind what is between angle ones.
fn closing(text: &str) -> Option<usize> {
    let from = text.find('(')?;
    let mut open = 0_usize;
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < from) {
        match letter {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
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
fn block<'a>(text: &'a str) -> Vec<&'a str> {
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
        let closes = raw.is_empty() && (said.starts_with(['}', ')', ']']) || is_word(said, "end"));
        let goes_on = last.ends_with('\\') || here > depth || !raw.is_empty();
        let is_end = closes
            && here <= depth
            && !said.ends_with('\\')
            && !(ends_in(line, &['{', '(', '['])
                || said.ends_with([',', ':']) && !said.starts_with('}')
                || is_open_end(said));
        if closes && here < depth && !last.ends_with('\\') {
            break;
        }
        let begins = here == depth && said.starts_with('{');
        let is_in = goes_on || closes || begins || here == depth && GOES_ON.iter().any(|word| is_word(said, word));
        if begins || closes && here == depth {
            is_braced = begins || ends_in(line, &['{']);
        }
        (last, raw) = (line, raw_after(raw, line));
        if is_in || is_braced {
            found.append(&mut waiting);
            found.push(line.trim_end());
            if is_end {
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
    let inner =
        |line: &&'a str| line.get(margin..).filter(|_| line.get(..margin).is_some_and(|blank| blank.trim().is_empty()));
    found.iter().map(|line| inner(line).unwrap_or(line)).collect()
}

/// The sign of the text over several lines that is open behind a line; "" for none.
fn raw_after(open: &'static str, line: &str) -> &'static str {
    if memchr::memchr3(b'`', b'"', b'\'', line.as_bytes()).is_none() {
        return open;
    }
    let is_odd = |sign: &str| line.matches(sign).count() % 2 == 1;
    if open.is_empty() {
        RAW.iter().copied().find(|sign| is_odd(sign)).filter(|_| !is_comment(line)).unwrap_or("")
    } else if is_odd(open) {
        ""
    } else {
        open
    }
}

/// Whether a line ends in one of these signs, but for a comment.
fn ends_in(line: &str, signs: &[char]) -> bool {
    let has_comment = memchr::memchr(b'/', line.as_bytes()).is_some();
    let comment = if has_comment { line.find(" //").or_else(|| line.find(" /*")) } else { None };
    line.get(..comment.unwrap_or(line.len())).is_some_and(|line| line.trim_end().ends_with(signs))
}

/// Whether what is closed is only the head of a block.
fn is_open_end(said: &str) -> bool {
    said.ends_with("=>")
        || said.ends_with("->")
        || said.ends_with(" do")
        || said.starts_with(')') && !said.ends_with([';', ')', ',']) && said.len() > 1
}

fn is_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}
