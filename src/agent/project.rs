//! What is known of a session before its transcript is read: its project, and where that project's memory is.

use super::checkout::{Project, identify, name_of, worktrees};
use super::claude::layout;
use super::{Agent, memory_dirs, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::front_matter::FrontMatter;
use crate::base::{clock, env, file};
use crate::record::session::{self, Session};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The page of a memory that says where its last session ran.
const PROGRESS: &str = "progress.md";

/// The id of a session that there is not.
const NO_SESSION: &str = "none";

/// What the caller knows about a session besides its transcript.
#[derive(Clone, Debug, Default)]
pub struct SessionHint {
    /// Where the agent runs, from the payload; else the transcript's first cwd.
    pub cwd: Option<PathBuf>,
    /// The hook's event.
    pub event: Option<String>,
    /// How the transcript was found.
    pub found_by: &'static str,
}

/// Describes the session of a transcript, which need not exist; with a word on why this project.
pub fn describe(transcript: &Path, hint: SessionHint, config: &Config) -> Result<(Session, &'static str), Failure> {
    let agent_home = match layout::home_of(transcript) {
        Some(home) => home.to_path_buf(),
        None => env::agent_home()?,
    };
    // Size and cwd are those of one file, or there is neither: a name that is changed in between must not
    // give a session that seems to be there and has its project from the folder's name.
    let (stat, first_cwd) = match hint.cwd {
        Some(_) => (transcript::stat(transcript).unwrap_or_default(), None),
        None => {
            transcript::glance(transcript).unwrap_or_default().map_or((None, None), |(stat, cwd)| (Some(stat), cwd))
        }
    };
    let (cwd, project) = place(transcript, hint.cwd.or_else(|| first_cwd.map(PathBuf::from)));
    let in_main = cwd.as_os_str().is_empty() || file::real_path(&cwd) == project.root;
    let beside = layout::memory_beside(transcript).filter(|_| in_main);
    let beside = beside.unwrap_or_else(|| layout::memory_folder(&agent_home, &project.root));
    let beside = apart(&agent_home, &project, &beside).unwrap_or(beside);
    let (memory_dir, notes_dir) = memory_dirs::folders(&project, &agent_home, beside, config)?;
    let session = Session {
        session_id: session::id_of(transcript),
        transcript: transcript.to_path_buf(),
        cwd,
        project: project.name,
        project_root: project.root,
        memory_dir,
        notes_dir,
        agent: Agent::ClaudeCode.name().to_owned(),
        agent_home,
        branch: project.branch,
        event: hint.event.unwrap_or_else(|| "manual".to_owned()),
        source_size_bytes: stat.map(|(size, _)| size),
        source_modified_at: stat.and_then(|(_, time)| time),
        found_by: hint.found_by.to_owned(),
    };
    Ok((session, project.why))
}

/// The current folder as the session would be that begins there now: its project, and where its memory is.
pub fn here(config: &Config) -> Result<Session, Failure> {
    of_folder(&env::current_folder()?, &env::agent_home()?, config)
}

/// The same for any folder, and an agent's home.
pub fn of_folder(cwd: &Path, home: &Path, config: &Config) -> Result<Session, Failure> {
    let cwd = std::path::absolute(cwd).unwrap_or_else(|_| cwd.to_path_buf());
    let transcript = layout::transcript(home, &cwd, NO_SESSION);
    let hint = SessionHint { cwd: Some(cwd), found_by: "transcript_path", ..SessionHint::default() };
    describe(&transcript, hint, config).map(|(session, _)| session)
}

/// The memory folder of a project that shares its folder in the agent's home with another project: the client gives
/// `/a/b-c` and `/a/b/c` one name. The first one that kept its progress there has that folder, the other has its own.
fn apart(home: &Path, project: &Project, beside: &Path) -> Option<PathBuf> {
    let own = layout::memory_folder_apart(home, &project.root);
    if own.is_dir() {
        return Some(own);
    }
    let cwd = ran_in(beside)?;
    (!cwd.starts_with(&project.root) && is_of_other(&cwd, &project.root)).then_some(own)
}

/// The folder in which the last session ran of which a memory folder keeps the progress, if that is still there.
pub fn ran_in(memory: &Path) -> Option<PathBuf> {
    let front = FrontMatter::read(&memory.join(PROGRESS)).ok()?;
    front.get("cwd").filter(|cwd| !cwd.is_empty()).map(PathBuf::from).filter(|cwd| cwd.is_dir())
}

/// Whether a folder is of another project that has a folder of the same name in the agent's home.
fn is_of_other(cwd: &Path, root: &Path) -> bool {
    let other = identify(cwd).root;
    other != root && layout::slug(&other) == layout::slug(root)
}

/// Whether the session of a transcript ran in such a project.
pub fn is_foreign(transcript: &Path, root: &Path) -> bool {
    let cwd = transcript::glance(transcript).ok().flatten().and_then(|(_, cwd)| cwd);
    cwd.is_some_and(|cwd| !Path::new(&cwd).starts_with(root) && is_of_other(Path::new(&cwd), root))
}

/// The transcripts of the project of a folder that were written to after `since`, with their times: those of the folder
/// and of the project's root, and of its subfolders and worktrees those that say that they ran there.
pub fn transcripts(home: &Path, cwd: &Path, since: Option<Timestamp>) -> Vec<(SystemTime, PathBuf)> {
    let project = identify(cwd);
    let worktrees = project.git_dir.as_deref().map(worktrees).unwrap_or_default();
    let newer = |found: &(SystemTime, PathBuf)| clock::from_system(found.0) > since;
    let mut all = layout::sessions_of(home, &[cwd, &project.root]);
    all.extend(worktrees.iter().flat_map(|folder| layout::sessions_of(home, &[folder])));
    let tops = std::iter::once(&project.root).chain(&worktrees);
    for folder in tops.flat_map(|folder| layout::folders_below(home, folder)).collect::<BTreeSet<_>>() {
        let mut found = layout::transcripts(&folder);
        found.retain(newer);
        // All of a folder ran in one place.
        let cwd = found.iter().max().and_then(|(_, path)| transcript::glance(path).ok()??.1);
        if cwd.is_some_and(|cwd| identify(Path::new(&cwd)).root == project.root) {
            all.extend(found);
        }
    }
    all.retain(newer);
    all.sort();
    all.dedup();
    all
}

/// The name of the project of a transcript whose first cwd is known, or of which there is none.
pub fn name(transcript: &Path, cwd: Option<PathBuf>) -> String {
    place(transcript, cwd).1.name
}

/// Where the session of a transcript ran, as far as that is known, and the project there.
fn place(transcript: &Path, cwd: Option<PathBuf>) -> (PathBuf, Project) {
    let of_slug = || {
        layout::home_of(transcript)?;
        layout::decode(&transcript.parent()?.file_name()?.to_string_lossy())
    };
    if let Some(cwd) = cwd.or_else(of_slug).filter(|cwd| !cwd.as_os_str().is_empty()) {
        let project = identify(&cwd);
        return (cwd, project);
    }
    let folder = transcript.parent().unwrap_or(Path::new("/"));
    let why = "no cwd in the transcript";
    let project = Project { name: name_of(folder), root: folder.to_path_buf(), branch: None, git_dir: None, why };
    (PathBuf::new(), project)
}
