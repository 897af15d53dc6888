//! Secrets below the name of their column: tables of databases and of command lines, lists with commas or tabs, the
//! values of an `INSERT`.

use regex_automata::Span;

/// So many rows below a name are read, and so many bytes of each.
const ROWS: usize = 60;
const LINE_BYTES: usize = 600;
/// A line with a name more often is a list of words: all below it would be read for each of them.
const SAME: usize = 2;
/// What is between the columns of a line; else two blanks are.
const SIGNS: [u8; 4] = [b'|', b'\t', b',', b';'];

/// The cells below a name that is a cell of a table.
pub fn cells(text: &[u8], name: Span) -> Vec<Span> {
    find(text, name).unwrap_or_default()
}

fn find(text: &[u8], name: Span) -> Option<Vec<Span>> {
    let from = name.start.saturating_sub(LINE_BYTES);
    let before = text.get(from..name.start)?;
    // A longer line is not read.
    let start = memchr::memrchr(b'\n', before).map_or((from == 0).then_some(0), |end| Some(end + 1))?;
    let behind = text.get(name.end..(name.end + LINE_BYTES).min(text.len()))?;
    let before = before.get(start..)?;
    if let Some((values, open)) = inserted(before, behind) {
        let rows = memchr::memchr_iter(b'(', values).map(|at| at + 1);
        let rows = rows.filter_map(|at| Some((at, values.get(at..)?.split(|byte| *byte == b')').next()?)));
        let at = (name.end + behind.len()).saturating_sub(values.len());
        return Some(below(rows, at, b',', memchr::memchr_iter(b',', open).count()));
    }
    let line = behind.split(|byte| *byte == b'\n').next()?;
    let rows = behind.get(line.len() + 1..)?;
    let is_title = is_border(rows.split(|byte| *byte == b'\n').next()?)
        || text.get(name.range())? == text.get(name.range())?.to_ascii_uppercase();
    // What a line of JSON has before it is not of the table.
    let json =
        [&b":\""[..], b": \""].into_iter().filter_map(|sign| Some(memchr::memmem::rfind(before, sign)? + sign.len()));
    let head = bare(before.get(json.max().unwrap_or(0)..)?);
    let sign = sign(&[head, text.get(name.range())?, line].concat(), is_title)?;
    let column = split(head.trim_ascii_start(), sign).len().saturating_sub(1);
    let is_same = memchr::memmem::find_iter(before, text.get(name.range())?).count() > SAME;
    if is_same {
        return None;
    }
    let at = name.end + line.len() + 1;
    let columns = column + split(line.trim_ascii_end(), sign).len();
    let mut starts = 0_usize;
    let rows = rows.split(|byte| *byte == b'\n').map(|row| {
        let start = (starts + row.len()).saturating_sub(bare(row).len());
        starts = starts + row.len() + 1;
        (start, bare(row))
    });
    // A row with the name in it is another header, which is read by itself.
    let name = text.get(name.range())?;
    let is_row = |(_, row): &(usize, &[u8])| {
        let cells = split(row.trim_ascii(), sign).len();
        let is_like = sign == b' ' || cells == columns || sign != b'|' && cells > columns;
        let is_other = memchr::memmem::find(row, name).is_some();
        is_border(row) || !row.trim_ascii().is_empty() && is_like && !is_other
    };
    Some(below(rows.take_while(is_row).filter(|(_, row)| !is_border(row)), at, sign, column))
}

/// The values and what is before the name, if it is one of those in brackets: `INSERT INTO users (name, password) VALUES`.
fn inserted<'t>(before: &'t [u8], behind: &'t [u8]) -> Option<(&'t [u8], &'t [u8])> {
    let open = before.get(memchr::memrchr(b'(', before)? + 1..)?;
    let values = behind.get(memchr::memchr(b')', behind)? + 1..)?.trim_ascii_start();
    (!open.contains(&b')') && values.get(..6)?.eq_ignore_ascii_case(b"values")).then_some((values, open))
}

/// The cells of a number in rows, each with its place behind `at`.
fn below<'t>(rows: impl Iterator<Item = (usize, &'t [u8])>, at: usize, sign: u8, column: usize) -> Vec<Span> {
    let cell = |(start, row): (usize, &[u8])| {
        let begin = row.len().saturating_sub(row.trim_ascii_start().len());
        let cell = split(row.get(begin..)?, sign).get(column)?.clone();
        let text = row.get(begin + cell.start..begin + cell.end)?;
        let is_sign = |byte: &&u8| byte.is_ascii_whitespace() || b"\"'`*".contains(byte);
        let before = text.iter().take_while(is_sign).count();
        let word = text.get(before..text.len().checked_sub(text.iter().rev().take_while(is_sign).count())?)?;
        let start = at + start + begin + cell.start + before;
        let is_word = !word.is_empty() && !word.iter().any(|byte| byte.is_ascii_whitespace() || b"\"{".contains(byte));
        is_word.then(|| Span { start, end: start + word.len() })
    };
    rows.take(ROWS).filter_map(cell).collect()
}

/// How the columns of a line are told apart: a sign, or blanks, where the name is in capitals or a border is below it.
fn sign(line: &[u8], is_title: bool) -> Option<u8> {
    let inner = line.trim_ascii();
    let Some(sign) = SIGNS.into_iter().find(|sign| inner.contains(sign)) else {
        return (is_title && memchr::memmem::find(inner, b"  ").is_some()).then_some(b' ');
    };
    // A line of code calls something, or is indented; in a list with commas are only words.
    let is_code = inner.contains(&b'(') || sign == b'\t' && line.starts_with(b"\t");
    let is_list = !inner.ends_with(&[sign]) && !inner.iter().any(|byte| b" ()={}".contains(byte));
    // One sign before the only cell is a choice.
    let is_row = !inner.starts_with(b"|") || memchr::memchr_iter(b'|', inner).count() > 1;
    (!is_code && is_row && (!b",;".contains(&sign) || is_list)).then_some(sign)
}

fn is_border(row: &[u8]) -> bool {
    !row.trim_ascii().is_empty() && !row.iter().any(u8::is_ascii_alphanumeric)
}

/// A line without its number and the mark of a quotation or of a change: `    12\t`, `> `, `+`.
fn bare(line: &[u8]) -> &[u8] {
    let rest = line.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let behind = rest.get(digits..).and_then(|rest| rest.strip_prefix(b"\t"));
    let rest = behind.filter(|_| digits > 0 && line.starts_with(b" ")).unwrap_or(line);
    rest.strip_prefix(b"> ").or_else(|| rest.strip_prefix(b"+")).unwrap_or(rest)
}

/// The cells of a line: between signs, or between two and more blanks.
fn split(line: &[u8], sign: u8) -> Vec<std::ops::Range<usize>> {
    let mut cells = Vec::new();
    let mut start = 0_usize;
    for (at, byte) in line.iter().enumerate() {
        let is_gap = || line.get(at + 1) == Some(&b' ');
        if at >= start && *byte == sign && (sign != b' ' || is_gap()) {
            cells.push(start..at);
            let blanks = line.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
            start = at + if sign == b' ' { blanks } else { 1 };
        }
    }
    cells.push(start..line.len());
    cells
}
