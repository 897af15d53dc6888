//! What there is to search: the pages, learnings and notes of the knowledge folder, and what each project's memory
//! folder holds. What waits in quarantine is not here.

use super::{HitKind, Wish};
use crate::agent::lost::{self, KeptSessions, TypedPrompt};
use crate::agent::{checkout, layout, project};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::stale_names::Seen;
use crate::base::{clock, file, log, text};
use crate::record::episode::Episode;
use crate::record::item::{self, Item, ItemKind};
use crate::record::session;
use crate::store::journal::{self, Entry};
use crate::store::{self, episodes, handoff, memories, page};
use jiff::Timestamp;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter;
use std::path::{Path, PathBuf};

/// Folders below each other that are looked into.
const DEPTH: usize = 12;
/// Bytes of prompts that are searched; what comes later in the history is left out.
const LOST_BYTES: usize = 16 << 20;

/// A text that can be searched.
#[derive(Debug)]
pub struct Source {
    pub kind: HitKind,
    /// The file that it is in.
    pub path: PathBuf,
    /// An item of a journal; the file's own text where it is none.
    pub item: Option<SearchedItem>,
    /// The project of the memory folder that it is in.
    pub project: Option<String>,
}

impl Source {
    /// The name of its file.
    pub fn name(&self) -> Cow<'_, str> {
        self.path.file_name().unwrap_or_default().to_string_lossy()
    }
}

/// An item of a journal, an open one, or the prompts of a lost session, as it is searched.
#[derive(Debug, Default)]
pub struct SearchedItem {
    pub id: String,
    /// Its sentence, and then what else it says, a line each.
    pub text: String,
    pub session_id: String,
    pub time: Option<Timestamp>,
    /// Why it no longer holds.
    pub state: Option<&'static str>,
    /// The id and the sentence of what is in its place now.
    pub later: Option<(String, String)>,
    /// What it names, as it was when it was kept.
    pub seen: Option<Seen>,
    /// The whole item of a journal.
    pub whole: Option<Box<Item>>,
}

/// Everything that can be searched, in an order that does not change.
pub fn sources(wish: &Wish, config: &Config) -> Result<Vec<Source>, Failure> {
    let mut all = Vec::new();
    if [HitKind::Session, HitKind::Learning, HitKind::Note, HitKind::Lost].into_iter().any(|kind| wish.wants(kind)) {
        all = in_knowledge_folder(config)?;
    }
    for (folder, project) in memories(wish, config)? {
        in_memory(&folder, &project, wish, &mut all);
    }
    let lost = if wish.wants(HitKind::Lost) { lost_sessions(wish, config, &all)? } else { Vec::new() };
    all.retain(|source| wish.wants(source.kind));
    all.extend(lost);
    Ok(all)
}

fn in_knowledge_folder(config: &Config) -> Result<Vec<Source>, Failure> {
    let (sessions, learnings) = (config.sessions_folder()?, config.learnings_folder()?);
    let (knowledge, memory) = (config.knowledge_folder()?, config.memory_area()?);
    let mut folders = vec![(knowledge.clone(), 0)];
    folders.extend((!learnings.starts_with(&knowledge)).then(|| (learnings.clone(), 0)));
    let mut found = Vec::new();
    while let Some((folder, depth)) = folders.pop() {
        let of_folder = if folder.starts_with(&learnings) { HitKind::Learning } else { HitKind::Note };
        let is_of_sessions = folder.starts_with(&sessions);
        // A folder that cannot be read hides no other.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with('.') || path == memory {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.extend((depth + 1 < DEPTH).then_some((path, depth + 1)));
            } else if name.ends_with(".md") && !name.starts_with('_') {
                let is_page = is_of_sessions && !name.contains(page::EDITED);
                let kind = if is_page { HitKind::Session } else { of_folder };
                found.push(Source { kind, path, item: None, project: None });
            }
        }
    }
    // By bytes, which is much faster than by the parts of the paths.
    found.sort_unstable_by(|one: &Source, other| one.path.as_os_str().cmp(other.path.as_os_str()));
    Ok(found)
}

/// The folders of all memory that is wanted, each once, with the project's name.
fn memories(wish: &Wish, config: &Config) -> Result<Vec<(PathBuf, String)>, Failure> {
    let here = wish.projects.first().filter(|_| !wish.folders.is_empty());
    let mut folders = wish.folders.clone();
    if here.is_none() {
        folders.extend(config.agent_homes()?.iter().flat_map(|home| store::all(home, config)));
    }
    let mut known = HashSet::new();
    let project = |folder: &Path| here.cloned().unwrap_or_else(|| project_or_name(folder, wish));
    let named = folders.into_iter().map(|folder| (project(&folder), folder));
    let wanted = named.filter(|(project, folder)| wish.is_of(project) && known.insert(file::real_path(folder)));
    Ok(wanted.map(|(project, folder)| (folder, project)).collect())
}

/// In words the first wished project that has no memory anywhere, with the nearest one that has; None where all have, or
/// the current folder's is wished.
pub fn unknown(wish: &Wish, config: &Config) -> Result<Option<String>, Failure> {
    let all = memories(&Wish { projects: Vec::new(), ..wish.clone() }, config)?;
    let names: Vec<String> = all.iter().map(|(folder, _)| project_or_name(folder, wish)).collect();
    let mut wished = wish.projects.iter().filter(|_| wish.folders.is_empty());
    Ok(wished.find(|project| !names.contains(project)).map(|project| {
        let hint = text::did_you_mean(project, names.iter().map(String::as_str), "");
        format!("no project '{project}' has memory{hint}")
    }))
}

/// The project to which the memory in a folder belongs, as its newest item says, or the last session that was seen.
pub fn project_of(folder: &Path) -> Option<String> {
    journal::project(folder).or_else(|| Some(checkout::identify(&project::ran_in(folder)?).name))
}

/// The same; else a wished one as which the folder's name ends, else that name.
fn project_or_name(folder: &Path, wish: &Wish) -> String {
    project_of(folder).unwrap_or_else(|| {
        let slug = store::folder_name(folder);
        let ends = |wanted: &&String| slug == **wanted || slug.ends_with(&format!("-{}", text::slug(wanted)));
        wish.projects.iter().find(ends).cloned().unwrap_or(slug)
    })
}

/// The prompts of each session that has neither a transcript nor one of the `known` pages any more. Prompts that do not name
/// their session are together by folder and day.
fn lost_sessions(wish: &Wish, config: &Config, known: &[Source]) -> Result<Vec<Source>, Failure> {
    let pages: Vec<_> = known.iter().filter(|source| source.kind == HitKind::Session).map(Source::name).collect();
    let has_page = |id: &str| {
        let end = format!("-{}.md", session::short_id(id));
        !id.is_empty() && pages.iter().any(|name| name.ends_with(&end))
    };
    let homes = config.agent_homes()?;
    let mut kept = KeptSessions::in_homes(&homes)?;
    let mut found = Vec::new();
    for home in &homes {
        let mut all: BTreeMap<String, (PathBuf, SearchedItem)> = BTreeMap::new();
        let mut bytes = 0;
        // A history that cannot be read hides nothing else.
        let _ = lost::each_prompt(home, &mut kept, &mut |TypedPrompt { text, time, cwd, session_id }| {
            if bytes < LOST_BYTES && wish.is_in_span(time) {
                bytes += text.len();
                let by_folder = || format!("{} {}", time.map_or_else(String::new, clock::local_day), cwd.display());
                let key = session_id.clone().unwrap_or_else(by_folder);
                let session_id = session_id.map_or(String::new(), |id| id);
                let new = || (cwd, SearchedItem { session_id, time, ..SearchedItem::default() });
                let (_, item) = all.entry(key).or_insert_with(new);
                item.text.push_str(if item.text.is_empty() { "" } else { "\n" });
                item.text.push_str(text.trim());
            }
            Ok(())
        });
        let mut projects: HashMap<PathBuf, String> = HashMap::new();
        for (cwd, item) in all.into_values().filter(|(_, item)| !has_page(&item.session_id)) {
            let project = projects.entry(cwd).or_insert_with_key(|cwd| checkout::identify(cwd).name).clone();
            if wish.is_of(&project) {
                let path = layout::history(home);
                found.push(Source { kind: HitKind::Lost, path, item: Some(item), project: Some(project) });
            }
        }
    }
    Ok(found)
}

fn in_memory(folder: &Path, project: &str, wish: &Wish, all: &mut Vec<Source>) {
    let mut found: Vec<(HitKind, PathBuf, Option<SearchedItem>)> = Vec::new();
    let journals = [(HitKind::Decision, ItemKind::Decision), (HitKind::Failure, ItemKind::Failure)];
    for (kind, of) in journals.into_iter().filter(|(kind, _)| wish.wants(*kind)) {
        let files = journal::files(&[folder], of, true);
        let path = files.first().cloned().unwrap_or_else(|| folder.join(journal::name(of, true)));
        let mut entries = read(journal::read(&files, of));
        for entry in &mut entries {
            entry.replaced.take_if(|later| wish.as_of.is_some_and(|then| later.at.is_none_or(|at| at >= then)));
        }
        let laters: Vec<_> = entries.iter().map(|entry| later(entry, &entries)).collect();
        let item = |(entry, later)| (kind, path.clone(), Some(of_entry(entry, later)));
        found.extend(entries.into_iter().zip(laters).map(item));
    }
    if wish.wants(HitKind::Open) {
        let page = read(handoff::read(folder));
        let (session_id, time) = (page.session_id.clone(), page.ended_at.or(page.source_mtime).or(page.written_at));
        let open = |line: handoff::OpenItem| SearchedItem {
            id: item::open_id(&line.text),
            text: line.text,
            session_id: session_id.clone().map_or(String::new(), |id| id),
            time,
            seen: line.seen,
            ..SearchedItem::default()
        };
        let lines = read(handoff::lines(folder)).into_iter();
        found.extend(lines.map(|line| (HitKind::Open, handoff::path(folder), Some(open(line)))));
    }
    let own = [
        (HitKind::Progress, folder.join("progress.md")),
        (HitKind::Summary, store::summary::path(folder)),
        (HitKind::Briefing, folder.join("briefing.md")),
    ];
    let names = memories::names(folder).unwrap_or_default().into_iter();
    let notes = names.map(|name| (HitKind::Memory, folder.join(name)));
    let files = own.into_iter().filter(|(_, path)| path.exists()).chain(notes);
    found.extend(files.map(|(kind, path)| (kind, path, None)));
    if wish.wants(HitKind::Episode) {
        let names = episodes::names(folder).unwrap_or_default();
        let paths = names.into_iter().map(|name| folder.join(episodes::FOLDER).join(name));
        found.extend(paths.filter_map(|path| Some((HitKind::Episode, path.clone(), Some(episode(&path)?)))));
    }
    let project = || Some(project.to_owned());
    all.extend(found.into_iter().map(|(kind, path, item)| Source { kind, path, item, project: project() }));
}

/// What was read of a file of a memory. One that cannot be read is said, and the others are searched.
fn read<T: Default>(read: Result<T, Failure>) -> T {
    read.unwrap_or_else(|failure| {
        log::say("lh-recall", &format!("not searched: {}", failure.message));
        T::default()
    })
}

/// What an episode says, and behind it all files, for which its line can have no room; none for a file that is no episode.
fn episode(path: &Path) -> Option<SearchedItem> {
    let bytes = file::read_at_most(path, episodes::BYTES).ok()??;
    let episode = Episode::parse(str::from_utf8(&bytes).ok()?).filter(|episode| !episode.session_id.is_empty())?;
    let text = format!("{}\n{}", episode.summary(), episode.files_changed.join(", ")).trim_end().to_owned();
    let time = episode.time();
    Some(SearchedItem { text, session_id: episode.session_id, time, ..SearchedItem::default() })
}

/// What is in an item's place now; what took its place can itself be replaced.
fn later(entry: &Entry, all: &[Entry]) -> Option<(String, String)> {
    let next = |of: &&Entry| {
        let replaced = of.replaced.as_ref()?;
        all.iter().find(|other| other.id() == replaced.by.as_str())
    };
    // Of a circle each is asked once.
    let last = iter::successors(next(&entry), next).take(all.len()).last()?;
    Some((last.id().into_owned(), last.item.sentence().to_owned()))
}

fn of_entry(entry: Entry, later: Option<(String, String)>) -> SearchedItem {
    let of = &entry.item;
    let more = [&of.context, &of.rationale, &of.root_cause, &of.resolution, &of.prevention].into_iter();
    let quotes = of.evidence.iter().map(|evidence| &evidence.quote);
    let mut lines = vec![of.sentence()];
    for line in more.chain(&of.alternatives).chain(quotes).filter(|line| !line.is_empty()) {
        if !lines.iter().any(|known| known.contains(line.as_str())) {
            lines.push(line);
        }
    }
    let replaced = entry.replaced.as_ref().map(|_| "replaced");
    SearchedItem {
        id: entry.id().into_owned(),
        text: lines.join("\n"),
        time: entry.time,
        state: if entry.is_forgotten() { Some("forgotten") } else { replaced },
        later,
        seen: of.seen.clone(),
        session_id: entry.session_id,
        whole: Some(entry.item),
    }
}
