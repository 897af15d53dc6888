//! The queue is files. A session to work on is `queue/<unix time>-<short id>.task`. Producers write
//! it (a pending one of the same session is refreshed, not doubled); one worker at a time, who holds
//! `.worker.lock`, takes each due task, the oldest session first: counts the start in the file, runs the
//! command, files the task under `done/` or `failed/`, or leaves it with `not_before`. What was
//! processed is in `state/<session id>`, written before the task is filed, or by lh-persist by hand. `.lock` is held for
//! milliseconds by a process that changes a task or a state; all files are replaced by rename.
//!
//! A process that dies leaves the task where it was; the next one takes it up again.

mod drain;
mod list;
mod state;

pub use drain::{drain, perform};
pub use list::{Waited, list, retry, table, wait};
pub use state::SessionState;

use crate::base::clock;
use crate::base::config::Engine;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Lock, Root, Target};
use crate::base::log;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::record::outcome::Ending;
use crate::record::session::{self, Session};
use crate::record::task::Task;
use jiff::Timestamp;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The event of a task that the sweep queued.
pub const SWEEP: &str = "sweep";
/// The folders of the queue: tasks that are done, tasks that were given up, what tasks in work write, and what
/// was done with each session.
pub const DONE: &str = "done";
/// See [`DONE`].
pub const FAILED: &str = "failed";
/// See [`DONE`].
pub const WORK: &str = "work";
/// See [`DONE`].
pub const STATES: &str = "state";
/// Held by the worker while it works.
const WORKER_LOCK: &str = ".worker.lock";
/// Describes the session of a task as it is now. The queue itself reads no transcript.
pub type Describe<'a> = &'a dyn Fn(&Task) -> Result<Session, Failure>;
/// A task file is read as far as this.
const TASK_BYTES: u64 = 1 << 20;
/// A time further ahead than this was written under a wrong clock.
const DAY_SECONDS: i64 = 86_400;
/// How long a hook waits for the queue's lock.
const HOOK_PATIENCE: Duration = Duration::from_millis(300);

/// The queue of one agent's home.
#[derive(Clone, Debug)]
pub struct Queue {
    folder: PathBuf,
    home: Root,
}

impl Queue {
    /// The queue below an agent's home; nothing is created yet.
    pub fn in_home(home: &Path) -> Self {
        Self { folder: home.join("queue"), home: Root::new(home) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The lock under which it is changed; hooks wait for the process that has it.
    pub fn hold(&self) -> Result<Lock, Failure> {
        self.folder("")?;
        self.lock(file::PATIENCE)
    }

    fn lock(&self, patience: Duration) -> Result<Lock, Failure> {
        file::lock(&self.file(".lock")?, patience)
    }

    /// A file of the queue that may be written.
    fn file(&self, name: impl AsRef<Path>) -> Result<Target, Failure> {
        self.home.file(Path::new("queue").join(name))
    }

    /// A folder of the queue, which is created; "" is the queue itself.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        self.home.folder(Path::new("queue").join(name))
    }

    /// Writes a task file of that name, which holds paths, ids and times.
    fn write_task(&self, name: impl AsRef<Path>, task: &Task) -> Result<(), Failure> {
        file::replace(&self.file(name)?, &Masked::exact(task.text()), Durable::No)
    }

    /// The files of a task in work: this path and an ending.
    fn work(&self, task: &str) -> PathBuf {
        self.folder.join(WORK).join(task)
    }

    /// Status 65 when every user of the machine can put tasks in, take them out and replace them.
    pub fn is_ours(&self) -> Result<(), Failure> {
        let data = self.folder.metadata().map_err(|error| Failure::io(self.folder.display(), &error))?;
        if data.permissions().mode() & 0o002 == 0 {
            return Ok(());
        }
        let what = "every user can write to it, so its tasks are not trusted: chmod 700 it, and look at what is there";
        Err(Failure::data(format!("{}: {what}", self.folder.display())))
    }

    /// The names of the pending tasks in the order in which they are started: first the session with the transcript that
    /// changed first, so that the memory grows in the order of what happened; then what was queued first.
    fn in_order(&self) -> Result<Vec<String>, Failure> {
        let mut names = tasks_in(&self.folder)?;
        names.sort_by_cached_key(|name| {
            let task = self.read_task(name).ok().flatten().map(|(task, _)| task);
            let changed = task.as_ref().and_then(|task| file::modified(&task.transcript));
            (changed, task.and_then(|task| task.queued_at), name.clone())
        });
        Ok(names)
    }

    /// Notes that a session was distilled as far as a `distilled` record says, unless more of it was. A
    /// record that does not say how far counts for nothing.
    pub fn distilled(&self, session: &Session, record: &Record) -> Result<(), Failure> {
        if session.source_size_bytes.is_none() {
            return Ok(());
        }
        let folder = self.folder(STATES)?;
        let _lock = self.lock(file::PATIENCE)?;
        file::remove_leftovers(&folder, None);
        let old = self.state(&session.session_id)?;
        if old.outcome.is_some() && old.modified_at > session.source_modified_at {
            return Ok(());
        }
        let state = SessionState {
            queued_at: old.queued_at,
            size_bytes: session.source_size_bytes,
            modified_at: session.source_modified_at,
            messages: record.get("messages"),
            conversation_hash: record.text("conversation_hash"),
            outcome: Some(Ending::Done),
            reason: None,
        };
        self.write_state(&session.session_id, &state)
    }

    /// What was done with a session so far.
    pub fn state(&self, session_id: &str) -> Result<SessionState, Failure> {
        SessionState::read(&self.state_path(session_id))
    }

    /// The names of all files of a session: its tasks wherever they are, what they wrote in work, and its state. Its id is that
    /// of a file.
    pub fn files_of(&self, session_id: &str) -> Result<Vec<PathBuf>, Failure> {
        let short = session::short_id(session_id);
        let works: Vec<PathBuf> = file::names(&self.folder.join(WORK))?.into_iter().map(PathBuf::from).collect();
        let mut found = vec![Path::new(STATES).join(session_id)];
        for folder in ["", DONE, FAILED] {
            for (name, task) in self.tasks(folder, |name| name.contains(&short))? {
                if session::safe_id(&task.session_id) == session_id {
                    let is_its = |work: &&PathBuf| work.to_string_lossy().starts_with(&format!("{name}."));
                    found.extend(works.iter().filter(is_its).map(|work| Path::new(WORK).join(work)));
                    found.push(Path::new(folder).join(name));
                }
            }
        }
        Ok(found)
    }

    fn state_path(&self, session_id: &str) -> PathBuf {
        self.folder.join(STATES).join(session::safe_id(session_id))
    }

    fn write_state(&self, session_id: &str, state: &SessionState) -> Result<(), Failure> {
        self.folder(STATES)?;
        let name = Path::new(STATES).join(session::safe_id(session_id));
        file::replace(&self.file(name)?, &Masked::exact(state.text()), Durable::No)
    }

    /// The tasks in a folder of the queue that can be read and have a wanted name, each with its name.
    fn tasks(&self, folder: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, Task)>, Failure> {
        let mut found = Vec::new();
        for name in tasks_in(&self.folder.join(folder))?.into_iter().filter(|name| is_wanted(name)) {
            if let Ok(Some((task, _))) = self.read_task(Path::new(folder).join(&name)) {
                found.push((name, task));
            }
        }
        Ok(found)
    }

    /// A task with the bytes of its file, which is named below the queue.
    fn read_task(&self, name: impl AsRef<Path>) -> Result<Option<(Task, Vec<u8>)>, Failure> {
        let path = self.folder.join(name);
        let Some(bytes) = file::read_own(&path, TASK_BYTES)? else { return Ok(None) };
        let task = Task::parse(&bytes).map_err(|what| Failure::data(format!("{}: {what}", path.display())))?;
        Ok(Some((task, bytes)))
    }

    /// Queues the session of a record, or refreshes its pending task. Returns the record as a `task`. An `engine` in
    /// the record is that of the task.
    pub fn enqueue(&self, record: &Record) -> Result<Record, Failure> {
        let session = Session::from_record(record)?;
        self.folder("")?;
        let now = clock::now();
        let lock = match self.lock(HOOK_PATIENCE) {
            // A hook does not wait for a process that sits on the lock. It makes a task of its own, at worst a
            // second one: the worker looks at the conversation.
            Err(failure) if failure.exit == Exit::Later => None,
            lock => Some(lock?),
        };
        self.mark_first_use()?;
        let short = session::short_id(&session.session_id);
        let pending = if lock.is_some() { self.pending_of(&session.session_id, &short)? } else { None };
        let fresh = Task {
            cwd: session.cwd.clone(),
            transcript: session.transcript.clone(),
            session_id: session.session_id.clone(),
            memory_dir: session.memory_dir.clone(),
            queued_at: Some(now),
            event: session.event.clone(),
            engine: record.text("engine").and_then(|word| Engine::from_word(&word)),
            ..Task::default()
        };
        let (path, task) = if let Some((name, old)) = pending {
            let Task { attempts, not_before, last_error, others, .. } = old;
            let task = Task { attempts, not_before, last_error, others, ..fresh };
            self.write_task(&name, &task)?;
            (self.folder.join(name), task)
        } else {
            (self.create(&fresh, now.as_second(), &short)?, fresh)
        };
        if lock.is_some() {
            let state = SessionState { queued_at: Some(now), ..self.state(&session.session_id)? };
            self.write_state(&session.session_id, &state)?;
        }
        Ok(task.record(record.clone(), &path))
    }

    /// Sends the tasks whose memory was in one of the folders `gone` to where it is now, pending ones and those that
    /// were given up; says how many. The worker must be at rest.
    pub fn redirect(&self, gone: &[PathBuf], describe: Describe<'_>) -> Result<usize, Failure> {
        let _lock = self.lock(file::PATIENCE)?;
        let gone: Vec<PathBuf> = gone.iter().map(|folder| file::real_path(folder)).collect();
        let mut count = 0;
        for folder in ["", FAILED] {
            for (name, task) in self.tasks(folder, |_| true)? {
                if !gone.contains(&file::real_path(&task.memory_dir)) {
                    continue;
                }
                match describe(&task) {
                    Ok(Session { memory_dir, .. }) => {
                        self.write_task(Path::new(folder).join(name), &Task { memory_dir, ..task })?;
                        count += 1;
                    }
                    Err(failure) => note(&format!("{}: {}", Path::new(folder).join(name).display(), failure.message)),
                }
            }
        }
        Ok(count)
    }

    /// Holds the worker's lock, so that none works meanwhile; status 75 when one does.
    pub fn rest(&self) -> Result<Lock, Failure> {
        self.folder("")?;
        file::lock(&self.file(WORKER_LOCK)?, file::PATIENCE).map_err(|failure| match failure.exit {
            Exit::Later => Failure::later("the worker is at work: try again when it is done (lh status)"),
            _ => failure,
        })
    }

    /// Creates the file of a new task under the first free name.
    fn create(&self, task: &Task, second: i64, short: &str) -> Result<PathBuf, Failure> {
        let mut name = format!("{second}-{short}.task");
        let mut number = 1_u32;
        loop {
            let is_filed = [DONE, FAILED].iter().any(|folder| self.folder.join(folder).join(&name).exists());
            if !is_filed && file::create(&self.file(&name)?, &Masked::exact(task.text()), Durable::No)? {
                return Ok(self.folder.join(name));
            }
            number += 1;
            name = format!("{second}-{short}-{number}.task");
        }
    }

    /// When the first hook ran; none when none did.
    pub fn since(&self) -> Result<Option<Timestamp>, Failure> {
        let since = file::read_text(&self.folder.join(".since"))?.and_then(|text| clock::parse(&text));
        // A time that is ahead was written under a wrong clock: the next hook writes it anew.
        Ok(since.filter(|since| clock::seconds_between(clock::now(), *since) < DAY_SECONDS))
    }

    /// Whether no tool has dealt with a session as far as its transcript goes now: it was never queued,
    /// or it grew since it was processed or refused. One that was given up waits for its user.
    pub fn lacks(&self, session: &Session) -> Result<bool, Failure> {
        let short = session::short_id(&session.session_id);
        Ok(!self.has_dealt_with(session)? && self.pending_of(&session.session_id, &short)?.is_none())
    }

    /// Whether a session was processed, refused or given up as far as its transcript goes now.
    pub fn has_dealt_with(&self, session: &Session) -> Result<bool, Failure> {
        let state = self.state(&session.session_id)?;
        Ok(match state.outcome {
            Some(Ending::Failed) => true,
            // A state from before we kept sizes has only a time.
            _ if state.size_bytes.is_none() => {
                state.modified_at >= session.source_modified_at && state.modified_at.is_some()
            }
            _ => state.size_bytes == session.source_size_bytes,
        })
    }

    /// How many sessions the sweep queued on a local day.
    pub fn sweep_queued_on(&self, day: &str) -> Result<usize, Failure> {
        let midnight = clock::start_of_day(day).map_or(0, Timestamp::as_second);
        // Names begin with the second in which the task was queued.
        let second = |name: &str| name.split('-').next()?.parse::<i64>().ok();
        let mut count = 0;
        for folder in ["", DONE, FAILED] {
            let of_day = self.tasks(folder, |name| second(name).is_some_and(|second| second >= midnight))?;
            count += of_day.iter().filter(|(_, task)| task.event == SWEEP).count();
        }
        Ok(count)
    }

    /// When the first hook ran: what is older is never queued unasked.
    fn mark_first_use(&self) -> Result<(), Failure> {
        if self.since()?.is_some() {
            return Ok(());
        }
        let line = format!("{}\n", clock::local(clock::now()));
        file::replace(&self.file(".since")?, &Masked::exact(line), Durable::No)
    }

    fn pending_of(&self, session_id: &str, short: &str) -> Result<Option<(String, Task)>, Failure> {
        let mut tasks = self.tasks("", |name| name.contains(short))?.into_iter();
        Ok(tasks.find(|(_, task)| task.session_id == session_id))
    }
}

/// The names of the task files in a folder, sorted.
fn tasks_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let names = file::names(folder)?.into_iter().filter_map(|name| name.into_string().ok());
    Ok(names.filter(|name| Path::new(name).extension() == Some(OsStr::new("task")) && !name.starts_with('.')).collect())
}

/// Says one line of what the queue did.
fn note(message: &str) {
    log::say("lh-dequeue", message);
}

#[cfg(test)]
mod tests;
