//! The `written` record: what became of one item, of the handoff, or of a session's page.

use crate::base::record::Record;
use crate::base::text;
use crate::base::word_enum::words;
use std::path::Path;

words! {
    /// What became of it.
    Became {
        Written = "written",
        /// It would be: the run was dry.
        WouldWrite = "would_write",
        Unchanged = "unchanged",
        /// One that says the same is there.
        DuplicateOf = "duplicate_of",
        /// It is not grounded, and is in the quarantine now.
        Quarantined = "quarantined",
        Printed = "printed",
        /// The session gets no page.
        Refused = "refused",
    }
}

words! {
    /// Why an item of the handoff is not in it.
    NotOpen {
        ClosedLater = "closed_later",
        ClosedByPerson = "closed_by_person",
        /// A handoff without a model takes the place of no other.
        NoWords = "no_words",
    }
}

/// What a session's page is called in a receipt.
pub const EXPORT: &str = "export";

/// A receipt: which file, what is in it, and what became of it. `id` is absent for the handoff.
pub fn written(path: Option<&Path>, what: &str, id: Option<&str>, summary: &str, became: Became) -> Record {
    let mut record = Record::new("written");
    if let Some(path) = path {
        record.set_path("path", path);
    }
    record.set("what", what);
    record.set_some("id", id.as_ref());
    record.set("summary", summary);
    record.set("result", became.word());
    record
}

/// The receipt of an item that a person changed: what was done, in a word, and why, which can be "".
pub fn by_hand(path: Option<&Path>, what: &str, id: &str, said: &str, says: &str, why: &str) -> Record {
    let mut record = written(path, what, Some(id), &text::one_line(said), Became::Unchanged);
    record.set("result", says);
    record.set_text("reason", why);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_has_one_spelling() {
        let words = Became::ALL.iter().map(|became| became.word()).collect::<Vec<_>>().join(" ");
        assert_eq!(words, "written would_write unchanged duplicate_of quarantined printed refused");
        let words = NotOpen::ALL.iter().map(|reason| reason.word()).collect::<Vec<_>>().join(" ");
        assert_eq!(words, "closed_later closed_by_person no_words");
        let receipt = written(Some(Path::new("/m")), "decision", Some("0f"), "S", Became::Unchanged);
        let line = r#"{"type":"written","path":"/m","what":"decision","id":"0f","summary":"S","result":"unchanged"}"#;
        assert_eq!(receipt.line(), format!("{line}\n"));
        let refused = written(None, EXPORT, None, "", Became::Refused).line();
        assert_eq!(refused, "{\"type\":\"written\",\"what\":\"export\",\"summary\":\"\",\"result\":\"refused\"}\n");
    }
}
