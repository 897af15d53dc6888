//! Labels of options: the lines of a message that begin with one, and the prompt that names one.

use super::sentences::{self, Sentence, Signal, Utterance, plain};
use crate::record::message::Message;

/// The longest prompt, in characters, that is a choice in a word.
const TERSE_CHARS: usize = 60;

/// What comes before what a sentence says.
pub static FILLER: Signal = Signal::named("decision-filler");
/// A choice in a word, of an option that a list explains, and the same in a sentence that says more.
static TERSE: Signal = Signal::named("short-terse");
static NAMED: Signal = Signal::named("short-named");

/// The label that a prompt chooses, and the words: all of a short one, or a sentence that says "option".
pub fn label<'a>(prompt: &Utterance<'a>) -> Option<(String, &'a str)> {
    let text = prompt.message.text.trim();
    let lower = |text: &str| plain(text).to_lowercase().replace('’', "'");
    let behind = |lower: &str| FILLER.behind(lower).unwrap_or(lower).to_owned();
    let whole = (text.chars().nth(TERSE_CHARS).is_none()).then(|| lower(text)).and_then(|whole| {
        let label = TERSE.group(&behind(&whole)).map(str::to_owned);
        Some((label.or_else(|| TERSE.group(&whole).map(str::to_owned))?, text))
    });
    let named =
        |sentence: &Sentence<'a>| NAMED.group(&behind(&sentence.lower)).map(|label| (label.to_owned(), sentence.raw));
    whole.or_else(|| prompt.sentences.iter().find_map(named))
}

/// The lines of a message that begin with a label, `1.`, `b)`, `Option 2:`, and the label.
pub fn labelled(message: &Message) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for line in sentences::own_lines(&message.text).map(str::trim) {
        let bare = line.trim_start_matches(['#', '*', '-', '(', ' ', '`']);
        let lower = bare.to_lowercase();
        let word = ["option ", "opción ", "approach ", "alternative "].iter().find(|word| lower.starts_with(**word));
        let rest = bare.get(word.map_or(0, |word| word.len())..).unwrap_or_default();
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        let behind = rest.get(name.len()..).unwrap_or_default();
        let marked = [".", ")", ":", " —", " -", " –", "**"].iter().any(|mark| behind.starts_with(mark));
        let text = behind.trim_start_matches(['.', ')', ':', '*', ' ', '—', '-', '–', '`']);
        let short = name.len() <= 2 && (name.len() == 1 || name.chars().all(|c| c.is_ascii_digit()));
        if short && !name.is_empty() && marked && !text.is_empty() {
            found.push((name.to_lowercase(), text));
        }
    }
    found
}
