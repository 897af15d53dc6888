//! Lines that begin with a number or the label of an option, and what answers them: an option that the user names, numbered
//! answers, findings and what the closing message says became of them.

use super::patterns::{says, signal};
use super::sentences::{self, Sentence, Turn, Utterance, plain};
use super::{capital, own_words, quote};
use crate::base::text;
use crate::record::item::{Item, ItemKind};
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

/// The options of a list with their labels, the agent's question about it, and the line before it.
type OptionList<'a> = (Vec<(String, &'a str)>, Option<Sentence<'a>>, &'a str);

/// The list of a message from which a prompt chooses, the option's place in it, and the words. A list with a question wins.
pub fn chosen<'a>(
    prompt: &Utterance<'a>,
    message: &'a Message,
    answers: fn(&str, &Sentence<'_>) -> bool,
) -> Option<(OptionList<'a>, usize, &'a str)> {
    let labelled = label(prompt);
    let mut lists = lists(message);
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
    found.pop().filter(|(list, ..)| found.is_empty() && is_offered(list, message))
}

/// Whether a list is what the agent leaves to choose. A question that names its own options, "tabs or blanks?", is about
/// no other list, if that does not say that it has options or begin its points with them.
fn is_offered((options, asked, head): &OptionList<'_>, message: &Message) -> bool {
    let head = head.to_lowercase();
    if says("list-options", &head) {
        return true;
    }
    let all = sentences::split(&message.text);
    let names = |one: &Sentence<'_>| {
        one.plain.ends_with('?')
            && signal("list-or").behind(&one.lower).is_some_and(|behind| !says("list-or-else", behind))
    };
    let begun = |one: &Sentence<'_>| {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
            words.filter(|word| !["", "a", "an", "the", "un", "una", "el", "la"].contains(&word.as_str())).collect()
        };
        let asked = words(&one.lower);
        let begins = |(_, text): &(String, &str)| -> Vec<String> {
            let own = signal("short-around").parts(&bare(&plain(text))).concat();
            words(&own).into_iter().take_while(|word| asked.contains(word)).collect()
        };
        options.iter().map(begins).filter(|own| !own.is_empty()).collect::<HashSet<_>>().len() > 1
    };
    let asks: Vec<&Sentence<'_>> = match asked {
        Some(asked) if says("list-offers", &asked.lower) => vec![asked],
        _ => all.iter().collect(),
    };
    if let Some(named) = asks.into_iter().find(|one| names(one)) {
        return says("list-options", &named.lower) || begun(named);
    }
    let offers = || all.iter().any(|one| says("list-offers", &one.lower) || says("list-options", &one.lower));
    (head.contains('?') || !says("list-tells", &head)) && (asked.is_some() || offers())
}

/// The label that a prompt chooses, and the words: all of a short one, or a sentence that says "option" or why.
pub fn label<'a>(prompt: &Utterance<'a>) -> Option<(String, &'a str)> {
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

/// The place of the one option that begins with these words.
fn named(said: &str, list: &[(String, &str)]) -> Option<usize> {
    let own = |text: &str| signal("short-around").parts(text).concat();
    let said = own(said);
    let begins = |(_, text): &(String, &str)| {
        own(&bare(&plain(text))).strip_prefix(&said).is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
    };
    let at = list.iter().position(begins).filter(|_| !said.is_empty())?;
    (!list.iter().skip(at + 1).any(begins)).then_some(at)
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

/// The answers to the labelled questions of the agent's last message, each told with its question: by its label, in
/// whatever order, or in a list of as many points.
pub fn answers(prompt: &Utterance<'_>, asking: &Turn<'_>) -> Vec<Item> {
    let Some(asked) = asking.said().next_back() else { return Vec::new() };
    let points: Vec<(String, &str)> =
        sentences::own_lines(&asked.message.text).flat_map(|line| parts(line, marks(line))).collect();
    let ends = asked.message.text.trim_end().ends_with('?');
    // A question ends its point, if not the message; behind the last one a sentence can say that the agent waits.
    let question = |at: usize| {
        let (name, point) = points.get(at)?;
        let (asks, behind) = point.split_at_checked(point.rfind('?')?.saturating_add(1))?;
        let mut rest = Vec::new();
        sentences::split_line(behind, &mut rest);
        let is_last = at + 1 == points.len();
        (ends || rest.len() <= usize::from(is_last)).then(|| (at, name.clone(), asks))
    };
    let questions: Vec<(usize, String, &str)> = (0..points.len()).filter_map(question).collect();
    let said = said(&prompt.message.text, &questions);
    let item = |(at, name, point): &(usize, String, &str)| {
        let (_, said) = said.iter().find(|(label, _)| label == name)?;
        // The label of an option below the question.
        let options = || points.iter().skip(at + 1).take_while(|(_, text)| !text.contains('?'));
        let chosen = || options().find(|(label, _)| *label == said.to_lowercase()).map(|(_, text)| *text);
        let told = if said.chars().count() == 1 { chosen()? } else { said };
        let (point_plain, said_plain) = (text::cut(&plain(point), POINT_CHARS).into_owned(), plain(told));
        let whole = prompt.message.text.trim();
        // A word alone is too short to be found as a quote.
        let raw = if whole.chars().nth(TOLD_CHARS).is_none() { whole } else { said };
        let answers = !said.contains('?') && !says("answer-none", &said_plain.to_lowercase());
        let summary = format!("{point_plain} {said_plain}");
        answers.then(|| Item {
            context: point_plain,
            evidence: vec![quote(raw, prompt), quote(point, asked)],
            ..Item::new(ItemKind::Decision, summary)
        })
    };
    questions.iter().filter_map(item).collect()
}

/// What a prompt says to each of these questions; nothing where that is not sure.
fn said<'t>(text: &'t str, questions: &[(usize, String, &str)]) -> Vec<(String, &'t str)> {
    let names: HashSet<&str> = questions.iter().map(|(_, name, _)| name.as_str()).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_bullet = |line: &&str| line.starts_with(['-', '*', '•']);
    let marks: Vec<Label> = marks(text).into_iter().filter(|mark| names.contains(mark.name.as_str())).collect();
    let lead = marks.first().and_then(|first| text.get(..first.range.start)).unwrap_or_default();
    let lead = plain(lead.trim()).to_lowercase();
    let found: Vec<(String, &str)> =
        if marks.is_empty() && lines.iter().all(is_bullet) && lines.len() == questions.len() {
            questions.iter().zip(lines).map(|((_, name, _), line)| (name.clone(), line)).collect()
        } else if lead.is_empty() || signal("decision-filler").behind(&lead) == Some("") {
            parts(text, marks)
        } else {
            Vec::new()
        };
    let said: HashSet<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let is_sure = found.len() > 1 && said.len() == found.len() && names.len() == questions.len();
    if is_sure && found.iter().all(|(_, said)| said.contains(char::is_alphanumeric)) { found } else { Vec::new() }
}

/// A label in a text: its name, and where it is.
struct Label {
    name: String,
    range: Range<usize>,
}

/// What stands behind each label, up to the next one or the end of the line.
fn parts(text: &str, marks: Vec<Label>) -> Vec<(String, &str)> {
    let ends: Vec<usize> = marks.iter().skip(1).map(|mark| mark.range.start).chain([text.len()]).collect();
    let part = |(mark, end): (Label, usize)| {
        let part = text.get(mark.range.end..end).unwrap_or_default().trim_start().lines().next().unwrap_or_default();
        let part = part.trim().trim_end_matches([',', ';', ' ', '(']);
        let part = [" and", " y"].iter().find_map(|and| part.strip_suffix(and)).unwrap_or(part);
        (mark.name, part.trim_end_matches([',', ';', ' ']))
    };
    marks.into_iter().zip(ends).map(part).collect()
}

/// The labels of a text, `1.`, `(b)`, `Q3:`, `#4`, `5 -`, in their order.
fn marks(text: &str) -> Vec<Label> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mark = |(at, word): (usize, &&str)| {
        let bare = word.trim_matches('*').trim_start_matches('(');
        let mut signs = bare.chars();
        let is_question = signs.next().is_some_and(|first| matches!(first, 'q' | 'Q' | 'p' | 'P' | '#'))
            && signs.next().is_some_and(|second| second.is_ascii_digit());
        let rest = if is_question { bare.get(1..)? } else { bare };
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        let is_number = name.len() <= 2 && name.bytes().all(|byte| byte.is_ascii_digit());
        let behind = rest.get(name.len()..)?;
        let dash = || words.get(at + 1).is_some_and(|next| ["-", "–", "—", "="].contains(next));
        let is_marked = match behind {
            "" => is_number && (dash() || bare.starts_with('#')),
            _ => behind.chars().all(|sign| matches!(sign, ')' | '.' | ':' | '*')),
        };
        let range = sentences::place(text, word)?;
        let end = if behind.is_empty() && dash() { sentences::place(text, words.get(at + 1)?)?.end } else { range.end };
        let is_name = !name.is_empty() && (is_number || name.len() == 1);
        (is_name && is_marked).then(|| Label { name: name.to_lowercase(), range: range.start..end })
    };
    words.iter().enumerate().filter_map(mark).collect()
}

/// What a closing message that says that all findings are done, or that names them ("#3"), says of each: what was done or
/// not, and why.
pub fn verdicts(turn: &Turn<'_>) -> Vec<Item> {
    let Some(closing) = turn.said().next_back().filter(|last| last.message.tools.is_empty()) else { return Vec::new() };
    let all_done = closing.sentences.iter().any(|one| says("decision-all-done", &one.lower));
    let item = |(number, point): &(String, &str)| {
        let said = plain(point);
        let lower = said.to_lowercase();
        // What was taken back leaves nothing.
        let done = says("decision-verdict", &lower) && !says("decision-taken-back", &lower);
        let why = [" — ", " – ", " - ", ": "].iter().any(|mark| said.contains(mark));
        let whole =
            !said.contains('?') && !said.contains(own_words::CUT) && said.split_whitespace().count() >= VERDICT_WORDS;
        let is_finding = number.starts_with('#');
        let summary = if is_finding { format!("Finding #{said}") } else { capital(&said) };
        (done && why && whole && (all_done || is_finding)).then(|| Item {
            evidence: vec![quote(point, closing)],
            ..Item::new(ItemKind::Decision, text::cut(&summary, TOLD_CHARS))
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
