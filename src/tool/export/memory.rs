//! A project's memory for other programs and for people: what holds, and nothing else.

use crate::agent::injected::{enclose, line};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::word_enum::words;
use crate::base::{clock, text};
use crate::record::item::{self, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::store::journal::{self, Entry};
use crate::store::memories::{self, Unchanged};
use crate::store::{handoff, learnings};
use crate::tool::counted::Counted;
use crate::tool::here::Here;
use std::cmp::Reverse;
use std::fmt::Write as _;

/// The name under which it says what it counted.
const TOOL: &str = "lh-export";
/// So many characters a section for an `AGENTS.md` has at most: agents read 32 KiB of all of these.
const CHARS: usize = 8000;
/// Characters of a line of it, and of a text of a page.
const LINE_CHARS: usize = 300;
const TEXT_CHARS: usize = 2000;

words! {
    /// For whom it is.
    MemoryForm {
        /// A page for a person.
        Markdown = "markdown",
        /// A section for an `AGENTS.md`, between the marks of what is told a session.
        AgentsMd = "agents-md",
        /// Records, a line each, as they are in the journals.
        Jsonl = "jsonl",
    }
}

/// The memory of the current folder's project, and what of it is left out.
pub struct ExportedMemory<'c> {
    here: Here<'c>,
    items: Vec<Entry>,
    counted: Counted,
}

impl<'c> ExportedMemory<'c> {
    /// Reads what holds, of each kind the newest first.
    pub fn read(config: &'c Config) -> Result<Self, Failure> {
        let mut all = Self { here: Here::find(config)?, items: Vec::new(), counted: Counted::default() };
        let memory = &all.here.memory;
        for folder in memory.folders() {
            let handoff = handoff::read(folder)?;
            for summary in handoff.items {
                let item = Item { grounded: true, ..Item::new(ItemKind::Handoff, summary) };
                let session_id = handoff.session_id.clone().unwrap_or_default();
                all.items.push(Entry::new(item, session_id, handoff.written_at));
            }
        }
        let files = Unchanged::read(memory)?;
        let mut leave = |kind: ItemKind, why: &str| all.counted.leave(&format!("{} ({why})", kind.list()), 1);
        for kind in [ItemKind::Memory, ItemKind::Decision, ItemKind::Failure] {
            for entry in journal::read(&memory.journal(kind, true), kind)? {
                let is_said = entry.item.voice().is_none_or(Voice::carries);
                match () {
                    () if entry.is_forgotten() => leave(kind, "forgotten"),
                    () if entry.replaced.is_some() => leave(kind, "replaced"),
                    () if !is_said || !entry.item.grounded && !entry.item.id.is_empty() => leave(kind, "not trusted"),
                    () if kind == ItemKind::Memory && !files.has(&entry.id()) => {
                        leave(kind, "told by its changed file");
                    }
                    () => all.items.push(entry),
                }
            }
        }
        let entry = |item| Entry::new(item, String::new(), None);
        let others = memories::of_others(memory)?.into_iter().map(|note| note.item(&all.here.project));
        all.items.extend(others.map(entry));
        for learned in learnings::newest(&config.learnings_folder()?)? {
            match () {
                () if !all.here.redactor.same(&learned.origin, &all.here.project) => {
                    leave(ItemKind::Learning, "of other projects");
                }
                () if !learned.active => leave(ItemKind::Learning, "deprecated"),
                () => all.items.push(entry(learned.item)),
            }
        }
        for entry in journal::quarantined(memory)?.iter().filter(|entry| entry.waits()) {
            leave(entry.item.kind, "in the quarantine");
        }
        // The quarantine and the journals are read to their ends; the order of what is open and of learnings stays.
        all.items.sort_by_key(|entry| Reverse(entry.time));
        Ok(all)
    }

    /// What is printed.
    pub fn print(&mut self, form: MemoryForm) -> Masked {
        if form == MemoryForm::AgentsMd {
            let section = self.section();
            return self.here.redactor.masked_parts(&section);
        }
        self.items.iter().for_each(|entry| self.counted.came(entry.item.kind.list()));
        if form == MemoryForm::Jsonl {
            let record = |entry: &Entry| {
                let ts = entry.time.map_or_else(String::new, clock::local);
                let mut record = journal::line(&entry.item, &self.here.project, &ts, &entry.session_id);
                record.set("id", &entry.id());
                record
            };
            return self.here.masked(&self.items.iter().map(record).collect::<Vec<_>>());
        }
        let mut page = format!("# What is remembered of {}\n", line(&self.here.project));
        for (title, kind) in SECTIONS {
            let points: String = self.of_kind(kind).map(|entry| self.point(entry)).collect();
            if !points.is_empty() {
                let _ = write!(page, "\n## {title}\n\n{points}");
            }
        }
        self.here.redactor.masked_parts(&page)
    }

    fn of_kind(&self, kind: ItemKind) -> impl Iterator<Item = &Entry> {
        self.items.iter().filter(move |entry| entry.item.kind == kind)
    }

    /// Says what was printed and what was left out.
    pub fn end(&self, form: MemoryForm) {
        self.counted.say(TOOL, &format!("as {}", form.word()));
    }

    /// A text of an item on one line, masked before it is cut.
    fn told(&self, said: &str, chars: usize) -> String {
        text::cut(&line(&self.here.redactor.shown(said)), chars).into_owned()
    }

    /// An item as a point of a page, with all that it says below it.
    fn point(&self, entry: &Entry) -> String {
        let Entry { item, .. } = entry;
        let mut out = format!("- {}\n", self.head(entry, TEXT_CHARS));
        let body = if item.body == item.sentence() { "" } else { &item.body };
        let more = [("", (&item.learning).into()), ("", body.into())];
        for (name, said) in item.parts().into_iter().chain(more) {
            let lead = if name.is_empty() { String::new() } else { format!("{name}: ") };
            for said in said.lines().filter(|said| !said.trim().is_empty()) {
                let said = self.told(said.trim_start_matches(['-', '*', '#', ' ']), TEXT_CHARS);
                let _ = writeln!(out, "  - {lead}{said}");
            }
        }
        out
    }

    /// The day, the id, where it was imported from, and the sentence.
    fn head(&self, entry: &Entry, chars: usize) -> String {
        let day = entry.time.map_or_else(String::new, |time| format!("{} ", clock::local_day(time)));
        let origin = entry.imported_from().map_or_else(String::new, |program| format!(", imported from {program}"));
        format!("{day}({}{origin}): {}", item::short_id(&entry.id()), self.told(entry.item.sentence(), chars))
    }

    /// A section for an `AGENTS.md`: of each kind by turns the newest, as long as there is room.
    fn section(&mut self) -> String {
        let mut turns = Vec::new();
        for (at, (_, kind)) in SECTIONS.into_iter().enumerate() {
            let points = self.of_kind(kind).map(|entry| self.short_point(entry));
            turns.extend(points.enumerate().map(|(turn, point)| (turn, at, point)));
        }
        turns.sort_by_key(|(turn, at, _)| (*turn, *at));
        let (mut kept, mut room) = ([const { String::new() }; SECTIONS.len()], CHARS);
        for (_, at, point) in turns {
            let (list, chars) = (SECTIONS[at].1.list(), point.chars().count());
            if chars <= room {
                room -= chars;
                kept[at] += &point;
                self.counted.came(list);
            } else {
                self.counted.leave(&format!("{list} (no room)"), 1);
            }
        }
        let mut body = format!("{INTRODUCTION}\n");
        for ((title, _), points) in SECTIONS.into_iter().zip(kept).filter(|(_, points)| !points.is_empty()) {
            let _ = write!(body, "\n### {title}\n\n{points}");
        }
        format!("{}\n", enclose(&body))
    }

    fn short_point(&self, entry: &Entry) -> String {
        let Item { kind, rationale, prevention, learning, .. } = &*entry.item;
        let more = match kind {
            ItemKind::Failure if !prevention.is_empty() => format!("— prevention: {prevention}"),
            ItemKind::Decision if !rationale.is_empty() => format!("— because: {rationale}"),
            ItemKind::Learning => format!("— {learning}"),
            _ => String::new(),
        };
        let point = format!("- {} {}", self.head(entry, LINE_CHARS), self.told(&more, LINE_CHARS));
        point.trim_end().to_owned() + "\n"
    }
}

/// The kinds in the order of a page.
const SECTIONS: [(&str, ItemKind); 5] = [
    ("Open", ItemKind::Handoff),
    ("Memories", ItemKind::Memory),
    ("Decisions", ItemKind::Decision),
    ("Failures", ItemKind::Failure),
    ("Learnings", ItemKind::Learning),
];
/// What stands before the facts.
const INTRODUCTION: &str = "## What earlier sessions left\n\nFacts that were noted in earlier sessions of this project, quoted. What is so now comes first.";
