//! The `outcome` record: what came of a task. lh-persist and lh-distill write it, lh-dequeue files the task by
//! the last one.

use super::refusal;
use crate::base::clock;
use crate::base::record::Record;
use crate::base::word_enum::words;
use jiff::Timestamp;

words! {
    /// How a task ended.
    Ending {
        /// Its work is on disk.
        Done = "done",
        Refused = "refused",
        Waiting = "waiting",
        Failed = "failed",
    }
}

/// The record's type.
pub const TYPE: &str = "outcome";

/// What the record says. What was processed is absent if it was not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How the task ended; None when that is not a word that we know.
    pub ending: Option<Ending>,
    /// Why; may be absent.
    pub reason: Option<String>,
    /// The session, when it was refused.
    pub session_id: Option<String>,
    /// When to try again.
    pub not_before: Option<Timestamp>,
    /// The size of the transcript that was processed.
    pub size_bytes: Option<u64>,
    /// Its time.
    pub modified_at: Option<Timestamp>,
    /// The messages in it.
    pub messages: Option<u64>,
    /// The hash of its conversation.
    pub conversation_hash: Option<String>,
}

impl Outcome {
    /// Reads the fields of a record, whatever its type is. A field that is not what it should be is None.
    pub fn read(record: &Record) -> Self {
        let time = |name: &str| record.text(name).and_then(|text| clock::parse(&text));
        Self {
            ending: record.text("result").and_then(|word| Ending::from_word(&word)),
            reason: record.text("reason"),
            session_id: record.text("session_id"),
            not_before: time("not_before"),
            size_bytes: record.get("source_size_bytes"),
            modified_at: time("source_modified_at"),
            messages: record.get("messages"),
            conversation_hash: record.text("conversation_hash"),
        }
    }

    /// The record.
    pub fn record(&self) -> Record {
        let mut record = Record::new(TYPE);
        record.set_some("result", self.ending.map(Ending::word).as_ref());
        record.set_some("reason", self.reason.as_ref());
        record.set_some("session_id", self.session_id.as_ref());
        record.set_some("not_before", self.not_before.map(clock::local).as_ref());
        record.set_some("source_size_bytes", self.size_bytes.as_ref());
        record.set_some("source_modified_at", self.modified_at.map(|time| time.to_string()).as_ref());
        record.set_some("messages", self.messages.as_ref());
        record.set_some("conversation_hash", self.conversation_hash.as_ref());
        record
    }

    /// The outcome of a `distilled` record whose work is on disk, or of a `refusal` record.
    pub fn of_persisted(record: &Record) -> Self {
        let read = Self::read(record);
        if record.kind() == refusal::TYPE {
            let (reason, session_id) = (read.reason, read.session_id);
            return Self { ending: Some(Ending::Refused), reason, session_id, ..Self::default() };
        }
        Self { ending: Some(Ending::Done), reason: None, session_id: None, not_before: None, ..read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn each_outcome_has_one_spelling() {
        assert_eq!(Ending::ALL.map(Ending::word), ["done", "refused", "waiting", "failed"]);
        let until = clock::parse("2026-04-13T18:32:45Z").unwrap();
        let waits = Outcome {
            ending: Some(Ending::Waiting),
            reason: Some("budget".to_owned()),
            not_before: Some(until),
            ..Outcome::default()
        };
        let waiting =
            format!("\"result\":\"waiting\",\"reason\":\"budget\",\"not_before\":\"{}\"", clock::local(until));
        let of_persisted =
            |[line, fields]: [String; 2]| (Outcome::of_persisted(&Record::parse(&line).unwrap()), fields);
        let persisted = rows(include_str!("outcome.tsv")).map(of_persisted);
        for (outcome, fields) in persisted.chain([(waits, waiting)]) {
            let record = outcome.record();
            assert_eq!(record.line(), format!("{{\"type\":\"outcome\",{fields}}}\n"));
            assert_eq!(Outcome::read(&record), outcome);
        }
    }

    #[test]
    fn what_is_not_what_it_should_be_is_absent() {
        let odd = Record::parse(r#"{"type":"outcome","result":"x","messages":"many","not_before":"soon"}"#).unwrap();
        assert_eq!(Outcome::read(&odd), Outcome::default());
    }
}
