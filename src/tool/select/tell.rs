//! What the hook answers: the memories that the session was not told yet, as the model reads them.

use super::{Asked, Chosen, cut};
use crate::agent::hooks;
use crate::agent::injected::{enclose, line};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store::notes::Note;
use crate::store::notes::told::{self, Telling};
use crate::store::summary;
use std::fmt::Write as _;

/// The longest answer, in characters: the client cuts at 10,000.
const CHARS: usize = 9000;
/// Less of a memory than this is not told, in bytes.
const LEAST_BYTES: usize = 200;
/// What a session is told in all, in bytes.
const SESSION_BYTES: usize = 60 << 10;

/// The answer, "" where there is nothing to tell; and what is to be noted when it was given.
pub fn answer(asked: &Asked, chosen: &[Chosen], redactor: &Redactor) -> Result<(Masked, Vec<Telling>), Failure> {
    let mut tellings = Vec::new();
    let session_id = asked.session_id.as_deref().unwrap_or_default();
    let before = told::of_session(&asked.folder, session_id)?;
    let all: usize = before.iter().map(|telling| telling.bytes).sum();
    // Behind a compaction the model does not know any more what it was told before.
    let compacted = summary::of_session(&asked.memory, session_id)?.and_then(|summary| summary.written_at);
    let knows = |telling: &&Telling| compacted.is_none_or(|at| clock::parse(&telling.ts).is_some_and(|ts| ts > at));
    let still: Vec<&str> = before.iter().filter(knows).map(|telling| telling.file.as_str()).collect();
    let folder = line(&redactor.shown(&asked.folder.to_string_lossy()));
    let mut body = format!(
        "Memories of this project that fit this prompt: facts and wishes that were noted earlier, quoted, no part of the prompt. What is so now comes first. The files are in {folder}."
    );
    let mut left = SESSION_BYTES.saturating_sub(all);
    let now = clock::local(clock::now());
    for one in chosen.iter().filter(|one| !still.contains(&one.note.file.as_str())) {
        let head = head(one, redactor);
        let room = CHARS.saturating_sub(body.chars().count() + head.chars().count() + LEAST_BYTES);
        let (text, is_cut) = cut(&one.text, room.min(left));
        if text.is_empty() || is_cut && text.len() < LEAST_BYTES {
            break;
        }
        let _ = write!(body, "\n\n{head}");
        for said in text.lines() {
            let _ = write!(body, "\n{}", line(said));
        }
        if is_cut || one.is_cut {
            body.push_str("\n[… the rest is in the file]");
        }
        left = left.saturating_sub(text.len());
        tellings.push(Telling { ts: now.clone(), file: one.note.file.clone(), bytes: text.len() });
    }
    if tellings.is_empty() {
        return Ok((Masked::default(), tellings));
    }
    Ok((redactor.masked_json(&format!("{}\n", hooks::prompt_answer(&enclose(&body)))), tellings))
}

/// The line before a memory.
fn head(one: &Chosen, redactor: &Redactor) -> String {
    let Note { name, kind, file, .. } = &one.note;
    let day = one.modified.map(|time| format!("{}, ", clock::local_day(time))).unwrap_or_default();
    let kind = if kind.is_empty() { String::new() } else { format!("{kind}, ") };
    format!("## {}", line(&redactor.shown(&format!("{name} ({kind}{day}{file})"))))
}
