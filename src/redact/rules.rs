//! Rules that are tables: gitleaks', from what scripts/dev/make-secret-rules makes of them, and our own of tokens.

use super::rule::{Edge, SecretRule, SecretTest};
use std::sync::LazyLock;

const GITLEAKS: &str = include_str!("rules.tsv");

/// gitleaks' rules.
pub static RULES: LazyLock<Vec<SecretRule>> = LazyLock::new(|| GITLEAKS.lines().filter_map(rule).collect());

/// Tokens that a prefix of the issuer's gives away.
pub static TOKENS: LazyLock<Vec<SecretRule>> =
    LazyLock::new(|| include_str!("own/tokens.tsv").lines().filter_map(rule).collect());

/// Words that no secret holds.
pub static STOP_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| rows("stop\t").collect());

/// What may come before a token, and before one that can be in the middle of base64.
const TOKEN: &str = r"(?:^|[^A-Za-z]|\\[nrt]|%[0-9A-Fa-f]{2})";
const BARE: &str = r"(?:^|[^A-Za-z0-9+/]|[a-z]{2}/|\\[nrt]|%[0-9A-Fa-f]{2})";

/// What a secret never holds, whatever its form.
pub fn never() -> impl Iterator<Item = &'static str> {
    rows("never\t")
}

/// The rows of gitleaks' table that begin so, without that.
fn rows(kind: &'static str) -> impl Iterator<Item = &'static str> {
    GITLEAKS.lines().filter_map(move |line| line.strip_prefix(kind))
}

/// The rule of a row; the heads of the tables say what the columns are.
fn rule(row: &'static str) -> Option<SecretRule> {
    let mut columns = row.split('\t');
    let (before, edge, judge) = match columns.next()? {
        "exact" => ("", Edge::Exact, SecretTest::Any),
        "run" => ("", Edge::Run, SecretTest::Any),
        "token" => (TOKEN, Edge::Run, SecretTest::Any),
        "random" => (TOKEN, Edge::Run, SecretTest::Random),
        "bare" => (BARE, Edge::Run, SecretTest::Random),
        _ => return None,
    };
    let (id, entropy, pattern) = (columns.next()?, columns.next()?.parse().ok()?, columns.next()?);
    let mut rule = SecretRule { id, before, pattern, entropy, edge, judge, ..SecretRule::PLAIN };
    let (mut keywords, mut allowed) = (Vec::new(), Vec::new());
    for column in columns {
        match column.split_at_checked(1)? {
            ("!", pattern) => allowed.push(pattern),
            (">", least) => rule.least = least.parse().ok()?,
            _ => keywords.push(column),
        }
    }
    (rule.keywords, rule.allowed) = (keywords.leak(), allowed.leak());
    Some(rule)
}
