//! What is remembered of a session's export, among the caches of its project's memory: how far the transcript was
//! read, what came of it, and what it takes to read on. Losing it costs time and nothing else.

use super::{Exported, body};
use crate::agent::transcript::{Conversation, ResumePoint};
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::{clock, record};
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
    refused: Option<String>,
    /// Bytes of the page behind its title.
    pub body_bytes: u64,
    /// The page's size and time as we wrote it: one that was changed is made again.
    page_bytes: u64,
    page_modified: Option<String>,
    /// The sum of the page as we wrote it; "" where that is not known.
    page_sum: String,
    /// The sum of a page that was about to be put in place: after a kill it can be the present page.
    #[serde(skip_serializing_if = "String::is_empty")]
    next_sum: String,
    /// What it takes to read on; none when that cannot be.
    #[serde(deserialize_with = "of_this_build")]
    mark: Option<ResumePoint>,
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

    /// A session that gets no page.
    pub fn refused(reason: Reason, size: u64) -> Self {
        Self { size, refused: Some(reason.word().to_owned()), ..Self::default() }
    }

    /// A page that was written just now.
    pub fn written(path: &Path, name: &str, told: &Conversation, body_bytes: u64, page_sum: String) -> Self {
        let (page_bytes, page_modified) = stamp(path).unwrap_or_default();
        let (size, mark) = (told.size_bytes, told.mark.clone());
        let page = Some(name.to_owned());
        Self { size, page, body_bytes, page_bytes, page_modified, page_sum, mark, ..Self::default() }
    }

    /// The same while a page with that sum is being put in place.
    pub fn before(&self, next_sum: &str) -> Self {
        Self { next_sum: next_sum.to_owned(), ..self.clone() }
    }

    /// The page is as it was, for the transcript grew by no message. What it takes to read on is kept
    /// only if the page's bytes are known.
    pub fn kept(&self, name: &str, told: &Conversation, resumed: bool) -> Self {
        let mark = if resumed { told.mark.clone() } else { None };
        let (size, page) = (told.size_bytes, Some(name.to_owned()));
        Self { size, page, refused: None, next_sum: String::new(), mark, ..self.clone() }
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

    /// Whether the page that is there is not as we wrote it, as far as we know: a page that we remember
    /// nothing of can be a person's work.
    pub fn is_edited(&self, path: &Path) -> Result<bool, Failure> {
        let Some((bytes, modified)) = stamp(path) else { return Ok(false) };
        let same = bytes == self.page_bytes;
        if same && modified == self.page_modified && modified.is_some() {
            return Ok(false);
        }
        let known = [&self.page_sum, &self.next_sum].map(String::as_str);
        let sum = if known.iter().all(|sum| sum.is_empty()) { String::new() } else { body::sum(path)? };
        Ok(sum.is_empty() || !known.contains(&sum.as_str()))
    }

    /// What it takes to read on, when the page is still as we wrote it.
    pub fn mark(&self, folder: &Path) -> Option<ResumePoint> {
        let (bytes, modified) = stamp(&folder.join(self.page.as_ref()?))?;
        let same = bytes == self.page_bytes && modified == self.page_modified && modified.is_some();
        if same { self.mark.clone() } else { None }
    }
}

fn name(session_id: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{}.json", session::safe_id(session_id)))
}

/// A file's size and time.
fn stamp(path: &Path) -> Option<(u64, Option<String>)> {
    let data = path.metadata().ok()?;
    Some((data.len(), data.modified().ok().and_then(clock::from_system).map(|time| time.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What another build wrote costs a whole reading, and never what is known of the page.
    #[test]
    fn a_mark_of_another_build_is_not_read_on_from() {
        let state = r#""totals":{"records":5,"bad_lines":0,"messages":4,"user_messages":2,"user_chars":29,"abandoned":0,
            "tool_uses":1,"tool_errors":0},"signs":{"entry_person":true,"entry_program":false,"source_person":false,
            "source_program":false,"permission_mode":false,"queue_at_head":false,"main_records":true,"side_records":false},
            "facts":{"tools":{},"compactions":0,"tokens":27,"cost_is_total":false,"turn":{"16414347112924494833":9}},
            "tree":{"last_turn":[[17721656414313398016,false]],"awaited":[]},"last_ids":[13757071247314112036]"#;
        let mark = |first: &str, state: &str| {
            format!(r#"{{{first}"offset":9,"lines":3,"inode":1,"head":"h","tail":"t","state":{{{state}}}}}"#)
        };
        for (mark, read) in [
            (mark("\"format\":2,", state), true),
            // It has a format that no build has now: it is read and does not hold.
            (mark("\"version\":\"0.1.0\",", state), true),
            (mark("", "\"totals\":7"), true),
            ("\"a word\"".to_owned(), false),
            ("null".to_owned(), false),
        ] {
            let text = format!(r#"{{"size":7,"page":"p","page_sum":"5","mark":{mark}}}"#);
            let memo: Memo = serde_json::from_str(&text).unwrap();
            assert_eq!((memo.size, memo.page_sum.as_str(), memo.mark.is_some()), (7, "5", read), "{text}");
        }
    }
}
