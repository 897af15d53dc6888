//! Memories: what the user said about how they want to work, and lasting facts about the project.
//! They seldom say "always"; nothing that only reports what a program does is one.

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
/// Lasting facts about the project.
static FACT: Signal = Signal::named("memory-fact");
/// Where something is to be found.
static REFERENCE: Signal = Signal::named("memory-reference");
/// What turns any of these into something else.
static NOT: Signal = Signal::named("memory-not");

/// Each memory once; said again in other words, the last wording stands.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for prompt in turns.iter().filter_map(|turn| turn.prompt.as_ref()) {
        for sentence in &prompt.sentences {
            let taught = DONT.is_in(&sentence.lower) && prompt.sentences.iter().any(|s| ONCE_MORE.is_in(&s.lower));
            let Some(item) = memory(sentence, prompt, taught) else { continue };
            let gist = Gist::of_text(&item.body);
            found.retain(|known| !gist.is_near(&Gist::of_text(&known.body), false));
            found.push(item);
        }
    }
    found
}

/// What the agent shall not do.
static DONT: Signal = Signal::named("memory-dont");
/// It did so before.
static ONCE_MORE: Signal = Signal::named("memory-once-more");

fn memory(sentence: &Sentence<'_>, prompt: &Utterance<'_>, taught: bool) -> Option<Item> {
    let lower = &sentence.lower;
    if NOT.is_in(lower) || !is_sentence(&sentence.plain) || lower.split_whitespace().count() < 4 {
        return None;
    }
    let memory_type = type_of(lower).or(taught.then_some("feedback"))?;
    let body = sentence.plain.trim_start_matches("and ").trim_start_matches("And ");
    Some(Item { evidence: vec![quote(sentence.raw, prompt)], ..named(capital(body), memory_type) })
}

/// What kind of memory a sentence is, in lower case.
fn type_of(lower: &str) -> Option<&'static str> {
    let types: [(&str, &Signal); 4] =
        [("feedback", &FEEDBACK), ("user", &PREFERENCE), ("reference", &REFERENCE), ("project", &FACT)];
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
