//! A value with its long strings cut: what a reader of many values wants to see of each. What is kept keeps its
//! order, and numbers keep their spelling.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::scan::{Line, Span};
use serde_json::value::RawValue;

/// How much is kept.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Bytes of a string, as it stands in its line.
    pub string: usize,
    /// Bytes of the whole value, after which no further member is begun.
    pub value: usize,
    /// How deep objects and lists are.
    pub depth: usize,
}

/// The value at `span`, and whether something was cut or left out; none where it is not JSON.
pub fn value(line: Line<'_>, span: &Span, bounds: Bounds) -> Option<(Box<RawValue>, bool)> {
    let mut cutter = Cutter { line, bounds, out: String::new(), cut: false };
    cutter.value(span.start, bounds.depth)?;
    Some((RawValue::from_string(cutter.out).ok()?, cutter.cut))
}

struct Cutter<'a> {
    line: Line<'a>,
    bounds: Bounds,
    out: String,
    cut: bool,
}

impl Cutter<'_> {
    /// Writes the value that begins at `at`; gives where it ends.
    fn value(&mut self, at: usize, depth: usize) -> Option<usize> {
        let line = self.line;
        match line.byte(at)? {
            b'"' => {
                let end = line.skip(at)?;
                let (text, whole) = line.head(&(at..end), self.bounds.string);
                let text = if whole { text } else { format!("{text}…").into() };
                self.cut |= !whole;
                self.out.push_str(&serde_json::to_string(&text).ok()?);
                Some(end)
            }
            open @ (b'{' | b'[') => {
                self.out.push(char::from(open));
                let mut first = true;
                let end = if open == b'{' {
                    line.object(at, |key, at| self.member(Some(key), at, depth, &mut first))?
                } else {
                    line.array(at, |at| self.member(None, at, depth, &mut first))?
                };
                self.out.push(if open == b'{' { '}' } else { ']' });
                Some(end)
            }
            _ => {
                let end = line.skip(at)?;
                self.out.push_str(&line.json(&(at..end)));
                Some(end)
            }
        }
    }

    /// Writes a member of an object or a list, unless it is too deep or there is too much before it.
    fn member(&mut self, key: Option<&[u8]>, at: usize, depth: usize, first: &mut bool) -> Option<usize> {
        let is_inner = matches!(self.line.byte(at), Some(b'{' | b'['));
        let key_bytes = key.map_or(0, <[u8]>::len);
        let full = self.out.len() >= self.bounds.value || key_bytes > self.bounds.string;
        if full || is_inner && depth <= 1 {
            self.cut = true;
            return self.line.skip(at);
        }
        if !std::mem::replace(first, false) {
            self.out.push(',');
        }
        if let Some(key) = key {
            self.out.push_str(&serde_json::to_string(&String::from_utf8_lossy(key)).ok()?);
            self.out.push(':');
        }
        self.value(at, depth.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn cut(text: &str) -> Option<(String, bool)> {
        let line = Line::new(text.as_bytes());
        let (value, cut) = value(line, &(0..text.len()), Bounds { string: 8, value: 60, depth: 3 })?;
        Some((value.get().to_owned(), cut))
    }

    #[test]
    fn a_value_keeps_its_order_and_spelling_and_loses_what_is_long() {
        for [text, wanted, is_cut] in rows(include_str!("cut.tsv")) {
            assert_eq!(cut(&text), Some((wanted, is_cut == "cut")), "{text}");
        }
        // What is structurally whole need not be JSON.
        for text in [r#"{"a":-}"#, r#"{"a":1.e.5}"#, r#"{"a":"#, "tru"] {
            assert_eq!(cut(text), None, "{text}");
        }
    }

    #[test]
    fn a_value_of_any_size_and_depth_is_small() {
        let many = format!("[{}0]", "\"abcd\",".repeat(100_000));
        let (text, is_cut) = cut(&many).unwrap();
        assert!(text.len() < 80 && is_cut, "{text}");
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(cut(&deep), Some(("[[[]]]".to_owned(), true)));
    }
}
