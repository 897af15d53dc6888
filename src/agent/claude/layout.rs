//! Where Claude Code keeps what: sessions and memories in a folder a project below its home's `projects/`, and
//! its settings.

use super::reader::head;
use crate::agent::removed;
use crate::base::exit::Failure;
use crate::base::file;
use crate::record::{item, session};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const PROJECTS: &str = "projects";
/// A project's memory, in its folder.
const MEMORY: &str = "memory";
/// How the memory folders are called, below the home.
pub const MEMORY_PATTERN: &str = "projects/*/memory/";
const SETTINGS: &str = "settings.json";
/// How the name of a completion checkpoint begins.
const CHECKPOINT: &str = "completion-checkpoint";
/// The folder of a checkout with settings of its own.
const OWN_FOLDER: &str = ".claude";
/// The folder of a session's subagents, beside its transcript.
const SUBAGENTS: &str = "subagents";
/// How the name of a subagent's transcript begins.
pub const SUBAGENT: &str = "agent-";
/// How it begins where the client made it of a session to compact that: it says the session again.
const COMPACTING: &str = "agent-acompact-";
/// Where the client cuts a project folder's name, in UTF-16 units.
const SLUG_UNITS: usize = 200;
/// Hex digits behind a project folder's name that another project has, too.
const APART_DIGITS: usize = 8;
/// Folders that decoding a slug reads, at most.
const DECODE_LOOKS: usize = 300;
/// Project folders whose records are looked into, at most, to find one by its cwd.
const FOLDERS_READ: usize = 200;

/// The folder in which each project has one. It can be a link.
pub fn projects(home: &Path) -> PathBuf {
    home.join(PROJECTS)
}

/// Whether the client tells a folder's memory index itself: of none elsewhere, nor if its memory is off or moved.
pub fn tells_index(home: &Path, folder: &Path) -> bool {
    let is_off = |text: &str| {
        let settings = serde_json::from_str::<serde_json::Value>(text);
        settings.is_ok_and(|of| of["autoMemoryEnabled"] == false || of.get("autoMemoryDirectory").is_some())
    };
    folder.starts_with(file::real_path(&projects(home)))
        && !file::read_text(&home.join(SETTINGS)).ok().flatten().is_some_and(|text| is_off(&text))
}

/// Whether a path is of a file that the client keeps for itself: a plan, a transcript, what its subagents wrote.
pub fn is_of_client(path: &str) -> bool {
    ["/.claude/plans/", "/.claude/projects/"].iter().any(|part| path.contains(part))
}

/// What the user typed, which outlives the transcripts.
pub fn history(home: &Path) -> PathBuf {
    home.join("history.jsonl")
}

/// The settings of a home.
pub fn settings(home: &Path) -> PathBuf {
    home.join(SETTINGS)
}

/// The file of a skill of a home.
pub fn skill(home: &Path, name: &str) -> PathBuf {
    home.join("skills").join(name).join("SKILL.md")
}

/// The file of a slash command of a home.
pub fn command(home: &Path, name: &str) -> PathBuf {
    home.join("commands").join(format!("{name}.md"))
}

/// The settings of a checkout whose top folder is `top`.
pub fn checkout_settings(top: &Path) -> PathBuf {
    top.join(OWN_FOLDER).join(SETTINGS)
}

/// The completion checkpoints of a project whose main worktree is `root`, and of a folder in it: what the agent wrote
/// there, or in its home, when it was done. A name can have a process id.
pub fn checkpoints(home: &Path, root: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut folders = vec![home.to_path_buf(), root.join(OWN_FOLDER), cwd.join(OWN_FOLDER)];
    folders.retain(|folder| folder.is_absolute());
    folders.dedup();
    let is_one = |name: &String| name.strip_suffix(".json").is_some_and(|name| name.starts_with(CHECKPOINT));
    let paths =
        folders.iter().flat_map(|folder| names(folder).into_iter().filter(is_one).map(|name| folder.join(name)));
    paths.filter(|path| path.is_file()).collect()
}

/// One user's settings of a checkout whose top folder is `top`, which no other user has.
pub fn local_settings(top: &Path) -> PathBuf {
    top.join(OWN_FOLDER).join("settings.local.json")
}

/// The memory folder of each project, whether it exists or not.
pub fn memory_folders(home: &Path) -> Vec<PathBuf> {
    let projects = projects(home);
    names(&projects).into_iter().map(|name| projects.join(name).join(MEMORY)).collect()
}

/// The client's lock on consolidating the typed memories in a folder: its time is that of the last consolidation, and the
/// process that holds it is in it.
pub fn consolidation_lock(notes: &Path) -> PathBuf {
    notes.join(".consolidate-lock")
}

/// The indexes of the client's own memories that are there, and the database of claude-mem, below the user's home.
pub fn memories_of_others(home: &Path, user: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let indexes = memory_folders(home).into_iter().map(|folder| folder.join("MEMORY.md")).filter(|path| path.is_file());
    let database = user.join(".claude-mem/claude-mem.db");
    (indexes.collect(), database.is_file().then_some(database))
}

/// The memory folder of the project whose main worktree is `root`.
pub fn memory_folder(home: &Path, root: &Path) -> PathBuf {
    project_folder(home, root).join(MEMORY)
}

/// One that no other project has.
pub fn memory_folder_apart(home: &Path, root: &Path) -> PathBuf {
    let hash = item::hash(root.as_os_str().as_bytes());
    let name = format!("{}-{}", slug(root), hash.get(..APART_DIGITS).unwrap_or(&hash));
    projects(home).join(name).join(MEMORY)
}

/// That of lazy-harness, which replaces nothing but slashes in the name.
pub fn memory_folder_of_predecessor(home: &Path, root: &Path) -> PathBuf {
    projects(home).join(root.to_string_lossy().replace('/', "-")).join(MEMORY)
}

/// The memory folder beside a transcript.
pub fn memory_beside(transcript: &Path) -> Option<PathBuf> {
    home_of(transcript)?;
    if is_session_file(transcript) { Some(transcript.parent()?.join(MEMORY)) } else { None }
}

/// Where the transcript of a new session would be.
pub fn transcript(home: &Path, cwd: &Path, id: &str) -> PathBuf {
    projects(home).join(slug(cwd)).join(format!("{id}.jsonl"))
}

/// The transcripts of every project, with their times.
pub fn sessions(home: &Path) -> Result<Vec<(SystemTime, PathBuf)>, Failure> {
    let projects = projects(home);
    Ok(file::names(&projects)?.iter().flat_map(|folder| transcripts(&projects.join(folder))).collect())
}

/// The transcripts in the project folders of these cwds, with their times.
pub fn sessions_of(home: &Path, cwds: &[&Path]) -> Vec<(SystemTime, PathBuf)> {
    let mut folders: Vec<PathBuf> = cwds.iter().filter_map(|cwd| folder_of(home, cwd)).collect();
    folders.dedup();
    folders.iter().flat_map(|folder| transcripts(folder)).collect()
}

/// The project folders that can be those of folders below this one, by their names alone.
pub fn folders_below(home: &Path, folder: &Path) -> Vec<PathBuf> {
    let (projects, slug) = (projects(home), format!("{}-", slug(folder)));
    let begin = slug.get(..SLUG_UNITS).unwrap_or(&slug);
    names(&projects).iter().filter(|name| name.starts_with(begin)).map(|name| projects.join(name)).collect()
}

/// The transcript of an id: in the folder of the cwd, else in any project folder.
pub fn locate(home: &Path, id: &str, cwd: &Path) -> Option<PathBuf> {
    let name = format!("{id}.jsonl");
    let near = folder_of(home, cwd).map(|folder| folder.join(&name)).filter(|path| path.exists());
    near.or_else(|| {
        let projects = projects(home);
        let folders = file::names(&projects).ok()?;
        folders.iter().map(|folder| projects.join(folder).join(&name)).find(|path| path.exists())
    })
}

/// The transcripts in one project folder, with their times; without the sessions that a person took out.
pub fn transcripts(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let names = file::names(folder).unwrap_or_default();
    let removed = folder.parent().and_then(Path::parent).map(removed::all).unwrap_or_default();
    let is_removed = |path: &Path| !removed.is_empty() && removed.contains(&session::safe_id(&session::id_of(path)));
    let paths = names.iter().map(|name| folder.join(name)).filter(|path| is_session_file(path) && !is_removed(path));
    let timed = |path: PathBuf| {
        let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((data.modified().ok()?, path))
    };
    paths.filter_map(timed).collect()
}

/// The client's name for a folder under `projects/`: every UTF-16 unit outside `[A-Za-z0-9]` is a
/// hyphen. Not cut.
pub fn slug(folder: &Path) -> String {
    let text = folder.to_string_lossy();
    let units = text.encode_utf16().map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric));
    units.map(|letter| char::from(letter.unwrap_or(b'-'))).collect()
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
    let mut fits: Vec<(PathBuf, &str)> = Vec::new();
    for name in file::names(above).ok()? {
        match rest.strip_prefix(self::slug(Path::new(&name)).as_str()) {
            // A path has no empty part, so a hyphen at the very end belongs to the name before it.
            None | Some("-") => {}
            Some("") => fits.push((above.join(name), "")),
            Some(behind) => fits.extend(behind.strip_prefix('-').map(|behind| (above.join(name), behind))),
        }
    }
    fits.sort_by_key(|(_, behind)| behind.len());
    fits.into_iter().filter(|(below, _)| below.is_dir()).find_map(|(below, behind)| descend(&below, behind, looks))
}

/// The existing project folder of a cwd in an agent's home: by its name, or, where the name is cut,
/// by the cwd that its records name.
fn folder_of(home: &Path, cwd: &Path) -> Option<PathBuf> {
    let projects = projects(home);
    let slug = slug(cwd);
    if slug.len() <= SLUG_UNITS {
        return Some(projects.join(slug)).filter(|folder| folder.is_dir());
    }
    let prefix = slug.get(..SLUG_UNITS)?;
    names(&projects)
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
    let projects = projects(home);
    let slug = slug(root);
    let ending = format!("-{}", self::slug(Path::new(root.file_name().unwrap_or(root.as_os_str()))));
    let mut all = names(&projects);
    // A link usually keeps the last part of the path: those first.
    all.sort_by_key(|name| !name.ends_with(&ending));
    let mut linked = all.iter().take(FOLDERS_READ).map(|name| projects.join(name));
    let linked = linked.find(|folder| names_cwd(folder, |named| file::real_path(named) == root));
    linked.unwrap_or_else(|| match slug.get(..SLUG_UNITS) {
        Some(cut) if slug.len() > SLUG_UNITS => projects.join(format!("{cut}-{}", item::hash(slug.as_bytes()))),
        _ => projects.join(&slug),
    })
}

/// The names in a folder that are text.
fn names(folder: &Path) -> Vec<String> {
    let names = file::names(folder).unwrap_or_else(|_| Vec::new());
    names.into_iter().filter_map(|name| name.into_string().ok()).collect()
}

/// Whether the first cwd in a transcript of a project folder is what `wanted` knows.
fn names_cwd(folder: &Path, wanted: impl Fn(&Path) -> bool) -> bool {
    let names = file::names(folder).unwrap_or_default();
    let transcript = names.iter().map(|name| folder.join(name)).find(|path| is_session_file(path));
    transcript.and_then(|path| head::first_cwd(&path)).is_some_and(|cwd| wanted(Path::new(&cwd)))
}

/// Whether a path is that of a session's transcript, by its name: not a subagent's.
fn is_session_file(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b".jsonl") && !is_subagent_file(path)
}

/// Whether a path is that of a subagent's transcript, by its name and folder.
pub fn is_subagent_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(SUBAGENT) || path.parent().is_some_and(|folder| folder.ends_with(SUBAGENTS))
}

/// The session that started the subagent of a transcript, by its folder.
pub fn parent_of(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| folder.ends_with(SUBAGENTS))?;
    Some(folder.parent()?.file_name()?.to_string_lossy().into_owned())
}

/// The transcripts of a session's subagents, in the order of their names.
pub fn subagents(transcript: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = transcript.with_extension("").join(SUBAGENTS);
    let mut names = file::names(&folder)?;
    names.retain(|name| name.as_bytes().ends_with(b".jsonl") && !name.as_bytes().starts_with(COMPACTING.as_bytes()));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// The agent's home that a transcript belongs to: the folder above its `projects/`.
pub fn home_of(transcript: &Path) -> Option<&Path> {
    let is_slug = |folder: &&Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let absolute = name.starts_with('-') || name.get(1..).is_some_and(|rest| rest.starts_with("--"));
        absolute && folder.parent().is_some_and(|up| up.ends_with(PROJECTS))
    };
    transcript.ancestors().skip(1).find(is_slug)?.parent()?.parent()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Each level can be read in two ways, so that there are more ways than there is time for.
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
