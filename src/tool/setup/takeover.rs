//! Taking over from lazy-harness: what its configuration asks for and is not done here, in a table; what must
//! be said before anything is switched on; and keys that are set in a configuration that is its user's.

use super::{Setup, backup, rights, say, utf8};
use crate::agent::layout;
use crate::base::config::{Config, edit};
use crate::base::exit::Failure;
use crate::base::{env, file};
use crate::model;
use crate::redact::Redactor;
use std::path::PathBuf;
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

impl Setup<'_> {
    /// Says what is not done, and lets exports go on that a dead key of lazy-harness would stop.
    pub(super) fn take_over(&mut self, config: &Config) -> Result<(), Failure> {
        let path = env::config_file()?;
        for line in not_done(&file::read_text(&path)?.unwrap_or_default()) {
            say(&format!("{}: {line}", path.display()));
        }
        // What its user sets later stays; a takeover that was killed can have kept what the configuration still is.
        let now = file::read(&path)?;
        let is_first = |kept: &PathBuf| file::read(kept).is_ok_and(|kept| kept == now);
        if !config.knowledge.sessions.enabled && backup::all(&path).iter().all(is_first) {
            self.set_key("knowledge.sessions", "enabled", &Value::from(true))?;
            say("lazy-harness exported sessions whatever [knowledge.sessions] enabled was, so it is true now");
        }
        let area = config.memory_area()?;
        self.close_to_others(&area, rights::open_area(&area).as_slice())?;
        for home in config.agent_homes()? {
            self.close_to_others(&home, &rights::open_to_others(&home).0)?;
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

    /// Sets one key of the configuration, whose old text is kept beside it, or shows that.
    pub(super) fn set_key(&mut self, table: &str, key: &str, value: &Value) -> Result<(), Failure> {
        let path = env::config_file()?;
        let old = file::read(&path)?.unwrap_or_default();
        let text = utf8(&path, &old)?;
        let new = edit::set(text, table, key, value)
            .map_err(|what| Failure::config(format!("{}: {what}", path.display())))?;
        if !self.wish.dry_run
            && new != text
            && let Some(kept) = backup::keep(&path, &old)?
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
