//! Which notes a prompt needs, by the words that they have in common, found as lh-recall finds those of a question. A word
//! counts the more the fewer notes have it; everyday words, folder names and extensions count little, a word of the note's
//! name or description more than one of its text, each the more the shorter the note is, and two words more that are
//! neighbours in both. What a note that was chosen has of the prompt hardly counts for the next one. lh-figures(7) says how
//! well it does.

use super::recall::{Query, words_of};
use super::scan::Scanner;
use super::words::{COMMON, is_small, tokens};
use crate::base::text;
use std::collections::HashSet;

/// Folder names and extensions, which many paths have.
const PARTS: &[&str] = &[
    "app", "cmd", "com", "css", "csv", "doc", "docs", "go", "html", "http", "https", "index", "internal", "js", "json",
    "jsx", "lib", "main", "md", "py", "rs", "sh", "sql", "src", "test", "tests", "toml", "ts", "tsx", "txt", "www",
    "xml", "yaml", "yml",
];

/// What a word of the prompt counts: an everyday one, a part of a path, a part of a longer name.
const OF_COMMON: f64 = 0.4;
const OF_PART: f64 = 0.25;
const OF_NAME: f64 = 0.9;
/// What is left of that for a word of the messages before it, which alone needs nothing.
const OF_BEFORE: f64 = 0.4;
/// What a word counts in a note's name and in its description.
const IN_NAME: f64 = 1.4;
const IN_DESCRIPTION: f64 = 1.3;
/// Two words that are neighbours in both: at most so many words apart in the prompt, and so many bytes in the note.
const PAIR: f64 = 1.2;
const NEAR: usize = 2;
const NEAR_BYTES: usize = 20;
/// What is left of a word that a note that was chosen has.
const EXPLAINED: f64 = 0.2;
/// A long note has a word of the prompt by chance more often: so much of what a word counts is divided by the note's
/// length, in bytes. So many are usual; fewer than the first and more than the last count as these.
const BY_LENGTH: f64 = 0.4;
const SHORT: usize = 140;
const USUAL: usize = 350;
const LONG: usize = 550;
/// The least that a note must be worth.
const LEAST: f64 = 9.0;
/// How rare a word is, is said as if there were so many notes: what a note must reach is the same in any folder.
const FOLDER: f64 = 120.0;
/// A smaller folder counts as one of so many: two notes about one subject are no reason to leave its words out.
const LEAST_NOTES: usize = 120;

/// The texts of a note.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoteText<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its description.
    pub description: &'t str,
    /// Its text.
    pub body: &'t str,
}

/// What a person says.
pub struct PromptTerms {
    query: Query,
    /// What each of its terms counts.
    weights: Vec<f64>,
    /// Terms that are neighbours, the smaller place first.
    pairs: HashSet<(usize, usize)>,
}

/// What a note has of the prompt: for each term what a word counts where it is, 0 where it is not; and how many pairs.
struct NoteMatch {
    places: Vec<f64>,
    pairs: usize,
    bytes: usize,
}

impl PromptTerms {
    /// Reads a prompt, and the messages before it.
    pub fn new(said: &str, before: &str) -> Self {
        let mut new = Self { query: Query::default(), weights: Vec::new(), pairs: HashSet::new() };
        new.read(said, 1.0);
        new.read(before, OF_BEFORE);
        let weights = &mut new.weights;
        let is_common = |_, term: usize| weights[term] = weights[term].min(OF_COMMON);
        Scanner::new(&new.query).scan(COMMON.as_bytes(), is_common);
        new
    }

    /// Takes the words of a text, which count so much.
    fn read(&mut self, said: &str, share: f64) {
        let mut last: Vec<usize> = Vec::new();
        for token in tokens(said) {
            let words = words_of(token);
            let of_whole = if words.len() > 1 { OF_NAME } else { 1.0 };
            for word in words.iter().filter(|word| !is_small(word)) {
                let weight = share * if PARTS.contains(&word.as_str()) { OF_PART } else { of_whole };
                let Some(at) = self.query.add(word, false, true) else { return };
                match self.weights.get_mut(at) {
                    Some(known) => *known = known.max(weight),
                    None => self.weights.push(weight),
                }
                let others = last.iter().filter(|other| **other != at);
                self.pairs.extend(others.map(|other| (at.min(*other), at.max(*other))));
                last.push(at);
                last.drain(..last.len().max(NEAR) - NEAR);
            }
        }
    }

    /// The places of the notes that it needs, at most `most`, the one that it needs most first. Those of which `told` says
    /// that they were told already are left out, but their words count as told.
    pub fn choose(&self, notes: &[NoteText<'_>], most: usize, told: impl Fn(usize) -> bool) -> Vec<usize> {
        let values = self.values(notes);
        let mut left: Vec<usize> = (0..notes.len()).rev().collect();
        let mut explained = vec![false; self.weights.len()];
        let mut chosen = Vec::new();
        while chosen.len() < most {
            let worth = |note: usize| -> f64 {
                let (words, pairs) = &values[note];
                let left = |(value, done): (&f64, &bool)| if *done { EXPLAINED * value } else { *value };
                words.iter().zip(&explained).map(left).sum::<f64>() + pairs
            };
            // The first of those that are worth the same.
            let by_worth = left.iter().enumerate().map(|(at, note)| (worth(*note), at));
            let Some((worth, at)) = by_worth.max_by(|one, other| one.0.total_cmp(&other.0)) else { break };
            let note = left.remove(at);
            let words = &values[note].0;
            let mut terms = self.weights.iter().zip(words).zip(&explained);
            // An everyday word is not enough.
            let says_more = terms.any(|((weight, value), done)| *weight >= OF_NAME && *value > 0.0 && !done);
            if worth < LEAST || !says_more {
                break;
            }
            explained.iter_mut().zip(words).for_each(|(done, value)| *done |= *value > 0.0);
            if !told(note) {
                chosen.push(note);
            }
        }
        chosen
    }

    /// What each note has of the prompt: what each term counts in it, and its pairs.
    fn values(&self, notes: &[NoteText<'_>]) -> Vec<(Vec<f64>, f64)> {
        let mut scanner = Scanner::new(&self.query);
        let found: Vec<NoteMatch> = notes.iter().map(|note| self.find(note, &mut scanner)).collect();
        let count = |term: usize| found.iter().filter(|of| of.places[term] > 0.0).count();
        let rare = |(term, weight)| weight * rarity(count(term), notes.len());
        let rare: Vec<f64> = self.weights.iter().enumerate().map(rare).collect();
        let value = |of: &NoteMatch| {
            let short = 1.0 / (1.0 - BY_LENGTH + BY_LENGTH * text::share(of.bytes.clamp(SHORT, LONG), USUAL));
            (
                rare.iter().zip(&of.places).map(|(rare, place)| rare * place * short).collect(),
                PAIR * text::share(of.pairs, 1),
            )
        };
        found.iter().map(value).collect()
    }

    /// What a note has of the prompt.
    fn find(&self, note: &NoteText<'_>, scanner: &mut Scanner<'_>) -> NoteMatch {
        let (mut places, mut bytes, mut pairs) = (vec![0.0_f64; self.weights.len()], 0, HashSet::new());
        for (said, place) in [(note.name, IN_NAME), (note.description, IN_DESCRIPTION), (note.body, 1.0)] {
            let mut last: Vec<(usize, usize)> = Vec::new();
            scanner.scan(said.as_bytes(), |at, term| {
                places[term] = places[term].max(place);
                last.retain(|(before, _)| at - before <= NEAR_BYTES);
                pairs.extend(last.iter().map(|(_, other)| (term.min(*other), term.max(*other))));
                last.push((at, term));
            });
            bytes += said.len();
        }
        NoteMatch { places, pairs: pairs.intersection(&self.pairs).count(), bytes }
    }
}

/// How rare a word is that so many of the notes have.
fn rarity(having: usize, notes: usize) -> f64 {
    let more = FOLDER * text::share(having.max(1) - 1, notes.max(LEAST_NOTES));
    ((FOLDER + 1.0) / (1.5 + more)).ln().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::recall::TERMS;
    use crate::rank::stems::Stems;
    use crate::rank::words::SMALL;
    use std::collections::BTreeMap;

    #[test]
    fn each_word_is_found_in_all_of_its_forms() {
        let mut forms: BTreeMap<String, HashSet<String>> = BTreeMap::new();
        let stems = Stems::default();
        let others = "aws ops ios ebs lying lie lies lied tying tie ties dying die dies skies sky skis ski flies fly flew \
                      cried cry crying tried try used using use hoping hoped hope days day gas axis dns tls css";
        let said = [
            include_str!("../../tests/select/first/memories.jsonl"),
            include_str!("../../tests/select/second/memories.jsonl"),
            SMALL,
            COMMON,
            others,
        ]
        .join(" ");
        for token in tokens(&said) {
            for word in words_of(token) {
                forms.entry(stems.of(&word)).or_default().insert(word);
            }
        }
        assert!(forms.len() > 1000 && forms["lie"].len() == 4 && forms["aw"].contains("aws"), "{}", forms.len());
        for words in forms.values() {
            for word in words.iter().filter(|word| !is_small(word)) {
                let prompt = PromptTerms::new(word, "");
                let mut scanner = Scanner::new(&prompt.query);
                let mut finds = |form: &str| {
                    let mut any = false;
                    scanner.scan(form.as_bytes(), |_, _| any = true);
                    any
                };
                let lost: Vec<&String> = words.iter().filter(|form| !finds(form)).collect();
                assert!(lost.is_empty(), "{word} does not find {lost:?}");
            }
        }
    }

    #[test]
    fn a_few_notes_about_one_subject_are_told() {
        for count in 2..=10 {
            let names: Vec<String> = (0..count).map(|n| format!("ledger-{n}")).collect();
            let description = "The ledger deploys on Thursday, never before a holiday";
            let notes: Vec<NoteText<'_>> = names.iter().map(|name| NoteText { name, description, body: "" }).collect();
            let chosen = PromptTerms::new("deploy the ledger before the holiday", "").choose(&notes, 5, |_| false);
            assert_eq!(chosen, [0], "{count}");
        }
    }

    #[test]
    fn a_long_note_needs_more_of_a_prompt() {
        let chosen = |more: &str| {
            let body = format!("The ledger deploys on Thursday. {more}");
            let note = NoteText { name: "", description: "", body: &body };
            PromptTerms::new("deploy the ledger", "").choose(&[note], 5, |_| false).len()
        };
        assert_eq!((chosen(""), chosen(&"All of it is said again in other words. ".repeat(40))), (1, 0));
    }

    #[test]
    fn what_was_told_takes_no_place() {
        const WORDS: [&str; 6] =
            ["amber alder", "bravo brick", "cedar cobalt", "dingo delta", "echo ember", "fjord fable"];
        let notes = WORDS.map(|description| NoteText { name: "", description, body: "" });
        let prompt = PromptTerms::new(&WORDS.join(" "), "");
        assert_eq!(prompt.choose(&notes, 5, |_| false), [0, 1, 2, 3, 4]);
        assert_eq!(prompt.choose(&notes, 5, |note| note < 5), [5]);
        // The words of what was told stay told: another note with the same ones says no more.
        let same = [notes[0], notes[0]];
        assert_eq!(prompt.choose(&same, 5, |note| note == 0), Vec::<usize>::new());
    }

    #[test]
    fn a_pasted_text_has_some_hundred_terms() {
        let letters: Vec<char> = ('a'..='z').collect();
        let word = |n: usize| format!("zq{}{}", letters[n / 26], letters[n % 26]);
        let said: Vec<String> = (0..600).map(word).collect();
        let prompt = PromptTerms::new(&said.join(" "), "");
        assert_eq!(prompt.weights.len(), TERMS);
        assert!(prompt.query.term(&word(0)).is_some() && prompt.query.term(&word(599)).is_none());
    }
}
