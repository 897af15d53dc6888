//! Tells which session wrote a line.

use crate::base::cli::{self, Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::stream::Output;
use crate::record::line;
use crate::redact;
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
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let [operand] = given.operands.as_slice() else {
        return Err(Failure::usage("give one FILE or FILE:LINE"));
    };
    let mut out = Output::receipts().lines(line::of, given.for_people());
    out.masked(&blame::blame(&operand.to_string_lossy(), &config)?)?;
    out.flush()?;
    Ok(Exit::Done)
}
