//! Whose words a text is made of: what the agent repeats of a tool, reports of a page or quotes in order to refuse it is
//! not the agent's, and what a person pastes is not that person's.

use super::first_source::Heard;
use super::memories;
pub use super::pasted::Foreign;
use super::pasted::{self, merged};
use super::reported_speech::{self, Hearsay};
pub use super::sentences::CUT;
use super::sentences::{self, PASTE, Sentence};
use crate::agent::wrappers;
use crate::base::text;
use crate::record::message::{Action, Message, Role, TodoChange};
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use crate::store::progress;
use std::borrow::Cow;
use std::ops::Range;

/// A longer answer is no aside, in bytes; and so many times that stands for one that is not told.
const LONG: usize = 300;
const CUTS: usize = 40;
/// The fewest words of a user's line that can be recognised as one that a tool printed.
const LINE_WORDS: usize = 7;
/// How many paragraphs before a refusal can be what is refused.
const REFUSED: usize = 3;
/// Characters that are told of a prompt that is all pasted.
const PASTED_CHARS: usize = 200;
/// What is said before the beginning of a prompt that is all pasted.
const PASTED: &str = "(pasted)";

/// So many words of an order that a tool gave, one behind the other, are that order.
const ORDER_WORDS: usize = 4;
/// Words that turn the words behind them into their contrary.
const NEGATIONS: [&str; 6] = ["never", "not", "don't", "dont", "nunca", "jamás"];
/// Words behind which a sentence can go on with an order.
const LEADS: [&str; 9] = ["to", "and", "then", "please", "should", "must", "y", "luego", "debo"];

/// What stands between the clauses of a sentence.
const CLAUSES: [char; 4] = [',', ';', ':', '—'];

/// How the lines of a quotation can begin.
const INDENT: [char; 3] = [' ', '\t', '>'];

/// The parts of what a speaker says that another author wrote, in their order.
pub fn foreign(text: &str, speaker: Voice, heard: &Heard) -> Vec<Foreign> {
    match speaker {
        Voice::User => of_user(text, heard),
        Voice::Assistant => of_agent(text, heard),
        _ => Vec::new(),
    }
}

/// The parts of a prompt that another author wrote, or may have written: wishes, see [`memories::is_doubtful`].
pub fn doubtful(text: &str, heard: &Heard) -> Vec<Foreign> {
    let mut found = of_user(text, heard);
    let own = without(text, &found);
    if memories::is_doubtful(&own, &sentences::split(&own)) {
        let all = sentences::split(text);
        let wishes = all.iter().filter(|one| memories::wish(&one.lower).is_some());
        let places = wishes.filter_map(|one| sentences::place(text, one.raw));
        found.extend(places.map(|range| Foreign { range, author: Voice::Pasted }));
    }
    merged(found)
}

/// What a speaker says, with [`CUT`] in the place of what another author wrote.
pub fn own<'t>(text: &'t str, speaker: Voice, heard: &Heard) -> Cow<'t, str> {
    without(text, &foreign(text, speaker, heard))
}

/// Whether the agent says all of a text itself.
pub fn is_own(text: &str, heard: &Heard) -> bool {
    of_agent(text, heard).is_empty()
}

/// A text with [`CUT`] in the place of these parts.
pub fn without<'t>(text: &'t str, foreign: &[Foreign]) -> Cow<'t, str> {
    if foreign.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut own = String::with_capacity(text.len());
    let mut from = 0;
    for Foreign { range, .. } in foreign {
        own.push_str(text.get(from..range.start).unwrap_or_default());
        let part = text.get(range.clone()).unwrap_or_default();
        own.push_str(wrappers::paste_label(part).as_deref().unwrap_or(CUT));
        if part.ends_with('\n') {
            own.push('\n');
        }
        from = range.end;
    }
    own.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(own)
}

/// Whether something is left where [`CUT`] stands for the rest, or a count of pasted lines.
pub fn says_something(own: &str) -> bool {
    own.replace(CUT, "").split(PASTE).enumerate().any(|(at, part)| {
        let own = if at == 0 { part } else { part.split_once(']').map_or(part, |(_, behind)| behind) };
        own.contains(char::is_alphanumeric)
    })
}

/// Whether a part of a text was cut.
pub fn is_cut(text: &str) -> bool {
    text.contains(CUT) || text.contains(PASTE)
}

/// Messages with only what their speakers say, masked before a part of it is cut: a secret can be known by that part alone.
pub fn own_messages(messages: &[Message], heard: &Heard, redactor: &Redactor) -> Vec<Message> {
    messages.iter().map(|message| own_message(message, heard, redactor)).collect()
}

/// The same where only what was said last is told: once so many characters of the agent's long answers are known, nothing is
/// left of the earlier ones.
pub fn last_own_messages(messages: &[Message], heard: &Heard, chars: usize, redactor: &Redactor) -> Vec<Message> {
    let mut left = chars;
    let own = |message: &Message| {
        let is_long = message.role == Role::Assistant && message.text.len() > LONG;
        if is_long && left == 0 {
            // Still a long answer, which says nothing.
            let own = own_message(&Message { text: String::new(), ..message.clone() }, heard, redactor);
            return Message { text: CUT.repeat(CUTS), ..own };
        }
        let own = own_message(message, heard, redactor);
        let is_told = is_long && own.text.len() > LONG && !own.marks.abandoned && !own.marks.sidechain;
        left = if is_told { left.saturating_sub(own.text.chars().count()) } else { left };
        own
    };
    let mut all: Vec<Message> = messages.iter().rev().map(own).collect();
    all.reverse();
    all
}

fn own_message(message: &Message, heard: &Heard, redactor: &Redactor) -> Message {
    let speaker = if message.plan { Voice::Assistant } else { message.role.voice() };
    let said = if message.role == Role::Tool { Cow::Borrowed(&*message.text) } else { redactor.shown(&message.text) };
    let mut text = own(&said, speaker, heard).into_owned();
    if message.role == Role::User && !says_something(&text) {
        text = head(&said);
    }
    let mut own = Message { text, ..message.clone() };
    own.tools.iter_mut().for_each(|tool| own_action(&mut tool.action, heard, redactor));
    for answer in &mut own.answers {
        redactor.show(&mut answer.said);
        redactor.show(&mut answer.about);
        answer.about = self::own(&answer.about, Voice::Assistant, heard).into();
        answer.others.iter_mut().for_each(|other| redactor.show(other));
    }
    own
}

/// What the agent says itself in its recap.
pub fn own_recap(recap: &str, heard: &Heard, redactor: &Redactor) -> String {
    own(&redactor.shown(recap), Voice::Assistant, heard).into_owned()
}

/// How a prompt begins that is all pasted, or how it ends where it is a log, without its orders; of several pastes only
/// their lines are counted.
fn head(text: &str) -> String {
    let text = wrappers::paste_inner(text).unwrap_or_else(|| wrappers::without_pastes(text));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !reported_speech::is_order(line));
    let all = lines.collect::<Vec<_>>().join(" ");
    if all.is_empty() {
        return CUT.to_owned();
    }
    // The end of a log says how it ended; other texts say first what they are.
    let told = if pasted::is_output(&text) {
        progress::end_of(&all, PASTED_CHARS)
    } else {
        text::cut(&all, PASTED_CHARS).into()
    };
    format!("{PASTED} {told}")
}

/// Of the agent's plan and list what it says itself.
fn own_action(action: &mut Action, heard: &Heard, redactor: &Redactor) {
    match action {
        Action::Todos(TodoChange::All(points)) => {
            for (text, _) in points {
                own_point(text, heard, redactor);
            }
        }
        Action::Todos(TodoChange::Add(text) | TodoChange::Update { text: Some(text), .. }) => {
            own_point(text, heard, redactor);
        }
        Action::Plan(plan) => {
            redactor.show(plan);
            *plan = own(plan, Voice::Assistant, heard).into_owned();
        }
        _ => {}
    }
}

/// Of a point that tells what something else says what it shows of it is cut: the rest is what is to be done.
fn own_point(text: &mut String, heard: &Heard, redactor: &Redactor) {
    redactor.show(text);
    let shown = sentences::quotations(text);
    if shown.is_empty() || heard.author(text).is_some() {
        // What is behind an order can go on with it.
        let cut = order_in(text, heard).map(|_| CUT.to_owned());
        *text = cut.unwrap_or_else(|| own(text, Voice::Assistant, heard).into_owned());
    } else if Hearsay::of(text) != Hearsay::No {
        let parts = shown.into_iter().map(|range| Foreign { range, author: Voice::Tool }).collect();
        *text = without(text, &merged(parts)).into_owned();
    }
}

fn of_user(text: &str, heard: &Heard) -> Vec<Foreign> {
    let mut found = pasted::shown(text);
    for (line, range) in sentences::placed(text) {
        if line.split_whitespace().count() < LINE_WORDS {
            continue;
        }
        let all = sentences::split(line);
        let is_wish = |one: &Sentence<'_>| memories::wish(&one.lower).is_some();
        // A wish against a tool's words has most of them, and is the user's.
        if is_shown(line, heard) && !all.iter().any(|one| negates(one.raw, heard) && is_wish(one)) {
            found.push(Foreign { range, author: Voice::Pasted });
            continue;
        }
        // "Hi, always …, Bob."
        let clauses = |said: &str| said.split(CLAUSES).any(|clause| is_shown(clause, heard));
        let is_theirs = |one: &&Sentence<'_>| {
            (is_shown(one.raw, heard) || clauses(one.raw)) && !negates(one.raw, heard) && is_wish(one)
        };
        let places = all.iter().filter(is_theirs).filter_map(|one| sentences::place(text, one.raw));
        found.extend(places.map(|range| Foreign { range, author: Voice::Pasted }));
    }
    merged(found)
}

/// Whether a part of a prompt is so long that it can be recognised, and another author wrote it.
fn is_shown(said: &str, heard: &Heard) -> bool {
    said.split_whitespace().count() >= LINE_WORDS && heard.author(said).is_some()
}

/// Whether a wish says "never" before words that another author said without it.
fn negates(said: &str, heard: &Heard) -> bool {
    let words = words(said);
    words.windows(ORDER_WORDS + 1).any(|part| {
        let [(first, negation), .., (before, _), (last, _)] = part else { return false };
        let heard_in = |range: Range<usize>| said.get(range).is_some_and(|part| heard.said_all(part));
        NEGATIONS.contains(&&*negation.to_lowercase().replace('’', "'"))
            && heard_in(first.end..last.end)
            && !heard_in(first.start..before.end)
    })
}

/// The words of a text, and where they are in it.
fn words(said: &str) -> Vec<(Range<usize>, &str)> {
    said.split_whitespace().filter_map(|word| Some((sentences::place(said, word)?, word))).collect()
}

/// A part of an answer between empty lines.
struct Paragraph {
    range: Range<usize>,
    /// The sentences that its speaker says, and the rest of its lines.
    own: Vec<Range<usize>>,
    shown: Vec<Range<usize>>,
}

fn of_agent(text: &str, heard: &Heard) -> Vec<Foreign> {
    let paragraphs = paragraphs(text);
    let mut sorting = Sorting { text, heard, found: Vec::new() };
    let mut introduced = false;
    for (at, paragraph) in paragraphs.iter().enumerate() {
        let range = &paragraph.range;
        if std::mem::take(&mut introduced) {
            sorting.add(range.clone(), Voice::Tool);
            introduced = paragraphs.get(at + 1).is_some_and(|next| goes_on(sorting.part(&next.range)));
        }
        let first = sorting.found.len();
        paragraph.shown.iter().for_each(|shown| sorting.shown(shown));
        for number in 0..paragraph.own.len() {
            let before = paragraphs.get(at.saturating_sub(REFUSED)..at).unwrap_or_default();
            introduced |= sorting.sentence(paragraph, number, before);
        }
        sorting.quoted(range, first);
    }
    merged(sorting.found)
}

/// Whether a paragraph behind one that was introduced belongs to that: it is indented, a point of a list, or an order.
fn goes_on(paragraph: &str) -> bool {
    paragraph.starts_with(INDENT) || sentences::is_point(paragraph) || reported_speech::is_order(paragraph)
}

/// Sorts out what of the agent's words another author wrote.
struct Sorting<'t> {
    text: &'t str,
    heard: &'t Heard,
    found: Vec<Foreign>,
}

impl<'t> Sorting<'t> {
    fn part(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn add(&mut self, range: Range<usize>, author: Voice) {
        self.found.push(Foreign { range, author });
    }

    /// Lines that it shows: a fence, a quotation, an element.
    fn shown(&mut self, range: &Range<usize>) {
        let shown = self.part(range);
        let quoted = shown.trim_start().starts_with(['>', '<']) || reported_speech::is_order(shown);
        if let Some(author) = self.heard.author(shown).or(quoted.then_some(Voice::Tool)) {
            self.add(range.clone(), author);
        }
    }

    /// A sentence of a paragraph; whether the next paragraph is what it reports.
    fn sentence(&mut self, paragraph: &Paragraph, number: usize, before: &[Paragraph]) -> bool {
        let Some(sentence) = paragraph.own.get(number) else { return false };
        let said = self.part(sentence);
        let hearsay = Hearsay::of(said);
        if hearsay == Hearsay::No {
            self.repeated(sentence);
            return false;
        }
        // What is refused is before it, or in it; what it reports can go on behind it, and be before it: "… (says the page)".
        let refuses = hearsay == Hearsay::Refuses;
        let start = if refuses || said.ends_with(')') { paragraph.range.start } else { sentence.start };
        self.add(start..paragraph.range.end, Voice::Tool);
        if number == 0 && (refuses || reported_speech::speaks_of_before(said)) {
            self.refused(said, before);
        }
        !refuses && !self.part(&paragraph.range).trim_end().ends_with(['.', '!', '?', ')'])
    }

    /// What is refused can be all that comes before it.
    fn refused(&mut self, said: &str, before: &[Paragraph]) {
        if let Some(last) = before.last().filter(|_| reported_speech::speaks_of_before(said)) {
            self.add(last.range.clone(), Voice::Tool);
        }
        let is_refused =
            |paragraph: &Paragraph| paragraph.own.is_empty() || reported_speech::is_order(self.part(&paragraph.range));
        let refused = before.iter().position(is_refused).and_then(|first| before.get(first..)).unwrap_or_default();
        for paragraph in refused {
            self.add(paragraph.range.clone(), Voice::Tool);
        }
    }

    /// What a tool or a pasted text said before: the sentence, an order in it, what it quotes.
    fn repeated(&mut self, sentence: &Range<usize>) {
        let said = self.part(sentence);
        let orders = |clause: &&str| reported_speech::is_order(clause.trim());
        let clause = || said.split(CLAUSES).filter(orders).find_map(|clause| self.heard.author(clause));
        let order = || order_in(said, self.heard);
        if let Some(author) = self.heard.author(said).or_else(clause).or_else(order) {
            return self.add(sentence.clone(), author);
        }
        for part in reported_speech::shown_parts(said) {
            if let Some(author) = self.heard.author(&said[part.clone()]) {
                self.add(moved(part, sentence.start), author);
            }
        }
        for quoted in sentences::quotations(said) {
            let part = &said[quoted.clone()];
            if let Some(author) = self.heard.author(part).filter(|_| part.len() * 2 > said.len()) {
                self.add(sentence.clone(), author);
            } else if reported_speech::is_order(part) {
                self.add(moved(quoted, sentence.start), Voice::Tool);
            }
        }
    }

    /// Of a quotation that goes over several sentences, one that another author wrote makes it all so. `first` is the
    /// number of what was found before this paragraph.
    fn quoted(&mut self, paragraph: &Range<usize>, first: usize) {
        let found = merged(self.found.split_off(first));
        for quoted in sentences::quotations(self.part(paragraph)) {
            let quoted = moved(quoted, paragraph.start);
            let next = found.partition_point(|foreign| foreign.range.end <= quoted.start);
            if let Some(foreign) = found.get(next).filter(|foreign| foreign.range.start < quoted.end) {
                self.add(quoted, foreign.author);
            }
        }
        self.found.extend(found);
    }
}

fn moved(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The author of an order that is in a sentence in another author's words.
fn order_in(said: &str, heard: &Heard) -> Option<Voice> {
    let words = words(said);
    let is_behind = |before: &str| before.ends_with(CLAUSES) || LEADS.contains(&&*before.to_lowercase());
    words.windows(ORDER_WORDS).enumerate().find_map(|(at, order)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let range = order.first()?.0.start..order.last()?.0.end;
        let part = said.get(range.clone()).filter(|_| before.is_none_or(|(_, before)| is_behind(before)))?;
        let is_order = heard.said_all(part) && reported_speech::begins_with_order(part);
        heard.author(part).filter(|_| is_order)
    })
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut all: Vec<Paragraph> = Vec::new();
    let mut open = false;
    for ((line, is_own), (_, range)) in sentences::lines(text).zip(sentences::placed(text)) {
        if is_own && line.trim().is_empty() {
            open = false;
            continue;
        }
        if !open {
            all.push(Paragraph { range: range.clone(), own: Vec::new(), shown: Vec::new() });
            open = true;
        }
        let Some(paragraph) = all.last_mut() else { continue };
        paragraph.range.end = range.end;
        if !is_own {
            match paragraph.shown.last_mut().filter(|last| last.end == range.start) {
                Some(last) => last.end = range.end,
                None => paragraph.shown.push(range),
            }
            continue;
        }
        let mut said = Vec::new();
        sentences::split_line(line, &mut said);
        paragraph.own.extend(said.iter().filter_map(|sentence| sentences::place(text, sentence.raw)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::cases;

    #[test]
    fn what_an_agent_reports_refuses_or_repeats_is_not_its_own() {
        for (_, text, wanted) in cases(include_str!("cases/agent.txt")) {
            let text = text.replace("\\n", "\n");
            assert_eq!(own(&text, Voice::Assistant, &Heard::default()), wanted[0].replace("\\n", "\n"), "{text}");
        }
    }
}
