//! The commands that a session ran last: which of them check the work, how these ended, and what failed and did not
//! run well since.

use crate::agent::transcript::End;
use crate::base::text;
use crate::record::message::ToolUse;
use crate::redact::Redactor;
use std::collections::HashSet;

/// How many are named: checks that passed, what failed, others.
const PASSED: usize = 4;
const FAILED: usize = 2;
const OTHERS: usize = 3;
/// Command lines that are looked at.
const LOOKED_AT: usize = 60;
/// Characters of one.
const COMMAND_CHARS: usize = 50;

/// The first words of a command that tells nothing.
const DULL: &[&str] = &[
    "cd", "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "echo", "printf", "sed", "awk", "wc", "sort",
    "uniq", "git", "pwd", "mkdir", "rm", "cp", "mv", "touch", "chmod", "which", "test", "[", "cut", "sleep", "true",
    "false", "export", "source", "set", "kill", "ps", "diff", "tree", "stat", "date", "curl", "jq", "xargs", "tee",
    "for", "do", "done", "if", "then", "else", "fi", "while", "read", "env",
];
/// What comes before the command that is meant.
const RUNNERS: &[&str] = &["do", "then", "else", "sudo", "time", "timeout", "command", "nice", "exec"];

/// Words of a command that checks the work: its parts between signs are compared.
const CHECKING: &[&str] = &[
    "test", "tests", "check", "lint", "build", "vet", "clippy", "typecheck", "fmt", "format", "pytest", "tox", "ruff",
    "mypy", "eslint", "tsc", "jest", "vitest", "gofmt", "rustfmt", "prettier", "rspec", "phpunit", "ctest",
    "shellcheck", "make", "nextest", "golangci", "biome", "pyright", "analyze", "gradlew", "mvn",
];

/// A part of a command line that ran.
struct Ran {
    /// What is shown of it.
    shown: String,
    /// Its first words: commands of one kind are one.
    kind: String,
    is_check: bool,
    /// How it ended; None where nobody knows.
    well: Option<bool>,
    /// Whether another part of its line can be what failed.
    one_of: bool,
}

/// The points about commands, the newest first, each kind once: checks that passed, what failed, the rest.
pub fn points(tools: &[&ToolUse], failed: &HashSet<&str>, end: &End, redactor: &Redactor) -> Vec<String> {
    let [mut passed, mut broken, mut others] = [const { Vec::new() }; 3];
    let mut kinds = HashSet::new();
    for tool in tools.iter().rev().filter(|tool| tool.command().is_some()).take(LOOKED_AT) {
        for ran in parts_of(tool, failed, end, redactor) {
            if !kinds.insert(ran.kind.clone()) {
                continue;
            }
            let (list, most) = match ran.well {
                Some(true) if ran.is_check => (&mut passed, PASSED),
                Some(false) => (&mut broken, FAILED),
                _ => (&mut others, OTHERS),
            };
            if list.len() < most {
                list.push(if ran.well == Some(false) && ran.one_of {
                    format!("{} or what ran with it", ran.shown)
                } else {
                    ran.shown
                });
            }
        }
        if passed.len() >= PASSED && broken.len() >= FAILED && others.len() >= OTHERS {
            break;
        }
    }
    let point =
        |(label, list): (&str, Vec<String>)| (!list.is_empty()).then(|| format!("{label}: {}", list.join(", ")));
    [("Passed last", passed), ("Failed last", broken), ("Ran last", others)].into_iter().filter_map(point).collect()
}

/// Whether the last check of the work of which it is known how it ended failed.
pub fn is_broken(tools: &[&ToolUse], failed: &HashSet<&str>, end: &End, redactor: &Redactor) -> bool {
    let lines = tools.iter().rev().filter(|tool| tool.command().is_some()).take(LOOKED_AT);
    let mut checks = lines.flat_map(|tool| parts_of(tool, failed, end, redactor)).filter(|ran| ran.is_check);
    checks.find_map(|ran| ran.well) == Some(false)
}

/// The parts of a tool's command line that tell something, the last first. What is quoted and what is written to a
/// command is gone before anything is masked: it is long, and masking takes the most time here.
fn parts_of(tool: &ToolUse, failed: &HashSet<&str>, end: &End, redactor: &Redactor) -> Vec<Ran> {
    let line = bare(tool.command().unwrap_or_default());
    let result = end.check(&tool.id);
    // The status is that of the last command of a pipe.
    let status_tells = !line.replace("||", "").contains('|');
    // Without a result it may still run, or was killed.
    let well = if failed.contains(tool.id.as_str()) {
        Some(false)
    } else {
        result.and_then(|said| said.or(Some(true).filter(|_| status_tells)))
    };
    // Behind these the line goes on whatever the command before them did.
    let goes_on = line.contains([';', '\n']) || line.contains("||");
    let parts = parts(&line);
    let several = parts.len() > 1;
    let last = parts.len().saturating_sub(1);
    let ran = |(at, part): (usize, String)| {
        let words: Vec<&str> = part.split_whitespace().filter(|word| !word.starts_with('-')).collect();
        // What a runner runs is what it is.
        let long = if words.get(1).is_some_and(|word| matches!(*word, "run" | "exec")) { 3 } else { 2 };
        let kind = words.into_iter().take(long).collect::<Vec<_>>().join(" ");
        let well = well.filter(|well| at == last || *well && !goes_on);
        let shown = format!("`{}`", text::cut(&redactor.shown(&part), COMMAND_CHARS));
        Ran { is_check: is_check(&part), shown, kind, well, one_of: several }
    };
    parts.into_iter().enumerate().map(ran).rev().collect()
}

/// Whether a command tests, builds or looks over the work.
fn is_check(part: &str) -> bool {
    let named = part.split_whitespace().filter(|word| !word.starts_with('-')).take(4);
    let mut words = named.flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| CHECKING.contains(&word))
}

/// A command line with "…" for what is quoted, and without what is written to its standard input.
fn bare(command: &str) -> String {
    let mut out = String::new();
    let mut letters = command.split("<<").next().unwrap_or(command).chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => _ = letters.next(),
            '"' | '\'' => {
                let mut before = letter;
                out.push('…');
                for inner in letters.by_ref() {
                    if inner == letter && !(letter == '"' && before == '\\') {
                        break;
                    }
                    before = inner;
                }
            }
            _ => out.push(letter),
        }
    }
    out
}

/// The commands of a bare line that tell something.
fn parts(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in line.split(['|', ';', '&', '\n', '(', ')']) {
        let words = part.split_whitespace().filter(|word| !word.starts_with(['>', '<']) && !word.contains('>'));
        let words: Vec<&str> = words
            .skip_while(|word| {
                RUNNERS.contains(word) || word.contains('=') || word.chars().all(|c| c.is_ascii_digit() || c == 's')
            })
            .collect();
        let Some(first) = words.first() else { continue };
        let plain = first.chars().all(|c| c.is_alphanumeric() || "_./~-".contains(c)) && !first.starts_with('-');
        if plain && !DULL.contains(first) {
            found.push(words.join(" "));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_command_line_what_tells_something_is_left() {
        let told = |command: &str| parts(&bare(command)).join(" | ");
        assert_eq!(told("cd /x && cargo test --quiet 2>&1 | tail -3"), "cargo test --quiet");
        assert_eq!(told("FOO=1 timeout 60 npm run build; echo \"a && b\""), "npm run build");
        assert_eq!(told("python3 - <<'E'\nimport os\nE"), "python3 -");
        assert_eq!(told("gh pr create --title 'x; y' --body \"z | w\""), "gh pr create --title … --body …");
        assert_eq!(told("for f in *.rs; do rustfmt $f; done"), "rustfmt $f");
        assert_eq!(told("git status && ls"), "");
    }
}
