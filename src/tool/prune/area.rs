//! The folders that are pruned, each with its lock, its plan and its own `.archive/`.

use super::plan::Plan;
use super::sources::{self, Alive};
use crate::agent::memory_dirs;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root};
use crate::base::{env, log};
use crate::queue::{DONE, FAILED, Queue, STATES, WORK};
use crate::record::item;
use crate::redact::Redactor;
use crate::store::{self, change, episodes, learnings, ledger, memories};
use crate::tool::context;
use crate::tool::here::Here;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is pruned as one.
pub struct Area {
    /// What it is.
    pub kind: AreaKind,
    /// Its folder.
    pub folder: PathBuf,
}

/// What is in an area.
pub enum AreaKind {
    /// A memory folder; its caches too, where they are in it.
    Memory,
    /// The caches of this memory folder, which are not in it.
    Caches(PathBuf),
    /// The queue of this home.
    Queue(PathBuf),
    /// The logs of this home.
    Logs(PathBuf),
    /// The pages of sessions and the learnings, of which none grows old.
    Knowledge,
}

/// The areas: of every project of every agent home, or of the current folder's project and its home.
pub fn all(every: bool, tool: &str, config: &Config) -> Result<Vec<Area>, Failure> {
    let (mut homes, mut memories) = (vec![env::agent_home()?], Vec::new());
    if every {
        homes = config.agent_homes()?;
        for home in &homes {
            for folder in memory_dirs::all(home, config).into_iter().filter(|folder| folder.is_dir()) {
                match store::inside(&folder, home, config) {
                    Ok(folder) => memories.push(folder),
                    Err(failure) => log::say(tool, &failure.message),
                }
            }
        }
    } else {
        let memory = context::memory_here(config)?;
        memories.extend(memory.folders().chain([memory.notes()]).map(Path::to_path_buf));
    }
    let mut areas = of(memories.iter().map(PathBuf::as_path))?;
    for home in homes {
        areas.push(Area { kind: AreaKind::Queue(home.clone()), folder: home.join("queue") });
        areas.push(Area { folder: home.join("logs"), kind: AreaKind::Logs(home) });
    }
    let tops = BTreeSet::from([config.knowledge_folder()?, config.learnings_top()?]);
    areas.extend(tops.into_iter().map(|folder| Area { kind: AreaKind::Knowledge, folder }));
    let mut known = BTreeSet::new();
    areas.retain(|area| area.folder.is_dir() && known.insert(file::real_path(&area.folder)));
    Ok(areas)
}

/// Those of memory folders, and of their caches.
pub fn of<'m>(memories: impl IntoIterator<Item = &'m Path>) -> Result<Vec<Area>, Failure> {
    let mut areas = Vec::new();
    for memory in memories {
        let (caches, below) = store::caches(memory)?;
        areas.extend(below.is_empty().then(|| Area { kind: AreaKind::Caches(memory.to_path_buf()), folder: caches }));
        areas.push(Area { kind: AreaKind::Memory, folder: memory.to_path_buf() });
    }
    Ok(areas)
}

impl Area {
    /// Takes the locks under which it is changed; none while a model is called, whose ledger is not touched.
    pub fn lock(&self) -> Result<Option<Vec<Lock>>, Failure> {
        let lock = match &self.kind {
            AreaKind::Memory => store::lock(&self.folder)?,
            AreaKind::Caches(memory) => store::lock(memory)?,
            AreaKind::Queue(home) => Queue::in_home(home).hold()?,
            AreaKind::Knowledge => learnings::review::lock()?,
            AreaKind::Logs(home) => {
                let queue = Queue::in_home(home).hold()?;
                return Ok(ledger::lock(home)?.map(|ledger| vec![ledger, queue]));
            }
        };
        Ok(Some(vec![lock]))
    }

    /// Status 65 for a folder that is a link that leads out of its home: what is behind it is not ours.
    pub fn is_ours(&self) -> Result<(), Failure> {
        match &self.kind {
            AreaKind::Queue(home) | AreaKind::Logs(home) => Root::new(home).inside(&self.folder).map(drop),
            AreaKind::Memory | AreaKind::Caches(_) | AreaKind::Knowledge => Ok(()),
        }
    }

    /// Brings to its end what a run was killed at, under the lock; whether the lock was free.
    pub fn settle(&self, redactor: &Redactor) -> Result<bool, Failure> {
        if !change::is_used(&self.folder) {
            return Ok(true);
        }
        let Some(_locks) = self.lock()? else { return Ok(false) };
        change::settle(&self.folder)?;
        self.follow(redactor).map(|()| true)
    }

    /// What is to go.
    pub fn plan(&self, failed: bool, alive: &Alive, now: Timestamp) -> Result<Plan, Failure> {
        let mut plan = Plan::new(&self.folder, now)?;
        match &self.kind {
            AreaKind::Memory => {
                sources::memory(&mut plan, alive)?;
                if store::caches(&self.folder)?.0 == self.folder {
                    sources::caches(&mut plan, ".state/", alive)?;
                }
            }
            AreaKind::Caches(_) => sources::caches(&mut plan, "", alive)?,
            AreaKind::Queue(_) => sources::queue(&mut plan, failed, alive, now)?,
            AreaKind::Logs(_) => sources::logs(&mut plan, &self.folder, now),
            AreaKind::Knowledge => {}
        }
        Ok(plan)
    }

    /// Brings the typed memories of a memory to what its journal says, after that and they were changed.
    pub fn follow_journal(&self, config: &Config) -> Result<(), Failure> {
        if !matches!(self.kind, AreaKind::Memory) {
            return Ok(());
        }
        let homes = config.agent_homes()?;
        let home = homes.iter().find(|home| self.folder.starts_with(file::real_path(home))).or(homes.first());
        let Some(home) = home else { return Ok(()) };
        let here = Here::of(&self.folder, home, config)?;
        if *here.memory == *self.folder {
            let _lock = store::lock(&here.memory)?;
            memories::sync(&here.memory, &here.project, &here.redactor)?;
        }
        Ok(())
    }

    /// The names of the logs that are to be turned over, when what was so before is in the archive.
    pub fn large_logs(&self) -> Vec<&'static str> {
        let is_ours = matches!(self.kind, AreaKind::Logs(_));
        sources::LOGS.into_iter().filter(|name| is_ours && sources::is_large(&self.folder.join(name))).collect()
    }

    /// Removes what killed writers left, and folders of ours that have nothing in them; the caller holds the lock. A folder
    /// that others write to without it stays.
    pub fn tidy(&self) {
        let folders: &[&str] = match self.kind {
            AreaKind::Memory => &["episodes", "profiles", sources::SUMMARIES],
            AreaKind::Queue(_) => &[DONE, FAILED, WORK, STATES],
            AreaKind::Logs(_) => &[""],
            AreaKind::Caches(_) | AreaKind::Knowledge => &[],
        };
        for folder in folders.iter().filter_map(|name| Root::new(&self.folder).inside(name).ok()) {
            if folder.symlink_metadata().is_ok_and(|data| data.is_dir()) {
                file::remove_leftovers(&folder, None);
                file::remove_folder(&folder);
            }
        }
    }

    /// Brings the menu to the episodes, where it is older than the last change of these; the caller holds the lock.
    pub fn follow(&self, redactor: &Redactor) -> Result<(), Failure> {
        let [changed, menu] = [episodes::FOLDER, episodes::INDEX].map(|name| file::modified(&self.folder.join(name)));
        let is_behind = matches!(self.kind, AreaKind::Memory) && (menu.is_none() || changed >= menu);
        if is_behind { episodes::write_index(&self.folder, redactor) } else { Ok(()) }
    }

    /// Its real folder, as a few digits: receipts of one run keep their names apart where two folders become one.
    pub fn digits(&self) -> String {
        item::hash(file::real_path(&self.folder).as_os_str().as_encoded_bytes()).chars().take(4).collect()
    }
}
