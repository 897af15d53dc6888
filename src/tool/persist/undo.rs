//! Taking back what sessions wrote, as their receipts say: only what is still as it was written.

use super::{ByHand, HandReceipt};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::base::text;
use crate::record::fix;
use crate::record::item::{self, ItemKind};
use crate::record::said::LIST;
use crate::record::session;
use crate::record::written;
use crate::store::journal::{self, JOURNALS};
use crate::store::kept::{FixLine, SaidLine};
use crate::store::receipts::{
    self, Receipt, ReceiptEntry, ReceiptLine, Receipts, Rewritten, TakenOut, WrittenItem, Wrote,
};
use crate::store::{self, handoff, kept, learnings, memories};
use crate::tool::by_id::{self, Thing};
use crate::tool::here::Here;
use std::collections::BTreeSet;

/// Characters of a session's id that mean one.
const LEAST: usize = 4;

/// An undo at work.
struct Undo<'a> {
    here: &'a Here<'a>,
    all: &'a [Receipt],
    dry_run: bool,
    /// What is printed.
    lines: Vec<Record>,
    /// Something was done; there need not be a line for it.
    any: bool,
    /// A learning cannot be reached, for its drive may not be mounted: the session can be taken back again later.
    is_away: bool,
}

/// Does it, and says what was done, a record an item.
pub fn undo(wanted: &ByHand, config: &Config) -> Result<HandReceipt, Failure> {
    undo_in(&Here::find(config)?, wanted)
}

/// The same in one project.
pub fn undo_in(here: &Here<'_>, wanted: &ByHand) -> Result<HandReceipt, Failure> {
    by_id::no_empty(&wanted.words)?;
    let dry_run = wanted.dry_run;
    let locks = if dry_run { Vec::new() } else { here.lock()? };
    let all = receipts::all(&here.memory)?;
    let mut sessions: BTreeSet<String> = all.iter().map(|receipt| receipt.session_id.clone()).collect();
    sessions.extend(kept::sessions::<SaidLine>(&here.memory)?);
    sessions.extend(kept::sessions::<FixLine>(&here.memory)?);
    let meant = wanted.words.iter().map(|word| meant(&all, &sessions, word));
    let meant = meant.collect::<Result<Vec<String>, Failure>>()?;
    let mut work = Undo { here, all: &all, dry_run, lines: Vec::new(), any: false, is_away: false };
    let done = meant.iter().try_for_each(|id| if sessions.contains(id) { work.session(id) } else { work.item(id) });
    drop(locks);
    if !dry_run && here.memory.is_dir() {
        // Also what a run that was killed left.
        let _lock = store::lock(&here.memory)?;
        let mut taken_out = BTreeSet::new();
        for receipt in &all {
            let is_whole = meant.contains(&receipt.session_id);
            let is_out = |said: &&WrittenItem| is_whole || said.undone || meant.contains(&said.id);
            taken_out.extend(receipt.said().filter(is_out).map(|said| said.id.clone()));
        }
        memories::sync_without(&here.memory, &here.project, &taken_out, &here.redactor)?;
    }
    if !work.any && work.lines.is_empty() {
        done?;
        return Err(Failure::data(format!("nothing of '{}' is left to take back", wanted.words.join(" "))));
    }
    Ok(HandReceipt { said: here.masked(&work.lines), any: work.any, failure: done.err() })
}

/// The id of the session or the item that a word means.
fn meant(all: &[Receipt], sessions: &BTreeSet<String>, word: &str) -> Result<String, Failure> {
    let (whole, digits) = (session::safe_id(word), word.to_ascii_lowercase());
    if sessions.contains(&whole) {
        return Ok(whole);
    }
    let is_meant = |id: &str| by_id::is_id(&digits) && id.starts_with(&digits);
    let items = all.iter().flat_map(Receipt::said).filter(|said| is_meant(&said.id));
    let named = sessions.iter().filter(|id| word.len() >= LEAST && id.starts_with(word));
    let mut things: Vec<Thing> = named.map(|id| Thing { id: id.clone(), text: format!("the session {id}") }).collect();
    for WrittenItem { id, text, .. } in items {
        // What was written twice is one thing.
        if things.iter().all(|known| known.id != *id) {
            things.push(Thing { id: id.clone(), text: text::one_line(text).into_owned() });
        }
    }
    match things.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => {
            let what = "no session that wrote here, and no item of one, has the id";
            let what = format!("{what} '{word}'; lh-forget and lh-done list items");
            Err(by_id::too_short(word).unwrap_or_else(|| Failure::data(what)))
        }
        several => Err(by_id::ambiguous(word, &several.iter().collect::<Vec<_>>())),
    }
}

impl Undo<'_> {
    /// All that a session wrote.
    fn session(&mut self, id: &str) -> Result<(), Failure> {
        for receipt in self.all.iter().filter(|receipt| receipt.session_id == id) {
            let entries: Vec<&ReceiptEntry> = receipt.entries.iter().rev().filter(|entry| !entry.undone).collect();
            self.take(receipt, &entries, None)?;
        }
        let Here { memory, redactor, .. } = self.here;
        let said = kept::take_out::<SaidLine>(memory, id, self.dry_run, redactor)?;
        let fixed = kept::take_out::<FixLine>(memory, id, self.dry_run, redactor)?;
        for (list, texts) in [(LIST, said), (fix::LIST, fixed)] {
            for text in texts {
                let said = WrittenItem { id: item::hash(text.as_bytes()), text, undone: false };
                self.say(self.removed(), list, &said, "");
            }
        }
        Ok(())
    }

    /// What was written of an item by the last run of which something is left.
    fn item(&mut self, id: &str) -> Result<(), Failure> {
        let has = |entry: &&ReceiptEntry| entry.said().iter().any(|said| said.id == id && !said.undone);
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
    fn take(&mut self, receipt: &Receipt, entries: &[&ReceiptEntry], only: Option<&str>) -> Result<(), Failure> {
        let Some(first) = entries.first() else { return Ok(()) };
        self.is_away = false;
        let is_meant = |said: &WrittenItem| !said.undone && only.is_none_or(|id| said.id == id);
        for entry in entries {
            match &entry.wrote {
                Wrote::Line(line) if is_meant(&line.said) => self.line(line, &receipt.session_id, entries)?,
                Wrote::Page(page) if is_meant(&page.said) => self.page(page, &receipt.session_id)?,
                Wrote::Handoff { items, page, state, before } => {
                    let items: Vec<WrittenItem> = items.iter().filter(|said| is_meant(said)).cloned().collect();
                    let whole = only.is_none().then_some((page, state));
                    self.handoff(receipt, &items, whole, before.as_deref())?;
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

    /// Takes back a line of a journal. A mark goes with the line of its own item, and is told if that stays.
    fn line(&mut self, line: &ReceiptLine, session_id: &str, entries: &[&ReceiptEntry]) -> Result<(), Failure> {
        let is_there =
            |(kind, trusted): &(ItemKind, bool)| line.trusted == *trusted && (!trusted || line.kind == kind.word());
        let Some(journal) = JOURNALS.into_iter().find(is_there) else { return Ok(()) };
        let taken = journal::take_out(&self.here.memory, journal, line, session_id, self.dry_run)?;
        let is_own =
            |own: &ReceiptLine| !own.is_mark && !own.said.undone && !own.trusted && own.said.id == line.said.id;
        let mut lines = entries.iter().filter_map(|entry| match &entry.wrote {
            Wrote::Line(own) => Some(own),
            _ => None,
        });
        match (line.is_mark, self.dry_run) {
            (true, _) if lines.any(is_own) => {}
            (true, true) => self.say_taken("would_quarantine", &line.kind, &line.said, &taken),
            (true, false) => self.say_taken("quarantined", &line.kind, &line.said, &taken),
            (false, _) => self.say_taken(self.removed(), &line.kind, &line.said, &taken),
        }
        Ok(())
    }

    fn page(&mut self, page: &ReceiptLine, session_id: &str) -> Result<(), Failure> {
        let (top, folder) = (self.here.config.learnings_top()?, self.here.config.learnings_folder()?);
        // A session that was killed before it wrote the page has a receipt of it, too.
        let others = self.all.iter().filter(|receipt| receipt.session_id != session_id);
        let mut others = others.flat_map(|receipt| &receipt.entries);
        let is_same = |other: &ReceiptLine| (&other.path, &other.hash) == (&page.path, &page.hash);
        let taken =
            if others.any(|one| matches!(&one.wrote, Wrote::Page(other) if !other.said.undone && is_same(other))) {
                TakenOut::kept("it is another's")
            } else {
                learnings::take_out(&top, &folder, page, self.dry_run).unwrap_or_else(|failure| {
                    self.is_away = true;
                    TakenOut::kept(failure.message)
                })
            };
        self.say_taken(self.removed(), ItemKind::Learning.word(), &page.said, &taken);
        Ok(())
    }

    /// The handoff as it was, if that can be, else without some items. The item `before`, which a person changed, is open
    /// in the place of what came of it.
    fn handoff(
        &mut self,
        receipt: &Receipt,
        items: &[WrittenItem],
        whole: Option<(&Rewritten, &Rewritten)>,
        before: Option<&str>,
    ) -> Result<(), Failure> {
        let Receipt { memory, session_id, .. } = receipt;
        let (redactor, lines) = (&self.here.redactor, self.lines.len());
        let done = handoff::take_back(memory, items, session_id, whole, (self.dry_run, redactor))?;
        self.any |= done.any;
        for (said, taken) in items.iter().zip(&done.items) {
            self.say_taken(self.removed(), ItemKind::Handoff.word(), said, taken);
        }
        done.opened.iter().for_each(|text| self.opened(text));
        if let Some(before) = before.filter(|_| self.lines.len() > lines) {
            if !self.dry_run {
                handoff::reopen(memory, &[before.to_owned()], self.here.heading(before), redactor)?;
            }
            self.opened(before);
        }
        Ok(())
    }

    fn opened(&mut self, text: &str) {
        let what = if self.dry_run { "would_open_again" } else { "open_again" };
        self.say(what, ItemKind::Handoff.word(), &WrittenItem::open(text), "");
    }

    fn removed(&self) -> &'static str {
        if self.dry_run { "would_remove" } else { "removed" }
    }

    fn say_taken(&mut self, what: &str, kind: &str, said: &WrittenItem, taken: &TakenOut) {
        if taken.removed {
            self.say(what, kind, said, "");
        }
        if !taken.kept.is_empty() {
            self.say("kept", kind, said, &taken.kept);
        }
    }

    /// A record of what is printed, once.
    fn say(&mut self, what: &str, kind: &str, said: &WrittenItem, why: &str) {
        self.any |= what != "kept";
        // A mark does not say what its item says.
        let has_text = |known: &&WrittenItem| known.id == said.id && !known.text.is_empty();
        let known = || self.all.iter().flat_map(Receipt::said).find(has_text);
        let said = if said.text.is_empty() { known().unwrap_or(said) } else { said };
        let record = written::by_hand(None, kind, &said.id, &said.text, what, why);
        if self.lines.iter().all(|known| known.line() != record.line()) {
            self.lines.push(record);
        }
    }
}
