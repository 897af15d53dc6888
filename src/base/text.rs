//! Text as people compare it: one line of it, a cut of it, its words, its stems, a name made of it.
//! Lengths are characters, not bytes; nothing is ever cut inside a character.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::OnceLock;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Characters in a file name that is made of a title.
const SLUG_CHARS: usize = 60;

/// A list of words, between blanks, in which a word is looked up.
pub struct Words {
    list: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    /// The words of a list.
    pub const fn of(list: &'static str) -> Self {
        Self { list, set: OnceLock::new() }
    }

    /// Whether a word is one of them.
    pub fn has(&self, word: &str) -> bool {
        self.set.get_or_init(|| self.list.split_whitespace().collect()).contains(word)
    }
}

/// Words that say nothing about what a sentence is about, English and Spanish.
const STOP_WORDS: &[&str] = &[
    "a", "al", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "como", "con", "de", "del", "do",
    "does", "el", "en", "es", "esta", "este", "for", "from", "had", "has", "have", "if", "in", "into", "is", "it",
    "its", "la", "las", "lo", "los", "más", "o", "of", "on", "or", "para", "pero", "por", "que", "se", "so", "su",
    "than", "that", "the", "their", "then", "there", "these", "this", "to", "un", "una", "was", "we", "were", "will",
    "with", "y", "you",
];

/// Words that turn a sentence round; [`Meaning`] keeps them apart.
const NEGATIONS: &[&str] = &[
    "cannot", "can't", "doesn't", "don't", "isn't", "jamás", "neither", "never", "no", "nor", "not", "nunca",
    "shouldn't", "sin", "won't", "without",
];

/// Whether a word, in lower case, says nothing about what a sentence is about.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// A count and what is counted: "1 file", "2 files".
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `text` on one line that is safe on a terminal: control characters become blanks.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Cow::Owned(plain.trim_end().to_owned())
    } else {
        Cow::Borrowed(text)
    }
}

/// `text` as a terminal may show it: what it would obey, and what would hide or turn round the text beside
/// it, is U+FFFD; line feeds and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || is_invisible(c) || is_line_break(c);
    if text.chars().any(bad) {
        Cow::Owned(text.chars().map(|c| if bad(c) { char::REPLACEMENT_CHARACTER } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The line breaks of Unicode that are not control characters.
pub fn is_line_break(letter: char) -> bool {
    matches!(letter, '\u{2028}' | '\u{2029}')
}

/// Characters that show nothing: directions, joiners of words, fillers, selectors of variants, tags, the
/// byte order mark. The joiners and selectors that scripts and emoji need are none.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// A sign of a script that writes no blanks between words: Chinese, Japanese.
pub fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// A word without the marks on its letters, for people leave them out.
pub fn without_marks(word: &str) -> String {
    word.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// The runs of letters, digits and apostrophes in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// The line and the column of an offset, both from 1.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count());
    (before.matches('\n').count() + 1, column + 1)
}

/// The first `limit` characters, with `…` for the rest.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or(text))),
    }
}

/// At most the first `limit` characters, without a last word that would be cut.
pub fn cut_at_blank(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit).and_then(|(end, _)| text.get(..end)) {
        None => text,
        Some(kept) => kept.trim_end_matches(|letter: char| !letter.is_whitespace()),
    }
}

/// At most the first `limit` bytes, without a last character that would be cut.
pub fn first_bytes(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// At most about the last `limit` bytes, with the whole of the first character.
pub fn last_bytes(text: &str, limit: usize) -> &str {
    &text[first_bytes(text, text.len().saturating_sub(limit)).len()..]
}

/// A part of a text and about so many bytes on both sides of it, in whole characters.
pub fn widened(text: &str, part: &Range<usize>, bytes: usize) -> Range<usize> {
    first_bytes(text, part.start.saturating_sub(bytes)).len()..first_bytes(text, part.end + bytes).len()
}

/// A text with something else in the place of some of its parts, which come in order; of what two of them share it is
/// put in for both.
pub fn replaced(
    text: &str,
    parts: impl IntoIterator<Item = Range<usize>>,
    other: impl Fn(&str) -> String,
) -> Cow<'_, str> {
    let (mut out, mut from) = (String::new(), 0);
    for part in parts {
        out.push_str(text.get(from..part.start).unwrap_or(""));
        from = from.max(part.end);
        out.push_str(&other(&text[part]));
    }
    if from == 0 { text.into() } else { (out + &text[from..]).into() }
}

/// The first and the last part of a text that is longer than `limit` characters, and what was left out.
pub fn ends(text: &str, limit: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= limit {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (limit.div_ceil(2), limit / 2);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    Cow::Owned(format!("{start}\n[… {} characters left out …]\n{end}", count - limit))
}

/// `text` with white space runs as one blank and typographic quotation marks and dashes as plain ones,
/// as quotes are looked up.
pub fn folded(text: &str) -> String {
    let plain = |letter| match letter {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' | '‚' | '`' => '\'',
        letter => letter,
    };
    spaced(text.chars().map(plain), char::is_whitespace)
}

/// NFKC, lower case, every run of non-alphanumerics one blank: what an item's id is made of.
pub fn canonical(text: &str) -> String {
    spaced(text.nfkc().flat_map(char::to_lowercase), |letter| !letter.is_alphanumeric())
}

/// Letters with one blank for each run of those that count as such; none at the ends.
fn spaced(letters: impl Iterator<Item = char>, is_blank: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(letters.size_hint().0);
    for letter in letters {
        if !is_blank(letter) {
            out.push(letter);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Letters of other alphabets that look like a Latin one, and that one.
const LOOK_ALIKE: &str = "аaеeоoрpсcхxуyіiјjѕsһhԁdԛqԝwкkмmтtнhвbαaεeοoρpχxυuιiκkνvτtηnγyɡgıi";

/// A text as its reader sees it, in lower case: what shows nothing is left out, letters that look like Latin ones are
/// these.
pub fn seen(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    // Most lines, and most words of the others, need no tables.
    let parts = text.split_inclusive('\n').flat_map(|line| {
        let (whole, words) = if line.is_ascii() { (Some(line), "") } else { (None, line) };
        whole.into_iter().chain(words.split_inclusive(' '))
    });
    for word in parts {
        if word.is_ascii() {
            let from = seen.len();
            seen.push_str(word);
            seen[from..].make_ascii_lowercase();
        } else {
            let letters = word.chars().filter(|c| !is_invisible(*c));
            let read = |letter| look_alike(letter).unwrap_or(letter);
            // Most words have nothing to compose, which is seen in a tenth of the time. Letters of Latin-1, dashes, arrows
            // and the lines of tables are known without a table.
            let is_plain = |c: char| c.is_ascii() || matches!(c, 'À'..='ÿ' | '—' | '\u{2190}'..='\u{21ff}' | '─'..='╿');
            if letters.clone().all(is_plain) || is_nfkc_quick(letters.clone()) == IsNormalized::Yes {
                seen.extend(letters.flat_map(char::to_lowercase).map(read));
            } else {
                seen.extend(letters.nfkc().flat_map(char::to_lowercase).map(read));
            }
        }
    }
    seen
}

/// The Latin letter that a letter of another alphabet, in lower case, looks like.
fn look_alike(letter: char) -> Option<char> {
    // They are all of these blocks.
    if !matches!(letter, '\u{100}'..='\u{5ff}') {
        return None;
    }
    // At each second place is a letter of another alphabet.
    let mut letters = LOOK_ALIKE.chars();
    while letters.next()? != letter {
        letters.next();
    }
    letters.next()
}

/// The first word in a text that mixes Latin letters with those of another alphabet that look like them, which is not
/// typed by mistake.
pub fn disguised(text: &str) -> Option<&str> {
    let is_mixed = |word: &&str| {
        let lower = || word.chars().flat_map(char::to_lowercase);
        // A Turkish word has its own letter beside Latin ones.
        let is_foreign = |c: char| c != 'ı' && look_alike(c).is_some();
        lower().any(is_foreign) && lower().any(|c| c.is_ascii_alphabetic())
    };
    text.split(|c: char| !c.is_alphanumeric()).find(is_mixed)
}

/// A file name made of a title: lower case, marks dropped, the rest of what is not a letter or digit a
/// hyphen. Letters of other scripts stay; a title without any gives "".
pub fn slug(title: &str) -> String {
    let plain: String = title.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let name: String = canonical(&plain).replace(' ', "-").nfc().take(SLUG_CHARS).collect();
    name.trim_end_matches('-').to_owned()
}

/// What a sentence says, as far as words tell: the stems of its content words, and apart from them
/// whatever must not differ between two sentences that say the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// Stems of the words that are not stop words, negations or names.
    pub stems: BTreeSet<String>,
    /// Numbers, identifiers, paths and negations, lower case.
    pub fixed: BTreeSet<String>,
}

/// The English stem of a word in lower case.
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Reads the meaning of `text`; Spanish stems where its small words outnumber the English ones.
pub fn meaning(text: &str) -> Meaning {
    let text = text.replace('’', "'").replace('`', " ");
    let stemmer = Stemmer::create(if language(&text) == Some("es") { Algorithm::Spanish } else { Algorithm::English });
    let mut found = Meaning::default();
    for token in text.split_whitespace() {
        let token =
            token.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '-' | '~' | '+' | '#'));
        let token = token.trim_end_matches(['-', '/']);
        let lower = token.to_lowercase();
        if lower.is_empty() {
        } else if NEGATIONS.contains(&lower.as_str()) {
            // One mark for all of them: "don't copy" and "never copy" agree.
            found.fixed.insert("¬".to_owned());
        } else if is_name(token) {
            found.fixed.insert(lower);
        } else {
            for word in words(&lower).filter(|word| !is_stop_word(word)) {
                found.stems.insert(stemmer.stem(word).into_owned());
            }
        }
    }
    found
}

/// The terms of a text: all words of its meaning.
pub fn terms(text: &str) -> BTreeSet<String> {
    let Meaning { mut stems, mut fixed } = meaning(text);
    stems.append(&mut fixed);
    stems
}

/// A number, a path, or an identifier: what two sentences that say the same have in common.
pub fn is_name(token: &str) -> bool {
    let inner = token.trim_start_matches('-');
    let dotted = inner.split_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty());
    let humped = inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    token.chars().any(|c| c.is_ascii_digit())
        || token.contains(['/', '_', ':', '=', '+', '#'])
        || token.starts_with("--")
        || dotted
        || humped
}

/// Signs of Spanish that Portuguese, French, Italian, German, Dutch and Turkish do not have, or only one of them: small
/// words, and an ending.
const SPANISH: &[&str] = &[
    "-ción", "ahora", "así", "cuando", "cómo", "del", "donde", "el", "eso", "esto", "está", "están", "hace", "hasta",
    "hay", "las", "los", "muy", "más", "pero", "puede", "qué", "sin", "también", "y",
];
/// Small words of Spanish that other languages have, too.
const SHARED: &[&str] = &["de", "en", "la", "para", "por", "que", "se", "una"];
/// Small words of English.
pub const ENGLISH: &[&str] = &["and", "for", "in", "is", "of", "on", "that", "the", "to", "we", "with"];

/// Whether a text is surely Spanish: it has two signs of it, at least each fiftieth word is one, and there are fewer of
/// English.
pub fn is_spanish(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_sign = |word: &str, sign: &str| sign.strip_prefix('-').map_or(word == sign, |ending| word.ends_with(ending));
    let spanish = small_words(&lower).filter_map(|word| SPANISH.iter().find(|sign| is_sign(word, sign)));
    let spanish: Vec<&&str> = spanish.collect();
    let english = small_words(&lower).filter(|word| ENGLISH.contains(word)).count();
    let enough = spanish.len() * 50 >= lower.split_whitespace().count();
    spanish.iter().any(|sign| *sign != spanish[0]) && spanish.len() > english && enough
}

/// The language of a sentence by the small words of which it has more, `es` or `en`; none where they tell nothing. It is
/// a guess, for stems: what is not English can be another language than Spanish.
pub fn language(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let spanish = small_words(&lower).filter(|word| SPANISH.contains(word) || SHARED.contains(word)).count();
    match spanish.cmp(&small_words(&lower).filter(|word| ENGLISH.contains(word)).count()) {
        Ordering::Greater => Some("es"),
        Ordering::Less => Some("en"),
        Ordering::Equal => None,
    }
}

/// The words of a text without the marks around them.
pub fn small_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
}

/// `; did you mean '--list'?` when one of the `names`, shown with `mark` before it, is so near to `word` that
/// it is a slip of the keyboard; else "".
pub fn did_you_mean<'n>(word: &str, names: impl IntoIterator<Item = &'n str>, mark: &str) -> String {
    let slips = word.chars().count().div_ceil(4).min(3);
    let near = names.into_iter().map(|name| (slips_between(word, name), name)).min();
    match near {
        Some((count, name)) if count <= slips && word.chars().count() > 1 => format!("; did you mean '{mark}{name}'?"),
        _ => String::new(),
    }
}

/// The letters to insert, leave out, replace or swap with the next to make one word of the other.
fn slips_between(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, wanted) in other.iter().enumerate() {
            let mut least = (row[j] + usize::from(letter != wanted)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && one[i - 1] == *wanted && *letter == other[j - 1] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

/// Jaccard's measure of two sets, 0 to 1; two empty sets have nothing in common.
pub fn jaccard<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> f64 {
    let common = a.intersection(b).count();
    share(common, a.len() + b.len() - common)
}

/// `part` of `whole`, 0 to 1.
#[allow(clippy::cast_precision_loss)] // counts of words: far below 2^52
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The text of a line that is a box, as "- [ ] mend it" or "1. [x] done", and whether it is ticked.
pub fn ticked(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let point = line
        .strip_prefix(['-', '*', '+'])
        .or_else(|| numbered.strip_prefix(['.', ')']).filter(|_| numbered.len() < line.len()))?;
    let inside = point.trim_start().strip_prefix('[')?;
    let (mark, text) = inside.split_once("] ")?;
    let text = text.trim();
    matches!(mark, " " | "x" | "X").then_some((text, mark != " ")).filter(|(text, _)| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn a_box_is_a_point_of_a_list() {
        for [line, text, is_done] in rows(include_str!("boxes.tsv")) {
            let wanted = (!text.is_empty()).then_some((text.as_str(), is_done == "done"));
            assert_eq!(ticked(&line), wanted, "{line}");
        }
    }

    #[test]
    fn a_control_character_never_reaches_a_terminal() {
        assert_eq!(one_line("a\u{1b}[31mb\nc\n"), "a [31mb c");
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("ñandú", 3), "ñan…");
        assert_eq!(cut("ñandú", 5), "ñandú");
        assert!(ends(&"é".repeat(100), 10).starts_with("ééééé\n[… 90 characters"));
    }

    #[test]
    fn the_canonical_form_ignores_case_width_and_punctuation() {
        assert_eq!(canonical("  Ｐrofile-deploy: uses “symlinks”! "), "profile deploy uses symlinks");
    }

    #[test]
    fn slugs_keep_other_scripts_and_drop_marks() {
        assert_eq!(slug("Canción: qué \"tal\"?"), "cancion-que-tal");
        assert_eq!(slug("日本語のテスト"), "日本語のテスト");
        assert_eq!(slug("🎉!"), "");
        assert_eq!(slug(&"long ".repeat(40)).chars().count(), 59);
    }

    #[test]
    fn numbers_names_paths_and_negations_stand_apart() {
        let a = meaning("Use port 8080 for `lh_gate`, not src/main.rs");
        let fixed: Vec<&str> = a.fixed.iter().map(String::as_str).collect();
        assert_eq!(fixed, ["8080", "lh_gate", "src/main.rs", "¬"]);
        assert_eq!(meaning("the worker never copies").stems, meaning("workers copy").stems);
        assert_eq!(meaning("los trabajos para la cola").stems, meaning("el trabajo de la cola").stems);
    }
    #[test]
    fn only_what_is_surely_spanish_is_spanish() {
        for [text, wanted] in rows(include_str!("languages.tsv")) {
            assert_eq!(is_spanish(&text), wanted == "spanish", "{text}");
        }
        // One German word of a long session.
        let long = format!("{}los las", "ich lese den Text noch einmal ganz genau durch ".repeat(30));
        assert!(!is_spanish(&long));
    }
}
