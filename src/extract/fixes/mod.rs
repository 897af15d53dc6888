//! Commands that failed, and what did their work then and passed: another command, or the same one behind others that
//! made it pass. Both outcomes are seen in the session, and no file was edited between them, for then it is the edit that
//! mended it. In doubt there is none.

mod error;
mod job;

use crate::agent::transcript::End;
use crate::agent::wrappers::is_not_run;
use crate::base::shell::{self, Behind, Command};
use crate::base::text;
use crate::extract::checks;
use crate::extract::progress::files;
use crate::record::fix::Fix;
use crate::record::message::{Message, Role, ToolUse};
use crate::redact::Redactor;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Uses of tools behind one that failed that are looked at.
const NEAR: usize = 12;
/// Commands that made another one pass.
const PREPARE: usize = 2;
/// Characters of a command line that is told.
const CHARS: usize = 180;
/// A longer one says too much to be told, in bytes.
const LINE_BYTES: usize = 2000;
/// A longer line does too much to say what mended what.
const COMMANDS: usize = 16;
/// The most of a session.
const MOST: usize = 20;

/// What failed: the programs of a command line, and what it printed.
pub struct Failed {
    programs: HashSet<String>,
    error: Vec<String>,
    shown: String,
}

impl Failed {
    /// From what a client tells of a command that failed; None where it does not say why.
    pub fn read(line: &str, error: &str, redactor: &Redactor) -> Option<Self> {
        let telling: Vec<String> = error::telling(error::printed(error)?)
            .into_iter()
            // Masked before a number of a secret is left out.
            .map(|line| error::plain(&redactor.shown(line)))
            .collect();
        let line = redactor.shown(line);
        let commands = shell::commands(&line);
        let works = |command: &&Command| checks::works(command);
        let programs: HashSet<String> = commands.iter().filter(works).filter_map(job::program).collect();
        let is_told = !telling.is_empty() && !programs.is_empty();
        // What only looks is told where nothing else is there.
        let tells = |command: &Command| checks::works(command) && !job::only_asks(command);
        let is_asked = !commands.iter().any(tells);
        let shown = shown(&commands, &line, |at| checks::works(&commands[at]) && (is_asked || tells(&commands[at])));
        is_told.then(|| Self { programs, error: telling, shown })
    }

    /// Whether it is what failed before a fix, and that is another command.
    pub fn is_of(&self, fix: &Fix) -> bool {
        let is_same =
            error::is_same(&self.error, &fix.error) && fix.passed.len() < 2 && fix.passed.contains(&self.shown);
        if is_same || !error::is_same(&self.error, &fix.error) {
            return false;
        }
        shell::commands(&fix.failed).iter().filter_map(job::program).any(|program| self.programs.contains(&program))
    }
}

/// A command line that ran.
struct Run<'a> {
    line: &'a str,
    at: u64,
    commands: Vec<Command>,
    /// What it printed, where it failed.
    failed: Option<&'a str>,
    /// The place up to which its status is that of its commands; None where how it ended was not seen, or it failed.
    passed: Option<usize>,
}

/// A use of a tool.
enum Step<'a> {
    Run(Run<'a>),
    Edit,
    Other,
}

/// What was found in a session, its texts masked before; each error once, the last way that passed.
pub fn find(messages: &[Message], end: &End, cwd: &Path, redactor: &Redactor) -> Vec<Fix> {
    let steps = steps(messages, end);
    let mut found: Vec<Fix> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Step::Run(run) = step else { continue };
        let Some(printed) = run.failed.and_then(error::printed) else { continue };
        let Some(fix) = mended(run, printed, &steps[at + 1..], cwd) else { continue };
        let Some(failed) = run.failed.and_then(|error| Failed::read(run.line, error, redactor)) else { continue };
        let fix = Fix { error: failed.error, ..fix };
        found.retain(|known| known.error != fix.error || known.failed != fix.failed);
        found.push(fix);
    }
    found.split_off(found.len().max(MOST) - MOST)
}

fn steps<'a>(messages: &'a [Message], end: &End) -> Vec<Step<'a>> {
    let result = |message: &'a Message| {
        let is_error = message.role == Role::Tool && message.is_error;
        message.tool_use_id.as_deref().filter(|_| is_error).map(|id| (id, message.text.as_str()))
    };
    let failed: HashMap<&str, &str> = messages.iter().filter_map(result).collect();
    let refused: HashSet<&str> = messages.iter().filter_map(Message::refused).collect();
    let kept = messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain);
    let step = |tool: &'a ToolUse| {
        let id = tool.id.as_str();
        let error = failed.get(id).copied();
        let is_run = !refused.contains(id) && !error.is_some_and(is_not_run);
        if tool.edits() && error.is_none() && is_run {
            return Step::Edit;
        }
        let Some(line) = tool.command().filter(|line| is_run && line.len() <= LINE_BYTES) else { return Step::Other };
        let commands = shell::commands(line);
        let last = commands.len().checked_sub(1);
        // What a check printed says more than a status, which is of the last command in the line.
        let passed = match end.check(id) {
            Some(None | Some(true)) if error.is_none() => last,
            _ => None,
        };
        Step::Run(Run { line, at: tool.line, commands, failed: error, passed })
    };
    kept.flat_map(|message| &message.tools).map(step).collect()
}

/// What mended a command that failed, among the steps behind it; without the error.
fn mended(failed: &Run<'_>, printed: &str, later: &[Step<'_>], cwd: &Path) -> Option<Fix> {
    let is_of_work = error::is_of_work(printed);
    let mut prepared: Vec<&Run<'_>> = Vec::new();
    for step in later.iter().take(NEAR) {
        let run = match step {
            Step::Edit => return None,
            Step::Other => continue,
            Step::Run(run) => run,
        };
        if run.commands.iter().any(files::changes) {
            return None;
        }
        let Some(last) = run.passed else { continue };
        if let Some((way, of, main)) = way(failed, run, last, printed, cwd) {
            let is_enough = way == Way::Other || (1..=PREPARE).contains(&prepared.len());
            let before = prepared.iter().filter(|_| way == Way::Same).map(|run| (*run, run.commands.len()));
            let line = |(run, main): (&Run<'_>, usize)| {
                let is_told = |at| at == main || at < main && job::prepares(&run.commands[at], is_of_work);
                shown(&run.commands, run.line, is_told)
            };
            let passed: Vec<String> = before.chain([(run, main)]).map(line).collect();
            let failed_at = failed.at;
            let failed = shown(&failed.commands, failed.line, |at| at == of);
            let is_told = is_enough && !failed.is_empty() && passed.iter().all(|line| !line.is_empty());
            return is_told.then(|| Fix { failed, error: Vec::new(), passed, lines: [failed_at, run.at] });
        }
        prepared.extend(run.commands.iter().any(|command| job::prepares(command, is_of_work)).then_some(run));
    }
    None
}

/// How a line does what another one did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By the same command.
    Same,
    /// By another one, or by the same in another place or behind others.
    Other,
}

/// How a line that passed does what one did that failed, and the commands of both that say so.
fn way(failed: &Run<'_>, passed: &Run<'_>, last: usize, printed: &str, cwd: &Path) -> Option<(Way, usize, usize)> {
    if failed.commands.len().max(passed.commands.len()) > COMMANDS {
        return None;
    }
    let tied = checks::tied(&passed.commands, last);
    let works = |(at, command): &(usize, &Command)| checks::works(command) && !command.torn && *at < tied.len();
    let meant = |run: &'_ [Command]| run.iter().enumerate().filter(works).map(|(at, _)| at).collect::<Vec<_>>();
    let (of, by) = (meant(&failed.commands), meant(&passed.commands));
    let mut found: Option<(Way, usize, usize)> = None;
    for (at, other) in of.iter().flat_map(|at| by.iter().map(move |other| (*at, *other))) {
        if !tied[other] {
            continue;
        }
        let (one, two) = (&failed.commands[at], &passed.commands[other]);
        let texts = |command: &Command| -> Vec<String> {
            command.assignments.iter().chain(&command.words).map(|word| word.text.clone()).collect()
        };
        let place = |run: &Run<'_>, at: usize| files::place_of(&run.commands[..at], cwd);
        let moved = place(failed, at) != place(passed, other);
        // What stands before it only there.
        let behind = passed.commands[..other].iter().any(|command| {
            (sets(command) || job::prepares(command, error::is_of_work(printed)))
                && !failed.commands.iter().any(|known| texts(known) == texts(command))
        });
        if texts(one) == texts(two) {
            let is_other = behind || moved && !error::is_of_work(printed);
            found = if is_other { Some((Way::Other, at, other)) } else { found.or(Some((Way::Same, at, other))) };
        } else if job::is_another_way(one, two, printed) && (of.len() == 1 || blames(one, printed)) {
            found = Some((Way::Other, at, other));
        }
        if found.is_some_and(|(way, ..)| way == Way::Other) {
            break;
        }
    }
    found
}

/// Whether an error is about one of several commands.
fn blames(command: &Command, printed: &str) -> bool {
    job::words(command).iter().any(|word| job::is_named(word, printed))
}

/// Whether a command of the shell's own changes what comes behind it.
fn sets(command: &Command) -> bool {
    let name = command.meant().first().map(|word| word.text.as_str());
    matches!(name, Some("." | "source" | "export" | "set"))
}

/// What is told of a command line, where and behind which settings; "" where it is too long. What reads a pipe is left
/// out.
fn shown(commands: &[Command], line: &str, is_told: impl Fn(usize) -> bool) -> String {
    let (mut out, mut sign, mut piped) = (String::new(), "", false);
    for (at, command) in commands.iter().enumerate() {
        let is_cd = command.meant().first().is_some_and(|word| word.text == "cd");
        let words = checks::written(command, line);
        if (is_told(at) || is_cd || sets(command)) && !piped && !words.is_empty() {
            out.extend([if out.is_empty() { "" } else { sign }, &words]);
            sign = if command.behind == Behind::And { " && " } else { "; " };
        }
        piped = command.behind == Behind::Pipe;
    }
    let out = text::folded(&out).replace('`', "'");
    if out.chars().nth(CHARS).is_some() { String::new() } else { out }
}

#[cfg(test)]
mod tests;
