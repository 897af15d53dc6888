//! The hooks under every limit that a script can survive: they end with 0 and print nothing but a result.

use crate::home::{Home, binary};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const HOOKS: &[&str] = &["lh-hook-session-start", "lh-hook-pre-compact", "lh-hook-stop", "lh-hook-session-end"];

/// What is done before a hook runs, as its parent does it. `$HOOK` is the hook's command.
const LIMITS: &[(&str, &str)] = &[
    ("none", "exec $HOOK"),
    ("12 open files", "ulimit -n 12; exec $HOOK"),
    ("16 open files", "ulimit -n 16; exec $HOOK"),
    ("no file may grow", "ulimit -f 0; exec $HOOK"),
    ("files of one block", "ulimit -f 1; exec $HOOK"),
    ("little memory", "ulimit -v 20000; exec $HOOK"),
    ("less memory", "ulimit -v 6000; exec $HOOK"),
    ("a small stack", "ulimit -s 100; exec $HOOK"),
    ("nothing may be locked", "ulimit -l 0; exec $HOOK"),
    ("no core", "ulimit -c 0; exec $HOOK"),
    ("one second", "ulimit -t 1; exec $HOOK"),
    ("no input", "exec $HOOK <&-"),
    ("no output", "exec $HOOK >&-"),
    ("no errors", "exec $HOOK 2>&-"),
    ("nothing open", "exec $HOOK <&- >&- 2>&-"),
    ("a full disk for what is printed", "exec $HOOK >/dev/full"),
    ("a full disk for errors", "exec $HOOK 2>/dev/full"),
    ("a folder as input", "exec $HOOK </"),
    ("an input that cannot be read", "exec $HOOK 0>/dev/null"),
    ("no PATH", "unset PATH; exec $HOOK"),
    ("an empty PATH", "PATH=; exec $HOOK"),
    ("no HOME", "unset HOME; exec $HOOK"),
    ("no HOME and no input", "unset HOME; exec $HOOK <&-"),
    ("a home that is not there", "HOME=/nonexistent/x; exec $HOOK"),
    ("a home that cannot be written", "HOME=/proc; exec $HOOK"),
    ("a home that is a file", "HOME=/etc/passwd; exec $HOOK"),
    ("a device as the agent's home", "CLAUDE_CONFIG_DIR=/dev/null; export CLAUDE_CONFIG_DIR; exec $HOOK"),
    ("a folder that is gone", "mkdir gone; cd gone; rmdir ../gone; exec $HOOK"),
    ("a mask that takes all rights", "umask 777; exec $HOOK"),
    ("broken pipes ignored", "trap '' PIPE; exec $HOOK"),
    ("signals ignored", "trap '' HUP INT TERM; exec $HOOK"),
    ("no folder for temporary files", "TMPDIR=/nonexistent; export TMPDIR; exec $HOOK"),
    ("a large environment", "X=$(head -c 100000 /dev/zero | tr '\\0' x); export X; exec $HOOK"),
    ("tools that are not there", "LH_BIN=/nonexistent; export LH_BIN; exec $HOOK"),
    ("an odd log", "LH_LOG=/dev/full; export LH_LOG; exec $HOOK"),
];

/// Limits under which the shell cannot open a script, or not even start: lh(7) names them. What lh-setup
/// registers ends with 0 where the client's own shell runs.
const UNSURVIVED: &[(&str, &str)] = &[
    ("4 open files", "ulimit -n 4; $HOOK || :"),
    ("5 open files", "ulimit -n 5; $HOOK || :"),
    ("10 open files", "ulimit -n 10; $HOOK || :"),
    ("11 open files", "ulimit -n 11; $HOOK || :"),
    ("a script that is not there", "$HOOK.gone || :"),
    ("no memory of its own for the script", "( ulimit -d 0; exec $HOOK ) || :"),
    ("no time for the script", "( ulimit -t 0; exec $HOOK ) || :"),
];

fn shells() -> Vec<&'static str> {
    let all = ["/bin/dash", "/bin/bash", "/bin/sh"];
    let mut known = std::collections::BTreeSet::new();
    all.into_iter().filter(|shell| std::fs::canonicalize(shell).is_ok_and(|real| known.insert(real))).collect()
}

/// Runs a hook as a client does, by a shell of its own; killed after a minute.
fn run(home: &Home, shell: &str, hook: &str, before: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(hook);
    let mut command = Command::new("/usr/bin/timeout");
    command.args(["60", "/bin/sh", "-c", before]).env_clear();
    command.env("HOME", home.path("")).env("PATH", "/usr/bin:/bin").env("LH_BIN", binary("lh-gate").parent().unwrap());
    command.env("HOOK", format!("{shell} {}", script.display())).current_dir(home.path(""));
    let payload = std::fs::File::open(home.write("payload", r#"{"hook_event_name":"x","cwd":"/src/x"}"#)).unwrap();
    command.stdin(payload).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn a_hook_ends_with_0_under_every_limit_that_a_script_survives() {
    for (what, before) in LIMITS.iter().chain(UNSURVIVED) {
        for shell in shells() {
            for hook in HOOKS {
                let home = Home::enabled("");
                let output = run(&home, shell, hook, before);
                let said = String::from_utf8_lossy(&output.stdout);
                let wrong = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(0), "{shell} {hook}: {what}: {wrong}");
                let result = *hook == "lh-hook-session-start" && said.starts_with('{') && said.ends_with("}\n");
                assert!(said.is_empty() || result, "{shell} {hook}: {what}: {said}");
            }
        }
    }
}
