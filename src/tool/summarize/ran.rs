//! What a session ran: the commands that build, test and lint, with which of them work here; what failed, and what
//! mended it; and what was edited after the last of them. A status counts only for the part of a command line that it is
//! the status of.

use crate::base::shell::{self, Command};
use crate::base::text;
use crate::extract::checks::{self, CheckKind};
use crate::extract::progress::files::{self, below};
use crate::extract::reported_speech::short_path;
use crate::extract::uses;
use crate::record::message::Message;
use crate::redact::Redactor;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// Kinds of checks that are told, the last ones, and the characters of one.
const CHECKS: usize = 8;
const CHECK_CHARS: usize = 120;
/// Failures that are told, the last ones, and the characters of a command that failed.
const FAILURES: usize = 15;
const FAILURE_CHARS: usize = 80;
/// Characters of an error in which a file is looked for.
const HEAD_CHARS: usize = 4000;
/// Files that are named at once of those that were not checked, and of those that mended something.
const UNCHECKED: usize = 6;
const MENDING: usize = 3;

/// A command line that ran.
struct CommandLine<'a> {
    /// Which tool use it was.
    at: usize,
    text: &'a str,
    commands: Vec<Command>,
    /// What it printed, when it failed.
    error: Option<&'a str>,
}

/// The last run of a check of the work.
struct CheckRun<'a> {
    line: &'a CommandLine<'a>,
    /// Which command of the line.
    part: usize,
    kind: CheckKind,
    /// How it ended; None if the status was of something else, as behind a pipe.
    well: Option<bool>,
}

/// All that a session ran, and what it edited.
pub struct Ran<'a> {
    lines: Vec<CommandLine<'a>>,
    /// The changed files, each with the tool use that changed it.
    edits: Vec<(usize, &'a str)>,
    cwd: &'a Path,
    redactor: &'a Redactor,
}

impl<'a> Ran<'a> {
    /// Reads what the tools did. What a hook, the client or the user did not let run did nothing.
    pub fn read(messages: &'a [Message], cwd: &'a Path, redactor: &'a Redactor) -> Self {
        let (mut lines, mut edits) = (Vec::new(), Vec::new());
        for (at, used) in uses::of(messages).into_iter().enumerate().filter(|(_, used)| used.did_run()) {
            if used.tool.edits() && used.is_done() {
                edits.extend(used.file().map(|file| (at, file)));
            }
            let line = |text| CommandLine { at, text, commands: shell::commands(text), error: used.error };
            lines.extend(used.command().map(line));
        }
        Self { lines, edits, cwd, redactor }
    }

    /// The last run of each check by its name, the newest first.
    fn checks(&self) -> Vec<CheckRun<'_>> {
        let mut names = HashSet::new();
        let runs = self.lines.iter().rev().flat_map(CommandLine::checks);
        runs.filter_map(|(name, run)| names.insert(name).then_some(run)).collect()
    }

    /// The checks that passed when they ran last; of those with a status that was not seen, that they ran.
    pub fn working(&self) -> Vec<String> {
        let mut last = self.checks();
        last.truncate(CHECKS);
        let of = |well: Option<bool>, how: &str| {
            let runs = last.iter().filter(|run| run.well == well);
            runs.filter_map(|run| Some(format!("`{}`{how}", self.shown(run)?))).collect::<Vec<_>>()
        };
        [of(Some(true), ""), of(None, " (status not seen)")].concat()
    }

    /// What is between two states: files that were edited and not checked, tests that were not run, and
    /// what failed when it ran last.
    pub fn unfinished(&self) -> Vec<String> {
        let mut checks = self.checks();
        let after = |kinds: &[CheckKind]| checks.iter().find(|run| kinds.contains(&run.kind)).map(|run| run.line.at);
        let (tested, built) = (after(&[CheckKind::Test]), after(&[CheckKind::Test, CheckKind::Build]));
        let commits = |line: &&CommandLine<'_>| line.error.is_none() && line.commands.iter().any(is_commit);
        let committed = self.lines.iter().rfind(commits).map(|line| line.at);
        let since = |at: Option<usize>, wanted: &dyn Fn(&str) -> bool| {
            let edits = self.edits.iter().rev().filter(|(edit, file)| Some(*edit) > at && wanted(file));
            let names = each_once(edits.map(|(_, file)| short_path(below(&self.redactor.shown(file), self.cwd))));
            let more = names.len().saturating_sub(UNCHECKED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!names.is_empty()).then(|| format!("{}{more}", names[..names.len().min(UNCHECKED)].join(", ")))
        };
        let tests = since(tested, &|file| !is_prose(file) && is_test(file));
        let edited = since(built, &|file| !is_prose(file) && !is_test(file));
        let committed = committed.and_then(|at| since(Some(at), &|_| true));
        let what = if built.is_some() { "since the last build or test" } else { "and nothing was built or tested" };
        let as_well = if committed == edited { ", not committed" } else { "" };
        let mut told: Vec<String> = tests.map(|files| format!("tests written, not run: {files}")).into_iter().collect();
        told.extend(edited.iter().map(|files| format!("edited {what}{as_well}: {files}")));
        let committed = committed.filter(|files| edited.as_ref() != Some(files));
        told.extend(committed.map(|files| format!("edited since the last commit: {files}")));
        checks.truncate(CHECKS);
        let failed = checks.iter().filter(|run| run.well == Some(false));
        told.extend(failed.filter_map(|run| Some(format!("failed last: `{}`", self.shown(run)?))));
        told
    }

    /// A line for each command that failed, the last failure of each, in the order in which they failed. What only
    /// looked, and a fault in the text that was mended, is left out.
    pub fn failed(&self) -> Vec<String> {
        // From the end back, what is behind each run is known: the next of the same command, and the next that
        // ran well of its kind.
        let (mut same, mut well): (HashMap<&str, &CommandLine>, HashMap<String, &CommandLine>) = Default::default();
        let mut told = Vec::new();
        for line in self.lines.iter().rev() {
            let (later, kind) = (same.insert(line.text, line), line.kind());
            let Some(error) = line.error else {
                well.insert(kind, line);
                continue;
            };
            // A later failure of the same command says it better.
            let other = later.or_else(|| well.get(&kind).copied());
            if told.len() == FAILURES || other.is_some_and(|other| other.error.is_some()) || line.is_noise(other) {
                continue;
            }
            let end = match other {
                None => "; not run again".to_owned(),
                Some(other) if later.is_none() => format!("; `{}` ran well later", self.programs(other)),
                Some(other) => match self.changed(line.at..other.at) {
                    files if files.is_empty() => "; ran well later".to_owned(),
                    files => format!("; ran well after changes to {files}"),
                },
            };
            told.push(format!("`{}` failed{}{end}", self.programs(line), self.place(error)));
        }
        told.reverse();
        told
    }

    /// The names of the first files that were changed between two tool uses.
    fn changed(&self, uses: Range<usize>) -> String {
        let edits = self.edits.iter().filter(|(at, _)| uses.contains(at));
        let name = |file: &str| short_path(self.redactor.shown(file).rsplit('/').next().unwrap_or_default());
        let mut names = each_once(edits.map(|(_, file)| name(file)));
        names.truncate(MENDING);
        names.join(", ")
    }

    /// A check as it may be shown, in the folder in which it runs. The whole line is masked first.
    fn shown(&self, run: &CheckRun<'_>) -> Option<String> {
        let shown = self.redactor.shown(run.line.text);
        let commands = shell::commands(&shown);
        let command = commands.get(run.part..=run.part)?;
        let folder = files::place_of(&commands[..run.part], self.cwd).filter(|folder| !folder.is_empty());
        let folder = folder.map_or_else(String::new, |folder| format!("cd {folder} && "));
        let told = format!("{folder}{}", checks::joined(command, &shown, |_| true));
        Some(text::cut(&told, CHECK_CHARS).into_owned())
    }

    /// What a line runs, without what only looks and what is the shell's own.
    fn programs(&self, line: &CommandLine) -> String {
        let line = self.redactor.shown(line.text);
        let commands = shell::commands(&line);
        let told = checks::joined(&commands, &line, |at| checks::works(&commands[at]));
        text::cut(&told, FAILURE_CHARS).into_owned()
    }

    /// Where a command failed, as far as that can be told without what it printed, which can be any author's words: the
    /// status that the client gives, and the first file that is named.
    fn place(&self, error: &str) -> String {
        let error = self.redactor.shown(error);
        let status = error.lines().next().and_then(|line| line.strip_prefix("Exit code ")).map(str::trim);
        let status = status.filter(|status| status.parse::<u8>().is_ok() && *status != "1");
        let file = files::in_text(&text::cut(&error, HEAD_CHARS)).into_iter().find(|file| files::is_name(file));
        let status = status.map(|status| format!(" with status {status}"));
        let file = file.map(|file| format!(" in {}", short_path(&self.redactor.shown(&file))));
        status.into_iter().chain(file).collect()
    }
}

impl CommandLine<'_> {
    /// Its parts that check the work, each with the words that name it. Its status is that of its last command.
    fn checks(&self) -> impl Iterator<Item = (String, CheckRun<'_>)> {
        let tied = checks::tied(&self.commands, self.commands.len().saturating_sub(1));
        let check = move |(part, command): (usize, &Command)| {
            let (kind, name) = checks::kind(command).filter(|_| !command.torn)?;
            Some((name, CheckRun { line: self, part, kind, well: tied[part].then_some(self.error.is_none()) }))
        };
        self.commands.iter().enumerate().rev().filter_map(check)
    }

    /// The name of what it runs first.
    fn kind(&self) -> String {
        let first = self.commands.iter().find(|command| checks::works(command)).map(Command::meant);
        checks::name(first.unwrap_or_default().iter().map(|word| word.text.as_str()))
    }

    /// Whether its failure tells nothing of the work; `later` is a run of its kind that ended well.
    fn is_noise(&self, later: Option<&CommandLine<'_>>) -> bool {
        let mut kinds = self.commands.iter().filter_map(checks::kind).map(|(kind, _)| kind).peekable();
        let lints = kinds.peek().is_some() && kinds.all(|kind| kind == CheckKind::Lint);
        lints && later.is_some()
            || self.commands.last().is_some_and(checks::looks)
            || !self.commands.iter().any(checks::works)
    }
}

fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = HashSet::new();
    names.filter(|name| known.insert(name.clone())).collect()
}

fn is_commit(command: &Command) -> bool {
    let mut words = command.meant().iter().map(|word| word.text.as_str());
    words.next() == Some("git") && words.any(|word| word == "commit")
}

/// Whether a file has tests in it, as its name or a folder's says.
fn is_test(file: &str) -> bool {
    let words = ["test", "tests", "spec", "specs", "testing"];
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    // Of a folder the whole name: a project can be called my-test-app.
    let of_name = name.split(['.', '_', '-']).any(|part| words.contains(&part.to_lowercase().as_str()));
    let of_folder = file.split('/').rev().skip(1).any(|folder| words.contains(&folder.trim_matches('_')));
    of_name || of_folder || ["Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
}

/// Whether a file has only words in it, which is not built.
fn is_prose(file: &str) -> bool {
    let end = file.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
    end.is_some_and(|end| ["md", "mdx", "txt", "rst", "adoc", "log"].contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tests_is_known_by_its_name() {
        for file in ["tests/a.rs", "src/a.test.ts", "a_test.go", "test_a.py", "FooTest.java", "x/__tests__/a.js"] {
            assert!(is_test(file), "{file}");
        }
        for file in ["src/latest.rs", "src/contest.py", "attest.go", "/home/u/my-test-app/src/main.rs"] {
            assert!(!is_test(file), "{file}");
        }
    }
}
