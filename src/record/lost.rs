//! The `lost` record: a session whose transcript is gone. It has no transcript, so that no tool takes it for one that
//! can be distilled.

use crate::base::record::Record;
use jiff::Timestamp;
use std::path::PathBuf;

/// A session of which only the prompts are left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Its id; none where the history does not name it.
    pub session_id: Option<String>,
    /// Where the agent ran.
    pub cwd: PathBuf,
    /// The project's name.
    pub project: String,
    /// The repository's main worktree, or the folder itself.
    pub project_root: PathBuf,
    /// `claude-code`.
    pub agent: String,
    /// The agent's home whose history names it.
    pub agent_home: PathBuf,
    /// How many prompts are left.
    pub prompts: u64,
    /// When the first and the last of them was typed; none where no time is known.
    pub times: Option<(Timestamp, Timestamp)>,
    /// The session's page in the knowledge folder, if it was exported in time.
    pub page: Option<PathBuf>,
}

impl Lost {
    /// The record.
    pub fn record(&self) -> Record {
        let mut record = Record::new("lost");
        record.set_some("session_id", self.session_id.as_ref());
        record.set_path("cwd", &self.cwd);
        record.set("project", &self.project);
        record.set_path("project_root", &self.project_root);
        record.set("agent", &self.agent);
        record.set_path("agent_home", &self.agent_home);
        record.set("prompts", &self.prompts);
        record.set_some("first_prompt_at", self.times.map(|(first, _)| first.to_string()).as_ref());
        record.set_some("last_prompt_at", self.times.map(|(_, last)| last.to_string()).as_ref());
        if let Some(page) = &self.page {
            record.set_path("page", page);
        }
        record
    }
}
