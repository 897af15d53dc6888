//! Our own plugin for the client: where it is on, it has the hooks, and the settings get none. And what of it can be had
//! without it: a skill that tells the agent when to search what is remembered, and how, and a slash command that has the
//! briefing made. The last line of each of these two files has the hash of the lines before it, so that of each file can be
//! told whether it is as we wrote it, whichever version did. Any other file is a person's, and stays as it is.

use super::settings::{has_ours, plugins};
use super::{Setup, SetupOptions, may_be_replaced, say, text_at};
use crate::agent::{hooks, layout, plugins as installed};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{env, file};
use crate::record::item;
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

/// A file that the client reads in an agent home.
struct Guide {
    name: &'static str,
    text: &'static str,
    path: fn(&Path, &str) -> PathBuf,
    is_wished: fn(&SetupOptions) -> bool,
}

const GUIDES: [Guide; 2] = [
    Guide {
        name: "lh-recall",
        text: include_str!("../../../scripts/plugin/skills/lh-recall/SKILL.md"),
        path: layout::skill,
        is_wished: |wish| wish.skill,
    },
    Guide {
        name: "lh-brief",
        text: include_str!("../../../scripts/plugin/commands/lh-brief.md"),
        path: layout::command,
        is_wished: |wish| wish.brief,
    },
];
/// What the last line has around the hash.
const MARK: (&str, &str) = ("\n<!-- as lh-setup wrote it: ", " -->\n");

fn marked(text: &str) -> String {
    format!("{text}{}{}{}", MARK.0, item::hash(text.as_bytes()), MARK.1)
}

/// Whether a file is as this or another version wrote it.
fn is_ours(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix(MARK.1));
    let parts = text.and_then(|text| text.rsplit_once(MARK.0));
    parts.is_some_and(|(text, hash)| item::hash(text.as_bytes()) == hash)
}

/// The guides of each agent home with their paths.
fn all(config: &Config) -> Result<Vec<(&'static Guide, PathBuf)>, Failure> {
    let mut all = Vec::new();
    for home in config.agent_homes()? {
        all.extend(GUIDES.iter().map(|guide| (guide, (guide.path)(&home, guide.name))));
    }
    Ok(all)
}

impl Setup<'_> {
    /// Puts the guides into each agent home for a user who wishes them, and brings those up to date that are there.
    pub(super) fn guides(&mut self, config: &Config) -> Result<(), Failure> {
        for (guide, path) in all(config)? {
            let is_wished = (guide.is_wished)(&self.wish);
            if let Some(plugin) = beside(config, &path).filter(|_| is_wished) {
                say(&format!("{}: not written, the plugin {} has it", path.display(), plugin.name));
                continue;
            }
            let there = file::read(&path);
            if !is_wished && !matches!(&there, Ok(Some(bytes)) if is_ours(bytes)) {
                // What cannot be read, or is a person's, matters only to a user who wants it replaced.
                continue;
            }
            self.attempt(|setup| {
                if there?.is_some_and(|bytes| !is_ours(&bytes)) {
                    let what = "not as lh-setup wrote it, so it stays: move it away, then run this again";
                    say(&format!("{}: {what}", path.display()));
                    return Ok(());
                }
                may_be_replaced(&path)?;
                setup.put(&path, Some(&marked(guide.text))).map(drop)
            });
        }
        Ok(())
    }

    /// Takes the guides away where they are as we wrote them.
    pub(super) fn no_guides(&mut self, config: &Config) -> Result<(), Failure> {
        let homes = config.agent_homes()?;
        for (_, path) in all(config)? {
            let Ok(Some(bytes)) = file::read(&path) else { continue };
            if !is_ours(&bytes) {
                say(&format!("stays: {}, which is not as lh-setup wrote it", path.display()));
                continue;
            }
            if self.attempt(|setup| setup.put(&path, None).map(drop)) && !self.wish.dry_run {
                // Files beside it are a person's, and so is the agent home.
                let ours = path.ancestors().skip(1).take_while(|folder| !homes.iter().any(|home| home == folder));
                ours.take_while(|folder| file::remove_folder(folder)).count();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_costs_few_tokens_and_names_what_there_is() {
        let words = |text: &str| text.split_whitespace().count();
        for Guide { name, text, .. } in GUIDES {
            let (_, rest) = text.split_once("description: ").unwrap();
            let (head, body) = rest.split_once("\n---\n").unwrap();
            let description = head.lines().next().unwrap();
            assert!(words(description) < 60 && !description.contains(": "), "{description}");
            assert!(words(body) < 200 && body.contains(name), "{}", words(body));
        }
        assert!(GUIDES[0].text.starts_with("---\nname: lh-recall\ndescription: "));
    }
}
