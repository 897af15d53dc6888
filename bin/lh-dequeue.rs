//! Runs a command for each due task; lists tasks; puts given-up ones back.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::base::{env, log};
use lh::queue::{self, Queue};
use lh::tool::dequeue;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: ' ', long: "enabled", value: "", help: "do nothing unless the loop is enabled" },
    Opt { short: 'l', long: "list", value: "", help: "list the tasks that wait and those given up" },
    Opt {
        short: 'r',
        long: "retry",
        value: "ID",
        help: "put back the given-up task of this session or name, or start a waiting one now",
    },
    Opt {
        short: ' ',
        long: "all-failed",
        value: "",
        help: "put back all given-up tasks; also as --retry --all-failed",
    },
    Opt { short: 'v', long: "verbose", value: "", help: "say so when another worker runs" },
];
const TOOL: Tool = Tool {
    name: "lh-dequeue",
    operands: "-- command [argument ...]",
    about: "run a command for each session that is queued",
    options: OPTIONS,
};

enum Mode {
    /// With whether only an enabled loop counts.
    Run(bool),
    List,
    Retry(Option<String>),
}

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut modes, mut verbose) = (Vec::new(), false);
    let mut command: Vec<OsString> = Vec::new();
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("enabled") => modes.push(("enabled", Mode::Run(true))),
            Arg::Flag("list") => modes.push(("list", Mode::List)),
            Arg::Flag("all-failed") => modes.push(("all-failed", Mode::Retry(None))),
            Arg::Flag(_) => verbose = true,
            Arg::Value(_, all) if all == "--all-failed" => modes.push(("all-failed", Mode::Retry(None))),
            Arg::Value(_, id) => modes.push(("retry", Mode::Retry(Some(id.to_string_lossy().into_owned())))),
            Arg::Operand(program) => {
                command.push(program);
                command.extend(args.rest()?);
            }
        }
    }
    let (option, mode) = Args::one(modes)?.unwrap_or(("", Mode::Run(false)));
    if !command.is_empty() && !matches!(mode, Mode::Run(_)) {
        return Err(Failure::usage(format!("a command is not run with --{option}; see --help")));
    }
    let config = Config::load()?.compound_loop;
    let queue = Queue::in_home(&env::agent_home()?);
    let mut out = Output::receipts();
    let records = match mode {
        Mode::List => queue::list(&queue, &dequeue::session_of)?,
        Mode::Retry(which) => {
            let back = queue::retry(&queue, which.as_deref(), &dequeue::session_of)?;
            if back.is_empty() {
                log::say(TOOL.name, "no such task waits or was given up; see --list");
            }
            back
        }
        Mode::Run(_) if command.is_empty() => return Err(Failure::usage("no command; see --help")),
        Mode::Run(true) if !config.enabled => return Ok(Exit::Done),
        Mode::Run(_) => {
            if !queue::drain(&queue, &config, &command, &dequeue::quiet_session_of, &mut out)? && verbose {
                log::say(TOOL.name, "another worker runs");
            }
            return Ok(Exit::Done);
        }
    };
    if std::io::stdout().is_terminal() {
        out.bytes(queue::table(&records).as_bytes())?;
    } else {
        records.iter().try_for_each(|record| out.record(record))?;
    }
    out.flush()?;
    Ok(if records.is_empty() { Exit::No } else { Exit::Done })
}
