//! Runs a command for each due task; lists tasks; puts given-up ones back.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Tool, at_most, cli, log};
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

fn run(given: &Given) -> Result<Exit, Failure> {
    let (lists, is_all, retry) = (given.has("list"), given.has("all-failed"), given.text("retry"));
    let is_retry = is_all || retry.is_some();
    let (wait, command) = (given.text("wait"), &given.operands);
    if lists || is_retry || wait.is_some() {
        at_most(given, 0)?;
    }
    let config = Config::load()?.compound_loop;
    let queue = Queue::in_home(&env::agent_home()?);
    if let Some(id) = wait {
        let why = match queue::wait(&queue, &id)? {
            Waited::Done => return Ok(Exit::Done),
            Waited::GivenUp => format!("'{id}' was given up: lh-dequeue --list says why"),
            Waited::Unknown => format!("no task '{id}' waits or was done; see --list"),
        };
        return Err(Failure::new(Exit::No, why));
    }
    let mut out = Output::receipts().wrapped();
    if !lists && !is_retry {
        if command.is_empty() {
            return Err(Failure::usage("no command; see --help"));
        }
        let is_off = given.has("enabled") && !config.enabled;
        if !is_off
            && !queue::drain(&queue, &config, command, &dequeue::quiet_session_of, &mut out)?
            && given.has("verbose")
        {
            log::say(TOOL.name, "another worker runs");
        }
        return Ok(Exit::Done);
    }
    let records = if lists {
        queue::list(&queue, &dequeue::session_of)?
    } else {
        let one = retry.filter(|id| !is_all && id != "--all-failed");
        queue::retry(&queue, one.as_deref(), &dequeue::session_of)?
    };
    if is_retry && records.is_empty() {
        log::say(TOOL.name, "no such task waits or was given up; see --list");
    }
    if given.for_people() {
        out.bytes(queue::table(&records).as_bytes())?;
    } else {
        records.iter().try_for_each(|record| out.record(record))?;
    }
    out.flush()?;
    Ok(if records.is_empty() { Exit::No } else { Exit::Done })
}
