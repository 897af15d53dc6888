//! Composes what a new session should know.

use super::usual::{Exit, Failure, Given, Masked, Operands, Opt, Output, Tool, configured, log};
use crate::base::stream;
use crate::tool::context::{self, Format, Start};
use std::io::IsTerminal;

const OPTIONS: &[Opt] = &[
    Opt::value(' ', "format", "NAME", "json (the hook's answer) or markdown, as on a terminal"),
    Opt::flag('v', "verbose", "say how many characters and tokens each part has"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-context",
    operands: Operands::None("[< payload]"),
    about: "compose what a new session should know",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let usual = if std::io::stdout().is_terminal() { Format::Markdown } else { Format::Json };
    let format = given.text("format").map_or(Ok(usual), |name| Format::chosen("format", &name))?;
    let config = match configured() {
        Err(failure) if format == Format::Json => {
            print(context::refused(&failure)?)?;
            return Err(failure);
        }
        config => config?,
    };
    if format == Format::Json && !config.context_inject.enabled {
        return print(context::alone(&config)?);
    }
    let (start, asked) = Start::read_with_git(&stream::payload()?, &config)?;
    let context = match context::compose(&start, asked, &config) {
        // The user sees why nothing is told; the log has it, too.
        Err(failure) if format == Format::Json => {
            print(context::refused(&failure)?)?;
            return Err(failure);
        }
        context => context?,
    };
    if given.has("verbose") {
        context.sizes().iter().for_each(|line| log::say(TOOL.name, line));
    }
    let mut out = Output::filter();
    out.masked(&context.shown(format))?;
    out.flush().map(|()| Exit::Done)
}

/// Prints what the hook answers where nothing is told, if anything.
fn print(answer: Option<Masked>) -> Result<Exit, Failure> {
    let mut out = Output::filter();
    answer.map_or(Ok(()), |answer| out.masked(&answer))?;
    out.flush().map(|()| Exit::Done)
}
