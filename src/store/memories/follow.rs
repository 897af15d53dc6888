//! `MEMORY.md` where a plan takes memories out or changes them. It is changed in the same plan as the files, so that its
//! bytes come back with theirs. Where another author changed it in between, it stays, and what comes back gets its line
//! back. The same is told of items that a removal takes out.

use super::index::{self, Lines};
use super::state;
use super::{Note, names};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::{file, record};
use crate::record::item;
use crate::redact::Redactor;
use crate::store::change::{self, Change, ChangeState, ChangedFile, Planned};
use std::collections::BTreeSet;
use std::path::Path;

/// What becomes of the index when `retired` are gone and `changed` are as here; none where it stays as it is. A line that
/// links to a file that stays is left alone, and so is a line for a changed memory that another author wrote.
pub fn followed(
    folder: &Path,
    retired: &BTreeSet<String>,
    changed: &[Note],
    redactor: &Redactor,
) -> Result<Option<Planned>, Failure> {
    let bytes = index::bytes(folder)?;
    let Ok(text) = str::from_utf8(&bytes) else { return Ok(None) };
    let state = state::MemoriesState::read(folder)?;
    let (mut ours, mut wanted) = (Lines::new(), Lines::new());
    for line in text.lines() {
        let links = index::links(line, folder);
        let is_for = |note: &&Note| links == [note.file.as_str()] && state.is_line(line);
        if !links.is_empty() && links.iter().all(|file| retired.contains(file)) {
            ours.push((String::new(), line.to_owned()));
        } else if let Some(note) = changed.iter().find(is_for) {
            let new = index::line(&note.file, &note.name, &note.description);
            ours.push((note.file.clone(), line.to_owned()));
            wanted.push((note.file.clone(), redactor.shown(&new).into_owned()));
        }
    }
    let new = index::listed(&bytes, folder, &ours, &wanted);
    if new == bytes {
        return Ok(None);
    }
    let after = (!new.is_empty()).then(|| index::kept(new));
    let (before, why) = (change::hash(Some(&bytes)), "the index of what was changed".to_owned());
    Ok(Some(Planned { name: index::NAME.to_owned(), why, before, after, ..Planned::default() }))
}

/// Brings the index to what became of a receipt's files: our lines are made anew, and what is there again has the line that
/// it had. The caller holds the folder's lock.
pub fn follow(folder: &Path, receipt: &Change, redactor: &Redactor) -> Result<(), Failure> {
    let Some(entry) = receipt.entries.iter().find(|entry| entry.name == index::NAME) else { return Ok(()) };
    let Some(before) = file::read_text(&folder.join(&entry.place))? else { return Ok(()) };
    let (mut back, now) = (Lines::new(), index::read(folder)?);
    let is_there = |entry: &&ChangedFile| {
        matches!(entry.state, ChangeState::Returned | ChangeState::Left) && folder.join(&entry.name).exists()
    };
    for ChangedFile { name, .. } in receipt.entries.iter().filter(is_there) {
        let is_of_it = |line: &str| index::links(line, folder).contains(name);
        let line = before.lines().find(|line| is_of_it(line));
        if let Some(line) = line.filter(|_| !now.iter().any(|line| is_of_it(line))) {
            back.push((name.clone(), redactor.shown(line).into_owned()));
        }
    }
    index::change(folder, &Lines::new(), &back)?;
    let state = state::MemoriesState::read(folder)?;
    let files = names(folder)?.into_iter().filter(|name| state.has(name)).collect();
    super::rebuild::list(folder, &state, &state, files, false, redactor).map(drop)
}

/// What is to become of a file, by its name; none for one that goes.
pub type After = (String, Option<Masked>);

/// What is to become of the files and of the index of these items, and of what is kept of them among the caches. A
/// file that was changed since we wrote it is its last writer's, and stays.
pub fn without(
    folder: &Path,
    ids: &BTreeSet<String>,
    redactor: &Redactor,
) -> Result<(Vec<After>, Option<After>), Failure> {
    let mut known = state::MemoriesState::read(folder)?;
    let mut gone = Vec::new();
    for filed in known.notes.iter().filter(|filed| ids.contains(&filed.id) && !filed.gone) {
        let is_ours = file::read(&folder.join(&filed.file))?.is_some_and(|bytes| item::hash(&bytes) == filed.hash);
        gone.extend(is_ours.then(|| filed.clone()));
    }
    if gone.is_empty() {
        return Ok((Vec::new(), None));
    }
    known.notes.retain(|filed| !gone.contains(filed));
    let mut files: Vec<After> = gone.iter().map(|filed| (filed.file.clone(), None)).collect();
    let ours = gone.iter().map(|filed| (filed.file.clone(), filed.line.clone())).collect();
    let lines = index::listed(&index::bytes(folder)?, folder, &ours, &Lines::new());
    files.push((index::NAME.to_owned(), (!lines.is_empty()).then(|| index::kept(lines))));
    let kept = if known == state::MemoriesState::default() {
        None
    } else {
        Some(redactor.masked_json(&record::json_line(&known)?))
    };
    Ok((files, Some((state::NAME.to_owned(), kept))))
}
