//! `MEMORY.md` made anew from the files: a line for each that has none, no line of ours whose file is gone, and, where it
//! is too long for its reader, one line in the place of the oldest of ours that were seldom told.

use super::index::{self, BYTES, Edit, LINES};
use super::state::MemoriesState;
use super::{Note, names};
use crate::base::exit::Failure;
use crate::base::{file, text};
use crate::redact::Redactor;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// A longer line of the index is named, in characters.
const LONG: usize = 250;

/// What an index does not say as it should, a line each; nothing where all is well.
pub fn check(folder: &Path) -> Result<Vec<String>, Failure> {
    let lines = index::read(folder)?;
    let bytes = index::bytes(folder)?.len();
    let state = MemoriesState::read(folder)?;
    let files = names(folder)?;
    let mut found = Vec::new();
    let mut linked: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let number = at + 1;
        for file in index::links(line, folder) {
            if !folder.join(&file).exists() {
                found.push(format!("{}:{number}: links to '{file}', which is not there", index::NAME));
            }
            linked.entry(file).or_default().push(number);
        }
        let chars = line.chars().count();
        if chars > LONG {
            found.push(format!("{}:{number}: {chars} characters; at most {LONG} are easily read", index::NAME));
        }
    }
    for (file, numbers) in linked.iter().filter(|(_, numbers)| numbers.len() > 1) {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        found.push(format!("{}:{}: each links to '{file}'", index::NAME, numbers.join(",")));
    }
    let mut known: HashMap<String, String> = HashMap::new();
    for file in &files {
        if !has_place(file) {
            let what = "its name has a line feed or another control character";
            found.push(format!("{file:?}: {what}, so {} gets no line for it: rename it", index::NAME));
            continue;
        }
        let Some(note) = Note::read(folder, file)? else { continue };
        if !linked.contains_key(file) && !state.folded.contains(file) {
            found.push(format!("{file}: {} has no line for it", index::NAME));
        }
        if !note.flaw.is_empty() {
            found.push(format!("{file}: {}", note.flaw));
        }
        for said in [text::canonical(&note.name), text::canonical(&note.description)] {
            let other = known.insert(said.clone(), file.clone());
            if let Some(other) = other.filter(|other| other != file && !said.is_empty()) {
                found.push(format!("{file}: says the same as '{other}' in its name or description"));
            }
        }
    }
    if lines.len() > LINES || bytes > BYTES {
        let count = lines.len();
        found.push(format!(
            "{}: {count} lines, {bytes} bytes; the client reads {LINES} lines, {BYTES} bytes",
            index::NAME
        ));
    }
    Ok(found)
}

/// Whether a line can name a file: no other text finds one again whose name has a line feed.
fn has_place(file: &str) -> bool {
    !file.contains(char::is_control)
}

/// A line of ours, and how soon it may go: the least first.
struct Own {
    file: String,
    line: String,
    worth: (Option<i64>, u64),
}

/// Makes the index of a folder anew, and says what it will be; a `dry` run changes nothing. `told` is of
/// [`super::told::by_file`]. The caller holds the folder's lock.
pub fn rebuild(
    folder: &Path,
    told: &BTreeMap<String, (Option<i64>, u64)>,
    dry: bool,
    redactor: &Redactor,
) -> Result<Vec<u8>, Failure> {
    let before = MemoriesState::read(folder)?;
    let mut state = before.clone();
    let index = index::bytes(folder)?;
    let lines: Vec<String> = String::from_utf8_lossy(&index).lines().map(str::to_owned).collect();
    let ours: HashSet<&String> = before.lines().collect();
    let theirs = lines.iter().filter(|line| !ours.contains(line));
    let linked: HashSet<String> = theirs.flat_map(|line| index::links(line, folder)).collect();
    let mut own = Vec::new();
    for file in names(folder)?.into_iter().filter(|file| has_place(file)) {
        let Some(note) = Note::read(folder, &file)?.filter(|_| !linked.contains(&file)) else { continue };
        let line = index::line(&file, &note.name, &note.description);
        let written = file::modified(&folder.join(&file)).map(Timestamp::as_second);
        let (last, times) = told.get(&*redactor.shown(&file)).copied().unwrap_or_default();
        own.push(Own { line: redactor.shown(&line).into_owned(), worth: (last.max(written), times), file });
    }
    let mut edits = plan(&index, &lines, &own, &mut state);
    edits.extend(index::without_ours(&lines, folder));
    let new = index::whole(index::edited(&index, &edits), folder);
    if !dry {
        state.change_index(&before, &edits, folder, redactor)?;
        super::tidy(folder, false, redactor)?;
    }
    Ok(new)
}

/// What is to be done to the lines; the state says then which of them are ours.
fn plan(index: &[u8], lines: &[String], own: &[Own], state: &mut MemoriesState) -> Vec<Edit> {
    let old: Vec<String> = state.lines().cloned().collect();
    state.leaving.clear();
    let left: Vec<&String> = lines.iter().filter(|line| !old.contains(line)).collect();
    let of_ours: usize = lines.iter().filter(|line| old.contains(line)).map(|line| line.len() + 1).sum();
    // The last line can have no end.
    let bytes_left = index.len().saturating_sub(of_ours);
    let fits = |own: &[&Own], fold: usize| {
        let bytes: usize = own.iter().map(|own| own.line.len() + 1).sum();
        left.len() + own.len() + usize::from(fold > 0) <= LINES && bytes_left + bytes + fold <= BYTES
    };
    let mut by_worth: Vec<&Own> = own.iter().collect();
    by_worth.sort_by(|a, b| b.worth.cmp(&a.worth).then_with(|| a.file.cmp(&b.file)));
    let mut kept = by_worth.len();
    if !fits(&by_worth, 0) {
        while kept > 0 && !fits(&by_worth[..kept], fold_line(by_worth.len()).len() + 1) {
            kept -= 1;
        }
    }
    let (kept, folded) = by_worth.split_at(kept);
    state.folded = folded.iter().map(|own| own.file.clone()).collect();
    state.folded.sort();
    let fold = (!folded.is_empty()).then(|| fold_line(folded.len()));
    let has_none = |file: &String| !own.iter().any(|own| own.file == *file);
    state.notes.iter_mut().filter(|filed| has_none(&filed.file)).for_each(|filed| filed.line.clear());
    state.others.retain(|file, _| !has_none(file));
    let mut edits = Vec::new();
    for own in own {
        let is_kept = kept.iter().any(|kept| kept.file == own.file);
        let line = state.take_line(&own.file);
        let there = line.clone().filter(|line| lines.contains(line));
        let new = is_kept.then(|| own.line.clone());
        if there != new {
            edits.push(Edit { old: there, new: new.clone(), unend: false });
        }
        state.put_line(&own.file, new.unwrap_or_default());
    }
    // Lines of ours with a file that is gone, or that has another author's line.
    for line in old.iter().filter(|line| lines.contains(line)) {
        let is_used =
            state.lines().any(|known| known == line) || edits.iter().any(|edit| edit.old.as_ref() == Some(line));
        if !is_used && state.fold.as_ref() != Some(line) {
            edits.push(Edit { old: Some(line.clone()), new: None, unend: false });
        }
    }
    let there = state.fold.take().filter(|line| lines.contains(line));
    if there != fold {
        edits.push(Edit { old: there, new: fold.clone(), unend: false });
    }
    state.fold = fold;
    edits.retain(|edit| edit.old.is_some() || edit.new.is_some());
    edits
}

/// The line that tells of those that have none.
fn fold_line(count: usize) -> String {
    let memories = if count == 1 { "memory is" } else { "memories are" };
    format!(
        "- {count} more {memories} not listed here, the oldest that were seldom told: see the other .md files in this folder"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::Privacy;

    #[test]
    fn a_line_that_was_about_to_go_goes() {
        let folder = tempfile::tempdir().unwrap();
        let redactor = Redactor::new(&Privacy::default()).unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("tabs.md", "---\nname: tabs\ndescription: Tabs, in all files\ntype: user\n---\n\nx\n");
        let (old, new) = ("- [Tabs](tabs.md) — Tabs".to_owned(), "- [Tabs](tabs.md) — Tabs, in all files".to_owned());
        let others = BTreeMap::from([("tabs.md".to_owned(), new.clone())]);
        // Killed before the index was changed, and behind that.
        for index in [format!("- mine\n{old}\n"), format!("- mine\n{new}\n")] {
            put(index::NAME, &index);
            let state =
                MemoriesState { others: others.clone(), leaving: vec![old.clone()], ..MemoriesState::default() };
            state.keep(folder.path(), &redactor).unwrap();
            rebuild(folder.path(), &BTreeMap::new(), false, &redactor).unwrap();
            let index = std::fs::read_to_string(folder.path().join(index::NAME)).unwrap();
            assert_eq!(index, format!("- mine\n{new}\n"));
            let kept = MemoriesState::read(folder.path()).unwrap();
            assert_eq!((kept.leaving.len(), kept.others), (0, others.clone()));
        }
    }
}
