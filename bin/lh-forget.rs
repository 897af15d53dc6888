//! Marks what is remembered as wrong by hand.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::redact;
use lh::tool::forget::{self, Wanted};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    Opt::flag(' ', "undo", "tell it again; alone, what was forgotten last"),
];
const TOOL: Tool = Tool {
    name: "lh-forget",
    operands: Operands::Any("[ID ...]"),
    about: "mark a decision or memory as wrong",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let ids = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let wanted = Wanted { ids, undo: given.has("undo"), dry_run: given.has("dry-run") };
    let said = forget::forget(&wanted, &config)?;
    let mut out = Output::receipts();
    out.masked(&said)?;
    out.flush()?;
    Ok(if said.is_empty() { Exit::No } else { Exit::Done })
}
