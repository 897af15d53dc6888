//! Hooks that have nothing to do, or cannot do it: status 0, not a word, nothing changed.

use super::home::Home;
use std::fs;

const HOOKS: [&str; 2] = ["lh-hook-stop", "lh-hook-session-end"];

#[test]
fn a_loop_that_is_off_queues_nothing() {
    let home = Home::new("");
    let session = home.about("app", 0);
    let fire = || {
        for hook in HOOKS {
            home.hook(hook, &session.payload(hook));
        }
        home.idle();
        assert_eq!((home.calls().len(), home.agent("queue").exists()), (0, false));
    };
    home.config("[compound_loop]\nenabled = false\n");
    fire();
    fs::remove_file(home.path(".config/lazy-harness/config.toml")).unwrap();
    fire();
    assert!(home.log().contains("disabled"), "{}", home.log());
}

#[test]
fn inside_a_model_a_hook_does_nothing_at_all() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    let before = home.shape();
    home.set("LH_DEPTH", "1");
    for hook in HOOKS {
        home.hook(hook, &session.payload(hook));
    }
    home.idle();
    assert_eq!((home.shape(), home.log().trim()), (before, ""));
}

#[test]
fn whatever_is_wrong_a_hook_ends_with_0_and_says_nothing() {
    let mut home = Home::new("");
    let session = home.about("app", 0);
    let fire = |home: &Home, payload: &[u8]| {
        for hook in HOOKS {
            home.hook(hook, payload);
        }
        home.idle();
        assert_eq!((home.calls().len(), home.tasks("").len()), (0, 0), "{}", home.log());
    };
    for rubbish in
        ["{", "[]", "null", "\"x\"", "\0\u{feff}", "{\"transcript_path\":7,\"session_id\":\"../x\",\"cwd\":[]}"]
    {
        fire(&home, rubbish.as_bytes());
    }
    fire(&home, b"\xff\xfe");
    fire(&home, &vec![b'{'; 1 << 20]);
    let gone = String::from_utf8(session.payload("lh-hook-stop")).unwrap().replace(&session.id, "gone");
    fire(&home, gone.as_bytes());
    let payload = session.payload("lh-hook-stop");
    home.config("[compound_loop]\nenabled = perhaps\n");
    fire(&home, &payload);
    assert!(home.log().contains("config.toml:2:"), "{}", home.log());
    home.config("[compound_loop]\nenabled = true\nmin_user_chars = 1\n");
    let bin = home.path("empty");
    fs::create_dir_all(&bin).unwrap();
    home.set("LH_BIN", bin);
    fire(&home, &payload);
    let missing = |line: &str| line.contains("lh-find-session") && line.contains("not found");
    assert!(home.log().lines().any(missing), "{}", home.log());
    home.set("LH_BIN", home.path("quiet"));
    home.hook(HOOKS[0], &payload);
    assert_eq!(home.tasks("")[0]["session_id"], session.id);
}
