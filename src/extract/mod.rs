//! What a session says in so many words, without a model: the engine `extract`. Pure and
//! deterministic: messages in, items out, each with the sentences that say so. Empty is better than
//! wrong. It reads what has a structure first: commits, pull requests, issues, plans, answers to
//! questions. How people say the rest is in the files of words, one for each language.

pub mod checks;
pub mod commits;
mod continue_prompt;
mod decisions;
mod failures;
pub mod first_source;
pub mod fixes;
mod headed;
mod memories;
mod numbered;
mod open_items;
pub mod own_words;
mod pasted;
mod patterns;
pub mod progress;
pub mod reported_speech;
mod said;
mod sentences;
mod settled;
pub mod uses;
mod written;

use crate::base::text;
use crate::record::item::{Evidence, Item, ItemKind, Lists};
use crate::record::message::{Answer, Message};
use crate::record::speaker::Voice;
use decisions::Choice;
pub use numbered::option;
use sentences::{Turn, Utterance};

/// The longest sentence, in characters, that is taken for an item's one sentence.
const SENTENCE_CHARS: usize = 400;

/// Reads a conversation, abandoned messages left out. `earlier` is what was open before. It gives all kinds,
/// but what is open only if something is said about it.
pub fn extract(messages: &[Message], earlier: &Earlier<'_>) -> Lists {
    let turns = sentences::turns(messages);
    let mut told = commits::told(messages);
    if let Some(heard) = earlier.heard {
        // What a commit tells of another author's words is left out; the rest of it is the agent's.
        for told in &mut told {
            told.body = own_words::own(&told.body, Voice::Assistant, heard).into_owned();
        }
    }
    let mut made = Vec::new();
    for told in &told {
        let replaces = decisions::reverted(&told.title, earlier.decisions);
        if !replaces.is_empty() {
            let evidence = vec![told.quote(&told.title)];
            let item = Item { replaces, evidence, ..Item::new(ItemKind::Decision, told.title.clone()) };
            made.push(Choice::written(item, &turns, told.message));
        }
        let found = written::find(told).into_iter().map(|item| Choice::written(item, &turns, told.message));
        let mends = written::mends(&told.title);
        made.extend(found.filter(|made| !mends || !failures::is_refuted(&made.item, made.turn, &turns, true)));
    }
    for (message, plan) in written::plans(messages) {
        made.extend(written::plan(message, plan).map(|item| Choice::written(item, &turns, message)));
    }
    let (broken, decided) = made.into_iter().partition(|made: &Choice| made.item.kind == ItemKind::Failure);
    let open = open_items::find(&turns, messages, earlier, &told);
    let mut kinds = ItemKind::ALL.to_vec();
    kinds.retain(|kind| *kind != ItemKind::Handoff || open.is_some());
    let mut items = decisions::find(&turns, decided, earlier.decisions);
    items.extend(failures::find(&turns, broken));
    items.extend(headed::learnings(&turns));
    items.extend(memories::find(&turns));
    items.extend(open.into_iter().flatten());
    // What was cut does not say what it was about.
    items.retain(|item| !own_words::is_cut(&item.summary));
    Lists { kinds, items }
}

/// The lines of the user's own words that say most, each as the summary of an item.
pub fn said(messages: &[Message]) -> Vec<Item> {
    said::find(&sentences::turns(messages))
}

pub use decisions::{rejects, taken_back};
pub use memories::of_text as memory;
pub use open_items::{Earlier, Todo, todo_texts, todos};
pub use said::is_standing;

/// What the agent said elsewhere than in its messages, to look quotes up in: commits, pull requests, issues and
/// plans, what it wrote about an option that the user chose. What was reverted is not there. Each as one quote.
pub fn texts(messages: &[Message]) -> Vec<Evidence> {
    let mut all: Vec<Evidence> = commits::told(messages).iter().map(|told| told.quote(&told.text())).collect();
    let plans = written::plans(messages);
    // A prompt that is a plan is a message itself.
    let plans = plans.into_iter().filter(|(message, _)| !message.plan);
    all.extend(plans.map(|(message, plan)| message.quote(plan)));
    for message in messages.iter().filter(|message| !message.marks.abandoned) {
        // The client writes "2" where that option was chosen.
        let is_elsewhere = |answer: &&Answer| !answer.about.is_empty() || !message.text.contains(&answer.said);
        let about = message.answers.iter().filter(is_elsewhere);
        all.extend(about.map(|answer| message.quote(&format!("{}: {}", answer.said, answer.about))));
    }
    all
}

/// Of what was open before, what the messages since then do not say is done.
pub fn still_open(items: &[String], since: &[Message]) -> Vec<String> {
    let turns = sentences::turns(since);
    let earlier = Earlier { items, ..Earlier::default() };
    open_items::carried(&turns, &earlier, &[], &commits::told(since)).into_iter().map(|item| item.summary).collect()
}

/// The language of a session: `es` if what its user typed is surely Spanish, or tells no language and what the agent
/// said is; else `en`.
pub fn language(messages: &[Message]) -> &'static str {
    let turns = sentences::turns(messages);
    let of = |sentences: Vec<&str>| {
        let text = sentences.join(" ");
        if text::is_spanish(&text) { Some("es") } else { text::language(&text).filter(|known| *known == "en") }
    };
    let asked = turns.iter().flat_map(Turn::asked).map(|sentence| sentence.lower.as_str()).collect();
    let said = || turns.iter().flat_map(Turn::said).flat_map(|said| &said.sentences);
    of(asked).or_else(|| of(said().map(|sentence| sentence.lower.as_str()).collect())).unwrap_or("en")
}

/// What a message asks, sentence by sentence.
pub fn questions(message: &Message) -> Vec<String> {
    let turns = sentences::turns(std::slice::from_ref(message));
    let asked = turns.iter().flat_map(|turn| turn.prompt.iter().chain(&turn.answers)).flat_map(|said| &said.sentences);
    asked.filter(|sentence| sentence.raw.trim_end().ends_with('?')).map(|sentence| sentence.plain.clone()).collect()
}

/// A quote from a message.
fn quote(raw: &str, from: &Utterance<'_>) -> Evidence {
    from.message.quote(raw)
}

/// A sentence that begins with a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a sentence is of a length that says one thing.
fn is_sentence(text: &str) -> bool {
    text.split_whitespace().count() >= 2 && !own_words::is_cut(text) && text.chars().nth(SENTENCE_CHARS).is_none()
}

#[cfg(test)]
mod tests;
