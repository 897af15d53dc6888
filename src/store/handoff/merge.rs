//! Two handoffs become one, when a project's memory moves to a folder that has one. The page of the newer transcript
//! stays as it is; what is open on the other one comes behind it, unless it says the same or was closed since.

use super::page::{self, Handoff};
use super::slim;
use super::state::{Closed, OpenItem, Version, written};
use super::stored::{Step, Stored};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::record::gists::Gists;
use crate::redact::Redactor;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::Path;

/// One of the two folders.
struct Side {
    stored: Stored,
    /// What was closed, by what it says.
    over: Gists,
    /// The open lines: as they are on the page, and as they may be written.
    lines: Vec<(String, OpenItem)>,
    newest: Option<Timestamp>,
}

impl Side {
    fn read(memory: &Path, redactor: &Redactor) -> Result<Self, Failure> {
        let stored = Stored::read(memory)?;
        let shown = |line: &OpenItem| {
            let mut shown = line.clone();
            redactor.show(&mut shown.text);
            (line.text.clone(), shown)
        };
        let lines = stored.known.lines.iter().map(shown).filter(|(_, line)| !line.text.trim().is_empty()).collect();
        let over = stored.known.closed.iter().map(|closed| &closed.line.text).collect();
        Ok(Self { newest: stored.newest(), stored, over, lines })
    }

    /// Whether a line of the other side was closed here after it was said.
    fn closed(&self, line: &OpenItem) -> bool {
        self.over.all(&line.text).any(|at| self.stored.known.closed.get(at).is_some_and(|closed| closed.closes(line)))
    }
}

/// What is to be written into `to`, in this order, so that its handoff has what is open in both folders; nothing when
/// it has. The caller holds the locks of both.
pub fn merge(to: &Path, from: &Path, redactor: &Redactor) -> Result<Vec<Step>, Failure> {
    let (to, from) = (Side::read(to, redactor)?, Side::read(from, redactor)?);
    let (front, back) = if from.newest > to.newest { (&from, &to) } else { (&to, &from) };
    let open_of = |side: &Side, other: &Side| -> Vec<OpenItem> {
        side.lines.iter().map(|(_, line)| line).filter(|line| !other.closed(line)).cloned().collect()
    };
    let said: Gists = front.lines.iter().map(|(_, known)| &known.text).collect();
    let mut lines = open_of(front, back);
    lines.extend(open_of(back, front).into_iter().filter(|line| said.find(&line.text).is_none()));
    let page = page_of(front, back, &lines).map(|page| redactor.masked_parts(&page));
    if let Some(page) = &page {
        // What masking made of a line is what must be remembered of it.
        let masked = Handoff::of(Some(page.bytes())).items;
        if masked.len() == lines.len() {
            lines.iter_mut().zip(masked).for_each(|(line, text)| line.text = text);
        }
    }
    let newest = written(front.newest.max(back.newest));
    let state = Version { newest, closed: closed_of(&to, &from, &lines), lines }.text(redactor);
    let steps = to.stored.steps(page, Some(state), redactor);
    let is_there = |step: &Step| step.content.as_ref().map(Masked::text).as_deref() == to.stored.state.as_deref();
    // Where only what is remembered would be written, and is there.
    Ok(if steps.iter().all(is_there) { Vec::new() } else { steps })
}

/// The page of the newer side, or of the other one where the newer has none, without what was closed, and with what is
/// open beside it; none when nothing is open on either.
fn page_of(front: &Side, back: &Side, lines: &[OpenItem]) -> Option<String> {
    let raw = |side: &Side| side.stored.page.clone().unwrap_or_else(String::new);
    if lines.is_empty() {
        return front.stored.page.clone();
    }
    // The predecessor's slim handoff says nothing of what is open, and all that is behind its title is of it.
    let text = |side: &Side| slim::split(&raw(side)).0.to_owned();
    let base = if text(front).trim().is_empty() { back } else { front };
    let mut page = text(base);
    let stays = |text: &str| lines.iter().any(|line| line.text == text);
    let gone: Vec<&String> = base.lines.iter().filter(|(_, line)| !stays(&line.text)).map(|(text, _)| text).collect();
    let is_gone = |line: &&str| gone.iter().any(|text| page::without_marker(line.trim()) == text.as_str());
    page = page.split_inclusive('\n').filter(|line| !is_gone(line)).collect();
    if !page.is_empty() && !page.ends_with('\n') {
        page.push('\n');
    }
    for line in lines.iter().filter(|line| !base.lines.iter().any(|(_, known)| known.text == line.text)) {
        let _ = writeln!(page, "- {}", line.text);
    }
    Some(page)
}

/// What was closed on both sides and is not open now, the oldest first.
fn closed_of(to: &Side, from: &Side, lines: &[OpenItem]) -> Vec<Closed> {
    let mut all: Vec<Closed> = to.stored.known.closed.clone();
    let new = from.stored.known.closed.iter().filter(|closed| !to.stored.known.closed.contains(closed));
    all.extend(new.cloned());
    all.retain(|closed| !lines.iter().any(|line| line.text == closed.line.text));
    all.sort_by_key(Closed::time);
    all
}
