//! When two sentences claim the same. Different is worse than double: a claim that is dropped is lost, one that is kept
//! twice costs a line. So the words must be the same words in the same order. Only these make no difference: case and the
//! ending of a plural, unless one word alone differs in it, and a plural with an article; punctuation, articles, "and" and
//! "will", "-ing" of the first word, "the X of the Y" for "the Y X", a lead that says that it was decided or must be so,
//! verbs that only say that it was chosen ([`choice`]), two spellings of a negation or of "instead of", and a phrase with
//! a preposition that stands at the head or at the end.
//! lh-record(5) has the rule in short, tests/pairs.tsv the pairs that decide it.

use super::choice;
use super::small_words::{DENIALS, PREPOSITIONS, singular};
use crate::base::text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

/// Letters by which a word is looked for in a sentence that is not read.
const PREFIX: usize = 3;
/// The shortest beginning of a word that tells it from others, and how many of these are looked for.
const HEAD: usize = 4;
const HEADS: usize = 4;

/// Words that are left out.
const LEFT_OUT: &[&str] = &["and", "que", "that", "which", "will", "y"];
const ARTICLES: &[&str] = &["a", "an", "el", "la", "las", "lo", "los", "the", "un", "una", "unas", "unos"];
/// How a sentence begins that says what we do or from when on, and whether it is a duty.
const LEADS: &[(&str, &str)] = &[
    ("from now on, ", ""),
    ("from now on ", ""),
    ("a partir de ahora ", ""),
    ("desde ahora ", ""),
    ("please, ", ""),
    ("please ", ""),
    ("por favor, ", ""),
    ("por favor ", ""),
    ("we are going to ", ""),
    ("we need to ", "must"),
    ("we must ", "must"),
    ("we should ", "should"),
    ("we will ", ""),
    ("we'll ", ""),
    ("we ", ""),
    ("need to ", "must"),
    ("must ", "must"),
    ("should ", "should"),
    ("debemos ", "must"),
    ("hay que ", "must"),
    ("tenemos que ", "must"),
    ("vamos a ", ""),
];

/// A sentence as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    /// Lower case, letters and digits: what is left to compare in a text without words.
    canonical: String,
    /// Signs outside ASCII, and all signs in a text without words: of two emoji nothing else is left to compare.
    signs: String,
    /// Its words in their order, and names as they are written.
    words: Vec<String>,
    /// How those that do not begin a sentence are written, by their singular.
    written: BTreeMap<String, String>,
    articles: Vec<String>,
    /// Numbers, paths, names.
    names: BTreeSet<String>,
    /// What its lead makes of it: "must", "should", or "".
    duty: &'static str,
    asks: bool,
    /// Stems of the words that say what it is about, and names, once they are asked for.
    content: OnceLock<BTreeSet<String>>,
}

impl Claim {
    /// What a sentence claims.
    pub fn read(sentence: &str) -> Self {
        let sentence =
            without_lead(sentence).replace(['’', '‘'], "'").replace(['`', '"', '“', '”', '«', '»', '*'], " ");
        let sentence = if sentence.is_ascii() { sentence } else { sentence.nfc().collect() };
        let canonical = text::canonical(&sentence);
        let is_wordless = canonical.is_empty();
        let signs = sentence.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace());
        let signs = signs.filter(|c| is_wordless || !c.is_ascii()).collect();
        let asks = sentence.trim_end().ends_with('?');
        let (rest, duty) = behind_duty(sentence.trim_start());
        let mut claim = Self { canonical, signs, duty, asks, ..Self::default() };
        // Where all letters are capitals they say nothing.
        let shouts = !rest.contains(char::is_lowercase);
        let tokens: Vec<&str> = rest.split_whitespace().collect();
        let mut phrase = 0;
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1).map(|next| bare(next).to_lowercase());
            let before = tokens[..at].last().copied().filter(|token| !token.ends_with(['.', '!', '?']));
            claim.token(token, before.map(bare).unwrap_or_default(), next.as_deref(), shouts);
            let is_phrase = || claim.words.first().is_some_and(|first| PREPOSITIONS.contains(&first.as_str()));
            if phrase == 0 && token.ends_with(',') && is_phrase() {
                phrase = claim.words.len();
            }
        }
        choice::spell(&mut claim.words, phrase, rest.len() < sentence.trim_start().len());
        claim
    }

    /// Adds what is between two blanks.
    fn token(&mut self, token: &str, before: &str, next: Option<&str>, shouts: bool) {
        let is_inside = !before.is_empty();
        let plain = bare(token);
        let lower = plain.to_lowercase();
        // Plan A is no article, IT is no pronoun, and "no, do it" does not deny what it says.
        let little = || text::is_stop_word(&lower) || LEFT_OUT.contains(&lower.as_str());
        self.articles.extend(ARTICLES.contains(&lower.as_str()).then(|| lower.clone()));
        let is_capital = !shouts && plain.chars().all(char::is_uppercase);
        let is_capital = is_capital && (is_inside && plain.chars().count() == 1 || plain.len() > 1 && little());
        let is_answer = token.ends_with(',') && (DENIALS.contains(&lower.as_str()) || matches!(&*lower, "yes" | "sí"));
        if lower.is_empty() || plain == "-" {
        } else if is_capital || is_answer || plain.starts_with('-') || is_name(plain) {
            let name = if is_answer { token } else { plain };
            self.names.insert(name.to_owned());
            self.words.push(name.to_owned());
        } else if lower == "a" && matches!(next, Some("few" | "little")) {
            self.words.push(lower);
        } else {
            let written = text::words(plain).map(|word| word.strip_suffix("'s").unwrap_or(word));
            let written = written.filter(|_| is_inside && !shouts);
            // A plural behind an article names nothing: "the docs" are "the doc".
            let is_thing = ARTICLES.contains(&before.to_lowercase().as_str());
            let spelled = |word: &str| if is_thing { singular(word) } else { word.to_owned() };
            self.written.extend(written.map(|word| (singular(&word.to_lowercase()), spelled(word))));
            text::words(&lower).for_each(|word| self.word(word.trim_matches('\'')));
        }
    }

    /// Adds a word in lower case, in the one spelling that all its forms have here.
    fn word(&mut self, word: &str) {
        let last = self.words.last().map(String::as_str);
        let spelled = match word {
            "del" => "de".to_owned(),
            "al" => "a".to_owned(),
            "cannot" | "can't" => "can not".to_owned(),
            "won't" => "not".to_owned(),
            "rather" => "instead".to_owned(),
            "than" if last == Some("instead") => "of".to_owned(),
            "to" if matches!(last, Some("has" | "have")) => {
                self.words.pop();
                "must".to_owned()
            }
            "lugar" if last == Some("en") => "vez".to_owned(),
            _ if LEFT_OUT.contains(&word) || ARTICLES.contains(&word) => return,
            _ => word.strip_suffix("n't").map_or_else(|| singular(word), |verb| format!("{verb} not")),
        };
        // "The results of the test" are "the test results".
        let is_plain = |word: &String| !self.names.contains(word) && !PREPOSITIONS.contains(&word.as_str());
        match self.words.as_slice() {
            [.., thing, of] if of == "of" && is_plain(thing) => {
                self.words.pop();
                self.words.insert(self.words.len() - 1, spelled);
            }
            _ => self.words.extend(spelled.split(' ').map(str::to_owned)),
        }
    }

    /// Whether two sentences have the same words and the same signs that tell two names apart.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.canonical == other.canonical
            && self.signs == other.signs
            && self.asks == other.asks
            && self.names == other.names
            && !self.is_otherwise_written(other)
    }

    /// Whether the way in which one word is written is the point: its case ("go" is not "Go"), or its plural
    /// without an article ("var" is not "vars", but "a test" is "tests"). If two words differ, it is a form of the same
    /// sentence: "the test runs", "the tests run".
    fn is_otherwise_written(&self, other: &Self) -> bool {
        let pairs = self.written.iter().filter_map(|(word, mine)| Some((mine, other.written.get(word)?)));
        let (case, number): (Vec<_>, Vec<_>) = pairs
            .filter(|(mine, theirs)| mine != theirs)
            .partition(|(mine, theirs)| mine.to_lowercase() == theirs.to_lowercase());
        case.len() == 1 || number.len() == 1 && self.articles == other.articles
    }

    /// What it has in common with each sentence that says the same: its words in any order, without "-ing".
    pub fn alike(&self) -> Vec<String> {
        let mut words: Vec<String> = self.words.iter().map(|word| stem_of_verb(word).to_owned()).collect();
        words.sort();
        if words.is_empty() { vec![self.canonical.clone()] } else { words }
    }

    /// Whether two sentences say the same.
    pub fn is_same(&self, other: &Self) -> bool {
        if self.words.is_empty() {
            return self.is_equal(other);
        }
        let duty = self.duty.is_empty() || other.duty.is_empty() || self.duty == other.duty;
        let moved = || self.moves_to_the_head(other) || other.moves_to_the_head(self);
        duty && self.asks == other.asks && (self.has_words_of(other) || moved()) && !self.is_otherwise_written(other)
    }

    /// Whether the words are the same, but for "-ing" of the first: what is to be done can be told as what is being done.
    fn has_words_of(&self, other: &Self) -> bool {
        let (Some((first, rest)), Some((other_first, other_rest))) =
            (self.words.split_first(), other.words.split_first())
        else {
            return false;
        };
        rest == other_rest
            && (first == other_first || !rest.is_empty() && stem_of_verb(first) == stem_of_verb(other_first))
    }

    /// Whether the other sentence begins with the phrase with which this one ends.
    fn moves_to_the_head(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
            && other.words.first().is_some_and(|first| PREPOSITIONS.contains(&first.as_str()))
            && (1..self.words.len()).any(|at| {
                let (head, phrase) = self.words.split_at(at);
                other.words.starts_with(phrase) && other.words.ends_with(head)
            })
    }

    /// Whether another sentence says nothing that this one does not say: a part of it.
    pub fn covers(&self, other: &Self) -> bool {
        let denials = |claim: &Self| claim.words.iter().filter(|word| DENIALS.contains(&word.as_str())).count();
        !other.words.is_empty()
            && self.names == other.names
            && denials(self) == denials(other)
            && self.words.windows(other.words.len()).any(|part| part == other.words)
    }

    /// What two sentences have in common, words and names, as a share of all: 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        text::jaccard(self.content(), other.content())
    }

    fn content(&self) -> &BTreeSet<String> {
        let words = || self.words.iter().filter(|word| !text::is_stop_word(word));
        let stem = |word: &String| if self.names.contains(word) { word.clone() } else { text::stem(word) };
        self.content.get_or_init(|| words().map(stem).collect())
    }

    /// Whether a sentence can have so much in common with this one that they are similar from `share` on; much cheaper
    /// than to read it as a claim.
    pub fn can_be_similar(&self, sentence: &str, share: f64) -> bool {
        let lower = sentence.to_lowercase();
        let content = self.content();
        let is_there = |word: &&String| {
            let end = word.char_indices().nth(PREFIX).map_or(word.len(), |(at, _)| at);
            lower.contains(&word[..end].to_lowercase())
        };
        text::share(content.iter().filter(is_there).count(), content.len()) >= share
    }

    /// Whether it begins with what must not be: "never", "do not", "nunca".
    pub fn forbids(&self) -> bool {
        self.words.iter().find(|word| *word != "do").is_some_and(|word| DENIALS.contains(&word.as_str()))
    }

    /// How words of it begin, in lower case and without marks, that each sentence has that says the same: the longest
    /// ones, none where all are short. A plural differs from its word in the last letter of that at most.
    /// The first word can be a form of another.
    pub fn heads(&self) -> Vec<String> {
        let is_told = |word: &&String| !self.names.contains(*word) && !PREPOSITIONS.contains(&word.as_str());
        let mut heads: Vec<String> =
            self.words.iter().skip(1).filter(is_told).map(|word| text::without_marks(word)).collect();
        for head in &mut heads {
            head.pop();
        }
        heads.retain(|head| head.len() >= HEAD && head.is_ascii());
        heads.sort_by_key(|head| std::cmp::Reverse(head.len()));
        heads.truncate(HEADS);
        heads
    }
}

/// A verb without "-ing", as far as that can be told: of "planning" and "plan", and of "caching" and "cache", it is the same.
fn stem_of_verb(word: &str) -> &str {
    let stem = word.strip_suffix("ing").filter(|stem| stem.len() > 2).unwrap_or(word).trim_end_matches('e');
    match stem.as_bytes() {
        [.., one, other] if one == other && one.is_ascii() => &stem[..stem.len() - 1],
        _ => stem,
    }
}

/// What stands behind a lead that says what we do, and the duty that it makes of it.
fn behind_duty(sentence: &str) -> (&str, &'static str) {
    let lead =
        LEADS.iter().find(|(lead, _)| sentence.get(..lead.len()).is_some_and(|head| head.eq_ignore_ascii_case(lead)));
    lead.map_or((sentence, ""), |(lead, duty)| (&sentence[lead.len()..], duty))
}

/// What a lead has that only says that something was said before, and what stands beside it there.
const SAID: &[&str] = &[
    "acordamos", "agreed", "decided", "decidido", "decidimos", "decidió", "decision", "decisión", "dijimos",
    "mentioned", "noted", "recorded", "remembered", "said",
];
const BESIDE_SAID: &[&str] = &[
    "already", "antes", "anterior", "as", "before", "como", "earlier", "en", "from", "have", "i", "i've", "in", "it",
    "la", "last", "memory", "on", "per", "previous", "previously", "se", "session", "sesión", "the", "then", "was",
    "we", "we've", "were", "ya",
];
/// What a session's start writes before an item's day and id.
const TOLD_AS: &[&str] = &["fact", "failed", "learned", "wish"];

/// A sentence without a lead that only says that it was said before: "As decided earlier, …", "decided 2026-04-13
/// (89d3b8): …". Who repeats a claim makes no second one.
fn without_lead(sentence: &str) -> &str {
    let (mut says, mut tells, mut marks, mut length) = (false, false, false, 0_usize);
    for token in sentence.split_inclusive(char::is_whitespace) {
        length += token.len();
        let token = token.trim_end();
        let word = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_lowercase();
        let is_mark = || word.contains(|c: char| c.is_ascii_digit()) && is_hex(&word);
        match word.as_str() {
            "that" | "to" | "que" | "" => {}
            word if SAID.contains(&word) => says = true,
            word if TOLD_AS.contains(&word) => tells = true,
            word if BESIDE_SAID.contains(&word) => {}
            _ if is_mark() => marks = true,
            _ => return sentence,
        }
        if token.ends_with([',', ':']) || matches!(word.as_str(), "that" | "to" | "que") {
            break;
        }
    }
    let rest = &sentence[length..];
    let is_lead = (says && !tells || tells && marks) && !rest.trim().is_empty();
    if is_lead { rest } else { sentence }
}

/// Whether a word is one of a day or of an id.
fn is_hex(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// A token without the punctuation around it.
fn bare(token: &str) -> &str {
    let token =
        token.trim_start_matches(|c: char| !c.is_alphanumeric() && !is_sign(c) && !matches!(c, '-' | '.' | '!'));
    let token = token.trim_end_matches(|c: char| !c.is_alphanumeric() && (!is_sign(c) || c == ':'));
    if token.starts_with("..") { token.trim_start_matches('.') } else { token }
}

/// A number, a path, an identifier, a sign: what two sentences that say the same have in common.
fn is_name(token: &str) -> bool {
    let inner = token.trim_start_matches('-');
    let dotted = inner.split_once('.').is_some_and(|(_, end)| !end.is_empty());
    // An identifier; people write MacBook and macbook for the same.
    let humped = token.starts_with(char::is_lowercase) && token.chars().any(char::is_uppercase);
    token.chars().any(|c| c.is_ascii_digit())
        || humped
        || token.contains(is_sign)
        || token.starts_with('-') && token.len() > 1
        || token.contains(['(', '!'])
        || dotted
}

/// Signs that belong to a name.
fn is_sign(sign: char) -> bool {
    let ascii = matches!(
        sign,
        '/' | '\\' | '_' | ':' | '=' | '+' | '#' | '@' | '$' | '%' | '*' | '<' | '>' | '~' | '^' | '&' | '|'
    );
    // All but what is punctuation in some language: a sign is all that two lines with emoji differ in.
    let mark = matches!(
        sign,
        '–' | '—' | '…' | '·' | '•' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '¿' | '¡' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}'
    );
    ascii || !sign.is_ascii() && !mark && !sign.is_alphanumeric() && !sign.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAME: &[(&str, &str)] = &[
        ("Profile deploy uses symlinks", "The profile deploy will use symlinks"),
        ("Use symlinks for the profile deploy", "For a profile deploy, use a symlink"),
        ("Use sqlite instead of postgres", "Use sqlite rather than postgres"),
        ("Use sqlite instead of postgres", "Instead of postgres use sqlite"),
        ("Run the tests in docker", "In docker, run the tests"),
        ("We must not push to `main`", "must not push to main."),
        ("We can't ship on Friday", "We cannot ship on Friday"),
        ("The worker must run locally", "The worker has to run locally"),
        ("Never push to main", "From now on, never push to main"),
        ("Never push to main", "Please never push to main"),
        ("Siempre usa tabuladores aquí", "Por favor, siempre usa tabuladores aqui\u{301}"),
        (
            "Computer use must run locally in the container, not as Claude in the cloud",
            "Computer use has to run locally in the container and not as Claude in the cloud",
        ),
        ("Usar sqlite en lugar de postgres", "Usar sqlite en vez de postgres"),
        ("Hay que guardar las facturas del mes", "Guardar las facturas de el mes"),
    ];

    const DIFFERENT: &[(&str, &str)] = &[
        ("Enable the cache in staging", "Disable the cache in staging"),
        ("Keep the old logs of the worker", "Remove the old logs of the worker"),
        ("Squash the commits before the merge", "Squash the commits after the merge"),
        ("Turn logging on in the worker", "Turn logging off in the worker"),
        ("Use sqlite, not postgres", "Use postgres, not sqlite"),
        ("Use sqlite instead of postgres", "Use postgres instead of sqlite"),
        ("Migrate from sqlite to postgres", "Migrate from postgres to sqlite"),
        ("Migrar de sqlite a postgres", "Migrar de postgres a sqlite"),
        ("Cambiar tabs a espacios", "Cambiar espacios a tabs"),
        ("Export the data from S3", "Export the data to S3"),
        ("The client calls the server", "The server calls the client"),
        ("The client calls the server", "The client is called by the server"),
        ("Test the export", "Export the tests"),
        ("Build, then test", "Test, then build"),
        ("Retry if it fails", "Retry unless it fails"),
        ("Run with the cache", "Run without the cache"),
        ("Alert when load is > 5", "Alert when load is < 5"),
        ("Ana reviews, Bob deploys", "Bob reviews, Ana deploys"),
        ("Use plan A for the launch", "Use plan B for the launch"),
        ("Fix the alpha build", "Fix the beta build"),
        ("The flag may be removed", "The flag must be removed"),
        ("The tests were fixed", "Fix the tests"),
        ("Activar la caché en producción", "Desactivar la caché en producción"),
        ("Desplegar antes de migrar", "Desplegar después de migrar"),
        ("Import the policy", "The policy is important"),
        ("Search the logs of the worker", "Search for the logs of the worker"),
        ("Deploy staging tonight", "Deploy to staging tonight"),
        ("Exportar de S3", "Exportar S3"),
        ("The server calls", "The server is called"),
        ("The worker blocks", "The worker is blocked"),
        ("The exports are tested", "Export the tests"),
        ("Testing the export", "Export the tests"),
        ("Encrypt the stored keys", "Store the encrypted keys"),
        ("The signed files are uploaded", "Sign the uploaded files"),
        ("Ana needs the key", "Ana has the key"),
        ("We need tests for the queue", "We have tests for the queue"),
        ("Ship by Friday", "Ship on Friday"),
        ("Reply within 5 days", "Reply in 5 days"),
        ("No, deploy on Friday", "No deploy on Friday"),
        ("✅ deploy of the worker", "❌ deploy of the worker"),
        ("Run the worker as root", "Run the worker root"),
        ("Call swap(a, b) in the loop", "Call swap(b, a) in the loop"),
        ("Keep x >= 5", "Keep x <= 5"),
        ("Use our server for the tests", "Use your server for the tests"),
        ("They deploy the app", "We deploy the app"),
        ("Get the key from the vault", "The key from the vault"),
        ("Ask IT about the port", "Ask it about the port"),
        ("Build the cache", "Cache the build"),
        ("Review the plan", "Plan the review"),
        ("The test for the server", "The server for the test"),
        ("Turn the alarm on", "Turn the alarm off"),
        ("Sí, desplegar el viernes", "No, desplegar el viernes"),
        ("Use symlinks for the deploy?", "Use symlinks for the deploy"),
        ("Fix the login page", "Fixed the login page"),
        ("First build, then test", "First test, then build"),
        ("Todos los tests deben pasar", "Los tests no deben pasar todos"),
        ("Guardar las claves cifradas", "Cifrar las claves guardadas"),
        ("El servidor reinicia el worker", "El worker reinicia el servidor"),
        ("The temperature is −5", "The temperature is 5"),
        ("Deploy without tests and with lint", "Deploy with tests and without lint"),
        ("Never log var", "Never log vars"),
        ("Use the table user for logins", "Use the table users for logins"),
        ("Put each setting into option", "Put each setting into options"),
        ("Use Go", "use go"),
        ("Never rename Config", "never rename config"),
        ("Build with Make, not by hand", "Build with make, not by hand"),
        ("Guardar en la tabla factura", "Guardar en la tabla facturas"),
    ];

    #[test]
    fn the_same_in_other_words() {
        for (a, b) in SAME {
            assert!(Claim::read(a).is_same(&Claim::read(b)), "{a} / {b}\n{:?}\n{:?}", Claim::read(a), Claim::read(b));
        }
    }

    #[test]
    fn another_claim() {
        let mut wrong = Vec::new();
        for (a, b) in DIFFERENT {
            let (one, two) = (Claim::read(a), Claim::read(b));
            if one.is_same(&two) {
                wrong.push(format!("{a} / {b}\n{:?}\n{:?}", one.words, two.words));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// The pairs of tests/pairs.tsv: label, group, kind, whether the quote is shared, two sentences.
    fn pairs() -> Vec<Vec<&'static str>> {
        let lines =
            include_str!("../../tests/pairs.tsv").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .filter(|fields| fields.len() == 6 && fields[0] != "label")
            .collect()
    }

    /// No pair that differs may be called the same; of those that are the same nearly half must be found.
    #[test]
    fn labelled_pairs() {
        let (mut wrong, mut missed) = (Vec::new(), Vec::new());
        let mut counts = [0_usize, 0];
        for pair in pairs() {
            let [label, group, _, _, a, b] = pair[..] else { continue };
            let near = |a: &Claim, b: &Claim| a.is_same(b);
            let (one, two) = (Claim::read(a), Claim::read(b));
            assert_eq!(near(&one, &two), near(&two, &one), "{a} / {b}");
            assert!(!near(&one, &two) && !one.is_equal(&two) || one.alike() == two.alike(), "{a} / {b}");
            counts[usize::from(label == "same")] += 1;
            match (label, near(&one, &two)) {
                ("different", true) => wrong.push(format!("{group}: {a} / {b}")),
                ("same", false) => missed.push(format!("{group}: {a} / {b}")),
                _ => {}
            }
        }
        let [different, same] = counts;
        assert!(different >= 340 && same >= 90, "{different} different, {same} same");
        assert!(wrong.is_empty(), "called the same: {wrong:#?}");
        // The pages say both.
        assert!((same - missed.len()) * 100 >= same * 45, "{} of {same} not found: {missed:#?}", missed.len());
    }

    /// Who repeats a claim makes no second one; what a lead says besides counts.
    #[test]
    fn a_lead_that_only_says_that_it_was_said_before_is_no_claim() {
        let claim = "Keep the queue as plain files, not in sqlite";
        for lead in [
            "As decided earlier, ",
            "As we agreed before: ",
            "We decided that ",
            "It was decided in the last session: ",
            "- decided 2026-04-13 (89d3b8): ",
            "fact 2026-04-13 (89d3b8): ",
            "Decision: ",
            "Como ya se decidió, ",
        ] {
            assert!(Claim::read(&format!("{lead}{claim}")).is_same(&Claim::read(claim)), "{lead}");
        }
        for lead in [
            "Not as decided earlier, ",
            "As decided for Windows, ",
            "Nobody decided that ",
            "We never agreed to ",
            "We had decided to ",
            "Failed: ",
            "Port 80: ",
            "In the last session, ",
            "If decided, ",
        ] {
            assert!(!Claim::read(&format!("{lead}{claim}")).is_same(&Claim::read(claim)), "{lead}");
        }
        for whole in ["Decided:", "As decided, ", "that", "decided to "] {
            assert!(Claim::read(whole).is_same(&Claim::read(whole)), "{whole}");
        }
    }

    /// Two sides that change places, whatever they are.
    #[test]
    fn sides_that_change_places_make_another_claim() {
        let frames = [
            "Use {} instead of {}",
            "Use {}, not {}",
            "Prefer {} over {}",
            "Prefer {} to {}",
            "Use {} rather than {}",
            "Replace {} with {}",
            "Migrate from {} to {}",
            "Run {} before {}",
            "Run {} after {}",
            "{} depends on {}",
            "{} blocks {}",
            "{} is blocked by {}",
            "{} replaces {}",
            "Move {} into {}",
            "Merge {} into {}",
            "Deploy {}, then {}",
            "Keep {} and drop {}",
            "Use {} for {}",
            "{} goes behind {}",
            "Copy {} to {}",
            "Start {} until {} is up",
            "{} must not call {}",
            "We use {} and never {}",
            "Usar {} en lugar de {}",
            "Usar {} en vez de {}",
            "Usar {}, no {}",
            "Migrar de {} a {}",
            "Ejecutar {} antes de {}",
            "{} depende de {}",
            "Cambiar {} por {}",
            "Mantener {} y quitar {}",
            "Preferir {} a {}",
            "{} bloquea {}",
            "{} reemplaza a {}",
        ];
        let sides = [
            ("sqlite", "postgres"),
            ("the alpha build", "the beta build"),
            ("Redis", "Memcached"),
            ("tabs", "spaces"),
            ("la caché", "el índice"),
            ("port 80", "port 8080"),
            ("src/a.rs", "src/b.rs"),
            ("the worker", "the server"),
            ("Ana", "Luis"),
            ("the tests", "the export"),
        ];
        let mut wrong = Vec::new();
        for frame in frames {
            for (a, b) in sides {
                let put =
                    |first: &str, second: &str| Claim::read(&frame.replacen("{}", first, 1).replacen("{}", second, 1));
                let (one, two) = (put(a, b), put(b, a));
                assert!(one.is_same(&put(a, b)) && one.is_equal(&put(a, b)));
                if one.is_same(&two) {
                    wrong.push(format!("{frame}: {a}, {b}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// One word that is another one makes another claim, however long the sentence is.
    #[test]
    fn one_other_word_makes_another_claim() {
        let words = [
            ("enable", "disable"),
            ("keep", "remove"),
            ("add", "drop"),
            ("allow", "deny"),
            ("with", "without"),
            ("before", "after"),
            ("above", "below"),
            ("on", "off"),
            ("up", "down"),
            ("all", "some"),
            ("always", "never"),
            ("start", "stop"),
            ("first", "last"),
            ("left", "right"),
            ("more", "less"),
            ("Monday", "Friday"),
            ("staging", "production"),
            ("encrypt", "decrypt"),
            ("from", "to"),
            ("5", "6"),
            ("if", "unless"),
            ("and", "or"),
            ("may", "must"),
            ("sqlite", "postgres"),
            ("Ana", "Luis"),
            ("safe", "unsafe"),
            ("while", "until"),
            ("into", "from"),
            ("over", "under"),
            ("import", "important"),
            ("commit", "commitment"),
            ("public", "private"),
        ];
        let frames = [
            "Keep the lock {} the queue",
            "{} the retries",
            "The worker of the queue runs {} the nightly export of the billing service in the old cluster",
            "In CI, {} caches for the tests of the client are wanted by the whole team on every branch",
        ];
        let mut wrong = Vec::new();
        for (a, b) in words {
            for frame in frames {
                let (one, two) = (Claim::read(&frame.replace("{}", a)), Claim::read(&frame.replace("{}", b)));
                if one.is_same(&two) {
                    wrong.push(format!("{frame}: {a}, {b}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
