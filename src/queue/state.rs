//! What was done with a session: `key=value` lines in `queue/state/<session id>`.

use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::record::outcome::Ending;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::Path;

/// A session's state; all is absent for one that was never seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    /// When it was last queued.
    pub queued_at: Option<Timestamp>,
    /// The transcript's size when it was last processed.
    pub size_bytes: Option<u64>,
    /// The transcript's time then.
    pub modified_at: Option<Timestamp>,
    /// How many messages it held then.
    pub messages: Option<u64>,
    /// The hash of its conversation then.
    pub conversation_hash: Option<String>,
    /// `done`, `refused` or `failed`.
    pub outcome: Option<Ending>,
    /// Why, when it is not `done`.
    pub reason: Option<String>,
}

impl SessionState {
    /// Reads a state file; one that is not there says nothing.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Ok(file::read_text(path)?.map(|text| Self::parse(&text)).unwrap_or_default())
    }

    /// What its text says.
    pub fn parse(text: &str) -> Self {
        let mut state = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "queued_at" => state.queued_at = clock::parse(value),
                "source_size_bytes" => state.size_bytes = value.parse().ok(),
                "source_modified_at" => state.modified_at = clock::parse(value),
                "messages" => state.messages = value.parse().ok(),
                "conversation_hash" => state.conversation_hash = Some(value.to_owned()),
                // One that we do not know was an end, too.
                "outcome" => state.outcome = Some(Ending::from_word(value).unwrap_or(Ending::Done)),
                "reason" => state.reason = Some(value.to_owned()),
                _ => {}
            }
        }
        state
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut put = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(out, "{key}={}", crate::base::text::one_line(&value));
            }
        };
        put("queued_at", self.queued_at.map(|time| time.to_string()));
        put("source_size_bytes", self.size_bytes.map(|size| size.to_string()));
        put("source_modified_at", self.modified_at.map(|time| time.to_string()));
        put("messages", self.messages.map(|count| count.to_string()));
        put("conversation_hash", self.conversation_hash.clone());
        put("outcome", self.outcome.map(|ending| ending.word().to_owned()));
        put("reason", self.reason.clone());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_and_rubbish_says_nothing() {
        let state = SessionState {
            queued_at: clock::parse("2026-04-13T21:32:45.5Z"),
            size_bytes: Some(7),
            modified_at: clock::parse("2026-04-13T21:32:45.123456789Z"),
            messages: Some(4),
            conversation_hash: Some("00ff".to_owned()),
            outcome: Some(Ending::Refused),
            reason: Some("too_few_messages".to_owned()),
        };
        assert_eq!(SessionState::parse(&state.text()), state);
        assert_eq!(SessionState::parse("\u{0}\n=\nmessages=many\n"), SessionState::default());
    }
}
