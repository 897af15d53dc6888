//! Makes one page for a browser of everything that is remembered.

use super::usual::{Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, configured};
use crate::tool::report;
use std::io::IsTerminal;
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "write no page; say what would be in it"),
    Opt::value('o', "output", "FILE", "write the page to FILE (- is standard output)"),
    Opt::value('s', "since", "TIME", "only what is not older than TIME, and what is open"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-report",
    operands: Operands::None("[-o FILE.html]"),
    about: "make one page for a browser of what is remembered",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let since = given.text("since").map(|time| report::since(&time)).transpose()?;
    let (output, dry) = (given.value("output"), given.has("dry-run"));
    if output.is_none() && !dry && std::io::stdout().is_terminal() {
        return Err(Failure::usage("a page is not for a terminal: give -o FILE.html, or - for standard output"));
    }
    let config = configured()?;
    let redactor = Redactor::new(&config.privacy)?;
    let report = report::make(since, &config, &redactor)?;
    let mut out = Output::filter();
    match output.filter(|path| *path != "-") {
        _ if dry => out.masked(&redactor.masked_parts(&report.says))?,
        Some(path) => report::save(&report, Path::new(path))?,
        None => out.masked(&report.page)?,
    }
    out.flush().map(|()| report.exit)
}
