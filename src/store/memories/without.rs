//! A folder of typed memories without some items: what is to become of its files.

use super::index::{self, Edit};
use super::state::{NAME, State};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::{file, record};
use crate::record::item;
use crate::redact::Redactor;
use std::collections::BTreeSet;
use std::path::Path;

/// What is to become of a file, by its name; none for one that goes.
pub type After = (String, Option<Masked>);

/// What is to become of the files and of the index of these items, and of what is kept of them among the caches. A
/// file that was changed since we wrote it is its last writer's, and stays.
pub fn without(
    folder: &Path,
    ids: &BTreeSet<String>,
    redactor: &Redactor,
) -> Result<(Vec<After>, Option<After>), Failure> {
    let mut state = State::read(folder)?;
    let mut gone = Vec::new();
    for filed in state.notes.iter().filter(|filed| ids.contains(&filed.id) && !filed.gone) {
        let is_ours = file::read(&folder.join(&filed.file))?.is_some_and(|bytes| item::hash(&bytes) == filed.hash);
        gone.extend(is_ours.then(|| filed.clone()));
    }
    if gone.is_empty() {
        return Ok((Vec::new(), None));
    }
    state.notes.retain(|filed| !gone.contains(filed));
    let mut files: Vec<After> = gone.iter().map(|filed| (filed.file.clone(), None)).collect();
    let edit = |line: &String, unend: bool| Edit { old: Some(line.clone()), new: None, unend };
    let edits: Vec<Edit> = gone.iter().rev().map(|filed| edit(&filed.line, filed.ended)).collect();
    let lines = index::whole(index::edited(&index::bytes(folder)?, &edits), folder);
    files.push((index::NAME.to_owned(), (!lines.is_empty()).then(|| index::kept(lines))));
    let kept = if state == State::default() { None } else { Some(redactor.masked_json(&record::json_line(&state)?)) };
    Ok((files, Some((NAME.to_owned(), kept))))
}
