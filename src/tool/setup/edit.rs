//! What one settings file is to become, and putting that in its place: by rename, with what it was kept beside it, and only
//! while it is what was read.

use super::splice::{Fault, fault};
use super::{ASIDE_SECONDS, SettingsReceipt, backup, receipt, say, settings};
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Target};
use crate::base::masked::Masked;
use std::path::{Path, PathBuf};

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
        let known = receipt::load(path)?;
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
        let kept = old.as_deref().map_or(Ok(None), |bytes| backup::keep(path, bytes))?;
        if receipt.is_some() {
            receipt::store(path, receipt.as_ref())?;
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
