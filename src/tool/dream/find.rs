//! What a plan finds without a model: memories that say the same, those that a newer one contradicts, those about what is
//! gone from the checkout, and those that no session was told for long; and which changes can be made together, in one plan.
//! What does not fit is dropped, and said.

use super::TOOL;
use super::folder::{DreamFolder, Fact, SaidSentences, sentences};
use crate::base::stale_names::{Checkout, NameState, Seen};
use crate::base::text::{self, Words};
use crate::base::{clock, log};
use crate::record::gists::Gists;
use crate::record::restated::Telling;
use crate::redact::Redactor;
use crate::store::memories::told;
use crate::store::plan::{PlanAction, PlanState, PlannedChange, SeenFile};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::iter::once;
use std::path::Path;

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
pub fn unused(folder: &DreamFolder, notes: &Path, now: Timestamp, redactor: &Redactor) -> Vec<PlannedChange> {
    let all = told::all(notes, "lh-dream");
    let since = clock::after(now, -UNUSED_DAYS * 86_400);
    let first = all.iter().find_map(|(telling, _)| clock::parse(&telling.ts));
    if first.is_none_or(|first| first > since) {
        return Vec::new();
    }
    let told = told::by_file(&all);
    let about = folder.facts.iter().filter(|fact| is_about_the_project(fact));
    let is_unused = |fact: &&Fact| {
        let last = told.get(&*redactor.shown(&fact.note.file)).and_then(|(last, _)| *last);
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
