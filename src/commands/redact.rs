//! Masks secrets in a text, or looks for them in a folder.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, cli, receipts};
use crate::base::stream;
use crate::tool::redact;
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::value(' ', "check", "FOLDER", "report the secrets in the files below FOLDER; status 1 when there are any")
        .once('c'),
    Opt::flag(' ', "fix", "with --check: mask them there").needs("check"),
    cli::JSON.needs("check"),
    cli::TEXT.needs("check"),
];
/// What it is called with.
pub static TOOL: Tool =
    Tool { name: "lh-redact", operands: Operands::None("< text"), about: "mask secrets", options: OPTIONS, run };

fn run(given: &Given) -> Result<Exit, Failure> {
    let redactor = Redactor::new(&Config::load()?.privacy)?;
    if !given.has("check") {
        given.needs_input()?;
        let text = stream::whole()?;
        if let Some(what) = stream::packed(&text) {
            return Err(Failure::data(format!("stdin: {what}")));
        }
        let mut out = Output::filter();
        out.bytes(&redactor.redact_bytes(&text))?;
        return out.flush().map(|()| Exit::Done);
    }
    let mut out = receipts(given);
    let mut left = 0_usize;
    for folder in given.values("check").map(Path::new) {
        left += redact::check(folder, given.has("fix"), &redactor, |record| out.record(record))?;
    }
    out.flush()?;
    Ok(if left == 0 { Exit::Done } else { Exit::No })
}
