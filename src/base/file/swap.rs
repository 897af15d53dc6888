//! Changing a file that others write, too, who take no lock. The new content and the old one change places, and the old
//! one is looked at once more: if it was written to meanwhile it goes back, and the change is made anew of it.

use super::read::{read_held, read_target as read};
use super::write::{ASIDE, written_aside};
use super::{Durable, Target, create, remove};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use rustix::fs::RenameFlags;
use std::io::{self, Write};

/// How often a file that others write at the same time is changed anew.
const TRIES: usize = 200;

/// Changes a file that others write, too, who take no lock. `change` gets its bytes, none where it is not there, and
/// gives the new ones, or None for a file that stays as it is; empty ones remove it. Only what another writes into the
/// old file without replacing it, and later than that is looked at, can be lost. The caller holds the lock of our own
/// writers, if they have one.
pub fn rewrite(target: &Target, change: impl Fn(Option<&[u8]>) -> Option<Masked>) -> Result<(), Failure> {
    for _ in 0..TRIES {
        let there = read(target)?;
        let Some(new) = change(there.as_deref()) else { return Ok(()) };
        let is_done = match &there {
            None => create(target, &new, Durable::Yes)?,
            // It is never empty, not even for a moment.
            Some(before) if new.is_empty() => {
                let is_same = read(target)?.as_ref() == Some(before);
                if is_same {
                    remove(target)?;
                }
                is_same
            }
            Some(before) => exchange(target, &new, before)?,
        };
        if is_done {
            return Ok(());
        }
    }
    Err(Failure::later(format!("{}: it keeps changing: close the other writer and try again", target.display())))
}

/// Puts content in the place of a file that was as `before`; says whether it did. What others write meanwhile stays in
/// its place.
fn exchange(target: &Target, content: &Masked, before: &[u8]) -> Result<bool, Failure> {
    let held = target.held()?;
    let Some(mode) = held.mode() else { return Ok(false) };
    let aside = written_aside(&held, ASIDE, Durable::Yes, |out| out.write_all(content.bytes()));
    let aside = aside.map_err(Failure::at(target))?;
    aside.file.set_permissions(mode).map_err(Failure::at(target))?;
    // Writing it aside takes long enough for others to write.
    if read(target)?.as_deref() != Some(before) {
        return Ok(false);
    }
    let (mut comes, mut goes, mut is_ours) = (content.bytes().to_vec(), before.to_vec(), false);
    for _ in 0..TRIES {
        match aside.held.rename_with(&held, RenameFlags::EXCHANGE) {
            Ok(()) => is_ours = !is_ours,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            // The file system cannot do that.
            Err(_) => {
                return aside.persist(&held).and_then(|()| held.sync()).map(|()| true).map_err(Failure::at(target));
            }
        }
        // That takes milliseconds, in which a writer who had the old one open can end its write.
        let synced = held.sync().map_err(Failure::at(target));
        let taken = read_held(&aside.held, target)?.unwrap_or_default();
        if taken == goes {
            return synced.map(|()| is_ours);
        }
        // It goes back.
        (comes, goes) = (taken, comes);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::super::{Root, names};
    use super::*;
    use std::fs;

    #[test]
    fn what_was_written_before_it_is_put_in_place_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = Root::new(folder.path()).file("x.md").unwrap();
        fs::write(&*target, "theirs\n").unwrap();
        assert!(!exchange(&target, &Masked::exact("a\n!\n"), b"a\n").unwrap());
        assert_eq!(fs::read_to_string(&*target).unwrap(), "theirs\n");
        assert!(exchange(&target, &Masked::exact("ours\n"), b"theirs\n").unwrap());
        assert_eq!(fs::read_to_string(&*target).unwrap(), "ours\n");
        assert_eq!(names(folder.path()).unwrap(), ["x.md"]);
    }
}
