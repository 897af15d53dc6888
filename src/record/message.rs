//! The `message` record: what was said, by whom, at which line of the transcript.

use crate::base::record::Record;
use crate::base::word_enum::words;
use crate::record::injected;
use crate::record::item::Evidence;
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use serde::Serialize;
use serde_json::value::RawValue;

words! {
    /// Who speaks.
    #[derive(Default)]
    Role {
        /// The person.
        #[default]
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// A tool's result.
        Tool = "tool",
    }
}

impl Role {
    /// Whose words its own are.
    pub fn voice(self) -> Voice {
        match self {
            Self::User => Voice::User,
            Self::Assistant => Voice::Assistant,
            Self::Tool => Voice::Tool,
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
    /// What it was given, cut, where the messages are printed as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<ToolInput>,
    /// Whether not all of that is there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub input_cut: bool,
    /// What it does, where the messages are read to be distilled; the record does not have it.
    #[serde(skip)]
    pub action: Action,
    /// The line of the transcript that has it: a message can be of several.
    #[serde(skip)]
    pub line: u64,
}

/// What a tool was given, as JSON.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ToolInput(pub Box<RawValue>);

impl PartialEq for ToolInput {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for ToolInput {}

/// What the use of a tool does, whatever an agent calls the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Runs a command line, of which this is the first [`COMMAND_CHARS`] characters; "" where it is not known.
    Run(String),
    /// Writes the whole file that it names, with these boxes.
    Write(Boxes),
    /// Changes a part of that file, and these boxes of it.
    Edit(Boxes),
    /// Changes the agent's own list of what is to do.
    Todos(TodoChange),
    /// Asks the user to approve this plan, of which these are the first [`PLAN_CHARS`] characters.
    Plan(String),
    /// All the texts that the tool was given, whatever it does, where only words are looked for.
    Words(String),
    /// What an edit of a file took out and what it put in, where edits are looked for.
    Change(FileEdit),
    /// Anything else: where it names a file, it reads it.
    #[default]
    Other,
}

/// What a change takes out of a file and puts into it, and of that the boxes ("- [ ] mend it"): the text of each, and
/// whether it is ticked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boxes {
    /// Where one part of the file is changed, the hashes of what was there and of what is there now.
    pub part: Option<(u64, u64)>,
    /// Those that the changed part had.
    pub from: Vec<(String, bool)>,
    /// Those that it has now.
    pub to: Vec<(String, bool)>,
}

/// What an edit of a file took out and what it put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileEdit {
    /// Whether the file has nothing else now.
    pub whole: bool,
    /// The parts that it took out, as they were.
    pub old: Vec<String>,
    /// The parts that it put in.
    pub new: Vec<String>,
}

/// A change of the agent's list of what is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TodoChange {
    /// These points are the list now, each with whether it is done.
    All(Vec<(String, bool)>),
    /// One point more.
    Add(String),
    /// The point of this number, from 1, is another now; None where the number cannot be read.
    Update {
        /// Which point.
        number: Option<usize>,
        /// Whether it is done, or not to be done any more.
        done: bool,
        /// What it says, where it says something else.
        text: Option<String>,
    },
}

impl ToolUse {
    /// Whether it changes the file that it names.
    pub fn edits(&self) -> bool {
        matches!(self.action, Action::Write(_) | Action::Edit(_))
    }

    /// The command line that it runs.
    pub fn command(&self) -> Option<&str> {
        match &self.action {
            Action::Run(command) if !command.is_empty() => Some(command),
            _ => None,
        }
    }

    /// The plan that it asks the user to approve.
    pub fn plan(&self) -> Option<&str> {
        match &self.action {
            Action::Plan(plan) if !plan.trim().is_empty() => Some(plan),
            _ => None,
        }
    }

    /// The boxes of a file that it changes.
    pub fn boxes(&self) -> Option<(&str, &Boxes)> {
        match &self.action {
            Action::Write(boxes) | Action::Edit(boxes) => Some((self.file.as_deref()?, boxes)),
            _ => None,
        }
    }

    /// The texts of a change of the list of what is to do, or of a file's boxes.
    pub fn todo_texts(&self) -> Vec<&str> {
        match &self.action {
            Action::Write(boxes) | Action::Edit(boxes) => boxes.to.iter().map(|(text, _)| text.as_str()).collect(),
            Action::Todos(TodoChange::All(list)) => list.iter().map(|(text, _)| text.as_str()).collect(),
            Action::Todos(TodoChange::Add(text)) => vec![text],
            Action::Todos(TodoChange::Update { text, .. }) => text.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

impl Action {
    /// Its texts, to be changed.
    fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Run(text) | Self::Plan(text) | Self::Todos(TodoChange::Add(text)) => vec![text],
            Self::Todos(TodoChange::All(list)) => list.iter_mut().map(|(text, _)| text).collect(),
            Self::Write(boxes) | Self::Edit(boxes) => {
                boxes.from.iter_mut().chain(&mut boxes.to).map(|(text, _)| text).collect()
            }
            Self::Todos(TodoChange::Update { text, .. }) => text.iter_mut().collect(),
            _ => Vec::new(),
        }
    }
}

/// Characters of a command line that are kept.
pub const COMMAND_CHARS: usize = 4000;
/// See [`Action::Plan`].
pub const PLAN_CHARS: usize = 16_000;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The agent's question.
    pub question: String,
    /// The user's words, or the option that the user chose.
    pub said: String,
    /// What the agent wrote about that option; "" where it is none of the agent's.
    pub about: String,
    /// The options that the user did not choose, where one was chosen.
    pub others: Vec<String>,
}

impl Answer {
    /// Both, as the client writes them.
    pub fn pair(&self) -> String {
        format!("\"{}\"=\"{}\"", self.question, self.said)
    }
}

/// One message: a typed prompt, or the text blocks of one assistant message.id that no prompt parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, verbatim; bytes that are not UTF-8 as U+FFFD.
    pub text: String,
    /// The record's timestamp as it stands.
    pub time: Option<String>,
    /// The transcript's line, from 1, of its first text; where it has none, of its first tool.
    pub line: u64,
    /// The uuid of the record on this line.
    pub uuid: Option<String>,
    /// The tools that the agent used in it.
    pub tools: Vec<ToolUse>,
    /// A tool's result that is an error.
    pub is_error: bool,
    /// What the user answered, in a result of the client's own tool that asks the user.
    pub answers: Vec<Answer>,
    /// A prompt whose words are the agent's: a plan of its own, which the user approved.
    pub plan: bool,
    /// The skill, or the user's own command, that a prompt's words were given to.
    pub command: Option<String>,
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

    /// Whether a person typed it.
    pub fn is_prompt(&self) -> bool {
        self.role == Role::User && self.is_conversation()
    }

    /// The tool use that the user refused, where the messages are read to be distilled: of a refusal nothing
    /// else is kept.
    pub fn refused(&self) -> Option<&str> {
        let is_refusal = self.role == Role::Tool && !self.is_error && self.answers.is_empty() && self.text.is_empty();
        self.tool_use_id.as_deref().filter(|_| is_refusal)
    }

    /// A quote of it.
    pub fn quote(&self, quote: &str) -> Evidence {
        let said_by = Some(self.role.word().to_owned());
        Evidence { quote: quote.to_owned(), line: Some(self.line), uuid: self.uuid.clone(), said_by }
    }

    /// The line of a message's record with the mark of what was abandoned, which is its last field.
    pub fn abandon(line: &str) -> String {
        let line = line.trim_end();
        let open = line.strip_suffix('}').unwrap_or(line);
        format!("{open},\"abandoned\":true}}\n")
    }

    /// Tells the redactor what is said, in its order and before anything is masked: it knows then what answers a question
    /// for a secret.
    pub fn tell(&self, redactor: &Redactor) {
        if self.marks.sidechain || self.marks.meta || self.marks.compact_summary {
            return;
        }
        match self.role {
            Role::User if self.plan || self.text.trim().is_empty() => {}
            Role::User => redactor.hear_user(&injected::without(&self.text)),
            Role::Assistant => redactor.hear(&self.text),
            // What a tool prints asks the user nothing.
            Role::Tool => {}
        }
        // An option that was chosen is the agent's own word.
        for answer in self.answers.iter().filter(|answer| answer.about.is_empty() && answer.others.is_empty()) {
            redactor.hear_answer(&answer.question, &answer.said, &self.text);
        }
    }

    /// Tells it where all messages of the session are there; see [`Self::tell`].
    pub fn tell_all(messages: &[Self], redactor: &Redactor) {
        for message in messages {
            message.tell(redactor);
        }
    }

    /// Leaves what may be shown: without our own words, without what is private, secrets masked, in the
    /// text and in the tools' inputs.
    pub fn show(&mut self, redactor: &Redactor) {
        self.text = redactor.shown(&injected::without(&self.text)).into_owned();
        self.command.iter_mut().for_each(|name| redactor.show(name));
        for answer in &mut self.answers {
            redactor.show(&mut answer.question);
            redactor.show(&mut answer.said);
            redactor.show(&mut answer.about);
            answer.others.iter_mut().for_each(|other| redactor.show(other));
        }
        for tool in &mut self.tools {
            // It is not masked, so it is not shown.
            tool.input = None;
            tool.file.iter_mut().chain(tool.action.texts_mut()).for_each(|text| redactor.show(text));
        }
    }

    /// The record; `project` is empty where it is not known.
    pub fn record(&self, session_id: &str, project: &str) -> Record {
        let mut record = Record::new("message");
        record.set("session_id", session_id);
        record.set_text("project", project);
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
