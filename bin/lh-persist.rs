//! Writes what was distilled into the memory.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::{self, Output};
use lh::record::refusal;
use lh::redact;
use lh::tool::persist;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[];
const TOOL: Tool = Tool {
    name: "lh-persist",
    operands: "< distilled records",
    about: "write what was distilled into the project's memory",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    if let Some(Arg::Operand(operand) | Arg::Value(_, operand)) = args.take()? {
        return Err(Args::unexpected(&operand));
    }
    args.needs_input()?;
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let mut out = Output::receipts();
    stream::each(TOOL.name, &["distilled", refusal::TYPE], &mut out, |record, _, out| {
        out.masked(&persist::persist(record, &config)?)
    })
}
