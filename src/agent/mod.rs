//! What any agent must offer: where it keeps what ([`layout`]), the reader of its transcripts, what it writes in
//! other names ([`wrappers`]), what its tools do ([`tools`]), its hooks ([`hooks`]), and
//! what is left of sessions whose transcript is gone ([`lost`]).
//!
//! Claude Code is the only one so far, so these modules are its own. With a second agent each of them becomes a
//! module here that chooses by [`Agent`]: each function is given the home, the transcript or the payload
//! that tells whose it is.

pub mod checkout;
mod claude;
mod conversation;
pub mod injected;
pub mod lost;
pub mod memory_dirs;
pub mod named;
pub mod payload;
pub mod project;
pub mod removed;
mod session_stats;
pub mod test_output;
pub mod transcript;
mod transcript_file;

pub use claude::{hooks, layout, plugins, sample, tools, wrappers};

use claude::reader::{self, Reader};

/// An agent whose sessions are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Anthropic's Claude Code.
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
}
