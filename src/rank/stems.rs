//! Stems of English, Spanish, Portuguese and German words, and the base form of English words that are irregular.

use crate::base::text;
use rust_stemmers::{Algorithm, Stemmer};

/// A base form and its irregular forms, a line each.
const IRREGULAR: &str = include_str!("words/irregular.txt");
/// The shortest Spanish stem, in bytes, that is taken for the English one.
const LEAST: usize = 3;

/// A language that a question may have, beside English.
pub struct Language {
    /// Its code.
    code: &'static str,
    /// Its stemmer. Each is made by a function of its own: one that takes any language has the tables of all in it.
    stemmer: fn() -> Stemmer,
    /// The small words and the endings that tell it.
    signs: &'static str,
    /// Small words that English has, too. They decide between two languages that have as many signs.
    others: &'static str,
    /// Endings without marks, and as the stemmer knows them.
    endings: &'static [(&'static str, &'static str)],
    /// The last letters of a stem that its other forms may lack.
    pub last: &'static [char],
}

static SPANISH: Language = Language {
    code: "es",
    stemmer: || Stemmer::create(Algorithm::Spanish),
    signs: include_str!("words/es.txt"),
    others: "",
    endings: &[("cion", "ción")],
    last: &['e', 'i', 'y'],
};
static PORTUGUESE: Language = Language {
    code: "pt",
    stemmer: || Stemmer::create(Algorithm::Portuguese),
    signs: include_str!("words/pt.txt"),
    others: include_str!("words/pt_shared.txt"),
    endings: &[("coes", "ção"), ("cao", "ção"), ("oes", "o"), ("ao", "o"), ("ais", "al"), ("eis", "el"), ("ns", "m")],
    last: &['e', 'i', 'l', 'm', 'y'],
};
static GERMAN: Language = Language {
    code: "de",
    stemmer: || Stemmer::create(Algorithm::German),
    signs: include_str!("words/de.txt"),
    others: include_str!("words/de_shared.txt"),
    endings: &[],
    last: &['e', 'i', 'y'],
};

impl Language {
    /// The language of a question by the signs of which it has most; none where it has as many of English.
    fn of(said: &str) -> Option<&'static Self> {
        let lower = said.to_lowercase();
        let is_sign = |word: &str, sign: &str| sign.strip_prefix('-').map_or(word == sign, |end| word.ends_with(end));
        let count = |list: &str| {
            let is_one = |word: &&str| list.split_whitespace().any(|sign| is_sign(word, sign));
            text::small_words(&lower).filter(is_one).count()
        };
        // Where several have as many, the last one is taken.
        let best = [&GERMAN, &PORTUGUESE, &SPANISH].into_iter().max_by_key(|of| (count(of.signs), count(of.others)))?;
        (count(best.signs) > count(&text::ENGLISH.join(" "))).then_some(best)
    }

    /// Whether a word without marks says nothing in it.
    pub fn is_small(&self, word: &str) -> bool {
        let mut all = self.signs.split_whitespace().chain(self.others.split_whitespace());
        all.any(|small| text::without_marks(small) == word)
    }

    /// The stem of a word without marks.
    fn stem(&self, stemmer: &Stemmer, word: &str) -> String {
        let whole = |(short, long): &(&str, &str)| {
            let head = word.strip_suffix(short).filter(|head| head.len() > 2)?;
            Some(format!("{head}{long}"))
        };
        let word = self.endings.iter().find_map(whole).unwrap_or_else(|| word.to_owned());
        let word = if self.code == "de" && word.len() > 3 { without_e(&word) } else { word };
        text::without_marks(&stemmer.stem(&word))
    }
}

/// A German word in which "ae", "oe" and "ue", as people type them for letters with marks, are "a", "o" and "u". Behind a
/// vowel or a "q" they are two sounds.
fn without_e(word: &str) -> String {
    let mut new = String::with_capacity(word.len());
    let (mut before, mut last) = (' ', ' ');
    for letter in word.chars() {
        if letter != 'e' || !"aou".contains(last) || "aeiouq".contains(before) {
            new.push(letter);
        }
        (before, last) = (last, letter);
    }
    new
}

/// Stems of a text.
pub struct Stems {
    english: Stemmer,
    spanish: Stemmer,
    /// What else than an English word is stemmed as a Spanish one.
    endings: &'static [char],
    /// The language of all words, with its stemmer.
    all: Option<(&'static Language, Stemmer)>,
}

impl Default for Stems {
    /// Those of a text in either language, where each word may be of the other one.
    fn default() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            spanish: Stemmer::create(Algorithm::Spanish),
            endings: &['a', 'o', 's'],
            all: None,
        }
    }
}

impl Stems {
    /// Those of a question's language, as far as its small words tell; else those of both where it has marks on letters.
    pub fn of_language(said: &str) -> Self {
        match Language::of(said) {
            Some(language) => Self { all: Some((language, (language.stemmer)())), ..Self::default() },
            None if !said.is_ascii() && text::language(said).is_none() => Self::default(),
            None => Self { endings: &[], ..Self::default() },
        }
    }

    /// Whether all words are Spanish.
    pub fn is_spanish(&self) -> bool {
        self.all.as_ref().is_some_and(|(language, _)| language.code == "es")
    }

    /// The language of all words, where it is neither English nor Spanish.
    pub fn language(&self) -> Option<&'static Language> {
        self.all.as_ref().map(|(language, _)| *language).filter(|_| !self.is_spanish())
    }

    /// The stem of a word in lower case and without marks.
    pub fn of(&self, word: &str) -> String {
        if let Some((language, stemmer)) = &self.all {
            return language.stem(stemmer, word);
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
    use crate::base::cases::rows;

    #[test]
    fn all_words_of_a_short_stem_begin_with_it() {
        let letters = || (b'a'..=b'z').map(char::from);
        let heads = letters().flat_map(|one| letters().map(move |other| format!("{one}{other}")));
        let endings =
            ["", "s", "es", "ies", "ied", "ed", "ing", "y", "ly", "e", "ie", "ion", "i", "as", "os", "ar", "ando"];
        let questions = ["the queue is of the worker", "los puertos", "uma porta", "der Arbeiter"];
        for stems in questions.map(Stems::of_language).into_iter().chain([Stems::default()]) {
            for word in heads.clone().flat_map(|head| endings.map(|ending| format!("{head}{ending}"))) {
                let stem = stems.of(&word);
                assert!(stem.len() > 2 || stem.len() == 2 && word.starts_with(&stem), "{word}: {stem}");
            }
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for [question, forms] in rows(include_str!("stems.tsv")) {
            let stems = Stems::of_language(&question);
            let found: std::collections::BTreeSet<String> = forms.split(' ').map(|form| stems.of(form)).collect();
            assert_eq!(found.len(), 1, "{question}: {found:?}");
        }
        let german = Stems::of_language("der die");
        assert_ne!(german.of("neue"), german.of("nue"));
        for english in ["worker die timeout", "os crash on boot", "do not mess with the data", "why was it so slow"] {
            assert!(Stems::of_language(english).language().is_none(), "{english}");
        }
    }
}
