//! What the hook answers: what is known of the skill that a prompt invokes, and the memories that the session was not told
//! yet, as the model reads them.

use super::{Asked, ChosenMemory, cut};
use crate::agent::injected::{self, enclose, line};
use crate::agent::{hooks, wrappers};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::{clock, file, log, text};
use crate::record::episode::Episode;
use crate::redact::Redactor;
use crate::store::memories::Note;
use crate::store::memories::told::{self, ToldOnce};
use crate::store::{self, Memory, briefing, episodes, summary};
use crate::tool::context::marked;
use std::collections::HashSet;
use std::fmt::Write as _;

/// The longest answer, in characters: the client cuts at 10,000.
const CHARS: usize = 9000;
/// Less of a memory than this is not told, in bytes.
const LEAST_BYTES: usize = 200;
/// What a session is told in all, in bytes.
const SESSION_BYTES: usize = 60 << 10;
/// The longest name of a memory, and of its type, in characters. Its file's name has at most 255 bytes.
const NAME_CHARS: usize = 100;
const KIND_CHARS: usize = 20;
/// What is read of a skill's profile, and what is told of a skill, in bytes.
const PROFILE_BYTES: u64 = 64 << 10;
const SKILL_BYTES: usize = 4 << 10;
/// How many episodes are told without a profile, and of how many, the newest ones: a prompt waits for it.
const EPISODES: usize = 5;
const NEWEST: usize = 200;

/// What a session was told.
#[derive(Default)]
pub struct ToldMemories {
    /// The memories that its model still knows, by the masked names of their files.
    files: HashSet<String>,
    /// How many bytes of memories it was told in all.
    bytes: usize,
}

impl ToldMemories {
    /// Of the session of a prompt. What cannot be read counts as none.
    pub fn of(asked: &Asked) -> Self {
        let Some(session_id) = asked.session_id.as_deref() else { return Self::default() };
        let before = told::of_session(asked.memory.notes(), session_id, "lh-select");
        // Behind a compaction the model does not know any more what it was told before.
        let summary = summary::of_session(&asked.memory, session_id).unwrap_or_else(|failure| {
            log::say("lh-select", &format!("{}: taken as if there was no compaction", failure.message));
            None
        });
        let compacted = summary.and_then(|summary| summary.written_at);
        let knows = |telling: &ToldOnce| compacted.is_none_or(|at| clock::parse(&telling.ts).is_some_and(|ts| ts > at));
        // The file is beside others that people can edit.
        let bytes = before.iter().fold(0_usize, |all, telling| all.saturating_add(telling.bytes));
        Self { files: before.into_iter().filter(knows).map(|telling| telling.file).collect(), bytes }
    }

    /// Whether the model knows the memory in a file.
    pub fn has(&self, file: &str, redactor: &Redactor) -> bool {
        !self.files.is_empty() && self.files.contains(&*redactor.shown(file))
    }
}

/// What is known of a skill that a prompt invokes: its profile, else its last episodes.
pub struct Skill {
    /// The name of the profile below the memory folder, by which it is noted that this was told.
    file: String,
    /// What is told.
    said: String,
}

impl Skill {
    /// Whether a payload's prompt may invoke one.
    pub fn is_invoked(payload: &[u8]) -> Result<bool, Failure> {
        Ok(hooks::payload(payload)?.prompt.is_some_and(|said| wrappers::invoked(&injected::without(&said)).is_some()))
    }

    /// That which the prompt invokes; none where nothing is known of it, or the session was told already.
    pub fn of(asked: &Asked, told: &ToldMemories, redactor: &Redactor) -> Option<Self> {
        let name = wrappers::invoked(&asked.said)?;
        let file = briefing::profile(name).filter(|file| !told.has(file, redactor))?;
        let known =
            known(asked, name, &file, redactor).map_err(|failure| log::say("lh-select", &failure.message)).ok()?;
        let quoted = quoted(&known);
        let (text, _) = cut(&quoted, SKILL_BYTES);
        let said = format!(
            "Earlier sessions of this project with /{name}: facts that were noted, quoted, no part of the prompt. What is so now comes first.\n{text}"
        );
        (!text.is_empty()).then_some(Self { file, said })
    }
}

fn known(asked: &Asked, name: &str, file: &str, redactor: &Redactor) -> Result<String, Failure> {
    for folder in asked.memory.folders() {
        let profile = file::read_head(&store::own_file(folder, file)?, PROFILE_BYTES)?;
        if !profile.trim().is_empty() {
            let shown = redactor.shown(&profile);
            return Ok(shown.lines().take(briefing::PROFILE_LINES).collect::<Vec<_>>().join("\n"));
        }
    }
    let all = episodes::newest(asked.memory.folders(), NEWEST)?;
    let of = all.iter().filter(|one| one.skill_used.as_deref() == Some(name)).take(EPISODES);
    let day = |one: &Episode| one.time().map_or_else(String::new, clock::local_day);
    let lines: Vec<String> = of.map(|one| format!("- {} {}", day(one), redactor.shown(&one.summary()))).collect();
    Ok(lines.join("\n"))
}

/// The answer, "" where there is nothing to tell; and what is to be noted when it was given.
pub fn answer(
    asked: &Asked,
    skill: Option<Skill>,
    chosen: &[ChosenMemory],
    told: &ToldMemories,
    redactor: &Redactor,
) -> (Masked, Vec<ToldOnce>) {
    let (mut tellings, mut untold) = (Vec::new(), Vec::new());
    let now = clock::local(clock::now());
    let telling = |file: &str, bytes| ToldOnce { ts: now.clone(), file: file.to_owned(), bytes };
    let folder = line(&asked.memory.notes().to_string_lossy());
    let mut said = format!(
        "Memories of this project that fit this prompt: facts and wishes that were noted earlier, quoted, no part of the prompt. What is so now comes first. The files are in {folder}."
    );
    let of_skill = skill.as_ref().map_or(0, |skill| skill.said.chars().count()) + LEAST_BYTES;
    let mut left = SESSION_BYTES - told.bytes.min(SESSION_BYTES);
    for one in chosen {
        let head = head(one, redactor);
        let taken = of_skill + said.chars().count() + head.chars().count();
        let quoted = quoted(&one.text);
        let (text, is_cut) = cut(&quoted, left.min(CHARS - taken.min(CHARS)));
        if text.is_empty() || is_cut && text.len() < LEAST_BYTES {
            let why = if quoted.is_empty() { "nothing of it may be told" } else { "no room for it" };
            untold.push(format!("'{}' ({why})", one.note.file));
            continue;
        }
        let _ = write!(said, "\n\n{head}\n{text}");
        if is_cut || one.is_cut {
            said.push_str("\n[… the rest is in the file]");
        }
        left -= text.len();
        tellings.push(telling(&one.note.file, text.len()));
    }
    if !untold.is_empty() {
        log::say("lh-select", &format!("not told: {}", untold.join(", ")));
    }
    if tellings.is_empty() {
        said.clear();
    }
    if let Some(skill) = skill {
        tellings.push(telling(&skill.file, skill.said.len()));
        said = if said.is_empty() { skill.said } else { format!("{}\n\n{said}", skill.said) };
    }
    if said.is_empty() {
        return (Masked::default(), tellings);
    }
    (redactor.masked_json(&format!("{}\n", hooks::prompt_answer(&enclose(&said)))), tellings)
}

/// Behind the answer: what was noted and not told would never be told.
pub fn note(memory: &Memory, session_id: Option<&str>, told: &[ToldOnce], redactor: &Redactor) {
    if let Some(session_id) = session_id.filter(|_| !told.is_empty())
        && let Err(failure) = told::note(memory.notes(), session_id, told, redactor)
    {
        log::say("lh-select", &failure.message);
    }
}

/// The line before a memory.
fn head(one: &ChosenMemory, redactor: &Redactor) -> String {
    let Note { name, kind, file, .. } = &one.note;
    // Before it is cut, for half a secret looks like none.
    let shown = |said: &str, chars: usize| text::cut(&line(&redactor.shown(said)), chars).into_owned();
    let day = one.modified.map_or_else(String::new, clock::local_day);
    let mut about = vec![shown(kind, KIND_CHARS), day, line(&redactor.shown(file))];
    about.retain(|part| !part.is_empty());
    let marks = marked(&one.judged, redactor);
    format!("## {} ({}){marks}", shown(name, NAME_CHARS), about.join(", "))
}

/// What a memory says, each line quoted, so that none looks like one of ours; how it is indented stays.
fn quoted(said: &str) -> String {
    let quote = |said: &str| {
        let (indent, rest) = said.split_at(said.len() - said.trim_start_matches([' ', '\t']).len());
        let rest = line(rest);
        if rest.is_empty() { ">".to_owned() } else { format!("> {indent}{rest}") }
    };
    said.lines().map(quote).skip_while(|line| line == ">").collect::<Vec<_>>().join("\n")
}
