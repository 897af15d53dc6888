//! Reads JSON that has flaws, as language models print it: what is complete is kept, what is not is left
//! out. A trailing or a missing comma, a lone surrogate, an unknown escape, a line break inside a
//! string, a number that no float can hold and a text that is cut off cost at most the value in which
//! they are. Never panics; the time is linear in the text.

use serde_json::{Map, Number, Value};

/// How deep values may be nested: what is deeper counts as a flaw.
const DEPTH: usize = 64;

/// A value and how much of it could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// What could be read. A list lacks the elements that were not complete.
    pub value: Value,
    /// Whether nothing was left out.
    pub whole: bool,
    /// The bytes of the text that it takes.
    pub bytes: usize,
}

/// Reads the value at the beginning of a text; none when no object and no list begins there.
pub fn read(text: &str) -> Option<Read> {
    let mut reader = Reader { text, at: 0 };
    reader.blank();
    if !matches!(reader.peek(), Some(b'{' | b'[')) {
        return None;
    }
    let (value, state) = reader.value(0).ok()?;
    Some(Read { value, whole: state == Soundness::Whole, bytes: reader.at })
}

/// How much of a value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Soundness {
    /// All of it.
    Whole,
    /// It has all of its end, but something in it was left out.
    Mended,
    /// The text ended inside it.
    Cut,
}

/// No value can be read here.
struct Broken;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.skip(usize::from(found));
        found
    }

    /// Goes over white space and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let bare = rest.trim_start();
            let space = rest.len().saturating_sub(bare.len());
            let end = if bare.starts_with("//") || bare.starts_with('#') {
                bare.find('\n').unwrap_or(bare.len())
            } else if bare.starts_with("/*") {
                bare.find("*/").map_or(bare.len(), |end| end.saturating_add(2))
            } else {
                0
            };
            self.skip(space.saturating_add(end));
            if end == 0 {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<(Value, Soundness), Broken> {
        self.blank();
        match self.peek() {
            _ if depth > DEPTH => Err(Broken),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(|(text, state)| (Value::String(text), state)),
            Some(_) => self.word().map(|value| (value, Soundness::Whole)),
            None => Err(Broken),
        }
    }

    /// An object. A member that is cut is kept only where it is a list, for its elements are complete.
    fn object(&mut self, depth: usize) -> Result<(Value, Soundness), Broken> {
        self.skip(1);
        let mut fields = Map::new();
        let mut state = Soundness::Whole;
        loop {
            self.blank();
            while self.takes(b',') {
                self.blank();
            }
            if self.takes(b'}') {
                return Ok((Value::Object(fields), state));
            }
            match self.member(depth) {
                Ok(Some((name, value, read))) => {
                    let cut = read == Soundness::Cut;
                    match (fields.get_mut(&name), value) {
                        // A list that comes in two parts.
                        (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                        (_, value) if !cut || value.is_array() => _ = fields.insert(name, value),
                        _ => {}
                    }
                    if cut {
                        return Ok((Value::Object(fields), Soundness::Cut));
                    }
                    state = if read == Soundness::Whole { state } else { Soundness::Mended };
                }
                Ok(None) => return Ok((Value::Object(fields), Soundness::Cut)),
                // Of the outermost object the members before the flaw are complete.
                Err(Broken) if depth == 0 && !fields.is_empty() => return Ok((Value::Object(fields), Soundness::Cut)),
                Err(Broken) => return Err(Broken),
            }
        }
    }

    /// A member of an object; none at the end of the text.
    fn member(&mut self, depth: usize) -> Result<Option<(String, Value, Soundness)>, Broken> {
        let Some(name) = self.name()? else { return Ok(None) };
        match self.value(depth.saturating_add(1)) {
            Ok((value, state)) => Ok(Some((name, value, state))),
            Err(Broken) if self.rest().trim().is_empty() => Ok(None),
            Err(Broken) => Err(Broken),
        }
    }

    /// A member's name and its colon; none at the end of the text.
    fn name(&mut self) -> Result<Option<String>, Broken> {
        match self.peek() {
            None => return Ok(None),
            Some(b'"') => {}
            Some(_) => return Err(Broken),
        }
        let (name, state) = self.string()?;
        self.blank();
        match (state, self.peek()) {
            (Soundness::Cut, _) | (_, None) => Ok(None),
            (_, Some(b':')) => {
                self.skip(1);
                Ok(Some(name))
            }
            _ => Err(Broken),
        }
    }

    /// A list. An element that is cut or cannot be read is left out, and the next one is looked for.
    fn list(&mut self, depth: usize) -> Result<(Value, Soundness), Broken> {
        self.skip(1);
        let mut values = Vec::new();
        let mut state = Soundness::Whole;
        loop {
            self.blank();
            while self.takes(b',') {
                self.blank();
            }
            if self.takes(b']') {
                return Ok((Value::Array(values), state));
            }
            if self.peek().is_none() {
                return Ok((Value::Array(values), Soundness::Cut));
            }
            if depth > 0 && self.is_at_name() {
                // The list was not closed.
                return Ok((Value::Array(values), Soundness::Mended));
            }
            match self.value(depth.saturating_add(1)) {
                Ok((_, Soundness::Cut)) => return Ok((Value::Array(values), Soundness::Cut)),
                Ok((value, read)) => {
                    state = if read == Soundness::Whole { state } else { Soundness::Mended };
                    values.push(value);
                }
                // Only objects have a border that can be found again.
                Err(Broken) if depth > 1 => return Err(Broken),
                Err(Broken) => {
                    state = Soundness::Mended;
                    self.next_element();
                }
            }
        }
    }

    /// Whether a member's name and its colon come next.
    fn is_at_name(&mut self) -> bool {
        let start = self.at;
        let found = self.peek() == Some(b'"') && self.string().is_ok();
        self.blank();
        let found = found && self.peek() == Some(b':');
        self.at = start;
        found
    }

    /// Goes behind the next brace that a comma and an object, or the end of the list, follow.
    fn next_element(&mut self) {
        while let Some(found) = self.rest().find('}') {
            self.skip(found.saturating_add(1));
            let behind = self.rest().trim_start();
            let next = behind.strip_prefix(',').map(str::trim_start);
            if behind.starts_with(']') || next.is_some_and(|next| next.starts_with('{')) {
                return;
            }
        }
        self.at = self.text.len();
    }

    fn string(&mut self) -> Result<(String, Soundness), Broken> {
        self.skip(1);
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(end) = rest.find(['"', '\\']) else {
                self.at = self.text.len();
                return Ok((out, Soundness::Cut));
            };
            out.push_str(rest.get(..end).unwrap_or_default());
            let quote = rest.as_bytes().get(end) == Some(&b'"');
            self.skip(end.saturating_add(1));
            if quote {
                return Ok((out, Soundness::Whole));
            }
            match self.escape() {
                Some(letter) => out.push(letter),
                None => return Ok((out, Soundness::Cut)),
            }
        }
    }

    /// The character behind a backslash; one that stands for nothing is itself, half a pair is U+FFFD.
    fn escape(&mut self) -> Option<char> {
        let letter = self.rest().chars().next()?;
        self.skip(letter.len_utf8());
        Some(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return Some(self.unit().map_or('\u{fffd}', |unit| self.pair(unit))),
            other => other,
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let unit = u32::from_str_radix(digits, 16).ok();
        self.skip(4);
        unit
    }

    fn pair(&mut self, high: u32) -> char {
        let start = self.at;
        if (0xd800..0xdc00).contains(&high) && self.rest().starts_with("\\u") {
            self.skip(2);
            let low = self.unit().filter(|low| (0xdc00..0xe000).contains(low));
            let whole = low.map(|low| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            if let Some(letter) = whole.and_then(char::from_u32) {
                return letter;
            }
            self.at = start;
        }
        char::from_u32(high).unwrap_or('\u{fffd}')
    }

    /// A number or a word without quotation marks. What is neither is null where it looks like one word.
    fn word(&mut self) -> Result<Value, Broken> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_owned();
        self.skip(word.len());
        match word.as_str() {
            "" => Err(Broken),
            "true" | "True" => Ok(Value::Bool(true)),
            "false" | "False" => Ok(Value::Bool(false)),
            other => Ok(other.parse::<Number>().map_or(Value::Null, Value::Number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sound_json_is_read_as_serde_reads_it() {
        for text in [
            r#"{"a":[1,-2.5e3,true,false,null,"x \"y\" \\ \n \u00e9 \ud83d\ude00"],"b":{"c":[]},"d":{}}"#,
            "[]",
            "  [ { } , [ [ 1 ] ] ]",
        ] {
            let read = read(text).unwrap();
            assert_eq!((read.value, read.whole), (serde_json::from_str::<Value>(text).unwrap(), true), "{text}");
            assert_eq!(read.bytes, text.len());
        }
    }

    #[test]
    fn a_flaw_costs_the_value_in_which_it_is() {
        for (text, wanted, whole) in [
            (r#"{"a":[{"s":1},{"s":2},],}"#, json!({"a": [{"s": 1}, {"s": 2}]}), true),
            (r#"{"a":[{"s":1}{"s":2}] "b":[]}"#, json!({"a": [{"s": 1}, {"s": 2}], "b": []}), true),
            (r#"{"a":"x \ud800 y \udc00"}"#, json!({"a": "x \u{fffd} y \u{fffd}"}), true),
            (r#"{"a":"\ud800\u0041 \uzz \' \_"}"#, json!({"a": "\u{fffd}A \u{fffd}zz ' _"}), true),
            (r#"{"a":1e400,"b":NaN,"c":None,"d":True}"#, json!({"a": null, "b": null, "c": null, "d": true}), true),
            ("{\"a\":\"one\ntwo\"}", json!({"a": "one\ntwo"}), true),
            (r#"{"a":[{"s":1},{"s":"say "hi" now"},{"s":3}]}"#, json!({"a": [{"s": 1}, {"s": 3}]}), false),
            (r#"{"a":[{"s":1},{"s":2,"t":["x"#, json!({"a": [{"s": 1}]}), false),
            (r#"{"a":[{"s":1}],"b":[{"s":"x"#, json!({"a": [{"s": 1}], "b": []}), false),
            (r#"{"a":[{"s":1}],"b"#, json!({"a": [{"s": 1}]}), false),
            (r#"{"a":[{"s":1}],"b":"#, json!({"a": [{"s": 1}]}), false),
            (r#"{"a":["one","tw"#, json!({"a": ["one"]}), false),
            (r#"{"a":[{"s":1}],b:[]}"#, json!({"a": [{"s": 1}]}), false),
            ("{\"a\":[1,2],\n// b\n\"b\":[3] /* c */, # d\n\"c\":[4]}", json!({"a": [1, 2], "b": [3], "c": [4]}), true),
            (r#"{"a":[{"s":1}],"a":[{"s":2}]}"#, json!({"a": [{"s": 1}, {"s": 2}]}), true),
            (r#"{"a":[{"s":1},"b":["x"]}"#, json!({"a": [{"s": 1}], "b": ["x"]}), false),
            ("{", json!({}), false),
        ] {
            let read = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.value, read.whole), (wanted, whole), "{text}");
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
