//! Memories: what the user asked to be remembered, wants always or never, and prefers. Nothing that only reports what a
//! program does is one.

use super::sentences::{Sentence, Signal, Turn, Utterance};
use super::{capital, is_sentence, quote};
use crate::base::text;
use crate::record::item::{Gist, Item};

/// Words of a name.
const NAME_WORDS: usize = 6;

/// How the user wants the agent to work.
static FEEDBACK: Signal = Signal::named("memory-feedback");
/// What the user prefers.
static PREFERENCE: Signal = Signal::named("memory-preference");
/// What always or never is so in the project.
static PROJECT: Signal = Signal::named("memory-project");
/// What turns any of these into something else.
static NOT: Signal = Signal::named("memory-not");

/// Each memory once; said again in other words, the last wording stands.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for prompt in turns.iter().filter_map(|turn| turn.prompt.as_ref()) {
        for sentence in &prompt.sentences {
            let Some(item) = memory(sentence, prompt) else { continue };
            let gist = Gist::of_text(&item.body);
            found.retain(|known| !gist.is_near(&Gist::of_text(&known.body), false));
            found.push(item);
        }
    }
    found
}

fn memory(sentence: &Sentence<'_>, prompt: &Utterance<'_>) -> Option<Item> {
    let lower = &sentence.lower;
    // "Remember: tabs" says it in two words.
    let short = lower.split_whitespace().count() < 4 && !lower.contains(": ");
    if NOT.is_in(lower) || !is_sentence(&sentence.plain) || short {
        return None;
    }
    let memory_type = type_of(lower)?;
    let body = sentence.plain.trim_start_matches("and ").trim_start_matches("And ");
    Some(Item { evidence: vec![quote(sentence.raw, prompt)], ..named(capital(body), memory_type) })
}

/// What kind of memory a sentence is, in lower case.
fn type_of(lower: &str) -> Option<&'static str> {
    let types: [(&str, &Signal); 3] = [("feedback", &FEEDBACK), ("user", &PREFERENCE), ("project", &PROJECT)];
    types.into_iter().find(|(_, signal)| signal.is_in(lower)).map(|(memory_type, _)| memory_type)
}

/// A memory with a name of its own first words.
fn named(body: String, memory_type: &str) -> Item {
    let words: Vec<String> = text::canonical(&body).split(' ').take(NAME_WORDS).map(str::to_owned).collect();
    Item {
        summary: text::slug(&words.join(" ")),
        memory_type: memory_type.to_owned(),
        description: text::cut(&body, 150).into_owned(),
        body,
        ..Item::default()
    }
}

/// A text that a person wants to be remembered, as a memory, letter by letter as they wrote it ("npm", "src/x.rs"): of the type that its words are of, else of the project.
pub fn of_text(text: &str) -> Item {
    named(text.trim().to_owned(), type_of(&text.to_lowercase()).unwrap_or("project"))
}
