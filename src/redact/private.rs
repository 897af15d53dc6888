//! What its writer marked `<private>…</private>` is left out, in any reasonable spelling of the marks:
//! other brackets that mean the same, escapes, capitals, blanks and attributes inside, invisible
//! signs. What is in doubt is left out too: the mark says that it was wanted.

use super::view;
use crate::base::text;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The word of the mark.
const NAME: &str = "private";
/// The longest mark, in characters.
const MARK_CHARS: usize = 300;
/// Signs of markdown that can be in a mark.
const EMPHASIS: &str = "*_`~";

/// A mark in a text.
#[derive(Clone, Copy, Debug)]
struct Tag {
    start: usize,
    end: usize,
    kind: TagKind,
    /// `[private]`: these brackets have other uses.
    is_square: bool,
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
    text::replaced(text, private_parts(text), |_| String::new())
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
            TagKind::Open => (square || !mark.is_square) && (close || !mark.in_code),
            // A slash in the wrong place: it is meant to open when the next mark closes.
            TagKind::Empty | TagKind::Torn => next,
            TagKind::Close => false,
        });
        close |= closes;
        square |= closes && mark.is_square;
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
    let mut marks: Vec<Tag> = Vec::new();
    // None of these bytes is inside a character.
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| can_open(*byte)) {
        if marks.last().is_none_or(|last| last.end <= at) {
            marks.extend(mark(text, at));
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
    let bracket = match reader.next()? {
        '<' => '>',
        '[' => ']',
        _ => return None,
    };
    let is_slash = |letter| letter == '/' || letter == '\\';
    let mut next = reader.skip_blank()?;
    let closes = is_slash(next);
    while is_slash(next) {
        next = reader.skip_blank()?;
    }
    let mut has_capital = false;
    for letter in NAME.chars() {
        has_capital |= next.is_uppercase();
        if !next.to_lowercase().eq([letter]) {
            return None;
        }
        next = reader.next().unwrap_or(' ');
    }
    while EMPHASIS.contains(next) {
        next = reader.next()?;
    }
    let is_square = bracket == ']';
    let is_glued = text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let mark = |end: usize, kind| Tag { start, end, kind, is_square, in_code: is_glued && has_capital };
    let whole = if closes { TagKind::Close } else { TagKind::Open };
    let end_of_name = reader.at;
    if next == bracket {
        return Some(mark(end_of_name, whole));
    }
    // Code that compares has other signs behind the name, and a square bracket a name of its own.
    let is_code = || next.is_whitespace() && reader.clone().skip_blank().is_some_and(|c| "&|=<!?*+,;)}".contains(c));
    if !(next.is_whitespace() || "/:=\"'".contains(next)) || is_square && !closes && next != '/' || is_code() {
        return None;
    }
    Some(match reader.end_of_mark(next, bracket) {
        Some((end, is_empty)) => mark(end, if is_empty && !closes { TagKind::Empty } else { whole }),
        None => mark(end_of_name, if closes { TagKind::Close } else { TagKind::Torn }),
    })
}

/// Reads characters as they are meant.
#[derive(Clone)]
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
            let rest = self.text.get(self.at..)?;
            let plain = rest.chars().next()?;
            let (letter, length) = view::unit(rest.as_bytes()).unwrap_or((Some(plain), plain.len_utf8()));
            self.at += length;
            if let Some(letter) = letter {
                return Some(folded(letter));
            }
        }
    }

    fn skip_blank(&mut self) -> Option<char> {
        loop {
            let next = self.next()?;
            if !next.is_whitespace() && !EMPHASIS.contains(next) {
                return Some(next);
            }
        }
    }

    /// Where a mark ends that has its name before `next`, and whether a slash is at its end; None when its bracket does
    /// not close. Brackets in quotes are an attribute's, unless the quotes do not close.
    fn end_of_mark(&self, first: char, bracket: char) -> Option<(usize, bool)> {
        let end = |has_quotes: bool| {
            let (mut reader, mut next, mut quote, mut is_empty) = (self.clone(), first, None, false);
            loop {
                match quote {
                    Some(open) if next == open => quote = None,
                    None if next == bracket => return Some((reader.at, is_empty)),
                    None if next == '<' => return None,
                    None if has_quotes && (next == '"' || next == '\'') => quote = Some(next),
                    _ => {}
                }
                is_empty = next == '/' || is_empty && next.is_whitespace();
                next = reader.next()?;
            }
        };
        end(true).or_else(|| end(false))
    }
}

/// A bracket of another kind, or a character of mathematics, as the plain one.
fn folded(letter: char) -> char {
    match letter {
        _ if letter.is_ascii() => letter,
        '‹' | '〈' | '《' | '⟨' | '⟪' | '❮' | '❰' | '˂' | '\u{2329}' => '<',
        '›' | '〉' | '》' | '⟩' | '⟫' | '❯' | '❱' | '˃' | '\u{232a}' => '>',
        '⁄' | '∕' | '⧸' => '/',
        _ => std::iter::once(letter).nfkc().next().unwrap_or(letter),
    }
}
