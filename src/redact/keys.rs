//! Private keys as blocks of words: from their first line to their last, or as far as what follows can be of
//! a key. What stands between the lines of a key (marks, times, tags, commands) does not matter, if it is
//! short. A sentence that names the first line keeps its text. Each byte is read a few times.

use super::rule::Secret;
use super::word;
use std::ops::Range;

/// The longest first or last line.
const BORDER_BYTES: usize = 160;
/// The most bytes between two lines of a key, or between the first line and the key: headers, a log's fields.
const GAP_BYTES: usize = 300;
/// So much longer than the first gap can another one be: a number has more digits.
const MORE_BYTES: usize = 16;
/// The longest mark before a line: a time, a name.
const MARK_BYTES: usize = 80;
/// A key that has no first line is looked for in so many bytes before its last line.
const TAIL_BYTES: usize = 32 << 10;
/// The shortest line of a key, and the shortest one that is one wherever it stands.
const LINE_BYTES: usize = 16;
const LONG_BYTES: usize = 40;

/// The private keys of a text.
pub fn find(text: &[u8], secrets: &mut Vec<Secret>) {
    let mut push = |start, end| secrets.push(Secret { start, end, kind: "private-key".to_owned() });
    let mut done = 0_usize;
    each(text, b"---", |start| match border(text, start) {
        Some((false, body)) => {
            let Some(key) = chain(text, body, text.len(), GAP_BYTES) else { return body };
            done = last_line(text, key.end).unwrap_or(key.end);
            push(start, done);
            done
        }
        Some((true, end)) => {
            if let Some(key) = tail(text, done.max(start.saturating_sub(TAIL_BYTES)), start) {
                push(key.start, end);
            }
            done = end;
            end
        }
        // All dashes of a line at once.
        None => start + dashes(text, start),
    });
    // Keys without their first line: the sizes and the version that one for RSA begins with, as PKCS1 or PKCS8.
    each(text, b"IBA", |version| {
        let start = version.saturating_sub(6);
        let is_key = text[start..].starts_with(b"MII")
            && [&b"IBAAKC"[..], b"IBADAN"].iter().any(|begin| text[version..].starts_with(begin));
        let Some(key) = is_key.then(|| chain(text, start, text.len(), 0)).flatten() else { return version + 3 };
        push(key.start, key.end);
        key.end
    });
    let lines = b"Private-Lines:";
    each(text, lines, |at| {
        let number = at + lines.len();
        let start = number + text[number..].iter().take_while(|byte| b" 0123456789".contains(byte)).count();
        let Some(key) = chain(text, start, text.len(), MARK_BYTES) else { return start };
        push(start, key.end);
        key.end
    });
}

/// Gives each place of a mark, and goes on where it is told.
fn each(text: &[u8], mark: &[u8], mut act: impl FnMut(usize) -> usize) {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&text[from..], mark) {
        from = act(from + at);
    }
}

fn dashes(text: &[u8], at: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'-').count()
}

/// The byte behind `-----BEGIN … PRIVATE KEY-----` or `-----END …`, when that begins here, and which of them it is.
fn border(text: &[u8], start: usize) -> Option<(bool, usize)> {
    let inner = start + dashes(text, start);
    let rest = text.get(inner..(inner + BORDER_BYTES).min(text.len()))?;
    let close = memchr::memmem::find(rest, b"---")?;
    // In the form of a web page a blank is a plus.
    let name = String::from_utf8(rest.get(..close)?.to_ascii_uppercase()).ok()?.replace('+', " ");
    let ends = name.trim_start().starts_with("END");
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _-".contains(&byte));
    let close = inner + close;
    (is_name && (ends || name.trim_start().starts_with("BEGIN")) && name.contains("PRIVATE KEY"))
        .then(|| (ends, close + dashes(text, close)))
}

/// The end of the last line that follows a key, if one does.
fn last_line(text: &[u8], key: usize) -> Option<usize> {
    let near = text.get(key..(key + GAP_BYTES).min(text.len()))?;
    let (ends, end) = border(text, key + memchr::memmem::find(near, b"---")?)?;
    ends.then_some(end)
}

/// The key that ends with the last line here.
fn tail(text: &[u8], from: usize, start: usize) -> Option<Range<usize>> {
    let mut last: Option<Range<usize>> = None;
    while let Some(key) = chain(text, last.as_ref().map_or(from, |key| key.end), start, usize::MAX) {
        last = Some(key);
    }
    last.filter(|key| start.saturating_sub(key.end) <= GAP_BYTES)
}

/// The first lines of a key in a part of a text: at most `gap` bytes from its beginning, and then as long as lines
/// of a key follow, each as near as the first one.
fn chain(text: &[u8], from: usize, to: usize, gap: usize) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let (mut at, mut last, mut gap) = (from, from, gap);
    while let Some(between) = text.get(at..to).and_then(|rest| rest.iter().position(|byte| is_base64(*byte))) {
        let start = at + between;
        let is_near = gap <= GAP_BYTES;
        let is_border = || memchr::memmem::find(text.get(at..start).unwrap_or_default(), b"---").is_some();
        if start.saturating_sub(last) > gap || is_near && is_border() {
            break;
        }
        let end = start + text.get(start..to)?.iter().take_while(|byte| is_base64(**byte)).count();
        let line = text.get(start..end)?;
        let is_next = is_near && at == last;
        if is_line(line, is_next) {
            if found.is_none() {
                gap = if is_near { (start.saturating_sub(last) + MORE_BYTES).min(GAP_BYTES) } else { GAP_BYTES };
            }
            found = Some(found.map_or(start, |key| key.start)..end);
            last = end;
        } else if let Some(key) = found.as_mut().filter(|_| is_next && is_end(line)) {
            key.end = end;
        }
        at = end;
    }
    found
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Is this a line of a key? Where it is the next word, less is enough.
fn is_line(line: &[u8], is_next: bool) -> bool {
    let has = |of: fn(&u8) -> bool| line.iter().any(of);
    let chance = || has(u8::is_ascii_digit) && (line.len() >= LONG_BYTES || word::changes_often(line));
    line.len() >= LINE_BYTES && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && (is_next || chance())
}

/// Is this the short line at the end, and no word?
fn is_end(line: &[u8]) -> bool {
    line.iter().any(|byte| b"+/=".contains(byte)) || word::looks_random(line)
}
