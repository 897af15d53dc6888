//! The worker: runs a command for each due task and files the task by how the command ended.

use super::{DONE, Describe, FAILED, Queue, STATES, SessionState, WORK, WORKER_LOCK, note};
use crate::base::config::Loop;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Lock};
use crate::base::masked::Masked;
use crate::base::process::{self, Guarded};
use crate::base::record::Record;
use crate::base::stream::Output;
use crate::base::{clock, env};
use crate::record::outcome::{self, Ending, Outcome};
use crate::record::refusal::Reason;
use crate::record::session::Session;
use crate::record::task::Task;
use jiff::Timestamp;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

/// Seconds to wait after the first, second … failed start.
const WAITS: [i64; 5] = [60, 300, 1800, 7200, 43_200];
/// A distillation by hand does not take longer.
const BY_HAND_SECONDS: i64 = 86_400;
/// Seconds that a task waits at least when it is to wait.
const LEAST_WAIT: i64 = 10;
/// A task that is to wait longer than any of ours waits under a clock that was set back.
const LONGEST_WAIT: i64 = 90_000;

/// As much of the log is looked at for what a command said.
const SAID_BYTES: u64 = 64 << 10;

/// What lh-task and lh-distill write of a task in work.
const ENDINGS: [&str; 7] = ["record", "passed", "distilled", "asked", "answer", "verify.asked", "verify.answer"];

/// What a worker needs for each task.
struct Worker<'a> {
    queue: &'a Queue,
    config: &'a Loop,
    describe: Describe<'a>,
}

/// How the work of a task ended.
struct TaskEnd {
    outcome: Outcome,
    /// Trying again won't help.
    is_hopeless: bool,
}

/// Runs `command` for every due task until none is left; returns whether we were the worker. `describe`
/// brings a task up to date before its command runs. The
/// lock is looked at again after it was let go, so that a task dropped in between is not stranded:
/// its producer's worker may have found the lock still held.
pub fn drain(
    queue: &Queue,
    config: &Loop,
    command: &[OsString],
    describe: Describe<'_>,
    out: &mut Output,
) -> Result<bool, Failure> {
    let worker = Worker { queue, config, describe };
    if !queue.folder.is_dir() {
        return Ok(true);
    }
    queue.is_ours()?;
    loop {
        let Some(lock) = file::try_lock(&queue.file(WORKER_LOCK)?)? else { return Ok(false) };
        seed(queue)?;
        remove_leftovers(queue)?;
        let mut last = worker.pass(command, out)?;
        while last.ran && !last.held {
            last = worker.pass(command, out)?;
        }
        drop(lock);
        if last.held || !queue.any_due()? {
            return Ok(true);
        }
    }
}

/// What came of going once through the tasks.
#[derive(Clone, Copy, Default)]
struct Pass {
    /// At least one was due and was started.
    ran: bool,
    /// One was told to wait (the budget, the breaker, no model): so would all others be.
    held: bool,
}

impl Worker<'_> {
    /// Goes once through the tasks. A file that is not a task is put aside.
    fn pass(&self, command: &[OsString], out: &mut Output) -> Result<Pass, Failure> {
        let queue = self.queue;
        let mut came = Pass::default();
        for name in queue.in_order()? {
            match queue.read_task(&name) {
                Ok(Some((task, _))) if is_due(&task, clock::now()) => {
                    let outcome = self.run(&name, command, out)?;
                    came.ran = true;
                    came.held = outcome.is_some_and(|outcome| outcome.ending == Some(Ending::Waiting));
                    if came.held {
                        break;
                    }
                }
                Ok(_) => {}
                Err(failure) => {
                    note(&failure.message);
                    if failure.exit == Exit::Data {
                        move_to(queue, &name, FAILED)?;
                    }
                }
            }
        }
        Ok(came)
    }

    /// Starts the command for one task.
    fn run(&self, name: &str, command: &[OsString], out: &mut Output) -> Result<Option<Outcome>, Failure> {
        self.task(name, |record, session| {
            let begun = clock::monotonic();
            let log = log_end();
            let judged = match execute(self.queue, name, command, record, out) {
                Ok((status, outcome)) => {
                    // Another process can have written to the log just then: the status is told as well.
                    let words = process::in_words(status);
                    let said = last_said(log).map_or_else(|| words.clone(), |said| format!("{said} ({words})"));
                    judge(status.code(), said, outcome.unwrap_or_default(), session)
                }
                Err(failure) => judge(None, failure.message, Outcome::default(), session),
            };
            let seconds = clock::monotonic().duration_since(begun).as_secs_f64();
            note(&format!("{name}: {} ({seconds:.1} s)", in_words(&judged.outcome)));
            judged
        })
    }

    /// Starts a task and files it by how `act` ended; none when it is given up.
    fn task(&self, name: &str, act: impl FnOnce(&Record, &Session) -> TaskEnd) -> Result<Option<Outcome>, Failure> {
        let Some((task, bytes)) = self.start(name)? else { return Ok(None) };
        let session = (self.describe)(&task)?;
        let judged = act(&task.record(session.record("task"), &self.queue.folder.join(name)), &session);
        let outcome = judged.outcome.clone();
        self.file(name, &bytes, &session, judged)?;
        Ok(Some(outcome))
    }

    /// Counts the start in the task file before anything runs. A task that took its worker down at
    /// every start so far is given up here.
    fn start(&self, name: &str) -> Result<Option<(Task, Vec<u8>)>, Failure> {
        let _lock = self.queue.lock(file::PATIENCE)?;
        let Some((mut task, _)) = self.queue.read_task(name)? else { return Ok(None) };
        if task.attempts >= self.most_attempts() {
            let reason = task.last_error.clone().unwrap_or_else(|| "the worker was killed at every start".to_owned());
            note(&format!("{name}: given up after {} starts: {reason}", task.attempts));
            give_up(self.queue, name, task, &reason)?;
            return Ok(None);
        }
        task.attempts += 1;
        self.queue.write_task(name, &task)?;
        let bytes = task.text().into_bytes();
        Ok(Some((task, bytes)))
    }

    fn most_attempts(&self) -> u32 {
        self.config.max_attempts.max(1)
    }

    /// Files the task, if its bytes are still those that the run began with; one that was refreshed
    /// meanwhile stays, as a task that was never started. The state is written first.
    fn file(&self, name: &str, bytes: &[u8], session: &Session, judged: TaskEnd) -> Result<(), Failure> {
        let queue = self.queue;
        let _lock = queue.lock(file::PATIENCE)?;
        let Some((task, present)) = queue.read_task(name)? else { return Ok(()) };
        let refreshed = present != bytes;
        let TaskEnd { outcome, is_hopeless } = judged;
        let keep = |attempts, not_before, last_error| {
            queue.write_task(name, &Task { attempts, not_before, last_error, ..task.clone() })
        };
        // The file can have been edited meanwhile.
        let failed = task.attempts.saturating_sub(1);
        match outcome.ending {
            Some(Ending::Waiting) => keep(failed, outcome.not_before, outcome.reason),
            // There is something new to do: it is tried as if nothing had been, after a pause.
            Some(Ending::Failed) if refreshed => keep(0, Some(clock::after(clock::now(), WAITS[0])), outcome.reason),
            Some(Ending::Failed) if !is_hopeless && task.attempts < self.most_attempts() => {
                let wait = WAITS[(failed as usize).min(WAITS.len() - 1)];
                keep(task.attempts, Some(clock::after(clock::now(), wait)), outcome.reason)
            }
            Some(Ending::Failed) => give_up(queue, name, task, outcome.reason.as_deref().unwrap_or("it failed")),
            _ => {
                // An answer from before the session grew was persisted: what came after is still to do.
                let behind = outcome.size_bytes < session.source_size_bytes
                    && outcome.size_bytes != queue.state(&session.session_id)?.size_bytes;
                write_outcome(queue, &session.session_id, outcome)?;
                if refreshed || behind {
                    remove_work(queue, name)?;
                    return keep(0, None, None);
                }
                move_to(queue, name, DONE)?;
                remove_work(queue, name)
            }
        }
    }
}

/// Does one task in this process as the worker does it, if it is due; none when it is not, or is given up. The caller
/// holds the worker's lock ([`Queue::take_over`]). `act` is given the record and the path of the task's work files.
pub fn perform(
    queue: &Queue,
    config: &Loop,
    name: &str,
    describe: Describe<'_>,
    act: &mut dyn FnMut(&Record, &Path) -> Result<Outcome, Failure>,
) -> Result<Option<Outcome>, Failure> {
    if !matches!(queue.read_task(name)?, Some((task, _)) if is_due(&task, clock::now())) {
        return Ok(None);
    }
    queue.folder(WORK)?;
    Worker { queue, config, describe }.task(name, |record, session| match act(record, &queue.work(name)) {
        Ok(outcome) => judge(Some(0), String::new(), outcome, session),
        Err(failure) => judge(Some(i32::from(failure.exit.status())), failure.message, Outcome::default(), session),
    })
}

impl Queue {
    /// Makes the caller the worker, who waits so long for the one at work.
    pub fn take_over(&self, patience: Duration) -> Result<Lock, Failure> {
        self.folder("")?;
        self.is_ours()?;
        let lock = file::lock(&self.file(WORKER_LOCK)?, patience)?;
        seed(self)?;
        remove_leftovers(self)?;
        Ok(lock)
    }

    /// Whether a task is due.
    pub fn any_due(&self) -> Result<bool, Failure> {
        let now = clock::now();
        Ok(self.tasks("", |_| true)?.iter().any(|(_, task)| is_due(task, now)))
    }
}

/// Whether a task may be started; under a clock that was set back none waits for long.
pub(super) fn is_due(task: &Task, now: Timestamp) -> bool {
    let wait = task.not_before.map_or(0, |time| clock::seconds_between(now, time));
    wait <= 0 || wait > LONGEST_WAIT
}

/// Runs the command behind a guard: the record on its standard input, its own output to ours.
fn execute(
    queue: &Queue,
    name: &str,
    command: &[OsString],
    record: &Record,
    out: &mut Output,
) -> Result<(ExitStatus, Option<Outcome>), Failure> {
    let work = queue.work(name);
    queue.folder(WORK)?;
    // The command's shell writes these, and would follow a link.
    for ending in ENDINGS {
        queue.file(Path::new(WORK).join(format!("{name}.{ending}")))?;
    }
    let mut guarded = Guarded::start(command, |guard| {
        guard.env("LH_WORK", &work).stdin(Stdio::piped()).stdout(Stdio::piped());
    })?;
    let input = guarded.child.stdin.take();
    if let Some(mut input) = input {
        // A command that reads nothing is its own affair.
        let _ = input.write_all(record.line().as_bytes());
    }
    let mut last = None;
    let output = guarded.child.stdout.take().map(BufReader::new);
    for line in output.into_iter().flat_map(|output| output.split(b'\n')).map_while(Result::ok) {
        let parsed = std::str::from_utf8(&line).ok().and_then(|text| Record::parse(text).ok());
        let outcome = parsed.filter(|record| record.kind() == outcome::TYPE);
        last = outcome.map(|record| Outcome::read(&record)).or(last);
        out.bytes(&line)?;
        out.bytes(b"\n")?;
        out.flush()?;
    }
    let status = guarded.child.wait().map_err(|error| Failure::io("command", &error))?;
    Ok((status, last))
}

/// How long the log is to which the tools of a command write; 0 where there is none.
fn log_end() -> u64 {
    let path = env::log_file().ok().flatten();
    path.and_then(|path| path.metadata().ok()).map_or(0, |data| data.len())
}

/// What a tool said last in the log since it was that long, for a status alone does not say what to mend.
fn last_said(since: u64) -> Option<String> {
    let path = env::log_file().ok().flatten()?;
    // A log that was turned over begins anew.
    let new = log_end().checked_sub(since).unwrap_or_else(log_end).min(SAID_BYTES);
    let text = if new == 0 { String::new() } else { file::read_tail(&path, new).ok()? };
    let said = |line: &str| match line.split_once(" lh-") {
        Some((_, said)) => Some(format!("lh-{said}")),
        None => line.starts_with("lh-").then(|| line.to_owned()),
    };
    text.lines().rev().find_map(said)
}

/// What a status and an outcome mean. An outcome says why; only the status says whether it worked.
fn judge(code: Option<i32>, in_words: String, said: Outcome, session: &Session) -> TaskEnd {
    let reason = || Some(said.reason.clone().unwrap_or(in_words));
    let outcome = match (code, said.ending) {
        (Some(0 | 75), Some(Ending::Waiting)) => {
            // Never at once, never for ever, whatever a command asks for.
            let soon = clock::after(clock::now(), LEAST_WAIT);
            let late = clock::after(clock::now(), LONGEST_WAIT);
            let not_before = Some(said.not_before.unwrap_or(soon).clamp(soon, late));
            Outcome { ending: said.ending, reason: reason(), not_before, ..Outcome::default() }
        }
        (Some(0), None | Some(Ending::Done | Ending::Refused)) => Outcome {
            ending: said.ending.or(Some(Ending::Done)),
            not_before: None,
            size_bytes: said.size_bytes.or(session.source_size_bytes),
            modified_at: said.modified_at.or(session.source_modified_at),
            ..said
        },
        _ => Outcome { ending: Some(Ending::Failed), reason: reason(), ..Outcome::default() },
    };
    TaskEnd { outcome, is_hopeless: code == Some(65) }
}

fn in_words(outcome: &Outcome) -> String {
    let word = outcome.ending.map_or("", Ending::word);
    let until = outcome.not_before.map_or_else(String::new, |time| format!(" until {}", clock::local(time)));
    let reason = outcome.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{word}{until}{reason}")
}

/// Moves a task to failed/, with its reason in it and in the session's state.
fn give_up(queue: &Queue, name: &str, task: Task, reason: &str) -> Result<(), Failure> {
    let state = SessionState {
        outcome: Some(Ending::Failed),
        reason: Some(reason.to_owned()),
        ..queue.state(&task.session_id)?
    };
    queue.write_state(&task.session_id, &state)?;
    let task = Task { not_before: None, last_error: Some(reason.to_owned()), ..task };
    queue.write_task(name, &task)?;
    move_to(queue, name, FAILED)
}

fn write_outcome(queue: &Queue, session_id: &str, outcome: Outcome) -> Result<(), Failure> {
    let old = queue.state(session_id)?;
    if outcome.reason.as_deref() == Some(Reason::AlreadyProcessed.word()) {
        // The conversation is that of the state; the transcript has only new bookkeeping.
        let state = SessionState { size_bytes: outcome.size_bytes, modified_at: outcome.modified_at, ..old };
        return queue.write_state(session_id, &state);
    }
    let state = SessionState {
        queued_at: old.queued_at,
        size_bytes: outcome.size_bytes,
        modified_at: outcome.modified_at,
        messages: outcome.messages,
        outcome: outcome.ending,
        conversation_hash: outcome.conversation_hash,
        reason: outcome.reason,
    };
    queue.write_state(session_id, &state)
}

fn move_to(queue: &Queue, name: &str, folder: &str) -> Result<(), Failure> {
    queue.folder(folder)?;
    let path = queue.folder.join(name);
    // A sync client or a person moved it: it is theirs to bring back.
    if path.exists() { file::rename(&path, &queue.file(Path::new(folder).join(name))?) } else { Ok(()) }
}

/// The files that belong to a task in work.
fn work_files(queue: &Queue) -> Result<Vec<(String, PathBuf)>, Failure> {
    let folder = queue.folder.join(WORK);
    let names = file::names(&folder)?.into_iter().filter_map(|name| name.into_string().ok());
    let owner = |name: &String| name.find(".task").and_then(|at| name.get(..at)).map(|stem| format!("{stem}.task"));
    Ok(names.map(|name| (owner(&name).unwrap_or_default(), folder.join(&name))).collect())
}

fn remove_work(queue: &Queue, task: &str) -> Result<(), Failure> {
    let files = work_files(queue)?;
    files.iter().filter(|(owner, _)| owner == task).try_for_each(|(_, path)| file::remove_path(path))
}

/// Removes what killed workers left behind: what they wrote aside, and the files of tasks that are
/// filed by now; and the folder of a distillation by hand that was killed, after a day.
fn remove_leftovers(queue: &Queue) -> Result<(), Failure> {
    // Nothing is removed where a link leads out.
    for folder in [WORK, FAILED, STATES] {
        queue.home.inside(Path::new("queue").join(folder))?;
    }
    let kept = |task: &String| queue.folder.join(task).exists() || queue.folder.join(FAILED).join(task).exists();
    let files = work_files(queue)?;
    let left = files.iter().filter(|(owner, path)| !kept(owner) && path.is_file());
    left.clone().try_for_each(|(_, path)| file::remove_path(path))?;
    let old = |path: &Path| {
        let modified = file::modified(path);
        modified.is_some_and(|time| clock::seconds_between(time, clock::now()) > BY_HAND_SECONDS)
    };
    for (_, folder) in files.iter().filter(|(_, path)| path.is_dir() && old(path)) {
        let _ = std::fs::remove_dir_all(folder);
    }
    let _lock = queue.lock(file::PATIENCE)?;
    for folder in ["", WORK, FAILED, STATES] {
        file::remove_leftovers(&queue.home.inside(Path::new("queue").join(folder))?, None);
    }
    Ok(())
}

/// Once, on a home that the predecessor used: what is in done/ was processed when it was queued.
fn seed(queue: &Queue) -> Result<(), Failure> {
    let mark = queue.file("state/.seeded")?;
    if mark.exists() {
        return Ok(());
    }
    for name in super::tasks_in(&queue.folder.join(DONE))? {
        let task = match queue.read_task(Path::new(DONE).join(name)) {
            Ok(Some((task, _))) => task,
            Err(failure) if failure.exit != Exit::Data => return Err(failure),
            _ => continue,
        };
        // For each anew: producers wait for this lock.
        let _lock = queue.lock(file::PATIENCE)?;
        let state = queue.state(&task.session_id)?;
        if state.outcome.is_none() && state.modified_at < task.queued_at {
            queue.write_state(&task.session_id, &SessionState { modified_at: task.queued_at, ..state })?;
        }
    }
    queue.folder(STATES)?;
    file::replace(&mark, &Masked::default(), Durable::No)
}
