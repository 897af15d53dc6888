//! Recent history: of the last decisions and failures those that matter for what goes on in this
//! checkout now, failures with their prevention.

use super::section::{Part, Section};
use super::{Moment, Start};
use crate::exit::Failure;
use crate::injected::line;
use crate::lesson::{Gist, Item, Kind};
use crate::memory::journal::{self, Known};
use crate::rank::Focus;
use crate::{clock, text};
use std::path::Path;

/// How much of each journal is looked at, in bytes.
const TAIL_BYTES: u64 = 64 << 10;
/// How many of each are told.
const SHOWN: usize = 3;
/// Characters of an item's one sentence, and of what is said behind it.
const SUMMARY_CHARS: usize = 200;
const REASON_CHARS: usize = 180;

/// What was found, and how many of it.
#[derive(Debug, Default)]
pub struct History {
    /// The part.
    pub section: Option<Section>,
    /// Decisions and failures in it.
    pub counts: (usize, usize),
}

/// The decisions and failures that matter now.
pub fn of(memory: &Path, focus: &Focus, start: &Start) -> Result<History, Failure> {
    let decisions = chosen(memory, Kind::Decision, focus, start)?;
    let failures = chosen(memory, Kind::Failure, focus, start)?;
    let counts = (decisions.len(), failures.len());
    let mut lines: Vec<String> = decisions.iter().map(|known| told("decided", known, why)).collect();
    lines.extend(failures.iter().map(|known| told("failed", known, prevention)));
    let section = (!lines.is_empty()).then(|| Section {
        part: Part::History,
        title: "Recent history".to_owned(),
        lines,
        source: "decisions.jsonl, failures.jsonl".to_owned(),
    });
    Ok(History { section, counts })
}

fn chosen(memory: &Path, kind: Kind, focus: &Focus, start: &Start) -> Result<Vec<Known>, Failure> {
    let own = |known: &Known| known.session_id == start.session.session_id;
    let mut all = journal::tail(&memory.join(journal::name(kind, true)), kind, TAIL_BYTES)?;
    // An old entry has no evidence to be judged by; ours without a foot in the transcript are not told.
    all.retain(|known| known.item.grounded || known.item.id.is_empty());
    all.retain(|known| start.since.is_none_or(|since| !own(known) && known.time > Some(since)));
    let items: Vec<(&Item, _)> = all.iter().map(|known| (&known.item, known.time)).collect();
    let mut order = focus.order(&items);
    // What this very session did comes first when it was just compacted, a failure that says how to
    // prevent it before one that does not.
    order.sort_by_key(|place| {
        let known = all.get(*place);
        let first = start.moment == Moment::Compact && known.is_some_and(own);
        let bare = kind == Kind::Failure && known.is_some_and(|known| known.item.prevention.is_empty());
        (!first, bare)
    });
    let mut found: Vec<(Gist, Known)> = Vec::new();
    for known in order.into_iter().filter_map(|place| all.get(place)) {
        if found.len() == SHOWN {
            break;
        }
        let gist = Gist::of(&known.item);
        if !found.iter().any(|(other, _)| gist.is_near(other, false)) {
            found.push((gist, known.clone()));
        }
    }
    Ok(found.into_iter().map(|(_, known)| known).collect())
}

fn told(verb: &str, known: &Known, more: fn(&Item) -> String) -> String {
    let day = known.time.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
    let summary = line(&known.item.summary);
    let more = more(&known.item);
    let more = if more.is_empty() { more } else { format!(" — {}", text::cut(&line(&more), REASON_CHARS)) };
    let by = if known.said_by.as_deref() == Some("tool") { " (from a tool's output)" } else { "" };
    format!("- {verb}{day}: {}{by}{more}", text::cut(&summary, SUMMARY_CHARS))
}

fn why(item: &Item) -> String {
    [("because: ", &item.rationale), ("", &item.context)]
        .iter()
        .find(|(_, text)| !text.is_empty())
        .map_or_else(String::new, |(lead, text)| format!("{lead}{text}"))
}

fn prevention(item: &Item) -> String {
    [("prevention: ", &item.prevention), ("mended by: ", &item.resolution), ("because: ", &item.root_cause)]
        .iter()
        .find(|(_, text)| !text.is_empty())
        .map_or_else(String::new, |(lead, text)| format!("{lead}{text}"))
}
