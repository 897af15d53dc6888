//! What the reading of a transcript gives, whichever agent wrote it: the conversation, its totals, and where
//! a reading ended.

use super::session_stats::SessionFacts;
use super::test_output::{self, CheckResult};
use super::wrappers;
use crate::base::record::Record;
use crate::record::message::Message;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// What a reader is asked to keep in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Totals alone; of the messages nothing but their order.
    #[default]
    Counts,
    /// The conversation alone, handed out while it is read, and the session's facts.
    Pages,
    /// The conversation alone, handed out while it is read, with what tools were given.
    Messages,
    /// The conversation, what tools reported as errors, and which tools the user refused.
    Conversation,
    /// The same, and what is not conversation: subagents, what the client wrote, summaries, every tool's result.
    Everything,
    /// Everything with all the words that the agent put into its tools, and what the client gave it: to tell who said something
    /// first.
    Words,
    /// Everything with what each edit of a file took out and put in.
    Edits,
}

impl Keep {
    /// Whether what is not conversation is wanted, too.
    pub fn is_all(self) -> bool {
        matches!(self, Self::Everything | Self::Words | Self::Edits)
    }
}

/// Totals of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// JSON objects read.
    pub records: u64,
    /// Lines, or rests of lines, that hold no whole object.
    pub bad_lines: u64,
    /// Messages of the conversation, abandoned ones included.
    pub messages: u64,
    /// Of these, the typed prompts.
    pub user_messages: u64,
    /// Characters of the typed prompts, and of the answers to the agent's questions.
    pub user_chars: u64,
    /// Of the messages, the abandoned ones.
    pub abandoned: u64,
    /// Uses of tools outside subagents.
    pub tool_uses: u64,
    /// Results of tools outside subagents that are errors and no refusals.
    pub tool_errors: u64,
}

impl Totals {
    /// Whether there are lines and none is a record: a packed file, or one that is not a transcript at all.
    pub fn is_unreadable(&self) -> bool {
        self.records == 0 && self.bad_lines > 0
    }
}

/// What is in a transcript.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    /// In file order.
    pub messages: Vec<Message>,
    /// Messages in the middle that did not fit.
    pub left_out: usize,
    /// The totals.
    pub totals: Totals,
    /// Whether a person held this conversation (see lh-format(7)).
    pub interactive: bool,
    /// Whether everything in it was said by or to a subagent.
    pub subagent: bool,
    /// The cwd of the first record that has one.
    pub cwd: Option<String>,
    /// The branch of the last record that has one.
    pub branch: Option<String>,
    /// The last timestamp in file order.
    pub last_time: Option<String>,
    /// A hash of the conversation that is not abandoned; bookkeeping does not change it.
    pub hash: String,
    /// The size up to which the file was read.
    pub size_bytes: u64,
    /// The file's time before it was read.
    pub modified_at: Option<Timestamp>,
    /// The numbers (from 0) of the messages handed out that were abandoned, ascending.
    pub abandoned: Vec<usize>,
    /// What else the transcript tells, with [`Keep::Pages`].
    pub facts: SessionFacts,
    /// What it takes to read on; none when that cannot be.
    pub mark: Option<ResumePoint>,
    /// What the client wrote about its end.
    pub end: End,
    /// The skill or the user's own command that was used first, without a slash.
    pub skill: Option<String>,
}

/// What a client itself writes about how far a session got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Its recap; None when something was said after it.
    pub recap: Option<String>,
    /// The address of the pull request that it noted last.
    pub pull_request: Option<String>,
    /// The line of the user's command or skill that was called last without a word behind it, and its name.
    pub command: Option<(u64, String)>,
    /// The command that the user ran last in the client, and how it ended as far as its output says so; None when something
    /// was said after it.
    pub ran: Option<(String, Option<CheckResult>)>,
    /// Whether the agent's last message calls a tool, which a later record has: its turn is not at its end.
    pub calls_tool: bool,
    /// Whether the user interrupted the last turn.
    pub interrupted: bool,
    /// Whether an error of the provider's came last.
    pub failed: bool,
    /// The ends of the last results of tools that are not errors, by the tool's id, as they stand in the transcript.
    results: VecDeque<(String, Vec<u8>)>,
}

impl End {
    /// How many results are kept.
    const RESULTS: usize = 1000;

    /// Notes how a result ends. What it says is asked of few, so it is read then.
    pub(super) fn note_result(&mut self, tool_use_id: String, tail: &[u8]) {
        if self.results.len() >= Self::RESULTS {
            self.results.pop_front();
        }
        self.results.push_back((tool_use_id, tail.to_vec()));
    }

    /// Whether a check passed by what it printed, where that says so; None where the tool has no result that is kept, or
    /// only one that says that it was started or that it checked nothing.
    pub fn check(&self, tool_use_id: &str) -> Option<Option<bool>> {
        match test_output::result(&self.result(tool_use_id)?) {
            Some(CheckResult::Idle) => None,
            result => Some(result.map(|result| result == CheckResult::Passed)),
        }
    }

    /// Notes what the user ran, or what that printed.
    pub(super) fn note_ran(&mut self, text: &str) {
        if let Some(command) = wrappers::inside_element(text, "bash-input") {
            self.ran = Some((command.trim().to_owned(), None));
        }
        if let Some((_, result)) = &mut self.ran {
            let printed = ["bash-stdout", "bash-stderr"].map(|name| wrappers::inside_element(text, name));
            *result = printed.iter().flatten().filter_map(|said| test_output::result(said)).max().or(*result);
        }
    }

    /// Whether a tool that gave no error came to its end.
    pub fn has_ended(&self, tool_use_id: &str) -> bool {
        self.result(tool_use_id).is_some()
    }

    /// How a tool's result ends, which is no error; None where there is none that is kept, or only that it was started.
    fn result(&self, tool_use_id: &str) -> Option<String> {
        let (_, tail) = self.results.iter().rev().find(|(id, _)| id == tool_use_id)?;
        let text = String::from_utf8_lossy(tail).replace("\\n", "\n").replace("\\t", "\t");
        // The first line may be a half one.
        let whole = text.split_once('\n').filter(|_| tail.len() >= test_output::TAIL_BYTES).map(|(_, whole)| whole);
        (!wrappers::is_in_background(&text)).then(|| whole.unwrap_or(&text).to_owned())
    }
}

impl Conversation {
    /// The `count` record.
    pub fn count(&self, session_id: &str) -> Record {
        let mut record = Record::new("count");
        record.set("session_id", session_id);
        let Totals { records, bad_lines, messages, user_messages, user_chars, abandoned, tool_uses, tool_errors } =
            self.totals;
        let said = [("messages", messages), ("user_messages", user_messages), ("user_chars", user_chars)];
        let used = [("abandoned", abandoned), ("tool_uses", tool_uses), ("tool_errors", tool_errors)];
        for (name, count) in said.into_iter().chain(used).chain([("records", records), ("bad_lines", bad_lines)]) {
            record.set(name, &count);
        }
        record.set("interactive", &self.interactive);
        record.set("source_size_bytes", &self.size_bytes);
        record.set("conversation_hash", &self.hash);
        record
    }
}

/// Where a reading ended, and what the reader knew.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResumePoint {
    /// The reader's format when it was written.
    #[serde(default)]
    pub(super) format: u32,
    pub(super) offset: u64,
    /// The lines before it.
    #[serde(default)]
    pub(super) lines: u64,
    pub(super) inode: u64,
    pub(super) head: String,
    pub(super) tail: String,
    /// What the reader knew, in the form of the reader of that agent.
    pub(super) state: Box<RawValue>,
}
