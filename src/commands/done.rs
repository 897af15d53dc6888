//! Closes an open item of the project by hand.

use crate::base::cli::{self, Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::log;
use crate::base::stream::Output;
use crate::record::line;
use crate::redact;
use crate::tool::done::{self, ByHand};

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    cli::JSON,
    cli::TEXT,
    Opt::flag(' ', "undo", "open it again; alone, the item that was closed last"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-done",
    operands: Operands::Any("[ID or words ... | -]"),
    about: "close an open item by hand",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let wanted = ByHand::read(given, &["open"], "an open item")?;
    let said = done::done(&wanted, &config)?;
    let mut out = Output::receipts().lines(line::of, given.for_people());
    out.masked(&said)?;
    out.flush()?;
    if said.is_empty() {
        log::say_on_terminal(TOOL.name, "nothing is open here");
    }
    Ok(if said.is_empty() { Exit::No } else { Exit::Done })
}
