//! What any agent must offer, and the choice of the agent: where it keeps its sessions, how its transcripts are
//! read, what its tools mean, its hooks. Claude Code is the first.

mod claude;
mod conversation;
mod facts;
pub mod project;
mod source;
pub mod transcript;

use claude::reader::{self, Reader};
use conversation::Keep;
use jiff::Timestamp;
use std::io::Read;
use std::path::Path;

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

    /// Its name in a record's field `agent`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
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
