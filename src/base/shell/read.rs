//! The reader. Every letter is read once, so that twice as long a line takes twice as long.

use super::list::{CommandList, PATTERN};
use super::{Behind, Command, UNKNOWN, Word};
use std::str::Chars;

/// How deep one command line is read in another.
const DEPTH: usize = 8;
/// What divides commands, and what redirects; the longer ones first.
const OPERATORS: &[&str] = &["\n", ";;&", ";;", ";&", ";", "(", ")", "||", "|&", "|", "&&", "&>>", "&>", "&"];
const REDIRECTIONS: &[&str] = &[">>", ">&", ">|", ">", "<<<", "<<-", "<<", "<&", "<>", "<"];

/// The simple commands of a command line.
pub fn commands(line: &str) -> Vec<Command> {
    ShellReader { letters: line.chars(), length: line.len(), depth: 0, torn: false }.list(false)
}

struct ShellReader<'a> {
    letters: Chars<'a>,
    length: usize,
    depth: usize,
    /// Whether the text ended within something that was open.
    torn: bool,
}

impl<'a> ShellReader<'a> {
    fn peek(&self) -> Option<char> {
        self.letters.clone().next()
    }

    fn at(&self) -> usize {
        self.length - self.letters.as_str().len()
    }

    fn eat(&mut self, text: &str) -> bool {
        let Some(rest) = self.letters.as_str().strip_prefix(text) else { return false };
        self.letters = rest.chars();
        true
    }

    fn eat_one_of(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        signs.iter().copied().find(|sign| self.eat(sign))
    }

    /// The text up to a letter, which comes next; or all of it.
    fn up_to(&mut self, letter: char) -> &'a str {
        let rest = self.letters.as_str();
        let (text, rest) = rest.split_at(rest.find(letter).unwrap_or(rest.len()));
        self.letters = rest.chars();
        text
    }

    /// Commands up to the end, or to the closing bracket of `$(`, which is read too.
    fn list(&mut self, inner: bool) -> Vec<Command> {
        let mut list = CommandList::default();
        let mut closed = !inner;
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' => _ = self.letters.next(),
                '#' => _ = self.up_to('\n'),
                '&' | '|' | '(' | ')' | '<' | '>' | '\n' if list.part == "]]" => _ = self.letters.next(),
                ')' if inner && !list.is_in(")") && !list.is_in(PATTERN) => {
                    closed = self.eat(")");
                    break;
                }
                _ => {
                    if let Some(word) = self.word() {
                        list.word(word);
                    } else if let '<' | '>' = letter {
                        self.redirected(&mut list);
                    } else if let Some(sign) = self.eat_one_of(OPERATORS) {
                        self.divided(sign, &mut list);
                    }
                }
            }
        }
        self.torn |= !closed;
        list.flush(Behind::Other);
        list.all.last_mut().into_iter().for_each(|last| last.torn |= self.torn);
        list.all
    }

    fn divided(&mut self, sign: &str, list: &mut CommandList) {
        match sign {
            "&&" => list.flush(Behind::And),
            "||" => list.flush(Behind::Or),
            "|" | "|&" => list.flush(Behind::Pipe),
            "&>" | "&>>" => self.redirected(list),
            ")" => list.close(),
            "(" if list.is_in(PATTERN) => {}
            // `name() {`
            "(" if list.one.words.len() == 1 && self.eat(")") => list.part = "{",
            // `((i = 1 << 3))` is arithmetic.
            "(" if list.one.is_empty() && self.depth < DEPTH && self.eat("(") => {
                self.commands();
                self.eat(")");
            }
            "(" => {
                list.flush(Behind::Other);
                list.begin(")", false);
            }
            _ => {
                list.flush(Behind::Other);
                if sign == "\n" {
                    self.documents(list);
                } else if sign.len() > 1 && list.is_in("esac") {
                    list.begin(PATTERN, true);
                }
            }
        }
    }

    fn redirected(&mut self, list: &mut CommandList) {
        let sign = self.eat_one_of(REDIRECTIONS).unwrap_or(">");
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.letters.next();
        }
        let Some(word) = self.word() else { return };
        match sign {
            "<<<" => list.one.input = Some(word.text),
            "<<" | "<<-" => list.documents.push((list.all.len(), word.text, sign == "<<-")),
            ">" | ">>" | ">|" => list.one.output = Some(word.text),
            _ => {}
        }
    }

    /// Reads the documents that begin here. One that the text cuts off ends with it.
    fn documents(&mut self, list: &mut CommandList) {
        for (reader, end, tabs) in std::mem::take(&mut list.documents) {
            let (mut text, mut ended) = (String::new(), false);
            while !ended && self.peek().is_some() {
                let line = self.up_to('\n');
                self.eat("\n");
                let line = if tabs { line.trim_start_matches('\t') } else { line };
                ended = line.trim_end() == end;
                if !ended {
                    text.extend([line, "\n"]);
                }
            }
            self.torn |= !ended;
            if let Some(reader) = list.all.get_mut(reader) {
                (reader.input, reader.torn) = (Some(text), !ended);
            }
        }
    }

    /// The word that begins here; None before a sign, and for the descriptor of a redirection.
    fn word(&mut self) -> Option<Word> {
        let mut word = Word { at: self.at()..0, ..Word::default() };
        let mut is_word = false;
        while let Some(letter) = self.peek() {
            let (from, rest) = (self.at(), self.letters.as_str());
            let deep = self.depth == DEPTH;
            let ends = match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => true,
                '<' | '>' => is_word || deep || rest.chars().nth(1) != Some('('),
                '(' => !is_word || deep || rest.starts_with("()"),
                _ => false,
            };
            if ends {
                break;
            }
            if self.eat("\\\n") {
                word.at.start = if is_word { word.at.start } else { self.at() };
                continue;
            }
            self.letters.next();
            is_word = true;
            if self.piece(letter, &mut word) {
                word.quoted.push(from..self.at());
            }
        }
        word.at.end = self.at();
        let is_number = matches!(self.peek(), Some('<' | '>')) && word.text.chars().all(|c| c.is_ascii_digit());
        (is_word && !is_number).then_some(word)
    }

    /// A piece of a word, from its first letter on; whether it is quoted or put in by the shell.
    fn piece(&mut self, letter: char, word: &mut Word) -> bool {
        match letter {
            '\\' => word.text.extend(self.letters.next()),
            '\'' => {
                word.text.push_str(self.up_to('\''));
                self.torn |= !self.eat("'");
            }
            '"' => self.quoted('"', word),
            '$' if self.eat("'") => self.quoted('\'', word),
            // An array, a pattern, the commands of `<( )`; or the text is not a shell's.
            '(' | '<' | '>' => {
                _ = letter == '(' || self.eat("(");
                self.commands();
                word.text.push_str(UNKNOWN);
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
        let mut printed = None;
        if letter == '$' && self.depth < DEPTH && self.eat("(") {
            let arithmetic = self.eat("(");
            let inner = self.commands();
            match inner.as_slice() {
                _ if arithmetic => _ = self.eat(")"),
                // `cat` prints its document.
                [Command { input: Some(input), words, .. }] if words.iter().all(|word| word.text == "cat") => {
                    printed = Some(input.trim_end_matches('\n').to_owned());
                }
                _ => word.inner = inner,
            }
        } else if letter == '`' {
            self.up_to('`');
            self.torn |= !self.eat("`");
        } else {
            word.text.push(letter);
            word.text.push_str(if letter == '$' && self.peek() == Some('{') { self.up_to('}') } else { "" });
            return false;
        }
        word.text.push_str(printed.as_deref().unwrap_or(UNKNOWN));
        true
    }

    /// The commands up to a closing bracket.
    fn commands(&mut self) -> Vec<Command> {
        self.depth += 1;
        let found = self.list(true);
        self.depth -= 1;
        found
    }
}
