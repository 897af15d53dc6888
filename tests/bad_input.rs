//! Bad input: one clear line, a status, nothing lost, nothing hung.

use crate::home::{Home, line};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

impl Home {
    fn try_tool(&self, tool: &str, arguments: &[&str], input: &[u8]) -> Output {
        let output =
            self.tool(tool).args(arguments).write_stdin(input).timeout(Duration::from_secs(20)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let status = output.status.code();
        assert!(status.is_some_and(|status| status <= 78 && status != 2), "{tool} {arguments:?}: {status:?}: {said}");
        assert!(!said.contains("panicked"), "{tool}: {said}");
        output
    }

    fn odd(&self, name: &str, make: impl FnOnce(&Path)) -> PathBuf {
        let path = self.path(&format!(".claude/projects/-src-lh/{name}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        path
    }
}

/// A transcript of each odd kind, with the status that reading it ends with.
fn odd_transcripts(home: &Home) -> Vec<(&'static str, PathBuf, i32)> {
    let torn = line("user", "hello", Path::new("/src/lh"), 0) + "{\"type\":\"assistant\",\"message\":{\"conte";
    vec![
        ("missing", home.path(".claude/projects/-src-lh/missing.jsonl"), 65),
        ("empty", home.odd("empty", |path| std::fs::write(path, "").unwrap()), 0),
        ("folder", home.odd("folder", |path| std::fs::create_dir(path).unwrap()), 65),
        (
            "fifo",
            home.odd("fifo", |path| {
                assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            }),
            65,
        ),
        (
            "binary",
            home.odd("binary", |path| {
                std::fs::write(path, (0..=255_u8).cycle().take(100_000).collect::<Vec<u8>>()).unwrap();
            }),
            0,
        ),
        ("being written", home.odd("torn", |path| std::fs::write(path, torn).unwrap()), 0),
        ("a name that is no text", home.odd("x\n\u{1b}[31m", |path| std::fs::write(path, "").unwrap()), 0),
    ]
}

#[test]
fn odd_transcripts_get_a_status_and_a_line_and_hang_nobody() {
    let home = Home::enabled("");
    for (what, path, wanted) in odd_transcripts(&home) {
        let found = home.try_tool("lh-find-session", &[path.to_str().unwrap()], b"");
        assert_eq!(found.status.code(), Some(0), "{what}");
        for (tool, arguments) in [
            ("lh-messages", &[][..]),
            ("lh-messages", &["--count"]),
            ("lh-distill", &["--prompt"]),
            ("lh-distill", &["--slim"]),
        ] {
            let output = home.try_tool(tool, arguments, &found.stdout);
            assert_eq!(
                output.status.code(),
                Some(wanted),
                "{what}: {tool} {arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                wanted == 0 || said.starts_with(&format!("{tool}: stdin:1: ")) && said.lines().count() == 1,
                "{what}: {said}"
            );
            assert!(!said.contains('\u{1b}'), "{what}: {said:?}");
        }
        for arguments in [&["-v"][..], &["-v", "--queue"]] {
            let output = home.try_tool("lh-gate", arguments, &found.stdout);
            assert!(output.status.code() != Some(0) || arguments.contains(&"--queue"), "{what}");
        }
        // Queued all the same: the worker says what is wrong with it, and a folder is given up.
        home.try_tool("lh-enqueue", &[], &found.stdout);
        home.try_tool("lh-dequeue", &["--", "true"], b"");
    }
}

#[test]
fn payloads_that_lack_fields_or_have_others_are_no_trouble() {
    let home = Home::enabled("");
    home.transcript("aaaaaaaa-1", &home.path("").canonicalize().unwrap(), 1);
    for (payload, wanted) in [
        (r#"{"session_id":7,"cwd":false,"transcript_path":null,"hook_event_name":[]}"#, 0),
        (r#"{"transcript_path":""}"#, 0),
        (r#"{"session_id":"../../../../etc/passwd"}"#, 0),
        (r#"{"session_id":"aaaaaaaa-1","cwd":"relative/../.."}"#, 0),
        (r#"{"cwd":"/nowhere/at/all"}"#, 1),
        (r#"{"a":{"b":"#, 65),
        ("\u{0}", 65),
        ("null", 65),
    ] {
        let output = home.try_tool("lh-find-session", &[], payload.as_bytes());
        assert_eq!(output.status.code(), Some(wanted), "{payload}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn without_a_home_every_tool_says_what_to_set() {
    let home = Home::new();
    let transcript = home.write("x.jsonl", &line("user", "hi", Path::new("/src/lh"), 0));
    let record = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    for tool in ["lh-find-session", "lh-gate", "lh-dequeue", "lh-distill", "lh-persist", "lh-redact"] {
        let mut command = home.tool(tool);
        command.env_remove("HOME").write_stdin(record.clone());
        if tool == "lh-dequeue" {
            command.arg("--list");
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(78), "{tool}: {said}");
        assert!(said.contains("HOME is not set"), "{tool}: {said}");
    }
}
