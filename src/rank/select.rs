//! Which notes a prompt needs, by the words that they have in common. A word counts the more the fewer notes have it;
//! everyday words, folder names and extensions count little, a word of the note's name or description more than one of
//! its text, each the more the shorter the note is, and two words more that are neighbours in both. What a note that was
//! chosen has of the prompt hardly counts for the next one. lh-select(1) says how well it does.

use super::stems::Stems;
use super::words::{ByWord, COMMON, Heads, SMALL, each_part, folded, is_small, tokens};
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
/// A whole name with signs in it (`orders-api`, `app/errors.py`).
const WHOLE: f64 = 0.5;
/// What a word counts in a note's name and in its description.
const IN_NAME: f64 = 1.4;
const IN_DESCRIPTION: f64 = 1.3;
/// Two words that are neighbours in both, at most so many words apart.
const PAIR: f64 = 1.0;
const NEAR: usize = 2;
/// What is left of a word that a note that was chosen has.
const EXPLAINED: f64 = 0.2;
/// A long note has a word of the prompt by chance more often: so much of what a word counts is divided by the note's
/// length, in words. So many are usual; fewer than the first and more than the last count as these.
const BY_LENGTH: f64 = 0.4;
const SHORT: usize = 16;
const USUAL: usize = 40;
const LONG: usize = 60;
/// The least that a note must be worth.
const LEAST: f64 = 9.0;
/// How rare a word is, is said as if there were so many notes: what a note must reach is the same in any folder.
const FOLDER: f64 = 120.0;
/// A smaller folder counts as one of so many: two notes about one subject are no reason to leave its words out.
const LEAST_NOTES: usize = 120;
/// The most words and names of a prompt that are looked for.
const TERMS: usize = 300;

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
    /// What each word of the prompt counts.
    terms: Vec<f64>,
    /// The term of each stem, and of each whole name.
    stemmed: ByWord<String, usize>,
    names: ByWord<String, usize>,
    /// How the small words, the words and their stems begin: a word that begins otherwise is not looked up.
    heads: Heads,
    /// The stems without their last letter: a word that begins with none is not stemmed.
    begins: Vec<String>,
    /// Terms that are neighbours.
    pairs: HashSet<(usize, usize)>,
    stems: Stems,
}

/// What a note has of the prompt: for each term what a word counts where it is, 0 where it is not. And pairs, and how many
/// words it has in all.
struct NoteMatch {
    places: Vec<f64>,
    pairs: HashSet<(usize, usize)>,
    words: usize,
}

/// What a word of the notes is.
#[derive(Clone, Copy, Debug)]
enum WordRole {
    /// It says nothing.
    Small,
    /// A form of a term.
    Term(usize),
    /// Any other.
    Other,
}

/// The words that were looked up: most are in many notes, and each is stemmed once.
type WordRoles = ByWord<String, WordRole>;

impl PromptTerms {
    /// Reads a prompt, and the messages before it.
    pub fn new(said: &str, before: &str) -> Self {
        let mut new = Self {
            terms: Vec::new(),
            stemmed: ByWord::default(),
            names: ByWord::default(),
            heads: Heads::default(),
            begins: Vec::new(),
            pairs: HashSet::new(),
            stems: Stems::of_both(),
        };
        SMALL.split_whitespace().for_each(|word| new.heads.add(word.as_bytes()));
        new.read(said, 1.0);
        new.read(before, OF_BEFORE);
        new.find_common();
        new
    }

    /// Takes the words of a text, which count so much.
    fn read(&mut self, said: &str, share: f64) {
        let mut word = 0_usize;
        let mut last: Vec<(usize, usize)> = Vec::new();
        for token in tokens(said) {
            let mut parts: Vec<String> = Vec::new();
            let count = each_part(token, &mut String::new(), |part| parts.push(part.to_owned()));
            for part in &parts {
                if is_small(part) {
                    continue;
                }
                word += 1;
                let weight = match () {
                    () if PARTS.contains(&part.as_str()) => OF_PART,
                    () if count > 1 => OF_NAME,
                    () => 1.0,
                };
                let Some(at) = self.stem(part) else { continue };
                self.weigh(at, share * weight);
                last.retain(|(place, _)| word - place <= NEAR);
                // The same word twice does not make a pair.
                let others = last.iter().map(|(_, other)| *other).filter(|other| *other != at);
                self.pairs.extend(others.map(|other| (at.min(other), at.max(other))));
                last.push((word, at));
            }
            if count > 1
                && let Some(at) = taken(&mut self.names, folded(token), self.terms.len())
            {
                self.weigh(at, share * WHOLE);
            }
        }
    }

    /// The term of a word of the prompt; none where there are enough.
    fn stem(&mut self, word: &str) -> Option<usize> {
        let stem = self.stems.of(word);
        self.heads.add_forms(word, &stem);
        let begin = begin_of(&stem);
        let at = taken(&mut self.stemmed, stem, self.terms.len());
        if at == Some(self.terms.len()) {
            self.begins.push(begin);
        }
        at
    }

    /// A term counts what it counts at most.
    fn weigh(&mut self, at: usize, weight: f64) {
        match self.terms.get_mut(at) {
            Some(term) => *term = term.max(weight),
            None => self.terms.push(weight),
        }
    }

    /// Finds the everyday words of the prompt, in any form.
    fn find_common(&mut self) {
        for term in COMMON.split_whitespace().filter_map(|word| self.term(word)).collect::<Vec<_>>() {
            self.terms[term] = self.terms[term].min(OF_COMMON);
        }
    }

    /// The places of the notes that it needs, at most `most`, the one that it needs most first. Those of which `told` says
    /// that they were told already are left out, but their words count as told.
    pub fn choose(&self, notes: &[NoteText<'_>], most: usize, told: impl Fn(usize) -> bool) -> Vec<usize> {
        let values = self.values(notes);
        let (mut chosen, mut before): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut explained = vec![false; self.terms.len()];
        while chosen.len() < most {
            let worth = |(words, pairs): &(Vec<f64>, f64)| -> f64 {
                let left = |(value, done): (&f64, &bool)| if *done { EXPLAINED * value } else { *value };
                words.iter().zip(&explained).map(left).sum::<f64>() + pairs
            };
            let left = values.iter().enumerate().filter(|(note, _)| !chosen.contains(note) && !before.contains(note));
            // The first of those that are worth the same.
            let left = left.map(|(note, value)| (note, worth(value))).rev();
            let Some((note, worth)) = left.max_by(|one, other| one.1.total_cmp(&other.1)) else { break };
            let Some((words, _)) = values.get(note) else { break };
            let mut terms = self.terms.iter().zip(words).zip(&explained);
            // An everyday word is not enough.
            let says_more = terms.any(|((term, value), done)| *term >= OF_NAME && *value > 0.0 && !done);
            if worth < LEAST || !says_more {
                break;
            }
            explained.iter_mut().zip(words).for_each(|(done, value)| *done |= *value > 0.0);
            if told(note) { &mut before } else { &mut chosen }.push(note);
        }
        chosen
    }

    /// What each note has of the prompt: what each term counts in it, and its pairs.
    fn values(&self, notes: &[NoteText<'_>]) -> Vec<(Vec<f64>, f64)> {
        let mut known = WordRoles::default();
        let found: Vec<NoteMatch> = notes.iter().map(|note| self.find(note, &mut known)).collect();
        let count = |term: usize| found.iter().filter(|of| of.places[term] > 0.0).count();
        let rare: Vec<f64> = (0..self.terms.len()).map(|term| rarity(count(term), notes.len())).collect();
        let value = |of: &NoteMatch| {
            let terms = self.terms.iter().zip(&rare).zip(&of.places);
            let short = 1.0 / (1.0 - BY_LENGTH + BY_LENGTH * text::share(of.words.clamp(SHORT, LONG), USUAL));
            let values = terms.map(|((term, rare), place)| term * rare * place * short).collect();
            (values, of.pairs.iter().map(|_| PAIR).sum())
        };
        found.iter().map(value).collect()
    }

    /// What a note has of the prompt.
    fn find(&self, note: &NoteText<'_>, known: &mut WordRoles) -> NoteMatch {
        let mut found = NoteMatch { places: vec![0.0; self.terms.len()], pairs: HashSet::new(), words: 0 };
        let mut buffer = String::new();
        for (said, place) in [(note.name, IN_NAME), (note.description, IN_DESCRIPTION), (note.body, 1.0)] {
            let mut word = 0_usize;
            let mut last: Vec<(usize, usize)> = Vec::new();
            for token in tokens(said) {
                let count = each_part(token, &mut buffer, |part| {
                    let is = self.word(part, known);
                    word += usize::from(!matches!(is, WordRole::Small));
                    let WordRole::Term(term) = is else { return };
                    found.places[term] = found.places[term].max(place);
                    last.retain(|(at, _)| word - at <= NEAR);
                    let pairs = last.iter().map(|(_, other)| (term.min(*other), term.max(*other)));
                    found.pairs.extend(pairs.filter(|pair| self.pairs.contains(pair)));
                    last.push((word, term));
                });
                if count > 1
                    && !self.names.is_empty()
                    && let Some(term) = self.names.get(&folded(token))
                {
                    found.places[*term] = found.places[*term].max(place);
                }
            }
            found.words += word;
        }
        found
    }

    /// What a word is.
    fn word(&self, word: &str, known: &mut WordRoles) -> WordRole {
        if !self.heads.has(word) {
            return WordRole::Other;
        }
        if let Some(is) = known.get(word) {
            return *is;
        }
        let is = match self.term(word) {
            _ if is_small(word) => WordRole::Small,
            Some(term) => WordRole::Term(term),
            None => WordRole::Other,
        };
        known.insert(word.to_owned(), is);
        is
    }

    /// The term that a word is a form of.
    fn term(&self, word: &str) -> Option<usize> {
        let may_be = || self.begins.iter().any(|begin| begins(word, begin));
        if self.heads.has(word) && may_be() { self.stemmed.get(&self.stems.of(word)).copied() } else { None }
    }
}

/// A stem without its last letter, which a form can lack.
fn begin_of(stem: &str) -> String {
    let end = stem.char_indices().next_back().map_or(0, |(end, _)| end);
    stem[..end].replace('y', "i")
}

/// Whether a word has these first letters, where `y` counts as `i`.
fn begins(word: &str, begin: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || a == b'y' && b == b'i';
    word.len() >= begin.len() && word.bytes().zip(begin.bytes()).all(same)
}

/// The term of a word or a name, which becomes the next one if there are not enough yet.
fn taken(terms: &mut ByWord<String, usize>, word: String, next: usize) -> Option<usize> {
    if next >= TERMS { terms.get(&word).copied() } else { Some(*terms.entry(word).or_insert(next)) }
}

/// How rare a word is that so many of the notes have.
fn rarity(having: usize, notes: usize) -> f64 {
    let more = FOLDER * text::share(having.saturating_sub(1), notes.max(LEAST_NOTES));
    ((FOLDER + 1.0) / (1.5 + more)).ln().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::words::SMALL;
    use std::collections::BTreeMap;

    #[test]
    fn each_word_is_found_in_all_of_its_forms() {
        let mut forms: BTreeMap<String, HashSet<String>> = BTreeMap::new();
        let stems = Stems::of_both();
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
            each_part(token, &mut String::new(), |part| {
                forms.entry(stems.of(part)).or_default().insert(part.to_owned());
            });
        }
        assert!(forms.len() > 1000 && forms["lie"].len() == 4 && forms["aw"].contains("aws"), "{}", forms.len());
        for words in forms.values() {
            for word in words.iter().filter(|word| !is_small(word)) {
                let prompt = PromptTerms::new(word, "");
                let lost: Vec<&String> = words.iter().filter(|form| prompt.term(form).is_none()).collect();
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
        assert_eq!(prompt.terms.len(), TERMS);
        assert!(prompt.term(&word(0)).is_some() && prompt.term(&word(599)).is_none());
    }
}
