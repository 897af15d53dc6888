//! What a move wrote down before it changed anything: where from and where to, and in a folder beside it exact copies of
//! what `from` had, of what `to` had of the same names, and of what `to` has after the move. Receipts are numbered, and
//! none is ever removed.

use super::disk::{self, ReadFile};
use super::merge;
use super::table::{self, JoinKind};
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use crate::record::item::hash;
use crate::redact::Redactor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The number of the format. That of lh 0.2 was 1: instead of copies it had sums of what `to` has after the move.
const VERSION: u32 = 2;

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveState {
    /// The copies are whole; files may have been moved.
    Copied,
    /// All is moved. In version 1 also `restored`: half of it was taken back, which can be done again.
    #[serde(alias = "restored")]
    Done,
    /// Taken back. In version 1 also `begun`: nothing was changed.
    #[serde(alias = "begun")]
    Undone,
}

/// A path, for people and, where it is not plain text, exactly; in version 1 of a file, with its sum.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Exact {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    #[serde(default, skip_serializing)]
    sha256: String,
}

impl Exact {
    fn new(path: &Path) -> Self {
        Self { path: path.display().to_string(), path_base64: record::exact_path(path), sha256: String::new() }
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
    started_at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    undone_at: String,
    from: Exact,
    to: Exact,
    /// How many files were moved; not in version 1.
    #[serde(default)]
    file_count: Option<usize>,
    /// What `to` has after the move, in version 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    placed: Vec<Exact>,
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
    all.sort_by_key(|receipt| number(&receipt.file));
    Ok(all)
}

/// The number of a receipt, or of the folder of its copies; 0 for other files.
fn number(path: &Path) -> u64 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

impl MoveReceipt {
    /// Copies all that a move touches, and then writes its receipt. The caller holds the locks of both folders.
    pub fn begin(receipts: &Path, from: &Path, to: &Path, redactor: &Redactor) -> Result<Self, Failure> {
        // Also of a folder that a killed run left without a receipt.
        let number = file::names(receipts)?.iter().map(|name| number(Path::new(name))).max().unwrap_or(0) + 1;
        let now = clock::now();
        let names = table::names(from)?;
        let receipt = Self {
            version: VERSION,
            state: MoveState::Copied,
            started_at: now.to_string(),
            undone_at: String::new(),
            from: Exact::new(from),
            to: Exact::new(to),
            file_count: Some(names.len()),
            placed: Vec::new(),
            file: receipts.join(format!("{number:04}-{}.json", now.strftime("%Y%m%dT%H%M%SZ"))),
        };
        for name in names.keys() {
            for (memory, copy) in [(from, "from"), (to, "to"), (to, "left")] {
                let held = disk::read(memory, name)?;
                held.map_or(Ok(()), |held| disk::put(&receipt.copy(copy), name, &held))?;
            }
        }
        for (name, kind) in names.iter().rev() {
            merge::into(&receipt.copy("left"), &receipt.copy("from"), name, *kind, redactor)?;
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
        if !receipt.from.path().is_absolute() || !receipt.to.path().is_absolute() {
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

    /// The copy of what `from` or `to` had, or of what was `left` at `to`, which is laid out as a memory folder is.
    pub fn copy(&self, of: &str) -> PathBuf {
        self.file.with_extension("").join(of)
    }

    /// Status 65 if a copy is missing.
    pub fn check(&self) -> Result<(), Failure> {
        let count = table::names(&self.copy("from"))?.len();
        if count > 0 && self.file_count.is_none_or(|wanted| wanted == count) {
            return Ok(());
        }
        let what = "files of this copy were removed, so the move is not taken back: move what is left by hand";
        Err(Failure::data(format!("{}: {what}", self.copy("from").display())))
    }

    /// The hash of a file as the move left it at `to`: the first digits of the sum that version 1 has.
    pub fn left(&self, name: &Path) -> Result<Option<String>, Failure> {
        if self.version > 1 {
            return Ok(disk::read(&self.copy("left"), name)?.map(|held| hash(held.content.bytes())));
        }
        let placed = self.placed.iter().find(|placed| placed.path() == name);
        Ok(placed.map(|placed| placed.sha256.chars().take(16).collect()))
    }

    /// What was moved, and what the move put at `to`.
    pub fn names(&self) -> Result<BTreeMap<PathBuf, JoinKind>, Failure> {
        let mut names = table::names(&self.copy("from"))?;
        names.extend(table::names(&self.copy("left"))?);
        let placed = self.placed.iter().map(Exact::path);
        names.extend(placed.filter_map(|name| table::kind(&name).map(|kind| (name, kind))));
        Ok(names)
    }
}
