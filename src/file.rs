//! Files that are never half there: replaced by write-aside and rename, created exclusively,
//! appended under a lock. What we create is 0600 in folders of 0700; a replaced file keeps its mode.

use crate::clock;
use crate::exit::Failure;
use jiff::Timestamp;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for a lock whose holders keep it for milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a write must survive a power cut. What is synced and what not stands in lh-memory(5).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    /// Written and left to the system.
    No,
    /// The file is synced before its name appears, the folder after.
    Yes,
}

/// Creates a folder and its parents, 0700.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| Failure::io(path.display(), &error))
}

/// Replaces a file by rename; behind a link it is the link's target that is replaced.
pub fn replace(path: &Path, bytes: &[u8], durable: Durable) -> Result<(), Failure> {
    replace_with(path, durable, |out| out.write_all(bytes))
}

/// The same, the content being whatever `write` writes.
pub fn replace_with(
    path: &Path,
    durable: Durable,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    // One look instead of one a folder above: hooks come through here.
    let target = if path.is_symlink() { behind_link(path) } else { path.to_path_buf() };
    let fail = |error: &io::Error| Failure::io(target.display(), error);
    let folder = parent(&target);
    let mut aside = written_aside(folder, durable, write).map_err(|error| fail(&error))?;
    if let Ok(old) = target.metadata() {
        let mode = std::fs::Permissions::from_mode(old.permissions().mode());
        aside.as_file_mut().set_permissions(mode).map_err(|error| fail(&error))?;
    }
    aside.persist(&target).map_err(|error| fail(&error.error))?;
    if durable == Durable::Yes { sync_folder(folder) } else { Ok(()) }
}

/// What a link leads to, whether that is there or not.
fn behind_link(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match path.read_link() {
        Ok(target) => parent(path).join(target),
        Err(_) => path.to_path_buf(),
    })
}

/// Creates a file with its whole content, or says that the name is taken (`Ok(false)`).
pub fn create(path: &Path, bytes: &[u8], durable: Durable) -> Result<bool, Failure> {
    let folder = parent(path);
    let created = create_nameless(path, bytes, durable).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Err(error),
        _ => written_aside(folder, durable, |out| out.write_all(bytes))?
            .persist_noclobber(path)
            .map(drop)
            .map_err(|error| error.error),
    });
    match created {
        Ok(()) if durable == Durable::Yes => sync_folder(folder).map(|()| true),
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Failure::io(path.display(), &error)),
    }
}

/// A file that has no name until it is whole: a writer that is killed leaves nothing behind where
/// nobody sweeps. Not every system and file system has such files.
#[cfg(target_os = "linux")]
fn create_nameless(path: &Path, bytes: &[u8], durable: Durable) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use std::os::fd::AsRawFd;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = File::from(open(parent(path), flags, Mode::from(0o600))?);
    file.write_all(bytes)?;
    if durable == Durable::Yes {
        file.sync_all()?;
    }
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, source, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn create_nameless(_: &Path, _: &[u8], _: Durable) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn written_aside(
    folder: &Path,
    durable: Durable,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<tempfile::NamedTempFile> {
    let mut aside = tempfile::Builder::new().prefix(".lh-").suffix(".tmp").tempfile_in(folder)?;
    write(aside.as_file_mut())?;
    if durable == Durable::Yes {
        aside.as_file().sync_all()?;
    }
    Ok(aside)
}

/// Appends whole lines and syncs them. A last line that was cut is ended first, so that nothing is
/// ever glued to it. The caller holds the lock.
pub fn append_lines(path: &Path, lines: &str) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let fresh = !path.exists();
    let mut file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path).map_err(fail)?;
    append(&mut file, lines).and_then(|()| file.sync_data()).map_err(fail)?;
    if fresh { sync_folder(parent(path)) } else { Ok(()) }
}

/// Takes a last line that was cut, by a crash or a full disk, out of a file of JSON lines and puts it
/// at the end of another one, so that what is appended is never glued to it and nothing is thrown away.
/// A whole line that only lacks its newline stays. The caller holds the lock.
pub fn put_torn_aside(path: &Path, aside: &Path) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(fail)?,
    };
    if ends_in_newline(&mut file).map_err(fail)? {
        return Ok(());
    }
    let bytes = read(path)?.unwrap_or_default();
    let start = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at.saturating_add(1));
    let torn = bytes.get(start..).unwrap_or_default();
    if serde_json::from_slice::<serde::de::IgnoredAny>(torn).is_ok() {
        return Ok(());
    }
    if let Some(folder) = aside.parent() {
        create_folder(folder)?;
    }
    append_lines(aside, &format!("{}\n", String::from_utf8_lossy(torn)))?;
    file.set_len(u64::try_from(start).unwrap_or(u64::MAX)).and_then(|()| file.sync_data()).map_err(fail)
}

/// Appends lines to an open file, all of them or, on a full disk, none. The caller holds the lock.
pub fn append(file: &mut File, lines: &str) -> io::Result<()> {
    let before = file.metadata()?.len();
    let whole = ends_in_newline(file)?;
    let text = if whole { lines.to_owned() } else { format!("\n{lines}") };
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        file.set_len(before)?;
    }
    written
}

/// Removes from a folder what writers wrote aside and, being killed, never put in place; the caller
/// holds the lock that the folder's writers hold.
pub fn sweep(folder: &Path) {
    for name in names(folder).unwrap_or_default() {
        let text = name.to_string_lossy();
        if text.starts_with(".lh-") && text.strip_suffix(".tmp").is_some() {
            let _ = std::fs::remove_file(folder.join(&name));
        }
    }
}

/// The same where nobody holds a lock: only what is so old that its writer must be dead.
pub fn sweep_old(folder: &Path, seconds: i64) {
    for name in names(folder).unwrap_or_default() {
        let path = folder.join(&name);
        let text = name.to_string_lossy();
        let modified = modified(&path);
        let age = modified.map(|time| clock::seconds_between(time, clock::now()));
        if text.starts_with(".lh-") && text.ends_with(".tmp") && age.is_some_and(|age| age > seconds) {
            let _ = std::fs::remove_file(path);
        }
    }
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

/// Moves a file; a file of that name that stands there already is replaced.
pub fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    std::fs::rename(from, to).map_err(|error| Failure::io(from.display(), &error))
}

/// Removes a file; one that is not there is fine.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::io(path.display(), &error)),
        _ => Ok(()),
    }
}

/// Opens a file for reading; none when there is none. A pipe, in whose reading a hook would hang, is
/// refused with 65.
fn open(path: &Path) -> Result<Option<File>, Failure> {
    let fail = |error: &io::Error| Failure::io(path.display(), error);
    let at_once = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    match OpenOptions::new().read(true).custom_flags(at_once).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fail(&error)),
        Ok(file) if file.metadata().map_err(|error| fail(&error))?.file_type().is_fifo() => {
            Err(Failure::data(format!("{}: a pipe and no file", path.display())))
        }
        Ok(file) => Ok(Some(file)),
    }
}

/// A whole file; none when there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| Failure::io(path.display(), &error))?;
    Ok(Some(bytes))
}

/// A whole text file, bytes that are not UTF-8 replaced; none when there is none.
pub fn read_text(path: &Path) -> Result<Option<String>, Failure> {
    Ok(read(path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The first `limit` bytes of a text file; "" when there is none.
pub fn read_head(path: &Path, limit: u64) -> Result<String, Failure> {
    let Some(file) = open(path)? else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|error| Failure::io(path.display(), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last `limit` bytes of a file from the first whole line on; "" when there is none.
pub fn read_tail(path: &Path, limit: u64) -> Result<String, Failure> {
    let fail = |error: io::Error| Failure::io(path.display(), &error);
    let Some(mut file) = open(path)? else { return Ok(String::new()) };
    let length = file.metadata().map_err(fail)?.len();
    let start = length.saturating_sub(limit);
    file.seek(SeekFrom::Start(start)).map_err(fail)?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(fail)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if start == 0 {
        return Ok(text);
    }
    Ok(text.split_once('\n').map_or_else(String::new, |(_, rest)| rest.to_owned()))
}

/// Holds a lock until dropped. The descriptor is closed on exec, so no child inherits it.
#[must_use]
pub struct Lock {
    file: File,
}

impl Lock {
    /// The locked file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

/// Takes the lock on `path`, which is created; status 75 when it is held for longer than `patience`.
pub fn lock(path: &Path, patience: Duration) -> Result<Lock, Failure> {
    let start = clock::monotonic();
    loop {
        if let Some(lock) = try_lock(path)? {
            return Ok(lock);
        }
        if clock::monotonic().duration_since(start) > patience {
            return Err(Failure::later(format!("{}: held by another process", path.display())));
        }
        clock::sleep(Duration::from_millis(2));
    }
}

/// Takes the lock on `path` if nobody holds it.
pub fn try_lock(path: &Path) -> Result<Option<Lock>, Failure> {
    let fail = |error: &io::Error| Failure::io(path.display(), error);
    let file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path);
    let file = file.map_err(|error| fail(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Err(Failure::io(
            format!("{}: this file system has no locks (flock); keep the agent's home on one that has", path.display()),
            &error,
        )),
        Err(TryLockError::Error(error)) => Err(fail(&error)),
    }
}

/// When a file was last written to; none when it is not there.
pub fn modified(path: &Path) -> Option<Timestamp> {
    path.metadata().and_then(|data| data.modified()).ok().and_then(clock::from_system)
}

/// The names in a folder, sorted; none when the folder is not there.
pub fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(|error| Failure::io(folder.display(), &error))?,
    };
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name())).collect();
    names.sort();
    Ok(names)
}

/// The real path of what may not exist yet: its nearest existing ancestor resolved, the rest behind it.
pub fn real_path(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut base = path;
    loop {
        if let Ok(real) = base.canonicalize() {
            return rest.iter().rev().fold(real, |whole, part| whole.join(part));
        }
        match (base.parent(), base.file_name()) {
            (Some(up), Some(name)) => {
                rest.push(name.to_owned());
                base = up;
            }
            _ => return path.to_path_buf(),
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn sync_folder(folder: &Path) -> Result<(), Failure> {
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(|error| Failure::io(folder.display(), &error))
}
