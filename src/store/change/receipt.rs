//! A receipt: what a plan did to each file. It is written before the first of them is touched.

use super::{KEPT_SECONDS, Planned};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::log;
use crate::base::masked::Masked;
use crate::store::archive;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where they are.
pub(super) const RECEIPTS: &str = ".archive/receipts";

/// How far a change got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// It is to be made.
    #[default]
    Begun,
    /// It is made.
    Done,
    /// The file was changed since, and stays as it is.
    Left,
    /// It is to be taken back.
    Returning,
    /// It is taken back.
    Returned,
}

/// What became of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangedFile {
    /// Its name below the folder.
    pub name: String,
    /// Why.
    pub why: String,
    /// Its copy, below the folder; "" where there was no file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The hash of the file before; "" where there was none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// What it became; none for one that went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// See [`Planned::keep_until`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub keep_until: String,
    /// See [`Planned::successor`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successor: Option<(String, String)>,
    /// See [`Planned::grows`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub grows: bool,
    /// When it was taken back; "" where it was not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub returned_at: String,
    /// How far it got.
    pub state: ChangeState,
}

/// What a plan did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    /// Its name, by which it is taken back.
    pub id: String,
    /// The tool whose plan it was: `prune`, `dream`.
    pub by: String,
    /// When, RFC 3339.
    pub ts: String,
    /// The files.
    pub entries: Vec<ChangedFile>,
}

impl ChangedFile {
    /// Until when its copy is kept; none where the times cannot be read.
    pub fn kept_until(&self, ts: &str) -> Option<Timestamp> {
        let least = clock::parse(ts).map(|time| clock::after(time, KEPT_SECONDS));
        least.max(clock::parse(&self.keep_until))
    }

    /// Whether its copy, or the fact that it was taken back, is still kept.
    pub fn is_kept(&self, ts: &str, now: Timestamp) -> bool {
        let since = if self.returned_at.is_empty() { ts } else { &self.returned_at };
        // A time that cannot be read is no reason to remove anything.
        let is_fresh = clock::parse(since).is_none_or(|time| clock::seconds_between(time, now) < KEPT_SECONDS);
        is_fresh || clock::parse(&self.keep_until).is_some_and(|until| until > now)
    }
}

impl Change {
    /// Writes down what is to happen.
    pub(super) fn begin(folder: &Path, by: &str, changes: Vec<Planned>, now: Timestamp) -> Result<Self, Failure> {
        let root = Root::new(folder);
        let entry = |Planned { name, why, before, after, keep_until, successor, grows }: Planned| {
            let mut places = (1..).map(|number| archive::numbered(Path::new(&name), now, number));
            let place = places.find(|place| !folder.join(place).exists()).filter(|_| !before.is_empty());
            let place = place.map_or_else(String::new, |place| place.to_string_lossy().into_owned());
            let after = after.map(|text| text.text().into_owned());
            ChangedFile { name, why, place, before, after, keep_until, successor, grows, ..ChangedFile::default() }
        };
        let entries = changes.into_iter().map(entry).collect();
        let first = format!("{}-{by}", now.strftime("%Y%m%dT%H%M%SZ"));
        let (known, mut id, mut number) = (root.folder(RECEIPTS)?, first.clone(), 1);
        while known.join(format!("{id}.json")).symlink_metadata().is_ok() {
            number += 1;
            id = format!("{first}-{number}");
        }
        let receipt = Self { id, by: by.to_owned(), ts: now.to_string(), entries };
        receipt.write(folder)?;
        Ok(receipt)
    }

    /// Writes it down as it is now; one without entries is removed.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let target = Root::new(folder).file(Path::new(RECEIPTS).join(format!("{}.json", self.id)))?;
        if self.entries.is_empty() {
            return file::remove(&target);
        }
        // Names, hashes, and texts that were masked before they came here.
        let json = serde_json::to_string_pretty(self).map_err(|error| Failure::data(error.to_string()))?;
        file::replace(&target, &Masked::exact(format!("{json}\n")), Durable::Yes)
    }

    /// Whether something is still to be done, or to be taken back.
    pub fn is_unfinished(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.state, ChangeState::Begun | ChangeState::Returning))
    }
}

/// All of a folder, the oldest first. One that cannot be read is said, and left where it is.
pub fn all(folder: &Path) -> Result<Vec<Change>, Failure> {
    let receipts = folder.join(RECEIPTS);
    let mut found = Vec::new();
    for name in file::names(&receipts)? {
        let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".json")).filter(|id| !id.starts_with('.'))
        else {
            continue;
        };
        let path = receipts.join(&name);
        // One that cannot be read hides no other.
        match file::read_text(&path).map(|text| serde_json::from_str::<Change>(text.as_deref().unwrap_or(""))) {
            Ok(Ok(receipt)) => found.push(Change { id: id.to_owned(), ..receipt }),
            Ok(Err(_)) => log::say("lh", &format!("'{}' is not a receipt: left as it is", path.display())),
            Err(failure) => log::say("lh", &failure.message),
        }
    }
    found.sort_by_cached_key(|receipt| (clock::parse(&receipt.ts), receipt.id.clone()));
    Ok(found)
}
