//! A conversation in pieces: what was said in its messages, the errors of tools, and what the agent wrote for others to read,
//! which is in the inputs of its tools: the texts of commits, pull requests and issues, its plans, the changes of its list;
//! and the client's recap. What was written has a label, and is the agent's words, never the user's.

use crate::agent::wrappers;
use crate::base::text;
use crate::extract;
use crate::extract::commits::{self, TitledKind};
use crate::record::item::Evidence;
use crate::record::message::{Action, Answer, Message, Role, TodoChange, ToolUse};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The label of a plan that the user rejected.
pub const REJECTED: &str = "rejected plan";
const APPROVED: &str = "approved plan";
/// The label of another plan, with which those of all plans end.
pub const PLAN: &str = "plan";
/// The label of a plan of which a later one is a version: only its first line is shown, for the later one says the rest.
pub const REVISED: &str = "plan, revised later";
/// Characters of that line, and how many later plans are looked at.
const REVISED_CHARS: usize = 120;
const LATER_PLANS: usize = 8;
/// The label of changes of the agent's list.
pub const TODOS: &str = "to-do list";
/// How such a change begins that says what is to do, and one that says what was done.
pub const TO_DO: &str = "to do: ";
const DONE: &str = "done: ";
/// The label of the client's recap.
pub const RECAP: &str = "recap";

/// A piece: quotes are looked up in these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The transcript's line.
    pub line: u64,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// What it is, where it was not said; else "".
    pub label: &'static str,
    /// What is said or written.
    pub text: String,
    /// What the user answered to the agent's questions, which it holds too: only these are the user's.
    pub answers: Vec<String>,
}

impl Piece {
    /// What a message says, as `text` has it.
    fn new(message: &Message, text: &str) -> Self {
        // The user's answers are in a tool's result, and a plan that the user approved is the agent's.
        let role = match message.answers.is_empty() {
            _ if message.plan => Role::Assistant,
            true => message.role,
            false => Role::User,
        };
        let answers = message.answers.iter().map(|answer| answer.said.clone()).collect();
        Self { role, answers, ..Self::written("", message.quote(text)) }
    }

    /// What the agent wrote elsewhere than in a message.
    pub fn written(label: &'static str, Evidence { quote, line, uuid, .. }: Evidence) -> Self {
        let (line, text) = (line.unwrap_or(0), quote.trim().to_owned());
        Self { line, uuid, role: Role::Assistant, label, text, answers: Vec::new() }
    }

    /// The line before it: where it is, who speaks, and what it is.
    pub fn head(&self) -> String {
        let who = if self.role == Role::Tool { "tool error" } else { self.role.word() };
        let label = if self.label.is_empty() { String::new() } else { format!(": {}", self.label) };
        format!("[line {} {who}{label}]\n", self.line)
    }
}

/// All pieces of a session, whole, in file order: what was said in a message, then what was written in it.
pub fn all(messages: &[Message], recap: Option<&str>) -> Vec<Piece> {
    // What was amended, reset or reverted is not in it.
    let (verdicts, told) = (verdicts(messages), commits::told(messages));
    let (mut all, mut list) = (Vec::new(), Vec::new());
    let live = || messages.iter().filter(|message| !message.marks.abandoned);
    for message in live() {
        all.extend(said(message));
        for tool in &message.tools {
            let Some((plan, label)) = tool.plan().zip(verdicts.get(tool.id.as_str())) else { continue };
            let first = plan.trim().lines().next().unwrap_or("");
            let shown = if *label == REVISED { text::cut(first, REVISED_CHARS) } else { plan.into() };
            all.push(Piece::written(label, message.quote(&shown)));
        }
        for told in told.iter().filter(|told| told.message.line == message.line) {
            let label = match told.kind {
                TitledKind::Commit => "commit",
                TitledKind::PullRequest => "pull request",
                TitledKind::Issue => "issue",
            };
            all.push(Piece::written(label, told.quote(&format!("{}\n{}", told.title, told.body))));
        }
        let changes: Vec<String> = message.tools.iter().flat_map(|tool| changed(tool, &mut list)).collect();
        if !changes.is_empty() {
            all.push(Piece::written(TODOS, message.quote(&changes.join("\n"))));
        }
    }
    // The client's own recap is in the place of the last message.
    let recap = recap.filter(|recap| !recap.trim().is_empty());
    let speaker = live().rfind(|message| message.role != Role::Tool);
    all.extend(speaker.zip(recap).map(|(last, recap)| Piece::written(RECAP, last.quote(recap))));
    all
}

/// What is said in a message of the conversation, or the error of a tool, or what the user answered to the agent's questions,
/// which is in a tool's result.
fn said(message: &Message) -> Option<Piece> {
    let of = |answer: &Answer| match answer.others.join(", ") {
        others if others.is_empty() => answer.pair(),
        others => format!("{} (not chosen: {others})", answer.pair()),
    };
    let text = if message.answers.is_empty() {
        // What is pasted can be what the work is about, so the model reads it, as a quotation.
        wrappers::with_quoted_pastes(&message.text)
    } else {
        Cow::Owned(message.answers.iter().map(of).collect::<Vec<_>>().join("\n"))
    };
    let is_error = message.role == Role::Tool && message.is_error;
    let is_wanted = message.is_conversation() || is_error || !message.answers.is_empty();
    (is_wanted && !message.text.trim().is_empty()).then(|| Piece::new(message, &text))
}

/// What became of each plan, by its use of the tool. An approval leaves no words: the agent just goes on. A plan to which
/// the user said no stays what it is, and one that was not refused is not replaced by one that was.
fn verdicts(messages: &[Message]) -> HashMap<&str, &'static str> {
    let live = || messages.iter().filter(|message| !message.marks.abandoned);
    let (failed, refused) = (commits::failed(live()), live().filter_map(Message::refused).collect::<HashSet<_>>());
    let speakers: Vec<&Message> = live().filter(|message| message.role != Role::Tool).collect();
    // Each with what was said next.
    let mut plans: Vec<(&str, &str, Option<&Message>)> = Vec::new();
    for (at, message) in speakers.iter().enumerate() {
        let next = speakers.get(at + 1).copied();
        plans.extend(message.tools.iter().filter_map(|tool| Some((tool.id.as_str(), tool.plan()?, next))));
    }
    let verdict = |number: usize, (id, plan, next): (&str, &str, Option<&Message>)| {
        let has_failed = failed.contains(id);
        let mut later = plans[number + 1..].iter().take(LATER_PLANS);
        let is_revised =
            later.any(|(other, text, _)| (has_failed || !failed.contains(other)) && is_version(plan, text));
        let says_no = next.is_some_and(|next| next.role == Role::User && extract::rejects(&next.text));
        match next {
            _ if is_revised && !(refused.contains(id) && says_no) => REVISED,
            _ if refused.contains(id) => REJECTED,
            Some(next) if next.role == Role::Assistant && !has_failed => APPROVED,
            _ => PLAN,
        }
    };
    plans.iter().enumerate().map(|(number, plan)| (plan.0, verdict(number, *plan))).collect()
}

/// Whether a later plan is a version of an earlier one: more than half of the earlier one's lines are in it. Headings do
/// not count: other plans are called "Plan" too, and what differs too much is shown twice, not lost.
fn is_version(earlier: &str, later: &str) -> bool {
    let (earlier, later) = (distinct_lines(earlier), distinct_lines(later));
    earlier.intersection(&later).count() * 2 > earlier.len()
}

fn distinct_lines(text: &str) -> HashSet<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// What a tool changes in the agent's list, a line each.
fn changed(tool: &ToolUse, list: &mut Vec<(String, bool)>) -> Vec<String> {
    let Action::Todos(change) = &tool.action else { return Vec::new() };
    let before = list.clone();
    match change {
        TodoChange::All(points) => list.clone_from(points),
        TodoChange::Add(text) => list.push((text.clone(), false)),
        TodoChange::Update { number, done, text } => {
            if let Some(point) = number.and_then(|number| list.get_mut(number.checked_sub(1)?)) {
                *point = (text.as_ref().unwrap_or(&point.0).clone(), point.1 | done);
            }
        }
    }
    let news = list.iter().filter(|point| !point.0.is_empty() && !before.contains(point));
    // A list that was done makes room for the next one.
    let gone = before.iter().filter(|(text, done)| !done && list.iter().all(|(other, _)| other != text));
    let lines = news.map(|(text, done)| format!("{}{text}", if *done { DONE } else { TO_DO }));
    lines.chain(gone.map(|(text, _)| format!("no longer in it: {text}"))).collect()
}

/// The lines of a text, each behind the mark of a quotation.
pub fn quoted(text: &str) -> String {
    let lines = text.split(is_break).map(str::trim_end).filter(|line| !line.is_empty());
    lines.flat_map(|line| ["> ", line, "\n"]).collect()
}

/// Whether a line ends here for any reader.
pub fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}') || text::is_line_break(letter)
}
