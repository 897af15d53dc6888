//! Secrets below the name of their column: tables of databases and of command lines, lists with commas or tabs, the
//! values of an `INSERT`.

use regex_automata::Span;

/// So many rows below a name are read, and so many bytes of each.
const ROWS: usize = 60;
const LINE_BYTES: usize = 600;
/// The signs between the columns of a line; else blanks are, and the place in the line counts.
const SIGNS: [u8; 3] = [b'|', b'\t', b','];

/// The cells below a name that is a cell of a table.
pub fn cells(text: &[u8], name: Span) -> Vec<Span> {
    if let Some(found) = inserted(text, name) {
        return found;
    }
    let from = name.start.saturating_sub(LINE_BYTES);
    let start = match memchr::memrchr(b'\n', text.get(from..name.start).unwrap_or_default()) {
        Some(end) => from.saturating_add(end).saturating_add(1),
        // A longer line is not read.
        None if from > 0 => return Vec::new(),
        None => 0,
    };
    let (before, line) = (text.get(start..name.start).unwrap_or_default(), line(text, start));
    let next = self::line(text, start.saturating_add(line.len()).saturating_add(1));
    let is_title = is_border(next) || !text.get(name.range()).unwrap_or_default().iter().any(u8::is_ascii_lowercase);
    let Some(sign) = sign(line, before, name.len(), is_title) else {
        return Vec::new();
    };
    let count = |bytes: &[u8]| memchr::memchr_iter(sign, bytes.trim_ascii_start()).count();
    let (columns, column) = (count(line), count(before));
    // A line of code: it calls something, or is indented.
    if sign != b' ' && line.contains(&b'(') || sign == b'\t' && line.starts_with(b"\t") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = start.saturating_add(line.len()).saturating_add(1);
    for _ in 0..ROWS {
        let row = self::line(text, at);
        let is_other = !is_border(row) && (count(row) < columns || sign == b'|' && count(row) > columns);
        if row.trim_ascii().is_empty() || row.len() > LINE_BYTES || sign != b' ' && is_other {
            break;
        }
        let cell = if is_border(row) {
            None
        } else if sign == b' ' {
            below(row, before.len(), name.len())
        } else {
            nth(row, sign, column)
        };
        found.extend(cell.map(|cell| Span { start: at.saturating_add(cell.start), end: at.saturating_add(cell.end) }));
        at = at.saturating_add(row.len()).saturating_add(1);
    }
    found
}

/// The values of a name among those in brackets: `INSERT INTO users (name, password) VALUES ('ana', '…')`.
fn inserted(text: &[u8], name: Span) -> Option<Vec<Span>> {
    let before = text.get(name.start.saturating_sub(LINE_BYTES)..name.start)?;
    let before = before.rsplit(|byte| matches!(byte, b'(' | b')')).next()?;
    let count = |bytes: &[u8]| memchr::memchr_iter(b',', bytes).count();
    let near = text.get(name.end..name.end.saturating_add(LINE_BYTES).min(text.len()))?;
    let close = memchr::memchr(b')', near)?;
    let behind = near.get(close.saturating_add(1)..)?;
    let blanks = behind.len().saturating_sub(behind.trim_ascii_start().len());
    behind.get(blanks..blanks.saturating_add(6)).filter(|word| word.eq_ignore_ascii_case(b"values"))?;
    let mut at = name.end.saturating_add(close).saturating_add(blanks).saturating_add(7);
    let mut found = Vec::new();
    for _ in 0..ROWS {
        let rest = text.get(at..at.saturating_add(LINE_BYTES).min(text.len()))?;
        let Some(open) = rest.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b',') else { break };
        let Some(length) = memchr::memchr(b')', rest).filter(|_| rest.get(open) == Some(&b'(')) else { break };
        let row = at.saturating_add(open).saturating_add(1);
        at = at.saturating_add(length);
        let cell = nth(text.get(row..at)?, b',', count(before));
        found
            .extend(cell.map(|cell| Span { start: row.saturating_add(cell.start), end: row.saturating_add(cell.end) }));
        at = at.saturating_add(1);
    }
    Some(found)
}

/// How the columns of a line are told apart: a sign, or blanks, where the name is in capitals or a border is below it.
fn sign(line: &[u8], before: &[u8], name: usize, is_title: bool) -> Option<u8> {
    let inner = line.trim_ascii();
    if let Some(sign) = SIGNS.into_iter().find(|sign| inner.contains(sign)) {
        let is_list = !inner.ends_with(b",") && !inner.iter().any(|byte| b" ()=;".contains(byte));
        // One sign before the only cell is a choice.
        let is_row = !inner.starts_with(b"|") || memchr::memchr_iter(b'|', inner).count() > 1;
        return (is_row && (sign != b',' || is_list)).then_some(sign);
    }
    let behind = line.get(before.len().saturating_add(name)..)?;
    let is_apart = before.ends_with(b"  ") || behind.starts_with(b"  ");
    (is_apart && is_title).then_some(b' ')
}

fn line(text: &[u8], start: usize) -> &[u8] {
    let rest = text.get(start..start.saturating_add(2 * LINE_BYTES).min(text.len())).unwrap_or_default();
    rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or_default()
}

fn is_border(row: &[u8]) -> bool {
    !row.trim_ascii().is_empty() && !row.iter().any(u8::is_ascii_alphanumeric)
}

/// The cell of a number, without the blanks and quotation marks around it.
fn nth(row: &[u8], sign: u8, number: usize) -> Option<Span> {
    let mut start = row.len().saturating_sub(row.trim_ascii_start().len());
    let mut cells = row.get(start..)?.split(|byte| *byte == sign);
    for cell in cells.by_ref().take(number) {
        start = start.saturating_add(cell.len()).saturating_add(1);
    }
    trimmed(row, Span { start, end: start.saturating_add(cells.next()?.len()) })
}

/// The cell that is below a name: the word there.
fn below(row: &[u8], start: usize, length: usize) -> Option<Span> {
    let end = start.saturating_add(length);
    let first = (start..end).find(|at| row.get(*at).is_some_and(|byte| !byte.is_ascii_whitespace()))?;
    let is_word = |byte: &&u8| !byte.is_ascii_whitespace();
    let before = row.get(..first)?.iter().rev().take_while(is_word).count();
    let behind = row.get(first..)?.iter().take_while(is_word).count();
    trimmed(row, Span { start: first.saturating_sub(before), end: first.saturating_add(behind) })
}

fn trimmed(row: &[u8], cell: Span) -> Option<Span> {
    let is_sign = |byte: &&u8| byte.is_ascii_whitespace() || b"\"'`*".contains(byte);
    let text = row.get(cell.range())?;
    let before = text.iter().take_while(is_sign).count();
    let behind = text.iter().rev().take_while(is_sign).count();
    let span = Span { start: cell.start.saturating_add(before), end: cell.end.saturating_sub(behind) };
    let is_word = !row.get(span.range())?.iter().any(u8::is_ascii_whitespace);
    (span.start < span.end && is_word).then_some(span)
}
