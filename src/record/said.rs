//! A line of the user's own words, as the list `said` of a `distilled` record has it. It has no type and no id: it is
//! what was said, letter by letter.

use super::item::Evidence;
use serde::{Deserialize, Serialize};

/// The name of the list.
pub const LIST: &str = "said";

/// A line of the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnWords {
    /// The line.
    pub text: String,
    /// Where it was said.
    pub evidence: Vec<Evidence>,
}
