//! Private keys as blocks of lines: from their first line to their last, or as far as what follows can be
//! of a key. A sentence that names the first line keeps its text. Each line is read once.

use super::rule::Secret;
use super::word;

/// The longest first line, header line and mark before a line.
const HEAD_BYTES: usize = 160;
const HEADER_BYTES: usize = 200;
/// The longest line: a key that is written on one.
const ONE_LINE_BYTES: usize = 16 << 10;
/// So many header lines and empty lines stand between the first line and the key, or between two lines of it: of line
/// breaks of two characters each second line is empty.
const HEADERS: usize = 12;
/// Less than this on a line is a key's only at its end.
const LINE_BYTES: usize = 16;

/// The longest mark before each line: a comment's, a log's time.
const MARK_BYTES: usize = 80;
/// The longest command that writes a line of a key.
const COMMAND_BYTES: usize = 1024;
/// What a shell writes lines with.
const ECHO: &[&[u8]] = &[b"echo ", b"printf "];

/// The private keys of a text.
pub fn find(text: &[u8], secrets: &mut Vec<Secret>) {
    let (mut from, mut done) = (0_usize, 0_usize);
    while let Some(start) = memchr::memmem::find(text.get(from..).unwrap_or_default(), b"---") {
        let start = from.saturating_add(start);
        from = start.saturating_add(3);
        let part = text.get(start..start.saturating_add(HEAD_BYTES).min(text.len())).unwrap_or_default();
        if let Some((0, length)) = foot(part)
            && !is_certificate(part)
        {
            // The end of a block whose beginning was cut.
            let end = start.saturating_add(length);
            let before = mark(text, start);
            // The last letters of a key can stand on the line that ends it.
            let is_key = matches!(line_kind(content(before), true), LineKind::Key | LineKind::Last);
            if let Some(begin) = start_of_tail(text, done, start, if is_key { b"" } else { before }) {
                secrets.push(Secret { start: begin, end, kind: "private-key".to_owned() });
            }
            from = end;
            done = end;
        } else if let Some(body) = head(text, start) {
            from = body;
            if let Some(end) = end_of_key(text, body, mark(text, start), is_echoed(text, start)) {
                from = end;
                done = end;
                secrets.push(Secret { start, end, kind: "private-key".to_owned() });
            }
        } else {
            // All dashes of a line at once.
            while text.get(from) == Some(&b'-') {
                from = from.saturating_add(1);
            }
        }
    }
    from = 0;
    while let Some(at) = memchr::memmem::find(text.get(from..).unwrap_or_default(), b"Private-Lines:") {
        let number = from.saturating_add(at).saturating_add(14);
        let digits = text.get(number..).unwrap_or_default().iter().take_while(|byte| b" 0123456789".contains(byte));
        let start = number.saturating_add(digits.count());
        from = start;
        if let Some(end) = end_of_key(text, start, b"", false) {
            from = end;
            secrets.push(Secret { start, end, kind: "private-key".to_owned() });
        }
    }
}

/// The byte behind `-----BEGIN … PRIVATE KEY-----`, when that begins here.
fn head(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let dashes = rest.iter().take_while(|byte| **byte == b'-').count();
    let name = rest.get(dashes..)?;
    let name = name.get(..name.len().min(HEAD_BYTES))?;
    let spaces = name.iter().take(2).take_while(|byte| **byte == b' ').count();
    let begins = name.get(spaces..spaces.saturating_add(5))?.eq_ignore_ascii_case(b"begin");
    let close = memchr::memmem::find(name, b"---")?;
    let inner = name.get(..close)?;
    let upper = inner.to_ascii_uppercase();
    let is_name = inner.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _-".contains(byte));
    if !begins || !is_name || memchr::memmem::find(&upper, b"PRIVATE KEY").is_none() {
        return None;
    }
    let behind = name.get(close..)?.iter().take(8).take_while(|byte| **byte == b'-').count();
    Some(start.saturating_add(dashes).saturating_add(close).saturating_add(behind))
}

/// Does a shell write the line that a key begins on? Then it writes the others, too.
fn is_echoed(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(40)..start).unwrap_or_default();
    let line = before.rsplit(|byte| matches!(byte, b'\n' | b';' | b'&')).next().unwrap_or_default();
    ECHO.iter().any(|program| memchr::memmem::find(line, program).is_some())
}

/// A line of a key without the command that writes it: `echo 'LINE' >> file`.
fn echoed(line: &[u8]) -> &[u8] {
    let start =
        ECHO.iter().find_map(|program| Some(memchr::memmem::find(line, program)?.saturating_add(program.len())));
    let rest = line.get(start.unwrap_or_default()..).unwrap_or_default();
    let end = rest.iter().position(|byte| matches!(byte, b'>' | b'|')).unwrap_or(rest.len());
    let words = rest.get(..end).unwrap_or_default();
    let option = |rest: &[u8]| matches!(rest, [b'-', b'n' | b'e' | b'E', b' ', ..]);
    if option(words) { words.get(3..).unwrap_or_default() } else { words }
}

/// What stands before a place on its line.
fn mark(text: &[u8], start: usize) -> &[u8] {
    let before = &text[start.max(MARK_BYTES) - MARK_BYTES..start];
    let real = memchr::memrchr(b'\n', before).map(|at| at + 1);
    let escaped = memchr::memmem::rfind(before, b"\\n").map(|at| at + 2);
    let first = (start < MARK_BYTES).then_some(0);
    real.max(escaped).or(first).map_or(b"", |at| &before[at..])
}

/// A line without the mark that its first line has, digits aside: "# ", "2026-04-13 10:00:01 ".
fn behind<'l>(line: &'l [u8], mark: &[u8]) -> &'l [u8] {
    let is_same = |(one, other): (&u8, &u8)| one == other || one.is_ascii_digit() && other.is_ascii_digit();
    match line.split_at_checked(mark.len()) {
        Some((head, rest)) if head.iter().zip(mark).all(is_same) => rest,
        None if line.trim_ascii_end() == mark.trim_ascii_end() => b"",
        _ => line,
    }
}

/// The end of a PEM block with a BEGIN line that ended here; None when there is no such block.
fn end_of_key(text: &[u8], body: usize, mark: &[u8], in_shell: bool) -> Option<usize> {
    let mut at = body;
    let mut end = None;
    let mut others = 0_usize;
    loop {
        let (line, next) = if in_shell { command(text, at) } else { line(text, at) };
        let line = if in_shell { echoed(line) } else { behind(line, mark) };
        let content = content(line);
        if let Some((open, close)) = foot(line) {
            // All of it can be on one line.
            let before = self::content(line.get(..open).unwrap_or_default());
            let is_key = end.is_some() || matches!(line_kind(before, false), LineKind::Key);
            // Behind a command's name the place is found again in the text.
            let skipped = text.get(at..next.1).and_then(|all| memchr::memmem::find(all, line)).unwrap_or_default();
            return is_key.then(|| at.saturating_add(skipped).saturating_add(close));
        }
        match line_kind(content, end.is_some()) {
            LineKind::Key => (end, others) = (Some(next.1), 0),
            LineKind::Last => {
                // The short line at the end: of a key only if the key ends here, or if it is not a word.
                let (behind, _) = if in_shell { command(text, next.0) } else { self::line(text, next.0) };
                if foot(behind).is_some() || has_sign(content) {
                    end = Some(next.1);
                } else {
                    return end;
                }
            }
            LineKind::Header if end.is_none() || content.is_empty() => others = others.saturating_add(1),
            LineKind::Header | LineKind::Other => return end,
        }
        if others > HEADERS || next.0 <= at || next.0 >= text.len() {
            return end;
        }
        at = next.0;
    }
}

/// Is this the end of something that is not a private key?
fn is_certificate(part: &[u8]) -> bool {
    let line = part.split(|byte| *byte == b'\n').next().unwrap_or_default();
    memchr::memmem::find(&line.to_ascii_uppercase(), b"PRIVATE KEY").is_none()
}

/// Where the lines of a key begin that end here; nothing when there are none. Not before `done`.
fn start_of_tail(text: &[u8], done: usize, end: usize, mark: &[u8]) -> Option<usize> {
    let from = done.max(end.saturating_sub(ONE_LINE_BYTES));
    let mut begin = None;
    let end = end.saturating_sub(mark.len());
    let mut at = end;
    loop {
        let before = text.get(from..at)?;
        let before = before.strip_suffix(b"\n").or_else(|| before.strip_suffix(b"\\n")).unwrap_or(before);
        // A line break, or one that is written as `\n`.
        let real = memchr::memrchr(b'\n', before).map(|at| at.saturating_add(1));
        let escaped = memchr::memmem::rfind(before, b"\\n").map(|at| at.saturating_add(2));
        let start = from.saturating_add(real.max(escaped).unwrap_or_default());
        let line = text.get(start..from.saturating_add(before.len()))?;
        match line_kind(content(behind(line, mark)), true) {
            LineKind::Key => begin = Some(start),
            LineKind::Last if begin.is_none() && at == end => {}
            _ => return begin,
        }
        if start <= from {
            return begin;
        }
        at = start;
    }
}

enum LineKind {
    Key,
    Last,
    Header,
    Other,
}

/// What a line is, without what comes before and behind it.
fn line_kind(content: &[u8], in_key: bool) -> LineKind {
    let base64 = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
    let mut parts = content.split(|byte| *byte == b' ').filter(|part| !part.is_empty());
    if content.is_empty() {
        return LineKind::Header;
    }
    let mixed =
        |part: &[u8]| part.iter().any(u8::is_ascii_uppercase) && part.iter().any(|byte| !byte.is_ascii_uppercase());
    let long = |part: &[u8]| part.len() >= LINE_BYTES && mixed(part);
    let (first, rest) = (parts.next().unwrap_or_default(), parts);
    if base64(first) && long(first) && rest.clone().all(base64) {
        return LineKind::Key;
    }
    if in_key && base64(content) && content.len() <= 80 {
        return LineKind::Last;
    }
    let named = content.iter().position(|byte| *byte == b':').is_some_and(|at| {
        let name = content.get(..at).unwrap_or_default();
        !name.is_empty() && name.len() < 40 && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    });
    if !in_key && named && content.len() <= HEADER_BYTES { LineKind::Header } else { LineKind::Other }
}

fn has_sign(content: &[u8]) -> bool {
    content.iter().any(|byte| b"+/=".contains(byte)) || word::looks_random(content)
}

/// The line that begins here, the start of the next one, and where this one's text ends. A line break can
/// be one, or be written as `\n`.
fn line(text: &[u8], at: usize) -> (&[u8], (usize, usize)) {
    let rest = text.get(at..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(ONE_LINE_BYTES)).unwrap_or_default();
    let mut offset = 0_usize;
    while let Some(step) = memchr::memchr3(b'\n', b'\r', b'\\', rest.get(offset..).unwrap_or_default()) {
        let stop = offset.saturating_add(step);
        let slashes = rest.get(stop..).unwrap_or_default().iter().take(8).take_while(|byte| **byte == b'\\').count();
        let letter = rest.get(stop.saturating_add(slashes));
        let end = match (slashes, letter) {
            (0, _) => Some(stop.saturating_add(1)),
            (_, Some(b'n' | b'r' | b'\n')) => Some(stop.saturating_add(slashes).saturating_add(1)),
            _ => None,
        };
        if let Some(end) = end {
            let line = rest.get(..stop).unwrap_or_default();
            return (line, (at.saturating_add(end), at.saturating_add(trimmed(line))));
        }
        offset = stop.saturating_add(slashes.max(1));
    }
    (rest, (at.saturating_add(rest.len()), at.saturating_add(trimmed(rest))))
}

/// The same for a command: `&&`, `;` and the end of the line end it.
fn command(text: &[u8], at: usize) -> (&[u8], (usize, usize)) {
    let near = text.get(at..).unwrap_or_default();
    let stop = near.iter().take(COMMAND_BYTES).position(|byte| matches!(byte, b'\n' | b';' | b'&'));
    let stop = stop.filter(|stop| near.get(*stop) != Some(&b'\n')).map(|stop| at.saturating_add(stop));
    let (line, next) = line(text.get(..stop.unwrap_or(text.len())).unwrap_or_default(), at);
    match stop {
        Some(stop) if next.0 >= stop => {
            let sign = |byte: &&u8| matches!(byte, b';' | b'&' | b' ');
            let signs = text.get(stop..).unwrap_or_default().iter().take(8).take_while(sign).count();
            (line, (stop.saturating_add(signs), next.1))
        }
        _ => (line, next),
    }
}

/// The length of a line without the quotes and signs that code puts behind it.
fn trimmed(line: &[u8]) -> usize {
    let signs = line.iter().rev().take_while(|byte| b" \t\"'`,;\\)".contains(byte)).count();
    line.len().saturating_sub(signs)
}

/// A line without what comes before it: blanks, quotes, the mark of a quotation or a difference, the
/// number or the file and number that a tool prints.
fn content(line: &[u8]) -> &[u8] {
    let mut rest = line.get(..trimmed(line)).unwrap_or_default();
    for _ in 0..2 {
        let blank = rest.iter().take_while(|byte| b" \t>|\"'`".contains(byte) || !byte.is_ascii()).count();
        rest = rest.get(blank..).unwrap_or_default();
        let mark =
            rest.iter().take(300).position(|byte| matches!(byte, b':' | b'\t' | b' ' | b'\\') || !byte.is_ascii());
        let Some(mark) = mark else { break };
        let (name, behind) = rest.split_at_checked(mark).unwrap_or((rest, &[]));
        if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
            // A tab can be written as `\t`.
            let slashes = behind.iter().take(8).take_while(|byte| **byte == b'\\').count();
            rest = behind.get(slashes.saturating_add(1)..).unwrap_or_default();
        } else if behind.starts_with(b":") {
            let digits = behind.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 || behind.get(digits.saturating_add(1)) != Some(&b':') {
                break;
            }
            rest = behind.get(digits.saturating_add(2)..).unwrap_or_default();
        } else {
            break;
        }
    }
    let blank = rest.iter().take_while(|byte| b" \t>|\"'`".contains(byte) || !byte.is_ascii()).count();
    let rest = rest.get(blank..).unwrap_or_default();
    match rest.split_first() {
        // The mark of a difference.
        Some((b'+' | b'-', behind)) if !behind.starts_with(b"-") => {
            behind.get(behind.iter().take_while(|byte| **byte == b' ').count()..).unwrap_or_default()
        }
        _ => rest,
    }
}

/// The last line's mark, `-----END … KEY-----`, when it is on this line.
fn foot(line: &[u8]) -> Option<(usize, usize)> {
    let start = memchr::memmem::find(line, b"---")?;
    let mark = line.get(start..)?;
    let upper = mark.get(..mark.len().min(HEAD_BYTES))?.to_ascii_uppercase();
    let name = upper.iter().take_while(|byte| **byte == b'-').count();
    let rest = upper.get(name..)?;
    let rest_text = rest.strip_prefix(b" ").unwrap_or(rest);
    if !rest_text.starts_with(b"END") {
        return None;
    }
    let close = memchr::memmem::find(rest, b"---")?;
    let dashes = rest.get(close..)?.iter().take(8).take_while(|byte| **byte == b'-').count();
    Some((start, start.saturating_add(name).saturating_add(close).saturating_add(dashes)))
}
