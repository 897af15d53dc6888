//! What the client's own summary must keep, in a few lines: the client prints a hook's output on the terminal
//! and sends it to the model once more. The start after the compaction tells the rest.

use crate::agent::injected;
use crate::base::masked::Masked;
use crate::base::text;
use crate::redact::Redactor;
use crate::store::summary::{DOING, OPEN, QUESTIONS, Summary, UNFINISHED};

/// The most characters of all, marks and line ends included.
const ALL_CHARS: usize = 500;
/// By how much less is tried where masking made a text longer.
const STEP: usize = 25;
/// Characters of the goal, of what is unfinished, of an open point, of a question.
const GOAL_CHARS: usize = 130;
const UNFINISHED_CHARS: usize = 90;
const OPEN_CHARS: usize = 60;

/// What it is, for the model that writes the client's summary.
const PREAMBLE: &str = "To be kept (facts from this session's transcript; the rest is told after the compaction):";

/// A summary as the hook prints it; "" when it says nothing.
pub fn brief(summary: &Summary, redactor: &Redactor) -> Masked {
    if summary.body.is_empty() {
        return Masked::default();
    }
    let cut = |point: &String, chars: usize| format!("- {}", text::cut(point, chars));
    let mut lines = vec![PREAMBLE.to_owned()];
    lines.extend(summary.points(DOING).first().map(|goal| cut(goal, GOAL_CHARS)));
    lines.extend(summary.points(UNFINISHED).iter().take(2).map(|point| cut(point, UNFINISHED_CHARS)));
    let open: Vec<String> =
        summary.points(OPEN).iter().map(|point| text::cut(point, OPEN_CHARS).into_owned()).collect();
    if !open.is_empty() {
        lines.push(format!("- open ({}): {}", open.len(), open.join("; ")));
    }
    lines.extend(summary.points(QUESTIONS).iter().map(|point| format!("- asked, not answered: {point}")));
    let lines = lines.join("\n");
    let shown = |room: usize| redactor.masked_parts(&format!("{}\n", injected::enclose(&text::cut(&lines, room))));
    let fits = |masked: &Masked| masked.text().chars().count() <= ALL_CHARS;
    (0..ALL_CHARS).rev().step_by(STEP).map(shown).find(fits).unwrap_or_default()
}
