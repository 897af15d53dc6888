//! The examples of the pages and of the README are transcripts: each block is run in an empty home
//! and must print what the page says. `$T` is a copy of a real transcript.

use crate::home::{Home, binary};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The README's examples read the project's own sample.
const SAMPLE: &str = "scripts/sample/linkcheck.jsonl";
const TRANSCRIPT: &str = "real-client/projects/-home-dev-src-proj-one/a509bcc3-b1f2-4f61-8531-e325b34623d1.jsonl";

/// The commands of a block, each with the lines that it prints.
type Block = Vec<(String, String)>;

/// The blocks of a page's EXAMPLES.
fn blocks(page: &str) -> Vec<Block> {
    let examples = page.split(".Sh EXAMPLES").nth(1).unwrap_or_default().split("\n.Sh ").next().unwrap_or_default();
    let texts =
        examples.split(".Bd -literal").skip(1).filter_map(|text| text.split_once('\n')?.1.split("\n.Ed").next());
    texts.map(block).filter(|block| !block.is_empty()).collect()
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

/// Runs a block as one shell session in an empty home and compares what each command prints.
fn check_page(page: &str, block: &Block, transcript: &Path) {
    let home = Home::new();
    let copy = home.path("agent/projects/-home-dev-src-proj-one").join(transcript.file_name().unwrap());
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    std::fs::copy(transcript, &copy).unwrap();
    std::fs::create_dir_all(home.path("home")).unwrap();
    check(page, block, &home, &copy);
}

fn check(page: &str, block: &Block, home: &Home, transcript: &Path) {
    let commands: Vec<&str> = block.iter().map(|(command, _)| command.as_str()).collect();
    let script = commands.join("\nprintf '\\001\\n'\n");
    let tools = binary("lh-gate").parent().unwrap().to_path_buf();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", tools.display(), scripts.display());
    let mut shell = Command::new("sh");
    shell.env_clear().envs([("PATH", path.as_str()), ("TZ", "UTC")]).env("LH_BIN", &tools).env("T", transcript);
    shell.env("HOME", home.path("home")).current_dir(home.path("home")).arg("-c").arg(format!("exec 2>&1\n{script}"));
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    for ((command, wanted), printed) in block.iter().zip(printed.split("\u{1}\n")) {
        assert_eq!(printed, wanted, "{page}: $ {command}");
    }
}

#[test]
fn the_examples_of_the_pages_print_what_they_say() {
    let folder = std::env::var_os("LH_TRANSCRIPTS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts"));
    let transcript = folder.join(TRANSCRIPT);
    if !transcript.exists() || !has_jq() {
        let _ = writeln!(std::io::stderr(), "skipped: the examples want {TRANSCRIPT} and jq");
        return;
    }
    let mut ran = 0_usize;
    for page in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("man")).unwrap() {
        let page = page.unwrap().path();
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        for block in blocks(&std::fs::read_to_string(&page).unwrap()) {
            check_page(&name, &block, &transcript);
            ran += 1;
        }
    }
    assert!(ran > 30, "only {ran} examples were found");
}

#[test]
fn the_examples_of_the_readme_print_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let texts: Vec<&str> = readme.split("```console\n").skip(1).filter_map(|text| text.split("\n```").next()).collect();
    assert!(texts.len() >= 3, "the README has its pipelines");
    if !has_jq() {
        let _ = writeln!(std::io::stderr(), "skipped: the README's examples want jq");
        return;
    }
    // One home for all: a reader types one after the other.
    let home = Home::new();
    std::fs::create_dir_all(home.path("home")).unwrap();
    std::fs::copy(root.join(SAMPLE), home.path("home/linkcheck.jsonl")).unwrap();
    for text in texts {
        check("README.md", &block(text), &home, Path::new(SAMPLE));
    }
}

fn has_jq() -> bool {
    Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_ok()
}
