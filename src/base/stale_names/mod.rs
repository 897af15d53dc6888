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
use serde_json::Value;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Looks at one part of a path, and files that are searched, in the life of a [`Checkout`]; what is read of all.
const LOOKS: usize = 400;
const READS: usize = 24;
const READ_BYTES: usize = 1 << 20;
/// So many times as much may be looked at when items are kept: no session waits for that.
const PATIENCE: usize = 16;
/// Larger files are not searched.
const FILE_BYTES: u64 = 256 << 10;
/// A larger index of git is not looked at.
const INDEX_BYTES: u64 = 8 << 20;
/// How many are named of one text, and kept of one.
const NAMED: usize = 3;
const CITES: usize = 6;
/// How many are looked at when a text is kept.
const MOST_NAMES: usize = 20;
/// What is read of git's list of branches.
const REFS_BYTES: u64 = 1 << 20;
/// Folders with which a path begins even where they are gone with all in them.
const FOLDERS: &[&str] = &[
    "app", "apps", "benches", "bin", "cmd", "crates", "doc", "docs", "examples", "include", "internal", "lib", "man",
    "packages", "pkg", "scripts", "spec", "src", "test", "tests", "tools",
];
/// Folders of what is made anew, which a fresh checkout does not have.
const MADE: &[&str] = &[".git", ".venv", "build", "coverage", "dist", "node_modules", "out", "target", "tmp", "venv"];
/// Folders of commands: what is in them needs no ending to be a file.
const COMMANDS: &[&str] = &["bin", "scripts", "tools"];
const PACKAGE: &str = "package.json";
/// The names that make looks for, in its order.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

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
    /// The sum of its lines, several with a blank between them; none where only its name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
}

/// What became of things that a text names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged(pub Vec<(String, NameState)>);

/// One of these in a record.
#[derive(Serialize)]
pub struct NameRecord<'a> {
    name: &'a str,
    state: &'static str,
}

impl Judged {
    /// All as in a record; none where there are none.
    pub fn records(&self) -> Option<Vec<NameRecord<'_>>> {
        let told = self.0.iter().map(|(name, state)| NameRecord { name, state: state.word() });
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
    /// What is checked out.
    branch: Option<String>,
    /// The folder of git that all worktrees have in common.
    common: Option<PathBuf>,
    /// Git's index, where there is one.
    index: Option<PathBuf>,
    known: OnceCell<Option<Vec<u8>>>,
    looks: Cell<usize>,
    reads: Cell<usize>,
    bytes: Cell<usize>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    File,
    Folder,
    Gone,
    /// It cannot be looked at, or is behind a link.
    Unknown,
}

impl Checkout {
    /// The checkout whose top is `root`, with git's own folder of it.
    pub fn new(root: &Path, git_dir: Option<&Path>) -> Self {
        let index = git_dir.map(|folder| folder.join("index"));
        let (looks, reads, bytes) = (Cell::new(LOOKS), Cell::new(READS), Cell::new(READ_BYTES));
        let (root, known, texts) = (root.to_path_buf(), OnceCell::new(), RefCell::default());
        Self { root, branch: None, common: None, index, known, looks, reads, bytes, texts }
    }

    /// Its top; outside git the folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it is one of git's.
    pub fn is_of_git(&self) -> bool {
        self.index.is_some()
    }

    /// With the branch that is checked out, and the folder of git that knows the others.
    #[must_use]
    pub fn on(self, branch: Option<String>, common: Option<PathBuf>) -> Self {
        Self { branch, common, ..self }
    }

    /// The same, which may look at more.
    #[must_use]
    pub fn patient(self) -> Self {
        let (looks, reads) = (Cell::new(LOOKS * PATIENCE), Cell::new(READS * PATIENCE));
        Self { looks, reads, bytes: Cell::new(READ_BYTES * PATIENCE), ..self }
    }

    /// What a text names as it is now; none where it names nothing. Of a session on a `branch` that is not checked out
    /// nothing was seen.
    pub fn seen(&self, text: &str, branch: Option<&str>) -> Option<Seen> {
        let mut names = names::of(text, &self.root);
        names.truncate(MOST_NAMES);
        let was = branch.or(self.branch.as_deref()).map(str::to_owned);
        let mut cites: Vec<Cite> = Vec::new();
        if branch.is_none_or(|branch| self.branch.as_deref() == Some(branch)) && self.root.is_dir() {
            cites.extend(names.iter().filter_map(|named| self.cite(named)));
            // A symbol that is defined in a file that the text names.
            for named in &names {
                let Named::Path(path) = named else { continue };
                let symbols = names::symbols(text).into_iter().map(|symbol| Named::Symbol(symbol, path.clone()));
                cites.extend(symbols.filter_map(|named| self.cite(&named)).filter(|cite| cite.sum.is_some()));
            }
            let mut known = HashSet::new();
            cites.retain(|cite| known.insert(cite.name.clone()));
            cites.truncate(CITES);
        }
        // Bare words with a point in them are mostly no files.
        let names_any = names.iter().any(|named| !matches!(named, Named::Path(path) if path.is_bare()));
        (names_any || !cites.is_empty()).then_some(Seen { branch: was, cites })
    }

    /// What is named as it is now; none where it is not there.
    fn cite(&self, named: &Named<'_>) -> Option<Cite> {
        let sum = match named {
            Named::Path(path) => {
                matches!(self.look(&path.parts), There::File | There::Folder).then_some(())?;
                path.lines().and_then(|(first, last)| blocks::around(&self.read(&path.parts)?, first, last))
            }
            Named::Symbol(symbol, path) => {
                let text = self.read(&path.parts)?;
                has_word(&text, symbol).then(|| blocks::known(&text, symbol))?
            }
            Named::Command(tool, name) => Some(blocks::known(&self.read(&[self.source(tool)?])?, name)?),
        };
        Some(Cite { name: named.shown(), sum })
    }

    /// What became of what a text names; without what was seen what is gone of it, the first few: paths, "symbol in path",
    /// commands.
    pub fn judge(&self, text: &str, seen: Option<&Seen>) -> Judged {
        let is_own = seen.is_none_or(|seen| self.is_of(seen.branch.as_deref()));
        let mut found: Vec<(String, NameState)> = Vec::new();
        for cite in seen.iter().flat_map(|seen| seen.cites.iter().take(CITES)) {
            let Some(named) = Named::read(&cite.name).filter(|named| named.is_in(text)) else { continue };
            let state = self.became(&named, cite.sum.as_deref());
            found.extend(
                state.filter(|state| is_own || *state == NameState::Same).map(|state| (cite.name.clone(), state)),
            );
        }
        if is_own && text.contains(['/', '`']) && self.root.is_dir() {
            self.add_gone(text, &mut found);
        }
        Judged(found)
    }

    /// Adds what a text names and is gone, but for those of which it is known already what became of them.
    fn add_gone(&self, text: &str, known: &mut Vec<(String, NameState)>) {
        let mut found: Vec<String> = Vec::new();
        for named in names::of(text, &self.root) {
            let shown = named.shown();
            if known.iter().any(|(name, _)| *name == shown) || !self.is_gone(&named) {
                continue;
            }
            let name = if let Named::Path(path) = &named { path.shown.to_owned() } else { shown };
            // Of a file that is gone its symbols need not be named.
            if !found.iter().any(|known| name.ends_with(known.as_str())) {
                found.push(name);
            }
            if found.len() == NAMED {
                break;
            }
        }
        let is_of = |gone: &str, name: &str| name.ends_with(gone) || gone.ends_with(name) || name.starts_with(gone);
        found.retain(|gone| !known.iter().any(|(name, state)| *state == NameState::Gone && is_of(gone, name)));
        known.extend(found.into_iter().map(|gone| (gone, NameState::Gone)));
    }

    fn is_gone(&self, named: &Named<'_>) -> bool {
        match named {
            Named::Path(path) | Named::Symbol(_, path) if path.is_bare() => false,
            Named::Path(path) => self.has_no(path),
            Named::Symbol(symbol, path) => {
                self.has_no(path) || self.read(&path.parts).is_some_and(|text| !has_word(&text, symbol))
            }
            Named::Command(MAKE, target) => self.has_no_target(target),
            Named::Command(_, script) => self.has_no_script(script),
        }
    }

    /// Whether what was seen on a branch can be compared with this checkout: it is the branch, or that was deleted.
    /// Without a branch only what is not in git is compared.
    fn is_of(&self, branch: Option<&str>) -> bool {
        match (branch, self.branch.as_deref()) {
            (None, here) => here.is_none() && self.common.is_none(),
            (Some(branch), Some(here)) if here == branch => true,
            (Some(branch), _) => !self.has_branch(branch),
        }
    }

    fn has_branch(&self, branch: &str) -> bool {
        let Some(common) = &self.common else { return false };
        // One that keeps its branches in tables is not read.
        let is_there = |name: &str| common.join(name).symlink_metadata().is_ok();
        if branch.contains("..") || is_there("reftable") || is_there(&format!("refs/heads/{branch}")) {
            return true;
        }
        let packed = file::read_at_most(&common.join("packed-refs"), REFS_BYTES);
        packed.map_or(true, |packed| {
            packed.is_some_and(|packed| memmem::find(&packed, format!(" refs/heads/{branch}\n").as_bytes()).is_some())
        })
    }

    /// What became of one thing that was there; none where that cannot be told.
    fn became(&self, named: &Named<'_>, sum: Option<&str>) -> Option<NameState> {
        let compared = |is_same: bool| if is_same { NameState::Same } else { NameState::Changed };
        if let Named::Path(path) | Named::Symbol(_, path) = named {
            match self.look(&path.parts) {
                There::Unknown => return None,
                // One that was left out of a sparse checkout is not gone.
                There::Gone => return (!self.is_left_out(&path.parts.join("/"))?).then_some(NameState::Gone),
                There::Folder => return Some(NameState::Same),
                There::File => {}
            }
        }
        let (name, text) = match named {
            // A file alone is there; of a line that was not read nothing is known.
            Named::Path(path) => {
                return match sum {
                    Some(sum) => self.read(&path.parts).map(|text| compared(blocks::has(&text, sum))),
                    None => path.place.is_empty().then_some(NameState::Same),
                };
            }
            Named::Symbol(symbol, path) => (*symbol, self.read(&path.parts)?),
            command if self.is_gone(command) => return Some(NameState::Gone),
            Named::Command(tool, name) => (*name, self.read(&[self.source(tool)?])?),
        };
        let now = blocks::defined(&text, name);
        if now.is_empty() && !has_word(&text, name) {
            return Some(NameState::Gone);
        }
        // Of more it is not known which one was meant.
        if now.len() > blocks::MOST {
            return None;
        }
        Some(compared(sum?.split_whitespace().all(|known| now.iter().any(|now| now == known))))
    }

    /// What is at a path below the root. Links are not followed.
    fn look(&self, parts: &[&str]) -> There {
        let mut path = self.root.clone();
        let mut there = There::Folder;
        for part in parts {
            let Some(left) = self.looks.get().checked_sub(1) else { return There::Unknown };
            self.looks.set(left);
            path.push(part);
            there = match path.symlink_metadata() {
                Ok(data) if data.is_dir() => There::Folder,
                Ok(data) if data.is_file() => There::File,
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return There::Gone;
                }
                _ => return There::Unknown,
            };
        }
        there
    }

    /// Whether a path is one of this checkout, and is not in it.
    fn has_no(&self, path: &Name<'_>) -> bool {
        let Some((first, rest)) = path.parts.split_first() else { return false };
        if MADE.contains(first) || !self.is_ours(path, first, rest) || self.look(&path.parts) != There::Gone {
            return false;
        }
        // It can be meant from a folder below, or be in a folder of that name below.
        let end = if path.is_folder() { '/' } else { '\0' };
        self.is_below(&format!("{}{end}", path.parts.join("/"))) == Some(false)
    }

    /// Whether a path is clearly one below the root: by how it is written, and by its first folder.
    fn is_ours(&self, path: &Name<'_>, first: &str, rest: &[&str]) -> bool {
        if path.is_explicit && rest.is_empty() {
            return true;
        }
        match self.look(&[first]) {
            There::Folder if path.has_ending() || path.is_folder() => true,
            // "docs/tests" can be two folders, and "test/lint" two words.
            There::Folder => {
                (path.is_quoted || path.is_explicit || COMMANDS.contains(&first) || rest.len() > 1)
                    && !rest.iter().any(|part| self.look(&[part]) != There::Gone)
            }
            There::Gone => FOLDERS.contains(&first) && (path.has_ending() || path.is_folder()),
            _ => false,
        }
    }

    /// Whether git knows no other file than the one at `path` that is called so, or has a path that ends so.
    pub fn is_only(&self, path: &str, end: &str) -> bool {
        let Some(known) = self.indexed().filter(|known| !known.is_empty()) else { return false };
        let below = |end: &str| memmem::find_iter(known, format!("{end}\0").as_bytes()).count();
        let own = usize::from(below(path) > 0);
        below(&format!("/{end}")) <= own && !self.root.join(end).exists()
    }

    /// Whether a path is left out of a sparse checkout; None where git's index cannot be read.
    fn is_left_out(&self, path: &str) -> Option<bool> {
        let known = self.indexed()?;
        // Before a path that is left out of a sparse checkout are two words with a flag each, and nothing else.
        let flags = |at: usize| known.get(at.checked_sub(4)?..at);
        let is_so = |at| matches!(flags(at), Some([first, _, second, 0]) if first & second & 0x40 != 0);
        Some(memmem::find_iter(known, path.as_bytes()).any(is_so))
    }

    /// Whether git knows a file whose path ends so, below a folder; None where its index cannot be read.
    fn is_below(&self, end: &str) -> Option<bool> {
        let known = self.indexed()?;
        let below = memmem::find(known, format!("/{end}").as_bytes()).is_some();
        Some(below || self.is_left_out(end)?)
    }

    /// Git's index, empty where there is none; None where it cannot be read.
    fn indexed(&self) -> Option<&[u8]> {
        let Some(path) = &self.index else { return Some(&[]) };
        let read = || {
            let bytes = file::read_at_most(path, INDEX_BYTES).ok()?.unwrap_or_default();
            // From version 4 on it has parts of paths.
            let is_whole = bytes.get(4..8).is_none_or(|version| version < &[0, 0, 0, 4][..]);
            // In place of files that are not checked out it can have their folder.
            (is_whole && memmem::find(&bytes, b"sdir\0\0\0\0").is_none()).then_some(bytes)
        };
        self.known.get_or_init(read).as_deref()
    }

    /// A text file of the checkout; none where it is large, or enough was read.
    fn read(&self, parts: &[&str]) -> Option<Rc<str>> {
        let name = parts.join("/");
        if let Some(known) = self.texts.borrow().get(&name) {
            return known.clone();
        }
        let read = || {
            (self.look(parts) == There::File).then_some(())?;
            self.reads.set(self.reads.get().checked_sub(1)?);
            let bytes = file::read_at_most(&self.root.join(&name), FILE_BYTES).ok()??;
            self.bytes.set(self.bytes.get().checked_sub(bytes.len())?);
            Some(Rc::from(String::from_utf8_lossy(&bytes)))
        };
        let text = read();
        self.texts.borrow_mut().insert(name, text.clone());
        text
    }

    /// The file that has the targets or the scripts of a tool.
    fn source(&self, tool: &str) -> Option<&'static str> {
        if tool == MAKE { self.makefile() } else { Some(PACKAGE) }
    }

    /// The Makefile that make takes.
    fn makefile(&self) -> Option<&'static str> {
        MAKEFILES.iter().find(|name| self.look(&[**name]) != There::Gone).copied()
    }

    /// Whether the Makefile has no such target. One that includes others, or makes up its targets, has any; and a rule of
    /// make's own can make one of a file that is there: `foo.c` for `foo`.
    fn has_no_target(&self, target: &str) -> bool {
        let Some(name) = self.makefile() else { return false };
        let Some(text) = self.read(&[name]) else { return false };
        let has = |line: &str| {
            let targets = line.split_once(':').map_or("", |(targets, _)| targets);
            let is_included = line.trim_start_matches('-').starts_with("include ") || line.starts_with("sinclude ");
            is_included || targets.contains(['%', '$']) || targets.split_whitespace().any(|known| known == target)
        };
        let text = text.replace("\\\n", " ");
        let mut heads = text.lines().filter(|line| !line.starts_with(['\t', '#'])).map(str::trim);
        let is_source =
            |name: &OsString| name.to_string_lossy().strip_prefix(target).is_some_and(|ending| ending.starts_with('.'));
        !heads.any(has)
            && self.look(&[target]) == There::Gone
            && self.is_below(&format!("{name}\0")) == Some(false)
            && !file::names(&self.root).is_ok_and(|names| names.iter().any(is_source))
    }

    /// Whether package.json has no such script, and no package brought a command of that name.
    fn has_no_script(&self, script: &str) -> bool {
        let text = self.read(&[PACKAGE]);
        let Some(package) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else { return false };
        package.is_object()
            && package.get("workspaces").is_none()
            && package.get("scripts").is_none_or(|scripts| scripts.is_object() && scripts.get(script).is_none())
            && self.look(&["node_modules", ".bin", script]) == There::Gone
            && self.is_below("package.json\0") == Some(false)
    }
}

fn has_word(text: &str, word: &str) -> bool {
    memmem::find_iter(text.as_bytes(), word).any(|at| blocks::is_whole(text, at, word))
}

#[cfg(test)]
mod tests;
