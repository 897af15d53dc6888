//! Forms of secrets that gitleaks' rules don't have, or have in a way that suits a scanner and not a
//! redactor. Tokens that a prefix gives away are in tokens.tsv.

mod formats;
mod names;
mod options;

use super::rule::SecretRule;
use super::rules;

/// What stands where a secret will stand: words that cannot be guessed.
pub const PLACEHOLDERS: &[&str] = &[
    // Masked already.
    r"^\[redacted:",
    // A variable: a name of words, of capitals or of small letters, and what an address or a path has behind it.
    r"^\$(?:[{(]|(?:_?[A-Z]+\d{0,3}[A-Z]?(?:_+[A-Z]*\d{0,3}[A-Z]*)*|_?[a-z]+\d{0,3}[a-z]?(?:_+[a-z]*\d{0,3}[a-z]*)*|[A-Za-z]?(?:_?(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}))+\d{0,2})_?(?:[^\w!#^*+%$]|[!#^*+$]?$))",
    // What a program fills in.
    r"^%[sdvq]\W?$",
    r"(?i)^[^a-z0-9]*redacted[^a-z0-9]*$",
    r#"(?i)^["'`]?(?:change[_-]?(?:me|it)|pass(?:word|wd)?|secret|token|example|dummy|placeholder|your[_-][a-z_-]*|x{3,}|\*{3,}|\.{3,}|<[^>]*>)["'`]?$"#,
];

/// All of our own rules.
pub fn rules() -> impl Iterator<Item = &'static SecretRule> {
    rules::TOKENS.iter().chain(formats::RULES).chain(names::RULES).chain(options::RULES)
}
