//! Taking back what sessions wrote, as their receipts say: only what is still as it was written.

use super::{ByHand, Done};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::{clock, text};
use crate::record::fix;
use crate::record::item::{self, ItemKind};
use crate::record::said::LIST;
use crate::record::session;
use crate::record::written;
use crate::store::kept::{FixLine, SaidLine};
use crate::store::receipts::{self, Entry, Line, Page, Receipt, Receipts, Rewritten, Said, TakenOut, Wrote};
use crate::store::{self, handoff, journal, kept, learnings, memories};
use crate::tool::by_id::{self, Thing};
use crate::tool::here::Here;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// Characters of a session's id that mean one.
const LEAST: usize = 4;
/// The journals, the quarantine first: when it is killed then, an item that was let in is in both.
const JOURNALS: [(ItemKind, bool); 4] =
    [(ItemKind::Handoff, false), (ItemKind::Decision, true), (ItemKind::Failure, true), (ItemKind::Memory, true)];

/// What a word means.
enum Meant {
    Session(String),
    Item(String),
}

/// An undo at work.
struct Undo<'a> {
    here: &'a Here<'a>,
    all: &'a [Receipt],
    dry_run: bool,
    /// What is printed.
    lines: Vec<Record>,
    /// The same as text, each once.
    printed: HashSet<String>,
    /// Something was done; there need not be a line for it.
    any: bool,
    /// The items of the handoff that were taken back by now, each with its session.
    gone: Vec<(String, Said)>,
    /// A learning cannot be reached, for its drive may not be mounted: the session can be taken back again later.
    is_away: bool,
}

/// Does it, and says what was done, a record an item.
pub fn undo(wanted: &ByHand, config: &Config) -> Result<Done, Failure> {
    undo_in(&Here::find(config)?, wanted)
}

/// The same in one project.
pub fn undo_in(here: &Here<'_>, wanted: &ByHand) -> Result<Done, Failure> {
    by_id::no_empty(&wanted.words)?;
    let dry_run = wanted.dry_run;
    let locks = if dry_run { Vec::new() } else { here.lock()? };
    let all = receipts::all(&here.memory)?;
    let mut spoke = kept::sessions::<SaidLine>(&here.memory)?;
    spoke.extend(kept::sessions::<FixLine>(&here.memory)?);
    let meant = wanted.words.iter().map(|word| meant(&all, &spoke, word, &here.project));
    let meant = meant.collect::<Result<Vec<_>, _>>()?;
    let (lines, printed, gone) = (Vec::new(), HashSet::new(), gone(&all));
    let mut work = Undo { here, all: &all, dry_run, lines, printed, any: false, gone, is_away: false };
    let done = meant.iter().try_for_each(|meant| match meant {
        Meant::Session(id) => work.session(id),
        Meant::Item(id) => work.item(id),
    });
    drop(locks);
    if !dry_run && here.memory.is_dir() {
        // Also what a run that was killed left.
        let _lock = store::lock(&here.memory)?;
        let taken_out = taken_out(&all, &meant);
        memories::sync_without(&here.memory, &here.project, &taken_out, &here.redactor)?;
    }
    if !work.any && work.lines.is_empty() {
        done?;
        return Err(Failure::data(format!("nothing of '{}' is left to take back", wanted.words.join(" "))));
    }
    Ok(Done { said: here.masked(&work.lines), any: work.any, failure: done.err() })
}

/// The ids of what was taken back, now or before.
fn taken_out(all: &[Receipt], meant: &[Meant]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for receipt in all {
        let is_meant = |said: &Said| {
            meant.iter().any(|meant| match meant {
                Meant::Session(id) => *id == receipt.session_id,
                Meant::Item(id) => *id == said.id,
            })
        };
        let said = receipt.entries.iter().flat_map(Entry::said).filter(|said| said.undone || is_meant(said));
        ids.extend(said.map(|said| said.id.clone()));
    }
    ids
}

/// The items of the handoff that were taken back and not written again, each with its session.
fn gone(all: &[Receipt]) -> Vec<(String, Said)> {
    let mut gone = Vec::new();
    for receipt in all {
        let of_handoff = receipt.entries.iter().filter(|entry| matches!(entry.wrote, Wrote::Handoff { .. }));
        let (taken, there): (Vec<&Said>, Vec<&Said>) = of_handoff.flat_map(Entry::said).partition(|said| said.undone);
        let taken = taken.into_iter().filter(|one| !there.iter().any(|other| other.text == one.text));
        gone.extend(taken.map(|one| (receipt.session_id.clone(), one.clone())));
    }
    gone
}

/// The session or the item that a word means; of sessions that `spoke` there can be nothing else.
fn meant(all: &[Receipt], spoke: &[String], word: &str, project: &str) -> Result<Meant, Failure> {
    let (whole, digits) = (session::safe_id(word), word.to_ascii_lowercase());
    let is_it = |id: &&String| **id == whole || word.len() >= LEAST && id.starts_with(word);
    let sessions: BTreeSet<&String> =
        all.iter().map(|receipt| &receipt.session_id).chain(spoke).filter(is_it).collect();
    if sessions.contains(&whole) {
        return Ok(Meant::Session(whole));
    }
    let all = all.iter().flat_map(|receipt| &receipt.entries).flat_map(Entry::said);
    let all: Vec<&Said> = all.filter(|_| by_id::is_id(&digits)).collect();
    let mut items: Vec<&Said> = all.iter().copied().filter(|said| said.id.starts_with(&digits)).collect();
    if items.iter().all(|said| said.undone) {
        // lh-done shows the id that an open item has with the project's present name.
        let is_here = |said: &&Said| item::id(ItemKind::Handoff, project, &said.text).starts_with(&digits);
        let mut here = all.into_iter().filter(|said| !said.undone).filter(is_here).peekable();
        items = if here.peek().is_some() { here.collect() } else { items };
    }
    // What was written twice is one thing.
    let mut known = BTreeSet::new();
    let items = items.into_iter().filter(|said| known.insert(&said.id)).map(|said| (&said.id, said.text.clone()));
    let things = sessions.iter().map(|id| (*id, format!("the session {id}"))).chain(items);
    let thing = |(id, text): (&String, String)| Thing { id: id.clone(), text: text::one_line(&text).into_owned() };
    let things: Vec<Thing> = things.map(thing).collect();
    match things.as_slice() {
        [one] if sessions.is_empty() => Ok(Meant::Item(one.id.clone())),
        [one] => Ok(Meant::Session(one.id.clone())),
        [] => {
            let what = "no session that wrote here, and no item of one, has the id";
            let what = format!("{what} '{word}'; lh-forget and lh-done list items");
            Err(by_id::too_short(word).unwrap_or_else(|| Failure::data(what)))
        }
        several => Err(by_id::ambiguous(word, &several.iter().collect::<Vec<_>>())),
    }
}

impl<'a> Undo<'a> {
    /// All that a session wrote.
    fn session(&mut self, id: &str) -> Result<(), Failure> {
        for receipt in self.all.iter().filter(|receipt| receipt.session_id == id) {
            let entries: Vec<&Entry> = receipt.entries.iter().rev().filter(|entry| !entry.undone).collect();
            self.take(receipt, &entries, None)?;
        }
        let Here { memory, redactor, .. } = self.here;
        let said = kept::take_out::<SaidLine>(memory, id, self.dry_run, redactor)?;
        let fixed = kept::take_out::<FixLine>(memory, id, self.dry_run, redactor)?;
        for (list, texts) in [(LIST, said), (fix::LIST, fixed)] {
            for text in texts {
                let said = Said { id: item::hash(text.as_bytes()), text, undone: false };
                self.say(self.removed(), list, &said, "");
            }
        }
        Ok(())
    }

    /// What was written of an item by the last run of which something is left.
    fn item(&mut self, id: &str) -> Result<(), Failure> {
        let has = |entry: &&Entry| entry.said().iter().any(|said| said.id == id && !said.undone);
        let mut runs: Vec<(&str, &Receipt)> = Vec::new();
        for receipt in self.all {
            runs.extend(receipt.entries.iter().filter(has).map(|entry| (entry.run.as_str(), receipt)));
        }
        runs.sort_by_key(|(run, _)| std::cmp::Reverse(*run));
        let lines = self.lines.len();
        for (run, receipt) in runs {
            let entries = receipt.entries.iter().rev().filter(|entry| entry.run == run);
            self.take(receipt, &entries.filter(has).collect::<Vec<_>>(), Some(id))?;
            if self.lines.len() > lines {
                break;
            }
        }
        Ok(())
    }

    /// Takes back what entries of a receipt tell of, the newest first; or of the entries of one run only one item.
    fn take(&mut self, receipt: &Receipt, entries: &[&Entry], only: Option<&str>) -> Result<(), Failure> {
        let Some(first) = entries.first() else { return Ok(()) };
        self.is_away = false;
        let is_meant = |said: &Said| !said.undone && only.is_none_or(|id| said.id == id);
        for journal in JOURNALS {
            self.journal(journal, entries, is_meant, &receipt.session_id)?;
        }
        for entry in entries {
            match &entry.wrote {
                Wrote::Page(page) if is_meant(&page.said) => self.page(page, &entry.run, &receipt.session_id)?,
                Wrote::Handoff { items, page, state, before } => {
                    let items: Vec<Said> = items.iter().filter(|said| is_meant(said)).cloned().collect();
                    let whole = only.is_none().then_some((page, state));
                    self.handoff(receipt, &items, whole, before.as_deref())?;
                    self.gone.extend(items.into_iter().map(|said| (receipt.session_id.clone(), said)));
                }
                _ => {}
            }
        }
        if self.dry_run || self.is_away {
            return Ok(());
        }
        let notes = Receipts::new(&receipt.memory, &receipt.session_id, &self.here.project, &self.here.redactor);
        let (ids, of) = only.map_or_else(Default::default, |id| (vec![id.to_owned()], first.run.clone()));
        notes.add([Wrote::Undone { ids, of }])
    }

    /// Takes back the lines of a journal that entries of a receipt tell of and that are meant.
    fn journal(
        &mut self,
        journal: (ItemKind, bool),
        entries: &[&Entry],
        is_meant: impl Fn(&Said) -> bool,
        session_id: &str,
    ) -> Result<(), Failure> {
        let (of, trusted) = journal;
        let is_there = |line: &Line| line.trusted == trusted && (!trusted || line.kind == of.word());
        let mut lines: Vec<&Line> = Vec::new();
        for entry in entries {
            lines.extend(match &entry.wrote {
                Wrote::Line(line) if is_meant(&line.said) && is_there(line) => Some(line),
                _ => None,
            });
        }
        if lines.is_empty() {
            return Ok(());
        }
        // Whichever run made the journal: its own lines may be gone by now.
        let is_first = |entry: &Entry| matches!(&entry.wrote, Wrote::Line(line) if line.is_first && is_there(line));
        let goes = self.entries().any(is_first);
        let taken = journal::take_out(&self.here.memory, journal, &lines, session_id, (goes, self.dry_run))?;
        let both = || lines.iter().zip(&taken);
        for (line, taken) in both() {
            let what = match (line.is_mark, self.dry_run) {
                (true, true) => "would_quarantine",
                (true, false) => "quarantined",
                (false, _) => self.removed(),
            };
            // With its own line the item is in the quarantine no more.
            let is_own = |own: &Line| !own.is_mark && own.said.id == line.said.id;
            let is_out = line.is_mark && both().any(|(own, taken)| taken.removed && is_own(own));
            self.say_taken(what, &line.kind, &line.said, taken.removed && !is_out, &taken.kept);
        }
        Ok(())
    }

    fn page(&mut self, page: &Page, run: &str, session_id: &str) -> Result<(), Failure> {
        let (top, folder) = (self.here.config.learnings_top()?, self.here.config.learnings_folder()?);
        // A session that was killed before it wrote the page has a receipt of it, too.
        let others = self.all.iter().filter(|receipt| receipt.session_id != session_id);
        let is_later = |entry: &&Entry| clock::parse(&entry.run) >= clock::parse(run);
        let mut later = others.flat_map(|receipt| &receipt.entries).filter(is_later).filter_map(page_of);
        let is_same = |other: &Page| !other.said.undone && other.path == page.path && other.hash == page.hash;
        let mut taken = TakenOut { removed: false, kept: "it is another's".to_owned() };
        if !later.any(is_same) {
            let month = Path::new(&page.path).parent();
            let is_first = |page: &Page| page.is_first && Path::new(&page.path).parent() == month;
            let goes = self.entries().filter_map(page_of).any(is_first);
            taken = learnings::take_out(&top, &folder, page, goes, self.dry_run).unwrap_or_else(|failure| {
                self.is_away = true;
                TakenOut { removed: false, kept: failure.message }
            });
        }
        self.say_taken(self.removed(), ItemKind::Learning.word(), &page.said, taken.removed, &taken.kept);
        Ok(())
    }

    /// The handoff as it was, if that can be, else without some items. The item `before`, which a person changed, is open
    /// in the place of what came of it.
    fn handoff(
        &mut self,
        receipt: &Receipt,
        items: &[Said],
        whole: Option<(&Rewritten, &Rewritten)>,
        before: Option<&str>,
    ) -> Result<(), Failure> {
        let Receipt { memory, session_id, .. } = receipt;
        let others: Vec<_> = self.gone.iter().filter(|(session, _)| session != session_id).cloned().collect();
        let (kind, removed, lines) = (ItemKind::Handoff.word(), self.removed(), self.lines.len());
        let how = (self.dry_run, &self.here.redactor);
        let done = handoff::take_back(memory, items, session_id, whole, &others, how)?;
        self.any |= done.any;
        done.removed.iter().for_each(|said| self.say(removed, kind, said, ""));
        done.kept.iter().for_each(|said| self.say("kept", kind, said, "it is another's now"));
        done.opened.into_iter().for_each(|text| self.opened(text));
        if let Some(before) = before.filter(|_| self.lines.len() > lines) {
            if !self.dry_run {
                handoff::reopen(memory, &[before.to_owned()], self.here.heading(before), &self.here.redactor)?;
            }
            self.opened(before.to_owned());
        }
        Ok(())
    }

    fn opened(&mut self, text: String) {
        let id = item::id(ItemKind::Handoff, &self.here.project, &text);
        let what = if self.dry_run { "would_open_again" } else { "open_again" };
        self.say(what, ItemKind::Handoff.word(), &Said { id, text, undone: false }, "");
    }

    /// What any run noted.
    fn entries(&self) -> impl Iterator<Item = &'a Entry> + use<'a> {
        self.all.iter().flat_map(|receipt| &receipt.entries)
    }

    fn removed(&self) -> &'static str {
        if self.dry_run { "would_remove" } else { "removed" }
    }

    fn say_taken(&mut self, what: &str, kind: &str, said: &Said, removed: bool, kept: &str) {
        if removed {
            self.say(what, kind, said, "");
        }
        if !kept.is_empty() {
            self.say("kept", kind, said, kept);
        }
    }

    /// A record of what is printed, once.
    fn say(&mut self, what: &str, kind: &str, said: &Said, why: &str) {
        self.any |= what != "kept";
        // A mark does not say what its item says.
        let mut known = self.entries().flat_map(Entry::said);
        let has_text = |known: &&Said| known.id == said.id && !known.text.is_empty();
        let text = if said.text.is_empty() { known.find(has_text).map_or("", |known| &known.text) } else { &said.text };
        let record = written::by_hand(None, kind, &said.id, text, what, why);
        if self.printed.insert(record.line()) {
            self.lines.push(record);
        }
    }
}

fn page_of(entry: &Entry) -> Option<&Page> {
    let Wrote::Page(page) = &entry.wrote else { return None };
    Some(page)
}
