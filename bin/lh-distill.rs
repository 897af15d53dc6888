//! Distils sessions.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::{Config, Engine};
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::record::refusal;
use lh::redact;
use lh::tool::distill::{self, Distilled};
use std::path::PathBuf;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'e', long: "engine", value: "NAME", help: "auto, claude, command or extract; else as configured" },
    Opt {
        short: 'o',
        long: "output",
        value: "FILE",
        help: "write the record to FILE, synced; resume what a killed run left",
    },
    Opt { short: 'p', long: "prompt", value: "", help: "print the prompt and stop" },
    Opt { short: 'P', long: "parse", value: "", help: "read a model's raw answer and print it as a record" },
    Opt { short: ' ', long: "slim", value: "", help: "call no model: branch, last prompt, files touched" },
];
const TOOL: Tool = Tool {
    name: "lh-distill",
    operands: "< session record",
    about: "distil what a session decided, broke, learned and left open",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut prompt, mut parse, mut slim, mut engine, mut output) = (false, false, false, None, None);
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("prompt") => prompt = true,
            Arg::Flag("parse") => parse = true,
            Arg::Flag(_) => slim = true,
            Arg::Value("engine", name) => {
                let name = name.to_string_lossy().into_owned();
                let unknown = || Failure::usage(format!("unknown engine '{name}': auto, claude, command or extract"));
                engine = Some(Engine::of(&name).ok_or_else(unknown)?);
            }
            Arg::Value(_, path) => output = Some(PathBuf::from(path)),
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    // What only prints something asks no engine and stores nothing.
    for other in [("engine", engine.is_some()), ("output", output.is_some())] {
        cli::exclusive(&[("prompt", prompt), ("parse", parse), ("slim", slim), other])?;
    }
    args.needs_input()?;
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    config
        .unknown_keys()
        .iter()
        .for_each(|key| log::say(TOOL.name, &format!("unknown key in the configuration: {key}")));
    let engine = engine.unwrap_or(config.compound_loop.engine);
    let mut out = Output::filter();
    if parse {
        let answer = stream::whole()?;
        out.masked(&distill::parse_answer(&String::from_utf8_lossy(&answer), &config)?)?;
        return out.flush().map(|()| Exit::Done);
    }
    let (mut exit, mut records) = (Exit::Done, 0_usize);
    let kinds: &[&str] = if slim { &["session", "task", refusal::TYPE] } else { &["session", "task"] };
    let failed = stream::each(TOOL.name, kinds, &mut out, |record, _, out| {
        records += 1;
        if prompt {
            return out.masked(&distill::prompt_of(record, &config)?);
        }
        if slim {
            return out.masked(&distill::slim(record, &config)?);
        }
        if output.is_some() && records > 1 {
            return Err(Failure::usage("--output FILE takes one session"));
        }
        match distill::distill(record, engine, output.as_deref(), &config) {
            Ok(Distilled::Record(distilled)) => out.masked(&distilled),
            Ok(Distilled::Stored) => Ok(()),
            Ok(Distilled::Waiting(outcome)) => {
                exit = Exit::Later;
                out.record(&outcome)
            }
            Err(failure) => {
                out.record(&distill::failed(&failure.message, &config)?)?;
                out.flush()?;
                Err(failure)
            }
        }
    })?;
    Ok(if exit == Exit::Done { failed } else { exit })
}
