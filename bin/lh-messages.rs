//! Prints what was said in a transcript.

use lh::agent::transcript::{self, Head, Print};
use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::record::session::Session;
use std::path::Path;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "also what is not conversation: tool results, subagents, the client's own"),
    Opt::flag('c', "count", "totals alone").apart(&["all"]),
];
const TOOL: Tool = Tool {
    name: "lh-messages",
    operands: Operands::Any("[transcript ...]"),
    about: "print what was said in a session",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let print = match (given.has("all"), given.has("count")) {
        (true, _) => Print::Everything,
        (_, true) => Print::Count,
        _ => Print::Conversation,
    };
    let mut out = Output::filter();
    let mut exit = Exit::Done;
    for path in given.operands.iter().map(Path::new) {
        // One bad transcript does not hide the others.
        match transcript::print_named(path, print, &mut out) {
            Err(failure) if !failure.message.is_empty() => {
                log::say(TOOL.name, &failure.message);
                exit = if exit == Exit::Done { failure.exit } else { exit };
            }
            printed => printed?,
        }
    }
    if given.operands.is_empty() {
        given.needs_input()?;
        let input = Head::begin("stdin", std::io::stdin().lock())?;
        if input.is_transcript() {
            transcript::print_piped(input, print, &mut out)?;
        } else {
            exit = stream::each_of(TOOL.name, input.all(), &["session", "task"], &mut out, |record, _, out| {
                transcript::print(&Session::from_record(record)?.transcript, print, out)
            })?;
        }
    }
    out.flush().map(|()| exit)
}
