//! lh-blame: which session wrote a line, what it was asked and what it said then.

use crate::home::Home;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository in a home, with a transcript a session.
struct Scene {
    home: Home,
    cwd: PathBuf,
}

/// What a session does at a step.
enum Step<'a> {
    Asks(&'a str),
    Says(&'a str),
    /// A tool with its input, what it prints, and whether that is an error.
    Uses(&'a str, Value, &'a str, bool),
}
use Step::{Asks, Says, Uses};

impl Scene {
    fn new() -> Self {
        let home = Home::enabled("");
        home.git_user();
        let cwd = home.path("src").join("app");
        std::fs::create_dir_all(&cwd).unwrap();
        let cwd = cwd.canonicalize().unwrap();
        let scene = Self { home, cwd };
        scene.git(&["init", "-q", "-b", "main"]);
        scene
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git").args(args).current_dir(&self.cwd).env("HOME", self.home.path("")).output();
        let output = output.unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A session on a day of April, whose transcript is given back.
    fn session(&self, id: &str, day: u32, steps: &[Step]) -> PathBuf {
        let mut text = String::new();
        for (at, step) in steps.iter().enumerate() {
            let mut records = Vec::new();
            let mut add = |role: &str, content: Value| {
                records.push(json!({
                    "type": role, "uuid": format!("{id}-{at}-{}", records.len()), "parentUuid": null, "cwd": self.cwd,
                    "timestamp": format!("2026-04-{day:02}T12:{at:02}:00.000Z"), "entrypoint": "cli",
                    "isSidechain": false, "sessionId": id,
                    "message": {"role": role, "id": format!("{id}-m{at}"), "content": content},
                }));
            };
            match step {
                Asks(said) => add("user", json!(said)),
                Says(said) => add("assistant", json!([{"type": "text", "text": said}])),
                Uses(name, input, result, is_error) => {
                    let tool = format!("{id}-t{at}");
                    add("assistant", json!([{"type": "tool_use", "id": tool, "name": name, "input": input}]));
                    add(
                        "user",
                        json!([{"type": "tool_result", "tool_use_id": tool, "content": result, "is_error": is_error}]),
                    );
                }
            }
            for record in &records {
                text += &(record.to_string() + "\n");
            }
        }
        let path = self.home.project_folder(&self.cwd).join(format!("{id}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn edit(&self, file: &str, old: &str, new: &str) -> Step<'static> {
        let input = json!({"file_path": self.cwd.join(file), "old_string": old, "new_string": new});
        Uses("Edit", input, "The file has been updated.", false)
    }

    fn write(&self, file: &str, content: &str) -> Step<'static> {
        Uses("Write", json!({"file_path": self.cwd.join(file), "content": content}), "File created.", false)
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.cwd.join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.home.tool("lh-blame").args(arguments).current_dir(&self.cwd).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    }

    /// The lines for people.
    fn told(&self, operand: &str) -> String {
        let (status, said) = self.run(&["--text", operand]);
        assert_eq!(status, Some(0), "{operand}: {said}");
        said
    }
}

const LINE: &str = "let limit = hosts.len() * 4;";

#[test]
fn the_edit_that_put_a_line_in_is_told_with_what_was_said() {
    let scene = Scene::new();
    scene.session(
        "aaaaaaaa-1",
        1,
        &[
            Asks("Let four hosts be asked at a time, a dead one must not hold up the others."),
            Says("I put a limit a host into fetch.rs."),
            scene.write("fetch.rs", &format!("fn main() {{\n    {LINE}\n}}\n")),
        ],
    );
    scene.session(
        "bbbbbbbb-1",
        2,
        &[
            Asks("Print the limit"),
            scene.edit("fetch.rs", &format!("    {LINE}\n"), &format!("    {LINE}\n    println!(\"{{limit}}\");\n")),
            // The same file written anew: the line was there before.
            scene.write("fetch.rs", &format!("fn main() {{\n    {LINE}\n    println!(\"{{limit}}\");\n}}\n")),
        ],
    );
    scene.file("fetch.rs", &format!("fn main() {{\n    {LINE}\n    println!(\"{{limit}}\");\n}}\n"));
    assert_eq!(
        scene.told("fetch.rs:2"),
        "aaaaaaaa 2026-04-01 edit: fetch.rs:2\n  asked: Let four hosts be asked at a time, a dead one must not hold up \
         the others.\n  said: I put a limit a host into fetch.rs.\n"
    );
    assert!(scene.told("fetch.rs:3").starts_with("bbbbbbbb 2026-04-02 edit: fetch.rs:3\n  asked: Print the limit\n"));
    // Of a file each session, the newest first.
    let all = scene.told("fetch.rs");
    let heads: Vec<&str> = all.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(heads, ["bbbbbbbb 2026-04-02 edit: fetch.rs", "aaaaaaaa 2026-04-01 edit: fetch.rs"]);
    // As a record, with the place in the transcript.
    let (_, record) = scene.run(&["fetch.rs:2"]);
    let record: Value = serde_json::from_str(&record).unwrap();
    let path = scene.home.project_folder(&scene.cwd).join("aaaaaaaa-1.jsonl");
    assert_eq!((&record["what"], &record["line"]), (&json!("edit"), &json!(3)));
    assert_eq!(record["path"].as_str().unwrap(), path.canonicalize().unwrap().to_str().unwrap());
    // From a folder below, and by the whole path.
    std::fs::create_dir(scene.cwd.join("below")).unwrap();
    let whole = scene.cwd.join("fetch.rs:2");
    for (operand, folder) in [("../fetch.rs:2", "below"), (whole.to_str().unwrap(), "")] {
        let output = scene.home.tool("lh-blame").arg(operand).current_dir(scene.cwd.join(folder)).output().unwrap();
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("\"session_id\":\"aaaaaaaa-1\""),
            "{operand}: {output:?}"
        );
    }
}

#[test]
fn what_was_not_done_or_taken_out_again_is_not_blamed() {
    let scene = Scene::new();
    let failed = |step| match step {
        Uses(name, input, ..) => Uses(name, input, "String to replace not found in file.", true),
        step => step,
    };
    scene.session("aaaaaaaa-1", 1, &[Asks("Put the limit in"), scene.edit("fetch.rs", "", &format!("{LINE}\n"))]);
    scene.session("bbbbbbbb-1", 2, &[Asks("Take it out"), scene.edit("fetch.rs", &format!("{LINE}\n"), "")]);
    scene.session(
        "cccccccc-1",
        3,
        &[Asks("And in again, after all"), scene.edit("fetch.rs", "", &format!("{LINE}\n"))],
    );
    scene.session(
        "dddddddd-1",
        4,
        &[
            Asks("Once more"),
            failed(scene.edit("fetch.rs", "x", &format!("{LINE}\nx"))),
            // Another file of that name, and a tool that only reads.
            scene.edit("below/fetch.rs", "", &format!("{LINE}\n")),
            Uses("Grep", json!({"pattern": LINE, "path": scene.cwd.join("fetch.rs")}), LINE, false),
        ],
    );
    scene.file("fetch.rs", &format!("{LINE}\n"));
    assert!(scene.told("fetch.rs:1").starts_with("cccccccc 2026-04-03 edit: fetch.rs:1\n"));
    // A part of the line was changed last.
    scene.session("eeeeeeee-1", 5, &[Asks("Eight"), scene.edit("fetch.rs", "hosts.len() * 4", "hosts.len() * 8")]);
    scene.file("fetch.rs", &format!("{}\n", LINE.replace('4', "8")));
    assert!(scene.told("fetch.rs:1").starts_with("eeeeeeee 2026-04-05 edit: fetch.rs:1\n"));
}

#[test]
fn other_checkouts_and_subagents_write_too() {
    let scene = Scene::new();
    scene.file("fetch.rs", "x\n");
    scene.git(&["add", "."]);
    scene.git(&["commit", "-q", "-m", "x"]);
    scene.git(&["worktree", "add", "-q", "../beside"]);
    let beside = scene.cwd.parent().unwrap().join("beside").join("fetch.rs");
    let input = json!({"file_path": beside, "old_string": "x", "new_string": LINE});
    scene.session(
        "aaaaaaaa-1",
        1,
        &[Asks("In the other one"), Uses("Edit", input, "The file has been updated.", false)],
    );
    scene.file("fetch.rs", &format!("{LINE}\nlet agents = count_of_agents();\n"));
    assert!(scene.told("fetch.rs:1").starts_with("aaaaaaaa 2026-04-01 edit"));
    let made = scene.session(
        "agent-b",
        2,
        &[Asks("Count them"), scene.edit("fetch.rs", "", "let agents = count_of_agents();\n")],
    );
    let folder = made.parent().unwrap().join("aaaaaaaa-1/subagents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::rename(&made, folder.join("agent-b.jsonl")).unwrap();
    assert!(scene.told("fetch.rs:2").starts_with("aaaaaaaa 2026-04-02 edit"));
}

#[test]
fn where_the_transcript_is_gone_its_page_is_told() {
    let scene = Scene::new();
    let said = format!("This goes into fetch.rs:\n\n```\n{LINE}\n```");
    let path = scene.session(
        "aaaaaaaa-1",
        1,
        &[Asks("Let four hosts be asked at a time"), Says(&said), Asks("thanks"), Says("Gladly.")],
    );
    let session = scene.home.tool("lh-find-session").arg(&path).output().unwrap().stdout;
    scene.home.tool("lh-export").write_stdin(session).assert().success();
    std::fs::remove_file(path).unwrap();
    scene.file("fetch.rs", &format!("{LINE}\n"));
    let told = scene.told("fetch.rs:1");
    assert!(
        told.starts_with("aaaaaaaa 2026-04-01 session: fetch.rs:1\n  asked: Let four hosts be asked at a time\n"),
        "{told}"
    );
    assert!(told.contains("  said: This goes into fetch.rs:"), "{told}");
}

#[test]
fn then_the_commit_says_it_and_runs_no_program() {
    let scene = Scene::new();
    let seen = scene.home.path("ran");
    let program = format!("touch {}; cat", seen.display());
    for (key, value) in [("filter.x.clean", &program), ("filter.x.smudge", &program), ("diff.x.textconv", &program)] {
        scene.git(&["config", key, value]);
    }
    scene.file("fetch.rs", &format!("{LINE}\n}}\n"));
    scene.git(&["add", "."]);
    scene.git(&["commit", "-q", "-m", "A limit a host"]);
    scene.file(".gitattributes", "*.rs filter=x diff=x\n");
    let hash = scene.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let none = scene.told("fetch.rs:1");
    let day = &scene.git(&["log", "-1", "--format=%cs"])[..10];
    assert_eq!(none, format!("no session {day} commit: fetch.rs:1, commit {}\n  asked: A limit a host\n", &hash[..6]));
    let printed = format!("[main (root-commit) {}] A limit a host\n 1 file changed", &hash[..7]);
    scene.session(
        "aaaaaaaa-1",
        1,
        &[
            Asks("Let four hosts be asked at a time"),
            Uses("Bash", json!({"command": "sed -i 1d x && git commit -am 'A limit a host'"}), &printed, false),
        ],
    );
    for line in ["fetch.rs:1", "fetch.rs:2"] {
        let told = scene.told(line);
        assert!(told.starts_with("aaaaaaaa 2026-04-01 commit: fetch.rs:"), "{told}");
        assert!(told.contains("\n  asked: Let four hosts be asked at a time\n"), "{told}");
    }
    assert!(!seen.exists());
    // What is not committed, and in no session.
    scene.file("fetch.rs", "let other = 1;\n");
    let (status, said) = scene.run(&["fetch.rs:1"]);
    assert!(status == Some(65) && said.contains("fetch.rs:1: no session of this project and no commit"), "{said}");
}

#[test]
fn what_it_cannot_answer_it_says_and_secrets_stay() {
    let scene = Scene::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    scene.session(
        "aaaaaaaa-1",
        1,
        &[Asks(&format!("Use {secret} for it")), scene.edit("a:1.rs", "", &format!("{LINE}\n"))],
    );
    scene.file("a:1.rs", &format!("{LINE}\n"));
    for operand in ["a:1.rs", "a:1.rs:1"] {
        let told = scene.told(operand);
        assert!(told.contains("[redacted:") && !told.contains(secret), "{told}");
    }
    for (operands, code, said) in [
        (&[][..], 64, "give one FILE or FILE:LINE"),
        (&["a:1.rs", "b"], 64, "give one FILE or FILE:LINE"),
        (&["none.rs:3"], 65, "none.rs: no such file"),
        (&["a:1.rs:2"], 65, "a:1.rs: it has no line 2, only 1"),
        (&["/dev/null"], 65, "/dev/null"),
        (&["."], 65, "."),
    ] {
        let (status, told) = scene.run(operands);
        assert!(status == Some(code) && told.contains(said), "{operands:?}: {status:?} {told}");
    }
    // A transcript that is torn or binary takes nothing away from the others.
    let folder = scene.home.project_folder(&scene.cwd);
    std::fs::write(folder.join("bbbbbbbb-1.jsonl"), b"{\"a:1.rs\": \xff\x00\n{\"type\":\"assistant\",\"mess").unwrap();
    assert!(scene.told("a:1.rs:1").starts_with("aaaaaaaa "));
    assert!(Path::new(&scene.cwd).exists());
}

#[test]
fn what_answers_a_question_for_a_secret_is_masked() {
    let scene = Scene::new();
    scene.session(
        "aaaaaaaa-1",
        1,
        &[
            Says("What is the password of the server?"),
            Asks("halibut"),
            scene.edit("fetch.rs", "", &format!("{LINE}\n")),
        ],
    );
    scene.file("fetch.rs", &format!("{LINE}\n"));
    let told = scene.told("fetch.rs:1");
    assert!(told.contains("[redacted:password]") && !told.contains("halibut"), "{told}");
}

#[test]
fn a_path_that_leads_nowhere_a_list_of_commits_and_a_file_written_anew_are_not_believed() {
    let scene = Scene::new();
    let relative = json!({"file_path": "fetch.rs", "old_string": "", "new_string": format!("{LINE}\n")});
    let path = scene.session("aaaaaaaa-1", 1, &[Asks("x"), Uses("Edit", relative, "done", false)]);
    let text = std::fs::read_to_string(&path).unwrap();
    scene.file("fetch.rs", &format!("{LINE}\n"));
    assert!(scene.told("fetch.rs:1").starts_with("aaaaaaaa "), "seen from the session's folder");
    for cwd in ["\"rel\"", "null"] {
        std::fs::write(&path, text.replace(&json!(scene.cwd).to_string(), cwd)).unwrap();
        assert_eq!(scene.run(&["fetch.rs:1"]).0, Some(65), "{cwd}");
    }
    std::fs::remove_file(path).unwrap();
    scene.git(&["add", "."]);
    scene.git(&["-c", "user.name=n", "commit", "-q", "-m", "by hand"]);
    let hash = scene.git(&["rev-parse", "HEAD"]);
    let list = format!("[{}] by hand\n", &hash[..7]);
    let log = Uses("Bash", json!({"command": "git log --format='[%h] %s'"}), &list, false);
    scene.session("bbbbbbbb-1", 2, &[Asks("Show me the log"), log]);
    assert!(scene.told("fetch.rs:1").starts_with("no session "));
    // Behind the commit, with a line that was there.
    let write = scene.write("fetch.rs", &format!("// head\n{LINE}\n"));
    let later = scene.session("cccccccc-1", 3, &[Asks("A head line"), write]);
    std::fs::write(&later, std::fs::read_to_string(&later).unwrap().replace("2026-04-03", "2099-04-03")).unwrap();
    scene.file("fetch.rs", &format!("// head\n{LINE}\n"));
    assert!(scene.told("fetch.rs:2").starts_with("no session "));
    assert!(scene.told("fetch.rs:1").starts_with("cccccccc "));
    for operand in ["fetch.rs:0", "fetch.rs:1-3", "fetch.rs:99999999999999999999999"] {
        assert_eq!(scene.run(&[operand]).0, Some(65), "{operand}");
    }
}
