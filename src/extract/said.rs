//! What the user said, letter by letter: the few lines of a session that choose, refuse, wish or give a reason. They
//! have no type, and are true as far as they are the user's.

use super::continue_prompt::goes_on;
use super::patterns::says;
use super::sentences::{self, Turn, Utterance};
use super::{memories, own_words, quote};
use crate::record::gists::Gists;
use crate::record::item::{Item, ItemKind};
use std::ops::RangeInclusive;

/// The most lines of a session.
const LINES: usize = 3;
/// Words of a line that can be understood alone, and characters of one that is told whole. Of a longer one a sentence is.
const WORDS: RangeInclusive<usize> = 6..=110;
const CHARS: usize = 600;
/// The least weight of a line's cues.
const LEAST: i32 = 3;
/// What shows that a line is worth to be kept, and what that weighs. Each counts once.
const CUES: [(&str, i32); 7] = [
    ("said-chooses", 3),
    ("said-wants", 2),
    ("said-refuses", 1),
    ("said-because", 1),
    ("said-names", 1),
    ("said-asks", -2),
    ("said-errand", -4),
];
/// What a wish for all times weighs.
const WISH: i32 = 4;
const IMPERSONAL: i32 = -3;
/// The least weight of a cue that only a person's words have.
const CHOICE: i32 = 3;

/// The lines with the strongest cues, in their order; of two that weigh the same, the later.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<(i32, usize, Item)> = Vec::new();
    for prompt in turns.iter().filter_map(|turn| turn.prompt.as_ref()).filter(|prompt| !prompt.message.plan) {
        let is_doubtful = memories::is_doubtful(&prompt.message.text, &prompt.sentences);
        for (text, said) in candidates(prompt) {
            // The sentence that says most: a long line is not worth more for its length.
            let weight = said.iter().map(|lower| weight(lower, is_doubtful)).max().unwrap_or(0);
            if weight >= LEAST {
                let item = Item { evidence: vec![quote(text, prompt)], ..Item::new(ItemKind::Decision, text) };
                found.push((weight, found.len(), item));
            }
        }
    }
    found.sort_by_key(|(weight, at, _)| std::cmp::Reverse((*weight, *at)));
    let mut told = Gists::default();
    found.retain(|(.., item)| told.is_new(&item.summary));
    found.truncate(LINES);
    found.sort_by_key(|(_, at, _)| *at);
    found.into_iter().map(|(.., item)| item).collect()
}

/// Whether a line says how it is to be from now on: what only chose or refused something is over with its work.
pub fn is_standing(text: &str) -> bool {
    sentences::split(text).iter().any(|one| memories::wish(&one.lower).is_some())
}

fn weight(lower: &str, is_doubtful: bool) -> i32 {
    let is_wish = !is_doubtful && memories::wish(lower).is_some();
    if !is_wish && memories::may_be_wish(lower) {
        // It can be another person's.
        return 0;
    }
    let (mut sum, mut personal) = (if is_wish { WISH } else { 0 }, is_wish || says("pasted-personal", lower));
    for (_, weight) in CUES.iter().filter(|(cue, _)| says(cue, lower)) {
        sum += weight;
        personal |= *weight >= CHOICE;
    }
    if personal { sum } else { sum + IMPERSONAL }
}

/// The lines of a prompt that its user typed, or their sentences, each with the sentences in which cues are looked for.
fn candidates<'a>(prompt: &Utterance<'a>) -> Vec<(&'a str, Vec<String>)> {
    let mut found = Vec::new();
    let is_told =
        |text: &str| WORDS.contains(&text.split_whitespace().count()) && !own_words::is_cut(text) && !goes_on(text);
    // A pasted prompt has no sentences.
    let own = sentences::own_lines(&prompt.message.text).filter(|_| !prompt.sentences.is_empty());
    for line in own.map(str::trim).filter(|line| !sentences::is_quoted(line, line)) {
        let mut said = Vec::new();
        sentences::split_line(line, &mut said);
        if line.chars().nth(CHARS).is_none() {
            found.extend(is_told(line).then(|| (line, said.into_iter().map(|one| one.lower).collect())));
        } else {
            found.extend(said.into_iter().filter(|one| is_told(one.raw)).map(|one| (one.raw, vec![one.lower])));
        }
    }
    found
}
