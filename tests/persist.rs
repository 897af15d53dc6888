//! lh-persist: the formats byte for byte, and everything once.

use crate::home::Home;
use lh::record::item::{Item, ItemKind};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

impl Home {
    /// A `distilled` record of a session in this home, with the lists that are given.
    fn distilled(&self, id: &str, lists: &Value) -> String {
        let folder = self.path(".claude/projects/-src-lh");
        let mut record = json!({
            "type": "distilled", "session_id": id, "transcript": folder.join(format!("{id}.jsonl")), "cwd": "/src/lh",
            "project": "lh", "memory_dir": folder.join("memory"), "agent_home": self.path(".claude"),
            "source_size_bytes": 7, "source_modified_at": "2026-04-13T21:00:00Z", "ts": "2026-04-13T18:32:45-03:00",
            "messages": 4, "conversation_hash": "00ff", "engine": "claude", "handoff_base": "none",
        });
        record.as_object_mut().unwrap().extend(lists.as_object().unwrap().clone());
        format!("{record}\n")
    }

    fn persist(&self, input: &str) -> Output {
        self.tool("lh-persist").write_stdin(input).output().unwrap()
    }

    fn results(&self, input: &str) -> Vec<String> {
        let output = self.persist(input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.map(|record| record["result"].as_str().unwrap().to_owned()).collect()
    }

    fn memory(&self, name: &str) -> String {
        self.read(&format!(".claude/projects/-src-lh/memory/{name}"))
    }
}

fn item(summary: &str, quote: &str) -> Value {
    json!({"summary": summary, "tags": [], "evidence": [{"quote": quote, "line": 3, "uuid": "u", "said_by": "user"}], "grounded": true})
}

fn decisions(summaries: &[&str]) -> Value {
    json!({"decisions": summaries.iter().map(|summary| item(summary, summary)).collect::<Vec<_>>()})
}

fn learning(title: &str) -> Value {
    json!({"learnings": [{"title": title, "learning": "L.", "context": "C.", "scope": "infra", "tags": ["a b", "c"], "evidence": [], "grounded": true}]})
}

/// What of a new kind no `match` can miss.
#[test]
fn every_kind_is_asked_for_kept_and_in_the_page() {
    let (prompt, page) = (include_str!("../src/tool/distill/prompt.md"), include_str!("../man/lh-record.5"));
    let named: Vec<&str> = page.lines().filter(|line| line.contains("Cm ")).flat_map(str::split_whitespace).collect();
    let mut wrong = Vec::new();
    for kind in ItemKind::ALL {
        let (word, list) = (kind.word(), kind.list());
        if !prompt.contains(&format!("\n- {list}: ")) {
            wrong.push(format!("prompt.md does not say what {list} are"));
        }
        let fields: Value = serde_json::from_str(&Item::new(kind, "").record().line()).unwrap();
        let keys = fields.as_object().unwrap().keys().map(String::as_str).chain([list]);
        let unnamed = keys.filter(|name| !named.contains(name));
        wrong.extend(unnamed.map(|name| format!("lh-record(5) does not name {name}, of {word}")));
        let home = Home::new();
        let said =
            home.persist(&home.distilled("s-1", &json!({list: [item("Feed the otter", "feed the otter")]}))).stdout;
        let receipts: Vec<Value> =
            String::from_utf8(said).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if !receipts.iter().any(|receipt| receipt["what"] == word && receipt["result"] == "written") {
            wrong.push(format!("lh-persist writes no {word}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_files_are_as_the_predecessor_wrote_them() {
    let home = Home::new();
    let lists = json!({
        "decisions": [{"summary": "Symlinks, not copies", "context": "c", "alternatives": ["copy"], "rationale": "r", "tags": ["t"],
            "evidence": [{"quote": "go with symlinks", "line": 13, "uuid": "u1", "said_by": "user"}], "grounded": true}],
        "failures": [{"summary": "It broke", "root_cause": "rc", "resolution": "rs", "prevention": "p", "tags": [], "evidence": [], "grounded": true}],
        "learnings": [{"title": "Say \"when\": now", "learning": "L.", "context": "C.", "scope": "backend", "tags": ["q"], "evidence": [], "grounded": true}],
        "handoff": [{"summary": "write the docs", "grounded": true}, {"summary": "ship", "grounded": true}],
    });
    let results = home.results(&home.distilled("s-1", &lists));
    assert_eq!(results, ["written", "written", "written", "written", "done"]);
    let id = |kind: &str, summary: &str| {
        let canonical: String = summary.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
        let canonical = canonical.split_whitespace().collect::<Vec<_>>().join(" ");
        sha256(&format!("{kind}\nlh\n{canonical}"))
    };
    assert_eq!(
        home.memory("decisions.jsonl"),
        format!(
            "{{\"ts\":\"2026-04-13T18:32:45-03:00\",\"type\":\"decision\",\"summary\":\"Symlinks, not copies\",\"context\":\"c\",\"alternatives\":[\"copy\"],\"rationale\":\"r\",\"project\":\"lh\",\"tags\":[\"t\"],\"id\":\"{}\",\"session_id\":\"s-1\",\"evidence\":[{{\"quote\":\"go with symlinks\",\"line\":13,\"uuid\":\"u1\",\"said_by\":\"user\"}}],\"grounded\":true,\"said_by\":\"user\"}}\n",
            id("decision", "Symlinks, not copies")
        )
    );
    assert_eq!(
        home.memory("failures.jsonl"),
        format!(
            "{{\"ts\":\"2026-04-13T18:32:45-03:00\",\"type\":\"failure\",\"summary\":\"It broke\",\"root_cause\":\"rc\",\"resolution\":\"rs\",\"prevention\":\"p\",\"project\":\"lh\",\"tags\":[],\"id\":\"{}\",\"session_id\":\"s-1\",\"evidence\":[],\"grounded\":true}}\n",
            id("failure", "It broke")
        )
    );
    let handoff = home.memory("handoff.md");
    let (head, items) = handoff.split_once("---\nOpen").unwrap();
    assert_eq!(items, " for the next session:\n- write the docs\n- ship\n");
    assert!(
        head.starts_with("---\nsession_id: s-1\nwritten_at: ")
            && head.ends_with("\nsource_mtime: 1776114000\nsource_modified_at: 2026-04-13T21:00:00Z\nended_at: 2026-04-13T21:32:45+00:00\n"),
        "{head}"
    );
    let page = home.read("Documents/lazy-harness-knowledge/learnings/2026-04/2026-04-13-say-when-now.md");
    assert_eq!(
        page,
        "---\ntitle: \"Say \\\"when\\\": now\"\norigin: lh\norigin_session: 2026-04-13\ntags: [\"q\"]\nscope: backend\nstatus: active\ndeprecated_by: null\ndeprecated_on: null\ndeprecated_reason: null\n---\n\n## Learning\n\nL.\n\n## Context\n\nC.\n"
    );
}

/// A model gives the most important first.
#[test]
fn the_order_of_the_answer_is_that_of_the_files() {
    let (home, words) = (Home::new(), ["the zebra", "an otter", "my lynx"]);
    let said = words.map(|word| item(&format!("Feed {word}"), "feed it"));
    let named = words.map(
        |word| json!({"name": word, "type": "project", "description": format!("We feed {word}"), "evidence": ["x"]}),
    );
    let answer = json!({"handoff": said, "memories": named, "failures": said, "decisions": said});
    let parsed = home.tool("lh-distill").arg("--parse").write_stdin(answer.to_string()).output().unwrap().stdout;
    let mut lists: Value = serde_json::from_slice(&parsed).unwrap();
    lists.as_object_mut().unwrap().remove("type");
    let items = lists.as_object_mut().unwrap().values_mut().filter_map(Value::as_array_mut).flatten();
    items.for_each(|item| item["grounded"] = true.into());
    home.results(&home.distilled("s-1", &lists));
    for file in ["decisions.jsonl", "failures.jsonl", ".state/notes.jsonl", "handoff.md"] {
        let text = home.memory(file);
        let places = words.map(|word| text.find(word).unwrap_or_else(|| panic!("{file}: {text}")));
        assert!(places.is_sorted() && !text.is_empty(), "{file}: {text}");
    }
}

fn sha256(text: &str) -> String {
    use std::io::Write;
    let mut child = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()[..16].to_owned()
}

#[test]
fn the_same_record_again_changes_no_byte() {
    let home = Home::new();
    let lists = json!({
        "decisions": [item("Symlinks, not copies", "go with symlinks"), {"summary": "Invented", "grounded": false}],
        "failures": [item("It broke twice", "it broke")], "memories": [{"name": "tabs", "type": "user", "body": "b", "grounded": true}],
        "learnings": learning("One thing")["learnings"], "handoff": [{"summary": "ship", "grounded": true}, {"summary": "invented", "grounded": false}],
    });
    let record = home.distilled("s-1", &lists);
    assert_eq!(
        home.results(&record),
        ["written", "quarantined", "written", "written", "written", "quarantined", "written", "done"]
    );
    let files = ["decisions.jsonl", "failures.jsonl", "quarantine.jsonl", "handoff.md", ".state/notes.jsonl"];
    let before = files.map(|name| home.memory(name));
    assert_eq!(before[2].lines().count(), 2);
    assert!(before[4].contains("\"memory_type\":\"user\""));
    let again = home.results(&record);
    assert!(again[..7].iter().all(|result| result == "unchanged"), "{again:?}");
    assert_eq!(files.map(|name| home.memory(name)), before);
}

#[test]
fn the_same_words_in_another_form_leave_one_decision() {
    let home = Home::new();
    let rewordings = [
        "Profile deploy uses symlinks",
        "The profile deploy will use symlinks",
        "profile deploys use symlinks.",
        "We decided that a profile deploy uses a symlink",
        "As decided earlier, the deploy of the profile uses symlinks",
        "The `profile deploy` uses symlinks!",
    ];
    for (number, summary) in rewordings.iter().enumerate() {
        home.results(&home.distilled(&format!("s-{number}"), &decisions(&[summary])));
    }
    assert_eq!(home.memory("decisions.jsonl").lines().count(), 1, "{}", home.memory("decisions.jsonl"));
    let others = [
        "Profile deploy uses symlinks on port 8080",
        "Profile deploy never uses symlinks",
        "Profile deploy uses hard links of files",
    ];
    assert_eq!(home.results(&home.distilled("s-x", &decisions(&others))), ["written", "written", "written", "done"]);
}

#[test]
fn two_decisions_of_one_answer_can_share_a_quote() {
    let home = Home::new();
    let both = json!({"decisions": [item("Use uv for the dependencies", "yes, do both of these"), item("Drop the weekly report", "yes, do both of these")]});
    assert_eq!(home.results(&home.distilled("s-1", &both)), ["written", "written", "done"]);
    assert_eq!(home.results(&home.distilled("s-1", &both)), ["unchanged", "unchanged", "done"]);
    // What differs in a sign alone differs.
    let signs = decisions(&["Use C++ for the engine", "Use C# for the engine"]);
    assert_eq!(home.results(&home.distilled("s-2", &signs)), ["written", "written", "done"]);
}

#[test]
fn a_knowledge_folder_that_is_not_there_costs_learnings_alone() {
    let home = Home::new();
    home.write("file", "");
    let mut lists = learning("One thing");
    lists.as_object_mut().unwrap().extend(
        json!({"decisions": [item("A", "a")], "handoff": [{"summary": "ship", "grounded": true}]})
            .as_object()
            .unwrap()
            .clone(),
    );
    let output = home
        .tool("lh-persist")
        .env("LCT_LEARNINGS_DIR", home.path("file/x"))
        .write_stdin(home.distilled("s-1", &lists))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert!(home.memory("decisions.jsonl").contains("\"A\"") && home.memory("handoff.md").contains("- ship"));
}

#[test]
fn writers_of_one_project_never_mix_lines() {
    let home = Home::new();
    let long = "word ".repeat(3000);
    std::thread::scope(|scope| {
        for number in 0..24 {
            let lists = json!({
                "decisions": [item(&format!("Decision number {number} of many"), &long)],
                "handoff": [{"summary": format!("item {number}"), "grounded": true}],
            });
            let record = home.distilled(&format!("s-{number}"), &lists);
            let home = &home;
            scope.spawn(move || home.results(&record));
        }
    });
    let text = home.memory("decisions.jsonl");
    let numbers: std::collections::BTreeSet<String> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["summary"].to_string()).collect();
    assert_eq!((text.lines().count(), numbers.len()), (24, 24));
    // Each distiller saw no handoff: all are united.
    assert_eq!(home.memory("handoff.md").lines().filter(|line| line.starts_with("- ")).count(), 24);
}

#[test]
fn every_title_keeps_a_file_of_its_own() {
    let home = Home::new();
    let titles = [
        "He said: \"no\"",
        "🎉",
        "🚀",
        "日本語のテスト",
        "Ünïcode",
        "a/b\\c",
        "...",
        "--- x",
        "C++",
        "C#",
        "null",
        &"x".repeat(300),
    ];
    for title in titles {
        assert_eq!(home.results(&home.distilled("s-1", &learning(title)))[0], "written", "{title}");
        assert_eq!(home.results(&home.distilled("s-2", &learning(title)))[0], "unchanged", "{title}");
    }
    let folder = home.path("Documents/lazy-harness-knowledge/learnings/2026-04");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), titles.len());
}

#[test]
fn the_learnings_folder_can_be_overridden_and_holds_nothing_but_learnings() {
    let home = Home::new();
    let folder = home.path("elsewhere");
    let output = home
        .tool("lh-persist")
        .env("LCT_LEARNINGS_DIR", &folder)
        .write_stdin(home.distilled("s-1", &learning("One thing")))
        .output()
        .unwrap();
    assert!(output.status.success());
    let names: Vec<_> =
        std::fs::read_dir(folder.join("2026-04")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["2026-04-13-one-thing.md"]);
    assert!(!home.path("Documents").exists());
}

#[test]
fn what_lies_outside_the_agents_home_is_refused() {
    let home = Home::new();
    let record = home.distilled("s-1", &decisions(&["A decision that was made"]));
    std::fs::create_dir_all(home.path(".claude/projects")).unwrap();
    std::fs::create_dir_all(home.path("outside")).unwrap();
    std::os::unix::fs::symlink(home.path("outside"), home.path(".claude/projects/link")).unwrap();
    for memory in [
        home.path("outside"),
        home.path(".claude/../outside"),
        home.path(".claude/projects/link/memory"),
        Path::new("relative").to_path_buf(),
    ] {
        let mut value: Value = serde_json::from_str(&record).unwrap();
        value["memory_dir"] = memory.to_string_lossy().into();
        assert_eq!(home.persist(&value.to_string()).status.code(), Some(65), "{}", memory.display());
    }
    for (name, target) in
        [("decisions.jsonl", "outside/dangling"), (".state/handoff", "outside/state"), ("handoff.md", "outside/page")]
    {
        let memory = home.path(".claude/projects/-src-lh/memory");
        let _ = std::fs::remove_dir_all(&memory);
        std::fs::create_dir_all(memory.join(".state")).unwrap();
        std::os::unix::fs::symlink(home.path(target), memory.join(name)).unwrap();
        let lists = json!({"decisions": [item("A", "a")], "handoff": [{"summary": "ship", "grounded": true}]});
        assert_eq!(home.persist(&home.distilled("s-1", &lists)).status.code(), Some(65), "{name}");
        std::fs::remove_dir_all(&memory).unwrap();
    }
    assert_eq!(std::fs::read_dir(home.path("outside")).unwrap().count(), 0);
    // A linked home is a home.
    std::fs::rename(home.path(".claude"), home.path("dotfiles")).unwrap();
    std::os::unix::fs::symlink(home.path("dotfiles"), home.path(".claude")).unwrap();
    assert_eq!(home.results(&record), ["written", "done"]);
}

#[test]
fn old_entries_stay_as_they_are_and_a_torn_line_is_put_aside() {
    let home = Home::new();
    let old = "{\"ts\":\"2025-01-01T00:00:00Z\",\"type\":\"decision\",\"summary\":\"Keep the queue in files\",\"project\":\"lh\"}\nnot json\n{\"ts\":\"2025-01-02T00:00:00Z\",\"type\":\"deci";
    home.write(".claude/projects/-src-lh/memory/decisions.jsonl", old);
    let results =
        home.results(&home.distilled("s-1", &decisions(&["Keeping the queue in files", "A wholly new matter"])));
    assert_eq!(results, ["duplicate_of", "written", "done"]);
    let text = home.memory("decisions.jsonl");
    let (whole, torn) = old.rsplit_once('\n').unwrap();
    assert!(text.starts_with(&format!("{whole}\n{{\"ts\":")) && text.lines().count() == 3, "{text}");
    assert_eq!(home.memory(".state/torn"), format!("{torn}\n"));
    // A whole line that lacks its newline is a line.
    let path = home.path(".claude/projects/-src-lh/memory/decisions.jsonl");
    std::fs::write(&path, text.trim_end()).unwrap();
    assert_eq!(home.results(&home.distilled("s-2", &decisions(&["Quite another matter"]))), ["written", "done"]);
    assert!(home.memory("decisions.jsonl").starts_with(&text) && home.memory(".state/torn").lines().count() == 1);
}

#[test]
fn a_gone_reader_loses_no_memory() {
    let home = Home::new();
    let lists = decisions(&["The first of them", "Another matter altogether", "Something else again"]);
    let mut child = std::process::Command::new(home.tool("lh-persist").get_program());
    child.env_clear().env("HOME", home.path("")).stdin(std::process::Stdio::piped()).stdout(std::io::pipe().unwrap().1);
    let mut child = child.spawn().unwrap();
    let records: String = (0..200).map(|number| home.distilled(&format!("s-{number}"), &lists)).collect();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), records.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(home.memory("decisions.jsonl").lines().count(), 3);
}

#[test]
fn nothing_open_removes_the_handoff_and_only_the_one_that_was_seen() {
    let home = Home::new();
    home.results(&home.distilled("s-1", &json!({"handoff": [{"summary": "ship", "grounded": true}]})));
    let seen = sha256(&home.memory("handoff.md"));
    let nothing = |base: &str| {
        let mut value: Value = serde_json::from_str(&home.distilled("s-2", &json!({"handoff": []}))).unwrap();
        value["handoff_base"] = base.into();
        format!("{value}\n")
    };
    home.results(&nothing("another"));
    assert!(home.memory("handoff.md").contains("- ship"));
    let mut value: Value = serde_json::from_str(&nothing(&seen)).unwrap();
    value["handoff_base"] = sha256(&home.memory("handoff.md")).into();
    assert_eq!(home.results(&value.to_string()), ["written", "done"]);
    assert_eq!(home.memory("handoff.md"), "");
    assert_eq!(home.results(&value.to_string()), ["unchanged", "done"]);
}

/// A record of a session whose transcript was last changed in that hour, with a handoff that saw `base`.
fn handoff_of(home: &Home, id: &str, hour: u32, base: &str, items: &[&str]) -> String {
    let items: Vec<Value> = items.iter().map(|item| json!({"summary": item, "grounded": true})).collect();
    let mut value: Value = serde_json::from_str(&home.distilled(id, &json!({"handoff": items}))).unwrap();
    value["source_modified_at"] = format!("2026-04-13T{hour:02}:00:00Z").into();
    value["handoff_base"] = base.into();
    format!("{value}\n")
}

impl Home {
    fn base(&self) -> String {
        sha256(&self.memory("handoff.md"))
    }

    fn open(&self) -> Vec<String> {
        self.memory("handoff.md").lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
    }

    fn receipts(&self, input: &str) -> Vec<Value> {
        let output = self.persist(input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn an_older_session_that_is_distilled_later_loses_no_open_item() {
    let home = Home::new();
    home.results(&handoff_of(&home, "b", 21, "none", &["write the docs"]));
    let a = handoff_of(&home, "a", 20, "none", &["mend the build", "Writing the docs"]);
    let receipts = home.receipts(&a);
    assert_eq!(home.open(), ["write the docs", "mend the build"]);
    let of = |at: usize, name: &str| receipts[at][name].as_str().unwrap_or_default().to_owned();
    assert_eq!((of(0, "result"), of(0, "summary")), ("written".to_owned(), "mend the build".to_owned()));
    assert_eq!((of(1, "result"), of(1, "summary")), ("duplicate_of".to_owned(), "Writing the docs".to_owned()));
    assert_eq!(of(1, "duplicate_of"), sha256("handoff\n\nwrite the docs"));
    // A later session saw all and closed one; the older one comes once more.
    home.results(&handoff_of(&home, "c", 22, &home.base(), &["write the docs"]));
    let receipts = home.receipts(&a);
    assert_eq!(home.open(), ["write the docs"]);
    assert_eq!((&receipts[1]["result"], &receipts[1]["reason"]), (&json!("unchanged"), &json!("closed_later")));
    // The state of an earlier version is one line.
    home.write(".claude/projects/-src-lh/memory/.state/handoff", "2026-04-13T22:00:00Z\n");
    home.results(&handoff_of(&home, "a", 20, "none", &["ship"]));
    assert_eq!(home.open(), ["write the docs", "ship"]);
    // A transcript whose time went back.
    home.results(&handoff_of(&home, "c", 19, &home.base(), &["ring the bell"]));
    assert_eq!(home.open(), ["write the docs", "ship", "ring the bell"]);
}

#[test]
fn what_a_person_did_to_the_handoff_stays_done() {
    let home = Home::new();
    let name = ".claude/projects/-src-lh/memory/handoff.md";
    home.results(&handoff_of(&home, "a", 18, "none", &["mend the build", "ship"]));
    home.write(name, &home.memory("handoff.md").replace("- ship\n", "- ask Ana about the logo\n"));
    let receipts = home.receipts(&handoff_of(&home, "a", 19, &home.base(), &["ship", "test"]));
    assert_eq!(home.open(), ["test", "ask Ana about the logo"]);
    assert_eq!((&receipts[1]["result"], &receipts[1]["reason"]), (&json!("unchanged"), &json!("closed_by_person")));
    home.results(&handoff_of(&home, "b", 20, &home.base(), &[]));
    assert_eq!(home.open(), ["ask Ana about the logo"]);
    // Conflict markers are not items.
    home.write(name, "- one\n<<<<<<< HEAD\n- two\n=======\n- three\n>>>>>>> theirs\n");
    home.results(&handoff_of(&home, "c", 21, "none", &["four"]));
    assert_eq!(home.open(), ["four", "one", "two", "three"]);
}

/// Different is never taken for the same, in any kind, and the receipts say what is where.
#[test]
fn every_grounded_item_is_in_a_file_or_its_receipt_says_why_not() {
    let home = Home::new();
    let pairs: Vec<Vec<&str>> = include_str!("pairs.tsv").lines().map(|line| line.split('\t').collect()).collect();
    let pairs: Vec<&Vec<&str>> = pairs.iter().filter(|pair| pair.len() == 6).step_by(7).collect();
    for (number, pair) in pairs.iter().enumerate() {
        for (side, text) in [(0, pair[4]), (1, pair[5])] {
            let named = json!({"name": "one-name", "type": "project", "body": text, "evidence": ["yes, do both of these"], "grounded": true});
            let lists = json!({
                "decisions": [item(text, "yes, do both of these")], "failures": [item(text, "yes, do both of these")],
                "memories": [named], "learnings": learning(text)["learnings"], "handoff": [{"summary": text, "grounded": true}],
            });
            let mut value: Value = serde_json::from_str(&home.distilled(&format!("s-{number}"), &lists)).unwrap();
            value["source_modified_at"] = format!("2026-04-13T{:02}:{:02}:{side:02}Z", number / 60, number % 60).into();
            let receipts = home.receipts(&value.to_string());
            let learnings = home.path("Documents/lazy-harness-knowledge/learnings/2026-04");
            for receipt in receipts.iter().filter(|receipt| receipt["type"] == "written") {
                let (result, path) = (receipt["result"].as_str().unwrap(), receipt["path"].as_str().unwrap());
                let there = std::fs::read_to_string(path).unwrap_or_default();
                let summary = receipt["summary"].as_str().unwrap();
                let says = there.contains(summary) || there.contains(&serde_json::to_string(summary).unwrap());
                match result {
                    "written" if receipt.get("reason").is_none() => assert!(says, "{receipt} {there}"),
                    // Nothing but punctuation is another: then the id is there; or nothing is said.
                    "unchanged" if receipt.get("reason").is_none() => {
                        let id = receipt["id"].as_str();
                        assert!(
                            says || summary.is_empty()
                                || id.is_some_and(|id| there.contains(id))
                                || receipt["what"] == "learning"
                        );
                    }
                    "duplicate_of" => assert!(receipt["duplicate_of"].as_str().is_some_and(|id| !id.is_empty())),
                    other => panic!("{other}: {receipt}"),
                }
                if side == 1 && pair[0] == "different" {
                    assert!(says && result != "duplicate_of", "{receipt}");
                }
            }
            assert!(learnings.exists());
            let of_handoff: Vec<&Value> = receipts.iter().filter(|receipt| receipt["what"] == "handoff").collect();
            assert!(of_handoff.iter().any(|receipt| receipt["summary"] == text), "{of_handoff:?}");
        }
    }
}

/// Items that have one name, summary or title and say two things, and those that say one: the fields of the
/// two, and what becomes of the second.
fn named_alike() -> Vec<(&'static str, Value, Value, &'static str)> {
    let memory = |name: &str, description: &str, body: &str| json!({"name": name, "type": "user", "description": description, "body": body});
    let failure = |cause: &str| json!({"summary": "The tests fail on CI", "root_cause": cause});
    let learning = |title: &str, text: &str| json!({"title": title, "learning": text});
    vec![
        ("memories", memory("editor", "Uses vim", ""), memory("editor", "Uses emacs, gave up vim", ""), "written"),
        ("memories", memory("editor", "", "Uses vim."), memory("editor", "", "Uses emacs."), "written"),
        (
            "memories",
            memory("we-never-push", "We never push to main", "We never push to main."),
            memory("we-never-push", "We never push to release branches", "We never push to release branches."),
            "written",
        ),
        (
            "memories",
            memory("la-base", "La base de staging es db-1", ""),
            memory("la-base", "La base de staging se borra los domingos", ""),
            "written",
        ),
        (
            "memories",
            memory("tabs", "Tabs in scripts", "In sh."),
            memory("tabs", "Tabs in scripts", "In Makefiles."),
            "written",
        ),
        (
            "memories",
            memory("tabs", "Tabs in scripts", ""),
            memory("tabs-shell", "Tabs in the scripts", ""),
            "duplicate_of",
        ),
        (
            "memories",
            memory("tabs", "Tabs in scripts", "Not blanks."),
            memory("tabs-shell", "Tabs in scripts", "Not blanks."),
            "duplicate_of",
        ),
        (
            "memories",
            memory("tabs", "Tabs in scripts", "Not blanks."),
            memory("tabs", "Tabs in the scripts", ""),
            "duplicate_of",
        ),
        ("failures", failure("The runner has no clock"), failure("The disk was full"), "written"),
        ("failures", failure(""), failure("The disk was full"), "written"),
        ("failures", failure("The disk was full"), failure("A full disk"), "written"),
        ("failures", failure("The lock of the queue is stale"), failure("The queue's lock is stale"), "duplicate_of"),
        ("failures", failure("The disk was full"), failure(""), "duplicate_of"),
        (
            "learnings",
            learning("Symlinks keep the source read-only", "Symlinks keep the source read-only. Copies do not."),
            learning(
                "Symlinks keep the source read-only",
                "Symlinks keep the source read-only. They break on Windows.",
            ),
            "written",
        ),
        (
            "learnings",
            learning("Watch the clock", "CI clocks drift."),
            learning("Watch a clock", "Timeouts are monotonic."),
            "written",
        ),
        (
            "learnings",
            learning("Watch the clock", "CI clocks drift."),
            learning("Watch the clock", "A CI clock drifts."),
            "unchanged",
        ),
        (
            "learnings",
            learning("Watch the clock", "CI clocks drift."),
            learning("Watch a clock", "CI clocks drift"),
            "duplicate_of",
        ),
    ]
}

#[test]
fn what_is_named_alike_is_told_apart_by_what_it_says() {
    for (list, one, two, wanted) in named_alike() {
        for together in [false, true] {
            let home = Home::new();
            let grounded = |item: &Value, quote: &str| {
                let mut item = item.clone();
                item["grounded"] = true.into();
                item["evidence"] = json!([{"quote": quote, "line": 3, "said_by": "user"}]);
                item
            };
            let (one, two) = (grounded(&one, "one thing was said"), grounded(&two, "another thing was said"));
            let of = |id: &str, items: &[&Value]| home.distilled(id, &json!({list: items}));
            let inputs = if together { vec![of("a", &[&one, &two])] } else { vec![of("a", &[&one]), of("b", &[&two])] };
            let receipts = || -> Vec<Value> {
                let all = inputs.iter().flat_map(|input| home.receipts(input));
                all.filter(|receipt| receipt["type"] == "written").collect()
            };
            let first = receipts();
            let case = format!("{one} / {two}: {first:?}");
            // In one session the same under the same name is there already.
            let wanted =
                if together && wanted != "written" && first[0]["id"] == first[1]["id"] { "unchanged" } else { wanted };
            assert_eq!((&first[0]["result"], &first[1]["result"]), (&json!("written"), &json!(wanted)), "{case}");
            let again = receipts();
            if wanted == "written" {
                // Each has an id and a place of its own, and is found there again.
                assert_ne!(first[0]["id"], first[1]["id"], "{case}");
                assert!(list != "learnings" || first[0]["path"] != first[1]["path"], "{case}");
                for (first, again) in first.iter().zip(&again) {
                    assert_eq!(again["result"], "unchanged", "{case}: {again}");
                    assert_eq!((&again["id"], &again["path"]), (&first["id"], &first["path"]), "{case}");
                }
            }
            let ids: Vec<Value> = match list {
                "learnings" => first.iter().map(|receipt| receipt["id"].clone()).collect(),
                _ => home
                    .memory(match list {
                        "memories" => ".state/notes.jsonl",
                        "failures" => "failures.jsonl",
                        _ => "decisions.jsonl",
                    })
                    .lines()
                    .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
                    .collect(),
            };
            assert!(list == "learnings" || ids.len() == 1 + usize::from(wanted == "written"), "{case}");
            if wanted == "duplicate_of" {
                assert_eq!(first[1]["duplicate_of"], ids[0], "{case}");
            }
        }
    }
}

#[test]
fn the_same_first_quote_of_a_session_that_grew_outweighs_another_cause() {
    let home = Home::new();
    let failure = |summary: &str, cause: &str| {
        let mut failure = item(summary, "the tests fail on CI again");
        failure["root_cause"] = cause.into();
        json!({"failures": [failure]})
    };
    let first = home.receipts(&home.distilled("a", &failure("The tests fail on CI", "No clock")));
    let again = home.receipts(&home.distilled("a", &failure("The tests fail on CI", "The runner lacks a clock")));
    assert_eq!((&again[0]["result"], &again[0]["duplicate_of"]), (&json!("duplicate_of"), &first[0]["id"]));
    assert_ne!(again[0]["id"], first[0]["id"], "what was not kept does not read as what was");
    assert_eq!(home.memory("failures.jsonl").lines().count(), 1);
}

#[test]
fn a_learning_is_compared_with_all_others_and_a_review_is_none() {
    let home = Home::new();
    let folder = "Documents/lazy-harness-knowledge/learnings/2026-04/";
    for title in ["Ask for a code review", "Profile deploy uses symlinks"] {
        assert_eq!(home.results(&home.distilled("s-1", &learning(title)))[0], "written", "{title}");
        assert_eq!(home.results(&home.distilled("s-2", &learning(title)))[0], "unchanged", "{title}");
    }
    for number in 0..300 {
        home.write(
            &format!("{folder}2026-04-20-{number:03}.md"),
            &format!("---\ntitle: \"Lesson number {number}\"\nstatus: active\n---\n"),
        );
    }
    home.write(&format!("{folder}_review-2026-04-20.md"), "---\ntitle: \"A review is none\"\n---\n");
    let again = home.distilled("s-3", &learning("A deploy of the profile uses symlinks"));
    assert_eq!(home.results(&again)[0], "duplicate_of");
    assert_eq!(home.results(&home.distilled("s-3", &learning("A review is none")))[0], "written");
}

#[test]
fn a_conflict_copy_is_no_second_learning() {
    let folder = tempfile::tempdir().unwrap();
    let page = |title: &str, status: &str| format!("---\ntitle: \"{title}\"\nstatus: {status}\n---\n\n## Learning\n");
    let month = folder.path().join("2026-04");
    std::fs::create_dir_all(&month).unwrap();
    let copies = [
        "2026-04-13-one.md",
        "2026-04-13-one.sync-conflict-20260413-101112-ABCDEFG.md",
        "2026-04-13-one 2.md",
        "2026-04-13-one (conflicted copy 2026-04-13).md",
        "2026-04-13-one (Ana's conflicted copy 2026-04-13).md",
        "2026-04-13-one-HOST.md",
    ];
    for name in copies {
        std::fs::write(month.join(name), page("One thing", "active")).unwrap();
    }
    std::fs::write(month.join("2026-04-13-two.md"), page("Two things", "active")).unwrap();
    std::fs::write(month.join("2026-04-13-two-review.md"), page("Two things, reviewed", "active")).unwrap();
    let known = lh::store::learnings::newest(folder.path()).unwrap();
    let titles: Vec<&str> = known.iter().map(|learning| learning.item.summary.as_str()).collect();
    assert_eq!(titles, ["Two things", "Two things, reviewed", "One thing"]);
    assert_eq!(known[2].path, month.join(copies[0]));
    // Deprecated in one copy is deprecated.
    std::fs::write(month.join(copies[1]), page("One thing", "deprecated")).unwrap();
    assert!(!lh::store::learnings::newest(folder.path()).unwrap()[2].active);
}

/// A session that is distilled again puts its facts in other words; what else was said in the same message is another.
#[test]
fn what_one_session_says_again_in_other_words_is_one_item() {
    let home = Home::new();
    let quotes = ["the recorded commit must itself have modified the path", "it need not be the newest one"];
    let lists = |summary: &str, quote: usize, line: u64| {
        let evidence =
            json!([{"quote": format!("{} {line}", quotes[quote]), "line": line, "uuid": "u", "said_by": "assistant"}]);
        json!({"decisions": [{"summary": summary, "evidence": evidence, "grounded": true}]})
    };
    let first = "The queue is kept in plain files of each host, and not in sqlite";
    let again = "Plain files hold the queue of a host, instead of a table in sqlite";
    assert_eq!(home.results(&home.distilled("a", &lists(first, 0, 7)))[0], "written");
    for (session, summary, line, wanted) in [
        ("a", again, 7, "duplicate_of"),
        // In another message, in another session, and another fact of the same message.
        ("a", again, 9, "written"),
        ("b", "Plain files keep the queue of the host instead of sqlite tables", 7, "written"),
        ("a", "The queue is kept in a table of sqlite, and not in plain files of each host", 7, "written"),
        ("a", "Two queues are kept in plain files of each host, and not in sqlite", 7, "written"),
        ("a", "The log is kept in plain files of each host, and not in sqlite", 7, "written"),
    ] {
        let result = home.results(&home.distilled(session, &lists(summary, 1, line)));
        assert_eq!(result[0], wanted, "{session} {line} {summary}");
    }
}

#[test]
fn a_field_that_was_dropped_waits_in_the_quarantine_once() {
    let home = Home::new();
    let mut kept = item("Keep the queue as plain files", "keep the queue as plain files");
    let reason = "most of its words were not said around the item's quotes";
    kept["dropped"] = json!([
        {"field": "rationale", "text": "It is more robust", "reason": reason},
        {"field": "alternatives", "text": "a table with the key ghp_9fK2mQ7xW4tZ8bN3vR6yL1pH5sD0aJ2cE7gU", "reason": reason},
    ]);
    let mut learning = learning("Ask for a code review");
    learning["learnings"][0]["dropped"] = json!([{"field": "context", "text": "In banks", "reason": reason}]);
    for _ in 0..2 {
        home.results(&home.distilled("a", &json!({"decisions": [kept.clone()]})));
        home.results(&home.distilled("a", &learning));
    }
    let lines: Vec<Value> =
        home.memory("quarantine.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<String> =
        lines.iter().map(|line| format!("{} {} {}", line["type"], line["of"], line["field"])).collect();
    let wanted = [
        r#""field" "decision" "rationale""#,
        r#""field" "decision" "alternatives""#,
        r#""field" "learning" "context""#,
    ];
    assert_eq!(told, wanted);
    assert_eq!(home.memory("decisions.jsonl").lines().count(), 1);
    assert!(
        !home.memory("decisions.jsonl").contains("robust") && !home.memory("quarantine.jsonl").contains("9fK2mQ7x")
    );
    // The same lines in the memory of a folder that is there.
    std::fs::create_dir_all(home.own_memory()).unwrap();
    std::fs::write(home.own_memory().join("quarantine.jsonl"), home.memory("quarantine.jsonl")).unwrap();
    let list =
        home.tool("lh-persist").current_dir(home.path("")).args(["--text", "--list-quarantine"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let first = list.lines().next().unwrap_or_default();
    assert!(first.ends_with(&format!("rationale of a decision: It is more robust ({reason})")), "{list}");
    assert_eq!(list.lines().count(), 3, "{list}");
}

/// What a person wrote in an older encoding is not lost where the page is written again.
#[test]
fn a_handoff_in_latin_1_keeps_its_letters() {
    let home = Home::new();
    home.results(&handoff_of(&home, "a", 18, "none", &["mend the build"]));
    let path = home.path(".claude/projects/-src-lh/memory/handoff.md");
    let mut page = std::fs::read(&path).unwrap();
    page.extend(b"- pedir la contrase\xf1a a Bego\xf1a\n- \xc4rger \x93quoted\x94\n");
    std::fs::write(&path, &page).unwrap();
    home.results(&handoff_of(&home, "b", 19, "none", &["ship the build"]));
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.contains("- pedir la contraseña a Begoña\n") && after.contains("ship the build"), "{after}");
    assert!(after.contains("- Ärger ") && !after.contains('\u{fffd}'), "{after}");
}

/// A client that finds no index makes one of every page that it finds, our own too.
#[test]
fn a_memory_is_never_left_without_an_index() {
    let home = Home::enabled("");
    let cwd = home.path("").canonicalize().unwrap();
    let session = |id: &str| {
        let transcript = home.transcript(id, &cwd, 4);
        home.tool("lh-find-session").arg(transcript).output().unwrap().stdout
    };
    let index = home.own_memory().join("MEMORY.md");
    for (tool, args) in [("lh-summarize", &["--progress"][..]), ("lh-summarize", &[])] {
        let _ = std::fs::remove_file(&index);
        let output =
            home.tool(tool).args(args).write_stdin(session(&format!("aaaaaaaa-{}", args.len()))).output().unwrap();
        assert!(output.status.success(), "{tool}: {output:?}");
        assert_eq!(std::fs::read_to_string(&index).unwrap_or_default(), "# Memory\n", "{tool} {args:?}");
    }
    home.results(&handoff_of(&home, "a", 18, "none", &["mend the build"]));
    assert_eq!(home.memory("MEMORY.md"), "# Memory\n");
    std::fs::write(&index, "- [mine](mine.md)\n").unwrap();
    assert!(
        home.tool("lh-summarize")
            .arg("--progress")
            .write_stdin(session("bbbbbbbb-1"))
            .output()
            .unwrap()
            .status
            .success()
    );
    assert_eq!(std::fs::read_to_string(&index).unwrap(), "- [mine](mine.md)\n");
}
