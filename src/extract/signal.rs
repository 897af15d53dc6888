//! How sessions say what they say: patterns that are looked for in a sentence. Those of the languages are
//! data, a file for each language; one more language is one more file in this table.

use regex::Regex;
use std::sync::OnceLock;

/// The words of each language: headings in brackets, below them a pattern a line; `#` begins a comment.
const LANGUAGES: &[&str] = &[include_str!("words/en.txt"), include_str!("words/es.txt")];

/// The lines below a heading.
fn below<'w>(words: &'w str, heading: &str) -> Vec<&'w str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in words.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).filter(|name| is_heading(name)) {
            Some(name) => inside = name == heading,
            None if inside => found.push(line),
            None => {}
        }
    }
    found
}

fn is_heading(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Patterns over lower-case text: `\\b`, `\\d`, `\\s`, `\\S` are those of ASCII, `\\w` has the Spanish letters too.
pub struct Signal {
    patterns: Patterns,
    regex: OnceLock<Option<Regex>>,
}

/// Where patterns are.
enum Patterns {
    /// In the code.
    Given(&'static [&'static str]),
    /// In the files of words, below this heading.
    Named(&'static str),
}

impl Signal {
    /// Any of these patterns, compiled when they are first looked for.
    pub const fn any(patterns: &'static [&'static str]) -> Self {
        Self { patterns: Patterns::Given(patterns), regex: OnceLock::new() }
    }

    /// What the files of words have below a heading, in any language.
    pub const fn named(heading: &'static str) -> Self {
        Self { patterns: Patterns::Named(heading), regex: OnceLock::new() }
    }

    fn regex(&self) -> Option<&Regex> {
        let find = || match self.patterns {
            Patterns::Given(patterns) => compile(patterns),
            Patterns::Named(heading) => {
                compile(&LANGUAGES.iter().flat_map(|words| below(words, heading)).collect::<Vec<_>>())
            }
        };
        self.regex.get_or_init(find).as_ref()
    }

    /// Whether it is in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// What is in the text from the end of the first match on.
    pub fn behind<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.regex()?.find(text)?.end()..)
    }

    /// What is in the text up to the first match.
    pub fn before<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(..self.regex()?.find(text)?.start())
    }

    /// The first group that took part in the first match.
    pub fn group<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.regex()?.captures(text)?;
        found.iter().skip(1).flatten().next().map(|group| group.as_str())
    }
}

/// One expression of all patterns.
fn compile(patterns: &[&str]) -> Option<Regex> {
    debug_assert!(!patterns.is_empty());
    // People type "dont" and "lets".
    let plain = format!("(?:{})", patterns.join(")|(?:")).replace('\'', "'?");
    // In a class `\w` stands without brackets of its own.
    let plain = plain.replace(r"[\w-]", "[a-z0-9_áéíóúñü-]").replace(r"\w", "[a-z0-9_áéíóúñü]");
    let plain = plain.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]");
    let regex = Regex::new(&plain.replace(r"\s", "[ ]").replace(r"\S", "[^ ]"));
    debug_assert!(regex.is_ok(), "{regex:?}");
    regex.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_knows_word_ends() {
        let signal = Signal::any(&[r"\bkeep\b", r"opción (\d)"]);
        assert!(signal.is_in("we keep it") && !signal.is_in("the keeper"));
        assert_eq!((signal.group("la opción 3, sí"), signal.behind("keep it")), (Some("3"), Some(" it")));
    }

    #[test]
    fn words_are_read_by_their_headings() {
        assert_eq!(below("# x\n[a]\none\n\n[b-c]\n[xy]+\ntwo\n[a]\nthree", "a"), ["one", "three"]);
        assert_eq!(below("[b-c]\n^[xy] z\ntwo", "b-c"), ["^[xy] z", "two"]);
    }

    #[test]
    fn every_language_has_the_same_headings() {
        let headings = |words: &str| {
            let names = words.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']').map(str::to_owned));
            names.filter(|name| is_heading(name)).collect::<Vec<_>>()
        };
        for words in LANGUAGES {
            let names = headings(words);
            assert_eq!(names, headings(LANGUAGES[0]));
            for name in names {
                assert!(!below(words, &name).is_empty(), "{name}");
                for pattern in below(words, &name) {
                    assert!(compile(&[pattern]).is_some(), "{pattern}");
                }
            }
        }
    }
}
