//! What the agent wrote down in commands: the messages of commits, pull requests and issues. They are its
//! own words. The last word counts: what was amended, reset or reverted is gone.

use super::decisions;
use super::uses::{self, Use};
use crate::base::shell::{self, Command};
use crate::record::item::Evidence;
use crate::record::message::Message;
use std::collections::{HashMap, HashSet};

/// Lines that programs add.
const TRAILERS: &[&str] = &["co-authored-by:", "signed-off-by:", "change-id:", "🤖 generated"];

/// What a command writes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitledKind {
    /// A commit.
    Commit,
    /// A pull request.
    PullRequest,
    /// An issue.
    Issue,
}

/// A title, and what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Titled<'a> {
    /// What it is.
    pub kind: TitledKind,
    /// The message whose command says it.
    pub message: &'a Message,
    /// The line of the transcript that has the command.
    pub line: u64,
    /// The first line.
    pub title: String,
    /// The rest; "" where there is none.
    pub body: String,
}

impl Titled<'_> {
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
enum Effect {
    /// Writes a text; whether in the place of the one before.
    Write(TitledKind, String, bool),
    /// Takes back so many commits of the last, behind others.
    Drop(usize, usize),
}

/// All that was written down in commands that did not fail, as it is at the end.
pub fn told(messages: &[Message]) -> Vec<Titled<'_>> {
    let mut found: Vec<Titled<'_>> = Vec::new();
    let mut files = HashMap::new();
    for used in uses::of(messages).into_iter().filter(Use::is_done) {
        // Most command lines write nothing down.
        let writes = |command: &&str| ["git ", "gh ", "<<"].iter().any(|word| command.contains(word));
        for simple in used.command().filter(writes).map(shell::commands).unwrap_or_default() {
            if let Some(deed) = deed(&simple, &files) {
                apply(&mut found, deed, used);
            }
            if let (Some(file), Some(text)) = (simple.output, simple.input) {
                files.insert(file, text);
            }
        }
    }
    found
}

/// The ids of the uses of tools that failed or that the user refused.
pub fn failed<'a>(messages: impl IntoIterator<Item = &'a Message>) -> HashSet<&'a str> {
    uses::of(messages).into_iter().filter(|used| !used.is_done()).map(|used| used.tool.id.as_str()).collect()
}

/// Whether a command line makes a commit with a message that is known.
pub fn makes_one(command: &str) -> bool {
    let is_commit =
        |simple: &Command| matches!(deed(simple, &HashMap::new()), Some(Effect::Write(TitledKind::Commit, ..)));
    shell::commands(command).iter().any(is_commit)
}

fn apply<'a>(found: &mut Vec<Titled<'a>>, deed: Effect, used: Use<'a>) {
    let (kind, text, replaces) = match deed {
        Effect::Write(kind, text, replaces) => (kind, text, replaces),
        Effect::Drop(count, behind) => {
            let commits = (0..found.len()).rev().filter(|at| found[*at].kind == TitledKind::Commit);
            let gone: Vec<usize> = commits.skip(behind).take(count).collect();
            for at in gone {
                found.remove(at);
            }
            return;
        }
    };
    let (mut title, body) = split(&text);
    if let Some(taken_back) = decisions::taken_back(&title) {
        found.retain(|told| told.kind != TitledKind::Commit || told.title != taken_back);
    }
    // A commit that a hook refused is made again; a pull request of one commit has its title.
    let is_same =
        |told: &Titled<'_>| told.kind != TitledKind::Issue && kind != TitledKind::Issue && told.title == title;
    let last = found.iter().rposition(|told| told.kind == kind).filter(|_| replaces);
    if let Some(gone) = last.or_else(|| found.iter().position(is_same)) {
        let old = found.remove(gone).title;
        title = if title.is_empty() { old } else { title };
    }
    if !title.is_empty() {
        let line = used.tool.line.max(used.message.line);
        found.push(Titled { kind, message: used.message, line, title, body });
    }
}

/// A text's first line and the rest.
fn split(text: &str) -> (String, String) {
    let text = text.trim();
    let (title, body) = text.split_once('\n').unwrap_or((text, ""));
    let is_trailer = |line: &&str| {
        let line = line.trim_start().to_lowercase();
        TRAILERS.iter().any(|trailer| line.starts_with(trailer))
    };
    let body: Vec<&str> = body.lines().filter(|line| !is_trailer(line)).collect();
    (title.trim().to_owned(), body.join("\n").trim().to_owned())
}

/// What a command does, if it is git's or that of a forge. `files` has what documents wrote before.
fn deed(simple: &Command, files: &HashMap<String, String>) -> Option<Effect> {
    let words: Vec<&str> = simple.meant().iter().map(|word| word.text.as_str()).collect();
    let file = |words: &[&str], option: &str| match *values(words, option, 'F').first()? {
        "-" | "/dev/stdin" => simple.input.clone(),
        name => files.get(name).cloned(),
    };
    match &words[..] {
        ["git", rest @ ..] => match without_options(rest) {
            ["commit", rest @ ..] => {
                let is_none = |word: &&str| matches!(*word, "--dry-run" | "--help" | "-h");
                let is_part = |word: &&str| word.starts_with("--fixup") || word.starts_with("--squash");
                let said = values(rest, "--message", 'm').join("\n\n");
                let text = if said.is_empty() { file(rest, "--file")? } else { said };
                let is_told = is_known(&text) && !rest.iter().any(|word| is_none(word) || is_part(word));
                is_told.then(|| Effect::Write(TitledKind::Commit, text, rest.contains(&"--amend")))
            }
            ["reset", rest @ ..] => reset(rest),
            // Which one another name means is not known: most often it is the last.
            ["revert", rest @ ..] => Some(Effect::Drop(1, steps_back(operands(rest).next()?).unwrap_or(0))),
            _ => None,
        },
        ["gh", what @ ("pr" | "issue"), verb @ ("create" | "edit"), rest @ ..]
            if (*what, *verb) != ("issue", "edit") =>
        {
            let title = values(rest, "--title", 't').first().copied().unwrap_or("");
            let body = values(rest, "--body", 'b').first().map(|body| (*body).to_owned());
            let body = body.or_else(|| file(rest, "--body-file")).unwrap_or_default();
            let (text, edits) = (format!("{title}\n\n{body}"), *verb == "edit");
            // An edit of the labels says nothing.
            let is_told = is_known(&text) && !(edits && (title.is_empty() || body.is_empty()));
            let kind = if *what == "pr" { TitledKind::PullRequest } else { TitledKind::Issue };
            is_told.then_some(Effect::Write(kind, text, edits))
        }
        _ => None,
    }
}

/// The words of git's own command behind its options.
fn without_options<'w>(mut words: &'w [&'w str]) -> &'w [&'w str] {
    loop {
        words = match words {
            ["-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace", _, rest @ ..] => rest,
            [option, rest @ ..] if option.starts_with('-') => rest,
            _ => return words,
        };
    }
}

fn operands<'w>(words: &[&'w str]) -> impl Iterator<Item = &'w str> {
    words.iter().copied().filter(|word| !word.starts_with('-'))
}

/// The values of an option, by its long names and its letter: `--title x`, `--title=x`, `-t x`, `-tx`.
fn values<'w>(words: &[&'w str], long: &str, letter: char) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        // `-qam`: flags that take no value come first.
        let is_flags = |flags: &str| flags.chars().all(|flag| "aqvsen".contains(flag));
        let short = || word.strip_prefix('-')?.split_once(letter).filter(|(flags, _)| is_flags(flags));
        if *word == long || short().is_some_and(|(_, value)| value.is_empty()) {
            found.extend(words.next());
        } else {
            let value = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            found.extend(value.or_else(|| Some(short()?.1)));
        }
    }
    found
}

/// `git reset HEAD~2` takes back two commits; to another place, all of them.
fn reset(words: &[&str]) -> Option<Effect> {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let steps = steps_back(operands(words).next().filter(|_| !has(&["--", "-p", "--patch"]))?);
    let moves = has(&["--hard", "--soft", "--mixed", "--keep", "--merge"]);
    let is_meant = if steps.is_some() { operands(words).count() == 1 } else { moves };
    is_meant.then(|| Effect::Drop(steps.unwrap_or(usize::MAX), 0))
}

/// Whether a text has a title that is not the shell's to make.
fn is_known(text: &str) -> bool {
    let title = text.trim().lines().next().unwrap_or_default();
    !(title.is_empty() || title.starts_with('$') || title.contains('…') && title.chars().count() < 8)
}

/// How many commits before the last a name is; None where it says no number.
fn steps_back(name: &str) -> Option<usize> {
    let rest = name.strip_prefix("HEAD").or_else(|| name.strip_prefix('@'))?;
    match rest.strip_prefix('~') {
        Some("") => Some(1),
        Some(count) => count.parse().ok(),
        None => rest.chars().all(|c| c == '^').then_some(rest.len()),
    }
}
