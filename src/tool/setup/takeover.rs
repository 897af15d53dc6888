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

/// What a key asks for: true, false, or anything at all.
#[derive(Clone, Copy)]
enum Asks {
    On,
    Off,
    Set,
}

/// Section, key, what it is when it asks for something, and what happens instead. It is told only if the key
/// is in the file, whatever its default is.
const NOT_DONE: &[(&str, &str, Asks, &str)] = &[
    ("compound_loop", "grading_enabled", Asks::On, "sessions are not graded; nothing is to be done"),
    ("compound_loop", "lazymind_dir", Asks::Set, "nothing is written into the notes there; what is there stays"),
    (
        "compound_loop",
        "slim_handoff_enabled",
        Asks::On,
        "progress.md takes its place: it says where a session stood; nothing is to be done",
    ),
    (
        "compound_loop",
        "slim_handoff_enabled",
        Asks::Off,
        "progress.md is written all the same, without a model; nothing is to be done",
    ),
    (
        "context_inject",
        "enabled",
        Asks::Off,
        "no session is told anything at its start, where lazy-harness left out the last session only: set it to true if that is not meant",
    ),
    (
        "context_inject",
        "last_session_enabled",
        Asks::Off,
        "the last session is told at a start all the same: enabled = false tells nothing at all",
    ),
    (
        "context_inject",
        "qmd_suggest_enabled",
        Asks::On,
        "QMD is not asked at a start; what fits the branch comes from journals and learnings, the rest from lh-recall",
    ),
    (
        "context_inject",
        "graphify_surface_enabled",
        Asks::On,
        "Graphify is not mentioned at a start: name it in the client's own instructions",
    ),
    (
        "context_inject",
        "proposals_summary",
        Asks::On,
        "no changes to the client's instructions are proposed: failures are told with how to prevent them",
    ),
    (
        "context_inject",
        "repo_map_scope",
        Asks::Set,
        "no map of repositories is told at a start: name the document in the client's own instructions",
    ),
    ("knowledge.structure", "enabled", Asks::On, "lh runs no Graphify: run it yourself, or by a timer of your own"),
    (
        "memory.engram",
        "enabled",
        Asks::On,
        "nothing goes to Engram: decisions and failures are in the journals; what Engram has stays there",
    ),
    ("monitoring", "enabled", Asks::On, "no statistics are collected: lh-doctor --cost says what calls cost"),
    ("metrics", "sinks", Asks::Set, "no metrics are sent anywhere"),
    (
        "scheduler",
        "jobs",
        Asks::Set,
        "its timers stay, and run whichever lh is first on PATH: remove those you do not need; lh-setup --schedule sets the one of lh",
    ),
    (
        "hooks",
        "",
        Asks::Set,
        "those that remember sessions are taken out; others stay, and need lazy-harness; 'lh deploy' of lazy-harness would put all of them in again",
    ),
    ("lazynorth", "enabled", Asks::On, "its document is not told at a start: name it in the client's own instructions"),
    ("loops", "inject_goal_prompt", Asks::On, "no prompt is asked for a goal"),
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
    let one = |(section, key, asks, instead): &(&str, &str, Asks, &str)| {
        let mut names = section.split('.').chain((!key.is_empty()).then_some(*key));
        let first = root.get(names.next()?);
        let value = names.try_fold(first?, |value, name| value.get(name))?;
        let is_asked = match asks {
            Asks::On => value.as_bool() == Some(true),
            Asks::Off => value.as_bool() == Some(false),
            Asks::Set => !is_empty(value),
        };
        let shown = value.as_bool().map(|value| format!(" = {value}")).unwrap_or_default();
        let name = if key.is_empty() { String::new() } else { format!(" {key}") };
        is_asked.then(|| format!("[{section}]{name}{shown}: {instead}"))
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
                    "{}: claude-mem's memory stays as it is; lh-setup(1) imports it",
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
        for (section, key, asks, _) in NOT_DONE {
            let value = match asks {
                Asks::Set => "\"x\"",
                _ => "true",
            };
            let text =
                if key.is_empty() { format!("[{section}]\n") } else { format!("[{section}]\n{key} = {value}\n") };
            assert_eq!(Config::parse(&text).unwrap().unknown_keys(), Vec::<String>::new(), "{text}");
        }
    }
}
