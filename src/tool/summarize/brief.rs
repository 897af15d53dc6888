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
/// The least of a line that is worth its showing.
const LEAST_LINE: usize = 24;
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
    let shown = |room: usize| redactor.masked_parts(&format!("{}\n", injected::enclose(&lines(summary, room))));
    let fits = |masked: &Masked| masked.text().chars().count() <= ALL_CHARS;
    let around = injected::enclose("").chars().count() + 2;
    let rooms = (0..ALL_CHARS.saturating_sub(around)).rev().step_by(STEP);
    rooms.map(shown).find(fits).unwrap_or_default()
}

/// The lines that fit into so many characters, the last of them cut.
fn lines(summary: &Summary, room: usize) -> String {
    let mut out = text::cut(PREAMBLE, room).into_owned();
    let mut left = room.saturating_sub(PREAMBLE.chars().count());
    for line in points(summary) {
        // A line's end, and the sign of what was cut.
        let most = left.saturating_sub(2);
        if most < LEAST_LINE {
            break;
        }
        let line = text::cut(&line, most).into_owned();
        left = left.saturating_sub(line.chars().count() + 1);
        out.push('\n');
        out.push_str(&line);
    }
    out
}

fn points(summary: &Summary) -> Vec<String> {
    let cut = |point: &String, chars| text::cut(point, chars).into_owned();
    let mut lines: Vec<String> =
        summary.points(DOING).first().map(|goal| format!("- {}", cut(goal, GOAL_CHARS))).into_iter().collect();
    lines.extend(summary.points(UNFINISHED).iter().take(2).map(|point| format!("- {}", cut(point, UNFINISHED_CHARS))));
    let open = summary.points(OPEN);
    if !open.is_empty() {
        let points: Vec<String> = open.iter().map(|point| cut(point, OPEN_CHARS)).collect();
        lines.push(format!("- open ({}): {}", open.len(), points.join("; ")));
    }
    lines.extend(summary.points(QUESTIONS).iter().map(|point| format!("- asked, not answered: {point}")));
    lines
}
