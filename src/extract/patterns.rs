//! How sessions say what they say: patterns that are looked for in a sentence. Those of the languages are
//! data, a file for each language; one more language is one more file in this table.

use crate::base::pattern::{Pattern, Reads};
use memchr::memmem;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// The words of each language: headings in brackets, below them a pattern a line; `#` begins a comment.
const LANGUAGES: &[&str] = &[include_str!("words/en.txt"), include_str!("words/es.txt")];

/// The same of what is open, in every language; what is between `<` and `>` is a part with a heading of its own.
const OPEN: &str = include_str!("words/open.txt");

/// The patterns that have a name.
fn named(heading: &str) -> Vec<String> {
    let files = LANGUAGES.iter().chain([&OPEN]);
    files.flat_map(|words| below(words, heading).into_iter().map(|pattern| whole(words, pattern))).collect()
}

/// A pattern with its parts: in the place of `<x>` any of what the same file has below the heading `part-x`.
fn whole(words: &str, pattern: &str) -> String {
    let Some((before, rest)) = pattern.split_once('<') else { return pattern.to_owned() };
    match rest.split_once('>').filter(|(name, _)| is_heading(name)) {
        Some((name, behind)) => {
            let part = below(words, &format!("part-{name}")).join("|");
            format!("{before}(?:{}){}", whole(words, &part), whole(words, behind))
        }
        None => format!("{before}<{}", whole(words, rest)),
    }
}

/// The lines below a heading. The files are looked through for each pattern, so no other line is read.
fn below<'w>(words: &'w str, heading: &str) -> Vec<&'w str> {
    let mark = format!("[{heading}]\n");
    let begins = |at: &usize| *at == 0 || words.as_bytes()[at - 1] == b'\n';
    let is_other = |line: &str| line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).is_some_and(is_heading);
    let all = memmem::find_iter(words.as_bytes(), &mark).filter(begins);
    let lines =
        all.flat_map(|at| words[at + mark.len()..].lines().map(str::trim_end).take_while(|line| !is_other(line)));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn is_heading(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Patterns over lower-case text: `\\b`, `\\d`, `\\s`, `\\S` are those of ASCII, `\\w` has the Spanish letters too.
pub struct Signal {
    heading: &'static str,
    pattern: OnceLock<Pattern>,
}

/// What the files of words have below a heading, in any language; compiled when it is first looked for.
pub fn signal(heading: &str) -> &'static Signal {
    static ALL: OnceLock<HashMap<&str, Signal>> = OnceLock::new();
    // What is not valid is in no text.
    static NONE: LazyLock<Signal> =
        LazyLock::new(|| Signal { heading: "", pattern: Pattern::new("(", Reads::Text).into() });
    let read = || headings().map(|heading| (heading, Signal { heading, pattern: OnceLock::new() })).collect();
    let found = ALL.get_or_init(read).get(heading);
    debug_assert!(found.is_some(), "{heading}");
    found.unwrap_or(&NONE)
}

/// Whether a text has one of the patterns below a heading.
pub fn says(heading: &str, text: &str) -> bool {
    signal(heading).is_in(text)
}

/// The headings of all files of words.
fn headings() -> impl Iterator<Item = &'static str> {
    let lines = LANGUAGES.iter().chain([&OPEN]).flat_map(|words| words.lines());
    lines.filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).filter(|line| is_heading(line))
}

impl Signal {
    fn pattern(&self) -> &Pattern {
        self.pattern.get_or_init(|| compile(&named(self.heading)))
    }

    /// Whether it is in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.pattern().is_in(text.as_bytes())
    }

    /// What is in the text from the end of the first match on.
    pub fn behind<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.pattern().find(text.as_bytes())?.end..)
    }

    /// What is in the text up to the first match.
    pub fn before<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(..self.pattern().find(text.as_bytes())?.start)
    }

    /// The parts of the text between the matches.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.pattern().split(text)
    }

    /// The first group that took part in the first match.
    pub fn group<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (_, groups) = self.pattern().groups(text.as_bytes(), 0)?;
        groups.iter().skip(1).flatten().next().and_then(|group| text.get(group.range()))
    }
}

/// One expression of all patterns.
fn compile<S: Borrow<str>>(patterns: &[S]) -> Pattern {
    // People type "dont" and "lets".
    let plain = format!("(?:{})", patterns.join(")|(?:")).replace('\'', "'?");
    // In a class `\w` stands without brackets of its own.
    let plain = plain.replace(r"[\w-]", "[a-z0-9_áéíóúñü-]").replace(r"\w", "[a-z0-9_áéíóúñü]");
    let plain = plain.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]");
    Pattern::new(&plain.replace(r"\s", "[ ]").replace(r"\S", "[^ ]"), Reads::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_knows_word_ends() {
        let pattern = OnceLock::from(compile(&[r"\bkeep\b", r"opción (\d)"]));
        let signal = Signal { heading: "", pattern };
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
                    let pattern = whole(words, pattern);
                    assert!(compile(&[pattern.as_str()]).is_valid(), "{pattern}");
                }
            }
        }
        for line in
            OPEN.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')).filter(|line| is_heading(line))
        {
            assert!(named(line).iter().all(|pattern| compile(&[pattern.as_str()]).is_valid()), "{line}");
        }
    }
}
