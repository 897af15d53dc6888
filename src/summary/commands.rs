//! Commands that failed, and what mended them: the same command that ran well later, and the files that
//! were changed in between.

use crate::message::{Message, Role};
use crate::text;

/// Characters of a command and of its error that are shown.
const COMMAND_CHARS: usize = 80;
const ERROR_CHARS: usize = 90;
/// Files that are named.
const FILES: usize = 3;
/// Tools that change a file.
const EDITORS: &[&str] = &["Edit", "MultiEdit", "NotebookEdit", "Write"];

struct Run<'a> {
    command: &'a str,
    id: &'a str,
    /// How many tool uses came before it.
    at: usize,
    /// What it printed, when it failed.
    error: Option<&'a str>,
}

/// A line for each command that failed, the last failure of each, in the order in which they failed.
pub fn failed(messages: &[Message]) -> Vec<String> {
    let uses = || messages.iter().flat_map(|message| &message.tools).enumerate();
    let mut runs: Vec<Run> = uses()
        .filter_map(|(at, tool)| Some(Run { command: tool.command.as_deref()?, id: &tool.id, at, error: None }))
        .collect();
    for message in messages.iter().filter(|message| message.role == Role::Tool && message.is_error) {
        let id = message.tool_use_id.as_deref().unwrap_or_default();
        if let Some(run) = runs.iter_mut().find(|run| run.id == id && !id.is_empty()) {
            run.error = Some(&message.text);
        }
    }
    let mut lines = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let Some(error) = run.error else { continue };
        let later =
            runs.get(place.saturating_add(1)..).unwrap_or_default().iter().find(|later| later.command == run.command);
        // A later failure of the same command says it better.
        if later.is_some_and(|later| later.error.is_some()) {
            continue;
        }
        let end = match later {
            None => "; not run again".to_owned(),
            Some(later) => {
                let mut changed: Vec<&str> = Vec::new();
                for (_, tool) in
                    uses().filter(|(at, tool)| (run.at..later.at).contains(at) && EDITORS.contains(&tool.name.as_str()))
                {
                    changed.extend(tool.file.as_deref().filter(|file| !changed.contains(file)));
                }
                let named: Vec<&str> =
                    changed.iter().take(FILES).map(|file| file.rsplit('/').next().unwrap_or(file)).collect();
                if named.is_empty() {
                    "; ran well later".to_owned()
                } else {
                    format!("; ran well after changes to {}", named.join(", "))
                }
            }
        };
        let command = text::folded(run.command);
        lines.push(format!(
            "`{}` failed: {}{end}",
            text::cut(&command, COMMAND_CHARS),
            text::cut(&reason(error), ERROR_CHARS)
        ));
    }
    lines
}

/// The line of an error that says most: the first that names one, else the last.
fn reason(error: &str) -> String {
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Exit code"));
    let last = lines.clone().next_back().unwrap_or(error.trim());
    let names = |line: &&str| {
        ["error", "failed", "fatal", "panicked", "exception", "not found"]
            .iter()
            .any(|word| line.to_lowercase().contains(word))
    };
    text::folded(lines.find(names).unwrap_or(last))
}
