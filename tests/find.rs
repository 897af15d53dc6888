//! lh-find-session: payloads, lists, and the identity of projects.

use crate::home::{Home, line};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

impl Home {
    fn find(&self, payload: &str) -> (i32, Value) {
        let output = self.tool("lh-find-session").write_stdin(payload).output().unwrap();
        (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_default())
    }

    fn git(&self, folder: &str, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.path(""));
        git.args(["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"]);
        git.args(arguments).current_dir(self.path(folder)).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    }

    /// A repository with one commit, and what it has to say: its real path.
    fn repository(&self, name: &str) -> PathBuf {
        std::fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "-q"]);
        self.git(name, &["commit", "-q", "--allow-empty", "-m", "x"]);
        self.path(name).canonicalize().unwrap()
    }
}

fn payload(fields: &[(&str, &Path)]) -> String {
    let pairs = fields.iter().map(|(name, value)| ((*name).to_owned(), Value::from(value.to_string_lossy())));
    Value::Object(pairs.collect()).to_string()
}

fn slug(path: &Path) -> String {
    path.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[test]
fn a_payload_names_its_transcript_and_event() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 2);
    let text =
        format!(r#"{{"transcript_path":"{}","cwd":"/src/lh","hook_event_name":"Stop","x":[1]}}"#, transcript.display());
    let (status, session) = home.find(&text);
    assert_eq!(status, 0);
    for (name, value) in [
        ("type", "session"),
        ("session_id", "aaaaaaaa-1"),
        ("cwd", "/src/lh"),
        ("project", "lh"),
        ("event", "Stop"),
        ("found_by", "transcript_path"),
        ("agent", "claude-code"),
    ] {
        assert_eq!(session[name], value, "{name}");
    }
    assert_eq!(session["memory_dir"], transcript.with_file_name("memory").to_string_lossy().as_ref());
    assert_eq!(session["agent_home"], home.path(".claude").to_string_lossy().as_ref());
    assert_eq!(session["source_size_bytes"], transcript.metadata().unwrap().len());
}

#[test]
fn without_a_path_the_id_and_then_the_newest_of_the_folder_are_taken() {
    let home = Home::new();
    let old = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    let new = home.transcript("bbbbbbbb-2", Path::new("/src/lh"), 1);
    home.transcript("agent-cccc", Path::new("/src/lh"), 1);
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(past).unwrap();
    let (_, found) = home.find(r#"{"session_id":"aaaaaaaa-1","cwd":"/src/lh"}"#);
    assert_eq!((found["transcript"].as_str(), found["found_by"].as_str()), (old.to_str(), Some("session_id")));
    let (_, found) = home.find(r#"{"session_id":"aaaaaaaa-1","cwd":"/elsewhere"}"#);
    assert_eq!(found["transcript"].as_str(), old.to_str());
    let (_, found) = home.find(r#"{"cwd":"/src/lh"}"#);
    assert_eq!((found["transcript"].as_str(), found["found_by"].as_str()), (new.to_str(), Some("newest")));
    assert_eq!(home.find(r#"{"cwd":"/src/other"}"#).0, 1);
    assert_eq!(home.find(r#"{"session_id":"../../../etc/passwd","cwd":"/src/other"}"#).0, 1);
}

#[test]
fn an_empty_payload_means_the_current_folder_and_rubbish_is_65() {
    let home = Home::new();
    let here = home.path("").canonicalize().unwrap();
    home.transcript("aaaaaaaa-1", &here, 1);
    for nothing in ["", " \n", "{}"] {
        assert_eq!(home.find(nothing).1["session_id"], "aaaaaaaa-1", "{nothing:?}");
    }
    for rubbish in ["[]", "7", "{\"cwd\":", "session"] {
        assert_eq!(home.find(rubbish).0, 65, "{rubbish}");
    }
    assert_eq!(home.find(r#"{"transcript_path":7,"cwd":["x"]}"#).0, 0);
}

#[test]
fn worktrees_subfolders_and_links_lead_to_the_main_worktree() {
    let home = Home::new();
    let root = home.repository("src/ñandú repo.x");
    home.git("src/ñandú repo.x", &["worktree", "add", "-q", "../tree", "-b", "side"]);
    home.git("src/ñandú repo.x", &["worktree", "add", "-q", ".worktrees/in", "-b", "inner"]);
    std::fs::create_dir_all(root.join("deep/er")).unwrap();
    std::os::unix::fs::symlink(&root, home.path("link")).unwrap();
    let memory = home.path(".claude/projects").join(slug(&root)).join("memory");
    let branches = [
        ("src/ñandú repo.x", "main"),
        ("src/tree", "side"),
        ("src/ñandú repo.x/.worktrees/in", "inner"),
        ("src/ñandú repo.x/deep/er", "main"),
        ("link/deep", "main"),
    ];
    std::fs::create_dir_all(home.path("link/deep")).unwrap();
    for (folder, branch) in branches {
        let cwd = home.path(folder);
        let transcript = home.transcript("aaaaaaaa-1", &cwd, 1);
        let (status, found) = home.find(&payload(&[("transcript_path", &transcript), ("cwd", &cwd)]));
        assert_eq!(status, 0);
        assert_eq!(found["project"], "ñandú repo.x", "{folder}");
        assert_eq!(found["project_root"], root.to_string_lossy().as_ref(), "{folder}");
        assert_eq!(found["branch"], branch, "{folder}");
        assert_eq!(found["memory_dir"], memory.to_string_lossy().as_ref(), "{folder}");
    }
    // The worktree is gone, its transcript is not.
    std::fs::remove_dir_all(home.path("src/ñandú repo.x/.worktrees/in")).unwrap();
    let (_, found) = home.find(&payload(&[("cwd", &home.path("src/ñandú repo.x/.worktrees/in"))]));
    assert_eq!(found["memory_dir"], memory.to_string_lossy().as_ref());
}

#[test]
fn a_session_under_a_link_keeps_its_folder_and_draws_the_worktrees_to_it() {
    let home = Home::new();
    let root = home.repository("real/repo");
    std::os::unix::fs::symlink(home.path("real"), home.path("linked")).unwrap();
    let under_link = home.path("linked/repo");
    let transcript = home.transcript("aaaaaaaa-1", &under_link, 1);
    let own = transcript.with_file_name("memory");
    let (_, found) = home.find(&payload(&[("transcript_path", &transcript), ("cwd", &under_link)]));
    assert_eq!(found["memory_dir"], own.to_string_lossy().as_ref());
    std::fs::create_dir_all(root.join("sub")).unwrap();
    let sub = home.transcript("bbbbbbbb-1", &root.join("sub"), 1);
    let (_, found) = home.find(&payload(&[("transcript_path", &sub), ("cwd", &root.join("sub"))]));
    assert_eq!(found["memory_dir"], own.to_string_lossy().as_ref());
}

#[test]
fn submodules_are_projects_and_bare_repositories_have_worktrees() {
    let home = Home::new();
    let root = home.repository("outer");
    std::fs::create_dir_all(root.join("module")).unwrap();
    std::fs::create_dir_all(root.join(".git/modules/module")).unwrap();
    home.write("outer/module/.git", "gitdir: ../.git/modules/module\n");
    home.transcript("aaaaaaaa-1", &root.join("module"), 1);
    assert_eq!(home.find(&payload(&[("cwd", &root.join("module"))])).1["project"], "module");
    home.git("", &["clone", "-q", "--bare", "outer", "bare.git"]);
    home.git("bare.git", &["worktree", "add", "-q", "../work", "-b", "w"]);
    home.transcript("bbbbbbbb-1", &home.path("work"), 1);
    assert_eq!(home.find(&payload(&[("cwd", &home.path("work"))])).1["project"], "bare.git");
}

#[test]
fn a_long_slug_is_found_by_the_cwd_in_the_records() {
    let home = Home::new();
    let long = PathBuf::from(format!("/src/{}", "very-long-name/".repeat(20)));
    let other = PathBuf::from(format!("{}other", long.display()));
    for (id, cwd, hash) in [("aaaaaaaa-1", &other, "1a"), ("bbbbbbbb-2", &long, "2b")] {
        let folder = format!(".claude/projects/{}-{hash}", &slug(cwd)[..200]);
        home.write(&format!("{folder}/{id}.jsonl"), &line("user", "hello", cwd, 0));
    }
    assert_eq!(home.find(&payload(&[("cwd", &long)])).1["session_id"], "bbbbbbbb-2");
    assert_eq!(home.find(&payload(&[("cwd", &other)])).1["session_id"], "aaaaaaaa-1");
}

#[test]
fn all_lists_every_project_and_profile_oldest_first() {
    let home = Home::new();
    home.write(
        ".config/lazy-harness/config.toml",
        "[profiles.work]\nconfig_dir = \"~/.claude-work\"\n[profiles.same]\nconfig_dir = \"~/.claude\"\n",
    );
    let first = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    home.transcript("bbbbbbbb-2", Path::new("/src/other"), 1);
    home.write(".claude-work/projects/-src-job/cccccccc-3.jsonl", &line("user", "x", Path::new("/src/job"), 0));
    home.write(".claude/projects/-src-lh/aaaaaaaa-1/subagents/agent-x.jsonl", "{}\n");
    home.write(".claude/projects/-src-lh/agent-y.jsonl", "{}\n");
    let time = |path: &Path, age: u64| {
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    };
    time(&first, 10);
    time(&home.path(".claude-work/projects/-src-job/cccccccc-3.jsonl"), 86_400 * 3);
    let list = |arguments: &[&str]| -> Vec<(String, String)> {
        let output = home.tool("lh-find-session").args(arguments).output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records
            .map(|record| {
                (record["session_id"].as_str().unwrap()[..1].to_owned(), record["project"].as_str().unwrap().to_owned())
            })
            .collect()
    };
    let pair = |id: &str, project: &str| (id.to_owned(), project.to_owned());
    assert_eq!(list(&["--all"]), [pair("c", "job"), pair("a", "lh"), pair("b", "other")]);
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
    let since = jiff::Timestamp::try_from(yesterday).unwrap().to_string();
    assert_eq!(list(&["--since", &since]), [pair("a", "lh"), pair("b", "other")]);
    assert_eq!(home.tool("lh-find-session").args(["--since", "soon"]).output().unwrap().status.code(), Some(64));
}

#[test]
fn a_transcript_named_outright_always_gives_a_record() {
    let home = Home::new();
    let lone = home.write("lone.jsonl", &line("user", "hi", Path::new("/home/dev/src/thing"), 0));
    let agent = home.write(".claude/projects/-src-lh/s/subagents/agent-x.jsonl", "{}\n");
    let run = |path: &Path| home.tool("lh-find-session").arg(path).output().unwrap();
    let found: Value = serde_json::from_slice(&run(&lone).stdout).unwrap();
    assert_eq!((found["project"].as_str(), found["cwd"].as_str()), (Some("thing"), Some("/home/dev/src/thing")));
    assert_eq!(found["agent_home"], home.path(".claude").to_string_lossy().as_ref());
    assert_eq!(
        found["memory_dir"],
        home.path(".claude/projects/-home-dev-src-thing/memory").to_string_lossy().as_ref()
    );
    let found: Value = serde_json::from_slice(&run(&agent).stdout).unwrap();
    assert_eq!(found["session_id"], "agent-x");
    let gone: Value = serde_json::from_slice(&run(Path::new("/nowhere/x.jsonl")).stdout).unwrap();
    assert!(gone.get("source_size_bytes").is_none());
}

#[test]
fn a_shared_memory_stands_apart_from_the_transcripts_and_verbose_says_why() {
    let home = Home::new();
    home.write(".config/lazy-harness/config.toml", "[memory]\nscope = \"shared\"\n");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    let output = home.tool("lh-find-session").args(["-v"]).arg(&transcript).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let memory = found["memory_dir"].as_str().unwrap();
    assert!(memory.starts_with(home.path(".claude/memory/").to_str().unwrap()), "{memory}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("project 'lh' at /src/lh: no git above it"));
}

/// A session that was distilled by hand is distilled: not listed, not queued, not asked for again.
#[test]
fn what_was_persisted_by_hand_is_not_missing() {
    // How the record is made, whether in a task, and whether the session counts as distilled then.
    let table = [
        ("lh-distill -e extract", false, true),
        // In a task lh-dequeue keeps the outcome.
        ("lh-distill -e extract", true, false),
        ("jq -c '.type = \"distilled\" | del(.source_size_bytes)'", false, false),
    ];
    for (made, in_task, counts) in table {
        let home = Home::enabled("");
        let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 3);
        let run = |script: &str| {
            let mut shell = home.run(Path::new("/bin/sh"));
            let tools = crate::home::binary("lh-gate");
            let path = format!("{}:/usr/bin:/bin", tools.parent().unwrap().display());
            shell.env("PATH", path).args(["-c", script]);
            if in_task {
                shell.env("LH_WORK", home.path("work"));
            }
            shell.output().unwrap()
        };
        let missing = || String::from_utf8(run("lh-find-session --missing | jq -c .missing").stdout).unwrap();
        assert!(missing().contains("distill"), "{made}");
        let output = run(&format!("lh-find-session --missing | {made} | lh-persist"));
        assert!(output.status.success() && output.stderr.is_empty(), "{made}: {output:?}");
        assert_eq!(!missing().contains("distill"), counts, "{made}");
        let gate = run(&format!("lh-find-session {transcript:?} | lh-gate --queue -v"));
        assert_eq!(gate.status.code(), Some(i32::from(counts)), "{made}: {gate:?}");
        // What was said since is still to do, and an old record takes nothing back.
        let state = home.read(".claude/queue/state/aaaaaaaa-1");
        assert_eq!(state.contains("outcome=done\n") && state.contains("conversation_hash="), counts, "{state}");
        if counts {
            let old = run(&format!("lh-find-session {transcript:?} | {made}")).stdout;
            home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 5);
            let grown = run(&format!("lh-find-session {transcript:?} | {made} | lh-persist"));
            assert!(grown.status.success(), "{grown:?}");
            let newer = home.read(".claude/queue/state/aaaaaaaa-1");
            assert_ne!(newer, state);
            assert!(home.tool("lh-persist").write_stdin(old).output().unwrap().status.success());
            assert_eq!(home.read(".claude/queue/state/aaaaaaaa-1"), newer);
        }
    }
}

/// A line of the client's history.
fn prompt(text: &str, cwd: &str, time: &Value, id: Option<&str>) -> String {
    let mut line = json!({"display": text, "pastedContents": {}, "timestamp": time, "project": cwd});
    if let Some(id) = id {
        line["sessionId"] = id.into();
    }
    format!("{line}\n")
}

/// 2026-04-13T12:00Z and so many minutes, in milliseconds.
fn at(minutes: i64) -> Value {
    (1_776_081_600_000 + minutes * 60_000).into()
}

fn lost(home: &Home) -> (i32, Vec<Value>, String) {
    let output = home.tool("lh-find-session").arg("--lost").output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code().unwrap(), records, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn what_the_client_deleted_is_listed_by_its_history() {
    let home = Home::enabled("");
    home.write(".config/lazy-harness/config.toml", "[profiles.work]\nconfig_dir = \"~/.claude-work\"\n");
    assert_eq!(lost(&home), (1, vec![], String::new()), "no history is nothing lost");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 3);
    let kept = home.transcript("bbbbbbbb-2", Path::new("/src/lh"), 3);
    let record = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    let receipt = home.tool("lh-export").write_stdin(record).output().unwrap().stdout;
    let page = serde_json::from_slice::<Value>(&receipt).unwrap()["path"].clone();
    assert!(page.is_string(), "{page}");
    std::fs::remove_file(&transcript).unwrap();
    let lines = [
        prompt("mend the build", "/src/lh", &at(0), Some("aaaaaaaa-1")),
        prompt("still here", "/src/lh", &at(1), Some("bbbbbbbb-2")),
        prompt("/clear", "/src/lh", &at(2), Some("cccccccc-3")),
        prompt("! make", "/src/lh", &at(2), Some("cccccccc-3")),
        prompt("and the tests", "/src/lh/sub", &at(7), Some("aaaaaaaa-1")),
        prompt("of another project", "/src/gone", &at(8), Some("dddddddd-4")),
        // A clock that was set back.
        prompt("the next day", "/src/lh", &at(-3), Some("aaaaaaaa-1")),
    ];
    home.write(".claude/history.jsonl", &lines.concat());
    home.write(".claude-work/history.jsonl", &prompt("at work", "/src/job", &at(0), Some("eeeeeeee-5")));
    let (status, found, said) = lost(&home);
    assert_eq!((status, said.as_str()), (0, ""));
    let brief: Vec<Value> =
        found.iter().map(|lost| json!([lost["session_id"], lost["project"], lost["prompts"]])).collect();
    assert_eq!(json!(brief), json!([["aaaaaaaa-1", "lh", 3], ["dddddddd-4", "gone", 1], ["eeeeeeee-5", "job", 1]]));
    let first = json!({"type": "lost", "session_id": "aaaaaaaa-1", "cwd": "/src/lh", "project": "lh", "project_root": "/src/lh",
        "agent": "claude-code", "agent_home": home.path(".claude"), "prompts": 3, "first_prompt_at": "2026-04-13T11:57:00Z",
        "last_prompt_at": "2026-04-13T12:07:00Z", "page": page});
    assert_eq!(found[0], first);
    assert!(found[1].get("page").is_none());
    // Another session's page of the same name is not its page.
    let page = page.as_str().unwrap();
    std::fs::write(page, std::fs::read_to_string(page).unwrap().replace("aaaaaaaa-1", "aaaaaaaa-9")).unwrap();
    assert!(lost(&home).1[0].get("page").is_none());
    // No tool takes it for a session.
    let record = format!("{}\n", found[0]);
    for tool in ["lh-gate", "lh-enqueue", "lh-distill", "lh-messages", "lh-export"] {
        let output = home.tool(tool).write_stdin(record.clone()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), record, "{tool}");
    }
    assert!(kept.exists() && !home.path(".claude/queue").exists());
}

#[test]
fn prompts_that_do_not_name_their_session_are_put_together() {
    let home = Home::new();
    // Its records are of 2026-04-13T12:00Z to 12:05Z, and the file's time is now.
    let kept = home.transcript("aaaaaaaa-1", Path::new("/src/kept"), 3);
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_776_081_600 + 600);
    std::fs::File::options().write(true).open(&kept).unwrap().set_modified(then).unwrap();
    let lines = [
        prompt("one", "/src/a", &at(0), None),
        prompt("elsewhere", "/src/b", &at(1), None),
        prompt("two", "/src/a", &at(119), None),
        prompt("a long pause", "/src/a", &at(119 + 121), None),
        prompt("named", "/src/a", &at(241), Some("named-1")),
        prompt("in a transcript", "/src/kept", &at(4), None),
        prompt("the day before", "/src/kept", &at(-1440), None),
        prompt("no time and no session", "/src/a", &Value::Null, None),
    ];
    home.write(".claude/history.jsonl", &lines.concat());
    let (status, found, said) = lost(&home);
    let brief: Vec<Value> = found
        .iter()
        .map(|lost| json!([lost["cwd"], lost["prompts"], lost["first_prompt_at"], lost.get("session_id").is_some()]))
        .collect();
    let wanted = json!([
        ["/src/a", 2, "2026-04-13T12:00:00Z", false],
        ["/src/b", 1, "2026-04-13T12:01:00Z", false],
        ["/src/a", 1, "2026-04-13T16:00:00Z", false],
        ["/src/a", 1, "2026-04-13T16:01:00Z", true],
        ["/src/kept", 1, "2026-04-12T12:00:00Z", false],
    ]);
    assert_eq!((status, json!(brief)), (0, wanted));
    let path = home.path(".claude/history.jsonl");
    assert_eq!(said, format!("lh-find-session: {}: lines that could not be read: 1\n", path.display()));
}

#[test]
fn a_hostile_history_hides_nothing_and_harms_nothing() {
    let home = Home::new();
    home.write(".config/lazy-harness/config.toml", "[profiles.work]\nconfig_dir = \"~/.claude-work\"\n");
    home.write(".claude-work/history.jsonl", &prompt("at work", "/src/job", &at(0), Some("eeeeeeee-5")));
    // A FIFO, a folder and a device in its place: said, and the other home is listed.
    let path = home.path(".claude/history.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    for (what, script) in [
        ("a FIFO", "rm -rf h; mkfifo h"),
        ("a folder", "rm -rf h; mkdir h"),
        ("a device", "rm -rf h; ln -s /dev/zero h"),
    ] {
        let mut shell = home.run(Path::new("/bin/sh"));
        shell.args(["-c", &script.replace(" h", &format!(" '{}'", path.display()))]).unwrap();
        let (status, found, said) = lost(&home);
        assert_eq!((status, found.len(), found[0]["project"].as_str()), (65, 1, Some("job")), "{what}: {said}");
        assert!(said.contains(&format!("is {what}, expected a regular file")), "{what}: {said}");
    }
    std::fs::remove_file(&path).unwrap();
    let bad: [&[u8]; 8] = [
        b"junk\n",
        b"[\"x\",\"/src\",1,\"s\"]\n",
        b"{\"display\":\"x\"}\n",
        b"\xff\xfe\0\n",
        b"{\"display\":\"x\",\"project\":\"/x\",\"sessionId\":\"../../etc\"}\n",
        b"{\"display\":\"x\",\"project\":\"\",\"sessionId\":\"s\"}\n",
        b"{\"display\":7,\"project\":\"/x\",\"sessionId\":\"s\"}\n",
        b"{\"display\":\"x\",\"project\":\"/x\",\"sessionId\":7}\n",
    ];
    let crlf = prompt("with \"CRLF\"", "/src/a", &at(0), Some("crlf-1")).replace('\n', "\r\n");
    let late = prompt("a time that cannot be", "/src/a", &i64::MAX.into(), Some("late-1"));
    let long = prompt(&"x".repeat(9 << 20), "/src/a", &at(0), Some("long-1"));
    let odd = prompt("x", "C:\\Users\\dev\\app", &at(0), Some("odd-1"));
    let torn = "{\"display\":\"being wri";
    let all = [
        &bad.concat(),
        "\r\n\n".as_bytes(),
        crlf.as_bytes(),
        late.as_bytes(),
        long.as_bytes(),
        odd.as_bytes(),
        torn.as_bytes(),
    ];
    std::fs::write(&path, all.concat()).unwrap();
    let (status, found, said) = lost(&home);
    let brief: Vec<Value> = found
        .iter()
        .map(|lost| json!([lost["session_id"], lost["project"], lost.get("first_prompt_at").is_some()]))
        .collect();
    let wanted = json!([
        ["crlf-1", "a", true],
        ["late-1", "a", false],
        ["long-1", "a", true],
        ["odd-1", "app", true],
        ["eeeeeeee-5", "job", true]
    ]);
    assert_eq!((status, json!(brief)), (0, wanted), "{said}");
    assert!(said.ends_with("history.jsonl: lines that could not be read: 8\n") && said.lines().count() == 1, "{said}");
}

/// Memory does not grow with the history, nor with the number of sessions in it.
#[test]
fn a_history_of_any_size_needs_little_memory() {
    let home = Home::new();
    let path = home.write(".claude/history.jsonl", "");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    for number in 0..400_000 {
        let id = format!("{:08x}-{}", number / 4, "x".repeat(150));
        out.write_all(prompt("go on", "/nowhere/src/lh", &at(number), Some(&id)).as_bytes()).unwrap();
    }
    out.flush().unwrap();
    let tool = crate::home::binary("lh-find-session");
    let script = format!("ulimit -v 60000; '{}' --lost | wc -l", tool.display());
    let output = home.run(Path::new("/bin/sh")).args(["-c", &script]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.trim(), "100000", "{}", String::from_utf8_lossy(&output.stderr));
}
