//! Which words of a list are commands, and which are the shell's own.

use super::{Behind, Command, Word};

/// What the words are part of.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    Command,
    /// What a keyword begins, up to this word: `for x in a b; do`.
    Head(&'static str),
    /// `[[ a && b ]]`, whose signs divide nothing.
    Test,
}

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// `if`, a loop, a function: its commands need not run once.
    Perhaps,
    /// `case`, where commands are, and where a pattern is.
    Case,
    Pattern,
    /// `{ }`, `( )`
    Group,
}

/// A list of commands while it is read.
#[derive(Default)]
pub struct List {
    pub all: Vec<Command>,
    pub one: Command,
    pub part: Part,
    /// The here-documents that begin behind the line: the command that reads it, its end, whether tabs are left out.
    pub documents: Vec<(usize, String, bool)>,
    /// The open blocks, and what `perhaps` was before each.
    blocks: Vec<(Block, bool)>,
    perhaps: bool,
}

impl List {
    pub fn begin(&mut self, block: Block) {
        self.blocks.push((block, self.perhaps));
        self.perhaps |= block != Block::Group;
    }

    /// Ends the innermost block if it is one of these.
    pub fn end(&mut self, blocks: &[Block]) -> bool {
        let ended = self.blocks.pop_if(|(block, _)| blocks.contains(block));
        self.perhaps = ended.map_or(self.perhaps, |(_, perhaps)| perhaps);
        ended.is_some()
    }

    pub fn is_in(&self, block: Block) -> bool {
        self.blocks.last().is_some_and(|(last, _)| *last == block)
    }

    /// The command ends here.
    pub fn flush(&mut self, behind: Behind) {
        let dropped = self.is_in(Block::Pattern) || matches!(self.part, Part::Head(_));
        let mut one = std::mem::take(&mut self.one);
        self.part = Part::Command;
        if dropped || one.is_empty() {
            // What is behind a group is behind its last command.
            let last = self.all.last_mut().filter(|_| !dropped && behind != Behind::Other);
            last.into_iter().for_each(|last| last.behind = behind);
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
        match self.part {
            Part::Head(end) if key == end && (end != "in" || !self.one.is_empty()) => {
                (self.part, self.one) = (Part::Command, Command::default());
                match end {
                    "in" => self.begin(Block::Pattern),
                    "{" => self.begin(Block::Perhaps),
                    _ => {}
                }
                return;
            }
            Part::Test if key == "]]" => self.part = Part::Command,
            Part::Command if self.one.is_empty() => {
                if self.keyword(key) {
                    return;
                }
            }
            _ => {}
        }
        let sets = self.one.words.is_empty() && word.is_assignment();
        if sets { &mut self.one.assignments } else { &mut self.one.words }.push(word);
    }

    /// Whether a command's first word is the shell's own.
    fn keyword(&mut self, word: &str) -> bool {
        match word {
            "esac" => _ = self.end(&[Block::Case, Block::Pattern]),
            _ if self.is_in(Block::Pattern) => return false,
            "if" | "while" | "until" => self.begin(Block::Perhaps),
            "for" | "select" => {
                self.begin(Block::Perhaps);
                self.part = Part::Head("do");
            }
            "case" => self.part = Part::Head("in"),
            "function" => self.part = Part::Head("{"),
            "fi" | "done" => _ = self.end(&[Block::Perhaps]),
            "{" => self.begin(Block::Group),
            "}" => _ = self.end(&[Block::Group, Block::Perhaps]),
            "!" => self.one.perhaps = true,
            "then" | "elif" | "else" | "do" => {}
            _ => {
                self.part = if word == "[[" { Part::Test } else { self.part };
                return false;
            }
        }
        true
    }

    /// A closing bracket: of a pattern, of a subshell, or of nothing.
    pub fn close(&mut self) {
        if self.end(&[Block::Pattern]) {
            self.one = Command::default();
            self.begin(Block::Case);
        } else {
            self.flush(Behind::Other);
            self.end(&[Block::Group]);
        }
    }
}
