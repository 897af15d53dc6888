//! What is remembered of a session's export, among the caches of its project's memory: how far the transcript was
//! read, what came of it, and what it takes to read on. Losing it costs time and nothing else.

use super::Exported;
use crate::agent::transcript::ResumePoint;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::record;
use crate::record::refusal::Reason;
use crate::record::session;
use crate::record::written::Became;
use crate::redact::Redactor;
use crate::store;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of these, and the lock of exports in it.
pub const FOLDER: &str = "exports";
pub const LOCK: &str = "exports/lock";

/// What is remembered of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memo {
    /// The transcript's size when it was read.
    pub size: u64,
    /// The page below the sessions folder; none when the session gets none.
    pub page: Option<String>,
    /// Why it gets none.
    pub refused: Option<String>,
    /// Bytes of the page behind its title.
    pub body_bytes: u64,
    /// The sum of the page as we wrote it: one that was changed is made again, and one of which this is not known can be a
    /// person's work.
    pub page_sum: String,
    /// The sum of a page that was about to be put in place: after a kill it can be the present page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next_sum: String,
    /// What it takes to read on; none when that cannot be.
    #[serde(deserialize_with = "of_this_build")]
    pub mark: Option<ResumePoint>,
}

/// A mark; one of another build can have another form, and is none. The rest is as good as before.
fn of_this_build<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ResumePoint>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

impl Memo {
    /// What is remembered of a session; an unreadable one is as good as none.
    pub fn read(memory: &Path, session_id: &str) -> Result<Self, Failure> {
        let text = file::read_text(&store::cache(memory, name(session_id))?)?.unwrap_or_default();
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Remembers it, masked: reading on from it gives what reading all gives, for a mask stays as it is.
    pub fn write(&self, memory: &Path, session_id: &str, redactor: &Redactor) -> Result<(), Failure> {
        let target = store::cache(memory, name(session_id))?;
        file::replace(&target, &redactor.masked_json(&record::json_line(self)?), Durable::No)
    }

    /// What came of a transcript of this size; none when it must be looked at.
    pub fn answer(&self, folder: &Path, size: u64) -> Option<Exported> {
        if self.size != size || size == 0 {
            return None;
        }
        if let Some(reason) = &self.refused {
            return Reason::from_word(reason).map(Exported::refused);
        }
        let path = folder.join(self.page.as_ref()?);
        path.exists().then(|| Exported::new(Became::Unchanged, Some(path)))
    }
}

fn name(session_id: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{}.json", session::safe_id(session_id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What another build wrote costs a whole reading, and never what is known of the page.
    #[test]
    fn a_mark_of_another_build_is_not_read_on_from() {
        let mark = |first: &str, state: &str| {
            format!(r#"{{{first}"offset":9,"lines":3,"inode":1,"head":"h","tail":"t","state":{state}}}"#)
        };
        for (mark, read) in [
            (mark("\"format\":2,", r#"{"totals":{"messages":4}}"#), true),
            // It has a format that no build has now: it is read and does not hold.
            (mark("\"version\":\"0.1.0\",", "{}"), true),
            (mark("", "7"), true),
            ("\"a word\"".to_owned(), false),
            ("null".to_owned(), false),
        ] {
            let text = format!(r#"{{"size":7,"page":"p","page_sum":"5","mark":{mark}}}"#);
            let memo: Memo = serde_json::from_str(&text).unwrap();
            assert_eq!((memo.size, memo.page_sum.as_str(), memo.mark.is_some()), (7, "5", read), "{text}");
        }
    }
}
