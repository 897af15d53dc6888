//! The reader. Every letter is read once, so that twice as long a line takes twice as long.

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

/// A list of commands while it is read.
#[derive(Default)]
struct CommandList {
    all: Vec<Command>,
    one: Command,
    /// What ends the open blocks; "()" before that of a function.
    blocks: Vec<&'static str>,
    /// What comes next is a pattern of `case`, up to its bracket.
    is_pattern: bool,
    /// The here-documents that begin behind the line: the command that reads it, its end, whether tabs are left out.
    documents: Vec<(usize, String, bool)>,
}

impl CommandList {
    /// A word of the command, or one of the shell's own.
    fn word(&mut self, word: Word) {
        let is_quoted = word.at.len() != word.text.len();
        let is_plain = is_quoted || !self.one.is_empty() || self.is_pattern && word.text != "esac";
        let key = if is_plain { "" } else { word.text.as_str() };
        match key {
            "then" | "elif" | "else" | "do" => return,
            "if" => return self.blocks.push("fi"),
            "while" | "until" => return self.blocks.push("done"),
            "{" => return self.blocks.push("}"),
            "fi" | "done" | "esac" | "}" => return self.end(key),
            "!" => {
                self.one.perhaps = true;
                return;
            }
            // The words behind these are no command.
            "for" | "select" => self.blocks.push("done"),
            "case" => self.blocks.push("esac"),
            "function" => self.blocks.push("()"),
            _ => {}
        }
        let sets = self.one.words.is_empty() && word.is_assignment();
        if sets { &mut self.one.assignments } else { &mut self.one.words }.push(word);
    }

    fn end(&mut self, end: &str) {
        self.is_pattern &= end != "esac";
        self.blocks.pop_if(|block| *block == end);
        self.blocks.pop_if(|block| *block == "()" && end == "}");
    }

    fn is_in(&self, end: &str) -> bool {
        self.blocks.last().is_some_and(|block| *block == end)
    }

    /// Whether the command is a test `[[ ]]` whose end was not read yet: its signs are no shell's.
    fn is_test(&self) -> bool {
        let is = |word: Option<&Word>, text| word.is_some_and(|word| word.text == text);
        is(self.one.words.first(), "[[") && !is(self.one.words.last(), "]]")
    }

    /// The command ends here.
    fn flush(&mut self, behind: Behind) {
        let mut one = std::mem::take(&mut self.one);
        let first = one.words.first().map_or("", |word| &word.text);
        if self.is_pattern || matches!(first, "case" | "for" | "function" | "select") {
            self.is_pattern |= first == "case";
            return;
        }
        if one.is_empty() {
            // What is behind a group is behind its last command.
            if let Some(last) = self.all.last_mut().filter(|_| behind != Behind::Other) {
                last.behind = behind;
            }
            return;
        }
        let perhaps = one.perhaps || self.blocks.iter().any(|block| !matches!(*block, ")" | "}"));
        // `x=$(command)` is the command.
        let inner = one.assignments.last_mut().filter(|_| one.words.is_empty());
        let inner = inner.map(|last| std::mem::take(&mut last.inner)).filter(|inner| !inner.is_empty());
        let from = self.all.len();
        self.all.extend(inner.unwrap_or_else(|| vec![one]));
        self.all.iter_mut().skip(from).for_each(|command| command.perhaps |= perhaps);
        self.all.last_mut().into_iter().for_each(|last| last.behind = behind);
    }
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

    /// The text up to a sign, which comes next; or all of it.
    fn up_to(&mut self, sign: &str) -> &'a str {
        let rest = self.letters.as_str();
        let (text, rest) = rest.split_at(rest.find(sign).unwrap_or(rest.len()));
        self.letters = rest.chars();
        text
    }

    /// The text up to a sign, which is read, too.
    fn through(&mut self, sign: &str) -> &'a str {
        let text = self.up_to(sign);
        self.torn |= !self.eat(sign);
        text
    }

    /// Commands up to the end, or to the closing bracket of `$(`, which is read too.
    fn list(&mut self, inner: bool) -> Vec<Command> {
        let mut list = CommandList::default();
        let mut closed = !inner;
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' => _ = self.letters.next(),
                '#' => _ = self.up_to("\n"),
                '&' | '|' | '(' | ')' | '<' | '>' | '\n' if list.is_test() => _ = self.letters.next(),
                ')' if inner && !list.is_in(")") && !list.is_in("esac") => {
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
            "(" | "|" if list.is_pattern => {}
            "|" | "|&" => list.flush(Behind::Pipe),
            "&>" | "&>>" => self.redirected(list),
            // A pattern of `case` ends here.
            ")" if !list.is_in(")") => {
                list.is_pattern = false;
                list.one = Command::default();
            }
            ")" => {
                list.flush(Behind::Other);
                list.end(")");
            }
            // `name() {`
            "(" if list.one.words.len() == 1 && self.eat(")") => {
                list.blocks.push("()");
                list.one = Command::default();
            }
            // `((i = 1 << 3))` is arithmetic.
            "(" if self.eat("(") => _ = self.through("))"),
            "(" => {
                list.flush(Behind::Other);
                list.blocks.push(")");
            }
            _ => {
                list.flush(Behind::Other);
                if sign == "\n" {
                    self.documents(list);
                } else if sign.len() > 1 && list.is_in("esac") {
                    list.is_pattern = true;
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
                let line = self.up_to("\n");
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
            '\'' => word.text.push_str(self.through("'")),
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
        if letter == '$' && self.eat("((") {
            self.through("))");
        } else if letter == '$' && self.depth < DEPTH && self.eat("(") {
            let inner = self.commands();
            match inner.as_slice() {
                // `cat` prints its document.
                [Command { input: Some(input), words, .. }] if words.iter().all(|word| word.text == "cat") => {
                    printed = Some(input.trim_end_matches('\n').to_owned());
                }
                _ => word.inner = inner,
            }
        } else if letter == '`' {
            self.through("`");
        } else {
            word.text.push(letter);
            word.text.push_str(if letter == '$' && self.peek() == Some('{') { self.up_to("}") } else { "" });
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
