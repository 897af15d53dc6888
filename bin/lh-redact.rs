//! Masks secrets in a text, or looks for them in a folder.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::{self, Output};
use lh::redact::Redactor;
use lh::tool::redact;
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt {
        short: 'c',
        long: "check",
        value: "FOLDER",
        help: "report the secrets in the files below FOLDER; status 1 when there are any",
    },
    Opt { short: ' ', long: "fix", value: "", help: "with --check: mask them there" },
];
const TOOL: Tool = Tool { name: "lh-redact", operands: "< text", about: "mask secrets", options: OPTIONS };

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut folders, mut fix) = (Vec::new(), false);
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Value(_, folder) => folders.push(PathBuf::from(folder)),
            Arg::Flag(_) => fix = true,
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    if fix && folders.is_empty() {
        return Err(Failure::usage("--fix goes with --check FOLDER; see --help"));
    }
    let redactor = Redactor::new(&Config::load()?.privacy)?;
    if folders.is_empty() {
        args.needs_input()?;
        let mut text = Vec::new();
        std::io::stdin().read_to_end(&mut text).map_err(|error| Failure::io("standard input", &error))?;
        if let Some(what) = stream::packed(&text) {
            return Err(Failure::data(format!("stdin: {what}")));
        }
        let mut out = Output::filter();
        out.bytes(&redactor.redact_bytes(&text))?;
        return out.flush().map(|()| Exit::Done);
    }
    let mut out = Output::receipts();
    let mut left = 0_usize;
    for folder in folders {
        let found = redact::sweep(&folder, fix, &redactor, |record| out.record(record))?;
        left = left.saturating_add(found);
    }
    out.flush()?;
    Ok(if left == 0 { Exit::Done } else { Exit::No })
}
