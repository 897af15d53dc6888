//! Moving memory to where a scope keeps it: of every project of every agent home, each with a receipt. The
//! configuration is changed first, for a memory is read wherever it is; so a run that is killed loses nothing, and the
//! next one goes on. Nothing that others keep in these folders is touched.

use super::{Setup, knowledge};
use crate::agent::project::{self, SessionHint};
use crate::agent::{layout, places, transcript};
use crate::base::config::{Config, Scope};
use crate::base::exit::Failure;
use crate::base::{env, file};
use crate::queue::Queue;
use crate::record::session::Session;
use crate::record::task::Task;
use crate::redact::Redactor;
use crate::store::{self, relocate};
use crate::tool::context;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// A project's memory that is to be moved.
#[derive(Debug, PartialEq, Eq)]
pub enum Move {
    /// From one folder to another.
    To(PathBuf, PathBuf),
    /// Back, by its receipt, from the first to the second.
    Back(PathBuf, PathBuf, PathBuf),
}

/// Whether the knowledge folder holds memory already: that of lazy-harness, or of another machine.
pub(super) fn is_in_store(config: &Config) -> bool {
    let (Ok(home), Ok(area)) = (env::agent_home(), config.memory_area()) else { return false };
    store::all(&home, config).iter().any(|folder| folder.starts_with(&area))
}

/// Sets the scope in the configuration and moves what is elsewhere, after it was asked for.
pub(super) fn keep_in(setup: &mut Setup, config: &mut Config, scope: Scope) -> Result<(), Failure> {
    config.memory.scope = scope;
    if scope == Scope::Store && !setup.wish.dry_run {
        config.is_mounted()?;
    }
    // First, for a name that is wrong is found then.
    let moves = plan(setup.wish.renamed_from, config)?;
    if Config::load()?.memory.scope != scope {
        setup.set_key("memory", "scope", &toml::Value::from(scope.word()))?;
    }
    if moves.is_empty() {
        return Ok(());
    }
    if setup.wish.dry_run {
        for one in &moves {
            let (from, to) = one.ends();
            let _ = writeln!(setup.shown, "would move the memory in {} to {}", from.display(), to.display());
        }
        return Ok(());
    }
    if !agreed(setup, config, &moves) {
        for one in &moves {
            let what = "memory is not moved, and read where it is; with --yes it is moved without a question";
            setup.say(&format!("{}: {what}", one.ends().0.display()));
        }
        return Ok(());
    }
    carry_out(setup, config, &moves)
}

impl Move {
    fn ends(&self) -> (&Path, &Path) {
        let (Self::To(from, to) | Self::Back(_, from, to)) = self;
        (from, to)
    }
}

/// Whether the user wants it.
fn agreed(setup: &Setup, config: &Config, moves: &[Move]) -> bool {
    let area = config.memory_area().unwrap_or_default();
    let folders = moves.iter().map(|one| one.ends().0.display().to_string()).collect::<Vec<_>>().join("\n  ");
    let warning = match config.memory.scope {
        Scope::Store => format!("It goes to {}, which may be synchronised or pushed.", area.display()),
        _ => "It goes back to the agent's home.".to_owned(),
    };
    setup.wish.yes
        || setup.may_ask()
            && knowledge::yes(&format!(
                "The memory of these projects is elsewhere:\n  {folders}\n{warning} Move it? [y/N]"
            ))
}

/// What is to be moved. A checkout that is gone has no name to go by: its memory stays.
pub fn plan(renamed_from: Option<&str>, config: &Config) -> Result<Vec<Move>, Failure> {
    let (area, receipts) = (file::real_path(&config.memory_area()?), receipts()?);
    let mut moves = renamed(renamed_from, config)?;
    if config.memory.scope != Scope::Store {
        let live = relocate::list(&receipts)?.into_iter().filter(|done| done.undone_at.is_none()).rev();
        let back = live.filter(|done| done.to.starts_with(&area));
        moves.extend(back.map(|done| Move::Back(done.receipt, done.to, done.from)));
    }
    for home in config.agent_homes()? {
        for (session, own) in projects(&home, config)? {
            let to = file::real_path(&session.memory_dir);
            let sources = places::others(&session, config).into_iter().chain([own]);
            // What was in the store before is others', too: it goes only to another folder of the store. And beside the
            // transcripts lazy-harness has folders with names of its own, in which it would look for it again.
            let projects = file::real_path(&layout::projects(&home));
            let may = |from: &Path| match config.memory.scope {
                Scope::Store => true,
                Scope::Shared => !from.starts_with(&area),
                Scope::Project => !from.starts_with(&area) && !from.starts_with(&projects),
            };
            let sources = sources.map(|folder| file::real_path(&folder));
            let sources = sources.filter(|from| *from != to && may(from) && store::holds_memory(from));
            for from in sources {
                let known = moves.iter().any(|one: &Move| one.ends().0 == from);
                moves.extend((!known).then(|| Move::To(from, to.clone())));
            }
        }
    }
    Ok(moves)
}

/// The move of a repository that was called otherwise, if that is said.
fn renamed(name: Option<&str>, config: &Config) -> Result<Vec<Move>, Failure> {
    let Some(name) = name else { return Ok(Vec::new()) };
    let inside = !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let area = config.memory_area()?;
    let from = area.join(name);
    if !inside || !store::holds_memory(&from) {
        let what = "expected host/owner/name, a folder with memory";
        return Err(Failure::usage(format!(
            "--renamed-from '{name}': no such project in '{}': {what}",
            area.display()
        )));
    }
    let memory = context::memory_here(config)?;
    Ok(vec![Move::To(file::real_path(&from), memory.to_path_buf())])
}

/// The projects of a home whose checkout is there, each with the memory folder beside its transcripts.
fn projects(home: &Path, config: &Config) -> Result<Vec<(Session, PathBuf)>, Failure> {
    let mut found = Vec::new();
    for own in layout::memory_folders(home) {
        let Some(folder) = own.parent() else { continue };
        let transcripts = layout::transcripts(folder);
        let newest = transcripts.into_iter().max().map(|(_, path)| path);
        let said = newest.as_deref().and_then(transcript::first_cwd).map(PathBuf::from);
        let of_name = || layout::decode(&folder.file_name()?.to_string_lossy());
        let Some(cwd) = said.or_else(of_name).filter(|cwd| cwd.is_dir()) else { continue };
        let hint = SessionHint { cwd: Some(cwd), ..SessionHint::default() };
        let transcript = newest.unwrap_or_else(|| folder.join("none.jsonl"));
        found.push((project::describe(&transcript, hint, config)?.0, own));
    }
    Ok(found)
}

fn carry_out(setup: &mut Setup, config: &Config, moves: &[Move]) -> Result<(), Failure> {
    let (redactor, receipts) = (Redactor::new(&config.privacy)?, receipts()?);
    let queues: Vec<Queue> = config.agent_homes()?.iter().map(|home| Queue::in_home(home)).collect();
    let _rest = queues.iter().map(Queue::rest).collect::<Result<Vec<_>, Failure>>()?;
    let mut gone = Vec::new();
    for one in moves {
        let (from, to) = one.ends();
        let done = match one {
            Move::To(from, to) => relocate::relocate(from, to, &receipts, &redactor).map(drop),
            Move::Back(receipt, ..) => relocate::undo(receipt, &redactor).map(drop),
        };
        if done.is_ok() {
            setup.say(&format!("{}: its memory is in {} now", from.display(), to.display()));
            gone.push(from.to_path_buf());
        }
        setup.remember(done);
    }
    let describe = |task: &Task| {
        let hint = SessionHint { cwd: Some(task.cwd.clone()), ..SessionHint::default() };
        project::describe(&task.transcript, hint, config).map(|(session, _)| session)
    };
    for queue in &queues {
        let count = queue.redirect(&gone, &describe)?;
        if count > 0 {
            setup.say(&format!("{count} waiting sessions go there, too"));
        }
    }
    Ok(())
}

fn receipts() -> Result<PathBuf, Failure> {
    Ok(env::state_folder()?.join("moves"))
}
