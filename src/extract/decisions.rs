//! Decisions: an option that the user chose from the list of the agent's last message, answers to its questions, and what
//! commits, pull requests and plans say. The later one wins. What the
//! user decides in other sentences is told as it was said, see [`super::said`].

use super::numbered::{self, label, labelled};
use super::patterns::{says, signal};
use super::sentences::{self, Sentence, Turn, Utterance, plain};
use super::{capital, is_sentence, own_words, quote};
use crate::base::text::{self, terms};
use crate::record::item::{Evidence, Item, ItemKind};
use crate::record::message::{Answer, Message};
use std::collections::BTreeSet;

/// The most decisions that one session gives: the last ones.
const DECISIONS: usize = 20;
/// Turns after which "revert this" speaks of something else.
pub const NEAR_TURNS: usize = 3;
/// The longest answer, in words, that is shown with its question; of a question that says what it is about; and the
/// fewest words of such a question.
const ANSWER_WORDS: usize = 4;
const LONG_ANSWER_WORDS: usize = 7;
const QUESTION_WORDS: usize = 3;
/// A choice of so few words is told with what the user said before it.
const BRIEF_WORDS: usize = 4;
/// The most words of a prompt that does nothing but take back a choice.
const SHORT_WORDS: usize = 10;
/// The longest alternative, in characters.
const ALTERNATIVE_CHARS: usize = 160;
/// The share of a decision's words that a later one has which takes its place.
const SAME: f64 = 0.5;
/// The share of a title's words that a sentence has which is about the same.
const ABOUT: f64 = 0.4;
/// The share of a title's words that a known decision has which the commit made.
const MADE_SHARE: f64 = 0.7;

/// The longest text of what is told of an option, in characters.
const BELOW_CHARS: usize = 400;

/// An item, and when it was made.
pub struct Choice {
    /// The decision, or what a commit tells of a failure.
    pub item: Item,
    /// The number of the turn.
    pub turn: usize,
    chosen: BTreeSet<String>,
    /// The number of the turn with the list that it chose from.
    list: Option<usize>,
}

impl Choice {
    /// One that was made in a turn, from no list.
    pub fn new(item: Item, turn: usize) -> Self {
        let chosen = terms(&item.summary);
        Self { item, turn, chosen, list: None }
    }

    /// One that a message writes down, with what was said of it in that turn and the one before.
    pub fn written(mut item: Item, turns: &[Turn<'_>], message: &Message) -> Self {
        let is_before = |turn: &Turn<'_>| turn.prompt.as_ref().is_none_or(|prompt| prompt.message.line <= message.line);
        let at = turns.partition_point(is_before).saturating_sub(1);
        let near = &turns[at.saturating_sub(1)..=at];
        let words = terms(&item.summary);
        let asked = said_of(&words, near.iter().filter_map(|turn| turn.prompt.as_ref()));
        let told = said_of(&words, near.iter().filter_map(|turn| turn.said().next_back()));
        item.evidence.extend(asked.into_iter().chain(told));
        Self::new(item, at)
    }
}

/// The sentence that has most of some words, if it has enough of them to be about the same.
fn said_of<'t>(words: &BTreeSet<String>, said: impl Iterator<Item = &'t Utterance<'t>>) -> Option<Evidence> {
    let all = said.flat_map(|said| said.sentences.iter().map(move |one| (said, one)));
    let common = all.map(|(said, one)| (terms(&one.plain).intersection(words).count(), said, one));
    let (count, said, one) = common.max_by_key(|(count, ..)| *count)?;
    (count > 1 && text::share(count, words.len()) >= ABOUT).then(|| quote(one.raw, said))
}

/// The decisions that stand at the end, in order, with those that were `written` down. A question that is answered
/// anew names the `known` decision that answered it before.
pub fn find(turns: &[Turn<'_>], written: Vec<Choice>, known: &[&Item]) -> Vec<Item> {
    let mut made: Vec<Choice> = Vec::new();
    let mut written = written.into_iter().peekable();
    for (at, turn) in turns.iter().enumerate() {
        if let (Some(prompt), Some(before)) = (&turn.prompt, at.checked_sub(1)) {
            let chosen =
                |list: usize| Some(Choice { list: Some(list), ..Choice::new(option(prompt, &turns[list])?, at) });
            let asking = &turns[before];
            let mut answered = Vec::from_iter(chosen(before));
            if answered.is_empty() {
                let answers =
                    reply(prompt, asking).map_or_else(|| numbered::answers(prompt, asking), |item| vec![item]);
                answered.extend(answers.into_iter().map(|item| Choice::new(item, at)));
            }
            if answered.is_empty() {
                // Another one of the same list can be named instead.
                answered.extend(withdraw(&mut made, prompt, at).and_then(chosen));
            }
            for choice in answered {
                put(&mut made, choice);
            }
        }
        let next = turns.get(at + 1);
        let is_rejected = next.and_then(|next| next.asked().first()).is_some_and(is_rejection);
        // The next review can find more at the same place.
        let finds = |prompt: &Utterance<'_>| says("decision-findings", &prompt.message.text.to_lowercase());
        let is_reviewed = next.and_then(|next| next.prompt.as_ref()).is_some_and(finds);
        let verdicts = if is_rejected || is_reviewed { Vec::new() } else { numbered::verdicts(turn) };
        verdicts.into_iter().chain(answers(turn)).for_each(|item| put(&mut made, Choice::new(item, at)));
        while let Some(choice) = written.next_if(|choice| choice.turn <= at) {
            put(&mut made, choice);
        }
    }
    let last = made.split_off(made.len().max(DECISIONS) - DECISIONS);
    let mut made: Vec<Item> = last.into_iter().map(|made| made.item).collect();
    for item in made.iter_mut().filter(|item| item.context.ends_with('?')) {
        let is_over = |old: &&&Item| old.context == item.context && old.summary != item.summary;
        item.replaces.extend(known.iter().filter(is_over).map(|old| old.id.clone()));
    }
    made
}

/// Adds a decision; one of the same words goes, but not one that answers another question.
fn put(made: &mut Vec<Choice>, new: Choice) {
    let asked = |choice: &Choice| Some(terms(&choice.item.context)).filter(|_| choice.item.context.ends_with('?'));
    let question = asked(&new);
    made.retain(|old| {
        let other_question = || asked(old).zip(question.as_ref()).is_some_and(|(old, new)| old != *new);
        text::jaccard(&old.chosen, &new.chosen) < SAME || other_question()
    });
    made.push(new);
}

/// Takes out what the user wants undone: an option, if they name another one of its list and ask nothing; else what a
/// sentence names, or the last one, if it was made just before. Gives the list of the option.
fn withdraw(made: &mut Vec<Choice>, prompt: &Utterance<'_>, at: usize) -> Option<usize> {
    let (text, said) = (prompt.message.text.to_lowercase(), terms(&prompt.message.text));
    let is_short = text.split_whitespace().count() <= SHORT_WORDS && !text.contains('?');
    let takes_back = prompt.sentences.iter().any(|one| says("decision-or-no", &one.lower))
        || says("decision-instead", &text.replace('’', "'"));
    // What stands behind the name of an option tells of it in any words.
    let name = |option: &'_ str| option.split([':', '—', '–', '(', ',']).next().map_or_else(BTreeSet::new, terms);
    let names_other = |last: &Choice| {
        let is_named = |other: &String| name(other).difference(&last.chosen).any(|word| said.contains(word));
        let is_label = label(prompt).is_some() || says("answer-label", &text);
        let others = &last.item.alternatives;
        !others.is_empty() && (is_label || others.iter().any(is_named))
    };
    let is_near = |last: &Choice| at - last.turn <= NEAR_TURNS;
    if takes_back
        && is_short
        && let Some(last) = made.pop_if(|last| is_near(last) && names_other(last))
    {
        return last.list;
    }
    let undo = prompt.sentences.iter().find(|sentence| says("decision-revert", &sentence.lower))?;
    let (meant, count) = (terms(&undo.plain), made.len());
    made.retain(|made| made.chosen.is_disjoint(&meant));
    if made.len() == count {
        made.pop_if(|last| is_near(last));
    }
    None
}

/// Whether the user's next words reject what the agent said.
pub fn rejects(said: &str) -> bool {
    sentences::split(said).first().is_some_and(is_rejection)
}

fn is_rejection(sentence: &Sentence<'_>) -> bool {
    says("decision-rejects", &sentence.lower)
}

/// The known decisions that a commit made, by the title of one that takes it back.
pub fn reverted(title: &str, known: &[&Item]) -> Vec<String> {
    let Some(title) = taken_back(title) else { return Vec::new() };
    let title = text::meaning(title).stems;
    let made = |old: &&&Item| {
        let said = text::meaning(&format!("{} {} {}", old.summary, old.context, old.rationale)).stems;
        title.len() > 1 && text::share(title.intersection(&said).count(), title.len()) >= MADE_SHARE
    };
    known.iter().filter(made).map(|old| old.id.clone()).collect()
}

/// The title of the commit that a commit of this title takes back.
pub fn taken_back(title: &str) -> Option<&str> {
    title.strip_prefix("Revert \"")?.strip_suffix('"')
}

/// The option that a prompt names by its label, from the list of the message before it.
fn option(prompt: &Utterance<'_>, asking: &Turn<'_>) -> Option<Item> {
    let answer = asking.said().next_back()?;
    if answer.sentences.iter().any(|sentence| says("short-asks-number", &sentence.lower)) {
        return None;
    }
    let ((options, asked, _), place, said) = numbered::chosen(prompt, answer, can_choose)?;
    let (_, chosen) = options[place];
    let summary = capital(&plain(first_sentence(chosen)));
    let tells = |asked: &&Sentence<'_>| {
        let asks = |heading| says(heading, &asked.lower);
        asks("answer-which") && !asks("answer-bare") && !asks("answer-label")
    };
    let question = asked.as_ref().filter(tells);
    // A question cannot be chosen, nor can what was done; a word alone says something behind a question only.
    let is_done = |(_, text): &(String, &str)| plain(text).split(' ').next().is_some_and(|word| word.ends_with("ed"));
    let is_word = question.is_some() && !summary.contains(' ');
    if summary.ends_with('?') || options.iter().all(is_done) || !is_word && !is_sentence(&summary) {
        return None;
    }
    let few = if question.is_some() { LONG_ANSWER_WORDS } else { BRIEF_WORDS };
    let told = question.map(|one| (one, answer)).or_else(|| Some((asking.telling()?, asking.prompt.as_ref()?)));
    let others = options.iter().enumerate().filter(|(other, _)| *other != place).take(6);
    let others = others.map(|(_, (_, text))| text::cut(&plain(first_sentence(text)), ALTERNATIVE_CHARS).into_owned());
    let reason = signal("said-because").before(said).map(|before| plain(&said[before.len()..]));
    let mut item = Item {
        context: told.map_or_else(String::new, |(told, _)| told.plain.clone()),
        alternatives: others.collect(),
        rationale: reason.unwrap_or_else(|| below(answer.message, chosen)),
        evidence: vec![quote(chosen, answer), quote(said, prompt)],
        ..Item::new(ItemKind::Decision, summary)
    };
    let short = item.summary.split_whitespace().count() <= few;
    if let Some((told, from)) = told.filter(|(told, _)| short && told.plain.chars().nth(ALTERNATIVE_CHARS).is_none()) {
        let mark = if told.plain.ends_with(['?', '.', '!']) { "" } else { ":" };
        item.summary = format!("{}{mark} {}", told.plain, item.summary);
        item.evidence.push(quote(told.raw, from));
    }
    Some(item)
}

/// What the agent says of an option behind its first sentence and below it, up to the next option or a question.
fn below(message: &Message, chosen: &str) -> String {
    let mut rest = sentences::own_lines(&message.text).skip_while(|line| !line.contains(chosen));
    let is_point = rest.next().is_some_and(sentences::is_point);
    let is_own = |line: &&str| {
        let ends = is_point && line.is_empty() || line.starts_with("---") || line.ends_with('?');
        !ends && numbered::option(line).is_none()
    };
    let behind = sentences::split(chosen).into_iter().skip(1).map(|one| one.plain);
    let all = behind.chain(rest.take_while(is_own).map(plain).filter(|line| !line.is_empty()));
    text::cut(&all.collect::<Vec<_>>().join(". "), BELOW_CHARS).into_owned()
}

fn first_sentence(text: &str) -> &str {
    sentences::split(text).into_iter().next().map_or(text, |sentence| sentence.raw)
}

/// A few words that answer the question with which the agent's last message ends: "Which database?", "Postgres".
fn reply(prompt: &Utterance<'_>, before: &Turn<'_>) -> Option<Item> {
    let asking = before.said().next_back()?;
    let [said] = &prompt.sentences[..] else { return None };
    // Of several questions it is not known which one is answered.
    let (question, told) = asking.sentences.split_last()?;
    let asks = |one: &Sentence<'_>| one.raw.trim_end().ends_with('?');
    let few = said.plain.split_whitespace().count() <= ANSWER_WORDS;
    // The place of an option in a list means nothing without the list.
    let is_other = label(prompt).is_some() || super::continue_prompt::goes_on(&said.plain);
    if !asks(question) || told.iter().any(asks) || !few || is_other || !can_choose(&said.lower, question) {
        return None;
    }
    let mut context = plain(question.raw);
    // The question names both: what was not chosen must be told, too.
    let other = other(&context, &said.plain);
    let no = if context.starts_with('¿') { "no" } else { "not" };
    let not = other.as_ref().map_or_else(String::new, |other| format!(", {no} {other}"));
    let mut evidence = vec![quote(question.raw, asking), quote(said.raw, prompt)];
    if says("answer-bare", &question.lower) {
        // What it is about is said before it.
        let before = told.last().filter(|_| labelled(asking.message).is_empty())?;
        context = format!("{}. {context}", before.plain);
        evidence.push(quote(before.raw, asking));
    }
    let summary = format!("{context} {}{not}", said.plain);
    let alternatives = other.into_iter().collect();
    Some(Item { context, alternatives, evidence, ..Item::new(ItemKind::Decision, summary) })
}

/// Whether these words can answer a question that leaves a choice.
fn can_choose(said: &str, question: &Sentence<'_>) -> bool {
    let is_none =
        ["answer-errand", "answer-asks", "decision-rejects", "answer-none"].iter().any(|none| says(none, said));
    says("answer-which", &question.lower) && !says("answer-no-choice", &question.lower) && !is_none
}

/// Of "toml or yaml?" what was not chosen.
fn other(question: &str, answer: &str) -> Option<String> {
    let (left, right) = [" or ", " o "].iter().find_map(|or| question.rsplit_once(or))?;
    let right = right.split(['?', ',']).next()?.trim();
    let left = left.rsplit([',', ':', '¿']).next()?.trim();
    let words: Vec<&str> = left.split(' ').collect();
    let left = words.get(words.len().saturating_sub(right.split(' ').count())..)?.join(" ");
    let (said, a, b) = (answer.to_lowercase(), left.to_lowercase(), right.to_lowercase());
    if said == b { Some(left) } else { (said == a).then(|| right.to_owned()) }
}

/// The answers to the questions that the agent asked with its tool. What the user asks back decides nothing.
fn answers(turn: &Turn<'_>) -> Vec<Item> {
    let mut found = Vec::new();
    for result in &turn.answers {
        let first = found.len();
        for answer in result.message.answers.iter().filter(|answer| !own_words::is_cut(&answer.said)) {
            // What is said to a question that has its answer was noted beside it.
            match found.iter_mut().skip(first).find(|item: &&mut Item| item.context == answer.question) {
                Some(item) => {
                    item.rationale = String::from(format!("{} {}", answer.said, item.rationale).trim());
                    item.evidence.push(quote(&answer.said, result));
                }
                None => found.extend(answered(answer, result)),
            }
        }
    }
    found
}

fn answered(answer: &Answer, result: &Utterance<'_>) -> Option<Item> {
    let asked = answer.question.to_lowercase().replace('’', "'");
    // What only says how it is was not chosen.
    let is_datum = says("answer-number", &answer.said) && says("answer-datum", &asked) && !says("answer-to-be", &asked);
    if is_datum || says("answer-no-choice", &asked) {
        return None;
    }
    let context = answer.question.clone();
    let said = sentences::split(&answer.said);
    let kept = said.iter().filter(|sentence| !says("answer-asks", &sentence.lower));
    let kept: Vec<&str> = kept.map(|sentence| sentence.raw).collect();
    let text = plain(&if kept.len() == said.len() { answer.said.clone() } else { kept.join(" ") });
    let lower = text.to_lowercase();
    // A few words, or "option b", say little without their question.
    let count = |text: &str| text.split_whitespace().count();
    let asks = count(&context) >= QUESTION_WORDS && count(&text) <= LONG_ANSWER_WORDS;
    let short = count(&text) <= ANSWER_WORDS || asks || says("answer-label", &lower);
    // A word answers a question whole.
    let decides = !says("answer-errand", &lower) || asks && says("answer-yes-or-no", &lower);
    if !decides || !is_sentence(&text) && (!short || text.is_empty()) {
        return None;
    }
    let question =
        sentences::split(&context).into_iter().rfind(|one| one.raw.ends_with('?')).map_or(&*context, |one| one.raw);
    let summary = if short { format!("{question} {text}") } else { capital(&text) };
    let pair = answer.pair();
    let asked = if result.message.text.contains(&pair) { &pair } else { &answer.question };
    let quotes = [if let [one] = kept[..] { one } else { answer.said.as_str() }, asked];
    let evidence = quotes.iter().map(|said| quote(said, result)).collect();
    let (rationale, alternatives) = (answer.about.clone(), answer.others.clone());
    Some(Item { context, alternatives, rationale, evidence, ..Item::new(ItemKind::Decision, summary) })
}
