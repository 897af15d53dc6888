//! What is learned of a session's secrets while it is read: a password that stood beside its name is known where it stands
//! alone, too, and so is the answer to a question for one. It is in memory only, and ends with the session.

use super::rule::Secret;
use super::{asked, word};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// So many of each are known, and so long is a value.
const MOST: usize = 256;
const VALUE_BYTES: RangeInclusive<usize> = 8..=200;
/// The kind of what nothing but the conversation says of.
const KIND: &str = "password";

/// What is known of the session that is read.
#[derive(Default)]
pub struct Learned {
    values: Vec<(Vec<u8>, String)>,
    /// All of them; made when the next text is searched.
    search: Option<AhoCorasick>,
    /// Texts that answer a question, with their secrets. Only there they are masked, for one can be any word.
    answers: HashMap<String, Vec<Secret>>,
    /// Whether the next words of the user are an answer.
    is_asked: bool,
}

impl Learned {
    /// How many values are known.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Whether a value is known, or the next words of the user are an answer.
    pub fn is_open(&self) -> bool {
        self.is_asked || !self.values.is_empty()
    }

    /// The session was read to its end.
    pub fn end(&mut self) {
        self.is_asked = false;
    }

    /// Something is said that is no answer.
    pub fn hear(&mut self, text: &str) {
        self.is_asked |= asked::asks(text);
    }

    /// The user says something: it is the answer, if there was a question.
    pub fn answer(&mut self, text: &str) {
        if std::mem::replace(&mut self.is_asked, asked::announces(text)) {
            self.note(text, text);
        }
    }

    /// An answer to a question, which also stands in another text.
    pub fn answer_in(&mut self, question: &str, said: &str, whole: &str) {
        if asked::asks(question) {
            self.note(said, said);
            self.note(said, whole);
        }
    }

    /// Notes the secrets of an answer as those of a text in which it stands.
    fn note(&mut self, said: &str, whole: &str) {
        let (said, whole) = (said.trim(), whole.trim());
        let Some(start) = whole.rfind(said) else { return };
        let mut secrets = Vec::new();
        for range in asked::answers(said) {
            self.learn(said.as_bytes().get(range.clone()).unwrap_or_default(), KIND);
            let (start, end) = (start.saturating_add(range.start), start.saturating_add(range.end));
            secrets.push(Secret { start, end, kind: KIND.to_owned() });
        }
        if !secrets.is_empty() && self.answers.len() < MOST {
            self.answers.insert(whole.to_owned(), secrets);
        }
    }

    /// Keeps a value that is a password wherever it stands: by several kinds of signs, or since it is chance.
    pub fn learn(&mut self, value: &[u8], kind: &str) {
        let value = value.get(..word::trimmed(value)).unwrap_or_default();
        let is_value = VALUE_BYTES.contains(&value.len())
            && !value.iter().any(u8::is_ascii_whitespace)
            && word::is_strong(value)
            && word::looks_like_password(value, true);
        if is_value && self.values.len() < MOST && !self.values.iter().any(|(known, _)| known == value) {
            self.values.push((value.to_vec(), kind.to_owned()));
            self.search = None;
        }
    }

    /// The known values of a text, as whole words.
    pub fn find(&mut self, text: &[u8], secrets: &mut Vec<Secret>) {
        if self.values.is_empty() {
            return;
        }
        if self.search.is_none() {
            let values = self.values.iter().map(|(value, _)| value);
            let kind = Some(AhoCorasickKind::ContiguousNFA);
            self.search = AhoCorasick::builder().kind(kind).match_kind(MatchKind::LeftmostLongest).build(values).ok();
        }
        let is_letter = |at: Option<usize>| {
            at.and_then(|at| text.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        for found in self.search.iter().flat_map(|search| search.find_iter(text)) {
            let (start, end) = (found.start(), found.end());
            let (first, last) = (is_letter(Some(start)), is_letter(end.checked_sub(1)));
            let is_inside = first && is_letter(start.checked_sub(1)) || last && is_letter(Some(end));
            if let Some((_, kind)) = self.values.get(found.pattern().as_usize()).filter(|_| !is_inside) {
                secrets.push(Secret { start, end, kind: kind.clone() });
            }
        }
    }

    /// The secrets of a text that is an answer.
    pub fn find_answer(&self, text: &[u8], secrets: &mut Vec<Secret>) {
        if self.answers.is_empty() || text.len() > 4 * asked::ANSWER_BYTES {
            return;
        }
        let start = text.len().saturating_sub(text.trim_ascii_start().len());
        let known = std::str::from_utf8(text).ok().and_then(|text| self.answers.get(text.trim()));
        secrets.extend(known.into_iter().flatten().map(|secret| {
            let (from, to) = (secret.start.saturating_add(start), secret.end.saturating_add(start));
            Secret { start: from, end: to, kind: secret.kind.clone() }
        }));
    }
}
