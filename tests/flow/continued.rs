//! Two sessions, then "Continue.": what the third one is told at its start, through the real hooks.

use super::home::Home;
use super::session::{Session, words};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// What the checkout's history does not touch: none of it may be told.
const ELSEWHERE: [&str; 10] = [
    "invoices", "thumbnails", "newsletter", "captcha", "telemetry", "onboarding", "currency", "printer", "podcast",
    "calendar",
];

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder);
    for (name, value) in [("NAME", "n"), ("EMAIL", "n@example.com"), ("DATE", "2026-04-13T09:00:00Z")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// 50 decisions and 20 failures of the month before; of each one names a file that is being changed.
fn remember(session: &Session) {
    let entry = |number: usize, kind: &str, summary: &str, prevention: &str| {
        let ts = format!("2026-03-{:02}T10:00:00+00:00", number % 28 + 1);
        json!({"ts": ts, "type": kind, "summary": summary, "rationale": "measured", "prevention": prevention,
            "project": "app", "tags": [], "id": format!("{kind}{number}"), "session_id": "old", "evidence": [],
            "grounded": true})
    };
    let (mut decisions, mut failures) = (String::new(), String::new());
    for number in 0..50 {
        let summary = match number {
            7 => "The lock in src/queue/lock.rs is taken for milliseconds".to_owned(),
            _ => format!("The {} stay as they are, number {number}", ELSEWHERE[number % 10]),
        };
        let _ = writeln!(decisions, "{}", entry(number, "decision", &summary, ""));
    }
    for number in 0..20 {
        let (summary, prevention) = match number {
            3 => ("A child kept lock.rs's descriptor open".to_owned(), "open it with O_CLOEXEC"),
            _ => (format!("The {} broke on day {number}", ELSEWHERE[number % 10]), "look twice"),
        };
        let _ = writeln!(failures, "{}", entry(number, "failure", &summary, prevention));
    }
    std::fs::create_dir_all(session.memory("")).unwrap();
    std::fs::write(session.memory("decisions.jsonl"), decisions).unwrap();
    std::fs::write(session.memory("failures.jsonl"), failures).unwrap();
}

impl Home {
    /// What a session is told at its start, and the line for the user.
    pub fn told(&self, session: &Session, source: &str) -> (String, String) {
        let mut payload: Value = serde_json::from_slice(&session.payload("lh-hook-session-end")).unwrap();
        payload["hook_event_name"] = json!("SessionStart");
        payload["source"] = json!(source);
        let output = self.fire("lh-hook-session-start", payload.to_string().as_bytes()).wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&answer["hookSpecificOutput"]["additionalContext"]), text(&answer["systemMessage"]))
    }
}

#[test]
fn the_third_session_can_continue() {
    let mut home = Home::new("");
    let root = home.path("src/app");
    std::fs::create_dir_all(root.join("src/queue")).unwrap();
    std::fs::write(root.join("src/queue/lock.rs"), "fn lock() {}\n").unwrap();
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["config", "user.email", "n@example.com"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "lock: taken and let go"]);
    git(&root, &["switch", "-q", "-c", "feat/short-locks"]);
    std::fs::write(root.join("src/queue/lock.rs"), "fn lock() { /* shorter */ }\n").unwrap();

    let (one, two) = (home.about("app", 0), home.about("app", 1));
    remember(&one);
    for session in [&one, &two] {
        home.queue(session);
        home.work("2026-04-13T13:00:00Z");
        home.hook("lh-hook-stop", &session.payload("lh-hook-stop"));
        home.idle();
    }

    let third = home.session("app", "00000003-0000-4000-8000-000000000000");
    let (told, banner) = home.told(&third, "startup");
    let (last, _) = words(1);
    let line = |start: &str, word: &str| told.lines().any(|line| line.starts_with(start) && line.contains(word));
    assert!(line("- branch: feat/short-locks", ""), "{told}");
    assert!(line("- last commit: ", "2026-04-13 lock: taken and let go"), "{told}");
    assert!(line("- files: 1 changed", ""), "{told}");
    let open = told.split("## Handoff").nth(1).and_then(|rest| rest.split("##").next()).unwrap();
    assert!(open.contains("migration") && open.contains(&last) && !open.contains("STALE"), "{told}");
    assert!(line("- decided 2026-04-13 (", &last), "the last decision: {told}");
    assert!(line("- decided 2026-03-08 (", "src/queue/lock.rs"), "the file that is being changed: {told}");
    assert!(line("- failed ", "prevention: open it with O_CLOEXEC"), "{told}");
    // What was decided elsewhere has what room is left.
    let history = told.split("## Recent history").nth(1).unwrap();
    let elsewhere = ELSEWHERE.iter().filter_map(|word| history.find(word)).min().unwrap();
    let near = ["src/queue/lock.rs", "lock.rs's", &last].map(|word| history.find(word).unwrap());
    assert!(near.iter().all(|at| *at < elsewhere), "{told}");
    let told_chars = told.chars().count();
    assert!((3500..=4001).contains(&told_chars), "{told_chars}: {told}");
    assert!(banner.contains("handoff of 2026-04-13 (2 open)") && !banner.contains('\n'), "{banner}");

    home.set("LH_NOW", "2026-05-30T00:00:00Z");
    assert_eq!(home.told(&third, "startup"), (told, banner), "the same files, the same bytes");
}
