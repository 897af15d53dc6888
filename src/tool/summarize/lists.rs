//! The lists of a summary that are read off the records: the checks that work here, what failed and what mended it, what was
//! edited after the last of them, every real request, and the files with how often each was touched.

use crate::base::text;
use crate::extract::checks::CheckKind;
use crate::extract::progress::files::{self, below};
use crate::extract::progress::has_request;
use crate::extract::progress::ran::{Ran, RanCommand};
use crate::extract::reported_speech::short_path;
use crate::record::message::{Action, Message};
use crate::redact::Redactor;
use crate::store::summary::{ASKED, NOT_SEEN, Summary};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Command lines that are looked at, from the end.
pub const LINES: usize = 300;
/// Kinds of checks that are told, the last ones, and the characters of one.
const CHECKS: usize = 8;
const CHECK_CHARS: usize = 120;
/// Failures that are told, the last ones, and the characters of a command that failed.
const FAILURES: usize = 15;
const FAILURE_CHARS: usize = 80;
/// Characters of an error in which a file is looked for.
const HEAD_CHARS: usize = 4000;
/// Files that are named at once.
const NAMED: usize = 6;

/// Characters of a request, the fewest words of one that says something by itself, and the most requests: the first one
/// and the last ones.
const REQUEST_CHARS: usize = 120;
const REQUEST_WORDS: usize = 3;
const REQUESTS: usize = 60;
/// Files that are counted.
const FILES: usize = 15;

/// The last run of each check by its name, the newest first.
fn checks<'r>(ran: &'r Ran<'_>) -> Vec<&'r RanCommand> {
    let mut names = HashSet::new();
    ran.commands.iter().filter(|ran| ran.kind.is_some() && names.insert(&ran.name)).collect()
}

/// The checks that passed when they ran last; of those with a status that was not seen, that they ran.
pub fn working(ran: &Ran<'_>) -> Vec<String> {
    let mut last = checks(ran);
    last.truncate(CHECKS);
    let of = |well: Option<bool>, how: &str| {
        let runs = last.iter().filter(|run| run.well == well);
        runs.map(|run| format!("{}{how}", run.line(CHECK_CHARS))).collect::<Vec<_>>()
    };
    [of(Some(true), ""), of(None, NOT_SEEN)].concat()
}

/// What is between two states: files that were edited and not checked, tests that were not run, and what failed when it
/// ran last.
pub fn unfinished(ran: &Ran<'_>, cwd: &Path, redactor: &Redactor) -> Vec<String> {
    let checks = checks(ran);
    let last = |kinds: &[CheckKind]| {
        checks.iter().filter(|run| run.kind.is_some_and(|kind| kinds.contains(&kind))).map(|run| run.at).max()
    };
    let (tested, built) = (last(&[CheckKind::Test]), last(&[CheckKind::Test, CheckKind::Build]));
    let since = |at: Option<usize>, wanted: &dyn Fn(&str) -> bool| {
        let edits = ran.edits.iter().rev().filter(|(edit, file)| Some(*edit) > at && wanted(file));
        let name = |file: &str| short_path(below(&redactor.shown(file), cwd));
        named(edits.map(|(_, file)| name(file)))
    };
    let tests = since(tested, &|file| !is_prose(file) && is_test(file));
    let edited = since(built, &|file| !is_prose(file) && !is_test(file));
    let committed = ran.committed.and_then(|at| since(Some(at), &|_| true));
    let what = if built.is_some() { "since the last build or test" } else { "and nothing was built or tested" };
    let as_well = if committed == edited { ", not committed" } else { "" };
    let mut told: Vec<String> = tests.map(|files| format!("tests written, not run: {files}")).into_iter().collect();
    told.extend(edited.iter().map(|files| format!("edited {what}{as_well}: {files}")));
    let committed = committed.filter(|files| edited.as_ref() != Some(files));
    told.extend(committed.map(|files| format!("edited since the last commit: {files}")));
    let failed = checks.iter().take(CHECKS).filter(|run| run.well == Some(false));
    told.extend(failed.map(|run| format!("failed last: {}", run.line(CHECK_CHARS))));
    told
}

/// A line for the last failure of each kind of command, in the order in which they failed. A fault in the text that was
/// mended is left out, and what ran again with an end that is not known.
pub fn failed(ran: &Ran<'_>, redactor: &Redactor) -> Vec<String> {
    let (mut well, mut unknown, mut failed) = (HashMap::new(), HashSet::new(), HashSet::new());
    let mut told = Vec::new();
    for run in &ran.commands {
        match run.well {
            Some(true) => drop(well.insert(&run.name, run)),
            None => drop(unknown.insert(&run.name)),
            Some(false) => {
                let later = well.get(&run.name).copied();
                let is_told = later.map_or(!unknown.contains(&run.name), |_| run.kind != Some(CheckKind::Lint));
                if failed.insert(&run.name) && is_told {
                    let place = place(ran.used[run.at].error.unwrap_or(""), redactor);
                    told.push(format!(
                        "{} failed{place}; {}",
                        run.shown(FAILURE_CHARS),
                        since(ran, run, later, redactor)
                    ));
                }
            }
        }
    }
    told.truncate(FAILURES);
    told.reverse();
    told
}

/// What came behind a failure, of which `later` ran well.
fn since(ran: &Ran<'_>, failed: &RanCommand, later: Option<&RanCommand>, redactor: &Redactor) -> String {
    let Some(later) = later else { return "not run again".to_owned() };
    let other = later.shown(FAILURE_CHARS);
    if other != failed.shown(FAILURE_CHARS) {
        return format!("{other} ran well later");
    }
    let between = ran.edits.iter().filter(|(at, _)| (failed.at..later.at).contains(at));
    let names = named(between.map(|(_, file)| short_path(redactor.shown(file).rsplit('/').next().unwrap_or(file))));
    names.map_or_else(|| "ran well later".to_owned(), |files| format!("ran well after changes to {files}"))
}

/// Where a command failed, as far as that can be told without what it printed, which can be any author's words: the
/// status that the client gives, and the first file that is named.
fn place(error: &str, redactor: &Redactor) -> String {
    let error = redactor.shown(error);
    let status = error.lines().next().and_then(|line| line.strip_prefix("Exit code ")).map(str::trim);
    let status = status.filter(|status| status.parse::<u8>().is_ok() && *status != "1");
    let file = files::in_text(&text::cut(&error, HEAD_CHARS)).into_iter().find(|file| files::is_name(file));
    let status = status.map(|status| format!(" with status {status}"));
    let file = file.map(|file| format!(" in {}", short_path(&redactor.shown(&file))));
    status.into_iter().chain(file).collect()
}

/// The first of some names, each once; none where there is none.
fn named(names: impl Iterator<Item = String>) -> Option<String> {
    let mut known = HashSet::new();
    let names: Vec<String> = names.filter(|name| known.insert(name.clone())).collect();
    let more = names.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
    (!names.is_empty()).then(|| format!("{}{more}", names[..names.len().min(NAMED)].join(", ")))
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

/// Every real request in order and short, masked. What the session's last summary had is not read again.
pub fn requests(messages: &[Message], earlier: &Summary, redactor: &Redactor) -> Vec<String> {
    let mut all = earlier.points(ASKED);
    let read = if all.is_empty() { 0 } else { earlier.source_lines };
    let typed = messages.iter().filter(|message| message.is_prompt() && message.line > read);
    let requests = typed.filter(|message| has_request(std::slice::from_ref(message)));
    let shown = requests.map(|message| shown(message, redactor));
    all.extend(shown.filter(|text| text.split_whitespace().count() >= REQUEST_WORDS));
    all.dedup();
    if let Some(gone) = all.len().checked_sub(REQUESTS) {
        all.drain(1..=gone);
    }
    all
}

fn shown(message: &Message, redactor: &Redactor) -> String {
    let mut message = message.clone();
    message.show(redactor);
    text::cut(&text::folded(&message.text), REQUEST_CHARS).into_owned()
}

/// Whether a prompt is a command for the client, as "/compact": a path has more than one slash.
pub fn is_command(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.strip_prefix('/').is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.contains(['/', '.']))
}

/// Which files the session wrote, edited and read, and how often, a line each: those that were changed first, the more often touched the earlier. A name is masked by
/// itself, for what follows it in its line can hide that a secret is in it.
pub fn touched(messages: &[Message], cwd: &Path, redactor: &Redactor) -> Vec<String> {
    // How often each was written, edited and read, and which of them it was.
    let mut counts: HashMap<&str, ([usize; 3], usize)> = HashMap::new();
    for tool in messages.iter().flat_map(|message| &message.tools) {
        let Some(file) = tool.file.as_ref().filter(|file| files::is_name(file)) else { continue };
        let below = files::below(file, cwd);
        let known = counts.len();
        let (counts, _) = counts.entry(if below.is_empty() { file } else { below }).or_insert(([0; 3], known));
        counts[match tool.action {
            Action::Write(_) => 0,
            Action::Edit(_) => 1,
            _ => 2,
        }] += 1;
    }
    let mut all: Vec<(&str, ([usize; 3], usize))> = counts.into_iter().collect();
    all.sort_by_key(|(_, ([wrote, edited, read], first))| (Reverse((wrote + edited, *read)), *first));
    let line = |(file, (counts, _)): &(&str, ([usize; 3], usize))| {
        let counts = ["written", "edited", "read"].into_iter().zip(counts).filter(|(_, count)| **count > 0);
        let counts: Vec<String> = counts.map(|(what, count)| format!("{what} {count} times")).collect();
        format!("{}: {}", short_path(&redactor.shown(file)), counts.join(", ").replace(" 1 times", " once"))
    };
    let mut lines: Vec<String> = all.iter().take(FILES).map(line).collect();
    if all.len() > FILES {
        lines.push(format!("and {} more", all.len() - FILES));
    }
    lines
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

    #[test]
    fn a_command_for_the_client_is_no_request() {
        for text in ["/compact", "/model opus is better now", " /plugin:name x"] {
            assert!(is_command(text), "{text}");
        }
        for text in ["/src/app/x.rs is broken", "/ is slow", "fix /compact", "/etc.d y", ""] {
            assert!(!is_command(text), "{text}");
        }
    }
}
