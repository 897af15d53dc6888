//! What of a prompt its user only shows: logs, code, mails, chats, what a page or a review says. It is known by its
//! form and by the words before it, so that a line of prose that a person pastes without a word about it is taken for the user's.

use super::patterns::says;
use super::sentences;
use super::{memories, reported_speech};
use crate::agent::wrappers;
use crate::base::text;
use crate::record::speaker::Voice;
use std::collections::HashSet;
use std::ops::Range;

/// The most words of a name.
const NAME_WORDS: usize = 3;
/// A longer paragraph at either end of a document is a part of it, in characters.
const OWN_CHARS: usize = 600;
/// The most words of a page's title, and the fewest characters of the page below it.
const TITLE_WORDS: usize = 10;
const PAGE_CHARS: usize = 800;

/// Bytes before a quotation in which it is introduced.
const BEFORE_BYTES: usize = 400;

/// A part of a text that is not its speaker's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// Who wrote it.
    pub author: Voice,
}

/// A line and whether it is shown.
struct PastedLine<'t> {
    range: Range<usize>,
    text: &'t str,
    lower: String,
    shown: bool,
}

impl PastedLine<'_> {
    fn says(&self, heading: &str) -> bool {
        says(heading, &self.lower)
    }

    /// The same without the blanks around it.
    fn tells(&self, heading: &str) -> bool {
        says(heading, self.lower.trim())
    }
}

/// The parts of a prompt that are shown, in their order.
pub fn shown(text: &str) -> Vec<Foreign> {
    // Where the client marks what is pasted, the rest is typed.
    let mut all = wrappers::pasted(text);
    let is_typed = |range: &Range<usize>| !all.iter().any(|paste| paste.start < range.end && range.start < paste.end);
    let quoted: Vec<Range<usize>> = quotations(text).into_iter().filter(is_typed).collect();
    if all.is_empty() {
        let mut lines = lines(text);
        if sentences::is_pasted(text) {
            document(&mut lines);
        }
        others(&mut lines);
        page(&mut lines);
        if let Some(behind) = lines.iter().position(|line| line.tells("pasted-before")) {
            let (before, own) = lines.split_at_mut(behind);
            for line in before {
                line.shown = true;
            }
            own.iter_mut().take_while(|line| !line.text.trim().is_empty()).for_each(|line| line.shown = false);
        }
        all.extend(lines.into_iter().filter(|line| line.shown).map(|line| line.range));
    }
    let all = all.into_iter().chain(quoted);
    merged(all.map(|range| Foreign { range, author: Voice::Pasted }).collect())
}

/// Whether a text has a line that a program printed, or is what a terminal showed.
pub fn is_output(text: &str) -> bool {
    text.lines().any(|line| says("pasted-output", &line.to_lowercase()))
}

/// Parts that overlap as one, of the weaker voice.
pub fn merged(mut all: Vec<Foreign>) -> Vec<Foreign> {
    all.sort_by_key(|foreign| foreign.range.start);
    let mut found: Vec<Foreign> = Vec::new();
    for next in all {
        match found.last_mut().filter(|last| last.range.end >= next.range.start) {
            Some(last) => {
                last.range.end = last.range.end.max(next.range.end);
                if next.author.weakness() > last.author.weakness() {
                    last.author = next.author;
                }
            }
            None => found.push(next),
        }
    }
    found
}

/// Who speaks in a chat's line: a few words before a colon.
fn speaker(line: &str) -> Option<&str> {
    let (name, said) = line.split_once(": ")?;
    let is_name = (1..=NAME_WORDS).contains(&name.split_whitespace().count()) && name.contains(char::is_alphabetic);
    (is_name && !said.trim().is_empty() && !says("pasted-label", &line.to_lowercase()) && !sentences::is_point(line))
        .then_some(name)
}

/// What a person quotes or tells of another author's words. A label or a text that is to be written stays theirs.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for quoted in sentences::quotations(text) {
        let near = text::last_bytes(&text[..quoted.start], BEFORE_BYTES);
        let before = near.rsplit('\n').next().unwrap_or(near);
        let bare = before.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ':');
        let introduced = says("pasted-introduced", &bare.to_lowercase()) || reported_speech::reports(before);
        if introduced || reported_speech::is_order(&text[quoted.clone()]) {
            found.push(quoted);
        }
    }
    reports(text, &mut found);
    found
}

/// Adds what sentences tell of another author's words.
fn reports(text: &str, found: &mut Vec<Range<usize>>) {
    for (line, range) in sentences::placed(text).filter(|(line, _)| line.contains(": ")) {
        let mut sentences = Vec::new();
        sentences::split_line(line, &mut sentences);
        let mut end = line.trim_end_matches(['\r', '\n']).len();
        // From the end, so that who reports knows where its speaker goes on.
        for sentence in sentences.iter().rev() {
            let Some(place) = sentences::place(line, sentence.raw) else { continue };
            found.extend(told(sentence.raw).map(|colon| range.start + place.start + colon..range.start + end));
            if goes_on(sentence.raw) {
                end = place.start;
            }
        }
    }
}

/// Where in a sentence begins what it tells: behind its colon.
fn told(sentence: &str) -> Option<usize> {
    let colon = sentence.find(": ")? + 1;
    let before = &sentence[..colon];
    let lower = before.to_lowercase();
    let tells = || reported_speech::reports(before) || says("pasted-speaks", lower.trim());
    // "Let's do what Ana says: …" and "From now on: …" are the user's.
    (!says("pasted-goes-on", &lower) && tells() && memories::lead(&lower).is_none()).then_some(colon)
}

fn lines(text: &str) -> Vec<PastedLine<'_>> {
    let mut names = HashSet::new();
    let again = text.lines().filter_map(speaker).any(|name| !names.insert(name));
    let is_said = |line: &PastedLine<'_>| {
        !line.says("pasted-label") && (line.says("said-by") || again && speaker(&line.lower).is_some())
    };
    let mut lines: Vec<PastedLine<'_>> = Vec::new();
    for ((text, own), (_, range)) in sentences::lines(text).zip(sentences::placed(text)) {
        let shown = !own || sentences::is_quoted(text, text.trim_start());
        lines.push(PastedLine { range, text, lower: text.to_lowercase(), shown });
    }
    let chat = again || lines.iter().filter(|line| is_said(line)).count() > 1;
    for line in &mut lines {
        line.shown |= line.says("pasted-output") || chat && is_said(line);
    }
    let mut paragraphs = paragraphs(&mut lines);
    let is_output = |paragraph: &&mut [PastedLine<'_>]| paragraph.iter().any(|line| line.says("pasted-output"));
    let last = paragraphs.iter().rposition(is_output).unwrap_or(0);
    paragraphs.iter_mut().enumerate().for_each(|(at, paragraph)| output(paragraph, at < last));
    lines
}

/// What is between two lines of a trace belongs to it, and what comes behind a command. `more` says that more output
/// is in a paragraph below.
fn output(paragraph: &mut [PastedLine<'_>], more: bool) {
    let Some(first) = paragraph.iter().position(|line| line.shown) else { return };
    let last = paragraph.iter().rposition(|line| line.shown).unwrap_or(first);
    // What a diff takes out stands before what it puts in, and begins like a point of a list.
    let puts_in = paragraph[first].text.starts_with('+');
    let taken = paragraph[..first].iter().rev().take_while(|line| puts_in && line.text.starts_with('-')).count();
    paragraph[first - taken..last].iter_mut().for_each(|line| line.shown = true);
    if paragraph[last].says("pasted-opens") {
        let behind = paragraph[last + 1..].iter_mut().take_while(|line| more || !goes_on(line.text));
        behind.for_each(|line| line.shown = true);
    }
}

/// Whether a line is how a person goes on.
fn goes_on(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    (says("pasted-goes-on", &lower) || lower.ends_with('?')) && !reported_speech::is_standing(line)
}

/// A page without a word about it: a title alone in its paragraph, and much below it that speaks of no person.
fn page(lines: &mut [PastedLine<'_>]) {
    let mut paragraphs = paragraphs(lines);
    // From the end, so that what is below each title is counted once.
    let (mut first, mut chars, mut personal) = (None, 0, 0);
    for (below, at) in (1..paragraphs.len()).rev().enumerate() {
        let paragraph = &paragraphs[at];
        if chars >= PAGE_CHARS && personal * 2 < below && is_title(paragraph) {
            first = Some(at);
        }
        chars += paragraph.iter().map(|line| line.text.len()).sum::<usize>();
        personal += usize::from(paragraph.iter().any(|line| line.says("pasted-personal")));
    }
    let end = paragraphs.len() - usize::from(paragraphs.last().is_some_and(|last| is_request(last)));
    for paragraph in paragraphs[..end].iter_mut().skip(first.unwrap_or(end)) {
        paragraph.iter_mut().for_each(|line| line.shown = true);
    }
}

/// A line of a few words that begins with a large letter, and is no sentence.
fn is_title(paragraph: &[PastedLine<'_>]) -> bool {
    let [line] = paragraph else { return false };
    let text = line.text.trim();
    !line.shown
        && text.starts_with(char::is_uppercase)
        && text.ends_with(char::is_alphanumeric)
        && (2..=TITLE_WORDS).contains(&text.split_whitespace().count())
        && !line.tells("pasted-goes-on")
}

fn paragraphs<'p, 't>(lines: &'p mut [PastedLine<'t>]) -> Vec<&'p mut [PastedLine<'t>]> {
    lines.split_mut(|line| line.text.trim().is_empty()).filter(|paragraph| !paragraph.is_empty()).collect()
}

/// Of a document only a short paragraph before or behind it is the user's, of one paragraph its beginning.
fn document(lines: &mut [PastedLine<'_>]) {
    let mut paragraphs = paragraphs(lines);
    let count = paragraphs.len();
    for (at, paragraph) in paragraphs.iter_mut().enumerate() {
        let chars: usize = paragraph.iter().map(|line| line.text.chars().count()).sum();
        let is_short = chars < OWN_CHARS && !paragraph.iter().any(|line| line.text.starts_with('#'));
        let is_own = at == 0 && !orders(paragraph) || at > 0 && at + 1 == count && is_request(paragraph);
        let own = usize::from(count == 1);
        paragraph.iter_mut().skip(own).for_each(|line| line.shown |= !(is_own && is_short));
    }
}

/// What comes behind the words that introduce it, and behind the head of a mail.
fn others(lines: &mut [PastedLine<'_>]) {
    let (mut inside, mut listed, mut mail, mut printed) = (false, false, false, false);
    let mut paragraphs = paragraphs(lines);
    let count = paragraphs.len();
    for (at, paragraph) in paragraphs.iter_mut().enumerate() {
        // Behind it the user can go on; behind a list everything else is the user's again. Output ends where the user
        // goes on; what a person wrote can go on as well.
        let is_apart = listed && !sentences::is_point(paragraph[0].text);
        let ends = at + 1 == count && (is_apart || is_request(paragraph)) || printed && !mail && begins_so(paragraph);
        inside &= !ends;
        printed = paragraph.iter().all(|line| line.shown);
        let end = paragraph.len();
        for (at, line) in paragraph.iter_mut().enumerate() {
            let head = line.tells("pasted-mail");
            (mail, inside) = (mail | head, inside | head);
            if inside && !line.shown {
                listed = sentences::is_point(line.text);
            }
            line.shown |= inside;
            let introduces = line.tells("pasted-introduced") && !line.tells("pasted-own");
            let lower = line.lower.trim();
            let reports = at + 1 == end && !lower.ends_with(['.', '!', '?']) && reported_speech::reports(lower);
            inside |= !line.shown && (introduces || reports);
        }
    }
}

/// Whether a person goes on with it; an order behind what is shown can be a part of that.
fn is_request(paragraph: &[PastedLine<'_>]) -> bool {
    begins_so(paragraph) && !orders(paragraph)
}

fn begins_so(paragraph: &[PastedLine<'_>]) -> bool {
    paragraph.first().is_some_and(|line| !line.shown && line.tells("pasted-goes-on"))
}

fn orders(paragraph: &[PastedLine<'_>]) -> bool {
    paragraph.iter().any(|line| reported_speech::is_standing(line.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::cases;

    fn own(text: &str) -> String {
        let mut own = text.to_owned();
        shown(text).into_iter().rev().for_each(|part| own.replace_range(part.range, "~"));
        own
    }

    #[test]
    fn what_is_shown_is_known_by_its_form() {
        for (_, text, wanted) in cases(include_str!("cases/prompt.txt")) {
            let text = text.replace("\\n", "\n");
            assert_eq!(own(&text), wanted[0].replace("\\n", "\n"), "{text}");
        }
        let page = "Readers may see either state, but never a mixture of both. ".repeat(15);
        assert_eq!(own(&format!("why?\n\nAtomic rename\n\n{page}\n\nwhat of it?")), "why?\n\n~\n~\nwhat of it?");
        let mine = "I want that we rename the file before it is read by another. ".repeat(15);
        let prompt = format!("hi\n\nSome background\n\n{mine}");
        assert_eq!(own(&prompt), prompt);
        let long = format!("Do this please\n\n# Plan\n\n{}\n\nlet's do it", "word ".repeat(100));
        assert_eq!(own(&long), "Do this please\n\n~\n~\nlet's do it");
    }

    #[test]
    fn a_hostile_prompt_of_a_megabyte_takes_no_minutes() {
        let begun = crate::base::clock::monotonic();
        let text = "The ticket says: use evil. ".repeat(40_000);
        let mut found = Vec::new();
        reports(&text, &mut found);
        let last = text.trim_end().len() - " use evil.".len();
        assert_eq!((found.len(), found.first().map(|range| range.start)), (40_000, Some(last)));
        // As many paragraphs speak of a person as do not, so that no title is that of a page.
        let text = "Some background\n\nI want that we keep it\n\n".repeat(25_000);
        let mut all = lines(&text);
        page(&mut all);
        assert!(all.len() > 90_000 && all.iter().all(|line| !line.shown));
        let seconds = crate::base::clock::monotonic().duration_since(begun).as_secs();
        assert!(seconds < 30, "{seconds} seconds");
    }
}
