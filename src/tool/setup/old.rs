//! The predecessor's hooks that are left, wherever the client reads hooks from.

use super::settings::{hooked, plugins};
use super::{Setup, say, text_at};
use crate::agent::{layout, plugins as installed};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file;
use std::path::PathBuf;

/// Where a hook is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPlace {
    /// In the settings of an agent home.
    Home,
    /// In the settings of the current checkout, which others share.
    Checkout,
    /// In a plugin, which its author writes.
    Plugin,
}

impl HookPlace {
    /// How to get rid of it.
    pub fn todo(self) -> &'static str {
        match self {
            Self::Home => "run lh-setup --migrate",
            Self::Checkout => "take it out by hand, since a checkout's settings are never changed for this",
            Self::Plugin => "switch that plugin off in the client, since a plugin is never changed",
        }
    }
}

/// A hook of the predecessor that does what we do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Old {
    /// The file that it is in.
    pub path: PathBuf,
    /// Where that is.
    pub place: HookPlace,
    /// The client's name of the event.
    pub event: String,
    /// What is run.
    pub command: String,
}

/// Those in the settings of all agent homes, in the current checkout's and in plugins. Files that cannot be
/// read are left out.
pub fn old_hooks(config: &Config) -> Result<Vec<Old>, Failure> {
    let homes = config.agent_homes()?;
    let of_homes: Vec<PathBuf> = homes.iter().map(|home| file::real_path(&layout::settings(home))).collect();
    let mut of_checkout = super::here_settings()?.to_vec();
    // In the user's home both are one.
    of_checkout.retain(|path| !of_homes.contains(&file::real_path(path)));
    let shared: Vec<(String, bool)> = of_checkout.iter().flat_map(|path| plugins(&text_at(path))).collect();
    let mut files: Vec<(PathBuf, HookPlace)> = Vec::new();
    for home in &homes {
        let settings = layout::settings(home);
        let switches = [plugins(&text_at(&settings)), shared.clone()].concat();
        files.push((settings, HookPlace::Home));
        files.extend(installed::hooks(home, &switches).into_iter().map(|path| (path, HookPlace::Plugin)));
    }
    files.extend(of_checkout.into_iter().map(|path| (path, HookPlace::Checkout)));
    let mut found = Vec::new();
    for (path, place) in files {
        for hooked in hooked(&text_at(&path)).into_iter().flatten() {
            let old = |command| Old { path: path.clone(), place, event: hooked.event.clone(), command };
            found.extend(hooked.predecessor.into_iter().map(old));
        }
    }
    Ok(found)
}

impl Setup<'_> {
    /// What of the predecessor's is left does the same work once more.
    pub(super) fn tell_predecessor(&self, config: &Config) -> Result<(), Failure> {
        for Old { path, place, event, command } in old_hooks(config)? {
            let todo = match place {
                HookPlace::Home if self.wish.migrate || self.wish.project => continue,
                HookPlace::Home => "--migrate takes it out",
                place => place.todo(),
            };
            let path = path.display();
            say(&format!("{path}: {event}: '{command}' keeps memory too, so all is kept twice: {todo}"));
        }
        Ok(())
    }
}
