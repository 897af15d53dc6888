//! Prints a structured summary of a session in mid-session.

use lh::cli::{self, Arg, Args, Opt, Tool};
use lh::config::Config;
use lh::exit::{Exit, Failure};
use lh::stream::{self, Output};
use lh::summary;
use std::process::ExitCode;

const OPTIONS: &[Opt] =
    &[Opt { short: 'n', long: "dry-run", value: "", help: "print the summary and keep it nowhere" }];
const TOOL: Tool = Tool {
    name: "lh-summarize",
    operands: "[< payload or session record]",
    about: "summarize a session before its client compacts it",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let mut dry = false;
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
            _ => dry = true,
        }
    }
    let config = Config::load()?;
    let Some(session) = summary::session_of(&stream::payload()?, &config)? else { return Ok(Exit::No) };
    let summary = summary::summarize(&session, &config)?;
    if summary.body.is_empty() {
        return Ok(Exit::No);
    }
    // Kept before it is printed, for a reader can be gone; printed also when it could not be kept.
    let kept = if dry { Ok(()) } else { summary::keep(&summary, &session) };
    let mut out = Output::receipts();
    out.bytes(summary::shown(&summary).as_bytes())?;
    out.flush()?;
    kept.map(|()| Exit::Done)
}
