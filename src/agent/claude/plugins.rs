//! Claude Code's plugins: which of them are on, and where they have their hooks.

use crate::base::file;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The setting that switches each on or off, by `name@marketplace`.
pub const SWITCHES: &str = "enabledPlugins";
const FOLDER: &str = "plugins";
const HOOKS: [&str; 2] = ["hooks", "hooks.json"];
/// What was installed, by the name of the plugin.
const INSTALLED: &str = "installed_plugins.json";

/// The plugins that were installed in a home and are switched on: the name of each, and its folder. Of several
/// switches of one the last counts.
pub fn installed(home: &Path, switches: &[(String, bool)]) -> Vec<(String, PathBuf)> {
    let text = file::read_text(&home.join(FOLDER).join(INSTALLED)).ok().flatten().unwrap_or_default();
    let known: Value = serde_json::from_str(&text).unwrap_or_default();
    let switches: BTreeMap<&String, bool> = switches.iter().map(|(name, on)| (name, *on)).collect();
    let on = switches.into_iter().filter(|(_, on)| *on);
    // One that is installed for two projects has two entries, which lead to the same copy.
    let folder = |name: &String| known["plugins"][name][0]["installPath"].as_str().map(PathBuf::from);
    on.filter_map(|(name, _)| Some((name.clone(), folder(name)?))).collect()
}

/// The file of hooks of a plugin.
pub fn hooks_of(plugin: &Path) -> PathBuf {
    plugin.join(HOOKS.iter().collect::<PathBuf>())
}
