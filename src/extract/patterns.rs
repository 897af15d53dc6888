//! How sessions say what they say: patterns that are looked for in a sentence. Those of the languages are
//! data, a file for each language; one more language is one more file in this table.

use crate::base::needed::{Needed, tokens};
use crate::base::pattern::{Pattern, Reads};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// The words of each language, and those of all: headings in brackets, below them a pattern a line; `#` begins a comment.
/// What is between `<` and `>` is a part with a heading of its own.
const FILES: [&str; 3] = [include_str!("words/en.txt"), include_str!("words/es.txt"), include_str!("words/open.txt")];

/// The lines of a file of words, each with the heading above it.
pub fn lines(words: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut heading = "";
    let lines = words.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(move |line| {
        let name = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).filter(|name| is_heading(name));
        heading = name.unwrap_or(heading);
        name.is_none().then_some((heading, line))
    })
}

fn is_heading(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// A pattern with its parts: in the place of `<x>` any of what the same file has below the heading `part-x`.
fn whole(words: &'static str, pattern: &str) -> String {
    let Some((before, rest)) = pattern.split_once('<') else { return pattern.to_owned() };
    match rest.split_once('>').filter(|(name, _)| is_heading(name)) {
        Some((name, behind)) => {
            let part = signal(&format!("part-{name}")).lines.iter().filter(|(file, _)| *file == words);
            let part = part.map(|(_, line)| *line).collect::<Vec<_>>().join("|");
            format!("{before}(?:{}){}", whole(words, &part), whole(words, behind))
        }
        None => format!("{before}<{}", whole(words, rest)),
    }
}

/// Patterns over lower-case text: `\\b`, `\\d`, `\\s`, `\\S` are those of ASCII, `\\w` has the Spanish letters too. Whether one
/// is in a text is asked of each by itself, where the text has what it needs: to compile a pattern takes far longer than to
/// search a sentence for it, and most are in no sentence of a session.
#[derive(Default)]
pub struct Signal {
    /// The patterns, each with its file.
    lines: Vec<(&'static str, &'static str)>,
    each: OnceLock<(Vec<LazyPattern>, Needed)>,
    all: OnceLock<Pattern>,
}

/// A pattern that is compiled when a text has what it needs.
struct LazyPattern {
    plain: String,
    made: OnceLock<Pattern>,
}

/// What the files of words have below a heading, in any language; compiled when it is first looked for.
pub fn signal(heading: &str) -> &'static Signal {
    static ALL: LazyLock<HashMap<&str, Signal>> = LazyLock::new(|| {
        let mut all: HashMap<&str, Signal> = HashMap::new();
        for (file, (heading, line)) in FILES.iter().flat_map(|file| lines(file).map(move |line| (file, line))) {
            all.entry(heading).or_default().lines.push((file, line));
        }
        all
    });
    // What is not valid is in no text.
    static NONE: LazyLock<Signal> = LazyLock::new(|| Signal { lines: vec![("", "(")], ..Signal::default() });
    let found = ALL.get(heading);
    debug_assert!(found.is_some(), "{heading}");
    found.unwrap_or(&NONE)
}

/// Whether a text has one of the patterns below a heading.
pub fn says(heading: &str, text: &str) -> bool {
    signal(heading).is_in(text)
}

impl Signal {
    /// The patterns in the syntax of the crate.
    fn patterns(&self) -> impl Iterator<Item = String> {
        self.lines.iter().map(|(file, line)| plain(&whole(file, line)))
    }

    fn each(&self) -> &(Vec<LazyPattern>, Needed) {
        self.each.get_or_init(|| {
            let all: Vec<String> = self.patterns().collect();
            let needed = Needed::by(&all);
            (all.into_iter().map(|plain| LazyPattern { plain, made: OnceLock::new() }).collect(), needed)
        })
    }

    /// All of them as one, for where they are.
    fn all(&self) -> &Pattern {
        self.all.get_or_init(|| compile(&format!("(?:{})", self.patterns().collect::<Vec<_>>().join(")|(?:"))))
    }

    /// Whether it is in the text.
    pub fn is_in(&self, text: &str) -> bool {
        let (each, needed) = self.each();
        let is_in = |one: &LazyPattern| one.made.get_or_init(|| compile(&one.plain)).is_in(text.as_bytes());
        needed.in_text(text).into_iter().zip(each).any(|(may_be, one)| may_be && is_in(one))
    }

    /// What is in the text from the end of the first match on.
    pub fn behind<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.find(text)?.end..)
    }

    /// What is in the text up to the first match.
    pub fn before<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(..self.find(text)?.start)
    }

    fn find(&self, text: &str) -> Option<Range<usize>> {
        self.is_in(text).then(|| self.all().find(text.as_bytes()))?.map(|span| span.range())
    }

    /// The parts of the text between the matches.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        if self.is_in(text) { self.all().split(text) } else { vec![text] }
    }

    /// Where the first match from a place on is, and the first of its groups that took part.
    fn next<'t>(&self, text: &'t str, from: usize) -> Option<(Range<usize>, &'t str)> {
        let (span, groups) = self.all().groups(text.as_bytes(), from)?;
        Some((span.range(), text.get(groups.iter().skip(1).flatten().next()?.range())?))
    }

    /// The same of all matches, of patterns that do not match nothing.
    pub fn groups<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        if !self.is_in(text) {
            return Vec::new();
        }
        std::iter::successors(self.next(text, 0), |(last, _)| self.next(text, last.end)).collect()
    }

    /// The first group that took part in the first match.
    pub fn group<'t>(&self, text: &'t str) -> Option<&'t str> {
        Some(self.is_in(text).then(|| self.next(text, 0))??.1)
    }
}

/// A pattern of the files as the crate reads it; people type "dont" and "lets".
fn plain(pattern: &str) -> String {
    pattern.replace('\'', "'?").replace(r"\d", "[0-9]").replace(r"\S", "[^ ]").replace(r"\s", " ")
}

/// It reads bytes: to compile a class with letters of Unicode takes several times as long.
fn compile(plain: &str) -> Pattern {
    Pattern::new(&in_bytes(plain), Reads::Bytes)
}

/// A pattern with classes of ASCII alone; the other letters of a class are beside it.
fn in_bytes(pattern: &str) -> String {
    let of_token = |token: &str| {
        let class = token.strip_prefix('[').and_then(|class| class.strip_suffix(']'));
        let Some(class) = class.or(Some(token).filter(|token| *token == r"\w")) else { return token.to_owned() };
        let (ascii, others): (String, String) = class.chars().partition(char::is_ascii);
        let mut parts = Vec::from_iter((!ascii.is_empty()).then(|| format!("[{}]", ascii.replace(r"\w", "a-z0-9_"))));
        // á, é, í, ñ, ó, ú, ü
        parts.extend(class.contains(r"\w").then(|| r"\xC3[\xA1\xA9\xAD\xB1\xB3\xBA\xBC]".to_owned()));
        parts.extend(others.chars().map(String::from));
        if parts.len() == 1 { parts.concat() } else { format!("(?:{})", parts.join("|")) }
    };
    tokens(pattern).into_iter().map(of_token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_knows_word_ends() {
        let signal = Signal { lines: vec![("", r"\bkeep\b"), ("", r"opción (\d)")], ..Signal::default() };
        assert!(signal.is_in("we keep it") && !signal.is_in("the keeper"));
        assert_eq!((signal.group("la opción 3, sí"), signal.behind("keep it")), (Some("3"), Some(" it")));
    }

    #[test]
    fn a_signal_is_in_a_text_where_one_of_its_patterns_is() {
        let texts =
            [include_str!("cases/agent.txt"), include_str!("cases/prompt.txt"), include_str!("cases/wishes.txt")];
        let texts: Vec<String> = texts.iter().flat_map(|text| text.lines()).map(str::to_lowercase).collect();
        let mut count = 0;
        for (heading, _) in FILES.iter().flat_map(|file| lines(file)) {
            for text in &texts {
                let is_in = signal(heading).is_in(text);
                assert_eq!(is_in, signal(heading).all().is_in(text.as_bytes()), "{heading}: {text}");
                count += usize::from(is_in);
            }
        }
        assert!(count > 1000, "{count}");
    }

    #[test]
    fn words_are_read_by_their_headings() {
        let words = "# x\n[a]\none\n\n[b-c]\n[xy]+\ntwo\n[a]\nthree";
        let wanted = [("a", "one"), ("b-c", "[xy]+"), ("b-c", "two"), ("a", "three")];
        assert_eq!(lines(words).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn every_language_has_the_same_headings_and_all_patterns_are_valid() {
        let headings = |words| {
            let mut all: Vec<&str> = lines(words).map(|(heading, _)| heading).collect();
            all.dedup();
            all
        };
        let [english, spanish, _] = FILES;
        assert_eq!(headings(english), headings(spanish));
        for file in FILES {
            for (_, line) in lines(file) {
                assert!(compile(&plain(&whole(file, line))).is_valid(), "{line}");
                // Letters beside a class would be letters that it has.
                let is_plain = |token: &&str| !token.starts_with("[^") || token.is_ascii();
                assert!(tokens(line).iter().all(is_plain), "{line}");
            }
        }
    }

    #[test]
    fn every_heading_that_is_asked_for_exists() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/extract");
        let mut count = 0;
        let folders = [folder.clone(), folder.join("progress"), folder.join("fixes")];
        let files =
            folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            let code = std::fs::read_to_string(&file).unwrap();
            for mark in ["says(\"", "signal(\""] {
                for (at, _) in code.match_indices(mark) {
                    let name = code[at + mark.len()..].split('"').next().unwrap();
                    let is_known = FILES.iter().any(|file| lines(file).any(|(heading, _)| heading == name));
                    assert!(is_known || name.is_empty(), "{}: {name}", file.display());
                    count += 1;
                }
            }
        }
        assert!(count > 100, "{count}");
    }
}
