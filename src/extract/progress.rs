//! Where a session stands: what a person would tell who hands the work over, read from its records
//! without a model. One line a point, within a bound: the lists first, for they are short, then the
//! agent's last words, as much of them as fits.

use super::commits::commit_title;
use super::open_items;
use crate::agent::transcript::End;
use crate::base::text;
use crate::record::message::{Message, Role, ToolUse};
use crate::redact::Redactor;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// Characters of all points together. A start has 1,500, its own first line included.
const ALL_CHARS: usize = 1250;
/// Characters of the goal: its head, its end.
const GOAL: (usize, usize) = (250, 130);
/// Characters of the request before the goal, and the goal that is so short that it needs it.
const BEFORE_CHARS: usize = 160;
const SHORT_GOAL: usize = 60;
/// Characters of a prompt that only goes on, of a point of a list, of a title, of a command.
const PROMPT_CHARS: usize = 80;
const POINT_CHARS: usize = 80;
const TITLE_CHARS: usize = 90;
const COMMAND_CHARS: usize = 50;
/// How many of each are named.
const CHANGED: usize = 8;
const FILES: usize = 10;
const COMMANDS: usize = 6;
const COMMITS: usize = 2;
const UNFINISHED: usize = 6;
/// The share of the last answer that its head gets, in percent: its end says what comes next.
const HEAD_PERCENT: usize = 25;
/// Characters of what was said before the last answer, each time, and the least that says something.
const SAID_CHARS: usize = 160;
const LEAST_CHARS: usize = 40;
/// Messages from the end that are looked at for what was said.
const SAID: usize = 40;

/// The words of prompts that ask for nothing new: to go on, to commit, to thank.
const GOING_ON: &[&str] = &[
    "please", "ok", "okay", "yes", "yep", "yeah", "sure", "no", "and", "then", "now", "just", "it", "this", "that",
    "all", "them", "do", "go", "on", "ahead", "continue", "proceed", "carry", "keep", "going", "commit", "commits",
    "push", "merge", "amend", "rebase", "retry", "try", "again", "next", "thanks", "thank", "you", "great", "good",
    "perfect", "nice", "lgtm", "looks", "to", "me", "the", "staged", "changes", "change", "everything", "still",
    "there", "sí", "si", "dale", "sigue", "continúa", "continua", "adelante", "hazlo", "vale", "listo", "gracias",
    "perfecto", "sube", "ahora", "y", "lo",
];

/// The first words of a command that tells nothing.
const DULL: &[&str] = &[
    "cd", "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "echo", "printf", "sed", "awk", "wc", "sort",
    "uniq", "git", "pwd", "mkdir", "rm", "cp", "mv", "touch", "chmod", "which", "test", "[", "cut", "sleep", "true",
    "false", "export", "source", "set", "kill", "ps", "diff", "tree", "stat", "date", "curl", "jq", "xargs", "tee",
    "for", "do", "done", "if", "then", "else", "fi", "while", "read", "env",
];
/// What comes before the command that is meant.
const RUNNERS: &[&str] = &["do", "then", "else", "sudo", "time", "timeout", "command", "nice", "exec"];

/// The points, masked, each of one line; none when nobody typed anything.
pub fn points(messages: &[Message], end: &End, cwd: &Path, redactor: &Redactor) -> Vec<String> {
    let live: Vec<&Message> =
        messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain).collect();
    let shown = |message: &Message| {
        let mut message = message.clone();
        message.show(redactor);
        words(&message.text)
    };
    let typed = |message: &&&Message| message.role == Role::User && message.is_conversation();
    let Some(last) = live.iter().rev().find(typed) else { return Vec::new() };
    let mut points = Vec::new();
    let prompts: Vec<&&Message> = live.iter().filter(typed).collect();
    let mut requests = prompts.iter().rev().filter(|prompt| !asks_nothing(prompt));
    let goal = requests.next().copied().unwrap_or(last);
    let said = shown(goal);
    points.push(format!("Goal: {}", ends(&said, GOAL.0, GOAL.1)));
    if said.chars().count() < SHORT_GOAL
        && let Some(before) = requests.next()
    {
        points.push(format!("Asked before that: {}", ends(&shown(before), BEFORE_CHARS, 0)));
    }
    if goal.line != last.line {
        points.push(format!("The user's last words: {}", ends(&shown(last), PROMPT_CHARS, 0)));
    }
    let tools: Vec<&ToolUse> = live.iter().flat_map(|message| &message.tools).collect();
    let failed: HashSet<&str> = live
        .iter()
        .filter(|message| message.role == Role::Tool && message.is_error)
        .filter_map(|message| message.tool_use_id.as_deref())
        .collect();
    let joined = |label: &str, items: &[String]| format!("{label}: {}", items.join(", "));
    points.extend(unfinished(messages, redactor));
    let (changed, seen) = files(&tools, cwd, redactor);
    if !changed.is_empty() {
        points.push(joined("Changed last", &changed));
    }
    if !seen.is_empty() {
        points.push(joined("Also looked at", &seen));
    }
    let ran = commands(&tools, &failed, redactor);
    if !ran.is_empty() {
        points.push(joined("Ran last", &ran));
    }
    let commits = commits(&tools, &failed, redactor);
    if !commits.is_empty() {
        points.push(format!("Commits: {}", commits.join("; ")));
    }
    points.extend(end.pull_request.iter().map(|url| format!("Pull request: {}", redactor.shown(url))));
    points.extend(end.recap.iter().map(|recap| format!("Recap: {}", ends(&words(&redactor.shown(recap)), 300, 0))));
    points.extend(how_it_ended(&live, end));
    let used: usize = points.iter().map(|point| point.chars().count() + 3).sum();
    points.extend(last_words(&live, ALL_CHARS.saturating_sub(used), shown));
    points
}

/// Whether a person asked for something.
pub fn has_request(messages: &[Message]) -> bool {
    let mut typed = messages.iter().filter(|message| message.role == Role::User && message.is_conversation());
    typed.any(|message| !message.marks.abandoned && !asks_nothing(message))
}

/// The agent's last answer, and what it said before where room is left.
fn last_words(live: &[&Message], room: usize, shown: impl Fn(&Message) -> String) -> Vec<String> {
    const LAST: &str = "Last answer: ";
    const BEFORE: &str = "Said before: ";
    let says = live.iter().rev().filter(|message| message.role == Role::Assistant && message.is_conversation());
    let mut says = says.take(SAID).map(|message| shown(message)).filter(|text| !text.is_empty());
    let Some(last) = says.next() else { return Vec::new() };
    let room = room.saturating_sub(LAST.len()).max(LEAST_CHARS);
    let head = room * HEAD_PERCENT / 100;
    let last = ends(&last, head, room.saturating_sub(head)).into_owned();
    let mut left = room.saturating_sub(last.chars().count() + BEFORE.len());
    let mut points = vec![format!("{LAST}{last}")];
    let mut before = Vec::new();
    for said in says {
        if left < LEAST_CHARS {
            break;
        }
        let said = ends(&said, left.min(SAID_CHARS), 0).into_owned();
        left = left.saturating_sub(said.chars().count() + 3);
        before.push(said);
    }
    if !before.is_empty() {
        before.reverse();
        points.push(format!("{BEFORE}{}", before.join(" / ")));
    }
    points
}

/// In words whether the last turn came to its end; nothing where it did.
fn how_it_ended(live: &[&Message], end: &End) -> Option<String> {
    let last = live.iter().rev().find(|message| message.role != Role::Tool && !message.marks.meta)?;
    let how = if end.interrupted {
        "the user interrupted the last turn"
    } else if last.role == Role::User {
        "the last words of the user were not answered"
    } else if !last.tools.is_empty() {
        "in the middle of a turn: the agent was still working"
    } else {
        return None;
    };
    Some(format!("Ended: {how}"))
}

/// What of the agent's own list is not done.
fn unfinished(messages: &[Message], redactor: &Redactor) -> Option<String> {
    let (list, _) = open_items::todos(messages)?;
    let done = list.iter().filter(|todo| todo.done).count();
    let left: Vec<String> = list
        .iter()
        .filter(|todo| !todo.done && !todo.text.is_empty())
        .take(UNFINISHED)
        .map(|todo| ends(&words(&redactor.shown(&todo.text)), POINT_CHARS, 0).into_owned())
        .collect();
    (!left.is_empty()).then(|| format!("Of its list {done} of {} are done, to do: {}", list.len(), left.join("; ")))
}

/// The files that were changed last, and those that were named last besides, the newest first.
fn files(tools: &[&ToolUse], cwd: &Path, redactor: &Redactor) -> (Vec<String>, Vec<String>) {
    let name = |path: &str| short_path(&redactor.shown(path), cwd);
    let edits = tools.iter().rev().filter(|tool| tool.edits()).filter_map(|tool| tool.file.clone());
    let changed = newest(edits, &name, &[], CHANGED);
    let named = tools.iter().rev().flat_map(|tool| {
        let shell = tool.command().map(in_command).unwrap_or_default();
        tool.file.iter().cloned().chain(shell).collect::<Vec<_>>()
    });
    let seen = newest(named, &name, &changed, FILES.saturating_sub(changed.len()));
    (changed, seen)
}

/// The names of the first paths, each once, without those that are known. To mask a path takes longer than all the
/// rest here, so each is named once.
fn newest(
    paths: impl Iterator<Item = String>,
    name: impl Fn(&str) -> String,
    known: &[String],
    most: usize,
) -> Vec<String> {
    let (mut found, mut seen): (Vec<String>, HashSet<String>) = (Vec::new(), HashSet::new());
    for path in paths {
        if found.len() >= most {
            break;
        }
        if !seen.contains(&path) {
            let name = name(&path);
            seen.insert(path);
            if !found.contains(&name) && !known.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// The words of a command line that name files: those with an end.
fn in_command(command: &str) -> Vec<String> {
    let words = command.split(|c: char| c.is_whitespace() || "'\"`;|&()<>=,:".contains(c));
    words.filter(|word| is_file(word)).map(str::to_owned).collect()
}

fn is_file(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "go", "rs", "py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "json", "jsonl", "yaml", "yml", "toml", "md", "mdx",
        "txt", "sh", "cs", "csproj", "sln", "java", "kt", "kts", "gradle", "ex", "exs", "dart", "html", "css", "scss",
        "sql", "xml", "lock", "mod", "cfg", "ini", "proto", "vue", "svelte", "rb", "php", "cpp", "c", "h", "hpp",
        "swift", "tf",
    ];
    let plain = word.chars().all(|c| c.is_alphanumeric() || "_./@+-[]".contains(c));
    let stem = word.rsplit_once('.').filter(|(_, end)| ENDINGS.contains(end)).map(|(stem, _)| stem);
    plain && !word.starts_with("//") && stem.is_some_and(|stem| stem.chars().any(char::is_alphanumeric))
}

/// A path below the folder as seen from there, its last two parts of a long one.
fn short_path(path: &str, cwd: &Path) -> String {
    const LONG: usize = 32;
    let below = Path::new(path).strip_prefix(cwd).ok().and_then(Path::to_str).unwrap_or(path);
    if below.chars().count() <= LONG && !below.starts_with('/') {
        return below.to_owned();
    }
    let mut parts = below.rsplit('/').take(2).collect::<Vec<_>>();
    parts.reverse();
    parts.join("/")
}

/// The commands that ran last, the newest first, each kind once, and which of them failed.
fn commands(tools: &[&ToolUse], failed: &HashSet<&str>, redactor: &Redactor) -> Vec<String> {
    let (mut kinds, mut found): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for tool in tools.iter().rev() {
        let Some(command) = tool.command() else { continue };
        let shown = redactor.shown(command);
        let parts = parts(&shown);
        let last = parts.len();
        // What failed is the command line; its last part is what ended it.
        for (at, part) in parts.into_iter().enumerate() {
            let kind =
                part.split_whitespace().filter(|word| !word.starts_with('-')).take(2).collect::<Vec<_>>().join(" ");
            if kinds.contains(&kind) {
                continue;
            }
            kinds.push(kind);
            let how = if failed.contains(tool.id.as_str()) && at + 1 == last { " (failed)" } else { "" };
            found.push(format!("`{}`{how}", text::cut(&part, COMMAND_CHARS)));
            if found.len() >= COMMANDS {
                return found;
            }
        }
    }
    found
}

/// A command line with "…" for what is quoted, and without what is written to its standard input.
fn bare(command: &str) -> String {
    let mut out = String::new();
    let mut letters = command.split("<<").next().unwrap_or(command).chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => _ = letters.next(),
            '"' | '\'' => {
                let mut before = letter;
                out.push('…');
                for inner in letters.by_ref() {
                    if inner == letter && !(letter == '"' && before == '\\') {
                        break;
                    }
                    before = inner;
                }
            }
            _ => out.push(letter),
        }
    }
    out
}

/// The commands of a line that tell something.
fn parts(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in bare(command).split(['|', ';', '&', '\n', '(', ')']) {
        let words = part.split_whitespace().filter(|word| !word.starts_with(['>', '<']) && !word.contains('>'));
        let words: Vec<&str> = words
            .skip_while(|word| {
                RUNNERS.contains(word) || word.contains('=') || word.chars().all(|c| c.is_ascii_digit() || c == 's')
            })
            .collect();
        let Some(first) = words.first() else { continue };
        let plain = first.chars().all(|c| c.is_alphanumeric() || "_./~-".contains(c)) && !first.starts_with('-');
        if plain && !DULL.contains(first) {
            found.push(words.join(" "));
        }
    }
    found
}

/// The titles of the commits that were made last, in their order.
fn commits(tools: &[&ToolUse], failed: &HashSet<&str>, redactor: &Redactor) -> Vec<String> {
    let made = tools.iter().filter(|tool| !failed.contains(tool.id.as_str()));
    let titles = made.filter_map(|tool| commit_title(tool.command()?));
    let mut titles: Vec<String> =
        titles.map(|title| text::cut(&redactor.shown(&title), TITLE_CHARS).into_owned()).collect();
    titles.split_off(titles.len().saturating_sub(COMMITS))
}

/// A text as prose on one line: without code blocks, headings' signs and bold ones.
fn words(text: &str) -> String {
    let mut code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            lines.push(line.trim().trim_start_matches('#'));
        }
    }
    // Where a block is not closed it is not known what is code.
    let text = if code { Cow::Borrowed(text) } else { Cow::Owned(lines.join(" ")) };
    let text = text.replace("**", "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The head and the end of a text, cut at blanks.
fn ends(text: &str, head: usize, tail: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= head + tail + 5 {
        return Cow::Borrowed(text);
    }
    let start = text::cut_at_blank(text, head).trim_end();
    if tail == 0 {
        return Cow::Owned(format!("{start} …"));
    }
    let end: String = text.chars().skip(count - tail).collect();
    let end = end.split_once(' ').map_or(end.as_str(), |(_, whole)| whole);
    Cow::Owned(format!("{start} […] {end}"))
}

/// Whether a prompt asks for nothing new.
fn asks_nothing(prompt: &Message) -> bool {
    goes_on(&words(&prompt.text)) || open_items::closes(prompt)
}

/// Whether a prompt only tells the agent to go on: a letter or a number alone chooses what was offered.
fn goes_on(prompt: &str) -> bool {
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| {
        word.chars().count() == 1
            || word.chars().all(|c| c.is_ascii_digit())
            || GOING_ON.contains(&word.to_lowercase().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_only_goes_on_is_no_goal() {
        for prompt in ["Continue.", "yes", "ok, commit and push it", "2", "b", "sí, dale", "go ahead please!"] {
            assert!(goes_on(prompt), "{prompt}");
        }
        for prompt in ["fix it", "continue with the importer", "no, use tabs", "commit the README alone", "por qué"] {
            assert!(!goes_on(prompt), "{prompt}");
        }
    }

    #[test]
    fn of_a_command_line_what_tells_something_is_left() {
        let told = |command: &str| parts(command).join(" | ");
        assert_eq!(told("cd /x && cargo test --quiet 2>&1 | tail -3"), "cargo test --quiet");
        assert_eq!(told("FOO=1 timeout 60 npm run build; echo \"a && b\""), "npm run build");
        assert_eq!(told("python3 - <<'E'\nimport os\nE"), "python3 -");
        assert_eq!(told("gh pr create --title 'x; y' --body \"z | w\""), "gh pr create --title … --body …");
        assert_eq!(told("for f in *.rs; do rustfmt $f; done"), "rustfmt $f");
        assert_eq!(told("git status && ls"), "");
    }

    #[test]
    fn words_that_name_files_are_found_in_a_command() {
        assert_eq!(
            in_command("wc -l src/a.rs 'b c.md' >out.txt && v1.2.3 e.g. https://x.y/z.html").join(" "),
            "src/a.rs c.md out.txt"
        );
    }
}
