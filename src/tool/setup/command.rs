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

    #[test]
    fn ours_is_known_by_its_program() {
        for (command, path) in [
            ("/opt/lh/lh-hook-stop", "/opt/lh/lh-hook-stop"),
            ("LH_BIN=/x A='b c' \"/my tools/lh-hook-stop\" --force >/dev/null 2>&1 || true", "/my tools/lh-hook-stop"),
            ("sh $HOME/lh-hook-stop", "$HOME/lh-hook-stop"),
            (r"/my\ tools/lh-hook-session-end &", "/my tools/lh-hook-session-end"),
            ("'/it'\\''s/lh-hook-stop'", "/it's/lh-hook-stop"),
            (r#"sh "${CLAUDE_PLUGIN_ROOT}/hooks/lh-hook" lh-hook-stop || :"#, "lh-hook-stop"),
        ] {
            let Owner::Ours { path: found, at } = owner("Stop", command) else { panic!("{command}") };
            assert_eq!(found, path);
            assert!(command[at].contains("lh-hook-"), "{command}");
        }
        for other in
            ["", "lh-hook-stop; notify", "notify lh-hook-stop", "lh-hook-stopp", "a | lh-hook-stop", "X=1", ";"]
        {
            assert_eq!(owner("Stop", other), Owner::Other, "{other}");
        }
        assert_eq!(owner("Notification", "/opt/lh/lh-hook-stop"), Owner::Other);
    }

    #[test]
    fn the_predecessors_commands_are_known() {
        for command in [
            "lh hook compound-loop",
            "/home/me/.local/bin/lh hook session-export --quiet",
            "LH_PROFILE=work \"/my tools/lh\" hook pre-compact 2>/dev/null || true",
            "env A=1 lh hook context-inject; exit 0",
            "uv run lh hook session-end",
            "uv run --project ~/src/lazy-harness lh hook compound-loop",
            "uv run --project=/x --quiet -- lh hook compound-loop",
            "uv --quiet --directory /x run lh hook compound-loop || true",
            "/opt/uv run --with lazy-harness python -m lazy_harness.cli.main hook pre-compact",
            "uvx --from lazy-harness lh hook compound-loop",
            "uvx --from 'lazy-harness==0.42.0' --python 3.12 lh hook session-export",
            "uv tool run --from lazy-harness lh hook compound-loop",
            "pipx run --spec lazy-harness lh hook context-inject",
            "python -m lazy_harness hook compound-loop",
            "/usr/bin/python3.12 -I -X utf8 -m lazy_harness.hooks.builtins.session_end",
            "/v/bin/python /v/bin/lh hook pre-compact",
            "/v/bin/python3 /v/lib/python3.12/site-packages/lazy_harness/hooks/builtins/compound_loop.py",
            "A=1 /v/bin/python3 '/my tools/lazy_harness/hooks/builtins/context_inject.py' >/dev/null 2>&1",
            "/v/lazy_harness/hooks/builtins/session_export.py",
        ] {
            assert_eq!(owner("Stop", command), Owner::Predecessor, "{command}");
        }
        for other in [
            "lh hook pre-tool-use",
            "lh hooks compound-loop",
            "lh",
            "lhx hook session-end",
            "x && lh hook session-end",
            "lh hook engram-persist",
            "uvx lh",
            "uv run lh hook pre-tool-use-security",
            "python -m lazy_harness_x hook compound-loop",
            "python3 /x/lazy_harness/hooks/builtins/pre_tool_use_security.py",
            "python3 /x/lazy_harness/hooks/builtins/mine/compound_loop.py",
            "python3 /x/my/compound_loop.py",
            "pythonic /x/lazy_harness/hooks/builtins/compound_loop.py",
            "cat /x/lazy_harness/hooks/builtins/compound_loop.py",
            "uv run lh hook compound-loop; notify",
            "uv run --project",
        ] {
            assert_eq!(owner("Stop", other), Owner::Other, "{other}");
        }
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
