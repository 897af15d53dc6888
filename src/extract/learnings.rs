//! Insight blocks, as the client's explanatory output style writes them, are learnings.

use super::sentences::{self, Turn, Utterance};
use super::{capital, headed, quote};
use crate::base::text;
use crate::record::item::Item;

/// The longest title, in characters.
const TITLE_CHARS: usize = 120;

/// A learning for each point of each block, and for what a heading says is worth to know.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<Item> = turns.iter().flat_map(Turn::said).flat_map(block).collect();
    found.extend(headed::learnings(turns));
    found
}

/// The points between the line that says Insight and the rule that closes it.
fn block(answer: &Utterance<'_>) -> Vec<Item> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in sentences::own_lines(&answer.message.text) {
        let bare = line.trim().trim_matches('`');
        if bare.starts_with("★ Insight") {
            inside = true;
        } else if bare.starts_with("───") {
            inside = false;
        } else if inside && bare.split_whitespace().count() > 3 {
            found.extend(learning(line.trim(), answer));
        }
    }
    found
}

fn learning(line: &str, answer: &Utterance<'_>) -> Option<Item> {
    let whole = sentences::plain(line);
    let first = sentences::split(line).into_iter().next()?.plain;
    let bold = line.split("**").nth(1).filter(|bold| bold.split_whitespace().count() > 1);
    let title = bold.map_or(first, sentences::plain);
    Some(Item {
        summary: capital(&text::cut(&title, TITLE_CHARS)),
        learning: whole,
        scope: "universal".to_owned(),
        evidence: vec![quote(line, answer)],
        ..Item::default()
    })
}
