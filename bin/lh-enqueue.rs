//! Queues sessions.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::queue::Queue;
use lh::record::session::Session;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'n', long: "dry-run", value: "", help: "queue nothing; pass the sessions on" },
    Opt { short: 'v', long: "verbose", value: "", help: "say what was queued" },
];
const TOOL: Tool = Tool {
    name: "lh-enqueue",
    operands: "< session records",
    about: "queue sessions to be distilled",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut dry, mut verbose) = (false, false);
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("dry-run") => dry = true,
            Arg::Flag(_) => verbose = true,
            Arg::Value(_, operand) | Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    args.needs_input()?;
    let mut out = Output::receipts();
    stream::each(TOOL.name, &["session"], &mut out, |record, line, out| {
        let session = Session::from_record(record)?;
        let said = |what: &str| {
            if verbose {
                log::say(TOOL.name, &format!("{}: {what}", session.session_id));
            }
        };
        if dry {
            said("would be queued");
            return out.bytes(line);
        }
        let task = Queue::in_home(session.home()?).enqueue(record)?;
        said("queued");
        out.record(&task)
    })
}
