//! Each tool takes the list that another one prints: `lh-recall ... | lh-done`, and ids on standard input.

use crate::home::{Home, binary};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

/// A home with a project in its own folder, of which some things are remembered.
pub struct Scene(pub Home);

impl Scene {
    pub fn new() -> Self {
        let home = Home::new();
        let (cwd, memory) = (home.path("").canonicalize().unwrap(), home.own_memory());
        let transcript = home.transcript("aaaaaaaa-0000-4000-8000-000000000001", &cwd, 3);
        let quote = |text: &str| json!([{"quote": text, "said_by": "user"}]);
        let record = json!({
            "type": "distilled", "session_id": "aaaaaaaa-0000-4000-8000-000000000001", "transcript": transcript,
            "cwd": cwd, "project": cwd.file_name().unwrap().to_string_lossy(), "memory_dir": memory,
            "agent_home": home.path(".claude"), "source_size_bytes": 7, "source_modified_at": "2026-04-13T21:00:00Z",
            "ts": "2026-04-13T20:59:00Z", "messages": 4, "conversation_hash": "00ff", "engine": "claude",
            "handoff_base": "none", "language": "en",
            "decisions": [
                {"summary": "Keep the queue as files", "evidence": quote("x"), "grounded": true},
                {"summary": "Use zebra stripes in the table", "evidence": quote("x"), "grounded": true},
            ],
            "handoff": [
                {"summary": "Write the zebra page", "evidence": quote("x"), "grounded": true},
                {"summary": "Measure the otter", "evidence": quote("x"), "grounded": true},
            ],
        });
        home.tool("lh-persist").write_stdin(format!("{record}\n")).assert().success();
        let learning = |name: &str, title: &str| {
            let text = format!(
                "---\ntype: learning\ntitle: \"{title}\"\nscope: universal\nstatus: active\ndeprecated_by: null\n---\n\n## Learning\n\nA lock that is held while a model answers blocks each start of a session.\n"
            );
            home.write(&format!("Documents/lazy-harness-knowledge/learnings/2026-04/2026-04-{name}.md"), &text);
        };
        learning("01-one", "Hold no lock while a model answers");
        learning("02-two", "Hold no lock while the model answers");
        Self(home)
    }

    /// What a line of a shell prints, and its status.
    pub fn shell(&self, line: &str) -> (String, Option<i32>) {
        let mut shell = Command::new("/bin/sh");
        let bin = binary("lh-done").parent().unwrap().to_path_buf();
        shell.args(["-c", line]).env_clear().env("HOME", self.0.path("")).env("TZ", "UTC").env("LH_BIN", &bin);
        shell.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).current_dir(self.0.path(""));
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (String::from_utf8(text).unwrap(), output.status.code())
    }

    /// What it prints, where it must work.
    pub fn does(&self, line: &str) -> String {
        let (text, status) = self.shell(line);
        assert_eq!(status, Some(0), "{line}: {text}");
        text
    }
}

#[test]
fn what_is_found_is_closed_forgotten_and_told() {
    let scene = Scene::new();
    let said = scene.does("lh-recall --type open zebra | lh done");
    assert!(
        said.starts_with("closed: ") && said.ends_with("Write the zebra page\n") && said.lines().count() == 1,
        "{said}"
    );
    let left = scene.does("lh done");
    assert!(left.contains("otter") && !left.contains("zebra"), "{left}");
    let said = scene.does("lh-recall --type decision zebra | lh history");
    assert!(said.contains("Use zebra stripes") && said.contains("session aaaaaaaa"), "{said}");
    let said = scene.does("lh-recall --type decision zebra | lh-forget --text");
    assert!(said.starts_with("forgotten: ") && said.contains("zebra stripes"), "{said}");
    let said = scene.does("lh-recall --type decision zebra | lh-forget --text --undo -");
    assert!(said.starts_with("told again: "), "{said}");
    // What it is not for is said, and then nothing is done.
    let (said, status) = scene.shell("lh-recall --list | lh-done");
    assert!(status == Some(65) && said.contains("expected an open item: nothing was done"), "{said}");
    assert_eq!(scene.does("lh done"), left);
    let (said, status) = scene.shell("echo '{\"type\":\"check\"}' | lh-forget");
    assert!(status == Some(65) && said.contains("a record of the type 'check' names no item"), "{said}");
}

#[test]
fn ids_come_on_standard_input() {
    let scene = Scene::new();
    let said = scene.does("lh-done </dev/null | grep otter | lh-done --text -");
    assert!(said.starts_with("closed: ") && said.contains("otter"), "{said}");
    // A list for people has the day first.
    let said = scene.does("lh ls decisions | grep queue | lh forget -n -");
    assert!(said.starts_with("would forget: ") && said.contains("queue as files"), "{said}");
    let shown = scene.does("lh ls decisions | lh show -");
    assert!(
        shown.contains("zebra stripes") && shown.contains("queue as files") && !shown.contains('\u{1b}'),
        "{shown}"
    );
    let (said, status) = scene.shell("true | lh-forget -");
    assert!(status == Some(1) && said.contains("standard input names nothing"), "{said}");
    let (said, status) = scene.shell("lh-forget </dev/null | lh-forget --undo");
    assert!(status == Some(64) && said.contains("say - to take these back"), "{said}");
    for (line, what) in [("Write the page", "no id in 'Write the page'"), ("deface", "nothing open here is 'deface'")] {
        let (said, status) = scene.shell(&format!("echo '{line}' | lh-done"));
        assert!(status == Some(65) && said.contains(what), "{said}");
    }
    // A pipe that stays open is not waited for; nor does the shell wait for what holds it open.
    let (said, status) = scene.shell("(sleep 9 2>/dev/null &) | lh-done");
    assert!(status == Some(65) && said.contains("stays open"), "{said}");
    // An empty pipe is as good as none.
    assert!(scene.does("true | lh-forget").lines().count() == 2);
}

#[test]
fn a_hit_counts_as_its_session() {
    let scene = Scene::new();
    scene.does("lh-find-session aaaaaaaa | lh-export >/dev/null");
    let told = scene.does("lh-recall turn | lh-messages");
    assert_eq!(
        told.lines().filter(|line| line.contains("\"type\":\"message\"")).count(),
        6,
        "each session once: {told}"
    );
    let page = scene.does("lh-recall --type decision zebra | lh-export -f -o -");
    assert!(page.contains("In turn 2 we go on"), "{page}");
    let task = scene.does("lh-recall --type decision zebra | lh-enqueue");
    assert!(task.contains("\"type\":\"task\"") && task.contains("aaaaaaaa"), "{task}");
    // One that names none goes on as it came.
    assert_eq!(
        scene.does("echo '{\"type\":\"hit\",\"id\":\"ab\"}' | lh-messages"),
        "{\"type\":\"hit\",\"id\":\"ab\"}\n"
    );
}

#[test]
fn the_older_of_a_pair_is_forgotten_and_told_again() {
    let scene = Scene::new();
    let pairs = scene.does("lh-review");
    assert_eq!(pairs.lines().count(), 1, "{pairs}");
    let said = scene.does("lh-review | lh-forget --text");
    assert!(said.starts_with("deprecated: ") && said.contains("while a model answers"), "{said}");
    let page = scene.0.read("Documents/lazy-harness-knowledge/learnings/2026-04/2026-04-01-one.md");
    assert!(page.contains("status: deprecated") && page.contains("deprecated_by: null"), "{page}");
    assert_eq!(scene.shell("lh-review").1, Some(1), "no pair waits");
    let id = pairs.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(scene.does(&format!("lh forget --undo {id}")).starts_with("told again: "));
    assert_eq!(scene.does("lh-review"), pairs);
}

#[test]
fn items_and_learnings_are_forgotten_by_one_list_of_ids() {
    let scene = Scene::new();
    let learning = scene.does("lh-recall --list --type learning | head -n 1 | jq -r .id");
    let decision = scene.does("lh-recall --list --type decision | head -n 1 | jq -r .id");
    let (learning, decision) = (learning.trim(), decision.trim());
    let (said, status) = scene.shell(&format!("lh forget {decision} {learning} ffffffff"));
    assert!(status == Some(65) && !said.contains("forgotten: "), "{said}");
    let said = scene.does(&format!("lh forget {decision} {learning}"));
    assert!(said.contains("forgotten: ") && said.contains("deprecated: "), "{said}");
    let said = scene.does(&format!("lh forget --undo {decision} {learning}"));
    assert_eq!(said.matches("told again: ").count(), 2, "{said}");
}

#[test]
fn a_query_a_line_gets_its_answers_and_a_blank_line() {
    let scene = Scene::new();
    let said = scene
        .does("printf 'zebra stripes\\n\\nnothinglikeit\\nqueue\\n' | lh-recall --batch --type decision 2>/dev/null");
    let answers: Vec<&str> = said.split("\n\n").collect();
    assert!(answers[0].contains("zebra") && answers.last() == Some(&"") && said.contains("queue as files"), "{said}");
    assert_eq!(said.lines().filter(|line| line.is_empty()).count(), 4, "{said}");
    let paths = scene.does("lh-recall --files -0 zebra");
    let paths: Vec<&str> = paths.split_terminator('\0').collect();
    assert!(paths.len() > 1 && paths.iter().all(|path| Path::new(path).is_file()), "{paths:?}");
    let (said, status) = scene.shell("echo x | lh-recall --batch --type bogus");
    assert!(status == Some(64) && said.lines().count() == 1, "{said}");
}

#[test]
fn a_command_of_lh_prints_lines_and_a_tool_records() {
    let scene = Scene::new();
    assert!(scene.does("lh ls decisions").starts_with("1  2026-04-13  "));
    assert!(scene.does("lh ls decisions --json").starts_with("{\"type\":\"hit\""));
    assert!(scene.does("lh-recall --list --type decision").starts_with("{\"type\":\"hit\""));
    assert!(scene.does("lh-recall --list --type decision --text").starts_with("1  2026-04-13  "));
    assert!(scene.does("lh search zebra").starts_with("2026-04-13"));
    for (line, says) in [
        ("lh done", "Write the zebra page"),
        ("lh done -n otter", "would close: "),
        ("lh forget", " 2026-04-13 decision: "),
        ("lh history zebra", "  session aaaaaaaa"),
        ("lh doctor; true", "ok "),
        ("lh review", "  ~  "),
        ("lh done otter; lh undo -n", "would open again: "),
    ] {
        let said = scene.does(&format!("{{ {line}; }} </dev/null"));
        assert!(said.contains(says) && !said.contains("{\"type\""), "{line}: {said}");
    }
    assert!(scene.does("lh done --json </dev/null").starts_with("{\"type\":\"hit\",\"what\":\"open\""));
}

/// Lines of a shell, each with what goes before: behind the tool's name and a colon is where the form of its output goes.
const RECORDS: &[(&str, &str)] = &[
    ("", "lh-find-session: --all"),
    ("", "lh-messages: aaaaaaaa"),
    ("lh-find-session aaaaaaaa |", "lh-messages: --count"),
    ("lh-find-session aaaaaaaa |", "lh-gate: "),
    ("lh-find-session bbbbbbbb |", "lh-gate: --refused --queue"),
    ("lh-find-session aaaaaaaa |", "lh-enqueue: "),
    ("", "lh-dequeue: --list </dev/null"),
    ("lh-find-session aaaaaaaa |", "lh-distill: -e extract"),
    ("lh-find-session aaaaaaaa | lh-distill -e extract |", "lh-persist: "),
    ("", "lh-persist: --list-quarantine"),
    ("", "lh-persist: -n --undo bbbbbbbb"),
    ("", "lh-persist: --remember 'The seal sleeps at noon'"),
    ("lh-find-session aaaaaaaa |", "lh-export: -f"),
    ("lh-find-session aaaaaaaa |", "LH_NOW=2026-04-15T12:00:00Z lh-episode: -n"),
    ("", "lh-brief: "),
    ("", "lh-prune: -n --remove bbbbbbbb"),
    ("", "lh-recall: --list"),
    ("", "lh-recall: zebra"),
    ("", "lh-recall: --show aaaaaaaa"),
    ("", "lh-select: 'when does the walrus eat at noon'"),
    ("", "lh-review: "),
    ("", "lh-done: </dev/null"),
    ("", "lh-done: -n walrus"),
    ("", "lh-forget: </dev/null"),
    ("lh-recall --list --type decision |", "lh-forget: -n"),
    ("", "lh-history: zebra"),
    ("", "lh-doctor: "),
    ("", "lh-redact: --check leak.md"),
];

#[test]
fn a_tool_prints_records_in_a_pipe_and_lines_on_a_terminal() {
    let scene = Scene::new();
    scene.second_session();
    scene.0.write("leak.md", "ghp_16C7e42F292c6912E7710c838347Ae178B4a\n");
    let is_record = |line: &&str| line.starts_with("{\"type\":");
    let terminal = Path::new("/usr/bin/script").exists();
    let mut wrong = String::new();
    for (before, line) in RECORDS {
        for (form, on_terminal, records) in
            [("", false, true), (" --text", false, false), ("", true, false), (" --json", true, true)]
        {
            let line = format!("{{ {before} {}; }} 2>/dev/null", line.replacen(": ", &format!("{form} "), 1));
            let said = if !on_terminal {
                scene.shell(&line).0
            } else if terminal {
                scene.0.write("line", &line);
                scene.shell("TERM=xterm LH_PAGER=cat script -qec 'sh line' /dev/null </dev/null").0
            } else {
                continue;
            };
            let is_so = said.lines().filter(|line| !line.trim().is_empty()).all(|line| is_record(&line) == records);
            if said.trim().is_empty() || !is_so {
                wrong.extend([&*line, if on_terminal { " (on a terminal)\n" } else { "\n" }, &*said]);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_records_of_a_list_and_of_what_was_done_name_items() {
    let scene = Scene::new();
    let lines = |line: &str| scene.does(line).lines().count();
    let before = scene.does("lh-done");
    let closed = scene.does("lh-done </dev/null | lh-done -");
    assert_eq!(closed.matches("\"result\":\"closed\"").count(), 2, "{closed}");
    assert_eq!(scene.shell("lh-done </dev/null"), (String::new(), Some(1)));
    scene.0.write("closed", &closed);
    let said = scene.does("lh-done --undo - <closed");
    assert_eq!(said.matches("\"result\":\"open_again\"").count(), 2, "{said}");
    assert_eq!(scene.does("lh done | sort"), scene.does("lh done --text </dev/null | sort"));
    assert_eq!(before.lines().count(), lines("lh-done"));
    assert_eq!(lines("lh-forget </dev/null | lh-history -"), 2);
    assert_eq!(lines("lh-forget </dev/null | lh-forget - | lh-forget --undo -"), 2);
    let hit = scene.does("lh-history zebra");
    assert!(hit.contains("\"marks\":[{\"result\":\"forgotten\"") && hit.contains("\"said_by\":\"user\""), "{hit}");
    assert_eq!(scene.does("lh-forget </dev/null | lh-recall --show - | jq -r .id | wc -l").trim(), "2");
}

#[test]
fn lh_alone_is_one_screen() {
    let scene = Scene::new();
    let screen = scene.does("lh");
    assert!(screen.starts_with("Open here: 2\n") && screen.contains("otter"), "{screen}");
    assert!(screen.lines().count() <= 24 && screen.lines().all(|line| line.chars().count() < 80), "{screen}");
    for command in [
        "status", "ls", "show", "search", "log", "done", "forget", "edit", "rm", "remember", "review", "setup",
        "doctor",
    ] {
        assert!(screen.contains(&format!("lh {command} ")), "{command}: {screen}");
    }
    assert!(!scene.does("lh help all").contains("hook-"), "{screen}");
    for (tried, status) in [
        ("list", 0),
        ("find zebra", 0),
        ("open", 0),
        ("stats", 0),
        ("last", 1),
        ("rm", 64),
        ("edit", 64),
        ("config", 0),
        ("report", 0),
        ("sync", 64),
        ("delete", 64),
    ] {
        let (said, code) = scene.shell(&format!("lh {tried} </dev/null"));
        assert_eq!(code, Some(status), "{tried}: {said}");
        assert!(status != 64 || said.contains(": ") && said.len() > 40, "{tried}: {said}");
    }
    let (said, status) = scene.shell("lh search --project nosuch zebra");
    assert!(status == Some(1) && said.contains("no project 'nosuch' has memory"), "{said}");
}
