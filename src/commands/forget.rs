//! Marks what is remembered as wrong by hand.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, configured, receipts, told};
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
    let config = configured()?;
    let wanted = ByHand::read(
        given,
        given.has("undo"),
        given.has("dry-run"),
        &["decision", "failure", "learning", "memory"],
        "a decision, a failure, a learning or a memory",
    )?;
    told(&TOOL, &[forget::forget(&wanted, &config)?], "nothing is remembered here", receipts(given))
}
