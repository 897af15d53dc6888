//! A command line as a shell reads it: its simple commands, in their order. Keywords, patterns, comments and the
//! bodies of here-documents are not commands. The line may be cut off anywhere.

mod list;
mod read;

use std::ops::Range;

pub use read::commands;

/// Stands for what only the shell knows (`$(date)`), and for what is not shown.
const UNKNOWN: &str = "…";
/// Programs that only start another one, and those of their options that take the next word as value.
const WRAPPERS: &[&str] =
    &["builtin", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout"];
const VALUED: &[&str] = &["-u", "-g", "-s"];

/// A word of a command.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// What the program gets; variables stay as they are written.
    pub text: String,
    /// Where it is in the line, in bytes.
    pub at: Range<usize>,
    /// Its parts that are quoted or put in by the shell.
    quoted: Vec<Range<usize>>,
    /// The commands of the last `$( )` in it.
    inner: Vec<Command>,
}

/// A simple command.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// `NAME=value` before the program.
    pub assignments: Vec<Word>,
    /// The program and its arguments, without redirections.
    pub words: Vec<Word>,
    /// The text of its here-document.
    pub input: Option<String>,
    /// The file that it writes.
    pub output: Option<String>,
    /// What divides it from the next command.
    pub behind: Behind,
    /// The text ends within it, so that its last words can be wrong.
    pub torn: bool,
    /// It need not run, or not once, or its status is turned round: in `if`, loops, `case`, functions, behind `!`.
    pub perhaps: bool,
}

/// What divides a command from the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behind {
    /// `&&`: its failure is that of the line.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
    /// `;`, `&`, the end of a line.
    #[default]
    Other,
}

impl Word {
    /// The program that it names, without its folder.
    pub fn name(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or(&self.text)
    }

    /// The word as it is written in `line`, with "…" for each quoted part that is not to be shown.
    pub fn shown(&self, line: &str, hides: impl Fn(&str) -> bool) -> String {
        let (mut shown, mut from) = (String::new(), self.at.start);
        for part in self.quoted.iter().filter(|part| line.get((*part).clone()).is_some_and(&hides)) {
            shown.push_str(line.get(from..part.start).unwrap_or_default());
            shown.push_str(UNKNOWN);
            from = part.end;
        }
        shown + line.get(from..self.at.end).unwrap_or_default()
    }

    /// Whether it is `NAME=value`.
    pub fn is_assignment(&self) -> bool {
        let name = self.text.split_once('=').map_or("", |(name, _)| name);
        let name = name.trim_end_matches('+').split('[').next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// An option, an assignment or a time, as they come behind a wrapper's name.
    fn is_setting(&self) -> bool {
        let is_time = |text: &str| text.chars().all(|c| c.is_ascii_digit() || ".smhd".contains(c));
        let begins = self.text.starts_with(|c: char| c.is_ascii_digit());
        self.text.starts_with('-') || begins && is_time(&self.text) || self.is_assignment()
    }
}

impl Command {
    /// The words from the program on that does the work: `sudo`, `timeout 10` or `env A=1` only start it.
    pub fn meant(&self) -> &[Word] {
        let mut words = self.words.as_slice();
        while let Some((first, mut rest)) = words.split_first().filter(|(word, _)| WRAPPERS.contains(&word.name())) {
            // `command -v x` runs nothing.
            if first.text == "command" && rest.first().is_some_and(|option| option.text.starts_with('-')) {
                break;
            }
            while let Some((option, behind)) = rest.split_first().filter(|(word, _)| word.is_setting()) {
                rest = behind.get(usize::from(VALUED.contains(&option.text.as_str()))..).unwrap_or_default();
            }
            words = rest;
        }
        words
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assignments.is_empty()
    }
}
