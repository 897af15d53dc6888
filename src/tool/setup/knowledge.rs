//! What a knowledge folder needs so that others find their way in it: its `knowledge.toml`, which lazy-harness
//! reads, too, and a collection in the index of a user who has QMD.

use super::{Setup, ask, command, say};
use crate::base::config::{Config, MARKER};
use crate::base::exit::{Exit, Failure};
use crate::base::{env, process};
use std::path::Path;
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
        if !self.wish.may_ask() || !ask::yes(&format!("let QMD index the knowledge folder ({line})? [y/N]")) {
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
