//! Writes what was distilled into the memory, and by hand takes it back or lets in what waits in the quarantine.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool, cli, configured, log, receipts, told, words};
use crate::base::stream;
use crate::record::refusal;
use crate::tool::persist::{self, ByHand};
use std::io;

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be done").apart(&["list-quarantine"]),
    Opt::flag(' ', "edit", "open an item in the editor, and keep what it said in its history")
        .apart(&["dry-run", "list-quarantine", "release", "remember", "undo"]),
    Opt::flag(' ', "undo", "take back what a session wrote, or one item").apart(&["list-quarantine", "release"]),
    cli::JSON,
    cli::TEXT,
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
    let by_hand = ["edit", "undo", "release", "remember"].into_iter().find(|option| given.has(option));
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
    let config = configured()?;
    let mut out = receipts(given);
    if by_hand.is_none() && !given.has("list-quarantine") {
        let kinds = ["distilled", refusal::TYPE];
        return stream::each_of(
            TOOL.name,
            io::stdin().lock(),
            &kinds,
            &mut out,
            |record, _, out| match persist::persist(record, &config) {
                Ok(done) => out.masked(&done),
                Err(failure) => persist::failed(failure, &config, out),
            },
        );
    }
    let is_sentence = by_hand.is_none_or(|option| option == "remember");
    let words = if is_sentence { words(given) } else { persist::wanted(given, &[], "")? };
    let wanted =
        ByHand { words, folders: Vec::new(), undo: given.has("undo"), dry_run: given.has("dry-run"), by_words: true };
    let done = match by_hand {
        Some("remember") => {
            let memory_type = given.text("type");
            persist::remember(&wanted.words.join(" "), memory_type.as_deref(), wanted.dry_run, &config)?
        }
        Some("edit") => match wanted.words.as_slice() {
            [word] => persist::edit(word, &config)?,
            words => return Err(Failure::usage(format!("{} items: --edit opens one", words.len()))),
        },
        Some("undo") => persist::undo(&wanted, &config)?,
        Some(_) => persist::release(&wanted, &config)?,
        None => persist::list(&config)?,
    };
    let none = if given.has("list-quarantine") { "nothing is in the quarantine" } else { "" };
    if told(&TOOL, &[done.said], none, out)? == Exit::No && done.any {
        log::say(TOOL.name, "no item was left to take back, only what is remembered of the handoff was");
    }
    done.failure.map_or(Ok(if done.any { Exit::Done } else { Exit::No }), Err)
}
