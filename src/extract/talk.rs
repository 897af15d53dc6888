//! What was said, to be asked of many open items: each sentence is taken apart once, and an item looks
//! only at the sentences that share a word with it. So the time grows with the talk and with the items,
//! not with their product.

use crate::base::text;
use std::collections::{BTreeSet, HashMap};

/// The share of an item's stems that a sentence about it has.
const SHARE: f64 = 0.6;
/// The same for what must not be closed by mistake: all of a few words, most of more.
const FEW_WORDS: usize = 4;
const LARGE_SHARE: f64 = 0.8;

/// Sentences, lines and points of the agent's list that can settle an item.
#[derive(Default)]
pub struct Talk {
    /// How many there are.
    count: usize,
    stems: SentencesByWord,
    fixed: SentencesByWord,
}

/// Which of them have a word.
type SentencesByWord = HashMap<String, Vec<usize>>;

impl Talk {
    /// Takes texts apart.
    pub fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut talk = Self::default();
        for text in texts {
            let meaning = text::meaning(text);
            for (by_word, words) in [(&mut talk.stems, meaning.stems), (&mut talk.fixed, meaning.fixed)] {
                for word in words {
                    by_word.entry(word).or_default().push(talk.count);
                }
            }
            talk.count += 1;
        }
        talk
    }

    /// Whether one of them is about an item. For the session's `own` items less has to agree.
    pub fn settles(&self, item: &str, own: bool) -> bool {
        let wanted = text::meaning(item);
        let all = wanted.stems.len().saturating_add(wanted.fixed.len());
        // One word can be all that parts an item from the next one.
        let least = match (own, all <= FEW_WORDS) {
            (true, _) => SHARE,
            (false, true) => 1.0,
            (false, false) => LARGE_SHARE,
        };
        let mut common = vec![0_usize; self.count];
        let mut count = |words: &BTreeSet<String>, by_word: &SentencesByWord| {
            for sentence in words.iter().filter_map(|word| by_word.get(word)).flatten() {
                if let Some(common) = common.get_mut(*sentence) {
                    *common += 1;
                }
            }
        };
        count(&wanted.stems, &self.stems);
        count(&wanted.fixed, &self.fixed);
        common.into_iter().any(|common| text::share(common, all) >= least)
    }
}
