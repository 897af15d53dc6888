//! A round trip in a home that is thrown away: a session ends, the real hook queues it, the worker distils
//! it without a model, and what was left open comes out of the next session's hook where the model reads it.

use super::install::registered;
use super::{Checked, Subject, failed, good};
use crate::agent::payload::Payload;
use crate::agent::{hooks, layout, sample};
use crate::base::exit::Failure;
use crate::base::{clock, env, file, process};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(15);
/// The session that ends, and the one that starts then.
const ENDED: &str = "0000d0c0-0000-4000-8000-000000000000";
const NEXT: &str = "0000d0c1-0000-4000-8000-000000000000";
/// What is left open in it.
const OPEN: &str = "feed the otter at noon";
/// What would lead out of the home.
const UNSET: [&str; 10] = [
    "LAZY_KNOWLEDGE_ROOT", "LCT_LEARNINGS_DIR", "LH_DEPTH", "LH_LOG", "LH_NOW", "LH_WORK", "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
];

/// What was said in the session.
const SAID: [&str; 4] = [
    "please look after the animals of the house, the walrus and the otter first, and say what is left",
    "The walrus is fed. Should the otter get fish or crabs?",
    "let's go with fish for the otter, it likes them better than crabs, and stop for today after that",
    "Noted. Remaining: feed the otter at noon.",
];

/// Runs it.
pub fn round(subject: &Subject) -> Checked {
    let begun = clock::monotonic();
    let home = file::scratch(None, "lh-").map_err(failed("mend TMPDIR"))?;
    // The home is not removed before the last that writes in it has ended.
    let done = process::with_all_it_starts(PATIENCE, || trip(subject, home.path()));
    let done = done.map_err(|error| Failure::io("pipe", &error)).and_then(|done| done);
    done.map_err(failed("see lh(7), 'the worker is silent'; try scripts/quickstart"))?;
    let seconds = clock::monotonic().duration_since(begun).as_secs_f64();
    good(format!("hook, queue, worker and the next session's start, in {seconds:.1} s"))
}

fn trip(subject: &Subject, home: &Path) -> Result<(), Failure> {
    let write = |path: &Path, text: &str| {
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, text));
        made.map_err(|error| Failure::io(path.display(), &error))
    };
    write(
        &home.join("config/config.toml"),
        "[compound_loop]\nenabled = true\nengine = \"extract\"\nmin_messages = 1\nmin_user_chars = 1\n[knowledge]\npath = \"~/knowledge\"\n",
    )?;
    // A project of its own, wherever temporary files are; and no index is brought up to date for it.
    let cwd = home.join("house");
    write(&cwd.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    let agent_home = home.join("agent");
    write(&agent_home.join("queue/.qmd.lock"), "")?;
    let transcript = layout::transcript(&agent_home, &cwd, ENDED);
    write(&transcript, &sample::transcript(&cwd, &SAID, clock::now()))?;
    // The worker waits for a transcript that may still be written.
    let quiet = clock::after(clock::now(), -60).into();
    let opened = std::fs::File::options().append(true).open(&transcript).and_then(|file| file.set_modified(quiet));
    opened.map_err(|error| Failure::io(transcript.display(), &error))?;
    let run = |script: &str, id: &str| {
        let transcript = Some(layout::transcript(&agent_home, &cwd, id).to_string_lossy().into_owned());
        let payload =
            Payload { session_id: Some(id.to_owned()), transcript, cwd: Some(cwd.clone()), ..Payload::default() };
        hook(subject, home, script, payload)
    };
    run("lh-hook-session-end", ENDED)?;
    let begun = clock::monotonic();
    let handoff = transcript.with_file_name("memory/handoff.md");
    let log = |name: &str| std::fs::read_to_string(agent_home.join("logs").join(name)).unwrap_or_default();
    while !std::fs::read_to_string(&handoff).is_ok_and(|text| text.to_lowercase().contains(OPEN)) {
        // A hook that found no tool has queued nothing and started nothing.
        if clock::monotonic().duration_since(begun) > PATIENCE || log("hooks.log").contains("not found") {
            let log = log("hooks.log") + &log("compound-loop.log");
            let last = log.lines().next_back().unwrap_or("the logs are empty");
            return Err(Failure::data(format!("nothing was remembered: {last}")));
        }
        clock::sleep(Duration::from_millis(20));
    }
    let answer = run("lh-hook-session-start", NEXT)?;
    let answer = serde_json::from_str(&answer).map_err(|_| Failure::data("the next session's hook printed no JSON"))?;
    if hooks::told(&answer).is_some_and(|told| told.to_lowercase().contains(OPEN)) {
        return Ok(());
    }
    Err(Failure::data("what was left open is not where the model reads it"))
}

/// Runs the hook that has one of our scripts as the client does: what is registered, else our own; gives what
/// it prints.
fn hook(subject: &Subject, home: &Path, name: &str, payload: Payload) -> Result<String, Failure> {
    let event = hooks::ALL.iter().find(|(_, script)| *script == name).map_or("", |(event, _)| *event);
    let payload = Payload { event: Some(event.to_owned()), ..payload };
    let mut command = Command::new(registered(subject, event).map_or_else(|| env::own_tool(name), Ok)?);
    command.env("HOME", home).env(env::AGENT_HOME, home.join("agent")).env("LH_CONFIG_DIR", home.join("config"));
    for variable in UNSET {
        command.env_remove(variable);
    }
    let output = process::run(command.current_dir(home), hooks::written(&payload).as_bytes(), PATIENCE);
    let output = output.map_err(|error| Failure::io(name, &error))?;
    let what = || Failure::data(format!("{name} takes more than {} seconds", PATIENCE.as_secs()));
    let output = output.ok_or_else(what)?;
    if output.status.success() && output.stderr.is_empty() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::data(format!("{name} ended with {}: {}", output.status, said.trim())))
}
