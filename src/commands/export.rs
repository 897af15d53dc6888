//! Exports sessions as markdown.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Tool, cli, log, masking, receipts};
use crate::agent::named;
use crate::tool::export::memory::{ExportedMemory, MemoryForm};
use crate::tool::export::{self, Exporter, PageFormat, Tally};
use std::ffi::OsStr;
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "enabled", "do nothing when [knowledge.sessions] enabled = false")
        .once('e')
        .apart(&["format", "output"]),
    Opt::flag('f', "force", "also what is short or not a person's; write again what is there"),
    Opt::value(' ', "format", "NAME", "what --output gets: markdown or json"),
    cli::JSON.apart(&["output", "format", "text"]),
    cli::TEXT.apart(&["output", "format"]),
    Opt::value(' ', "to", "NAME", "print the memory of this project instead: markdown, agents-md or jsonl")
        .apart(&["enabled", "force", "format", "json", "text", "output", "verbose"]),
    Opt::value('o', "output", "FILE", "write one session to FILE (- is standard output) instead"),
    Opt::flag('v', "verbose", "say which sessions get no page, and why"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-export",
    operands: Operands::None("< session records"),
    about: "export sessions to the knowledge folder as markdown",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let format = given.text("format").map(|name| PageFormat::chosen("format", &name)).transpose()?;
    let to = given.text("to").map(|name| MemoryForm::chosen("to", &name)).transpose()?;
    if to.is_none() {
        given.needs_input()?;
    }
    let config = Config::load()?;
    if given.has("enabled") && !config.knowledge.sessions.enabled {
        log::say(TOOL.name, "nothing is exported: [knowledge.sessions] enabled is false in the configuration");
        return Ok(Exit::Done);
    }
    masking::mask_log(&config.privacy)?;
    if let Some(form) = to {
        let (mut memory, mut out) = (ExportedMemory::read(&config)?, Output::filter());
        out.masked(&memory.print(form))?;
        memory.end(form);
        return out.flush().map(|()| Exit::Done);
    }
    let exporter = Exporter::new(&config, given.has("force"))?;
    // A format is for looking at: it needs no file.
    let output = given.value("output").or(format.map(|_| OsStr::new("-")));
    let format = format.unwrap_or(PageFormat::Markdown);
    let mut out = if output.is_some() { Output::filter() } else { receipts(given) };
    let mut tally = Tally::new(TOOL.name, given.has("verbose"), output.is_some());
    tally.logs = given.has("enabled");
    let exit = named::each(TOOL.name, std::io::stdin().lock(), &["session", "task"], &mut out, |record, _, out| {
        let done = match output {
            None => exporter.export(record),
            Some(path) if path == "-" => exporter.print(record, format, out),
            Some(_) if tally.all() > 0 => Err(Failure::usage("--output FILE takes one session: use -o - for several")),
            Some(path) => exporter.save(record, format, Path::new(path)),
        };
        let done = tally.count(record, done)?;
        if output.is_some() {
            return Ok(());
        }
        out.masked(&exporter.receipt(record, &done))?;
        for subagent in exporter.subagents(record)? {
            let done = tally.count(&subagent, exporter.export(&subagent))?;
            out.masked(&exporter.receipt(&subagent, &done))?;
        }
        Ok(())
    })?;
    let end = tally.end();
    if output.is_none() {
        export::refresh_index(tally.written())?;
    }
    out.flush().map(|()| if exit == Exit::Done { end } else { exit })
}
