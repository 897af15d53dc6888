//! The last plan that the user approved: what it is called, its steps, and which of them were begun.

use super::{ends, words};
use crate::record::message::{Action, Message, Role};
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// Characters of the plan's title, and of a step.
const TITLE_CHARS: usize = 70;
const STEP_CHARS: usize = 50;
/// How many steps are named.
const STEPS: usize = 4;

/// The point about it; none where no plan was approved. A `listed` plan has its steps in the agent's own list.
pub fn point(live: &[&Message], failed: &HashSet<&str>, listed: bool, redactor: &Redactor) -> Option<String> {
    let (at, text) = live.iter().enumerate().rev().find_map(|(at, message)| {
        let asked = message.tools.iter().rev().find_map(|tool| match &tool.action {
            // A plan at which a session ended was not approved.
            Action::Plan(plan) if !failed.contains(tool.id.as_str()) && at + 1 < live.len() => Some(plan.as_str()),
            _ => None,
        });
        let given = Some(message.text.as_str()).filter(|_| message.role == Role::User && message.plan);
        Some((at, asked.or(given)?))
    })?;
    let text = redactor.shown(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let title = words(lines.find(|line| line.starts_with('#')).or_else(|| text.lines().next())?);
    let title = ends(title.strip_prefix("Plan: ").unwrap_or(&title), TITLE_CHARS, 0).into_owned();
    let touched: HashSet<&str> = live
        .get(at..)?
        .iter()
        .flat_map(|message| &message.tools)
        .filter(|tool| tool.edits())
        .filter_map(|tool| Path::new(tool.file.as_deref()?).file_name()?.to_str())
        .collect();
    let steps = if listed { Vec::new() } else { steps(&text) };
    // A file that several steps name tells of none of them.
    let alone = |name: &str| steps.iter().filter(|step| step.contains(name)).count() == 1;
    let begun = |step: &str| touched.iter().any(|name| step.contains(name) && alone(name));
    let left: Vec<&&str> = steps.iter().filter(|step| !begun(step)).collect();
    let told: Vec<String> =
        left.iter().take(STEPS).map(|step| ends(&words(step), STEP_CHARS, 0).into_owned()).collect();
    let more = left.len().saturating_sub(told.len());
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    let state = match (steps.len(), steps.len().saturating_sub(left.len())) {
        (0, _) => String::new(),
        (all, 0) => format!("; its {all} steps: {}{more}", told.join("; ")),
        (all, begun) if begun == all => format!("; files of all its {all} steps were changed"),
        (all, begun) => {
            format!("; files of {begun} of its {all} steps were changed, not those of: {}{more}", told.join("; "))
        }
    };
    Some(format!("Approved plan: {title}{state}"))
}

/// The steps of a plan: its numbered headings, else the points of its first numbered list, else its boxes.
fn steps(plan: &str) -> Vec<&str> {
    let mut code = false;
    let lines: Vec<&str> = plan
        .lines()
        .filter(|line| {
            code ^= line.trim_start().starts_with("```");
            !code
        })
        .collect();
    let of = |taken: &dyn Fn(&str) -> bool, strip: &dyn Fn(&'_ str) -> usize| -> Vec<&str> {
        lines.iter().filter(|line| taken(line)).filter_map(|line| line.get(strip(line)..)).map(str::trim).collect()
    };
    let headings = of(&|line| line.starts_with('#') && number_end(line.trim_start_matches(['#', ' '])) > 0, &|line| {
        let rest = line.trim_start_matches(['#', ' ']);
        line.len().saturating_sub(rest.len()) + number_end(rest)
    });
    if headings.len() > 1 {
        return headings;
    }
    let numbered = of(&|line| number_end(line) > 0, &number_end);
    if numbered.len() > 1 {
        return numbered;
    }
    of(&|line| line.trim_start().starts_with("- ["), &|line| line.find(']').map_or(0, |at| at + 1))
}

/// Where the number of a step ends, as in "2. ", "Step 2: " or "Phase 1 — "; 0 where there is none.
fn number_end(line: &str) -> usize {
    let word = ["Step ", "Phase ", "Task ", "Paso ", "Fase "].iter().find(|word| line.starts_with(**word));
    let rest = line.get(word.map_or(0, |word| word.len())..).unwrap_or_default();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() == rest.len() {
        return 0;
    }
    let text = behind.trim_start_matches(['.', ')', ':', '-', '—', '–', ' ']);
    if text.len() == behind.len() || text.is_empty() || behind.starts_with('-') {
        return 0;
    }
    line.len().saturating_sub(text.len())
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
