//! Exports, and distils, the sessions from before lh.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Engine;
use lh::base::exit::{Exit, Failure};
use lh::tool::backfill::{self, Wish};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "distill", "distil them, too"),
    Opt::value('e', "engine", "NAME", "with --distill: auto, claude, command or extract; else as configured")
        .needs("distill"),
    Opt::flag('n', "dry-run", "say what would be done, change nothing"),
    Opt::flag('y', "yes", "ask nothing: agree to the model calls"),
];
const TOOL: Tool = Tool {
    name: "lh-backfill",
    operands: Operands::None(""),
    about: "export old sessions, and distil them if asked",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let engine = given.text("engine");
    let wish = Wish {
        distill: given.has("distill"),
        engine: engine.map(|name| Engine::chosen("engine", &name)).transpose()?,
        dry_run: given.has("dry-run"),
        yes: given.has("yes"),
    };
    backfill::run(TOOL.name, wish)
}
