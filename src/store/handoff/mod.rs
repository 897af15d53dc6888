//! handoff.md: what is still open. It belongs to the newest transcript. What an older one left open
//! comes behind what is there, unless it was closed since; so does what the distiller of the newest did
//! not see. What a person wrote there stays until a person takes it out, and what a person took out
//! does not come back with the same session. [`state`] remembers what we wrote, to tell the two apart.

mod merge;
mod page;
mod state;
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
use state::{Closed, STATE, Stored, Version, written};
use std::path::Path;

pub use merge::merge;
pub use page::{Handoff, path, read};
pub use state::OpenItem;
pub use undo::{Undone, close, closed, reopen, take_back, without};

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
    let mut draft = HandoffDraft::new(given, &now, older);
    let became = given.items.iter().map(|item| draft.add(item)).collect();
    let Version { mut lines, closed, .. } = draft.into_version();
    // What a person wrote can hold a secret, too.
    for line in &mut lines {
        given.notes.redactor.show(&mut line.text);
    }
    let items: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let newest = written(if older { newest } else { Some(given.source_mtime) });
    let state = Version { newest, lines, closed }.text(given.notes.redactor);
    // Said again by a session that went on: the page must say that it is of now, or it passes for stale.
    let own = present.session_id.as_deref() == Some(given.notes.session_id);
    let told = own && present.source_mtime >= Some(given.source_mtime);
    let is_same = items == present.items && (told || older || items.is_empty());
    let page = || given.notes.redactor.masked_parts(&page::text(&head(present, given, older), &items));
    let steps = if is_same {
        vec![(STATE, Some(state))]
    } else {
        now.steps((!items.is_empty()).then(page), Some(state), given.notes.redactor)
    };
    let new = items.iter().filter(|item| !present.items.contains(item)).cloned();
    state::apply(memory, steps, given.notes, new)?;
    Ok((!is_same, became))
}

/// Whose the page is: an older session does not take it over.
fn head<'a>(present: &'a Handoff, given: &'a GivenHandoff<'_>, older: bool) -> Head<'a> {
    match (&present.session_id, present.source_mtime) {
        (Some(session_id), Some(source_mtime)) if older => {
            let heading = present.heading.as_deref().unwrap_or(given.heading);
            Head { session_id, source_mtime, ended_at: present.ended_at, heading }
        }
        _ => Head {
            session_id: given.notes.session_id,
            source_mtime: given.source_mtime,
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
    now.known.lines.iter_mut().for_each(|line| *line = line.passed(given));
    let state = now.known.text(given.notes.redactor);
    state::apply(memory, vec![(STATE, Some(state))], given.notes, None).map(|()| None)
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

/// A handoff that is being put together.
struct HandoffDraft<'a> {
    given: &'a GivenHandoff<'a>,
    /// The lines that are there, and what they say.
    present: &'a [OpenItem],
    said: Gists,
    /// What was closed, and what that says; none for what is open again.
    closed: Vec<Option<Closed>>,
    over: Gists,
    /// The lines of the session, and what they say.
    fresh: Vec<OpenItem>,
    fresh_said: Gists,
    /// The session saw all that is there, and takes its place.
    whole: bool,
    /// A later session had a say.
    older: bool,
}

impl<'a> HandoffDraft<'a> {
    fn new(given: &'a GivenHandoff<'a>, now: &'a Stored, older: bool) -> Self {
        let Version { lines, closed, .. } = &now.known;
        Self {
            given,
            present: lines,
            said: lines.iter().map(|line| &line.text).collect(),
            closed: closed.iter().cloned().map(Some).collect(),
            over: closed.iter().map(|closed| &closed.line.text).collect(),
            fresh: Vec::new(),
            fresh_said: Gists::default(),
            // Of what is below a slim handoff it saw nothing.
            whole: !older && !now.present.is_slim && now.present.base == given.base,
            older,
        }
    }

    /// Puts one item behind those before it, unless it is there or was closed.
    fn add(&mut self, item: &Item) -> Listed {
        let text = text::one_line(&item.summary);
        let text = page::without_marker(&text);
        if text.is_empty() {
            return Err(NotOpen::NoWords);
        }
        if let Some(line) = find(&self.fresh, &self.fresh_said, text) {
            return Ok(became(line, text));
        }
        let given = OpenItem { seen: item.seen.clone(), ..OpenItem::new(self.given, text.to_owned()) };
        let carried = item.voice() == Some(Voice::Handoff);
        let line = match find(self.present, &self.said, text) {
            Some(line) => self.said_again(line, given, carried),
            None => self.opened(given, carried)?,
        };
        let result = became(&line, text);
        self.fresh_said.push(&line.text);
        self.fresh.push(line);
        Ok(result)
    }

    /// A line that is there, when the session says the same.
    fn said_again(&self, line: &OpenItem, given: OpenItem, carried: bool) -> OpenItem {
        let keeps_words = line.person || self.older || !self.whole || line.text == given.text;
        let mut given = given.said_again(line);
        if carried {
            // It was only passed on.
            let OpenItem { later, spoken, passed, seen, .. } = line.passed(self.given);
            given = OpenItem { later, spoken, passed, seen, ..given };
        }
        if keeps_words { OpenItem { text: line.text.clone(), person: line.person, ..given } } else { given }
    }

    /// A line that is not there, unless it was closed.
    fn opened(&mut self, given: OpenItem, carried: bool) -> Result<OpenItem, NotOpen> {
        let over: Vec<usize> = self.over.all(&given.text).collect();
        let mut closed = over.iter().filter_map(|at| self.closed.get(*at)?.as_ref());
        if let Some(closed) = closed.find(|closed| closed.holds(self.given, carried)) {
            return Err(if closed.by.is_empty() { NotOpen::ClosedByPerson } else { NotOpen::ClosedLater });
        }
        for at in over {
            self.closed[at] = None;
        }
        Ok(given)
    }

    /// What is open and what is closed then; the later session is told first. What was there, is ours and is not said
    /// again is closed by this session: all of it if the session saw it, else what it gave itself.
    fn into_version(self) -> Version {
        let goes = |line: &OpenItem| !line.person && (self.whole || line.is_before(self.given));
        let has = |lines: &[OpenItem], text: &str| lines.iter().any(|line| line.text == text);
        let stays = |line: &&OpenItem| !goes(line) && !has(&self.fresh, &line.text);
        let lines: Vec<OpenItem> = if self.older {
            // What is there already keeps its place.
            let there = self.present.iter().filter(|line| !goes(line) || has(&self.fresh, &line.text));
            there.chain(self.fresh.iter().filter(|line| !has(self.present, &line.text))).cloned().collect()
        } else {
            let rest = self.present.iter().filter(stays).map(|line| line.passed(self.given));
            self.fresh.iter().cloned().chain(rest).collect()
        };
        let said: Gists = lines.iter().map(|line| &line.text).collect();
        let gone = self.present.iter().filter(|line| goes(line) && said.find(&line.text).is_none());
        let gone = gone.map(|line| line.closed(self.given.notes.session_id, self.given.source_mtime));
        let closed = self.closed.iter().flatten().cloned().chain(gone).collect();
        Version { newest: String::new(), lines, closed }
    }
}

/// The line in these very words, else the first that says the same.
fn find<'l>(lines: &'l [OpenItem], said: &Gists, text: &str) -> Option<&'l OpenItem> {
    said.all(text).filter_map(|at| lines.get(at)).min_by_key(|line| line.text != text)
}

fn became(line: &OpenItem, text: &str) -> Added {
    if line.text == text { Added::Written } else { Added::DuplicateOf(item::open_id(&line.text)) }
}

#[cfg(test)]
mod tests;
