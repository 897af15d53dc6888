//! What any agent must offer, and the choice of the agent: where it keeps its sessions, how its transcripts are
//! read, what its tools mean, its hooks. Claude Code is the first.

mod claude;
mod conversation;
mod facts;
pub mod hook;
pub mod injected;
pub mod project;
mod source;
pub mod transcript;

use crate::base::exit::Failure;
use crate::record::message::Action;
use claude::reader::{self, Reader};
use claude::{hooks, layout, sample, tools, wrappers};
use conversation::Keep;
use hook::Payload;
use jiff::Timestamp;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// An agent whose sessions are read. While there is one, it is the default wherever nothing tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Agent {
    /// Anthropic's Claude Code.
    #[default]
    ClaudeCode,
}

impl Agent {
    /// The agent whose transcripts begin with such a record; None when it is not a transcript's.
    pub fn of_record(text: &[u8]) -> Option<Self> {
        reader::head::is_record(text).then_some(Self::ClaudeCode)
    }

    /// Reads a hook's payload, whichever agent wrote it; an empty one has no field. Status 65 when it is not a
    /// JSON object.
    pub fn read_payload(bytes: &[u8]) -> Result<Payload, Failure> {
        hooks::payload(bytes)
    }

    /// Its name in a record's field `agent`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
        }
    }

    /// The transcripts of every session in a home, subagents' left out, with their times.
    pub fn sessions(self, home: &Path) -> Result<Vec<(SystemTime, PathBuf)>, Failure> {
        match self {
            Self::ClaudeCode => layout::sessions(home),
        }
    }

    /// The transcripts of the sessions that ran in one of these folders.
    pub fn sessions_of(self, home: &Path, cwds: &[&Path]) -> Vec<(SystemTime, PathBuf)> {
        match self {
            Self::ClaudeCode => layout::sessions_of(home, cwds),
        }
    }

    /// The transcript of an id: of a session that ran in `cwd`, else of any.
    pub fn locate(self, home: &Path, id: &str, cwd: &Path) -> Option<PathBuf> {
        match self {
            Self::ClaudeCode => layout::locate(home, id, cwd),
        }
    }

    /// Where the transcript of a new session is.
    pub fn transcript(self, home: &Path, cwd: &Path, id: &str) -> PathBuf {
        match self {
            Self::ClaudeCode => layout::transcript(home, cwd, id),
        }
    }

    /// Whether a path is that of a subagent's transcript, by its name and folder.
    pub fn is_subagent_file(self, path: &Path) -> bool {
        match self {
            Self::ClaudeCode => layout::is_subagent_file(path),
        }
    }

    /// The folder in which each project has one. It can be a link.
    pub fn projects(self, home: &Path) -> PathBuf {
        match self {
            Self::ClaudeCode => layout::projects(home),
        }
    }

    /// The memory folder of each project of a home.
    pub fn memory_folders(self, home: &Path) -> Vec<PathBuf> {
        match self {
            Self::ClaudeCode => layout::memory_folders(home),
        }
    }

    /// How these folders are called, below the home.
    pub fn memory_pattern(self) -> &'static str {
        match self {
            Self::ClaudeCode => layout::MEMORY_PATTERN,
        }
    }

    /// The settings of a home, which hold its hooks.
    pub fn settings(self, home: &Path) -> PathBuf {
        match self {
            Self::ClaudeCode => layout::settings(home),
        }
    }

    /// The settings of a checkout whose top folder is `top`.
    pub fn checkout_settings(self, top: &Path) -> PathBuf {
        match self {
            Self::ClaudeCode => layout::checkout_settings(top),
        }
    }

    /// The events that we hook into, in the order of a session, each with the name of its script.
    pub const fn hooks(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ClaudeCode => hooks::EVENTS,
        }
    }

    /// The setting that switches all hooks off.
    pub fn hooks_switch(self) -> &'static str {
        match self {
            Self::ClaudeCode => hooks::SWITCH,
        }
    }

    /// What the agent writes to a hook of a new session.
    pub fn payload(self, payload: &Payload) -> String {
        match self {
            Self::ClaudeCode => hooks::written(payload),
        }
    }

    /// The answer of the hook at a session's start: what the model reads, and the line that the user sees.
    pub fn start_answer(self, context: &str, banner: &str) -> String {
        match self {
            Self::ClaudeCode => hooks::start_answer(context, banner),
        }
    }

    /// What the model reads of such an answer; None when it reads nothing.
    pub fn told(self, answer: &serde_json::Value) -> Option<&str> {
        match self {
            Self::ClaudeCode => hooks::told(answer),
        }
    }

    /// What a use of a tool does; `input` is JSON.
    pub fn action(self, tool: &str, input: &str) -> Action {
        match self {
            Self::ClaudeCode => tools::action(tool, input.len(), || input.to_owned()),
        }
    }

    /// Whether a tool's error is the client's own word that no tool ran.
    pub fn is_not_run(self, error: &str) -> bool {
        match self {
            Self::ClaudeCode => wrappers::is_not_run(error),
        }
    }

    /// Elements that the client puts around what reaches the model.
    pub fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => wrappers::RESERVED,
        }
    }

    /// A transcript in which the user and the agent said this in turn, at a time.
    pub fn sample(self, cwd: &Path, said: &[&str], time: Timestamp) -> String {
        match self {
            Self::ClaudeCode => sample::transcript(cwd, said, time),
        }
    }

    fn reader(self, keep: Keep) -> Reader {
        match self {
            Self::ClaudeCode => Reader::new(keep),
        }
    }

    fn head(self, input: impl Read, found: impl Fn(&Reader) -> Option<&str>) -> Option<String> {
        match self {
            Self::ClaudeCode => reader::head::read(input, found),
        }
    }

    fn first_cwd(self, path: &Path) -> Option<String> {
        match self {
            Self::ClaudeCode => reader::head::first_cwd(path),
        }
    }

    fn session_id(self, text: &[u8]) -> Option<String> {
        match self {
            Self::ClaudeCode => reader::head::session_id(text),
        }
    }

    fn said_at(self, line: &str) -> Option<Timestamp> {
        match self {
            Self::ClaudeCode => reader::head::said_at(line),
        }
    }
}
