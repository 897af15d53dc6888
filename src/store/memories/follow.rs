//! `MEMORY.md` where a plan takes memories out or changes them. It is changed in the same plan as the files, so that its
//! bytes come back with theirs. Where another author changed it, or a file of the plan, in between, only the lines of the
//! plan's files are taken in or out. The same is told of items that a removal takes out.

use super::index::{self, Edit};
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
    let ours: Vec<String> = state::MemoriesState::read(folder)?.lines().cloned().collect();
    let mut edits = Vec::new();
    for line in String::from_utf8_lossy(&bytes).lines() {
        let links = index::links(line, folder);
        let is_for = |note: &&Note| links == [note.file.as_str()] && ours.iter().any(|own| own == line);
        let new = changed.iter().find(is_for).map(|note| index::line(&note.file, &note.name, &note.description));
        let new = new.map(|new| redactor.shown(&new).into_owned()).filter(|new| new != line);
        let goes = !links.is_empty() && links.iter().all(|file| retired.contains(file));
        if goes || new.is_some() {
            edits.push(Edit { old: Some(line.to_owned()), new, unend: false });
        }
    }
    let new = index::edited(&bytes, &edits);
    let is_text = String::from_utf8(bytes.clone()).is_ok();
    if new == bytes || !is_text {
        return Ok(None);
    }
    let after = (!new.is_empty()).then(|| index::kept(new));
    let (before, why) = (change::hash(Some(&bytes)), "the index of what was changed".to_owned());
    Ok(Some(Planned { name: index::NAME.to_owned(), why, before, after, ..Planned::default() }))
}

/// Brings the lines of a receipt's files to what became of each. The caller holds the folder's lock.
pub fn follow(folder: &Path, receipt: &Change, redactor: &Redactor) -> Result<(), Failure> {
    let Some(entry) = receipt.entries.iter().find(|entry| entry.name == index::NAME) else { return Ok(()) };
    let Some(before) = file::read_text(&folder.join(&entry.place))? else { return Ok(()) };
    let after = entry.after.clone().unwrap_or_default();
    let now = index::read(folder)?;
    let there: BTreeSet<String> = names(folder)?.into_iter().collect();
    let mut state = state::MemoriesState::read(folder)?;
    let known = state.clone();
    let mut edits = Vec::new();
    // A name of what went that is taken now is theirs, and so is its line.
    let is_theirs =
        |name: &ChangedFile| name.after.is_none() && name.state == ChangeState::Done && there.contains(&name.name);
    for name in receipt.entries.iter().filter(|other| other.name != index::NAME && !is_theirs(other)) {
        let of = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| index::links(line, folder).contains(&name.name));
            lines.map(str::to_owned).collect()
        };
        let (old, new) = (of(&before), of(&after));
        let (wanted, other) = if name.state == ChangeState::Done { (new, old) } else { (old, new) };
        let mut missing: Vec<String> = wanted.iter().filter(|line| !now.contains(line)).cloned().collect();
        let mut own = Vec::new();
        for line in other.into_iter().filter(|line| !wanted.contains(line)) {
            if state.lines().any(|own| *own == line) && there.contains(&name.name) {
                state.put_line(&name.name, wanted.first().cloned().unwrap_or_default());
            }
            if now.contains(&line) {
                own.push(Edit { old: Some(line), new: missing.pop(), unend: false });
            }
        }
        let has_line = || now.iter().any(|line| index::links(line, folder).contains(&name.name));
        if there.contains(&name.name) && own.is_empty() && !has_line() {
            own.extend(missing.into_iter().map(|line| Edit { old: None, new: Some(line), unend: false }));
        }
        edits.append(&mut own);
    }
    state.change_index(&known, &edits, folder, redactor)
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
    let edit = |line: &String, unend: bool| Edit { old: Some(line.clone()), new: None, unend };
    let edits: Vec<Edit> = gone.iter().rev().map(|filed| edit(&filed.line, filed.ended)).collect();
    let lines = index::whole(index::edited(&index::bytes(folder)?, &edits), folder);
    files.push((index::NAME.to_owned(), (!lines.is_empty()).then(|| index::kept(lines))));
    let kept = if known == state::MemoriesState::default() {
        None
    } else {
        Some(redactor.masked_json(&record::json_line(&known)?))
    };
    Ok((files, Some((state::NAME.to_owned(), kept))))
}
