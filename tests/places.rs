//! Where a project's memory is: by the name of its repository in the knowledge folder, and read wherever there is some.

use crate::home::{Home, binary};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A home with a knowledge folder and a scope, as lh-setup leaves it.
fn home(scope: &str) -> Home {
    let home = Home::new();
    let text = format!(
        "[compound_loop]\nenabled = true\nengine = \"extract\"\n[knowledge]\npath = \"~/store\"\n[memory]\nscope = \"{scope}\"\n"
    );
    home.write(".config/lazy-harness/config.toml", &text);
    home.write(
        "store/knowledge.toml",
        "[knowledge]\nversion = 1\nsessions = \"sessions\"\nlearnings = \"learnings\"\n",
    );
    home
}

impl Home {
    /// A checkout with a remote; none where that is empty.
    fn checkout(&self, name: &str, remote: &str) -> PathBuf {
        self.write(&format!("src/{name}/.git/HEAD"), "ref: refs/heads/main\n");
        let config = format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {remote}\n");
        self.write(&format!("src/{name}/.git/config"), if remote.is_empty() { "" } else { &config });
        self.path(&format!("src/{name}")).canonicalize().unwrap()
    }

    fn session_in(&self, cwd: &Path, id: &str) -> Value {
        let transcript = self.transcript(id, cwd, 3);
        let output = self.tool("lh-find-session").arg(transcript).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Persists one decision, and says the status and what was said.
    fn decide(&self, session: &Value, summary: &str, open: &[&str]) -> (Option<i32>, String) {
        let evidence = json!([{"quote": summary, "line": 1, "uuid": "u", "said_by": "user"}]);
        let item = |text: &str| json!({"summary": text, "evidence": evidence, "grounded": true});
        let mut record = session.clone();
        let more = json!({"type": "distilled", "ts": "2026-04-13T12:00:00Z", "engine": "claude", "handoff_base": "none",
            "decisions": [item(summary)], "handoff": open.iter().map(|text| item(text)).collect::<Vec<_>>()});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let output = self.tool("lh-persist").write_stdin(format!("{record}\n")).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn told_in(&self, cwd: &Path) -> String {
        let output = self.tool("lh-context").args(["--format", "markdown"]).current_dir(cwd).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Every file below a folder.
    fn files_below(&self, below: &str) -> Vec<String> {
        let top = self.path(below);
        let mut folders = vec![top.clone()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else {
                    found.push(entry.path().strip_prefix(&top).unwrap().to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }
}

#[test]
fn two_clones_of_one_repository_have_one_memory_and_no_lock_is_in_the_store() {
    let home = home("store");
    home.write(".ssh/config", "Host work\n  HostName github.com\n");
    let first = home.checkout("tally", "https://dev:secret@GitHub.com/dev/tally.git");
    let second = home.checkout("copy", "git@work:dev/tally");
    let session = home.session_in(&first, "aaaaaaaa-1");
    let memory = home.path("store/memory/github.com/dev/tally");
    assert_eq!(session["memory_dir"], memory.to_string_lossy().as_ref());
    let notes = session["notes_dir"].as_str().unwrap();
    assert!(notes.contains("/.claude/projects/") && notes.ends_with("/memory"), "{notes}");
    assert_eq!(home.session_in(&second, "bbbbbbbb-2")["memory_dir"], memory.to_string_lossy().as_ref());
    assert_eq!(
        home.decide(&session, "Keep the ledger in one file", &["teach the otter to swim"]),
        (Some(0), String::new())
    );
    let told = home.told_in(&second);
    assert!(told.contains("Keep the ledger in one file") && told.contains("teach the otter to swim"), "{told}");
    for tool in ["lh-summarize", "lh-export"] {
        let args: &[&str] = if tool == "lh-summarize" { &["--progress"] } else { &[] };
        let output = home.tool(tool).args(args).write_stdin(format!("{session}\n")).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let files = home.files_below("store/memory");
    let wanted = [".state/handoff", "decisions.jsonl", "handoff.md", "progress.md"];
    assert_eq!(files, wanted.map(|name| format!("github.com/dev/tally/{name}")));
    let kept = home.files_below(".local/state/lh");
    for name in ["/lock", "/export.json", "/exports/lock", "/exports/aaaaaaaa-1.json"] {
        assert!(kept.iter().any(|path| path.ends_with(name)), "{name}: {kept:?}");
    }
    // A start in a project of which nothing is known makes nothing in the store.
    home.told_in(&home.checkout("new", "https://github.com/dev/new"));
    assert_eq!(home.files_below("store/memory"), files);
    assert!(!home.path("store/memory/github.com/dev/new").exists());
}

#[test]
fn a_shared_memory_is_one_for_all_clones_and_that_of_before_is_read() {
    let home = home("shared");
    let first = home.checkout("tally", "");
    let before = home.session_in(&first, "aaaaaaaa-1");
    home.decide(&before, "Count in whole cents", &[]);
    home.checkout("tally", "https://github.com/dev/tally");
    let now = home.session_in(&first, "aaaaaaaa-1");
    let other = home.session_in(&home.checkout("copy", "git@github.com:dev/tally.git"), "bbbbbbbb-2");
    assert_ne!(now["memory_dir"], before["memory_dir"]);
    assert_eq!(now["memory_dir"], other["memory_dir"]);
    assert_eq!(now["notes_dir"], now["memory_dir"]);
    assert!(home.told_in(&first).contains("Count in whole cents"));
}

#[test]
fn what_lies_where_the_memory_was_before_is_told_once_and_stays() {
    let home = home("project");
    let cwd = home.checkout("tally", "https://github.com/dev/tally");
    let session = home.session_in(&cwd, "aaaaaaaa-1");
    home.decide(&session, "Keep the ledger in one file", &["teach the otter to swim", "feed the walrus"]);
    // What lazy-harness wrote, in a folder with the host as it is in the address.
    let old = "{\"ts\":\"2026-03-01T10:00:00+00:00\",\"type\":\"decision\",\"summary\":\"Write dates as ISO\",\"context\":\"\",\"alternatives\":[],\"rationale\":\"\",\"project\":\"tally\",\"tags\":[]}\n";
    let kept = home.write("store/memory/GitHub.com/dev/tally/decisions.jsonl", old);
    for scope in ["project", "store", "shared"] {
        let text = home.read(".config/lazy-harness/config.toml");
        let (head, _) = text.split_once("[memory]").unwrap();
        home.write(".config/lazy-harness/config.toml", &format!("{head}[memory]\nscope = \"{scope}\"\n"));
        let told = home.told_in(&cwd);
        for fact in ["Keep the ledger in one file", "Write dates as ISO", "teach the otter to swim", "feed the walrus"]
        {
            assert_eq!(told.matches(fact).count(), 1, "{scope}: {fact}: {told}");
        }
        // Said again by another session it is no second item.
        let next = home.session_in(&cwd, "bbbbbbbb-2");
        home.decide(&next, "Write dates as ISO", &[]);
        home.decide(&next, "Keep the ledger in one file", &[]);
        assert_eq!(home.told_in(&cwd).matches("Write dates as ISO").count(), 1, "{scope}");
    }
    assert_eq!(std::fs::read_to_string(kept).unwrap(), old);
    // What is open there can be closed, opened again, and forgotten.
    let run = |tool: &str, words: &[&str]| {
        let output = home.tool(tool).args(words).current_dir(&cwd).output().unwrap();
        assert!(output.status.success(), "{tool} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run("lh-done", &["feed the walrus"]);
    assert!(!home.told_in(&cwd).contains("walrus"));
    run("lh-done", &["--undo"]);
    assert!(home.told_in(&cwd).contains("walrus"));
    let list = run("lh-forget", &["--text"]);
    let line = list.lines().find(|line| line.contains("Write dates")).unwrap();
    run("lh-forget", &[line.split_whitespace().next().unwrap()]);
    assert!(!home.told_in(&cwd).contains("Write dates as ISO"));
}

#[test]
fn a_knowledge_folder_that_is_not_mounted_is_an_error_and_is_not_made() {
    let home = home("store");
    let cwd = home.checkout("tally", "https://github.com/dev/tally");
    let session = home.session_in(&cwd, "aaaaaaaa-1");
    for made in [false, true] {
        std::fs::remove_dir_all(home.path("store")).unwrap();
        if made {
            // Where a drive is mounted there is an empty folder without it.
            std::fs::create_dir(home.path("store")).unwrap();
        }
        let (status, said) = home.decide(&session, "Keep the ledger in one file", &[]);
        assert_eq!(status, Some(74), "{said}");
        assert!(said.contains("store: no knowledge.toml in the knowledge folder: is its drive mounted?"), "{said}");
        for (tool, args) in [("lh-summarize", &["--progress"][..]), ("lh-export", &[]), ("lh-context", &[])] {
            let output =
                home.tool(tool).args(args).write_stdin(format!("{session}\n")).current_dir(&cwd).output().unwrap();
            assert_eq!(output.status.code(), Some(74), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
        }
        // The hook queues it all the same.
        let payload = json!({"session_id": "aaaaaaaa-1", "transcript_path": session["transcript"], "cwd": cwd});
        let found = home.tool("lh-find-session").write_stdin(payload.to_string()).output().unwrap();
        let queued = home.tool("lh-enqueue").write_stdin(found.stdout).output().unwrap();
        assert!(queued.status.success(), "{}", String::from_utf8_lossy(&queued.stderr));
        assert_eq!(home.files_below("store"), Vec::<String>::new());
        assert_eq!(home.path("store").exists(), made);
        std::fs::create_dir_all(home.path("store")).unwrap();
    }
}

/// lazy-harness queued it, and its memory is in the knowledge folder.
#[test]
fn a_task_of_the_predecessor_is_distilled_into_the_folder_that_it_names() {
    let home = home("project");
    let cwd = home.checkout("tally", "https://github.com/dev/tally");
    let said = |role, text, number| crate::home::line(role, text, &cwd, number);
    let transcript = home.transcript("aaaaaaaa-1", &cwd, 4);
    let text = std::fs::read_to_string(&transcript).unwrap()
        + &said("user", "Let's keep the ledger in one file instead of one a month", 8)
        + &said("assistant", "Agreed. Remaining: teach the otter to swim.", 9);
    std::fs::write(&transcript, text).unwrap();
    let memory = home.path("store/memory/github.com/dev/tally");
    std::fs::create_dir_all(&memory).unwrap();
    let task = |memory: &Path| {
        format!(
            "cwd={}\nsession_jsonl={}\nsession_id=aaaaaaaa-1\nmemory_dir={}\ntimestamp=2026-04-13T12:00:00+00:00\n",
            cwd.display(),
            transcript.display(),
            memory.display()
        )
    };
    home.write(".claude/queue/1776081600-aaaaaaaa.task", &task(&memory));
    let output = home.run(&scripts().join("lh-worker")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = home.read(".claude/logs/compound-loop.log") + &String::from_utf8_lossy(&output.stderr);
    assert!(home.read("store/memory/github.com/dev/tally/said.jsonl").contains("keep the ledger"), "{log}");
    assert!(home.told_in(&cwd).contains("otter"));
    // Elsewhere nothing is written.
    home.write(".claude/queue/1776081601-aaaaaaaa.task", &task(&home.path("elsewhere/memory")));
    std::fs::remove_dir_all(home.path(".claude/queue/state")).unwrap();
    home.run(&scripts().join("lh-worker")).output().unwrap();
    assert!(!home.path("elsewhere").exists());
    assert_eq!(home.files_below(".claude/queue/failed").len(), 1);
}

fn path() -> String {
    format!("{}:/usr/bin:/bin", scripts().display())
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

impl Home {
    /// A distilled session of a checkout, and a second one that waits.
    fn project_of(&self, name: &str, remote: &str) -> PathBuf {
        let cwd = self.checkout(name, remote);
        let session = self.session_in(&cwd, &format!("{name}aa-1"));
        self.decide(&session, &format!("Keep the {name} in one file"), &[&format!("teach the {name} to swim")]);
        let waiting = self.session_in(&cwd, &format!("{name}bb-2"));
        self.tool("lh-enqueue").write_stdin(format!("{waiting}\n")).assert().success();
        cwd
    }

    fn set_up_with(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.tool("lh-setup").args(arguments).env("PATH", path()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn task_texts(&self) -> String {
        let folder = self.path(".claude/queue");
        let names = self
            .files_below(".claude/queue")
            .into_iter()
            .filter(|name| Path::new(name).extension().is_some_and(|end| end == "task"));
        names.map(|name| std::fs::read_to_string(folder.join(name)).unwrap()).collect()
    }
}

#[test]
fn a_memory_goes_where_the_scope_says_and_back_with_its_tasks() {
    let home = home("project");
    let tally = home.project_of("tally", "https://github.com/dev/tally");
    let walrus = home.project_of("walrus", "");
    let notes = tally_notes(&home, &tally);
    home.write(&notes, "- [a](a.md) — mine\n");
    let told = [home.told_in(&tally), home.told_in(&walrus)];
    let before = home.files_below(".claude/projects");
    let config = home.read(".config/lazy-harness/config.toml");
    // A dry run and a run that nobody answers move nothing.
    let (status, shown, _) = home.set_up_with(&["--scope", "store", "-n"]);
    assert_eq!(status, Some(0));
    assert!(
        shown.contains("+scope = \"store\"") && shown.contains("would ask whether to move the memory in "),
        "{shown}"
    );
    assert_eq!(
        (home.read(".config/lazy-harness/config.toml"), home.files_below("store")),
        (config.clone(), vec!["knowledge.toml".to_owned()])
    );
    let (status, _, said) = home.set_up_with(&["--scope", "store"]);
    assert!(status == Some(0) && said.contains("--yes moves it without a question"), "{said}");
    // The client's index is not taken away again.
    let stays = |name: &str| name.contains(".state/") || name.ends_with("walrus/memory/MEMORY.md");
    let own = |names: &[String]| names.iter().filter(|name| !stays(name)).cloned().collect::<Vec<_>>();
    assert_eq!(own(&home.files_below(".claude/projects")), own(&before));
    for _ in 0..2 {
        let (status, _, said) = home.set_up_with(&["--scope", "store", "-y"]);
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("waiting sessions that go there, too: 2"), "{said}");
        assert!(home.read(".config/lazy-harness/config.toml").contains("scope = \"store\""));
        for name in ["decisions.jsonl", "handoff.md"] {
            assert!(home.files_below("store/memory/github.com/dev/tally").contains(&name.to_owned()), "{name}");
        }
        assert!(home.read("store/memory/github.com/dev/tally/decisions.jsonl").contains("Keep the tally"));
        assert_eq!(home.read(&notes), "- [a](a.md) — mine\n");
        assert!(!home.files_below(".claude/projects").iter().any(|name| name.ends_with("decisions.jsonl")));
        let tasks = home.task_texts();
        assert_eq!(tasks.matches("/store/memory/").count(), 2, "{tasks}");
        for (cwd, name) in [(&tally, "tally"), (&walrus, "walrus")] {
            for fact in [format!("Keep the {name} in one file"), format!("teach the {name} to swim")] {
                assert_eq!(home.told_in(cwd).matches(&fact).count(), 1, "{fact}");
            }
        }
        let (status, _, said) = home.set_up_with(&["--scope", "project", "-y"]);
        assert_eq!(status, Some(0), "{said}");
        assert!(!home.task_texts().contains("/store/"));
    }
    assert_eq!(own(&home.files_below(".claude/projects")), own(&before));
    assert_eq!([home.told_in(&tally), home.told_in(&walrus)], told);
    assert_eq!(home.files_below("store"), ["knowledge.toml"]);
}

fn tally_notes(home: &Home, cwd: &Path) -> String {
    let session = home.session_in(cwd, "tallyaa-1");
    let path = format!("{}/MEMORY.md", session["notes_dir"].as_str().unwrap());
    Path::new(&path).strip_prefix(home.path("")).unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_repository_that_gets_a_remote_or_another_name_keeps_its_memory() {
    let home = home("store");
    let cwd = home.project_of("tally", "");
    assert!(
        home.files_below("store/memory/local")
            .iter()
            .any(|name| name.starts_with("tally-") && name.ends_with("/decisions.jsonl"))
    );
    home.checkout("tally", "https://github.com/dev/tally");
    assert_eq!(home.told_in(&cwd).matches("Keep the tally in one file").count(), 1, "it is read where it was");
    let (status, _, said) = home.set_up_with(&["--scope", "store", "-y"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(home.read("store/memory/github.com/dev/tally/decisions.jsonl").contains("Keep the tally"));
    assert_eq!(home.told_in(&cwd).matches("Keep the tally in one file").count(), 1);
    // Another remote is another project, unless its user says that it is the same.
    home.checkout("tally", "https://github.com/dev/ledger");
    assert!(!home.told_in(&cwd).contains("Keep the tally"));
    let output = home
        .tool("lh-setup")
        .env("PATH", path())
        .args(["--renamed-from", "github.com/dev/tally", "-y"])
        .current_dir(&cwd)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(home.told_in(&cwd).matches("Keep the tally in one file").count(), 1);
    assert!(!home.path("store/memory/github.com/dev/tally/decisions.jsonl").exists());
    // What was renamed stays renamed, whatever the scope is.
    let (status, _, said) = home.set_up_with(&["--scope", "project", "-y"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(home.told_in(&cwd).matches("Keep the tally in one file").count(), 1);
    // Nobody takes the memory of a repository that still has its name, nor into a folder that is none.
    let other = home.project_of("walrus", "https://github.com/dev/walrus");
    let (status, _, said) = home.set_up_with(&["--scope", "store", "-y"]);
    assert_eq!(status, Some(0), "{said}");
    home.write("src/plain/x", "");
    for (folder, says) in
        [(&cwd, "is called that: it was not renamed"), (&home.path("src/plain"), "is not in a repository")]
    {
        let output = home
            .tool("lh-setup")
            .env("PATH", path())
            .args(["--renamed-from", "github.com/dev/walrus", "-y"])
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(64) && said.contains(says), "{said}");
    }
    assert_eq!(home.told_in(&other).matches("Keep the walrus in one file").count(), 1);
    for wrong in ["github.com/dev/none", "../../x", "/etc", ""] {
        let output = home
            .tool("lh-setup")
            .env("PATH", path())
            .args(["--renamed-from", wrong, "-y"])
            .current_dir(&cwd)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(64), "{wrong}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Another machine uses the same knowledge folder, and knows nothing of our receipts.
#[test]
fn going_back_takes_nothing_from_another_machine() {
    let (ours, theirs) = (home("project"), home("project"));
    let store = ours.path("store");
    let text = theirs.read(".config/lazy-harness/config.toml").replace("~/store", store.to_str().unwrap());
    theirs.write(".config/lazy-harness/config.toml", &text);
    let remote = "https://github.com/dev/tally";
    let (cwd, their_cwd) = (ours.project_of("tally", remote), theirs.checkout("walrus", remote));
    let session = theirs.session_in(&their_cwd, "cccccccc-3");
    theirs.decide(&session, "Count the fish by weight", &["weigh the walrus"]);
    for machine in [&ours, &theirs] {
        let (status, _, said) = machine.set_up_with(&["--scope", "store", "-y"]);
        assert_eq!(status, Some(0), "{said}");
    }
    theirs.decide(&theirs.session_in(&their_cwd, "dddddddd-4"), "Weigh in the morning", &["weigh the walrus"]);
    let (status, _, said) = ours.set_up_with(&["--scope", "project", "-y"]);
    assert_eq!(status, Some(0), "{said}");
    for (machine, cwd) in [(&ours, &cwd), (&theirs, &their_cwd)] {
        let told = machine.told_in(cwd);
        for fact in ["Count the fish by weight", "Weigh in the morning", "weigh the walrus"] {
            assert_eq!(told.matches(fact).count(), 1, "{fact}: {told}");
        }
    }
    assert_eq!(ours.told_in(&cwd).matches("Keep the tally in one file").count(), 1);
}

#[test]
fn nothing_is_moved_from_or_to_a_folder_that_is_not_mounted() {
    let home = home("project");
    let cwd = home.project_of("tally", "https://github.com/dev/tally");
    let (status, _, said) = home.set_up_with(&["--scope", "store", "-y"]);
    assert_eq!(status, Some(0), "{said}");
    home.decide(&home.session_in(&cwd, "tallycc-3"), "Write dates as ISO", &[]);
    std::fs::rename(home.path("store"), home.path("away")).unwrap();
    for scope in ["project", "store"] {
        let (status, _, said) = home.set_up_with(&["--scope", scope, "-y"]);
        assert!(status == Some(74) && said.contains("is its drive mounted?"), "{said}");
        assert!(!home.path("store").exists());
    }
    // A worker that finds it away waits, however often it is started, and the session's user is told why.
    for day in 1..9 {
        let output = home.run(&scripts().join("lh-worker")).env("LH_NOW", format!("2027-01-0{day}T12:00:00Z")).output();
        assert!(output.unwrap().status.success());
    }
    assert_eq!(home.files_below(".claude/queue/failed"), Vec::<String>::new());
    let start = home.tool("lh-context").current_dir(&cwd).write_stdin("{}").output().unwrap();
    assert!(String::from_utf8_lossy(&start.stdout).contains("sessions are NOT being remembered"), "{start:?}");
    std::fs::rename(home.path("away"), home.path("store")).unwrap();
    assert_eq!(home.told_in(&cwd).matches("Write dates as ISO").count(), 1);
    let (status, _, said) = home.set_up_with(&["--scope", "project", "-y"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(home.told_in(&cwd).matches("Write dates as ISO").count(), 1);
    // What is later than the move is not taken back with it.
    let later = "store/memory/github.com/dev/tally/decisions.jsonl";
    assert!(said.contains(&format!("{later}: changed after the move; it stays here and is read here")), "{said}");
    assert!(home.read(later).contains("Write dates as ISO") && !home.read(later).contains("Keep the tally"));
}

#[test]
fn moves_there_and_back_at_once_lose_and_double_nothing() {
    let home = home("project");
    let cwd = home.project_of("tally", "https://github.com/dev/tally");
    for _ in 0..3 {
        let start = |scope: &&str| {
            let mut command = std::process::Command::new(crate::home::binary("lh-setup"));
            command.env_clear().env("HOME", home.path("")).env("PATH", path()).env("TZ", "UTC").current_dir(&cwd);
            let silent = std::process::Stdio::null;
            command.args(["--scope", scope, "-y"]).stdin(silent()).stdout(silent()).stderr(silent()).spawn().unwrap()
        };
        for mut child in ["store", "project", "store", "project"].iter().map(start).collect::<Vec<_>>() {
            // 65: another one took it back first. 75: it waited too long.
            assert!(matches!(child.wait().unwrap().code(), Some(0 | 65 | 75)));
        }
        let told = home.told_in(&cwd);
        for fact in ["Keep the tally in one file", "teach the tally to swim"] {
            assert_eq!(told.matches(fact).count(), 1, "{fact}: {told}");
        }
    }
    let lines = |below: &str| {
        let names = home.files_below(below).into_iter().filter(|name| name.ends_with("/decisions.jsonl"));
        names.map(|name| home.read(&format!("{below}/{name}")).lines().count()).sum::<usize>()
    };
    assert_eq!(lines("store") + lines(".claude"), 1);
}

/// lazy-harness kept memory in the store, and nobody says that ours may go there.
#[test]
fn a_takeover_sends_nothing_to_the_store_before_it_was_asked() {
    let home = home("project");
    let text = "[compound_loop]\nenabled = true\nengine = \"extract\"\n[knowledge]\nroot = \"~/store\"\n";
    let lines = "{\"type\":\"decision\",\"summary\":\"Old\"}\n";
    home.write("store/memory/github.com/dev/tally/decisions.jsonl", lines);
    for (config, arguments, is_store) in [
        (text.to_owned(), &["--migrate"][..], false),
        (format!("{text}[memory]\nscope = \"project\"\n"), &["--migrate", "-y"], false),
        (text.to_owned(), &["--migrate", "-y"], true),
    ] {
        home.write(".config/lazy-harness/config.toml", &config);
        let (status, _, said) = home.set_up_with(arguments);
        assert_eq!(status, Some(0), "{said}");
        let now = home.read(".config/lazy-harness/config.toml");
        assert_eq!(now.contains("scope = \"store\""), is_store, "{arguments:?}: {now} {said}");
    }
}

#[test]
fn a_session_that_the_predecessor_was_done_with_is_not_called_undistilled() {
    let home = home("project");
    let cwd = home.checkout("tally", "");
    let transcript = home.transcript("aaaaaaaa-1", &cwd, 3);
    assert!(home.told_in(&cwd).contains("not distilled yet"));
    let task = format!(
        "cwd={}\nsession_jsonl={}\nsession_id=aaaaaaaa-1\nmemory_dir={}\ntimestamp=2026-04-13T12:30:00+00:00\n",
        cwd.display(),
        transcript.display(),
        transcript.with_file_name("memory").display()
    );
    home.write(".claude/queue/done/1776083400-aaaaaaaa.task", &task);
    assert!(home.run(&scripts().join("lh-worker")).output().unwrap().status.success());
    let told = home.told_in(&cwd);
    assert!(told.contains("Where the last session stood") && !told.contains("not distilled yet"), "{told}");
}

/// `lh-setup --move-memory`, and what it says.
fn move_memory(home: &Home, cwd: &Path, args: &[&str]) -> (Option<i32>, String) {
    let mut command = home.tool("lh-setup");
    let output = command.arg("--move-memory").args(args).current_dir(cwd).output().unwrap();
    assert!(output.stdout.is_empty());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_memory_of_one_project_goes_where_a_scope_says_and_back_to_the_byte() {
    let home = home("project");
    let (tally, other) = (home.checkout("tally", "git@github.com:dev/tally.git"), home.checkout("other", ""));
    let session = home.session_in(&tally, "aaaaaaaa-1");
    home.decide(&session, "Use tabs in tally", &["Ship tally"]);
    home.decide(&home.session_in(&other, "bbbbbbbb-1"), "Use spaces in other", &[]);
    let memory = PathBuf::from(session["memory_dir"].as_str().unwrap());
    let bytes = |name: &str| std::fs::read(memory.join(name)).ok();
    let before = ["decisions.jsonl", "handoff.md"].map(bytes);
    assert!(before.iter().all(Option::is_some));

    let (status, said) = move_memory(&home, &tally, &["shared", "-n"]);
    assert!(status == Some(0) && said.contains("would move the memory in"), "{said}");
    assert_eq!(["decisions.jsonl", "handoff.md"].map(bytes), before, "a dry run moves nothing");
    let (status, said) = move_memory(&home, &tally, &["shared"]);
    assert_eq!(status, Some(0), "{said}");
    for part in [".local/state/lh/moves/", "to take it back: ", "the configured scope, project, says"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(["decisions.jsonl", "handoff.md"].map(bytes), [None, None]);
    let hash = lh::record::item::hash(b"github.com/dev/tally");
    assert!(home.path(".claude/memory").join(hash).join("decisions.jsonl").exists());
    assert!(home.told_in(&tally).contains("Use tabs in tally"), "it is read there");
    let others = home.session_in(&other, "bbbbbbbb-1");
    assert!(Path::new(others["memory_dir"].as_str().unwrap()).join("decisions.jsonl").exists(), "only one project's");

    let (status, said) = move_memory(&home, &other, &["project", "aaaaaaaa-1"]);
    assert!(status == Some(0) && !said.contains("configured scope"), "{said}");
    assert_eq!(["decisions.jsonl", "handoff.md"].map(bytes), before);
    assert_eq!(move_memory(&home, &tally, &[]).0, Some(1), "it is there already");
    assert_eq!(move_memory(&home, &tally, &["nowhere"]).0, Some(1));
    let store = move_memory(&home, &tally, &["store"]);
    assert!(
        store.0 == Some(0) && home.path("store/memory/github.com/dev/tally/decisions.jsonl").exists(),
        "{}",
        store.1
    );
    // A move is a change of the user, as any other one.
    let lh = |args: &[&str]| {
        let output = home.tool("lh").arg("undo").args(args).current_dir(&tally).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let list = lh(&["--list"]).1;
    let first = list.lines().next().unwrap();
    assert!(first.contains(" move 0002-"), "{list}");
    assert!(lh(&["-n"]).1.starts_with("would take back: "));
    let (status, said) = lh(&[]);
    assert!(status == Some(0) && said.starts_with("taken back: "), "{said}");
    assert_eq!(["decisions.jsonl", "handoff.md"].map(bytes), before);
    assert!(!lh(&["--list"]).1.contains(" move "));
}

#[test]
fn a_shared_memory_that_is_called_by_the_path_goes_to_the_one_of_the_remote() {
    let home = home("shared");
    let cwd = home.checkout("tally", "");
    home.decide(&home.session_in(&cwd, "aaaaaaaa-1"), "Use tabs in tally", &[]);
    let by_path = home.path(".claude/memory").join(lh::record::item::hash(cwd.to_str().unwrap().as_bytes()));
    assert!(by_path.join("decisions.jsonl").exists());
    home.checkout("tally", "https://github.com/dev/tally");
    let (status, said) = move_memory(&home, &cwd, &[]);
    let by_name = home.path(".claude/memory").join(lh::record::item::hash(b"github.com/dev/tally"));
    assert!(status == Some(0) && said.contains(".local/state/lh/moves/"), "{said}");
    assert!(!by_path.join("decisions.jsonl").exists() && by_name.join("decisions.jsonl").exists());
    assert!(home.told_in(&cwd).contains("Use tabs in tally"));
    assert_eq!(move_memory(&home, &cwd, &[]).0, Some(1));
}

#[test]
fn a_strangers_branch_leads_to_no_other_memory() {
    let home = home("project");
    let [app, other] = ["app", "other"].map(|name| home.checkout(name, ""));
    assert_eq!(
        home.decide(&home.session_in(&other, "bbbbbbbb-1"), "Keep the parrots in the other house", &[]).0,
        Some(0)
    );
    let slug = home.project_folder(&other).file_name().unwrap().to_string_lossy().into_owned();
    let before = std::fs::read(home.project_folder(&other).join("memory/decisions.jsonl")).unwrap();
    for (number, branch) in
        [format!("../{slug}"), format!("../../{slug}/memory"), other.display().to_string()].iter().enumerate()
    {
        home.write("src/app/.git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        let session = home.session_in(&app, &format!("aaaaaaaa-{number}"));
        assert_eq!(session["memory_dir"], json!(home.project_folder(&app).join("memory")), "{branch}");
        assert_eq!(home.decide(&session, &format!("Paint the boat number {number} white"), &[]).0, Some(0));
        assert!(!home.told_in(&app).contains("parrots"), "{branch}");
        assert_eq!(
            std::fs::read(home.project_folder(&other).join("memory/decisions.jsonl")).unwrap(),
            before,
            "{branch}"
        );
    }
}

#[test]
fn two_folders_of_one_slug_have_no_common_memory() {
    let home = home("project");
    let [deep, flat] = ["b/c", "b-c"].map(|name| home.checkout(name, ""));
    assert_eq!(home.project_folder(&deep), home.project_folder(&flat));
    assert_eq!(
        home.decide(&home.session_in(&deep, "aaaaaaaa-1"), "Keep the parrots in the deep house", &[]).0,
        Some(0)
    );
    let stand = |session: &Value| {
        let output = home.tool("lh-summarize").arg("--progress").write_stdin(format!("{session}\n")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    // A hook keeps where it stands, before anything else.
    stand(&home.session_in(&deep, "aaaaaaaa-1"));
    assert!(home.told_in(&deep).contains("parrots"));
    let told = home.told_in(&flat);
    assert!(!told.contains("parrots") && !told.contains("aaaaaaaa-1"), "{told}");
    stand(&home.session_in(&flat, "bbbbbbbb-1"));
    assert_eq!(home.decide(&home.session_in(&flat, "bbbbbbbb-1"), "Paint the flat boat white", &[]).0, Some(0));
    assert!(home.told_in(&flat).contains("boat"));
    let told = home.told_in(&deep);
    assert!(told.contains("parrots") && !told.contains("boat") && !told.contains("bbbbbbbb-1"), "{told}");
}

/// Each way to write a remote, with what a user's own configuration makes of it.
#[test]
fn a_remote_in_any_spelling_leads_to_its_memory_or_the_doctor_names_it() {
    let (mut read, mut named) = (0, Vec::new());
    for row in include_str!("lazy-harness/remotes.tsv").lines().filter(|line| !line.starts_with('#')) {
        let cell = |cell: &str| serde_json::from_str::<String>(&format!("\"{cell}\"")).unwrap();
        let [what, remotes, ssh, git, folder] = row.split('\t').map(cell).collect::<Vec<_>>().try_into().unwrap();
        let home = home("store");
        for (path, text) in [(".ssh/config", &ssh), (".gitconfig", &git)] {
            home.write(path, text);
        }
        let cwd = home.checkout("walrus", "");
        home.write("src/walrus/.git/config", &remotes);
        home.transcript("aaaaaaaa-1", &cwd, 3);
        let beside = home.project_folder(&cwd).join("memory");
        let memory = if folder.is_empty() { beside } else { home.path("store/memory").join(&folder) };
        std::fs::create_dir_all(&memory).unwrap();
        let kept = json!({"ts": "2026-04-13T12:00:00Z", "type": "decision", "summary": "Feed the walrus at noon"});
        std::fs::write(memory.join("decisions.jsonl"), format!("{kept}\n")).unwrap();
        if home.told_in(&cwd).contains("walrus at noon") {
            read += 1;
            continue;
        }
        let output = home.tool("lh-doctor").arg("--text").env("PATH", path()).output().unwrap();
        let (line, said) = (format!("lh-setup --renamed-from '{folder}'"), String::from_utf8_lossy(&output.stdout));
        assert!(said.contains(&format!("leads to the memory of '{folder}'")) && said.contains(&line), "{what}: {said}");
        let tools = binary("lh-setup").parent().unwrap().display().to_string();
        let mut shell = home.run(Path::new("/bin/sh"));
        shell.args(["-c", &format!("{line} -y")]).env("PATH", format!("{tools}:{}", path())).current_dir(&cwd);
        let mended = shell.output().unwrap();
        assert!(mended.status.success(), "{what}: {}", String::from_utf8_lossy(&mended.stderr));
        assert!(home.told_in(&cwd).contains("walrus at noon"), "{what}");
        named.push(what);
    }
    assert_eq!((read, named.len()), (53, 12), "{named:?}");
}
