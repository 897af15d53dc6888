//! Links that lead out, and what is not a regular file: nothing behind them is touched, nobody waits for them.

use crate::home::{Home, binary, line};
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const ID: &str = "aaaaaaaa-0000-4000-8000-000000000000";
const PROJECT: &str = ".claude/projects/-src-app";
const KNOWLEDGE: &str = "Documents/lazy-harness-knowledge";

/// What is outside: a file and a folder, which must stay as they are.
const PRECIOUS: &str = "---\nsession_id: aaaaaaaa-0000-4000-8000-000000000000\nsource_size: 1\n---\nprecious\n";

/// A home with one session, in which everything can be written.
struct Scene {
    home: Home,
    record: Vec<u8>,
}

impl Scene {
    fn new() -> Self {
        let home = Home::new();
        let model = home.write("model", "#!/bin/sh\ntouch \"$HOME/asked\"\n");
        fs::set_permissions(&model, fs::Permissions::from_mode(0o700)).unwrap();
        let config = "[compound_loop]\nenabled = true\nengine = \"command\"\nmin_messages = 1\nmin_user_chars = 1";
        home.write(".config/lazy-harness/config.toml", &format!("{config}\ncommand = \"{}\"\n", model.display()));
        let transcript = home.write(&format!("{PROJECT}/{ID}.jsonl"), "");
        let mut text = String::new();
        for turn in 0..3 {
            let user = format!("let's use symlinks for the deploy, number {turn}; then the review is still open");
            text += &line("user", &user, Path::new("/src/app"), turn * 2);
            text += &line(
                "assistant",
                "Done. What remains: the review of the deploy.",
                Path::new("/src/app"),
                turn * 2 + 1,
            );
        }
        fs::write(transcript, text).unwrap();
        home.write("outside/file", PRECIOUS);
        home.write("outside/folder/file", PRECIOUS);
        // Something that the tools would sweep away in a folder of theirs.
        home.write("outside/folder/.lh-x.tmp", PRECIOUS);
        home.write("outside/folder/1-x.task.record", PRECIOUS);
        let found = home.tool("lh-find-session").arg(home.path(&format!("{PROJECT}/{ID}.jsonl"))).output().unwrap();
        Self { record: found.stdout, home }
    }

    fn outside(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for folder in ["outside", "outside/folder"] {
            for entry in fs::read_dir(self.home.path(folder)).unwrap() {
                let path = entry.unwrap().path();
                let text = fs::read_to_string(&path).unwrap_or_default();
                found.push((path, text));
            }
        }
        found.sort();
        found
    }

    /// Puts a link to what is outside: to a folder where the name ends with a slash, to what is not there
    /// where it ends with a question mark.
    fn link(&self, name: &str) {
        let path = self.home.path(name.trim_end_matches(['/', '?']));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let target = match name {
            name if name.ends_with('/') => "outside/folder",
            name if name.ends_with('?') => "outside/missing",
            _ => "outside/file",
        };
        symlink(self.home.path(target), path).unwrap();
    }

    /// Runs each tool that writes; what it says, and its status.
    fn run(&self, tool: &str) -> (Option<i32>, String) {
        let distilled = || {
            let mut record: serde_json::Value = serde_json::from_slice(&self.record).unwrap();
            let item =
                |name: &str| json!([{name: "use symlinks", "grounded": true}, {name: "a doubt", "grounded": false}]);
            record["type"] = json!("distilled");
            record["ts"] = json!("2026-04-13T10:00:00Z");
            record["handoff_base"] = json!("none");
            for (list, name) in [
                ("decisions", "summary"),
                ("failures", "summary"),
                ("learnings", "title"),
                ("memories", "name"),
                ("handoff", "summary"),
            ] {
                record[list] = item(name);
            }
            record.to_string().into_bytes()
        };
        let (name, args, input): (_, &[&str], _) = match tool {
            "persist" => ("lh-persist", &[], distilled()),
            "enqueue" => ("lh-enqueue", &[], self.record.clone()),
            "dequeue" => ("lh-dequeue", &["--", "true"], Vec::new()),
            "distill" => ("lh-distill", &[], self.record.clone()),
            "summarize" => ("lh-summarize", &[], self.record.clone()),
            "episode" => ("lh-episode", &[], self.record.clone()),
            "detach" => ("lh-detach", &["--lock", ".claude/queue/.qmd.lock", "--", "true"], Vec::new()),
            _ => ("lh-export", &[], self.record.clone()),
        };
        let mut command = self.home.tool(name);
        command.env("LH_NOW", "2026-04-13T12:00:00Z");
        let output = command.args(args).write_stdin(input).timeout(Duration::from_secs(30)).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn no_link_that_leads_out_is_written_through() {
    let memory = format!("{PROJECT}/memory");
    let cases: Vec<(&str, String)> = [
        ("enqueue", ".claude/queue/"),
        ("enqueue", ".claude/queue/state/"),
        ("enqueue", ".claude/queue/.since"),
        ("enqueue", ".claude/queue/.since?"),
        ("enqueue", ".claude/queue/.lock"),
        ("enqueue", ".claude/queue/.lock?"),
        ("dequeue", ".claude/queue/.worker.lock"),
        ("dequeue", ".claude/queue/done/"),
        ("dequeue", ".claude/queue/work/"),
        ("dequeue", ".claude/queue/failed/"),
        ("dequeue", ".claude/queue/state/"),
        ("dequeue", ".claude/queue/state/.seeded"),
        ("dequeue", ".claude/queue/work/1776081600-aaaaaaaa.task.record"),
        ("dequeue", ".claude/queue/work/1776081600-aaaaaaaa.task.answer"),
        ("detach", ".claude/queue/.qmd.lock"),
        ("detach", ".claude/queue/.qmd.lock?"),
        ("distill", ".claude/logs/"),
        ("distill", ".claude/logs/llm.jsonl"),
        ("distill", ".claude/logs/llm.jsonl?"),
        ("distill", ".claude/queue/work/"),
    ]
    .iter()
    .map(|(tool, name)| (*tool, (*name).to_owned()))
    .chain([("enqueue", format!(".claude/queue/state/{ID}"))])
    .chain(
        ["sessions/", "sessions/2026-04/", "sessions/2026-04/2026-04-13-aaaaaaaa.md"]
            .map(|name| ("export", format!("{KNOWLEDGE}/{name}"))),
    )
    .chain(
        ["/", ".state/", ".state/exports/", ".state/exports/lock", ".state/export.json", ".state/lock"]
            .map(|name| ("export", format!("{memory}/{name}"))),
    )
    .chain([("export", format!("{memory}/.state/exports/{ID}.json"))])
    .chain(
        [".state/", ".state/summaries/", "pre-compact-summary.md", ".state/lock?"]
            .map(|name| ("summarize", format!("{memory}/{name}"))),
    )
    .chain([("summarize", format!("{memory}/.state/summaries/{ID}.md"))])
    .chain(
        [
            "/", "decisions.jsonl", "failures.jsonl", "quarantine.jsonl", ".state/notes.jsonl", "handoff.md",
            ".state/handoff", ".state/", "decisions.jsonl?",
        ]
        .map(|name| ("persist", format!("{memory}/{name}"))),
    )
    .chain(
        ["/", "episodes/", "INDEX.md", ".state/", &format!("episodes/session-{ID}.json")]
            .map(|name| ("episode", format!("{memory}/{name}"))),
    )
    .chain(["learnings/", "learnings/2026-04/"].map(|name| ("persist", format!("{KNOWLEDGE}/{name}"))))
    .collect();
    let mut broken = Vec::new();
    for (tool, name) in cases {
        let scene = Scene::new();
        if tool == "dequeue" {
            assert_eq!(scene.run("enqueue").0, Some(0));
            let made = scene.home.path(name.trim_end_matches('/'));
            let _ = fs::remove_dir_all(&made);
        }
        scene.link(&name);
        let before = scene.outside();
        let (status, said) = scene.run(tool);
        // A task whose files are links is given up; the queue goes on.
        let given_up = tool == "dequeue" && status == Some(0) && said.contains("failed: ");
        let named = said.contains("link") || said.contains("not inside");
        let missing = name.ends_with('?') && status.is_some_and(|status| status != 0);
        let refused = (status == Some(65) || given_up) && named || missing;
        if scene.outside() != before || !refused {
            broken.push(format!("{tool} {name}: {status:?}: {said}"));
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn a_top_folder_may_be_a_link_and_so_may_what_stays_inside() {
    for top in [".claude", "Documents", KNOWLEDGE, ".claude/projects"] {
        let scene = Scene::new();
        fs::create_dir_all(scene.home.path(KNOWLEDGE)).unwrap();
        let path = scene.home.path(top);
        fs::rename(&path, scene.home.path("moved")).unwrap();
        symlink(scene.home.path("moved"), &path).unwrap();
        for tool in ["enqueue", "export", "summarize", "persist", "dequeue"] {
            let (status, said) = scene.run(tool);
            assert_eq!(status, Some(0), "{top}: {tool}: {said}");
        }
        let said = scene.home.tool("lh-doctor").arg("--text").output().unwrap().stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let line = said.lines().find(|line| line.contains(" links ")).unwrap().to_owned();
        assert!(line.contains("  - ") && line.contains("leads to") && line.contains("moved"), "{top}: {line}");
    }
    let scene = Scene::new();
    fs::create_dir_all(scene.home.path(".claude/kept/memory")).unwrap();
    symlink(scene.home.path(".claude/kept/memory"), scene.home.path(&format!("{PROJECT}/memory"))).unwrap();
    fs::write(scene.home.path(".claude/kept/memory/all.jsonl"), "").unwrap();
    symlink("all.jsonl", scene.home.path(".claude/kept/memory/decisions.jsonl")).unwrap();
    let (status, said) = scene.run("persist");
    assert_eq!(status, Some(0), "{said}");
    assert!(scene.home.read(".claude/kept/memory/all.jsonl").contains("use symlinks"));
    assert!(scene.home.path(".claude/kept/memory/decisions.jsonl").is_symlink());
    let said = scene.home.tool("lh-doctor").arg("--text").output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&said).contains("links      no top folder is a link"));
    // What every tool refuses is red.
    scene.link(".claude/queue/done/");
    let said = scene.home.tool("lh-doctor").arg("--text").output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&said).contains("BAD  links"), "{}", String::from_utf8_lossy(&said));
}

fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// A node of a device, a FIFO, a socket and a folder, as far as they can be made here.
fn odd(home: &Home) -> Vec<(&'static str, PathBuf)> {
    let made = |program: &str, args: &[&str]| {
        Command::new(program).args(args).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let path = |name: &str| home.path(name);
    let mut found = Vec::new();
    // Made here and thrown away: no device of the system is opened for writing.
    if made("mknod", &[path("null-node").to_str().unwrap(), "c", "1", "3"]) {
        found.push(("a device", path("null-node")));
        symlink(path("null-node"), path("null-link")).unwrap();
        found.push(("a device", path("null-link")));
    } else {
        skipped("no node can be made here");
    }
    assert!(made("mkfifo", &[path("fifo").to_str().unwrap()]));
    found.push(("a FIFO", path("fifo")));
    fs::create_dir(path("folder")).unwrap();
    found.push(("a folder", path("folder")));
    std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    found.push(("a socket", path("socket")));
    found
}

#[test]
fn an_output_that_is_no_file_is_refused_and_stays_what_it_is() {
    let scene = Scene::new();
    for (what, path) in odd(&scene.home) {
        let kind = || fs::symlink_metadata(&path).unwrap().file_type();
        let before = kind();
        for tool in ["lh-export", "lh-distill"] {
            let mut command = scene.home.tool(tool);
            let output = command.arg("-o").arg(&path).write_stdin(scene.record.clone());
            let output = output.timeout(Duration::from_secs(20)).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(65), "{tool} {what}: {said}");
            assert!(said.contains(&format!("{what}, expected a regular file")), "{tool} {what}: {said}");
            assert_eq!(kind(), before, "{tool} {what}");
        }
    }
    assert!(!scene.home.path("asked").exists());
    // A link that the user named leads where they want it.
    symlink(scene.home.path("outside/file"), scene.home.path("page.md")).unwrap();
    let output =
        scene.home.tool("lh-export").args(["-o", "page.md"]).write_stdin(scene.record.clone()).output().unwrap();
    assert!(output.status.success() && scene.home.read("outside/file").starts_with("---\n"));
    assert!(scene.home.path("page.md").is_symlink());
}

#[test]
fn what_is_read_and_is_no_file_ends_in_time() {
    let memory = format!("{PROJECT}/memory");
    let odd: [(&str, &str); 2] = [("fifo", "FIFO"), ("/dev/zero", "device")];
    for (from, what) in odd {
        for (tool, name) in [
            ("dequeue", ".claude/queue/1-x.task".to_owned()),
            ("persist", format!("{memory}/decisions.jsonl")),
            ("persist", format!("{memory}/handoff.md")),
            ("export", format!("{memory}/.state/exports/{ID}.json")),
            ("export", format!("{KNOWLEDGE}/sessions/2026-04/2026-04-13-aaaaaaaa.md")),
        ] {
            let scene = Scene::new();
            let path = scene.home.path(&name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if from == "fifo" {
                assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            } else {
                symlink(from, &path).unwrap();
            }
            let (status, said) = scene.run(tool);
            assert!(said.contains(what) || said.contains("link"), "{tool} {name} {what}: {status:?} {said}");
            let kept = if tool == "dequeue" { 0 } else { 65 };
            assert_eq!(status, Some(kept), "{tool} {name} {what}: {said}");
        }
    }
    let home = Home::new();
    let big = home.write("big-zone", "");
    fs::File::options().write(true).open(&big).unwrap().set_len(1 << 34).unwrap();
    assert!(Command::new("mkfifo").arg(home.path("fifo")).status().unwrap().success());
    let record = Scene::new().record;
    for zone in
        ["/dev/zero", ":/dev/zero", "../../../dev/zero", home.path("fifo").to_str().unwrap(), big.to_str().unwrap()]
    {
        let mut tool = home.tool("lh-enqueue");
        tool.env("TZ", zone).arg("--verbose").write_stdin(record.clone()).timeout(Duration::from_secs(20));
        let output = tool.output().unwrap();
        assert!(output.status.success(), "{zone}: {output:?}");
    }
    let zero = fs::File::open("/dev/zero").unwrap();
    let output = run(&home, "lh-find-session", Stdio::from(zero));
    assert_eq!(output.status.code(), Some(65));
}

fn run(home: &Home, tool: &str, input: Stdio) -> Output {
    let mut command = Command::new(binary(tool));
    command.env_clear().env("HOME", home.path("")).env("TZ", "UTC").env("PATH", "/usr/bin:/bin");
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn an_input_that_stays_open_holds_nobody_up() {
    let scene = Scene::new();
    let payload =
        json!({"transcript_path": scene.home.path(&format!("{PROJECT}/{ID}.jsonl")), "cwd": "/src/app"}).to_string();
    let holds = &|tool: &str, given: &str, wanted: i32| {
        let (input, mut kept) = std::io::pipe().unwrap();
        kept.write_all(given.as_bytes()).unwrap();
        let begun = Instant::now();
        let output = run(&scene.home, tool, Stdio::from(input));
        let seconds = begun.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(wanted), "{tool} {given}: {said}");
        assert!(wanted == 0 || said.contains("stays open"), "{tool}: {said}");
        assert!(seconds < 20.0, "{tool} {given}: {seconds} s");
        drop(kept);
    };
    // All wait at once.
    std::thread::scope(|scope| {
        for tool in ["lh-find-session", "lh-context", "lh-summarize"] {
            // Who waits for more than a whole object says that the input stays open.
            for (given, wanted) in [(payload.as_str(), 0), (&payload[..payload.len() / 2], 65), ("", 65)] {
                scope.spawn(move || holds(tool, given, wanted));
            }
        }
    });
}

#[test]
fn a_log_that_is_a_fifo_or_leads_out_holds_nobody_up() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    for log in ["fifo", "link", "folder link"] {
        let scene = Scene::new();
        fs::create_dir_all(scene.home.path(".claude/logs")).unwrap();
        for name in ["hooks.log", "compound-loop.log"] {
            let path = scene.home.path(".claude/logs").join(name);
            match log {
                "fifo" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                _ => symlink(scene.home.path("outside/file"), &path).unwrap(),
            }
        }
        if log == "folder link" {
            fs::remove_dir_all(scene.home.path(".claude/logs")).unwrap();
            scene.link(".claude/logs/");
        }
        let before = scene.outside();
        let transcript = scene.home.path(&format!("{PROJECT}/{ID}.jsonl"));
        let payload = json!({"transcript_path": transcript, "cwd": "/src/app", "hook_event_name": "Stop"}).to_string();
        for hook in ["lh-hook-stop", "lh-hook-pre-compact", "lh-hook-session-start"] {
            let mut command = assert_cmd::Command::new(scripts.join(hook));
            command.env_clear().env("HOME", scene.home.path("")).env("PATH", "/usr/bin:/bin").env("TZ", "UTC");
            // Nothing is left running.
            fs::create_dir_all(scene.home.path("bin")).unwrap();
            for tool in ["lh-find-session", "lh-gate", "lh-enqueue", "lh-summarize", "lh-context"] {
                let _ = symlink(binary(tool), scene.home.path("bin").join(tool));
            }
            let _ = symlink("/bin/true", scene.home.path("bin/lh-detach"));
            command.env("LH_BIN", scene.home.path("bin")).write_stdin(payload.clone()).timeout(Duration::from_secs(20));
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{log} {hook}: {}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(fs::read_dir(scene.home.path(".claude/queue/state")).unwrap().count(), 1, "{log}");
        assert_eq!(scene.outside(), before, "{log}");
        let log_file = scene.home.path(".claude/logs/compound-loop.log");
        let output = scene.home.tool("lh-detach").arg("--output").arg(log_file).args(["--", "echo", "hi"]).output();
        assert!(output.unwrap().status.success());
        assert_eq!(scene.outside(), before, "{log}");
    }
}

#[test]
fn another_users_task_is_not_worked_on() {
    let scene = Scene::new();
    assert_eq!(scene.run("enqueue").0, Some(0));
    let queue = scene.home.path(".claude/queue");
    fs::set_permissions(&queue, fs::Permissions::from_mode(0o777)).unwrap();
    let (status, said) = scene.run("dequeue");
    assert!(status == Some(65) && said.contains("every user can write to it") && said.contains("chmod 700"), "{said}");
    let tasks = |folder: &str| {
        fs::read_dir(queue.join(folder)).map_or(0, |names| {
            names.flatten().filter(|name| name.file_name().to_string_lossy().ends_with(".task")).count()
        })
    };
    assert_eq!((tasks(""), tasks("done"), tasks("failed")), (1, 0, 0));
    fs::set_permissions(&queue, fs::Permissions::from_mode(0o700)).unwrap();
    let entries = fs::read_dir(&queue).unwrap().flatten().map(|entry| entry.path());
    let task = entries.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "task")).unwrap();
    if std::os::unix::fs::chown(&task, Some(12_345), None).is_err() {
        skipped("only root can give a file away");
        return;
    }
    let (status, said) = scene.run("dequeue");
    assert!(status == Some(0) && said.contains("owned by user 12345"), "{status:?}: {said}");
    assert_eq!((tasks(""), tasks("done"), tasks("failed")), (0, 0, 1));
    let listed = scene.home.tool("lh-dequeue").arg("--list").output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&listed).contains("owned by user 12345"));
    // Nor is it put back.
    scene.home.tool("lh-dequeue").arg("--retry").output().unwrap();
    assert_eq!((tasks(""), tasks("failed")), (0, 1));
}

#[test]
fn a_transcript_that_was_away_when_it_was_looked_for_has_its_own_project() {
    let scene = Scene::new();
    let (transcript, away) = (scene.home.path(&format!("{PROJECT}/{ID}.jsonl")), scene.home.path("away"));
    fs::rename(&transcript, &away).unwrap();
    let record = scene.home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&record).contains("\"project\":\"-src-app\""));
    fs::rename(&away, &transcript).unwrap();
    let output = scene.home.tool("lh-export").write_stdin(record).output().unwrap();
    assert!(output.status.success());
    let page = scene.home.read(&format!("{KNOWLEDGE}/sessions/2026-04/2026-04-13-aaaaaaaa.md"));
    assert!(page.contains("\nproject: app\n") && page.contains("\ncwd: /src/app\n"), "{page}");
}

#[test]
fn a_line_without_an_end_is_refused() {
    let home = Home::new();
    let output = run(&home, "lh-gate", Stdio::from(fs::File::open("/dev/zero").unwrap()));
    let mut said = String::new();
    (&output.stderr[..]).read_to_string(&mut said).unwrap();
    assert!(output.status.code() == Some(65) && said.contains("a record of more than"), "{said}");
}
