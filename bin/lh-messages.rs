//! Prints what was said in a transcript.

use lh::cli::{self, Arg, Args, Opt, Tool};
use lh::exit::{Exit, Failure};
use lh::log;
use lh::stream::{self, Output};
use lh::transcript::{self, Print};
use std::path::PathBuf;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt {
        short: 'a',
        long: "all",
        value: "",
        help: "also what is not conversation: tool results, subagents, the client's own",
    },
    Opt { short: 'c', long: "count", value: "", help: "totals alone" },
];
const TOOL: Tool = Tool {
    name: "lh-messages",
    operands: "[transcript ...]",
    about: "print what was said in a session",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let mut print = Print::Conversation;
    let mut transcripts = Vec::new();
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("count") => print = Print::Count,
            Arg::Flag(_) => print = Print::Everything,
            Arg::Value(_, path) | Arg::Operand(path) => transcripts.push(PathBuf::from(path)),
        }
    }
    let mut out = Output::filter();
    let mut exit = Exit::Done;
    for path in &transcripts {
        // One bad transcript does not hide the others.
        match transcript::print(path, print, &mut out) {
            Err(failure) if !failure.message.is_empty() => {
                log::say(TOOL.name, &failure.message);
                exit = if exit == Exit::Done { failure.exit } else { exit };
            }
            printed => printed?,
        }
    }
    if transcripts.is_empty() {
        args.needs_input()?;
        exit = stream::each(TOOL.name, &["session", "task"], &mut out, |record, _, out| {
            transcript::print(&lh::session::Session::from_record(record)?.transcript, print, out)
        })?;
    }
    out.flush().map(|()| exit)
}
