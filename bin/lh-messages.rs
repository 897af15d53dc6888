//! Prints what was said in a transcript.

use lh::agent::transcript::{self, Head, Print};
use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::record::session::Session;
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
    let (mut all, mut count) = (false, false);
    let mut transcripts = Vec::new();
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("count") => count = true,
            Arg::Flag(_) => all = true,
            Arg::Value(_, path) | Arg::Operand(path) => transcripts.push(PathBuf::from(path)),
        }
    }
    let print = match (all, count) {
        (true, true) => return Err(Args::apart("all", "count")),
        (true, false) => Print::Everything,
        (false, true) => Print::Count,
        (false, false) => Print::Conversation,
    };
    let mut out = Output::filter();
    let mut exit = Exit::Done;
    for path in &transcripts {
        // One bad transcript does not hide the others.
        match transcript::print_named(path, print, &mut out) {
            Err(failure) if !failure.message.is_empty() => {
                log::say(TOOL.name, &failure.message);
                exit = if exit == Exit::Done { failure.exit } else { exit };
            }
            printed => printed?,
        }
    }
    if transcripts.is_empty() {
        args.needs_input()?;
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
