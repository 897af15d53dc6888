//! Makes the index of a folder of typed memories anew, or checks it.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::redact;
use lh::tool::index;
use std::path::Path;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; print MEMORY.md as it would be").apart(&["check"]),
    Opt::flag(' ', "check", "say what is wrong with it; 1 if anything is"),
];
const TOOL: Tool = Tool {
    name: "lh-index",
    operands: Operands::Any("[FOLDER]"),
    about: "rebuild or check MEMORY.md, the index of the typed memories",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    if let Some(operand) = given.operands.get(1) {
        return Err(Given::unexpected(operand));
    }
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let folder = index::folder(given.operands.first().map(Path::new), &config)?;
    let mut out = Output::receipts();
    let check = given.has("check");
    let said =
        if check { index::check(&folder, &config)? } else { index::rebuild(&folder, given.has("dry-run"), &config)? };
    out.masked(&said)?;
    out.flush()?;
    Ok(if check && !said.is_empty() { Exit::No } else { Exit::Done })
}
