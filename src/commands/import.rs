//! Reads another program's memory.

use super::usual::{Exit, Failure, Given, Operands, Opt, Output, Tool, at_most, cli, configured, line};
use crate::tool::import::{Import, Program};
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::value(' ', "from", "NAME", "the program: claude-mem, basic-memory, codex, cursor or agents-md"),
    cli::JSON,
    cli::TEXT,
    Opt::flag(' ', "write", "write it into the project's memory, as lh-persist does; lh import does"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-import",
    operands: Operands::Any("--from NAME FILE|FOLDER"),
    about: "read another program's memory as distilled records",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let Some(name) = given.text("from") else {
        return Err(Failure::usage("--from names the program that kept the memory; see --help"));
    };
    let program = Program::chosen("from", &name)?;
    let path = given.operands.first().ok_or_else(|| Failure::usage("no file and no folder to read; see --help"))?;
    at_most(given, 1)?;
    let config = configured()?;
    let mut import = Import::read(program, Path::new(path), &config)?;
    let is_written = given.has("write");
    let out = if is_written { Output::receipts() } else { Output::filter() };
    let mut out = out.lines(line::of, given.for_people());
    for record in import.records() {
        let said = if is_written { import.persist(&record, &config)? } else { import.masked(&record) };
        out.masked(&said)?;
    }
    out.flush()?;
    Ok(import.end())
}
