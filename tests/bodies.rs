//! What the fuzz targets do, a function each: it takes any bytes and panics when something does not
//! hold. The targets below tests/fuzz/ and the test `fuzz_seeds` share them, so that they cannot drift.

use crate::forms::{Dice, OWN, secret};
use crate::oracle::{agree, oracle};
use lh::agent::transcript::{self, Conversation, Keep, ResumePoint};
use lh::base::config::Config;
use lh::base::front_matter::{self, FrontMatter};
use lh::base::{clock, text};
use lh::extract::{self, Earlier};
use lh::record::item::{Evidence, Item, ItemKind};
use lh::record::message::{Marks, Message, Role, ToolUse};
use lh::record::task::Task;
use lh::redact::{self, Redactor};
use lh::tool::distill;
use serde_json::{Deserializer, Value};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// A body and its name.
pub type Body = (&'static str, fn(&[u8]));

/// All of them.
pub const BODIES: &[Body] = &[
    ("transcript", transcript),
    ("grown", grown),
    ("answer", answer),
    ("front", front),
    ("task", task),
    ("config", config),
    ("redact", redact),
    ("extract", extract),
];

/// A transcript: whatever is kept, the totals are the same; of the lines that `serde_json` accepts is
/// found what the oracle finds; of the others not less, for ours looks away from what nobody reads.
pub fn transcript(bytes: &[u8]) {
    let keeps = [Keep::Counts, Keep::Conversation, Keep::Everything];
    let all = keeps.map(|keep| transcript::read_from(bytes, keep).unwrap());
    let [counted, ..] = &all;
    for found in &all {
        assert_eq!((&found.totals, &found.hash), (&counted.totals, &counted.hash), "the same whatever is kept");
        assert_eq!((found.interactive, found.subagent), (counted.interactive, counted.subagent));
        for message in &found.messages {
            let line = message.record("id", "").line();
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            serde_json::from_str::<Value>(&line).unwrap();
        }
    }
    let plain = oracle(bytes).totals;
    let (records, bad_lines) = (counted.totals.records, counted.totals.bad_lines);
    assert!(records >= plain.records && bad_lines <= plain.bad_lines, "{:?}, {plain:?}", counted.totals);

    let whole = accepted(bytes);
    let wanted = oracle(&whole);
    for keep in keeps {
        agree(&wanted, &transcript::read_from(&*whole, keep).unwrap(), keep, "what serde_json accepts");
    }
}

/// The lines that `serde_json` accepts.
fn accepted(bytes: &[u8]) -> Vec<u8> {
    let accepted = |line: &&[u8]| {
        let text = String::from_utf8_lossy(line);
        Deserializer::from_str(&text).into_iter::<Value>().all(|value| value.is_ok())
    };
    bytes.split_inclusive(|byte| *byte == b'\n').filter(accepted).collect::<Vec<_>>().concat()
}

/// A transcript that grows, an empty line between two readings: read on from each, or read whole where
/// that is asked for, it gives what it gives when it is read once. Only lines that `serde_json` accepts,
/// and no uuid twice: that the last one counts is more than a reading can know that goes on.
pub fn grown(bytes: &[u8]) {
    // In memory where that is: some disks wait for each file that is written anew.
    thread_local!(static FOLDER: tempfile::TempDir =
        tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap());
    let path = FOLDER.with(|folder| folder.path().join("session.jsonl"));
    let bytes = &*accepted(bytes);
    let text = String::from_utf8_lossy(bytes);
    let records = Deserializer::from_str(&text).into_iter::<Value>();
    let mut uuids = HashSet::new();
    if !records.filter_map(|record| record.ok()?["uuid"].as_str().map(str::to_owned)).all(|uuid| uuids.insert(uuid)) {
        return;
    }
    let mut file = File::create(&path).unwrap();
    let mut known: Option<(Vec<Message>, Conversation)> = None;
    let mut rest = bytes;
    for part in 1.. {
        let end = rest.windows(2).position(|pair| pair == b"\n\n").filter(|_| part < 4).map_or(rest.len(), |at| at + 2);
        file.write_all(&rest[..end]).unwrap();
        rest = &rest[end..];
        let (whole, wanted) = tell(&path, None).unwrap();
        as_read(&bytes[..bytes.len() - rest.len()], &whole, &wanted);
        known = known.and_then(|before| read_on(&path, before)).inspect(|(all, told)| same(all, told, &whole, &wanted));
        known = known.or(Some((whole, wanted)));
        if rest.is_empty() {
            break;
        }
    }
}

/// What was told before, and what is told from there on, as one; none when it is to be read whole.
fn read_on(path: &Path, (mut all, before): (Vec<Message>, Conversation)) -> Option<(Vec<Message>, Conversation)> {
    let (messages, told) = tell(path, Some(remembered(&before.mark?)))?;
    let abandoned = told.abandoned.iter().map(|number| number + all.len());
    let abandoned = before.abandoned.into_iter().chain(abandoned).collect();
    all.extend(messages);
    Some((all, Conversation { abandoned, ..told }))
}

fn tell(path: &Path, mark: Option<ResumePoint>) -> Option<(Vec<Message>, Conversation)> {
    let mut messages = Vec::new();
    let told = transcript::read_on(path, mark, &mut |message| {
        messages.push(message.clone());
        Ok(())
    });
    told.unwrap().map(|told| (messages, told))
}

/// A mark as it comes back from where it is kept.
fn remembered(mark: &ResumePoint) -> ResumePoint {
    serde_json::from_str(&serde_json::to_string(mark).unwrap()).unwrap()
}

fn same(found: &[Message], told: &Conversation, whole: &[Message], wanted: &Conversation) {
    assert_eq!(found, whole, "the messages, read on");
    assert_eq!(told.abandoned, wanted.abandoned, "what was abandoned, read on");
    assert_eq!(told.totals, wanted.totals, "the totals, read on");
    assert_eq!((told.interactive, told.subagent), (wanted.interactive, wanted.subagent), "the kind, read on");
    assert_eq!((&told.cwd, &told.branch, &told.last_time), (&wanted.cwd, &wanted.branch, &wanted.last_time), "read on");
    let cost = |told: &Conversation| told.facts.cost_usd.unwrap_or(-1.0);
    assert!((cost(told) - cost(wanted)).abs() <= cost(wanted).abs() * 1e-9, "the cost, read on");
    let mut facts = told.facts.clone();
    facts.cost_usd = wanted.facts.cost_usd;
    assert_eq!(facts, wanted.facts, "the facts, read on");
}

/// What is handed out message by message is what is read at once.
fn as_read(bytes: &[u8], whole: &[Message], told: &Conversation) {
    let found = transcript::read_from(bytes, Keep::Conversation).unwrap();
    let said: Vec<&Message> = found.messages.iter().filter(|message| message.is_conversation()).collect();
    let (texts, wanted): (Vec<_>, Vec<_>) =
        (whole.iter().map(|one| &one.text).collect(), said.iter().map(|one| &one.text).collect());
    assert_eq!(texts, wanted, "handed out, read at once");
    let numbered = said.iter().enumerate().filter(|(_, message)| message.marks.abandoned);
    assert_eq!(told.abandoned, numbered.map(|(number, _)| number).collect::<Vec<_>>(), "abandoned, read at once");
    assert_eq!((told.interactive, told.subagent), (found.interactive, found.subagent), "the kind, read at once");
    assert_eq!((&told.cwd, &told.branch, &told.last_time), (&found.cwd, &found.branch, &found.last_time));
}

/// A model's answer: what is made of it is made of itself again, and vouches for nothing.
pub fn answer(bytes: &[u8]) {
    let config = Config::default();
    let Ok(record) = distill::parse_answer(&String::from_utf8_lossy(bytes), &config) else { return };
    let line = record.text().into_owned();
    let again = distill::parse_answer(&line, &config).unwrap();
    assert_eq!(again.text(), line, "parsed again");
    let json: Value = serde_json::from_str(&line).unwrap();
    for kind in ItemKind::ALL {
        let items = json[kind.list()].as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(items.len() <= 50, "{line}");
        for item in items {
            let summary = ["summary", "title", "name"].iter().find_map(|name| item[*name].as_str());
            assert!(summary.is_some_and(|summary| !summary.trim().is_empty()), "{item}");
            assert!(item["id"].as_str().is_some_and(|id| id.len() == 16) && item["grounded"] == false, "{item}");
            let quotes = item["evidence"].as_array().unwrap();
            let bare = |quote: &Value| quote.as_object().is_some_and(|fields| fields.keys().eq(["quote"]));
            assert!(quotes.len() <= 8 && quotes.iter().all(bare), "{item}");
        }
    }
}

/// Front matter: read, and written and read.
pub fn front(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = FrontMatter::parse(&text);
    assert!(text.ends_with(&found.body), "the body stands at the end");
    for (key, value) in &found.fields {
        assert!(found.get(key).is_some() && !key.contains([':', '\n']), "{key}: {value}");
    }
    if text.len() > 2000 {
        return;
    }
    let items: Vec<String> = text.lines().map(str::to_owned).collect();
    let written = [front_matter::quoted(&text), front_matter::plain(&text), front_matter::quoted_list(&items)];
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    assert!(!written.iter().any(|value| value.contains(odd)), "{written:?}");
    let [quoted, plain, list] = &written;
    let back = FrontMatter::parse(&format!("---\nquoted: {quoted}\nplain: {plain}\nlist: {list}\n---\n{text}"));
    assert_eq!((back.get("quoted"), back.get("plain")), (Some(&*text), Some(&*text)));
    assert_eq!(serde_json::from_str::<Vec<String>>(back.get("list").unwrap()).unwrap(), items);
    assert_eq!(back.body, text);
}

/// A task file: written and read again it says the same, to the second.
pub fn task(bytes: &[u8]) {
    let Ok(task) = Task::parse(bytes) else { return };
    let text = task.text();
    let back = Task::parse(text.as_bytes()).unwrap();
    assert_eq!(back.text(), text, "written twice");
    let paths = |task: &Task| [task.cwd.clone(), task.transcript.clone(), task.memory_dir.clone()];
    assert_eq!(paths(&back), paths(&task));
    assert_eq!(back.others, task.others);
    assert_eq!((back.attempts, &*back.event), (task.attempts, &*text::one_line(&task.event)), "{text}");
    for (back, time) in [(back.queued_at, task.queued_at), (back.not_before, task.not_before)] {
        assert_eq!(back.map(clock::local), time.map(clock::local), "{text}");
    }
}

/// A configuration: what does not parse has a place inside the text.
pub fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Config::parse(&text) {
        Ok(config) => {
            let keys = config.unknown_keys();
            assert!(keys.iter().all(|key| key.starts_with('[')), "{keys:?}");
            config.classify(&text);
        }
        Err(why) => {
            let mut parts = why.splitn(3, ':');
            let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok()).unwrap();
            let (line, column) = (number(), number());
            let chars = text.split('\n').nth(line - 1).map(|line| line.chars().count());
            assert!(chars.is_some_and(|chars| (1..=chars + 1).contains(&column)), "{why}");
            assert!(parts.next().is_some_and(|what| !what.trim().is_empty()), "{why}");
        }
    }
}

/// A text with secrets, for which `\x01` and a byte stand: masked it has no secret, masked again it is
/// the same.
pub fn redact(bytes: &[u8]) {
    thread_local!(static REDACTOR: Redactor = Redactor::new(&Config::default().privacy).unwrap());
    let text = with_secrets(bytes);
    REDACTOR.with(|redactor| {
        let mut done = 0;
        for found in redactor.find(&text) {
            assert!(done <= found.start && found.start < found.end && found.end <= text.len(), "{found:?}");
            done = found.end;
        }
        let masked = redactor.redact_bytes(&text);
        let shown = || String::from_utf8_lossy(&masked).into_owned();
        assert_eq!(String::from_utf8_lossy(&redactor.redact_bytes(&masked)), shown(), "masked twice");
        if let Ok(text) = std::str::from_utf8(&text) {
            assert_eq!(redactor.redact(text), std::str::from_utf8(&masked).unwrap());
        }
    });
    let text = String::from_utf8_lossy(bytes);
    assert!(redact::without_private(&text).len() <= text.len());
}

fn with_secrets(bytes: &[u8]) -> Vec<u8> {
    let mut dice = Dice(0x5eed);
    let mut out = Vec::new();
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            1 => {
                let form = &OWN[usize::from(rest.next().copied().unwrap_or_default()) % OWN.len()];
                out.extend(secret(&mut dice, form.template).0.into_bytes());
            }
            byte => out.push(*byte),
        }
    }
    out
}

/// A conversation: what is found in it says something, and each of its quotes stands where it says.
pub fn extract(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Talk { messages, earlier } = talk(&text);
    let found = extract::extract(&messages, &Earlier { items: &earlier, ..Earlier::default() });
    for Item { summary, evidence, .. } in &found.items {
        assert!(!evidence.is_empty(), "{summary:?}: no evidence");
        for quote in evidence {
            assert!(stands(quote, &messages, &earlier), "{summary:?}: {quote:?} stands nowhere");
        }
    }
}

fn stands(evidence: &Evidence, messages: &[Message], earlier: &[String]) -> bool {
    let Evidence { quote, line, said_by, .. } = evidence;
    if said_by.as_deref() == Some("handoff") {
        return earlier.contains(quote);
    }
    let there = |message: &Message| {
        Some(message.line) == *line
            && Some(message.role.word()) == said_by.as_deref()
            && (!message.marks.abandoned && message.text.contains(quote)
                || extract::todo_texts(message).is_some_and(|texts| texts.contains(quote)))
    };
    !quote.is_empty() && messages.iter().any(there)
}

/// A conversation, and what was open before it.
#[derive(Default)]
struct Talk {
    messages: Vec<Message>,
    earlier: Vec<String>,
}

/// Reads a conversation: a message begins with a letter and a colon, other lines go on with it. `U` the
/// user, `A` the agent, `E` a tool's error, `R` a tool's result, `T` the name of a tool that the agent
/// used and its input, `X` and `Y` the user and the agent, abandoned, `S` a subagent. `H` is an item
/// that was open before.
fn talk(script: &str) -> Talk {
    let mut talk = Talk::default();
    for line in script.split('\n') {
        let (who, text) = line.split_once(": ").unwrap_or(("", line));
        let role = match who {
            "U" | "X" => Role::User,
            "A" | "T" | "Y" | "S" => Role::Assistant,
            "E" | "R" => Role::Tool,
            "H" => {
                talk.earlier.push(text.to_owned());
                continue;
            }
            _ => {
                if let Some(message) = talk.messages.last_mut() {
                    message.text.push('\n');
                    message.text.push_str(line);
                }
                continue;
            }
        };
        let number = u64::try_from(talk.messages.len()).unwrap() + 1;
        let (name, input) = text.split_once(' ').unwrap_or((text, ""));
        let tool = ToolUse {
            name: name.to_owned(),
            action: lh::agent::tools::action(name, input.len(), || input.to_owned()),
            ..ToolUse::default()
        };
        talk.messages.push(Message {
            role,
            text: if who == "T" { String::new() } else { text.to_owned() },
            time: None,
            line: number,
            uuid: Some(format!("u{number}")),
            tools: if who == "T" { vec![tool] } else { Vec::new() },
            is_error: who == "E",
            answers: Vec::new(),
            plan: false,
            command: None,
            tool_use_id: None,
            marks: Marks { abandoned: matches!(who, "X" | "Y"), sidechain: who == "S", ..Marks::default() },
        });
    }
    talk
}
