//! What a briefing is made of: the sections that it has without a model.

use crate::agent::injected;
use crate::base::exit::Failure;
use crate::base::{clock, text};
use crate::record::episode::Episode;
use crate::record::item::{Gist, Item, ItemKind};
use crate::redact::Redactor;
use crate::store::briefing::{BriefingSection, TITLES};
use crate::store::{Memory, episodes, handoff, journal};
use jiff::Timestamp;
use std::fmt::Write as _;

/// How many of each there are at most.
const OPEN: usize = 15;
const EPISODES: usize = 20;
const DECISIONS: usize = 20;
const FAILURES: usize = 15;
/// Characters of a point.
const CHARS: usize = 220;
/// How much of a journal is read, in bytes.
const TAIL_BYTES: usize = 256 << 10;

/// What is remembered.
pub struct Remembered {
    /// As the sections have it.
    pub sections: Vec<BriefingSection>,
    /// All episodes, the newest first.
    pub episodes: Vec<Episode>,
}

/// A text as a point, masked before it is cut.
pub fn point(said: &str, redactor: &Redactor) -> String {
    text::cut(&injected::line(&redactor.shown(said)), CHARS).into_owned()
}

fn day(time: Option<Timestamp>) -> String {
    time.map_or_else(String::new, |time| format!("{}: ", clock::local_day(time)))
}

/// An episode as a point.
pub fn of_episode(one: &Episode, redactor: &Redactor) -> String {
    point(&format!("{}{}", day(one.time()), one.summary()), redactor)
}

/// Reads it.
pub fn read(memory: &Memory, redactor: &Redactor) -> Result<Remembered, Failure> {
    let (episodes, _) = episodes::list(memory.folders())?;
    let mut open = Vec::new();
    for folder in memory.folders() {
        open.extend(handoff::lines(folder)?.into_iter().filter(|line| !line.is_old()).map(|line| line.text));
    }
    open.truncate(OPEN);
    let points = [
        open.iter().map(|item| point(item, redactor)).collect(),
        episodes.iter().take(EPISODES).map(|one| of_episode(one, redactor)).collect(),
        journal(memory, ItemKind::Decision, DECISIONS, redactor)?,
        journal(memory, ItemKind::Failure, FAILURES, redactor)?,
    ];
    let section = |(title, points): (&str, Vec<String>)| BriefingSection { title: title.to_owned(), points };
    Ok(Remembered { sections: TITLES.into_iter().zip(points).map(section).collect(), episodes })
}

/// The newest items of a journal that hold, what says the same once.
fn journal(memory: &Memory, kind: ItemKind, most: usize, redactor: &Redactor) -> Result<Vec<String>, Failure> {
    let mut all = journal::tail(&memory.journal(kind, true), kind, TAIL_BYTES)?;
    all.retain(|known| known.holds() && (known.item.grounded || known.item.id.is_empty()));
    all.sort_by_key(|known| std::cmp::Reverse(known.time));
    let (mut gists, mut points): (Vec<Gist>, Vec<String>) = (Vec::new(), Vec::new());
    for known in all {
        let gist = Gist::of_item(&known.item);
        if points.len() >= most || gists.iter().any(|other| gist.is_near(other, false)) {
            continue;
        }
        gists.push(gist);
        let Item { summary, rationale, prevention, resolution, .. } = &*known.item;
        // A decision has the first, a failure the others.
        let more = [("because", rationale), ("prevention", prevention), ("done about it", resolution)];
        let mut said = format!("{}{summary}", day(known.time));
        if let Some(program) = known.imported_from() {
            let _ = write!(said, " (imported from {program})");
        }
        if let Some((lead, text)) = more.iter().find(|(_, text)| !text.is_empty()) {
            let _ = write!(said, " — {lead}: {text}");
        }
        points.push(point(&said, redactor));
    }
    Ok(points)
}
