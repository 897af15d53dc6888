//! Prints what was said in a transcript.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, log, records};
use crate::agent::transcript::Keep;
use crate::tool::messages;
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "also what is not conversation: tool results, subagents, the client's own"),
    Opt::flag('c', "count", "totals alone").apart(&["all", "follow"]),
    Opt::flag('f', "follow", "go on as the transcript grows, until it is ended"),
    cli::JSON,
    cli::TEXT,
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-messages",
    operands: Operands::Any("[transcript | id ...]"),
    about: "print what was said in a session",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let keep = match (given.has("all"), given.has("count")) {
        (true, _) => Keep::Everything,
        (_, true) => Keep::Counts,
        _ => Keep::Messages,
    };
    let mut out = records(given);
    if given.has("follow") {
        let [operand] = given.operands.as_slice() else {
            let count = given.operands.len();
            return Err(Failure::usage(format!("--follow goes with one transcript or id, found {count}; see --help")));
        };
        return messages::follow(Path::new(operand), keep, &mut out).map(|()| Exit::Done);
    }
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
