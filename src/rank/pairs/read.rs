//! A learning as it is compared: its words with what they weigh, and what must not differ.

use super::Said;
use crate::base::{diff, text};
use crate::rank::stems::Stems;
use crate::rank::words::{COMMON, Small, each_part, tokens};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What an everyday word weighs.
const OF_COMMON: f64 = 0.3;
/// Words of a shingle.
const SHINGLE: usize = 3;
/// Letters of a short word.
const SHORT: usize = 3;
/// Words on each side of a word that has two sides.
const SIDE: usize = 4;
/// Titles with so many words in common say the same, or the opposite.
const SAME_TITLE: f64 = 0.8;
/// Titles that begin with so many of the same words, and then differ, are of two lessons.
const SAME_HEAD: usize = 2;
/// What the two sides of a word are: what comes first and what then, what is taken and what not.
const TIME: &str = "time";
const CHOICE: &str = "choice";
/// Words that have two sides, and which of them are the same turned round.
const SIDED: &[(&str, &str, bool)] = &[
    ("then", TIME, false),
    ("luego", TIME, false),
    ("before", TIME, false),
    ("after", TIME, true),
    ("antes", TIME, false),
    ("despues", TIME, true),
    ("not", CHOICE, false),
    ("no", CHOICE, false),
    ("over", CHOICE, false),
    ("instead", CHOICE, false),
    ("rather", CHOICE, false),
    ("lugar", CHOICE, false),
    ("vez", CHOICE, false),
];
/// Words that turn a title round.
const NEGATIONS: &[&str] =
    &["not", "no", "never", "don't", "without", "cannot", "sin", "nunca", "jamas", "avoid", "evitar"];
/// Words and their opposites, by how they begin. Those of two or three letters count in a title alone: elsewhere they are
/// often something else ("is on by default").
const OPPOSITES: &[(&str, &str)] = &[
    ("enabl", "disabl"),
    ("allow", "forbid"),
    ("always", "never"),
    ("increas", "decreas"),
    ("on", "off"),
    ("include", "exclude"),
    ("optimistic", "pessimistic"),
    ("activ", "desactiv"),
    ("permit", "prohib"),
    ("siempre", "nunca"),
    ("aument", "reduc"),
];

/// A word of a sentence, with its number, if it has one, and whether it has two sides.
type Place = (Option<u32>, Option<(&'static str, bool)>);

/// A sentence part with two sides.
#[derive(Clone, Debug)]
struct Sided {
    kind: &'static str,
    left: Vec<u32>,
    right: Vec<u32>,
}

/// A learning as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// Its text in lower case without signs.
    pub canonical: String,
    /// Its words, sorted, with what they weigh.
    pub words: Vec<(u32, f64)>,
    /// Runs of three of them.
    pub shingles: BTreeSet<[u32; SHINGLE]>,
    /// Names, each with the words in it.
    names: HashMap<String, Vec<u32>>,
    numbers: BTreeSet<String>,
    /// Parts of its title.
    sided: Vec<Sided>,
    /// For each of the opposites whether the one and the other is there.
    opposites: Vec<(bool, bool)>,
    title: Vec<u32>,
    title_numbers: BTreeSet<String>,
    is_negated: bool,
}

/// Reads learnings.
pub struct Reader {
    small: Small,
    stems: Stems,
    common: HashSet<String>,
    /// The number and the weight of each word that was seen; none for one that says nothing.
    known: HashMap<String, Option<(u32, f64)>>,
    numbers: HashMap<String, u32>,
}

impl Reader {
    /// One that has read nothing.
    pub fn new() -> Self {
        let stems = Stems::of_both();
        let common = COMMON.split_whitespace().map(|word| stems.of(word)).collect();
        Self { small: Small::new(), stems, common, known: HashMap::new(), numbers: HashMap::new() }
    }

    /// Reads a learning.
    pub fn read(&mut self, said: &Said<'_>) -> Read {
        let mut read = Read { canonical: text::canonical(said.text), ..Read::default() };
        let mut weights: HashMap<u32, f64> = HashMap::new();
        let mut run: Vec<u32> = Vec::new();
        for (at, sentence) in std::iter::once(said.title).chain(sentences(said.text)).enumerate() {
            let sided = self.sentence(sentence, &mut read, &mut weights, &mut run);
            if at == 0 {
                read.title.clone_from(&run);
                read.title_numbers.clone_from(&read.numbers);
                read.sided = sided;
            }
        }
        read.shingles = run.windows(SHINGLE).filter_map(|three| three.try_into().ok()).collect();
        read.words = weights.into_iter().collect();
        read.words.sort_by_key(|(word, _)| *word);
        let (title, text) = (plain(said.title), plain(said.text));
        let has = |head: &str| match head.len() {
            ..=SHORT => title.iter().any(|word| word == head),
            _ => title.iter().chain(&text).any(|word| word.starts_with(head)),
        };
        read.opposites = OPPOSITES.iter().map(|(one, other)| (has(one), has(other))).collect();
        // "stop purging", "dejar de purgar"; not "stop the worker".
        let ends = |one: &str, next: &str| one == "stop" && next.ends_with("ing") || one == "dejar" && next == "de";
        let ends = title.iter().zip(title.iter().skip(1)).any(|(one, next)| ends(one, next));
        read.is_negated = ends || title.iter().any(|word| NEGATIONS.contains(&word.as_str()));
        read
    }

    /// Takes the words of a sentence; gives its parts with two sides.
    fn sentence(
        &mut self,
        sentence: &str,
        read: &mut Read,
        weights: &mut HashMap<u32, f64>,
        run: &mut Vec<u32>,
    ) -> Vec<Sided> {
        let mut places: Vec<Place> = Vec::new();
        let mut buffer = String::new();
        for (at, token) in tokens(sentence).enumerate() {
            numbers(token, &mut read.numbers);
            let mut parts: Vec<String> = Vec::new();
            let count = each_part(token, &mut buffer, |part| parts.push(part.to_owned()));
            let mut words: Vec<u32> = Vec::new();
            for part in &parts {
                let sided = SIDED.iter().find(|(word, ..)| word == part).map(|(_, kind, turned)| (*kind, *turned));
                let known = self.word(part);
                if let Some((word, weight)) = known {
                    weights.insert(word, weight);
                    run.push(word);
                    words.push(word);
                }
                places.push((known.map(|(word, _)| word), sided));
            }
            if is_name(token, at == 0, count) {
                read.names.insert(text::without_marks(&token.to_lowercase()), words);
            }
        }
        sided(&places)
    }

    /// The number and the weight of a word.
    fn word(&mut self, part: &str) -> Option<(u32, f64)> {
        if let Some(known) = self.known.get(part) {
            return *known;
        }
        let found = (!self.small.has(part)).then(|| {
            let stem = self.stems.of(part);
            let weight = if self.common.contains(&stem) { OF_COMMON } else { 1.0 };
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            (*self.numbers.entry(stem).or_insert(next), weight)
        });
        self.known.insert(part.to_owned(), found);
        found
    }
}

impl Read {
    /// Whether two differ in what makes another lesson of one, whatever else they have in common.
    pub fn differs(&self, other: &Self) -> bool {
        let lacks = |one: &BTreeSet<String>, two: &BTreeSet<String>| one.difference(two).next().is_some();
        lacks(&self.numbers, &other.numbers) && lacks(&other.numbers, &self.numbers)
            || self.differs_in_names(other)
            || self.is_turned(other)
            || self.is_opposite(other)
            || self.has_other_title(other)
    }

    /// How many names and numbers both have.
    pub fn shared(&self, other: &Self) -> usize {
        let names = self.names.keys().filter(|name| other.names.contains_key(*name)).count();
        names.saturating_add(self.numbers.intersection(&other.numbers).count())
    }

    /// Whether each has names of its own, as many as both have.
    fn differs_in_names(&self, other: &Self) -> bool {
        let own = |one: &Self, two: &Self| {
            let strange = |(name, words): &(&String, &Vec<u32>)| {
                let has_number = name.contains(|c: char| c.is_ascii_digit());
                !two.names.contains_key(*name) && (has_number || !words.iter().all(|word| two.has(*word)))
            };
            one.names.iter().filter(strange).count()
        };
        let (mine, theirs) = (own(self, other), own(other, self));
        let common = self.names.keys().filter(|name| other.names.contains_key(*name)).count();
        mine > 0 && theirs > 0 && mine.min(theirs) >= common
    }

    fn has(&self, word: u32) -> bool {
        self.words.binary_search_by_key(&word, |(known, _)| *known).is_ok()
    }

    /// Whether the two sides of a title have changed places.
    fn is_turned(&self, other: &Self) -> bool {
        let moves = |one: &Sided, two: &Sided| {
            let stays = |word: &u32| {
                let both = |one: &[u32], two: &[u32]| one.contains(word) && two.contains(word);
                both(&one.left, &two.left) || both(&one.right, &two.right)
            };
            let moves = |from: &[u32], to: &[u32]| from.iter().any(|word| to.contains(word) && !stays(word));
            (moves(&one.left, &two.right), moves(&one.right, &two.left))
        };
        let turned = |one: &Sided, two: &Sided| match moves(one, two) {
            (true, true) => true,
            // "A before B" is not "B before C" either.
            (false, false) => false,
            _ => one.kind == TIME && [&one.left, &one.right, &two.left, &two.right].iter().all(|side| !side.is_empty()),
        };
        let meet = |one: &[u32], two: &[u32]| one.iter().any(|word| two.contains(word));
        let agree = |one: &Sided, two: &Sided| {
            meet(&one.left, &two.left) && meet(&one.right, &two.right) && moves(one, two) == (false, false)
        };
        let any = |act: &dyn Fn(&Sided, &Sided) -> bool| {
            let others = |one: &Sided| other.sided.iter().any(|two| one.kind == two.kind && act(one, two));
            self.sided.iter().any(others)
        };
        any(&turned) && !any(&agree)
    }

    /// Whether one has a word and the other its opposite, or one title says not to do what the other says.
    fn is_opposite(&self, other: &Self) -> bool {
        let mut both = self.opposites.iter().zip(&other.opposites);
        let apart = both.any(|(mine, theirs)| mine.0 != mine.1 && theirs.0 != theirs.1 && mine.0 != theirs.0);
        let set = |title: &[u32]| title.iter().copied().collect::<BTreeSet<u32>>();
        let same_title = || text::jaccard(&set(&self.title), &set(&other.title)) >= SAME_TITLE;
        apart || self.is_negated != other.is_negated && same_title()
    }

    /// Whether the titles put two things in one place ("fails because of a", "fails because of b"): they have other numbers,
    /// or begin alike and differ then, or are alike in more than half and each has a word that the other learning lacks.
    fn has_other_title(&self, other: &Self) -> bool {
        let numbers = [&self.title_numbers, &other.title_numbers];
        if numbers.iter().all(|numbers| !numbers.is_empty()) && self.title_numbers.is_disjoint(&other.title_numbers) {
            return true;
        }
        let (mine, theirs) = (&self.title, &other.title);
        let lacks = |one: &[u32], has: &dyn Fn(u32) -> bool| one.iter().any(|word| !has(*word));
        let head = mine.iter().zip(theirs).take_while(|(one, other)| one == other).count();
        if head >= SAME_HEAD
            && lacks(mine, &|word| theirs.contains(&word))
            && lacks(theirs, &|word| mine.contains(&word))
        {
            return true;
        }
        let alike = diff::common(mine, theirs).len();
        alike > 1
            && alike.saturating_mul(2) > mine.len().min(theirs.len())
            && lacks(mine, &|word| other.has(word))
            && lacks(theirs, &|word| self.has(word))
    }
}

/// The parts of a sentence that have two sides.
fn sided(places: &[Place]) -> Vec<Sided> {
    let mut found = Vec::new();
    for (at, (_, sided)) in places.iter().enumerate() {
        let Some((kind, turned)) = *sided else { continue };
        let before = places.iter().take(at).rev().filter_map(|(word, _)| *word);
        let behind = places.iter().skip(at.saturating_add(1)).filter_map(|(word, _)| *word);
        let (left, right) = (before.take(SIDE).collect(), behind.take(SIDE).collect());
        let (left, right) = if turned { (right, left) } else { (left, right) };
        found.push(Sided { kind, left, right });
    }
    found
}

/// The words of a text in lower case and without accents, the small ones too.
fn plain(said: &str) -> Vec<String> {
    text::words(said).map(|word| text::without_marks(&word.to_lowercase())).collect()
}

/// The sentences of a text.
fn sentences(said: &str) -> impl Iterator<Item = &str> {
    let mut last = ' ';
    said.split(move |letter: char| {
        let ends = letter.is_whitespace() && matches!(last, '.' | '!' | '?') || letter == '\n';
        last = letter;
        ends
    })
}

/// Whether a token is a name: it has signs, digits or capitals of its own. `first` is that of a sentence.
fn is_name(token: &str, first: bool, parts: usize) -> bool {
    let has_digit = token.contains(|c: char| c.is_ascii_digit());
    let has_letter = token.contains(char::is_alphabetic);
    let hyphens = token.chars().all(|c| c.is_lowercase() || c == '-');
    let mut letters = token.chars().peekable();
    let begins = letters.peek().is_some_and(|c| c.is_uppercase());
    let inner = token.chars().skip(1).any(char::is_uppercase);
    has_digit && has_letter || parts > 1 && !hyphens || begins && !first || inner || token.contains('_')
}

/// The numbers in a token.
fn numbers(token: &str, found: &mut BTreeSet<String>) {
    for run in token.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',') {
        let number = run.trim_matches(['.', ',']);
        if !number.is_empty() {
            found.insert(number.to_owned());
        }
    }
}
