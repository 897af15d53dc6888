//! Stems of English and Spanish words, and the base form of English words that are irregular.

use crate::base::text;
use rust_stemmers::{Algorithm, Stemmer};

/// A base form and its irregular forms, a line each.
const IRREGULAR: &str = include_str!("words/irregular.txt");
/// The shortest Spanish stem, in bytes, that is taken for the English one.
const LEAST: usize = 3;

/// Stems of both languages.
pub struct Stems {
    english: Stemmer,
    spanish: Stemmer,
    /// What else than an English word is stemmed as a Spanish one.
    endings: &'static [char],
    all_spanish: bool,
}

impl Stems {
    /// Those of a text in either language, where each word may be of the other one.
    pub fn of_both() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            spanish: Stemmer::create(Algorithm::Spanish),
            endings: &['a', 'o', 's'],
            all_spanish: false,
        }
    }

    /// Those of a text's language, as far as its small words tell; else those of both where it has marks on letters.
    pub fn of_language(said: &str) -> Self {
        match text::language(said) {
            Some("es") => Self { all_spanish: true, ..Self::of_both() },
            None if !said.is_ascii() => Self::of_both(),
            _ => Self { endings: &[], ..Self::of_both() },
        }
    }

    /// The stem of a word in lower case and without marks.
    pub fn of(&self, word: &str) -> String {
        if self.all_spanish {
            return self.spanish.stem(word).into_owned();
        }
        let english = self.english.stem(word);
        if english == word && !self.endings.is_empty() || word.ends_with(self.endings) {
            let spanish = self.spanish.stem(word);
            if spanish.len() < english.len() && spanish.len() >= LEAST {
                return spanish.into_owned();
            }
        }
        english.into_owned()
    }
}

/// All forms of an irregular word, its base form first; only the word itself where it is regular.
pub fn forms(word: &str) -> Vec<&str> {
    let all = IRREGULAR.lines().find(|line| line.split(' ').any(|form| form == word));
    all.map_or_else(|| vec![word], |line| line.split(' ').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_of_a_short_stem_begin_with_it() {
        let letters = || (b'a'..=b'z').map(char::from);
        let heads = letters().flat_map(|one| letters().map(move |other| format!("{one}{other}")));
        let endings =
            ["", "s", "es", "ies", "ied", "ed", "ing", "y", "ly", "e", "ie", "ion", "i", "as", "os", "ar", "ando"];
        let all_spanish = Stems { all_spanish: true, ..Stems::of_both() };
        for stems in [Stems::of_both(), Stems::of_language("the queue is of the worker"), all_spanish] {
            for word in heads.clone().flat_map(|head| endings.map(|ending| format!("{head}{ending}"))) {
                let stem = stems.of(&word);
                assert!(stem.len() > 2 || stem.len() == 2 && word.starts_with(&stem), "{word}: {stem}");
            }
        }
    }
}
