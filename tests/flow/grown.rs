//! Sessions that are distilled again after they grew, and those with too little in them.

use super::home::{Home, fields};
use super::session::words;
use serde_json::json;
use std::fs;

#[test]
fn ten_rewordings_of_a_session_that_grows_leave_one_fact_each() {
    let mut home = Home::new("");
    let mut session = home.about("app", 0);
    let (a, b) = words(0);
    for round in 0..10 {
        home.set("LH_NOW", format!("2026-04-13T1{round}:00:00Z"));
        home.queue_by("lh-hook-stop", &session);
        home.work(&format!("2026-04-13T1{round}:01:00Z"));
        assert_eq!(home.calls().len(), round + 1, "{}", home.log());
        home.holds(std::slice::from_ref(&session), &format!("round {round}"));
        session
            .say(&[&format!("and how does the {a} do now, in round {round}?"), &format!("The {b} is fine with it.")]);
        session.touch(3 * (round + 1));
    }
    let prompt = fs::read_to_string(home.path("calls.prompt")).unwrap();
    let earlier = prompt.split_once("This session gave these before it grew").unwrap().1;
    // Behind its id, by which a correction names it.
    let first = earlier.strip_prefix(". Don't repeat them; add only what is new:\n- ").unwrap();
    let (id, said) = first.split_once(' ').unwrap();
    assert!(id.len() == 6 && said.starts_with(&format!("Cache the {a} results beside the {b}\n")), "{first}");

    session.discuss(1);
    session.touch(40);
    home.set("LH_NOW", "2026-04-13T20:00:00Z");
    home.queue_by("lh-hook-stop", &session);
    home.work("2026-04-13T20:01:00Z");
    assert_eq!(home.calls().len(), 11);
    home.holds(std::slice::from_ref(&session), "with another subject");
}

#[test]
fn bookkeeping_behind_the_last_turn_makes_no_call() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    home.queue(&session);
    home.work("2026-04-13T12:01:00Z");
    assert_eq!(home.calls().len(), 1);

    session.append(&json!({"type": "last-prompt", "lastPrompt": "good", "sessionId": session.id}));
    session.touch(5);
    home.set("LH_NOW", "2026-04-13T13:00:00Z");
    home.queue_by("lh-hook-stop", &session);
    assert_eq!(home.tasks("").len(), 1, "the producer cannot know: {}", home.log());
    home.work("2026-04-13T13:01:00Z");
    assert_eq!((home.calls().len(), home.tasks("").len()), (1, 0), "{}", home.log());
    home.holds(std::slice::from_ref(&session), "bookkeeping");
    let state = fields(&home.agent("queue/state").join(&session.id));
    assert_eq!(state["source_size_bytes"], session.transcript.metadata().unwrap().len().to_string());

    home.set("LH_NOW", "2026-04-13T14:00:00Z");
    home.queue(&session);
    assert_eq!(home.tasks("").len(), 0, "nothing changed at all: {}", home.log());
}

#[test]
fn the_worker_keeps_where_a_session_stood_that_no_hook_saw() {
    let mut home = Home::new("");
    // Killed, so that no hook ran, and too thin for a model.
    let thin = home.session("app", "0f0f0f0f-0000-4000-8000-000000000000");
    thin.say(&["rename the button", "Renamed."]);
    thin.touch(1);
    home.queue(&thin);
    home.work("2026-04-13T12:01:00Z");
    assert_eq!((home.calls().len(), home.tasks("").len()), (0, 0), "{}", home.log());
    let progress = || fs::read_to_string(thin.memory("progress.md")).unwrap();
    let stood = format!("---\nsession_id: {}\n", thin.id);
    assert!(
        progress().starts_with(&stood) && progress().contains("\n- Goal: rename the button (answered)\n"),
        "{}",
        progress()
    );
    assert_eq!(thin.handoff(), None);

    // One that is distilled is kept there too, and a thin one changes nothing that it left open.
    let full = home.about("app", 2);
    home.queue(&full);
    home.work("2026-04-13T12:02:00Z");
    let wanted = full.handoff().unwrap();
    assert_eq!((wanted.0.as_str(), home.calls().len()), (full.id.as_str(), 1));
    assert!(progress().contains(&full.id), "{}", progress());
    let later = home.session("app", "0e0e0e0e-0000-4000-8000-000000000000");
    later.say(&["thanks a lot", "You are welcome."]);
    later.touch(5);
    // What the version before kept of a task does not disturb.
    home.queue(&later);
    let tasks =
        fs::read_dir(home.agent("queue")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let task =
        tasks.into_iter().find(|name| name.split_once(".task").is_some_and(|(_, rest)| rest.is_empty())).unwrap();
    let slim = home.agent(&format!("queue/work/{task}.slim"));
    fs::write(&slim, "{\"type\":\"distilled\",\"engine\":\"slim\"}\n").unwrap();
    home.work("2026-04-13T12:03:00Z");
    assert_eq!(later.handoff(), Some(wanted));
    assert!(progress().contains("thanks a lot"), "{}", progress());
    assert_eq!((home.calls().len(), home.tasks("done").len()), (1, 3), "{}", home.log());
    assert_eq!(fs::read_dir(home.agent("queue/work")).unwrap().count(), 0);
}
