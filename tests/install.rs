//! scripts/install, the command lh and the completions, run from an installation in a folder with blanks.

use crate::home::{Home, binary, copy_tool, line, tools};
use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name)
}

fn tool_folder() -> PathBuf {
    binary("lh-gate").parent().unwrap().to_path_buf()
}

/// A program with nothing of ours around it.
fn plain(home: &Home, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", PATH).env("HOME", home.path("")).env("TZ", "UTC").current_dir(home.path(""));
    command.stdin(Stdio::null());
    command
}

fn prefix(home: &Home) -> PathBuf {
    home.path("a b/local")
}

fn install(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = plain(home, &script("install"));
    command.env("PREFIX", prefix(home)).env("LH_TOOLS", tool_folder()).env("TMPDIR", home.path("tmp"));
    std::fs::create_dir_all(home.path("tmp")).unwrap();
    let output = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
    assert_eq!(std::fs::read_dir(home.path("tmp")).unwrap().count(), 0, "something was left in TMPDIR");
    output
}

/// What a command that went well printed.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Every file below a folder, by its path there.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found
}

fn manifest(home: &Home) -> String {
    std::fs::read_to_string(prefix(home).join("share/lh/manifest")).unwrap()
}

fn executable(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_installed_runs_and_goes_without_a_trace() {
    let home = Home::enabled("engine = \"extract\"");
    let dry = install(&home, &["-n"], &[]);
    assert!(dry.status.success() && !prefix(&home).exists(), "{dry:?}");
    let first = install(&home, &[], &[]);
    assert!(first.status.success() && first.stderr.is_empty(), "{first:?}");
    let (said, planned) = (String::from_utf8_lossy(&first.stdout), String::from_utf8_lossy(&dry.stdout));
    assert!(said.contains("is not on PATH") && said.contains(&format!("{} tools, ", tools().len())), "{said}");
    let there = files(&prefix(&home));
    for path in &there {
        assert!(planned.contains(&format!("would install {}/{path}\n", prefix(&home).display())), "{path}: {planned}");
        let mode = prefix(&home).join(path).metadata().unwrap().permissions().mode() & 0o777;
        let is_program = path.starts_with("bin/") && path != "bin/lh-preamble" || path == "share/lh/install";
        assert_eq!(mode, if is_program { 0o755 } else { 0o644 }, "{path}");
    }
    let before = manifest(&home);
    let named: BTreeSet<String> = before.lines().filter_map(|line| Some(line.strip_prefix("file ")?.into())).collect();
    assert_eq!(named, there);

    everything_runs(&home);
    // What a person put there stays; what an older installation had goes.
    std::fs::write(prefix(&home).join("share/man/man1/own.1"), "mine").unwrap();
    std::fs::write(prefix(&home).join("bin/lh-old"), "old").unwrap();
    std::fs::write(prefix(&home).join("share/lh/manifest"), format!("file bin/lh-old\n{before}")).unwrap();
    assert!(install(&home, &[], &[]).status.success());
    assert_eq!(manifest(&home), before);
    assert!(!prefix(&home).join("bin/lh-old").exists());

    assert!(install(&home, &["--uninstall"], &[]).status.success());
    assert_eq!(files(&home.path("a b")), BTreeSet::from(["local/share/man/man1/own.1".to_owned()]));
    assert!(!prefix(&home).join("bin").exists() && !prefix(&home).join("share/lh").exists());
    assert_eq!(install(&home, &["--uninstall"], &[]).status.code(), Some(74));
}

/// Tools, lh and hook find each other in their folder, whatever PATH is.
fn everything_runs(home: &Home) {
    let bin = prefix(home).join("bin");
    for tool in tools() {
        let said = printed(plain(home, &bin.join(&tool)).arg("--version"));
        assert!(said.starts_with(&format!("{tool} (lh) ")));
        assert_eq!(printed(plain(home, &bin.join("lh")).args([&tool["lh-".len()..], "--version"])), said);
    }
    assert!(printed(plain(home, &bin.join("lh")).arg("-V")).starts_with("lh (lh) "));
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/app"), 4);
    let payload = serde_json::json!({"transcript_path": transcript, "hook_event_name": "Stop"}).to_string();
    let mut hook = plain(home, &bin.join("lh-hook-stop")).stdin(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    assert!(hook.wait().unwrap().success());
    let log = home.read(".claude/logs/hooks.log");
    assert!(log.contains("queued") && !log.contains("not found"), "{log}");
}

#[test]
fn no_folder_that_was_made_stays_and_none_that_was_there_goes() {
    let home = Home::new();
    std::fs::create_dir(home.path("a b")).unwrap();
    assert!(install(&home, &[], &[]).status.success());
    assert!(install(&home, &["--uninstall"], &[]).status.success());
    assert_eq!(std::fs::read_dir(home.path("a b")).unwrap().count(), 0);
    // What is installed takes itself out, without a checkout and a word on where it is.
    assert!(install(&home, &[], &[]).status.success());
    let own = prefix(&home).join("share/lh/install");
    assert_eq!(plain(&home, &own).output().unwrap().status.code(), Some(64));
    let removed = printed(plain(&home, &own).arg("--uninstall"));
    assert!(removed.contains(&format!(" files from {}; ", prefix(&home).display())), "{removed}");
    assert_eq!(std::fs::read_dir(home.path("a b")).unwrap().count(), 0);
    for wrong in [&["--no-such"][..], &["here"]] {
        assert_eq!(install(&home, wrong, &[]).status.code(), Some(64));
    }
    let nowhere = install(&home, &[], &[("LH_TOOLS", "/no/such/folder")]);
    let said = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert_eq!((nowhere.status.code(), said.lines().count()), (Some(74), 1), "{said}");
    assert!(said.starts_with("install: LH_TOOLS=/no/such/folder: not a folder: "), "{said}");
    assert_eq!(install(&home, &[], &[("LH_FRONT", "../sh")]).status.code(), Some(64));
    assert_eq!(std::fs::read_dir(home.path("a b")).unwrap().count(), 0, "a failed installation left something");
}

#[test]
fn the_lh_of_another_program_is_left_alone() {
    let home = Home::new();
    // On PATH: nothing of ours is called lh.
    let other = home.path("other");
    executable(&other.join("lh"), "#!/bin/sh\necho other\n");
    let path = format!("{}:{PATH}", other.display());
    let said = install(&home, &["-n"], &[("PATH", &path)]);
    let shown = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        shown.contains("other/lh is another program: use the lh-* tools") && !shown.contains("bin/lh\n"),
        "{shown}"
    );
    // In the folder itself; another name can be had.
    let theirs = prefix(&home).join("bin/lh");
    executable(&theirs, "#!/bin/sh\necho theirs\n");
    assert!(install(&home, &[], &[("LH_FRONT", "lhx")]).status.success());
    assert!(printed(plain(&home, &prefix(&home).join("bin/lhx")).arg("-V")).starts_with("lhx (lh) "));
    assert!(prefix(&home).join("share/fish/vendor_completions.d/lhx.fish").exists());
    // Without one the lh that we had goes, and theirs stays, as it does when we go.
    let again = install(&home, &[], &[]);
    assert!(again.status.success() && String::from_utf8_lossy(&again.stdout).contains("lh is left out"));
    assert!(!prefix(&home).join("bin/lhx").exists() && !manifest(&home).contains("bin/lh\n"));
    assert!(!prefix(&home).join("share/bash-completion/completions/lh").exists());
    assert!(install(&home, &["--uninstall"], &[]).status.success());
    assert_eq!(files(&prefix(&home)), BTreeSet::from(["bin/lh".to_owned()]));
    assert_eq!(std::fs::read_to_string(theirs).unwrap(), "#!/bin/sh\necho theirs\n");
}

/// The lh of the checkout with the tools of this build, in a home of its own.
fn lh(home: &Home, arguments: &[&str]) -> Command {
    let mut command = plain(home, &binary("lh"));
    command.env("LH_BIN", script("")).env("LH_NOW", "2026-04-13T12:00:00Z").args(arguments);
    command
}

#[test]
fn lh_names_every_tool_and_script() {
    let home = Home::new();
    let short = printed(&mut lh(&home, &["help"]));
    assert_eq!(printed(&mut lh(&home, &["-h"])), short);
    assert_eq!(
        printed(&mut lh(&home, &[])),
        format!("Nothing is open here; lh ls open has what is open elsewhere.\n{short}")
    );
    let said = printed(&mut lh(&home, &["help", "all"]));
    for tool in tools() {
        let help = printed(plain(&home, &binary(&tool)).arg("--help"));
        let about = help.lines().next().unwrap().split_once(" - ").unwrap().1;
        assert!(said.contains(&format!("  {:24} {about}\n", &tool["lh-".len()..])), "{tool}: {said}");
    }
    for entry in std::fs::read_dir(script("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) = name.strip_prefix("lh-") {
            // What the client, the system or another script starts is not a command.
            let is_command = ["handoff-now", "pick", "remember"].contains(&name);
            assert_eq!(said.contains(&format!("  {name} ")), is_command, "{name}: {said}");
            let text = std::fs::read_to_string(script(&format!("lh-{name}"))).unwrap();
            let about = text.lines().nth(1).and_then(|line| line.split_once(" - ")).map_or("", |(_, about)| about);
            assert!(!is_command || said.contains(&format!("  {name:24} {about}\n")), "{name}: {about}");
        }
    }
    assert!(printed(&mut lh(&home, &["help", "sweep"])).starts_with("lh-sweep - keep where killed sessions"));
    for topic in ["gate", "lh-gate", "find-session"] {
        assert!(printed(&mut lh(&home, &["help", topic])).contains("lh-"), "{topic}");
    }
    for wrong in
        [&["nosuch"][..], &["help", "nosuch"], &["../lh-gate"], &["--nosuch"], &["status", "x"], &["knowledge"]]
    {
        let output = lh(&home, wrong).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{wrong:?}: {said}");
        assert!(said.starts_with("lh: ") && said.lines().count() == 1, "{wrong:?}: {said}");
    }
    for (wrong, said) in [
        (&["statsu"][..], "no command or tool 'statsu'; did you mean 'status'?; see lh help"),
        (&["help", "gaet"], "no command or tool 'gaet'; did you mean 'gate'?; see lh help"),
        (&["lh-handof-now"], "no command or tool 'lh-handof-now'; did you mean 'handoff-now'?; see lh help"),
        (&["x"], "no command or tool 'x'; see lh help"),
        (&["nosuch"], "no command or tool 'nosuch'; see lh help"),
        (&["re\\view"], "no command or tool 're\\view'; did you mean 'review'?; see lh help"),
    ] {
        let output = lh(&home, wrong).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("lh: {said}\n"));
    }
    assert!(!home.path(".claude").exists(), "lh made something");
}

#[test]
fn lh_says_how_things_are() {
    let home = Home::new();
    let nothing = printed(&mut lh(&home, &["status"]));
    assert!(nothing.starts_with("loop      off: "), "{nothing}");
    for wanted in ["0 due, 0 waiting, 0 failed", "0 model calls, 0.00 USD", "nothing yet", "open here: nothing"] {
        assert!(nothing.contains(wanted), "{wanted}: {nothing}");
    }
    home.write(".config/lazy-harness/config.toml", "[compound_loop]\nenabled = true\n");
    let call = |ts: &str, more: &str| format!("{{\"ts\":\"{ts}\",\"type\":\"call\",{more}}}\n");
    let ledger = [
        call("2026-04-12T23:59:59Z", "\"result\":\"ok\",\"cost_usd\":7.0"),
        call("2026-04-13T01:59:59+02:00", "\"result\":\"ok\",\"cost_usd\":7.0"),
        call("2026-04-12T23:00:00-03:00", "\"result\":\"ok\",\"cost_usd\":0.25"),
        call("2026-04-13T00:00:00Z", "\"result\":\"timeout\",\"cost_usd\":1e-1"),
        "rubbish\n".to_owned(),
    ];
    home.write(".claude/logs/llm.jsonl", &ledger.concat());
    home.write(".claude/queue/failed/1776000000-aaaaaaaa.task", "session_id=aaaaaaaa\n");
    let cwd = home.path("").canonicalize().unwrap();
    let slug: String = cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let text = line("user", "hello", &cwd, 0);
    home.write(&format!(".claude/projects/{slug}/aaaaaaaa-1.jsonl"), &text);
    let handoff = "---\nsession_id: bbbb\nwritten_at: 2026-04-13T10:00:00Z\n---\nOpen:\n- finish the page\n";
    home.write(&format!(".claude/projects/{slug}/memory/handoff.md"), handoff);
    let said = printed(&mut lh(&home, &["status"]));
    for wanted in [
        "loop      nothing is queued, the hooks are missing: run lh-setup\n",
        "2 model calls (1 failed), 0.35 USD",
        "open here 2026-04-13",
        "\n  - finish the page (",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(said.contains(" 1 failed (") || said.contains("1 damaged"), "{said}");
}

#[test]
fn the_logs_are_told_in_the_order_of_time() {
    let home = Home::new();
    assert_eq!(printed(&mut lh(&home, &["log"])), "");
    home.write(".claude/logs/hooks.log.1", "2026-04-12T23:00:00+00:00 lh-gate: one\n");
    home.write(
        ".claude/logs/hooks.log",
        "2026-04-13T10:00:00+02:00 lh-gate: three\nand its next line\n2026-04-13T09:00:00Z lh-gate: five\n",
    );
    home.write(
        ".claude/logs/compound-loop.log",
        "2026-04-13T07:59:59Z lh-dequeue: two\n2026-04-13T08:30:00Z \u{1b}[2Jfour\n",
    );
    let words = |text: &str| text.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
    let said = printed(&mut lh(&home, &["log"]));
    assert_eq!(words(&said), ["one", "two", "three", "line", "\u{fffd}[2Jfour", "five"]);
    for last in [&["2"][..], &["-n", "2"], &["-n2"]] {
        assert_eq!(words(&printed(lh(&home, &["log"]).args(last))), ["\u{fffd}[2Jfour", "five"], "{last:?}");
    }
    for bad in [&["-x"][..], &["-n"], &["-n", "x"], &["-n", ""], &["-n", "-f"]] {
        assert_eq!(lh(&home, &["log"]).args(bad).output().unwrap().status.code(), Some(64), "{bad:?}");
    }
    // What is written later follows, in a log that is not there yet too.
    std::fs::remove_file(home.path(".claude/logs/compound-loop.log")).unwrap();
    let mut follow = lh(&home, &["log", "-f", "1"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(follow.stdout.take().unwrap()));
    assert!(lines.next().unwrap().unwrap().ends_with("five"));
    let writer = {
        let log = home.path(".claude/logs/compound-loop.log");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            while std::time::Instant::now() < deadline
                && stopped.recv_timeout(std::time::Duration::from_millis(100)).is_err()
            {
                let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&log).unwrap();
                file.write_all(b"2026-04-13T09:00:01Z lh-dequeue: six\n").unwrap();
            }
        });
        (stop, thread)
    };
    let next = lines.next().unwrap().unwrap();
    follow.kill().unwrap();
    follow.wait().unwrap();
    writer.0.send(()).unwrap();
    writer.1.join().unwrap();
    assert!(next.ends_with("six"), "{next}");
}

/// The completions for a shell, of this build's tools.
fn completions(home: &Home, shell: &str) -> String {
    printed(&mut lh(home, &["completions", shell]))
}

/// The words that a help's options begin with, and its long options alone.
fn options(home: &Home, tool: &str) -> Vec<String> {
    let help = printed(plain(home, &binary(tool)).arg("--help"));
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    lines.filter_map(|line| Some(line.get(4..)?.split(' ').next()?.strip_prefix("--")?.to_owned())).collect()
}

#[test]
fn the_completions_name_every_option() {
    let home = Home::new();
    let (bash, zsh, fish) = (completions(&home, "bash"), completions(&home, "zsh"), completions(&home, "fish"));
    for tool in tools() {
        let part =
            |text: &str| text.split(&format!("\t{tool})\n")).nth(1).unwrap().split(";;\n").next().unwrap().to_owned();
        let bash = bash.split(&format!("\t{tool})\n")).nth(1).unwrap().split("operands=").next().unwrap();
        let found = options(&home, &tool);
        assert!(found.len() >= 2, "{tool}: {found:?}");
        for option in found {
            assert!(
                bash.split([' ', '\'', '=']).any(|word| word == format!("--{option}")),
                "{tool} --{option}: {bash}"
            );
            assert!(part(&zsh).contains(&format!("--{option}")), "{tool} --{option}");
            let wanted = format!(" -l {option} ");
            let line = |name: &str| fish.lines().any(|line| line.starts_with(name) && line.contains(&wanted));
            assert!(line(&format!("complete -c {tool} ")), "{tool} --{option}");
            assert!(line(&format!("complete -c lh -n '__lh_is {}' ", &tool["lh-".len()..])), "{tool} --{option}");
        }
    }
    for wrong in [&["completions"][..], &["completions", "tcsh"], &["completions", "bash", "x"]] {
        assert_eq!(lh(&home, wrong).output().unwrap().status.code(), Some(64), "{wrong:?}");
    }
}

#[test]
fn the_shells_complete() {
    let home = Home::new();
    let file = |shell: &str, name: &str| home.write(name, &completions(&home, shell));
    let run = |shell: &str, arguments: &[&str]| {
        let program = ["/usr/local/bin", "/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(shell));
        let Some(program) = program.into_iter().find(|path| path.exists()) else {
            let _ = writeln!(std::io::stderr(), "skipped: there is no {shell}");
            return None;
        };
        Some(printed(plain(&home, &program).args(arguments)))
    };
    let bash = file("bash", "completions.bash");
    let ask = ". \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _lh_tools; echo \"${COMPREPLY[*]}\"";
    for (words, wanted) in [
        (&["lh-gate", "--f"][..], "--force"),
        (&["lh", "gate", "--f"], "--force"),
        (&["lh", "find-s"], "find-session"),
        (&["lh", "help", "red"], "redact"),
        (&["lh", "knowledge", ""], "handoff-now"),
        (&["lh-context", "--format", ""], "json markdown"),
        (&["lh-distill", "--engine", "=", "a"], "auto"),
        (&["lh-find-session", "compl"], "completions.bash"),
        (&["lh-persist", "compl"], ""),
    ] {
        let arguments = [&["-c", ask, bash.to_str().unwrap()][..], words].concat();
        assert_eq!(run("bash", &arguments).unwrap().trim_end(), wanted, "{words:?}");
    }
    let fish = file("fish", "completions.fish");
    for (line, wanted) in [("lh-gate --f", "--force"), ("lh gate --f", "--force"), ("lh-context --format j", "json")] {
        let source = format!("source '{}'; complete -C '{line}'", fish.display());
        if let Some(said) = run("fish", &["--no-config", "-c", &source]) {
            assert!(said.lines().any(|line| line.starts_with(wanted)) && said.lines().count() == 1, "{line}: {said}");
        }
    }
    file("zsh", "zsh/_lh_tools");
    let load = "fpath=(~/zsh $fpath); autoload -U compinit; compinit -D -u; \
                print $_comps[lh] $_comps[lh-gate]; _arguments() { print -l -- \"$@\" }; service=lh-gate; _lh_tools";
    if let Some(said) = run("zsh", &["-f", "-c", load]) {
        assert!(said.starts_with("_lh_tools _lh_tools\n") && said.contains("(-f --force)--force["), "{said}");
    }
}

#[test]
fn the_debian_package_has_one_program_with_hard_links() {
    let home = Home::new();
    let mut make = plain(&home, &script("dev/make-deb"));
    let output = make.env("LH_TOOLS", tool_folder()).arg(home.path("")).args(["-Zgzip", "-z1"]).output().unwrap();
    if output.status.code() == Some(69) {
        let _ = writeln!(std::io::stderr(), "skipped: there is no dpkg-deb");
        return;
    }
    let package = String::from_utf8(output.stdout).unwrap();
    let list = printed(plain(&home, Path::new("/usr/bin/dpkg-deb")).args(["-c", package.trim_end()]));
    let links = list.lines().filter(|line| line.contains(" ./usr/bin/lh") && line.contains(" link to ./usr/bin/lh"));
    assert_eq!(links.count(), tools().len(), "{list}");
    for name in ["man/man1/lh-gate.1.gz", "zsh/vendor-completions/_lh_tools", "doc/lh-memory/copyright"] {
        assert!(list.contains(&format!(" ./usr/share/{name}\n")), "{name}: {list}");
    }
}

/// `cargo install` puts one program into a folder `bin`, and nothing else.
#[test]
fn the_program_alone_puts_the_rest_beside_itself() {
    let home = Home::new();
    let bin = prefix(&home).join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    copy_tool("lh", &bin);
    let alone = files(&prefix(&home));
    let run = |name: &str, arguments: &[&str]| {
        let mut command = plain(&home, &bin.join(name));
        command.env("PATH", format!("{}:{PATH}", bin.display())).args(arguments).output().unwrap()
    };
    let planned = run("lh", &["setup", "-n"]);
    assert!(
        planned.status.success() && files(&prefix(&home)) == alone && !home.path(".claude").exists(),
        "{planned:?}"
    );
    let done = run("lh", &["setup", "-y"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.starts_with("lh-setup: put beside this program: "), "{said}");
    // Each script and each page of the checkout is inside it.
    for (folder, place) in [("scripts", "bin"), ("man", "share/man")] {
        for path in std::fs::read_dir(script("..").join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let section = path.extension().map_or_else(String::new, |section| format!("/man{}", section.display()));
            let put = prefix(&home).join(format!("{place}{section}")).join(name);
            if name.starts_with("lh") {
                assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&put).unwrap(), "{name}");
                assert!(
                    String::from_utf8_lossy(&planned.stdout).contains(&format!("would install {}\n", put.display()))
                );
            }
        }
    }
    for tool in tools() {
        assert_eq!(std::fs::read_link(bin.join(&tool)).unwrap(), Path::new("lh"), "{tool}");
    }
    let checked = run("lh-doctor", &["--text"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    // The next version brings its scripts.
    let there = files(&prefix(&home));
    executable(&bin.join("lh-task"), "#!/bin/sh\n");
    std::fs::remove_file(bin.join("lh-gate")).unwrap();
    assert!(run("lh", &["setup", "-y"]).status.success() && files(&prefix(&home)) == there);
    assert_eq!(std::fs::read(bin.join("lh-task")).unwrap(), std::fs::read(script("lh-task")).unwrap());
    let undone = run("lh", &["setup", "--uninstall"]);
    assert!(undone.status.success() && files(&prefix(&home)) == alone, "{undone:?}");
    assert!(!prefix(&home).join("share").exists() && !home.path(".claude/settings.json").exists());
    // What scripts/install has put there is its own.
    assert!(install(&home, &[], &[]).status.success());
    let said = String::from_utf8_lossy(&run("lh", &["setup", "-y"]).stderr).into_owned();
    assert!(said.contains("put in") && !said.contains("beside this program"), "{said}");
    assert!(run("lh", &["setup", "--uninstall"]).status.success() && files(&prefix(&home)).len() > alone.len());
}
