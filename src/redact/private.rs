//! What its writer marked `<private>…</private>` is left out, in any reasonable spelling of the marks:
//! other brackets that mean the same, escapes, capitals, blanks and attributes inside, invisible
//! signs. What is in doubt is left out too: the mark says that it was wanted.

use super::view::{hex, is_invisible};
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The word of the mark.
const NAME: &str = "private";
/// The longest mark, in characters.
const MARK_CHARS: usize = 300;

/// A mark in a text.
#[derive(Clone, Copy, Debug)]
struct Tag {
    start: usize,
    end: usize,
    kind: TagKind,
    /// `[private]`: these brackets have other uses.
    square: bool,
    /// It is glued to a name and has a capital, as a type in code has: `Box<Private>`.
    in_code: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagKind {
    Open,
    Close,
    /// `<private/>`: nothing is in it.
    Empty,
    /// The bracket does not close: `<private text</private>`.
    Torn,
}

/// A text without what its writer marked `<private>…</private>`, and without the marks. Marks can be
/// nested; one that is not closed reaches to the end; a closing one alone stays.
pub fn without_private(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0_usize;
    let parts = private_parts(text);
    if parts.is_empty() {
        return Cow::Borrowed(text);
    }
    for part in parts {
        out.push_str(text.get(done..part.start).unwrap_or_default());
        done = part.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Where a text is private, with the marks, in order.
pub fn private_parts(text: &str) -> Vec<Range<usize>> {
    let marks = marks(text);
    // From the end on, since the marks behind one say whether it opens a part: whether one closes, one with these
    // brackets, and the next whole one.
    let (mut close, mut square, mut next) = (false, false, false);
    let mut opens = Vec::with_capacity(marks.len());
    for mark in marks.iter().rev() {
        let closes = mark.kind == TagKind::Close;
        opens.push(match mark.kind {
            TagKind::Open => (square || !mark.square) && (close || !mark.in_code),
            // A slash in the wrong place: it is meant to open when the next mark closes.
            TagKind::Empty | TagKind::Torn => next,
            TagKind::Close => false,
        });
        close |= closes;
        square |= closes && mark.square;
        next = if mark.kind == TagKind::Torn { next } else { closes };
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut depth = 0_usize;
    for (mark, opens) in marks.iter().zip(opens.into_iter().rev()) {
        if mark.kind == TagKind::Close {
            if let Some(part) = parts.last_mut().filter(|_| depth == 1) {
                part.end = mark.end;
            }
            depth = depth.saturating_sub(1);
        } else if opens && (depth == 0 || mark.kind == TagKind::Open) {
            if depth == 0 {
                parts.push(mark.start..text.len());
            }
            depth += 1;
        }
    }
    parts
}

/// The marks of a text, in order.
fn marks(text: &str) -> Vec<Tag> {
    let mut marks = Vec::new();
    let mut at = 0_usize;
    while let Some(step) = text.get(at..).and_then(|rest| rest.bytes().position(can_open)) {
        at += step;
        if let Some(mark) = mark(text, at) {
            at = mark.end;
            marks.push(mark);
        } else {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }
    marks
}

/// The first bytes of all spellings of a bracket.
fn can_open(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'&' | b'\\' | b'%' | 0xe2 | 0xe3 | 0xef)
}

/// The mark that begins here.
fn mark(text: &str, start: usize) -> Option<Tag> {
    let mut reader = MeantChars { text, at: start, left: MARK_CHARS };
    let open = reader.next()?;
    let square = match open {
        '<' => false,
        '[' => true,
        _ => return None,
    };
    let mut next = reader.skip_blank()?;
    let closes = next == '/' || next == '\\';
    while next == '/' || next == '\\' {
        next = reader.skip_blank()?;
    }
    let mut capital = false;
    for letter in NAME.chars() {
        capital = capital || next.is_uppercase();
        if !next.to_lowercase().eq([letter]) {
            return None;
        }
        next = reader.next().unwrap_or(' ');
    }
    while "*_`~".contains(next) {
        next = reader.next()?;
    }
    let end_of_name = reader.at;
    let glued = text.get(..start)?.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mark = |end: usize, kind| Tag { start, end, kind, square, in_code: glued && capital };
    let bracket = if square { ']' } else { '>' };
    if next == bracket {
        return Some(mark(end_of_name, if closes { TagKind::Close } else { TagKind::Open }));
    }
    if !(next.is_whitespace() || "/:=\"'".contains(next)) || square && !closes && next != '/' {
        return None;
    }
    // Code that compares has other signs here.
    let attribute = reader.text.get(end_of_name..)?.trim_start().chars().next();
    if attribute.is_some_and(|sign| {
        next.is_whitespace() && "&|=<!?*+,;)}".contains(sign) && !is_entity(reader.text, end_of_name)
    }) {
        return None;
    }
    Some(match reader.end_of_mark(next, bracket) {
        Some((end, _)) if closes => mark(end, TagKind::Close),
        Some((end, true)) => mark(end, TagKind::Empty),
        Some((end, false)) => mark(end, TagKind::Open),
        None if closes => mark(end_of_name, TagKind::Close),
        None => mark(end_of_name, TagKind::Torn),
    })
}

/// Reads characters as they are meant.
struct MeantChars<'a> {
    text: &'a str,
    at: usize,
    left: usize,
}

impl MeantChars<'_> {
    /// The next character, and the place behind it; what is invisible is skipped.
    fn next(&mut self) -> Option<char> {
        loop {
            self.left = self.left.checked_sub(1)?;
            let (letter, length) = meant(self.text.get(self.at..)?)?;
            self.at += length;
            if let Some(letter) = letter {
                return Some(letter);
            }
        }
    }

    fn skip_blank(&mut self) -> Option<char> {
        loop {
            let next = self.next()?;
            if !next.is_whitespace() && !"*_`~".contains(next) {
                return Some(next);
            }
        }
    }

    /// Where the mark ends whose name ended before `next`, and whether a slash is at its end; nothing when
    /// its bracket does not close. Brackets in quotes are an attribute's.
    fn end_of_mark(&mut self, next: char, bracket: char) -> Option<(usize, bool)> {
        let start = (self.at, self.left);
        for quotes in [true, false] {
            (self.at, self.left) = start;
            let (mut next, mut quote, mut slash) = (next, None, false);
            loop {
                match quote {
                    Some(open) if next == open => quote = None,
                    None if next == bracket => return Some((self.at, slash)),
                    None if next == '<' => break,
                    None if quotes && (next == '"' || next == '\'') => quote = Some(next),
                    _ => {}
                }
                slash = next == '/' || slash && next.is_whitespace();
                match self.next() {
                    Some(letter) => next = letter,
                    None => break,
                }
            }
        }
        None
    }
}

/// Is the next word the `&gt;` of an escaped mark?
fn is_entity(text: &str, at: usize) -> bool {
    text.get(at..).and_then(|rest| entity(rest.trim_start())).is_some()
}

/// The character that a text begins with, as it is meant, and its length; no character when it is invisible.
fn meant(text: &str) -> Option<(Option<char>, usize)> {
    let first = text.chars().next()?;
    match first {
        '&' => Some(entity(text).map_or((Some(first), 1), |(letter, length)| (seen(letter), length))),
        '\\' => Some(escaped(text)),
        '%' => {
            let code = text.as_bytes().get(1..3).and_then(hex).and_then(char::from_u32);
            Some(code.filter(char::is_ascii).map_or((Some(first), 1), |letter| (Some(letter), 3)))
        }
        '\u{1b}' => Some((None, 1)),
        _ if is_invisible(u32::from(first)) => Some((None, first.len_utf8())),
        _ if first.is_ascii() => Some((Some(first), 1)),
        _ => Some((Some(folded(first)), first.len_utf8())),
    }
}

/// A character of full width, of mathematics, of another kind of bracket as the plain one.
fn folded(letter: char) -> char {
    match letter {
        '‹' | '〈' | '《' | '⟨' | '⟪' | '❮' | '❰' | '˂' | '\u{2329}' => '<',
        '›' | '〉' | '》' | '⟩' | '⟫' | '❯' | '❱' | '˃' | '\u{232a}' => '>',
        '⁄' | '∕' | '⧸' => '/',
        _ => std::iter::once(letter).nfkc().find(|folded| !matches!(folded, '\u{300}'..='\u{36f}')).unwrap_or(letter),
    }
}

/// The character, unless it is invisible.
fn seen(letter: char) -> Option<char> {
    (!is_invisible(u32::from(letter))).then_some(letter)
}

/// `&lt;`, `&#60;`, `&#x3c;`, `&amp;lt;`: what it means, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let mut at = text.starts_with('&').then_some(1_usize)?;
    while text.get(at..)?.get(..4).is_some_and(|amp| amp.eq_ignore_ascii_case("amp;")) {
        at += 4;
    }
    let rest = text.get(at..)?;
    let length = rest.bytes().take(10).position(|byte| byte == b';');
    let name = rest.get(..length.unwrap_or(2)).or_else(|| rest.get(..2))?.to_ascii_lowercase();
    let code = |digits: &str, base| u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
    let letter = match name.as_str() {
        "lt" | "lang" | "lsaquo" => '<',
        "gt" | "rang" | "rsaquo" => '>',
        "sol" => '/',
        "nbsp" => ' ',
        "quot" => '"',
        "apos" => '\'',
        "lbrack" | "lsqb" => '[',
        "rbrack" | "rsqb" => ']',
        _ => {
            length?;
            let digits = name.strip_prefix('#')?;
            digits.strip_prefix('x').map_or_else(|| code(digits, 10), |digits| code(digits, 16))?
        }
    };
    let end = at + name.len() + usize::from(length.is_some());
    Some((letter, end))
}

/// `\u003c`, `\x3c`, `\u{3c}`, `\/`, markdown's `\<`; with more backslashes as in JSON inside JSON.
fn escaped(text: &str) -> (Option<char>, usize) {
    let slashes = text.bytes().take(8).take_while(|byte| *byte == b'\\').count();
    let rest = text.as_bytes().get(slashes..).unwrap_or_default();
    let code = |from: usize, to: usize| rest.get(from..to).and_then(hex).and_then(char::from_u32);
    let found = match rest.first() {
        Some(b'u' | b'U') if rest.get(1) == Some(&b'{') => {
            let digits = rest.iter().skip(2).take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
            let end = digits + 2;
            if rest.get(end) == Some(&b'}') { code(2, end).map(|letter| (letter, end + 1)) } else { None }
        }
        Some(b'u' | b'U') => code(1, 5).map(|letter| (letter, 5)),
        Some(b'x') => code(1, 3).map(|letter| (letter, 3)),
        Some(b'n' | b't' | b'r') => Some((' ', 1)),
        Some(b'0') if rest.starts_with(b"074") => Some(('<', 3)),
        Some(b'0') if rest.starts_with(b"076") => Some(('>', 3)),
        _ => None,
    };
    match found {
        Some((letter, length)) => (seen(letter).map(folded), slashes + length),
        // A backslash before a sign only says that the sign is one.
        None if rest.first().is_some_and(|byte| b"<>/[]&%\"'".contains(byte)) => (None, slashes),
        None => (Some('\\'), 1),
    }
}
