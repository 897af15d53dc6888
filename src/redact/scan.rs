//! A rule at work: it is searched only around its keywords, and what it finds is looked at again. A byte
//! is read by a rule once or twice, whatever the text is.

use super::rule::{Edge, Secret, SecretRule, SecretTest};
use super::{column, own, rules, word, wrapped};
use crate::base::pattern::{Pattern, Reads};
use regex_automata::Span;
use regex_automata::util::captures::Captures;
use std::sync::{LazyLock, OnceLock};

/// A match that reaches the end of its window is looked at again with so much more.
const MORE_BYTES: usize = 4 << 10;

/// So many letters and digits before a token are the same run.
const BASE64_BYTES: usize = 7;
/// The longest run that is looked through for several passwords.
const LONGEST_BYTES: usize = 4 << 10;
/// The longest value that is left as it is and read again as a name.
const SHORT_BYTES: usize = 80;

/// A rule whose patterns are compiled when they are first needed.
pub struct Form {
    pub rule: &'static SecretRule,
    pattern: OnceLock<Pattern>,
    allowed: OnceLock<Vec<Pattern>>,
    allowed_match: OnceLock<Vec<Pattern>>,
}

/// What is not a secret, whatever the rule, as one pattern.
pub static NEVER: LazyLock<Pattern> = LazyLock::new(|| {
    let all: Vec<&str> = rules::never().chain(own::PLACEHOLDERS.iter().copied()).collect();
    compile(&format!("(?:{})", all.join(")|(?:")))
});

impl Form {
    pub fn new(rule: &'static SecretRule) -> Self {
        Self { rule, pattern: OnceLock::new(), allowed: OnceLock::new(), allowed_match: OnceLock::new() }
    }

    /// The secrets of this form in the parts of the text, which are in order and do not touch.
    pub fn find(&self, text: &[u8], parts: &[(usize, usize)], secrets: &mut Vec<Secret>) {
        let pattern = self.pattern.get_or_init(|| compile(&self.rule.whole()));
        let mut from = 0_usize;
        for (start, end) in parts {
            from = from.max(*start);
            let mut until = (*end).min(text.len());
            while from < until {
                let part = text.get(..until).unwrap_or_default();
                let Some((whole, captures)) = pattern.groups(part, from) else { break };
                if whole.end == until && until < text.len() {
                    // It can go on: with twice as much to read, so that the sum of all is bounded too.
                    until = (until + (until - from).max(MORE_BYTES)).min(text.len());
                    continue;
                }
                let found = match Self::group(&captures).filter(|_| self.rule.edge == Edge::Column) {
                    Some(name) => self.below(text, name),
                    None => self.secret(text, &captures).into_iter().collect(),
                };
                from = self.next(text, &captures, whole, found.is_empty()).max(from + 1);
                secrets.extend(found);
            }
            if self.rule.edge == Edge::Run {
                let whole = |joined: &[u8]| {
                    let (_, captures) = pattern.groups(joined, 0)?;
                    self.secret(joined, &captures)
                };
                secrets.extend(wrapped::find(text, (*start, *end), self.rule.keywords, whole));
            }
        }
    }

    /// The part of a match that is the secret.
    fn group(captures: &Captures) -> Option<Span> {
        captures.iter().skip(1).flatten().find(|group| !group.is_empty()).or_else(|| captures.get_group(0))
    }

    /// Where to go on behind a match: behind the password alone if its run goes on with another name, before a short
    /// value that is none and can be a name (`password = env.DB_PASSWORD || "…"`).
    fn next(&self, text: &[u8], captures: &Captures, whole: Span, is_none: bool) -> usize {
        match Self::group(captures).filter(|group| group.len() <= LONGEST_BYTES) {
            // What belongs to this token is not read again as another one's.
            _ if self.rule.edge == Edge::Run => end_of_run(text, whole.start, whole.end).max(whole.end),
            Some(group)
                if is_none
                    && self.rule.edge == Edge::Free
                    && group.start > whole.start
                    && group.len() <= SHORT_BYTES =>
            {
                group.start
            }
            Some(group) if is_of_password(self.rule.judge) => match word::ends(text, group.start, group.end) {
                (_, cut) if cut < group.end => cut,
                _ => whole.end,
            },
            _ => whole.end,
        }
    }

    /// The secret of a match, unless it is none.
    fn secret(&self, text: &[u8], captures: &Captures) -> Option<Secret> {
        let group = Self::group(captures)?;
        let Span { start, mut end } = group;
        let whole = captures.get_match()?.span();
        if let Some(value) = literal(text, start, end).filter(|_| self.rule.edge == Edge::Free) {
            return self.judged(text, whole, value);
        }
        match self.rule.edge {
            Edge::Exact if goes_on(text, end) || is_name(text.get(group.range())?) => return None,
            Edge::Free | Edge::Run if is_in_base64(text, start) || is_call(text, start, end) => return None,
            Edge::Free | Edge::Exact | Edge::Column => {}
            Edge::Run => end = end_of_run(text, start, end),
        }
        self.judged(text, whole, Span { start, end })
    }

    /// The secrets below the name of a column.
    fn below(&self, text: &[u8], name: Span) -> Vec<Secret> {
        let cells = column::cells(text, name).into_iter();
        cells.filter_map(|cell| self.judged(text, cell, cell)).collect()
    }

    /// A part of a match, or of what belongs to it, as a secret, unless it is none.
    fn judged(&self, text: &[u8], whole: Span, Span { start, mut end }: Span) -> Option<Secret> {
        let rule = self.rule;
        let mut masked = end;
        // Of a run that is longer than any password all is masked.
        if is_of_password(rule.judge) && end.saturating_sub(start) <= LONGEST_BYTES {
            (end, masked) = word::ends(text, start, end);
        }
        while let Some(length) =
            text.get(masked..).and_then(|rest| wrapped::joint(rest, true)).filter(|_| rule.edge == Edge::Free)
        {
            let half = text.get(masked + length..)?;
            masked = masked + length + half.iter().take_while(|byte| wrapped::is_token(**byte)).count();
        }
        let quote = |at: usize| text.get(at).filter(|byte| b"\"'`".contains(byte));
        let quoted = start.checked_sub(1).and_then(quote).is_some_and(|sign| quote(masked) == Some(sign));
        let secret = text.get(start..end)?;
        let lower = secret.to_ascii_lowercase();
        let allowed = self.allowed.get_or_init(|| compile_all(rule.allowed));
        let allowed_match = self.allowed_match.get_or_init(|| compile_all(rule.allowed_match));
        let none = secret.is_empty()
            || word::entropy(secret) < rule.entropy
            || !judged(rule.judge, secret, quoted)
            || word::is_its_name(text.get(whole.start..start)?, secret)
            || NEVER.is_in(secret)
            || allowed.iter().any(|allowed| allowed.is_in(secret))
            || allowed_match.iter().any(|allowed| allowed.is_in(text.get(whole.range()).unwrap_or_default()))
            || rules::STOP_WORDS.iter().any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some());
        (!none).then(|| Secret { start, end: masked, kind: rule.id.to_owned() })
    }
}

/// The string behind a type, or in a call that only makes a value of it: `Final = "…"`, `String::from("…")`.
fn literal(text: &[u8], start: usize, end: usize) -> Option<Span> {
    let (word, behind) = (text.get(start..end)?, text.get(end..)?);
    let is_call = word.ends_with(b"(") || behind.starts_with(b"(");
    let name = word.strip_suffix(b"(").unwrap_or(word);
    let last = name.rsplit(|byte| b":.".contains(byte)).next()?;
    let is_type = last.first()?.is_ascii_uppercase() || is_call && [&b"from"[..], b"new"].contains(&last);
    if !is_type || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_:.[]<>".contains(byte)) {
        return None;
    }
    let open = if is_call { behind.strip_prefix(b"(").unwrap_or(behind) } else { sign(behind)? };
    let (quote, string) = open.split_first().filter(|(quote, _)| b"\"'".contains(quote))?;
    let length = string.iter().take(LONGEST_BYTES).position(|byte| byte == quote || byte.is_ascii_whitespace())?;
    let start = text.len() - string.len();
    (string.get(length) == Some(quote)).then(|| Span { start, end: start + length })
}

/// What is behind the sign of an assignment.
fn sign(behind: &[u8]) -> Option<&[u8]> {
    let rest = behind.strip_prefix(b"]").unwrap_or(behind).trim_ascii_start();
    Some(rest.strip_prefix(b"=")?.trim_ascii_start())
}

/// Is it a password, which ends where a sentence or code has it?
fn is_of_password(judge: SecretTest) -> bool {
    !matches!(judge, SecretTest::Any | SecretTest::Random)
}

fn judged(judge: SecretTest, secret: &[u8], quoted: bool) -> bool {
    match judge {
        SecretTest::Any => true,
        SecretTest::Random => word::looks_random(secret),
        SecretTest::Password => word::looks_like_password(secret, quoted),
        SecretTest::Strong => word::is_strong(secret),
        SecretTest::Mixed => word::is_mixed_password(secret),
    }
}

/// Is a run that ends here longer than that? A sign between two letters joins them.
fn goes_on(text: &[u8], end: usize) -> bool {
    let at = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    letter(at(end)) || b"-+/=.@~".contains(&at(end)) && letter(at(end + 1))
}

/// A value of a fixed length that is a name: it has no digit.
fn is_name(secret: &[u8]) -> bool {
    !secret.iter().any(u8::is_ascii_digit) && !word::looks_random(secret)
}

/// Is it in the middle of letters and digits? A word can be glued to it, a number is not.
fn is_in_base64(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(BASE64_BYTES)..start).unwrap_or_default();
    let is_run = before.len() == BASE64_BYTES && before.iter().all(u8::is_ascii_alphanumeric);
    is_run && before.last().is_some_and(u8::is_ascii_digit)
}

/// A name that is called: `auth::auth_token(`. A token has digits.
fn is_call(text: &[u8], start: usize, end: usize) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || b"_.:".contains(byte);
    text.get(end) == Some(&b'(') && text.get(start..end).is_some_and(|word| word.iter().all(is_name))
}

/// The end of a token: letters and digits go on with it, a full stop at its end does not belong to it.
fn end_of_run(text: &[u8], start: usize, end: usize) -> usize {
    let found = text.get(start..end).unwrap_or_default();
    let stops = found.iter().rev().take_while(|byte| **byte == b'.').count();
    if stops > 0 {
        return end.saturating_sub(stops);
    }
    let behind = text.get(end..).unwrap_or_default();
    let run = behind.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    end + run
}

pub fn compile(pattern: &str) -> Pattern {
    Pattern::new(pattern, Reads::Bytes)
}

pub fn compile_all(patterns: &[&str]) -> Vec<Pattern> {
    patterns.iter().map(|pattern| compile(pattern)).collect()
}
