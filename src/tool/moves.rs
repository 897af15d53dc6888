//! Moving a project's memory to where a scope keeps it, a receipt a move: the option --move-memory of lh-setup, and
//! what it has in common with --scope. Nothing that others keep in these folders is touched.

use super::by_id::Thing;
use crate::agent::project::{self, SessionHint};
use crate::base::config::{Config, Scope};
use crate::base::exit::{Exit, Failure};
use crate::base::{clock, env, file, log};
use crate::queue::Queue;
use crate::record::session::Session;
use crate::record::task::Task;
use crate::redact::Redactor;
use crate::store::move_memory::{self, MoveReceipt};
use crate::store::{self, Memory};
use crate::tool::find_session;
use jiff::Timestamp;
use std::ffi::OsString;
use std::path::PathBuf;

/// In this name things are said.
const TOOL: &str = "lh-setup";

/// A project's memory that is to be moved.
#[derive(Default)]
pub struct Move {
    /// From where.
    pub from: PathBuf,
    /// To where.
    pub to: PathBuf,
    /// The receipt by which it goes back; none for a new move.
    pub receipt: Option<PathBuf>,
    /// Its repository was called otherwise, so that it is not read where it is.
    pub is_renamed: bool,
}

impl Move {
    /// The way back of a move.
    pub fn back(done: &MoveReceipt) -> Self {
        Self { from: done.to.clone(), to: done.from.clone(), receipt: Some(done.file.clone()), is_renamed: false }
    }

    /// What a dry run says of it.
    pub fn would(&self, would: &str) -> String {
        format!("{would} the memory in {} to {}", self.from.display(), self.to.display())
    }
}

/// Makes the moves while no worker works, and says what came of each. Gives the status of the
/// first one that failed.
pub fn carry_out(moves: &[Move], config: &Config) -> Result<Option<Exit>, Failure> {
    let (redactor, receipts) = (Redactor::new(&config.privacy)?, receipts()?);
    let mut resting = Vec::new();
    for home in config.agent_homes()?.iter().filter(|home| home.join("queue").is_dir()) {
        resting.push(Queue::in_home(home).rest()?);
    }
    let mut failed = None;
    for Move { from, to, receipt, .. } in moves {
        let done = match receipt {
            None => move_memory::relocate(from, to, &receipts, &redactor),
            Some(receipt) => move_memory::undo(receipt, &redactor).map(|stayed| {
                for path in stayed {
                    let path = path.display();
                    log::say(TOOL, &format!("{path}: changed after the move; it stays here and is read here"));
                }
                receipt.clone()
            }),
        };
        match done {
            Ok(receipt) => {
                let (from, to, receipt) = (from.display(), to.display(), receipt.display());
                log::say(TOOL, &format!("{from}: its memory is in {to} now, with a receipt: {receipt}"));
            }
            // Another run was there first.
            Err(failure) if failure.exit == Exit::No => {}
            Err(failure) => {
                log::say(TOOL, &failure.message);
                failed = failed.or(Some(failure.exit));
            }
        }
    }
    Ok(failed)
}

/// Names the files that look as if a secret were in them: they are moved as they are.
pub fn tell_secrets(config: &Config, moves: &[Move]) {
    let Ok(redactor) = Redactor::new(&config.privacy) else { return };
    for path in moves.iter().filter_map(|one| move_memory::files(&one.from).ok()).flatten() {
        let Ok(Some(text)) = file::read_text(&path) else { continue };
        if redactor.shown(&text) != text {
            let what =
                "may hold a secret, and is moved as it is: lh-redact --check says where, with --fix it is masked";
            log::say(TOOL, &format!("{}: {what}", path.display()));
        }
    }
}

/// Sends the waiting sessions of folders that a move emptied to where their memory is written now, also those of a run that
/// was killed before it did.
pub fn redirect(config: &Config) -> Result<(), Failure> {
    let moved = move_memory::all(&receipts()?)?.into_iter().flat_map(|done| [done.from, done.to]);
    let gone: Vec<PathBuf> = moved.filter(|folder| !store::holds_memory(folder)).collect();
    let describe = |task: &Task| {
        let hint = SessionHint { cwd: Some(task.cwd.clone()), ..SessionHint::default() };
        project::describe(&task.transcript, hint, config).map(|(session, _)| session)
    };
    for home in config.agent_homes()?.iter().filter(|home| home.join("queue").is_dir()) {
        let count = Queue::in_home(home).redirect(&gone, &describe)?;
        if count > 0 {
            log::say(TOOL, &format!("{}: waiting sessions that go there, too: {count}", home.display()));
        }
    }
    Ok(())
}

/// The moves to a memory that can be taken back: when each was made, and what it is called by.
pub fn made(memory: &Memory) -> Result<Vec<(Option<Timestamp>, Thing)>, Failure> {
    let is_here = |done: &MoveReceipt| memory.folders().any(|folder| folder == done.to) && done.can_return().is_ok();
    let thing = |done: MoveReceipt| {
        let text = format!("{} to {}", done.from.display(), done.to.display());
        (clock::parse(&done.started_at), Thing { id: done.id(), text })
    };
    Ok(move_memory::all(&receipts()?)?.into_iter().filter(is_here).map(thing).collect())
}

/// Takes a move back by its id.
pub fn take_back(id: &str, config: &Config) -> Result<(), Failure> {
    let done = move_memory::all(&receipts()?)?.into_iter().filter(|done| done.id() == id);
    let failed = carry_out(&done.map(|done| Move::back(&done)).collect::<Vec<_>>(), config)?;
    redirect(config)?;
    failed.map_or(Ok(()), |exit| Err(Failure::new(exit, format!("the move {id} was not taken back"))))
}

/// The folder of the receipts.
pub fn receipts() -> Result<PathBuf, Failure> {
    Ok(env::state_folder()?.join("moves"))
}

/// Moves the memory of the current folder's project, or of the projects of sessions, to where a scope keeps it. The first
/// operand can be a scope, else it is the configured one; the others name sessions.
pub fn move_memory(operands: &[OsString], dry_run: bool) -> Result<Exit, Failure> {
    let config = &mut Config::load()?;
    let configured = config.memory.scope;
    let named = operands.first().and_then(|word| Scope::from_word(&word.to_string_lossy()));
    config.memory.scope = named.unwrap_or(configured);
    let mut sessions = Vec::new();
    for operand in &operands[usize::from(named.is_some())..] {
        sessions.push(find_session::named(operand, config)?.0);
    }
    if sessions.is_empty() {
        sessions.push(project::here(config)?);
    }
    let moves = plan(&sessions, config)?;
    if moves.is_empty() {
        let scope = config.memory.scope.word();
        log::say(TOOL, &format!("no memory is to be moved: all is where the scope {scope} says"));
        return Ok(Exit::No);
    }
    if dry_run {
        for one in &moves {
            log::say(TOOL, &one.would("would move"));
        }
        return Ok(Exit::Done);
    }
    if config.memory.scope == Scope::Store {
        config.is_mounted()?;
        tell_secrets(config, &moves);
    }
    let failed = carry_out(&moves, config)?;
    log::say(TOOL, "to take it back: the same with the scope that it was kept by");
    let scope = std::mem::replace(&mut config.memory.scope, configured);
    redirect(config)?;
    if scope != configured {
        let word = configured.word();
        log::say(TOOL, &format!("it is read there; what is new is written where the configured scope, {word}, says"));
    }
    Ok(failed.unwrap_or(Exit::Done))
}

/// The moves of the sessions' projects. What was moved from where it is to go comes back by its receipt.
fn plan(sessions: &[Session], config: &Config) -> Result<Vec<Move>, Failure> {
    let done = move_memory::all(&receipts()?)?;
    let mut moves: Vec<Move> = Vec::new();
    for session in sessions {
        let memory = Memory::of(session, config)?;
        for from in memory.others() {
            let (from, to) = (from.clone(), memory.to_path_buf());
            let is_back = |done: &&MoveReceipt| done.can_return().is_ok() && done.to == from && done.from == to;
            let back = done.iter().rfind(is_back).map(Move::back);
            if moves.iter().all(|known| known.from != from) {
                moves.push(back.unwrap_or(Move { from, to, receipt: None, is_renamed: false }));
            }
        }
    }
    Ok(moves)
}
