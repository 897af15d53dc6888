//! What a record tells of the session's facts.

use super::members::Members;
use super::tree::key;
use crate::agent::session_stats::SessionFacts;
use crate::json::scan::{Line, Span};

/// The counts of a message's `usage` that are tokens.
const COUNTS: [&[u8]; 4] =
    [b"input_tokens", b"output_tokens", b"cache_creation_input_tokens", b"cache_read_input_tokens"];

/// Takes what a record tells. `is_leaf` says whether a record of that uuid is in the file: a
/// summary whose leaf is not there is another session's.
pub fn see(facts: &mut SessionFacts, line: Line<'_>, raw: &Members, mut is_leaf: impl FnMut(&Span) -> bool) {
    let text = |span: &Span| Some(line.text(span).into_owned()).filter(|text| !text.trim().is_empty());
    if facts.first_time.is_none() {
        facts.first_time = text(&raw.timestamp);
    }
    if !raw.version.is_empty() {
        facts.version = text(&raw.version).or(facts.version.take());
    }
    match &*line.word(&raw.kind) {
        b"custom-title" => facts.custom_title = text(&raw.custom_title).or(facts.custom_title.take()),
        b"ai-title" => facts.ai_title = text(&raw.ai_title).or(facts.ai_title.take()),
        b"summary" if is_leaf(&raw.leaf) => facts.summary = text(&raw.summary).or(facts.summary.take()),
        b"system" if *line.word(&raw.subtype) == *b"compact_boundary" => facts.compactions += 1,
        b"cost-state" => {
            if let Some(total) = number(line, &raw.total_cost) {
                facts.set_cost(total);
            }
        }
        b"assistant" if !line.is_true(&raw.sidechain) => spent(facts, line, raw),
        _ => {}
    }
}

fn spent(facts: &mut SessionFacts, line: Line<'_>, raw: &Members) {
    for block in raw.message.content.blocks.iter().filter(|block| *line.word(&block.kind) == *b"tool_use") {
        facts.used(&line.text(&block.name));
    }
    if let Some(cost) = number(line, &raw.cost) {
        facts.add_cost(cost);
    }
    if raw.message.usage.is_empty() {
        return;
    }
    let mut tokens = 0_u64;
    let counted = line.object(raw.message.usage.start, |key, at| {
        let end = line.skip(at)?;
        if COUNTS.contains(&key) {
            tokens = tokens.saturating_add(line.json(&(at..end)).parse().unwrap_or_default());
        }
        Some(end)
    });
    if counted.is_some() {
        facts.count_tokens(key(line, &raw.message.id).map(std::num::NonZero::get), tokens);
    }
}

fn number(line: Line<'_>, span: &Span) -> Option<f64> {
    if span.is_empty() { None } else { line.json(span).parse::<f64>().ok().filter(|number| number.is_finite()) }
}
