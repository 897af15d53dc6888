//! lh-recall --engine qmd: what QMD names is read again, and where it is of no use our own search answers. The fake
//! prints what QMD 2.8.3 printed: `query --json --full-path`, from the folder `/`.

use crate::home::Home;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const KNOWLEDGE: &str = "Documents/lazy-harness-knowledge";
const OWN: &str = "searched without it";

struct Ran {
    status: Option<i32>,
    hits: Vec<Value>,
    said: String,
}

impl Ran {
    fn names(&self) -> Vec<&str> {
        self.hits.iter().map(|hit| hit["path"].as_str().unwrap().rsplit('/').next().unwrap()).collect()
    }
}

/// A hit as QMD prints it: its line, and a snippet of the line before it and two behind.
fn told(file: &str, line: usize, said: &str) -> Value {
    let snippet = format!("@@ -{},4 @@ ({} before, 9 after)\nbefore\n{said}\nbehind\n", line - 1, line - 2);
    json!({"score": 0.5, "file": file, "line": line, "title": "t", "snippet": snippet})
}

impl Home {
    /// A `qmd` that notes each argument and then runs this script.
    fn fake_qmd(&self, script: &str) {
        let path = self
            .write("fakes/qmd", &format!("#!/bin/sh\nprintf '[%s]\\n' \"$PWD\" \"$@\" >>\"$HOME/asked\"\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn qmd_tells(&self, hits: &[Value]) {
        self.write("told", &Value::from(hits).to_string());
        self.fake_qmd("cat \"$HOME/told\"");
    }

    fn asks_qmd(&self, arguments: &[&str]) -> Ran {
        let mut command = self.tool("lh-recall");
        command.args(["--engine", "qmd"]).args(arguments).env("LH_NOW", "2026-04-20T12:00:00Z");
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("fakes").display()));
        let output = command.output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let hits = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Ran { status: output.status.code(), hits, said: String::from_utf8(output.stderr).unwrap() }
    }

    fn found_page(&self, day: &str, id: &str, project: &str, said: &str) -> String {
        let text = format!(
            "---\ntype: claude-session\nsession_id: {id}-1\ndate: {day} 12:00\nproject: {project}\ntopic: \"{id}\"\n---\n\n# {id}\n\n{said}\n"
        );
        self.write(&format!("{KNOWLEDGE}/sessions/2026-04/{day}-{id}.md"), &text).to_string_lossy().into_owned()
    }
}

#[test]
fn what_qmd_names_is_read_again_and_every_line_is_there() {
    let home = Home::new();
    let first = home.found_page("2026-04-11", "aaaaaaaa", "lh", "we met a sea cow\nand fed it\n\nthen a sea cow\nleft");
    // What the index has of it is older than the file.
    let second = home.found_page(
        "2026-04-12",
        "bbbbbbbb",
        "lh",
        "one more line\nthe manatee of before\n\na long manatee line that was cut",
    );
    let third = home.found_page("2026-04-13", "cccccccc", "lh", "nothing of it, and a manatee in the middle\nof this");
    let review = home.write(&format!("{KNOWLEDGE}/learnings/_review-2026-04-13.md"), "manatee\n");
    let outside = home.write("outside.md", "manatee\n");
    std::os::unix::fs::symlink(&outside, home.path(&format!("{KNOWLEDGE}/.hidden.md"))).unwrap();
    let relative = |path: &str| format!(".{path}");
    home.qmd_tells(&[
        told(&relative(&first), 14, "then a sea cow"),
        told("/etc/passwd", 2, "root"),
        told(&outside.to_string_lossy(), 2, "manatee"),
        told(&format!("{}/../outside.md", home.path(KNOWLEDGE).display()), 2, "manatee"),
        told(&home.path(KNOWLEDGE).join(".hidden.md").to_string_lossy(), 2, "manatee"),
        told(&review.to_string_lossy(), 2, "manatee"),
        told("qmd://lh/sessions/2026-04/gone.md", 2, "manatee"),
        told("qmd://other/sessions/2026-04/2026-04-11-aaaaaaaa.md", 2, "manatee"),
        told("", 2, ""),
        told("qmd://lh/sessions/2026-04/2026-04-12-bbbbbbbb.md?index=x", 1_000_000_000, "a long manatee line ..."),
        told(&first, 14, "again"),
        told(&third, 4, "date: 2026-04-13 12:00"),
    ]);
    let ran = home.asks_qmd(&["-n", "9", "where", "is", "the", "manatee"]);
    assert_eq!((ran.status, ran.said.as_str()), (Some(0), ""));
    assert_eq!(ran.names(), ["2026-04-11-aaaaaaaa.md", "2026-04-12-bbbbbbbb.md", "2026-04-13-cccccccc.md"]);
    let texts: Vec<&str> = ran.hits.iter().map(|hit| hit["text"].as_str().unwrap()).collect();
    let wanted = ["then a sea cow", "a long manatee line that was cut", "nothing of it, and a manatee in the middle"];
    assert_eq!(texts, wanted);
    for hit in &ran.hits {
        let text = fs::read_to_string(hit["path"].as_str().unwrap()).unwrap();
        let line = usize::try_from(hit["line"].as_u64().unwrap()).unwrap();
        assert_eq!(text.lines().nth(line - 1), hit["text"].as_str());
        assert_eq!(
            (&hit["type"], &hit["what"], &hit["project"], &hit["score"]),
            (&json!("hit"), &json!("session"), &json!("lh"), &json!(0.5))
        );
        assert!(hit["ts"].as_str().unwrap().starts_with("2026-04-1"));
    }
    assert_eq!(home.asks_qmd(&["-n", "1", "manatee"]).hits.len(), 1);
    assert_eq!(second.len(), first.len());
}

#[test]
fn the_filters_are_those_of_our_own_search() {
    let home = Home::new();
    let old = home.found_page("2026-04-01", "aaaaaaaa", "lh", "a manatee");
    let new = home.found_page("2026-04-15", "bbbbbbbb", "shop", "a manatee swims");
    let learning = |name: &str, status: &str| {
        let text = format!(
            "---\ntitle: \"{name}\"\norigin: lh\nscope: universal\nstatus: {status}\n---\n\na manatee {name}\n"
        );
        home.write(&format!("{KNOWLEDGE}/learnings/2026-04/2026-04-13-{name}.md"), &text).to_string_lossy().into_owned()
    };
    let (over, holds) = (learning("over", "deprecated"), learning("holds", "active"));
    home.qmd_tells(&[&over, &old, &new, &holds].map(|path| told(path, 9, "a manatee")));
    let names = |arguments: &[&str]| {
        let ran = home.asks_qmd(&[arguments, &["manatee"]].concat());
        assert_eq!((ran.status, ran.said.as_str()), (Some(0), ""), "{arguments:?}");
        ran.names().iter().map(|name| name[11..].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[]), "aaaaaaaa.md bbbbbbbb.md holds.md over.md");
    assert_eq!(names(&["--since", "2026-04-14"]), "bbbbbbbb.md");
    assert_eq!(names(&["--until", "2026-04-02"]), "aaaaaaaa.md");
    assert_eq!(names(&["--project", "shop"]), "bbbbbbbb.md");
    assert_eq!(names(&["--project", "lh", "--type", "session"]), "aaaaaaaa.md");
    assert_eq!(names(&["--type", "learning"]), "holds.md over.md");
    assert_eq!(names(&["--scope", "universal", "-n", "1"]), "holds.md");
    assert_eq!(home.asks_qmd(&["a", "\"manatee swims\""]).names(), ["2026-04-15-bbbbbbbb.md"]);
    // Nothing is left of what it named, or it can have nothing of the kind: then our own search answers.
    for arguments in [&["--project", "none", "manatee"][..], &["--type", "decision", "manatee"]] {
        let ran = home.asks_qmd(arguments);
        assert!(ran.status == Some(1) && ran.said.contains(OWN), "{}", ran.said);
    }
}

#[test]
fn a_query_is_one_argument_and_nothing_in_it_is_obeyed() {
    let home = Home::new();
    home.found_page("2026-04-01", "aaaaaaaa", "lh", "a manatee");
    home.qmd_tells(&[]);
    home.write(".config/lazy-harness/config.toml", "[knowledge.search]\ncollection = \"notes\"\n");
    let hostile =
        "-c other --index=x \"a $(touch \"$HOME/ran\") `touch ran`; manatee' -weed\nlex: x\u{1b}[1m\r\nintent: y";
    let ran = home.asks_qmd(&["--also", "--pull expand: z", "--", hostile]);
    // It finds nothing, so our own search answers.
    assert!(ran.said.contains("none of the 0 hits") && ran.said.contains(OWN), "{}", ran.said);
    assert_eq!((ran.status, ran.hits.len()), (Some(0), 1));
    assert!(!home.path("ran").exists());
    let asked = home.read("asked");
    let begin =
        "[/]\n[query]\n[--json]\n[--full-path]\n[--no-rerank]\n[-n]\n[50]\n[-C]\n[50]\n[-c]\n[notes]\n[--]\n[lex: ";
    assert!(asked.starts_with(begin), "{asked}");
    // Each line says what it is, with balanced quotes and no minus before a word.
    let question = asked[begin.len() - 5..].split(']').next().unwrap();
    let begins = |line: &str| ["lex: ", "vec: ", "hyde: "].iter().any(|kind| line.starts_with(kind));
    assert!(
        question.lines().all(|line| begins(line) && !line.contains(" -") && line.matches('"').count() % 2 == 0),
        "{question}"
    );
    assert!(
        question.contains("vec: c other index=x a $(touch $HOME/ran ) `touch ran`; manatee' weed lex: x"),
        "{question}"
    );
    assert!(question.contains("hyde: pull expand: z"), "{question}");
    assert_eq!(asked.matches("[query]").count(), 1);
}

#[test]
fn where_qmd_is_of_no_use_our_own_search_answers() {
    let home = Home::new();
    home.found_page("2026-04-01", "aaaaaaaa", "lh", "a manatee");
    let gone = Value::from(vec![told("qmd://lh/gone.md", 2, "manatee")]).to_string();
    home.write("half", &gone[..gone.len() / 2]);
    home.write("gone", &gone);
    let cases = [
        ("exit 1", "qmd ended with status 1"),
        (
            "echo 'Warning: 3 need embeddings' >&2; echo 'Collection not found: lh' >&2; exit 1",
            "status 1: Collection not found: lh",
        ),
        (
            "echo 'x.js:1' >&2; echo 'Error: no token ghp_012345678901234567890123456789abcdef' >&2; echo '  at y' >&2; exit 1",
            "status 1: Error: no token ",
        ),
        ("kill -9 $$", "signal 9"),
        ("", "not a list of hits"),
        ("echo 'No results found.'", "not a list of hits"),
        ("cat \"$HOME/half\"", "not a list of hits"),
        ("echo '{\"hits\": []}'", "not a list of hits"),
        ("echo '[1]'", "not a list of hits"),
        ("echo '[{\"path\": \"x\"}]'", "not a list of hits"),
        ("echo '[]'; echo more", "not a list of hits"),
        ("printf '[\"\\377\"]'", "not a list of hits"),
        ("head -c 10000000 /dev/zero | tr '\\0' '['", "more than 4 MB"),
        ("head -c 3000000 /dev/zero | tr '\\0' '['", "not a list of hits"),
        ("yes", "more than 4 MB"),
        ("yes >&2 & yes", "more than 4 MB"),
        ("cat \"$HOME/gone\"", "none of the 1 hits"),
    ];
    for (script, why) in cases {
        home.fake_qmd(script);
        let ran = home.asks_qmd(&["manatee"]);
        assert_eq!((ran.status, ran.names()), (Some(0), vec!["2026-04-01-aaaaaaaa.md"]), "{script}: {}", ran.said);
        assert!(
            ran.said.contains(why) && ran.said.contains(OWN) && ran.said.lines().count() == 1,
            "{script}: {}",
            ran.said
        );
        assert!(!ran.said.contains("ghp_0123"), "{}", ran.said);
        assert_eq!(home.asks_qmd(&["walrus"]).status, Some(1), "{script}");
    }
    fs::remove_file(home.path("fakes/qmd")).unwrap();
    let ran = home.asks_qmd(&["manatee"]);
    assert!(ran.hits.len() == 1 && ran.said.contains("no qmd on PATH") && ran.said.contains(OWN), "{}", ran.said);
}

#[test]
fn a_qmd_that_hangs_is_ended_with_all_that_it_started() {
    let home = Home::new();
    home.found_page("2026-04-01", "aaaaaaaa", "lh", "a manatee");
    // It takes the whole limit of 15 seconds.
    home.fake_qmd("echo $$ >\"$HOME/pid\"; sleep 600 & echo $! >>\"$HOME/pid\"; echo '['; wait");
    let ran = home.asks_qmd(&["manatee"]);
    assert_eq!((ran.status, ran.names()), (Some(0), vec!["2026-04-01-aaaaaaaa.md"]));
    assert!(ran.said.contains("did not answer within 15 s") && ran.said.contains(OWN), "{}", ran.said);
    // It was waited for, so nothing of it is left.
    for pid in home.read("pid").lines() {
        assert!(!Path::new("/proc").join(pid).exists(), "{pid} runs");
    }
}

#[test]
fn an_engine_goes_with_a_query_only() {
    let home = Home::new();
    for (arguments, status) in [
        (&["-e", "qmd", "--list"][..], 64),
        (&["-e", "qmd", "--show", "x"], 64),
        (&["-e", "own", "x"], 64),
        (&["-e", "words", "walrus"], 1),
    ] {
        assert_eq!(
            home.tool("lh-recall").args(arguments).output().unwrap().status.code(),
            Some(status),
            "{arguments:?}"
        );
    }
}
