//! What a session is told of files, symbols and commands that its checkout no longer has.

use crate::home::Home;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A checkout with a file, a symbol in it and a command, and items that name them.
struct Named {
    home: Home,
    checkout: PathBuf,
}

impl Named {
    fn new() -> Self {
        let home = Home::new();
        home.git_user();
        let checkout = home.path("app").canonicalize().unwrap_or_else(|_| {
            std::fs::create_dir_all(home.path("app")).unwrap();
            home.path("app").canonicalize().unwrap()
        });
        home.write("app/src/upload.rs", "pub fn retry_upload() {}\n");
        home.write("app/Makefile", "soak:\n\ttrue\n");
        let named = Self { home, checkout };
        named.git(&["init", "-q", "-b", "main"]);
        named.git(&["add", "."]);
        named.git(&["commit", "-q", "-m", "first"]);
        named
    }

    fn git(&self, args: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(&self.checkout);
        let output = git.env("HOME", self.home.path("")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn folder(&self) -> PathBuf {
        let slug: String = self.checkout.to_string_lossy().chars().map(plain).collect();
        self.home.path(&format!(".claude/projects/{slug}"))
    }

    fn persist(&self, lists: &Value) {
        let folder = self.folder();
        let mut record = json!({
            "type": "distilled", "session_id": "old", "transcript": folder.join("old.jsonl"), "cwd": self.checkout,
            "project": "app", "memory_dir": folder.join("memory"), "agent_home": self.home.path(".claude"),
            "source_modified_at": jiff::Timestamp::now().to_string(), "ts": "2026-04-13T18:32:45Z", "engine": "claude",
            "handoff_base": "none",
        });
        record.as_object_mut().unwrap().extend(lists.as_object().unwrap().clone());
        let output = self.home.tool("lh-persist").write_stdin(record.to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The items that a session of `folder` is told, without ids and days.
    fn told(&self, folder: &Path) -> Vec<String> {
        let payload = json!({"cwd": folder, "session_id": "now", "transcript_path": self.folder().join("now.jsonl")});
        let mut tool = self.home.tool("lh-context");
        let output = tool.args(["--format", "markdown"]).write_stdin(payload.to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let items = ["- decided ", "- failed ", "- fact ", "- learned ", "- mend "];
        let items = text.lines().filter(|line| items.iter().any(|head| line.starts_with(head)));
        items.map(|line| line.split_whitespace().filter(|word| !is_id(word)).collect::<Vec<_>>().join(" ")).collect()
    }
}

fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() { letter } else { '-' }
}

/// A day, or an id in brackets.
fn is_id(word: &str) -> bool {
    let inner = word.trim_matches(['(', ')', ':']);
    let is_hex = inner.len() == 6 && inner.chars().all(|digit| digit.is_ascii_hexdigit());
    is_hex || inner.starts_with("2026-")
}

fn item(summary: &str, more: &Value) -> Value {
    let mut item = json!({"summary": summary, "grounded": true, "evidence": []});
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    item
}

#[test]
fn what_an_item_names_is_marked_while_it_is_gone() {
    let named = Named::new();
    let token = format!("ghp_{}", "0aB1cD2eF3".repeat(4).get(..36).unwrap());
    let learning =
        |title: &str| json!({"title": title, "learning": "As src/upload.rs does.", "scope": "infra", "grounded": true});
    named.persist(&json!({
        "decisions": [
            item("Uploads are sent again by `retry_upload` in src/upload.rs", &json!({})),
            item(&format!("Keys are read from `src/{token}/keys.rs`"), &json!({})),
        ],
        "failures": [item("An upload was sent twice", &json!({"prevention": "Run `make soak` before a release"}))],
        "memories": [{"name": "uploads", "type": "project", "body": "Uploads are in `src/upload.rs` alone.", "grounded": true}],
        "learnings": [learning("Send again with a limit")],
        "handoff": [item("mend the retry in `src/upload.rs`", &json!({}))],
    }));
    // The same of another project.
    let page =
        "---\ntitle: \"Send once\"\norigin: other\nstatus: active\n---\n\n## Learning\n\nAs src/upload.rs does.\n";
    named.home.write("Documents/lazy-harness-knowledge/learnings/2026-04/2026-04-12-send-once.md", page);
    let [file, symbol, command] = ["src/upload.rs", "retry_upload in src/upload.rs", "make soak"];
    let line = |head: &str, gone: &str, tail: &str| {
        let gone = if gone.is_empty() { String::new() } else { format!(" (gone since: {gone})") };
        format!("{head}{gone}{tail}")
    };
    // What of these is gone, in the order in which it is told: the handoff, memories, learnings, history.
    let expected = |handoff: &str, known: &str, decided: &str, failed: &str| {
        // Without a mark the client tells the fact, by its index.
        let fact = (!known.is_empty()).then(|| line("- fact Uploads are in `src/upload.rs` alone.", known, ""));
        let of_handoff = line("- mend the retry in `src/upload.rs`", handoff, "");
        let rest = [
            line("- learned Send again with a limit — As src/upload.rs does.", known, ""),
            "- learned Send once — As src/upload.rs does.".to_owned(),
            line("- decided Uploads are sent again by `retry_upload` in src/upload.rs", decided, ""),
            line("- failed An upload was sent twice", failed, " — prevention: Run `make soak` before a release"),
        ];
        [of_handoff].into_iter().chain(fact).chain(rest).collect::<Vec<_>>()
    };
    let told = |folder: &Path| {
        let mut told = named.told(folder);
        assert!(!told.concat().contains(&token), "{told:?}");
        told.retain(|line| !line.contains("Keys are read"));
        told
    };
    let all_there = expected("", "", "", "");
    assert_eq!(told(&named.checkout), all_there);
    // A linked worktree has files of its own.
    let linked = named.home.path("linked");
    named.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    named.git(&["mv", "src/upload.rs", "src/sender.rs"]);
    let gone = expected(file, file, symbol, "");
    assert_eq!(told(&named.checkout), gone);
    assert_eq!(told(&named.checkout.join("src")), gone, "in a folder below");
    assert_eq!(told(&linked), all_there);
    named.git(&["mv", "src/sender.rs", "src/upload.rs"]);
    assert_eq!(told(&named.checkout), all_there);
    // Removed, and not said to git.
    std::fs::remove_file(named.checkout.join("src/upload.rs")).unwrap();
    assert_eq!(told(&named.checkout), gone);
    // Only the symbol, and only the command.
    named.home.write("app/src/upload.rs", "pub fn retry_uploads() {}\n");
    named.home.write("app/Makefile", "soak-test:\n\ttrue\n");
    assert_eq!(told(&named.checkout), expected("", "", symbol, command));
    named.git(&["checkout", "-q", "."]);
    assert_eq!(told(&named.checkout), all_there);
    // What cannot be looked at is not gone.
    std::fs::remove_file(named.checkout.join("src/upload.rs")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", named.checkout.join("src/upload.rs")).unwrap();
    assert_eq!(told(&named.checkout), all_there);
}

#[test]
fn recall_marks_what_is_gone_in_the_current_checkout() {
    let named = Named::new();
    named.persist(&json!({"decisions": [
        item("Uploads are sent again by `retry_upload` in src/upload.rs", &json!({})),
        item("Uploads are sent in the order of src/order.rs", &json!({})),
    ]}));
    let recall = |folder: &Path, args: &[&str]| -> Vec<Value> {
        let output = named.home.tool("lh-recall").args(args).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let gone = |folder: &Path| -> Vec<Option<String>> {
        let mut hits = recall(folder, &["uploads", "sent"]);
        hits.sort_by_key(|hit| hit["text"].to_string().contains("order.rs"));
        hits.iter().map(|hit| hit["gone_since"].as_str().map(str::to_owned)).collect()
    };
    let order = Some("src/order.rs".to_owned());
    assert_eq!(gone(&named.checkout), [None, order.clone()]);
    // It comes last, even where it answers better.
    for (folder, is_last) in [(&named.checkout, true), (&named.home.path(""), false)] {
        let hits = recall(folder, &["uploads", "sent", "order"]);
        assert_eq!(hits[1]["text"].to_string().contains("order.rs"), is_last, "{hits:?}");
    }
    std::fs::remove_file(named.checkout.join("src/upload.rs")).unwrap();
    assert_eq!(gone(&named.checkout), [Some("retry_upload in src/upload.rs".to_owned()), order]);
    let id = recall(&named.checkout, &["order"])[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(recall(&named.checkout, &["--show", &id])[0]["gone_since"], "src/order.rs");
    // Of a folder that is in no checkout of the project nothing is known.
    assert_eq!(gone(&named.home.path("")), [None, None]);
}

#[test]
fn a_long_item_keeps_its_mark_and_its_id() {
    let named = Named::new();
    let paths: Vec<String> = (0..9).map(|number| format!("src/{}{number}.rs", "upload".repeat(9))).collect();
    let text = format!("mend {} {}", paths.join(" and "), "again and ".repeat(60));
    named.persist(&json!({"handoff": [item(&text, &json!({}))], "decisions": [item(&text, &json!({}))]}));
    let payload = json!({"cwd": named.checkout, "session_id": "now"}).to_string();
    let output = named.home.tool("lh-context").args(["--format", "markdown"]).write_stdin(payload).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let open = told.lines().find(|line| line.starts_with("- mend")).unwrap();
    let id = open.rsplit_once(" (").unwrap().1;
    assert!(is_id(id) && open.contains(" (gone since: src/uploadupload"), "{open}");
    assert!(told.lines().all(|line| line.chars().count() <= 401), "{told}");
}

const BODY: &str = "pub fn retry_upload(times: u8) {\n    for _ in 0..times {\n        send();\n    }\n}\n";

impl Named {
    /// A checkout with a file whose definition has a body.
    fn with_body() -> Self {
        let named = Self::new();
        named.home.write("app/src/upload.rs", &format!("use x;\n\n{BODY}\nfn last() {{}}\n"));
        named.git(&["commit", "-aqm", "a body"]);
        named
    }

    /// Items of each kind that name the definition, a line and a command.
    fn with_items() -> Self {
        let named = Self::with_body();
        named.persist(&json!({
            "decisions": [item("Uploads are sent again by `retry_upload` in src/upload.rs", &json!({}))],
            "failures": [item("A tenth upload was lost at src/upload.rs:4", &json!({"prevention": "Run `make soak`"}))],
            "memories": [{"name": "uploads", "type": "project", "body": "The limit is an argument of `retry_upload` (src/upload.rs).", "grounded": true}],
            "handoff": [item("mend the bound of `retry_upload` in src/upload.rs", &json!({}))],
        }));
        named
    }

    /// The marks behind what a session of a folder is told.
    fn marks(&self, folder: &Path) -> Vec<String> {
        let told = self.told(folder);
        let marks = told.iter().filter_map(|line| {
            let at = line.find(" (gone since: ").or_else(|| line.find(" (changed since: "))?;
            Some(line[at + 2..].split(')').next()?.to_owned())
        });
        marks.collect()
    }

    /// What became of what the items name that answer a question: a line each, "NAME STATE".
    fn cites(&self, folder: &Path, words: &str) -> Vec<String> {
        let output = self.home.tool("lh-recall").args([words]).current_dir(folder).output().unwrap();
        let mut all = Vec::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let hit: Value = serde_json::from_str(line).unwrap();
            let told = |cite: &Value| format!("{} {}", cite["name"].as_str().unwrap(), cite["state"].as_str().unwrap());
            all.extend(hit["cites"].as_array().into_iter().flatten().map(told));
        }
        all.sort();
        all.dedup();
        all
    }
}

#[test]
fn what_changed_is_marked_where_it_is_told() {
    let named = Named::with_items();
    let symbol = "retry_upload in src/upload.rs";
    let none: [String; 0] = [];
    let states = |line: &str, symbol_is: &str, soak: &str| {
        [format!("make soak {soak}"), format!("{symbol} {symbol_is}"), format!("src/upload.rs:4 {line}")]
    };
    let cites = || named.cites(&named.checkout, "upload uploads limit lost retry_upload");
    assert_eq!(named.marks(&named.checkout), none);
    assert_eq!(cites(), states("still_so", "still_so", "still_so"));
    // It moved, and other things changed; then Windows wrote it.
    let moved = format!("use y;\n\nfn first() {{\n}}\n\n{BODY}\nfn very_last() {{}}\n");
    named.home.write("app/src/upload.rs", &moved);
    named.home.write("app/Makefile", "all:\n\tmake soak\n\nsoak:\n\ttrue\n");
    assert_eq!(cites(), states("changed_since", "still_so", "still_so"), "the line above is another one");
    named.home.write("app/src/upload.rs", &moved.replace('\n', "\r\n"));
    assert_eq!(named.marks(&named.checkout), ["changed since: src/upload.rs:4"]);
    // The lines themselves.
    named
        .home
        .write("app/src/upload.rs", &format!("use x;\n\n{}\nfn last() {{}}\n", BODY.replace("send()", "send_all()")));
    named.home.write("app/Makefile", "soak:\n\tfalse\n");
    assert_eq!(cites(), states("changed_since", "changed_since", "changed_since"));
    let changed = format!("changed since: {symbol}");
    let of_failure = "changed since: src/upload.rs:4, make soak";
    assert_eq!(named.marks(&named.checkout), [&changed, &changed, &changed, of_failure]);
    assert_eq!(named.marks(&named.checkout.join("src")), [&changed, &changed, &changed, of_failure], "a folder below");
    // A prompt that needs the memory.
    let select = |args: &[&str], input: &str| {
        let mut tool = named.home.tool("lh-select");
        let output = tool.args(args).current_dir(&named.checkout).write_stdin(input.to_owned()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let prompt = "what is the limit argument of retry_upload?";
    let record: Value = serde_json::from_str(select(&[prompt], "").lines().next().unwrap()).unwrap();
    assert_eq!(record["cites"], json!([{"name": symbol, "state": "changed_since"}]));
    named.home.write(".config/lazy-harness/config.toml", "[memory]\nselect = \"rank\"\n");
    let payload = json!({"cwd": named.checkout, "session_id": "s1", "prompt": prompt}).to_string();
    assert!(select(&["--hook"], &payload).contains(&format!(" ({changed})")), "{}", select(&["--hook"], &payload));
    // One item, whole, for a program and for a person.
    let id = named.home.tool("lh-recall").args(["again"]).current_dir(&named.checkout).output().unwrap();
    let id =
        serde_json::from_slice::<Value>(id.stdout.split(|byte| *byte == b'\n').next().unwrap()).unwrap()["id"].clone();
    let show = |args: &[&str]| {
        let mut tool = named.home.tool("lh-recall");
        let output =
            tool.args(["--show", id.as_str().unwrap()]).args(args).current_dir(&named.checkout).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let shown: Value = serde_json::from_str(&show(&[])).unwrap();
    assert_eq!(shown["cites"], json!([{"name": symbol, "state": "changed_since"}]));
    assert_eq!(shown["gone_since"], Value::Null);
    assert!(show(&["--text"]).contains(&format!("\n    {changed}\n")), "{}", show(&["--text"]));
    named.git(&["checkout", "-q", "."]);
    assert_eq!(named.marks(&named.checkout), none);
    assert!(show(&["--text"]).contains(&format!("\n    still so: {symbol}\n")), "{}", show(&["--text"]));
}

#[test]
fn what_was_seen_on_another_branch_is_not_judged_here() {
    let named = Named::with_body();
    let linked = named.home.path("linked").canonicalize().unwrap_or_else(|_| named.home.path("linked"));
    named.git(&["worktree", "add", "-qb", "feat/sender", linked.to_str().unwrap()]);
    std::fs::write(linked.join("src/sender.rs"), "pub fn send_again() {\n    1\n}\n").unwrap();
    std::fs::write(linked.join("src/upload.rs"), BODY.replace("send()", "send_again()")).unwrap();
    let from = |cwd: &Path, branch: &str, id: &str, summary: &str| {
        let folder = named.folder();
        let record = json!({
            "type": "distilled", "session_id": id, "transcript": folder.join("old.jsonl"), "cwd": cwd, "branch": branch,
            "project": "app", "memory_dir": folder.join("memory"), "agent_home": named.home.path(".claude"),
            "source_modified_at": jiff::Timestamp::now().to_string(), "ts": "2026-04-13T18:32:45Z", "engine": "claude",
            "handoff_base": "none", "decisions": [item(summary, &json!({}))],
            "memories": [{"name": id, "type": "project", "body": summary, "grounded": true}],
        });
        let output = named.home.tool("lh-persist").write_stdin(record.to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    from(
        &linked,
        "feat/sender",
        "s1",
        "The sender is `send_again` in src/sender.rs, called by `retry_upload` in src/upload.rs",
    );
    // The session was on a branch that is not checked out any more when it is persisted.
    from(&named.checkout, "feat/other", "s2", "The parser of receipts is `read_receipt` in src/receipt.rs");
    named.git(&["branch", "feat/other"]);
    let none: [String; 0] = [];
    assert_eq!(named.marks(&named.checkout), none, "on main");
    assert_eq!(named.marks(&linked), none, "where it was made");
    let cites = named.cites(&linked, "sender");
    assert_eq!(cites, ["retry_upload in src/upload.rs still_so", "send_again in src/sender.rs still_so"]);
    assert_eq!(named.cites(&named.checkout, "sender"), none);
    let dream = |folder: &Path| {
        let run = |option| named.home.tool("lh-dream").arg(option).current_dir(folder).output().unwrap().stdout;
        run("--force");
        String::from_utf8_lossy(&run("--json")).matches("gone from the checkout").count()
    };
    assert_eq!(dream(&named.checkout), 0);
    // There it changes.
    std::fs::write(linked.join("src/upload.rs"), BODY).unwrap();
    std::fs::remove_file(linked.join("src/sender.rs")).unwrap();
    let mark = "gone since: send_again in src/sender.rs; changed since: retry_upload in src/upload.rs";
    assert!(named.marks(&linked).iter().any(|told| told == mark), "{:?}", named.marks(&linked));
    assert_eq!(named.marks(&named.checkout), none);
    // Merged, and without its worktree and its branch: now it is of where we are, also by a packed list.
    named.git(&["pack-refs", "--all"]);
    assert_eq!(named.marks(&named.checkout), none);
    named.git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    named.git(&["branch", "-qD", "feat/sender"]);
    assert!(named.marks(&named.checkout).iter().any(|told| told == mark), "{:?}", named.marks(&named.checkout));
    // Without a branch nothing is compared.
    named.git(&["checkout", "-q", "--detach"]);
    named.git(&["branch", "feat/sender"]);
    assert_eq!(named.marks(&named.checkout), none);
}

#[test]
fn an_item_of_an_earlier_version_is_marked_as_before() {
    let named = Named::with_items();
    let journal = named.folder().join("memory/decisions.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let mut line: Value = serde_json::from_str(&text).unwrap();
    let seen = line.as_object_mut().unwrap().remove("seen").unwrap();
    assert_eq!((&seen["branch"], &seen["cites"][0]["name"]), (&json!("main"), &json!("retry_upload in src/upload.rs")));
    std::fs::write(&journal, format!("{line}\n")).unwrap();
    named.home.write("app/src/upload.rs", &BODY.replace("send()", "send_all()"));
    let of_decision = || named.told(&named.checkout).into_iter().find(|line| line.starts_with("- decided")).unwrap();
    assert!(!of_decision().contains("since"), "{}", of_decision());
    std::fs::remove_file(named.checkout.join("src/upload.rs")).unwrap();
    assert!(of_decision().contains("(gone since: retry_upload in src/upload.rs)"), "{}", of_decision());
    // What another program wrote under the name is no harm.
    for wrong in [json!("x"), json!(7), json!({"branch": 1, "cites": {}}), json!({"cites": [1, {"name": null}]})] {
        line["seen"] = wrong.clone();
        std::fs::write(&journal, format!("{line}\n")).unwrap();
        assert!(of_decision().contains("(gone since: "), "{wrong}: {}", of_decision());
    }
}

#[test]
fn the_same_record_again_keeps_what_was_seen() {
    let named = Named::with_items();
    let journal = || std::fs::read_to_string(named.folder().join("memory/decisions.jsonl")).unwrap();
    let before = journal();
    named.home.write("app/src/upload.rs", &BODY.replace("send()", "send_all()"));
    named.persist(
        &json!({"decisions": [item("Uploads are sent again by `retry_upload` in src/upload.rs", &json!({}))]}),
    );
    assert_eq!(journal(), before);
    assert_eq!(named.marks(&named.checkout)[0], "changed since: retry_upload in src/upload.rs");
}

#[test]
fn no_program_is_started_for_it() {
    use std::os::unix::fs::PermissionsExt;
    let named = Named::with_items();
    let (git, log) = (named.home.path("bin/git"), named.home.path("calls"));
    named.home.write(
        "bin/git",
        &format!("#!/bin/sh\necho \"$*\" >>'{}'\nPATH=/usr/bin:/bin exec git \"$@\"\n", log.display()),
    );
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let calls = |tool: &str, args: &[&str], input: &Value| {
        let _ = std::fs::remove_file(&log);
        let path = format!("{}:/usr/bin:/bin", named.home.path("bin").display());
        let mut tool = named.home.tool(tool);
        let output =
            tool.args(args).env("PATH", path).current_dir(&named.checkout).write_stdin(input.to_string()).output();
        assert!(output.unwrap().status.success());
        named.home.read("calls").lines().count()
    };
    named.home.write("app/src/upload.rs", &BODY.replace("send()", "send_all()"));
    let payload = json!({"cwd": named.checkout, "session_id": "now"});
    let folder = named.folder();
    let record = json!({
        "type": "distilled", "session_id": "s2", "transcript": folder.join("s2.jsonl"), "cwd": named.checkout,
        "project": "app", "memory_dir": folder.join("memory"), "agent_home": named.home.path(".claude"),
        "decisions": [item("The last call is `last` in src/upload.rs", &json!({}))],
    });
    assert_eq!(calls("lh-persist", &[], &record), 0);
    assert_eq!(calls("lh-recall", &["uploads"], &json!({})), 0);
    let with = calls("lh-context", &[], &payload);
    std::fs::remove_dir_all(folder.join("memory")).unwrap();
    assert_eq!(calls("lh-context", &[], &payload), with, "as many as without items");
}

#[test]
fn a_checkout_that_hurts_costs_its_marks_alone() {
    let named = Named::with_body();
    let src = named.checkout.join("src");
    std::fs::File::create(src.join("huge.rs")).unwrap().set_len(1 << 30).unwrap();
    std::os::unix::fs::symlink("/etc", src.join("etc")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(src.join("pipe.rs")).status().unwrap().success());
    std::fs::write(src.join("binary.rs"), b"fn parse() {\0\xff}\n").unwrap();
    let many: Vec<String> = (0..1000).map(|number| format!("src/f{number}.rs:1")).collect();
    let texts = [
        "The huge one is `parse` in src/huge.rs".to_owned(),
        "The pipe is `parse` in src/pipe.rs:3".to_owned(),
        "The link is `root` in src/etc/passwd".to_owned(),
        "The way out is `root` in ../../etc/passwd:1".to_owned(),
        "Binary is `parse` in src/binary.rs".to_owned(),
        format!("Many are {}", many.join(", ")),
    ];
    named.persist(&json!({"decisions": texts.iter().map(|text| item(text, &json!({}))).collect::<Vec<_>>()}));
    let journal = std::fs::read_to_string(named.folder().join("memory/decisions.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), texts.len());
    assert!(
        journal.lines().all(|line| line.split_once("\"seen\":").is_none_or(|(_, seen)| seen.len() < 900)),
        "{journal}"
    );
    assert!(journal.contains("parse in src/binary.rs") && !journal.contains("etc/passwd\",\"sum"), "{journal}");
    let told = named.told(&named.checkout);
    assert!(told.iter().any(|line| line.contains("Binary is")), "{told:?}");
    assert!(!told.iter().any(|line| line.contains("etc/passwd)") || line.contains("huge.rs)")), "{told:?}");
    // Not there any more, and no git.
    std::fs::remove_dir_all(named.checkout.join(".git")).unwrap();
    assert!(!named.told(&named.checkout).is_empty());
    std::fs::remove_dir_all(&named.checkout).unwrap();
    named.persist(&json!({"decisions": [item("It stays in `parse` in src/gone.rs", &json!({}))]}));
}

#[test]
fn of_an_old_session_the_checkout_of_now_says_nothing() {
    let named = Named::with_items();
    let says = "Parts are sent by `send_part` in src/upload.rs";
    named.persist(&json!({"source_modified_at": "2026-04-13T21:00:00Z", "decisions": [item(says, &json!({}))]}));
    let journal = std::fs::read_to_string(named.folder().join("memory/decisions.jsonl")).unwrap();
    let lines: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().map(|line| line.get("seen").is_some()).collect::<Vec<_>>(), [true, false]);
}
