//! Where a session stands: what a person would tell who hands the work over, read from its records
//! without a model. One line a point, within a bound: the lists first, for they are short, then the
//! agent's last words, as much of them as fits.

pub mod files;
mod plan;
mod ran;

use super::commits::{self, Kind};
use super::going_on::goes_on;
use super::heard::Heard;
use super::{open_items, voice};
use crate::agent::transcript::End;
use crate::base::text;
use crate::record::message::{Message, Role, ToolUse};
use crate::redact::Redactor;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// Characters of all points together. A start has 1,500, its own first line included.
const ALL_CHARS: usize = 1330;
/// Characters of the goal: its head, its end.
const GOAL: (usize, usize) = (250, 130);
/// Characters of the request before the goal, and the goal that is so short that it needs it.
const BEFORE_CHARS: usize = 160;
const SHORT_GOAL: usize = 60;
/// Characters of a prompt that only goes on, of a point of a list, of a title.
const PROMPT_CHARS: usize = 80;
const POINT_CHARS: usize = 80;
const TITLE_CHARS: usize = 90;
/// How many of each are named.
const COMMITS: usize = 2;
const UNFINISHED: usize = 6;
/// The share of the last answer that its head gets, in percent: its end says what comes next.
const HEAD_PERCENT: usize = 25;
/// What stands for what is left out in the middle, and the longest question that is kept from there.
const CUT: &str = " […] ";
const QUESTION_CHARS: usize = 200;
/// Characters of what was said before the last answer, each time, and the least that says something.
const SAID_CHARS: usize = 160;
const LEAST_CHARS: usize = 40;
/// An answer of fewer characters, with no work, says that nothing was asked.
const IDLE_CHARS: usize = 45;
const IDLE_PROMPT_CHARS: usize = 100;
/// Messages from the end that are looked at for what was said.
const SAID: usize = 40;

/// The points, masked, each of one line; none when nobody typed anything.
pub fn points(messages: &[Message], end: &End, heard: &Heard, cwd: &Path, redactor: &Redactor) -> Vec<String> {
    let live: Vec<&Message> =
        messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain).collect();
    let shown = |message: &Message| {
        let mut message = message.clone();
        message.show(redactor);
        Some(words(&message.text)).filter(|said| voice::says_something(said)).unwrap_or_default()
    };
    let typed = |message: &&&Message| message.role == Role::User && message.is_conversation();
    let Some(last) = live.iter().rev().find(typed) else { return Vec::new() };
    let mut points = Vec::new();
    let prompts: Vec<&&Message> = live.iter().filter(typed).collect();
    let requests: Vec<&&&Message> = prompts.iter().rev().filter(|prompt| !asks_nothing(prompt)).collect();
    let mut idle = idle_turns(&live);
    if requests.iter().all(|prompt| idle.contains(&prompt.line)) {
        idle.clear();
    }
    let requests = requests.into_iter().filter(|prompt| !idle.contains(&prompt.line));
    // One that only shows what somebody else wrote says nothing of it.
    let says = |prompt: &&&Message| Some((prompt.line, shown(prompt))).filter(|(_, said)| !said.is_empty());
    let mut requests = requests.filter_map(says);
    // One that was only told to go on has the goal of the session before it.
    let goal = requests.next();
    if let Some((_, said)) = &goal {
        points.push(format!("Goal: {}", ends(said, GOAL.0, GOAL.1)));
        if said.chars().count() < SHORT_GOAL
            && let Some((_, before)) = requests.next()
        {
            points.push(format!("Asked before that: {}", ends(&before, BEFORE_CHARS, 0)));
        }
    }
    let said = shown(last);
    if !said.is_empty() && goal.is_none_or(|(line, _)| line != last.line) {
        points.push(format!("The user's last words: {}", ends(&said, PROMPT_CHARS, 0)));
    }
    let (tools, failed, refused) = tools(&live);
    let not_approved: HashSet<&str> = failed.union(&refused).copied().collect();
    let joined = |label: &str, items: &[String]| format!("{label}: {}", items.join(", "));
    let unfinished = unfinished(messages, redactor);
    points.extend(plan::point(&live, &not_approved, unfinished.is_some(), redactor));
    points.extend(unfinished);
    let (changed, seen) = files::last(&tools, cwd, redactor);
    if !changed.is_empty() {
        points.push(joined("Changed last", &changed));
    }
    if !seen.is_empty() {
        points.push(joined("Also looked at", &seen));
    }
    points.extend(ran::points(&tools, &failed, end, redactor));
    let commits = commits(messages, heard, redactor);
    if !commits.is_empty() {
        points.push(format!("Commits: {}", commits.join("; ")));
    }
    points.extend(end.pull_request.iter().map(|url| format!("Pull request: {}", redactor.shown(url))));
    let recap = end.recap.as_deref().map(|recap| voice::own_recap(recap, heard));
    let recap = recap.filter(|recap| voice::says_something(recap));
    points.extend(recap.map(|recap| format!("Recap: {}", ends(&words(&redactor.shown(&recap)), 300, 0))));
    points.extend(how_it_ended(&live, end));
    let used: usize = points.iter().map(|point| point.chars().count() + 3).sum();
    // A good-bye is not where it stood.
    let told: Vec<&Message> = live.iter().copied().filter(|message| !idle.contains(&message.line)).collect();
    let told = if told.iter().any(|message| message.role == Role::Assistant) { told } else { live };
    points.extend(last_words(&told, ALL_CHARS.saturating_sub(used), shown));
    points
}

/// The uses of tools, without those that the user refused, for these did nothing; the ids of those that failed; and of
/// those that were refused.
fn tools<'m>(live: &[&'m Message]) -> (Vec<&'m ToolUse>, HashSet<&'m str>, HashSet<&'m str>) {
    let refused: HashSet<&str> = live.iter().filter_map(|message| message.refused()).collect();
    let done = |tool: &&ToolUse| !refused.contains(tool.id.as_str());
    let tools = live.iter().flat_map(|message| &message.tools).filter(done).collect();
    let errors = live.iter().filter(|message| message.role == Role::Tool && message.is_error);
    (tools, errors.filter_map(|message| message.tool_use_id.as_deref()).collect(), refused)
}

/// Whether the last check of the work failed.
pub fn is_broken(messages: &[Message], end: &End, redactor: &Redactor) -> bool {
    let live: Vec<&Message> = messages.iter().filter(|message| !message.marks.abandoned).collect();
    let (tools, failed, _) = tools(&live);
    ran::is_broken(&tools, &failed, end, redactor)
}

/// The lines of turns in which a prompt that asks nothing got a few words and no work: "works now, thanks".
fn idle_turns(live: &[&Message]) -> HashSet<u64> {
    let mut idle = HashSet::new();
    let is_prompt = |message: &&Message| message.role == Role::User && message.is_conversation();
    let starts: Vec<usize> = (0..live.len()).filter(|at| live.get(*at).is_some_and(is_prompt)).collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(live.len());
        let Some((prompt, answers)) = live.get(*start..end).and_then(<[_]>::split_first) else { continue };
        let said: usize = answers.iter().map(|message| message.text.chars().count()).sum();
        let worked = answers.iter().any(|message| !message.tools.is_empty());
        let short = prompt.text.chars().nth(IDLE_PROMPT_CHARS).is_none() && !prompt.text.contains('?');
        if (1..IDLE_CHARS).contains(&said) && !worked && short {
            idle.extend(live.get(*start..end).unwrap_or_default().iter().map(|message| message.line));
        }
    }
    idle
}

/// Whether a person asked for something.
pub fn has_request(messages: &[Message]) -> bool {
    let mut typed = messages.iter().filter(|message| message.role == Role::User && message.is_conversation());
    typed.any(|message| !message.marks.abandoned && !asks_nothing(message))
}

/// The agent's last answer, and what it said before where room is left.
fn last_words(live: &[&Message], room: usize, shown: impl Fn(&Message) -> String) -> Vec<String> {
    const LAST: &str = "Last answer: ";
    const BEFORE: &str = "Said before: ";
    let says = live.iter().rev().filter(|message| message.role == Role::Assistant && message.is_conversation());
    let mut says = says.take(SAID).map(|message| shown(message)).filter(|text| !text.is_empty());
    let Some(last) = says.next() else { return Vec::new() };
    let room = room.saturating_sub(LAST.len()).max(LEAST_CHARS);
    let head = room * HEAD_PERCENT / 100;
    let last = with_question(&last, head, room.saturating_sub(head));
    let mut left = room.saturating_sub(last.chars().count() + BEFORE.len());
    let mut points = vec![format!("{LAST}{last}")];
    let mut before = Vec::new();
    for said in says {
        if left < LEAST_CHARS {
            break;
        }
        let said = ends(&said, left.min(SAID_CHARS), 0).into_owned();
        left = left.saturating_sub(said.chars().count() + 3);
        before.push(said);
    }
    if !before.is_empty() {
        before.reverse();
        points.push(format!("{BEFORE}{}", before.join(" / ")));
    }
    points
}

/// In words whether the last turn came to its end; nothing where it did.
fn how_it_ended(live: &[&Message], end: &End) -> Option<String> {
    let last = live.iter().rev().find(|message| message.role != Role::Tool && !message.marks.meta)?;
    let how = if end.interrupted {
        "the user interrupted the last turn"
    } else if last.role == Role::User {
        "the last words of the user were not answered"
    } else if !last.tools.is_empty() {
        "in the middle of a turn: the agent was still working"
    } else {
        return None;
    };
    Some(format!("Ended: {how}"))
}

/// What of the agent's own list is not done.
fn unfinished(messages: &[Message], redactor: &Redactor) -> Option<String> {
    let (list, _) = open_items::todos(messages)?;
    let done = list.iter().filter(|todo| todo.done).count();
    let left: Vec<String> = list
        .iter()
        .filter(|todo| !todo.done && !todo.text.is_empty() && !todo.text.contains(voice::CUT))
        .take(UNFINISHED)
        .map(|todo| ends(&words(&redactor.shown(&todo.text)), POINT_CHARS, 0).into_owned())
        .collect();
    (!left.is_empty()).then(|| format!("Of its list {done} of {} are done, to do: {}", list.len(), left.join("; ")))
}

/// The titles of the commits that were made last, in their order, as they are at the end.
fn commits(messages: &[Message], heard: &Heard, redactor: &Redactor) -> Vec<String> {
    let told = commits::told(messages);
    let mut titles: Vec<&str> =
        told.iter().filter(|told| told.kind == Kind::Commit).map(|told| told.title.as_str()).collect();
    titles.retain(|title| voice::is_own(title, heard));
    let last = titles.split_off(titles.len().saturating_sub(COMMITS));
    last.into_iter().map(|title| text::cut(&redactor.shown(title), TITLE_CHARS).into_owned()).collect()
}

/// A text as prose on one line: without code blocks, headings' signs and bold ones.
fn words(text: &str) -> String {
    let mut code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            lines.push(line.trim().trim_start_matches('#'));
        }
    }
    // Where a block is not closed it is not known what is code.
    let text = if code { Cow::Borrowed(text) } else { Cow::Owned(lines.join(" ")) };
    let text = text.replace("**", "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The head and the end of a text, cut at blanks.
fn ends(text: &str, head: usize, tail: usize) -> Cow<'_, str> {
    match parts(text, head, tail) {
        None => Cow::Borrowed(text),
        Some((start, "")) => Cow::Owned(format!("{start} …")),
        Some((start, end)) => Cow::Owned(format!("{start}{CUT}{end}")),
    }
}

/// These two; None where the text is short enough.
fn parts(text: &str, head: usize, tail: usize) -> Option<(&str, &str)> {
    let count = text.chars().count();
    if count <= head + tail + 5 {
        return None;
    }
    let start = text::cut_at_blank(text, head).trim_end();
    if tail == 0 {
        return Some((start, ""));
    }
    let (at, _) = text.char_indices().nth(count - tail)?;
    let end = text.get(at..).unwrap_or_default();
    Some((start, end.split_once(' ').map_or(end, |(_, whole)| whole)))
}

/// The head and the end of an answer, and its last question where that is between them.
fn with_question(text: &str, head: usize, tail: usize) -> String {
    let whole = || ends(text, head, tail).into_owned();
    let Some((start, end)) = parts(text, head, tail) else { return whole() };
    let (from, to) = (start.len(), text.len().saturating_sub(end.len()));
    // The mark of the last question that does not end in what is shown.
    let asked = text.get(..to).and_then(|shown| shown.rfind('?')).filter(|at| *at > from && !end.contains('?'));
    let begins = |at: usize| {
        let sentences = text.get(..at).unwrap_or_default().rfind(['.', '?', '!', ':']);
        sentences.map_or(0, |dot| dot + 1)
    };
    let question = asked.and_then(|at| text.get(begins(at)..=at)).map(str::trim);
    let Some(question) = question.filter(|question| (10..QUESTION_CHARS).contains(&question.chars().count())) else {
        return whole();
    };
    let room = question.chars().count() + CUT.chars().count();
    match parts(text, head, tail.saturating_sub(room)) {
        Some((start, end)) => format!("{start}{CUT}{question}{CUT}{end}"),
        None => whole(),
    }
}

/// Whether a prompt asks for nothing new.
fn asks_nothing(prompt: &Message) -> bool {
    goes_on(&words(&prompt.text)) || open_items::closes(prompt)
}
