//! Consolidates typed memories, and takes that back.

use crate::base::cli::{self, Given, Operands, Opt, Tool};
use crate::base::clock;
use crate::base::config::{Config, Engine};
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::stream::Output;
use crate::record::line;
use crate::redact::{self, Redactor};
use crate::tool::dream::{self, Place, Who};
use std::collections::BTreeSet;

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "apply", "apply the plan that waits").apart(&["due", "force", "refuse", "undo"]),
    Opt::flag(' ', "due", "make a plan for each project that is due").apart(&["force", "refuse", "undo"]),
    Opt::value('e', "engine", "NAME", "ask a model for the plan, too: claude, command").needs("force"),
    Opt::flag(' ', "force", "make a plan now").apart(&["refuse", "undo"]),
    cli::JSON,
    cli::TEXT,
    Opt::value(' ', "only", "N[,M]", "apply these changes of it").needs("apply"),
    Opt::value(' ', "refuse", "N[,M]|all", "drop these changes, and never plan them again").apart(&["undo"]),
    Opt::flag(' ', "undo", "take a plan back that was applied: the last, or that of the id"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-dream",
    operands: Operands::Any("[ID]"),
    about: "consolidate typed memories, by a plan that can be undone",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let id = given.operands.first().map(|id| id.to_string_lossy().into_owned());
    if let Some(operand) = given.operands.get(usize::from(given.has("undo"))) {
        return Err(Given::unexpected(operand));
    }
    let engine = given.text("engine").map(|name| Engine::chosen("engine", &name)).transpose()?;
    let only = given.text("only").map(|words| numbers(&words)).transpose()?;
    let refused = given.text("refuse").map(|words| if words == "all" { Ok(None) } else { numbers(&words).map(Some) });
    let refused = refused.transpose()?;
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let redactor = Redactor::new(&config.privacy)?;
    if given.has("due") {
        return dream::due(&config, &redactor).map(|()| Exit::Done);
    }
    let (place, now) = (Place::here(&config)?, clock::now());
    if !place.is_there() {
        return Ok(Exit::No);
    }
    let engine = engine.or(config.memory.dream_engine);
    let made = given.has("force").then(|| dream::make(&place, engine, now, &config, &redactor)).transpose()?;
    let receipts = || Output::receipts().lines(line::of, given.for_people());
    let masked = |records: Vec<Record>| records.iter().map(|record| redactor.masked_record(record)).collect();
    let (mut out, said): (Output, Vec<Masked>) = if given.has("apply") {
        (receipts(), masked(dream::apply(&place, Who::Person(only.as_ref()), now, &redactor)?))
    } else if given.has("undo") {
        (receipts(), masked(dream::undo(&place.memory, id.as_deref(), now, &redactor)?))
    } else if let Some(refused) = &refused {
        (receipts(), masked(dream::refuse(&place, refused.as_ref(), now, &redactor)?))
    } else {
        (
            Output::filter(),
            Some(dream::show(&place, given.for_people(), &redactor)?)
                .into_iter()
                .filter(|said| !said.is_empty())
                .collect(),
        )
    };
    said.iter().try_for_each(|said| out.masked(said))?;
    out.flush()?;
    if said.is_empty() {
        dream::say_nothing_waits(made);
    }
    Ok(if said.is_empty() { Exit::No } else { Exit::Done })
}

/// The numbers of changes.
fn numbers(words: &str) -> Result<BTreeSet<usize>, Failure> {
    let wrong = |word: &str| Failure::usage(format!("'{word}' is not a number of a change; see --help"));
    words.split(',').map(|word| word.trim().parse().map_err(|_| wrong(word))).collect()
}
