//! Moving the memory of a folder's project, or of the projects of sessions, to where a scope keeps it
//! (`--move-memory`). What is in several folders comes together in one.

use crate::agent::layout;
use crate::agent::project::{self, SessionHint};
use crate::base::config::{Config, Scope};
use crate::base::exit::{Exit, Failure};
use crate::base::{env, log};
use crate::record::session::Session;
use crate::store::{Memory, move_memory};
use crate::tool::find_session;
use crate::tool::moves::{self, Move};
use std::ffi::OsString;

/// Moves it. The first operand can be a scope, else it is the configured one; the others name sessions, none the project
/// of the current folder.
pub fn move_memory(tool: &str, operands: &[OsString], dry_run: bool) -> Result<Exit, Failure> {
    let config = &mut Config::load()?;
    let configured = config.memory.scope;
    let named = operands.first().and_then(|word| Scope::from_word(&word.to_string_lossy()));
    config.memory.scope = named.unwrap_or(configured);
    let operands = operands.get(usize::from(named.is_some())..).unwrap_or_default();
    let mut moves: Vec<Move> = Vec::new();
    for session in sessions(operands, config)? {
        for one in plan(&session, config)? {
            let is_known = moves.iter().any(|known| known.ends().0 == one.ends().0);
            moves.extend((!is_known).then_some(one));
        }
    }
    if moves.is_empty() {
        log::say(
            tool,
            &format!("no memory is to be moved: all is where the scope {} says", config.memory.scope.word()),
        );
        return Ok(Exit::No);
    }
    if dry_run {
        for (from, to) in moves.iter().map(Move::ends) {
            log::say(tool, &format!("would move the memory in {} to {}", from.display(), to.display()));
        }
        return Ok(Exit::Done);
    }
    if config.memory.scope == Scope::Store {
        config.is_mounted()?;
        moves::tell_secrets(tool, config, &moves);
    }
    let mut failed = None;
    moves::carry_out(tool, &moves, config, &mut |one, done| match done {
        Ok(receipt) => {
            let (from, to) = one.ends();
            let (from, to, receipt) = (from.display(), to.display(), receipt.display());
            log::say(tool, &format!("{from}: its memory is in {to} now, with a receipt: {receipt}"));
        }
        Err(failure) => {
            log::say(tool, &failure.message);
            failed = failed.or(Some(failure.exit));
        }
    })?;
    log::say(tool, "to take it back: the same with the scope that it was kept by");
    let scope = std::mem::replace(&mut config.memory.scope, configured);
    moves::redirect(tool, config)?;
    if scope != configured {
        let word = configured.word();
        log::say(tool, &format!("it is read there; what is new is written where the configured scope, {word}, says"));
    }
    Ok(failed.unwrap_or(Exit::Done))
}

fn sessions(operands: &[OsString], config: &Config) -> Result<Vec<Session>, Failure> {
    if !operands.is_empty() {
        return operands
            .iter()
            .map(|operand| find_session::named(operand, config).map(|(session, _)| session))
            .collect();
    }
    let here = env::current_folder()?;
    let transcript = layout::transcript(&env::agent_home()?, &here, "none");
    let hint = SessionHint { cwd: Some(here), ..SessionHint::default() };
    Ok(vec![project::describe(&transcript, hint, config)?.0])
}

/// The moves of a session's project. One that was moved from where it is to go comes back by its receipt.
fn plan(session: &Session, config: &Config) -> Result<Vec<Move>, Failure> {
    let memory = Memory::of(session, config)?;
    let done = move_memory::all(&moves::receipts()?)?;
    let plan = memory.others().iter().map(|from| {
        let live = done
            .iter()
            .rev()
            .find(|done| !done.is_undone() && done.to() == *from && done.from() == memory.to_path_buf());
        let to = memory.to_path_buf();
        live.map_or_else(
            || Move::To(from.clone(), to.clone()),
            |done| Move::Back(done.path(), from.clone(), to.clone()),
        )
    });
    Ok(plan.collect())
}
