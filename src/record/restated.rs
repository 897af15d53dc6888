//! What one sentence can be for another one that has not the same words: the same fact in other words, its opposite, or what
//! takes its place. A model that is asked a second time puts the same facts otherwise. Different is worse than double: if a
//! number, a name, a negation, an opposite, one word for another or the order of two sides differs, they are two facts.

use super::claim::Claim;
use super::small_words::DENIALS;
use crate::base::text;

/// The share of the words of both that two tellings of one message have in common.
const COMMON: f64 = 1.0 / 3.0;
/// The same of two that have the same quote.
const COMMON_QUOTED: f64 = 0.15;
/// With so many words in common, and a negation in one of them, two say the opposite.
const COMMON_NEGATED: f64 = 0.8;
/// How two words begin of which one says the opposite of the other; a short one is the whole word. A pair with "un", "dis",
/// "des", "in" or "non" before the one needs no line.
const OPPOSITES: &str = include_str!("words/opposites.txt");
const OPPOSITE_HEADS: [&str; 5] = ["un", "dis", "des", "in", "non"];
/// How words begin that say that something is not, or no longer: "skip the tests" is "no tests".
const NEGATIVE: &str = include_str!("words/negative.txt");
/// Words between what is chosen and what it is chosen over, or between two that change places.
const SIDES: &[&str] = &["instead", "then", "over", "before", "after", "to", "antes", "después"];
/// Stems of verbs behind which is what is chosen.
const CHOOSES: &[&str] = &["choos", "prefer", "preferir", "usar", "use"];
/// Days of the week, which stand in one place as numbers do: "Thursday only", "Friday only".
const DAYS: &str = include_str!("words/days.txt");

impl Claim {
    /// Whether another sentence of the same message tells the same; `quoted` says that both have the same quote.
    pub fn is_retold(&self, other: &Self, quoted: bool) -> bool {
        self.similarity(other) >= if quoted { COMMON_QUOTED } else { COMMON }
            && self.names == other.names
            && self.denies() == other.denies()
            && self.has_proper_names_of(other)
            && other.has_proper_names_of(self)
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
        let same = self.content().order.len() - mine.len();
        let sides = [mine, theirs];
        let is_number = |word: &String| {
            word.starts_with(|c: char| c.is_ascii_digit())
                || DAYS.split_whitespace().any(|day| text::stem(day) == *word)
        };
        let has_both = sides.iter().all(|side| !side.is_empty());
        let counts = has_both && sides.iter().all(|side| side.iter().all(is_number));
        let is_chosen = before.last().is_some_and(|word| CHOOSES.contains(&word.as_str())) && same > before.len();
        let denies = self.denies() != later.denies();
        let is_opposite = sides.iter().all(|side| side.len() <= 1) && self.is_opposite(later);
        let is_one_place = sides.iter().all(|side| side.len() <= same);
        self.is_negated(later)
            || self.turns_round(later)
            || self.is_left_for(later)
            || is_one_place && (counts || has_both && is_chosen || denies || is_opposite)
    }

    /// Whether a later one names what this one says as what it goes without: "instead of X", "replace X with Y".
    fn is_left_for(&self, later: &Self) -> bool {
        let replaced = || later.sides("with").filter(|_| later.words[0] == "replace");
        let sides = later.sides("instead").or_else(|| replaced().map(|[gone, new]| [new, gone[1..].to_vec()]));
        let order = &self.content().order;
        !order.iter().any(|word| word == "instead")
            && sides.is_some_and(|[new, gone]| {
                // All else that this one says is said of what comes in its place.
                let stays =
                    |stem: &String| gone.contains(stem) || new.contains(stem) || CHOOSES.contains(&stem.as_str());
                !gone.is_empty() && gone.iter().all(|stem| order.contains(stem)) && order.iter().all(stays)
            })
    }

    /// Where two differ: the words before that, and what each has there.
    fn place<'t>(&'t self, other: &'t Self) -> (&'t [String], &'t [String], &'t [String]) {
        let (a, b) = (&self.content().order, &other.content().order);
        let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let tail = a.iter().skip(head).rev().zip(b.iter().skip(head).rev()).take_while(|(a, b)| a == b).count();
        (&a[..head], &a[head..a.len() - tail], &b[head..b.len() - tail])
    }

    /// Whether it says that something is not so.
    fn denies(&self) -> bool {
        let is_negative = |word: &str| NEGATIVE.split_whitespace().any(|begins| word.starts_with(begins));
        self.words.iter().any(|word| DENIALS.contains(&word.as_str()) || is_negative(word))
    }

    /// Whether one says that what the other says is not so.
    fn is_negated(&self, other: &Self) -> bool {
        self.denies() != other.denies() && self.similarity(other) >= COMMON_NEGATED
    }

    /// Whether it has the words with a capital that do not begin the other one: mostly proper names.
    fn has_proper_names_of(&self, other: &Self) -> bool {
        let proper = other.written.iter().filter(|(_, written)| written.starts_with(char::is_uppercase));
        proper.into_iter().all(|(word, _)| self.words.contains(word))
    }

    /// Whether each has words of its own. If one only has more words, or other little ones, these are the point, and
    /// [`Self::is_same`] decides.
    fn is_reworded(&self, other: &Self) -> bool {
        let (mine, theirs) = (&self.content().all, &other.content().all);
        !mine.is_subset(theirs) && !theirs.is_subset(mine)
    }

    /// Whether a word of one is the opposite of a word of the other.
    fn is_opposite(&self, other: &Self) -> bool {
        let own = |of: &'_ Self, not: &Self| -> Vec<String> {
            of.words.iter().filter(|word| !not.words.contains(word)).cloned().collect()
        };
        let (mine, theirs) = (own(self, other), own(other, self));
        let has = |words: &[String], begins: &str| {
            words.iter().any(|word| if begins.len() > 3 { word.starts_with(begins) } else { *word == begins })
        };
        let mut pairs = OPPOSITES.split_whitespace().filter_map(|pair| pair.split_once('/'));
        let negated = |words: &[String], of: &Self| {
            let mut bare =
                words.iter().flat_map(|word| OPPOSITE_HEADS.iter().filter_map(|head| word.strip_prefix(head)));
            bare.any(|rest| of.words.iter().any(|word| word == rest))
        };
        pairs.any(|(a, b)| has(&mine, a) && has(&theirs, b) || has(&mine, b) && has(&theirs, a))
            || negated(&mine, other)
            || negated(&theirs, self)
    }

    /// Whether nothing differs but one phrase in one place: then this phrase is the point. One that is longer than the other,
    /// and has words that the sentences have elsewhere, is another way to say it.
    fn exchanges_a_phrase(&self, other: &Self) -> bool {
        let (_, mine, theirs) = self.place(other);
        let same = self.content().order.len() - mine.len();
        let is_new = |own: &[String], to: &Self| !own.iter().any(|word| to.content().all.contains(word));
        self.is_reworded(other)
            && [mine, theirs].iter().all(|own| (1..=same).contains(&own.len()))
            && (mine.len() == theirs.len() || is_new(mine, other) || is_new(theirs, self))
    }

    /// Whether the two sides of a word that both have are the other way round: "X over Y", "Y instead of X".
    fn turns_round(&self, other: &Self) -> bool {
        SIDES.iter().any(|mark| {
            let (Some([first, last]), Some([other_first, other_last])) = (self.sides(mark), other.sides(mark)) else {
                return false;
            };
            let meet = |one: &[String], two: &[String]| one.iter().any(|word| two.contains(word));
            meet(&first, &other_last) && meet(&last, &other_first) && !meet(&last, &other_last)
        })
    }

    /// The stems on the two sides of a word.
    fn sides(&self, mark: &str) -> Option<[Vec<String>; 2]> {
        let at = self.words.iter().position(|word| word == mark)?;
        Some([&self.words[..at], &self.words[at + 1..]].map(|side| self.stems(side)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_later_one_goes_without_gives_way_where_all_else_is_the_same() {
        let gives_way = |a, b| Claim::read(a).is_left_for(&Claim::read(b));
        let early = "Use Postgres for the job queue of the api";
        assert!(gives_way(early, "Use SQLite for the job queue of the api instead of Postgres"));
        assert!(gives_way(early, "Replace Postgres with SQLite for the job queue of the api"));
        assert!(!gives_way(early, "Use SQLite for the mail queue of the api instead of Postgres"));
        assert!(!gives_way(early, "Use SQLite for the job queue of the api instead of Redis"));
    }

    #[test]
    fn two_facts_of_one_message_are_never_one() {
        for (one, two) in [
            ("Postgres keeps the job table of the importer", "The importer's job table moves to Redis"),
            ("Ana reviews the importer before each release", "Each release of the importer is tested by Bob"),
            (
                "Activar la caché del servidor para las ramas de prueba",
                "Para las ramas nuevas del servidor, desactivar la caché",
            ),
            ("Agregar el índice a la tabla de pagos en la migración", "En la tabla de pagos, quitar el índice viejo"),
            ("Skip the slow tests on each push of a branch", "On each push the branch runs all slow tests"),
            ("Docker is used instead of Apple container", "Apple container is used instead of Docker"),
            ("The queue of the host is kept in two files", "Three files hold the queue of a host"),
            ("User edits after the last prompt were lost", "Edits of the user before the first prompt got lost"),
        ] {
            assert!(!Claim::read(one).is_retold(&Claim::read(two), true), "{one} | {two}");
        }
        let one = "The queue is kept in plain files of each host, and not in sqlite";
        let two = "Plain files hold the queue of a host, instead of a table in sqlite";
        assert!(Claim::read(one).is_retold(&Claim::read(two), true));
    }
}
