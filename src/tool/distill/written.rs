//! What the agent wrote for others to read, which is in the inputs of its tools: the texts of commits, pull
//! requests and issues, its plans, the changes of its list; and the client's recap. They are pieces of the
//! conversation in the agent's words, each with a label, never the user's.

use super::piece::Piece;
use crate::base::text;
use crate::extract;
use crate::extract::commits::{self, Titled, TitledKind};
use crate::record::message::{Action, Message, Role, TodoChange, ToolUse};
use std::collections::HashSet;

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

/// What of a session was written; the messages are given in their order.
pub struct Written<'a> {
    /// The uses of tools that failed or that the user refused, and the latter.
    failed: HashSet<&'a str>,
    refused: HashSet<&'a str>,
    /// Behind these messages, by their lines, the agent goes on without a word of the user's.
    goes_on: HashSet<u64>,
    /// The plans of which a later one is a version.
    revised: HashSet<&'a str>,
    todos: Vec<(String, bool)>,
    /// The texts of commits, pull requests and issues: what was amended, reset or reverted is not in it.
    told: Vec<Titled<'a>>,
}

impl<'a> Written<'a> {
    /// Of a conversation of which these are the messages.
    pub fn new(messages: &'a [Message]) -> Self {
        let live = || messages.iter().filter(|message| !message.marks.abandoned);
        let speakers: Vec<&Message> = live().filter(|message| message.role != Role::Tool).collect();
        let pairs = speakers.windows(2).filter(|pair| pair[1].role == Role::Assistant);
        let goes_on = pairs.map(|pair| pair[0].line).collect();
        let (failed, refused) = (commits::failed(live()), live().filter_map(Message::refused).collect());
        let (revised, told) = (revised(&speakers, &failed, &refused), commits::told(messages));
        Self { failed, refused, goes_on, revised, todos: Vec::new(), told }
    }

    /// What was written in the next message.
    pub fn of(&mut self, message: &Message) -> Vec<Piece> {
        if message.marks.abandoned {
            return Vec::new();
        }
        let (mut pieces, mut changes) = (Vec::new(), Vec::new());
        for tool in &message.tools {
            changes.extend(self.changed(tool));
            if let Some(plan) = tool.plan() {
                let label = self.verdict(message, tool);
                let first = || text::cut(plan.trim().lines().next().unwrap_or(""), REVISED_CHARS);
                pieces.push(piece(message, label, &if label == REVISED { first() } else { plan.into() }));
            }
        }
        for told in self.told.iter().filter(|told| told.message.line == message.line) {
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
    }

    /// What became of a plan. Its approval leaves no words: the agent just goes on.
    fn verdict(&self, message: &Message, tool: &ToolUse) -> &'static str {
        let id = tool.id.as_str();
        match () {
            () if self.revised.contains(id) => REVISED,
            () if self.refused.contains(id) => REJECTED,
            () if self.goes_on.contains(&message.line) && !self.failed.contains(id) => APPROVED,
            () => PLAN,
        }
    }

    /// What a tool changes in the list, a line each.
    fn changed(&mut self, tool: &ToolUse) -> Vec<String> {
        let Action::Todos(change) = &tool.action else { return Vec::new() };
        let mut list = self.todos.clone();
        match change {
            TodoChange::All(points) => list.clone_from(points),
            TodoChange::Add(text) => list.push((text.clone(), false)),
            TodoChange::Update { number, done, text } => {
                if let Some(point) = number.and_then(|number| list.get_mut(number.checked_sub(1)?)) {
                    *point = (text.as_ref().unwrap_or(&point.0).clone(), point.1 | done);
                }
            }
        }
        let was: HashSet<&(String, bool)> = self.todos.iter().collect();
        let is: HashSet<&str> = list.iter().map(|(text, _)| text.as_str()).collect();
        let news = list.iter().filter(|point| !point.0.is_empty() && !was.contains(point));
        // A list that was done makes room for the next one.
        let gone = self.todos.iter().filter(|(text, done)| !done && !is.contains(text.as_str()));
        let lines = news.map(|(text, done)| format!("{}{text}", if *done { DONE } else { TO_DO }));
        let lines = lines.chain(gone.map(|(text, _)| format!("no longer in it: {text}"))).collect();
        self.todos = list;
        lines
    }
}

/// The plans of which a later one is a version, by their uses of the tool. A plan to which the user said no stays what
/// it is, and one that was not refused is not replaced by one that was.
fn revised<'a>(speakers: &[&'a Message], failed: &HashSet<&str>, refused: &HashSet<&str>) -> HashSet<&'a str> {
    let mut plans: Vec<(usize, &'a str, &'a str)> = Vec::new();
    for (at, message) in speakers.iter().enumerate() {
        plans.extend(message.tools.iter().filter_map(|tool| Some((at, tool.id.as_str(), tool.plan()?))));
    }
    let is_no = |next: &&Message| next.role == Role::User && extract::rejects(&next.text);
    let said_no = |at: usize| speakers.get(at + 1).is_some_and(is_no);
    let is_revised = |number: &usize| {
        let (at, id, plan) = plans[*number];
        let mut later = plans[number + 1..].iter().take(LATER_PLANS);
        later.any(|(_, other, text)| (failed.contains(id) || !failed.contains(other)) && is_version(plan, text))
            && !(refused.contains(id) && said_no(at))
    };
    (0..plans.len()).filter(is_revised).map(|number| plans[number].1).collect()
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
