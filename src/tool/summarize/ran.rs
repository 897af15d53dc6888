//! What a summary tells of what a session ran: the checks that work here, what failed and what mended it, and what was
//! edited after the last of them.

use crate::base::text;
use crate::extract::checks::CheckKind;
use crate::extract::progress::files::{self, below};
use crate::extract::progress::ran::{Ran, RanCommand};
use crate::extract::reported_speech::short_path;
use crate::redact::Redactor;
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
    [of(Some(true), ""), of(None, " (status not seen)")].concat()
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
