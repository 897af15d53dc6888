//! Commands that failed, and what did their work then and passed: another command, or the same one behind others that
//! made it pass. Both outcomes are seen in the session, and no file was edited between them, for then it is the edit that
//! mended it. In doubt there is none.

mod error;
mod job;

use crate::agent::transcript::End;
use crate::base::shell::{self, Behind, Command};
use crate::extract::checks;
use crate::extract::progress::files;
use crate::extract::uses::{self, Use};
use crate::record::fix::Fix;
use crate::record::message::Message;
use crate::redact::Redactor;
use std::collections::HashSet;
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
        let tells = |command: &Command| checks::works(command) && !checks::only_asks(command, "asking");
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

/// A use of a tool that changes no file.
struct ToolRun<'m> {
    used: Use<'m>,
    /// What it ran; nothing where that says too much, or where it did not run.
    commands: Vec<Command>,
    /// The place up to which its status is that of its commands; None where how it ended was not seen, or it failed.
    passed: Option<usize>,
}

impl ToolRun<'_> {
    fn line(&self) -> &str {
        self.used.command().unwrap_or("")
    }

    /// What is told of it: the commands at these places.
    fn shown(&self, is_told: impl Fn(usize) -> bool) -> String {
        shown(&self.commands, self.line(), is_told)
    }
}

/// What was found in a session, its texts masked before; each error once, the last way that passed.
pub fn find(messages: &[Message], end: &End, cwd: &Path, redactor: &Redactor) -> Vec<Fix> {
    let steps: Vec<Option<ToolRun<'_>>> = uses::of(messages).into_iter().map(|used| step(used, end)).collect();
    let fix = |(at, step): (usize, &Option<ToolRun<'_>>)| {
        let run = step.as_ref().filter(|run| !run.commands.is_empty())?;
        let fix = mended(run, error::printed(run.used.error?)?, &steps[at + 1..], cwd)?;
        Some(Fix { error: Failed::read(run.line(), run.used.error?, redactor)?.error, ..fix })
    };
    let mut found: Vec<Fix> = Vec::new();
    for fix in steps.iter().enumerate().filter_map(fix) {
        found.retain(|known| known.error != fix.error || known.failed != fix.failed);
        found.push(fix);
    }
    found.split_off(found.len().max(MOST) - MOST)
}

/// What a use of a tool ran; None where it changed a file.
fn step<'m>(used: Use<'m>, end: &End) -> Option<ToolRun<'m>> {
    if used.tool.edits() && used.is_done() {
        return None;
    }
    let line = used.command().filter(|line| used.did_run() && line.len() <= LINE_BYTES);
    let commands = line.map_or_else(Vec::new, shell::commands);
    // What a check printed says more than a status, which is of the last command in the line.
    let is_well = used.is_done() && matches!(end.check(&used.tool.id), Some(None | Some(true)));
    let passed = commands.len().checked_sub(1).filter(|_| is_well);
    Some(ToolRun { used, commands, passed })
}

/// What mended a command that failed, among the steps behind it; without the error.
fn mended(failed: &ToolRun<'_>, printed: &str, later: &[Option<ToolRun<'_>>], cwd: &Path) -> Option<Fix> {
    let of_work = error::is_of_work(printed);
    let is_before = |command: &Command| job::prepares(command, of_work);
    let mut prepared: Vec<&ToolRun<'_>> = Vec::new();
    for run in later.iter().take(NEAR) {
        let run = run.as_ref().filter(|run| !run.commands.iter().any(files::changes))?;
        let Some(last) = run.passed else { continue };
        let Some((is_other, of, by)) = way(failed, run, last, (printed, of_work), cwd) else {
            prepared.extend(run.commands.iter().any(is_before).then_some(run));
            continue;
        };
        // The same command passes for what was done before it.
        let before = if is_other { &[][..] } else { &prepared[..] };
        let before = before.iter().map(|run| run.shown(|at| is_before(&run.commands[at])));
        let told = run.shown(|at| at == by || at < by && is_before(&run.commands[at]));
        let passed: Vec<String> = before.chain([told]).collect();
        let lines = [failed.used.tool.line, run.used.tool.line];
        let failed = failed.shown(|at| at == of);
        let is_enough = is_other || (1..=PREPARE).contains(&prepared.len());
        let is_told = is_enough && !failed.is_empty() && passed.iter().all(|line| !line.is_empty());
        return is_told.then(|| Fix { failed, error: Vec::new(), passed, lines });
    }
    None
}

/// Whether a line that passed does in another way, or in the same, what one did that failed, and the commands of both
/// that say so. In another place or behind others the same command is another way.
fn way(
    failed: &ToolRun<'_>,
    passed: &ToolRun<'_>,
    last: usize,
    (printed, of_work): (&str, bool),
    cwd: &Path,
) -> Option<(bool, usize, usize)> {
    if failed.commands.len().max(passed.commands.len()) > COMMANDS {
        return None;
    }
    let tied = checks::tied(&passed.commands, last);
    let works = |command: &Command| checks::works(command) && !command.torn;
    let of: Vec<usize> = (0..failed.commands.len()).filter(|at| works(&failed.commands[*at])).collect();
    let is_known = |command: &Command| failed.commands.iter().any(|known| texts(known) == texts(command));
    let changes = |command: &Command| sets(command) || job::prepares(command, of_work);
    let mut same = None;
    for (at, other) in of.iter().flat_map(|at| (0..=last).map(move |other| (*at, other))) {
        let (one, two) = (&failed.commands[at], &passed.commands[other]);
        if !tied[other] || !works(two) {
            continue;
        }
        if texts(one) != texts(two) {
            if job::is_another_way(one, two, printed) && (of.len() == 1 || blames(one, printed)) {
                return Some((true, at, other));
            }
            continue;
        }
        let place = |run: &ToolRun<'_>, at: usize| files::place_of(&run.commands[..at], cwd);
        let moved = place(failed, at) != place(passed, other) && !of_work;
        // What stands before it only there.
        if moved || passed.commands[..other].iter().any(|command| changes(command) && !is_known(command)) {
            return Some((true, at, other));
        }
        same = same.or(Some((false, at, other)));
    }
    same
}

fn texts(command: &Command) -> Vec<&str> {
    command.assignments.iter().chain(&command.words).map(|word| word.text.as_str()).collect()
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
    let is_cd = |command: &Command| command.meant().first().is_some_and(|word| word.text == "cd");
    let reads = |at: usize| at.checked_sub(1).is_some_and(|before| commands[before].behind == Behind::Pipe);
    let is_whole = |at: usize| !reads(at) && (is_told(at) || is_cd(&commands[at]) || sets(&commands[at]));
    let out = checks::joined(commands, line, is_whole);
    if out.chars().nth(CHARS).is_some() { String::new() } else { out }
}

#[cfg(test)]
mod tests;
