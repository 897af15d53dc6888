//! The hook: what is told of a file, once a session; what passed; and what is hostile.

use super::{Project, Use, session};
use crate::home::binary;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SECRET: &str = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
const OFF: &str = "[compound_loop]\nenabled = true\n";

/// A line of a journal.
fn item(kind: &str, day: usize, id: &str, summary: &str, why: &str) -> String {
    let more = if kind == "failure" { "prevention" } else { "rationale" };
    let line = json!({
        "ts": format!("2026-04-{day:02}T12:00:00Z"), "type": kind, "summary": summary, more: why, "project": "work",
        "tags": [], "id": format!("{id:0<16}"), "session_id": "s0", "evidence": [{"quote": summary, "said_by": "user"}],
        "grounded": true, "said_by": "user",
    });
    format!("{line}\n")
}

impl Project {
    fn decided(&self, day: usize, id: &str, summary: &str, why: &str) {
        let path = self.memory("decisions.jsonl");
        let before = fs::read_to_string(&path).unwrap_or_default();
        self.put("decisions.jsonl", &(before + &item("decision", day, id, summary, why)));
    }

    fn file(&self, name: &str) -> String {
        let path = self.cwd.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        path.to_string_lossy().into_owned()
    }

    /// What git knows.
    fn add_all(&self) {
        for arguments in [&["init", "-q"][..], &["add", "-A"]] {
            let done = Command::new("git").args(arguments).current_dir(&self.cwd).env("HOME", &self.cwd).status();
            assert!(done.unwrap().success());
        }
    }

    /// A pair of an earlier session.
    fn mended(&self) {
        let status = |error: &str| format!("Exit code 127\n{error}");
        let fails = Use::Failed("pytest tests/a.py".to_owned(), status("bash: line 1: pytest: command not found"));
        let passes = Use::Passed("uv run pytest tests/a.py".to_owned(), "3 passed in 0.1s".to_owned());
        session(self, "first", 3, &[fails, passes]);
        self.remember("first");
    }
}

const NOT_FOUND: &str = "Exit code 127\nbash: line 4: pytest: command not found";

#[test]
fn before_an_edit_the_newest_item_on_the_file_is_told_once_a_session() {
    let project = Project::new();
    let [gate, other] = ["src/gate.rs", "src/agate.rs"].map(|name| project.file(name));
    project.decided(1, "a1", "src/gate.rs keeps one lock for all", "two deadlock");
    project.decided(2, "a2", "The gate in `src/gate.rs` asks the clock once", "a slow clock stalls it");
    project.put(
        "failures.jsonl",
        &item("failure", 1, "f1", "src/agate.rs read a torn line", "read up to the last newline"),
    );
    let told = project.edit("s1", &gate);
    assert!(
        told.contains("decided 2026-04-02 (a20000): The gate in `src/gate.rs` asks")
            && told.contains("because: a slow"),
        "{told}"
    );
    assert_eq!(project.edit("s1", &gate), "");
    assert_eq!(project.edit("s2", &gate), told);
    let told = project.edit("s1", &other);
    assert!(told.contains("failed 2026-04-01") && told.contains("prevention: read up to"), "{told}");
    // It is among what was told, by its id, and without one more.
    let used = project.home.tool("lh-select").arg("--used").current_dir(&project.cwd).output().unwrap();
    let used = String::from_utf8(used.stdout).unwrap();
    assert!(used.lines().count() == 3 && used.contains("decisions.jsonl#a200000000000000"), "{used}");
    assert_eq!(project.edit("s1", &project.file("src/new.rs")), "");
    assert_eq!(project.edit("s1", "/elsewhere/src/gate.rs"), "");
    // What a start told is not told again.
    let start = "{\"type\":\"attachment\",\"attachment\":{\"content\":\"- decided 2026-04-02 (a20000): The gate\"}}\n";
    fs::write(project.transcript("s3"), start).unwrap();
    assert_eq!(project.edit("s3", &gate), "");
    project.home.write(".config/lazy-harness/config.toml", OFF);
    assert_eq!(project.edit("s4", &gate), "");
}

#[test]
fn what_does_not_hold_is_not_told() {
    for (name, behind) in [
        ("forgotten", json!({"ts": "2026-04-05T12:00:00Z", "type": "forgotten", "id": "a100000000000000"}).to_string()),
        (
            "replaced",
            item("decision", 5, "b1", "Two locks", "x")
                .replace("\"tags\":[]", "\"tags\":[],\"replaces\":[\"a100000000000000\"]"),
        ),
    ] {
        let project = Project::new();
        let gate = project.file("src/gate.rs");
        project.decided(1, "a1", "src/gate.rs keeps one lock", "two deadlock");
        assert_ne!(project.edit("s1", &gate), "");
        let before = fs::read_to_string(project.memory("decisions.jsonl")).unwrap();
        project.put("decisions.jsonl", &(before + behind.trim_end() + "\n"));
        assert_eq!(project.edit("s2", &gate), "", "{name}");
    }
    let project = Project::new();
    let gate = project.file("src/gate.rs");
    let line = item("decision", 1, "a1", "src/gate.rs keeps one lock", "x");
    project.put("quarantine.jsonl", &line);
    project.put("decisions.jsonl", &line.replace("\"grounded\":true", "\"grounded\":false"));
    assert_eq!(project.edit("s1", &gate), "");
    // A torn last line costs itself alone; a secret is masked, and what is private is not looked at.
    project.put(
        "decisions.jsonl",
        &format!("{}{}", item("decision", 1, "a2", &format!("src/gate.rs takes {SECRET}"), "x"), &line[..60]),
    );
    let told = project.edit("s1", &gate);
    assert!(told.contains("src/gate.rs takes") && !told.contains(SECRET), "{told}");
    project.put("decisions.jsonl", &item("decision", 1, "a3", "One lock<private> in src/gate.rs</private>", "x"));
    assert_eq!(project.edit("s1", &gate), "");
}

#[test]
fn a_name_means_a_file_where_no_other_has_it() {
    let project = Project::new();
    let [deep, gate, twin, top] =
        ["src/a/mod.rs", "src/gate.rs", "web/twin.rs", "top.rs"].map(|name| project.file(name));
    project.file("src/b/mod.rs");
    project.file("src/twin.rs");
    project.file("src/top.rs");
    project.add_all();
    for (says, path, is_told) in [
        ("mod.rs has the table", &deep, false),
        ("a/mod.rs has the table", &deep, true),
        ("work/src/a/mod.rs has it", &deep, true),
        ("gate.rs: one lock", &gate, true),
        ("gate.rs.bak is old", &gate, false),
        ("see gate.rs.", &gate, true),
        ("src/gate.rs:12 is slow", &gate, true),
        ("xgate.rs, src/gate.rs2, gate.rs_x, gate.rs/x", &gate, false),
        ("other/gate.rs is another", &gate, false),
        ("twin.rs is there twice", &twin, false),
        ("top.rs is the one at the top", &top, true),
        ("/elsewhere/work/src/gate.rs is one of another worktree", &gate, true),
        ("/elsewhere/other/src/gate.rs is not", &gate, false),
    ] {
        project.put("decisions.jsonl", &item("decision", 1, "a1", says, "x"));
        let _ = fs::remove_dir_all(project.memory(".state/told"));
        assert_eq!(!project.edit("s1", path).is_empty(), is_told, "{says}: {path}");
    }
    // A link is itself, and what it leads to.
    project.put("decisions.jsonl", &item("decision", 1, "a1", "src/gate.rs has one lock", "x"));
    symlink(project.cwd.join("src/gate.rs"), project.cwd.join("link.rs")).unwrap();
    assert_ne!(project.edit("s2", &project.cwd.join("link.rs").to_string_lossy()), "");
    symlink(project.cwd.join("src"), project.cwd.join("lib")).unwrap();
    assert_ne!(project.edit("s3", &project.cwd.join("lib/gate.rs").to_string_lossy()), "");
}

#[test]
fn what_passed_is_told_when_a_command_fails_again() {
    let project = Project::new();
    project.mended();
    let kept = fs::read_to_string(project.memory("fixes.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 1, "{kept}");
    let told = project.fails("s1", "pytest tests/b.py -x", NOT_FOUND);
    assert!(
        told.contains("session of 2026-04-03 (first)") && told.contains("`uv run pytest tests/a.py` passed then"),
        "{told}"
    );
    // Once a session, and not for what only looks so.
    assert_eq!(project.fails("s1", "pytest tests/b.py", NOT_FOUND), "");
    for (command, error) in [
        ("pytest tests/b.py", "Exit code 1\nFAILED tests/b.py::t - AssertionError: assert 1 == 2\n1 failed in 0.1s"),
        ("rspec tests", "Exit code 127\nbash: line 4: pytest: command not found"),
        ("pytest tests/b.py", "Exit code 127\nbash: line 4: pytest3: command not found"),
        ("pytest tests/b.py", "Exit code 127"),
        ("pytest tests/b.py", "<tool_use_error>Blocked: pytest: command not found</tool_use_error>"),
        ("pytest tests/b.py", "pytest: command not found"),
        ("uv run pytest tests/a.py", NOT_FOUND),
        ("", NOT_FOUND),
    ] {
        assert_eq!(project.fails("s2", command, error), "", "{command}: {error}");
    }
    assert_eq!(project.fails("first", "pytest tests/b.py", NOT_FOUND), "");
    // The same session again adds nothing, and it can be taken back.
    project.remember("first");
    assert_eq!(fs::read_to_string(project.memory("fixes.jsonl")).unwrap(), kept);
    let undone = project.home.tool("lh-persist").args(["--undo", "first"]).current_dir(&project.cwd).output().unwrap();
    assert!(undone.status.success() && !project.memory("fixes.jsonl").exists(), "{undone:?}");
    assert_eq!(project.fails("s3", "pytest tests/b.py", NOT_FOUND), "");
}

#[test]
fn what_the_work_itself_mended_is_not_kept() {
    let failed = |command: &str, error: &str| Use::Failed(command.to_owned(), format!("Exit code 1\n{error}"));
    let passed = |command: &str| Use::Passed(command.to_owned(), "ok".to_owned());
    let missing = "bash: line 1: pytest: command not found";
    let edit = || Use::Edit("src/a.py".to_owned());
    for (name, uses) in [
        ("an edit between", vec![failed("pytest", missing), edit(), passed("uv run pytest")]),
        ("a file put back", vec![failed("pytest", missing), passed("git checkout src/a.py"), passed("uv run pytest")]),
        ("the same again", vec![failed("pytest", missing), passed("pytest")]),
        ("another check", vec![failed("npm test", "sh: 1: vitest: not found"), passed("npm run lint")]),
        (
            "fewer tests",
            vec![failed("pytest", "FAILED a.py::t - assert 1 == 2\n1 failed in 0.1s"), passed("pytest b.py")],
        ),
        ("behind a pipe", vec![failed("pytest", missing), passed("uv run pytest | tail -3")]),
        (
            "a check that failed",
            vec![
                failed("pytest", missing),
                Use::Passed("uv run pytest; true".to_owned(), "1 failed, 2 passed in 0.1s".to_owned()),
            ],
        ),
        (
            "in the background",
            vec![
                failed("pytest", missing),
                Use::Passed("uv run pytest".to_owned(), "Command running in background with ID: b1".to_owned()),
            ],
        ),
        (
            "only looked between",
            vec![failed("npm test", "ECONNREFUSED: connection refused"), passed("git log -1"), passed("npm test")],
        ),
    ] {
        let project = Project::new();
        session(&project, "first", 3, &uses);
        project.remember("first");
        let kept = fs::read_to_string(project.memory("fixes.jsonl")).unwrap_or_default();
        assert_eq!(kept, "", "{name}");
    }
    // A secret in a command is masked before it is kept.
    let project = Project::new();
    let with = format!("GH_TOKEN={SECRET} gh pr list");
    session(
        &project,
        "first",
        3,
        &[failed("gh pr list", "To use gh, set the GH_TOKEN environment variable: it is not set"), passed(&with)],
    );
    project.remember("first");
    let kept = fs::read_to_string(project.memory("fixes.jsonl")).unwrap();
    assert!(kept.contains("gh pr list") && !kept.contains(SECRET), "{kept}");
}

#[test]
fn what_is_hostile_costs_nothing() {
    let project = Project::new();
    let gate = project.file("src/gate.rs");
    project.decided(1, "a1", "src/gate.rs keeps one lock", "two deadlock");
    project.mended();
    let input = json!({"tool_input": {"file_path": gate}});
    let whole = project.payload("s1", "PreToolUse", "Edit", &input).to_string();
    for end in [1, whole.len() / 2, whole.len() - 1] {
        assert_eq!(project.answer(&whole.as_bytes()[..end]), "");
    }
    for payload in [
        project.payload("s1", "PreToolUse", "Read", &input),
        project.payload("s1", "PostToolUse", "Edit", &input),
        project.payload("s1", "PreToolUse", "Edit", &json!({"tool_input": "x"})),
        project.payload("s1", "PreToolUse", "Edit", &json!({"tool_input": {"file_path": 7}})),
        project.payload("s1", "PreToolUse", "Edit", &json!({})),
        project.payload(
            "s1",
            "PostToolUseFailure",
            "Edit",
            &json!({"tool_input": {"command": "pytest"}, "error": NOT_FOUND}),
        ),
        project.payload(
            "s1",
            "PostToolUseFailure",
            "Bash",
            &json!({"tool_input": {"command": "pytest"}, "error": NOT_FOUND, "is_interrupt": true}),
        ),
    ] {
        assert_eq!(project.answer(payload.to_string().as_bytes()), "", "{payload}");
    }
    for path in ["", "/", "..", "src/gate.rs", "/a\n/b.rs", "\u{1}", &"x/".repeat(4000)] {
        assert_eq!(project.edit("s1", path), "", "{path:?}");
    }
    // Bytes that are no text.
    let mut bytes = project
        .payload("s1", "PreToolUse", "Edit", &json!({"tool_input": {"file_path": "/a/XX.rs"}}))
        .to_string()
        .into_bytes();
    let at = bytes.windows(2).position(|two| two == b"XX").unwrap();
    bytes[at] = 0xff;
    assert_eq!(project.answer(&bytes), "");
    // 20 MB that were printed, and a session without an id.
    let large = format!("{NOT_FOUND}\n{}", "x y z\n".repeat(3_500_000));
    assert!(project.fails("s2", "pytest tests/b.py", &large).contains("uv run pytest"));
    let mut nameless = project.payload("s1", "PreToolUse", "Edit", &input);
    nameless.as_object_mut().unwrap().remove("session_id");
    assert_eq!(project.answer(nameless.to_string().as_bytes()), "");
    // Lines that are none of ours, and half a line.
    let kept = fs::read_to_string(project.memory("fixes.jsonl")).unwrap();
    project.put("fixes.jsonl", &format!("[]\n{{}}\nx\n{kept}{}", &kept[..40]));
    assert!(project.fails("s3", "pytest tests/b.py", NOT_FOUND).contains("uv run pytest"));
    // Two at once: each is whole or nothing.
    let both: Vec<_> = (0..2)
        .map(|_| {
            let mut command = Command::new(binary("lh-select"));
            command
                .arg("--hook")
                .env_clear()
                .env("HOME", project.home.path(""))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), whole.replace("s1", "s5").as_bytes()).unwrap();
            child
        })
        .collect();
    let answers: Vec<String> =
        both.into_iter().map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()).collect();
    assert!(
        answers.iter().any(|answer| answer.contains("one lock"))
            && answers.iter().all(|answer| answer.is_empty() || answer.ends_with("}\n")),
        "{answers:?}"
    );
    // Memory that cannot be written is told, and each time.
    if !rustix::process::getuid().is_root() {
        let mode = |mode| fs::set_permissions(project.memory(".state"), fs::Permissions::from_mode(mode)).unwrap();
        mode(0o500);
        assert!(project.edit("s6", &gate).contains("one lock") && project.edit("s6", &gate).contains("one lock"));
        mode(0o700);
    }
    fs::remove_dir_all(project.memory(".state")).unwrap();
    fs::write(project.memory(".state"), "").unwrap();
    assert!(project.edit("s7", &gate).contains("one lock"));
}

#[test]
fn the_script_answers_as_the_tool_does_and_is_silent_inside_a_model() {
    let project = Project::new();
    let gate = project.file("src/gate.rs");
    project.decided(1, "a1", "src/gate.rs keeps one lock", "two deadlock");
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-hook-tool");
    let payload = project.payload("s1", "PreToolUse", "Edit", &json!({"tool_input": {"file_path": gate}})).to_string();
    let run = |input: &str, depth: bool| {
        let mut command = project.home.run(&script);
        if depth {
            command.env("LH_DEPTH", "1");
        }
        let output = command.write_stdin(input).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(&payload, true), "");
    assert!(run(&payload, false).contains("one lock"));
    assert_eq!(run(&payload, false), "");
    assert_eq!(run(&payload[..40], false), "");
    assert_eq!(run("", false), "");
}

#[test]
fn each_error_of_one_command_keeps_what_passed() {
    let project = Project::new();
    let fails = |error: &str| Use::Failed("pytest tests/a.py".to_owned(), format!("Exit code 127\n{error}"));
    let passes = |line: &str| Use::Passed(line.to_owned(), "3 passed in 0.1s".to_owned());
    session(
        &project,
        "first",
        3,
        &[
            fails("bash: line 1: pytest: command not found"),
            passes("uv run pytest tests/a.py"),
            fails("pytest: error: the option 'cov' is not installed"),
            passes("poetry run pytest tests/a.py"),
        ],
    );
    project.remember("first");
    let kept = fs::read_to_string(project.memory("fixes.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 2, "{kept}");
}

/// A definition that is never closed, four hundred times.
#[test]
fn a_file_that_never_ends_a_block_costs_little() {
    let project = Project::new();
    let path = project.file("src/b.rs");
    for day in 1..6 {
        project.decided(day, &format!("b{day}"), &format!("Number {day} is that `parse` in src/b.rs stays"), "");
    }
    let text = fs::read_to_string(project.memory("decisions.jsonl")).unwrap();
    let seen = r#""seen":{"branch":"main","cites":[{"name":"parse in src/b.rs","sum":"8a1f0c9d2e7a6583"}]},"tags""#;
    project.put("decisions.jsonl", &text.replace("\"tags\"", seen));
    project.add_all();
    fs::write(&path, ("fn parse() {\n".to_owned() + &"x\n".repeat(318)).repeat(400)).unwrap();
    let payload = json!({"cwd": project.cwd, "session_id": "s", "source": "startup"}).to_string();
    assert!(project.home.busy("lh-context", &["--format", "markdown"], payload) < 2.0);
}
