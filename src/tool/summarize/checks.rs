//! The commands that build, test and lint: which of them work here, which failed last, and what was edited
//! after the last of them. A status counts only for the part of a command line that it is the status of.

use crate::base::shell::{self, Command, Word};
use crate::base::text;
use crate::extract::checks::{self, Kind};
use crate::extract::progress::files::below;
use crate::record::message::ToolUse;
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// Kinds of commands that are told, the last ones, and the characters of one.
const TOLD: usize = 8;
const COMMAND_CHARS: usize = 120;
/// The fewest words of a sentence.
const SENTENCE_WORDS: usize = 4;
/// Files that are named at once.
const FILES: usize = 6;

/// A run of what checks the work.
struct Run<'a> {
    /// Which tool use, and which part of its line.
    at: usize,
    part: usize,
    line: &'a str,
    kind: Kind,
    /// The words that name it, without options.
    name: String,
    /// How it ended; None if the status was of something else, as behind a pipe.
    well: Option<bool>,
}

/// All runs of a session, and what was edited.
pub struct Checks<'a> {
    runs: Vec<Run<'a>>,
    /// The changed files, each with its last change.
    edits: Vec<(usize, &'a str)>,
    committed: Option<usize>,
}

impl<'a> Checks<'a> {
    /// Reads the tool uses of a session; `failed` are the ids of those that failed, `not_run` of those that
    /// never ran.
    pub fn read(tools: &[&'a ToolUse], failed: &HashSet<&str>, not_run: &HashSet<&str>) -> Self {
        let mut found = Self { runs: Vec::new(), edits: Vec::new(), committed: None };
        for (at, tool) in tools.iter().enumerate().filter(|(_, tool)| !not_run.contains(tool.id.as_str())) {
            let failed = failed.contains(tool.id.as_str());
            if let Some(file) = tool.file.as_deref().filter(|_| tool.edits() && !failed) {
                found.edits.push((at, file));
            } else if let Some(line) = tool.command() {
                let commands = shell::commands(line);
                found.runs.extend(runs(line, at, &commands, failed));
                if !failed && commands.iter().any(is_commit) {
                    found.committed = Some(at);
                }
            }
        }
        found
    }

    /// The last run of each command, the newest first.
    fn last(&self) -> Vec<&Run<'a>> {
        let mut names = HashSet::new();
        let mut last: Vec<&Run> = self.runs.iter().rev().filter(|run| names.insert(run.name.as_str())).collect();
        last.truncate(TOLD);
        last
    }

    /// The commands that passed when they ran last; of those with a status that was not seen, that they ran.
    pub fn working(&self, cwd: &Path, redactor: &Redactor) -> Vec<String> {
        let last = self.last();
        let of = |well: Option<bool>, how: &str| {
            let runs = last.iter().filter(|run| run.well == well);
            runs.filter_map(|run| Some(format!("`{}`{how}", run.shown(cwd, redactor)?))).collect::<Vec<_>>()
        };
        let mut told = of(Some(true), "");
        told.extend(of(None, " (status not seen)"));
        told
    }

    /// What is between two states: files that were edited and not checked, tests that were not run, and
    /// what failed when it ran last.
    pub fn unfinished(&self, cwd: &Path, redactor: &Redactor) -> Vec<String> {
        let after = |kinds: &[Kind]| self.runs.iter().rev().find(|run| kinds.contains(&run.kind)).map(|run| run.at);
        let (tested, built) = (after(&[Kind::Test]), after(&[Kind::Test, Kind::Build]));
        let since = |at: Option<usize>, wanted: &dyn Fn(&str) -> bool| {
            let mut names: Vec<String> = Vec::new();
            for (_, file) in self.edits.iter().rev().filter(|(edit, file)| Some(*edit) > at && wanted(file)) {
                let name = below(&redactor.shown(file), cwd).to_owned();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let more = names.len().saturating_sub(FILES);
            names.truncate(FILES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!names.is_empty()).then(|| format!("{}{more}", names.join(", ")))
        };
        let code = |file: &str| !is_prose(file);
        let mut told = Vec::new();
        if let Some(files) = since(tested, &|file| code(file) && is_test(file)) {
            told.push(format!("tests written, not run: {files}"));
        }
        let committed = since(self.committed, &|_| self.committed.is_some());
        let edited = since(built, &|file| code(file) && !is_test(file));
        if let Some(files) = &edited {
            let what = if built.is_some() { "since the last build or test" } else { "and nothing was built or tested" };
            let as_well = if committed == edited { ", not committed" } else { "" };
            told.push(format!("edited {what}{as_well}: {files}"));
        }
        if let Some(files) = committed.filter(|files| edited.as_ref() != Some(files)) {
            told.push(format!("edited since the last commit: {files}"));
        }
        let failed = self.last().into_iter().filter(|run| run.well == Some(false));
        told.extend(failed.filter_map(|run| Some(format!("failed last: `{}`", run.shown(cwd, redactor)?))));
        told
    }
}

impl Run<'_> {
    /// The command as it may be shown, in the folder in which it runs. The whole line is masked first.
    fn shown(&self, cwd: &Path, redactor: &Redactor) -> Option<String> {
        let shown = redactor.shown(self.line);
        let commands = shell::commands(&shown);
        let (before, command) = (commands.get(..self.part)?, commands.get(self.part)?);
        let folder = before.iter().rev().find_map(|command| match command.words.as_slice() {
            [cd, folder] if cd.text == "cd" => Some(below(&folder.text, cwd)).filter(|folder| !folder.is_empty()),
            _ => None,
        });
        // Of a long path the end says enough.
        let folder = folder.map(|folder| match folder.rsplit_once('/').filter(|_| folder.len() > COMMAND_CHARS / 2) {
            Some((_, name)) => format!("cd …/{name} && "),
            None => format!("cd {folder} && "),
        });
        let folder = folder.unwrap_or_default();
        let command = text::folded(&written(command, &shown)).replace('`', "'");
        Some(text::cut(&format!("{folder}{command}"), COMMAND_CHARS).into_owned())
    }
}

/// A command as it is written in a line, without redirections, and without what is long enough to be a sentence:
/// it may be the words of another person.
pub fn written(command: &Command, line: &str) -> String {
    let is_sentence = |quoted: &str| quoted.split_whitespace().count() >= SENTENCE_WORDS;
    let words = command.assignments.iter().chain(&command.words);
    words.map(|word: &Word| checks::shown(word, line, is_sentence)).collect::<Vec<_>>().join(" ")
}

fn is_commit(command: &Command) -> bool {
    let mut words = command.meant().iter().map(|word| word.text.as_str());
    words.next() == Some("git") && words.any(|word| word == "commit")
}

/// The runs of a command line. Its status is that of its last command.
fn runs<'a>(line: &'a str, at: usize, commands: &[Command], failed: bool) -> Vec<Run<'a>> {
    let tied = checks::tied(commands, commands.len().saturating_sub(1));
    let run = |(part, (command, tied)): (usize, (&Command, bool))| {
        let (kind, name) = checks::kind(command).filter(|_| !command.torn)?;
        Some(Run { at, part, line, kind, name, well: tied.then_some(!failed) })
    };
    commands.iter().zip(tied).enumerate().filter_map(run).collect()
}

/// Whether a file has tests in it, as its name or a folder's says.
fn is_test(file: &str) -> bool {
    let words = ["test", "tests", "spec", "specs", "testing"];
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
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
        for file in ["src/latest.rs", "src/contest.py", "attest.go"] {
            assert!(!is_test(file), "{file}");
        }
    }
}
