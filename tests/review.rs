//! lh-review: which learnings it names, and what it does with them.

use crate::home::Home;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LEARNINGS: &str = "Documents/lazy-harness-knowledge/learnings";
const APART: &str = ".local/state/lh/review/apart.jsonl";
const ONE: (&str, &str) = (
    "Set client_max_body_size for uploads behind nginx",
    "Uploads above 1 MB got 413 from nginx before they reached the app. Set client_max_body_size in the server block.",
);
const SAME: (&str, &str) = (
    "413 on uploads comes from nginx, not from the app",
    "nginx answers 413 to a body above its default of 1 MB. Raise client_max_body_size in the server block.",
);
const OTHER: (&str, &str) = ("Quote variables in shell scripts", "Unquoted variables are split at blanks.");

fn page(learning: (&str, &str)) -> String {
    let title = Value::from(learning.0);
    format!(
        "---\ntitle: {title}\norigin: lh\norigin_session: 2026-04-13\ntags: []\nscope: universal\nstatus: active\ndeprecated_by: null\ndeprecated_on: null\ndeprecated_reason: null\n---\n\n## Learning\n\n{}\n\n## Context\n\nc\n",
        learning.1
    )
}

fn put(home: &Home, name: &str, text: &str) -> PathBuf {
    home.write(&format!("{LEARNINGS}/2026-04/{name}.md"), text)
}

/// A home with a pair, and one that is like neither.
fn pair() -> (Home, PathBuf, PathBuf) {
    let home = Home::new();
    let one = put(&home, "2026-04-13-one", &page(ONE));
    let same = put(&home, "2026-04-14-same", &page(SAME));
    put(&home, "2026-04-15-other", &page(OTHER));
    (home, one, same)
}

/// Lines are asked for of what a tool says that it did; pairs are records in a pipe.
fn form(arguments: &[&str]) -> Option<&'static str> {
    (!arguments.is_empty()).then_some("--text")
}

fn ran(home: &Home, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = home
        .tool("lh-review")
        .args(form(arguments))
        .args(arguments)
        .env("LH_NOW", "2026-04-20T12:00:00Z")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn pairs(home: &Home) -> Vec<Value> {
    let (status, out, said) = ran(home, &[]);
    assert_eq!((status, said.as_str()), (Some(i32::from(out.is_empty())), ""));
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ids(home: &Home) -> [String; 2] {
    let pairs = pairs(home);
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    ["id", "other_id"].map(|field| pairs[0][field].as_str().unwrap().to_owned())
}

fn review(home: &Home) -> String {
    home.read(&format!("{LEARNINGS}/_review-2026-04-20.md"))
}

#[test]
fn a_pair_is_merged_and_nothing_else_changes() {
    let (home, one, same) = pair();
    let found = pairs(&home);
    assert_eq!((&found[0]["type"], &found[0]["reason"]), (&"pair".into(), &"words".into()));
    assert!(found[0]["path"] == one.to_str().unwrap() && found[0]["other_path"] == same.to_str().unwrap());
    let [keep, other] = ids(&home);
    let before = [&one, &same].map(|path| fs::read_to_string(path).unwrap());
    let (status, out, _) = ran(&home, &["-n", "--merge", &keep, &other]);
    assert!(status == Some(0) && out.starts_with("would deprecate: "), "{out}");
    assert!(!home.path(".local/state").exists());
    assert_eq!([&one, &same].map(|path| fs::read_to_string(path).unwrap()), before);
    // By the head of an id and by a path.
    assert_eq!(ran(&home, &["--merge", &keep[..6], "2026-04/2026-04-14-same.md"]).0, Some(0));
    let wanted = before[1]
        .replace("status: active", "status: deprecated")
        .replace("deprecated_by: null", "deprecated_by: \"2026-04/2026-04-13-one.md\"")
        .replace("deprecated_on: null", "deprecated_on: 2026-04-20")
        .replace(
            "deprecated_reason: null",
            &format!("deprecated_reason: {}", Value::from(format!("says the same as \"{}\"", ONE.0))),
        );
    assert_eq!([&one, &same].map(|path| fs::read_to_string(path).unwrap()), [before[0].clone(), wanted.clone()]);
    // It is not compared again, the same again changes nothing, and the other way round is refused.
    assert!(pairs(&home).is_empty());
    let (status, out, _) = ran(&home, &["--merge", &keep, &other]);
    assert!(status == Some(0) && out.contains("already"), "{out}");
    assert_eq!(ran(&home, &["--merge", &other, &keep]).0, Some(65));
    assert_eq!([&one, &same].map(|path| fs::read_to_string(path).unwrap()), [before[0].clone(), wanted]);
}

#[test]
fn what_a_person_changed_stays_byte_for_byte() {
    let (home, _, same) = pair();
    let [keep, other] = ids(&home);
    let body = "\r\n## Learning\r\n\r\nnginx answers 413 to a body above its default of 1 MB. Raise client_max_body_size in the server block.\r\n\r\n## Mine\r\nstatus: active\r\n\tx \u{1f389}  \r\n";
    let head = format!(
        "\u{feff}---\r\ntitle: {}\r\n# mine\r\norigin: lh\r\nmine:\r\n  status: kept\r\nstatus: active\r\n",
        SAME.0
    );
    let mut bytes = format!("{head}---\r\n{body}").into_bytes();
    bytes.extend_from_slice(b"\xff\xfe no newline");
    fs::write(&same, &bytes).unwrap();
    assert_eq!(ran(&home, &["--merge", &keep, &other]).0, Some(0));
    let after = fs::read(&same).unwrap();
    let text = String::from_utf8_lossy(&after).into_owned();
    let keys = "deprecated_by: \"2026-04/2026-04-13-one.md\"\r\ndeprecated_on: 2026-04-20\r\n";
    let reason = format!("deprecated_reason: {}\r\n", Value::from(format!("says the same as \"{}\"", ONE.0)));
    let head = head.replace("\r\nstatus: active", "\r\nstatus: deprecated");
    assert!(text.starts_with(&format!("{head}{keys}{reason}---\r\n{body}")), "{text}");
    assert!(after.ends_with(b"\xff\xfe no newline"));
    assert!(pairs(&home).is_empty());
}

#[test]
fn a_pair_that_is_kept_is_never_named_again() {
    let (home, one, same) = pair();
    let [keep, other] = ids(&home);
    assert!(ran(&home, &["-n", "--keep", &keep, &other]).1.starts_with("would keep: "));
    assert_eq!(pairs(&home).len(), 1);
    let before = [&one, &same].map(|path| fs::read_to_string(path).unwrap());
    assert!(ran(&home, &["--keep", &other, &keep]).1.starts_with("kept: "));
    assert!(pairs(&home).is_empty() && ran(&home, &["--write"]) == (Some(1), String::new(), String::new()));
    assert!(ran(&home, &["--keep", &keep, &other]).1.starts_with("kept already: "));
    assert_eq!(home.read(APART).lines().count(), 1);
    assert_eq!([&one, &same].map(|path| fs::read_to_string(path).unwrap()), before);
    // A torn line costs itself alone, and what comes next is not glued to it.
    home.write(APART, &(home.read(APART) + "{\"ts\":\"2026"));
    put(&home, "2026-04-16-third", &page(("nginx says 413 to uploads", SAME.1)));
    let third = pairs(&home);
    assert!(!third.is_empty() && third.iter().all(|pair| pair["other_title"] == "nginx says 413 to uploads"));
    for pair in &third {
        assert_eq!(
            ran(&home, &["--keep", pair["id"].as_str().unwrap(), pair["other_id"].as_str().unwrap()]).0,
            Some(0)
        );
    }
    assert!(pairs(&home).is_empty());
    // No state is among the learnings.
    let names: Vec<_> = fs::read_dir(home.path(LEARNINGS)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["2026-04"]);
}

#[test]
fn the_page_has_the_commands_and_is_the_same_again() {
    let (home, ..) = pair();
    let [keep, other] = ids(&home);
    let (status, out, _) = ran(&home, &["-n", "--write"]);
    assert!(
        status == Some(0)
            && out.starts_with("would write: review: 1 pair of learnings waits: would be in ")
            && review(&home).is_empty(),
        "{out}"
    );
    assert_eq!(ran(&home, &["--write"]).0, Some(0));
    let first = review(&home);
    for part in [ONE.0, SAME.0, "2026-04/2026-04-13-one.md", "2026-04/2026-04-14-same.md"] {
        assert!(first.contains(part), "{first}");
    }
    for line in [format!("lh-review --merge {keep} {other}"), format!("lh-review --keep {keep} {other}")] {
        assert!(first.contains(&line), "{first}");
    }
    assert_eq!((ran(&home, &["--write"]).0, review(&home)), (Some(0), first.clone()));
    assert_eq!(pairs(&home).len(), 1);
    // One of ours is replaced; one that a person changed stays.
    put(&home, "2026-04-16-third", &page(("nginx says 413 to uploads", SAME.1)));
    ran(&home, &["--write"]);
    let second = review(&home);
    assert!(second != first && second.contains("nginx says 413"));
    let mine = second.replace("# Learnings", "# My learnings");
    home.write(&format!("{LEARNINGS}/_review-2026-04-20.md"), &mine);
    ran(&home, &["--write"]);
    assert_eq!((review(&home), home.read(&format!("{LEARNINGS}/_review-2026-04-20-2.md"))), (mine, second));
}

/// An item of a journal of the project `name`, of a day in April.
fn item(home: &Home, name: &str, kind: &str, day: usize, number: usize, said: &str) {
    let file = format!(".claude/projects/-src-{name}/memory/{kind}s.jsonl");
    let item = serde_json::json!({"ts": format!("2026-04-{day:02}T10:00:00Z"), "type": kind, "summary": said,
        "prevention": if kind == "failure" { "build it on the host" } else { "" }, "project": name,
        "session_id": format!("s{day}-{number}"), "id": format!("{day:02}{number:04}"), "grounded": true,
        "evidence": [{"quote": said, "line": 1}]});
    home.write(&file, &format!("{}{item}\n", home.read(&file)));
}

#[test]
fn the_page_tells_the_week_of_all_projects() {
    let home = Home::new();
    item(&home, "app", "decision", 2, 0, "An old decision about the cache of pages");
    for number in 0..30 {
        item(
            &home,
            "app",
            "decision",
            18,
            number,
            &format!("Rule {number}: the {number} workers of house {number} rest"),
        );
    }
    item(&home, "web", "decision", 19, 0, "The socket has\n# a heading and \u{1b}[31mcolour");
    item(&home, "web", "failure", 3, 0, "The linker runs out of memory in the container build");
    item(&home, "web", "failure", 16, 0, "The proxy answers 502 while the app starts");
    item(&home, "web", "failure", 17, 0, "The container build: the linker runs out of memory");
    put(&home, "2026-04-13-one", &page(ONE).replace("origin: lh", "origin: web"));
    put(&home, "2026-04-14-same", &page(SAME));
    let head = "---\nsession_id: s1\nwritten_at: 2026-03-01T10:00:00Z\nsource_mtime: 2026-03-01T10:00:00Z\n---\n";
    home.write(".claude/projects/-src-app/memory/handoff.md", &format!("{head}Open:\n- write the page of the gate\n"));
    let (status, out, _) = ran(&home, &["--write"]);
    assert_eq!(status, Some(0), "{out}");
    let page = review(&home);
    assert!(page.starts_with("# The week to 2026-04-20\n\n## Decided\n"), "{page}");
    assert!(page.lines().count() <= 82, "{}", page.lines().count());
    for line in [
        "- and 15 more",
        "- web: The container build: the linker runs out of memory; to prevent it: build it on the host; it came back, and is known since 2026-04-03",
        "- web: The proxy answers 502 while the app starts; to prevent it: build it on the host",
        "- 413 on uploads comes from nginx, not from the app (web, lh)",
        "- app: write the page of the gate (spoken of last on 2026-03-01)",
        "1 pair of learnings waits. `lh-review --merge KEEP OTHER` deprecates OTHER, `lh-review --keep ID ID` keeps both",
    ] {
        assert!(page.lines().any(|one| one == line), "{line}\n{page}");
    }
    assert!(page.contains("\n- web: The socket has # a heading and ") && !page.contains('\u{1b}'), "{page}");
    assert!(!page.contains("An old decision"), "{page}");
    // What came back is told first.
    assert!(page.find("it came back") < page.find("The proxy answers"), "{page}");
    assert_eq!((ran(&home, &["--write"]).0, review(&home)), (Some(0), page));
}

#[test]
fn a_model_says_which_lines_of_the_week_come_first_and_nothing_else() {
    let home = Home::new();
    item(&home, "web", "decision", 19, 0, "Keep the queue as plain files, key PASSWORD=hunter2hunter2");
    for (number, said) in ["Use one lock", "Deploy on Thursday only", "Write the page in English"].iter().enumerate() {
        item(&home, "web", "decision", 18, number, said);
    }
    item(&home, "app", "decision", 18, 5, "Deploy on Thursday only");
    item(&home, "web", "failure", 16, 0, "The proxy answers 502 while the app starts");
    let set = |brief: &str, answer: &str| {
        let model = home.write("model.sh", &format!("cat >\"$HOME/asked\"; printf '%s' '{answer}'\n"));
        let command = format!("command = \"sh {}\"\nmax_prompt_chars = 2000\n", model.display());
        let config =
            format!("[compound_loop]\nenabled = true\nengine = \"command\"\n{command}[memory]\nbrief = \"{brief}\"\n");
        home.write(".config/lazy-harness/config.toml", &config);
        home.write("asked", "");
    };
    let with = |answer: &str| {
        set("weekly", answer);
        let (status, _, error) = ran(&home, &["--write"]);
        assert_eq!(status, Some(0), "{error}");
        (review(&home), error)
    };
    let (page, error) = with("[6, 17]\nThe proxy was replaced by nginx\n");
    let failed = "- Failed: web: The proxy answers 502 while the app starts; to prevent it: build it on the host";
    let head = format!("# The week to 2026-04-20\n\n## What matters most\n\n{failed}\n\n## Decided\n");
    assert!(page.starts_with(&head), "{page}");
    assert!(!page.contains("## Failed") && !page.contains("nginx") && error.is_empty(), "{page}{error}");
    let asked = home.read("asked");
    assert!(asked.contains("\n6. Failed: web: The proxy") && !asked.contains("hunter2"), "{asked}");
    // Of two that say the same only the one that was meant is moved.
    let place =
        1 + asked.lines().filter(|line| line.contains(". Decided")).position(|line| line.contains("Thursday")).unwrap();
    let (page, _) = with(&format!("[{place}]"));
    assert_eq!(page.matches("Deploy on Thursday only").count(), 2, "{page}");
    // An answer without a number costs the order alone.
    let (page, error) = with("The proxy.");
    assert!(page.contains("## Failed") && error.contains("made without a model"), "{page}{error}");
    assert_eq!(home.read(".claude/logs/llm.jsonl").lines().count(), 3);
    // Nor is one asked by a run that only says what it would do, or where briefings are off.
    home.write("asked", "");
    assert_eq!(ran(&home, &["--write", "-n"]).0, Some(0));
    assert_eq!(home.read("asked"), "");
    set("off", "[1]");
    assert_eq!((ran(&home, &["--write"]).0, home.read("asked")), (Some(0), String::new()));
}

#[test]
fn the_weekly_run_says_how_many_wait() {
    let (home, ..) = pair();
    let weekly = || {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/lh-weekly");
        let output = home.run(&script).env("LH_NOW", "2026-04-20T12:00:00Z").output().unwrap();
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
        String::from_utf8(output.stdout).unwrap()
    };
    let said = weekly();
    assert!(
        said.starts_with("written: review: 1 pair of learnings waits: see ")
            && said.ends_with("_review-2026-04-20.md\n"),
        "{said}"
    );
    let [keep, other] = ids(&home);
    ran(&home, &["--keep", &keep, &other]);
    assert_eq!(weekly(), "");
}

#[test]
fn strange_files_cost_themselves_alone() {
    use std::os::unix::ffi::OsStrExt;
    let (home, one, _) = pair();
    let secret = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let month = one.parent().unwrap().to_path_buf();
    assert!(Command::new("mkfifo").arg(month.join("2026-04-16-fifo.md")).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", month.join("2026-04-16-link.md")).unwrap();
    std::os::unix::fs::symlink(&one, month.join("2026-04-16-same-link.md")).unwrap();
    fs::create_dir(month.join("2026-04-16-folder.md")).unwrap();
    fs::write(month.join("2026-04-16-broken.md"), page(ONE).replace("---\n\n##", "\n##")).unwrap();
    fs::write(month.join("2026-04-16-none.md"), ONE.1).unwrap();
    fs::write(month.join("2026-04-16-empty.md"), "").unwrap();
    fs::write(month.join(std::ffi::OsStr::from_bytes(b"2026-04-16-\xff.md")), page(("x", "An unlike thing"))).unwrap();
    fs::write(month.join("2026-04-16-huge.md"), page(("Huge", &"word salad ".repeat(1 << 20)))).unwrap();
    assert_eq!(pairs(&home).len(), 1);
    // A page with CRLF is compared by its learning alone; secrets are masked wherever they are shown.
    let title = format!("nginx says 413 to uploads {secret}");
    fs::write(month.join("2026-04-17-crlf.md"), page((&title, SAME.1)).replace('\n', "\r\n")).unwrap();
    let (_, out, _) = ran(&home, &[]);
    assert!(out.contains("nginx says 413") && !out.contains(secret), "{out}");
    ran(&home, &["--write"]);
    assert!(review(&home).contains("nginx says 413") && !review(&home).contains(secret));
    let crlf = "2026-04/2026-04-17-crlf.md";
    let (status, out, _) = ran(&home, &["--merge", crlf, "2026-04/2026-04-13-one.md"]);
    assert!(status == Some(0) && !out.contains(secret), "{out}");
    assert!(!fs::read_to_string(&one).unwrap().contains(secret));
    // What is outside is not changed through a link.
    let outside = home.write("outside.md", &page(("Outside of it", "All of this is elsewhere and nobody's business.")));
    std::os::unix::fs::symlink(&outside, month.join("2026-04-18-out.md")).unwrap();
    let (status, _, said) = ran(&home, &["--merge", crlf, "2026-04/2026-04-18-out.md"]);
    assert_eq!(status, Some(65), "{said}");
    assert!(fs::read_to_string(&outside).unwrap().contains("status: active"));
}

#[test]
fn what_means_nothing_or_several_is_refused() {
    let (home, ..) = pair();
    let [keep, other] = ids(&home);
    for (arguments, wanted, says) in [
        (&["--merge", "ffffffff", &keep][..], 65, "no learning has the id 'ffffffff'"),
        (&["--merge", "abc", &keep], 65, "too short"),
        (&["--merge", &keep, &keep], 65, "meant twice"),
        (&["--merge", &keep, "2026-04/none.md"], 65, "is not a learning"),
        (&["--merge", &keep], 64, "expected two ids"),
        (&["--keep"], 64, "expected two ids"),
        (&["--merge", "--keep", &keep, &other], 64, "do not go together"),
        (&["--write", "--keep"], 64, "do not go together"),
        (&[&keep], 64, "unexpected operand"),
    ] {
        let (status, out, said) = ran(&home, arguments);
        assert!(status == Some(wanted) && said.contains(says) && out.is_empty(), "{arguments:?}: {said}");
    }
    // Without a folder there is nothing, and none is made.
    let home = Home::new();
    assert!(pairs(&home).is_empty() && ran(&home, &["--write"]).0 == Some(1));
    assert!(!home.path("Documents").exists());
}

fn started(home: &Home, arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(crate::home::binary("lh-review"));
    command
        .args(arguments)
        .env_clear()
        .env("HOME", home.path(""))
        .env("TZ", "UTC")
        .env("LH_NOW", "2026-04-20T12:00:00Z");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn of_two_at_once_one_learning_stays_active_and_a_kill_leaves_a_whole_file() {
    for round in 0..20_u64 {
        let (home, one, same) = pair();
        let [keep, other] = ids(&home);
        let before = fs::read_to_string(&same).unwrap();
        let mut children = [started(&home, &["--merge", &keep, &other]), started(&home, &["--merge", &other, &keep])];
        if round % 2 == 1 {
            std::thread::sleep(std::time::Duration::from_micros(round * 700));
            for child in &mut children {
                _ = child.kill();
            }
        }
        let done =
            children.iter_mut().filter_map(|child| child.wait().unwrap().code()).filter(|code| *code == 0).count();
        let pages = [&one, &same].map(|path| fs::read_to_string(path).unwrap());
        let active = pages.iter().filter(|page| page.contains("\nstatus: active\n")).count();
        assert!(pages.iter().all(|page| page.ends_with("## Context\n\nc\n")), "{pages:?}");
        if round % 2 == 0 {
            assert_eq!((active, done), (1, 1), "{pages:?}");
        } else {
            assert!((1..=2).contains(&active), "{pages:?}");
            // The same again ends it.
            let again = [ran(&home, &["--merge", &keep, &other]).0, ran(&home, &["--merge", &other, &keep]).0];
            assert!(again.contains(&Some(0)), "{again:?}");
            assert!(pairs(&home).is_empty());
        }
        assert!(before.contains("status: active"));
    }
}

/// Labelled pairs, in one folder: found of the same, all of the same, and what was found wrongly.
fn labelled(text: &str, is_wanted: impl Fn(&Value) -> bool) -> (usize, usize, usize) {
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let all: Vec<Value> = all.filter(|pair| is_wanted(pair)).collect();
    let home = Home::new();
    for (at, pair) in all.iter().enumerate() {
        for side in ["a", "b"] {
            let text = |field: &str| pair[side][field].as_str().unwrap().to_owned();
            put(&home, &format!("2026-04-13-{at}-{side}"), &page((&text("title"), &text("learning"))));
        }
    }
    let name = |path: &Value| {
        let name = Path::new(path.as_str().unwrap()).file_stem().unwrap().to_str().unwrap();
        name["2026-04-13-".len()..name.len() - 2].parse::<usize>().unwrap()
    };
    let (mut right, mut wrong) = (BTreeSet::new(), 0);
    for pair in pairs(&home) {
        let (one, other) = (name(&pair["path"]), name(&pair["other_path"]));
        if one == other && all[one]["label"] == "same" {
            right.insert(one);
        } else {
            wrong += 1;
        }
    }
    (right.len(), all.iter().filter(|pair| pair["label"] == "same").count(), wrong)
}

/// The page has the same figures. Pairs of learnings that nobody labelled as one count as wrong, too.
#[test]
fn the_labelled_pairs_are_found_as_the_page_says() {
    let half = |half: &str| labelled(include_str!("review/pairs.jsonl"), |pair| pair["half"] == half);
    assert_eq!([half("dev"), half("held")], [(32, 37, 1), (28, 37, 0)]);
    let whole = |text: &str| labelled(text, |_| true);
    assert_eq!(whole(include_str!("review/second.jsonl")), (51, 60, 1));
    // Of two authors, who have some subjects in common.
    let far: Vec<&str> = include_str!("review/far.jsonl").lines().collect();
    let (one, other) = far.split_at(100);
    assert_eq!([one, other].map(|half| whole(&half.join("\n"))), [(10, 50, 3), (17, 50, 4)]);
}

#[test]
fn five_thousand_are_done_in_time() {
    const WORDS: &str = "lock cache token queue index port branch commit deploy cluster socket thread schema replica shard cursor bucket proxy header cookie kernel driver parser lexer buffer stream packet router switch firewall volume snapshot backup restore migration rollback trigger webhook session cart order invoice refund ledger";
    let home = Home::new();
    let words: Vec<&str> = WORDS.split(' ').collect();
    let word = |n: usize| format!("{}{}", words[n % words.len()], words[n / words.len() % words.len()]);
    for n in 0..5000 {
        let n = if n % 100 == 99 { n - 1 } else { n };
        let (a, b, c) = (word(n * 7), word(n * 13 + 5), words[n % words.len()]);
        let text =
            format!("The {a} of the {c} failed because its {b} was read before the {c} was ready; wait for {a} first.");
        let name = format!(
            "2026-04-13-{n}-{}",
            if home.path(&format!("{LEARNINGS}/2026-04/2026-04-13-{n}-a.md")).exists() { "b" } else { "a" }
        );
        let title = if name.ends_with('b') {
            format!("Wait for the {a} of the {c}")
        } else {
            format!("{b} needs {a} in the {c}")
        };
        put(&home, &name, &page((&title, &text)));
    }
    let begun = std::time::Instant::now();
    let found = pairs(&home);
    let took = begun.elapsed();
    assert!(found.iter().filter(|pair| pair["reason"] == "same_text").count() >= 50);
    assert!(took.as_secs() < 20, "{} pairs in {took:?}", found.len());
}
