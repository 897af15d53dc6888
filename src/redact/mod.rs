//! Masking credentials: known forms become `[redacted:KIND]` before anything goes to a model or to a
//! file. One pass of a keyword automaton says which rules can match at all; only those patterns are
//! compiled. A match counts when it is random enough and holds nothing that a secret never holds.
//! Nothing of this is in the tools that run in a hook.

mod own;
mod rules;

use crate::config::Privacy;
use crate::exit::Failure;
use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

/// A secret that is glued to another one is seen when that one is masked: so often it is looked again.
const PASSES: usize = 8;
/// So many texts of so many bytes are searched word by word.
const SEARCHES: usize = 32;
const SHORT_BYTES: usize = 16 << 10;
/// The largest pattern that is compiled, in bytes of automaton.
const SIZE_LIMIT: usize = 20 << 20;

/// One form of a credential.
#[derive(Clone, Copy)]
pub struct Rule {
    /// What the mask says.
    pub id: &'static str,
    /// The form.
    pub pattern: &'static str,
    /// Without one of these words, in any case, the form cannot be there.
    pub keywords: &'static [&'static str],
    /// The least entropy of the secret, in bits a character.
    pub entropy: f64,
    /// The group that is the secret; 0 is the first one that took part, or else the whole match.
    pub group: usize,
    /// Patterns of secrets that are none.
    pub allowed: &'static [&'static str],
    /// Patterns of whole matches that are none.
    pub allowed_match: &'static [&'static str],
    /// Words that make a secret none.
    pub stop_words: &'static [&'static str],
}

impl Rule {
    /// A rule without conditions.
    const PLAIN: Self = Self {
        id: "",
        pattern: "",
        keywords: &[],
        entropy: 0.0,
        group: 0,
        allowed: &[],
        allowed_match: &[],
        stop_words: &[],
    };
}

/// A rule whose patterns are compiled when they are first needed.
struct Form {
    rule: Rule,
    pattern: OnceCell<Option<Regex>>,
    allowed: OnceCell<Vec<Regex>>,
    allowed_match: OnceCell<Vec<Regex>>,
}

/// Where a secret stands, and its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// The rule's id.
    pub kind: String,
}

/// Masks secrets.
pub struct Redactor {
    keywords: OnceCell<Option<AhoCorasick>>,
    /// The form that each keyword belongs to.
    forms_of: Vec<usize>,
    /// Texts that were searched without the automaton: it is worth its making only for many or long ones.
    searched: Cell<usize>,
    forms: Vec<Form>,
    never: OnceCell<Vec<Regex>>,
    added: Vec<Regex>,
    exempt: Vec<Regex>,
}

impl Redactor {
    /// A redactor with the user's own patterns and exemptions; status 78 when one does not compile.
    pub fn new(privacy: &Privacy) -> Result<Self, Failure> {
        let form = |rule: &Rule| Form {
            rule: *rule,
            pattern: OnceCell::new(),
            allowed: OnceCell::new(),
            allowed_match: OnceCell::new(),
        };
        let forms: Vec<Form> = own::RULES.iter().chain(rules::RULES).map(form).collect();
        let forms_of =
            forms.iter().enumerate().flat_map(|(at, form)| form.rule.keywords.iter().map(move |_| at)).collect();
        Ok(Self {
            keywords: OnceCell::new(),
            forms_of,
            searched: Cell::new(0),
            never: OnceCell::new(),
            added: compile_own("patterns", &privacy.patterns)?,
            exempt: compile_own("exempt", &privacy.exempt)?,
            forms,
        })
    }

    /// The text with its secrets masked, each once.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
        }
    }

    /// Masks a text in place.
    pub fn mask(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.redact(text) {
            *text = masked;
        }
    }

    /// The same for bytes of any kind.
    pub fn redact_bytes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..PASSES {
            let secrets = self.find(&text);
            if secrets.is_empty() {
                break;
            }
            text = Cow::Owned(masked(&text, secrets));
        }
        text
    }

    /// The places of the forms that can be in a text, since one of their keywords is.
    fn possible(&self, bytes: &[u8]) -> BTreeSet<usize> {
        let words = || self.forms.iter().flat_map(|form| form.rule.keywords.iter().copied());
        if bytes.len() <= SHORT_BYTES && self.searched.get() < SEARCHES {
            self.searched.set(self.searched.get().saturating_add(1));
            let lower = bytes.to_ascii_lowercase();
            let stands = |word: &str| memchr::memmem::find(&lower, word.to_ascii_lowercase().as_bytes()).is_some();
            return words().zip(&self.forms_of).filter(|(word, _)| stands(word)).map(|(_, at)| *at).collect();
        }
        let automaton = || AhoCorasick::builder().ascii_case_insensitive(true).build(words()).ok();
        let found = self.keywords.get_or_init(automaton).iter().flat_map(|words| words.find_overlapping_iter(bytes));
        found.filter_map(|word| self.forms_of.get(word.pattern().as_usize()).copied()).collect()
    }

    /// Where the secrets stand, in order, none inside another; on borders of characters.
    pub fn find(&self, bytes: &[u8]) -> Vec<Secret> {
        let mut secrets = Vec::new();
        for form in self.possible(bytes).into_iter().filter_map(|at| self.forms.get(at)) {
            self.matches(form, bytes, &mut secrets);
        }
        for pattern in &self.added {
            let own = |found: regex::bytes::Match<'_>| Secret {
                start: found.start(),
                end: found.end(),
                kind: "private".to_owned(),
            };
            secrets.extend(pattern.find_iter(bytes).filter(|found| !found.is_empty()).map(own));
        }
        secrets.retain(|secret| {
            let found = bytes.get(secret.start..secret.end).unwrap_or_default();
            !self.exempt.iter().any(|exempt| exempt.is_match(found))
        });
        let inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        for secret in &mut secrets {
            while inside(secret.start) {
                secret.start = secret.start.saturating_sub(1);
            }
            while inside(secret.end) {
                secret.end = secret.end.saturating_add(1);
            }
        }
        joined(secrets)
    }

    fn matches(&self, form: &Form, text: &[u8], secrets: &mut Vec<Secret>) {
        let rule = &form.rule;
        let Some(pattern) = form.pattern.get_or_init(|| compile(rule.pattern)) else { return };
        let allowed = form.allowed.get_or_init(|| compile_all(rule.allowed));
        let allowed_match = form.allowed_match.get_or_init(|| compile_all(rule.allowed_match));
        let never = || rules::NEVER.iter().chain(own::PLACEHOLDERS).filter_map(|pattern| compile(pattern)).collect();
        let never: &Vec<Regex> = self.never.get_or_init(never);
        for captures in pattern.captures_iter(text) {
            let group = match rule.group {
                0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()).or_else(|| captures.get(0)),
                group => captures.get(group),
            };
            let (Some(secret), Some(whole)) = (group, captures.get(0)) else { continue };
            let lower = secret.as_bytes().to_ascii_lowercase();
            let holds =
                |word: &&'static str| memchr::memmem::find(&lower, word.to_ascii_lowercase().as_bytes()).is_some();
            let none = secret.is_empty()
                || entropy(secret.as_bytes()) < rule.entropy
                || allowed.iter().chain(never).any(|allowed| allowed.is_match(secret.as_bytes()))
                || allowed_match.iter().any(|allowed| allowed.is_match(whole.as_bytes()))
                || rule.stop_words.iter().chain(rules::STOP_WORDS).any(holds);
            if !none {
                secrets.push(Secret { start: secret.start(), end: secret.end(), kind: rule.id.to_owned() });
            }
        }
    }
}

fn masked(text: &[u8], secrets: Vec<Secret>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut done = 0_usize;
    for secret in secrets {
        out.extend_from_slice(text.get(done..secret.start).unwrap_or_default());
        out.extend_from_slice(format!("[redacted:{}]", secret.kind).as_bytes());
        done = secret.end;
    }
    out.extend_from_slice(text.get(done..).unwrap_or_default());
    out
}

/// Secrets in order, those that overlap as one, of the kind of the longest.
fn joined(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.sort();
    let mut out: Vec<Secret> = Vec::new();
    for secret in secrets {
        match out.last_mut() {
            Some(last) if secret.start < last.end => {
                if secret.end.saturating_sub(secret.start) > last.end.saturating_sub(last.start) {
                    last.kind = secret.kind;
                }
                last.end = last.end.max(secret.end);
            }
            _ => out.push(secret),
        }
    }
    out
}

/// A text without what its writer marked `<private>…</private>`; a mark that is not closed reaches to
/// the end.
pub fn without_private(text: &str) -> Cow<'_, str> {
    if !text.contains("<private>") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<private>") {
        out.push_str(before);
        rest = behind.split_once("</private>").map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Shannon's entropy of the bytes, in bits a byte.
#[allow(clippy::cast_precision_loss)] // counts of bytes: far below 2^52
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count = count.saturating_add(1);
        }
    }
    let all = bytes.len() as f64;
    let bits = |count: usize| {
        let share = count as f64 / all;
        -share * share.log2()
    };
    counts.into_iter().filter(|count| *count > 0).map(bits).sum()
}

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build().ok()
}

fn compile_all(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| compile(pattern)).collect()
}

fn compile_own(key: &str, patterns: &[String]) -> Result<Vec<Regex>, Failure> {
    let one = |pattern: &String| {
        let built = RegexBuilder::new(pattern).unicode(false).size_limit(SIZE_LIMIT).build();
        let last = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().to_owned();
        built.map_err(|error| Failure::config(format!("[privacy] {key}: '{pattern}': {}", last(error))))
    };
    patterns.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(&Privacy::default()).unwrap()
    }

    #[test]
    fn every_pattern_of_the_table_compiles() {
        for rule in own::RULES.iter().chain(rules::RULES) {
            for pattern in [rule.pattern].iter().chain(rule.allowed).chain(rule.allowed_match) {
                assert!(compile(pattern).is_some(), "{}: {pattern}", rule.id);
            }
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
        }
        assert_eq!(compile_all(rules::NEVER).len(), rules::NEVER.len());
    }

    #[test]
    fn known_forms_are_masked_and_the_rest_stays() {
        let redactor = redactor();
        let aws = ["AKIA", "QYLPMN5HFIQR7XYA"].concat();
        let github = ["ghp_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].concat();
        let text = format!("use {aws} and\n`{github}`, not é1234.");
        assert_eq!(redactor.redact(&text), "use [redacted:aws-access-token] and\n`[redacted:github-pat]`, not é1234.");
        let plain = "commit 3f2a9c81d4e5f60718293a4b5c6d7e8f90123456 of https://host:8080/path, key: value";
        assert_eq!(redactor.redact(plain), plain);
    }

    #[test]
    fn our_own_forms_are_masked() {
        let redactor = redactor();
        for (text, masked) in [
            ("postgres://me:hunter2pass@db.local/x", "postgres://me:[redacted:url-password]@db.local/x"),
            ("redis://:s3cr3tw0rd@host", "redis://:[redacted:url-password]@host"),
            ("https://user:$PASS@host and http://a:b@c", "https://user:$PASS@host and http://a:b@c"),
            ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [redacted:authorization-header]"),
            ("authorization: Bearer <token>", "authorization: Bearer <token>"),
        ] {
            assert_eq!(redactor.redact(text), masked);
        }
        let head = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7v\n";
        let whole = format!("a {head}-----END RSA PRIVATE KEY----- z");
        assert_eq!(redactor.redact(&whole), "a [redacted:private-key] z");
        assert_eq!(redactor.redact(&format!("a {head}abc+/=")), "a [redacted:private-key]");
    }

    #[test]
    fn the_users_patterns_add_and_exempt() {
        let privacy = Privacy {
            patterns: vec!["acme-[0-9]+".to_owned()],
            exempt: vec!["^acme-1$".to_owned()],
            ..Privacy::default()
        };
        let redactor = Redactor::new(&privacy).unwrap();
        assert_eq!(redactor.redact("acme-1 acme-22"), "acme-1 [redacted:private]");
        let bad = Privacy { patterns: vec!["(".to_owned()], ..Privacy::default() };
        assert_eq!(Redactor::new(&bad).err().map(|failure| failure.exit.status()), Some(78));
    }

    #[test]
    fn private_parts_are_left_out_whole() {
        assert_eq!(without_private("a <private>b\nc</private> d <private>e"), "a  d ");
        assert_eq!(without_private("plain"), "plain");
    }

    #[test]
    fn a_mask_is_not_masked_again() {
        let redactor = redactor();
        for url in ["postgres://me:[redacted:url-password]@db/x", "https://[redacted:github-pat]@host/x"] {
            assert_eq!(redactor.redact(url), url);
        }
        let once = redactor.redact(&["token = \"", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7\""].concat()).into_owned();
        assert!(once.contains("[redacted:"), "{once}");
        assert_eq!(redactor.redact(&once), once);
    }
}
