//! Moving memory to where a scope keeps it: of every project of every agent home, each with a receipt. The
//! configuration is changed first, for a memory is read wherever it is; so a run that is killed loses nothing, and the
//! next one goes on. Nothing that others keep in these folders is touched.

use super::{Setup, knowledge};
use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, layout, transcript};
use crate::base::config::{Config, Scope};
use crate::base::exit::{Exit, Failure};
use crate::base::{env, file};
use crate::queue::Queue;
use crate::record::session::Session;
use crate::record::task::Task;
use crate::redact::Redactor;
use crate::store::{self, Memory, relocate};
use crate::tool::context;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

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

/// Whether the knowledge folder holds memory already: that of lazy-harness, or of another machine.
pub(super) fn is_in_store(config: &Config) -> bool {
    let (Ok(home), Ok(area)) = (env::agent_home(), config.memory_area()) else { return false };
    store::all(&home, config).iter().any(|folder| folder.starts_with(&area))
}

/// Sets the scope in the configuration and moves what is elsewhere, after it was asked for. A scope that nobody named,
/// which follows from what lazy-harness did, is not even set before that.
pub(super) fn keep_in(setup: &mut Setup, config: &mut Config, scope: Scope, is_named: bool) -> Result<(), Failure> {
    let old = config.memory.scope;
    config.memory.scope = scope;
    // First, for a name that is wrong is found then.
    let moves = plan(setup.wish.renamed_from, config)?;
    let area = file::real_path(&config.memory_area()?);
    let in_area = |path: &Path| path.starts_with(&area);
    let needs_area = scope == Scope::Store || moves.iter().any(|one| in_area(one.ends().0) || in_area(one.ends().1));
    if needs_area && !setup.wish.dry_run {
        config.is_mounted()?;
    }
    let is_agreed = setup.wish.dry_run || !is_named && agreed(setup, config, &moves);
    if !is_named && !is_agreed {
        config.memory.scope = old;
        let what = "lazy-harness's memory of projects is read there; --scope store keeps ours there, too";
        setup.say(&format!("{}: {what}", area.display()));
        return Ok(());
    }
    if old != scope {
        setup.set_key("memory", "scope", &toml::Value::from(scope.word()))?;
    }
    if setup.wish.dry_run {
        for one in &moves {
            let (from, to) = one.ends();
            let what = if setup.wish.yes { "would move" } else { "would ask whether to move" };
            let _ = writeln!(setup.shown, "{what} the memory in {} to {}", from.display(), to.display());
        }
        return Ok(());
    }
    if !moves.is_empty() {
        if !is_agreed && !agreed(setup, config, &moves) {
            for one in &moves {
                setup.say(&format!("{}: memory is not moved: {}", one.ends().0.display(), one.stays()));
            }
            return Ok(());
        }
        carry_out(setup, config, &moves)?;
    }
    redirect(setup, config)
}

impl Move {
    fn ends(&self) -> (&Path, &Path) {
        let (Self::To(from, to) | Self::Renamed(from, to) | Self::Back(_, from, to)) = self;
        (from, to)
    }

    /// What follows if it is not made.
    fn stays(&self) -> &'static str {
        match self {
            Self::Renamed(..) => "nobody reads it there; --yes moves it without a question",
            _ => "it is read where it is; --yes moves it without a question",
        }
    }
}

/// Whether the user wants it.
fn agreed(setup: &Setup, config: &Config, moves: &[Move]) -> bool {
    let area = config.memory_area().unwrap_or_default();
    let folders: Vec<String> = moves.iter().map(|one| one.ends().0.display().to_string()).collect();
    let goes = match config.memory.scope {
        Scope::Store => format!("memory is kept in {}, which may be synchronised or pushed", area.display()),
        scope => format!("memory is kept as the scope {} says", scope.word()),
    };
    if config.memory.scope == Scope::Store {
        tell_secrets(setup, config, moves);
    }
    let what = if moves.is_empty() {
        String::new()
    } else {
        format!("; what is elsewhere is moved:\n  {}\n", folders.join("\n  "))
    };
    setup.wish.yes || setup.may_ask() && knowledge::yes(&format!("From now on {goes}{what} Do that? [y/N]"))
}

/// Names the files that look as if a secret were in them: they are moved as they are.
fn tell_secrets(setup: &Setup, config: &Config, moves: &[Move]) {
    let Ok(redactor) = Redactor::new(&config.privacy) else { return };
    for path in moves.iter().flat_map(|one| store::files(one.ends().0)) {
        let text = file::read_text(&path).ok().flatten().unwrap_or_default();
        if redactor.shown(&text) != text {
            let what =
                "may hold a secret, and is moved as it is: lh-redact --check says where, with --fix it is masked";
            setup.say(&format!("{}: {what}", path.display()));
        }
    }
}

/// What is to be moved. A checkout that is gone has no name to go by: its memory stays.
pub fn plan(renamed_from: Option<&str>, config: &Config) -> Result<Vec<Move>, Failure> {
    let (area, receipts) = (file::real_path(&config.memory_area()?), receipts()?);
    let mut moves = renamed(renamed_from, config)?;
    if config.memory.scope != Scope::Store {
        // What was moved within the store stays there.
        let live = relocate::list(&receipts)?.into_iter().filter(|done| done.undone_at.is_none()).rev();
        let back = live.filter(|done| done.to.starts_with(&area) && !done.from.starts_with(&area));
        moves.extend(back.map(|done| Move::Back(done.receipt, done.to, done.from)));
    }
    for home in config.agent_homes()? {
        // Beside the transcripts lazy-harness has folders with names of its own, in which it would look again.
        let projects_folder = file::real_path(&layout::projects(&home));
        // What was in the store before is others', too: it goes only to another folder of the store.
        let may = |from: &Path| match config.memory.scope {
            Scope::Store => true,
            Scope::Shared => !from.starts_with(&area),
            Scope::Project => !from.starts_with(&area) && !from.starts_with(&projects_folder),
        };
        for (session, own) in projects(&home, config)? {
            // A folder that is a link to somewhere else is none.
            let memory = Memory::of(&session, config)?;
            let own = store::inside(&own, &home, config)?;
            let sources = memory.others().iter().chain([&own]);
            for from in sources.filter(|from| ***from != *memory && may(from) && store::holds_memory(from)) {
                let known = moves.iter().any(|one: &Move| one.ends().0 == from);
                moves.extend((!known).then(|| Move::To(from.clone(), memory.to_path_buf())));
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
    let from = file::real_path(&from);
    let here = env::current_folder()?;
    if checkout::identify(&here).git_dir.is_none() {
        let here = here.display();
        return Err(Failure::usage(format!(
            "--renamed-from: '{here}' is not in a repository: run it in the renamed one"
        )));
    }
    for home in config.agent_homes()? {
        for (session, _) in projects(&home, config)? {
            if file::real_path(&session.memory_dir) == from {
                let root = session.project_root.display();
                return Err(Failure::usage(format!(
                    "--renamed-from '{name}': '{root}' is called that: it was not renamed"
                )));
            }
        }
    }
    Ok(vec![Move::Renamed(from, context::memory_here(config)?.to_path_buf())])
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
    let homes = config.agent_homes()?;
    let with_queue = homes.iter().filter(|home| home.join("queue").is_dir());
    let _rest = with_queue.map(|home| Queue::in_home(home).rest()).collect::<Result<Vec<_>, Failure>>()?;
    for one in moves {
        let (from, to) = one.ends();
        let done = match one {
            Move::To(from, to) | Move::Renamed(from, to) => relocate::relocate(from, to, &receipts, &redactor),
            Move::Back(receipt, ..) => relocate::undo(receipt, &redactor),
        };
        match done {
            Ok(_) => setup.say(&format!("{}: its memory is in {} now", from.display(), to.display())),
            // Another lh-setup was there first.
            Err(failure) if failure.exit == Exit::No => {}
            Err(failure) => _ = setup.remember(Err(failure)),
        }
    }
    Ok(())
}

/// Sends waiting sessions to where their memory is now, also those of a run that was killed before it did.
fn redirect(setup: &Setup, config: &Config) -> Result<(), Failure> {
    let all = relocate::list(&receipts()?)?;
    let is_used = |folder: &Path| all.iter().any(|done| done.undone_at.is_none() && done.to == folder);
    let gone = all.iter().map(|done| if done.undone_at.is_none() { &done.from } else { &done.to });
    let gone: Vec<PathBuf> = gone.filter(|folder| !is_used(folder)).cloned().collect();
    let describe = |task: &Task| {
        let hint = SessionHint { cwd: Some(task.cwd.clone()), ..SessionHint::default() };
        project::describe(&task.transcript, hint, config).map(|(session, _)| session)
    };
    for home in config.agent_homes()?.iter().filter(|home| home.join("queue").is_dir()) {
        let count = Queue::in_home(home).redirect(&gone, &describe)?;
        if count > 0 {
            setup.say(&format!("{}: waiting sessions that go there, too: {count}", home.display()));
        }
    }
    Ok(())
}

fn receipts() -> Result<PathBuf, Failure> {
    Ok(env::state_folder()?.join("moves"))
}
