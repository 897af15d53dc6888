//! What is told beside the use of a tool: before a file is edited, and when a command failed.

mod corpus;
mod hook;

use crate::home::{Home, binary};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A home where it is on, and a project in it.
struct Project {
    home: Home,
    cwd: PathBuf,
}

impl Project {
    fn new() -> Self {
        let home = Home::new();
        home.write(".config/lazy-harness/config.toml", "[compound_loop]\nenabled = true\n[memory]\nat_tool = true\n");
        let cwd = home.path("work").canonicalize().unwrap_or_else(|_| {
            fs::create_dir_all(home.path("work")).unwrap();
            home.path("work").canonicalize().unwrap()
        });
        Self { home, cwd }
    }

    fn of(home: Home, name: &str) -> Self {
        fs::create_dir_all(home.path(name)).unwrap();
        let cwd = home.path(name).canonicalize().unwrap();
        Self { home, cwd }
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.home.project_folder(&self.cwd).join(format!("{session}.jsonl"))
    }

    fn memory(&self, below: &str) -> PathBuf {
        self.home.project_folder(&self.cwd).join("memory").join(below)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.memory(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A payload.
    fn payload(&self, session: &str, event: &str, tool: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": session, "transcript_path": self.transcript(session), "cwd": self.cwd,
            "permission_mode": "acceptEdits", "hook_event_name": event, "tool_name": tool, "tool_use_id": "toolu_1",
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    }

    fn edit(&self, session: &str, file: &str) -> String {
        let input = json!({"tool_input": {"file_path": file, "old_string": "a", "new_string": "b"}});
        self.told(&self.payload(session, "PreToolUse", "Edit", &input))
    }

    fn fails(&self, session: &str, command: &str, error: &str) -> String {
        let input = json!({"tool_input": {"command": command}, "error": error, "is_interrupt": false});
        self.told(&self.payload(session, "PostToolUseFailure", "Bash", &input))
    }

    /// What the tool prints for bytes, which it reads with status 0 or 65.
    fn answer(&self, bytes: &[u8]) -> String {
        let output = self.home.tool("lh-select").arg("--hook").write_stdin(bytes).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 65)), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What the model reads; "" for none.
    fn told(&self, payload: &Value) -> String {
        let answer = self.answer(payload.to_string().as_bytes());
        if answer.is_empty() {
            return answer;
        }
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let specific = &answer["hookSpecificOutput"];
        assert_eq!(specific["hookEventName"], payload["hook_event_name"]);
        let context = specific["additionalContext"].as_str().unwrap().to_owned();
        assert!(
            context.len() <= 400 && context.starts_with("<lh-memory>") && context.ends_with("</lh-memory>"),
            "{context}"
        );
        context
    }

    fn remember(&self, session: &str) {
        remember(&self.home, &[self.transcript(session)]);
    }
}

/// Distils and persists sessions without a model.
fn remember(home: &Home, transcripts: &[PathBuf]) {
    let script = "lh-find-session \"$@\" | lh-distill --engine extract | lh-persist";
    let mut shell = home.run(Path::new("/bin/sh"));
    let path = format!("{}:/usr/bin:/bin", binary("lh-gate").parent().unwrap().display());
    let output = shell.env("PATH", path).args(["-c", script, "sh"]).args(transcripts).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A use of a tool in a session that is made.
enum Use {
    Read,
    Edit(String),
    /// A command that passed, with what it printed.
    Passed(String, String),
    /// A command that failed, with what it printed.
    Failed(String, String),
}

/// A session with these uses of tools, between a prompt and an answer.
fn session(project: &Project, id: &str, day: usize, uses: &[Use]) {
    let mut lines = Vec::new();
    let mut record = |role: &str, content: Value| {
        let number = lines.len();
        let parent = number.checked_sub(1).map(|before| format!("u{before}"));
        lines.push(json!({
            "type": role, "uuid": format!("u{number}"), "parentUuid": parent, "cwd": project.cwd, "entrypoint": "cli",
            "timestamp": format!("2026-04-{:02}T12:{:02}:{:02}.000Z", day, number / 60 % 60, number % 60), "isSidechain": false,
            "message": {"role": role, "id": format!("m{number}"), "content": content},
        }).to_string());
    };
    let ask = "Please go on with the importer: read what is there, mend what is left of the list, and run the checks that we have until they pass; say at the end what is still open and why that is so, in a few words, and what we should do about it tomorrow when I am back at my desk.";
    record("user", json!(ask));
    record("assistant", json!([{"type": "text", "text": "I look at what is there first."}]));
    for (at, of) in uses.iter().enumerate() {
        let id = format!("toolu_{at}");
        let (name, input, content, error) = match of {
            Use::Read => {
                ("Read", json!({"file_path": project.cwd.join("src/main.rs")}), "1\tfn main() {}".to_owned(), false)
            }
            Use::Edit(file) => (
                "Edit",
                json!({"file_path": project.cwd.join(file), "old_string": "a", "new_string": "b"}),
                "The file was updated.".to_owned(),
                false,
            ),
            Use::Passed(command, said) => {
                ("Bash", json!({"command": command, "description": "Run it"}), said.clone(), false)
            }
            Use::Failed(command, said) => {
                ("Bash", json!({"command": command, "description": "Run it"}), said.clone(), true)
            }
        };
        record("assistant", json!([{"type": "tool_use", "id": id, "name": name, "input": input}]));
        record("user", json!([{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error}]));
    }
    record("assistant", json!([{"type": "text", "text": "That is done, and nothing of it is left."}]));
    let path = project.transcript(id);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, lines.join("\n") + "\n").unwrap();
}
