//! Tells the history of what is remembered.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, configured, receipts};
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
    let config = configured()?;
    let words = history::wanted(given, &["decision", "failure", "memory"], "a decision, a failure or a memory")?;
    let mut out = receipts(given);
    out.masked(&history::history(words, &config)?)?;
    out.flush().map(|()| Exit::Done)
}
