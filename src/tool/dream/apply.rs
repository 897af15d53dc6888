//! Carrying a plan out, whole or in part, and taking that back. What was planned for a file that changed since is left.

use super::{TOOL, record_of};
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, file, log};
use crate::redact::Redactor;
use crate::store::change::{self, ChangeState, ChangedFile, Planned};
use crate::store::memories::{self, Note, index};
use crate::store::plan::{self, PlannedChange, Retired, SeenFile};
use crate::store::{self, Memory};
use std::collections::BTreeSet;
use std::path::Path;

const BY: &str = "dream";

/// Who wants a plan to be applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Who<'a> {
    /// A person: these numbers, or all that is shown to lose nothing.
    Person(Option<&'a BTreeSet<usize>>),
    /// The configuration alone.
    Configuration,
}

/// Applies the plan that waits; says what was done, a record each.
pub fn apply(memory: &Memory, who: Who<'_>, redactor: &Redactor) -> Result<Vec<Record>, Failure> {
    let folder = memory.notes();
    let _lock = locked(folder, redactor)?;
    let plan = read(folder, if let Who::Person(numbers) = who { numbers } else { None })?;
    let is_wanted = |change: &PlannedChange| match who {
        Who::Person(Some(numbers)) => numbers.contains(&change.number),
        Who::Person(None) => !change.offered,
        Who::Configuration => !change.offered && !change.of_others,
    };
    let (wanted, rest): (Vec<PlannedChange>, Vec<PlannedChange>) = plan.into_iter().partition(is_wanted);
    let (mut told, mut chosen) = (Vec::new(), Vec::new());
    for change in wanted {
        match changed(folder, &change)? {
            Some(file) => {
                told.push(became(&change, folder, "left", &format!("'{file}' was changed since it was read"))?);
            }
            None => chosen.push(change),
        }
    }
    for change in rest.iter().filter(|change| change.offered && who == Who::Person(None)) {
        let why = format!("a fact could be lost: --only {} applies it", change.number);
        told.push(became(change, folder, "only_offered", &why)?);
    }
    if !chosen.is_empty() {
        let receipt = carry_out(folder, &chosen, redactor)?;
        for change in &chosen {
            told.push(applied(change, folder, &receipt)?);
        }
        log::say(TOOL, &format!("to take it back: lh-dream --undo {}", receipt.id));
    }
    plan::keep(folder, &rest, redactor)?;
    Ok(told)
}

/// Takes back what a receipt says, or the newest one.
pub fn undo(memory: &Memory, id: Option<&str>, redactor: &Redactor) -> Result<Vec<Record>, Failure> {
    let folder = memory.notes();
    let _lock = locked(folder, redactor)?;
    let is_meant = |receipt: &change::Change| match id {
        Some(id) => receipt.id == id,
        None => files(receipt).any(|entry| entry.state == ChangeState::Done),
    };
    let meant = receipts(folder)?.rev().find(is_meant);
    let undone = meant.map(|receipt| change::undo(folder, &receipt.id, None)).transpose()?.flatten();
    let receipt = undone.ok_or_else(|| {
        let what =
            id.map_or_else(|| "nothing was consolidated here".to_owned(), |id| format!("no receipt '{id}' is here"));
        Failure::data(format!("{what}, or not within {} days", change::UNDO_SECONDS / 86_400))
    })?;
    memories::follow(folder, &receipt, redactor)?;
    Ok(files(&receipt).map(|file| change::told(folder, file)).collect())
}

/// Drops changes of the plan that waits, and remembers that; none for all.
pub fn refuse(memory: &Memory, numbers: Option<&BTreeSet<usize>>, redactor: &Redactor) -> Result<Vec<Record>, Failure> {
    let folder = memory.notes();
    let _lock = locked(folder, redactor)?;
    let (plan, mut state) = (read(folder, numbers)?, plan::PlanState::read(folder)?);
    let is_refused = |change: &PlannedChange| numbers.is_none_or(|numbers| numbers.contains(&change.number));
    let (refused, rest): (Vec<PlannedChange>, Vec<PlannedChange>) = plan.into_iter().partition(is_refused);
    for about in refused.iter().map(PlannedChange::about) {
        if !state.refused.contains(&about) {
            state.refused.push(about);
        }
    }
    state.keep(folder, redactor)?;
    plan::keep(folder, &rest, redactor)?;
    refused.iter().map(|change| became(change, folder, "refused", "")).collect()
}

/// Whether a run of ours was killed, and its plan is half carried out.
pub fn is_unfinished(folder: &Path) -> Result<bool, Failure> {
    Ok(receipts(folder)?.any(|receipt| receipt.is_unfinished()))
}

/// The receipts of consolidations, the oldest first.
fn receipts(folder: &Path) -> Result<impl DoubleEndedIterator<Item = change::Change>, Failure> {
    Ok(change::receipts(folder)?.into_iter().filter(|receipt| receipt.by == BY))
}

/// Takes the locks, and ends what was killed.
pub fn locked(folder: &Path, redactor: &Redactor) -> Result<[file::Lock; 2], Failure> {
    let locks = [plan::lock(folder)?, store::lock(folder)?];
    if plan::is_held(folder, clock::now()) {
        return Err(Failure::later("the client is consolidating these memories now: try again later"));
    }
    let mut ids: BTreeSet<String> =
        receipts(folder)?.filter(change::Change::is_unfinished).map(|receipt| receipt.id).collect();
    change::settle(folder)?;
    // The newest one can have ended without its index.
    ids.extend(receipts(folder)?.next_back().map(|receipt| receipt.id));
    for receipt in receipts(folder)?.filter(|receipt| ids.contains(&receipt.id)) {
        memories::follow(folder, &receipt, redactor)?;
    }
    Ok(locks)
}

/// The plan that waits; status 65 where one of these numbers is not in it.
fn read(folder: &Path, numbers: Option<&BTreeSet<usize>>) -> Result<Vec<PlannedChange>, Failure> {
    let plan = plan::read(folder)?;
    let is_unknown = |number: &&usize| !plan.iter().any(|change| change.number == **number);
    match numbers.into_iter().flatten().find(is_unknown) {
        Some(number) => Err(Failure::data(format!("no change {number} waits: lh-dream shows those that do"))),
        None => Ok(plan),
    }
}

/// The first file of a change that is not as it was.
fn changed(folder: &Path, change: &PlannedChange) -> Result<Option<String>, Failure> {
    for SeenFile { file, hash } in change.about() {
        if change::hash(file::read(&folder.join(&file))?.as_deref()) != hash {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Changes the files and the index by one receipt. What is retired is remembered before it goes.
fn carry_out(folder: &Path, chosen: &[PlannedChange], redactor: &Redactor) -> Result<change::Change, Failure> {
    let now = clock::now();
    let (mut changes, mut written) = (Vec::new(), Vec::new());
    let (mut retired, mut state) = (BTreeSet::new(), plan::PlanState::read(folder)?);
    for change in chosen {
        let why = format!("{}: {}", change.line(), change.why);
        let of = |seen: &SeenFile, after| Planned {
            name: seen.file.clone(),
            why: why.clone(),
            before: seen.hash.clone(),
            after,
            ..Planned::default()
        };
        if let (Some(keeps), Some(text)) = (&change.keeps, &change.text) {
            changes.push(of(keeps, Some(redactor.masked(text))));
            written.push(Note::parse(&keeps.file, text));
        }
        for seen in &change.retires {
            let Note { name, description, body, id, .. } = Note::read(folder, &seen.file)?.unwrap_or_default();
            retired.insert(seen.file.clone());
            let successor = change.keeps.as_ref().map(|keeps| {
                let hash = change.text.as_ref().map(|text| change::hash(Some(redactor.masked(text).bytes())));
                (keeps.file.clone(), hash.unwrap_or_else(|| keeps.hash.clone()))
            });
            changes.push(Planned { successor, ..of(seen, None) });
            state.retired.retain(|known| known.seen != *seen);
            state.retired.push(Retired { seen: seen.clone(), name, description, body, id });
        }
    }
    changes.extend(memories::followed(folder, &retired, &written, redactor)?);
    let until = clock::after(now, change::UNDO_SECONDS).to_string();
    for change in &mut changes {
        change.keep_until.clone_from(&until);
    }
    state.keep(folder, redactor)?;
    plan::consolidated(folder, now)?;
    let receipt = change::apply(folder, BY, changes, now)?.unwrap_or_default();
    memories::follow(folder, &receipt, redactor)?;
    Ok(receipt)
}

/// The entries of a receipt but for the index.
fn files(receipt: &change::Change) -> impl Iterator<Item = &ChangedFile> {
    receipt.entries.iter().filter(|entry| entry.name != index::NAME)
}

/// What became of a change that was chosen.
fn applied(change: &PlannedChange, folder: &Path, receipt: &change::Change) -> Result<Record, Failure> {
    let is_of = |entry: &&ChangedFile| change.touches().any(|seen| seen.file == entry.name);
    match files(receipt).filter(is_of).find(|entry| entry.state != ChangeState::Done) {
        Some(entry) => became(change, folder, "left", &format!("'{}' was changed a moment ago", entry.name)),
        None => became(change, folder, "done", ""),
    }
}

/// A change with what became of it.
fn became(change: &PlannedChange, folder: &Path, result: &str, why: &str) -> Result<Record, Failure> {
    let mut record = record_of(change, folder)?;
    record.set("result", result);
    record.set_text("reason", why);
    Ok(record)
}
