//! Commands that failed, and what mended them: the same command that ran well later and the files that
//! were changed in between, or another one of its kind that did.

use super::checks::{self, Kind};
use super::line;
use crate::agent::wrappers;
use crate::base::text;
use crate::record::message::{Message, Role};
use crate::redact::Redactor;
use std::collections::{HashMap, HashSet};

/// Characters of a command and of its error that are shown.
const COMMAND_CHARS: usize = 80;
const ERROR_CHARS: usize = 90;
/// Characters of a command that are looked at.
const LONG_CHARS: usize = 2000;
/// Files that are named.
const FILES: usize = 3;
/// Commands that are told, the last ones.
const TOLD: usize = 15;
/// Programs that only look: when they find nothing, the work has not failed.
const LOOKING: &[&str] =
    &["grep", "rg", "ls", "cat", "find", "fd", "diff", "test", "[", "which", "head", "tail", "sed", "wc"];

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
            Some(_) if is_noise(run.command, later.is_some() || well.contains_key(&kind(run.command))) => {}
            Some(error) if found.len() < TOLD => found.push((run, error, later, well.get(&kind(run.command)).copied())),
            Some(_) => {}
        }
    }
    let shown = |text: &str, chars| text::cut(&text::folded(&redactor.shown(text)), chars).into_owned();
    let command =
        |run: &Run| text::cut(&line::without_sentences(&shown(run.command, LONG_CHARS)), COMMAND_CHARS).into_owned();
    let line = |(run, error, later, other): (&Run, &str, Option<&Run>, Option<&Run>)| {
        let end = match (later, other) {
            (Some(later), _) => {
                let mut changed: Vec<String> = Vec::new();
                for tool in uses.get(run.at..later.at).unwrap_or_default().iter().filter(|tool| tool.edits()) {
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
        format!("`{}` failed: {}{end}", command(run), shown(reason(&redactor.shown(error)), ERROR_CHARS))
    };
    found.into_iter().rev().map(line).collect()
}

/// Whether the failure of a command tells nothing of the work.
fn is_noise(command: &str, mended: bool) -> bool {
    let parts = line::parts(command);
    let looks = |command: &str| command.split_whitespace().next().is_some_and(|first| LOOKING.contains(&first));
    let mut kinds = parts.iter().filter_map(|part| checks::kind(part.text)).map(|(kind, _)| kind).peekable();
    let lints = kinds.peek().is_some() && kinds.all(|kind| kind == Kind::Lint);
    lints && mended || parts.last().is_some_and(|last| looks(last.text))
}

/// A command's first two words: what kind of command it is.
fn kind(command: &str) -> String {
    command.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

/// The line of an error that says most: the first that names one, else the last.
fn reason(error: &str) -> &str {
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Exit code"));
    let last = lines.clone().next_back().unwrap_or(error.trim());
    let names = |line: &&str| {
        let lower = line.to_lowercase();
        ["error:", "error[", "fatal:", "failed", "panicked", "exception", "not found", "no such"]
            .iter()
            .any(|word| lower.contains(word))
    };
    lines.find(names).unwrap_or(last)
}
