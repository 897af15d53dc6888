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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_one_spelling() {
        let words = Reason::ALL.iter().map(|reason| reason.word()).collect::<Vec<_>>().join(" ");
        let known = "disabled no_transcript unreadable empty not_interactive too_few_user_chars too_few_messages \
            already_processed before_since debounce growth";
        assert_eq!(words, known);
        assert!(Reason::ALL.iter().all(|reason| Reason::from_word(reason.word()) == Some(*reason)));
        assert_eq!(Reason::from_word("Growth"), None);
    }

    #[test]
    fn a_refusal_is_its_session_with_the_reason() {
        let task = Record::parse(r#"{"type":"task","session_id":"a","transcript":"/t","x":1e5}"#).unwrap();
        let refusal = Reason::TooFewMessages.refuse(&task);
        let line = r#"{"type":"refusal","session_id":"a","transcript":"/t","x":1e5,"reason":"too_few_messages"}"#;
        assert_eq!(refusal.line(), format!("{line}\n"));
        assert_eq!((Reason::read(&refusal), Reason::read(&task)), (Some(Reason::TooFewMessages), None));
    }
}
