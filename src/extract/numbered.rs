//! Lines that begin with a number or the label of an option, and what answers them: an option that the user names, numbered
//! answers, findings and what the closing message says became of them.

use super::sentences::{self, Sentence, Signal, Turn, Utterance, plain};
use super::{capital, quote, voice};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::Message;

/// The longest text that is told of a finding, and of a point that was asked about, in characters.
const TOLD_CHARS: usize = 400;
const POINT_CHARS: usize = 300;
/// The fewest words of what is said of a finding.
const VERDICT_WORDS: usize = 8;
/// The longest prompt, in characters, that is a choice in a word.
const TERSE_CHARS: usize = 60;

/// What comes before what a sentence says.
static FILLER: Signal = Signal::named("decision-filler");
/// A choice in a word, of an option that a list explains, and the same in a sentence that says more.
static TERSE: Signal = Signal::named("short-terse");
static NAMED: Signal = Signal::named("short-named");
/// What was done about a finding, or that nothing was.
static VERDICT: Signal = Signal::named("decision-verdict");
static TAKEN_BACK: Signal = Signal::named("decision-taken-back");
/// All findings are done.
static ALL_DONE: Signal = Signal::named("decision-all-done");
/// What a numbered answer says that answers nothing.
static NO_ANSWER: Signal = Signal::named("answer-none");

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

/// Numbered answers to the numbered points of the agent's last message, which asks: each is told with its point.
pub fn answers(prompt: &Utterance<'_>, asking: &Turn<'_>) -> Option<Vec<Item>> {
    let asked = asking.said().next_back()?;
    let said = in_lines(numbers(prompt.message));
    let points = labelled(asked.message);
    if !asked.message.text.trim_end().ends_with('?')
        || said.len() < 2
        || said.first().is_none_or(|(first, _)| first != "1")
    {
        return None;
    }
    let item = |(number, said): &(String, &str)| {
        let (_, point) = points.iter().rfind(|(name, _)| name == number)?;
        let (point_plain, said_plain) = (text::cut(&plain(point), POINT_CHARS).into_owned(), plain(said));
        let lower = said_plain.to_lowercase();
        let mark = if point_plain.ends_with('?') { "" } else { ":" };
        let whole = prompt.message.text.trim();
        // A word alone is too short to be found as a quote.
        let raw = if whole.chars().nth(TOLD_CHARS).is_none() { whole } else { said };
        (point.contains('?') && !said.contains('?') && !NO_ANSWER.is_in(&lower)).then(|| Item {
            summary: format!("{point_plain}{mark} {said_plain}"),
            context: if mark.is_empty() { point_plain } else { String::new() },
            evidence: vec![quote(raw, prompt), quote(point, asked)],
            ..Item::default()
        })
    };
    Some(said.iter().filter_map(item).collect())
}

/// Of "1) a 2) b" on one line, each answer.
fn in_lines(all: Vec<(String, &str)>) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for (number, mut said) in all {
        let mut number = number;
        while let Some(next) = number.parse::<usize>().ok().map(|number| (number + 1).to_string()) {
            let mark = [") ", ". "].iter().find_map(|mark| said.split_once(&format!(" {next}{mark}")));
            let Some((before, behind)) = mark else { break };
            found.push((number, before.trim_end_matches([',', ';'])));
            (number, said) = (next, behind);
        }
        found.push((number, said));
    }
    found
}

/// What a closing message that says that all findings are done, or that names them ("#3"), says of each: what was done or
/// not, and why.
pub fn verdicts(turn: &Turn<'_>) -> Vec<Item> {
    let Some(closing) = turn.said().next_back().filter(|last| last.message.tools.is_empty()) else { return Vec::new() };
    let all_done = closing.sentences.iter().any(|one| ALL_DONE.is_in(&one.lower));
    let item = |(number, point): &(String, &str)| {
        let said = plain(point);
        let lower = said.to_lowercase();
        // What was taken back leaves nothing.
        let done = VERDICT.is_in(&lower) && !TAKEN_BACK.is_in(&lower);
        let why = [" — ", " – ", " - ", ": "].iter().any(|mark| said.contains(mark));
        let whole =
            !said.contains('?') && !said.contains(voice::CUT) && said.split_whitespace().count() >= VERDICT_WORDS;
        (done && why && whole && (all_done || number.starts_with('#'))).then(|| Item {
            summary: match number.strip_prefix('#') {
                Some(_) => text::cut(&format!("Finding #{said}"), TOLD_CHARS).into_owned(),
                None => text::cut(&capital(&said), TOLD_CHARS).into_owned(),
            },
            evidence: vec![quote(point, closing)],
            ..Item::default()
        })
    };
    let found: Vec<Item> = numbers(closing.message).iter().filter_map(item).collect();
    if found.len() > 1 { found } else { Vec::new() }
}

/// The numbered lines of a message; of "#3: …" the number has its mark, and the whole line is told.
fn numbers(message: &Message) -> Vec<(String, &str)> {
    let marked = sentences::own_lines(&message.text).filter_map(|line| {
        let bare = line.trim().trim_start_matches(['*', '-', ' ']);
        let digits: String = bare.strip_prefix('#')?.chars().take_while(char::is_ascii_digit).collect();
        (!digits.is_empty()).then(|| (format!("#{digits}"), bare))
    });
    let plain = labelled(message).into_iter().filter(|(name, _)| name.chars().all(|c| c.is_ascii_digit()));
    plain.chain(marked).collect()
}
