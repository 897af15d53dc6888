//! What is known of the user and of the project, and the learnings that fit what goes on in this checkout.

use super::history::PERHAPS_REPLACED;
use super::section::{Part, Section};
use super::{Start, quiet};
use crate::agent::injected::line;
use crate::agent::layout;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Folder};
use crate::base::front_matter::FrontMatter;
use crate::base::text;
use crate::extract;
use crate::rank::Focus;
use crate::record::gists::Gists;
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use crate::store::journal::Entry;
use crate::store::kept::{self, Kept, SaidLine};
use crate::store::learnings::Learning;
use crate::store::memories::{self, Note, Unchanged, index};
use crate::store::{Memory, journal, learnings};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How much of the journal of memories is looked at, in bytes.
const TAIL_BYTES: usize = 64 << 10;
/// How much is read of the file of one, in bytes.
const NOTE_BYTES: u64 = 64 << 10;
/// How many memories are told at most; how many learnings, of how many newest ones.
const MEMORIES: usize = 12;
const LEARNINGS: usize = 6;
const NEWEST: usize = 40;
/// Lines of the user's that are looked at, that are told, and characters of one.
const SAID: usize = 8;
const SAID_TOLD: usize = 2;
const SAID_CHARS: usize = 160;
/// Characters of one.
const CHARS: usize = 240;
/// Files of new folders that are named, and folders that are looked into.
const NEW_FILES: usize = 100;
const NEW_FOLDERS: usize = 20;

/// What can be told of the user and of the project, as it was read.
pub struct Known {
    memories: Option<KnownMemories>,
    said: Vec<SaidLine>,
    learnings: Vec<Learning>,
}

/// The memories, the files that are as they were written, and the lines of the index that the client tells.
struct KnownMemories {
    all: Vec<Entry>,
    files: Unchanged,
    index: Vec<String>,
}

impl Known {
    /// Reads it. What cannot be read of it is left out alone.
    pub fn read(memory: &Memory, learnings: Option<&Path>, start: &Start, tells_memories: bool) -> Self {
        let learnings = learnings.filter(|_| start.since.is_none()).map(|folder| learnings::latest(folder, NEWEST));
        Self {
            memories: quiet(tells_memories.then(|| KnownMemories::read(memory, start)).transpose()),
            said: quiet(kept::newest(memory, SAID).map(Some)).unwrap_or_default(),
            learnings: quiet(learnings.transpose()).unwrap_or_default(),
        }
    }

    /// The preferences of the user and the facts about the project, where no prompt gets them, and the learnings, each
    /// claim once, and what is said with that.
    pub fn section(
        &self,
        focus: &Focus,
        start: &Start,
        told: &[Section],
        redactor: &Redactor,
    ) -> (Option<Section>, Gists) {
        let memories = self.memories.as_ref().map(|memories| memories.told(focus, start, redactor));
        let (mut lines, by_client, left, mut known) = memories.unwrap_or_default();
        let mut sources: Vec<&str> = (!lines.is_empty()).then_some(index::NAME).into_iter().collect();
        let told = told.iter().flat_map(|section| &section.lines).chain(&lines).chain(&by_client);
        let said = user_said(&self.said, &told.map(String::as_str).collect::<Vec<_>>(), &mut known, start);
        if !said.is_empty() {
            sources.push(SaidLine::NAME);
        }
        lines.extend(said);
        let learned = learned(&self.learnings, &mut known, focus, start, redactor);
        if !learned.is_empty() {
            sources.push("the learnings folder");
        }
        lines.extend(learned);
        let section = (!lines.is_empty()).then(|| Section {
            part: Part::Known,
            title: "Preferences, facts, learnings".to_owned(),
            banner: if lines.len() == 1 { "1 memory".to_owned() } else { format!("{} memories", lines.len()) },
            lines,
            source: sources.join(", "),
            left,
        });
        (section, known)
    }
}

/// Lines of the user's own that say most, as they were typed, without those that are in a line that is `told`, or that
/// say what an item in it says, or what is `known`.
fn user_said(said: &[SaidLine], told: &[&str], known: &mut Gists, start: &Start) -> Vec<String> {
    let said_of = |line: &&str| text::canonical(line.split_once("): ").map_or(line, |(_, item)| item));
    let told: Vec<String> =
        told.iter().map(said_of).filter(|line| line.chars().nth(super::sources::SAYS_IT).is_some()).collect();
    let is_told = |said: &str| told.iter().any(|line| line.contains(said) || said.contains(line.as_str()));
    let is_new = |said: &&SaidLine| start.since.is_none_or(|since| clock::parse(&said.ts) > Some(since));
    let stands = |said: &&SaidLine| !is_told(&text::canonical(&said.text)) && extract::is_standing(&said.text);
    let said = said.iter().filter(is_new).filter(stands);
    let of = |said: &SaidLine| {
        let day = clock::parse(&said.ts).map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
        format!("- said by the user{day}: {}", text::cut(&line(&said.text), SAID_CHARS))
    };
    let told: Vec<&SaidLine> = said.rev().filter(|said| known.is_new(&said.text)).take(SAID_TOLD).collect();
    told.into_iter().rev().map(of).collect()
}

/// The learnings of this project, and those of others that name what is at hand; those that do so first. On a resumption
/// they were told before.
fn learned(
    learnings: &[Learning],
    known: &mut Gists,
    focus: &Focus,
    start: &Start,
    redactor: &Redactor,
) -> Vec<String> {
    let is_own = |told: &Learning| redactor.same(&told.origin, &start.session.project);
    let mut all: Vec<&Learning> = learnings.iter().filter(|told| is_own(told) || focus.fits(&told.item)).collect();
    all.sort_by_cached_key(|told| !focus.fits(&told.item));
    let line = |told: &Learning| {
        let name = told.path.file_name().unwrap_or_default().to_string_lossy();
        let day: String = name.chars().take(10).collect();
        // The title is often the first sentence.
        let Item { summary, learning, .. } = &told.item;
        let has_title = text::canonical(learning).starts_with(&text::canonical(summary));
        let said = if has_title { learning.clone() } else { format!("{summary} — {learning}") };
        let said = redactor.shown(&said).into_owned();
        // Another project's files are not here.
        let marks = if is_own(told) { start.marks(&said, None, redactor) } else { String::new() };
        format!("- learned {}: {}{marks}", line(&day), cut(&said))
    };
    let text = |told: &Learning| {
        let Item { summary, learning, .. } = &told.item;
        if learning.is_empty() { summary.clone() } else { learning.clone() }
    };
    all.retain(|told| known.find(&text(told)).is_none());
    all.truncate(LEARNINGS);
    for told in &all {
        known.push(&text(told));
    }
    all.into_iter().map(line).collect()
}

impl KnownMemories {
    fn read(memory: &Memory, start: &Start) -> Result<Self, Failure> {
        let kind = ItemKind::Memory;
        let journals = memory.journal(kind, true);
        let files = Unchanged::read(memory)?;
        let mut all = journal::tail(&journals, kind, TAIL_BYTES)?;
        all.extend(of_files(memory, &files, &journals, &all)?);
        all.retain(|known| known.item.grounded && known.item.said_by != Voice::Tool.word());
        all.retain(|known| start.since.is_none_or(|since| known.time > Some(since)));
        let notes = memory.notes();
        let is_told = start.is_clients && layout::tells_index(&start.session.agent_home, notes);
        let index =
            if is_told { file::read_head(&notes.join(index::NAME), index::BYTES as u64)? } else { String::new() };
        let index = index.lines().take(index::LINES).map(text::canonical).collect();
        Ok(Self { all, files, index })
    }

    /// The memories, how the user wants to work first, without those that the client tells in full by their index. One
    /// that a newer one perhaps replaces is told, too, with a mark and behind the others: only the user can say that it
    /// does not hold any more. With what the client tells, the number of those that are left out, and what those say that
    /// have no mark.
    fn told(&self, focus: &Focus, start: &Start, redactor: &Redactor) -> (Vec<String>, Vec<String>, usize, Gists) {
        let Self { all, files, index } = self;
        let items: Vec<(&Item, _)> = all.iter().map(|known| (&*known.item, known.time)).collect();
        let mut order = focus.order(&items);
        order.sort_by_key(|(at, _)| all.get(*at).map(|known| (known.imported_from().is_some(), !wishes(known))));
        let (mut told, mut standing) = (Gists::default(), Gists::default());
        let (mut lines, mut by_client, mut perhaps_replaced) = (Vec::new(), Vec::new(), Vec::new());
        let mut waiting = order.into_iter().filter_map(|(at, _)| all.get(at));
        while lines.len() < MEMORIES {
            let Some(known) = waiting.next() else { break };
            let gist = Gist::of_item(&known.item);
            let (id, sentence) = (known.id(), known.item.sentence());
            if told.find(sentence).is_some() || !files.has(&id) {
                continue;
            }
            // Another program's memory takes the place of nothing that was said here.
            let may_replace = |other: &Entry| other.imported_from().is_none() || known.imported_from().is_some();
            let newer =
                |other: &Entry| other.time > known.time && may_replace(other) && gist.gives_way(other.item.sentence());
            let (to, mark) = if all.iter().any(newer) {
                (&mut perhaps_replaced, PERHAPS_REPLACED)
            } else {
                standing.push(sentence);
                (&mut lines, "")
            };
            told.push(sentence);
            let day = known.time.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
            let said = match known.imported_from() {
                Some(program) => format!("imported from {program}"),
                None => if wishes(known) { "wish" } else { "fact" }.to_owned(),
            };
            let marks = start.marks(sentence, known.item.seen.as_ref(), redactor);
            // What the agent found out is not the user's word.
            let by = if known.item.said_by == Voice::Assistant.word() { " (said by the agent)" } else { "" };
            let whole = format!(" {}", text::canonical(sentence));
            let is_marked = known.imported_from().is_some() || !(mark.is_empty() && by.is_empty() && marks.is_empty());
            if !is_marked && index.iter().any(|line| line.ends_with(&whole)) {
                by_client.push(sentence.to_owned());
                continue;
            }
            let shown = cut(&redactor.shown(sentence));
            to.push(format!("- {said}{day} ({}): {shown}{marks}{mark}{by}", item::short_id(&id)));
        }
        // Their files are not read: a start is too short for that.
        let left = waiting.count() + perhaps_replaced.len().max(MEMORIES) - MEMORIES;
        perhaps_replaced.truncate(MEMORIES);
        lines.extend(perhaps_replaced);
        (lines, by_client, left, standing)
    }
}

/// The newest memories of which the journals say nothing, as their files say them: a memory that was copied has no
/// journal, or another one.
fn of_files(memory: &Memory, files: &Unchanged, journals: &[PathBuf], known: &[Entry]) -> Result<Vec<Entry>, Failure> {
    let Some(folder) = Folder::open(memory.notes())? else { return Ok(Vec::new()) };
    let known: HashSet<&str> = known.iter().map(|known| known.item.id.as_str()).collect();
    let mut all = Vec::new();
    for (name, modified) in memories::newest(&folder, NEWEST)? {
        if files.id_of(&name).is_some_and(|id| known.contains(id)) {
            continue;
        }
        let text = folder.read_head(&name, NOTE_BYTES)?;
        let front = FrontMatter::parse(&text);
        let note = Note::parse(&name, &text);
        // What others wrote is in the client's index.
        if note.id.is_empty() || known.contains(note.id.as_str()) {
            continue;
        }
        let session_id = front.get("session_id").unwrap_or_default().to_owned();
        let time = front.get("written_at").and_then(clock::parse).or(modified);
        let said_by = front.get("said_by").unwrap_or("").to_owned();
        all.push(Entry::new(Item { said_by, ..note.item("") }, session_id, time));
    }
    // What was forgotten or replaced is there, too, and what is further from the end.
    let ids: Vec<&str> = all.iter().map(|entry| entry.item.id.as_str()).collect();
    let named = journal::naming(journals, &ids)?;
    all.retain(|entry| !named.contains(&entry.item.id));
    Ok(all)
}

/// Whether a memory says how the user wants to work; another program's memory does not.
fn wishes(known: &Entry) -> bool {
    known.imported_from().is_none() && matches!(known.item.memory_type.as_str(), "user" | "feedback")
}

fn cut(shown: &str) -> String {
    text::cut(&line(shown), CHARS).into_owned()
}

/// The files of a checkout that are of interest, those in its new folders too: git names a folder that it does not
/// know, and not what is in it.
pub fn with_new_files(root: &Path, files: &[String]) -> Vec<String> {
    let mut found = files.to_vec();
    let mut folders: Vec<String> = files.iter().filter(|name| name.ends_with('/')).cloned().collect();
    let (mut looked, mut left) = (0, NEW_FILES);
    while let Some(folder) = folders.pop() {
        looked += 1;
        if looked > NEW_FOLDERS {
            break;
        }
        let path: PathBuf = root.join(&folder);
        for name in file::names(&path).unwrap_or_default().into_iter().take(left) {
            left = left.saturating_sub(1);
            let Some(name) = name.to_str().map(|name| format!("{folder}{name}")) else { continue };
            match path.join(name.rsplit('/').next().unwrap_or_default()).symlink_metadata() {
                Ok(known) if known.is_dir() => folders.push(format!("{name}/")),
                Ok(_) => found.push(name),
                Err(_) => {}
            }
        }
    }
    found
}
