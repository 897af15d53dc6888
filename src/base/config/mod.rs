//! The configuration: `config.toml` as lh-config(5) says. No file means the defaults. Unknown keys in our
//! sections are remembered as warnings; other sections are other tools'.

mod check;
pub mod edit;
mod keys;
mod rule;
pub mod settings;

use crate::base::exit::{Exit, Failure};
use crate::base::{env, file, log};
pub use keys::{BriefSchedule, Dream, Engine, Knowledge, Loop, MemoryConfig, Privacy, Scope, Select, Verify};
use keys::{ContextConfig, ContextInject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::de::DeTable;

/// What a knowledge folder says of itself.
pub const MARKER: &str = "knowledge.toml";

/// All that the tools read from `config.toml`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Config {
    /// `[compound_loop]`
    pub compound_loop: Loop,
    /// `[knowledge]`
    pub knowledge: Knowledge,
    /// `[memory]`
    pub memory: MemoryConfig,
    /// `[context]`
    pub context: ContextConfig,
    /// `[context_inject]`
    pub context_inject: ContextInject,
    /// `[privacy]`
    pub privacy: Privacy,
    /// `[profiles.*]`: the agent home of each, as it is written there.
    #[serde(skip)]
    pub profiles: Vec<String>,
    /// `[memory]` has its `scope`.
    #[serde(skip)]
    pub names_scope: bool,
    /// lazy-harness reads this file, too: it has its `[harness]`.
    #[serde(skip)]
    is_shared: bool,
    #[serde(skip)]
    unknown: Vec<String>,
}

/// A configuration that is larger is none.
const BYTES: u64 = 1 << 20;
/// Characters of what a session is told at its start, where nothing else is configured.
const START_CHARS: usize = 4000;

impl Config {
    /// The most characters of what a session is told at its start, without the briefing.
    pub fn start_chars(&self) -> usize {
        self.context.max_chars.or(self.context_inject.max_body_chars).unwrap_or(START_CHARS)
    }

    /// Reads the configuration; status 78 with line and column when it is not TOML, or a value is not what
    /// its key may be.
    pub fn load() -> Result<Self, Failure> {
        let path = env::config_file()?;
        let bytes = file::read_at_most(&path, BYTES).map_err(|failure| match failure.exit {
            Exit::Data => Failure { exit: Exit::Config, ..failure },
            _ => failure,
        })?;
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let bad = |what: String| Failure::config(format!("{}:{what}", path.display()));
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            bad(format!("{}: not UTF-8", position(&String::from_utf8_lossy(good), good.len())))
        })?;
        let mut config = Self::parse(text).map_err(bad)?;
        for position in config.privacy.positions.values_mut() {
            *position = format!("{}:{position}", path.display());
        }
        Ok(config)
    }

    /// Parses the text of a configuration; the error is `line:column: what`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |(at, what): (usize, String)| format!("{}: {what}", position(text, at));
        let fault = |error: toml::de::Error| wrong((error.span().map_or(0, |span| span.start), in_words(&error)));
        let table = DeTable::parse(text).map_err(fault)?;
        check::check(table.get_ref()).map_err(wrong)?;
        let root = table.get_ref();
        let memory = root.get("memory").and_then(|section| section.get_ref().as_table());
        let names_scope = memory.is_some_and(|memory| memory.contains_key("scope"));
        let (profiles, is_shared) = (check::agent_homes(root), root.contains_key("harness"));
        let (unknown, positions) = (check::unknown_keys(root), positions(root, text));
        let config = Self::deserialize(toml::Deserializer::from(table)).map_err(fault)?;
        let privacy = Privacy { positions, ..config.privacy };
        Ok(Self { privacy, profiles, names_scope, is_shared, unknown, ..config })
    }

    /// The keys that no tool reads, where no other tool can have put them, and what was perhaps meant.
    pub fn unknown_keys(&self) -> &[String] {
        &self.unknown
    }

    /// Says them in the name of a tool.
    pub fn tell_unknown_keys(&self, tool: &str) {
        self.unknown.iter().for_each(|key| log::say(tool, &format!("unknown key in the configuration: {key}")));
    }

    /// The knowledge folder: `LAZY_KNOWLEDGE_ROOT`, else `path`, else the predecessor's `root`, else
    /// the predecessor's default where its configuration names none and a store is there, else our own.
    pub fn knowledge_folder(&self) -> Result<PathBuf, Failure> {
        let named = [&self.knowledge.path, &self.knowledge.root].into_iter().flatten().find(|path| !path.is_empty());
        match (env::knowledge_override()?, named) {
            (Some(path), _) => Ok(path),
            (None, Some(path)) => env::expand(path),
            (None, None) => {
                let home = env::home()?;
                let store = home.join("repos/lazy/lazy-knowledge");
                let is_theirs = self.is_shared && store.join(MARKER).is_file();
                Ok(if is_theirs { store } else { home.join("Documents/lazy-harness-knowledge") })
            }
        }
    }

    /// The learnings folder; `LCT_LEARNINGS_DIR` overrides it.
    pub fn learnings_folder(&self) -> Result<PathBuf, Failure> {
        match env::learnings_override()? {
            Some(path) => Ok(path),
            None => self.inside("learnings", &self.compound_loop.learnings_subdir),
        }
    }

    /// The top folder that no learning may lead out of.
    pub fn learnings_top(&self) -> Result<PathBuf, Failure> {
        env::learnings_override()?.map_or_else(|| self.knowledge_folder(), Ok)
    }

    /// The folder of exported sessions.
    pub fn sessions_folder(&self) -> Result<PathBuf, Failure> {
        self.inside("sessions", "sessions")
    }

    /// The folder in the knowledge folder with the memory of projects, one below it each.
    pub fn memory_area(&self) -> Result<PathBuf, Failure> {
        self.inside("memory", "memory")
    }

    /// That the knowledge folder is there, by the file in it: where a drive is not mounted there can be an empty folder.
    /// Status 74 where it is not.
    pub fn is_mounted(&self) -> Result<(), Failure> {
        let folder = self.knowledge_folder()?;
        if folder.join(MARKER).is_file() {
            return Ok(());
        }
        let what = "is its drive mounted? a new folder you make, and lh-setup writes that file";
        Err(Failure::new(Exit::Io, format!("{}: no {MARKER} in the knowledge folder: {what}", folder.display())))
    }

    /// A folder in the knowledge folder, by the name that this one has for it in its `knowledge.toml`, as the
    /// predecessor's stores do, else by ours. A name that leads out of the folder is status 78.
    fn inside(&self, which: &str, ours: &str) -> Result<PathBuf, Failure> {
        let folder = self.knowledge_folder()?;
        let path = folder.join(MARKER);
        let Some(text) = file::read_at_most(&path, BYTES)? else { return Ok(folder.join(ours)) };
        let bad = |what: &str| Failure::config(format!("{}: {what}", path.display()));
        let marker: toml::Table =
            String::from_utf8_lossy(&text).parse().map_err(|error: toml::de::Error| bad(&in_words(&error)))?;
        match marker.get("knowledge").and_then(|section| section.get(which)?.as_str()) {
            None | Some("") => Ok(folder.join(ours)),
            Some(name) if rule::is_inside(name) => Ok(folder.join(name)),
            Some(_) => Err(bad(&format!("'{which}' must be a folder inside"))),
        }
    }

    /// The profile and the type of sessions in `cwd`.
    pub fn classify(&self, cwd: &str) -> (String, String) {
        let cwd = cwd.to_lowercase();
        let rule = self.knowledge.classify_rules.iter().find(|rule| cwd.contains(&rule.pattern.to_lowercase()));
        let (profile, kind) = rule.map_or(("other", "other"), |rule| (&rule.profile, &rule.session_type));
        (profile.to_owned(), kind.to_owned())
    }

    /// Every agent home: the current one first, then those of the profiles, each once.
    pub fn agent_homes(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut homes = vec![env::agent_home()?];
        for folder in self.profiles.iter().filter(|folder| !folder.is_empty()) {
            let home = env::expand(folder)?;
            if !homes.iter().any(|known| file::real_path(known) == file::real_path(&home)) {
                homes.push(home);
            }
        }
        Ok(homes)
    }
}

/// What the parser says, as one line, with our quotes.
fn in_words(error: &toml::de::Error) -> String {
    error.message().replace('\n', ", ").replace('`', "'")
}

/// A place in a text as `line:column`.
fn position(text: &str, at: usize) -> String {
    let (line, column) = crate::base::text::position(text, at);
    format!("{line}:{column}")
}

/// Where each pattern of `[privacy]` is: whether it compiles is known only where it is used.
fn positions(root: &DeTable<'_>, text: &str) -> BTreeMap<String, String> {
    let section = root.get("privacy").and_then(|section| section.get_ref().as_table());
    let lists = ["patterns", "exempt"].into_iter().filter_map(|key| section?.get(key)?.get_ref().as_array());
    let one = |item: &toml::Spanned<toml::de::DeValue<'_>>| {
        Some((item.get_ref().as_str()?.to_owned(), position(text, item.span().start)))
    };
    lists.flat_map(|items| items.iter()).filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn a_store_names_its_own_folders_and_only_its_own() {
        let store = tempfile::tempdir().unwrap();
        let folder = toml::Value::from(store.path().to_str().unwrap());
        let config = Config::parse(&format!("[knowledge]\nroot = {folder}\n")).unwrap();
        let write = |text: &str| std::fs::write(store.path().join(MARKER), format!("[knowledge]\n{text}\n")).unwrap();
        assert_eq!(config.memory_area().unwrap(), store.path().join("memory"));
        write("version = 1\nsessions = \"s\"\nmemory = \"all/of it\"");
        assert_eq!(config.memory_area().unwrap(), store.path().join("all/of it"));
        assert_eq!(config.sessions_folder().unwrap(), store.path().join("s"));
        for wrong in ["\"../m\"", "\"/m\"", "\"~/m\"", "\"a/../../m\"", "["] {
            write(&format!("memory = {wrong}"));
            assert_eq!(config.memory_area().unwrap_err().exit.status(), 78, "{wrong}");
        }
    }

    #[test]
    fn sessions_are_classified_by_their_folder() {
        let class = |text: &str, cwd: &str| {
            let (profile, session_type) = Config::parse(text).unwrap().classify(cwd);
            format!("{profile}/{session_type}")
        };
        let own = "[[knowledge.classify_rules]]\npattern = \"/srv/\"\nprofile = \"ops\"\nsession_type = \"duty\"\n";
        assert_eq!(
            class(own, "/SRV/x") + &class(own, "/repos/api") + &class("", "/srv/x"),
            "ops/dutyother/otherother/other"
        );
    }

    #[test]
    fn only_keys_in_our_sections_are_ours_to_warn_about() {
        for [text, unknown] in rows(include_str!("unknown.tsv")) {
            assert_eq!(Config::parse(&text).unwrap().unknown_keys().join(", "), unknown, "{text}");
        }
    }
}
