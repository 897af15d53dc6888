//! The index of a folder of typed memories, made anew or checked.

use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::redact::Redactor;
use crate::store::notes::told;
use crate::store::{self, notes};
use crate::tool::context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder that is meant: one that is named, else that of the project in which we are.
pub fn folder(named: Option<&Path>, config: &Config) -> Result<PathBuf, Failure> {
    let folder = match named {
        Some(folder) => folder.to_path_buf(),
        None => context::memory_here(config)?.notes().to_path_buf(),
    };
    if folder.is_dir() {
        return Ok(folder);
    }
    let folder = folder.display();
    Err(Failure::data(format!("'{folder}' is not a folder: name one that has typed memories in it")))
}

/// What is wrong, a line each; "" where nothing is.
pub fn check(folder: &Path, config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let found = notes::check(folder)?;
    Ok(redactor.masked_parts(&found.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>()))
}

/// How often each file was told, and in which second last; by its masked name.
fn told(folder: &Path) -> BTreeMap<String, (u64, u64)> {
    let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (telling, _) in told::all(folder, "lh-index") {
        let second =
            clock::parse(&telling.ts).and_then(|time| u64::try_from(time.as_second()).ok()).unwrap_or_default();
        let (times, last) = found.entry(telling.file).or_default();
        (*times, *last) = (times.saturating_add(1), second.max(*last));
    }
    found
}

/// Makes it anew; gives what it will be where a `dry` run changes nothing.
pub fn rebuild(folder: &Path, dry: bool, config: &Config) -> Result<Masked, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let _lock = if dry { None } else { Some(store::lock(folder)?) };
    let index = notes::rebuild(folder, &told(folder), dry, &redactor)?;
    Ok(if dry { redactor.masked_file(&index) } else { Masked::default() })
}
