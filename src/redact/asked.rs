//! Does a text ask for a secret, and which words of the next one are it? "What is the password for staging?",
//! "please paste the API key", "[sudo] password for ana:" ask; "how is the password stored?" does not.

use super::word;
use crate::base::text::{self, Words};
use std::ops::Range;

/// So much of the end of a text is looked at.
const TAIL_BYTES: usize = 1500;
/// The longest answer in which single words are looked at, in bytes.
pub const ANSWER_BYTES: usize = 1000;
/// Words between what asks and what is asked for; words of a question without a verb.
const BETWEEN: usize = 6;
/// The shortest answer that is masked whatever it looks like.
const LEAST_BYTES: usize = 4;

/// How the names of secrets begin, in English and in other languages, and names that are whole words; a key is one behind
/// certain words only; how the names of variables end.
const STEMS: &[&str] = &["password", "passwd", "passphrase", "passcode", "credential"];
const OTHER_STEMS: &[&str] = &["passwort", "contrase", "kennwort", "парол", "credencia", "zugangsdaten"];
const NAMES: &[&str] = &["pwd", "pw", "token", "secret", "apikey", "api_key"];
const OTHER_NAMES: &[&str] = &["clave", "senha", "passe"];
const OF_KEYS: &[&str] = &["api", "access", "private", "secret", "license", "deploy", "service"];
const VARIABLES: &[&str] = &["_password", "_passwd", "_token", "_secret", "_key", "_pass", "_pwd"];
/// Languages without blanks: the name, and what asks beside it.
const JOINED: &[&str] = &["密码", "密碼", "パスワード", "비밀번호"];
const JOINED_ASK: &[&str] = &["？", "?", "请", "請", "ください", "教えて", "什么", "什麼", "입력"];

/// Verbs that ask the reader for what is behind them, those that ask for what the writer needs, and those
/// that ask where they are denied.
static GIVE: Words = Words::of(
    "paste give giving send share provide enter type tell supply specify reply dame pásame pasame dime introduce \
    escribe pega gib nenne schick sag donne donnez entrez envoie dammi inserisci incolla envie informe digite mande",
);
static NEED: Words = Words::of("need waiting missing necesito brauche preciso serve falta besoin");
static HAVE: Words = Words::of("have know");
const DENIED: &[&str] = &["don't", "not", "cannot", "can't"];
const SPOKEN_TO: &[&str] = &["please", "me", "us", "bitte", "favor", "mir", "moi", "kindly"];
/// What tells a wish of the writer from a description: "for that you need the token" asks for nothing.
const WRITER: &[&str] = &["i", "i'll", "we", "we'll", "j'ai", "mi", "necesito", "brauche", "preciso"];
/// Between a verb and the name something else is asked for.
const BREAKS: &[&str] =
    &["to", "when", "if", "about", "how", "why", "where", "because", "in", "of", "that", "not", "no"];
/// A question with one of these asks about the secret; one that begins with one of these is answered with yes or no, too.
const ABOUT: &[&str] = &[
    "how", "why", "where", "when", "who", "if", "happens", "happen", "long", "many", "often", "used", "stored", "hash",
    "hashed", "contain", "holds", "contains", "valid", "cómo", "dónde", "warum", "wo", "comment",
];
/// The same before the name: "what does the token do?", but "which password does the server use?" asks for it.
const ABOUT_BEFORE: &[&str] = &["of", "does", "did"];
const YES_OR_NO: &[&str] =
    &["is", "are", "do", "was", "were", "should", "has", "will", "would", "can", "could", "shall", "may", "want", "ok"];
/// Who begins so asks for it after all: `can you give me …`, `do you know …`.
const OF_YOU: &[&str] = &["have", "know", "share", "give", "paste", "send", "provide", "tell", "enter", "type"];
/// A question behind a sentence that names the secret: "… wants a password. What should I enter?"
const ONE: &str = "should i enter|should i use|should i put|should i type|which one|what is it|what's it|you tell me|you give me|\
    you share|you paste|you send|you provide";
/// What can follow the name of a secret: any other word makes another name of it, as in "password field".
const FOLLOWS: &[&str] = &[
    "for", "of", "to", "you", "that", "is", "so", "and", "or", "again", "here", "please", "now", "from", "in", "on",
    "with", "should", "do", "does", "below", "we", "i", "as", "then", "by", "at", "if", "be", "would", "anywhere",
    "yet", "de", "del", "da", "dei", "der", "des", "du", "für", "pour", "para", "per", "zum", "von", "por", "key",
    "bitte",
];
/// What a sentence has before the name, and a program's prompt has not.
const ARTICLES: &[&str] = &["the", "a", "an", "this", "that", "your", "my", "its", "i", "i'll", "now", "new", "each"];
/// The user says that it comes, or that it takes a while.
const NEXT: &str = "next message|next prompt|nächsten nachricht|siguiente mensaje|próximo mensaje|prochain message|próxima mensagem|\
    prossimo messaggio";
const WAITS: &[&str] = &["sec", "second", "moment", "momento", "wait", "minute", "minuto", "let me", "hold on"];
/// Words around an answer, and answers that are none. What is left is it, if it is one word.
static AROUND: Words = Words::of(
    "a again and are ask be blank both btw c'est cancel clave commit continue contraseña das de default done e el \
    empty es está for go got gracias here here's how i idk is ist it it's its ja just key la later le lautet me \
    merci mot my nah nein never no non none nope not nothing não of ok okay one oui our pass passe passphrase \
    password passwort please proceed push pw run same secret senha should si sim skip sorry stop sure sí thank \
    thanks that that's the then there this thx token try unknown use user wait was what where which who why with \
    yeah yep yes you your danke hi retry merge credentials api but guess i'm if maybe now oh probably still think",
);

/// What says that the next word is it, and what a word can begin with.
const LEADS: &[&str] = &["is", "it's", "its", "be", "es", "ist", "lautet", "est", "é", "è", "pass"];
const QUOTES: [char; 8] = ['"', '\'', '`', '(', '“', '‘', '«', '*'];

/// The end of a text, where a question is looked for.
pub fn tail(text: &str) -> &str {
    text::last_bytes(text.trim_end(), TAIL_BYTES)
}

/// How surely a text asks for a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asks {
    /// It does not.
    #[default]
    No,
    /// It asks something of a secret, and the secret can be what is answered.
    Perhaps,
    /// The next words are it.
    Surely,
}

/// Whether a text ends with a question for a secret, or with a program's prompt for one.
pub fn asks(text: &str) -> Asks {
    let tail = tail(text).to_lowercase().replace('’', "'");
    if is_prompt(&tail) {
        return Asks::Surely;
    }
    let (mut most, mut is_named) = (Asks::No, false);
    let mut sentences = sentences(&tail).filter(|sentence| !words(sentence).is_empty()).peekable();
    while let Some(sentence) = sentences.next() {
        let is_last = sentences.peek().is_none();
        let is_other = is_named && sentence.contains('?') && ONE.split('|').any(|words| sentence.contains(words));
        most = most.max(if is_other { Asks::Surely } else { sentence_asks(sentence, is_last) });
        let words = words(sentence);
        is_named = (0..words.len()).any(|at| is_name(&words, at));
    }
    most
}

/// Whether the user says that a secret comes with the next message.
pub fn announces(text: &str) -> bool {
    if text.len() > ANSWER_BYTES {
        return false;
    }
    let lower = text.trim_end().to_lowercase();
    let words = words(&lower);
    let is_named = || (0..words.len()).any(|at| is_name(&words, at));
    (NEXT.split('|').any(|next| lower.contains(next)) || lower.ends_with(':')) && is_named()
}

/// Whether the user only says that it takes a while.
pub fn waits(text: &str) -> bool {
    if text.len() > ANSWER_BYTES {
        return false;
    }
    let said = format!(" {} ", words(&text.to_lowercase()).join(" "));
    WAITS.iter().any(|wait| said.contains(&format!(" {wait} ")))
}

/// Each sentence of a text, with the sign that ends it.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['?', '!', '\n', ';', '？']).flat_map(|part| part.split(". "))
}

fn words(sentence: &str) -> Vec<&str> {
    sentence.split(|c: char| !c.is_alphanumeric() && !"'_".contains(c)).filter(|word| !word.is_empty()).collect()
}

/// Whether the word at a place names a secret, and not a thing of one.
fn is_name(words: &[&str], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    if OTHER_NAMES.contains(word) || begins(OTHER_STEMS) {
        return true;
    }
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let is_key = *word == "key" && before.is_some_and(|before| OF_KEYS.contains(before));
    let is_variable = || VARIABLES.iter().any(|end| word.ends_with(end));
    (is_key || NAMES.contains(word) || begins(STEMS) || is_variable())
        && words.get(at + 1).is_none_or(|next| FOLLOWS.contains(next))
}

fn sentence_asks(sentence: &str, is_last: bool) -> Asks {
    if JOINED.iter().any(|name| sentence.contains(name)) {
        let is_asked = JOINED_ASK.iter().any(|ask| sentence.contains(ask));
        return if is_asked { Asks::Surely } else { Asks::No };
    }
    let words = words(sentence);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let names = (0..words.len()).filter(|at| is_name(&words, *at)).filter_map(|at| words.get(..at));
    let names: Vec<&[&str]> = names.collect();
    // Near before a name.
    let asks = |list: &Words| {
        names.iter().any(|before| {
            let Some(at) = before.iter().rposition(|word| list.has(word)) else { return false };
            let rest = &before[at + 1..];
            let rest =
                [&["to", "know"][..], &["to", "have"]].iter().find_map(|verb| rest.strip_prefix(*verb)).unwrap_or(rest);
            rest.len() <= BETWEEN && !rest.iter().any(|word| BREAKS.contains(word))
        })
    };
    let is_asked = sentence.trim_end().ends_with('?');
    let is_short = words.len() <= BETWEEN && words.last().is_some_and(|word| SPOKEN_TO.contains(word));
    let is_to = is_asked || has(SPOKEN_TO);
    let gives = (is_to || words.first().is_some_and(|word| GIVE.has(word))) && asks(&GIVE);
    let needs = (is_to || has(WRITER) || is_last && !has(&["you"])) && asks(&NEED);
    if gives || needs || has(DENIED) && asks(&HAVE) || is_short && !names.is_empty() {
        return Asks::Surely;
    }
    let is_yes_or_no = words.first().is_some_and(|word| YES_OR_NO.contains(word))
        && !(words.get(1) == Some(&"you") && has(OF_YOU) || words.get(1) == Some(&"there"));
    let is_about = names.is_empty()
        || has(ABOUT)
        || names.iter().all(|before| before.iter().any(|word| ABOUT_BEFORE.contains(word)));
    match is_asked && !is_about {
        true if is_yes_or_no => Asks::Perhaps,
        true => Asks::Surely,
        false => Asks::No,
    }
}

/// Whether a text ends with a program's prompt: `[sudo] password for ana:`. A sentence has an article before the name.
fn is_prompt(text: &str) -> bool {
    let Some(line) = text.lines().last() else { return false };
    let words = words(line);
    let name = (0..words.len()).find(|at| is_name(&words, *at));
    let is_bare = |at: usize| at <= 2 && words.iter().take(at).all(|word| !ARTICLES.contains(word));
    line.ends_with(':') && name.is_some_and(is_bare)
}

/// The secrets in an answer to a question for one: words that look like a password; else the one word that is left without
/// those around it, or what a verb or a name says it is. Where something else can be answered, only what
/// surely is a secret.
pub fn answers(text: &str, asked: Asks) -> Vec<Range<usize>> {
    let is_sure = asked == Asks::Surely;
    let words = if text.len() > ANSWER_BYTES { Vec::new() } else { bare_words(text) };
    let bare = |at: usize| &text[words[at].0.clone()];
    let is_left = |at: &usize| !is_around(bare(*at)) && !is_elsewhere(bare(*at));
    let left: Vec<usize> = (0..words.len()).filter(is_left).collect();
    let looks = |word: &[u8]| if is_sure { word::looks_like_password(word, true) } else { word::is_strong(word) };
    let mut found: Vec<usize> = left.iter().copied().filter(|at| looks(bare(*at).as_bytes())).collect();
    if found.is_empty() && is_sure {
        found = match left[..] {
            [only] => vec![only],
            // Behind the name of a user: `deploy / …`.
            [first, second] if second == first + 2 && bare(first + 1) == "/" => vec![second],
            _ => left.into_iter().filter(|at| is_told(&words, *at)).collect(),
        };
        found.retain(|at| bare(*at).len() >= LEAST_BYTES);
    }
    found.into_iter().map(|at| words[at].0.clone()).collect()
}

/// Whether a verb or a name before a word says that it is the secret, and it is not the beginning of more.
fn is_told(words: &[(Range<usize>, &str)], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|(_, word)| word.to_lowercase());
    let is_led = before.is_some_and(|before| {
        let before = before.trim_end_matches([':', '=']);
        LEADS.contains(&before) || is_name(&[before], 0)
    });
    let is_cut = words.get(at).is_some_and(|(_, word)| word.ends_with(['.', ',', ';', '!']));
    is_led && (is_cut || words.get(at + 1).is_none_or(|(_, next)| is_around(next)))
}

/// The words of a text as they are written, each with where it is without the signs around it.
fn bare_words(text: &str) -> Vec<(Range<usize>, &str)> {
    let bare = |word: &'_ str| {
        let inner = word.trim_start_matches(QUOTES);
        let start = inner.as_ptr().addr() - text.as_ptr().addr();
        start..start + word::trimmed(inner.trim_end_matches(['”', '’', '»']).as_bytes())
    };
    text.split_whitespace().map(|word| (bare(word), word)).collect()
}

fn is_around(word: &str) -> bool {
    AROUND.has(&word.trim_end_matches(['.', ',', ':', '!']).to_lowercase())
}

/// Does a word only say where a secret is: a path, an address, a file, a variable?
fn is_elsewhere(word: &str) -> bool {
    let is_variable = word.len() > 3
        && word.contains('_')
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit());
    let is_path =
        word.starts_with(['/', '~', '$', '@', '<', '{', '.', '%', '-']) && !word::is_mixed_password(word.as_bytes());
    is_variable || is_path || word.contains("://") || word.contains("[redacted:") || is_file(word)
}

/// `config.yml`, `src/app.rs`
fn is_file(word: &str) -> bool {
    let is_end = |end: &str| (1..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    word.rsplit_once('.').is_some_and(|(name, end)| !name.is_empty() && is_end(end)) && word.bytes().all(is_plain)
        || word.matches('/').count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::tests::examples;

    #[test]
    fn a_question_for_a_secret_is_told_from_one_about_it() {
        for [text, _] in examples("asks") {
            assert_eq!(asks(&text), Asks::Surely, "{text}");
        }
        for [text, _] in examples("asks-not") {
            assert_ne!(asks(&text), Asks::Surely, "{text}");
        }
        assert!(announces("I give you the password in the next message") && announces("the password is:"));
        assert!(waits("one sec, it is in the vault") && waits("let me look"));
        for text in ["look into the section on staging", "for security it is a secret", "awaited"] {
            assert!(!waits(text), "{text}");
        }
        assert!(!announces("look at the password form") && !announces("the next message is a log"));
    }

    #[test]
    fn the_answer_is_found() {
        for [text, secret] in examples("answer") {
            let found: Vec<&str> = answers(&text, Asks::Surely).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, [secret], "{text}");
        }
        for [text, _] in examples("no-answer") {
            assert!(answers(&text, Asks::Surely).is_empty(), "{text}");
        }
    }
}
