//! Whose a hook's command is. It is a line for the shell: of its words the program decides, whatever
//! assignments come before it and arguments behind it. A line that goes on with another program is
//! its writer's alone.

use crate::agent::hooks;
use crate::base::shell::{self, Command};
use crate::base::text::Words;
use std::ops::Range;

/// The hooks of the predecessor that do what we do. Its others are not about memory, or hand it to another
/// tool, and stay.
const PREDECESSOR: &[&str] = &["compound-loop", "session-export", "session-end", "context-inject", "pre-compact"];
/// Where its hooks are in its package: before 0.43 settings named these files.
const BUILTINS: &str = "lazy_harness/hooks/builtins/";
/// The same as a module's name.
const BUILTIN_MODULES: &str = "lazy_harness.hooks.builtins.";
/// Programs that run another one, with the word that must come first among their arguments.
const LAUNCHERS: &[(&str, &[&str])] = &[
    ("uv", &["run"]),
    ("uv", &["tool", "run"]),
    ("uvx", &[]),
    ("pipx", &["run"]),
    ("poetry", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
];
/// Options of these whose value is the next word.
static VALUED: Words = Words::of(
    "--project --directory --with --with-editable --with-requirements --python -p --extra --group --only-group \
     --package --env-file --from --spec --index --default-index --index-url -i --extra-index-url --cache-dir \
     --config-file --pip-args -C -W -X",
);
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
    let arguments: Vec<&str> = words.map(|word| word.text.as_str()).collect();
    let is_predecessor = predecessor(&program.text, &arguments).is_some_and(|hook| PREDECESSOR.contains(&&*hook));
    if is_predecessor { Owner::Predecessor } else { Owner::Other }
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

/// The name of the predecessor's hook that a program with these arguments is, whichever way it is started.
fn predecessor(program: &str, arguments: &[&str]) -> Option<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    if name == "lh" {
        return hook(arguments);
    }
    if let Some(name) = builtin(program) {
        return Some(name);
    }
    let behind = if is_python(name) {
        let behind = past_options(arguments, |option| option == "-m");
        match behind.split_first() {
            Some((&"-m", rest)) => return module(rest),
            _ => behind,
        }
    } else {
        let mut starts = LAUNCHERS.iter().filter(|(launcher, _)| *launcher == name);
        starts.find_map(|(_, words)| {
            Some(past_options(past_options(arguments, |_| false).strip_prefix(*words)?, |_| false))
        })?
    };
    let (program, arguments) = behind.split_first()?;
    predecessor(program, arguments)
}

/// The name behind `hook`.
fn hook(arguments: &[&str]) -> Option<String> {
    match arguments {
        ["hook", name, ..] => Some((*name).to_owned()),
        _ => None,
    }
}

/// The name of a hook whose file a path is.
fn builtin(path: &str) -> Option<String> {
    let (_, file) = path.rsplit_once(BUILTINS)?;
    Some(file.strip_suffix(".py")?.replace('_', "-"))
}

/// The name of the hook that a module with these arguments is.
fn module(words: &[&str]) -> Option<String> {
    let (module, arguments) = words.split_first()?;
    match module.strip_prefix(BUILTIN_MODULES) {
        Some(name) => Some(name.replace('_', "-")),
        None if module.split('.').next() == Some("lazy_harness") => hook(arguments),
        None => None,
    }
}

/// `python`, `python3`, `python3.12`
fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
}

/// Words from the first on that is no option, nor the value of one, or that is the `last` option.
fn past_options<'w>(mut words: &'w [&'w str], last: impl Fn(&str) -> bool) -> &'w [&'w str] {
    while let Some((option, rest)) = words.split_first().filter(|(word, _)| word.starts_with('-') && !last(word)) {
        words = rest;
        if VALUED.has(option) {
            words = words.get(1..).unwrap_or_default();
        }
    }
    words
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
            "uv run notify lh hook compound-loop",
            "uvx lh",
            "uv sync lh hook compound-loop",
            "uv run lh hook pre-tool-use-security",
            "python -m notify lh hook compound-loop",
            "python -m lazy_harness_x hook compound-loop",
            "python3 /x/lazy_harness/hooks/builtins/pre_tool_use_security.py",
            "python3 /x/lazy_harness/hooks/builtins/mine/compound_loop.py",
            "python3 /x/my/compound_loop.py",
            "pythonic /x/lazy_harness/hooks/builtins/compound_loop.py",
            "cat /x/lazy_harness/hooks/builtins/compound_loop.py",
            "python3 -c 'print(1)' /x/lazy_harness/hooks/builtins/compound_loop.py",
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
