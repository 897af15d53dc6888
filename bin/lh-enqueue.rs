//! Queues sessions.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::queue::Queue;
use lh::record::session::Session;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "queue nothing; pass the sessions on"),
    Opt::flag('v', "verbose", "say what was queued"),
];
const TOOL: Tool = Tool {
    name: "lh-enqueue",
    operands: Operands::None("< session records"),
    about: "queue sessions to be distilled",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    given.needs_input()?;
    let mut out = Output::receipts();
    stream::each(TOOL.name, &["session"], &mut out, |record, line, out| {
        let session = Session::from_record(record)?;
        let said = |what: &str| {
            if given.has("verbose") {
                log::say(TOOL.name, &format!("{}: {what}", session.session_id));
            }
        };
        if given.has("dry-run") {
            said("would be queued");
            return out.bytes(line);
        }
        let task = Queue::in_home(session.home()?).enqueue(record)?;
        said("queued");
        out.record(&task)
    })
}
