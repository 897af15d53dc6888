//! What the configuration says of masking.

use serde::Deserialize;
use std::collections::BTreeMap;

/// `[privacy]`: what is masked besides the known forms, and what is not.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Privacy {
    /// Patterns of further secrets.
    pub patterns: Vec<String>,
    /// Patterns of what only looks like a secret.
    pub exempt: Vec<String>,
    /// Where each of them is: file, line and column.
    #[serde(skip)]
    pub positions: BTreeMap<String, String>,
}
