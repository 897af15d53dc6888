//! Finds learnings that may say the same.

use crate::base::cli::{self, Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::log;
use crate::base::record::Record;
use crate::base::stream::Output;
use crate::record::line;
use crate::redact::{self, Redactor};
use crate::tool::review::{self, Review};

const OPTIONS: &[Opt] = &[
    cli::JSON,
    Opt::flag(' ', "keep", "keep both of the two, and never name them again").apart(&["merge", "write"]),
    Opt::flag(' ', "merge", "deprecate the second of the two for the first").apart(&["write"]),
    Opt::flag('n', "dry-run", "change nothing; say what would be done"),
    cli::TEXT,
    Opt::flag(' ', "write", "write the week and the pairs into a page among the learnings"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-review",
    operands: Operands::Any("[ID ID]"),
    about: "find learnings that may say the same",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let redactor = Redactor::new(&config.privacy)?;
    let dry = given.has("dry-run");
    let words: Vec<String> = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let read = || Review::read(&config, &redactor);
    let told = |done: Option<Record>| {
        let mut out = Output::receipts().lines(line::of, given.for_people());
        done.iter().try_for_each(|record| out.masked(&redactor.masked_record(record)))?;
        out.flush()?;
        Ok(if done.is_none() { Exit::No } else { Exit::Done })
    };
    if given.has("merge") {
        return told(Some(review::locked(dry, || read()?.merge(&words, dry))?));
    }
    if given.has("keep") {
        return told(Some(review::locked(dry, || read()?.keep(&words, dry))?));
    }
    if let Some(operand) = given.operands.first() {
        return Err(Given::unexpected(operand));
    }
    if given.has("write") {
        return told(review::locked(dry, || read()?.write(&config, dry))?);
    }
    let review = read()?;
    let pairs = review.waiting()?;
    let mut out = Output::filter().wrapped();
    let for_people = given.for_people();
    let shown = |pair| if for_people { review.pair_line(pair) } else { review.record(pair) };
    pairs.iter().try_for_each(|pair| out.masked(&shown(pair)))?;
    out.flush()?;
    if pairs.is_empty() {
        log::say_on_terminal(TOOL.name, "no pair of learnings waits");
    }
    Ok(if pairs.is_empty() { Exit::No } else { Exit::Done })
}
