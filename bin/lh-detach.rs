//! Runs a command in a session of its own, or guards one.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::base::process;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'g', long: "guard", value: "FD", help: "stay, and kill the command when this pipe ends" },
    Opt { short: 'l', long: "lock", value: "FILE", help: "not while another holds the lock on FILE" },
    Opt { short: 'o', long: "output", value: "FILE", help: "append the command's output to FILE" },
];
const TOOL: Tool = Tool {
    name: "lh-detach",
    operands: "-- command [argument ...]",
    about: "run a command in a session of its own, or guard one",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut guard, mut lock, mut output) = (None, None, None);
    let mut command: Vec<OsString> = Vec::new();
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Value("guard", end) => guard = Some(end.to_string_lossy().into_owned()),
            Arg::Value("lock", path) => lock = Some(PathBuf::from(path)),
            Arg::Value(_, path) => output = Some(PathBuf::from(path)),
            Arg::Flag(name) => return Err(Args::unexpected(name.as_ref())),
            Arg::Operand(program) => {
                command.push(program);
                command.extend(args.rest()?);
            }
        }
    }
    let others = [("lock", lock.is_some()), ("output", output.is_some())];
    if let Some((other, _)) = others.iter().find(|(_, given)| guard.is_some() && *given) {
        return Err(Args::apart("guard", other));
    }
    match guard {
        Some(end) => process::guard(&end, &command),
        None => process::detach(output.as_deref(), lock.as_deref(), &command),
    }
}
