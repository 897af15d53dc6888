//! A command line as a shell reads it: its simple commands with their words, and what here-documents give
//! them. A word that only the shell can know (`$(date)`) is an ellipsis. What is in quotation marks, in a
//! document or in a comment is no command.

use std::iter::Peekable;
use std::str::Chars;

/// What cannot be known.
const UNKNOWN: char = '…';
/// How deep one command line is looked for in another.
const DEPTH: usize = 8;

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// Its words, without what redirects.
    pub words: Vec<String>,
    /// What a here-document gives it.
    pub input: Option<String>,
    /// The file that it writes.
    pub output: Option<String>,
}

impl Simple {
    /// What it prints, where that can be known: `cat` prints its document.
    fn printed(&self) -> Option<&String> {
        self.input.as_ref().filter(|_| self.words.iter().map(String::as_str).eq(["cat"]))
    }
}

/// The simple commands of a command line, in their order.
pub fn commands(line: &str) -> Vec<Simple> {
    let mut shell = Shell { letters: line.chars().peekable(), depth: 0 };
    shell.list(None)
}

struct Shell<'a> {
    letters: Peekable<Chars<'a>>,
    depth: usize,
}

/// A here-document that begins behind the line.
struct Document {
    /// The command that reads it.
    reader: usize,
    end: String,
    tabs: bool,
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
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

impl Shell<'_> {
    fn eat(&mut self, letter: char) -> bool {
        self.letters.next_if_eq(&letter).is_some()
    }

    /// Commands up to a closing bracket, or to the end.
    fn list(&mut self, close: Option<char>) -> Vec<Simple> {
        let mut all: Vec<Simple> = Vec::new();
        let mut one = Simple::default();
        let mut waiting: Vec<Document> = Vec::new();
        let mut next = Next::Word;
        while let Some(letter) = self.letters.peek().copied() {
            if Some(letter) == close {
                break;
            }
            match letter {
                ' ' | '\t' | '\r' => _ = self.letters.next(),
                '#' => while self.letters.next_if(|letter| *letter != '\n').is_some() {},
                ';' | '&' | '|' | '\n' | '(' | ')' => {
                    self.letters.next();
                    if letter == '&' && self.letters.peek() == Some(&'>') {
                        continue;
                    }
                    if one != Simple::default() {
                        all.push(std::mem::take(&mut one));
                    }
                    next = Next::Word;
                    if letter == '\n' {
                        self.documents(&mut waiting, &mut all);
                    }
                }
                '<' | '>' => next = self.redirection(letter),
                _ => {
                    // Where a line goes on, nothing was read.
                    let Some(word) = self.word(close) else { continue };
                    let descriptor =
                        word.chars().all(|c| c.is_ascii_digit()) && matches!(self.letters.peek(), Some('<' | '>'));
                    match next {
                        Next::Word if descriptor => {}
                        Next::Word => one.words.push(word),
                        Next::Output => one.output = Some(word),
                        Next::Document(tabs) => waiting.push(Document { reader: all.len(), end: word, tabs }),
                        Next::Text => one.input = Some(word),
                        Next::Nothing => {}
                    }
                    next = Next::Word;
                }
            }
        }
        if one != Simple::default() || !waiting.is_empty() {
            all.push(one);
        }
        all
    }

    /// What comes behind a sign of redirection.
    fn redirection(&mut self, sign: char) -> Next {
        self.letters.next();
        if sign == '>' {
            self.eat('>');
            return if self.eat('&') { Next::Nothing } else { Next::Output };
        }
        match (self.eat('<'), self.eat('<')) {
            (true, true) => Next::Text,
            (true, false) => Next::Document(self.eat('-')),
            (false, _) => {
                self.eat('&');
                Next::Nothing
            }
        }
    }

    /// Reads the documents that begin here. One that the command line cuts off ends with it.
    fn documents(&mut self, waiting: &mut Vec<Document>, all: &mut [Simple]) {
        for document in waiting.drain(..) {
            let mut text = String::new();
            while self.letters.peek().is_some() {
                let mut line = String::new();
                while let Some(letter) = self.letters.next_if(|letter| *letter != '\n') {
                    line.push(letter);
                }
                self.letters.next();
                let line = if document.tabs { line.trim_start_matches('\t') } else { &line };
                if line.trim_end() == document.end {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            if let Some(reader) = all.get_mut(document.reader) {
                reader.input = Some(text);
            }
        }
    }

    fn word(&mut self, close: Option<char>) -> Option<String> {
        let (mut word, mut is_word) = (String::new(), false);
        while let Some(letter) = self.letters.peek().copied() {
            if letter.is_whitespace() || ";&|()<>".contains(letter) || Some(letter) == close {
                break;
            }
            self.letters.next();
            is_word |= letter != '\\' || self.letters.peek() != Some(&'\n');
            match letter {
                '\\' => word.extend(self.letters.next().filter(|next| *next != '\n')),
                '\'' => {
                    while let Some(inner) = self.letters.next_if(|inner| *inner != '\'') {
                        word.push(inner);
                    }
                    self.letters.next();
                }
                '"' => self.quoted(&mut word),
                _ => self.expanded(letter, &mut word),
            }
        }
        is_word.then_some(word)
    }

    /// What is between double quotation marks.
    fn quoted(&mut self, word: &mut String) {
        while let Some(letter) = self.letters.next() {
            match letter {
                '"' => return,
                '\\' => match self.letters.next() {
                    Some('\n') | None => {}
                    Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                    Some(next) => word.extend(['\\', next]),
                },
                _ => self.expanded(letter, word),
            }
        }
    }

    /// A letter, or what the shell puts in its place.
    fn expanded(&mut self, letter: char, word: &mut String) {
        match letter {
            '$' if self.depth < DEPTH && self.eat('(') => {
                self.depth += 1;
                let inner = self.list(Some(')'));
                self.depth -= 1;
                self.letters.next();
                match inner.as_slice() {
                    [one] if one.printed().is_some() => {
                        word.push_str(one.printed().map_or("", |text| text.trim_end_matches('\n')));
                    }
                    _ => word.push(UNKNOWN),
                }
            }
            '`' => {
                while self.letters.next_if(|inner| *inner != '`').is_some() {}
                self.letters.next();
                word.push(UNKNOWN);
            }
            _ => word.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<String>> {
        commands(line).into_iter().map(|simple| simple.words).collect()
    }

    #[test]
    fn commands_and_their_words_are_those_of_a_shell() {
        assert_eq!(
            words("cd /x && git -C y commit -qam \"two: it's\n\nbody\" && git push 2>&1 | tail -2 # git commit"),
            [
                vec!["cd", "/x"],
                vec!["git", "-C", "y", "commit", "-qam", "two: it's\n\nbody"],
                vec!["git", "push"],
                vec!["tail", "-2"]
            ]
        );
        assert_eq!(words("a \\\n  b 'c d'\\''e' \"f \\\"g\\\" \\n\" >out"), [["a", "b", "c d'e", "f \"g\" \\n"]]);
        assert_eq!(words("echo \"$(date) `date`\"; (x y)"), [vec!["echo", "… …"], vec!["x", "y"]]);
    }

    #[test]
    fn a_document_belongs_to_its_command() {
        let line = "git commit -m \"$(cat <<'EOF'\nthree (a) \"b\"\n\nit's why)\nEOF\n)\" && git status";
        assert_eq!(words(line), [vec!["git", "commit", "-m", "three (a) \"b\"\n\nit's why)"], vec!["git", "status"]]);
        let found = commands("cat > a.md <<EOF && x <<-'B'\none\nEOF\n\ttwo\n\tB\ny");
        let inputs: Vec<Option<&str>> = found.iter().map(|simple| simple.input.as_deref()).collect();
        assert_eq!((inputs, found[0].output.as_deref()), (vec![Some("one\n"), Some("two\n"), None], Some("a.md")));
        // What is cut off is read to its end, and nothing panics.
        for cut in ["git commit -F - <<EOF\nfour", "git commit -m \"five", "x $(", "x <<", "x '", "$(((", "<<A\n<<B"] {
            commands(cut);
        }
        assert_eq!(commands("git commit -F - <<EOF\nfour")[0].input.as_deref(), Some("four\n"));
        assert_eq!(commands("cat <<< \"a b\"")[0].input.as_deref(), Some("a b"));
    }
}
