//! Setting up: our hooks in the client's settings, a configuration, a timer; and all of it out again.
//! Settings are replaced by rename, what they were is kept beside them, and another program that writes them
//! meanwhile wins: then the work begins anew with what is there.

mod command;
mod configure;
mod edit;
mod knowledge;
mod plugin;
mod schedule;
pub mod settings;
mod splice;
mod takeover;
mod unpack;

pub use super::moves::move_memory;
pub use command::{Owner, may_remember};
pub use configure::{configure, yes};
pub use edit::SettingsReceipt;
pub use knowledge::{plan as moves, without_checkout};
pub use plugin::{Plugin, plugin};
pub use takeover::{Old, all_below, old_hooks, open_to_others};
pub use unpack::{Files, has_inside};

use crate::agent::{hooks, layout};
use crate::base::config::{Config, Privacy, Scope};
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Target};
use crate::base::masked::Masked;
use crate::base::stream::Output;
use crate::base::{diff, env, log, process};
use crate::redact::Redactor;
use crate::store::{self, memories};
use configure::Answers;
use edit::{Edit, may_be_replaced};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How often settings may change under our hands before we give up.
const TRIES: usize = 5;
/// How long the client may take to say its version.
const PATIENCE: Duration = Duration::from_secs(5);
/// What was written aside so long ago will never be put in place.
const ASIDE_SECONDS: i64 = 3600;
const WEEKLY: &str = "lh-weekly";
/// In this name things are said.
const TOOL: &str = "lh-setup";

/// What the options ask for.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetupOptions<'a> {
    /// Keep memory where this says, and move what is elsewhere.
    pub scope: Option<Scope>,
    /// What the current folder's repository was called before.
    pub renamed_from: Option<&'a str>,
    /// The settings of the current folder's checkout, instead of the user's.
    pub project: bool,
    /// Take out what was put in.
    pub uninstall: bool,
    /// Take out the predecessor's hooks.
    pub migrate: bool,
    /// Let lh-weekly run by itself.
    pub schedule: bool,
    /// Tell the agent when to search what is remembered.
    pub skill: bool,
    /// Give the user a slash command that has the briefing made.
    pub brief: bool,
    /// Only show what would change.
    pub dry_run: bool,
    /// Ask nothing.
    pub yes: bool,
}

impl SetupOptions<'_> {
    /// Whether a person is there who may be asked.
    pub fn may_ask(&self) -> bool {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        is_terminal && !self.yes && !self.dry_run
    }
}

/// Does what is wished. What fails is said, and the rest is done all the same;
/// the status is that of the first failure.
pub fn run(wish: SetupOptions) -> Result<Exit, Failure> {
    // Commands can hold secrets.
    let redactor = Redactor::new(&Privacy::default())?;
    log::mask_with(move |text| redactor.shown(text).into_owned());
    let mut setup = Setup { wish, ..Setup::default() };
    let config = match Config::load() {
        // Our hooks come out whatever the configuration is like.
        Err(failure) if wish.uninstall => {
            setup.attempt(|_| Err(failure));
            Config::default()
        }
        loaded => loaded?,
    };
    if wish.uninstall {
        setup.uninstall(&config)?;
    } else {
        setup.install(&config)?;
    }
    let mut out = Output::filter();
    out.bytes(setup.shown.as_bytes())?;
    out.flush()?;
    Ok(setup.first.unwrap_or(Exit::Done))
}

/// Whether the client that is here knows that event; one that does not say so does not.
pub fn knows_stop_failure() -> bool {
    let Some(path) = env::program(hooks::PROGRAM) else { return false };
    let output = process::run(Command::new(path).arg("--version"), b"", PATIENCE);
    output.ok().flatten().is_some_and(|said| hooks::knows_stop_failure(&String::from_utf8_lossy(&said.stdout)))
}

/// The settings of the current checkout (outside git of the current folder), and those of this user alone in it.
pub fn here_settings() -> Result<[PathBuf; 2], Failure> {
    let here = env::current_folder()?;
    let top = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
    Ok([layout::checkout_settings(top), layout::local_settings(top)])
}

/// The settings that are meant: the checkout's, or those of every agent home.
fn settings_files(wish: SetupOptions, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    if wish.project {
        let [shared, _] = here_settings()?;
        return Ok(vec![shared]);
    }
    Ok(config.agent_homes()?.iter().map(|home| layout::settings(home)).collect())
}

/// Where our scripts are; status 69 names those that are missing.
fn scripts(names: &[&str]) -> Result<Vec<String>, Failure> {
    let mut missing: Vec<&str> = names.iter().copied().filter(|name| env::own_tool(name).is_err()).collect();
    if !missing.is_empty() {
        // One that several events have.
        missing.dedup();
        let what = "not found beside lh-setup or on PATH: install them there, or set LH_BIN";
        return Err(Failure::new(Exit::Missing, format!("{}: {what}", missing.join(", "))));
    }
    let found = |name: &&str| {
        let path = env::own_tool(name)?;
        let path = env::as_on_path(std::path::absolute(&path).unwrap_or(path)).into_os_string();
        let what = "not UTF-8, which no settings can hold: install the scripts elsewhere";
        path.into_string().map_err(|path| Failure::data(format!("{}: {what}", path.display())))
    };
    names.iter().map(found).collect()
}

fn say(what: &str) {
    log::say(TOOL, what);
}

/// The text of a file that may be missing; "" also where it cannot be read.
pub fn text_at(path: &Path) -> String {
    file::read_text(path).ok().flatten().unwrap_or_default()
}

/// One run.
#[derive(Default)]
struct Setup<'a> {
    wish: SetupOptions<'a>,
    /// What a dry run prints.
    shown: String,
    /// The status of the first failure.
    first: Option<Exit>,
    /// Whether any settings were replaced.
    replaced: bool,
}

impl Setup<'_> {
    fn install(&mut self, config: &Config) -> Result<(), Failure> {
        takeover::engine_is_named(config)?;
        if self.unpack()? {
            return Ok(());
        }
        let (events, names): (Vec<&str>, Vec<&str>) = hooks::put_in(config, knows_stop_failure()).unzip();
        let paths: BTreeMap<&str, String> = events.into_iter().zip(scripts(&names)?).collect();
        let was_there = env::config_file()?.exists();
        let migrate = self.wish.migrate;
        let put_in = |path: &Path| {
            let is_plugins = plugin::beside(config, path).is_some();
            Edit::install(path, &|event| paths.get(event).filter(|_| !is_plugins).cloned(), migrate)
        };
        // Nothing is switched on, nor asked, where no hook can be put in.
        let mut files = settings_files(self.wish, config)?;
        files.retain(|path| self.attempt(|_| put_in(path).map(drop)));
        if files.is_empty() {
            return Ok(());
        }
        let answers = self.answers()?;
        for path in files {
            if let Some(plugin) = plugin::beside(config, &path) {
                let what = "has the hooks, so these settings get none; to have them here, run";
                let (path, name, removal) = (path.display(), &plugin.name, plugin.removal());
                say(&format!("{path}: the plugin {name} {what} '{removal}' first"));
            }
            self.attempt(|setup| setup.settings(&path, put_in));
        }
        // A takeover that is half done would have both remember.
        if self.first.is_some() {
            say("nothing else was done: mend that, then run this again");
            return Ok(());
        }
        self.attempt(|setup| setup.tell_predecessor(config));
        let is_new = self.attempt(|setup| setup.config(config, &answers)) && !was_there;
        self.attempt(|setup| setup.configured(config, is_new));
        if !self.wish.project {
            self.attempt(|setup| setup.guides(config));
            self.attempt(|setup| setup.indexes(config));
        }
        if self.replaced && self.first.is_none() {
            say("next: lh-doctor says what works; sessions that run keep the hooks that they began with");
        }
        if self.wish.schedule || answers.weekly {
            self.attempt(|setup| scripts(&[WEEKLY])?.iter().try_for_each(|path| schedule::install(setup, path)));
        }
        Ok(())
    }

    /// What follows from the configuration that is there now.
    fn configured(&mut self, config: &Config, is_new: bool) -> Result<(), Failure> {
        if self.wish.migrate {
            self.attempt(|setup| setup.take_over(config));
        }
        let mut loaded = Config::load()?;
        self.attempt(|setup| setup.mark(&loaded, is_new));
        let is_named = self.wish.scope.is_some() || self.wish.renamed_from.is_some();
        // A takeover that was killed has named the scope, and need not have moved all.
        let may = !loaded.names_scope || loaded.memory.scope == Scope::Store;
        let found = self.wish.migrate && !is_named && may && knowledge::is_in_store(&loaded);
        if is_named || found {
            let scope = self.wish.scope.unwrap_or(if found { Scope::Store } else { loaded.memory.scope });
            self.attempt(|setup| knowledge::keep_in(setup, &mut loaded, scope, is_named));
        }
        self.collection(&loaded)
    }

    fn uninstall(&mut self, config: &Config) -> Result<(), Failure> {
        for path in settings_files(self.wish, config)? {
            self.attempt(|setup| setup.undo(&path));
        }
        if self.wish.project {
            return Ok(());
        }
        self.attempt(|setup| setup.no_guides(config));
        self.attempt(schedule::remove);
        self.attempt(|setup| setup.indexes(config));
        self.tell_data(config)?;
        self.attempt(Setup::remove_unpacked);
        Ok(())
    }

    /// Takes what is ours and no memory out of the client's indexes, which it tells also when we are gone.
    fn indexes(&mut self, config: &Config) -> Result<(), Failure> {
        for home in config.agent_homes()? {
            for folder in layout::memory_folders(&home).iter().filter(|folder| folder.is_dir()) {
                let Ok(folder) = store::inside(folder, &home, config) else { continue };
                if memories::tidy(&folder, true)? {
                    let mut would = "would name";
                    if !self.wish.dry_run {
                        let _lock = store::lock(&folder)?;
                        memories::tidy(&folder, false)?;
                        would = "names";
                    }
                    say(&format!("{}: MEMORY.md {would} none of our own pages", folder.display()));
                }
            }
        }
        Ok(())
    }

    /// Asks on a terminal, where there is something to ask.
    fn answers(&self) -> Result<Answers, Failure> {
        if !self.wish.may_ask() {
            return Ok(Answers::default());
        }
        let (input, output) = (std::io::stdin(), std::io::stderr());
        let on_config = !env::config_file()?.exists();
        // Who asks for a move is not asked for a timer.
        let moves = self.wish.scope.is_some() || self.wish.renamed_from.is_some();
        let on_timer = !self.wish.schedule && !moves && !schedule::is_there()?;
        Answers::ask(on_config, on_timer, &mut input.lock(), &mut output.lock())
    }

    /// Writes a configuration where there is none; of one whose loop is off says what to add.
    fn config(&mut self, config: &Config, answers: &Answers) -> Result<(), Failure> {
        let path = env::config_file()?;
        if !path.exists() {
            if self.first.is_some() {
                // A switch that is on would say that all is well.
                return Ok(());
            }
            return self.put(&path, Some(&answers.config)).map(drop);
        }
        if !config.compound_loop.enabled {
            let what = "the loop is off: put 'enabled = true' under [compound_loop] to switch it on";
            say(&format!("{}: {what}", path.display()));
        }
        Ok(())
    }

    /// Takes out of one settings file what was put in, and puts in again what was taken out.
    fn undo(&mut self, path: &Path) -> Result<(), Failure> {
        let mut known = SettingsReceipt::default();
        let is_known = self.attempt(|_| edit::receipt(path).map(|receipt| known = receipt));
        self.settings(path, |path| Edit::undo(path, &known))?;
        if is_known && !self.wish.dry_run { edit::keep_receipt(path, None) } else { Ok(()) }
    }

    /// Changes one settings file, or shows the change.
    fn settings(&mut self, path: &Path, edit: impl Fn(&Path) -> Result<Edit, Failure>) -> Result<(), Failure> {
        for _ in 0..TRIES {
            let edit = edit(path)?;
            if edit.changes.is_empty() {
                say(&format!("{}: nothing to change", path.display()));
                return Ok(());
            }
            if self.wish.dry_run {
                let text = edit.old.as_deref().map(String::from_utf8_lossy);
                self.show(&path.to_string_lossy(), text.as_deref(), edit.new.as_deref());
                return Ok(());
            }
            if edit.make()? {
                self.replaced = true;
                return Ok(());
            }
        }
        let what = "changes all the time: close the client, then run this again";
        Err(Failure::new(Exit::Io, format!("{}: {what}", path.display())))
    }

    /// What stays where, of all that the tools have written.
    fn tell_data(&self, config: &Config) -> Result<(), Failure> {
        for home in config.agent_homes()? {
            let folders = ["queue", "logs", "memory"].into_iter().filter(|name| home.join(name).exists());
            let mut here: Vec<String> = folders.map(|name| format!("{name}/")).collect();
            if layout::memory_folders(&home).iter().any(|folder| folder.exists()) {
                here.push(layout::MEMORY_PATTERN.to_owned());
            }
            if !here.is_empty() {
                say(&format!("stays: {} in {}", here.join(", "), home.display()));
            }
        }
        for path in settings_files(self.wish, config)? {
            for (_, backup) in edit::backups(&path) {
                say(&format!("stays: {}", backup.display()));
            }
            if let Some(plugin) = plugin::beside(config, &path) {
                let (name, removal) = (&plugin.name, plugin.removal());
                say(&format!("stays: the plugin {name} with its hooks: take it out with '{removal}'"));
            }
        }
        for path in [config.knowledge_folder()?, env::config_file()?].iter().filter(|path| path.exists()) {
            say(&format!("stays: {}", path.display()));
        }
        Ok(())
    }

    /// Makes a file of ours what it should be, none being that it is not there, or shows that; says
    /// whether that is a change.
    fn put(&mut self, path: &Path, new: Option<&str>) -> Result<bool, Failure> {
        let old = file::read_text(path)?;
        if old.as_deref() == new {
            return Ok(false);
        }
        if self.wish.dry_run {
            self.show(&path.to_string_lossy(), old.as_deref(), new);
            return Ok(true);
        }
        if let Some(text) = new {
            path.parent().map_or(Ok(()), file::create_folder)?;
            file::replace(&Target::named(path)?, &Masked::exact(text), Durable::Yes)?;
        } else {
            file::remove_path(path)?;
        }
        say(&format!("{}: {}", path.display(), if new.is_some() { "written" } else { "removed" }));
        Ok(true)
    }

    /// Shows what would change, as `diff -u` does; a file that is not there is `/dev/null`.
    fn show(&mut self, name: &str, old: Option<&str>, new: Option<&str>) {
        let label = |text: Option<&str>| text.map_or("/dev/null", |_| name);
        self.shown += &diff::unified(old.unwrap_or(""), new.unwrap_or(""), label(old), label(new));
    }

    /// Takes a step, says its failure, and goes on; whether there was none.
    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), Failure>) -> bool {
        let Err(failure) = step(self) else { return true };
        say(&failure.message);
        self.first.get_or_insert(failure.exit);
        false
    }
}
