//! What the next reading needs to go on where this one ended. It is kept on disk, see [`FORMAT`].

use super::origin::Signs;
use super::tree::{Kept, Key};
use crate::agent::conversation::Totals;
use crate::agent::facts::Facts;
use serde::{Deserialize, Serialize};

/// The format of a [`State`]. Raise it with every change of what is in it, of a hash in it, and of what
/// the reader takes for conversation: a state of another format is not read on from.
pub const FORMAT: u32 = 3;

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
