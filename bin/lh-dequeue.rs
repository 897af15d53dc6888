//! Runs a command for each due task; lists tasks; puts given-up ones back.

use lh::cli::{self, Arg, Args, Opt, Tool};
use lh::config::Config;
use lh::exit::{Exit, Failure};
use lh::queue::{self, Queue};
use lh::stream::Output;
use lh::{log, place};
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
    Run,
    List,
    Retry(Option<String>),
}

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut mode, mut verbose, mut only_enabled) = (Mode::Run, false, false);
    let mut command: Vec<OsString> = Vec::new();
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("enabled") => only_enabled = true,
            Arg::Flag("list") => mode = Mode::List,
            Arg::Flag("all-failed") => mode = Mode::Retry(None),
            Arg::Flag(_) => verbose = true,
            Arg::Value(_, all) if all == "--all-failed" => mode = Mode::Retry(None),
            Arg::Value(_, id) => mode = Mode::Retry(Some(id.to_string_lossy().into_owned())),
            Arg::Operand(program) => {
                command.push(program);
                command.extend(args.rest()?);
            }
        }
    }
    if !command.is_empty() && !matches!(mode, Mode::Run) {
        return Err(Failure::usage("a command is not run with --list or --retry; see --help"));
    }
    let config = Config::load()?.compound_loop;
    let queue = Queue::of(&place::agent_home()?);
    let mut out = Output::receipts();
    let records = match mode {
        Mode::List => queue::list(&queue)?,
        Mode::Retry(which) => {
            let back = queue::retry(&queue, which.as_deref())?;
            if back.is_empty() {
                log::say(TOOL.name, "no such task waits or was given up; see --list");
            }
            back
        }
        Mode::Run if command.is_empty() => return Err(Failure::usage("no command; see --help")),
        Mode::Run if only_enabled && !config.enabled => return Ok(Exit::Done),
        Mode::Run => {
            if !queue::drain(&queue, &config, &command, &mut out)? && verbose {
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
