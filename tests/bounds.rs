//! Memory: no tool needs more for a transcript because it is large. A small limit on a transcript of tens of
//! megabytes says so in seconds; `scripts/dev/bench-bounds` measures the full sizes. Time: it grows as the text does.

use crate::home::{Home, binary, line};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What a tool may take in all, address space included, in KiB; a transcript is larger than a half of it.
const LIMIT: &str = "160000";

/// Writes a transcript.
type Maker = fn(&mut dyn std::io::Write);

/// Transcripts that are large in one way each.
const SHAPES: &[(&str, Maker)] = &[
    ("many small messages", |out| {
        for turn in 0..60_000 {
            say(out, &line("user", &format!("Let's use number {turn}."), Path::new("/src/x"), turn * 2));
            say(out, &line("assistant", &format!("Done with {turn}."), Path::new("/src/x"), turn * 2 + 1));
        }
    }),
    ("one long turn", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        for step in 1..150_000 {
            say(out, &line("assistant", &format!("Step {step} is done."), Path::new("/src/x"), step));
        }
    }),
    ("large prompts", |out| {
        let paste = "lorem ipsum dolor sit amet. ".repeat(36_000);
        for turn in 0..80 {
            say(out, &line("user", &format!("{turn} {paste}"), Path::new("/src/x"), turn * 2));
            say(out, &line("assistant", "ok", Path::new("/src/x"), turn * 2 + 1));
        }
    }),
    ("large answers", |out| {
        let paste = "We use the lock, because it is simple. ".repeat(2_600);
        for turn in 0..700 {
            say(out, &line("user", "go on", Path::new("/src/x"), turn * 2));
            say(out, &line("assistant", &format!("{turn} {paste}"), Path::new("/src/x"), turn * 2 + 1));
        }
    }),
    ("one line", |out| {
        say(out, &line("user", "Please read this.", Path::new("/src/x"), 0));
        say(out, &line("user", &"x".repeat(80_000_000), Path::new("/src/x"), 1));
    }),
    ("a first line", |out| {
        say(out, &format!("{{\"type\":\"x\",\"data\":\"{}\"}}\n", "x".repeat(80_000_000)));
        say(out, &line("user", "Please read this.", Path::new("/src/x"), 0));
    }),
    ("tools that fail", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        for step in 0..80_000 {
            say(out, &format!("{}\n", used(step, "Bash", &json!({"command": format!("make x{step}")}))));
            let result = json!([{"type": "tool_result", "tool_use_id": format!("t{step}"), "is_error": true,
                "content": format!("error: no rule to make x{step} {}", "x".repeat(400))}]);
            say(out, &format!("{}\n", record(step, "user", &result)));
        }
    }),
    ("lists of what is to do", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        let todo = "write the page ".repeat(20);
        for step in 0..120_000 {
            let todos = json!({"todos": [{"content": format!("{todo} {step}"), "status": "pending"}]});
            say(out, &format!("{}\n", used(step, "TodoWrite", &todos)));
        }
    }),
    ("prompts that wait", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        for step in 0..100_000 {
            let queued = json!({"type": "attachment", "uuid": format!("q{step}"), "parentUuid": "u0", "entrypoint": "cli",
                "attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": format!("and number {step}")}});
            say(out, &format!("{queued}\n"));
        }
    }),
];

fn say(out: &mut dyn std::io::Write, text: &str) {
    out.write_all(text.as_bytes()).unwrap();
}

fn record(step: usize, role: &str, content: &serde_json::Value) -> serde_json::Value {
    json!({"type": role, "uuid": format!("{role}{step}"), "entrypoint": "cli", "cwd": "/src/x",
        "message": {"role": role, "id": format!("m{step}"), "content": content}})
}

fn used(step: usize, tool: &str, input: &serde_json::Value) -> serde_json::Value {
    record(step, "assistant", &json!([{"type": "tool_use", "name": tool, "id": format!("t{step}"), "input": input}]))
}

/// The first shape is for all of them, the others are for the first few.
const EACH: usize = 4;
const COMMANDS: &[&str] = &[
    "lh-distill --engine extract",
    "lh-summarize -n",
    "lh-messages --all",
    "lh-export --force --format json",
    "lh-find-session --all",
    "lh-gate",
    "lh-messages --count",
    "lh-messages",
    "lh-distill --prompt",
    "lh-export --force",
    "lh-export --force --output -",
    "lh-export --force --output saved",
];

/// What reads a transcript from a pipe.
const PIPED: &[&str] = &["cat | lh-messages", "cat | lh-messages /dev/fd/0", "cat | lh-messages --count"];

fn transcript(home: &Home, make: Maker) -> PathBuf {
    let path = home.write(".claude/projects/-src-x/0f0f0f0f-0000-4000-8000-000000000000.jsonl", "");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    make(&mut out);
    out.flush().unwrap();
    path
}

#[test]
fn no_tool_needs_more_for_a_larger_transcript() {
    let mut wrong = String::new();
    for (at, (what, make)) in SHAPES.iter().enumerate() {
        let home = Home::enabled("");
        let path = transcript(&home, *make);
        let record = home.tool("lh-find-session").arg(&path).output().unwrap().stdout;
        let commands = COMMANDS.iter().take(if at == 0 { COMMANDS.len() } else { EACH });
        // A pipe is known for a transcript by its first record.
        let piped = PIPED.iter().filter(|_| *what != "a first line");
        for command in commands.chain(piped) {
            let tools = binary("lh-gate").parent().unwrap().display().to_string();
            let line = match command.strip_prefix("cat | ") {
                Some(command) => format!("ulimit -v {LIMIT}; cat {} | '{tools}'/{command} >/dev/null", path.display()),
                None => format!("ulimit -v {LIMIT}; exec '{tools}'/{command} >/dev/null"),
            };
            let output =
                home.run(Path::new("/bin/sh")).args(["-c", &line]).write_stdin(record.clone()).output().unwrap();
            // A gate, or a summary of nothing, is an honest no.
            if !matches!(output.status.code(), Some(0 | 1)) {
                let _ =
                    writeln!(wrong, "{what}: {command}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Texts that make a reader look ahead from each mark.
const MARKED: &[(&str, &str)] = &[
    ("JSON lines", "{\"time\":\"2026-04-13T10:00:00Z\",\"msg\":\"it's a thing, the job (id 17) did run\"}\n"),
    ("JSON on one line", "{\"time\":\"2026-04-13T10:00:00Z\",\"msg\":\"the job did run well today\"},"),
    ("backticks", "a ` b `` c ``` d "),
    ("marks that only open", "\u{201c}a b c d "),
    ("fences", "```rust\nlet x = 1;\n~~~\n"),
    ("keys", "- -----BEGIN RSA PRIVATE KEY\n- BEGIN OPENSSH PRIVATE KEY-----\n"),
    ("marks of pasted text", "<pasted_content id=\"5a45\">\nx <system-reminder>\n<lh-memory> y <lh-memory>\n"),
    ("one word", "word"),
    ("wishes", "You must always do it, I do not follow that. - [ ] Run it.\n- [ ] still open: mend it\n"),
];
/// The readers of a session.
const READERS: &[&str] = &[
    "lh-context",
    "lh-summarize -n",
    "lh-episode",
    "lh-distill --engine extract",
    "lh-distill --prompt",
    "lh-messages",
    "lh-export --force --output -",
];

/// Seconds of the processor's that a reader takes where the user pastes so many bytes, whatever else runs here.
fn seconds(reader: &str, role: &str, what: &str, bytes: usize) -> f64 {
    let home = Home::enabled("");
    let cwd = home.path("").canonicalize().unwrap();
    let said = what.repeat(bytes / what.len());
    let said =
        ["Please read this log.", "I read it now, and tell you.", said.as_str(), "It is read, nothing is wrong."];
    let roles = ["user", "assistant", role, "assistant"];
    let lines: String =
        roles.iter().zip(said).enumerate().map(|(at, (role, said))| line(role, said, &cwd, at)).collect();
    let folder = home.project_folder(&cwd);
    let path = folder.join("0f0f0f0f-0000-4000-8000-000000000000.jsonl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&path, lines).unwrap();
    let input = match reader {
        "lh-context" => json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": cwd}).to_string().into(),
        _ => home.tool("lh-find-session").arg(&path).output().unwrap().stdout,
    };
    let tools = binary("lh-gate").parent().unwrap().display().to_string();
    let script = format!("'{tools}'/{reader} >told; [ $? -le 1 ] && times");
    let output = home.run(Path::new("/bin/sh")).args(["-c", &script]).write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{reader}: {what}: {output:?}");
    let times = String::from_utf8(output.stdout).unwrap();
    let of = |time: &str| -> f64 {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    times.lines().nth(1).unwrap().split_whitespace().map(of).sum()
}

#[test]
fn twice_the_text_takes_twice_the_time() {
    let mut wrong = String::new();
    for (name, what) in MARKED {
        for (reader, role) in READERS.iter().flat_map(|reader| [(reader, "user"), (reader, "assistant")]) {
            // Four times as much: what looks at everything anew from each mark takes sixteen times as long. The least of
            // several runs counts.
            let is_linear = |_| {
                let (once, more) = (seconds(reader, role, what, 50_000), seconds(reader, role, what, 200_000));
                more < 7.0 * once.max(0.05)
            };
            if !(0..3).any(is_linear) {
                let _ = writeln!(wrong, "{reader}: {role}: {name}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
