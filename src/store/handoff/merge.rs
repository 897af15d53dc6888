//! Two handoffs become one, when a project's memory moves to a folder that has one. The page of the newer transcript
//! stays as it is; what is open on the other one comes behind it, unless it says the same or was closed since.

use super::state::{Closed, OpenItem, STATE, Version};
use super::{page, slim};
use crate::base::exit::Failure;
use crate::base::file;
use crate::base::masked::Masked;
use crate::record::gists::Gists;
use crate::redact::Redactor;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::Path;

/// A file of the memory folder that is written, or removed when it has no content.
pub struct Step {
    /// Its name, below the memory folder.
    pub name: &'static str,
    /// What it will hold.
    pub content: Option<Masked>,
}

/// One of the two folders.
struct Side {
    raw: Option<String>,
    state: Option<Vec<u8>>,
    known: Version,
    /// What was closed, by what it says.
    over: Gists,
    /// The open lines: as they are on the page, and as they may be written.
    lines: Vec<(String, OpenItem)>,
    newest: Option<Timestamp>,
}

impl Side {
    fn read(memory: &Path, redactor: &Redactor) -> Result<Self, Failure> {
        let present = page::read(memory)?;
        let known = Version::read(memory, &present)?;
        let shown = |line: &OpenItem| {
            let mut shown = line.clone();
            redactor.show(&mut shown.text);
            (line.text.clone(), shown)
        };
        let lines = known.lines.iter().map(shown).filter(|(_, line)| !line.text.trim().is_empty()).collect();
        let newest = super::latest(known.newest, &present);
        let (raw, state) = (file::read_text(&page::path(memory))?, file::read(&memory.join(STATE))?);
        let over = known.closed.iter().map(|closed| &closed.line.text).collect();
        Ok(Self { raw, state, known, over, lines, newest })
    }

    /// Whether a line of the other side was closed here after it was said.
    fn closed(&self, line: &OpenItem) -> bool {
        self.over.all(&line.text).any(|at| self.known.closed.get(at).is_some_and(|closed| closed.closes(line)))
    }
}

/// What is to be written into `to`, in this order, so that its handoff has what is open in both folders; nothing when
/// it has. The caller holds the locks of both.
pub fn merge(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Step>, Failure> {
    let (to, from) = (Side::read(to, redactor)?, Side::read(from, redactor)?);
    let (front, back) = if from.newest > to.newest { (&from, &to) } else { (&to, &from) };
    let mut lines: Vec<OpenItem> = Vec::new();
    let open_of = |side: &Side, other: &Side| -> Vec<OpenItem> {
        side.lines.iter().map(|(_, line)| line).filter(|line| !other.closed(line)).cloned().collect()
    };
    lines.extend(open_of(front, back));
    let said: Gists = front.lines.iter().map(|(_, known)| &known.text).collect();
    for line in open_of(back, front) {
        if said.find(&line.text).is_none() {
            lines.push(line);
        }
    }
    let page = page_of(front, back, &lines).map(|page| redactor.masked_parts(&page));
    if let Some(page) = &page {
        // What masking made of a line is what must be remembered of it.
        let written = page::parse(page.bytes()).items;
        if written.len() == lines.len() {
            lines.iter_mut().zip(written).for_each(|(line, text)| line.text = text);
        }
    }
    let next = Version { newest: front.newest.max(back.newest), closed: closed_of(&to, &from, &lines), lines };
    Ok(steps(&to, page, &next, redactor))
}

fn steps(to: &Side, page: Option<Masked>, next: &Version, redactor: &Redactor) -> Vec<Step> {
    let same_page = to.raw.as_deref() == page.as_ref().map(Masked::text).as_deref();
    let mut steps = Vec::new();
    if !same_page {
        // First what we are about to write, together with what is there: see [`super::put`].
        let both = next.text(Some(&to.known), redactor);
        steps.push(Step { name: STATE, content: Some(both) });
        steps.push(Step { name: "handoff.md", content: page });
    }
    let state = next.text(None, redactor);
    if !same_page || to.state.as_deref() != Some(state.bytes()) {
        steps.push(Step { name: STATE, content: Some(state) });
    }
    steps
}

/// The page of the newer side, or of the other one where the newer has none, without what was closed, and with what is
/// open beside it; none when nothing is open on either.
fn page_of(front: &Side, back: &Side, lines: &[OpenItem]) -> Option<String> {
    if lines.is_empty() {
        return front.raw.clone();
    }
    // The predecessor's slim handoff says nothing of what is open, and all that is behind its title is of it.
    let parts = |side: &'_ Side| {
        let (text, slim) = slim::split(side.raw.as_deref().unwrap_or_default());
        (text.to_owned(), slim.map(str::to_owned))
    };
    let text = |side: &Side| parts(side).0;
    let base = if text(front).trim().is_empty() { back } else { front };
    let raw = text(base);
    let stays = |text: &str| lines.iter().any(|line| line.text == text);
    let gone: Vec<&String> = base.lines.iter().filter(|(_, line)| !stays(&line.text)).map(|(text, _)| text).collect();
    let is_gone = |line: &&str| gone.iter().any(|text| page::without_marker(line.trim()) == text.as_str());
    let mut page: String = raw.split_inclusive('\n').filter(|line| !is_gone(line)).collect();
    if !page.is_empty() && !page.ends_with('\n') {
        page.push('\n');
    }
    for line in lines.iter().filter(|line| !base.lines.iter().any(|(_, known)| known.text == line.text)) {
        let _ = writeln!(page, "- {}", line.text);
    }
    if let Some(slim) = parts(front).1.or(parts(back).1) {
        // The same page comes of the same two, however often they are merged.
        page.truncate(page.trim_end().len());
        let _ = write!(page, "\n\n{slim}");
    }
    Some(page)
}

/// What was closed on both sides and is not open now, the oldest first.
fn closed_of(to: &Side, from: &Side, lines: &[OpenItem]) -> Vec<Closed> {
    let mut all: Vec<Closed> = to.known.closed.clone();
    let new = from.known.closed.iter().filter(|closed| !to.known.closed.contains(closed));
    all.extend(new.cloned());
    all.retain(|closed| !lines.iter().any(|line| line.text == closed.line.text));
    all.sort_by_key(Closed::time);
    all
}
