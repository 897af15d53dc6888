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
            "source_modified_at": "2026-04-13T21:00:00Z", "ts": "2026-04-13T18:32:45Z", "engine": "claude",
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
