//! A conversation as turns and sentences: what was said in prose, without code, tables, quotations
//! and pasted output. A sentence keeps its words as they stand, for evidence is verbatim.

use crate::message::{Message, Role};
use regex::Regex;
use std::sync::LazyLock;

/// A typed prompt longer than this, in characters, was pasted and not typed.
const TYPED_CHARS: usize = 3000;
/// Words whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "vs", "etc", "cf", "p.ej", "ej", "approx", "no", "dr"];

/// A pattern over lower-case text: `\\b`, `\\d`, `\\s`, `\\S` are those of ASCII, `\\w` has the Spanish letters too.
pub struct Signal(Option<Regex>);

impl Signal {
    /// Any of these patterns.
    pub fn any(patterns: &[&str]) -> Self {
        // People type "dont" and "lets".
        let joined = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|");
        // In a class `\w` stands without brackets of its own.
        let plain =
            joined.replace('\'', "'?").replace(r"[\w-]", "[a-z0-9_áéíóúñü-]").replace(r"\w", "[a-z0-9_áéíóúñü]");
        let plain =
            plain.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]").replace(r"\s", "[ ]").replace(r"\S", "[^ ]");
        let regex = Regex::new(&plain);
        debug_assert!(regex.is_ok(), "{regex:?}");
        Self(regex.ok())
    }

    /// Whether it stands in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// What stands in the text from the end of the first match on.
    pub fn behind<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.0.as_ref()?.find(text)?.end()..)
    }

    /// What stands in the text up to the first match.
    pub fn before<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(..self.0.as_ref()?.find(text)?.start())
    }

    /// The first group that took part in the first match.
    pub fn group<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.0.as_ref()?.captures(text)?;
        found.iter().skip(1).flatten().next().map(|group| group.as_str())
    }
}

/// The speaker at the beginning of a chat's line.
static SPEAKER: LazyLock<Signal> =
    LazyLock::new(|| Signal::any(&[r"^\s*(?:\[?[\d:. ]+(?:am|pm)?\]? )?<?@?[\w.-]{2,20}>?: \S"]));

/// A sentence.
#[derive(Clone, Debug)]
pub struct Sentence<'a> {
    /// As it stands in the message.
    pub raw: &'a str,
    /// Without the marks of markdown and the stop at its end.
    pub plain: String,
    /// That in lower case, with plain apostrophes: what signals are looked for in.
    pub lower: String,
}

/// A message and its sentences.
pub struct Utterance<'a> {
    /// The message.
    pub message: &'a Message,
    /// Its prose.
    pub sentences: Vec<Sentence<'a>>,
}

/// A typed prompt and all that followed it until the next. The first one can lack its prompt.
#[derive(Default)]
pub struct Turn<'a> {
    /// What the user typed.
    pub prompt: Option<Utterance<'a>>,
    /// What the agent said and which errors tools reported, in order.
    pub answers: Vec<Utterance<'a>>,
}

impl<'a> Turn<'a> {
    /// What the agent said.
    pub fn said(&self) -> impl DoubleEndedIterator<Item = &Utterance<'a>> {
        self.answers.iter().filter(|answer| answer.message.role == Role::Assistant)
    }

    /// The sentences of the prompt.
    pub fn asked(&self) -> &[Sentence<'a>] {
        self.prompt.as_ref().map_or(&[], |prompt| &prompt.sentences)
    }
}

/// The turns of the live conversation.
pub fn turns(messages: &[Message]) -> Vec<Turn<'_>> {
    let mut turns = vec![Turn::default()];
    for message in messages.iter().filter(|message| !message.marks.abandoned) {
        let spoken = message.is_conversation();
        if message.role == Role::User && spoken {
            turns.push(Turn { prompt: Some(utterance(message)), answers: Vec::new() });
        } else if let Some(turn) = turns.last_mut()
            && (spoken || message.role == Role::Tool || !message.tools.is_empty())
        {
            turn.answers.push(utterance(message));
        }
    }
    turns
}

fn utterance(message: &Message) -> Utterance<'_> {
    let prose = match message.role {
        Role::Assistant => true,
        Role::User => !is_pasted(&message.text),
        Role::Tool => false,
    };
    let mut sentences = if prose { sentences(&message.text) } else { Vec::new() };
    if message.role == Role::User {
        // A pasted thread: lines that begin with who says them.
        let said_by: Vec<&str> = message.text.lines().filter(|line| SPEAKER.is_in(&line.to_lowercase())).collect();
        if said_by.len() > 1 {
            sentences.retain(|sentence| !said_by.iter().any(|line| line.contains(sentence.raw)));
        }
    }
    Utterance { message, sentences }
}

/// A prompt that its user did not write: a plan, a document, a log.
fn is_pasted(text: &str) -> bool {
    text.starts_with("Implement the following plan")
        || text.lines().any(|line| line.starts_with("# ") || line.starts_with("## "))
        || text.chars().nth(TYPED_CHARS).is_some()
}

/// The sentences of a text's prose.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !is_quoted(line, bare) {
            split(bare.trim_end(), &mut found);
        }
    }
    found
}

/// A table's row, a quotation, a terminal's or a diff's line.
fn is_quoted(line: &str, bare: &str) -> bool {
    bare.starts_with(['|', '>', '❯', '$', '⎿', '+', '│', '✗', '✓'])
        || bare.starts_with("---")
        || line.starts_with("\t\t")
        || line.strip_prefix("      ").is_some_and(|rest| !rest.trim_start().starts_with(['-', '*']))
}

fn split<'a>(line: &'a str, found: &mut Vec<Sentence<'a>>) {
    let mut start = 0;
    let mut in_code = false;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        in_code ^= letter == '`';
        let ends = matches!(letter, '.' | '!' | '?' | '…') && !in_code;
        // Signs in bold or in brackets can close a sentence too.
        while ends && letters.peek().is_some_and(|(_, next)| matches!(next, '*' | ')' | '"' | '!' | '?')) {
            letters.next();
        }
        let end = letters.peek().map_or(line.len(), |(next, _)| *next);
        let gap = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if ends && gap && !(letter == '.' && is_abbreviation(line.get(start..at).unwrap_or_default())) {
            push(line.get(start..end), found);
            start = end;
        }
    }
    push(line.get(start..), found);
}

/// Whether the full stop behind `text` ends no sentence: an abbreviation, a list's number.
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let numbered = word == text.trim() && word.chars().all(|c| c.is_ascii_digit());
    numbered || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn push<'a>(raw: Option<&'a str>, found: &mut Vec<Sentence<'a>>) {
    let raw = raw.unwrap_or_default().trim();
    let plain = plain(raw);
    if plain.chars().any(char::is_alphanumeric) {
        let lower = plain.to_lowercase().replace('’', "'");
        found.push(Sentence { raw, plain, lower });
    }
}

/// A text without the marks of markdown around it, and without its stop.
pub fn plain(raw: &str) -> String {
    let bare = raw.trim_start_matches(['-', '*', '#', '•', '+', ' ']);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = if digits.len() < bare.len() { digits.strip_prefix(['.', ')']).unwrap_or(bare) } else { bare };
    bare.replace("**", "").trim().trim_end_matches(['.', ':', ',', ';', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_split_and_what_is_no_prose_is_left_out() {
        let text = "Ok. let's use `a. b` e.g. here! Really?\n```\nlet's use code.\n```\n> let's use a quote\n| let's | table |\n  - **Bold choice.** And v1.2 stays.\n2. Two of them";
        let plain: Vec<String> = sentences(text).into_iter().map(|sentence| sentence.plain).collect();
        assert_eq!(
            plain,
            ["Ok", "let's use `a. b` e.g. here!", "Really?", "Bold choice", "And v1.2 stays", "Two of them"]
        );
        for sentence in sentences(text) {
            assert!(text.contains(sentence.raw), "{}", sentence.raw);
        }
    }

    #[test]
    fn a_signal_knows_word_ends() {
        let signal = Signal::any(&[r"\bkeep\b", r"opción (\d)"]);
        assert!(signal.is_in("we keep it") && !signal.is_in("the keeper"));
        assert_eq!((signal.group("la opción 3, sí"), signal.behind("keep it")), (Some("3"), Some(" it")));
    }
}
