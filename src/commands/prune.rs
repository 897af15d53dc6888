//! Keeps what is kept within its bounds, and gives back what it took.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Tool, cli, log, masking, receipts, words};
use crate::base::record::Record;
use crate::tool::prune::{self, PruneOptions};

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "every project of every agent home"),
    Opt::flag(' ', "enabled", "do nothing unless the loop is enabled"),
    Opt::flag(' ', "failed", "tasks that were given up, too").apart(&["restore"]),
    Opt::flag(' ', "few", "a bounded little, for the start of a session").apart(&["restore"]),
    cli::JSON,
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    Opt::flag(' ', "remove", "take all of a session, or a learning, out of what is remembered")
        .apart(&["all", "enabled", "failed", "few", "restore"]),
    Opt::flag(' ', "restore", "give back a run or a file; alone, list what can be given back").apart(&["enabled"]),
    cli::TEXT,
    Opt::flag(' ', "undo", "bring it back; alone, what was taken out last").needs("remove"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-prune",
    operands: Operands::Any("[ID|NAME ... | -]"),
    about: "archive what is old or too much, and give it back",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    if let (false, Some(operand)) = (given.has("restore") || given.has("remove"), given.operands.first()) {
        return Err(Given::unexpected(operand));
    }
    let config = Config::load()?;
    if given.has("enabled") && !config.compound_loop.enabled {
        return Ok(Exit::Done);
    }
    masking::mask_log(&config.privacy)?;
    let wanted = PruneOptions {
        all: given.has("all"),
        few: given.has("few"),
        failed: given.has("failed"),
        dry_run: given.has("dry-run"),
    };
    let mut out = receipts(given);
    let mut any = false;
    let mut told = |record: &Record| {
        any = true;
        out.record(record)
    };
    let exit = if given.has("remove") {
        let words = prune::wanted(given, &["session", "lost", "episode", "learning"], "a session or a learning")?;
        let act = if given.has("undo") { prune::undo } else { prune::remove };
        act(TOOL.name, &words, wanted.dry_run, &config, &mut told)?
    } else if given.has("restore") {
        let words = words(given);
        prune::restore(TOOL.name, &words, wanted, &config, &mut told)?
    } else {
        let failed = prune::prune(TOOL.name, wanted, &config, &mut told)?;
        failed.map_or(Exit::Done, |failure| failure.exit)
    };
    out.flush()?;
    if given.has("restore") && exit == Exit::No {
        log::say_on_terminal(TOOL.name, "nothing was found that can be given back");
    }
    if !any && exit == Exit::Done {
        let would = if wanted.dry_run { "would be" } else { "was" };
        log::say_on_terminal(TOOL.name, &format!("everything is within its bounds: nothing {would} archived"));
    }
    Ok(exit)
}
