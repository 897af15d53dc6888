//! Changing a file that others write, too, who take no lock: its old and its new content change places, and what is seen
//! in the old one then is not lost. A process that is killed between the two leaves the old one beside the file, under a
//! name that says what it was; the next change takes up what is new in it.

use super::write::written_aside;
use super::{Durable, Root, Target, append_lines, create, names, parent, read, remove, rename, sync_folder};
use crate::base::exit::Failure;
use crate::base::hash::Sum;
use crate::base::masked::Masked;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Pid, test_kill_process};
use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// How often a file that others write at the same time is changed anew.
const TRIES: usize = 200;
/// So often it is not put in place if somebody wrote while it was made.
const PATIENT: usize = 10;
/// What is beside a file while it is changed.
const PREFIX: &str = ".lh-swap-";
const SUFFIX: &str = ".old";

/// Changes a file that others write, too, who take no lock. `change` gets its bytes, none where it is not there, and
/// gives the new ones, or None for a file that stays as it is; empty ones remove it. The two files change places, so
/// that what somebody else wrote meanwhile is seen, and changed in its turn. Only what another writes into the old file
/// without replacing it, and later than that is looked at, can be lost. The caller holds the lock of our own writers,
/// where there is one.
pub fn rewrite(target: &Target, change: impl Fn(Option<&[u8]>) -> Option<Masked>) -> Result<(), Failure> {
    take_up(target)?;
    let mut there = read(target)?;
    let mut base = there.clone();
    for attempt in 0..TRIES {
        let new = match change(base.as_deref()) {
            Some(new) => new,
            None if base == there => return Ok(()),
            // Ours is in the place of what somebody wrote meanwhile: theirs goes back.
            None => Masked::exact(base.clone().unwrap_or_default()),
        };
        let Some(before) = there.take() else {
            if create(target, &new, Durable::Yes)? {
                return Ok(());
            }
            there = read(target)?;
            base.clone_from(&there);
            continue;
        };
        if new.is_empty() {
            // Nobody may see it empty.
            there = read(target)?;
            if there == base {
                return remove(target);
            }
            base.clone_from(&there);
            continue;
        }
        // Who writes all the time is not waited for.
        let (taken, is_placed) = exchange(target, &new, &before, attempt < PATIENT)?;
        match taken {
            Some(taken) if is_placed && taken == before => return Ok(()),
            Some(taken) => {
                // What somebody added to what we put there comes behind what it was made of.
                let added = taken.strip_prefix(before.as_slice());
                base = Some(match added {
                    Some(added) => [base.as_deref().unwrap_or_default(), added].concat(),
                    None => taken.clone(),
                });
                there = Some(if is_placed { new.bytes().to_vec() } else { taken });
            }
            None => base = None,
        }
    }
    Err(Failure::later(format!("{}: somebody writes to it all the time: try again", target.display())))
}

/// Puts content in the place of a file that was as `before`, and gives what was there, and whether it was put there:
/// nothing is written if the file is missing, or, for who is patient, if it is not as it was.
fn exchange(
    target: &Target,
    content: &Masked,
    before: &[u8],
    patient: bool,
) -> Result<(Option<Vec<u8>>, bool), Failure> {
    let fail = |error: &io::Error| Failure::io(target.display(), error);
    let folder = parent(target);
    let Ok(old) = target.metadata() else { return Ok((None, false)) };
    let prefix = Mark::new(target, before, content.bytes()).prefix();
    let written = written_aside(folder, (&prefix, SUFFIX), Durable::Yes, |out| out.write_all(content.bytes()));
    let mut aside = written.map_err(|error| fail(&error))?;
    let mode = Permissions::from_mode(old.permissions().mode());
    aside.as_file_mut().set_permissions(mode).map_err(|error| fail(&error))?;
    // Writing it aside takes long enough for others to write.
    let now = read(target)?;
    if now.is_none() || patient && now.as_deref() != Some(before) {
        return Ok((now, false));
    }
    let swapped = renameat_with(CWD, aside.path(), CWD, &**target, RenameFlags::EXCHANGE);
    match swapped.map_err(io::Error::from) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, false)),
        // The file system cannot do that.
        Err(_) => {
            aside.persist(&**target).map_err(|error| fail(&error.error))?;
            return sync_folder(folder).map(|()| (now, true));
        }
    }
    // Who had opened the old one before has so long to write.
    sync_folder(folder)?;
    Ok((read(aside.path())?, true))
}

/// Takes up what is new in the old contents that processes left in a folder which are dead now. The caller holds the lock
/// of the folder's writers.
pub fn take_up_all(folder: &Path) -> Result<(), Failure> {
    let names = names(folder)?;
    let of: BTreeSet<String> = names.iter().filter_map(|name| Some(Mark::read(name.to_str()?)?.file)).collect();
    if of.is_empty() {
        return Ok(());
    }
    let root = Root::new(folder);
    names.iter().filter(|name| of.contains(&sum(name.as_bytes()))).try_for_each(|name| take_up(&root.file(name)?))
}

/// The same of one file.
fn take_up(target: &Target) -> Result<(), Failure> {
    let folder = parent(target);
    for name in names(folder)? {
        let Some(mark) = name.to_str().and_then(Mark::read).filter(|mark| mark.is_left(target)) else { continue };
        let path = folder.join(&name);
        let Some(old) = read(&path)? else { continue };
        let sum_of_old = sum(&old);
        let (head, added) = old.split_at(mark.length.min(old.len()));
        if sum_of_old != mark.content && sum_of_old != mark.before {
            let there = read(target)?.unwrap_or_default();
            if sum(head) == mark.before {
                let is_there = |line: &[u8]| there.split(|byte| *byte == b'\n').any(|other| other == line);
                let lines = added.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !is_there(line));
                let lines: Vec<u8> = lines.flat_map(|line| [line, b"\n"].concat()).collect();
                if !lines.is_empty() {
                    append_lines(target, &Masked::exact(lines), Durable::Yes)?;
                }
            } else if sum(&there) == mark.content {
                // Somebody had replaced the file in the last moment: theirs comes back, and is changed then.
                rename(&path, target)?;
                sync_folder(folder)?;
                continue;
            } else {
                // It was changed since, so nobody can say what of this one is wanted: it stays.
                continue;
            }
        }
        remove(&path)?;
    }
    Ok(())
}

/// What the name of an old content says: who put it aside, of which file, what that was, and what came in its place.
struct Mark {
    process: i32,
    file: String,
    length: usize,
    before: String,
    content: String,
}

impl Mark {
    fn new(target: &Target, before: &[u8], content: &[u8]) -> Self {
        Self {
            process: i32::try_from(std::process::id()).unwrap_or_default(),
            file: sum_of_name(target),
            length: before.len(),
            before: sum(before),
            content: sum(content),
        }
    }

    fn prefix(&self) -> String {
        let Self { process, file, length, before, content } = self;
        format!("{PREFIX}{process}-{file}-{length}-{before}-{content}-")
    }

    fn read(name: &str) -> Option<Self> {
        let mut fields = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split('-');
        let mut next = || fields.next();
        Some(Self {
            process: next()?.parse().ok()?,
            file: next()?.to_owned(),
            length: next()?.parse().ok()?,
            before: next()?.to_owned(),
            content: next()?.to_owned(),
        })
    }

    /// Whether it is of that file, and its process is dead.
    fn is_left(&self, target: &Target) -> bool {
        let is_dead = |process| test_kill_process(process) == Err(rustix::io::Errno::SRCH);
        self.file == sum_of_name(target) && Pid::from_raw(self.process).is_none_or(is_dead)
    }
}

fn sum(bytes: &[u8]) -> String {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.hex()
}

fn sum_of_name(target: &Target) -> String {
    sum(target.file_name().unwrap_or_default().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_a_killed_change_left_is_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let target = Root::new(folder.path()).file("x.md").unwrap();
        let mut process = std::process::Command::new("true").spawn().unwrap();
        process.wait().unwrap();
        let (before, content) = (b"a\n".as_slice(), b"b\n".as_slice());
        let dead = Mark { process: i32::try_from(process.id()).unwrap(), ..Mark::new(&target, before, content) };
        let alive = Mark::new(&target, before, content);
        let left = || fs::read_dir(folder.path()).unwrap().count() - 1;
        for (mark, there, old, wanted, stays) in [
            // Never put in place; put in place; with a line that somebody added, and with one that is there already.
            (&dead, "a\n", "b\n", "a\n!", 0),
            (&dead, "b\n", "a\n", "b\n!", 0),
            (&dead, "b\n", "a\ntheirs\n", "b\ntheirs\n!", 0),
            (&dead, "b\ntheirs\nmore\n", "a\ntheirs\n", "b\ntheirs\nmore\n!", 0),
            // Replaced by somebody in the last moment, and changed since.
            (&dead, "b\n", "other\n", "other\n!", 0),
            (&dead, "c\n", "other\n", "c\n!", 1),
            // Somebody is at it.
            (&alive, "b\n", "a\ntheirs\n", "b\n!", 1),
        ] {
            fs::write(&*target, there).unwrap();
            let aside = folder.path().join(format!("{}x{SUFFIX}", mark.prefix()));
            fs::write(&aside, old).unwrap();
            rewrite(&target, |text| {
                let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
                (!text.ends_with('!')).then(|| Masked::exact(text + "!"))
            })
            .unwrap();
            assert_eq!((fs::read_to_string(&*target).unwrap().as_str(), left()), (wanted, stays), "{there:?} {old:?}");
            _ = fs::remove_file(aside);
        }
    }
}
