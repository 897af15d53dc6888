//! Whatever makes a folder or a file below the agent's home makes it nobody else's, whatever the umask is, and
//! when it is killed half-way, too.

use crate::home::{Home, binary};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What others can read below a folder.
fn open(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            found.push(format!("{} {mode:o}", entry.path().display()));
        }
        if entry.path().is_dir() {
            found.extend(open(&entry.path()));
        }
    }
    found
}

/// A command line of the shell, run with a session record; those with "started" are killed when that is there.
const ROWS: &[(&str, &str)] = &[
    ("lh-enqueue <session", "queue"),
    ("lh-enqueue <session >/dev/null; lh-dequeue -- cat", "queue/state"),
    ("lh-enqueue <session >/dev/null; lh-dequeue -- sh -c 'cat; kill -9 $PPID'", "queue/work"),
    ("lh-distill -e extract <session", "queue/work"),
    ("lh-distill -e command <session & echo $! >pid; wait # started KILL", "queue/work/by-hand-"),
    ("lh-distill -e command <session & echo $! >pid; wait # started TERM", "queue/work/by-hand-"),
    ("lh-distill -e command <session & echo $! >pid; wait # started HUP", "queue/work/by-hand-"),
    ("lh-distill -e extract <session | lh-persist", "projects/-src-app/memory"),
    ("LH_NOW=2026-04-14T00:00:00Z lh-episode <session", "projects/-src-app/memory"),
    ("lh-export -f <session", "projects/-src-app/memory/.state"),
    ("lh-weekly", "queue"),
    ("echo '{\"cwd\": \"/src/app\"}' | LH_BIN=/nowhere lh-hook-session-start", "logs"),
    ("lh-hook-session-end <payload", "logs"),
    ("lh-hook-pre-compact <payload", "logs"),
    ("lh-detach -o \"$HOME/.claude/logs/x.log\" -- true", "logs"),
    ("LH_LOG=\"$HOME/.claude/logs/x.log\" lh-gate --wrong", "logs"),
];

fn run(home: &Home, command: &str) {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let tools = binary("lh-gate").parent().unwrap().to_path_buf();
    let path = format!("{}:{}:{}:/usr/bin:/bin", home.path("bin").display(), tools.display(), scripts.display());
    let mut shell = std::process::Command::new("sh");
    shell
        .env_clear()
        .envs([("PATH", &*path), ("TZ", "UTC")])
        .env("HOME", home.path(""))
        .env("TMPDIR", home.path("tmp"));
    shell.args(["-c", &format!("umask 0; {command}")]).current_dir(home.path(""));
    let mut child = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    if let Some((_, signal)) = command.split_once("# started ") {
        let begun = Instant::now();
        while !home.path("started").exists() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{command}");
            std::thread::sleep(Duration::from_millis(2));
        }
        let pid = home.read("pid");
        assert!(std::process::Command::new("kill").args(["-s", signal, pid.trim()]).status().unwrap().success());
    }
    child.wait().unwrap();
}

#[test]
fn nothing_that_is_made_is_anybody_elses() {
    for (command, made) in ROWS {
        let model = "#!/bin/sh\n: >\"$HOME/started\"\nexec sleep 100\n";
        let home = Home::enabled("min_user_chars = 1\nengine = \"extract\"\ncommand = \"model\"");
        for (name, text) in [("bin/model", model), ("bin/qmd", "#!/bin/sh\nexit 0\n")] {
            let program: PathBuf = home.write(name, text);
            fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::create_dir(home.path("tmp")).unwrap();
        let id = "11111111-1111-4111-8111-111111111111";
        let transcript = home.transcript(id, "/src/app".as_ref(), 4);
        let project = transcript.parent().unwrap().to_path_buf();
        // The client's own.
        for path in [home.path(".claude/projects"), project, transcript.clone()] {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let session = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
        fs::write(home.path("session"), session).unwrap();
        let payload = serde_json::json!({"session_id": id, "transcript_path": transcript, "cwd": "/src/app"});
        home.write("payload", &payload.to_string());
        run(&home, command);
        let (folder, name) = made.rsplit_once('/').unwrap_or(("", made));
        let names = || fs::read_dir(home.path(".claude").join(folder)).into_iter().flatten().flatten();
        let is_made = names().any(|entry| entry.file_name().to_string_lossy().starts_with(name));
        // A tool that is asked to end can have taken its folder away; one that is killed cannot.
        let may_be_gone = command.ends_with("# started TERM") || command.ends_with("# started HUP");
        assert!(is_made || may_be_gone, "{command}: {made} was not made");
        assert_eq!(open(&home.path(".claude")), Vec::<String>::new(), "{command}");
    }
}
