//! lh-detach: a session of its own, and a guard.

use crate::home::{Home, binary};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_command_gets_a_session_no_input_and_a_log() {
    let home = Home::new();
    let script = "readlink /proc/self/fd/0; echo \"${CLAUDECODE-unset}\"; cut -d' ' -f1,6 /proc/$$/stat; echo oops >&2; echo end";
    let output = home
        .tool("lh-detach")
        .env("CLAUDECODE", "1")
        .args(["-o", "logs/x.log", "--", "sh", "-c", script])
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    until("the command never ended", || home.read("logs/x.log").ends_with("end\n"));
    let log = home.read("logs/x.log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[..2], ["/dev/null", "unset"]);
    let (pid, session) = lines[2].split_once(' ').unwrap();
    assert_eq!(pid, session, "the command leads its session");
    assert_eq!(lines[3..], ["oops", "end"]);
    // The leader of a process group cannot open a session, but it can have it done.
    let mut leader = Command::new(binary("lh-detach"));
    leader
        .env_clear()
        .env("HOME", home.path(""))
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home.path(""))
        .process_group(0);
    assert!(leader.args(["-o", "y.log", "--", "sh", "-c", script]).status().unwrap().success());
    until("the leader's command never ended", || home.read("y.log").ends_with("end\n"));
}

#[test]
fn a_large_log_is_put_aside() {
    let home = Home::new();
    home.write("x.log", &"x".repeat((1 << 20) + 1));
    home.tool("lh-detach").args(["-o", "x.log", "--", "echo", "new"]).assert().success();
    until("the log was not written", || home.read("x.log") == "new\n");
    assert_eq!(home.read("x.log.1").len(), (1 << 20) + 1);
}

#[test]
fn a_missing_command_is_69_and_no_command_64() {
    let home = Home::new();
    let output = home.tool("lh-detach").args(["--", "no-such-program"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(69));
    assert!(said.starts_with("lh-detach: no program 'no-such-program': expected a program on PATH"), "{said}");
    assert_eq!(home.tool("lh-detach").output().unwrap().status.code(), Some(64));
    assert_eq!(home.tool("lh-detach").args(["--guard", "99", "--", "true"]).output().unwrap().status.code(), Some(64));
}

#[test]
fn a_guard_ends_as_its_command_ends() {
    let home = Home::new();
    for (script, status) in [("exit 7", 7), ("exit 0", 0), ("kill -9 $$", 137)] {
        let mut guard = Command::new(binary("lh-detach"));
        guard.env_clear().env("PATH", "/usr/bin:/bin").current_dir(home.path(""));
        // Standard input serves as the pipe that ends with the parent.
        let mut child = guard.args(["--guard=0", "--", "sh", "-c", script]).stdin(Stdio::piped()).spawn().unwrap();
        let life = child.stdin.take();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{script}");
        drop(life);
    }
}

#[test]
fn a_command_with_a_lock_runs_alone_and_holds_it_to_its_end() {
    let home = Home::new();
    let detach =
        |arguments: &[&str]| home.tool("lh-detach").args(["--lock", "one.lock", "--"]).args(arguments).output();
    // What the command leaves running holds the lock too.
    let script = "(while [ -e wait ]; do :; done) & echo";
    home.write("wait", "");
    assert!(detach(&["sh", "-c", script]).unwrap().status.success());
    let busy = detach(&["touch", "ran"]).unwrap();
    assert_eq!(busy.status.code(), Some(75), "{busy:?}");
    assert!(String::from_utf8_lossy(&busy.stderr).ends_with("one.lock: held by another process\n"));
    std::fs::remove_file(home.path("wait")).unwrap();
    until("the lock was never let go", || detach(&["touch", "ran"]).unwrap().status.success());
    assert!(home.path("ran").exists());
}
