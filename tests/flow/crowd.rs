//! Many sessions at once, and sessions that come in the wrong order.

use super::home::{Home, silent};
use super::session::Session;

#[test]
fn fifty_sessions_at_once_are_each_distilled_once() {
    let home = Home::new("").moved();
    let mut sessions: Vec<Session> = (0..49).map(|at| home.about(&format!("project-{}", at % 5), at)).collect();
    // The last one has the first eight letters of its id in common with another.
    let mut twin = home.session("project-0", &sessions[48].id.replace("-0000-", "-ffff-"));
    twin.discuss(49);
    twin.touch(49);
    sessions.push(twin);
    let hook = "lh-hook-session-end";
    let hooks: Vec<_> = sessions.iter().map(|session| home.fire(hook, &session.payload(hook))).collect();
    for hook in hooks {
        silent(&hook.wait_with_output().unwrap());
    }
    home.idle();
    home.holds(&sessions, "fifty");
    assert_eq!((home.tasks("done").len(), home.calls().len()), (50, 50));
    let mut answered = home.answered();
    answered.sort();
    answered.dedup();
    assert_eq!(answered.len(), 50);
}

#[test]
fn the_handoff_is_the_newer_sessions_whoever_comes_last() {
    let mut home = Home::new("");
    let (older, newer) = (home.about("app", 0), home.about("app", 1));
    for session in [&newer, &older] {
        home.queue(session);
        home.work("2026-04-13T12:10:00Z");
    }
    assert_eq!(home.calls().len(), 2);
    home.holds(&[older, newer], "reverse order");
}
