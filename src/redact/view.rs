//! A text as its rules read it: without colour codes and invisible signs, with `%2F` and `\u002f`
//! as what they mean. Each byte of it knows where it is in the text.

use crate::base::text;
use std::borrow::Cow;

/// The longest colour code or terminal order that is left out.
const ORDER_BYTES: usize = 64;

/// The most backslashes before what they escape: JSON in JSON, eight deep.
const MOST_SLASHES: usize = 256;

/// How a page of the web writes signs by their name.
const ENTITIES: &[(&str, char)] = &[
    ("quot", '"'),
    ("apos", '\''),
    ("lt", '<'),
    ("gt", '>'),
    ("nbsp", ' '),
    ("sol", '/'),
    ("lang", '<'),
    ("rang", '>'),
    ("lsaquo", '<'),
    ("rsaquo", '>'),
    ("lbrack", '['),
    ("rbrack", ']'),
    ("lsqb", '['),
    ("rsqb", ']'),
];

/// Tokens that begin as the escape of a line break does.
const IN_PATHS: &str =
    "npm_ ntn_ nvapi- nfp_ napi_ npg_ r8_ rk_ rnd_ rubygems_ re_ rzp_ rdme_ tskey- tvly- tgp_ tfp_ tk-us-";

/// The text that is read, and how its places go back.
pub struct View<'a> {
    pub text: Cow<'a, [u8]>,
    /// Where a part of the view begins: its place here, its place there, and how many bytes its first byte
    /// is there. In order.
    parts: Vec<ViewPart>,
}

#[derive(Clone, Copy)]
struct ViewPart {
    here: usize,
    there: usize,
    first: usize,
}

/// What a place of the text means, nothing where it is left out, and how many bytes say so.
type Unit = (Option<char>, usize);

impl<'a> View<'a> {
    /// The view of a text; the text itself when nothing in it is disguised.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut view = Vec::new();
        let mut parts = Vec::new();
        let (mut at, mut done) = (0_usize, 0_usize);
        while let Some(step) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| is_mark(*byte))) {
            at += step;
            let rest = bytes.get(at..).unwrap_or_default();
            let Some((letter, length)) = unit(rest) else {
                // All backslashes at once: what follows them decides.
                at += slashes(rest).max(1);
                continue;
            };
            let plain = bytes.get(done..at).unwrap_or_default();
            parts.push(ViewPart { here: view.len(), there: done, first: 1 });
            view.extend_from_slice(plain);
            let mut room = [0; 4];
            for byte in letter.map_or(&[][..], |letter| letter.encode_utf8(&mut room).as_bytes()) {
                parts.push(ViewPart { here: view.len(), there: at, first: length });
                view.push(*byte);
            }
            at += length;
            done = at;
        }
        if parts.is_empty() {
            return Self { text: Cow::Borrowed(bytes), parts };
        }
        parts.push(ViewPart { here: view.len(), there: done, first: 1 });
        view.extend_from_slice(bytes.get(done..).unwrap_or_default());
        // A part without bytes has the same place here as the next one, which counts.
        parts.reverse();
        parts.dedup_by_key(|part| part.here);
        parts.reverse();
        Self { text: Cow::Owned(view), parts }
    }

    /// The place in the text of the byte here, and how many bytes it is there.
    fn there(&self, here: usize) -> (usize, usize) {
        let behind = self.parts.partition_point(|part| part.here <= here);
        match behind.checked_sub(1).and_then(|at| self.parts.get(at)) {
            Some(part) if part.here == here => (part.there, part.first),
            Some(part) => {
                let inner = here.saturating_sub(part.here).saturating_sub(1);
                (part.there + part.first + inner, 1)
            }
            None => (here, 1),
        }
    }

    /// The range in the text of a range here that is not empty.
    pub fn range(&self, start: usize, end: usize) -> (usize, usize) {
        if self.parts.is_empty() {
            return (start, end);
        }
        let (last, length) = self.there(end.saturating_sub(1).max(start));
        (self.there(start).0, last + length)
    }
}

/// Can a disguise begin with this byte?
fn is_mark(byte: u8) -> bool {
    matches!(byte, 0x1b | b'\\' | b'%' | b'&' | 0xc2 | 0xcd | 0xe1 | 0xe2 | 0xef)
}

fn slashes(rest: &[u8]) -> usize {
    rest.iter().take(MOST_SLASHES).take_while(|byte| **byte == b'\\').count()
}

/// What is disguised here; None where a byte is only itself.
pub fn unit(rest: &[u8]) -> Option<Unit> {
    match rest.first()? {
        0x1b => Some((None, order(rest.get(1..)?) + 1)),
        b'%' => Some((Some(plain(hex(rest.get(1..3)?)?)?), 3)),
        b'\\' => escape(rest),
        b'&' => entity(rest),
        _ => wide(rest),
    }
}

/// The sign or the line break of a code.
fn plain(code: u32) -> Option<char> {
    char::from_u32(code).filter(|letter| matches!(letter, '\n' | '\r' | ' '..='~'))
}

/// `&#43;`, `&#x2B;`, `&lt;`, `&amp;lt;`; the two brackets also without their semicolon.
fn entity(rest: &[u8]) -> Option<Unit> {
    let mut start = 1;
    while rest[start..].get(..4).is_some_and(|amp| amp.eq_ignore_ascii_case(b"amp;")) {
        start += 4;
    }
    let behind = &rest[start..];
    let length = behind.iter().take(10).position(|byte| *byte == b';');
    let name = std::str::from_utf8(&behind[..length.unwrap_or(2).min(behind.len())]).unwrap_or("");
    let end = start + name.len() + usize::from(length.is_some());
    if let Some(digits) = name.strip_prefix('#').filter(|_| length.is_some()) {
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => hex(digits.as_bytes())?,
            None => digits.parse().ok()?,
        };
        return meant(code, end).or_else(|| Some((Some(plain(code)?), end)));
    }
    let bracket = behind.get(..2).and_then(|name| std::str::from_utf8(name).ok());
    let named =
        |name: &str| ENTITIES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, sign)| Some(*sign));
    let amp = || (start > 1).then_some((Some('&'), start));
    named(name).map(|sign| (sign, end)).or_else(|| Some((named(bracket?)?, start + 2))).or_else(amp)
}

/// Whether a token begins here, which has a sign near its beginning.
fn is_token_in_path(behind: &[u8]) -> bool {
    behind.iter().take(9).any(|byte| b"_-".contains(byte))
        && IN_PATHS.split(' ').any(|token| behind.starts_with(token.as_bytes()))
}

/// `\u001b[31m`, `\x1b[0m`, `\033[1m`, `\e[m`, `\u200b`, `\u{3c}`, `\/`; before them any number of backslashes,
/// as in JSON inside JSON.
fn escape(rest: &[u8]) -> Option<Unit> {
    let slashes = slashes(rest);
    let behind = rest.get(slashes..)?;
    let (code, length) = match behind.first()? {
        // A line that goes on with the next one, as in a shell; in JSON each of its two signs has its own backslashes.
        b'\n' if slashes == 1 => return Some((None, 2)),
        b'\r' if slashes == 1 && behind.starts_with(b"\r\n") => return Some((None, 3)),
        b'n' if slashes.is_multiple_of(3) => return Some((None, slashes + 1)),
        // As in markdown.
        b'_' | b'-' | b'.' | b'~' | b'*' => return Some((None, slashes)),
        sign @ (b'/' | b'"' | b'\'' | b'<' | b'>' | b'[' | b']') => {
            return Some((Some(char::from(*sign)), slashes + 1));
        }
        // A line break, unless it is a token in a path: `C:\npm_…`.
        b'n' | b'r' | b't' if !is_token_in_path(behind) => {
            let letter = if behind.first() == Some(&b't') { '\t' } else { '\n' };
            return Some((Some(letter), slashes + 1));
        }
        b'u' | b'U' if behind.get(1) == Some(&b'{') => {
            let digits =
                behind[2..].split(|byte| *byte == b'}').next().filter(|digits| (1..=6).contains(&digits.len()))?;
            (hex(digits)?, digits.len() + 3)
        }
        b'u' | b'U' => (hex(behind.get(1..5)?)?, 5),
        b'x' => (hex(behind.get(1..3)?).filter(|code| matches!(code, 0x1b | 0x2f | 0x3c | 0x3e))?, 3),
        b'0' if behind.starts_with(b"033") => (0x1b, 3),
        b'0' if behind.starts_with(b"074") => (0x3c, 3),
        b'0' if behind.starts_with(b"076") => (0x3e, 3),
        b'e' => (0x1b, 1),
        _ => return None,
    };
    let length = slashes + length;
    let written = || char::from_u32(code).filter(|_| code >= 0xa0).map(|letter| (Some(letter), length));
    match code {
        0x1b => Some((None, length + colour(rest.get(length..)?)?)),
        0x21..=0x7e if code != u32::from(b'\\') => Some((char::from_u32(code), length)),
        _ => meant(code, length).or_else(written),
    }
}

/// The length of what follows an escape sign: a colour code, a title, a link, one sign.
fn order(rest: &[u8]) -> usize {
    let until = |end: &dyn Fn(&u8) -> bool| rest.iter().skip(1).take(ORDER_BYTES).position(end);
    match rest.first() {
        Some(b'[') => until(&|byte| matches!(byte, 0x40..=0x7e)).map_or(1, |at| at + 2),
        // What a title or a link says (`]`) is text.
        Some(0x20..=0x7e) => 1,
        _ => 0,
    }
}

/// The length of a colour code without its escape sign.
fn colour(rest: &[u8]) -> Option<usize> {
    let rest = rest.strip_prefix(b"[")?;
    let end = rest.iter().take(ORDER_BYTES).position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    rest.get(end).filter(|byte| byte.is_ascii_alphabetic()).map(|_| end + 2)
}

/// A character that is invisible, or one of full width.
fn wide(rest: &[u8]) -> Option<Unit> {
    let length = match rest.first()? {
        ..0xe0 => 2,
        ..0xf0 => 3,
        _ => 4,
    };
    let letter = std::str::from_utf8(rest.get(..length)?).ok()?.chars().next()?;
    meant(u32::from(letter), length)
}

/// What is meant by a character that is invisible, of full width, or drawn in another way: a quotation mark, the upright
/// line of a table, a blank.
fn meant(code: u32, length: usize) -> Option<Unit> {
    let letter = match code {
        0xff01..=0xff5e => char::from_u32(code - 0xfee0),
        0xab | 0xbb | 0x201c..=0x201f => Some('"'),
        0x2018..=0x201b => Some('\''),
        0x2502 | 0x2503 | 0x2551 => Some('|'),
        0xa0 | 0x202f => Some(' '),
        _ if char::from_u32(code).is_some_and(is_invisible) => None,
        _ => return None,
    };
    Some((letter, length))
}

/// Characters of no width, also those that a script or an emoji needs.
fn is_invisible(letter: char) -> bool {
    text::is_invisible(letter) || matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// The value of hex digits.
pub fn hex(digits: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    digits.iter().try_fold(0_u32, |value, byte| Some(value.wrapping_mul(16).wrapping_add(digit(byte)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_leaves_out_and_goes_back() {
        let text = "a\x1b[31mb\u{200b}c%2Fd\\u003de\\/f\\\\u001b[0mg";
        let view = View::new(text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&view.text), "abc/d=e/fg");
        let back = |start, end| {
            let (start, end) = view.range(start, end);
            &text[start..end]
        };
        assert_eq!((back(1, 2), back(1, 3), back(3, 4)), ("b", "b\u{200b}c", "%2F"));
        assert_eq!((back(5, 6), back(7, 8), back(9, 10), back(0, 1)), ("\\u003d", "\\/", "g", "a"));
        assert!(matches!(View::new(b"plain \\d %d text").text, Cow::Borrowed(_)));
        assert!(matches!(View::new("ñ … – é".as_bytes()).text, Cow::Borrowed(_)));
    }
}
