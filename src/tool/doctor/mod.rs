//! What works, what does not, and what to do: a line a check, in one table. Nothing is mended here, and
//! files are written only in a temporary home.

mod install;
mod state;
mod status;
mod trip;

pub use status::{brief, costs, follow, log};

use crate::agent::injected;
use crate::base::config::{Config, Privacy};
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::word_enum::words;
use crate::queue::Queue;
use crate::redact::Redactor;
use std::fmt::Write as _;
use std::path::PathBuf;

words! {
    /// How a check came out.
    Verdict {
        /// All is well.
        Good = "ok",
        /// Nothing is wrong, or it could not be looked at.
        Note = "note",
        /// Something is wrong.
        Bad = "bad",
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// How it came out.
    pub verdict: Verdict,
    /// What is so.
    pub says: String,
    /// What to do, when it is bad.
    pub todo: String,
}

/// What a check gives: what is good or cannot be told, or, as an error that ends it, what is bad.
type Checked = Result<Finding, Finding>;

fn found(verdict: Verdict, says: impl Into<String>, todo: impl Into<String>) -> Checked {
    let finding = Finding { verdict, says: says.into(), todo: todo.into() };
    if verdict == Verdict::Bad { Err(finding) } else { Ok(finding) }
}

fn good(says: impl Into<String>) -> Checked {
    found(Verdict::Good, says, "")
}

fn note(says: impl Into<String>) -> Checked {
    found(Verdict::Note, says, "")
}

fn bad(says: impl Into<String>, todo: impl Into<String>) -> Checked {
    found(Verdict::Bad, says, todo)
}

/// What is bad since something failed, with what to do.
fn failed(todo: &str) -> impl FnOnce(Failure) -> Finding {
    move |failure| Finding { verdict: Verdict::Bad, says: failure.message, todo: todo.to_owned() }
}

/// What the checks look at.
struct Subject<'a> {
    config: &'a Result<Config, Failure>,
    /// The configuration, or its defaults where it cannot be read.
    settings: &'a Config,
    home: PathBuf,
    queue: Queue,
    /// The names of all tools.
    tools: &'a [&'a str],
    live: bool,
}

/// A check: its name, whether it looks at each agent home, and what it does.
type Check = (&'static str, bool, fn(&Subject) -> Checked);

/// The checks, in their order. A tool that comes later adds its line here.
const CHECKS: &[Check] = &[
    ("tools", false, install::tools),
    ("path", false, install::path),
    ("config", false, install::config),
    ("loop", false, install::switch),
    ("settings", false, install::settings),
    ("others", false, install::others),
    ("model", false, install::model),
    ("budget", true, state::budget),
    ("queue", true, state::queue),
    ("failed", true, state::given_up),
    ("gates", false, state::gates),
    ("hooks", true, state::hooks),
    ("worker", true, state::worker),
    ("memory", true, state::memory),
    ("places", false, state::places),
    ("missed", false, state::missed),
    ("rights", true, state::rights),
    ("links", true, state::links),
    ("knowledge", false, install::knowledge),
    ("index", false, install::index),
    ("disk", false, state::disk),
    ("trip", false, trip::round),
];

/// All findings, with the names of their checks; `tools` names all tools. With `live` one model call is made.
pub fn examine(tools: &[&str], live: bool) -> Result<Vec<(&'static str, Finding)>, Failure> {
    let (config, defaults) = (Config::load(), Config::default());
    let settings = config.as_ref().unwrap_or(&defaults);
    let homes = match settings.agent_homes() {
        Ok(homes) => homes,
        // Then nothing else can be looked at.
        Err(failure) => return Ok(vec![("config", failed("mend that variable")(failure))]),
    };
    let subject =
        |home: PathBuf| Subject { config: &config, settings, queue: Queue::in_home(&home), home, tools, live };
    let subjects: Vec<Subject> = homes.into_iter().map(subject).collect();
    let Some((first, others)) = subjects.split_first() else { return Ok(Vec::new()) };
    let redactor = Redactor::new(&settings.privacy).or_else(|_| Redactor::new(&Privacy::default()))?;
    let mut found: Vec<(&'static str, Finding)> = Vec::new();
    for (name, each_home, check) in CHECKS {
        // Without its programs a round trip says nothing new.
        let needed = |name: &str| matches!(name, "tools" | "path");
        let broken = found.iter().any(|(name, finding)| needed(name) && finding.verdict == Verdict::Bad);
        let is_left_out = *name == "trip" && broken;
        let mut came = if is_left_out { note("not tried: programs are missing") } else { check(first) };
        for subject in others.iter().filter(|_| *each_home) {
            let at_home = |bad: Finding| Finding { says: format!("{}: {}", subject.home.display(), bad.says), ..bad };
            came = came.and_then(|before| check(subject).map_err(at_home).map(|_| before));
        }
        let mut finding = came.unwrap_or_else(|bad| bad);
        redactor.show(&mut finding.says);
        redactor.show(&mut finding.todo);
        found.push((name, finding));
    }
    Ok(found)
}

/// A finding as a record.
pub fn record(name: &str, finding: &Finding) -> Record {
    let mut record = Record::new("check");
    record.set("name", name);
    record.set("state", finding.verdict.word());
    record.set("says", &finding.says);
    record.set_text("todo", &finding.todo);
    record
}

/// The findings as a screen, with colours on a terminal.
pub fn screen(found: &[(&'static str, Finding)], colours: bool) -> String {
    let mut out = String::new();
    for (name, finding) in found {
        let (colour, sign) = match finding.verdict {
            Verdict::Good => ("\u{1b}[32m", "ok  "),
            Verdict::Note => ("", "  - "),
            Verdict::Bad => ("\u{1b}[31m", "BAD "),
        };
        let (colour, end) = if colours && !colour.is_empty() { (colour, "\u{1b}[m") } else { ("", "") };
        let _ = writeln!(out, "{colour}{sign}{end} {name:10} {}", injected::line(&finding.says));
        if !finding.todo.is_empty() {
            let _ = writeln!(out, "{:15} -> {}", "", injected::line(&finding.todo));
        }
    }
    out
}
