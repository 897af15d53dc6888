//! Takes back what a tool changed.

use crate::base::cli::{Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::log;
use crate::base::stream::Output;
use crate::record::line;
use crate::redact;
use crate::tool::undo::{self, Wanted};

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
    if let Some(operand) = given.operands.get(usize::from(!given.has("list"))) {
        return Err(Given::unexpected(operand));
    }
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let out = if given.has("list") { Output::filter() } else { Output::receipts() };
    let mut out = out.lines(line::of, true);
    let (said, any, failure) = if given.has("list") {
        let said = undo::list(&config)?;
        let any = !said.is_empty();
        (said, any, None)
    } else {
        let wanted = Wanted { id: id.as_deref(), dry_run: given.has("dry-run"), yes: given.has("yes") };
        let done = undo::undo(wanted, &config)?;
        (done.said, done.any, done.failure)
    };
    out.masked(&said)?;
    out.flush()?;
    if given.has("list") && !any {
        log::say_on_terminal(TOOL.name, "nothing was changed that can be taken back");
    }
    failure.map_or(Ok(if any { Exit::Done } else { Exit::No }), Err)
}
