//! lh-persist --undo, --list-quarantine and --release: what a run wrote is taken back to the byte, and nothing else.

use crate::home::{Home, binary};
use lh::record::item;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A file that is not ours to change.
const VICTIM: &str = "Somebody's file.\n";

/// A project, which is the home's own folder.
struct Ground(Home);

/// Every file and folder, but for locks, receipts and what is known of sessions.
type Tree = BTreeMap<String, Option<Vec<u8>>>;

impl Ground {
    fn new() -> Self {
        Self(Home::new())
    }

    fn cwd(&self) -> PathBuf {
        self.0.path("").canonicalize().unwrap()
    }

    fn memory(&self) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let slug: String = self.cwd().to_string_lossy().chars().map(plain).collect();
        self.0.path(&format!(".claude/projects/{slug}/memory"))
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.memory().join(name)).unwrap_or_default()
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.memory().join(name), text).unwrap();
    }

    fn receipt(&self, id: &str) -> PathBuf {
        self.memory().join(format!(".state/receipts/{id}.jsonl"))
    }

    /// What a session gave, by an engine that saw the handoff that is there.
    fn record(&self, id: &str, day: u32, lists: &Value) -> String {
        let (cwd, memory) = (self.cwd(), self.memory());
        let base = fs::read(memory.join("handoff.md")).map_or_else(|_| "none".to_owned(), |bytes| item::hash(&bytes));
        let mut record = json!({
            "type": "distilled", "session_id": id, "transcript": memory.with_file_name(format!("{id}.jsonl")), "cwd": cwd,
            "project": cwd.file_name().unwrap().to_string_lossy(), "memory_dir": memory, "agent_home": self.0.path(".claude"),
            "source_size_bytes": 7, "source_modified_at": format!("2026-04-{day:02}T21:00:00Z"),
            "ts": format!("2026-04-{day:02}T20:59:00Z"), "messages": 4, "conversation_hash": "00ff", "engine": "claude",
            "handoff_base": base, "language": "en",
        });
        record.as_object_mut().unwrap().extend(lists.as_object().unwrap().clone());
        format!("{record}\n")
    }

    /// Persists a record; gives what became of its items.
    fn keep(&self, record: &str) -> Vec<String> {
        let now = "2026-05-01T12:00:00Z";
        let output = self.0.tool("lh-persist").env("LH_NOW", now).write_stdin(record).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.map(|record| record["result"].as_str().unwrap().to_owned()).collect()
    }

    fn persist(&self, id: &str, day: u32, lists: &Value) -> Vec<String> {
        self.keep(&self.record(id, day, lists))
    }

    /// The status, and what is printed and said.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.0.tool("lh-persist").arg("--text").args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    }

    fn does(&self, arguments: &[&str]) -> String {
        let (status, text) = self.run(arguments);
        assert_eq!(status, Some(0), "{arguments:?}: {text}");
        text
    }

    fn tree(&self) -> Tree {
        let top = self.cwd();
        let mut folders = vec![top.clone()];
        let mut tree = Tree::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let name = path.strip_prefix(&top).unwrap().to_string_lossy().into_owned();
                // Folders in which memory is, or which the locks are in, stay.
                let below = ["receipts", "queue", ".state", "memory", "projects", ".claude"];
                let is_ours = below.iter().any(|part| path.ends_with(part)) || name.contains("/receipts/");
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path.clone());
                    if name.contains("/learnings/") {
                        tree.insert(name, None);
                    }
                } else if entry.file_type().unwrap().is_symlink() {
                    tree.insert(name, None);
                } else if !is_ours && !name.contains("/queue/") && !name.ends_with("lock") {
                    let bytes = fs::read(&path).unwrap();
                    // An index without a line stays where pages of ours are, so that the client makes none of them.
                    if !(name.ends_with("/MEMORY.md") && bytes == b"# Memory\n") {
                        tree.insert(name, Some(bytes));
                    }
                }
            }
        }
        tree
    }
}

/// The head of the id of what has some words in a list.
fn id_in(list: &str, words: &str) -> String {
    let line = list.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {list}"));
    let line = line.split_once(": ").filter(|(head, _)| !head.contains('-')).map_or(line, |(_, rest)| rest);
    line.split(' ').next().unwrap().to_owned()
}

fn sure(summary: &str) -> Value {
    json!({"summary": summary, "evidence": [{"quote": summary, "line": 3, "said_by": "user"}], "grounded": true})
}

fn unsure(summary: &str) -> Value {
    json!({"summary": summary, "evidence": [{"quote": summary, "line": 3, "said_by": "tool"}], "grounded": false, "reason": "from_tool"})
}

fn lesson(title: &str) -> Value {
    json!({"title": title, "learning": format!("{title}, always."), "context": "C.", "scope": "infra", "tags": ["a"], "evidence": [], "grounded": true})
}

/// All five kinds, and what is not trusted.
fn everything(of: &str) -> Value {
    json!({
        "decisions": [sure(&format!("Keep the {of} in one file")), unsure(&format!("Paint the {of} green"))],
        "failures": [sure(&format!("The {of} broke at noon"))],
        "memories": [{"name": format!("{of}-tabs"), "type": "user", "description": format!("Likes tabs in the {of}"), "body": "B", "grounded": true}],
        "learnings": [lesson(&format!("Weigh the {of} twice"))],
        "handoff": [sure(&format!("Write the docs of the {of}")), sure(&format!("Feed the {of}")), unsure(&format!("Sell the {of}"))],
    })
}

#[test]
fn the_last_run_is_taken_back_to_the_byte_and_comes_again() {
    for with_past in [false, true] {
        let ground = Ground::new();
        if with_past {
            ground.persist("aaaaaaaa-1", 1, &everything("otter"));
            // No newline at its end, and a page that a person wrote in.
            ground.put("decisions.jsonl", ground.file("decisions.jsonl").trim_end());
            ground.put("handoff.md", &(ground.file("handoff.md") + "- Ask Ana\n"));
        }
        let before = ground.tree();
        let record = ground.record("bbbbbbbb-2", 2, &everything("heron"));
        assert!(ground.keep(&record).contains(&"written".to_owned()));
        let (after, receipt) = (ground.tree(), fs::read(ground.receipt("bbbbbbbb-2")).unwrap());
        assert!(after.len() > before.len() || with_past);
        assert_ne!(after, before);
        let again = ground.keep(&record);
        assert!(!again.contains(&"written".to_owned()) && !again.contains(&"quarantined".to_owned()), "{again:?}");
        assert_eq!((ground.tree(), fs::read(ground.receipt("bbbbbbbb-2")).unwrap()), (after.clone(), receipt));
        let would = ground.does(&["-n", "--undo", "bbbbbbbb"]);
        assert_eq!(ground.tree(), after);
        let did = ground.does(&["--undo", "bbbbbbbb"]);
        assert_eq!(would.replace("would remove", "removed").replace("would open", "open"), did);
        for words in ["removed: ", " decision: Keep the heron", " memory: Likes tabs", " learning: Weigh", " Feed"] {
            assert!(did.contains(words), "{words}: {did}");
        }
        assert_eq!(did.contains("open again: "), with_past, "{did}");
        assert_eq!(ground.tree(), before, "with_past: {with_past}");
        let (status, said) = ground.run(&["--undo", "bbbbbbbb-2"]);
        assert!(status == Some(65) && said.contains("nothing of 'bbbbbbbb-2' is left"), "{status:?} {said}");
        ground.keep(&record);
        assert_eq!(ground.tree(), after);
        ground.does(&["--undo", "bbbbbbbb-2"]);
        assert_eq!(ground.tree(), before);
    }
}

#[test]
fn a_session_that_went_on_is_taken_back_whole() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let before = ground.tree();
    ground.persist("bbbbbbbb-2", 2, &json!({"decisions": [sure("Use symlinks")], "handoff": [sure("Mend the build")]}));
    ground.persist("bbbbbbbb-2", 3, &json!({"failures": [sure("It rained")], "handoff": [sure("Mend the roof")]}));
    // Says nothing of what is open: only what is remembered of the handoff changes.
    ground.persist("bbbbbbbb-2", 4, &json!({"memories": []}));
    ground.does(&["--undo", "bbbbbbbb-2"]);
    assert_eq!(ground.tree(), before);
}

#[test]
fn what_is_on_a_drive_that_is_away_can_be_taken_back_later() {
    let ground = Ground::new();
    let before = ground.tree();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let (folder, away) = (ground.0.path("Documents/lazy-harness-knowledge"), ground.0.path("away"));
    fs::rename(&folder, &away).unwrap();
    let did = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert!(did.contains("kept: ") && did.contains("is not there)\n"), "{did}");
    fs::rename(&away, &folder).unwrap();
    let did = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert!(did.contains("Weigh the otter") && did.lines().count() == 1, "{did}");
    assert_eq!(ground.tree(), before);
}

#[test]
fn what_others_wrote_stays_in_its_order() {
    let ground = Ground::new();
    let ours = |of: &str| json!({"decisions": [sure(&format!("Keep the {of} in one file")), sure(&format!("Hide the {of}"))], "handoff": [sure(&format!("Feed the {of}"))]});
    ground.persist("aaaaaaaa-1", 1, &ours("otter"));
    let other = "{\"type\":\"decision\",\"summary\":\"Of another tool\"}\nnot JSON at all\n";
    ground.put("decisions.jsonl", &(ground.file("decisions.jsonl") + other));
    let first = ground.file("decisions.jsonl");
    ground.persist("bbbbbbbb-2", 2, &json!({"decisions": ours("heron")["decisions"]}));
    let second = ground.file("decisions.jsonl").replace(&first, "");
    ground.put("decisions.jsonl", &(ground.file("decisions.jsonl") + "{\"torn"));
    ground.put("handoff.md", &(ground.file("handoff.md") + "\nA person wrote this\n"));
    let page = ground.file("handoff.md");
    let did = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert_eq!(did.lines().count(), 3, "{did}");
    assert_eq!(ground.file("decisions.jsonl"), format!("{other}{second}"));
    assert_eq!(ground.file("handoff.md"), page.replace("- Feed the otter\n", ""));
    // It was not a person who closed it: the same record brings it back.
    ground.persist("aaaaaaaa-1", 1, &ours("otter"));
    assert!(ground.file("handoff.md").contains("- Feed the otter\n"), "{}", ground.file("handoff.md"));
    assert!(ground.file("handoff.md").contains("A person wrote this\n"));
    ground.does(&["--undo", "aaaaaaaa-1"]);
    ground.does(&["--undo", "bbbbbbbb-2"]);
    assert_eq!(ground.file("decisions.jsonl"), other);
    assert_eq!(ground.file(".state/torn"), "{\"torn\n");
}

#[test]
fn what_a_person_changed_stays_and_is_named() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let edited = ground.file("decisions.jsonl").replace("Keep the otter", "Always keep the otter");
    ground.put("decisions.jsonl", &edited);
    ground.put("handoff.md", &ground.file("handoff.md").replace("- Feed the otter", "- Feed the otter at noon"));
    let page = ground.0.path("Documents/lazy-harness-knowledge/learnings/2026-04/2026-04-01-weigh-the-otter-twice.md");
    let text = fs::read_to_string(&page).unwrap().replace("status: active", "status: deprecated");
    fs::write(&page, &text).unwrap();
    let did = ground.does(&["--undo", "aaaa"]);
    for words in
        ["decision: Keep the otter in one file (changed since)\n", "learning: Weigh the otter twice (changed since)\n"]
    {
        assert!(did.lines().any(|line| line.starts_with("kept: ") && format!("{line}\n").ends_with(words)), "{did}");
    }
    assert_eq!((ground.file("decisions.jsonl"), fs::read_to_string(&page).unwrap()), (edited, text));
    assert!(
        ground.file("handoff.md").ends_with("session:\n- Feed the otter at noon\n"),
        "{}",
        ground.file("handoff.md")
    );
    assert!(!ground.memory().join("failures.jsonl").exists() && !ground.memory().join("quarantine.jsonl").exists());
    assert_eq!(ground.run(&["--undo", "aaaa"]).0, Some(65));
}

#[test]
fn two_sessions_are_taken_apart_in_any_order() {
    let lists = |of: &str, open: &[&str]| {
        let open: Vec<Value> = open.iter().map(|open| sure(open)).collect();
        json!({"decisions": [sure(&format!("Keep the {of} in one file"))], "learnings": [lesson(&format!("Weigh the {of}"))], "handoff": open})
    };
    let build = || {
        let ground = Ground::new();
        let before = ground.tree();
        ground.persist("aaaaaaaa-1", 1, &lists("otter", &["Feed the otter", "Mend the build"]));
        // It passes on what was open, and says something of its own.
        let mut later = lists("heron", &["Mend the build", "Write the docs"]);
        later["handoff"][0]["evidence"][0]["said_by"] = json!("handoff");
        ground.persist("bbbbbbbb-2", 2, &later);
        (ground, before)
    };
    let (ground, before) = build();
    ground.does(&["--undo", "bbbbbbbb-2"]);
    assert!(ground.file("handoff.md").contains("- Feed the otter\n- Mend the build\n"));
    ground.does(&["--undo", "aaaaaaaa-1"]);
    assert_eq!(ground.tree(), before);
    let (ground, before) = build();
    let did = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert!(did.contains("removed: ") && did.contains("Mend the build"), "{did}");
    assert!(ground.file("handoff.md").ends_with("session:\n- Write the docs\n"), "{}", ground.file("handoff.md"));
    ground.does(&["--undo", "bbbbbbbb-2"]);
    let mut after = ground.tree();
    // What is remembered of the handoff is not what it was: the first run was taken back below it.
    after.retain(|name, _| !name.ends_with(".state/handoff"));
    assert_eq!(after, before);
}

#[test]
fn one_item_is_taken_back_by_its_id() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let list = ground.does(&["-n", "--undo", "aaaaaaaa-1"]);
    let mut left = ground.tree();
    for (words, gone) in [
        ("Keep the otter", "decisions.jsonl"),
        ("The otter broke", "failures.jsonl"),
        ("Likes tabs", ".state/notes.jsonl"),
        ("Weigh the otter", "weigh-the-otter-twice.md"),
    ] {
        let did = ground.does(&["--undo", &id_in(&list, words)]);
        assert!(did.starts_with("removed: ") && did.lines().count() == 1 && did.contains(words), "{did}");
        let of_memory = [".state/filed.json", "MEMORY.md", "otter-tabs.md"];
        left.retain(|name, _| gone != ".state/notes.jsonl" || !of_memory.iter().any(|gone| name.ends_with(gone)));
        left.retain(|name, _| !name.ends_with(gone) && (gone.ends_with("jsonl") || !name.ends_with("/2026-04")));
        assert_eq!(ground.tree(), left, "{words}");
        assert_eq!(ground.run(&["--undo", &id_in(&list, words)]).0, Some(65));
    }
    ground.does(&["--undo", &id_in(&list, "Feed the otter"), &id_in(&list, "Paint the otter")]);
    assert!(ground.file("handoff.md").ends_with("session:\n- Write the docs of the otter\n"));
    assert!(!ground.file("quarantine.jsonl").contains("Paint") && ground.file("quarantine.jsonl").contains("Sell"));
    let rest = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert_eq!(rest.lines().count(), 2, "{rest}");
    assert!(!ground.memory().join("handoff.md").exists() && !ground.memory().join("quarantine.jsonl").exists());
}

#[test]
fn a_word_that_means_several_things_is_named_and_nothing_is_done() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &json!({"decisions": [sure("Use symlinks")]}));
    let list = ground.does(&["-n", "--undo", "aaaaaaaa-1"]);
    let id = id_in(&list, "Use symlinks");
    // A session whose id looks like the item's.
    ground.persist(&format!("{id}-2"), 2, &json!({"decisions": [sure("Drop the weekly report")]}));
    ground.persist("aaaaaaaa-3", 3, &json!({"decisions": [sure("Buy a goat")]}));
    let tree = ground.tree();
    for (word, names) in [
        (id.as_str(), [format!("the session {id}-2"), "Use symlinks".to_owned()]),
        ("aaaaaaaa", ["aaaaaaaa-1".to_owned(), "aaaaaaaa-3".to_owned()]),
    ] {
        let (status, said) = ground.run(&["--undo", word]);
        assert!(status == Some(65) && names.iter().all(|name| said.contains(name)), "{word}: {said}");
    }
    for (words, status, says) in [
        (&["--undo", "cccc"][..], 65, "no session that wrote here"),
        (&["--undo", "../../x"], 65, "no session that wrote here"),
        (&["--undo", "aaa"], 65, "'aaa' is too short"),
        (&["--undo", "*"], 65, "'*' is too short"),
        (&["--release", "aaa"], 65, "'aaa' is too short"),
        (&["--undo", ""], 64, "an empty word"),
        (&["--undo", "aaaaaaaa-1", " "], 64, "an empty word"),
        (&["--release", ""], 64, "an empty word"),
    ] {
        let (ended, said) = ground.run(words);
        assert!(ended == Some(status) && said.contains(says), "{words:?}: {said}");
    }
    for (word, status, says) in [("", 64, "an empty word"), ("3f2", 65, "'3f2' is too short")] {
        let output = ground.0.tool("lh-history").arg(word).output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert!(String::from_utf8_lossy(&output.stderr).contains(says));
    }
    assert_eq!(ground.tree(), tree);
    for (arguments, says) in [
        (&["--undo"][..], "--undo needs an id"),
        (&["--release"], "--release needs an id"),
        (&["-n"], "--dry-run goes with --undo, --release or --remember"),
        (&["aaaaaaaa-1"], "unexpected operand"),
        (&["--list-quarantine", "x"], "unexpected operand"),
        (&["--undo", "--release", "x"], "do not go together"),
        (&["--undo", "--list-quarantine", "x"], "do not go together"),
        (&["--release", "--list-quarantine", "x"], "do not go together"),
        (&["-n", "--list-quarantine"], "do not go together"),
    ] {
        let (status, said) = ground.run(arguments);
        assert!(status == Some(64) && said.contains(says), "{arguments:?}: {said}");
    }
    assert!(!ground.0.path("empty").exists());
}

/// What a link leads to is emptied and not removed: a link that leads nowhere is refused.
#[test]
fn a_journal_that_is_a_link_stays_one() {
    let ground = Ground::new();
    fs::create_dir_all(ground.memory()).unwrap();
    fs::write(ground.memory().join("all.jsonl"), "").unwrap();
    std::os::unix::fs::symlink("all.jsonl", ground.memory().join("decisions.jsonl")).unwrap();
    let before = ground.tree();
    for _ in 0..2 {
        let record = ground.record("bbbbbbbb-2", 2, &everything("heron"));
        assert_eq!(ground.keep(&record).iter().filter(|result| *result == "written").count(), 5);
        assert!(fs::read_to_string(ground.memory().join("all.jsonl")).unwrap().contains("heron"));
        ground.does(&["--undo", "bbbbbbbb-2"]);
        assert_eq!(ground.tree(), before);
    }
}

/// Runs it with each call that changes the disk as its last; says how many that were.
fn killed_at_each_call(with_past: bool, of_undo: bool) -> usize {
    let mut struck = 0;
    let calls = [
        "write", "?rename", "renameat", "renameat2", "linkat", "?unlink", "unlinkat", "?rmdir", "?mkdir", "mkdirat",
        "ftruncate",
    ];
    for call in calls {
        for number in 1.. {
            let ground = Ground::new();
            if with_past {
                ground.persist("aaaaaaaa-1", 1, &everything("otter"));
            }
            let before = ground.tree();
            let record = ground.record("bbbbbbbb-2", 2, &everything("heron"));
            if of_undo {
                ground.keep(&record);
            }
            let inject = format!("inject={call}:signal=SIGKILL:when={number}");
            let mut strace = ground.0.run(Path::new("strace"));
            strace.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
            strace.arg(binary("lh-persist"));
            if of_undo {
                strace.args(["--undo", "bbbbbbbb-2"]);
            }
            let output = strace.write_stdin(record.as_str()).output().unwrap();
            if output.status.success() {
                break;
            }
            struck += 1;
            let (status, said) = ground.run(&["--undo", "bbbbbbbb-2"]);
            assert!(matches!(status, Some(0 | 65)), "{call} {number}: {said}");
            let mut now = ground.tree();
            // Removed with the next write to their folder.
            now.retain(|name, _| !name.contains("/.lh-"));
            assert_eq!(now, before, "{call} {number}, with_past {with_past}, of_undo {of_undo}: {said}");
            // And it can be persisted, whole.
            assert_eq!(ground.keep(&record).iter().filter(|result| *result == "written").count(), 5, "{call} {number}");
        }
    }
    struck
}

#[test]
fn whatever_call_is_the_last_an_undo_ends_it() {
    use std::io::Write;
    let traced = std::process::Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    if !traced.is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "skipped: strace is not here");
        return;
    }
    for (with_past, of_undo) in [(false, false), (true, true)] {
        let struck = killed_at_each_call(with_past, of_undo);
        assert!(struck > 8, "{struck} with_past {with_past}, of_undo {of_undo}");
    }
}

#[test]
fn two_undos_at_once_end_as_one() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let before = ground.tree();
    ground.persist("bbbbbbbb-2", 2, &everything("heron"));
    let undo = || {
        let mut command = std::process::Command::new(binary("lh-persist"));
        command.env_clear().env("HOME", ground.0.path("")).env("TZ", "UTC").current_dir(ground.0.path(""));
        command.args(["--undo", "bbbbbbbb-2"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut all = [undo(), undo(), undo()];
    let mut statuses: Vec<_> = all.iter_mut().map(|child| child.wait().unwrap().code().unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [0, 65, 65]);
    assert_eq!(ground.tree(), before);
}

#[test]
fn a_receipt_that_lies_removes_nothing_of_others() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let learnings = ground.0.path("Documents/lazy-harness-knowledge/learnings");
    let victims = [ground.0.write("etc/victim.md", VICTIM), ground.0.write("Documents/victim.md", VICTIM)];
    let hash = item::hash(VICTIM.as_bytes());
    std::os::unix::fs::symlink(ground.0.path("etc"), learnings.join("2026-05")).unwrap();
    fs::write(learnings.join("notes.txt"), VICTIM).unwrap();
    let before = ground.tree();
    let mut lines = vec![
        "{\"run\":\"x\",\"type\":\"line\"".to_owned(),
        "garbage \u{0}".to_owned(),
        "[]".to_owned(),
        "{\"run\":7,\"type\":\"undone\"}".to_owned(),
    ];
    let absolute = victims[0].to_string_lossy().into_owned();
    for path in [
        "../../../etc/victim.md",
        "../../victim.md",
        &absolute,
        "../notes.txt",
        "2026-04/../../../victim.md",
        "..",
        "",
        "/etc/passwd",
    ] {
        lines.push(json!({"run": "2026", "type": "page", "id": "00000000deadbeef", "text": "x", "path": path, "hash": hash, "is_first": true}).to_string());
    }
    for kind in ["../../victim", "handoff", ""] {
        lines.push(json!({"run": "2026", "type": "line", "id": "00000000deadbeef", "text": "x", "kind": kind, "trusted": true, "hash": item::hash(b"")}).to_string());
    }
    let put = |lines: &[String]| fs::write(ground.receipt("cccccccc-3"), lines.join("\n") + "\n{\"torn").unwrap();
    put(&lines);
    let (status, did) = ground.run(&["--undo", "cccccccc-3"]);
    assert!(status == Some(1) && did.lines().all(|line| line.starts_with("kept: ")), "{did}");
    assert_eq!(ground.tree(), before);
    // Through a link.
    put(&[json!({"run": "2026", "type": "page", "id": "0", "text": "x", "path": "2026-05/victim.md", "hash": hash})
        .to_string()]);
    let (status, said) = ground.run(&["--undo", "cccccccc-3"]);
    assert!(status == Some(1) && said.starts_with("kept: ") && said.contains("leads out"), "{said}");
    // Receipts that are a link, and one that is damaged beside a good one.
    std::os::unix::fs::symlink(&victims[0], ground.receipt("dddddddd-4")).unwrap();
    assert_eq!(ground.run(&["--undo", "dddddddd-4"]).0, Some(65));
    assert!(victims.iter().all(|victim| fs::read_to_string(victim).unwrap() == VICTIM));
    let mut receipt = fs::read_to_string(ground.receipt("aaaaaaaa-1")).unwrap();
    receipt.insert_str(0, "\u{fffd}{{{\n");
    fs::write(ground.receipt("aaaaaaaa-1"), receipt).unwrap();
    assert!(ground.does(&["--undo", "aaaaaaaa-1"]).lines().count() >= 8);
    let receipts = ground.memory().join(".state/receipts");
    fs::remove_dir_all(&receipts).unwrap();
    std::os::unix::fs::symlink(ground.0.path("etc"), &receipts).unwrap();
    assert_eq!(ground.run(&["--undo", "aaaaaaaa-1"]).0, Some(65));
    assert_eq!(
        ground
            .0
            .tool("lh-persist")
            .write_stdin(ground.record("aaaaaaaa-1", 1, &everything("otter")))
            .output()
            .unwrap()
            .status
            .code(),
        Some(65)
    );
}

#[test]
fn no_secret_is_in_a_receipt() {
    let ground = Ground::new();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    ground.persist("aaaaaaaa-1", 1, &json!({"handoff": [sure("Mend the build")]}));
    let hand = ground.file("handoff.md") + &format!("- Log in with {secret}\n");
    ground.put("handoff.md", &hand);
    ground.persist(
        "bbbbbbbb-2",
        2,
        &json!({"decisions": [sure(&format!("Use {secret} for now"))], "handoff": [sure("Feed the otter")]}),
    );
    assert!(!fs::read_to_string(ground.receipt("bbbbbbbb-2")).unwrap().contains(&secret));
    // What cannot be kept cannot come back: only the item goes.
    ground.does(&["--undo", "bbbbbbbb-2"]);
    let page = ground.file("handoff.md");
    assert!(!page.contains("otter") && page.contains("- Log in with [redacted:github-pat]\n"), "{page}");
    assert_eq!(ground.file("decisions.jsonl"), "");
}

#[test]
fn the_quarantine_is_listed_and_let_in_by_hand_alone() {
    let ground = Ground::new();
    assert_eq!(ground.run(&["--list-quarantine"]), (Some(1), String::new()));
    assert!(!ground.memory().exists());
    let mut memory = json!({"name": "tabs", "type": "user", "description": "Likes tabs", "body": "B", "grounded": false, "reason": "from_tool"});
    let mut learning = lesson("Weigh it twice");
    (learning["grounded"], learning["reason"], memory["tags"]) = (json!(false), json!("from_tool"), json!([]));
    let lists = json!({"decisions": [unsure("Use symlinks")], "failures": [unsure("It rained in")], "memories": [memory],
        "learnings": [learning], "handoff": [sure("Mend the build"), unsure("Feed the otter")]});
    let record = ground.record("aaaaaaaa-1", 1, &lists);
    ground.keep(&record);
    ground.persist("bbbbbbbb-2", 2, &json!({"decisions": [{"summary": "Buy a goat", "grounded": false}]}));
    let list = ground.does(&["--list-quarantine"]);
    assert_eq!(list.lines().count(), 6, "{list}");
    assert!(list.lines().next().unwrap().ends_with(" 2026-04-01 decision: Use symlinks (from_tool)"), "{list}");
    assert!(list.ends_with(" 2026-04-02 decision: Buy a goat\n"), "{list}");
    let before = ground.tree();
    let ids: Vec<String> = ["Use symlinks", "It rained in", "Likes tabs", "Weigh it", "Feed the otter"]
        .iter()
        .map(|words| id_in(&list, words))
        .collect();
    let all =
        |first: &[&str]| -> Vec<String> { first.iter().map(|word| (*word).to_owned()).chain(ids.clone()).collect() };
    let run = |words: &[&str]| ground.does(&all(words).iter().map(String::as_str).collect::<Vec<_>>());
    assert!(run(&["-n", "--release"]).lines().all(|line| line.starts_with("would release: ")));
    assert_eq!(ground.tree(), before);
    let did = run(&["--release"]);
    assert!(did.lines().count() == 5 && did.lines().all(|line| line.starts_with("released: ")), "{did}");
    assert_eq!(ground.does(&["--list-quarantine"]).lines().count(), 1);
    let line: Value = serde_json::from_str(&ground.file("decisions.jsonl")).unwrap();
    assert_eq!(
        (&line["grounded"], &line["said_by"], &line["session_id"], &line["reason"]),
        (&json!(true), &json!("tool"), &json!("aaaaaaaa-1"), &Value::Null)
    );
    assert_eq!(line["evidence"][0]["quote"], "Use symlinks");
    assert!(
        ground.file("handoff.md").ends_with("- Mend the build\n- Feed the otter\n"),
        "{}",
        ground.file("handoff.md")
    );
    assert!(
        ground.file(".state/notes.jsonl").contains("Likes tabs") && ground.file("failures.jsonl").contains("rained")
    );
    let told = ground.0.tool("lh-context").args(["--format", "markdown"]).output().unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("Use symlinks"));
    assert!(run(&["--release"]).lines().all(|line| line.starts_with("released already: ")));
    // The same record does not put it into the quarantine again.
    let after = ground.tree();
    assert!(!ground.keep(&record).contains(&"quarantined".to_owned()));
    let mut now = ground.tree();
    now.retain(|name, _| !name.ends_with("handoff.md") && !name.ends_with(".state/handoff"));
    assert!(now.iter().all(|(name, text)| after.get(name) == Some(text)));
    // The last that was written goes first: it is quarantined, and then it is nowhere.
    let did = run(&["--undo"]);
    assert_eq!(did.matches("quarantined: ").count(), 5, "{did}");
    assert_eq!(ground.does(&["--list-quarantine"]), list);
    assert!(!ground.memory().join("decisions.jsonl").exists() && !ground.file("handoff.md").contains("otter"));
    run(&["--undo"]);
    assert_eq!(ground.does(&["--list-quarantine"]).lines().count(), 1);
    let (status, said) = ground.run(&["--release", "ffff"]);
    assert!(status == Some(65) && said.contains("--list-quarantine"), "{said}");
}

#[test]
fn what_is_trusted_or_wrong_already_is_not_let_in_again() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &json!({"decisions": [unsure("Profile deploy uses symlinks")]}));
    let id = id_in(&ground.does(&["--list-quarantine"]), "symlinks");
    ground.persist("bbbbbbbb-2", 2, &json!({"decisions": [sure("The profile deploy will use a symlink")]}));
    let decisions = ground.file("decisions.jsonl");
    let did = ground.does(&["--release", &id]);
    assert!(did.starts_with("known already: ") && did.contains(" (as "), "{did}");
    assert_eq!(ground.file("decisions.jsonl"), decisions);
    assert_eq!(ground.run(&["--list-quarantine"]).0, Some(1));
    // What says the same as a trusted one does not come into the quarantine.
    let quarantine = ground.file("quarantine.jsonl");
    assert_eq!(
        ground.persist("cccccccc-3", 3, &json!({"decisions": [unsure("Profile deploy uses symlinks")]}))[0],
        "duplicate_of"
    );
    assert_eq!(ground.file("quarantine.jsonl"), quarantine);
    assert!(ground.does(&["--undo", &id]).starts_with("quarantined: "));
    let known = ground.0.tool("lh-forget").arg("--text").output().unwrap();
    let known = id_in(&String::from_utf8(known.stdout).unwrap(), "symlink");
    assert!(ground.0.tool("lh-forget").arg(known).output().unwrap().status.success());
    let (status, did) = ground.run(&["--release", &id]);
    assert!(status == Some(1) && did.starts_with("not released: ") && did.contains("is forgotten"), "{did}");
    assert!(ground.does(&["--list-quarantine"]).contains(&id));
}

#[test]
fn a_release_that_was_killed_is_done_again() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &json!({"decisions": [unsure("Use symlinks")]}));
    let (id, before) = (id_in(&ground.does(&["--list-quarantine"]), "Use"), ground.file("quarantine.jsonl"));
    ground.does(&["--release", &id]);
    let decisions = ground.file("decisions.jsonl");
    ground.put("quarantine.jsonl", &before);
    assert!(ground.does(&["--release", &id]).starts_with("known already: "));
    assert_eq!(ground.file("decisions.jsonl"), decisions);
    assert_eq!(ground.run(&["--list-quarantine"]).0, Some(1));
}

#[test]
fn in_a_knowledge_folder_are_no_receipts_and_a_move_keeps_them() {
    let ground = Ground::new();
    let scope = |scope: &str| {
        let text = format!(
            "[compound_loop]\nenabled = true\nengine = \"extract\"\n[knowledge]\npath = \"~/store\"\n[memory]\nscope = \"{scope}\"\n"
        );
        ground.0.write(".config/lazy-harness/config.toml", &text);
    };
    ground.0.write(
        "store/knowledge.toml",
        "[knowledge]\nversion = 1\nsessions = \"sessions\"\nlearnings = \"learnings\"\n",
    );
    ground.0.write("src/tally/.git/HEAD", "ref: refs/heads/main\n");
    ground.0.write("src/tally/.git/config", "[remote \"origin\"]\n\turl = https://github.com/dev/tally.git\n");
    let cwd = ground.0.path("src/tally").canonicalize().unwrap();
    let session = |id: &str| -> Value {
        let found = ground.0.tool("lh-find-session").arg(ground.0.transcript(id, &cwd, 3)).output().unwrap();
        serde_json::from_slice(&found.stdout).unwrap()
    };
    let persist = |id: &str, of: &str| {
        let mut record = session(id);
        record.as_object_mut().unwrap().extend(everything(of).as_object().unwrap().clone());
        record.as_object_mut().unwrap().extend(
            json!({"type": "distilled", "engine": "claude", "handoff_base": "none"}).as_object().unwrap().clone(),
        );
        ground.keep(&format!("{record}\n"));
    };
    let undo = |id: &str| {
        let output = ground.0.tool("lh-persist").args(["--text", "--undo", id]).current_dir(&cwd).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    scope("store");
    let before = ground.tree();
    persist("aaaaaaaa-1", "otter");
    let folder = "store/memory/github.com/dev/tally/";
    let new: Vec<String> = ground
        .tree()
        .keys()
        .filter(|name| !before.contains_key(*name) && name.starts_with(folder))
        .map(|name| name.replace(folder, ""))
        .collect();
    assert_eq!(
        new,
        [".state/handoff", ".state/notes.jsonl", "decisions.jsonl", "failures.jsonl", "handoff.md", "quarantine.jsonl"]
    );
    let has_receipts = |below: &str| {
        let listed =
            std::process::Command::new("find").arg(ground.0.path(below)).arg("-name").arg("receipts").output().unwrap();
        !listed.stdout.is_empty()
    };
    assert!(!has_receipts("store") && has_receipts(".local/state/lh/memory"));
    assert_eq!(undo("aaaaaaaa-1").0, Some(0));
    let rest: Vec<_> = ground.tree().into_iter().filter(|(name, _)| name.starts_with(folder)).collect();
    assert_eq!(rest, []);
    // Written beside the transcripts, moved into the knowledge folder, and taken back there.
    scope("project");
    persist("bbbbbbbb-2", "heron");
    let path = format!("{}/scripts:/usr/bin:/bin", env!("CARGO_MANIFEST_DIR"));
    let moved = ground.0.tool("lh-setup").args(["--scope", "store", "-y"]).env("PATH", path).output().unwrap();
    assert!(moved.status.success(), "{}", String::from_utf8_lossy(&moved.stderr));
    assert!(ground.0.path(folder).join("decisions.jsonl").exists());
    let (status, did) = undo("bbbbbbbb-2");
    assert!(status == Some(0) && did.contains("removed: ") && did.contains("Keep the heron"), "{did}");
    let rest: Vec<_> = ground.tree().into_keys().filter(|name| name.starts_with(folder)).collect();
    assert!(rest.iter().all(|name| name.ends_with(".state/handoff")), "{rest:?} {did}");
}

#[test]
fn what_was_taken_back_does_not_come_again_with_a_later_session() {
    let build = || {
        let ground = Ground::new();
        ground.persist("aaaaaaaa-1", 1, &json!({"handoff": [sure("Ask Ana"), sure("Write the parser tests")]}));
        // It passes one of them on, and closes the other.
        let mut carried = sure("Ask Ana");
        carried["evidence"][0]["said_by"] = json!("handoff");
        ground.persist("bbbbbbbb-2", 2, &json!({"handoff": [sure("Publish the crate"), carried]}));
        ground
    };
    let is_all_gone = |ground: &Ground| {
        assert!(!ground.memory().join("handoff.md").exists(), "{}", ground.file("handoff.md"));
        for id in ["aaaaaaaa-1", "bbbbbbbb-2"] {
            assert_eq!(ground.run(&["--undo", id]).0, Some(65), "{id}");
        }
    };
    let ground = build();
    assert!(ground.does(&["--undo", "aaaaaaaa-1"]).contains("removed: "));
    let would = ground.does(&["-n", "--undo", "bbbbbbbb-2"]);
    let did = ground.does(&["--undo", "bbbbbbbb-2"]);
    assert!(did.lines().count() == 1 && did.contains("Publish the crate"), "{did}");
    assert_eq!(would.replace("would remove", "removed"), did);
    is_all_gone(&ground);
    let ground = build();
    let did = ground.does(&["--undo", "aaaaaaaa-1", "bbbbbbbb-2"]);
    assert!(!did.contains("open again"), "{did}");
    is_all_gone(&ground);
    // Nobody wrote after the second: to the byte.
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &json!({"handoff": [sure("Write the parser tests")]}));
    ground.persist("bbbbbbbb-2", 2, &json!({"handoff": [sure("Publish the crate")]}));
    ground.run(&["--undo", "aaaaaaaa-1"]);
    let did = ground.does(&["--undo", "bbbbbbbb-2"]);
    assert!(!did.contains("open again"), "{did}");
    is_all_gone(&ground);
    // What was persisted again is there again.
    ground.persist("aaaaaaaa-1", 1, &json!({"handoff": [sure("Write the parser tests")]}));
    ground.persist("bbbbbbbb-2", 2, &json!({"handoff": [sure("Publish the crate")]}));
    assert!(ground.does(&["--undo", "bbbbbbbb-2"]).contains("open again: "));
    assert!(ground.file("handoff.md").contains("- Write the parser tests\n"));
}

#[test]
fn an_item_is_let_in_once_into_a_memory_that_is_not_there() {
    let home = Home::new();
    let scope = |scope: &str| {
        let text = format!(
            "[compound_loop]\nenabled = true\n[knowledge]\npath = \"~/store\"\n[memory]\nscope = \"{scope}\"\n"
        );
        home.write(".config/lazy-harness/config.toml", &text);
    };
    let marker = "[knowledge]\nversion = 1\nsessions = \"sessions\"\nlearnings = \"learnings\"\n";
    home.write("store/knowledge.toml", marker);
    home.write("src/tally/.git/HEAD", "ref: refs/heads/main\n");
    home.write("src/tally/.git/config", "[remote \"origin\"]\n\turl = https://github.com/dev/tally.git\n");
    let cwd = home.path("src/tally").canonicalize().unwrap();
    scope("project");
    let found = home.tool("lh-find-session").arg(home.transcript("aaaaaaaa-1", &cwd, 3)).output().unwrap();
    let mut record: Value = serde_json::from_slice(&found.stdout).unwrap();
    let more = json!({"type": "distilled", "engine": "claude", "decisions": [unsure("Use symlinks")]});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    assert!(home.tool("lh-persist").write_stdin(format!("{record}\n")).output().unwrap().status.success());
    scope("store");
    let list = home.tool("lh-persist").args(["--text", "--list-quarantine"]).current_dir(&cwd).output().unwrap();
    let id = id_in(&String::from_utf8(list.stdout).unwrap(), "Use symlinks");
    let release = || {
        let mut command = std::process::Command::new(binary("lh-persist"));
        command.env_clear().env("HOME", home.path("")).env("TZ", "UTC").current_dir(&cwd);
        command.args(["--release", &id]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut all: Vec<_> = (0..12).map(|_| release()).collect();
    assert!(all.iter_mut().all(|child| child.wait().unwrap().success()));
    let decisions = fs::read_to_string(home.path("store/memory/github.com/dev/tally/decisions.jsonl")).unwrap();
    assert_eq!(decisions.lines().count(), 1, "{decisions}");
}

/// What is put in the place of a learning or of a folder over it, given its path and a folder outside.
type Strange = (&'static str, fn(&Path, &Path));

#[test]
fn a_strange_learning_stays_and_the_rest_is_taken_back() {
    use std::os::unix::fs::symlink;
    let make: [Strange; 5] = [
        ("2026-04/2026-04-01-weigh-the-otter-twice.md", |path, _| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
        ("2026-04/2026-04-01-weigh-the-otter-twice.md", |path, _| fs::create_dir(path).unwrap()),
        ("2026-04/2026-04-01-weigh-the-otter-twice.md", |path, out| symlink(out.join("victim.md"), path).unwrap()),
        ("2026-04", |path, out| symlink(out, path).unwrap()),
        ("", |path, out| symlink(out, path).unwrap()),
    ];
    for (number, (name, make)) in make.into_iter().enumerate() {
        let ground = Ground::new();
        ground.persist("aaaaaaaa-1", 1, &everything("otter"));
        let path = ground.0.path("Documents/lazy-harness-knowledge/learnings").join(name);
        let path = path.components().collect::<PathBuf>();
        let (out, aside) = (ground.0.write("etc/victim.md", VICTIM), ground.0.path("aside"));
        fs::rename(&path, &aside).unwrap();
        make(&path, out.parent().unwrap());
        let did = ground.does(&["--undo", "aaaaaaaa-1"]);
        let is_kept = |line: &str| line.starts_with("kept: ") && line.contains(" learning: ");
        assert_eq!(did.lines().filter(|line| is_kept(line)).count(), 1, "{number} {did}");
        assert!(!ground.memory().join("decisions.jsonl").exists() && !ground.memory().join("handoff.md").exists());
        assert_eq!(fs::read_to_string(&out).unwrap(), VICTIM);
        if number < 4 {
            // It can be taken back when it is a file again.
            let is_folder = path.symlink_metadata().unwrap().is_dir();
            if is_folder {
                fs::remove_dir(&path).unwrap();
            } else {
                fs::remove_file(&path).unwrap();
            }
            fs::rename(&aside, &path).unwrap();
            assert_eq!(ground.run(&["--undo", "aaaaaaaa-1"]).0, Some(0), "{number}");
        }
    }
}

#[test]
fn the_page_of_another_session_stays() {
    let ground = Ground::new();
    let (before, lists) = (ground.tree(), json!({"learnings": [lesson("Weigh it twice")]}));
    ground.persist("aaaaaaaa-1", 1, &lists);
    let page = ground.0.path("Documents/lazy-harness-knowledge/learnings/2026-04/2026-04-01-weigh-it-twice.md");
    // As if it was killed before it wrote the page.
    fs::remove_file(&page).unwrap();
    ground.persist("bbbbbbbb-2", 1, &lists);
    let (status, did) = ground.run(&["--undo", "aaaaaaaa-1"]);
    assert!(status == Some(1) && did.starts_with("kept: ") && page.exists(), "{did}");
    assert!(ground.does(&["--undo", "bbbbbbbb-2"]).starts_with("removed: "));
    assert_eq!(ground.tree(), before);
}

#[test]
fn a_session_with_a_strange_id_is_known_by_it() {
    for id in ["../x", "-x", "a b", &"a".repeat(3000)] {
        let ground = Ground::new();
        ground.persist(id, 1, &json!({"decisions": [sure("Use symlinks")], "handoff": [sure("Mend the build")]}));
        ground.put("handoff.md", &(ground.file("handoff.md") + "- Ask Ana\n"));
        ground.put("decisions.jsonl", &ground.file("decisions.jsonl").replace("Use symlinks", "Use links"));
        let did = ground.does(&["--undo", "--", id]);
        assert!(did.contains("Use symlinks (changed since)\n") && did.contains("removed: "), "{did}");
        assert!(!ground.file("handoff.md").contains("Mend"), "{}", ground.file("handoff.md"));
    }
}

#[test]
fn a_handoff_behind_a_link_is_left_alone_and_what_was_done_is_told() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let list = ground.does(&["-n", "--undo", "aaaaaaaa-1"]);
    for name in ["handoff.md", ".state/handoff"] {
        let (path, out) = (ground.memory().join(name), ground.0.path("out"));
        fs::rename(&path, &out).unwrap();
        std::os::unix::fs::symlink(&out, &path).unwrap();
        let (text, item) = (fs::read(&out).unwrap(), id_in(&list, "Feed the otter"));
        for (words, says) in [(["--undo", "aaaaaaaa-1"], name == "handoff.md"), (["--undo", &item], false)] {
            let (status, said) = ground.run(&words);
            assert!(status == Some(65) && said.contains("leads out"), "{name}: {said}");
            assert_eq!(said.contains("removed: "), says, "{name}: {said}");
        }
        assert!(path.is_symlink() && fs::read(&out).unwrap() == text);
        fs::remove_file(&path).unwrap();
        fs::rename(&out, &path).unwrap();
    }
    assert!(ground.does(&["--undo", "aaaaaaaa-1"]).contains("Feed the otter"));
}

#[test]
fn a_line_that_was_cut_is_put_aside() {
    let ground = Ground::new();
    let before = ground.tree();
    ground.persist("aaaaaaaa-1", 1, &json!({"decisions": [sure("Use symlinks"), sure("Drop the weekly report")]}));
    let text = ground.file("decisions.jsonl");
    let cut = text.get(..text.find("weekly").unwrap()).unwrap();
    ground.put("decisions.jsonl", cut);
    let would = ground.does(&["-n", "--undo", "aaaaaaaa-1"]);
    assert_eq!(ground.file("decisions.jsonl"), cut);
    let did = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert_eq!(would.replace("would remove", "removed"), did);
    assert!(ground.file(".state/torn").ends_with("Drop the \n"), "{}", ground.file(".state/torn"));
    fs::remove_file(ground.memory().join(".state/torn")).unwrap();
    assert_eq!(ground.tree(), before);
}

#[test]
fn what_an_undo_and_a_release_say_is_so() {
    let ground = Ground::new();
    // Let in, and taken back with its own line.
    ground.persist("aaaaaaaa-1", 1, &json!({"decisions": [unsure("Use symlinks")], "handoff": [unsure("Ask Ana")]}));
    let list = ground.does(&["--list-quarantine"]);
    ground.does(&["--release", &id_in(&list, "Use symlinks")]);
    let did = ground.does(&["--undo", "aaaaaaaa-1"]);
    assert!(!did.contains("quarantined") && did.contains("Use symlinks"), "{did}");
    // A person closed the same.
    ground.persist("aaaaaaaa-1", 1, &json!({"handoff": [unsure("Ask Ana")]}));
    ground.persist("bbbbbbbb-2", 2, &json!({"handoff": [sure("Ask Ana")], "project": "another name"}));
    let done = |words: &[&str]| {
        let output = ground.0.tool("lh-done").arg("--text").args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let id = id_in(&done(&[]), "Ask Ana");
    done(&[&id]);
    let (status, said) = ground.run(&["--release", &id_in(&list, "Ask Ana")]);
    assert!(
        status == Some(1) && said.starts_with("not released: ") && said.ends_with(" Ask Ana (a person closed it)\n"),
        "{said}"
    );
    // The id is that of the project's present name, also where the record had another.
    done(&["--undo", &id]);
    ground.does(&["--undo", "aaaaaaaa-1"]);
    assert!(ground.does(&["--undo", &id]).contains("removed: "));
    assert!(!ground.file("handoff.md").contains("Ask Ana"));
    // A session that said nothing of what is open.
    ground.persist("cccccccc-3", 3, &json!({"handoff": [sure("Feed the otter")]}));
    ground.persist("dddddddd-4", 4, &json!({"memories": []}));
    let said = ground.does(&["--undo", "dddddddd-4"]);
    assert!(said.contains("only what is remembered of the handoff"), "{said}");
}

#[test]
fn a_learning_that_is_away_keeps_only_its_own_session() {
    let ground = Ground::new();
    ground.persist("aaaaaaaa-1", 1, &json!({"learnings": [lesson("Weigh it twice")]}));
    ground.persist("bbbbbbbb-2", 2, &json!({"decisions": [sure("Use symlinks")]}));
    fs::rename(ground.0.path("Documents/lazy-harness-knowledge"), ground.0.path("away")).unwrap();
    ground.does(&["--undo", "aaaaaaaa-1", "bbbbbbbb-2"]);
    let is_undone = |id: &str| fs::read_to_string(ground.receipt(id)).unwrap().contains("\"undone\"");
    assert!(!is_undone("aaaaaaaa-1") && is_undone("bbbbbbbb-2"));
}

#[test]
fn what_a_user_said_is_kept_once_and_goes_with_its_session() {
    let ground = Ground::new();
    let said =
        |text: &str| json!({"said": [{"text": text, "evidence": [{"quote": text, "line": 3, "said_by": "user"}]}]});
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
    let one = ground.record("aaaaaaaa-1", 1, &said("let's keep the queue as plain files"));
    let two = ground.record("bbbbbbbb-2", 2, &said(&format!("I want {token} to be used")));
    for record in [&one, &two, &one, &two] {
        ground.keep(record);
    }
    let kept = ground.file("said.jsonl");
    assert_eq!((kept.lines().count(), kept.contains(&token)), (2, false), "{kept}");
    let first: Value = serde_json::from_str(kept.lines().next().unwrap()).unwrap();
    assert_eq!((first["session_id"].as_str(), first["evidence"][0]["line"].as_u64()), (Some("aaaaaaaa-1"), Some(3)));
    ground.does(&["--undo", "aaaaaaaa"]);
    assert_eq!(ground.file("said.jsonl").lines().count(), 1);
    ground.does(&["--undo", "bbbbbbbb-2"]);
    assert!(!ground.memory().join("said.jsonl").exists());
}

#[test]
fn lh_undo_takes_back_what_any_tool_did_here_and_lists_it() {
    let ground = Ground::new();
    let at = |now: &str, tool: &str, arguments: &[&str]| {
        let output = ground.0.tool(tool).args(arguments).env("LH_NOW", now).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let (hour, late) = ("2026-07-01T12:00:00Z", "2027-06-01T12:00:00Z");
    let lh = |arguments: &[&str]| at(late, "lh", &[&["undo"], arguments].concat());
    assert_eq!(lh(&["-l"]), (Some(1), String::new()));
    assert_eq!(lh(&[]), (Some(1), "lh undo: nothing was changed that can be taken back\n".to_owned()));
    assert!(!ground.memory().exists());
    ground.persist("aaaaaaaa-1", 1, &everything("otter"));
    let first = ground.tree();
    ground.persist("bbbbbbbb-2", 2, &everything("heron"));
    let both = ground.tree();
    assert_eq!(at(hour, "lh-persist", &["--remember", "I want tests to be run before each commit"]).0, Some(0));
    let remembered = ground.tree();
    // The same day, each after the other.
    let ended = 1_767_225_600;
    crate::prune::write_at(&ground.memory().join("episodes/session-x.json"), &crate::prune::episode("x", ended), ended);
    assert_eq!(at("2026-08-20T12:00:00Z", "lh-prune", &[]).0, Some(0));
    let pruned = ground.tree();
    assert_eq!(at("2026-09-01T12:00:00Z", "lh-brief", &[]).0, Some(0));
    let briefed = ground.tree();
    let open = at(hour, "lh-done", &["--text"]).1;
    assert_eq!(at(hour, "lh-done", &[&id_in(&open, "Feed the heron")]).0, Some(0));
    let decision = id_in(&at(hour, "lh-forget", &["--text"]).1, "Keep the heron");
    assert_eq!(at("2027-05-01T12:00:00Z", "lh-forget", &[&decision]).0, Some(0));
    let (status, list) = lh(&["--list"]);
    let by: Vec<&str> = list.lines().map(|line| line.split(' ').nth(2).unwrap()).collect();
    assert_eq!((status, by), (Some(0), vec!["forget", "done", "brief", "prune", "persist", "persist", "persist"]));
    let line = |by: &str| list.lines().find(|line| line.split(' ').nth(2) == Some(by)).unwrap().to_owned();
    assert!(line("forget").contains(&format!(" forget {decision} 2026-")) && line("prune").contains("session-x.json"));
    assert!(list.lines().nth(5).unwrap().contains(" 8 items: "), "{list}");
    // The last one first, whichever tool it was; what is pruned only by its id.
    assert!(lh(&["-n"]).1.starts_with("would tell again: "));
    assert!(lh(&[]).1.starts_with(&format!("told again: {decision} ")));
    assert!(lh(&[]).1.starts_with("open again: "));
    assert_eq!(ground.file("handoff.md").matches("[x]").count(), 0);
    assert!(lh(&["-n"]).1.starts_with("would take back: 2026-09-01 12:00 brief 20260901T120000Z-brief "));
    let (status, said) = lh(&[]);
    assert!(status == Some(0) && said.starts_with("restored: ") && said.contains("briefing.md ("), "{said}");
    let without = |tree: &Tree| {
        let mut tree = tree.clone();
        // What a briefing's points were, and the marks of the item that was forgotten, stay.
        tree.retain(|name, _| {
            ![".state/points", "decisions.jsonl", ".state/handoff"].iter().any(|one| name.ends_with(one))
        });
        tree
    };
    assert_ne!(without(&briefed), without(&pruned));
    assert_eq!(without(&ground.tree()), without(&pruned));
    assert!(lh(&[]).1.starts_with("removed: ") && without(&ground.tree()) != without(&remembered));
    let run = line("prune").split(' ').nth(3).unwrap().to_owned();
    let (status, said) = lh(&[&run]);
    assert!(status == Some(0) && said.starts_with("restored: ") && said.contains("session-x.json ("), "{said}");
    fs::remove_dir_all(ground.memory().join("episodes")).unwrap();
    let now = without(&ground.tree());
    assert!(both.keys().all(|name| ground.tree().contains_key(name)));
    // By the head of an id: a session, and one item.
    assert!(lh(&["-n", "bbbbbbbb"]).1.starts_with("would remove: "));
    assert_eq!(without(&ground.tree()), now);
    assert!(lh(&[&id_in(&open, "Write the docs of the heron")]).1.starts_with("removed: "));
    assert!(lh(&["bbbbbbbb"]).1.starts_with("removed: "));
    // What it had closed of the first session stays closed, for something came after it.
    assert!(first.keys().all(|name| name.ends_with("/handoff.md") || ground.tree().contains_key(name)));
    assert_eq!(lh(&["-l"]).1.lines().count(), 1);
    for (arguments, status, says) in [
        (&["cccc"][..], 65, "no session that wrote here"),
        (&["aaa"], 65, "'aaa' is too short"),
        (&[""], 64, "an empty word"),
        (&["aaaa", "bbbb"], 64, "unexpected operand 'bbbb'"),
        (&["-l", "aaaa"], 64, "unexpected operand 'aaaa'"),
        (&["-l", "-n"], 64, "do not go together"),
    ] {
        let (ended, said) = lh(arguments);
        assert!(ended == Some(status) && said.starts_with("lh undo: ") && said.contains(says), "{arguments:?}: {said}");
    }
}
