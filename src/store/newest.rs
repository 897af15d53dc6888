//! The pointer to a project's newest page, `export.json` among the caches of its memory: the start of the next session reads
//! it instead of the sessions folder. Losing it costs time; it is checked when it is read.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Its name.
pub const POINTER: &str = "export.json";

/// The newest page of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Newest {
    /// The page; empty where there was none.
    pub path: PathBuf,
    /// The session's last timestamp.
    pub last_time: String,
    /// The local day on which no page was found, beside the page that is pointed at; empty when one was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub looked_on: String,
}

impl Newest {
    /// What is pointed at; none when nothing was written, or nothing that can be read.
    pub fn read(memory: &Path) -> Option<Self> {
        serde_json::from_str(&file::read_text(&super::cache(memory, POINTER).ok()?).ok()??).ok()
    }

    /// Points at it, unless a newer one is pointed at. Status 75 where another process holds the memory's lock for longer
    /// than `patience`.
    pub fn write(&self, memory: &Path, patience: Duration) -> Result<(), Failure> {
        let known = Self::read(memory).unwrap_or_default();
        let time = |newest: &Self| clock::parse(&newest.last_time);
        if known == *self || time(&known) > time(self) && known.path.try_exists().unwrap_or(true) {
            return Ok(());
        }
        self.put(memory, patience)
    }

    /// Points at it whatever is pointed at.
    pub fn put(&self, memory: &Path, patience: Duration) -> Result<(), Failure> {
        // A path that is not UTF-8 gets no pointer: it is looked for.
        let Ok(line) = record::json_line(self) else { return Ok(()) };
        // The next process that takes this lock removes what was written aside in .state/ and not put in place.
        let _lock = super::lock_caches(memory, patience)?;
        file::replace(&super::cache(memory, POINTER)?, &Masked::exact(line), Durable::No)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newer_page_stays_pointed_at() {
        let home = tempfile::tempdir().unwrap();
        let page = |name: &str, last_time: &str| {
            let path = home.path().join(name);
            std::fs::write(&path, "").unwrap();
            Newest { path, last_time: last_time.to_owned(), looked_on: String::new() }
        };
        let (early, late) = (page("a.md", "2026-04-13T18:32:45Z"), page("b.md", "2026-04-13T16:00:00-03:00"));
        assert_eq!(Newest::read(home.path()), None);
        for newest in [&early, &late, &early] {
            newest.write(home.path(), file::PATIENCE).unwrap();
        }
        assert_eq!(Newest::read(home.path()), Some(late.clone()));
        let text = std::fs::read_to_string(home.path().join(".state/export.json")).unwrap();
        let known = format!("{{\"path\":\"{}\",\"last_time\":\"2026-04-13T16:00:00-03:00\"}}\n", late.path.display());
        assert_eq!(text, known);
        // A page that is gone is not the newest any more.
        std::fs::remove_file(&late.path).unwrap();
        early.write(home.path(), file::PATIENCE).unwrap();
        assert_eq!(Newest::read(home.path()), Some(early));
        std::fs::write(home.path().join(".state/export.json"), "{\"path\":7").unwrap();
        assert_eq!(Newest::read(home.path()), None);
    }
}
