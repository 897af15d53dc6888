//! The briefing of a project and the profiles of its skills, made of what is remembered: by a model where one is
//! configured, else without. A person's sections stay.

mod by_model;

use crate::agent::{injected, project};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, file, log, text};
use crate::record::episode::Episode;
use crate::record::item::{Gist, Item, ItemKind};
use crate::record::written::{Became, written};
use crate::redact::Redactor;
use crate::store::briefing::{self, BriefingPage, BriefingSection, LINES, PROFILE_LINES, PlacedPage, TITLES};
use crate::store::{self, Memory, change, episodes, handoff, journal};
use crate::tool::prune;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

/// How many of each there are at most.
const OPEN: usize = 15;
const EPISODES: usize = 20;
const DECISIONS: usize = 20;
const FAILURES: usize = 15;
/// Characters of a point.
const CHARS: usize = 220;
/// How much of a journal is read, in bytes.
const TAIL_BYTES: usize = 256 << 10;

/// A project that is to be briefed.
pub struct BriefedProject {
    /// Its memory.
    pub memory: Memory,
    /// The agent's home, whose ledger a call is in.
    home: PathBuf,
}

/// The current folder's.
pub fn here(config: &Config) -> Result<BriefedProject, Failure> {
    let session = project::here(config)?;
    Ok(BriefedProject { memory: Memory::of(&session, config)?, home: session.agent_home })
}

/// All in which a session ended since their briefing was made.
pub fn all(config: &Config) -> Result<Vec<BriefedProject>, Failure> {
    let mut found: Vec<BriefedProject> = Vec::new();
    for home in config.agent_homes()? {
        for folder in store::all(&home, config) {
            let newest = episodes::list([folder.as_path()])?.0.first().and_then(Episode::time);
            let is_new = newest.is_some() && newest > file::modified(&folder.join(briefing::NAME));
            if is_new && !found.iter().any(|known| *known.memory == *folder) {
                found.push(BriefedProject { memory: Memory::alone(&folder), home: home.clone() });
            }
        }
    }
    Ok(found)
}

/// The briefing as it would be without a model; none where nothing is remembered.
pub fn dry(project: &BriefedProject, redactor: &Redactor) -> Result<Option<Masked>, Failure> {
    let before = BriefingPage::read(&project.memory, briefing::NAME)?;
    let (episodes, _) = episodes::list(project.memory.folders())?;
    let ours = sections(&project.memory, &episodes, redactor)?;
    let (text, _) = BriefingPage { ours, ..before }.text(LINES);
    Ok((!text.is_empty()).then(|| redactor.masked_parts(&text)))
}

/// Makes the briefing and the profiles, and hands out a receipt for each; none where nothing is remembered.
pub fn make(project: &BriefedProject, config: &Config, redactor: &Redactor) -> Result<Vec<Record>, Failure> {
    let BriefedProject { memory, home } = project;
    let before = BriefingPage::read(memory, briefing::NAME)?;
    let (episodes, _) = episodes::list(memory.folders())?;
    let known = sections(memory, &episodes, redactor)?;
    if known.iter().all(|section| section.points.is_empty()) {
        return Ok(Vec::new());
    }
    let made = by_model::make(&known, &before, home, config, redactor);
    let ours = made.unwrap_or_else(|failure| {
        log::say("lh-brief", &format!("{}: made without a model instead", failure.message));
        None
    });
    let mut receipts = vec![put(memory, briefing::NAME, ours.as_ref().unwrap_or(&known), LINES)?];
    for skill in episodes.iter().filter_map(|one| one.skill_used.as_deref()).collect::<BTreeSet<_>>() {
        match briefing::profile(skill) {
            Some(name) => {
                receipts.push(put(memory, &name, &[profile(skill, &episodes, redactor)], PROFILE_LINES)?);
            }
            None => {
                log::say("lh-brief", &format!("no profile for the skill '{skill}': its name is not a plain file name"));
            }
        }
    }
    // What is too old, or one of too many, is in the briefing now as far as it counts.
    prune::memory("lh-brief", memory, config, &mut |record| {
        receipts.push(record.clone());
        Ok(())
    })?;
    Ok(receipts)
}

fn profile(skill: &str, episodes: &[Episode], redactor: &Redactor) -> BriefingSection {
    let of = episodes.iter().filter(|one| one.skill_used.as_deref() == Some(skill));
    let points = of.take(PROFILE_LINES).map(|one| of_episode(one, redactor)).collect();
    BriefingSection { title: briefing::profile_title(skill), points }
}

/// Puts our sections of a page in place.
fn put(memory: &Memory, name: &str, ours: &[BriefingSection], lines: usize) -> Result<Record, Failure> {
    let PlacedPage { is_new, lines: count, left_out } = briefing::put(memory, name, ours, lines)?;
    let path = memory.join(name);
    // A profile lists as many as fit.
    if left_out > 0 && name == briefing::NAME || count > lines {
        let what = format!("{count} lines of at most {lines}, {left_out} were left out");
        log::say("lh-brief", &format!("{}: {what}", path.display()));
    }
    let became = if is_new { Became::Written } else { Became::Unchanged };
    let what = if name == briefing::NAME { "briefing" } else { "profile" };
    Ok(written(Some(&path), what, None, &format!("{count} lines"), became))
}

/// Takes back what a making or a rolling back did, and says what came of each version, a record each.
pub fn undo(memory: &Memory, id: &str) -> Result<Vec<Record>, Failure> {
    let _lock = store::lock(memory)?;
    change::settle(memory)?;
    let undone = change::undo(memory, id, None)?;
    Ok(undone.iter().flat_map(|change| &change.entries).map(|file| change::told(memory, file)).collect())
}

/// Brings the older briefing back; none where there is none.
pub fn roll_back(project: &BriefedProject) -> Result<Option<Record>, Failure> {
    let path = project.memory.join(briefing::NAME);
    let done = briefing::roll_back(&project.memory)?;
    Ok(done.then(|| written(Some(&path), "briefing", None, "the version before", Became::Written)))
}

/// A text as a point, masked before it is cut.
fn point(said: &str, redactor: &Redactor) -> String {
    text::cut(&injected::line(&redactor.shown(said)), CHARS).into_owned()
}

fn day(time: Option<Timestamp>) -> String {
    time.map_or_else(String::new, |time| format!("{}: ", clock::local_day(time)))
}

/// An episode as a point.
fn of_episode(one: &Episode, redactor: &Redactor) -> String {
    point(&format!("{}{}", day(one.time()), one.summary()), redactor)
}

/// What is remembered without a model: the sections, made of the open items, the episodes and the journals.
fn sections(memory: &Memory, episodes: &[Episode], redactor: &Redactor) -> Result<Vec<BriefingSection>, Failure> {
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
    Ok(TITLES.into_iter().zip(points).map(section).collect())
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
