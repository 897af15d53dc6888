//! The steps of a receipt, each of which can be taken again after a kill.

use super::hash;
use super::receipt::{Change, Changed, State};
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Root};
use crate::base::log;
use crate::base::masked::Masked;
use crate::store::archive;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Does what is still to be done, and writes down that it is.
pub(super) fn go_on(folder: &Path, receipt: &mut Change) -> Result<(), Failure> {
    let root = Root::new(folder);
    let mut touched = BTreeSet::new();
    for entry in &mut receipt.entries {
        let (done, otherwise) = match entry.state {
            State::Begun => (make(folder, &root, entry), State::Left),
            State::Returning => (take_back(&root, entry), State::Done),
            State::Done | State::Left | State::Returned => continue,
        };
        entry.state = match done {
            // A link that leads out, or a folder in its place: it would be no better the next time.
            Err(failure) if failure.exit == Exit::Data => {
                log::say("lh", &failure.message);
                otherwise
            }
            done => done?,
        };
        let names = [&entry.name, &entry.place].into_iter().filter(|name| !name.is_empty());
        touched.extend(names.filter_map(|name| folder.join(name).parent().map(Path::to_path_buf)));
    }
    let mut there = touched.iter().filter(|folder: &&PathBuf| folder.is_dir());
    there.try_for_each(|folder| file::sync_folder(folder))?;
    receipt.write(folder)
}

fn make(folder: &Path, root: &Root, entry: &Changed) -> Result<State, Failure> {
    let target = root.file(&entry.name)?;
    let there = file::read(&target)?;
    let now = hash(there.as_deref());
    let Some(after) = &entry.after else {
        let place = root.file(&entry.place)?;
        // It went before a kill: what has its name now is another's.
        if place.exists() {
            return Ok(State::Done);
        }
        if now != entry.before || !has_successor(root, entry)? {
            return Ok(State::Left);
        }
        root.folder(Path::new(&entry.place).parent().unwrap_or(Path::new("")))?;
        let moved = file::rename_new(&target, &place)?;
        // It was written in that very moment.
        if moved && hash(file::read(&place)?.as_deref()) != entry.before {
            let is_back = file::rename_new(&place, &target)?;
            return Ok(if is_back { State::Left } else { State::Done });
        }
        return Ok(if moved { State::Done } else { State::Left });
    };
    if now == hash(Some(after.as_bytes())) {
        return Ok(State::Done);
    }
    if now != entry.before {
        return Ok(State::Left);
    }
    if there.is_none() {
        root.folder(Path::new(&entry.name).parent().unwrap_or(Path::new("")))?;
    }
    if let Some(bytes) = there.filter(|_| !folder.join(&entry.place).exists()) {
        archive::keep_at(folder, Path::new(&entry.place), bytes)?;
    }
    become_(&target, &entry.before, Some(Masked::exact(after.as_bytes())))?;
    let is_made = file::read(&target)?.as_deref() == Some(after.as_bytes());
    Ok(if is_made { State::Done } else { State::Left })
}

/// Whether the file that says what this one said is as it should be.
fn has_successor(root: &Root, entry: &Changed) -> Result<bool, Failure> {
    let Some((name, wanted)) = &entry.successor else { return Ok(true) };
    Ok(hash(file::read(&root.file(name)?)?.as_deref()) == *wanted)
}

/// The way in which a file comes back.
enum Way {
    /// It is back already.
    IsBack,
    /// Its copy is moved to its place.
    Move,
    /// It becomes these bytes, or goes.
    Become(Option<Vec<u8>>),
}

/// Whether an entry can be taken back: its file is as it was made, or only got more lines.
pub(super) fn can_return(folder: &Path, entry: &Changed) -> Result<bool, Failure> {
    let there = file::read(&folder.join(&entry.name))?;
    let copy = if entry.place.is_empty() { None } else { file::read(&folder.join(&entry.place))? };
    Ok(!matches!(way_back(entry, there.as_deref(), copy), None | Some(Way::IsBack)))
}

/// How a file comes back that is `there` now, with the bytes of its copy; none where it was changed since.
fn way_back(entry: &Changed, there: Option<&[u8]>, copy: Option<Vec<u8>>) -> Option<Way> {
    if hash(there) == entry.before && (entry.after.is_some() || copy.is_none()) {
        return Some(Way::IsBack);
    }
    // A list that was made anew meanwhile, or that got more lines, has these behind what comes back.
    let after = entry.after.as_deref().map(str::as_bytes);
    let more = there.filter(|_| entry.grows).and_then(|there| there.strip_prefix(after.unwrap_or_default()));
    if let (Some(more), Some(copy)) = (more.filter(|more| !more.is_empty()), &copy) {
        // It was taken back before a kill.
        if there.is_some_and(|there| there.starts_with(copy)) {
            return Some(Way::IsBack);
        }
        // The last line can have had no end.
        let end: &[u8] = if copy.is_empty() || copy.ends_with(b"\n") { b"" } else { b"\n" };
        return Some(Way::Become(Some([copy.as_slice(), end, more].concat())));
    }
    match after {
        // What has its name now is another's.
        None => (there.is_none() && copy.is_some()).then_some(Way::Move),
        Some(_) if there != after || copy.is_none() && !entry.before.is_empty() => None,
        Some(_) => Some(Way::Become(copy)),
    }
}

fn take_back(root: &Root, entry: &Changed) -> Result<State, Failure> {
    let target = root.file(&entry.name)?;
    let there = file::read(&target)?;
    let copy = if entry.place.is_empty() { None } else { file::read(&root.file(&entry.place)?)? };
    let is_back = match way_back(entry, there.as_deref(), copy) {
        None => false,
        Some(Way::IsBack) => true,
        Some(Way::Move) => {
            root.folder(Path::new(&entry.name).parent().unwrap_or(Path::new("")))?;
            file::rename_new(&root.file(&entry.place)?, &target)?
        }
        Some(Way::Become(bytes)) => {
            become_(&target, &hash(there.as_deref()), bytes.clone().map(Masked::exact))?;
            file::read(&target)? == bytes
        }
    };
    Ok(if is_back { State::Returned } else { State::Done })
}

/// Replaces a file if its hash is `before`; without an `after` it is removed.
fn become_(target: &file::Target, before: &str, new: Option<Masked>) -> Result<(), Failure> {
    file::rewrite(target, |there| (hash(there) == before).then(|| new.clone().unwrap_or_else(Masked::default)))
}
