//! What consolidation keeps of a folder of typed memories, in `.state/dream/`: the plan that waits, in `plan.jsonl`, and
//! in `state.json` when it was made and what a person said of earlier ones. Who changes either holds [`lock`]. The
//! client's own lock is here, too: its time is that of the last consolidation, the client's or ours.

use super::memories::Note;
use crate::agent::layout;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Lock};
use crate::base::word_enum::words;
use crate::base::{clock, file::modified, log, record};
use crate::record::item;
use crate::redact::Redactor;
use crate::store;
use jiff::Timestamp;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

const PLAN: &str = "dream/plan.jsonl";
const STATE: &str = "dream/state.json";
const LOCK: &str = "dream/lock";
/// Who has held the client's lock for so long is dead.
const STALE_SECONDS: i64 = 3600;
/// So much is remembered of each kind.
const REMEMBERED: usize = 5000;

words! {
    /// What is to become of some memories.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    PlanAction {
        /// Several become one.
        Merge = "merge",
        /// One is written anew.
        Rewrite = "rewrite",
        /// One goes.
        #[default]
        Retire = "retire",
    }
}

/// A file as it was when the plan was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, rename = "Seen")]
pub struct SeenFile {
    /// Its name.
    pub file: String,
    /// Its hash.
    pub hash: String,
}

/// One change of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlannedChange {
    /// `change`.
    #[serde(rename = "type")]
    pub kind: String,
    /// By which it is named.
    pub number: usize,
    /// What it does.
    pub action: PlanAction,
    /// The file that stays: what is merged into, is rewritten, or says what a retired one said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keeps: Option<SeenFile>,
    /// What that file will be; none where it stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The files that go.
    pub retires: Vec<SeenFile>,
    /// Why.
    pub why: String,
    /// The sentences that justify it.
    pub quotes: Vec<String>,
    /// Nothing shows that no fact is lost: only a person who names its number applies it.
    pub offered: bool,
    /// A person or the agent wrote, or changed, one of the files.
    pub of_others: bool,
}

impl PlannedChange {
    /// The files that it changes.
    pub fn touches(&self) -> impl Iterator<Item = &SeenFile> {
        self.keeps.iter().filter(|_| self.text.is_some()).chain(&self.retires)
    }

    /// All files that it is about, as they were.
    pub fn about(&self) -> BTreeSet<SeenFile> {
        self.keeps.iter().chain(&self.retires).cloned().collect()
    }

    /// What it does, in a few words.
    pub fn line(&self) -> String {
        let retires: Vec<&str> = self.retires.iter().map(|seen| seen.file.as_str()).collect();
        let keeps = self.keeps.as_ref().map_or("", |seen| seen.file.as_str());
        match (self.action, keeps) {
            (PlanAction::Rewrite, keeps) => format!("rewrite {keeps}"),
            (PlanAction::Merge, keeps) => format!("merge {} into {keeps}", retires.join(", ")),
            (PlanAction::Retire, "") => format!("retire {}", retires.join(", ")),
            (PlanAction::Retire, keeps) => format!("retire {} for {keeps}", retires.join(", ")),
        }
    }
}

/// The changes that wait for a person in a folder.
pub fn read(folder: &Path) -> Result<Vec<PlannedChange>, Failure> {
    let text = file::read_text(&store::cache(folder, PLAN)?)?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Keeps them; a plan without changes is not kept.
pub fn keep(folder: &Path, changes: &[PlannedChange], redactor: &Redactor) -> Result<(), Failure> {
    let target = store::cache(folder, PLAN)?;
    if changes.is_empty() {
        return file::remove(&target);
    }
    let lines: String = changes.iter().map(record::json_line).collect::<Result<_, _>>()?;
    file::replace(&target, &redactor.masked_json(&lines), Durable::Yes)
}

/// How many changes wait in a folder, in words; none where no plan does, or it cannot be read.
pub fn waiting(folder: &Path) -> Option<String> {
    match read(folder).ok()?.len() {
        0 => None,
        1 => Some("1 change of the typed memories waits: lh-dream shows it".to_owned()),
        count => Some(format!("{count} changes of the typed memories wait: lh-dream shows them")),
    }
}

/// A memory that was retired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retired {
    /// The file as it was.
    #[serde(flatten)]
    pub seen: SeenFile,
    /// Its name and what it said.
    pub name: String,
    /// See [`Note`].
    pub description: String,
    /// See [`Note`].
    pub body: String,
    /// See [`Note`].
    pub id: String,
}

/// What is remembered of plans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename = "State")]
pub struct PlanState {
    /// When the last plan was made, RFC 3339.
    pub planned_at: String,
    /// When the folder was last looked at.
    pub looked_at: String,
    /// The files of each change that was refused, as they were.
    pub refused: Vec<BTreeSet<SeenFile>>,
    /// What was retired.
    pub retired: Vec<Retired>,
}

impl PlanState {
    /// That of a folder. Status 65 where it does not parse: who goes on without it would overwrite what was refused.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = store::cache(folder, STATE)?;
        let Some(text) = file::read_text(&path)? else { return Ok(Self::default()) };
        serde_json::from_str(&text).map_err(|why| {
            let path = path.display();
            Failure::data(format!("'{path}': {why}: repair it, or move it away to forget what was refused and retired"))
        })
    }

    /// Keeps it.
    pub fn keep(&mut self, folder: &Path, redactor: &Redactor) -> Result<(), Failure> {
        self.refused.drain(..self.refused.len() - self.refused.len().min(REMEMBERED));
        self.retired.drain(..self.retired.len() - self.retired.len().min(REMEMBERED));
        let line = redactor.masked_json(&record::json_line(self)?);
        file::replace(&store::cache(folder, STATE)?, &line, Durable::Yes)
    }

    /// When the last plan was made, or when the client's lock says that memories were last consolidated.
    pub fn last(&self, folder: &Path) -> Option<Timestamp> {
        clock::parse(&self.planned_at).max(modified(&layout::consolidation_lock(folder)))
    }
}

/// What was retired from a folder and did not come back: it need not be written again. Where `state.json` does not
/// parse, that is said in the name of `tool`, and nothing is known to be retired.
pub fn retired(folder: &Path, tool: &str) -> Result<Vec<Note>, Failure> {
    let mut found = Vec::new();
    let state = match PlanState::read(folder) {
        Err(failure) if failure.exit == Exit::Data => {
            log::say(tool, &failure.message);
            PlanState::default()
        }
        state => state?,
    };
    for Retired { seen, name, description, body, id } in state.retired {
        let there = file::read(&folder.join(&seen.file))?;
        if there.is_none_or(|bytes| item::hash(&bytes) != seen.hash) {
            found.push(Note { file: seen.file, name, description, body, id, ..Note::default() });
        }
    }
    Ok(found)
}

/// Keeps two of us apart, for as long as a model thinks; status 75 while another one works.
pub fn lock(folder: &Path) -> Result<Lock, Failure> {
    let own = store::cache_folder(folder, "dream")?;
    let busy = || Failure::later("another lh-dream is at work here: try again later");
    let lock = file::try_lock(&store::cache(folder, LOCK)?)?.ok_or_else(busy)?;
    file::remove_leftovers(&own, None);
    Ok(lock)
}

/// Whether the client is consolidating now: a process that lives is in its lock, which is younger than an hour.
pub fn is_held(folder: &Path, now: Timestamp) -> bool {
    let path = layout::consolidation_lock(folder);
    let is_fresh = modified(&path).is_some_and(|time| clock::seconds_between(time, now) < STALE_SECONDS);
    let holder = file::read_head(&path, 64).unwrap_or_default().trim().parse::<i32>().ok();
    let lives = |pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH);
    is_fresh && holder.filter(|pid| *pid > 0).and_then(Pid::from_raw).is_some_and(lives)
}

/// Says in the client's lock that memories were consolidated now.
pub fn consolidated(folder: &Path, now: Timestamp) -> Result<(), Failure> {
    let target = file::Root::new(folder).file(layout::consolidation_lock(folder))?;
    file::replace_with(&target, Durable::No, |out| out.set_modified(now.into()))
}
