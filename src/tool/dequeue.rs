//! What a queued task means now: the queue keeps the names of files, and this asks the agent what is in them.

use crate::agent::project::{self, SessionHint};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::record::session::Session;
use crate::record::task::Task;
use std::path::Path;
use std::time::Duration;

/// A transcript that was written to more recently may lack its last lines.
const QUIET: Duration = Duration::from_secs(2);
/// A transcript that does not get quiet is read as it is after so many waits.
const QUIET_TRIES: usize = 15;

/// The session of a task as it is now; its memory is where the task says.
pub fn session_of(task: &Task) -> Result<Session, Failure> {
    let cwd = Some(task.cwd.clone()).filter(|cwd| !cwd.as_os_str().is_empty());
    let event = Some(task.event.clone()).filter(|event| !event.is_empty());
    let hint = SessionHint { cwd, event, found_by: "task" };
    let (mut session, _) = project::describe(&task.transcript, hint, &Config::default())?;
    session.session_id.clone_from(&task.session_id);
    if !task.memory_dir.as_os_str().is_empty() {
        session.memory_dir.clone_from(&task.memory_dir);
    }
    Ok(session)
}

/// The same when its transcript is not being written to any more: the client can fire Stop before a turn's last
/// lines are on disk.
pub fn quiet_session_of(task: &Task) -> Result<Session, Failure> {
    wait_until_quiet(&task.transcript);
    session_of(task)
}

fn wait_until_quiet(transcript: &Path) {
    for _ in 0..QUIET_TRIES {
        let Some(time) = file::modified(transcript) else { return };
        let age = clock::now().duration_since(time);
        let Some(wait) = QUIET.checked_sub(age.unsigned_abs()) else { return };
        if age.is_negative() || wait.is_zero() {
            return;
        }
        clock::sleep(wait);
    }
}
