//! Lines that begin with a number or the label of an option, and what answers them: an option that the user names, numbered
//! answers, and what a closing message says became of findings.

use super::patterns::{says, signal};
use super::sentences::{self, Sentence, Turn, Utterance, plain};
use super::{capital, own_words, quote};
use crate::base::text;
use crate::record::item::{Item, ItemKind};
use crate::record::message::Message;
use std::collections::HashSet;
use std::ops::Range;

/// The longest text that is told of a point that was asked about, in characters, and of an answer that is quoted whole.
const POINT_CHARS: usize = 300;
const QUOTED_CHARS: usize = 400;
/// The fewest words of what is said of a finding, and the longest text, in characters.
const VERDICT_WORDS: usize = 8;
const VERDICT_CHARS: usize = 400;

/// How the first labels of a list are named by their places.
const ORDINALS: [&str; 4] = [
    "first former 1st one primer primera primero",
    "second 2nd two segunda segundo",
    "third 3rd three tercer tercera tercero",
    "fourth 4th four cuarta cuarto",
];

/// A line with a label: the label, and what is behind it.
pub type Labelled<'a> = (String, &'a str);

/// The options of a list with their labels, the agent's question about it, and the line before it.
type OptionList<'a> = (Vec<Labelled<'a>>, Option<Sentence<'a>>, &'a str);

/// The list of a message from which a prompt chooses, the option's place in it, and the words. A list with a question wins.
pub fn chosen<'a>(
    prompt: &Utterance<'a>,
    asking: &Utterance<'a>,
    answers: fn(&str, &Sentence<'_>) -> bool,
) -> Option<(OptionList<'a>, usize, &'a str)> {
    let labelled = label(prompt);
    let mut lists = lists(asking.message);
    let asks = lists.iter().any(|(_, asked, _)| asked.is_some());
    lists.retain(|list| list.0.len() > 1 && list.1.is_some() == asks);
    let said = labelled.as_ref().map_or(prompt.message.text.trim(), |(_, said)| said);
    let own = bare(said);
    let own = signal("list-not").before(&own).unwrap_or(&own);
    let at = |(options, asked, _): &OptionList<'a>| match &labelled {
        Some((label, _)) => place(label, options),
        None => named(own, options).filter(|_| asked.as_ref().is_some_and(|asked| answers(own, asked))),
    };
    let mut found: Vec<_> = lists.into_iter().filter_map(|list| at(&list).map(|at| (list, at, said))).collect();
    found.pop().filter(|(list, ..)| found.is_empty() && is_offered(list, asking))
}

/// Whether a list is what the agent leaves to choose. A question that names its own options, "tabs or blanks?", is about no
/// other list that does not say that it has options.
fn is_offered((options, asked, head): &OptionList<'_>, asking: &Utterance<'_>) -> bool {
    let head = head.to_lowercase();
    let says_any = |heading| asking.sentences.iter().any(|one| says(heading, &one.lower));
    let names_own = |one: &Sentence<'_>| {
        let behind = signal("list-or").behind(&one.lower).filter(|_| one.plain.ends_with('?'));
        let is_in = |(_, text): &&Labelled<'_>| {
            let own = own(&bare(&plain(text)));
            own.split(' ').next().is_some_and(|word| !word.is_empty() && one.lower.contains(word))
        };
        behind.is_some_and(|behind| !says("list-or-else", behind)) && options.iter().filter(is_in).count() < 2
    };
    says("list-options", &head)
        || !asking.sentences.iter().any(names_own)
            && (head.contains('?') || !says("list-tells", &head))
            && (asked.is_some() || says_any("list-offers") || says_any("list-options"))
}

/// The label that a prompt chooses, and the words: all of a short one, or a sentence that says "option" or why.
pub fn label<'a>(prompt: &Utterance<'a>) -> Option<Labelled<'a>> {
    let text = prompt.message.text.trim();
    let whole = signal("short-terse").group(&bare(text)).map(|label| (label.to_owned(), text));
    let named = |one: &Sentence<'a>| Some((signal("short-named").group(&bare(&one.lower))?.to_owned(), one.raw));
    whole.or_else(|| prompt.sentences.iter().find_map(named))
}

/// A text in lower case, without what comes before what it says, and without marks at its ends.
fn bare(text: &str) -> String {
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric() && !"?¿".contains(c)).to_owned();
    let lower = bare(&text.to_lowercase().replace('’', "'").replace('#', ""));
    signal("decision-filler").behind(&lower).map(bare).filter(|behind| !behind.is_empty()).unwrap_or(lower)
}

/// An option's own words: not those that choose it.
fn own(text: &str) -> String {
    signal("short-around").parts(text).concat()
}

/// The place of the one option that begins with these words.
fn named(said: &str, list: &[Labelled<'_>]) -> Option<usize> {
    let said = own(said);
    let begins = |(_, text): &Labelled<'_>| {
        own(&bare(&plain(text))).strip_prefix(&said).is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
    };
    let at = list.iter().position(begins).filter(|_| !said.is_empty())?;
    (!list.iter().skip(at + 1).any(begins)).then_some(at)
}

/// The place in a list of the option with this label: an ordinal means the one at that place.
fn place(label: &str, list: &[Labelled<'_>]) -> Option<usize> {
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
fn lists(message: &Message) -> Vec<OptionList<'_>> {
    let (mut lists, mut questions): (Vec<OptionList<'_>>, Vec<_>) = (Vec::new(), Vec::new());
    let (mut before, mut head) = (None, "");
    for line in sentences::own_lines(&message.text).filter(|line| !line.trim().is_empty()) {
        let Some((label, text)) = option(line) else {
            before = sentences::split(line).into_iter().rfind(|one| one.plain.ends_with('?'));
            questions.extend(before.clone().map(|asked| (asked, lists.len())));
            head = line;
            continue;
        };
        let is_next = |(last, _): &Labelled<'_>| {
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
pub fn labelled(message: &Message) -> Vec<Labelled<'_>> {
    sentences::own_lines(&message.text).filter_map(option).collect()
}

/// The label with which a line begins, and what is behind it.
pub fn option(line: &str) -> Option<Labelled<'_>> {
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

/// The answers to the labelled questions of the agent's last message, told with their questions by the labels.
pub fn answers(prompt: &Utterance<'_>, asking: &Turn<'_>) -> Vec<Item> {
    let Some(asked) = asking.said().next_back() else { return Vec::new() };
    let mut questions = points(&asked.message.text);
    questions.retain(|(_, point)| point.contains('?'));
    let said = points(&prompt.message.text);
    let is_once = |all: &[Labelled<'_>]| all.iter().map(|(name, _)| name).collect::<HashSet<_>>().len() == all.len();
    // What comes before the first label only agrees.
    let lead = signal("list-label").before(&prompt.message.text).map(|lead| plain(lead.trim()).to_lowercase());
    let agrees = |lead: String| lead.is_empty() || signal("decision-filler").behind(&lead) == Some("");
    if said.len() < 2 || !is_once(&said) || !is_once(&questions) || !lead.is_some_and(agrees) {
        return Vec::new();
    }
    let item = |(label, point): &Labelled<'_>| {
        let (_, said) = said.iter().find(|(name, _)| name == label)?;
        let (point, _) = point.split_at_checked(point.rfind('?')? + 1)?;
        let (context, told) = (text::cut(&plain(point), POINT_CHARS).into_owned(), plain(said));
        // A letter is the label of another list.
        if told.chars().count() < 2 || told.contains('?') || says("answer-none", &told.to_lowercase()) {
            return None;
        }
        // A word alone is too short to be found as a quote.
        let whole = prompt.message.text.trim();
        let raw = if whole.chars().nth(QUOTED_CHARS).is_none() { whole } else { said };
        let evidence = vec![quote(raw, prompt), quote(point, asked)];
        let summary = format!("{context} {told}");
        Some(Item { context, evidence, ..Item::new(ItemKind::Decision, summary) })
    };
    questions.iter().filter_map(item).collect()
}

/// The labels of a text wherever they are, `1.`, `(b)`, `Q3:`, `5 -`, each with what is behind it, up to the next one or the
/// end of the line.
pub fn points(text: &str) -> Vec<Labelled<'_>> {
    let marks = signal("list-label").groups(text);
    let ends = marks.iter().skip(1).map(|(range, _)| range.start).chain([text.len()]);
    let point = |((range, label), end): (&(Range<usize>, &str), usize)| {
        let line = text.get(range.end..end)?.lines().next()?;
        Some((label.to_lowercase(), line.trim_end_matches([',', ';', ' ', '('])))
    };
    marks.iter().zip(ends).filter_map(point).collect()
}

/// What a closing message says became of findings, each with the reason: of those that it numbers as "#3", of all of a list
/// where it says that all are done, and what it says it skipped.
pub fn verdicts(turn: &Turn<'_>) -> Vec<Item> {
    let Some(closing) = turn.closing() else { return Vec::new() };
    let all_done = closing.sentences.iter().any(|one| says("decision-all-done", &one.lower));
    let item = |line: &str| {
        let said = plain(line);
        let lower = said.to_lowercase();
        let number = line.trim_start_matches(['*', '-', ' ']).strip_prefix('#');
        let is_finding = number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
        let is_skipped = lower.split_once(": ").is_some_and(|(head, _)| says("list-skipped", head));
        let is_told = is_finding || is_skipped || all_done && option(line).is_some();
        // What was taken back leaves nothing.
        let is_done = says("decision-verdict", &lower) && !says("decision-taken-back", &lower);
        let has_reason = [" — ", " – ", " - ", ": "].iter().any(|mark| said.contains(mark));
        let is_whole = !own_words::is_cut(&said) && said.split_whitespace().count() >= VERDICT_WORDS;
        let summary = if is_finding { format!("Finding #{said}") } else { capital(&said) };
        (is_told && is_done && has_reason && is_whole && !said.contains('?')).then(|| Item {
            evidence: vec![quote(line.trim(), closing)],
            ..Item::new(ItemKind::Decision, text::cut(&summary, VERDICT_CHARS))
        })
    };
    sentences::own_lines(&closing.message.text).filter_map(item).collect()
}
