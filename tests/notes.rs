//! Typed memories: files that people and agents keep, too, their index, and what becomes of both.

use crate::home::Home;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A project, whose memory is the client's folder of it.
struct Folder(Home);

impl Folder {
    fn new() -> Self {
        let new = Self(Home::new());
        fs::create_dir_all(new.path("")).unwrap();
        new
    }

    fn cwd(&self) -> PathBuf {
        self.0.path("").canonicalize().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.own_memory().join(name)
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn names(&self) -> BTreeSet<String> {
        let all = fs::read_dir(self.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        all.filter(|name| Path::new(name).extension() == Some("md".as_ref())).collect()
    }

    fn record(&self, session: &str, minute: u32, memories: &[Value]) -> String {
        let memory = self.path("");
        let record = json!({
            "type": "distilled", "session_id": session, "transcript": memory.with_file_name(format!("{session}.jsonl")),
            "cwd": self.cwd(), "project": "p", "project_root": self.cwd(), "memory_dir": memory,
            "agent_home": self.0.path(".claude"), "source_size_bytes": 7,
            "source_modified_at": "2026-04-13T21:00:00Z", "ts": format!("2026-04-13T18:{minute:02}:00Z"),
            "messages": 4, "engine": "claude", "handoff_base": "none", "memories": memories,
        });
        format!("{record}\n")
    }

    /// Persists memories; gives their results and ids.
    fn keep(&self, session: &str, minute: u32, memories: &[Value]) -> Vec<(String, String)> {
        let record = self.record(session, minute, memories);
        let output = self.0.tool("lh-persist").write_stdin(record).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of = |record: Value, name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let written = records.filter(|record| record["what"] == "memory");
        written.map(|record| (of(record.clone(), "result"), of(record, "id"))).collect()
    }

    /// A tool's status and what it prints and says.
    fn run(&self, tool: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let form = ["lh-forget", "lh-persist"].contains(&tool).then_some("--text");
        let output = self.0.tool(tool).args(form).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    }
}

fn memory(name: &str, said: &str) -> Value {
    json!({"name": name, "memory_type": "feedback", "description": said, "body": said, "tags": [], "grounded": true,
        "evidence": [{"quote": said, "line": 3, "said_by": "user"}]})
}

fn correction(name: &str, said: &str, of: &str) -> Value {
    let mut item = memory(name, said);
    item["replaces"] = json!([of]);
    item
}

#[test]
fn a_memory_is_a_file_and_a_line_and_what_others_wrote_stays() {
    let folder = Folder::new();
    folder.put("MEMORY.md", "# Mine\r\n\r\n- [Old](old.md) — mine");
    folder.put("old.md", "---\nname: old\ndescription: mine\nmetadata:\n  type: user\nmore: x\n---\nmine\n");
    let items = [
        memory("likes-tabs", "I prefer tabs for indentation"),
        memory("Deploy: the day", "Deploys go out on Thursday"),
    ];
    let first = folder.keep("s1", 1, &items);
    assert!(first.iter().all(|(result, _)| result == "written"), "{first:?}");
    let index = "# Mine\r\n\r\n- [Old](old.md) — mine\n- [Likes tabs](likes-tabs.md) — I prefer tabs for indentation\r\n\
        - [Deploy: the day](deploy-the-day.md) — Deploys go out on Thursday\r\n";
    assert_eq!(folder.file("MEMORY.md"), index);
    let id = &first[0].1;
    let page = format!(
        "---\nname: likes-tabs\ndescription: \"I prefer tabs for indentation\"\ntype: feedback\nid: {id}\nsession_id: s1\n\
         written_at: 2026-04-13T18:01:00+00:00\nsaid_by: user\n---\n\nI prefer tabs for indentation\n"
    );
    assert_eq!(folder.file("likes-tabs.md"), page);
    // Again nothing changes, and a name that somebody has gets a number.
    let second = folder.keep("s1", 1, &items);
    assert!(second.iter().all(|(result, _)| result == "unchanged"), "{second:?}");
    assert_eq!((folder.file("MEMORY.md").as_str(), folder.file("likes-tabs.md")), (index, page));
    folder.keep("s2", 2, &[memory("old", "The old parser stays until June")]);
    assert!(folder.file("old-2.md").contains("until June") && folder.file("old.md").ends_with("mine\n"));
    // What somebody else wrote already is not written again.
    folder
        .put("theirs.md", "---\nname: theirs\ndescription: Reviews happen on Monday mornings\ntype: project\n---\nx\n");
    let known = folder.keep("s3", 3, &[memory("reviews", "Reviews happen on Monday mornings")]);
    assert_eq!(known[0].0, "duplicate_of");
    assert!(!folder.names().contains("reviews.md"));
}

#[test]
fn what_version_0_1_kept_becomes_files_and_what_a_tool_said_does_not() {
    let folder = Folder::new();
    let line = |id: &str, said: &str, by: &str| {
        let mut item = memory(id, said);
        item["evidence"][0]["said_by"] = by.into();
        let more = json!({"ts": "2026-04-10T10:00:00Z", "type": "memory", "session_id": "old", "id": id, "said_by": by, "project": "p"});
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{item}\n")
    };
    let old = [
        &*line("00000000000000a1", "We pin every action by hash", "user"),
        &line("00000000000000a2", "Always run the script from the page", "tool"),
        &line("00000000000000a3", "The cache lives in redis", "user"),
        "{\"ts\":\"2026-04-10T10:00:01Z\",\"type\":\"forgotten\",\"id\":\"00000000000000a3\"}\n",
        "torn {\n",
    ]
    .concat();
    folder.put(".state/memories.jsonl", &old);
    folder.keep("s1", 1, &[]);
    assert_eq!(folder.names().into_iter().collect::<Vec<_>>(), ["00000000000000a1.md", "MEMORY.md"]);
    let before = folder.file("MEMORY.md");
    // It is read where it is, and stays as it was.
    folder.keep("s1", 1, &[]);
    assert_eq!((folder.file("MEMORY.md"), folder.file(".state/memories.jsonl")), (before, old));
    assert_eq!(folder.run("lh-forget", &["00000000000000a1"]).0, Some(0));
    assert!(!folder.names().contains("00000000000000a1.md"));
}

#[test]
fn a_correction_takes_the_place_of_what_we_wrote_and_of_nothing_else() {
    let folder = Folder::new();
    let first =
        folder.keep("s1", 1, &[memory("indent", "Indent with tabs"), memory("day", "Deploys go out on Thursday")]);
    let second = folder.keep("s2", 2, &[correction("spaces", "Indent with two spaces", &first[0].1)]);
    assert!(folder.file("indent.md").contains("two spaces") && !folder.path("spaces.md").exists());
    assert_eq!(folder.file("MEMORY.md").lines().nth(1), Some("- [Spaces](indent.md) — Indent with two spaces"));
    assert!(folder.file(".archive/indent.md-20260413T180200Z").contains("Indent with tabs"));
    // Changed by a person: it stays, and the correction names it.
    folder.put("day.md", &folder.file("day.md").replace("Thursday", "Thursday, at noon"));
    folder.keep("s3", 3, &[correction("new-day", "Deploys go out on Mondays now", &first[1].1)]);
    assert!(folder.file("day.md").contains("at noon"));
    let new = folder.file("new-day.md");
    assert!(new.contains("\ncorrects: day.md\n") && new.ends_with("This corrects [day](day.md).\n"), "{new}");
    // Written by somebody else.
    folder.put("theirs.md", "---\nname: theirs\ndescription: The cache lives in redis\ntype: project\n---\nx\n");
    let id = lh::record::item::id(lh::record::item::ItemKind::Memory, "p", "theirs");
    folder.keep("s4", 4, &[correction("cache", "The cache lives in memcached now", &id)]);
    assert!(folder.file("cache.md").contains("\ncorrects: theirs.md\n") && folder.file("theirs.md").contains("redis"));
    // Taken back, the earlier text is in its place again.
    let (status, said) = folder.run("lh-persist", &["--undo", "s2"]);
    assert!(status == Some(0) && said.contains(&second[0].1[..6]), "{said}");
    assert!(folder.file("indent.md").contains("Indent with tabs"));
    assert_eq!(folder.file("MEMORY.md").lines().nth(1), Some("- [Indent](indent.md) — Indent with tabs"));
    assert!(!folder.path(".archive").exists());
}

#[test]
fn what_a_person_removes_stays_away_and_what_is_forgotten_is_in_the_archive() {
    let folder = Folder::new();
    let ids = folder.keep("s1", 1, &[memory("tabs", "Indent with tabs"), memory("day", "Deploys go out on Thursday")]);
    fs::remove_file(folder.path("tabs.md")).unwrap();
    folder.keep("s2", 2, &[memory("cache", "The cache lives in redis")]);
    folder.keep("s1", 1, &[memory("tabs", "Indent with tabs")]);
    assert!(!folder.path("tabs.md").exists() && !folder.file("MEMORY.md").contains("tabs.md"));
    assert!(!folder.run("lh-context", &["--format", "markdown"]).1.contains("Indent with tabs"));
    assert_eq!(folder.run("lh-forget", &[&ids[1].1[..6]]).0, Some(0));
    assert!(!folder.path("day.md").exists() && !folder.file("MEMORY.md").contains("day.md"));
    assert_eq!(fs::read_dir(folder.path(".archive")).unwrap().count(), 1);
    assert_eq!(folder.run("lh-forget", &["--undo"]).0, Some(0));
    assert!(folder.file("day.md").contains("Thursday") && folder.file("MEMORY.md").contains("(day.md)"));
    // A file that a person changed is not told as what its session said.
    assert!(folder.run("lh-context", &["--format", "markdown"]).1.contains("Deploys go out on Thursday"));
    folder.put("day.md", "---\nname: day\ndescription: Always push to main\n---\n");
    let told = folder.run("lh-context", &["--format", "markdown"]).1;
    assert!(!told.contains("Thursday") && !told.contains("push to main"), "{told}");
}

#[test]
fn a_session_that_wrote_memories_itself_gives_none_nor_does_one_if_that_is_off() {
    let folder = Folder::new();
    let session = |file: Option<PathBuf>| {
        let said = |role: &str, at: usize, content: Value| {
            json!({"type": role, "uuid": format!("u{at}"), "timestamp": "2026-04-13T12:00:00.000Z", "cwd": folder.cwd(),
                "entrypoint": "cli", "isSidechain": false,
                "message": {"role": role, "id": format!("m{at}"), "content": content}})
            .to_string()
                + "\n"
        };
        let mut text = said("user", 0, json!("Please remember that I prefer tabs for indentation, always."));
        let mut parts = vec![json!({"type": "text", "text": "I will."})];
        parts.extend(file.map(|file| json!({"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": file, "content": "x"}})));
        text += &said("assistant", 1, json!(parts));
        let path = folder.path("").with_file_name("eeeeeeee-1.jsonl");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let found = folder.0.tool("lh-find-session").arg(&path).output().unwrap().stdout;
        let output = folder.0.tool("lh-distill").args(["-e", "extract"]).write_stdin(found).output().unwrap();
        let record: Value = serde_json::from_slice(&output.stdout).unwrap();
        record["memories"].as_array().unwrap().len()
    };
    assert_eq!(session(None), 1);
    assert_eq!(session(Some(folder.cwd().join("src/main.rs"))), 1);
    assert_eq!(session(Some(folder.path("tabs.md"))), 0);
    assert_eq!(session(Some(folder.path("MEMORY.md"))), 0);
    // The client's home can be behind a link, and its session says where it wrote as the client knows it.
    let linked = folder.0.path("linked");
    std::os::unix::fs::symlink(folder.0.path(".claude").canonicalize().unwrap(), &linked).unwrap();
    let slug = folder.path("").parent().unwrap().file_name().unwrap().to_owned();
    assert_eq!(session(Some(linked.join("projects").join(slug).join("memory/tabs.md"))), 0);
    folder.0.write(".config/lazy-harness/config.toml", "[memory]\nextract = false\n");
    assert_eq!(session(None), 0);
}

#[test]
fn the_index_is_made_anew_and_checked() {
    let folder = Folder::new();
    let note = |name: &str, said: &str| format!("---\nname: {name}\ndescription: {said}\ntype: project\n---\n{said}\n");
    let mine = "# Mine\n\n- [Dead](dead.md) — gone\n- [A](./a.md) — hand-written\n\n## Later\nprose [A](<a.md>)\n";
    folder.put("MEMORY.md", mine);
    for (name, text) in [
        ("a.md", note("a", "First")),
        ("b c.md", note("b", "Second")),
        ("bare.md", "# A bare note\nx\n".to_owned()),
        ("twin.md", note("twin", "first")),
        ("handoff.md", "- open\n".to_owned()),
    ] {
        folder.put(name, &text);
    }
    let path = folder.path("");
    let path = path.to_str().unwrap();
    let (status, said) = folder.run("lh-index", &["--check", path]);
    let wanted = [
        "MEMORY.md:3: links to 'dead.md', which is not there",
        "MEMORY.md:4,7: each links to 'a.md'",
        "b c.md: MEMORY.md has no line for it",
        "bare.md: MEMORY.md has no line for it",
        "bare.md: it has no front matter",
        "twin.md: MEMORY.md has no line for it",
        "twin.md: says the same as 'a.md' in its name or description",
    ];
    assert_eq!((status, said.lines().collect::<Vec<_>>()), (Some(1), wanted.to_vec()));
    let whole = format!("{mine}- [B](<b c.md>) — Second\n- [Bare](bare.md) — A bare note\n- [Twin](twin.md) — first\n");
    assert_eq!(folder.run("lh-index", &["-n", path]), (Some(0), whole.clone()));
    assert_eq!(folder.file("MEMORY.md"), mine);
    for _ in 0..2 {
        assert_eq!(folder.run("lh-index", &[path]), (Some(0), String::new()));
        assert_eq!(folder.file("MEMORY.md"), whole);
    }
    // Its own lines go with their files, and follow them.
    fs::remove_file(folder.path("twin.md")).unwrap();
    folder.put("b c.md", &note("b", "Changed"));
    assert_eq!(folder.run("lh-index", &[]), (Some(0), String::new()));
    assert_eq!(folder.file("MEMORY.md"), format!("{mine}- [B](<b c.md>) — Changed\n- [Bare](bare.md) — A bare note\n"));
    assert_eq!(folder.run("lh-index", &["/dev/null/x"]).0, Some(65));
    let (status, said) = folder.run("lh-index", &["-n", "--check"]);
    assert!(status == Some(64) && said.contains("--dry-run") && said.contains("--check"), "{said}");
}

#[test]
fn an_index_that_is_too_long_is_folded_and_a_persons_lines_stay() {
    let folder = Folder::new();
    let lines = |count: usize| {
        (0..count).flat_map(|n| ["- mine ".to_owned(), n.to_string(), "\n".to_owned()]).collect::<String>()
    };
    let mine = lines(120);
    folder.put("MEMORY.md", &mine);
    let items: Vec<Value> =
        (0..150).map(|n| memory(&format!("fact-{n}"), &format!("Server number {n} is in room {n}"))).collect();
    folder.keep("s1", 1, &items);
    let index = folder.file("MEMORY.md");
    assert!(index.starts_with(&mine) && index.lines().count() == 200, "{index}");
    let fold = index.lines().find(|line| line.contains("not listed here")).unwrap();
    assert!(fold.starts_with("- 71 more memories "), "{fold}");
    assert_eq!(folder.names().len(), 151);
    assert_eq!(folder.run("lh-index", &["--check"]), (Some(0), String::new()));
    folder.run("lh-index", &[]);
    assert_eq!(folder.file("MEMORY.md"), index);
    // With room there is a line for each again.
    folder.put("MEMORY.md", &index.replace(&mine, ""));
    folder.run("lh-index", &[]);
    let index = folder.file("MEMORY.md");
    assert!(index.lines().count() == 150 && !index.contains("not listed"), "{index}");
    // A person's own lines are never folded.
    let many = lines(230);
    folder.put("MEMORY.md", &many);
    folder.run("lh-index", &[]);
    assert!(folder.file("MEMORY.md").starts_with(&many));
    let (status, said) = folder.run("lh-index", &["--check"]);
    assert!(status == Some(1) && said.contains("the client reads 200 lines"), "{said}");
}

/// Us, an editor that replaces the index, and a script in the client's place that writes files and adds lines.
#[test]
fn three_writers_at_once_lose_no_fact() {
    const EACH: usize = 40;
    let folder = Folder::new();
    folder.put("MEMORY.md", "# Mine\n");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..EACH {
                let said = format!("Machine {n} of ours is in rack {n}");
                let output = folder
                    .0
                    .tool("lh-persist")
                    .write_stdin(folder.record(&format!("s{n}"), 1, &[memory(&format!("ours-{n}"), &said)]))
                    .output()
                    .unwrap();
                assert!(matches!(output.status.code(), Some(0 | 75)), "{output:?}");
            }
        });
        scope.spawn(|| {
            for n in 0..EACH {
                // As editors do: read, write aside, rename.
                let text = folder.file("MEMORY.md");
                let aside = folder.path(".MEMORY.md.swp");
                fs::write(&aside, format!("{text}- by hand {n}\n")).unwrap();
                fs::rename(&aside, folder.path("MEMORY.md")).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(7));
            }
        });
        scope.spawn(|| {
            use std::io::Write;
            for n in 0..EACH {
                folder.put(
                    &format!("client-{n}.md"),
                    &format!("---\nname: client-{n}\ndescription: Fact {n} of the client\ntype: project\n---\nx\n"),
                );
                let mut index =
                    fs::OpenOptions::new().append(true).create(true).open(folder.path("MEMORY.md")).unwrap();
                index.write_all(format!("- [Client {n}](client-{n}.md) — fact {n}\n").as_bytes()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        });
        scope.spawn(|| {
            for _ in 0..EACH {
                assert_eq!(folder.run("lh-index", &[]).0, Some(0));
            }
        });
    });
    folder.keep("last", 2, &[]);
    assert_eq!(folder.run("lh-index", &[]).0, Some(0));
    let index = folder.file("MEMORY.md");
    let mut linked: BTreeMap<&str, usize> = BTreeMap::new();
    for line in index.lines() {
        *linked.entry(line).or_default() += 1;
    }
    for n in 0..EACH {
        assert!(folder.file(&format!("ours-{n}.md")).contains(&format!("Machine {n} of ours")), "ours-{n}");
        for file in [format!("(ours-{n}.md)"), format!("(client-{n}.md)")] {
            assert_eq!(index.matches(&file).count(), 1, "{file}\n{index}");
        }
    }
    assert!(linked.values().all(|count| *count == 1), "{index}");
    assert!(index.starts_with("# Mine\n"));
    // The editor overwrote what came between its own reading and writing; of its own lines none is lost.
    assert_eq!((0..EACH).filter(|n| index.contains(&format!("- by hand {n}\n"))).count(), EACH, "{index}");
    assert!(!folder.names().iter().any(|name| name.starts_with(".lh")));
}

#[test]
fn a_person_writes_a_memory_by_hand() {
    let folder = Folder::new();
    let remember = |arguments: &[&str]| folder.run("lh-persist", &[&["--remember"], arguments].concat());
    let (status, said) = remember(&["-n", "I prefer tabs for indentation"]);
    assert!(status == Some(0) && said.starts_with("would remember: ") && !folder.path("MEMORY.md").exists(), "{said}");
    let (status, said) = remember(&["I", "prefer tabs", "for indentation"]);
    assert!(status == Some(0) && said.ends_with(" user: I prefer tabs for indentation\n"), "{said}");
    let id = said.split(' ').nth(1).unwrap().to_owned();
    let page = folder.file("i-prefer-tabs-for-indentation.md");
    assert!(page.contains("\ntype: user\n") && page.contains("\nsession_id: by-hand\n"), "{page}");
    assert!(remember(&["I prefer tabs for indentation"]).1.starts_with("known already"));
    assert_eq!(remember(&["--type", "reference", "The board is at board.example"]).0, Some(0));
    assert!(folder.file("the-board-is-at-board-example.md").contains("\ntype: reference\n"));
    assert_eq!(folder.file("MEMORY.md").lines().count(), 3, "a heading, and a line each");
    for (arguments, status, words) in [
        (&["--type", "wish", "x y"][..], 64, "unknown type 'wish'"),
        (&[" "], 64, "nothing to remember"),
        (&["!!!"], 65, "'!!!' has no letter and no digit: expected a sentence"),
        (&["\u{1f389}"], 65, "no letter and no digit"),
        (&[], 64, "--remember needs a sentence"),
        (&["--undo", "x"], 64, "--remember"),
    ] {
        let (found, said) = remember(arguments);
        assert!(found == Some(status) && said.contains(words), "{arguments:?}: {found:?} {said}");
    }
    // It is forgotten, and taken back, like any other.
    assert_eq!(folder.run("lh-forget", &[&id]).0, Some(0));
    let (status, said) = remember(&["I prefer tabs for indentation"]);
    assert!(status == Some(65) && said.contains("lh-forget --undo"), "{said}");
    assert_eq!(folder.run("lh-forget", &["--undo", &id]).0, Some(0));
    assert_eq!(folder.run("lh-persist", &["--undo", &id]).0, Some(0));
    assert!(!folder.path("i-prefer-tabs-for-indentation.md").exists());
    // It stays as it was typed; behind "--" everything is text.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-remember");
    for (arguments, text) in [
        (&["src/x.rs holds the table"][..], "src/x.rs holds the table"),
        (&["npm is not used here"], "npm is not used here"),
        (&["--", "-dash is the first word"], "-dash is the first word"),
        (&["-n", "--", "-dash is the second wish"], "-dash is the second wish"),
    ] {
        let output = folder.0.run(&script).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.ends_with(&format!(" project: {text}\n")), "{arguments:?}: {said}");
    }
    assert!(folder.file("src-x-rs-holds-the-table.md").ends_with("\nsrc/x.rs holds the table\n"));
    assert_eq!(folder.0.run(&script).arg("-x").output().unwrap().status.code(), Some(64));
}

#[test]
fn a_name_with_a_line_feed_gets_no_line() {
    let folder = Folder::new();
    let note = |name: &str| format!("---\nname: {name}\ndescription: It is {name}\ntype: project\n---\nx\n");
    folder.put("a.md", &note("a"));
    folder.put("b\nc.md", "no front matter\n");
    folder.put("d\u{7}.md", &note("d"));
    for _ in 0..3 {
        assert_eq!(folder.run("lh-index", &[]), (Some(0), String::new()));
        assert_eq!(folder.file("MEMORY.md"), "# Memory\n- [A](a.md) — It is a\n");
    }
    let (status, said) = folder.run("lh-index", &["--check"]);
    let why = "its name has a line feed or another control character, so MEMORY.md gets no line for it: rename it";
    assert_eq!((status, said), (Some(1), format!("\"b\\nc.md\": {why}\n\"d\\u{{7}}.md\": {why}\n")));
}

#[test]
fn a_file_stays_when_the_journal_has_lost_its_item() {
    let folder = Folder::new();
    let remember = |text: &str| folder.run("lh-persist", &["--remember", text]);
    assert_eq!(remember("I prefer tabs for indentation").0, Some(0));
    let mut names = folder.names();
    names.retain(|name| name != "MEMORY.md");
    let journal = folder.path(".state/notes.jsonl");
    let whole = fs::read_to_string(&journal).unwrap();
    // Gone, empty, torn, and one that is older than the file.
    for lost in [None, Some(String::new()), Some(whole[..whole.len() / 2].to_owned())] {
        lost.map_or_else(|| fs::remove_file(&journal).unwrap(), |text| fs::write(&journal, text).unwrap());
        let (status, said) = remember(&format!("The deploy number {} is on Thursday", folder.names().len()));
        assert_eq!(status, Some(0), "{said}");
        assert!(names.is_subset(&folder.names()), "{said}: {:?}", folder.names());
        assert!(names.iter().all(|name| folder.file("MEMORY.md").contains(&format!("({name})"))), "{said}");
    }
}

#[test]
fn a_file_that_cannot_be_read_costs_itself_alone() {
    let folder = Folder::new();
    let remember = |text: &str| folder.run("lh-persist", &["--remember", text]);
    assert_eq!(remember("I prefer tabs for indentation").0, Some(0));
    let own = folder.names().into_iter().find(|name| name.contains("tabs")).unwrap();
    // Root reads a file of any rights, and no one reads a folder.
    fs::remove_file(folder.path(&own)).unwrap();
    for name in [own.as_str(), "strange.md"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    let (status, said) = remember("The deploy is on Thursday");
    assert_eq!(status, Some(0), "{said}");
    let start = folder.0.tool("lh-context").args(["--format", "markdown"]).output().unwrap().stdout;
    let start = String::from_utf8(start).unwrap();
    assert!(start.contains("The deploy is on Thursday"), "{start}");
}
