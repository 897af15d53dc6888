//! A walk over the JSON of one line that builds nothing: it finds where values begin and end, and
//! decodes the few strings that are asked for. A value that is skipped is checked to be structurally
//! complete (strings closed, brackets in balance, each closed by its kind for 64 levels, no backslash
//! outside of strings), no more; what else is wrong inside it goes unnoticed. Nothing recurses, so depth
//! costs nothing.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::kernel;
use super::lines::whole;
use memchr::memchr;
use std::borrow::Cow;
use std::ops::Range;

/// Where a value is in its line, a string with its quotation marks.
pub type Span = Range<usize>;

/// One line and the walks over it.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    bytes: &'a [u8],
}

impl<'a> Line<'a> {
    /// A line, with or without its newline.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The byte at `at`.
    pub fn byte(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The first place from `at` on that is not white space.
    pub fn blank(self, mut at: usize) -> usize {
        while matches!(self.byte(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            at = at.saturating_add(1);
        }
        at
    }

    /// Walks the object that begins at `at`: `member` gets each key with the place of its value and
    /// says where the value ends. Returns where the object ends; none when it is not whole.
    pub fn object(self, at: usize, mut member: impl FnMut(&[u8], usize) -> Option<usize>) -> Option<usize> {
        let mut at = self.blank(self.expect(at, b'{')?);
        if self.byte(at)? == b'}' {
            return at.checked_add(1);
        }
        loop {
            let text = self.expect(at, b'"')?;
            let short = kernel::short_string(self.bytes, text);
            let end = short.or_else(|| kernel::string(self.bytes, text))?;
            let colon = self.blank(end);
            let value = self.blank(self.expect(colon, b':')?);
            let raw = self.inner(&(at..end));
            let value_end = if short.is_none() && raw.contains(&b'\\') {
                member(self.text(&(at..end)).as_bytes(), value)?
            } else {
                member(raw, value)?
            };
            at = self.blank(value_end);
            match self.byte(at)? {
                b',' => at = self.blank(at.checked_add(1)?),
                b'}' => return at.checked_add(1),
                _ => return None,
            }
        }
    }

    /// Walks the array that begins at `at`; as [`Line::object`], without keys.
    pub fn array(self, at: usize, mut element: impl FnMut(usize) -> Option<usize>) -> Option<usize> {
        let mut at = self.blank(self.expect(at, b'[')?);
        if self.byte(at)? == b']' {
            return at.checked_add(1);
        }
        loop {
            at = self.blank(element(at)?);
            match self.byte(at)? {
                b',' => at = self.blank(at.checked_add(1)?),
                b']' => return at.checked_add(1),
                _ => return None,
            }
        }
    }

    /// The end of the value that begins at `at`, whatever it is.
    pub fn skip(self, at: usize) -> Option<usize> {
        match self.byte(at)? {
            b'"' => {
                let text = at.checked_add(1)?;
                kernel::short_string(self.bytes, text).or_else(|| kernel::string(self.bytes, text))
            }
            b'{' | b'[' => kernel::container(self.bytes, at),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                let rest = self.bytes.get(at..)?;
                let length =
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
                let word = rest.get(..length)?;
                let known =
                    matches!(word, b"true" | b"false" | b"null") || matches!(word.first(), Some(b'-' | b'0'..=b'9'));
                known.then(|| at.checked_add(length)).flatten()
            }
            _ => None,
        }
    }

    fn expect(self, at: usize, byte: u8) -> Option<usize> {
        (self.byte(at)? == byte).then(|| at.checked_add(1)).flatten()
    }

    /// A string's bytes as they are meant, escapes resolved; "" for any other value.
    pub fn word(self, span: &Span) -> Cow<'a, [u8]> {
        match self.raw(span) {
            raw if memchr(b'\\', raw).is_some() => Cow::Owned(unescaped(raw).into_bytes()),
            raw => Cow::Borrowed(raw),
        }
    }

    /// A string's bytes as they stand; "" for any other value.
    fn raw(self, span: &Span) -> &'a [u8] {
        if self.byte(span.start) == Some(b'"') { self.inner(span) } else { b"" }
    }

    /// The last bytes of a string as they stand, escapes too; "" for any other value.
    pub fn tail(self, span: &Span, bytes: usize) -> &'a [u8] {
        let raw = self.raw(span);
        raw.get(raw.len().saturating_sub(bytes)..).unwrap_or_default()
    }

    /// The text of a string of which at most so many bytes are read, and whether that is all of it.
    pub fn head(self, span: &Span, bytes: usize) -> (Cow<'a, str>, bool) {
        let raw = self.raw(span);
        match raw.get(..bytes).filter(|head| head.len() < raw.len()) {
            None => (self.text(span), true),
            Some(head) => (self.text(&(span.start..span.start.saturating_add(2).saturating_add(whole(head)))), false),
        }
    }

    /// What stands between the quotation marks of a string.
    fn inner(self, span: &Span) -> &'a [u8] {
        let inner = span.start.saturating_add(1)..span.end.saturating_sub(1);
        self.bytes.get(inner).unwrap_or_default()
    }

    /// Whether the value is `true`.
    pub fn is_true(self, span: &Span) -> bool {
        self.bytes.get(span.clone()) == Some(b"true".as_slice())
    }

    /// A value as it stands.
    pub fn json(self, span: &Span) -> String {
        String::from_utf8_lossy(self.bytes.get(span.clone()).unwrap_or_default()).into_owned()
    }

    /// A string's text; "" for any other value. Bytes that are not UTF-8 and lone surrogates become
    /// U+FFFD.
    pub fn text(self, span: &Span) -> Cow<'a, str> {
        let raw = self.raw(span);
        if memchr(b'\\', raw).is_some() {
            return Cow::Owned(unescaped(raw));
        }
        // The lossy way is slow, and nearly all is UTF-8.
        std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed)
    }
}

fn unescaped(raw: &[u8]) -> String {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, escape)) = memchr(b'\\', rest).and_then(|at| rest.split_at_checked(at)) {
        out.extend_from_slice(before);
        let (letter, behind) = match escape {
            [_, b'u', hex @ ..] => code_point(hex),
            [_, short, behind @ ..] if short.is_ascii() => (plain_escape(*short), behind),
            // Only the backslash is too much.
            [_, behind @ ..] if !behind.is_empty() => {
                rest = behind;
                continue;
            }
            _ => ('\u{fffd}', &[][..]),
        };
        let mut buffer = [0; 4];
        out.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
        rest = behind;
    }
    out.extend_from_slice(rest);
    String::from_utf8(out).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())
}

fn plain_escape(letter: u8) -> char {
    match letter {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        other => char::from(other),
    }
}

/// The character whose code is at the head of `hex`, a surrogate pair read as one; and the rest.
fn code_point(hex: &[u8]) -> (char, &[u8]) {
    let Some((first, rest)) = unit(hex) else { return ('\u{fffd}', hex) };
    if (0xd800..0xdc00).contains(&first)
        && let [b'\\', b'u', low @ ..] = rest
        && let Some((second, behind)) = unit(low)
        && (0xdc00..0xe000).contains(&second)
    {
        let high = (first & 0x3ff) << 10;
        let code = 0x10000_u32.saturating_add(high | (second & 0x3ff));
        return (char::from_u32(code).unwrap_or('\u{fffd}'), behind);
    }
    (char::from_u32(first).unwrap_or('\u{fffd}'), rest)
}

fn unit(hex: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = hex.split_at_checked(4)?;
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(text, 16).ok()?, rest))
}
