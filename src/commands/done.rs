//! Closes an open item of the project by hand.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, configured, receipts, told};
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
    let config = configured()?;
    let wanted = ByHand::read(given, given.has("undo"), given.has("dry-run"), &["open"], "an open item")?;
    told(&TOOL, &[done::done(&wanted, &config)?], "nothing is open here", receipts(given))
}
