//! What keeps the loop from remembering the next session, as far as it can be seen before a session is lost:
//! looked for at each start of a session, which tells its user, and by the doctor. Nothing is written, and
//! all is cheap: some files are asked for, none of them is long.

use crate::base::config::{Config, Engine, Loop, Scope};
use crate::base::exit::Failure;
use crate::base::file::{self, Root};
use crate::base::{clock, env};
use crate::model;
use crate::queue::Queue;
use crate::store::{self, handoff, ledger};
use std::path::{Path, PathBuf};

/// What hooks and the worker run of ours.
const TOOLS: &[&str] = &[
    "lh-background", "lh-dequeue", "lh-detach", "lh-distill", "lh-enqueue", "lh-find-session", "lh-gate", "lh-persist",
    "lh-task", "lh-worker",
];
/// What they run of the system's.
pub const PROGRAMS: &[&str] = &["sh", "cat", "mkdir", "mktemp", "rm"];
/// The folders that the loop writes to, below the agent's home.
const FOLDERS: &[&str] = &["queue", "queue/done", "queue/failed", "queue/state", "queue/work", "logs"];
/// What they open in these.
const FILES: &[&str] = &["queue/.since", "queue/.lock", "queue/.worker.lock", "queue/state/.seeded"];
/// Tasks that were given up of which so many are looked at, the newest first.
const LOOKED_AT: usize = 100;
/// Locks of the loop.
const LOCKS: &[&str] = &["queue/.lock", "queue/.worker.lock"];
/// With fewer free bytes nothing can be written.
const FULL: u64 = 1 << 20;
/// A task that was given up so long ago was told of.
const TOLD_SECONDS: i64 = 86_400;

/// The first thing that keeps the loop from working, if it is on: one line, with what to do. `memory` is the folder of
/// the project at hand.
pub fn first(config: &Config, home: &Path, memory: Option<&Path>) -> Option<String> {
    let found = if config.compound_loop.enabled { all(config, home, memory) } else { Ok(()) };
    found.err().map(|failure| failure.message)
}

fn all(config: &Config, home: &Path, memory: Option<&Path>) -> Result<(), Failure> {
    let of = &config.compound_loop;
    if let Some(name) = PROGRAMS.iter().find(|name| env::program(name).is_none()) {
        return Err(Failure::data(format!("{name}: not on PATH: mend PATH where the client is started")));
    }
    TOOLS.iter().try_for_each(|name| env::own_tool(name).map(drop))?;
    queue(home)?;
    let known = memory.map(Path::to_path_buf).into_iter().chain(config.knowledge_folder());
    for folder in ["", "queue", "logs"].map(|name| home.join(name)).into_iter().chain(known) {
        room(&folder, FULL)?;
    }
    locks(home)?;
    memory.map_or(Ok(()), self::memory)?;
    knowledge(config)?;
    model::resolve(of.engine, of)?;
    calls(of, home)?;
    given_up(home)
}

/// The queue and the logs can be written, and only by their user.
pub fn queue(home: &Path) -> Result<(), Failure> {
    let root = Root::new(home);
    for name in FOLDERS {
        writable(&root.inside(name)?)?;
    }
    if home.join("queue").exists() {
        Queue::in_home(home).is_ours()?;
    }
    FILES.iter().try_for_each(|name| opens(&home.join(name)))
}

/// A memory folder can be written, and what lh-persist opens there can be opened. A link is followed: where it may
/// lead is another question.
pub fn memory(folder: &Path) -> Result<(), Failure> {
    let (top, below) = store::caches(folder)?;
    let caches = top.join(below);
    for folder in [folder, &caches, &caches.join("receipts")] {
        writable(folder)?;
    }
    let files = store::FILES.iter().chain(&[".state/handoff"]).map(|name| folder.join(name));
    files.chain(["lock", "filed.json"].map(|name| caches.join(name))).try_for_each(|path| opens(&path))?;
    // One that is too large ends each lh-persist.
    handoff::read(folder)?;
    file::can_lock(&caches.join("lock"))
}

/// A file that is there can be opened as the tools open it: all are read, and to locks and journals is added.
pub fn opens(path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    if file::open(path)?.is_none() || !(name.ends_with("lock") || name.ends_with(".jsonl")) {
        return Ok(());
    }
    let access = rustix::fs::access(path, rustix::fs::Access::WRITE_OK);
    access.map_err(|error| Failure::io(path.display(), &error.into()))
}

/// The same of the locks of the loop.
pub fn locks(home: &Path) -> Result<(), Failure> {
    LOCKS.iter().try_for_each(|name| file::can_lock(&home.join(name)))
}

/// How much is free on the disk of a folder, None where the disk does not tell, or why that is too little.
pub fn room(folder: &Path, least: u64) -> Result<Option<u64>, Failure> {
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(Path::new("/"));
    let Some(data) = rustix::fs::statvfs(there).ok().filter(|data| data.f_blocks > 0) else { return Ok(None) };
    let (folder, free) = (folder.display(), data.f_bavail.saturating_mul(data.f_frsize));
    if data.f_files > 0 && data.f_favail == 0 {
        let what = "its disk can hold no more files (no inodes are left): remove some";
        return Err(Failure::data(format!("{folder}: {what}")));
    }
    if free < least {
        return Err(Failure::data(format!("{folder}: {} MB free: make room on its disk", free >> 20)));
    }
    Ok(Some(free))
}

/// The knowledge folder, that of pages and that of learnings, which can be written.
pub fn knowledge(config: &Config) -> Result<PathBuf, Failure> {
    let folder = config.knowledge_folder()?;
    if config.memory.scope == Scope::Store {
        config.is_mounted()?;
    }
    for folder in [&folder, &config.sessions_folder()?, &config.learnings_folder()?] {
        writable(folder)?;
    }
    Ok(folder)
}

/// Something can be written in a folder, or it can be made.
fn writable(folder: &Path) -> Result<(), Failure> {
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(Path::new("/"));
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    if there.is_dir() && rustix::fs::access(there, access).is_ok() {
        return Ok(());
    }
    let what = if there.is_dir() { "its rights forbid it" } else { "it is not a folder" };
    let (folder, there) = (folder.display(), there.display());
    Err(Failure::data(format!("{folder}: nothing can be written there: look at '{there}': {what}")))
}

/// Fails if no call of the model helps: the last ones all failed.
pub fn calls(config: &Loop, home: &Path) -> Result<(), Failure> {
    let calls = matches!(model::resolve(config.engine, config), Ok(Engine::Claude | Engine::Command));
    let failing = if calls { ledger::failing(&ledger::path(home)) } else { None };
    failing.map_or(Ok(()), |what| Err(Failure::data(what)))
}

/// Fails if a task was given up since yesterday.
fn given_up(home: &Path) -> Result<(), Failure> {
    let folder = home.join("queue/failed");
    let is_new = |name: &std::ffi::OsString| {
        let time = file::modified(&folder.join(name));
        name.to_string_lossy().ends_with(".task")
            && time.is_some_and(|time| clock::seconds_between(time, clock::now()).abs() < TOLD_SECONDS)
    };
    let names = file::names(&folder).unwrap_or_else(|_| Vec::new());
    let Some(last) = names.into_iter().rev().take(LOOKED_AT).find(is_new) else { return Ok(()) };
    let Ok(text) = file::read_head(&folder.join(&last), 1 << 16) else { return Ok(()) };
    let why = text.lines().find_map(|line| line.strip_prefix("last_error=")).unwrap_or("see the logs");
    Err(Failure::data(format!("a session was given up: {why}")))
}
