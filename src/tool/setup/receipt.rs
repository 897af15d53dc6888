//! What was done to settings, so that it can be undone: `setup.json` in the state folder, an entry a settings
//! file. It is written before the settings are. So after a kill it can tell of a change that was never made:
//! what it says was taken out and is there is not put back, and settings that are not those that it tells of
//! are not replaced by older ones.

use super::settings::{self, ChangedText, Taken};
use super::splice::Fault;
use crate::base::env;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, PATIENCE, Root, Target};
use crate::base::masked::Masked;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const NAME: &str = "setup.json";

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

/// All receipts, by the real paths of the settings.
type SettingsReceipts = BTreeMap<String, SettingsReceipt>;

/// The receipt of settings; an empty one when there is none.
pub fn load(path: &Path) -> Result<SettingsReceipt, Failure> {
    Ok(all()?.remove(&key(path)?).unwrap_or_default())
}

/// Keeps the receipt of settings, or, with none, forgets it.
pub fn store(path: &Path, receipt: Option<&SettingsReceipt>) -> Result<(), Failure> {
    let folder = env::state_folder()?;
    if receipt.is_none() && !folder.join(NAME).exists() {
        return Ok(());
    }
    file::create_folder(&folder)?;
    let root = Root::new(&folder);
    let target = root.file(NAME)?;
    let lock = root.file(".setup.lock")?;
    let _lock = file::lock(&lock, PATIENCE)?;
    file::remove_leftovers(&root.folder("")?, Some(super::ASIDE_SECONDS));
    let mut receipts = all()?;
    match receipt {
        Some(receipt) => _ = receipts.insert(key(path)?, receipt.clone()),
        None if receipts.remove(&key(path)?).is_none() => return Ok(()),
        None => {}
    }
    if receipts.is_empty() {
        file::remove(&target)?;
        // Not the folder: another run may be about to make its lock there.
        return file::remove(&lock);
    }
    let text = serde_json::to_string_pretty(&receipts).map_err(|error| Failure::data(error.to_string()))?;
    file::replace(&target, &Masked::exact(text + "\n"), Durable::Yes)
}

fn all() -> Result<SettingsReceipts, Failure> {
    let path = env::state_folder()?.join(NAME);
    let Some(bytes) = file::read(&path)? else { return Ok(SettingsReceipts::new()) };
    serde_json::from_slice(&bytes).map_err(|error| {
        let what = "this is not what lh-setup wrote: move the file away, then run this again";
        Failure::data(format!("{}: {error}; {what}", path.display()))
    })
}

fn key(path: &Path) -> Result<String, Failure> {
    // Also of a link whose target is not there yet.
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
        // Where there are no settings any more, none are made.
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
