//! Masking credentials: known forms become `[redacted:KIND]` before anything goes to a model or to a
//! file. One pass for keywords says which rules can match, and where; each reads only there. A
//! match counts when it is random enough and holds nothing that a secret never holds. All is linear in
//! the text. Nothing of this is in the tools that run in a hook.

mod asked;
mod column;
mod keys;
mod known;
mod learned;
mod masking;
mod own;
mod private;
mod rule;
mod rules;
mod runs;
mod scan;
mod view;
mod word;
mod wrapped;

pub use masking::mask_log;

use crate::base::config::Privacy;
use crate::base::exit::Failure;
use crate::base::keywords::Keywords;
use learned::Learned;
pub use private::{private_parts, without_private};
use regex::bytes::{Regex, RegexBuilder};
pub use rule::Secret;
use scan::Form;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;
#[cfg(test)]
pub(crate) use tests::redactor;
use view::View;

/// A secret that is glued to another one is seen when that one is masked: so often it is looked again.
const PASSES: usize = 8;
/// The largest pattern of a user that is compiled, in bytes of automaton.
const SIZE_LIMIT: usize = 20 << 20;
/// So many bytes before a keyword are searched: the longest part of a form that is before its keyword.
const BEFORE_BYTES: usize = 160;

/// What a form reads of a text.
#[derive(Clone, Default)]
struct FormRanges {
    /// In order, apart from each other.
    ranges: Vec<(usize, usize)>,
    /// Whether one of the words that it needs besides its keywords is in the text.
    is_also_there: bool,
}

impl FormRanges {
    fn add(&mut self, start: usize, end: usize) {
        match self.ranges.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => self.ranges.push((start, end)),
        }
    }
}

/// What a word is to a form.
#[derive(Clone, Copy, Debug)]
enum KeywordUse {
    /// The form can be where it is.
    Here(usize),
    /// The form can be in the text.
    Also(usize),
}

/// The forms of all rules, and where their keywords are.
struct Forms {
    keywords: Keywords<KeywordUse>,
    all: Vec<Form>,
}

/// Made when a text is masked for the first time: it takes half a millisecond, and a start has asked git by then.
static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let all: Vec<Form> = own::rules().chain(&*rules::RULES).map(Form::new).collect();
    let of = |(at, form): (usize, &Form)| {
        let here = form.rule.keywords.iter().map(move |word| (*word, KeywordUse::Here(at)));
        here.chain(form.rule.also.iter().map(move |word| (*word, KeywordUse::Also(at))))
    };
    Forms { keywords: Keywords::new(all.iter().enumerate().flat_map(of)), all }
});

impl Forms {
    /// The parts of a text that each form can be in, since one of its keywords is there; nothing where the text has none,
    /// as most have.
    fn parts(&self, bytes: &[u8]) -> Vec<FormRanges> {
        let mut all: Vec<FormRanges> = Vec::new();
        self.keywords.each_in(bytes, |uses, start, end| {
            if all.is_empty() {
                all.resize(self.all.len(), FormRanges::default());
            }
            for used in uses {
                match used {
                    KeywordUse::Also(form) => all[*form].is_also_there = true,
                    KeywordUse::Here(form) if self.is_among_enough(*form, bytes, start) => {
                        let end = (end + self.all[*form].rule.reach).min(bytes.len());
                        all[*form].add(start.saturating_sub(BEFORE_BYTES), end);
                    }
                    KeywordUse::Here(_) => {}
                }
            }
        });
        for (form, part) in self.all.iter().zip(&mut all) {
            if !part.is_also_there && !form.rule.also.is_empty() {
                part.ranges.clear();
            }
        }
        all
    }

    /// Whether a form's keyword counts at a place: for some, only in a long word.
    fn is_among_enough(&self, form: usize, bytes: &[u8], at: usize) -> bool {
        let wanted = self.all[form].rule.least;
        // `input_tokens` are counted in each record of a transcript.
        let is_count = || bytes[..at].ends_with(b"put_");
        if wanted == 0 { !is_count() } else { wrapped::is_long(bytes, at, wanted) }
    }
}

/// Masks secrets.
pub struct Redactor {
    added: Vec<Regex>,
    exempt: Vec<Regex>,
    learned: RefCell<Learned>,
}

thread_local! {
    static LAST: RefCell<Option<(Privacy, Rc<Redactor>)>> = const { RefCell::new(None) };
}

impl Redactor {
    /// The redactor of this thread's log: what it learns in a session is masked there, too.
    pub fn shared(privacy: &Privacy) -> Result<Rc<Self>, Failure> {
        let known = LAST.with_borrow(Clone::clone).filter(|(of, _)| of == privacy);
        if let Some((_, redactor)) = known {
            return Ok(redactor);
        }
        let redactor = Rc::new(Self::new(privacy)?);
        LAST.set(Some((privacy.clone(), Rc::clone(&redactor))));
        Ok(redactor)
    }

    /// A redactor with the user's own patterns and exemptions; status 78 when one does not compile.
    pub fn new(privacy: &Privacy) -> Result<Self, Failure> {
        Ok(Self {
            added: compile_own("patterns", &privacy.patterns, privacy)?,
            exempt: compile_own("exempt", &privacy.exempt, privacy)?,
            learned: RefCell::default(),
        })
    }

    /// The text with its secrets masked, each once.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
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

    /// Where the secrets stand, in order, none inside another; on borders of characters.
    pub fn find(&self, bytes: &[u8]) -> Vec<Secret> {
        let view = View::new(bytes);
        let text: &[u8] = &view.text;
        let mut secrets = Vec::new();
        keys::find(text, &mut secrets);
        runs::find(text, &mut secrets);
        for (form, part) in FORMS.all.iter().zip(FORMS.parts(text)).filter(|(_, part)| !part.ranges.is_empty()) {
            form.find(text, &part.ranges, &mut secrets);
        }
        for found in self.added.iter().flat_map(|pattern| pattern.find_iter(text)).filter(|found| !found.is_empty()) {
            secrets.push(Secret { start: found.start(), end: found.end(), kind: "private".to_owned() });
        }
        let is_exempt = |found: &[u8]| self.exempt.iter().any(|exempt| exempt.is_match(found));
        secrets.retain(|secret| !is_exempt(&text[secret.start..secret.end]));
        let mut learned = self.learned.borrow_mut();
        for Secret { start, end, kind } in secrets.iter().filter(|secret| learned::is_named(&secret.kind)) {
            learned.learn(&text[*start..*end], kind);
        }
        learned.find(text, &mut secrets);
        let inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        for secret in &mut secrets {
            (secret.start, secret.end) = view.range(secret.start, secret.end);
            while inside(secret.start) && secret.start > 0 {
                secret.start -= 1;
            }
            while inside(secret.end) {
                secret.end += 1;
            }
        }
        learned.find_answer(bytes, &mut secrets);
        joined(secrets)
    }
}

fn masked(text: &[u8], secrets: Vec<Secret>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut done = 0_usize;
    for secret in secrets {
        out.extend_from_slice(&text[done..secret.start]);
        out.extend_from_slice(format!("[redacted:{}]", secret.kind).as_bytes());
        done = secret.end;
    }
    out.extend_from_slice(&text[done..]);
    out
}

/// Secrets in order, those that overlap as one, of the kind of the longest.
fn joined(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.sort();
    let mut out: Vec<Secret> = Vec::new();
    for secret in secrets {
        match out.last_mut() {
            Some(last) if secret.start < last.end => {
                if secret.end - secret.start > last.end - last.start {
                    last.kind = secret.kind;
                }
                last.end = last.end.max(secret.end);
            }
            _ => out.push(secret),
        }
    }
    out
}

fn compile_own(key: &str, patterns: &[String], privacy: &Privacy) -> Result<Vec<Regex>, Failure> {
    // The pattern itself is not said: it can be the very secret that it is to find.
    let one = |(at, pattern): (usize, &String)| {
        let position = privacy.positions.get(pattern).map(|position| format!("{position}: ")).unwrap_or_default();
        let number = at + 1;
        let built = RegexBuilder::new(pattern).unicode(false).size_limit(SIZE_LIMIT).build();
        let last = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().to_owned();
        built.map_err(|error| Failure::config(format!("{position}[privacy] {key}: entry {number}: {}", last(error))))
    };
    patterns.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of the usual configuration.
    pub fn redactor() -> Redactor {
        Redactor::new(&Privacy::default()).unwrap()
    }

    /// The lines of tests/secrets/words.tsv with a label: a text, and what is told of it.
    pub fn examples(label: &str) -> Vec<[String; 2]> {
        let lines = include_str!("../../tests/secrets/words.tsv").lines().map(|line| line.split('\t'));
        let with_label = lines.filter_map(|mut fields| (fields.next() == Some(label)).then_some(fields));
        let text = |text: Option<&str>| text.unwrap_or_default().replace("\\n", "\n");
        let found: Vec<_> = with_label.map(|mut fields| [text(fields.next()), text(fields.next())]).collect();
        assert!(found.len() > 4, "{label}");
        found
    }

    #[test]
    fn chance_passwords_and_versions_are_told_from_words() {
        type Labelled = (&'static str, bool, fn(&[u8]) -> bool);
        let tables: [Labelled; 6] = [
            ("random", true, word::looks_random),
            ("name", false, word::looks_random),
            ("password", true, |word| word::looks_like_password(word, false)),
            ("word", false, |word| word::looks_like_password(word, false)),
            ("known", true, known::is_known),
            ("unknown", false, known::is_known),
        ];
        for (label, wanted, is_one) in tables {
            for [word, _] in examples(label) {
                assert_eq!(is_one(word.as_bytes()), wanted, "{label}: {word}");
            }
        }
    }

    #[test]
    fn every_pattern_of_the_table_compiles() {
        for rule in own::rules().chain(&*rules::RULES) {
            for pattern in [&*rule.whole()].iter().chain(rule.allowed).chain(rule.allowed_match) {
                assert!(scan::compile(pattern).is_valid(), "{}: {pattern}", rule.id);
            }
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            for word in rule.keywords.iter().chain(rule.also) {
                assert!(!word.is_empty() && *word == word.to_ascii_lowercase(), "{}: {word}", rule.id);
            }
        }
        assert!(
            rules::RULES.len() > 200
                && rules::TOKENS.len() > 150
                && rules::STOP_WORDS.len() > 1
                && rules::never().count() > 12
        );
        // A run is compiled once for each count that it can have.
        let counted = Regex::new(r"\{\d+,(\d+)\}").unwrap();
        for rule in own::rules() {
            for found in counted.captures_iter(rule.pattern.as_bytes()) {
                let most: usize = std::str::from_utf8(&found[1]).unwrap().parse().unwrap();
                assert!(most <= 60, "{}: {}", rule.id, rule.pattern);
            }
        }
        assert!(scan::NEVER.is_valid());
    }

    /// A rule is compiled at the first text that has its keyword: that costs milliseconds at each start.
    #[test]
    fn ordinary_words_compile_no_rule_of_a_token() {
        for rule in own::rules().filter(|rule| rule.edge == rule::Edge::Run) {
            assert!(rule.least > 0 || rule.keywords.iter().all(|word| word.len() >= 3), "{}", rule.id);
        }
        let prose = "We should not do it at night - or end the task with a pipe | and/or a short path.\n\
            Both robots ask for a well-known, much longer negocio; first. He patched the light model and odd things.";
        let redactor = redactor();
        for text in [prose.to_owned(), prose.repeat(200)] {
            let parts = FORMS.parts(text.as_bytes()).into_iter();
            let compiled =
                FORMS.all.iter().zip(parts).filter(|(_, part)| !part.ranges.is_empty()).map(|(form, _)| form);
            let ids: Vec<&str> =
                compiled.filter(|form| form.rule.edge == rule::Edge::Run).map(|form| form.rule.id).collect();
            assert_eq!(ids, Vec::<&str>::new());
        }
        let hex = "3f2a9c81d4e5f607".repeat(4);
        for line_break in ["", "\n", "\r\n", "\n    "] {
            let text = format!("a {}{line_break}{}-{}-{} b", &hex[..10], &hex[10..32], &hex[32..40], &hex[40..48]);
            // Broken, it is put together only where its keyword is before the break.
            assert_eq!(redactor.redact(&text).contains("[redacted:mailgun-key]"), line_break.is_empty(), "{text}");
            let text = format!("a {}-{}-{}{line_break}{} b", &hex[..32], &hex[32..40], &hex[40..44], &hex[44..48]);
            assert!(redactor.redact(&text).contains("[redacted:mailgun-key]"), "{text}");
        }
    }

    #[test]
    fn what_a_form_needs_besides_its_keyword_is_in_each_text_that_it_matches() {
        let redactor = redactor();
        let prose = "the line of a test\n".repeat(900);
        let names = "credentials|prod db creds|x_salt|frase de paso|senha|clave|wifi psk|contraseña|db_cred|ci auth code|\
            bPat|*bPAT*|gh_pat|mot de passe|palavra-passe|Kennwort|rootpw|passcode|api key|secret|token|db_auth";
        let cells = names.split('|').map(|name| format!("| {name} | Sommer2024!x9 |"));
        let options = ["foo -u root\t-pX9vK2qLm7Rt", "ldap -u root\n-w X9vK2qLm7Rt", "ldap -u root -xp X9vK2qLm7Rt"];
        for line in cells.chain(options.map(str::to_owned)) {
            for before in ["", &prose] {
                redactor.begin();
                assert!(redactor.redact(&format!("{before}{line}\n")).contains("[redacted:"), "{line}");
            }
        }
    }

    #[test]
    fn our_own_forms_are_masked() {
        let redactor = redactor();
        for [text, masked] in examples("form") {
            redactor.begin();
            assert_eq!(redactor.redact(&text), masked);
        }
        let head = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7v\n";
        let whole = format!("a {head}-----END RSA PRIVATE KEY----- z");
        assert_eq!(redactor.redact(&whole), "a [redacted:private-key] z");
        assert_eq!(redactor.redact(&format!("a {head}abc+/=")), "a [redacted:private-key]");
        // Of line ends of two characters each second line is empty.
        let long = format!("{}{}", head, "QgHzV4mN0pXr7tYw2uIoP5aSdF8gHjK1\n".repeat(20));
        let whole = format!("a {long}-----END RSA PRIVATE KEY----- z");
        for end in ["\r\n", "\n\n", "\\r\\n", "\\n\"\n\""] {
            assert_eq!(redactor.redact(&whole.replace('\n', end)), "a [redacted:private-key] z", "{end:?}");
        }
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
