//! What is found of a choice: by whom, where, and what it is about.

use super::sentences::{Sentence, Signal};
use crate::base::text;
use crate::record::item::Item;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Turns after which "revert this" or "or no" speaks of something else.
pub const NEAR_TURNS: usize = 3;

const FILLERS: &str = r"^(?:(?:ok|okay|yes|yeah|yep|yup|sure|great|good|nice|fine|cool|perfect|agreed|alright|all good|right|then|and|but|so|well|actually|please|hm+|i think|in that case|thanks|sí|si|vale|bueno|bien|dale|perfecto|listo|entonces|de acuerdo|genial|no|nah|or no|wait)(?:[,.!:;–—-]+ *| +|$))+";

/// What comes before what a sentence says.
static FILLER: LazyLock<Signal> = LazyLock::new(|| Signal::any(&[FILLERS]));

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
    let rest = FILLER.behind(&sentence.lower).unwrap_or(&sentence.lower);
    let skipped = sentence.lower.chars().count().saturating_sub(rest.chars().count());
    let plain: String = sentence.plain.chars().skip(skipped).collect();
    (plain, rest.to_owned())
}
