//! One project's memory folder: what was decided, what broke, what is still open.

pub mod archive;
pub mod briefing;
pub mod change;
pub mod episodes;
pub mod handoff;
pub mod journal;
pub mod kept;
pub mod learnings;
pub mod ledger;
pub mod listed;
pub mod memories;
pub mod move_memory;
pub mod newest;
pub mod page;
pub mod plan;
pub mod progress;
pub mod receipts;
pub mod summary;

pub use newest::Newest;

use crate::agent::{layout, memory_dirs};
use crate::base::config::{Config, MARKER};
use crate::base::env;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Lock, Root, Target};
use crate::base::masked::Masked;
use crate::record::item::{self, ItemKind};
use crate::record::session::{self, Session};
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is new and was written.
    Written,
    /// It was there already: in a journal, from this session.
    Unchanged,
    /// There is one that says the same: its id, or its summary where it has none.
    DuplicateOf(String),
    /// There is one that says the same, and a person said that it is wrong: its id.
    Forgotten(String),
}

/// One project's memory: the folder in which it is written, its links resolved. Reading takes the folders of
/// [`Memory::folders`], for some of it can still be where it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    folder: PathBuf,
    others: Vec<PathBuf>,
    notes: PathBuf,
}

impl Deref for Memory {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.folder
    }
}

impl Memory {
    /// That of a session. It must lie inside the agent's home, or behind the home's own `projects/`, which can be a
    /// link, or in the knowledge folder; else status 65. A knowledge folder that is not there, for its drive is not
    /// mounted, is status 74, and is not made.
    pub fn of(session: &Session, config: &Config) -> Result<Self, Failure> {
        let folder = inside(session.memory()?, session.home()?, config)?;
        let others = memory_dirs::others(session, config).into_iter();
        let others = others.filter_map(|other| inside(&other, session.home().ok()?, config).ok());
        let others = others.filter(|other| holds_memory(other)).collect();
        let notes = inside(&session.notes_dir, session.home()?, config)?;
        Ok(Self { folder, others, notes })
    }

    /// One that is in one folder alone.
    pub fn alone(folder: &Path) -> Self {
        let folder = file::real_path(folder);
        Self { notes: folder.clone(), others: Vec::new(), folder }
    }

    /// Where it is written, and then where else some of it is.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.folder).chain(&self.others).map(PathBuf::as_path)
    }

    /// The files of a journal, wherever they are.
    pub fn journal(&self, kind: ItemKind, trusted: bool) -> Vec<PathBuf> {
        journal::files(&self.folders().collect::<Vec<_>>(), kind, trusted)
    }

    /// The folder of its typed memories.
    pub fn notes(&self) -> &Path {
        &self.notes
    }

    /// Where else some of it is.
    pub fn others(&self) -> &[PathBuf] {
        &self.others
    }
}

/// Files of which nearly every memory has one, so that few folders must be listed.
pub const FILES: &[&str] = &[
    "decisions.jsonl", "failures.jsonl", "said.jsonl", "fixes.jsonl", "handoff.md", "progress.md",
    "pre-compact-summary.md", "quarantine.jsonl", ".state/notes.jsonl", ".state/memories.jsonl",
];

/// Whether a project's memory is in a folder, beside what others keep there: all that [`move_memory`] moves.
pub fn holds_memory(folder: &Path) -> bool {
    FILES.iter().any(|name| folder.join(name).exists())
        || move_memory::files(folder).map_or(true, |files| !files.is_empty())
}

/// Every folder of a home, and of the knowledge folder, that holds a project's memory.
pub fn all(home: &Path, config: &Config) -> Vec<PathBuf> {
    memory_dirs::all(home, config).into_iter().filter(|folder| holds_memory(folder)).collect()
}

/// The real path of a memory folder that may be one.
pub fn inside(folder: &Path, home: &Path, config: &Config) -> Result<PathBuf, Failure> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    let real = file::real_path(folder);
    let is_below = |top: &Path| !climbs && !top.as_os_str().is_empty() && real.starts_with(file::real_path(top));
    if !home.as_os_str().is_empty() && (is_below(home) || is_below(&layout::projects(home))) {
        return Ok(real);
    }
    // Without a configuration that can be read nothing else may be written.
    if config.knowledge_folder().is_ok_and(|knowledge| is_below(&knowledge)) {
        return config.is_mounted().map(|()| real);
    }
    let (folder, home) = (folder.display(), home.display());
    let what = format!("memory_dir '{folder}' is not inside the agent's home '{home}', nor in the knowledge folder");
    Err(Failure::data(what))
}

/// Whether a memory folder is in a knowledge folder, which other machines may use, too.
pub fn in_knowledge_folder(memory: &Path) -> bool {
    memory.ancestors().skip(1).any(|above| above.join(MARKER).is_file())
}

/// The folder in which a memory folder's locks and caches are, below the top folder that they may not lead out of:
/// with the memory, but for one in a knowledge folder, which may be synchronised or pushed.
fn state(memory: &Path) -> Result<(Root, PathBuf), Failure> {
    if !in_knowledge_folder(memory) {
        return Ok((Root::real(memory), PathBuf::from(".state")));
    }
    let name = item::hash(file::real_path(memory).as_os_str().as_bytes());
    Ok((Root::new(&env::state_folder()?), Path::new("memory").join(name)))
}

/// The top folder of a memory folder's locks and caches, which is the memory folder itself or one for these alone, and
/// the part of their names that is their folder's.
pub fn caches(memory: &Path) -> Result<(PathBuf, &'static str), Failure> {
    if !in_knowledge_folder(memory) {
        return Ok((memory.to_path_buf(), ".state/"));
    }
    let (_, state) = state(memory)?;
    Ok((env::state_folder()?.join(state), ""))
}

/// A lock or a cache of a memory folder; `name` is below the folder for these.
pub fn cache(memory: &Path, name: impl AsRef<Path>) -> Result<Target, Failure> {
    let (root, state) = state(memory)?;
    root.file(state.join(name))
}

/// A folder of caches, which is created.
pub fn cache_folder(memory: &Path, name: impl AsRef<Path>) -> Result<PathBuf, Failure> {
    let (root, state) = state(memory)?;
    root.folder(state.join(name))
}

/// The name of a session's file in a folder of caches.
fn session_file(folder: &str, session_id: &str) -> PathBuf {
    Path::new(folder).join(format!("{}.jsonl", session::safe_id(session_id)))
}

/// Adds lines to a session's file in a folder of caches.
fn append_session(
    memory: &Path,
    folder: &str,
    session_id: &str,
    lines: &Masked,
    durable: Durable,
) -> Result<(), Failure> {
    cache_folder(memory, folder)?;
    file::append_lines(&cache(memory, session_file(folder, session_id))?, lines, durable)
}

/// The sessions that have a file in a folder of caches, and that file.
fn session_files(memory: &Path, folder: &str) -> Result<Vec<(String, PathBuf)>, Failure> {
    let any = cache(memory, session_file(folder, "any"))?;
    let folder = any.parent().unwrap_or(memory);
    let named = |file: std::ffi::OsString| {
        let session_id = file.to_string_lossy().strip_suffix(".jsonl")?.to_owned();
        (session::safe_id(&session_id) == session_id).then(|| (session_id, folder.join(file)))
    };
    Ok(file::names(folder)?.into_iter().filter_map(named).collect())
}

/// Whether caches can be written without a folder in a place where the agent has none yet.
pub fn may_cache(memory: &Path) -> bool {
    let there = memory.parent().is_some_and(Path::is_dir);
    there || state(memory).is_ok_and(|(_, state)| state.starts_with("memory"))
}

/// Takes the lock under which a memory folder is changed; creates the folder, and an index in it where there is none, for a
/// client that finds none makes one of our own pages.
pub fn lock(folder: &Path) -> Result<Lock, Failure> {
    lock_within(folder, file::PATIENCE)
}

/// The same, waiting no longer than that for who holds it.
pub fn lock_within(folder: &Path, patience: Duration) -> Result<Lock, Failure> {
    let data = Root::real(folder).folder(".state")?;
    let lock = lock_caches(folder, patience)?;
    file::remove_leftovers(folder, None);
    file::remove_leftovers(&data, None);
    if !in_knowledge_folder(folder) {
        memories::begin(folder)?;
    }
    Ok(lock)
}

/// The same lock for caches alone: where they are not with the memory, its folder is not created.
fn lock_caches(folder: &Path, patience: Duration) -> Result<Lock, Failure> {
    let state = cache_folder(folder, "")?;
    let lock = file::lock(&cache(folder, "lock")?, patience)?;
    file::remove_leftovers(&state, None);
    Ok(lock)
}

/// The name of a memory's folder; of one that is called "memory", as the client's are, that of the folder above it.
pub fn folder_name(folder: &Path) -> String {
    let own = if folder.ends_with("memory") { folder.parent().unwrap_or(folder) } else { folder };
    own.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file of a memory folder, by its real path, to be written; status 65 when it is a link that leads out of the folder.
pub fn own_file(memory: &Path, name: &str) -> Result<Target, Failure> {
    Root::real(memory).file(name)
}
