//! Claude Code's hooks: the events, what they are told on standard input, and how an answer reaches the model.

use super::tools;
use crate::agent::payload::{Moment, Payload};
use crate::base::config::{Config, Select};
use crate::base::exit::Failure;
use crate::base::record::{self, Record};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The events that we hook into, in the order of a session, each with its script.
pub const ALL: [(&str, &str); 8] = [
    (START, "lh-hook-session-start"),
    (PROMPT, "lh-hook-prompt"),
    (TOOL, "lh-hook-tool"),
    (TOOL_FAILED, "lh-hook-tool"),
    ("PreCompact", "lh-hook-pre-compact"),
    ("Stop", "lh-hook-stop"),
    (STOP_FAILURE, "lh-hook-stop"),
    ("SessionEnd", "lh-hook-session-end"),
];
const START: &str = "SessionStart";
const PROMPT: &str = "UserPromptSubmit";
/// Before a tool is used, and when it failed.
const TOOL: &str = "PreToolUse";
const TOOL_FAILED: &str = "PostToolUseFailure";
/// In place of a Stop, where the API refused to go on.
pub const STOP_FAILURE: &str = "StopFailure";
/// The first client that can be given it, which knows all others: an older one skips the whole file of settings with an event that it does not
/// know.
const KNOWS_STOP_FAILURE: [u32; 3] = [2, 1, 101];
/// The client itself.
pub const PROGRAM: &str = "claude";
/// The setting that switches all hooks off.
pub const SWITCH: &str = "disableAllHooks";

/// Whether the client of a version knows [`STOP_FAILURE`], by what `claude --version` prints.
pub fn knows_stop_failure(version: &str) -> bool {
    let numbers = version.split_whitespace().next().unwrap_or_default().split('.').map(str::parse::<u32>);
    numbers.collect::<Result<Vec<_>, _>>().is_ok_and(|numbers| numbers.as_slice() >= &KNOWS_STOP_FAILURE[..])
}

/// Those of [`ALL`] that a configuration needs, where a client knows [`STOP_FAILURE`] or not: at a prompt only if memories
/// are chosen for it. Without that one only the profiles of skills are not told.
pub fn needed(config: &Config, knows: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let selects = config.memory.select != Select::Off;
    put_in(config, knows).filter(move |(event, _)| *event != PROMPT || selects)
}

/// Those that are put in: they, and that at a prompt.
pub fn put_in(config: &Config, knows: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let at_tool = config.memory.at_tool;
    ALL.into_iter().filter(move |(event, _)| match *event {
        STOP_FAILURE => knows,
        TOOL => at_tool,
        TOOL_FAILED => at_tool && knows,
        _ => true,
    })
}

/// The tools at which an event is of interest, as a matcher names them; None for an event of another kind.
pub fn matcher(event: &str) -> Option<&'static str> {
    match event {
        TOOL => Some(tools::EDITS),
        TOOL_FAILED => Some(tools::RUN),
        _ => None,
    }
}

/// Reads a payload; an empty one has no field. Status 65 when it is not a JSON object.
pub fn payload(bytes: &[u8]) -> Result<Payload, Failure> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Payload::default());
    }
    let wrong = |error| Failure::data(format!("stdin: the payload is not JSON: {}", record::fault(&error)));
    serde_json::from_slice::<IgnoredAny>(bytes).map_err(wrong)?;
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(Failure::data("stdin: the payload is not an object: expected a JSON object"));
    }
    // Not as a value: of a large field that we do not know that would take many times its size.
    let fields: Record = serde_json::from_slice(bytes).map_err(wrong)?;
    let text = |name: &str| fields.text(name).filter(|text| !text.is_empty());
    Ok(Payload {
        session_id: text("session_id"),
        transcript: text("transcript_path"),
        cwd: text("cwd").map(PathBuf::from),
        event: text("hook_event_name"),
        prompt: text("prompt"),
        file: file(&fields),
        failed: failed(&fields),
        moment: match text("source").as_deref() {
            Some("resume" | "fork") => Moment::Resume,
            Some("compact") => Moment::Compact,
            _ => Moment::Fresh,
        },
    })
}

/// Whether an event is about the use of a tool.
pub fn is_of_tool(event: &str) -> bool {
    matches!(event, TOOL | TOOL_FAILED)
}

/// What a tool is given that the payload tells of, at this event, if it is one of these tools.
fn given(fields: &Record, event: &str, tools: &str) -> Option<Record> {
    let name = fields.text("tool_name")?;
    let is_it = fields.text("hook_event_name")? == event && tools.split('|').any(|known| known == name);
    is_it.then(|| fields.get("tool_input"))?
}

/// The file that a tool is about to change.
fn file(fields: &Record) -> Option<PathBuf> {
    let input = given(fields, TOOL, tools::EDITS)?;
    input.text("file_path").or_else(|| input.text("notebook_path")).map(PathBuf::from)
}

/// The command line that a tool ran and that failed, and what it printed; not where the user ended it.
fn failed(fields: &Record) -> Option<(String, String)> {
    let input = given(fields, TOOL_FAILED, tools::RUN).filter(|_| fields.get("is_interrupt") != Some(true))?;
    Some((input.text("command")?, fields.text("error")?))
}

/// Whether an input is a payload: it has a session's id or an event. Status 65 for other JSON, and for some that was cut
/// off: it is no text that a person wrote.
pub fn is_payload(bytes: &[u8]) -> Result<bool, Failure> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    let begins = bytes.trim_ascii_start().first();
    let is_json = matches!(begins, Some(b'{' | b'['))
        && values.all(|value| value.as_ref().map_or_else(serde_json::Error::is_eof, |_| true));
    if !is_json {
        return Ok(false);
    }
    let Payload { session_id, event, .. } = payload(bytes)?;
    if session_id.is_none() && event.is_none() {
        let what = "JSON without 'session_id' and 'hook_event_name': expected a hook's payload, or a text";
        return Err(Failure::data(format!("stdin: {what}")));
    }
    Ok(true)
}

/// What the agent would write for a payload of a new session.
pub fn written(payload: &Payload) -> String {
    let Payload { session_id, transcript, cwd, event, .. } = payload;
    let fields = json!({"session_id": session_id, "transcript_path": transcript, "cwd": cwd, "hook_event_name": event, "source": "startup"});
    fields.to_string()
}

/// The answer of the hook at a session's start: what the model reads, if anything, and the line that the user sees.
pub fn start_answer(context: &str, banner: &str) -> String {
    let mut answer = if context.is_empty() { json!({}) } else { for_model(START, context) };
    answer["systemMessage"] = banner.into();
    answer.to_string()
}

/// The answer of the hook at a prompt: what the model reads.
pub fn prompt_answer(context: &str) -> String {
    for_model(PROMPT, context).to_string()
}

/// The answer of the hook beside the use of a tool: what the model reads with the tool's result.
pub fn tool_answer(failed: bool, context: &str) -> String {
    for_model(if failed { TOOL_FAILED } else { TOOL }, context).to_string()
}

fn for_model(event: &str, context: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}})
}

/// What the model reads of the answer at a start; None when it reads nothing.
pub fn told(answer: &Value) -> Option<&str> {
    let specific = answer.get("hookSpecificOutput").filter(|specific| specific["hookEventName"] == START)?;
    specific["additionalContext"].as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_read_field_by_field() {
        let text = br#"{"session_id":"s","transcript_path":"~/t.jsonl","cwd":"","hook_event_name":"Stop","prompt":"do it","source":"fork","x":1}"#;
        let wanted = Payload {
            session_id: Some("s".to_owned()),
            transcript: Some("~/t.jsonl".to_owned()),
            cwd: None,
            event: Some("Stop".to_owned()),
            prompt: Some("do it".to_owned()),
            moment: Moment::Resume,
            ..Payload::default()
        };
        assert_eq!(payload(text).unwrap(), wanted);
        assert_eq!(payload(b" \n").unwrap(), Payload::default());
        for (source, moment) in [("compact", Moment::Compact), ("startup", Moment::Fresh), ("clear", Moment::Fresh)] {
            assert_eq!(payload(json!({"source": source}).to_string().as_bytes()).unwrap().moment, moment);
        }
        for bad in [&b"[]"[..], b"7", b"{", b"\xff"] {
            assert!(payload(bad).is_err(), "{bad:?}");
        }
        let new = Payload { moment: Moment::Fresh, prompt: None, ..wanted };
        assert_eq!(payload(written(&new).as_bytes()).unwrap(), new);
    }

    #[test]
    fn only_a_client_that_knows_an_event_is_given_it() {
        for version in ["2.1.331 (Claude Code)\n", "2.1.101 (Claude Code)", "3.0.0"] {
            assert!(knows_stop_failure(version), "{version}");
        }
        for version in ["2.1.100 (Claude Code)", "2.0.999", "Claude 2.1.331", ""] {
            assert!(!knows_stop_failure(version), "{version}");
        }
    }
}
