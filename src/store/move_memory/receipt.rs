//! What a move wrote down before it changed anything: where from and where to, and in a folder beside it exact copies of
//! what `from` had, and of what `to` had of the same names. Receipts are numbered, and none is ever removed.

use super::files::{self, ReadFile};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root};
use crate::base::masked::Masked;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The number of the format. What lh 0.2 moved has 1, and is read where it is.
const VERSION: u32 = 3;

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveState {
    /// The copies are whole; files may have been moved.
    Copied,
    /// All is moved.
    Done,
    /// Taken back.
    Undone,
}

/// A receipt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveReceipt {
    version: u32,
    /// How far it is.
    pub state: MoveState,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Where the memory was.
    pub from: PathBuf,
    /// Where it went.
    pub to: PathBuf,
    /// How many files were moved.
    file_count: usize,
    /// The receipt's file.
    #[serde(skip)]
    pub file: PathBuf,
}

/// Takes the lock under which memory is moved; creates the folder of the receipts.
pub fn lock(receipts: &Path) -> Result<Lock, Failure> {
    files::make(receipts)?;
    file::lock(&Root::new(receipts).file("lock")?, file::PATIENCE)
}

/// All receipts of this format, newest last; status 65 for one that cannot be read.
pub fn all(receipts: &Path) -> Result<Vec<MoveReceipt>, Failure> {
    let is_receipt = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let paths = file::names(receipts)?.into_iter().map(|name| receipts.join(name)).filter(is_receipt);
    let mut all = paths.filter_map(|path| MoveReceipt::read(&path).transpose()).collect::<Result<Vec<_>, _>>()?;
    all.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(all)
}

impl MoveReceipt {
    /// Copies all that a move touches, and then writes its receipt. The caller holds the locks of both folders.
    pub fn begin(receipts: &Path, from: &Path, to: &Path) -> Result<Self, Failure> {
        let number = |name: std::ffi::OsString| name.to_string_lossy().split('-').next()?.parse::<u64>().ok();
        // Also of a folder that a killed run left without a receipt.
        let last = file::names(receipts)?.into_iter().filter_map(number).max();
        let (now, names) = (clock::now(), files::names(from)?);
        let name = format!("{:04}-{}.json", last.map_or(1, |last| last + 1), now.strftime("%Y%m%dT%H%M%SZ"));
        let mut receipt = Self {
            version: VERSION,
            state: MoveState::Copied,
            started_at: now.to_string(),
            from: from.to_path_buf(),
            to: to.to_path_buf(),
            file_count: names.len(),
            file: receipts.join(name),
        };
        for name in names.keys() {
            for (memory, copy) in [(from, "from"), (to, "to")] {
                if let Some(held) = files::read(memory, name)? {
                    files::put(&receipt.copy(copy), name, Some(&held))?;
                }
            }
        }
        receipt.reach(MoveState::Copied).map(|()| receipt)
    }

    /// Reads a receipt; none of an earlier version, and status 65 for another file.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let broken = |why: &str| Failure::data(format!("{}: not a receipt of a move: {why}", path.display()));
        let text = file::read_text(path)?.ok_or_else(|| broken("the file is not there"))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| broken(&error.to_string()))?;
        if value["version"].as_u64().is_some_and(|version| version < VERSION.into()) {
            return Ok(None);
        }
        let receipt: Self = serde_json::from_value(value).map_err(|error| broken(&error.to_string()))?;
        Ok(Some(Self { file: path.to_path_buf(), ..receipt }))
    }

    /// Writes down how far it is.
    pub fn reach(&mut self, state: MoveState) -> Result<(), Failure> {
        self.state = state;
        // A path that is not UTF-8 cannot be written down.
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::data(error.to_string()))?;
        let (folder, name) = (self.file.parent().unwrap_or(Path::new(".")), self.file.file_name().unwrap_or_default());
        // Paths, times and numbers.
        let receipt = ReadFile { content: Masked::exact(format!("{text}\n")), modified: None };
        files::put(folder, Path::new(name), Some(&receipt))
    }

    /// The name by which it is taken back.
    pub fn id(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether it was taken back.
    pub fn is_undone(&self) -> bool {
        self.state == MoveState::Undone
    }

    /// The copy of what `from` or `to` had, which is laid out as a memory folder is.
    pub fn copy(&self, of: &str) -> PathBuf {
        self.file.with_extension("").join(of)
    }

    /// Status 65 if it cannot be taken back.
    pub fn can_return(&self) -> Result<(), Failure> {
        let what = if self.is_undone() {
            "this move was undone; there is nothing to take back"
        } else if files::names(&self.copy("from"))?.len() != self.file_count {
            "files of its copy were removed, so the move is not taken back: move what is left by hand"
        } else {
            return Ok(());
        };
        Err(Failure::data(format!("{}: {what}", self.file.display())))
    }
}
