//! What the next reading needs to go on where this one ended. It is kept on disk, see [`FORMAT`].

use super::origin::Origin;
use super::tree::{Key, TreeState};
use crate::agent::conversation::Totals;
use crate::agent::session_stats::SessionFacts;
use serde::{Deserialize, Serialize};

/// The format of a [`ReaderState`]. Raise it with every change of what is in it, of a hash in it, and of what
/// the reader takes for conversation: a state of another format is not read on from.
pub const FORMAT: u32 = 6;

/// What a reader knows at the end of a reading.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReaderState {
    pub totals: Totals,
    #[serde(rename = "signs")]
    pub held_by: Origin,
    pub facts: SessionFacts,
    pub tree: TreeState,
    /// The assistant messages that may still grow.
    pub last_ids: Vec<Key>,
    /// The uses of the tool that asks the user.
    #[serde(default)]
    pub asks: Vec<Key>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub last_time: Option<String>,
}
