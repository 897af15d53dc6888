//! The client's history of what was typed, one line a prompt for all projects. It survives the transcripts, which the
//! client deletes.
//!
//! A line is an object: `display` is what was typed, `project` the folder, `timestamp` milliseconds since 1970,
//! `sessionId` the session, which older clients did not write, `pastedContents` what was pasted.

use super::layout;
use crate::base::exit::Failure;
use crate::base::file;
use crate::json::lines::{self, LIMITS};
use crate::record::session;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longer paths are ignored.
const PATH_BYTES: usize = 4096;

/// One prompt that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedPrompt {
    /// What was typed, with what was pasted where it is kept. It is not masked.
    pub text: String,
    /// When; none where the line has no time that can be.
    pub time: Option<Timestamp>,
    /// Where.
    pub cwd: PathBuf,
    /// In which session; none in old lines.
    pub session_id: Option<String>,
}

#[derive(Deserialize)]
struct HistoryLine {
    display: String,
    project: String,
    #[serde(default)]
    timestamp: Value,
    #[serde(default, rename = "sessionId")]
    session_id: Option<String>,
    #[serde(default, rename = "pastedContents")]
    pasted: Value,
}

/// Gives each prompt of a home to `act`, in the order of the file; gives how many lines could not be read. No file is
/// an empty one, and what is not a regular file is status 65.
pub fn each_prompt(home: &Path, act: &mut dyn FnMut(TypedPrompt) -> Result<(), Failure>) -> Result<u64, Failure> {
    let path = layout::history(home);
    let Some(input) = file::open(&path)? else { return Ok(0) };
    let (mut bad, mut failed) = (0_u64, None);
    lines::each_while(input, LIMITS, |_, line, last| {
        match read(line) {
            ReadLine::Prompt(prompt) => failed = act(prompt).err(),
            // The client may be writing it.
            ReadLine::Bad if !last => bad += 1,
            ReadLine::Bad | ReadLine::Other => {}
        }
        failed.is_none()
    })
    .map_err(Failure::at(&path))?;
    failed.map_or(Ok(bad), Err)
}

enum ReadLine {
    Prompt(TypedPrompt),
    /// What no prompt is: a command of the client or of the shell.
    Other,
    Bad,
}

fn read(bytes: &[u8]) -> ReadLine {
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return ReadLine::Other;
    }
    // A derived struct takes a list for an object.
    let Some(line) = serde_json::from_str::<HistoryLine>(&text).ok().filter(|_| text.trim_start().starts_with('{'))
    else {
        return ReadLine::Bad;
    };
    let time = line.timestamp.as_i64().and_then(|time| Timestamp::from_millisecond(time).ok());
    let session_id = line.session_id.filter(|id| !id.is_empty());
    let known = session_id.as_ref().map_or(time.is_some(), |id| session::safe_id(id) == *id);
    if !known || line.project.is_empty() || line.project.len() > PATH_BYTES {
        return ReadLine::Bad;
    }
    if !is_prompt(&line.display) {
        return ReadLine::Other;
    }
    let text = with_pasted(line.display, &line.pasted);
    ReadLine::Prompt(TypedPrompt { text, time, cwd: PathBuf::from(line.project), session_id })
}

/// Whether a person speaks to the agent: not a command of the client without words behind it, and not one of the shell.
fn is_prompt(text: &str) -> bool {
    let text = text.trim();
    let is_command = text.strip_prefix('/').is_some_and(|name| !name.contains(|c: char| c.is_whitespace() || c == '/'));
    !text.is_empty() && !is_command && !text.starts_with('!')
}

/// What was typed, with the texts that were pasted in the place of their marks, as far as they are there.
fn with_pasted(mut text: String, pasted: &Value) -> String {
    let entries: BTreeMap<&String, &Value> = pasted.as_object().into_iter().flatten().collect();
    for (id, entry) in entries {
        let Some(content) = entry.get("content").and_then(Value::as_str) else { continue };
        let mark = format!("[Pasted text #{id}");
        let found = text.match_indices(&mark).find_map(|(at, _)| {
            let (more, _) = text[at + mark.len()..].split_once(']')?;
            (more.is_empty() || more.starts_with(' ')).then(|| at..at + mark.len() + more.len() + 1)
        });
        if let Some(found) = found {
            text.replace_range(found, content);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use serde_json::json;

    #[test]
    fn a_line_is_a_prompt_or_a_command_or_rubbish() {
        for [line, wanted] in rows(include_str!("history.tsv")) {
            let found = match read(format!("{line}\r\n").as_bytes()) {
                ReadLine::Prompt(TypedPrompt { text, session_id, time, .. }) => {
                    let (id, time) = (session_id.unwrap_or_default(), time.map(|time| time.to_string()));
                    format!("prompt '{text}' of '{id}' at '{}'", time.unwrap_or_default())
                }
                ReadLine::Other => "other".to_owned(),
                ReadLine::Bad => "bad".to_owned(),
            };
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn what_was_pasted_is_in_its_place() {
        let pasted = json!({"1": {"id": 1, "type": "text", "content": "error: [Pasted text #2]"}, "2": {"contentHash": "ab"},
            "11": {"content": "eleven"}});
        let text = |text: &str| with_pasted(text.to_owned(), &pasted);
        assert_eq!(text("see [Pasted text #1 +20 lines] why"), "see error: [Pasted text #2] why");
        assert_eq!(text("[Pasted text #11][Pasted text #2 +3 lines]"), "eleven[Pasted text #2 +3 lines]");
        assert_eq!(text("[Pasted text #1"), "[Pasted text #1");
        assert_eq!(with_pasted("x".to_owned(), &json!([])), "x");
    }
}
