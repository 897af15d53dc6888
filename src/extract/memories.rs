//! Memories: what the user asked to be remembered, wants always or never, and prefers. Nothing that only reports what a
//! program does is one.

use super::continue_prompt::goes_on;
use super::sentences::{Sentence, Signal, Turn, Utterance};
use super::{capital, is_sentence, own_words, quote};
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
/// One thing is better than another one.
static BETTER: Signal = Signal::named("memory-better");
/// How a sentence begins that a person says for themselves: an order, or "I", "we", "you".
static OWN: Signal = Signal::named("memory-own");
/// What a person writes before a wish: "Remember: tabs".
static LABEL: Signal = Signal::named("memory-label");
/// A sentence that asks the agent for work, or only greets or thanks it.
static ASKS: Signal = Signal::named("own-asks");
/// What turns any of these into something else, and what another one says.
static NOT: Signal = Signal::named("memory-not");
static TOLD: Signal = Signal::named("memory-told");

/// Each memory once; said again in other words, the last wording stands.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for prompt in turns.iter().filter_map(|turn| turn.prompt.as_ref()) {
        if is_doubtful(&prompt.message.text, &prompt.sentences) {
            continue;
        }
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
    let short = lower.split_whitespace().count() < 3 && !lower.contains(": ");
    if !is_sentence(&sentence.plain) || short {
        return None;
    }
    let memory_type = wish(lower)?;
    let body = sentence.plain.trim_start_matches("and ").trim_start_matches("And ");
    Some(Item { evidence: vec![quote(sentence.raw, prompt)], ..named(capital(body), memory_type) })
}

/// Whether what a prompt wishes may be another person's. Text that a person copies looks as if it were typed, and the ways
/// to say whose it is have no end ("Bob answered me. Always …", "… That is from the wiki."). So wishes count only in a
/// prompt in which each sentence is a wish or asks the agent for something, and nothing but a paste of the client's is
/// introduced by a colon. Without what others say in it, see [`super::own_words::own`].
pub fn is_doubtful(own: &str, sentences: &[Sentence<'_>]) -> bool {
    let Some(first) = sentences.iter().position(|one| wish(&one.lower).is_some()) else { return false };
    let has_paste = own_words::has_paste(own);
    let is_own = |(at, one): (usize, &Sentence<'_>)| {
        // A question behind a wish can be about it.
        let asks = || ASKS.is_in(&one.lower) || goes_on(&one.plain) || one.raw.ends_with('?') && at < first;
        wish(&one.lower).is_some() || (has_paste || !one.raw.contains(':')) && asks()
    };
    own.contains(own_words::CUT) || !sentences.iter().enumerate().all(is_own)
}

/// What kind of memory a sentence of the user's is, in lower case; None where it does not begin as a wish of one's own.
/// Verbs of saying are not looked for: there are too many for a list.
pub fn wish(lower: &str) -> Option<&'static str> {
    if NOT.is_in(lower) {
        return None;
    }
    if BETTER.is_in(lower) {
        return Some("user");
    }
    let said = LABEL.behind(lower).unwrap_or(lower);
    let (memory_type, signal) = kind(said)?;
    let before = signal.before(said)?;
    (OWN.is_in(said) && !before.contains(": ") && !TOLD.is_in(before)).then_some(memory_type)
}

/// Whether words for a wish are in a sentence, even if it is not the user's own.
pub fn may_be_wish(lower: &str) -> bool {
    kind(lower).is_some()
}

/// The first kind of memory that words are of, and the words that say so.
fn kind(lower: &str) -> Option<(&'static str, &'static Signal)> {
    let types = [("feedback", &FEEDBACK), ("user", &PREFERENCE), ("project", &PROJECT)];
    types.into_iter().find(|(_, signal)| signal.is_in(lower))
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
    named(text.trim().to_owned(), kind(&text.to_lowercase()).map_or("project", |(memory_type, _)| memory_type))
}
