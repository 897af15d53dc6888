//! The `refusal` record: a session that does not pass a gate, and why. It has all fields of the `session` or
//! `task` record, so that the next tool knows which session it is about.

use crate::base::record::Record;
use crate::base::word_enum::words;

words! {
    /// Why a session does not pass, or gets no page; lh-gate(1) says what each means.
    Reason {
        Disabled = "disabled",
        NoTranscript = "no_transcript",
        Unreadable = "unreadable",
        Empty = "empty",
        NotInteractive = "not_interactive",
        TooFewUserChars = "too_few_user_chars",
        TooFewMessages = "too_few_messages",
        AlreadyProcessed = "already_processed",
        BeforeSince = "before_since",
        Debounce = "debounce",
        Growth = "growth",
    }
}

/// The record's type.
pub const TYPE: &str = "refusal";

impl Reason {
    /// The `refusal` record of a session or task.
    pub fn refuse(self, record: &Record) -> Record {
        let mut refusal = record.clone();
        refusal.set("type", TYPE);
        refusal.set("reason", self.word());
        refusal
    }

    /// The reason in a record; None when the record was not refused.
    pub fn read(record: &Record) -> Option<Self> {
        Self::from_word(&record.text("reason")?)
    }
}
