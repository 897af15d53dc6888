//! Lines that begin with a number or the label of an option, and what answers them: an option that the user names, numbered
//! answers, findings and what the closing message says became of them.

use super::sentences::{self, Sentence, Signal, Turn, Utterance, plain};
use super::{capital, own_words, quote};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::Message;
use std::collections::HashSet;
use std::ops::Range;

/// The longest text that is told of a finding, and of a point that was asked about, in characters.
const TOLD_CHARS: usize = 400;
const POINT_CHARS: usize = 300;
/// The fewest words of what is said of a finding.
const VERDICT_WORDS: usize = 8;

/// How the first labels of a list are named by their places.
const ORDINALS: [&str; 4] = [
    "first former 1st one primer primera primero",
    "second 2nd two segunda segundo",
    "third 3rd three tercer tercera tercero",
    "fourth 4th four cuarta cuarto",
];

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
/// What an answer says that answers nothing, or is another person's.
pub static NO_ANSWER: Signal = Signal::named("answer-none");

/// What calls a list options, and what a list that is none begins with: what was done, found, planned or is left.
static OPTIONS: Signal = Signal::named("list-options");
static TELLS: Signal = Signal::named("list-tells");
/// It stands between the options that a question names.
static OR: Signal = Signal::any(&[r" (?:or|o) "]);

/// The options of a list with their labels, the agent's question about it, and the line before it.
type List<'a> = (Vec<(String, &'a str)>, Option<Sentence<'a>>, &'a str);

/// The list of a message from which a prompt chooses, the option's place in it, and the words. A list with a question wins.
pub fn chosen<'a>(prompt: &Utterance<'a>, message: &'a Message) -> Option<(List<'a>, usize, &'a str)> {
    let (label, said) = label(prompt)?;
    let mut lists = lists(message);
    let asks = lists.iter().any(|(_, asked, _)| asked.is_some());
    lists.retain(|list| list.0.len() > 1 && list.1.is_some() == asks);
    let mut found: Vec<_> = lists.into_iter().filter_map(|list| Some((place(&label, &list.0)?, list))).collect();
    let (at, list) = found.pop().filter(|(_, list)| found.is_empty() && is_offered(list))?;
    Some((list, at, said))
}

/// Whether a list is what the agent leaves to choose: it is called options, or there is a question about it. One that
/// names its own options, "tabs or blanks?", is about a list only if that begins its points with them.
fn is_offered((options, asked, head): &List<'_>) -> bool {
    let head = head.to_lowercase();
    let first = |text: &str| plain(text).to_lowercase().split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned);
    let asks = |asked: &Sentence<'_>| {
        let is_named =
            |word: &String| word.len() > 2 && asked.lower.split(|c: char| !c.is_alphanumeric()).any(|one| one == word);
        let named = options.iter().filter(|(_, text)| first(text).as_ref().is_some_and(is_named)).count();
        OPTIONS.is_in(&asked.lower) || !OR.is_in(&asked.lower) || named > 1
    };
    OPTIONS.is_in(&head) || asked.as_ref().is_some_and(asks) && !TELLS.is_in(&head)
}

/// The label that a prompt chooses, and the words: all of a short one, or a sentence that says "option" or why.
pub fn label<'a>(prompt: &Utterance<'a>) -> Option<(String, &'a str)> {
    let text = prompt.message.text.trim();
    let whole = TERSE.group(&bare(text)).map(|label| (label.to_owned(), text));
    let named = |one: &Sentence<'a>| Some((NAMED.group(&bare(&one.lower))?.to_owned(), one.raw));
    whole.or_else(|| prompt.sentences.iter().find_map(named))
}

/// A text in lower case, without what comes before what it says, and without marks at its ends.
fn bare(text: &str) -> String {
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric() && !"?¿".contains(c)).to_owned();
    let lower = bare(&text.to_lowercase().replace('’', "'").replace('#', ""));
    FILLER.behind(&lower).map(bare).filter(|behind| !behind.is_empty()).unwrap_or(lower)
}

/// The place in a list of the option with this label: an ordinal means the one at that place.
fn place(label: &str, list: &[(String, &str)]) -> Option<usize> {
    let is_last = ["last", "latter", "última", "último"].contains(&label);
    let at = match ORDINALS.iter().position(|words| words.split(' ').any(|word| word == label)) {
        Some(at) => at,
        None if is_last => list.len() - 1,
        None => return list.iter().position(|(name, _)| name == label),
    };
    let is_run = |first: u8| list.iter().zip(first..).all(|((name, _), sign)| name.bytes().eq([sign]));
    (at < list.len() && (is_run(b'1') || is_run(b'a'))).then_some(at)
}

/// The lists of a message. The question about one is on the line before it, or behind it and the only one of the message.
fn lists(message: &Message) -> Vec<List<'_>> {
    let (mut lists, mut questions): (Vec<List<'_>>, Vec<_>) = (Vec::new(), Vec::new());
    let (mut before, mut head) = (None, "");
    for line in sentences::own_lines(&message.text).filter(|line| !line.trim().is_empty()) {
        let Some((label, text)) = option(line) else {
            before = sentences::split(line).into_iter().rfind(|one| one.plain.ends_with('?'));
            questions.extend(before.clone().map(|asked| (asked, lists.len())));
            head = line;
            continue;
        };
        let is_next = |(last, _): &(String, _)| {
            last.starts_with(char::is_numeric) == label.starts_with(char::is_numeric)
                && (last.len(), last) < (label.len(), &label)
        };
        match lists.last_mut().filter(|(options, ..)| options.last().is_some_and(is_next)) {
            Some((options, ..)) => options.push((label, text)),
            None => lists.push((vec![(label, text)], before, head)),
        }
        (before, head) = (None, "");
    }
    if let [(only, count)] = &questions[..]
        && lists.iter().all(|(_, asked, _)| asked.is_none())
        && (*count > 0 || lists.len() == 1)
    {
        lists[count.max(&1) - 1].1 = Some(only.clone());
    }
    lists
}

/// The lines of a message that begin with a label, `1.`, `b)`, `Option 2:`, and the label.
pub fn labelled(message: &Message) -> Vec<(String, &str)> {
    sentences::own_lines(&message.text).filter_map(option).collect()
}

/// The label with which a line begins, and what is behind it.
pub fn option(line: &str) -> Option<(String, &str)> {
    let bare = line.trim().trim_start_matches(['#', '*', '-', '(', ' ', '`']);
    let lower = bare.to_lowercase();
    let word = ["option ", "opción ", "approach ", "alternative "].iter().find(|word| lower.starts_with(**word));
    let rest = bare.get(word.map_or(0, |word| word.len())..)?;
    let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    let behind = rest.get(name.len()..)?;
    let marked = [".", ")", ":", " —", " -", " –", "**"].iter().any(|mark| behind.starts_with(mark));
    let text = behind.trim_start_matches(['.', ')', ':', '*', ' ', '—', '-', '–', '`']);
    let short = name.len() <= 2 && (name.len() == 1 || name.chars().all(|c| c.is_ascii_digit()));
    (short && !name.is_empty() && marked && !text.is_empty()).then(|| (name.to_lowercase(), text))
}

/// The answers to the labelled questions of the agent's last message, each told with its question, in whatever order.
pub fn answers(prompt: &Utterance<'_>, asking: &Turn<'_>) -> Vec<Item> {
    let Some(asked) = asking.said().next_back() else { return Vec::new() };
    let points = sentences::own_lines(&asked.message.text).flat_map(|line| parts(line, |_| true));
    // A question ends its point, if not the message.
    let ends = asked.message.text.trim_end().ends_with('?');
    let question = |(name, point): (String, &'_ str)| {
        let (asks, behind) = point.split_at_checked(point.rfind('?')? + 1)?;
        (ends || behind.trim().is_empty()).then(|| (name, asks.to_owned()))
    };
    let questions: Vec<(String, String)> = points.filter_map(question).collect();
    let whole = prompt.message.text.trim();
    let said = parts(whole, |label| questions.iter().any(|(name, _)| name == label));
    let begins = whole.split(char::is_whitespace).next().and_then(label_of).is_some();
    let count = |labels: &mut dyn Iterator<Item = &String>| labels.collect::<HashSet<_>>().len();
    let is_sure = begins
        && said.len() > 1
        && said.iter().all(|(_, said)| said.contains(char::is_alphanumeric))
        && count(&mut said.iter().map(|(name, _)| name)) == said.len();
    if !is_sure || count(&mut questions.iter().map(|(name, _)| name)) < questions.len() {
        return Vec::new();
    }
    let item = |(name, point): &(String, String)| {
        let (_, said) = said.iter().find(|(label, _)| label == name)?;
        let (point_plain, said_plain) = (text::cut(&plain(point), POINT_CHARS).into_owned(), plain(said));
        // A word alone is too short to be found as a quote.
        let raw = if whole.chars().nth(TOLD_CHARS).is_none() { whole } else { said };
        let answers = said.chars().nth(1).is_some() && !said.contains('?');
        (answers && !NO_ANSWER.is_in(&said_plain.to_lowercase())).then(|| Item {
            summary: format!("{point_plain} {said_plain}"),
            context: point_plain,
            evidence: vec![quote(raw, prompt), quote(point, asked)],
            ..Item::default()
        })
    };
    questions.iter().filter_map(item).collect()
}

/// What stands behind each of these labels in a text, up to the next one or the end of the line.
fn parts(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<(String, &str)> {
    let place = |word| Some((label_of(word).filter(|name| is_wanted(name))?, sentences::place(text, word)?));
    let labels: Vec<_> = text.split_whitespace().filter_map(place).collect();
    let ends = labels.iter().skip(1).map(|(_, place)| place.start).chain([text.len()]);
    let part = |((name, place), end): (&(String, Range<usize>), usize)| {
        let part = text[place.end..end].trim_start().lines().next().unwrap_or_default();
        let part = part.trim_end_matches([',', ';', ' ', '(']);
        (name.clone(), part.trim_end_matches(" and").trim_end_matches(" y").trim_end_matches([',', ';', ' ']))
    };
    labels.iter().zip(ends).map(part).collect()
}

/// The name of a label: `1.`, `(b)`, `Q3:`, `#4`.
fn label_of(word: &str) -> Option<String> {
    let bare = word.trim_start_matches(['*', '(', '#', 'q', 'Q', 'p', 'P']);
    let name = bare.trim_end_matches([')', '.', ':', '*']);
    let is_name = name.len() == 1 || name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_digit());
    let is_marked = name.len() < bare.len() || word.starts_with('#');
    (is_name && is_marked && name.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| name.to_lowercase())
}

/// What a closing message that says that all findings are done, or that names them ("#3"), says of each: what was done or
/// not, and why.
pub fn verdicts(turn: &Turn<'_>) -> Vec<Item> {
    let Some(closing) = turn.closing() else { return Vec::new() };
    let all_done = closing.sentences.iter().any(|one| ALL_DONE.is_in(&one.lower));
    let item = |(number, point): &(String, &str)| {
        let said = plain(point);
        let lower = said.to_lowercase();
        // What was taken back leaves nothing.
        let done = VERDICT.is_in(&lower) && !TAKEN_BACK.is_in(&lower);
        let why = [" — ", " – ", " - ", ": "].iter().any(|mark| said.contains(mark));
        let whole =
            !said.contains('?') && !said.contains(own_words::CUT) && said.split_whitespace().count() >= VERDICT_WORDS;
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
