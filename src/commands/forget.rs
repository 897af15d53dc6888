//! Marks what is remembered as wrong by hand.

use crate::base::cli::{self, Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::log;
use crate::base::stream::Output;
use crate::record::line;
use crate::redact;
use crate::tool::forget::{self, ByHand};

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    cli::JSON,
    cli::TEXT,
    Opt::flag(' ', "undo", "tell it again; alone, what was forgotten last"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-forget",
    operands: Operands::Any("[ID ... | -]"),
    about: "mark a decision or memory as wrong",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let wanted = ByHand::read(
        given,
        &["decision", "failure", "learning", "memory"],
        "a decision, a failure, a learning or a memory",
    )?;
    let said = forget::forget(&wanted, &config)?;
    let mut out = Output::receipts().lines(line::of, given.for_people());
    out.masked(&said)?;
    out.flush()?;
    if said.is_empty() {
        log::say_on_terminal(TOOL.name, "nothing is remembered here");
    }
    Ok(if said.is_empty() { Exit::No } else { Exit::Done })
}
