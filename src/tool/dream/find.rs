//! What a plan finds without a model: memories that say the same, those that a newer one contradicts, those about what is
//! gone from the checkout, and those that no session was told for long.

use super::check::change;
use super::folder::{DreamFolder, Fact, SaidSentences, sentences};
use crate::base::clock;
use crate::base::stale_names::{Checkout, NameState, Seen};
use crate::base::text::{self, Words};
use crate::record::gists::Gists;
use crate::record::restated::Telling;
use crate::redact::Redactor;
use crate::store::memories::told;
use crate::store::plan::{PlanAction, PlannedChange};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::iter::once;
use std::path::Path;

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
