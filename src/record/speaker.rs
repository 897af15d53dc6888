//! Whose words a quote, and what it carries, are.

use crate::base::word_enum::words;

words! {
    /// Whose words they are, those that carry most first.
    Voice {
        User = "user",
        Assistant = "assistant",
        /// An open item of an earlier session.
        Handoff = "handoff",
        /// Another program's memory: it needs no quote, and does not count as a wish of the user's.
        Import = "import",
        /// What a person only shows: a log, a mail, a page.
        Pasted = "pasted",
        Tool = "tool",
    }
}

impl Voice {
    /// Whether what it says counts.
    pub fn carries(self) -> bool {
        !matches!(self, Self::Pasted | Self::Tool)
    }

    /// How little it carries.
    pub fn weakness(self) -> usize {
        self as usize
    }
}

/// The program that kept an imported memory, as the session of an import says it: `import-codex-12345678`; None for
/// another session. Whether an item was imported is said by its `said_by`.
pub fn imported_from(session_id: &str) -> Option<&str> {
    let (program, _) = session_id.strip_prefix("import-")?.rsplit_once('-')?;
    Some(program).filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))
}
