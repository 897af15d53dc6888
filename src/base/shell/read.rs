//! The reader. Every letter is read once, so that a long line takes no longer a letter than a short one.

use super::list::{Block, Document, List, Next, Part};
use super::{Behind, Command, UNKNOWN, Word};
use std::str::Chars;

/// How deep one command line is read in another.
const DEPTH: usize = 8;

/// The simple commands of a command line.
pub fn commands(line: &str) -> Vec<Command> {
    Reader { letters: line.chars(), length: line.len(), depth: 0, torn: false }.list(false)
}

struct Reader<'a> {
    letters: Chars<'a>,
    length: usize,
    depth: usize,
    /// Whether the text ended within something that was open.
    torn: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.clone().next()
    }

    fn second(&self) -> Option<char> {
        self.letters.clone().nth(1)
    }

    fn eat(&mut self, letter: char) -> bool {
        let is_next = self.peek() == Some(letter);
        is_next && self.letters.next().is_some()
    }

    fn at(&self) -> usize {
        self.length - self.letters.as_str().len()
    }

    /// Commands up to the end, or to the closing bracket of `$(`, which is read too.
    fn list(&mut self, inner: bool) -> Vec<Command> {
        let mut list = List::default();
        let mut closed = !inner;
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' => _ = self.letters.next(),
                '#' => _ = self.up_to('\n'),
                '&' | '|' | '(' | ')' | '<' | '>' | '\n' if list.part == Part::Test => _ = self.letters.next(),
                ')' if inner && list.brackets == 0 && !list.is_pattern() => {
                    closed = self.eat(')');
                    break;
                }
                '<' | '>' if self.second() != Some('(') => list.next = self.redirection(letter),
                ';' | '&' | '|' | '\n' | '(' | ')' => self.operator(letter, &mut list),
                _ => {
                    if let Some(word) = self.word() {
                        self.place(word, &mut list);
                    }
                }
            }
        }
        self.torn |= !closed || !list.documents.is_empty();
        list.flush(Behind::Other);
        list.all.last_mut().into_iter().for_each(|last| last.certain &= !self.torn);
        list.all
    }

    fn operator(&mut self, letter: char, list: &mut List) {
        self.letters.next();
        match letter {
            // `&>` is the beginning of a redirection.
            '&' if self.peek() == Some('>') => {}
            '&' => list.flush(if self.eat('&') { Behind::And } else { Behind::Other }),
            '|' => {
                let or = self.eat('|');
                self.eat('&');
                list.flush(if or { Behind::Or } else { Behind::Pipe });
            }
            '(' => self.open(list),
            ')' => list.close(),
            '\n' => {
                list.flush(Behind::Other);
                self.documents(list);
            }
            _ => {
                list.flush(Behind::Other);
                // `;;`, `;&` or `;;&`: the next pattern.
                if (self.eat(';') | self.eat('&')) && list.end(&[Block::Case]) {
                    list.begin(Block::Pattern);
                }
            }
        }
    }

    /// What is behind an opening bracket that begins no word.
    fn open(&mut self, list: &mut List) {
        if list.is_pattern() {
            return;
        }
        if list.one.words.len() == 1 && list.one.assignments.is_empty() && self.eat(')') {
            (list.one, list.part) = (Command::default(), Part::Head("{"));
        } else if list.one.is_empty() && self.eat('(') {
            // `((i = 1 << 3))` is arithmetic.
            self.skip_brackets(2);
        } else {
            list.flush(Behind::Other);
            list.begin(Block::Bracket);
        }
    }

    /// What comes behind a sign of redirection.
    fn redirection(&mut self, sign: char) -> Next {
        self.letters.next();
        if sign == '>' {
            _ = self.eat('>') || self.eat('|');
            return if self.eat('&') { Next::Nothing } else { Next::Output };
        }
        match (self.eat('<'), self.eat('<')) {
            (true, true) => Next::Text,
            (true, false) => Next::Document(self.eat('-')),
            (false, _) => {
                _ = self.eat('&') || self.eat('>');
                Next::Nothing
            }
        }
    }

    fn place(&mut self, word: Word, list: &mut List) {
        let is_number = word.text.chars().all(|c| c.is_ascii_digit());
        match std::mem::take(&mut list.next) {
            // The descriptor of a redirection.
            Next::Word if is_number && list.part != Part::Test && matches!(self.peek(), Some('<' | '>')) => {}
            Next::Word => list.word(word),
            Next::Output => list.one.output = Some(word.text),
            Next::Document(tabs) => list.documents.push(Document { reader: list.all.len(), end: word.text, tabs }),
            Next::Text => list.one.input = Some(word.text),
            Next::Nothing => {}
        }
    }

    /// Reads the documents that begin here. One that the text cuts off ends with it.
    fn documents(&mut self, list: &mut List) {
        for document in std::mem::take(&mut list.documents) {
            let (mut text, mut ended) = (String::new(), false);
            while !ended && self.peek().is_some() {
                let line = self.up_to('\n');
                self.letters.next();
                let line = if document.tabs { line.trim_start_matches('\t') } else { line };
                ended = line.trim_end() == document.end;
                if !ended {
                    text.extend([line, "\n"]);
                }
            }
            self.torn |= !ended;
            if let Some(reader) = list.all.get_mut(document.reader) {
                (reader.input, reader.certain) = (Some(text), ended);
            }
        }
    }

    /// The word that begins here; None if there is only a line that goes on.
    fn word(&mut self) -> Option<Word> {
        let mut word = Word { at: self.at()..0, ..Word::default() };
        let mut is_word = false;
        while let Some(letter) = self.peek() {
            let from = self.at();
            let ends = match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => true,
                '<' | '>' => is_word || self.second() != Some('('),
                '(' => !is_word || self.second() == Some(')'),
                _ => false,
            };
            if ends {
                break;
            }
            self.letters.next();
            if letter == '\\' && self.eat('\n') {
                word.at.start = if is_word { word.at.start } else { self.at() };
                continue;
            }
            is_word = true;
            if self.piece(letter, &mut word) {
                word.quoted.push(from..self.at());
            }
        }
        word.at.end = self.at();
        is_word.then_some(word)
    }

    /// A piece of a word, from its first letter on; whether it is quoted or put in by the shell.
    fn piece(&mut self, letter: char, word: &mut Word) -> bool {
        match letter {
            '\\' => word.text.extend(self.letters.next()),
            '\'' => {
                word.text.push_str(self.up_to('\''));
                self.torn |= !self.eat('\'');
            }
            '"' => self.quoted('"', word),
            '$' if self.eat('\'') => self.quoted('\'', word),
            // An array, a pattern, the commands of `<( )`; or the text is no shell's.
            '(' | '<' | '>' => {
                _ = letter == '(' || self.eat('(');
                self.commands();
                word.text.push(UNKNOWN);
            }
            _ => return self.expanded(letter, word),
        }
        letter != '\\'
    }

    /// What is between double quotation marks, or between `$'` and `'`.
    fn quoted(&mut self, mark: char, word: &mut Word) {
        while let Some(letter) = self.letters.next() {
            match letter {
                _ if letter == mark => return,
                '\\' => match self.letters.next() {
                    Some('\n') | None => {}
                    Some(next) if next == mark || "\\$`".contains(next) => word.text.push(next),
                    Some(next) => word.text.extend(['\\', next]),
                },
                _ if mark == '\'' => word.text.push(letter),
                _ => _ = self.expanded(letter, word),
            }
        }
        self.torn = true;
    }

    /// A letter, or what the shell puts in its place; whether it puts something there.
    fn expanded(&mut self, letter: char, word: &mut Word) -> bool {
        match letter {
            '$' if self.eat('(') => {
                word.inner = if self.eat('(') { self.skip_brackets(2) } else { self.commands() };
                match word.inner.as_slice() {
                    // `cat` prints its document.
                    [Command { input: Some(text), words, .. }] if words.iter().all(|word| word.text == "cat") => {
                        word.text.push_str(text.trim_end_matches('\n'));
                    }
                    _ => word.text.push(UNKNOWN),
                }
            }
            '`' => {
                self.up_to('`');
                self.torn |= !self.eat('`');
                word.text.push(UNKNOWN);
            }
            '$' if self.peek() == Some('{') => {
                word.text.push('$');
                word.text.push_str(self.up_to('}'));
                return false;
            }
            _ => {
                word.text.push(letter);
                return false;
            }
        }
        true
    }

    /// The commands up to a closing bracket.
    fn commands(&mut self) -> Vec<Command> {
        if self.depth == DEPTH {
            return self.skip_brackets(1);
        }
        self.depth += 1;
        let found = self.list(true);
        self.depth -= 1;
        found
    }

    /// Leaves out what is in so many open brackets: no commands.
    fn skip_brackets(&mut self, mut open: usize) -> Vec<Command> {
        while let Some(letter) = self.letters.by_ref().find(|letter| matches!(letter, '(' | ')')) {
            open = if letter == '(' { open + 1 } else { open - 1 };
            if open == 0 {
                return Vec::new();
            }
        }
        self.torn = true;
        Vec::new()
    }
}

impl<'a> Reader<'a> {
    /// The text up to a letter, which comes next; or all of it.
    fn up_to(&mut self, letter: char) -> &'a str {
        let rest = self.letters.as_str();
        let (text, rest) = rest.split_at(rest.find(letter).unwrap_or(rest.len()));
        self.letters = rest.chars();
        text
    }
}
