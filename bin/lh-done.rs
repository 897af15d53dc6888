//! Closes an open item of the project by hand.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::redact;
use lh::tool::done::{self, Wanted};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    Opt::flag(' ', "undo", "open it again; alone, the item that was closed last"),
];
const TOOL: Tool = Tool {
    name: "lh-done",
    operands: Operands::Any("[ID or words ...]"),
    about: "close an open item by hand",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let words = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let wanted = Wanted { words, undo: given.has("undo"), dry_run: given.has("dry-run") };
    let said = done::done(&wanted, &config)?;
    let mut out = Output::receipts();
    out.masked(&said)?;
    out.flush()?;
    Ok(if said.is_empty() { Exit::No } else { Exit::Done })
}
