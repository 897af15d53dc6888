//! Passes on the sessions that are worth it.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::record::session::Session;
use lh::tool::gate::{self, Gates};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: ' ', long: "queue", value: "", help: "the producer's gates, which never read the transcript" },
    Opt { short: 'f', long: "force", value: "", help: "with --queue: without debounce and growth" },
    Opt { short: ' ', long: "refused", value: "", help: "print a refusal record of each session that does not pass" },
    Opt { short: 'v', long: "verbose", value: "", help: "say why a session does not pass" },
];
const TOOL: Tool = Tool {
    name: "lh-gate",
    operands: "< session records",
    about: "pass on the sessions that are worth distilling",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut gates, mut refused, mut verbose) = (Gates::default(), false, false);
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("queue") => gates.queue = true,
            Arg::Flag("force") => gates.force = true,
            Arg::Flag("refused") => refused = true,
            Arg::Flag(_) => verbose = true,
            Arg::Value(_, operand) | Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    if gates.force && !gates.queue {
        return Err(Failure::usage("--force goes with --queue; see --help"));
    }
    args.needs_input()?;
    let config = Config::load()?;
    if verbose {
        config
            .unknown_keys()
            .iter()
            .for_each(|key| log::say(TOOL.name, &format!("unknown key in the configuration: {key}")));
    }
    let config = config.compound_loop;
    let mut out = Output::filter();
    let mut passed = 0_usize;
    let exit = stream::each(TOOL.name, &["session", "task"], &mut out, |record, line, out| {
        let session = Session::from_record(record)?;
        let gates = Gates { task: record.kind() == "task", ..gates };
        match gate::judge(&session, gates, &config)? {
            None => {
                passed += 1;
                out.bytes(line)
            }
            Some(refusal) => {
                if verbose {
                    log::say(
                        TOOL.name,
                        &format!("{}: {}: {}", session.session_id, refusal.reason.word(), refusal.sentence),
                    );
                }
                if refused { out.record(&refusal.reason.refuse(record)) } else { Ok(()) }
            }
        }
    })?;
    Ok(if exit == Exit::Done && passed == 0 { Exit::No } else { exit })
}
