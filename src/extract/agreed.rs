//! Decisions that stand in two messages: the user's proposal and the agent's consent, numbered questions and their
//! answers, findings and what the closing message says became of them.

use super::labels::{self, label, labelled};
use super::sentences::{self, Sentence, Signal, Turn, Utterance, plain};
use super::{capital, is_sentence, quote, voice};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::Message;

/// The longest text that is told of a finding, and of a point that was asked about, in characters.
const TOLD_CHARS: usize = 400;
const POINT_CHARS: usize = 300;
/// The fewest words of a sentence that says what the agent agrees to.
const SAID_WORDS: usize = 5;
/// The fewest words of what is said of a finding.
const VERDICT_WORDS: usize = 8;
/// The sentences of an answer in which it agrees, and the longest prompt, in characters, that is told whole.
const AGREES_SENTENCES: usize = 4;
const PROMPT_CHARS: usize = 300;

/// The user proposes something, the agent agrees with the user, or takes a choice in a word.
static PROPOSES: Signal = Signal::named("agreed-proposes");
static AGREES: Signal = Signal::named("agreed-agrees");
static ACCEPTS: Signal = Signal::named("agreed-accepts");
/// It asks for an explanation.
static ASKS_TO_TELL: Signal = Signal::named("agreed-tell");
/// An answer that only says what the agent does now.
static BEGINNING: Signal = Signal::named("open-beginning");
/// What was done about a finding, or that nothing was.
static VERDICT: Signal = Signal::named("decision-verdict");
static TAKEN_BACK: Signal = Signal::named("decision-taken-back");
/// All findings are done.
static ALL_DONE: Signal = Signal::named("decision-all-done");
/// What a numbered answer says that answers nothing.
static NO_ANSWER: Signal = Signal::named("answer-none");

/// Numbered answers to the numbered points of the agent's last message, which asks: each is told with its point.
pub fn numbered(prompt: &Utterance<'_>, asking: &Turn<'_>) -> Option<Vec<Item>> {
    let asked = asking.said().next_back()?;
    let said = numbers(prompt.message);
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
        (point.contains('?') && !said.contains('?') && !NO_ANSWER.is_in(&lower)).then(|| Item {
            summary: format!("{point_plain}{mark} {said_plain}"),
            evidence: vec![quote(said, prompt), quote(point, asked)],
            ..Item::default()
        })
    };
    Some(said.iter().filter_map(item).collect())
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

/// What the user proposes and the agent agrees to in the first words of its answer. Of a choice in a word that no list
/// explains, what the agent understands it to be.
pub fn agreed(turn: &Turn<'_>) -> Option<Item> {
    let prompt = turn.prompt.as_ref()?;
    let answer = turn.said().next()?;
    let head = answer.sentences.get(..answer.sentences.len().min(AGREES_SENTENCES))?;
    let is_agreed = |one: &&Sentence<'_>| AGREES.is_in(&one.lower);
    let says = |one: &&Sentence<'_>| {
        let is_long = one.plain.split_whitespace().count() >= SAID_WORDS;
        is_long && (!BEGINNING.is_in(&one.lower) || is_agreed(one)) && !one.raw.trim_end().ends_with(['?', ':'])
    };
    if label(prompt).is_some() {
        let told = head.first().filter(|one| ACCEPTS.is_in(&one.lower))?;
        let all: Vec<&Sentence<'_>> =
            head.iter().filter(|one| labels::FILLER.behind(&one.lower) != Some("") && says(one)).collect();
        let summary = all.iter().map(|one| one.plain.trim_end_matches('.')).collect::<Vec<_>>().join(". ");
        let evidence =
            std::iter::once(quote(&prompt.message.text, prompt)).chain(all.iter().map(|one| quote(one.raw, answer)));
        let item = Item { summary, evidence: evidence.collect(), ..Item::default() };
        return (told.raw.len() < item.summary.len() || is_sentence(&item.summary)).then_some(item);
    }
    head.iter().find(is_agreed)?;
    let first = prompt.sentences.iter().find(|one| PROPOSES.is_in(&one.lower) && !ASKS_TO_TELL.is_in(&one.lower))?;
    // What begins with a doubt is an objection.
    if prompt.sentences.first()?.raw.trim_end().ends_with('?') && prompt.sentences.len() > 1 {
        return None;
    }
    let own: usize = prompt.message.text.chars().count();
    let text = if own <= PROMPT_CHARS {
        prompt.message.text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        first.plain.clone()
    };
    let words = text::meaning(&text).stems;
    let shares = |one: &&Sentence<'_>| text::meaning(&one.plain).stems.intersection(&words).count() >= 2;
    let why: Vec<&Sentence<'_>> = head.iter().filter(says).filter(|one| is_agreed(one) || shares(one)).collect();
    // "Good call. Let me look at it." agrees to nothing yet.
    why.first()?;
    let evidence = std::iter::once(quote(first.raw, prompt)).chain(why.iter().map(|one| quote(one.raw, answer)));
    let item = Item {
        summary: text,
        rationale: why.iter().map(|one| one.plain.as_str()).collect::<Vec<_>>().join(". "),
        evidence: evidence.collect(),
        ..Item::default()
    };
    Some(item)
}
