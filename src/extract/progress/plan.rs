//! The last plan that the user approved: what it is called, its steps, and which of them were begun.

use super::{SessionRead, asks, ends, files, words};
use crate::base::text;
use crate::extract::uses::Use;
use crate::extract::{sentences, written};
use crate::record::message::{Message, Role};
use std::path::Path;

/// Characters of the plan's title, and of a step.
const TITLE_CHARS: usize = 70;
const STEP_CHARS: usize = 50;
/// How many steps are named.
const STEPS: usize = 4;

/// The point about it; none where no plan was approved, or where its work is done. A `listed` plan has its steps in the
/// agent's own list.
pub fn point(read: &SessionRead<'_>, used: &[Use<'_>], listed: bool) -> Option<String> {
    let (message, text) = written::plans(read.messages).pop()?;
    let behind = || used.iter().filter(|used| used.message.line >= message.line);
    let committed = behind().find(|used| used.commits()).map(|used| used.message.line);
    let text = read.redactor.shown(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let title = words(lines.find(|line| line.starts_with('#')).or_else(|| text.lines().next())?, false);
    let title = ends(title.strip_prefix("Plan: ").unwrap_or(&title), TITLE_CHARS, 0).into_owned();
    let steps = if listed { Vec::new() } else { steps(&text) };
    let begun: Vec<Option<bool>> = begun(&steps, behind());
    let left: Vec<&str> =
        steps.iter().zip(&begun).filter(|(_, begun)| **begun == Some(false)).map(|(step, _)| *step).collect();
    let count = begun.iter().filter(|begun| **begun == Some(true)).count();
    let is_worked_on = count > 0 || committed.is_some();
    // Whether the user asked for something else after a commit.
    let is_followed = |line: u64| read.typed().any(|later| later.line > line && !asks::nothing(later));
    let is_done = left.is_empty() && (committed.is_some() || is_worked_on && is_at_rest(&read.live));
    if !listed && (is_done || committed.is_some_and(is_followed)) {
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
fn begun<'u>(steps: &[&str], behind: impl Iterator<Item = &'u Use<'u>> + Clone) -> Vec<Option<bool>> {
    let edits = behind.clone().filter(|used| used.tool.edits());
    let touched: Vec<String> = edits.filter_map(|used| used.tool.file.clone()).collect();
    let ran: Vec<String> = behind.filter_map(Use::command).flat_map(files::in_text).collect();
    let named: Vec<Vec<String>> = steps.iter().map(|step| files::in_text(step)).collect();
    let is_in = |name: &str, files: &[String]| {
        files.iter().any(|file| Path::new(name).ends_with(file) || Path::new(file).ends_with(name))
    };
    let of = |(at, names): (usize, &Vec<String>)| {
        let others = named.iter().enumerate().filter(|(other, _)| *other != at);
        let own = names.iter().filter(|name| !others.clone().any(|(_, names)| is_in(name, names)));
        let own: Vec<&String> = own.collect();
        let is_begun = own.iter().any(|name| is_in(name, &touched));
        (is_begun || own.iter().any(|name| !is_in(name, &ran))).then_some(is_begun)
    };
    named.iter().enumerate().map(of).collect()
}

/// Whether the agent has come to the end of its turn.
fn is_at_rest(live: &[&Message]) -> bool {
    let last = live.iter().rev().find(|message| message.role != Role::Tool && !message.marks.meta);
    last.is_some_and(|last| last.role == Role::Assistant && last.tools.is_empty())
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
