//! lh-done and lh-forget: what a person says by hand stays said, and can be taken back.

use crate::home::{Home, binary};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The project is the home's own folder.
struct Project(Home);

impl Project {
    fn new() -> Self {
        Self(Home::new())
    }

    fn memory(&self) -> PathBuf {
        self.0.own_memory()
    }

    /// What is in a file of the memory.
    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.memory().join(name)).unwrap_or_default()
    }

    /// Persists what a session gave; gives the receipts.
    fn persist(&self, id: &str, day: u32, lists: &Value) -> Vec<Value> {
        let (cwd, memory) = (self.0.path("").canonicalize().unwrap(), self.memory());
        let mut record = json!({
            "type": "distilled", "session_id": id, "transcript": memory.with_file_name(format!("{id}.jsonl")), "cwd": cwd,
            "project": cwd.file_name().unwrap().to_string_lossy(), "memory_dir": memory, "agent_home": self.0.path(".claude"),
            "source_size_bytes": 7, "source_modified_at": format!("2026-04-{day:02}T21:00:00Z"),
            "ts": format!("2026-04-{day:02}T20:59:00Z"), "messages": 4, "conversation_hash": "00ff", "engine": "claude",
            "handoff_base": "none", "language": "en",
        });
        record.as_object_mut().unwrap().extend(lists.as_object().unwrap().clone());
        let output = self.0.tool("lh-persist").write_stdin(format!("{record}\n")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A tool's status, and what it prints and says.
    fn run(&self, tool: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let form = ["lh-done", "lh-forget"].contains(&tool).then_some("--text");
        let output = self.0.tool(tool).args(form).args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }

    /// What it prints, where it must work.
    fn does(&self, tool: &str, arguments: &[&str]) -> String {
        let (status, text) = self.run(tool, arguments);
        assert_eq!(status, Some(0), "{tool} {arguments:?}: {text}");
        text
    }

    /// The head of the id of the item in a list that has some words.
    fn id(&self, tool: &str, words: &str) -> String {
        let list = self.does(tool, &[]);
        let line = list.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {list}"));
        line.split(' ').next().unwrap().to_owned()
    }

    fn told(&self) -> String {
        self.does("lh-context", &["--format", "markdown"])
    }
}

fn item(summary: &str) -> Value {
    json!({"summary": summary, "evidence": [{"quote": summary, "line": 3, "said_by": "user"}], "grounded": true})
}

fn open(items: &[&str]) -> Value {
    json!({"handoff": items.iter().map(|summary| item(summary)).collect::<Vec<_>>()})
}

#[test]
fn an_item_is_closed_by_hand_stays_closed_and_is_opened_again_to_the_byte() {
    let project = Project::new();
    assert_eq!(project.run("lh-done", &[]), (Some(1), String::new()));
    assert!(!project.memory().exists());
    project.persist(
        "a",
        1,
        &open(&["Mend the build", "Write the docs of the exporter", "Write the docs of the parser"]),
    );
    let (page, list) = (project.file("handoff.md"), project.does("lh-done", &[]));
    let id = project.id("lh-done", "Mend the build");
    // Every list shows it.
    assert!(project.told().contains(&format!("- Mend the build ({id})\n")), "{}", project.told());
    assert!(project.does("lh-doctor", &["--brief"]).contains(&format!("- Mend the build ({id})\n")));
    assert_eq!(project.does("lh-done", &["-n", &id]), format!("would close: {id} Mend the build\n"));
    assert_eq!(project.file("handoff.md"), page);
    assert_eq!(project.does("lh-done", &[&id]), format!("closed: {id} Mend the build\n"));
    assert_eq!(project.does("lh-done", &[&id]), format!("closed already: {id} Mend the build\n"));
    assert!(
        !project.told().contains("Mend the build") && project.file("handoff.md").contains("- [x] Mend the build\n")
    );
    assert_eq!(project.does("lh-done", &["--undo"]), format!("open again: {id} Mend the build\n"));
    assert_eq!((project.file("handoff.md"), project.does("lh-done", &[])), (page, list));
    // By words, and the next session says it in others.
    assert!(project.does("lh-done", &["exporter", "docs"]).contains("closed: "));
    project.does("lh-done", &["build"]);
    let receipts = project.persist("b", 2, &open(&["Mending the build", "Write docs of the exporter", "Test it all"]));
    let why = |summary: &str| {
        receipts.iter().find(|receipt| receipt["summary"] == summary).map(|found| found["reason"].clone())
    };
    assert_eq!(why("Mending the build"), Some(json!("closed_by_person")));
    assert_eq!(why("Write docs of the exporter"), Some(json!("closed_by_person")));
    let page = project.file("handoff.md");
    assert!(page.contains("- Test it all\n") && !page.contains("build") && !page.contains("exporter"), "{page}");
    assert!(project.does("lh-done", &["--undo", &id]).contains("open again"));
    assert!(project.told().contains("Mend the build"));
    assert!(project.does("lh-done", &["--undo", &id]).contains("open already"));
}

#[test]
fn what_is_not_clear_closes_nothing_and_is_named() {
    let project = Project::new();
    let secret = "token ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    project.persist("a", 1, &open(&["Write the docs of the exporter", "Write the docs of the parser"]));
    fs::write(project.memory().join("handoff.md"), project.file("handoff.md") + &format!("use the {secret}\n"))
        .unwrap();
    let page = project.file("handoff.md");
    for (arguments, says) in [
        (&["docs"][..], "lh-done: 'docs' means 2 of them: "),
        (&["coffee"], "lh-done: nothing open here is 'coffee'; lh-done alone lists what is open"),
        (&["ffff", "eeee"], "lh-done: nothing open here is 'ffff eeee'"),
        (&["--undo", "docs"], "open already: "),
        (&["--undo"], "lh-done: nothing was closed by hand here"),
        (&["--undo", "tea"], "lh-done: nothing that is 'tea' was closed by hand here"),
    ] {
        let (status, said) = project.run("lh-done", arguments);
        if says != "open already: " {
            assert_eq!((status, said.starts_with(says), said.lines().count()), (Some(65), true, 1), "{said}");
        }
        assert_eq!(project.file("handoff.md"), page);
    }
    let said = project.does("lh-done", &[]) + &project.does("lh-done", &["use the"]);
    assert!(!said.contains("ghp_") && !project.file("handoff.md").contains("ghp_"), "{said}");
    let (status, said) = project.run("lh-forget", &["abcdef"]);
    assert!(
        status == Some(65) && said.starts_with("lh-forget: no decision, failure or memory here has the id"),
        "{said}"
    );
    assert_eq!(project.run("lh-forget", &["--undo"]).0, Some(65));
}

#[test]
fn a_decision_that_is_forgotten_is_not_told_and_not_written_again() {
    let project = Project::new();
    let lists = json!({
        "decisions": [item("Cache the pages in Redis"), item("Deploy on Mondays only")],
        "memories": [{"name": "indent", "memory_type": "user", "description": "Wants tabs for indents", "body": "", "grounded": true}],
    });
    assert_eq!(project.run("lh-forget", &[]), (Some(1), String::new()));
    project.persist("a", 1, &lists);
    let (before, told) = (project.file("decisions.jsonl"), project.told());
    let id = project.id("lh-forget", "Redis");
    assert!(told.contains(&format!("({id}): Cache the pages in Redis")), "{told}");
    assert!(project.does("lh-forget", &["-n", &id]).starts_with("would forget: "));
    assert_eq!(project.file("decisions.jsonl"), before);
    let memory = project.id("lh-forget", "tabs");
    assert_eq!(project.does("lh-forget", &[&id, &memory]).lines().count(), 2);
    assert!(project.does("lh-forget", &[&id]).starts_with("forgotten already: "));
    let list = project.does("lh-forget", &[]);
    assert!(!project.told().contains("Redis") && !list.contains("Redis") && !list.contains("tabs"), "{list}");
    // It was only added to.
    assert!(project.file("decisions.jsonl").starts_with(&before));
    assert_eq!(project.file("decisions.jsonl").lines().count(), 3);
    let again = json!({"decisions": [item("Caching pages in Redis"), item("Cache the pages in memory")]});
    let receipts = project.persist("b", 2, &again);
    assert_eq!((&receipts[0]["result"], &receipts[0]["reason"]), (&json!("duplicate_of"), &json!("forgotten")));
    assert_eq!(receipts[1]["result"], "written");
    assert!(!project.told().contains("Redis") && project.told().contains("in memory"));
    assert!(project.does("lh-forget", &["--undo", &id]).starts_with("told again: "));
    assert!(project.told().contains("Redis"));
    assert!(project.does("lh-forget", &["--undo"]).contains("Wants tabs"));
    assert!(project.does("lh-forget", &[]).contains("Wants tabs"));
}

#[test]
fn an_entry_of_the_predecessor_can_be_forgotten_and_what_says_the_same_goes_with_it() {
    let project = Project::new();
    fs::create_dir_all(project.memory()).unwrap();
    let old = |day: u32, summary: &str| {
        json!({"ts": format!("2026-04-{day:02}T10:00:00Z"), "type": "decision", "summary": summary}).to_string() + "\n"
    };
    let text =
        old(1, "Use tabs for indents") + &old(2, "We use tabs for indents") + "torn {\n" + &old(3, "Ship weekly");
    fs::write(project.memory().join("decisions.jsonl"), &text).unwrap();
    project.does("lh-forget", &[&project.id("lh-forget", "decision: Use tabs")]);
    let told = project.told();
    assert!(!told.contains("tabs") && told.contains("Ship weekly"), "{told}");
    assert!(project.file("decisions.jsonl").starts_with(&text));
    project.does("lh-forget", &["--undo"]);
    assert!(project.told().contains("tabs"));
}

/// The latest mark counts, and a clock that was ahead can have written one.
#[test]
fn what_is_said_last_counts_also_after_a_clock_that_was_ahead() {
    let project = Project::new();
    project.persist("a", 1, &json!({"decisions": [item("Keep the queue in Redis")]}));
    let id = project.id("lh-forget", "Redis");
    for (now, arguments, told) in [
        ("2030-01-01T12:00:00Z", &[id.as_str()][..], 0),
        ("2026-05-01T12:00:00Z", &["--undo", &id], 1),
        ("2026-05-01T12:00:00Z", &[&id], 0),
    ] {
        let mut forget = project.0.tool("lh-forget");
        assert!(forget.env("LH_NOW", now).args(arguments).output().unwrap().status.success());
        let list = project.run("lh-forget", &[]).1;
        assert_eq!(list.matches("Redis").count(), told, "{now} {arguments:?}: {list}");
    }
}

/// A process that is only started.
fn start(project: &Project, tool: &str, arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(binary(tool));
    command.args(arguments).env_clear().env("HOME", project.0.path("")).env("PATH", "/usr/bin:/bin");
    let streams = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    streams.current_dir(project.0.path("")).spawn().unwrap()
}

#[test]
fn two_at_once_and_a_kill_leave_whole_files() {
    let project = Project::new();
    let names: Vec<String> = (1..=8).map(|number| format!("Write page {number} of the manual")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let decisions: Vec<Value> = names.iter().map(|name| item(name)).collect();
    project.persist("a", 1, &json!({"handoff": decisions, "decisions": decisions}));
    let ids = |tool| names.iter().map(|name| project.id(tool, name)).collect::<Vec<_>>();
    let (done, forget) = (ids("lh-done"), ids("lh-forget"));
    let pairs = || done.iter().map(|id| ("lh-done", id)).chain(forget.iter().map(|id| ("lh-forget", id)));
    let mut running: Vec<_> = pairs().map(|(tool, id)| start(&project, tool, &[id])).collect();
    assert!(running.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!((project.run("lh-done", &[]).0, project.run("lh-forget", &[]).0), (Some(1), Some(1)));
    // Killed at some instant, and run again.
    for (tool, id) in pairs() {
        let mut child = start(&project, tool, &["--undo", id]);
        let _ = child.kill();
        child.wait().unwrap();
        project.does(tool, &["--undo", id]);
    }
    assert_eq!(project.does("lh-done", &[]).lines().count(), 8);
    assert_eq!(project.does("lh-forget", &[]).lines().count(), 8);
    let page = project.file("handoff.md");
    assert!(names.iter().all(|name| page.matches(&format!("- {name}\n")).count() == 1), "{page}");
    for line in project.file("decisions.jsonl").lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

#[test]
fn an_item_that_is_not_spoken_of_is_told_last_and_a_session_in_spanish_has_its_heading() {
    let project = Project::new();
    let mut lists = open(&["Arreglar el build", "Escribir la página"]);
    lists["language"] = json!("es");
    project.persist("a", 1, &lists);
    assert!(project.file("handoff.md").contains("---\nPendiente para próxima sesión:\n- Arreglar"));
    for (day, id) in [(2, "b"), (3, "c"), (3, "c"), (4, "d")] {
        assert!(project.told().contains("- Arreglar el build ("), "{id}");
        project.persist(id, day, &json!({}));
    }
    let told = project.told();
    assert!(told.contains("- older: Arreglar el build (") && told.contains("- older: Escribir la página ("), "{told}");
    assert!(told.contains("## Handoff of 2026-04-01: still open\n"), "{told}");
    assert_eq!(project.does("lh-done", &[]).lines().count(), 2);
    project.persist("e", 5, &open(&["Escribir la página"]));
    let told = project.told();
    let at = |line: &str| told.find(line).unwrap_or_else(|| panic!("{line}: {told}"));
    assert!(at("- Escribir la página (") < at("- older: Arreglar el build ("), "{told}");
    assert!(project.file("handoff.md").contains("---\nOpen for the next session:\n- Escribir"));
    project.0.write(".config/lazy-harness/config.toml", "[compound_loop]\nhandoff_heading = \"Mine:\"\n");
    project.persist("f", 6, &open(&["Escribir la página", "Probarlo"]));
    assert!(project.file("handoff.md").contains("---\nMine:\n"));
}

#[test]
fn an_open_item_has_one_id_wherever_it_is_shown() {
    let project = Project::new();
    project.persist("a", 1, &open(&["write the page of the lock"]));
    // What was moved here, or made in a worktree, has another project's name.
    let other = json!({"ts": "2026-04-20T10:00:00Z", "type": "decision", "summary": "Keep one lock", "project": "other", "grounded": true});
    fs::write(project.memory().join("decisions.jsonl"), format!("{other}\n")).unwrap();
    let id = project.id("lh-done", "write the page");
    assert!(project.told().contains(&format!("write the page of the lock ({id})")), "{id}: {}", project.told());
    let found = project.does("lh-recall", &["--list", "--here", "--type", "open"]);
    let found: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert!(found["id"].as_str().unwrap().starts_with(&id), "{id}: {found}");
    let found = project.does("lh-recall", &["--list", "--type", "open"]);
    let found: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert!(found["id"].as_str().unwrap().starts_with(&id), "{id}: {found}");
    project.does("lh-done", &[found["id"].as_str().unwrap()]);
    assert!(!project.told().contains("write the page"));
}
