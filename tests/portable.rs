//! The scripts need only what POSIX names: they run with stand-ins that refuse what GNU's programs have
//! beside it, as far as it is listed here, and with busybox. The loop
//! of hook, queue, worker and start, and an installation and its end, see no other program.

use crate::home::{Home, binary};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// What the scripts call, beside our tools.
const PROGRAMS: &[&str] = &[
    "awk", "cat", "chmod", "cmp", "comm", "cp", "cut", "date", "dirname", "find", "grep", "head", "ln", "mkdir",
    "mktemp", "mv", "readlink", "rm", "rmdir", "sed", "sh", "sleep", "sort", "tail", "tr", "uname", "wc", "xargs",
];

/// A stand-in: an option that POSIX does not name, or one that means another thing to BSD, ends it. mktemp and readlink
/// are in POSIX since 2024, and everywhere.
const STAND_IN: &str = r#"#!/bin/sh
name=${0##*/}
for word; do
	case $name:$word in
	*:--) break ;;
	*:--?* | sed:-[irsz]* | grep:-*[PoUZ]* | date:-[!u]* | mktemp:-[!d]* | sort:-*[VhRz]* | xargs:-[rdP]* | head:-c* | \
		find:-printf | find:-regex* | find:-quit | find:-m*depth | cp:-*[aTu]* | ln:-*[rTn]* | readlink:-* | wc:-L)
		echo "$name $word: not in POSIX" >&2
		exit 99
		;;
	esac
done
[ "$name" != sed ] || set -- --posix "$@"
"#;

fn with_stand_ins(home: &Home) {
    std::fs::create_dir_all(home.path("path")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", home.path("path/sh")).unwrap();
    for name in PROGRAMS.iter().filter(|name| **name != "sh") {
        let real = ["/usr/bin", "/bin"].map(|folder| format!("{folder}/{name}"));
        let real = real.iter().find(|path| Path::new(path).exists()).unwrap();
        let path = home.write(&format!("path/{name}"), &format!("{STAND_IN}exec {real} \"$@\"\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn with_busybox(home: &Home) -> bool {
    let Some(busybox) = ["/bin/busybox", "/usr/bin/busybox"].into_iter().find(|path| Path::new(path).exists()) else {
        let _ = writeln!(std::io::stderr(), "skipped: there is no busybox");
        return false;
    };
    std::fs::create_dir_all(home.path("path")).unwrap();
    for name in PROGRAMS {
        std::os::unix::fs::symlink(busybox, home.path(&format!("path/{name}"))).unwrap();
    }
    true
}

/// Runs a script of ours by the shell that is there.
fn run(home: &Home, script: &str, arguments: &[&str]) -> Output {
    let tools = binary("lh-gate").parent().unwrap().to_path_buf();
    std::fs::create_dir_all(home.path("tmp")).unwrap();
    let mut command = Command::new(home.path("path/sh"));
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script)).args(arguments);
    command.env_clear().env("PATH", home.path("path")).env("HOME", home.path("home")).env("TMPDIR", home.path("tmp"));
    command
        .env("POSIXLY_CORRECT", "1")
        .env("PREFIX", home.path("prefix"))
        .env("LH_TOOLS", &tools)
        .env("LH_BIN", &tools);
    let output = command.current_dir(home.path("")).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{script} {arguments:?}: {output:?}");
    output
}

fn the_loop_and_an_installation_work(home: &Home) {
    let shown = String::from_utf8(run(home, "quickstart", &[]).stdout).unwrap();
    for wanted in [".task: done", "One queue a host, four hosts at a time", "/decisions.jsonl\n"] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    run(home, "install", &[]);
    assert!(home.path("prefix/bin/lh-hook-stop").exists());
    run(home, "install", &["--uninstall"]);
    assert!(!home.path("prefix").exists());
}

#[test]
fn the_scripts_run_with_what_posix_names() {
    let home = Home::new();
    with_stand_ins(&home);
    // A stand-in that lets all pass would prove nothing.
    for wrong in [&["sed", "-i", "s/a/b/", "x"][..], &["date", "-d", "now"], &["grep", "--quiet", "x"]] {
        let output = Command::new(home.path("path").join(wrong[0])).args(&wrong[1..]).output().unwrap();
        assert_eq!(output.status.code(), Some(99), "{wrong:?}");
    }
    the_loop_and_an_installation_work(&home);
}

#[test]
fn the_scripts_run_with_busybox() {
    let home = Home::new();
    if with_busybox(&home) {
        the_loop_and_an_installation_work(&home);
    }
}
