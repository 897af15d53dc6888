//! Commands that failed, and what mended them: the same command that ran well later and the files that
//! were changed in between, or another one of its kind that did.

use super::checks::written;
use crate::agent::wrappers;
use crate::base::shell::{self, Behind, Command};
use crate::base::text;
use crate::extract::checks::{self, Kind};
use crate::extract::progress::files;
use crate::record::message::{Message, Role, ToolUse};
use crate::redact::Redactor;
use std::collections::{HashMap, HashSet};

/// Characters of a command that are shown, and of its error in which a file is looked for.
const COMMAND_CHARS: usize = 80;
const HEAD_CHARS: usize = 4000;
/// Files that are named.
const FILES: usize = 3;
/// Commands that are told, the last ones.
const TOLD: usize = 15;

struct Run<'a> {
    command: &'a str,
    /// How many tool uses came before it.
    at: usize,
    /// What it printed, when it failed.
    error: Option<&'a str>,
}

/// The ids of tool uses that gave an error, with what was said, and of those that never ran: a hook or the
/// client refused them.
pub fn errors(messages: &[Message]) -> (HashMap<&str, &str>, HashSet<&str>) {
    let results = messages.iter().filter(|message| message.role == Role::Tool && message.is_error);
    let results = results.filter_map(|message| Some((message.tool_use_id.as_deref()?, message.text.as_str())));
    let (not_run, failed): (Vec<_>, Vec<_>) =
        results.filter(|(id, _)| !id.is_empty()).partition(|(_, text)| wrappers::is_not_run(text));
    (failed.into_iter().collect(), not_run.into_iter().map(|(id, _)| id).collect())
}

/// A line for each command that failed, the last failure of each, in the order in which they failed. What only
/// looked, and a fault in the text that was mended, is left out.
pub fn failed(messages: &[Message], redactor: &Redactor) -> Vec<String> {
    let (errors, not_run) = errors(messages);
    let refused: HashSet<&str> = messages.iter().filter_map(Message::refused).collect();
    let uses: Vec<_> = messages.iter().flat_map(|message| &message.tools).collect();
    let runs: Vec<Run> = uses
        .iter()
        .enumerate()
        .filter(|(_, tool)| !not_run.contains(tool.id.as_str()))
        .filter_map(|(at, tool)| {
            Some(Run { command: tool.command()?, at, error: errors.get(tool.id.as_str()).copied() })
        })
        .collect();
    // From the end back, what is behind each run is known: the next of the same command, and the next that
    // ran well of its kind.
    let (mut same, mut well): (HashMap<&str, &Run>, HashMap<String, &Run>) = (HashMap::new(), HashMap::new());
    let mut found = Vec::new();
    for run in runs.iter().rev() {
        let later = same.insert(run.command, run);
        match run.error {
            None => {
                well.insert(kind(run.command), run);
            }
            // A later failure of the same command says it better.
            Some(_) if later.is_some_and(|later| later.error.is_some()) => {}
            Some(error) => {
                let other = well.get(&kind(run.command)).copied();
                if found.len() < TOLD && !is_noise(run.command, later.or(other).is_some()) {
                    found.push((run, error, later, other));
                }
            }
        }
    }
    let command = |run: &Run| text::cut(&programs(&redactor.shown(run.command)), COMMAND_CHARS).into_owned();
    // An edit that was refused, or failed, mended nothing.
    let did_edit = |tool: &ToolUse| {
        let id = tool.id.as_str();
        tool.edits() && !not_run.contains(id) && !errors.contains_key(id) && !refused.contains(id)
    };
    let line = |(run, error, later, other): (&Run, &str, Option<&Run>, Option<&Run>)| {
        let end = match (later, other) {
            (Some(later), _) => {
                let mut changed: Vec<String> = Vec::new();
                for tool in uses.get(run.at..later.at).unwrap_or_default().iter().filter(|tool| did_edit(tool)) {
                    let file = tool.file.as_deref().map(|file| redactor.shown(file));
                    let name = file.map(|file| file.rsplit('/').next().unwrap_or(&file).to_owned());
                    changed.extend(name.filter(|name| !changed.contains(name)));
                }
                changed.truncate(FILES);
                if changed.is_empty() {
                    "; ran well later".to_owned()
                } else {
                    format!("; ran well after changes to {}", changed.join(", "))
                }
            }
            (None, Some(other)) => format!("; `{}` ran well later", command(other)),
            (None, None) => "; not run again".to_owned(),
        };
        format!("`{}` failed{}{end}", command(run), place(&redactor.shown(error), redactor))
    };
    found.into_iter().rev().map(line).collect()
}

/// Whether the failure of a command tells nothing of the work.
fn is_noise(line: &str, mended: bool) -> bool {
    let commands = shell::commands(line);
    let mut kinds = commands.iter().filter_map(checks::kind).map(|(kind, _)| kind).peekable();
    let lints = kinds.peek().is_some() && kinds.all(|kind| kind == Kind::Lint);
    lints && mended || commands.last().is_some_and(checks::looks) || !commands.iter().any(checks::works)
}

/// The name of what a line runs first.
fn kind(line: &str) -> String {
    let commands = shell::commands(line);
    let first = commands.iter().find(|command| checks::works(command)).map(Command::meant).unwrap_or_default();
    checks::name(first.iter().map(|word| word.text.as_str()))
}

/// What a line runs, without what only looks and what is the shell's own.
fn programs(line: &str) -> String {
    let commands = shell::commands(line);
    let mut shown = String::new();
    let mut sign = "";
    for command in &commands {
        if checks::works(command) {
            shown.extend([if shown.is_empty() { "" } else { sign }, &written(command, line)]);
        }
        sign = match command.behind {
            Behind::And => " && ",
            Behind::Or => " || ",
            Behind::Pipe => " | ",
            Behind::Other => "; ",
        };
    }
    text::folded(&shown)
}

/// Where a command failed, as far as that can be told without what it printed, which can be any author's words: the status that
/// the client gives, and the first file that is named.
fn place(error: &str, redactor: &Redactor) -> String {
    let status = error.lines().next().and_then(|line| line.strip_prefix("Exit code ")).map(str::trim);
    let status = status.filter(|status| status.parse::<u8>().is_ok() && *status != "1");
    let head = text::cut(error, HEAD_CHARS);
    let file = files::in_text(&head).into_iter().find(|file| files::is_name(file));
    let status = status.map(|status| format!(" with status {status}")).unwrap_or_default();
    let file = file.map(|file| format!(" in {}", redactor.shown(&file))).unwrap_or_default();
    format!("{status}{file}")
}
