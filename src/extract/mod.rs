//! What a session says in so many words, without a model: the engine `extract`. Pure and
//! deterministic: messages in, items out, each with the sentences that say so. Empty is better than
//! wrong. How real sessions say what matters, English and Spanish, is in the signals of each part.

mod choice;
mod closing;
mod commits;
mod decisions;
mod failures;
mod learnings;
mod memories;
mod open_items;
mod open_lists;
pub mod progress;
mod sentences;
mod short_answers;
mod talk;

use crate::base::text;
use crate::record::item::{Evidence, Item};
use crate::record::message::Message;
use sentences::{Turn, Utterance};

/// The longest sentence, in characters, that is taken for an item's one sentence.
const SENTENCE_CHARS: usize = 400;

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// What was decided and stands at the end.
    pub decisions: Vec<Item>,
    /// What broke, why, and what mended it.
    pub failures: Vec<Item>,
    /// Insight blocks.
    pub learnings: Vec<Item>,
    /// What the user prefers, and facts about the project.
    pub memories: Vec<Item>,
    /// What is open at the end; none when nothing is said about it.
    pub open: Option<Vec<Item>>,
}

/// Reads a conversation, abandoned messages left out. `earlier` is what was open before.
pub fn extract(messages: &[Message], earlier: &Earlier<'_>) -> Found {
    let turns = sentences::turns(messages);
    Found {
        decisions: decisions::find(&turns),
        failures: failures::find(&turns),
        learnings: learnings::find(&turns),
        memories: memories::find(&turns),
        open: open_items::find(&turns, messages, earlier),
    }
}

pub use open_items::{Earlier, Todo, todo_texts, todos};

/// Of what was open before, what the messages since then do not say is done.
pub fn still_open(items: &[String], since: &[Message]) -> Vec<String> {
    let turns = sentences::turns(since);
    let earlier = Earlier { items, own: false };
    open_items::carried(&turns, &earlier, &[]).into_iter().map(|item| item.summary).collect()
}

/// The language of a session, `es` or `en`: that of what its user typed, else of what the agent said.
pub fn language(messages: &[Message]) -> &'static str {
    let turns = sentences::turns(messages);
    let of = |sentences: Vec<&str>| text::language(&sentences.join(" "));
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
    text.split_whitespace().count() >= 2 && text.chars().nth(SENTENCE_CHARS).is_none()
}

#[cfg(test)]
mod tests;
