//! Says what works, what does not, and what to do.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::env;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::tool::doctor::{self, Verdict};
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'b', long: "brief", value: "", help: "how things are, in short: check nothing" },
    Opt { short: 'c', long: "cost", value: "", help: "what the model calls cost, by day, project and model" },
    Opt { short: ' ', long: "log", value: "N", help: "the last N lines of the logs in the order of time" },
    Opt { short: ' ', long: "follow", value: "N", help: "the same, then what comes" },
    Opt { short: 'j', long: "json", value: "", help: "a record a check" },
    Opt { short: 'l', long: "live", value: "", help: "also call the model once" },
];
const TOOL: Tool =
    Tool { name: "lh-doctor", operands: "", about: "say what works, what does not, and what to do", options: OPTIONS };

/// What is printed instead of the checks.
enum Report {
    Brief,
    Cost,
    Log(usize),
    Follow(usize),
}

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut json, mut live, mut reports) = (false, false, Vec::new());
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("brief") => reports.push(("brief", Report::Brief)),
            Arg::Flag("cost") => reports.push(("cost", Report::Cost)),
            Arg::Value("log", count) => reports.push(("log", Report::Log(lines(&count)?))),
            Arg::Value("follow", count) => reports.push(("follow", Report::Follow(lines(&count)?))),
            Arg::Flag("json") => json = true,
            Arg::Flag("live") => live = true,
            Arg::Flag(other) | Arg::Value(other, _) => return Err(Args::unexpected(OsStr::new(other))),
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    let mut out = Output::filter();
    if let Some((name, report)) = Args::one(reports)? {
        cli::exclusive(&[(name, true), ("json", json)])?;
        cli::exclusive(&[(name, true), ("live", live)])?;
        match report {
            Report::Brief => out.bytes(doctor::brief()?.as_bytes())?,
            Report::Cost => out.bytes(doctor::costs()?.as_bytes())?,
            Report::Log(count) => doctor::log(count, &mut out)?,
            Report::Follow(count) => doctor::log(count, &mut out).and_then(|()| doctor::follow(&mut out))?,
        }
        return out.flush().map(|()| Exit::Done);
    }
    let found = doctor::examine(live)?;
    if json {
        found.iter().try_for_each(|(name, finding)| out.record(&doctor::record(name, finding)))?;
    } else {
        out.screen(&doctor::screen(&found, std::io::stdout().is_terminal() && env::has_colours()))?;
    }
    out.flush()?;
    Ok(if found.iter().any(|(_, finding)| finding.verdict == Verdict::Bad) { Exit::No } else { Exit::Done })
}

fn lines(count: &OsStr) -> Result<usize, Failure> {
    let number = count.to_str().filter(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|count| count.parse().ok());
    number.ok_or_else(|| {
        Failure::usage(format!("invalid number of lines '{}': expected a whole number", count.to_string_lossy()))
    })
}
