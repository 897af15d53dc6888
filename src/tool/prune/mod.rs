//! Keeps what is kept within its bounds: what is old, too much or of a session that is gone goes to the `.archive/` of its
//! folder, by [`change`], which also gives it back. Nothing is done that a later run cannot go on with, and each lock is
//! held for a batch of files at most, since hooks wait for it.

mod area;
mod plan;
mod remove;
mod restore;
mod sources;

use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, log};
use crate::record::pruned::{Pruned, pruned};
use crate::redact::Redactor;
use crate::store::Memory;
use crate::store::change::{self, Change, ChangeState, ChangedFile, Planned};
pub use crate::tool::by_id::wanted;
use area::Area;
use jiff::Timestamp;
pub use remove::{remove, run_of, undo};
pub use restore::restore;
use sources::Alive;

/// The name of our plans in the archive begins so.
pub const BY: &str = "prune";
/// That of what a person took out.
pub const REMOVE: &str = "remove";
/// Files that are moved under one lock.
const BATCH: usize = 200;
/// Copies that are removed under one lock.
const EXPIRED: usize = 2000;
/// Files that are little.
const FEW: usize = 300;
/// Names of what is left that are said.
const NAMED: usize = 3;

/// What is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub struct PruneOptions {
    /// In every project of every agent home.
    pub all: bool,
    /// A bounded little of it.
    pub few: bool,
    /// Tasks that were given up, too.
    pub failed: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// Takes a record of what was done.
pub type Sink<'a> = &'a mut dyn FnMut(&Record) -> Result<(), Failure>;

/// Prunes, in the name of `tool`. A folder in which it fails does not keep it from the others; the first failure is given,
/// and all were said.
pub fn prune(tool: &str, wanted: PruneOptions, config: &Config, told: Sink<'_>) -> Result<Option<Failure>, Failure> {
    over(area::all(wanted.all, tool, config)?, tool, wanted, config, told)
}

/// The same in the folders of one memory.
pub fn memory(tool: &str, memory: &Memory, config: &Config, told: Sink<'_>) -> Result<Option<Failure>, Failure> {
    over(area::of(memory.folders())?, tool, PruneOptions::default(), config, told)
}

fn over(
    areas: Vec<Area>,
    tool: &str,
    wanted: PruneOptions,
    config: &Config,
    told: Sink<'_>,
) -> Result<Option<Failure>, Failure> {
    let (alive, redactor) = (Alive::find(config)?, Redactor::new(&config.privacy)?);
    let left = if wanted.few { FEW } else { usize::MAX };
    let mut run = PruneRun { tool, wanted, alive, redactor, now: clock::now(), left };
    let mut failed = None;
    for area in areas {
        if let Err(failure) = run.prune(&area, told) {
            log::say(tool, &failure.message);
            failed = failed.or(Some(failure));
        }
    }
    Ok(failed)
}

/// One run.
struct PruneRun<'a> {
    tool: &'a str,
    wanted: PruneOptions,
    alive: Alive,
    redactor: Redactor,
    now: Timestamp,
    /// Files that it may still move.
    left: usize,
}

impl PruneRun<'_> {
    fn prune(&mut self, area: &Area, told: Sink<'_>) -> Result<(), Failure> {
        if self.left == 0 {
            return Ok(());
        }
        area.is_ours()?;
        if !self.wanted.dry_run && !area.settle(&self.redactor)? {
            return Ok(());
        }
        let mut plan = area.plan(self.wanted.failed, &self.alive, self.now)?;
        self.tell_strange(area, &plan.strange);
        plan.changes.truncate(self.left);
        self.left -= plan.changes.len();
        if self.wanted.dry_run {
            return would(area, &plan.changes, &area.large_logs(), told);
        }
        let mut changes = plan.changes.into_iter().peekable();
        while changes.peek().is_some() && self.carry_out(area, changes.by_ref().take(BATCH).collect(), told)? {}
        self.finish(area, told)
    }

    /// Moves a batch of files; whether that was possible now.
    fn carry_out(&self, area: &Area, mut batch: Vec<Planned>, told: Sink<'_>) -> Result<bool, Failure> {
        let Some(locks) = area.lock()? else { return Ok(false) };
        // Another run can have been there first.
        batch.retain(|change| area.folder.join(&change.name).exists());
        let by = format!("{BY}-{}", area.digits());
        let Some(receipt) = change::apply(&area.folder, &by, batch, self.now)? else { return Ok(true) };
        area.follow(&self.redactor)?;
        // Nothing waits for the reader of the receipts.
        drop(locks);
        for entry in &receipt.entries {
            told(&record(area, &receipt, entry, became(entry)))?;
        }
        Ok(true)
    }

    /// Turns large logs over, removes what is past its time in the archive, and the folders that are empty then.
    fn finish(&self, area: &Area, told: Sink<'_>) -> Result<(), Failure> {
        let mut logs = area.large_logs();
        logs.retain(|name| !area.folder.join(format!("{name}.1")).exists());
        if !logs.is_empty()
            && let Some(locks) = area.lock()?
        {
            for name in &logs {
                log::turn_over(&area.folder.join(name));
            }
            drop(locks);
            turned_over(area, &logs, Pruned::Shortened, told)?;
        }
        while change::is_used(&area.folder)
            && let Some(_locks) = area.lock()?
        {
            let removed = change::expire(&area.folder, self.now, EXPIRED)?;
            area.follow(&self.redactor)?;
            area.tidy();
            if removed < EXPIRED {
                break;
            }
        }
        Ok(())
    }

    /// Says what is in the way, but not at each session's start.
    fn tell_strange(&self, area: &Area, strange: &[String]) {
        if !strange.is_empty() && !self.wanted.few {
            let named: Vec<&str> = strange.iter().take(NAMED).map(String::as_str).collect();
            let more = if strange.len() > NAMED { ", \u{2026}" } else { "" };
            let (count, folder) = (strange.len(), area.folder.display());
            let what = format!("{folder}: {count} that lh did not write, left as they are: {}{more}", named.join(", "));
            log::say(self.tool, &what);
        }
    }
}

/// Tells of logs that are turned over.
fn turned_over(area: &Area, logs: &[&str], became: Pruned, told: Sink<'_>) -> Result<(), Failure> {
    let why = |name: &str| format!("larger than 1 MiB: it is {name}.1 now");
    logs.iter().try_for_each(|name| told(&pruned(&area.folder.join(name), &why(name), became)))
}

/// Tells what would be done.
fn would(area: &Area, changes: &[Planned], logs: &[&str], told: Sink<'_>) -> Result<(), Failure> {
    for change in changes {
        let became = if change.after.is_some() { Pruned::WouldShorten } else { Pruned::WouldRemove };
        told(&pruned(&area.folder.join(&change.name), &change.why, became))?;
    }
    turned_over(area, logs, Pruned::WouldShorten, told)
}

/// What a receipt says of a file.
fn became(entry: &ChangedFile) -> Pruned {
    match (entry.state, &entry.after) {
        (ChangeState::Left, _) => Pruned::Left,
        (_, Some(_)) => Pruned::Shortened,
        (_, None) => Pruned::Removed,
    }
}

/// The record of what a receipt has.
fn record(area: &Area, receipt: &Change, entry: &ChangedFile, became: Pruned) -> Record {
    let mut record = pruned(&area.folder.join(&entry.name), &entry.why, became);
    record.set("run", &receipt.id);
    record.set_some("kept_until", entry.kept_until(&receipt.ts).map(clock::local).as_ref());
    record
}
