//! What a command line writes for people to read: the messages of commits, the titles and bodies of pull
//! requests and issues. A line is read as a shell reads it, as far as that takes; nothing is expanded, and
//! where an end is missing, for a long command line is cut, the text goes to the end.

/// What a text was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A commit.
    Commit,
    /// A commit that takes the place of the one before.
    Amended,
    /// A pull request, or what it says now.
    PullRequest,
    /// An issue.
    Issue,
}

/// Lines that programs add.
const TRAILERS: &[&str] = &["co-authored-by:", "signed-off-by:", "change-id:", "🤖 generated"];

/// What can come before a program's name.
const BEFORE: &[&str] = &["if", "then", "else", "do", "{", "!", "time", "sudo", "command", "env"];

/// The texts of a command line, the title of each in its first line.
pub fn texts(line: &str) -> Vec<(Of, String)> {
    let is_candidate = line.contains("commit") && line.contains("git") || line.contains("gh ");
    if !is_candidate {
        return Vec::new();
    }
    let commands = commands(line);
    let texts = commands.iter().enumerate().filter_map(|(at, command)| {
        let before = commands.get(..at).unwrap_or_default();
        let (of, text) = commit(command, before).or_else(|| on_forge(command, before))?;
        let own = |line: &&str| !TRAILERS.iter().any(|trailer| line.to_lowercase().trim_start().starts_with(trailer));
        let text = text.lines().map(str::trim_end).filter(own).collect::<Vec<_>>().join("\n").trim().to_owned();
        (!text.is_empty()).then_some((of, text))
    });
    texts.collect()
}

/// The message of a `git commit`.
fn commit(command: &Command, before: &[Command]) -> Option<(Of, String)> {
    let mut words = command.own_words("git")?;
    loop {
        match words.next()? {
            "commit" => break,
            "-C" | "-c" => _ = words.next(),
            option if option.starts_with('-') => {}
            _ => return None,
        }
    }
    let (mut parts, mut of): (Vec<String>, Of) = (Vec::new(), Of::Commit);
    while let Some(word) = words.next() {
        let short = word.strip_prefix('-').filter(|short| !short.starts_with('-')).unwrap_or_default();
        let mut value = |long: &str, letter: char| {
            if word == long {
                return words.next().map(str::to_owned);
            }
            let joined = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            let behind = joined.or_else(|| {
                let (flags, behind) = short.split_once(letter)?;
                flags.chars().all(|flag| flag.is_ascii_lowercase()).then_some(behind)
            })?;
            let attached = joined.is_some() || !behind.is_empty();
            if attached { Some(behind.to_owned()) } else { words.next().map(str::to_owned) }
        };
        if word == "--amend" {
            of = Of::Amended;
        } else if let Some(message) = value("--message", 'm') {
            parts.push(message);
        } else if let Some(file) = value("--file", 'F') {
            parts.extend(command.content(&file, before));
        }
    }
    Some((of, parts.join("\n\n")))
}

/// The title and the body of a pull request or an issue, made or changed with `gh`.
fn on_forge(command: &Command, before: &[Command]) -> Option<(Of, String)> {
    let mut words = command.own_words("gh")?;
    let of = match words.next()? {
        "pr" => Of::PullRequest,
        "issue" => Of::Issue,
        _ => return None,
    };
    words.next().filter(|word| matches!(*word, "create" | "new" | "edit"))?;
    let (mut title, mut body) = (None, None);
    while let Some(word) = words.next() {
        let (name, joined) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let mut value = || joined.or_else(|| words.next()).map(str::to_owned);
        match name {
            "-t" | "--title" => title = value(),
            "-b" | "--body" => body = value(),
            "-F" | "--body-file" => body = value().and_then(|file| command.content(&file, before)),
            _ => {}
        }
    }
    Some((of, [title, body].into_iter().flatten().collect::<Vec<_>>().join("\n\n")))
}

/// One command of a line.
#[derive(Default)]
struct Command {
    words: Vec<String>,
    /// What a here-document or a here-string gives it.
    input: Option<String>,
    /// The file that it writes.
    to: Option<String>,
}

impl Command {
    /// The words behind the program's name, if it is that program.
    fn own_words(&self, program: &str) -> Option<impl Iterator<Item = &str>> {
        let mut words = self.words.iter().map(String::as_str).skip_while(|word| {
            let is_variable = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
            BEFORE.contains(word) || word.split_once('=').is_some_and(|(name, _)| is_variable(name))
        });
        (words.next()? == program).then_some(words)
    }

    /// What is in a file: in its own input, or in one that a command before it wrote.
    fn content(&self, file: &str, before: &[Self]) -> Option<String> {
        if file == "-" || file == "/dev/stdin" {
            return self.input.clone();
        }
        let wrote = before.iter().rev().find(|command| command.to.as_deref() == Some(file));
        wrote.and_then(|command| command.input.clone())
    }
}

/// What the next word is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Word,
    /// The file to which the output goes.
    To,
    /// The name that ends a here-document.
    Document,
    /// A here-string.
    Input,
    /// Another end of a redirection.
    Nothing,
}

/// A line while it is read.
struct Shell<'a> {
    rest: &'a str,
    done: Vec<Command>,
    command: Command,
    word: Option<String>,
    next: Next,
    /// The here-documents that begin behind this line: the number of the command, the name that ends it.
    documents: Vec<(usize, String)>,
}

/// The commands of a line.
fn commands(line: &str) -> Vec<Command> {
    let mut shell = Shell {
        rest: line,
        done: Vec::new(),
        command: Command::default(),
        word: None,
        next: Next::default(),
        documents: Vec::new(),
    };
    while let Some(letter) = shell.take() {
        shell.letter(letter);
    }
    shell.end_command();
    shell.done
}

impl Shell<'_> {
    fn take(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(letter)
    }

    fn skip(&mut self, what: &str) -> bool {
        let behind = self.rest.strip_prefix(what);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn letter(&mut self, letter: char) {
        match letter {
            '\n' => {
                self.end_command();
                for (number, name) in std::mem::take(&mut self.documents) {
                    let body = self.document(&name);
                    self.done.get_mut(number).into_iter().for_each(|command| command.input = Some(body.clone()));
                }
            }
            ';' | '|' | '&' | '(' | ')' => self.end_command(),
            '#' if self.word.is_none() => {
                self.rest = self.rest.find('\n').and_then(|end| self.rest.get(end..)).unwrap_or_default();
            }
            '<' | '>' => self.redirection(letter),
            '\'' => self.quoted('\'', false),
            '"' => self.quoted('"', true),
            '$' if self.skip("'") => self.quoted('\'', true),
            '$' if self.skip("(") => self.substitution(),
            '\\' => match self.take() {
                Some('\n') | None => {}
                Some(letter) => self.push(letter),
            },
            letter if letter.is_whitespace() => self.end_word(),
            letter => self.push(letter),
        }
    }

    fn redirection(&mut self, letter: char) {
        // The number before it is of what is redirected.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.next = match letter {
            '>' if self.skip("&") => Next::Nothing,
            '>' => {
                let _ = self.skip(">") || self.skip("|");
                Next::To
            }
            _ if self.skip("<<") => Next::Input,
            _ if self.skip("<") => {
                self.skip("-");
                Next::Document
            }
            _ => Next::Nothing,
        };
    }

    /// The rest of what is quoted; with `escapes` a backslash and `$(` mean something in it.
    fn quoted(&mut self, end: char, escapes: bool) {
        self.word.get_or_insert_default();
        while let Some(letter) = self.take().filter(|letter| *letter != end) {
            match letter {
                '\\' if escapes => match self.take() {
                    Some('\n') | None => {}
                    Some('n') if end == '\'' => self.push('\n'),
                    Some(letter @ ('"' | '\'' | '\\' | '$' | '`')) => self.push(letter),
                    Some(letter) => self.word.get_or_insert_default().extend(['\\', letter]),
                },
                '$' if escapes && self.skip("(") => self.substitution(),
                letter => self.push(letter),
            }
        }
    }

    /// The rest of `$(…)`: what `cat` prints of a here-document; of another command nothing is known.
    fn substitution(&mut self) {
        let document = self.rest.trim_start().strip_prefix("cat").and_then(|rest| rest.trim_start().strip_prefix("<<"));
        if let Some((head, rest)) = document.and_then(|document| document.split_once('\n')) {
            self.rest = rest;
            let name = head.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
            let body = self.document(name.trim_matches(['\'', '"', '\\']));
            self.word.get_or_insert_default().push_str(body.trim_end());
            self.rest = self.rest.split_once(')').map_or("", |(_, rest)| rest);
            return;
        }
        let mut depth = 1_usize;
        while let Some(letter) = self.take() {
            match letter {
                '(' => depth = depth.saturating_add(1),
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.push('…');
    }

    /// The lines up to the one that is the name.
    fn document(&mut self, name: &str) -> String {
        let mut body = String::new();
        while !self.rest.is_empty() {
            let end = self.rest.trim_start_matches([' ', '\t']).strip_prefix(name);
            if let Some(behind) = end.filter(|behind| behind.is_empty() || behind.starts_with(['\n', '\r', ')'])) {
                self.rest = behind;
                break;
            }
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            body.push_str(line);
            body.push('\n');
            self.rest = rest;
        }
        body
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.next) {
            Next::Word => self.command.words.push(word),
            Next::To => self.command.to = Some(word),
            Next::Document => self.documents.push((self.done.len(), word)),
            Next::Input => self.command.input = Some(word),
            Next::Nothing => {}
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.done.push(std::mem::take(&mut self.command));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_message_of_a_commit_is_read() {
        for (line, wanted) in [
            ("git commit -m 'one'", "one"),
            (
                "cd x && git -C y commit -qam \"two: it's\n\nbody \\\"so\\\" and \\$so\" && git push",
                "two: it's\n\nbody \"so\" and $so",
            ),
            (
                "git commit -m \"$(cat <<'EOF'\nthree (\"3\")\n\nwhy; it's so\n\nCo-Authored-By: X <x@y>\nEOF\n)\" && ls",
                "three (\"3\")\n\nwhy; it's so",
            ),
            ("git commit -q -F - <<'EOF' && git push\n\n  four\n\nthe body\nEOF\ngit status", "four\n\nthe body"),
            ("git commit -m 'five' -m 'its body' && cat <<EOF\nno\nEOF", "five\n\nits body"),
            ("git add . ; git commit --message=\"six\" 2>&1 | tail -1", "six"),
            ("git commit -m$'seven\\n\\nit\\'s so'", "seven\n\nit's so"),
            ("cat > \"$T/m.txt\" <<'E'\neight\nE\ngit commit -F \"$T/m.txt\"", "eight"),
            ("GIT_EDITOR=true git -c a.b=c commit \\\n  -m nine", "nine"),
            ("if true; then git commit -F - <<< 'ten'; fi", "ten"),
            // Cut off.
            ("git commit -m \"$(cat <<'EOF'\neleven\n\nit goes", "eleven\n\nit goes"),
            ("git commit -m 'twelve\n\nit goes", "twelve\n\nit goes"),
        ] {
            assert_eq!(texts(line), [(Of::Commit, wanted.to_owned())], "{line}");
        }
        assert_eq!(texts("git commit --amend -m 'x'"), [(Of::Amended, "x".to_owned())]);
        for line in [
            "git log | grep 'commit'",
            "git commit --amend --no-edit",
            "echo git commit -m 'x'",
            "cat <<EOF\ngit commit -m 'x'\nEOF",
            "# git commit -m 'x'",
            "git show commit -m x",
            "git commit -F notes.txt",
            "git commit -m",
            "git",
            "",
        ] {
            assert_eq!(texts(line), [], "{line}");
        }
    }

    #[test]
    fn a_pull_request_and_an_issue_have_a_title_and_a_body() {
        let pull = |text: &str| (Of::PullRequest, text.to_owned());
        for (line, wanted) in [
            (
                "gh pr create --draft --title \"a\" --body \"$(cat <<'EOF'\n## What\n\nb\nEOF\n)\"",
                vec![pull("a\n\n## What\n\nb")],
            ),
            ("cd x\nGH_REPO=a/b gh pr create \\\n  --title=a -F - <<'EOF'\nb\nEOF", vec![pull("a\n\nb")]),
            ("cat > /t/p.md <<'E'\nb\nE\ngh pr edit 5 --body-file /t/p.md", vec![pull("b")]),
            ("gh issue create -t a -b b", vec![(Of::Issue, "a\n\nb".to_owned())]),
            ("git commit -m a && gh pr create --title b", vec![(Of::Commit, "a".to_owned()), pull("b")]),
            ("gh pr create --fill", vec![]),
            ("gh pr view 5 --title x", vec![]),
            ("gh api --title x", vec![]),
        ] {
            assert_eq!(texts(line), wanted, "{line}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
        #[test]
        fn any_line_can_be_read(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "git", "commit", " ", "-m", "-F", "-", "'", "\"", "$(", "cat", "<<", "EOF", "\n", ")", "\\", ">", "<",
                    "&", "gh ", "pr ", "create ", "--title", "=", "$'", "#", "é", "x",
                ]),
                0..40,
            ),
        ) {
            let line = words.concat();
            let said: usize = texts(&line).iter().map(|(_, text)| text.len()).sum();
            proptest::prop_assert!(said <= line.len() * 2, "{}", line);
        }
    }
}
