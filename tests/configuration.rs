//! Each key of the configuration with what it may not be, and each path with what is relative: status 78, one
//! line with its place or name, red in the doctor, and nothing written.

use crate::home::{Home, binary};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

const CONFIG: &str = ".config/lazy-harness/config.toml";

/// What no key may be, whatever its type: of another type, or longer than any sane list or text.
fn never(is_text: bool) -> Vec<String> {
    let other = if is_text { "4" } else { "\"four\"" };
    let mut all: Vec<String> =
        [other, "2026-04-13", "{}", "[[]]", "99999999999999999999", "[1]"].map(str::to_owned).into();
    all.push(format!("\"{}\"", "x".repeat(5000)));
    all.push(format!("[{}]", "\"x\",".repeat(2000)));
    all
}

/// A key: section, name, whether it is a text, what it may not be besides, and what it may.
type Key = (&'static str, &'static str, bool, &'static [&'static str], &'static [&'static str]);

const KEYS: &[Key] = &[
    ("compound_loop", "enabled", false, &["0", "\"\"", "nan"], &["true", "false"]),
    ("compound_loop", "model", true, &["\"\"", "\" \"", "\"a\\nb\"", "nan"], &["\"haiku\""]),
    ("compound_loop", "min_messages", false, &["-1", "10_001", "1.5", "nan", "true"], &["0", "10_000"]),
    ("compound_loop", "min_user_chars", false, &["-1", "1_000_001", "inf"], &["0", "1_000_000"]),
    ("compound_loop", "min_tool_uses", false, &["-1", "1_000_001", "2.5"], &["0", "1_000_000"]),
    ("compound_loop", "debounce_seconds", false, &["-1", "86_401", "nan"], &["0", "86_400"]),
    ("compound_loop", "reprocess_min_growth_seconds", false, &["-1", "604_801"], &["0", "604_800"]),
    ("compound_loop", "timeout_seconds", false, &["0", "-1", "3601", "nan"], &["1", "0xff", "3600"]),
    (
        "compound_loop",
        "learnings_subdir",
        true,
        &["\"\"", "\"/etc\"", "\"../x\"", "\"./x\"", "\"x/../..\"", "\"~/x\"", "\".\""],
        &["\"l\"", "\"a/b\""],
    ),
    ("compound_loop", "engine", true, &["\"\"", "\"Claude\"", "\"gpt\""], &["\"extract\"", "\"auto\""]),
    ("compound_loop", "command", true, &["\"./model\"", "\"bin/model -x\"", "\"~/model\""], &["\"\"", "\"cat x/y\""]),
    ("compound_loop", "command_is_free", false, &["0", "\"true\""], &["true", "false"]),
    ("compound_loop", "verify", true, &["\"\"", "\"on\"", "true"], &["\"off\"", "\"model\""]),
    ("compound_loop", "max_attempts", false, &["0", "-1", "101"], &["1", "100"]),
    ("compound_loop", "sweep_per_day", false, &["-1", "10_001"], &["0", "10_000"]),
    ("compound_loop", "max_calls_per_day", false, &["-1", "100_001"], &["0", "100_000"]),
    (
        "compound_loop",
        "max_usd_per_day",
        false,
        &["-0.5", "nan", "inf", "-inf", "10_000.5", "1e300"],
        &["0", "0.5", "5", "1e4"],
    ),
    ("compound_loop", "max_prompt_chars", false, &["0", "999", "-1", "10_000_001"], &["1000", "10_000_000"]),
    ("compound_loop", "handoff_heading", true, &["\"\"", "\"a\\nb\"", "\"- a:\""], &["\"Open:\""]),
    ("compound_loop", "backend", true, &["\"\"", "\"a\\nb\""], &["\"claude\"", "\"ollama\""]),
    ("compound_loop.backend_options", "base_url", true, &["\"\""], &["\"http://localhost:1\""]),
    (
        "knowledge",
        "path",
        true,
        &["\"notes\"", "\"./notes\"", "\"../notes\"", "\".\"", "\"~me/notes\"", "\"a\\nb\""],
        &["\"\"", "\"~/notes\"", "\"~\"", "\"/notes\""],
    ),
    ("knowledge", "root", true, &["\"notes\"", "\"a/../b\""], &["\"\"", "\"~/notes\""]),
    ("knowledge.sessions", "enabled", false, &["1", "\"true\""], &["true", "false"]),
    (
        "knowledge.search",
        "collection",
        true,
        &["\"\"", "\"-x\"", "\".x\"", "\"a b\"", "\"a/b\"", "\"é\""],
        &["\"lh\"", "\"my-notes_2.x\""],
    ),
    ("memory", "scope", true, &["\"\"", "\"both\""], &["\"project\"", "\"shared\""]),
    ("memory", "extract", true, &["0", "\"false\""], &["true", "false"]),
    ("memory", "brief", true, &["\"\"", "\"daily\"", "true"], &["\"off\"", "\"weekly\""]),
    ("memory", "select", true, &["\"\"", "\"on\"", "true"], &["\"off\"", "\"rank\""]),
    ("memory", "at_tool", false, &["1", "\"on\""], &["true", "false"]),
    ("memory", "dream", true, &["\"\"", "\"on\"", "true"], &["\"off\"", "\"plan\"", "\"apply\""]),
    ("memory", "dream_engine", true, &["\"\"", "\"auto\"", "false"], &["\"claude\"", "\"command\""]),
    ("context", "max_chars", false, &["0", "999", "9001", "-1"], &["1000", "4000", "9000"]),
    ("context_inject", "enabled", false, &["0", "\"false\""], &["true", "false"]),
    ("context_inject", "max_body_chars", false, &["0", "999", "9001", "-1"], &["1000", "9000"]),
    ("privacy", "patterns", false, &["\"x\"", "[\"\"]", "[1]", "[[\"x\"]]"], &["[]", "[\"x\"]"]),
    ("privacy", "exempt", false, &["[\"\"]"], &["[]"]),
    ("profiles.work", "config_dir", true, &["\"work\"", "\"./work\"", "true"], &["\"\"", "\"~/work\"", "\"/work\""]),
];

fn one_line(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.lines().count() == 1 && !said.contains("panicked"), "{said}");
    said
}

/// The red lines of a doctor that has no other program to ask.
fn red(home: &Home, env: &[(&str, &str)]) -> Vec<String> {
    let doctor = home.path("alone/lh-doctor");
    if !doctor.exists() {
        std::fs::create_dir_all(doctor.parent().unwrap()).unwrap();
        // By another process: while a file is open for writing in this one, nothing can run it.
        assert!(Command::new("cp").arg(binary("lh-doctor")).arg(&doctor).status().unwrap().success());
    }
    let mut doctor = home.run(&doctor);
    doctor.env("PATH", "/nowhere").env_remove("LH_BIN").arg("--json").envs(env.iter().copied());
    let output = doctor.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let records = String::from_utf8(output.stdout).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .filter(|record| record["state"] == "bad")
        .map(|record| record["says"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_value_that_may_not_be_has_one_line_with_its_place() {
    let home = Home::new();
    for (section, key, is_text, bad, good) in KEYS {
        let is_list = *section == "privacy";
        let all = never(*is_text).into_iter().filter(|value| !is_list || !value.starts_with("[\""));
        for (at, value) in bad.iter().map(|value| (*value).to_owned()).chain(all).enumerate() {
            let path = home.write(CONFIG, &format!("# é\n[{section}]\n{key} = {value}\n"));
            let output = home.tool("lh-dequeue").arg("--list").output().unwrap();
            let shown: String = value.chars().take(60).collect();
            assert_eq!(output.status.code(), Some(78), "[{section}] {key} = {shown}");
            let said = one_line(&output);
            let place = format!("lh-dequeue: {}:3:", path.display());
            assert!(said.starts_with(&place) && said.contains(&format!("[{section}] {key}: expected ")), "{said}");
            assert!(said.len() < 400, "{said}");
            let what = said.trim_end().strip_prefix("lh-dequeue: ").unwrap().to_owned();
            // The doctor says the same of each.
            assert!(at > 0 || red(&home, &[]).contains(&what), "{what}");
        }
        for value in *good {
            home.write(CONFIG, &format!("[{section}]\n{key} = {value}\n"));
            let output = home.tool("lh-dequeue").arg("--list").output().unwrap();
            assert_eq!(output.status.code(), Some(1), "[{section}] {key} = {value}: {output:?}");
        }
    }
}

#[test]
fn every_key_of_the_page_is_in_the_table() {
    let page = include_str!("../man/lh-config.5");
    let known: BTreeSet<&str> = KEYS.iter().map(|(_, key, ..)| *key).collect();
    let sections = page.split(".Ss [").skip(1);
    let sections = sections.map(|text| text.split("\n.Ss ").next().unwrap_or_default());
    for line in sections.flat_map(|text| text.lines().filter_map(|line| line.strip_prefix(".It Cm "))) {
        let key = line.split_whitespace().next().unwrap();
        assert!(known.contains(key), "{key} of lh-config(5) is not tried here");
    }
}

#[test]
fn a_file_that_is_none_has_one_line_with_its_place() {
    let rule = "[[knowledge.classify_rules]]\npattern = \"x\"\n";
    let long = format!("[knowledge]\nclassify_rules = [{}]\n", "{},".repeat(1001));
    let rows: &[(&[u8], &str)] = &[
        (b"[compound_loop\n", ":1:15: "),
        (b"[compound_loop]\nenabled = maybe\n", ":2:11: "),
        (b"[compound_loop]\nenabled = true\nenabled = true\n", ":3:1: "),
        (b"compound_loop = 3\n", ":1:17: [compound_loop]: expected a table, found 3"),
        (b"[[compound_loop]]\nenabled = true\n", ":1:1: [compound_loop]: expected a table, found a list"),
        (b"profiles = \"x\"\n", ":1:12: [profiles]: expected a table"),
        (b"knowledge = []\n", ":1:13: [knowledge]: expected a table"),
        (b"[knowledge]\nsessions = true\n", ":2:12: [knowledge.sessions]: expected a table"),
        (b"[knowledge]\nclassify_rules = 3\n", ":2:18: [knowledge.classify_rules]: expected a list"),
        (b"[knowledge]\nclassify_rules = [3]\n", ":2:19: [knowledge.classify_rules]: expected a table"),
        (rule.as_bytes(), ":1:1: [knowledge.classify_rules]: missing key 'profile'"),
        (
            b"[[knowledge.classify_rules]]\npattern = \"\"\n",
            ":2:11: [knowledge.classify_rules] pattern: expected a line",
        ),
        (long.as_bytes(), ":2:18: [knowledge.classify_rules]: expected at most 1000 entries"),
        (b"[privacy]\npatterns = \"x\"\n", ":2:12: [privacy] patterns: expected a list"),
        (b"# \xff\n", ":1:3: not UTF-8"),
        (b"[knowledge]\npath = \"/\xe9\"\n", ":2:10: not UTF-8"),
    ];
    let home = Home::new();
    for (text, says) in rows {
        std::fs::write(home.path(CONFIG), text).unwrap();
        let output = home.tool("lh-gate").output().unwrap();
        assert_eq!(output.status.code(), Some(78), "{}", String::from_utf8_lossy(text));
        let said = one_line(&output);
        assert!(said.contains(&format!("config.toml{says}")), "{said}");
        assert!(red(&home, &[]).iter().any(|line| line.contains(says)), "{said}");
    }
}

/// Whether it compiles is known only to the tools that mask.
#[test]
fn a_pattern_that_does_not_compile_has_its_place() {
    for key in ["patterns", "exempt"] {
        let home = Home::new();
        home.write(CONFIG, &format!("[privacy]\n{key} = [\"fine\",\n  \"(hunter2\"]\n"));
        for tool in ["lh-redact", "lh-distill", "lh-persist", "lh-export", "lh-summarize", "lh-context"] {
            let output = home.tool(tool).write_stdin("").output().unwrap();
            assert_eq!(output.status.code(), Some(78), "{tool}");
            let said = one_line(&output);
            assert!(said.contains(&format!("config.toml:3:3: [privacy] {key}: entry 2: ")), "{said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
        assert!(red(&home, &[]).iter().any(|line| line.contains("config.toml:3:3: [privacy]")));
    }
}

/// A variable with a relative path, the tools that need it, and whether the hooks can still tell.
const VARIABLES: &[(&str, &[&str])] = &[
    ("HOME", &["lh-gate", "lh-find-session --all", "lh-export", "lh-dequeue --list", "lh-context"]),
    ("CLAUDE_CONFIG_DIR", &["lh-find-session --all", "lh-dequeue --list", "lh-context", "lh-setup -y"]),
    ("LH_CONFIG_DIR", &["lh-gate", "lh-export", "lh-distill", "lh-context", "lh-setup -y"]),
    ("LAZY_KNOWLEDGE_ROOT", &["lh-export", "lh-persist"]),
    ("LCT_LEARNINGS_DIR", &["lh-persist"]),
    ("LH_LOG", &["lh-gate", "lh-enqueue", "lh-redact"]),
    ("LH_BIN", &["lh-dequeue -- true"]),
];

/// Every file and folder below a folder.
fn below(folder: &Path) -> Vec<String> {
    let output = Command::new("find").arg(folder).output().unwrap();
    let mut lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// A session in a checkout, as a record of each kind that a tool reads.
fn records(home: &Home, checkout: &Path) -> String {
    let transcript = home.transcript("11111111-1111-4111-8111-111111111111", checkout, 4);
    let session = String::from_utf8(home.tool("lh-find-session").arg(transcript).output().unwrap().stdout).unwrap();
    assert!(home.tool("lh-enqueue").write_stdin(session.clone()).output().unwrap().status.success());
    let mut distilled: Value = serde_json::from_str(&session).unwrap();
    distilled["type"] = json!("distilled");
    distilled["learnings"] = json!([{"title": "Say what is done", "learning": "Say it", "grounded": true, "id": "0"}]);
    format!("{session}{distilled}\n")
}

#[test]
fn a_variable_with_a_relative_path_is_named_and_nothing_is_written_there() {
    let path = format!("{}/scripts:/usr/bin:/bin", env!("CARGO_MANIFEST_DIR"));
    for (at, (variable, tools)) in VARIABLES.iter().enumerate() {
        for value in ["rel", ["./rel", "../rel", "~/rel"][at % 3]] {
            let home = Home::enabled("engine = \"extract\"\nmin_user_chars = 1\n");
            let checkout = home.path("checkout");
            std::fs::create_dir_all(checkout.join("rel")).unwrap();
            let records = records(&home, &checkout);
            let before = below(&checkout);
            for tool in *tools {
                let mut words = tool.split(' ');
                let mut run = home.tool(words.next().unwrap());
                run.args(words).current_dir(&checkout).env("PATH", &path).env(variable, value);
                let input = if *tool == "lh-context" { "" } else { &records };
                let output = run.write_stdin(input).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let wanted = format!("{variable} is '{value}', a relative path: set it to an absolute one");
                // What runs a command for a task counts the task's failure.
                assert!(output.status.code() == Some(78) || tool.contains("--"), "{variable} {tool}: {output:?}");
                assert!(said.contains(&wanted) || home.read(".claude/queue/").contains(&wanted), "{tool}: {said}");
            }
            assert_eq!(below(&checkout), before, "{variable}={value}");
            if *variable != "LH_LOG" {
                let lines = red(&home, &[(variable, value)]);
                assert!(lines.iter().any(|line| line.contains(&format!("{variable} is '{value}'"))), "{lines:?}");
            }
        }
    }
}

/// Waits until nothing that was started in a folder runs any more.
fn idle(folder: &Path) {
    let begun = std::time::Instant::now();
    let pids = || std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path().join("cwd"));
    while pids().any(|cwd| cwd.read_link().is_ok_and(|cwd| cwd.starts_with(folder))) {
        assert!(begun.elapsed().as_secs() < 30, "what was started in {} still runs", folder.display());
    }
}

/// The hooks and what they start, in a checkout: whatever path is relative, nothing is written there.
#[test]
fn hooks_write_nothing_into_the_folder_that_they_are_started_in() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let keys = ["[knowledge]\npath = \"rel\"", "[knowledge]\nroot = \"rel\"", "[profiles.x]\nconfig_dir = \"rel\""];
    let rows = keys.map(|text| ("", text)).into_iter();
    let rows = rows.chain(VARIABLES.iter().map(|(variable, _)| (*variable, ""))).chain([("XDG_CONFIG_HOME", "")]);
    for (variable, text) in rows {
        let home = Home::enabled(&format!("engine = \"extract\"\nmin_user_chars = 1\n{text}"));
        let checkout = home.path("checkout");
        std::fs::create_dir_all(checkout.join("rel")).unwrap();
        home.write("checkout/rel/x", "");
        let id = "11111111-1111-4111-8111-111111111111";
        let transcript = home.transcript(id, &checkout, 4);
        let before = below(&checkout);
        let names = std::fs::read_dir(&scripts).unwrap().flatten().map(|entry| entry.file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        let hooks = names.iter().filter(|name| name.starts_with("lh-hook-"));
        let others = ["lh-background", "lh-handoff-now", "lh-sweep", "lh-weekly", "lh-worker"].map(str::to_owned);
        for name in hooks.chain(&others) {
            let payload =
                json!({"session_id": id, "transcript_path": transcript, "cwd": checkout, "source": "startup"});
            let mut run = home.run(&scripts.join(name));
            if !variable.is_empty() {
                run.env(variable, "rel");
            }
            if variable == "LH_BIN" {
                run.env("PATH", format!("{}:/usr/bin:/bin", binary("lh-gate").parent().unwrap().display()));
            }
            let output = run.current_dir(&checkout).write_stdin(payload.to_string()).output().unwrap();
            if name.starts_with("lh-hook-") {
                assert_eq!(output.status.code(), Some(0), "{name} {variable} {text}");
            }
            if name == "lh-hook-session-start" {
                // Without CLAUDE_CONFIG_DIR it is the home that cannot be; a relative LH_LOG is replaced by the hook.
                let told = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
                let silent = ["XDG_CONFIG_HOME", "LH_LOG"].contains(&variable);
                let warned = told["systemMessage"].as_str().is_some_and(|text| text.contains("NOT being remembered"));
                assert!(warned != silent, "{variable} {text}: {output:?}");
            }
        }
        idle(&checkout);
        assert_eq!(below(&checkout), before, "{variable} {text}");
    }
}

#[test]
fn a_relative_xdg_variable_is_ignored_as_its_specification_says() {
    let home = Home::enabled("");
    home.write("rel/lazy-harness/config.toml", "[compound_loop]\nenabled = perhaps\n");
    let output = home.tool("lh-dequeue").arg("--list").env("XDG_CONFIG_HOME", "rel").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = red(&home, &[("XDG_CONFIG_HOME", "rel")]);
    assert!(lines.iter().any(|line| line.contains("XDG_CONFIG_HOME is 'rel'") && line.ends_with("it is ignored")));
}

/// A record can be written by hand, too.
#[test]
fn a_relative_folder_in_a_record_is_65_and_nothing_is_written() {
    let home = Home::enabled("engine = \"extract\"\nmin_user_chars = 1\n");
    let checkout = home.path("checkout");
    let transcript = home.transcript("11111111-1111-4111-8111-111111111111", &checkout, 4);
    std::fs::create_dir_all(checkout.join("rel/projects/-x")).unwrap();
    std::fs::copy(&transcript, checkout.join("rel/projects/-x/a.jsonl")).unwrap();
    let session: Value =
        serde_json::from_slice(&home.tool("lh-find-session").arg(transcript).output().unwrap().stdout).unwrap();
    let before = below(&checkout);
    let run = |tool: &str, input: &Value, says: &str| {
        let mut words = tool.split(' ');
        let mut run = home.tool(words.next().unwrap());
        let output = run.args(words).current_dir(&checkout).write_stdin(input.to_string()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(65), "{tool}: {said}");
        assert!(said.contains(says), "{tool}: {said}");
        assert_eq!(below(&checkout), before, "{tool}");
    };
    for field in ["agent_home", "memory_dir"] {
        let mut record = session.clone();
        record[field] = json!("rel");
        for tool in ["lh-enqueue", "lh-export -f", "lh-distill -e extract", "lh-summarize", "lh-gate --queue --force"] {
            run(tool, &record, &format!("field '{field}' is 'rel', a relative path"));
        }
        record["type"] = json!("distilled");
        run("lh-persist", &record, &format!("field '{field}' is 'rel', a relative path"));
    }
    // A payload may name a transcript from the current folder on; its record has the whole path.
    let payload = json!({"transcript_path": "rel/projects/-x/a.jsonl", "cwd": checkout, "session_id": "a"});
    let mut find = home.tool("lh-find-session");
    let found = find.current_dir(&checkout).write_stdin(payload.to_string()).output().unwrap();
    let record: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(record["transcript"], json!(checkout.join("rel/projects/-x/a.jsonl")));
}
