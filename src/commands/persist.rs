//! Writes what was distilled into the memory, and by hand takes it back or lets in what waits in the quarantine.

use crate::base::cli::{Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::log;
use crate::base::stream::{self, Output};
use crate::record::refusal;
use crate::redact;
use crate::tool::persist::{self, ByHand};

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be done").apart(&["list-quarantine"]),
    Opt::flag(' ', "undo", "take back what a session wrote, or one item").apart(&["list-quarantine", "release"]),
    Opt::flag(' ', "list-quarantine", "list the items that are not trusted").apart(&["release"]),
    Opt::flag(' ', "release", "let items out of the quarantine"),
    Opt::flag(' ', "remember", "write a memory by hand").apart(&["list-quarantine", "release", "undo"]),
    Opt::value(' ', "type", "NAME", "its type: user, feedback, project or reference")
        .needs("remember")
        .apart(&["list-quarantine", "release", "undo"]),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-persist",
    operands: Operands::Any("[SESSION|ID|WORD ...] < distilled records"),
    about: "write what was distilled into the project's memory",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let by_hand = ["undo", "release", "remember"].into_iter().find(|option| given.has(option));
    match (by_hand, given.operands.first()) {
        (None, Some(operand)) => return Err(Given::unexpected(operand)),
        (Some("remember"), None) => return Err(Failure::usage("--remember needs a sentence; see --help")),
        (Some(option), None) => return Err(Failure::usage(format!("--{option} needs an id; see --help"))),
        (None, None) if given.has("dry-run") => {
            return Err(Failure::usage("--dry-run goes with --undo, --release or --remember; see --help"));
        }
        _ => {}
    }
    if by_hand.is_none() && !given.has("list-quarantine") {
        given.needs_input()?;
    }
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let mut out = Output::receipts();
    if by_hand.is_none() && !given.has("list-quarantine") {
        return stream::each(TOOL.name, &["distilled", refusal::TYPE], &mut out, |record, _, out| {
            out.masked(&persist::persist(record, &config)?)
        });
    }
    let words: Vec<String> = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let wanted = ByHand { words, undo: given.has("undo"), dry_run: given.has("dry-run"), by_words: true };
    let done = match by_hand {
        Some("remember") => {
            let memory_type = given.text("type");
            persist::remember(&wanted.words.join(" "), memory_type.as_deref(), wanted.dry_run, &config)?
        }
        Some("undo") => persist::undo(&wanted, &config)?,
        Some(_) => persist::release(&wanted, &config)?,
        None => persist::list(&config)?,
    };
    out.masked(&done.said)?;
    out.flush()?;
    if done.any && done.said.is_empty() {
        log::say(TOOL.name, "no item was left to take back, only what is remembered of the handoff was");
    }
    done.failure.map_or(Ok(if done.any { Exit::Done } else { Exit::No }), Err)
}
