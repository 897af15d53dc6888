//! Writes what was distilled into the memory.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::{self, Output};
use lh::record::refusal;
use lh::redact;
use lh::tool::persist;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[];
const TOOL: Tool = Tool {
    name: "lh-persist",
    operands: Operands::None("< distilled records"),
    about: "write what was distilled into the project's memory",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    given.needs_input()?;
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let mut out = Output::receipts();
    stream::each(TOOL.name, &["distilled", refusal::TYPE], &mut out, |record, _, out| {
        out.masked(&persist::persist(record, &config)?)
    })
}
