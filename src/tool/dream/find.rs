//! What a plan finds without a model: memories that say the same, those that a newer one contradicts, those about what is
//! gone from the checkout, and those that no session was told for long.

use super::check::Draft;
use super::folder::{DreamFolder, Fact, SaidSentences, sentences};
use crate::base::clock;
use crate::base::stale_names::{Checkout, NameState, Seen};
use crate::base::text::{self, Words};
use crate::rank::{self, PairText};
use crate::record::restated::Telling;
use crate::redact::Redactor;
use crate::store::memories::told;
use crate::store::plan::PlanAction;
use jiff::Timestamp;
use std::collections::HashMap;
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
pub fn duplicates(folder: &DreamFolder) -> Vec<Draft<'_>> {
    let said: Vec<PairText<'_>> =
        folder.facts.iter().map(|fact| PairText { title: &fact.note.description, text: &fact.note.body }).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for pair in rank::pairs(&said) {
        let (one, other) = pair.places;
        let (a, b) = (&folder.facts[one], &folder.facts[other]);
        if !says_all(a, b) && !says_all(b, a) {
            continue;
        }
        let known = groups.concat();
        match groups.iter_mut().find(|group| group.contains(&one) || group.contains(&other)) {
            Some(group) => group.extend([one, other].iter().filter(|place| !known.contains(place))),
            None => groups.push(vec![one, other]),
        }
    }
    groups.into_iter().filter_map(|group| merged(folder, &group)).collect()
}

/// Memories of one type of which an older one says the opposite of a newer one in one place, or has another number or
/// day there. That it is wrong is for a person to say. What is known of the user stays.
pub fn contradicted(folder: &DreamFolder) -> Vec<Draft<'_>> {
    let facts = folder.facts.iter().filter(|fact| fact.note.kind != "user");
    let mut facts: Vec<(&Fact, Telling)> = facts.map(|fact| (fact, Telling::read(&fact.note.description))).collect();
    facts.sort_by_key(|(fact, _)| fact.modified);
    let mut drafts = Vec::new();
    for (at, (older, said)) in facts.iter().enumerate() {
        let is_later = |(newer, says): &&(&Fact, Telling)| newer.note.kind == older.note.kind && said.gives_way(says);
        let Some((newer, _)) = facts[at + 1..].iter().rfind(is_later) else { continue };
        let quotes = [older, newer].map(|fact| fact.note.description.clone()).to_vec();
        let why = "the newer one contradicts it".to_owned();
        drafts.push(Draft { keeps: Some(newer), quotes, offered: true, ..retired(older, why) });
    }
    drafts
}

/// Whether a memory makes the claim of another one of its type, and has all else that the other one says.
fn says_all(long: &Fact, short: &Fact) -> bool {
    let known = SaidSentences::new(&sentences(&long.note));
    let is_known = |said: &String| if long.note.kind == "user" { known.quotes(said) } else { known.has(said) };
    long.note.kind == short.note.kind
        && SaidSentences::new(std::slice::from_ref(&long.note.description)).has(&short.note.description)
        && sentences(&short.note).iter().all(is_known)
}

fn merged<'f>(folder: &'f DreamFolder, group: &[usize]) -> Option<Draft<'f>> {
    let mut facts: Vec<&Fact> = group.iter().map(|at| &folder.facts[*at]).collect();
    facts.sort_by_key(|fact| std::cmp::Reverse((fact.note.body.len(), fact.modified)));
    let keeps = facts[0];
    facts.retain(|fact| says_all(keeps, fact));
    let others = facts.get(1..).filter(|others| !others.is_empty())?;
    let is_equal = |fact: &&Fact| text::canonical(&fact.note.body) == text::canonical(&keeps.note.body);
    let why = if others.iter().all(is_equal) { "they say the same" } else { "one has each sentence of the others" };
    let mut quotes: Vec<String> = facts.iter().map(|fact| fact.note.description.clone()).collect();
    quotes.dedup();
    let (keeps, retires) = (Some(keeps), others.to_vec());
    Some(Draft { action: PlanAction::Merge, keeps, retires, why: why.to_owned(), quotes, ..Draft::default() })
}

/// Memories that name in their own sentence what is gone from the checkout. What a person is, or wants, is not about it. One that
/// says more, or that something is gone, is only offered.
pub fn gone<'f>(folder: &'f DreamFolder, seen: &HashMap<String, Seen>, checkout: &Checkout) -> Vec<Draft<'f>> {
    let about = folder.facts.iter().filter(|fact| is_about_the_project(fact));
    let draft = |fact: &'f Fact| {
        let gone = |said: &str| checkout.judge(said, seen.get(&fact.note.id)).names(NameState::Gone);
        let names = gone(&fact.note.description);
        if names.is_empty() {
            return None;
        }
        let is_over = |said: &String| text::words(said).any(|word| OVER.has(&word.to_lowercase()));
        let said = sentences(&fact.note);
        let is_proven = said.iter().all(|said| !is_over(said) && !gone(said).is_empty());
        let why = format!("gone from the checkout: {names}");
        Some(Draft { is_proven, offered: !is_proven, ..retired(fact, why) })
    };
    about.filter_map(draft).collect()
}

/// Memories that no session was told for long, where sessions were told some all that time.
pub fn unused<'f>(folder: &'f DreamFolder, notes: &Path, now: Timestamp, redactor: &Redactor) -> Vec<Draft<'f>> {
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
    about.filter(is_unused).map(|fact| Draft { offered: true, ..retired(fact, why.clone()) }).collect()
}

fn is_about_the_project(fact: &Fact) -> bool {
    ["project", "reference"].contains(&fact.note.kind.as_str())
}

fn retired(fact: &Fact, why: String) -> Draft<'_> {
    Draft { retires: vec![fact], why, quotes: vec![fact.note.description.clone()], ..Draft::default() }
}
