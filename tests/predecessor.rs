//! A home in which lazy-harness is at work, too: what it wrote is read, what we write it can read, and what is
//! its alone stays as it is.

use crate::home::Home;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Command;

const MEMORY: &str = ".claude/projects/-src-app/memory/";
/// A session of the project, and the time of its transcript.
const SESSION: &str = "5e0c1a7e-3f2b-4c55-9d1e-7a6b8c9d0e1f";

impl Home {
    fn keep(&self, name: &str, text: &str) {
        self.write(&format!("{MEMORY}{name}"), text);
    }

    fn kept(&self, name: &str) -> String {
        self.read(&format!("{MEMORY}{name}"))
    }

    /// What a new session of /src/app is told.
    fn told_at_start(&self) -> String {
        let transcript = self.path(".claude/projects/-src-app/now.jsonl");
        let payload = json!({"cwd": "/src/app", "session_id": "now", "transcript_path": transcript});
        let output =
            self.tool("lh-context").args(["--format", "markdown"]).write_stdin(payload.to_string()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a tool over a record.
    fn through(&self, tool: &str, record: &Value) {
        let output = self.tool(tool).write_stdin(format!("{record}\n")).output().unwrap();
        assert!(output.status.success(), "{tool}: {output:?}");
    }

    /// A transcript of a session in /src/app, and its session record.
    fn its_session(&self) -> Value {
        let transcript = self.transcript(SESSION, "/src/app".as_ref(), 4);
        let found = self.tool("lh-find-session").arg(&transcript).output().unwrap();
        serde_json::from_slice(&found.stdout).unwrap()
    }

    /// A session leaves that open.
    fn leave_open(&self, items: &[&str]) {
        self.through("lh-persist", &distilled(&self.its_session().to_string(), items));
    }
}

/// A session that decided one thing and left some open.
fn distilled(session: &str, open: &[&str]) -> Value {
    let mut record: Value = serde_json::from_str(session).unwrap();
    record["type"] = json!("distilled");
    record["ts"] = json!("2026-04-13T12:10:00Z");
    record["handoff_base"] = json!("none");
    record["handoff"] = open.iter().map(|item| json!({"summary": item, "grounded": true})).collect();
    record["decisions"] = json!([{"summary": "Doors are green", "grounded": true}]);
    record
}

const SLIM: &str = "# Handoff (slim)\n\nA line of prose.\n\n- Written at: 2026-04-13T18:32:45+00:00\n- Branch: `main`\n\n\
    ## Last user prompt\n\nfix these:\n- the walrus\n## Still open\n- [ ] the lantern\n\n## Files touched\n\n- `/src/app/a.rs`\n- `/src/app/b.rs`\n";

#[test]
fn its_slim_handoff_is_where_the_session_stood_and_nothing_is_open() {
    let home = Home::new();
    home.keep("handoff.md", SLIM);
    let told = home.told_at_start();
    assert!(!told.contains("still open") && !told.contains("## Handoff"), "{told}");
    let stood = "## Where the last session stood on 2026-04-13 18:32, not distilled\n\
        - Last prompt: fix these: - the walrus ## Still open - [ ] the lantern\n- Files: /src/app/a.rs, /src/app/b.rs\n";
    assert!(told.replace(" (handoff.md)", "").contains(stood), "{told}");
    // Our own says more.
    home.keep("progress.md", "---\nsession_id: x\nsource_mtime: 2026-04-13T18:32:45+00:00\n---\n- Goal: the house\n");
    let told = home.told_at_start();
    assert!(told.contains("Goal: the house") && !told.contains("walrus"), "{told}");
    // What a session leaves open takes its place.
    home.leave_open(&["write the docs"]);
    let page = home.kept("handoff.md");
    assert!(page.contains("\n- write the docs\n") && !page.contains("walrus") && !page.contains("lantern"), "{page}");
    // And the other way round.
    home.keep("handoff.md", SLIM);
    let told = home.told_at_start();
    assert!(told.contains("- write the docs (") && !told.contains("walrus"), "{told}");
}

#[test]
fn its_handoff_of_the_newest_transcript_is_not_stale() {
    for (fraction, seconds) in [(300, 1_776_081_600), (700, 1_776_081_601), (500, 1_776_081_600)] {
        let home = Home::new();
        let transcript = home.transcript(SESSION, "/src/app".as_ref(), 4);
        // The last words are of this moment.
        let time = format!("2026-04-13T12:00:00.{fraction}Z");
        let text = fs::read_to_string(&transcript).unwrap().replace("2026-04-13T12:07:00.000Z", &time);
        fs::write(&transcript, text).unwrap();
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_776_081_600_000 + fraction);
        fs::File::options().write(true).open(&transcript).unwrap().set_modified(at).unwrap();
        let page = |seconds: u64| {
            let head =
                format!("session_id: {SESSION}\nwritten_at: 2026-04-13T12:00:09+00:00\nsource_mtime: {seconds}\n");
            home.keep("handoff.md", &format!("---\n{head}---\nPendiente para próxima sesión:\n- ship\n"));
            home.told_at_start()
        };
        let told = page(seconds);
        assert!(told.contains("- ship (") && !told.contains("STALE"), "{told}");
        assert!(page(seconds - 2).contains("STALE: its session went on"), "{told}");
    }
}

#[test]
fn its_summary_is_told_as_ours_is() {
    let home = Home::new();
    home.keep(
        "pre-compact-summary.md",
        "<!-- auto-generated by pre-compact hook at 2026-04-13T18:32:45.123456 -->\n## Tasks in progress\n- the walls\n\
         and the roof\n## Open\n- the garden\n\n## Files worked on\n- /src/app/a.rs\n\n## Recent decisions\n- doors are green\n\n\
         ## Recent failures\n- the lock was stale\n",
    );
    let told = home.told_at_start();
    let wanted = "## Summary of 2026-04-13, before a compaction\n- asked for: the walls\n- asked for: the garden\n";
    assert!(told.replace(" (pre-compact-summary.md)", "").contains(wanted), "{told}");
    assert!(
        !told.contains("- open:") && !told.contains("doors are green") && !told.contains("auto-generated"),
        "{told}"
    );
    // What was said of it since counts.
    home.keep("handoff.md", "---\nsession_id: b\nwritten_at: 2026-04-14T00:00:00Z\n---\nOpen:\n- ship\n");
    assert!(!home.told_at_start().contains("the walls"));
}

#[test]
fn lazy_harness_itself_trusts_our_files() {
    let Some(python) = std::env::var_os("LH_LAZY_PYTHON") else {
        let _ = writeln!(std::io::stderr(), "skipped: LH_LAZY_PYTHON names no interpreter that has lazy_harness");
        return;
    };
    let home = Home::new();
    home.leave_open(&["write the docs"]);
    home.through("lh-summarize", &home.its_session());
    let read = |home: &Home| {
        let code = "import sys, pathlib\nfrom lazy_harness.hooks.builtins.context_inject import handoff_context\n\
            print(handoff_context(pathlib.Path(sys.argv[1])))";
        let mut run = Command::new(&python);
        run.env_clear().env("HOME", home.path("")).args(["-c", code]).arg(home.path(MEMORY));
        let output = run.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let told = read(&home);
    let (handoff, summary) = told.split_once("\n\nPre-compact context:\n").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(handoff, "Open for the next session:\n- write the docs");
    assert!(summary.starts_with("## Being done\n- Goal: "), "{summary}");
    for key in ["session_id", "source_lines", "source_mtime"] {
        assert!(!told.contains(key), "{told}");
    }
    // Its own test still works: another session is newer.
    home.write(".claude/projects/-src-app/later.jsonl", "{}\n");
    assert!(read(&home).contains("Do NOT trust"));
}

#[test]
fn what_is_its_alone_stays_as_it_is() {
    let home = Home::enabled("engine = \"extract\"\nmin_messages = 1\nmin_user_chars = 1");
    let checkout = home.path("app");
    fs::create_dir_all(&checkout).unwrap();
    let transcript = home.transcript(SESSION, &checkout, 4);
    let memory = transcript.parent().unwrap().join("memory");
    let theirs = [
        ("grades.jsonl", "{\"ts\":\"2026-04-13T10:00:00Z\",\"type\":\"grade\",\"quality\":\"poor\"}\n{\"torn"),
        ("insights/2026-04/2026-04-13-a.md", "---\nsession_id: x\n---\n\nAn insight.\n"),
        ("insights/.cursor-x", "7"),
        ("claude-md.proposal.md", "<!-- x -->\n\n## 2026-04-13\n\n- **Rule:** never\n"),
        ("MEMORY.md", "- [handoff](handoff.md)\n"),
        ("user_role.md", "---\nname: role\n---\nx\n"),
    ];
    for (name, text) in theirs {
        fs::create_dir_all(memory.join(name).parent().unwrap()).unwrap();
        fs::write(memory.join(name), text).unwrap();
    }
    // Without an id, and with a field of its own.
    let old =
        "{\"ts\": \"2026-04-13T18:32:45-03:00\", \"type\": \"decision\", \"summary\": \"Doors are green\", \"x\": 1}\n";
    fs::write(memory.join("decisions.jsonl"), old).unwrap();
    let run = |tool: &str, args: &[&str], input: &str| {
        let mut command = home.tool(tool);
        let output = command.args(args).current_dir(&checkout).write_stdin(input.to_owned()).output().unwrap();
        assert!(output.status.success(), "{tool} {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let session = run("lh-find-session", &[transcript.to_str().unwrap()], "");
    let mut record = distilled(&session, &["write the docs"]);
    assert!(run("lh-persist", &[], &record.to_string()).contains("\"result\":\"duplicate_of\""));
    assert_eq!(fs::read_to_string(memory.join("decisions.jsonl")).unwrap(), old, "it is the same decision");
    record["failures"] = json!([{"summary": "The lock was stale", "grounded": true}]);
    run("lh-persist", &[], &record.to_string());
    let payload =
        json!({"cwd": checkout, "session_id": "now", "transcript_path": transcript.with_file_name("now.jsonl")});
    assert!(run("lh-context", &[], &payload.to_string()).contains("Doors are green"));
    for (tool, args) in [("lh-summarize", &[][..]), ("lh-summarize", &["--progress"]), ("lh-export", &[])] {
        run(tool, args, &session);
    }
    let of = |listed: String, word: &str| {
        let line = listed.lines().find(|line| line.contains(word)).unwrap_or_else(|| panic!("{listed}")).to_owned();
        line.split_whitespace().next().unwrap().to_owned()
    };
    for (tool, word) in [("lh-done", "docs"), ("lh-forget", "green"), ("lh-forget", "stale")] {
        let id = of(run(tool, &["--text"], ""), word);
        run(tool, &[&id], "");
        run(tool, &["--undo"], "");
        run(tool, &[&id], "");
    }
    assert!(!run("lh-context", &[], &payload.to_string()).contains("Doors are green"));
    home.tool("lh-doctor").current_dir(&checkout).output().unwrap();
    for (name, text) in theirs {
        assert_eq!(fs::read_to_string(memory.join(name)).unwrap(), text, "{name}");
    }
    assert!(fs::read_to_string(memory.join("decisions.jsonl")).unwrap().starts_with(old));
}
