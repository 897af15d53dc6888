//! Takes back what a tool changed.

use super::usual::{Exit, Failure, Given, Operands, Opt, Output, Tool, at_most, configured, line, told};
use crate::tool::undo::{self, UndoOptions};

const OPTIONS: &[Opt] = &[
    Opt::flag('l', "list", "list the changes that can be taken back, the newest first").apart(&["dry-run"]),
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    Opt::flag('y', "yes", "ask nothing"),
];
/// What it is called with: a command of `lh`, and no tool that has a name of its own.
pub static TOOL: Tool = Tool {
    name: "lh undo",
    operands: Operands::Any("[ID]"),
    about: "take back the last change here, or your own in another project, or that of the id",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let id = given.operands.first().map(|id| id.to_string_lossy().into_owned());
    at_most(given, usize::from(!given.has("list")))?;
    let config = configured()?;
    if given.has("list") {
        let none = "nothing was changed that can be taken back";
        return told(&TOOL, &[undo::list(&config)?], none, Output::filter().lines(line::of, true));
    }
    let done =
        undo::undo(UndoOptions { id: id.as_deref(), dry_run: given.has("dry-run"), yes: given.has("yes") }, &config)?;
    told(&TOOL, &[done.said], "", Output::receipts().lines(line::of, true))?;
    done.failure.map_or(Ok(if done.any { Exit::Done } else { Exit::No }), Err)
}
