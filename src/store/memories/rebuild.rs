//! `MEMORY.md` made anew from the files: a line for each that has none, no line of ours whose file is gone, and, where it
//! is too long for its reader, one line in the place of the oldest of ours that were seldom told.
//!
//! Where a plan takes memories out or changes them, the index is changed in the same plan as the files, so that its bytes
//! come back with theirs. Where another author changed it in between, it stays, and what comes back gets its line back.

use super::index::{self, BYTES, LINES, Lines};
use super::state::{self, FOLD, MemoriesState};
use super::{Note, names, told};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::{file, record, text};
use crate::record::item;
use crate::redact::Redactor;
use crate::store::change::{self, Change, ChangeState, ChangedFile, Planned};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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

/// A memory that gets a line of ours.
struct Own {
    file: String,
    line: String,
    written: Option<i64>,
}

/// Makes the index of a folder anew, and says what it will be; a `dry` run changes nothing. The caller holds the folder's
/// lock.
pub fn rebuild(folder: &Path, dry: bool, redactor: &Redactor) -> Result<Vec<u8>, Failure> {
    let state = MemoriesState::read(folder)?;
    list(folder, &state, &state, names(folder)?, dry, redactor)
}

/// Brings the index to these files and what is kept of them; `before` is what was kept, with the lines that are there.
pub fn list(
    folder: &Path,
    before: &MemoriesState,
    state: &MemoriesState,
    files: Vec<String>,
    dry: bool,
    redactor: &Redactor,
) -> Result<Vec<u8>, Failure> {
    let index = index::bytes(folder)?;
    let text = String::from_utf8_lossy(&index);
    let mut own = Vec::new();
    for file in files.into_iter().filter(|file| has_place(file)) {
        let Some(note) = Note::read(folder, &file)? else { continue };
        let line = redactor.shown(&index::line(&file, &note.name, &note.description)).into_owned();
        own.push(Own { line, written: file::modified(&folder.join(&file)).map(Timestamp::as_second), file });
    }
    let mut ours = before.lines();
    // What comes back with an undo is a line as we would write it.
    ours.extend(own.iter().filter(|own| before.has(&own.file)).map(|own| (own.file.clone(), own.line.clone())));
    let is_ours = |line: &str| ours.iter().any(|(_, own)| own == line);
    let theirs: Vec<&str> = text.lines().filter(|line| !is_ours(line)).collect();
    let linked: HashSet<String> = theirs.iter().flat_map(|line| index::links(line, folder)).collect();
    own.retain(|own| !linked.contains(&own.file));
    let bytes_of_ours: usize = text.lines().filter(|line| is_ours(line)).map(|line| line.len() + 1).sum();
    // The last line can have no end.
    let kept = kept(&own, theirs.len(), index.len().saturating_sub(bytes_of_ours), folder, redactor);
    let mut state = MemoriesState { notes: state.notes.clone(), ..MemoriesState::default() };
    let mut wanted = Vec::new();
    for Own { file, line, .. } in &own {
        if kept.contains(file.as_str()) {
            state.put_line(file, line);
            wanted.push((file.clone(), line.clone()));
        } else {
            state.put_line(file, "");
            state.folded.push(file.clone());
        }
    }
    state.folded.sort();
    state.fold = (!state.folded.is_empty()).then(|| fold_line(state.folded.len()));
    wanted.extend(state.fold.clone().map(|line| (FOLD.to_owned(), line)));
    if !dry {
        state.change_index(before, &ours, &wanted, folder, redactor)?;
    }
    Ok(index::listed(&index, folder, &ours, &wanted))
}

/// The files that get a line beside so many lines and bytes of others: all, or, where that is too long for the reader,
/// those that were written or told last.
fn kept<'o>(own: &'o [Own], lines: usize, bytes: usize, folder: &Path, redactor: &Redactor) -> HashSet<&'o str> {
    let fits = |own: &[&Own], fold: &str| {
        let bytes_of_ours: usize = own.iter().map(|own| own.line.len() + 1).sum();
        lines + own.len() + fold.lines().count() <= LINES && bytes + bytes_of_ours + fold.len() <= BYTES
    };
    let mut kept: Vec<&Own> = own.iter().collect();
    if !fits(&kept, "") {
        let told = told::by_file(&told::all(folder, "lh"));
        let worth = |own: &&Own| {
            let (last, times) = told.get(&*redactor.shown(&own.file)).copied().unwrap_or((None, 0));
            (Reverse((last.max(own.written), times)), own.file.clone())
        };
        kept.sort_by_cached_key(worth);
        let fold = fold_line(own.len()) + "\n";
        while !fits(&kept, &fold) && kept.pop().is_some() {}
    }
    kept.iter().map(|own| own.file.as_str()).collect()
}

/// The line that tells of those that have none.
fn fold_line(count: usize) -> String {
    let memories = if count == 1 { "memory is" } else { "memories are" };
    format!(
        "- {count} more {memories} not listed here, the oldest that were seldom told: see the other .md files in this folder"
    )
}

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
    let state = MemoriesState::read(folder)?;
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
    let state = MemoriesState::read(folder)?;
    let files = names(folder)?.into_iter().filter(|name| state.has(name)).collect();
    list(folder, &state, &state, files, false, redactor).map(drop)
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
    let mut known = MemoriesState::read(folder)?;
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
    let kept =
        if known == MemoriesState::default() { None } else { Some(redactor.masked_json(&record::json_line(&known)?)) };
    Ok((files, Some((state::NAME.to_owned(), kept))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redactor;

    #[test]
    fn a_line_that_was_about_to_go_goes() {
        let folder = tempfile::tempdir().unwrap();
        let redactor = redactor();
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
            rebuild(folder.path(), false, &redactor).unwrap();
            let index = std::fs::read_to_string(folder.path().join(index::NAME)).unwrap();
            assert_eq!(index, format!("- mine\n{new}\n"));
            let kept = MemoriesState::read(folder.path()).unwrap();
            assert_eq!((kept.leaving.len(), kept.others), (0, others.clone()));
        }
    }
}
