//! Closing and reopening items by hand, and taking back what a session wrote into a handoff: to the byte where nothing
//! came after it, else only the items that are the session's alone.
//!
//! What a tool does by hand to the page is what a person would do: it ticks a line, or takes the tick away. So a kill
//! leaves the page as a person could have left it, and [`super::state`] reads from the page what was done.

use super::page::{self, Line};
use super::state::{OpenItem, PAGE, STATE, Step, Stored, is_own, write};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::record::session;
use crate::redact::Redactor;
use crate::store::receipts::{BY_HAND, Rewritten, TakenOut, WrittenItem};
use jiff::Timestamp;
use std::path::Path;

/// Ticks the lines of open items; the caller holds the folder's lock.
pub fn close(memory: &Path, items: &[String], redactor: &Redactor) -> Result<(), Failure> {
    let ticked = |line: &str| {
        let item = page::without_marker(line);
        let is_meant = !page::is_heading(line) && !page::is_ticked(line) && items.iter().any(|known| known == item);
        let marks = line.strip_suffix(item).filter(|_| is_meant)?;
        Some(match marks.split_once('[') {
            // A capital, so that it gets an empty box again when the item is opened again.
            Some((marks, _)) => format!("{marks}[X] {item}"),
            None => format!("{marks}[x] {item}"),
        })
    };
    let page = Stored::read(memory)?.page.unwrap_or_default();
    put(memory, &page::with_lines(&page, |line| ticked(line).map_or(Line::Stays, Line::Becomes)), redactor)
}

/// What a person said is done, the oldest first, each with the time.
pub fn closed(memory: &Path) -> Result<Vec<(Option<Timestamp>, String)>, Failure> {
    let ticked = Stored::read(memory)?.known.closed.into_iter().filter(|closed| closed.ticked);
    Ok(ticked.map(|closed| (closed.time(), closed.line.text)).collect())
}

/// Takes the ticks of items away, or puts the items that were taken off the page at its end; the caller holds
/// the folder's lock. `heading` is for a page that is made anew.
pub fn reopen(memory: &Path, items: &[String], heading: &str, redactor: &Redactor) -> Result<(), Failure> {
    let page = Stored::read(memory)?.page.unwrap_or_default();
    let mut there: Vec<String> = Vec::new();
    let mut open = |line: &str| {
        let item = page::without_marker(line);
        let is_meant = page::is_ticked(line) && items.iter().any(|known| known == item);
        let (marks, tick) = line.strip_suffix(item).filter(|_| is_meant)?.split_once('[')?;
        there.push(item.to_owned());
        Some(format!("{marks}{}{item}", if tick.starts_with('X') { "[ ] " } else { "" }))
    };
    let mut page = page::with_lines(&page, |line| open(line).map_or(Line::Stays, Line::Becomes));
    let missing: Vec<&String> = items.iter().filter(|item| !there.contains(item)).collect();
    if page.is_empty() && !missing.is_empty() {
        page = format!("{heading}\n");
    }
    put(memory, &page::with_more(page, missing), redactor)
}

/// Writes a page, and what is to be remembered of it.
fn put(memory: &Path, page: &str, redactor: &Redactor) -> Result<(), Failure> {
    write(memory, vec![(PAGE, Some(redactor.masked_parts(page)))])?;
    let known = Stored::read(memory)?.known;
    write(memory, vec![(STATE, Some(known.text(redactor)))])
}

/// What taking back did to a handoff.
#[derive(Debug, Default)]
pub struct Undone {
    /// What became of each item.
    pub items: Vec<TakenOut>,
    /// Items that the session had closed, and that are open again.
    pub opened: Vec<String>,
    /// Whether anything was to be done.
    pub any: bool,
}

/// Takes back what a session wrote. With `whole`, its change of the page and of what is remembered of it, that is the
/// handoff as it was before. Where something changed since, or where it cannot be told what it was, and without `whole`,
/// only these items go; one that another session said, too, stays. The caller holds the folder's lock; a `dry` run
/// changes nothing.
pub fn take_back(
    memory: &Path,
    items: &[WrittenItem],
    session_id: &str,
    whole: Option<(&Rewritten, &Rewritten)>,
    (dry, redactor): (bool, &Redactor),
) -> Result<Undone, Failure> {
    is_own(memory)?;
    let now = Stored::read(memory)?;
    let before = whole.and_then(|change| now.before(change));
    let is_whole = before.is_some();
    let says = |line: &OpenItem| items.iter().any(|said| said.text == line.text) && goes_with(line, session_id);
    let next = before.unwrap_or_else(|| now.without(says, redactor));
    let (open, rest) = (&now.present.items, &next.present.items);
    let became = |said: &WrittenItem| match (open.contains(&said.text), rest.contains(&said.text)) {
        (true, true) if !is_whole => TakenOut::kept("it is another's now"),
        (was_open, is_open) => TakenOut { removed: was_open && !is_open, kept: String::new() },
    };
    let undone = Undone {
        items: items.iter().map(became).collect(),
        opened: rest.iter().filter(|item| !open.contains(item)).cloned().collect(),
        any: !next.is_same(&now),
    };
    if undone.any && !dry {
        let (page, state) = next.masked(redactor);
        write(memory, now.steps(page, state, redactor))?;
    }
    Ok(undone)
}

/// What is to become of both files without what a session, with its id as a file's name, said first and last; nothing
/// where there is none of it.
pub fn without(memory: &Path, session_id: &str, redactor: &Redactor) -> Result<Vec<Step>, Failure> {
    let now = Stored::read(memory)?;
    let is_it = |id: &str| session::safe_id(id) == session_id;
    let is_its = |line: &OpenItem| line.is_of(&line.session_id) && is_it(&line.session_id);
    let mut next = now.without(is_its, redactor);
    let mut version = next.known.clone();
    version.lines.iter_mut().for_each(|line| line.later.retain(|id| !is_it(id)));
    version.closed.retain(|closed| !is_its(&closed.line));
    if next.state.is_some() && version != next.known {
        next.state = Some(version.text(redactor).text().into_owned());
    }
    // The page is that of a session of which it has an item.
    let other = version.lines.iter().find(|line| !line.session_id.is_empty() && !is_it(&line.session_id));
    if let (Some(page), Some(other), Some(own)) =
        (&mut next.page, other, now.present.session_id.as_ref().filter(|id| is_it(id)))
    {
        *page = page.replacen(&format!("session_id: {own}\n"), &format!("session_id: {}\n", other.session_id), 1);
    }
    if next.is_same(&now) {
        return Ok(Vec::new());
    }
    let (page, state) = next.masked(redactor);
    Ok(vec![(PAGE, page), (STATE, state)])
}

/// Whether a line goes when what a session, with its id as a file's name, wrote is taken back. A session that only
/// passed it on is among the ones that did not speak of it. Of what is written by hand each line of a person can go.
fn goes_with(line: &OpenItem, session_id: &str) -> bool {
    if line.person {
        return session_id == BY_HAND;
    }
    session::safe_id(&line.session_id) == session_id || line.later.contains(&line.session_id)
}

impl Stored {
    /// Both files as they may be written.
    fn masked(&self, redactor: &Redactor) -> (Option<Masked>, Option<Masked>) {
        let page = self.page.as_deref().map(|page| redactor.masked_parts(page));
        (page, self.state.as_deref().map(|state| redactor.masked_json(state)))
    }

    /// What it was before a session wrote it; none where something came after that.
    fn before(&self, (page, state): (&Rewritten, &Rewritten)) -> Option<Self> {
        let old = self.with(page.copy()?, state.copy()?);
        let is_page = self.page == old.page || page.is_of(self.page.as_deref());
        // An undo that was killed left what was remembered before, with what was remembered after it.
        let two = |side: &Self| side.state.as_ref().map(|state| state.lines().take(2).collect::<Vec<_>>().join("\n"));
        let is_begun = old.state.is_some() && two(self) == two(&old);
        (is_page && (is_begun || state.is_of(self.state.as_deref()))).then_some(old)
    }

    /// The same without some lines, open or closed by a session; the page goes where nothing but a head of ours is left.
    fn without(&self, goes: impl Fn(&OpenItem) -> bool, redactor: &Redactor) -> Self {
        let mut version = self.known.clone();
        version.closed.retain(|closed| closed.by.is_empty() || !goes(&closed.line));
        let gone: Vec<OpenItem> = version.lines.extract_if(.., |line| goes(line)).collect();
        if version == self.known {
            return self.clone();
        }
        let is_gone =
            |line: &str| !page::is_ticked(line) && gone.iter().any(|gone| gone.text == page::without_marker(line));
        let stays = |line: &str| if is_gone(line) { Line::Goes } else { Line::Stays };
        let heading = self.present.heading.as_deref();
        let is_bare = |page: &String| {
            self.present.ours
                && page::parts(page).1.lines().map(str::trim).all(|line| line.is_empty() || heading == Some(line))
        };
        let page = self.page.as_deref().map(|page| page::with_lines(page, stays)).filter(|page| !is_bare(page));
        self.with(page, Some(version.text(redactor).text().into_owned()))
    }
}
