//! What a message says while it can grow: its text, or only a hash of it where the text is not wanted.

use crate::agent::conversation::Keep;
use sha2::{Digest, Sha256};

/// What a message says, or only what tells it from others.
#[derive(Default)]
pub enum MessageText {
    /// Nothing so far; what comes is hashed.
    #[default]
    Blank,
    Hashed(Box<TextHash>),
    Kept(String),
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
        if keep == Keep::Counts { Self::Blank } else { Self::Kept(String::new()) }
    }

    /// Adds a block's text, a blank line before it.
    pub fn add(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self {
            Self::Kept(whole) => {
                if !whole.is_empty() {
                    whole.push_str("\n\n");
                }
                whole.push_str(text);
            }
            Self::Hashed(sum) => {
                sum.space.push_str("\n\n");
                sum.add(text);
            }
            Self::Blank => {
                let mut sum = Box::<TextHash>::default();
                sum.add(text.trim_start());
                *self = Self::Hashed(sum);
            }
        }
    }

    pub fn is_blank(&self) -> bool {
        match self {
            Self::Kept(text) => text.trim().is_empty(),
            Self::Hashed(_) => false,
            Self::Blank => true,
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
            Self::Hashed(sum) => sum.hash.clone(),
            Self::Blank => Sha256::new(),
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
