//! The index of a folder of typed memories and the menu of its episodes, made anew or checked.

use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store::{self, episodes, memories};
use crate::tool::context;
use std::path::{Path, PathBuf};

/// The folders that are meant: one that is named, else those of the project in which we are, which are one if its
/// typed memories are with the rest.
pub fn folders(named: Option<&Path>, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = if let Some(folder) = named {
        vec![file::real_path(folder)]
    } else {
        let memory = context::memory_here(config)?;
        vec![memory.notes().to_path_buf(), memory.to_path_buf()]
    };
    folders.dedup();
    let missing = folders.first().map(|folder| folder.display().to_string()).unwrap_or_default();
    folders.retain(|folder| folder.is_dir());
    if folders.is_empty() {
        let what = "is not a folder: name one that has typed memories in it";
        return Err(Failure::data(format!("'{missing}' {what}")));
    }
    Ok(folders)
}

/// What is wrong, a line each; "" where nothing is.
pub fn check(folders: &[PathBuf], config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let mut found = Vec::new();
    for folder in folders {
        found.extend(memories::check(folder)?);
        found.extend(episodes::check(folder)?);
    }
    Ok(redactor.masked_parts(&found.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>()))
}

/// Makes both anew; gives what they will be where a `dry` run changes nothing.
pub fn rebuild(folders: &[PathBuf], dry: bool, config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let mut shown = Masked::default();
    for folder in folders {
        let index = {
            let _lock = if dry { None } else { Some(store::lock(folder)?) };
            memories::rebuild(folder, dry, &redactor)?
        };
        let menu = episodes::rebuild(folder, dry, &redactor)?;
        if dry {
            shown.push(&redactor.masked_file(&index));
            shown.push(&redactor.masked_file(&menu));
        }
    }
    Ok(shown)
}
