//! Queues sessions.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, log, receipts};
use crate::agent::named;
use crate::queue::Queue;
use crate::record::session::Session;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "queue nothing; pass the sessions on"),
    cli::JSON,
    cli::TEXT,
    Opt::flag('v', "verbose", "say what was queued"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-enqueue",
    operands: Operands::None("< session records"),
    about: "queue sessions to be distilled",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    given.needs_input()?;
    let mut out = receipts(given);
    named::each(TOOL.name, std::io::stdin().lock(), &["session"], &mut out, |record, line, out| {
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
