//! Claude Code's plugins: which of them are on, and where they have their hooks.

use crate::base::file;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The setting that switches each on or off, by `name@marketplace`.
pub const SWITCHES: &str = "enabledPlugins";
const FOLDER: &str = "plugins";
/// Below it, copies of what can be installed; elsewhere is what was installed.
const MARKETPLACES: &str = "marketplaces";
const HOOKS: [&str; 2] = ["hooks", "hooks.json"];
/// What was installed, by the name of the plugin.
const INSTALLED: &str = "installed_plugins.json";
/// In the copy of a plugin that was uninstalled; the client removes the copy some days later.
const ORPHANED: &str = ".orphaned_at";
/// How deep a plugin can be below the folder, and how many folders are looked into, at most.
const DEPTH: usize = 7;
const LOOKS: usize = 4000;

/// The files with hooks of the plugins of a home, without those that are switched off.
pub fn hooks(home: &Path, switches: &[(String, bool)]) -> Vec<PathBuf> {
    let (folder, mut looks) = (home.join(FOLDER), LOOKS);
    let mut found = Vec::new();
    walk(&folder, DEPTH, &mut looks, &mut found);
    found.retain(|path| path.strip_prefix(&folder).is_ok_and(|below| is_on(below, switches)));
    found
}

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

fn walk(folder: &Path, depth: usize, looks: &mut usize, found: &mut Vec<PathBuf>) {
    let (Some(depth), Some(rest)) = (depth.checked_sub(1), looks.checked_sub(1)) else { return };
    *looks = rest;
    if folder.join(ORPHANED).exists() {
        return;
    }
    found.extend(Some(hooks_of(folder)).filter(|path| path.is_file()));
    for name in file::names(folder).unwrap_or_default() {
        let path = folder.join(&name);
        if name != ".git" && name != "node_modules" && path.is_dir() && !path.is_symlink() {
            walk(&path, depth, looks, found);
        }
    }
}

/// Whether a plugin whose file of hooks is at this path below the folder is on. What was installed is, unless
/// it is switched off; what can be installed is when it is switched on.
fn is_on(below: &Path, switches: &[(String, bool)]) -> bool {
    let parts: Vec<&str> = below.iter().filter_map(|part| part.to_str()).collect();
    let is_market = parts.first() == Some(&MARKETPLACES);
    let is_of = |plugin: &str| {
        let (name, market) = plugin.split_once('@').unwrap_or((plugin, plugin));
        // A marketplace can be its own only plugin.
        let is_market_itself = is_market && parts.len() == HOOKS.len() + 2;
        parts.contains(&market) && (parts.contains(&name) || is_market_itself)
    };
    let mut own = switches.iter().filter(|(plugin, _)| is_of(plugin)).map(|(_, on)| *on).peekable();
    if own.peek().is_none() { !is_market } else { own.any(|on| on) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hooks_of_plugins_that_are_on_are_found() {
        let home = tempfile::tempdir().unwrap();
        let paths = ["cache/shop/notes/1.0", "marketplaces/shop/plugins/notes", "marketplaces/solo", "local"];
        for path in paths {
            let folder = home.path().join("plugins").join(path).join("hooks");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("hooks.json"), "{}").unwrap();
        }
        std::os::unix::fs::symlink(home.path(), home.path().join("plugins/loop")).unwrap();
        let found = |switches: &[(&str, bool)]| {
            let switches: Vec<_> = switches.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
            let found = hooks(home.path(), &switches);
            let below = found.iter().map(|path| path.strip_prefix(home.path().join("plugins")).unwrap());
            below.map(|path| path.to_str().unwrap().replace("/hooks/hooks.json", "")).collect::<Vec<_>>()
        };
        assert_eq!(found(&[]), ["cache/shop/notes/1.0", "local"]);
        assert_eq!(found(&[("notes@shop", true), ("solo@solo", true)]), [paths[0], "local", paths[1], paths[2]]);
        assert_eq!(found(&[("notes@shop", false), ("other@solo", true)]), ["local", "marketplaces/solo"]);
        std::fs::write(home.path().join("plugins/local/.orphaned_at"), "1795735877117").unwrap();
        assert_eq!(found(&[]), ["cache/shop/notes/1.0"]);
        assert!(hooks(&home.path().join("none"), &[]).is_empty());
    }
}
