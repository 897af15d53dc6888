//! Which words of a list are commands, and which are the shell's own.

use super::{Behind, Command, Word};

/// What a pattern of `case` is in, within its `esac`.
pub const PATTERN: &str = "pattern";

/// A list of commands while it is read.
#[derive(Default)]
pub struct CommandList {
    pub all: Vec<Command>,
    pub one: Command,
    /// The word that ends what the words are part of, if that is not a command: of `for x in a b; do`, of
    /// `case x in`, of `function f {`, of `[[ a && b ]]`.
    pub part: &'static str,
    /// The here-documents that begin behind the line: the command that reads it, its end, whether tabs are left out.
    pub documents: Vec<(usize, String, bool)>,
    /// The words that end the open blocks, and what `perhaps` was before each.
    blocks: Vec<(&'static str, bool)>,
    perhaps: bool,
}

impl CommandList {
    /// Begins a block; `perhaps` says that its commands need not run once.
    pub fn begin(&mut self, end: &'static str, perhaps: bool) {
        self.blocks.push((end, self.perhaps));
        self.perhaps |= perhaps;
    }

    /// Ends the innermost block if this is its end.
    pub fn end(&mut self, end: &str) -> bool {
        let ended = self.blocks.pop_if(|(block, _)| *block == end);
        self.perhaps = ended.map_or(self.perhaps, |(_, perhaps)| perhaps);
        ended.is_some()
    }

    pub fn is_in(&self, end: &str) -> bool {
        self.blocks.last().is_some_and(|(last, _)| *last == end)
    }

    /// The command ends here.
    pub fn flush(&mut self, behind: Behind) {
        let dropped = self.is_in(PATTERN) || matches!(self.part, "do" | "in" | "{");
        let mut one = std::mem::take(&mut self.one);
        self.part = "";
        if dropped || one.is_empty() {
            // What is behind a group is behind its last command.
            if let Some(last) = self.all.last_mut().filter(|_| !dropped && behind != Behind::Other) {
                last.behind = behind;
            }
            return;
        }
        // `x=$(command)` is the command.
        let perhaps = self.perhaps || one.perhaps;
        let inner = one.assignments.last_mut().filter(|_| one.words.is_empty());
        let inner = inner.map(|last| std::mem::take(&mut last.inner)).filter(|inner| !inner.is_empty());
        let from = self.all.len();
        self.all.extend(inner.unwrap_or_else(|| vec![one]));
        self.all.iter_mut().skip(from).for_each(|command| command.perhaps |= perhaps);
        self.all.last_mut().into_iter().for_each(|last| last.behind = behind);
    }

    /// A word of the command, or a keyword.
    pub fn word(&mut self, word: Word) {
        let quoted = word.at.len() != word.text.len();
        let key = if quoted { "" } else { word.text.as_str() };
        if self.part.is_empty() && self.one.is_empty() && self.keyword(key) {
            return;
        }
        // A head has more words than its end: `case in in`.
        if !self.part.is_empty() && key == self.part && !self.one.is_empty() {
            let end = std::mem::take(&mut self.part);
            if end != "]]" {
                self.one = Command::default();
                return match end {
                    "in" => {
                        self.begin("esac", true);
                        self.begin(PATTERN, true);
                    }
                    "{" => self.begin("}", true),
                    _ => {}
                };
            }
        }
        let sets = self.one.words.is_empty() && word.is_assignment();
        if sets { &mut self.one.assignments } else { &mut self.one.words }.push(word);
    }

    /// Whether a command's first word is the shell's own.
    fn keyword(&mut self, word: &str) -> bool {
        let in_pattern = self.is_in(PATTERN);
        match word {
            "esac" => {
                self.end(PATTERN);
                self.end("esac");
            }
            _ if in_pattern => return false,
            "if" => self.begin("fi", true),
            "while" | "until" => self.begin("done", true),
            "for" | "select" => {
                self.begin("done", true);
                self.part = "do";
            }
            "case" => self.part = "in",
            "function" => self.part = "{",
            "{" => self.begin("}", false),
            "fi" | "done" | "}" => _ = self.end(word),
            "!" => self.one.perhaps = true,
            "then" | "elif" | "else" | "do" => {}
            _ => {
                self.part = if word == "[[" { "]]" } else { "" };
                return false;
            }
        }
        true
    }

    /// A closing bracket: of a pattern, of a subshell, or of nothing.
    pub fn close(&mut self) {
        if self.end(PATTERN) {
            self.one = Command::default();
        } else {
            self.flush(Behind::Other);
            self.end(")");
        }
    }
}
