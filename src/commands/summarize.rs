//! Prints a structured summary of a session in mid-session.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, masking};
use crate::base::stream;
use crate::tool::summarize::{self, progress};

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "print the summary and keep it nowhere"),
    Opt::flag(' ', "brief", "print only what must be kept, at most 500 characters"),
    Opt::flag(' ', "enabled", "do nothing unless the loop is enabled"),
    Opt::flag(' ', "progress", "keep instead how far the session got").apart(&["brief", "dry-run"]),
    Opt::flag(' ', "missing", "with --progress: of the sessions of this project that no hook kept").needs("progress"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-summarize",
    operands: Operands::None("[< payload or session record]"),
    about: "summarize a session before its client compacts it",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    if given.has("enabled") && !config.compound_loop.enabled {
        return Ok(Exit::Done);
    }
    masking::mask_log(&config.privacy)?;
    if given.has("missing") {
        let any = progress::keep_missing(&config, &Redactor::new(&config.privacy)?)?;
        return Ok(if any { Exit::Done } else { Exit::No });
    }
    let Some(session) = summarize::session_of(&stream::payload()?, &config)? else { return Ok(Exit::No) };
    let redactor = Redactor::new(&config.privacy)?;
    if given.has("progress") {
        return Ok(if progress::keep(&session, &config, &redactor)? { Exit::Done } else { Exit::No });
    }
    let summary = summarize::summarize(&session, &config, &redactor)?;
    if summary.body.is_empty() {
        return Ok(Exit::No);
    }
    // Kept before it is printed, for a reader can be gone; printed also when it could not be kept.
    let kept = if given.has("dry-run") { Ok(()) } else { summarize::keep(&summary, &session, &config, &redactor) };
    let mut out = Output::receipts();
    let shown = if given.has("brief") { summarize::brief } else { summarize::shown };
    out.masked(&shown(&summary, &redactor))?;
    out.flush()?;
    kept.map(|()| Exit::Done)
}
