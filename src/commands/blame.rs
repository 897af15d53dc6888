//! Tells which session wrote a line.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, configured, receipts};
use crate::tool::blame;

const OPTIONS: &[Opt] = &[cli::JSON, cli::TEXT];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-blame",
    operands: Operands::Any("FILE[:LINE]"),
    about: "tell which session wrote a line or changed a file, and why",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = configured()?;
    let [operand] = given.operands.as_slice() else {
        return Err(Failure::usage("give one FILE or FILE:LINE"));
    };
    let mut out = receipts(given);
    out.masked(&blame::blame(&operand.to_string_lossy(), &config)?)?;
    out.flush().map(|()| Exit::Done)
}
