//! A round trip in a home that is thrown away: a session ends, the real hook queues it, the worker distils
//! it without a model, and what was left open comes out of the next session's hook where the model reads it.

use super::Finding;
use super::Room;
use super::install::registered;
use crate::base::{clock, env, file, process};
use crate::tool::setup::HOOKS;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(15);
/// What is left open in it.
const OPEN: &str = "feed the otter at noon";

/// What was said in the session.
const SAID: [&str; 4] = [
    "please look after the animals of the house, the walrus and the otter first, and say what is left",
    "The walrus is fed. Should the otter get fish or crabs?",
    "let's go with fish for the otter, it likes them better than crabs, and stop for today after that",
    "Noted. Remaining: feed the otter at noon.",
];

/// Runs it.
pub fn round(room: &Room) -> Finding {
    let begun = clock::monotonic();
    let home = match file::scratch(None, "lh-") {
        Ok(home) => home,
        Err(failure) => return Finding::bad(failure.message, "mend TMPDIR"),
    };
    match trip(room, home.path()) {
        Ok(()) => {
            let seconds = clock::monotonic().duration_since(begun).as_secs_f64();
            Finding::good(format!("hook, queue, worker and the next session's start, in {seconds:.1} s"))
        }
        Err(what) => Finding::bad(what, "see lh(7), 'the worker is silent'; try scripts/quickstart"),
    }
}

fn trip(room: &Room, home: &Path) -> Result<(), String> {
    let write = |path: &Path, text: &str| {
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, text));
        made.map_err(|error| format!("{}: {error}", path.display()))
    };
    write(
        &home.join("config/config.toml"),
        "[compound_loop]\nenabled = true\nengine = \"extract\"\nmin_messages = 1\nmin_user_chars = 1\n[knowledge]\npath = \"~/knowledge\"\n",
    )?;
    // A project of its own, wherever temporary files are; and no index is brought up to date for it.
    let cwd = home.join("house");
    write(&cwd.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    write(&home.join(".claude/queue/.qmd.lock"), "")?;
    std::fs::create_dir_all(&cwd).map_err(|error| error.to_string())?;
    let transcript = home.join(".claude/projects/-house/0000d0c0-0000-4000-8000-000000000000.jsonl");
    write(&transcript, &transcript_text(&cwd))?;
    // The worker waits for a transcript that may still be written.
    let quiet = clock::after(clock::now(), -60).into();
    let opened = std::fs::File::options().append(true).open(&transcript).and_then(|file| file.set_modified(quiet));
    opened.map_err(|error| format!("{}: {error}", transcript.display()))?;
    let payload = |event: &str, id: &str| {
        let transcript = transcript.with_file_name(format!("{id}.jsonl"));
        json!({"session_id": id, "transcript_path": transcript, "cwd": cwd, "hook_event_name": event, "source": "startup"})
    };
    hook(room, home, "SessionEnd", &payload("SessionEnd", "0000d0c0-0000-4000-8000-000000000000"))?;
    let begun = clock::monotonic();
    let handoff = home.join(".claude/projects/-house/memory/handoff.md");
    while !std::fs::read_to_string(&handoff).is_ok_and(|text| text.to_lowercase().contains(OPEN)) {
        let log = std::fs::read_to_string(home.join(".claude/logs/hooks.log")).unwrap_or_default();
        // A hook that found no tool has queued nothing and started nothing.
        if clock::monotonic().duration_since(begun) > PATIENCE || log.contains("not found") {
            let log = std::fs::read_to_string(home.join(".claude/logs/hooks.log")).unwrap_or_default();
            let log = log + &std::fs::read_to_string(home.join(".claude/logs/compound-loop.log")).unwrap_or_default();
            return Err(format!("nothing was remembered: {}", log.lines().next_back().unwrap_or("the logs are empty")));
        }
        clock::sleep(Duration::from_millis(20));
    }
    let answer = hook(room, home, "SessionStart", &payload("SessionStart", "0000d0c1-0000-4000-8000-000000000000"))?;
    let answer: Value =
        serde_json::from_str(&answer).map_err(|_| "the next session's hook printed no JSON".to_owned())?;
    let told = answer.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str).unwrap_or_default();
    if answer.pointer("/hookSpecificOutput/hookEventName") == Some(&json!("SessionStart"))
        && told.to_lowercase().contains(OPEN)
    {
        return Ok(());
    }
    Err("what was left open is not where the model reads it".to_owned())
}

fn transcript_text(cwd: &Path) -> String {
    let now = clock::now();
    let mut text = String::new();
    for (number, said) in SAID.iter().enumerate() {
        let role = if number % 2 == 0 { "user" } else { "assistant" };
        let record = json!({
            "type": role, "uuid": format!("u{number}"), "parentUuid": number.checked_sub(1).map(|before| format!("u{before}")),
            "timestamp": now.to_string(), "cwd": cwd, "entrypoint": "cli", "isSidechain": false,
            "message": {"role": role, "id": format!("m{number}"), "content": [{"type": "text", "text": said}]},
        });
        text.push_str(&record.to_string());
        text.push('\n');
    }
    text
}

/// Runs the hook of an event as the client does: what is registered, else our own; gives what it
/// prints.
fn hook(room: &Room, home: &Path, event: &str, payload: &Value) -> Result<String, String> {
    let name = HOOKS.iter().find(|(known, _)| *known == event).map_or("", |(_, script)| *script);
    let program = registered(room, event).map_or_else(|| env::own_tool(name), Ok);
    let mut command = Command::new(program.map_err(|failure| failure.message)?);
    command.env("HOME", home).env("CLAUDE_CONFIG_DIR", home.join(".claude")).env("LH_CONFIG_DIR", home.join("config"));
    for variable in ["LAZY_KNOWLEDGE_ROOT", "LCT_LEARNINGS_DIR", "LH_DEPTH", "LH_LOG", "LH_NOW", "LH_WORK"] {
        command.env_remove(variable);
    }
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        command.env_remove(variable);
    }
    let output = process::run(command.current_dir(home), payload.to_string().as_bytes(), PATIENCE);
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    let output = output.ok_or_else(|| format!("{name} takes more than {} seconds", PATIENCE.as_secs()))?;
    if output.status.success() && output.stderr.is_empty() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{name} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
}
