//! What was installed and configured: the tools, the hooks in settings.json, the configuration, the model.

use super::{Checked, Subject, bad, failed, good, note};
use crate::agent::{hooks, layout};
use crate::base::config::{Config, Engine};
use crate::base::exit::{Exit, Failure};
use crate::base::{clock, env, file, process};
use crate::model;
use crate::redact::Redactor;
use crate::tool::health;
use crate::tool::setup::settings::{Hook, has_ours, hooked, is_disabled};
use crate::tool::setup::{self, Old, Owner, Plugin};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The scripts that glue the tools.
const SCRIPTS: &[&str] = &[
    "lh-background", "lh-handoff-now", "lh-pick", "lh-remember", "lh-hook-pre-compact", "lh-hook-prompt",
    "lh-hook-session-end", "lh-hook-session-start", "lh-hook-stop", "lh-hook-tool", "lh-sweep", "lh-task", "lh-weekly",
    "lh-worker",
];
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How it is said that an event has no hook of ours.
const NO_HOOK: &str = "has no hook";
/// How long a program that is only asked how it is may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a program prints; none when it fails or takes too long.
fn output(command: &mut Command) -> Option<String> {
    let output = process::run(command, b"", PATIENCE).ok()??;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// All tools and scripts are there, of our version.
pub fn tools(subject: &Subject) -> Checked {
    let (mut missing, mut other): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for name in subject.tools {
        match env::own_tool(name) {
            Err(failure) if failure.exit == Exit::Config => return Err(failed("mend that variable")(failure)),
            Err(_) => missing.push(name),
            Ok(path) => {
                let said = output(Command::new(&path).arg("--version"));
                let said = said.as_deref().map_or("", str::trim);
                if said != format!("{name} (lh) {VERSION}") {
                    other.push(format!("{} is '{said}'", path.display()));
                }
            }
        }
    }
    missing.extend(SCRIPTS.iter().filter(|name| env::own_tool(name).is_err()));
    // The scripts read it, so it is not a program.
    let preamble = env::own_tool("lh-worker").map(|worker| worker.with_file_name("lh-preamble"));
    missing.extend(preamble.is_ok_and(|path| !path.is_file()).then_some("lh-preamble"));
    if !missing.is_empty() {
        return bad(format!("missing: {}", missing.join(", ")), "install them again, all into one folder");
    }
    if !other.is_empty() {
        let todo = "remove the older installation, or install again";
        return bad(format!("not of version {VERSION}: {}", other.join("; ")), todo);
    }
    let (tools, scripts) = (subject.tools.len(), SCRIPTS.len());
    let gate = env::own_tool("lh-gate").map_err(failed("mend that variable"))?;
    let folder = gate.parent().unwrap_or(Path::new("")).display();
    good(format!("{tools} tools, {scripts} scripts, version {VERSION}, in {folder}"))
}

/// What the hooks find on PATH besides.
pub fn path(_: &Subject) -> Checked {
    let is_there = |name: &&str| env::program(name).is_some();
    let missing: Vec<&str> = health::PROGRAMS.iter().copied().filter(|name| !is_there(name)).collect();
    if !missing.is_empty() {
        return bad(format!("not on PATH: {}", missing.join(", ")), "mend PATH where the client is started");
    }
    let (there, not): (Vec<&str>, Vec<&str>) = ["git", "claude", "jq", "qmd"].into_iter().partition(is_there);
    let there = if there.is_empty() { "the system's own".to_owned() } else { there.join(", ") };
    let not = if not.is_empty() { String::new() } else { format!("; not there: {}", not.join(", ")) };
    good(format!("there: {there}{not}"))
}

/// It parses, each value may be, the patterns compile, and no key of ours is misspelt.
pub fn config(subject: &Subject) -> Checked {
    if let Some(what) = env::ignored() {
        return bad(what, "set it to an absolute path, or unset it");
    }
    let todo = "mend that; lh-config(5) has the keys";
    Redactor::new(&subject.settings.privacy).map_err(failed(todo))?;
    let config = subject.config.as_ref().map_err(|failure| failed(todo)(failure.clone()))?;
    let (path, unknown) = (env::config_file().map_err(failed(todo))?, config.unknown_keys());
    if !path.exists() {
        return note(format!("{}: not there, all defaults", path.display()));
    }
    if !unknown.is_empty() {
        let todo = "correct the spelling; lh-config(5) has the keys";
        return bad(format!("{}: unknown: {}", path.display(), unknown.join(", ")), todo);
    }
    good(path.display().to_string())
}

/// The loop is on.
pub fn switch(subject: &Subject) -> Checked {
    if subject.config.is_err() {
        return note("not known: the configuration cannot be read");
    }
    if env::inside_model() {
        return bad("LH_DEPTH is set: hooks do nothing", "unset it where the client is started");
    }
    if subject.settings.compound_loop.enabled {
        return good("on");
    }
    let path = env::config_file().map_err(failed("mend that variable"))?;
    let todo = format!("run lh-setup, or set enabled = true in [compound_loop] in {}", path.display());
    bad("off: nothing is queued and nothing distilled", todo)
}

/// The settings file of each agent home with its text; or why it cannot be read.
fn settings_files(config: &Config) -> Vec<(PathBuf, Result<String, Failure>)> {
    let paths = config.agent_homes().into_iter().flatten().map(|home| layout::settings(&home));
    paths.map(|path| (path.clone(), file::read_text(&path).map(Option::unwrap_or_default))).collect()
}

/// The hooks in the settings of all agent homes, as far as they can be read.
fn hooks(subject: &Subject) -> impl Iterator<Item = Hook> {
    let texts = settings_files(subject.settings).into_iter().flat_map(|(_, text)| text);
    texts.flat_map(|text| hooked(&text)).flatten()
}

/// The programs of ours that one event is hooked with.
fn programs(found: &[Hook], event: &str) -> Vec<String> {
    found.iter().filter(|hook| hook.event == event).filter_map(|hook| hook.program().map(at_home)).collect()
}

/// A path with the home that the shell would put in.
fn at_home(path: &str) -> String {
    let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| path.strip_prefix(home));
    let found = below.and_then(|below| Some(env::home().ok()?.join(below).to_string_lossy().into_owned()));
    found.unwrap_or_else(|| path.to_owned())
}

/// The script that an event is hooked with, in the first settings that hook it.
pub fn registered(subject: &Subject, event: &str) -> Option<PathBuf> {
    let found: Vec<Hook> = hooks(subject).collect();
    programs(&found, event).iter().find_map(|program| env::program(program))
}

/// Whether a script came with us.
fn is_ours(path: &Path, script: &str) -> bool {
    let bytes = |path: &Path| file::read(path).ok().flatten();
    env::own_tool(script).is_ok_and(|ours| bytes(&ours) == bytes(path))
}

/// A look at where our hooks are.
struct Registration<'a> {
    config: &'a Config,
    /// Each script is compared with ours of that name; a start does without.
    is_thorough: bool,
    /// The client knows [`hooks::STOP_FAILURE`]; a start does not wait for it to say its version.
    knows: bool,
    /// The settings of the current checkout, which are read beside those of an agent home.
    here: Vec<(PathBuf, String)>,
}

impl<'a> Registration<'a> {
    fn new(config: &'a Config, is_thorough: bool) -> Self {
        let here = setup::here_settings().into_iter().flatten().map(|path| (path.clone(), setup::text_at(&path)));
        Self { config, is_thorough, knows: is_thorough && setup::knows_stop_failure(), here: here.collect() }
    }

    /// Where our hooks are, each once, or all that is wrong with them: in the settings of each agent home, or in those of
    /// the current checkout.
    fn look(&self) -> Result<String, Vec<String>> {
        let names: BTreeSet<&str> = hooks::needed(self.config, false).map(|(_, script)| script).collect();
        let count = ["four", "five", "six"][names.len().clamp(4, 6) - 4];
        let at_tool = if self.config.memory.at_tool { "on" } else { "off" };
        let there = format!("the {count} hooks are there; lh-hook-tool is {at_tool}");
        let mut all = Vec::new();
        for (path, text) in settings_files(self.config) {
            match text {
                Err(failure) => all.push(failure.message),
                Ok(text) => {
                    let wrong = self.wrong_at_home(&path, &text).into_iter();
                    all.extend(wrong.map(|what| format!("{}: {what}", path.display())));
                }
            }
        }
        if all.is_empty() {
            return Ok(there);
        }
        if let Some((checkout, text)) = self.here.first()
            && all.iter().all(|what| what.contains(NO_HOOK))
            && self.wrong(text, None).is_empty()
        {
            return Ok(format!("{there}, in {} alone", checkout.display()));
        }
        Err(all)
    }

    /// What is wrong with our hooks in the settings of an agent home; in their place our plugin can have them.
    fn wrong_at_home(&self, path: &Path, text: &str) -> Vec<String> {
        let here = self.here.iter().map(|(path, text)| (path.as_path(), text.as_str()));
        let all: Vec<(&Path, &str)> = std::iter::once((path, text)).chain(here).collect();
        let texts: Vec<&str> = all.iter().map(|(_, text)| *text).collect();
        let plugin = path.parent().and_then(|home| setup::plugin(home, &texts));
        // A plugin that finds no script does nothing beside the hooks of the settings.
        let Some(plugin) = plugin.filter(|plugin| !has_ours(text) || plugin.finds_scripts(self.config)) else {
            return self.wrong(text, None);
        };
        let (name, removal) = (&plugin.name, plugin.removal());
        if let Some((other, _)) = all.iter().find(|(_, text)| has_ours(text)) {
            let way = if *other == path { "lh-setup" } else { "lh-setup --project --uninstall" };
            let what = format!("hooks are in {} and in the plugin {name}, so all is kept twice", other.display());
            return vec![format!("{what}: take those out with '{way}', or these with '{removal}'")];
        }
        let of_plugin = self.wrong(&plugin.hooks(), Some(&plugin)).into_iter();
        let disabled = is_disabled(text).then(|| format!("{} is true", hooks::SWITCH));
        of_plugin.map(|what| format!("the plugin {name}: {what}")).chain(disabled).collect()
    }

    /// What is wrong with our hooks in one settings text, or in that of our plugin.
    fn wrong(&self, text: &str, plugin: Option<&Plugin>) -> Vec<String> {
        let program = |name: &str| plugin.map_or_else(|| env::program(name), |plugin| plugin.program(name));
        let found = match hooked(text) {
            Err(fault) => return vec![fault],
            Ok(found) => found,
        };
        let mut wrong = Vec::new();
        if is_disabled(text) {
            wrong.push(format!("{} is true", hooks::SWITCH));
        }
        for (event, script) in hooks::ALL {
            let is_needed = hooks::needed(self.config, self.knows).any(|(of, _)| of == event);
            match programs(&found, event).as_slice() {
                [] if is_needed => wrong.push(format!("{event} {NO_HOOK} {script}")),
                [] => {}
                [one] if !one.ends_with(script) => wrong.push(format!("{event}: {one} in place of {script}")),
                [one] => match program(one) {
                    None => wrong.push(format!("{event}: {one} is not a program")),
                    Some(path) if self.is_thorough && !is_ours(&path, script) => {
                        wrong.push(format!("{event}: {one} is another {script}"));
                    }
                    _ => {}
                },
                more => wrong.push(format!("{event} has {} of {script}", more.len())),
            }
        }
        wrong
    }
}

/// Our hooks are there, and lead to our scripts.
pub fn settings(subject: &Subject) -> Checked {
    let registration = Registration::new(subject.settings, true);
    let off = registration.here.iter().find(|(_, text)| is_disabled(text));
    let off = off.map(|(path, _)| format!("{}: {} is true", path.display(), hooks::SWITCH));
    let todo = "run lh-setup; where hooks are disabled, allow them";
    match (registration.look(), off) {
        (Ok(says), None) => good(says),
        (Ok(_), Some(off)) => bad(off, todo),
        (Err(all), off) => bad(all.into_iter().chain(off).collect::<Vec<_>>().join("; "), todo),
    }
}

/// What keeps our hooks from being run, as far as settings say it, in a few words; None when nothing does.
pub fn unhooked(config: &Config) -> Option<String> {
    let all = Registration::new(config, false).look().err()?;
    let missing = all.iter().filter(|what| what.contains(NO_HOOK)).count();
    if missing == hooks::needed(config, false).count() * settings_files(config).len() {
        return Some("nothing is queued, the hooks are missing: run lh-setup".to_owned());
    }
    Some(format!("not all is queued, {}: run lh-setup; lh-doctor says more", all.first()?))
}

/// No other tool remembers the same sessions.
pub fn others(subject: &Subject) -> Checked {
    let old = setup::old_hooks(subject.settings).unwrap_or_else(|_| Vec::new());
    if !old.is_empty() {
        let one = |old: &Old| format!("{}: {}: {}", old.path.display(), old.event, old.command);
        let each: Vec<String> = old.iter().map(one).collect::<BTreeSet<_>>().into_iter().collect();
        let mut todo: Vec<&str> = old.iter().map(Old::todo).collect();
        todo.dedup();
        return bad(format!("a second memory writes the same files: {}", each.join("; ")), todo.join("; "));
    }
    let other = hooks(subject).filter(|hook| hook.owner == Owner::Other && !hook.command.is_empty());
    let other: BTreeSet<String> = other.map(|hook| hook.command).collect();
    if let Some(wrapped) = other.iter().find(|command| setup::may_remember(command)) {
        return bad(format!("this may be a second memory: {wrapped}"), "look at it in the client's settings");
    }
    let other: Vec<String> = other.into_iter().collect();
    match other.len() {
        0 => good("no other hooks"),
        count => good(format!("{count} other hooks: {}", other.join(", "))),
    }
}

/// There is a program to distil with; with --live it answers.
pub fn model(subject: &Subject) -> Checked {
    let config = &subject.settings.compound_loop;
    if let Some((says, todo)) = model::unnamed(config) {
        return bad(says, todo);
    }
    let engine = model::resolve(config.engine, config)
        .map_err(failed("install it, or set engine = \"extract\" in [compound_loop]"))?;
    let name = match engine {
        Engine::Claude => format!("claude, {}", config.model),
        Engine::Command => config.command.clone(),
        _ if config.engine == Engine::Auto => "extract, for claude is not on PATH".to_owned(),
        _ => "extract, no model".to_owned(),
    };
    if !subject.live || engine == Engine::Extract {
        return good(name);
    }
    let begun = clock::monotonic();
    let cost = match model::try_out(engine, subject.settings, &subject.home) {
        Ok(cost) => cost.map_or_else(String::new, |cost| format!(", {cost:.4} USD")),
        Err(failure) => {
            let later = if failure.exit == Exit::Later { "try again later, or " } else { "" };
            let todo = format!("{later}try it by hand: claude -p hello");
            return bad(format!("{name}: {}", failure.message), todo);
        }
    };
    let seconds = clock::monotonic().duration_since(begun).as_secs_f64();
    good(format!("{name}: answered in {seconds:.1} s{cost}"))
}

/// Pages and learnings can be written.
pub fn knowledge(subject: &Subject) -> Checked {
    let folder = health::knowledge(subject.settings).map_err(|failure| match failure.exit {
        Exit::Config => failed("mend the variable, [knowledge] path, or the folder's knowledge.toml")(failure),
        _ => failed("mend its rights, or set [knowledge] path")(failure),
    })?;
    let folder = folder.display();
    // The switch is a dead one in lazy-harness, so its user may not know of it.
    if !subject.settings.knowledge.sessions.enabled {
        return note(format!("{folder}; no session is exported: [knowledge.sessions] enabled is false"));
    }
    good(folder.to_string())
}

/// QMD answers, where there is one.
pub fn index(_: &Subject) -> Checked {
    let Some(qmd) = env::program("qmd") else { return note("no qmd on PATH: pages are not indexed") };
    // An index of the current folder would be looked at instead of the user's.
    let Some(text) = output(Command::new(qmd).arg("status").current_dir("/")) else {
        return bad("qmd status fails, or takes too long", "try it by hand: qmd status");
    };
    good(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("qmd answers"))
}
