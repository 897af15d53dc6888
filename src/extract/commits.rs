//! What the agent wrote down in commands: the messages of commits, pull requests and issues. They are its
//! own words. The last word counts: what was amended, reset or reverted is gone.

use super::decisions;
use crate::base::shell::{self, Command};
use crate::base::text;
use crate::record::item::{Evidence, Item};
use crate::record::message::{Message, Role};
use std::collections::{HashMap, HashSet};

/// The share of an issue's words that a title has which mends it.
const DONE_SHARE: f64 = 0.6;

/// Lines that programs add.
const TRAILERS: &[&str] = &["co-authored-by:", "signed-off-by:", "change-id:", "🤖 generated"];

/// What a command writes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A commit.
    Commit,
    /// A pull request.
    PullRequest,
    /// An issue.
    Issue,
}

/// A title, and what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told<'a> {
    /// What it is.
    pub kind: Kind,
    /// The message whose command says it.
    pub message: &'a Message,
    /// The line of the transcript that has the command.
    pub line: u64,
    /// The first line.
    pub title: String,
    /// The rest; "" where there is none.
    pub body: String,
}

impl Told<'_> {
    /// A quote of it, on the line of its command.
    pub fn quote(&self, quote: &str) -> Evidence {
        let quote = self.message.quote(quote);
        let uuid = quote.uuid.filter(|_| self.line == self.message.line);
        Evidence { line: Some(self.line), uuid, ..quote }
    }

    /// Both, as sentences.
    pub fn text(&self) -> String {
        format!("{}.\n\n{}", self.title, self.body)
    }
}

/// What a simple command does.
#[derive(Debug, PartialEq, Eq)]
enum Deed {
    /// Writes a text; whether in the place of the one before.
    Write(Kind, String, bool),
    /// Takes back so many commits of the last, behind others.
    Drop(usize, usize),
}

/// All that was written down in commands that did not fail, as it is at the end.
pub fn told(messages: &[Message]) -> Vec<Told<'_>> {
    let failed = failed(messages);
    let mut found: Vec<Told<'_>> = Vec::new();
    let mut files = HashMap::new();
    for message in messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain) {
        for tool in message.tools.iter().filter(|tool| !failed.contains(tool.id.as_str())) {
            // Most command lines write nothing down.
            let writes = |command: &&str| ["git ", "gh ", "<<"].iter().any(|word| command.contains(word));
            for simple in tool.command().filter(writes).map(shell::commands).unwrap_or_default() {
                if let Some(deed) = deed(&simple, &files) {
                    apply(&mut found, deed, (message, tool.line.max(message.line)));
                }
                if let (Some(file), Some(text)) = (simple.output, simple.input) {
                    files.insert(file, text);
                }
            }
        }
    }
    found
}

/// The ids of the uses of tools that failed or that the user refused.
pub fn failed<'a>(messages: impl IntoIterator<Item = &'a Message>) -> HashSet<&'a str> {
    let failed = |message: &'a Message| {
        let is_error = message.role == Role::Tool && message.is_error;
        message.tool_use_id.as_deref().filter(|_| is_error).or_else(|| message.refused())
    };
    messages.into_iter().filter_map(failed).filter(|id| !id.is_empty()).collect()
}

/// The issues that were created, each as an open item, but those that a later commit or pull request is about.
pub fn open(told: &[Told<'_>]) -> Vec<Item> {
    let mut found = Vec::new();
    for (at, issue) in told.iter().enumerate().filter(|(_, told)| told.kind == Kind::Issue) {
        let title = text::meaning(&issue.title).stems;
        let done = told.iter().skip(at + 1).filter(|told| told.kind != Kind::Issue).any(|later| {
            let later = text::meaning(&later.title).stems;
            text::share(title.intersection(&later).count(), title.len()) >= DONE_SHARE
        });
        if !done {
            let evidence = vec![issue.quote(&issue.title)];
            found.push(Item { summary: issue.title.clone(), evidence, ..Item::default() });
        }
    }
    found
}

/// The title of the first commit of a command line.
pub fn commit_title(command: &str) -> Option<String> {
    shell::commands(command).iter().find_map(|simple| match deed(simple, &HashMap::new())? {
        Deed::Write(Kind::Commit, text, _) => Some(split(&text).0),
        _ => None,
    })
}

fn apply<'a>(found: &mut Vec<Told<'a>>, deed: Deed, (message, line): (&'a Message, u64)) {
    let commits = |found: &[Told<'_>]| {
        let all = found.iter().enumerate().filter(|(_, told)| told.kind == Kind::Commit);
        all.map(|(at, _)| at).rev().collect::<Vec<_>>()
    };
    match deed {
        Deed::Write(kind, text, replaces) => {
            let (title, body) = split(&text);
            let last = found.iter().rposition(|told| told.kind == kind).filter(|_| replaces);
            // A commit that a hook refused is made again; a pull request of one commit has its title.
            let same = found.iter().position(|told| told.kind != Kind::Issue && told.title == title);
            let same = same.filter(|_| kind != Kind::Issue);
            if let Some(taken_back) = decisions::taken_back(&title) {
                found.retain(|told| told.kind != Kind::Commit || told.title != taken_back);
            }
            let mut told = Told { kind, message, line, title, body };
            if let Some(gone) = last.or(same) {
                let old = found.remove(gone);
                if told.title.is_empty() {
                    told.title = old.title;
                }
            }
            if !told.title.is_empty() {
                found.push(told);
            }
        }
        Deed::Drop(count, behind) => {
            commits(found).into_iter().skip(behind).take(count).for_each(|at| _ = found.remove(at));
        }
    }
}

/// A text's first line and the rest.
fn split(text: &str) -> (String, String) {
    let text = text.trim();
    let (title, body) = text.split_once('\n').unwrap_or((text, ""));
    let is_trailer = |line: &str| {
        let line = line.trim_start().to_lowercase();
        TRAILERS.iter().any(|trailer| line.starts_with(trailer))
    };
    let body: Vec<&str> = body.lines().filter(|line| !is_trailer(line)).collect();
    (title.trim().to_owned(), body.join("\n").trim().to_owned())
}

/// What a command does, if it is git's or that of a forge.
fn deed(simple: &Command, files: &HashMap<String, String>) -> Option<Deed> {
    let words: Vec<&str> = simple.meant().iter().map(|word| word.text.as_str()).collect();
    match words.split_first()? {
        (&"git", rest) => {
            let at = subcommand(rest)?;
            let options = Options { words: rest.get(at + 1..)?, simple, files };
            match *rest.get(at)? {
                "commit" => options.commit(),
                "reset" => options.reset(),
                "revert" => options.revert(),
                _ => None,
            }
        }
        (&"gh", [area, verb, rest @ ..]) => {
            let options = Options { words: rest, simple, files };
            match (*area, *verb) {
                ("pr", "create") => options.page(Kind::PullRequest, false),
                ("pr", "edit") => options.page(Kind::PullRequest, true),
                ("issue", "create") => options.page(Kind::Issue, false),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The place of git's own command behind its options.
fn subcommand(words: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// The words behind a command.
struct Options<'a> {
    words: &'a [&'a str],
    simple: &'a Command,
    files: &'a HashMap<String, String>,
}

impl Options<'_> {
    fn has(&self, names: &[&str]) -> bool {
        self.words.iter().any(|word| names.contains(word))
    }

    /// The values of an option, by its long names and its letter: `--title x`, `--title=x`, `-t x`, `-tx`.
    fn values(&self, long: &str, letter: char) -> Vec<&str> {
        let mut found = Vec::new();
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            if let Some(rest) = word.strip_prefix(long) {
                found.extend(match rest.strip_prefix('=') {
                    Some(value) => Some(value),
                    None if rest.is_empty() => words.next().copied(),
                    None => None,
                });
            } else if let Some((flags, value)) = word.strip_prefix('-').and_then(|word| word.split_once(letter)) {
                // `-qam`: flags that take no value come first.
                if flags.chars().all(|flag| "aqvsen".contains(flag)) {
                    found.extend(if value.is_empty() { words.next().copied() } else { Some(value) });
                }
            }
        }
        found
    }

    /// What is in a file that a document wrote before, or in the command's own document.
    fn file(&self, name: &str) -> Option<String> {
        if matches!(name, "-" | "/dev/stdin") { self.simple.input.clone() } else { self.files.get(name).cloned() }
    }

    fn commit(&self) -> Option<Deed> {
        if self.has(&["--dry-run", "--help", "-h"])
            || self.words.iter().any(|word| word.starts_with("--fixup") || word.starts_with("--squash"))
        {
            return None;
        }
        let said = self.values("--message", 'm').join("\n\n");
        let file = self.values("--file", 'F').first().and_then(|name| self.file(name));
        let text = if said.is_empty() { file } else { Some(said) };
        Some(Deed::Write(Kind::Commit, text?, self.has(&["--amend"]))).filter(|deed| !is_unknown(deed))
    }

    /// `git reset HEAD~2` takes back two commits; to another place, all of them.
    fn reset(&self) -> Option<Deed> {
        let paths = self.has(&["--", "-p", "--patch"]);
        let moves = self.has(&["--hard", "--soft", "--mixed", "--keep", "--merge"]);
        let to = self.words.iter().find(|word| !word.starts_with('-')).filter(|_| !paths)?;
        match steps_back(to) {
            Some(steps) => Some(Deed::Drop(steps, 0))
                .filter(|_| self.words.iter().filter(|word| !word.starts_with('-')).count() == 1),
            None => moves.then_some(Deed::Drop(usize::MAX, 0)),
        }
    }

    fn revert(&self) -> Option<Deed> {
        let what = self.words.iter().find(|word| !word.starts_with('-'))?;
        // Which one another name means is not known: most often it is the last.
        Some(Deed::Drop(1, steps_back(what).unwrap_or(0)))
    }

    fn page(&self, kind: Kind, edits: bool) -> Option<Deed> {
        let title = self.values("--title", 't').first().copied().unwrap_or_default();
        let body = self.values("--body", 'b').first().map(|body| (*body).to_owned());
        let file = self.values("--body-file", 'F').first().and_then(|name| self.file(name));
        let body = body.or(file).unwrap_or_default();
        let deed = Deed::Write(kind, format!("{title}\n\n{body}"), edits);
        // An edit of the labels says nothing.
        (!is_unknown(&deed) && (!edits || !title.is_empty() && !body.is_empty())).then_some(deed)
    }
}

/// Whether the title is the shell's to make, or is none.
fn is_unknown(deed: &Deed) -> bool {
    let Deed::Write(_, text, _) = deed else { return false };
    let title = split(text).0;
    title.is_empty() || title.contains('…') && title.chars().count() < 8 || title.starts_with('$')
}

/// How many commits before the last a name is; None where it says no number.
fn steps_back(name: &str) -> Option<usize> {
    let rest = name.strip_prefix("HEAD").or_else(|| name.strip_prefix('@'))?;
    if rest.chars().all(|c| c == '^') {
        return Some(rest.len());
    }
    match rest.strip_prefix('~')? {
        "" => Some(1),
        count => count.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::message::{Action, Marks, ToolUse};

    /// Messages that run these command lines; one that begins with `!` fails.
    fn ran(lines: &[&str]) -> Vec<Message> {
        let mut messages = Vec::new();
        for (line, command) in (1_u64..).zip(lines) {
            let message = |role| Message {
                role,
                text: String::new(),
                time: None,
                line,
                uuid: None,
                tools: Vec::new(),
                is_error: false,
                answers: Vec::new(),
                plan: false,
                command: None,
                tool_use_id: None,
                marks: Marks::default(),
            };
            let (id, fails) = (format!("t{line}"), command.starts_with('!'));
            let action = Action::Run(command.trim_start_matches('!').to_owned());
            let tool = ToolUse { name: "Bash".to_owned(), id: id.clone(), file: None, action, ..ToolUse::default() };
            messages.push(Message { tools: vec![tool], ..message(Role::Assistant) });
            if fails {
                messages.push(Message { is_error: true, tool_use_id: Some(id), ..message(Role::Tool) });
            }
        }
        messages
    }

    #[track_caller]
    fn tells(lines: &[&str], wanted: &[(&str, &str)]) {
        let messages = ran(lines);
        let found = told(&messages);
        let found: Vec<(&str, &str)> = found.iter().map(|told| (told.title.as_str(), told.body.as_str())).collect();
        assert_eq!(found, wanted, "{lines:?}");
    }

    #[test]
    fn a_commit_is_known_by_the_first_line_of_its_message() {
        for (command, title) in [
            ("git commit -m 'one'", Some("one")),
            ("cd x && git -C y commit -qam \"two: it's\n\nbody\" && git push", Some("two: it's")),
            ("git commit -m \"$(cat <<'EOF'\nthree\n\nwhy\nEOF\n)\"", Some("three")),
            ("git commit -F - <<EOF\n\n  four\nEOF", Some("four")),
            ("git commit -m 'five' && cat <<EOF\nno\nEOF", Some("five")),
            ("git add . && git commit --message=\"six\"", Some("six")),
            ("git diff --cached --quiet || git commit -am seven", Some("seven")),
            ("GIT_EDITOR=true git -c user.name=x commit -m eight", Some("eight")),
            ("git log | grep 'commit'", None),
            ("git commit --amend --no-edit", None),
            ("echo commit 'x'", None),
            ("echo \"git commit -m 'x'\"", None),
            ("python3 - <<'E'\ngit commit -m 'x'\nE", None),
            ("git log -1 # git commit -m 'x'", None),
            ("git commit --dry-run -m 'x'", None),
            ("git commit --fixup HEAD -m x", None),
            ("git commit -m \"$MSG\"", None),
            ("git commit -m \"$(make message)\"", None),
        ] {
            assert_eq!(commit_title(command).as_deref(), title, "{command}");
        }
    }

    #[test]
    fn the_last_word_counts() {
        tells(&["git commit -m one -m why", "!git commit -m two"], &[("one", "why")]);
        tells(&["git commit -m one", "git commit --amend -m 'one, better'"], &[("one, better", "")]);
        tells(&["git commit -m one", "git commit --amend --no-edit"], &[("one", "")]);
        tells(&["git commit -m one", "git commit -m two", "git reset --soft HEAD~1"], &[("one", "")]);
        tells(&["git commit -m one", "git commit -m two", "git reset --hard origin/main"], &[]);
        tells(&["git commit -m one", "git reset HEAD a.rs", "git reset -q -- b.rs", "git reset HEAD"], &[("one", "")]);
        tells(&["git commit -m one", "git commit -m two", "git revert --no-edit HEAD~1"], &[("two", "")]);
        tells(&["git commit -m one && git commit -m two; git revert HEAD"], &[("one", "")]);
        tells(&["git commit -m one -m first", "git commit -m one -m again"], &[("one", "again")]);
    }

    #[test]
    fn pull_requests_and_issues_have_a_title_and_a_body() {
        tells(
            &["gh pr create -t 'A title' --body \"$(cat <<'E'\n## Why\n\nit's \"so\"\nE\n)\""],
            &[("A title", "## Why\n\nit's \"so\"")],
        );
        tells(
            &["cat > /tmp/b.md <<'E'\nBody.\nE", "gh issue create --title=T --body-file /tmp/b.md | tail -1"],
            &[("T", "Body.")],
        );
        tells(
            &["gh pr create --title T --body B", "gh pr edit 3 --title U --body C", "gh pr edit 3 --add-label x"],
            &[("U", "C")],
        );
        tells(
            &[
                "gh issue create --title \"$t\" --body x",
                "gh pr create --fill",
                "echo gh issue create --title x",
                "gh pr view 3",
            ],
            &[],
        );
    }
}
