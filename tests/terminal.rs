//! Nothing that a terminal obeys or that hides text reaches one, whatever tool prints it; a pipe gets the
//! bytes. The terminal is made by script(1).

use crate::home::{Home, binary, line};
use serde_json::json;
use std::path::Path;

/// A name that rings, clears, moves and turns round, as a string and as characters of their own.
const HOSTILE: &str = "x\u{1b}[2Jy\u{9b}31mz\u{202e}gnp\u{200b}\u{7}\u{2028}\u{e0041}";

/// The same where no slash or control character may be.
const NAME: &str = "e\u{9b}2J\u{202e}v\u{feff}il";

/// A session whose every text is hostile; its record.
fn session(home: &Home) -> String {
    let cwd = home.path(NAME);
    std::fs::create_dir_all(&cwd).unwrap();
    let mut text = json!({"type": "custom-title", "customTitle": HOSTILE, "sessionId": "x"}).to_string() + "\n";
    for turn in 0..6 {
        let said = format!("let's use {HOSTILE} {turn} for the deploy, not the copy. Remember that I always want it.");
        let record = line("user", &said, &cwd, turn * 2);
        text.push_str(&record.replacen("{\"", &format!("{{\"gitBranch\":{},\"", json!(HOSTILE)), 1));
        text.push_str(&line("assistant", &format!("Still to do: {HOSTILE} write the page"), &cwd, turn * 2 + 1));
    }
    let path = home.write(&format!(".claude/projects/-src-{NAME}/{NAME}.jsonl"), &text);
    let output = home.tool("lh-find-session").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// What a command prints on a terminal, its standard input being a file.
fn on_terminal(home: &Home, command: &str) -> String {
    with_terminal(home, command, &[("TERM", "xterm")])
}

fn with_terminal(home: &Home, command: &str, env: &[(&str, &str)]) -> String {
    let mut run = home.run(Path::new("/usr/bin/script"));
    let line = format!("{{ {command}; }} <'{}'", home.path("input").display());
    let output = run.args(["-qec", &line, "/dev/null"]).envs(env.iter().copied()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn obeyed(text: &str) -> Option<char> {
    let ours =
        ["\u{1b}[32m", "\u{1b}[31m", "\u{1b}[m"].iter().fold(text.to_owned(), |text, ours| text.replace(ours, ""));
    let bad = |c: &char| {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t')
            || matches!(c, '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{feff}' | '\u{e0041}')
    };
    ours.chars().find(bad)
}

#[test]
fn nothing_is_printed_that_a_terminal_obeys() {
    if !Path::new("/usr/bin/script").exists() {
        return crate::bad_input::skipped("no script(1) here");
    }
    let home = Home::enabled(&format!("\"{HOSTILE}\" = 1\n").replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007"));
    let record = session(&home);
    home.write("input", &record);
    home.write("payload", &json!({"cwd": home.path(NAME), "session_id": "now", "source": "startup"}).to_string());
    let task = format!(
        "cwd=/src/{NAME}\nsession_jsonl=/x/{NAME}.jsonl\nsession_id={NAME}\nmemory_dir=/x\ntimestamp=2026-04-13T10:00:00Z\nlast_error={HOSTILE}\n"
    );
    for (folder, name) in [("queue", "1"), ("queue/failed", "2")] {
        home.write(&format!(".claude/{folder}/{name}-{NAME}.task"), &task);
    }
    home.write(&format!(".claude/queue/3-{NAME}.task"), HOSTILE);
    let log = format!("2026-04-13T10:00:00Z lh-gate: {HOSTILE}\n{HOSTILE}\n");
    home.write(".claude/logs/hooks.log", &log);
    home.write(".claude/logs/compound-loop.log", &log);
    home.write(
        ".claude/settings.json",
        &json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": HOSTILE}]}]}}).to_string(),
    );
    let lh = crate::home::binary("lh");
    let lh = lh.display();
    let payload = home.path("payload");
    let payload = payload.display();
    let missing = home.path(&format!("{NAME}.missing"));
    let missing = missing.display();
    let commands = [
        "lh-export -f -o -".to_owned(),
        "lh-export -f --format json".to_owned(),
        "lh-export -f".to_owned(),
        "lh-export -v".to_owned(),
        "lh-distill -e extract".to_owned(),
        "lh-distill -p".to_owned(),
        "lh-distill -e extract | lh-persist | cat >received; lh-persist <received; cat received | lh-persist"
            .to_owned(),
        "lh-find-session --all".to_owned(),
        format!("lh-find-session '{missing}'"),
        "lh-gate -v".to_owned(),
        "lh-gate --queue -v".to_owned(),
        "lh-enqueue -v".to_owned(),
        "lh-messages".to_owned(),
        "lh-messages --all".to_owned(),
        "lh-messages --count".to_owned(),
        format!("lh-messages '{missing}'"),
        "lh-summarize".to_owned(),
        "lh-redact".to_owned(),
        format!("lh-context <'{payload}'"),
        format!("lh-context --format markdown -v <'{payload}'"),
        "lh-dequeue --list".to_owned(),
        "lh-doctor".to_owned(),
        "lh-doctor --json".to_owned(),
        "lh-doctor --cost".to_owned(),
        "lh-setup -n".to_owned(),
        format!("lh-gate --'{NAME}'"),
        format!("lh-gate '{NAME}'"),
        format!("'{lh}' status"),
        format!("'{lh}' log"),
        format!("'{lh}' '{NAME}'"),
    ];
    let bin = binary("lh-gate");
    let path = format!("PATH='{}':$PATH; ", bin.parent().unwrap().display());
    for command in commands {
        let said = on_terminal(&home, &format!("{path}{command}"));
        assert!(!said.trim().is_empty() || command.contains("received") || command.contains("--cost"), "{command}");
        assert_eq!(obeyed(&said), None, "{command}: {said:?}");
    }
    // A pipe gets what there is.
    let piped = home.tool("lh-export").args(["-f", "-o", "-"]).write_stdin(record).output().unwrap();
    assert!(String::from_utf8(piped.stdout).unwrap().contains(HOSTILE));
    // Our own colours stay.
    assert!(on_terminal(&home, &format!("{path}lh-doctor")).contains("\u{1b}[31m"));
}

#[test]
fn colours_are_for_a_terminal_that_wants_them() {
    if !Path::new("/usr/bin/script").exists() {
        return crate::bad_input::skipped("no script(1) here");
    }
    let home = Home::new();
    home.write("input", "");
    let path = format!("PATH='{}':$PATH; ", binary("lh-gate").parent().unwrap().display());
    let rows: &[(&[(&str, &str)], bool)] = &[
        (&[("TERM", "xterm")], true),
        (&[("TERM", "xterm"), ("NO_COLOR", "")], true),
        (&[("TERM", "xterm"), ("NO_COLOR", "1")], false),
        (&[("TERM", "dumb")], false),
        (&[("TERM", "")], false),
        (&[], false),
    ];
    let tools = crate::home::tools();
    let tools = tools.iter().filter(|tool| *tool != "lh-setup");
    let runs: Vec<(&str, &str)> = tools.flat_map(|tool| ["", "--help"].map(|option| (tool.as_str(), option))).collect();
    // One terminal for all of them; a mark is behind each.
    let lines: Vec<String> =
        runs.iter().map(|(tool, option)| format!("{tool} {option} </dev/null; printf '\\001'; ")).collect();
    let line = lines.concat();
    for (env, colours) in rows {
        let said = with_terminal(&home, &format!("{path}{line}:"), env);
        let parts: Vec<&str> = said.split('\u{1}').collect();
        assert_eq!(parts.len(), runs.len() + 1, "{env:?}: {said:?}");
        for ((tool, option), said) in runs.iter().zip(parts) {
            let wanted = *colours && *tool == "lh-doctor" && option.is_empty();
            assert_eq!(said.contains("\u{1b}["), wanted, "{tool} {option} {env:?}: {said:?}");
        }
    }
}

#[test]
fn who_finds_nothing_says_so_on_a_terminal_alone() {
    if !Path::new("/usr/bin/script").exists() {
        return crate::bad_input::skipped("no script(1) here");
    }
    let home = Home::new();
    home.write("input", "");
    let path = format!("PATH='{}':$PATH; ", binary("lh-gate").parent().unwrap().display());
    for (tool, arguments) in [
        ("lh-recall", &["--list"][..]),
        ("lh-recall", &["xyzzy"]),
        ("lh-select", &["--used"]),
        ("lh-episode", &["--missing"]),
        ("lh-prune", &["--restore"]),
    ] {
        let said = on_terminal(&home, &format!("{path}{tool} {}", arguments.join(" ")));
        let begins = format!("{tool}: no");
        assert!(said.starts_with(&begins) && said.lines().count() == 1, "{tool} {arguments:?}: {said:?}");
        let output = home.tool(tool).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{tool} {arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    }
}
