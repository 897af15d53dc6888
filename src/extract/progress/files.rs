//! The files that a session worked on last, by their names.

use crate::record::message::ToolUse;
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// How many are named: of those that were changed, and of all.
const CHANGED: usize = 8;
const FILES: usize = 10;

/// The files that were changed last, and those that were named last besides, the newest first.
pub fn last(tools: &[&ToolUse], cwd: &Path, redactor: &Redactor) -> (Vec<String>, Vec<String>) {
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
