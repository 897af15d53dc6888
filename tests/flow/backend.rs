//! A user of lazy-harness whose model is a local one: nothing goes to claude, nothing is lost while no engine
//! is named, and with the line that is shown the session is distilled.

use super::home::Home;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const LOCAL: &str = "[harness]\nversion = \"1\"\n[compound_loop]\nenabled = true\nmin_messages = 4\nmin_user_chars = 100\nbackend = \"ollama\"\nmodel = \"qwen2.5\"\n";

/// As the real one: the model by its name, the prompt on standard input, a spinner on standard error, words
/// around the answer. It answers what the fake claude would.
const OLLAMA: &str = r#"#!/bin/sh
[ "$*" = 'run qwen2.5' ] || { echo "Error: unknown command $*" >&2; exit 1; }
printf '\033[?25l\342\240\213 \033[?25h\033[2K\r' >&2
printf 'Here is the JSON:\n\n```json\n'
"$FAKE_MODEL" | jq -r .result
printf '```\n'
"#;
/// Whoever calls it is found out.
const CLAUDE: &str = "#!/bin/sh\n[ \"$1\" = --version ] || echo claude >>\"$HOME/betrayed\"\nexit 1\n";

fn home() -> Home {
    let mut home = Home::new("");
    let model = home.path("model");
    home.set("FAKE_MODEL", fs::canonicalize(model.join("claude")).unwrap());
    fs::remove_file(model.join("claude")).unwrap();
    for (name, text) in [("claude", CLAUDE), ("ollama", OLLAMA)] {
        fs::write(model.join(name), text).unwrap();
        fs::set_permissions(model.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    home.config(LOCAL);
    home
}

#[test]
fn a_local_models_sessions_never_go_to_claude() {
    let mut home = home();
    let session = home.about("app", 1);
    home.queue(&session);
    // As often as a task would be started before it is given up, and then some.
    for hour in 12..24 {
        home.work(&format!("2026-04-13T{hour}:30:00Z"));
    }
    home.work("2026-04-16T12:00:00Z");
    let tasks = home.tasks("");
    assert_eq!((tasks.len(), home.tasks("failed").len(), home.tasks("done").len()), (1, 0, 0), "{}", home.log());
    assert!(home.log().contains("backend = \"ollama\" names no engine"), "{}", home.log());
    assert!(home.calls().is_empty() && !home.path("betrayed").exists(), "{}", home.log());
    assert!(session.journal("decisions.jsonl").is_empty());
    // The user takes the very lines that are shown.
    let doctor = home.tool("lh-doctor", &["--json"]);
    let records = String::from_utf8(doctor.stdout).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let model = records.into_iter().find(|record| record["name"] == "model").unwrap();
    assert_eq!(model["state"], "bad");
    let lines: Vec<&str> = model["todo"].as_str().unwrap().split('\'').filter(|part| part.contains(" = ")).collect();
    assert_eq!(lines[..2], ["engine = \"command\"", "command = \"ollama run qwen2.5\""]);
    home.config(&format!("{LOCAL}{}\n{}\n", lines[0], lines[1]));
    home.work("2026-04-16T14:00:00Z");
    home.holds(&[session], "ollama");
    assert_eq!(home.calls().len(), 1);
    assert!(!home.path("betrayed").exists());
}

#[test]
fn by_hand_it_is_78_and_another_engine_can_be_named() {
    let home = home();
    let session = home.about("app", 1);
    let record = home.tool("lh-find-session", &[&session.id]).stdout;
    fs::write(home.path("record"), &record).unwrap();
    let run = |engine: &str| {
        let mut sh = home.command("/bin/sh".into());
        let line = format!("\"$LH_BIN/lh-distill\" {engine} <\"$HOME/record\"");
        sh.args(["-c", &line]).output().unwrap()
    };
    for engine in ["", "-e auto"] {
        let output = run(engine);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{said}");
        assert!(said.contains("'command = \"ollama run qwen2.5\"'") && said.lines().count() == 1, "{said}");
    }
    assert_eq!(run("-e extract").status.code(), Some(0));
    assert!(!home.path("betrayed").exists() && home.calls().is_empty());
}
