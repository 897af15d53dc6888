//! Recent history: of the last decisions and failures those that matter for what goes on in this
//! checkout now, failures with their prevention.

use super::Start;
use super::section::{Part, Section};
use crate::agent::injected::line;
use crate::agent::payload::Moment;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::git::{Commit, Git};
use crate::base::text::{self, Meaning};
use crate::rank::Focus;
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::redact::Redactor;
use crate::store::Memory;
use crate::store::journal::{self, Entry};
use jiff::Timestamp;
use std::collections::HashSet;

/// How much of each journal is looked at, in bytes.
const TAIL_BYTES: usize = 64 << 10;
/// How many of each are chosen.
const SHOWN: usize = 3;
/// Characters of an item's one sentence, and of what is said behind it.
const SUMMARY_CHARS: usize = 200;
const REASON_CHARS: usize = 180;
/// The share of its words that another text has of what is told already.
const TOLD: f64 = 0.7;

/// An item that is chosen.
struct Chosen {
    known: Entry,
    /// A later one is about the same and says something else.
    replaced: bool,
}

/// The decisions and failures that matter now.
/// What a commit took back is not told as decided.
pub fn section(
    memory: &Memory,
    focus: &Focus,
    git: &Git,
    start: &Start,
    redactor: &Redactor,
) -> Result<Option<Section>, Failure> {
    let mut decisions = choose(memory, ItemKind::Decision, focus, start)?;
    let reverted = reverted(git);
    decisions.retain(|chosen| !reverted.iter().any(|commit| commit.takes_back(&chosen.known)));
    let failures = choose(memory, ItemKind::Failure, focus, start)?;
    let mut lines: Vec<String> = decisions
        .iter()
        .map(|chosen| {
            let Item { rationale, context, .. } = &chosen.known.item;
            line_of(
                ("decided", ItemKind::Decision),
                chosen,
                &[("because: ", rationale), ("context: ", context)],
                (start, redactor),
            )
        })
        .collect();
    lines.extend(failures.iter().map(|chosen| {
        let Item { prevention, resolution, root_cause, .. } = &chosen.known.item;
        let more = [("prevention: ", prevention), ("mended by: ", resolution), ("because: ", root_cause)];
        line_of(("failed", ItemKind::Failure), chosen, &more, (start, redactor))
    }));
    let count = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let counts = [count(decisions.len(), "decision"), count(failures.len(), "failure")];
    let banner = counts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    Ok((!lines.is_empty()).then(|| Section {
        part: Part::History,
        title: "Recent history".to_owned(),
        lines,
        source: "decisions.jsonl, failures.jsonl".to_owned(),
        banner,
        left: 0,
    }))
}

/// A commit that takes another one back: its time, and the words of the other one's title.
struct Reverted {
    time: Option<Timestamp>,
    title: HashSet<String>,
}

impl Reverted {
    /// Whether a decision is older and about the same.
    fn takes_back(&self, known: &Entry) -> bool {
        let Item { summary, context, rationale, .. } = &known.item;
        let said = words(&format!("{summary} {context} {rationale}"));
        let about = text::share(self.title.intersection(&said).count(), self.title.len()) >= TOLD;
        about && self.title.len() > 1 && known.time.is_some() && known.time < self.time
    }
}

/// Those of the user among the last commits.
fn reverted(git: &Git) -> Vec<Reverted> {
    let title = |subject: &str| subject.strip_prefix("Revert \"")?.strip_suffix('"').map(words);
    let of = |commit: &Commit| Some(Reverted { time: clock::parse(&commit.time), title: title(&commit.subject)? });
    git.commits.iter().filter(|commit| commit.own).filter_map(of).collect()
}

/// What a text names.
fn words(text: &str) -> HashSet<String> {
    let Meaning { stems, fixed } = text::meaning(text);
    stems.into_iter().chain(fixed).collect()
}

fn choose(memory: &Memory, kind: ItemKind, focus: &Focus, start: &Start) -> Result<Vec<Chosen>, Failure> {
    let own = |known: &Entry| known.session_id == start.session.session_id;
    let mut all = journal::tail(&memory.journal(kind, true), kind, TAIL_BYTES)?;
    // An old entry has no evidence to be judged by; ours without a foot in the transcript are not chosen.
    all.retain(|known| known.item.grounded || known.item.id.is_empty());
    all.retain(|known| start.since.is_none_or(|since| !own(known) && known.time > Some(since)));
    let items: Vec<(&Item, _)> = all.iter().map(|known| (&known.item, known.time)).collect();
    let mut order = focus.order(&items);
    // What this very session did comes first when it was just compacted, a failure that says how to
    // prevent it before one that does not.
    order.sort_by_key(|at| {
        let known = all.get(*at);
        let first = start.moment == Moment::Compact && known.is_some_and(own);
        let bare = kind == ItemKind::Failure && known.is_some_and(|known| known.item.prevention.is_empty());
        (!first, bare)
    });
    let mut found: Vec<(Gist, Chosen)> = Vec::new();
    for known in order.into_iter().filter_map(|place| all.get(place)) {
        let gist = Gist::of_item(&known.item, kind);
        if found.iter().any(|(other, _)| gist.is_near(other, false)) {
            continue;
        }
        // The last one about it is told before it, whatever else it would count.
        let later = std::iter::successors(later(&all, known, kind), |later| self::later(&all, later, kind)).last();
        if let Some(later) = later {
            let of = Gist::of_item(&later.item, kind);
            if !found.iter().any(|(other, _)| of.is_near(other, false)) {
                found.push((of, Chosen { known: later.clone(), replaced: false }));
            }
        }
        found.push((gist, Chosen { known: known.clone(), replaced: later.is_some() }));
        if found.len() >= SHOWN {
            break;
        }
    }
    found.truncate(SHOWN);
    Ok(found.into_iter().map(|(_, chosen)| chosen).collect())
}

/// The latest of those that are newer than an item and say something else about the same.
fn later<'e>(all: &'e [Entry], known: &Entry, kind: ItemKind) -> Option<&'e Entry> {
    let gist = Gist::of_item(&known.item, kind);
    let newer = all.iter().filter(|other| known.time.is_some() && other.time > known.time);
    newer.filter(|other| gist.is_similar(&other.item.summary)).max_by_key(|other| other.time)
}

/// An item as one line; of `more` the first that says something else comes after it. Masked
/// before it is cut.
fn line_of(
    (verb, kind): (&str, ItemKind),
    chosen: &Chosen,
    more: &[(&str, &String)],
    (start, redactor): (&Start, &Redactor),
) -> String {
    let Chosen { known, replaced } = chosen;
    let shown = |text: &str, chars| text::cut(&line(&redactor.shown(text)), chars).into_owned();
    let day = known.time.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
    let summary = words(&known.item.summary);
    let is_told = |text: &str| {
        let said = words(text);
        text::share(said.intersection(&summary).count(), said.len()) >= TOLD
    };
    let more = more.iter().find(|(_, text)| !text.is_empty() && !is_told(text));
    let besides = more.map_or("", |(_, text)| text);
    let gone = start.gone(&format!("{}\n{besides}", known.item.summary), redactor);
    let more = more.map(|(lead, text)| format!(" — {lead}{}", shown(text, REASON_CHARS))).unwrap_or_default();
    let by = if known.said_by.as_deref() == Some("tool") { " (from a tool's output)" } else { "" };
    let replaced = if *replaced { " (perhaps replaced)" } else { "" };
    let id = known.id(kind);
    let id = item::short_id(&id);
    format!("- {verb}{day} ({id}): {}{gone}{replaced}{by}{more}", shown(&known.item.summary, SUMMARY_CHARS))
}
