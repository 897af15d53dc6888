//! Says what works, what does not, and what to do.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::env;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::tool::doctor::{self, State};
use std::io::IsTerminal;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'c', long: "cost", value: "", help: "what the model calls cost, by day, project and model" },
    Opt { short: 'j', long: "json", value: "", help: "a record a check" },
    Opt { short: 'l', long: "live", value: "", help: "also call the model once" },
];
const TOOL: Tool =
    Tool { name: "lh-doctor", operands: "", about: "say what works, what does not, and what to do", options: OPTIONS };

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut cost, mut json, mut live) = (false, false, false);
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("cost") => cost = true,
            Arg::Flag("json") => json = true,
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
            _ => live = true,
        }
    }
    cli::exclusive(&[("cost", cost), ("json", json)])?;
    cli::exclusive(&[("cost", cost), ("live", live)])?;
    let mut out = Output::filter();
    if cost {
        out.bytes(doctor::costs()?.as_bytes())?;
        return out.flush().map(|()| Exit::Done);
    }
    let found = doctor::examine(live)?;
    if json {
        found.iter().try_for_each(|(name, finding)| out.record(&doctor::record(name, finding)))?;
    } else {
        out.screen(&doctor::screen(&found, std::io::stdout().is_terminal() && env::has_colours()))?;
    }
    out.flush()?;
    Ok(if found.iter().any(|(_, finding)| finding.state == State::Bad) { Exit::No } else { Exit::Done })
}
