//! Says what works, what does not, and what to do.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::env;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::tool::doctor::{self, State};
use std::io::IsTerminal;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    // What only prints figures must never make the call that costs.
    Opt::flag(' ', "cost", "what the model calls cost, by day, project and model").once('c').apart(&["json", "live"]),
    Opt::flag('j', "json", "a record a check"),
    Opt::flag(' ', "live", "also call the model once").once('l'),
];
const TOOL: Tool = Tool {
    name: "lh-doctor",
    operands: Operands::None(""),
    about: "say what works, what does not, and what to do",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let mut out = Output::filter();
    if given.has("cost") {
        out.bytes(doctor::costs()?.as_bytes())?;
        return out.flush().map(|()| Exit::Done);
    }
    let found = doctor::examine(given.has("live"))?;
    if given.has("json") {
        found.iter().try_for_each(|(name, finding)| out.record(&doctor::record(name, finding)))?;
    } else {
        out.screen(&doctor::screen(&found, std::io::stdout().is_terminal() && env::has_colours()))?;
    }
    out.flush()?;
    Ok(if found.iter().any(|(_, finding)| finding.state == State::Bad) { Exit::No } else { Exit::Done })
}
