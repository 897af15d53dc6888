//! What works, what does not, and what to do: a line a check, in one table. Nothing is mended here, and
//! nothing is written but in a home that is thrown away.

mod cost;
mod install;
mod state;
mod trip;

pub use cost::costs;

use crate::config::Config;
use crate::exit::Failure;
use crate::queue::Queue;
use crate::record::Record;
use crate::{injected, place};
use std::fmt::Write as _;
use std::path::PathBuf;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All is well.
    Good,
    /// Nothing is wrong, or it could not be looked at.
    Note,
    /// Something is wrong.
    Bad,
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// How it came out.
    pub state: State,
    /// What is so.
    pub says: String,
    /// What to do, when it is bad.
    pub todo: String,
}

impl Finding {
    fn good(says: impl Into<String>) -> Self {
        Self { state: State::Good, says: says.into(), todo: String::new() }
    }

    fn note(says: impl Into<String>) -> Self {
        Self { state: State::Note, says: says.into(), todo: String::new() }
    }

    fn bad(says: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { state: State::Bad, says: says.into(), todo: todo.into() }
    }
}

/// What the checks look at.
struct Room {
    config: Result<Config, Failure>,
    /// The configuration, or its defaults where it cannot be read.
    settings: Config,
    home: PathBuf,
    queue: Queue,
    live: bool,
}

type Check = (&'static str, fn(&Room) -> Finding);

/// The checks, in their order. A tool that comes later adds its line here.
const CHECKS: &[Check] = &[
    ("tools", install::tools),
    ("path", install::path),
    ("config", install::config),
    ("loop", install::switch),
    ("settings", install::settings),
    ("others", install::others),
    ("model", install::model),
    ("budget", state::budget),
    ("queue", state::queue),
    ("failed", state::failed),
    ("gates", state::gates),
    ("hooks", state::hooks),
    ("worker", state::worker),
    ("memory", state::memory),
    ("missed", state::missed),
    ("rights", state::rights),
    ("knowledge", install::knowledge),
    ("index", install::index),
    ("disk", state::disk),
    ("trip", trip::round),
];

/// All findings, with the names of their checks. With `live` one model call is made.
pub fn examine(live: bool) -> Result<Vec<(&'static str, Finding)>, Failure> {
    let home = place::agent_home()?;
    let config = Config::load();
    let settings = Config::load().unwrap_or_default();
    let room = Room { config, settings, queue: Queue::of(&home), home, live };
    let mut found: Vec<(&'static str, Finding)> = Vec::new();
    for (name, check) in CHECKS {
        // Without its programs a round trip says nothing new.
        let needed = |name: &str| matches!(name, "tools" | "path");
        let broken = found.iter().any(|(name, finding)| needed(name) && finding.state == State::Bad);
        let skipped = *name == "trip" && broken;
        found.push((name, if skipped { Finding::note("not tried: programs are missing") } else { check(&room) }));
    }
    Ok(found)
}

/// A finding as a record.
pub fn record(name: &str, finding: &Finding) -> Record {
    let mut record = Record::new("check");
    record.set("name", name);
    record.set("state", word(finding.state));
    record.set("says", &finding.says);
    if !finding.todo.is_empty() {
        record.set("todo", &finding.todo);
    }
    record
}

fn word(state: State) -> &'static str {
    match state {
        State::Good => "ok",
        State::Note => "note",
        State::Bad => "bad",
    }
}

/// The findings as a screen, with colours on a terminal.
pub fn screen(found: &[(&'static str, Finding)], colours: bool) -> String {
    let mut out = String::new();
    for (name, finding) in found {
        let (colour, end) = match finding.state {
            _ if !colours => ("", ""),
            State::Good => ("\u{1b}[32m", "\u{1b}[m"),
            State::Note => ("", ""),
            State::Bad => ("\u{1b}[31m", "\u{1b}[m"),
        };
        let sign = match finding.state {
            State::Good => "ok  ",
            State::Note => "  - ",
            State::Bad => "BAD ",
        };
        let _ = writeln!(out, "{colour}{sign}{end} {name:10} {}", injected::line(&finding.says));
        if !finding.todo.is_empty() {
            let _ = writeln!(out, "{:15} -> {}", "", injected::line(&finding.todo));
        }
    }
    out
}
