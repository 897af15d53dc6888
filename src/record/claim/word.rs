//! The words of a sentence, English or Spanish, as claims are compared: what each word is and how it
//! is used. A word that is not in these lists is content: nothing that could change the meaning is
//! dropped.

use crate::base::text;
use rust_stemmers::{Algorithm, Stemmer};

/// What a word does in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Nothing: articles and the like.
    None,
    /// It stands for who acts: "we", "you".
    Subject,
    /// It makes a passive: a form of "to be" of a participle, "se" of any verb.
    Be { any: bool },
    /// It leads a phrase, and the sentence can say the same without it.
    Soft(&'static str),
    /// It leads a phrase or turns the sentence, and must be in both.
    Hard(&'static str),
    /// A mood that must be in both: past, possible.
    Mood(&'static str),
    /// A mood that may be left out, but not be another.
    Mild(&'static str),
    /// It is content.
    Content,
}

/// Which language the little words are taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Also when nothing tells.
    #[default]
    English,
    /// By its little words.
    Spanish,
    /// No little word tells.
    Unknown,
}

/// The language of a sentence, by its little words in lower case.
pub fn language<'a>(words: impl Iterator<Item = &'a str>) -> Language {
    let (mut english, mut spanish) = (0_usize, 0_usize);
    for word in words {
        let accent = word.contains(['á', 'é', 'í', 'ó', 'ú', 'ñ', '¿', '¡']);
        spanish = spanish.saturating_add(usize::from(accent || SPANISH_SIGNS.contains(&word)));
        english = english.saturating_add(usize::from(ENGLISH_SIGNS.contains(&word)));
    }
    if spanish > english {
        Language::Spanish
    } else if english > 0 {
        Language::English
    } else {
        Language::Unknown
    }
}

const ENGLISH_SIGNS: &[&str] = &[
    "after", "and", "are", "at", "be", "before", "by", "for", "from", "if", "in", "instead", "into", "is", "it", "not",
    "of", "off", "on", "or", "over", "rather", "should", "than", "that", "the", "this", "to", "was", "we", "when",
    "will", "with", "without",
];

const SPANISH_SIGNS: &[&str] = &[
    "al", "antes", "como", "con", "cuando", "de", "del", "desde", "después", "despues", "el", "en", "entre", "es",
    "está", "la", "las", "los", "lugar", "ni", "para", "pero", "por", "que", "se", "sin", "sobre", "son", "su", "una",
    "vez", "y",
];

/// What a word in lower case does.
pub fn use_of(word: &str, language: Language) -> Use {
    if word.ends_with("n't") || matches!(word, "not" | "no" | "never" | "cannot" | "neither" | "nor") {
        return Use::Hard("not");
    }
    match language {
        Language::Spanish => spanish(word),
        Language::Unknown if word == "a" => Use::Soft("a"),
        Language::English | Language::Unknown => english(word),
    }
}

fn english(word: &str) -> Use {
    match word {
        "a" | "an" | "the" | "that" | "it" | "its" | "our" | "there" | "so" | "which" | "do" | "does" | "also"
        | "simply" | "actually" | "basically" | "really" | "please" | "very" => Use::None,
        "we" | "let's" | "we'll" => Use::Subject,
        "is" | "are" | "be" | "being" => Use::Be { any: false },
        "was" | "were" | "been" | "had" | "did" => Use::Mood("past"),
        "may" | "might" | "could" | "can" | "perhaps" | "maybe" | "possibly" => Use::Mood("may"),
        "will" | "shall" => Use::Mild("will"),
        "must" => Use::Mild("must"),
        "should" | "ought" => Use::Mild("should"),
        "of" => Use::Soft("of"),
        "for" => Use::Soft("for"),
        "in" | "on" | "at" | "inside" => Use::Soft("in"),
        "within" => Use::Soft("within"),
        "as" => Use::Soft("as"),
        "with" | "via" | "through" => Use::Soft("with"),
        "by" => Use::Soft("by"),
        "to" | "into" | "onto" => Use::Soft("to"),
        "about" => Use::Soft("about"),
        "because" => Use::Soft("because"),
        "instead" | "rather" => Use::Hard("instead"),
        "just" | "merely" => Use::Hard("only"),
        "if" | "when" | "whenever" | "once" => Use::Hard("if"),
        _ => hard(word, ENGLISH_HARD),
    }
}

fn spanish(word: &str) -> Use {
    match word {
        "el" | "la" | "los" | "las" | "lo" | "un" | "una" | "unos" | "unas" | "este" | "esta" | "estos" | "estas"
        | "ese" | "esa" | "que" | "también" | "tambien" | "muy" | "simplemente" | "hay" => Use::None,
        "nosotros" => Use::Subject,
        "se" => Use::Be { any: true },
        "es" | "son" | "ser" | "está" | "están" | "estar" | "sea" => Use::Be { any: false },
        "fue" | "fueron" | "era" | "eran" | "estaba" | "estaban" | "había" | "ha" | "han" | "sido" => {
            Use::Mood("past")
        }
        "puede" | "pueden" | "podría" | "podrían" | "podemos" | "quizá" | "quizás" => Use::Mood("may"),
        "debe" | "deben" | "debemos" => Use::Mild("must"),
        "debería" | "deberían" | "deberíamos" => Use::Mild("should"),
        "jamás" | "jamas" | "nunca" | "tampoco" | "ni" => Use::Hard("not"),
        "de" | "del" => Use::Soft("de"),
        "como" => Use::Soft("as"),
        "para" => Use::Soft("for"),
        "en" | "dentro" => Use::Soft("in"),
        "con" | "mediante" => Use::Soft("with"),
        "por" => Use::Soft("by"),
        "a" | "al" | "hacia" => Use::Soft("to"),
        "sobre" => Use::Soft("about"),
        "porque" => Use::Soft("because"),
        "cuando" | "si" => Use::Hard("if"),
        _ => hard(word, SPANISH_HARD),
    }
}

fn hard(word: &str, list: &[&'static str]) -> Use {
    list.iter().find(|known| **known == word).map_or(Use::Content, |known| Use::Hard(known))
}

const ENGLISH_HARD: &[&str] = &[
    "above", "across", "after", "against", "along", "among", "around", "before", "beside", "despite", "near",
    "throughout", "toward", "towards", "behind", "below", "between", "beyond", "but", "down", "during", "except",
    "from", "off", "only", "or", "out", "over", "per", "since", "than", "then", "under", "unless", "until", "up",
    "versus", "while", "without",
];

const SPANISH_HARD: &[&str] = &[
    "antes", "bajo", "contra", "desde", "después", "despues", "durante", "entre", "excepto", "hasta", "luego",
    "mientras", "o", "salvo", "sin", "solamente", "sólo", "solo", "tras", "u",
];

/// Whether a word in lower case is a single letter that is not a word.
pub fn is_letter(word: &str, language: Language) -> bool {
    let words: &[&str] = if language == Language::Spanish { &["a", "e", "o", "u", "y"] } else { &["a", "i", "o"] };
    word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_lowercase()) && !words.contains(&word)
}

/// Whether a sentence that begins with these two words asks.
pub fn begins_question(first: &str, second: &str) -> bool {
    let helps = ["is", "are", "was", "were", "does", "did", "has", "can", "could", "will", "should"];
    let who = ["it", "that", "this", "the", "there", "we", "they", "he", "she", "you", "our", "its"];
    helps.contains(&first) && who.contains(&second)
}

/// The time that the end of a Spanish verb tells.
pub fn tense(word: &str, language: Language) -> Option<&'static str> {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    // What we shall use is decided as what we use is.
    let is_future = || ends(&["rá", "rán"]) || ends(&["aremos", "eremos", "iremos"]) && !USE.contains(&word);
    if language == Language::English || word.chars().count() < 4 {
        None
    } else if ends(&["aron", "ieron", "ó"]) {
        Some("past")
    } else {
        is_future().then_some("future")
    }
}

/// The mood that a word makes of "to" behind it.
pub fn before_to(word: &str) -> Option<&'static str> {
    match word {
        "need" | "needs" | "have" | "has" => Some("must"),
        "going" => Some("will"),
        "ought" => Some("should"),
        _ => None,
    }
}

/// Words between which a comma or nothing else would do.
pub fn is_break(word: &str, language: Language) -> bool {
    match language {
        Language::Spanish => matches!(word, "y" | "e" | "pero" | "sino"),
        _ => word == "and",
    }
}

/// Endings that make another word, not another form of it: an operator is not an operation.
const MAKERS: &[&str] = &[
    "able", "age", "al", "ant", "ante", "dor", "dora", "ent", "ente", "er", "ful", "ible", "ic", "ical", "idad", "ist",
    "ity", "ive", "ivo", "less", "ly", "mente", "ness", "or", "oso", "ous",
];

/// The stem of a word in lower case, with the ending that makes another word of it.
pub fn stem(word: &str, language: Language) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_matches('\'');
    let algorithm = if language == Language::Spanish { Algorithm::Spanish } else { Algorithm::English };
    let plain = word.strip_suffix('s').filter(|plain| !plain.ends_with('s')).unwrap_or(word);
    if WHOLE.contains(&plain) || WHOLE.contains(&word) {
        return plain.to_owned();
    }
    if language == Language::Spanish && USE.contains(&word) {
        return "us".to_owned();
    }
    let bare = if language == Language::Spanish { word.strip_suffix("cion") } else { None };
    let accented = bare.map(|rest| format!("{rest}ción"));
    let stem = Stemmer::create(algorithm).stem(accented.as_deref().unwrap_or(word)).into_owned();
    let plain = ["ing", "ed"].iter().find_map(|end| plain.strip_suffix(end)).unwrap_or(plain);
    let maker = maker(plain, language);
    let mut out = text::without_marks(&stem);
    if !maker.is_empty() {
        out.push('+');
        out.push_str(maker);
    }
    out
}

/// The ending that makes another word of it, "" when there is none.
fn maker(plain: &str, language: Language) -> &'static str {
    let made = MAKERS.iter().filter(|end| plain.ends_with(*end) && plain.len() > end.len().saturating_add(2));
    let made = made.max_by_key(|end| end.len()).copied().unwrap_or_default();
    let spanish = language == Language::Spanish;
    let ends = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    if spanish && ends(&["ción", "cion", "cione"]) {
        "ción"
    } else if spanish && ends(&["dore"]) {
        "dor"
    } else if spanish && made.is_empty() && ends(&["o"]) && !ends(VERBAL) {
        // El puerto is not la puerta; but "usamos" and "usado" are forms of a verb.
        "o"
    } else {
        made
    }
}

/// The forms of a verb that is too short for the stemmer.
const USE: &[&str] = &[
    "usa", "usado", "usada", "usados", "usadas", "usamos", "usan", "usando", "usar", "usará", "usaremos", "use", "usen",
];

/// Ends of forms of Spanish verbs.
const VERBAL: &[&str] = &["amo", "emo", "imo", "ado", "ido", "ando", "iendo", "yendo"];

/// Words that are not forms of the word that they seem to be made of.
const WHOLE: &[&str] = &[
    "commitment", "custom", "department", "meeting", "mean", "means", "news", "production", "reaction", "setting",
    "staging", "statement",
];

/// Whether a word in lower case is a participle that can make a passive.
pub fn is_participle(word: &str, language: Language) -> bool {
    if language == Language::Spanish {
        return ["ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas"].iter().any(|end| word.ends_with(end));
    }
    word.ends_with("ed") && !word.ends_with("eed")
        || word.ends_with("en")
        || matches!(word, "built" | "cut" | "done" | "held" | "kept" | "made" | "put" | "read" | "run" | "sent" | "set")
}

/// A number, a path, an identifier, a sign: what two sentences that say the same have in common.
pub fn is_name(token: &str) -> bool {
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
pub fn is_sign(sign: char) -> bool {
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
