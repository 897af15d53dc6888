//! Which project a folder belongs to, and where that project's memory stands. A project is the
//! repository, not the checkout: linked worktrees and subfolders lead to the main worktree. Nothing
//! here runs git.

use crate::agent::transcript;
use crate::base::config::Scope;
use crate::base::exit::Failure;
use crate::base::{env, file};
use crate::record::item;
use crate::record::session::{self, Session};
use std::path::{Path, PathBuf};

/// Where the client cuts a project folder's name, in UTF-16 units.
const SLUG_UNITS: usize = 200;
/// Folders that decoding a slug reads, at most.
const DECODE_LOOKS: usize = 300;
/// Project folders whose records are looked into, at most, to find one by its cwd.
const FOLDERS_READ: usize = 200;

/// Why a folder is a project of its own.
pub const NO_GIT: &str = "no git above it";

/// The project of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The last part of the root.
    pub name: String,
    /// The main worktree, or the folder itself outside git; links resolved.
    pub root: PathBuf,
    /// What is checked out in the folder's own worktree.
    pub branch: Option<String>,
    /// Why this root, in a few words.
    pub why: &'static str,
}

/// The project that `folder` belongs to. The folder need not exist any more.
pub fn identify(folder: &Path) -> Project {
    // Another system's path, which has nothing to do with where we are.
    if !folder.is_absolute() {
        let text = folder.to_string_lossy();
        let name = text.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("/").to_owned();
        return Project { name, root: folder.to_path_buf(), branch: None, why: NO_GIT };
    }
    let real = file::real_path(folder);
    let found = real.ancestors().find_map(|above| checkout(above).map(|found| (above, found)));
    let Some((top, (root, git_dir))) = found else {
        return Project { name: name_of(&real), root: real, branch: None, why: NO_GIT };
    };
    let why = match () {
        () if root != top => "a linked worktree of it",
        () if root == real => "its main worktree",
        () => "a subfolder of it",
    };
    Project { name: name_of(&root), branch: branch(&git_dir), root, why }
}

/// The main worktree and the git folder of the checkout whose top is `top`.
fn checkout(top: &Path) -> Option<(PathBuf, PathBuf)> {
    let dot_git = top.join(".git");
    let kind = dot_git.metadata().ok()?;
    if kind.is_dir() {
        // An empty `.git` folder is none to git either.
        return dot_git.join("HEAD").exists().then(|| (top.to_path_buf(), dot_git));
    }
    let text = kind.is_file().then(|| file::read_text(&dot_git).ok().flatten()).flatten()?;
    let git_dir = file::real_path(&top.join(text.lines().next()?.strip_prefix("gitdir:")?.trim()));
    let common = match file::read_text(&git_dir.join("commondir")).ok().flatten() {
        Some(text) => Some(file::real_path(&git_dir.join(text.trim()))),
        // A pruned worktree: its git folder is gone, but its name still says whose it was.
        None => git_dir.parent().filter(|up| up.ends_with("worktrees")).and_then(Path::parent).map(Path::to_path_buf),
    };
    let root = match common {
        Some(common) if common.ends_with(".git") => common.parent()?.to_path_buf(),
        Some(bare) => bare,
        None => top.to_path_buf(),
    };
    Some((root, git_dir))
}

fn branch(git_dir: &Path) -> Option<String> {
    let head = file::read_text(&git_dir.join("HEAD")).ok()??;
    Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

fn name_of(root: &Path) -> String {
    root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The client's name for a folder under `projects/`: every UTF-16 unit outside `[A-Za-z0-9]` is a
/// hyphen. Not cut.
pub fn slug(folder: &Path) -> String {
    let text = folder.to_string_lossy();
    text.chars().fold(String::with_capacity(text.len()), |mut slug, letter| {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else {
            slug.push_str(if letter.len_utf16() == 2 { "--" } else { "-" });
        }
        slug
    })
}

/// The folder that a slug stands for, where the records do not say it: of the ways to read its
/// hyphens (a slash, or any sign that the client replaces) one that exists, the longest names first.
/// At most [`DECODE_LOOKS`] folders are read.
pub fn decode(slug: &str) -> Option<PathBuf> {
    let mut looks = DECODE_LOOKS;
    descend(Path::new("/"), slug.strip_prefix('-')?, &mut looks)
}

/// A folder below `above` whose slug is `rest`.
fn descend(above: &Path, rest: &str, looks: &mut usize) -> Option<PathBuf> {
    if rest.is_empty() {
        return Some(above.to_path_buf());
    }
    *looks = looks.checked_sub(1)?;
    let names = file::names(above).ok()?;
    let read = |name: std::ffi::OsString| {
        let behind = rest.strip_prefix(self::slug(Path::new(&name)).as_str())?;
        (behind.is_empty() || behind.starts_with('-')).then(|| (name, behind.strip_prefix('-').unwrap_or_default()))
    };
    let mut fits: Vec<(std::ffi::OsString, &str)> = names.into_iter().filter_map(read).collect();
    // A path has no empty part, so a hyphen at the very end belongs to the name before it.
    fits.retain(|(name, behind)| !behind.is_empty() || self::slug(Path::new(name)).len() == rest.len());
    fits.sort_by_key(|(_, behind)| behind.len());
    fits.into_iter().find_map(|(name, behind)| {
        let below = above.join(name);
        if below.is_dir() { descend(&below, behind, looks) } else { None }
    })
}

/// The existing project folder of a cwd in an agent's home: by its name, or, where the name is cut,
/// by the cwd that its records name.
pub fn folder_of(home: &Path, cwd: &Path) -> Option<PathBuf> {
    let projects = home.join("projects");
    let slug = slug(cwd);
    if slug.len() <= SLUG_UNITS {
        return Some(projects.join(slug)).filter(|folder| folder.is_dir());
    }
    let prefix = slug.get(..SLUG_UNITS)?;
    folders(&projects)
        .into_iter()
        .filter(|name| name.starts_with(prefix))
        .map(|name| projects.join(name))
        .find(|folder| names_cwd(folder, |named| named == cwd || file::real_path(named) == file::real_path(cwd)))
}

/// The folder of the project whose main worktree is `root`: the one of that name, else one whose
/// records name that root (under a link, say), else the name that the client would give.
fn project_folder(home: &Path, root: &Path) -> PathBuf {
    if let Some(folder) = folder_of(home, root) {
        return folder;
    }
    let projects = home.join("projects");
    let slug = slug(root);
    let ending = format!("-{}", self::slug(Path::new(&name_of(root))));
    let mut names = folders(&projects);
    // A link usually keeps the last part of the path: those first.
    names.sort_by_key(|name| !name.ends_with(&ending));
    let linked = names.iter().take(FOLDERS_READ).map(|name| projects.join(name));
    let mut linked = linked.filter(|folder| names_cwd(folder, |named| file::real_path(named) == root));
    linked.next().unwrap_or_else(|| match slug.get(..SLUG_UNITS) {
        Some(cut) if slug.len() > SLUG_UNITS => projects.join(format!("{cut}-{}", item::hash(slug.as_bytes()))),
        _ => projects.join(&slug),
    })
}

fn folders(projects: &Path) -> Vec<String> {
    let names = file::names(projects).unwrap_or_default();
    names.into_iter().filter_map(|name| name.into_string().ok()).collect()
}

/// Whether the first cwd in a transcript of a project folder is what `wanted` knows.
fn names_cwd(folder: &Path, wanted: impl Fn(&Path) -> bool) -> bool {
    let names = file::names(folder).unwrap_or_default();
    let transcript = names.iter().map(|name| folder.join(name)).find(|path| is_session_file(path));
    transcript.and_then(|path| transcript::first_cwd(&path)).is_some_and(|cwd| wanted(Path::new(&cwd)))
}

/// Whether a path is that of a session's transcript, by its name: not a subagent's.
pub fn is_session_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".jsonl") && !is_subagent_file(path)
}

/// Whether a path is that of a subagent's transcript, by its name and folder.
pub fn is_subagent_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("agent-") || path.parent().is_some_and(|folder| folder.ends_with("subagents"))
}

/// The agent's home that a transcript belongs to: the folder above its `projects/`.
fn home_of(transcript: &Path) -> Option<&Path> {
    let is_slug = |folder: &&Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let absolute = name.starts_with('-') || name.get(1..).is_some_and(|rest| rest.starts_with("--"));
        absolute && folder.parent().is_some_and(|up| up.ends_with("projects"))
    };
    transcript.ancestors().skip(1).find(is_slug)?.parent()?.parent()
}

/// What the caller knows about a session besides its transcript.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Where the agent runs, from the payload; else the transcript's first cwd.
    pub cwd: Option<PathBuf>,
    /// The hook's event.
    pub event: Option<String>,
    /// How the transcript was found.
    pub found_by: &'static str,
}

/// Describes the session of a transcript, which need not exist; with a word on why this project.
pub fn describe(transcript: &Path, known: Known, scope: Scope) -> Result<(Session, &'static str), Failure> {
    let agent_home = match home_of(transcript) {
        Some(home) => home.to_path_buf(),
        None => env::agent_home()?,
    };
    // Size and cwd are those of one file, or there is neither: a name that is changed in between must not
    // give a session that seems to be there and has its project from the folder's name.
    let (stat, first_cwd) = match known.cwd {
        Some(_) => (transcript::stat(transcript).unwrap_or_default(), None),
        None => match transcript::glance(transcript).unwrap_or_default() {
            Some(seen) => (Some(seen.stat), seen.cwd),
            None => (None, None),
        },
    };
    let own_folder = transcript.parent().filter(|_| home_of(transcript).is_some());
    let of_slug = || decode(&own_folder?.file_name()?.to_string_lossy());
    let cwd = known.cwd.or_else(|| first_cwd.map(PathBuf::from)).or_else(of_slug);
    let cwd = cwd.unwrap_or_default();
    let project = if cwd.as_os_str().is_empty() {
        let folder = own_folder.or_else(|| transcript.parent()).unwrap_or(Path::new("/"));
        Project { name: name_of(folder), root: folder.to_path_buf(), branch: None, why: "no cwd in the transcript" }
    } else {
        identify(&cwd)
    };
    let in_main = cwd.as_os_str().is_empty() || file::real_path(&cwd) == project.root;
    let memory_dir = match (scope, own_folder) {
        (Scope::Shared, _) => agent_home.join("memory").join(item::hash(project.root.to_string_lossy().as_bytes())),
        (Scope::Project, Some(folder)) if in_main && is_session_file(transcript) => folder.join("memory"),
        (Scope::Project, _) => project_folder(&agent_home, &project.root).join("memory"),
    };
    let session = Session {
        session_id: session::id_of(transcript),
        transcript: transcript.to_path_buf(),
        cwd,
        project: project.name,
        project_root: project.root,
        memory_dir,
        agent: "claude-code".to_owned(),
        agent_home,
        branch: project.branch,
        event: known.event.unwrap_or_else(|| "manual".to_owned()),
        source_size_bytes: stat.map(|(size, _)| size),
        source_modified_at: stat.and_then(|(_, time)| time),
        found_by: known.found_by.to_owned(),
    };
    Ok((session, project.why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_systems_path_is_no_folder_of_ours() {
        let project = identify(Path::new(r"C:\Users\dev\src\lh"));
        assert_eq!((project.name.as_str(), project.why), ("lh", NO_GIT));
        assert_eq!(slug(&project.root), "C--Users-dev-src-lh");
        assert_eq!(identify(Path::new("src")).root, Path::new("src"));
    }

    #[test]
    fn a_slug_is_read_as_a_folder_that_exists() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["src/lazy-harness/src", "src/lazy", "src/lazy-claude.code", "src/.config/we ird_dir"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
            let folder = home.join(folder);
            assert_eq!(decode(&slug(&folder)), Some(folder.clone()), "{}", slug(&folder));
        }
        for gone in ["src/lazy-other", "src/lazy-", "srcs"] {
            assert_eq!(decode(&slug(&home.join(gone))), None, "{gone}");
        }
        assert_eq!((decode(""), decode("no-slug"), decode("-")), (None, None, Some(PathBuf::from("/"))));
    }

    #[test]
    fn decoding_a_slug_gives_up_in_time() {
        let home = tempfile::tempdir().unwrap();
        let mut folder = home.path().canonicalize().unwrap();
        let slug = format!("{}{}", slug(&folder), "-a".repeat(60));
        // Each level can be read in two ways, so that there are more ways than anybody has time for.
        for _ in 0..20 {
            std::fs::create_dir_all(folder.join("a-a")).unwrap();
            folder = folder.join("a");
            std::fs::create_dir_all(&folder).unwrap();
        }
        let begun = crate::base::clock::monotonic();
        let _ = decode(&slug);
        assert!(crate::base::clock::monotonic().duration_since(begun).as_secs() < 5);
    }
}
