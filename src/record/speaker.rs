//! Whose words a quote, and what it carries, are.

use crate::base::word_enum::words;

words! {
    /// Whose words they are, those that carry most first.
    Voice {
        User = "user",
        Assistant = "assistant",
        /// An open item of an earlier session.
        Handoff = "handoff",
        /// What a person only shows: a log, a mail, a page.
        Pasted = "pasted",
        Tool = "tool",
    }
}

impl Voice {
    /// Whether what it says counts.
    pub fn carries(self) -> bool {
        matches!(self, Self::User | Self::Assistant | Self::Handoff)
    }

    /// How little it carries.
    pub fn weakness(self) -> usize {
        self as usize
    }
}
