//! The sweep that a session's start runs in the background: no session is lost for want of a hook.

use super::home::Home;
use super::session::Session;

const START: &str = "lh-hook-session-start";

impl Home {
    /// A session starts at a time; what its hook started is over.
    fn start(&mut self, now: &str) {
        self.set("LH_NOW", now);
        let output = self.fire(START, b"{\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}\n");
        let output = output.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.success() && output.stderr.is_empty() && answer.is_object(), "{output:?}");
        self.idle();
    }

    fn done(&self) -> Vec<String> {
        let mut done: Vec<String> = self.tasks("done").iter().map(|task| task["session_id"].clone()).collect();
        done.sort();
        done
    }
}

fn ids(sessions: &[&Session]) -> Vec<String> {
    let mut ids: Vec<String> = sessions.iter().map(|session| session.id.clone()).collect();
    ids.sort();
    ids
}

/// A home whose first hook ran at 10:00, after session 0 had begun and ended.
fn swept_home(config: &str) -> (Home, Session) {
    let mut home = Home::new(config);
    let first = home.about("app", 0);
    home.set("LH_NOW", "2026-04-13T10:00:00Z");
    home.queue(&first);
    (home, first)
}

#[test]
fn a_session_that_never_got_a_hook_is_taken_up_when_it_is_quiet() {
    let (mut home, first) = swept_home("");
    let missed = home.about("app", 1);
    home.start("2026-04-13T10:30:00Z");
    assert_eq!(home.done(), ids(&[&first]), "due tasks are woken; the other one may still go on{}", home.log());
    home.start("2026-04-13T11:01:00Z");
    assert_eq!(home.done(), ids(&[&first, &missed]), "{}", home.log());
    let progress = std::fs::read_to_string(missed.memory("progress.md")).unwrap();
    assert!(progress.contains(&missed.id), "where it stood is kept, too: {progress}");
    let calls = home.calls().len();
    home.start("2026-04-13T13:00:00Z");
    assert_eq!(home.calls().len(), calls, "once is enough");
    home.holds(&[first, missed], "swept");
}

#[test]
fn a_tail_that_no_hook_saw_is_taken_up_too() {
    let (mut home, mut first) = swept_home("");
    home.start("2026-04-13T10:30:00Z");
    first.discuss(3);
    first.touch(20);
    home.start("2026-04-13T12:00:00Z");
    assert_eq!(home.calls().len(), 2, "{}", home.log());
    home.holds(&[first], "grown");
}

#[test]
fn what_a_worker_refused_at_this_size_is_left_alone() {
    let (mut home, first) = swept_home("");
    let mut thin = home.session("app", "77777777-0000-4000-8000-000000000000");
    thin.say(&["hello", "hi"]);
    thin.touch(1);
    home.start("2026-04-13T12:00:00Z");
    assert_eq!(home.done(), ids(&[&first, &thin]), "{}", home.log());
    home.start("2026-04-13T14:00:00Z");
    home.start("2026-04-14T14:00:00Z");
    assert_eq!(home.done().len(), 2, "{}", home.log());
    // It grew to something.
    thin.discuss(5);
    thin.touch(30);
    home.start("2026-04-14T16:00:00Z");
    assert_eq!((home.done().len(), home.calls().len()), (3, 2), "{}", home.log());
}

#[test]
fn a_first_start_with_many_old_sessions_calls_nothing_until_asked() {
    let mut home = Home::new("");
    for subject in 0..20 {
        home.about("app", subject);
    }
    home.start("2026-04-20T12:00:00Z");
    assert_eq!((home.calls().len(), home.tasks("").len()), (0, 0), "no hook ever ran");
    // The first hook of a new session: what began before it stays as it is.
    let new = home.session("app", "66666666-0000-4000-8000-000000000000");
    home.queue(&new);
    home.start("2026-04-20T14:00:00Z");
    assert_eq!(home.calls().len(), 0, "{}", home.log());
}

#[test]
fn a_day_takes_up_so_many_and_the_newest_first() {
    let (mut home, first) = swept_home("sweep_per_day = 3\n");
    let missed: Vec<Session> = (1..8).map(|subject| home.about("app", subject)).collect();
    home.start("2026-04-13T12:00:00Z");
    home.start("2026-04-13T13:00:00Z");
    let newest: Vec<&Session> = missed.iter().rev().take(3).chain([&first]).collect();
    assert_eq!(home.done(), ids(&newest), "{}", home.log());
    home.start("2026-04-14T12:00:00Z");
    assert_eq!(home.done().len(), 7, "{}", home.log());
    home.config("[compound_loop]\nenabled = false\n");
    home.start("2026-04-15T12:00:00Z");
    assert_eq!((home.done().len(), home.tasks("").len()), (7, 0), "the loop is off");
}

#[test]
fn a_hook_that_cannot_do_its_work_says_nothing_and_logs() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    for hook in [START, "lh-hook-pre-compact"] {
        let fire = |home: &Home| {
            let output = home.fire(hook, &session.payload(hook)).wait_with_output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            home.idle();
            // Only the start of a session can tell its user.
            let told = String::from_utf8(output.stdout).unwrap();
            assert_eq!(
                told.starts_with("{\"systemMessage\":\"lh: sessions are NOT "),
                hook == START && !told.is_empty()
            );
            assert!(hook == START || told.is_empty(), "{told}");
        };
        home.config("[compound_loop\n");
        fire(&home);
        assert!(home.log().contains("config.toml:1:15"), "{}", home.log());
        home.config("");
        let before = home.shape();
        home.set("LH_DEPTH", "1");
        fire(&home);
        assert_eq!(home.shape(), before);
        home.unset("LH_DEPTH");
        let rubbish = home.fire(hook, b"rubbish").wait_with_output().unwrap();
        assert!(rubbish.status.success() && rubbish.stdout.is_empty() && rubbish.stderr.is_empty(), "{rubbish:?}");
        assert!(home.log().contains("the payload is not JSON"), "{}", home.log());
        home.idle();
        let bin = home.env()["LH_BIN"].clone();
        home.set("LH_BIN", home.path("nowhere"));
        fire(&home);
        assert!(home.log().contains("not found"), "{}", home.log());
        home.set("LH_BIN", bin);
    }
}
