//! The pages and the README: their examples are shell sessions that must print what the text says, and so are
//! those of tests/examples.md. Each page begins and ends as a reader needs it, in plain words.

use crate::home::{Home, binary, tools};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The session that all examples read.
const SAMPLE: &str = "scripts/sample/linkcheck.jsonl";
const SESSION: &str = "5e0c1a7e-3f2b-4c55-9d1e-7a6b8c9d0e1f";
/// When the examples are typed, forty minutes after the session ended.
const NOW: &str = "2026-04-13T10:00:00Z";
/// The home that the pages print: the sample's own.
const SHOWN_HOME: &str = "/home/dev";

/// The commands of a block, each with the lines that it prints.
type Block = Vec<(String, String)>;

/// The blocks of a page's EXAMPLES.
fn blocks(page: &str) -> Vec<Block> {
    let examples = page.split(".Sh EXAMPLES").nth(1).unwrap_or_default().split("\n.Sh ").next().unwrap_or_default();
    let texts =
        examples.split(".Bd -literal").skip(1).filter_map(|text| text.split_once('\n')?.1.split("\n.Ed").next());
    // In a page, a backslash is written `\e`; a bare one would begin an escape of the page's own.
    texts.map(|text| block(&text.replace("\\e", "\\"))).filter(|block| !block.is_empty()).collect()
}

fn block(text: &str) -> Block {
    let mut block = Block::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), block.last_mut()) {
            (Some(command), _, _) => block.push((command.to_owned(), String::new())),
            (None, Some(more), Some((command, output))) if output.is_empty() => *command = format!("{command}\n{more}"),
            (None, _, Some((_, output))) => *output = format!("{output}{line}\n"),
            (None, _, None) => {}
        }
    }
    block
}

/// Runs a block in a home of its own, as lh(7) says: in the folder of a project, of which one session has
/// ended, with the loop on and without a model.
fn check_page(page: &str, block: &Block) {
    let home = Home::new();
    let folder = home.path("").canonicalize().unwrap().join("home");
    let project = folder.join("src/linkcheck");
    let slug: String =
        project.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    std::fs::create_dir_all(&project).unwrap();
    let sample = std::fs::read_to_string(root().join(SAMPLE)).unwrap();
    let sample = sample.replace(&format!("{SHOWN_HOME}/"), &format!("{}/", folder.display()));
    let transcript = home.write(&format!("home/.claude/projects/{slug}/{SESSION}.jsonl"), &sample);
    let ended = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_776_072_060);
    std::fs::File::options().append(true).open(transcript).unwrap().set_modified(ended).unwrap();
    let config = "[compound_loop]\nenabled = true\nengine = \"extract\"\n";
    home.write("home/.config/lazy-harness/config.toml", config);
    let shown = |text: &str| {
        let shown_slug = format!("{SHOWN_HOME}/src/linkcheck").replace('/', "-");
        text.replace(&slug, &shown_slug).replace(&*folder.to_string_lossy(), SHOWN_HOME)
    };
    check(page, block, &folder, &project, shown);
}

/// Runs a block as one shell session and compares what each command prints.
fn check(page: &str, block: &Block, home: &Path, folder: &Path, shown: impl Fn(&str) -> String) {
    let commands: Vec<&str> = block.iter().map(|(command, _)| command.as_str()).collect();
    let script = commands.join("\nprintf '\\001\\n'\n");
    let tools = binary("lh-gate").parent().unwrap().to_path_buf();
    let scripts = root().join("scripts");
    let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", tools.display(), scripts.display());
    let mut shell = Command::new("sh");
    shell.env_clear().envs([("PATH", path.as_str()), ("TZ", "UTC")]).env("LH_BIN", &tools);
    shell.env("HOME", home).env("LH_NOW", NOW).current_dir(folder).arg("-c").arg(format!("exec 2>&1\n{script}"));
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let printed = shown(&String::from_utf8_lossy(&output.stdout));
    let printed: Vec<&str> = printed.split("\u{1}\n").collect();
    for ((command, wanted), printed) in block.iter().zip(&printed) {
        assert_eq!(printed, wanted, "{page}: $ {command}");
    }
    assert_eq!(printed.len(), block.len(), "{page}: a command ended the shell: {script}");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Each page with its name.
fn pages() -> Vec<(String, String)> {
    let paths = std::fs::read_dir(root().join("man")).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

/// The blocks of commands in a text in markdown.
fn fenced(text: &str) -> Vec<Block> {
    text.split("```console\n").skip(1).filter_map(|text| text.split("\n```").next()).map(block).collect()
}

#[test]
fn the_examples_of_the_pages_print_what_they_say() {
    if without_jq() {
        return;
    }
    for (name, page) in pages() {
        let found = blocks(&page);
        for block in &found {
            check_page(&name, block);
        }
        let wanted = if name.ends_with(".1") { 3..=6 } else { 1..=6 };
        assert!(wanted.contains(&found.len()) || name == "lh-format.7", "{name} has {} recipes", found.len());
    }
}

#[test]
fn odd_input_edges_and_statuses_print_what_the_examples_say() {
    if without_jq() {
        return;
    }
    let text = std::fs::read_to_string(root().join("tests/examples.md")).unwrap();
    let found = fenced(&text);
    for block in &found {
        check_page("tests/examples.md", block);
    }
    assert!(found.len() > 15, "only {} examples were found", found.len());
}

#[test]
fn the_examples_of_the_readme_print_what_it_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let found = fenced(&readme);
    assert!(found.len() >= 3, "the README has its pipelines");
    if without_jq() {
        return;
    }
    // One home for all: a reader types one after the other.
    let home = Home::new();
    let folder = home.path("home");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(root().join(SAMPLE), folder.join("linkcheck.jsonl")).unwrap();
    for block in found {
        check("README.md", &block, &folder, &folder, str::to_owned);
    }
}

#[test]
fn a_script_that_a_page_names_is_there() {
    let mut named = 0;
    for (name, page) in pages() {
        let words = page.split(|c: char| c.is_whitespace() || "(),;".contains(c));
        let paths = words.filter(|word| word.starts_with("scripts/") || word.starts_with("tests/"));
        for path in paths.map(|path| path.trim_end_matches('.')) {
            assert!(root().join(path).exists(), "{name} names {path}");
            named += usize::from(path == "scripts/dev/try-request");
        }
    }
    assert_eq!(named, 1, "lh-distill(1) says how its figures are measured");
}

fn without_jq() -> bool {
    let missing = Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_err();
    if missing {
        let _ = writeln!(std::io::stderr(), "skipped: the examples want jq");
    }
    missing
}

#[test]
fn a_page_begins_with_a_paragraph_for_newcomers() {
    for (name, page) in pages() {
        let behind = page.split("\n.Sh DESCRIPTION\n").nth(1).unwrap_or_default();
        let paragraph: Vec<&str> =
            behind.lines().take_while(|line| !is_macro(line, &["Pp", "Bl", "Bd", "Ss", "Sh"])).collect();
        let sentences = paragraph.iter().filter(|line| line.ends_with('.')).count();
        assert!((2..=6).contains(&sentences), "{name}: DESCRIPTION begins with {sentences} sentences");
        assert!(paragraph.len() >= 3, "{name}: DESCRIPTION begins with {} lines", paragraph.len());
        assert!(name.ends_with(".7") || page.contains("\n.Sh EXAMPLES\n"), "{name} has no EXAMPLES");
    }
    for tool in tools() {
        assert!(root().join(format!("man/{tool}.1")).exists(), "no page for {tool}");
    }
}

fn is_macro(line: &str, names: &[&str]) -> bool {
    line.strip_prefix('.').is_some_and(|rest| names.iter().any(|name| rest.split(' ').next() == Some(name)))
}

/// Words that a reader must look up, or read twice.
const WORDS: &[&str] = &["whoever", "stands", "the one that", "of equals", "dear", "slip of the pen"];

/// The first of the words in a text, in its line; `is no X` too, unless it says that there is none.
fn odd_word(text: &str) -> Option<String> {
    let odd = |line: &&str| {
        let line = format!(" {} ", line.to_lowercase().replace(|c: char| !c.is_alphanumeric() && c != '\'', " "));
        let is_no = line.match_indices(" is no ").any(|(at, _)| {
            let (before, after) = line.split_at(at);
            !before.ends_with("there") && !after.starts_with(" is no longer ")
        });
        is_no || WORDS.iter().any(|word| line.contains(&format!(" {word} ")))
    };
    text.lines().find(odd).map(str::to_owned)
}

#[test]
fn pages_and_readme_use_plain_words() {
    assert!(["It is no file.", "Whoever it is", "of equals the newer"].iter().all(|text| odd_word(text).is_some()));
    assert_eq!(odd_word("There is no file, and it is no longer one that stand for it."), None);
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for (name, text) in pages().into_iter().chain([("README.md".to_owned(), readme)]) {
        // mdoc has quoted words on lines of their own; a sentence goes on there.
        let text = text.replace("\n.Ql ", " ").replace("\n.Cm ", " ");
        assert_eq!(odd_word(&text), None, "{name}");
    }
}

#[test]
fn a_quotation_is_closed_before_the_next_one() {
    let quotes = |line: &str| line.split(' ').filter(|word| ["Dq", "Ql", ".Dq", ".Ql"].contains(word)).count();
    for (name, page) in pages() {
        // A second one on a line would be inside the first.
        let nested = page.lines().find(|line| line.starts_with('.') && quotes(line) > 1);
        assert_eq!(nested, None, "{name}");
    }
}

#[test]
fn messages_use_plain_words() {
    let mut folders = vec![root().join("src"), root().join("bin"), root().join("scripts")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                // The sample has what people say.
                folders.extend((!path.ends_with("sample")).then_some(path));
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let text = if path.ends_with("tests.rs") { "" } else { &text };
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = text.lines().filter(|line| !line.trim_start().starts_with(['/', '#']));
            // What is between quotation marks and has a blank is a sentence.
            let literals = code.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(|text| text.contains(' '));
            literals.for_each(|text| assert_eq!(odd_word(text), None, "{}", path.display()));
        }
    }
}
