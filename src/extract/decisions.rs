//! Decisions: a choice of the user, in a sentence ("let's go with symlinks") or in a word ("option
//! 2", which the agent's list explains), or one that the agent calls a decision and the user did not
//! reject. The later one wins; what was reverted is gone; a recommendation is none.

use super::choice::{Choice, NEAR_TURNS, REVERT, without_fillers, words};
use super::reversals::{self, Sides};
use super::sentences::{self, Sentence, Signal, Turn, Utterance, plain};
use super::{capital, headed, is_sentence, quote, short_answers};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::Role;
use std::collections::BTreeSet;

/// The most decisions that one session gives: the last ones.
const DECISIONS: usize = 20;
/// The share of what was chosen that a sentence about it has.
const SHARE: f64 = 0.5;
/// A choice of so few words does not say what it is about.
const BRIEF_WORDS: usize = 5;
const BRIEF_CHOSEN: usize = 2;
/// The longest alternative, and the longest question that is told with a choice, in characters.
const ALTERNATIVE_CHARS: usize = 160;

/// A choice.
static CHOICE: Signal = Signal::named("decision-choice");
/// What turns a choice into something else.
static NO_CHOICE: Signal = Signal::named("decision-no-choice");
/// The later choice takes the place of the one before.
static OR_NO: Signal = Signal::named("decision-or-no");
/// The agent's word for a decision.
static CALLED: Signal = Signal::named("decision-called");
/// A word that takes the place of what was chosen before.
static AFTER_ALL: Signal = Signal::named("decision-after-all");
/// A choice that takes the place of the one before, which it does not name.
static INSTEAD: Signal = Signal::named("decision-instead");
/// What is undecided.
static UNDECIDED: Signal = Signal::named("decision-undecided");
/// The user does not take it.
static REJECTS: Signal = Signal::named("decision-rejects");
/// What was not chosen, in the same sentence.
static OVER: Signal = Signal::named("decision-over");
/// Why, in the same sentence.
static BECAUSE: Signal = Signal::named("decision-because");
/// A sentence that gives a reason.
static REASON: Signal = Signal::named("decision-reason");
/// What the agent says it does next gives no reason.
static DOING: Signal = Signal::named("decision-doing");
/// What was to be chosen from.
static OPTIONS: Signal = Signal::named("decision-options");

/// The decisions that stand at the end, in order, with those that were `written` down.
/// Each names the one of the `known` decisions whose place it takes.
pub fn find(turns: &[Turn<'_>], written: Vec<Choice>, known: &[&Item]) -> Vec<Item> {
    let mut made: Vec<Choice> = Vec::new();
    let mut written = written.into_iter().peekable();
    for (at, turn) in turns.iter().enumerate() {
        if let Some(prompt) = &turn.prompt {
            let gone = withdraw(&mut made, prompt, at);
            for decision in by_prompt(prompt, turns, at, gone.last(), known) {
                put(&mut made, decision);
            }
        }
        let next = at.checked_add(1).and_then(|at| turns.get(at));
        for decision in by_agent(turn, next, at).into_iter().chain(short_answers::of_answers(turn, at)) {
            put(&mut made, decision);
        }
        while let Some(decision) = written.next_if(|decision| decision.turn <= at) {
            put(&mut made, decision);
        }
    }
    let first = made.len().saturating_sub(DECISIONS);
    let mut made: Vec<Item> = made.into_iter().skip(first).map(|made| made.item).collect();
    for item in made.iter_mut().filter(|item| item.replaces.is_empty()) {
        item.replaces.extend(reversals::replaced(item, known));
    }
    made
}

/// The choices of a prompt that takes back the choice that is `gone`, or what it takes back of the `known` ones.
fn by_prompt(
    prompt: &Utterance<'_>,
    turns: &[Turn<'_>],
    at: usize,
    gone: Option<&Choice>,
    known: &[&Item],
) -> Vec<Choice> {
    let before = at.checked_sub(1).and_then(|at| turns.get(at));
    let terse = short_answers::of_list(prompt, turns.get(..at).unwrap_or_default());
    let terse = terse.or_else(|| short_answers::of_two(prompt, before?, at));
    let mut new = match terse {
        Some(mut decision) => {
            if let Some(before) = before.filter(|_| decision.list.is_some()) {
                name(&mut decision, before);
            }
            vec![decision]
        }
        None => by_user(prompt, before, at),
    };
    if let (Some(first), Some(gone)) = (new.first_mut(), gone)
        && first.item.alternatives.is_empty()
    {
        first.item.alternatives.push(text::cut(&gone.item.summary, ALTERNATIVE_CHARS).into_owned());
    }
    if new.is_empty() {
        new.extend(reversals::by_user(prompt, known).into_iter().map(|item| Choice::reversal(item, at)));
    }
    new
}

/// Takes out what the user takes back, and gives it.
fn withdraw(made: &mut Vec<Choice>, prompt: &Utterance<'_>, at: usize) -> Vec<Choice> {
    let near = |made: &Choice| at.saturating_sub(made.turn) <= NEAR_TURNS;
    let sentences = || prompt.sentences.iter().map(without_fillers);
    let named: Vec<Vec<String>> = sentences().filter_map(|(_, lower)| reversals::taken_back(&lower)).collect();
    let is_named = |made: &mut Choice| {
        let sides = made.sides();
        named.iter().any(|words| sides.is_about(words))
    };
    let mut gone: Vec<Choice> = made.extract_if(.., is_named).collect();
    let any = |signal: &Signal| prompt.sentences.iter().any(|sentence| signal.is_in(&sentence.lower));
    let or_no = prompt.sentences.first().is_some_and(|first| OR_NO.is_in(&first.lower));
    let instead = sentences().any(|(_, lower)| INSTEAD.is_in(&lower) && CHOICE.is_in(&lower));
    // "Instead" is of what was chosen just before.
    let just_said = |made: &Choice| at.saturating_sub(made.turn) <= 1 && made.item.said_by() == Some(Role::User.word());
    let last = |is_meant: &dyn Fn(&Choice) -> bool| made.last().is_some_and(is_meant);
    if gone.is_empty() && ((or_no || any(&AFTER_ALL)) && last(&near) || instead && last(&just_said)) {
        gone.extend(made.pop());
    }
    if let Some(undo) = prompt.sentences.iter().find(|sentence| REVERT.is_in(&sentence.lower)) {
        let meant = text::meaning(&undo.plain);
        let named =
            |made: &mut Choice| made.chosen.iter().any(|word| meant.stems.contains(word) || meant.fixed.contains(word));
        gone.extend(made.extract_if(.., named));
        if gone.is_empty() && made.last().is_some_and(near) {
            gone.extend(made.pop());
        }
    }
    gone
}

/// Adds a decision; what it takes the place of goes.
fn put(made: &mut Vec<Choice>, new: Choice) {
    let over: BTreeSet<String> = new.item.alternatives.iter().flat_map(|text| words(text)).collect();
    let sides = Sides::of(&new.item);
    made.retain(|old| {
        let same_list = new.list.is_some() && old.list == new.list;
        let reversed =
            !over.is_empty() && old.chosen.iter().any(|word| over.contains(word) && !new.chosen.contains(word));
        let same = text::jaccard(&old.chosen, &new.chosen) >= 0.5;
        !(same_list || same || reversed && new.list.is_none() || old.sides().give_way_to(&sides))
    });
    made.push(new);
}

/// The choices that a prompt says in sentences.
fn by_user(prompt: &Utterance<'_>, before: Option<&Turn<'_>>, turn: usize) -> Vec<Choice> {
    let mut found = Vec::new();
    for sentence in &prompt.sentences {
        let (mut plain, mut lower) = said_for_sure(without_fillers(sentence));
        let bad = reversals::bad_before(&lower).map(|(bad, rest)| (bad.to_owned(), rest));
        if let Some((_, rest)) = bad {
            let skipped = lower.drain(..rest).count();
            plain = plain.chars().skip(skipped).collect();
        }
        if !CHOICE.is_in(&lower) || NO_CHOICE.is_in(&lower) || !is_sentence(&plain) {
            continue;
        }
        let mut item = item_of(&plain, &lower);
        item.evidence.push(quote(sentence.raw, prompt));
        let mut chosen = words(OVER.before(&plain).unwrap_or(&plain));
        let dropped = reversals::dropped(&lower).filter(|(_, used)| !words(used).is_empty());
        if let Some((dropped, used)) = dropped {
            item.alternatives = vec![dropped.to_owned()];
            chosen = words(used);
        } else if let Some((bad, _)) = bad {
            item.alternatives = vec![bad];
        } else if chosen.is_empty() {
            // Only what is not to be used.
            chosen = Choice::reversal(item.clone(), turn).chosen;
        }
        if chosen.is_empty() {
            continue;
        }
        if let Some(before) = before {
            explain(&mut item, &chosen, before);
        }
        let mut choice = Choice::new(item, turn, chosen, None);
        if let Some(before) = before {
            name(&mut choice, before);
        }
        found.push(choice);
    }
    found
}

/// Tells a choice of a few words with what was asked: "camelCase" alone says nothing.
fn name(choice: &mut Choice, before: &Turn<'_>) {
    let (Some(prompt), Some(told)) = (&before.prompt, before.telling()) else { return };
    let item = &mut choice.item;
    let context = told.plain.as_str();
    let count = item.summary.split_whitespace().count();
    // A list tells by itself what else there was.
    let alone = if choice.list.is_some() {
        count < BRIEF_WORDS
    } else {
        count <= BRIEF_WORDS && words(&item.summary).len() <= BRIEF_CHOSEN && item.alternatives.is_empty()
    };
    if !alone
        || item.context != context
        || context.chars().count() > ALTERNATIVE_CHARS
        || CHOICE.is_in(&context.to_lowercase())
    {
        return;
    }
    let mark = if context.ends_with(['?', '.', '!']) { "" } else { ":" };
    item.summary = format!("{context}{mark} {}", item.summary);
    item.evidence.push(quote(told.raw, prompt));
}

/// Of "I wouldn't do a, but should we do b?" the part that is not a question.
fn said_for_sure((plain, lower): (String, String)) -> (String, String) {
    static BUT_ASKS: Signal = Signal::named("decision-but-asks");
    let Some(sure) = lower.ends_with('?').then(|| BUT_ASKS.before(&lower)).flatten() else { return (plain, lower) };
    (plain.chars().take(sure.chars().count()).collect(), sure.to_owned())
}

fn item_of(plain: &str, lower: &str) -> Item {
    let tail = |signal: &Signal| {
        let behind = signal.behind(lower)?;
        let skip = plain.chars().count().saturating_sub(behind.chars().count());
        Some(plain.chars().skip(skip).collect::<String>())
    };
    let over = tail(&OVER).map(|over| text::cut(&over, ALTERNATIVE_CHARS).into_owned());
    Item {
        summary: capital(plain),
        alternatives: over.into_iter().collect(),
        rationale: tail(&BECAUSE).unwrap_or_default(),
        ..Item::default()
    }
}

/// What the agent said about the chosen: its own statement of the decision, its reasons, the options.
fn explain(item: &mut Item, chosen: &BTreeSet<String>, before: &Turn<'_>) {
    let common = |sentence: &Sentence<'_>| words(&sentence.plain).intersection(chosen).count();
    let about = |sentence: &&Sentence<'_>| text::share(common(sentence), chosen.len()) >= SHARE;
    for answer in before.said() {
        let called = answer.sentences.iter().filter(|sentence| CALLED.is_in(&sentence.lower));
        let called = called.into_iter().find(|sentence| common(sentence) > 0);
        if let Some(sentence) = called {
            item.summary = capital(&statement(sentence));
            item.evidence.insert(0, quote(sentence.raw, answer));
        }
        let reasons = |sentence: &&Sentence<'_>| {
            REASON.is_in(&sentence.lower) && !DOING.is_in(&sentence.lower) && !CALLED.is_in(&sentence.lower)
        };
        let reason = answer.sentences.iter().filter(reasons).rev().find(about);
        if let Some(reason) = reason.filter(|reason| is_sentence(&reason.plain)) {
            item.rationale.is_empty().then(|| item.rationale.clone_from(&reason.plain));
            if item.evidence.len() < 2 {
                item.evidence.push(quote(reason.raw, answer));
            }
        }
    }
    let options = before.asked().iter().find_map(|sentence| OPTIONS.behind(&sentence.lower).map(str::to_owned));
    if let Some(options) = options
        && item.alternatives.is_empty()
    {
        let parts = options.split([',', ';']).flat_map(|part| part.split(" or ")).map(|part| plain(part.trim()));
        let others = parts.map(|part| part.trim_start_matches("or ").to_owned());
        item.alternatives = others.filter(|part| !part.is_empty() && words(part).is_disjoint(chosen)).take(6).collect();
    }
    if item.context.is_empty() {
        item.context = before.situation();
    }
}

fn statement(sentence: &Sentence<'_>) -> String {
    sentence.plain.split_once(':').map_or(sentence.plain.as_str(), |(_, rest)| rest.trim()).to_owned()
}

/// Whether the user's next words reject what the agent said.
pub fn rejects(said: &str) -> bool {
    sentences::split(said).first().is_some_and(|first| REJECTS.is_in(&first.lower))
}

/// What the agent calls a decision, unless the user's next words reject it.
fn by_agent(turn: &Turn<'_>, next: Option<&Turn<'_>>, at: usize) -> Vec<Choice> {
    let rejected = next.and_then(|next| next.asked().first()).is_some_and(|first| REJECTS.is_in(&first.lower));
    if rejected {
        return Vec::new();
    }
    let mut found = Vec::new();
    let skipped = turn.said().rev().find_map(headed::skipped);
    found.extend(skipped.map(|item| {
        let chosen = words(&item.summary);
        Choice::new(item, at, chosen, None)
    }));
    for answer in turn.said() {
        for sentence in answer.sentences.iter().filter(|sentence| CALLED.is_in(&sentence.lower)) {
            let plain = statement(sentence);
            if is_sentence(&plain) && !UNDECIDED.is_in(&plain.to_lowercase()) {
                let mut item = item_of(&plain, &plain.to_lowercase());
                item.evidence.push(quote(sentence.raw, answer));
                let chosen = words(OVER.before(&plain).unwrap_or(&plain));
                found.push(Choice::new(item, at, chosen, None));
            }
        }
    }
    found
}
