//! Commands that failed, and what passed then: `fixes.jsonl`.

use super::kept::Kept;
use crate::record::fix::Fix;
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FixLine {
    /// When the session ended, as far as it was read.
    pub ts: String,
    /// What failed, and what passed.
    #[serde(flatten)]
    pub fix: Fix,
    /// The session.
    pub session_id: String,
}

impl Kept for FixLine {
    const NAME: &'static str = "fixes.jsonl";

    fn ts(&self) -> &str {
        &self.ts
    }

    fn session_id(&self) -> &str {
        &self.session_id
    }

    fn says(&self) -> &str {
        &self.fix.failed
    }

    fn is_same(&self, other: &Self) -> bool {
        self.fix.failed == other.fix.failed && self.fix.error == other.fix.error
    }
}
