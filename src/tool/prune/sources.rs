//! What is old in each kind of folder; lh-prune(1) has the limits and their reasons.

use super::plan::Plan;
use crate::agent::layout;
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::log;
use crate::queue::{DONE, FAILED, STATES, SessionState};
use crate::record::episode::Episode;
use crate::record::session;
use crate::record::task::Task;
use crate::store::{episodes, ledger};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

/// Days for which an episode is kept, and how many of a memory folder are.
const EPISODE_DAYS: i64 = episodes::KEPT_SECONDS / 86_400;
const EPISODES: usize = 200;
/// Days for which a task is kept that is done or was given up, and what is known of a session that is gone.
const DAYS: i64 = 30;
/// The logs that are turned over when they are large.
pub const LOGS: [&str; 3] = ["hooks.log", "compound-loop.log", "qmd.log"];
/// What is kept of a session that summarizes itself again, in each memory folder.
pub const SUMMARIES: &str = ".state/summaries";
/// What is kept of each session with the caches of a memory folder, and how the names end. The receipts of lh-persist
/// are not here: by them a person takes back what a session wrote, however long ago.
const CACHES: [(&str, &str); 2] = [("told", ".jsonl"), ("exports", ".json")];

/// The sessions whose transcript is there.
pub struct Alive(Option<BTreeSet<String>>);

impl Alive {
    /// Those of every agent home. Where a home cannot be looked into, as on a drive that is not mounted, or where all
    /// transcripts are missing, no session counts as gone.
    pub fn find(config: &Config) -> Result<Self, Failure> {
        let mut found = BTreeSet::new();
        for home in config.agent_homes()? {
            let projects = layout::projects(&home);
            if !home.is_dir() || projects.is_symlink() && !projects.is_dir() {
                return Ok(Self(None));
            }
            let sessions = layout::sessions(&home)?;
            found.extend(sessions.iter().map(|(_, path)| session::safe_id(&session::id_of(path))));
        }
        Ok(Self(Some(found).filter(|found| !found.is_empty())))
    }

    fn is_gone(&self, id: &str) -> bool {
        self.0.as_ref().is_some_and(|alive| !alive.contains(id))
    }
}

/// The episodes of a memory folder that are too old or too many, and the summaries of sessions that are gone.
pub fn memory(plan: &mut Plan, alive: &Alive) -> Result<(), Failure> {
    let mut episodes = Vec::new();
    for name in plan.names(episodes::FOLDER, ".json")? {
        if !name.starts_with("episodes/session-") {
            plan.strange.push(name);
            continue;
        }
        let Some((written, bytes)) = plan.time(&name).and_then(|time| Some((time, plan.bytes(&name)?))) else {
            continue;
        };
        let said = Episode::parse(&String::from_utf8_lossy(&bytes)).and_then(|episode| episode.time());
        episodes.push((Reverse(said.unwrap_or(written)), name, bytes));
    }
    episodes.sort();
    for (number, (Reverse(time), name, bytes)) in episodes.into_iter().enumerate() {
        let why = if plan.is_over(time, EPISODE_DAYS) {
            format!("the session ended more than {EPISODE_DAYS} days ago")
        } else if number >= EPISODES {
            format!("not one of the newest {EPISODES}")
        } else {
            continue;
        };
        let keep_until = clock::after(time, episodes::KEPT_SECONDS).to_string();
        plan.take(name, &bytes, why, None).keep_until = keep_until;
    }
    gone(plan, (SUMMARIES, ".md"), alive, |_| true)
}

/// The caches of sessions that are gone; `below` is before the names of their folders.
pub fn caches(plan: &mut Plan, below: &str, alive: &Alive) -> Result<(), Failure> {
    let mut all = CACHES.iter();
    all.try_for_each(|(folder, ending)| gone(plan, (&format!("{below}{folder}"), ending), alive, |_| true))
}

/// What is kept of sessions of which the transcript is gone.
fn gone(plan: &mut Plan, at: (&str, &str), alive: &Alive, is_ours: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
    plan.take_old(at, DAYS, "the transcript of its session is gone", |id| alive.is_gone(id), is_ours)
}

/// The tasks that are done long since, those that were given up if that is asked for, and the states of sessions that are
/// gone.
pub fn queue(plan: &mut Plan, failed: bool, alive: &Alive, now: Timestamp) -> Result<(), Failure> {
    // The name begins with the second in which the session was queued: of one that is young the file is not looked at.
    let second = |stem: &str| stem.split('-').next()?.parse().ok();
    let is_young = |second: i64| now.as_second() - second <= DAYS * 86_400;
    let may_go = |stem: &str| !second(stem).is_some_and(is_young);
    for (folder, what) in [(DONE, "done"), (FAILED, "given up")].into_iter().take(1 + usize::from(failed)) {
        let why = format!("{what} more than {DAYS} days ago");
        plan.take_old((folder, ".task"), DAYS, &why, may_go, |bytes| Task::parse(bytes).is_ok())?;
    }
    let is_state = |bytes: &[u8]| SessionState::parse(&String::from_utf8_lossy(bytes)) != SessionState::default();
    gone(plan, (STATES, ""), alive, is_state)
}

/// The ledger as far as it is too long, and what large logs were before they were turned over last.
pub fn logs(plan: &mut Plan, logs: &Path, now: Timestamp) {
    for name in LOGS {
        let old = format!("{name}.1");
        if is_large(&logs.join(name))
            && let Some(bytes) = plan.time(&old).and_then(|_| plan.bytes(&old))
        {
            plan.take(old, &bytes, format!("{name} is larger than 1 MiB and takes its name"), None);
        }
    }
    if let Some(bytes) = plan.time(ledger::NAME).and_then(|_| plan.bytes(ledger::NAME))
        && let Some(part) = ledger::newest_part(&bytes, now)
    {
        plan.take(ledger::NAME.to_owned(), &bytes, "larger than 1 MiB: its newest part stays".to_owned(), Some(part));
    }
}

/// Whether a log is to be turned over; one that is a link is not ours.
pub fn is_large(log: &Path) -> bool {
    log.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() > log::ROTATE_BYTES)
}
