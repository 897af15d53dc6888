//! One settings file: what it is to become, and putting that in its place by rename, only while it is what was read. What
//! it was is kept twice. Beside it, `settings.json.lh-backup` is what was there before us and is never removed, and of
//! `.1`, `.2` and so on the last five stay. And `setup.json` in the state folder has a receipt of each settings file, so
//! that the change can be undone. A receipt is written before the settings are. So after a kill it can tell of a change
//! that was never made: what it says was taken out and is there is not put back, and settings that are not those that it
//! tells of are not replaced by older ones.

use super::settings::{self, ChangedText, Taken};
use super::splice::{Fault, fault};
use super::{ASIDE_SECONDS, say};
use crate::base::env;
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, PATIENCE, Root, Target};
use crate::base::masked::Masked;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of all receipts.
const RECEIPTS: &str = "setup.json";
/// How many backups stay beside the first.
const KEPT: usize = 5;

/// One settings file, and what it is to become.
pub struct Edit {
    path: PathBuf,
    pub old: Option<Vec<u8>>,
    /// None for no file.
    pub new: Option<String>,
    /// A line on each change; none when there is nothing to do.
    pub changes: Vec<String>,
    /// What must be known before the settings are changed; none where ours are taken out.
    receipt: Option<SettingsReceipt>,
}

impl Edit {
    /// Puts in the script that `script` gives for an event, and takes out the predecessor's with `migrate`.
    pub fn install(path: &Path, script: &dyn Fn(&str) -> Option<String>, migrate: bool) -> Result<Self, Failure> {
        let known = receipt(path)?;
        Self::new(path, |old, text| {
            let changed = settings::install(text, script, migrate)?;
            let receipt = known.with(old, text, &changed)?;
            Ok((Some(changed.text), changed.changes, Some(receipt)))
        })
    }

    /// Takes out what was put in, and puts in again what was taken out.
    pub fn undo(path: &Path, known: &SettingsReceipt) -> Result<Self, Failure> {
        Self::new(path, |old, text| known.undo(old, text).map(|(new, changes)| (new, changes, None)))
    }

    fn new(
        path: &Path,
        change: impl FnOnce(Option<&[u8]>, &str) -> Result<(Option<String>, Vec<String>, Option<SettingsReceipt>), Fault>,
    ) -> Result<Self, Failure> {
        let old = file::read(path)?;
        let text = old.as_deref().map_or(Ok(""), |bytes| utf8(path, bytes))?;
        let left = |fault: Fault| Failure::data(format!("{}:{fault}; it was left as it is", path.display()));
        let (new, changes, receipt) = change(old.as_deref(), text).map_err(left)?;
        if !changes.is_empty() {
            may_be_replaced(path)?;
        }
        Ok(Self { path: path.to_path_buf(), old, new, changes, receipt })
    }

    /// Replaces settings that are still what they were, and keeps that beside them; whether they were.
    pub fn make(&self) -> Result<bool, Failure> {
        let Self { path, old, new, changes, receipt } = self;
        path.parent().map_or(Ok(()), file::create_folder)?;
        if let Some(folder) = file::real_path(path).parent() {
            // What a run that was killed wrote aside.
            file::remove_leftovers(folder, Some(ASIDE_SECONDS));
        }
        let kept = old.as_deref().map_or(Ok(None), |bytes| back_up(path, bytes))?;
        if receipt.is_some() {
            keep_receipt(path, receipt.as_ref())?;
        }
        // The client writes it too: what came meanwhile is not thrown away.
        if file::read(path)? != *old {
            return Ok(false);
        }
        let target = Target::named(path)?;
        match new {
            Some(text) => file::replace(&target, &Masked::exact(text.as_bytes()), Durable::Yes)?,
            None => file::remove(&target)?,
        }
        if let Some(kept) = kept {
            say(&format!("{}: what the settings were before", kept.display()));
        }
        let gone = new.is_none().then(|| "removed, since nothing else is in it".to_owned());
        for what in changes.iter().chain(&gone) {
            say(&format!("{}: {what}", path.display()));
        }
        Ok(true)
    }
}

/// Status 74 for settings that are write-protected: a rename would replace them all the same.
pub fn may_be_replaced(path: &Path) -> Result<(), Failure> {
    let Some(protected) = file::write_protected(&Target::named(path)?) else { return Ok(()) };
    let (path, protected) = (path.display(), protected.display());
    let what = format!("{protected} is read-only, so it was left as it is: chmod u+w, then run this again");
    Err(Failure::new(Exit::Io, format!("{path}: {what}")))
}

/// The text that bytes are.
pub fn utf8<'t>(path: &Path, bytes: &'t [u8]) -> Result<&'t str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let what = fault(&good, good.len(), "not UTF-8; it was left as it is");
        Failure::data(format!("{}:{what}", path.display()))
    })
}

/// What is known of one settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename = "Receipt")]
pub struct SettingsReceipt {
    /// The settings without ours; none where there was no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// The settings after the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    is: Option<String>,
    /// The predecessor's hooks that were taken out, in that order.
    taken: Vec<Taken>,
}

/// The receipt of settings; an empty one when there is none.
pub fn receipt(path: &Path) -> Result<SettingsReceipt, Failure> {
    Ok(receipts()?.remove(&key(path)?).unwrap_or_default())
}

/// Keeps the receipt of settings, or, with none, forgets it.
pub fn keep_receipt(path: &Path, receipt: Option<&SettingsReceipt>) -> Result<(), Failure> {
    let (folder, key) = (env::state_folder()?, key(path)?);
    if receipt.is_none() && !folder.join(RECEIPTS).exists() {
        return Ok(());
    }
    file::create_folder(&folder)?;
    let root = Root::new(&folder);
    let (target, lock) = (root.file(RECEIPTS)?, root.file(".setup.lock")?);
    let _lock = file::lock(&lock, PATIENCE)?;
    file::remove_leftovers(&root.folder("")?, Some(ASIDE_SECONDS));
    let mut receipts = receipts()?;
    match receipt {
        Some(receipt) => receipts.insert(key, receipt.clone()),
        None => receipts.remove(&key),
    };
    if receipts.is_empty() {
        file::remove(&target)?;
        // Not the folder: another run may be about to make its lock there.
        return file::remove(&lock);
    }
    let text = serde_json::to_string_pretty(&receipts).map_err(|error| Failure::data(error.to_string()))?;
    file::replace(&target, &Masked::exact(text + "\n"), Durable::Yes)
}

/// All receipts, by the real paths of the settings.
fn receipts() -> Result<BTreeMap<String, SettingsReceipt>, Failure> {
    let path = env::state_folder()?.join(RECEIPTS);
    let Some(bytes) = file::read(&path)? else { return Ok(BTreeMap::new()) };
    serde_json::from_slice(&bytes).map_err(|error| {
        let what = "this is not what lh-setup wrote: move the file away, then run this again";
        Failure::data(format!("{}: {error}; {what}", path.display()))
    })
}

fn key(path: &Path) -> Result<String, Failure> {
    // Also of a link to a file that is still to be made.
    let target = Target::named(path)?;
    Ok(file::real_path(&target).to_string_lossy().into_owned())
}

impl SettingsReceipt {
    /// The receipt once `text`, which is what `old` holds, is changed.
    pub fn with(&self, old: Option<&[u8]>, text: &str, changed: &ChangedText) -> Result<Self, Fault> {
        let was = match old {
            Some(_) if self.is.as_deref() == Some(text) => self.was.clone(),
            old => self.undo(old, text)?.0,
        };
        let mut taken = settings::absent(text, &self.taken)?;
        taken.extend(changed.taken.iter().cloned());
        Ok(Self { was, is: Some(changed.text.clone()), taken })
    }

    /// The settings without ours, and with what was taken out; none where there was no file. What other programs changed
    /// since stays changed.
    pub fn undo(&self, old: Option<&[u8]>, text: &str) -> Result<(Option<String>, Vec<String>), Fault> {
        let changed = settings::uninstall(text, &self.taken)?;
        // Settings that were removed are not made again.
        if changed.changes.is_empty() || old.is_none() {
            return Ok((old.map(|_| text.to_owned()), Vec::new()));
        }
        let was_nothing = self.is.is_some() && self.was.as_deref().is_none_or(settings::is_nothing);
        let without = if self.is.as_deref() == Some(text) || was_nothing && settings::is_nothing(&changed.text) {
            self.was.clone()
        } else {
            Some(self.changed_back(text).unwrap_or(changed.text))
        };
        Ok((without, changed.changes))
    }

    /// A text with what was changed changed back: the one part in which the two texts differ. None where it is not there
    /// once, or where the change is not safe.
    fn changed_back(&self, text: &str) -> Option<String> {
        fn alike(pairs: impl Iterator<Item = (char, char)>) -> usize {
            pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
        }
        let (was, is) = (self.was.as_deref()?, self.is.as_deref()?);
        let start = alike(was.chars().zip(is.chars()));
        let (was, is) = (&was[start..], &is[start..]);
        let end = alike(was.chars().rev().zip(is.chars().rev()));
        let (was, is) = (&was[..was.len() - end], &is[..is.len() - end]);
        let (before, behind) = text.split_once(is).filter(|(_, behind)| !is.is_empty() && !behind.contains(is))?;
        let back = format!("{before}{was}{behind}");
        settings::is_without_ours(&back, text, &self.taken).then_some(back)
    }
}

/// The backups of a file with their numbers, in the order in which they were written; the first has number 0.
pub fn backups(path: &Path) -> Vec<(u64, PathBuf)> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let numbered = |name| {
        let backup = folder.join(name);
        let number = backup.extension()?.to_str()?.parse().unwrap_or(0);
        // `.03` is not one of them.
        (backup_of(path, number) == backup).then_some((number, backup))
    };
    let mut all: Vec<_> = file::names(folder).into_iter().flatten().filter_map(numbered).collect();
    all.sort();
    all
}

fn backup_of(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lh-backup");
    if number > 0 {
        name.push(format!(".{number}"));
    }
    PathBuf::from(name)
}

/// Keeps what a file was beside it, under a name that was not used; none when that is kept already.
pub fn back_up(path: &Path, bytes: &[u8]) -> Result<Option<PathBuf>, Failure> {
    let known = backups(path);
    for (_, backup) in &known {
        if file::read(backup)?.as_deref() == Some(bytes) {
            return Ok(None);
        }
    }
    let mut number = known.last().map_or(0, |(last, _)| last + 1);
    while !file::create(&Target::named(&backup_of(path, number))?, &Masked::exact(bytes), Durable::Yes)? {
        number += 1;
    }
    // What is too many goes; what cannot be removed stays.
    let others = known.iter().filter(|(number, _)| *number > 0);
    others.rev().skip(KEPT - 1).for_each(|(_, backup)| drop(file::remove_path(backup)));
    Ok(Some(backup_of(path, number)))
}

#[cfg(test)]
mod tests {
    use super::super::Setup;
    use super::*;

    #[test]
    fn what_another_writes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let put_in = || Edit::install(&path, &|_| Some("/lh/lh-hook-stop".to_owned()), false).unwrap();
        std::fs::write(&path, "{\"a\": 1}").unwrap();
        let edit = Edit { receipt: None, ..put_in() };
        std::fs::write(&path, "{\"a\": 2}").unwrap();
        assert!(!edit.make().unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\": 2}");
        // Then it is done with what is there.
        let edit = Edit { receipt: None, ..put_in() };
        assert!(edit.make().unwrap());
        let made = std::fs::read_to_string(&path).unwrap();
        assert!(made.starts_with("{\"a\": 2,") && made.contains("\"hooks\""), "{made}");
        // And given up where it changes all the time.
        std::fs::write(&path, "{}").unwrap();
        let mut setup = Setup::default();
        let given_up = setup.settings(&path, |_| Ok(Edit { old: None, receipt: None, ..put_in() }));
        assert_eq!(given_up.unwrap_err().exit, Exit::Io);
    }
}
