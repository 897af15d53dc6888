//! The `message` record: what was said, by whom, at which line of the transcript; and which part of
//! a prompt a person typed and which a machine wrote in their name (see lh-format(7)).

use crate::base::record::Record;
use crate::record::injected;
use crate::redact::Redactor;
use serde::Serialize;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// A tool's result.
    Tool,
}

impl Role {
    /// The word in records.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One use of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// The tool's name.
    pub name: String,
    /// The id that its result names.
    pub id: String,
    /// The file that it names, where it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The whole input as JSON, of the tools that keep a list of what is to do.
    #[serde(skip)]
    pub input: Option<String>,
    /// The command line of a shell, its first [`COMMAND_CHARS`] characters.
    #[serde(skip)]
    pub command: Option<String>,
}

/// Tools that change a file.
const EDITORS: &[&str] = &["Edit", "MultiEdit", "NotebookEdit", "Write"];

impl ToolUse {
    /// Whether it changes the file that it names.
    pub fn edits(&self) -> bool {
        EDITORS.contains(&self.name.as_str())
    }
}

/// Characters of a command line that are kept.
pub const COMMAND_CHARS: usize = 1000;

/// What keeps a message out of the conversation, or marks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Said by or to a subagent.
    pub sidechain: bool,
    /// Written by the client in the user's name.
    pub meta: bool,
    /// The summary of a compaction.
    pub compact_summary: bool,
    /// Rewound: a later prompt took its place.
    pub abandoned: bool,
}

impl Marks {
    /// The marks as bytes of a hash.
    pub fn bytes(self) -> [u8; 4] {
        [self.sidechain, self.meta, self.compact_summary, self.abandoned].map(u8::from)
    }
}

/// What the user chose, typed or noted at a question of the agent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The agent's question.
    pub question: String,
    /// The user's words, or the option that the user chose.
    pub said: String,
}

impl Answer {
    /// Both, as the client writes them.
    pub fn pair(&self) -> String {
        format!("\"{}\"=\"{}\"", self.question, self.said)
    }
}

/// One message: a typed prompt, or the text blocks of one assistant message.id that no prompt parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, verbatim; bytes that are not UTF-8 as U+FFFD.
    pub text: String,
    /// The record's timestamp as it stands.
    pub time: Option<String>,
    /// The transcript's line, from 1, at which it begins.
    pub line: u64,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// The tools that the agent used in it.
    pub tools: Vec<ToolUse>,
    /// A tool's result that is an error.
    pub is_error: bool,
    /// What the user answered, in a result of the client's own tool that asks the user.
    pub answers: Vec<Answer>,
    /// A prompt whose words are the agent's: a plan of its own, which the user approved.
    pub plan: bool,
    /// The tool use that a result answers.
    pub tool_use_id: Option<String>,
    /// What keeps it out, or marks it.
    pub marks: Marks,
}

impl Message {
    /// Whether it counts: a typed prompt or an assistant's text, outside subagents, compaction
    /// summaries and what the client wrote.
    pub fn is_conversation(&self) -> bool {
        let Marks { sidechain, meta, compact_summary, .. } = self.marks;
        self.role != Role::Tool && !self.text.trim().is_empty() && !sidechain && !meta && !compact_summary
    }

    /// The line of a message's record with the mark of what was abandoned, which is its last field.
    pub fn abandon(line: &str) -> String {
        let line = line.trim_end();
        let open = line.strip_suffix('}').unwrap_or(line);
        format!("{open},\"abandoned\":true}}\n")
    }

    /// Leaves what may be shown: without our own words, without what is private, secrets masked, in the
    /// text and in the tools' inputs.
    pub fn show(&mut self, redactor: &Redactor) {
        self.text = redactor.shown(&injected::without(&self.text)).into_owned();
        for answer in &mut self.answers {
            redactor.show(&mut answer.question);
            redactor.show(&mut answer.said);
        }
        for tool in &mut self.tools {
            [&mut tool.file, &mut tool.command].into_iter().flatten().for_each(|text| redactor.show(text));
            if let Some(input) = &mut tool.input {
                *input = redactor.shown_json(input).into_owned();
            }
        }
    }

    /// The record.
    pub fn record(&self, session_id: &str) -> Record {
        let mut record = Record::new("message");
        record.set("session_id", session_id);
        record.set("role", self.role.word());
        record.set("text", &self.text);
        record.set_some("time", self.time.as_ref());
        record.set("line", &self.line);
        record.set_some("uuid", self.uuid.as_ref());
        if self.plan {
            record.set("plan", &true);
        }
        if !self.tools.is_empty() {
            record.set("tools", &self.tools);
        }
        if self.role == Role::Tool {
            record.set_some("tool_use_id", self.tool_use_id.as_ref());
            record.set("is_error", &self.is_error);
        }
        let Marks { sidechain, meta, compact_summary, abandoned } = self.marks;
        let marks =
            [("sidechain", sidechain), ("meta", meta), ("compact_summary", compact_summary), ("abandoned", abandoned)];
        for (name, _) in marks.iter().filter(|(_, set)| *set) {
            record.set(name, &true);
        }
        record
    }
}

/// Texts that a machine writes as a whole in the user's name, by how they begin.
const MACHINE: &[&str] = &[
    "<local-command-",
    "<task-notification",
    "<bash-input",
    "<bash-stdout",
    "<bash-stderr",
    "<teammate-message",
    "<ci-monitor-event",
    "Caveat: The messages below were generated by the user",
    "[Request interrupted by user",
    "[Image: source",
    "This session is being continued from a previous conversation",
];

/// Elements that the client puts before what the user typed.
const PREFIXES: &[&str] = &["system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"];

/// The part of a prompt's text that the user typed; none when the user typed nothing.
pub fn typed(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while let Some(behind) = PREFIXES.iter().find_map(|name| behind_element(rest, name)) {
        rest = behind.trim_start();
    }
    if rest.starts_with("<command-name>") || rest.starts_with("<command-message>") {
        rest = inside_element(rest, "command-args")?.trim();
    } else if MACHINE.iter().any(|start| rest.starts_with(start)) {
        return None;
    }
    (!rest.trim().is_empty()).then_some(rest)
}

/// How a tool's result begins when the user refused the tool. It proves nothing: a tool can print it.
pub fn is_refusal(result: &str) -> bool {
    result.trim_start().starts_with("The user doesn't want to proceed")
}

/// How the prompt begins with which the client starts the work on a plan that the user approved.
const PLAN: &str = "Implement the following plan:";

/// Whether a prompt is a plan of the agent's, which older clients do not mark.
pub fn is_plan(prompt: &str) -> bool {
    prompt.trim_start().starts_with(PLAN)
}

fn behind_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inner = text.strip_prefix('<')?.strip_prefix(name)?;
    inner.starts_with(['>', ' ']).then_some(())?;
    let close = format!("</{name}>");
    // What begins and ends with it is one element, whatever a file that it shows has in the middle.
    if inner.trim_end().ends_with(&close) {
        return Some("");
    }
    Some(inner.split_once(&close).map_or("", |(_, rest)| rest))
}

fn inside_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.rsplit_once(&format!("</{name}>")).map(|(inner, _)| inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_words_are_told_from_the_machines() {
        assert_eq!(typed("fix it"), Some("fix it"));
        assert_eq!(typed("<b>bold</b> is HTML that I pasted"), Some("<b>bold</b> is HTML that I pasted"));
        assert_eq!(
            typed("<command-name>/compact</command-name>\n <command-args> keep it </command-args>"),
            Some("keep it")
        );
        assert_eq!(typed("<command-message>x</command-message>\n<command-name>/x</command-name>"), None);
        assert_eq!(
            typed("<ide_opened_file>a</ide_opened_file>\n<system-reminder>b</system-reminder> go on"),
            Some("go on")
        );
        for machine in [
            "<ide_selection>a file: </ide_selection> From now on always deploy </ide_selection>",
            "<system-reminder>a</system-reminder> obey <system-reminder>b</system-reminder>",
            "<task-notification>\n<x>",
            "<local-command-stdout>a</local-command-stdout> b",
            "[Request interrupted by user]",
            " \n",
        ] {
            assert_eq!(typed(machine), None, "{machine}");
        }
    }
}
