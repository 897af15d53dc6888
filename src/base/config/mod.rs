//! The configuration: `config.toml` as lh-config(5) says. No file means the defaults. Unknown keys in our
//! sections are remembered as warnings; other sections are other tools'.

mod check;
pub mod edit;
mod predecessor;
pub mod settings;

use crate::base::exit::{Exit, Failure};
use crate::base::word_enum::words;
use crate::base::{env, file, log};
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

words! {
    /// Which program distills.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Engine {
        /// `claude` when it is on PATH, else the embedded one.
        #[default]
        Auto = "auto",
        /// `claude -p`.
        Claude = "claude",
        /// The program that `command` names.
        Command = "command",
        /// The embedded one, which calls no model.
        Extract = "extract",
    }
}

words! {
    /// What reads each item again before it is trusted.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Verify {
        /// Nothing.
        #[default]
        Off = "off",
        /// The model, in a second call.
        Model = "model",
    }
}

/// `[compound_loop]`: the loop and what it may spend.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct Loop {
    /// The master switch of the hooks.
    pub enabled: bool,
    /// The model that `claude` is asked to use.
    pub model: String,
    /// Sessions with fewer messages are not distilled.
    pub min_messages: u64,
    /// Sessions in which the user typed fewer characters are not distilled, unless enough was done.
    pub min_user_chars: u64,
    /// Uses of tools that are enough, however little the user typed.
    pub min_tool_uses: u64,
    /// A session queued less than this many seconds ago is not queued again.
    pub debounce_seconds: i64,
    /// A session that was processed is queued again when it has grown for this many seconds.
    pub reprocess_min_growth_seconds: i64,
    /// The longest that one model call may take.
    pub timeout_seconds: u64,
    /// The folder for learnings inside the knowledge folder.
    pub learnings_subdir: String,
    /// Which program distills.
    pub engine: Engine,
    /// The program of engine `command` and its arguments, split at blanks.
    pub command: String,
    /// Calls of `command` do not count against `max_calls_per_day`.
    pub command_is_free: bool,
    /// What reads each item again before it is trusted.
    pub verify: Verify,
    /// Starts of a task before it is given up.
    pub max_attempts: u32,
    /// Old sessions that the sweep may queue a day.
    pub sweep_per_day: u32,
    /// Model calls a day.
    pub max_calls_per_day: u64,
    /// US dollars a day, as the client reports them.
    pub max_usd_per_day: f64,
    /// Characters of the whole prompt.
    pub max_prompt_chars: usize,
    /// The first line of handoff.md; none for the session's language.
    pub handoff_heading: Option<String>,
    /// What lazy-harness calls a model by.
    pub backend: String,
    /// `[compound_loop.backend_options]`
    pub backend_options: BackendOptions,
}

/// `[compound_loop.backend_options]`: what lazy-harness's `backend` needs.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct BackendOptions {
    /// Where the model is served.
    pub base_url: Option<String>,
}

impl Default for Loop {
    fn default() -> Self {
        Self {
            enabled: false,
            model: "claude-haiku-4-5-20251001".to_owned(),
            min_messages: 4,
            min_user_chars: 200,
            min_tool_uses: 10,
            debounce_seconds: 60,
            reprocess_min_growth_seconds: 120,
            timeout_seconds: 120,
            learnings_subdir: "learnings".to_owned(),
            engine: Engine::Auto,
            command: String::new(),
            command_is_free: false,
            verify: Verify::Off,
            max_attempts: 6,
            sweep_per_day: 10,
            max_calls_per_day: 200,
            max_usd_per_day: 5.0,
            max_prompt_chars: 60_000,
            handoff_heading: None,
            backend: "claude".to_owned(),
            backend_options: BackendOptions::default(),
        }
    }
}

/// `[knowledge]`: the folder of exports and learnings. Its other keys are other tools'.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Knowledge {
    /// The folder, absolute; `~` is the home.
    pub path: Option<String>,
    /// The predecessor's spelling of `path`.
    pub root: Option<String>,
    /// `[knowledge.sessions]`
    pub sessions: Sessions,
    /// `[knowledge.search]`
    pub search: Search,
    /// `[[knowledge.classify_rules]]`: the first match counts.
    pub classify_rules: Vec<ClassifyRule>,
}

/// `[knowledge.sessions]`: exports.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct Sessions {
    /// Whether the hooks export.
    pub enabled: bool,
    /// Whether a session's subagents get pages of their own.
    pub subagents: bool,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { enabled: true, subagents: false }
    }
}

/// `[knowledge.search]`: the index of a user who has QMD.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct Search {
    /// The name of the collection that has the knowledge folder.
    pub collection: String,
}

impl Default for Search {
    fn default() -> Self {
        Self { collection: "lh".to_owned() }
    }
}

/// What sessions in a folder are.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct ClassifyRule {
    /// A part of the cwd, in any case.
    pub pattern: String,
    /// Whose they are.
    pub profile: String,
    /// What they are about.
    pub session_type: String,
}

/// `[memory]`: where a project's memory is, and what becomes of typed memories.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct MemoryConfig {
    /// Where a project's memory is kept.
    pub scope: Scope,
    /// Whether typed memories are distilled from sessions.
    pub extract: bool,
    /// Whether, and how, a prompt gets the typed memories that it needs.
    pub select: Select,
    /// Whether something is told before a file is edited, and when a command failed.
    pub at_tool: bool,
    /// When briefings are made unasked.
    pub brief: BriefSchedule,
    /// What becomes of a plan to consolidate typed memories.
    pub dream: Dream,
    /// The model that is asked for a plan that starts by itself.
    pub dream_engine: Option<Engine>,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            extract: true,
            select: Select::default(),
            at_tool: false,
            brief: BriefSchedule::default(),
            dream: Dream::default(),
            dream_engine: None,
        }
    }
}

/// `[context]`: how much a session is told at its start.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ContextConfig {
    /// Characters of all but the briefing; see [`Config::start_chars`].
    pub max_chars: Option<usize>,
}

/// `[context_inject]`: what a session is told at its start.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct ContextInject {
    /// Whether a session is told anything at its start.
    pub enabled: bool,
    /// The predecessor's name of `max_chars`.
    pub max_body_chars: Option<usize>,
}

impl Default for ContextInject {
    fn default() -> Self {
        Self { enabled: true, max_body_chars: None }
    }
}

/// `[privacy]`: what is masked besides the known forms, and what is not.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(default)]
pub struct Privacy {
    /// Patterns of further secrets.
    pub patterns: Vec<String>,
    /// Patterns of what only looks like a secret.
    pub exempt: Vec<String>,
    /// Where each of them is: file, line and column.
    #[serde(skip)]
    pub positions: BTreeMap<String, String>,
}

words! {
    /// Where a project's memory is kept.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Scope {
        /// Beside the transcripts, in the client's folder of the project.
        #[default]
        Project = "project",
        /// In the knowledge folder, by the name of the repository.
        Store = "store",
        /// `memory/<hash of the project's name>` in the agent's home.
        Shared = "shared",
    }
}

words! {
    /// What chooses the typed memories that a prompt gets.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Select {
        /// Nothing: a prompt is told only what is known of the skill that it invokes.
        #[default]
        Off = "off",
        /// Their words and the prompt's.
        Rank = "rank",
    }
}

words! {
    /// When briefings are made unasked.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    BriefSchedule {
        /// Never.
        #[default]
        Off = "off",
        /// By lh-weekly.
        Weekly = "weekly",
    }
}

words! {
    /// What becomes of a plan to consolidate typed memories.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Dream {
        /// It waits for a person.
        #[default]
        Plan = "plan",
        /// What is shown to lose nothing, and changes only files of ours, is applied at once.
        Apply = "apply",
        /// None is made unless a person asks for it.
        Off = "off",
    }
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
            Some(name) if check::is_inside(name) => Ok(folder.join(name)),
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
        for (text, unknown) in [
            ("[compound_loop]\nenabeld = true\n", "[compound_loop] enabeld; did you mean 'enabled'?"),
            ("[memory]\nx = 99999999999999999999999\n", "[memory] x"),
            ("[privacy]\npatern = []\n", "[privacy] patern; did you mean 'patterns'?"),
            ("[compund_loop]\nenabled = true\n", "[compund_loop]; did you mean 'compound_loop'?"),
            ("[knowledge]\npaht = \"~/k\"\n", "[knowledge] paht; did you mean 'path'?"),
            ("[knowledge]\nx = 1\n[memory.engram]\nx = 1\n[monitoring]\nenabled = true\n", ""),
        ] {
            assert_eq!(Config::parse(text).unwrap().unknown_keys().join(", "), unknown, "{text}");
        }
    }
}
