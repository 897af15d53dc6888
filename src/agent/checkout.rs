//! Which project a folder belongs to. A project is the repository, not the checkout: linked worktrees and
//! subfolders lead to the main worktree. Nothing here runs git.

use crate::base::file;
use crate::base::stale_names;
use std::path::{Path, PathBuf};

/// Why a folder is a project of its own.
const NO_GIT: &str = "no git above it";

/// The project of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The last part of the root.
    pub name: String,
    /// The main worktree, or the folder itself outside git; links resolved.
    pub root: PathBuf,
    /// What is checked out in the folder's own worktree.
    pub branch: Option<String>,
    /// The folder of git that all worktrees have in common; none outside git.
    pub git_dir: Option<PathBuf>,
    /// Why this root, in a few words.
    pub why: &'static str,
}

/// The project that `folder` belongs to. The folder need not exist any more.
pub fn identify(folder: &Path) -> Project {
    // Another system's path, which has nothing to do with where we are.
    if !folder.is_absolute() {
        let text = folder.to_string_lossy();
        let name = text.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("/").to_owned();
        return Project { name, root: folder.to_path_buf(), branch: None, git_dir: None, why: NO_GIT };
    }
    let real = file::real_path(folder);
    let found = real.ancestors().find_map(|above| checkout(above).map(|found| (above, found)));
    let Some((top, Worktree { root, git_dir, common })) = found else {
        return Project { name: name_of(&real), root: real, branch: None, git_dir: None, why: NO_GIT };
    };
    let why = if root != top {
        "a linked worktree of it"
    } else if root == real {
        "its main worktree"
    } else {
        "a subfolder of it"
    };
    Project { name: name_of(&root), branch: branch(&git_dir), root, git_dir: Some(common), why }
}

/// The checkout that a folder is in, a linked worktree's own; outside git the folder itself.
pub fn around(folder: &Path) -> stale_names::Checkout {
    let real = file::real_path(folder);
    match real.ancestors().find_map(|above| Some((above, checkout(above)?))) {
        None => stale_names::Checkout::new(&real, None),
        Some((top, Worktree { git_dir, common, .. })) => {
            let git = stale_names::Git { branch: branch(&git_dir), folder: git_dir, common };
            stale_names::Checkout::new(top, Some(git))
        }
    }
}

/// The other worktrees of a repository with the folder `git_dir` of git, also those that are gone.
pub fn worktrees(git_dir: &Path) -> Vec<PathBuf> {
    let folder = git_dir.join("worktrees");
    let of = |name: &std::ffi::OsString| {
        let text = file::read_text(&folder.join(name).join("gitdir")).ok()??;
        Path::new(text.trim()).parent().map(Path::to_path_buf)
    };
    file::names(&folder).unwrap_or_default().iter().filter_map(of).collect()
}

/// A checkout.
struct Worktree {
    /// The main worktree.
    root: PathBuf,
    /// Its own folder of git.
    git_dir: PathBuf,
    /// That of all worktrees.
    common: PathBuf,
}

/// The checkout with the top folder `top`.
fn checkout(top: &Path) -> Option<Worktree> {
    let dot_git = top.join(".git");
    let kind = dot_git.metadata().ok()?;
    if kind.is_dir() {
        // An empty `.git` folder is none to git either.
        let is_git = dot_git.join("HEAD").exists();
        return is_git.then(|| Worktree { root: top.to_path_buf(), git_dir: dot_git.clone(), common: dot_git });
    }
    let text = kind.is_file().then(|| file::read_text(&dot_git).ok().flatten()).flatten()?;
    let git_dir = file::real_path(&top.join(text.lines().next()?.strip_prefix("gitdir:")?.trim()));
    if !is_own(&git_dir, top) {
        return Some(Worktree { root: top.to_path_buf(), git_dir: dot_git.clone(), common: dot_git });
    }
    let common = match file::read_text(&git_dir.join("commondir")).ok().flatten() {
        Some(text) => Some(file::real_path(&git_dir.join(text.trim()))),
        // A pruned worktree: its git folder is gone, but its name still says whose it was.
        None => git_dir.parent().filter(|up| up.ends_with("worktrees")).and_then(Path::parent).map(Path::to_path_buf),
    };
    let root = match &common {
        Some(common) if common.ends_with(".git") => common.parent()?.to_path_buf(),
        Some(bare) => bare.clone(),
        None => top.to_path_buf(),
    };
    let common = common.unwrap_or_else(|| git_dir.clone());
    Some(Worktree { root, git_dir, common })
}

/// Whether the folder of git that a `.git` file names is of that checkout: a stranger can write such a
/// file and name any repository in it. That of a linked worktree says where its worktree is; one that was pruned says nothing
/// any more, and is believed below its main worktree alone. The `.git` folder of another checkout is that one's.
fn is_own(git_dir: &Path, top: &Path) -> bool {
    if let Some(main) = git_dir.parent().filter(|up| up.ends_with("worktrees")).and_then(Path::parent) {
        return match file::read_text(&git_dir.join("gitdir")).ok().flatten() {
            Some(back) => file::real_path(&git_dir.join(back.trim())) == top.join(".git"),
            None => main.parent().is_some_and(|main| top.starts_with(main)),
        };
    }
    !git_dir.ends_with(".git") && !git_dir.join("commondir").exists()
}

fn branch(git_dir: &Path) -> Option<String> {
    let head = file::read_text(&git_dir.join("HEAD")).ok()??;
    Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

/// The last part of a path, "/" for the top.
pub fn name_of(root: &Path) -> String {
    root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::layout;

    #[test]
    fn another_systems_path_is_no_folder_of_ours() {
        let project = identify(Path::new(r"C:\Users\dev\src\lh"));
        assert_eq!((project.name.as_str(), project.why), ("lh", NO_GIT));
        assert_eq!(layout::slug(&project.root), "C--Users-dev-src-lh");
        assert_eq!(identify(Path::new("src")).root, Path::new("src"));
    }
}
