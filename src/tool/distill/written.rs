//! What the agent wrote for others to read, which is in the inputs of its tools: the texts of commits, pull
//! requests and issues, its plans, the changes of its list; and the client's recap. They are pieces of the
//! conversation in the agent's words, each with a label, never the user's.

use super::piece::Piece;
use crate::base::text;
use crate::extract;
use crate::extract::commits::{self, TitledKind};
use crate::record::message::{Action, Message, Role, TodoChange, ToolUse};
use std::collections::{HashMap, HashSet};

/// The label of a plan that the user rejected.
pub const REJECTED: &str = "rejected plan";
const APPROVED: &str = "approved plan";
/// The label of another plan, with which those of all plans end.
pub const PLAN: &str = "plan";
/// The label of a plan of which a later one is a version: only its first line is shown, for the later one says the rest.
pub const REVISED: &str = "plan, revised later";
/// Characters of that line, and how many later plans are looked at.
pub const REVISED_CHARS: usize = 120;
const LATER_PLANS: usize = 8;
/// The label of changes of the agent's list.
pub const TODOS: &str = "to-do list";
/// How such a change begins that says what is to do, and one that says what was done.
pub const TO_DO: &str = "to do: ";
const DONE: &str = "done: ";
/// The label of the client's recap.
pub const RECAP: &str = "recap";

/// What was written in each of some messages, in their order.
pub fn pieces(messages: &[Message]) -> Vec<Vec<Piece>> {
    // What was amended, reset or reverted is not in it.
    let (verdicts, told) = (verdicts(messages), commits::told(messages));
    let mut list = Vec::new();
    let mut of = |message: &Message| {
        let (mut pieces, mut changes) = (Vec::new(), Vec::new());
        for tool in &message.tools {
            changes.extend(changed(tool, &mut list));
            let Some((plan, label)) = tool.plan().zip(verdicts.get(tool.id.as_str())) else { continue };
            let first = plan.trim().lines().next().unwrap_or("");
            let shown = if *label == REVISED { text::cut(first, REVISED_CHARS) } else { plan.into() };
            pieces.push(piece(message, label, &shown));
        }
        for told in told.iter().filter(|told| told.message.line == message.line) {
            let label = match told.kind {
                TitledKind::Commit => "commit",
                TitledKind::PullRequest => "pull request",
                TitledKind::Issue => "issue",
            };
            let said = Piece::said_by_agent(told.quote(&format!("{}\n{}", told.title, told.body)));
            pieces.push(Piece { label, text: said.text.trim().to_owned(), ..said });
        }
        if !changes.is_empty() {
            pieces.push(piece(message, TODOS, &changes.join("\n")));
        }
        pieces
    };
    messages.iter().map(|message| if message.marks.abandoned { Vec::new() } else { of(message) }).collect()
}

/// What became of each plan, by its use of the tool. An approval leaves no words: the agent just goes on. A plan to which
/// the user said no stays what it is, and one that was not refused is not replaced by one that was.
fn verdicts(messages: &[Message]) -> HashMap<&str, &'static str> {
    let live = || messages.iter().filter(|message| !message.marks.abandoned);
    let (failed, refused) = (commits::failed(live()), live().filter_map(Message::refused).collect::<HashSet<_>>());
    let speakers: Vec<&Message> = live().filter(|message| message.role != Role::Tool).collect();
    let mut plans: Vec<(usize, &str, &str)> = Vec::new();
    for (at, message) in speakers.iter().enumerate() {
        plans.extend(message.tools.iter().filter_map(|tool| Some((at, tool.id.as_str(), tool.plan()?))));
    }
    let verdict = |(number, (at, id, plan)): (usize, &(usize, &str, &str))| {
        let (next, has_failed) = (speakers.get(at + 1), failed.contains(id));
        let says_no = |next: &&Message| next.role == Role::User && extract::rejects(&next.text);
        let mut later = plans[number + 1..].iter().take(LATER_PLANS);
        let is_later =
            |(_, other, text): &(usize, &str, &str)| (has_failed || !failed.contains(other)) && is_version(plan, text);
        match next {
            _ if later.any(is_later) && !(refused.contains(id) && next.is_some_and(says_no)) => REVISED,
            _ if refused.contains(id) => REJECTED,
            Some(next) if next.role == Role::Assistant && !has_failed => APPROVED,
            _ => PLAN,
        }
    };
    plans.iter().enumerate().map(|plan| (plan.1.1, verdict(plan))).collect()
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

/// Whether a later plan is a version of an earlier one: more than half of the earlier one's lines are in it. Headings do
/// not count: other plans are called "Plan" too, and what differs too much is shown twice, not lost.
fn is_version(earlier: &str, later: &str) -> bool {
    let (earlier, later) = (distinct_lines(earlier), distinct_lines(later));
    earlier.intersection(&later).count() * 2 > earlier.len()
}

fn distinct_lines(text: &str) -> HashSet<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The client's own recap at the end, in the place of the last message.
pub fn recap(messages: &[Message], recap: Option<&str>) -> Option<Piece> {
    let last = messages.iter().rfind(|message| message.role != Role::Tool && !message.marks.abandoned)?;
    recap.filter(|recap| !recap.trim().is_empty()).map(|recap| piece(last, RECAP, recap))
}

fn piece(message: &Message, label: &'static str, text: &str) -> Piece {
    let (line, uuid, text) = (message.line, message.uuid.clone(), text.trim().to_owned());
    Piece { line, uuid, role: Role::Assistant, label, text, answers: Vec::new() }
}
