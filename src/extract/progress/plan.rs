//! The last plan that the user approved: what it is called, its steps, and which of them were begun.

use super::{asks, ends, files, words};
use crate::base::text;
use crate::extract::{sentences, written};
use crate::record::message::{Message, Role, ToolUse};
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// Characters of the plan's title, and of a step.
const TITLE_CHARS: usize = 70;
const STEP_CHARS: usize = 50;
/// How many steps are named.
const STEPS: usize = 4;

/// The point about it; none where no plan was approved, or where its work is done. A `listed` plan has its steps in the
/// agent's own list.
pub fn point(live: &[&Message], failed: &HashSet<&str>, listed: bool, redactor: &Redactor) -> Option<String> {
    let (message, text) = written::plans(live.iter().copied(), failed).pop()?;
    let at = live.iter().position(|other| other.line == message.line)?;
    let behind = live.get(at..)?;
    let text = redactor.shown(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let title = words(lines.find(|line| line.starts_with('#')).or_else(|| text.lines().next())?, false);
    let title = ends(title.strip_prefix("Plan: ").unwrap_or(&title), TITLE_CHARS, 0).into_owned();
    let steps = if listed { Vec::new() } else { steps(&text) };
    let begun: Vec<Option<bool>> = begun(&steps, behind);
    let left: Vec<&str> =
        steps.iter().zip(&begun).filter(|(_, begun)| **begun == Some(false)).map(|(step, _)| *step).collect();
    let count = begun.iter().filter(|begun| **begun == Some(true)).count();
    let is_worked_on = count > 0 || committed(behind).is_some();
    if !listed && (is_worked_on && left.is_empty() && is_at_rest(behind) || is_followed(behind)) {
        return None;
    }
    let told: Vec<String> =
        left.iter().take(STEPS).map(|step| ends(&words(step, false), STEP_CHARS, 0).into_owned()).collect();
    let more = left.len().saturating_sub(told.len());
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    let state = match (left.len(), count) {
        (0, _) => String::new(),
        (_, 0) => format!("; no file was changed of: {}{more}", told.join("; ")),
        _ => format!(
            "; files of {count} of its {} steps were changed, not those of: {}{more}",
            steps.len(),
            told.join("; ")
        ),
    };
    Some(format!("Approved plan: {title}{state}"))
}

/// Whether a file of each step was changed; None for a step that cannot be judged: it names no file, or one that another
/// step names too, or one that a command names.
fn begun(steps: &[&str], behind: &[&Message]) -> Vec<Option<bool>> {
    let tools = || behind.iter().flat_map(|message| &message.tools);
    let touched: Vec<&Path> =
        tools().filter(|tool| tool.edits()).filter_map(|tool| tool.file.as_deref().map(Path::new)).collect();
    let ran: Vec<String> = tools().filter_map(|tool| tool.command()).flat_map(files::in_text).collect();
    let same = |one: &Path, other: &Path| one.ends_with(other) || other.ends_with(one);
    let named: Vec<Vec<String>> = steps.iter().map(|step| files::in_text(step)).collect();
    let of = |at: usize, names: &Vec<String>| {
        let mut judged = None;
        for name in names.iter().map(Path::new) {
            let others = named.iter().enumerate().filter(|(other, _)| *other != at);
            let is_shared = others.flat_map(|(_, names)| names).any(|other| same(name, Path::new(other)));
            if touched.iter().any(|file| same(file, name)) {
                judged = if is_shared { judged } else { Some(true) };
            } else if judged.is_none() && !is_shared && !ran.iter().any(|file| same(name, Path::new(file))) {
                judged = Some(false);
            }
        }
        judged
    };
    named.iter().enumerate().map(|(at, names)| of(at, names)).collect()
}

/// Whether the agent has come to the end of its turn.
fn is_at_rest(behind: &[&Message]) -> bool {
    let last = behind.iter().rev().find(|message| message.role != Role::Tool && !message.marks.meta);
    last.is_some_and(|last| last.role == Role::Assistant && last.tools.is_empty())
}

/// Where the first commit was made.
fn committed(behind: &[&Message]) -> Option<usize> {
    let commits = |tool: &ToolUse| tool.command().is_some_and(|line| line.contains("git commit"));
    behind.iter().position(|message| message.tools.iter().any(commits))
}

/// Whether the user asked for something else after a commit.
fn is_followed(behind: &[&Message]) -> bool {
    let since = committed(behind).map_or(&[][..], |at| &behind[at..]);
    since.iter().any(|message| message.is_prompt() && !asks::nothing(message))
}

/// The steps of a plan: its numbered headings, else the points of its numbered list, else its boxes.
fn steps(plan: &str) -> Vec<&str> {
    let lines = || sentences::own_lines(plan);
    let headings = lines().filter_map(|line| step(line.strip_prefix('#')?.trim_start_matches(['#', ' '])));
    let boxes = lines().filter_map(|line| Some(text::ticked(line.trim())?.0));
    let all: [Vec<&str>; 3] = [headings.collect(), lines().filter_map(step).collect(), boxes.collect()];
    all.into_iter().find(|found| found.len() > 1).unwrap_or(Vec::new())
}

/// What is behind the number of a step, as in "2. ", "Step 2: " or "Phase 1 — ".
fn step(line: &str) -> Option<&str> {
    let rest = ["Step ", "Phase ", "Task ", "Paso ", "Fase "].iter().find_map(|word| line.strip_prefix(word));
    let rest = rest.unwrap_or(line);
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = behind.trim_start_matches(['.', ')', ':', '-', '—', '–', ' ']);
    let is_step = behind.len() < rest.len() && text.len() < behind.len() && !behind.starts_with('-');
    (is_step && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_plan_are_its_headings_its_list_or_its_boxes() {
        for (plan, wanted) in [
            ("# P\n## Context\n1. why\n2. x\n### 1. The parser\na\n### 2. The tests\n", "The parser|The tests"),
            ("# P\n## Step 1: Read\n## Step 2: Write\n", "Read|Write"),
            ("# P\n\n1. Read `a.rs`\n   - b\n2) Write it\n```\n3. no\n```", "Read `a.rs`|Write it"),
            ("# P\n- [ ] Read\n- [x] Write\n", "Read|Write"),
            ("# P\nRead it, then write it.\n- one\n", ""),
            ("2026-01-01 was the day\n3 files\n", ""),
        ] {
            assert_eq!(steps(plan).join("|"), wanted, "{plan}");
        }
    }
}
