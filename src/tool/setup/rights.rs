//! What of ours others can read. lazy-harness creates its files for everybody to read, as the user's mask lets it; what
//! a session said is its user's alone.

use super::{Setup, say};
use crate::agent::layout;
use crate::base::exit::Failure;
use crate::base::file;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Our logs, with the older one of each.
const LOGS: [&str; 4] = ["hooks.log", "compound-loop.log", "llm.jsonl", "qmd.log"];
/// Files that are looked at, at most.
const FILES: usize = 50_000;

/// What is ours in a home and can be read by others; and whether that is all of it.
pub fn open_to_others(home: &Path) -> (Vec<PathBuf>, bool) {
    let mut open = Vec::new();
    let mut left: Vec<PathBuf> = ["queue", "logs", "memory"].iter().map(|name| home.join(name)).collect();
    left.extend(layout::memory_folders(home));
    for _ in 0..FILES {
        let Some(path) = left.pop() else { break };
        // What is behind a link has rights that were chosen.
        let Some(data) = path.symlink_metadata().ok().filter(|data| !data.is_symlink()) else { continue };
        if data.is_dir() {
            left.extend(file::names(&path).unwrap_or_else(|_| Vec::new()).into_iter().map(|name| path.join(name)));
        }
        if is_open(&data) && is_ours(&path) {
            open.push(path);
        }
    }
    (open, left.is_empty())
}

/// The folder of all memory in the knowledge folder, if others can read it: with it closed they can read nothing below.
pub fn open_area(area: &Path) -> Option<PathBuf> {
    let data = area.symlink_metadata().ok()?;
    (data.is_dir() && is_open(&data)).then(|| area.to_path_buf())
}

fn is_open(data: &std::fs::Metadata) -> bool {
    data.permissions().mode() & 0o077 != 0
}

/// Whether it is ours: a memory folder is the client's, and so is what the client and people write in it.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.parent().is_some_and(|folder| folder.ends_with("logs")) {
        return LOGS.iter().any(|log| name.starts_with(log));
    }
    !path.ancestors().any(|above| above.ends_with("memory"))
        || name.ends_with(".jsonl")
        || matches!(&*name, "handoff.md" | "pre-compact-summary.md" | ".state")
}

impl Setup<'_> {
    /// Takes the rights of others away from what is open in a place.
    pub(super) fn close_to_others(&mut self, place: &Path, open: &[PathBuf]) -> Result<(), Failure> {
        if open.is_empty() {
            return Ok(());
        }
        let (count, place) = (open.len(), place.display());
        if self.wish.dry_run {
            let _ = writeln!(self.shown, "would take the rights of others from {count} files in {place}");
            return Ok(());
        }
        open.iter().try_for_each(|path| file::close_to_others(path))?;
        say(&format!("{place}: others could read {count} files of queue, logs and memory, and cannot now"));
        Ok(())
    }
}
