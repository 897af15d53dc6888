//! Does a text ask for a secret, and which words of the next one are it? "What is the password for staging?",
//! "please paste the API key", "[sudo] password for ana:" ask; "how is the password stored?" does not.

use super::word;
use std::ops::Range;

/// So much of the end of a text is looked at.
const TAIL_BYTES: usize = 1500;
/// The longest answer in which single words are looked at, in bytes.
pub const ANSWER_BYTES: usize = 1000;
/// Words between what asks and what is asked for, of a question without a verb, and of the prompt of a program.
const BETWEEN: usize = 5;
const BARE: usize = 6;
const PROMPT: usize = 14;
/// The shortest answer that is masked whatever it looks like.
const LEAST_BYTES: usize = 4;

/// How the names of secrets begin, and names that are whole words; a key is one behind certain words only.
const STEMS: &[&str] = &["passwor", "passwd", "passphrase", "passcode", "contrase", "kennwort", "парол", "credential"];
const NAMES: &[&str] = &["pwd", "pw", "clave", "senha", "token", "secret", "apikey", "credenciales", "passe"];
const KEYS: &[&str] = &["key", "schlüssel", "clé", "chiave", "llave"];
const OF_KEYS: &[&str] = &["api", "access", "private", "secret", "license", "deploy", "service"];
/// Languages without blanks: the name, and what asks beside it.
const JOINED: &[&str] = &["密码", "密碼", "パスワード", "비밀번호"];
const JOINED_ASK: &[&str] = &["？", "?", "请", "請", "ください", "教えて", "什么", "什麼", "입력"];

/// What asks: a question's word, with a verb behind it; a verb; who is asked.
const WHAT: &[&str] = &[
    "what", "what's", "whats", "which", "cuál", "cual", "qué", "quel", "quelle", "qual", "quale", "was", "wie",
    "welches", "какой",
];
const BE: &[&str] = &["is", "are", "was", "s", "es", "ist", "lautet", "est", "é", "è", "son", "sind"];
const GIVE: &[&str] = &[
    "paste", "give", "send", "share", "provide", "enter", "type", "tell", "need", "supply", "have", "specify", "know",
    "missing", "dame", "pásame", "pasame", "dime", "necesito", "introduce", "escribe", "pega", "brauche", "gib",
    "nenne", "schick", "sag", "donne", "donnez", "entrez", "envoie", "dammi", "inserisci", "incolla", "preciso",
    "envie", "informe", "digite", "mande",
];
const ASKED: &[&str] = &[
    "please", "you", "your", "me", "us", "i", "i'll", "we", "we'll", "don't", "without", "bitte", "por", "usted",
    "ich", "mir", "moi", "vous", "per", "eu", "você", "kindly",
];
/// Behind one of these something else is asked for.
const BREAKS: &[&str] = &[
    "do", "does", "did", "happens", "happen", "with", "when", "if", "about", "how", "can", "could", "would", "why",
    "where", "to", "use", "using", "used", "after", "before", "because", "in", "on", "at", "and", "or", "of", "by",
    "for", "should", "that", "not", "no",
];
/// A question that begins with one of these is answered with yes or no, or not with a secret.
const OTHERS: &[&str] = &[
    "is", "are", "does", "do", "did", "was", "were", "should", "has", "have", "will", "would", "can", "could", "why",
    "how", "where", "when", "who", "shall", "may",
];
/// What can follow the name of a secret: any other word makes another name of it, as in "password field".
const FOLLOWS: &[&str] = &[
    "for", "of", "to", "you", "that", "is", "so", "and", "or", "again", "here", "please", "now", "from", "in", "on",
    "with", "should", "do", "below", "we", "i", "as", "then", "by", "at", "if", "de", "del", "da", "der", "des", "du",
    "für", "pour", "para", "per", "zum", "von", "por", "key", "bitte",
];
/// The user says that it comes.
const NEXT: &[&str] = &[
    "next message", "next prompt", "nächsten nachricht", "siguiente mensaje", "próximo mensaje", "prochain message",
    "próxima mensagem", "prossimo messaggio",
];
/// Words around an answer, and answers that are none. What is left is it, if it is one word.
const AROUND: &[&str] = &[
    "a", "again", "and", "are", "ask", "be", "blank", "both", "btw", "c'est", "cancel", "clave", "commit", "continue",
    "contraseña", "das", "de", "default", "done", "e", "el", "empty", "es", "está", "for", "go", "got", "gracias",
    "here", "here's", "how", "i", "idk", "is", "ist", "it", "it's", "its", "ja", "just", "key", "la", "later", "le",
    "lautet", "me", "merci", "mot", "my", "nah", "nein", "never", "no", "non", "none", "nope", "not", "nothing", "não",
    "of", "ok", "okay", "one", "oui", "our", "pass", "passe", "passphrase", "password", "passwort", "please",
    "proceed", "push", "pw", "run", "same", "secret", "senha", "should", "si", "sim", "skip", "sorry", "stop", "sure",
    "sí", "thank", "thanks", "that", "that's", "the", "then", "there", "this", "thx", "token", "try", "unknown", "use",
    "user", "wait", "was", "what", "where", "which", "who", "why", "with", "yeah", "yep", "yes", "you", "your",
    "danke", "hi", "test", "this:", "root", "admin", "retry", "merge", "credentials", "api", "go:", "and:",
];

/// Whether a text ends with a question for a secret, or with a program's prompt for one.
pub fn asks(text: &str) -> bool {
    let text = text.trim_end();
    let mut from = text.len().saturating_sub(TAIL_BYTES);
    while !text.is_char_boundary(from) {
        from = from.saturating_add(1);
    }
    let tail = text.get(from..).unwrap_or_default().to_lowercase().replace('’', "'");
    let last = tail.lines().last().unwrap_or_default();
    sentences(&tail).any(is_question) || last.ends_with(':') && is_prompt(last)
}

/// Whether the user says that a secret comes with the next message.
pub fn announces(text: &str) -> bool {
    if text.len() > ANSWER_BYTES {
        return false;
    }
    let lower = text.trim_end().to_lowercase();
    let is_named = || (0..words(&lower).len()).any(|at| is_name(&words(&lower), at));
    (NEXT.iter().any(|next| lower.contains(next)) || lower.ends_with(':')) && is_named()
}

/// Each sentence of a text, with the sign that ends it.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['?', '!', '\n', ';', '？']).flat_map(|part| part.split(". "))
}

fn words(sentence: &str) -> Vec<&str> {
    sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
}

/// Whether the word at a place names a secret, and not a thing of one.
fn is_name(words: &[&str], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let is_key = KEYS.contains(word) && before.is_some_and(|before| OF_KEYS.contains(before));
    let is_name = is_key || NAMES.contains(word) || STEMS.iter().any(|stem| word.starts_with(stem));
    is_name && words.get(at.saturating_add(1)).is_none_or(|next| FOLLOWS.contains(next))
}

fn is_question(sentence: &str) -> bool {
    if JOINED.iter().any(|name| sentence.contains(name)) {
        return JOINED_ASK.iter().any(|ask| sentence.contains(ask));
    }
    let words = words(sentence);
    let is_asked = sentence.trim_end().ends_with('?');
    let first = words.first().copied().unwrap_or_default();
    (0..words.len()).filter(|at| is_name(&words, *at)).any(|name| {
        let before = words.get(..name).unwrap_or_default();
        // The words that ask, and those between them and the name.
        let asks = |list: &[&str], between: usize| {
            let at = before.iter().rposition(|word| list.contains(word))?;
            let rest = before.get(at.saturating_add(1)..)?;
            let rest =
                rest.strip_prefix(&["to", "know"]).or_else(|| rest.strip_prefix(&["to", "have"])).unwrap_or(rest);
            let is_near = rest.len() <= between && !rest.iter().any(|word| BREAKS.contains(word));
            is_near.then_some((at, rest))
        };
        let is_what = asks(WHAT, BETWEEN).is_some_and(|(_, rest)| {
            let is = rest.first().is_some_and(|word| BE.contains(word));
            is_asked && (is || rest.len() <= 2)
        });
        let is_given = asks(GIVE, BETWEEN)
            .is_some_and(|(at, _)| at == 0 || is_asked || words.iter().any(|word| ASKED.contains(word)));
        let is_bare = is_asked && words.len() <= BARE && !OTHERS.contains(&first) && before.len() <= 3;
        is_what || is_given || is_bare && !before.iter().any(|word| BREAKS.contains(word) && *word != "and")
    })
}

/// The last line of what a program printed: `[sudo] password for ana:`.
fn is_prompt(line: &str) -> bool {
    let words = words(line);
    words.len() <= PROMPT && (0..words.len()).any(|at| is_name(&words, at))
}

/// The secrets in an answer to a question for one: words that look like a password or are in quotation marks, and the one
/// word that is left without those around it.
pub fn answers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut left = Vec::new();
    if text.len() > ANSWER_BYTES {
        return found;
    }
    for word in text.split_whitespace() {
        let start = word.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        let inner = word.trim_start_matches(['"', '\'', '`', '(', '“', '‘', '«', '*']);
        let start = start.saturating_add(word.len()).saturating_sub(inner.len());
        let length = word::trimmed(inner.trim_end_matches(['”', '’', '»']).as_bytes());
        let Some(bare) = inner.get(..length) else { continue };
        let range = start..start.saturating_add(length);
        let is_quoted = inner.len() < word.len() && length < inner.len();
        if is_elsewhere(bare) || AROUND.contains(&bare.to_lowercase().as_str()) {
            continue;
        }
        if word::looks_like_password(bare.as_bytes(), true) || is_quoted && length >= LEAST_BYTES {
            found.push(range);
        } else {
            left.push(range);
        }
    }
    if found.is_empty() && left.len() == 1 {
        found.extend(left.into_iter().filter(|range| range.len() >= LEAST_BYTES));
    }
    found
}

/// Does a word only say where a secret is: a path, an address, a file, a variable?
fn is_elsewhere(word: &str) -> bool {
    let is_variable = word.len() > 3
        && word.contains('_')
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit());
    let is_path = word.starts_with(['/', '~', '$', '@', '<', '{', '.', '%', '-']) && !has_digit_and_sign(word);
    is_variable || is_path || word.contains("://") || word.contains("[redacted:") || is_file(word)
}

fn has_digit_and_sign(word: &str) -> bool {
    word::is_mixed_password(word.as_bytes())
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

    #[test]
    fn a_question_for_a_secret_is_told_from_one_about_it() {
        for text in [
            "I can log in now. What is the password for the staging database?",
            "Please paste the API key",
            "What's the root password?",
            "Could you give me the password of the deploy user?",
            "I need the token to go on.",
            "I'll need to know the password.",
            "I don't have the password for the server.",
            "Which password should I use?",
            "And the admin password?",
            "Password for staging?",
            "[sudo] password for ana:",
            "Enter passphrase for key '/root/.ssh/id':",
            "¿Cuál es la contraseña del servidor?",
            "Wie lautet das Passwort für den Server?",
            "Quel est le mot de passe ?",
            "Qual é a senha do banco?",
            "数据库的密码是什么？",
            "What is the password? Once I have it, I run the migration.\n1. dump\n2. restore",
        ] {
            assert!(asks(text), "{text}");
        }
        for text in [
            "How should the password be stored?",
            "What is the maximum length of the password?",
            "Which column holds the password hash?",
            "Should I hash the password with bcrypt or argon2id?",
            "Is the password still valid?",
            "I need to hash the password first.",
            "The user must enter the password.",
            "What is the token limit?",
            "What happens when the password is wrong?",
            "The tests pass. Shall I commit?",
            "I wrote the password to the vault.",
        ] {
            assert!(!asks(text), "{text}");
        }
        assert!(announces("I give you the password in the next message") && announces("the password is:"));
        assert!(!announces("look at the password form") && !announces("the next message is a log"));
    }

    #[test]
    fn the_answer_is_found() {
        for (text, secret) in [
            ("swordfish", "swordfish"),
            ("it's swordfish, thanks", "swordfish"),
            ("it's hunter22x, thanks", "hunter22x"),
            ("sure: `swordfish`", "swordfish"),
            ("user is admin and the password is Tr0ub4dor&3x.", "Tr0ub4dor&3x"),
            ("please try \"open sesame\" or \"swordfish\"", "swordfish"),
            ("es mariposa", "mariposa"),
        ] {
            let found: Vec<&str> = answers(text).into_iter().map(|range| &text[range]).collect();
            assert!(found.contains(&secret), "{text}: {found:?}");
        }
        for text in [
            "yes",
            "skip it",
            "no",
            "it is in .env",
            "see ~/.pgpass",
            "$DB_PASS",
            "DB_PASSWORD",
            "use config/app.yml",
            "ask Bob about it",
            "https://vault.example.com/x",
            "I do not know it, look into the wiki",
            "",
        ] {
            assert!(answers(text).is_empty(), "{text}");
        }
    }
}
