//! What a move wrote down before it changed anything: where from and where to, and in a folder beside it exact copies of
//! what `from` had, and of what `to` had of the same names. Receipts are numbered, and none is ever removed.

use super::disk::{self, ReadFile};
use super::table;
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The number of the format. What lh 0.2 moved has 1, and cannot be taken back by this version.
const VERSION: u32 = 2;

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveState {
    /// The copies are whole; files may have been moved.
    Copied,
    /// All is moved. In version 1 also `restored`.
    #[serde(alias = "restored")]
    Done,
    /// Taken back. In version 1 also `begun`: nothing was changed.
    #[serde(alias = "begun")]
    Undone,
}

/// A path, for people and, where it is not plain text, exactly.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Exact {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
}

impl Exact {
    fn new(path: &Path) -> Self {
        Self { path: path.display().to_string(), path_base64: record::exact_path(path) }
    }

    fn path(&self) -> PathBuf {
        record::path_from(Some(self.path.clone()), self.path_base64.clone()).unwrap_or_default()
    }
}

/// A receipt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveReceipt {
    version: u32,
    /// How far it is.
    pub state: MoveState,
    /// When it began, RFC 3339.
    pub started_at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    undone_at: String,
    from: Exact,
    to: Exact,
    /// How many files were moved; not in version 1.
    #[serde(default)]
    file_count: usize,
    #[serde(skip)]
    file: PathBuf,
}

/// Takes the lock under which memory is moved; creates the folder of the receipts.
pub fn lock(receipts: &Path) -> Result<Lock, Failure> {
    disk::make(receipts)?;
    file::lock(&Root::new(receipts).file("lock")?, file::PATIENCE)
}

/// All receipts, newest last; status 65 for one that cannot be read.
pub fn all(receipts: &Path) -> Result<Vec<MoveReceipt>, Failure> {
    let is_receipt = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let paths = file::names(receipts)?.into_iter().map(|name| receipts.join(name)).filter(is_receipt);
    let mut all = paths.map(|path| MoveReceipt::read(&path)).collect::<Result<Vec<_>, _>>()?;
    all.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(all)
}

impl MoveReceipt {
    /// Copies all that a move touches, and then writes its receipt. The caller holds the locks of both folders.
    pub fn begin(receipts: &Path, from: &Path, to: &Path) -> Result<Self, Failure> {
        let number = |name: std::ffi::OsString| name.to_string_lossy().split('-').next()?.parse::<u64>().ok();
        // Also of a folder that a killed run left without a receipt.
        let last = file::names(receipts)?.into_iter().filter_map(number).max();
        let (now, names) = (clock::now(), table::names(from)?);
        let name = format!("{:04}-{}.json", last.map_or(1, |last| last + 1), now.strftime("%Y%m%dT%H%M%SZ"));
        let receipt = Self {
            version: VERSION,
            state: MoveState::Copied,
            started_at: now.to_string(),
            undone_at: String::new(),
            from: Exact::new(from),
            to: Exact::new(to),
            file_count: names.len(),
            file: receipts.join(name),
        };
        for name in names.keys() {
            for (memory, copy) in [(from, "from"), (to, "to")] {
                disk::read(memory, name)?.map_or(Ok(()), |held| disk::put(&receipt.copy(copy), name, &held))?;
            }
        }
        receipt.save().map(|()| receipt)
    }

    /// Reads a receipt; status 65 when it is none.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let broken = |why: &str| Failure::data(format!("{}: not a receipt of a move: {why}", path.display()));
        let bytes = file::read(path)?.ok_or_else(|| broken("the file is not there"))?;
        let receipt: Self = serde_json::from_slice(&bytes).map_err(|error| broken(&record::fault(&error)))?;
        if !(1..=VERSION).contains(&receipt.version) {
            return Err(broken(&format!("its version is {}, expected 1 to {VERSION}", receipt.version)));
        }
        // Without one it would be the current folder.
        if !receipt.from().is_absolute() || !receipt.to().is_absolute() {
            return Err(broken("it does not say from which folder to which one"));
        }
        Ok(Self { file: path.to_path_buf(), ..receipt })
    }

    fn save(&self) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::data(error.to_string()))?;
        let (folder, name) = (self.file.parent().unwrap_or(Path::new(".")), self.file.file_name().unwrap_or_default());
        // Paths, times and numbers.
        disk::put(folder, Path::new(name), &ReadFile { content: Masked::exact(format!("{text}\n")), modified: None })
    }

    /// The receipt's file.
    pub fn path(&self) -> PathBuf {
        self.file.clone()
    }

    /// The name by which it is taken back.
    pub fn id(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Where the memory was.
    pub fn from(&self) -> PathBuf {
        self.from.path()
    }

    /// Where it went.
    pub fn to(&self) -> PathBuf {
        self.to.path()
    }

    /// Whether it was taken back.
    pub fn is_undone(&self) -> bool {
        self.state == MoveState::Undone
    }

    /// Writes down how far it is.
    pub fn reach(&mut self, state: MoveState) -> Result<(), Failure> {
        if state == MoveState::Undone {
            self.undone_at = clock::now().to_string();
        }
        self.state = state;
        self.save()
    }

    /// The copy of what `from` or `to` had, which is laid out as a memory folder is.
    pub fn copy(&self, of: &str) -> PathBuf {
        self.file.with_extension("").join(of)
    }

    /// Status 65 if it cannot be taken back.
    pub fn can_return(&self) -> Result<(), Failure> {
        let what = if self.is_undone() {
            "this move was undone; there is nothing to take back"
        } else if self.version < VERSION {
            "an earlier version made this move, so it is not taken back: its memory is read where it is"
        } else if table::names(&self.copy("from"))?.len() != self.file_count {
            "files of its copy were removed, so the move is not taken back: move what is left by hand"
        } else {
            return Ok(());
        };
        Err(Failure::data(format!("{}: {what}", self.file.display())))
    }
}
