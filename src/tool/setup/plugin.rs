//! Our own plugin for the client: where it is on, it has the hooks, and the settings get none.

use super::settings::{has_ours, plugins};
use super::text_at;
use crate::agent::{hooks, layout, plugins as installed};
use crate::base::config::Config;
use crate::base::env;
use std::path::{Path, PathBuf};

/// A plugin with hooks of ours.
pub struct Plugin {
    /// What the client calls it: `lh@lh-memory`.
    pub name: String,
    folder: PathBuf,
}

impl Plugin {
    /// How to take it out.
    pub fn removal(&self) -> String {
        format!("{} plugin uninstall {}", hooks::PROGRAM, self.name)
    }

    /// The text of its hooks.
    pub fn hooks(&self) -> String {
        text_at(&installed::hooks_of(&self.folder))
    }

    /// One of our scripts, where its hooks look for it: see scripts/plugin/hooks/lh-hook.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let at_home = [".local/bin", ".cargo/bin"].map(|folder| Some(env::home().ok()?.join(folder)));
        let folders = [Some(self.folder.join("bin"))].into_iter().chain(at_home).flatten();
        let mut paths = folders.chain([PathBuf::from("/opt/homebrew/bin")]).map(|folder| folder.join(name));
        env::program(name).or_else(|| paths.find(|path| env::is_program(path)))
    }

    /// Whether its hooks find all that they run: else they do nothing, and those of the settings are wanted.
    pub fn finds_scripts(&self, config: &Config) -> bool {
        hooks::needed(config, false).all(|(_, script)| self.program(script).is_some())
    }
}

/// Ours that is installed in an agent home and that these settings, the last of which count, switch on.
pub fn plugin(home: &Path, settings: &[&str]) -> Option<Plugin> {
    let switches: Vec<_> = settings.iter().flat_map(|text| plugins(text)).collect();
    let found = installed::installed(home, &switches).into_iter().map(|(name, folder)| Plugin { name, folder });
    found.into_iter().find(|plugin| has_ours(&plugin.hooks()))
}

/// Ours that works wherever settings are read: those of an agent home, or of a checkout, which are read with any home and
/// with those that are the user's alone there.
pub fn beside(config: &Config, path: &Path) -> Option<Plugin> {
    let mut homes = config.agent_homes().ok()?;
    if homes.iter().any(|home| layout::settings(home) == path) {
        homes.retain(|home| layout::settings(home) == path);
    }
    let local = super::here_settings().map_or_else(|_| String::new(), |[_, local]| text_at(&local));
    let text = text_at(path);
    let mut plugins = homes.iter().filter_map(|home| plugin(home, &[&text_at(&layout::settings(home)), &text, &local]));
    plugins.find(|plugin| plugin.finds_scripts(config))
}
