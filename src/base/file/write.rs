//! Writing: replaced by write-aside and rename, created exclusively, appended under a lock.

use super::Target;
use super::held::Held;
use super::read::read_target;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::system;
use rustix::fs::{CWD, OFlags, RenameFlags, renameat};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// How the names of files begin and end that are written aside.
pub(super) const ASIDE: (&str, &str) = (".lh-", ".tmp");

/// So much of a file's end is looked through for its last line.
const TORN_BYTES: u64 = 2 << 20;

/// Whether a write must survive a power cut. What is synced and what not is in lh-memory(5).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    /// Written and left to the system.
    No,
    /// The file is synced before its name appears, the folder after.
    Yes,
}

/// Replaces a file by rename.
pub fn replace(target: &Target, content: &Masked, durable: Durable) -> Result<(), Failure> {
    replace_with(target, durable, |out| out.write_all(content.bytes()))
}

/// The same, the content being whatever `write` writes, which must be masked: tests/house.rs lists who
/// may do this.
pub fn replace_with(
    target: &Target,
    durable: Durable,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    let held = target.held()?;
    let put = || -> io::Result<()> {
        let aside = written_aside(&held, ASIDE, durable, write)?;
        if let Some(mode) = held.mode() {
            aside.file.set_permissions(mode)?;
        }
        aside.persist(&held)?;
        if durable == Durable::Yes { held.sync() } else { Ok(()) }
    };
    put().map_err(Failure::at(target))
}

/// Creates a file with its whole content, or says that the name is taken (`Ok(false)`).
pub fn create(target: &Target, content: &Masked, durable: Durable) -> Result<bool, Failure> {
    let (held, bytes) = (target.held()?, content.bytes());
    let nameless = system::create_nameless(&held.folder, &held.name, bytes, durable == Durable::Yes);
    let created = nameless.or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Err(error),
        _ => written_aside(&held, ASIDE, durable, |out| out.write_all(bytes))?.persist_new(&held),
    });
    match created.and_then(|()| if durable == Durable::Yes { held.sync() } else { Ok(()) }) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Failure::io(target.display(), &error)),
    }
}

/// A file that is written beside another one, under a name of its own; removed when it is dropped before it has
/// another name.
pub(super) struct Aside {
    pub held: Held,
    pub file: File,
    has_name: bool,
}

impl Aside {
    /// Gives it its name; a file of that name is replaced.
    pub fn persist(mut self, to: &Held) -> io::Result<()> {
        self.held.rename(to)?;
        self.has_name = true;
        Ok(())
    }

    /// The same, if nothing has that name.
    fn persist_new(mut self, to: &Held) -> io::Result<()> {
        use rustix::fs::{AtFlags, linkat};
        match self.held.rename_with(to, RenameFlags::NOREPLACE) {
            Ok(()) => self.has_name = true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // The file system cannot do that.
            Err(_) => linkat(&self.held.folder, &self.held.name, &to.folder, &to.name, AtFlags::empty())?,
        }
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.has_name {
            let _ = self.held.remove();
        }
    }
}

/// A file in the same folder, of a name of its own that begins and ends so.
pub(super) fn written_aside(
    held: &Held,
    (prefix, suffix): (&str, &str),
    durable: Durable,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<Aside> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let process = std::process::id();
    let (own, file) = loop {
        // Processes of two machines, or of two containers, can have one number: the next one is taken then.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let own = held.beside(&OsString::from(format!("{prefix}{process}-{number}{suffix}")))?;
        match own.open(OFlags::RDWR | OFlags::CREATE | OFlags::EXCL) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => break (own, opened?),
        }
    };
    let mut aside = Aside { held: own, file, has_name: false };
    write(&mut aside.file)?;
    if durable == Durable::Yes {
        aside.file.sync_all()?;
    }
    Ok(aside)
}

/// Appends whole lines. A last line that was cut is ended first, so that nothing is ever glued to it. The caller holds
/// the lock.
pub fn append_lines(target: &Target, lines: &Masked, durable: Durable) -> Result<(), Failure> {
    let held = target.held()?;
    let fresh = held.mode().is_none();
    let mut file = opened_to_append(target, &held)?;
    append(&mut file, lines).map_err(Failure::at(target))?;
    if durable == Durable::No {
        return Ok(());
    }
    file.sync_data().map_err(Failure::at(target))?;
    if fresh { held.sync().map_err(Failure::at(target)) } else { Ok(()) }
}

/// Opens a file for appending, which is created, 0600. No link or FIFO can be put in its place
/// meanwhile.
pub(super) fn open_to_append(target: &Target) -> Result<File, Failure> {
    opened_to_append(target, &target.held()?)
}

fn opened_to_append(target: &Target, held: &Held) -> Result<File, Failure> {
    let file =
        held.open(OFlags::CREATE | OFlags::APPEND | OFlags::RDWR | OFlags::NONBLOCK).map_err(Failure::at(target))?;
    super::regular(target, file.metadata().map_err(Failure::at(target))?.file_type())?;
    Ok(file)
}

/// Takes a last line that was cut, by a crash or a full disk, out of a file of JSON lines and puts it
/// at the end of another one, so that what is appended is never glued to it and nothing is thrown away.
/// A whole line that only lacks its newline stays: says whether there is one. The caller holds the lock.
pub fn put_torn_aside(target: &Target, aside: &Target) -> Result<bool, Failure> {
    let Some(held) = target.held_if_there()? else { return Ok(false) };
    let mut file = match held.open(OFlags::RDWR) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened.map_err(Failure::at(target))?,
    };
    if ends_in_newline(&mut file).map_err(Failure::at(target))? {
        return Ok(false);
    }
    let length = file.metadata().map_err(Failure::at(target))?.len();
    let before = length.saturating_sub(TORN_BYTES);
    let mut bytes = Vec::new();
    let end = file.seek(SeekFrom::Start(before)).and_then(|_| (&file).take(TORN_BYTES).read_to_end(&mut bytes));
    end.map_err(Failure::at(target))?;
    let at = match memchr::memrchr(b'\n', &bytes) {
        Some(at) => at.saturating_add(1),
        None if before == 0 => 0,
        None => {
            let what =
                format!("its last line is longer than {TORN_BYTES} bytes: end it with a newline, or take it out");
            return Err(Failure::data(format!("{}: {what}", target.display())));
        }
    };
    let torn = &bytes[at..];
    let start = before.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
    if serde_json::from_slice::<serde::de::IgnoredAny>(torn).is_ok() {
        return Ok(true);
    }
    aside.make_folder()?;
    // The torn line is moved unchanged.
    append_lines(aside, &Masked::exact(format!("{}\n", String::from_utf8_lossy(torn))), Durable::Yes)?;
    file.set_len(start).and_then(|()| file.sync_data()).map_err(Failure::at(target))?;
    Ok(false)
}

/// Takes lines out of a file; all else stays as it is. `takes` gets a line without its newline, and says of one that
/// goes whether the newline before it goes, too, if nothing comes behind it. A file that is empty then is removed if
/// `goes`. The caller holds the lock.
pub fn take_lines_out(target: &Target, takes: impl Fn(&[u8]) -> Option<bool>, goes: bool) -> Result<(), Failure> {
    let bytes = read_target(target)?.unwrap_or_default();
    let mut rest: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut ends_without = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(with_newline) = takes(line.strip_suffix(b"\n").unwrap_or(line)) {
            ends_without |= with_newline;
        } else {
            rest.extend_from_slice(line);
            ends_without = false;
        }
    }
    if ends_without && rest.last() == Some(&b'\n') {
        rest.pop();
    }
    if rest.is_empty() && goes {
        remove(target)?;
        return target.parent().map_or(Ok(()), sync_folder);
    }
    if rest.len() == bytes.len() { Ok(()) } else { replace(target, &Masked::exact(rest), Durable::Yes) }
}

/// Appends lines to an open file, all of them or, on a full disk, none. The caller holds the lock.
pub fn append(file: &mut File, lines: &Masked) -> io::Result<()> {
    let before = file.metadata()?.len();
    let mut text = if ends_in_newline(file)? { Vec::new() } else { vec![b'\n'] };
    text.extend_from_slice(lines.bytes());
    let written = file.write_all(&text);
    if written.is_err() {
        file.set_len(before)?;
    }
    written
}

fn ends_in_newline(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Moves a file; it replaces a file of the new name.
pub fn rename(from: &Path, to: &Target) -> Result<(), Failure> {
    let to = to.held()?;
    renameat(CWD, from, &to.folder, &to.name).map_err(Failure::at(from))
}

/// Moves a file to a name that is free; says whether it did. The caller syncs the folders.
pub fn rename_new(from: &Target, to: &Target) -> Result<bool, Failure> {
    let (old, new) = (from.held()?, to.held()?);
    match old.rename_with(&new, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => Ok(false),
        // The file system cannot do that.
        Err(_) if to.exists() => Ok(false),
        Err(_) => old.rename(&new).map_err(Failure::at(from)).map(|()| true),
    }
}

/// Takes the rights of its group and of others from a file or a folder that is no link.
pub fn close_to_others(path: &Path) -> Result<(), Failure> {
    let data = path.symlink_metadata().map_err(Failure::at(path))?;
    if data.is_symlink() {
        return Ok(());
    }
    let mut mode = data.permissions();
    mode.set_mode(mode.mode() & !0o077);
    std::fs::set_permissions(path, mode).map_err(Failure::at(path))
}

/// Removes a file; one that is not there is fine.
pub fn remove(target: &Target) -> Result<(), Failure> {
    let Some(held) = target.held_if_there()? else { return Ok(()) };
    held.remove().map_err(Failure::at(target))
}

/// The same of a file in a folder that only its user can write to.
pub fn remove_path(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::io(path.display(), &error)),
        _ => Ok(()),
    }
}

/// Removes a folder that is empty; says whether it was.
pub fn remove_folder(path: &Path) -> bool {
    std::fs::remove_dir(path).is_ok()
}

/// Syncs the names in a folder.
pub fn sync_folder(folder: &Path) -> Result<(), Failure> {
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(Failure::at(folder))
}
