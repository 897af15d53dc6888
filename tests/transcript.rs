//! The transcript reader against a plain one that holds everything in memory and shares no rule with
//! it: what it should do is written down here a second time, from CONTRACTS 3, DESIGN (Records) and
//! RECORDS, on whole `serde_json` values. Both read the real transcripts and generated hostile ones.

#![cfg(test)]

use lh::message::Message;
use lh::transcript::{self, Keep, Totals};
use serde_json::{Deserializer, Value, json};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What one message must be equal in.
#[derive(Debug, PartialEq)]
struct Said {
    role: String,
    text: String,
    line: u64,
    uuid: Option<String>,
    time: Option<String>,
    abandoned: bool,
}

/// What the plain reader finds in a file.
struct Seen {
    said: Vec<Said>,
    totals: Totals,
    interactive: bool,
    subagent: bool,
    /// Queued prompts that a user record repeats.
    repeated: usize,
}

/// A record with the number of its line.
struct Rec {
    line: u64,
    json: Value,
}

impl Rec {
    fn word(&self, pointer: &str) -> &str {
        self.json.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    fn some(&self, pointer: &str) -> Option<String> {
        Some(self.word(pointer).to_owned()).filter(|word| !word.is_empty())
    }

    fn sidechain(&self) -> bool {
        self.json["isSidechain"] == true
    }

    /// Subagents, what the client wrote, summaries: none of it is conversation.
    fn aside(&self) -> bool {
        self.sidechain() || self.json["isMeta"] == true || self.json["isCompactSummary"] == true
    }

    fn blocks(&self, kind: &str) -> impl Iterator<Item = &Value> {
        let blocks = self.json["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().filter(move |block| block["type"] == kind)
    }

    fn speaks(&self) -> bool {
        matches!(self.word("/type"), "user" | "assistant")
    }
}

/// The records, and how many lines hold something else. What stands behind the last newline may be
/// still being written, so it is never bad.
fn records(bytes: &[u8]) -> (Vec<Rec>, u64) {
    let (mut found, mut bad) = (Vec::new(), 0);
    for (line, bytes) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        for value in Deserializer::from_str(&String::from_utf8_lossy(bytes)).into_iter::<Value>() {
            match value {
                Ok(json) if json.is_object() => found.push(Rec { line, json }),
                _ => {
                    bad += u64::from(bytes.ends_with(b"\n"));
                    break;
                }
            }
        }
    }
    (found, bad)
}

#[derive(PartialEq)]
enum How {
    Typed,
    Refusing,
    Queued,
}

/// What the user said in a record, if anything.
fn prompt(record: &Rec) -> Option<(How, String)> {
    let by_hand = |origin: &Value| matches!(origin["kind"].as_str(), None | Some("" | "human"));
    let (json, attachment) = (&record.json, &record.json["attachment"]);
    let queued = attachment["type"] == "queued_command" && attachment["commandMode"] == "prompt";
    let (content, refusals) = match record.word("/type") {
        _ if record.aside() => return None,
        "user" if by_hand(&json["origin"]) && json["promptSource"] != "system" => {
            (&json["message"]["content"], record.blocks("tool_result").filter_map(refusal).collect())
        }
        "attachment" if queued && by_hand(&attachment["origin"]) => (&attachment["prompt"], Vec::new()),
        _ => return None,
    };
    let how = match record.word("/type") {
        "attachment" => How::Queued,
        _ if refusals.is_empty() => How::Typed,
        _ => How::Refusing,
    };
    let typed = texts(content).into_iter().filter_map(typed);
    let said: Vec<String> = refusals.into_iter().chain(typed).collect();
    (!said.is_empty()).then(|| (how, said.join("\n\n")))
}

fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks.iter().filter(|block| block["type"] == "text").map(text).collect(),
        _ => Vec::new(),
    }
}

fn text(block: &Value) -> &str {
    block["text"].as_str().unwrap_or_default()
}

fn result(block: &Value) -> String {
    match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter(|part| part.is_object()).map(text).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn refused(block: &Value) -> bool {
    block["is_error"] == true && result(block).trim_start().starts_with("The user doesn't want to proceed")
}

/// The words behind "the user said:" at a refusal, without the client's note.
fn refusal(block: &Value) -> Option<String> {
    let text = result(block);
    let at = text.find("the user said:").filter(|_| refused(block))?;
    let words = &text[at + "the user said:".len()..];
    let words = &words[..words.find("\n\nNote: The user's next message may contain").unwrap_or(words.len())];
    Some(words.trim().to_owned()).filter(|words| !words.is_empty())
}

/// The part of a prompt that a person typed. The client's elements may stand before it.
fn typed(text: &str) -> Option<String> {
    let text = text.trim_start();
    for name in ["system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"] {
        if text.starts_with(&format!("<{name}>")) || text.starts_with(&format!("<{name} ")) {
            let close = format!("</{name}>");
            return typed(&text[text.find(&close)? + close.len()..]);
        }
    }
    let machine = [
        "<local-command-",
        "<task-notification",
        "<bash-input",
        "<bash-stdout",
        "<bash-stderr",
        "<teammate-message",
        "<ci-monitor-event",
        "Caveat: The messages below were generated by the user",
        "[Request interrupted by user",
        "[Image: source",
        "This session is being continued from a previous conversation",
    ];
    if machine.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    let words = if text.starts_with("<command-name>") || text.starts_with("<command-message>") {
        let (open, close) = ("<command-args>", "</command-args>");
        text.get(text.find(open)? + open.len()..text.rfind(close)?)?.trim()
    } else {
        text
    };
    Some(words.to_owned()).filter(|words| !words.trim().is_empty())
}

/// The queued prompts that the typed prompts behind them repeat; another typed prompt ends the wait.
fn repeated(prompts: &[Option<(How, String)>]) -> HashSet<usize> {
    let (mut waiting, mut found) = (Vec::<(usize, &str)>::new(), HashSet::new());
    for (at, (how, text)) in prompts.iter().enumerate().filter_map(|(at, prompt)| Some((at, prompt.as_ref()?))) {
        if *how == How::Queued {
            waiting.push((at, text.trim()));
        } else if let Some(first) = waiting.iter().position(|(_, queued)| *queued == text.trim()) {
            found.insert(waiting.remove(first).0);
        } else {
            waiting.clear();
        }
    }
    found
}

/// For each record whether it is, or hangs below, a typed prompt that has a later sibling.
fn abandoned(records: &[Rec], prompts: &[Option<(How, String)>]) -> Vec<bool> {
    let place: HashMap<&str, usize> =
        records.iter().enumerate().map(|(at, record)| (record.word("/uuid"), at)).collect();
    let (mut last, mut rewound) = (HashMap::new(), HashSet::new());
    for (at, record) in records.iter().enumerate() {
        let parent = record.word("/parentUuid");
        if !parent.is_empty() && prompts[at].as_ref().is_some_and(|(how, _)| *how == How::Typed) {
            rewound.extend(last.insert(parent, at));
        }
    }
    let above = |at: &usize| {
        let named = ["/parentUuid", "/logicalParentUuid"].map(|key| records[*at].word(key));
        place.get(*named.iter().find(|uuid| !uuid.is_empty())?).copied()
    };
    // The bound is for a record that is its own ancestor.
    let chain = |at| std::iter::successors(Some(at), above).take(records.len());
    (0..records.len()).map(|at| chain(at).any(|at| rewound.contains(&at))).collect()
}

fn oracle(bytes: &[u8]) -> Seen {
    let (records, bad_lines) = records(bytes);
    let prompts: Vec<_> = records.iter().map(prompt).collect();
    let (repeated, abandoned) = (repeated(&prompts), abandoned(&records, &prompts));
    let mut said: Vec<Said> = Vec::new();
    let mut turn: HashMap<String, usize> = HashMap::new();
    for (at, record) in records.iter().enumerate().filter(|(at, _)| !repeated.contains(at)) {
        let (uuid, time) = (record.some("/uuid"), record.some("/timestamp"));
        let begin = |role: &str, text| Said {
            role: role.into(),
            text,
            line: record.line,
            uuid,
            time,
            abandoned: abandoned[at],
        };
        if let Some((_, text)) = &prompts[at] {
            turn.clear();
            said.push(begin("user", text.clone()));
        } else if record.word("/type") == "assistant" && !record.aside() {
            let id = record.some("/message/id").unwrap_or_else(|| format!("record {at}"));
            let at = *turn.entry(id).or_insert(said.len());
            if at == said.len() {
                said.push(begin("assistant", String::new()));
            }
            let texts = texts(&record.json["message"]["content"]);
            let old = Some(said[at].text.as_str()).filter(|text| !text.is_empty());
            let parts = texts.into_iter().filter(|text| !text.trim().is_empty());
            said[at].text = old.into_iter().chain(parts).collect::<Vec<_>>().join("\n\n");
        }
    }
    said.retain(|said| !said.text.is_empty());
    let repeated = repeated.len();
    let totals = Totals { bad_lines, ..totals(&records, &said) };
    let subagent =
        records.iter().any(Rec::speaks) && records.iter().filter(|record| record.speaks()).all(Rec::sidechain);
    let interactive = !subagent && interactive(&records, totals.user_messages);
    Seen { said, totals, interactive, subagent, repeated }
}

fn totals(records: &[Rec], said: &[Said]) -> Totals {
    let by =
        |kind: &'static str| records.iter().filter(move |record| record.word("/type") == kind && !record.sidechain());
    let failed = |block: &&Value| block["is_error"] == true && !refused(block);
    let typed = || said.iter().filter(|said| said.role == "user");
    Totals {
        records: records.len() as u64,
        bad_lines: 0,
        messages: said.len() as u64,
        user_messages: typed().count() as u64,
        user_chars: typed().map(|said| said.text.chars().count() as u64).sum(),
        abandoned: said.iter().filter(|said| said.abandoned).count() as u64,
        tool_uses: by("assistant").map(|record| record.blocks("tool_use").count() as u64).sum(),
        tool_errors: by("user").map(|record| record.blocks("tool_result").filter(failed).count() as u64).sum(),
    }
}

/// The signs of a person, the strongest first.
fn interactive(records: &[Rec], prompts: u64) -> bool {
    let words = |pointer| records.iter().map(move |record| record.word(pointer)).filter(|word| !word.is_empty());
    let mut entries = words("/entrypoint").peekable();
    if entries.peek().is_some() {
        return entries.any(|entry| !entry.starts_with("sdk") && entry != "local-agent");
    }
    if words("/promptSource").any(|source| matches!(source, "typed" | "queued")) {
        return true;
    }
    if words("/promptSource").any(|source| source == "sdk") {
        return false;
    }
    let piped = records.first().is_some_and(|record| record.word("/type") == "queue-operation") && prompts <= 1;
    !piped || words("/type").any(|kind| kind == "permission-mode")
}

/// Reads a file both ways, keeping little, more, and all; they must agree.
fn check(path: &Path, name: &str) -> Seen {
    let wanted = oracle(&fs::read(path).unwrap());
    let mut hashes = HashSet::new();
    for keep in [Keep::Counts, Keep::Conversation, Keep::Everything] {
        let found = transcript::read(path, None, keep).unwrap();
        let said: Vec<Said> = found.messages.iter().filter(|message| message.is_conversation()).map(plain).collect();
        let kept: &[Said] = if keep == Keep::Counts { &[] } else { &wanted.said };
        for (found, wanted) in said.iter().zip(kept) {
            assert_eq!(found, wanted, "{name} {keep:?}");
        }
        assert_eq!(said.len(), kept.len(), "{name} {keep:?}");
        assert_eq!(found.totals, wanted.totals, "{name} {keep:?}");
        let signs = (found.interactive, found.subagent);
        assert_eq!(signs, (wanted.interactive, wanted.subagent), "{name} {keep:?}: interactive, subagent");
        hashes.insert(found.hash);
    }
    assert_eq!(hashes.len(), 1, "{name}: the hash depends on what is kept");
    wanted
}

fn plain(message: &Message) -> Said {
    Said {
        role: message.role.word().to_owned(),
        text: message.text.clone(),
        line: message.line,
        uuid: message.uuid.clone(),
        time: message.time.clone(),
        abandoned: message.marks.abandoned,
    }
}

fn check_bytes(bytes: &[u8], name: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, bytes).unwrap();
    check(&path, name)
}

#[test]
fn real_transcripts() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts");
    let folder = std::env::var_os("LH_TRANSCRIPTS").map_or_else(default, PathBuf::from);
    let (mut folders, mut files, mut messages) = (vec![folder], 0, 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
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
        return;
    }
    assert!(messages > 0, "{files} files without a message");
}

/// Makes transcripts that are as bad as JSON lines can be, the same ones for the same seed.
struct Maker {
    random: u64,
    out: Vec<u8>,
    count: u64,
    uuids: Vec<String>,
    /// What typed prompts hang below.
    parents: Vec<Value>,
    /// The ids of assistant messages that may still go on.
    ids: Vec<String>,
    queued: Vec<String>,
    /// What every record of this file has, as the client and the way it was started decide.
    envelope: Value,
}

/// Stands for bytes that are not UTF-8.
const BROKEN: char = '\u{e000}';

const PIECES: &[&str] = &[
    "fix it",
    "\"",
    "\\",
    "\\\"",
    "\"}{\"",
    "{\"type\":\"user\"}",
    "ñ",
    "🎉",
    "\n",
    "\n\n",
    "\t\r",
    "\u{1}",
    "/",
    " ",
    "\u{2028}",
    "\u{e000}",
    "the user said:",
    "</command-args>",
    "\\u0041",
];

/// Texts that a machine wrote, in whole or in part, and some that only look so.
const WRAPPED: &[&str] = &[
    "<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args> keep \"it\" </command-args>",
    "<command-message>x</command-message>\n<command-name>/x</command-name>",
    "<command-name>/x</command-name><command-args> </command-args>",
    "<command-name>/x</command-name><command-args>a</command-args> b </command-args> c",
    "<command-name>/x</command-name></command-args><command-args>",
    "<local-command-stdout>out</local-command-stdout> more",
    "<local-command-caveat>Caveat: The messages below</local-command-caveat>",
    "<task-notification>\n<task-id>1</task-id>\n</task-notification>",
    "<bash-input>ls</bash-input>",
    "<bash-stdout></bash-stdout><bash-stderr>no</bash-stderr>",
    "<bash-stderr>no</bash-stderr>",
    "<teammate-message teammate_id=\"alice\">\nhello</teammate-message>",
    "<ci-monitor-event>red</ci-monitor-event>",
    "Caveat: The messages below were generated by the user while running local commands.",
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "[Image: source: a.png]",
    "This session is being continued from a previous conversation that ran out of context.",
    "<system-reminder>x</system-reminder>",
    " <system-reminder>x</system-reminder>\n go on ",
    "<ide_opened_file>a</ide_opened_file>\n<ide_selection lines=\"2\">b</ide_selection> do",
    "<ide_diagnostics>a</ide_diagnostics><command-name>/x</command-name><command-args>y</command-args>",
    "<system-reminder>never closed",
    "<system-reminders>mine</system-reminders>",
    "[Image #1] make it blue",
    "<b>pasted</b>",
    "why <command-args>this</command-args> and <system-reminder>that</system-reminder>",
    " \n\t",
    "",
];

const JUNK: &[&str] = &[
    "junk",
    "17",
    "-1.5e3 ",
    "[1,{\"type\":\"user\"}]",
    "\"text\"",
    "null",
    "true",
    "{",
    "}",
    "{]",
    "{,}",
    "{'a':1}",
    "{\"a\" 1}",
    "{\"a\":1,}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":tru}",
    "{\"a\":[1}",
    "{\"a\":\"b}",
    "{\"a\":1}}",
    "{\"a\":1},{\"a\":2}",
    "{\"a\":1} 17",
    "\u{feff}{\"a\":1}",
    "\0",
    "",
    " \t",
];

impl Maker {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn text(&mut self) -> String {
        self.count += 1;
        let mut text = format!("n{} ", self.count);
        for _ in 0..self.below(6) {
            text.push_str(self.pick(PIECES));
        }
        text
    }

    /// A content that says `text`, in one of the forms that there are.
    fn content(&mut self, text: &str) -> Value {
        let block = json!({"type": "text", "text": text});
        match self.below(4) {
            0 => json!([block]),
            1 => json!([{"type": "image", "source": {"type": "text", "text": "no"}}, 7, block, {"type": "text"}, null]),
            _ => json!(text),
        }
    }

    fn parent(&mut self) -> Value {
        let uuids = std::mem::take(&mut self.uuids);
        let parent = match self.below(8) {
            0 => Value::Null,
            1 if !uuids.is_empty() => json!(self.pick(&uuids)),
            _ => json!(uuids.last()),
        };
        self.uuids = uuids;
        parent
    }

    /// Writes a record of a kind: `members` and what such records have beside.
    fn record(&mut self, kind: &str, parent: &Value, members: &Value) {
        self.count += 1;
        let mut record = self.envelope.as_object().unwrap().clone();
        record.insert("type".into(), json!(kind));
        record.insert("parentUuid".into(), parent.clone());
        record.insert("timestamp".into(), json!(format!("2026-01-01T00:00:{:02}.000Z", self.below(60))));
        record.insert(
            "toolUseResult".into(),
            json!({"type": "user", "message": {"content": ["no", {"a": [[], {}]}]}, "isMeta": true}),
        );
        if !self.one_in(20) {
            let uuid = format!("uuid-{}", self.count);
            record.insert("uuid".into(), json!(uuid));
            self.uuids.push(uuid);
        }
        for optional in ["timestamp", "parentUuid", "toolUseResult"] {
            if self.one_in(10) {
                record.remove(optional);
            }
        }
        record.extend(members.as_object().unwrap().clone());
        let start = self.out.len();
        self.blank();
        self.value(&Value::Object(record));
        self.blank();
        if self.one_in(40) {
            // Torn, and sometimes another one glued to it.
            self.out.truncate(start + self.below(self.out.len() - start));
        }
        let ends: [&[u8]; 12] = [b"\n", b"\n", b"\n", b"\n", b"\n", b"\n", b"\n", b"\n\n", b"\r\n", b"\r\n", b"", b""];
        let end = self.pick(&ends);
        self.out.extend(end);
    }

    fn blank(&mut self) {
        let blank: &[u8] = self.pick(&[b"".as_slice(), b"", b"", b" ", b"\t", b"\r", b"  \r\t"]);
        self.out.extend(blank);
    }

    /// A value with its members shuffled, some of them twice: the last counts.
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(elements) => self.list("[]", elements, Self::value),
            Value::Object(members) => {
                let mut members: Vec<_> = members.clone().into_iter().collect();
                for at in (1..members.len()).rev() {
                    let other = self.below(at + 1);
                    members.swap(at, other);
                }
                if !members.is_empty() && self.one_in(6) {
                    let at = self.below(members.len());
                    let decoys = [
                        json!(null),
                        json!(true),
                        json!(17),
                        json!("decoy"),
                        json!([{"type": "text", "text": "decoy"}]),
                    ];
                    let decoy = (members[at].0.clone(), self.pick(&decoys));
                    let before = self.below(at + 1);
                    members.insert(before, decoy);
                }
                self.list("{}", &members, |maker, (key, value)| {
                    maker.string(key);
                    maker.blank();
                    maker.out.push(b':');
                    maker.blank();
                    maker.value(value);
                });
            }
            plain => self.out.extend(plain.to_string().bytes()),
        }
    }

    fn list<T>(&mut self, brackets: &str, items: &[T], write: fn(&mut Self, &T)) {
        self.out.push(brackets.as_bytes()[0]);
        self.blank();
        for (at, item) in items.iter().enumerate() {
            self.out.extend((at > 0).then_some(b','));
            self.blank();
            write(self, item);
            self.blank();
        }
        self.out.push(brackets.as_bytes()[1]);
    }

    fn string(&mut self, text: &str) {
        let often = if self.one_in(20) { 1 } else { 40 };
        self.out.push(b'"');
        for letter in text.chars() {
            let mut units = [0; 2];
            match letter {
                BROKEN => {
                    let bytes: &[u8] = self.pick(&[b"\xff".as_slice(), b"\xe2\x82", b"\xc0\x80", b"\xed\xa0\x80"]);
                    self.out.extend(bytes);
                }
                '/' if self.one_in(2) => self.out.extend(b"\\/"),
                _ if self.one_in(often) => {
                    for unit in letter.encode_utf16(&mut units) {
                        self.out.extend(format!("\\u{unit:04x}").bytes());
                    }
                }
                _ => {
                    let quoted = json!(letter.to_string()).to_string();
                    self.out.extend(quoted[1..quoted.len() - 1].bytes());
                }
            }
        }
        self.out.push(b'"');
    }

    fn user(&mut self, content: &Value) {
        let parent = self.parent();
        self.record("user", &parent, &json!({"message": {"role": "user", "type": "message", "content": content}}));
    }

    /// A typed prompt, often below what another one hangs below.
    fn prompt(&mut self) {
        let parents = std::mem::take(&mut self.parents);
        let parent = match self.below(8) {
            0 | 1 if !parents.is_empty() => self.pick(&parents),
            2 => json!("nowhere"),
            _ => self.parent(),
        };
        self.parents = parents;
        self.parents.push(parent.clone());
        let text = if self.one_in(4) { self.pick(WRAPPED).to_owned() } else { self.text() };
        let mut members = json!({"message": {"content": self.content(&text)}});
        if self.one_in(6) {
            members["origin"] =
                self.pick(&[json!({"kind": "human"}), json!({"kind": "task-notification"}), json!(null)]);
        }
        if self.one_in(12) {
            members["promptSource"] = json!("system");
        }
        self.record("user", &parent, &members);
    }

    fn assistant(&mut self) {
        let id = if self.ids.is_empty() || self.one_in(3) {
            format!("msg_{}", self.count)
        } else {
            self.pick(&self.ids.clone())
        };
        self.ids.push(id.clone());
        let text = if self.one_in(8) { " \n".to_owned() } else { self.text() };
        let nested = json!({"type": "tool_use", "file_path": "/a", "message": {"type": "user", "content": "no"}});
        let content = match self.below(4) {
            0 => json!([{"type": "thinking", "thinking": text}]),
            1 => json!([{"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": nested}]),
            2 => {
                json!([{"type": "tool_use", "name": "Bash", "input": {}}, {"type": "text", "text": text}, {"type": "tool_use"}])
            }
            _ => self.content(&text),
        };
        let mut message = json!({"id": id, "type": "message", "role": "assistant", "content": content});
        if self.one_in(20) {
            message.as_object_mut().unwrap().remove("id");
        }
        let parent = self.parent();
        self.record("assistant", &parent, &json!({"message": message}));
    }

    fn tool_result(&mut self) {
        let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
        let said = format!("{refused} To tell you how to proceed, the user said:\n{}", self.text());
        let noted = format!("{said}\n\nNote: The user's next message may contain a correction: the user said:");
        let texts = [self.text(), refused.to_owned(), said, noted, format!("{refused} the user said: \n\nNote: no")];
        let text = self.pick(&texts);
        let forms = [
            json!(text),
            json!([{"type": "text", "text": text}]),
            json!([{"type": "image"}, {"text": text}, "no"]),
            json!(null),
        ];
        let mut block = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": self.pick(&forms)});
        block["is_error"] = self.pick(&[json!(true), json!(true), json!(false), json!(null), json!("true")]);
        let more = json!({"type": "text", "text": self.text()});
        let content = if self.one_in(8) { json!([block, block, more]) } else { json!([block]) };
        self.user(&content);
    }

    /// What looks like conversation and is none.
    fn aside(&mut self) {
        let mark = self.pick(&["isSidechain", "isMeta", "isCompactSummary"]);
        let failed =
            json!([{"type": "tool_result", "is_error": true, "content": "no"}, {"type": "tool_use", "name": "Bash"}]);
        let content = if self.one_in(3) { failed } else { json!(self.text()) };
        let kind = if mark == "isSidechain" { self.pick(&["user", "assistant"]) } else { "user" };
        let parent = self.parent();
        self.record(kind, &parent, &json!({mark: true, "message": {"id": self.ids.last(), "content": content}}));
    }

    /// A prompt typed in mid-turn; a user record may repeat it, and then no message goes on behind it.
    fn queue(&mut self) {
        let text = if self.one_in(6) { self.pick(WRAPPED).to_owned() } else { self.text() };
        let mut attachment = json!({"type": "queued_command", "commandMode": "prompt", "prompt": self.content(&text)});
        match self.below(8) {
            0 => attachment["commandMode"] = json!("task-notification"),
            1 => attachment["origin"] = json!({"kind": "task-notification"}),
            2 => attachment["origin"] = json!({"kind": "human"}),
            3 => attachment["type"] = json!("hook_success"),
            _ => {}
        }
        if self.one_in(2) {
            self.ids.clear();
            self.queued.push(text);
        }
        let parent = self.parent();
        self.record("attachment", &parent, &json!({"attachment": attachment}));
    }

    fn repeat(&mut self) {
        if let Some(text) = self.queued.pop() {
            let content = self.content(&format!("{text} \n"));
            self.user(&content);
        }
    }

    fn bookkeeping(&mut self) {
        let message = json!({"role": "user", "type": "user", "content": "a copy"});
        let (kind, members) = match self.below(6) {
            0 => (
                "system",
                json!({"subtype": "compact_boundary", "parentUuid": null, "logicalParentUuid": self.uuids.last()}),
            ),
            1 => (
                "progress",
                json!({"data": {"type": "agent_progress", "message": {"type": "user", "message": message}}}),
            ),
            2 => ("api-request-blob", json!({"message": message})),
            3 => ("user", json!({"message": "no object"})),
            4 => ("assistant", json!({"message": {"content": {"type": "text", "text": "no"}}})),
            _ => ("summary", json!({"summary": "user", "leafUuid": "uuid-1"})),
        };
        let parent = self.parent();
        self.record(kind, &parent, &members);
    }

    fn step(&mut self) {
        match self.below(24) {
            0..=4 => self.prompt(),
            5..=11 => self.assistant(),
            12..=14 => self.tool_result(),
            15 | 16 => self.aside(),
            17 | 18 => self.queue(),
            19 | 20 => self.repeat(),
            21 | 22 => self.bookkeeping(),
            _ => {
                let junk = self.pick(JUNK);
                self.out.extend(junk.bytes());
                self.out.push(b'\n');
            }
        }
    }

    fn file(seed: u64, steps: usize) -> Vec<u8> {
        let (envelope, mut maker) = (
            json!({}),
            Self {
                random: seed,
                out: vec![],
                count: 0,
                uuids: vec![],
                parents: vec![],
                ids: vec![],
                queued: vec![],
                envelope: json!({}),
            },
        );
        let entry = maker.pick(&["", "", "cli", "sdk-py", "local-agent", "claude-vscode"]);
        let source = maker.pick(&["", "", "typed", "queued", "sdk"]);
        maker.envelope = envelope;
        for (key, word) in [("entrypoint", entry), ("promptSource", source)] {
            if !word.is_empty() {
                maker.envelope[key] = json!(word);
            }
        }
        if maker.one_in(10) {
            maker.envelope["isSidechain"] = json!(true);
        }
        for kind in ["queue-operation", "permission-mode"] {
            if maker.one_in(2) {
                maker.record(kind, &Value::Null, &json!({}));
            }
        }
        for _ in 0..steps {
            maker.step();
        }
        if maker.one_in(2) {
            maker.out.extend(b"\n{\"type\":\"user\",\"message\":{\"content\":\"to");
        }
        maker.out
    }
}

#[test]
fn hostile_transcripts() {
    let mut seen = [0; 8];
    for seed in 0..200 {
        let steps = if seed % 20 == 0 { 1000 } else { 1 + usize::try_from(seed).unwrap() % 40 };
        let found = check_bytes(&Maker::file(seed, steps), &format!("seed {seed}"));
        let Totals { bad_lines, user_messages, abandoned, tool_uses, tool_errors, .. } = found.totals;
        let signs = [found.repeated as u64, u64::from(found.interactive), u64::from(!found.interactive)];
        let counts = [bad_lines, user_messages, abandoned, tool_uses, tool_errors].into_iter().chain(signs);
        seen.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    assert!(seen.iter().all(|sum| *sum > 10), "the generator has become tame: {seen:?}");
}
