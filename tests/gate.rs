//! lh-gate: what passes leaves as it came, what does not has a name and a sentence.

use crate::home::{Home, line};
use serde_json::{Value, json};
use std::path::Path;

/// An engine that costs something, whether it is here or not.
const PAID: &str = "engine = \"claude\"";

impl Home {
    /// The status, what passed, and what was said, for the session of a transcript.
    fn gate(&self, transcript: &Path, arguments: &[&str], kind: &str) -> (i32, String, String) {
        let found = self.tool("lh-find-session").arg(transcript).output().unwrap().stdout;
        let record = String::from_utf8(found).unwrap().replace("\"session\"", &format!("\"{kind}\""));
        let output = self.tool("lh-gate").args(arguments).arg("-v").write_stdin(record.clone()).output().unwrap();
        let passed = String::from_utf8(output.stdout).unwrap();
        assert!(passed.is_empty() || passed == record, "what passes is echoed");
        (output.status.code().unwrap(), passed, String::from_utf8(output.stderr).unwrap())
    }

    fn refused(&self, transcript: &Path, arguments: &[&str]) -> String {
        let (status, passed, said) = self.gate(transcript, arguments, "session");
        assert_eq!((status, passed.as_str()), (1, ""), "{said}");
        said.trim().split(": ").nth(2).unwrap().to_owned()
    }
}

#[test]
fn the_worker_reads_the_transcript() {
    let home = Home::enabled(PAID);
    let cwd = Path::new("/src/lh");
    let good = home.transcript("aaaaaaaa-1", cwd, 4);
    assert_eq!(home.gate(&good, &[], "session").0, 0);
    assert_eq!(home.refused(&home.path("nowhere.jsonl"), &[]), "no_transcript");
    assert_eq!(home.refused(&home.transcript("bbbbbbbb-2", cwd, 1), &[]), "too_few_user_chars");
    let long = line("user", &"much to say ".repeat(30), cwd, 0);
    assert_eq!(home.refused(&home.write(".claude/projects/-src-lh/cccccccc-3.jsonl", &long), &[]), "too_few_messages");
    let headless = std::fs::read_to_string(&good).unwrap().replace("\"cli\"", "\"sdk-cli\"");
    assert_eq!(
        home.refused(&home.write(".claude/projects/-src-lh/dddddddd-4.jsonl", &headless), &[]),
        "not_interactive"
    );
    let subagent = std::fs::read_to_string(&good).unwrap().replace("\"isSidechain\":false", "\"isSidechain\":true");
    assert_eq!(
        home.refused(&home.write(".claude/projects/-src-lh/eeeeeeee-5.jsonl", &subagent), &[]),
        "not_interactive"
    );
    let text = std::fs::read_to_string(&good).unwrap();
    let agent = home.write(".claude/projects/-src-lh/s/subagents/agent-f.jsonl", &text);
    assert_eq!(home.refused(&agent, &[]), "not_interactive");
}

#[test]
fn the_producer_never_opens_the_transcript() {
    let home = Home::enabled("");
    // A thin session passes: the worker will look at it. What cannot be read at all passes too.
    let thin = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    assert_eq!(home.gate(&thin, &["--queue"], "session").0, 0);
    let unread = home.write(".claude/projects/-src-lh/bbbbbbbb-2.jsonl", "\u{0}rubbish");
    assert_eq!(home.gate(&unread, &["--queue"], "session").0, 0);
    let off = Home::new();
    let good = off.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    assert_eq!(off.refused(&good, &["--queue"]), "disabled");
    assert_eq!(off.refused(&good, &["--queue", "--force"]), "disabled");
    assert_eq!(off.gate(&good, &[], "session").0, 0);
}

#[test]
fn what_was_queued_or_processed_a_moment_ago_waits_unless_forced() {
    let home = Home::enabled("");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let now = jiff::Timestamp::now();
    let state = |text: String| home.write(".claude/queue/state/aaaaaaaa-1", &text);
    state(format!("queued_at={now}\n"));
    assert_eq!(home.refused(&transcript, &["--queue"]), "debounce");
    assert_eq!(home.gate(&transcript, &["--queue", "--force"], "session").0, 0);
    let modified = jiff::Timestamp::try_from(transcript.metadata().unwrap().modified().unwrap()).unwrap();
    let earlier = |seconds: i64| modified - jiff::SignedDuration::from_secs(seconds);
    state(format!("source_modified_at={}\nsource_size_bytes=1\n", earlier(119)));
    assert_eq!(home.refused(&transcript, &["--queue"]), "growth");
    assert_eq!(home.gate(&transcript, &["--queue", "--force"], "session").0, 0);
    state(format!("source_modified_at={}\nsource_size_bytes=1\n", earlier(121)));
    assert_eq!(home.gate(&transcript, &["--queue"], "session").0, 0);
    state(format!("source_modified_at={modified}\nsource_size_bytes={}\n", transcript.metadata().unwrap().len()));
    assert_eq!(home.refused(&transcript, &["--queue", "--force"]), "already_processed");
    state("\u{0}rubbish\n=\n".to_owned());
    assert_eq!(home.gate(&transcript, &["--queue"], "session").0, 0);
}

#[test]
fn a_configuration_that_does_not_parse_is_78_with_line_and_column() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    home.write(".config/lazy-harness/config.toml", "[compound_loop]\nenabled = \"yes\"\n");
    let output = home.tool("lh-gate").write_stdin(found).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(78), "{said}");
    assert!(said.contains("config.toml:2:11: "), "{said}");
}

#[test]
fn the_verdict_is_a_record_whatever_the_session_is_called() {
    let names = [
        "plain-1",
        "notes: part \"two",
        "a: b",
        "too_few_messages: x",
        "\"reason\":\"too_few_",
        "x\",\"result\":\"done",
        "a\nlh-gate: b: no_transcript: c",
        "-n",
        "%s",
        "back\\slash",
        "ñ: 🎉",
    ];
    for name in names {
        // The reason, what of the session there is, and whether it is kept where it stood.
        let thin = line("user", "Look at the page, please", Path::new("/src/lh"), 0);
        let headless = thin.replace("\"cli\"", "\"sdk-cli\"");
        for (reason, text, kept) in [
            ("too_few_user_chars", Some(&thin), true),
            ("not_interactive", Some(&headless), false),
            ("no_transcript", None, false),
        ] {
            let home = Home::enabled(PAID);
            let path = home.write(&format!(".claude/projects/-src-lh/{name}.jsonl"), &thin);
            let record = home.tool("lh-find-session").arg(&path).output().unwrap().stdout;
            match text {
                Some(text) => std::fs::write(&path, text).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            let task = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-task");
            let output = home.run(&task).write_stdin(record).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{name}: {printed}");
            let outcome: serde_json::Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
            let field = |name: &str| outcome[name].as_str().unwrap().to_owned();
            assert_eq!(
                (field("result"), field("reason"), field("session_id")),
                ("refused".to_owned(), reason.to_owned(), name.to_owned())
            );
            let memory = home.path(".claude/projects/-src-lh/memory");
            let progress = std::fs::read_to_string(memory.join("progress.md")).unwrap_or_default();
            assert_eq!(progress.contains("- Goal: Look at the page, please"), kept, "{name}: {reason}: {progress}");
            assert!(!memory.join("handoff.md").exists(), "{name}: {reason}");
        }
    }
}

#[test]
fn a_refusal_is_the_record_with_its_reason_and_the_next_tools_read_it() {
    let home = Home::enabled(PAID);
    let thin = line("user", "Look at the page, please", Path::new("/src/lh"), 0);
    let session = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &thin);
    let headless = home.write(".claude/projects/-src-lh/bbbbbbbb-2.jsonl", &thin.replace("\"cli\"", "\"sdk-cli\""));
    let piped = |tool: &str, options: &[&str], input: &[u8]| {
        home.tool(tool).args(options).write_stdin(input).output().unwrap().stdout
    };
    for (transcript, reason) in [(&session, "too_few_user_chars"), (&headless, "not_interactive")] {
        let found = home.tool("lh-find-session").arg(transcript).output().unwrap().stdout;
        let refusal = piped("lh-gate", &["--refused"], &found);
        let text = String::from_utf8(found).unwrap().replace("\"type\":\"session\"", "\"type\":\"refusal\"");
        let known = format!("{},\"reason\":\"{reason}\"}}\n", text.trim_end().trim_end_matches('}'));
        assert_eq!(String::from_utf8(refusal.clone()).unwrap(), known);
        // A tool that does not read it passes it on.
        assert_eq!(piped("lh-distill", &[], &refusal), refusal, "{reason}");
        let receipts = String::from_utf8(piped("lh-persist", &[], &refusal)).unwrap();
        let outcome: serde_json::Value = serde_json::from_str(receipts.lines().last().unwrap()).unwrap();
        assert_eq!((&outcome["result"], &outcome["reason"]), (&"refused".into(), &reason.into()));
        assert_eq!(receipts.lines().count(), 1, "{receipts}");
    }
    let task = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-task");
    for foreign in ["{\"type\":\"other\"}\n", "{\"type\":\"other\"}", "\n", " \n"] {
        let output = home.run(&task).write_stdin(foreign).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(65), 0), "{foreign:?}");
    }
}

/// A record of /src/lh.
fn record(role: &str, content: &Value, more: &Value, number: usize) -> String {
    let mut record = json!({"type": role, "uuid": format!("r{number}"), "cwd": "/src/lh", "entrypoint": "cli",
        "timestamp": format!("2026-04-13T12:{:02}:{:02}Z", number / 60, number % 60),
        "message": {"role": role, "id": format!("m{number}"), "content": content}});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record.to_string() + "\n"
}

/// A question of the agent's and its answer, which stands in the record's fields or in the text alone.
fn asked(answer: &str, in_fields: bool, number: usize) -> [String; 2] {
    let id = format!("t{number}");
    let input = json!({"questions": [{"question": "How?", "options": []}]});
    let text = format!("User has answered your questions: \"How?\"=\"{answer}\". You can now continue");
    let fields = if in_fields { json!({"toolUseResult": {"answers": {"How?": answer}}}) } else { json!({}) };
    [
        record(
            "assistant",
            &json!([{"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": input}]),
            &json!({}),
            number,
        ),
        record("user", &json!([{"type": "tool_result", "tool_use_id": id, "content": text}]), &fields, number + 1),
    ]
}

#[test]
fn enough_work_or_enough_typed_is_worth_a_call_and_answers_are_typed() {
    let talk = |prompts: &[&str]| {
        let said = prompts.iter().enumerate().flat_map(|(at, prompt)| {
            [
                line("user", prompt, Path::new("/src/lh"), 2 * at),
                line("assistant", "Done.", Path::new("/src/lh"), 2 * at + 1),
            ]
        });
        said.collect::<String>()
    };
    let used = |count: usize, more: &Value| {
        let one = |at: usize| {
            let block = json!([{"type": "tool_use", "id": format!("u{at}"), "name": "Edit", "input": {"file_path": "/src/lh/a"}}]);
            record("assistant", &block, more, 10 + at)
        };
        (0..count).map(one).collect::<String>()
    };
    let (plain, side) = (json!({}), json!({"isSidechain": true}));
    let long = "x".repeat(200);
    for (what, text, config, refused) in [
        ("little of both", talk(&["go on", "yes"]) + &used(9, &plain), "", Some("too_few_user_chars")),
        ("enough work", talk(&["go on", "yes"]) + &used(10, &plain), "", None),
        ("a subagent's work", talk(&["go on", "yes"]) + &used(99, &side), "", Some("too_few_user_chars")),
        ("work, but too short", talk(&["go on"]) + &used(10, &plain), "", Some("too_few_messages")),
        (
            "more is wanted",
            talk(&["go on", "yes"]) + &used(10, &plain),
            "min_tool_uses = 11",
            Some("too_few_user_chars"),
        ),
        ("none is wanted", talk(&["go on", "yes"]), "min_tool_uses = 0", None),
        ("enough typed", talk(&[&long, "yes"]), "min_tool_uses = 1000000", None),
        ("answered", talk(&["go on", "yes"]) + &asked(&long, true, 20).concat(), "", None),
        ("answered in the text", talk(&["go on", "yes"]) + &asked(&long, false, 20).concat(), "", None),
        ("answered shortly", talk(&["go on", "yes"]) + &asked("no", true, 20).concat(), "", Some("too_few_user_chars")),
        // Whoever prints what the client prints is not the user.
        (
            "a tool that says so",
            talk(&["go on", "yes"]) + &asked(&long, true, 20).concat().replace("AskUserQuestion", "Bash"),
            "",
            Some("too_few_user_chars"),
        ),
    ] {
        let home = Home::enabled(&format!("{PAID}\n{config}\n"));
        let transcript = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text);
        let (status, _, said) = home.gate(&transcript, &[], "session");
        assert_eq!(status, i32::from(refused.is_some()), "{what}: {said}");
        assert!(refused.is_none_or(|reason| said.contains(&format!(": {reason}: "))), "{what}: {said}");
        // What costs nothing has one gate.
        for engine in ["engine = \"extract\"", "engine = \"auto\""] {
            let free = Home::enabled(&format!("{engine}\n{config}\n"));
            let transcript = free.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text);
            assert_eq!(free.gate(&transcript, &[], "session").0, 0, "{what}: {engine}");
            let program = text.replace("\"entrypoint\":\"cli\"", "\"entrypoint\":\"sdk-cli\"");
            let transcript = free.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &program);
            assert_eq!(free.refused(&transcript, &[]), "not_interactive", "{what}: {engine}");
        }
    }
}

#[test]
fn a_local_agents_session_is_a_persons_if_one_typed_in_it() {
    let home = Home::enabled(PAID);
    let prompts = |count: usize, entry: &str| {
        let one = |at: usize| {
            let marks = json!({"entrypoint": entry, "promptSource": "sdk"});
            record("user", &json!(format!("Then do the step number {at}, as we said before.")), &marks, 2 * at)
                + &record(
                    "assistant",
                    &json!([{"type": "text", "text": "Done."}]),
                    &json!({"entrypoint": entry}),
                    2 * at + 1,
                )
        };
        (0..count).map(one).collect::<String>()
    };
    let queue = "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"sessionId\":\"a\"}\n";
    for (what, text, passes) in [
        ("37 prompts", prompts(37, "local-agent"), true),
        ("37 prompts, the first queued", format!("{queue}{}", prompts(37, "local-agent")), true),
        ("one that was piped", format!("{queue}{}", prompts(1, "local-agent")), false),
        ("none", prompts(37, "local-agent").replace("\"type\":\"user\"", "\"isMeta\":true,\"type\":\"user\""), false),
        ("sdk-cli", prompts(37, "sdk-cli"), false),
        ("sdk-ts", format!("{queue}{}", prompts(37, "sdk-ts")), false),
        ("no entrypoint, marked", prompts(37, ""), false),
        ("both", prompts(5, "local-agent") + &prompts(5, "sdk-py"), false),
    ] {
        let transcript = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text);
        let (status, _, said) = home.gate(&transcript, &[], "session");
        assert_eq!(status == 0, passes, "{what}: {said}");
        assert!(passes || said.contains(": not_interactive: "), "{what}: {said}");
    }
    // Its end alone does not say so: what is read from there grows until a prompt is in it.
    let long = record(
        "assistant",
        &json!([{"type": "text", "text": "word ".repeat(300_000)}]),
        &json!({"entrypoint": "local-agent"}),
        90,
    );
    for (entry, kept) in [("local-agent", true), ("sdk-cli", false)] {
        let text = format!("{queue}{}{}", prompts(3, entry), long.replace("local-agent", entry));
        let transcript = home.write(".claude/projects/-src-lh/bbbbbbbb-2.jsonl", &text);
        let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
        let output = home.tool("lh-summarize").arg("--progress").write_stdin(found).output().unwrap();
        assert_eq!(output.status.success(), kept, "{entry}");
    }
}
