//! Reads JSON that has flaws, as language models print it: what is complete is kept, what is not is left
//! out. A trailing or a missing comma, a lone surrogate, an unknown escape, a line break inside a
//! string, a number that no float can hold and a text that is cut off cost at most the value in which
//! they are. Never panics; the time is linear in the text.

use super::scan::Line;
use serde_json::{Map, Number, Value};

/// How deep values may be nested: what is deeper counts as a flaw.
const DEPTH: usize = 64;

/// A value and how much of it could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct FlawedValue {
    /// What could be read. A list lacks the elements that were not complete.
    pub value: Value,
    /// Whether nothing was left out.
    pub whole: bool,
    /// The bytes of the text that it takes.
    pub bytes: usize,
}

/// Reads the value at the beginning of a text; none when no object and no list begins there.
pub fn read(text: &str) -> Option<FlawedValue> {
    let mut reader = FlawedReader { text, at: 0, is_whole: true, is_cut: false };
    reader.blank();
    if !matches!(reader.peek(), Some(b'{' | b'[')) {
        return None;
    }
    let value = reader.value(0)?;
    Some(FlawedValue { value, whole: reader.is_whole && !reader.is_cut, bytes: reader.at })
}

/// A function that reads a value gives none where no value can be read, or the text ends before it is complete.
struct FlawedReader<'a> {
    text: &'a str,
    at: usize,
    /// Nothing was left out so far.
    is_whole: bool,
    /// The text ended inside a value.
    is_cut: bool,
}

impl FlawedReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn blank(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Goes over what is between two values of a list or an object, and over this bracket, if it closes it.
    fn closes(&mut self, bracket: u8) -> bool {
        self.blank();
        while self.takes(b',') {
            self.blank();
        }
        self.takes(bracket)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blank();
        match self.peek() {
            _ if depth > DEPTH => None,
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Value::String),
            Some(_) => self.word(),
            None => {
                self.is_cut = true;
                None
            }
        }
    }

    /// An object. A member that is cut is kept only where it is a list, for its elements are complete.
    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut fields = Map::new();
        while !self.is_cut && !self.closes(b'}') {
            match self.member(depth) {
                Some((name, Value::Array(more))) => match fields.get_mut(&name) {
                    // A list that comes in two parts.
                    Some(Value::Array(known)) => known.extend(more),
                    _ => _ = fields.insert(name, Value::Array(more)),
                },
                Some((name, value)) if !self.is_cut => _ = fields.insert(name, value),
                _ if self.is_cut => {}
                // Of the outermost object the members before the flaw are complete.
                _ if depth == 0 && !fields.is_empty() => self.is_cut = true,
                _ => return None,
            }
        }
        Some(Value::Object(fields))
    }

    fn member(&mut self, depth: usize) -> Option<(String, Value)> {
        let name = match self.peek() {
            Some(b'"') => self.string()?,
            byte => {
                self.is_cut |= byte.is_none();
                return None;
            }
        };
        self.blank();
        self.is_cut |= self.peek().is_none();
        if self.takes(b':') { Some((name, self.value(depth + 1)?)) } else { None }
    }

    /// A list. An element that is cut or cannot be read is left out, and the next one is looked for.
    fn list(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut values = Vec::new();
        while !self.closes(b']') {
            let start = self.at;
            let value = self.value(depth + 1);
            self.blank();
            match value {
                _ if self.is_cut => break,
                // Before a name the list was not closed.
                Some(Value::String(_)) if depth > 0 && self.peek() == Some(b':') => {
                    (self.at, self.is_whole) = (start, false);
                    break;
                }
                Some(value) => values.push(value),
                // Only objects have a border that can be found again.
                None if depth > 1 => return None,
                None => self.next_element(),
            }
        }
        Some(Value::Array(values))
    }

    /// Goes behind the next brace that a comma and an object, or the end of the list, follow.
    fn next_element(&mut self) {
        self.is_whole = false;
        while let Some(found) = self.rest().find('}') {
            self.at += found + 1;
            let behind = self.rest().trim_start();
            let next = behind.strip_prefix(',').map(str::trim_start);
            if behind.starts_with(']') || next.is_some_and(|next| next.starts_with('{')) {
                return;
            }
        }
        self.at = self.text.len();
    }

    fn string(&mut self) -> Option<String> {
        let line = Line::new(self.text.as_bytes());
        let start = self.at;
        let end = line.skip(start);
        self.is_cut |= end.is_none();
        self.at = end.unwrap_or(self.text.len());
        end.map(|end| line.text(&(start..end)).into_owned())
    }

    /// A number or a word without quotation marks. What is neither is null where it looks like one word.
    fn word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        match word {
            "" => None,
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            other => Some(other.parse::<Number>().map_or(Value::Null, Value::Number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn a_flaw_costs_the_value_in_which_it_is_and_sound_json_nothing() {
        for [text, wanted, whole] in rows(include_str!("flawed.tsv")) {
            let read = read(&text).unwrap_or_else(|| panic!("{text}"));
            let wanted: Value = serde_json::from_str(&wanted).unwrap();
            assert_eq!((read.value, read.whole), (wanted, whole != "in part"), "{text}");
            assert!(whole != "sound" || read.bytes == text.len(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_none() {
        for text in ["", "x", "\"x\"", "7", "{x}", "{{}}", "{\"a\" 1}"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_none_or(|read| !read.whole));
        assert!(read(&"{\"a\":".repeat(100_000)).is_none_or(|read| !read.whole));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
        #[test]
        fn whatever_is_cut_is_a_part_of_the_whole(cut in 0_usize..120, junk in ".{0,6}") {
            let whole = r#"{"decisions":[{"summary":"one ñ","tags":["a","b"]},{"summary":"two"}],"handoff":["x","y"]}"#;
            let cut = whole.get(..cut.min(whole.len())).unwrap_or(whole);
            let _ = read(&format!("{cut}{junk}"));
            let known: Value = serde_json::from_str(whole).unwrap();
            for list in ["decisions", "handoff"] {
                let found = read(cut).map(|read| read.value[list].clone()).unwrap_or_default();
                let all = known[list].as_array().unwrap();
                proptest::prop_assert!(found.as_array().into_iter().flatten().zip(all).all(|(a, b)| a == b));
            }
        }
    }
}
