//! Whether two items of one session with quotes in the same message tell the same fact in other words. A model
//! that is asked a second time puts the same facts otherwise. Different is worse than double: if a number, a name, a
//! negation, an opposite, one word for another or the order of two sides differs, they are two facts.

use crate::base::text::{self, Words};
use std::collections::BTreeSet;

/// Letters by which a word is looked for in a sentence that is not read.
const PREFIX: usize = 3;
/// The share of the words of both that they have in common.
const COMMON: f64 = 1.0 / 3.0;
/// The same of two that have the same quote.
const COMMON_QUOTED: f64 = 0.15;
/// With so many words in common, and a negation in one of them, two say the opposite.
const COMMON_NEGATED: f64 = 0.8;
/// How two words begin of which one says the opposite of the other; a short one is the whole word. A pair with "un", "dis",
/// "des", "in" or "non" before the one needs no line.
const OPPOSITES: &str = "on/off before/after first/last most/least more/less more/fewer all/none start/end open/close \
    read/write push/pull old/new global/local client/server pass/fail min/max always/only auto/manual with/without \
    accept/reject con/sin antes/despu primer/últim más/menos todo/ningun";
/// How words begin that say that something is not, or no longer: "skip the tests" is "no tests".
const NEGATIVE: &[&str] = &[
    "stop", "skip", "omit", "avoid", "drop", "remov", "delet", "disabl", "forbid", "den", "exclud", "borr", "elimin",
    "quit", "desactiv", "evit", "prohib",
];
/// What stands between what is chosen and what it is chosen over, or between two that change places.
const SIDES: &[&str] = &[" then ", " over ", " before ", " after ", " to ", " antes de ", " después de "];
const INSTEAD: &str = " instead ";
const CHOICES: &[&str] =
    &[" instead of ", " rather than ", ", not ", " and not ", " en vez de ", " en lugar de ", " y no ", ", no "];
/// Stems of verbs behind which is what is chosen.
const CHOOSES: &[&str] = &["choos", "prefer", "preferir", "usar", "use"];
/// Words that count, and days of the week, which stand in one place as numbers do: "Thursday only", "Friday only".
static COUNTS: Words = Words::of(
    "one two three four five six seven eight nine ten dos tres cuatro cinco monday tuesday wednesday thursday friday \
    saturday sunday lunes martes miércoles jueves viernes sábado domingo",
);

/// A sentence as it is compared with another telling of it.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    lower: String,
    /// Stems of its words but for stop words, in their order.
    order: Vec<String>,
    /// All its words in lower case.
    all: BTreeSet<String>,
    /// Stems of the content words.
    stems: BTreeSet<String>,
    /// Numbers, names and whether it is negated.
    fixed: BTreeSet<String>,
    /// Words with a capital that do not begin it, in lower case: mostly proper names.
    names: BTreeSet<String>,
}

impl Telling {
    /// Reads a sentence.
    pub fn read(text: &str) -> Self {
        let mut plain = text.replace('’', "'");
        // To choose a side is no negation: "X, not Y" is "X instead of Y".
        for mark in CHOICES {
            plain = plain.replace(mark, INSTEAD);
        }
        let (meaning, lower) = (text::meaning(&plain), plain.to_lowercase());
        let mut fixed = meaning.fixed;
        let words: Vec<&str> = text::words(&lower).collect();
        fixed.extend(words.iter().filter(|word| COUNTS.has(word)).map(|word| (*word).to_owned()));
        if words.iter().any(|word| NEGATIVE.iter().any(|begins| word.starts_with(begins))) {
            fixed.insert("¬".to_owned());
        }
        let is_name = |word: &&str| word.starts_with(char::is_uppercase);
        let names = text::words(&plain).skip(1).filter(is_name).map(str::to_lowercase).collect();
        let told = words.iter().filter(|word| !text::is_stop_word(word));
        let order = told.map(|word| if COUNTS.has(word) { (*word).to_owned() } else { text::stem(word) }).collect();
        let all = words.into_iter().map(str::to_owned).collect();
        Self { lower, order, all, stems: meaning.stems, fixed, names }
    }

    /// Its words and names.
    fn terms(&self) -> BTreeSet<&str> {
        self.stems.iter().chain(&self.fixed).map(String::as_str).filter(|term| *term != "¬").collect()
    }

    /// What two sentences have in common, words and names, as a share of all: 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        text::jaccard(&self.terms(), &other.terms())
    }

    /// Whether a sentence can have so much in common with this one that they are similar from `share` on; much cheaper
    /// than to read it.
    pub fn can_be_similar(&self, sentence: &str, share: f64) -> bool {
        let (lower, terms) = (sentence.to_lowercase(), self.terms());
        let head = |term: &str| term.char_indices().nth(PREFIX).map_or(term.len(), |(at, _)| at);
        let there = terms.iter().filter(|term| lower.contains(&term[..head(term)])).count();
        text::share(there, terms.len()) >= share
    }

    /// Whether another telling says the same; `quoted` says that both have the same quote.
    pub fn is_same(&self, other: &Self, quoted: bool) -> bool {
        text::jaccard(&self.stems, &other.stems) >= if quoted { COMMON_QUOTED } else { COMMON }
            && self.fixed == other.fixed
            && self.names.is_subset(&other.all)
            && other.names.is_subset(&self.all)
            && self.is_reworded(other)
            && !self.differs(other)
    }

    /// Whether one says the opposite of the other, has another word in one place, or the two sides the other way round.
    pub fn differs(&self, other: &Self) -> bool {
        self.is_negated(other) || self.is_opposite(other) || self.exchanges_a_phrase(other) || self.turns_round(other)
    }

    /// Whether a later one takes the place of this one: in one place it says the opposite, has another number, or uses
    /// another thing for the same.
    pub fn gives_way(&self, later: &Self) -> bool {
        let (before, mine, theirs) = self.place(later);
        let same = self.order.len() - mine.len();
        let sides = [mine, theirs];
        let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit()) || COUNTS.has(word);
        let has_both = sides.iter().all(|side| !side.is_empty());
        let counts = has_both && sides.iter().all(|side| side.iter().all(is_number));
        let is_chosen = before.last().is_some_and(|word| CHOOSES.contains(&word.as_str())) && same > before.len();
        let denies = self.fixed.contains("¬") != later.fixed.contains("¬");
        let is_opposite = sides.iter().all(|side| side.len() <= 1) && self.is_opposite(later);
        let is_one_place = sides.iter().all(|side| side.len() <= same);
        self.is_negated(later)
            || self.turns_round(later)
            || self.is_left_for(later)
            || is_one_place && (counts || has_both && is_chosen || denies || is_opposite)
    }

    /// Whether a later one has all words of this one and names some of them as what it goes without: "instead of X",
    /// "replace X with Y".
    fn is_left_for(&self, later: &Self) -> bool {
        let replaced = || Some(later.lower.strip_prefix("replace ")?.split_once(" with ")?.0);
        let gone = later.lower.split_once(INSTEAD).map(|(_, gone)| gone).or_else(replaced);
        let gone = Self::read(gone.unwrap_or("")).order;
        let stays = |stem: &String| later.order.contains(stem) || CHOOSES.contains(&stem.as_str());
        let is_mine = |stem: &String| self.order.contains(stem);
        let is_choice = self.lower.contains(INSTEAD);
        !is_choice && !gone.is_empty() && gone.iter().all(is_mine) && self.order.iter().all(stays)
    }

    /// Where two differ: the words before that, and what each has there.
    fn place<'t>(&'t self, other: &'t Self) -> (&'t [String], &'t [String], &'t [String]) {
        let (a, b) = (&self.order, &other.order);
        let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let tail = a.iter().skip(head).rev().zip(b.iter().skip(head).rev()).take_while(|(a, b)| a == b).count();
        (&a[..head], &a[head..a.len() - tail], &b[head..b.len() - tail])
    }

    /// Whether one says that what the other says is not so.
    fn is_negated(&self, other: &Self) -> bool {
        self.fixed.contains("¬") != other.fixed.contains("¬")
            && text::jaccard(&self.stems, &other.stems) >= COMMON_NEGATED
    }

    /// Whether each has words of its own. If one only has more words, or other little ones, these are the point, and
    /// [`super::claim`] decides.
    fn is_reworded(&self, other: &Self) -> bool {
        self.stems.difference(&other.stems).next().is_some() && other.stems.difference(&self.stems).next().is_some()
    }

    /// Whether a word of one is the opposite of a word of the other.
    fn is_opposite(&self, other: &Self) -> bool {
        let own = |one: &Self, two: &Self| one.all.difference(&two.all).cloned().collect::<Vec<String>>();
        let (mine, theirs) = (own(self, other), own(other, self));
        let has = |words: &[String], begins: &str| {
            words.iter().any(|word| word == begins || begins.len() > 3 && word.starts_with(begins))
        };
        let mut pairs = OPPOSITES.split_whitespace().filter_map(|pair| pair.split_once('/'));
        let is_negation = |word: &String, of: &Self| {
            ["un", "dis", "des", "in", "non"]
                .iter()
                .filter_map(|head| word.strip_prefix(head))
                .any(|it| of.all.contains(it))
        };
        pairs.any(|(a, b)| has(&mine, a) && has(&theirs, b) || has(&mine, b) && has(&theirs, a))
            || mine.iter().any(|word| is_negation(word, other))
            || theirs.iter().any(|word| is_negation(word, self))
    }

    /// Whether nothing differs but one phrase in one place: then this phrase is the point.
    fn exchanges_a_phrase(&self, other: &Self) -> bool {
        let (_, mine, theirs) = self.place(other);
        let differ = [mine.len(), theirs.len()];
        self.is_reworded(other)
            && !differ.contains(&0)
            && differ.iter().all(|own| *own <= self.order.len() - mine.len())
    }

    /// Whether the two sides of a mark that both have are the other way round: "X, not Y", "Y instead of X".
    fn turns_round(&self, other: &Self) -> bool {
        std::iter::once(&INSTEAD).chain(SIDES).any(|mark| {
            let (Some([first, last]), Some([other_first, other_last])) = (self.sides(mark), other.sides(mark)) else {
                return false;
            };
            !first.is_disjoint(&other_last) && !last.is_disjoint(&other_first) && last.is_disjoint(&other_last)
        })
    }

    /// The stems on the two sides of a mark.
    fn sides(&self, mark: &str) -> Option<[BTreeSet<String>; 2]> {
        let (first, last) = self.lower.split_once(mark)?;
        Some([text::meaning(first), text::meaning(last)].map(|side| side.stems.into_iter().chain(side.fixed).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_later_one_goes_without_gives_way_where_all_else_is_the_same() {
        let gives_way = |a, b| Telling::read(a).is_left_for(&Telling::read(b));
        let early = "Use Postgres for the job queue of the api";
        assert!(gives_way(early, "Use SQLite for the job queue of the api instead of Postgres"));
        assert!(gives_way(early, "Replace Postgres with SQLite for the job queue of the api"));
        assert!(!gives_way(early, "Use SQLite for the mail queue of the api instead of Postgres"));
        assert!(!gives_way(early, "Use SQLite for the job queue of the api instead of Redis"));
    }
}
