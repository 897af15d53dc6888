//! `MEMORY.md` made anew from the files: a line for each that has none, no line of ours whose file is gone, and, where it
//! is too long for its reader, one line in the place of the oldest of ours that were seldom told.

use super::index::{self, BYTES, LINES};
use super::state::{FOLD, MemoriesState};
use super::{Note, names, told};
use crate::base::exit::Failure;
use crate::base::{file, text};
use crate::redact::Redactor;
use jiff::Timestamp;
use std::cmp::Reverse;
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
            rebuild(folder.path(), false, &redactor).unwrap();
            let index = std::fs::read_to_string(folder.path().join(index::NAME)).unwrap();
            assert_eq!(index, format!("- mine\n{new}\n"));
            let kept = MemoriesState::read(folder.path()).unwrap();
            assert_eq!((kept.leaving.len(), kept.others), (0, others.clone()));
        }
    }
}
