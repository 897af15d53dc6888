//! Front matter: the `key: value` lines between two `---` lines at the head of a markdown file.
//! Reading is tolerant and never fails, since people write these files too; what is written any
//! YAML reader accepts.

use crate::base::exit::Failure;
use crate::base::file;
use std::fmt::Write as _;
use std::path::Path;

/// Front matter is looked for in this many bytes.
const HEAD_BYTES: usize = 256 * 1024;
/// What is read of a file for it, first and then: nearly all heads are in the first part.
const READS: [usize; 2] = [4 * 1024, HEAD_BYTES];

/// What is at the head of a markdown file, and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Plain keys with their values, quotes taken off, in order; one below another key is `above.key`, and of a text
    /// over several lines the lines are joined by blanks.
    pub fields: Vec<(String, String)>,
    /// Everything behind the closing line.
    pub body: String,
}

impl FrontMatter {
    /// Reads a file's text; without front matter everything is body.
    pub fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match scan(text) {
            (fields, Some(end)) => Self { fields, body: text.get(end..).unwrap_or_default().to_owned() },
            (_, None) => Self { fields: Vec::new(), body: text.to_owned() },
        }
    }

    /// The front matter of a file, without the body: the one reader for all who want only that. Of front
    /// matter that does not end within [`HEAD_BYTES`] the whole lines before count. No field where there is
    /// no file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let mut fields = Vec::new();
        for limit in READS {
            let text = file::read_head(path, u64::try_from(limit).unwrap_or(u64::MAX))?;
            let cut = text.len() >= limit;
            let end = if cut { text.rfind('\n').map_or(text.len(), |end| end + 1) } else { text.len() };
            let whole_lines = text.get(..end).unwrap_or(&text).trim_start_matches('\u{feff}');
            let (found, end) = scan(whole_lines);
            fields = if cut || end.is_some() { found } else { Vec::new() };
            if !cut || end.is_some() || !whole_lines.starts_with("---") {
                break;
            }
        }
        Ok(Self { fields, body: String::new() })
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// The fields at the head of a text, and where the body begins; none where the head has no end.
fn scan(text: &str) -> (Vec<(String, String)>, Option<usize>) {
    let mut fields: Vec<(String, String)> = Vec::new();
    // The key at the margin whose value is on the lines behind it.
    let mut above: Option<(String, bool)> = None;
    let mut at = 0_usize;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        at += line.len();
        let line = line.trim_end();
        let bare = line.trim_start();
        match (number, line) {
            (0, "---") => {}
            (0, _) => break,
            (_, "---") => return (fields, Some(at)),
            _ if at > HEAD_BYTES => break,
            _ if bare.len() < line.len() => match &above {
                Some((_, true)) => push_line(&mut fields, bare),
                Some((key, false)) => fields.extend(pair(bare).map(|(name, value)| (format!("{key}.{name}"), value))),
                None => {}
            },
            _ => {
                let found = pair(line);
                // As it is written: in quotation marks it is a text.
                let raw = line.split_once(':').map_or("", |(_, value)| value.trim());
                above = found.as_ref().and_then(|(key, _)| match raw {
                    "" => Some((key.clone(), false)),
                    ">" | ">-" | ">+" | "|" | "|-" | "|+" => Some((key.clone(), true)),
                    _ => None,
                });
                let block = above.as_ref().is_some_and(|(_, block)| *block);
                fields.extend(found.map(|(key, value)| (key, if block { String::new() } else { value })));
            }
        }
    }
    (fields, None)
}

/// Adds a line of a text that goes over several lines to the last value.
fn push_line(fields: &mut [(String, String)], line: &str) {
    let Some((_, value)) = fields.last_mut() else { return };
    if !value.is_empty() {
        value.push(' ');
    }
    value.push_str(line);
}

fn pair(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    plain.then(|| (key.to_owned(), unquoted(value.trim())))
}

fn unquoted(value: &str) -> String {
    if let Some(rest) = value.strip_prefix('"') {
        // Others put the marks around any text, also around a word that is in quotation marks already.
        return serde_json::from_str(value).unwrap_or_else(|_| rest.strip_suffix('"').unwrap_or(rest).to_owned());
    }
    match value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => value.to_owned(),
    }
}

/// A string as a YAML scalar: JSON's form, with what YAML does not take raw escaped. A character
/// outside the basic plane stays as it is, for most YAML readers refuse surrogate pairs.
pub fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
    out
}

/// A string as a YAML scalar without quotation marks where it needs none.
pub fn plain(text: &str) -> String {
    let safe = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    let count = |sign: char| text.matches(sign).count();
    // A name or a path, a UUID, a version of three parts: never a number, a date or a flag.
    let uuid = text.len() > 20 && count('-') > 2;
    let version = count('.') == 2 && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let letter = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') || uuid || version;
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if safe && letter && !word { text.to_owned() } else { quoted(text) }
}

/// Strings as a YAML list on one line.
pub fn quoted_list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn what_people_write_is_read_and_an_unclosed_head_is_body() {
        for [page, key, wanted] in rows(include_str!("front_matter.tsv")) {
            let front = FrontMatter::parse(&page);
            let found = if key == "body of it" { Some(front.body.as_str()) } else { front.get(&key) };
            assert_eq!(found.unwrap_or("none"), wanted, "{page:?}: {key}");
        }
        assert_eq!(FrontMatter::parse("# no head\n").fields, []);
    }

    /// One reader: what a head of this size says does not depend on who asks.
    #[test]
    fn a_head_of_any_length_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        for tools in [0, 1, 70, 250, 900, 20_000] {
            let names: Vec<String> = (0..tools).map(|number| format!("\"mcp__server__tool_{number}\": 1")).collect();
            let list = names.join(", ");
            for (newest, ending) in [("", "---\n\n# x\n"), ("\u{feff}", "---"), ("", "---\r\n")] {
                let text = format!("{newest}---\nsession_id: aaaa-1\ntools: {{{list}}}\nsource_size: 7\n{ending}");
                std::fs::write(&path, &text).unwrap();
                let front = FrontMatter::read(&path).unwrap();
                assert_eq!(front.get("session_id"), Some("aaaa-1"), "{tools}");
                // What is behind the limit is not known; what is cut is not taken for a value.
                let known = text.len() < HEAD_BYTES;
                assert_eq!(front.get("source_size"), known.then_some("7"), "{tools}");
                assert_eq!(front.get("tools").is_some(), known, "{tools}");
            }
        }
        for (text, fields) in [("---\ntitle: x\n", 0), ("title: x\n---\n", 0), ("---\ntitle: x\n---", 1), ("", 0)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(FrontMatter::read(&path).unwrap().fields.len(), fields, "{text:?}");
        }
        std::fs::write(&path, format!("x\n{}", "a: b\n".repeat(100_000))).unwrap();
        assert_eq!(FrontMatter::read(&path).unwrap(), FrontMatter::default());
        assert_eq!(FrontMatter::read(&folder.path().join("none")).unwrap(), FrontMatter::default());
    }

    #[test]
    fn awkward_strings_come_back() {
        for text in
            [">-", "|", "", "a: b", "@x", "\"q\" \\ 'r'", "🎉 \u{85}\u{2028}\u{feff}", "#no comment", "- no list"]
        {
            let front = FrontMatter::parse(&format!("---\ntitle: {}\n---\n", quoted(text)));
            assert_eq!(front.get("title"), Some(text));
        }
    }
}
