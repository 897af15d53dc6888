//! What each tool is called with: its table of options, and `run`, which reads them and calls what `tool` does. One main
//! has all of them and the command `lh`, and each has a main of its own, too.

pub mod backfill;
pub mod blame;
pub mod brief;
mod completions;
pub mod context;
pub mod dequeue;
pub mod detach;
pub mod distill;
pub mod doctor;
pub mod done;
pub mod dream;
pub mod enqueue;
pub mod episode;
pub mod export;
pub mod find_session;
pub mod forget;
mod front;
pub mod gate;
pub mod history;
pub mod import;
pub mod index;
pub mod messages;
pub mod persist;
pub mod prune;
pub mod recall;
pub mod redact;
pub mod report;
pub mod review;
pub mod select;
pub mod setup;
pub mod summarize;
mod undo;
mod usual;

use crate::base::cli::{self, Tool};
use crate::base::env;
pub use crate::tool::setup::Files;
use crate::tool::setup::has_inside;
use std::path::Path;
use std::process::ExitCode;

/// All tools, in the order of their names.
pub static ALL: &[&Tool] = &[
    &backfill::TOOL,
    &blame::TOOL,
    &brief::TOOL,
    &context::TOOL,
    &dequeue::TOOL,
    &detach::TOOL,
    &distill::TOOL,
    &doctor::TOOL,
    &done::TOOL,
    &dream::TOOL,
    &enqueue::TOOL,
    &episode::TOOL,
    &export::TOOL,
    &find_session::TOOL,
    &forget::TOOL,
    &gate::TOOL,
    &history::TOOL,
    &import::TOOL,
    &index::TOOL,
    &messages::TOOL,
    &persist::TOOL,
    &prune::TOOL,
    &recall::TOOL,
    &redact::TOOL,
    &report::TOOL,
    &review::TOOL,
    &select::TOOL,
    &setup::TOOL,
    &summarize::TOOL,
];

/// Runs the tool that has the name of this program, else the command `lh`; `inside` it are these files.
pub fn main(inside: Files) -> ExitCode {
    has_inside(inside);
    let mut words = env::command_line();
    let name = words.next().unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match ALL.iter().find(|tool| tool.name == name) {
        Some(tool) => cli::run_with(tool, words),
        None => front::main(&name, words),
    }
}
