//! lh-export: the page, when it is written, reading on, and many sessions.

use crate::home::{Home, line};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

impl Home {
    pub fn session_of(&self, transcript: &Path) -> Vec<u8> {
        let output = self.tool("lh-find-session").arg(transcript).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    }

    fn export_with(&self, transcript: &Path, arguments: &[&str], prepare: impl Fn(&mut assert_cmd::Command)) -> Output {
        let mut tool = self.tool("lh-export");
        prepare(tool.args(arguments));
        tool.write_stdin(self.session_of(transcript)).output().unwrap()
    }

    /// What became of a transcript, and its page.
    fn export(&self, transcript: &Path) -> (String, PathBuf) {
        let output = self.export_with(transcript, &[], |_| {});
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let receipt: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |name: &str| receipt[name].as_str().unwrap_or_default().to_owned();
        (text("result"), PathBuf::from(text("path")))
    }

    /// The page of a transcript as it is made when nothing is known of it.
    fn fresh_page(&self, transcript: &Path) -> Vec<u8> {
        let state = transcript.parent().unwrap().join("memory/.state");
        let aside = self.path("state-aside");
        let kept = std::fs::rename(&state, &aside).is_ok();
        let other = self.path("other-knowledge");
        let _ = std::fs::remove_dir_all(&other);
        let output = self.export_with(transcript, &[], |tool| {
            tool.env("LAZY_KNOWLEDGE_ROOT", &other);
        });
        let receipt: Value = serde_json::from_slice(&output.stdout).unwrap();
        let _ = std::fs::remove_dir_all(&state);
        if kept {
            std::fs::rename(&aside, &state).unwrap();
        }
        receipt["path"].as_str().map(|path| std::fs::read(path).unwrap()).unwrap_or_default()
    }

    fn grow(transcript: &Path, text: &str) {
        std::fs::OpenOptions::new().append(true).open(transcript).unwrap().write_all(text.as_bytes()).unwrap();
    }
}

/// The front matter as a reader of YAML sees it (ours are JSON scalars, numbers and plain words).
fn front(page: &str) -> serde_json::Map<String, Value> {
    let head = page.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
    let pairs = head.lines().map(|line| line.split_once(": ").unwrap());
    pairs.map(|(key, value)| (key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| json!(value)))).collect()
}

fn record(kind: &str, number: usize, text: &str, more: &Value) -> String {
    let mut record: Value = serde_json::from_str(&line(kind, text, Path::new("/src/lh"), number)).unwrap();
    let fields = record.as_object_mut().unwrap();
    fields.extend(more.as_object().cloned().unwrap_or_default());
    format!("{record}\n")
}

#[test]
fn a_page_has_front_matter_a_title_and_what_was_said() {
    let home = Home::new();
    let usage = |output: u64| {
        json!({"id": "m1", "role": "assistant", "usage": {"input_tokens": 100, "output_tokens": output, "cache_read_input_tokens": 7, "x": {"input_tokens": 9}},
        "content": [{"type": "text", "text": format!("part {output}")}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]})
    };
    let text = [
        json!({"type": "summary", "summary": "Another session", "leafUuid": "elsewhere"}).to_string() + "\n",
        record("user", 0, "fix the \"build\": it's #broken", &json!({"gitBranch": "main", "version": "2.1.330"})),
        record("assistant", 1, "", &json!({"message": usage(5)})),
        record("assistant", 2, "", &json!({"message": usage(50)})),
        record("user", 3, "thanks", &json!({"timestamp": "2026-04-13T12:41:00.000Z", "gitBranch": "topic"})),
        record(
            "assistant",
            4,
            "",
            &json!({"message": {"id": "m2", "role": "assistant", "content": "You are welcome."}, "costUSD": 0.25}),
        ),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "c"}).to_string() + "\n",
    ];
    let path = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text.concat());
    let (result, page) = home.export(&path);
    assert_eq!(result, "written");
    let month = home.path("Documents/lazy-harness-knowledge/sessions/2026-04");
    assert_eq!(page, month.canonicalize().unwrap().join("2026-04-13-aaaaaaaa.md"));
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(
        text,
        format!(
            "---\ntype: claude-session\nsession_id: aaaaaaaa-1\ndate: 2026-04-13 12:00\ncwd: /src/lh\nproject: lh\nprofile: other\nsession_type: other\nbranch: topic\nclaude_version: 2.1.330\nmessages: 4\ntopic: \"fix the \\\"build\\\": it's #broken\"\ntools: {{\"Bash\": 2}}\nduration_minutes: 4\ntokens: 157\ncost_usd: 0.2500\ncompactions: 1\nsource_size: {}\n---\n\n# fix the \"build\": it's #broken\n\n## User\n<!-- line 2, 2026-04-13 12:00:00 UTC -->\n\nfix the \"build\": it's #broken\n\n## Claude\n<!-- line 3, 2026-04-13 12:01:00 UTC -->\n\npart 5\n\npart 50\n\n## User\n<!-- line 5, 2026-04-13 12:41:00 UTC -->\n\nthanks\n\n## Claude\n<!-- line 6, 2026-04-13 12:04:00 UTC -->\n\nYou are welcome.\n",
            path.metadata().unwrap().len()
        )
    );
    let titled = std::fs::read_to_string(&path).unwrap() + "{\"type\":\"ai-title\",\"aiTitle\":\"Mend the build\"}\n";
    std::fs::write(&path, titled).unwrap();
    let shown = home.export_with(&path, &["-o", "-"], |_| {});
    assert!(String::from_utf8_lossy(&shown.stdout).contains("\ntopic: \"Mend the build\"\n"));
    let json: Value = serde_json::from_slice(&home.export_with(&path, &["--format", "json"], |_| {}).stdout).unwrap();
    assert_eq!((json["messages"][3]["text"].as_str(), json["tokens"].as_u64()), (Some("You are welcome."), Some(157)));
    assert!(home.export_with(&path, &["-o", "one.md"], |_| {}).stdout.is_empty());
    assert_eq!(home.read("one.md").as_bytes(), shown.stdout);
}

#[test]
fn a_subagent_has_a_page_if_it_is_asked_for() {
    let home = Home::new();
    let side = |kind: &str, number: usize, text: &str| {
        record(kind, number, text, &json!({"isSidechain": true, "agentId": "a1"}))
    };
    let text = [
        side("user", 0, "look for the walrus"),
        record(
            "user",
            1,
            "",
            &json!({"isSidechain": true, "message": {"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": "t", "content": "a tool's result"}]}}),
        ),
        side("assistant", 2, "it is in src/walrus.rs"),
    ];
    let path = home.write(".claude/projects/-src-lh/5e0c1a7e-1/subagents/agent-a1.jsonl", &text.concat());
    assert_eq!(home.export(&path).0, "refused");
    let page = String::from_utf8(home.export_with(&path, &["-f", "-o", "-"], |_| {}).stdout).unwrap();
    assert!(page.contains("\nmessages: 2\n") && !page.contains("a tool's result"), "{page}");
    assert!(page.ends_with("-->\n\nlook for the walrus\n\n## Claude\n<!-- line 3, 2026-04-13 12:02:00 UTC -->\n\nit is in src/walrus.rs\n"), "{page}");
    let json: Value =
        serde_json::from_slice(&home.export_with(&path, &["-f", "--format", "json"], |_| {}).stdout).unwrap();
    assert_eq!(
        (json["messages"][1]["text"].as_str(), json["messages"][2].is_null()),
        (Some("it is in src/walrus.rs"), true)
    );
    home.export_with(&path, &["-f"], |_| {});
    let found = home.tool("lh-recall").args(["--files", "walrus"]).output().unwrap();
    assert!(String::from_utf8(found.stdout).unwrap().contains("-agent-a1.md"));
}

#[test]
fn with_the_switch_the_subagents_of_a_session_get_pages_that_name_it() {
    let home = Home::enabled("[knowledge.sessions]\nsubagents = true\n");
    let said = |side: bool, number: usize| {
        let (kind, text) = (["user", "assistant"][number % 2], format!("the walrus, part {number}"));
        let text = if side { format!("{text}: walrus walrus walrus") } else { text };
        record(kind, number, &text, &json!({"isSidechain": side, "sessionId": "5e0c1a7e-1"}))
    };
    let text = |side: bool, count: usize| (0..count).map(|number| said(side, number)).collect::<String>();
    let path = home.write(".claude/projects/-src-lh/5e0c1a7e-1.jsonl", &text(false, 6));
    let beside = |name: &str, text: &str| {
        home.write(&format!(".claude/projects/-src-lh/5e0c1a7e-1/subagents/{name}.jsonl"), text)
    };
    let first = beside("agent-a1", &text(true, 4));
    beside("agent-a2", &text(true, 4));
    // What says the session again, what is short, and what is not a transcript.
    beside("agent-acompact-1", &text(true, 4));
    beside("agent-a3", &text(true, 2));
    beside("notes", "x\n");
    std::os::unix::fs::symlink("/dev/null", first.with_file_name("agent-a4.jsonl")).unwrap();
    let results = |home: &Home| -> Vec<(String, String)> {
        let output = home.export_with(&path, &[], |_| {});
        let lines = String::from_utf8(output.stdout).unwrap();
        let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        let of = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        lines.lines().map(read).map(|it| (of(&it, "id"), of(&it, "result"))).collect()
    };
    let named = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
        rows.iter().map(|(id, result)| ((*id).to_owned(), (*result).to_owned())).collect()
    };
    let wanted = [("5e0c1a7e-1", "written"), ("agent-a1", "written"), ("agent-a2", "written"), ("agent-a3", "refused")];
    assert_eq!(results(&home)[..4], named(&wanted));
    let again = wanted.map(|(id, result)| (id, if result == "written" { "unchanged" } else { result }));
    assert_eq!(results(&home)[..4], named(&again));
    let pages = "Documents/lazy-harness-knowledge/sessions/2026-04/2026-04-13";
    let page = home.read(&format!("{pages}-agent-a1.md"));
    let fields = front(&page);
    assert_eq!(fields["parent"], "5e0c1a7e-1");
    assert_eq!(fields["topic"], "the walrus, part 0: walrus walrus walrus");
    assert!(!front(&home.read(&format!("{pages}-5e0c1a7e.md"))).contains_key("parent"));
    // It goes on: its page does, and it is read whole.
    Home::grow(&first, &(said(true, 4) + &said(true, 5)));
    assert_eq!(results(&home)[1], ("agent-a1".to_owned(), "written".to_owned()));
    let page = home.read(&format!("{pages}-agent-a1.md"));
    assert_eq!((front(&page)["messages"].as_u64(), page.matches("part 0").count()), (Some(6), 3), "{page}");
    // The session comes first, whatever the words say; none of them is the project's last session.
    let found = home.tool("lh-recall").args(["--json", "walrus walrus"]).output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    let hits: Vec<Value> = found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = hits.iter().map(|hit| hit["session_id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids.len()), ("5e0c1a7e-1", 3), "{found}");
    assert_eq!(hits[1]["parent"], "5e0c1a7e-1");
    // They go with it.
    let gone = home.tool("lh-prune").args(["--remove", "5e0c1a7e-1"]).output().unwrap();
    assert!(gone.status.success(), "{gone:?}");
    let mut find = home.run(Path::new("find"));
    find.arg(home.path("")).args(["-name", "agent-*", "-not", "-path", "*/.archive/*"]);
    let left = String::from_utf8(find.output().unwrap().stdout).unwrap();
    assert!(!left.is_empty() && left.lines().all(|path| path.contains("/subagents/")), "{left}");
}

#[test]
fn what_is_short_no_persons_or_secret_stays_out() {
    let home = Home::new();
    let short = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    assert_eq!(home.export(&short).0, "refused");
    let output = home.export_with(&short, &["-v"], |_| {});
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "lh-export: aaaaaaaa-1: too_few_messages: it has fewer messages than min_messages: give --force to export it\n"
    );
    assert!(!home.path("Documents").exists());
    // Refused at this size: the transcript is not looked into again.
    assert_eq!(home.export(&short).0, "refused");
    assert!(home.export_with(&short, &["--force"], |_| {}).status.success());
    assert!(home.path("Documents/lazy-harness-knowledge/sessions/2026-04/2026-04-13-aaaaaaaa.md").exists());
    let program = home.transcript("bbbbbbbb-1", Path::new("/src/lh"), 4);
    let text = std::fs::read_to_string(&program).unwrap().replace("\"cli\"", "\"sdk-cli\"");
    std::fs::write(&program, text).unwrap();
    assert_eq!(home.export(&program).0, "refused");
    let secret = home.transcript("cccccccc-1", Path::new("/src/lh"), 4);
    let token = format!("ghp_{}", "aB3dE5gH7j".repeat(4).get(..36).unwrap());
    Home::grow(&secret, &record("user", 9, &format!("the token is {token}. <private>my diary</private>"), &json!({})));
    let (_, page) = home.export(&secret);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("the token is [redacted:") && !page.contains(&token) && !page.contains("diary"), "{page}");
}

#[test]
fn a_page_is_written_when_there_is_more_to_say() {
    let home = Home::new();
    let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let (_, page) = home.export(&path);
    let first = std::fs::read(&page).unwrap();
    assert_eq!(home.export(&path), ("unchanged".to_owned(), page.clone()));
    // Bookkeeping is not a message.
    Home::grow(&path, "{\"type\":\"last-prompt\"}\n");
    assert_eq!(home.export(&path).0, "unchanged");
    Home::grow(&path, &record("user", 20, "and one more", &json!({"parentUuid": "u7"})));
    assert_eq!(home.export(&path).0, "written");
    assert_eq!(std::fs::read(&page).unwrap(), home.fresh_page(&path));
    // What a killed one wrote aside is cleared away when it is old enough.
    let aside = page.with_file_name(".lh-killed.tmp");
    let fresh = page.with_file_name(".lh-running.tmp");
    std::fs::write(&fresh, "").unwrap();
    std::fs::File::create(&aside)
        .unwrap()
        .set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(4000))
        .unwrap();
    Home::grow(&path, &record("assistant", 21, "done", &json!({"parentUuid": "u20"})));
    assert_eq!(home.export(&path).0, "written");
    assert_eq!((aside.exists(), fresh.exists()), (false, true));
    // A transcript that was cut takes nothing from its page.
    let grown = std::fs::read(&page).unwrap();
    std::fs::write(
        &path,
        std::fs::read_to_string(&path).unwrap().lines().take(6).collect::<Vec<_>>().join("\n") + "\n",
    )
    .unwrap();
    assert_eq!(home.export(&path).0, "unchanged");
    assert_eq!(std::fs::read(&page).unwrap(), grown);
    // With the memory's own folder lost the page speaks for itself.
    std::fs::remove_dir_all(path.parent().unwrap().join("memory")).unwrap();
    home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    assert_eq!(home.export(&path).0, "unchanged");
    assert_ne!(first, grown);
}

#[test]
fn the_predecessors_page_gives_way_to_a_newer_transcript_only() {
    let home = Home::new();
    let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let name = "Documents/lazy-harness-knowledge/sessions/2026-04/2026-04-13-aaaaaaaa.md";
    home.write(name, "---\ntype: claude-session\nsession_id: aaaaaaaa-1\ndate: 2026-04-13 12:00\nmessages: 400\n---\n\n## User\n\nold\n");
    assert_eq!(home.export(&path).0, "unchanged");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(later).unwrap();
    assert_eq!(home.export(&path).0, "written");
    assert!(home.read(name).contains("messages: 8\n"));
    // Another session of that day and short id keeps its page.
    let twin = home.transcript("aaaaaaaa-2", Path::new("/src/lh"), 4);
    let (result, page) = home.export(&twin);
    assert_eq!((result.as_str(), page.file_name().unwrap().to_str()), ("written", Some("2026-04-13-aaaaaaaa-2.md")));
    assert!(home.read(name).contains("session_id: aaaaaaaa-1\n"));
}

#[test]
fn one_broken_transcript_does_not_stop_the_rest() {
    let home = Home::new();
    let mut input = Vec::new();
    for id in ["aaaaaaaa-1", "bbbbbbbb-1", "cccccccc-1"] {
        let path = home.transcript(id, Path::new("/src/lh"), 4);
        input.extend(home.session_of(&path));
    }
    std::fs::remove_file(home.path(".claude/projects/-src-lh/bbbbbbbb-1.jsonl")).unwrap();
    std::fs::create_dir(home.path(".claude/projects/-src-lh/bbbbbbbb-1.jsonl")).unwrap();
    let output = home.tool("lh-export").write_stdin(input).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stdout).lines().count()),
        (Some(65), 2),
        "{said}"
    );
    assert!(
        said.contains("stdin:2: ")
            && said.ends_with("3 sessions: 2 written, 0 unchanged, 0 without a page, 1 failed\n"),
        "{said}"
    );
}

#[test]
fn what_was_missed_is_listed_until_it_is_done() {
    let home = Home::enabled("engine = \"extract\"\n");
    let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let missing = || {
        let output = home.tool("lh-find-session").arg("--missing").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["missing"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(missing(), [r#"["export","distill"]"#]);
    home.export(&path);
    assert_eq!(missing(), [r#"["distill"]"#]);
    // Nobody ever asked for it: no hook ran.
    let find = home.tool("lh-find-session").arg("--missing").output().unwrap().stdout;
    let gate = home.tool("lh-gate").args(["--queue", "-v"]).write_stdin(find.clone()).output().unwrap();
    assert!(gate.stdout.is_empty() && String::from_utf8_lossy(&gate.stderr).contains("before_since"), "{gate:?}");
    home.write(".claude/queue/.since", "2026-04-13T11:00:00+00:00\n");
    let gate = home.tool("lh-gate").args(["--queue", "-v"]).write_stdin(find).output().unwrap();
    home.tool("lh-enqueue").write_stdin(gate.stdout).assert().success();
    home.tool("lh-dequeue")
        .args(["--", "sh", "-c", "cat >/dev/null; echo '{\"type\":\"outcome\",\"result\":\"done\"}'"])
        .assert()
        .success();
    assert_eq!(missing(), Vec::<String>::new());
    Home::grow(&path, &record("user", 30, "more", &json!({})));
    assert_eq!(missing(), [r#"["export"]"#]);
}

#[test]
fn after_one_more_turn_only_the_end_of_a_transcript_is_read() {
    let home = Home::new();
    let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let block = json!({"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(50_000)});
    for number in 20..120 {
        Home::grow(
            &path,
            &record("user", number, "", &json!({"parentUuid": "u7", "message": {"role": "user", "content": [block]}})),
        );
    }
    let (_, page) = home.export(&path);
    Home::grow(&path, &record("user", 200, "and one more", &json!({"parentUuid": "u119"})));
    home.write("session", &String::from_utf8(home.session_of(&path)).unwrap());
    let tool = home.tool("lh-export");
    let mut strace = std::process::Command::new("strace");
    strace.args(["-o", "trace", "-y", "-e", "trace=read,pread64"]).arg(tool.get_program());
    strace.env_clear().env("HOME", home.path("")).env("PATH", "/usr/bin:/bin").env("LH_BIN", "/nowhere");
    strace.current_dir(home.path("")).stdin(std::fs::File::open(home.path("session")).unwrap());
    if !strace.stdout(std::process::Stdio::null()).status().is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "skipped: strace cannot run here");
        return;
    }
    let trace = home.read("trace");
    let reads = trace.lines().filter(|line| line.contains("aaaaaaaa-1.jsonl>"));
    let read: u64 = reads.filter_map(|line| line.rsplit_once("= ")?.1.parse::<u64>().ok()).sum();
    assert!(read > 0 && read < 1 << 20, "{read} bytes of {} were read", path.metadata().unwrap().len());
    assert_eq!(std::fs::read(&page).unwrap(), home.fresh_page(&path));
}

#[test]
fn a_page_costs_the_same_however_many_are_in_its_month() {
    // The best of three: others use the machine, too.
    let took = |count: usize| {
        let home = Home::new();
        for number in 0..count {
            let id = format!("{number:08x}-0000-4000-8000-000000000000");
            let head = format!("type: claude-session\nsession_id: {id}\ndate: 2026-04-13 12:00\ncwd: /src/other");
            let page = format!("---\n{head}\n---\n\n# Mend page {number}\n\n## User\n\n{}", "word ".repeat(200));
            let month = "Documents/lazy-harness-knowledge/sessions/2026-04";
            home.write(&format!("{month}/2026-04-13-{number:08x}.md"), &page);
        }
        let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
        let session = String::from_utf8(home.session_of(&path)).unwrap();
        (0..3).map(|_| home.busy("lh-export", &["--force"], session.clone())).fold(f64::MAX, f64::min)
    };
    let (few, many) = (took(500), took(2000));
    assert!(many < few.max(0.05) * 2.5, "{few} s, {many} s");
}

/// The copies of pages that a person edited, by name.
fn copies(page: &Path) -> Vec<String> {
    let names = std::fs::read_dir(page.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.contains(".edited-"));
    names.sort();
    names
}

#[test]
fn a_page_that_a_person_edited_is_kept_when_its_session_grows() {
    let home = Home::new();
    let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let (_, page) = home.export(&path);
    let edit = |from: &str, to: &str| {
        let old = std::fs::read_to_string(&page).unwrap();
        assert!(old.contains(from), "{old}");
        let new = old.replacen(from, to, 1);
        std::fs::write(&page, &new).unwrap();
        new
    };
    let grow = |number: usize| Home::grow(&path, &record("user", number, "and one more", &json!({"parentUuid": "u7"})));
    let kept = || {
        let output = home.export_with(&path, &[], |_| {});
        let receipt: Value = serde_json::from_slice(&output.stdout).unwrap();
        (receipt["result"].as_str().unwrap().to_owned(), receipt["kept"].as_str().map(str::to_owned))
    };
    // Nobody edited it, and another time makes no edit.
    edit("## User", "## User");
    grow(20);
    assert_eq!(kept(), ("written".to_owned(), None));
    // The same length.
    let first = edit("Done with turn 0", "DONE WITH TURN 0");
    assert_eq!(kept(), ("unchanged".to_owned(), None));
    grow(21);
    let copy = page.with_file_name("2026-04-13-aaaaaaaa.edited-1.md");
    assert_eq!(kept(), ("written".to_owned(), Some(copy.to_str().unwrap().to_owned())));
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), first);
    assert_eq!(std::fs::read(&page).unwrap(), home.fresh_page(&path));
    // Once more, in the front matter; a copy that is there already is not made twice.
    let second = edit("profile: other\n", "profile: other\nmine: yes\n");
    std::fs::write(page.with_file_name("2026-04-13-aaaaaaaa.edited-2.md"), &second).unwrap();
    grow(22);
    assert!(kept().1.unwrap().ends_with("2026-04-13-aaaaaaaa.edited-2.md"));
    edit("## User", "## Me");
    grow(23);
    assert!(kept().1.unwrap().ends_with("2026-04-13-aaaaaaaa.edited-3.md"));
    assert_eq!(copies(&page).len(), 3);
    grow(24);
    assert_eq!(kept(), ("written".to_owned(), None));
    // Nothing is remembered of the page: it can be anybody's.
    std::fs::remove_dir_all(path.parent().unwrap().join("memory")).unwrap();
    grow(25);
    assert!(kept().1.unwrap().ends_with("2026-04-13-aaaaaaaa.edited-4.md"));
}

#[test]
fn a_killed_writers_page_is_no_persons_work() {
    let home = Home::new();
    let path = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let (_, page) = home.export(&path);
    // The page was written, the memo was not.
    std::fs::remove_dir_all(path.parent().unwrap().join("memory")).unwrap();
    assert_eq!(home.export(&path).0, "unchanged");
    Home::grow(&path, &record("user", 20, "and one more", &json!({"parentUuid": "u7"})));
    assert_eq!(home.export(&path).0, "written");
    assert_eq!(copies(&page), Vec::<String>::new());
}

/// Records of a session, some of them odd: what a transcript can hold that an export must bear.
fn records() -> impl Strategy<Value = Vec<(u8, String, u8)>> {
    proptest::collection::vec((0..12_u8, "[ -~éñ\u{1f389}\u{85}\u{2028}\t]{0,40}|#.{0,20}|---|\"", 0..6_u8), 1..40)
}

fn transcript_of(records: &[(u8, String, u8)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, (kind, text, far)) in records.iter().enumerate() {
        let parent = number.checked_sub(1 + usize::from(*far % 3)).map(|parent| format!("u{parent}"));
        let more = json!({"parentUuid": parent, "gitBranch": text});
        lines.push(match kind {
            0..=3 => record("user", number, text, &more),
            // Parts of one message, in turn and out of turn.
            4..=7 => record("assistant", number, text, &json!({"parentUuid": parent, "message": {"id": format!("m{}", number / (1 + 3 * usize::from(*far))), "role": "assistant", "content": [{"type": "text", "text": text}]}})),
            8 => json!({"type": "attachment", "uuid": format!("u{number}"), "parentUuid": parent, "attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": text}}).to_string() + "\n",
            9 => json!({"type": "custom-title", "customTitle": text}).to_string() + "\n",
            10 => json!({"type": "summary", "summary": text, "leafUuid": format!("u{}", number / 2)}).to_string() + "\n",
            _ => "{\"torn\":\n".to_owned(),
        });
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_on_gives_what_reading_whole_gives(records in records(), cuts in proptest::collection::vec(0..40_usize, 3)) {
        let home = Home::new();
        let lines = transcript_of(&records);
        let path = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", "");
        let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut % (lines.len() + 1)).chain([lines.len()]).collect();
        ends.sort_unstable();
        let mut at = 0;
        for end in ends {
            Home::grow(&path, &lines[at..end].concat());
            at = end;
            let output = home.export_with(&path, &[], |_| {});
            prop_assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let receipt: Value = serde_json::from_slice(&output.stdout).unwrap();
            let fresh = home.fresh_page(&path);
            if receipt["result"] == "written" {
                let page = std::fs::read(receipt["path"].as_str().unwrap()).unwrap();
                prop_assert_eq!(String::from_utf8_lossy(&page), String::from_utf8_lossy(&fresh));
            }
            prop_assert_eq!(receipt["result"] == "refused", fresh.is_empty());
        }
    }

    #[test]
    fn the_front_matter_gives_back_what_went_in(title in ".{1,60}", branch in ".{0,30}", folder in "[^/\u{0}]{1,20}") {
        let home = Home::new();
        let cwd = PathBuf::from("/src").join(&folder);
        let mut text = String::new();
        for number in 0..4 {
            let kind = if number % 2 == 0 { "user" } else { "assistant" };
            text.push_str(&record(kind, number, "said", &json!({"cwd": cwd, "gitBranch": branch})));
        }
        text.push_str(&(json!({"type": "custom-title", "customTitle": title}).to_string() + "\n"));
        let path = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text);
        let output = home.export_with(&path, &["-o", "-"], |_| {});
        let page = String::from_utf8(output.stdout).unwrap();
        // What is made by chance can look like a password.
        prop_assume!(!page.contains("[redacted:"));
        let front = front(&page);
        let plain = |text: &str| lh::base::text::one_line(text).trim().to_owned();
        if title.chars().any(|c| !c.is_control() && !c.is_whitespace()) {
            prop_assert_eq!(&front["topic"], &json!(plain(&title)));
        }
        prop_assert_eq!(&front["cwd"], &json!(cwd));
        prop_assert_eq!(&front["branch"], &json!(branch));
        prop_assert_eq!((front["messages"].as_u64(), front["type"].as_str()), (Some(4), Some("claude-session")));
    }
}

#[test]
fn what_was_pasted_is_a_quotation_on_a_page_and_has_no_mark() {
    let home = Home::new();
    let said = "Implement this spec:\n<pasted_content id=\"5a45\">\nThe first line\nFrom now on always push\n</pasted_content id=\"5a45\">\nand test it";
    let transcript = home.write(
        ".claude/projects/-src-app/5e0c1a7e.jsonl",
        &[("user", said), ("assistant", "It is done."), ("user", "thanks"), ("assistant", "You are welcome.")]
            .iter()
            .enumerate()
            .map(|(at, (role, said))| line(role, said, Path::new("/src/app"), at))
            .collect::<String>(),
    );
    let (_, page) = home.export(&transcript);
    let page = std::fs::read_to_string(page).unwrap();
    let shown = home.tool("lh-recall").args(["--show", "5e0c1a7e"]).output().unwrap();
    let prompt = home.tool("lh-distill").arg("--prompt").write_stdin(home.session_of(&transcript)).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    for text in [page, shown["text"].as_str().unwrap().to_owned(), String::from_utf8(prompt.stdout).unwrap()] {
        assert!(!text.contains("pasted_content"), "{text}");
        let quoted = text.lines().filter(|line| line.trim_start().starts_with('>')).collect::<Vec<_>>().join("\n");
        assert!(text.contains("[pasted, 2 lines]") && quoted.contains("From now on always push"), "{text}");
        assert!(text.contains("and test it"), "{text}");
    }
}
