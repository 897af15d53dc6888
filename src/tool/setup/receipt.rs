//! What was done to settings, so that it can be undone: `setup.json` in the state folder, an entry a settings
//! file. It is written before the settings are. So after a kill it can tell of a change that was never made:
//! what it says was taken out and is there is not put back, and settings that are not those that it tells of
//! are not replaced by older ones.

use super::backup;
use super::settings::{self, Changed, Empty, Taken};
use super::splice::Fault;
use crate::base::env;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, PATIENCE, Root, Target};
use crate::base::masked::Masked;
use crate::record::item;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const NAME: &str = "setup.json";

/// What is known of one settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// The hash of the settings before ours were put in, as long as no other program changed them since.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The hash of the settings after the last change.
    after: String,
    /// What the file held where it held no setting: nothing, or blanks. None where it held settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    blank: Option<String>,
    /// There was no file.
    created: bool,
    /// What was there without holding anything.
    empty: Empty,
    /// The predecessor's hooks that were taken out, in that order.
    taken: Vec<Taken>,
}

/// All receipts, by the real paths of the settings.
type Receipts = BTreeMap<String, Receipt>;

/// The receipt of settings; an empty one when there is none.
pub fn load(path: &Path) -> Result<Receipt, Failure> {
    Ok(all()?.remove(&key(path)?).unwrap_or_default())
}

/// Keeps the receipt of settings, or, with none, forgets it.
pub fn store(path: &Path, receipt: Option<&Receipt>) -> Result<(), Failure> {
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

fn all() -> Result<Receipts, Failure> {
    let path = env::state_folder()?.join(NAME);
    let Some(bytes) = file::read(&path)? else { return Ok(Receipts::new()) };
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

impl Receipt {
    /// The receipt once `text`, which is what `old` holds, is changed.
    pub fn with(&self, old: Option<&[u8]>, text: &str, changed: &Changed) -> Result<Self, Fault> {
        let mut next = self.clone();
        next.taken = settings::absent(text, &self.taken)?;
        if !self.is_of(old) {
            let is_ours = settings::hooked(text)?.iter().any(|hooked| !hooked.ours.is_empty());
            if next.taken.is_empty() && !is_ours {
                next = Self {
                    before: old.map(item::hash),
                    blank: text.trim().is_empty().then(|| text.to_owned()),
                    created: old.is_none(),
                    empty: settings::empty(text)?,
                    ..Self::default()
                };
            } else {
                next.before = None;
            }
        }
        next.taken.extend(changed.taken.iter().cloned());
        next.after = item::hash(changed.text.as_bytes());
        Ok(next)
    }

    /// The settings without ours, and with what was taken out: as they were before where no other program has
    /// changed them since. The text is none where there was no file.
    pub fn undo(&self, path: &Path, old: Option<&[u8]>, text: &str) -> Result<(Option<String>, Vec<String>), Fault> {
        let changed = settings::uninstall(text, &self.empty, &self.taken)?;
        // Where there are no settings any more, none are made.
        if changed.changes.is_empty() || old.is_none() {
            return Ok((old.map(|_| text.to_owned()), Vec::new()));
        }
        let was = if self.is_of(old) { self.backup(path) } else { None };
        let text = match was {
            Some(was) => Some(was),
            None if !settings::is_nothing(&changed.text) => Some(changed.text),
            None if self.created => None,
            None => Some(self.blank.clone().unwrap_or(changed.text)),
        };
        Ok((text, changed.changes))
    }

    /// Whether settings are those of the last change.
    fn is_of(&self, old: Option<&[u8]>) -> bool {
        old.is_some_and(|bytes| item::hash(bytes) == self.after)
    }

    /// The settings before ours were put in, if they were kept and are without ours.
    fn backup(&self, path: &Path) -> Option<String> {
        let before = self.before.as_ref()?;
        let texts = backup::all(path).into_iter().filter_map(|backup| file::read(&backup).ok()?);
        let text = texts.into_iter().find(|bytes| item::hash(bytes) == *before)?;
        let text = String::from_utf8(text).ok()?;
        let hooked = settings::hooked(&text).ok()?;
        hooked.iter().all(|hooked| hooked.ours.is_empty()).then_some(text)
    }
}
