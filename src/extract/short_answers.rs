//! A choice in a word: the label of an option that the agent's list explains ("option 2", "b, the
//! client needs it"), one of two words that were asked about, an answer to the agent's own question.

use super::choice::{Choice, NEAR_TURNS, without_fillers, words};
use super::sentences::{self, Sentence, Signal, Turn, Utterance, plain};
use super::{capital, is_sentence, quote};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::Message;

/// The longest prompt, in characters, that is a choice in a word.
const TERSE_CHARS: usize = 60;
/// The longest answer, in words, that is shown with its question.
const ANSWER_WORDS: usize = 4;
/// The same of a question that says what it is about, and the fewest words of that.
const LONG_ANSWER_WORDS: usize = 7;
const QUESTION_WORDS: usize = 3;
/// The longest alternative, in characters.
const ALTERNATIVE_CHARS: usize = 160;

/// A choice in a word, of an option that a list explains.
static TERSE: Signal = Signal::named("short-terse");
/// The same at the beginning of a sentence that says more.
static NAMED: Signal = Signal::named("short-named");
/// A question whose answer is a number, or which of the findings comes next.
static ASKS_NUMBER: Signal = Signal::named("short-asks-number");
/// A choice of two.
static EITHER: Signal = Signal::named("short-either");
/// What is to be done now and decides nothing.
static ERRAND: Signal = Signal::named("answer-errand");
/// A question whose answer is an errand or a fact.
static NO_CHOICE: Signal = Signal::named("answer-no-choice");
/// A label that says nothing without its list.
static LABEL: Signal = Signal::any(&[r"\b(?:option|opción) (?:\d{1,2}|[a-f])\b"]);
/// What the user asks back, with its mark or without.
static ASKS: Signal = Signal::named("answer-asks");
/// What comes after one of two words.
static IT_IS: Signal = Signal::named("short-it-is");
/// The label first, then why.
static LABEL_FIRST: Signal = Signal::named("short-label-first");
/// One of two or more labels.
static LABELS: Signal = Signal::named("short-labels");

/// A choice in a word: the option that has this label in the agent's last list.
pub fn of_list(prompt: &Utterance<'_>, before: &[Turn<'_>]) -> Option<Choice> {
    let (label, said) = label(prompt)?;
    let label = label.as_str();
    let lately = before.iter().rev().take(NEAR_TURNS);
    let (asking, answer, options) = lately
        .filter_map(|turn| turn.said().next_back().map(|answer| (turn, answer, run(labelled(answer.message), label))))
        .find(|(_, _, options)| !options.is_empty())?;
    if answer.sentences.iter().any(|sentence| ASKS_NUMBER.is_in(&sentence.lower)) {
        return None;
    }
    let (_, chosen) = options.iter().find(|(name, _)| name == label)?;
    let item = Item { summary: capital(&plain(first_sentence(chosen))), ..Item::default() };
    if !is_sentence(&item.summary) {
        return None;
    }
    let others = options.iter().filter(|(name, _)| name != label);
    let others = others.map(|(_, text)| text::cut(&plain(first_sentence(text)), ALTERNATIVE_CHARS).into_owned());
    let item = Item {
        context: asking.situation(),
        alternatives: others.take(6).collect(),
        rationale: sentences::split(chosen).get(1).map(|why| why.plain.clone()).unwrap_or_default(),
        evidence: vec![quote(chosen, answer), quote(said, prompt)],
        ..item
    };
    let chosen = words(&item.summary);
    Some(Choice::new(item, before.len(), chosen, Some(answer.message.line)))
}

/// The label that a prompt chooses, and the words: the whole of a short one, or a sentence that says
/// "option".
fn label<'a>(prompt: &Utterance<'a>) -> Option<(String, &'a str)> {
    let text = prompt.message.text.trim();
    let whole = Sentence { raw: text, plain: plain(text), lower: plain(text).to_lowercase().replace('’', "'") };
    if text.chars().nth(TERSE_CHARS).is_none() {
        let (_, rest) = without_fillers(&whole);
        let label = TERSE.group(&rest).or_else(|| TERSE.group(&whole.lower));
        if let Some(label) = label {
            return Some((label.to_owned(), text));
        }
    }
    if !LABELS.is_in(&whole.lower) && prompt.sentences.len() <= 4 {
        let (_, rest) = without_fillers(&whole);
        let last = prompt.sentences.iter().skip(1).next_back().and_then(|last| TERSE.group(&last.lower));
        if let Some(label) = LABEL_FIRST.group(&rest).or_else(|| LABEL_FIRST.group(&whole.lower)).or(last) {
            return Some((label.to_owned(), text));
        }
    }
    prompt.sentences.iter().find_map(|sentence| {
        let (_, rest) = without_fillers(sentence);
        NAMED.group(&rest).map(|label| (label.to_owned(), sentence.raw))
    })
}

/// The last run of labels of one sort that holds this one; nothing when the option is but the heading
/// of a list of another sort.
fn run<'a>(all: Vec<(String, &'a str)>, label: &str) -> Vec<(String, &'a str)> {
    let sort = |label: &str| label.chars().all(|c| c.is_ascii_digit());
    let Some(at) = all.iter().rposition(|(name, _)| name == label) else { return Vec::new() };
    let heads = all
        .get(at.saturating_add(1))
        .is_some_and(|(next, _)| ["1", "a"].contains(&next.as_str()) && sort(next) != sort(label));
    if heads {
        return Vec::new();
    }
    let same = |entry: &&(String, &str)| sort(&entry.0) == sort(label);
    let start = all.iter().take(at).rev().take_while(same).take_while(|(name, _)| name.as_str() < label).count();
    let end =
        all.iter().skip(at.saturating_add(1)).take_while(same).take_while(|(name, _)| name.as_str() > label).count();
    all.into_iter().skip(at.saturating_sub(start)).take(start.saturating_add(end).saturating_add(1)).collect()
}

fn first_sentence(text: &str) -> &str {
    sentences::split(text).into_iter().next().map_or(text, |sentence| sentence.raw)
}

/// The lines of a message that begin with a label, `1.`, `b)`, `Option 2:`, and the label.
fn labelled(message: &Message) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for line in sentences::own_lines(&message.text).map(str::trim) {
        let bare = line.trim_start_matches(['#', '*', '-', '(', ' ', '`']);
        let lower = bare.to_lowercase();
        let word = ["option ", "opción ", "approach ", "alternative "].iter().find(|word| lower.starts_with(**word));
        let rest = bare.get(word.map_or(0, |word| word.len())..).unwrap_or_default();
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        let behind = rest.get(name.len()..).unwrap_or_default();
        let marked = behind.starts_with(['.', ')', ':'])
            || behind.starts_with(" —")
            || behind.starts_with(" -")
            || behind.starts_with(" –")
            || behind.starts_with("**");
        let text = behind.trim_start_matches(['.', ')', ':', '*', ' ', '—', '-', '–', '`']);
        let short = name.len() <= 2 && (name.len() == 1 || name.chars().all(|c| c.is_ascii_digit()));
        if short && !name.is_empty() && marked && !text.is_empty() {
            found.push((name.to_lowercase(), text));
        }
    }
    found
}

/// The answers to the agent's questions. What the user asks back decides nothing.
pub fn of_answers(turn: &Turn<'_>, at: usize) -> Vec<Choice> {
    let mut found = Vec::new();
    for result in &turn.answers {
        for answer in &result.message.answers {
            if NO_CHOICE.is_in(&answer.question.to_lowercase().replace('’', "'")) {
                continue;
            }
            let context = answer.question.clone();
            let said = sentences::split(&answer.said);
            let kept = said.iter().filter(|sentence| !ASKS.is_in(&sentence.lower));
            let kept: Vec<&str> = kept.map(|sentence| sentence.raw).collect();
            let text = if kept.len() == said.len() { answer.said.clone() } else { kept.join(" ") };
            let text = plain(&text);
            // A few words, or "option b", say little without their question.
            let count = |text: &str| text.split_whitespace().count();
            let asks = count(&context) >= QUESTION_WORDS && count(&text) <= LONG_ANSWER_WORDS;
            let short = count(&text) <= ANSWER_WORDS || asks || LABEL.is_in(&text.to_lowercase());
            let asked = sentences::split(&context).into_iter().rfind(|sentence| sentence.raw.ends_with('?'));
            let summary = match asked {
                Some(asked) if short => format!("{} {text}", asked.raw),
                None if short => format!("{context} {text}"),
                _ => capital(&text),
            };
            let quotes = [if let [one] = kept[..] { one } else { answer.said.as_str() }, &answer.pair()];
            let evidence = quotes.iter().map(|said| quote(said, result)).collect();
            let item = Item { summary, context, rationale: answer.about.clone(), evidence, ..Item::default() };
            if is_sentence(&text) && !ERRAND.is_in(&text.to_lowercase()) {
                found.push(Choice::new(item, at, words(&text), None));
            }
        }
    }
    found
}

/// "toml or yaml?", and one of the two words.
pub fn of_two(prompt: &Utterance<'_>, before: &Turn<'_>, turn: usize) -> Option<Choice> {
    let last = before.said().next_back();
    let asked = before.asked().iter().chain(last.into_iter().flat_map(|answer| &answer.sentences));
    let mut pairs = asked.filter_map(|sentence| Some((EITHER.group(&sentence.lower)?, sentence)));
    let (pair, question) = pairs.next_back()?;
    let (a, b) = pair.split_once(" or ").or_else(|| pair.split_once(" o "))?;
    let (first, last) = (prompt.sentences.first()?, prompt.sentences.last()?);
    let begins = |one: &str| {
        let (_, rest) = without_fillers(first);
        let rest = rest.strip_prefix(one);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(',') || IT_IS.is_in(rest))
    };
    let (one, other) = [(a, b), (b, a)].into_iter().find(|(one, _)| begins(one) || last.lower == *one)?;
    let item = Item {
        summary: capital(&format!("{one}, not {other}")),
        context: question.plain.clone(),
        alternatives: vec![other.to_owned()],
        evidence: vec![quote(prompt.message.text.trim(), prompt)],
        ..Item::default()
    };
    Some(Choice::new(item, turn, words(one), None))
}
