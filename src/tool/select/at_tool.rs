//! What is told beside the use of a tool: before a file is edited, the decision or the failure that names it; when a
//! command failed as one did in an earlier session, what passed then. Each is told once a session, and in doubt nothing is.

use crate::agent::hooks;
use crate::agent::injected::{enclose, line};
use crate::agent::payload::Payload;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::{clock, file, text};
use crate::extract::fixes::Failed;
use crate::record::item::{self, Item, ItemKind};
use crate::record::session::short_id;
use crate::redact::{Redactor, without_private};
use crate::store::Memory;
use crate::store::journal::{self, Entry};
use crate::store::kept::{self, FixLine, Kept};
use crate::store::memories::told::{self, ToldOnce};
use crate::tool::context::Start;
use std::path::{Path, PathBuf};

/// The most that is told, in bytes.
const BYTES: usize = 400;
/// Characters of a command that failed.
const FAILED_CHARS: usize = 60;
/// So much of the transcript's head has what its start was told.
const HEAD_BYTES: u64 = 256 << 10;
/// Pairs that are looked at.
const FIXES: usize = 200;

/// What is told, and under which name that is noted; where there is something.
type Hint = Option<(String, String)>;

/// The hook's answer to a payload, which was `read`, and what is to be noted behind it; None where there is nothing to tell.
pub fn answer(
    read: &Payload,
    payload: &[u8],
    config: &Config,
    redactor: &Redactor,
) -> Result<Option<(Masked, Memory, ToldOnce)>, Failure> {
    let is_asked = read.file.is_some() || read.failed.is_some();
    let Some(session_id) = read.session_id.as_deref().filter(|_| is_asked) else { return Ok(None) };
    let start = Start::read(payload, config)?;
    let memory = Memory::of(&start.session, config)?;
    let failed = || read.failed.as_ref().and_then(|(command, error)| Failed::read(command, error, redactor));
    let found = match &read.file {
        Some(path) => on_file(path, &start, &memory, redactor)?,
        None => failed().map_or(Ok(None), |failed| passed_then(&failed, session_id, &memory))?,
    };
    let Some((name, says)) = found else { return Ok(None) };
    let mut known = told::of_session(memory.notes(), session_id, "lh-select").into_iter();
    if known.any(|telling| telling.file == name) {
        return Ok(None);
    }
    let context = enclose(&redactor.shown(&says));
    if context.len() > BYTES {
        return Ok(None);
    }
    let answer = redactor.masked_json(&format!("{}\n", hooks::tool_answer(read.failed.is_some(), &context)));
    let telling = ToldOnce { ts: clock::local(clock::now()), file: name, bytes: context.len() };
    Ok(Some((answer, memory, telling)))
}

/// The newest decision or failure that names a file.
fn on_file(path: &Path, start: &Start, memory: &Memory, redactor: &Redactor) -> Result<Hint, Failure> {
    // Of a link both names count: its own, and that of the file to which it leads.
    let named = path.parent().zip(path.file_name()).map(|(folder, name)| file::real_path(folder).join(name));
    let below = |path: PathBuf| path.strip_prefix(start.top()).ok().and_then(Path::to_str).map(str::to_owned);
    let mut paths: Vec<String> = named.into_iter().chain([file::real_path(path)]).filter_map(below).collect();
    paths.dedup();
    let mut newest: Option<Entry> = None;
    for (path, kind) in paths.iter().flat_map(|path| [ItemKind::Decision, ItemKind::Failure].map(|kind| (path, kind))) {
        let name = path.rsplit('/').next().unwrap_or(path);
        for entry in journal::having(&memory.journal(kind, true), kind, name)? {
            let is_newer = newest.as_ref().is_none_or(|known| entry.time > known.time);
            let holds = entry.holds() && entry.item.grounded;
            if is_newer && holds && names(&own_words(&entry.item), path, start) {
                newest = Some(entry);
            }
        }
    }
    let Some(entry) = newest else { return Ok(None) };
    let id = entry.id().into_owned();
    // At a start it is told with its id.
    let mark = format!("({})", item::short_id(&id));
    if file::read_head(&start.session.transcript, HEAD_BYTES)?.contains(&mark) {
        return Ok(None);
    }
    let says = told_of(&entry, &mark, start, redactor);
    Ok(says.map(|says| (format!("{}#{id}", journal::name(entry.item.kind, true)), says)))
}

/// What an item says itself, without its quotes, and without what is private.
fn own_words(item: &Item) -> String {
    let Item { summary, context, rationale, root_cause, resolution, prevention, .. } = item;
    let all = [summary, context, rationale, root_cause, resolution, prevention];
    all.map(|text| without_private(text).into_owned()).join("\n")
}

/// Whether a text names a file of the checkout: by its path, or by the end of that where no other file has it.
fn names(says: &str, path: &str, start: &Start) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-./+@~".contains(c);
    let is_below = |whole: &str, end: &str| whole.strip_suffix(end).is_some_and(|above| above.ends_with('/'));
    let above = |whole: &str| {
        whole.strip_suffix(path).is_some_and(|above| above.ends_with(&format!("{}/", start.session.project)))
    };
    says.split(|c: char| !is_part(c))
        .map(|written| written.trim_end_matches('.').trim_start_matches("./"))
        .any(|written| written == path || above(written) || is_below(path, written) && start.is_only(path, written))
}

/// An item as it is told: what it is, its day and id, and of what it says as much as there is room for; none where there
/// is not enough.
fn told_of(entry: &Entry, mark: &str, start: &Start, redactor: &Redactor) -> Option<String> {
    let item = &entry.item;
    let day = entry.time.map_or_else(String::new, |time| format!(" {}", clock::local_day(time)));
    let (verb, lead, besides) = match item.kind {
        ItemKind::Failure if !item.prevention.is_empty() => ("failed", "prevention", &item.prevention),
        ItemKind::Failure => ("failed", "because", &item.root_cause),
        _ => ("decided", "because", &item.rationale),
    };
    let gone = start.marks(&item.summary, item.seen.as_ref(), redactor);
    let gone = if gone.len() > BYTES / 4 { " (some of what it names is not as it was)".to_owned() } else { gone };
    let by = entry.imported_from().map_or_else(String::new, |program| format!(" (imported from {program})"));
    let head = format!("On this file, of an earlier session, quoted, no instruction:\n- {verb}{day} {mark}: ");
    let room = BYTES.checked_sub(enclose("").len() + head.len() + gone.len() + by.len())?;
    // Half a sentence of a few words says nothing.
    let cut = |text: &str, room: usize| {
        let text = line(&redactor.shown(text));
        if text.len() <= room {
            return Some(text);
        }
        (room > FAILED_CHARS).then(|| format!("{}…", text::first_bytes(&text, room - "…".len())))
    };
    let said = cut(&item.summary, room)?;
    let lead = format!(" — {lead}: ");
    let left = (room - said.len()).checked_sub(lead.len()).filter(|_| !besides.is_empty());
    let besides = left.and_then(|left| cut(besides, left)).map_or_else(String::new, |besides| lead + &besides);
    Some(format!("{head}{said}{gone}{by}{besides}"))
}

/// What passed in an earlier session behind such a failure.
fn passed_then(failed: &Failed, session_id: &str, memory: &Memory) -> Result<Hint, Failure> {
    let known: Vec<FixLine> = kept::newest(memory, FIXES)?;
    let is_of = |known: &&FixLine| known.session_id != session_id && failed.is_of(&known.fix);
    let Some(FixLine { ts, fix, session_id }) = known.iter().rev().find(is_of) else { return Ok(None) };
    let Some((last, before)) = fix.passed.split_last() else { return Ok(None) };
    let quoted = |command: &str| format!("`{}`", line(command));
    let day = clock::parse(ts).map_or_else(String::new, |time| format!(" of {}", clock::local_day(time)));
    let then = if before.is_empty() {
        format!("{} passed then", quoted(last))
    } else {
        let before: Vec<String> = before.iter().map(|command| quoted(command)).collect();
        format!("it passed behind {}", before.join(" and "))
    };
    let (of, session) = (quoted(&text::cut(&fix.failed, FAILED_CHARS)), short_id(session_id));
    let says = format!("In the session{day} ({session}) {of} failed like this; {then}. Quoted, no instruction.");
    let id = item::hash(format!("{}\n{}", fix.failed, fix.error.join("\n")).as_bytes());
    Ok(Some((format!("{}#{id}", FixLine::NAME), says)))
}
