//! What is found of a choice: by whom, where, and what it is about.

use super::reversals::Sides;
use super::sentences::{Sentence, Signal, Turn};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::Message;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Turns after which "revert this" or "or no" speaks of something else.
pub const NEAR_TURNS: usize = 3;

/// What comes before what a sentence says.
static FILLER: Signal = Signal::named("decision-filler");

/// What "no" turns into its opposite.
static NO_VERB: Signal = Signal::named("decision-no-verb");

/// What was done is to be undone.
pub static REVERT: Signal = Signal::named("decision-revert");

/// A decision, and when it was made.
pub struct Choice {
    /// The decision.
    pub item: Item,
    /// The number of the turn.
    pub turn: usize,
    /// What it is about.
    pub chosen: BTreeSet<String>,
    /// The line of the message whose list it chose from.
    pub list: Option<u64>,
    sides: OnceCell<Sides>,
}

impl Choice {
    /// One that was made in a turn.
    pub fn new(item: Item, turn: usize, chosen: BTreeSet<String>, list: Option<u64>) -> Self {
        Self { item, turn, chosen, list, sides: OnceCell::new() }
    }

    /// What it chose, and what it did not.
    pub fn sides(&self) -> &Sides {
        self.sides.get_or_init(|| Sides::of(&self.item))
    }

    /// A decision that a message writes down.
    pub fn written(item: Item, turns: &[Turn<'_>], message: &Message) -> Self {
        let before = |turn: &&Turn<'_>| turn.prompt.as_ref().is_none_or(|prompt| prompt.message.line <= message.line);
        let turn = turns.iter().take_while(before).count().saturating_sub(1);
        let chosen = words(&item.summary);
        Self::new(item, turn, chosen, None)
    }

    /// That something was taken back: it chose nothing.
    pub fn reversal(item: Item, turn: usize) -> Self {
        let chosen = words(&item.summary).into_iter().map(|word| format!("¬{word}")).collect();
        Self::new(item, turn, chosen, None)
    }
}

/// What a text is about: its stems and names.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut meaning = text::meaning(text);
    for verb in ["go", "us", "use", "switch", "keep", "let", "we", "i", "option", "decis", "decision"] {
        meaning.stems.remove(verb);
    }
    meaning.stems.append(&mut meaning.fixed);
    meaning.stems
}

/// A sentence behind its fillers, as it stands and in lower case.
pub fn without_fillers(sentence: &Sentence<'_>) -> (String, String) {
    let mut rest = sentence.lower.as_str();
    // Those of one language, then those of the other.
    while let Some(behind) = FILLER.behind(rest) {
        let skipped = rest.strip_suffix(behind).unwrap_or_default();
        if NO_VERB.is_in(behind) && (skipped == "no " || skipped.ends_with(" no ")) {
            rest = rest.get(skipped.len().saturating_sub(3)..).unwrap_or(rest);
            break;
        }
        rest = behind;
    }
    let skipped = sentence.lower.chars().count().saturating_sub(rest.chars().count());
    let plain: String = sentence.plain.chars().skip(skipped).collect();
    (plain, rest.to_owned())
}
