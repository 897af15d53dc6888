//! scripts/quickstart: the whole loop in a home that is thrown away.

use crate::home::{Home, binary};
use std::path::Path;
use std::process::{Command, Output};

fn quickstart(home: &Home, arguments: &[&Path]) -> Output {
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/quickstart"));
    script.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", home.path("home"));
    script.env("LH_BIN", binary("lh-gate").parent().unwrap()).env("TMPDIR", home.path("tmp"));
    std::fs::create_dir_all(home.path("tmp")).unwrap();
    script.args(arguments).current_dir(home.path("")).output().unwrap()
}

#[test]
fn the_sample_becomes_memory_and_nothing_stays() {
    let home = Home::new();
    let output = quickstart(&home, &[]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    for wanted in [
        "linkcheck: queued",
        ".task: done",
        "  1  ~/.claude/projects/-home-dev-src-linkcheck/memory/decisions.jsonl\n",
        "~/Documents/lazy-harness-knowledge/sessions/2026-04/2026-04-13-linkchec.md\n",
        "- Try it on the 40,000 links of the handbook (",
        "I prefer std threads over tokio in this tool, remember that\n",
        "A queue a host bounds the damage of a dead one",
        "One queue a host, four hosts at a time",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    assert!(shown.lines().count() <= 40, "{shown}");
    assert!(!home.path("home").exists(), "the real home was touched");
    assert_eq!(std::fs::read_dir(home.path("tmp")).unwrap().count(), 0, "something was left in TMPDIR");
}

#[test]
fn a_session_that_is_not_worth_it_is_refused_in_so_many_words() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/app"), 1);
    let headless = std::fs::read_to_string(&transcript).unwrap().replace("\"cli\"", "\"sdk-cli\"");
    std::fs::write(&transcript, headless).unwrap();
    let before = std::fs::read(&transcript).unwrap();
    let output = quickstart(&home, &[&transcript]);
    let (shown, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("not_interactive"), "{output:?}");
    assert!(shown.contains("refused: not_interactive"), "{shown}");
    assert_eq!(std::fs::read(&transcript).unwrap(), before);
    let missing = quickstart(&home, &[Path::new("nowhere.jsonl")]);
    assert_eq!(missing.status.code(), Some(65));
}
