//! What is not ours or not as it should be: a checkout that says it is another one, a folder that its hook refuses, sizes
//! that nobody has, a lock that is never given back. Another project's memory is not told, and what is wrong is said.

use crate::home::{Home, binary};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn home(scope: &str) -> Home {
    let home = Home::new();
    let text = format!(
        "[compound_loop]\nenabled = true\nengine = \"extract\"\nmin_messages = 1\n[memory]\nscope = \"{scope}\"\n"
    );
    home.write(".config/lazy-harness/config.toml", &text);
    home.write("Documents/lazy-harness-knowledge/knowledge.toml", "[knowledge]\nversion = 1\n");
    home
}

/// A repository with a remote, and one decision that is remembered of it.
fn repository(home: &Home, name: &str, remote: &str) -> std::path::PathBuf {
    home.write(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
    home.write(&format!("{name}/.git/config"), &format!("[remote \"origin\"]\n\turl = {remote}\n"));
    let cwd = home.path(name).canonicalize().unwrap();
    decide(home, &cwd, &format!("Keep the {name} in one file"));
    cwd
}

fn session(home: &Home, cwd: &Path) -> Value {
    let transcript = home.transcript("aaaaaaaa-1", cwd, 3);
    let output = home.tool("lh-find-session").arg(transcript).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn record(home: &Home, cwd: &Path, summaries: &[String]) -> String {
    let mut record = session(home, cwd);
    let evidence = |text: &str| json!([{"quote": text, "line": 1, "uuid": "u", "said_by": "user"}]);
    let item = |text: &String| json!({"summary": text, "evidence": evidence(text), "grounded": true});
    record["type"] = json!("distilled");
    record["ts"] = json!("2026-04-13T12:00:00Z");
    record["handoff_base"] = json!("none");
    record["decisions"] = summaries.iter().map(item).collect();
    record["handoff"] = json!([]);
    format!("{record}\n")
}

fn decide(home: &Home, cwd: &Path, summary: &str) {
    home.tool("lh-persist").write_stdin(record(home, cwd, &[summary.to_owned()])).assert().success();
}

fn told(home: &Home, cwd: &Path) -> String {
    let output = home.tool("lh-context").args(["--format", "markdown"]).current_dir(cwd).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_git_file_that_names_another_checkout_gets_nothing_of_its_memory() {
    for scope in ["project", "store", "shared"] {
        let home = home(scope);
        let victim = repository(&home, "victim", "https://github.com/dev/victim");
        fs::create_dir_all(victim.join(".git/worktrees/real")).unwrap();
        let real = home.path("real");
        fs::create_dir_all(&real).unwrap();
        let real = real.canonicalize().unwrap();
        fs::write(real.join(".git"), format!("gitdir: {}/.git/worktrees/real\n", victim.display())).unwrap();
        for (name, text) in [
            ("gitdir", format!("{}/.git\n", real.display())),
            ("commondir", "../..\n".to_owned()),
            ("HEAD", "ref: refs/heads/x\n".to_owned()),
        ] {
            fs::write(victim.join(".git/worktrees/real").join(name), text).unwrap();
        }
        let one = "Keep the victim in one file";
        assert!(told(&home, &victim).contains(one), "{scope}");
        // A worktree of its own has it.
        assert!(told(&home, &real).contains(one), "{scope}");
        for folder in ["worktrees/real", "worktrees/gone", "", "modules/../", "worktrees/.."] {
            let stranger = home.path("stranger");
            fs::create_dir_all(&stranger).unwrap();
            fs::write(stranger.join(".git"), format!("gitdir: {}/.git/{folder}\n", victim.display())).unwrap();
            let found = session(&home, &stranger.canonicalize().unwrap());
            assert!(!told(&home, &stranger).contains(one), "{scope} {folder}");
            assert!(!found["project_root"].as_str().unwrap().ends_with("/victim"), "{scope} {folder}: {found}");
            assert_ne!(found["memory_dir"], session(&home, &victim)["memory_dir"], "{scope} {folder}");
        }
    }
}

#[test]
fn a_remote_that_is_called_like_a_folder_of_ours_leads_into_no_other_memory() {
    let home = home("store");
    let plain = home.path("plain");
    fs::create_dir_all(plain.join(".git")).unwrap();
    fs::write(plain.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let plain = plain.canonicalize().unwrap();
    decide(&home, &plain, "Keep the plain one in one file");
    let memory = session(&home, &plain)["memory_dir"].as_str().unwrap().to_owned();
    let name = memory.rsplit('/').next().unwrap();
    let victim = repository(&home, "victim", "https://github.com/dev/victim");
    let theirs = session(&home, &victim)["memory_dir"].as_str().unwrap().to_owned();
    for remote in [
        format!("https://local/{name}"),
        format!("git@local:{name}.git"),
        format!("https://x/../local/{name}"),
        "https://github.com/dev/victim/.state".to_owned(),
        "https://github.com/dev/victim/.archive/x".to_owned(),
        "https://github.com/dev/victim/../victim/.state".to_owned(),
    ] {
        let stranger = repository(&home, "stranger", &remote);
        let found = session(&home, &stranger)["memory_dir"].as_str().unwrap().to_owned();
        assert!(found != memory && !found.starts_with(&theirs), "{remote}: {found}");
        assert!(!told(&home, &stranger).contains("Keep the plain one"), "{remote}");
    }
}

#[test]
fn a_memory_that_leads_out_is_red() {
    let home = home("project");
    let folder = home.path(".claude/projects/-src-app");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(home.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(home.path("elsewhere"), folder.join("memory")).unwrap();
    let said = String::from_utf8(home.tool("lh-doctor").arg("--text").output().unwrap().stdout).unwrap();
    assert!(said.contains("BAD  links") && said.contains("-src-app/memory' is not inside"), "{said}");
}

#[test]
fn a_memory_that_no_checkout_leads_to_is_named_with_the_line_that_mends_it() {
    let git = "[url \"git@git.example.org:\"]\n\tinsteadOf = gw:\n\tinsteadOf = gx:\n";
    for (remote, ssh, git) in [
        ("gw:reed/c5.git", "", git),
        ("gx:reed/c6.git", "", git),
        ("git@gitwork:reed/b3.git", "Host\tgitwork\n\tHostName\tgit.example.org\n", ""),
        ("git@gitwork:reed/c1.git", "Host gitwork\n  HostName %h.example.org\n", ""),
        ("codecommit::us-east-1://e6", "", ""),
        ("https://git.example.org./reed/f8.git", "", ""),
    ] {
        let home = home("store");
        home.write(".ssh/config", ssh);
        home.write(".gitconfig", git);
        let cwd = repository(&home, "tally", remote);
        // As another version would have called it.
        let area = home.path("Documents/lazy-harness-knowledge/memory");
        let own = session(&home, &cwd)["memory_dir"].as_str().unwrap().to_owned();
        fs::create_dir_all(area.join("old.host/reed")).unwrap();
        fs::rename(&own, area.join("old.host/reed/name")).unwrap();
        assert!(!told(&home, &cwd).contains("Keep the tally"), "{remote}");
        let said = String::from_utf8(home.tool("lh-doctor").arg("--text").output().unwrap().stdout).unwrap();
        let line = "lh-setup --renamed-from 'old.host/reed/name'";
        assert!(said.contains(line), "{remote}: {said}");
        let mut setup = home.tool("lh-setup");
        let path = format!("{}/scripts:/usr/bin:/bin", env!("CARGO_MANIFEST_DIR"));
        setup.env("PATH", path).args(["--renamed-from", "old.host/reed/name", "-y"]).current_dir(&cwd);
        let done = setup.output().unwrap();
        assert!(told(&home, &cwd).contains("Keep the tally"), "{remote}: {}", String::from_utf8_lossy(&done.stderr));
        let said = String::from_utf8(home.tool("lh-doctor").arg("--text").output().unwrap().stdout).unwrap();
        assert!(!said.contains("--renamed-from"), "{remote}: {said}");
    }
}

/// Runs a tool that may take 256 MiB in all.
fn bounded(home: &Home, tool: &str, arguments: &str, input: &str) -> (Option<i32>, String) {
    let line = format!("ulimit -v 262144; exec '{}' {arguments}", binary(tool).display());
    let output =
        home.run(Path::new("/bin/sh")).args(["-c", &line]).current_dir(home.path("tally")).write_stdin(input).output();
    let output = output.unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn large(path: &Path, bytes: u64) {
    fs::File::options().create(true).append(true).open(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn what_is_far_too_large_is_an_error_in_so_many_words() {
    let home = home("project");
    let cwd = repository(&home, "tally", "https://github.com/dev/tally");
    let memory = home.project_folder(&cwd).join("memory");
    let again = record(&home, &cwd, &["Count the fish by weight".to_owned()]);
    // A line of 100 MB in a journal.
    let journal = memory.join("decisions.jsonl");
    let before = fs::read(&journal).unwrap();
    fs::write(
        &journal,
        [&before[..], b"{\"type\":\"decision\",\"summary\":\"", "x".repeat(100_000_000).as_bytes(), b"\"}\n"].concat(),
    )
    .unwrap();
    for (tool, arguments, input) in [
        ("lh-persist", ">/dev/null", again.as_str()),
        ("lh-recall", "fish >/dev/null", ""),
        ("lh-context", ">/dev/null", "{}"),
    ] {
        let (status, said) = bounded(&home, tool, arguments, input);
        assert!(matches!(status, Some(0 | 1)), "{tool}: {status:?} {said}");
    }
    assert!(fs::metadata(&journal).unwrap().len() > 100_000_000 + before.len() as u64, "a line was lost");
    assert!(told(&home, &cwd).contains("Count the fish by weight"));
    fs::write(&journal, &before).unwrap();
    // An index and a configuration of that size.
    let index = memory.join("MEMORY.md");
    large(&index, 100_000_000);
    let (status, said) = bounded(&home, "lh-index", &format!("'{}'", memory.display()), "");
    assert!(
        status == Some(65) && said.contains("MEMORY.md: larger than") && said.contains("make it smaller"),
        "{status:?} {said}"
    );
    assert_eq!(fs::metadata(&index).unwrap().len(), 100_000_000);
    large(&home.path(".config/lazy-harness/config.toml"), 100_000_000);
    for tool in ["lh-persist", "lh-context", "lh-gate", "lh-doctor"] {
        let (status, said) = bounded(&home, tool, "</dev/null >out", "");
        let said = said + &home.read("tally/out");
        assert!(status.is_some() && said.contains("config.toml: larger than"), "{tool}: {status:?} {said}");
    }
}

#[test]
fn twice_as_many_items_take_about_twice_as_long() {
    let once = |count: usize| {
        let home = home("project");
        let cwd = repository(&home, "tally", "https://github.com/dev/tally");
        let word = |at: usize| format!("w{}", at.wrapping_mul(2_654_435_761) % 1_000_003);
        let items: Vec<String> = (0..count)
            .map(|at| format!("Use {} for {} and {}", word(at), word(at + 7 * count), word(at + 13 * count)))
            .collect();
        let input = record(&home, &cwd, &items);
        home.busy("lh-persist", &[], input)
    };
    // The best of three: others use the machine, too.
    let time = |count: usize| (0..3).map(|_| once(count)).fold(f64::MAX, f64::min);
    let (once, twice) = (time(700), time(1400));
    // Four times as long, where each is compared with each by its words.
    assert!(twice < once * 3.0 + 0.5, "{once} s, {twice} s");
}

#[test]
fn a_holder_of_the_lock_that_is_stopped_costs_a_compaction_a_second() {
    let home = home("project");
    let cwd = repository(&home, "tally", "https://github.com/dev/tally");
    let memory = home.project_folder(&cwd).join("memory");
    let held = fs::File::options().append(true).create(true).open(memory.join(".state/lock")).unwrap();
    held.lock().unwrap();
    let payload = json!({"transcript_path": home.project_folder(&cwd).join("aaaaaaaa-1.jsonl"), "cwd": cwd,
        "session_id": "aaaaaaaa-1", "hook_event_name": "PreCompact"});
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-hook-pre-compact");
    // The least of several counts: others use the machine, too.
    let is_quick = |_| {
        let begun = Instant::now();
        let output = home.run(&hook).write_stdin(payload.to_string()).current_dir(&cwd).output().unwrap();
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
        begun.elapsed() < Duration::from_secs(4)
    };
    assert!((0..3).any(is_quick));
    assert!(home.read(".claude/logs/hooks.log").contains("held by another process"));
}

#[test]
fn a_start_says_that_there_are_no_locks() {
    let home = home("project");
    let cwd = repository(&home, "tally", "https://github.com/dev/tally");
    home.write(".claude/queue/.lock", "");
    fs::set_permissions(home.path(".claude/queue"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    home.write("payload", &json!({"cwd": cwd, "session_id": "now", "source": "startup"}).to_string());
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o", "/dev/null", "-e", "inject=flock:error=EOPNOTSUPP"]).arg(binary("lh-context"));
    let path = format!("{}/scripts:/usr/bin:/bin", env!("CARGO_MANIFEST_DIR"));
    strace.env_clear().env("HOME", home.path("")).env("PATH", path).current_dir(&cwd).stderr(Stdio::piped());
    strace.env("LH_BIN", binary("lh-gate").parent().unwrap());
    let Ok(output) = strace.stdin(fs::File::open(home.path("payload")).unwrap()).output() else { return };
    if String::from_utf8_lossy(&output.stderr).starts_with("strace:") {
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("sessions are NOT being remembered") && said.contains("has no locks (flock)"), "{said}");
}

#[test]
fn the_index_names_no_page_of_ours_and_is_never_taken_away() {
    let home = home("project");
    let cwd = repository(&home, "tally", "https://github.com/dev/tally");
    let memory = home.project_folder(&cwd).join("memory");
    let index = memory.join("MEMORY.md");
    fs::write(memory.join("handoff.md"), "Open for the next session:\n- x\n").unwrap();
    fs::write(memory.join("mine.md"), "---\nname: mine\ndescription: Mine\ntype: user\n---\nMine\n").unwrap();
    // As the client makes it.
    let theirs = "- [handoff](handoff.md)\n- [INDEX](INDEX.md)\n- [mine](mine.md)\n- [progress](progress.md)\n";
    let setup = |arguments: &[&str]| {
        let path = format!("{}/scripts:/usr/bin:/bin", env!("CARGO_MANIFEST_DIR"));
        let output = home.tool("lh-setup").env("PATH", path).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let index_again = || {
        let output = home.tool("lh-index").arg(&memory).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for act in [&index_again as &dyn Fn(), &|| setup(&["-y"]), &|| setup(&["--uninstall", "-y"])] {
        fs::write(&index, theirs).unwrap();
        act();
        assert_eq!(fs::read_to_string(&index).unwrap(), "- [mine](mine.md)\n");
        // With nothing left it stays, and where there is none it is made: the client would make its own.
        fs::rename(memory.join("mine.md"), home.path("mine.md")).unwrap();
        for before in [Some("- [handoff](handoff.md)\n"), None] {
            let _ = before.map_or_else(|| fs::remove_file(&index), |text| fs::write(&index, text));
            act();
            assert_eq!(fs::read_to_string(&index).unwrap_or_default(), "# Memory\n", "{before:?}");
        }
        fs::rename(home.path("mine.md"), memory.join("mine.md")).unwrap();
    }
}
