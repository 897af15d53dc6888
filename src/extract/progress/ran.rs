//! The commands that a session ran last: which of them check the work, how these ended, and what failed and did not
//! run well since.

use crate::agent::transcript::End;
use crate::base::shell;
use crate::base::text;
use crate::extract::checks;
use crate::record::message::ToolUse;
use crate::redact::Redactor;
use std::collections::HashSet;

/// How many are named: checks that passed, what failed, others.
const PASSED: usize = 4;
const FAILED: usize = 2;
const OTHERS: usize = 3;
/// Command lines that are looked at.
const LOOKED_AT: usize = 60;
/// Characters of one.
const COMMAND_CHARS: usize = 50;

/// A part of a command line that ran.
struct Ran {
    /// What is shown of it.
    shown: String,
    /// Its first words: commands of one kind are one.
    kind: String,
    is_check: bool,
    /// How it ended; None where nobody knows.
    well: Option<bool>,
    /// Whether another part of its line can be what failed.
    one_of: bool,
}

/// The points about commands, the newest first, each kind once: checks that passed, what failed, the rest.
pub fn points(tools: &[&ToolUse], failed: &HashSet<&str>, end: &End, redactor: &Redactor) -> Vec<String> {
    let [mut passed, mut broken, mut others] = [const { Vec::new() }; 3];
    let mut kinds = HashSet::new();
    for tool in tools.iter().rev().filter(|tool| tool.command().is_some()).take(LOOKED_AT) {
        for ran in parts_of(tool, failed, end, redactor) {
            if !kinds.insert(ran.kind.clone()) {
                continue;
            }
            let (list, most) = match ran.well {
                Some(true) if ran.is_check => (&mut passed, PASSED),
                Some(false) => (&mut broken, FAILED),
                _ => (&mut others, OTHERS),
            };
            if list.len() < most {
                list.push(if ran.well == Some(false) && ran.one_of {
                    format!("{} or what ran with it", ran.shown)
                } else {
                    ran.shown
                });
            }
        }
        if passed.len() >= PASSED && broken.len() >= FAILED && others.len() >= OTHERS {
            break;
        }
    }
    let point =
        |(label, list): (&str, Vec<String>)| (!list.is_empty()).then(|| format!("{label}: {}", list.join(", ")));
    [("Passed last", passed), ("Failed last", broken), ("Ran last", others)].into_iter().filter_map(point).collect()
}

/// Whether the last check of the work of which it is known how it ended failed.
pub fn is_broken(tools: &[&ToolUse], failed: &HashSet<&str>, end: &End, redactor: &Redactor) -> bool {
    let lines = tools.iter().rev().filter(|tool| tool.command().is_some()).take(LOOKED_AT);
    let mut checks = lines.flat_map(|tool| parts_of(tool, failed, end, redactor)).filter(|ran| ran.is_check);
    checks.find_map(|ran| ran.well) == Some(false)
}

/// The commands of a tool's line that tell something, the last first. What is quoted is left out before anything is
/// masked: it is long, and masking takes the most time here.
fn parts_of(tool: &ToolUse, failed: &HashSet<&str>, end: &End, redactor: &Redactor) -> Vec<Ran> {
    let line = tool.command().unwrap_or_default();
    let commands = shell::commands(line);
    let is_told = |at: &usize| !commands[*at].torn && checks::tells(&commands[*at]);
    let telling: Vec<usize> = (0..commands.len()).filter(is_told).collect();
    let Some(last) = telling.last().copied() else { return Vec::new() };
    // Without a result it may still run, or was killed. What a check printed says more than a status, which is of
    // the last command in the line.
    let (well, whose) = match end.check(&tool.id) {
        _ if failed.contains(tool.id.as_str()) => (Some(false), last),
        Some(Some(said)) => (Some(said), last),
        Some(None) => (Some(true), commands.len() - 1),
        None => (None, last),
    };
    let tied = checks::tied(&commands, whose);
    let ran = |at: usize| {
        let words: Vec<String> = commands[at].meant().iter().map(|word| word.shown(line, |_| true)).collect();
        let well = well.filter(|well| if *well { tied[at] } else { at == last });
        let shown = redactor.shown(&text::folded(&words.join(" "))).into_owned();
        Ran {
            is_check: checks::kind(&commands[at]).is_some(),
            shown: format!("`{}`", text::cut(&shown, COMMAND_CHARS)),
            kind: checks::name(words.iter().map(String::as_str)),
            well,
            one_of: telling.len() > 1,
        }
    };
    telling.iter().rev().map(|at| ran(*at)).collect()
}
