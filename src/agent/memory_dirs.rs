//! Where a project's memory is. `[memory] scope` says where it is written; it is read wherever there is some, since
//! the scope can have been another one before, a repository can have got a remote, and lazy-harness 0.45 keeps it in
//! the knowledge folder. lh-setup(1) moves it.

use super::checkout::{self, Project};
use super::claude::layout;
use crate::base::config::{Config, Scope};
use crate::base::exit::Failure;
use crate::base::{file, remote, text};
use crate::record::item;
use crate::record::session::Session;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folder of projects without a remote, below the one for all memory.
const LOCAL: &str = "local";
/// Hex digits that tell two of them with one name apart.
const DIGITS: usize = 8;
/// Folders below each other that a repository's name can have.
const DEPTH: usize = 8;
/// Folders that are part of a memory.
const INNER: [&str; 3] = [".state", ".archive", ".git"];
/// The folder of the scope "shared", in the agent's home.
const SHARED: &str = "memory";

/// The memory folder of a project, and that of its typed memories. `beside` is the one beside its transcripts.
pub fn folders(
    project: &Project,
    home: &Path,
    beside: PathBuf,
    config: &Config,
) -> Result<(PathBuf, PathBuf), Failure> {
    let name = || name_of(project);
    match config.memory.scope {
        Scope::Project => Ok((beside.clone(), beside)),
        Scope::Store => Ok((in_store(&config.memory_area()?, &project.root, name().as_deref()), beside)),
        Scope::Shared => {
            let folder = shared(home, &project.root, name().as_deref());
            Ok((folder.clone(), folder))
        }
    }
}

/// The other folders in which some of a session's project can be, those that are there.
pub fn others(session: &Session, config: &Config) -> Vec<PathBuf> {
    let root = &session.project_root;
    let mut found = vec![session.notes_dir.clone()];
    if root.is_absolute() && session.home().is_ok() {
        if config.memory.scope == Scope::Shared {
            found.push(layout::memory_folder(&session.agent_home, root));
        }
        // The other project of the same name has it.
        if session.notes_dir != layout::memory_folder_apart(&session.agent_home, root) {
            found.push(layout::memory_folder_of_predecessor(&session.agent_home, root));
        }
        let area = config.memory_area().ok().filter(|area| area.is_dir());
        let home = Some(&session.agent_home).filter(|home| home.join(SHARED).is_dir());
        // Where neither folder is, the name is not needed.
        if area.is_some() || home.is_some() {
            let name = name_of(&checkout::identify(root));
            let names = [name.as_deref(), None];
            found.extend(area.iter().flat_map(|area| in_area(area, root, name.as_deref())));
            found.extend(home.iter().flat_map(|home| names.iter().map(|name| shared(home, root, *name))));
        }
    }
    let own = file::real_path(&session.memory_dir);
    let mut known = vec![own];
    found.retain(|folder| {
        let real = file::real_path(folder);
        let new = folder.is_dir() && !known.contains(&real);
        known.push(real);
        new
    });
    found
}

/// Every folder in which some project's memory can be: in a home, and in the knowledge folder.
pub fn all(home: &Path, config: &Config) -> Vec<PathBuf> {
    let shared = home.join(SHARED);
    let names = file::names(&shared).unwrap_or_default();
    let mut found = layout::memory_folders(home);
    found.extend(names.into_iter().map(|name| shared.join(name)));
    let mut folders: Vec<(PathBuf, usize)> = config.memory_area().ok().map(|area| (area, 0)).into_iter().collect();
    while let Some((folder, depth)) = folders.pop().filter(|(_, depth)| *depth < DEPTH) {
        for name in file::names(&folder).unwrap_or_default() {
            let below = folder.join(&name);
            let is_inner = INNER.iter().any(|inner| name == *inner);
            if !is_inner && below.is_dir() && !below.is_symlink() {
                found.push(below.clone());
                folders.push((below, depth + 1));
            }
        }
    }
    found
}

/// The name of a project's remote. It is written in the checkout, so it can be a stranger's: not a name of a project without
/// a remote, or of what is kept inside of another project's memory.
fn name_of(project: &Project) -> Option<String> {
    let name = project.git_dir.as_deref().and_then(remote::of)?;
    let is_inner = name.split('/').any(|part| INNER.contains(&part));
    let of_local = name.strip_prefix(LOCAL).and_then(|rest| rest.strip_prefix('/')?.rsplit_once('-'));
    let is_local =
        of_local.is_some_and(|(_, end)| end.len() == DIGITS && end.chars().all(|one| one.is_ascii_hexdigit()));
    (!is_inner && !is_local).then_some(name)
}

/// The folder of a project without a remote below the one for all memory.
fn local(area: &Path, root: &Path) -> PathBuf {
    let name = root.file_name().unwrap_or(OsStr::new("root")).to_string_lossy();
    let digits: String = hash(root).chars().take(DIGITS).collect();
    area.join(LOCAL).join(format!("{}-{digits}", text::one_line(&name)))
}

/// The folder of a repository below the one for all memory.
fn in_store(area: &Path, root: &Path, name: Option<&str>) -> PathBuf {
    let Some(name) = name else { return local(area, root) };
    let folder = area.join(name);
    if folder.is_dir() { folder } else { spellings(area, name).into_iter().next().unwrap_or(folder) }
}

/// All folders there that are of a project: by its name, and by that which it has without a remote.
fn in_area(area: &Path, root: &Path, name: Option<&str>) -> Vec<PathBuf> {
    let named = name.map(|name| spellings(area, name)).unwrap_or_default();
    named.into_iter().chain([local(area, root)]).collect()
}

/// The folders of a name that are there: lazy-harness writes the host as it is in the remote's address.
fn spellings(area: &Path, name: &str) -> Vec<PathBuf> {
    let Some((host, path)) = name.split_once('/') else { return Vec::new() };
    let hosts = file::names(area).unwrap_or_default().into_iter();
    let hosts = hosts.filter(|other| other.to_string_lossy().to_lowercase() == host);
    hosts.map(|host| area.join(host).join(path)).filter(|folder| folder.is_dir()).collect()
}

fn shared(home: &Path, root: &Path, name: Option<&str>) -> PathBuf {
    home.join(SHARED).join(name.map_or_else(|| hash(root), |name| item::hash(name.as_bytes())))
}

fn hash(root: &Path) -> String {
    item::hash(root.to_string_lossy().as_bytes())
}
