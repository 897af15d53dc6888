//! What a reading gives besides the messages, and what the next reading needs to go on.

use super::Totals;
use super::facts::Facts;
use super::signs::Signs;
use super::tree::{Kept, Key};
use serde::{Deserialize, Serialize};

/// What is told of a session besides its messages.
#[derive(Clone, Debug)]
pub struct Told {
    /// The totals, of what was read before too.
    pub totals: Totals,
    /// Whether a person held this conversation.
    pub interactive: bool,
    /// Whether everything in it was said by or to a subagent.
    pub subagent: bool,
    /// The rest that the transcript tells.
    pub facts: Facts,
    /// The cwd of the first record that has one.
    pub cwd: Option<String>,
    /// The branch of the last record that has one.
    pub branch: Option<String>,
    /// The last timestamp in file order.
    pub last_time: Option<String>,
    /// The numbers (from 0) of the messages handed out that were abandoned, ascending.
    pub abandoned: Vec<usize>,
    /// The size up to which the file was read.
    pub size_bytes: u64,
    /// What it takes to read on; none when that cannot be.
    pub mark: Option<Mark>,
}

/// Where a reading ended, and what the reader knew.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// [`FORMAT`] when it was written.
    #[serde(default)]
    pub(super) format: u32,
    pub(super) offset: u64,
    pub(super) inode: u64,
    pub(super) head: String,
    pub(super) tail: String,
    pub(super) state: State,
}

/// What a reader knows at the end of a reading.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    pub totals: Totals,
    pub signs: Signs,
    pub facts: Facts,
    pub tree: Kept,
    /// The assistant messages that may still grow.
    pub last_ids: Vec<Key>,
    /// The uses of the tool that asks the user.
    #[serde(default)]
    pub asks: Vec<Key>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub last_time: Option<String>,
}
