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
            edits.push(Edit { old: Some(line.to_owned()), new });
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

/// Brings the index to what became of a receipt's files: our lines are made anew, and the lines of others are taken out
/// with their files and come back with them. The caller holds the folder's lock.
pub fn follow(folder: &Path, receipt: &Change, redactor: &Redactor) -> Result<(), Failure> {
    let Some(entry) = receipt.entries.iter().find(|entry| entry.name == index::NAME) else { return Ok(()) };
    let Some(before) = file::read_text(&folder.join(&entry.place))? else { return Ok(()) };
    let now = index::read(folder)?;
    let state = state::MemoriesState::read(folder)?;
    let of = |text: &str, name: &String| -> Option<String> {
        text.lines().find(|line| index::links(line, folder).contains(name)).map(str::to_owned)
    };
    // It links to a file that stays, too.
    let stays: Vec<&str> = entry.after.iter().flat_map(|after| after.lines()).collect();
    let is_file = |entry: &&ChangedFile| entry.name != index::NAME && entry.after.is_none();
    let mut edits = Vec::new();
    for ChangedFile { name, state: became, .. } in receipt.entries.iter().filter(is_file) {
        let is_theirs = |line: &String| !stays.contains(&line.as_str()) && !state.lines().any(|own| own == line);
        let Some(line) = of(&before, name).filter(is_theirs) else { continue };
        let is_there = folder.join(name).exists();
        match became {
            // A name of what went that is taken now is theirs, and so is its line.
            ChangeState::Done if !is_there && now.contains(&line) => edits.push(Edit { old: Some(line), new: None }),
            ChangeState::Returned | ChangeState::Left if is_there && of(&now.join("\n"), name).is_none() => {
                edits.push(Edit { old: None, new: Some(line) });
            }
            _ => {}
        }
    }
    index::change(folder, &edits, redactor)?;
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
    let edits: Vec<Edit> = gone.iter().map(|filed| Edit { old: Some(filed.line.clone()), new: None }).collect();
    let lines = index::whole(index::edited(&index::bytes(folder)?, &edits), folder);
    files.push((index::NAME.to_owned(), (!lines.is_empty()).then(|| index::kept(lines))));
    let kept = if known == state::MemoriesState::default() {
        None
    } else {
        Some(redactor.masked_json(&record::json_line(&known)?))
    };
    Ok((files, Some((state::NAME.to_owned(), kept))))
}
