//! Chooses the typed memories that a prompt needs.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, cli, configured, told};
use crate::agent::hooks;
use crate::agent::payload::Payload;
use crate::base::config::Select;
use crate::base::stream;
use crate::tool::select::{self, Asked, SelectEngine, Skill, ToldMemories};
use std::io::IsTerminal;

const OPTIONS: &[Opt] = &[
    Opt::value('e', "engine", "NAME", "rank (the default), or ask a model: claude, command").apart(&["hook"]),
    Opt::flag(' ', "hook", "print the hook's answer, and note what was told"),
    cli::JSON.apart(&["hook", "text"]),
    cli::TEXT.apart(&["hook"]),
    Opt::flag(' ', "used", "print which memories were told, when and in which session").apart(&["hook", "engine"]),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-select",
    operands: Operands::Any("[TEXT ... | < payload or text]"),
    about: "choose the typed memories that a prompt needs",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    if let Some(word) = given.operands.first().filter(|_| given.has("used") || given.has("hook")) {
        return Err(Failure::usage(format!("unexpected '{}': --used and --hook take no text", word.to_string_lossy())));
    }
    let config = configured()?;
    let redactor = Redactor::shared(&config.privacy)?;
    let for_people = given.for_people();
    if given.has("used") {
        return told(&TOOL, &select::used(for_people, &config)?, "no memory was told here yet", Output::filter());
    }
    if given.has("hook") {
        return if config.context_inject.enabled { hook(&config, &redactor) } else { Ok(Exit::Done) };
    }
    let engine =
        given.text("engine").map_or(Ok(SelectEngine::default()), |name| SelectEngine::chosen("engine", &name))?;
    let asked = asked(given, &config, &redactor)?;
    let chosen = select::select(&asked, engine, &ToldMemories::default(), &config, &redactor)?;
    let shown = chosen
        .iter()
        .map(|one| if for_people { redactor.masked(&one.line()) } else { redactor.masked_record(&one.record()) });
    told(&TOOL, &shown.collect::<Vec<_>>(), "", Output::filter())
}

/// What the words say, else standard input.
fn asked(given: &Given, config: &Config, redactor: &Redactor) -> Result<Asked, Failure> {
    let none = || Failure::usage("no prompt: give its words, or write it to standard input");
    let asked = if !given.operands.is_empty() {
        let words: Vec<_> = given.operands.iter().map(|word| word.to_string_lossy()).collect();
        Asked::new(Some(&words.join(" ")), b"", config, redactor)?
    } else if std::io::stdin().is_terminal() {
        return Err(none());
    } else {
        Asked::of_input(&stream::whole()?, config, redactor)?
    };
    if asked.said.trim().is_empty() { Err(none()) } else { Ok(asked) }
}

fn hook(config: &Config, redactor: &Redactor) -> Result<Exit, Failure> {
    let (payload, selects) = (stream::payload()?, config.memory.select != Select::Off);
    let read = hooks::payload(&payload)?;
    if read.event.as_deref().is_some_and(hooks::is_of_tool) {
        return if config.memory.at_tool { at_tool(&read, &payload, config, redactor) } else { Ok(Exit::Done) };
    }
    // What is known of a skill is told in any case; for anything else no prompt waits.
    if !selects && !Skill::is_invoked(&payload)? {
        return Ok(Exit::Done);
    }
    let asked = Asked::new(None, &payload, config, redactor)?;
    let told = ToldMemories::of(&asked);
    let chosen =
        if selects { select::select(&asked, SelectEngine::Rank, &told, config, redactor)? } else { Vec::new() };
    let skill = Skill::of(&asked, &told, redactor);
    let (answer, told) = select::answer(&asked, skill, &chosen, &told, redactor);
    let mut out = Output::filter();
    out.masked(&answer)?;
    out.flush()?;
    select::note(&asked.memory, asked.session_id.as_deref(), &told, redactor);
    Ok(Exit::Done)
}

/// Before a file is edited, and when a command failed.
fn at_tool(read: &Payload, payload: &[u8], config: &Config, redactor: &Redactor) -> Result<Exit, Failure> {
    if let Some((answer, memory, telling)) = select::at_tool::answer(read, payload, config, redactor)? {
        let mut out = Output::filter();
        out.masked(&answer)?;
        out.flush()?;
        select::note(&memory, read.session_id.as_deref(), &[telling], redactor);
    }
    Ok(Exit::Done)
}
