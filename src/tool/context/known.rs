//! What is known of the user and of the project, and the learnings that fit what goes on in this checkout.

use super::Start;
use super::section::{Part, Section};
use crate::agent::injected::line;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file;
use crate::base::text;
use crate::rank::Focus;
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::redact::Redactor;
use crate::store::notes::Unchanged;
use crate::store::{Memory, journal, learnings};
use std::path::{Path, PathBuf};

/// How much of the journal of memories is looked at, in bytes.
const TAIL_BYTES: usize = 64 << 10;
/// How many memories are told; how many learnings, of how many newest ones.
const MEMORIES: usize = 6;
const LEARNINGS: usize = 2;
const NEWEST: usize = 40;
/// Characters of one.
const CHARS: usize = 240;
/// Files of new folders that are named, and folders that are looked into.
const NEW_FILES: usize = 100;
const NEW_FOLDERS: usize = 20;

/// The preferences of the user and the facts about the project, where no prompt gets them, and the learnings that fit the
/// focus.
pub fn section(
    memory: &Memory,
    folder: &Path,
    focus: &Focus,
    start: &Start,
    tells_memories: bool,
    redactor: &Redactor,
) -> Result<Option<Section>, Failure> {
    let memories = if tells_memories { memories(memory, focus, start, redactor)? } else { Vec::new() };
    let mut sources: Vec<&str> =
        (!memories.is_empty()).then_some(journal::name(ItemKind::Memory, true)).into_iter().collect();
    let mut lines = memories;
    let before = lines.len();
    // On a resumption they were told before.
    if start.since.is_none() {
        for (path, item) in
            learnings::latest(folder, NEWEST)?.iter().filter(|(_, item)| focus.fits(item)).take(LEARNINGS)
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let day: String = name.chars().take(10).collect();
            let title = redactor.shown(&item.summary);
            let said = redactor.shown(&item.learning);
            // Another project's files are not here.
            let is_own = learnings::origin(path).is_some_and(|origin| redactor.same(&origin, &start.session.project));
            let gone = if is_own { start.gone(&format!("{title}\n{said}"), redactor) } else { String::new() };
            lines.push(format!("- learned {}: {}{gone}", line(&day), cut(&format!("{title} — {said}"))));
        }
    }
    if lines.len() > before {
        sources.push("the learnings folder");
    }
    Ok((!lines.is_empty()).then(|| Section {
        part: Part::Known,
        title: "Preferences, facts, learnings".to_owned(),
        banner: if lines.len() == 1 { "1 memory".to_owned() } else { format!("{} memories", lines.len()) },
        lines,
        source: sources.join(", "),
        left: 0,
    }))
}

/// The memories, how the user wants to work first; of two about the same the newer.
fn memories(memory: &Memory, focus: &Focus, start: &Start, redactor: &Redactor) -> Result<Vec<String>, Failure> {
    let kind = ItemKind::Memory;
    let mut all = journal::tail(&memory.journal(kind, true), kind, TAIL_BYTES)?;
    all.retain(|known| known.item.grounded && known.said_by.as_deref() != Some("tool"));
    all.retain(|known| start.since.is_none_or(|since| known.time > Some(since)));
    let items: Vec<(&Item, _)> = all.iter().map(|known| (&known.item, known.time)).collect();
    let mut order = focus.order(&items);
    order.sort_by_key(|at| !all.get(*at).is_some_and(|known| wishes(&known.item)));
    let files = Unchanged::read(memory)?;
    let mut told: Vec<Gist> = Vec::new();
    let mut lines = Vec::new();
    for known in order.into_iter().filter_map(|at| all.get(at)) {
        let gist = Gist::of_item(&known.item, kind);
        let newer = |other: &journal::Entry| other.time > known.time && gist.is_similar(other.item.sentence(kind));
        if told.iter().any(|other| gist.is_near(other, false)) || all.iter().any(newer) {
            continue;
        }
        let id = known.id(kind);
        if !files.has(&id)? {
            continue;
        }
        let sentence = known.item.sentence(kind);
        told.push(gist);
        let day = known.time.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
        let said = if wishes(&known.item) { "wish" } else { "fact" };
        let gone = start.gone(sentence, redactor);
        // What the agent found out is not the user's word.
        let by = if known.said_by.as_deref() == Some("assistant") { " (said by the agent)" } else { "" };
        lines.push(format!("- {said}{day} ({}): {}{gone}{by}", item::short_id(&id), cut(&redactor.shown(sentence))));
        if lines.len() >= MEMORIES {
            break;
        }
    }
    Ok(lines)
}

/// Whether a memory says how the user wants to work.
fn wishes(item: &Item) -> bool {
    matches!(item.memory_type.as_str(), "user" | "feedback")
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
