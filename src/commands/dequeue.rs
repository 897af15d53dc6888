//! Runs a command for each due task; lists tasks; puts given-up ones back.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Tool, cli, log};
use crate::base::env;
use crate::queue::{self, Queue, Waited};
use crate::tool::dequeue;

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "enabled", "do nothing unless the loop is enabled").apart(&["list", "retry", "all-failed"]),
    cli::JSON,
    cli::TEXT,
    Opt::flag('l', "list", "list the tasks that wait and those given up").apart(&["retry", "all-failed"]),
    Opt::value('r', "retry", "ID", "put back the given-up task of this session or name, or start a waiting one now")
        .apart(&["all-failed"]),
    Opt::flag(' ', "all-failed", "put back all given-up tasks; also as --retry --all-failed"),
    Opt::value(' ', "wait", "ID", "wait until the task of this session or name is done")
        .apart(&["list", "retry", "all-failed", "enabled"]),
    Opt::flag('v', "verbose", "say so when another worker runs"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-dequeue",
    operands: Operands::Command("-- command [argument ...]"),
    about: "run a command for each session that is queued",
    options: OPTIONS,
    run,
};

enum Mode {
    Run,
    List,
    Retry(Option<String>),
    Wait(String),
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let retry = given.text("retry").map(|id| if id == "--all-failed" { None } else { Some(id.into_owned()) });
    let mode = if given.has("list") {
        Mode::List
    } else if given.has("all-failed") {
        Mode::Retry(None)
    } else if let Some(id) = given.text("wait") {
        Mode::Wait(id.into_owned())
    } else {
        retry.map_or(Mode::Run, Mode::Retry)
    };
    let command = &given.operands;
    if let (Mode::List | Mode::Retry(_) | Mode::Wait(_), [program, ..]) = (&mode, command.as_slice()) {
        return Err(Given::unexpected(program));
    }
    let config = Config::load()?.compound_loop;
    let queue = Queue::in_home(&env::agent_home()?);
    let mut out = Output::receipts().wrapped();
    let records = match mode {
        Mode::List => queue::list(&queue, &dequeue::session_of)?,
        Mode::Retry(which) => {
            let back = queue::retry(&queue, which.as_deref(), &dequeue::session_of)?;
            if back.is_empty() {
                log::say(TOOL.name, "no such task waits or was given up; see --list");
            }
            back
        }
        Mode::Wait(id) => {
            let why = match queue::wait(&queue, &id)? {
                Waited::Done => return Ok(Exit::Done),
                Waited::GivenUp => format!("'{id}' was given up: lh-dequeue --list says why"),
                Waited::Unknown => format!("no task '{id}' waits or was done; see --list"),
            };
            return Err(Failure::new(Exit::No, why));
        }
        Mode::Run if command.is_empty() => return Err(Failure::usage("no command; see --help")),
        Mode::Run if given.has("enabled") && !config.enabled => return Ok(Exit::Done),
        Mode::Run => {
            if !queue::drain(&queue, &config, command, &dequeue::quiet_session_of, &mut out)? && given.has("verbose") {
                log::say(TOOL.name, "another worker runs");
            }
            return Ok(Exit::Done);
        }
    };
    if given.for_people() {
        out.bytes(queue::table(&records).as_bytes())?;
    } else {
        records.iter().try_for_each(|record| out.record(record))?;
    }
    out.flush()?;
    Ok(if records.is_empty() { Exit::No } else { Exit::Done })
}
