//! What keeps the loop from running away, from spending, and from losing a session when a call fails.

use super::home::Home;
use super::session::Session;
use std::fs;

fn queued(home: &mut Home, subjects: std::ops::Range<usize>) -> Vec<Session> {
    let sessions: Vec<Session> = subjects.map(|at| home.about("app", at)).collect();
    for session in &sessions {
        home.queue(session);
    }
    sessions
}

#[test]
fn a_model_that_fires_our_hook_starts_nothing() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    // The model's own transcript, with everything that would let it pass.
    let own = home.about("work", 1);
    let payload = own.payload("lh-hook-stop");
    fs::write(home.path("payload"), &payload).unwrap();
    home.set("FAKE_HOOKS", concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/lh-hook-stop"));
    home.set("FAKE_PAYLOAD", home.path("payload"));
    home.hook("lh-hook-stop", &session.payload("lh-hook-stop"));
    home.idle();
    home.holds(std::slice::from_ref(&session), "runaway");
    let calls = home.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    for wanted in
        ["depth=1 ", "--settings {\"disableAllHooks\":true,", "--no-session-persistence", "--output-format json"]
    {
        assert!(calls[0].contains(wanted), "{wanted}: {calls:?}");
    }
    home.unset("FAKE_HOOKS");
    home.hook("lh-hook-stop", &payload);
    home.idle();
    assert_eq!(home.calls().len(), 2, "outside the model the same hook works: {}", home.log());
}

#[test]
fn what_the_days_budget_does_not_pay_for_waits_for_the_next() {
    let mut home = Home::new("max_calls_per_day = 1\n");
    let sessions = queued(&mut home, 0..2);
    home.work("2026-04-13T12:01:00Z");
    assert_eq!((home.calls().len(), home.tasks("").len(), home.tasks("done").len()), (1, 1, 1), "{}", home.log());
    let waiting = home.tasks("")[0].clone();
    assert_eq!((waiting.get("attempts"), waiting["not_before"].as_str()), (None, "2026-04-14T00:00:00+00:00"));
    home.work("2026-04-13T23:59:59Z");
    assert_eq!(home.calls().len(), 1);
    home.work("2026-04-14T00:00:00Z");
    assert_eq!(home.calls().len(), 2, "{}", home.log());
    home.holds(&sessions, "the day after");
}

#[test]
fn five_failures_open_the_breaker_and_an_hour_later_one_call_is_tried() {
    let mut home = Home::new("");
    let sessions = queued(&mut home, 0..6);
    home.set("FAKE_FAIL", "1");
    home.work("2026-04-13T12:01:00Z");
    assert_eq!(home.calls().len(), 5, "{}", home.log());
    let mut attempts: Vec<_> =
        home.tasks("").iter().map(|task| task.get("attempts").cloned().unwrap_or_default()).collect();
    attempts.sort();
    assert_eq!(attempts, ["", "1", "1", "1", "1", "1"]);
    home.work("2026-04-13T12:20:00Z");
    assert_eq!(home.calls().len(), 5, "the breaker is open: {}", home.log());
    home.work("2026-04-13T13:01:00Z");
    assert_eq!(home.calls().len(), 6, "one is tried: {}", home.log());
    home.unset("FAKE_FAIL");
    home.work("2026-04-13T16:00:00Z");
    assert_eq!(home.calls().len(), 12, "{}", home.log());
    home.holds(&sessions, "mended");
}

#[test]
fn a_session_waits_for_a_claude_that_is_not_there() {
    let mut home = Home::new("engine = \"claude\"\n");
    let sessions = queued(&mut home, 0..1);
    fs::rename(home.path("model"), home.path("gone")).unwrap();
    home.work("2026-04-13T12:01:00Z");
    let task = &home.tasks("")[0];
    // Waiting is not an attempt: it can wait for as long as it takes.
    assert_eq!((task.get("attempts"), task["not_before"].as_str()), (None, "2026-04-13T13:01:00+00:00"));
    assert!(home.log().contains("claude: not on PATH"), "{}", home.log());
    fs::rename(home.path("gone"), home.path("model")).unwrap();
    home.work("2026-04-13T13:02:00Z");
    home.holds(&sessions, "claude is back");
}

#[test]
fn where_there_is_no_claude_the_session_is_read_without_a_model() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    session.say(&["ok, what is left for tomorrow?", "One thing is left: translate the manual page."]);
    home.queue(&session);
    fs::rename(home.path("model"), home.path("gone")).unwrap();
    home.work("2026-04-13T12:01:00Z");
    assert_eq!((home.tasks("").len(), home.tasks("done").len(), home.calls().len()), (0, 1, 0), "{}", home.log());
    let (_, open) = session.handoff().unwrap();
    assert_eq!(open, ["Translate the manual page"], "{}", home.log());
    assert!(!home.agent("logs/llm.jsonl").exists(), "a call was booked");
}

#[test]
fn a_session_that_was_given_up_can_be_put_back() {
    let mut home = Home::new("max_attempts = 2\n");
    let sessions = queued(&mut home, 0..1);
    home.set("FAKE_FAIL", "1");
    home.work("2026-04-13T12:01:00Z");
    assert_eq!((home.tasks("")[0]["attempts"].as_str(), home.calls().len()), ("1", 1));
    home.work("2026-04-13T12:02:00Z");
    assert_eq!((home.tasks("").len(), home.tasks("failed").len(), home.calls().len()), (0, 1, 2), "{}", home.log());
    let why = &home.tasks("failed")[0]["last_error"];
    assert!(!why.is_empty(), "{}", home.log());
    assert!(home.log().contains("API Error: Connection error."), "{}", home.log());
    assert!(!sessions[0].memory("decisions.jsonl").exists());

    home.unset("FAKE_FAIL");
    home.work("2026-04-14T12:00:00Z");
    assert_eq!(home.calls().len(), 2, "nothing is tried unasked");
    let receipt = home.tool("lh-dequeue", &["--retry", &sessions[0].id]);
    assert!(receipt.status.success() && String::from_utf8_lossy(&receipt.stdout).contains(&sessions[0].id));
    home.work("2026-04-14T12:01:00Z");
    assert_eq!(home.calls().len(), 3);
    home.holds(&sessions, "put back");
}
