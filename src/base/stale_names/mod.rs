//! Whether what a text names is still in a checkout: files, symbols that it ties to a file, commands that are in a
//! Makefile or a package.json; and whether it is what it was when the text was kept. It is a check of names and of
//! sums of lines, with few looks, and in doubt it says nothing: what is not clearly a path of this checkout is not
//! judged, nor what the text says to make, nor what was seen on another branch. No program runs.

mod blocks;
mod names;

use crate::base::file;
use crate::base::word_enum::words;
use memchr::memmem;
use names::{MAKE, Named, Path as Name};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Bytes that are read in the life of a [`Checkout`], and for how many a look at a part of a path counts.
const READ_BYTES: usize = 2 << 20;
const LOOK_BYTES: usize = 4 << 10;
/// So many times as much may be read when items are kept: no session waits for that.
const PATIENCE: usize = 16;
/// Larger files are not searched, nor is a larger index of git, or a larger list of its branches.
const FILE_BYTES: u64 = 256 << 10;
const INDEX_BYTES: u64 = 8 << 20;
const REFS_BYTES: u64 = 1 << 20;
/// How many are named of one text, and kept of one.
const NAMED: usize = 3;
const CITES: usize = 6;
/// How many are looked at when a text is kept.
const MOST_NAMES: usize = 20;
/// Folders of what is made anew, which a fresh checkout does not have.
const MADE: [&str; 10] = [".git", ".venv", "build", "coverage", "dist", "node_modules", "out", "target", "tmp", "venv"];
const PACKAGE: &str = "package.json";
/// The names that make looks for, in its order.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

words! {
    /// What became of what a text names.
    NameState {
        Same = "still_so",
        Changed = "changed_since",
        Gone = "gone",
    }
}

/// What a text names, as it was in the checkout when the text was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// What was checked out; none outside git, or without a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What was there.
    pub cites: Vec<Cite>,
}

/// One file, symbol, line or command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cite {
    /// `src/a.rs`, `src/a.rs:12`, `parse in src/a.rs`, `make lint`
    pub name: String,
    /// The sum of the lines that are meant. Earlier versions kept that of definitions here, too: it is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
    /// The sums of the definitions of a symbol or a command, with blanks between them; none where only its name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<String>,
}

/// What became of things that a text names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged(pub Vec<(String, NameState)>);

impl Judged {
    /// All as in a record; none where there are none.
    pub fn records(&self) -> Option<Vec<Value>> {
        let told = self.0.iter().map(|(name, state)| json!({"name": name, "state": state.word()}));
        (!self.0.is_empty()).then(|| told.collect())
    }

    /// The names of those of which this is so, "" for none.
    pub fn names(&self, wanted: NameState) -> String {
        let names = self.0.iter().filter(|(_, state)| *state == wanted).map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// A checkout that texts are compared with.
#[derive(Clone, Debug)]
pub struct Checkout {
    root: PathBuf,
    git: Option<Git>,
    /// What may still be read.
    bytes: Cell<usize>,
    index: OnceCell<Option<Vec<u8>>>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
}

/// What git has of a checkout.
#[derive(Clone, Debug)]
pub struct Git {
    /// Its own folder.
    pub folder: PathBuf,
    /// The folder that all worktrees have in common.
    pub common: PathBuf,
    /// What is checked out.
    pub branch: Option<String>,
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    File,
    Folder,
    Gone,
}

impl Checkout {
    /// The checkout with the top folder `root`.
    pub fn new(root: &Path, git: Option<Git>) -> Self {
        let (bytes, index, texts) = (Cell::new(READ_BYTES), OnceCell::new(), RefCell::default());
        Self { root: root.to_path_buf(), git, bytes, index, texts }
    }

    /// Its top; outside git the folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it is one of git's.
    pub fn is_of_git(&self) -> bool {
        self.git.is_some()
    }

    /// The same, which may read more.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { bytes: Cell::new(READ_BYTES * PATIENCE), ..self }
    }

    /// What a text names as it is now; none where it names nothing. Of a session on a `branch` that is not checked out
    /// nothing was seen.
    pub fn seen(&self, text: &str, branch: Option<&str>) -> Option<Seen> {
        let here = self.git.as_ref().and_then(|git| git.branch.as_deref());
        let mut names = names::of(text, &self.root);
        names.truncate(MOST_NAMES);
        let mut cites: Vec<Cite> = Vec::new();
        if branch.is_none() || branch == here {
            // A symbol that is defined in a file that the text names.
            let paths = names.iter().filter_map(|named| if let Named::Path(path) = named { Some(*path) } else { None });
            let symbols = names::symbols(text);
            let beside = paths.flat_map(|path| symbols.iter().map(move |symbol| Named::Symbol(symbol, path)));
            let beside = beside.filter_map(|named| self.cite(&named)).filter(|cite| cite.blocks.is_some());
            for cite in names.iter().filter_map(|named| self.cite(named)).chain(beside) {
                if cites.len() < CITES && !cites.iter().any(|known| known.name == cite.name) {
                    cites.push(cite);
                }
            }
        }
        // Bare words with a point in them are mostly no files.
        let names_any = names.iter().any(|named| !matches!(named, Named::Path(path) if path.is_bare()));
        (names_any || !cites.is_empty()).then(|| Seen { branch: branch.or(here).map(str::to_owned), cites })
    }

    /// What is named as it is now; none where it is not there.
    fn cite(&self, named: &Named<'_>) -> Option<Cite> {
        let mut cite = Cite { name: named.shown(), ..Cite::default() };
        let (path, name) = self.place(named)?;
        if let Some(name) = name {
            let text = self.read(path)?;
            has_name(named, &text, name).then_some(())?;
            let sums = blocks::defined(&text, name);
            cite.blocks = (!sums.is_empty()).then(|| sums.join(" "));
        } else {
            (self.look(path)? != There::Gone).then_some(())?;
            cite.sum = named.lines().and_then(|(first, last)| blocks::around(&self.read(path)?, first, last));
        }
        Some(cite)
    }

    /// The file that a name is of, and what is looked for in it.
    fn place<'n>(&self, named: &Named<'n>) -> Option<(&'n str, Option<&'n str>)> {
        Some(match named {
            Named::Path(path) => (path.inside(), None),
            Named::Symbol(symbol, path) => (path.inside(), Some(symbol)),
            Named::Command(MAKE, target) => {
                (MAKEFILES.into_iter().find(|name| self.look(name) != Some(There::Gone))?, Some(target))
            }
            Named::Command(_, script) => (PACKAGE, Some(script)),
        })
    }

    /// What became of what a text names; without what was seen what is gone of it, the first few: paths, "symbol in path",
    /// commands.
    pub fn judge(&self, text: &str, seen: Option<&Seen>) -> Judged {
        let is_own = seen.is_none_or(|seen| self.is_of(seen.branch.as_deref()));
        let cites = seen.iter().flat_map(|seen| seen.cites.iter().take(CITES));
        // What is told can be less than the whole item.
        let cites = cites.filter(|cite| cite.name.split(" in ").all(|part| text.contains(part)));
        let states = cites.filter_map(|cite| Some((cite.name.clone(), self.became(cite)?)));
        let mut found: Vec<_> = states.filter(|(_, state)| is_own || *state == NameState::Same).collect();
        if !is_own || !text.contains(['/', '`']) || !self.root.is_dir() {
            return Judged(found);
        }
        let most = found.len() + NAMED;
        for named in names::of(text, &self.root) {
            let name = if let Named::Path(path) = &named { path.shown.to_owned() } else { named.shown() };
            // Of a file that is gone its lines and symbols need not be named.
            let is_told = |(told, state): &(String, NameState)| {
                *state == NameState::Gone && (told.contains(&name) || name.contains(told.as_str()))
            };
            if found.len() < most && !found.iter().any(is_told) && self.is_gone(&named) {
                found.push((name, NameState::Gone));
            }
        }
        Judged(found)
    }

    /// What became of one thing that was there; none where that cannot be told.
    fn became(&self, cite: &Cite) -> Option<NameState> {
        let compared = |is_same: bool| Some(if is_same { NameState::Same } else { NameState::Changed });
        let named = Named::read(&cite.name)?;
        let (path, name) = self.place(&named)?;
        match self.look(path)? {
            // One that was left out of a sparse checkout is not gone.
            There::Gone => return self.index().map(|_| NameState::Gone),
            There::Folder => return Some(NameState::Same),
            There::File => {}
        }
        let Some(name) = name else {
            // A file alone is there; of a line that was not read nothing is known.
            return match &cite.sum {
                Some(sum) => compared(blocks::has(&self.read(path)?, sum)),
                None => named.lines().is_none().then_some(NameState::Same),
            };
        };
        let text = self.read(path)?;
        if !has_name(&named, &text, name) {
            return Some(NameState::Gone);
        }
        compared(blocks::has_blocks(&text, name, cite.blocks.as_ref()?))
    }

    /// Whether a path or a symbol is gone; a bare word counts as a path, and a command is judged, only if it was seen in the
    /// checkout.
    fn is_gone(&self, named: &Named<'_>) -> bool {
        let (path, symbol) = match named {
            Named::Path(path) => (path, None),
            Named::Symbol(symbol, path) => (path, Some(*symbol)),
            Named::Command(..) => return false,
        };
        let lacks = |symbol| self.read(path.inside()).is_some_and(|text| !blocks::has_word(&text, symbol));
        !path.is_bare() && (self.has_no(path) || symbol.is_some_and(lacks))
    }

    /// Whether what was seen on a branch can be compared with this checkout: it is the branch, or that was deleted.
    /// Without a branch only what is not in git is compared.
    fn is_of(&self, branch: Option<&str>) -> bool {
        match (branch, &self.git) {
            (None, git) => git.is_none(),
            (Some(_), None) => true,
            (Some(branch), Some(git)) => git.branch.as_deref() == Some(branch) || !git.has_branch(branch),
        }
    }

    /// Whether a path is clearly one below the root, by its first folder and how it is written, and is not there.
    fn has_no(&self, path: &Name<'_>) -> bool {
        let inside = path.inside();
        let is_ours = match inside.split_once('/') {
            Some((first, rest)) => {
                // "docs/tests" can be two folders, and "test/lint" two words.
                let is_one = || path.is_quoted && rest.split('/').all(|part| self.look(part) == Some(There::Gone));
                !MADE.contains(&first)
                    && self.look(first) == Some(There::Folder)
                    && (path.has_ending() || path.is_folder() || is_one())
            }
            None => path.shown.starts_with("./"),
        };
        // It can be meant from a folder below, or be in a folder of that name below.
        let end = if path.is_folder() { '/' } else { '\0' };
        is_ours && self.look(inside) == Some(There::Gone) && self.is_below(&format!("{inside}{end}")) == Some(false)
    }

    /// What is at a path below the root; none where it cannot be looked at. Links are not followed.
    fn look(&self, path: &str) -> Option<There> {
        self.pay(LOOK_BYTES)?;
        let path = self.root.join(path);
        match path.symlink_metadata() {
            _ if file::real_path(&path) != path => None,
            Ok(data) if data.is_dir() => Some(There::Folder),
            Ok(data) if data.is_file() => Some(There::File),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Some(There::Gone),
            _ => None,
        }
    }

    /// A text file of the checkout; none where it is large, or enough was read.
    fn read(&self, path: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let read = || {
            (self.look(path)? == There::File).then_some(())?;
            let bytes = file::read_at_most(&self.root.join(path), FILE_BYTES).ok()??;
            self.pay(bytes.len())?;
            Some(Rc::from(String::from_utf8_lossy(&bytes)))
        };
        let text = read();
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    /// Takes something from what may still be read; none where that is not enough.
    fn pay(&self, bytes: usize) -> Option<()> {
        self.bytes.set(self.bytes.get().checked_sub(bytes)?);
        Some(())
    }

    /// Git's index, empty where there is none; none where it cannot be read, or does not have all that is not there.
    fn index(&self) -> Option<&[u8]> {
        let Some(git) = &self.git else { return Some(&[]) };
        let read = || {
            let is_sparse = git.folder.join("info/sparse-checkout").exists();
            let bytes = file::read_at_most(&git.folder.join("index"), INDEX_BYTES).ok()?.unwrap_or_default();
            // From version 4 on it has parts of paths.
            let is_whole = bytes.get(4..8).is_none_or(|version| version < &[0, 0, 0, 4][..]);
            (is_whole && !is_sparse).then_some(bytes)
        };
        self.index.get_or_init(read).as_deref()
    }

    /// Whether git knows a file with this end of its path, below a folder; none where its index cannot be read.
    fn is_below(&self, end: &str) -> Option<bool> {
        Some(memmem::find(self.index()?, format!("/{end}").as_bytes()).is_some())
    }

    /// Whether git knows no other file than the one at `path` that is called so, or has a path that ends so.
    pub fn is_only(&self, path: &str, end: &str) -> bool {
        let Some(known) = self.index().filter(|known| !known.is_empty()) else { return false };
        let below = |end: &str| memmem::find_iter(known, format!("{end}\0").as_bytes()).count();
        let own = usize::from(below(path) > 0);
        below(&format!("/{end}")) <= own && !self.root.join(end).exists()
    }
}

impl Git {
    fn has_branch(&self, branch: &str) -> bool {
        // One that keeps its branches in tables is not read.
        let is_there = |name: &str| self.common.join(name).symlink_metadata().is_ok();
        if branch.contains("..") || is_there("reftable") || is_there(&format!("refs/heads/{branch}")) {
            return true;
        }
        let packed = file::read_at_most(&self.common.join("packed-refs"), REFS_BYTES);
        packed.map_or(true, |packed| {
            packed.is_some_and(|packed| memmem::find(&packed, format!(" refs/heads/{branch}\n").as_bytes()).is_some())
        })
    }
}

/// Whether the file that a name is of has it. Of a command that is the name alone: `soak-test` is not `soak`.
fn has_name(named: &Named<'_>, text: &str, name: &str) -> bool {
    match named {
        Named::Command(MAKE, _) => {
            text.split(|letter: char| letter.is_whitespace() || letter == ':').any(|word| word == name)
        }
        Named::Command(..) => text.split('"').any(|word| word == name),
        _ => blocks::has_word(text, name),
    }
}

#[cfg(test)]
mod tests;
