//! What we wrote into a folder of typed memories: `filed.json`, with the locks and caches of the folder. Without it all
//! that is there counts as another author's.

use super::index::{self, Lines};
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::{log, record};
use crate::redact::Redactor;
use crate::store;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Its name.
pub const NAME: &str = "filed.json";
/// The place of a file's name for the line that tells of those without one.
pub const FOLD: &str = "*";

/// A text that another one took the place of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename = "Replaced")]
pub struct ReplacedText {
    /// Its item.
    pub id: String,
    /// The hash of the file as it was.
    pub hash: String,
    /// The copy in the archive.
    pub place: String,
}

/// A memory that was made a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filed {
    /// The item.
    pub id: String,
    /// Its file.
    pub file: String,
    /// The hash of the file as it was written.
    pub hash: String,
    /// Its line in the index.
    pub line: String,
    /// What was in the file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<ReplacedText>,
    /// It is about to be written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// The file was removed by hand: it is not written again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename = "State")]
pub struct MemoriesState {
    /// The files.
    pub notes: Vec<Filed>,
    /// The lines of the index that we wrote for files of others: file and line.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, String>,
    /// Files without a line, and the line that tells of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// See [`MemoriesState::folded`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<String>,
    /// Lines of ours that are about to go from the index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leaving: Vec<String>,
}

impl MemoriesState {
    /// What is kept of a folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = store::cache(folder, NAME)?;
        let Some(text) = file::read_text(&path)? else { return Ok(Self::default()) };
        let said = |why: &_| log::say("lh", &format!("'{}' is taken as empty: {why}", path.display()));
        Ok(serde_json::from_str(&text).inspect_err(said).unwrap_or_default())
    }

    /// Keeps it; the caller holds the folder's lock.
    pub fn keep(&self, folder: &Path, redactor: &Redactor) -> Result<(), Failure> {
        let target = store::cache(folder, NAME)?;
        if *self == Self::default() {
            return file::remove(&target);
        }
        store::cache_folder(folder, "")?;
        file::replace(&target, &redactor.masked_json(&record::json_line(self)?), Durable::Yes)
    }

    /// Changes the index to what is wanted. Before that it is known which lines are about to go, and behind it that they
    /// are gone.
    pub fn change_index(
        &self,
        before: &Self,
        ours: &Lines,
        wanted: &Lines,
        folder: &Path,
        redactor: &Redactor,
    ) -> Result<(), Failure> {
        let until_done = self.clone().while_leaving(before);
        if until_done != *before {
            until_done.keep(folder, redactor)?;
        }
        index::change(folder, ours, wanted)?;
        if *self == until_done { Ok(()) } else { self.keep(folder, redactor) }
    }

    /// With the lines that were ours before and are not now.
    #[must_use]
    pub fn while_leaving(mut self, before: &Self) -> Self {
        let mut leaving = before.lines();
        leaving.retain(|(_, line)| !self.is_line(line));
        self.leaving = leaving.into_iter().map(|(_, line)| line).collect();
        self
    }

    /// What is known of an item.
    pub fn of(&self, id: &str) -> Option<&Filed> {
        self.notes.iter().find(|filed| filed.id == id)
    }

    /// The lines of the index that are ours, with their files; one that is about to go is of no file.
    pub fn lines(&self) -> Lines {
        self.lines_of_files().map(|(file, line)| (file.to_owned(), line.clone())).collect()
    }

    /// Whether a line of the index is ours.
    pub fn is_line(&self, line: &str) -> bool {
        self.lines_of_files().any(|(_, own)| own == line)
    }

    fn lines_of_files(&self) -> impl Iterator<Item = (&str, &String)> {
        let notes = self.notes.iter().map(|filed| (&*filed.file, &filed.line));
        let others = self.others.iter().map(|(file, line)| (&**file, line));
        let fold = self.fold.iter().map(|line| (FOLD, line));
        let leaving = self.leaving.iter().map(|line| ("", line));
        notes.chain(others).chain(fold).chain(leaving).filter(|(_, line)| !line.is_empty())
    }

    /// Says which line a file has; "" for none.
    pub fn put_line(&mut self, file: &str, line: &str) {
        match self.notes.iter_mut().find(|filed| filed.file == file) {
            Some(filed) => line.clone_into(&mut filed.line),
            None if line.is_empty() => {}
            None => _ = self.others.insert(file.to_owned(), line.to_owned()),
        }
    }

    /// Whether a file is ours, or has, or had, a line of ours.
    pub fn has(&self, file: &str) -> bool {
        let is_folded = || self.folded.iter().any(|folded| folded == file);
        self.notes.iter().any(|filed| filed.file == file) || self.others.contains_key(file) || is_folded()
    }
}
