//! The transcript reader against the plain one of `oracle`: both read the real transcripts and
//! generated hostile ones.

use crate::oracle::{MACHINE, Seen, agree, oracle, word};
use lh::agent::transcript::{self, Keep, Totals};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Reads a file both ways, keeping little, more, and all; they must agree.
fn check(path: &Path, name: &str) -> Seen {
    let wanted = oracle(&fs::read(path).unwrap());
    let mut hashes = HashSet::new();
    for keep in [Keep::Counts, Keep::Conversation, Keep::Everything] {
        let found = transcript::read(path, None, keep).unwrap();
        agree(&wanted, &found, keep, name);
        hashes.insert(found.hash);
    }
    assert_eq!(hashes.len(), 1, "{name}: the hash depends on what is kept");
    wanted
}

fn with_file<T>(bytes: &[u8], act: impl FnOnce(&Path) -> T) -> T {
    let folder = crate::home::folder();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, bytes).unwrap();
    act(&path)
}

fn said(text: &str) -> Vec<String> {
    let found = with_file(text.as_bytes(), |path| transcript::read(path, None, Keep::Conversation)).unwrap();
    found.messages.into_iter().map(|message| message.text).filter(|text| !text.is_empty()).collect()
}

#[test]
fn real_transcripts() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts");
    let mut folders = vec![env::var_os("LH_TRANSCRIPTS").map_or_else(default, PathBuf::from)];
    let (mut files, mut messages) = (0, 0);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "jsonl") {
                messages += check(&path, &path.display().to_string()).said.len();
                files += 1;
            }
        }
    }
    if files == 0 {
        writeln!(std::io::stderr(), "skipped: no transcripts").unwrap();
    } else {
        assert!(messages > 0, "{files} files without a message");
    }
}

/// Records, parted by bars or lines as all lists here; what is in capitals gets filled in.
const RECORDS: &str = r#"
{"type":"user"MARK,"message":{"role":"user","type":"message","content":CONTENT}}
{"type":"user"MARK,"message":{"content":CONTENT}}|{"type":"user"MARK,"message":{"content":CONTENT}}
{"type":"user","message":{"content":"TEXT"}}|{"type":"user","message":{"content":"WRAPPED"}}
{"type":"user"DENIED,"message":{"content":[{"type":"tool_result","content":"REFUSED the user said: no","is_error":true}]}}
{"type":"user"DENIED,"message":{"content":[{"type":"tool_result","tool_use_id":"ask","content":"x","is_error":true}]}}
{"type":"user"DENIED,"isSidechain":true,"message":{"content":[{"type":"tool_result","content":"x","is_error":true}]}}
{"type":"user"DENIED,"message":{"content":CONTENT}}|{"type":"user"DENIED,"message":{"content":CONTENT}}
{"type":"assistant","message":{"id":"ID","content":[{"type":"tool_use","id":"ask","name":"ASKER"}]}}
{"type":"user","message":{"content":"AGAIN"}}|{"type":"user","message":"TEXT"}
{"type":"assistant","message":{"id":"ID","type":"message","content":CONTENT}}
{"type":"assistant","message":{"id":"ID","content":CONTENT}}
{"type":"assistant","message":{"id":"ID","content":[{"type":"text","text":"TEXT"}]}}
{"type":"assistant","message":{"id":"ID","content":[{"type":"text","text":"TEXT"},{"type":"tool_use"}]}}
{"type":"assistant","message":{"id":"ID","content":CONTENT},"isSidechain":true}
{"type":"attachment"MARK,"attachment":{"type":"queued_command","commandMode":"prompt","prompt":CONTENT}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"QUEUED"}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"QUEUED"}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"TEXT"MARK}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"task-notification","prompt":"TEXT"}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","isMeta":true,"prompt":"TEXT"}}
{"type":"attachment","origin":{"kind":"peer"},"attachment":{"type":"queued_command","commandMode":"prompt","prompt":"TEXT"}}
{"type":"assistant","isApiErrorMessage":true,"message":{"id":"ID","content":[{"type":"text","text":"TEXT"}]}}
{"type":"attachment","attachment":{"type":"hook_success","commandMode":"prompt","prompt":"TEXT"}}
{"type":"system","subtype":"compact_boundary","parentUuid":null,"logicalParentUuid":"LAST"}
{"type":"progress","data":{"type":"agent_progress","message":{"type":"user","message":{"content":"TEXT"}}}}
{"type":"api-request-blob","message":{"role":"user","type":"user","content":CONTENT}}|{"message":{"content":"TEXT"}}"#;

const MARKS: &str = r#"|||||||,"origin":{"kind":"human"},"promptSource":"typed"|,"origin":{"kind":"task-notification"}
,"promptSource":"system"|,"isMeta":true|,"isCompactSummary":true,"isMeta":false|,"isSidechain":true|,"origin":7"#;

/// What the client writes beside a refusal, and what only looks like it.
const DENIED: &str = r#",USER,"userFeedback":"TEXT"|,USER,"userFeedback":" AGAIN\n"|,USER|,"userFeedback":"no"
,"toolDenialKind":"permission-rule","userFeedback":"no"|,USER,"userFeedback":" "|,USER,"userFeedback":["no"]
,USER,"mcpMeta":{"_meta":{"userFeedback":"no"}}|,USER,"toolUseResult":{"userFeedback":"no"}"#;

const CONTENTS: &str = r#""TEXT"|"TEXT"|[{"type":"text","text":" AGAIN\n"}]|{"type":"text","text":"no"}
[{"type":"image","source":{"type":"text","text":"no"}},7,{"type":"text","text":"TEXT"},null,{"type":"text"}]
[{"type":"text","text":"TEXT"},{"type":"text","text":" \n"},{"type":"text","text":"WRAPPED"}]
[{"type":"thinking","text":"no","is_error":true}]|[{"type":"tool_use","input":{"path":["TEXT"]}},{"type":"tool_use"}]
[{"type":"tool_use","input":{"type":"text","text":"no","message":{"content":[{"type":"tool_use"}]}}}]
[{"type":"tool_result","content":"TEXT","is_error":"true"},{"type":"text","text":"TEXT"}]
[{"type":"tool_result","content":"TEXT","is_error":true}]
[{"type":"tool_result","content":"REFUSED the user said: no","is_error":false}]
[{"type":"tool_result","content":[{"type":"image"},7,{"text":"REFUSED"}],"is_error":true}]
[{"type":"tool_result","content":[{"text":"REFUSED"},{"text":"the user said: TEXT"},{}],"is_error":true}]
[{"type":"tool_result","content":"REFUSED the user said:\nTEXT","is_error":true},{"type":"text","text":"TEXT"}]
[{"type":"tool_result","content":[{"text":"REFUSED the user said: AGAIN NOTE the user said: no"}],"is_error":true}]
[{"type":"tool_result","content":"REFUSED the user said: \n NOTE","is_error":true}]"#;

/// What machines wrote beside MACHINE, in part or in whole, and what only looks so.
const WRAPPED: &str = r#"<command-name>/x</command-name>¶<command-args> keep "it" </command-args>|[Image #1] blue
<command-message>x</command-message>¶<command-name>/x</command-name>|<command-name><command-args> </command-args>
<command-message>x</command-message>¶<command-args>a</command-args> b </command-args> c|¶ |<b>pasted</b> x
<command-name></command-args><command-args>|<system-reminder>x</system-reminder>|<system-reminder>not closed
¶ <system-reminder>x</system-reminder>¶ go on ¶|<ide_selection lines="2">b</ide_selection> do|<system-reminders>mine
<ide_diagnostics>a</ide_diagnostics><command-name>/x</command-name><command-args>y</command-args>
<ide_selection lines="2">a</ide_selection>¶<ide_opened_file>a</ide_opened_file>¶do
go <ide_selection lines="2">b</ide_selection> on|fix¶<new-thing a="b">x</new-thing>|fix¶<system-reminder>not closed
<new-thing>a</new-thing> do|why¶<my-part>x</my-part>¶not?|<ide_selection>a </ide_selection> b </ide_selection>
<pasted_content id="1">¶<system-reminder>a¶</pasted_content>¶</pasted_content id="1"> do|<pasted_content id='1>'>¶a
<private>look: <pasted_content id='2'>¶x¶</private></pasted_content id='2'> y</private> do|about <pasted_content>"#;

/// What texts are made of; U+E000 stands for bytes that are not UTF-8.
const PIECES: &str = "fix|\"|\\|\\\"|\"}{\"|{\"type\":\"user\"}|ñ|🎉|¶¶|\t\r|\u{1}|\u{0}|/| |\\u0041|\u{e000}|RUN|RUN";

/// What runs are made of, long enough to cross the steps of the scanner at any place.
const RUNS: &[&str] = &["x", "x", "\\", "\"", "\\\"", "[{", "\u{e000}"];

/// Lines that hold no record, or one and something else; ¤ stands for NUL.
const JUNK: &str = r#"junk|17|-1.5e3 |[1,{"type":"user"}]|"text"|null|true|{|}|{]|{,}|{'a':1}|{"a" 1}|{"a":1,}|{"a":tru}
{"a":1 "b":2}|{"a":[1}|{"a":"b}|{"a":1}}|{"a":1},{"a":2}|{"a":1} 17||{"a":[1}}|{"a":{]}|{"a":[\"]"]}|{"a":{\}}
¤|¤{"a":1}|{"a":1}¤|{¤"a":1}|{"a"¤:1}|{"a":1¤}|{"a":[{"b":[{}}]}]}|"|\"|\|{"a":"\"}|{"\":1}|{"a\":1}
{"message":{"a{"type":"user","message":{"content":"a torn one before it"}}"#;

/// Makes transcripts as bad as JSON lines can be; of one seed always the same.
#[derive(Default)]
struct Maker {
    random: u64,
    out: Vec<u8>,
    count: usize,
    /// What every record of this transcript has.
    envelope: Vec<(&'static str, Value)>,
    uuids: Vec<String>,
    /// Parents that stand behind their children.
    promised: Vec<String>,
    queued: Vec<String>,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's generator; its upper bits are the good ones.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).unwrap() % bound
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn item(&mut self, list: &str) -> String {
        self.pick(&list.trim().split(['|', '\n']).collect::<Vec<_>>()).replace('¶', "\n").replace('¤', "\0")
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        let text = format!("{} ", self.count);
        (0..self.below(6)).fold(text, |text, _| match self.item(PIECES).as_str() {
            "RUN" => text + &self.pick(RUNS).repeat(self.below(140)),
            piece => text + piece,
        })
    }

    /// Fills in what a template leaves open.
    fn filled(&mut self, text: &str) -> String {
        let fresh = self.fresh();
        let fill = match text.trim() {
            "LAST" => self.uuids[self.uuids.len() - 1].clone(),
            "ID" => self.item("a|b|c"),
            "QUEUED" => {
                self.queued.push(fresh.clone());
                fresh
            }
            "WRAPPED" if self.below(2) == 0 => format!("{} and more", self.item(MACHINE)),
            "WRAPPED" => self.item(WRAPPED),
            _ if text.contains("AGAIN") => self.queued.pop().unwrap_or_default(),
            _ => fresh,
        };
        let (refused, note) = ("The user doesn't want to proceed.", "\n\nNote: The user's next message may contain");
        let text = text.replace("REFUSED", refused).replace("NOTE", note);
        ["LAST", "ID", "QUEUED", "WRAPPED", "AGAIN", "TEXT"].iter().fold(text, |text, word| text.replace(word, &fill))
    }

    fn record(&mut self) {
        let denied = self.item(DENIED).replace("USER", r#""toolDenialKind":"user-rejected""#);
        let template = self.item(RECORDS).replace("MARK", &self.item(MARKS)).replace("CONTENT", &self.item(CONTENTS));
        let template =
            template.replace("DENIED", &denied).replace("ASKER", &self.item("AskUserQuestion|mcp__x__ask|Bash"));
        let mut record: Map<String, Value> = serde_json::from_str(&template).unwrap();
        self.count += 1;
        let (mut uuid, last) = (format!("uuid-{}", self.count), self.uuids.len() - 1);
        match self.below(30) {
            0 => uuid = self.pick(&self.uuids.clone()),
            1..=10 => uuid = self.promised.pop().unwrap_or(uuid),
            _ => {}
        }
        let (any, near) = (self.below(last + 1), last - self.below(last.min(5) + 1));
        let parent = match self.below(10) {
            0 => Value::Null,
            1 => json!("nowhere"),
            6 => {
                self.promised.push(format!("later-{}", self.count));
                json!(self.promised[self.promised.len() - 1])
            }
            2 => json!(self.uuids[any]),
            3..=5 => json!(self.uuids[near]),
            _ => json!(self.uuids[last]),
        };
        let own = [("parentUuid", parent), ("uuid", json!(uuid)), ("timestamp", json!(self.count.to_string()))];
        let own = own.into_iter().chain([("cwd", json!("TEXT")), ("gitBranch", json!("TEXT"))]);
        let own: Vec<_> = own.filter(|_| self.below(12) > 0).collect();
        for (key, value) in own.into_iter().chain(self.envelope.clone()) {
            record.entry(key).or_insert(value);
        }
        let start = self.out.len();
        self.value(&Value::Object(record));
        self.uuids.push(uuid);
        let torn = self.below(40) == 0;
        if torn {
            let length = self.below(self.out.len() - start);
            self.out.truncate(start + length);
        }
        // A torn one and one that is glued to it can make a whole that is garbage inside.
        let end = if torn { "\n" } else { self.pick(&["\n", "\n", "\n", "\n", "\n\n", "\r\n", " \t\n", ""]) };
        self.out.extend(end.bytes());
    }

    fn token(&mut self, token: &str) {
        let (before, behind) = (self.pick(&["", "", " ", "\t"]), self.pick(&["", "", "  ", "\r"]));
        self.out.extend([before, token, behind].concat().bytes());
    }

    /// A value with its members shuffled, some of them twice: the last counts.
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                let text = self.filled(text);
                self.string(&text);
            }
            Value::Array(elements) => {
                self.token("[");
                for (at, element) in elements.iter().enumerate() {
                    self.token(if at > 0 { "," } else { "" });
                    self.value(element);
                }
                self.token("]");
            }
            Value::Object(members) => {
                let mut members: Vec<(String, Value)> = members.clone().into_iter().collect();
                for at in (1..members.len()).rev() {
                    members.swap(at, self.below(at + 1));
                }
                if self.below(6) == 0 && !members.is_empty() {
                    let at = self.below(members.len());
                    let decoys = [
                        json!(null),
                        json!(true),
                        json!(17),
                        json!("no"),
                        json!([{"type": "text", "text": "no"}]),
                        json!({"id": "no", "content": "no", "kind": "no", "file_path": "no"}),
                    ];
                    members.insert(self.below(at + 1), (members[at].0.clone(), self.pick(&decoys)));
                }
                self.token("{");
                for (at, (key, value)) in members.iter().enumerate() {
                    self.token(if at > 0 { "," } else { "" });
                    self.string(key);
                    self.token(":");
                    self.value(value);
                }
                self.token("}");
            }
            plain => self.token(&plain.to_string()),
        }
    }

    fn string(&mut self, text: &str) {
        let often = self.pick(&[1, 40, 40, 40, 40]);
        self.out.push(b'"');
        for letter in text.chars() {
            if letter == '\u{e000}' {
                self.out.extend(b"\xe2\x82\xff\xed\xa0\x80");
            } else if self.below(often) == 0 {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    self.out.extend(format!("\\u{unit:04x}").bytes());
                }
            } else {
                let quoted = json!(letter.to_string()).to_string().replace('/', "\\/");
                self.out.extend(quoted[1..quoted.len() - 1].bytes());
            }
        }
        self.out.push(b'"');
    }

    fn file(seed: u64, steps: usize) -> Vec<u8> {
        let mut maker = Self { random: seed, uuids: vec!["root".to_owned()], ..Self::default() };
        let nested = json!({"type": "user", "message": {"content": ["no", {"a": [[], {}]}]}, "isMeta": true});
        let (entry, source) = (maker.item("||cli|sdk-py|local-agent|claude-vscode"), maker.item("||typed|queued|sdk"));
        let side = json!(maker.below(10) == 0);
        let envelope =
            [("x", nested), ("entrypoint", json!(entry)), ("promptSource", json!(source)), ("isSidechain", side)];
        maker.envelope = envelope.into_iter().filter(|(_, value)| *value != "").collect();
        let mut line =
            maker.item(r#"|{"type":"queue-operation"}|{"type":"queue-operation"}{"type":"permission-mode"}"#);
        for step in 0..steps {
            maker.out.extend(line.bytes().chain(*b"\n"));
            maker.record();
            if step % 200 == 199 {
                // Longer than the reader's buffer, with edges of its steps at any place.
                let pad = [" ", "\\\\", "\\\"", "{", "x"][step / 200].repeat(600_000 + maker.below(99));
                let text = maker.fresh();
                maker.out.extend(format!(r#"\n{{"x":["{pad}"],"type":"user","message":{{"content":"#).bytes());
                maker.string(&text);
                maker.out.extend(*b"}}\n");
            }
            line = if maker.below(20) == 0 { maker.item(JUNK) } else { String::new() };
        }
        line =
            maker.item(r#"|17|{"type":"user","message":{"content":"to|{"type":"user","message":{"content":"whole"}}"#);
        maker.out.extend(line.bytes());
        maker.out
    }
}

#[test]
fn hostile_transcripts() {
    let mut seen = [0; 9];
    for seed in 0..250 {
        let steps = if seed % 25 == 0 { 1000 } else { 1 + usize::try_from(seed).unwrap() % 40 };
        let found = with_file(&Maker::file(seed, steps), |path| check(path, &format!("seed {seed}")));
        let Totals { bad_lines, user_messages, abandoned, tool_uses, tool_errors, .. } = found.totals;
        let signs = [found.kind[0], !found.kind[0], found.kind[1]].map(u64::from);
        let counts = [bad_lines, user_messages, abandoned, tool_uses, tool_errors, found.repeated as u64];
        seen.iter_mut().zip(counts.into_iter().chain(signs)).for_each(|(sum, count)| *sum += count);
    }
    assert!(seen.iter().all(|sum| *sum > 10), "the generator has become tame: {seen:?}");
}

#[test]
fn runs_at_every_place() {
    let mut lines = String::new();
    for before in 0..140 {
        for run in (0..6).chain([63, 64, 65]) {
            let text = "x".repeat(before) + &"\\\\".repeat(run) + "\\\" ]}";
            let id = before * 100 + run;
            let line = match run % 3 {
                0 => {
                    format!(r#"{{"a{text}":["{text}",{{"{text}":1}}],"type":"user","message":{{"content":"{text}"}}}}"#)
                }
                1 => format!(
                    r#"{{"message":{{"id":"{id}","content":"{text}"}},"x":{{"{text}":[]}},"type":"assistant"}}"#
                ),
                _ => format!(
                    r#"{{"x":[{}"{text}"],"type":"user","message":{{"content":"{id}"}}}}{{}}"#,
                    " ".repeat(before)
                ),
            };
            lines.extend([&line, ["\n", "\r\n", ""][before % 3]]);
        }
    }
    let found = with_file(lines.as_bytes(), |path| check(path, "runs"));
    assert_eq!((found.said.len(), found.totals.bad_lines), (140 * 9, 0));
}

#[test]
fn lone_surrogates_become_replacements() {
    let text = r#"{"type":"user","message":{"content":"a\ud83d b\udc4d \ud83d\ud83d\udc4d \ud83d\u0041"}}"#;
    assert_eq!(said(text), ["a\u{fffd} b\u{fffd} \u{fffd}👍 \u{fffd}A"]);
}

#[test]
fn depth_is_no_danger() {
    let lines = r#"{"x":DEEP,"message":{"x":DEEP,"content":"one"},"type":"user"}
{"type":"assistant","message":{"content":[DEEP,{"type":"tool_use","input":{"x":DEEP}},{"type":"text","text":"two"}]}}
{"type":"user","message":{"content":"torn"},"x":[DEEP}
{"type":"user","message":{"content":[{"type":"tool_result","content":DEEP},{"type":"text","text":"three"}]}}
{"type":"user","message":{"content":"four"},"attachment":DEEP,"origin":{"kind":"human","x":DEEP}}"#;
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(said(&lines.replace("DEEP", &deep)), ["one", "two", "four"]);
}

#[test]
fn a_line_of_30_megabytes() {
    let long = r#"{\"type\":\"user\"}\n"#.repeat(1_500_000);
    let result = format!(r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":"{long}"}}]}}}}"#);
    assert!(result.len() > 30_000_000);
    let text = result + "\n{\"type\":\"user\",\"message\":{\"content\":\"go on\"}}";
    let found = with_file(text.as_bytes(), |path| check(path, "a long line"));
    assert_eq!((word(&found.said[0], "/text"), &found.said[0]["line"]), ("go on", &json!(2)));
}

/// In a line over the limit a prompt is read as far as lh-messages(1) says, and what is over it even
/// then is a bad line; the lines around it are what they were.
#[test]
fn a_line_over_the_limit_is_cut() {
    let prompt = |text: &str| format!(r#"{{"type":"user","message":{{"content":"{text}"}}}}"#) + "\n";
    let (limit, head) = (4 << 20, 64 << 10);
    for (length, kept) in [(limit - 100, limit - 100), (limit, head), (11 * limit, head)] {
        let text = prompt("one") + &prompt(&"é".repeat(length / 2)) + &prompt("three");
        let said = said(&text);
        assert_eq!((said.len(), &said[0][..], &said[2][..]), (3, "one", "three"));
        assert!(said[1].len() == kept && said[1].chars().all(|letter| letter == 'é'), "{length}");
    }
    let many = prompt(&format!(r#"no","x":[{}7],"y":""#, r#""many","#.repeat(limit / 4)));
    let text = prompt("one") + &many + &prompt("three") + many.trim_end();
    let found = with_file(text.as_bytes(), |path| transcript::read(path, None, Keep::Counts)).unwrap();
    assert_eq!((found.totals.user_messages, found.totals.records, found.totals.bad_lines), (2, 2, 1));
}

/// The tool runs with 32 MiB of address space, its own code and the C library's included.
#[test]
fn a_line_of_any_length_needs_little_memory() {
    let long = r#"{\"a\":\"b\\\\\"}\n"#.repeat(2_500_000);
    let result = format!(r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":"{long}"}}]}},"#);
    let text =
        format!("{result}\"toolUseResult\":\"x\"}}\n{{\"type\":\"user\",\"message\":{{\"content\":\"go on\"}}}}");
    assert!(text.len() > 40_000_000);
    let output = with_file(text.as_bytes(), |path| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 32768 && exec \"$0\" --count \"$1\"", env!("CARGO_BIN_EXE_lh-messages")]);
        shell.arg(path).env_clear().env("HOME", path.parent().unwrap()).output().unwrap()
    });
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let count: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json!([count["records"], count["bad_lines"], count["user_chars"]]), json!([2, 0, 5]));
}

#[test]
fn lh_messages_prints_a_record_a_message() {
    let lines = r#"{"parentUuid":"r","type":"user","uuid":"u1","message":{"content":"<bash-input>no</bash-input>"}}
{"parentUuid":"r","type":"user","uuid":"u2","timestamp":"2026-01-01T00:00:00.000Z","message":{"content":"one"}}
{"parentUuid":"u2","type":"assistant","uuid":"u3","message":{"id":"m","content":[{"type":"text","text":"a"}]}}{"x":1}
junk
{"parentUuid":"u3","type":"assistant","message":{"id":"m","content":[{"type":"text","text":"b"},{"type":"tool_use"}]}}
{"parentUuid":"r","type":"user","message":{"content":"two"}}
{"parentUuid":"r","type":"user","message":{"content":"thr"#;
    let run = |option: &str| {
        let tool = || Command::new(env!("CARGO_BIN_EXE_lh-messages"));
        let print = |path: &Path| tool().env_clear().env("HOME", path.parent().unwrap()).arg(option).arg(path).output();
        let output = with_file(lines.as_bytes(), print).unwrap();
        assert!(output.status.success(), "{output:?}");
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let (said, count) = (run("--"), run("--count"));
    let texts: Vec<&str> = said.iter().map(|message| word(message, "/text")).collect();
    assert_eq!(texts, ["one", "a\n\nb", "two"]);
    assert_eq!(said.iter().map(|message| message["abandoned"] == true).collect::<Vec<_>>(), [true, true, false]);
    let first = ["type", "session_id", "role", "line", "uuid", "time"].map(|key| said[0][key].clone());
    assert_eq!(json!(first), json!(["message", "session", "user", 2, "u2", "2026-01-01T00:00:00.000Z"]));
    let totals = ["messages", "bad_lines", "records", "tool_uses"].map(|key| count[0][key].clone());
    assert_eq!((json!(totals), count.len()), (json!([said.len(), 1, 6, 1]), 1));
}

/// Small transcripts, parted by blank lines.
const SMALL: &str = r#"{"type":"assistant","message":{"content":"one without id"}}
{"type":"assistant","message":{"content":"another"}}

{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"my own ancestor"}}
{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"and I"}}

{"type":"\u0075ser","message":{"content":"a"}}

{"type":"user","entrypoint":"\u0073dk-py","message":{"content":"a"}}

{"type":"user","uuid":"a\/b","parentUuid":"r","message":{"content":"a"}}
{"type":"assistant","parentUuid":"a/b","message":{"id":"m","content":"below a"}}
{"type":"user","parentUuid":"r","message":{"content":"instead of a"}}

{"type":"user","entrypoint":null,"promptSource":"sdk","message":{"content":"a"}}

{"type":"user","origin":{"kind":null},"message":{"content":"a"}}

{"type":"user","parentUuid":"r","uuid":127,"message":{"content":"a"}}
{"type":"assistant","parentUuid":"2","message":{"content":"not below a"}}
{"type":"user","parentUuid":"r","message":{"content":"instead of a"}}

{"type":"user","message":{"content":"a"},"message":{}}

{"type":"user","origin":{"kind":"task-notification"},"origin":null,"message":{"content":"a"}}

{"type":"assistant","message":{"content":"a"}}{"type":"assistant","message":{"content":"b"}}

{"type":"assistant","message":{"id":null,"content":"a"}}
{"type":"assistant","message":{"id":null,"content":"b"}}

{"type":"user","uuid":"a","parentUuid":"root","message":{"content":"a"}}
{"type":"user","uuid":"c","parentUuid":"b","message":{"content":[{"type":"tool_result","content":"ok"}]}}
{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m1","content":[{"type":"tool_use"}]}}
{"type":"assistant","uuid":"d","parentUuid":"c","message":{"id":"m2","content":"below a"}}
{"type":"user","uuid":"e","parentUuid":"root","message":{"content":"instead of a"}}

{"type":"assistant","message":{"id":"m","content":"a"}}
{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"q"}}
{"type":"assistant","message":{"id":"m","content":"b"}}
{"type":"user","message":{"content":"q"}}

{"type":"assistant","isMeta":true,"message":{"id":"m","content":"a"}}
{"type":"assistant","message":{"id":"m","content":"b"}}

{"type":"assistant","isMeta":true,"message":{"content":[{"type":"tool_use"}]}}
{"type":"user","message":{"content":"so that there is a user"}}

{"type":"user","logicalParentUuid":"x","message":{"content":"a"}}
{"type":"user","logicalParentUuid":"x","message":{"content":"b"}}

{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use"}]}}{"type":"assistant"}
{"type":"user","message":{"content":"b"},"attachment":{"prompt":"c"}}{"type":"user"}{"type":"user","message":7}"#;

#[test]
fn small_transcripts() {
    for text in SMALL.split("\n\n") {
        with_file(text.as_bytes(), |path| check(path, text));
    }
}
