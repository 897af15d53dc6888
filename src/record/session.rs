//! The `session` record: which transcript, of which project, in whose home. lh-record(5) has the
//! grammar; this is its one reader and writer.

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::record::Record;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// One session of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The transcript's file name without its ending.
    pub session_id: String,
    /// The transcript.
    pub transcript: PathBuf,
    /// Where the agent ran.
    pub cwd: PathBuf,
    /// The project's name: the last part of its root.
    pub project: String,
    /// The repository's main worktree, or the folder itself.
    pub project_root: PathBuf,
    /// The project's memory folder.
    pub memory_dir: PathBuf,
    /// The folder of typed memories and of their index; the memory folder itself where nothing else is said.
    pub notes_dir: PathBuf,
    /// `claude-code`.
    pub agent: String,
    /// The folder above the agent's `projects/`.
    pub agent_home: PathBuf,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The hook's event, else `manual`.
    pub event: String,
    /// The transcript's size in bytes; none when it is not there.
    pub source_size_bytes: Option<u64>,
    /// The transcript's time; none when it is not there.
    pub source_modified_at: Option<Timestamp>,
    /// How the session was found: `transcript_path`, `session_id`, `newest`, `operand`, `all`, `task`.
    pub found_by: String,
}

impl Session {
    /// The record, with `kind` as its type.
    pub fn record(&self, kind: &str) -> Record {
        let mut record = Record::new(kind);
        record.set("session_id", &self.session_id);
        record.set_path("transcript", &self.transcript);
        record.set_path("cwd", &self.cwd);
        record.set("project", &self.project);
        record.set_path("project_root", &self.project_root);
        record.set_path("memory_dir", &self.memory_dir);
        record.set_path("notes_dir", &self.notes_dir);
        record.set("agent", &self.agent);
        record.set_path("agent_home", &self.agent_home);
        record.set_some("branch", self.branch.as_ref());
        record.set("event", &self.event);
        record.set_some("source_size_bytes", self.source_size_bytes.as_ref());
        record.set_some("source_modified_at", self.source_modified_at.map(|time| time.to_string()).as_ref());
        record.set("found_by", &self.found_by);
        record
    }

    /// Reads a record; `transcript` must be there, the session's id is its file name's when absent.
    pub fn from_record(record: &Record) -> Result<Self, Failure> {
        let transcript = record.path("transcript").ok_or_else(|| Failure::data("missing field 'transcript'"))?;
        let text = |name: &str| record.text(name).unwrap_or_default();
        let path = |name: &str| record.path(name).unwrap_or_default();
        // What is written to would be another folder for each folder that a tool is started in.
        let folder = |name: &str| match path(name) {
            folder if folder.is_relative() && !folder.as_os_str().is_empty() => {
                let what =
                    format!("field '{name}' is '{}', a relative path: expected an absolute one", folder.display());
                Err(Failure::data(what))
            }
            folder => Ok(folder),
        };
        let memory_dir = folder("memory_dir")?;
        let notes_dir = Some(folder("notes_dir")?).filter(|folder| !folder.as_os_str().is_empty());
        Ok(Self {
            session_id: record.text("session_id").unwrap_or_else(|| id_of(&transcript)),
            transcript,
            cwd: path("cwd"),
            project: text("project"),
            project_root: path("project_root"),
            notes_dir: notes_dir.unwrap_or_else(|| memory_dir.clone()),
            memory_dir,
            agent: text("agent"),
            agent_home: folder("agent_home")?,
            branch: record.text("branch"),
            event: record.text("event").unwrap_or_else(|| "manual".to_owned()),
            source_size_bytes: record.get("source_size_bytes"),
            source_modified_at: record.text("source_modified_at").and_then(|text| clock::parse(&text)),
            found_by: text("found_by"),
        })
    }

    /// The agent's home, or status 65 when the record has none.
    pub fn home(&self) -> Result<&Path, Failure> {
        there("agent_home", &self.agent_home)
    }

    /// The memory folder, or status 65 when the record has none.
    pub fn memory(&self) -> Result<&Path, Failure> {
        there("memory_dir", &self.memory_dir)
    }
}

fn there<'p>(field: &str, path: &'p Path) -> Result<&'p Path, Failure> {
    let is_there = !path.as_os_str().is_empty();
    is_there.then_some(path).ok_or_else(|| Failure::data(format!("missing field '{field}'")))
}

/// A session's id is its transcript's name, whatever the records in it say.
pub fn id_of(transcript: &Path) -> String {
    transcript.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// An id as part of a file name: itself when it is plain, else a hash of it.
pub fn safe_id(id: &str) -> String {
    let plain = !id.is_empty()
        && id.len() <= 200
        && !id.starts_with(['.', '-'])
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if plain { id.to_owned() } else { crate::record::item::hash(id.as_bytes()) }
}

/// The first eight characters of an id, safe in a file name.
pub fn short_id(id: &str) -> String {
    safe_id(id).chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_never_leave_the_folder() {
        assert_eq!(short_id("a509bcc3-b1f2-4f61"), "a509bcc3");
        for hostile in ["../../etc", "a/b", "", ".hidden", "a\nb", "ñ"] {
            assert_eq!(safe_id(hostile).len(), 16, "{hostile}");
        }
    }
}
