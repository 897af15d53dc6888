//! A plain reader of transcripts that holds everything in memory and shares no rule with ours: what it
//! should do is written down here a second time, from lh-format(7), lh-messages(1) and lh-record(5), on
//! whole `serde_json` values. The tests and the fuzz target hold ours against it.

use lh::agent::transcript::{Conversation, Keep, Totals};
use lh::redact::private_parts;
use serde_json::{Deserializer, Value, json};
use std::collections::{HashMap, HashSet};
use std::iter;

/// A record with the number of its line.
type Rec = (u64, Value);

/// What the user said in a record, and how.
type Prompt = Option<(How, String)>;

#[derive(PartialEq)]
enum How {
    Typed,
    Refusing,
    Queued,
}

/// What the plain reader finds in a file.
pub struct Seen {
    /// Objects of role, text, line, uuid, time, abandoned.
    pub said: Vec<Value>,
    pub totals: Totals,
    /// Whether it is interactive, whether a subagent's.
    pub kind: [bool; 2],
    /// The first cwd, the last branch, the last time.
    pub envelope: [Option<String>; 3],
    /// How many queued prompts a user record repeats.
    pub repeated: usize,
}

/// Reads a transcript.
pub fn oracle(bytes: &[u8]) -> Seen {
    let (records, bad_lines) = records(bytes);
    let asks = asks(&records);
    let prompts: Vec<Prompt> = (0..)
        .zip(&records)
        .map(|(at, (_, json))| prompt(json, |id| asks.get(id).is_some_and(|ask| *ask < at)))
        .collect();
    let (repeated, abandoned) = (repeated(&prompts), abandoned(&records, &prompts));
    let (mut said, mut turn) = (Vec::new(), HashMap::new());
    for (at, (line, json)) in records.iter().enumerate().filter(|(at, _)| !repeated.contains(at)) {
        let message = |role, text: &str| {
            let [uuid, time] = ["/uuid", "/timestamp"].map(|key| Some(word(json, key)).filter(|word| !word.is_empty()));
            json!({"role": role, "text": text, "line": line, "uuid": uuid, "time": time, "abandoned": abandoned[at]})
        };
        if let Some((_, text)) = &prompts[at] {
            turn.clear();
            said.push(message("user", text));
        } else if json["type"] == "assistant" && !aside(json) {
            let id = json["message"]["id"].as_str().ok_or(at);
            let place = *turn.entry(id).or_insert(said.len());
            if place == said.len() {
                said.push(message("assistant", ""));
            }
            let so_far = said[place]["text"].as_str().unwrap().to_owned();
            if so_far.is_empty() {
                let mut part = message("", "");
                for key in ["line", "uuid"] {
                    said[place][key] = part[key].take();
                }
            }
            let texts = iter::once(so_far.as_str()).chain(texts(&json["message"]["content"]));
            let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
            said[place]["text"] = json!(texts.join("\n\n"));
        }
    }
    said.retain(|said| said["text"] != "");
    let totals = Totals { bad_lines, ..totals(&records, &said) };
    let speakers = records.iter().filter(|(_, json)| json["type"] == "user" || json["type"] == "assistant");
    let subagent =
        speakers.map(|(_, json)| json["isSidechain"] == true).collect::<HashSet<_>>() == HashSet::from([true]);
    let kind = [!subagent && interactive(&records, totals.user_messages), subagent];
    let words =
        |key: &'static str| records.iter().map(move |(_, json)| word(json, key)).filter(|word| !word.is_empty());
    let envelope = [words("/cwd").next(), words("/gitBranch").next_back(), words("/timestamp").next_back()];
    Seen { said, totals, kind, envelope: envelope.map(|word| word.map(str::to_owned)), repeated: repeated.len() }
}

/// The records, and how many lines hold something else. What stands behind the last newline may be
/// still being written, so it is never bad.
fn records(bytes: &[u8]) -> (Vec<Rec>, u64) {
    let (mut found, mut bad) = (Vec::new(), 0);
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        for value in Deserializer::from_str(&String::from_utf8_lossy(line)).into_iter::<Value>() {
            if let Some(json) = value.ok().filter(Value::is_object) {
                found.push((number, json));
            } else {
                bad += u64::from(line.ends_with(b"\n"));
                break;
            }
        }
    }
    (found, bad)
}

/// A string, "" for any other value.
pub fn word<'a>(json: &'a Value, pointer: &str) -> &'a str {
    json.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Subagents, what the client wrote, summaries: none of it is conversation.
fn aside(json: &Value) -> bool {
    let marked =
        ["isSidechain", "isMeta", "isApiErrorMessage", "isCompactSummary"].iter().any(|mark| json[*mark] == true);
    marked || word(json, "/message/model") == "<synthetic>"
}

fn blocks<'a>(content: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    content.as_array().into_iter().flatten().filter(move |block| block["type"] == kind)
}

fn texts(content: &Value) -> Vec<&str> {
    content.as_str().into_iter().chain(blocks(content, "text").map(|block| word(block, "/text"))).collect()
}

/// The first uses of the client's own tool that asks the user, by their ids.
fn asks(records: &[Rec]) -> HashMap<&str, usize> {
    let mut found = HashMap::new();
    for (at, (_, json)) in (0..).zip(records).filter(|(_, (_, json))| json["type"] == "assistant") {
        for block in blocks(&json["message"]["content"], "tool_use").filter(|use_| use_["name"] == "AskUserQuestion") {
            found.entry(word(block, "/id")).or_insert(at);
        }
    }
    found.remove("");
    found
}

fn prompt(json: &Value, asked: impl Fn(&str) -> bool) -> Prompt {
    let by_hand = |origin: &Value| matches!(word(origin, "/kind"), "" | "human");
    let (content, queue) = (&json["message"]["content"], &json["attachment"]);
    let in_queue = queue["type"] == "queued_command" && queue["commandMode"] == "prompt" && by_hand(&queue["origin"]);
    let in_queue = in_queue && by_hand(&json["origin"]) && queue["isMeta"] != true;
    let by_hand =
        by_hand(&json["origin"]) && !["system", "hook", "cron"].iter().any(|source| json["promptSource"] == *source);
    let by_hand = by_hand
        && json["rowSource"] != "hook"
        && json["rowSource"] != "harness"
        && json["isVisibleInTranscriptOnly"] != true;
    let (mut how, mut said, texts) = match word(json, "/type") {
        "user" if by_hand && !aside(json) => (How::Typed, Vec::new(), texts(content)),
        "attachment" if in_queue && !aside(json) => (How::Queued, Vec::new(), texts(&queue["prompt"])),
        _ => return None,
    };
    if how == How::Typed {
        said.extend(refusal(json, asked));
        how = if said.is_empty() { how } else { How::Refusing };
    }
    // Beside a tool's result no person types.
    let is_beside = how != How::Queued && blocks(content, "tool_result").next().is_some();
    said.extend(texts.into_iter().filter(|_| !is_beside).filter_map(typed));
    let text = said.join("\n\n");
    let is_plan =
        how == How::Typed && (json["planContent"].is_string() || text.starts_with("Implement the following plan:"));
    // Behind a plan the client says where the transcript is.
    let own = text.rsplit_once("\n\nIf you need specific details from before exiting plan mode").filter(|_| is_plan);
    let text = own.map_or(text.clone(), |(own, _)| own.trim_end().to_owned());
    (!said.is_empty()).then_some((how, text))
}

fn result(block: &Value) -> String {
    let parts = block["content"].as_array().into_iter().flatten().filter(|part| part.is_object());
    let parts: Vec<&str> = parts.map(|part| word(part, "/text")).collect();
    block["content"].as_str().map_or_else(|| parts.join("\n"), str::to_owned)
}

fn refused(block: &Value) -> bool {
    block["is_error"] == true && result(block).trim_start().starts_with("The user doesn't want to proceed")
}

/// What a person typed at a refusal: the client's own member beside one result that is an error, but not
/// of the tool that asks the user.
fn refusal(json: &Value, asked: impl Fn(&str) -> bool) -> Option<String> {
    let results: Vec<&Value> = blocks(&json["message"]["content"], "tool_result").collect();
    let [only] = results[..] else { return None };
    let refused = json["toolDenialKind"] == "user-rejected" && only["is_error"] == true;
    let words = word(json, "/userFeedback").trim();
    (refused && !words.is_empty() && !asked(word(only, "/tool_use_id"))).then(|| words.to_owned())
}

/// Texts that a machine writes as a whole, by how they begin.
pub const MACHINE: &str = "<local-command-|<task-notification|<bash-input|<bash-stdout|<bash-stderr|<teammate-message|\
    <ci-monitor-event|Caveat: The messages below were generated by the user|[Request interrupted|\
    [Image: |This session is being continued from a previous conversation|<channel source=|<tick>|<ultraplan>|\
    Another Claude session sent a message:|A background agent completed a task:|Base directory for this skill:|\
    Stop hook feedback:|UserPromptSubmit operation blocked by hook:";

/// Whether a machine wrote a text, by the shape of its first line: what it says of a hook, what SYSTEM says, and what is in
/// brackets alone, with a space in it and nothing below, or in capitals with a word of a machine's.
fn notice(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let loud = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    let hook = line.split_once(" hook ").is_some_and(|(event, rest)| {
        let named = ["Stop", "Notification"].contains(&event) || event.chars().filter(|c| c.is_uppercase()).count() > 1;
        let words = ["additional context", "blocking error", "feedback", "stopped continuation", "success"];
        let behind = words.iter().find_map(|said| rest.strip_prefix(said));
        let goes_on = |rest: &str| rest.starts_with(" from ") || rest.trim_start().starts_with([':', '(']);
        named && event.chars().all(|c| c.is_alphanumeric() || c == ':' || c == '_') && behind.is_some_and(goes_on)
    });
    let system = line.split_once(':').is_some_and(|(head, _)| {
        let mut words = head.split_whitespace();
        words.next() == Some("SYSTEM") && words.all(|word| word == "-" || loud(word))
    });
    let brackets = line.strip_prefix('[').and_then(|line| line.rsplit_once(']')).is_some_and(|(said, behind)| {
        let plain = said.split_whitespace().map(|word| word.trim_end_matches([':', ',']));
        let capitals: Vec<&str> = plain.take_while(|word| loud(word)).collect();
        let words = ["AGENT", "AUTOMATED", "BACKGROUND", "HOOK", "MONITOR", "NOTIFICATION", "REMINDER", "SYSTEM"];
        let machines = capitals.len() > 1 && capitals.iter().any(|word| words.contains(word));
        let alone = behind.trim().is_empty() && said.starts_with(char::is_uppercase) && !said.contains('#');
        let whole = said.contains(' ') && text.trim().len() == line.trim().len();
        said.starts_with("SYSTEM ") || alone && (machines || whole)
    });
    hook || system || brackets
}

/// The part of a prompt that a person typed. The client's elements may stand around it.
fn typed(text: &str) -> Option<String> {
    let mut text = text.trim_start();
    while let Some(behind) = behind_element(text) {
        text = behind.trim_start();
    }
    if text.starts_with("<command-name>") || text.starts_with("<command-message>") {
        let args = text.find("<command-args>")? + "<command-args>".len();
        text = text.get(args..text.rfind("</command-args>")?)?.trim();
    } else if MACHINE.split('|').any(|start| text.starts_with(start)) || notice(text) {
        return None;
    }
    let text = without_elements(text);
    let private = private_parts(&text);
    let hidden = |paste: &Paste| private.iter().any(|part| part.contains(&paste.begin));
    let text =
        with_labels(&text, |paste| if hidden(paste) { String::new() } else { text[paste.begin..paste.end].to_owned() });
    (!text.trim().is_empty()).then_some(text)
}

/// Elements that every client writes. Others are known by their names.
const ELEMENTS: [&str; 4] = ["system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"];

/// The name of an element that may be the client's, behind what begins or ends one.
fn element(text: &str) -> Option<&str> {
    let in_name = |c: char| c.is_ascii_lowercase() || c == '-' || c == '_';
    let (name, behind) = text.split_at(text.find(|c| !in_name(c)).unwrap_or(text.len()));
    let new = name.contains('-') && !name.contains('_') && !name.starts_with("command-");
    let ends = behind.is_empty() || behind.starts_with(['>', ' ', '\n']);
    (ends && (new || ELEMENTS.contains(&name))).then_some(name)
}

/// What is behind the element that a text begins with: nothing where the text ends with its end, too.
fn behind_element(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let name = ELEMENTS
        .into_iter()
        .find(|name| inner.starts_with(&format!("{name}>")) || inner.starts_with(&format!("{name} ")));
    let machine = MACHINE.split('|').any(|start| text.starts_with(start));
    let new = || element(inner).filter(|name| !machine && inner[name.len()..].starts_with(['>', ' ']));
    let name = name.or_else(|| new().filter(|name| text.contains(&format!("</{name}>"))))?;
    let end = format!("</{name}>");
    let whole = text.trim_end().ends_with(&end);
    Some(if whole { "" } else { text.split_once(&end).map_or("", |(_, behind)| behind) })
}

/// A prompt without the elements behind what was typed, each with all up to the last end of its name.
fn without_elements(text: &str) -> String {
    let pastes = pastes(text);
    let (mut left, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices('<') {
        let is_inside = pastes.iter().any(|paste| paste.begin >= done && (paste.begin..paste.end).contains(&at));
        let Some(name) = element(&text[at + 1..]).filter(|_| at >= done && !is_inside) else { continue };
        let ends = text.rmatch_indices("</").find(|(end, _)| element(&text[end + 2..]) == Some(name));
        let end = ends.filter(|(end, _)| *end > at).map(|(end, _)| text.len().min(end + name.len() + 3));
        let begins = text[..at].trim_end_matches([' ', '\t']).ends_with('\n');
        let last = |end: usize| text[end..].trim().is_empty() || text[end..].trim().starts_with('<');
        let end = match (ELEMENTS.contains(&name), end) {
            (true, None) => Some(text.len()).filter(|_| begins),
            (true, end) => end,
            (false, end) => end.filter(|end| begins && last(*end)),
        };
        if let Some(end) = end {
            left += &text[done..at];
            done = end;
        }
    }
    left += &text[done..];
    if done == 0 { left } else { left.trim_end().to_owned() }
}

/// Where a paste is in a prompt with its marks, and how many lines it has.
struct Paste {
    begin: usize,
    end: usize,
    lines: usize,
}

/// What the client marks as pasted: up to the last mark with the same id, else to the last one without an id.
fn pastes(text: &str) -> Vec<Paste> {
    let marks = |begins: &'static str| {
        text.match_indices(begins).filter_map(move |(at, _)| {
            let (end, id) = mark(&text[at + begins.len()..])?;
            Some((at, at + begins.len() + end, id))
        })
    };
    let ends: Vec<_> = marks("</pasted_content").collect();
    let mut found: Vec<Paste> = Vec::new();
    for (begin, behind, id) in marks("<pasted_content") {
        if found.last().is_some_and(|last| begin < last.end) {
            continue;
        }
        let last = |id: &str| ends.iter().rev().find(|end| end.2 == id).filter(|end| end.1 > begin);
        let open = || text[behind..].starts_with(['\n', '\r']).then_some((text.len(), text.len(), ""));
        if let Some((inner, end, _)) = last(id).or_else(|| last("")).copied().or_else(open) {
            let lines = text.get(behind..inner).unwrap_or_default().trim().lines().count();
            found.push(Paste { begin, end, lines });
        }
    }
    found
}

/// Where a mark ends behind its name, and the id in it. A sign in a value that is quoted ends no mark.
fn mark(text: &str) -> Option<(usize, &str)> {
    let line = text.as_bytes().iter().take(500).take_while(|byte| **byte != b'\n').enumerate();
    let (mut quote, mut first, mut outside) = (None, None, None);
    for (at, byte) in line {
        match byte {
            b'<' | b'>' => {
                first = first.or(Some(at));
                outside = outside.or(Some(at).filter(|_| quote.is_none()));
            }
            b'"' | b'\'' if quote.is_none() => quote = Some(byte),
            _ if quote == Some(byte) => quote = None,
            _ => {}
        }
    }
    let end = outside.or(first).filter(|end| text.as_bytes()[*end] == b'>')?;
    let said = &text[..end];
    let id = said.split_once("id=").map_or("", |(_, id)| id);
    let id = id.strip_prefix('"').map(|id| (id, '"')).or_else(|| Some((id.strip_prefix('\'')?, '\'')));
    let id = id.map_or("", |(id, quote)| id.split_once(quote).map_or(id, |(id, _)| id));
    (said.is_empty() || said.starts_with(' ')).then_some((end + 1, id))
}

/// A text with something in the place of each paste.
fn with_labels(text: &str, label: impl Fn(&Paste) -> String) -> String {
    let (mut all, mut done) = (String::new(), 0);
    for paste in pastes(text) {
        all += &text[done..paste.begin];
        all += &label(&paste);
        done = paste.end;
    }
    all + &text[done..]
}

/// The queued prompts that the typed prompts behind them repeat; another typed prompt ends the wait.
fn repeated(prompts: &[Prompt]) -> HashSet<usize> {
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
fn abandoned(records: &[Rec], prompts: &[Prompt]) -> Vec<bool> {
    let place: HashMap<_, _> = (0..).zip(records).map(|(at, (_, json))| (word(json, "/uuid"), at)).collect();
    let (mut last, mut rewound) = (HashMap::new(), HashSet::new());
    for (at, (_, json)) in records.iter().enumerate() {
        let parent = word(json, "/parentUuid");
        if !parent.is_empty() && prompts[at].as_ref().is_some_and(|(how, _)| *how == How::Typed) {
            rewound.extend(last.insert(parent, at));
        }
    }
    let above = |at: &usize| {
        let parents = ["/parentUuid", "/logicalParentUuid"].map(|key| word(&records[*at].1, key));
        place.get(parents.into_iter().find(|parent| !parent.is_empty())?).copied()
    };
    // The bound is for a record that is its own ancestor.
    let chain = |at| iter::successors(Some(at), above).take(records.len());
    (0..records.len()).map(|at| chain(at).any(|at| rewound.contains(&at))).collect()
}

fn totals(records: &[Rec], said: &[Value]) -> Totals {
    let main = || records.iter().map(|(_, json)| json).filter(|json| json["isSidechain"] != true);
    let count = |speaker: &str, kind: &'static str, counts: fn(&Value) -> bool| {
        let contents = main().filter(|json| json["type"] == speaker).map(|json| &json["message"]["content"]);
        contents.flat_map(|content| blocks(content, kind)).filter(|block| counts(block)).count() as u64
    };
    let typed: Vec<_> = said.iter().filter(|said| said["role"] == "user").map(|said| word(said, "/text")).collect();
    Totals {
        records: records.len() as u64,
        bad_lines: 0,
        messages: said.len() as u64,
        user_messages: typed.len() as u64,
        user_chars: typed.iter().map(|text| text.chars().count() as u64).sum::<u64>() + answered(records),
        abandoned: said.iter().filter(|said| said["abandoned"] == true).count() as u64,
        tool_uses: count("assistant", "tool_use", |_| true),
        tool_errors: count("user", "tool_result", |block| block["is_error"] == true && !refused(block)),
    }
}

/// Characters that were answered to the client's own questions.
fn answered(records: &[Rec]) -> u64 {
    let asks = asks(records);
    let mut chars = 0;
    for (_, json) in records.iter().filter(|(_, json)| json["type"] == "user" && !aside(json)) {
        for block in blocks(&json["message"]["content"], "tool_result").filter(|block| block["is_error"] != true) {
            let starts =
                ["User has answered your questions: ", "Your questions have been answered: ", "The user answered: "];
            if asks.contains_key(word(block, "/tool_use_id"))
                && starts.iter().any(|start| result(block).starts_with(start))
            {
                let given = json["toolUseResult"]["answers"].as_object();
                let notes = json["toolUseResult"]["annotations"].as_object();
                let said = given.into_iter().flatten().flat_map(|(question, said)| {
                    [said.as_str(), notes.and_then(|notes| notes.get(question)?["notes"].as_str())]
                });
                let said = said
                    .flatten()
                    .map(str::trim)
                    .filter(|said| !["(notes only)", "(no option selected)"].contains(said));
                let label = |paste: &Paste| {
                    format!("[pasted, {} line{}]", paste.lines, if paste.lines == 1 { "" } else { "s" })
                };
                chars += said.map(|said| with_labels(said, label).chars().count() as u64).sum::<u64>();
            }
        }
    }
    chars
}

/// The signs of a person, the strongest first.
fn interactive(records: &[Rec], prompts: u64) -> bool {
    let words = |key| records.iter().map(move |(_, json)| word(json, key)).filter(|word| !word.is_empty());
    let (entries, sources): (Vec<_>, Vec<_>) = (words("/entrypoint").collect(), words("/promptSource").collect());
    let either = entries.contains(&"local-agent");
    if entries.iter().any(|entry| *entry != "local-agent") {
        return entries.iter().any(|entry| !entry.starts_with("sdk") && *entry != "local-agent");
    }
    let typed = sources.contains(&"typed") || sources.contains(&"queued");
    if typed || sources.contains(&"sdk") && !either {
        return typed;
    }
    if either && prompts == 0 {
        return false;
    }
    let piped = records.first().is_some_and(|(_, json)| json["type"] == "queue-operation") && prompts <= 1;
    !piped || words("/type").any(|kind| kind == "permission-mode")
}

/// Holds what was found against it, reading little, more, or all.
pub fn agree(wanted: &Seen, found: &Conversation, keep: Keep, name: &str) {
    let kept: &[Value] = if keep == Keep::Counts { &[] } else { &wanted.said };
    let mut said = Vec::new();
    for one in found.messages.iter().filter(|message| message.is_conversation()) {
        let mut message = json!({"role": one.role.word(), "text": one.text, "line": one.line, "uuid": one.uuid});
        message["time"] = json!(one.time);
        message["abandoned"] = json!(one.marks.abandoned);
        said.push(message);
    }
    // The first that differs says more than all of them.
    let differs = said.iter().zip(kept).find(|(found, wanted)| found != wanted);
    assert_eq!(differs, None, "{name} {keep:?}: found, wanted");
    assert_eq!(found.totals, wanted.totals, "{name} {keep:?}");
    assert_eq!(said.len(), kept.len(), "{name} {keep:?}");
    assert_eq!([found.interactive, found.subagent], wanted.kind, "{name} {keep:?}: interactive, subagent");
    let envelope = [&found.cwd, &found.branch, &found.last_time];
    assert_eq!(envelope, wanted.envelope.each_ref(), "{name} {keep:?}: cwd, branch, time");
}
