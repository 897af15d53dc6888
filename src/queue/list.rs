//! Looking at the queue and putting back what was given up.

use super::{DONE, Describe, FAILED, Queue, TASK_BYTES, tasks_in};
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, file, text};
use crate::record::session;
use crate::record::task::{self, Status, Task};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// How often a task is looked for that is waited for.
const BETWEEN: Duration = Duration::from_millis(200);

/// The pending tasks and those that were given up, as `task` records with a [`Status`].
pub fn list(queue: &Queue, describe: Describe<'_>) -> Result<Vec<Record>, Failure> {
    let now = clock::now();
    let failed = queue.folder.join(FAILED);
    let mut records = Vec::new();
    for (folder, names, given_up) in [(&queue.folder, queue.in_order()?, false), (&failed, tasks_in(&failed)?, true)] {
        for name in names {
            let path = folder.join(&name);
            let read = file::read_own(&path, TASK_BYTES).map_err(|failure| failure.message).transpose();
            let task = match read.map(|bytes| bytes.and_then(|bytes| Task::parse(&bytes))) {
                None => continue,
                Some(Ok(task)) => task,
                Some(Err(what)) => {
                    records.push(task::damaged(&path, &what));
                    continue;
                }
            };
            let mut record = task.record(describe(&task)?.record("task"), &path);
            let status = match super::drain::is_due(&task, now) {
                _ if given_up => Status::Failed,
                true => Status::Due,
                false => Status::Waiting,
            };
            status.put(&mut record);
            records.push(record);
        }
    }
    Ok(records)
}

/// The same as lines for people.
pub fn table(records: &[Record]) -> String {
    if records.is_empty() {
        return "no task waits and none was given up\n".to_owned();
    }
    let mut out =
        format!("{:8} {:25} {:8} {:8} {:20} {}\n", "STATUS", "QUEUED", "ATTEMPTS", "SESSION", "PROJECT", "WHY");
    for record in records {
        let field = |name: &str| record.text(name).unwrap_or_default();
        let why = [
            field("last_error"),
            record.text("not_before").map_or_else(String::new, |time| format!("(not before {time})")),
        ];
        let _ = writeln!(
            out,
            "{:8} {:25} {:8} {:8} {:20} {}",
            field("status"),
            field("queued_at"),
            record.get::<u32>("attempts").unwrap_or_default(),
            // A task that cannot be read names none.
            record.text("session_id").map_or_else(String::new, |id| session::short_id(&id)),
            text::cut(&text::one_line(&field("project")), 20),
            text::one_line(why.join(" ").trim()),
        );
    }
    out
}

/// Puts given-up tasks back, as new ones, and lets waiting ones start now: all given-up ones, or
/// those whose file name, session id or short id is `which`. Returns their records, and those of tasks that
/// are due already.
pub fn retry(queue: &Queue, which: Option<&str>, describe: Describe<'_>) -> Result<Vec<Record>, Failure> {
    let mut records = Vec::new();
    let pending = if which.is_some() { tasks_in(&queue.folder)? } else { Vec::new() };
    let given_up = tasks_in(&queue.folder.join(FAILED))?.into_iter();
    for (folder, name) in pending.into_iter().map(|name| ("", name)).chain(given_up.map(|name| (FAILED, name))) {
        let _lock = queue.lock(file::PATIENCE)?;
        let place = Path::new(folder).join(&name);
        let Ok(Some((mut task, _))) = queue.read_task(&place) else { continue };
        if !is_meant(which, &name, &task) {
            continue;
        }
        // One that is due may be at work: a change would start it anew.
        if folder == FAILED || task.not_before.is_some() {
            task = Task { attempts: 0, not_before: None, last_error: None, ..task };
            queue.write_task(&place, &task)?;
        }
        // A task of the same session that waits already is enough.
        let short = session::short_id(&task.session_id);
        let waiting = if folder == FAILED { queue.pending_of(&task.session_id, &short)? } else { None };
        if waiting.is_some() {
            queue.folder(DONE)?;
            file::rename(&queue.folder.join(place), &queue.file(Path::new(DONE).join(&name))?)?;
        } else if folder == FAILED {
            file::rename(&queue.folder.join(place), &queue.file(&name)?)?;
        }
        let path = queue.folder.join(waiting.map_or(name, |(waiting, _)| waiting));
        records.push(task.record(describe(&task)?.record("task"), &path));
    }
    Ok(records)
}

/// How a task ended that was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// It was done, or refused.
    Done,
    /// It was given up.
    GivenUp,
    /// None is here.
    Unknown,
}

/// Waits until no task of this session id, short id or file name is to be done any more.
pub fn wait(queue: &Queue, which: &str) -> Result<Waited, Failure> {
    let is_in = |folder: &str| -> Result<bool, Failure> {
        Ok(queue.tasks(folder, |_| true)?.iter().any(|(name, task)| is_meant(Some(which), name, task)))
    };
    while is_in("")? {
        clock::sleep(BETWEEN);
    }
    Ok(match (is_in(FAILED)?, is_in(DONE)?) {
        (true, _) => Waited::GivenUp,
        (false, true) => Waited::Done,
        (false, false) => Waited::Unknown,
    })
}

/// Whether a task is `which`, or all are meant.
fn is_meant(which: Option<&str>, name: &str, task: &Task) -> bool {
    let known = [name, &task.session_id, &session::short_id(&task.session_id)];
    which.is_none_or(|which| known.contains(&which))
}
