//! Says what works, what does not, and what to do.

use super::usual::{Exit, Failure, Given, Operands, Opt, Output, Tool, cli, log};
use crate::base::env;
use crate::tool::doctor::{self, Verdict};
use std::io::IsTerminal;

const OPTIONS: &[Opt] = &[
    Opt::flag('b', "brief", "how things are, in short: check nothing")
        .apart(&["cost", "log", "follow", "json", "live"]),
    // What only prints figures must never make the call that costs.
    Opt::flag(' ', "cost", "what the model calls cost, by day, project and model")
        .once('c')
        .apart(&["log", "follow", "json", "live"]),
    Opt::value(' ', "log", "N", "the last N lines of the logs in the order of time").apart(&["follow", "json", "live"]),
    Opt::value(' ', "follow", "N", "the same, then what comes").apart(&["json", "live"]),
    cli::JSON.once('j'),
    cli::TEXT,
    Opt::flag(' ', "live", "also call the model once").once('l'),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-doctor",
    operands: Operands::None(""),
    about: "say what works, what does not, and what to do",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let mut out = Output::filter().wrapped();
    let lines = |long| given.text(long).map(|count| lines(&count)).transpose();
    let (log, follow) = (lines("log")?, lines("follow")?);
    if given.has("brief") {
        out.bytes(doctor::brief()?.as_bytes())?;
    } else if given.has("cost") {
        out.bytes(doctor::costs()?.as_bytes())?;
    } else if let Some(count) = log.or(follow) {
        if !doctor::log(count, &mut out)? {
            log::say_on_terminal(TOOL.name, "the logs are empty: hooks and workers write into them");
        }
        if follow.is_some() {
            doctor::follow(&mut out)?;
        }
    } else {
        return examine(given, &mut out);
    }
    out.flush().map(|()| Exit::Done)
}

fn examine(given: &Given, out: &mut Output) -> Result<Exit, Failure> {
    let tools: Vec<&str> = super::ALL.iter().map(|tool| tool.name).collect();
    let found = doctor::examine(&tools, given.has("live"))?;
    if given.for_people() {
        out.screen(&doctor::screen(&found, std::io::stdout().is_terminal() && env::has_colours()))?;
    } else {
        found.iter().try_for_each(|(name, finding)| out.record(&doctor::record(name, finding)))?;
    }
    out.flush()?;
    Ok(if found.iter().any(|(_, finding)| finding.verdict == Verdict::Bad) { Exit::No } else { Exit::Done })
}

fn lines(count: &str) -> Result<usize, Failure> {
    let number = if count.starts_with('+') { None } else { count.parse().ok() };
    number.ok_or_else(|| Failure::usage(format!("invalid number of lines '{count}': expected a whole number")))
}
