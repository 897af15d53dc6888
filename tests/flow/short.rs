//! Sessions that are too short for a model: what their user asks to be remembered is kept all the same.

use super::home::{Home, fields};
use super::session::Session;
use serde_json::{Value, json};
use std::fs;

/// The limits that a user has who sets none.
const PLAIN: &str = "[compound_loop]\nenabled = true\n";

impl Home {
    /// A session in which this was said, when the worker was done with it.
    fn worked(&mut self, id: &str, texts: &[&str]) -> Session {
        let session = self.session("app", id);
        session.say(texts);
        self.settled(session)
    }

    fn settled(&mut self, session: Session) -> Session {
        self.queue(&session);
        self.work("2026-04-13T12:00:00Z");
        assert_eq!((self.calls().len(), self.tasks("").len()), (0, 0), "{}", self.log());
        session
    }

    /// What became of a session.
    fn ended(&self, session: &Session) -> String {
        let state = fields(&self.agent("queue/state").join(&session.id));
        [state.get("outcome"), state.get("reason")].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }

    /// What the next session is told.
    fn told_next(&self) -> String {
        self.told(&self.session("app", "99999999-0000-4000-8000-000000000000"), "startup").0
    }
}

/// The texts of the typed memories.
fn memories(session: &Session) -> Vec<String> {
    let names = fs::read_dir(session.memory("")).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_note = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "md") && fs::read_to_string(path).unwrap().contains("\ntype: ")
    };
    names.filter(is_note).map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn what_a_session_of_a_minute_asks_to_be_remembered_is_remembered_without_a_model() {
    let mut home = Home::new("");
    home.config(PLAIN);
    let session = home.worked("aaaaaaaa-0000-4000-8000-000000000000", &["remember: tabs, not spaces", "Noted."]);
    let found = memories(&session);
    assert!(found.len() == 1 && found[0].contains("abs, not spaces"), "{found:?}: {}", home.log());
    assert_eq!(home.ended(&session), "done");
    let journal = session.journal(".state/notes.jsonl");
    assert_eq!(journal[0]["evidence"][0]["said_by"], "user", "{journal:?}");
    for name in ["decisions.jsonl", "failures.jsonl", "quarantine.jsonl", "handoff.md", "said.jsonl", ".state/handoff"]
    {
        assert!(!session.memory(name).exists(), "{name}");
    }
    assert!(!home.path("Documents/lazy-harness-knowledge/learnings").exists());
    assert!(home.told_next().contains("abs, not spaces"), "{}", home.told_next());
    // The same again adds nothing, and the session that grows on is read whole.
    home.settled(session);
    let mut session = home.session("app", "aaaaaaaa-0000-4000-8000-000000000000");
    session.discuss(0);
    home.queue(&session);
    home.work("2026-04-13T13:00:00Z");
    assert_eq!((home.calls().len(), session.journal("decisions.jsonl").len()), (1, 1), "{}", home.log());
    assert!(memories(&session).iter().any(|memory| memory.contains("abs, not spaces")));
}

#[test]
fn the_prompts_of_the_second_document_are_remembered() {
    let mut home = Home::new("");
    home.config(PLAIN);
    let session = home.worked(
        "bbbbbbbb-0000-4000-8000-000000000000",
        &[
            "I prefer using tabs for indentation, not spaces. Remember that.",
            "I will.",
            "Create a Python file called test.py",
            "Done.",
            "What did I tell you about my preferences?",
            "Tabs.",
            "I also prefer single quotes over double quotes for strings.",
            "Noted.",
        ],
    );
    let found = memories(&session).concat();
    assert!(found.contains("tabs for indentation") && found.contains("single quotes"), "{found}: {}", home.log());
    assert_eq!((home.ended(&session).as_str(), memories(&session).len()), ("done", 2));
    // Each is told once, by the client's own index or by the start.
    let index = fs::read_to_string(session.memory("MEMORY.md")).unwrap();
    let told = home.told_next();
    let of_start = told.split("## Preferences").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
    for wish in ["tabs for indentation", "single quotes"] {
        let lines = index.lines().chain(of_start.lines()).filter(|line| line.contains(wish));
        assert_eq!(lines.count(), 1, "{wish}: {index} {told}");
    }
}

#[test]
fn of_a_short_session_that_asks_for_nothing_no_memory_is_kept_nor_of_words_of_others() {
    let mut home = Home::new("");
    home.config(PLAIN);
    let wish = "remember: tabs, not spaces";
    let block = format!("what is this?\n\n```\n{wish}\n```\n");
    let quote = format!("what is this?\n\n> {wish}\n");
    let page = format!(
        "Look at this page:\n\n# Notes of the team\n\nWe met.\n\n## Rules\n\n- {wish}\n- always use npm\n\n## Other\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    );
    let hidden = format!("hello <private>{wish}</private>");
    for (at, texts) in [
        ["hello", "Hello."],
        [block.as_str(), "A rule."],
        [quote.as_str(), "A rule."],
        [page.as_str(), "Rules."],
        [hidden.as_str(), "Hello."],
        ["hello", wish],
        ["do you remember: tabs, not spaces?", "Yes."],
    ]
    .iter()
    .enumerate()
    {
        let session = home.worked(&format!("{at:08x}-0000-4000-8000-000000000000"), texts);
        assert_eq!(home.ended(&session), "done", "{texts:?}: {}", home.log());
        assert!(memories(&session).is_empty() && session.journal(".state/notes.jsonl").is_empty(), "{texts:?}");
    }
    // What a tool printed, and what the user repeats of it.
    let session = home.session("app", "cccccccc-0000-4000-8000-000000000000");
    session.say(&["read it"]);
    let result = |text: &str| {
        json!({"parentUuid": format!("{}-1", session.id), "isSidechain": false, "type": "user", "uuid": format!("{}-2", session.id),
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]},
            "timestamp": "2026-04-13T10:00:00.000Z", "entrypoint": "cli", "sessionId": session.id, "version": "2.1.330"})
    };
    session.append(&result(wish));
    let session = home.settled(session);
    assert_eq!(home.ended(&session), "done", "{}", home.log());
    // A subagent's session has no user, and where nothing is to be extracted nothing is.
    let session = home.session("app", "dddddddd-0000-4000-8000-000000000000");
    session.say(&[wish, "Noted."]);
    let program =
        fs::read_to_string(&session.transcript).unwrap().replace("\"isSidechain\":false", "\"isSidechain\":true");
    fs::write(&session.transcript, program).unwrap();
    let session = home.settled(session);
    assert_eq!(home.ended(&session), "refused not_interactive", "{}", home.log());
    home.config(&format!("{PLAIN}[memory]\nextract = false\n"));
    let session = home.worked("eeeeeeee-0000-4000-8000-000000000000", &[wish, "Noted."]);
    assert_eq!(home.ended(&session), "done", "{}", home.log());
    assert_eq!(session.journal(".state/notes.jsonl"), [] as [Value; 0]);
}

#[test]
fn what_is_open_does_not_grow_old_by_a_session_of_a_minute() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    home.queue(&session);
    home.work("2026-04-13T11:00:00Z");
    let read = |name: &str| fs::read_to_string(session.memory(name)).unwrap();
    let before = [read("handoff.md"), read(".state/handoff")];
    assert_eq!(home.calls().len(), 1);
    let short = home.session("app", "bbbbbbbb-0000-4000-8000-000000000000");
    short.say(&["remember: tabs, not spaces", "Noted."]);
    home.queue(&short);
    home.work("2026-04-13T12:00:00Z");
    assert_eq!((home.calls().len(), home.ended(&short).as_str()), (1, "done"), "{}", home.log());
    assert!(memories(&short).concat().contains("abs, not spaces"));
    assert_eq!([read("handoff.md"), read(".state/handoff")], before);
}

/// What a session is too small for is a model call, not to be remembered.
#[test]
fn a_short_session_gives_what_it_says_in_so_many_words_without_a_model() {
    let mut home = Home::new("");
    home.config(PLAIN);
    let answer = "I fixed it. Still open:\n\n- write the page of the importer";
    let session = home.worked("aaaaaaaa-0000-4000-8000-000000000000", &["fix the date", answer]);
    assert_eq!(home.ended(&session), "done");
    assert!(home.told_next().contains("rite the page of the importer"), "{}", home.told_next());
    // No call is made, so there is nothing to wait for: the state says what was done.
    let again = home.settled(session);
    assert_eq!(home.ended(&again), "done");
}
