//! lh-messages: what it takes for a transcript, packed or not, from where, and what it says of each message.

use crate::home::{Home, line};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl Home {
    fn messages(&self, arguments: &[&str], input: &[u8]) -> Output {
        self.tool("lh-messages").args(arguments).write_stdin(input).output().unwrap()
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }
}

/// A transcript that is long and compresses badly, so that there is something before each place in it.
fn long() -> String {
    let cwd = Path::new("/home/dev/src/linkcheck");
    let word = |turn: usize, n: usize| format!("{:x}", (turn * 7919 + n * 104_729) % 65_521);
    let words = |turn: usize| (0..40).map(|n| word(turn, n)).collect::<Vec<_>>().join(" ");
    let turns = (0..400).map(|turn| line(if turn % 2 == 0 { "user" } else { "assistant" }, &words(turn), cwd, turn));
    turns.map(|line| line.replacen('{', r#"{"sessionId":"5e0c1a7e-3f2b","#, 1)).collect()
}

#[test]
fn a_tool_use_has_its_input_cut_and_no_other_tool_has_it() {
    let home = Home::new();
    let cwd = Path::new("/src/lh");
    let input = json!({"command": format!("export TOKEN={SECRET}"), "content": "ñ".repeat(5000), "number": 7});
    let input = input.to_string().replace(":7", ":12345678901234567890123");
    let used = r#"{"type":"assistant","uuid":"u9","parentUuid":"u1","message":{"id":"m1","content":[
        {"type":"tool_use","id":"t1","name":"Bash","input":INPUT},{"type":"tool_use","id":"t2","name":"Odd","input":{"a":1.e.5}},
        {"type":"tool_use","id":"t3","name":"None"}]}}"#;
    let used = used.replace('\n', "").replace("INPUT", &input);
    let path = home.write(
        ".claude/projects/-src-lh/aaaaaaaa-1.jsonl",
        &(line("user", "Build it, please, and say what came of it.", cwd, 0)
            + &line("assistant", "Done.", cwd, 1)
            + &used
            + "\n"),
    );
    let path = path.to_str().unwrap();
    for options in [&[path][..], &["-a", path]] {
        let output = home.messages(options, b"");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // The number keeps its spelling.
        assert!(text.contains("\"number\":12345678901234567890123}"), "{text}");
        let said = records(&output);
        let tools = &said.last().unwrap()["tools"];
        assert_eq!(tools[0]["input"]["command"], format!("export TOKEN={SECRET}"));
        assert_eq!(tools[0]["input"]["content"].as_str().unwrap(), format!("{}…", "ñ".repeat(1000)));
        assert_eq!((&tools[0]["input_cut"], tools[0]["id"].as_str()), (&json!(true), Some("t1")));
        // What is not JSON is absent, and that is said.
        assert_eq!((tools[1].get("input"), &tools[1]["input_cut"]), (None, &json!(true)));
        assert_eq!((tools[2].get("input"), tools[2].get("input_cut")), (None, None));
    }
    let record = home.tool("lh-find-session").arg(path).output().unwrap().stdout;
    for (tool, arguments) in [
        ("lh-messages", &["--count"][..]),
        ("lh-export", &["--force", "--format", "json"]),
        ("lh-distill", &["--prompt"]),
        ("lh-distill", &["--engine", "extract"]),
    ] {
        let output = home.tool(tool).args(arguments).write_stdin(record.clone()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            !text.is_empty() && !text.contains("12345678901234567890123") && !text.contains("ñññ"),
            "{tool}: {text}"
        );
        assert!(!text.contains(SECRET) && !text.contains("input_cut"), "{tool}: {text}");
    }
}

/// A million inputs that are deep, wide, or long cost what they cost in the transcript, and are small in the output.
#[test]
fn a_hostile_input_is_small() {
    let home = Home::new();
    let deep = format!("{}{}", "{\"a\":".repeat(20_000), "1".to_owned() + &"}".repeat(20_000));
    let wide = format!("{{{},\"z\":0}}", (0..100_000).map(|n| format!("\"k{n}\":\"v\"")).collect::<Vec<_>>().join(","));
    let long_key = format!("{{\"{}\":1,\"b\":\"\\ud83d\\u0000\"}}", "k".repeat(100_000));
    for (input, kept) in [(deep, "{\"a\":{\"a\":"), (wide, "{\"k0\":\"v\","), (long_key, "{\"b\":\"\u{fffd}\\u0000\"}")]
    {
        let used = format!(
            r#"{{"type":"assistant","uuid":"u1","message":{{"id":"m","content":[{{"type":"text","text":"x"}},
            {{"type":"tool_use","id":"t","name":"X","input":{input}}}]}}}}"#
        );
        home.put("x.jsonl", used.replace('\n', "").as_bytes());
        let output = home.messages(&["x.jsonl"], b"");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(kept) && text.len() < 17_000, "{}: {}", text.len(), &text[..300.min(text.len())]);
        assert_eq!(records(&output)[0]["tools"][0]["input_cut"], true);
    }
}

#[test]
fn each_message_names_its_session_and_project() {
    let home = Home::new();
    let id = "5e0c1a7e-3f2b";
    let text = long();
    let path = home.write(&format!(".claude/projects/-home-dev-src-linkcheck/{id}.jsonl"), &text);
    std::fs::create_dir(home.path("there")).unwrap();
    home.put(&format!("there/{id}.jsonl.zst"), &zstd(text.as_bytes()));
    let record = String::from_utf8(home.tool("lh-find-session").arg(&path).output().unwrap().stdout).unwrap();
    let other = record.replace("\"project\":\"linkcheck\"", "\"project\":\"renamed\"");
    let none = record.replace("\"project\":\"linkcheck\",", "");
    let zst = format!("there/{id}.jsonl.zst");
    let packed = record.replace(path.to_str().unwrap(), home.path(&zst).to_str().unwrap());
    for (operands, input, project) in [
        (&[path.to_str().unwrap()][..], &b""[..], "linkcheck"),
        (&[], text.as_bytes(), "linkcheck"),
        (&["/dev/fd/0"], text.as_bytes(), "linkcheck"),
        (&[&zst], b"", "linkcheck"),
        (&[], &zstd(text.as_bytes()), "linkcheck"),
        (&["/dev/fd/0"], &zstd(text.as_bytes()), "linkcheck"),
        (&[], record.as_bytes(), "linkcheck"),
        (&[], other.as_bytes(), "renamed"),
        (&[], none.as_bytes(), "linkcheck"),
        (&[], packed.as_bytes(), "linkcheck"),
        (&[], &zstd(other.as_bytes()), "renamed"),
    ] {
        let output = home.messages(operands, input);
        let found = records(&output);
        assert_eq!((output.status.code(), found.len(), said(&output).as_str()), (Some(0), 400, ""), "{operands:?}");
        let names: Vec<[&str; 2]> = found
            .iter()
            .map(|record| [record["session_id"].as_str().unwrap(), record["project"].as_str().unwrap()])
            .collect();
        assert!(names.iter().all(|names| *names == [id, project]), "{operands:?}: {:?}", names[0]);
    }
    // Where no record has a cwd there is no project of a pipe.
    let bare = r#"{"type":"user","message":{"content":"x"}}"#;
    let output = home.messages(&[], bare.as_bytes());
    assert_eq!((records(&output)[0].get("project"), &records(&output)[0]["session_id"]), (None, &json!("stdin")));
}

#[test]
fn what_is_packed_counts_as_what_it_holds() {
    let home = Home::new();
    let text = long();
    home.put("x.jsonl", text.as_bytes());
    let (first, second) = text.split_at(text.len() / 3);
    let skipped = [b"\x53\x2a\x4d\x18\x03\0\0\0abc", &zstd(first.as_bytes())[..]].concat();
    let wanted = home.messages(&["-c", "x.jsonl"], b"").stdout;
    for (name, bytes) in [
        ("x.zst", zstd(text.as_bytes())),
        // Frames, one behind the other, as cat(1) puts them together, and in a name that says nothing.
        ("x", [skipped, zstd(second.as_bytes())].concat()),
        ("x.zst", compress_to_vec(text.as_bytes(), CompressionLevel::Uncompressed)),
    ] {
        home.put(name, &bytes);
        let output = home.messages(&["-c", name], b"");
        assert_eq!((output.status.code(), &output.stdout), (Some(0), &wanted), "{name}: {}", said(&output));
    }
    // An empty one holds an empty transcript.
    home.put("x.zst", &zstd(b""));
    let output = home.messages(&["x.zst"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{}", said(&output));
}

/// Cut at any place and changed at any place: what came before is printed as it is in the whole one, the status is 65,
/// and no place makes it hang or panic.
#[test]
fn of_damaged_data_is_printed_what_came_before() {
    let home = Home::new();
    let text = long();
    home.put("5e0c1a7e-3f2b.jsonl", text.as_bytes());
    let whole = String::from_utf8(home.messages(&["5e0c1a7e-3f2b.jsonl"], b"").stdout).unwrap();
    let packed = zstd(text.as_bytes());
    for twentieth in 1..20 {
        let at = packed.len() * twentieth / 20;
        let output = home.messages(&[], &packed[..at]);
        let (printed, told) = (String::from_utf8(output.stdout.clone()).unwrap(), said(&output));
        assert_eq!(output.status.code(), Some(65), "{at}: {told}");
        assert!(told.contains(&format!("stdin: its zstd data ends too early, after {at} bytes")), "{told}");
        assert!(whole.starts_with(&printed), "{at}");
        assert!(twentieth < 15 || printed.lines().count() > 100, "{at}: {}", printed.len());

        let mut changed = packed.clone();
        changed[at] ^= 0x55;
        let output = home.messages(&[], &changed);
        assert_eq!(output.status.code(), Some(65), "{at}: {}", said(&output));
        assert!(said(&output).contains("stdin: its zstd data "), "{at}: {}", said(&output));
    }
    // The last bytes are the checksum, or what is behind it.
    let mut wrong = packed.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let garbage = [&packed[..], b"what is this"].concat();
    for bytes in [wrong, garbage] {
        home.put("5e0c1a7e-3f2b.jsonl.x", &bytes);
        let output = home.messages(&["5e0c1a7e-3f2b.jsonl.x", "5e0c1a7e-3f2b.jsonl"], b"");
        assert_eq!((output.status.code(), said(&output).lines().count()), (Some(65), 1), "{}", said(&output));
        // The next operand has its turn.
        let count = records(&output).len();
        assert!(count > 500 && output.stdout.ends_with(whole.as_bytes()), "{count}");
    }
}

#[test]
fn a_bomb_needs_little_memory() {
    let home = Home::new();
    home.put("bomb.zst", &zstd(&vec![0; 300 << 20]));
    // A frame that asks for a window of 2 GiB.
    home.put("window.zst", b"\x28\xb5\x2f\xfd\x00\xa8\x01\0\0");
    let tool = crate::home::binary("lh-messages");
    for (name, says) in [
        ("bomb.zst", "bomb.zst: not a transcript: expected a transcript"),
        (
            "window.zst",
            "its zstd data cannot be read: its window is larger than 128 MiB: unpack it first, as with zstdcat",
        ),
    ] {
        let script = format!("ulimit -v 160000; exec '{}' {name}", tool.display());
        let output = home.run(Path::new("/bin/sh")).args(["-c", &script]).output().unwrap();
        assert_eq!(output.status.code(), Some(65), "{name}: {}", said(&output));
        assert!(said(&output).contains(says) && output.stdout.is_empty(), "{name}: {}", said(&output));
    }
}

/// What is no transcript has status 65 and one line that names it, and the operand behind it has its turn; what is
/// empty, or still being written, has 0.
#[test]
fn what_is_not_a_transcript_is_65() {
    let home = Home::new();
    let good = line("user", "hello", Path::new("/src/lh"), 0);
    home.put("good.jsonl", good.as_bytes());
    let history = r#"{"display":"x","pastedContents":{},"timestamp":1,"project":"/x","sessionId":"s"}"#;
    let no_object = "stdin:1: not a JSON object";
    let no_type = "stdin:1: a JSON object without a type: expected a transcript, or session or task records";
    // Its status as a file, that as standard input, and what is said of the latter.
    let table: &[(&str, &[u8], [i32; 2], &str)] = &[
        ("a text", b"hello\nworld\n", [65, 65], no_object),
        ("a text without a newline", b"hello", [65, 65], no_object),
        ("zeros", &[0; 5000], [65, 65], no_object),
        ("an image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", [65, 65], "stdin:1: not UTF-8"),
        ("JSON of another kind", b"{\"foo\":1}\n", [65, 65], no_type),
        ("the same without a newline", b"{\"foo\":1}", [65, 65], no_type),
        ("JSON on several lines", b"{\n  \"type\": \"user\"\n}\n", [65, 65], "stdin:1: not JSON: it ends too early"),
        ("a list", b"[{\"type\":\"user\",\"uuid\":\"x\"}]\n", [65, 65], no_object),
        ("the client's history", history.as_bytes(), [65, 65], no_type),
        ("records of ours", b"{\"type\":\"written\",\"id\":\"x\"}\n", [65, 0], ""),
        ("packed text", &zstd(b"hello\n"), [65, 65], no_object),
        ("packed twice", &zstd(&zstd(good.as_bytes())), [65, 65], "stdin: compressed by zstd: unpack it first"),
        ("packed by gzip", b"\x1f\x8b\x08\0\0\0", [65, 65], "stdin: compressed by gzip: unpack it first, as with zcat"),
        ("packed otherwise", b"\xfd7zXZ\0\0\x04", [65, 65], "stdin: compressed by xz: unpack it first"),
        ("nothing", b"", [0, 0], ""),
        ("blank lines", b"\n \r\n", [0, 0], ""),
        ("one record being written", b"{\"type\":\"user\",\"sessionId\":\"s\",\"mess", [0, 0], ""),
        ("bookkeeping", b"{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n", [0, 0], ""),
    ];
    for (what, bytes, [file, piped], says) in table {
        home.put("odd", bytes);
        for options in [&[][..], &["-a"], &["-c"]] {
            let output = home.messages(&[options, &["odd", "good.jsonl"]].concat(), b"");
            assert_eq!(output.status.code(), Some(*file), "{what}, {options:?}: {}", said(&output));
            assert_eq!(
                said(&output).lines().count(),
                usize::from(*file != 0),
                "{what}, {options:?}: {}",
                said(&output)
            );
            assert!(*file == 0 || said(&output).starts_with("lh-messages: odd: "), "{what}: {}", said(&output));
            // An empty transcript has its count.
            let wanted = if *file == 0 && options == ["-c"] { 2 } else { 1 };
            assert_eq!(records(&output).len(), wanted, "{what}, {options:?}");
            let output = home.messages(options, bytes);
            assert_eq!(output.status.code(), Some(*piped), "{what}, {options:?}: {}", said(&output));
            assert!(said(&output).contains(says), "{what}, {options:?}: {}", said(&output));
        }
    }
}

/// The first line of what tail(1) gives is the rest of a record.
#[test]
fn a_transcript_whose_first_line_is_cut_is_one() {
    let home = Home::new();
    let text = long();
    let tail = &text[text.len() / 2 + 17..];
    let output = home.messages(&[], tail.as_bytes());
    assert_eq!(
        (output.status.code(), said(&output).as_str()),
        (Some(0), "lh-messages: stdin: 1 lines could not be read\n")
    );
    assert!(records(&output).len() > 150);
}

/// A file once a condition holds for it, within some seconds.
fn until(path: &Path, holds: impl Fn(&str) -> bool) -> String {
    for _ in 0..300 {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if holds(&text) {
            return text;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_transcript_that_grows_is_followed() {
    let (home, cwd) = (Home::new(), Path::new("/src/lh"));
    let turn = |role: &str, text: &str, at: usize| line(role, text, cwd, at);
    let path = home.write("aaaaaaaa-1.jsonl", &(turn("user", "First of all", 0) + &turn("assistant", "Yes one", 1)));
    let (out, said) = (home.path("out"), home.path("said"));
    let mut follower = std::process::Command::new(crate::home::binary("lh-messages"));
    follower.args(["-f".as_ref(), path.as_os_str()]).env_clear().env("HOME", home.path(""));
    follower.stdout(std::fs::File::create(&out).unwrap()).stderr(std::fs::File::create(&said).unwrap());
    let mut follower = follower.spawn().unwrap();
    let grow = |text: &str| {
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
    };
    let count = |text: &str| text.lines().count();
    assert_eq!(count(&until(&out, |text| count(text) == 2)), 2);
    // Half a line, then the rest of it and more.
    let next = turn("user", "Second wish", 2);
    let (head, rest) = next.split_at(next.len() / 2);
    grow(head);
    std::thread::sleep(std::time::Duration::from_millis(900));
    grow(&(rest.to_owned() + &turn("assistant", "Yes two", 3)));
    let text = until(&out, |text| count(text) == 4);
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<&str> = records.iter().map(|record| record["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["First of all", "Yes one", "Second wish", "Yes two"]);
    // Cut to nothing and begun anew, and another file in its place.
    std::fs::write(&path, turn("user", "Third time", 4)).unwrap();
    assert!(until(&out, |text| text.contains("Third time")).contains("Third time"));
    let new = home.write("new", &turn("user", "Fourth file", 5));
    std::fs::rename(&new, &path).unwrap();
    assert_eq!(count(&until(&out, |text| text.contains("Fourth file"))), 6);
    assert!(std::fs::read_to_string(&said).unwrap().ends_with("aaaaaaaa-1.jsonl: it begins anew\n"));
    let term = std::process::Command::new("kill").arg(follower.id().to_string()).status().unwrap();
    let ended = follower.wait().unwrap();
    assert!(term.success() && (ended.signal() == Some(15) || ended.success()), "{ended}");
    for arguments in [&["-f"][..], &["-f", "a", "b"], &["-f", "-c", "a"]] {
        assert_eq!(home.messages(arguments, b"").status.code(), Some(64), "{arguments:?}");
    }
    assert_eq!(home.messages(&["-f", "/no/such.jsonl"], b"").status.code(), Some(65));
}

/// A record with several results, of which each is a message.
fn results(names: &[&str], cwd: &Path, at: usize) -> String {
    let mut record: Value = serde_json::from_str(&line("user", "", cwd, at)).unwrap();
    let result = |name: &&str| json!({"type": "tool_result", "tool_use_id": name, "content": format!("result {name}")});
    record["message"]["content"] = names.iter().map(result).collect();
    format!("{record}\n")
}

#[test]
fn all_messages_of_a_line_are_followed_until_the_file_is_gone() {
    let (home, cwd) = (Home::new(), Path::new("/src/lh"));
    let text = line("user", "First of all", cwd, 0) + &results(&["one", "two", "three"], cwd, 1);
    let path = home.write("aaaaaaaa-2.jsonl", &text);
    let mut follower = std::process::Command::new(crate::home::binary("lh-messages"));
    follower.args(["-a", "-f"]).arg(&path).env_clear().env("HOME", home.path(""));
    follower.stdout(std::fs::File::create(home.path("out")).unwrap());
    follower.stderr(std::fs::File::create(home.path("said")).unwrap());
    let mut follower = follower.spawn().unwrap();
    let all = home.messages(&["-a", path.to_str().unwrap()], b"");
    assert_eq!(records(&all).len(), 4);
    let printed = until(&home.path("out"), |text| text.lines().count() == 4);
    assert_eq!(printed.as_bytes(), all.stdout);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(follower.wait().unwrap().code(), Some(74));
    let said = home.read("said");
    assert!(said.contains("aaaaaaaa-2.jsonl: the transcript is not there any more: "), "{said}");
}
