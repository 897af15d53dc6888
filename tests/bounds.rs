//! Memory: no tool needs more for a transcript because it is large. A small limit on a transcript of tens of
//! megabytes says so in seconds; `scripts/dev/bench` measures a gigabyte. Time: it grows as the text does.

use crate::home::{Home, binary, line};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// What a tool may take in all, address space included, in KiB; a transcript is larger than a half of it.
const LIMIT: &str = "120000";

/// Writes a transcript.
type Maker = fn(&mut dyn std::io::Write);

/// Transcripts that are large in one way each.
const SHAPES: &[(&str, Maker)] = &[
    ("many small messages", |out| {
        for turn in 0..45_000 {
            say(out, &line("user", &format!("Let's use number {turn}."), Path::new("/src/x"), turn * 2));
            say(out, &line("assistant", &format!("Done with {turn}."), Path::new("/src/x"), turn * 2 + 1));
        }
    }),
    ("one long turn", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        for step in 1..112_000 {
            say(out, &line("assistant", &format!("Step {step} is done."), Path::new("/src/x"), step));
        }
    }),
    ("large prompts", |out| {
        let paste = "lorem ipsum dolor sit amet. ".repeat(36_000);
        for turn in 0..60 {
            say(out, &line("user", &format!("{turn} {paste}"), Path::new("/src/x"), turn * 2));
            say(out, &line("assistant", "ok", Path::new("/src/x"), turn * 2 + 1));
        }
    }),
    ("large answers", |out| {
        let paste = "We use the lock, because it is simple. ".repeat(2_600);
        for turn in 0..525 {
            say(out, &line("user", "go on", Path::new("/src/x"), turn * 2));
            say(out, &line("assistant", &format!("{turn} {paste}"), Path::new("/src/x"), turn * 2 + 1));
        }
    }),
    ("one line", |out| {
        say(out, &line("user", "Please read this.", Path::new("/src/x"), 0));
        say(out, &line("user", &"x".repeat(60_000_000), Path::new("/src/x"), 1));
    }),
    ("a first line", |out| {
        say(out, &format!("{{\"type\":\"x\",\"data\":\"{}\"}}\n", "x".repeat(60_000_000)));
        say(out, &line("user", "Please read this.", Path::new("/src/x"), 0));
    }),
    ("tools that fail", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        for step in 0..60_000 {
            say(out, &format!("{}\n", used(step, "Bash", &json!({"command": format!("make x{step}")}))));
            let result = json!([{"type": "tool_result", "tool_use_id": format!("t{step}"), "is_error": true,
                "content": format!("error: no rule to make x{step} {}", "x".repeat(400))}]);
            say(out, &format!("{}\n", record(step, "user", &result)));
        }
    }),
    ("lists of what is to do", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        let todo = "write the page ".repeat(20);
        for step in 0..90_000 {
            let todos = json!({"todos": [{"content": format!("{todo} {step}"), "status": "pending"}]});
            say(out, &format!("{}\n", used(step, "TodoWrite", &todos)));
        }
    }),
    ("prompts that wait", |out| {
        say(out, &line("user", "Please do all of it.", Path::new("/src/x"), 0));
        for step in 0..75_000 {
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
        let piped = PIPED.iter().filter(|_| *what != "a first line").take(if at == 0 { PIPED.len() } else { 1 });
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
    ("signs that begin an element", "<"),
    ("backticks", "a ` b `` c ``` d "),
    ("marks that only open", "\u{201c}a b c d "),
    ("fences", "```rust\nlet x = 1;\n~~~\n"),
    ("points in a quotation", "> - a\n"),
    ("blank lines of another system", "a line of text\r\n\r\n"),
    ("all quotation marks", "he said \"a 'b' c\" and “d” then «e» ‘f’ it's `g` "),
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
    processor_seconds(&home, reader, &input)
}

/// Seconds of the processor's that a tool takes for an input.
fn processor_seconds(home: &Home, line: &str, input: &[u8]) -> f64 {
    let tools = binary("lh-gate").parent().unwrap().display().to_string();
    let script = format!("'{tools}'/{line} >told; [ $? -le 1 ] && times");
    let output = home.run(Path::new("/bin/sh")).args(["-c", &script]).write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    let times = String::from_utf8(output.stdout).unwrap();
    let of = |time: &str| -> f64 {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    times.lines().nth(1).unwrap().split_whitespace().map(of).sum()
}

#[test]
fn twice_the_open_items_take_twice_the_time() {
    let home = Home::enabled("");
    let cwd = home.path("").canonicalize().unwrap();
    let transcript = home.transcript("0f0f0f0f-0000-4000-8000-000000000000", &cwd, 4);
    let more = line("user", "what is left of it?", &cwd, 8) + &line("assistant", "Left: translate the page.", &cwd, 9);
    std::fs::File::options().append(true).open(&transcript).unwrap().write_all(more.as_bytes()).unwrap();
    let record = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    std::fs::create_dir_all(home.own_memory()).unwrap();
    // Of all that is carried over, and of all that was closed.
    let took = |count: usize| {
        let lines: Vec<String> = (0..count).map(|number| format!("- mend page {number} of the manual\n")).collect();
        std::fs::write(home.own_memory().join("handoff.md"), lines.concat()).unwrap();
        let distill = processor_seconds(&home, "lh-distill --engine extract", &record);
        let distilled = std::fs::read_to_string(home.path("told")).unwrap();
        assert!(distilled.matches("of the manual").count() >= count, "{distilled:.400}");
        distill + processor_seconds(&home, "lh-persist", distilled.as_bytes())
    };
    let is_linear = |_| took(4000) < 7.0 * took(1000).max(0.05);
    assert!((0..3).any(is_linear));
}

#[test]
fn many_wishes_of_one_session_are_each_compared_with_those_alone_that_are_like_it() {
    let took = |count: usize| {
        let home = Home::enabled("");
        let cwd = home.path("").canonicalize().unwrap();
        let wish = |at: usize| line("user", &format!("From now on always use tool {at}."), &cwd, at);
        let name = ".claude/projects/-src-lh/0f0f0f0f-0000-4000-8000-000000000000.jsonl";
        let transcript = home.write(name, &(0..count).map(wish).collect::<String>());
        let record = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
        let took = processor_seconds(&home, "lh-distill --engine extract", &record);
        let distilled = std::fs::read(home.path("told")).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&distilled).unwrap();
        assert_eq!(record["memories"].as_array().unwrap().len(), count);
        took
    };
    let is_linear = |_| took(1600) < 7.0 * took(400).max(0.05);
    assert!((0..3).any(is_linear));
}

#[test]
fn a_record_costs_the_same_whatever_is_remembered() {
    let home = Home::enabled("");
    let cwd = home.path("").canonicalize().unwrap();
    let transcript = home.transcript("0f0f0f0f-0000-4000-8000-000000000000", &cwd, 4);
    let session = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    let mut record: serde_json::Value = serde_json::from_slice(&session).unwrap();
    record["type"] = json!("distilled");
    record["handoff"] = json!([]);
    std::fs::create_dir_all(home.own_memory()).unwrap();
    let mut number = 0;
    let mut took = |hole: u64| {
        let known = |at: u32| {
            let said = format!("Page {at} of the manual is written by hand, and {} is read before it", at * 7919);
            format!(
                "{}\n",
                json!({"ts": "2026-04-13T18:32:45Z", "type": "decision", "summary": said, "id": format!("{at:06x}")})
            )
        };
        let newest = "\n".to_owned() + &(0..5000).map(known).collect::<String>();
        let path = home.own_memory().join("decisions.jsonl");
        for name in ["decisions.jsonl", "failures.jsonl", "quarantine.jsonl"] {
            let mut journal = std::fs::File::create(home.own_memory().join(name)).unwrap();
            // What nobody has written takes no place on the disk, and is read like anything else.
            journal.set_len(hole).unwrap();
            journal.seek(std::io::SeekFrom::End(0)).unwrap();
            journal.write_all(newest.as_bytes()).unwrap();
        }
        number += 1;
        let again = json!({"summary": "Page 7 of the manual is written by hand, and 55433 is read before it", "grounded": true});
        let new = json!({"summary": format!("The harbour has {number} cranes of steel"), "grounded": true});
        record["decisions"] = json!([again, new]);
        let took = processor_seconds(&home, "lh-persist", record.to_string().as_bytes());
        let told = std::fs::read_to_string(home.path("told")).unwrap();
        assert!(told.contains("\"written\"") && told.contains("\"duplicate_of\""), "{told}");
        assert!(path.metadata().unwrap().len() > hole + newest.len() as u64);
        took
    };
    // To read the hole takes seconds.
    let is_level = |_| took(1 << 35) < took(0) + 0.5;
    assert!((0..3).any(is_level));
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

/// What a tool may take in all where a file of ours has grown to [`GROWN`] bytes, in KiB.
const GROWN_LIMIT: &str = "262144";
const GROWN: usize = 100_000_000;

/// Files of ours, below the memory (or the home, where it begins with a slash), and a line of each.
const OURS: &[(&str, &str)] = &[
    ("MEMORY.md", "- [a](a.md) \u{2014} number {}\n"),
    ("INDEX.md", "- `episodes/session-{}.json` - number {}\n"),
    ("handoff.md", "- write page {}\n"),
    ("progress.md", "- Goal: page {}\n"),
    ("pre-compact-summary.md", "- page {}\n"),
    ("briefing.md", "- page {}\n"),
    ("briefing.1.md", "- page {}\n"),
    ("number.md", "- page {}\n"),
    ("said.jsonl", "{\"ts\":\"2026-04-13T18:32:45Z\",\"text\":\"always take page {}\"}\n"),
    (
        "fixes.jsonl",
        "{\"ts\":\"2026-04-13T18:32:45Z\",\"failed\":\"make {}\",\"error\":[\"no rule\"],\"passed\":[\"make x\"],\"lines\":[1,2]}\n",
    ),
    (
        "decisions.jsonl",
        "{\"ts\":\"2026-04-13T18:32:45Z\",\"type\":\"decision\",\"summary\":\"sqlite for {}\",\"id\":\"{}\"}\n",
    ),
    ("decisions.jsonl", "{\"type\":\"decision\",\"summary\":\"number {}\"}"),
    (
        "failures.jsonl",
        "{\"ts\":\"2026-04-13T18:32:45Z\",\"type\":\"failure\",\"summary\":\"page {} broke\",\"id\":\"{}\"}\n",
    ),
    (
        "quarantine.jsonl",
        "{\"ts\":\"2026-04-13T18:32:45Z\",\"type\":\"decision\",\"summary\":\"use {}\",\"id\":\"{}\"}\n",
    ),
    (
        ".state/notes.jsonl",
        "{\"ts\":\"2026-04-13T18:32:45Z\",\"type\":\"memory\",\"name\":\"n{}\",\"description\":\"tabs in {}\"}\n",
    ),
    (
        ".state/memories.jsonl",
        "{\"ts\":\"2026-04-13T18:32:45Z\",\"type\":\"memory\",\"name\":\"n{}\",\"description\":\"spaces in {}\"}\n",
    ),
    (".state/handoff", "2026-04-13T18:32:45Z {}\n"),
    (".state/filed.json", "{\"notes\":[{}]}\n"),
    (".state/export.json", "{\"path\":\"{}\"}\n"),
    (".state/points", "point {}\n"),
    (".state/torn", "{\"type\": {}\n"),
    (".state/summaries/x.md", "- page {}\n"),
    ("episodes/session-x.json", "{\"session_id\": {}}\n"),
    ("/.claude/settings.json", "{\"x\": {}}\n"),
    ("/.claude/llm.jsonl", "{\"ts\":\"2026-04-13T18:32:45Z\",\"usd\":{}}\n"),
    ("/.claude/logs/hooks.log", "2026-04-13T18:32:45Z lh-gate: {}\n"),
    ("/.config/lazy-harness/config.toml", "# {}\n"),
    ("/Documents/lazy-harness-knowledge/knowledge.toml", "# {}\n"),
    ("/Documents/lazy-harness-knowledge/learnings/2026-04-13-x.md", "- page {}\n"),
    ("/Documents/lazy-harness-knowledge/sessions/2026-04/2026-04-13-0f0f0f0f.md", "- page {}\n"),
];

/// What reads them, and what is on its standard input.
const OF_OURS: &[(&str, &str)] = &[
    ("lh-distill --engine extract", "record"),
    ("lh-persist", "distilled"),
    ("lh-persist --remember 'always use tabs in this project'", ""),
    ("lh-summarize --progress", "record"),
    ("lh-summarize", "payload"),
    ("lh-episode", "record"),
    ("lh-export --force", "record"),
    ("lh-context", "payload"),
    ("lh-gate", "record"),
    ("lh-select tabs", ""),
    ("lh-recall tabs", ""),
    ("lh-recall --show 0000000000000001", ""),
    ("lh-index", ""),
    ("lh-index --check", ""),
    ("lh-done", ""),
    ("lh-done page", ""),
    ("lh-forget 0000000000000001", ""),
    ("lh-history tabs", ""),
    ("lh-report", ""),
    ("lh-review", ""),
    ("lh-prune -n", ""),
    ("lh-brief", ""),
    ("lh-doctor", ""),
];

#[test]
fn no_file_of_ours_ends_a_tool_because_it_is_large() {
    let (mut wrong, config) = (String::new(), "[compound_loop]\nenabled = true\nmin_messages = 1\n");
    let tools = binary("lh-gate").parent().unwrap().display().to_string();
    for (name, of) in OURS {
        let home = Home::new();
        home.write(".config/lazy-harness/config.toml", config);
        home.write("Documents/lazy-harness-knowledge/knowledge.toml", "[knowledge]\nversion = 1\n");
        let cwd = home.path("").canonicalize().unwrap();
        let transcript = home.transcript("0f0f0f0f-0000-4000-8000-000000000000", &cwd, 4);
        let more = line(
            "user",
            "From now on always use tabs in this project. Let's use sqlite, because it is simple.",
            &cwd,
            9,
        );
        std::fs::File::options().append(true).open(&transcript).unwrap().write_all(more.as_bytes()).unwrap();
        let run = |line: &str, input: &[u8]| {
            let script = format!("ulimit -v {GROWN_LIMIT}; exec '{tools}'/{line}");
            home.run(Path::new("/bin/sh")).args(["-c", &script]).write_stdin(input).output().unwrap()
        };
        let record = run(&format!("lh-find-session '{}'", transcript.display()), b"").stdout;
        let distilled = run("lh-distill --engine extract", &record).stdout;
        let payload = json!({"cwd": cwd, "transcript_path": transcript, "source": "startup"}).to_string();
        assert_eq!(run("lh-persist", &distilled).status.code(), Some(0));
        let path = name.strip_prefix('/').map_or_else(|| home.own_memory().join(name), |below| home.path(below));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let part: String = (0..5_000_000 / of.len()).map(|number| of.replace("{}", &format!("{number:016}"))).collect();
        let mut out = std::fs::File::create(&path).unwrap();
        (0..=GROWN / part.len()).for_each(|_| out.write_all(part.as_bytes()).unwrap());
        for (command, input) in OF_OURS {
            let input = match *input {
                "record" => record.as_slice(),
                "distilled" => distilled.as_slice(),
                "payload" => payload.as_bytes(),
                _ => b"",
            };
            let output = run(command, input);
            let said = String::from_utf8_lossy(&output.stderr);
            // What is not done is said.
            if !matches!(output.status.code(), Some(0 | 1 | 65 | 69 | 74 | 75 | 78))
                || output.status.code() > Some(1) && said.is_empty()
            {
                let _ = writeln!(wrong, "{name}: {command}: {} {said}", output.status);
            }
        }
        // A log is turned over, a cache written anew.
        let kept = std::fs::metadata(&path).map_or(0, |data| data.len());
        if kept < GROWN as u64 && ![".state/export.json", "/.claude/logs/hooks.log"].contains(name) {
            let _ = writeln!(wrong, "{name}: {kept} bytes are left");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Records that a tool does not know, and records that it does, without end.
#[test]
fn no_number_of_records_ends_a_tool() {
    let home = Home::enabled("");
    let cwd = home.path("").canonicalize().unwrap();
    let transcript = home.transcript("0f0f0f0f-0000-4000-8000-000000000000", &cwd, 2);
    let record = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    std::fs::write(home.path("record"), &record).unwrap();
    let other = json!({"type": "other", "text": "x".repeat(180)});
    std::fs::write(home.path("other"), format!("{other}\n")).unwrap();
    // One object with more than is worth reading.
    let list = |begin: &str, item: &str| {
        format!("{{{begin}[{}{item}]}}\n", format!("{item},").repeat(58_000_000 / (item.len() + 1)))
    };
    let session = "\"type\":\"session\",\"session_id\":\"a\",\"transcript\":\"/x\",\"a\":";
    let distilled =
        String::from_utf8(record.clone()).unwrap().replace("\"type\":\"session\"", "\"type\":\"distilled\"");
    let distilled = distilled.trim_end().trim_start_matches('{').trim_end_matches('}').to_owned() + ",\"decisions\":";
    std::fs::write(home.path("payload"), list("\"cwd\":\"/x\",\"session_id\":\"a\",\"prompt\":\"tabs\",\"a\":", "1"))
        .unwrap();
    std::fs::write(home.path("session"), list(session, "1")).unwrap();
    std::fs::write(home.path("distilled"), list(&distilled, "{}")).unwrap();
    std::fs::write(home.path("fields"), format!("{{{}\"a\":1}}\n", "\"a\":1,".repeat(8_000_000))).unwrap();
    let tools = binary("lh-gate").parent().unwrap().display().to_string();
    let mut wrong = String::new();
    for (command, input) in [
        ("lh-context", "payload"),
        ("lh-summarize", "payload"),
        ("lh-find-session", "payload"),
        ("lh-select", "payload"),
        ("lh-episode", "session"),
        ("lh-gate", "session"),
        ("lh-distill --engine extract", "session"),
        ("lh-export", "session"),
        ("lh-persist", "distilled"),
        ("lh-context", "fields"),
        ("lh-gate", "fields"),
    ] {
        let line = format!("ulimit -v {GROWN_LIMIT}; exec '{tools}'/{command} <{input} >told");
        let output = home.run(Path::new("/bin/sh")).args(["-c", &line]).output().unwrap();
        if !matches!(output.status.code(), Some(0 | 1 | 65)) {
            let _ =
                writeln!(wrong, "{command}: {input}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
        }
    }
    for (command, input, count) in [
        ("lh-persist", "other", 600_000),
        ("lh-distill", "other", 600_000),
        ("lh-gate", "other", 600_000),
        ("lh-gate", "record", 50_000),
        ("lh-enqueue", "other", 600_000),
        ("lh-export", "other", 600_000),
        ("lh-messages", "other", 600_000),
        ("lh-episode", "other", 600_000),
        ("lh-summarize", "other", 600_000),
        ("lh-select", "other", 600_000),
        ("lh-review", "other", 600_000),
        ("lh-recall", "other", 600_000),
        ("lh-redact", "other", 600_000),
        ("lh-context", "other", 600_000),
        ("lh-find-session", "other", 600_000),
        ("lh-done", "other", 600_000),
        ("lh-forget", "other", 600_000),
    ] {
        let limit = format!("ulimit -v {GROWN_LIMIT}");
        let line = format!("yes \"$(cat {input})\" | head -n {count} | ({limit}; exec '{tools}'/{command} >told)");
        let output = home.run(Path::new("/bin/sh")).args(["-c", &line]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if !matches!(output.status.code(), Some(0 | 1 | 64 | 65)) {
            let _ = writeln!(wrong, "{command}: {} {said}", output.status);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
