//! lh-context, lh-distill, lh-export, lh-find-session and lh-persist, kind by kind: each pair of options works
//! together or is refused by name, and each kind of input has a line that says what comes of it.

use crate::home::{Home, binary};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

const TOOLS: [&str; 5] = ["lh-context", "lh-distill", "lh-export", "lh-find-session", "lh-persist"];

/// The pairs of options that are refused; all others work together.
const APART: &[(&str, &str, &str)] = &[
    ("lh-distill", "json", "text"),
    ("lh-export", "to", "enabled"),
    ("lh-export", "to", "force"),
    ("lh-export", "to", "format"),
    ("lh-export", "to", "json"),
    ("lh-export", "to", "text"),
    ("lh-export", "to", "output"),
    ("lh-export", "to", "verbose"),
    ("lh-export", "json", "text"),
    ("lh-export", "json", "output"),
    ("lh-export", "json", "format"),
    ("lh-export", "text", "output"),
    ("lh-export", "text", "format"),
    ("lh-find-session", "json", "text"),
    ("lh-persist", "json", "text"),
    ("lh-distill", "engine", "prompt"),
    ("lh-distill", "engine", "parse"),
    ("lh-distill", "output", "prompt"),
    ("lh-distill", "output", "parse"),
    ("lh-distill", "prompt", "parse"),
    ("lh-export", "enabled", "output"),
    ("lh-export", "enabled", "format"),
    ("lh-find-session", "all", "due"),
    ("lh-find-session", "all", "missing"),
    ("lh-find-session", "due", "missing"),
    ("lh-find-session", "due", "since"),
    ("lh-find-session", "lost", "all"),
    ("lh-find-session", "lost", "due"),
    ("lh-find-session", "lost", "missing"),
    ("lh-find-session", "lost", "since"),
    ("lh-find-session", "lost", "verbose"),
    ("lh-persist", "undo", "list-quarantine"),
    ("lh-persist", "undo", "release"),
    ("lh-persist", "list-quarantine", "release"),
    ("lh-persist", "dry-run", "list-quarantine"),
    ("lh-persist", "dry-run", "edit"),
    ("lh-persist", "edit", "undo"),
    ("lh-persist", "edit", "list-quarantine"),
    ("lh-persist", "edit", "release"),
    ("lh-persist", "edit", "remember"),
    ("lh-persist", "undo", "remember"),
    ("lh-persist", "list-quarantine", "remember"),
    ("lh-persist", "release", "remember"),
    ("lh-persist", "undo", "type"),
    ("lh-persist", "list-quarantine", "type"),
    ("lh-persist", "release", "type"),
];

/// How standard input comes.
#[derive(Clone, Copy, Debug)]
enum Way {
    File,
    Pipe,
    Fifo,
    Folder,
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

impl Home {
    /// Runs a line of a shell's words in this home, with bytes on standard input that come in a way.
    fn fed(&self, words: &str, way: Way, bytes: &[u8]) -> Output {
        let mut words = words.split(' ');
        let mut command = Command::new(binary(words.next().unwrap()));
        command.args(words).env_clear().env("HOME", self.path("")).env("TMPDIR", self.path("")).env("TZ", "UTC");
        command.env("PATH", "/usr/bin:/bin").current_dir(self.path(""));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let fifo = self.path("input.fifo");
        match way {
            Way::File => {
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(bytes).unwrap();
                file.rewind().unwrap();
                command.stdin(file);
            }
            Way::Folder => _ = command.stdin(File::open(self.path("")).unwrap()),
            Way::Fifo => {
                let _ = std::fs::remove_file(&fifo);
                assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
                let (fifo, bytes) = (fifo.clone(), bytes.to_vec());
                // Each end waits until the other is opened.
                std::thread::spawn(move || File::options().write(true).open(fifo).unwrap().write_all(&bytes));
            }
            Way::Pipe => _ = command.stdin(Stdio::piped()),
        }
        if matches!(way, Way::Fifo) {
            command.stdin(File::open(&fifo).unwrap());
        }
        let mut child = command.spawn().unwrap();
        if let Some(mut pipe) = child.stdin.take() {
            // A tool that refuses the first line does not read the rest.
            let _ = pipe.write_all(bytes);
        }
        child.wait_with_output().unwrap()
    }

    fn record_of(&self, transcript: &Path) -> Vec<u8> {
        self.tool("lh-find-session").arg(transcript).output().unwrap().stdout
    }

    fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }
}

/// The long options of a tool without help and version, each with a value where it takes one.
fn options(home: &Home, tool: &str) -> Vec<(String, Vec<String>)> {
    let help = String::from_utf8(home.tool(tool).arg("--help").output().unwrap().stdout).unwrap();
    let lines = help.lines().filter_map(|line| line.trim_start().split_once("--").map(|(_, rest)| rest));
    let words = lines.map(|line| line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>());
    let value = |name: &str, kind: &str| match kind {
        "NAME" if name == "engine" => Some("extract"),
        "NAME" if name == "type" => Some("user"),
        "NAME" => Some("markdown"),
        "FILE" => Some("out"),
        "TIME" => Some("1d"),
        _ if tool == "lh-persist" && matches!(name, "edit" | "undo" | "release" | "remember") => Some("ba9d41"),
        _ => None,
    };
    let with_value = words.map(|words| {
        let mut arguments = vec![format!("--{}", words[0])];
        arguments.extend(value(&words[0], &words[1]).map(str::to_owned));
        (words[0].clone(), arguments)
    });
    with_value.filter(|(name, _)| name != "help" && name != "version").collect()
}

#[test]
fn each_pair_of_options_works_together_or_is_refused_by_name() {
    let home = Home::new();
    let record = home.record_of(&home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 3));
    let mut wrong = Vec::new();
    for tool in TOOLS {
        let options = options(&home, tool);
        for (at, (one, first)) in options.iter().enumerate() {
            for (other, second) in options.iter().skip(at + 1) {
                let input: &[u8] = if matches!(tool, "lh-context" | "lh-find-session") { b"{}" } else { &record };
                let output = home.tool(tool).args(first).args(second).write_stdin(input).output().unwrap();
                let pair = [(tool, one.as_str(), other.as_str()), (tool, other.as_str(), one.as_str())];
                let (said, status) = (said(&output), output.status.code().unwrap());
                let fine = if pair.iter().any(|pair| APART.contains(pair)) {
                    status == 64 && said.contains(&format!("--{one}")) && said.contains(&format!("--{other}"))
                } else {
                    // An answer, or an honest no.
                    status <= 1
                        || status == 64 && said.contains(" goes with --")
                        || status == 75 && said.contains("the model's answer holds no JSON")
                        || said.contains("has the id 'ba9d41'")
                };
                if !fine {
                    wrong.push(format!("{tool} --{one} --{other}: {status}: {said}"));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let output = home.tool("lh-find-session").args(["--all", "aaaaaaaa-1"]).output().unwrap();
    assert!(output.status.code() == Some(64) && said(&output).contains("aaaaaaaa-1"), "{output:?}");
}

/// A call, what comes and how, the status, what is said, and how many lines are printed.
type Line<'a> = (&'a str, &'a str, Way, Vec<u8>, i32, &'a str, Option<usize>);

#[test]
fn each_kind_of_standard_input_has_its_line() {
    let home = Home::new();
    let record = home.record_of(&home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 3));
    let distilled = home.fed("lh-distill -e extract", Way::Pipe, &record).stdout;
    let here = home.path("").canonicalize().unwrap();
    home.transcript("bbbbbbbb-2", &here, 3);
    let payload = format!("{{\"cwd\":{here:?}}}\n");
    let twice = |one: &[u8]| [one, one].concat();
    let cut = |one: &[u8]| one.strip_suffix(b"\n").unwrap().to_vec();
    let (gz, binary): (&[u8], &[u8]) = (b"\x1f\x8b\x08\0\0\0\0\0\x02\xff\xab\xe6\x02\0", b"\0\x01\xff\xfe\n\0");
    let mut table: Vec<Line<'_>> = Vec::new();
    let filters: [(&str, &[u8], usize); 4] = [
        ("lh-export", &record, 1),
        ("lh-export --format json", &record, 1),
        ("lh-distill -e extract", &record, 1),
        ("lh-persist", &distilled, 0),
    ];
    for (tool, one, lines) in filters {
        let lines = |count: usize| if lines == 0 { None } else { Some(lines * count) };
        for way in [Way::File, Way::Pipe, Way::Fifo] {
            table.push((tool, "one record", way, one.to_vec(), 0, "", lines(1)));
        }
        table.push((tool, "no newline at the end", Way::Pipe, cut(one), 0, "", lines(1)));
        table.push((tool, "two records", Way::Pipe, twice(one), 0, "", lines(2)));
        table.push((tool, "a folder", Way::Folder, Vec::new(), 74, "standard input: is a directory", Some(0)));
        table.push((tool, "gz", Way::Pipe, gz.to_vec(), 65, "stdin:1: ", Some(0)));
        table.push((tool, "binary", Way::Pipe, binary.to_vec(), 65, "stdin:1: ", Some(0)));
        let (status, what) = if tool.contains("json") { (1, "no session on standard input") } else { (0, "") };
        table.push((tool, "empty", Way::Pipe, Vec::new(), status, what, Some(0)));
    }
    for tool in ["lh-context", "lh-find-session"] {
        for way in [Way::File, Way::Pipe, Way::Fifo] {
            table.push((tool, "a payload", way, payload.clone().into_bytes(), 0, "", Some(1)));
        }
        table.push((tool, "no newline at the end", Way::Pipe, cut(payload.as_bytes()), 0, "", Some(1)));
        table.push((tool, "empty", Way::Pipe, Vec::new(), 0, "", Some(1)));
        table.push((tool, "a folder", Way::Folder, Vec::new(), 74, "standard input: is a directory", Some(0)));
        table.push((tool, "two payloads", Way::File, twice(payload.as_bytes()), 65, "JSON", Some(0)));
        table.push((tool, "gz", Way::Pipe, gz.to_vec(), 65, "stdin: ", Some(0)));
        table.push((tool, "binary", Way::Pipe, binary.to_vec(), 65, "stdin: ", Some(0)));
    }
    for tool in ["lh-export -o one", "lh-distill -e extract -o two"] {
        table.push((tool, "two records", Way::Pipe, twice(&record), 64, "--output FILE takes one session", Some(0)));
    }
    for (tool, what, way, bytes, status, words, lines) in table {
        let output = home.fed(tool, way, &bytes);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(status), "{tool}, {what}, {way:?}: {said}");
        assert!(said.contains(words), "{tool}, {what}, {way:?}: {said}");
        let printed = String::from_utf8_lossy(&output.stdout).lines().count();
        assert!(lines.is_none_or(|lines| lines == printed), "{tool}, {what}, {way:?}: {printed} lines");
    }
}

#[test]
fn each_kind_of_operand_of_find_session_has_its_line() {
    let home = Home::new();
    for id in ["b9954e8e-1111-4f61", "b9954e8e-2222-4f61", "cccccccc-3333-4f61", "dddddddd-4444-4f61"] {
        home.transcript(id, Path::new("/src/lh"), 1);
    }
    // The same session in two projects.
    home.transcript("dddddddd-4444-4f61", Path::new("/src/other"), 1);
    let transcript = home.transcript("eeeeeeee-5555-4f61", Path::new("/src/lh"), 1);
    home.fifo("fifo.jsonl");
    std::fs::create_dir(home.path("folder.jsonl")).unwrap();
    std::fs::copy(&transcript, home.path("here.jsonl")).unwrap();
    std::fs::copy(&transcript, home.path("plain")).unwrap();
    home.write("empty.jsonl", "");
    std::fs::write(home.path("packed.jsonl.gz"), b"\x1f\x8b\x08\0").unwrap();
    std::fs::write(home.path("binary.jsonl"), b"\0\xff\n").unwrap();
    // Status, what is said, and the ids of the records.
    let table: &[(&[&str], i32, &str, &[&str])] = &[
        (&["here.jsonl"], 0, "", &["here"]),
        (&["plain"], 0, "", &["plain"]),
        (&["./plain"], 0, "", &["plain"]),
        (&["empty.jsonl"], 0, "", &["empty"]),
        (&["binary.jsonl"], 0, "", &["binary"]),
        (&["packed.jsonl.gz"], 0, "", &["packed.jsonl"]),
        (&["here.jsonl", "empty.jsonl"], 0, "", &["here", "empty"]),
        (&["fifo.jsonl"], 65, "fifo.jsonl' is a FIFO, expected a regular file", &[]),
        (&["folder.jsonl"], 65, "folder.jsonl' is a folder, expected a regular file", &[]),
        (&["."], 65, "' is a folder, expected a regular file", &[]),
        (&["/dev/null"], 65, "'/dev/null' is a device, expected a regular file", &[]),
        // A path outright always gives a record; that there is nothing is said.
        (
            &["/nowhere/x.jsonl"],
            0,
            "no such transcript '/nowhere/x.jsonl': its record has no source_size_bytes",
            &["x"],
        ),
        (&["gone.jsonl"], 0, "no such transcript 'gone.jsonl'", &["gone"]),
        (&["cccccccc"], 0, "", &["cccccccc-3333-4f61"]),
        (&["cccccccc-33"], 0, "", &["cccccccc-3333-4f61"]),
        (&["cccccccc-3333-4f61"], 0, "", &["cccccccc-3333-4f61"]),
        (&["b9954e8e-1"], 0, "", &["b9954e8e-1111-4f61"]),
        (&["b9954e8e"], 64, "b9954e8e-2222-4f61.jsonl", &[]),
        (&["dddddddd-4444-4f61"], 64, "-src-other/dddddddd-4444-4f61.jsonl", &[]),
        (&["cccc"], 1, "'cccc': not a transcript", &[]),
        (&["0123abcd"], 1, "'0123abcd': not a transcript", &[]),
        (&["nothing"], 1, "'nothing': not a transcript", &[]),
        (&[""], 1, "'': not a transcript", &[]),
        (&["nothing", "cccccccc", "fifo.jsonl"], 1, "'nothing'", &["cccccccc-3333-4f61"]),
    ];
    for (operands, status, words, ids) in table {
        let output = home.tool("lh-find-session").args(*operands).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(*status), "{operands:?}: {said}");
        assert!(said.contains(words) && said.is_empty() == words.is_empty(), "{operands:?}: {said}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let records = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let found: Vec<String> = records.map(|record| record["session_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(found, *ids, "{operands:?}");
    }
}

#[test]
fn each_kind_of_transcript_has_its_line() {
    let home = Home::new();
    let fine = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 3);
    let text = std::fs::read(&fine).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = home.write(&format!(".claude/projects/-src-lh/{name}.jsonl"), "");
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let folder = home.path(".claude/projects/-src-lh/folder.jsonl");
    std::fs::create_dir(&folder).unwrap();
    let packed: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff\xab\xe6\x02\0\n\x11\n";
    // What lh-export says in its receipt, and the statuses of lh-export, lh-export -o - and lh-distill.
    let table: Vec<(&str, PathBuf, &str, [i32; 3])> = vec![
        ("a file", fine, "written", [0, 0, 0]),
        ("no newline at the end", write("cut", text.strip_suffix(b"\n").unwrap()), "written", [0, 0, 0]),
        ("empty", write("empty", b""), "empty", [0, 1, 0]),
        ("blank lines", write("blank", b"\n \n"), "empty", [0, 1, 0]),
        (
            "one short message",
            write("short", text.split_inclusive(|byte| *byte == b'\n').next().unwrap()),
            "too_few_messages",
            [0, 1, 0],
        ),
        ("gz", write("gz", packed), "unreadable", [0, 1, 65]),
        ("binary", write("binary", b"\0\0\xff\n\0\n"), "unreadable", [0, 1, 65]),
        ("a folder", folder, "is a folder, expected a regular file", [65, 65, 65]),
        (
            "a FIFO",
            home.fifo(".claude/projects/-src-lh/fifo.jsonl"),
            "is a FIFO, expected a regular file",
            [65, 65, 65],
        ),
        ("gone", home.path(".claude/projects/-src-lh/gone.jsonl"), "no such transcript", [65, 65, 65]),
    ];
    let template = String::from_utf8(home.record_of(&table[0].1)).unwrap();
    for (what, transcript, word, statuses) in table {
        let record = template.replace("aaaaaaaa-1", &transcript.file_stem().unwrap().to_string_lossy());
        for (tool, status) in ["lh-export", "lh-export -o -", "lh-distill -e extract"].into_iter().zip(statuses) {
            let output = home.fed(tool, Way::Pipe, record.as_bytes());
            let (said, printed) = (said(&output), String::from_utf8_lossy(&output.stdout).into_owned());
            assert_eq!(output.status.code(), Some(status), "{what}, {tool}: {said}");
            assert_eq!(said.is_empty(), status == 0, "{what}, {tool}: {said}");
            assert!(tool != "lh-export" || format!("{said}{printed}").contains(word), "{what}: {said}{printed}");
            // What is asked for and not there is said with its name.
            assert!(status != 1 || printed.is_empty() && said.contains(word), "{what}, {tool}: {said}");
        }
    }
}

#[test]
fn what_is_printed_or_saved_is_counted_as_such() {
    let home = Home::new();
    let fine = home.record_of(&home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 3));
    let other = home.record_of(&home.transcript("bbbbbbbb-2", Path::new("/src/lh"), 3));
    let short = home.record_of(&home.transcript("cccccccc-3", Path::new("/src/lh"), 1));
    let (both, all) = ([&fine[..], &other].concat(), [&fine[..], &short, &other].concat());
    let table: &[(&str, &[u8], i32, &str)] = &[
        ("lh-export -o -", &fine, 0, ""),
        ("lh-export -o saved", &fine, 0, ""),
        ("lh-export --format json", &all, 0, "3 sessions: 2 printed, 1 without a page, 0 failed"),
        ("lh-export -o -", &all, 0, "3 sessions: 2 printed, 1 without a page, 0 failed"),
        ("lh-export -o saved", &both, 64, "2 sessions: 1 printed, 0 without a page, 1 failed"),
        ("lh-export -o none", &short, 1, "cccccccc-3: too_few_messages: "),
        ("lh-export -o -", &short, 1, "cccccccc-3: too_few_messages: "),
        ("lh-export --force -o -", &short, 0, ""),
        ("lh-export", &both, 0, "2 sessions: 2 written, 0 unchanged, 0 without a page, 0 failed"),
    ];
    for (words, input, status, what) in table {
        assert!(!home.path("Documents").exists() || *words == "lh-export", "{words}: a page was written");
        let output = home.fed(words, Way::Pipe, input);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(*status), "{words}: {said}");
        assert!(said.contains(what) && said.is_empty() == what.is_empty(), "{words}: {said}");
        assert_eq!(output.stdout.is_empty(), words.contains("-o s") || *status == 1, "{words}");
    }
    assert!(home.read("saved").contains("aaaaaaaa-1"), "the first is kept");
    assert!(!home.path("none").exists());
}

/// A moment in the local time of each way to name a zone; none where UTC is taken and that is said.
#[test]
fn each_form_of_tz_has_its_line() {
    let home = Home::new();
    let there = |name: &str| Path::new("/usr/share/zoneinfo").join(name).is_file();
    let table: &[(&str, Option<&str>, bool)] = &[
        ("America/Sao_Paulo", Some("23:00:00-03:00"), there("America/Sao_Paulo")),
        (":America/Sao_Paulo", Some("23:00:00-03:00"), there("America/Sao_Paulo")),
        ("/usr/share/zoneinfo/America/Sao_Paulo", Some("23:00:00-03:00"), there("America/Sao_Paulo")),
        (":/usr/share/zoneinfo/America/Sao_Paulo", Some("23:00:00-03:00"), there("America/Sao_Paulo")),
        ("EST5EDT", Some("22:00:00-04:00"), true),
        ("BRT3", Some("23:00:00-03:00"), true),
        (":BRT3", Some("23:00:00-03:00"), true),
        ("<-03>3", Some("23:00:00-03:00"), true),
        ("CET-1CEST,M3.5.0,M10.5.0/3", Some("04:00:00+02:00"), true),
        ("ABC5DEF", Some("22:00:00-04:00"), true),
        ("", Some("02:00:00+00:00"), true),
        (":", Some("02:00:00+00:00"), true),
        ("UTC", Some("02:00:00+00:00"), true),
        (":UTC", Some("02:00:00+00:00"), true),
        ("UTC0", Some("02:00:00+00:00"), true),
        ("Nowhere/City", None, true),
        (":Nowhere/City", None, true),
        ("America", None, true),
        ("/nowhere/zone", None, true),
        ("/dev/zero", None, true),
        ("BRT", None, true),
        ("ñ\u{1b}[2J", None, true),
    ];
    for (zone, time, possible) in table.iter().filter(|(.., possible)| *possible) {
        let _ = possible;
        let mut tool = home.tool("lh-find-session");
        tool.arg("0123abcd").env("TZ", zone).env("LH_NOW", "2026-07-20T02:00:00Z").env("LH_LOG", home.path("log"));
        assert_eq!(tool.output().unwrap().status.code(), Some(1), "{zone}");
        let log = home.read("log");
        std::fs::remove_file(home.path("log")).unwrap();
        assert_eq!(log.get(11..25), Some(time.unwrap_or("02:00:00+00:00")), "{zone:?}: {log}");
        assert_eq!(log.contains(": UTC is taken; correct or unset it"), time.is_none(), "{zone:?}: {log}");
        assert!(!log.contains('\u{1b}') && log.lines().count() == if time.is_none() { 2 } else { 1 }, "{log}");
    }
}

#[test]
fn each_form_of_a_time_has_its_line() {
    let home = Home::new();
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    // The local zone is three hours behind UTC; it is 2026-11-22T01:30:00-03:00.
    let table: &[(&str, Option<&str>)] = &[
        ("2026-11-20T23:59:30-03:00", Some("2026-11-21T02:59:30Z")),
        ("2026-11-20T23:59:30Z", Some("2026-11-20T23:59:30Z")),
        ("2026-11-20T23:59Z", Some("2026-11-20T23:59:00Z")),
        ("2026-11-20T23:59", Some("2026-11-21T02:59:00Z")),
        ("2026-11-20 23:59", Some("2026-11-21T02:59:00Z")),
        ("2026-11-20T23:59:30", Some("2026-11-21T02:59:30Z")),
        ("2026-11-20", Some("2026-11-20T03:00:00Z")),
        (" 2026-11-20 ", Some("2026-11-20T03:00:00Z")),
        ("today", Some("2026-11-22T03:00:00Z")),
        ("yesterday", Some("2026-11-21T03:00:00Z")),
        ("7d", Some("2026-11-15T04:30:00Z")),
        ("36h", Some("2026-11-20T16:30:00Z")),
        ("0d", Some("2026-11-22T04:30:00Z")),
        ("", None),
        ("soon", None),
        ("tomorrow", None),
        ("7", None),
        ("d", None),
        ("7 d", None),
        ("-7d", None),
        ("+7d", None),
        ("7w", None),
        ("99999999999999999999d", None),
        ("9999999999999d", None),
        ("2026-13-01", None),
        ("2026-11-31", None),
        ("2026-11-20T25:00", None),
        ("2026-11-20T", None),
        ("-002026-11-20", None),
    ];
    for (text, time) in table {
        let list = || {
            let mut tool = home.tool("lh-find-session");
            tool.env("TZ", "BRT3").env("LH_NOW", "2026-11-22T01:30:00-03:00");
            tool.arg(format!("--since={text}")).output().unwrap()
        };
        let Some(time) = time.map(|time| time.parse::<jiff::Timestamp>().unwrap()) else {
            let output = list();
            assert_eq!(output.status.code(), Some(64), "{text:?}: {output:?}");
            assert!(said(&output).contains(&format!("invalid time '{text}': expected ")), "{text:?}: {output:?}");
            continue;
        };
        // A file of that very moment is listed, one of a second before is not.
        for (before, status) in [(0, 0), (1, 1)] {
            let file = File::options().write(true).open(&transcript).unwrap();
            file.set_modified(SystemTime::from(time) - Duration::from_secs(before)).unwrap();
            assert_eq!(list().status.code(), Some(status), "{text:?} {before}");
        }
    }
}
