//! The files that a session worked on last, by their names.

use crate::extract::hearsay;
use crate::record::message::ToolUse;
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// How many are named: of those that were changed, and of all.
const CHANGED: usize = 8;
const FILES: usize = 10;
/// Paths of each kind that are looked at.
const LOOKED_AT: usize = 16;

/// The most words and characters of a name.
const NAME_WORDS: usize = 4;
const NAME_CHARS: usize = 80;

/// The files that were changed last, and those that were named last besides, the newest first.
pub fn last(tools: &[&ToolUse], cwd: &Path, redactor: &Redactor) -> (Vec<String>, Vec<String>) {
    let edits = tools.iter().rev().filter(|tool| tool.edits()).filter_map(|tool| tool.file.clone());
    let named = tools.iter().rev().flat_map(|tool| {
        let shell = tool.command().map(in_command).unwrap_or_default();
        tool.file.iter().cloned().chain(shell).collect::<Vec<_>>()
    });
    let is_name = |path: &String| is_name(path);
    let (edits, named) = (newest(edits.filter(is_name)), newest(named.filter(is_name)));
    let first_named = edits.len();
    let masked = shown(edits.into_iter().chain(named).collect(), redactor);
    let (mut changed, mut seen): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (at, name) in masked.iter().map(|path| short_path(path, cwd)).enumerate() {
        let is_new = !changed.contains(&name) && !seen.contains(&name);
        if at < first_named && is_new && changed.len() < CHANGED {
            changed.push(name);
        } else if at >= first_named && is_new && changed.len().saturating_add(seen.len()) < FILES {
            seen.push(name);
        }
    }
    (changed, seen)
}

/// Whether no part of a path is a sentence that somebody else can have written.
pub fn is_name(path: &str) -> bool {
    path.split('/').all(|part| {
        let words: Vec<&str> = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let order = words.len() > NAME_WORDS && hearsay::is_standing(&words.join(" "));
        part.split_whitespace().count() <= NAME_WORDS && part.chars().count() <= NAME_CHARS && !order
    })
}

/// The first paths, each once.
fn newest(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    paths.filter(|path| seen.insert(path.clone())).take(LOOKED_AT).collect()
}

/// The paths, masked: all at once, for that takes longer than all the rest here.
fn shown(mut paths: Vec<String>, redactor: &Redactor) -> Vec<String> {
    let each = |paths: &[String]| paths.iter().map(|path| redactor.shown(path).into_owned()).collect();
    if paths.iter().any(|path| path.contains('\n')) {
        return each(&paths);
    }
    let known = paths.clone();
    redactor.show_lines(&mut paths);
    // What is taken for one secret of many lines is none.
    if paths.len() == known.len() { paths } else { each(&known) }
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

/// A path as seen from a folder; the folder itself is "".
pub fn below<'p>(path: &'p str, folder: &Path) -> &'p str {
    Path::new(path).strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or(path)
}

/// A path below the folder as seen from there, its last two parts of a long one.
fn short_path(path: &str, cwd: &Path) -> String {
    const LONG: usize = 32;
    let below = below(path, cwd);
    if below.chars().count() <= LONG && !below.starts_with('/') {
        return below.to_owned();
    }
    let mut parts = below.rsplit('/').take(2).collect::<Vec<_>>();
    parts.reverse();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_files_are_found_in_a_command() {
        assert_eq!(
            in_command("wc -l src/a.rs 'b c.md' >out.txt && v1.2.3 e.g. https://x.y/z.html").join(" "),
            "src/a.rs c.md out.txt"
        );
    }
}
