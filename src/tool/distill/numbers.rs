//! Numbers beside words: "option 2" and "four hosts". A summary that has another number beside a word
//! than its quotes do says something else.

use crate::base::text;

/// Numbers as words, English and Spanish.
const WORDS: &[(&str, &str)] = &[
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("uno", "1"),
    ("una", "1"),
    ("un", "1"),
    ("dos", "2"),
    ("tres", "3"),
    ("cuatro", "4"),
    ("cinco", "5"),
    ("seis", "6"),
    ("siete", "7"),
    ("ocho", "8"),
    ("nueve", "9"),
    ("diez", "10"),
    ("once", "11"),
    ("doce", "12"),
];

/// A number and the word beside it.
#[derive(Debug, PartialEq, Eq)]
struct Beside {
    number: String,
    word: String,
    /// The word comes before the number.
    before: bool,
    /// Both as they were written.
    written: String,
}

/// The first number of a text beside which the quotes have the same word, but only with other numbers.
pub fn other<'q>(told: &str, quotes: impl Iterator<Item = &'q str>) -> Option<String> {
    let said: Vec<Beside> = quotes.flat_map(all).collect();
    let differs = |told: &&Beside| {
        let mut same = said.iter().filter(|said| said.word == told.word && said.before == told.before).peekable();
        same.peek().is_some() && same.all(|said| said.number != told.number)
    };
    all(told).iter().find(differs).map(|told| told.written.clone())
}

/// Every number of a text with the words beside it that tell something.
fn all(text: &str) -> Vec<Beside> {
    let mut found = Vec::new();
    for clause in text.split(|c: char| ";:!?()[]\n".contains(c)).flat_map(|part| part.split(", ")) {
        let tokens: Vec<String> = clause.split_whitespace().map(token).filter(|token| !token.is_empty()).collect();
        for pair in tokens.windows(2) {
            let [first, second] = pair else { continue };
            let written = format!("{first} {second}");
            match (number(first), number(second)) {
                (Some(number), None) => found.extend(beside(second, false, number, written)),
                // "un" and "one" behind a word count nothing: "this one".
                (None, Some(number)) if number != "1" || second == "1" => {
                    found.extend(beside(first, true, number, written));
                }
                _ => {}
            }
        }
    }
    found
}

fn beside(word: &str, before: bool, number: String, written: String) -> Option<Beside> {
    let is_word = word.chars().all(char::is_alphabetic) && word.chars().nth(2).is_some();
    let is_word = is_word && !text::is_stop_word(word);
    let word = word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word);
    let word = word.strip_suffix('e').unwrap_or(word).to_owned();
    is_word.then_some(Beside { number, word, before, written })
}

fn token(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// A number, its thousands without their marks.
fn number(token: &str) -> Option<String> {
    if let Some((_, number)) = WORDS.iter().find(|(word, _)| *word == token) {
        return Some((*number).to_owned());
    }
    let digits: String = token.chars().filter(|c| !matches!(c, '.' | ',')).collect();
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    is_number.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_beside_the_same_word_is_found() {
        for (told, quotes, wanted) in [
            ("Option 2", &["ok, option 1. and no async"][..], Some("option 2")),
            ("Opción 3", &["sí, opción 2, por favor"], Some("opción 3")),
            ("One queue with eight hosts at a time", &["One queue with four hosts at a time."], Some("eight hosts")),
            ("Dos colas por cliente", &["Una cola por cliente con cuatro procesos"], Some("dos colas")),
            ("It takes 3 minutes", &["it takes eleven minutes on the docs"], Some("takes 3")),
            ("Try it on the 4,000 links", &["try it on the 40,000 links"], Some("4,000 links")),
            ("Guardar 30 días", &["guardemos los logs siete días"], Some("30 días")),
            // The same number in other forms, in one of the quotes, or beside another word.
            ("Option 1", &["ok, option one."], None),
            ("4 hosts in parallel", &["One queue with four hosts at a time."], None),
            ("40.000 links", &["try it on the 40,000 links"], None),
            ("Option 2", &["option 1 is slow", "option 2 then"], None),
            ("Two queues", &["three options: one queue per host, or two queues"], None),
            ("Retry twice after 5 seconds", &["retry it twice"], None),
            ("Use the second option", &["option 2"], None),
            ("Keep 2 backups in 2026", &["keep two backups"], None),
            ("This one host", &["that one, the host"], None),
        ] {
            assert_eq!(other(told, quotes.iter().copied()).as_deref(), wanted, "{told} | {quotes:?}");
        }
    }
}
