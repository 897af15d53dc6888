//! Prints what was said in a transcript.

use lh::agent::transcript::Keep;
use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::Output;
use lh::tool::messages;
use std::path::Path;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "also what is not conversation: tool results, subagents, the client's own"),
    Opt::flag('c', "count", "totals alone").apart(&["all"]),
];
const TOOL: Tool = Tool {
    name: "lh-messages",
    operands: Operands::Any("[transcript | id ...]"),
    about: "print what was said in a session",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let keep = match (given.has("all"), given.has("count")) {
        (true, _) => Keep::Everything,
        (_, true) => Keep::Counts,
        _ => Keep::Messages,
    };
    let mut out = Output::filter();
    let mut exit = Exit::Done;
    for path in given.operands.iter().map(Path::new) {
        // One bad transcript does not hide the others.
        match messages::of_path(path, keep, &mut out) {
            Err(failure) if !failure.message.is_empty() => {
                log::say(TOOL.name, &failure.message);
                exit = if exit == Exit::Done { failure.exit } else { exit };
            }
            printed => printed?,
        }
    }
    if given.operands.is_empty() {
        given.needs_input()?;
        let ended = messages::of_stdin(TOOL.name, keep, &mut out);
        // Of damaged data what was read is printed.
        out.flush()?;
        exit = ended?;
    }
    out.flush().map(|()| exit)
}
