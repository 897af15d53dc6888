//! What is to go of one folder, and what is in the way: a name that is not ours, or a name of ours that is a link, a
//! folder or a FIFO, is counted and left. Nothing is changed here.

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Root};
use crate::base::masked::Masked;
use crate::record::session;
use crate::store::change::{self, Planned};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A lock of ours, which stays.
const LOCK: &str = "lock";
/// A larger file is not one of ours.
const LIMIT: u64 = 64 << 20;

/// The plan for one folder.
pub struct Plan {
    folder: PathBuf,
    now: Timestamp,
    /// What goes.
    pub changes: Vec<Planned>,
    /// The names of what is left, since it is not ours.
    pub strange: Vec<String>,
    /// What was given back lately.
    returned: BTreeSet<String>,
}

impl Plan {
    /// Of a folder, in which nothing is to go yet.
    pub fn new(folder: &Path, now: Timestamp) -> Result<Self, Failure> {
        let returned = change::returned(folder, now)?;
        Ok(Self { folder: folder.to_path_buf(), now, changes: Vec::new(), strange: Vec::new(), returned })
    }

    /// The names of ours with an ending in a folder below, each with that folder before it. Hidden names are those of
    /// writers and of other tools; others are strange.
    pub fn names(&mut self, below: &str, ending: &str) -> Result<Vec<String>, Failure> {
        let inside = Root::new(&self.folder).inside(below).ok();
        let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|data| data.is_dir());
        let Some(path) = inside.filter(is_folder) else {
            let is_there = self.folder.join(below).symlink_metadata().is_ok();
            self.strange.extend(is_there.then(|| below.to_owned()));
            return Ok(Vec::new());
        };
        let names = file::names(&path)?.into_iter().map(|name| name.to_string_lossy().into_owned());
        let ours = |name: &String| name.strip_suffix(ending).is_some_and(|stem| session::safe_id(stem) == stem);
        let (found, strange): (Vec<_>, Vec<_>) = names.filter(|name| !name.starts_with('.')).partition(ours);
        let below = |name: String| format!("{below}/{name}");
        self.strange.extend(strange.into_iter().filter(|name| name != LOCK).map(below));
        Ok(found.into_iter().map(below).collect())
    }

    /// When a file was last written to; none for what is no file, and for what was given back lately.
    pub fn time(&mut self, name: &str) -> Option<Timestamp> {
        let data = self.folder.join(name).symlink_metadata().ok()?;
        if !data.is_file() {
            self.strange.push(name.to_owned());
            return None;
        }
        data.modified().ok().and_then(clock::from_system).filter(|_| !self.returned.contains(name))
    }

    /// What is in a file; none for one that is another user's or cannot be read.
    pub fn bytes(&mut self, name: &str) -> Option<Vec<u8>> {
        let read = file::read_own(&self.folder.join(name), LIMIT);
        self.strange.extend(read.is_err().then(|| name.to_owned()));
        read.ok().flatten()
    }

    /// Takes the files with an ending in a folder that may go by the rest of their names, were not written to for so many
    /// days, and say what is ours.
    pub fn take_old(
        &mut self,
        (folder, ending): (&str, &str),
        days: i64,
        why: &str,
        may_go: impl Fn(&str) -> bool,
        is_ours: impl Fn(&[u8]) -> bool,
    ) -> Result<(), Failure> {
        for name in self.names(folder, ending)? {
            let stem = name.strip_suffix(ending).and_then(|name| name.rsplit('/').next()).unwrap_or(&name);
            if !may_go(stem) || !self.time(&name).is_some_and(|time| self.is_over(time, days)) {
                continue;
            }
            match self.bytes(&name) {
                Some(bytes) if is_ours(&bytes) => {
                    self.take(name, &bytes, why.to_owned(), None);
                }
                Some(_) => self.strange.push(name),
                None => {}
            }
        }
        Ok(())
    }

    /// Whether a time is more than so many days ago.
    pub fn is_over(&self, time: Timestamp, days: i64) -> bool {
        clock::seconds_between(time, self.now) > days * 86_400
    }

    /// Adds a file that goes, or that becomes what is given.
    pub fn take(&mut self, name: String, bytes: &[u8], why: String, after: Option<Masked>) -> &mut Planned {
        let before = change::hash(Some(bytes));
        self.changes.push(Planned { name, why, before, after, ..Planned::default() });
        let last = self.changes.len() - 1;
        &mut self.changes[last]
    }
}
