//! The commands that build, test and lint: which of them work here, which failed last, and what was edited
//! after the last of them. A status counts only for the part of a command line that it is the status of.

use super::line::{self, Behind, Part};
use crate::base::text;
use crate::record::message::ToolUse;
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// Kinds of commands that are told, the last ones, and the characters of one.
const TOLD: usize = 8;
const COMMAND_CHARS: usize = 120;
/// Files that are named at once.
const FILES: usize = 6;

/// Words that say what a command does: by themselves as a program, or behind one of [`PROGRAMS`].
const TESTS: &[&str] = &[
    "test", "tests", "pytest", "jest", "vitest", "nextest", "rspec", "phpunit", "ctest", "unittest", "mocha", "tox",
    "nox", "e2e", "spec", "verify", "ci",
];
const BUILDS: &[&str] = &["build", "check", "compile", "make", "ninja", "tsc", "assemble"];
const LINTS: &[&str] = &[
    "lint", "clippy", "vet", "typecheck", "type-check", "eslint", "prettier", "biome", "ruff", "mypy", "pyright",
    "black", "flake8", "rubocop", "golangci-lint", "shellcheck", "fmt", "format", "credo", "dialyzer", "analyze",
    "stylelint", "swiftlint", "ktlint", "pylint", "oxlint", "standard", "isort",
];
/// Programs that are told in their second word what to do.
const PROGRAMS: &[&str] = &[
    "cargo", "go", "mix", "make", "just", "task", "mise", "gradle", "gradlew", "mvn", "mvnw", "dotnet", "swift",
    "flutter", "dart", "deno", "rake", "rails", "composer", "bazel", "zig", "nx", "turbo", "lerna", "ng", "vite",
    "next", "cmake", "meson", "docker", "sbt", "lein", "stack", "cabal", "dune", "forge", "hardhat", "rebar3", "gleam",
];
/// What they are told that checks nothing.
const OTHERS: &[&str] = &["clean", "install", "run", "serve", "start", "dev", "deploy", "help"];
/// What comes before the program that is meant.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "npx", "bunx", "uvx", "run", "run-script", "exec", "dlx", "python", "python3", "uv",
    "poetry", "pdm", "hatch", "rye", "bundle", "bash", "sh", "time", "timeout", "command", "sudo", "nice", "env",
];

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It runs tests, among them what checks everything.
    Test,
    /// It compiles.
    Build,
    /// It finds fault with the text, or formats it.
    Lint,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    /// The status was of something else, as behind a pipe.
    NotSeen,
}

/// A run of what checks the work.
struct Run<'a> {
    /// Which tool use, and which part of its line.
    at: usize,
    part: usize,
    line: &'a str,
    kind: Kind,
    /// The words that name it, without options.
    name: String,
    end: End,
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
                let parts = line::parts(line);
                found.runs.extend(runs(line, at, &parts, failed));
                if !failed && parts.iter().any(|part| part.text.starts_with("git ") && part.text.contains(" commit")) {
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

    /// The commands that passed when they ran last; of those whose status nobody saw, that they ran.
    pub fn working(&self, cwd: &Path, redactor: &Redactor) -> Vec<String> {
        let last = self.last();
        let of = |end: End, how: &str| {
            let runs = last.iter().filter(|run| run.end == end);
            runs.filter_map(|run| Some(format!("`{}`{how}", run.shown(cwd, redactor)?))).collect::<Vec<_>>()
        };
        let mut told = of(End::Passed, "");
        told.extend(of(End::NotSeen, " (status not seen)"));
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
                let name = line::below(&redactor.shown(file), cwd).to_owned();
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
        let failed = self.last().into_iter().filter(|run| run.end == End::Failed);
        told.extend(failed.filter_map(|run| Some(format!("failed last: `{}`", run.shown(cwd, redactor)?))));
        told
    }
}

impl Run<'_> {
    /// The command as it may be shown, in the folder in which it runs. The whole line is masked first.
    fn shown(&self, cwd: &Path, redactor: &Redactor) -> Option<String> {
        let shown = redactor.shown(self.line);
        let parts = line::parts(&shown);
        let part = parts.get(self.part)?;
        let folder = parts.get(..self.part)?.iter().rev().find_map(|part| part.text.strip_prefix("cd "));
        let folder = folder.map(|folder| line::below(folder.trim(), cwd)).filter(|folder| !folder.is_empty());
        let folder = folder.map(|folder| format!("cd {folder} && ")).unwrap_or_default();
        let command = line::without_sentences(&line::without_redirections(part.text)).replace('`', "'");
        Some(text::cut(&format!("{folder}{command}"), COMMAND_CHARS).into_owned())
    }
}

/// The runs of a command line.
fn runs<'a>(line: &'a str, at: usize, parts: &[Part<'_>], failed: bool) -> Vec<Run<'a>> {
    let mut found = Vec::new();
    // From the end back: the status of the line is that of its last part, and of what `&&` ties to it.
    let mut seen = true;
    let pipes_fail = line.contains("pipefail");
    for (number, part) in parts.iter().enumerate().rev() {
        seen &= number + 1 == parts.len() || part.behind == Behind::And || pipes_fail && part.behind == Behind::Pipe;
        let before = number.checked_sub(1).and_then(|before| parts.get(before));
        // What is behind `||` runs only when something failed.
        let end = match (failed, seen && before.is_none_or(|before| before.behind != Behind::Or)) {
            (_, false) => End::NotSeen,
            (true, _) => End::Failed,
            (false, _) => End::Passed,
        };
        if let Some((kind, name)) = kind(part.text) {
            found.push(Run { at, part: number, line, kind, name, end });
        }
    }
    found.reverse();
    found
}

/// What a command does, and the words that say so; None where it neither builds, tests nor lints.
pub fn kind(command: &str) -> Option<(Kind, String)> {
    let mut ran_by = false;
    let mut words = command.split_whitespace().filter(|word| !word.starts_with('-') && !word.contains(['=', '>']));
    let mut first = words.next()?;
    while RUNNERS.contains(&first) || ran_by && first.chars().all(|c| c.is_ascii_digit() || c == 's') {
        ran_by = true;
        first = words.next()?;
    }
    let program = first.rsplit('/').next().unwrap_or(first);
    let is_file = first.contains('/') || program.contains('.');
    // The shell's own test is none of the work.
    let alone = |word: &str| (word != "test" && word != "check") || ran_by || is_file;
    let stem = program.split('.').next().unwrap_or(program);
    let by_itself = of_word(stem, is_file || ran_by).filter(|_| alone(stem));
    let told = words.next().filter(|_| PROGRAMS.contains(&stem));
    let (kind, name) = match (told.and_then(|word| of_word(word, true)), by_itself) {
        (Some(kind), _) => (kind, format!("{stem} {}", told.unwrap_or_default())),
        (None, kind) => (kind?, told.map_or_else(|| stem.to_owned(), |told| format!("{stem} {told}"))),
    };
    if told.is_some_and(|told| OTHERS.contains(&told)) {
        return None;
    }
    Some((kind, name))
}

/// The kind of one word; `parts` says whether a part of it is enough, as in "test:unit" or "run-tests".
fn of_word(word: &str, parts: bool) -> Option<Kind> {
    let word = word.to_lowercase();
    let is_in = |list: &[&str]| {
        list.contains(&word.as_str()) || parts && word.split([':', '-', '_']).any(|part| list.contains(&part))
    };
    // What lints in one of its parts is that: "lint:test".
    let kinds = [(LINTS, Kind::Lint), (TESTS, Kind::Test), (BUILDS, Kind::Build)];
    kinds.into_iter().find(|(list, _)| is_in(list)).map(|(_, kind)| kind)
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

/// Whether a file has only words in it, which nobody builds.
fn is_prose(file: &str) -> bool {
    let end = file.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
    end.is_some_and(|end| ["md", "mdx", "txt", "rst", "adoc", "log"].contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_by_what_it_does() {
        for (command, wanted) in [
            ("cargo test --lib", Some((Kind::Test, "cargo test"))),
            ("cargo clippy -- -D warnings", Some((Kind::Lint, "cargo clippy"))),
            ("RUST_LOG=1 cargo build", Some((Kind::Build, "cargo build"))),
            ("npm run test:unit", Some((Kind::Test, "test:unit"))),
            ("npm test", Some((Kind::Test, "test"))),
            ("yarn lint", Some((Kind::Lint, "lint"))),
            ("uv run python -m pytest tests/x.py", Some((Kind::Test, "pytest"))),
            ("timeout 60 ./gradlew :app:test", Some((Kind::Test, "gradlew :app:test"))),
            ("make", Some((Kind::Build, "make"))),
            ("make test", Some((Kind::Test, "make test"))),
            ("make docs", Some((Kind::Build, "make docs"))),
            ("make clean", None),
            ("./run-tests.sh", Some((Kind::Test, "run-tests"))),
            ("mix credo --strict", Some((Kind::Lint, "mix credo"))),
            ("test -f x", None),
            ("npm install jest", None),
            ("pip install pytest", None),
            ("bd show test", None),
            ("ls test", None),
            ("gh pr checks", None),
            ("docker run test-image", None),
            ("", None),
        ] {
            assert_eq!(kind(command), wanted.map(|(kind, name)| (kind, name.to_owned())), "{command}");
        }
    }

    #[test]
    fn a_status_is_of_the_part_that_gave_it() {
        let ends = |line: &str, failed| {
            let parts = line::parts(line);
            runs(line, 0, &parts, failed).iter().map(|run| run.end).collect::<Vec<_>>()
        };
        assert_eq!(ends("cargo build && cargo test", false), [End::Passed, End::Passed]);
        assert_eq!(ends("cargo test 2>&1 | tail -3", false), [End::NotSeen]);
        assert_eq!(ends("set -o pipefail; cargo test | tail", false), [End::Passed]);
        assert_eq!(ends("cargo test; echo done", false), [End::NotSeen]);
        assert_eq!(ends("cargo test || true", false), [End::NotSeen]);
        assert_eq!(ends("false || cargo test", false), [End::NotSeen]);
        assert_eq!(ends("cargo build && cargo test", true), [End::Failed, End::Failed]);
        assert_eq!(ends("cargo test | tail -3", true), [End::NotSeen]);
    }

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
