//! Consolidates typed memories, and takes that back.

use super::usual::{
    Exit, Failure, Given, Masked, Operands, Opt, Output, Redactor, Tool, at_most, cli, configured, receipts, told,
};
use crate::base::config::Engine;
use crate::base::record::Record;
use crate::tool::dream::{self, DreamProject, Who};
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
    at_most(given, usize::from(given.has("undo")))?;
    let engine = given.text("engine").map(|name| Engine::chosen("engine", &name)).transpose()?;
    let only = given.text("only").map(|words| numbers(&words)).transpose()?;
    let refused = given.text("refuse").map(|words| if words == "all" { Ok(None) } else { numbers(&words).map(Some) });
    let refused = refused.transpose()?;
    let config = configured()?;
    let redactor = Redactor::new(&config.privacy)?;
    if given.has("due") {
        return dream::due(&config, &redactor).map(|()| Exit::Done);
    }
    let place = DreamProject::here(&config)?;
    if !place.is_there() {
        return Ok(Exit::No);
    }
    let engine = engine.or(config.memory.dream_engine);
    let made = given.has("force").then(|| dream::make(&place, engine, &redactor)).transpose()?;
    let masked = |records: Vec<Record>| records.iter().map(|record| redactor.masked_record(record)).collect();
    let said: Vec<Masked> = if given.has("apply") {
        masked(dream::apply(&place.memory, Who::Person(only.as_ref()), &redactor)?)
    } else if given.has("undo") {
        masked(dream::undo(&place.memory, id.as_deref(), &redactor)?)
    } else if let Some(refused) = &refused {
        masked(dream::refuse(&place.memory, refused.as_ref(), &redactor)?)
    } else {
        vec![dream::show(&place, given.for_people(), &redactor)?]
    };
    let is_done = ["apply", "undo", "refuse"].into_iter().any(|long| given.has(long));
    let exit = told(&TOOL, &said, "", if is_done { receipts(given) } else { Output::filter() })?;
    if exit == Exit::No {
        dream::say_nothing_waits(made);
    }
    Ok(exit)
}

/// The numbers of changes.
fn numbers(words: &str) -> Result<BTreeSet<usize>, Failure> {
    let wrong = |word: &str| Failure::usage(format!("'{word}' is not a number of a change; see --help"));
    words.split(',').map(|word| word.trim().parse().map_err(|_| wrong(word))).collect()
}
