//! What lazy-harness 0.45.1 left behind: its files as it wrote them (tests/lazy-harness, made by
//! scripts/dev/takeover-home), read in place and taken over.

use crate::home::{Home, binary};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

const STORE: &str = "Documents/lazy-harness-knowledge";
/// The session of the task that is pending.
const PENDING: &str = "a782ab8e-5dd7-5859-8562-60c2840a459f";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A home as lazy-harness left it.
struct Left(Home);

impl std::ops::Deref for Left {
    type Target = Home;

    fn deref(&self) -> &Home {
        &self.0
    }
}

impl Left {
    /// With a project without a remote, one with one, a slim handoff, and a task.
    fn new() -> Self {
        let home = Self(Home::new());
        let client = ".claude-personal";
        home.put("config.toml", ".config/lazy-harness/config.toml");
        home.put("knowledge.toml", &format!("{STORE}/knowledge.toml"));
        home.put("settings.json", &format!("{client}/settings.json"));
        home.put("settings-0.42.json", ".claude-work/settings.json");
        for (kind, folder) in [("learnings", "learnings/2026-11"), ("sessions", "sessions/2026-11")] {
            home.put_all(kind, &format!("{STORE}/{folder}"));
        }
        home.put_all("remote", &format!("{STORE}/memory/git.example.org/reed/lint-rig"));
        home.put_all("local", &home.notes());
        home.put_all("slim", &format!("{client}/projects/{}-plain-box/memory", home.slug()));
        home.put("pending.task", &format!("{client}/queue/1795411356-a782ab8e.task"));
        home.put("pending.jsonl", &home.pending());
        for folder in ["src/note.book", "plain-box"] {
            std::fs::create_dir_all(home.path(folder)).unwrap();
        }
        home
    }

    fn slug(&self) -> String {
        let path = self.path("").to_string_lossy().trim_end_matches('/').to_owned();
        path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    }

    /// The memory of the project without a remote.
    fn notes(&self) -> String {
        format!(".claude-personal/projects/{}-src-note-book/memory", self.slug())
    }

    fn pending(&self) -> String {
        format!(".claude-personal/projects/{}-src-note-book/{PENDING}.jsonl", self.slug())
    }

    /// A sample, with the paths of this home.
    fn put(&self, sample: &str, below: &str) {
        let text = std::fs::read_to_string(root().join("tests/lazy-harness").join(sample)).unwrap();
        let here = self.path("").to_string_lossy().trim_end_matches('/').to_owned();
        self.write(below, &text.replace("@HOME@", &here).replace("@SLUG@", &self.slug()));
    }

    fn put_all(&self, kind: &str, below: &str) {
        for name in names(&root().join("tests/lazy-harness").join(kind)) {
            self.put(&format!("{kind}/{name}"), &format!("{below}/{name}"));
        }
    }

    /// What it keeps in its store of the project that has a remote.
    fn store_memory(&self) -> Vec<(String, String)> {
        let below = format!("{STORE}/memory/git.example.org/reed/lint-rig");
        names(&self.path(&below))
            .into_iter()
            .map(|name| (name.clone(), self.read(&format!("{below}/{name}"))))
            .collect()
    }

    /// A tool or a script, as the user of that home calls it.
    fn taking(&self, program: &Path) -> assert_cmd::Command {
        let mut command = self.run(program);
        let path = format!("{}:{}:/usr/bin:/bin", self.path("fakes").display(), root().join("scripts").display());
        command.env("CLAUDE_CONFIG_DIR", self.path(".claude-personal")).env("PATH", path);
        command
    }

    /// What a new session in a folder is told.
    fn told(&self, folder: &str) -> String {
        let mut tool = self.taking(&binary("lh-context"));
        let output = tool.args(["--format", "markdown"]).current_dir(self.path(folder)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The receipts of a record that is distilled from the pending session.
    fn persists(&self, lists: &Value) -> Vec<Value> {
        let mut found = self.taking(&binary("lh-find-session"));
        let session = found.arg(self.path(&self.pending())).output().unwrap().stdout;
        let mut record: Value = serde_json::from_slice(&session).unwrap();
        record["type"] = json!("distilled");
        for (name, list) in lists.as_object().unwrap() {
            record[name] = list.clone();
        }
        let output = self.taking(&binary("lh-persist")).write_stdin(record.to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).map(|all| all.map(|entry| entry.unwrap().path()).collect());
    let paths: Vec<PathBuf> = entries.unwrap_or_default();
    let mut names: Vec<String> =
        paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The values of a field in a journal.
fn fields(journal: &str, field: &str) -> Vec<String> {
    let records = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.map(|record| record[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_it_kept_of_a_project_without_a_remote_is_told() {
    let home = Left::new();
    let told = home.told("src/note.book");
    let history = told.split("## Recent history").nth(1).unwrap();
    let notes = home.notes();
    for decision in fields(&home.read(&format!("{notes}/decisions.jsonl")), "summary") {
        assert_eq!(history.matches(&decision).count(), 1, "{told}");
    }
    let failures = home.read(&format!("{notes}/failures.jsonl"));
    for (failure, prevention) in fields(&failures, "summary").iter().zip(fields(&failures, "prevention")) {
        let told_so =
            |line: &&str| line.contains(&failure[..]) && line.ends_with(&format!("— prevention: {prevention}"));
        assert_eq!(history.lines().filter(told_so).count(), 1, "{told}");
    }
    assert_eq!(told.matches("- Write the second test of the cache stoat-0139").count(), 1, "{told}");
    // What it says of itself is not told: grades, and proposals that nobody accepted.
    assert!(!told.contains("heron-0141") && !told.contains("otter-0140"), "{told}");
}

#[test]
fn what_it_kept_is_not_written_again() {
    let home = Left::new();
    let notes = home.notes();
    let journals = ["decisions.jsonl", "failures.jsonl"].map(|name| format!("{notes}/{name}"));
    let before = journals.each_ref().map(|path| home.read(path));
    let shelf = home.path(&format!("{STORE}/learnings/2026-11"));
    let [decision, failure] = before.each_ref().map(|text| {
        let mut item: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        item["grounded"] = json!(true);
        item
    });
    let learning = json!({"title": "Sync before the rename of ibis-0138", "grounded": true,
        "learning": "A rename of ibis-0138 without a sync can leave an empty file.", "context": "Seen with the cache"});
    let receipts = home.persists(&json!({"decisions": [decision], "failures": [failure], "learnings": [learning]}));
    let items: Vec<&Value> = receipts.iter().filter(|receipt| receipt["type"] == "written").collect();
    assert_eq!(items.len(), 3, "{receipts:?}");
    assert!(items.iter().all(|receipt| ["duplicate_of", "unchanged"].iter().any(|word| receipt["result"] == *word)));
    assert_eq!(journals.each_ref().map(|path| home.read(path)), before);
    assert_eq!(names(&shelf), ["2026-11-23-sync-before-the-rename-of-ibis-0138-desk.md"]);
    // Something else is put behind its lines, in its fields first.
    let other = json!({"summary": "Read the ledger twice", "grounded": true});
    home.persists(&json!({ "decisions": [other] }));
    let after = home.read(&journals[0]);
    let added = after.strip_prefix(&before[0]).unwrap();
    let keys = |line: &str| {
        let record: serde_json::Map<String, Value> = serde_json::from_str(line.trim_end()).unwrap();
        record.keys().cloned().collect::<std::collections::BTreeSet<_>>()
    };
    assert!(keys(added).is_superset(&keys(before[0].lines().next().unwrap())), "{added}");
}

#[test]
fn its_pending_task_is_distilled_to_the_folder_that_it_names() {
    let home = Left::new();
    let list = home.taking(&binary("lh-dequeue")).arg("--list").output().unwrap().stdout;
    let task: Value = serde_json::from_slice(&list).unwrap();
    assert_eq!((&task["status"], &task["session_id"]), (&json!("due"), &json!(PENDING)));
    assert_eq!(task["memory_dir"].as_str(), home.path(&home.notes()).to_str());
    let before = home.read(&format!("{}/decisions.jsonl", home.notes()));
    let others = home.store_memory();
    assert_eq!(others.len(), 6);
    home.taking(&root().join("scripts/lh-worker")).assert().success();
    assert_eq!(home.store_memory(), others);
    let queue = home.path(".claude-personal/queue");
    assert_eq!(names(&queue.join("done")), ["1795411356-a782ab8e.task"], "{:?}", names(&queue.join("failed")));
    assert!(!queue.join("1795411356-a782ab8e.task").exists());
    assert!(home.read(&format!("{}/progress.md", home.notes())).contains(PENDING));
    assert!(home.read(&format!("{}/decisions.jsonl", home.notes())).starts_with(&before));
}

#[test]
fn the_store_that_its_configuration_names_is_used() {
    let home = Left::new();
    let pages = home.path(&format!("{STORE}/sessions/2026-11"));
    let theirs = names(&pages).remove(0);
    let text = home.read(&format!("{STORE}/sessions/2026-11/{theirs}"));
    for result in ["written", "unchanged"] {
        let found = home.taking(&binary("lh-find-session")).arg(home.path(&home.pending())).output().unwrap();
        let receipt = home.taking(&binary("lh-export")).write_stdin(found.stdout).output().unwrap().stdout;
        let receipt: Value = serde_json::from_slice(&receipt).unwrap();
        assert_eq!(receipt["result"], result);
    }
    assert_eq!(names(&pages).len(), 2);
    assert_eq!(home.read(&format!("{STORE}/sessions/2026-11/{theirs}")), text);
    // Its readers find their keys in our page, in their order.
    let keys = |text: &str| -> Vec<String> {
        let head = text.split("---\n").nth(1).unwrap().to_owned();
        head.lines().filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
    };
    let ours = names(&pages).into_iter().find(|name| *name != theirs).unwrap();
    let mut ours = keys(&home.read(&format!("{STORE}/sessions/2026-11/{ours}")));
    let wanted = keys(&text);
    ours.retain(|key| wanted.contains(key));
    assert_eq!(ours, wanted);
}

#[test]
fn its_hooks_are_taken_out_and_those_of_others_stay() {
    let home = Left::new();
    for program in ["crontab", "systemctl"] {
        let path = home.write(&format!("fakes/{program}"), "#!/bin/sh\necho 'no crontab for you' >&2\nexit 1\n");
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    home.taking(&binary("lh-setup")).args(["--migrate", "--yes"]).assert().success();
    let personal = home.read(".claude-personal/settings.json");
    for gone in ["compound-loop", "session-export", "session-end", "context-inject", "pre-compact"] {
        assert!(!personal.contains(&format!("lh hook {gone}\"")), "{personal}");
    }
    for kept in ["lh hook pre-tool-use-security", "lh hook post-tool-use-format", "\"model\": \"opus\"", "Bash(ls:*)"] {
        assert_eq!(personal.matches(kept).count(), 1, "{personal}");
    }
    let work = home.read(".claude-work/settings.json");
    assert!(work.contains("\"command\": \"lh statusline\""), "{work}");
    for text in [&personal, &work] {
        assert_eq!(text.matches("/opt/fences/check --quiet").count(), 1, "{text}");
        for script in ["session-start", "pre-compact", "stop", "session-end"] {
            assert_eq!(text.matches(&format!("lh-hook-{script}")).count(), 1, "{text}");
        }
    }
}

#[test]
fn a_takeover_loses_nothing_and_can_be_taken_back() {
    let home = Left::new();
    for program in ["crontab", "systemctl"] {
        let path = home.write(&format!("fakes/{program}"), "#!/bin/sh\necho 'no crontab for you' >&2\nexit 1\n");
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    home.write("src/lint-rig/.git/HEAD", "ref: refs/heads/main\n");
    let remote = "[remote \"origin\"]\n\turl = https://dev:secret@Git.Example.ORG/reed/lint-rig.git\n";
    home.write("src/lint-rig/.git/config", remote);
    let settings = || [".claude-personal/settings.json", ".claude-work/settings.json"].map(|path| home.read(path));
    let theirs = || {
        let mut all = Vec::new();
        for folder in [format!("{STORE}/memory/git.example.org/reed/lint-rig"), home.notes()] {
            all.extend(["grades.jsonl", "claude-md.proposal.md"].map(|name| home.read(&format!("{folder}/{name}"))));
        }
        all
    };
    let (before, kept) = (settings(), theirs());
    let all_told = |when: &str| {
        let told = home.told("src/lint-rig");
        for fact in ["parser stoat-0129 in one file", "test of the parser badger-0132"] {
            assert_eq!(told.matches(fact).count(), 1, "{when}: {fact}: {told}");
        }
        assert_eq!(home.told("src/note.book").matches("test of the cache stoat-0139").count(), 1, "{when}");
        assert!(!home.told("plain-box").contains("still open"), "{when}: a slim handoff has nothing open");
    };
    let set_up = |arguments: &[&str]| {
        let output = home.taking(&binary("lh-setup")).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    };
    all_told("before");
    let said = set_up(&["--migrate", "-y"]);
    assert!(!said.contains("unknown key"), "{said}");
    assert!(home.read(".config/lazy-harness/config.toml").contains("scope = \"store\""));
    all_told("after --migrate");
    let local = names(&home.path(&format!("{STORE}/memory/local")));
    assert_eq!(local.len(), 2, "{local:?}");
    let status = home.taking(&crate::home::binary("lh")).arg("status").current_dir(home.path("src/lint-rig")).output();
    let status = String::from_utf8(status.unwrap().stdout).unwrap();
    assert!(status.contains("memory    7 decisions, "), "{status}");
    for scope in ["project", "store", "project"] {
        set_up(&["--scope", scope, "-y"]);
        all_told(scope);
        assert_eq!(theirs(), kept, "{scope}");
    }
    set_up(&["--uninstall"]);
    assert_eq!(settings(), before);
}

#[test]
fn its_other_hooks_are_given_to_its_own_lh() {
    let home = Left::new();
    let mut call = home.taking(&crate::home::binary("lh"));
    let output = call.args(["hook", "pre-tool-use-security"]).write_stdin("{}").output().unwrap();
    assert_eq!(output.status.code(), Some(69));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("'hook pre-tool-use-security' is lazy-harness's, and its lh is not on PATH"), "{said}");
    let theirs = home.write("their own/lh", "#!/bin/sh\necho \"$*\"\ncat\nexit 2\n");
    std::fs::set_permissions(&theirs, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", root().join("scripts").display(), home.path("their own").display());
    let mut call = home.taking(&crate::home::binary("lh"));
    let call = call.args(["hook", "pre-tool-use-security", "a b"]).env("PATH", path).write_stdin("{}");
    let output = call.output().unwrap();
    // Its status is its own: with 2 it blocks a command.
    assert_eq!((output.status.code(), output.stdout), (Some(2), b"hook pre-tool-use-security a b\n{}".to_vec()));
}

/// What there is after a takeover: the configuration, and every file of memory with what is in it.
fn taken(home: &Left) -> Vec<(String, String)> {
    let here = home.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let plain = |text: &str| text.replace(&here, "@HOME@").replace(&home.slug(), "@SLUG@");
    let mut found = vec![("config".to_owned(), home.read(".config/lazy-harness/config.toml"))];
    let mut folders = vec![home.path(STORE).join("memory"), home.path(".claude-personal/projects")];
    while let Some(folder) = folders.pop() {
        for name in names(&folder) {
            let path = folder.join(&name);
            match name.as_str() {
                ".state" => {}
                _ if path.is_dir() => folders.push(path),
                _ if name == "decisions.jsonl" || name == "failures.jsonl" => {
                    found.push((plain(&path.to_string_lossy()), plain(&std::fs::read_to_string(&path).unwrap())));
                }
                _ => found.push((plain(&path.to_string_lossy()), String::new())),
            }
        }
    }
    // The folder of a project without a remote is called after its path.
    for (path, _) in &mut found {
        if let Some((before, rest)) = path.split_once("/local/") {
            let below = rest.split_once('/').map_or("", |(_, below)| below);
            *path = format!("{before}/local/X/{below}");
        }
    }
    found.sort();
    found
}

#[test]
fn a_takeover_that_was_killed_is_ended_by_the_next_one() {
    const CALLS: &str = "renameat,renameat2,linkat,unlinkat,mkdirat,mkdir,rename";
    let set_up = |home: &Left, kill: Option<usize>| {
        let path = format!("{}:{}:/usr/bin:/bin", home.path("fakes").display(), root().join("scripts").display());
        let mut command = std::process::Command::new(if kill.is_some() { "strace".into() } else { binary("lh-setup") });
        if let Some(at) = kill {
            let inject = format!("inject={CALLS}:signal=KILL:when={at}");
            command.args(["-f", "-o", "/dev/null", "-e", &format!("trace={CALLS}"), "-e", &inject]);
            command.arg(binary("lh-setup"));
        }
        command.args(["--migrate", "-y"]).env_clear().env("HOME", home.path("")).env("PATH", path);
        command.env("CLAUDE_CONFIG_DIR", home.path(".claude-personal")).current_dir(home.path(""));
        command.env("LH_BIN", binary("lh-gate").parent().unwrap()).env("TZ", "UTC");
        command.output()
    };
    let whole = Left::new();
    assert!(set_up(&whole, None).unwrap().status.success());
    let wanted = taken(&whole);
    let mut broken = Vec::new();
    for at in 1..400 {
        let home = Left::new();
        let Ok(killed) = set_up(&home, Some(at)) else { return };
        if killed.status.success() || String::from_utf8_lossy(&killed.stderr).starts_with("strace:") {
            break;
        }
        let again = set_up(&home, None).unwrap();
        let said = String::from_utf8_lossy(&again.stderr).into_owned();
        let now = taken(&home);
        if !again.status.success() || now != wanted {
            let differs: Vec<_> = now.iter().filter(|one| !wanted.contains(one)).map(|(path, _)| path).collect();
            let lacks: Vec<_> = wanted.iter().filter(|one| !now.contains(one)).map(|(path, _)| path).collect();
            broken.push(format!("{at}: {differs:?} for {lacks:?}: {said}"));
        }
    }
    assert!(broken.is_empty(), "{} of the kills: {}", broken.len(), broken.join("\n"));
}

#[test]
fn what_only_the_receipts_say_is_not_taken_for_memory() {
    // The checker's look at the files, without the take-over.
    let look = "import sys\npath = sys.argv.pop(1)\nexec(open(path).read().rsplit('\\nfor place in scene', 1)[0])\n\
        look = Where(False)\nlook.memory['rig'] = {homes[0] + '/projects/-src-rig/memory': homes[0]}\nprint(*(look.of(fact) for fact in facts))";
    let ran = |home: &Home, folder: &Path| {
        let mut python = home.run(Path::new("/usr/bin/env"));
        python.args(["python3", "-c", look]).arg(root().join("scripts/dev/takeover-check")).arg(folder).arg("/nowhere");
        python.env("XDG_STATE_HOME", home.path("state")).env("XDG_CONFIG_HOME", home.path(".config"));
        python.output().unwrap()
    };
    let home = Home::new();
    let folder = home.path("").canonicalize().unwrap();
    if !home.run(Path::new("/usr/bin/env")).args(["python3", "--version"]).output().unwrap().status.success() {
        let _ = writeln!(std::io::stderr(), "skipped: there is no python3");
        return;
    }
    let fact = |kind: &str, word: &str| json!({"kind": kind, "word": word, "group": "rig", "place": "rig"});
    let facts = [fact("decision", "amber-10001"), fact("decision", "amber-10002"), fact("note", "amber-10003")];
    let scene = json!({"home": folder, "store": folder.join("store"), "homes": [folder.join(".claude")], "facts": facts, "places": []});
    home.write("facts.json", &scene.to_string());
    home.write(".config/lazy-harness/config.toml", "");
    let memory = ".claude/projects/-src-rig/memory";
    home.write(&format!("{memory}/decisions.jsonl"), "{\"summary\":\"Paint the amber-10002 green\"}\n");
    for (name, word) in [("decisions.jsonl", "amber-10001"), ("notes.jsonl", "amber-10003")] {
        home.write(
            &format!("{memory}/.state/receipts/{name}"),
            &format!("{{\"summary\":\"Paint the {word} green\"}}\n"),
        );
    }
    let output = ran(&home, &folder);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "lost found lost\n");
}
