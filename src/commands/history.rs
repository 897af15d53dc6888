//! Tells the history of what is remembered.

use crate::base::cli::{self, Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::stream::Output;
use crate::record::line;
use crate::redact;
use crate::tool::history;

const OPTIONS: &[Opt] = &[cli::JSON, cli::TEXT];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-history",
    operands: Operands::Any("ID or words ... | -"),
    about: "tell what a decision or memory replaced",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let words = history::wanted(given, &["decision", "failure", "memory"], "a decision, a failure or a memory")?;
    let mut out = Output::receipts().lines(line::of, given.for_people());
    out.masked(&history::history(&words, &config)?)?;
    out.flush()?;
    Ok(Exit::Done)
}
