//! What was said, as words and as names, and whether a text's words and names are among them. A text
//! that a model wrote counts only as far as people or the agent said it.

use crate::base::text::{self, Words};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{HashMap, HashSet};

/// Programs whose names are not ordinary words: a text that names one names a command.
static PROGRAMS: Words = Words::of(include_str!("words/programs.txt"));
/// How a model speaks of the two who spoke: it need not have been said.
static ABOUT: Words = Words::of(include_str!("words/about.txt"));
/// Words of a bare yes.
static YES: Words = Words::of(include_str!("words/yes.txt"));
/// Short forms with a dot inside that name nothing.
static ABBREVIATIONS: Words = Words::of("e.g i.e p.ej a.k.a vs etc");
/// The longest word of capital letters that is an abbreviation and no name.
const ABBREVIATION_CHARS: usize = 4;
/// From so many letters on, a longer form of a name is the same name: Mongo, Mongodb.
const NAME_CHARS: usize = 4;
/// A word of a text: its stems, English and Spanish, for a short text does not say its language.
type WordStems = [String; 2];

/// The content words of a text.
#[derive(Clone, Debug, Default)]
pub struct ContentWords {
    all: HashSet<WordStems>,
    stems: HashSet<String>,
}

impl ContentWords {
    /// The content words of a text, each once.
    pub fn new(text: &str) -> Self {
        let stemmers = [Algorithm::English, Algorithm::Spanish].map(Stemmer::create);
        let lower = lower(text);
        let says = |word: &&str| !word.is_empty() && !text::is_stop_word(word) && !ABOUT.has(word);
        let words: HashSet<&str> = text::words(&lower).map(|word| word.trim_matches('\'')).filter(says).collect();
        let (ideographic, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| is_ideographic(word));
        let stem = |word: &str| stemmers.each_ref().map(|stemmer| text::without_marks(&stemmer.stem(word)));
        let mut all: HashSet<WordStems> = words.into_iter().map(stem).collect();
        for word in ideographic {
            // Of a script that writes no blanks two signs count as a word.
            let signs: Vec<char> = word.chars().collect();
            let pairs = signs.windows(2.min(signs.len())).map(String::from_iter);
            all.extend(pairs.map(|pair| [pair.clone(), pair]));
        }
        let stems = all.iter().flatten().cloned().collect();
        Self { all, stems }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    fn has(&self, word: &WordStems) -> bool {
        word.iter().any(|stem| self.stems.contains(stem))
    }

    /// How many of these words another text has.
    pub fn shared(&self, other: &Self) -> usize {
        self.all.iter().filter(|word| other.has(word)).count()
    }

    /// The share of these words that others have, 0 to 1, each with its weight in what was said.
    pub fn share(&self, others: &[&Self], spoken: &Spoken) -> f64 {
        // Of an item in another script than what was said only names and numbers can be compared.
        let is_latin = |word: &&WordStems| !is_ideographic(&word[0]);
        let all_count = others.iter().any(|other| !other.all.iter().all(|word| is_latin(&word)))
            || self.all.iter().filter(is_latin).count() < 2;
        let (mut said, mut all) = (0.0, 0.0);
        for word in self.all.iter().filter(|word| all_count || is_latin(word)) {
            let weight = spoken.weight(word);
            all += weight;
            if others.iter().any(|other| other.has(word)) {
                said += weight;
            }
        }
        if all > 0.0 { said / all } else { 1.0 }
    }
}

fn is_ideographic(word: &str) -> bool {
    word.chars().any(text::is_ideograph)
}

/// A text in lower case, with plain apostrophes.
fn lower(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// Whether a text says yes and nothing else: a number, or a choice, is more.
pub fn is_yes(text: &str) -> bool {
    let lower = lower(text);
    text::words(&lower).next().is_some() && text::words(&lower).all(|word| YES.has(word))
}

/// The clauses of a sentence; a mark inside a word parts nothing.
pub fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |letter: char, behind: &str| {
        matches!(letter, ';' | ',' | ':' | '.' | '!' | '?') && !behind.starts_with(char::is_alphanumeric)
            || matches!(letter, '(' | ')' | '—' | '–' | '\n' | '，' | '；' | '：' | '。' | '！' | '？')
    };
    let is_mark = |c: char| !c.is_alphanumeric();
    parts(text, ends).into_iter().map(move |part| part.trim_matches(is_mark)).filter(|clause| !clause.is_empty())
}

/// The parts of a text, each up to a letter that ends one; `ends` is given a letter and what is behind it.
pub fn parts(text: &str, ends: impl Fn(char, &str) -> bool) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        if ends(letter, &text[end..]) {
            parts.push(&text[from..end]);
            from = end;
        }
    }
    parts.push(&text[from..]);
    parts
}

/// What a text names: commands, URLs, paths, identifiers and proper names, in lower case.
pub fn names(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let marks = text.matches('`').count();
    for (at, part) in text.split('`').enumerate() {
        // Between backticks each word is code.
        let code = at % 2 == 1 && marks > at;
        let mut begins = true;
        for token in part.split_whitespace() {
            let bare = bare(token);
            if code && bare.contains(char::is_alphabetic) || !begins && is_proper(bare) || is_name(bare) {
                found.push(bare.to_lowercase());
            }
            begins = token.ends_with(['.', '!', '?', ':']);
        }
    }
    found
}

/// A token without the marks around it that belong to the sentence, and without a suffix: "Ana's", "README'ye".
fn bare(token: &str) -> &str {
    let token = token.trim_start_matches(|c: char| !c.is_alphanumeric() && !"/~-._@$".contains(c));
    let token = token.trim_end_matches(|c: char| !c.is_alphanumeric() && !"/+#".contains(c));
    let cut = token.rsplit_once(['\'', '’']).filter(|(_, suffix)| suffix.chars().all(char::is_alphabetic));
    cut.map_or(token, |(name, _)| name)
}

/// A path, a URL, a flag, a variable, a file, an identifier or a program.
fn is_name(token: &str) -> bool {
    if !token.contains(char::is_alphabetic) {
        // A number of one digit can be a count of what was said.
        return token.matches(|c: char| c.is_ascii_digit()).count() > 1;
    }
    let lower = token.to_lowercase();
    !token.starts_with(|first: char| first.is_ascii_digit())
        && (is_place(&lower) || text::is_name(token))
        && !ABBREVIATIONS.has(lower.trim_end_matches('.'))
}

/// Whether a name leads somewhere or does something: a command, a path, an address.
fn is_place(name: &str) -> bool {
    let file = name.rsplit_once('.');
    file.is_some_and(|(name, end)| !name.is_empty() && end.chars().all(char::is_alphabetic))
        || name.contains(['/', '@', '\\', '~', '$', '|', '='])
        || name.contains("::")
        || name.starts_with(['-', '.'])
        || PROGRAMS.has(name)
}

/// A word that is written as a name is.
fn is_proper(token: &str) -> bool {
    let letters: Vec<char> = token.chars().filter(|c| c.is_alphabetic()).collect();
    let is_short = letters.len() <= ABBREVIATION_CHARS && letters.iter().all(|c| c.is_uppercase());
    letters.len() > 1 && letters[0].is_uppercase() && !is_short
}

/// Everything that was said: where names are looked for, and how rare words are. A word of every message tells nothing
/// about one of them.
#[derive(Debug, Default)]
pub struct Spoken {
    /// In lower case.
    text: String,
    /// In how many messages each stem is.
    with: HashMap<String, u32>,
    messages: u32,
}

impl Spoken {
    /// Adds a message.
    pub fn add(&mut self, text: &str) {
        self.add_name(text);
        self.messages += 1;
        for stem in ContentWords::new(text).stems {
            *self.with.entry(stem).or_insert(0) += 1;
        }
    }

    /// Adds what can be named, but counts no words of it.
    pub fn add_name(&mut self, name: &str) {
        self.text.push('\n');
        self.text.push_str(&text::folded(&name.to_lowercase()));
    }

    /// The weight of a word: the more messages there are for each one that has it. A word of none counts as if one had it.
    fn weight(&self, word: &WordStems) -> f64 {
        let with = word.iter().filter_map(|stem| self.with.get(stem)).max().copied().unwrap_or(1);
        (1.0 + f64::from(self.messages) / (f64::from(with) + 1.0)).ln()
    }

    /// Whether all content words of a text were said.
    pub fn says(&self, text: &str) -> bool {
        let is_said = |word: &WordStems| word.iter().any(|stem| self.with.contains_key(stem));
        ContentWords::new(text).all.iter().all(is_said) && self.unsaid(text, false).is_none()
    }

    /// The first name in a text that was not said; of a rule only commands, paths and addresses need to be.
    pub fn unsaid(&self, text: &str, is_rule: bool) -> Option<String> {
        let code = text.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
        let is_wanted = |name: &String| !is_rule || is_place(name) || code.contains(name.as_str());
        names(text).into_iter().filter(is_wanted).find(|name| !self.has(name))
    }

    /// Whether a name was said; "client/server" is none where both words were.
    fn has(&self, name: &str) -> bool {
        let folded = text::folded(name);
        let is_word = |part: &str| !part.is_empty() && part.chars().all(char::is_alphabetic);
        let is_said = |part: &str| is_word(part) && (self.stands(part) || self.has_form(part));
        self.stands(&folded) || folded.split('/').count() <= 2 && folded.split('/').all(is_said)
    }

    /// Whether a word was said of which a name is a shorter or longer form.
    fn has_form(&self, name: &str) -> bool {
        let is_long = |name: &str| name.chars().count() >= NAME_CHARS;
        let plain = text::without_marks(name);
        let is_form = |stem: &String| stem.starts_with(&plain) || is_long(stem) && plain.starts_with(stem.as_str());
        is_long(name) && !PROGRAMS.has(name) && self.with.keys().any(is_form)
    }

    /// Whether a name is in what was said, not inside a longer word.
    fn stands(&self, name: &str) -> bool {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        self.text.match_indices(name).any(|(at, _)| {
            !self.text[..at].ends_with(is_letter) && !self.text[at + name.len()..].starts_with(is_letter)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn names_are_told_from_words_and_must_have_been_said() {
        let mut spoken = Spoken::default();
        spoken.add("OK, let's use postgres in src/store/db.rs; the client and the server keep lh_gate. Ask Ana.");
        spoken.add("README and v4 are ready; run src/gen.sh");
        for [what, text, wanted] in rows(include_str!("words.tsv")) {
            let found = match what.as_str() {
                "names" => names(&text).join(" "),
                "yes" => is_yes(&text).to_string(),
                _ => spoken.unsaid(&text, what == "unsaid in a rule").is_some().to_string(),
            };
            assert_eq!(found, wanted, "{what}: {text}");
        }
        assert_eq!(spoken.unsaid("A Mutex guards it, see AppState", false).as_deref(), Some("mutex"));
    }

    #[test]
    fn ideographs_are_compared_in_pairs() {
        let said = ContentWords::new("队列保存在普通文件中，每个任务一个文件");
        assert_eq!(ContentWords::new("保存在文件中").shared(&said), 4);
        assert_eq!(ContentWords::new("删除数据库").shared(&said), 0);
    }

    #[test]
    fn rare_words_weigh_more() {
        let mut spoken = Spoken::default();
        for text in ["the queue of files", "the queue of hosts", "a queue and its lock", "the queue again"] {
            spoken.add(text);
        }
        let share = |text: &str| ContentWords::new(text).share(&[&ContentWords::new("queue lock")], &spoken);
        assert!(share("queue zebra") < 0.5 && share("lock zebra") > 0.49 && share("queue lock") > 0.99);
    }

    #[test]
    fn words_are_compared_in_both_languages_and_without_marks() {
        let said = ContentWords::new("usaremos una cola de archivos, y el trabajador la lee");
        assert_eq!(ContentWords::new("Usar colas de archivos").shared(&said), 3);
        assert_eq!(ContentWords::new("la migración").shared(&ContentWords::new("migracion de datos")), 1);
        assert_eq!(
            ContentWords::new("The workers copy files").shared(&ContentWords::new("a worker copies the file")),
            3
        );
    }
}
