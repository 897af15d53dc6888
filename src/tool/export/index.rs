//! The index of a user who has QMD: brought up to date after exports, in the background, one at a time,
//! at most every ten minutes. Where there is no `qmd` nothing happens and nothing is said.

use crate::base::exit::Failure;
use crate::base::file::Root;
use crate::base::{clock, env, file};
use std::process::{Command, Stdio};

/// Seconds between two updates.
const EVERY_SECONDS: i64 = 600;

/// Starts an update when pages were written and the last one began long enough ago.
pub fn refresh(written: u64) -> Result<(), Failure> {
    if written == 0 {
        return Ok(());
    }
    let Some(qmd) = env::program("qmd") else { return Ok(()) };
    let home = env::agent_home()?;
    // It is held by a process that updates or embeds.
    let (lock, log) = (home.join("queue/.qmd.lock"), home.join("logs/qmd.log"));
    let age = file::modified(&lock).map(|last| clock::seconds_between(last, clock::now()));
    // A clock that was set back keeps no page waiting.
    if age.is_some_and(|age| (0..EVERY_SECONDS).contains(&age)) {
        return Ok(());
    }
    let root = Root::new(&home);
    root.folder("queue")?;
    root.file("queue/.qmd.lock")?;
    let mut detach = Command::new(env::own_tool("lh-detach")?);
    // An index.yml above the current folder would override the user's index.
    detach.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    detach.arg("--lock").arg(&lock).arg("--output").arg(&log).arg("--").arg(qmd).arg("update");
    // It becomes the command itself, so it is not waited for.
    detach.spawn().map(drop).map_err(|error| Failure::io("lh-detach", &error))
}
