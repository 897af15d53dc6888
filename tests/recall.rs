//! lh-recall: what it finds, in which order, what it leaves out, and that it writes nothing.

use crate::home::{Home, line};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Instant;

const KNOWLEDGE: &str = "Documents/lazy-harness-knowledge";
const MEMORY: &str = ".claude/projects/-src-lh/memory";

struct Ran {
    status: Option<i32>,
    hits: Vec<Value>,
    out: String,
    said: String,
}

impl Ran {
    fn texts(&self, field: &str) -> Vec<&str> {
        self.hits.iter().map(|hit| hit[field].as_str().unwrap_or_default()).collect()
    }
}

impl Home {
    fn recall(&self, arguments: &[&str]) -> Ran {
        let output = self.tool("lh-recall").args(arguments).env("LH_NOW", "2026-04-20T12:00:00Z").output().unwrap();
        let (out, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let hits = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ran { status: output.status.code(), hits, out, said }
    }

    fn session_page(&self, day: &str, id: &str, project: &str, said: &str) {
        let text = format!(
            "---\ntype: claude-session\nsession_id: {id}\ndate: {day} 12:00\nproject: {project}\ntopic: \"{id}\"\n---\n\n# {id}\n\n{said}"
        );
        self.write(&format!("{KNOWLEDGE}/sessions/{}/{day}-{}.md", &day[..7], &id[..8]), &text);
    }

    fn learning_page(&self, name: &str, title: &str, scope: &str, status: &str) {
        let text = format!(
            "---\ntitle: \"{title}\"\norigin: lh\norigin_session: 2026-04-13\ntags: []\nscope: {scope}\nstatus: {status}\n---\n\n## Learning\n\n{title} when it rains\n"
        );
        self.write(&format!("{KNOWLEDGE}/learnings/2026-04/2026-04-13-{name}.md"), &text);
    }

    fn decided(&self, items: &[(&str, &str, &str)]) {
        let line = |(id, day, said): &(&str, &str, &str)| {
            json!({"type": "decision", "ts": format!("2026-04-{day}T12:00:00Z"), "session_id": "5e0c1a7e-1", "project": "lh", "id": id,
                "summary": said, "context": "", "rationale": "it is smaller", "alternatives": ["sqlite"], "tags": [],
                "evidence": [{"quote": "we take plain files", "line": 1, "said_by": "user"}], "said_by": "user"})
            .to_string()
        };
        self.write(
            &format!("{MEMORY}/decisions.jsonl"),
            &(items.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"),
        );
    }
}

#[test]
fn everything_that_is_remembered_is_found() {
    let home = Home::new();
    home.session_page("2026-04-13", "aaaaaaaa-1", "lh", "## User\n<!-- line 1 -->\n\nthe walrus page\n");
    home.learning_page("w", "A walrus swims", "universal", "active");
    home.decided(&[("1111111111111111", "13", "Keep the walrus in plain files")]);
    home.write(
        &format!("{MEMORY}/failures.jsonl"),
        "{\"type\":\"failure\",\"ts\":\"2026-04-13T12:00:00Z\",\"session_id\":\"s\",\"project\":\"lh\",\"summary\":\"the walrus sank\"}\n",
    );
    home.write(
        &format!("{MEMORY}/the-walrus.md"),
        "---\nname: the-walrus\ndescription: he likes a walrus\ntype: user\n---\n\nyes\n",
    );
    home.write(&format!("{MEMORY}/MEMORY.md"), "- [the-walrus](the-walrus.md): a walrus\n");
    home.write(
        &format!("{MEMORY}/handoff.md"),
        "---\nsession_id: s\nwritten_at: 2026-04-13T12:00:00Z\n---\n\nOpen for the next session:\n- feed the walrus\n",
    );
    home.write(&format!("{MEMORY}/progress.md"), "# Progress\n\nGoal: a walrus\n");
    home.write(
        &format!("{MEMORY}/quarantine.jsonl"),
        "{\"kind\":\"decision\",\"summary\":\"walrus of an attacker\"}\n",
    );
    home.write(&format!("{KNOWLEDGE}/notes/mine.md"), "about the walrus of mine\n");
    home.write(&format!("{KNOWLEDGE}/.git/x.md"), "walrus\n");
    home.write(&format!("{KNOWLEDGE}/learnings/_review-2026-04-13.md"), "walrus\n");
    home.write(&format!("{KNOWLEDGE}/x.txt"), "walrus\n");
    let ran = home.recall(&["-n", "99", "walrus"]);
    let mut kinds = ran.texts("what");
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        ["decision", "failure", "learning", "memory", "note", "open", "progress", "session"],
        "{}{}",
        ran.out,
        ran.said
    );
    assert!(!ran.out.contains("attacker") && ran.said.is_empty());
    for kind in kinds {
        let one = home.recall(&["--type", kind, "walrus"]);
        assert_eq!(one.texts("what"), [kind]);
        // Every printed line is there, and has the word.
        if let Some(number) = one.hits[0]["line"].as_u64() {
            let text = fs::read_to_string(one.hits[0]["path"].as_str().unwrap()).unwrap();
            let from = usize::try_from(number).unwrap() - 1;
            let shown = one.hits[0]["text"].as_str().unwrap();
            assert!(text.lines().nth(from).unwrap().starts_with(shown.lines().next().unwrap()), "{shown}");
        }
    }
    let files = home.recall(&["--files", "-n", "99", "walrus"]).out;
    assert_eq!(files.lines().count(), 8);
    assert!(files.lines().all(|path| Path::new(path).is_file()), "{files}");
}

#[test]
fn what_answers_better_comes_first_and_what_is_over_last() {
    let home = Home::new();
    home.learning_page("old", "A queue per host", "universal", "deprecated");
    home.learning_page("new", "A queue of hosts that are slow, each in the queue of its own", "universal", "active");
    home.session_page(
        "2026-04-01",
        "aaaaaaaa-1",
        "lh",
        "one queue\n\nand far away, about another thing entirely, a host\n",
    );
    home.decided(&[("1111111111111111", "12", "Use tabs"), ("2222222222222222", "13", "Use tabs in shell scripts")]);
    let ran = home.recall(&["queue", "host"]);
    assert_eq!(ran.hits.len(), 3, "{}", ran.out);
    assert_eq!((ran.texts("state")[2], ran.texts("title")[2]), ("deprecated", "A queue per host"));
    assert!(ran.hits.iter().take(2).all(|hit| hit["state"].is_null()));
    // Of two that say the same the newer one.
    home.session_page("2026-04-10", "bbbbbbbb-1", "lh", "the zebra crossing\n");
    home.session_page("2026-04-11", "cccccccc-1", "lh", "the zebra crossing\n");
    assert_eq!(home.recall(&["zebra", "crossing"]).texts("session_id"), ["cccccccc-1", "bbbbbbbb-1"]);
    // What the answer may say helps, but is not enough to come first.
    home.session_page("2026-04-12", "dddddddd-1", "lh", "stripes stripes stripes\n");
    let ran = home.recall(&["--also", "stripes crossing", "zebra"]);
    assert_eq!(ran.texts("session_id"), ["cccccccc-1", "bbbbbbbb-1", "dddddddd-1"]);
    let forgotten = home.tool("lh-forget").arg("2222").current_dir("/").output().unwrap();
    assert_eq!(forgotten.status.code(), Some(0), "from any folder");
    assert_eq!(home.recall(&["tabs"]).texts("state")[1], "forgotten");
}

#[test]
fn names_of_code_are_found_whole_and_by_their_parts_and_phrases_as_they_are() {
    let home = Home::new();
    home.session_page("2026-04-01", "aaaaaaaa-1", "lh", "it was circularImport in a1b2c3d4e5 again\n");
    home.session_page("2026-04-02", "bbbbbbbb-1", "lh", "error E0502 at foo::bar_baz\n");
    home.session_page("2026-04-03", "cccccccc-1", "lh", "la configuración del índice\n");
    home.session_page("2026-04-04", "dddddddd-1", "lh", "Foo  bar\nis here, and bar foo too\n");
    let first = |query: &[&str]| home.recall(query).texts("session_id").first().map(|id| id[..1].to_owned());
    for (query, wanted) in [
        ("circular_import", "a"),
        ("circular imports", "a"),
        ("a1b2c3d", "a"),
        ("e0502", "b"),
        ("bar_baz", "b"),
        ("configuraciones", "c"),
        ("INDICES", "c"),
        ("indice configuracion", "c"),
        ("\"foo bar is\"", "d"),
    ] {
        assert_eq!(first(&[query]).as_deref(), Some(wanted), "{query}");
    }
    // Other words beside a phrase answer where nothing has it, and only then.
    let ran = home.recall(&["error at \"bar is foo\""]);
    assert_eq!((ran.status, ran.texts("session_id")[0]), (Some(0), "bbbbbbbb-1"));
    assert!(ran.said.contains("nothing has what is between the quotation marks"), "{}", ran.said);
    let ran = home.recall(&["error at \"foo bar\""]);
    assert_eq!((ran.texts("session_id"), ran.said.as_str()), (vec!["dddddddd-1"], ""));
    for query in ["\"bar is foo\"", "E0503", "kubernetes", "a1b2c3e"] {
        let ran = home.recall(&[query]);
        assert_eq!((ran.status, ran.out.as_str(), ran.said.as_str()), (Some(1), "", ""), "{query}");
    }
}

#[test]
fn lines_around_a_passage_are_not_of_the_front_matter_and_places_are_not_searched() {
    let home = Home::new();
    let said = "## User\n<!-- line 7, 2026-04-01 12:00:00 UTC -->\n\na walrus\n\n<!-- otter -->\n";
    home.session_page("2026-04-01", "aaaaaaaa-1", "lh", said);
    let ran = home.recall(&["-C", "9", "walrus"]);
    let text = ran.texts("text")[0];
    assert!(text.starts_with("\n# aaaaaaaa-1") || text.starts_with("# aaaaaaaa-1"), "{text}");
    assert!(text.contains("a walrus\n\n<!-- otter -->") && !text.contains("UTC"), "{text}");
    // The line of a place has the word, but nobody said it; what a person wrote in the same signs was said.
    assert_eq!((home.recall(&["line"]).status, home.recall(&["otter"]).status), (Some(1), Some(0)));
}

#[test]
fn filters_leave_out_and_are_checked() {
    let home = Home::new();
    home.session_page("2026-04-01", "aaaaaaaa-1", "lh", "otter\n");
    home.session_page("2026-04-19", "bbbbbbbb-1", "web", "otter\n");
    home.learning_page("o", "An otter", "universal", "active");
    home.learning_page("p", "The otter", "backend", "active");
    home.decided(&[("1111111111111111", "13", "Feed the otter")]);
    let count = |arguments: &[&str]| home.recall(&[arguments, &["otter"]].concat()).hits.len();
    assert_eq!(count(&[]), 5);
    assert_eq!(count(&["--project", "web"]), 1);
    assert_eq!(count(&["--project", "lh"]), 4);
    assert_eq!(count(&["--project", "lh", "--project", "web"]), 5);
    assert_eq!(count(&["--project", "none"]), 0);
    assert_eq!(count(&["--since", "7d"]), 2, "a decision of the 13th at noon, and a page");
    assert_eq!(count(&["--since", "2026-04-02", "--until", "2026-04-19"]), 3);
    assert_eq!(count(&["--until", "2026-04-02"]), 1);
    assert_eq!(count(&["--scope", "backend"]), 1);
    assert_eq!(count(&["-n", "2"]), 2);
    assert_eq!(count(&["--type", "session", "--type", "decision"]), 3);
    for (wrong, what) in [
        (&["--since", "soon"][..], "expected 2026-04-13"),
        (&["--type", "foo"], "expected session"),
        (&["-n", "0"], "expected a number"),
        (&["--here", "--project", "x"], "--here"),
        (&["-C", "x"], "expected a number"),
    ] {
        let ran = home.recall(&[wrong, &["otter"]].concat());
        assert_eq!(ran.status, Some(64), "{wrong:?}");
        assert!(ran.said.contains(what), "{}", ran.said);
    }
    for none in [&[][..], &[""], &["  "], &["--list", "otter"], &["--show"], &["--show", ""], &["?!"]] {
        assert_eq!(home.recall(none).status, Some(64), "{none:?}");
    }
}

#[test]
fn what_cannot_be_searched_is_counted_and_the_rest_is_found() {
    let home = Home::new();
    home.session_page("2026-04-01", "aaaaaaaa-1", "lh", "badger\n");
    home.write(&format!("{KNOWLEDGE}/binary.md"), "badger\0");
    home.write(&format!("{KNOWLEDGE}/ünï\nnew.md"), "badger in a strange name\n");
    let large = fs::File::create(home.path(&format!("{KNOWLEDGE}/large.md"))).unwrap();
    large.set_len(40 << 20).unwrap();
    symlink("nowhere", home.path(&format!("{KNOWLEDGE}/broken.md"))).unwrap();
    symlink(".", home.path(&format!("{KNOWLEDGE}/loop"))).unwrap();
    symlink("/dev/zero", home.path(&format!("{KNOWLEDGE}/zero.md"))).unwrap();
    fs::write(home.path(&format!("{KNOWLEDGE}/latin.md")), b"badger \xff\xfe caf\xe9 \x1b[2J\n").unwrap();
    fs::write(home.path(&format!("{KNOWLEDGE}/torn.md")), "---\ntitle: badger\n").unwrap();
    home.write(&format!("{KNOWLEDGE}/long.md"), &("x".repeat(1 << 20) + " badger " + &"y".repeat(1 << 20)));
    let ran = home.recall(&["-n", "99", "badger"]);
    assert_eq!((ran.status, ran.hits.len()), (Some(0), 5), "{}", ran.out);
    assert!(ran.hits.iter().all(|hit| hit["text"].as_str().unwrap().len() < 1100));
    assert_eq!(ran.said, "lh-recall: files that were not searched: 1 binary, 1 larger than 32 MB, 2 not readable\n");
    // Half a line of a journal, and one of another tool.
    home.decided(&[("1111111111111111", "13", "A badger digs")]);
    let path = home.path(&format!("{MEMORY}/decisions.jsonl"));
    fs::write(&path, fs::read_to_string(&path).unwrap() + "7\n[]\n{\"x\":1}\n{\"summary\":\"badger").unwrap();
    assert_eq!(home.recall(&["-n", "99", "badger"]).hits.len(), 6);
    // A page of a memory that cannot be read takes nothing else away.
    fs::create_dir(home.path(&format!("{MEMORY}/handoff.md"))).unwrap();
    let ran = home.recall(&["-n", "99", "badger"]);
    assert_eq!((ran.status, ran.hits.len()), (Some(0), 6), "{}", ran.said);
    assert!(ran.said.contains("lh-recall: not searched: ") && ran.said.contains("handoff.md"), "{}", ran.said);
}

#[test]
fn a_very_deep_folder_hides_no_other() {
    let home = Home::new();
    for name in ["a", "m", "z"] {
        home.write(&format!("{KNOWLEDGE}/{name}/note.md"), "a walrus\n");
        home.write(&format!("{KNOWLEDGE}/{name}/{}note.md", "deep/".repeat(20)), "an otter\n");
    }
    assert_eq!(home.recall(&["walrus"]).hits.len(), 3);
    assert_eq!(home.recall(&["otter"]).status, Some(1));
}

#[test]
fn secrets_are_masked_and_nothing_is_written() {
    let home = Home::new();
    home.write(&format!("{KNOWLEDGE}/n.md"), "the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a, said the badger\n");
    home.session_page("2026-04-01", "aaaaaaaa-1", "lh", "<private>the badger's name</private> badger\n");
    let before = tree(&home.path(""));
    for arguments in [&["badger"][..], &["--list"], &["--show", "aaaaaaaa"]] {
        let ran = home.recall(arguments);
        assert_eq!(ran.status, Some(0));
        assert!(!ran.out.contains("16C7e42F") && !ran.out.contains("badger's name"), "{}", ran.out);
    }
    assert_eq!(tree(&home.path("")), before);
    if let Ok(output) = std::process::Command::new("strace").arg("-V").output()
        && output.status.success()
    {
        let strace = which("strace");
        let mut run = home.run(&strace);
        let tool = crate::home::binary("lh-recall");
        let output =
            run.args(["-f", "-e", "trace=openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2"]);
        let output = output.arg(tool).args(["badger"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("O_RDONLY") && output.status.success(), "{said}");
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "mkdir", "unlink", "rename", "creat("];
        let wrote: Vec<_> = said.lines().filter(|line| writes.iter().any(|call| line.contains(call))).collect();
        assert!(wrote.is_empty(), "{wrote:?}");
    }
}

fn which(name: &str) -> std::path::PathBuf {
    ["/usr/bin", "/usr/local/bin", "/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
        .unwrap()
}

fn tree(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(tree(&path)) } else { all.push((path.clone(), fs::read(&path).unwrap())) }
    }
    all.sort();
    all
}

#[test]
fn an_item_is_shown_with_its_quotes_while_the_transcript_is_there_and_from_the_page_after() {
    let home = Home::new();
    home.decided(&[
        ("1111111111111111", "13", "Keep it in plain files"),
        ("1111222222222222", "13", "Use tabs"),
        ("3333333333333333", "13", "Use spaces"),
    ]);
    let said = line("user", "first.\n\nwe take plain files, and nothing else", Path::new("/src/lh"), 0);
    let transcript = home.write(".claude/projects/-src-lh/5e0c1a7e-1.jsonl", &said);
    let ran = home.recall(&["--show", "111111"]);
    assert_eq!(ran.status, Some(0), "{}", ran.said);
    let evidence = &ran.hits[0]["evidence"][0];
    assert_eq!((evidence["line"].as_u64(), evidence["said_by"].as_str()), (Some(1), Some("user")));
    assert_eq!(evidence["path"].as_str().unwrap(), transcript.canonicalize().unwrap().to_str().unwrap());
    assert_eq!(evidence["context"], "first.\n\nwe take plain files, and nothing else");
    assert!(ran.hits[0]["text"].as_str().unwrap().contains("rationale: it is smaller\nalternatives: sqlite"));
    fs::remove_file(&transcript).unwrap();
    home.session_page(
        "2026-04-13",
        "5e0c1a7e-1",
        "lh",
        "## User\n<!-- line 1 -->\n\nfirst.\n\nwe take plain files, and nothing else\n\n## Claude\n\nok\n",
    );
    let gone = home.recall(&["--show", "111111"]);
    let evidence = &gone.hits[0]["evidence"][0];
    assert_eq!(
        (evidence["line"].as_u64(), evidence["context"].as_str()),
        (Some(16), Some("first.\n\nwe take plain files, and nothing else"))
    );
    assert!(evidence["path"].as_str().unwrap().ends_with("2026-04-13-5e0c1a7e.md"));
    // A session, by the head of its id; the beginning of two ids; nothing.
    let session = home.recall(&["--show", "5e0c1a7e"]);
    assert!(session.hits[0]["text"].as_str().unwrap().starts_with("# 5e0c1a7e-1"), "{}", session.out);
    let two = home.recall(&["--show", "1111"]);
    assert_eq!(two.status, Some(65));
    assert!(two.said.contains("means 2 of them: 111111 ") && two.said.contains("111122 "), "{}", two.said);
    for unknown in ["9999", "../x", "x y", "5e0c1a7f"] {
        let ran = home.recall(&["--show", unknown]);
        assert_eq!((ran.status, ran.out.as_str()), (Some(1), ""), "{unknown}");
        assert!(ran.said.contains("--list lists all"), "{}", ran.said);
    }
}

#[test]
fn a_session_without_a_page_is_shown_from_its_transcript_and_one_without_both_by_its_prompts() {
    let home = Home::new();
    let transcript = home.transcript("5e0c1a7e-1", Path::new("/src/lh"), 2);
    let ran = home.recall(&["--show", "5e0c1a7e"]);
    assert!(ran.hits[0]["text"].as_str().unwrap().contains("turn 1"), "{}{}", ran.out, ran.said);
    fs::remove_file(transcript).unwrap();
    let prompt = |id: &str, text: &str, day: i64| {
        let at = 1_776_000_000_000_i64 + day * 86_400_000;
        json!({"display": text, "pastedContents": {}, "timestamp": at, "project": "/src/lh", "sessionId": id})
            .to_string()
    };
    let lines = [
        prompt("5e0c1a7e-1", "mend the walrus", 0),
        prompt("5e0c1a7e-1", "and feed it", 0),
        prompt("6e0c1a7e-1", "other", 1),
    ];
    home.write(".claude/history.jsonl", &(lines.join("\n") + "\n"));
    let ran = home.recall(&["feed", "walrus"]);
    assert_eq!(ran.texts("what"), ["lost"]);
    assert_eq!((ran.texts("text"), ran.texts("project")), (vec!["mend the walrus\nand feed it"], vec!["lh"]));
    let shown = home.recall(&["--show", "5e0c1a7e"]);
    assert_eq!(shown.texts("session_id"), ["5e0c1a7e-1"], "{}", shown.said);
    // Exported in time: its page is found, and not its prompts.
    home.session_page("2026-04-13", "5e0c1a7e-1", "lh", "the walrus\n");
    assert_eq!(home.recall(&["walrus"]).texts("what"), ["session"]);
}

#[test]
fn lists_are_by_time_and_of_one_kind() {
    let home = Home::new();
    home.decided(&[
        ("1111111111111111", "13", "Second"),
        ("2222222222222222", "11", "First"),
        ("3333333333333333", "19", "Third"),
    ]);
    home.session_page("2026-04-12", "aaaaaaaa-1", "lh", "x\n");
    let list = |more: &[&str]| {
        let ran = home.recall(&[&["--list"], more].concat());
        ran.texts("text").iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&["--type", "decision"]), ["First", "Second", "Third"]);
    assert_eq!(list(&[]), ["First", "aaaaaaaa-1", "Second", "Third"]);
    assert_eq!(list(&["-n", "2"]), ["Second", "Third"]);
    assert_eq!(list(&["--since", "2026-04-13"]), ["Second", "Third"]);
    assert_eq!(list(&["--type", "memory"]), Vec::<String>::new());
    assert_eq!(home.recall(&["--list", "--type", "memory"]).status, Some(1));
    assert!(home.recall(&["--list"]).hits.iter().all(|hit| hit["score"].is_null()));
    // By the short names.
    let lh = crate::home::binary("lh");
    let run = |arguments: &[&str]| {
        let output = home.run(&lh).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let lines = |arguments: &[&str]| run(arguments).1.lines().count();
    assert_eq!((lines(&["ls", "decisions"]), lines(&["ls"]), lines(&["ls", "sessions"])), (3, 4, 1));
    assert_eq!(lines(&["ls", "decisions", "-n", "1"]), 1);
    assert!(run(&["show", "111111"]).1.contains("Second"));
    assert!(run(&["search", "third"]).1.contains("Third"));
    assert_eq!(run(&["ls", "nonsense"]).0, Some(64));
    assert_eq!(run(&["ls", "quarantine", "x"]).0, Some(64));
    assert_eq!(run(&["show"]).0, Some(64));
    assert_eq!(run(&["show", "99999999"]).0, Some(1));
}

#[test]
fn what_is_here_is_listed_once() {
    let home = Home::new();
    fs::create_dir_all(home.path("")).unwrap();
    assert_eq!(
        home.tool("lh-persist").args(["--remember", "the walrus swims here"]).output().unwrap().status.code(),
        Some(0)
    );
    for arguments in [&["--list", "--type", "memory", "--here"][..], &["walrus", "--here", "-n", "2"]] {
        assert_eq!(home.recall(arguments).hits.len(), 1, "{arguments:?}");
    }
}

#[test]
fn an_episode_is_told_by_its_line_and_its_session() {
    let home = Home::new();
    let file = |id: &str| format!("{MEMORY}/episodes/session-{id}.json");
    let episode = |id: &str| {
        json!({"session_id": id, "project": {"cwd": "/src/lh"}, "skill_used": "melt", "what_was_done": "Fed the walrus",
            "files_changed": ["a.rs", "b.rs", "c.rs", "seal.rs"], "outcome": "failed", "duration_minutes": 5,
            "started_at": "2026-04-11T10:00:00Z", "ended_at": "2026-04-11T10:05:00Z"})
        .to_string()
    };
    home.write(&file("aaaaaaaa-1"), &episode("aaaaaaaa-1"));
    home.write(&file("bbbbbbbb-1"), "{\"walrus\":");
    home.write(&format!("{MEMORY}/episodes/notes.txt"), "walrus\n");
    home.write(&format!("{MEMORY}/episodes/other.json"), &episode("cccccccc-1"));
    let said = "/melt: Fed the walrus (failed) [a.rs, b.rs, c.rs, 1 more]";
    for arguments in [&["--list"][..], &["walrus"], &["seal"]] {
        let ran = home.recall(arguments);
        assert_eq!((ran.hits.len(), ran.texts("session_id")[0]), (1, "aaaaaaaa-1"), "{arguments:?}: {}", ran.out);
        let (hit, text) = (&ran.hits[0], ran.texts("text")[0]);
        assert_eq!((hit["what"].as_str(), text.lines().next()), (Some("episode"), Some(said)));
        assert!(hit["ts"].as_str().unwrap().starts_with("2026-04-11T"), "{hit}");
    }
    // It is shown where nothing else of its session is left.
    assert_eq!(home.recall(&["--show", "aaaaaaaa"]).texts("what"), ["episode"]);
    assert_eq!(home.recall(&["--show", "bbbbbbbb"]).status, Some(1));
    home.session_page("2026-04-11", "aaaaaaaa-1", "lh", "the page\n");
    assert_eq!(home.recall(&["--show", "aaaaaaaa"]).texts("what"), ["session"]);
    let path = home.path(&file("aaaaaaaa-1"));
    assert_eq!(home.recall(&["--show", path.to_str().unwrap()]).texts("what"), ["episode"]);
}

#[test]
fn many_files_are_read_with_few_handles_and_little_memory() {
    let home = Home::new();
    let folder = home.path(&format!("{KNOWLEDGE}/many"));
    for part in 0..100 {
        fs::create_dir_all(folder.join(part.to_string())).unwrap();
        for file in 0..200 {
            let text = if (part, file) == (57, 123) { "the needle\n" } else { "hay hay hay\n" };
            fs::write(folder.join(part.to_string()).join(format!("{file}.md")), text).unwrap();
        }
    }
    let tool = crate::home::binary("lh-recall");
    let limited = format!("ulimit -n 40; ulimit -v 1000000; exec {} -n 3 needle hay", tool.display());
    let begun = Instant::now();
    let output = home.run(Path::new("/bin/sh")).args(["-c", &limited]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let first: Value = serde_json::from_slice(output.stdout.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert!(first["path"].as_str().unwrap().ends_with("many/57/123.md"), "{first}");
    assert!(begun.elapsed().as_secs() < 20);
}

/// A page of a session that went on from Monday, the 13th, to Friday.
fn week() -> String {
    let said =
        |who: &str, line: u32, time: &str, text: &str| format!("\n## {who}\n<!-- line {line}{time} -->\n\n{text}\n");
    [
        said("User", 1, ", 2026-04-13 12:00:00 UTC", "the walrus is hungry"),
        said("Claude", 2, "", "fed the seal on monday"),
        said("User", 3, ", 2026-04-17 09:00:00 UTC", "now the otter is hungry"),
        said(
            "Claude",
            4,
            ", 2026-04-17 09:01:00 UTC",
            "fed it:\n\n<!-- line 9, 2026-04-01 09:00:00 UTC -->\na herring",
        ),
    ]
    .concat()
}

#[test]
fn a_time_goes_by_when_something_was_said_and_not_by_the_day_of_its_page() {
    let home = Home::new();
    home.session_page("2026-04-13", "aaaaaaaa-1", "lh", &week());
    let count = |words: &[&str]| home.recall(words).hits.len();
    for (word, since, until) in
        [("walrus", 0, 1), ("seal", 0, 1), ("otter", 1, 0), ("herring", 1, 0), ("aaaaaaaa", 0, 1), ("hungry", 1, 1)]
    {
        assert_eq!(count(&[word]), 1, "{word}");
        assert_eq!(count(&["--since", "2026-04-16", word]), since, "{word}");
        assert_eq!(count(&["--until", "2026-04-16", word]), until, "{word}");
        assert_eq!(count(&["--since", "2026-04-14", "--until", "2026-04-16", word]), 0, "{word}");
    }
    // What is printed is of that time, too, and says when it was.
    let friday = home.recall(&["-C", "20", "--since", "2026-04-16", "hungry"]);
    let (hit, text) = (&friday.hits[0], friday.texts("text")[0]);
    assert!(text.contains("otter") && !text.contains("walrus") && !text.contains("seal"), "{text}");
    assert!(hit["ts"].as_str().unwrap().starts_with("2026-04-17T"), "{hit}");
    let line = usize::try_from(hit["line"].as_u64().unwrap()).unwrap();
    let page = fs::read_to_string(hit["path"].as_str().unwrap()).unwrap();
    assert!(page.lines().skip(line - 1).any(|line| line.contains("otter")), "{hit}");
    assert_eq!(count(&["--since", "2026-04-16", "\"walrus is hungry\""]), 0);
    assert_eq!(count(&["--since", "2026-04-16", "\"otter is hungry\""]), 1);
    assert_eq!(count(&["--list", "--since", "2026-04-16"]), 1);
    assert_eq!(count(&["--list", "--since", "2026-04-14", "--until", "2026-04-16"]), 0);
}

#[test]
fn what_does_not_say_when_it_was_said_is_as_old_as_its_day() {
    let home = Home::new();
    home.session_page(
        "2026-04-13",
        "aaaaaaaa-1",
        "lh",
        "## User\n<!-- line 1 -->\n\nthe walrus\n\n## Claude\n\nthe otter\n",
    );
    home.write(
        &format!("{MEMORY}/mine.md"),
        "---\nname: mine\ndescription: a walrus\ntype: user\ndate: 2026-04-17\n---\n\nyes\n",
    );
    home.write(
        &format!("{MEMORY}/ours.md"),
        "---\nname: ours\ndescription: a walrus\ntype: user\nwritten_at: 2026-04-17T09:00:00Z\n---\n\nyes\n",
    );
    home.decided(&[("1111111111111111", "13", "Feed the zebra")]);
    let ids = |words: &[&str]| home.recall(words).texts("what").join(" ");
    assert_eq!(ids(&["--since", "2026-04-16", "walrus"]), "memory memory");
    assert_eq!(ids(&["--until", "2026-04-16", "walrus"]), "session");
    assert_eq!(ids(&["--since", "2026-04-13", "otter"]), "session");
    // Of a session that only its prompts are left of, these count one by one.
    let prompt = |text: &str, day: i64| {
        let at = 1_776_081_600_000_i64 + day * 86_400_000;
        json!({"display": text, "pastedContents": {}, "timestamp": at, "project": "/src/lh", "sessionId": "5e0c1a7e-1"})
            .to_string()
    };
    let lines = [prompt("feed the lynx", 0), prompt("feed the badger", 4)];
    home.write(".claude/history.jsonl", &(lines.join("\n") + "\n"));
    assert_eq!(ids(&["--since", "2026-04-16", "lynx"]), "");
    assert_eq!(ids(&["--since", "2026-04-16", "badger"]), "lost");
    assert_eq!(ids(&["--until", "2026-04-16", "badger"]), "");
}

#[test]
fn a_page_that_was_not_written_to_since_is_not_opened() {
    let home = Home::new();
    home.session_page("2026-04-13", "aaaaaaaa-1", "lh", &week());
    let path = home.path(&format!("{KNOWLEDGE}/sessions/2026-04/2026-04-13-aaaaaaaa.md"));
    let monday = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_776_081_600);
    fs::File::options().write(true).open(&path).unwrap().set_modified(monday).unwrap();
    for list in [&["otter"][..], &["--list"]] {
        assert_eq!(home.recall(&[&["--since", "2026-04-16"], list].concat()).status, Some(1));
        assert_eq!(home.recall(&[&["--since", "2026-04-13"], list].concat()).status, Some(0));
    }
}

#[test]
fn a_file_that_is_too_large_is_left_out_and_that_is_said() {
    let home = Home::new();
    home.session_page("2026-04-12", "aaaaaaaa-1", "lh", "The parrot is green.");
    home.session_page("2026-04-13", "bbbbbbbb-1", "lh", "The parrot is blue.");
    let large = home.path(&format!("{KNOWLEDGE}/sessions/2026-04/2026-04-13-bbbbbbbb.md"));
    fs::File::options().append(true).open(&large).unwrap().set_len((32 << 20) + 1).unwrap();
    let ran = home.recall(&["parrot"]);
    assert_eq!((ran.status, ran.hits.len()), (Some(0), 1), "{} {}", ran.out, ran.said);
    assert!(ran.said.contains("large"), "{}", ran.said);
    // At the limit it is read.
    fs::write(
        &large,
        format!(
            "---\ntype: claude-session\nsession_id: b\nproject: lh\n---\nThe parrot is blue.{}",
            " x".repeat(15 << 20)
        ),
    )
    .unwrap();
    assert_eq!(home.recall(&["parrot"]).hits.len(), 2);
}

#[test]
fn as_of_a_day_tells_what_was_believed_then() {
    let home = Home::new();
    let item = |day: usize, id: &str, said: &str, replaces: &[&str]| {
        json!({"ts": format!("2026-04-{day:02}T10:00:00Z"), "type": "decision", "summary": said, "project": "app",
            "session_id": format!("s{day}"), "id": id, "grounded": true, "said_by": "user", "replaces": replaces})
        .to_string()
            + "\n"
    };
    let lines = [
        item(1, "aaaa000011112222", "The walrus queue is in redis", &[]),
        item(10, "bbbb000011112222", "The walrus queue is in postgres", &["aaaa000011112222"]),
        item(20, "cccc000011112222", "The walrus queue is in kafka", &["bbbb000011112222"]),
    ];
    home.write(".claude/projects/-src-app/memory/decisions.jsonl", &lines.concat());
    let told = |arguments: &[&str]| -> Vec<(String, String)> {
        let out = home.tool("lh-recall").arg("--json").args(arguments).output().unwrap().stdout;
        let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        let text = |hit: &Value, name: &str| hit[name].as_str().unwrap_or_default().to_owned();
        let mut told: Vec<(String, String)> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(read)
            .map(|hit| (text(&hit, "id")[..4].to_owned(), text(&hit, "state")))
            .collect();
        told.sort();
        told
    };
    let pairs = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
        rows.iter().map(|(id, state)| ((*id).to_owned(), (*state).to_owned())).collect()
    };
    let now = pairs(&[("aaaa", "replaced"), ("bbbb", "replaced"), ("cccc", "")]);
    assert_eq!(told(&["walrus queue"]), now);
    assert_eq!(told(&["--as-of", "2026-04-05", "walrus queue"]), pairs(&[("aaaa", "")]));
    assert_eq!(told(&["--as-of", "2026-04-15", "walrus queue"]), pairs(&[("aaaa", "replaced"), ("bbbb", "")]));
    assert_eq!(told(&["--list", "--as-of", "2026-04-15"]), pairs(&[("aaaa", "replaced"), ("bbbb", "")]));
    assert_eq!(told(&["--as-of", "2026-04-25", "walrus queue"]), now);
    assert_eq!(home.tool("lh-recall").args(["--as-of", "x", "a"]).output().unwrap().status.code(), Some(64));
}
