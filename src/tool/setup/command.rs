//! Whose a hook's command is. It is a line for the shell: of its words the program decides, whatever
//! assignments come before it and arguments behind it. A line that goes on with another program is
//! its writer's alone.

use crate::agent::hooks;
use crate::base::shell::{self, Command};
use std::ops::Range;

/// The hooks of the predecessor that do what we do. Its others are not about memory, or hand it to another
/// tool, and stay.
const PREDECESSOR: &[&str] = &["compound-loop", "session-export", "session-end", "context-inject", "pre-compact"];
/// Where its hooks are in its package: before 0.43 settings named these files, or the same as a module.
const BUILTINS: [&str; 2] = ["lazy_harness/hooks/builtins/", "lazy_harness.hooks.builtins."];
/// Programs that run another one.
const LAUNCHERS: &[&str] = &["hatch", "pdm", "pipx", "poetry", "uv", "uvx"];
/// Words that only lead to the program; the last is our plugin's.
const LEADERS: &[&str] = &["bash", "command", "dash", "env", "exec", "nohup", "sh", "lh-hook"];
/// Programs behind another one that do nothing.
const NOTHING: &[&str] = &[":", "exit", "true"];

/// Whose a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// One of our scripts.
    Ours {
        /// The program as the shell sees it.
        path: String,
        /// Where it is in the command.
        at: Range<usize>,
    },
    /// lazy-harness, doing what we do.
    Predecessor,
    /// Another tool.
    Other,
}

/// Whose `command`, under one of the client's events, is.
pub fn owner(event: &str, command: &str) -> Owner {
    let commands = shell::commands(command);
    let Some((first, behind)) = commands.split_first() else { return Owner::Other };
    // A group, or a condition, is its writer's.
    let begins = first.assignments.iter().chain(&first.words).next().map(|word| word.at.start);
    let alone = begins == command.find(|letter: char| !letter.is_whitespace());
    let mut words = first.words.iter().skip_while(|word| word.is_assignment() || LEADERS.contains(&word.name()));
    let Some(program) = words.next().filter(|_| alone && behind.iter().all(does_nothing)) else {
        return Owner::Other;
    };
    let name = program.name();
    let is_hook = |event: &str| hooks::ALL.iter().any(|(of, _)| *of == event);
    if is_hook(event) && hooks::ALL.iter().any(|(_, script)| *script == name) {
        return Owner::Ours { path: program.text.clone(), at: program.at.clone() };
    }
    let all: Vec<&str> = std::iter::once(program).chain(words).map(|word| word.text.as_str()).collect();
    if is_predecessor(name, &all) { Owner::Predecessor } else { Owner::Other }
}

fn does_nothing(command: &Command) -> bool {
    command.words.first().is_some_and(|word| NOTHING.contains(&word.text.as_str()))
}

/// Whether a command that is not known may remember sessions all the same, behind a wrapper that cannot
/// be seen through.
pub fn may_remember(command: &str) -> bool {
    let names = |hook: &&str| command.contains(*hook) || command.contains(&hook.replace('-', "_"));
    let of_predecessor = ["lh hook ", "lazy_harness", "lazy-harness"].iter().any(|name| command.contains(name));
    command.contains("lh-hook-") || of_predecessor && PREDECESSOR.iter().any(names)
}

/// Whether a program with these words is a hook of the predecessor that does what we do, by itself, by a launcher or by
/// Python.
fn is_predecessor(program: &str, words: &[&str]) -> bool {
    let version = program.strip_prefix("python").unwrap_or("-");
    let is_python = version.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let is_hook = |words: &[&str]| match words {
        [lh, "hook", name, ..] => {
            let is_lh = lh.rsplit('/').next() == Some("lh") || lh.split('.').next() == Some("lazy_harness");
            is_lh && PREDECESSOR.contains(name)
        }
        [word, ..] => BUILTINS
            .iter()
            .filter_map(|place| word.split_once(place))
            .any(|(_, file)| PREDECESSOR.contains(&&*file.strip_suffix(".py").unwrap_or(file).replace('_', "-"))),
        [] => false,
    };
    let reach = if is_python || LAUNCHERS.contains(&program) { words.len() } else { 1 };
    (0..reach).any(|at| is_hook(&words[at..]))
}

/// A path as one word for the shell.
pub fn quote(path: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@%".contains(letter);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// The command for one of our scripts. A script ends with 0 as soon as it runs, but where its shell cannot
/// open it (dash needs room for twelve open files), the shell's own status would be taken for "block".
pub fn never_fails(script: &str) -> String {
    format!("{} || :", quote(script))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn ours_and_the_predecessors_are_known_by_their_programs() {
        for [command, wanted] in rows(include_str!("command.tsv")) {
            match owner("Stop", &command) {
                Owner::Ours { path, at } => {
                    assert_eq!(path, wanted);
                    assert!(command[at].contains("lh-hook-"), "{command}");
                }
                Owner::Predecessor => assert_eq!(wanted, "predecessor", "{command}"),
                Owner::Other => assert_eq!(wanted, "other", "{command}"),
            }
        }
        assert_eq!(owner("Notification", "/opt/lh/lh-hook-stop"), Owner::Other);
        assert!(may_remember("timeout 9 lh hook compound-loop") && may_remember("x /lazy_harness/a/compound_loop.py"));
        assert!(!may_remember("lh hook pre-tool-use-security") && !may_remember("compound-loop"));
    }

    #[test]
    fn a_quoted_path_is_one_word() {
        for path in ["/opt/lh", "/my tools/lh", "/it's/$x`y`", "/a\nb", "/ñ", "~"] {
            let quoted = quote(path);
            let commands = shell::commands(&quoted);
            assert_eq!(commands[0].words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), [path]);
        }
        assert_eq!(quote("/opt/lh/x-1.0"), "/opt/lh/x-1.0");
    }
}
