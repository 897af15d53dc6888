//! Moving a project's memory to where a scope keeps it, a receipt a move: what the options --scope and --move-memory of
//! lh-setup have in common. Nothing that others keep in these folders is touched.

use crate::agent::project::{self, SessionHint};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::{env, file, log};
use crate::queue::Queue;
use crate::record::task::Task;
use crate::redact::Redactor;
use crate::store::move_memory;
use std::path::{Path, PathBuf};

/// A project's memory that is to be moved.
#[derive(Debug, PartialEq, Eq)]
pub enum Move {
    /// From one folder to another.
    To(PathBuf, PathBuf),
    /// The same, of a repository that was called otherwise.
    Renamed(PathBuf, PathBuf),
    /// Back, by its receipt, from the first to the second.
    Back(PathBuf, PathBuf, PathBuf),
}

impl Move {
    /// From where, and to where.
    pub fn ends(&self) -> (&Path, &Path) {
        let (Self::To(from, to) | Self::Renamed(from, to) | Self::Back(_, from, to)) = self;
        (from, to)
    }
}

/// Makes the moves while no worker works; `told` is told of each that was made, with its receipt, and of each that
/// failed. What stays where it is when a move is taken back is said in the name of `tool`.
pub fn carry_out(
    tool: &str,
    moves: &[Move],
    config: &Config,
    told: &mut dyn FnMut(&Move, Result<PathBuf, Failure>),
) -> Result<(), Failure> {
    let (redactor, receipts) = (Redactor::new(&config.privacy)?, receipts()?);
    let homes = config.agent_homes()?;
    let with_queue = homes.iter().filter(|home| home.join("queue").is_dir());
    let _rest = with_queue.map(|home| Queue::in_home(home).rest()).collect::<Result<Vec<_>, Failure>>()?;
    for one in moves {
        let done = match one {
            Move::To(from, to) | Move::Renamed(from, to) => move_memory::relocate(from, to, &receipts, &redactor),
            Move::Back(receipt, ..) => move_memory::undo(receipt, &redactor).map(|stayed| {
                for path in stayed {
                    let what = "changed after the move; it stays here and is read here";
                    log::say(tool, &format!("{}: {what}", path.display()));
                }
                receipt.clone()
            }),
        };
        match done {
            // Another one was there first.
            Err(failure) if failure.exit == Exit::No => {}
            done => told(one, done),
        }
    }
    Ok(())
}

/// Names the files that look as if a secret were in them: they are moved as they are.
pub fn tell_secrets(tool: &str, config: &Config, moves: &[Move]) {
    let Ok(redactor) = Redactor::new(&config.privacy) else { return };
    for path in moves.iter().flat_map(|one| move_memory::files(one.ends().0)) {
        let text = file::read_text(&path).ok().flatten().unwrap_or_default();
        if redactor.shown(&text) != text {
            let what =
                "may hold a secret, and is moved as it is: lh-redact --check says where, with --fix it is masked";
            log::say(tool, &format!("{}: {what}", path.display()));
        }
    }
}

/// Sends waiting sessions to where their memory is written now, also those of a run that was killed before it did.
pub fn redirect(tool: &str, config: &Config) -> Result<(), Failure> {
    let all = move_memory::all(&receipts()?)?;
    let is_used = |folder: &Path| all.iter().any(|done| !done.is_undone() && done.to() == folder);
    let gone = all.iter().map(|done| if done.is_undone() { done.to() } else { done.from() });
    let gone: Vec<PathBuf> = gone.filter(|folder| !is_used(folder)).collect();
    let describe = |task: &Task| {
        let hint = SessionHint { cwd: Some(task.cwd.clone()), ..SessionHint::default() };
        project::describe(&task.transcript, hint, config).map(|(session, _)| session)
    };
    for home in config.agent_homes()?.iter().filter(|home| home.join("queue").is_dir()) {
        let count = Queue::in_home(home).redirect(&gone, &describe)?;
        if count > 0 {
            log::say(tool, &format!("{}: waiting sessions that go there, too: {count}", home.display()));
        }
    }
    Ok(())
}

/// The folder of the receipts.
pub fn receipts() -> Result<PathBuf, Failure> {
    Ok(env::state_folder()?.join("moves"))
}
