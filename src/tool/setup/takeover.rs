//! Taking over from lazy-harness: its hooks that are left, what its configuration asks for and is not done here, in a
//! table, what must be said before anything is switched on, and the rights of what it left open for everybody to read: what
//! a session said is its user's alone.

use super::command::Owner;
use super::settings::hooked;
use super::{Setup, edit, say, text_at};
use crate::agent::layout;
use crate::base::config::{self, Config};
use crate::base::exit::Failure;
use crate::base::{env, file};
use crate::model;
use crate::redact::Redactor;
use std::fmt::Write as _;
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Keys of lazy-harness's configuration that ask for something that is not done here. Each line has section and key, what
/// the key is when it asks for something (on, off, or set for anything at all), and what happens instead, with tabs between.
/// It is told only if the key is in the file, whatever its default is.
const NOT_DONE: &str = include_str!("not_done.tsv");

/// Status 78 where sessions would go to another model than lazy-harness was told to use.
pub fn engine_is_named(config: &Config) -> Result<(), Failure> {
    let Some((says, todo)) = model::unnamed(&config.compound_loop) else { return Ok(()) };
    let path = env::config_file()?;
    let what = format!("{}: {says}, so nothing was switched on: {todo}", path.display());
    Err(Failure::config(Redactor::new(&config.privacy)?.shown(&what)))
}

/// What the text of a configuration asks for and is not done, a line each.
fn not_done(text: &str) -> Vec<String> {
    let Ok(root) = text.parse::<Table>().map(Value::Table) else { return Vec::new() };
    let mut told = Vec::new();
    for row in NOT_DONE.lines().map(|line| line.split('\t').collect::<Vec<_>>()) {
        let [name, asks, instead] = row[..] else { continue };
        let mut keys = name.split(['[', ']', '.', ' ']).filter(|key| !key.is_empty());
        let Some(value) = keys.try_fold(&root, |value, key| value.get(key)) else { continue };
        let shown = value.as_bool().map_or_else(String::new, |value| format!(" = {value}"));
        let is_asked = match asks {
            "on" => value.as_bool() == Some(true),
            "off" => value.as_bool() == Some(false),
            _ => !is_empty(value),
        };
        if is_asked {
            told.push(format!("{name}{shown}: {instead}"));
        }
    }
    told
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        // The one sink that is always there sends nothing.
        Value::Array(items) => items.iter().all(|item| item.as_str() == Some("sqlite_local")),
        Value::Table(table) => table.is_empty(),
        _ => false,
    }
}

/// A hook of the predecessor that does what we do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// The file that it is in.
    pub path: PathBuf,
    /// Whether others share that file: the settings of the current checkout.
    pub is_shared: bool,
    /// The client's name of the event.
    pub event: String,
    /// What is run.
    pub command: String,
}

impl Old {
    /// How to get rid of it.
    pub fn todo(&self) -> &'static str {
        if self.is_shared {
            return "take it out by hand, since a checkout's settings are never changed for this";
        }
        "run lh-setup --migrate"
    }
}

/// Those in the settings of all agent homes and in the current checkout's. Files that cannot be read are left out.
pub fn old_hooks(config: &Config) -> Result<Vec<Old>, Failure> {
    let homes: Vec<PathBuf> = config.agent_homes()?.iter().map(|home| layout::settings(home)).collect();
    let real: Vec<PathBuf> = homes.iter().map(|path| file::real_path(path)).collect();
    // In the user's home both are one.
    let of_checkout = super::here_settings()?.into_iter().filter(|path| !real.contains(&file::real_path(path)));
    let mut found = Vec::new();
    for (path, is_shared) in homes.into_iter().map(|path| (path, false)).chain(of_checkout.map(|path| (path, true))) {
        let old = hooked(&text_at(&path)).into_iter().flatten().filter(|hook| hook.owner == Owner::Predecessor);
        found.extend(old.map(|hook| Old { path: path.clone(), is_shared, event: hook.event, command: hook.command }));
    }
    Ok(found)
}

/// What is in these places and below them; what is behind a link is not.
pub fn all_below(mut left: Vec<PathBuf>) -> impl Iterator<Item = (PathBuf, Metadata)> {
    std::iter::from_fn(move || {
        loop {
            let path = left.pop()?;
            let Ok(data) = path.symlink_metadata() else { continue };
            if data.is_dir() {
                left.extend(file::names(&path).into_iter().flatten().map(|name| path.join(name)));
            }
            return Some((path, data));
        }
    })
}

/// What is ours in a home and can be read by others.
pub fn open_to_others(home: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = ["queue", "logs", "memory"].iter().map(|name| home.join(name)).collect();
    places.extend(layout::memory_folders(home));
    // What is behind a link has rights that were chosen.
    let open = all_below(places).filter(|(path, data)| !data.is_symlink() && is_open(data) && is_ours(path));
    open.map(|(path, _)| path).collect()
}

fn is_open(data: &Metadata) -> bool {
    data.permissions().mode() & 0o077 != 0
}

/// Our logs, with the older one of each.
const LOGS: [&str; 4] = ["hooks.log", "compound-loop.log", "llm.jsonl", "qmd.log"];

/// Whether it is ours: a memory folder is the client's, and so is what the client and people write in it.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.parent().is_some_and(|folder| folder.ends_with("logs")) {
        return LOGS.iter().any(|log| name.starts_with(log));
    }
    !path.ancestors().any(|above| above.ends_with("memory"))
        || name.ends_with(".jsonl")
        || matches!(&*name, "handoff.md" | "pre-compact-summary.md" | ".state")
}

impl Setup<'_> {
    /// What of the predecessor's is left does the same work once more.
    pub(super) fn tell_predecessor(&self, config: &Config) -> Result<(), Failure> {
        for old in old_hooks(config)? {
            let todo = match old.todo() {
                _ if !old.is_shared && (self.wish.migrate || self.wish.project) => continue,
                _ if !old.is_shared => "--migrate takes it out",
                todo => todo,
            };
            let Old { path, event, command, .. } = old;
            let path = path.display();
            say(&format!("{path}: {event}: '{command}' keeps memory too, so all is kept twice: {todo}"));
        }
        Ok(())
    }

    /// Says what is not done, and lets exports go on that a dead key of lazy-harness would stop.
    pub(super) fn take_over(&mut self, config: &Config) -> Result<(), Failure> {
        let path = env::config_file()?;
        let now = file::read_text(&path)?;
        for line in not_done(now.as_deref().unwrap_or("")) {
            say(&format!("{}: {line}", path.display()));
        }
        // What its user sets later stays; a takeover that was killed can have kept what the configuration still is.
        let is_first = |(_, kept): &(u64, PathBuf)| file::read_text(kept).is_ok_and(|kept| kept == now);
        if !config.knowledge.sessions.enabled && edit::backups(&path).iter().all(is_first) {
            self.set_key("knowledge.sessions", "enabled", &Value::from(true))?;
            say("lazy-harness exported sessions whatever [knowledge.sessions] enabled was, so it is true now");
        }
        // With the folder of all memory closed, nothing below it can be read.
        let area = config.memory_area()?;
        let is_area_open = area.symlink_metadata().is_ok_and(|data| data.is_dir() && is_open(&data));
        self.close_to_others(&area, &if is_area_open { vec![area.clone()] } else { Vec::new() })?;
        for home in config.agent_homes()? {
            self.close_to_others(&home, &open_to_others(&home))?;
            let (indexes, database) = layout::memories_of_others(&home, &env::home()?);
            if !indexes.is_empty() {
                let what = "the client's own memory of projects, which it goes on telling; it stays as it is";
                say(&format!("{}: {what}: {}", home.display(), indexes.len()));
            }
            if let Some(database) = database {
                say(&format!("{}: claude-mem's memory stays as it is; lh-import(1) brings it in", database.display()));
            }
        }
        Ok(())
    }

    /// Takes the rights of others away from what is open in a place.
    fn close_to_others(&mut self, place: &Path, open: &[PathBuf]) -> Result<(), Failure> {
        if open.is_empty() {
            return Ok(());
        }
        let (count, place) = (open.len(), place.display());
        if self.wish.dry_run {
            let _ = writeln!(self.shown, "would take the rights of others from {count} files in {place}");
            return Ok(());
        }
        open.iter().try_for_each(|path| file::close_to_others(path))?;
        say(&format!("{place}: others could read {count} files of queue, logs and memory, and cannot now"));
        Ok(())
    }

    /// Sets one key of the configuration, whose old text is kept beside it, or shows that.
    pub(super) fn set_key(&mut self, table: &str, key: &str, value: &Value) -> Result<(), Failure> {
        let path = env::config_file()?;
        let old = file::read(&path)?.unwrap_or_default();
        let text = edit::utf8(&path, &old)?;
        let new = config::edit::set(text, table, key, value)
            .map_err(|what| Failure::config(format!("{}: {what}", path.display())))?;
        if !self.wish.dry_run
            && new != text
            && let Some(kept) = edit::back_up(&path, &old)?
        {
            say(&format!("{}: what the configuration was before", kept.display()));
        }
        self.put(&path, Some(&new)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::Config;

    #[test]
    fn only_what_is_asked_for_is_told() {
        let text = "[harness]\nversion = \"1\"\n[compound_loop]\ngrading_enabled = false\nlazymind_dir = \"\"\n[hooks]\n[metrics]\nsinks = [\"sqlite_local\"]\n[context_inject]\nenabled = true\n[memory.engram]\nenabled = false\n";
        assert_eq!(not_done(text), Vec::<String>::new());
        let text = "hooks.session_stop.scripts = [\"engram-persist\"]\n[compound_loop]\ngrading_enabled = true\nlazymind_dir = \"~/l\"\n[context_inject]\nenabled = false\nrepo_map_scope = \"~/r\"\n[memory.engram]\nenabled = true\n[scheduler.jobs.x]\nschedule = \"daily\"\ncommand = \"x\"\n";
        let told = not_done(text);
        let begins: Vec<&str> = told.iter().map(|line| line.split(':').next().unwrap()).collect();
        let wanted = [
            "[compound_loop] grading_enabled = true",
            "[compound_loop] lazymind_dir",
            "[context_inject] enabled = false",
            "[context_inject] repo_map_scope",
            "[memory.engram] enabled = true",
            "[scheduler] jobs",
            "[hooks]",
        ];
        assert_eq!(begins, wanted);
    }

    #[test]
    fn every_key_of_the_table_is_known() {
        for line in NOT_DONE.lines() {
            let [name, asks, _] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            assert!(["on", "off", "set"].contains(&asks), "{line}");
            let value = if asks == "set" { "\"x\"" } else { "true" };
            let text = match name.split_once(' ') {
                Some((section, key)) => format!("{section}\n{key} = {value}\n"),
                None => format!("{name}\n"),
            };
            assert_eq!(Config::parse(&text).unwrap().unknown_keys(), Vec::<String>::new(), "{text}");
        }
    }
}
