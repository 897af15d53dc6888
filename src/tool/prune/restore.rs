//! Giving back what was pruned: a run by its id, or files by their names.

use super::area::{self, Area};
use super::{BY, PruneOptions, REMOVE, Sink, record};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Root};
use crate::record::pruned::Pruned;
use crate::redact::Redactor;
use crate::store::change::{self, Change, ChangeState, ChangedFile};
use crate::store::memories;
use crate::store::newest::POINTER;
use crate::tool::persist::EDIT;
use crate::tool::review::FORGET;
use std::collections::BTreeSet;
use std::path::Path;

/// The plans that are given back here, as their names begin.
const OURS: [&str; 4] = [BY, REMOVE, EDIT, FORGET];

/// Gives back what these words name, or lists what can be given back; 1 when there was nothing.
pub fn restore(
    tool: &str,
    words: &[String],
    wanted: PruneOptions,
    config: &Config,
    told: Sink<'_>,
) -> Result<Exit, Failure> {
    let areas = area::all(wanted.all, tool, config)?;
    let redactor = Redactor::new(&config.privacy)?;
    let is_listed = words.is_empty();
    let mut found: Vec<(&Area, Change, BTreeSet<String>)> = Vec::new();
    let mut known = BTreeSet::new();
    for area in &areas {
        area.is_ours()?;
        if !wanted.dry_run && !is_listed {
            area.settle(&redactor)?;
        }
        // The newest first: of a file that went twice that one comes back.
        let mut names = BTreeSet::new();
        for receipt in change::receipts(&area.folder)?.into_iter().rev().filter(is_ours) {
            let run: Vec<&String> = words.iter().filter(|word| is_run(word, &receipt.id)).collect();
            let mut meant = BTreeSet::new();
            for entry in receipt.entries.iter().filter(|entry| entry.state == ChangeState::Done) {
                let word = words.iter().find(|word| is_name(word, &area.folder, entry));
                known.extend(run.iter().copied().chain(word));
                if is_listed || !run.is_empty() || word.is_some() && names.insert(entry.name.clone()) {
                    meant.insert(entry.name.clone());
                }
            }
            if !meant.is_empty() {
                found.push((area, receipt, meant));
            }
        }
    }
    if let Some(word) = words.iter().find(|word| !known.contains(word)) {
        let what = "is neither a run nor a file that can be restored; lh-prune --restore lists them";
        return Err(Failure::data(format!("'{word}' {what}, and with --all those of every project")));
    }
    let (mut any, mut followed) = (false, Vec::new());
    for (area, mut receipt, names) in found {
        if !is_listed && !wanted.dry_run {
            receipt = undo(area, receipt, &names, &redactor)?;
            followed.extend(receipt.by.starts_with(REMOVE).then_some(area));
        }
        for entry in receipt.entries.iter().filter(|entry| names.contains(&entry.name)) {
            let became = match entry.state {
                _ if is_listed => Pruned::Kept,
                _ if wanted.dry_run => Pruned::WouldRestore,
                ChangeState::Returned => Pruned::Restored,
                // It is made anew of what came back.
                _ if entry.name.ends_with(memories::KEPT) => continue,
                _ => Pruned::Left,
            };
            any |= became != Pruned::Left;
            told(&record(area, &receipt, entry, became))?;
        }
    }
    // When all folders of a memory are as they were.
    followed.into_iter().try_for_each(|area| area.follow_journal(config))?;
    Ok(if any { Exit::Done } else { Exit::No })
}

fn is_ours(receipt: &Change) -> bool {
    OURS.iter().any(|by| receipt.by.starts_with(by))
}

/// Gives back these files of a receipt, and says what came of each.
fn undo(area: &Area, receipt: Change, names: &BTreeSet<String>, redactor: &Redactor) -> Result<Change, Failure> {
    let what = || Failure::later(format!("{}: a model is called just now: try again later", area.folder.display()));
    let _locks = area.lock()?.ok_or_else(what)?;
    // A pointer that was made meanwhile does not know of what comes back.
    for entry in receipt.entries.iter().filter(|entry| names.contains(&entry.name) && entry.name.ends_with(POINTER)) {
        file::remove(&Root::new(&area.folder).file(&entry.name)?)?;
    }
    let undone = change::undo(&area.folder, &receipt.id, Some(names))?;
    area.follow(redactor)?;
    Ok(undone.unwrap_or(receipt))
}

/// Whether a word is the id of a run: what all its receipts begin with, or that of one of them.
fn is_run(word: &str, id: &str) -> bool {
    OURS.iter().any(|by| word.contains(by))
        && id.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Whether a word is the name of a file: its path, or the last part of that.
fn is_name(word: &str, folder: &Path, entry: &ChangedFile) -> bool {
    let name = Path::new(&entry.name);
    let word = Path::new(word);
    name == word || name.file_name() == Some(word.as_os_str()) || folder.join(name) == word
}
