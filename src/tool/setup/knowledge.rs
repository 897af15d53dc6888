//! What a knowledge folder needs so that others find their way in it: its `knowledge.toml`, which lazy-harness reads, too,
//! and a collection in the index of a user who has QMD. And moving memory to where a scope keeps it: of every project of
//! every agent home, each with a receipt. The configuration is changed first, for a memory is read wherever it is; so a run
//! that is killed loses nothing, and the next one goes on. Nothing that others keep in these folders is touched.

use super::{Setup, command, say, yes};
use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, layout, transcript};
use crate::base::config::{Config, MARKER, Scope};
use crate::base::exit::{Exit, Failure};
use crate::base::{env, file, process};
use crate::record::session::Session;
use crate::store::move_memory::{self, MoveReceipt};
use crate::store::{self, Memory};
use crate::tool::context;
use crate::tool::moves::{self, Move};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use toml::Value;

/// How long QMD may take to say what it has, and to read all pages.
const LIST: Duration = Duration::from_secs(10);
const ADD: Duration = Duration::from_secs(600);

/// The text of `knowledge.toml`: the names that are used.
fn marker(config: &Config) -> String {
    let learnings = Value::from(config.compound_loop.learnings_subdir.as_str());
    format!("[knowledge]\nversion = 1\nsessions = \"sessions\"\nlearnings = {learnings}\nmemory = \"memory\"\n")
}

/// Whether QMD's list of collections has this one: a line begins with its name, or has its address.
fn is_listed(list: &str, name: &str) -> bool {
    let address = format!("qmd://{name}/");
    list.lines().any(|line| line.split_whitespace().next() == Some(name) || line.contains(&address))
}

/// Runs QMD in a folder that has no index of its own, which would be taken for the user's.
fn qmd(program: &Path, arguments: &[&str], patience: Duration) -> Option<Output> {
    process::run(Command::new(program).args(arguments).current_dir("/"), b"", patience).ok().flatten()
}

impl Setup<'_> {
    /// Writes `knowledge.toml` where there is none. The folder is made only for a configuration that was
    /// written just now: one that is named already and missing may be a drive that is not mounted.
    pub(super) fn mark(&mut self, config: &Config, is_new: bool) -> Result<(), Failure> {
        let folder = config.knowledge_folder()?;
        let path = folder.join(MARKER);
        if path.symlink_metadata().is_ok() || !(is_new || folder.is_dir()) {
            return Ok(());
        }
        self.put(&path, Some(&marker(config))).map(drop)
    }

    /// Says which command makes the collection, or runs it for a user who wants that.
    pub(super) fn collection(&self, config: &Config) -> Result<(), Failure> {
        let (folder, name) = (config.knowledge_folder()?, config.knowledge.search.collection.as_str());
        let (Some(program), Some(path), true) = (env::program("qmd"), folder.to_str(), folder.is_dir()) else {
            return Ok(());
        };
        let list = qmd(&program, &["collection", "list"], LIST);
        if list.is_some_and(|list| is_listed(&String::from_utf8_lossy(&list.stdout), name)) {
            return Ok(());
        }
        let line = format!("qmd collection add {} --name {name}", command::quote(path));
        if !self.wish.may_ask() || !yes(&format!("let QMD index the knowledge folder ({line})? [y/N]")) {
            say(&format!("QMD has no collection '{name}': '{line}' makes one"));
            return Ok(());
        }
        let failed = |what: &str| Failure::new(Exit::Io, format!("{line}: {what}: try it by hand"));
        match qmd(&program, &["collection", "add", path, "--name", name], ADD) {
            Some(output) if output.status.success() => say(&format!("{line}: done")),
            Some(output) => return Err(failed(String::from_utf8_lossy(&output.stderr).trim())),
            None => return Err(failed("it did not end in ten minutes")),
        }
        Ok(())
    }
}

/// Whether the knowledge folder holds memory already: that of lazy-harness, or of another machine.
pub(super) fn is_in_store(config: &Config) -> bool {
    let (Ok(home), Ok(area)) = (env::agent_home(), config.memory_area()) else { return false };
    store::all(&home, config).iter().any(|folder| folder.starts_with(&area))
}

/// Sets the scope in the configuration and moves what is elsewhere, after it was asked for. A scope that was not named,
/// which follows from what lazy-harness did, is not even set before that.
pub(super) fn keep_in(setup: &mut Setup, config: &mut Config, scope: Scope, is_named: bool) -> Result<(), Failure> {
    let old = config.memory.scope;
    config.memory.scope = scope;
    // First, for a name that is wrong is found then.
    let moves = plan(setup.wish.renamed_from, config)?;
    let area = file::real_path(&config.memory_area()?);
    if !is_named && old == scope && moves.is_empty() {
        return moves::redirect(config);
    }
    let (is_dry, in_area) = (setup.wish.dry_run, |path: &Path| path.starts_with(&area));
    let needs_area = scope == Scope::Store || moves.iter().any(|one| in_area(&one.from) || in_area(&one.to));
    if needs_area && !is_dry {
        config.is_mounted()?;
    }
    let asks = !is_dry && (!is_named || !moves.is_empty());
    let is_agreed = !asks || agreed(setup, config, &area, &moves);
    if !is_named && !is_agreed {
        config.memory.scope = old;
        let what = "lazy-harness's memory of projects is read there; --scope store keeps ours there, too";
        say(&format!("{}: {what}", area.display()));
        return Ok(());
    }
    if old != scope {
        setup.set_key("memory", "scope", &toml::Value::from(scope.word()))?;
    }
    for one in &moves {
        if is_dry {
            let what = if setup.wish.yes { "would move" } else { "would ask whether to move" };
            setup.shown += &(one.would(what) + "\n");
        } else if !is_agreed {
            let stays = if one.is_renamed { "it is not read there" } else { "it is read where it is" };
            let what = format!("memory is not moved: {stays}; --yes moves it without a question");
            say(&format!("{}: {what}", one.from.display()));
        }
    }
    if is_dry || !is_agreed {
        return Ok(());
    }
    if !moves.is_empty() {
        setup.first = setup.first.or(moves::carry_out(&moves, config)?);
    }
    moves::redirect(config)
}

/// Whether the user wants it.
fn agreed(setup: &Setup, config: &Config, area: &Path, moves: &[Move]) -> bool {
    let goes = match config.memory.scope {
        Scope::Store => {
            moves::tell_secrets(config, moves);
            format!("memory is kept in {}, which may be synchronised or pushed", area.display())
        }
        scope => format!("memory is kept as the scope {} says", scope.word()),
    };
    let folders: Vec<String> = moves.iter().map(|one| format!("\n  {}", one.from.display())).collect();
    let what = if moves.is_empty() { "" } else { &format!("; what is elsewhere is moved:{}\n", folders.concat()) };
    setup.wish.yes || setup.wish.may_ask() && yes(&format!("From now on {goes}{what} Do that? [y/N]"))
}

/// What is to be moved. A checkout that is gone has no name to go by: its memory stays.
pub fn plan(renamed_from: Option<&str>, config: &Config) -> Result<Vec<Move>, Failure> {
    let (area, receipts) = (file::real_path(&config.memory_area()?), moves::receipts()?);
    let mut moves = renamed(renamed_from, config)?;
    if config.memory.scope != Scope::Store {
        // What was moved within the store stays there.
        let done = move_memory::all(&receipts)?.into_iter().rev().filter(|done| !done.is_undone());
        let is_out = |done: &MoveReceipt| done.to.starts_with(&area) && !done.from.starts_with(&area);
        moves.extend(done.filter(is_out).map(|done| Move::back(&done)));
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
            for from in memory.others().iter().chain([&own]) {
                let is_new = moves.iter().all(|one: &Move| one.from != *from);
                if is_new && **from != *memory && may(from) && store::holds_memory(from) {
                    moves.push(Move { from: from.clone(), to: memory.to_path_buf(), ..Move::default() });
                }
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
        let area = area.display();
        return Err(Failure::usage(format!("--renamed-from '{name}': no such project in '{area}': {what}")));
    }
    let from = file::real_path(&from);
    let here = env::current_folder()?;
    if checkout::identify(&here).git_dir.is_none() {
        let what = "is not in a repository: run it in the renamed one";
        return Err(Failure::usage(format!("--renamed-from: '{}' {what}", here.display())));
    }
    for home in config.agent_homes()? {
        for (session, _) in projects(&home, config)? {
            if file::real_path(&session.memory_dir) == from {
                let what = format!("'{}' is called that: it was not renamed", session.project_root.display());
                return Err(Failure::usage(format!("--renamed-from '{name}': {what}")));
            }
        }
    }
    Ok(vec![Move { from, to: context::memory_here(config)?.to_path_buf(), receipt: None, is_renamed: true }])
}

/// The projects of a home that still have their checkout, each with the memory folder beside its transcripts.
fn projects(home: &Path, config: &Config) -> Result<Vec<(Session, PathBuf)>, Failure> {
    let mut found = Vec::new();
    for own in layout::memory_folders(home) {
        let Some(folder) = own.parent() else { continue };
        let newest = layout::transcripts(folder).into_iter().max().map(|(_, path)| path);
        let said = newest.as_deref().and_then(transcript::first_cwd).map(PathBuf::from);
        let of_name = || layout::decode(&folder.file_name()?.to_string_lossy());
        let Some(cwd) = said.or_else(of_name).filter(|cwd| cwd.is_dir()) else { continue };
        let hint = SessionHint { cwd: Some(cwd), ..SessionHint::default() };
        let transcript = newest.unwrap_or_else(|| folder.join("none.jsonl"));
        found.push((project::describe(&transcript, hint, config)?.0, own));
    }
    Ok(found)
}

/// The projects in the store that hold memory, and to which no project with transcripts here leads, by their names.
pub fn without_checkout(config: &Config) -> Result<Vec<String>, Failure> {
    let area = file::real_path(&config.memory_area()?);
    let (mut there, mut known) = (BTreeSet::new(), BTreeSet::new());
    for home in config.agent_homes()? {
        there.extend(store::all(&home, config).iter().map(|folder| file::real_path(folder)));
        for (session, _) in projects(&home, config)? {
            known.extend(Memory::of(&session, config)?.folders().map(Path::to_path_buf));
        }
    }
    let names = there.difference(&known).filter_map(|folder| folder.strip_prefix(&area).ok());
    Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_is_known_by_its_name() {
        let list = "Collections (2):\n\nnotes (qmd://notes/)\n  Pattern:  **/*.md\n  Path: /home/lh/lh\nold-lh (qmd://old-lh/)\n";
        assert!(is_listed(list, "notes") && is_listed(list, "old-lh") && is_listed("lh\n", "lh"));
        assert!(!is_listed(list, "lh") && !is_listed("", "lh") && !is_listed("lh-2 (qmd://lh-2/)", "lh"));
    }

    #[test]
    fn the_folder_says_the_names_that_are_used() {
        let config = Config::parse("[compound_loop]\nlearnings_subdir = \"a \\\" b\"\n").unwrap();
        let text: toml::Table = marker(&config).parse().unwrap();
        let of = &text["knowledge"];
        assert_eq!((of["version"].as_integer(), of["sessions"].as_str()), (Some(1), Some("sessions")));
        assert_eq!((of["learnings"].as_str(), of["memory"].as_str()), (Some("a \" b"), Some("memory")));
    }
}
