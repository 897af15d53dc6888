//! Reading a sentence as a claim, word by word.

use super::word::{self, Language, Use};
use super::{Claim, Form, Token, verb};
use crate::base::text;

impl Claim {
    /// What a sentence claims.
    pub fn read(sentence: &str) -> Self {
        let sentence =
            without_lead(sentence).replace(['’', '‘'], "'").replace(['`', '"', '“', '”', '«', '»', '*'], " ");
        let lower: Vec<String> = sentence.split_whitespace().map(|token| bare(token).to_lowercase()).collect();
        let language = word::language(lower.iter().map(String::as_str));
        let shouts = !sentence.chars().any(char::is_lowercase);
        let letters = lower.iter().any(|word| word::is_letter(word, language));
        let mut reader = Reader { language, shouts, letters, ..Reader::default() };
        for (at, token) in sentence.split_whitespace().enumerate() {
            reader.token(token, lower.get(at.saturating_add(1)).map(String::as_str).unwrap_or_default());
        }
        let mut claim = reader.claim;
        claim.mark_attributes();
        claim.canonical = text::canonical(&sentence);
        let wordless = claim.canonical.is_empty();
        let signs = sentence.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace());
        claim.signs = signs.filter(|c| wordless || !c.is_ascii()).collect();
        claim.written = lower.iter().flat_map(|token| text::words(token)).map(str::to_owned).collect();
        let asks = |pair: &[String]| matches!(pair, [first, second] if word::begins_question(first, second));
        if sentence.trim_end().ends_with('?') || lower.get(..2).is_some_and(asks) {
            claim.moods.insert("asks");
        }
        while claim.tokens.last().is_some_and(|(token, _)| *token == Token::Break) {
            claim.tokens.pop();
        }
        claim.with_key()
    }

    /// A participle before its noun is what the noun is like, and no form of the verb: signed files are not
    /// files to sign.
    fn mark_attributes(&mut self) {
        let next: Vec<bool> = self
            .tokens
            .iter()
            .skip(1)
            .map(|(token, form)| matches!(token, Token::Word(_)) && form.joined && !form.led)
            .collect();
        for ((token, form), before_noun) in self.tokens.iter_mut().zip(next) {
            if let Token::Word(word) = token
                && form.participle
                && !form.passive
                && before_noun
            {
                word.push_str("+ed");
            }
        }
    }
}

/// What a lead has that only says that something was said before, and what stands beside it there.
const SAID: &[&str] = &[
    "acordamos", "agreed", "decided", "decidido", "decidimos", "decidió", "decision", "decisión", "dijimos",
    "mentioned", "noted", "recorded", "remembered", "said",
];
const BESIDE_SAID: &[&str] = &[
    "already", "antes", "anterior", "as", "before", "como", "earlier", "en", "from", "have", "i", "in", "it", "la",
    "last", "memory", "on", "per", "previous", "previously", "se", "session", "sesión", "the", "then", "was", "we",
    "were", "ya",
];
/// What a session's start writes before an item's day and id.
const TOLD_AS: &[&str] = &["fact", "failed", "learned", "wish"];

/// A sentence without a lead that only says that it was said before: "As decided earlier, …", "decided 2026-04-13
/// (89d3b8): …". Who repeats a claim makes no second one.
fn without_lead(sentence: &str) -> &str {
    let (mut says, mut tells, mut marks, mut length) = (false, false, false, 0_usize);
    for token in sentence.split_inclusive(char::is_whitespace) {
        length = length.saturating_add(token.len());
        let token = token.trim_end();
        let word = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_lowercase();
        let is_mark = || word.contains(|c: char| c.is_ascii_digit()) && is_hex(&word);
        match word.as_str() {
            "that" | "to" | "que" | "" => {}
            word if SAID.contains(&word) => says = true,
            word if TOLD_AS.contains(&word) => tells = true,
            word if BESIDE_SAID.contains(&word) => {}
            _ if is_mark() => marks = true,
            _ => return sentence,
        }
        if token.ends_with([',', ':']) || matches!(word.as_str(), "that" | "to" | "que") {
            break;
        }
    }
    let rest = sentence.get(length..).unwrap_or_default();
    let is_lead = (says && !tells || tells && marks) && !rest.trim().is_empty();
    if is_lead { rest } else { sentence }
}

/// Whether a word is one of a day or of an id.
fn is_hex(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// A token without the punctuation around it.
fn bare(token: &str) -> &str {
    let token =
        token.trim_start_matches(|c: char| !c.is_alphanumeric() && !word::is_sign(c) && !matches!(c, '-' | '.' | '!'));
    let token = token.trim_end_matches(|c: char| !c.is_alphanumeric() && (!word::is_sign(c) || c == ':'));
    if token.starts_with("..") { token.trim_start_matches('.') } else { token }
}

/// Reads the words of a sentence in their order.
#[derive(Default)]
struct Reader {
    claim: Claim,
    language: Language,
    /// No small letter: capitals say nothing.
    shouts: bool,
    /// Single letters are names: beside a "b", "a" is not an article.
    letters: bool,
    /// The word before was "tener".
    must: bool,
    /// What is known of the words before, as far as they belong together.
    near: Near,
}

#[derive(Default)]
struct Near {
    be: bool,
    /// Of any verb it makes a passive.
    any: bool,
    led: bool,
    of: bool,
    subject: bool,
    passive: bool,
    /// A word that is dropped was before.
    gap: bool,
}

impl Reader {
    fn token(&mut self, token: &str, next: &str) {
        let opens = token.starts_with(['(', '[', '{']);
        let ends = token.ends_with([',', ';', ':', '.', '!', ')', ']', '}']) || matches!(token, "-" | "–" | "—" | "/");
        if opens {
            self.stop();
        }
        let first = self.claim.tokens.is_empty();
        let plain = bare(token);
        let lower = plain.to_lowercase();
        // Plan A is not an article, IT is not a pronoun.
        let capitals = plain.chars().all(char::is_uppercase) && !self.shouts;
        let little = || matches!(word::use_of(&lower, self.language), Use::None | Use::Subject | Use::Be { .. });
        let named = capitals && (plain.chars().count() == 1 && !first || plain.len() > 1 && little());
        let named = named || self.letters && lower == "a";
        // An answer, and what follows is not denied.
        let answers = ends && matches!(lower.as_str(), "no" | "not" | "yes" | "sí");
        if lower.is_empty() || matches!(plain, "-" | "/") {
        } else if plain.starts_with('-') || !named && word::is_name(plain) {
            // A flag, a file or an identifier has its case: Foo.java is another file than foo.java.
            self.push(Token::Name(plain.to_owned()));
        } else if named || answers {
            self.push(Token::Name(lower));
        } else if word::is_break(&lower, self.language) {
            self.stop();
        } else {
            text::words(&lower).for_each(|part| self.word(part, next));
        }
        if ends {
            self.stop();
        }
    }

    fn word(&mut self, word: &str, next: &str) {
        if self.mood_before(word, next) {
            return;
        }
        self.person(word);
        match word::use_of(word, self.language) {
            Use::None => self.near.gap = true,
            Use::Subject => (self.near.subject, self.near.gap) = (true, true),
            Use::Be { any } => (self.near.be, self.near.any, self.near.gap) = (true, any, true),
            Use::Mood(mood) => {
                self.near.be |= mood == "past";
                self.claim.moods.insert(mood);
            }
            Use::Mild(mood) => self.mild(mood),
            Use::Soft("of" | "de") if matches!(self.claim.tokens.last(), Some((Token::Hard("instead"), _))) => {}
            // "By using" and "with the use of" are no more than "using".
            Use::Soft("by") if next.ends_with("ing") => {}
            Use::Soft(role) => {
                self.claim.agent |= role == "by" && self.near.passive;
                // An article where no language is known.
                self.near.led |= !matches!(role, "a" | "of");
                self.near.of |= role == "of";
                self.near.gap = true;
                self.claim.tokens.push((Token::Soft(role), Form::default()));
            }
            Use::Hard(role) => self.turn(role),
            Use::Content => self.content(word),
        }
    }

    /// Whether a word is no more than a mood of what follows it.
    fn mood_before(&mut self, word: &str, next: &str) -> bool {
        let spanish = self.language == Language::Spanish;
        if spanish {
            let tener = matches!(word, "tengo" | "tiene" | "tienen" | "tenemos" | "hay") && next == "que";
            if tener {
                self.mild("must");
            }
            return tener;
        }
        if word == "a" && matches!(next, "few" | "little") {
            self.turn("some");
            return true;
        }
        if word == "to" && std::mem::take(&mut self.must) {
            return true;
        }
        if next == "to"
            && (word != "going" || self.near.be)
            && let Some(mood) = word::before_to(word)
        {
            self.mild(mood);
            self.must = true;
            return true;
        }
        if matches!(word, "have" | "has") && (next == "been" || word::is_participle(next, self.language)) {
            self.claim.moods.insert("past");
            return true;
        }
        false
    }

    /// What must, should or will be; what comes next has a subject of its own if that is not "we".
    fn mild(&mut self, mood: &'static str) {
        self.claim.mild.insert(mood);
        let behind = matches!(self.claim.tokens.last(), Some((Token::Word(_) | Token::Name(_), _)));
        if behind && !self.near.subject {
            self.claim.duties.push(self.claim.tokens.len());
        }
    }

    /// Who acts, if the word says so at the head of a clause, and whose something is.
    fn person(&mut self, word: &str) {
        let head = self.claim.tokens.last().is_none_or(|(token, _)| *token == Token::Break) && !self.near.be;
        let spanish = self.language == Language::Spanish;
        let who = match word {
            _ if spanish && head && word::use_of(word, self.language) == Use::Content => verb::person(word),
            _ if spanish => None,
            "we" | "we'll" => Some("we"),
            "it" if head => Some("it"),
            _ => None,
        };
        let whose = ["our", "its"].into_iter().find(|known| !spanish && *known == word);
        self.claim.persons.extend(who.map(|who| ("who", who)).into_iter().chain(whose.map(|whose| ("whose", whose))));
    }

    /// "instead of", "rather than", "en lugar de", "en vez de" and ", not" are one.
    fn turn(&mut self, role: &'static str) {
        let last = self.claim.tokens.last().map(|(token, _)| token.clone());
        let role = match (role, last) {
            ("than", Some(Token::Hard("instead"))) => return,
            ("not", Some(Token::Break)) => "instead",
            _ => role,
        };
        if role == "instead" && matches!(self.claim.tokens.last(), Some((Token::Break, _))) {
            self.claim.tokens.pop();
        }
        self.near.gap = true;
        self.claim.tokens.push((Token::Hard(role), Form::default()));
    }

    fn content(&mut self, word: &str) {
        let place = matches!(self.claim.tokens.last(), Some((Token::Soft("in"), _)));
        if self.language == Language::Spanish && matches!(word, "lugar" | "vez") && place {
            self.claim.tokens.pop();
            return self.turn("instead");
        }
        self.claim.moods.extend(word::tense(word, self.language));
        if self.language != Language::English {
            self.claim.tenses.extend(verb::tense(word));
        }
        let starts = self.near.subject || self.claim.tokens.last().is_none_or(|(token, _)| *token == Token::Break);
        if starts && !self.near.be && word.ends_with("ed") && !word.ends_with("eed") {
            self.claim.moods.insert("past");
        }
        let participle = word::is_participle(word, self.language);
        let passive = self.near.be && (self.near.any || participle);
        self.near.passive |= passive;
        let is = self.near.be;
        self.push(Token::Word(word::stem(word, self.language)));
        if let Some((_, form)) = self.claim.tokens.last_mut() {
            form.gerund = word.ends_with("ing");
            form.participle = participle || passive && self.near.any;
            form.passive = passive;
            form.is = is;
            let english = self.language != Language::Spanish;
            form.past = english && !is && word.ends_with("ed") && !word.ends_with("eed");
            form.third = english && !is && word.ends_with('s') && !word.ends_with("ss");
            form.bare = self.language != Language::Spanish && !["s", "ed", "ing"].iter().any(|end| word.ends_with(end));
        }
        (self.near.be, self.near.any) = (false, false);
    }

    fn push(&mut self, token: Token) {
        let Near { be, any, led, of, subject, passive, gap } = std::mem::take(&mut self.near);
        self.claim.tokens.push((token, Form { led, of, subject, joined: !gap, ..Form::default() }));
        self.near = Near { be, any, passive, ..Near::default() };
    }

    fn stop(&mut self) {
        self.near = Near { gap: true, ..Near::default() };
        if self.claim.tokens.last().is_some_and(|(token, _)| *token != Token::Break) {
            self.claim.tokens.push((Token::Break, Form::default()));
        }
    }
}
