//! What a move wrote down before it changed anything: where from and where to, and in a folder beside it exact copies
//! of what both folders had. Receipts are numbered, and none is ever removed.

use super::disk::{self, Held, sum};
use super::table::{self, Kind};
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The number of the format.
const VERSION: u32 = 1;

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing was changed, and the copies may not be whole.
    Begun,
    /// The copies are whole; files may have been moved.
    Copied,
    /// All is moved.
    Done,
    /// Taken back: `from` has what is its own again, `to` may still have it, too.
    Restored,
    /// Taken back.
    Undone,
}

/// One of the two folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Where the memory was.
    From,
    /// Where it goes.
    To,
}

/// A path, for people and, where it is not plain text, exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exact {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
}

impl Exact {
    fn new(path: &Path) -> Self {
        Self { path: path.to_string_lossy().into_owned(), path_base64: record::exact_path(path) }
    }

    fn path(&self) -> PathBuf {
        record::path_from(Some(self.path.clone()), self.path_base64.clone()).unwrap_or_default()
    }
}

/// A file as it was before the move.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Filed {
    side: Side,
    #[serde(flatten)]
    name: Exact,
    size_bytes: usize,
    sha256: String,
    /// Whether there is a copy: of what the move cannot have changed there is none.
    copied: bool,
}

/// A file as the move left it at `to`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Placed {
    #[serde(flatten)]
    name: Exact,
    sha256: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Paper {
    version: u32,
    state: State,
    started_at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    undone_at: String,
    from: Exact,
    to: Exact,
    /// So many of the last parts of `to` were no folders before.
    made_folders: usize,
    to_had_memory: bool,
    /// The earlier receipts into `to` that were not undone then.
    over: Vec<String>,
    files: Vec<Filed>,
    placed: Vec<Placed>,
    /// What an undo that has begun puts back at `to`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    put_back: Vec<Exact>,
}

/// A receipt.
#[derive(Clone, Debug)]
pub struct Receipt {
    receipts: PathBuf,
    id: String,
    paper: Paper,
}

/// Takes the lock under which memory is moved; creates the folder of the receipts.
pub fn lock(receipts: &Path) -> Result<Lock, Failure> {
    disk::make(receipts)?;
    file::lock(&Root::new(receipts).file("lock")?, file::PATIENCE)
}

/// All receipts, newest last; status 65 for one that cannot be read.
pub fn all(receipts: &Path) -> Result<Vec<Receipt>, Failure> {
    let is_receipt = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let paths = file::names(receipts)?.into_iter().map(|name| receipts.join(name)).filter(is_receipt);
    let mut all = paths.map(|path| Receipt::read(&path)).collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(Receipt::number);
    Ok(all)
}

impl Receipt {
    /// Writes a new receipt, before anything is made or changed.
    pub fn begin(receipts: &Path, from: &Path, to: &Path) -> Result<Self, Failure> {
        let last = all(receipts)?.last().map_or(0, Self::number);
        let now = clock::now();
        let day = now.strftime("%Y%m%dT%H%M%SZ");
        let paper = Paper {
            version: VERSION,
            state: State::Begun,
            started_at: now.to_string(),
            undone_at: String::new(),
            from: Exact::new(from),
            to: Exact::new(to),
            made_folders: to.ancestors().take_while(|path| !path.exists()).count(),
            to_had_memory: false,
            over: Vec::new(),
            files: Vec::new(),
            placed: Vec::new(),
            put_back: Vec::new(),
        };
        let id = format!("{:04}-{day}", last.saturating_add(1));
        let receipt = Self { receipts: receipts.to_path_buf(), id, paper };
        receipt.save().map(|()| receipt)
    }

    /// Reads a receipt; status 65 when it is none.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let broken = |why: &str| Failure::data(format!("{}: not a receipt of a move: {why}", path.display()));
        let bytes = file::read(path)?.ok_or_else(|| broken("the file is not there"))?;
        let paper: Paper = serde_json::from_slice(&bytes).map_err(|error| broken(&record::fault(&error)))?;
        if paper.version != VERSION {
            return Err(broken(&format!("its version is {}, expected {VERSION}", paper.version)));
        }
        let id = path.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| broken("its name is not text"))?;
        let receipts = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { receipts: receipts.to_path_buf(), id: id.to_owned(), paper })
    }

    fn save(&self) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(&self.paper).unwrap_or_default();
        let name = format!("{}.json", self.id);
        // Paths, times, sizes and hashes.
        disk::put(&self.receipts, Path::new(&name), &Masked::exact(format!("{text}\n")), None)
    }

    fn number(&self) -> u64 {
        self.id.split('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// The receipt's file.
    pub fn path(&self) -> PathBuf {
        self.receipts.join(format!("{}.json", self.id))
    }

    /// Where the memory was.
    pub fn from(&self) -> PathBuf {
        self.paper.from.path()
    }

    /// Where it went.
    pub fn to(&self) -> PathBuf {
        self.paper.to.path()
    }

    /// When the move began.
    pub fn time(&self) -> Option<Timestamp> {
        clock::parse(&self.paper.started_at)
    }

    /// When it was undone; none when it was not.
    pub fn undone_at(&self) -> Option<Timestamp> {
        clock::parse(&self.paper.undone_at)
    }

    /// How far it is.
    pub fn state(&self) -> State {
        self.paper.state
    }

    /// The other receipts of the folder that it is in.
    pub fn others(&self) -> Result<Vec<Self>, Failure> {
        let mut all = all(&self.receipts)?;
        all.retain(|other| other.id != self.id);
        Ok(all)
    }

    /// Whether it has to do with a folder.
    pub fn touches(&self, folder: &Path) -> bool {
        self.from() == folder || self.to() == folder
    }

    /// How many of the last parts of `to` the move made.
    pub fn made_folders(&self) -> usize {
        self.paper.made_folders
    }

    /// Whether `to` had a memory before.
    pub fn to_had_memory(&self) -> bool {
        self.paper.to_had_memory
    }

    /// Whether what `to` had at this move can be of the other one.
    pub fn is_over(&self, earlier: &Self) -> bool {
        self.paper.over.contains(&earlier.id)
    }

    /// Writes down how far it is.
    pub fn reach(&mut self, state: State) -> Result<(), Failure> {
        if state == State::Undone {
            self.paper.undone_at = clock::now().to_string();
        }
        self.paper.state = state;
        self.save()
    }

    /// Copies what both folders have; the caller holds their locks.
    pub fn copy(&mut self) -> Result<(), Failure> {
        let (from, to) = (self.from(), self.to());
        let (moved, there) = (table::names(&from)?, table::names(&to)?);
        self.paper.to_had_memory = !there.is_empty();
        self.paper.files.clear();
        for (side, memory, names) in [(Side::From, &from, &moved), (Side::To, &to, &there)] {
            for (name, kind) in names {
                let copied = *kind != Kind::Whole || moved.contains_key(name);
                for name in table::files(name, *kind) {
                    if let Some(held) = disk::read(memory, &name)? {
                        self.file(side, &name, &held, copied)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether both folders are as they were copied.
    pub fn is_as_copied(&self) -> Result<bool, Failure> {
        for (side, memory) in [(Side::From, self.from()), (Side::To, self.to())] {
            let mut now = 0;
            for (name, kind) in table::names(&memory)? {
                for name in table::files(&name, kind) {
                    let Some(held) = disk::read(&memory, &name)? else { continue };
                    if self.sum_of(side, &name) != Some(sum(&held.bytes).as_str()) {
                        return Ok(false);
                    }
                    now += 1;
                }
            }
            if now != self.paper.files.iter().filter(|filed| filed.side == side).count() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn file(&mut self, side: Side, name: &Path, held: &Held, copied: bool) -> Result<(), Failure> {
        if copied {
            // As it was, in a folder that only its user can read.
            disk::put(&self.copies(side), name, &Masked::exact(held.bytes.clone()), held.modified)?;
        }
        let (size_bytes, sha256) = (held.bytes.len(), sum(&held.bytes));
        self.paper.files.push(Filed { side, name: Exact::new(name), size_bytes, sha256, copied });
        Ok(())
    }

    /// The folder of the copies of one side, which is laid out as a memory folder is.
    pub fn copies(&self, side: Side) -> PathBuf {
        self.receipts.join(&self.id).join(if side == Side::From { "from" } else { "to" })
    }

    /// What one side had of a file before the move; none when it had none. Status 65 when the copy is not what it was.
    pub fn had(&self, side: Side, name: &Path) -> Result<Option<Held>, Failure> {
        let Some(filed) = self.filed(side, name).filter(|filed| filed.copied) else { return Ok(None) };
        let copy = self.copies(side);
        match disk::read(&copy, name)? {
            Some(held) if sum(&held.bytes) == filed.sha256 => Ok(Some(held)),
            _ => Err(Failure::data(format!(
                "{}: the copy of a moved file was changed or removed",
                copy.join(name).display()
            ))),
        }
    }

    fn filed(&self, side: Side, name: &Path) -> Option<&Filed> {
        self.paper.files.iter().find(|filed| filed.side == side && filed.name.path() == name)
    }

    /// The sum of what one side had of a file.
    pub fn sum_of(&self, side: Side, name: &Path) -> Option<&str> {
        self.filed(side, name).map(|filed| filed.sha256.as_str())
    }

    /// The names of what one side had.
    pub fn names(&self, side: Side) -> BTreeMap<PathBuf, Kind> {
        let of_side = self.paper.files.iter().filter(|filed| filed.side == side).map(|filed| filed.name.path());
        of_side.filter_map(named).collect()
    }

    /// The names of what the move left at `to`.
    pub fn placed_names(&self) -> BTreeMap<PathBuf, Kind> {
        self.paper.placed.iter().filter_map(|placed| named(placed.name.path())).collect()
    }

    /// The sum of a file as the move left it at `to`; none when it left none, or somebody else wrote meanwhile.
    pub fn placed(&self, name: &Path) -> Option<&str> {
        self.paper.placed.iter().find(|placed| placed.name.path() == name).map(|placed| placed.sha256.as_str())
    }

    /// Notes that the copies are whole, and what `to` will have.
    pub fn copied(&mut self, placed: &BTreeMap<PathBuf, String>, over: &[&Self]) -> Result<(), Failure> {
        let of = |(name, sum): (&PathBuf, &String)| Placed { name: Exact::new(name), sha256: sum.clone() };
        self.paper.placed = placed.iter().map(of).collect();
        self.paper.over = over.iter().map(|receipt| receipt.id.clone()).collect();
        self.reach(State::Copied)
    }

    /// Takes back what was said of the files that will be something else, since somebody wrote meanwhile.
    pub fn not_as_said(&mut self, now: &BTreeMap<PathBuf, String>) -> Result<(), Failure> {
        let before = self.paper.placed.len();
        self.paper.placed.retain(|placed| now.get(&placed.name.path()).is_none_or(|sum| *sum == placed.sha256));
        if self.paper.placed.len() == before { Ok(()) } else { self.save() }
    }

    /// Notes that `from` has what is its own again, and what is still to be put back at `to`.
    pub fn restored(&mut self, put_back: &[PathBuf]) -> Result<(), Failure> {
        self.paper.put_back = put_back.iter().map(|name| Exact::new(name)).collect();
        self.reach(State::Restored)
    }

    /// What an undo that has begun puts back at `to`.
    pub fn put_back(&self) -> Vec<PathBuf> {
        self.paper.put_back.iter().map(Exact::path).collect()
    }
}

fn named(file: PathBuf) -> Option<(PathBuf, Kind)> {
    let kind = table::kind(&file)?;
    Some((if kind == Kind::Handoff { table::HANDOFF[0].into() } else { file }, kind))
}
