//! The typed memories of a folder, as a plan sees them, and what it finds in them without a model: memories that say the
//! same, those that a newer one contradicts, those about what is gone from the checkout, and those that no session was told
//! for long; and which changes can be made together, in one plan. What does not fit is dropped, and said.

use super::TOOL;
use crate::base::exit::Failure;
use crate::base::front_matter::{self, FrontMatter};
use crate::base::stale_names::{Checkout, NameState, Seen};
use crate::base::text::{self, Words};
use crate::base::{clock, file, log};
use crate::record::gists::Gists;
use crate::record::item;
use crate::record::restated::Telling;
use crate::record::speaker::imported_from;
use crate::redact::Redactor;
use crate::store::memories::{self, Note, told};
use crate::store::plan::{PlanAction, PlanState, PlannedChange, SeenFile};
use crate::store::{Memory, change};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter::once;

/// The longest description of a memory, and reason of a change, in characters.
pub const CHARS: usize = 300;
/// A plan changes at most this part of a folder.
const PART: usize = 4;
/// A memory that was not told for so long may be of no use any more.
const UNUSED_DAYS: i64 = 90;
/// Words of a memory that says itself that something is gone.
static OVER: Words = Words::of(
    "removed deleted dropped moved renamed replaced gone was were never not no instead anymore longer \
     eliminado borrado movido renombrado reemplazado era nunca ya",
);

/// A longer file has more than one memory in it, and is left alone.
const BYTES: usize = 16 << 10;

/// One memory.
pub struct Fact {
    /// What its file says.
    pub note: Note,
    /// The whole file.
    pub text: String,
    /// The file as it is now.
    pub seen: SeenFile,
    /// When it was last written to.
    pub modified: Option<Timestamp>,
    /// A person or the agent wrote it, or changed what we wrote.
    pub of_others: bool,
}

/// The memories that a plan may be about.
pub struct DreamFolder<'a> {
    /// The memory of their project.
    pub memory: &'a Memory,
    pub redactor: &'a Redactor,
    /// They, by their names.
    pub facts: Vec<Fact>,
    /// How many there are, with those that no plan may be about.
    pub count: usize,
}

impl<'a> DreamFolder<'a> {
    /// Reads one. What a plan may not be about: a link, a long file, what is not text, what has something in it that is
    /// masked or private, for it would be lost in what is written anew; and what was retired or taken back before.
    pub fn read(memory: &'a Memory, state: &PlanState, redactor: &'a Redactor) -> Result<Self, Failure> {
        let folder = memory.notes();
        let others: BTreeSet<String> = memories::of_others(memory)?.into_iter().map(|note| note.file).collect();
        let returned = change::returned(folder, clock::now())?;
        let names = memories::names(folder)?;
        let mut found = Self { memory, redactor, facts: Vec::new(), count: names.len() };
        for name in names {
            let path = folder.join(&name);
            let bytes = if path.is_symlink() { None } else { file::read(&path)? };
            let Some(text) = bytes.filter(|bytes| bytes.len() <= BYTES).and_then(|bytes| String::from_utf8(bytes).ok())
            else {
                continue;
            };
            let seen = SeenFile { file: name.clone(), hash: item::hash(text.as_bytes()) };
            let was_retired = state.retired.iter().any(|retired| retired.seen == seen) || returned.contains(&name);
            // What was imported is not to become what was said here.
            let is_imported = FrontMatter::parse(&text).get("session_id").and_then(imported_from).is_some();
            if was_retired || is_imported || redactor.shown(&text) != text {
                continue;
            }
            let note = Note::parse(&name, &text);
            let modified = file::modified(&path);
            found.facts.push(Fact { note, text, seen, modified, of_others: others.contains(&name) });
        }
        Ok(found)
    }

    /// The memory in a file.
    pub fn of(&self, file: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.note.file == file)
    }
}

impl Fact {
    /// The file with another text, and another description if there is one; none where its front matter cannot be
    /// changed so.
    pub fn with(&self, description: Option<&str>, body: &str) -> Option<String> {
        let head =
            self.text.strip_suffix(&FrontMatter::parse(&self.text).body).filter(|_| !self.text.contains('\r'))?;
        let line = |line: &str| match description.filter(|_| line.starts_with("description:")) {
            Some(new) => format!("description: {}\n", front_matter::quoted(&text::one_line(new))),
            None => line.to_owned(),
        };
        let head: String = head.split_inclusive('\n').map(line).collect();
        let gap = if head.is_empty() { "" } else { "\n" };
        let new = format!("{head}{gap}{}\n", body.trim());
        let read = Note::parse(&self.note.file, &new);
        let same = [(&read.name, &self.note.name), (&read.kind, &self.note.kind), (&read.id, &self.note.id)];
        let is_told = description.is_none_or(|wanted| read.description == text::one_line(wanted));
        (same.iter().all(|(a, b)| a == b) && is_told && read.body == body.trim()).then_some(new)
    }
}

/// All that a memory says, a sentence each: its description, and then its text.
pub fn sentences(note: &Note) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in [&note.description, &note.body].into_iter().flat_map(|text| text.lines()) {
        let line = line.trim().trim_start_matches(['#', '>', '*', '-', '+', ' ']);
        let ends = line.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
        let ends = ends.filter(|at| line.get(*at..).is_some_and(|rest| rest.starts_with(' '))).chain([line.len()]);
        let mut start = 0;
        for end in ends {
            let said = line[start..end].trim();
            start = end;
            if said.chars().any(char::is_alphanumeric) && !found.iter().any(|known| known == said) {
                found.push(said.to_owned());
            }
        }
    }
    found
}

/// What sentences say, to be compared with others.
pub struct SaidSentences(HashSet<String>, Gists);

impl SaidSentences {
    /// Of some sentences.
    pub fn new(sentences: &[String]) -> Self {
        Self(sentences.iter().map(|said| bare(said)).collect(), sentences.iter().collect())
    }

    /// Whether a sentence is one of these, but for case, white space and the stop at its end, or says the same in other
    /// words. What is known of the user must be there as it is.
    pub fn keeps(&self, said: &str, kind: &str) -> bool {
        self.0.contains(&bare(said)) || kind != "user" && self.1.find(said).is_some()
    }
}

/// A sentence as it is compared.
fn bare(said: &str) -> String {
    text::folded(said).trim_end_matches(['.', '!', ' ']).to_lowercase()
}

/// Memories that say the same: the longer one stays, of two of one length the newer one. Only what that one says, too,
/// goes: two that are alike in their words may contradict each other, or be about two things.
pub fn duplicates(folder: &DreamFolder) -> Vec<PlannedChange> {
    let mut facts: Vec<&Fact> = folder.facts.iter().collect();
    facts.sort_by_key(|fact| Reverse((fact.note.body.len(), fact.modified)));
    let claims: Gists = facts.iter().map(|fact| &fact.note.description).collect();
    let (mut merged, mut changes) = (BTreeSet::new(), Vec::new());
    for (at, keeps) in facts.iter().enumerate() {
        let goes = |other: &usize| *other > at && !merged.contains(other) && says_all(keeps, facts[*other]);
        let places: Vec<usize> = claims.all(&keeps.note.description).filter(goes).collect();
        if places.is_empty() || merged.contains(&at) {
            continue;
        }
        let others: Vec<&Fact> = places.iter().map(|place| facts[*place]).collect();
        merged.extend(places);
        let is_equal = |fact: &&Fact| text::canonical(&fact.note.body) == text::canonical(&keeps.note.body);
        let is_same = others.iter().all(is_equal);
        let why = if is_same { "they say the same" } else { "one has each sentence of the others" };
        let mut quotes: Vec<String> = once(keeps).chain(&others).map(|fact| fact.note.description.clone()).collect();
        quotes.dedup();
        changes.push(PlannedChange { action: PlanAction::Merge, ..change(&others, Some(keeps), why, quotes) });
    }
    changes
}

/// Memories of one type of which an older one says the opposite of a newer one in one place, or has another number or
/// day there. That it is wrong is for a person to say. What is known of the user stays.
pub fn contradicted(folder: &DreamFolder) -> Vec<PlannedChange> {
    let facts = folder.facts.iter().filter(|fact| fact.note.kind != "user");
    let mut facts: Vec<(&Fact, Telling)> = facts.map(|fact| (fact, Telling::read(&fact.note.description))).collect();
    facts.sort_by_key(|(fact, _)| fact.modified);
    let mut changes = Vec::new();
    for (at, (older, said)) in facts.iter().enumerate() {
        let is_later = |(newer, says): &&(&Fact, Telling)| newer.note.kind == older.note.kind && said.gives_way(says);
        let Some((newer, _)) = facts[at + 1..].iter().rfind(is_later) else { continue };
        let quotes = [older, newer].map(|fact| fact.note.description.clone()).to_vec();
        let why = "the newer one contradicts it";
        changes.push(PlannedChange { offered: true, ..change(&[older], Some(newer), why, quotes) });
    }
    changes
}

/// Whether a memory is of the type of another one, and has all that the other one says.
fn says_all(long: &Fact, short: &Fact) -> bool {
    let said = sentences(&short.note);
    let known = SaidSentences::new(&sentences(&long.note));
    long.note.kind == short.note.kind && !said.is_empty() && said.iter().all(|one| known.keeps(one, &short.note.kind))
}

/// Memories that name in their own sentence what is gone from the checkout. What a person is, or wants, is not about it. One that
/// says more, or that something is gone, is only offered.
pub fn gone(folder: &DreamFolder, seen: &HashMap<String, Seen>, checkout: &Checkout) -> Vec<PlannedChange> {
    let about = folder.facts.iter().filter(|fact| is_about_the_project(fact));
    let judged = |fact: &Fact| {
        let gone = |said: &str| checkout.judge(said, seen.get(&fact.note.id)).names(NameState::Gone);
        let names = gone(&fact.note.description);
        if names.is_empty() {
            return None;
        }
        let is_over = |said: &String| text::words(said).any(|word| OVER.has(&word.to_lowercase()));
        let said = sentences(&fact.note);
        let offered = said.iter().any(|said| is_over(said) || gone(said).is_empty());
        Some(retired(fact, &format!("gone from the checkout: {names}"), offered))
    };
    about.filter_map(judged).collect()
}

/// Memories that no session was told for long, where sessions were told some all that time.
pub fn unused(folder: &DreamFolder) -> Vec<PlannedChange> {
    let all = told::all(folder.memory.notes(), TOOL);
    let since = clock::after(clock::now(), -UNUSED_DAYS * 86_400);
    let first = all.iter().find_map(|(telling, _)| clock::parse(&telling.ts));
    if first.is_none_or(|first| first > since) {
        return Vec::new();
    }
    let told = told::by_file(&all);
    let about = folder.facts.iter().filter(|fact| is_about_the_project(fact));
    let is_unused = |fact: &&Fact| {
        let last = told.get(&*folder.redactor.shown(&fact.note.file)).and_then(|(last, _)| *last);
        fact.modified.is_some_and(|time| time < since) && last.is_none_or(|last| last < since.as_second())
    };
    let why = format!("no session was told it for {UNUSED_DAYS} days");
    about.filter(is_unused).map(|fact| retired(fact, &why, true)).collect()
}

fn is_about_the_project(fact: &Fact) -> bool {
    ["project", "reference"].contains(&fact.note.kind.as_str())
}

fn retired(fact: &Fact, why: &str, offered: bool) -> PlannedChange {
    PlannedChange { offered, ..change(&[fact], None, why, vec![fact.note.description.clone()]) }
}

/// A change that retires these memories, with what stays of them.
pub fn change(retires: &[&Fact], keeps: Option<&Fact>, why: &str, quotes: Vec<String>) -> PlannedChange {
    PlannedChange {
        kind: "change".to_owned(),
        of_others: retires.iter().any(|fact| fact.of_others),
        keeps: keeps.map(|fact| fact.seen.clone()),
        retires: retires.iter().map(|fact| fact.seen.clone()).collect(),
        why: text::cut(&text::one_line(why), CHARS).into_owned(),
        quotes,
        ..PlannedChange::default()
    }
}

/// Of changes of a folder with so many memories those that can be made together, numbered. What loses nothing comes
/// first.
pub fn together(mut changes: Vec<PlannedChange>, count: usize, state: &PlanState) -> Vec<PlannedChange> {
    let mut plan: Vec<PlannedChange> = Vec::new();
    changes.sort_by_key(|change| change.offered);
    for change in changes {
        match fits_beside(&change, &plan, count / PART, state) {
            Ok(()) => plan.push(PlannedChange { number: plan.len() + 1, ..change }),
            Err(why) => {
                let about = about(change.action, change.retires.iter().chain(&change.keeps));
                say_dropped(&format!("{about}: {why}"));
            }
        }
    }
    plan
}

/// A change in a few words.
pub fn about<'s>(action: PlanAction, files: impl Iterator<Item = &'s SeenFile>) -> String {
    let files: Vec<&str> = files.map(|seen| seen.file.as_str()).collect();
    text::cut(&format!("{} {}", action.word(), files.join(", ")), CHARS).into_owned()
}

/// Says which change is dropped, and why.
pub fn say_dropped(why: &str) {
    log::say(TOOL, &text::one_line(&format!("dropped: {why}")));
}

/// That a change can be made beside the others of a plan, which changes `most` files at most.
fn fits_beside(change: &PlannedChange, others: &[PlannedChange], most: usize, state: &PlanState) -> Result<(), String> {
    let touched: BTreeSet<&SeenFile> = others.iter().flat_map(PlannedChange::touches).collect();
    let kept = |seen: &SeenFile| others.iter().any(|other| other.keeps.as_ref() == Some(seen));
    let clash = change.keeps.iter().find(|seen| touched.contains(seen));
    if let Some(seen) = clash.or_else(|| change.touches().find(|seen| touched.contains(seen) || kept(seen))) {
        return Err(format!("another change of the plan is about '{}'", seen.file));
    }
    if state.refused.contains(&change.about()) {
        return Err("a person refused it".to_owned());
    }
    let count = change.touches().count();
    if touched.len() + count <= most {
        return Ok(());
    }
    let what_to_do = if count > most {
        format!("here {most}, and this changes {count}: change them by hand")
    } else {
        "apply this plan, then run lh-dream --force again".to_owned()
    };
    Err(format!("a plan changes at most 1/{PART} of the memories: {what_to_do}"))
}
