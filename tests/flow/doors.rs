//! A secret and a private text in every place of a session: after the whole flow none of them is in a file,
//! a request to the model or an output that is stored. Only transcripts, task files and the queue's own
//! files hold a session's paths as they are.

use super::home::{Home, files};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

const ID: &str = "5ec2e700-0000-4000-8000-000000000000";
/// How each secret begins: also half of one is found.
const HEAD: &str = "aB3dE5fG7h";
/// A word of each private text.
const HUSH: &str = "marmalade";

/// A made-up credential for a place, put together at run time.
fn secret(place: usize) -> String {
    format!("ghp_{HEAD}I9jK1lM3nO5pQ7rS9tU1v{place:05}")
}

fn private(place: usize) -> String {
    format!("<private>{HUSH}{place}</private>")
}

/// A credential that a terminal, or somebody who pasted it, broke over two lines, in several ways.
fn broken(place: usize) -> String {
    let line_break = ["\n", "\r\n", "\n\t", "\n    "][place % 4];
    format!("ghp_{HEAD}I9jK1{line_break}lM3nO5pQ7rS9tU1v{place:05}")
}

/// All of them, in words.
fn both(place: usize) -> String {
    format!("the place {place} has {} and {} in it, not {}", secret(place), private(place), broken(place))
}

/// A model: fails once with words of its own, then gives the answer that is there.
const MODEL: &str = r#"#!/bin/sh
cat >>"$FAKE_CALLS.prompt"
if [ ! -e "$FAKE_CALLS.failed" ]; then
	: >"$FAKE_CALLS.failed"
	cat "$FAKE_CALLS.complaint"
	exit 1
fi
cat "$FAKE_CALLS.answer"
"#;

struct Leaky {
    home: Home,
    cwd: PathBuf,
    transcript: PathBuf,
}

impl Leaky {
    fn new() -> Self {
        let mut home = Home::new("engine = \"claude\"\nmin_user_chars = 1\n");
        let rules = format!(
            "[compound_loop]\nenabled = true\nmin_messages = 1\nmin_user_chars = 1\n[[knowledge.classify_rules]]\n\
             pattern = \"src\"\nprofile = \"{}\"\nsession_type = \"{}\"\n",
            secret(1),
            secret(2)
        );
        home.config(&rules);
        let cwd = home.path("src").join(secret(3)).join(broken(4));
        for name in ["objects", "refs"] {
            fs::create_dir_all(cwd.join(".git").join(name)).unwrap();
        }
        fs::write(cwd.join(".git/HEAD"), format!("ref: refs/heads/{}-{}\n", secret(5), private(5))).unwrap();
        let model = home.path("model/claude");
        fs::remove_file(&model).unwrap();
        fs::write(&model, MODEL).unwrap();
        fs::set_permissions(&model, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        let slug = cwd.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let transcript = home.agent("projects").join(slug).join(format!("{ID}.jsonl"));
        fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        home.set("LH_NOW", "2026-04-13T12:00:00Z");
        let leaky = Self { home, cwd, transcript };
        leaky.answers();
        leaky.session();
        leaky
    }

    fn append(&self, records: &[Value]) {
        let mut file = fs::File::options().create(true).append(true).open(&self.transcript).unwrap();
        for record in records {
            let mut record = record.clone();
            for (key, value) in [
                ("cwd", json!(self.cwd)),
                ("gitBranch", json!(format!("topic/{}/{}", secret(6), private(6)))),
                ("entrypoint", json!("cli")),
                ("isSidechain", json!(false)),
                ("version", json!(secret(7))),
                ("timestamp", json!("2026-04-13T10:00:00.000Z")),
            ] {
                record.as_object_mut().unwrap().entry(key).or_insert(value);
            }
            writeln!(file, "{record}").unwrap();
        }
    }

    fn session(&self) {
        let user = |uuid: &str, text: &str| json!({"type": "user", "uuid": uuid, "promptSource": "typed", "message": {"role": "user", "content": text}});
        let assistant = |uuid: &str, content: Value| json!({"type": "assistant", "uuid": uuid, "message": {"role": "assistant", "id": uuid, "content": content}});
        let said = |uuid: &str, text: &str| assistant(uuid, json!([{"type": "text", "text": text}]));
        let tool = |id: &str, name: &str, input: Value| {
            assistant(id, json!([{"type": "tool_use", "id": id, "name": name, "input": input}]))
        };
        let failed = |id: &str, text: &str| {
            json!({"type": "user", "uuid": format!("r{id}"), "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "is_error": true, "content": text}]}})
        };
        // The first prompt is the topic, and would be cut in its secret.
        let first = format!("we go on with the store, the token is {} or {}", broken(8), secret(8));
        self.append(&[
            json!({"type": "permission-mode", "permissionMode": "default"}),
            user("u1", &format!("{first}. {}", both(9))),
            said("a1", &format!("I will keep the importer beside the store. {}", both(10))),
            json!({"type": "summary", "summary": both(11), "leafUuid": "a1"}),
            json!({"type": "ai-title", "aiTitle": both(12)}),
            user("u2", &format!("ok, use the store for the importer, not the bucket. {}", both(13))),
            tool("t1", "Bash", json!({"command": format!("deploy --token {} # {}", secret(14), private(14))})),
            failed("t1", &format!("error: the deploy failed with {} {}", secret(15), private(15))),
            tool(
                "t2",
                "Edit",
                json!({"file_path": self.cwd.join(secret(16)).join(private(16)), "old_string": both(17)}),
            ),
            tool("t6", "Write", json!({"file_path": self.cwd.join(broken(29)), "content": both(29)})),
            tool("t7", "Bash", json!({"command": format!("deploy --token {}", broken(30))})),
            failed("t7", &format!("error: no deploy {}\n{}", "y ".repeat(480), broken(31))),
            tool("t8", "Write", json!({"file_path": self.cwd.join(broken(32)), "content": "x"})),
            tool("t9", "Bash", json!({"command": format!("deploy --token {}", broken(30))})),
            tool(
                "t3",
                "TodoWrite",
                json!({"todos": [
                {"content": format!("write the page {}", both(18)), "status": "pending", "activeForm": both(19)},
                {"content": format!("test the importer {}", both(20)), "status": "completed", "activeForm": "x"}]}),
            ),
            tool("t4", "TaskCreate", json!({"subject": both(21), "description": both(22), "activeForm": both(23)})),
            tool("t5", &format!("mcp__{}__x", secret(24)), json!({"q": both(25)})),
            said("a2", &format!("The import crashed because of a stale lock; fixed by removing it. {}", both(26))),
            user("u3", &format!("good, what is left is the migration of the importer. {}", both(27))),
            said("a3", &format!("Should the migration run at night? {}", both(28))),
        ]);
    }

    fn answers(&self) {
        let quote = "ok, use the store for the importer, not the bucket.";
        let item = |name: &str, place: usize| {
            json!({name: format!("use the store for the importer, not the bucket {}", both(place)),
                "title": both(place), "name": both(place), "context": both(place), "rationale": both(place),
                "alternatives": [both(place)], "tags": [both(place)], "learning": both(place), "body": both(place),
                "description": both(place), "root_cause": both(place), "prevention": both(place),
                "evidence": [quote, both(place)]})
        };
        let lists = json!({"decisions": [item("summary", 40)], "failures": [item("summary", 41)],
            "learnings": [item("title", 42)], "memories": [item("name", 43)], "handoff": [item("summary", 44)]});
        let answer = json!({"type": "result", "is_error": false, "result": lists.to_string(), "total_cost_usd": 0.001});
        fs::write(self.home.path("calls.answer"), answer.to_string()).unwrap();
        let complaint = format!("{} API Error: {} {}", "x ".repeat(90), broken(45), both(45));
        fs::write(self.home.path("calls.complaint"), complaint).unwrap();
    }

    fn payload(&self, event: &str) -> Vec<u8> {
        json!({"session_id": ID, "transcript_path": self.transcript, "cwd": self.cwd, "hook_event_name": event})
            .to_string()
            .into()
    }

    fn pipe(&self, tool: &str, args: &[&str], input: &[u8]) -> Output {
        let mut command = self.home.command(crate::home::binary(tool));
        let pipes = command.args(args).current_dir(&self.cwd).stdin(Stdio::piped());
        let mut child = pipes.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Keeps what a tool prints and says, to be looked through with all other files.
    fn keep(&self, name: &str, tool: &str, args: &[&str], input: &[u8]) -> Vec<u8> {
        let output = self.pipe(tool, args, input);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !output.stdout.is_empty(), "{tool} {args:?}: {}: {said}", output.status);
        fs::write(self.home.path(&format!("kept-{name}")), [&output.stdout[..], &output.stderr].concat()).unwrap();
        output.stdout
    }

    fn page(&self) -> PathBuf {
        let pages = files(&self.home.path("Documents"));
        pages.into_iter().find(|path| path.to_string_lossy().contains("/sessions/")).unwrap()
    }

    /// Where a secret or a private text is found, but for where the test itself put it.
    fn leaks(&self) -> Vec<String> {
        let root = self.home.path("");
        let exact = |path: &Path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            name.starts_with("src/")
                || name.starts_with("quiet/")
                || name.starts_with("model/")
                || name.starts_with(".config/")
                || name == "calls.answer"
                || name == "calls.complaint"
                || path == self.transcript
                || path.extension().is_some_and(|ending| ending == "task")
                || name.starts_with(".claude/queue/state/")
        };
        let mut found = Vec::new();
        for path in files(&root).into_iter().filter(|path| !exact(path)) {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            for word in [&format!("ghp_{HEAD}")[..8], HUSH] {
                for (at, _) in text.match_indices(word) {
                    let around: String = text[at..].chars().take(60).collect();
                    found.push(format!("{}: {around}", path.strip_prefix(&root).unwrap().display()));
                }
            }
        }
        found
    }
}

#[test]
fn no_secret_and_no_private_text_goes_through_any_door() {
    let mut leaky = Leaky::new();
    let record = leaky.pipe("lh-find-session", &[], &leaky.payload("Stop")).stdout;
    // Before anything was distilled, a compaction.
    leaky.keep("summary", "lh-summarize", &[], &leaky.payload("PreCompact"));
    leaky.home.hook("lh-hook-session-end", &leaky.payload("SessionEnd"));
    leaky.home.idle();
    leaky.home.work("2026-04-13T12:10:00Z");
    assert_eq!(leaky.home.tasks("done").len(), 1, "{:?}", leaky.home.tasks("failed"));
    assert!(leaky.home.path("calls.prompt").exists());
    leaky.keep("context", "lh-context", &[], &leaky.payload("SessionStart"));
    leaky.keep("context.md", "lh-context", &["--format", "markdown"], &leaky.payload("SessionStart"));
    leaky.keep("cost", "lh-doctor", &["--cost"], b"");
    leaky.keep("prompt", "lh-distill", &["--prompt"], &record);
    let distilled = leaky.keep("distilled", "lh-distill", &["--engine", "extract"], &record);
    leaky.keep("receipts", "lh-persist", &[], &distilled);
    let answer = fs::read(leaky.home.path("calls.answer")).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    leaky.keep("parsed", "lh-distill", &["--parse"], answer["result"].as_str().unwrap().as_bytes());
    leaky.keep("json", "lh-export", &["--format", "json"], &record);
    leaky.keep("markdown", "lh-export", &["--format", "markdown"], &record);
    let saved = leaky.home.path("kept-saved");
    assert!(leaky.pipe("lh-export", &["-o", saved.to_str().unwrap()], &record).status.success());
    leaky.keep("export", "lh-export", &["--force"], &record);
    assert_eq!(leaky.leaks(), Vec::<String>::new());
    // The session's paths open files, and stay as they are.
    let record: Value = serde_json::from_slice(&distilled).unwrap();
    assert_eq!(record["transcript"], json!(leaky.transcript));
    // And there is something in all these files.
    let page = fs::read_to_string(leaky.page()).unwrap();
    for part in ["branch: ", "[redacted:github-pat]", "# the place 12 has [redacted:github-pat] and"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn reading_on_gives_the_page_that_reading_all_gives() {
    let leaky = Leaky::new();
    let found = || leaky.pipe("lh-find-session", &[], &leaky.payload("Stop")).stdout;
    assert!(leaky.pipe("lh-export", &[], &found()).status.success());
    leaky.append(&[
        json!({"type": "user", "uuid": "u9", "message": {"role": "user", "content": format!("and then? {}", both(50))}}),
        json!({"type": "custom-title", "customTitle": both(51)}),
    ]);
    assert!(leaky.pipe("lh-export", &[], &found()).status.success());
    let grown = fs::read_to_string(leaky.page()).unwrap();
    let again = leaky.pipe("lh-export", &["--force"], &found());
    assert!(String::from_utf8_lossy(&again.stdout).contains("\"result\":\"written\""));
    assert_eq!(fs::read_to_string(leaky.page()).unwrap(), grown);
    assert!(grown.contains("and then? the place 50 has [redacted:github-pat] and"), "{grown}");
    assert_eq!(leaky.leaks(), Vec::<String>::new());
    let other = String::from_utf8(leaky.payload("SessionStart")).unwrap();
    let other = other.replace(ID, "0ther000-0000-4000-8000-000000000000").into_bytes();
    // The next session is told of its page, though its project and its folder are masked in it, and its transcript
    // is gone.
    let pointer = leaky.transcript.parent().unwrap().join("memory/.state/export.json");
    fs::remove_file(&leaky.transcript).unwrap();
    let told = leaky.pipe("lh-context", &["--format", "markdown"], &other);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("Last session"), "{told}");
    fs::remove_file(pointer).unwrap();
    let told = leaky.pipe("lh-context", &["--format", "markdown"], &other);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("Last session"), "without the pointer: {told}");
}
