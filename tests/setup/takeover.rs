//! Coming from lazy-harness: what its configuration asks for, what it must not do, and that it reads ours.

use super::{SETTINGS, skipped};
use crate::home::Home;
use std::path::Path;
use std::process::Command;

const CONFIG: &str = ".config/lazy-harness/config.toml";
const STORE: &str = "Documents/lazy-harness-knowledge";
/// Every key of 0.45.1 with another value than its default.
const FULL: &str = include_str!("lazy-harness-0.45.1.toml");

#[test]
fn no_hook_goes_in_before_an_engine_is_named() {
    let url = "[compound_loop.backend_options]\nbase_url = \"http://gpu:1234\"\napi_key = \"sk-hidden\"\n";
    for (rest, wanted) in [
        ("backend = \"ollama\"\nmodel = \"qwen2.5\"\n", "'command = \"ollama run qwen2.5\"'"),
        ("backend = \"ollama\"\nengine = \"auto\"\nmodel = \"a\"\n", "'command = \"ollama run a\"'"),
        ("backend = \"ollama\"\n", "'command = \"ollama run MODEL\"'"),
        ("backend = \"mlx\"\nmodel = \"m\"\n", "prints the answer of m at http://localhost:8080"),
        ("backend = \"ollama\"\nmodel = \"m\"\nURL", "'command = \"env OLLAMA_HOST=http://gpu:1234 ollama run m\"'"),
        ("backend = \"openai-compatible\"\nmodel = \"m\"\nURL", "prints the answer of m at http://gpu:1234"),
        ("backend = \"no-such\"\n", "'command = \"...\"', a program that reads a prompt on standard input"),
    ] {
        let home = Home::new();
        let text = format!("[harness]\nversion = \"1\"\n[compound_loop]\nenabled = true\n{}", rest.replace("URL", url));
        home.write(CONFIG, &text);
        home.write(SETTINGS, "{}");
        for arguments in [&[][..], &["--migrate"], &["-n"], &["--project"]] {
            let said = home.sets_up(arguments, 78);
            assert!(said.contains(wanted) && said.contains("'engine = \"extract\"'"), "{said}");
            assert!(said.lines().count() == 1 && !said.contains("sk-hidden"), "{said}");
        }
        assert_eq!((home.read(SETTINGS), home.read(CONFIG)), ("{}".to_owned(), text.clone()));
        assert_eq!(home.names(".claude"), ["settings.json"]);
        assert!(!home.path(STORE).exists());
        home.sets_up(&["-u"], 0);
        home.write(
            CONFIG,
            &text
                .replace("[compound_loop]\n", "[compound_loop]\nengine = \"extract\"\n")
                .replace("engine = \"auto\"\n", ""),
        );
        home.sets_up(&[], 0);
        assert!(home.read(SETTINGS).contains("lh-hook-stop"));
    }
}

#[test]
fn what_is_not_done_is_said_and_exports_go_on() {
    let home = Home::new();
    let text = format!("{FULL}# the end").replace('\n', "\r\n");
    home.write(CONFIG, &text);
    let said = home.sets_up(&[], 0);
    assert!(!said.contains("grading") && home.read(CONFIG) == text, "{said}");
    let output = home.setup(&["-n", "--migrate"]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("-enabled = false # exports") && shown.contains("+enabled = true # exports"), "{shown}");
    assert_eq!(home.read(CONFIG), text);
    let said = home.sets_up(&["--migrate"], 0);
    for what in
        ["grading_enabled", "lazymind_dir", "[memory.engram] enabled", "[hooks]", "[lazynorth]", "repo_map_scope"]
    {
        assert_eq!(said.matches(what).count(), 1, "{what}: {said}");
    }
    assert_eq!(home.read(CONFIG), text.replace("enabled = false # exports", "enabled = true # exports"));
    assert_eq!(home.read(".config/lazy-harness/config.toml.lh-backup"), text);
    home.sets_up(&["--migrate"], 0);
    assert!(!home.path(".config/lazy-harness/config.toml.lh-backup.1").exists());
}

#[test]
fn where_the_switch_cannot_be_set_the_line_is_shown() {
    let home = Home::new();
    // What the parser takes and no table of numbers holds.
    let text = "[knowledge.sessions]\nenabled = false\n[other]\nx = nan\n";
    home.write(CONFIG, text);
    let said = home.sets_up(&["--migrate"], 78);
    assert!(said.contains("write 'enabled = true' under [knowledge.sessions] by hand"), "{said}");
    assert_eq!((home.read(CONFIG), home.names(".config/lazy-harness").len()), (text.to_owned(), 1));
    assert!(home.read(SETTINGS).contains("lh-hook-stop"));
}

#[test]
fn all_its_keys_are_known_and_slips_are_not() {
    let home = Home::new();
    let unknown = |text: &str| {
        home.write(CONFIG, text);
        let output = home.tool("lh-gate").arg("-v").write_stdin("").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(unknown(FULL), "");
    for (right, slip) in [
        ("grading_enabled", "gradin_enabled"),
        ("slim_handoff_enabled", "slim_hadnoff_enabled"),
        ("qmd_suggest_top_k", "qmd_sugest_top_k"),
        ("[context_inject]", "[contxt_inject]"),
    ] {
        let said = unknown(&FULL.replacen(right, slip, 1));
        assert!(said.lines().count() == 1 && said.contains(slip.trim_matches(['[', ']'])), "{slip}: {said}");
        assert!(said.contains("did you mean"), "{said}");
    }
}

#[test]
fn a_folder_says_its_names_and_what_it_says_stays() {
    let home = Home::new();
    let marker = format!("{STORE}/knowledge.toml");
    let shown = String::from_utf8(home.setup(&["-n"]).output().unwrap().stdout).unwrap();
    assert!(shown.contains("+learnings = \"learnings\"") && !home.path(STORE).exists(), "{shown}");
    home.sets_up(&[], 0);
    let text = "[knowledge]\nversion = 1\nsessions = \"sessions\"\nlearnings = \"learnings\"\nmemory = \"memory\"\n";
    assert_eq!(home.read(&marker), text);
    home.write(&marker, "mine");
    home.sets_up(&[], 0);
    assert_eq!(home.read(&marker), "mine");
    // A folder that is named and not there can be a drive.
    let home = Home::new();
    home.write(CONFIG, "[knowledge]\nroot = \"~/drive/notes\"\n");
    home.sets_up(&[], 0);
    assert!(!home.path("drive").exists());
    std::fs::create_dir_all(home.path("drive/notes")).unwrap();
    home.sets_up(&[], 0);
    assert_eq!(home.read("drive/notes/knowledge.toml"), text);
}

#[test]
fn its_own_default_folder_is_ours_too_where_it_is_a_store() {
    let store = "repos/lazy/lazy-knowledge/knowledge.toml";
    let named = "version = 1\nsessions = \"s\"\nlearnings = \"l\"\n";
    for (config, there, wanted) in [
        ("[harness]\nversion = \"1\"\n", true, "repos/lazy/lazy-knowledge/s"),
        ("[harness]\nversion = \"1\"\n[knowledge]\nroot = \"\"\n", true, "repos/lazy/lazy-knowledge/s"),
        ("[harness]\nversion = \"1\"\n", false, "Documents/lazy-harness-knowledge/sessions"),
        ("[compound_loop]\n", true, "Documents/lazy-harness-knowledge/sessions"),
        ("[harness]\nversion = \"1\"\n[knowledge]\nroot = \"~/mine\"\n", true, "mine/sessions"),
    ] {
        let home = Home::new();
        home.write(CONFIG, config);
        if there {
            home.write(store, &format!("[knowledge]\n{named}"));
        }
        home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
        let record = home.tool("lh-find-session").arg("--all").output().unwrap().stdout;
        let output = home.tool("lh-export").write_stdin(record).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(home.path(wanted).is_dir(), "{config}{there}");
    }
}

#[test]
fn qmd_is_told_of_the_folder_once() {
    let home = Home::new();
    let there = "#!/bin/sh\necho \"$PWD: $*\" >>\"$HOME/asked\"\necho 'lh (qmd://lh/)'\n";
    home.program("fakes/qmd", &there.replace("'lh (qmd://lh/)'", "'my-lh (qmd://my-lh/)'"));
    let line = format!("qmd collection add {} --name lh", home.path(STORE).display());
    let said = home.sets_up(&[], 0);
    assert!(said.contains(&format!("QMD has no collection 'lh': '{line}' makes one")), "{said}");
    assert_eq!(home.read("asked"), "/: collection list\n");
    home.program("fakes/qmd", there);
    assert!(!home.sets_up(&[], 0).contains("QMD"));
    // Its name is chosen by a key; what an option would be is refused.
    home.write(CONFIG, "[knowledge.search]\ncollection = \"notes\"\n");
    assert!(home.sets_up(&[], 0).contains("--name notes' makes one"));
    home.write(CONFIG, "[knowledge.search]\ncollection = \"-x\"\n");
    home.sets_up(&[], 78);
}

#[test]
fn on_a_terminal_qmd_is_run_for_who_wants_it() {
    if !Path::new("/usr/bin/script").exists() {
        return skipped("no script(1) here");
    }
    for (typed, runs) in [("y", true), ("", false), ("n", false)] {
        let home = Home::enabled("");
        home.program("fakes/qmd", "#!/bin/sh\necho \"$PWD: $*\" >>\"$HOME/asked\"\n");
        std::fs::create_dir_all(home.path(STORE)).unwrap();
        let tool = home.setup(&[]);
        home.write("typed", &format!("n\n{typed}\n"));
        let mut run = Command::new("/usr/bin/script");
        run.args(["-qec", tool.get_program().to_str().unwrap(), "/dev/null"]).env_clear();
        run.envs(tool.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(home.path(""));
        let output = run.stdin(std::fs::File::open(home.path("typed")).unwrap()).output().unwrap();
        let added = format!("/: collection add {} --name lh\n", home.path(STORE).display());
        assert_eq!(home.read("asked").contains(&added), runs, "{typed}: {output:?}");
    }
}

#[test]
fn a_start_tells_nothing_where_that_is_switched_off() {
    let home = Home::enabled("engine = \"extract\"\n[context_inject]\nenabled = false\n");
    let payload = serde_json::json!({"session_id": "x", "cwd": home.path(""), "source": "startup"}).to_string();
    let context = |arguments: &[&str]| {
        let mut tool = home.tool("lh-context");
        let path = format!("{}/scripts:/usr/bin:/bin", env!("CARGO_MANIFEST_DIR"));
        let output = tool.args(arguments).env("PATH", path).write_stdin(payload.clone()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(context(&[]), "");
    assert!(!context(&["--format", "markdown"]).is_empty());
    // What keeps sessions from being remembered is no context.
    home.write(CONFIG, &home.read(CONFIG).replace("extract", "claude"));
    let told = context(&[]);
    assert!(told.contains("systemMessage") && told.contains("claude: not on PATH"), "{told}");
    assert!(!told.contains("additionalContext"), "{told}");
}

/// `LH_LAZY_PYTHON` is a Python that has lazy-harness.
#[test]
fn lazy_harness_reads_what_we_write() {
    let Some(python) = std::env::var_os("LH_LAZY_PYTHON") else {
        return skipped("LH_LAZY_PYTHON names no Python with lazy-harness");
    };
    let home = Home::new();
    home.sets_up(&[], 0);
    let read = r"
import sys
from pathlib import Path
from lazy_harness.core.config import load_config
from lazy_harness.knowledge.marker import read_marker, resolve_root
config = load_config(Path(sys.argv[1]))
root = resolve_root(config.knowledge.root)
print(root, read_marker(root), config.compound_loop.enabled)
";
    let python = |script: &str, path: &str| {
        let mut run = Command::new(&python);
        run.args(["-c", script]).arg(home.path(path)).env_clear().env("HOME", home.path(""));
        let output = run.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let marker = "KnowledgeMarker(sessions='sessions', learnings='learnings', memory='memory') True";
    assert_eq!(python(read, CONFIG).trim(), format!("{} {marker}", home.path(STORE).canonicalize().unwrap().display()));
    // The file of the tests is one that it reads, and has every key that it knows.
    home.write("full.toml", FULL);
    let missing = r"
import sys, tomllib
from pathlib import Path
from lazy_harness.core.config import Config, _config_to_dict, load_config
load_config(Path(sys.argv[1]))
have = tomllib.loads(Path(sys.argv[1]).read_text())
def walk(known, have, name):
    for key, value in known.items():
        if key not in have: print(name + key)
        elif isinstance(value, dict): walk(value, have[key], name + key + '.')
walk(_config_to_dict(Config()), have, '')
";
    assert_eq!(python(missing, "full.toml"), "");
}
