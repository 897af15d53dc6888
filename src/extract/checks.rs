//! What a command is for: the one table of what tests, builds and lints the work, and of what tells nothing of it.

use crate::base::shell::{Behind, Command};

/// Words that say what a command does: by themselves as a program, or behind one of [`PROGRAMS`].
const TESTS: &[&str] = &[
    "test", "tests", "pytest", "jest", "vitest", "nextest", "rspec", "phpunit", "ctest", "unittest", "mocha", "tox",
    "nox", "e2e", "spec", "verify", "ci",
];
const BUILDS: &[&str] =
    &["build", "check", "compile", "make", "ninja", "tsc", "assemble", "gradle", "gradlew", "mvn", "mvnw"];
const LINTS: &[&str] = &[
    "lint", "clippy", "vet", "typecheck", "type-check", "eslint", "prettier", "biome", "ruff", "mypy", "pyright",
    "black", "flake8", "rubocop", "golangci-lint", "shellcheck", "fmt", "format", "credo", "dialyzer", "analyze",
    "stylelint", "swiftlint", "ktlint", "pylint", "oxlint", "standard", "isort", "gofmt", "rustfmt",
];
/// Programs that are told in their second word what to do.
const PROGRAMS: &[&str] = &[
    "cargo", "go", "mix", "make", "just", "task", "gradle", "gradlew", "mvn", "mvnw", "dotnet", "swift", "flutter",
    "dart", "deno", "manage", "artisan", "goreleaser", "ty", "terraform", "helm", "buf", "rake", "rails", "composer",
    "bazel", "zig", "nx", "turbo", "lerna", "ng", "vite", "next", "cmake", "meson", "docker", "sbt", "lein", "stack",
    "cabal", "dune", "forge", "hardhat", "rebar3", "gleam",
];
/// What they are told that checks nothing.
const OTHERS: &[&str] = &["clean", "install", "run", "serve", "start", "dev", "deploy", "help"];
/// What runs the program that is meant.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "mise", "php", "npx", "bunx", "uvx", "run", "run-script", "exec", "dlx", "python",
    "python3", "uv", "poetry", "pdm", "hatch", "rye", "bundle", "bash", "sh",
];

/// The shell's own commands, and what only prints: they do no work.
const SHELL: &[&str] = &[
    ":", "break", "cd", "continue", "echo", "exit", "export", "false", "local", "popd", "printf", "pushd", "pwd",
    "read", "return", "set", "shift", "sleep", "source", "trap", "true", "unset", "wait", ".", "declare", "eval",
];
/// Programs that only look: when they find nothing, the work has not failed.
const LOOKING: &[&str] = &[
    "grep", "rg", "ls", "cat", "find", "fd", "diff", "test", "[", "[[", "which", "head", "tail", "sed", "wc", "awk",
    "sort", "uniq", "cut", "tr", "tree", "stat", "date", "jq", "ps", "command", "type", "file",
];
/// Programs that handle files and processes, or of which is told elsewhere.
const HANDLING: &[&str] = &["git", "mkdir", "rm", "cp", "mv", "ln", "touch", "chmod", "kill", "curl", "xargs", "tee"];

/// How the names of programs begin that run a script.
const INTERPRETERS: &[&str] = &["python", "bash", "sh", "zsh", "node", "perl", "ruby"];

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

/// Whether a command runs a program that is named, and that does more than look.
pub fn works(command: &Command) -> bool {
    command.meant().first().is_some_and(|word| is_plain(&word.text) && !SHELL.contains(&word.name())) && !looks(command)
}

/// Whether a command only looks.
pub fn looks(command: &Command) -> bool {
    command.meant().first().is_some_and(|word| LOOKING.contains(&word.name()))
}

/// Whether it says something of the work that a command ran. What a script says that is given to an interpreter on
/// its command line is not told, and then its name says nothing.
pub fn tells(command: &Command) -> bool {
    let [program, arguments @ ..] = command.meant() else { return false };
    let interprets = INTERPRETERS.iter().any(|name| program.name().starts_with(name));
    let inline = arguments.first().is_some_and(|word| matches!(word.text.as_str(), "-" | "-c" | "-e"));
    works(command) && !HANDLING.contains(&program.name()) && !(interprets && inline)
}

/// The words that say what kind of command it is: two, or three where the first only runs the third.
pub fn name<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).take(3).collect();
    let long = if words.get(1).is_some_and(|word| matches!(*word, "run" | "exec")) { 3 } else { 2 };
    words.into_iter().take(long).collect::<Vec<_>>().join(" ")
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_./~-+:@".contains(c))
}

/// The commands of a line that share the status of the one at `last`: `&&` ties them to it.
pub fn tied(commands: &[Command], last: usize) -> Vec<bool> {
    let pipes_fail = commands.iter().any(|one| {
        one.words.first().is_some_and(|word| word.text == "set") && one.words.iter().any(|word| word.text == "pipefail")
    });
    let mut tied = vec![false; commands.len()];
    let mut seen = true;
    for (at, command) in commands.iter().enumerate().take(last + 1).rev() {
        seen &= at == last || command.behind == Behind::And || pipes_fail && command.behind == Behind::Pipe;
        // What is behind `||` runs only when something failed.
        let before = at.checked_sub(1).and_then(|before| commands.get(before));
        tied[at] = seen && !command.perhaps && before.is_none_or(|before| before.behind != Behind::Or);
    }
    tied
}

/// What a command does, and the words that say so; None where it neither builds, tests nor lints.
pub fn kind(command: &Command) -> Option<(Kind, String)> {
    let meant = command.meant().iter().map(|word| word.text.as_str());
    let mut words = meant.filter(|word| !word.starts_with(['-', '+']) && !word.contains('='));
    // The shell's own test is none of the work.
    let mut ran_by = command.words.first().map(|word| &word.at) != command.meant().first().map(|word| &word.at);
    let mut first = words.next()?;
    while RUNNERS.contains(&first) {
        ran_by = true;
        first = words.next()?;
    }
    let first = Some(first).filter(|first| is_plain(first))?;
    let program = first.rsplit('/').next().unwrap_or(first);
    let by_name = first.contains('/') || program.contains('.') || ran_by;
    let stem = program.split('.').next().unwrap_or(program);
    let by_itself = of_word(stem, by_name).filter(|_| by_name || !matches!(stem, "test" | "check"));
    let told = words.next().filter(|_| PROGRAMS.contains(&stem));
    if told.is_some_and(|told| OTHERS.contains(&told)) {
        return None;
    }
    let kind = told.and_then(|word| of_word(word, true)).or(by_itself)?;
    Some((kind, told.map_or_else(|| stem.to_owned(), |told| format!("{stem} {told}"))))
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
