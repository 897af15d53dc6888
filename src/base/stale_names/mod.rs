//! Whether what a text names is still in a checkout: files, symbols that it ties to a file, commands that are in a
//! Makefile or a package.json. It is a check of names, with few looks, and in doubt it says nothing: what is not
//! clearly a path of this checkout is not judged, nor what the text says to make.

mod names;

use crate::base::file;
use memchr::memmem;
use names::{Named, Path as Name};
use serde_json::Value;
use std::cell::{Cell, OnceCell};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Looks at one part of a path, and files that are searched, in the life of a [`Checkout`].
const LOOKS: usize = 400;
const READS: usize = 8;
/// Larger files are not searched.
const FILE_BYTES: u64 = 256 << 10;
/// A larger index of git is not looked at.
const INDEX_BYTES: u64 = 8 << 20;
/// How many are named of one text.
const NAMED: usize = 3;
/// Folders with which a path begins even where they are gone with all in them.
const FOLDERS: &[&str] = &[
    "app", "apps", "benches", "bin", "cmd", "crates", "doc", "docs", "examples", "include", "internal", "lib", "man",
    "packages", "pkg", "scripts", "spec", "src", "test", "tests", "tools",
];
/// Folders of what is made anew, which a fresh checkout does not have.
const MADE: &[&str] = &[".git", ".venv", "build", "coverage", "dist", "node_modules", "out", "target", "tmp", "venv"];
/// Folders of commands: what is in them needs no ending to be a file.
const COMMANDS: &[&str] = &["bin", "scripts", "tools"];
/// The names that make looks for, in its order.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// A checkout that texts are compared with.
#[derive(Clone, Debug)]
pub struct Checkout {
    root: PathBuf,
    /// Git's index, where there is one.
    index: Option<PathBuf>,
    known: OnceCell<Option<Vec<u8>>>,
    looks: Cell<usize>,
    reads: Cell<usize>,
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
        let (looks, reads) = (Cell::new(LOOKS), Cell::new(READS));
        Self { root: root.to_path_buf(), index, known: OnceCell::new(), looks, reads }
    }

    /// What a text names that is gone: paths, "symbol in path", commands. The first few.
    pub fn gone(&self, text: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if !text.contains(['/', '`']) || !self.root.is_dir() {
            return found;
        }
        for named in names::of(text, &self.root) {
            let gone = match named {
                Named::Path(path) => self.is_gone(&path).then(|| path.shown.to_owned()),
                Named::Symbol(symbol, path) if self.is_gone(&path) => Some(format!("{symbol} in {}", path.shown)),
                Named::Symbol(symbol, path) => self.lacks(&path, symbol).then(|| format!("{symbol} in {}", path.shown)),
                Named::Target(target) => self.has_no_target(target).then(|| format!("make {target}")),
                Named::Script(tool, script) => self.has_no_script(script).then(|| format!("{tool} run {script}")),
            };
            // Of a file that is gone its symbols need not be named.
            let is_new = |gone: &String| !found.iter().any(|known| gone.ends_with(known.as_str()));
            found.extend(gone.filter(is_new));
            if found.len() >= NAMED {
                break;
            }
        }
        found
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
    fn is_gone(&self, path: &Name<'_>) -> bool {
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
        let Some(known) = self.index.is_some().then(|| self.known()).flatten() else { return false };
        let below = |end: &str| memmem::find_iter(known, format!("{end}\0").as_bytes()).count();
        let own = usize::from(below(path) > 0);
        below(&format!("/{end}")) <= own && !self.root.join(end).exists()
    }

    /// Whether git knows a file whose path ends so, below a folder; None where its index cannot be read.
    fn is_below(&self, end: &str) -> Option<bool> {
        if self.index.is_none() {
            return Some(false);
        }
        let known = self.known()?;
        // Before a path that is left out of a sparse checkout are two words with a flag each, and nothing else.
        let flags = |at: usize| known.get(at.checked_sub(4)?..at);
        let is_left_out = |at| matches!(flags(at), Some([first, _, second, 0]) if first & second & 0x40 != 0);
        let below = memmem::find(known, format!("/{end}").as_bytes()).is_some();
        Some(below || memmem::find_iter(known, end.as_bytes()).any(is_left_out))
    }

    /// What git's index has, where it can be read.
    fn known(&self) -> Option<&Vec<u8>> {
        let path = self.index.as_ref()?;
        let read = || {
            let bytes = file::read_at_most(path, INDEX_BYTES).ok()?.unwrap_or_default();
            // From version 4 on it has parts of paths.
            let is_whole = bytes.get(4..8).is_none_or(|version| version < &[0, 0, 0, 4][..]);
            // In place of files that are not checked out it can have their folder.
            (is_whole && memmem::find(&bytes, b"sdir\0\0\0\0").is_none()).then_some(bytes)
        };
        self.known.get_or_init(read).as_ref()
    }

    /// A text file of the checkout; none where it is large, or enough was read.
    fn read(&self, parts: &[&str]) -> Option<String> {
        if self.look(parts) != There::File {
            return None;
        }
        self.reads.set(self.reads.get().checked_sub(1)?);
        let path = parts.iter().fold(self.root.clone(), |path, part| path.join(part));
        let bytes = file::read_at_most(&path, FILE_BYTES).ok()??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether a file can be searched and does not have a word.
    fn lacks(&self, path: &Name<'_>, symbol: &str) -> bool {
        let Some(text) = self.read(&path.parts) else { return false };
        let in_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        !text.match_indices(symbol).any(|(at, _)| {
            let (before, behind) = (text.get(..at), text.get(at.saturating_add(symbol.len())..));
            let before = before.and_then(|before| before.chars().next_back());
            !in_word(before) && !in_word(behind.and_then(|behind| behind.chars().next()))
        })
    }

    /// Whether the Makefile has no such target. One that includes others, or makes up its targets, has any.
    fn has_no_target(&self, target: &str) -> bool {
        let Some(name) = MAKEFILES.iter().find(|name| self.look(&[**name]) != There::Gone) else { return false };
        let Some(text) = self.read(&[*name]) else { return false };
        let text = text.replace("\\\n", " ");
        let heads = || text.lines().filter(|line| !line.starts_with(['\t', '#'])).map(str::trim);
        let is_open = |line: &str| {
            line.trim_start_matches('-').starts_with("include ")
                || line.starts_with("sinclude ")
                || line.split_once(':').is_some_and(|(targets, _)| targets.contains(['%', '$']))
        };
        let has = |line: &str| {
            line.split_once(':').is_some_and(|(targets, _)| targets.split_whitespace().any(|known| known == target))
        };
        !heads().any(|line| is_open(line) || has(line))
            && self.look(&[target]) == There::Gone
            && self.is_below(&format!("{name}\0")) == Some(false)
            && !self.has_source(target)
    }

    /// Whether a file is there that a rule of make's own can make a target of: `foo.c` for `foo`.
    fn has_source(&self, target: &str) -> bool {
        let names = file::names(&self.root).unwrap_or_default();
        names.iter().any(|name| name.to_string_lossy().strip_prefix(target).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Whether package.json has no such script, and no package brought a command of that name.
    fn has_no_script(&self, script: &str) -> bool {
        let text = self.read(&["package.json"]);
        let Some(package) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else { return false };
        package.is_object()
            && package.get("workspaces").is_none()
            && package.get("scripts").is_none_or(|scripts| scripts.is_object() && scripts.get(script).is_none())
            && self.look(&["node_modules", ".bin", script]) == There::Gone
            && self.is_below("package.json\0") == Some(false)
    }
}

#[cfg(test)]
mod tests;
