//! What a message says while it can grow: its text, or only a hash of it where the text is not wanted.

use crate::agent::conversation::Keep;
use sha2::{Digest, Sha256};

/// What a message says, or only what tells it from others.
pub enum MessageText {
    /// None: nothing so far; what comes is hashed.
    Hashed(Option<Box<TextHash>>),
    Kept(String),
}

impl Default for MessageText {
    fn default() -> Self {
        Self::Hashed(None)
    }
}

/// A text that was hashed as far as it is known that no white space ends it.
#[derive(Default)]
pub struct TextHash {
    hash: Sha256,
    space: String,
}

impl MessageText {
    /// A text to which blocks are added.
    pub fn empty(keep: Keep) -> Self {
        if keep == Keep::Counts { Self::default() } else { Self::Kept(String::new()) }
    }

    /// Adds a block's text, a blank line before it.
    pub fn add(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self {
            Self::Kept(whole) => {
                whole.push_str(if whole.is_empty() { "" } else { "\n\n" });
                whole.push_str(text);
            }
            Self::Hashed(Some(sum)) => {
                sum.space.push_str("\n\n");
                sum.add(text);
            }
            Self::Hashed(none) => none.insert(Box::default()).add(text.trim_start()),
        }
    }

    pub fn is_blank(&self) -> bool {
        match self {
            Self::Kept(text) => text.trim().is_empty(),
            Self::Hashed(sum) => sum.is_none(),
        }
    }

    /// How many characters are kept.
    pub fn chars(&self) -> u64 {
        if let Self::Kept(text) = self { text.chars().count() as u64 } else { 0 }
    }

    pub fn kept(self) -> String {
        if let Self::Kept(text) = self { text } else { String::new() }
    }

    /// What tells it from another text, white space around it aside.
    pub fn digest(&self) -> u64 {
        number(match self {
            Self::Kept(text) => Sha256::new_with_prefix(text.trim()),
            Self::Hashed(sum) => sum.as_ref().map_or_else(Sha256::new, |sum| sum.hash.clone()),
        })
    }
}

impl TextHash {
    /// Adds a text, which is not blank.
    fn add(&mut self, text: &str) {
        let body = text.trim_end();
        self.hash.update(&self.space);
        self.hash.update(body);
        self.space.clear();
        self.space.push_str(text.strip_prefix(body).unwrap_or_default());
    }
}

/// The first 64 bits of a hash.
pub fn number(hash: Sha256) -> u64 {
    hash.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
