//! The files that a session worked on last, by their names.

use crate::agent::layout;
use crate::base::shell;
use crate::extract::checks;
use crate::extract::reported_speech::{self, NAME_WORDS};
use crate::extract::uses::Use;
use crate::record::message::{Action, Boxes};
use crate::redact::Redactor;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How many are named: of those that were changed where others were named, too; and of all.
const CHANGED: usize = 8;
const FILES: usize = 10;
/// Paths of each kind that are looked at.
const LOOKED_AT: usize = 16;

/// Folders for temporary files.
const SCRATCH: [&str; 5] = ["/tmp", "/private/tmp", "/var/tmp", "/var/folders", "/private/var/folders"];
/// A part of the paths of Windows' temporary files.
const SCRATCH_OF_WINDOWS: &str = "/AppData/Local/Temp/";
/// What stands before the last parts of a long path.
const LEFT_OUT: &str = "…/";
/// The most characters of a name.
const NAME_CHARS: usize = 80;

/// What the commits behind an edit took.
#[derive(Default)]
struct Committed {
    any: bool,
    /// All that was changed; else the files and folders of these names.
    all: bool,
    names: Vec<String>,
    /// No command before the last commit that was met says what it took.
    is_open: bool,
}

impl Committed {
    /// Adds a command's part in commits, the last command first.
    fn add(&mut self, command: &shell::Command) {
        let words: Vec<&str> = command.meant().iter().map(|word| word.text.as_str()).collect();
        match &words[..] {
            ["git", "commit", options @ ..] => {
                self.all |= self.is_open;
                (self.is_open, self.any) = (true, true);
                // "-am words": behind the m is what the commit says.
                let takes_all = |option: &&str| {
                    let letters = option.split('m').next().is_some_and(|letters| letters.contains('a'));
                    *option == "--all" || letters && option.starts_with('-') && !option.starts_with("--")
                };
                self.all |= options.iter().any(takes_all);
            }
            ["git", "add", names @ ..] if self.any => {
                self.is_open = false;
                self.all |= names.iter().any(|name| ["-A", "--all", "-u", "."].contains(name));
                self.names
                    .extend(names.iter().map(|name| name.trim_start_matches("./").trim_end_matches('/').to_owned()));
            }
            _ => {}
        }
    }

    fn has(&self, path: &str, folder: &Path) -> bool {
        let is_named = |name: &String| is_same(name, path) || is_below(below(path, folder), name);
        self.all || self.is_open || self.names.iter().any(is_named)
    }
}

/// The files that were changed last, behind the last commit and before it, and those that were named last besides, the newest
/// first. What was removed is in no list, and what was put back is not among the changed ones.
pub(super) fn last(used: &[Use<'_>], cwd: &Path, redactor: &Redactor) -> [Vec<String>; 3] {
    let [mut edits, mut named, mut gone] = [const { Vec::<String>::new() }; 3];
    let (mut commits, mut uncommitted) = (Committed::default(), HashSet::new());
    let plain = |path: &str| with_slashes(path, &cwd.to_string_lossy());
    let folder = plain(&cwd.to_string_lossy());
    let folder = Path::new(&folder);
    let back = put_back(used);
    for used in used.iter().rev() {
        let commands = used.command().map(shell::commands).unwrap_or_default();
        if used.error.is_some() && (used.file().is_some() || commands.iter().all(checks::looks)) {
            continue;
        }
        if used.is_done() {
            commands.iter().rev().for_each(|command| commits.add(command));
        }
        gone.extend(commands.iter().flat_map(taken_away));
        let is_there = |path: &String| {
            let is_gone =
                |gone: &String| is_same(gone, path) || is_below(path, gone) || is_below(below(path, folder), gone);
            is_name(path) && !is_scratch(path, folder) && !gone.iter().any(is_gone)
        };
        let is_changed = used.tool.edits() && used.file().is_some_and(|file| !back.contains(file));
        let changed = if is_changed { &mut edits } else { &mut named };
        let file = used.file().map(plain).filter(is_there);
        uncommitted.extend(file.clone().filter(|file| is_changed && !commits.has(file, folder)));
        changed.extend(file);
        named.extend(named_in(&commands).iter().map(|path| plain(path)).filter(is_there));
    }
    let edited: HashSet<&String> = edits.iter().collect();
    named.retain(|path| !edited.contains(path));
    let (edits, named) = (newest(edits.into_iter()), newest(named.into_iter()));
    let first_named = edits.len();
    let all: Vec<String> = edits.into_iter().chain(named).collect();
    let [mut changed, mut committed, mut seen] = [const { Vec::<String>::new() }; 3];
    for (at, name) in shown(&all, redactor).iter().map(|path| told_path(path, folder)).enumerate() {
        if changed.iter().chain(&committed).chain(&seen).any(|known| is_same(known, &name)) {
            continue;
        }
        if at < first_named {
            if uncommitted.contains(&all[at]) { &mut changed } else { &mut committed }.push(name);
        } else if !is_absolute(&name) && (changed.len() + committed.len()).min(CHANGED) + seen.len() < FILES {
            seen.push(name);
        }
    }
    changed.truncate(FILES - seen.len());
    committed.truncate(FILES - seen.len() - changed.len());
    [changed, committed, seen].map(|names| names.iter().map(|name| reported_speech::short_path(name)).collect())
}

/// Of the last of these paths, each once, how they are told.
pub(super) fn names(paths: Vec<String>, cwd: &Path, redactor: &Redactor) -> Vec<String> {
    let cwd = cwd.to_string_lossy();
    let paths = paths.into_iter().rev().map(|path| with_slashes(&path, &cwd)).filter(|path| is_name(path));
    let folder = with_slashes(&cwd, &cwd);
    let masked = shown(&newest(paths), redactor);
    let told = |path: &String| reported_speech::short_path(&told_path(path, Path::new(&folder)));
    masked.iter().take(CHANGED).map(told).collect()
}

/// The files in which later edits put back all that earlier ones changed.
fn put_back<'m>(used: &[Use<'m>]) -> HashSet<&'m str> {
    // Of each file the parts that differ from before, by what they are now; and whether all of it was written.
    let mut changed: HashMap<&str, (HashMap<u64, Vec<u64>>, bool)> = HashMap::new();
    for used in used.iter().filter(|used| used.tool.edits() && used.is_done()) {
        let Some(file) = used.file() else { continue };
        let (parts, whole) = changed.entry(file).or_default();
        match &used.tool.action {
            Action::Edit(Boxes { part: Some((from, to)), .. }) => {
                let first = parts.get_mut(from).and_then(Vec::pop).unwrap_or(*from);
                if first != *to {
                    parts.entry(*to).or_default().push(first);
                }
            }
            _ => *whole = true,
        }
    }
    changed.retain(|_, (parts, whole)| !*whole && parts.values().all(Vec::is_empty));
    changed.into_keys().collect()
}

/// A path of Windows with the slashes of others; of a session on Windows also one as its shells write it.
pub(super) fn with_slashes(path: &str, cwd: &str) -> String {
    let of_disk = |path: &str| path.get(1..2) == Some(":");
    match path.as_bytes() {
        [b'/', disk, b'/', ..] if of_disk(cwd) => format!("{}:{}", char::from(disk.to_ascii_uppercase()), &path[2..]),
        _ if of_disk(path) => path.replace('\\', "/"),
        _ => path.to_owned(),
    }
}

/// Whether a path is not of the work: in a folder for temporary files, or the client's, and not in the project.
pub(super) fn is_scratch(path: &str, cwd: &Path) -> bool {
    let apart = path.contains(SCRATCH_OF_WINDOWS) || layout::is_of_client(path);
    let path = Path::new(path);
    let is_for_the_moment = |path: &Path| SCRATCH.iter().any(|folder| path.starts_with(folder));
    // Where the work itself is in such a folder, the others in it can be of the work, too.
    apart && !path.starts_with(cwd) || is_for_the_moment(path) && !is_for_the_moment(cwd)
}

/// The files that commands are given, as seen from the folder of the session: `cd src && sed 1d a.txt` reads src/a.txt.
fn named_in(commands: &[shell::Command]) -> Vec<String> {
    let (mut found, mut folder) = (Vec::new(), String::new());
    for command in commands.iter().filter(|command| command.behind != shell::Behind::Or && !command.perhaps) {
        match command.meant() {
            [program, ..] if program.text == "cd" => match entered(&folder, command) {
                Some(next) => folder = next,
                None => break,
            },
            // What is removed is added, too, for the commit.
            [program, verb, ..] if program.text == "git" && verb.text == "add" => {}
            _ if takes_away(command) => {}
            _ => found.extend(operands(command).into_iter().map(|path| joined(&folder, path))),
        }
    }
    found
}

/// The folder that a command changes to; None if it changes to none, or where only the shell knows it.
fn entered(folder: &str, command: &shell::Command) -> Option<String> {
    let [program, to, ..] = command.meant() else { return None };
    let is_known = !to.text.starts_with(['-', '~']) && !to.text.contains(['$', '…']) && !to.text.contains("..");
    (program.text == "cd" && is_known).then(|| joined(folder, &to.text))
}

/// Where a command runs that stands behind these: "" in the folder of the session, a path from there below it; None where
/// only the shell knows it.
pub fn place_of(before: &[shell::Command], cwd: &Path) -> Option<String> {
    let moves = |command: &&shell::Command| command.meant().first().is_some_and(|program| program.text == "cd");
    let folder = before.iter().filter(moves).try_fold(String::new(), |folder, command| entered(&folder, command))?;
    let cwd = cwd.to_string_lossy();
    let folder = with_slashes(&folder, &cwd);
    Some(below(folder.trim_end_matches('/'), Path::new(&with_slashes(&cwd, &cwd))).to_owned())
}

fn joined(folder: &str, path: &str) -> String {
    match folder.trim_end_matches('/') {
        "" => path.to_owned(),
        _ if is_absolute(path) => path.to_owned(),
        folder => format!("{folder}/{path}"),
    }
}

/// Whether a path says the whole way, of a Windows disk too.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

/// The files that a command is given: no words that it only prints or looks for.
fn operands(command: &shell::Command) -> Vec<&str> {
    let [program, arguments @ ..] = command.meant() else { return Vec::new() };
    if checks::is_listed("printing", program.name()) {
        return Vec::new();
    }
    let patterns = usize::from(matches!(program.name(), "sed" | "awk"));
    let words = arguments.iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-')).skip(patterns);
    words.map(|word| word.trim_start_matches("./")).filter(|word| is_file(word)).collect()
}

/// What a command takes away, or the changes of it: files, and of `rm` folders, too.
fn taken_away(command: &shell::Command) -> Vec<String> {
    let words: Vec<&str> = command.meant().iter().map(|word| word.text.as_str()).collect();
    let names = match &words[..] {
        // What is moved is not where it was.
        ["rm", names @ ..] | ["git", "rm", names @ ..] | ["mv", names @ .., _] | ["git", "mv", names @ .., _] => {
            names.iter().copied().filter(|name| !name.starts_with('-')).collect()
        }
        _ if takes_away(command) => operands(command),
        _ => Vec::new(),
    };
    names.iter().map(|name| name.trim_start_matches("./").trim_end_matches('/').to_owned()).collect()
}

/// Whether a command takes files away, or their changes.
fn takes_away(command: &shell::Command) -> bool {
    checks::does(command, "taking-away")
}

/// Whether a command changes files, as far as its words say it.
pub fn changes(command: &shell::Command) -> bool {
    let has = |option: &str| command.meant().iter().any(|word| word.text.starts_with(option));
    match command.meant() {
        [program, ..] if matches!(&*program.text, "sed" | "perl") => has("-i"),
        [_, verb, ..] if verb.text == "checkout" && has("-b") => false,
        _ => checks::does(command, "changing"),
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    !folder.is_empty() && path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether two paths are of one file, as far as both say it.
fn is_same(one: &str, other: &str) -> bool {
    let ends =
        |long: &str, end: &str| long.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    ends(one, other) || ends(other, one)
}

/// Whether no part of a path is a sentence that another author can have written.
pub fn is_name(path: &str) -> bool {
    path.split('/').all(|part| {
        let words: Vec<&str> = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let is_article = |word: &&str| checks::is_listed("articles", &word.to_lowercase());
        let order =
            words.len() > NAME_WORDS && words.iter().any(is_article) || reported_speech::is_order_in_a_name(part);
        let is_short = part.split_whitespace().count() <= NAME_WORDS && part.chars().count() <= NAME_CHARS;
        is_short && !part.contains(char::is_control) && !order
    })
}

/// The first paths, each once.
fn newest(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    paths.filter(|path| seen.insert(path.clone())).take(LOOKED_AT).collect()
}

/// The paths, masked: all at once, for that takes longer than all the rest here.
fn shown(paths: &[String], redactor: &Redactor) -> Vec<String> {
    let mut masked = paths.to_vec();
    redactor.show_lines(&mut masked);
    // What is taken for one secret of many lines is none.
    if masked.len() == paths.len() {
        masked
    } else {
        paths.iter().map(|path| redactor.shown(path).into_owned()).collect()
    }
}

/// The words of a text that name files: those with an end.
pub fn in_text(command: &str) -> Vec<String> {
    let words = command.split(|c: char| c.is_whitespace() || "'\"`;|&()<>=,:".contains(c));
    words.filter(|word| is_file(word)).map(str::to_owned).collect()
}

fn is_file(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_alphanumeric() || "_./@+-[]".contains(c));
    let stem = word.rsplit_once('.').filter(|(_, end)| checks::is_listed("endings", end)).map(|(stem, _)| stem);
    plain && !word.starts_with("//") && stem.is_some_and(|stem| stem.chars().any(char::is_alphanumeric))
}

/// A path as seen from a folder; the folder itself is "".
pub fn below<'p>(path: &'p str, folder: &Path) -> &'p str {
    Path::new(path).strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or(path)
}

/// A path below the folder as seen from there, of a long one the last two parts behind a mark; one that is elsewhere
/// begins with a slash all the same.
pub fn told_path(path: &str, cwd: &Path) -> String {
    const LONG: usize = 32;
    let below = below(path, cwd);
    let elsewhere = if below.starts_with('/') { "/" } else { "" };
    let mut parts = below.rsplit('/').take(2).collect::<Vec<_>>();
    parts.reverse();
    let last = parts.join("/");
    if below.chars().count() <= LONG || last == below {
        below.to_owned()
    } else {
        format!("{elsewhere}{LEFT_OUT}{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use crate::record::message::ToolUse;

    #[test]
    fn files_are_told_from_words_in_paths_command_lines_and_texts() {
        for [what, text, wanted] in rows(include_str!("files.tsv")) {
            let found = match what.as_str() {
                "is a name" => is_name(&text).to_string(),
                "command" => named_in(&shell::commands(&text)).join(" "),
                _ => in_text(&text).join(" "),
            };
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn what_was_taken_back_or_is_not_the_projects_is_no_file_at_hand() {
        let run = |line: &str| ToolUse { action: Action::Run(line.to_owned()), ..ToolUse::default() };
        let edit = |path: &str| ToolUse {
            file: Some(path.to_owned()),
            action: Action::Edit(Boxes::default()),
            ..ToolUse::default()
        };
        let missed = ToolUse { id: "m".to_owned(), file: Some("/p/gone.md".to_owned()), ..ToolUse::default() };
        let tools = [
            edit("/p/a.rs"),
            edit("/p/b.rs"),
            edit("/p/c.rs"),
            edit(r"C:\Users\me\Source Code\Some Long Project\of that name\App\d.cs"),
            run("cat d.rs /tmp/x.md"),
            run("cd /tmp && cat y.md"),
            edit("/tmp/note.md"),
            edit("/home/me/.claude/plans/a-plan.md"),
            missed,
        ];
        let more = [
            edit("/p/old/sub/e.rs"),
            run("git status && rm -rf old/ ./"),
            run("rm -f ./a.rs"),
            run("git checkout b.rs && git diff"),
            run("wc -l tmp/x.go; rm tmp/x.go"),
            edit("/p/b.rs"),
        ];
        let message = crate::extract::tests::talk("A: x").remove(0);
        let error = |tool: &ToolUse| (tool.id == "m").then_some("File does not exist.");
        let of = |tool| Use { message: &message, tool, error: error(tool), refused: false };
        let all: Vec<Use<'_>> = tools.iter().chain(&more).map(of).collect();
        let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
        let [changed, _, seen] = last(&all, Path::new("/p"), &redactor);
        assert_eq!(with_slashes("/c/p/a.rs", r"C:\p"), "C:/p/a.rs");
        assert_eq!((changed.join(" "), seen.join(" ")), ("b.rs …/App/d.cs c.rs".to_owned(), "d.rs".to_owned()));
    }
}
