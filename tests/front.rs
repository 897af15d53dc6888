//! What a person types: numbers of the last list, a session taken out, an item edited, a key set, a choice.

use crate::bad_input::skipped;
use crate::home::{Home, binary};
use crate::pipes::Scene;
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SESSION: &str = "bbbbbbbb-0000-4000-8000-000000000002";

impl Scene {
    /// What a line of a shell prints on a terminal of this size.
    fn on_terminal(&self, rows: usize, line: &str) -> Option<String> {
        if !Path::new("/usr/bin/script").exists() {
            skipped("no script(1) here");
            return None;
        }
        self.0.write("line", &format!("stty rows {rows} cols 80\n{line}\n"));
        let (said, _) = self.shell("TERM=xterm script -qec 'sh line' /dev/null </dev/null");
        Some(said.replace('\r', ""))
    }

    /// A line ends with this status, and says this.
    #[track_caller]
    fn ends(&self, line: &str, status: i32, what: &str) {
        let (said, code) = self.shell(line);
        assert!(code == Some(status) && said.contains(what), "{line}: {said}");
    }

    /// A second session, of which something of each kind is kept.
    pub fn second_session(&self) {
        let cwd = self.0.path("").canonicalize().unwrap();
        let transcript = self.0.transcript(SESSION, &cwd, 4);
        let quote = |text: &str| json!([{"quote": text, "said_by": "user"}]);
        let record = json!({
            "type": "distilled", "session_id": SESSION, "transcript": transcript, "cwd": cwd,
            "project": cwd.file_name().unwrap().to_string_lossy(), "memory_dir": self.0.own_memory(),
            "agent_home": self.0.path(".claude"), "source_size_bytes": 9, "source_modified_at": "2026-04-14T21:00:00Z",
            "ts": "2026-04-14T20:59:00Z", "messages": 8, "conversation_hash": "00fe", "engine": "claude",
            "handoff_base": "in part", "language": "en",
            "decisions": [
                {"summary": "Count walrus tusks by hand", "evidence": quote("x"), "grounded": true},
                {"summary": "A walrus guess that nobody said", "evidence": [], "grounded": false},
            ],
            "failures": [{"summary": "The walrus pool leaked", "evidence": quote("x"), "grounded": true}],
            "memories": [{"name": "walrus-feed", "description": "The walrus eats at noon", "memory_type": "project",
                          "evidence": quote("x"), "grounded": true}],
            "learnings": [{"title": "A walrus needs ice", "learning": "Without ice it is unwell.", "scope": "universal",
                           "evidence": quote("x"), "grounded": true}],
            "handoff": [{"summary": "Wash the walrus", "evidence": quote("x"), "grounded": true}],
        });
        self.0.tool("lh-persist").write_stdin(format!("{record}\n")).assert().success();
        self.does(&format!("lh-find-session '{}' | lh-export >/dev/null", transcript.display()));
        self.does(&format!("lh-find-session '{}' | lh-summarize --progress >/dev/null", transcript.display()));
        // An episode that was taken out does not come again.
        self.shell(&format!(
            "lh-find-session '{}' | LH_NOW=2026-04-15T12:00:00Z lh-episode >/dev/null",
            transcript.display()
        ));
    }

    /// All files with what they hold, without archives, locks and lists.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.0.path("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                if name == ".archive" || name.ends_with("lock") || name == "lists" {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    found.insert(path.strip_prefix(self.0.path("")).unwrap().display().to_string(), bytes);
                }
            }
        }
        found
    }

    /// An editor that runs this command of sed.
    fn editor(&self, command: &str) -> String {
        let path = self.0.write("editor", &format!("#!/bin/sh\ncp \"$1\" \"$HOME/seen\"\nsed -i '{command}' \"$1\"\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        // What a person typed is kept in a folder for temporary files.
        format!("TMPDIR=$HOME EDITOR={} ", path.display())
    }

    fn id(&self, kind: &str, word: &str) -> String {
        self.does(&format!("lh-recall --list --type {kind} | grep '{word}' | jq -r .id")).trim().to_owned()
    }
}

#[test]
fn a_number_names_a_line_of_the_last_list() {
    let scene = Scene::new();
    let list = scene.does("lh ls decisions");
    assert!(list.starts_with("1  ") && list.lines().nth(1).unwrap().starts_with("2  "), "{list}");
    assert_eq!(scene.does("lh decisions"), list, "a word that people try");
    assert!(scene.does("lh help all").contains("  cost                     lh doctor --cost\n"));
    assert!(scene.does("lh show 2").contains("zebra stripes"));
    let said = scene.does("lh forget -n 1-2");
    assert!(said.contains("queue as files") && said.contains("zebra stripes"), "{said}");
    assert!(scene.does("lh forget 2").contains("zebra stripes"));
    for (line, status, what) in [
        ("lh done 1", 65, "is of the kind 'decision', expected an open item"),
        ("lh show 3", 65, "the last list has the numbers 1 to 2: run lh ls"),
        ("lh show 0", 65, "the last list has the numbers 1 to 2"),
        ("lh forget 2-1", 65, "the first number is larger"),
        // Another terminal has another list.
        ("setsid -w lh show 1", 65, "what was printed last in this terminal has no numbers: run lh ls"),
    ] {
        scene.ends(line, status, what);
    }
    scene.does("lh ls open");
    assert_eq!(scene.does("lh done 1-2").matches("closed: ").count(), 2);
    let lists = scene.0.path(".local/state/lh/lists");
    let modes = std::fs::read_dir(&lists).unwrap().map(|entry| entry.unwrap().metadata().unwrap().permissions().mode());
    assert!(modes.map(|mode| mode & 0o777).eq([0o600]), "one list of one session");
    assert_eq!(lists.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    // Records have no numbers, and leave the list alone.
    scene.does("lh ls decisions");
    assert!(scene.does("lh ls open --json | cat; lh show 1").contains("queue as files"));
}

/// There the system gives 0 for the process that leads the session.
#[test]
fn a_list_is_printed_in_a_container_that_hides_the_leader_of_the_session() {
    let scene = Scene::new();
    for options in ["--pid --mount", "--pid --mount --map-root-user"] {
        let inside = |line: &str| scene.shell(&format!("unshare {options} --fork --mount-proc sh -c '{line}'"));
        if inside("true").1 == Some(0) {
            let (said, status) = inside("lh ls decisions && lh show 2");
            return assert!(status == Some(0) && said.contains("\n2  ") && said.contains("said by"), "{said}");
        }
    }
    crate::bad_input::skipped("no namespace can be made here");
}

#[test]
fn an_id_works_from_any_folder() {
    let scene = Scene::new();
    let (open, decision) = (scene.id("open", "zebra"), scene.id("decision", "zebra"));
    std::fs::create_dir(scene.0.path("elsewhere")).unwrap();
    let away = |line: &str| scene.does(&format!("cd elsewhere && mkdir -p .git && {line}"));
    assert!(away(&format!("lh show {decision}")).contains("zebra stripes"));
    assert!(away(&format!("lh history {decision}")).contains("session aaaaaaaa"));
    assert!(away(&format!("lh forget -n {decision}")).contains("would forget: "));
    assert!(away(&format!("lh done {open}")).contains("closed: "));
    assert!(!scene.does("lh done").contains("zebra"));
    assert!(away(&format!("lh done --undo {open}")).contains("open again: "));
    let said = away(&format!("lh forget {decision} && lh forget --undo {decision}"));
    assert!(said.contains("forgotten: ") && said.contains("told again: "), "{said}");
    let (said, status) = scene.shell(&format!("cd elsewhere && lh done {open} ffffffff"));
    assert!(status == Some(65) && said.contains("nothing open here is 'ffffffff'"), "{said}");
    assert!(scene.does("lh done").contains("zebra"), "nothing was done where one is not known");
    assert!(!scene.0.path("elsewhere/.claude").exists());
}

#[test]
fn a_long_list_goes_through_the_pager_on_a_terminal_alone() {
    let scene = Scene::new();
    let pager = "export LH_PAGER='sed s/^/P:/'\n";
    let Some(said) = scene.on_terminal(3, &format!("{pager} lh ls; echo status $?; lh show 1")) else { return };
    assert!(said.matches("\nP:").count() > 3 && said.contains("status 0"), "{said}");
    let said = scene.on_terminal(99, &format!("{pager} lh ls")).unwrap();
    assert!(said.contains("zebra") && !said.contains("P:"), "{said}");
    let said = scene.on_terminal(3, &format!("{pager} lh ls | cat; lh ls >file; LH_PAGER=cat lh ls")).unwrap();
    assert!(said.contains("zebra") && !said.contains("P:"), "{said}");
    let (said, status) = scene.shell("lh ls decisions >list; lh show 1 ffffffff");
    assert!(status == Some(1) && said.contains("queue as files") && said.contains("'ffffffff': nothing"), "{said}");
    let said = scene.on_terminal(3, "PAGER='no-such-pager -x' lh ls").unwrap();
    assert!(said.contains("zebra"), "{said}");
    let said = scene.on_terminal(3, "PAGER='sed s/^/Q:/' lh ls").unwrap();
    assert!(said.contains("Q:"), "{said}");
}

#[test]
fn a_session_is_taken_out_and_comes_back_to_the_byte() {
    let scene = Scene::new();
    scene.second_session();
    std::fs::write(scene.0.own_memory().join("briefing.md"), "- feed the walrus\n").unwrap();
    let before = scene.files();
    let would = scene.does("lh rm -n bbbbbbbb");
    assert_eq!(before, scene.files(), "a dry run changes nothing");
    let said = scene.does("lh rm bbbbbbbb");
    assert_eq!(would.replace("would remove", "removed").replace("would shorten", "shortened"), said);
    for name in [
        "decisions.jsonl", "failures.jsonl", "quarantine.jsonl", "notes.jsonl", "walrus-feed.md", "MEMORY.md",
        "progress.md", "handoff.md", "episodes/session-", "receipts/", "sessions/2026-04/", "learnings/2026-04/",
        "queue/state/", "briefing.md",
    ] {
        assert!(said.contains(name), "{name}: {said}");
    }
    let traces: Vec<String> = scene
        .files()
        .into_iter()
        .filter(|(name, bytes)| {
            let is_said =
                bytes.windows(6).any(|part| part == b"walrus") || String::from_utf8_lossy(bytes).contains("bbbbbbbb");
            is_said && !name.ends_with(&format!("{SESSION}.jsonl"))
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(traces, Vec::<String>::new());
    for line in [
        "lh search walrus",
        "lh show bbbbbbbb",
        "lh-find-session --all | grep bbbbbbbb",
        "lh-find-session --missing | grep bbbb",
    ] {
        assert_eq!(scene.shell(line).1, Some(1), "{line}");
    }
    for line in ["lh ls", "lh-context </dev/null", "lh-select walrus </dev/null; true", "lh done"] {
        let told = scene.does(line);
        assert!(!told.contains("alrus") && !told.contains("bbbbbbbb"), "{line}: {told}");
    }
    let payload = json!({"session_id": SESSION, "transcript_path": scene.0.project_folder(&scene.0.path("").canonicalize().unwrap()).join(format!("{SESSION}.jsonl")), "cwd": scene.0.path("")});
    assert_eq!(scene.shell(&format!("echo '{payload}' | lh-find-session")), (String::new(), Some(1)), "a hook of it");
    // The pointer that this start made is not the newest any more.
    scene.ends(&format!("lh-find-session {SESSION}"), 1, &format!("'lh rm --undo {SESSION}' brings it back"));
    let back = scene.does("lh rm --undo");
    assert!(back.lines().all(|line| line.starts_with("restored: ")), "{back}");
    assert_eq!(before.keys().collect::<Vec<_>>(), scene.files().keys().collect::<Vec<_>>());
    for (name, bytes) in scene.files() {
        assert!(before[&name] == bytes, "{name}: {}", String::from_utf8_lossy(&bytes));
    }
    assert_eq!(scene.shell("lh rm --undo").1, Some(1), "once is enough");
}

#[test]
fn what_came_after_a_removal_stays_when_it_is_taken_back() {
    let scene = Scene::new();
    scene.second_session();
    scene.does("lh rm bbbbbbbb");
    // The receipts of all folders are one run, also where a second ends between two of them.
    let receipts = "find . -path '*.archive/receipts/*remove*'";
    assert_ne!(scene.does(&format!("{receipts} | wc -l")).trim(), "1");
    assert_eq!(scene.does(&format!("{receipts} -exec jq -r .ts {{}} + | sort -u | wc -l")).trim(), "1");
    scene.does("lh-persist --remember 'The seal sleeps at noon'");
    let decision = scene.id("decision", "zebra");
    scene.does(&format!("lh forget {decision}"));
    assert!(scene.does("lh undo -l").contains("-remove-bbbbbbbb"));
    let back = scene.does("lh rm --undo bbbbbbbb");
    let is_left = |line: &&str| line.starts_with("left: ");
    let left: Vec<&str> = back
        .lines()
        .filter(is_left)
        .filter(|line| !line.contains("MEMORY.md") && !line.contains("filed.json"))
        .collect();
    assert!(back.contains("decisions.jsonl") && left.is_empty(), "what follows the journal is made anew: {back}");
    let index = std::fs::read_to_string(scene.0.own_memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("walrus-feed.md") && index.contains("seal"), "{index}");
    let list = scene.does("lh ls");
    for word in ["Count walrus tusks", "walrus pool", "The walrus eats", "A walrus needs ice", "The seal sleeps"] {
        assert!(list.contains(word), "{word}: {list}");
    }
    assert!(list.contains("(forgotten) Use zebra"), "{list}");
    let (said, status) = scene.shell("lh rm --undo bbbbbbbb");
    assert!(status == Some(65) && said.contains("was not taken out, or is back"), "{said}");
}

#[test]
fn what_is_written_of_a_session_after_its_removal_is_taken_out_again() {
    let scene = Scene::new();
    scene.second_session();
    scene.does("lh rm bbbbbbbb");
    let clean = scene.does("lh ls");
    // A worker that a person started by hand.
    scene.second_session();
    assert!(scene.does("lh ls").contains("Count walrus tusks"));
    scene.does("lh rm bbbbbbbb");
    assert_eq!(scene.does("lh ls"), clean);
    assert_eq!(scene.shell("lh rm bbbbbbbb").1, Some(1), "nothing of it is left");
    assert_eq!(scene.shell("lh rm cccccccc").1, Some(1));
    assert!(scene.does("lh rm --undo bbbbbbbb").contains("restored: "));
    assert!(scene.does("lh ls").contains("Count walrus tusks"));
}

#[test]
fn a_learning_is_taken_out_and_other_items_are_not() {
    let scene = Scene::new();
    let id = scene.id("learning", "while a model");
    let said = scene.does(&format!("lh rm {id}"));
    assert!(said.starts_with("removed: ") && said.lines().count() == 1, "{said}");
    assert!(!scene.does("lh ls learnings").contains("while a model"));
    assert!(scene.does(&format!("lh rm --undo {id}")).starts_with("restored: "));
    assert!(scene.does("lh ls learnings").contains("while a model"));
    let decision = scene.id("decision", "zebra");
    for (line, status, what) in [
        (format!("lh rm {decision}"), 65, "expected a session or a learning: lh forget ID"),
        ("lh rm ffffffff".to_owned(), 1, "nothing that is remembered has this id"),
        ("lh rm </dev/null".to_owned(), 64, "give the id of a session or of a learning"),
        ("lh rm --undo".to_owned(), 1, "nothing is taken out"),
    ] {
        scene.ends(&line, status, what);
    }
}

#[test]
fn an_item_is_edited_and_keeps_its_history() {
    let scene = Scene::new();
    scene.second_session();
    let (decision, open) = (scene.id("decision", "zebra"), scene.id("open", "Wash"));
    let edit = scene.editor("s/zebra/okapi/");
    let said = scene.does(&format!("{edit} lh edit {decision}"));
    assert!(said.starts_with("edited: ") && said.contains("okapi stripes") && said.contains("in place of"), "{said}");
    assert!(scene.0.read("seen").contains("summary = \"Use zebra stripes in the table\"\n"));
    let history = scene.does("lh history okapi");
    assert!(
        history.contains("zebra stripes") && history.contains("in place of") && history.contains("replaced"),
        "{history}"
    );
    let (said, status) = scene.shell(&format!("{edit} lh edit {decision}"));
    assert!(status == Some(65) && said.contains("was replaced by"), "{said}");
    assert!(scene.does("lh undo").starts_with("removed: "));
    assert!(!scene.does("lh ls decisions").contains("okapi"));
    let said = scene.does(&format!("{} lh edit {open}", scene.editor("s/Wash/Dry/")));
    assert!(said.contains("Dry the walrus"), "{said}");
    let left = scene.does("lh done");
    assert!(left.contains("Dry the walrus") && !left.contains("Wash"), "{left}");
    // A typed memory: its file and its line follow.
    let memory = scene.id("memory", "noon");
    scene.does(&format!("{} lh edit {memory}", scene.editor("s/at noon/at dawn/")));
    assert!(scene.0.own_memory().join("walrus-feed.md").exists());
    assert!(scene.does("lh ls memories").contains("at dawn"));
    // A learning is changed where it is, and comes back.
    let learning = scene.id("learning", "ice");
    scene.does(&format!("{} lh edit {learning}", scene.editor("s/it is unwell/it is sad/")));
    assert!(scene.does("lh search sad ice").contains("it is sad"));
    assert!(scene.does("lh undo").contains("restored: "));
    assert!(scene.does("lh search unwell ice").contains("it is unwell"));
}

#[test]
fn undo_takes_back_the_last_change_of_the_user_in_whichever_project() {
    let scene = Scene::new();
    let name = scene.0.path("").canonicalize().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    let away = |line: &str| scene.shell(&format!("mkdir -p other/.git && cd other && {line}"));
    let id = |kind: &str| scene.id(kind, "zebra");
    let (open, decision) = (id("open"), id("decision"));
    // What a session gave elsewhere is no change of the user.
    assert_eq!(away("lh undo"), ("lh undo: nothing was changed that can be taken back\n".to_owned(), Some(1)));
    assert_eq!(away("LH_NOW=2026-05-01T12:00:00Z lh-persist --remember 'Walk the dog at noon'").1, Some(0));
    for (change, back) in [
        (format!("lh done {open}"), "open again: "),
        (format!("lh forget {decision}"), "told again: "),
        (format!("{} lh edit {decision}", scene.editor("s/zebra/okapi/")), "removed: "),
        (format!("{} lh edit {open}", scene.editor("s/zebra/okapi/")), "open again: "),
    ] {
        let before = scene.does("lh ls open; lh ls decisions");
        assert_eq!(away(&change).1, Some(0), "{change}");
        assert_ne!(scene.does("lh ls open; lh ls decisions"), before);
        let list = away("lh undo -l").0;
        assert!(list.lines().next().unwrap().ends_with(&format!(" (project {name})")), "{list}");
        assert!(list.lines().last().unwrap().ends_with("Walk the dog at noon"), "{list}");
        let said = away("lh undo").0;
        assert!(said.starts_with(&format!("in the project {name}:\n")) && said.contains(back), "{change}: {said}");
        assert_eq!(scene.does("lh ls open; lh ls decisions"), before, "{change}");
    }
    // What belongs to all projects, also where it was taken out elsewhere.
    let learning = id_of(&scene.does("lh ls learnings --json"));
    assert_eq!(away(&format!("lh rm {learning}")).1, Some(0));
    assert!(away("lh undo").0.starts_with("restored: "));
    assert!(scene.does("lh-prune --remove bbbbbbbb -n; lh rm aaaaaaaa").contains("removed: "));
    let said = away("lh undo").0;
    assert!(said.contains("restored: ") && !said.contains("Walk the dog"), "{said}");
    // Then the one here, and nothing after it.
    assert!(away("lh undo").0.contains("Walk the dog at noon"));
    assert_eq!(away("lh undo").1, Some(1));
    // By its id what a session gave elsewhere, too.
    let said = away("lh undo aaaaaaaa").0;
    assert!(said.contains(&format!("in the project {name}:\nremoved: ")), "{said}");
}

#[test]
fn undo_looks_first_among_the_changes_of_the_project_at_hand() {
    let scene = Scene::new();
    let within = |name: &str, line: &str| scene.shell(&format!("mkdir -p {name}/.git && cd {name} && {line}"));
    for (at, name) in ["one", "two", "three"].into_iter().enumerate() {
        within(name, "true");
        let cwd = scene.0.path(name).canonicalize().unwrap();
        let session = format!("cccccccc-0000-4000-8000-00000000000{at}");
        let transcript = scene.0.transcript(&session, &cwd, 4);
        let record = json!({
            "type": "distilled", "session_id": session, "transcript": transcript, "cwd": cwd, "project": name,
            "memory_dir": transcript.with_file_name("memory"), "agent_home": scene.0.path(".claude"),
            "source_size_bytes": 9, "source_modified_at": "2026-04-14T21:00:00Z", "ts": "2026-04-14T20:59:00Z",
            "messages": 8, "conversation_hash": "00fe", "engine": "claude", "handoff_base": "none", "language": "en",
            "handoff": [{"summary": "Write the changelog", "evidence": [{"quote": "x", "said_by": "user"}],
                         "grounded": true}],
        });
        scene.0.tool("lh-persist").write_stdin(format!("{record}\n")).assert().success();
    }
    let id = within("one", "lh ls open --here --json | jq -r .id").0.trim().to_owned();
    let ends = |name: &str, line: &str, status: i32, what: &str| {
        let (said, code) = within(name, &format!("{line} {id}"));
        assert!(code == Some(status) && said.starts_with(what), "{name}: {line}: {said}");
    };
    let several = format!("lh undo: '{id}' means items of several projects: give more of the id");
    // What a session gave.
    ends("elsewhere", "lh undo -n", 65, &several);
    ends("three", "lh undo -n", 0, "would remove: ");
    // What a person did.
    for (at, name) in ["one", "two", "three"].into_iter().enumerate() {
        ends(name, &format!("LH_NOW=2026-05-01T12:0{at}:00Z lh done"), 0, "closed: ");
    }
    ends("one", "lh undo", 0, "open again: ");
    // Again it is what was before that here, and never the same in another project.
    ends("one", "lh undo -n", 0, "would remove: ");
    ends("one", "lh undo", 0, "removed: ");
    ends("one", "lh undo", 65, "lh undo: nothing of '");
    ends("two", "lh undo", 0, "open again: ");
    ends("elsewhere", "lh undo", 0, "in the project ");
    // What a list names is of the project that is named there, though the other one says the same.
    let (said, status) =
        within("two", "lh ls open --json | jq -c 'select(.path | test(\"three/memory\"))' | lh done -");
    assert!(status == Some(0) && said.contains("closed: "), "{said}");
    let open = ["two", "three"].map(|name| within(name, "lh done").0.contains("Write the changelog"));
    assert_eq!(open, [true, false], "{said}");
}

fn id_of(hit: &str) -> String {
    let hit: serde_json::Value = serde_json::from_str(hit.lines().next().unwrap()).unwrap();
    hit["id"].as_str().unwrap().to_owned()
}

#[test]
fn undo_goes_on_behind_what_cannot_be_taken_back() {
    let scene = Scene::new();
    let learning = id_of(&scene.does("lh ls learnings --json"));
    let list = scene.does("lh ls learnings");
    scene.does(&format!("lh forget {learning}"));
    assert!(scene.does("lh undo -l").lines().next().unwrap().contains(" forget "));
    assert!(scene.does("lh undo").starts_with("restored: "));
    assert_eq!(scene.does("lh ls learnings"), list);
    // Changed again by another hand: what was before it is taken back.
    let decision = scene.id("decision", "zebra");
    scene.does(&format!("lh forget {decision}"));
    scene.does(&format!("{} lh edit {learning}", scene.editor("s/blocks each/stops each/")));
    scene.does("sed -i 's/stops each/halts each/' Documents/lazy-harness-knowledge/learnings/2026-04/*");
    let said = scene.does("lh undo");
    assert!(said.starts_with("told again: "), "{said}");
    // Then all of a session: what goes is said before.
    let said = scene.does("lh undo");
    let what = "lh undo: this takes back all that the session aaaaaaaa-0000-4000-8000-000000000001 gave: 4 items";
    assert!(said.contains(what) && said.contains("| lh-persist' distils it again\n"), "{said}");
    assert_eq!(scene.shell("lh undo").1, Some(1));
    scene.second_session();
    let Some(said) = scene.on_terminal(24, "lh undo; lh undo -l | wc -l; lh undo -y; echo $?") else { return };
    assert!(said.contains("Go on? [y/N]") && said.contains("nothing was taken back\n1\n"), "{said}");
    assert!(said.contains("this takes back") && said.contains("removed: ") && said.ends_with("0\n"), "{said}");
}

#[test]
fn what_was_edited_twice_comes_back_step_by_step() {
    let scene = Scene::new();
    let before = scene.does("lh done");
    let open = scene.id("open", "zebra");
    scene.does(&format!("{} lh edit {open}", scene.editor("s/zebra/okapi/")));
    let once = scene.does("lh done");
    // What an edit took the place of was not done.
    scene.ends("lh done --undo", 65, "nothing was closed by hand here");
    scene.does(&format!("{} lh edit {}", scene.editor("s/okapi/gnu/"), scene.id("open", "okapi")));
    scene.does("lh undo");
    assert_eq!(scene.does("lh done | sort"), scene.does(&format!("printf '%s' '{once}' | sort")));
    scene.does("lh undo");
    assert_eq!(scene.does("lh done | sort"), scene.does(&format!("printf '%s' '{before}' | sort")));
}

#[test]
fn lines_for_people_fit_a_terminal() {
    let scene = Scene::new();
    let long =
        "We keep a rather long sentence in mind which says that the queue is made of plain files and of nothing else";
    scene.does(&format!("lh-persist --remember '{long}'"));
    for line in ["ls", "search queue", "config", "doctor", "help all", "forget", "undo -l", "history zebra", "review"] {
        let Some(said) = scene.on_terminal(999, &format!("PAGER=cat; lh {line} 2>&1")) else { return };
        // A path or an id that is long stays whole.
        let is_wide = |line: &&str| line.chars().count() > 80 && line.split(' ').all(|word| word.len() < 40);
        let parts = said
            .split('\u{1b}')
            .map(|part| part.strip_prefix('[').map_or(part, |part| part.split_once('m').unwrap().1));
        let plain: String = parts.collect();
        assert_eq!(plain.lines().filter(is_wide).collect::<Vec<_>>(), Vec::<&str>::new(), "{line}: {said}");
        assert!(!said.is_empty(), "{line}");
    }
    // A pipe gets the lines whole, and a record is one line everywhere.
    assert!(scene.does("lh forget </dev/null").contains(long));
    let said = scene.on_terminal(999, "lh ls memories --json").unwrap();
    assert!(said.lines().count() == 1 && said.contains(long), "{said}");
}

#[test]
fn a_list_on_a_terminal_has_a_line_for_each_item() {
    let scene = Scene::new();
    scene.second_session();
    let Some(said) = scene.on_terminal(99, "lh ls") else { return };
    assert_eq!(said.lines().count(), scene.does("lh ls").lines().count(), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80) && said.contains("  decision  "), "{said}");
    // What they all are was asked for.
    let said = scene.on_terminal(99, "lh ls decisions").unwrap();
    assert!(!said.contains("  decision  ") && said.matches("  2026-04-1").count() == 3, "{said}");
    assert!(scene.does("lh ls decisions").contains("  decision  "));
}

#[test]
fn nothing_is_silent_on_a_terminal() {
    let scene = Scene::new();
    for (line, says) in [
        ("lh log", "lh-doctor: the logs are empty: "),
        ("lh ls quarantine", "lh-persist: nothing is in the quarantine"),
        ("lh prune", "lh-prune: everything is within its bounds: nothing was archived"),
        ("lh prune -n", "lh-prune: everything is within its bounds: nothing would be archived"),
        ("lh ls episodes", "lh-recall: nothing was found"),
        ("mkdir -p new/.git; cd new; lh undo -l", "lh undo: nothing was changed that can be taken back"),
        ("cd new; lh done", "lh-done: nothing is open here"),
        ("cd new; lh forget", "lh-forget: nothing is remembered here"),
    ] {
        let Some(said) = scene.on_terminal(99, line) else { return };
        assert!(said.starts_with(says) && said.lines().count() == 1, "{line}: {said}");
    }
}

#[test]
fn a_project_that_cannot_be_read_does_not_stop_the_others() {
    let scene = Scene::new();
    let decision = scene.id("decision", "zebra");
    let broken = scene.0.path(".claude/projects/-src-broken/memory");
    std::fs::create_dir_all(broken.join("decisions.jsonl")).unwrap();
    std::fs::write(broken.join("handoff.md"), "# Open\n\n- Mend me\n").unwrap();
    for line in ["lh history", "lh forget -n"] {
        let (said, status) = scene.shell(&format!("mkdir -p away/.git && cd away && {line} {decision}"));
        assert!(status == Some(0) && said.contains("Use zebra stripes"), "{line}: {said}");
        assert!(said.contains("-src-broken"), "it is told: {said}");
    }
}

#[test]
fn what_an_edit_makes_is_checked() {
    let scene = Scene::new();
    let id = scene.id("decision", "zebra");
    let before = scene.does("lh ls decisions");
    for (command, status, what) in [
        ("", 1, "nothing was changed"),
        ("s/^summary/sumary/", 65, "unknown key 'sumary'; did you mean 'summary'?"),
        ("s/table\"/table/", 65, "line 3: "),
        ("s/^summary = .*/summary = 3/", 65, "summary: expected a text between quotation marks, found 3"),
        ("s/^summary = .*/summary = \"\"/", 65, "it says nothing: to say that an item is wrong, use lh forget ID"),
    ] {
        let (said, code) = scene.shell(&format!("{} lh edit {id}", scene.editor(command)));
        assert!(code == Some(status) && said.contains(what), "{command}: {said}");
        if status == 65 {
            let kept = said.trim().rsplit(' ').next().unwrap();
            assert!(Path::new(kept).is_file(), "what was typed is not lost: {said}");
        }
    }
    for (line, status, what) in [
        (format!("EDITOR=false lh edit {id}"), 1, "ended with an error: nothing was changed"),
        (format!("EDITOR=no-such-editor lh edit {id}"), 69, "set VISUAL or EDITOR"),
        (format!("VISUAL=true EDITOR=false lh edit {id}"), 1, "nothing was changed"),
        ("lh edit ffffffff".to_owned(), 1, "nothing that is remembered has this id"),
        (format!("lh edit {id} {id}"), 64, "2 items: --edit opens one"),
        ("lh edit".to_owned(), 64, "--edit needs an id"),
    ] {
        scene.ends(&line, status, what);
    }
    assert_eq!(scene.does("lh ls decisions"), before);
}

#[test]
fn ctrl_c_in_the_editor_is_the_editors() {
    let scene = Scene::new();
    if !Path::new("/usr/bin/script").exists() {
        return skipped("no script(1) here");
    }
    let editor =
        "trap 'caught=1' INT\n: >ready\nwhile [ -z \"$caught\" ]; do sleep 0.05; done\nsed -i s/zebra/tapir/ \"$1\"\n";
    // A key is pressed when the editor is there, and the terminal stays until all is over.
    let wait = |name: &str| format!("timeout 30 sh -c 'until [ -e {name} ]; do sleep 0.05; done'");
    let press = format!("{{ {}; printf '\\003'; {}; }}", wait("ready"), wait("ended"));
    let edit = |id: &str, editor: &str| {
        scene.0.write("editor", editor);
        scene.0.write("line", &format!("trap : INT\nTMPDIR=. EDITOR='sh editor' lh edit {id}\n: >ended\n"));
        scene.shell(&format!("rm -f ready ended; {press} | TERM=xterm timeout 60 script -qec 'sh line' /dev/null")).0
    };
    let said = edit(&scene.id("decision", "zebra"), editor);
    assert!(said.contains("edited: ") && said.contains("tapir stripes"), "{said}");
    // One that knows nothing of it ends, and lh says so.
    let said = edit(&scene.id("decision", "queue"), ": >ready\nexec sleep 30\n");
    assert!(said.contains("ended with an error: nothing was changed"), "{said}");
}

#[test]
fn all_that_one_command_did_is_taken_back() {
    let scene = Scene::new();
    let both = format!("{} {}", scene.id("open", "zebra"), scene.id("open", "otter"));
    scene.does(&format!("LH_NOW=2026-05-01T12:00:00Z lh done {both}"));
    assert_eq!(scene.does("lh undo").matches("open again: ").count(), 2);
    let both = format!("{} {}", scene.id("decision", "zebra"), scene.id("decision", "queue"));
    scene.does(&format!("lh forget {both}"));
    assert_eq!(scene.does("lh undo").matches("told again: ").count(), 2);
    let ids = format!("{} {}", scene.id("decision", "zebra"), scene.id("decision", "queue"));
    assert_eq!(scene.does(&format!("lh forget {ids}")).lines().count(), 2);
    assert_eq!(scene.does("lh forget --undo").matches("told again: ").count(), 2);
    // One command after the other within a second, too.
    for word in ["zebra", "queue"] {
        scene.does(&format!("lh forget {}", scene.id("decision", word)));
    }
    let said = scene.does("lh forget --undo");
    assert!(said.lines().count() == 1 && said.contains("queue as files"), "{said}");
    let ids = format!("{} {}", scene.id("open", "zebra"), scene.id("open", "otter"));
    assert_eq!(scene.does(&format!("lh done {ids}")).lines().count(), 2);
    assert_eq!(scene.does("lh done --undo").matches("open again: ").count(), 2);
}

#[test]
fn a_key_is_told_with_what_says_so_and_set_with_all_else_kept() {
    let scene = Scene::new();
    let file = ".config/lazy-harness/config.toml";
    let text = "# mine\n[compound_loop]\nengine = \"extract\" # free\n\n[other]\nx = 1\n";
    scene.0.write(file, text);
    let told = scene.does("lh config");
    for (key, value, by) in [
        ("compound_loop.engine", "\"extract\"", "config.toml:3:10"),
        ("compound_loop.min_messages", "4", "default"),
        ("context.max_chars", "4000", "default"),
    ] {
        let line = told.lines().find(|line| line.starts_with(&format!("{key} "))).unwrap_or_default();
        assert!(line.contains(value) && line.ends_with(by), "{key}: {told}");
    }
    let told = scene.does("LAZY_KNOWLEDGE_ROOT=/x lh config knowledge.path");
    assert!(told.contains("\"/x\"") && told.ends_with("LAZY_KNOWLEDGE_ROOT\n"), "{told}");
    let (said, status) = scene.shell("lh config engine auto");
    assert!(status == Some(0) && said.contains("compound_loop.engine = \"auto\" (was \"extract\")"), "{said}");
    assert_eq!(scene.0.read(file), text.replace("\"extract\"", "\"auto\""));
    scene.does(
        "lh config min_messages 7; lh config privacy.patterns 'tok-[0-9]+'; lh config profiles.work.config_dir /w",
    );
    let now = scene.0.read(file);
    assert!(
        now.starts_with("# mine\n[compound_loop]\n") && now.contains("min_messages = 7\n") && now.contains("# free"),
        "{now}"
    );
    assert!(
        now.contains("patterns = [\"tok-[0-9]+\"]") && now.contains("[profiles.work]\nconfig_dir = \"/w\""),
        "{now}"
    );
    let told = scene.does("lh config privacy");
    assert!(!told.contains("tok-"), "a pattern can be a secret: {told}");
    for (line, status, what) in [
        ("lh config engin auto", 64, "no key 'engin'"),
        ("lh config enabled true", 64, "'enabled' means "),
        ("lh config verify mdoel", 65, "[compound_loop] verify: expected one of off, model, found \"mdoel\""),
        ("lh config max_attempts 0", 65, "expected a whole number from 1 to 100"),
        ("lh config privacy.patterns '[\"(bad\"]'", 65, "unclosed group"),
        ("lh config a b c", 64, "expected a key and a value"),
        ("lh config nonsense", 64, "no key 'nonsense'"),
    ] {
        scene.ends(line, status, what);
    }
    assert_eq!(scene.0.read(file), now);
    assert!(scene.does("lh config -n scope store").contains("+scope = \"store\""));
    assert_eq!(scene.0.read(file), now);
    scene.0.write(file, "[compound_loop\n");
    assert_eq!(scene.shell("lh config engine auto").1, Some(78));
}

#[test]
fn something_is_picked_by_fzf_or_by_its_number() {
    let scene = Scene::new();
    let bin = scene.0.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for tool in ["awk", "cat", "dirname", "env", "sed", "sh", "script", "stty"] {
        let path =
            ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool)).into_iter().find(|path| path.exists());
        if let Some(path) = path {
            std::os::unix::fs::symlink(path, bin.join(tool)).unwrap();
        }
    }
    let tools = binary("lh").parent().unwrap().to_path_buf();
    let pick = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-pick");
    let with_path = |line: &str| {
        format!("PATH={}:{}; {line}", bin.display(), tools.display()).replace("lh-pick", &pick.display().to_string())
    };
    // A fake fzf takes the last line, and runs the preview on it.
    let fzf = scene.0.write(
        "bin/fzf",
        "#!/bin/sh\nfor word; do [ \"$last\" = --preview ] && preview=$word; last=$word; done\nline=$(sed -n '$p')\nset -- $line\nsh -c \"$(echo \"$preview\" | sed \"s/{1}/$1/\")\" >\"$HOME/preview\"\nprintf '%s\\n' \"$line\"\n",
    );
    std::fs::set_permissions(&fzf, std::fs::Permissions::from_mode(0o755)).unwrap();
    let chosen = scene.does(&with_path("lh-pick decisions"));
    assert!(chosen.lines().count() == 1 && chosen.contains("zebra stripes"), "{chosen}");
    assert!(scene.0.read("preview").contains("zebra stripes"));
    assert!(scene.does(&with_path("lh-pick decisions | lh forget -n -")).starts_with("would forget: "));
    let (said, status) = scene.shell(&with_path("lh-pick nonsense"));
    assert!(status == Some(64) && said.contains("nonsense"), "{said}");
    assert_eq!(scene.shell(&with_path("lh-pick memories")).1, Some(1));
    std::fs::remove_file(fzf).unwrap();
    scene.0.write("line", &with_path("echo 2 | script -qec 'lh-pick decisions' /dev/null"));
    if !Path::new("/usr/bin/script").exists() {
        return skipped("no script(1) here");
    }
    let said = scene.does("sh line");
    assert!(said.contains("numbers: ") && said.contains("zebra stripes"), "{said}");
}

#[test]
fn the_shells_offer_values() {
    let scene = Scene::new();
    scene.second_session();
    for shell in ["bash", "zsh", "fish"] {
        scene.does(&format!("lh completions {shell} >completions.{shell}"));
        let text = scene.0.read(&format!("completions.{shell}"));
        assert!(!text.split([' ', '\'', '\n']).any(|word| ["...", "WORD", "ID"].contains(&word)), "{shell}");
    }
    let list = scene.does("lh ls decisions");
    let project = scene.0.path("").canonicalize().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    let decision = scene.id("decision", "zebra")[..6].to_owned();
    let open = scene.id("open", "otter")[..6].to_owned();
    let all: &[(&str, &[&str], &[&str])] = &[
        ("lh recall --type ", &["decision", "session", "note"], &[]),
        ("lh-recall --scope ", &["universal", "infra"], &[]),
        // A name of a test's folder begins with a dot, which fish hides.
        ("lh recall --project .", &[&project], &[]),
        ("lh show ", &[&decision, "bbbbbbbb", &open], &[]),
        ("lh done ", &[&open], &[&decision]),
        ("lh-forget ", &[&decision], &[&open]),
        ("lh edit ", &[&decision, &open], &["bbbbbbbb"]),
        ("lh rm ", &["bbbbbbbb"], &[&decision]),
        ("lh config ", &["compound_loop.engine", "memory.scope"], &["true"]),
        ("lh config compound_loop.engine ", &["auto", "extract"], &["project"]),
        ("lh config memory.extract ", &["true", "false"], &[]),
        ("lh-setup --scope ", &["project", "store", "shared"], &[]),
    ];
    let bash = ". ./completions.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _lh_tools; printf \"%s\\n\" \"${COMPREPLY[@]}\"";
    let zsh = "_describe() { print -l -- $found }; compadd() { while [[ $1 = -* ]]; do shift; done; print -l -- $@ }; \
               _arguments() { print -l -- \"$@\" }; service=$1; words=(\"$@\"); CURRENT=$#; . ./completions.zsh";
    for (line, offers, lacks) in all {
        let words = format!("{line}''");
        let mut asked = vec![
            ("bash", format!("bash -c '{bash}' sh {words}")),
            ("fish", format!("fish --no-config -c \"source completions.fish; complete -C '{line}'\"")),
        ];
        // What an option or an operand of a tool takes, zsh asks a function of its own.
        if line.starts_with("lh show")
            || line.starts_with("lh edit")
            || line.starts_with("lh rm")
            || line.contains("config")
        {
            asked.push(("zsh", format!("zsh -f -c '{zsh}' sh {words}")));
        }
        for (shell, command) in asked {
            if !["/usr/bin", "/bin"].iter().any(|folder| Path::new(folder).join(shell).exists()) {
                skipped(&format!("no {shell} here"));
                continue;
            }
            let (said, _) = scene.shell(&command);
            for word in *offers {
                assert!(said.lines().any(|line| line.starts_with(word)), "{shell}: {line}: {word}: {said}");
            }
            for word in *lacks {
                assert!(!said.lines().any(|line| line.starts_with(word)), "{shell}: {line}: {word}: {said}");
            }
        }
    }
    // What an id is of is told beside it.
    let (said, _) = scene.shell("fish --no-config -c \"source completions.fish; complete -C 'lh done '\"");
    assert!(said.contains("open: Measure the otter") || !Path::new("/usr/bin/fish").exists(), "{said}");
    assert_eq!(scene.does("lh show 1"), scene.does("lh show 1"));
    assert!(
        scene.does("lh show 1").contains(list.lines().next().unwrap().rsplit("  ").next().unwrap()),
        "the last list stays"
    );
}

#[test]
fn a_tool_of_records_prints_lines_on_a_terminal() {
    let scene = Scene::new();
    scene.second_session();
    assert!(scene.does("lh-review").starts_with("{\"type\":\"pair\""));
    let line = scene.does("lh-review --text");
    assert!(line.lines().count() == 1 && line.contains("  ~  "), "{line}");
    assert!(scene.does("lh-select when does the walrus eat").starts_with("{\"type\":\"memory\""));
    let line = scene.does("lh-select --text when does the walrus eat");
    assert!(line.contains("walrus-feed: The walrus eats at noon"), "{line}");
    assert!(scene.does("lh-prune --remove -n bbbbbbbb").starts_with("{\"type\":\"pruned\""));
    let Some(said) = scene.on_terminal(40, "lh-review; lh-prune --remove -n bbbbbbbb; lh-review --json") else {
        return;
    };
    assert!(said.contains("~  ") && said.contains("would remove:") && said.contains("{\"type\":\"pair\""), "{said}");
    let (said, status) = scene.shell("lh-review --text | lh-forget -n -");
    assert!(status == Some(0) && said.contains("while a model answers"), "the older one: {said}");
}

#[test]
fn nothing_new_is_written_where_only_records_are_read() {
    let home = Home::new();
    home.tool("lh-recall").args(["--list"]).output().unwrap();
    assert!(!home.path(".local").exists());
}

/// Setup asks whether the sessions that are there are to be brought in, and does it.
#[test]
fn setup_offers_to_bring_in_the_sessions_that_are_there() {
    let scene = Scene::new();
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let setup = |answers: &str| {
        scene.shell(&format!("export PATH=$PATH:{scripts}; printf '{answers}' | script -qec lh-setup /dev/null")).0
    };
    let said = setup(r"\n\nextract\n\n\n\nn\n");
    if said.contains("script: not found") {
        return skipped("no script(1) here");
    }
    assert!(said.contains("bring in the sessions that are there"), "{said}");
    let said = setup(r"n\ny\n");
    assert!(said.contains("bring in the sessions that are there"), "{said}");
    assert!(said.contains("lh-setup: distilled: 1"), "{said}");
    // What was brought in is not asked for again.
    let said = setup(r"n\ny\n");
    assert!(!said.contains("bring in"), "{said}");
}
