//! lh-enqueue and lh-dequeue: one task a session, one worker, every status, and death at any time.

use crate::home::{Home, line};
use serde_json::Value;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const NOON: &str = "2026-04-13T12:00:00Z";

impl Home {
    fn enqueue(&self, transcript: &Path, now: &str) -> Value {
        let found = self.tool("lh-find-session").arg(transcript).output().unwrap().stdout;
        let output = self.tool("lh-enqueue").env("LH_NOW", now).write_stdin(found).output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn queued(&self) -> Value {
        let transcript = self.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
        self.enqueue(&transcript, NOON)
    }

    fn dequeue(&self, now: &str, command: &[&str]) -> assert_cmd::Command {
        let mut tool = self.tool("lh-dequeue");
        tool.env("LH_NOW", now).arg("--").args(command);
        tool
    }

    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.path(".claude/queue").join(folder)) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "task")).collect()
    }

    fn task(&self, folder: &str, key: &str) -> Option<String> {
        let text = std::fs::read_to_string(&self.files(folder)[0]).unwrap();
        text.lines().find_map(|line| line.strip_prefix(&format!("{key}=")).map(str::to_owned))
    }

    fn script(&self, text: &str) -> String {
        let path = self.write("command", &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.to_string_lossy().into_owned()
    }
}

/// Held by a test that starts more processes than a machine has patience for.
static CROWD: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Polls until `done` holds; detached processes take their time.
fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_transcript_that_is_still_written_to_is_waited_for() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    home.enqueue(&transcript, NOON);
    let count =
        home.script(&format!("cat >/dev/null; wc -l <'{}' >'{}'", transcript.display(), home.path("count").display()));
    let mut writer = std::fs::File::options().append(true).open(&transcript).unwrap();
    writer.set_modified(std::time::SystemTime::now()).unwrap();
    let last = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        writer.write_all(line("user", "And one thing more.", Path::new("/src/lh"), 5).as_bytes()).unwrap();
    });
    assert!(home.tool("lh-dequeue").args(["--", &count]).output().unwrap().status.success());
    last.join().unwrap();
    assert_eq!(home.read("count").trim(), "5");
}

#[test]
fn a_session_has_one_task_however_often_it_is_queued() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    let task = home.enqueue(&transcript, NOON);
    assert_eq!((task["type"].as_str(), task["attempts"].as_u64()), (Some("task"), Some(0)));
    assert_eq!(task["task"], home.path(".claude/queue/1776081600-aaaaaaaa.task").to_string_lossy().as_ref());
    home.enqueue(&transcript, "2026-04-13T12:01:00Z");
    assert_eq!(home.files("").len(), 1);
    assert_eq!(home.task("", "timestamp").as_deref(), Some("2026-04-13T12:01:00+00:00"));
    let other = home.transcript("aaaaaaaa-2", Path::new("/src/lh"), 2);
    home.enqueue(&other, NOON);
    assert!(home.path(".claude/queue/1776081600-aaaaaaaa-2.task").exists());
    assert!(home.read(".claude/queue/state/aaaaaaaa-1").contains("queued_at=2026-04-13T12:01:00Z"));
    assert_eq!(home.read(".claude/queue/.since"), "2026-04-13T12:00:00+00:00\n");
    for private in [".claude/queue/state/aaaaaaaa-1", ".claude/queue/1776081600-aaaaaaaa.task"] {
        assert_eq!(home.path(private).metadata().unwrap().permissions().mode() & 0o777, 0o600, "{private}");
    }
}

#[test]
fn twenty_at_once_leave_one_task() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    let _alone = CROWD.lock();
    let patience = Duration::from_millis(300);
    let slow = std::thread::scope(|scope| {
        let enqueue = || {
            let begun = Instant::now();
            assert!(home.tool("lh-enqueue").write_stdin(found.clone()).output().unwrap().status.success());
            begun.elapsed() > patience
        };
        let all: Vec<_> = (0..20).map(|_| scope.spawn(enqueue)).collect();
        all.into_iter().map(|one| one.join().unwrap()).filter(|slow| *slow).count()
    });
    // Whoever has waited for the lock for 300 ms leaves a task of its own, rather than lose the session.
    assert!((1..=1 + slow).contains(&home.files("").len()), "{} tasks, {slow} slow", home.files("").len());
}

#[test]
fn the_command_gets_the_record_and_a_place_to_work() {
    let home = Home::new();
    home.queued();
    let command = home.script("cat; echo \"$LH_WORK\"");
    let output = home.dequeue(NOON, &[&command]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines = said.lines();
    let record: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(
        (record["type"].as_str(), record["attempts"].as_u64(), record["project"].as_str()),
        (Some("task"), Some(1), Some("lh"))
    );
    assert!(lines.next().unwrap().ends_with("/queue/work/1776081600-aaaaaaaa.task"));
    assert_eq!((home.files("").len(), home.files("done").len()), (0, 1));
    assert!(home.read(".claude/queue/state/aaaaaaaa-1").contains("outcome=done"));
}

#[test]
fn a_failed_start_waits_longer_each_time_and_is_then_given_up() {
    let home = Home::new();
    home.queued();
    let mut now: jiff::Timestamp = NOON.parse().unwrap();
    let command = home.script("kill -9 $$");
    for (start, wait) in [60, 300, 1800, 7200, 43_200].into_iter().enumerate() {
        assert!(home.dequeue(&now.to_string(), &[&command]).output().unwrap().status.success());
        let due = now + jiff::SignedDuration::from_secs(wait);
        let not_before: jiff::Timestamp = home.task("", "not_before").unwrap().parse().unwrap();
        assert_eq!((not_before, home.task("", "attempts").unwrap()), (due, (start + 1).to_string()));
        assert_eq!(home.task("", "last_error").as_deref(), Some("signal 9"));
        let early = (due - jiff::SignedDuration::from_secs(1)).to_string();
        assert!(home.dequeue(&early, &["touch", "too-early"]).output().unwrap().status.success());
        assert!(!home.path("too-early").exists());
        now = due;
    }
    home.dequeue(&now.to_string(), &[&command]).output().unwrap();
    assert_eq!((home.files("").len(), home.files("failed").len()), (0, 1));
    assert!(home.read(".claude/queue/state/aaaaaaaa-1").contains("outcome=failed\nreason=signal 9"));
}

#[test]
fn a_status_says_what_becomes_of_the_task() {
    for (script, folder, attempts, error) in [
        ("exit 65", "failed", Some("1"), Some("status 65")),
        ("exit 2", "", Some("1"), Some("status 2")),
        ("exit 69", "", Some("1"), Some("status 69")),
        ("exit 75", "", Some("1"), Some("status 75")),
        ("echo '{\"type\":\"outcome\",\"result\":\"failed\",\"reason\":\"r\"}'", "", Some("1"), Some("r")),
        ("echo '{\"type\":\"outcome\",\"result\":\"refused\",\"reason\":\"thin\"}'", "done", Some("1"), None),
        (
            "echo '{\"type\":\"outcome\",\"result\":\"waiting\",\"reason\":\"budget\",\"not_before\":\"2026-04-14T00:00:00Z\"}'; exit 75",
            "",
            None,
            Some("budget"),
        ),
        (
            "echo '{\"type\":\"outcome\",\"result\":\"waiting\",\"not_before\":\"2020-01-01T00:00:00Z\"}'",
            "",
            None,
            Some("status 0"),
        ),
        ("echo rubbish; echo '{\"type\":\"other\"}'", "done", Some("1"), None),
    ] {
        let home = Home::new();
        home.queued();
        let command = home.script(script);
        assert!(home.dequeue(NOON, &[&command]).output().unwrap().status.success(), "{script}");
        assert_eq!(home.files(folder).len(), 1, "{script}");
        assert_eq!(home.task(folder, "attempts").as_deref(), attempts, "{script}");
        assert_eq!(home.task(folder, "last_error").as_deref(), error, "{script}");
    }
}

#[test]
fn a_task_that_was_refreshed_while_it_ran_is_not_filed() {
    let home = Home::new();
    home.queued();
    let command = home.script(
        "[ -e again ] || { touch again; sed -i 's/event=.*/event=SessionEnd/' .claude/queue/*.task; }; echo x >>runs",
    );
    assert!(home.dequeue(NOON, &[&command]).output().unwrap().status.success());
    assert_eq!((home.read("runs"), home.files("").len(), home.files("done").len()), ("x\nx\n".to_owned(), 0, 1));
}

#[test]
fn a_task_that_was_refreshed_while_it_failed_is_not_given_up() {
    for status in [65, 75] {
        let home = Home::new();
        home.queued();
        let command =
            home.script(&format!("sed -i 's/event=.*/event=SessionEnd/' .claude/queue/*.task; exit {status}"));
        home.dequeue(NOON, &[&command]).output().unwrap();
        assert_eq!((home.files("").len(), home.files("failed").len()), (1, 0), "{status}");
        assert_eq!(home.task("", "not_before").as_deref(), Some("2026-04-13T12:01:00+00:00"), "{status}");
    }
}

#[test]
fn no_outcome_makes_the_worker_spin() {
    for outcome in [r#""waiting","not_before":"2030-01-01T00:00:00Z""#, r#""done","source_size_bytes":1"#] {
        let home = Home::new();
        home.queued();
        let command = home.script(&format!("echo x >>runs; echo '{{\"type\":\"outcome\",\"result\":{outcome}}}'"));
        assert!(home.dequeue(NOON, &[&command]).timeout(Duration::from_secs(20)).output().unwrap().status.success());
        assert!(home.read("runs").lines().count() <= 2, "{outcome}");
    }
}

#[test]
fn a_hook_does_not_wait_for_whoever_sits_on_the_lock() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    home.enqueue(&transcript, NOON);
    let held = std::fs::File::options().append(true).open(home.path(".claude/queue/.lock")).unwrap();
    held.lock().unwrap();
    let begun = Instant::now();
    home.enqueue(&transcript, "2026-04-13T12:01:00Z");
    assert!(begun.elapsed() < Duration::from_secs(8));
    assert_eq!(home.files("").len(), 2);
}

#[test]
fn one_worker_at_a_time_and_the_other_goes_home() {
    let home = Home::new();
    home.queued();
    let command = home.script("touch started; while [ ! -e go ]; do sleep 0.05; done");
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| home.dequeue(NOON, &[&command]).output().unwrap());
        until("the worker never started", || home.path("started").exists());
        let other = home.dequeue(NOON, &["touch", "twice"]).arg("x").output().unwrap();
        home.write("go", "");
        assert!(other.status.success() && worker.join().unwrap().status.success());
    });
    assert!(!home.path("twice").exists());
    assert_eq!(home.files("done").len(), 1);
}

#[test]
fn no_task_is_stranded_between_the_last_look_and_the_lock() {
    let home = Home::new();
    let transcripts: Vec<PathBuf> =
        (0..60).map(|number| home.transcript(&format!("{number:08}-x"), Path::new("/src/lh"), 1)).collect();
    let records: Vec<Vec<u8>> =
        transcripts.iter().map(|path| home.tool("lh-find-session").arg(path).output().unwrap().stdout).collect();
    for pair in records.chunks(2) {
        // Each producer starts a worker, as the hooks do; whoever finds the lock held goes home.
        std::thread::scope(|scope| {
            for record in pair {
                scope.spawn(|| {
                    assert!(
                        home.tool("lh-enqueue")
                            .env("LH_NOW", NOON)
                            .write_stdin(record.clone())
                            .output()
                            .unwrap()
                            .status
                            .success()
                    );
                    assert!(home.dequeue(NOON, &["true"]).output().unwrap().status.success());
                });
            }
        });
        assert_eq!(home.files("").len(), 0);
    }
    assert_eq!(home.files("done").len(), 60);
}

#[test]
fn a_killed_worker_leaves_the_task_and_nothing_that_runs() {
    for signal in ["KILL", "TERM"] {
        let home = Home::new();
        home.queued();
        // The command ignores TERM and leaves a child behind in its group.
        let command = home.script("trap '' TERM; sleep 1000 & echo $! >child; echo $$ >own; wait; sleep 1000");
        let tool = home.tool("lh-dequeue").get_program().to_owned();
        let mut worker = std::process::Command::new(tool);
        worker
            .env_clear()
            .env("HOME", home.path(""))
            .env("PATH", "/usr/bin:/bin")
            .env("LH_NOW", NOON)
            .current_dir(home.path(""));
        let mut worker = worker.args(["--", &command]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("the command never started", || home.read("own").ends_with('\n'));
        let kill = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("kill -s {signal} {}", worker.id()))
            .status()
            .unwrap();
        assert!(kill.success());
        worker.wait().unwrap();
        for name in ["own", "child"] {
            let status = PathBuf::from(format!("/proc/{}/stat", home.read(name).trim()));
            // A zombie that nobody has waited for yet runs no more.
            until("a process outlived the worker", || {
                std::fs::read_to_string(&status)
                    .map_or(true, |text| text.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
            });
        }
        assert_eq!(home.task("", "attempts").as_deref(), Some("1"));
        assert!(home.dequeue(NOON, &["true"]).output().unwrap().status.success());
        assert_eq!((home.files("").len(), home.files("done").len()), (0, 1));
    }
}

#[test]
fn rubbish_in_the_queue_stops_nobody() {
    let home = Home::new();
    home.queued();
    std::fs::create_dir_all(home.path(".claude/queue/0-folder.task")).unwrap();
    home.write(".claude/queue/0-empty.task", "");
    home.write(".claude/queue/0-binary.task", "\u{0}\u{1}=\n");
    home.write(".claude/queue/.lh-x.task", "a temporary file");
    let output = home.dequeue(NOON, &["true"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(home.path(".claude/queue/done/1776081600-aaaaaaaa.task").exists());
    assert!(
        home.path(".claude/queue/failed/0-empty.task").exists()
            && home.path(".claude/queue/failed/0-binary.task").exists()
    );
}

#[test]
fn a_clock_that_was_set_back_keeps_no_task_waiting() {
    let home = Home::new();
    home.queued();
    home.dequeue("2027-04-13T12:00:00Z", &["false"]).output().unwrap();
    assert_eq!(home.task("", "attempts").as_deref(), Some("1"));
    home.dequeue(NOON, &["true"]).output().unwrap();
    assert_eq!(home.files("done").len(), 1);
}

#[test]
fn what_the_predecessor_did_counts_as_processed() {
    let home = Home::enabled("");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let done = format!(
        "cwd=/src/lh\nsession_jsonl={}\nsession_id=aaaaaaaa-1\nmemory_dir=/x\ntimestamp={}\n",
        transcript.display(),
        jiff::Timestamp::now()
    );
    home.write(".claude/queue/done/1700000000-aaaaaaaa.task", &done);
    home.enqueue(&transcript, &jiff::Timestamp::now().to_string());
    let gate = |kind: &str| {
        let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
        let record = String::from_utf8(found).unwrap().replace("\"session\"", &format!("\"{kind}\""));
        home.tool("lh-gate").arg("-v").write_stdin(record).output().unwrap()
    };
    home.tool("lh-dequeue").args(["--", "false"]).output().unwrap();
    let output = gate("task");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(": already_processed: "));
    assert_eq!(gate("session").status.code(), Some(0));
}

/// A session's id, the hour at which it was queued and the day on which its transcript changed.
type Queued = (&'static str, u32, u64);

/// The memory grows in the order of what happened, however the sessions came into the queue.
#[test]
fn the_older_session_is_worked_on_first() {
    let table: &[(&[Queued], &str)] = &[
        (&[("aaaaaaaa-1", 12, 30), ("bbbbbbbb-2", 12, 20), ("cccccccc-3", 12, 10)], "cba"),
        (&[("aaaaaaaa-1", 12, 20), ("cccccccc-3", 12, 10), ("bbbbbbbb-2", 12, 30)], "cab"),
        // Queued newest first, as the sweep does.
        (&[("aaaaaaaa-1", 12, 30), ("bbbbbbbb-2", 13, 20), ("cccccccc-3", 14, 10)], "cba"),
        // Where the sessions are of one time: in the order in which they were queued.
        (&[("cccccccc-3", 12, 10), ("aaaaaaaa-1", 13, 10), ("bbbbbbbb-2", 14, 10)], "cab"),
        // Without a transcript nothing is known of its time.
        (&[("aaaaaaaa-1", 12, 10), ("bbbbbbbb-2", 12, 0)], "ba"),
    ];
    for (sessions, order) in table {
        let home = Home::new();
        for (id, hour, day) in *sessions {
            let transcript = home.transcript(id, Path::new("/src/lh"), 2);
            let then = std::time::UNIX_EPOCH + Duration::from_secs(1_775_000_000 + day * 86_400);
            std::fs::File::options().write(true).open(&transcript).unwrap().set_modified(then).unwrap();
            home.enqueue(&transcript, &format!("2026-04-13T{hour}:00:00Z"));
            if *day == 0 {
                std::fs::remove_file(transcript).unwrap();
            }
        }
        let listed = home.tool("lh-dequeue").env("LH_NOW", "2026-05-13T12:00:00Z").arg("--list").output().unwrap();
        let started = home.dequeue("2026-05-13T12:00:00Z", &["cat"]).output().unwrap();
        for output in [listed, started] {
            let lines = String::from_utf8(output.stdout).unwrap();
            let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let ids: String = records.map(|record| record["session_id"].as_str().unwrap()[..1].to_owned()).collect();
            assert_eq!(ids, *order, "{sessions:?}");
        }
    }
}

#[test]
fn a_task_is_waited_for_until_it_is_done() {
    let home = Home::new();
    let wait = |id: &str| home.tool("lh-dequeue").args(["--wait", id]).output().unwrap();
    assert_eq!(wait("aaaaaaaa").status.code(), Some(1), "there is none");
    home.queued();
    let begun = std::time::Instant::now();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| wait("aaaaaaaa"));
        home.dequeue(NOON, &["sleep", "1"]).output().unwrap();
        assert_eq!(waits.join().unwrap().status.code(), Some(0));
    });
    assert!(begun.elapsed().as_secs_f32() >= 1.0, "not before it is done");
    assert_eq!(wait("aaaaaaaa-1").status.code(), Some(0), "done already");
    let other = Home::new();
    other.queued();
    other.dequeue(NOON, &["sh", "-c", "exit 65"]).output().unwrap();
    let output = other.tool("lh-dequeue").args(["--wait", "aaaaaaaa"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("was given up"));
}

#[test]
fn tasks_are_listed_and_given_up_ones_put_back() {
    let home = Home::new();
    assert_eq!(home.tool("lh-dequeue").arg("--list").output().unwrap().status.code(), Some(1));
    home.queued();
    home.dequeue(NOON, &["sh", "-c", "exit 65"]).output().unwrap();
    let list = || {
        let output = home.tool("lh-dequeue").env("LH_NOW", NOON).arg("--list").output().unwrap();
        let records: Vec<Value> =
            String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        records.iter().map(|record| record["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(), ["failed"]);
    assert_eq!(home.tool("lh-dequeue").args(["--retry", "nobody"]).output().unwrap().status.code(), Some(1));
    assert!(home.tool("lh-dequeue").args(["--retry", "aaaaaaaa"]).output().unwrap().status.success());
    assert_eq!((list(), home.task("", "attempts")), (vec!["due".to_owned()], None));
    home.dequeue(NOON, &["false"]).output().unwrap();
    assert_eq!(list(), ["waiting"]);
    assert!(home.tool("lh-dequeue").args(["--retry", "aaaaaaaa-1"]).output().unwrap().status.success());
    assert_eq!((list(), home.task("", "attempts")), (vec!["due".to_owned()], None));
    for all in [&["--all-failed"][..], &["--retry", "--all-failed"], &["--retry=--all-failed"]] {
        home.dequeue("2026-04-13T13:00:00Z", &["sh", "-c", "exit 65"]).output().unwrap();
        assert_eq!(list(), ["failed"]);
        assert!(home.tool("lh-dequeue").args(all).output().unwrap().status.success());
        assert_eq!(list(), ["due"]);
    }
}

#[test]
fn nothing_runs_in_the_background_of_a_loop_that_is_off() {
    let home = Home::new();
    home.queued();
    assert!(home.tool("lh-dequeue").args(["--enabled", "--", "touch", "ran"]).output().unwrap().status.success());
    assert!(!home.path("ran").exists());
    assert_eq!(home.tool("lh-dequeue").output().unwrap().status.code(), Some(64));
}

/// Two clocks, an hour apart.
fn clock_of(number: usize) -> &'static str {
    if number.is_multiple_of(2) { NOON } else { "2026-04-13T13:00:00Z" }
}

#[test]
fn a_thousand_tasks_of_64_producers_are_each_done_once_by_8_workers() {
    const TASKS: usize = 1000;
    let _alone = CROWD.lock();
    let home = Home::new();
    let sessions: Vec<String> = (0..TASKS)
        .map(|number| {
            let path = home.transcript(&format!("{number:08}-x"), Path::new("/src/lh"), 1);
            let record = serde_json::json!({"type": "session", "session_id": format!("{number:08}-x"), "transcript": path,
                "cwd": "/src/lh", "memory_dir": home.path(".claude/projects/-src-lh/memory"), "agent_home": home.path(".claude")});
            // Old enough that nobody waits for it to be quiet.
            let file = std::fs::File::options().append(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
            format!("{record}\n")
        })
        .collect();
    // One write a line: no line of two commands is ever mixed unless we mix it.
    let command = home.script("read -r line; echo \"$line\" >>\"$HOME/ran\"");
    let left = std::sync::atomic::AtomicUsize::new(64);
    std::thread::scope(|scope| {
        for producer in 0..64 {
            let (home, left, sessions) = (&home, &left, &sessions);
            scope.spawn(move || {
                // Each queues its own, and every second one of its neighbour's too.
                let own = sessions.iter().skip(producer).step_by(64);
                let twice = sessions.iter().skip((producer + 1) % 64).step_by(128);
                for batch in own.chain(twice).collect::<Vec<_>>().chunks(8) {
                    let input: String = batch.iter().map(|line| line.as_str()).collect();
                    let mut tool = home.tool("lh-enqueue");
                    let output = tool.env("LH_NOW", clock_of(producer)).write_stdin(input).output().unwrap();
                    assert!(output.status.success(), "{output:?}");
                }
                left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            });
        }
        for worker in 0..8 {
            let (home, left, command) = (&home, &left, command.as_str());
            scope.spawn(move || {
                loop {
                    let over = left.load(std::sync::atomic::Ordering::SeqCst) == 0;
                    let output = home.dequeue(clock_of(worker), &[command]).output().unwrap();
                    assert!(output.status.success(), "{output:?}");
                    if over {
                        return;
                    }
                }
            });
        }
    });
    assert!(home.dequeue(NOON, &[&command]).output().unwrap().status.success());
    let mut ran: Vec<String> = home
        .read("ran")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["session_id"].as_str().unwrap().to_owned())
        .collect();
    ran.sort();
    let all = ran.len();
    ran.dedup();
    assert_eq!((ran.len(), home.files("").len(), home.files("failed").len()), (TASKS, 0, 0));
    // Every second one was queued twice: then it is done again, or once more when that came while it ran.
    let done = home.files("done").len();
    assert!(done >= TASKS && all >= done && all <= TASKS + TASKS / 2, "{done} filed, {all} ran");
    let litter: Vec<_> = std::fs::read_dir(home.path(".claude/queue/work")).unwrap().collect();
    assert!(litter.is_empty(), "{litter:?}");
}

#[test]
fn a_sync_client_that_touches_the_queue_loses_nothing() {
    let home = Home::new();
    let folder = home.path(".claude/queue");
    std::fs::create_dir_all(&folder).unwrap();
    let command = home.script("cat >>\"$HOME/ran\"");
    std::thread::scope(|scope| {
        // Ends with this sender, however that ends.
        let (_going, ended) = std::sync::mpsc::channel::<()>();
        let (home, folder) = (&home, &folder);
        scope.spawn(move || {
            let mut round = 0;
            while ended.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                round += 1;
                std::fs::write(folder.join(format!(".sync-{round}.tmp")), "half a fi").unwrap();
                std::fs::write(folder.join(format!("{round} (conflict).txt")), "x").unwrap();
                // It moves a task to another name under us, once.
                for path in home.files("") {
                    let name = path.file_name().unwrap().to_str().unwrap();
                    if !name.contains("-moved") {
                        let _ = std::fs::rename(&path, folder.join(name.replace(".task", "-moved.task")));
                    }
                }
                let _ = std::fs::remove_file(folder.join(format!(".sync-{}.tmp", round - 1)));
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        for number in 0..40 {
            let path = home.transcript(&format!("{number:08}-x"), Path::new("/src/lh"), 1);
            home.enqueue(&path, NOON);
            let output = home.dequeue(NOON, &[&command]).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
    });
    until("the queue never emptied", || {
        assert!(home.dequeue(NOON, &[&command]).output().unwrap().status.success());
        home.files("").is_empty()
    });
    let ran = home.read("ran");
    for number in 0..40 {
        assert!(ran.contains(&format!("\"session_id\":\"{number:08}-x\"")), "{number} was lost");
    }
    assert!(home.files("failed").is_empty());
}

#[test]
fn a_worker_that_slept_for_a_day_goes_on_and_nobody_works_beside_it() {
    let home = Home::new();
    home.queued();
    let command = home.script("touch started; while [ ! -e go ]; do sleep 0.05; done; cat >>\"$HOME/ran\"");
    let mut worker = std::process::Command::new(crate::home::binary("lh-dequeue"));
    worker
        .env_clear()
        .envs([("HOME", home.path("")), ("LH_BIN", crate::home::binary("lh-gate").parent().unwrap().into())]);
    worker.env("PATH", "/usr/bin:/bin").env("LH_NOW", NOON).current_dir(home.path("")).args(["--", &command]);
    let mut worker = worker.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    until("the worker never started", || home.path("started").exists());
    let signal = |name: &str| {
        let status = std::process::Command::new("sh").args(["-c", &format!("kill -{name} {}", worker.id())]).status();
        assert!(status.unwrap().success());
    };
    signal("STOP");
    let other = home.transcript("bbbbbbbb-1", Path::new("/src/lh"), 2);
    home.enqueue(&other, "2026-04-14T12:00:00Z");
    let beside = home.dequeue("2026-04-14T12:00:00Z", &[&command]).output().unwrap();
    assert!(beside.status.success() && home.read("ran").is_empty(), "{beside:?}");
    home.write("go", "");
    signal("CONT");
    assert!(worker.wait().unwrap().success());
    assert_eq!((home.files("").len(), home.files("done").len(), home.read("ran").lines().count()), (0, 2, 2));
}

#[test]
fn a_clock_that_is_set_back_a_year_keeps_nothing_waiting() {
    let home = Home::enabled("");
    let ahead = "2027-04-13T12:00:00Z";
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    home.enqueue(&transcript, ahead);
    assert!(home.dequeue(ahead, &["false"]).output().unwrap().status.success());
    assert!(home.task("", "not_before").unwrap().starts_with("2027-"));
    assert!(home.dequeue(NOON, &["true"]).output().unwrap().status.success());
    assert_eq!(home.files("done").len(), 1, "it was due at once");
    // Nor does a gate stay closed, nor the first hook's time a year ahead.
    let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    std::fs::OpenOptions::new()
        .append(true)
        .open(&transcript)
        .unwrap()
        .set_modified(std::time::SystemTime::now() + Duration::from_secs(200))
        .unwrap();
    let gate = home.tool("lh-gate").env("LH_NOW", NOON).args(["--queue", "-v"]).write_stdin(found).output().unwrap();
    assert!(gate.status.success(), "{gate:?}");
    assert!(home.read(".claude/queue/.since").starts_with("2027-"));
    home.enqueue(&transcript, NOON);
    assert_eq!(home.read(".claude/queue/.since"), "2026-04-13T12:00:00+00:00\n");
}

#[test]
fn a_file_system_without_locks_is_refused_in_so_many_words() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    home.write("session", &String::from_utf8(found).unwrap());
    let mut strace = std::process::Command::new("strace");
    strace.args(["-o", "/dev/null", "-e", "inject=flock:error=EOPNOTSUPP"]).arg(crate::home::binary("lh-enqueue"));
    strace.env_clear().env("HOME", home.path("")).env("PATH", "/usr/bin:/bin").current_dir(home.path(""));
    let Ok(output) = strace.stdin(std::fs::File::open(home.path("session")).unwrap()).output() else {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "skipped: strace is not here");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.starts_with("strace:") {
        return;
    }
    assert_eq!((output.status.code(), home.files("").len()), (Some(74), 0), "{said}");
    assert!(said.contains("this file system has no locks (flock); keep the agent's home on one that has"), "{said}");
}

#[test]
fn a_retry_of_a_task_that_is_due_finds_it_and_changes_nothing() {
    let home = Home::enabled("");
    home.queued();
    for attempts in ["", "attempts=1\n"] {
        let path = home.files("").remove(0);
        let text = std::fs::read_to_string(&path).unwrap() + attempts;
        std::fs::write(&path, &text).unwrap();
        for which in ["aaaaaaaa", "aaaaaaaa-1", "1776081600-aaaaaaaa.task"] {
            let output = home.tool("lh-dequeue").env("LH_NOW", NOON).args(["--retry", which]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), &*said), (Some(0), ""), "{which}");
            let record: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(record["session_id"], "aaaaaaaa-1");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{which}");
        }
    }
    let other = home.tool("lh-dequeue").args(["--retry", "bbbbbbbb"]).output().unwrap();
    assert_eq!(other.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&other.stderr), "lh-dequeue: no such task waits or was given up; see --list\n");
}
