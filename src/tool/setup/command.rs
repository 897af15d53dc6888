//! Whose a hook's command is. It is a line for the shell: of its words the program decides, whatever
//! assignments come before it and arguments behind it. A line that goes on with another program is
//! nobody's but its writer's.

use crate::agent::hooks;
use std::ops::Range;

/// The events that we hook into, in the order of a session, each with its script.
pub const HOOKS: &[(&str, &str)] = hooks::EVENTS;
/// What the predecessor is called with, behind `lh hook`, and we do instead.
const PREDECESSOR: &[&str] = &["compound-loop", "session-export", "session-end", "context-inject", "pre-compact"];
/// Words that only lead to the program.
const LEADERS: &[&str] = &["bash", "command", "dash", "env", "exec", "nohup", "sh"];
/// Programs behind a `||` or a `;` that do nothing.
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
    let words = words(command);
    let program = words.iter().position(|word| !word.is_assignment() && !LEADERS.contains(&base(&word.text)));
    let Some((program, behind)) = program.and_then(|at| words.get(at..)?.split_first()) else { return Owner::Other };
    if program.operator || !ends(behind) {
        return Owner::Other;
    }
    let name = base(&program.text);
    let is_hook = |event: &str| HOOKS.iter().any(|(of, _)| *of == event);
    if is_hook(event) && HOOKS.iter().any(|(_, script)| *script == name) {
        return Owner::Ours { path: program.text.clone(), at: program.at.clone() };
    }
    let mut arguments = behind.iter().map(|word| word.text.as_str());
    let predecessor = name == "lh"
        && arguments.next() == Some("hook")
        && arguments.next().is_some_and(|which| PREDECESSOR.contains(&which));
    if predecessor { Owner::Predecessor } else { Owner::Other }
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

/// A word, or a run of operators.
struct Word {
    text: String,
    at: Range<usize>,
    operator: bool,
}

impl Word {
    fn is_assignment(&self) -> bool {
        let name = self.text.split_once('=').map_or("", |(name, _)| name);
        !self.operator
            && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a command ends with these words: arguments, redirections, and nothing that does something.
fn ends(words: &[Word]) -> bool {
    let next = words.iter().position(|word| word.operator && !word.text.contains(['<', '>']));
    let Some(rest) = next.and_then(|at| words.get(at + 1..)) else { return true };
    rest.first().is_none_or(|word| !word.operator && NOTHING.contains(&word.text.as_str())) && ends(rest)
}

/// The words of a line as the shell sees them; variables stay as they are written.
fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut quote = None;
    let mut apart = true;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        let mut kept = Some(letter);
        let operator = quote.is_none() && ";&|<>()\n".contains(letter);
        if quote.is_none() && letter.is_whitespace() && letter != '\n' {
            apart = true;
            continue;
        }
        match (quote, letter) {
            (Some(open), _) if open == letter => {
                quote = None;
                kept = None;
            }
            (None, '\'' | '"') => {
                quote = Some(letter);
                kept = None;
            }
            (None | Some('"'), '\\') => kept = letters.next().map(|(_, escaped)| escaped),
            _ => {}
        }
        if apart || words.last().is_none_or(|word| word.operator != operator) {
            words.push(Word { text: String::new(), at: at..at, operator });
            apart = false;
        }
        if let Some(word) = words.last_mut() {
            word.text.extend(kept);
            word.at.end = letters.offset();
        }
    }
    words
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
        ] {
            assert_eq!(owner("Stop", command), Owner::Predecessor, "{command}");
        }
        for other in
            ["lh hook pre-tool-use", "lh hooks compound-loop", "lh", "lhx hook session-end", "x && lh hook session-end"]
        {
            assert_eq!(owner("Stop", other), Owner::Other, "{other}");
        }
    }

    #[test]
    fn a_quoted_path_is_one_word() {
        for path in ["/opt/lh", "/my tools/lh", "/it's/$x`y`", "/a\nb", "/ñ", "~"] {
            let quoted = quote(path);
            assert_eq!(words(&quoted).iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), [path]);
        }
        assert_eq!(quote("/opt/lh/x-1.0"), "/opt/lh/x-1.0");
    }
}
