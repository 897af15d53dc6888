//! Runs a command in a session of its own, or guards one.

use super::usual::{Exit, Failure, Given, Operands, Opt, Tool};
use crate::base::process;
use std::path::Path;

const OPTIONS: &[Opt] = &[
    Opt::value('g', "guard", "FD", "stay, and kill the command when this pipe ends").apart(&["lock", "output"]),
    Opt::value(' ', "lock", "FILE", "not while another holds the lock on FILE").once('l'),
    Opt::value('o', "output", "FILE", "append the command's output to FILE"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-detach",
    operands: Operands::Command("-- command [argument ...]"),
    about: "run a command in a session of its own, or guard one",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let path = |long| given.value(long).map(Path::new);
    match given.text("guard") {
        Some(end) => process::guard(&end, &given.operands),
        None => process::detach(path("output"), path("lock"), &given.operands),
    }
}
