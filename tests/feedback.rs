//! Memory does not feed on itself: thirty sessions, each of which is told what is remembered and says it again, in
//! every way in which it comes back, leave what the first one left. The model that is asked restates all that it is
//! shown.
//!
//! Said again in other words is what lh-record(5) calls the same claim. What it calls another one, such as "The queue
//! is kept as plain files" for "Keep the queue as plain files", makes one item more for each wording; so does an item
//! that the model puts into a list of another kind. Neither is in these sessions.

use crate::home::Home;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

const CWD: &str = "/src/feed";
const SESSIONS: usize = 30;
/// The session that decides something new.
const HONEST: usize = 15;
const NEW: &str = "use protobuf for the wire format";

/// What the first session leaves: the list that it is in, how it was said, and how it is said again.
struct Known {
    list: &'static str,
    /// The words of the first session.
    said: &'static str,
    /// What is remembered.
    item: &'static str,
    again: &'static [&'static str],
}

const KNOWN: &[Known] = &[
    Known {
        list: "decisions",
        said: "Let's use symlinks for the profile deploy.",
        item: "Profile deploy uses symlinks",
        again: &[
            "The profile deploy will use symlinks",
            "Profile deploys use symlinks",
            "A deploy of the profile uses a symlink",
        ],
    },
    Known {
        list: "decisions",
        said: "Let's keep the queue as plain files.",
        item: "Keep the queue as plain files",
        again: &[
            "We keep the queue as plain files",
            "We'll keep the queue as a plain file",
            "Keep queues as plain files",
        ],
    },
    Known {
        list: "failures",
        said: "The root cause: the upload hung because the lock was never released.",
        item: "The upload hung because the lock was never released",
        again: &[
            "The upload hung, because the lock was never released",
            "Because the lock was never released, the upload hung",
        ],
    },
    Known {
        list: "memories",
        said: "From now on I always want one commit for each fix.",
        item: "The user always wants one commit for each fix.",
        again: &["User always wants one commit for each fix", "For each fix the user always wants one commit"],
    },
    Known {
        list: "learnings",
        said: "A pipe that nobody reads blocks its writer.",
        item: "A pipe that nobody reads blocks its writer",
        again: &["Pipes that nobody reads block its writers", "The pipe that nobody reads blocks its writer"],
    },
    Known {
        list: "handoff",
        said: "Still to do: write the page on the queue.",
        item: "write the page on the queue",
        again: &["Write a page on the queue", "Writing the page on the queue"],
    },
    Known {
        list: "handoff",
        said: "Still to do: mend the flaky upload test.",
        item: "mend the flaky upload test",
        again: &["We must mend the flaky upload test", "Mend flaky upload tests"],
    },
];

/// How a session says again what it was told.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Plain,
    AsDecided,
    List,
    Reworded,
    Quoted,
    Compacted,
    Resumed,
    Sidechain,
    ReadFiles,
    Catted,
}

const WAYS: [Way; 10] = [
    Way::Plain,
    Way::AsDecided,
    Way::List,
    Way::Reworded,
    Way::Quoted,
    Way::Compacted,
    Way::Resumed,
    Way::Sidechain,
    Way::ReadFiles,
    Way::Catted,
];

/// What is said before what is said again.
const LEADS: [&str; 6] = [
    "As decided earlier, ",
    "As we agreed before: ",
    "We decided that ",
    "It was decided earlier: ",
    "As noted in the memory, ",
    "decided 2026-04-01 (89d3b8): ",
];

/// A session's transcript while it is written.
struct Talk {
    session: String,
    number: usize,
    lines: Vec<Value>,
}

impl Talk {
    fn put(&mut self, mut record: Value) {
        let at = self.lines.len();
        let parent = at.checked_sub(1).map(|at| format!("{}-{at}", self.session));
        let time = format!("2026-04-{:02}T12:{:02}:{:02}.000Z", 1 + self.number % 28, at / 60, at % 60);
        let more = json!({"uuid": format!("{}-{at}", self.session), "parentUuid": parent, "timestamp": time, "cwd": CWD,
            "sessionId": self.session, "version": "2.1.330", "entrypoint": "cli", "gitBranch": "main"});
        let fields = record.as_object_mut().unwrap();
        fields.entry("isSidechain").or_insert(Value::Bool(false));
        more.as_object().unwrap().iter().for_each(|(name, value)| {
            fields.entry(name.clone()).or_insert_with(|| value.clone());
        });
        self.lines.push(record);
    }

    fn user(&mut self, text: &str) {
        self.put(json!({"type": "user", "promptSource": "typed", "message": {"role": "user", "content": text}}));
    }

    fn agent(&mut self, text: &str) {
        let id = format!("m{}-{}", self.session, self.lines.len());
        let content = json!([{"type": "text", "text": text}]);
        self.put(json!({"type": "assistant", "message": {"role": "assistant", "id": id, "content": content}}));
    }

    /// What the client writes when a hook told it something.
    fn hook(&mut self, source: &str, answer: &str) {
        let told: Value = serde_json::from_str(answer).unwrap();
        let text = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        self.put(json!({"type": "attachment", "attachment": {"type": "hook_success", "hookName": format!("SessionStart:{source}"),
            "hookEvent": "SessionStart", "content": "", "stdout": answer, "stderr": "", "exitCode": 0}}));
        let rendered = format!("<system-reminder>\nSessionStart hook additional context: {text}\n</system-reminder>");
        self.put(json!({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [text],
            "hookName": "SessionStart", "hookEvent": "SessionStart"}, "rendered": [{"content": rendered}], "renderedRole": "system"}));
    }

    /// A tool that the agent uses, and what it gives back.
    fn tool(&mut self, name: &str, input: &Value, result: &str) {
        let id = format!("t{}-{}", self.session, self.lines.len());
        let uses = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        self.put(
            json!({"type": "assistant", "message": {"role": "assistant", "id": format!("m{id}"), "content": uses}}),
        );
        let gives = json!([{"type": "tool_result", "tool_use_id": id, "content": result}]);
        self.put(
            json!({"type": "user", "message": {"role": "user", "content": gives}, "toolUseResult": {"stdout": result}}),
        );
    }
}

/// A project in which one session after the other takes place.
struct Project {
    home: Home,
    engine: &'static str,
    folder: PathBuf,
}

impl Project {
    fn new(engine: &'static str) -> Self {
        let home = Home::new();
        home.write("model.sh", "cat >/dev/null; cat \"$HOME/answer\"\n");
        let model = home.path("model.sh");
        home.write(
            ".config/lazy-harness/config.toml",
            &format!(
                "[compound_loop]\nenabled = true\nengine = \"command\"\ncommand = \"sh {}\"\n[knowledge.sessions]\nenabled = true\n",
                model.display()
            ),
        );
        let folder = home.path(".claude/projects/-src-feed");
        Self { home, engine, folder }
    }

    fn run(&self, tool: &str, args: &[&str], input: &str) -> String {
        let output = self.home.tool(tool).args(args).write_stdin(input).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a session is told.
    fn start(&self, session: &str, source: &str) -> String {
        let transcript = self.folder.join(format!("{session}.jsonl"));
        let payload = json!({"cwd": CWD, "session_id": session, "source": source, "transcript_path": transcript});
        self.run("lh-context", &[], &payload.to_string())
    }

    /// Writes a session's transcript, distils it, persists that, exports it.
    fn end(&self, talk: &Talk, restated: &[(&str, String)]) {
        let text: String = talk.lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
        let name = format!(".claude/projects/-src-feed/{}.jsonl", talk.session);
        let path = self.home.write(&name, &text);
        let record = self.run("lh-find-session", &[path.to_str().unwrap()], "");
        let prompt = self.run("lh-distill", &["-p"], &record);
        let (_, session) = prompt.split_once("# Where it stood").unwrap();
        assert!(!session.contains("lh-memory") && !session.contains("facts that lh noted"), "{session}");
        self.home.write("answer", &model(&prompt, restated).to_string());
        let distilled = self.run("lh-distill", &["-e", self.engine], &record);
        self.run("lh-persist", &[], &distilled);
        self.run("lh-export", &[], &record);
    }

    /// The items in the memory, each with its list.
    fn items(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        for (list, name, field) in [
            ("decisions", "decisions.jsonl", "summary"),
            ("failures", "failures.jsonl", "summary"),
            ("memories", ".state/notes.jsonl", "body"),
        ] {
            let text = self.file(name);
            let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            found.extend(lines.map(|line| (list, line[field].as_str().unwrap().to_owned())));
        }
        let learnings = self.pages("learnings");
        found.extend(learnings.iter().map(|(_, text)| ("learnings", text.lines().nth(1).unwrap().to_owned())));
        let handoff = self.file("handoff.md");
        found.extend(handoff.lines().filter_map(|line| Some(("handoff", line.strip_prefix("- ")?.to_owned()))));
        found
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join("memory").join(name)).unwrap_or_default()
    }

    /// The pages of the knowledge folder's `learnings` or `sessions`.
    fn pages(&self, kind: &str) -> Vec<(PathBuf, String)> {
        let folder = self.home.path("Documents/lazy-harness-knowledge").join(kind);
        let names = |folder: &std::path::Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).collect::<BTreeSet<_>>()
        };
        let months = names(&folder);
        let pages = months.iter().flat_map(|month| names(month));
        pages.map(|page| (page.clone(), std::fs::read_to_string(page).unwrap())).collect()
    }

    fn quarantined(&self) -> usize {
        self.file("quarantine.jsonl").lines().count()
    }
}

/// An item of a list that says `text`.
fn item(list: &str, text: &str, quote: &str) -> Value {
    let evidence = json!([quote]);
    match list {
        "memories" => {
            json!({"name": "one commit a fix", "type": "feedback", "description": text, "body": text, "evidence": evidence})
        }
        "learnings" => json!({"title": text, "learning": text, "scope": "universal", "evidence": evidence}),
        _ => json!({"summary": text, "evidence": evidence}),
    }
}

/// A model that gives back all that it is shown: what is known already, and what the session restates, as far as the
/// prompt has it.
fn model(prompt: &str, restated: &[(&str, String)]) -> Value {
    let mut lists: serde_json::Map<String, Value> = serde_json::Map::new();
    let mut put = |list: &str, item: Value| {
        let items = lists.entry(list.to_owned()).or_insert_with(|| json!([]));
        items.as_array_mut().unwrap().push(item);
    };
    let (known, behind) =
        prompt.split_once("# What is known already\n").unwrap().1.split_once("# Where it stood").unwrap();
    let mut list = "";
    for line in known.lines() {
        match line.strip_prefix("- ") {
            Some(text) if !list.is_empty() => put(list, item(list, text, text)),
            _ => {
                let heads = [
                    ("The current handoff", "handoff"),
                    ("Decisions", "decisions"),
                    ("Failures", "failures"),
                    ("Titles", "learnings"),
                ];
                list = heads.iter().find(|(head, _)| line.starts_with(head)).map_or("", |(_, list)| list);
            }
        }
    }
    for (list, text) in restated.iter().filter(|(_, text)| behind.contains(text.as_str())) {
        put(list, item(list, text, text));
    }
    Value::Object(lists)
}

/// What session `number` says again, and as what.
fn again(number: usize, way: Way) -> Vec<(&'static str, String)> {
    let say = |(at, known): (usize, &Known)| match way {
        Way::AsDecided => format!("{}{}", LEADS[(number / 10 + at) % LEADS.len()], known.item),
        Way::Reworded | Way::Compacted | Way::Sidechain => {
            known.again[(number / 10 + number) % known.again.len()].to_owned()
        }
        _ => known.item.to_owned(),
    };
    KNOWN.iter().enumerate().map(|(at, known)| (known.list, say((at, known)))).collect()
}

/// The first session: it says what it leaves.
fn first(project: &Project) {
    let mut talk = Talk { session: "00000000-first".to_owned(), number: 0, lines: Vec::new() };
    talk.hook("startup", &project.start("00000000-first", "startup"));
    for known in KNOWN {
        if known.list == "handoff" || known.list == "failures" || known.list == "learnings" {
            talk.user("Go on with the next part of the work, as you see fit.");
            talk.agent(known.said);
        } else {
            talk.user(known.said);
            talk.agent("Done, and the tests pass.");
        }
    }
    let still = "What is left:\n- write the page on the queue\n- mend the flaky upload test";
    talk.user("What is still open?");
    talk.agent(still);
    let restated: Vec<(&str, String)> = KNOWN.iter().map(|known| (known.list, known.item.to_owned())).collect();
    // Its model quotes what was said.
    let text: String = talk.lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
    let path = project.home.write(".claude/projects/-src-feed/00000000-first.jsonl", &text);
    let record = project.run("lh-find-session", &[path.to_str().unwrap()], "");
    let mut lists = serde_json::Map::new();
    for (known, (list, text)) in KNOWN.iter().zip(&restated) {
        let items = lists.entry((*list).to_owned()).or_insert_with(|| json!([]));
        items.as_array_mut().unwrap().push(item(list, text, known.said));
    }
    project.home.write("answer", &Value::Object(lists).to_string());
    let distilled = project.run("lh-distill", &["-e", "command"], &record);
    project.run("lh-persist", &[], &distilled);
    project.run("lh-export", &[], &record);
}

/// One of the sessions behind it.
fn session(project: &Project, number: usize) {
    let way = WAYS[number % WAYS.len()];
    let session = format!("{number:08}-again");
    let mut talk = Talk { session: session.clone(), number, lines: Vec::new() };
    let start = project.start(&session, "startup");
    talk.put(json!({"type": "permission-mode", "permissionMode": "default"}));
    talk.hook("startup", &start);
    talk.user("Good morning. Tell me where we are, please, in a few words.");
    let mut restated = again(number, way);
    let texts: Vec<&str> = restated.iter().map(|(_, text)| text.as_str()).collect();
    let listed = texts.iter().fold(String::new(), |all, text| format!("{all}- {text}\n"));
    match way {
        Way::Plain | Way::AsDecided | Way::Reworded => {
            for text in &texts {
                talk.agent(&format!("{text}."));
            }
        }
        Way::List => talk.agent(&format!("This is what I know from before:\n\n{listed}\nShall I go on?")),
        Way::Quoted => {
            let quoted =
                texts.iter().fold(String::new(), |all, text| format!("{all}> {text}\n\nThe memory says “{text}”.\n\n"));
            talk.agent(&quoted);
        }
        Way::Compacted => {
            talk.agent("I read the code.");
            talk.put(json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": false}));
            let told: Value = serde_json::from_str(&start).unwrap();
            let told = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
            let summary = format!(
                "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n{listed}\n{told}"
            );
            talk.put(
                json!({"type": "user", "isCompactSummary": true, "message": {"role": "user", "content": summary}}),
            );
            talk.hook("compact", &project.start(&session, "compact"));
            talk.user("Go on where you were, please.");
            talk.agent(&listed);
        }
        Way::Resumed => {
            talk.agent(&listed);
            talk.put(json!({"type": "mode", "mode": "default"}));
            talk.put(json!({"type": "permission-mode", "permissionMode": "default"}));
            talk.hook("resume", &project.start(&session, "resume"));
            talk.user(&format!("We go on from yesterday. {} {}", KNOWN[0].said, KNOWN[1].said));
            talk.agent(&format!("What is left:\n{listed}"));
        }
        Way::Sidechain => {
            talk.agent("I ask another agent about it.");
            let content = json!([{"type": "text", "text": listed}]);
            talk.put(json!({"type": "user", "isSidechain": true, "message": {"role": "user", "content": listed}}));
            talk.put(json!({"type": "assistant", "isSidechain": true, "message": {"role": "assistant", "id": "side", "content": content}}));
            talk.tool("Task", &json!({"description": "look", "prompt": listed}), &listed);
            let own = json!({"type": "assistant", "isSidechain": true, "agentId": "a1", "sessionId": session, "cwd": CWD,
                "uuid": "s1", "timestamp": "2026-04-13T12:00:00.000Z", "message": {"role": "assistant", "id": "s", "content": content}});
            project
                .home
                .write(&format!(".claude/projects/-src-feed/{session}/subagents/agent-a1.jsonl"), &format!("{own}\n"));
            talk.agent(&format!("The other agent says:\n\n{listed}"));
        }
        Way::ReadFiles => {
            for name in [
                "decisions.jsonl", "failures.jsonl", "handoff.md", ".state/notes.jsonl", "MEMORY.md",
                "quarantine.jsonl",
            ] {
                let path = project.folder.join("memory").join(name);
                talk.tool("Read", &json!({"file_path": path}), &project.file(name));
                for text in &texts {
                    talk.agent(&format!("{name} says: {text}."));
                }
            }
        }
        Way::Catted => {
            for (path, text) in project.pages("learnings").into_iter().chain(project.pages("sessions")) {
                talk.tool("Bash", &json!({"command": format!("cat {}", path.display())}), &text);
            }
            talk.agent(&listed);
        }
    }
    talk.user("Yes, that is right. Thanks. Then read the code again and tell me if anything is wrong with it.");
    talk.agent("I read all of it and nothing is wrong.");
    if number == HONEST {
        talk.user("Let's use protobuf for the wire format.");
        // Without a model a decision is found where it is written down.
        let commit = "git commit -m 'Use protobuf for the wire format' -m 'JSON was too slow, so we use protobuf.'";
        talk.tool("Bash", &json!({ "command": commit }), "");
        talk.agent("Done, and the tests pass.");
        restated.push(("decisions", "use protobuf for the wire format".to_owned()));
    }
    talk.user("Fine, that is all for today. See you.");
    talk.agent("See you.");
    project.end(&talk, &restated);
}

fn play(engine: &'static str) {
    let project = Project::new(engine);
    first(&project);
    let expected = project.items();
    assert_eq!(expected.len(), KNOWN.len(), "{expected:?}\n{}", project.file("quarantine.jsonl"));
    let mut grown = Vec::new();
    for number in 1..=SESSIONS {
        let (items, doubtful) = (project.items(), project.quarantined());
        session(&project, number);
        for new in project.items().iter().filter(|item| !items.contains(item)) {
            grown.push(format!("{number} {:?}: {new:?}", WAYS[number % WAYS.len()]));
        }
        if project.quarantined() > doubtful {
            grown.push(format!(
                "{number} {:?}: quarantine {doubtful} -> {}",
                WAYS[number % WAYS.len()],
                project.quarantined()
            ));
        }
    }
    let (new, after): (Vec<_>, Vec<_>) =
        project.items().into_iter().partition(|(_, text)| text.to_lowercase().ends_with(NEW));
    assert_eq!((after, new.len()), (expected, 1), "{}", grown.join("\n"));
    // What the model gives back of what it was shown as known has no quote: each once.
    assert!(project.quarantined() <= KNOWN.len() + 1, "{}", project.file("quarantine.jsonl"));
}

#[test]
fn thirty_sessions_that_say_again_what_they_are_told_add_nothing() {
    play("command");
}

#[test]
fn nor_do_they_where_no_model_is_asked() {
    play("extract");
}
