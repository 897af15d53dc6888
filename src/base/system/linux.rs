//! Linux: a path is opened without links by one call (openat2), a file has no name until it is whole (`O_TMPFILE`), a
//! process adopts the orphans below it, and `/proc` tells of processes and locks.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, linkat, openat, openat2};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// How a folder is opened that files are named relative to. It need not be readable.
pub const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Generations of orphans that are killed: a program that starts new ones for longer is not stopped by us.
const ORPHAN_ROUNDS: usize = 1000;

/// Opens a folder by its path, on which no link is followed; None where the kernel has no such call, or a sandbox does not
/// allow it.
pub fn open_folder(path: &Path) -> Option<io::Result<OwnedFd>> {
    match openat2(CWD, path, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) => None,
        opened => Some(opened.map_err(io::Error::from)),
    }
}

/// Creates a file that has no name until it is whole: a writer that is killed leaves nothing behind where no program
/// removes it. An error where the file system has no such files, or the name is taken.
pub fn create_nameless(folder: &OwnedFd, name: &OsStr, bytes: &[u8], sync: bool) -> io::Result<()> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, ".", flags, Mode::from(0o600))?);
    file.write_all(bytes)?;
    if sync {
        file.sync_all()?;
    }
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, source, folder, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Makes the processes ours that are started below us and lose their parent.
pub fn adopt_orphans() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Kills what became our child when its parent ended, until nothing is left.
pub fn kill_orphans() {
    let children = || {
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        let pids = lists.flat_map(|list| list.split_whitespace().map(str::parse::<i32>).collect::<Vec<_>>());
        pids.flatten().filter_map(Pid::from_raw).collect::<Vec<Pid>>()
    };
    for orphans in std::iter::repeat_with(children).take(ORPHAN_ROUNDS).take_while(|orphans| !orphans.is_empty()) {
        for orphan in orphans {
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::empty());
        }
    }
}

/// The session of the terminal that this runs in, by the process that leads it: its number, and when it began, for a
/// number is used again. Where a container hides the leader, the terminal stands for it.
pub fn terminal_session() -> String {
    let own = stat("self");
    let leader = match field(&own, 3) {
        "0" => format!("0.{}", field(&own, 4)),
        leader => leader.to_owned(),
    };
    format!("{leader}-{}", field(&stat(&leader), 19))
}

/// The process that holds the lock on a file and was stopped (Ctrl-Z, SIGSTOP, a debugger). It can have the lock from
/// another one, which took it and has ended: then its own open files say that one of them has the lock.
pub fn stopped_holder(file: &File) -> Option<u32> {
    let data = rustix::fs::fstat(file).ok()?;
    let (major, minor) = (rustix::fs::major(data.st_dev), rustix::fs::minor(data.st_dev));
    let wanted = format!("{major:02x}:{minor:02x}:{}", data.st_ino);
    let pid = taker(&std::fs::read_to_string("/proc/locks").ok()?, &wanted)?;
    if Path::new(&format!("/proc/{pid}")).exists() {
        return Some(pid).filter(|pid| is_stopped(*pid));
    }
    let has_lock = |pid: &u32| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fdinfo")).into_iter().flatten().flatten();
        let is_of_lock = |text: &str| taker(text, &wanted).is_some();
        open.filter_map(|file| std::fs::read_to_string(file.path()).ok()).any(|text| is_of_lock(&text))
    };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    pids.find(|pid| is_stopped(*pid) && has_lock(pid))
}

/// The process that took the lock on a file, in a list of the system's: `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`.
/// What is told of an open file has `lock:` before it.
fn taker(locks: &str, file: &str) -> Option<u32> {
    locks.lines().find_map(|line| match line.trim_start_matches("lock:").split_whitespace().collect::<Vec<_>>()[..] {
        [_, "FLOCK", _, _, pid, at, ..] if at == file => pid.parse().ok(),
        _ => None,
    })
}

fn is_stopped(pid: u32) -> bool {
    matches!(field(&stat(&pid.to_string()), 0), "T" | "t")
}

/// What the system tells of a process; "" of one that is not there.
fn stat(process: &str) -> String {
    std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_else(|_| String::new())
}

/// One of its fields, from its state on; "0" where it has not so many. The name of the program before them, in
/// parentheses, can have anything in it.
fn field(stat: &str, at: usize) -> &str {
    stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().nth(at)).unwrap_or("0")
}
