//! Puts the hooks into the client's settings, and takes them out again.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, at_most, words};
use crate::base::config::{Privacy, Scope};
use crate::tool::setup::{self, SetupOptions};

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "brief", "install the slash command /lh-brief").apart(&["project"]),
    Opt::flag(' ', "config", "print each key with its value and what says so, or set a key").apart(&[
        "brief", "migrate", "move-memory", "project", "renamed-from", "schedule", "scope", "skill", "uninstall", "yes",
    ]),
    Opt::flag(' ', "migrate", "take lazy-harness's hooks out").once('m'),
    Opt::flag(
        ' ',
        "move-memory",
        "move the project's memory to where the scope that is named, or configured, keeps it",
    )
    .apart(&["brief", "migrate", "project", "renamed-from", "schedule", "scope", "skill", "uninstall", "yes"]),
    Opt::flag('n', "dry-run", "show what would change, change nothing"),
    Opt::flag(' ', "project", "in the settings of this folder's checkout, not the user's")
        .once('p')
        .apart(&["migrate"]),
    Opt::value(
        ' ',
        "renamed-from",
        "NAME",
        "this folder's repository was NAME (host/owner/name): take its memory over",
    ),
    Opt::flag(' ', "schedule", "run lh-weekly once a week, by systemd or cron").once('s'),
    Opt::value(' ', "scope", "WORD", "keep memory there, project, store or shared, and move what is elsewhere"),
    Opt::flag(' ', "skill", "tell the agent, by a skill, when to run lh-recall").apart(&["project"]),
    Opt::flag('u', "uninstall", "take hooks, timer, skill and command out; say what data stays")
        .apart(&["brief", "migrate", "renamed-from", "schedule", "scope", "skill"]),
    Opt::flag('y', "yes", "ask nothing"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-setup",
    operands: Operands::Any("[KEY [VALUE] | [scope] [transcript | id ...]]"),
    about: "put the hooks into the client's settings, or take them out",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    if given.has("move-memory") {
        return setup::move_memory(&given.operands, given.has("dry-run"));
    }
    if given.has("config") {
        let (said, exit) = setup::configure(&words(given), given.has("dry-run"))?;
        let mut out = Output::receipts().wrapped();
        // Where the file cannot be read, it is mended by this.
        let privacy = Config::load().map_or_else(|_| Privacy::default(), |config| config.privacy);
        out.masked(&Redactor::new(&privacy)?.masked_parts(&said))?;
        return out.flush().map(|()| exit);
    }
    at_most(given, 0)?;
    let (scope, renamed_from) = (given.text("scope"), given.text("renamed-from"));
    let wish = SetupOptions {
        scope: scope.map(|word| Scope::chosen("scope", &word)).transpose()?,
        renamed_from: renamed_from.as_deref(),
        project: given.has("project"),
        uninstall: given.has("uninstall"),
        migrate: given.has("migrate"),
        schedule: given.has("schedule"),
        skill: given.has("skill"),
        brief: given.has("brief"),
        dry_run: given.has("dry-run"),
        yes: given.has("yes"),
    };
    let exit = setup::run(wish)?;
    let is_first = !wish.uninstall && !wish.project && !wish.migrate;
    if is_first && exit == Exit::Done && wish.may_ask() {
        return super::backfill::offer(TOOL.name);
    }
    Ok(exit)
}
