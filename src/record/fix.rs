//! A command that failed and what did its work then, as the list `fixes` of a `distilled` record has it. Both outcomes
//! were seen in the session.

use serde::{Deserialize, Serialize};

/// The name of the list.
pub const LIST: &str = "fixes";

/// What failed, and what passed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fix {
    /// The command line that failed, as it is shown.
    pub failed: String,
    /// The lines of what it printed that say why, without what differs from one time to the next. They are compared, and
    /// never told: they can be any author's words.
    pub error: Vec<String>,
    /// What passed; of several command lines the last had failed before.
    pub passed: Vec<String>,
    /// Where in the transcript the command failed, and where one passed: its lines.
    pub lines: [u64; 2],
}
