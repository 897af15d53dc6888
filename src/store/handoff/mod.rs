//! handoff.md: what is still open. It belongs to the newest transcript. What an older one left open
//! comes behind what is there, unless it was closed since; so does what the distiller of the newest did
//! not see. What a person wrote there stays until a person takes it out, and what a person took out
//! does not come back with the same session. [`state`] remembers what we wrote, to tell the two apart.

mod by_hand;
mod merge;
mod page;
mod slim;
mod state;
mod stored;
mod undo;

use crate::base::exit::Failure;
use crate::base::{log, text};
use crate::record::gists::Gists;
use crate::record::item::{self, Item};
use crate::record::speaker::Voice;
use crate::record::written::NotOpen;
use crate::store::Added;
use crate::store::receipts::Receipts;
use jiff::Timestamp;
use page::{HEADINGS, Head};
use state::STATE;
use state::{Closed, Version, written};
use std::collections::HashSet;
use std::path::Path;
use stored::Stored;

pub use by_hand::{close, closed, reopen};
pub use merge::merge;
pub use page::{Handoff, path, read};
pub use slim::{Slim, slim};
pub use state::OpenItem;
pub use undo::{Undone, take_back, without};

/// The hash of "there was no handoff".
pub const NO_BASE: &str = "none";
/// Stands for the hash where the distiller did not see all of it: nothing of others is settled then.
pub const IN_PART: &str = "in part";

/// A handoff that a session gives.
pub struct GivenHandoff<'a> {
    /// The open items; none removes the file.
    pub items: &'a [Item],
    /// The time of its transcript.
    pub source_mtime: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Whether it did something: what no such session speaks of grows old.
    pub worked: bool,
    /// The hash of the handoff that its distiller saw.
    pub base: &'a str,
    /// The first line.
    pub heading: &'a str,
    /// The session, what masks what is written, and where it is noted before it is written.
    pub notes: &'a Receipts<'a>,
}

/// What became of an item that was given: it is open in these words, or one that says the same is, or why it is not.
pub type Listed = Result<Added, NotOpen>;

/// Puts a session's handoff in place, and says whether the page is another one now, and of each item what became of it;
/// the caller holds the folder's lock.
pub fn put(memory: &Path, given: &GivenHandoff<'_>) -> Result<(bool, Vec<Listed>), Failure> {
    let now = Stored::read(memory)?;
    let (present, newest) = (&now.present, now.newest());
    let older = newest.is_some_and(|newest| newest > given.source_mtime);
    let own = present.session_id.as_deref() == Some(given.notes.session_id);
    let whole = !older && present.base == given.base;
    let mut work = HandoffDraft::new(given, &now.known, whole, older);
    let (mut lines, became) = work.lines();
    // What a person wrote can hold a secret, too.
    for line in &mut lines {
        given.notes.redactor.show(&mut line.text);
    }
    work.close(&lines);
    let items: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let newest = if older { newest } else { Some(given.source_mtime) };
    let closed = work.closed.into_iter().flatten().collect();
    let state = Version { newest: written(newest), lines, closed }.text(given.notes.redactor);
    // Said again by a session that went on: the page must say that it is of now, or it passes for stale.
    let told = own && !present.is_rounded && present.source_mtime >= Some(given.source_mtime);
    let is_same = items == present.items && (told || older || items.is_empty());
    let page = || given.notes.redactor.masked_parts(&page::text(&head(present, given, older), &items));
    let steps = if is_same {
        vec![(STATE, Some(state))]
    } else {
        now.steps((!items.is_empty()).then(page), Some(state), given.notes.redactor)
    };
    let new = items.iter().filter(|item| !present.items.contains(item)).cloned();
    stored::apply(memory, steps, given.notes, new)?;
    Ok((!is_same, became))
}

/// Whose the page is: an older session does not take it over.
fn head<'a>(present: &'a Handoff, given: &'a GivenHandoff<'_>, older: bool) -> Head<'a> {
    match (&present.session_id, present.source_mtime) {
        (Some(session_id), Some(source_mtime)) if older => {
            let heading = present.heading.as_deref().unwrap_or(given.heading);
            Head { session_id, source_mtime, is_rounded: present.is_rounded, ended_at: present.ended_at, heading }
        }
        _ => Head {
            session_id: given.notes.session_id,
            source_mtime: given.source_mtime,
            is_rounded: false,
            ended_at: given.ended_at,
            heading: given.heading,
        },
    }
}

/// The heading over what a session left open: the configured one, else in the session's language.
pub fn heading(configured: Option<&str>, is_spanish: bool) -> &str {
    let [spanish, english] = HEADINGS;
    configured.unwrap_or(if is_spanish { spanish } else { english })
}

/// Notes that a session ended and said nothing about what is open: what it gave itself earlier goes. The caller holds the
/// folder's lock. What [`put`] says of the page; none where only what is remembered changes.
pub fn pass(memory: &Path, given: &GivenHandoff<'_>) -> Result<Option<bool>, Failure> {
    let mut now = Stored::read(memory)?;
    if now.known.lines.iter().any(|line| line.is_before(given)) {
        return put(memory, &GivenHandoff { items: &[], base: IN_PART, ..*given }).map(|(is_new, _)| Some(is_new));
    }
    if now.present.items.is_empty() || now.newest() > Some(given.source_mtime) {
        return Ok(None);
    }
    now.known.lines.iter_mut().for_each(|line| line.pass(given));
    let state = now.known.text(given.notes.redactor);
    stored::apply(memory, vec![(STATE, Some(state))], given.notes, None).map(|()| None)
}

/// The items of a page with what is remembered of each, in the page's order. What is remembered can be unreadable: then
/// the page alone counts.
pub fn lines(memory: &Path) -> Result<Vec<OpenItem>, Failure> {
    let stored = Stored::read(memory).or_else(|failure| {
        let page = Stored::read_page(memory, None)?;
        log::say("lh", &failure.message);
        Ok(page)
    });
    stored.map(|stored| stored.known.lines)
}

/// The time of the newest transcript that had a say.
pub fn newest(memory: &Path) -> Result<Option<Timestamp>, Failure> {
    Ok(Stored::read(memory)?.newest())
}

/// Open items, and what they say.
#[derive(Default)]
struct OpenItems {
    all: Vec<OpenItem>,
    said: Gists,
}

impl OpenItems {
    fn push(&mut self, line: OpenItem) {
        self.said.push(&line.text);
        self.all.push(line);
    }

    /// The one in these very words, else the first that says the same.
    fn find(&self, text: &str) -> Option<&OpenItem> {
        let same = || self.said.all(text).filter_map(|at| self.all.get(at));
        same().find(|line| line.text == text).or_else(|| same().next())
    }

    fn texts(&self) -> HashSet<&str> {
        self.all.iter().map(|line| line.text.as_str()).collect()
    }
}

/// A handoff that is being put together.
struct HandoffDraft<'a> {
    given: &'a GivenHandoff<'a>,
    present: OpenItems,
    /// What was closed; none for what is open again.
    closed: Vec<Option<Closed>>,
    /// What that says.
    over: Gists,
    /// The session saw all that is there, and takes its place.
    whole: bool,
    /// A later session had a say.
    older: bool,
}

impl<'a> HandoffDraft<'a> {
    fn new(given: &'a GivenHandoff<'a>, known: &Version, whole: bool, older: bool) -> Self {
        let mut present = OpenItems::default();
        known.lines.iter().cloned().for_each(|line| present.push(line));
        let over = known.closed.iter().map(|closed| &closed.line.text).collect();
        Self { given, present, closed: known.closed.iter().cloned().map(Some).collect(), over, whole, older }
    }

    /// The lines of the new handoff, and what became of each item. The later is told first.
    fn lines(&mut self) -> (Vec<OpenItem>, Vec<Listed>) {
        let mut fresh = OpenItems::default();
        let mut became = Vec::new();
        for item in self.given.items {
            let text = text::one_line(&item.summary);
            let text = page::without_marker(&text);
            became.push(if text.is_empty() { Err(NotOpen::NoWords) } else { self.put_in(&mut fresh, item, text) });
        }
        let stays = |line: &OpenItem| line.person || !self.whole && !line.is_before(self.given);
        let said_now = fresh.texts();
        let taken = |line: &OpenItem| said_now.contains(line.text.as_str());
        let passed = |line: &OpenItem| {
            let mut line = line.clone();
            line.pass(self.given);
            line
        };
        let present = self.present.all.iter();
        let lines = if self.older {
            // What is there already keeps its place.
            let there = self.present.texts();
            let new = fresh.all.iter().filter(|line| !there.contains(line.text.as_str()));
            present.filter(|line| stays(line) || taken(line)).chain(new).cloned().collect()
        } else {
            let rest = present.filter(|line| stays(line) && !taken(line)).map(passed);
            fresh.all.iter().cloned().chain(rest).collect()
        };
        (lines, became)
    }

    /// Puts one item behind those before it, unless it is there or was closed.
    fn put_in(&mut self, fresh: &mut OpenItems, item: &Item, text: &str) -> Listed {
        if let Some(line) = fresh.find(text) {
            return Ok(became(line, text));
        }
        let given = OpenItem { seen: item.seen.clone(), ..OpenItem::new(self.given, text.to_owned()) };
        let carried = item.voice() == Some(Voice::Handoff);
        // The very words first: they are the ones that stay.
        if let Some(line) = self.present.find(text) {
            let mut given = given.said_again(line);
            let kept = line.person || self.older || !self.whole || line.text == text;
            if carried {
                // It was only passed on.
                let mut line = line.clone();
                line.pass(self.given);
                (given.later, given.spoken, given.passed) = (line.later, line.spoken, line.passed);
                given.seen = line.seen;
            }
            let line = if kept { OpenItem { text: line.text.clone(), person: line.person, ..given } } else { given };
            let result = became(&line, text);
            fresh.push(line);
            return Ok(result);
        }
        let over: Vec<usize> = self.over.all(text).collect();
        let mut closed = over.iter().filter_map(|at| self.closed.get(*at)?.as_ref());
        if let Some(closed) = closed.find(|closed| closed.holds(self.given, carried)) {
            return Err(if closed.by.is_empty() { NotOpen::ClosedByPerson } else { NotOpen::ClosedLater });
        }
        for at in over {
            self.closed[at] = None;
        }
        fresh.push(given);
        Ok(Added::Written)
    }

    /// What was there, is ours and is not said again is closed by this session: all of it if the session saw it, else
    /// what it gave itself.
    fn close(&mut self, lines: &[OpenItem]) {
        let said: Gists = lines.iter().map(|line| &line.text).collect();
        let closes = |line: &&OpenItem| !line.person && (self.whole || line.is_before(self.given));
        let gone = self.present.all.iter().filter(closes).filter(|line| said.find(&line.text).is_none());
        self.closed.extend(gone.map(|line| Some(line.closed(self.given.notes.session_id, self.given.source_mtime))));
    }
}

fn became(line: &OpenItem, text: &str) -> Added {
    if line.text == text { Added::Written } else { Added::DuplicateOf(item::open_id(&line.text)) }
}

#[cfg(test)]
mod tests;
