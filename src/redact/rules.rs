//! gitleaks' rules, from the table that scripts/dev/make-secret-rules makes of them.

use super::rule::{Edge, Rule};
use std::sync::LazyLock;

/// The rules.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| rows("rule\t").filter_map(rule).collect());

/// Words that no secret holds.
pub static STOP_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| rows("stop\t").collect());

/// What a secret never holds, whatever its form.
pub fn never() -> impl Iterator<Item = &'static str> {
    rows("never\t")
}

/// The rows of the table that begin so, without that.
fn rows(kind: &'static str) -> impl Iterator<Item = &'static str> {
    include_str!("rules.tsv").lines().filter_map(move |line| line.strip_prefix(kind))
}

fn rule(row: &'static str) -> Option<Rule> {
    let mut columns = row.split('\t');
    let (id, edge, entropy, pattern) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    let (keywords, allowed): (Vec<&str>, Vec<&str>) = columns.partition(|column| !column.starts_with('!'));
    let allowed: Vec<&str> = allowed.into_iter().map(|pattern| &pattern[1..]).collect();
    let edge = if edge == "Run" { Edge::Run } else { Edge::Exact };
    let entropy = entropy.parse().ok()?;
    Some(Rule { id, pattern, keywords: keywords.leak(), entropy, edge, allowed: allowed.leak(), ..Rule::PLAIN })
}
