//! lh-backfill: every old session once, the oldest first, whatever ends it; no model call that nobody agreed to.

use crate::home::{Home, binary};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// When the first session ended; each later one an hour after the one before.
const FIRST: u64 = 1_700_000_000;
const PATIENCE: Duration = Duration::from_secs(300);
const NOON: &str = "2026-04-13T12:00:00Z";
const LISTS: &str = r#"{\"decisions\":[],\"failures\":[],\"learnings\":[],\"memories\":[],\"handoff\":[]}"#;

/// A home with a knowledge folder and an engine.
fn home(engine: &str, extra: &str) -> Home {
    let home = Home::enabled(&format!("engine = \"{engine}\"\nmin_user_chars = 1\n{extra}"));
    let counts = "cat >/dev/null; echo call >>\"$HOME/calls\"";
    let answer = format!("{{\"type\":\"result\",\"is_error\":false,\"result\":\"{LISTS}\",\"total_cost_usd\":0.25}}");
    let model = format!("#!/bin/sh\n{counts}\nif [ -e \"$HOME/slow\" ]; then sleep 60; fi\necho '{answer}'\n");
    executable(&home.write("path/claude", &model));
    home
}

fn executable(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Made-up sessions of three projects, with something to learn in each; their ids, the oldest first.
fn sessions(home: &Home, count: usize) -> Vec<String> {
    (0..count).map(|number| session(home, number)).collect()
}

fn session(home: &Home, number: usize) -> String {
    let id = format!("{number:08x}-1111-4111-8111-111111111111");
    let cwd = PathBuf::from(format!("/src/app{}", number % 3));
    let mut text = String::new();
    let said = [
        (
            "user",
            format!("Let's use the store number {number} for the cache of part {number}, not redis, for it is ours."),
        ),
        (
            "assistant",
            format!("★ Insight ─────\nA cache of part {number} must be bounded, else it grows.\n─────\nDone."),
        ),
        ("user", format!("Remember that I always want the tests of part {number} to run before the commit.")),
        ("assistant", format!("Still open: write the page of part {number}.")),
        ("user", "Thanks, that is all for today, we go on tomorrow.".to_owned()),
        ("assistant", "Good.".to_owned()),
    ];
    for (at, (role, words)) in said.iter().enumerate() {
        text.push_str(&crate::home::line(role, words, &cwd, at));
    }
    let path = home.write(&format!(".claude/projects/-src-app{}/{id}.jsonl", number % 3), &text);
    aged(&path, number);
    id
}

fn aged(path: &Path, number: usize) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(FIRST + 3600 * number as u64);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

fn backfill(home: &Home, arguments: &[&str]) -> assert_cmd::Command {
    let mut tool = home.tool("lh-backfill");
    tool.env("PATH", path(home)).args(arguments).timeout(PATIENCE);
    tool
}

fn path(home: &Home) -> String {
    format!("{}:/usr/bin:/bin", home.path("path").display())
}

fn start(home: &Home, arguments: &[&str]) -> Child {
    let mut tool = Command::new(binary("lh-backfill"));
    tool.env_clear().env("HOME", home.path("")).env("PATH", path(home)).env("TZ", "UTC").args(arguments);
    tool.env("LH_BIN", binary("lh-gate").parent().unwrap()).env("TMPDIR", home.path(""));
    tool.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn done(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
}

fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if let Ok(bytes) = std::fs::read(&path) {
            // What is written aside is gone soon.
            found.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    found
}

/// What is remembered, without the times at which it was written.
fn memory(home: &Home) -> BTreeMap<String, String> {
    let kept = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let text = path.to_string_lossy();
        (text.contains("/memory/") && !text.contains("/.state/") || text.contains("/Documents/"))
            && ["md", "jsonl"].contains(&ending)
    };
    let root = home.path("").to_string_lossy().into_owned();
    let all = files(&home.path("")).into_iter().filter(|(path, _)| kept(path));
    all.map(|(path, text)| {
        let lines = text.lines().filter(|line| !line.starts_with("written_at:")).collect::<Vec<_>>().join("\n");
        (path.to_string_lossy().replace(&root, ""), lines)
    })
    .collect()
}

fn outcomes(home: &Home) -> BTreeMap<String, String> {
    let states = files(&home.path(".claude/queue/state")).into_iter().filter(|(path, _)| !path.ends_with(".seeded"));
    let outcome = |text: &str| text.lines().find_map(|line| line.strip_prefix("outcome=")).unwrap_or("none").to_owned();
    states.map(|(path, text)| (path.file_name().unwrap().to_string_lossy().into_owned(), outcome(&text))).collect()
}

/// Every session was distilled once and has its page, and nothing is said twice.
fn is_whole(home: &Home, ids: &[String], what: &str) {
    let wanted: BTreeMap<String, String> = ids.iter().map(|id| (id.clone(), "done".to_owned())).collect();
    assert_eq!(outcomes(home), wanted, "{what}");
    for (path, text) in memory(home) {
        if Path::new(&path).extension().is_some_and(|ending| ending == "jsonl") {
            let of = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().map(str::to_owned);
            let all: Vec<String> = text.lines().filter_map(of).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{what}: twice in {path}");
        }
    }
    let pages = files(&home.path("Documents/lazy-harness-knowledge/sessions"));
    let pages =
        pages.iter().filter(|(_, text)| text.contains("\ntype: claude-session") || text.contains("session_id:"));
    let exported: Vec<&str> =
        pages.filter_map(|(_, text)| text.lines().find_map(|line| line.strip_prefix("session_id: "))).collect();
    let mut exported: Vec<&str> = exported.iter().map(|id| id.trim_matches('"')).collect();
    exported.sort_unstable();
    assert_eq!(exported, ids, "{what}");
    // One that was killed when all was done and filed leaves its files to the next worker.
    done(&home.tool("lh-dequeue").args(["--", "/bin/true"]).output().unwrap());
    let left = files(&home.path(".claude/queue"));
    let left: Vec<_> = left.keys().filter(|path| path.to_string_lossy().contains("/work/")).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
    let tasks = std::fs::read_dir(home.path(".claude/queue")).unwrap().map(|entry| entry.unwrap().file_name());
    let tasks: Vec<_> = tasks.filter(|name| name.to_string_lossy().ends_with(".task")).collect();
    assert!(tasks.is_empty(), "{what}: {tasks:?}");
}

fn calls(home: &Home) -> usize {
    home.read("calls").lines().count()
}

#[test]
fn old_sessions_come_in_once_the_oldest_first() {
    let home = home("extract", "");
    let ids = sessions(&home, 9);
    let output = backfill(&home, &["--distill"]).output().unwrap();
    done(&output);
    is_whole(&home, &ids, "first");
    let receipts: Vec<Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let pages = receipts.iter().filter(|receipt| receipt["what"] == "export").count();
    assert_eq!(pages, ids.len(), "{receipts:?}");
    for project in 0..3 {
        let journal = home.read(&format!(".claude/projects/-src-app{project}/memory/said.jsonl"));
        let of = |line: &str| serde_json::from_str::<Value>(line).unwrap()["session_id"].as_str().unwrap().to_owned();
        let mut told: Vec<String> = journal.lines().map(of).collect();
        told.dedup();
        let wanted: Vec<String> = ids.iter().skip(project).step_by(3).cloned().collect();
        assert_eq!(told, wanted);
    }
    // Neither the worker nor the sweep does them again, nor does a second run.
    let before = memory(&home);
    let output = backfill(&home, &["--distill"]).output().unwrap();
    done(&output);
    assert!(output.stdout.is_empty() && said(&output).contains("to export: 0 sessions"), "{}", said(&output));
    let missing = home.tool("lh-find-session").arg("--missing").output().unwrap();
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(1), 0));
    done(&home.tool("lh-dequeue").args(["--", "false"]).output().unwrap());
    assert_eq!(memory(&home), before);
    // What grew since is distilled again.
    let transcript = home.path(&format!(".claude/projects/-src-app0/{}.jsonl", ids[0]));
    let more =
        crate::home::line("user", "Let's use tabs in the makefile of part 77, not blanks.", Path::new("/src/app0"), 7);
    std::fs::write(&transcript, std::fs::read_to_string(&transcript).unwrap() + &more).unwrap();
    done(&backfill(&home, &["--distill"]).output().unwrap());
    assert!(home.read(".claude/projects/-src-app0/memory/said.jsonl").contains("part 77"));
}

#[test]
fn it_leaves_what_the_worker_leaves() {
    let (one, other) = (home("extract", ""), home("extract", ""));
    let ids = sessions(&one, 7);
    assert_eq!(sessions(&other, 7), ids);
    done(&backfill(&one, &["--distill"]).output().unwrap());
    let all = other.tool("lh-find-session").arg("--all").output().unwrap().stdout;
    done(&other.tool("lh-export").write_stdin(all.clone()).output().unwrap());
    done(&other.tool("lh-enqueue").write_stdin(all).output().unwrap());
    let task = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-task");
    done(&other.tool("lh-dequeue").arg("--").arg(task).output().unwrap());
    is_whole(&other, &ids, "worker");
    assert_eq!(memory(&one), memory(&other));
    let marks = |home: &Home| -> BTreeSet<String> {
        let text = files(&home.path(".claude/queue/state")).into_values();
        let known = |line: &&str| !line.starts_with("queued_at") && !line.is_empty();
        text.map(|text| text.lines().filter(known).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(marks(&one), marks(&other));
    let filed = |home: &Home| files(&home.path(".claude/queue/done")).len();
    assert_eq!((filed(&one), filed(&other)), (7, 7));
}

#[test]
fn real_sessions_come_in() {
    let folder = std::env::var_os("LH_TRANSCRIPTS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts"));
    let mut paths: Vec<PathBuf> = files_named(&folder);
    paths.sort();
    if paths.is_empty() {
        return crate::bad_input::skipped("no transcripts");
    }
    let home = home("extract", "");
    for (number, path) in paths.iter().enumerate() {
        let repo = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let copy = home.path(&format!(".claude/projects/-src-{repo}/{number:08x}-1111-4111-8111-111111111111.jsonl"));
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(path, &copy).unwrap();
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).unwrap();
        aged(&copy, number);
    }
    let output = backfill(&home, &["--distill"]).timeout(PATIENCE * 5).output().unwrap();
    done(&output);
    let came = outcomes(&home);
    let count = |word: &str| came.values().filter(|outcome| *outcome == word).count();
    assert_eq!((came.len(), count("done") + count("refused")), (paths.len(), paths.len()), "{came:?}");
    assert!(count("done") * 3 > paths.len(), "{came:?}");
    let text = said(&backfill(&home, &["--distill"]).output().unwrap());
    assert!(text.contains("to export: 0 sessions (0.0 MB); to distil with extract: 0 sessions"), "{text}");
}

fn files_named(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files_named(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
    found
}

#[test]
fn whatever_ends_it_the_next_run_goes_on() {
    let ids = sessions(&home("extract", ""), 24);
    let calm = home("extract", "");
    sessions(&calm, 24);
    done(&backfill(&calm, &["--distill"]).output().unwrap());
    let wanted = memory(&calm);
    // A shell starts what runs behind it with SIGINT ignored.
    for signal in ["KILL", "TERM"] {
        let home = home("extract", "");
        sessions(&home, 24);
        let mut ended = 0_usize;
        for states in [0, 1, 5, 9, 14, 20] {
            let mut child = start(&home, &["--distill"]);
            let begun = Instant::now();
            while outcomes(&home).values().filter(|outcome| *outcome == "done").count() < states
                && child.try_wait().unwrap().is_none()
            {
                assert!(begun.elapsed() < PATIENCE, "{states}");
            }
            let _ = Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status();
            let status = child.wait().unwrap();
            ended += usize::from(status.signal().is_some());
        }
        assert!(ended > 0, "{signal}: it was never ended");
        done(&backfill(&home, &["--distill"]).output().unwrap());
        is_whole(&home, &ids, signal);
        assert_eq!(memory(&home), wanted, "{signal}");
    }
}

#[test]
fn two_at_once_and_a_worker_do_no_harm() {
    let home = home("extract", "");
    let ids = sessions(&home, 24);
    // The hooks queued some of them, and their worker is at work.
    let some = home.tool("lh-find-session").arg("--all").output().unwrap().stdout;
    let some: Vec<&[u8]> = some.split_inclusive(|byte| *byte == b'\n').step_by(4).collect();
    done(&home.tool("lh-enqueue").write_stdin(some.concat()).output().unwrap());
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let mut worker = Command::new(binary("lh-dequeue"));
    worker.env_clear().env("HOME", home.path("")).env("PATH", "/usr/bin:/bin").env("TZ", "UTC");
    worker.env("LH_BIN", binary("lh-gate").parent().unwrap()).arg("--").arg(scripts.join("lh-task"));
    let mut worker = worker.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let mut both = [start(&home, &["--distill"]), start(&home, &["--distill"])];
    for child in &mut both {
        assert!(child.wait().unwrap().success());
    }
    assert!(worker.wait().unwrap().success());
    is_whole(&home, &ids, "beside a worker");
}

#[test]
fn a_dry_run_writes_nothing() {
    for engine in ["extract", "claude"] {
        let home = home(engine, "");
        sessions(&home, 5);
        let before = files(&home.path(""));
        for arguments in [&["-n"][..], &["-n", "--distill"], &["-n", "--distill", "-y"]] {
            let output = backfill(&home, arguments).output().unwrap();
            done(&output);
            assert!(said(&output).contains("to export: 5 sessions"), "{}", said(&output));
            assert_eq!(said(&output).contains("5 model calls at most"), engine == "claude" && arguments.len() > 1);
            assert!(output.stdout.is_empty());
        }
        assert_eq!(files(&home.path("")), before);
        assert_eq!(calls(&home), 0);
    }
}

#[test]
fn a_second_reading_is_a_second_call_of_each_session() {
    let home = home("claude", "verify = \"model\"");
    sessions(&home, 4);
    let output = backfill(&home, &["--distill"]).write_stdin("y\n").output().unwrap();
    let text = said(&output);
    assert!(text.contains("8 model calls at most (claude-haiku-4-5-20251001), two for each session"), "{text}");
    assert!(text.contains("4.00 USD at most"), "{text}");
}

#[test]
fn no_model_is_called_that_nobody_agreed_to() {
    let home = home("claude", "");
    sessions(&home, 4);
    let thin = session(&home, 4);
    home.write(
        &format!(".claude/projects/-src-app1/{thin}.jsonl"),
        &crate::home::line("user", "hi", Path::new("/src/app1"), 0),
    );
    let output = backfill(&home, &["--distill"]).write_stdin("y\n").output().unwrap();
    assert_eq!(output.status.code(), Some(64), "{}", said(&output));
    assert!(said(&output).contains("give --yes to agree") && outcomes(&home).is_empty(), "{}", said(&output));
    let text = said(&output);
    assert!(text.contains("4 model calls at most (claude-haiku-4-5-20251001), one for"), "{text}");
    assert!(text.contains("what a call costs is not known yet") && text.contains("2.00 USD at most"), "{text}");
    if Path::new("/usr/bin/script").exists() {
        for (typed, status) in [("n", 1), ("", 1), ("\u{4}", 1)] {
            let output = on_terminal(&home, "--distill", typed);
            assert_eq!(output.status.code(), Some(status), "{typed:?}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("spend up to 4 model calls? [y/N]"));
        }
        assert_eq!((calls(&home), outcomes(&home).len()), (0, 0));
    }
    // Nor by a model's own session.
    let output = backfill(&home, &["--distill", "--yes"]).env("LH_DEPTH", "1").output().unwrap();
    assert_eq!((output.status.code(), calls(&home), outcomes(&home).len()), (Some(75), 0, 0), "{}", said(&output));
    // Without a model there is nothing to agree to, and pages need none.
    done(&backfill(&home, &[]).output().unwrap());
    assert_eq!((calls(&home), outcomes(&home).len()), (0, 0));
    if Path::new("/usr/bin/script").exists() {
        assert_eq!(on_terminal(&home, "--distill", "y").status.code(), Some(0));
    } else {
        done(&backfill(&home, &["--distill", "--yes"]).output().unwrap());
    }
    assert_eq!(calls(&home), 4);
    let came: Vec<String> = outcomes(&home).into_values().collect();
    // What is too short for a model is read without one.
    assert!(came.len() == 5 && came.iter().all(|outcome| outcome == "done"), "{came:?}");
    // The ledger says by now what a call costs.
    session(&home, 6);
    let text = said(&backfill(&home, &["--distill", "-n"]).output().unwrap());
    assert!(text.contains("about 0.25 USD, if a call costs what it did so far (0.2500 USD, 4 calls)"), "{text}");
}

/// Runs lh-backfill on a terminal of its own, at which `typed` and Enter are typed.
fn on_terminal(home: &Home, arguments: &str, typed: &str) -> Output {
    let line = format!("'{}' {arguments}", binary("lh-backfill").display());
    let mut run = home.run(Path::new("/usr/bin/script"));
    run.env("PATH", path(home)).env("TERM", "xterm").args(["-qec", &line, "/dev/null"]);
    run.write_stdin(format!("{typed}\n")).timeout(PATIENCE).output().unwrap()
}

#[test]
fn without_a_model_none_is_called_whoever_goes_on() {
    let home = home("claude", "");
    sessions(&home, 8);
    let mut child = start(&home, &["--distill", "--engine", "extract"]);
    let begun = Instant::now();
    let pending = || {
        let names = std::fs::read_dir(home.path(".claude/queue")).into_iter().flatten();
        names.flatten().find(|entry| entry.file_name().to_string_lossy().ends_with(".task")).map(|entry| entry.path())
    };
    let mut task = None;
    while task.is_none() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < PATIENCE);
        task = pending();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it left is the worker's now, who has a model.
    let worker = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-worker");
    done(&home.run(&worker).env("PATH", path(&home)).output().unwrap());
    assert_eq!(pending(), None);
    done(&backfill(&home, &["--distill", "-e", "extract"]).output().unwrap());
    assert_eq!((calls(&home), outcomes(&home).len()), (0, 8));
}

#[test]
fn the_limit_of_the_day_stops_it_and_it_goes_on_the_next_day() {
    let home = home("claude", "max_calls_per_day = 2");
    let ids = sessions(&home, 5);
    for (day, status, count) in [("13", 75, 2), ("13", 75, 2), ("14", 75, 4), ("15", 0, 5), ("16", 0, 5)] {
        let now = NOON.replace("-13T", &format!("-{day}T"));
        let output = backfill(&home, &["--distill", "--yes"]).env("LH_NOW", now).output().unwrap();
        assert_eq!((output.status.code(), calls(&home)), (Some(status), count), "{day}: {}", said(&output));
        let next: u32 = day.parse::<u32>().unwrap() + 1;
        let until = format!("it can go on after 2026-04-{next}T00:00:00+00:00: run it again then");
        assert_eq!(said(&output).contains(&until), status == 75, "{}", said(&output));
    }
    is_whole(&home, &ids, "after three days");
}

#[test]
fn a_call_that_was_interrupted_is_not_lost_and_its_session_neither() {
    let home = home("claude", "");
    let ids = sessions(&home, 3);
    home.write("slow", "");
    for signal in ["TERM", "KILL"] {
        let before = calls(&home);
        let mut child = start(&home, &["--distill", "--yes"]);
        let begun = Instant::now();
        while calls(&home) == before {
            assert!(begun.elapsed() < PATIENCE && child.try_wait().unwrap().is_none());
        }
        assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
        assert!(child.wait().unwrap().signal().is_some());
    }
    std::fs::remove_file(home.path("slow")).unwrap();
    done(&backfill(&home, &["--distill", "--yes"]).output().unwrap());
    is_whole(&home, &ids, "after two kills");
    // Each call is booked, also those that were cut off.
    assert_eq!(home.read(".claude/logs/llm.jsonl").lines().count(), calls(&home));
    assert_eq!(calls(&home), 5);
}

#[test]
fn how_far_it_is_goes_to_a_terminal_alone() {
    let home = home("extract", "");
    sessions(&home, 5);
    let output = backfill(&home, &["--distill"]).output().unwrap();
    assert!(!said(&output).contains('\u{1b}') && !said(&output).contains('\r'), "{}", said(&output));
    if Path::new("/usr/bin/script").exists() {
        session(&home, 5);
        let shown = on_terminal(&home, "--distill", "").stdout;
        let shown = String::from_utf8_lossy(&shown);
        assert!(shown.contains("exported 1 of 1") && shown.contains("distilled 1 of 1"), "{shown}");
        assert!(!shown.contains("\"type\""), "no record on a terminal: {shown}");
    }
}

#[test]
fn what_fails_has_a_status_and_the_rest_comes_in() {
    let home = home("extract", "");
    let ids = sessions(&home, 5);
    for (arguments, status) in [
        (&["x"][..], 64),
        (&["--engine", "extract"], 64),
        (&["--distill", "--engine", "gpt"], 64),
        (&["--distill", "--engine", "command"], 78),
    ] {
        let output = backfill(&home, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", said(&output));
    }
    let output = backfill(&home, &["--distill", "-e", "claude"]).env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(output.status.code(), Some(69), "{}", said(&output));
    assert!(outcomes(&home).is_empty());
    // A memory that cannot be written: its project fails, the others do not.
    home.write(".claude/projects/-src-app1/memory", "a file");
    let output = backfill(&home, &["--distill"]).output().unwrap();
    assert!(![Some(0), None, Some(2)].contains(&output.status.code()), "{}", said(&output));
    let came = outcomes(&home);
    for id in [0, 2, 3].map(|number: usize| &ids[number]) {
        assert_eq!(came.get(id).map(String::as_str), Some("done"), "{}", said(&output));
    }
    assert!(said(&output).contains(&ids[1]), "{}", said(&output));
}
