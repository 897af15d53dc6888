//! A list of commands: which words are commands and which are the shell's own, and what is open.

use super::{Behind, Command, Word};

/// A here-document that begins behind the line.
pub struct Document {
    /// The command that reads it.
    pub reader: usize,
    pub end: String,
    pub tabs: bool,
}

/// What the next word is.
#[derive(Default)]
pub enum Next {
    #[default]
    Word,
    /// The file that the command writes.
    Output,
    /// A file that it reads, or a descriptor.
    Nothing,
    /// The end of a document; whether its tabs are left out.
    Document(bool),
    /// The text itself.
    Text,
}

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
    Brace,
    Bracket,
}

/// A list of commands while it is read.
#[derive(Default)]
pub struct List {
    pub all: Vec<Command>,
    pub one: Command,
    pub next: Next,
    pub part: Part,
    pub documents: Vec<Document>,
    blocks: Vec<Block>,
    /// How many brackets are open, and how many blocks whose commands need not run once.
    pub brackets: usize,
    perhaps: usize,
    /// Behind `!`, and behind a group's end.
    negated: bool,
    grouped: bool,
}

impl List {
    pub fn begin(&mut self, block: Block) {
        self.perhaps += usize::from(!matches!(block, Block::Brace | Block::Bracket));
        self.brackets += usize::from(block == Block::Bracket);
        self.blocks.push(block);
    }

    /// Ends the innermost block if it is one of these.
    pub fn end(&mut self, blocks: &[Block]) -> bool {
        let Some(block) = self.blocks.pop_if(|block| blocks.contains(block)) else { return false };
        self.perhaps -= usize::from(!matches!(block, Block::Brace | Block::Bracket));
        self.brackets -= usize::from(block == Block::Bracket);
        true
    }

    pub fn is_pattern(&self) -> bool {
        self.blocks.last() == Some(&Block::Pattern)
    }

    /// The command ends here.
    pub fn flush(&mut self, behind: Behind) {
        let dropped = self.is_pattern() || matches!(self.part, Part::Head(_));
        let mut one = std::mem::take(&mut self.one);
        let always = self.perhaps == 0 && !std::mem::take(&mut self.negated);
        let grouped = std::mem::take(&mut self.grouped);
        (self.next, self.part) = (Next::Word, Part::Command);
        if dropped || one.is_empty() {
            // What is behind a group is behind its last command.
            self.all.last_mut().filter(|_| grouped).into_iter().for_each(|last| last.behind = behind);
            return;
        }
        // The status of `x=$(command)` is the command's.
        let inner = one.assignments.last_mut().filter(|_| one.words.is_empty());
        let mut ran = inner.map(|last| std::mem::take(&mut last.inner)).unwrap_or_default();
        if ran.is_empty() {
            ran.push(Command { certain: true, always: true, ..one });
        }
        ran.iter_mut().for_each(|command| command.always &= always);
        ran.last_mut().into_iter().for_each(|last| last.behind = behind);
        self.all.append(&mut ran);
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
            _ if self.is_pattern() => return false,
            "if" | "while" | "until" => self.begin(Block::Perhaps),
            "for" | "select" => {
                self.begin(Block::Perhaps);
                self.part = Part::Head("do");
            }
            "case" => self.part = Part::Head("in"),
            "function" => self.part = Part::Head("{"),
            "fi" | "done" => _ = self.end(&[Block::Perhaps]),
            "{" => self.begin(Block::Brace),
            "}" => self.grouped = self.end(&[Block::Brace, Block::Perhaps]),
            "!" => self.negated = true,
            "then" | "elif" | "else" | "do" => {}
            "[[" => {
                self.part = Part::Test;
                return false;
            }
            _ => return false,
        }
        true
    }

    /// A closing bracket: of a pattern, of a subshell, or of nothing.
    pub fn close(&mut self) {
        if self.is_pattern() {
            self.one = Command::default();
            self.blocks.pop();
            self.blocks.push(Block::Case);
            return;
        }
        self.flush(Behind::Other);
        while let Some(block) = self.blocks.last().copied().filter(|_| self.brackets > 0) {
            self.end(&[block]);
            if block == Block::Bracket {
                break;
            }
        }
        self.grouped = true;
    }
}
