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
        archive::keep(folder, &entry.place, bytes)?;
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

fn take_back(root: &Root, entry: &Changed) -> Result<State, Failure> {
    let target = root.file(&entry.name)?;
    let there = file::read(&target)?;
    let copy = if entry.place.is_empty() { None } else { file::read(&root.file(&entry.place)?)? };
    if hash(there.as_deref()) == entry.before && (entry.after.is_some() || copy.is_none()) {
        return Ok(State::Returned);
    }
    let is_back = |copy: &Vec<u8>| there.as_ref().is_some_and(|there| there.starts_with(copy));
    // The last line can have had no end.
    let end = |copy: &[u8]| if copy.is_empty() || copy.ends_with(b"\n") { "" } else { "\n" };
    let whole = |more: &[u8]| copy.as_ref().map(|copy| [copy.as_slice(), end(copy).as_bytes(), more].concat());
    // A list that was made anew meanwhile, or that got more lines, has these behind what comes back.
    let more = there.as_deref().filter(|_| entry.grows);
    let more = more.and_then(|there| there.strip_prefix(entry.after.as_deref().unwrap_or("").as_bytes()));
    if let Some(more) = more.filter(|more| !more.is_empty() && copy.is_some()) {
        if copy.as_ref().is_some_and(is_back) {
            // It was taken back before a kill.
            return Ok(State::Returned);
        }
        let whole = whole(more);
        become_(&target, &hash(there.as_deref()), whole.clone().map(Masked::exact))?;
        return Ok(if file::read(&target)? == whole { State::Returned } else { State::Done });
    }
    let Some(after) = &entry.after else {
        // What has its name now is another's.
        let is_free = there.is_none() && copy.is_some();
        if is_free {
            root.folder(Path::new(&entry.name).parent().unwrap_or(Path::new("")))?;
        }
        let moved = is_free && file::rename_new(&root.file(&entry.place)?, &target)?;
        return Ok(if moved { State::Returned } else { State::Done });
    };
    let is_ours = there.as_deref() == Some(after.as_bytes());
    if !is_ours || copy.is_none() && !entry.before.is_empty() {
        return Ok(State::Done);
    }
    become_(&target, &hash(Some(after.as_bytes())), copy.map(Masked::exact))?;
    let is_back = hash(file::read(&target)?.as_deref()) == entry.before;
    Ok(if is_back { State::Returned } else { State::Done })
}

/// Replaces a file if its hash is `before`; without an `after` it is removed.
fn become_(target: &file::Target, before: &str, new: Option<Masked>) -> Result<(), Failure> {
    let new = new.unwrap_or_default();
    file::rewrite(target, |there| (hash(there) == before).then(|| new.clone()))
}
