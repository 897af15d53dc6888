//! Makes the index of a folder of typed memories, and the menu of its episodes, anew, or checks them.

use super::usual::{Exit, Failure, Given, Operands, Opt, Output, Tool, at_most, configured};
use crate::tool::index;
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; print the two as they would be").apart(&["check"]),
    Opt::flag(' ', "check", "say what is wrong with them; 1 if anything is"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-index",
    operands: Operands::Any("[FOLDER]"),
    about: "rebuild or check MEMORY.md and INDEX.md, the lists of memories and episodes",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    at_most(given, 1)?;
    let config = configured()?;
    let folders = index::folders(given.operands.first().map(Path::new), &config)?;
    let mut out = Output::receipts();
    let check = given.has("check");
    let said =
        if check { index::check(&folders, &config)? } else { index::rebuild(&folders, given.has("dry-run"), &config)? };
    out.masked(&said)?;
    out.flush()?;
    Ok(if check && !said.is_empty() { Exit::No } else { Exit::Done })
}
