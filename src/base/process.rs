//! Processes that must not outlive us, and one that must. A guarded command runs behind
//! `lh-detach --guard`, which holds the read end of a pipe from its parent: when the parent ends,
//! however it ends, the pipe ends, and the guard kills the command's whole process group.

use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Lock, Root, Target};
use crate::base::{clock, env, log, system};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{PipeWriter, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

/// How often a command is looked at that is waited for.
const LOOK: Duration = Duration::from_millis(10);

/// A command behind a guard. Dropping it ends the command and all that it started.
pub struct Guarded {
    /// The guard; its standard streams and status are the command's.
    pub child: Child,
    life: Option<PipeWriter>,
}

impl Guarded {
    /// Starts `command` behind a guard; `prepare` sets streams, folder and variables.
    pub fn start(command: &[OsString], prepare: impl FnOnce(&mut Command)) -> Result<Self, Failure> {
        let (ends, life) = std::io::pipe().map_err(|error| Failure::io("guard", &error))?;
        inherit(&ends).map_err(|error| Failure::io("guard", &error))?;
        let mut guard = Command::new(env::own_tool("lh-detach")?);
        guard.arg(format!("--guard={}", ends.as_raw_fd())).arg("--").args(command).process_group(0);
        prepare(&mut guard);
        let child = guard.spawn().map_err(|error| Failure::io("lh-detach", &error))?;
        Ok(Self { child, life: Some(life) })
    }

    /// Waits until the command ends. If it takes longer than `patience`, or writes more than `limit` bytes to one of these
    /// files, it is killed, and what it did is said.
    pub fn wait(&mut self, patience: Duration, files: [&File; 2], limit: u64) -> Result<ExitStatus, String> {
        let begun = clock::monotonic();
        loop {
            let ended = self.child.try_wait().map_err(|error| error.to_string())?;
            let is_large = |file: &&File| file.metadata().is_ok_and(|data| data.len() > limit);
            if files.iter().any(is_large) {
                self.kill();
                return Err(format!("printed more than {} MB", limit >> 20));
            }
            if let Some(status) = ended {
                return Ok(status);
            }
            if clock::monotonic().duration_since(begun) >= patience {
                self.kill();
                return Err(format!("did not answer within {} s", patience.as_secs()));
            }
            clock::sleep(LOOK);
        }
    }

    /// Kills the command's process group and waits for the guard.
    pub fn kill(&mut self) {
        self.life = None;
        let _ = self.child.wait();
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a command wrote into a file of its own, at most so many bytes of it.
pub fn written(mut file: File, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(limit).read_to_end(&mut bytes).map(|_| bytes)
}

/// Runs a command with `input` and gives what came of it; none when it takes longer than `patience`, and
/// then its whole process group is killed. What it detached goes on.
pub fn run(command: &mut Command, input: &[u8], patience: Duration) -> std::io::Result<Option<Output>> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.process_group(0).spawn()?;
    let group = Pid::from_child(&child);
    let (tell, told) = std::sync::mpsc::channel();
    let mut given = child.stdin.take();
    let input = input.to_vec();
    std::thread::Builder::new().spawn(move || {
        // Whether it reads its input is its own affair.
        let _ = given.as_mut().map(|given| given.write_all(&input));
        drop(given);
        tell.send(child.wait_with_output())
    })?;
    if let Ok(output) = told.recv_timeout(patience) {
        return output.map(Some);
    }
    kill_group(group);
    Ok(None)
}

/// Does `work`, and waits until all has ended that it started, what was detached, too; not longer than
/// `patience`. Each of these processes inherits the writing end of a pipe, which ends with the last of them.
pub fn with_all_it_starts<T>(patience: Duration, work: impl FnOnce() -> T) -> std::io::Result<T> {
    let (mut end, held) = std::io::pipe()?;
    inherit(&held)?;
    let result = work();
    drop(held);
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        let _ = end.read_to_end(&mut Vec::new());
        tell.send(())
    })?;
    let _ = told.recv_timeout(patience);
    Ok(result)
}

/// The guard itself: runs `command` in a process group of its own and ends as it ends; when the
/// pipe `end` (a descriptor's number) is at its end, kills the group. Either way nothing that the
/// command started is left, in whatever session it hides: the guard is their reaper.
pub fn guard(end: &str, command: &[OsString]) -> Result<Exit, Failure> {
    let (program, args) = split(command)?;
    let is_number = !end.is_empty() && end.bytes().all(|letter| letter.is_ascii_digit());
    let opened = is_number.then(|| File::open(format!("/dev/fd/{end}")).ok()).flatten();
    let is_pipe = |file: &File| file.metadata().is_ok_and(|data| data.file_type().is_fifo());
    let Some(mut pipe) = opened.filter(is_pipe) else {
        let what = "expected the number of a descriptor that is the reading end of a pipe";
        return Err(Failure::usage(format!("--guard {end}: {what}; see --help")));
    };
    system::adopt_orphans();
    // The thread first: without it nothing may be started.
    let (tell, told) = std::sync::mpsc::channel();
    let watch = move || {
        let _ = pipe.read_to_end(&mut Vec::new());
        told.recv().map(kill_group)
    };
    std::thread::Builder::new().spawn(watch).map_err(|error| Failure::io("guard", &error))?;
    let mut child =
        Command::new(program).args(args).process_group(0).spawn().map_err(|error| cannot(program, &error))?;
    let group = Pid::from_child(&child);
    let _ = tell.send(group);
    // The pid stays ours until it is waited for, so the group that is killed is the right one.
    let _ = rustix::process::waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    kill_group(group);
    let status = child.wait().map_err(|error| cannot(program, &error))?;
    system::kill_orphans();
    Ok(Exit::Command(status_byte(status)))
}

/// Runs `command` in a session of its own, without terminal or input, its output appended to `log`;
/// does not come back when all is well. With `lock` the command holds that lock for as long as it, or
/// whatever it starts, has it open; status 75 when another holds it.
pub fn detach(log: Option<&Path>, lock: Option<&Path>, command: &[OsString]) -> Result<Exit, Failure> {
    let (program, args) = split(command)?;
    // Once the output is the log's, it would not be heard that the program does not exist.
    if env::program(&program.to_string_lossy()).is_none() {
        let what = "expected a program on PATH or the path of one: install it, or correct its name";
        return Err(Failure::new(Exit::Missing, format!("no program '{}': {what}", program.to_string_lossy())));
    }
    if rustix::process::setsid().is_err() {
        // The leader of a process group cannot open a session; a child of it can.
        let mut again = Command::new(env::own_tool("lh-detach")?);
        for (option, path) in [("--output", log), ("--lock", lock)] {
            again.args(path.map(|path| [OsStr::new(option), path.as_os_str()]).into_iter().flatten());
        }
        again.arg("--").args(command).stdin(Stdio::null()).spawn().map_err(|error| cannot(program, &error))?;
        return Ok(Exit::Done);
    }
    let mut run = Command::new(program);
    let output = || log.and_then(log::open).map_or_else(Stdio::null, Stdio::from);
    run.args(args).stdin(Stdio::null()).stdout(output()).stderr(output());
    forget_client(&mut run);
    let held = lock.map(inherited_lock).transpose()?;
    let failure = become_command(&mut run);
    drop(held);
    Err(failure)
}

/// Goes on as another program; comes back only if that cannot be run.
pub fn become_command(command: &mut Command) -> Failure {
    let error = command.exec();
    cannot(command.get_program(), &error)
}

/// A lock that outlives us in what we become; its file's time is when it was taken.
fn inherited_lock(path: &Path) -> Result<Lock, Failure> {
    // One in the agent's home is ours, and any other is where its user wants it.
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let target = match env::agent_home().map(|home| std::path::absolute(&home).unwrap_or(home)) {
        Ok(home) if path.starts_with(&home) => Root::new(&home).file(path)?,
        _ => Target::named(path)?,
    };
    let held = file::try_lock(&target)?;
    let mut lock = held.ok_or_else(|| Failure::later(format!("{}: held by another process", path.display())))?;
    inherit(lock.file()).map_err(Failure::at(path))?;
    lock.file().set_modified(clock::now().into()).map_err(Failure::at(path))?;
    Ok(lock)
}

/// Lets what is started have a descriptor, too.
fn inherit(descriptor: impl AsFd) -> std::io::Result<()> {
    Ok(rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::empty())?)
}

/// Takes the client's own variables out of a command's environment.
pub fn forget_client(command: &mut Command) {
    for name in env::CLIENT_VARIABLES {
        command.env_remove(name);
    }
}

/// How a process ended, in words.
pub fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) if code > 128 => format!("signal {}", code - 128),
        (Some(code), _) => format!("status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or(0)),
    }
}

/// The status as a shell gives it: 128 and the signal for one that was killed.
fn status_byte(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

fn split(command: &[OsString]) -> Result<(&OsString, &[OsString]), Failure> {
    command.split_first().ok_or_else(|| Failure::usage("no command; see --help"))
}

fn cannot(program: &OsStr, error: &std::io::Error) -> Failure {
    let failure = Failure::io(program.to_string_lossy(), error);
    if error.kind() == std::io::ErrorKind::NotFound { Failure { exit: Exit::Missing, ..failure } } else { failure }
}

fn kill_group(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn what_came_of_a_command_is_given() {
        let mut echo = Command::new("sh");
        let output = run(echo.args(["-c", "cat; echo said >&2; exit 3"]), b"given", Duration::from_secs(60)).unwrap();
        let output = output.unwrap();
        assert_eq!((output.stdout, output.stderr), (b"given".to_vec(), b"said\n".to_vec()));
        assert_eq!((in_words(output.status), status_byte(output.status)), ("status 3".to_owned(), 3));
    }

    #[test]
    fn what_takes_too_long_is_killed_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        // Both wait for a reader of the FIFO that never comes.
        let mut waits = Command::new("sh");
        waits.args(["-c", "echo >\"$0\" & echo >\"$0\"", &fifo.to_string_lossy()]);
        assert!(run(&mut waits, b"", Duration::ZERO).unwrap().is_none());
    }

    #[test]
    fn what_was_detached_is_waited_for_but_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        let start = |script: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, &done.to_string_lossy()]).stdin(Stdio::null()).stdout(Stdio::null());
            assert!(shell.status().unwrap().success());
        };
        let slow = "(i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; : >\"$0\") &";
        with_all_it_starts(Duration::from_secs(60), || start(slow)).unwrap();
        assert!(done.exists());
        // The FIFO is never opened for writing; the next line lets the reader end.
        let fifo = folder.path().join("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        with_all_it_starts(Duration::from_millis(1), || start("cat <\"${0%/*}/fifo\" &")).unwrap();
        drop(File::options().write(true).open(&fifo).unwrap());
    }

    #[test]
    fn a_guard_and_a_detached_command_are_refused_before_they_start() {
        let status = |done: Result<Exit, Failure>| done.unwrap_err().exit.status();
        for end in ["", "x", "-1", "99999"] {
            assert_eq!(status(guard(end, &command(&["true"]))), 64, "{end}");
        }
        assert_eq!((status(guard("0", &[])), status(detach(None, None, &[]))), (64, 64));
        assert_eq!(status(detach(None, None, &command(&["/no/such/program"]))), 69);
    }
}
