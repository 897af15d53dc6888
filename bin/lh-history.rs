//! Tells the history of what is remembered.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::redact;
use lh::tool::history;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[];
const TOOL: Tool = Tool {
    name: "lh-history",
    operands: Operands::Any("ID or words ..."),
    about: "tell what a decision or memory replaced",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let words: Vec<String> = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut out = Output::receipts();
    out.masked(&history::history(&words, &config)?)?;
    out.flush()?;
    Ok(Exit::Done)
}
