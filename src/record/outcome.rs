//! The `outcome` record: what came of a task. lh-persist and lh-distill write it, lh-dequeue files the task by
//! the last one.

use super::refusal::Reason;
use super::words::words;
use crate::base::clock;
use crate::base::record::Record;
use jiff::Timestamp;

words! {
    /// How a task ended.
    Ending {
        /// Its work is on disk.
        Done = "done",
        /// A gate refused it.
        Refused = "refused",
        /// It cannot go on now.
        Waiting = "waiting",
        /// It went wrong.
        Failed = "failed",
    }
}

/// The record's type.
pub const TYPE: &str = "outcome";

/// What is read of an `outcome` record. A field that is absent, or not what it should be, is None.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How the task ended.
    pub ending: Option<Ending>,
    /// Why; may be absent.
    pub reason: Option<String>,
    /// When to try again.
    pub not_before: Option<Timestamp>,
    /// The size of what was processed.
    pub size_bytes: Option<u64>,
    /// The time of what was processed.
    pub modified_at: Option<Timestamp>,
    /// The messages in it.
    pub messages: Option<u64>,
    /// The hash of its conversation.
    pub conversation_hash: Option<String>,
}

impl Outcome {
    /// Reads a record; None when it has another type.
    pub fn read(record: &Record) -> Option<Self> {
        if record.kind() != TYPE {
            return None;
        }
        let time = |name: &str| record.text(name).and_then(|text| clock::parse(&text));
        Some(Self {
            ending: record.text("result").and_then(|word| Ending::from_word(&word)),
            reason: record.text("reason"),
            not_before: time("not_before"),
            size_bytes: record.get("source_size_bytes"),
            modified_at: time("source_modified_at"),
            messages: record.get("messages"),
            conversation_hash: record.text("conversation_hash"),
        })
    }
}

fn ended(ending: Ending) -> Record {
    let mut record = Record::new(TYPE);
    record.set("result", ending.word());
    record
}

/// The outcome of a `distilled` record whose work is on disk.
pub fn done(distilled: &Record) -> Record {
    let mut record = ended(Ending::Done);
    for name in ["source_size_bytes", "source_modified_at", "messages", "conversation_hash"] {
        record.set_some(name, distilled.raw(name).as_ref());
    }
    record
}

/// The outcome of a session that a gate refused.
pub fn refused(reason: Reason, session_id: &str) -> Record {
    let mut record = ended(Ending::Refused);
    record.set("reason", reason.word());
    record.set("session_id", session_id);
    record
}

/// The outcome of a task that has to wait.
pub fn waiting(until: Timestamp, why: &str) -> Record {
    let mut record = ended(Ending::Waiting);
    record.set("reason", why);
    record.set("not_before", &clock::local(until));
    record
}

/// The outcome of a task that went wrong. `why` is masked and on one line.
pub fn failed(why: &str) -> Record {
    let mut record = ended(Ending::Failed);
    record.set("reason", why);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_one_spelling() {
        let words: Vec<&str> = Ending::ALL.iter().map(|ending| ending.word()).collect();
        assert_eq!(words, ["done", "refused", "waiting", "failed"]);
        let line = r#"{"type":"distilled","messages":4,"source_size_bytes":7,"conversation_hash":"00ff","ts":"x"}"#;
        let distilled = Record::parse(line).unwrap();
        let until = clock::parse("2026-04-13T18:32:45Z").unwrap();
        let waits = format!(
            "{{\"type\":\"outcome\",\"result\":\"waiting\",\"reason\":\"budget\",\"not_before\":\"{}\"}}\n",
            clock::local(until)
        );
        for (record, line) in [
            (
                done(&distilled),
                "{\"type\":\"outcome\",\"result\":\"done\",\"source_size_bytes\":7,\"messages\":4,\"conversation_hash\":\"00ff\"}\n",
            ),
            (
                refused(Reason::TooFewMessages, "a"),
                "{\"type\":\"outcome\",\"result\":\"refused\",\"reason\":\"too_few_messages\",\"session_id\":\"a\"}\n",
            ),
            (waiting(until, "budget"), &waits),
            (failed("no"), "{\"type\":\"outcome\",\"result\":\"failed\",\"reason\":\"no\"}\n"),
        ] {
            assert_eq!(record.line(), line);
            assert!(Outcome::read(&record).is_some_and(|outcome| outcome.ending.is_some()), "{line}");
        }
        assert_eq!(Outcome::read(&waiting(until, "budget")).unwrap().not_before, Some(until));
        assert_eq!(Outcome::read(&done(&distilled)).unwrap().size_bytes, Some(7));
    }

    #[test]
    fn what_is_not_an_outcome_says_nothing() {
        assert_eq!(Outcome::read(&Record::new("written")), None);
        let odd = Record::parse(r#"{"type":"outcome","result":7,"messages":"many","not_before":"soon"}"#).unwrap();
        assert_eq!(Outcome::read(&odd), Some(Outcome::default()));
    }
}
