//! Finds learnings that may say the same.

use super::usual::{
    Exit, Failure, Given, Masked, Operands, Opt, Output, Redactor, Tool, at_most, cli, configured, receipts, told,
    words,
};
use crate::base::record::Record;
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
    let config = configured()?;
    let redactor = Redactor::new(&config.privacy)?;
    let dry = given.has("dry-run");
    let words = words(given);
    let of_two = given.has("merge") || given.has("keep");
    if !of_two {
        at_most(given, 0)?;
    }
    let _lock = review::lock(dry || !(of_two || given.has("write")))?;
    let review = Review::read(&config, &redactor)?;
    let done = |done: Option<Record>| {
        let said: Vec<Masked> = done.iter().map(|record| redactor.masked_record(record)).collect();
        told(&TOOL, &said, "", receipts(given))
    };
    if given.has("merge") {
        return done(Some(review.merge(&words, dry)?));
    }
    if given.has("keep") {
        return done(Some(review.keep(&words, dry)?));
    }
    if given.has("write") {
        return done(review.write(&config, dry)?);
    }
    let pairs = review.waiting()?;
    let for_people = given.for_people();
    let shown = |pair| if for_people { review.pair_line(pair) } else { review.record(pair) };
    let shown: Vec<Masked> = pairs.iter().map(shown).collect();
    told(&TOOL, &shown, "no pair of learnings waits", Output::filter().wrapped())
}
