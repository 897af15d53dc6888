//! What can be searched, and what could not.

use super::Kind;
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
#[derive(Debug)]
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
}

/// What could not be searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skipped {
    pub binary: usize,
    pub large: usize,
    pub unreadable: usize,
}

impl Skipped {
    pub fn in_words(self) -> String {
        let of = [(self.binary, "binary"), (self.large, "larger than 32 MB"), (self.unreadable, "not readable")];
        let said = of.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        said.collect::<Vec<_>>().join(", ")
    }

    pub fn add(&mut self, other: Self) {
        self.binary += other.binary;
        self.large += other.large;
        self.unreadable += other.unreadable;
    }
}
