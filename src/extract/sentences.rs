//! A conversation as turns and sentences: what was said in prose, without code, tables, quotations
//! and pasted output. A sentence keeps its words as they stand, for evidence is verbatim.

use super::patterns::signal;
use crate::base::text;
use crate::record::message::{Message, Role};
use std::collections::HashMap;
use std::ops::Range;

/// Placeholder for text that was removed because another author wrote it.
pub const CUT: &str = "[…]";
/// How that begins which is told in the place of a paste that the client marks.
pub const PASTE: &str = "[pasted, ";
/// A typed prompt longer than this, in characters, was pasted and not typed.
const TYPED_CHARS: usize = 3000;
/// Elements that show what another person wrote; a comment of HTML does, too.
const SHOWN: &str = "pre blockquote div section article html body table ul document documents page file log logs output email \
                     issue comment review thread transcript channel";
/// Between quotation marks, so many words are a quotation; fewer are a name or a term.
const QUOTED_WORDS: usize = 4;
/// The fewest words that say what a prompt is about.
const SITUATION_WORDS: usize = 3;
/// Marks that are looked at for the end of a quotation.
const CLOSES: usize = 8;
/// Quotation marks that open and close, of several languages, besides those of code.
const QUOTATIONS: &str = "\"\"''“”„“„”«»»«‹›‘’「」『』＂＂";
/// Words whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "vs", "etc", "cf", "p.ej", "ej", "approx", "no", "dr"];

/// A sentence.
#[derive(Clone, Debug)]
pub struct Sentence<'a> {
    /// As it is in the message.
    pub raw: &'a str,
    /// Without the marks of markdown and the stop at its end.
    pub plain: String,
    /// That in lower case, with plain apostrophes, quotations blotted out: what signals are looked for in.
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

    /// The message that closes it; None where it was interrupted, and ends in the use of a tool.
    pub fn closing(&self) -> Option<&Utterance<'a>> {
        self.said().next_back().filter(|last| last.message.is_conversation() && last.message.tools.is_empty())
    }

    /// What the prompt was about: its first sentence of more than a word or two ("OK" says nothing).
    pub fn telling(&self) -> Option<&Sentence<'a>> {
        self.asked().iter().find(|sentence| sentence.plain.split_whitespace().count() >= SITUATION_WORDS)
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
    Utterance { message, sentences: if prose { split(&message.text) } else { Vec::new() } }
}

/// Where in a text a part of it is.
pub fn place(text: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some(start..start.saturating_add(part.len()))
}

/// The lines of a text with their ends, and where they are.
pub fn placed(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    text.split_inclusive('\n').filter_map(|line| Some((line, place(text, line)?)))
}

/// As many sentences from the first on as have so many characters; of a long first one its beginning.
pub fn joined<'s>(all: impl Iterator<Item = &'s String>, most: usize) -> String {
    let mut out = String::new();
    for sentence in all {
        if !out.is_empty() && out.chars().count() + sentence.chars().count() + 2 > most {
            break;
        }
        out.extend([if out.is_empty() { "" } else { ". " }, sentence]);
    }
    text::cut(&out, most).into_owned()
}

/// A prompt that its user did not write: a plan, a document, a log.
pub fn is_pasted(text: &str) -> bool {
    text.starts_with("Implement the following plan")
        || text.lines().any(|line| line.starts_with("# ") || line.starts_with("## "))
        || text.chars().nth(TYPED_CHARS).is_some()
}

/// The lines of a text that its speaker says: none in a fence, and none of a quotation.
pub fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter(|(_, is_own)| *is_own).map(|(line, _)| line)
}

/// The lines of a text, and whether its speaker says them.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<(char, usize)> = None;
    let mut element: Option<String> = None;
    text.lines().map(move |line| (line, is_own(line, &mut fence, &mut element)))
}

/// Whether a line is neither in a fence or an element that was opened, nor a quotation.
fn is_own(line: &str, fence: &mut Option<(char, usize)>, element: &mut Option<String>) -> bool {
    let bare = line.trim_start().trim_start_matches(['-', '*', '+', ' ']);
    if fence.is_none() {
        let lower = bare.to_lowercase();
        if element.is_none() {
            *element = end_of_element(&lower);
        }
        if let Some(end) = element.as_deref() {
            if lower.contains(end) {
                *element = None;
            }
            return false;
        }
        if bare.starts_with('>') {
            return false;
        }
    }
    match (*fence, fence_of(line.trim_start())) {
        (None, Some((mark, length, _))) => *fence = Some((mark, length)),
        (None, None) => return true,
        // A fence ends with marks of its own kind, at least as many, and nothing behind them.
        (Some((mark, length)), Some((other, count, true))) if mark == other && count >= length => *fence = None,
        (Some(_), _) => {}
    }
    false
}

/// How an element ends that a line in lower case begins and that shows something.
fn end_of_element(line: &str) -> Option<String> {
    let rest = line.strip_prefix('<')?;
    if rest.starts_with("!--") {
        return Some("-->".to_owned());
    }
    let name = rest.split(|c: char| !c.is_alphanumeric() && !"-_".contains(c)).next()?;
    // The client's own elements have names of several words.
    let is_shown = name.contains(['-', '_']) || SHOWN.split_whitespace().any(|shown| shown == name);
    is_shown.then(|| format!("</{name}>"))
}

/// The mark of a fence, how many of them there are, and whether nothing comes after them.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let marker = |c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '+' | '.' | ')' | ' ');
    let bare = line.trim_start_matches(marker);
    let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let behind = bare.trim_start_matches(mark);
    let length = bare.len().saturating_sub(behind.len());
    // Code between backticks on one line is not a fence.
    (length >= 3 && !(mark == '`' && behind.contains('`'))).then(|| (mark, length, behind.trim().is_empty()))
}

/// The sentences of a text's prose.
pub fn split(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    for line in own_lines(text) {
        let bare = line.trim_start();
        if !is_quoted(line, bare) {
            split_line(bare.trim_end(), &mut found);
        }
    }
    found
}

/// Whether a text begins with the mark of a list's point.
pub fn is_point(text: &str) -> bool {
    let bare = text.trim_start();
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    bare.starts_with(['-', '*', '•']) || digits.len() < bare.len() && digits.starts_with(['.', ')'])
}

/// A table's row, a terminal's or a diff's line.
pub fn is_quoted(line: &str, bare: &str) -> bool {
    bare.starts_with(['|', '❯', '$', '⎿', '+', '│', '✗', '✓'])
        || bare.starts_with("---")
        || line.starts_with("\t\t")
        || line.strip_prefix("      ").is_some_and(|rest| !rest.trim_start().starts_with(['-', '*']))
}

/// Adds the sentences of a line.
pub fn split_line<'a>(line: &'a str, found: &mut Vec<Sentence<'a>>) {
    let own = without_quotations(line);
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
        // What was cut at the beginning was a sentence.
        let is_cut = ends && line.get(start..).is_some_and(|rest| rest.trim_start().starts_with(CUT));
        while is_cut && letters.next_if(|(_, next)| *next == ']').is_some() {}
        let end = letters.peek().map_or(line.len(), |(next, _)| *next);
        let gap = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if ends && gap && !(letter == '.' && is_abbreviation(line.get(start..at).unwrap_or_default())) {
            push(line, &own, start..end, found);
            start = end;
        }
    }
    push(line, &own, start..line.len(), found);
}

/// A line in which the letters of quotations are `_`, byte by byte: what a person quotes in so many
/// words, or shows as code, they do not say.
fn without_quotations(line: &str) -> Vec<u8> {
    let mut own = line.as_bytes().to_vec();
    for range in quotations(line) {
        let letters = line.get(range.clone()).unwrap_or_default().char_indices();
        for (at, letter) in letters.filter(|(_, letter)| letter.is_alphanumeric()) {
            let at = range.start.saturating_add(at);
            own.iter_mut().skip(at).take(letter.len_utf8()).for_each(|byte| *byte = b'_');
        }
    }
    own
}

/// What is between quotation marks in a text, where it is more than a name or a term. Each mark is looked at a few
/// times at most, however long the text is.
pub fn quotations(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() && memchr::memchr3(b'"', b'\'', b'`', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let breaks: Vec<usize> = text.match_indices("\n\n").map(|(at, _)| at).collect();
    let marks: Vec<char> = QUOTATIONS.chars().collect();
    let mut found = code(text, &breaks);
    for pair in marks.chunks_exact(2) {
        let [open, close] = *pair else { continue };
        let ends: Vec<usize> = text.match_indices(close).map(|(at, _)| at).collect();
        let mut from = 0;
        for (at, mark) in text.match_indices(open) {
            let before = text.get(..at).unwrap_or_default();
            // A mark for both ends begins a quotation only before a word: 13" and it's do not.
            if at < from || open == close && before.ends_with(char::is_alphanumeric) {
                continue;
            }
            let start = at.saturating_add(mark.len());
            let end = first_from(&breaks, start).unwrap_or(text.len());
            let next = ends.partition_point(|at| *at < start);
            let next = ends.iter().skip(next).take(CLOSES).take_while(|at| **at < end);
            // It ends before a mark that stands behind a word and not in one.
            let behind = |at: usize| text.get(at.saturating_add(close.len_utf8())..).unwrap_or_default();
            let Some(end) = next.copied().find(|at| !behind(*at).starts_with(char::is_alphanumeric)) else { continue };
            found.push(start..end);
            from = end.saturating_add(close.len_utf8());
        }
    }
    found.retain(|range| text.get(range.clone()).is_some_and(|part| part.split_whitespace().count() >= QUOTED_WORDS));
    found
}

/// What is between backticks, as many before it as behind it.
fn code(text: &str, breaks: &[usize]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, mark) in text.match_indices('`') {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end = at.saturating_add(mark.len()),
            None => runs.push(at..at.saturating_add(mark.len())),
        }
    }
    let mut next = HashMap::new();
    // From the end, so that the next run of the same length is known.
    let ends: Vec<Option<usize>> = runs.iter().rev().map(|run| next.insert(run.len(), run.start)).collect();
    let (mut found, mut from) = (Vec::new(), 0);
    for (run, end) in runs.iter().zip(ends.into_iter().rev()) {
        let end = end.filter(|end| run.start >= from && first_from(breaks, run.end).is_none_or(|stop| *end < stop));
        if let Some(end) = end {
            found.push(run.end..end);
            from = end.saturating_add(run.len());
        }
    }
    found
}

/// The first of these places, which are in order, from a place on.
fn first_from(places: &[usize], from: usize) -> Option<usize> {
    places.get(places.partition_point(|at| *at < from)).copied()
}

/// Whether the full stop behind `text` ends no sentence: an abbreviation, a list's number.
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let numbered = word == text.trim() && word.chars().all(|c| c.is_ascii_digit());
    numbered || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// Adds the sentence at a place of a line. `own` is the line without its quotations.
fn push<'a>(line: &'a str, own: &[u8], range: Range<usize>, found: &mut Vec<Sentence<'a>>) {
    let raw = line.get(range.clone()).unwrap_or_default().trim();
    let plain = plain(raw);
    if plain.chars().any(char::is_alphanumeric) {
        let own = String::from_utf8_lossy(own.get(range).unwrap_or_default()).into_owned();
        let lower = self::plain(own.trim()).to_lowercase().replace('’', "'");
        found.push(Sentence { raw, plain, lower });
    }
}

/// A text without the marks of markdown around it, and without its stop.
pub fn plain(raw: &str) -> String {
    let bare = raw.trim_start_matches(['-', '*', '#', '•', '+', ' ']);
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    // "2. Redis" and not "3.12".
    let numbered = || digits.strip_prefix(['.', ')']).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let bare = if digits.len() < bare.len() { numbered().unwrap_or(bare) } else { bare };
    // Most lines have no such mark, and each search for one costs as much as the rest.
    let bare = if bare.contains('*') { bare.replace("**", "") } else { bare.to_owned() };
    let bare = if bare.contains('(') { signal("recommended").parts(&bare).concat() } else { bare };
    bare.trim().trim_end_matches(['.', ':', ',', ';', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_split_and_what_is_no_prose_is_left_out() {
        let text = "Ok. let's use `a. b` e.g. here! Really?\n```\nlet's use code.\n```\n> let's use a quote\n| let's | table |\n  - **Bold choice.** And v1.2 stays.\n2. Two of them";
        let plain: Vec<String> = split(text).into_iter().map(|sentence| sentence.plain).collect();
        assert_eq!(
            plain,
            ["Ok", "let's use `a. b` e.g. here!", "Really?", "Bold choice", "And v1.2 stays", "Two of them"]
        );
        for sentence in split(text) {
            assert!(text.contains(sentence.raw), "{}", sentence.raw);
        }
    }
}
