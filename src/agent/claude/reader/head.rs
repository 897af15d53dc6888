//! What the head of a transcript tells, and a line of its end, without reading all of it.

use super::Reader;
use crate::agent::conversation::Keep;
use crate::agent::transcript_file::{HEAD_BYTES, stat};
use crate::base::clock;
use crate::json::lines::{self, LIMITS};
use crate::json::scan::Line;
use jiff::Timestamp;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How much of it is read at once.
const HEAD_BUFFER: usize = 8 << 10;
/// Fields that the records of a transcript have and ours have not: nearly each record has one of these.
const OWN_FIELDS: [&[u8]; 4] = [b"sessionId", b"parentUuid", b"leafUuid", b"messageId"];

/// Whether a text begins with a record of a transcript: one that has a type and one of its own fields, or is of a
/// type that has a message. Where the record is longer than the text, what is before its end counts.
pub fn is_record(bytes: &[u8]) -> bool {
    let line = Line::new(bytes);
    let (mut own, mut kind, mut message) = (false, None, false);
    let end = line.object(line.blank(0), |key, at| {
        own |= OWN_FIELDS.contains(&key);
        message |= key == b"message" && line.byte(at) == Some(b'{');
        let end = line.skip(at)?;
        if key == b"type" {
            kind = Some(line.word(&(at..end)));
        }
        Some(end)
    });
    match kind {
        Some(kind) => own || message && matches!(&*kind, b"user" | b"assistant"),
        None => own && end.is_none(),
    }
}

/// The session of the first record that names one.
pub fn session_id(bytes: &[u8]) -> Option<String> {
    bytes.split(|byte| *byte == b'\n').find_map(|line| {
        let (line, mut id) = (Line::new(line), None);
        let _ = line.object(line.blank(0), |key, at| {
            let end = line.skip(at)?;
            id = id.take().or_else(|| (key == b"sessionId").then(|| line.text(&(at..end)).into_owned()));
            Some(end)
        });
        id.filter(|id| !id.is_empty())
    })
}

/// The cwd of the first record near the head of a transcript that has one.
pub fn first_cwd(path: &Path) -> Option<String> {
    stat(path).ok()??;
    read(File::open(path).ok()?.take(HEAD_BYTES), Reader::cwd)
}

/// Reads the head of a transcript until something is found.
pub fn read(input: impl Read, found: impl Fn(&Reader) -> Option<&str>) -> Option<String> {
    let mut reader = Reader::new(Keep::Counts);
    let limits = lines::Limits { buffer: HEAD_BUFFER, ..LIMITS };
    lines::each_while(input, limits, |_, line, last| {
        reader.line(1, line, last);
        found(&reader).is_none()
    })
    .ok()?;
    found(&reader).map(str::to_owned)
}

/// When a line was said, if something is said in it.
pub fn said_at(line: &str) -> Option<Timestamp> {
    let record: Value = serde_json::from_str(line).ok()?;
    let said = matches!(record["type"].as_str(), Some("user" | "assistant")) && record["isMeta"] != true;
    if said { clock::parse(record["timestamp"].as_str()?) } else { None }
}
