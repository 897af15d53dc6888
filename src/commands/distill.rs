//! Distils sessions.

use super::usual::{Exit, Failure, Given, Operands, Opt, Output, Tool, cli, configured, line};
use crate::agent::named;
use crate::base::config::Engine;
use crate::base::stream;
use crate::record::task;
use crate::tool::distill::{self, Distilled};
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::value('e', "engine", "NAME", "auto, claude, command or extract; else as configured"),
    cli::JSON,
    cli::TEXT,
    Opt::value('o', "output", "FILE", "write the record to FILE, synced; resume what a killed run left"),
    Opt::flag('p', "prompt", "print the prompt and stop").apart(&["parse", "engine", "output"]),
    Opt::flag('P', "parse", "read a model's raw answer and print it as a record").apart(&["engine", "output"]),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-distill",
    operands: Operands::None("< session record"),
    about: "distil what a session decided, broke, learned and left open",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let engine = given.text("engine").map(|name| Engine::chosen("engine", &name)).transpose()?;
    let output = given.value("output").map(Path::new);
    given.needs_input()?;
    let config = configured()?;
    config.tell_unknown_keys(TOOL.name);
    let mut out = Output::filter().lines(line::of, given.for_people() && !given.has("prompt"));
    if given.has("parse") {
        let answer = stream::whole()?;
        out.masked(&distill::parse_answer(&String::from_utf8_lossy(&answer), &config)?)?;
        return out.flush().map(|()| Exit::Done);
    }
    let (mut exit, mut records) = (Exit::Done, 0_usize);
    let failed = named::each(TOOL.name, std::io::stdin().lock(), &["session", "task"], &mut out, |record, _, out| {
        records += 1;
        if given.has("prompt") {
            return out.masked(&distill::prompt_of(record, &config)?);
        }
        if output.is_some() && records > 1 {
            return Err(Failure::usage("--output FILE takes one session"));
        }
        let engine = engine.or_else(|| task::engine_of(record)).unwrap_or(config.compound_loop.engine);
        match distill::distill(record, engine, output, &config) {
            Ok(Distilled::Record(distilled)) => out.masked(&distilled),
            Ok(Distilled::Stored) => Ok(()),
            Ok(Distilled::Waiting(outcome)) => {
                exit = Exit::Later;
                out.record(&outcome)
            }
            Err(failure) => distill::failed(failure, &config, out),
        }
    })?;
    Ok(if exit == Exit::Done { failed } else { exit })
}
