//! A piece of a conversation as the model is shown it: a message, an error, or what the agent wrote with a tool.

use crate::base::text;
use crate::record::item::Evidence;
use crate::record::message::{Answer, Message, Role};

/// A message or an error as it is in the prompt: quotes are looked up in these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The transcript's line.
    pub line: u64,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// What it is, where it was not said: see [`super::written`].
    pub label: &'static str,
    /// What is in the prompt.
    pub text: String,
    /// What the user answered to the agent's questions, which it holds too: only these are the user's.
    pub answers: Vec<String>,
}

impl Piece {
    /// What a message says, as `text` has it.
    pub fn new(message: &Message, text: String) -> Self {
        // The user's answers are in a tool's result, and a plan that the user approved is the agent's.
        let role = match message.answers.is_empty() {
            _ if message.plan => Role::Assistant,
            true => message.role,
            false => Role::User,
        };
        let answers = message.answers.iter().map(|answer| answer.said.clone()).collect();
        let (line, uuid) = (message.line, message.uuid.clone());
        Self { line, uuid, role, label: "", text, answers }
    }

    /// What the agent wrote elsewhere than in a message.
    pub fn said_by_agent(Evidence { quote: text, line, uuid, .. }: Evidence) -> Self {
        Self { line: line.unwrap_or(0), uuid, role: Role::Assistant, label: "", text, answers: Vec::new() }
    }

    /// The line before it: where it is, who speaks, and what it is.
    pub fn head(&self) -> String {
        let who = if self.role == Role::Tool { "tool error" } else { self.role.word() };
        let label = if self.label.is_empty() { String::new() } else { format!(": {}", self.label) };
        format!("[line {} {who}{label}]\n", self.line)
    }
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

/// What the user answered to the agent's questions, which is in a tool's result, and what else they could have.
pub fn answered(message: &Message) -> Option<String> {
    let of = |answer: &Answer| match answer.others.join(", ") {
        others if others.is_empty() => answer.pair(),
        others => format!("{} (not chosen: {others})", answer.pair()),
    };
    let pairs: Vec<String> = message.answers.iter().map(of).collect();
    (!pairs.is_empty()).then(|| pairs.join("\n"))
}
