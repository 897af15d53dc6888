//! Taking over from lazy-harness: what its configuration asks for and is not done here, in a table; what must
//! be said before anything is switched on; and keys that are set in a configuration that is its user's.

use super::{Setup, backup, utf8};
use crate::agent::layout;
use crate::base::config::{Config, edit};
use crate::base::exit::Failure;
use crate::base::{env, file};
use crate::model;
use crate::redact::Redactor;
use std::path::PathBuf;
use toml::{Table, Value};

/// What a key is when it asks for something: true, false, or anything at all.
const ON: Option<bool> = Some(true);
const OFF: Option<bool> = Some(false);
const SET: Option<bool> = None;

/// Section and key, what it is when it asks for something, and what happens instead. It is told only if the key
/// is in the file, whatever its default is.
const NOT_DONE: &[(&str, Option<bool>, &str)] = &[
    ("[compound_loop] grading_enabled", ON, "sessions are not graded; nothing is to be done"),
    ("[compound_loop] lazymind_dir", SET, "nothing is written into the notes there; what is there stays"),
    (
        "[compound_loop] slim_handoff_enabled",
        ON,
        "progress.md takes its place: it says where a session stood; nothing is to be done",
    ),
    (
        "[compound_loop] slim_handoff_enabled",
        OFF,
        "progress.md is written all the same, without a model; nothing is to be done",
    ),
    (
        "[context_inject] enabled",
        OFF,
        "no session is told anything at its start, where lazy-harness left out the last session only: set it to true if that is not meant",
    ),
    (
        "[context_inject] last_session_enabled",
        OFF,
        "the last session is told at a start all the same: enabled = false tells nothing at all",
    ),
    (
        "[context_inject] qmd_suggest_enabled",
        ON,
        "QMD is not asked at a start; what fits the branch comes from journals and learnings, the rest from lh-recall",
    ),
    (
        "[context_inject] graphify_surface_enabled",
        ON,
        "Graphify is not mentioned at a start: name it in the client's own instructions",
    ),
    (
        "[context_inject] proposals_summary",
        ON,
        "no changes to the client's instructions are proposed: failures are told with how to prevent them",
    ),
    (
        "[context_inject] repo_map_scope",
        SET,
        "no map of repositories is told at a start: name the document in the client's own instructions",
    ),
    ("[knowledge.structure] enabled", ON, "lh runs no Graphify: run it yourself, or by a timer of your own"),
    (
        "[memory.engram] enabled",
        ON,
        "nothing goes to Engram: decisions and failures are in the journals; what Engram has stays there",
    ),
    ("[monitoring] enabled", ON, "no statistics are collected: lh-doctor --cost says what calls cost"),
    ("[metrics] sinks", SET, "no metrics are sent anywhere"),
    (
        "[scheduler] jobs",
        SET,
        "its timers stay, and run whichever lh is first on PATH: remove those you do not need; lh-setup --schedule sets the one of lh",
    ),
    (
        "[hooks]",
        SET,
        "those that remember sessions are taken out; others stay, and need lazy-harness; 'lh deploy' of lazy-harness would put all of them in again",
    ),
    ("[lazynorth] enabled", ON, "its document is not told at a start: name it in the client's own instructions"),
    ("[loops] inject_goal_prompt", ON, "no prompt is asked for a goal"),
];

/// Status 78 where sessions would go to another model than lazy-harness was told to use.
pub fn engine_is_named(config: &Config) -> Result<(), Failure> {
    let Some((says, todo)) = model::unnamed(&config.compound_loop) else { return Ok(()) };
    let path = env::config_file()?;
    let what = format!("{}: {says}, so nothing was switched on: {todo}", path.display());
    Err(Failure::config(Redactor::new(&config.privacy)?.shown(&what)))
}

/// What the text of a configuration asks for and is not done, a line each.
fn not_done(text: &str) -> Vec<String> {
    let Ok(root) = text.parse::<Table>() else { return Vec::new() };
    let one = |(name, asks, instead): &(&str, Option<bool>, &str)| {
        let mut keys = name.split(['[', ']', '.', ' ']).filter(|key| !key.is_empty());
        let first = root.get(keys.next()?)?;
        let value = keys.try_fold(first, |value, key| value.get(key))?;
        let is_asked = if asks.is_some() { value.as_bool() == *asks } else { !is_empty(value) };
        let shown = value.as_bool().map(|value| format!(" = {value}")).unwrap_or_default();
        is_asked.then(|| format!("{name}{shown}: {instead}"))
    };
    NOT_DONE.iter().filter_map(one).collect()
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
            self.say(&format!("{}: {line}", path.display()));
        }
        // What its user sets later stays; a takeover that was killed can have kept what the configuration still is.
        let now = file::read(&path)?;
        let is_first = |kept: &PathBuf| file::read(kept).is_ok_and(|kept| kept == now);
        if !config.knowledge.sessions.enabled && backup::all(&path).iter().all(is_first) {
            self.set_key("knowledge.sessions", "enabled", &Value::from(true))?;
            self.say("lazy-harness exported sessions whatever [knowledge.sessions] enabled was, so it is true now");
        }
        self.close_area(&config.memory_area()?)?;
        for home in config.agent_homes()? {
            self.close_to_others(&home)?;
            let (indexes, database) = layout::memories_of_others(&home, &env::home()?);
            if !indexes.is_empty() {
                let what = "the client's own memory of projects, which it goes on telling; it stays as it is";
                self.say(&format!("{}: {what}: {}", home.display(), indexes.len()));
            }
            if let Some(database) = database {
                self.say(&format!(
                    "{}: claude-mem's memory stays as it is; lh-import(1) brings it in",
                    database.display()
                ));
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
            self.say(&format!("{}: what the configuration was before", kept.display()));
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
        for (name, asks, _) in NOT_DONE {
            let value = if asks.is_some() { "true" } else { "\"x\"" };
            let text = match name.split_once(' ') {
                Some((section, key)) => format!("{section}\n{key} = {value}\n"),
                None => format!("{name}\n"),
            };
            assert_eq!(Config::parse(&text).unwrap().unknown_keys(), Vec::<String>::new(), "{text}");
        }
    }
}
