//! What a rule is: a form, where it ends, and what must be true of a secret of that form.

use std::borrow::Cow;

/// How the end of a match is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The match is the secret.
    Free,
    /// A token: letters and digits behind it belong to it, a full stop at its end does not.
    Run,
    /// A value of a fixed length: it is none if the run goes on behind it.
    Exact,
    /// The name of a column: what is below it is looked at.
    Column,
}

/// How the secret itself is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretTest {
    /// Its entropy and the placeholders decide.
    Any,
    /// It must look random, as no name and no word does.
    Random,
    /// It must look like a password: no dictionary word, no name, no code.
    Password,
    /// In a sentence: random, or a password of several kinds of signs.
    Strong,
    /// Where much else can be: a password of several kinds of signs.
    Mixed,
}

/// One form of a credential. Runs in a pattern are open (`{8,}`) or short: a run with a large upper bound
/// is compiled once for each count, and then a start whose text says "cookie" takes 70 ms longer.
#[derive(Clone, Copy)]
pub struct SecretRule {
    /// What the mask says.
    pub id: &'static str,
    /// What comes before the form.
    pub before: &'static str,
    /// The form; its first group that took part is the secret, or else the whole match.
    pub pattern: &'static str,
    /// Without one of these words, in any case and at most `reach` bytes away, the form cannot be there.
    pub keywords: &'static [&'static str],
    /// A keyword that is in ordinary words counts only in so many bytes without a blank: else each text
    /// would compile the pattern.
    pub least: usize,
    /// One of these must be in the text, too, where there are any: the pattern cannot match without, and its keywords are
    /// in ordinary words.
    pub also: &'static [&'static str],
    /// The least entropy of the secret, in bits a character.
    pub entropy: f64,
    /// Where the secret ends.
    pub edge: Edge,
    /// What it must look like.
    pub judge: SecretTest,
    /// So many bytes before and behind a keyword are searched.
    pub reach: usize,
    /// Patterns of secrets that are none.
    pub allowed: &'static [&'static str],
    /// Patterns of whole matches that are none.
    pub allowed_match: &'static [&'static str],
}

impl SecretRule {
    /// The whole pattern.
    pub fn whole(&self) -> Cow<'static, str> {
        if self.before.is_empty() { self.pattern.into() } else { format!("{}({})", self.before, self.pattern).into() }
    }

    /// A rule without conditions.
    pub const PLAIN: Self = Self {
        id: "",
        before: "",
        pattern: "",
        keywords: &[],
        least: 0,
        also: &[],
        entropy: 0.0,
        edge: Edge::Free,
        judge: SecretTest::Any,
        reach: 400,
        allowed: &[],
        allowed_match: &[],
    };
}

/// A rule on a line: its id, keywords and pattern, and where another field is not as in [`SecretRule::PLAIN`], that.
macro_rules! rule {
    ($id:expr, $keywords:expr, $pattern:expr $(, $field:ident: $value:expr)* $(,)?) => {
        SecretRule { id: $id, pattern: $pattern, keywords: $keywords, $($field: $value,)* ..SecretRule::PLAIN }
    };
}
pub(super) use rule;

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
