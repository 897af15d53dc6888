//! What a verb says beside its stem: duty or fact, when, and who. A fact is not a duty, what was is not
//! what is, and what they do is not what we do.

use super::{Claim, Token};

/// Moods that make a duty of a fact. What will be is told as what is: a plan is both.
const DUTIES: &[&str] = &["must", "should"];

/// What is compared where both say it: who acts, and whose it is.
const GROUPS: &[&str] = &["who", "whose"];

/// Verbs of the present that end as the conditional does.
const PRESENT: &[&str] = &["varía", "varían"];

/// The time that the end of a Spanish verb in lower case tells, of those that are not a mood of the whole
/// sentence. The plural of a noun with such an end tells the same.
pub fn tense(word: &str) -> Option<&'static str> {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.strip_suffix('s').unwrap_or(word).ends_with(end));
    let would = ["aría", "arían", "aríamo", "ería", "erían", "eríamo", "iría", "irían", "iríamo"];
    if word.chars().count() < 5 || PRESENT.contains(&word) {
        None
    } else if ends(&["aba", "aban", "ábamo"]) {
        Some("imperfect")
    } else {
        ends(&would).then_some("would")
    }
}

/// Who acts, as the end of a Spanish verb tells that begins a sentence.
pub fn person(word: &str) -> Option<&'static str> {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if word.chars().count() < 4 {
        None
    } else if ends(&["amos", "emos", "imos"]) {
        Some("we")
    } else {
        ends(&["an", "en"]).then_some("they")
    }
}

impl Claim {
    /// The claim of something that happens: when it is told does not matter.
    #[must_use]
    pub fn timeless(self) -> Self {
        Self { timeless: true, ..self }
    }

    /// Whether their verbs say two things.
    pub fn differs_in_verbs(&self, other: &Self) -> bool {
        let one_way = |a: &Self, b: &Self| a.is_duty_of(b) || a.is_past_of(b);
        let timed = !self.timeless && !other.timeless;
        one_way(self, other) || one_way(other, self) || timed && self.tenses != other.tenses || self.has_others(other)
    }

    /// Whether what this one says must be so is so in the other. "We should use X" and "use X" are one: a
    /// duty without a subject of its own is an order, and so is a verb before what is its subject here.
    fn is_duty_of(&self, other: &Self) -> bool {
        let has = |claim: &Self| DUTIES.iter().any(|duty| claim.mild.contains(duty));
        let states = |at: &usize| {
            let subject = at.checked_sub(1).and_then(|before| self.tokens.get(before));
            let behind = self.tokens.iter().skip(*at);
            let verb = behind.clone().find(|(token, _)| matches!(token, Token::Word(_) | Token::Name(_)));
            subject.zip(verb).is_some_and(|(subject, verb)| other.states(&subject.0, &verb.0, verb.1.is))
        };
        has(self) && !has(other) && self.duties.iter().any(states)
    }

    /// Whether a subject does something: the verb is behind it, with a form of "to be" or without.
    fn states(&self, subject: &Token, verb: &Token, is: bool) -> bool {
        let place = |wanted: &Token| self.tokens.iter().position(|(token, _)| token == wanted);
        let Some((first, last)) = place(subject).zip(place(verb)).filter(|(first, last)| first < last) else {
            return false;
        };
        let between = self.tokens.get(first..=last).unwrap_or_default();
        let (clause, form) =
            (between.iter().all(|(token, _)| *token != Token::Break), between.last().map(|word| word.1));
        // Of "for profile deploys" neither word is a subject; of "la base de datos" both are.
        let phrase = self.tokens.get(..=first).unwrap_or_default();
        let head = phrase.iter().rposition(|(_, form)| !form.joined).unwrap_or_default();
        let owned = phrase.get(..head).and_then(<[_]>::last).is_some_and(|(token, _)| *token == Token::Soft("de"));
        let led = !owned && phrase.get(head).is_some_and(|(_, form)| form.led);
        clause && !led && form.is_some_and(|form| !form.subject && !form.gerund && form.is == is)
    }

    /// Whether "reviewed" in this one is "reviews" in the other, behind the same subject and before an object.
    fn is_past_of(&self, other: &Self) -> bool {
        let with_subject = |claim: &Self, at: usize| {
            let subject = at.checked_sub(1).and_then(|before| claim.tokens.get(before)).map(|(token, _)| token.clone());
            subject.filter(|token| matches!(token, Token::Word(_) | Token::Name(_)))
        };
        let mut past = self.tokens.iter().enumerate().filter(|(at, (token, form))| {
            let object = self.tokens.get(at.saturating_add(1)).is_some_and(|(token, _)| *token != Token::Break);
            form.past && object && matches!(token, Token::Word(_))
        });
        !self.timeless
            && !other.timeless
            && past.any(|(at, (verb, _))| {
                let subject = with_subject(self, at);
                let mut others =
                    other.tokens.iter().enumerate().filter(|(_, (token, form))| token == verb && form.third);
                subject.is_some() && others.any(|(at, _)| with_subject(other, at) == subject)
            })
    }

    /// Whether both say who acts, or whose something is, and not the same.
    fn has_others(&self, other: &Self) -> bool {
        let of = |claim: &Self, group: &str| -> Vec<&str> {
            claim.persons.iter().filter(|(known, _)| *known == group).map(|(_, who)| *who).collect()
        };
        GROUPS.iter().any(|group| {
            let (mine, theirs) = (of(self, group), of(other, group));
            !mine.is_empty() && !theirs.is_empty() && mine != theirs
        })
    }
}
