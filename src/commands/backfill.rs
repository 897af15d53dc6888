//! Exports, and distils, the sessions from before lh.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli};
use crate::base::config::Engine;
use crate::tool::backfill::{self, BackfillOptions};

pub use crate::tool::backfill::offer;

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "distill", "distil them, too"),
    Opt::value('e', "engine", "NAME", "with --distill: auto, claude, command or extract; else as configured")
        .needs("distill"),
    cli::JSON,
    cli::TEXT,
    Opt::flag('n', "dry-run", "say what would be done, change nothing"),
    Opt::flag('y', "yes", "ask nothing: agree to the model calls"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-backfill",
    operands: Operands::None(""),
    about: "export old sessions, and distil them if asked",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let engine = given.text("engine");
    let wish = BackfillOptions {
        distill: given.has("distill"),
        engine: engine.map(|name| Engine::chosen("engine", &name)).transpose()?,
        dry_run: given.has("dry-run"),
        yes: given.has("yes"),
        for_people: given.for_people(),
    };
    backfill::run(TOOL.name, wish)
}
