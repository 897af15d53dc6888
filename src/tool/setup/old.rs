//! The predecessor's hooks that are left in settings.

use super::command::Owner;
use super::settings::hooked;
use super::{Setup, say, text_at};
use crate::agent::layout;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file;
use std::path::PathBuf;

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
}
