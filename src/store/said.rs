//! What users said, letter by letter: `said.jsonl`.

use super::kept::Kept;
use crate::record::item::Evidence;
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SaidLine {
    /// When the session ended, as far as it was read.
    pub ts: String,
    /// What the user said.
    pub text: String,
    /// The session.
    pub session_id: String,
    /// Where in it.
    pub evidence: Vec<Evidence>,
}

impl Kept for SaidLine {
    const NAME: &'static str = "said.jsonl";

    fn ts(&self) -> &str {
        &self.ts
    }

    fn session_id(&self) -> &str {
        &self.session_id
    }

    fn says(&self) -> &str {
        &self.text
    }
}
