//! What can be searched.

use super::Kind;
use crate::base::stale_names::Seen;
use jiff::Timestamp;
use std::borrow::Cow;
use std::path::PathBuf;

/// A text that can be searched.
#[derive(Debug)]
pub struct Source {
    pub kind: Kind,
    /// The file that it is in.
    pub path: PathBuf,
    /// An item of a journal; the file's own text where it is none.
    pub item: Option<Found>,
    /// The project of the memory folder that it is in.
    pub project: Option<String>,
}

impl Source {
    /// The name of its file.
    pub fn name(&self) -> Cow<'_, str> {
        self.path.file_name().unwrap_or_default().to_string_lossy()
    }
}

/// An item of a journal, an open one, or the prompts of a lost session, as it is searched.
#[derive(Debug, Default)]
pub struct Found {
    pub id: String,
    /// Its sentence, and then what else it says, a line each.
    pub text: String,
    pub session_id: String,
    pub time: Option<Timestamp>,
    /// Why it no longer holds.
    pub state: Option<&'static str>,
    /// The id and the sentence of what is in its place now.
    pub later: Option<(String, String)>,
    /// What it names, as it was when it was kept.
    pub seen: Option<Seen>,
}
