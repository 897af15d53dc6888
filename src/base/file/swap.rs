//! Changing a file that others write, too, who take no lock. The new content and the old one change places, and what is
//! seen in the old one then is merged. The old one stays beside the file until that is done, under a name that says what
//! it was: so a process that fails or is killed loses nothing of it, and the next change goes on.

use super::read::read_target as read;
use super::write::{ASIDE, append, open_to_append, written_aside};
use super::{Durable, Root, Target, create, names, parent, remove, rename_new, sync_folder};
use crate::base::exit::Failure;
use crate::base::hash;
use crate::base::masked::Masked;
use rustix::fs::RenameFlags;
use rustix::process::{Pid, test_kill_process};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How often a file that others write at the same time is changed anew.
const TRIES: usize = 200;
/// So often it is not put in place if it was written while it was made.
const PATIENT: usize = 10;
/// What is beside a file while it is changed.
const PREFIX: &str = ".lh-swap-";
const SUFFIX: &str = ".old";

/// Changes a file that others write, too, who take no lock. `change` gets its bytes, none where it is not there, and
/// gives the new ones, or None for a file that stays as it is; empty ones remove it. Only what another writes into the
/// old file without replacing it, and later than that is looked at, can be lost. The caller holds the lock of our own
/// writers, where there is one.
pub fn rewrite(target: &Target, change: impl Fn(Option<&[u8]>) -> Option<Masked>) -> Result<(), Failure> {
    take_up(target);
    let mut olds = Vec::new();
    changed(target, change, &mut olds)?;
    // What they held is merged, and in place.
    olds.iter().try_for_each(remove)
}

fn changed(
    target: &Target,
    change: impl Fn(Option<&[u8]>) -> Option<Masked>,
    olds: &mut Vec<Target>,
) -> Result<(), Failure> {
    let mut there = read(target)?;
    let mut base = there.clone();
    for attempt in 0..TRIES {
        let new = match change(base.as_deref()) {
            Some(new) => new,
            None if base == there => return Ok(()),
            // Ours is in the place of what was written meanwhile: theirs goes back.
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
            // It is never empty, not even for a moment.
            there = read(target)?;
            if there == base {
                return remove(target);
            }
            base.clone_from(&there);
            continue;
        }
        // After so many tries it is replaced even if it keeps changing.
        let (taken, is_placed) = exchange(target, &new, &before, attempt < PATIENT, olds)?;
        match taken {
            Some(taken) if is_placed && taken == before => return Ok(()),
            Some(taken) => {
                // What was added to what we put there comes behind what it was made of.
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
    Err(Failure::later(format!("{}: it keeps changing: close the other writer and try again", target.display())))
}

/// Puts content in the place of a file that was as `before`, and gives what was there, and whether it was put there:
/// nothing is written if the file is missing, or, for who is patient, if it is not as it was. Where what was there is
/// kept is added to `olds`.
fn exchange(
    target: &Target,
    content: &Masked,
    before: &[u8],
    patient: bool,
    olds: &mut Vec<Target>,
) -> Result<(Option<Vec<u8>>, bool), Failure> {
    let held = target.held()?;
    let Some(mode) = held.mode() else { return Ok((None, false)) };
    let aside = written_aside(&held, ASIDE, Durable::Yes, |out| out.write_all(content.bytes()));
    let aside = aside.map_err(Failure::at(target))?;
    aside.file.set_permissions(mode).map_err(Failure::at(target))?;
    // Writing it aside takes long enough for others to write.
    let now = read(target)?;
    if now.is_none() || patient && now.as_deref() != Some(before) {
        return Ok((now, false));
    }
    // Whole before it has that name.
    let name = SwapMark::new(target, before, content.bytes()).name(olds.len());
    let (old, old_held) = (target.beside(&name), held.beside(OsStr::new(&name)).map_err(Failure::at(target))?);
    aside.persist(&old_held).map_err(Failure::at(target))?;
    match old_held.rename_with(&held, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return remove(&old).map(|()| (None, false)),
        // The file system cannot do that.
        Err(_) => {
            old_held.rename(&held).and_then(|()| held.sync()).map_err(Failure::at(target))?;
            return Ok((now, true));
        }
    }
    olds.push(old.clone());
    // That takes milliseconds, in which a writer who had the old one open can end its write.
    let synced = held.sync().map_err(Failure::at(target));
    let taken = read(&old)?;
    synced.map(|()| (taken, true))
}

/// Takes up what is new in the old contents that processes left in a folder which are dead now. The caller holds the lock
/// of the folder's writers.
pub fn take_up_all(folder: &Path) {
    let names = names(folder).unwrap_or_default();
    let of: BTreeSet<String> = names.iter().filter_map(|name| Some(SwapMark::read(name.to_str()?)?.file)).collect();
    if of.is_empty() {
        return;
    }
    let root = Root::real(folder);
    for name in names.iter().filter(|name| of.contains(&sum(name.as_bytes()))) {
        if let Ok(target) = root.file(name) {
            take_up(&target);
        }
    }
}

/// The same of one file. One that cannot be taken up now stays.
fn take_up(target: &Target) {
    for name in names(parent(target)).unwrap_or_default() {
        if let Some(mark) = name.to_str().and_then(SwapMark::read).filter(|mark| mark.is_left(target)) {
            let _ = take_up_one(target, &target.beside(&name.to_string_lossy()), &mark);
        }
    }
}

fn take_up_one(target: &Target, path: &Target, mark: &SwapMark) -> Result<(), Failure> {
    let Some(old) = read(path)? else { return Ok(()) };
    if ![&mark.content, &mark.before].contains(&&sum(&old)) {
        match old.split_at_checked(mark.length) {
            // It was added to.
            Some((head, added)) if sum(head) == mark.before => {
                let there = read(target)?.unwrap_or_default();
                if memchr::memmem::find(&there, added).is_none() {
                    let mut file = open_to_append(target)?;
                    let added = Masked::exact(added.to_vec());
                    let appended = append(&mut file, &added).and_then(|()| file.sync_data());
                    appended.map_err(Failure::at(target))?;
                }
            }
            // It was replaced in the last moment. Which of the two is wanted only a person can say.
            _ => return keep(target, path),
        }
    }
    remove(path)
}

/// Gives what was written a name beside the file that is there now.
fn keep(target: &Target, path: &Target) -> Result<(), Failure> {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..TRIES {
        if rename_new(path, &target.beside(&format!("{name}.replaced-{number}")))? {
            return sync_folder(parent(target));
        }
    }
    Ok(())
}

/// What the name of an old content says: who put it aside, of which file, what that was, and what came in its place.
struct SwapMark {
    process: i32,
    file: String,
    length: usize,
    before: String,
    content: String,
}

impl SwapMark {
    fn new(target: &Target, before: &[u8], content: &[u8]) -> Self {
        let (process, file) = (rustix::process::getpid().as_raw_pid(), sum_of_name(target));
        Self { process, file, length: before.len(), before: sum(before), content: sum(content) }
    }

    fn name(&self, number: usize) -> String {
        let Self { process, file, length, before, content } = self;
        format!("{PREFIX}{process}-{file}-{length}-{before}-{content}-{number}{SUFFIX}")
    }

    fn read(name: &str) -> Option<Self> {
        let mut fields = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split('-');
        let mut next = || fields.next().map(str::to_owned);
        let (process, file, length) = (next()?.parse().ok()?, next()?, next()?.parse().ok()?);
        Some(Self { process, file, length, before: next()?, content: next()? })
    }

    /// Whether it is of that file, and its process is dead: one of this number that was another one.
    fn is_left(&self, target: &Target) -> bool {
        let is_this = u32::try_from(self.process) == Ok(std::process::id());
        let is_dead = |process| test_kill_process(process) == Err(rustix::io::Errno::SRCH);
        self.file == sum_of_name(target) && (is_this || Pid::from_raw(self.process).is_none_or(is_dead))
    }
}

fn sum(bytes: &[u8]) -> String {
    format!("{:016x}", hash::of(bytes))
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
        let mark = |process: i32| SwapMark { process, ..SwapMark::new(&target, b"a\n", b"a\n!\n") };
        // No process has such a number. Starting one here would let it hold the locks of other tests for a moment.
        let parent = i32::try_from(std::os::unix::process::parent_id()).unwrap();
        let (dead, alive) = (mark(i32::MAX), mark(parent));
        let change = |text: Option<&[u8]>| {
            let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
            (!text.contains("!\n")).then(|| Masked::exact(text + "!\n"))
        };
        for (mark, there, old, wanted, others) in [
            // Never put in place; put in place.
            (&dead, "a\n", "a\n!\n", "a\n!\n", 0),
            (&dead, "a\n!\n", "a\n", "a\n!\n", 0),
            // The old one was added to: as it is, and once.
            (&dead, "a\n!\n", "a\n\n# B\n\na\n", "a\n!\n\n# B\n\na\n", 0),
            (&dead, "a\n!\ntheirs\nmore\n", "a\ntheirs\n", "a\n!\ntheirs\nmore\n", 0),
            // It was replaced, or it is not known what it is: both stay.
            (&dead, "a\n!\n", "other\n", "a\n!\n", 1),
            (&dead, "a\n", "", "a\n!\n", 1),
            (&dead, "a\n!\n", "a", "a\n!\n", 1),
            // A program is at it.
            (&alive, "a\n!\n", "a\ntheirs\n", "a\n!\n", 1),
        ] {
            fs::write(&*target, there).unwrap();
            fs::write(folder.path().join(mark.name(0)), old).unwrap();
            // Again and again.
            for _ in 0..3 {
                rewrite(&target, change).unwrap();
                take_up_all(folder.path());
            }
            let names = names(folder.path()).unwrap();
            let read = |name: &std::ffi::OsString| fs::read_to_string(folder.path().join(name)).unwrap();
            let left: Vec<String> = names.iter().filter(|name| *name != "x.md").map(read).collect();
            assert_eq!(
                (fs::read_to_string(&*target).unwrap().as_str(), left.len()),
                (wanted, others),
                "{there:?} {old:?}"
            );
            assert!(left.iter().all(|text| text == old), "{left:?}");
            for name in names {
                fs::remove_file(folder.path().join(name)).unwrap();
            }
        }
        // What cannot be read does no harm.
        fs::write(&*target, "a\n").unwrap();
        fs::create_dir(folder.path().join(dead.name(0))).unwrap();
        rewrite(&target, change).unwrap();
        assert_eq!(fs::read_to_string(&*target).unwrap(), "a\n!\n");
    }

    #[test]
    fn what_somebody_put_there_meanwhile_stays_on_disk_where_the_change_fails() {
        let folder = tempfile::tempdir().unwrap();
        let target = Root::new(folder.path()).file("x.md").unwrap();
        fs::write(&*target, "a\n").unwrap();
        let mut olds = Vec::new();
        // Who is not patient puts it in place although it was written to.
        fs::write(&*target, "theirs\n").unwrap();
        let done = exchange(&target, &Masked::exact("a\n!\n"), b"a\n", false, &mut olds).unwrap();
        assert_eq!(done, (Some(b"theirs\n".to_vec()), true));
        assert_eq!(fs::read_to_string(&*olds[0]).unwrap(), "theirs\n");
        take_up_all(folder.path());
        assert_eq!(names(folder.path()).unwrap(), ["x.md", "x.md.replaced-1"]);
    }
}
