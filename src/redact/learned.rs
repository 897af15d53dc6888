//! What is learned of a session's secrets while it is read: a password that stood beside its name is known where it stands
//! alone, too, and so is the answer to a question for one. It is in memory only, and ends with the session.

use super::asked::{self, Asks};
use super::rule::Secret;
use super::{Redactor, word};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;

/// So many of each are known, and so long is a value.
const MOST: usize = 256;
const VALUE_BYTES: RangeInclusive<usize> = 8..=200;
/// So many texts before an answer can be its question.
const TEXTS: usize = 4;
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
    /// How the last texts of the agent end, and whether the user said that a secret comes.
    said: VecDeque<String>,
    is_announced: bool,
}

impl Learned {
    /// How many values are known.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Whether a value is known, or the next words of the user are an answer.
    pub fn is_open(&self) -> bool {
        !self.values.is_empty() || self.asks() != Asks::No
    }

    /// What is said next answers nothing that was said before.
    pub fn forget_question(&mut self) {
        self.said.clear();
        self.is_announced = false;
    }

    fn asks(&self) -> Asks {
        let said = || self.said.iter().map(|text| asked::asks(text)).max();
        if self.is_announced { Asks::Surely } else { said().unwrap_or(Asks::No) }
    }

    /// The agent says something: it can ask.
    pub fn hear(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if self.said.len() >= TEXTS {
            self.said.pop_front();
        }
        self.said.push_back(asked::tail(text).to_owned());
    }

    /// The user says something: it is the answer, if there was a question.
    pub fn answer(&mut self, text: &str) {
        let asks = if text.len() <= asked::ANSWER_BYTES { self.asks() } else { Asks::No };
        let is_answered = asks != Asks::No && self.note(text, text, asks);
        if is_answered || !asked::waits(text) {
            self.forget_question();
            self.is_announced = asked::announces(text);
        }
    }

    /// An answer to a question, which also stands in another text.
    pub fn answer_in(&mut self, question: &str, said: &str, whole: &str) {
        let asks = asked::asks(question);
        if asks != Asks::No && self.note(said, said, asks) {
            self.note(said, whole, asks);
        }
    }

    /// Notes the secrets of an answer as those of a text in which it stands; whether there are any.
    fn note(&mut self, said: &str, whole: &str, asks: Asks) -> bool {
        let (said, whole) = (said.trim(), whole.trim());
        let Some(start) = whole.rfind(said) else { return false };
        let mut secrets = Vec::new();
        for range in asked::answers(said, asks) {
            self.learn(&said.as_bytes()[range.clone()], KIND);
            secrets.push(Secret { start: start + range.start, end: start + range.end, kind: KIND.to_owned() });
        }
        let is_any = !secrets.is_empty();
        if is_any && self.answers.len() < MOST {
            self.answers.insert(whole.to_owned(), secrets);
        }
        is_any
    }

    /// Keeps a value that is a password wherever it stands: by several kinds of signs, or since it is chance.
    pub fn learn(&mut self, value: &[u8], kind: &str) {
        if self.values.len() >= MOST {
            return;
        }
        let value = &value[..word::trimmed(value)];
        let is_value = VALUE_BYTES.contains(&value.len())
            && !value.iter().any(u8::is_ascii_whitespace)
            && word::is_strong(value)
            && word::looks_like_password(value, true);
        if is_value && !self.values.iter().any(|(known, _)| known == value) {
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
        let start = text.len() - text.trim_ascii_start().len();
        let known = std::str::from_utf8(text).ok().and_then(|text| self.answers.get(text.trim()));
        secrets.extend(known.into_iter().flatten().map(|secret| Secret {
            start: secret.start + start,
            end: secret.end + start,
            kind: secret.kind.clone(),
        }));
    }
}

impl Redactor {
    /// Another session begins: what was learned of the last one's secrets is forgotten.
    pub fn begin(&self) {
        self.learned.take();
    }

    /// What is said in a session is told in its order, before any of it is masked: words of the agent, which can ask for a
    /// secret.
    pub fn hear(&self, text: &str) {
        self.learned.borrow_mut().hear(text);
    }

    /// Whether what is said next must be read with what was said before: a secret is known, or was asked for.
    pub fn is_open(&self) -> bool {
        self.learned.borrow().is_open()
    }

    /// How many secrets of the session are known wherever they stand.
    pub fn learned(&self) -> usize {
        self.learned.borrow().count()
    }

    /// Makes something of a session's texts; once more if a secret was learned on the way, which can be in what came
    /// before.
    pub fn settled<T>(&self, mut make: impl FnMut() -> T) -> T {
        let known = self.learned();
        let first = make();
        if self.learned() == known {
            return first;
        }
        self.learned.borrow_mut().forget_question();
        make()
    }
}

/// Whether such a secret is known by what stands beside it alone; others are found wherever they stand.
pub fn is_named(kind: &str) -> bool {
    ["password", "secret", "token-option"].iter().any(|part| kind.contains(part)) && kind != "password-hash"
}

#[cfg(test)]
mod tests {
    use crate::redact::redactor;

    fn secret() -> String {
        ["Tr0ub4", "dor&3x"].concat()
    }

    #[test]
    fn a_password_is_known_until_the_next_session() {
        let (redactor, secret) = (redactor(), secret());
        let bare = format!("log in with {secret}, then (\"{secret}\") and x{secret} and {secret}y");
        assert_eq!(redactor.redact(&bare), bare);
        let named = redactor.redact(&format!("{secret} first, the password is {secret}. Go on")).into_owned();
        assert_eq!(named, "[redacted:password] first, the password is [redacted:password]. Go on");
        let masked = "log in with [redacted:password], then (\"[redacted:password]\") and";
        let shown = redactor.redact(&bare).into_owned();
        assert_eq!(shown, format!("{masked} x{secret} and {secret}y"));
        assert_eq!((redactor.redact(&shown), redactor.learned()), (shown.as_str().into(), 1));
        redactor.begin();
        assert_eq!(redactor.redact(&bare), bare);
    }

    /// A plain word is masked where it stands beside the name, and nowhere else.
    #[test]
    fn a_plain_word_is_not_spread() {
        let redactor = redactor();
        for text in ["password: harbor1", "DB_PASSWORD=\"summer\"", "token: 12345678"] {
            let _ = redactor.redact(text);
        }
        let plain = "harbor1 of the summer, 12345678 boats";
        assert_eq!(redactor.redact(plain), plain);
    }

    #[test]
    fn so_many_values_are_known_and_no_more() {
        let redactor = redactor();
        let value = |at: usize| format!("Kq{at}x&Lm{}wZ", at * 7);
        let all: Vec<String> = (0..1000).map(|at| format!("password is {}", value(at))).collect();
        assert!(!redactor.redact(&all.join("\n")).contains(&value(999)));
        assert_eq!(redactor.learned(), super::MOST);
    }

    #[test]
    fn only_the_answer_is_masked() {
        let (redactor, word) = (redactor(), ["sword", "fish"].concat());
        redactor.hear("Where does the server have its password? I can then log in.");
        assert!(!redactor.is_open());
        redactor.hear("What is the password of the server?");
        assert!(redactor.is_open());
        redactor.hear_user(&word);
        assert_eq!(redactor.redact(&format!("\n{word} ")), "\n[redacted:password] ");
        let plain = format!("a {word} in the sea");
        assert_eq!(redactor.redact(&plain), plain);
        redactor.hear("Please paste the token");
        redactor.hear_user("look into the section on staging of the wiki first");
        assert!(!redactor.is_open());
        redactor.hear("Please paste the token");
        redactor.hear_user("one second, let me look");
        redactor.hear("Take your time.");
        redactor.hear_user("halibut");
        assert_eq!(redactor.redact("halibut"), "[redacted:password]");
        // Nothing was asked since.
        redactor.hear_user("marlin");
        assert_eq!((redactor.redact("marlin"), redactor.is_open()), ("marlin".into(), false));
    }
}
